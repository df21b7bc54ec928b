#include "conform.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PICKS_MAX = 24, ROOM = 4096 };

static struct {
    const char *name;
    int count, at;
    int64_t value; /* as picked, for the case's name */
} picks[PICKS_MAX];
static int known; /* picks that the case makes */
static int next;  /* to be made now */

static _Alignas(64) char room[ROOM];
char conform_kept[1];
sigjmp_buf conform_return;

static void
crashed(int signal)
{
    (void)signal;
    siglongjmp(conform_return, 1);
}

int64_t
conform_pick(const char *name, const int64_t *values, int count)
{
    const int k = next++;

    if (k >= known) {
        known = k + 1;
        picks[k].name = name;
        picks[k].count = count;
        picks[k].at = 0;
    }
    picks[k].value = values[picks[k].at];
    return picks[k].value;
}

void *
conform_array(const char *name)
{
    const int64_t shift = PICK(name, 0, -1, 1, 2, 4, 8);

    return shift < 0 ? NULL : room + shift;
}

void *
conform_out(const char *name, void *out)
{
    return PICK(name, 1, 0) ? out : NULL;
}

int64_t
conform_size(const char *name, int64_t ordinary)
{
    return PICK(name, ordinary, -1, 0, 1, 5, INT32_MAX - 1, INT32_MAX,
                (int64_t)INT32_MAX + 1, INT64_MAX);
}

cudaDataType
conform_type(void)
{
    return (cudaDataType)PICK("type", 0, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
                              14, 15, 16, 20, 28, 33, 36, 1000);
}

cusparseIndexType_t
conform_index(const char *name)
{
    return (cusparseIndexType_t)PICK(name, 2, 3, 1, 0, 4, -1);
}

cusparseIndexBase_t
conform_base(void)
{
    return (cusparseIndexBase_t)PICK("base", 0, 1, 2, -1);
}

static void
run(void (*body)(void))
{
    next = 0;
    body();
}

void
conform_explore(void (*body)(void))
{
    (void)signal(SIGSEGV, crashed);
    known = 0;
    run(body);
    for (int a = 0; a < known; a++) {
        for (picks[a].at = 1; picks[a].at < picks[a].count; picks[a].at++) {
            run(body);
            for (int b = a + 1; b < known; b++) {
                for (picks[b].at = 1; picks[b].at < picks[b].count; picks[b].at++)
                    run(body);
                picks[b].at = 0;
            }
        }
        picks[a].at = 0;
    }
}

void
conform_row(const char *function, int status, const char *format, ...)
{
    const char *gap = "";
    va_list args;

    (void)printf("%s\t", function);
    for (int k = 0; k < known; k++) {
        if (picks[k].at) {
            (void)printf("%s%s=%lld", gap, picks[k].name, (long long)picks[k].value);
            gap = " ";
        }
    }
    (void)printf("\t%d\t", status);
    va_start(args, format);
    (void)vprintf(format, args);
    va_end(args);
    (void)putchar('\n');
}

const char *
conform_pointer(const void *p)
{
    static char texts[4][24];
    static int turn;
    const char *const c = p;
    char *const text = texts[turn++ % 4];

    if (!p)
        return "NULL";
    if (c == conform_kept)
        return "kept";
    if (c < room || c >= room + ROOM)
        return "object";
    (void)snprintf(text, sizeof texts[0], "%d", (int)(c - room));
    return text;
}

/* ---- Objects ------------------------------------------------------------------------ */

void *
conform_make(enum conform_kind kind)
{
    const cusparseIndexType_t i = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t b = CUSPARSE_INDEX_BASE_ONE;
    char *const p = room, *const q = room + 256, *const v = room + 512;
    cusparseSpMatDescr_t s = NULL;
    cusparseDnMatDescr_t d = NULL;
    cusparseDnVecDescr_t x = NULL;
    cusparseSpVecDescr_t z = NULL;

    switch (kind) {
    case CONFORM_CSR:
        (void)cusparseCreateCsr(&s, 4, 6, 5, p, q, v, i, i, b, CUDA_R_64F);
        return s;
    case CONFORM_CSC:
        (void)cusparseCreateCsc(&s, 4, 6, 5, p, q, v, i, i, b, CUDA_R_64F);
        return s;
    case CONFORM_COO:
        (void)cusparseCreateCoo(&s, 4, 6, 5, p, q, v, i, b, CUDA_R_64F);
        return s;
    case CONFORM_BSR:
        (void)cusparseCreateBsr(&s, 2, 3, 5, 2, 2, p, q, v, i, i, b, CUDA_R_64F,
                                CUSPARSE_ORDER_ROW);
        return s;
    case CONFORM_BELL:
        (void)cusparseCreateBlockedEll(&s, 4, 6, 2, 4, p, v, i, b, CUDA_R_64F);
        return s;
    case CONFORM_SELL:
        (void)cusparseCreateSlicedEll(&s, 4, 6, 5, 8, 2, p, q, v, i, i, b, CUDA_R_64F);
        return s;
    case CONFORM_DNMAT:
        (void)cusparseCreateDnMat(&d, 4, 6, 8, v, CUDA_R_64F, CUSPARSE_ORDER_ROW);
        return d;
    case CONFORM_DNVEC:
        (void)cusparseCreateDnVec(&x, 4, v, CUDA_R_64F);
        return x;
    case CONFORM_SPVEC:
        (void)cusparseCreateSpVec(&z, 9, 4, q, v, i, b, CUDA_R_64F);
        return z;
    case CONFORM_NONE:
        break;
    }
    return NULL;
}

void
conform_end(enum conform_kind kind, void *object)
{
    if (kind <= CONFORM_SELL)
        (void)cusparseDestroySpMat(object);
    else if (kind == CONFORM_DNMAT)
        (void)cusparseDestroyDnMat(object);
    else if (kind == CONFORM_DNVEC)
        (void)cusparseDestroyDnVec(object);
    else if (kind == CONFORM_SPVEC)
        (void)cusparseDestroySpVec(object);
}
