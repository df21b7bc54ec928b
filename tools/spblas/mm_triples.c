/*
 * Triples "head relation tail", ids from 0, comment lines with #. All relations go into
 * one matrix with a row for each head and a column for each tail; a place that several
 * relations name holds their number. Sizes are the largest ids, or the count in a
 * comment "# entities: N" where there is one, so that heads and tails share their ids.
 */
#include "mm_number.h"
#include "mm_read.h"

#include <string.h>

static int64_t
entities_of(const char *at, const char *end)
{
    static const char key[] = "# entities: ";
    const size_t n = sizeof key - 1;
    int64_t count = 0;

    if ((size_t)(end - at) <= n || memcmp(at, key, n) != 0)
        return 0;
    for (at += n; at < end && *at >= '0' && *at <= '9' && count < INT32_MAX; at++)
        count = count * 10 + (*at - '0');
    return count;
}

mm_status
mm_read_triples(mm_source *s, mm_matrix *m, mm_builder *to)
{
    int64_t head, relation, tail, entities = 0;
    const char *at, *end;
    mm_status st;
    int got;

    m->field = MM_PATTERN;
    while (!to->failed && (got = mm_source_line(s, &at, &end, "#")) != 0) {
        if (got < 0)
            return MM_EFILE;
        if (at < end && *at == '#') {
            if (entities == 0)
                entities = entities_of(at, end);
            continue;
        }
        if (at == end)
            continue;
        if ((st = mm_read_count(s, &at, end, "the head's id", &head)) ||
            (st = mm_read_count(s, &at, end, "the relation's id", &relation)) ||
            (st = mm_read_count(s, &at, end, "the tail's id", &tail)) ||
            (st = mm_read_line_end(s, at, end, "the triple")))
            return st;
        if (head >= INT64_MAX - 1 || tail >= INT64_MAX - 1 || relation >= INT64_MAX - 1)
            return mm_fail(s->name, s->err, s->line,
                           "an id at the limit of 64 bits; expected a smaller one");
        m->rows = head >= m->rows ? head + 1 : m->rows;
        m->cols = tail >= m->cols ? tail + 1 : m->cols;
        m->relations = relation >= m->relations ? relation + 1 : m->relations;
        m->stored++;
        mm_builder_add(to, head, tail, 1.0, 0.0);
    }
    if (entities >= m->rows && entities >= m->cols)
        m->rows = m->cols = entities;
    return MM_OK;
}
