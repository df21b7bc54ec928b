/*
 * `spblas convert`: one matrix from a format into another, timed, and back again to see
 * that nothing was lost.
 */
#include "arrays.h"
#include "elem.h"
#include "report.h"
#include "steps.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { PARTS_SHOWN = 16, NUMBERS_SHOWN = 4000 };

typedef struct convert_call {
    const char *from, *to, *type, *out;
    int64_t index, threads;
    bool steps, show, help;
} convert_call;

/* The file as CSR of the type asked for, and everything made of it. */
typedef struct conversion {
    const convert_call *call;
    elem type;
    void *ptr, *col, *val;
    spblasHandle_t handle;
    spblasFormatDescr_t from, to, csr;
    spblasSpMatDescr_t file, source, result, back;
} conversion;

static int
fail(const char *what)
{
    return tool_complain("%s: %s", what, spblasGetLastErrorMessage(NULL));
}

/* ---- Matrices -------------------------------------------------------------------- */

static int
load(conversion *c, const mm_matrix *m)
{
    const bool wide = c->call->index == 64, complex = m->field == MM_COMPLEX;
    const spblasIndexType_t index = wide ? SPBLAS_INDEX_64I : SPBLAS_INDEX_32I;
    int64_t p;

    if (complex && !elem_is_complex(c->type))
        return tool_complain("the matrix is complex; give --type c32 or c64");
    if (!wide && (m->nnz > INT32_MAX || m->rows > INT32_MAX || m->cols > INT32_MAX))
        return tool_complain("too large for 32-bit indices; give --index 64");
    c->ptr = tool_memory(m->rows + 1, wide ? 8 : 4);
    c->col = tool_memory(m->nnz, wide ? 8 : 4);
    c->val = tool_memory(m->nnz, elem_size(c->type));
    for (p = 0; p <= m->rows; p++) {
        if (wide)
            ((int64_t *)c->ptr)[p] = m->ptr[p];
        else
            ((int32_t *)c->ptr)[p] = (int32_t)m->ptr[p];
    }
    for (p = 0; p < m->nnz; p++) {
        if (wide)
            ((int64_t *)c->col)[p] = m->col[p];
        else
            ((int32_t *)c->col)[p] = (int32_t)m->col[p];
        elem_put(c->type, c->val, p, m->val[complex ? 2 * p : p],
                 complex ? m->val[2 * p + 1] : 0.0);
    }
    return spblasCreateCsr(&c->file, m->rows, m->cols, m->nnz, c->ptr, c->col, c->val,
                           index, index, SPBLAS_INDEX_BASE_ZERO, elem_type(c->type))
               ? fail("matrix")
               : TOOL_OK;
}

static void
release(conversion *c)
{
    spblasDestroySpMat(c->file);
    spblasDestroySpMat(c->source);
    spblasDestroySpMat(c->result);
    spblasDestroySpMat(c->back);
    spblasDestroyFormat(c->from);
    spblasDestroyFormat(c->to);
    spblasDestroyFormat(c->csr);
    spblasDestroy(c->handle);
    free(c->ptr);
    free(c->col);
    free(c->val);
}

/* Least of at least three runs, for about half a second. */
static int
convert(conversion *c, double *best)
{
    double total = 0.0;
    int round;

    if (spblasConvert(c->handle, c->file, c->from, &c->source))
        return fail("--from");
    for (round = 0; round < 3 || (total < 0.5 && round < 1000); round++) {
        double took = tool_seconds();

        spblasDestroySpMat(c->result);
        if (spblasConvert(c->handle, c->source, c->to, &c->result))
            return fail("--to");
        took = tool_seconds() - took;
        total += took;
        *best = round == 0 || took < *best ? took : *best;
    }
    return TOOL_OK;
}

/* ---- Comparison ------------------------------------------------------------------ */

typedef struct csr_arrays {
    int64_t rows, cols, nnz;
    const void *ptr, *col, *val;
    spblasIndexType_t ptr_type, col_type;
} csr_arrays;

static int64_t
at(const void *array, spblasIndexType_t type, int64_t p)
{
    return type == SPBLAS_INDEX_64I ? ((const int64_t *)array)[p]
                                    : ((const int32_t *)array)[p];
}

static int
get_csr(csr_arrays *a, spblasConstSpMatDescr_t m)
{
    spblasIndexBase_t base;
    spblasDataType_t type;

    return spblasConstCsrGet(m, &a->rows, &a->cols, &a->nnz, &a->ptr, &a->col, &a->val,
                             &a->ptr_type, &a->col_type, &base, &type)
               ? fail("back to csr")
               : TOOL_OK;
}

static bool
is_zero(elem type, const void *val, int64_t p)
{
    double re, im;

    elem_get(type, val, p, &re, &im);
    return re == 0.0 && im == 0.0;
}

/* Zeros of the file that are missing; -1: some other element differs. */
static int64_t
lost_zeros(const csr_arrays *a, const csr_arrays *b, elem type)
{
    const size_t size = elem_size(type);
    int64_t lost = 0, i, p, q = 0;

    for (i = 0; i < a->rows; i++) {
        const int64_t stop = at(b->ptr, b->ptr_type, i + 1);

        for (p = at(a->ptr, a->ptr_type, i); p < at(a->ptr, a->ptr_type, i + 1); p++) {
            if (q < stop && at(b->col, b->col_type, q) == at(a->col, a->col_type, p) &&
                memcmp((const char *)a->val + (size_t)p * size,
                       (const char *)b->val + (size_t)q * size, size) == 0)
                q++;
            else if (is_zero(type, a->val, p))
                lost++;
            else
                return -1;
        }
        if (q != stop)
            return -1;
    }
    return lost;
}

static int
compare(conversion *c)
{
    csr_arrays a, b;
    int64_t lost;

    if (spblasConvert(c->handle, c->result, c->csr, &c->back))
        return fail("back to csr");
    if (get_csr(&a, c->file) || get_csr(&b, c->back))
        return TOOL_USAGE;
    lost = a.rows == b.rows && a.cols == b.cols ? lost_zeros(&a, &b, c->type) : -1;
    printf("check     back to csr: ");
    if (lost < 0)
        puts("other elements: FAIL");
    else if (lost > 0)
        printf("the same elements but %lld stored zeros, which became padding: PASS\n",
               (long long)lost);
    else
        printf("the same %lld elements: PASS\n", (long long)a.nnz);
    return lost < 0 ? TOOL_WRONG : TOOL_OK;
}

/* ---- Output ---------------------------------------------------------------------- */

static const char *
kind_of(spblasConstSpMatDescr_t a)
{
    spblasFormat_t f = SPBLAS_FORMAT_CUSTOM;

    (void)spblasSpMatGetFormat(a, &f);
    return f == SPBLAS_FORMAT_CSR   ? "CSR"
           : f == SPBLAS_FORMAT_CSC ? "CSC"
           : f == SPBLAS_FORMAT_COO ? "COO"
           : f == SPBLAS_FORMAT_BSR ? "BSR"
                                    : "CUSTOM";
}

static void
show_format(const char *word, spblasConstSpMatDescr_t a)
{
    char *text = arrays_format(a, -1);

    printf("%-9s %.*s\n", word, (int)strcspn(text, "\n"), text);
    if (strchr(text, '\n'))
        show_indented("          ", strchr(text, '\n') + 1);
    free(text);
}

static void
show_speed(const conversion *c, double seconds)
{
    double read, written;
    int64_t numbers;

    arrays_count(c->source, c->type, &numbers, &read);
    arrays_count(c->result, c->type, &numbers, &written);
    printf("bytes     %s read, %s written\n", show_bytes(read), show_bytes(written));
    printf("time      %s, %.3g GB/s read and written\n", show_seconds(seconds),
           1e-9 * (read + written) / seconds);
}

static int
show_steps(const conversion *c, const mm_matrix *m)
{
    char fault[512], *text;

    text = steps_of(m, c->call->from, c->call->to, fault, sizeof fault);
    if (!text)
        return tool_complain("--steps: %s", fault);
    puts("steps     of the general path");
    show_indented("          ", text);
    free(text);
    return TOOL_OK;
}

static int
show_numbers(const conversion *c)
{
    int64_t numbers;
    double bytes;

    arrays_count(c->result, c->type, &numbers, &bytes);
    if (numbers > NUMBERS_SHOWN)
        return tool_complain("--show: %lld numbers are more than the %d it shows; "
                             "--out FILE takes them all",
                             (long long)numbers, NUMBERS_SHOWN);
    arrays_print(stdout, c->result, c->type);
    return TOOL_OK;
}

static int
write_numbers(const conversion *c)
{
    FILE *to = fopen(c->call->out, "w");
    bool bad = !to;

    if (to) {
        arrays_print(to, c->result, c->type);
        bad = ferror(to);
        bad = fclose(to) || bad;
    }
    return bad ? tool_complain("%s: cannot be written", c->call->out) : TOOL_OK;
}

static int
report(conversion *c, const mm_matrix *m)
{
    double seconds = 0.0;
    int code;

    if ((code = load(c, m)) || (code = convert(c, &seconds)))
        return code;
    show_format("from", c->source);
    show_format("to", c->result);
    printf("result    a matrix of format %s\n", kind_of(c->result));
    arrays_report(stdout, c->result, c->type, PARTS_SHOWN);
    show_speed(c, seconds);
    if (c->call->steps && (code = show_steps(c, m)))
        return code;
    if (c->call->show && (code = show_numbers(c)))
        return code;
    if (c->call->out && (code = write_numbers(c)))
        return code;
    return compare(c);
}

/* ---- Command --------------------------------------------------------------------- */

/* Formats first: a mistake in one should not wait for the file. */
static int
run(const convert_call *call, const char *path)
{
    conversion c = {.call = call};
    mm_matrix m;
    int code = TOOL_OK;

    if (!elem_parse(call->type, &c.type))
        return tool_complain("--type %s: f32, f64, f16, bf16, c32 or c64", call->type);
    if (spblasCreate(&c.handle))
        code = fail("handle");
    else if (spblasCreateFormat(&c.from, call->from))
        code = fail("--from");
    else if (spblasCreateFormat(&c.to, call->to))
        code = fail("--to");
    else if (spblasCreateFormat(&c.csr, "csr"))
        code = fail("csr");
    if (code == TOOL_OK && tool_read(&m, path))
        code = TOOL_USAGE;
    else if (code == TOOL_OK) {
        show_matrix(path, &m);
        code = report(&c, &m);
        mm_free(&m);
    }
    release(&c);
    return code;
}

int
tool_convert(int argc, char **argv)
{
    convert_call call = {.from = "csr", .type = "f64", .index = 32};
    const arg_spec specs[] = {
        {"--to", ARG_TEXT, &call.to, "format: a definition, or a name as \"bsr<8>\""},
        {"--from", ARG_TEXT, &call.from, "format it is converted from (csr)"},
        {"--type", ARG_TEXT, &call.type, "f32, f64, f16, bf16, c32, c64 (f64)"},
        {"--index", ARG_INT, &call.index, "32 or 64 bits (32)"},
        {"--threads", ARG_INT, &call.threads, "OpenMP threads (all cores)"},
        {"--steps", ARG_FLAG, &call.steps, "the operators a conversion goes through"},
        {"--show", ARG_FLAG, &call.show, "the arrays themselves, of a small matrix"},
        {"--out", ARG_TEXT, &call.out, "write the arrays into this file"},
        {"--help", ARG_FLAG, &call.help, "this text"},
        {NULL, ARG_FLAG, NULL, NULL},
    };
    const char *file[1] = {NULL};
    int count;

    if (arg_parse(argc, argv, specs, file, 1, &count))
        return TOOL_USAGE;
    if (call.help) {
        puts("usage: spblas convert FILE.mtx[.gz] --to FORMAT [options]");
        arg_help(specs);
        return TOOL_OK;
    }
    if (count == 0 || !call.to)
        return tool_complain("convert wants a matrix file and --to FORMAT");
    if (call.index != 32 && call.index != 64)
        return tool_complain("--index %lld: 32 or 64", (long long)call.index);
    if (call.threads < 0 || call.threads > 1024)
        return tool_complain("--threads %lld: 1 .. 1024", (long long)call.threads);
#ifdef _OPENMP
    if (call.threads > 0)
        omp_set_num_threads((int)call.threads);
#endif
    return run(&call, file[0]);
}
