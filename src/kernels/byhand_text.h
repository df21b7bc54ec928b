/*
 * What a text by hand says of itself: byhand.c knows no more of any.
 */
#ifndef SB_KERNELS_BYHAND_TEXT_H
#define SB_KERNELS_BYHAND_TEXT_H

#include "base/strbuf.h"
#include "kernels/byhand.h"

struct sb_byhand {
    sb_kernel_op op;
    unsigned kinds;                 /* one of these */
    bool (*fits)(const sb_spec *s); /* layouts and shapes */
    sb_byhand_cut (*cut)(const sb_spec *s);
    void (*macros)(sb_strbuf *out,
                   const sb_spec *s); /* THREADS, SBG_RESIDENT, its own */
    void (*put)(sb_strbuf *out);      /* the text */
};

extern const sb_byhand sb_byhand_strips, sb_byhand_samples, sb_byhand_products,
    sb_byhand_groups;

/* SBG_RESIDENT: threads that a multiprocessor should hold, on 9.0, which was measured, and
 * elsewhere, where the same loops take more registers. */
void sb_byhand_resident(sb_strbuf *out, int cc90, int elsewhere);

/* Bytes of shared memory, so that what follows is aligned. */
size_t sb_byhand_up(size_t bytes);

/* The texts, embedded. */
const char *sb_byhand_text_strips(void);
const char *sb_byhand_text_ranges(void);
const char *sb_byhand_text_strips_kernel(void);
const char *sb_byhand_text_samples(void);
const char *sb_byhand_text_products(void);
const char *sb_byhand_text_groups(void);

#endif
