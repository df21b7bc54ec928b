/*
 * What the files of the verifier share: the program, the names in scope, the first
 * violation. Rules are listed in docs/ir.md; each is one sentence naming the culprit.
 */
#ifndef SB_COMPILER_VERIFY_H
#define SB_COMPILER_VERIFY_H

#include "base/macro.h"
#include "compiler/ir.h"

#define SB_VERIFY_NAMES 2048
#define SB_VERIFY_BOUND 8

typedef struct sb_verifier {
    const sb_prog *prog;
    sb_diag *diag;
    sb_status st;
    int nvar, nbuf; /* in scope, parameters and program buffers first */
    const sb_var *var[SB_VERIFY_NAMES];
    const sb_buf *buf[SB_VERIFY_NAMES];
    int loops;                             /* enclosing loops */
    int nested;                            /* enclosing bodies */
    int height;                            /* enclosing operators */
    const sb_stmt *vector;                 /* the vector loop around, NULL outside */
    const sb_stmt *bound[SB_VERIFY_BOUND]; /* loops around that are bound */
    int nbound;
    int parallel_bufs; /* buffers in scope where the parallel loop began; -1 outside */
    const sb_stmt *iter; /* stage I: the iteration around, NULL outside */
    bool init;           /* inside its init */
} sb_verifier;

/* Records the first violation; always false, so that a rule can end with it. */
bool sb_verify_fail(sb_verifier *v, const char *fmt, ...) SB_PRINTF(2, 3);
bool sb_verify_see_var(sb_verifier *v, const sb_var *x);
bool sb_verify_see_buf(sb_verifier *v, const sb_buf *b);

/* Every variable and buffer of e is in scope, ranks and types are right. */
bool sb_verify_expr(sb_verifier *v, const sb_expr *e);
/* A size: parameters and integer literals only. `what` names it in the message. */
bool sb_verify_size(sb_verifier *v, const sb_expr *e, const char *what,
                    const char *name);
/* An access of b with n indices. */
bool sb_verify_access(sb_verifier *v, const sb_buf *b, int n,
                      const sb_expr *const *idx);
/* Shape of a tensor that comes into scope. */
bool sb_verify_tensor(sb_verifier *v, const sb_buf *b);
bool sb_verify_axis(sb_verifier *v, int at);
bool sb_verify_body(sb_verifier *v, sb_body b);

#endif
