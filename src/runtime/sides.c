/*
 * See sides.h.
 */
#include "runtime/sides.h"

#include "base/checked.h"
#include "base/sync.h"

#include <stdlib.h>

enum {
    LINE = 64,
    VECTOR = 16,
    NARROWEST = 32, /* columns at a time, whatever their copies take */
    FEW = 4,        /* rows turned for each entry, beyond which nothing is */
    SIZE_BITS = 40  /* of rows times columns, which kernels count in pieces */
};

static sb_once once = SB_ONCE_INIT;
static size_t most = (size_t)1 << 30; /* bytes of copies */

/* Once, so that bufferSize and the product agree. */
static void
read_room(void)
{
    const char *text = getenv("SPBLAS_COLUMNS_ROOM");

    if (text && *text)
        most = (size_t)strtoull(text, NULL, 10);
}

bool
sb_sides_turn_b(const sb_problem *pb)
{
    return pb->b.col_major == (pb->trans_b == SB_TRANS_N);
}

bool
sb_sides_turn_c(const sb_problem *pb)
{
    return pb->c.col_major;
}

static int64_t
whole_vectors(int64_t n, sb_dtype t)
{
    const int64_t of = VECTOR / (int64_t)sb_dtype_size(t);

    return (n + of - 1) / of * of;
}

/* Columns that are computed where `width` are asked for: no operand of the caller's has more. */
static int64_t
computed(const sb_problem *pb, int64_t width)
{
    return sb_sides_turn_b(pb) && sb_sides_turn_c(pb) ? whole_vectors(width, pb->b.type)
                                                      : width;
}

/* Bytes of one operand's copies; false: too many. */
static bool
copies(size_t *bytes, int64_t rows, int64_t pitch, int64_t members, sb_dtype t)
{
    int64_t elements;

    if (!sb_mul_i64(rows, pitch, &elements) || elements >> SIZE_BITS > 0 ||
        !sb_mul_i64(elements, members > 1 ? members : 1, &elements) ||
        !sb_bytes(elements, sb_dtype_size(t), bytes) || *bytes > SIZE_MAX / 4)
        return false;
    *bytes = (*bytes + LINE - 1) & ~(size_t)(LINE - 1);
    return true;
}

/* Of op(B) and of C, 0 for what stays where it is. */
typedef struct room {
    size_t b, c;
} room;

static bool
room_of(room *r, const sb_problem *pb, int64_t width)
{
    const int64_t wide = computed(pb, width);
    int64_t m, n, k;

    *r = (room){0, 0};
    sb_problem_shape(pb, &m, &n, &k);
    return (!sb_sides_turn_b(pb) || copies(&r->b, k, whole_vectors(wide, pb->b.type),
                                           pb->b.batch, pb->b.type)) &&
           (!sb_sides_turn_c(pb) || copies(&r->c, m, whole_vectors(wide, pb->compute),
                                           pb->c.batch, pb->compute));
}

static bool
pays(const sb_problem *pb)
{
    const int64_t block = sb_matrix_block(&pb->a);
    int64_t m, n, k;

    sb_problem_shape(pb, &m, &n, &k);
    return (double)pb->a.nnz * (double)(block * block) * FEW >=
           (sb_sides_turn_b(pb) ? (double)k : 0) +
               (sb_sides_turn_c(pb) ? (double)m : 0);
}

int64_t
sb_sides_width(const sb_problem *pb)
{
    int64_t width = pb->c.cols;
    room r;

    if (pb->op != SB_OP_SPMM || pb->a.format == SB_FORMAT_TENSOR || width < 2 ||
        !(sb_sides_turn_b(pb) || sb_sides_turn_c(pb)) || pb->a.nnz == 0 || !pays(pb))
        return 0;
    sb_once_run(&once, read_room);
    if (most == 0)
        return 0;
    while (width > NARROWEST && (!room_of(&r, pb, width) || r.b + r.c > most))
        width = (width / 2 + NARROWEST - 1) / NARROWEST * NARROWEST;
    return room_of(&r, pb, width) ? width : 0;
}

size_t
sb_sides_bytes(const sb_problem *pb)
{
    const int64_t width = sb_sides_width(pb);
    room r;

    return width > 0 && room_of(&r, pb, width) ? r.b + r.c : 0;
}

/* `rows` rows of an operand's copy. */
static void
put_by_rows(sb_dense *d, int64_t rows, int64_t pitch, void *at)
{
    d->data = at;
    d->ld = pitch;
    d->stride = d->batch > 1 ? rows * pitch : 0;
}

sb_problem
sb_sides_part(const sb_problem *pb, int64_t from, int64_t width, void *at)
{
    const int64_t wide = computed(pb, width);
    sb_problem part = *pb;
    int64_t m, n, k;
    room r;

    sb_problem_shape(pb, &m, &n, &k);
    (void)room_of(&r, pb, width);
    part.scratch = NULL;
    part.room = 0;
    *(part.trans_b == SB_TRANS_N ? &part.b.cols : &part.b.rows) = wide;
    part.c.cols = wide;
    if (sb_sides_turn_b(pb)) {
        put_by_rows(&part.b, k, whole_vectors(wide, pb->b.type), at);
        part.b.col_major = part.trans_b != SB_TRANS_N;
    } else if (pb->b.data) {
        part.b.data = (char *)pb->b.data + (size_t)from * sb_dtype_size(pb->b.type);
    }
    if (sb_sides_turn_c(pb)) {
        part.c.type = pb->compute;
        put_by_rows(&part.c, m, whole_vectors(wide, pb->compute),
                    at ? (char *)at + r.b : NULL);
        part.c.col_major = false;
        part.alpha = (sb_value){1, 0};
        part.beta = (sb_value){0, 0};
        part.far_alpha = part.far_beta = NULL;
    } else if (pb->c.data) {
        part.c.data = (char *)pb->c.data + (size_t)from * sb_dtype_size(pb->c.type);
    }
    return part;
}
