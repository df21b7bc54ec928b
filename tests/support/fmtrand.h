/*
 * Random index maps as text: made of UniSparse's operators, so that they have an inverse.
 */
#ifndef SB_TEST_FMTRAND_H
#define SB_TEST_FMTRAND_H

#include "fmtlab.h"
#include "gen.h"

enum { FMT_MAP_LEVELS = 6, FMT_MAP_EXPR = 240 };

typedef struct fmt_map_text {
    int ndim, n;
    char level[FMT_MAP_LEVELS][FMT_MAP_EXPR];
} fmt_map_text;

extern const char *const fmt_map_dims[3]; /* "i", "j", "k" */

void fmt_map_identity(fmt_map_text *m, int ndim);
/* One operator of UniSparse's table 2 on a map; nothing where there is no room. */
void fmt_map_operate(fmt_map_text *m, gen_rng *r);
/* "format x (i, j) -> (..)", in the lab. all: the dimensions follow as levels, so that the
 * map surely has an inverse. */
const char *fmt_map_print(fmt_lab *lab, const fmt_map_text *m, bool all);

#endif
