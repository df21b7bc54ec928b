#include "named.h"

#include "cpu/cpu.h"
#include "kernels/lower.h"
#include "runtime/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
named_free(named *s)
{
    for (int q = 0; q < s->narray; q++)
        free(s->array[q].data);
    memset(s, 0, sizeof *s);
}

void
named_put(named *s, const char *name, int64_t value)
{
    named_int *i = &s->integer[s->nint++];

    assert_true(s->nint <= NAMED_MAX);
    (void)snprintf(i->name, sizeof i->name, "%s", name);
    i->value = value;
}

void *
named_new(named *s, const char *name, sb_dtype type, int64_t count)
{
    named_array *a = &s->array[s->narray++];

    assert_true(s->narray <= NAMED_MAX);
    (void)snprintf(a->name, sizeof a->name, "%s", name);
    a->type = type;
    a->count = count;
    a->data = calloc((size_t)count + 1, sb_dtype_size(type));
    assert_non_null(a->data);
    return a->data;
}

void *
named_values(named *s, const char *name, sb_dtype type, int64_t count,
             const double *values)
{
    void *data = named_new(s, name, type, count);

    for (int64_t q = 0; q < count; q++)
        sb_value_store(type, data, q, (sb_value){values[q], 0});
    return data;
}

const named_array *
named_find(const named *s, const char *name)
{
    for (int q = 0; q < s->narray; q++)
        if (strcmp(s->array[q].name, name) == 0)
            return &s->array[q];
    return NULL;
}

double
named_get(const named *s, const char *name, int64_t at)
{
    const named_array *a = named_find(s, name);

    assert_non_null(a);
    assert_true(at >= 0 && at < a->count);
    return sb_value_load(a->type, a->data, at).re;
}

void
named_poison(named *s, const char *name)
{
    const named_array *a = named_find(s, name);
    const sb_value bad = {sb_dtype_is_int(a->type) ? -1 : NAN, 0};

    for (int64_t q = 0; q < a->count; q++)
        sb_value_store(a->type, a->data, q, bad);
}

static int64_t
integer(const named *s, const sb_prog *p, const char *name)
{
    for (int q = 0; q < s->nint; q++)
        if (strcmp(s->integer[q].name, name) == 0)
            return s->integer[q].value;
    fail_msg("@%s: nothing is named %%%s", p->name, name);
    return 0;
}

static const named_array *
array(const named *s, const sb_prog *p, const char *name)
{
    const named_array *a = named_find(s, name);

    if (!a)
        fail_msg("@%s: nothing is named $%s", p->name, name);
    return a;
}

void
named_interpret(const named *s, const sb_prog *p)
{
    sb_value param[NAMED_MAX];
    sb_arg buf[NAMED_MAX];
    const sb_interp_args args = {param, buf};
    sb_diag diag = {SB_OK, ""};
    sb_strbuf text;

    assert_true(p->nparam <= NAMED_MAX && p->nbuf <= NAMED_MAX);
    for (int q = 0; q < p->nparam; q++)
        param[q] = (sb_value){(double)integer(s, p, p->param[q]->name), 0};
    for (int q = 0; q < p->nbuf; q++) {
        const named_array *a = array(s, p, p->buf[q]->name);

        assert_int_equal(a->type, p->buf[q]->type);
        buf[q] = (sb_arg){a->data, a->count};
    }
    if (sb_interp(p, &args, &diag) == SB_OK)
        return;
    sb_strbuf_init(&text);
    (void)sb_prog_print(&text, p);
    print_error("%s\n", text.s);
    sb_strbuf_free(&text);
    fail_msg("%s", diag.text);
}

static sb_status
make(sb_kernel_source *out, const char *spec, const void *user)
{
    sb_strbuf body;
    sb_status st;

    sb_strbuf_init(&body);
    st = sb_lower_emit(&body, &out->signature, &out->key, user, spec);
    sb_strbuf_puts(&out->text, sb_emit_prelude());
    sb_strbuf_puts(&out->text, body.s);
    sb_strbuf_free(&body);
    return st;
}

bool
named_compile_run(const named *s, const sb_prog *p)
{
    const sb_kernel_maker maker = {make, p};
    const sb_kernel *k = NULL;
    sb_param param[NAMED_MAX];
    void *buf[NAMED_MAX];
    char spec[SB_SPEC_MAX], hex[33];
    sb_hash h;

    sb_backend_set(&sb_cpu_backend);
    assert_int_equal(sb_prog_hash(&h, p), SB_OK);
    sb_hash_text(h, hex);
    (void)snprintf(spec, sizeof spec, "test %s %s", p->name, hex);
    if (sb_kernel_get(&k, spec, maker, SB_KERNEL_COMPILE) != SB_OK)
        return false;
    for (int q = 0; q < p->nparam; q++)
        param[q].i = integer(s, p, p->param[q]->name);
    for (int q = 0; q < p->nbuf; q++)
        buf[q] = array(s, p, p->buf[q]->name)->data;
    k->fn(buf, param, 0, 0);
    return true;
}
