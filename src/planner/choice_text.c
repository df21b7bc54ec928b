/*
 * Plan text: a fixed two-level s-expression, read by hand in one pass. Everything the
 * reader refuses it points at with a caret.
 */
#include "planner/choice.h"

#include <string.h>

static const char *const op_names[] = {
    [SB_OP_SPMM] = "spmm", [SB_OP_SPMV] = "spmv", [SB_OP_SDDMM] = "sddmm"};

enum {
    MAX_TILE = 1024,
    MAX_PREFETCH = 64,
    MAX_UNROLL = 256,
    MAX_SLAB = 4096,
    MAX_BLOCK = 64,
    MAX_K = 30,
    MAX_PANEL = 1 << 20
};

typedef struct reader {
    const char *text;
    size_t len, at;
    size_t word; /* where the last word began */
    sb_diag *diag;
} reader;

const sb_part_choice *
sb_choice_rest(const sb_choice *ch)
{
    return ch->npart > 0 ? &ch->part[ch->npart - 1] : NULL;
}

bool
sb_part_selects(sb_part_kind k)
{
    return k == SB_PART_BSR || k == SB_PART_WIN || k == SB_PART_SHARE ||
           k == SB_PART_DIA;
}

static void
print_part(sb_strbuf *out, const sb_part_choice *p)
{
    sb_strbuf_printf(out, " (part %s", sb_part_names[p->kind]);
    if (p->kind == SB_PART_ROWS && p->k < 0)
        sb_strbuf_printf(out, " flat %d", p->c);
    else if (p->kind == SB_PART_ROWS)
        sb_strbuf_printf(out, " hyb %d %d", p->c, p->k);
    else if (p->kind == SB_PART_ELL)
        sb_strbuf_printf(out, " %d", p->k);
    else if (sb_part_selects(p->kind) || p->kind == SB_PART_PANEL ||
             p->kind == SB_PART_MASK)
        sb_strbuf_printf(out, p->k > 0 ? " %d order" : " %d", p->size);
    else if (p->kind == SB_PART_UBCSR)
        sb_strbuf_printf(out, " %d %d", p->size, p->c);
    else if (p->kind == SB_PART_PICK && p->k > 0)
        sb_strbuf_puts(out, " order");
    sb_strbuf_putc(out, ')');
}

void
sb_choice_print(sb_strbuf *out, const sb_choice *ch)
{
    sb_strbuf_printf(out, "(plan %s", op_names[ch->op]);
    for (int q = 0; q < ch->npart; q++)
        print_part(out, &ch->part[q]);
    if (ch->npart == 0)
        sb_strbuf_puts(out, " (reference)");
    else if (ch->tile > 0)
        sb_strbuf_printf(out, " (tile %d)", ch->tile);
    if (ch->prefetch > 0)
        sb_strbuf_printf(out, " (prefetch %d)", ch->prefetch);
    if (ch->last > 0)
        sb_strbuf_printf(out, " (last %d)", ch->last);
    if (ch->unroll > 1)
        sb_strbuf_printf(out, " (unroll %d)", ch->unroll);
    if (ch->packed)
        sb_strbuf_puts(out, " (packed)");
    if (ch->stream)
        sb_strbuf_puts(out, " (stream)");
    if (ch->slab > 0)
        sb_strbuf_printf(out, " (slab %d)", ch->slab);
    sb_strbuf_putc(out, ')');
}

static bool
part_equal(const sb_part_choice *x, const sb_part_choice *y)
{
    return x->kind == y->kind && x->c == y->c && x->k == y->k && x->size == y->size;
}

bool
sb_choice_equal(const sb_choice *x, const sb_choice *y)
{
    bool same = x->op == y->op && x->npart == y->npart && x->tile == y->tile &&
                x->prefetch == y->prefetch && x->last == y->last &&
                x->unroll == y->unroll && x->packed == y->packed &&
                x->stream == y->stream && x->slab == y->slab;

    for (int q = 0; same && q < x->npart; q++)
        same = part_equal(&x->part[q], &y->part[q]);
    return same;
}

/* ---- reading ------------------------------------------------------------------- */

static sb_status
refuse(reader *rd, size_t at, const char *what)
{
    return sb_diag_at(rd->diag, SB_EPARSE, rd->text, rd->len, at, "%s", what);
}

static void
skip_space(reader *rd)
{
    while (rd->at < rd->len) {
        const char c = rd->text[rd->at];

        if (c == ';')
            while (rd->at < rd->len && rd->text[rd->at] != '\n')
                rd->at++;
        else if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
            rd->at++;
        else
            return;
    }
}

static bool
see(reader *rd, char c)
{
    skip_space(rd);
    return rd->at < rd->len && rd->text[rd->at] == c;
}

static sb_status
expect(reader *rd, char c)
{
    char what[] = "expected ' '";

    if (see(rd, c)) {
        rd->at++;
        return SB_OK;
    }
    what[10] = c;
    return refuse(rd, rd->at, what);
}

static bool
word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* The next word; empty when there is none. */
static size_t
word(reader *rd)
{
    skip_space(rd);
    rd->word = rd->at;
    while (rd->at < rd->len && word_char(rd->text[rd->at]))
        rd->at++;
    return rd->at - rd->word;
}

/* Index of the next word in names, -1 when it is none of them. */
static int
one_of(reader *rd, const char *const *names, int n)
{
    const size_t len = word(rd);

    for (int q = 0; q < n; q++)
        if (strlen(names[q]) == len && memcmp(names[q], rd->text + rd->word, len) == 0)
            return q;
    return -1;
}

static sb_status
number(reader *rd, int lo, int hi, const char *what, int *out)
{
    const size_t len = word(rd);
    int64_t v = 0;

    if (len == 0 || len > 9)
        return refuse(rd, rd->word, what);
    for (size_t q = 0; q < len; q++) {
        const char c = rd->text[rd->word + q];

        if (c < '0' || c > '9')
            return refuse(rd, rd->word, what);
        v = v * 10 + (c - '0');
    }
    if (v < lo || v > hi)
        return refuse(rd, rd->word, what);
    *out = (int)v;
    return SB_OK;
}

/* Whether a part of this kind may follow what is there. */
static sb_status
part_order(reader *rd, const sb_choice *ch, sb_part_kind kind)
{
    if (ch->npart > 0 && !sb_part_selects(ch->part[ch->npart - 1].kind))
        return refuse(rd, rd->word, "the part before this one already takes the rest");
    if (ch->npart > 0 && kind != SB_PART_ROWS && kind != SB_PART_ELL &&
        kind != SB_PART_COO && kind != SB_PART_PICK && !sb_part_selects(kind))
        return refuse(
            rd, rd->word,
            "only rows, ell, pick and coo take a rest; the others stand alone");
    if (ch->npart + sb_part_selects(kind) == SB_CHOICE_PARTS)
        return refuse(rd, rd->word, "three parts may select; then comes the rest");
    return SB_OK;
}

static sb_status
read_part(reader *rd, sb_choice *ch)
{
    static const char *const order[] = {"hyb", "flat"}, *const sorted[] = {"order"};
    const int kind = one_of(rd, sb_part_names, SB_PART_COUNT);
    sb_part_choice p = {.kind = (sb_part_kind)kind};

    if (kind < 0)
        return refuse(rd, rd->word,
                      "expected csr, rows, ell, bsr, dia, coo, win, seg, sell, panel, "
                      "mask, blocks, list, share, hdia, pick, prod, alike or ubcsr");
    SB_TRY(part_order(rd, ch, p.kind));
    if (p.kind == SB_PART_ROWS) {
        const int q = one_of(rd, order, 2);

        if (q < 0)
            return refuse(rd, rd->word, "expected hyb or flat");
        p.k = -q;
        SB_TRY(number(rd, 1, SB_PART_MAXC, "expected partitions, 1 to 16", &p.c));
    }
    if ((p.kind == SB_PART_ROWS && p.k == 0) || p.kind == SB_PART_ELL)
        SB_TRY(number(rd, 0, MAX_K, "expected log2 of a row length, 0 to 30", &p.k));
    if (p.kind == SB_PART_BSR)
        SB_TRY(number(rd, 2, MAX_BLOCK, "expected a block size, 2 to 64", &p.size));
    if (p.kind == SB_PART_WIN || p.kind == SB_PART_SHARE)
        SB_TRY(number(rd, 2, 8, "expected rows of a window, 2 to 8", &p.size));
    if ((p.kind == SB_PART_PICK || p.kind == SB_PART_WIN) && !see(rd, ')')) {
        if (one_of(rd, sorted, 1) != 0)
            return refuse(rd, rd->word, "expected order, or the end of the part");
        p.k = 1;
    }
    if (p.kind == SB_PART_MASK)
        SB_TRY(number(rd, 1, 8, "expected rows of a window, 1 to 8", &p.size));
    if (p.kind == SB_PART_UBCSR) {
        SB_TRY(
            number(rd, 1, SB_UBCSR_ROWS, "expected rows of a block, 1 to 4", &p.size));
        SB_TRY(number(rd, 4, 8, "expected columns of a block, 4 or 8", &p.c));
        if (p.c != 4 && p.c != 8)
            return refuse(rd, rd->word, "expected columns of a block, 4 or 8");
    }
    if (p.kind == SB_PART_DIA)
        SB_TRY(number(rd, 1, 100, "expected percent of a diagonal, 1 to 100", &p.size));
    if (p.kind == SB_PART_PANEL)
        SB_TRY(number(rd, 1, MAX_PANEL, "expected columns of a panel, 1 to 1048576",
                      &p.size));
    ch->part[ch->npart++] = p;
    return SB_OK;
}

enum { PART, TILE, PREFETCH, LAST, UNROLL, PACKED, STREAM, SLAB, REFERENCE, CLAUSES };

static sb_status
read_clause(reader *rd, sb_choice *ch, unsigned *seen)
{
    static const char *const names[CLAUSES] = {"part",   "tile",   "prefetch",
                                               "last",   "unroll", "packed",
                                               "stream", "slab",   "reference"};
    const int q = one_of(rd, names, CLAUSES);

    if (q < 0)
        return refuse(rd, rd->word,
                      "expected part, tile, prefetch, last, unroll, packed, stream, "
                      "slab or reference");
    if (q != PART && (*seen >> q & 1))
        return refuse(rd, rd->word, "said twice");
    if (*seen && ((q == REFERENCE) || (*seen >> REFERENCE & 1)))
        return refuse(rd, rd->word, "reference stands alone");
    *seen |= 1u << q;
    switch (q) {
    case PART:
        return read_part(rd, ch);
    case TILE:
        return number(rd, 1, MAX_TILE, "expected columns, 1 to 1024", &ch->tile);
    case PREFETCH:
        return number(rd, 0, MAX_PREFETCH, "expected rows ahead, 0 to 64",
                      &ch->prefetch);
    case LAST:
        return number(rd, 0, MAX_PREFETCH, "expected rows ahead, 0 to 64", &ch->last);
    case UNROLL:
        SB_TRY(number(rd, 1, MAX_UNROLL, "expected entries at a time, 1 to 256",
                      &ch->unroll));
        return ch->unroll & (ch->unroll - 1)
                   ? refuse(rd, rd->word, "expected a power of two")
                   : SB_OK;
    case PACKED:
        ch->packed = true;
        return SB_OK;
    case STREAM:
        ch->stream = true;
        return SB_OK;
    case SLAB:
        return number(rd, 1, MAX_SLAB, "expected columns, 1 to 4096", &ch->slab);
    default:
        return SB_OK;
    }
}

static sb_status
read_plan(reader *rd, sb_choice *ch)
{
    static const char *const plan[] = {"plan"};
    unsigned seen = 0;
    int op;

    SB_TRY(expect(rd, '('));
    if (one_of(rd, plan, 1) != 0)
        return refuse(rd, rd->word, "expected plan");
    if ((op = one_of(rd, op_names, SB_COUNT(op_names))) < 0)
        return refuse(rd, rd->word, "expected spmm, spmv or sddmm");
    ch->op = (sb_op)op;
    while (!see(rd, ')')) {
        SB_TRY(expect(rd, '('));
        SB_TRY(read_clause(rd, ch, &seen));
        SB_TRY(expect(rd, ')'));
    }
    if (!(seen >> REFERENCE & 1) &&
        (ch->npart == 0 || sb_part_selects(ch->part[ch->npart - 1].kind)))
        return refuse(rd, rd->at, "no part takes the rest: csr, rows, ell or coo");
    SB_TRY(expect(rd, ')'));
    skip_space(rd);
    return rd->at == rd->len ? SB_OK : refuse(rd, rd->at, "text after the plan");
}

sb_status
sb_choice_parse(sb_choice *out, const char *text, size_t len, sb_diag *diag)
{
    reader rd = {text, len, 0, 0, diag};

    memset(out, 0, sizeof *out);
    SB_TRY(read_plan(&rd, out));
    return SB_OK;
}
