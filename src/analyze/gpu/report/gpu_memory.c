/* analyze/gpu/report/gpu_memory.c - instants "[memory]" of the torch profiler: the totals of the allocator after each
 * change, and the device that they are about. Device types other than the host's (0) are devices. */
#include "analyze/gpu/report/gpu_memory.h"

#include <string.h>

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

static void fill(const gpu_facts *g, const uint32_t *events, const pf_arg_columns *c, gpu_memory *m)
{
    const pf_arg_column *device = pf_arg_column_at(c, KEY_DEVICE), *type = pf_arg_column_at(c, KEY_TYPE);
    for (uint32_t i = 0; i < m->count; i++) {
        bool on_device = pf_arg_has(device, i) && pf_arg_has(type, i) && type->values.i[i] != 0;
        m->device[i] =
            on_device ? device_of(g, pf_trace_event_input(g->trace, events[i]), device->values.i[i]) : PF_NONE;
        m->ts[i] = pf_trace_events(g->trace)->ts[events[i]];
        m->bytes[0][i] = bytes_of(c, KEY_ALLOCATED, i);
        m->bytes[1][i] = bytes_of(c, KEY_RESERVED, i);
    }
}

/* Slices are in order of time, so the instants among them are, too. */
static uint32_t list_events(const gpu_facts *g, uint32_t name, uint32_t *events)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count && name != PF_NONE; i++) {
        if (pf_slice_name(s, i) == name) {
            if (events) {
                events[n] = s->event[i];
            }
            n++;
        }
    }
    return n;
}

pf_status pf_gpu_read_memory(const gpu_facts *g, gpu_memory *m, pf_error *err)
{
    uint32_t name = pf_trace_find_string(g->trace, PF_STR("[memory]"));
    const pf_arg_options options = {.jobs = g->ctx->jobs, .cancel = g->ctx->cancel};
    pf_arg_columns *columns = NULL;
    *m = (gpu_memory){.count = list_events(g, name, NULL)};
    uint32_t *events;
    PF_TRY(PF_PASS_ARRAY(g->arena, m->count, events, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, m->count, m->device, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, m->count, m->ts, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, m->count, m->bytes[0], err));
    PF_TRY(PF_PASS_ARRAY(g->arena, m->count, m->bytes[1], err));
    list_events(g, name, events);
    pf_status st = pf_arg_columns_read(g->trace, events, m->count, keys, KEYS, &options, &columns, err);
    if (st == PF_OK) {
        fill(g, events, columns, m);
    }
    pf_arg_columns_free(columns);
    return st;
}
