/* analyze/gpu/memory/gpu_memory.c - instants "[memory]" of the torch profiler: the totals of the allocator after each
 * change, and the device that they are about. Device types other than the host's (0) are devices. */
#include "analyze/gpu/memory/gpu_memory.h"
#include "analyze/support/pass_memory.h"

enum { KEY_DEVICE, KEY_TYPE, KEY_ALLOCATED, KEY_RESERVED, KEY_CHANGE, KEY_ADDRESS, KEYS };
static const pf_arg_key keys[KEYS] = {
    [KEY_DEVICE] = {.key = "Device Id", .type = PF_ARG_INT},
    [KEY_TYPE] = {.key = "Device Type", .type = PF_ARG_INT},
    [KEY_ALLOCATED] = {.key = "Total Allocated", .type = PF_ARG_INT},
    [KEY_RESERVED] = {.key = "Total Reserved", .type = PF_ARG_INT},
    [KEY_CHANGE] = {.key = "Bytes", .type = PF_ARG_INT},
    [KEY_ADDRESS] = {.key = "Addr", .type = PF_ARG_UINT},
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

/* The value under a key, -1 without one. */
static int64_t value_of(const pf_arg_columns *c, unsigned key, uint32_t row)
{
    const pf_arg_column *column = pf_arg_column_at(c, key);
    return pf_arg_has(column, row) ? column->values.i[row] : -1;
}

static gpu_memory_row row_of(const gpu_facts *g, const gpu_asked *asked, uint32_t i)
{
    const pf_arg_columns *c = asked->args;
    const pf_arg_column *change = pf_arg_column_at(c, KEY_CHANGE), *address = pf_arg_column_at(c, KEY_ADDRESS);
    uint32_t input = pf_trace_event_input(g->trace, asked->event[i]);
    gpu_memory_row r = {.device = PF_NONE,
                        .input = input,
                        .slice = asked->slice[i],
                        .ts = pf_trace_events(g->trace)->ts[asked->event[i]],
                        .bytes = {value_of(c, KEY_ALLOCATED, i), value_of(c, KEY_RESERVED, i)},
                        .change = pf_arg_has(change, i) ? change->values.i[i] : 0,
                        .address = pf_arg_has(address, i) ? address->values.u[i] : 0,
                        .number = value_of(c, KEY_DEVICE, i),
                        .type = value_of(c, KEY_TYPE, i)};
    if (r.type > 0 && pf_arg_has(pf_arg_column_at(c, KEY_DEVICE), i)) {
        r.device = device_of(g, input, r.number);
    }
    return r;
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
        m->rows[m->count] = row_of(g, &asked, m->count);
    }
    pf_arg_columns_free(asked.args);
    return st;
}
