/*
 * Expressions of index maps: making, comparing, rounding.
 */
#ifndef SB_FORMATS_FMT_EXPR_H
#define SB_FORMATS_FMT_EXPR_H

#include "formats/fmt.h"

/* NULL when memory is short. */
const sb_fmt_expr *sb_fmt_expr_new(sb_arena *ar, sb_fmt_op op, int64_t value,
                                   const sb_fmt_expr *a, const sb_fmt_expr *b);
bool sb_fmt_expr_equal(const sb_fmt_expr *a, const sb_fmt_expr *b);
bool sb_fmt_map_equal(const sb_fmt_map *a, const sb_fmt_map *b);
/* Whether an indirect function occurs in it. */
bool sb_fmt_expr_indirect(const sb_fmt_expr *e);
/* Rounded towards minus infinity; f > 0. */
int64_t sb_fmt_floor_div(int64_t x, int64_t f);
int64_t sb_fmt_floor_mod(int64_t x, int64_t f);

/* Last step of the function that an INDIRECT expression calls. */
const sb_fmt_query *sb_fmt_answer(const sb_fmt *f, const sb_fmt_expr *e);

#endif
