/*
 * Operands of a stage III program, and a compiled kernel compared with the interpreter
 * on them. Elements around each array show overruns.
 */
#ifndef SB_SUPPORT_OPERANDS_H
#define SB_SUPPORT_OPERANDS_H

#include "compiler/compiler.h"
#include "runtime/kernel.h"

enum { SB_GUARD = 64, SB_OPERAND_BUFS = 12, SB_OPERAND_PARAMS = 16 };

/* Parameters and element counts in program order; data is made by fill. */
typedef struct sb_operands {
    sb_value param[SB_OPERAND_PARAMS];
    int64_t count[SB_OPERAND_BUFS];
    char *data[SB_OPERAND_BUFS];
} sb_operands;

/* A number in [0, n), the same sequence in every run. */
int sb_draw(int n);
/* Small integers everywhere, also around: exact in every type. */
void sb_operands_fill(const sb_prog *p, sb_operands *o);
/* Element i of buffer q. */
void sb_operands_set(const sb_prog *p, const sb_operands *o, int q, int64_t i,
                     int64_t v);
/* Interpreter on the operands, kernel on a copy; every byte must agree. Fails the
 * running test otherwise; frees the data. t0 and t1 are the last two parameters. */
void sb_operands_compare(const char *name, const sb_prog *p, sb_operands *o,
                         sb_kernel_fn fn);

#endif
