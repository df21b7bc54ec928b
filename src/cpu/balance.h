/*
 * Rows shared out by what they hold: pieces of about the same number of entries and rows.
 */
#ifndef SB_CPU_BALANCE_H
#define SB_CPU_BALANCE_H

#include "formats/matrix.h"
#include "runtime/backend.h"

/* Rows that one or two arrays of offsets describe; ptr[1] may be NULL. */
typedef struct sb_balance {
    int64_t rows;
    const void *ptr[2];
    sb_dtype type[2];
} sb_balance;

/* fn(user, lo, hi) over all rows on the team. */
void sb_balance_run(const sb_balance *b, sb_range_fn fn, void *user);

/* Rows of one array of 32-bit offsets. */
static inline sb_balance
sb_balance_rows(int64_t rows, const int32_t *ptr)
{
    return (sb_balance){rows, {ptr, NULL}, {SB_I32, SB_I32}};
}

/* From numbers of each row in ptr[1 ..] to offsets that begin at base. *total: their sum.
 * ERESOURCES when the array's type cannot count so far. */
sb_status sb_balance_offsets(void *ptr, sb_dtype type, int64_t rows, int base,
                             int64_t *total);

#endif
