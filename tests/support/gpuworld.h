/*
 * One product with its operands in the emulated GPU's own memory.
 */
#ifndef SB_TEST_GPUWORLD_H
#define SB_TEST_GPUWORLD_H

#include "call.h"
#include "formats/matrix.h"
#include "gpu/driver.h"
#include "gpu/emu.h"

#include "spblas.h"

struct CMUnitTest;

enum { WORLD_M = 6, WORLD_K = 5, WORLD_N = 3, WORLD_NNZ = 8 };

/* The matrix on the host. */
extern const int32_t world_ptr[], world_crd[];
extern const float world_val[];

typedef struct world {
    spblasHandle_t h;
    spblasSpMatDescr_t a;
    spblasDnMatDescr_t b, c;
    void *array[5];                 /* ptr, crd, val, b, c */
    float dense[WORLD_K * WORLD_N]; /* b on the host */
} world;

void world_open(world *w);
void world_close(world *w);
void *world_device(const void *from, size_t bytes); /* a copy on the device */

void world_free(const void *array); /* NULL is fine */
/* A matrix and a dense matrix there; gaps and empty slots are copied too. */
sb_matrix world_matrix(const sb_matrix *a);
void world_free_matrix(const sb_matrix *a);
sb_dense world_dense(const sb_dense *d);

/* C = alpha A B + beta C in f32, and its analysis. */
spblasStatus_t world_analyse(const world *w);
spblasStatus_t world_multiply(const world *w, const void *alpha, const void *beta);

/* alpha A B on the host; fails the test unless C is that. */
const float *world_expected(const world *w, float alpha);
void world_check(const world *w, float alpha);
void world_forget(const world *w); /* C becomes NaN */

void world_must(spblasStatus_t st); /* fails the test unless SUCCESS */

/* Fails the test unless the call can be captured into a graph. */
void world_captures(call *c);
/* What the calls since did on the device: nothing but launches, some. */
void world_only_launched(const sb_emu_counts *before);

/* sb_driver.place where the host cannot reach the GPU's memory. */
int world_host_alone(void *value, int attribute, sb_cu_mem pointer);

/* Runs tests in a box of `folder`, all handles on the emulated GPU; how many failed, one more
 * if its memory was not all given back. */
int world_run(const char *folder, const struct CMUnitTest *tests, size_t count);

/* For cmocka: a folder of its own under sb_box's as SPBLAS_CACHE_DIR. */
void world_empty_cache(void);

#endif
