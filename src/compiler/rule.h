/*
 * A format rewrite rule as read from text (compiler.h gives an example): the new arrays
 * and axes, the coordinate map and its inverse, which new axes stand for which old one.
 */
#ifndef SB_COMPILER_RULE_H
#define SB_COMPILER_RULE_H

#include "compiler/ir.h"

#define SB_RULES_MAX 64
#define SB_RULE_ITEMS 16

typedef struct sb_rule {
    const char *name;
    const sb_buf *from; /* the buffer it rewrites */
    const sb_buf *to;   /* over the new axes */
    bool same;          /* values stay where they are */
    const char *to_name;
    int naxis; /* new axes in the order they are declared, the order of to's dimensions */
    const sb_axis *axis[SB_MAXRANK];
    int owner[SB_MAXRANK];            /* dimension of `from` a new axis stands for */
    const sb_var *old_at[SB_MAXRANK]; /* map's arguments, one per dimension of from */
    const sb_expr *map[SB_MAXRANK];   /* new coordinates, one per new axis */
    const sb_var *new_at[SB_MAXRANK]; /* inv's arguments */
    const sb_expr *inv[SB_MAXRANK];   /* old coordinates */
    int nparam, nbuf;                 /* declared by the rule */
    const sb_var *param[SB_RULE_ITEMS];
    const sb_buf *buf[SB_RULE_ITEMS];
} sb_rule;

/* All rules of the text, against the names of p. EPARSE with a caret. */
sb_status sb_rules_parse(sb_rule *out, int *n, sb_ir *ir, const sb_prog *p,
                         const char *text);

#endif
