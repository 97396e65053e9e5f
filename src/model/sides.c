/* model/sides.c - the side tables as data: a letter per column (n number, t text, r row of another table). */
#include "model/sides.h"

#include <string.h>

static const struct {
    const char *name, *kinds;
} specs[PF_SIDE_COUNT] = {
    [PF_SIDE_STATE] = {"state", "nnrttr"},
    [PF_SIDE_MACHINE] = {"machine", "tttttnttnnn"},
    [PF_SIDE_GPU] = {"gpu", "ntttttt"},
    [PF_SIDE_GPU_GROUP] = {"gpu_counter_group", "nrtt"},
    [PF_SIDE_GPU_CONTEXT] = {"gpu_context", "nnt"},
    [PF_SIDE_VULKAN_MEMORY] = {"vulkan_memory_allocations", "ttnrnnnntnnnt"},
    [PF_SIDE_STACK_FRAME] = {"stack_profile_frame", "ttrnn"},
    [PF_SIDE_LOG] = {"android_logs", "nrntt"},
    [PF_SIDE_MAPPING] = {"stack_profile_mapping", "tnnnnnt"},
    [PF_SIDE_SYMBOL] = {"stack_profile_symbol", "nttn"},
    [PF_SIDE_CALLSITE] = {"stack_profile_callsite", "nrr"},
    [PF_SIDE_EVENT_STACK] = {"callstacks of events", "rrrrttn"},
};

pf_status pf_sides_init(pf_side *sides, pf_budget *budget, pf_error *err)
{
    pf_status st = PF_OK;
    for (size_t i = 0; i < PF_SIDE_COUNT; i++) {
        sides[i] = (pf_side){0};
        pf_columns_init(&sides[i].columns, budget, specs[i].name);
        for (size_t c = 0; specs[i].kinds[c] && st == PF_OK; c++) {
            size_t size = specs[i].kinds[c] == 'n' ? sizeof(int64_t) : sizeof(uint32_t);
            st = pf_columns_add(&sides[i].columns, &sides[i].column[c], size, err);
        }
    }
    return st;
}

void pf_sides_free(pf_side *sides)
{
    for (size_t i = 0; i < PF_SIDE_COUNT; i++) {
        pf_columns_free(&sides[i].columns);
        sides[i].count = sides[i].room = 0;
    }
}

pf_status pf_side_add(pf_side *sides, pf_side_id id, pf_error *err)
{
    pf_side *s = &sides[id];
    uint32_t row = s->count;
    if (row == s->room) {
        pf_status st = pf_columns_grow(&s->columns, (uint64_t)row + 1, &s->room, err);
        if (st != PF_OK) {
            return st;
        }
    }
    for (unsigned c = 0; specs[id].kinds[c]; c++) {
        if (specs[id].kinds[c] == 'n') {
            *pf_side_number(s, c, row) = INT64_MIN;
        } else {
            *pf_side_ref(s, c, row) = specs[id].kinds[c] == 't' ? 0 : PF_NONE;
        }
    }
    s->count++;
    return PF_OK;
}
