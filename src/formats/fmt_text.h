/*
 * The parser of format text, shared by its files: fmt_lex.c tokens, fmt_parse.c
 * definitions, fmt_parse_expr.c expressions, fmt_parse_fn.c indirect functions.
 *
 * Every function returns SB_OK, EPARSE or EINVAL with the sentence and a caret in
 * ps->diag, or ENOMEM.
 */
#ifndef SB_FORMATS_FMT_TEXT_H
#define SB_FORMATS_FMT_TEXT_H

#include "formats/fmt.h"

enum {
    SB_FMT_TEXT = 16384,       /* bytes of a text */
    SB_FMT_NAME = 31,          /* bytes of a name */
    SB_FMT_DEPTH = 32,         /* nested parentheses, nested definitions */
    SB_FMT_NODES = 256,        /* nodes of all expressions of a definition */
    SB_FMT_CONST_MAX = 1 << 30 /* largest constant, of either sign */
};

typedef enum sb_fmt_token_kind {
    SB_FMT_END,
    SB_FMT_WORD,
    SB_FMT_INT,
    SB_FMT_PUNCT,
    SB_FMT_BAD
} sb_fmt_token_kind;

typedef struct sb_fmt_token {
    sb_fmt_token_kind kind;
    size_t at, len;
    int64_t value; /* of an INT; larger ones stay just above SB_FMT_CONST_MAX */
} sb_fmt_token;

/* Arguments of a reference: bsr<8>, sell<c=32>. */
typedef struct sb_fmt_args {
    int n;
    const char *name[SB_FMT_PARAMS]; /* NULL: by place */
    int64_t value[SB_FMT_PARAMS];
    size_t at[SB_FMT_PARAMS];
} sb_fmt_args;

typedef struct sb_fmt_parser {
    const char *src;
    size_t len, at;
    sb_fmt_token tok; /* the next one */
    sb_arena *ar;
    sb_diag *diag;
    int depth, nodes;
    sb_fmt *f;       /* the definition being read */
    bool constant;   /* no dimension may appear here */
    bool direct;     /* no indirect function may appear here */
    const char *var; /* variable of a series (NULL: none) and its value */
    int64_t var_value;
    const struct sb_fmt_args *args; /* values that replace the parameters' defaults */
    const char *fn_name[SB_FMT_QUERIES]; /* functions in order of first use */
    size_t fn_at[SB_FMT_QUERIES];
    int nfn;
} sb_fmt_parser;

/* fmt_lex.c */
void sb_fmt_parser_init(sb_fmt_parser *ps, const char *text, size_t len, sb_arena *ar,
                        sb_diag *diag);
void sb_fmt_seek(sb_fmt_parser *ps, size_t at);
void sb_fmt_next(sb_fmt_parser *ps);
bool sb_fmt_is(const sb_fmt_parser *ps, const char *text);
bool sb_fmt_take(sb_fmt_parser *ps, const char *text);
/* EPARSE at the next token, "expected %s, not ..." */
sb_status sb_fmt_expected(sb_fmt_parser *ps, const char *what);
sb_status sb_fmt_expect(sb_fmt_parser *ps, const char *text);
sb_status sb_fmt_expect_name(const char **out, sb_fmt_parser *ps, const char *what);
sb_status sb_fmt_fail(sb_fmt_parser *ps, sb_status st, size_t at, const char *fmt, ...)
    SB_PRINTF(4, 5);

/* fmt_parse_expr.c */
sb_status sb_fmt_parse_expr(const sb_fmt_expr **out, sb_fmt_parser *ps);
/* Expression of constants, parameters and the series variable. */
sb_status sb_fmt_parse_const(int64_t *out, sb_fmt_parser *ps, int64_t lo);
/* "(e, ...)" of at most `max` expressions. */
sb_status sb_fmt_parse_list(sb_fmt_map *out, sb_fmt_parser *ps, int max);
int sb_fmt_find_dim(const sb_fmt_parser *ps, const char *name, size_t n);

/* fmt_parse_fn.c */
sb_status sb_fmt_parse_query(const sb_fmt_query **out, sb_fmt_parser *ps,
                             const sb_fmt_fn *fn);
sb_status sb_fmt_parse_where(sb_fmt_parser *ps);

/* fmt_parse.c: a definition or a reference; what stands before and after is the
 * caller's. */
sb_status sb_fmt_parse_format(const sb_fmt **out, sb_fmt_parser *ps);

/* fmt_check.c: the rules no grammar can say. at: places of the clauses, for the caret. */
typedef struct sb_fmt_places {
    size_t map, merge, trim, fill, pack, partition;
} sb_fmt_places;
sb_status sb_fmt_check(sb_fmt_parser *ps, const sb_fmt_places *at);

/* fmt_registry.c: the text of a registered name, or NULL. */
const char *sb_fmt_registered(const char *name, size_t n);

#endif
