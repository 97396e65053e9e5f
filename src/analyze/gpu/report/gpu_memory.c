/* analyze/gpu/report/gpu_memory.c - instants "[memory]" of the torch profiler: the totals of the allocator after each
 * change, and the device that they are about. Device types other than the host's (0) are devices. */
#include "analyze/gpu/report/gpu_report.h"
#include "analyze/support/pass_memory.h"

enum { KEY_DEVICE, KEY_TYPE, KEY_ALLOCATED, KEY_RESERVED, KEYS };
static const pf_arg_key keys[KEYS] = {
    [KEY_DEVICE] = {.key = "Device Id", .type = PF_ARG_INT},
    [KEY_TYPE] = {.key = "Device Type", .type = PF_ARG_INT},
    [KEY_ALLOCATED] = {.key = "Total Allocated", .type = PF_ARG_INT},
    [KEY_RESERVED] = {.key = "Total Reserved", .type = PF_ARG_INT},
};

static uint32_t device_of(const gpu_facts *g, uint32_t input, int64_t number)
{
    const gpu_rank *r = &g->ranks[input];
    for (uint32_t d = r->first_device; d < r->first_device + r->device_count; d++) {
        if (g->devices[d].number == number && !g->devices[d].name.ptr) {
            return d;
        }
    }
    return PF_NONE;
}

static int64_t bytes_of(const pf_arg_columns *c, unsigned key, uint32_t row)
{
    const pf_arg_column *column = pf_arg_column_at(c, key);
    return pf_arg_has(column, row) ? column->values.i[row] : -1;
}

static gpu_memory_row row_of(const gpu_facts *g, const pf_arg_columns *c, uint32_t i, uint32_t event)
{
    const pf_arg_column *device = pf_arg_column_at(c, KEY_DEVICE), *type = pf_arg_column_at(c, KEY_TYPE);
    bool on_device = pf_arg_has(device, i) && pf_arg_has(type, i) && type->values.i[i] != 0;
    uint32_t input = pf_trace_event_input(g->trace, event);
    return (gpu_memory_row){.device = on_device ? device_of(g, input, device->values.i[i]) : PF_NONE,
                            .ts = pf_trace_events(g->trace)->ts[event],
                            .bytes = {bytes_of(c, KEY_ALLOCATED, i), bytes_of(c, KEY_RESERVED, i)}};
}

static bool is_called(const gpu_facts *g, uint32_t name, uint32_t slice)
{
    return pf_slice_name(pf_trace_slices(g->trace), slice) == name;
}

/* Slices are in order of time, so the instants among them are, too. */
pf_status pf_gpu_read_memory(const gpu_facts *g, gpu_memory *m, pf_error *err)
{
    const gpu_question q = {is_called, keys, KEYS, pf_trace_find_string(g->trace, PF_STR("[memory]")), false};
    gpu_asked asked;
    *m = (gpu_memory){.count = 0};
    if (q.name == PF_NONE) {
        return PF_OK;
    }
    pf_status st = pf_gpu_ask(g, g->arena, &q, &asked, err);
    st = st == PF_OK ? PF_PASS_ARRAY(g->arena, asked.count, m->rows, err) : st;
    for (; st == PF_OK && m->count < asked.count; m->count++) {
        m->rows[m->count] = row_of(g, asked.args, m->count, asked.event[m->count]);
    }
    pf_arg_columns_free(asked.args);
    return st;
}
