/*
 * See operands.h.
 */
#include "operands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t seed = 1;

int
sb_draw(int n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (uint32_t)n);
}

static size_t
bytes_of(const sb_prog *p, int q, const sb_operands *o)
{
    return (size_t)(o->count[q] + 2 * SB_GUARD) * sb_dtype_size(p->buf[q]->type);
}

void
sb_operands_fill(const sb_prog *p, sb_operands *o)
{
    for (int q = 0; q < p->nbuf; q++) {
        const sb_dtype t = p->buf[q]->type;

        o->data[q] = malloc(bytes_of(p, q, o));
        assert_non_null(o->data[q]);
        for (int64_t i = 0; i < o->count[q] + 2 * SB_GUARD; i++) {
            const double im = sb_dtype_is_complex(t) ? sb_draw(5) - 2 : 0;

            sb_value_store(t, o->data[q], i, (sb_value){sb_draw(7) - 3, im});
        }
    }
}

static char *
element(const sb_prog *p, const sb_operands *o, int q, int64_t i)
{
    return o->data[q] + (size_t)(SB_GUARD + i) * sb_dtype_size(p->buf[q]->type);
}

void
sb_operands_set(const sb_prog *p, const sb_operands *o, int q, int64_t i, int64_t v)
{
    sb_value_store(p->buf[q]->type, element(p, o, q, i), 0, (sb_value){(double)v, 0});
}

static void
pack(const sb_prog *p, const sb_operands *o, sb_param *out)
{
    for (int q = 0; q < p->nparam; q++) {
        out[q].i = 0;
        if (sb_dtype_is_int(p->param[q]->type))
            out[q].i = (int64_t)o->param[q].re;
        else
            sb_value_store(p->param[q]->type, &out[q], 0, o->param[q]);
    }
}

void
sb_operands_compare(const char *name, const sb_prog *p, sb_operands *o, sb_kernel_fn fn)
{
    char *copy[SB_OPERAND_BUFS];
    void *buf[SB_OPERAND_BUFS];
    sb_arg arg[SB_OPERAND_BUFS];
    sb_param param[SB_OPERAND_PARAMS];
    const sb_interp_args args = {o->param, arg};
    sb_diag diag = {SB_OK, ""};
    const int n = p->nparam;

    for (int q = 0; q < p->nbuf; q++) {
        copy[q] = malloc(bytes_of(p, q, o));
        assert_non_null(copy[q]);
        memcpy(copy[q], o->data[q], bytes_of(p, q, o));
        buf[q] = copy[q] + SB_GUARD * sb_dtype_size(p->buf[q]->type);
        arg[q] = (sb_arg){element(p, o, q, 0), o->count[q]};
    }
    pack(p, o, param);
    if (sb_interp(p, &args, &diag) != SB_OK)
        fail_msg("%s: %s", name, diag.text);
    fn(buf, param, (int64_t)o->param[n - 2].re, (int64_t)o->param[n - 1].re);
    for (int q = 0; q < p->nbuf; q++) {
        for (size_t i = 0; i < bytes_of(p, q, o); i++)
            if (copy[q][i] != o->data[q][i])
                fail_msg("%s: $%s differs at element %ld", name, p->buf[q]->name,
                         (long)(i / sb_dtype_size(p->buf[q]->type)) - SB_GUARD);
        free(copy[q]);
        free(o->data[q]);
    }
}
