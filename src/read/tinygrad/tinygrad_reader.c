/* read/tinygrad/tinygrad_reader.c - the profiles that tinygrad leaves: a pickled list of events (profile.h). */
#include <string.h>

#include "base/list.h"
#include "read/tinygrad/hardware/hardware.h"
#include "read/tinygrad/tracks/tiny_tracks.h"

static bool contains(const uint8_t *head, size_t size, const char *word)
{
    return memmem(head, size, word, strlen(word)) != NULL;
}

/* A pickle of a protocol that is read begins with a list, in a frame or not. */
static pf_probe probe(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    bool pickle = !is_directory && size >= 3 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5;
    size_t first = pickle && head[2] == 0x95 ? 11 : 2;
    if (pickle && pf_tiny_is_rewrites((pf_bytes){head, size}) && contains(head, size, "tinygrad.")) {
        return PF_PROBE_SURE;
    }
    if (!pickle || size <= first || head[first] != ']') {
        return PF_PROBE_NO;
    }
    return contains(head, size, "tinygrad.") ? PF_PROBE_SURE : PF_PROBE_MAYBE;
}

enum { TINY_OPT_STREAM_ROWS, TINY_OPT_STREAM_CLOCK, TINY_OPTIONS };

static const pf_option options[TINY_OPTIONS] = {
    [TINY_OPT_STREAM_ROWS] =
        {.name = "stream-rows",
         .type = PF_OPTION_INT,
         .help = "tinygrad: the most rows of each table that lists packets, slices, occupancy or samples of a device's "
                 "streams one by one, and of what is drawn of them; streams beyond are summed up only",
         .fallback = "250000",
         .unit = "rows",
         .within = "0.."},
    [TINY_OPT_STREAM_CLOCK] =
        {.name = "stream-clock",
         .type = PF_OPTION_CHOICE,
         .choices = "host|cycles",
         .help =
             "tinygrad: how thread traces are drawn: 'host', scaled by the shader clock, with the first wave at the "
             "start of the kernel; 'cycles', a cycle as a nanosecond, with the first packet at its start",
         .fallback = "host"},
};

/* One reading of the pickle; its values stay in p->values. */
static pf_status run_pickle(pf_tiny_profile *p, pf_pickle_item item)
{
    uint32_t top;
    PF_TRY(pf_pickle_read(&p->values, item, p, p->r->o->cancel, &top, p->err));
    if (pf_pickle_type_of(&p->values, top) == PF_PICKLE_LIST) {
        return PF_OK;
    }
    pf_status st = pf_fail(p->err, PF_ERR_INPUT, "the pickle holds no list; a profile of tinygrad is a list of events");
    return pf_pickle_name_opcode(&p->values, p->values.op, st, p->err);
}

static pf_status read_events(pf_tiny_profile *p, pf_bytes bytes)
{
    PF_TRY(pf_pickle_values_open(&p->values, bytes, &p->t->budget, &p->t->arena, p->err));
    pf_status st = run_pickle(p, pf_tiny_read_device);
    bool cut = st == PF_ERR_INPUT && p->values.truncated; /* the second reading ends there too, and tells more */
    PF_TRY(cut ? PF_OK : st);
    pf_pickle_values_clear(&p->values);
    PF_TRY(pf_tiny_name_kinds(p));
    st = run_pickle(p, pf_tiny_read_event);
    if (st == PF_ERR_INPUT && p->values.truncated && p->items) { /* a profile that is cut has its first events still */
        pf_trace_count(p->t, PF_STAT_PICKLE_TRUNCATED, p->err->offset);
        *p->err = (pf_error){.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
        return pf_tiny_end_events(p);
    }
    PF_TRY(st);
    return pf_tiny_end_events(p);
}

static pf_status fill(pf_tiny_profile *p, pf_bytes bytes)
{
    for (pf_tiny_table i = PF_TINY_PROFILE; i < PF_TINY_TABLES; i++) {
        PF_TRY(pf_tiny_add_table(p, i));
    }
    uint32_t first = p->table[PF_TINY_EVENT]->count;
    p->first_device = p->table[PF_TINY_DEVICE]->count;
    PF_TRY(read_events(p, bytes));
    PF_TRY(pf_tiny_read_hardware(p, first));
    pf_pickle_values_close(&p->values);
    PF_TRY(pf_tiny_draw(p, first));
    if (p->skipped) {
        pf_trace_count(p->t, PF_STAT_PICKLE_ITEMS, PF_NOWHERE);
        p->t->stat_count[PF_STAT_PICKLE_ITEMS] += p->skipped - 1;
    }
    return PF_OK;
}

static pf_status read_profile(pf_reading *r, pf_error *err)
{
    pf_tiny_profile p = {.r = r, .t = pf_reading_trace(r), .err = err};
    pf_bytes bytes;
    pf_status st = pf_reading_whole(r, &bytes, err);
    pf_reading_set_dialect(r, "tinygrad");
    PF_TRY(st);
    p.input_bytes = bytes.len;
    p.stream_rows = pf_reading_value(r, TINY_OPT_STREAM_ROWS)->i;
    p.host_clock = pf_reading_value(r, TINY_OPT_STREAM_CLOCK)->i == 0;
    pf_map_init(&p.device_of, &p.t->budget);
    pf_map_init(&p.call_of, &p.t->budget);
    pf_map_init(&p.object_of, &p.t->budget);
    pf_arena_init(&p.arena, &p.t->budget);
    st = pf_tiny_is_rewrites(bytes) ? pf_tiny_read_rewrites(&p, bytes) : fill(&p, bytes);
    pf_pickle_values_close(&p.values);
    pf_arena_free(&p.arena);
    pf_map_free(&p.device_of);
    pf_map_free(&p.object_of);
    pf_map_free(&p.call_of);
    PF_LIST_FREE(&p.t->budget, p.devices, p.device_room);
    return st;
}

/* The events one by one, while the pickle is read once more. */
typedef struct visit {
    pf_pickle_values values;
    const pf_arg_visitor *v;
} visit;

static pf_status visit_event(void *ctx, uint32_t object, pf_error *err)
{
    visit *d = ctx;
    uint64_t budget = pf_tiny_plain_budget(&d->values);
    return pf_tiny_is_event(&d->values, object)
               ? pf_tiny_plain_visit(&d->values, (pf_str){NULL, 0}, object, &budget, d->v, err)
               : PF_OK;
}

static pf_status visit_values(visit *d, pf_bytes plain, pf_budget *budget, pf_arena *arena, pf_error *err)
{
    uint32_t top;
    PF_TRY(pf_pickle_values_open(&d->values, plain, budget, arena, err));
    pf_status st = pf_pickle_read(&d->values, visit_event, d, NULL, &top, err);
    return st == PF_ERR_INPUT && d->values.truncated ? PF_OK : st; /* as when it was read */
}

static pf_status visit_profile(const pf_trace *t, pf_bytes plain, const pf_arg_visitor *v, pf_error *err)
{
    visit d = {.v = v};
    pf_budget budget;
    pf_arena arena;
    PF_TRY(v->begin(v->ctx, (pf_str){NULL, 0}, true));
    pf_budget_init(&budget, &t->budget.limits);
    pf_arena_init(&arena, &budget);
    pf_status st = visit_values(&d, plain, &budget, &arena, err);
    pf_pickle_values_close(&d.values);
    pf_arena_free(&arena);
    pf_budget_end(&budget);
    PF_TRY(st);
    return v->end(v->ctx);
}

const pf_reader pf_reader_tinygrad = {
    .name = "tinygrad",
    .summary = "profiles of tinygrad (profile.pkl), read without executing the pickle",
    .description = "A list of events that tinygrad pickles at exit: kernels, copies, graph launches, memory, markers, "
                   "and what counters and packet streams of the device said. Nothing of the pickle is executed.",
    .own_clock = true,
    .options = options,
    .option_count = TINY_OPTIONS,
    .table = pf_tiny_spec,
    .probe = probe,
    .read = read_profile,
    .visit = visit_profile,
};
