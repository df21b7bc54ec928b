/*
 * Operations on sparse vectors.
 */
#include "native/run.h"

enum { PARTS_MAX = 1024, PART = 1024, ALIGN = 16 };

/* Of nothing but the number of entries: the sum is the same on any device. */
static int64_t
parts_of(int64_t nnz)
{
    const int64_t parts = (nnz + PART - 1) / PART;

    return parts < 1 ? 1 : parts < PARTS_MAX ? parts : PARTS_MAX;
}

size_t
sb_native_vector_bytes(const sb_vector *job)
{
    return job->op == SB_VECTOR_SPVV
               ? (size_t)(parts_of(job->nnz) + 1) * sizeof(sb_value) + ALIGN
               : 0;
}

/* Arguments all kernels take; result and parts: SPVV. */
static sb_native_job
job_of(const sb_vector *v, const char *op, int64_t count, sb_native_scalar alpha,
       sb_native_scalar beta)
{
    const bool copies = v->op == SB_VECTOR_GATHER || v->op == SB_VECTOR_SCATTER;
    sb_native_job j = sb_native_job_of(
        op, copies ? sb_native_carrier(v->bytes) : v->type,
        copies ? SB_DTYPE_COUNT : v->compute, v->idx_type, SB_DTYPE_COUNT);

    sb_native_int(&j, count);
    sb_native_int(&j, v->base);
    sb_native_scalar_of(&j, copies ? SB_F32 : v->compute, alpha.value);
    sb_native_scalar_of(&j, copies ? SB_F32 : v->compute, beta.value);
    sb_native_int(&j, parts_of(v->nnz));
    sb_native_int(&j, v->conj);
    j.args.nparam = 8;
    sb_native_array(&j, v->x);
    sb_native_array(&j, v->y);
    sb_native_array(&j, v->idx);
    sb_native_array(&j, alpha.at);
    sb_native_array(&j, beta.at);
    j.args.nbuf = 7;
    return j;
}

static sb_status
dot(const sb_native *n, const sb_vector *v, void *buffer, void *result, bool on_host)
{
    const sb_native_scalar none = {{0, 0}, NULL};
    char *at = (char *)(((uintptr_t)buffer + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
    sb_native_job j = job_of(v, "dot", v->nnz, none, none);

    if (on_host)
        SB_TRY(sb_native_may_wait(n, "a result in host memory is waited for"));
    j.args.buf[5] = at + sizeof(sb_value);
    j.args.buf[6] = on_host ? at : result;
    SB_TRY(sb_native_groups(n, &j, parts_of(v->nnz)));
    j.op = "sum";
    SB_TRY(sb_native_groups(n, &j, 1));
    return on_host ? n->device->ops->download(n->device, n->stream, result, at,
                                              sb_dtype_size(v->compute), n->diag)
                   : SB_OK;
}

sb_status
sb_native_vector(const sb_native *n, const sb_vector *job, sb_native_scalar alpha,
                 sb_native_scalar beta, void *buffer, void *result, bool result_on_host)
{
    static const char *const names[] = {[SB_VECTOR_AXPBY] = "axpy",
                                        [SB_VECTOR_GATHER] = "gather",
                                        [SB_VECTOR_SCATTER] = "scatter",
                                        [SB_VECTOR_ROT] = "rot"};
    const bool scales = job->op == SB_VECTOR_AXPBY &&
                        (beta.at || beta.value.re != 1.0 || beta.value.im != 0.0);
    sb_native_job j;

    if (job->op == SB_VECTOR_SPVV)
        return dot(n, job, buffer, result, result_on_host);
    if (scales) {
        j = job_of(job, "scale", job->size, alpha, beta);
        SB_TRY(sb_native_threads(n, &j, job->size));
    }
    j = job_of(job, names[job->op], job->nnz, alpha, beta);
    return sb_native_threads(n, &j, job->nnz);
}
