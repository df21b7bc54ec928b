/*
 * `spblas gen`: seeded lookalikes of the matrices that sparse code meets, so that every
 * machine has realistic input.
 *
 * Source   sizes of the graphs: SparseTIR (Ye et al., ASPLOS 2023), table 1
 */
#include "gen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const gen_kind kinds[] = {
    {"cora",
     "citation graph, 2708 nodes, 10556 edges",
     {.rows = 2708, .edges = 10556, .top = 168},
     MM_PATTERN,
     gen_power_graph},
    {"citeseer",
     "citation graph, 3327 nodes, 9228 edges",
     {.rows = 3327, .edges = 9228, .top = 99},
     MM_PATTERN,
     gen_power_graph},
    {"pubmed",
     "citation graph, 19717 nodes, 88651 edges",
     {.rows = 19717, .edges = 88651, .top = 171},
     MM_PATTERN,
     gen_power_graph},
    {"ppi",
     "24 protein graphs beside each other, 44906 nodes, 1271274 edges",
     {.rows = 44906, .edges = 1271274, .top = 722, .block = 24},
     MM_PATTERN,
     gen_power_graph},
    {"arxiv",
     "citation graph, 169343 nodes, 1166243 edges",
     {.rows = 169343, .edges = 1166243, .top = 6600},
     MM_PATTERN,
     gen_power_graph},
    {"proteins",
     "association graph, 132534 nodes, 39561252 edges (see --scale)",
     {.rows = 132534, .edges = 39561252, .top = 3900},
     MM_PATTERN,
     gen_power_graph},
    {"reddit",
     "post graph, 232965 nodes, 114615892 edges (see --scale)",
     {.rows = 232965, .edges = 114615892, .top = 21657},
     MM_PATTERN,
     gen_power_graph},
    {"rmat",
     "R-MAT .57 .19 .19: --rows, --degree",
     {.rows = 131072, .degree = 16},
     MM_PATTERN,
     gen_rmat},
    {"uniform",
     "every place with the same chance: --rows, --cols, --degree",
     {.rows = 100000, .degree = 16},
     MM_REAL,
     gen_uniform},
    {"knn",
     "nearest neighbours of random points in space: --rows, --degree",
     {.rows = 50000, .degree = 16},
     MM_PATTERN,
     gen_knn},
    {"banded",
     "diagonals around the main one: --rows, --window each side, --density",
     {.rows = 100000, .window = 16, .density = 1.0},
     MM_REAL,
     gen_banded},
    {"block-pruned",
     "weight with dense blocks: --rows, --cols, --block, --density",
     {.rows = 3072, .cols = 768, .block = 32, .density = 0.2},
     MM_REAL,
     gen_block_pruned},
    {"movement-pruned",
     "weight with uneven rows and columns: --rows, --cols, --density",
     {.rows = 3072, .cols = 768, .density = 0.06},
     MM_REAL,
     gen_movement_pruned},
    {"longformer",
     "attention mask: --rows, --window each side, --global",
     {.rows = 4096, .window = 256, .global = 16},
     MM_PATTERN,
     gen_longformer},
    {"bigbird",
     "attention mask in blocks: --rows, --block, --window, --global, --random",
     {.rows = 4096, .block = 64, .window = 1, .global = 2, .random = 3},
     MM_PATTERN,
     gen_bigbird},
    {"strided",
     "causal mask, recent places and every w-th: --rows, --window w",
     {.rows = 4096, .window = 64},
     MM_PATTERN,
     gen_strided},
    {"logsparse",
     "causal mask, places at powers of two: --rows, --window",
     {.rows = 8192, .window = 8},
     MM_PATTERN,
     gen_logsparse},
    {"butterfly",
     "product pattern of a butterfly in blocks: --rows, --block",
     {.rows = 4096, .block = 32},
     MM_PATTERN,
     gen_butterfly},
    {"crossed",
     "dense blocks crossed by scattered rows and columns: --rows, --block, --degree "
     "blocks, --random, --global, --density",
     {.rows = 8192,
      .block = 32,
      .degree = 2,
      .random = 4,
      .global = 32,
      .density = 0.1},
     MM_PATTERN,
     gen_crossed},
    {"stencil5",
     "5 points on a square grid of --rows points",
     {.rows = 102400, .degree = 5},
     MM_REAL,
     gen_stencil},
    {"stencil9",
     "9 points on a square grid of --rows points",
     {.rows = 102400, .degree = 9},
     MM_REAL,
     gen_stencil},
    {"stencil7",
     "7 points on a cubic grid of --rows points",
     {.rows = 64000, .degree = 7},
     MM_REAL,
     gen_stencil},
    {"stencil27",
     "27 points on a cubic grid of --rows points",
     {.rows = 64000, .degree = 27},
     MM_REAL,
     gen_stencil},
};

typedef struct gen_call {
    gen_options opt;
    const char *out, *values;
    bool help;
} gen_call;

enum { SPECS = 17, MOST_UNKNOWNS = 16 };

static void
make_specs(gen_call *call, arg_spec *specs)
{
    const arg_spec list[SPECS] = {
        {"--out", ARG_TEXT, &call->out, "file to write, .mtx or .mtx.gz"},
        {"-o", ARG_TEXT, &call->out, "the same"},
        {"--seed", ARG_INT, &call->opt.seed, "another matrix of the kind (1)"},
        {"--scale", ARG_REAL, &call->opt.scale, "factor for rows, columns and edges"},
        {"--rows", ARG_INT, &call->opt.rows, "rows"},
        {"--cols", ARG_INT, &call->opt.cols, "columns"},
        {"--degree", ARG_INT, &call->opt.degree, "entries a row"},
        {"--density", ARG_REAL, &call->opt.density, "share of places kept"},
        {"--block", ARG_INT, &call->opt.block, "block edge"},
        {"--window", ARG_INT, &call->opt.window, "half width of the window"},
        {"--global", ARG_INT, &call->opt.global, "full rows and columns"},
        {"--random", ARG_INT, &call->opt.random, "random blocks a row"},
        {"--unknowns", ARG_INT, &call->opt.unknowns,
         "of each node: entries become dense blocks of that edge"},
        {"--values", ARG_TEXT, &call->values, "pattern, integer or real"},
        {"--help", ARG_FLAG, &call->help, "this text"},
        {NULL, ARG_FLAG, NULL, NULL},
    };

    memcpy(specs, list, sizeof list);
}

static void
list_kinds(void)
{
    size_t k;

    puts("usage: spblas gen KIND --out FILE.mtx[.gz] [options]\nkinds:");
    for (k = 0; k < sizeof kinds / sizeof *kinds; k++)
        printf("  %-16s %s\n", kinds[k].name, kinds[k].help);
}

static void
use_default(int64_t *value, int64_t by_default)
{
    if (*value == 0)
        *value = by_default;
}

/* What the call left open, from the kind; then the scale. */
static void
complete(gen_options *o, const gen_options *d)
{
    const bool same_cols = o->rows > 0 && o->cols == 0 && d->cols == 0;

    use_default(&o->rows, d->rows);
    use_default(&o->cols, same_cols || d->cols == 0 ? o->rows : d->cols);
    use_default(&o->degree, d->degree);
    use_default(&o->block, d->block);
    use_default(&o->window, d->window);
    use_default(&o->global, d->global);
    use_default(&o->random, d->random);
    o->edges = d->edges;
    o->top = d->top;
    if (o->density == 0.0)
        o->density = d->density;
    if (o->scale == 0.0)
        o->scale = 1.0;
    o->rows = (int64_t)((double)o->rows * o->scale + 0.5);
    o->cols = (int64_t)((double)o->cols * o->scale + 0.5);
    o->edges = (int64_t)((double)o->edges * o->scale + 0.5);
    /* The largest degree of a power law grows more slowly than the graph. */
    if (o->scale < 1.0)
        o->top = (int64_t)((double)o->top * (0.3 + 0.7 * o->scale));
}

static int
check_options(const gen_options *o)
{
    const int64_t limit = (INT64_C(1) << 31) / (o->unknowns > 1 ? o->unknowns : 1);

    if (o->rows < 1 || o->cols < 1 || o->rows >= limit || o->cols >= limit)
        return tool_complain("%lld x %lld: sizes are 1 .. 2^31 - 1, unknowns counted",
                             (long long)o->rows, (long long)o->cols);
    if (o->degree < 0 || o->block < 0 || o->window < 0 || o->global < 0 ||
        o->random < 0 || o->unknowns < 0 || o->unknowns > MOST_UNKNOWNS ||
        o->density < 0.0 || o->density > 1.0)
        return tool_complain("an option is negative, a density above 1, or there are "
                             "more than %d unknowns",
                             MOST_UNKNOWNS);
    return TOOL_OK;
}

static bool
read_values(const char *text, mm_field *field)
{
    if (!text)
        return true;
    if (strcmp(text, "pattern") == 0)
        *field = MM_PATTERN;
    else if (strcmp(text, "integer") == 0)
        *field = MM_INTEGER;
    else if (strcmp(text, "real") == 0)
        *field = MM_REAL;
    else
        return false;
    return true;
}

static void
draw_values(mm_matrix *m, mm_field field, tool_rng *r)
{
    int64_t p;

    m->field = field;
    for (p = 0; p < m->nnz; p++) {
        if (field == MM_PATTERN)
            m->val[p] = 1.0;
        else if (field == MM_INTEGER)
            m->val[p] = (double)(1 + rng_below(r, 7) - 8 * (int)(rng_next(r) & 1));
        else if (m->val[p] == 1.0)
            m->val[p] = rint(1e4 * rng_normal(r)) / 1e4;
    }
}

static const gen_kind *
find_kind(const char *name)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(name, kinds[k].name) == 0)
            return &kinds[k];
    return NULL;
}

/* From nodes to their unknowns. */
static mm_status
spread_nodes(mm_matrix *m, int64_t unknowns, mm_error *err)
{
    mm_matrix nodes = *m;
    mm_status st;
    mm_builder b;

    mm_builder_init(&b, false, 0);
    for (int64_t i = 0; i < nodes.rows; i++)
        for (int64_t p = nodes.ptr[i]; p < nodes.ptr[i + 1]; p++)
            for (int64_t q = 0; q < unknowns * unknowns; q++)
                mm_builder_add(&b, i * unknowns + q / unknowns,
                               nodes.col[p] * unknowns + q % unknowns, 1, 0);
    st = mm_builder_finish(&b, nodes.rows * unknowns, nodes.cols * unknowns, m, err);
    mm_free(&nodes);
    return st;
}

static int
make(mm_matrix *out, const gen_kind *kind, gen_options *opt, mm_field field)
{
    tool_rng r = {(uint64_t)(opt->seed ? opt->seed : 1) * 0x9e3779b97f4a7c15};
    const char *fault;
    mm_builder b;
    mm_error err;

    complete(opt, &kind->defaults);
    if (check_options(opt))
        return TOOL_USAGE;
    mm_builder_init(&b, false, 0);
    if ((fault = kind->make(opt, &r, &b))) {
        mm_builder_free(&b);
        return tool_complain("gen %s: %s", kind->name, fault);
    }
    if (mm_builder_finish(&b, opt->rows, opt->cols, out, &err) != MM_OK ||
        (opt->unknowns > 1 && spread_nodes(out, opt->unknowns, &err) != MM_OK))
        return tool_complain("%s", err.text);
    draw_values(out, field, &r);
    tool_progress_end();
    return TOOL_OK;
}

int
gen_make(mm_matrix *out, const char *name, gen_options opt)
{
    const gen_kind *kind = find_kind(name);

    if (!kind)
        return tool_complain("unknown kind '%s'; `spblas gen` lists them", name);
    return make(out, kind, &opt, kind->field);
}

static int
generate(const gen_kind *kind, gen_call *call)
{
    mm_field field = kind->field;
    mm_matrix m;
    mm_error err;
    char comment[160];
    int code;

    if (!read_values(call->values, &field))
        return tool_complain("--values %s: pattern, integer or real", call->values);
    if ((code = make(&m, kind, &call->opt, field)) != TOOL_OK)
        return code;
    snprintf(comment, sizeof comment, "spblas gen %s --seed %lld", kind->name,
             (long long)(call->opt.seed ? call->opt.seed : 1));
    if (mm_write(&m, call->out, comment, &err) != MM_OK) {
        mm_free(&m);
        return tool_complain("%s", err.text);
    }
    printf("%s: %lld x %lld, %lld entries\n", call->out, (long long)m.rows,
           (long long)m.cols, (long long)m.nnz);
    mm_free(&m);
    return TOOL_OK;
}

int
tool_gen(int argc, char **argv)
{
    gen_call call = {0};
    arg_spec specs[SPECS];
    const char *word[1] = {NULL};
    const gen_kind *kind;
    int count;

    make_specs(&call, specs);
    if (arg_parse(argc, argv, specs, word, 1, &count))
        return TOOL_USAGE;
    if (count == 0 || call.help) {
        list_kinds();
        puts("options:");
        arg_help(specs);
        return TOOL_OK;
    }
    if (!(kind = find_kind(word[0])))
        return tool_complain("unknown kind '%s'; `spblas gen` lists them", word[0]);
    if (!call.out)
        return tool_complain("gen %s wants --out FILE", word[0]);
    return generate(kind, &call);
}
