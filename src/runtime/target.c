/*
 * Facts about this machine: x86-64 level and kind of gather by cpuid, caches by sysfs, and
 * the model's coefficients (shipped.c, model.c).
 */
#include "runtime/target.h"

#include "base/sync.h"
#include "runtime/model.h"
#include "runtime/quota.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

static sb_target target;
static sb_once once = SB_ONCE_INIT;

const char *
sb_isa_name(sb_isa isa)
{
    static const char *const names[] = {"generic", "v2", "v3", "v4", "v4g"};

    return (unsigned)isa < SB_ISA_COUNT ? names[isa] : "?";
}

#if defined(__x86_64__)
/* Which register states the system saves: a CPU may have what its system has not. */
static uint64_t
saved_states(void)
{
    uint32_t lo, hi;

    __asm__("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

static bool
has(uint32_t reg, uint32_t bits)
{
    return (reg & bits) == bits;
}

/*
 * Intel's gathers load two to three elements a cycle, AMD's are slower than single
 * loads, and microcode against data sampling makes Intel's slower than both.
 */
static bool
gathers_fast(void)
{
    const char *path = "/sys/devices/system/cpu/vulnerabilities/gather_data_sampling";
    char text[64] = "";
    uint32_t a, b = 0, c, d;
    FILE *f = fopen(path, "r");

    if (f) {
        if (!fgets(text, (int)sizeof text, f))
            text[0] = '\0';
        (void)fclose(f);
    }
    return __get_cpuid(0, &a, &b, &c, &d) && b == signature_INTEL_ebx &&
           strncmp(text, "Mitigation", 10) != 0;
}

/* AMD's family 0x1a, Zen 5, and what comes after it. */
static bool
units_wide(void)
{
    uint32_t a = 0, b = 0, c, d;
    const bool amd = __get_cpuid(0, &a, &b, &c, &d) && b == signature_AMD_ebx;

    if (!amd || !__get_cpuid(1, &a, &b, &c, &d) || (a >> 8 & 15) < 15)
        return false;
    return (a >> 20 & 255) + 15 >= 0x1a;
}

/* The x86-64 psABI's microarchitecture levels. */
static sb_isa
detect_isa(void)
{
    const uint32_t v2_c = 1u << 0 | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23;
    const uint32_t v3_c = 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29;
    const uint32_t v3_b = 1u << 3 | 1u << 5 | 1u << 8;
    const uint32_t v4_b = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
    uint32_t a, b, c, d, b7 = 0, c81 = 0;
    uint64_t states;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !has(c, v2_c))
        return SB_ISA_GENERIC;
    if (!has(c, v3_c))
        return SB_ISA_V2;
    states = saved_states();
    if (__get_cpuid_count(7, 0, &a, &b7, &d, &d) == 0 || !has(b7, v3_b) ||
        __get_cpuid(0x80000001, &a, &b, &c81, &d) == 0 || !has(c81, 1u << 5) ||
        (states & 6) != 6)
        return SB_ISA_V2;
    if (!has(b7, v4_b) || (states & 0xe6) != 0xe6)
        return SB_ISA_V3;
    return gathers_fast() ? SB_ISA_V4G : SB_ISA_V4;
}

static void
put_registers(sb_strbuf *out, const uint32_t *reg, int count)
{
    char text[17];

    for (int q = 0; q < count; q++)
        memcpy(text + 4 * q, &reg[q], 4);
    text[4 * count] = '\0';
    for (const char *c = text; *c; c++)
        sb_strbuf_putc(out, *c >= ' ' && *c <= '~' ? *c : '?');
}

void
sb_target_cpu(sb_strbuf *out)
{
    uint32_t r[4] = {0}, a = 0, b, c, d;

    (void)__get_cpuid(0, &a, &r[0], &r[2], &r[1]);
    put_registers(out, r, 3);
    (void)__get_cpuid(1, &a, &b, &c, &d);
    sb_strbuf_printf(out, " %x ", a & 0x0fff3fff); /* family, model, stepping */
    for (uint32_t leaf = 0x80000002; leaf <= 0x80000004; leaf++)
        if (__get_cpuid(leaf, &r[0], &r[1], &r[2], &r[3]))
            put_registers(out, r, 4);
}
#else
void
sb_target_cpu(sb_strbuf *out)
{
    sb_strbuf_puts(out, "unknown");
}

static bool
units_wide(void)
{
    return false;
}

static sb_isa
detect_isa(void)
{
    return SB_ISA_GENERIC;
}
#endif

const char *
sb_target_level(const sb_target *t)
{
    return t->isa == SB_ISA_V4 && t->wide ? "v4w" : sb_isa_name(t->isa);
}

void
sb_target_limit(sb_target *t, const char *want)
{
    const int most = t->isa == SB_ISA_V4 ? SB_ISA_V4G : (int)t->isa;

    for (int q = 0; want && q <= most; q++)
        for (int wide = 0; wide <= (q == SB_ISA_V4); wide++) {
            const sb_target one = {.isa = (sb_isa)q, .wide = wide == 1};

            if (strcmp(want, sb_target_level(&one)) == 0) {
                t->isa = one.isa;
                t->wide = one.wide;
                return;
            }
        }
}

static bool
read_line(char *out, size_t size, int index, const char *file)
{
    char path[96];
    FILE *f;
    bool ok;

    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s",
                   index, file);
    f = fopen(path, "r");
    if (!f)
        return false;
    ok = fgets(out, (int)size, f) != NULL;
    (void)fclose(f);
    return ok;
}

/* "512K" in bytes; 0 when it is something else. */
static int64_t
read_size(const char *s)
{
    const char *end;
    int64_t v;

    if (sb_parse_i64(s, &end, &v) != SB_OK || v <= 0 || v > INT64_C(1) << 40)
        return 0;
    return *end == 'K' ? v << 10 : *end == 'M' ? v << 20 : v;
}

static void
detect_caches(sb_target *t)
{
    t->l1 = 32 << 10;
    t->l2 = 512 << 10;
    t->l3 = 16 << 20;
    for (int q = 0; q < 8; q++) {
        char level[16], type[32], size[32];
        int64_t bytes;

        if (!read_line(level, sizeof level, q, "level") ||
            !read_line(type, sizeof type, q, "type") ||
            !read_line(size, sizeof size, q, "size"))
            break;
        bytes = read_size(size);
        if (bytes == 0 || type[0] == 'I')
            continue;
        if (level[0] == '1')
            t->l1 = bytes;
        else if (level[0] == '2')
            t->l2 = bytes;
        else if (level[0] == '3')
            t->l3 = bytes;
    }
}

static void
find_target(void)
{
    target.isa = detect_isa();
    target.wide = target.isa == SB_ISA_V4 && units_wide();
    sb_target_limit(&target, getenv("SPBLAS_ISA"));
#ifdef _OPENMP
    target.threads = sb_quota_threads(omp_get_max_threads());
#else
    target.threads = 1;
#endif
    detect_caches(&target);
    sb_target_defaults(&target);
    sb_model_load(&target);
}

const sb_target *
sb_target_get(void)
{
    sb_once_run(&once, find_target);
    return &target;
}
