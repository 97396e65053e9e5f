/* model/trace/machines.c - further machines of an input.
 *
 * What one of them recorded is read as a whole, so its rows of each table follow each other: a list of where they begin
 * says whose a row is. Lanes of a track, which are made when all was read, belong to the machine of the track.
 */
#include "model/trace/trace.h"

#include "base/list.h"

static pf_status begin_rows(pf_trace *t, uint32_t machine, uint32_t raw_id, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(&t->budget, t->machines, t->machine_spans + 1, t->machine_room, err));
    t->machines[t->machine_spans++] = (pf_machine_span){machine,
                                                        raw_id,
                                                        {[PF_MACHINE_PROCESSES] = t->processes.count,
                                                         [PF_MACHINE_THREADS] = t->threads.count,
                                                         [PF_MACHINE_TRACKS] = t->tracks.count,
                                                         [PF_MACHINE_METADATA] = t->metadata.count,
                                                         [PF_MACHINE_CLOCKS] = t->clocks.count,
                                                         [PF_MACHINE_GPUS] = t->sides.known[PF_SIDE_GPU].count,
                                                         [PF_MACHINE_STATS] = t->stat_values.count}};
    t->machine = machine;
    return PF_OK;
}

pf_status pf_trace_begin_machine(pf_trace *t, uint32_t raw_id, uint32_t *upid, uint32_t *utid, pf_error *err)
{
    const pf_ident zero = {.kind = PF_ID_INT, .spelling = PF_ID_INT};
    pf_side_table *s = &t->sides.known[PF_SIDE_MACHINE];
    uint32_t last = 0, machine = 0;
    for (uint32_t i = 0; i < t->machine_spans && !machine; i++) {
        const pf_machine_span *m = &t->machines[i];
        machine = m->machine && m->raw_id == raw_id ? m->machine : 0;
        last = m->machine > last ? m->machine : last;
    }
    machine = machine ? machine : last + 1;
    PF_TRY(begin_rows(t, machine, raw_id, err));
    while (s->count <= machine) {
        PF_TRY(pf_side_add_row(s, err));
    }
    t->group = pf_trace_add_group(t, NULL, err);
    *utid = t->threads.count;
    *upid = t->group ? pf_trace_new_process(t, &zero, err) : PF_NONE;
    return *upid == PF_NONE ? err->code : PF_OK;
}

pf_status pf_trace_end_machine(pf_trace *t, pf_group *group, pf_error *err)
{
    t->group = group;
    return begin_rows(t, 0, 0, err);
}

static const pf_machine_span *span_of(const pf_trace *t, pf_machine_rows table, uint32_t row)
{
    uint32_t i = t->machine_spans;
    while (i > 0 && t->machines[i - 1].first[table] > row) {
        i--;
    }
    return i ? &t->machines[i - 1] : NULL;
}

uint32_t pf_trace_machine_of(const pf_trace *t, pf_machine_rows table, uint32_t row)
{
    uint32_t group = table == PF_MACHINE_TRACKS && t->machine_spans ? t->tracks.group[row] : PF_NONE;
    const pf_machine_span *m = span_of(t, table, group == PF_NONE ? row : group); /* lanes are made at the end */
    return m ? m->machine : 0;
}

uint32_t pf_trace_machine_raw_id(const pf_trace *t, uint32_t machine)
{
    uint32_t raw_id = machine || !t->input_count ? 0 : t->inputs[0].machine_id;
    for (uint32_t i = 0; i < t->machine_spans && machine; i++) {
        raw_id = t->machines[i].machine == machine ? t->machines[i].raw_id : raw_id;
    }
    return raw_id;
}

bool pf_trace_is_idle(const pf_trace *t, uint32_t utid)
{
    const pf_machine_span *m = span_of(t, PF_MACHINE_THREADS, utid);
    return m && m->machine ? utid == m->first[PF_MACHINE_THREADS] : utid == 0;
}
