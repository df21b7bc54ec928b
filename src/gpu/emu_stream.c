/*
 * The emulator's launches, streams, graphs and events. A stream that captures keeps what
 * it is given in a graph; a graph's launch does it again.
 */
#include "gpu/emu_table.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHARED_MAX = 227 * 1024,
    GRID_YZ_MAX = 65535,
    NODES_MAX = 1024,
    ARGS_MAX = 4096
};

typedef struct node {
    sb_emu_kernel fn;
    int64_t gx, gy, gz;
    unsigned char args[ARGS_MAX];
} node;

typedef struct graph {
    int count;
    node *node[NODES_MAX];
} graph;

typedef struct stream {
    graph *capture; /* NULL: nothing is being captured */
} stream;

/* ---- launches ------------------------------------------------------------------------------- */

/* SPBLAS_EMU_ORDER; -1 when it is none of the words. */
static int
order_of_blocks(void)
{
    const char *text = getenv("SPBLAS_EMU_ORDER");
    char *end;

    if (!text || !text[0] || strcmp(text, "forward") == 0)
        return 0;
    if (strcmp(text, "reverse") == 0)
        return 1;
    if (strncmp(text, "random:", 7) == 0 && text[7]) {
        const unsigned long seed = strtoul(text + 7, &end, 10);

        return *end ? -1 : 2 + (int)(seed % (INT32_MAX - 2));
    }
    return -1;
}

static int
run(const node *n)
{
    char *error = sb_emu_error();
    const sb_emu_grid grid = {n->gx, n->gy,       n->gz, order_of_blocks(),
                              error, SB_EMU_ERROR};

    error[0] = '\0';
    sb_emu_settle();
    if (grid.order < 0) {
        memcpy(error, "SPBLAS_EMU_ORDER must be forward, reverse or random:SEED", 57);
        return SB_CU_LAUNCH_FAILED;
    }
    n->fn(n->args, &grid);
    if (!error[0])
        (void)sb_emu_intact();
    return error[0] ? SB_CU_LAUNCH_FAILED : 0;
}

/* Takes the one buffer out of `extra`. */
static int
take_args(node *n, void **extra)
{
    const void *buffer = NULL;
    size_t bytes = 0;

    for (; extra && extra[0] != SB_CU_EXTRA_END; extra += 2) {
        if (extra[0] == SB_CU_EXTRA_BUFFER)
            buffer = extra[1];
        else if (extra[0] == SB_CU_EXTRA_SIZE)
            memcpy(&bytes, extra[1], sizeof bytes);
    }
    if (!buffer || bytes == 0 || bytes > ARGS_MAX)
        return SB_CU_INVALID_VALUE;
    memcpy(n->args, buffer, bytes);
    return 0;
}

static int
keep(graph *g, const node *n)
{
    node *copy = g->count < NODES_MAX ? sb_alloc(sizeof *copy) : NULL;

    if (!copy)
        return SB_CU_OUT_OF_MEMORY;
    *copy = *n;
    g->node[g->count++] = copy;
    return 0;
}

int
sb_emu_launch(sb_cu_ptr function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
              unsigned block_x, unsigned block_y, unsigned block_z,
              unsigned shared_bytes, sb_cu_ptr at, void **parameters, void **extra)
{
    const stream *s = at;
    const uint64_t threads = (uint64_t)block_x * block_y * block_z;
    node n = {.gx = grid_x, .gy = grid_y, .gz = grid_z};
    int code;

    if (!function || parameters || grid_x == 0 || grid_x > INT32_MAX || grid_y == 0 ||
        grid_y > GRID_YZ_MAX || grid_z == 0 || grid_z > GRID_YZ_MAX || threads == 0 ||
        threads > 1024 || shared_bytes > SHARED_MAX)
        return SB_CU_INVALID_VALUE;
    (void)sb_emu_note(SB_EMU_LAUNCH);
    memcpy(&n.fn, &function, sizeof n.fn);
    if ((code = take_args(&n, extra)) != 0)
        return code;
    return s && s->capture ? keep(s->capture, &n) : run(&n);
}

int
sb_emu_function_set(sb_cu_ptr function, int attribute, int value)
{
    return function && attribute == SB_CU_DYNAMIC_SHARED_MAX && value >= 0 &&
                   value <= SHARED_MAX
               ? 0
               : SB_CU_INVALID_VALUE;
}

int
sb_emu_function_get(int *value, int attribute, sb_cu_ptr function)
{
    (void)attribute;
    *value = 0;
    return function ? 0 : SB_CU_INVALID_VALUE;
}

/* ---- streams and graphs --------------------------------------------------------------------- */

int
sb_emu_stream_create(sb_cu_ptr *out, unsigned flags)
{
    (void)flags;
    *out = sb_alloc_zero(sizeof(stream));
    return *out ? 0 : SB_CU_OUT_OF_MEMORY;
}

int
sb_emu_stream_destroy(sb_cu_ptr at)
{
    sb_emu_settle_stream(at);
    sb_free(at);
    return 0;
}

int
sb_emu_stream_wait(sb_cu_ptr at)
{
    if (!sb_emu_note(SB_EMU_WAIT))
        return SB_CU_CAPTURE_UNSUPPORTED;
    sb_emu_settle_stream(at);
    return 0;
}

int
sb_emu_stream_capturing(sb_cu_ptr at, int *status)
{
    const stream *s = at;

    *status = s && s->capture;
    return 0;
}

int
sb_emu_capture_begin(sb_cu_ptr at, int mode)
{
    stream *s = at;

    (void)mode;
    if (!s || s->capture || !(s->capture = sb_alloc_zero(sizeof *s->capture)))
        return SB_CU_INVALID_VALUE;
    if (sb_emu_note(SB_EMU_CAPTURE))
        return 0;
    sb_free(s->capture);
    s->capture = NULL;
    return SB_CU_CAPTURE_UNSUPPORTED;
}

int
sb_emu_capture_end(sb_cu_ptr at, sb_cu_ptr *out)
{
    stream *s = at;

    *out = s ? s->capture : NULL;
    if (!*out)
        return SB_CU_INVALID_VALUE;
    s->capture = NULL;
    (void)sb_emu_note(SB_EMU_CAPTURE_END);
    return 0;
}

int
sb_emu_graph_destroy(sb_cu_ptr at)
{
    graph *g = at;

    for (int q = 0; q < g->count; q++)
        sb_free(g->node[q]);
    sb_free(g);
    return 0;
}

int
sb_emu_graph_exec_destroy(sb_cu_ptr at)
{
    return sb_emu_graph_destroy(at);
}

int
sb_emu_graph_make(sb_cu_ptr *out, sb_cu_ptr from, unsigned long long flags)
{
    const graph *g = from;
    graph *exec = sb_alloc_zero(sizeof *exec);

    (void)flags;
    *out = exec;
    if (!exec)
        return SB_CU_OUT_OF_MEMORY;
    for (int q = 0; q < g->count; q++) {
        const int code = keep(exec, g->node[q]);

        if (code) {
            (void)sb_emu_graph_destroy(exec);
            *out = NULL;
            return code;
        }
    }
    return 0;
}

int
sb_emu_graph_launch(sb_cu_ptr at, sb_cu_ptr stream)
{
    const graph *g = at;
    int code = 0;

    (void)stream;
    for (int q = 0; q < g->count && !code; q++)
        code = run(g->node[q]);
    return code;
}

/* ---- events ----------------------------------------------------------------------------------- */

int
sb_emu_event_create(sb_cu_ptr *out, unsigned flags)
{
    (void)flags;
    *out = sb_alloc_zero(sizeof(double));
    return *out ? 0 : SB_CU_OUT_OF_MEMORY;
}

int
sb_emu_event_destroy(sb_cu_ptr event)
{
    sb_free(event);
    return 0;
}

int
sb_emu_event_record(sb_cu_ptr event, sb_cu_ptr stream)
{
    (void)stream;
    *(double *)event = sb_clock();
    return 0;
}

int
sb_emu_event_wait(sb_cu_ptr event)
{
    (void)event;
    if (!sb_emu_note(SB_EMU_WAIT))
        return SB_CU_CAPTURE_UNSUPPORTED;
    sb_emu_settle();
    return 0;
}

int
sb_emu_event_elapsed(float *ms, sb_cu_ptr from, sb_cu_ptr to)
{
    *ms = (float)((*(const double *)to - *(const double *)from) * 1e3);
    return 0;
}
