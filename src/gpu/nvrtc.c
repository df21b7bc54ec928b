/*
 * Text to image by NVRTC.
 */
#include "gpu/nvrtc.h"

#include "base/alloc.h"
#include "base/macro.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For experiments. */
static const char *
further_option(void)
{
    const char *more = getenv("SPBLAS_NVRTC_OPTION");

    return more && more[0] ? more : NULL;
}

void
sb_nvrtc_name(const sb_driver *d, char out[SB_NVRTC_NAME])
{
    int major = 0, minor = 0;

    const char *const more = further_option();

    (void)d->rtc_version(&major, &minor);
    (void)snprintf(out, SB_NVRTC_NAME, "NVRTC %d.%d%s%s", major, minor, more ? " " : "",
                   more ? more : "");
}

/* First line of the log that names an error, else its first. */
static sb_status
complain(const sb_driver *d, sb_cu_ptr program, sb_diag *diag)
{
    const char *line;
    size_t bytes = 0;
    char *log;

    if (d->rtc_log_size(program, &bytes) != 0 || !(log = sb_alloc_zero(bytes + 1)))
        return sb_diag_set(diag, SB_EIO, "NVRTC failed");
    (void)d->rtc_log(program, log);
    line = strstr(log, "error");
    while (line && line > log && line[-1] != '\n')
        line--;
    line = line ? line : log;
    (void)sb_diag_set(diag, SB_EIO, "NVRTC failed: %.*s", (int)strcspn(line, "\n"),
                      line);
    sb_free(log);
    return SB_EIO;
}

/* Appends the image. */
static sb_status
take_image(sb_strbuf *out, const sb_driver *d, sb_cu_ptr program, bool ptx,
           sb_diag *diag)
{
    size_t bytes = 0;
    char *image;
    int code;

    code = (ptx ? d->rtc_ptx_size : d->rtc_image_size)(program, &bytes);
    if (code != 0 || bytes == 0)
        return sb_diag_set(diag, SB_EIO, "NVRTC made no code for this GPU");
    image = sb_alloc(bytes);
    if (!image)
        return SB_ENOMEM;
    code = (ptx ? d->rtc_ptx : d->rtc_image)(program, image);
    if (code == 0)
        sb_strbuf_putn(out, image, bytes);
    sb_free(image);
    return code == 0 ? sb_strbuf_status(out)
                     : sb_diag_set(diag, SB_EIO, "NVRTC kept its code");
}

sb_status
sb_nvrtc_compile(sb_strbuf *out, const sb_driver *d, const char *arch, const char *text,
                 sb_diag *diag)
{
    const bool ptx = strncmp(arch, "compute_", 8) == 0;
    const char *const more = further_option();
    const char *options[3];
    char option[40];
    sb_cu_ptr program;
    sb_status st;

    (void)snprintf(option, sizeof option, "--gpu-architecture=%s", arch);
    options[0] = option;
    options[1] = "--std=c++14";
    options[2] = more;
    if (d->rtc_create(&program, text, "spblas.cu", 0, NULL, NULL) != 0)
        return sb_diag_set(diag, SB_ENOMEM, "NVRTC could not begin");
    st = d->rtc_compile(program, SB_COUNT(options) - !more, options) == 0
             ? take_image(out, d, program, ptx, diag)
             : complain(d, program, diag);
    (void)d->rtc_destroy(&program);
    return st;
}
