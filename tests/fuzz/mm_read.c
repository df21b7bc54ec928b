/*
 * Matrix Market and triples: any bytes end in a matrix whose structure holds, or in a
 * sentence that names the input, and nothing is left behind.
 * A leading # makes it a file of triples.
 */
#include "mm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const mm_matrix *m)
{
    int64_t i, p;

    if (m->rows < 0 || m->cols < 0 || m->nnz < 0 || m->ptr[0] != 0 ||
        m->ptr[m->rows] != m->nnz)
        abort();
    for (i = 0; i < m->rows; i++)
        for (p = m->ptr[i]; p < m->ptr[i + 1]; p++)
            if (m->col[p] < 0 || m->col[p] >= m->cols ||
                (p > m->ptr[i] && m->col[p - 1] >= m->col[p]))
                abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mm_options opt = {.max_bytes = 1 << 16};
    const char *name = size && data[0] == '#' ? "fuzz.tsv" : "fuzz.mtx";
    mm_error err = {0};
    mm_matrix m;
    const mm_status st = mm_read_memory(&m, name, data, size, &opt, &err);

    if (st == MM_OK) {
        check(&m);
        mm_free(&m);
    } else if (m.ptr || m.col || m.val || !err.text[0]) {
        abort();
    } else if (st == MM_EFORMAT && strncmp(err.text, name, strlen(name)) != 0) {
        abort();
    }
    return 0;
}
