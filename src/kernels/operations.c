/*
 * The table of operations and the small text expander that fills in types, semiring and
 * element function. Operands are substituted into the caller's expressions as text and
 * the IR's parser judges the result; an expression cannot leave its parentheses, because
 * characters that could are refused.
 */
#include "kernels/operations.h"

#include <string.h>

typedef struct operation {
    const char *name, *text, *schedule;
} operation;

static const operation table[] = {
#define X(name, text, schedule) {#name, text, schedule},
#include "kernels/operations.def"
#undef X
};

enum { COUNT = (int)(sizeof table / sizeof table[0]) };

const char *
sb_operation_name(int index)
{
    return index < COUNT ? table[index].name : NULL;
}

static const operation *
find(const char *name)
{
    for (int q = 0; q < COUNT; q++)
        if (strcmp(table[q].name, name) == 0)
            return &table[q];
    return NULL;
}

const char *
sb_operation_schedule(const char *name)
{
    const operation *op = find(name);

    return op ? op->schedule : "";
}

/* ---- the semiring -------------------------------------------------------------------- */

typedef struct sum {
    const char *name, *store, *identity;
} sum;

static const sum *
find_sum(const char *name)
{
    static const sum sums[] = {
        {"+", "+=", "0.0"}, {"min", "min=", "inf"}, {"max", "max=", "-inf"}};

    for (int q = 0; q < 3; q++)
        if (strcmp(sums[q].name, name ? name : "+") == 0)
            return &sums[q];
    return NULL;
}

static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789_.:+-*/<>=!&|(), \n\t";

static sb_status
check_expr(const char *e, sb_diag *diag)
{
    const size_t good = e ? strspn(e, allowed) : 0;
    int depth = 0;

    if (!e)
        return SB_OK;
    if (e[good])
        return sb_diag_at(diag, SB_EINVAL, e, strlen(e), good,
                          "an expression over a and b has no '%c'", e[good]);
    for (const char *s = e; *s && depth >= 0; s++)
        depth += (*s == '(') - (*s == ')');
    if (depth != 0)
        return sb_diag_set(diag, SB_EINVAL, "parentheses of \"%s\" do not match", e);
    return SB_OK;
}

/* ---- expansion ----------------------------------------------------------------------- */

typedef struct span {
    const char *s;
    size_t len;
} span;

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.' || c == ':';
}

static void expand(sb_strbuf *out, span text, const sb_operation_args *args);

/* The caller's expression with operands for the words a and b. */
static void
put_expr(sb_strbuf *out, const char *e, span a, span b, const sb_operation_args *args)
{
    sb_strbuf_putc(out, '(');
    while (*e) {
        size_t n = 0;

        while (is_word(e[n]))
            n++;
        if (n == 1 && (*e == 'a' || *e == 'b'))
            expand(out, *e == 'a' ? a : b, args);
        else
            sb_strbuf_putn(out, e, n > 0 ? n : 1);
        e += n > 0 ? n : 1;
    }
    sb_strbuf_putc(out, ')');
}

/* "(x | y)" at s: both operands, and where the text goes on. */
static const char *
take_operands(const char *s, span *a, span *b)
{
    int depth = 0;

    a->s = s + 1;
    for (;; s++) {
        depth += (*s == '(') - (*s == ')');
        if (depth == 1 && *s == '|') {
            a->len = (size_t)(s - a->s);
            b->s = s + 1;
        }
        if (depth == 0)
            break;
    }
    b->len = (size_t)(s - b->s);
    while (a->len && a->s[a->len - 1] == ' ')
        a->len--;
    while (b->len && *b->s == ' ')
        b->s++, b->len--;
    return s + 1;
}

static bool
takes(const char **s, const char *key)
{
    const size_t n = strlen(key);

    if (strncmp(*s, key, n) != 0)
        return false;
    *s += n;
    return true;
}

/* One '?...' of a text; s is behind the mark. */
static const char *
put_key(sb_strbuf *out, const char *s, const sb_operation_args *args)
{
    const sum *add = find_sum(args->add);
    const char *e;
    span a = {0}, b = {0};

    if (takes(&s, "add")) {
        sb_strbuf_puts(out, add->store);
    } else if (takes(&s, "zero")) {
        sb_strbuf_printf(out, "%s:%s", add->identity, sb_dtype_name(args->value));
    } else if (takes(&s, "mul") || takes(&s, "map")) {
        e = s[-1] == 'l' ? args->mul : args->map;
        e = e ? e : s[-1] == 'l' ? "a * b" : "a";
        s = take_operands(s, &a, &b);
        put_expr(out, e, a, b, args);
    } else if ((*s >= '0' && *s <= '9') || *s == 'A') {
        sb_strbuf_printf(out, "?%c", *s++);
    } else {
        sb_strbuf_puts(out, sb_dtype_name(*s == 'T'   ? args->value
                                          : *s == 'P' ? args->ptr
                                                      : args->idx));
        s++;
    }
    return s;
}

static void
expand(sb_strbuf *out, span text, const sb_operation_args *args)
{
    const char *s = text.s, *end = text.s + text.len;

    while (s < end) {
        const char *mark = memchr(s, '?', (size_t)(end - s));

        sb_strbuf_putn(out, s, (size_t)((mark ? mark : end) - s));
        s = mark ? put_key(out, mark + 1, args) : end;
    }
}

static sb_status
check_args(const sb_operation_args *args, sb_diag *diag)
{
    if (!find_sum(args->add))
        return sb_diag_set(diag, SB_EINVAL, "the sum \"%s\" is none of +, min, max",
                           args->add);
    SB_TRY(check_expr(args->mul, diag));
    return check_expr(args->map, diag);
}

sb_status
sb_operation_expand(sb_strbuf *out, const char *text, const sb_operation_args *args,
                    sb_diag *diag)
{
    SB_TRY(check_args(args, diag));
    expand(out, (span){text, strlen(text)}, args);
    return sb_strbuf_status(out);
}

sb_status
sb_operation_text(sb_strbuf *out, const char *name, const sb_operation_args *args,
                  sb_diag *diag)
{
    const operation *op = find(name);

    if (!op)
        return sb_diag_set(diag, SB_EINVAL, "no operation \"%s\"", name);
    return sb_operation_expand(out, op->text, args, diag);
}

/* ---- hyb ------------------------------------------------------------------------------ */

void
sb_operation_hyb_rules(sb_strbuf *out, const sb_operation_args *args, const int *width,
                       int n)
{
    const char *p = sb_dtype_name(args->ptr), *i = sb_dtype_name(args->idx);

    for (int q = 0; q < n; q++) {
        const int w = width[q];

        sb_strbuf_printf(out, "rule hyb%d for $A as $hyb%d_val {\n", w, w);
        sb_strbuf_printf(out, "  param %%hyb%d : i64\n", w);
        sb_strbuf_printf(out, "  buf $hyb%d_ptr : %s[%%rel + 1] aux\n", w, p);
        sb_strbuf_printf(out, "  buf $hyb%d_row : %s[%%hyb%d] aux\n", w, i, w);
        sb_strbuf_printf(out, "  buf $hyb%d_crd : %s[%%hyb%d * %d] aux\n", w, i, w, w);
        sb_strbuf_printf(out, "  axis #R%d = dense_fixed(%%rel)\n", w);
        sb_strbuf_printf(out,
                         "  axis #I%d = sparse_variable(#R%d, %%m, nnz %%hyb%d, ptr "
                         "$hyb%d_ptr, crd $hyb%d_row)\n",
                         w, w, w, w, w);
        sb_strbuf_printf(out,
                         "  axis #J%d = sparse_fixed(#I%d, %%k, width %d, crd "
                         "$hyb%d_crd) padded\n",
                         w, w, w, w);
        sb_strbuf_puts(out, "  map (%r, %i, %j) -> (%r, %i, %j)\n"
                            "  inv (%r, %i, %j) -> (%r, %i, %j)\n");
        sb_strbuf_printf(out, "  axes #R -> #R%d ; #I -> #I%d ; #J -> #J%d\n}\n", w, w,
                         w);
    }
}
