/*
 * Attributes of sparse descriptors: those of plain integer type share one table, other
 * values of fixed size another; the plan text stands alone.
 */
#include "api/error.h"
#include "api/spmat.h"
#include "base/alloc.h"
#include "base/macro.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

typedef struct int_attribute {
    spblasSpMatAttribute_t id;
    size_t offset; /* of an int (or an enum of its size) in sb_attributes */
    int lo, hi;
    const char *name;
} int_attribute;

static const int_attribute ints[] = {
    {SPBLAS_SPMAT_FILL_MODE, offsetof(sb_attributes, fill), INT_MIN, INT_MAX,
     "FILL_MODE"},
    {SPBLAS_SPMAT_DIAG_TYPE, offsetof(sb_attributes, diag), INT_MIN, INT_MAX,
     "DIAG_TYPE"},
    {SPBLAS_SPMAT_EFFORT, offsetof(sb_attributes, effort), SPBLAS_EFFORT_ESTIMATE,
     SPBLAS_EFFORT_EXHAUSTIVE, "EFFORT"},
    {SPBLAS_SPMAT_VALUES_FROZEN, offsetof(sb_attributes, frozen), 0, 1,
     "VALUES_FROZEN"},
    {SPBLAS_SPMAT_DETERMINISM, offsetof(sb_attributes, determinism),
     SPBLAS_DETERMINISM_REQUIRED, SPBLAS_DETERMINISM_RELAXED, "DETERMINISM"},
    {SPBLAS_SPMAT_VALIDATE, offsetof(sb_attributes, validate), 0, 1, "VALIDATE"},
    {SPBLAS_SPMAT_MATH_MODE, offsetof(sb_attributes, math), SPBLAS_MATH_EXACT,
     SPBLAS_MATH_TF32, "MATH_MODE"},
    {SPBLAS_SPMAT_ROWS_ASCEND, offsetof(sb_attributes, rows_ascend), 0, 1,
     "ROWS_ASCEND"},
};

static bool
limit_fits(const void *data)
{
    int64_t value;

    memcpy(&value, data, sizeof value);
    return value >= 0;
}

static bool
seconds_fit(const void *data)
{
    double value;

    memcpy(&value, data, sizeof value);
    return value >= 0 && value <= 1e18; /* a NaN is neither */
}

static bool
anything(const void *data)
{
    (void)data;
    return true;
}

typedef struct value_attribute {
    spblasSpMatAttribute_t id;
    size_t offset, size;
    bool (*fits)(const void *data);
    const char *rule;
} value_attribute;

static const value_attribute values[] = {
    {SPBLAS_SPMAT_MEMORY_LIMIT, offsetof(sb_attributes, memory_limit), sizeof(int64_t),
     limit_fits, "must not be negative for MEMORY_LIMIT"},
    {SPBLAS_SPMAT_TIME_LIMIT, offsetof(sb_attributes, time_limit), sizeof(double),
     seconds_fit, "must be seconds, 0 or more, for TIME_LIMIT"},
    {SPBLAS_SPMAT_SEARCH_HOOK, offsetof(sb_attributes, hook),
     sizeof(spblasSearchHook_t), anything, ""},
};

_Static_assert(sizeof(spblasEffort_t) == sizeof(int),
               "attributes of enum type are ints");

static const int_attribute *
find_int(spblasSpMatAttribute_t id)
{
    for (int i = 0; i < SB_COUNT(ints); i++)
        if (ints[i].id == id)
            return &ints[i];
    return NULL;
}

static const value_attribute *
find_value(spblasSpMatAttribute_t id)
{
    for (int i = 0; i < SB_COUNT(values); i++)
        if (values[i].id == id)
            return &values[i];
    return NULL;
}

static spblasStatus_t
fail(const char *function, sb_status st, const char *argument, const char *text)
{
    sb_diag diag = {0};

    (void)sb_diag_set(&diag, st, "argument %s %s", argument, text);
    return sb_api_end(NULL, function, st, &diag);
}

/* ---- Set ---------------------------------------------------------------------------- */

/* What a new value means for the plans made under the old one: a withdrawn promise, a new
 * wish for validation and other precision make them void. */
static bool
voids_plans(spblasSpMatAttribute_t id, int before, int value)
{
    return (id == SPBLAS_SPMAT_VALUES_FROZEN && value == 0) ||
           (id == SPBLAS_SPMAT_VALIDATE && value == 1) ||
           (id == SPBLAS_SPMAT_MATH_MODE && value != before);
}

static spblasStatus_t
set_int(const char *function, spblasSpMatDescr_t d, const int_attribute *at,
        const void *data, size_t size)
{
    int value, before;

    if (size != sizeof value)
        return fail(function, SB_EINVAL, "dataSize", "must be 4 for this attribute");
    memcpy(&value, data, sizeof value);
    if (value < at->lo || value > at->hi)
        return fail(function, SB_EINVAL, "data", "is outside the attribute's type");
    memcpy(&before, (char *)&d->at + at->offset, sizeof before);
    memcpy((char *)&d->at + at->offset, &value, sizeof value);
    if (voids_plans(at->id, before, value))
        sb_planlist_drop(d->plans);
    return SPBLAS_STATUS_SUCCESS;
}

static spblasStatus_t
set_value(const char *function, spblasSpMatDescr_t d, const value_attribute *at,
          const void *data, size_t size)
{
    if (size != at->size)
        return fail(function, SB_EINVAL, "dataSize",
                    "does not fit the attribute's type");
    if (!at->fits(data))
        return fail(function, SB_EINVAL, "data", at->rule);
    memcpy((char *)&d->at + at->offset, data, size);
    return SPBLAS_STATUS_SUCCESS;
}

static spblasStatus_t
set_text(const char *function, spblasSpMatDescr_t d, const char *data, size_t size)
{
    const char *nul = size ? memchr(data, '\0', size) : NULL;
    const size_t len = nul ? (size_t)(nul - data) : size;
    char *text = NULL;

    if (nul && len + 1 != size)
        return fail(function, SB_EINVAL, "data", "has a NUL before its end");
    if (len > 0) {
        if (len == SIZE_MAX || !(text = sb_alloc(len + 1)))
            return sb_api_end(NULL, function, SB_ENOMEM, NULL);
        memcpy(text, data, len);
        text[len] = '\0';
    }
    sb_free(d->at.plan_text);
    d->at.plan_text = text;
    return SPBLAS_STATUS_SUCCESS;
}

spblasStatus_t
spblasSpMatSetAttribute(spblasSpMatDescr_t spMatDescr, spblasSpMatAttribute_t attribute,
                        const void *data, size_t dataSize)
{
    const int_attribute *at = find_int(attribute);
    const value_attribute *value = find_value(attribute);
    const spblasStatus_t st = sb_spmat_usable(__func__, spMatDescr, 0, false, true);

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (attribute == SPBLAS_SPMAT_PLAN_TEXT && (data || dataSize == 0))
        return set_text(__func__, spMatDescr, data, dataSize);
    if (!data)
        return fail(__func__, SB_EINVAL, "data", "must not be NULL");
    if (at)
        return set_int(__func__, spMatDescr, at, data, dataSize);
    if (value)
        return set_value(__func__, spMatDescr, value, data, dataSize);
    return fail(__func__, SB_EINVAL, "attribute",
                "is not one of spblasSpMatAttribute_t");
}

/* ---- Get ---------------------------------------------------------------------------- */

spblasStatus_t
spblasSpMatGetAttribute(spblasConstSpMatDescr_t spMatDescr,
                        spblasSpMatAttribute_t attribute, void *data, size_t dataSize)
{
    const int_attribute *at = find_int(attribute);
    const value_attribute *value = find_value(attribute);
    const spblasStatus_t st = sb_spmat_usable(__func__, spMatDescr, 0, false, data);
    const void *from;
    size_t size;

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    if (at) {
        from = (const char *)&spMatDescr->at + at->offset;
        size = sizeof(int);
    } else if (value) {
        from = (const char *)&spMatDescr->at + value->offset;
        size = value->size;
    } else if (attribute == SPBLAS_SPMAT_PLAN_TEXT) {
        from = spMatDescr->at.plan_text ? spMatDescr->at.plan_text : "";
        size = strlen(from) + 1;
    } else {
        return fail(__func__, SB_EINVAL, "attribute",
                    "is not one of spblasSpMatAttribute_t");
    }
    if (attribute == SPBLAS_SPMAT_PLAN_TEXT ? dataSize < size : dataSize != size)
        return fail(__func__, SB_EINVAL, "dataSize",
                    "does not fit the attribute's type");
    memcpy(data, from, size);
    return SPBLAS_STATUS_SUCCESS;
}
