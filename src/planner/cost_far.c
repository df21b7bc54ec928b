/*
 * SpMV beyond the near caches on Zen 3, 4 and 5: what lines of x and of A cost
 * besides what each form does, little where kernels ask for A (sb_target_ahead), much
 * where they do not. Fitted on Zen 5 to matrices of 1 to 75 MB of A, on Zen 4 of 6 to 69;
 * on Zen 3 most shares are Zen 5's, which fitted, others its own, by matrices of 9 to 69 MB
 * (docs/measured/model.md, Beyond the near caches on Zen 4, Beyond the near caches on Zen 5,
 * SpMV on Zen 3).
 */
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>

/* Beyond the near caches, of a line of x and of A's bytes, as a share of memory's rate. */
typedef struct far_pace {
    double line, memory;
} far_pace;

/* Zen 4, where masks, packed diagonals and listed rows do not ask for A. Of slots and of rows that pick
 * theirs the class takes a fifth and a quarter (shipped.c), of coordinates nothing but bytes. */
static far_pace
far_four(const sb_vector_part *p, bool packed)
{
    const bool wide = p->x_size > 4;

    switch (p->choice->kind) {
    case SB_PART_SEG:
        return (far_pace){0.75e-9, 0.43};
    case SB_PART_PROD:
        return (far_pace){1e-9, 0.45};
    case SB_PART_SELL:
        return packed ? (far_pace){0.9e-9, 0.12} : (far_pace){3e-9, 0.6};
    case SB_PART_MASK:
        return p->choice->size == 6 ? (far_pace){1.6e-9, wide ? 0.9 : 2}
                                    : (far_pace){3e-9, wide ? 0.6 : 1.5};
    case SB_PART_HDIA:
        return packed ? (far_pace){1.3e-9, 0.1} : (far_pace){10e-9, 2};
    case SB_PART_ALIKE:
        return wide ? (far_pace){2.1e-9, 1.2} : (far_pace){3.2e-9, 1.3};
    case SB_PART_UBCSR:
        return (far_pace){6e-9, 0.1};
    case SB_PART_ELL:
        return (far_pace){19e-9, 11};
    case SB_PART_PICK:
        return (far_pace){9e-9, 2};
    default:
        return (far_pace){1.7e-9, 0.45};
    }
}

static far_pace
far_of(const sb_vector_part *p, const sb_stats *s, const sb_target *t, bool packed)
{
    if (sb_target_zen4(t))
        return far_four(p, packed);
    switch (p->choice->kind) {
    case SB_PART_SEG:
        return (far_pace){p->unroll == SB_SPEC_FLOW ? 0.3e-9 : 0.6e-9, 0.25};
    case SB_PART_PROD:
        return (far_pace){0.4e-9, 0.2};
    case SB_PART_SELL:
        return !packed         ? (far_pace){t->wide ? 1e-9 : 3e-9, 0.8}
               : !t->wide      ? (far_pace){1.6e-9, 0.35}
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
        return (far_pace){1.1e-9, t->wide         ? 0.5
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
    /* so many streams side by side find no prefetcher that reaches as far as L3: on Zen 3, and of alike
     * rows on Zen 4, where values of 8 bytes and more, half as many to a line, want it from a third of
     * L3 on */
    const bool streams =
        p->choice->kind == SB_PART_ALIKE ||
        (t->isa == SB_ISA_V3 && (p->choice->kind == SB_PART_MASK ||
                                 (p->choice->kind == SB_PART_HDIA && !packed)));
    const double from = t->wide || !streams                  ? 2
                        : sb_target_zen4(t) && p->x_size > 4 ? 3
                                                             : 4;
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
