/*
 * The caller's block matrix where it lies: a load of a row of B serves the rows of a block
 * that are kept together, and a block has one column index. Elements of a block are
 * block_row and block_col apart, so both orders inside a block and its transpose are the
 * same kernel; the blocks of A^T are found by their positions. A block size in the spec
 * (b2 and more) is unrolled; b1 takes it at run time, one row after the other, so that
 * every size has a kernel without a compiler. SDDMM computes element by element.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/schedule.h"

#include <stdio.h>

/* Block size and rows kept together. */
typedef struct extent {
    char b[16];
    int rows;
} extent;

static extent
extent_of(const sb_spec *s)
{
    extent e = {"%block_size", 1};

    if (s->block > 1) {
        (void)snprintf(e.b, sizeof e.b, "%d", s->block);
        e.rows = sb_schedule_group(s->block);
    }
    return e;
}

static void
head(sb_strbuf *out, const sb_spec *s, const char *b)
{
    static const char *const params[] = {"block_size", "block_row", "block_col", NULL};
    char ptr[48], blocks[64];
    const char *const buffers[] = {
        "A_ptr", "P", ptr,    "A_crd", "I", blocks, s->packed ? NULL : "blocks_pos",
        "P",     blocks, NULL};

    (void)snprintf(ptr, sizeof ptr, "%%m / %s + 1", b);
    (void)snprintf(blocks, sizeof blocks, "%%nnz / (%s * %s)", b, b);
    sb_ops_stage2_begin(out, s, "blocks", params, buffers);
    sb_strbuf_printf(out, "  for %%w in 0 .. %%m / %s {\n", b);
}

/* The loop over the blocks of block row %w. */
static void
blocks(sb_strbuf *out, const char *mark)
{
    sb_strbuf_printf(out,
                     "for %%q in cast(i64, $A_ptr[%%w]) - %%base .. "
                     "cast(i64, $A_ptr[%%w + 1]) - %%base %s{\n",
                     mark);
}

/* Column %j and slot %s of element (row, %jj) of block %q. */
static void
element(sb_strbuf *out, const sb_spec *s, const char *b, const char *row)
{
    sb_strbuf_printf(out,
                     "let %%j = (cast(i64, $A_crd[%%q]) - %%base) * %s + %%jj\n"
                     "let %%s = %s * (%s * %s) + %s * %%block_row + %%jj * %%block_col\n",
                     b, s->packed ? "%q" : "cast(i64, $blocks_pos[%q])", b, b, row);
}

static void
product(sb_strbuf *out, const sb_spec *s, const extent *e)
{
    const bool mm = s->op == SB_KOP_SPMM;
    char c[80], row[32];

    (void)snprintf(row, sizeof row, "(%%g * %d + %%r)", e->rows);
    (void)snprintf(c, sizeof c, "$C[%%w * %s + %s%s]", e->b, row, mm ? ", %c" : "");
    sb_strbuf_printf(out, "for %%g in 0 .. %s / %d {\n", e->b, e->rows);
    sb_ops_columns(out, s, "");
    sb_strbuf_printf(out, "for %%r in 0 .. %d {\n%s = ", e->rows, c);
    sb_ops_init(out, s, c);
    sb_strbuf_putc(out, '\n');
    blocks(out, "reduce ");
    sb_strbuf_printf(out, "for %%jj in 0 .. %s reduce {\n", e->b);
    element(out, s, e->b, row);
    sb_strbuf_printf(out, "%s += ", c);
    sb_ops_term(out, s, "$A[%s]", mm ? "$B[%j, %c]" : "$B[%j]");
    sb_strbuf_puts(out, mm ? "\n}\n}\n}\n}\n}\n}\n}\n" : "\n}\n}\n}\n}\n}\n}\n");
}

static void
sampled(sb_strbuf *out, const sb_spec *s, const char *b)
{
    char x[64];

    (void)snprintf(x, sizeof x, "$X[%%w * %s + %%r, %%c]", b);
    blocks(out, "");
    sb_strbuf_printf(out, "for %%r in 0 .. %s {\nfor %%jj in 0 .. %s {\n", b, b);
    element(out, s, b, "%r");
    sb_strbuf_puts(out, "$A[%s] = ");
    sb_ops_init(out, s, "$A[%s]");
    sb_strbuf_puts(out, "\nfor %c in 0 .. %k reduce {\n$A[%s] += ");
    sb_ops_term(out, s, x, "$Y[%c, %j]");
    sb_strbuf_puts(out, "\n}\n}\n}\n}\n}\n}\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    const extent e = extent_of(s);

    head(out, s, e.b);
    if (s->op == SB_KOP_SDDMM)
        sampled(out, s, e.b);
    else
        product(out, s, &e);
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    if (s->op == SB_KOP_SDDMM)
        sb_schedule_samples(out, s, "%jj");
    else
        sb_schedule_blocks(out, s);
}

const sb_recipe sb_recipe_BLOCKS = {
    .name = "blocks",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV | 1U << SB_KOP_SDDMM,
    .program = program,
    .schedule = schedule,
};
