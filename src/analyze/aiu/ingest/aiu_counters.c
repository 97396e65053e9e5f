/* analyze/aiu/ingest/aiu_counters.c - counter events of inputs that have samples instead (model/trace/json_notes.h). */
#include <math.h>

#include "analyze/aiu/ingest/aiu_ingest.h"

static bool is_sample(const pf_trace *t, uint32_t row)
{
    return row < pf_trace_events(t)->count && pf_trace_is_sample(t, row);
}

void pf_aiu_find_counters(aiu_run *run, pf_json_samples *names, uint32_t *out)
{
    enum { MOST = 64 };
    const pf_counters *k = pf_trace_counters(run->trace);
    const uint32_t *category = pf_trace_events(run->trace)->category;
    aiu_counter_events *all = &run->counters;
    pf_json_samples_init(names, run->trace, run->budget, &run->error);
    for (uint32_t i = 0; i < k->count && !pf_aiu_failed(run); i++) {
        uint32_t row = k->event[i];
        if (!is_sample(run->trace, row)) {
            continue;
        }
        pf_origin o = pf_json_samples_note(names, i);
        uint32_t says = names->habit[k->track[i]];
        aiu_counter_event c = {.whole = o.whole.ptr, .sample = i, .samples = 1, .reals = pf_json_samples_real(&o)};
        c.cat = category && says != PF_NONE ? category[says] : 0;
        while (i + 1 < k->count && c.samples < MOST && k->ts[i + 1] == k->ts[i] &&
               is_sample(run->trace, k->event[i + 1]) && pf_json_samples_joins(names, i + 1, &o)) {
            out[k->event[++i]] = PF_NONE;
            c.reals |= (uint64_t)pf_json_samples_real(&o) << c.samples++;
        }
        if (AIU_ROOM(run, all->list, all->count + 1, all->room) == PF_OK) {
            all->list[all->count] = c;
            pf_aiu_map(run, all->by_row, row, all->count++);
        }
    }
}

/* The series of an event as its arguments. */
void pf_aiu_take_counter(aiu_run *run, uint32_t event, const pf_json_samples *names)
{
    const pf_counters *k = pf_trace_counters(run->trace);
    uint32_t i = pf_map_get(run->counters.by_row, run->events.row[event]);
    const aiu_counter_event *c = i == PF_NONE ? NULL : &run->counters.list[i];
    if (!c || c->whole) {
        return;
    }
    pf_str name = {NULL, 0}, series;
    for (uint32_t n = c->samples; n-- > 0;) {
        double v = k->value[c->sample + n];
        bool whole = fabs(v) <= 0x1p53 && v == floor(v) && !(c->reals >> n & 1);
        pf_json_samples_name(names, k->track[c->sample + n], &name, &series);
        whole ? pf_aiu_add_int(run, event, series, (int64_t)v) : pf_aiu_add_real(run, event, series, v);
    }
    run->events.name[event] = pf_aiu_text(run, name);
    run->events.cat[event] = c->cat ? pf_aiu_pool_text(run, c->cat) : run->events.cat[event];
}
