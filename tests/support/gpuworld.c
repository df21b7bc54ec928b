/*
 * See gpuworld.h.
 */
#include "gpuworld.h"

#include "cachebox.h"
#include "gen.h"
#include "gpu/emu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void
world_must(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s: %s", spblasGetErrorName(st), spblasGetLastErrorMessage(NULL));
}

/* ---- one matrix, in the emulator's own memory ------------------------------------------------ */

const int32_t world_ptr[] = {0, 2, 2, 3, 6, 7, 8},
              world_crd[] = {0, 3, 1, 0, 2, 4, 4, 1};
const float world_val[] = {1, 2, 3, 4, 5, 6, 7, 8};

const float *
world_expected(const world *w, float alpha)
{
    static float c[WORLD_M * WORLD_N];

    for (int i = 0; i < WORLD_M; i++)
        for (int j = 0; j < WORLD_N; j++) {
            c[i * WORLD_N + j] = 0;
            for (int p = world_ptr[i]; p < world_ptr[i + 1]; p++)
                c[i * WORLD_N + j] +=
                    alpha * world_val[p] * w->dense[world_crd[p] * WORLD_N + j];
        }
    return c;
}

void *
world_device(const void *from, size_t bytes)
{
    sb_cu_mem at;

    assert_int_equal(sb_emu_driver()->alloc(&at, bytes), 0);
    assert_int_equal(sb_emu_driver()->upload(at, from, bytes, NULL), 0);
    return (void *)(uintptr_t)at;
}

void
world_free(const void *array)
{
    if (array)
        assert_int_equal(sb_emu_driver()->free((uintptr_t)array), 0);
}

static void *
copy_array(const void *from, int64_t n, sb_dtype t)
{
    return from && n > 0 ? world_device(from, (size_t)n * sb_dtype_size(t)) : NULL;
}

sb_matrix
world_matrix(const sb_matrix *a)
{
    sb_matrix out = *a;
    const int64_t offsets = a->format == SB_FORMAT_CSC   ? a->cols
                            : a->format == SB_FORMAT_BSR ? a->rows / a->block
                            : a->format == SB_FORMAT_SELL
                                ? (a->rows + a->width - 1) / a->width
                                : a->rows;

    out.ptr = copy_array(a->ptr, offsets + 1, a->ptr_type);
    out.idx = copy_array(a->idx, a->nnz, a->idx_type);
    out.row = copy_array(a->row, a->nnz, a->idx_type);
    out.val = copy_array(a->val, gen_value_count(a), a->val_type);
    return out;
}

void
world_free_matrix(const sb_matrix *a)
{
    world_free(a->ptr);
    world_free(a->idx);
    world_free(a->row);
    world_free(a->val);
}

sb_dense
world_dense(const sb_dense *d)
{
    sb_dense out = *d;

    out.data = copy_array(d->data, gen_dense_extent(d), d->type);
    return out;
}

void
world_open(world *w)
{
    float zero[WORLD_M * WORLD_N] = {0};

    for (int q = 0; q < WORLD_K * WORLD_N; q++)
        w->dense[q] = (float)(q % 7 - 3);
    w->array[0] = world_device(world_ptr, sizeof world_ptr);
    w->array[1] = world_device(world_crd, sizeof world_crd);
    w->array[2] = world_device(world_val, sizeof world_val);
    w->array[3] = world_device(w->dense, sizeof w->dense);
    w->array[4] = world_device(zero, sizeof zero);
    world_must(spblasCreateOn(&w->h, "emu"));
    world_must(spblasCreateCsr(&w->a, WORLD_M, WORLD_K, WORLD_NNZ, w->array[0],
                               w->array[1], w->array[2], SPBLAS_INDEX_32I,
                               SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_32F));
    world_must(spblasCreateDnMat(&w->b, WORLD_K, WORLD_N, WORLD_N, w->array[3],
                                 SPBLAS_R_32F, SPBLAS_ORDER_ROW));
    world_must(spblasCreateDnMat(&w->c, WORLD_M, WORLD_N, WORLD_N, w->array[4],
                                 SPBLAS_R_32F, SPBLAS_ORDER_ROW));
}

void
world_close(world *w)
{
    world_must(spblasDestroySpMat(w->a));
    world_must(spblasDestroyDnMat(w->b));
    world_must(spblasDestroyDnMat(w->c));
    world_must(spblasDestroy(w->h));
    for (int q = 0; q < 5; q++)
        assert_int_equal(sb_emu_driver()->free((uintptr_t)w->array[q]), 0);
}

spblasStatus_t
world_analyse(const world *w)
{
    const float one = 1, zero = 0;

    return spblasSpMM_analysis(w->h, SPBLAS_OPERATION_NON_TRANSPOSE,
                               SPBLAS_OPERATION_NON_TRANSPOSE, &one, w->a, w->b, &zero,
                               w->c, SPBLAS_R_32F, SPBLAS_SPMM_ALG_DEFAULT, NULL);
}

spblasStatus_t
world_multiply(const world *w, const void *alpha, const void *beta)
{
    return spblasSpMM(w->h, SPBLAS_OPERATION_NON_TRANSPOSE,
                      SPBLAS_OPERATION_NON_TRANSPOSE, alpha, w->a, w->b, beta, w->c,
                      SPBLAS_R_32F, SPBLAS_SPMM_ALG_DEFAULT, NULL);
}

void
world_check(const world *w, float alpha)
{
    assert_memory_equal(w->array[4], world_expected(w, alpha),
                        WORLD_M * WORLD_N * sizeof(float));
}

void
world_forget(const world *w)
{
    memset(w->array[4], 0xff, WORLD_M * WORLD_N * sizeof(float));
}

void
world_empty_cache(void)
{
    static int number;
    char dir[300];

    (void)snprintf(dir, sizeof dir, "%s/cache%d", sb_box.root, number++);
    assert_int_equal(setenv("SPBLAS_CACHE_DIR", dir, 1), 0);
}

int
world_host_alone(void *value, int attribute, sb_cu_mem pointer)
{
    const int code = sb_emu_driver()->place(value, attribute, pointer);

    return *(int *)value == SB_CU_MEMORY_DEVICE ? code : SB_CU_INVALID_VALUE;
}

int
world_run(const char *folder, const struct CMUnitTest *tests, size_t count)
{
    int failed;

    if (setenv("SPBLAS_BACKEND", "emu", 1) != 0 || !sb_box_open(folder))
        return 1;
    cmocka_set_test_filter(getenv("SB_CASES")); /* tests/mutation */
    failed = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
    failed += sb_emu_count().blocks != 0;
    sb_box_close();
    return failed;
}

void
world_captures(call *c)
{
    const sb_driver *d = sb_emu_driver();
    sb_cu_ptr stream, graph;

    assert_int_equal(d->stream_create(&stream, 0), 0);
    world_must(spblasSetStream(c->handle, stream));
    assert_int_equal(d->capture_begin(stream, 0), 0);
    world_must(call_run(c));
    assert_int_equal(d->capture_end(stream, &graph), 0);
    assert_int_equal(d->graph_destroy(graph), 0);
    world_must(spblasSetStream(c->handle, NULL));
    assert_int_equal(d->stream_destroy(stream), 0);
}

void
world_only_launched(const sb_emu_counts *before)
{
    sb_emu_counts after = sb_emu_count();

    assert_true(after.launches > before->launches);
    after.launches = before->launches;
    assert_memory_equal(&after, before, sizeof after);
}
