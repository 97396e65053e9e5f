/* analyze/aiu/ingest/aiu_part_events.c - events of partials, one by one. */
#include "analyze/aiu/facts/aiu_parts.h"
#include "analyze/aiu/ingest/aiu_ingest.h"

static int64_t id_of(aiu_run *run, int64_t number, uint32_t text)
{
    pf_str said = pf_trace_string(run->trace, text);
    if (!said.len) {
        return number; /* INT64_MIN: AIU_ID_NONE */
    }
    int64_t bits = said.ptr[0] == 'n' ? AIU_ID_TEXT | AIU_ID_NUMBER : AIU_ID_TEXT;
    return bits | (int64_t)pf_aiu_text(run, pf_str_from(said, 1));
}

void pf_aiu_take_part(aiu_run *run, uint32_t job, uint32_t row)
{
    const aiu_parts *p = run->parts;
    aiu_events *v = &run->events;
    uint32_t e = pf_aiu_add_event(run, (uint8_t)p->phase[row]);
    if (e == PF_NONE) {
        return;
    }
    int64_t length = p->length[row];
    v->row[e] = row;
    v->job[e] = job;
    v->flags[e] = (uint32_t)p->flags[row];
    v->ts[e] = pf_aiu_us(run, p->ts[row]);
    v->dur[e] = v->flags[e] & AIU_APART ? pf_aiu_us(run, (int64_t)((uint64_t)p->ts[row] + (uint64_t)length)) - v->ts[e]
                                        : (double)length / 1000.0;
    v->name[e] = pf_aiu_pool_text(run, p->name[row]);
    v->cat[e] = pf_aiu_pool_text(run, p->cat[row]);
    v->tid[e] = id_of(run, p->tid[row], p->tid_text[row]);
    pf_aiu_set_rank(run, e, id_of(run, p->pid[row], p->pid_text[row]));
    for (unsigned n = 0; n < 5; n++) {
        v->tsx[n][e] = p->tsx[n][row] > 0 ? p->tsx[n][row] : 0;
    }
    v->power[e] = (uint32_t)p->power[row];
    v->bytes[e] = (uint64_t)p->bytes[row];
    v->group[e] = pf_aiu_pool_text(run, p->group[row]);
    v->peer[e] = pf_aiu_pool_text(run, p->peer[row]);
    v->peers[e] = pf_aiu_pool_text(run, p->peers[row]);
    v->type[e] = pf_aiu_pool_text(run, p->type[row]);
}
