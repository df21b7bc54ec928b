/*
 * The inner loops of probe.c for one vector width; included once for each. PROBE_NAME
 * makes names, PROBE_TARGET is the function attribute, PROBE_BYTES the width. Multiply
 * and add are written so that they fuse where the target has it.
 */
#ifndef PROBE_CHAINS
#define PROBE_CHAINS 12
#define PROBE_ROWS 8
#if defined(__clang__)
#define PROBE_EACH(k) \
    _Pragma("clang loop unroll(full)") for (k = 0; k < PROBE_ROWS; k++)
#else
#define PROBE_EACH(k) _Pragma("GCC unroll 8") for (k = 0; k < PROBE_ROWS; k++)
#endif
typedef float probe_quad __attribute__((vector_size(16), aligned(4), may_alias));
#if defined(__clang__)
#pragma clang fp contract(fast)
#elif defined(__GNUC__)
#pragma GCC optimize("O3,fp-contract=fast")
#endif
#endif

typedef float PROBE_NAME(vec32)
    __attribute__((vector_size(PROBE_BYTES), aligned(4), may_alias));
typedef double PROBE_NAME(vec64) __attribute__((vector_size(PROBE_BYTES)));

PROBE_TARGET static double
PROBE_NAME(sum)(const float *x, int64_t n)
{
    enum { L = PROBE_BYTES / 4 };
    PROBE_NAME(vec32) a[8] = {{0}};
    double total = 0.0;
    int64_t p;
    int k;

    for (p = 0; p + 8 * L <= n; p += 8 * L)
        for (k = 0; k < 8; k++)
            a[k] += *(const PROBE_NAME(vec32) *)(x + p + k * L);
    for (; p < n; p++)
        total += x[p];
    for (k = 0; k < 8; k++)
        total += a[k][0] + a[k][L - 1];
    return total;
}

PROBE_TARGET static void
PROBE_NAME(triad)(float *a, const float *b, const float *c, int64_t n)
{
    enum { L = PROBE_BYTES / 4 };
    int64_t p;

    for (p = 0; p + L <= n; p += L)
        *(PROBE_NAME(vec32) *)(a + p) = *(const PROBE_NAME(vec32) *)(b + p) +
                                        3.0f * *(const PROBE_NAME(vec32) *)(c + p);
}

/* Rows of len floats that begin at `start`, PROBE_ROWS at a time, each with sums of its
 * own: what is measured is the way from memory, not from one sum to the next. A row is
 * asked for `ahead` rows before its turn (0: never). */
PROBE_TARGET static double
PROBE_NAME(gather)(const float *table, const int64_t *start, int64_t count, int64_t len,
                   int64_t ahead)
{
    enum { L = PROBE_BYTES / 4, LINE = 16 };
    PROBE_NAME(vec32) a[PROBE_ROWS] = {{0}};
    probe_quad narrow[PROBE_ROWS] = {{0}};
    float single[PROBE_ROWS] = {0};
    double total = 0.0;
    int64_t q, p, at;
    int k;

    for (q = 0; q + PROBE_ROWS <= count; q += PROBE_ROWS) {
        const int64_t *x = start + q;

        for (at = q + ahead; ahead > 0 && at < q + ahead + PROBE_ROWS && at < count;
             at++)
            for (p = 0; p < len; p += LINE)
                __builtin_prefetch(table + start[at] + p);
        for (p = 0; p + L <= len; p += L)
            PROBE_EACH(k) a[k] += *(const PROBE_NAME(vec32) *)(table + x[k] + p);
        for (; p + 4 <= len; p += 4)
            PROBE_EACH(k) narrow[k] += *(const probe_quad *)(table + x[k] + p);
        for (; p < len; p++)
            PROBE_EACH(k) single[k] += table[x[k] + p];
    }
    PROBE_EACH(k)
    total += a[k][0] + a[k][L - 1] + narrow[k][0] + narrow[k][3] + single[k];
    return total;
}

PROBE_TARGET static double
PROBE_NAME(fma32)(int64_t n)
{
    PROBE_NAME(vec32) a[PROBE_CHAINS] = {{0}}, x = {0}, y = {0};
    double total = 0.0;
    int64_t p;
    int k;

    x += 0.999f;
    y += 0.001f;
    for (k = 0; k < PROBE_CHAINS; k++)
        a[k] += (float)(seed * k);
    for (p = 0; p < n; p++)
        for (k = 0; k < PROBE_CHAINS; k++)
            a[k] = a[k] * x + y;
    for (k = 0; k < PROBE_CHAINS; k++)
        total += a[k][0];
    return total;
}

PROBE_TARGET static double
PROBE_NAME(fma64)(int64_t n)
{
    PROBE_NAME(vec64) a[PROBE_CHAINS] = {{0}}, x = {0}, y = {0};
    double total = 0.0;
    int64_t p;
    int k;

    x += 0.999;
    y += 0.001;
    for (k = 0; k < PROBE_CHAINS; k++)
        a[k] += (seed * k);
    for (p = 0; p < n; p++)
        for (k = 0; k < PROBE_CHAINS; k++)
            a[k] = a[k] * x + y;
    for (k = 0; k < PROBE_CHAINS; k++)
        total += a[k][0];
    return total;
}

static const probe_kernels PROBE_NAME(probe) = {
    PROBE_NAME(sum),   PROBE_NAME(triad), PROBE_NAME(gather),
    PROBE_NAME(fma32), PROBE_NAME(fma64), PROBE_BYTES / 4,
};

#undef PROBE_NAME
#undef PROBE_TARGET
#undef PROBE_BYTES
