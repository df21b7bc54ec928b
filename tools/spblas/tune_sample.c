/* Timing every plan that can be forced on a problem. */
#include "tune.h"

#include "job.h"
#include "report.h"
#include "timing.h"
#include "tool.h"

#include "planner/candidates.h"
#include "planner/rules.h"

#include <stdlib.h>
#include <string.h>

/* A plan that takes so many times as long as the fastest is timed no further. */
static const double hopeless = 2;

/* The plans of one problem, each under a descriptor of its own; sample number `first` of
 * all is that of the first one. */
typedef struct field {
    job *j;
    int count;
    int64_t first;
    double best; /* seconds of the fastest so far */
    spblasSpMatDescr_t a[TIMED_MAX];
} field;

typedef struct runner {
    job *j;
    spblasSpMatDescr_t a;
} runner;

/* The problem as the planner sees it; values and dense operands are not looked at. */
static sb_problem
problem_of(const job *j)
{
    const sb_dtype type = j->spec.type == ELEM_F64 ? SB_F64 : SB_F32;
    const bool sddmm = j->spec.op == JOB_SDDMM;
    sb_problem pb = {.op = j->spec.op == JOB_SPMV   ? SB_OP_SPMV
                           : j->spec.op == JOB_SPMM ? SB_OP_SPMM
                                                    : SB_OP_SDDMM,
                     .compute = type,
                     .batch = 1};

    pb.a = (sb_matrix){.format = SB_FORMAT_CSR,
                       .rows = j->rows,
                       .cols = j->cols,
                       .nnz = j->nnz,
                       .ptr = j->ptr,
                       .idx = j->col,
                       .ptr_type = SB_I32,
                       .idx_type = SB_I32,
                       .val_type = type,
                       .block = 1,
                       .batch = 1};
    pb.b = (sb_dense){.rows = sddmm ? j->rows : j->cols,
                      .cols = j->spec.n,
                      .ld = j->spec.n,
                      .type = type,
                      .batch = 1};
    pb.c = pb.b;
    pb.c.rows = sddmm ? j->spec.n : j->rows;
    if (sddmm) {
        pb.c.cols = j->cols;
        pb.c.col_major = true;
    }
    return pb;
}

static void
run_plan(void *user)
{
    const runner *r = user;

    r->j->a = r->a;
    job_compute(r->j);
}

/* The least of some calls after a first one; 0 if they fail. One that seems hopeless is
 * asked more often: it may have lost a core. */
static double
first_look(job *j, double best)
{
    enum { ENOUGH = 2, MOST = 6 };
    double least = 0;

    if (job_compute(j))
        return 0;
    for (int q = 0; q < ENOUGH || (q < MOST && best > 0 && least > hopeless * best);
         q++) {
        const double begin = tool_seconds();
        double took;

        if (job_compute(j))
            return 0;
        took = tool_seconds() - begin;
        least = least > 0 && least < took ? least : took;
    }
    return least;
}

/* The first plan met operands that nobody had touched, and none to compare it with. */
static void
look_again(tune_samples *to, field *f)
{
    tune_sample *s;
    double seconds;

    if (f->count == 0)
        return;
    s = &to->at[f->first];
    f->j->a = f->a[0];
    seconds = first_look(f->j, f->best);
    if (seconds > 0 && seconds < s->seconds)
        s->seconds = seconds;
    if (s->seconds < f->best)
        f->best = s->seconds;
}

/* Medians of interleaved runs for the plans that are not hopeless: no plan has the caches
 * or the moment to itself. */
static void
race(tune_samples *to, const field *f, double each)
{
    runner who[TIMED_MAX];
    timed what[TIMED_MAX];
    int64_t of[TIMED_MAX];
    int in = 0;

    for (int q = 0; q < f->count; q++)
        if (to->at[f->first + q].seconds < hopeless * f->best) {
            who[in] = (runner){f->j, f->a[q]};
            what[in] = (timed){.run = run_plan, .user = &who[in]};
            of[in++] = f->first + q;
        }
    if (in > 0)
        time_interleaved(what, in, 0, each * in, NULL);
    for (int q = 0; q < in; q++)
        to->at[of[q]].seconds = what[q].median;
}

/* Forces a plan, or lets the planner choose when text is NULL. Returns the text of what
 * was made of it; NULL: it does not fit the matrix, or there is no kernel. */
static char *
force(job *j, const char *text)
{
    char *made;

    if (spblasSpMatSetAttribute(j->a, SPBLAS_SPMAT_PLAN_TEXT, text,
                                text ? strlen(text) : 0) ||
        job_try_analyse(j))
        return NULL;
    made = plan_text(j->a);
    if (made && strstr(made, "(reference)")) {
        free(made);
        return NULL;
    }
    return made;
}

/* Room for one more than count in an array that doubles. */
static void *
grow(void *old, int64_t count, size_t size)
{
    void *more;

    if (count & (count - 1))
        return old;
    more = tool_memory(count ? 2 * count : 1, size);
    if (count)
        memcpy(more, old, (size_t)count * size);
    free(old);
    return more;
}

static int
look(tune_problem *out, const sb_problem *pb)
{
    sb_view rows = {0};
    sb_diag why = {SB_OK, ""};
    sb_status st;

    sb_work_of(&out->work, pb);
    st = sb_view_make(&rows, &pb->a, false, &why);
    if (st == SB_OK)
        st = sb_stats_collect(&out->stats, &rows,
                              pb->op == SB_OP_SPMV ? SB_STATS_ALL
                                                   : SB_STATS_ALL & ~SB_STATS_VECTOR &
                                                         ~SB_STATS_UNALIGNED,
                              NULL);
    sb_view_free(&rows);
    return st == SB_OK ? TOOL_OK : tool_complain("statistics: %s", sb_status_text(st));
}

/* Whether a plan of the problem that is being added was timed under another text. */
static bool
known(const tune_samples *s, const sb_choice *made)
{
    for (int64_t q = s->count - 1; q >= 0 && s->at[q].problem == s->problems; q--)
        if (sb_choice_equal(&s->at[q].choice, made))
            return true;
    return false;
}

/* Adds what becomes of a choice: parts that find nothing are gone. */
static void
add_choice(tune_samples *to, field *f, const sb_choice *ch, const char *chosen)
{
    tune_sample s = {.problem = to->problems};
    sb_strbuf text;
    char *made = NULL;

    sb_strbuf_init(&text);
    sb_choice_print(&text, ch);
    if (sb_strbuf_status(&text) == SB_OK && job_renew(f->j) == TOOL_OK)
        made = force(f->j, text.s);
    if (made && sb_choice_parse(&s.choice, made, strlen(made), NULL) == SB_OK &&
        !known(to, &s.choice))
        s.seconds = first_look(f->j, f->best);
    if (s.seconds > 0) {
        f->best = f->best > 0 && f->best < s.seconds ? f->best : s.seconds;
        s.chosen = chosen && strcmp(made, chosen) == 0;
        to->at = grow(to->at, to->count, sizeof *to->at);
        to->at[to->count++] = s;
        f->a[f->count++] = f->j->a;
    } else {
        spblasDestroySpMat(f->j->a);
    }
    f->j->a = NULL;
    free(made);
    sb_strbuf_free(&text);
}

/* What a matrix's communities gain is no factor of the model (planner/row_order.h). */
static bool
ordered(const sb_choice *ch)
{
    return ch->part[0].kind == SB_PART_PICK && ch->part[0].k > 0;
}

/* All plans of a problem. */
static void
add_choices(tune_samples *to, job *j, const sb_problem *pb, double each)
{
    field f = {.j = j, .first = to->count};
    const int mean_k = sb_mean_k(pb->a.rows, pb->a.nnz);
    char *chosen = force(j, NULL);
    sb_choice ch;

    spblasDestroySpMat(j->a);
    j->a = NULL;
    for (int q = 0; f.count < TIMED_MAX && sb_candidate(&ch, pb, true, true, mean_k, q);
         q++)
        if (!ordered(&ch))
            add_choice(to, &f, &ch, chosen);
    look_again(to, &f);
    race(to, &f, each);
    for (int q = 0; q < f.count; q++)
        spblasDestroySpMat(f.a[q]);
    j->a = NULL;
    free(chosen);
}

int
tune_measure(tune_samples *to, const mm_matrix *m, const tune_case *c, double each)
{
    static const job_op ops[] = {
        [SB_OP_SPMM] = JOB_SPMM, [SB_OP_SPMV] = JOB_SPMV, [SB_OP_SDDMM] = JOB_SDDMM};
    const job_spec spec = {.op = ops[c->op],
                           .block = 1,
                           .n = c->n,
                           .type = c->f64 ? ELEM_F64 : ELEM_F32,
                           .frozen = true,
                           .alpha = 1};
    sb_problem pb;
    job j;
    int code = job_make(&j, &spec, m);

    if (code == TOOL_OK) {
        pb = problem_of(&j);
        to->problem = grow(to->problem, to->problems, sizeof *to->problem);
        code = look(&to->problem[to->problems], &pb);
    }
    if (code == TOOL_OK) {
        add_choices(to, &j, &pb, each);
        to->problems++;
    }
    job_free(&j);
    return code;
}

void
tune_free(tune_samples *s)
{
    free(s->problem);
    free(s->at);
    *s = (tune_samples){0};
}
