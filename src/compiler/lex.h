/*
 * Tokens of the program text. Sigils make names and keywords disjoint: %x scalar,
 * $a buffer, #I axis, @f program; a bare word is a keyword, a type or an iteration's name.
 */
#ifndef SB_COMPILER_LEX_H
#define SB_COMPILER_LEX_H

#include <stdbool.h>
#include <stddef.h>

#define SB_NAME_MAX 63   /* bytes of a name without its sigil */
#define SB_NUMBER_MAX 63 /* bytes of a literal without its suffix */

typedef enum sb_token_kind {
    SB_TOKEN_END,
    SB_TOKEN_WORD,
    SB_TOKEN_INT,
    SB_TOKEN_FLOAT,
    SB_TOKEN_VAR,
    SB_TOKEN_BUF,
    SB_TOKEN_AXIS,
    SB_TOKEN_FUNC,
    SB_TOKEN_PUNCT,
    SB_TOKEN_BAD /* why says what is wrong */
} sb_token_kind;

typedef struct sb_token {
    sb_token_kind kind;
    size_t at, len;   /* place in the source, sigil included */
    const char *text; /* without the sigil; not NUL-terminated */
    size_t n;
    const char *why;
} sb_token;

typedef struct sb_lex {
    const char *src;
    size_t len, at;
    bool semicolon; /* `;` is a token, not the start of a comment */
} sb_lex;

void sb_lex_init(sb_lex *lx, const char *src, size_t len);
/* The next token; after the end, END again and again. */
sb_token sb_lex_next(sb_lex *lx);
/* Is the token this word or punctuation? */
bool sb_token_is(const sb_token *t, const char *text);

#endif
