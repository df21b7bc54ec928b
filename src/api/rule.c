/*
 * The walk over an argument table.
 */
#include "api/rule.h"

sb_status
sb_rules_check(const sb_rule *rule, int count, const char *const *names,
               const void *record, sb_diag *diag)
{
    for (int i = 0; i < count; i++)
        if (rule[i].broken(record))
            return sb_diag_set(diag, rule[i].st, "argument %s %s", names[rule[i].role],
                               rule[i].text);
    return SB_OK;
}
