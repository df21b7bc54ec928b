/*
 * The caller's block matrix where it lies: a load of a row of B serves the rows of a block
 * that are kept together, and a block has one column index; the blocks of A^T are found by
 * their positions. A block size in the spec (b2 and more) is unrolled, SpMV takes a line
 * of a block as one vector. b1 stands for any size and either order inside a block, known
 * at run time, one row after the other: no matrix needs a compiler. SDDMM computes element
 * by element.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/schedule.h"

#include <stdio.h>

/* Block size, rows kept together, and how far apart the elements of a block are. */
typedef struct extent {
    char b[16], row[16], col[16];
    int rows;
} extent;

/* A GPU's lanes may each hold all sums of a line: so many words of registers. */
enum { SUMS = 96 };

/* Whether an SpMV sums lines of a block as vectors. */
static bool
in_lines(const sb_spec *s)
{
    const int words = s->block * (int)sb_dtype_size(s->compute) / 4;

    return s->op == SB_KOP_SPMV && s->block > 1 && (s->lanes == 0 || words <= SUMS);
}

static int
rows_together(const sb_spec *s)
{
    const int words = s->block * (int)sb_dtype_size(s->compute) / 4;
    int rows = sb_schedule_group(s->block);

    while (in_lines(s) && s->lanes > 0 && (rows * words > SUMS || s->block % rows != 0))
        rows--;
    return rows;
}

static extent
extent_of(const sb_spec *s)
{
    extent e = {"%block_size", "%block_row", "%block_col", 1};

    if (s->block > 1) {
        (void)snprintf(e.b, sizeof e.b, "%d", s->block);
        (void)snprintf(e.row, sizeof e.row, "%d", s->turned ? 1 : s->block);
        (void)snprintf(e.col, sizeof e.col, "%d", s->turned ? s->block : 1);
        e.rows = rows_together(s);
    }
    return e;
}

static void
head(sb_strbuf *out, const sb_spec *s, const extent *e)
{
    static const char *const sizes[] = {"block_size", "block_row", "block_col", NULL};
    char ptr[48], blocks[64];
    const char *const buffers[] = {
        "A_ptr", "P",    ptr, "A_crd", "I", blocks, s->packed ? NULL : "blocks_pos",
        "P",     blocks, NULL};

    (void)snprintf(ptr, sizeof ptr, "%%m / %s + 1", e->b);
    (void)snprintf(blocks, sizeof blocks, "%%nnz / (%s * %s)", e->b, e->b);
    sb_ops_stage2_begin(out, s, "blocks", s->block > 1 ? sizes + 3 : sizes, buffers);
    sb_strbuf_printf(out, "  for %%w in 0 .. %%m / %s {\n", e->b);
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
element(sb_strbuf *out, const sb_spec *s, const extent *e, const char *row)
{
    sb_strbuf_printf(out,
                     "let %%j = (cast(i64, $A_crd[%%q]) - %%base) * %s + %%jj\n"
                     "let %%s = %s * (%s * %s) + %s * %s + %%jj * %s\n",
                     e->b, s->packed ? "%q" : "cast(i64, $blocks_pos[%q])", e->b, e->b,
                     row, e->row, e->col);
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
    element(out, s, e, row);
    sb_strbuf_printf(out, "%s += ", c);
    sb_ops_term(out, s, "$A[%s]", mm ? "$B[%j, %c]" : "$B[%j]");
    sb_strbuf_puts(out, mm ? "\n}\n}\n}\n}\n}\n}\n}\n" : "\n}\n}\n}\n}\n}\n}\n");
}

/* SpMV: a sum for each element of the rows kept together, in the order they are stored, so
 * that a line of a block is a vector; added up at the end of the block row. */
static void
lines(sb_strbuf *out, const sb_spec *s, const extent *e)
{
    const int count = e->rows * s->block, row = s->turned ? 1 : s->block;
    const int col = s->turned ? e->rows : 1;
    const char *type = sb_dtype_name(s->compute);
    char at[32], c[64];

    (void)snprintf(at, sizeof at, "(%%g * %d + %%r)", e->rows);
    (void)snprintf(c, sizeof c, "$C[%%w * %s + (%%g * %d + %%i)]", e->b, e->rows);
    sb_strbuf_printf(out, "for %%g in 0 .. %s / %d {\n", e->b, e->rows);
    sb_strbuf_printf(out, "local $sum : %s[%d]\n", type, count);
    sb_strbuf_printf(out, "for %%z in 0 .. %d {\n$sum[%%z] = ", count);
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, "\n}\n");
    blocks(out, "");
    sb_strbuf_printf(out, "for %s in 0 .. %d {\nfor %s in 0 .. %d {\n",
                     s->turned ? "%jj" : "%r", s->turned ? s->block : e->rows,
                     s->turned ? "%r" : "%jj", s->turned ? e->rows : s->block);
    element(out, s, e, at);
    sb_strbuf_printf(out, "$sum[%%r * %d + %%jj * %d] += ", row, col);
    sb_ops_product(out, s, "$A[%s]", "$B[%j]");
    sb_strbuf_printf(out, "\n}\n}\n}\nfor %%i in 0 .. %d {\nlet %%y = $sum[%%i * %d]",
                     e->rows, row);
    for (int q = 1; q < s->block; q++)
        sb_strbuf_printf(out, " + $sum[%%i * %d + %d]", row, q * col);
    sb_strbuf_printf(out, "\n%s = ", c);
    sb_ops_result(out, s, c, "%y");
    sb_strbuf_puts(out, "\n}\n}\n}\n}\n");
}

static void
sampled(sb_strbuf *out, const sb_spec *s, const extent *e)
{
    char x[64];

    (void)snprintf(x, sizeof x, "$X[%%w * %s + %%r, %%c]", e->b);
    blocks(out, "");
    sb_strbuf_printf(out, "for %%r in 0 .. %s {\nfor %%jj in 0 .. %s {\n", e->b, e->b);
    element(out, s, e, "%r");
    sb_strbuf_puts(out, "$A[%s] = ");
    sb_ops_init(out, s, "$A[%s]");
    sb_strbuf_puts(out, "\nfor %c in 0 .. ");
    sb_ops_depth(out, s);
    sb_strbuf_puts(out, " reduce {\n$A[%s] += ");
    sb_ops_term(out, s, x, "$Y[%c, %j]");
    sb_strbuf_puts(out, "\n}\n}\n}\n}\n}\n}\n");
}

static void
program(sb_strbuf *out, const sb_spec *s)
{
    const extent e = extent_of(s);

    head(out, s, &e);
    if (s->op == SB_KOP_SDDMM)
        sampled(out, s, &e);
    else if (in_lines(s))
        lines(out, s, &e);
    else
        product(out, s, &e);
}

static void
schedule(sb_strbuf *out, const sb_spec *s)
{
    if (s->op == SB_KOP_SDDMM) {
        sb_schedule_samples(out, s, "%jj");
    } else if (in_lines(s)) {
        sb_strbuf_printf(out, "vectorize %s\nvectorize %%z\n",
                         s->turned ? "%r" : "%jj");
        if (s->block <= 8 || s->lanes > 0) /* else sums by number: no registers */
            sb_strbuf_printf(out, "unroll %s\n", s->turned ? "%jj" : "%r");
    } else {
        sb_schedule_blocks(out, s);
    }
}

const sb_recipe sb_recipe_BLOCKS = {
    .name = "blocks",
    .ops = 1U << SB_KOP_SPMM | 1U << SB_KOP_SPMV | 1U << SB_KOP_SDDMM,
    .program = program,
    .schedule = schedule,
    .unit = {"%w", "%w", "%w"},
    .column = "%c0",
};
