/*
 * From a stage I program to flat loops with a schedule of wishes: lines are applied one
 * by one, and one that does not fit this program is left out instead of refusing all.
 * Programs that come from a format have loops nobody has seen; legality is the
 * compiler's to judge.
 */
#ifndef SB_KERNELS_LOWER_H
#define SB_KERNELS_LOWER_H

#include "compiler/compiler.h"

/* Verified before and after. `taken` (may be NULL) receives the lines that fitted. */
sb_status sb_lower_wished(const sb_prog **out, sb_ir *ir, const sb_prog *stage1,
                          const char *wishes, sb_strbuf *taken);

/* "m n k alpha t0 t1;A_ptr A_crd A B C tile": parameters, then buffers, in call order. */
void sb_lower_signature(sb_strbuf *out, const sb_prog *p);

/* C text (without the prelude), signature and key of a stage III program; `name` goes
 * into the text's first comment. The symbol is "sbk_" and the hex digits of the key. */
sb_status sb_lower_emit(sb_strbuf *text, sb_strbuf *signature, sb_hash *key,
                        const sb_prog *p, const char *name);

#endif
