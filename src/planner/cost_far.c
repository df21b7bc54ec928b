/*
 * SpMV beyond the near caches on Zen 5 and Zen 3: what lines of x and of A cost
 * besides what each form does, little where kernels ask for A (sb_target_ahead), much
 * where they do not. Fitted on Zen 5 to matrices of 1 to 75 MB of A; on Zen 3 most
 * shares are those, which fitted, others its own, by matrices of 9 to 69 MB
 * (docs/measured/model.md, Beyond the near caches on Zen 5, SpMV on Zen 3).
 */
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>

/* Beyond the near caches, of a line of x and of A's bytes, as a share of memory's rate. */
typedef struct far_pace {
    double line, memory;
} far_pace;

static far_pace
far_of(const sb_vector_part *p, const sb_stats *s, const sb_target *t, bool packed)
{
    const bool slow = sb_target_slow_gathers(t); /* Zen 5, and Zen 4 by its prices */

    switch (p->choice->kind) {
    case SB_PART_SEG:
        return (far_pace){p->unroll == SB_SPEC_FLOW ? 0.3e-9 : 0.6e-9, 0.25};
    case SB_PART_PROD:
        return (far_pace){0.4e-9, 0.2};
    case SB_PART_SELL:
        return !packed         ? (far_pace){slow ? 1e-9 : 3e-9, 0.8}
               : !slow         ? (far_pace){1.6e-9, 0.35}
               : p->x_size > 4 ? (far_pace){0.6e-9, 0.35}
                               : (far_pace){0.95e-9, 0.3};
    case SB_PART_MASK:
        return !t->wide               ? (far_pace){1.6e-9, 2}
               : p->choice->size == 1 ? (far_pace){1.2e-9, 0.25}
               : p->choice->size == 6 ? (far_pace){0.3e-9, 0.4}
                                      : (far_pace){1.1e-9, 0.5};
    case SB_PART_HDIA:
        return (far_pace){0.4e-9, t->wide || packed ? 0.6 : 6};
    case SB_PART_ALIKE:
        return (far_pace){1.1e-9, slow            ? 0.5
                                  : p->x_size > 4 ? 2 - 1.75 * s->lone
                                                  : 1.6 - 1.35 * s->lone};
    case SB_PART_SHARE:
    case SB_PART_WIN:
    case SB_PART_UBCSR:
        return (far_pace){1.6e-9, 0.8};
    case SB_PART_CSR:
    case SB_PART_ROWS:
        return (far_pace){1.1e-9, 0.25};
    default:
        return (far_pace){1.1e-9, 0.8};
    }
}

void
sb_vector_far(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
              const sb_target *t, double a_bytes, bool packed)
{
    const far_pace by = far_of(p, s, t, packed);
    const double whole = a_bytes + (double)s->cols * p->x_size;
    const double l3 = (double)t->l3;
    /* so many streams side by side find no prefetcher on Zen 3 that reaches as far as L3 */
    const bool streams = (p->choice->kind == SB_PART_ALIKE && !sb_target_zen4(t)) ||
                         p->choice->kind == SB_PART_MASK ||
                         (p->choice->kind == SB_PART_HDIA && !packed);
    const double from = !t->wide && streams ? 4 : 2;
    const double gone = fmin(1, fmax(0, from * whole / l3 - 1));
    /* of A so much passes through L2 that nothing of x stays */
    const double passed = fmin(1, 2 * a_bytes / l3);
    const double alone = p->choice->kind == SB_PART_ALIKE ? s->lone : 1;

    if (!sb_target_zen(t))
        return;
    out->entry += by.line * passed * alone * sb_vector_lines(p, s, (double)t->l2 / 4);
    if (gone > 0)
        out->entry += by.memory * gone * a_bytes / t->bw_mem * t->threads;
}
