/*
 * Two sparse axes iterated together (UniSparse 5.3, step 2, case b-I): a loop over the
 * slots of the first, a cursor that walks along the second.
 *
 *   iter dot (%i : S #I, %j : R #JA & #JB) { .. }
 *   -> for %i { local $cJB0 : i64[1]
 *               $cJB0[0] = $B_ptr[%i]
 *               for %pj { let %j = $A_crd[..]
 *                         let %mj = seek($B_crd, $cJB0[0], $B_ptr[%i + 1], %j)
 *                         $cJB0[0] = %mj
 *                         if %mj < $B_ptr[%i + 1] { if $B_crd[%mj] == %j { .. } } } }
 *
 * seek starts where it stopped last, so both rows are walked once.
 */
#include "compiler/lower_iter.h"

#include "base/fault.h"
#include "compiler/address.h"
#include "compiler/affine.h"

#include <stdio.h>
#include <string.h>

static const sb_expr *
parent_slot(const sb_lowering *lo, int k)
{
    const sb_open_axis *p = sb_lower_axis(lo, lo->at[k].at[1].parent);

    return p ? p->slot : NULL;
}

static const sb_expr *
first_slot(const sb_lowering *lo, int k)
{
    return sb_axis_first(lo->ir, lo->at[k].it->with, parent_slot(lo, k));
}

static const sb_expr *
end_slot(const sb_lowering *lo, int k)
{
    const sb_expr *n = sb_axis_extent(lo->ir, lo->at[k].it->with, parent_slot(lo, k));
    const sb_expr *e = sb_expr_add(lo->ir, first_slot(lo, k), n);

    return e ? sb_expr_simplify(lo->ir, e) : NULL;
}

/* local $c<axis><n> : i64[1], set to the first slot. */
void
sb_lower_merge_start(sb_lowering *lo, int k, sb_list *out)
{
    sb_ir *ir = lo->ir;
    sb_buf *b = sb_arena_alloc_zero(ir->arena, sizeof *b);
    const sb_expr *zero = sb_expr_int(ir, 0);
    char name[80];

    if (!b) {
        ir->failed = true;
        return;
    }
    (void)snprintf(name, sizeof name, "c%.56s%d", lo->at[k].it->with->name,
                   lo->nmerge++);
    b->name = sb_arena_strndup(ir->arena, name, strlen(name));
    b->type = SB_I64;
    b->role = SB_BUF_LOCAL;
    b->rank = 1;
    b->id = ir->next_id++;
    b->extent[0] = sb_expr_int(ir, 1);
    ir->failed = ir->failed || !b->name;
    lo->at[k].cursor = b;
    sb_list_push(out, sb_stmt_local(ir, b));
    if (!SB_FAULT(MERGE_RESET))
        sb_list_push(out, sb_stmt_store(ir, b, &zero, SB_STORE_SET, first_slot(lo, k)));
}

void
sb_lower_merge_open(sb_lowering *lo, int k)
{
    sb_ir *ir = lo->ir;
    sb_level *l = &lo->at[k];
    const sb_expr *pos;

    l->found = sb_lower_var(lo, "m", l->it);
    l->at[1].slot = sb_expr_var(ir, l->found);
    pos = sb_expr_sub(ir, l->at[1].slot, first_slot(lo, k));
    l->at[1].pos = pos ? sb_expr_simplify(ir, pos) : NULL;
}

sb_body
sb_lower_merge(sb_lowering *lo, int k, sb_body b)
{
    sb_ir *ir = lo->ir;
    const sb_level *l = &lo->at[k];
    const sb_axis *x = l->it->with;
    const sb_expr *zero = sb_expr_int(ir, 0), *end = end_slot(lo, k), *here;
    const sb_expr *j = sb_expr_var(ir, l->it->var);
    sb_list out;

    here =
        sb_expr_search(ir, SB_EXPR_SEEK, x->crd, sb_expr_load(ir, l->cursor, 1, &zero),
                       end, x->base ? sb_expr_add(ir, j, x->base) : j);
    sb_list_init(&out, ir);
    sb_list_push(&out, sb_stmt_let(ir, l->found, here));
    here = sb_expr_var(ir, l->found);
    sb_list_push(&out, sb_stmt_store(ir, l->cursor, &zero, SB_STORE_SET, here));
    b = sb_body_one(
        ir,
        sb_stmt_if(ir, sb_expr_bin(ir, SB_EXPR_EQ, sb_axis_coord(ir, x, here), j), b));
    sb_list_push(&out, sb_stmt_if(ir, sb_expr_bin(ir, SB_EXPR_LT, here, end), b));
    return sb_list_body(&out);
}
