/* model/trace/trace_inputs.c - what belongs to inputs: groups of processes, faults, and whose a row is.
 *
 * A process is found by its group and its pid. Every input is a group of its own unless whoever reads it names a group,
 * which is then shared by all inputs that name it. Further machines of an input have groups, too; their rows follow
 * each other. Rows are stamped with the input that is being read when they are added. Faults are counted where the
 * trace keeps those of the current input; those of the others wait in a list, which exists only where there are several
 * inputs.
 */
#include <string.h>

#include "base/list.h"
#include "model/trace/trace.h"

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
pf_group *pf_trace_add_group(pf_trace *t, const char *name, pf_error *err)
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
    t->group = pf_trace_add_group(t, NULL, err);
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
        pf_group *copy = i < t->group_count ? t->groups[i] : pf_trace_add_group(t, g->name, err);
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
    t->group = first ? t->groups[0] : known ? known : pf_trace_add_group(t, group, err);
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

void pf_trace_input_fault(const pf_trace *t, uint32_t input, pf_stat_id id, uint64_t **count, uint64_t **offset)
{
    bool waits = t->faults && input != t->input;
    *count = (uint64_t *)(uintptr_t)(waits ? &t->faults[input].count[id] : &t->stat_count[id]);
    *offset = (uint64_t *)(uintptr_t)(waits ? &t->faults[input].offset[id] : &t->stat_offset[id]);
}

void pf_trace_leave_inputs(const pf_trace *t)
{
    if (t->residence) {
        pf_residence_leave(t->residence);
    }
}
