/*
 * What a first look at the samples prices by bounds alone is not chosen, on level v4: pairs of
 * rows share columns by twos, three rows none.
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "plan_text.h"
#include "runtime/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 6000, CLUSTERS = 9, WIDTH = 3, APART = 700 };
enum { ROW = CLUSTERS * WIDTH, COLS = 3 * ROWS + CLUSTERS * APART };

static void
test_bounds(void **state)
{
    static const sb_dtype types[] = {SB_F32, SB_F64};
    int32_t *ptr = malloc((ROWS + 1) * sizeof *ptr),
            *crd = malloc(sizeof *crd * ROWS * ROW);
    double *val = calloc((size_t)ROWS * ROW, sizeof *val);
    char text[256];

    (void)state;
    assert_true(ptr && crd && val);
    for (int i = 0; i <= ROWS; i++)
        ptr[i] = i * ROW;
    for (int q = 0; q < ROWS * ROW; q++) {
        const int i = q / ROW, k = q % ROW / WIDTH;

        crd[q] = 6 * (i / 2) + i % 2 + k * APART + q % WIDTH;
    }
    for (int q = 0; q < SB_COUNT(types); q++) {
        const sb_matrix a = {.format = SB_FORMAT_CSR,
                             .rows = ROWS,
                             .cols = COLS,
                             .nnz = ROWS * ROW,
                             .ptr_type = SB_I32,
                             .idx_type = SB_I32,
                             .val_type = types[q],
                             .ptr = ptr,
                             .idx = crd,
                             .val = val,
                             .batch = 1};

        plan_text(text, sizeof text, &a, 1, types[q], false);
        if (strstr(text, "(part rows") || strstr(text, "(part win"))
            fail_msg("%s", text);
    }
    free(ptr);
    free(crd);
    free(val);
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    return setenv("SPBLAS_ISA", "v4", 1) || setenv("SPBLAS_JIT", "off", 1) ||
           setenv("SPBLAS_MODEL", "off", 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds)};

    return cmocka_run_group_tests(tests, start, NULL);
}
