/*
 * Argument tables: one line per rule, in the order they are tried. A function fills a
 * record with its arguments (for descriptors: the descriptor it would make) and has the
 * table checked; the first broken rule ends the call with the rule's status and the
 * sentence "<argument> <text>".
 */
#ifndef SB_API_RULE_H
#define SB_API_RULE_H

#include "base/diag.h"

#include <stdbool.h>

typedef struct sb_rule {
    int role;                           /* index into the caller's argument names */
    bool (*broken)(const void *record); /* may rely on the rules above it */
    sb_status st;
    const char *text; /* "must not be negative" */
} sb_rule;

sb_status sb_rules_check(const sb_rule *rule, int count, const char *const *names,
                         const void *record, sb_diag *diag);

#endif
