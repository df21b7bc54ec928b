/*
 * What a GPU can do at most, for the bounds that kernels are judged by: rows gathered at
 * random by their length and the memory they lie in, with loads and with the copy engine;
 * a launch alone and in a graph; sums into rows of C by atomics.
 *
 *   gpu_limits [--backend gpu|emu] [--seconds S] [--tiny 1]
 *   gpu_limits --compile sm_90
 *
 * One line of JSON a measurement to stdout.
 */
#include "gpu_lab.h"

#include "gpu_limits_text.h"

#include "gpu/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What every kernel of gpu_limits_text.h is called with. */
typedef struct arguments {
    const void *b;
    const int *row;
    float *c;
    int64_t count, bytes, per;
} arguments;

typedef struct shot {
    sb_cu_ptr kernel;
    unsigned blocks, threads, shared;
    arguments args;
} shot;

static bool
fire(void *user)
{
    shot *s = user;
    size_t bytes = sizeof s->args;
    void *extra[] = {SB_CU_EXTRA_BUFFER, &s->args, SB_CU_EXTRA_SIZE, &bytes,
                     SB_CU_EXTRA_END};

    return gpu.d->launch(s->kernel, s->blocks, 1, 1, s->threads, 1, 1, s->shared,
                         gpu.stream, NULL, extra) == 0;
}

static double deadline;
static bool tiny;

static bool
late(void)
{
    return gpu_now() > deadline;
}

static void *
at(sb_cu_mem m)
{
    return (void *)(uintptr_t)m;
}

/* Rows at random, each index below `rows`. */
static sb_cu_mem
random_rows(int64_t count, int64_t rows)
{
    int *row = malloc((size_t)count * sizeof *row);
    uint64_t s = 88172645463325252u;
    sb_cu_mem m;

    if (!row) {
        (void)fputs("gpu_limits: no memory\n", stderr);
        exit(1);
    }
    for (int64_t q = 0; q < count; q++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        row[q] = (int)(s % (uint64_t)rows);
    }
    m = gpu_copy(row, (size_t)count * sizeof *row);
    free(row);
    return m;
}

/* ---- launches --------------------------------------------------------------------------------- */

static void
launches(void)
{
    const int count = tiny ? 2 : 200;
    shot s = {.kernel = gpu_kernel(gpu_limits_text, "nothing"), .threads = 128};

    for (unsigned blocks = 1; s.kernel && blocks <= 1024; blocks *= 32) {
        s.blocks = blocks;
        (void)printf("{\"limit\": \"launch\", \"blocks\": %u, \"row\": %.4g, "
                     "\"graph\": %.4g}\n",
                     blocks, gpu_seconds(fire, &s, count),
                     gpu_replayed(fire, &s, tiny ? 2 : 100));
    }
}

/* ---- gathers ---------------------------------------------------------------------------------- */

enum { PER = 16 }; /* rows a group of lanes takes */

static void
gather(sb_cu_ptr kernel, const char *way, sb_cu_mem b, sb_cu_mem c, int64_t footprint,
       int64_t bytes)
{
    const int64_t count = tiny ? 512 : (int64_t)1 << 21 >> (bytes > 256);
    const int group = bytes >= 512 ? 32 : (int)(bytes / 16);
    const sb_cu_mem row = random_rows(count, footprint / bytes);
    const bool bulk = strcmp(way, "bulk") == 0;
    const int64_t groups = count / PER, in_block = bulk ? 4 : 128 / group;
    shot s = {kernel,
              (unsigned)((groups + in_block - 1) / in_block),
              128,
              0,
              {at(b), at(row), at(c), count, bytes, PER}};
    const double t = gpu_seconds(fire, &s, tiny ? 1 : 4);

    (void)printf("{\"limit\": \"gather\", \"way\": \"%s\", \"row_bytes\": %lld, "
                 "\"footprint\": %lld, \"seconds\": %.4g, \"bytes_a_second\": %.4g}\n",
                 way, (long long)bytes, (long long)footprint, t,
                 (double)(count * bytes) / t);
    (void)fflush(stdout);
    (void)gpu.d->free(row);
}

static void
gathers(void)
{
    const int64_t most = tiny ? 8192 : (int64_t)1 << 30;
    const int64_t least = tiny ? 4096 : (int64_t)2 << 20;
    const sb_cu_mem b = gpu_room((size_t)most), c = gpu_room((size_t)1 << 22);
    sb_cu_ptr loads = gpu_kernel(gpu_limits_text, "gather");
    sb_cu_ptr bulk = gpu_kernel(gpu_limits_text, "bulk");

    gpu_need(gpu.d->fill(b, 1, (size_t)most, gpu.stream), "filling");
    for (int64_t f = least; f <= most && !late(); f *= 2)
        for (int64_t bytes = 128; bytes <= 1024 && !late(); bytes *= 2) {
            if (loads)
                gather(loads, "loads", b, c, f, bytes);
            if (bulk)
                gather(bulk, "bulk", b, c, f, bytes);
        }
    (void)gpu.d->free(b);
    (void)gpu.d->free(c);
}

/* ---- atomics ---------------------------------------------------------------------------------- */

static void
atomics(void)
{
    static const char *const ways[] = {"stores", "atomics", "atomics4"};
    const int64_t count = tiny ? 128 : (int64_t)1 << 20;

    for (int q = 0; q < 3; q++) {
        sb_cu_ptr kernel = gpu_kernel(gpu_limits_text, ways[q]);

        for (int n = 32; kernel && n <= 128 && !late(); n *= 4)
            for (int64_t rows = tiny ? 64 : 1 << 12; rows <= (tiny ? 64 : 1 << 18);
                 rows *= 64) {
                const int64_t bytes = n * (int64_t)sizeof(float);
                const sb_cu_mem c = gpu_room((size_t)(rows * bytes));
                const sb_cu_mem row = random_rows(count, rows);
                const int64_t groups = 128 / (n / 4);
                shot s = {kernel,
                          (unsigned)((count + groups - 1) / groups),
                          128,
                          0,
                          {NULL, at(row), at(c), count, bytes, 1}};
                double t;

                gpu_need(gpu.d->fill(c, 0, (size_t)(rows * bytes), gpu.stream),
                         "filling");
                t = gpu_seconds(fire, &s, tiny ? 1 : 4);
                (void)printf("{\"limit\": \"sums\", \"way\": \"%s\", \"n\": %d, "
                             "\"rows\": %lld, \"seconds\": %.4g, "
                             "\"rows_a_second\": %.4g}\n",
                             ways[q], n, (long long)rows, t, (double)count / t);
                (void)gpu.d->free(c);
                (void)gpu.d->free(row);
            }
    }
}

/* Without a GPU: whether NVRTC takes the text for this architecture; 77 without one. */
static int
compiles(const char *arch)
{
    sb_diag diag = {SB_OK, ""};
    sb_driver rtc = {0};
    sb_strbuf image;
    sb_status st;
    int names = 0;

    while (sb_rtc_names[names])
        names++;
    if (sb_driver_open_rtc(&rtc, sb_rtc_names, names, NULL) != SB_OK)
        return 77;
    sb_strbuf_init(&image);
    st = sb_nvrtc_compile(&image, &rtc, arch, gpu_limits_text, &diag);
    sb_strbuf_free(&image);
    (void)fputs(diag.text, stderr);
    return st != SB_OK;
}

int
main(int argc, char **argv)
{
    bool emulated = false;
    double seconds = 500;

    if (argc == 3 && strcmp(argv[1], "--compile") == 0)
        return compiles(argv[2]);
    for (int k = 1; k + 1 < argc; k += 2)
        if (strcmp(argv[k], "--backend") == 0)
            emulated = strcmp(argv[k + 1], "emu") == 0;
        else if (strcmp(argv[k], "--seconds") == 0)
            seconds = atof(argv[k + 1]);
        else if (strcmp(argv[k], "--tiny") == 0)
            tiny = atoi(argv[k + 1]);
    deadline = gpu_now() + seconds;
    gpu_open(emulated);
    (void)printf("{\"limit\": \"device\", \"arch\": \"%s\", \"sms\": %d, \"l2\": %d}\n",
                 gpu.arch, gpu.sms, gpu.l2_bytes);
    launches();
    gathers();
    atomics();
    gpu_close();
    return 0;
}
