/*
 * The cost model's coefficients on disk: what `spblas tune` measured, one file a machine
 * beside the compiled kernels. Plain text, one coefficient a line with its name; the first
 * lines say what machine it is of, the last one is a checksum.
 *
 *   SPBLAS_MODEL  "off": coefficients as shipped; an absolute path: that file instead
 */
#ifndef SB_RUNTIME_MODEL_H
#define SB_RUNTIME_MODEL_H

#include "base/diag.h"
#include "runtime/target.h"

/* "csr", "rows", "hyb" ...: a class of tiles (target.h). */
const char *sb_class_name(int class_);

/* Appends the text of t's coefficients. */
void sb_model_print(sb_strbuf *out, const sb_target *t);

/*
 * Reads the text into t. EPARSE: damaged, SKIP: of another machine or number of threads;
 * both with a sentence, and t stays as it was. Coefficients that the text leaves out stay.
 */
sb_status sb_model_parse(sb_target *t, const char *text, size_t len, sb_diag *diag);

/* The file for this machine. SKIP: switched off. EIO: no place for one. */
sb_status sb_model_path(sb_strbuf *out, const sb_target *t, sb_diag *diag);

/* Reads the file into t if there is a sound one; one that is not is logged and left. */
void sb_model_load(sb_target *t);

/* Writes the file in one step: readers see the old or the new one. `path` gets its name.
 * Makes the cache folder if need be. */
sb_status sb_model_store(const sb_target *t, sb_strbuf *path, sb_diag *diag);

#endif
