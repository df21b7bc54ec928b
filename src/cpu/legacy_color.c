/*
 * Colouring row after row: each takes the lowest colour that no neighbour above it has.
 */
#include "base/alloc.h"
#include "base/fault.h"
#include "cpu/legacy.h"

#include <string.h>

/* Rows by colour, in order; next: [colors], zero. */
static void
sort_rows(const int32_t *color, int64_t m, int32_t *next, int64_t colors,
          int32_t *order)
{
    int32_t sum = 0;

    for (int64_t i = 0; i < m; i++)
        next[color[i]]++;
    for (int64_t c = 0; c < colors; c++) {
        const int32_t n = next[c];

        next[c] = sum;
        sum += n;
    }
    for (int64_t i = 0; i < m; i++)
        order[next[color[i]]++] = (int32_t)i;
}

sb_status
sb_color_run(const int32_t *ptr, const int32_t *idx, int64_t m, int base,
             int32_t *color, int32_t *order, int32_t *colors)
{
    int32_t *taken =
        sb_alloc_array(m + 1, sizeof *taken); /* by a neighbour of row - 1 */
    int32_t most = 0;

    if (!taken)
        return SB_ENOMEM;
    memset(taken, 0, (size_t)(m + 1) * sizeof *taken);
    for (int64_t i = 0; i < m; i++) {
        int32_t c = 0;

        for (int64_t p = ptr[i] - base; p < ptr[i + 1] - base; p++)
            if (idx[p] - base < i && !SB_FAULT(COLOR_BACK))
                taken[color[idx[p] - base]] = (int32_t)i + 1;
        while (taken[c] == (int32_t)i + 1)
            c++;
        color[i] = c;
        most = c + 1 > most ? c + 1 : most;
    }
    *colors = most;
    if (order) {
        memset(taken, 0, (size_t)(m + 1) * sizeof *taken);
        sort_rows(color, m, taken, most, order);
    }
    sb_free(taken);
    return SB_OK;
}
