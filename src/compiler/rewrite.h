/*
 * How passes make new programs: expressions and bodies mapped bottom-up through hooks,
 * everything untouched shared. Also the small facts passes ask of expressions and
 * bodies (which variables, which buffers). All results live in the compile's arena.
 */
#ifndef SB_COMPILER_REWRITE_H
#define SB_COMPILER_REWRITE_H

#include "compiler/ir.h"

/* A growing list of statements. */
typedef struct sb_list {
    sb_ir *ir;
    const sb_stmt **at;
    int n, cap;
} sb_list;

void sb_list_init(sb_list *l, sb_ir *ir);
/* NULL is a statement that could not be made: the ir is marked as failed. */
void sb_list_push(sb_list *l, const sb_stmt *s);
void sb_list_append(sb_list *l, sb_body b);
sb_body sb_list_body(const sb_list *l);

/*
 * expr (may be NULL): called with each expression after its operands were mapped;
 *      returns it or a replacement.
 * stmt (may be NULL): called before a statement is entered; returns true when it has
 *      pushed the replacement (none, one or several statements) itself.
 */
typedef struct sb_mapper sb_mapper;
struct sb_mapper {
    sb_ir *ir;
    void *user;
    const sb_expr *(*expr)(sb_mapper *m, const sb_expr *e);
    bool (*stmt)(sb_mapper *m, sb_list *out, const sb_stmt *s);
};

const sb_expr *sb_map_expr(sb_mapper *m, const sb_expr *e);
/* The statement with its parts mapped, the hook not asked; s itself when nothing changed. */
const sb_stmt *sb_map_parts(sb_mapper *m, const sb_stmt *s);
void sb_map_stmt(sb_mapper *m, sb_list *out, const sb_stmt *s);
sb_body sb_map_body(sb_mapper *m, sb_body b);

/* The same node with other operands. */
const sb_expr *sb_expr_remake(sb_ir *ir, const sb_expr *e, const sb_expr *const *arg);
/* A copy to be changed before it is published. */
sb_stmt *sb_stmt_copy(sb_ir *ir, const sb_stmt *s);
sb_prog *sb_prog_copy(sb_ir *ir, const sb_prog *p);

/* Replace a variable by an expression, everywhere. */
const sb_expr *sb_expr_subst(sb_ir *ir, const sb_expr *e, const sb_var *v,
                             const sb_expr *by);
sb_body sb_body_subst(sb_ir *ir, sb_body b, const sb_var *v, const sb_expr *by);

bool sb_expr_uses(const sb_expr *e, const sb_var *v);
bool sb_expr_loads(const sb_expr *e, const sb_buf *b); /* b NULL: any load */
bool sb_body_uses(sb_body b, const sb_var *v);
bool sb_body_loads(sb_body b, const sb_buf *buf);
/* Calls fn for every expression root in the body, inner statements included. */
void sb_body_exprs(sb_body b, void (*fn)(void *user, const sb_expr *e), void *user);
/* Calls fn for every statement, outer before inner. */
void sb_body_stmts(sb_body b, void (*fn)(void *user, const sb_stmt *s), void *user);
/* Is v bound (loop, let) anywhere in the body? */
bool sb_body_binds(sb_body b, const sb_var *v);
/* The bodies a statement holds; returns how many (0..2). */
int sb_stmt_bodies(const sb_stmt *s, sb_body out[2]);
/* The statement with other bodies, as sb_stmt_bodies counts them. */
const sb_stmt *sb_stmt_with(sb_ir *ir, const sb_stmt *s, const sb_body body[2]);

/* Short makers. */
const sb_stmt *sb_stmt_let(sb_ir *ir, const sb_var *v, const sb_expr *value);
const sb_stmt *sb_stmt_if(sb_ir *ir, const sb_expr *cond, sb_body then);
const sb_stmt *sb_stmt_local(sb_ir *ir, const sb_buf *b);
const sb_stmt *sb_stmt_store(sb_ir *ir, const sb_buf *b, const sb_expr *const *idx,
                             sb_store_op op, const sb_expr *value);
sb_stmt *sb_stmt_for(sb_ir *ir, const sb_var *v, const sb_expr *lo, const sb_expr *hi,
                     bool reduce, sb_body body);
sb_body sb_body_one(sb_ir *ir, const sb_stmt *s);
bool sb_expr_is_int(const sb_expr *e, int64_t v);

#endif
