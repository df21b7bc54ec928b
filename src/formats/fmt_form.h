/*
 * Linear forms over atoms and symbols, and the equations of the solver in fmt_solve.h.
 */
#ifndef SB_FORMATS_FMT_FORM_H
#define SB_FORMATS_FMT_FORM_H

#include "formats/fmt.h"

enum {
    SB_SOLVE_ATOMS = 40,
    SB_SOLVE_PAIRS = 18,
    SB_SOLVE_SYMS = 40,
    SB_SOLVE_GIVEN = 16
};

/* (sum of a[q] atom q + sum of s[q] symbol q + k) / den; an equation says it is 0. */
typedef struct sb_form {
    int64_t a[SB_SOLVE_ATOMS], s[SB_SOLVE_SYMS], k, den;
} sb_form;

/* Atoms `atom` and atom + 1: quotient and remainder of z by f. */
typedef struct sb_tile_pair {
    sb_form z;
    int64_t f;
    int atom;
} sb_tile_pair;

typedef struct sb_solve {
    const sb_fmt *f;
    sb_arena *ar;   /* NULL: no expressions */
    bool functions; /* use the function rule */
    sb_status st;   /* ENOTSUP: too many atoms or too large numbers; ENOMEM */
    int fn_atom[SB_FMT_QUERIES];     /* -1: not met */
    bool one_to_one[SB_FMT_QUERIES]; /* of the functions met, for the function rule */
    int natom, npair, nsym, nrow, ngiven, nrelation;
    int64_t bound[SB_SOLVE_ATOMS]; /* atom is in [0, bound), 0: no bound known */
    sb_tile_pair pair[SB_SOLVE_PAIRS];
    sb_form row[SB_SOLVE_ATOMS]; /* reduced: a pivot occurs in its row only */
    int pivot[SB_SOLVE_ATOMS];
    sb_form given[SB_SOLVE_GIVEN];    /* equations as they came */
    sb_form relation[SB_SOLVE_GIVEN]; /* between symbols: x = f (x / f) + x % f */
    const sb_fmt_expr *sym[SB_SOLVE_SYMS];
} sb_solve;

/* Keeps the first reason. */
void sb_solve_give_up(sb_solve *s, sb_status st);
int64_t sb_gcd(int64_t x, int64_t y);
/* x = p x + c y, the denominators apart: that of x becomes p den. */
void sb_form_add(sb_solve *s, sb_form *x, int64_t p, const sb_form *y, int64_t c);
/* The same, divided by what all numbers share. */
void sb_form_combine(sb_solve *s, sb_form *x, int64_t p, const sb_form *y, int64_t c);
bool sb_form_has_atoms(const sb_solve *s, const sb_form *x);
sb_form sb_form_atom(int q);
/* An expression as a form; quotients and remainders may be new atoms, with equations. */
void sb_solve_linear(sb_solve *s, const sb_fmt_expr *e, sb_form *out);
/* Adds the equation x = 0. */
void sb_solve_equate(sb_solve *s, sb_form x);
/* Whether a form is known; *x is then without atoms. */
bool sb_solve_known(sb_solve *s, sb_form *x);
bool sb_solve_knows_atom(sb_solve *s, int q);

#endif
