/* analyze/tinygrad/timeline/tg_timeline_report.c - profile.json: the timeline with all names written out. */
#include "analyze/tinygrad/timeline/tg_timeline.h"

static const pf_str no_key = {NULL, 0};

/* A report on its way. After a failure nothing is written any more. */
typedef struct report {
    const tg_timeline *l;
    const pf_arg_visitor *v;
    pf_error *err;
    pf_status st;
} report;

static void put(report *r, pf_str key, pf_value value)
{
    r->st = r->st == PF_OK ? r->v->value(r->v->ctx, key, &value) : r->st;
}

static void put_int(report *r, pf_str key, int64_t v)
{
    put(r, key, (pf_value){.type = PF_VALUE_INT, .as.i = v});
}

static void put_uint(report *r, pf_str key, uint64_t v)
{
    put(r, key, (pf_value){.type = PF_VALUE_UINT, .as.u = v});
}

static void put_text(report *r, pf_str key, pf_str text)
{
    put(r, key, (pf_value){.type = PF_VALUE_STRING, .as.s = text.ptr ? text : PF_STR("")});
}

static void begin(report *r, pf_str key, bool list)
{
    if (r->st == PF_OK) {
        r->st = list ? r->v->begin_array(r->v->ctx, key) : r->v->begin_object(r->v->ctx, key);
    }
}

static void end(report *r)
{
    r->st = r->st == PF_OK ? r->v->end(r->v->ctx) : r->st;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static void put_slice(report *r, const tg_slice *s)
{
    const tg_events *e = &r->l->in->events;
    int64_t key = pf_tg_slice_key(r->l, s);
    begin(r, no_key, false);
    put_text(r, PF_STR("name"), pf_tg_slice_name(r->l, s));
    put(r, PF_STR("ref"), (pf_value){.type = PF_VALUE_NULL});
    if (key < 0) {
        put(r, PF_STR("key"), (pf_value){.type = PF_VALUE_NULL});
    } else {
        put_int(r, PF_STR("key"), key);
    }
    put_int(r, PF_STR("st"), pf_tg_us(e->ts[s->event]) - r->l->start);
    put(r, PF_STR("dur"), (pf_value){.type = PF_VALUE_REAL, .as.d = (double)(float)e->dur[s->event]});
    if (r->st == PF_OK) {
        r->st = pf_tg_visit_annotation(r->l, s, PF_STR("fmt"), r->v, r->err);
    }
    end(r);
}

static void put_slices(report *r, const tg_track *t)
{
    put_int(r, PF_STR("type"), 0);
    begin(r, PF_STR("events"), true);
    for (uint32_t i = 0; r->st == PF_OK && i < t->count; i++) {
        put_slice(r, &t->slices[i]);
    }
    end(r);
}

/* ---- memory and lines -------------------------------------------------------------------------------------------- */

static void put_user(report *r, uint32_t use)
{
    const tg_runs *runs = &r->l->in->runs;
    uint32_t run = runs->use_run[use];
    begin(r, no_key, false);
    put_int(r, PF_STR("run"), runs->run[run]);
    put_text(r, PF_STR("name"), pf_tg_string(r->l->in, runs->kernel[run]));
    put_int(r, PF_STR("num"), runs->use_position[use]);
    put_int(r, PF_STR("mode"), runs->use_mode[use]);
    end(r);
}

static void put_alloc(report *r, const tg_change *c)
{
    const tg_memory *m = &r->l->in->memory;
    int64_t items = pf_tg_items(r->l->in, c->row);
    put_text(r, PF_STR("dtype"), pf_tg_string(r->l->in, m->dtype[c->row]));
    put_int(r, PF_STR("sz"), items);
    put_uint(r, PF_STR("nbytes"), (uint64_t)items * (uint64_t)m->item_bytes[c->row]);
}

static void put_change(report *r, const tg_track *t, const tg_change *c)
{
    begin(r, no_key, false);
    put_text(r, PF_STR("event"), c->alloc ? PF_STR("alloc") : PF_STR("free"));
    put_int(r, PF_STR("ts"), c->us - r->l->start);
    put_int(r, PF_STR("key"), c->buffer);
    if (c->alloc) {
        put_alloc(r, c);
    } else {
        begin(r, PF_STR("users"), true);
        for (uint32_t i = 0; i < c->user_count; i++) {
            put_user(r, t->users[c->first_user + i]);
        }
        end(r);
    }
    end(r);
}

static void put_point(report *r, uint32_t event)
{
    begin(r, no_key, false);
    put_int(r, PF_STR("ts"), pf_tg_us(r->l->in->events.ts[event]) - r->l->start);
    put_uint(r, PF_STR("value"), pf_tg_line_value(r->l->in, event));
    end(r);
}

static void put_counter(report *r, const tg_track *t)
{
    put_int(r, PF_STR("type"), 1);
    begin(r, PF_STR("events"), true);
    for (uint32_t i = 0; r->st == PF_OK && i < t->count; i++) {
        if (t->kind == TG_LINE) {
            put_point(r, t->points[i]);
        } else {
            put_change(r, t, &t->changes[i]);
        }
    }
    end(r);
    put_int(r, PF_STR("linear"), t->kind == TG_LINE);
    put_uint(r, PF_STR("peak"), t->peak);
}

static void put_track(report *r, const tg_track *t)
{
    begin(r, no_key, false);
    put_text(r, PF_STR("name"), t->name);
    if (t->kind == TG_SLICES) {
        put_slices(r, t);
    } else {
        put_counter(r, t);
    }
    end(r);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

/* The first generation cuts a marker's distance from the start, others its time: not the same before 0. */
static int64_t marker_time(const tg_timeline *l, int64_t ts)
{
    return l->in->generation == TG_DEC25 ? (ts - l->start * 1000) / 1000 : pf_tg_us(ts) - l->start;
}

static void put_markers(report *r)
{
    const tg_markers *m = &r->l->in->markers;
    begin(r, PF_STR("markers"), true);
    for (uint32_t i = 0; r->st == PF_OK && i < m->count; i++) {
        begin(r, no_key, false);
        put_int(r, PF_STR("ts"), marker_time(r->l, r->l->in->events.ts[m->event[i]]));
        put_text(r, PF_STR("name"), pf_tg_string(r->l->in, m->name[i]));
        put_text(r, PF_STR("color"), pf_tg_string(r->l->in, m->colour[i]));
        end(r);
    }
    end(r);
}

static void put_dtypes(report *r)
{
    begin(r, PF_STR("dtypeSize"), false);
    for (uint32_t i = 0; i < r->l->dtype_count; i++) {
        put_int(r, pf_tg_string(r->l->in, r->l->dtypes[i].name), r->l->dtypes[i].bytes);
    }
    end(r);
}

/* Points named JSON add members of their own to the index. */
static void put_json_points(report *r)
{
    const tg_jsons *j = &r->l->in->jsons;
    for (uint32_t i = 0; r->st == PF_OK && i < j->count; i++) {
        put(r, pf_tg_string(r->l->in, j->key[i]),
            (pf_value){.type = PF_VALUE_JSON, .as.s = pf_tg_string(r->l->in, j->json[i])});
    }
}

pf_status pf_tg_visit_index(const tg_timeline *l, pf_tg_index_part part, const pf_arg_visitor *v)
{
    report r = {.l = l, .v = v};
    if (part == PF_TG_INDEX_JSON) {
        put_json_points(&r);
    } else {
        put_dtypes(&r);
        put_markers(&r);
    }
    return r.st;
}

pf_status pf_tg_visit_timeline(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const tg_timeline *l = of;
    report r = {.l = l, .v = v, .err = err};
    begin(&r, no_key, false);
    put_int(&r, PF_STR("dur"), l->end - l->start);
    put_uint(&r, PF_STR("peak"), l->peak);
    put_dtypes(&r);
    put_markers(&r);
    begin(&r, PF_STR("index_extra"), false);
    put_json_points(&r);
    end(&r);
    begin(&r, PF_STR("layout"), true);
    for (uint32_t i = 0; r.st == PF_OK && i < l->track_count; i++) {
        put_track(&r, &l->tracks[l->layout[i]]);
    }
    end(&r);
    end(&r);
    return r.st;
}
