/*
 * Formats as public objects: text in, canonical text and arrays out.
 */
#include "api/format.h"

#include "api/error.h"
#include "base/alloc.h"

static spblasStatus_t
usable(const char *function, spblasConstFormatDescr_t f, bool outputs)
{
    if (!sb_is_format(f))
        return sb_api_fail(function, SB_EINVAL,
                           "argument formatDescr must be a live format");
    if (!outputs)
        return sb_api_fail(function, SB_EINVAL, "no output argument may be NULL");
    return SPBLAS_STATUS_SUCCESS;
}

struct spblasFormatDescr *
sb_format_hold(spblasConstFormatDescr_t f)
{
    struct spblasFormatDescr *mine = (struct spblasFormatDescr *)(uintptr_t)f;

    atomic_fetch_add_explicit(&mine->holders, 1, memory_order_relaxed);
    return mine;
}

void
sb_format_unhold(struct spblasFormatDescr *f)
{
    if (!f || atomic_fetch_sub_explicit(&f->holders, 1, memory_order_acq_rel) > 1)
        return;
    sb_arena_free(&f->arena);
    sb_free(f);
}

spblasStatus_t
spblasCreateFormat(spblasFormatDescr_t *formatDescr, const char *text)
{
    sb_diag diag = {0};
    spblasFormatDescr_t f;
    sb_status st;

    if (!formatDescr)
        return sb_api_fail(__func__, SB_EINVAL,
                           "argument formatDescr must not be NULL");
    *formatDescr = NULL;
    if (!text)
        return sb_api_fail(__func__, SB_EINVAL, "argument text must not be NULL");
    f = sb_alloc(sizeof *f);
    if (!f)
        return sb_api_end(NULL, __func__, SB_ENOMEM, NULL);
    f->tag = SB_TAG_FORMAT;
    atomic_init(&f->holders, 1);
    sb_arena_init(&f->arena);
    st = sb_fmt_parse(&f->fmt, &f->arena, text, &diag);
    if (st == SB_OK)
        *formatDescr = f;
    else
        sb_format_unhold(f);
    return sb_api_end(NULL, __func__, st, &diag);
}

spblasStatus_t
spblasDestroyFormat(spblasConstFormatDescr_t formatDescr)
{
    spblasFormatDescr_t f = (spblasFormatDescr_t)(uintptr_t)formatDescr;
    spblasStatus_t st;

    if (!f)
        return SPBLAS_STATUS_SUCCESS;
    if ((st = usable(__func__, f, true)) != SPBLAS_STATUS_SUCCESS)
        return st;
    f->tag = 0;
    sb_format_unhold(f);
    return SPBLAS_STATUS_SUCCESS;
}

/* What `print` says about a format. */
static spblasStatus_t
give_text(const char *function, const sb_fmt *fmt,
          void (*print)(sb_strbuf *out, const sb_fmt *f), char *text, size_t *size)
{
    spblasStatus_t st;
    sb_strbuf out;

    sb_strbuf_init(&out);
    print(&out, fmt);
    st = sb_strbuf_status(&out) == SB_OK
             ? sb_api_text(function, out.s, text, size)
             : sb_api_end(NULL, function, sb_strbuf_status(&out), NULL);
    sb_strbuf_free(&out);
    return st;
}

spblasStatus_t
sb_format_give_text(const char *function, const sb_fmt *fmt, char *text, size_t *size)
{
    return give_text(function, fmt, sb_fmt_print, text, size);
}

spblasStatus_t
spblasFormatGetText(spblasConstFormatDescr_t formatDescr, char *text, size_t *size)
{
    const spblasStatus_t st = usable(__func__, formatDescr, size);

    return st != SPBLAS_STATUS_SUCCESS
               ? st
               : sb_format_give_text(__func__, formatDescr->fmt, text, size);
}

spblasStatus_t
spblasFormatGetArrays(spblasConstFormatDescr_t formatDescr, char *text, size_t *size)
{
    const spblasStatus_t st = usable(__func__, formatDescr, size);

    return st != SPBLAS_STATUS_SUCCESS
               ? st
               : give_text(__func__, formatDescr->fmt, sb_fmt_print_arrays, text, size);
}
