/*
 * Covering points by pieces of least cost: STile's algorithm 2 (section 3.3), greedy by
 * average cost, with withdrawal and local search. What a piece is, the caller says: parts
 * over a sample of a matrix (levels.h), tiles of a small one
 * (tests/prop/planner_greedy_test.c, which compares with the optimum).
 */
#ifndef SB_PLANNER_GREEDY_H
#define SB_PLANNER_GREEDY_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { SB_PIECES_MAX = 64 };

/* points: a bit for each, those it would cover. alone: it writes its results first and by
 * itself, so it may take the place of pieces that it contains. */
typedef struct sb_piece {
    int id;
    double cost;
    bool alone;
    uint64_t *points;
} sb_piece;

/*
 * pieces() writes pieces of the next level, given what is covered and how many pieces were
 * selected, and returns how many there are, at most SB_PIECES_MAX; points[] are there and
 * zero. Together they must cover every point that is left. -1: no memory.
 */
typedef struct sb_covering {
    int64_t points;
    int (*pieces)(void *user, const uint64_t *covered, int selected, sb_piece *out);
    void *user;
} sb_covering;

/* The paper's switches. levels: how often what is left is cut into new pieces; from then
 * on those of the last time have to do. 0: no limit. */
typedef struct sb_greedy_rule {
    bool withdraw;
    double ratio; /* 1: no local search */
    int levels;
} sb_greedy_rule;

typedef struct sb_selection {
    int n;
    int id[SB_PIECES_MAX]; /* in the order they were selected */
    double cost;           /* sum over the pieces */
    int rounds, withdrawn;
} sb_selection;

/* ENOMEM; ENOTSUP when the pieces do not cover everything. */
sb_status sb_greedy_cover(sb_selection *out, const sb_covering *space,
                          const sb_greedy_rule *rule);

#endif
