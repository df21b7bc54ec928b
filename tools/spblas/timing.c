/* Interleaved timing. */
#include "timing.h"

#include "tool.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS_MIN = 5, ROUNDS_MAX = 101 };

static double
time_batch(const timed *t, int64_t batch)
{
    double begin;
    int64_t k;

    t->run(t->user);
    begin = tool_seconds();
    for (k = 0; k < batch; k++)
        t->run(t->user);
    return (tool_seconds() - begin) / (double)batch;
}

/* Calls that last a millisecond together. */
static int64_t
batch_of(const timed *t, double *each)
{
    *each = fmin(time_batch(t, 1), time_batch(t, 1));
    return *each > 1e-3 ? 1 : (int64_t)(1e-3 / fmax(*each, 1e-7)) + 1;
}

static void
shuffle(int *order, int count, tool_rng *r)
{
    int k, other, t;

    for (k = count - 1; k > 0; k--) {
        other = (int)rng_below(r, k + 1);
        t = order[k];
        order[k] = order[other];
        order[other] = t;
    }
}

void
time_interleaved(timed *what, int count, int64_t rounds, double seconds,
                 const char *progress)
{
    int64_t batch[TIMED_MAX], r;
    double *sample[TIMED_MAX], total = 0.0, each;
    int order[TIMED_MAX], k;
    tool_rng random = {7};

    for (k = 0; k < count; k++) {
        order[k] = k;
        batch[k] = batch_of(&what[k], &each);
        total += each * (double)(batch[k] + 1);
    }
    if (rounds < 1) {
        rounds = (int64_t)(seconds / total);
        rounds = rounds < ROUNDS_MIN ? ROUNDS_MIN : rounds;
        rounds = rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    }
    for (k = 0; k < count; k++)
        sample[k] = tool_memory(rounds, sizeof(double));
    for (r = 0; r < rounds; r++) {
        if (progress)
            tool_progress(progress, (double)r, (double)rounds);
        shuffle(order, count, &random);
        for (k = 0; k < count; k++)
            sample[order[k]][r] = time_batch(&what[order[k]], batch[order[k]]);
    }
    if (progress)
        tool_progress_end();
    for (k = 0; k < count; k++) {
        what[k].median = tool_median(sample[k], (int)rounds);
        what[k].q1 = sample[k][rounds / 4];
        what[k].q3 = sample[k][rounds * 3 / 4];
        free(sample[k]);
    }
}
