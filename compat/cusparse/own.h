/*
 * What the stand-in implements itself, as prototypes from the table of functions: for a
 * row SB_OWN of `name` the function sb_cusparse_<name>, with the arguments of
 * cusparse<name>. The exported function (entry.c) calls it after routing, and logs what it
 * answers.
 */
#ifndef SB_COMPAT_OWN_H
#define SB_COMPAT_OWN_H

#include "cusparse.h"

#define SB_SAME(...)
#define SB_OLDER(...)
#define SB_TYPED(...)
#define SB_FUNCTION(type, name, ...) \
    type sb_cusparse_##name(SB_EACH(SB_DECL, __VA_ARGS__));
#include "spblas_cusparse/functions.def"

#endif
