/*
 * From compressed rows to CSC, COO and BSR, in the order the formats list their values:
 * down the columns, along the rows, block by block (rows of a block one after another).
 */
#include "form.h"

#include "tool.h"

#include <stdlib.h>
#include <string.h>

bool
form_parse(const char *word, job_format *format, int64_t *block)
{
    static const char *const names[] = {"csr", "csc", "coo", "bsr"};
    char *end;
    int k;

    *block = 1;
    for (k = 0; k < JOB_BSR; k++)
        if (strcmp(word, names[k]) == 0) {
            *format = (job_format)k;
            return true;
        }
    if (strncmp(word, "bsr", 3) != 0)
        return false;
    *format = JOB_BSR;
    *block = strtol(word + 3, &end, 10);
    return *end == '\0' && end > word + 3 && *block >= 1 && *block <= 1024;
}

static void
put(const job *j, void *array, int64_t p, int64_t value)
{
    if (j->spec.wide)
        ((int64_t *)array)[p] = value;
    else
        ((int32_t *)array)[p] = (int32_t)value;
}

static void *
indices(const job *j, int64_t count)
{
    return tool_memory(count, j->spec.wide ? sizeof(int64_t) : sizeof(int32_t));
}

static void
make_csc(job *j)
{
    int64_t *next = tool_memory(j->cols + 2, sizeof *next), i, p, q;

    j->major = indices(j, j->cols + 1);
    j->minor = indices(j, j->nnz);
    j->place = tool_memory(j->nnz, sizeof *j->place);
    for (p = 0; p < j->nnz; p++)
        next[job_index(j, j->col, p) + 2]++;
    for (i = 0; i <= j->cols; i++) {
        next[i + 1] += next[i];
        put(j, j->major, i, next[i + 1]);
    }
    for (i = 0; i < j->rows; i++)
        for (p = job_index(j, j->ptr, i); p < job_index(j, j->ptr, i + 1); p++) {
            q = next[job_index(j, j->col, p) + 1]++;
            put(j, j->minor, q, i);
            j->place[p] = q;
        }
    free(next);
}

static void
make_coo(job *j)
{
    int64_t i, p;

    j->major = indices(j, j->nnz);
    for (i = 0; i < j->rows; i++)
        for (p = job_index(j, j->ptr, i); p < job_index(j, j->ptr, i + 1); p++)
            put(j, j->major, p, i);
}

/* Numbers the blocks of block row i from `done` on, by column; returns the next number.
 * at: a zero per block column, and again so after. */
static int64_t
block_row(job *j, int64_t i, int64_t done, int64_t *at)
{
    const int64_t b = j->spec.block, blocks = j->cols / b;
    const int64_t lo = job_index(j, j->ptr, i * b);
    const int64_t hi = job_index(j, j->ptr, (i + 1) * b);
    int64_t p, c;

    for (p = lo; p < hi; p++)
        at[job_index(j, j->col, p) / b] = 1;
    for (c = 0; c < blocks; c++)
        if (at[c]) {
            if (j->minor)
                put(j, j->minor, done, c);
            at[c] = done++;
        }
    for (p = lo; p < hi && j->place; p++) {
        const int64_t col = job_index(j, j->col, p);

        j->place[p] = at[col / b] * b * b + col % b;
    }
    memset(at, 0, (size_t)blocks * sizeof *at);
    return done;
}

static void
make_bsr(job *j)
{
    const int64_t b = j->spec.block;
    int64_t *at = tool_memory(j->cols / b + 1, sizeof *at), blocks = 0, i, p;

    j->major = indices(j, j->rows / b + 1);
    for (i = 0; i < j->rows / b; i++) {
        blocks = block_row(j, i, blocks, at);
        put(j, j->major, i + 1, blocks);
    }
    j->minor = indices(j, blocks);
    j->place = tool_memory(j->nnz, sizeof *j->place);
    j->count = blocks * b * b;
    for (i = 0; i < j->rows / b; i++)
        block_row(j, i, job_index(j, j->major, i), at);
    for (i = 0; i < j->rows; i++)
        for (p = job_index(j, j->ptr, i); p < job_index(j, j->ptr, i + 1); p++)
            j->place[p] += i % b * b;
    free(at);
}

void
form_make(job *j)
{
    static void (*const make[])(job *) = {NULL, make_csc, make_coo, make_bsr};

    j->count = j->nnz;
    if (make[j->spec.format])
        make[j->spec.format](j);
}

void
form_values(const job *j, void *to, const void *from)
{
    const size_t size = elem_size(j->spec.type);
    int64_t p;

    for (p = 0; p < j->nnz; p++)
        memcpy((char *)to + (size_t)job_place(j, p) * size,
               (const char *)from + (size_t)p * size, size);
}

spblasStatus_t
form_describe(job *j, void *values)
{
    const spblasIndexType_t index = j->spec.wide ? SPBLAS_INDEX_64I : SPBLAS_INDEX_32I;
    const spblasIndexBase_t base = SPBLAS_INDEX_BASE_ZERO;
    const spblasDataType_t type = elem_type(j->spec.type);
    const int64_t b = j->spec.block;

    switch (j->spec.format) {
    case JOB_CSC:
        return spblasCreateCsc(&j->a, j->rows, j->cols, j->nnz, j->major, j->minor,
                               values, index, index, base, type);
    case JOB_COO:
        return spblasCreateCoo(&j->a, j->rows, j->cols, j->nnz, j->major, j->col,
                               values, index, base, type);
    case JOB_BSR:
        return spblasCreateBsr(&j->a, j->rows / b, j->cols / b, j->count / (b * b), b,
                               b, j->major, j->minor, values, index, index, base, type,
                               SPBLAS_ORDER_ROW);
    case JOB_CSR:
        break;
    }
    return spblasCreateCsr(&j->a, j->rows, j->cols, j->nnz, j->ptr, j->col, values,
                           index, index, base, type);
}

void
form_free(job *j)
{
    free(j->major);
    free(j->minor);
    free(j->place);
    free(j->stored);
}
