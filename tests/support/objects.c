/*
 * The objects, and a table filled by code because its cells are calls.
 */
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

spblasHandle_t h, no_h;
spblasSpMatDescr_t A, O, R, Q, S, H16, no_sp;
spblasDnMatDescr_t B, C, X, Y, D64, no_dm;
spblasDnVecDescr_t x, y, no_dv;
int32_t ptr[4] = {0, 2, 2, 3}, idx[3] = {0, 3, 1}, rows[3] = {0, 0, 2};
float val[12], dense[64];
double wide[64];
void *const odd = (char *)(void *)wide + 2;
const float one = 1.0f;

enum { LINES = 400 };

typedef struct line {
    spblasStatus_t status;
    int expect;
    const char *call, *named;
    char sentence[240];
} line;

static line table[LINES];
static int lines;

void
objects_record(spblasStatus_t status, int expect, const char *call, const char *named)
{
    line *l = &table[lines];

    assert_in_range(lines, 0, LINES - 1);
    *l = (line){.status = status, .expect = expect, .call = call, .named = named};
    strncpy(l->sentence, spblasGetLastErrorMessage(NULL), sizeof l->sentence - 1);
    lines++;
}

void
objects_ok(spblasStatus_t st)
{
    assert_int_equal(st, SPBLAS_STATUS_SUCCESS);
}

int
objects_make(void **state)
{
    (void)state;
    objects_ok(spblasCreate(&h));
    objects_ok(spblasCreateCsr(&A, 3, 4, 3, ptr, idx, val, I32, I32, Z, F32));
    objects_ok(spblasCreateCoo(&O, 3, 4, 3, rows, idx, val, I32, Z, F32));
    objects_ok(spblasCreateCsc(&R, 4, 3, 3, ptr, idx, val, I32, I32, Z, F32));
    objects_ok(
        spblasCreateBsr(&Q, 3, 4, 3, 2, 2, ptr, idx, val, I32, I32, Z, F32, ROW));
    objects_ok(spblasCreateCsr(&S, 3, 2, 3, ptr, idx, val, I32, I32, Z, F32));
    objects_ok(spblasCreateCsr(&H16, 3, 4, 3, ptr, idx, val, U16, U16, Z, F32));
    objects_ok(spblasCreateDnMat(&B, 4, 2, 2, dense, F32, ROW));
    objects_ok(spblasCreateDnMat(&C, 3, 2, 2, dense + 32, F32, ROW));
    objects_ok(spblasCreateDnMat(&X, 3, 4, 4, dense, F32, ROW));
    objects_ok(spblasCreateDnMat(&Y, 4, 2, 4, dense, F32, COL));
    objects_ok(spblasCreateDnMat(&D64, 4, 2, 2, wide, F64, ROW));
    objects_ok(spblasCreateDnVec(&x, 4, dense, F32));
    objects_ok(spblasCreateDnVec(&y, 3, dense + 32, F32));
    return 0;
}

int
objects_end(void **state)
{
    (void)state;
    objects_ok(spblasDestroySpMat(A));
    objects_ok(spblasDestroySpMat(O));
    objects_ok(spblasDestroySpMat(R));
    objects_ok(spblasDestroySpMat(Q));
    objects_ok(spblasDestroySpMat(S));
    objects_ok(spblasDestroySpMat(H16));
    objects_ok(spblasDestroyDnMat(B));
    objects_ok(spblasDestroyDnMat(C));
    objects_ok(spblasDestroyDnMat(X));
    objects_ok(spblasDestroyDnMat(Y));
    objects_ok(spblasDestroyDnMat(D64));
    objects_ok(spblasDestroyDnVec(x));
    objects_ok(spblasDestroyDnVec(y));
    objects_ok(spblasDestroy(h));
    return 0;
}

/* The function's name stands before '(' in the line's text and begins the sentence; Const
 * variants may report as their plain sisters. */
static bool
begins_with_a_function(const char *sentence)
{
    return strncmp(sentence, "spblas", 6) == 0 && strchr(sentence, ':');
}

void
objects_judge(void)
{
    for (int i = 0; i < lines; i++) {
        if ((int)table[i].status != table[i].expect)
            fail_msg("%s\nreturned %d, want %d (%s)", table[i].call, table[i].status,
                     table[i].expect, table[i].sentence);
        if (!begins_with_a_function(table[i].sentence) ||
            !strstr(table[i].sentence, table[i].named))
            fail_msg("%s\nsays \"%s\", which does not name %s", table[i].call,
                     table[i].sentence, table[i].named);
    }
    assert_null(no_sp);
    assert_null(no_dm);
    assert_null(no_dv);
    lines = 0;
}
