/* model/trace/event_pairs.c - see event_pairs.h. */
#include "model/trace/event_pairs.h"

/* The waiting begin that an end closes: the innermost of its name, or of any name where the end has none. */
static uint32_t *find_begin(pf_event_pairs *p, uint32_t end)
{
    enum { FAR = 64 };
    const uint32_t *names = p->t->events.name;
    uint32_t *link = &p->open[p->t->events.track[end]], name = names[end];
    for (unsigned steps = 0; *link != PF_NONE && steps < FAR; steps++) {
        if (!name || names[*link] == name) {
            return link;
        }
        link = &p->outer[*link];
    }
    return NULL;
}

/* Rows that wait are linked by `outer`. */
static void push(pf_event_pairs *p, uint32_t *list, uint32_t row)
{
    p->outer[row] = *list;
    *list = row;
}

void pf_event_pairs_add(pf_event_pairs *p, uint32_t row)
{
    const int64_t *ts = p->t->events.ts;
    const uint32_t *names = p->t->events.name;
    bool ends = p->t->events.phase[row] == 'E';
    uint32_t track = p->t->events.track[row], *early = &p->early[track], *begin = ends ? find_begin(p, row) : NULL;
    if (begin) {
        pf_event_pairs_join(p, pf_event_pairs_pull(p, begin), row);
    } else if (ends) {
        push(p, early, row);
    } else if (*early != PF_NONE && ts[*early] == ts[row] && names[*early] == names[row]) {
        /* a slice of no length: conversions write what ends at a time before what begins then */
        pf_event_pairs_join(p, row, pf_event_pairs_pull(p, early));
    } else {
        push(p, &p->open[track], row);
    }
}
