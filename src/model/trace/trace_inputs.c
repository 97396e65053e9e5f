/* model/trace/trace_inputs.c - what belongs to inputs: groups of processes, faults, and whose a row is.
 *
 * A process is found by its group and its pid. Every input is a group of its own unless whoever reads it names a group,
 * which is then shared by all inputs that name it. Further machines of an input have groups, too; their rows follow each
 * other. Rows are stamped with the input that is being read when they are added. Faults are counted where the trace keeps those of the current input; those of the others wait in a list, which
 * exists only where there are several inputs.
 */
#include <string.h>

#include "base/list.h"
#include "model/trace/trace.h"

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static pf_group *find_group(const pf_trace *t, const char *name)
{
    for (uint32_t i = 0; i < t->group_count; i++) {
        if (t->groups[i]->name && name && strcmp(t->groups[i]->name, name) == 0) {
            return t->groups[i];
        }
    }
    return NULL;
}

/* Group numbers are the order in which groups were made. */
static pf_group *add_group(pf_trace *t, const char *name, pf_error *err)
{
    if (PF_LIST_ROOM(&t->budget, t->groups, t->group_count + 1, t->group_room, err) != PF_OK) {
        return NULL;
    }
    pf_group *g = pf_alloc_zero(&t->budget, 1, sizeof *g);
    char *copy = name && g ? pf_arena_copy(&t->arena, name, strlen(name)) : NULL;
    if (!g || (name && !copy)) {
        pf_release(&t->budget, g, sizeof *g);
        pf_budget_refused(&t->budget, sizeof *g, err);
        return NULL;
    }
    g->name = copy;
    g->absent = PF_NONE;
    for (size_t i = 0; i < PF_ID_MAPS; i++) {
        pf_map_init(&g->by_key[i], &t->budget);
    }
    t->groups[t->group_count++] = g;
    return g;
}

pf_status pf_trace_init_groups(pf_trace *t, pf_error *err)
{
    t->group = add_group(t, NULL, err);
    return t->group ? PF_OK : err->code;
}

void pf_trace_free_groups(pf_trace *t)
{
    for (uint32_t i = 0; i < t->group_count; i++) {
        for (size_t k = 0; k < PF_ID_MAPS; k++) {
            pf_map_free(&t->groups[i]->by_key[k]);
        }
        pf_release(&t->budget, t->groups[i], sizeof *t->groups[i]);
    }
    PF_LIST_FREE(&t->budget, t->groups, t->group_room);
    t->groups = NULL;
    t->group = NULL;
    t->group_count = t->group_room = 0;
}

pf_status pf_trace_copy_groups(pf_trace *t, const pf_trace *from, pf_error *err)
{
    bool done = true;
    for (uint32_t i = 0; i < from->group_count && done; i++) {
        const pf_group *g = from->groups[i];
        pf_group *copy = i < t->group_count ? t->groups[i] : add_group(t, g->name, err);
        done = copy != NULL;
        for (size_t k = 0; k < PF_ID_MAPS && done; k++) {
            done = pf_map_copy(&copy->by_key[k], &g->by_key[k]);
        }
        if (done) {
            copy->absent = g->absent;
        }
    }
    return done ? PF_OK : pf_budget_refused(&t->budget, sizeof(pf_map), err);
}

/* ---- machines ---------------------------------------------------------------------------------------------------- */

static pf_status begin_span(pf_trace *t, uint32_t machine, uint32_t raw_id, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(&t->budget, t->machines, t->machine_spans + 1, t->machine_room, err));
    t->machines[t->machine_spans++] =
        (pf_machine_span){machine,
                          raw_id,
                          {[PF_MACHINE_PROCESSES] = t->processes.count,
                           [PF_MACHINE_THREADS] = t->threads.count,
                           [PF_MACHINE_TRACKS] = t->tracks.count,
                           [PF_MACHINE_METADATA] = t->metadata.count,
                           [PF_MACHINE_CLOCKS] = t->clocks.count,
                           [PF_MACHINE_GPUS] = t->sides.known[PF_SIDE_GPU].count}};
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
    PF_TRY(begin_span(t, machine, raw_id, err));
    while (s->count <= machine) {
        PF_TRY(pf_side_add_row(s, err));
    }
    t->group = add_group(t, NULL, err);
    *utid = t->threads.count;
    *upid = t->group ? pf_trace_new_process(t, &zero, err) : PF_NONE;
    return *upid == PF_NONE ? err->code : PF_OK;
}

pf_status pf_trace_end_machine(pf_trace *t, pf_group *group, pf_error *err)
{
    t->group = group;
    return begin_span(t, 0, 0, err);
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

/* ---- the input that is being read -------------------------------------------------------------------------------- */

/* The faults of the next input are counted from what is known of them so far. */
static void swap_faults(pf_trace *t, uint32_t input)
{
    if (t->faults && input != t->input) {
        memcpy(t->faults[t->input].count, t->stat_count, sizeof t->stat_count);
        memcpy(t->faults[t->input].offset, t->stat_offset, sizeof t->stat_offset);
        memcpy(t->stat_count, t->faults[input].count, sizeof t->stat_count);
        memcpy(t->stat_offset, t->faults[input].offset, sizeof t->stat_offset);
    }
}

static pf_status make_faults(pf_trace *t, pf_error *err)
{
    bool several = !t->faults && t->input_count > 1;
    return several ? PF_ARENA_NEW(&t->arena, t->faults, t->input_count, err) : PF_OK;
}

pf_status pf_trace_begin_input(pf_trace *t, uint32_t input, const char *group, pf_error *err)
{
    PF_TRY(make_faults(t, err));
    swap_faults(t, input);
    bool first = t->group_count == 1 && t->processes.count == 1 && !t->groups[0]->name && !group;
    pf_group *known = group ? find_group(t, group) : NULL;
    t->input = input;
    t->flow_salt = (uint64_t)input << 40;
    PF_TRY(t->machine_spans ? begin_span(t, 0, 0, err) : PF_OK);
    t->group = first ? t->groups[0] : known ? known : add_group(t, group, err);
    return t->group ? PF_OK : err->code;
}

uint32_t pf_trace_event_input(const pf_trace *t, uint32_t row)
{
    uint32_t low = 0, high = (uint32_t)t->input_count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->inputs[middle].first_event <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

bool pf_trace_is_converted(const pf_trace *t, bool pairs)
{
    bool is = false;
    for (size_t i = 0; i < t->input_count; i++) {
        is |= pairs ? t->inputs[i].converted_pairs : t->inputs[i].converted;
    }
    return is;
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

void pf_trace_input_fault(const pf_trace *t, uint32_t input, pf_stat_id id, uint64_t **count, uint64_t **offset)
{
    bool waits = t->faults && input != t->input;
    *count = (uint64_t *)(uintptr_t)(waits ? &t->faults[input].count[id] : &t->stat_count[id]);
    *offset = (uint64_t *)(uintptr_t)(waits ? &t->faults[input].offset[id] : &t->stat_offset[id]);
}

void pf_trace_leave_input(const pf_trace *t, size_t input)
{
    if (t->files && t->input_count > 1 && input < t->input_count) {
        pf_file_drop(&t->files[input], 0, t->files[input].size);
    }
}

void pf_trace_leave_inputs(const pf_trace *t)
{
    if (t->residence) {
        pf_residence_leave(t->residence);
    }
}
