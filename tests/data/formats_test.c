/*
 * Every ordered pair of the registry's formats on real matrices: the arrays are what the
 * format says, and there and back is the identity. Matrices of more than `--max-nnz`
 * entries (8000) are passed over, and so are formats that would be almost only padding.
 */
#include "fmtcheck.h"
#include "mm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMATS = 64, DENSE = 1 << 24 };

typedef struct world {
    const char *name;
    const sb_fmt *fmt[FORMATS];
    sb_tensor in[FORMATS]; /* the matrix in each */
    bool made[FORMATS];
    int n, failed;
    int64_t pairs;
} world;

static void
fail(world *w, const char *from, const char *to, const char *why)
{
    printf("%s: %s to %s: %s\n", w->name, from, to, why);
    w->failed++;
}

/* Whether a conversion ended as it may; EINVAL is for padding only. */
static bool
ended(world *w, const char *from, const char *to, sb_status st, const sb_diag *diag)
{
    if (st == SB_OK)
        return true;
    if (st != SB_EINVAL || !strstr(diag->text, "slots for"))
        fail(w, from, to, diag->text);
    return false;
}

static void
pair(world *w, int p, int q)
{
    const sb_tensor *a = &w->in[p];
    const char *from = a->fmt->name, *to = w->fmt[q]->name;
    sb_tensor there, back;
    sb_diag diag = {0};
    char message[300];

    if (!ended(w, from, to, sb_tensor_convert(&there, a, w->fmt[q], NULL, NULL, &diag),
               &diag))
        return;
    w->pairs++;
    if (!fmt_equal(&there, &w->in[q], message, sizeof message))
        fail(w, from, to, message);
    if (ended(w, to, from, sb_tensor_convert(&back, &there, a->fmt, NULL, NULL, &diag),
              &diag) &&
        !fmt_equal(&back, a, message, sizeof message))
        fail(w, from, to, message);
    sb_tensor_free(&there);
    sb_tensor_free(&back);
}

/* Rows of a file as coordinates; zeros of the file become ones, so that padded formats
 * keep every element. */
static sb_tensor_coo
list_of(mm_matrix *m, int64_t *row)
{
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t p = m->ptr[i]; p < m->ptr[i + 1]; p++) {
            row[p] = i;
            if (m->field == MM_COMPLEX)
                m->val[p] = m->val[2 * p];
            if (m->val[p] == 0.0)
                m->val[p] = 1.0;
        }
    return (sb_tensor_coo){.ndim = 2,
                           .extent = {m->rows, m->cols},
                           .nnz = m->nnz,
                           .coord = {row, m->col},
                           .val = m->val,
                           .val_type = SB_F64};
}

static void
matrix(world *w, mm_matrix *m)
{
    int64_t *row = malloc((size_t)(m->nnz + 1) * sizeof *row);
    const sb_tensor_coo coo = list_of(m, row);
    const bool small = m->rows * m->cols <= DENSE;
    fmt_dense d = {0};

    if (small)
        d = fmt_dense_of(&coo);
    for (int p = 0; p < w->n; p++) {
        sb_diag diag = {0};
        char message[300];

        w->made[p] = ended(
            w, "file", w->fmt[p]->name,
            sb_tensor_from_coo(&w->in[p], w->fmt[p], &coo, false, NULL, &diag), &diag);
        if (w->made[p] && small && !fmt_check(&w->in[p], &d, message, sizeof message))
            fail(w, "file", w->fmt[p]->name, message);
    }
    for (int p = 0; p < w->n; p++)
        for (int q = 0; q < w->n && w->made[p]; q++)
            if (w->made[q])
                pair(w, p, q);
    for (int p = 0; p < w->n; p++)
        sb_tensor_free(&w->in[p]);
    fmt_dense_free(&d);
    free(row);
}

int
main(int argc, char **argv)
{
    world w = {0};
    int64_t max_nnz = 8000;
    int matrices = 0, k = 1;
    sb_arena ar;

    sb_arena_init(&ar);
    for (int f = 0; sb_fmt_registry(f); f++) {
        if (sb_fmt_parse(&w.fmt[w.n], &ar, sb_fmt_registry(f)->name, NULL) != SB_OK)
            return 2;
        w.n += w.fmt[w.n]->ndim == 2;
    }
    if (argc > 2 && strcmp(argv[1], "--max-nnz") == 0) {
        max_nnz = atoll(argv[2]);
        k = 3;
    }
    for (; k < argc; k++) {
        const mm_options opt = {0};
        mm_matrix m;
        mm_error err;

        w.name = strrchr(argv[k], '/') ? strrchr(argv[k], '/') + 1 : argv[k];
        if (mm_read(&m, argv[k], &opt, &err) != MM_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 2;
        }
        if (m.nnz <= max_nnz) {
            matrix(&w, &m);
            matrices++;
        }
        mm_free(&m);
    }
    printf("%d matrices, %lld pairs, %d wrong\n", matrices, (long long)w.pairs,
           w.failed);
    fmt_check_forget();
    sb_arena_free(&ar);
    return w.failed > 0;
}
