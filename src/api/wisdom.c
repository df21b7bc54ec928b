/*
 * Wisdom as text and files: the planner's, for callers.
 */
#include "planner/wisdom.h"

#include "api/error.h"

#include <string.h>

spblasStatus_t
spblasExportWisdom(char *text, size_t *size)
{
    spblasStatus_t out;
    sb_strbuf all;
    sb_status st;

    if (!size)
        return sb_api_fail(__func__, SB_EINVAL, "argument size must not be NULL");
    sb_strbuf_init(&all);
    st = sb_wisdom_export(&all);
    out = st == SB_OK ? sb_api_text(__func__, all.s, text, size)
                      : sb_api_end(NULL, __func__, st, NULL);
    sb_strbuf_free(&all);
    return out;
}

spblasStatus_t
spblasImportWisdom(const char *text)
{
    sb_diag diag = {0};

    if (!text)
        return sb_api_fail(__func__, SB_EINVAL, "argument text must not be NULL");
    return sb_api_end(NULL, __func__, sb_wisdom_import(text, strlen(text), &diag),
                      &diag);
}

spblasStatus_t
spblasForgetWisdom(void)
{
    sb_wisdom_forget();
    return sb_api_end(NULL, __func__, SB_OK, NULL);
}

static spblasStatus_t
with_file(const char *function, const char *path,
          sb_status (*run)(const char *path, sb_diag *diag))
{
    sb_diag diag = {0};

    if (!path || !path[0])
        return sb_api_fail(function, SB_EINVAL, "argument path must name a file");
    return sb_api_end(NULL, function, run(path, &diag), &diag);
}

spblasStatus_t
spblasExportWisdomToFile(const char *path)
{
    return with_file(__func__, path, sb_wisdom_export_file);
}

spblasStatus_t
spblasImportWisdomFromFile(const char *path)
{
    return with_file(__func__, path, sb_wisdom_import_file);
}
