/*
 * Text of random computations, declared in irrand.h.
 */
#include "irrand.h"

#include "gen.h"

#include <stdio.h>
#include <string.h>

enum { ITERS = 6 };

typedef struct iterator {
    char name[8];
    int axis;
    bool reduce;
} iterator;

typedef struct maker {
    ir_rand *r;
    gen_rng rng;
    int n; /* iterators, in order */
    iterator it[ITERS];
    int nchain, chain[4]; /* levels of A */
    bool wide;            /* A also has dimension #N, somewhere */
    char place[160];      /* of C */
    bool lists[2];        /* $gm, $gk are used */
} maker;

static int64_t
pick(maker *g, int64_t n)
{
    return gen_below(&g->rng, n);
}

static bool
chance(maker *g, int64_t of)
{
    return pick(g, of) == 0;
}

/* ---- axes and buffers ------------------------------------------------------------------------ */

static int
add_axis(maker *g, const char *name, const char *kind, int parent, const char *length)
{
    ir_rand_axis *x = &g->r->axis[g->r->naxis];

    (void)snprintf(x->name, sizeof x->name, "%s", name);
    (void)snprintf(x->length, sizeof x->length, "%s", length);
    x->kind = kind;
    x->parent = parent;
    if (strncmp(kind, "sparse", 6) == 0) {
        x->base = chance(g, 2);
        x->sorted = !chance(g, 4);
        x->unique = x->sorted && !chance(g, 4);
    }
    return g->r->naxis++;
}

/* The dense axis of that length, made when it is not there. */
static int
dense_axis(maker *g, const char *length, int64_t plus)
{
    char name[8];

    for (int q = 0; q < g->r->naxis; q++) {
        const ir_rand_axis *x = &g->r->axis[q];

        if (x->parent < 0 && strcmp(x->length, length) == 0 && x->plus == plus)
            return q;
    }
    (void)snprintf(name, sizeof name, "D%d", g->r->naxis);
    add_axis(g, name, "dense_fixed", -1, length);
    g->r->axis[g->r->naxis - 1].plus = plus;
    return g->r->naxis - 1;
}

static ir_rand_buf *
add_buf(maker *g, const char *name, bool written)
{
    ir_rand_buf *b = &g->r->buf[g->r->nbuf++];

    (void)snprintf(b->name, sizeof b->name, "%s", name);
    b->type = g->r->type;
    b->written = written;
    return b;
}

/* A's levels. */
static void
make_format(maker *g)
{
    const int64_t which = pick(g, 9);
    const int i = add_axis(g, "I", "dense_fixed", -1, "m");
    int *c = g->chain;

    g->nchain = 2;
    c[0] = i;
    if (which == 0 || which == 1) {
        c[1] = add_axis(g, "J", "sparse_variable", i, "k");
    } else if (which == 2 || which == 3) {
        c[1] = add_axis(g, "J", "sparse_fixed", i, "k");
        g->r->axis[c[1]].padded = which == 2;
        g->r->axis[c[1]].end = which == 3;
    } else if (which == 4) {
        c[1] = add_axis(g, "J", "dense_variable", i, "k");
    } else if (which == 5) {
        c[1] = add_axis(g, "J", "sparse_variable", i, "k");
        c[2] = add_axis(g, "L", chance(g, 2) ? "sparse_variable" : "sparse_fixed", c[1],
                        "l");
        g->nchain = 3;
    } else {
        c[0] = add_axis(g, "O", "dense_fixed", -1, "1");
        c[1] = add_axis(g, "R", which == 6 ? "sparse_variable" : "sparse_fixed", c[0],
                        "m");
        c[2] = add_axis(g, "J", which == 7 ? "sparse_fixed" : "sparse_variable", c[1],
                        "k");
        g->r->axis[c[2]].end = which == 8;
        g->nchain = 3;
    }
}

/* ---- the iteration --------------------------------------------------------------------------- */

static void
add_iterator(maker *g, int at, const char *name, int axis)
{
    memmove(&g->it[at + 1], &g->it[at], (size_t)(g->n - at) * sizeof *g->it);
    (void)snprintf(g->it[at].name, sizeof g->it[at].name, "%s", name);
    g->it[at].axis = axis;
    g->it[at].reduce = strcmp(g->r->axis[axis].length, "1") != 0 && chance(g, 2);
    g->n++;
}

static const char *
length_of(const maker *g, int it)
{
    return g->r->axis[g->it[it].axis].length;
}

/* Is a spatial axis below a reduced one? */
static bool
spatial_below_reduced(const maker *g)
{
    for (int q = 0; q < g->n; q++) {
        for (int r = 0; r < q; r++) {
            if (!g->it[q].reduce && g->it[r].reduce &&
                g->r->axis[g->it[q].axis].parent == g->it[r].axis)
                return true;
        }
    }
    return false;
}

static bool
has_reduction(const maker *g)
{
    bool any = false;

    for (int q = 0; q < g->n; q++)
        any = any || g->it[q].reduce;
    return any;
}

/* Text of an index at iterator `it` and the dense axis that has room for it. */
static int
random_index(maker *g, int it, char *out, size_t size)
{
    const char *len = length_of(g, it), *name = g->it[it].name;
    const int64_t how = pick(g, 8);
    const bool m = strcmp(len, "m") == 0, k = strcmp(len, "k") == 0;

    if (how == 0) {
        (void)snprintf(out, size, "%%%s + 1", name);
        return dense_axis(g, len, 1);
    }
    if (how == 1 && (m || k)) {
        g->lists[k] = true;
        (void)snprintf(out, size, "cast(i64, $g%s[%%%s])", len, name);
    } else {
        (void)snprintf(out, size, "%%%s", name);
    }
    return dense_axis(g, len, 0);
}

/* $name[..] over dense axes for the iterators of the mask, in order. */
static void
dense_access(maker *g, const char *name, unsigned mask, bool written, char *out,
             size_t size)
{
    ir_rand_buf *b = add_buf(g, name, written);
    char index[64];

    (void)snprintf(out, size, "$%s[", name);
    for (int q = 0; q < g->n && b->rank < 4; q++) {
        if (!(mask >> q & 1) || strcmp(length_of(g, q), "1") == 0)
            continue;
        b->axis[b->rank] = random_index(g, q, index, sizeof index);
        (void)strncat(out, b->rank++ ? ", " : "", size - strlen(out) - 1);
        (void)strncat(out, index, size - strlen(out) - 1);
    }
    if (b->rank == 0) {
        b->axis[b->rank++] = dense_axis(g, "1", 0);
        (void)strncat(out, "0", size - strlen(out) - 1);
    }
    (void)strncat(out, "]", size - strlen(out) - 1);
}

static void
sparse_access(maker *g, char *out, size_t size)
{
    ir_rand_buf *b = add_buf(g, "A", false);
    const int64_t wide = g->wide ? 1 + pick(g, g->nchain) : -1;

    (void)snprintf(out, size, "$A[");
    for (int d = 0; d <= g->nchain; d++) {
        int axis = d < g->nchain ? g->chain[d] : -1, q = 0;

        if (d == wide) {
            b->axis[b->rank] = dense_axis(g, "n", 0);
            (void)strncat(out, b->rank++ ? ", %c" : "%c", size - strlen(out) - 1);
        }
        while (axis >= 0 && g->it[q].axis != axis)
            q++;
        if (axis < 0)
            continue;
        b->axis[b->rank] = axis;
        (void)strncat(out, b->rank++ ? ", %" : "%", size - strlen(out) - 1);
        (void)strncat(out, g->it[q].name, size - strlen(out) - 1);
    }
    (void)strncat(out, "]", size - strlen(out) - 1);
}

/* $E[%i, %j]: a second sparse matrix, searched unless a schedule merges. */
static void
searched_access(maker *g, char *out, size_t size)
{
    const int i = dense_axis(g, "m", 0);
    const int j = add_axis(g, "JE", "sparse_variable", i, "k");
    ir_rand_buf *b = add_buf(g, "E", false);
    const char *row = NULL, *col = NULL;

    g->r->axis[j].sorted = g->r->axis[j].unique = true;
    b->rank = 2;
    b->axis[0] = i;
    b->axis[1] = j;
    for (int q = 0; q < g->n; q++) {
        row = strcmp(length_of(g, q), "m") == 0 ? g->it[q].name : row;
        col = strcmp(length_of(g, q), "k") == 0 ? g->it[q].name : col;
    }
    (void)snprintf(out, size, "$E[%%%s, %%%s]", row, col);
}

static void
random_value(maker *g, char *out, size_t size)
{
    char part[200];

    (void)snprintf(out, size, "%s", chance(g, 3) ? "%alpha * " : "");
    sparse_access(g, part, sizeof part);
    (void)strncat(out, part, size - strlen(out) - 1);
    for (int q = 0; q < 2; q++) {
        if (chance(g, 2 + q))
            continue;
        dense_access(g, q ? "Y" : "X", (unsigned)pick(g, 1 << g->n), false, part,
                     sizeof part);
        (void)strncat(out, chance(g, 6) ? " + " : " * ", size - strlen(out) - 1);
        (void)strncat(out, part, size - strlen(out) - 1);
    }
    if (chance(g, 3)) {
        searched_access(g, part, sizeof part);
        (void)strncat(out, chance(g, 6) ? " + " : " * ", size - strlen(out) - 1);
        (void)strncat(out, part, size - strlen(out) - 1);
    }
}

static const char *
zero_text(sb_dtype t)
{
    return t == SB_I32 ? "0:i32" : t == SB_I64 ? "0" : t == SB_F64 ? "0.0:f64" : "0.0";
}

/* The statements of the main iteration. */
static void
random_body(maker *g, sb_strbuf *out)
{
    static const char *const sums[] = {"+=", "+=", "+=", "+=", "min=", "max="};
    const bool sum = has_reduction(g) || !chance(g, 3);
    const char *op = !sum ? "=" : sums[pick(g, 6)];
    const bool guarded = chance(g, 6);
    char value[900];
    unsigned mask = 0;

    for (int q = 0; q < g->n; q++)
        mask |= g->it[q].reduce ? 0 : 1u << q;
    dense_access(g, "C", mask, true, g->place, sizeof g->place);
    random_value(g, value, sizeof value);
    if (!spatial_below_reduced(g) && chance(g, 2))
        sb_strbuf_printf(out, "    init %s = %s%s\n", g->place,
                         chance(g, 2) ? "%beta * " : "",
                         chance(g, 2) ? g->place : zero_text(g->r->type));
    if (guarded)
        sb_strbuf_printf(out, "    if %%%s mod 2 == 0 {\n", g->it[g->n - 1].name);
    sb_strbuf_printf(out, "    %s %s %s\n", g->place, op, value);
    if (guarded)
        sb_strbuf_puts(out, "    }\n");
}

static void
random_iteration(maker *g, sb_strbuf *out)
{
    static const char *const names[] = {"i", "j", "e"}, *const listed[] = {"o", "i",
                                                                           "j"};
    const bool list = strcmp(g->r->axis[g->chain[0]].length, "1") == 0;

    for (int q = 0; q < g->nchain; q++)
        add_iterator(g, g->n, list ? listed[q] : names[q], g->chain[q]);
    if (!chance(g, 3)) {
        add_iterator(g, (int)pick(g, g->n + 1), "c", dense_axis(g, "n", 0));
        g->wide = chance(g, 4);
    }
    sb_strbuf_puts(out, "  iter main (");
    for (int q = 0; q < g->n; q++)
        sb_strbuf_printf(out, "%s%%%s : %s #%s", q ? ", " : "", g->it[q].name,
                         g->it[q].reduce ? "R" : "S", g->r->axis[g->it[q].axis].name);
    sb_strbuf_puts(out, ") {\n");
    random_body(g, out);
    sb_strbuf_puts(out, "  }\n");
}

/* A second iteration over the rows, which may use the first's results. */
static void
second_iteration(maker *g, sb_strbuf *out)
{
    const ir_rand_buf *c = &g->r->buf[0];
    ir_rand_buf *y = add_buf(g, "Z", true);
    const int i = dense_axis(g, "m", 0);

    y->rank = 1;
    y->axis[0] = i;
    sb_strbuf_printf(
        out, "  iter post (%%u : S #%s) {\n    $Z[%%u] += ", g->r->axis[i].name);
    if (c->rank == 1 && c->axis[0] == i)
        sb_strbuf_puts(out, "$C[%u] * ");
    sb_strbuf_puts(out, "%beta\n  }\n");
}

/* Three dense axes of few constant trips: nests that intrinsics stand for. */
static void
dense_product(maker *g, sb_strbuf *out)
{
    static const char *const trips[] = {"2", "3", "4"}, *const axes[] = {"I", "C", "K"};
    static const int dims[3][2] = {{0, 1}, {0, 2}, {2, 1}};
    static const char *const bufs[] = {"C", "A", "B"};

    add_axis(g, "U", "dense_fixed", -1, "m");
    for (int q = 0; q < 3; q++)
        add_axis(g, axes[q], "dense_fixed", -1, trips[pick(g, 3)]);
    for (int q = 0; q < 3; q++) {
        ir_rand_buf *b = add_buf(g, bufs[q], q == 0);

        b->rank = 3;
        b->axis[0] = 0;
        b->axis[1] = 1 + dims[q][0];
        b->axis[2] = 1 + dims[q][1];
    }
    sb_strbuf_puts(out, "  iter main (%u : S #U, %i : S #I, %c : S #C, %r : R #K) {\n"
                        "    $C[%u, %i, %c] += $A[%u, %i, %r] * $B[%u, %r, %c]\n"
                        "  }\n");
}

/* ---- declarations ---------------------------------------------------------------------------- */

static void
put_axis(const ir_rand *r, const ir_rand_axis *x, sb_strbuf *out)
{
    const bool number = x->length[0] >= '0' && x->length[0] <= '9';
    const bool variable = strstr(x->kind, "variable") != NULL;
    const bool sparse = x->kind[0] == 's';

    sb_strbuf_printf(out, "  axis #%s = %s(", x->name, x->kind);
    if (x->parent >= 0)
        sb_strbuf_printf(out, "#%s, ", r->axis[x->parent].name);
    sb_strbuf_printf(out, "%s%s", number ? "" : "%", x->length);
    if (x->plus)
        sb_strbuf_printf(out, " + %d", (int)x->plus);
    if (variable)
        sb_strbuf_printf(out, ", nnz %%z%s, ptr $p%s", x->name, x->name);
    else if (x->parent >= 0)
        sb_strbuf_printf(out, ", width %%w%s", x->name);
    if (x->end)
        sb_strbuf_printf(out, ", end $e%s", x->name);
    if (sparse)
        sb_strbuf_printf(out, ", crd $c%s", x->name);
    sb_strbuf_printf(out, ")%s%s%s%s\n", x->base ? " base %base" : "",
                     x->sorted ? " sorted" : "", x->unique ? " unique" : "",
                     x->padded ? " padded" : "");
}

static const char *
type_text(sb_dtype t)
{
    return sb_dtype_name(t);
}

static void
put_lists(const ir_rand *r, const ir_rand_axis *x, sb_strbuf *out)
{
    const char *parent = x->parent >= 0 ? r->axis[x->parent].name : "";

    if (strstr(x->kind, "variable")) {
        sb_strbuf_printf(out, "  param %%z%s : i64\n", x->name);
        sb_strbuf_printf(out, "  buf $p%s : i32[%%s%s + 1] aux\n", x->name, parent);
    } else if (x->parent >= 0) {
        sb_strbuf_printf(out, "  param %%w%s : i64\n", x->name);
    }
    if (x->end)
        sb_strbuf_printf(out, "  buf $e%s : i32[%%s%s + 1] aux\n", x->name, parent);
    if (x->kind[0] == 's')
        sb_strbuf_printf(out, "  buf $c%s : i64[%%s%s] aux\n", x->name, x->name);
}

static void
put_declarations(const maker *g, sb_strbuf *out)
{
    const ir_rand *r = g->r;

    sb_strbuf_puts(out, "prog @random stage 1 {\n  param %m : i64\n  param %k : i64\n"
                        "  param %n : i64\n  param %l : i64\n  param %base : i64\n");
    sb_strbuf_printf(out, "  param %%alpha : %s\n  param %%beta : %s\n",
                     type_text(r->type), type_text(r->type));
    for (int q = 0; q < r->naxis; q++)
        sb_strbuf_printf(out, "  param %%s%s : i64\n", r->axis[q].name);
    for (int q = 0; q < r->naxis; q++)
        put_lists(r, &r->axis[q], out);
    for (int q = 0; q < 2; q++) {
        if (g->lists[q])
            sb_strbuf_printf(out, "  buf $g%s : i32[%%%s] aux\n", q ? "k" : "m",
                             q ? "k" : "m");
    }
    for (int q = 0; q < r->naxis; q++)
        put_axis(r, &r->axis[q], out);
    for (int q = 0; q < r->nbuf; q++) {
        const ir_rand_buf *b = &r->buf[q];

        sb_strbuf_printf(out, "  buf $%s : %s[", b->name, type_text(b->type));
        for (int d = 0; d < b->rank; d++)
            sb_strbuf_printf(out, "%s#%s", d ? ", " : "", r->axis[b->axis[d]].name);
        sb_strbuf_printf(out, "] %s\n", b->written ? "inout" : "in");
    }
}

void
ir_rand_make(ir_rand *r, uint64_t seed)
{
    static const sb_dtype types[] = {SB_F32, SB_F32, SB_F64, SB_I64, SB_I32};
    maker g = {.r = r, .rng = {seed}};
    sb_strbuf body;

    memset(r, 0, sizeof *r);
    sb_strbuf_init(&r->text);
    sb_strbuf_init(&body);
    r->type = types[pick(&g, 5)];
    if (chance(&g, 8)) {
        dense_product(&g, &body);
    } else {
        make_format(&g);
        random_iteration(&g, &body);
        if (chance(&g, 3))
            second_iteration(&g, &body);
    }
    put_declarations(&g, &r->text);
    sb_strbuf_printf(&r->text, "%s}\n", body.s);
    sb_strbuf_free(&body);
}

void
ir_rand_free(ir_rand *r)
{
    sb_strbuf_free(&r->text);
}
