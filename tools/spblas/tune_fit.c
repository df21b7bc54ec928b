/*
 * What samples say about the model. Its seconds are linear in the factors of the classes
 * and in the costs of a step and a tile, so that one system of least squares fits them
 * all. The rates behind the terms were measured by themselves (probe.h), but kernels see
 * others: of all steps up and down the one after which the factors fit best is taken, a few times.
 */
#include "tune.h"

#include "report.h"
#include "tool.h"

#include "planner/fit.h"
#include "runtime/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 4, FACTORS = 3, UNKNOWNS = SB_OP_COUNT * SB_CLASS_COUNT * FACTORS + 2 };

/* Plans so much slower than a problem's fastest are not chosen, whatever their error. */
static const double in_the_race = 2;

/* Of the step's and the tile's seconds, counted in these. */
static const double step_unit = 1e-6, tile_unit = 1e-7;

static int
column(sb_op op, int class_)
{
    return ((int)op * SB_CLASS_COUNT + class_) * FACTORS;
}

static sb_cost
cost_of(const tune_samples *s, const tune_sample *one, const sb_target *t)
{
    const tune_problem *of = &s->problem[one->problem];
    sb_cost cost;

    sb_cost_predict(&cost, &one->choice, &of->work, &of->stats, t);
    return cost;
}

static void
put_row(double *row, const sb_choice *ch, const sb_cost *cost)
{
    for (int q = 0; q < ch->npart; q++) {
        double *at = row + column(ch->op, sb_cost_class(&ch->part[q]));

        at[0] += cost->terms[q].roof;
        at[1] += cost->terms[q].unit;
        at[2] += cost->terms[q].entry;
    }
    row[UNKNOWNS - 2] = cost->steps * step_unit;
    row[UNKNOWNS - 1] = cost->tiles * tile_unit;
}

/* Unknowns and coefficients: the same numbers in another order. */
static void
exchange(sb_target *t, double *x, bool to_target)
{
    double *at[UNKNOWNS];
    double unit[UNKNOWNS];

    for (int op = 0; op < SB_OP_COUNT; op++)
        for (int q = 0; q < SB_CLASS_COUNT; q++) {
            sb_factor *f = &t->factor[op][q];

            at[column((sb_op)op, q)] = &f->roof;
            at[column((sb_op)op, q) + 1] = &f->unit;
            at[column((sb_op)op, q) + 2] = &f->entry;
        }
    at[UNKNOWNS - 2] = &t->step_seconds;
    at[UNKNOWNS - 1] = &t->tile_seconds;
    for (int q = 0; q < UNKNOWNS; q++)
        unit[q] = q == UNKNOWNS - 2 ? step_unit : q == UNKNOWNS - 1 ? tile_unit : 1;
    for (int q = 0; q < UNKNOWNS; q++)
        if (to_target)
            *at[q] = x[q] * unit[q];
        else
            x[q] = *at[q] / unit[q];
}

static sb_status
fit_factors(sb_target *t, const tune_samples *s)
{
    double *rows = tool_memory(s->count * UNKNOWNS, sizeof *rows);
    double *seconds = tool_memory(s->count, sizeof *seconds);
    double x[UNKNOWNS];
    sb_status st;

    for (int64_t q = 0; q < s->count; q++) {
        const sb_cost cost = cost_of(s, &s->at[q], t);

        put_row(rows + q * UNKNOWNS, &s->at[q].choice, &cost);
        seconds[q] = s->at[q].seconds;
    }
    exchange(t, x, false);
    st = sb_fit_solve(x, UNKNOWNS, rows, seconds, s->count);
    if (st == SB_OK)
        exchange(t, x, true);
    free(rows);
    free(seconds);
    return st;
}

/* Least seconds of each problem. */
static double *
fastest(const tune_samples *s)
{
    double *best = tool_memory(s->problems, sizeof *best);

    for (int64_t q = 0; q < s->count; q++) {
        double *b = &best[s->at[q].problem];

        *b = *b > 0 && *b < s->at[q].seconds ? *b : s->at[q].seconds;
    }
    return best;
}

double
tune_error(const tune_samples *s, const sb_target *t)
{
    double *best = fastest(s), sum = 0;
    int64_t n = 0;

    for (int64_t q = 0; q < s->count; q++)
        if (s->at[q].seconds < in_the_race * best[s->at[q].problem]) {
            sum += fabs(log(cost_of(s, &s->at[q], t).seconds / s->at[q].seconds));
            n++;
        }
    free(best);
    return n > 0 ? sum / (double)n : 0;
}

/* One rate by one step from `t`: *best and *error where the factors fit better than so. */
static sb_status
try_rate(sb_target *best, double *error, const sb_target *t, const tune_samples *s,
         size_t rate, double step)
{
    sb_target other = *t;
    double *at = (double *)(void *)((char *)&other + rate), now;

    *at *= step;
    SB_TRY(fit_factors(&other, s));
    now = tune_error(s, &other);
    if (now < *error * (1 - 1e-3)) {
        *error = now;
        *best = other;
    }
    return SB_OK;
}

int
tune_fit(sb_target *t, const tune_samples *s)
{
    static const size_t rates[] = {
        offsetof(sb_target, flops),     offsetof(sb_target, bw_l2),
        offsetof(sb_target, bw_l3),     offsetof(sb_target, bw_mem),
        offsetof(sb_target, gather_l1), offsetof(sb_target, gather_l2),
        offsetof(sb_target, gather_l3), offsetof(sb_target, gather_mem)};
    static const double steps[] = {0.5, 0.7, 0.85, 1.2, 1.4, 2};
    sb_status st = fit_factors(t, s);
    double error = tune_error(s, t), before = error + 1;

    for (int round = 0; round < ROUNDS && error < before && st == SB_OK; round++) {
        const sb_target from = *t;

        before = error;
        for (int q = 0; q < SB_COUNT(rates); q++)
            for (int k = 0; k < SB_COUNT(steps) && st == SB_OK; k++) {
                tool_progress("fitting",
                              (round * SB_COUNT(rates) + q) * SB_COUNT(steps) + k,
                              ROUNDS * SB_COUNT(rates) * SB_COUNT(steps));
                st = try_rate(t, &error, &from, s, rates[q], steps[k]);
            }
    }
    tool_progress_end();
    return st == SB_OK ? TOOL_OK : tool_complain("fit: %s", sb_status_text(st));
}

/* ---- Report ---------------------------------------------------------------------- */

static const char *const ops[] = {"spmm", "spmv", "sddmm"};

/* A sample belongs to the class of its first part. The correlation of seconds is the largest
 * products'; that of their logarithms is all products' alike. */
static void
report_class(const tune_samples *s, const sb_target *t, sb_op op, int class_)
{
    double *predicted = tool_memory(s->count, sizeof *predicted);
    double *measured = tool_memory(s->count, sizeof *measured), error = 0, seconds;
    int64_t n = 0;

    for (int64_t q = 0; q < s->count; q++) {
        const sb_choice *ch = &s->at[q].choice;

        if (ch->op != op || sb_cost_class(&ch->part[0]) != class_)
            continue;
        predicted[n] = cost_of(s, &s->at[q], t).seconds;
        measured[n] = s->at[q].seconds;
        error += fabs(log(predicted[n] / measured[n]));
        n++;
    }
    seconds = sb_fit_correlation(predicted, measured, n);
    for (int64_t q = 0; q < n; q++) {
        predicted[q] = log(predicted[q]);
        measured[q] = log(measured[q]);
    }
    if (n > 0)
        printf("%-6s %-7s %7lld %12.4f %9.4f %9.2f\n", ops[op], sb_class_name(class_),
               (long long)n, seconds, sb_fit_correlation(predicted, measured, n),
               exp(error / (double)n));
    free(predicted);
    free(measured);
}

/* Geometric mean of fastest over chosen, and how many problems had a choice among the
 * samples. */
static void
report_choices(const tune_samples *s, const double *best, sb_op op)
{
    double sum = 0, worst = 1;
    int64_t n = 0;

    for (int64_t q = 0; q < s->count; q++)
        if (s->at[q].chosen && s->at[q].choice.op == op) {
            const double share = best[s->at[q].problem] / s->at[q].seconds;

            sum += log(share);
            worst = share < worst ? share : worst;
            n++;
        }
    if (n > 0)
        printf("choices without measuring, %s: %.3f of the fastest plan's speed (%lld "
               "problems; worst %.2f)\n",
               ops[op], exp(sum / (double)n), (long long)n, worst);
}

void
tune_report(const tune_samples *s, const sb_target *t)
{
    double *best = fastest(s);

    puts("op     class   samples  correlation   of logs     error");
    for (int op = 0; op < SB_OP_COUNT; op++)
        for (int q = 0; q < SB_CLASS_COUNT; q++)
            report_class(s, t, (sb_op)op, q);
    for (int op = 0; op < SB_OP_COUNT; op++)
        report_choices(s, best, (sb_op)op);
    free(best);
}

void
tune_list(const tune_samples *s, const sb_target *t)
{
    for (int64_t q = 0; q < s->count; q++) {
        const tune_sample *one = &s->at[q];
        const sb_work *w = &s->problem[one->problem].work;
        sb_strbuf plan;

        sb_strbuf_init(&plan);
        sb_choice_print(&plan, &one->choice);
        printf(
            "%lld: %lld x %lld, %lld entries, n %lld, f%d%s measured %s, predicted %s "
            "%s\n",
            (long long)one->problem, (long long)w->m,
            (long long)(w->op == SB_OP_SDDMM ? w->n : w->k), (long long)w->nnz,
            (long long)(w->op == SB_OP_SDDMM ? w->k : w->n), 8 * w->a_size,
            one->chosen ? ", chosen," : "", show_seconds(one->seconds),
            show_seconds(cost_of(s, one, t).seconds), plan.s);
        sb_strbuf_free(&plan);
    }
}
