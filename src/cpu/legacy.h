/*
 * The CPU's side of runtime/legacy.h, a file for each kind of work.
 */
#ifndef SB_CPU_LEGACY_H
#define SB_CPU_LEGACY_H

#include "runtime/legacy.h"

extern const sb_legacy_steps sb_cpu_legacy;

size_t sb_flip_scratch(int64_t n, int64_t nnz);
void sb_flip_run(const sb_flip *f);

size_t sb_order_scratch(int64_t majors, int64_t nnz);
void sb_order_run(const sb_order *o);
void sb_order_offsets(int32_t *ptr, const int32_t *row, int64_t nnz, int64_t m,
                      int base);
void sb_order_rows(int32_t *row, const int32_t *ptr, int64_t m, int base);
void sb_order_identity(int32_t *p, int64_t n);
void sb_order_permute(void *to, const void *from, const int32_t *perm, int64_t n,
                      size_t size, bool back);

sb_status sb_legacy_add_up(int32_t *ptr, int64_t m, int base, int64_t *total);
void sb_filter_count(const sb_filter *f, int32_t *count);
void sb_filter_fill(const sb_filter *f, const sb_target_rows *to);
double sb_filter_rank(const sb_filter *f, int64_t count, int64_t rank, void *scratch);
size_t sb_filter_scratch(void);

void sb_masked_run(const sb_masked *k);
void sb_gemvi_run(const sb_gemvi *k);

bool sb_band_scratch(const sb_band *b, size_t *bytes);
void sb_band_run(const sb_band *b);

size_t sb_incomplete_scratch(int64_t m, int64_t block);
int64_t sb_incomplete_run(const sb_incomplete *f);

sb_status sb_regrid_count(const sb_regrid *g, int32_t *count);
sb_status sb_regrid_fill(const sb_regrid *g);
sb_status sb_color_run(const sb_coloring *c, int32_t *colors);

#endif
