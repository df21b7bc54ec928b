/*
 * The system C compiler as a program: found on PATH or named by SPBLAS_CC, started
 * without a shell, given a minute.
 */
#ifndef SB_CPU_CC_H
#define SB_CPU_CC_H

#include "base/diag.h"
#include "base/strbuf.h"
#include "runtime/target.h"

#include <stdbool.h>

typedef struct sb_cc_job {
    const char *source, *object; /* paths */
    const char *include;         /* a header before the source, or NULL */
    bool header; /* the source is a header, the object its compiled form */
    sb_isa isa;
} sb_cc_job;

/*
 * C file to shared object. Everything it writes lies beside object_path. ENOKERNEL: there
 * is no compiler; EIO with its first line of complaint: it failed or took too long. OK
 * says that it ended well, not that it wrote anything.
 */
sb_status sb_cc_compile(const char *source_path, const char *object_path, sb_isa isa,
                        sb_diag *diag);

/* The same of any job. */
sb_status sb_cc_run(const sb_cc_job *job, sb_diag *diag);
/* The compiler's path; ENOKERNEL: there is none. */
sb_status sb_cc_find(sb_strbuf *out, sb_diag *diag);

/* For tests: how many seconds it is given; returns what that was before. */
double sb_cc_patience(double seconds);
/* For tests: options more, at most four and NULL, or NULL; returns what that was before. */
const char *const *sb_cc_options(const char *const *more);

#endif
