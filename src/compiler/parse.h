/*
 * The recursive-descent parser behind sb_prog_parse, open to passes whose own text
 * contains declarations and expressions (format rewrite rules). After the first error
 * every call returns at once; the status is asked for at the end.
 */
#ifndef SB_COMPILER_PARSE_H
#define SB_COMPILER_PARSE_H

#include "base/macro.h"
#include "compiler/ir.h"
#include "compiler/lex.h"

#define SB_PARSE_DEPTH 64  /* nesting of statements and parentheses */
#define SB_PARSE_CHAIN 512 /* depth of one expression, chains of + included */
#define SB_PARSE_VARS 1024 /* visible at once */
#define SB_PARSE_BUFS 256  /* visible at once */
#define SB_PARSE_AXES 256
#define SB_PARSE_ASSUMES 256
#define SB_PARSE_ITERS 12 /* axes of one iteration */
#define SB_PARSE_LANES 65536
#define SB_PARSE_NOTES 16 /* at one loop */
#define SB_PARSE_BYTES (16 << 20)

typedef struct sb_parser {
    sb_ir *ir;
    sb_diag *diag; /* the caller's; while parsing, ir->diag is inner */
    sb_diag inner;
    sb_lex lex;
    sb_token tok;
    sb_status st;
    int depth;
    bool failed_before; /* ir->failed at the start */
    bool constant;      /* inside a declaration: expressions of parameters only */
    bool bare;          /* variables are written without their sigil */
    sb_dtype real; /* of a real literal without suffix whose partner has none either */
    int nvar, nbuf, naxis, nassume; /* visible; the last declared wins a lookup */
    const sb_var *var[SB_PARSE_VARS];
    const sb_buf *buf[SB_PARSE_BUFS];
    const sb_axis *axis[SB_PARSE_AXES];
    const sb_expr *assume[SB_PARSE_ASSUMES];
} sb_parser;

/* A parser at the first token of the text, which must stay. Made in ir's arena; NULL
 * when memory is short. To be ended with sb_parse_end. */
sb_parser *sb_parse_begin(sb_ir *ir, const char *text, size_t len);
/* OK, EPARSE or ENOMEM; the message goes to ir's diag. After EPARSE the ir can be used
 * again. */
sb_status sb_parse_end(sb_parser *p);

/* Records the first error at the current token, or at byte `at`. */
void sb_parse_error(sb_parser *p, const char *fmt, ...) SB_PRINTF(2, 3);
void sb_parse_error_at(sb_parser *p, size_t at, const char *fmt, ...) SB_PRINTF(3, 4);
bool sb_parse_ok(const sb_parser *p);

void sb_parse_advance(sb_parser *p);
bool sb_parse_is(const sb_parser *p, const char *text);
/* Steps over the word or punctuation if it is there. */
bool sb_parse_accept(sb_parser *p, const char *text);
void sb_parse_expect(sb_parser *p, const char *text);
/* A name of the given kind (VAR, BUF, AXIS, FUNC, WORD), copied; NULL after an error. */
const char *sb_parse_name(sb_parser *p, sb_token_kind kind);
/* A declared variable, buffer or axis; NULL after an error. */
const sb_var *sb_parse_var(sb_parser *p);
const sb_buf *sb_parse_buf(sb_parser *p);
const sb_axis *sb_parse_axis(sb_parser *p);
sb_dtype sb_parse_type(sb_parser *p);

/* Makes a name visible. */
void sb_parse_see_var(sb_parser *p, const sb_var *v);
void sb_parse_see_buf(sb_parser *p, const sb_buf *b);
void sb_parse_see_axis(sb_parser *p, const sb_axis *x);

/* An expression, NULL after an error. */
const sb_expr *sb_parse_expr(sb_parser *p);
/* The same where a value of type t is wanted: a real literal without suffix takes that
 * type; another type that does not widen to t is an error. */
const sb_expr *sb_parse_expr_as(sb_parser *p, sb_dtype t);
/*
 * All of a text as one expression of type t over the variables given, which are written
 * without their sigil: "a * b". Real literals without suffix are of type t, if it is
 * inexact. EPARSE with line, column and a caret.
 */
sb_status sb_expr_parse(const sb_expr **out, sb_ir *ir, const char *text, sb_dtype t,
                        int n, const sb_var *const *var);
/* [e, ...], at most SB_MAXRANK; returns how many. */
int sb_parse_index(sb_parser *p, const sb_expr *idx[SB_MAXRANK]);
/* One `param`, `buf` or `axis` line, made visible; false when the token starts none. */
bool sb_parse_decl(sb_parser *p);
/* `buf`'s and `local`'s rest: $name : type[...]; the role is given. */
const sb_buf *sb_parse_tensor(sb_parser *p, sb_buf_role role);
/* One level down in the text; false and an error past SB_PARSE_DEPTH. */
bool sb_parse_enter(sb_parser *p);
void sb_parse_leave(sb_parser *p);
/* One statement (`let` and `local` stay visible); NULL after an error. */
const sb_stmt *sb_parse_stmt(sb_parser *p);
/* Statements up to the closing brace, which is stepped over. Names declared since
 * `mark` are out of sight afterwards. */
typedef struct sb_scope {
    int nvar, nbuf;
} sb_scope;
sb_scope sb_parse_mark(const sb_parser *p);
sb_body sb_parse_rest(sb_parser *p, sb_scope mark);

/* Can a value of type `from` be stored where type `to` is? Equal, or i32 to i64. */
bool sb_dtype_widens(sb_dtype from, sb_dtype to);

#endif
