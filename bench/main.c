/*
 * The benchmark program. For each matrix and case: every peer prepares, runs once and
 * is compared with the oracle; those that are right are timed together, all peers in
 * random order round after round, each batch after an untimed warm-up. One line of JSON
 * a row (a matrix, a case, all peers), between facts about machine and peers.
 */
#include "limits.h"
#include "problem.h"
#include "report.h"
#include "shim.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { TIER_FULL = 1, TIER_QUICK = 2, TIER_TINY = 4, TIER_ODD = 8 };
enum { PEERS = REPORT_PEERS, FORCED = 32 };

typedef struct bench_case {
    bench_op op;
    int64_t n;
    elem type;
    int tier;
} bench_case;

static const bench_case cases[] = {
#define CASE(op, n, type, tier) {BENCH_##op, n, ELEM_##type, TIER_##tier},
#include "cases.def"
#undef CASE
};

typedef struct call {
    int64_t threads, rounds, min_nnz, max_nnz, check;
    double batch_seconds, row_seconds, pause;
    const char *out, *op, *n, *type, *peers; /* but out, lists by commas */
    bool quick, tiny, no_limits, measured, columns, transposed, own_values, near, help;
    const char *plan[FORCED];
    int plans;
    const char *file[512];
    int files;
} call;

/* A peer in a case: its samples are per call. */
typedef struct entrant {
    const bench_peer *peer;
    void *state;
    report_peer facts;
    double *sample;
    int64_t *preempted;
} entrant;

/* Whether a list of words by commas has this one. */
static bool
listed(const char *list, const char *word)
{
    const size_t n = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ',') && (at[n] == ',' || at[n] == '\0'))
            return true;
    return false;
}

/* Of the types that every peer has. */
static bool
is_plain(elem e)
{
    return e == ELEM_F32 || e == ELEM_F64;
}

static bool
wanted(const call *c, const bench_case *k)
{
    static const char *const ops[] = {"spmv", "spmm", "sddmm"};
    char n[24];
    const int tiers = c->tiny    ? TIER_TINY
                      : c->quick ? TIER_QUICK
                                 : TIER_QUICK | TIER_FULL;

    if (c->op && !listed(c->op, ops[k->op]))
        return false;
    if (c->type ? !listed(c->type, elem_name(k->type)) : !is_plain(k->type))
        return false;
    snprintf(n, sizeof n, "%lld", (long long)k->n);
    if (c->n)
        return listed(c->n, n) && !(k->tier & TIER_TINY);
    return (k->tier & tiers) != 0;
}

/* Whether --peers has this name; without it all, those that measure only if asked for, and on
 * 32-bit indices, as the others. */
static bool
chosen(const call *c, const char *name)
{
    if (c->peers)
        return listed(c->peers, name);
    return !strstr(name, "i64") && (c->measured || !strstr(name, "measure"));
}

static void
run_entrant(void *user)
{
    const entrant *e = user;

    e->peer->run(e->state);
}

static void
rest(double seconds)
{
    const struct timespec t = {.tv_sec = (time_t)seconds,
                               .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};

    if (seconds > 0)
        (void)nanosleep(&t, NULL);
}

/* Prepares, runs once, compares. False: it does not take part. */
static bool
enter(entrant *e, bench_problem *pb, const call *c)
{
    bench_prepared info = {0};
    double begin;

    rest(c->pause);
    begin = tool_seconds();
    e->state = e->peer->prepare(pb, &info, e->peer->arg);
    e->facts.analysis = tool_seconds() - begin;
    if (info.analysis_seconds > 0.0)
        e->facts.analysis = info.analysis_seconds;
    e->facts.predicted = info.predicted_seconds;
    snprintf(e->facts.text, sizeof e->facts.text, "%s", info.text);
    if (!e->state) {
        snprintf(e->facts.status, sizeof e->facts.status, "%s",
                 e->peer->ours ? "failed" : "does not apply");
        return false;
    }
    problem_spoil(pb);
    run_entrant(e);
    e->facts.error = problem_error(pb, c->check);
    snprintf(e->facts.status, sizeof e->facts.status, "%s",
             e->facts.error <= 1.0 ? "ok" : "wrong");
    return e->facts.error <= 1.0;
}

/* Calls a batch, so that one lasts batch_seconds. */
static int64_t
batch_of(entrant *e, double batch_seconds)
{
    double best = 1e30, begin, t;
    int k;

    for (k = 0; k < 3; k++) {
        begin = tool_seconds();
        run_entrant(e);
        t = tool_seconds() - begin;
        best = t < best ? t : best;
        if (best > batch_seconds)
            return 1;
    }
    t = ceil(batch_seconds / best);
    return t < 1.0 ? 1 : t > 10000.0 ? 10000 : (int64_t)t;
}

static int
compare_doubles(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* Quartiles of the samples during which no core was lost; of all of them, and marked
 * as noisy, when there are fewer than three such. */
static void
summarise(entrant *e, int64_t rounds)
{
    int64_t clean = 0, k;

    for (k = 0; k < rounds; k++)
        clean += e->preempted[k] == 0;
    e->facts.clean = clean;
    e->facts.noisy = clean < 3 && clean < rounds;
    if (!e->facts.noisy) {
        for (clean = 0, k = 0; k < rounds; k++)
            if (e->preempted[k] == 0)
                e->sample[clean++] = e->sample[k];
        rounds = clean;
    }
    qsort(e->sample, (size_t)rounds, sizeof *e->sample, compare_doubles);
    e->facts.best = e->sample[0];
    e->facts.q1 = e->sample[rounds / 4];
    e->facts.median = e->sample[rounds / 2];
    e->facts.q3 = e->sample[rounds * 3 / 4];
}

/* Rounds until every peer has as many clean samples as asked for; on a busy machine
 * three times as many at most, and three are enough where they take long. Their number. */
static int64_t
run_rounds(const call *c, entrant **in, int count)
{
    double seconds[PEERS];
    int64_t preempted[PEERS], clean[PEERS] = {0}, r, fewest = 0;
    const double begin = tool_seconds();
    int k;

    for (r = 0; r < 3 * c->rounds && fewest < c->rounds; r++) {
        if (r >= 3 && c->row_seconds > 0 && tool_seconds() - begin > c->row_seconds)
            break;
        shim_round(seconds, preempted);
        for (fewest = INT64_MAX, k = 0; k < count; k++) {
            in[k]->sample[r] = seconds[k];
            in[k]->preempted[r] = preempted[k];
            clean[k] += preempted[k] == 0;
            fewest = clean[k] < fewest ? clean[k] : fewest;
        }
    }
    return r;
}

static void
time_all(const call *c, entrant **in, int count)
{
    int64_t rounds;
    int k;

    if (count == 0)
        return;
    for (k = 0; k < count; k++) {
        in[k]->sample = tool_memory(3 * c->rounds, sizeof(double));
        in[k]->preempted = tool_memory(3 * c->rounds, sizeof(int64_t));
        shim_register(in[k]->peer->name, run_entrant, in[k],
                      c->pause > 0 ? 1 : batch_of(in[k], c->batch_seconds));
    }
    rounds = run_rounds(c, in, count);
    shim_clear();
    for (k = 0; k < count; k++) {
        summarise(in[k], rounds);
        free(in[k]->sample);
        free(in[k]->preempted);
    }
}

/* A forced plan names its operation, SpMV serves columns, too; the other peers look at the
 * problem themselves. */
static bool
fits(const bench_peer *peer, const bench_case *k, bool columns, bool transposed)
{
    static const char *const plans[] = {"(plan spmv ", "(plan spmm ", "(plan sddmm "};

    if (!peer->general && (transposed || !is_plain(k->type)))
        return false;
    return !peer->ours || !peer->arg || peer->arg[0] != '(' ||
           strncmp(peer->arg, plans[k->op], strlen(plans[k->op])) == 0 ||
           (columns && k->op == BENCH_SPMM &&
            strncmp(peer->arg, plans[BENCH_SPMV], strlen(plans[BENCH_SPMV])) == 0);
}

/* One row; false when a result of ours was wrong. */
static bool
run_case(const call *c, const problem_matrix *m, const bench_case *k,
         const bench_peer *peers, int count, const bench_limits *limits, report *rep)
{
    entrant all[PEERS] = {{0}}, *in[PEERS];
    report_row row = {.matrix = m->name};
    bench_problem pb;
    int q, entered = 0;
    bool good = true;

    if (!problem_make(&pb, m, k->op, k->type, k->n, c->columns, c->transposed,
                      (int)c->threads))
        return true;
    for (q = 0; q < count; q++) {
        all[q].peer = &peers[q];
        all[q].facts.name = peers[q].name;
        all[q].facts.ours = peers[q].ours;
        snprintf(all[q].facts.status, sizeof all[q].facts.status, "does not apply");
        if (!fits(&peers[q], k, c->columns, c->transposed))
            continue;
        if (enter(&all[q], &pb, c))
            in[entered++] = &all[q];
        else if (peers[q].ours)
            good = false;
    }
    time_all(c, in, entered);
    row.pb = &pb;
    for (q = 0; q < count; q++) {
        row.peer[row.peers++] = all[q].facts;
        if (all[q].state)
            peers[q].free(all[q].state);
    }
    report_add(rep, &row, limits);
    problem_free(&pb);
    return good;
}

static int
open_peers(const call *c, bench_peer *peers, report *rep)
{
    const char *why;
    int k, count = 0;

    for (k = 0; k < bench_peer_count; k++) {
        if (!chosen(c, bench_peers[k]->name))
            continue;
        why = bench_peers[k]->available((int)c->threads);
        if (why)
            fprintf(stderr, "bench: without %s (see bench/setup_peers): %s\n",
                    bench_peers[k]->name, why);
        else
            peers[count++] = *bench_peers[k];
    }
    for (k = 0; k < c->plans; k++)
        peers[count++] = bench_forced_plan(c->plan[k], strchr(c->plan[k], '('));
    for (k = 0; k < count; k++)
        report_version(rep, peers[k].name, peers[k].version);
    return count;
}

static int
run_all(const call *c)
{
    bench_peer peers[PEERS];
    bench_limits limits = {0};
    problem_matrix m;
    report *rep = report_open(c->out, (int)c->threads);
    size_t k;
    int f, count, code = TOOL_OK;
    bool sized;

    if (!rep)
        return TOOL_USAGE;
    shim_start(c->pause);
    if (!c->no_limits)
        limits_measure(&limits, (int)c->threads, c->quick ? 0.02 : 0.1);
    count = open_peers(c, peers, rep);
    for (f = 0; f < c->files; f++) {
        if (!problem_read(&m, c->file[f], c->own_values)) {
            code = TOOL_USAGE;
            continue;
        }
        if (c->near)
            problem_near(&m);
        sized = m.nnz >= c->min_nnz && m.nnz <= c->max_nnz;
        for (k = 0; sized && k < sizeof cases / sizeof *cases; k++)
            if (wanted(c, &cases[k]) &&
                !run_case(c, &m, &cases[k], peers, count, &limits, rep))
                code = code ? code : TOOL_WRONG;
        problem_free_matrix(&m);
    }
    report_close(rep, c->no_limits ? NULL : &limits);
    return code;
}

/* Takes the --plan options out of argv, which may come often: NAME=(plan ...). */
static int
take_plans(call *c, int argc, char **argv)
{
    int k, to = 1;

    for (k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--plan") != 0) {
            argv[to++] = argv[k];
            continue;
        }
        if (k + 1 == argc || !strchr(argv[k + 1], '(') || c->plans == FORCED) {
            tool_complain("--plan wants a plan text, at most %d times", FORCED);
            return -1;
        }
        c->plan[c->plans++] = argv[++k];
    }
    return to;
}

int
main(int argc, char **argv)
{
    call c = {.threads = 2,
              .rounds = 0,
              .min_nnz = 0,
              .max_nnz = INT64_MAX,
              .batch_seconds = 0.002};
    const arg_spec specs[] = {
        {"--out", ARG_TEXT, &c.out, "JSON file to write (stdout)"},
        {"--threads", ARG_INT, &c.threads, "threads of every peer (2)"},
        {"--rounds", ARG_INT, &c.rounds, "timed batches a peer (15, quick 7)"},
        {"--batch", ARG_REAL, &c.batch_seconds, "seconds a batch lasts (0.002)"},
        {"--pause", ARG_REAL, &c.pause,
         "sleep so many seconds before each analysis and each timed call (none)"},
        {"--quick", ARG_FLAG, &c.quick, "only the quick cases"},
        {"--tiny", ARG_FLAG, &c.tiny, "the smoke test's cases"},
        {"--limit", ARG_REAL, &c.row_seconds,
         "no further round of a row after so many seconds (none)"},
        {"--check", ARG_INT, &c.check,
         "compare about so many products a peer, evenly spread (all)"},
        {"--op", ARG_TEXT, &c.op, "only these of spmv, spmm, sddmm, by commas"},
        {"--n", ARG_TEXT, &c.n, "only these n, by commas"},
        {"--type", ARG_TEXT, &c.type,
         "only these of f32, f64 (those alone without it), f16, bf16, c32, c64, by "
         "commas"},
        {"--min-nnz", ARG_INT, &c.min_nnz, "leave out smaller matrices"},
        {"--max-nnz", ARG_INT, &c.max_nnz, "and larger ones"},
        {"--peers", ARG_TEXT, &c.peers, "only these, by commas"},
        {"--measured", ARG_FLAG, &c.measured, "ours with measured analysis as well"},
        {"--plan", ARG_TEXT, NULL, "a plan text as one more peer; may come often"},
        {"--columns", ARG_FLAG, &c.columns, "SpMM's B and C lie by columns"},
        {"--transposed", ARG_FLAG, &c.transposed, "A^T in place of A"},
        {"--own-values", ARG_FLAG, &c.own_values,
         "A's values are the file's, 1 in a pattern (random)"},
        {"--near", ARG_FLAG, &c.near,
         "each row's columns are 0 to 7 in turns, so that B lies in the nearest cache"},
        {"--no-limits", ARG_FLAG, &c.no_limits, "do not measure the machine"},
        {"--help", ARG_FLAG, &c.help, "this text"},
        {NULL, ARG_FLAG, NULL, NULL},
    };

    if ((argc = take_plans(&c, argc, argv)) < 0 ||
        arg_parse(argc, argv, specs, c.file, 512, &c.files))
        return TOOL_USAGE;
    if (c.help || c.files == 0) {
        puts("usage: bench [options] MATRIX.mtx[.gz] ...");
        arg_help(specs);
        return c.help ? TOOL_OK : TOOL_USAGE;
    }
    if (c.rounds < 1)
        c.rounds = c.quick ? 7 : c.tiny ? 3 : 15;
    if (c.near && c.transposed)
        return tool_complain("--near is of A's rows, not of A^T's");
    if (c.threads < 1 || c.threads > 1024)
        return tool_complain("--threads is 1 .. 1024");
#ifdef _OPENMP
    omp_set_num_threads((int)c.threads);
#endif
    return run_all(&c);
}
