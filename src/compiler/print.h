/*
 * Pieces of the canonical text, for messages and for the files of the printer.
 */
#ifndef SB_COMPILER_PRINT_H
#define SB_COMPILER_PRINT_H

#include "base/strbuf.h"
#include "compiler/ir.h"

void sb_expr_print(sb_strbuf *out, const sb_expr *e);
/* $b[i, j] */
void sb_access_print(sb_strbuf *out, const sb_buf *b, int n, const sb_expr *const *idx);
/* $b : f32[...] */
void sb_tensor_print(sb_strbuf *out, const sb_buf *b);
/* Statements, one a line, `level` times two blanks in. */
void sb_body_print(sb_strbuf *out, sb_body b, int level);
/* One statement; a compound one with its body. */
void sb_stmt_print(sb_strbuf *out, const sb_stmt *s, int level);

#endif
