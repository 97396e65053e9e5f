/* analyze/tinygrad/timeline/tg_timeline_report.c - profile.json: the timeline with all names written out. */
#include "analyze/tinygrad/timeline/tg_timeline.h"

/* A report on its way. */
typedef struct report {
    tg_json j;
    const tg_timeline *l;
} report;

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static void put_slice(report *r, const tg_slice *s)
{
    const tg_events *e = &r->l->in->events;
    int64_t key = pf_tg_slice_key(r->l, s);
    pf_tg_begin_object(&r->j, NULL);
    pf_tg_put_text(&r->j, "name", pf_tg_slice_name(r->l, s));
    pf_tg_put_null(&r->j, "ref");
    pf_tg_put_int(&r->j, "key", key < 0 ? INT64_MIN : key);
    pf_tg_put_int(&r->j, "st", pf_tg_us(e->ts[s->event]) - r->l->start);
    pf_tg_put_real(&r->j, "dur", (double)(float)e->dur[s->event]);
    pf_tg_put_annotation(&r->j, r->l, s, "fmt");
    pf_tg_end(&r->j);
}

static void put_slices(report *r, const tg_track *t)
{
    pf_tg_put_int(&r->j, "type", 0);
    pf_tg_begin_list(&r->j, "events");
    for (uint32_t i = 0; r->j.status == PF_OK && i < t->count; i++) {
        put_slice(r, &t->slices[i]);
    }
    pf_tg_end(&r->j);
}

/* ---- memory and lines -------------------------------------------------------------------------------------------- */

static void put_user(report *r, uint32_t use)
{
    const tg_runs *runs = &r->l->in->runs;
    const tg_uses *uses = &r->l->in->uses;
    uint32_t run = uses->run[use];
    pf_tg_begin_object(&r->j, NULL);
    pf_tg_put(&r->j, PF_STR("run"), (pf_value){.type = PF_VALUE_INT, .as.i = runs->run[run]});
    pf_tg_put_text(&r->j, "name", pf_tg_string(r->l->in, runs->kernel[run]));
    pf_tg_put_int(&r->j, "num", uses->position[use]);
    pf_tg_put_int(&r->j, "mode", uses->mode[use]);
    pf_tg_end(&r->j);
}

static void put_alloc(report *r, const tg_change *c)
{
    const tg_memory *m = &r->l->in->memory;
    int64_t items = pf_tg_items(r->l->in, c->row);
    pf_tg_put_text(&r->j, "dtype", pf_tg_string(r->l->in, m->dtype[c->row]));
    pf_tg_put_int(&r->j, "sz", items);
    pf_tg_put_uint(&r->j, "nbytes", (uint64_t)items * (uint64_t)m->item_bytes[c->row]);
}

static void put_change(report *r, const tg_track *t, const tg_change *c)
{
    pf_tg_begin_object(&r->j, NULL);
    pf_tg_put_text(&r->j, "event", c->alloc ? PF_STR("alloc") : PF_STR("free"));
    pf_tg_put_int(&r->j, "ts", c->us - r->l->start);
    pf_tg_put_int(&r->j, "key", c->buffer);
    if (c->alloc) {
        put_alloc(r, c);
    } else {
        pf_tg_begin_list(&r->j, "users");
        for (uint32_t i = 0; i < c->user_count; i++) {
            put_user(r, t->users[c->first_user + i]);
        }
        pf_tg_end(&r->j);
    }
    pf_tg_end(&r->j);
}

static void put_point(report *r, uint32_t event)
{
    pf_tg_begin_object(&r->j, NULL);
    pf_tg_put_int(&r->j, "ts", pf_tg_us(r->l->in->events.ts[event]) - r->l->start);
    pf_tg_put_uint(&r->j, "value", pf_tg_line_value(r->l->in, event));
    pf_tg_end(&r->j);
}

static void put_counter(report *r, const tg_track *t)
{
    pf_tg_put_int(&r->j, "type", 1);
    pf_tg_begin_list(&r->j, "events");
    for (uint32_t i = 0; r->j.status == PF_OK && i < t->count; i++) {
        if (t->kind == TG_LINE) {
            put_point(r, t->points[i]);
        } else {
            put_change(r, t, &t->changes[i]);
        }
    }
    pf_tg_end(&r->j);
    pf_tg_put_int(&r->j, "linear", t->kind == TG_LINE);
    pf_tg_put_uint(&r->j, "peak", t->peak);
}

static void put_track(report *r, const tg_track *t)
{
    pf_tg_begin_object(&r->j, NULL);
    pf_tg_put_text(&r->j, "name", t->name);
    if (t->kind == TG_SLICES) {
        put_slices(r, t);
    } else {
        put_counter(r, t);
    }
    pf_tg_end(&r->j);
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
    pf_tg_begin_list(&r->j, "markers");
    for (uint32_t i = 0; r->j.status == PF_OK && i < m->count; i++) {
        pf_tg_begin_object(&r->j, NULL);
        pf_tg_put_int(&r->j, "ts", marker_time(r->l, r->l->in->events.ts[m->event[i]]));
        pf_tg_put_text(&r->j, "name", pf_tg_string(r->l->in, m->name[i]));
        pf_tg_put_text(&r->j, "color", pf_tg_string(r->l->in, m->colour[i]));
        pf_tg_end(&r->j);
    }
    pf_tg_end(&r->j);
}

static void put_dtypes(report *r)
{
    pf_tg_begin_object(&r->j, "dtypeSize");
    for (uint32_t i = 0; i < r->l->dtype_count; i++) {
        pf_tg_put_int_named(&r->j, pf_tg_string(r->l->in, r->l->dtypes[i].name), r->l->dtypes[i].bytes);
    }
    pf_tg_end(&r->j);
}

/* Points named JSON add members of their own to the index. */
static void put_json_points(report *r)
{
    const tg_jsons *j = &r->l->in->jsons;
    for (uint32_t i = 0; r->j.status == PF_OK && i < j->count; i++) {
        pf_tg_put(&r->j, pf_tg_string(r->l->in, j->key[i]),
                  (pf_value){.type = PF_VALUE_JSON, .as.s = pf_tg_string(r->l->in, j->json[i])});
    }
}

void pf_tg_put_index(tg_json *j, const tg_timeline *l, bool json)
{
    report r = {.j = *j, .l = l};
    if (json) {
        put_json_points(&r);
    } else {
        put_dtypes(&r);
        put_markers(&r);
    }
    j->status = r.j.status;
}

pf_status pf_tg_visit_timeline(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const tg_timeline *l = of;
    report r = {.j = {v, err, PF_OK}, .l = l};
    pf_tg_begin_object(&r.j, NULL);
    pf_tg_put_int(&r.j, "dur", l->end - l->start);
    pf_tg_put_uint(&r.j, "peak", l->peak);
    put_dtypes(&r);
    put_markers(&r);
    pf_tg_begin_object(&r.j, "index_extra");
    put_json_points(&r);
    pf_tg_end(&r.j);
    pf_tg_begin_list(&r.j, "layout");
    for (uint32_t i = 0; r.j.status == PF_OK && i < l->track_count; i++) {
        put_track(&r, &l->tracks[l->layout[i]]);
    }
    pf_tg_end(&r.j);
    pf_tg_end(&r.j);
    return r.j.status;
}
