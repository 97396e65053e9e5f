/* libFuzzer: any bytes through the binary reader, with small windows and small limits, then every table and argument.
 */
#include "read/support/reader.h"

static pf_status see_key(void *ctx, pf_str key, bool list)
{
    *(size_t *)ctx += key.len + list;
    return PF_OK;
}

static pf_status see_end(void *ctx)
{
    return PF_OK;
}

static pf_status see_value(void *ctx, pf_str key, const pf_value *v)
{
    if (v->type == PF_VALUE_STRING || v->type == PF_VALUE_JSON) {
        for (size_t i = 0; i < v->as.s.len; i++) {
            *(size_t *)ctx += (unsigned char)v->as.s.ptr[i];
        }
    }
    return PF_OK;
}

static void look(const pf_trace *t)
{
    size_t sum = 0;
    pf_error err;
    const pf_arg_visitor v = {&sum, see_key, see_end, see_value, false};
    const pf_slices *s = pf_trace_slices(t);
    for (uint32_t i = 0; i < pf_trace_events(t)->count; i++) {
        if (pf_trace_visit_args(t, i, &v, &err) != PF_OK || pf_trace_events(t)->track[i] >= pf_trace_tracks(t)->count) {
            __builtin_trap();
        }
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->track[i] >= pf_trace_tracks(t)->count || s->event[i] >= pf_trace_events(t)->count) {
            __builtin_trap();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pf_read_options o = pf_read_options_default();
    pf_error err = {0};
    o.jobs = 1;
    o.limits.memory = 64u << 20;
    o.limits.hash_seed = 1; /* so that what is found is found again */
    o.limits.depth = 64;
    o.limits.keys = 1000;
    pf_trace *t = pf_trace_new(&o.limits, o.want, &err);
    uint8_t *stored = t ? pf_arena_alloc(&t->arena, size + PF_SLOP) : NULL;
    if (!stored) {
        pf_trace_free(t);
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        stored[i] = data[i];
    }
    pf_input input = {.path = "fuzz", .stored = stored, .stored_bytes = size};
    pf_reading r = {.t = t, .input = &input, .o = &o};
    pf_status st = pf_source_open(&r.source, t, &input, &o, &err);
    if (st == PF_OK) {
        pf_source_set_step(r.source, size && data[size - 1] % 2 ? 1 + data[size - 1] : 4096);
        st = pf_source_more(r.source, 0, &r.first, &err);
    }
    if (st == PF_OK) {
        st = pf_reader_perfetto.read(&r, &err);
    }
    pf_source_close(r.source);
    if (st == PF_OK && pf_trace_finish(t, &err) == PF_OK) {
        look(t);
    }
    pf_trace_free(t);
    return 0;
}
