/* model/finish/holdings.c - events by category, counter samples, and the rows of side tables. */
#include "model/trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "postfetto/side_table.h"

enum { MOST_CATEGORIES = 3 };

/* Events without those that are no part of the recording, metadata and samples of counters; a begin and its end are
 * one, so that a trace and its conversion say the same. */
static bool counts(const pf_events *e, uint32_t i)
{
    return e->phase[i] != PF_PHASE_LEFT_OUT && e->phase[i] != 'M' && e->phase[i] != 'C' && e->phase[i] != 'E';
}

/* The largest categories, of which `of` has the number of events by string id; one that was said is 0 afterwards. */
static void put_categories(const pf_trace *t, uint32_t *of, pf_buffer *out)
{
    uint32_t more = 0;
    for (unsigned k = 0; k <= MOST_CATEGORIES; k++) {
        uint32_t best = 0;
        more = 0;
        for (uint32_t id = 1; id < t->strings.count; id++) {
            best = of[id] > of[best] || (best == 0 && of[id]) ? id : best;
            more += of[id] > 0;
        }
        if (best == 0 || k == MOST_CATEGORIES) {
            break;
        }
        pf_str name = pf_trace_string(t, best);
        pf_buffer_format(out, "%s%.*s %u", k ? ", " : " (", name.len > 60 ? 60 : (int)name.len, name.ptr, of[best]);
        of[best] = 0;
    }
    pf_buffer_format(out, more ? " and %u more categories)" : ")", more);
}

static void put_events(const pf_trace *t, pf_buffer *out)
{
    const pf_events *e = pf_trace_events(t);
    uint32_t *of = calloc((size_t)t->strings.count + 1, sizeof *of), n = 0;
    bool any = false;
    for (uint32_t i = 0; i < e->count; i++) {
        n += counts(e, i);
        if (of && e->category && counts(e, i) && e->category[i]) {
            of[e->category[i]]++;
            any = true;
        }
    }
    pf_buffer_format(out, n == 0 ? "no events" : n == 1 ? "%u event" : "%u events", n);
    if (any) {
        put_categories(t, of, out);
    }
    free(of);
}

void pf_trace_put_holdings(const pf_trace *t, pf_buffer *out)
{
    const pf_events *e = pf_trace_events(t);
    uint32_t samples = 0; /* also where their table was not asked for */
    for (uint32_t i = 0; i < e->count; i++) {
        samples += e->phase[i] == 'C';
    }
    put_events(t, out);
    if (samples) {
        pf_buffer_format(out, ", %u counter sample%s", samples, samples == 1 ? "" : "s");
    }
    for (size_t i = 0; i < pf_trace_table_count(t); i++) {
        const pf_side_table *s = pf_trace_table_at(t, i);
        if (s->count && strncmp(s->spec->name, "__", 2) != 0) {
            pf_buffer_format(out, ", %u row%s of %s", s->count, s->count == 1 ? "" : "s", s->spec->name);
        }
    }
}
