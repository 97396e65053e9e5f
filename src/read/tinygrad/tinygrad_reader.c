/* read/tinygrad/tinygrad_reader.c - the profiles that tinygrad leaves: a pickled list of events (profile.h). */
#include <string.h>

#include "read/tinygrad/hardware/hardware.h"
#include "read/tinygrad/pickle/pickle.h"
#include "read/tinygrad/profile/plain_values.h"
#include "read/tinygrad/profile/profile.h"
#include "read/tinygrad/timeline/tiny_timeline.h"

/* ---- recognising ------------------------------------------------------------------------------------------------- */

static bool contains(const uint8_t *head, size_t size, const char *word)
{
    return memmem(head, size, word, strlen(word)) != NULL;
}

/* A pickle of a protocol that is read begins with a list, in a frame or not. */
static pf_probe probe(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    (void)path;
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

/* ---- options ----------------------------------------------------------------------------------------------------- */

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
         .choices = "cycles|host",
         .help =
             "tinygrad: how thread traces are drawn: 'cycles', a cycle as a nanosecond from the start of the kernel "
             "on; 'host', scaled by the shader clock, with the first wave at the start of the kernel",
         .fallback = "cycles"},
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* One reading of the pickle; its values stay in p->values. */
static pf_status run_pickle(pf_tiny_profile *p, pf_pickle_item item, pf_error *err)
{
    bool list;
    pf_status st = pf_pickle_read(&p->values, item, p, p->r->o->cancel, &list, NULL, err);
    if (st == PF_OK && !list) {
        st = pf_fail(err, PF_ERR_INPUT, "the pickle holds no list; a profile of tinygrad is a list of events");
        return pf_pickle_name_opcode(&p->values, p->values.op, st, err);
    }
    return st;
}

/* A profile that is cut has its first events still. */
static pf_status forgive_cut(pf_tiny_profile *p, pf_status st, pf_error *err)
{
    if (st != PF_ERR_INPUT || !p->values.truncated || p->items == 0) {
        return st;
    }
    pf_trace_count(p->t, PF_STAT_PICKLE_TRUNCATED, err->offset);
    *err = (pf_error){.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
    return PF_OK;
}

static pf_status read_events(pf_tiny_profile *p, pf_bytes bytes, pf_error *err)
{
    pf_status st = pf_pickle_values_open(&p->values, bytes, &p->t->budget, &p->t->arena, err);
    st = st == PF_OK ? run_pickle(p, pf_tiny_read_device, err) : st;
    if (st == PF_ERR_INPUT && p->values.truncated) {
        st = PF_OK; /* the second reading ends there too, and tells whether there were events */
    }
    pf_pickle_values_clear(&p->values);
    st = st == PF_OK ? pf_tiny_name_kinds(p, err) : st;
    st = st == PF_OK ? forgive_cut(p, run_pickle(p, pf_tiny_read_event, err), err) : st;
    return st == PF_OK ? pf_tiny_end_events(p, err) : st;
}

static pf_status fill(pf_tiny_profile *p, pf_bytes bytes, pf_error *err)
{
    pf_status st = pf_tiny_add_tables(p, err);
    p->first_device = st == PF_OK ? p->table[PF_TINY_DEVICE]->count : 0;
    uint32_t first = st == PF_OK ? p->table[PF_TINY_EVENT]->count : 0;
    st = st == PF_OK ? read_events(p, bytes, err) : st;
    p->stream_rows = pf_reading_value(p->r, TINY_OPT_STREAM_ROWS)->i;
    p->host_clock = pf_reading_value(p->r, TINY_OPT_STREAM_CLOCK)->i == 1;
    st = st == PF_OK ? pf_tiny_read_hardware(p, first, p->stream_rows, err) : st;
    pf_pickle_values_close(&p->values);
    st = st == PF_OK ? pf_tiny_draw(p, first, err) : st;
    if (st == PF_OK && p->skipped) {
        pf_trace_count(p->t, PF_STAT_PICKLE_ITEMS, PF_NOWHERE);
        p->t->stat_count[PF_STAT_PICKLE_ITEMS] += p->skipped - 1;
    }
    return st;
}

static pf_status read_profile(pf_reading *r, pf_error *err)
{
    pf_tiny_profile p = {.r = r, .t = pf_reading_trace(r)};
    pf_bytes bytes;
    pf_status st = pf_reading_whole(r, &bytes, err);
    pf_reading_set_dialect(r, "tinygrad");
    if (st != PF_OK) {
        return st;
    }
    p.input_bytes = bytes.len;
    pf_map_init(&p.device_of, &p.t->budget);
    pf_map_init(&p.call_of, &p.t->budget);
    st = pf_tiny_is_rewrites(bytes) ? pf_tiny_read_rewrites(&p, bytes, err) : fill(&p, bytes, err);
    pf_map_free(&p.device_of);
    pf_map_free(&p.call_of);
    pf_release(&p.t->budget, p.devices, p.device_bytes);
    pf_release(&p.t->budget, p.objects, p.object_room * sizeof *p.objects);
    return st;
}

/* ---- as a document ----------------------------------------------------------------------------------------------- */

/* The events one by one, while the pickle is read once more. */
typedef struct visit {
    pf_pickle_values values;
    const pf_arg_visitor *v;
} visit;

static pf_status visit_event(void *ctx, uint32_t object, pf_error *err)
{
    visit *d = ctx;
    uint64_t budget = pf_plain_budget(&d->values);
    return pf_tiny_is_event(&d->values, object)
               ? pf_plain_visit(&d->values, (pf_str){NULL, 0}, object, &budget, d->v, err)
               : PF_OK;
}

static pf_status visit_profile(const pf_trace *t, pf_bytes plain, const pf_arg_visitor *v, pf_error *err)
{
    visit d = {.v = v};
    pf_budget budget;
    pf_arena arena;
    bool list;
    pf_budget_init(&budget, &t->budget.limits);
    pf_arena_init(&arena, &budget);
    pf_status st = v->begin_array(v->ctx, (pf_str){NULL, 0});
    st = st == PF_OK ? pf_pickle_values_open(&d.values, plain, &budget, &arena, err) : st;
    st = st == PF_OK ? pf_pickle_read(&d.values, visit_event, &d, NULL, &list, NULL, err) : st;
    st = st == PF_ERR_INPUT && d.values.truncated ? PF_OK : st; /* as when it was read */
    pf_pickle_values_close(&d.values);
    pf_arena_free(&arena);
    pf_budget_end(&budget);
    return st == PF_OK ? v->end(v->ctx) : st;
}

/* Tables of events, then those of the hardware. */
static const pf_side_spec *table(size_t i)
{
    const pf_side_spec *spec = i == 0 ? &pf_tiny_compiled_spec : pf_tiny_spec(i - 1);
    return spec ? spec : pf_hw_spec(i - 1 - PF_TINY_TABLES);
}

const pf_reader pf_reader_tinygrad = {
    .name = "tinygrad",
    .summary = "profiles of tinygrad (profile.pkl), read without executing the pickle",
    .description = "A list of events that tinygrad pickles at exit: kernels, copies, graph launches, memory, markers, "
                   "and what counters and packet streams of the device said. Nothing of the pickle is executed.",
    .own_clock = true,
    .options = options,
    .option_count = TINY_OPTIONS,
    .table = table,
    .probe = probe,
    .read = read_profile,
    .visit = visit_profile,
};
