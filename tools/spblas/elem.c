/* Element types. 16-bit floats are converted by their bits, as no C11 type holds them. */
#include "elem.h"

#include <math.h>
#include <string.h>

typedef struct elem_facts {
    const char *name;
    size_t size;
    spblasDataType_t type;
    elem compute;
    bool complex;
    double epsilon, tiny;
} elem_facts;

static const elem_facts facts[ELEM_COUNT] = {
    [ELEM_F32] = {"f32", 4, SPBLAS_R_32F, ELEM_F32, false, 0x1p-24, 0x1p-149},
    [ELEM_F64] = {"f64", 8, SPBLAS_R_64F, ELEM_F64, false, 0x1p-53, 0x1p-1074},
    [ELEM_F16] = {"f16", 2, SPBLAS_R_16F, ELEM_F32, false, 0x1p-11, 0x1p-24},
    [ELEM_BF16] = {"bf16", 2, SPBLAS_R_16BF, ELEM_F32, false, 0x1p-8, 0x1p-133},
    [ELEM_C32] = {"c32", 8, SPBLAS_C_32F, ELEM_C32, true, 0x1p-24, 0x1p-149},
    [ELEM_C64] = {"c64", 16, SPBLAS_C_64F, ELEM_C64, true, 0x1p-53, 0x1p-1074},
};

const char *
elem_name(elem e)
{
    return facts[e].name;
}

bool
elem_parse(const char *name, elem *out)
{
    int e;

    for (e = 0; e < ELEM_COUNT; e++)
        if (strcmp(facts[e].name, name) == 0) {
            *out = (elem)e;
            return true;
        }
    return false;
}

size_t
elem_size(elem e)
{
    return facts[e].size;
}

bool
elem_is_complex(elem e)
{
    return facts[e].complex;
}

spblasDataType_t
elem_type(elem e)
{
    return facts[e].type;
}

elem
elem_compute(elem e)
{
    return facts[e].compute;
}

double
elem_epsilon(elem e)
{
    return facts[e].epsilon;
}

double
elem_tiny(elem e)
{
    return facts[e].tiny;
}

/* x rounded to `bits` bits of mantissa and no finer than `step`; inf above `max`. */
static double
round_to(double x, int bits, double step, double max)
{
    double unit;
    int e;

    if (x == 0.0 || isnan(x) || isinf(x))
        return x;
    frexp(x, &e);
    unit = fmax(ldexp(1.0, e - bits), step);
    x = nearbyint(x / unit) * unit;
    return fabs(x) > max ? copysign(INFINITY, x) : x;
}

/* x, already a number of the type, as its bits. */
static uint16_t
half_bits(double x)
{
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    int e;

    if (isnan(x))
        return 0x7e00;
    if (isinf(x))
        return sign | 0x7c00;
    x = fabs(x);
    if (x < 0x1p-14)
        return (uint16_t)(sign | (uint16_t)(x * 0x1p24));
    frexp(x, &e);
    return (uint16_t)(sign | (e + 14) << 10 | ((int)ldexp(x, 11 - e) & 0x3ff));
}

static double
half_value(uint16_t h)
{
    const double sign = h & 0x8000 ? -1.0 : 1.0;
    const int e = h >> 10 & 31, m = h & 0x3ff;

    if (e == 31)
        return m ? (double)NAN : sign * (double)INFINITY;
    return sign * (e ? ldexp(1024 + m, e - 25) : ldexp(m, -24));
}

void
elem_get(elem e, const void *x, int64_t p, double *re, double *im)
{
    uint32_t bits;
    float f;

    *im = 0.0;
    switch (e) {
    case ELEM_F32:
        *re = ((const float *)x)[p];
        return;
    case ELEM_F16:
        *re = half_value(((const uint16_t *)x)[p]);
        return;
    case ELEM_BF16:
        bits = (uint32_t)((const uint16_t *)x)[p] << 16;
        memcpy(&f, &bits, sizeof f);
        *re = f;
        return;
    case ELEM_C32:
        *re = ((const float *)x)[2 * p];
        *im = ((const float *)x)[2 * p + 1];
        return;
    case ELEM_C64:
        *re = ((const double *)x)[2 * p];
        *im = ((const double *)x)[2 * p + 1];
        return;
    case ELEM_F64:
    case ELEM_COUNT:
        *re = ((const double *)x)[p];
        return;
    }
}

void
elem_put(elem e, void *x, int64_t p, double re, double im)
{
    uint32_t bits;
    float f;

    switch (e) {
    case ELEM_F32:
        ((float *)x)[p] = (float)re;
        return;
    case ELEM_F16:
        ((uint16_t *)x)[p] = half_bits(round_to(re, 11, 0x1p-24, 65504.0));
        return;
    case ELEM_BF16:
        f = (float)round_to(re, 8, 0x1p-133, 0x1.fep127);
        memcpy(&bits, &f, sizeof bits);
        ((uint16_t *)x)[p] = (uint16_t)(bits >> 16);
        return;
    case ELEM_C32:
        ((float *)x)[2 * p] = (float)re;
        ((float *)x)[2 * p + 1] = (float)im;
        return;
    case ELEM_C64:
        ((double *)x)[2 * p] = re;
        ((double *)x)[2 * p + 1] = im;
        return;
    case ELEM_F64:
    case ELEM_COUNT:
        ((double *)x)[p] = re;
        return;
    }
}
