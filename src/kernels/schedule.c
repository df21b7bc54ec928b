/*
 * SpMM keeps one register tile of C per row; SpMV and SDDMM split their reduction into
 * lanes that are summed in a fixed order. Measurements: docs/measured/README.md.
 */
#include "kernels/schedule.h"

#include "kernels/recipe.h"

/* Rows of A in place, of B side by side. */
static bool
plain_rows(const sb_spec *s)
{
    return s->op == SB_KOP_SPMM && s->kinds == 1U << SB_KIND_CSR && s->lanes == 0 &&
           s->prefetch == 0 && !s->b_col && !s->c_col;
}

bool
sb_schedule_asks_last(const sb_spec *s)
{
    return plain_rows(s) && (size_t)s->tile * sb_dtype_size(s->b) >= 256;
}

bool
sb_schedule_asks_list(const sb_spec *s)
{
    return plain_rows(s) && s->exact && (size_t)s->tile * sb_dtype_size(s->b) <= 64;
}

void
sb_schedule_memory(sb_strbuf *out, const sb_spec *s, const char *loop)
{
    if (s->prefetch > 0 && loop)
        sb_strbuf_printf(out, "prefetch $B at %s ahead %d%s\n", loop, s->prefetch,
                         s->prefetch >= SB_SPEC_FAR ? " far" : "");
    if (s->stream)
        sb_strbuf_puts(out, "stream $C\n");
}

/* Few vectors of sums would wait for each other's additions: then each entry taken
 * together has its own. */
static bool
sums_apart(const sb_spec *s)
{
    return (size_t)s->tile * sb_dtype_size(s->compute) <= 128;
}

/* Whether a GPU has enough under way with these: its compiler's own unrolling would cost
 * registers only. */
static bool
sated(const sb_spec *s)
{
    return s->lanes > 0 && (size_t)s->vec * sb_dtype_size(s->b) >= 16;
}

void
sb_schedule_unroll(sb_strbuf *out, const sb_spec *s, const char *loop)
{
    const bool apart = sums_apart(s);
    /* what only calls take so many of goes by fours */
    const int unroll = s->unroll > SB_SPEC_FEW ? 4 : s->unroll;

    if (unroll <= 1 || s->unroll == SB_SPEC_FOURS) /* a call, or one at a time */
        return;
    if (apart)
        sb_strbuf_printf(out, "rfactor %s %d -> %%v as $part\n", loop, unroll);
    else
        sb_strbuf_printf(out, "split %s %d -> %s0 %%v tail\n", loop, unroll, loop);
    if (sated(s))
        sb_strbuf_printf(out, "annotate %s%s together 1\n", loop, apart ? "" : "0");
    if (s->lanes > 0 && apart && s->vec * s->unroll >= 32) /* sums leave no registers */
        sb_strbuf_printf(out, "annotate %s tested 1\n", loop);
}

void
sb_schedule_jam(sb_strbuf *out, const sb_spec *s)
{
    if (s->unroll <= 1 || s->unroll == SB_SPEC_FOURS)
        return;
    sb_strbuf_puts(out, "jam %v\n");
    if (sated(s) && !sums_apart(s)) /* what is left: remainders */
        sb_strbuf_puts(out, "annotate %v together 1\n");
}

/* Whether entries are taken together by a call of spblas_few.h or spblas_fours.h: values lie where their columns
 * do, and a row of B is 16 or 32 bytes (64 as well but of `few`, 128 of `halves`; of
 * `slim` these alone; of `fours` any), of the type that sums them. */
static bool
few(const sb_spec *s, const sb_row_loops *l)
{
    const size_t row = (size_t)s->tile * sb_dtype_size(s->compute);
    const bool slim = s->unroll == SB_SPEC_SLIM, any = s->unroll == SB_SPEC_FOURS;
    const bool halves = s->unroll == SB_SPEC_HALVES || slim || any;
    const bool join =
        s->unroll == SB_SPEC_JOIN || halves || s->unroll == SB_SPEC_EIGHTS;

    return l->beside && s->lanes == 0 && (join || s->unroll == SB_SPEC_FEW) &&
           s->prefetch == 0 && s->a == s->compute && s->b == s->compute &&
           (s->compute == SB_F32 || s->compute == SB_F64) &&
           (((row == 16 || row == 32) && !slim) || (join && row == 64) ||
            (halves && row == 128) || any);
}

static void
rows_spmm(sb_strbuf *out, const sb_spec *s, const sb_row_loops *l)
{
    sb_strbuf_printf(out, "sparse_reorder %s %s\n", l->iter, l->order);
    sb_strbuf_printf(out, "split %%c %d -> %%c0 %%c1 tail\n", s->tile);
    sb_strbuf_puts(out, "cache_write $C at %c0 as $acc\n");
    sb_strbuf_printf(out, "reorder %s %%c1\n", l->slot);
    if (sb_schedule_asks_last(s))
        sb_strbuf_printf(out, "prefetch_last $B at %s of %s ahead %%last\n", l->slot,
                         l->row);
    if (sb_schedule_asks_list(s))
        sb_strbuf_printf(out,
                         "prefetch_list $A at %s ahead %%ahead\n"
                         "prefetch_list $A_crd at %s ahead %%ahead\n",
                         l->slot, l->slot);
    sb_schedule_memory(out, s, l->slot);
    if (!few(s, l))
        sb_schedule_unroll(out, s, l->slot);
    sb_strbuf_puts(out, "vectorize %c1\n");
    if (few(s, l))
        sb_strbuf_printf(out, "annotate %s few %d\n", l->slot, s->unroll);
    else
        sb_schedule_jam(out, s);
}

static void
rows_reduce(sb_strbuf *out, const sb_spec *s, const char *write, const char *at,
            const char *over)
{
    sb_strbuf_printf(out, "cache_write $%s at %s as $acc\n", write, at);
    if (s->tile == 1)
        return;
    sb_strbuf_printf(out, "rfactor %s %d -> %%l as $part\n", over, s->tile);
    sb_strbuf_puts(out, "vectorize %l\n");
}

void
sb_schedule_samples(sb_strbuf *out, const sb_spec *s, const char *at)
{
    rows_reduce(out, s, "A", at, "%c");
}

void
sb_schedule_rows(sb_strbuf *out, const sb_spec *s, const sb_row_loops *l)
{
    switch (s->op) {
    case SB_KOP_SPMM:
        rows_spmm(out, s, l);
        break;
    case SB_KOP_SPMV:
        rows_reduce(out, s, "C", l->row, l->slot);
        break;
    case SB_KOP_SDDMM:
        sb_schedule_samples(out, s, l->slot);
        break;
    }
}

int
sb_schedule_group(int block)
{
    static const int fit[] = {8, 4, 3, 2};

    if (block <= 8)
        return block;
    for (size_t i = 0; i < sizeof fit / sizeof *fit; i++)
        if (block % fit[i] == 0)
            return fit[i];
    return 1;
}

void
sb_schedule_blocks(sb_strbuf *out, const sb_spec *s)
{
    if (s->op == SB_KOP_SPMM) {
        sb_strbuf_printf(out, "split %%c %d -> %%c0 %%c1 tail\n", s->tile);
        sb_strbuf_puts(out, "reorder %r %c1\n"
                            "cache_write $C at %c0 as $acc\n"
                            "reorder %q %jj %r %c1\n"
                            "vectorize %c1\n");
        sb_schedule_memory(out, s, "%q");
    } else {
        sb_strbuf_puts(out, "cache_write $C at %g as $acc\nreorder %q %jj %r\n");
    }
    sb_strbuf_puts(out, "unroll %r\n");
    if (s->block == 1) /* of a size that is not known: rows apart, but not provably */
        return;
    if (s->block <= 3)
        sb_strbuf_puts(out, "unroll %jj\n");
    sb_strbuf_puts(out, "parallel %w\n");
}

/* Threads of a multiprocessor where the registers of 512 would not do: for the sums of several
 * rows, for eight columns a lane, for ranges, which hold each loop twice, of 64-bit indices, and
 * for sums of two halves of f32; else 0. */
static int
fewer_threads(const sb_spec *s)
{
    if (s->block > 1 && !s->mma)
        return 256;
    if (s->vec >= 8 ||
        (s->vec > 1 && s->kinds & 1U << SB_KIND_RANGE && s->idx == SB_I64) ||
        (s->vec > 1 && s->mma == SB_MMA_TF32X3))
        return 384;
    return 0;
}

void
sb_schedule_gpu(sb_strbuf *out, const sb_spec *s, const char *unit, bool ordered,
                const char *column)
{
    const int fewer = fewer_threads(s);

    sb_strbuf_printf(out, "annotate %s threads %d\n", unit, SB_SPEC_THREADS);
    sb_strbuf_printf(out, "annotate %s lanes %d\n", unit, s->lanes);
    if (s->vec > 1)
        sb_strbuf_printf(out, "annotate %s vec %d\n", unit, s->vec);
    if (fewer > 0)
        sb_strbuf_printf(out, "annotate %s resident %d\n", unit, fewer);
    if (!ordered)
        sb_strbuf_printf(out, "annotate %s bind thread_y\n", unit);
    if (column && s->op == SB_KOP_SPMM && !s->exact)
        sb_strbuf_printf(out, "annotate %s bind block_y\n", column);
}
