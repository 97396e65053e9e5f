/* analyze/tinygrad/timeline/tg_timeline_report.c - the timeline as a document with all names written out
 * (profile.json), and in the layout that tinygrad's server sends to its viewer (profile.bin): little endian, with the
 * same members in the same order, but without their names (docs/reference/tinygrad.md, "The served timeline").
 *
 * Texts of the layout are numbered by first use, device by device; the index, which comes first in the file, lists
 * them. So the tracks are encoded twice: for their texts, in the order of the devices, then in that of the viewer. */
#include <stdlib.h>

#include "analyze/tinygrad/timeline/tg_timeline.h"
#include "base/buffer.h"
#include "base/strings.h"
#include "postfetto/write.h"

typedef struct layout {
    pf_strings texts; /* ids are numbers of the index, from 1 */
    pf_buffer bytes;  /* of a track */
    bool beyond;      /* a number does not fit into its field */
} layout;

/* A report on its way. */
typedef struct report {
    tg_json j; /* the document; of the layout only the error and the first failure */
    const tg_timeline *l;
    layout *bin; /* NULL: the document is written */
} report;

static void put_bytes(report *r, uint64_t v, unsigned bytes)
{
    uint8_t out[8];
    for (unsigned i = 0; i < bytes; i++) {
        out[i] = (uint8_t)(v >> (8 * i));
    }
    pf_buffer_put(&r->bin->bytes, out, bytes);
}

/* Of 4 bytes or 1. */
static void put_number(report *r, const char *key, int64_t v, unsigned bytes)
{
    if (!r->bin) {
        pf_tg_put_int(&r->j, key, v);
        return;
    }
    r->bin->beyond |= bytes == 4 && (v < 0 || v > UINT32_MAX);
    put_bytes(r, (uint64_t)v, bytes);
}

static void put_int(report *r, const char *key, int64_t v)
{
    put_number(r, key, v, 4);
}

/* A number from 0, -1: none. */
static void put_id(report *r, const char *key, int64_t id)
{
    put_int(r, key, r->bin ? id + 1 : id < 0 ? INT64_MIN : id);
}

static void put_uint(report *r, const char *key, uint64_t v)
{
    if (r->bin) {
        put_bytes(r, v, 8);
    } else {
        pf_tg_put_uint(&r->j, key, v);
    }
}

static void put_text(report *r, const char *key, pf_str text)
{
    if (!r->bin) {
        pf_tg_put_text(&r->j, key, text);
        return;
    }
    uint32_t id = pf_strings_add(&r->bin->texts, text.ptr ? text.ptr : "", text.len, r->j.err);
    r->j.status = id == PF_NONE ? r->j.err->code : r->j.status;
    put_bytes(r, id - 1, 4); /* id 0 is NULL */
}

static void begin(report *r)
{
    if (!r->bin) {
        pf_tg_begin_object(&r->j, NULL);
    }
}

static void end(report *r)
{
    if (!r->bin) {
        pf_tg_end(&r->j);
    }
}

typedef struct annotation {
    const tg_timeline *l;
    const tg_slice *s;
} annotation;

static pf_status visit_annotation(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const annotation *a = of;
    tg_json j = {v, err, PF_OK};
    pf_tg_put_annotation(&j, a->l, a->s, NULL);
    return j.status;
}

/* The annotation as a text of the layout: lines, or the document that later generations have. */
static void put_annotation(report *r, const tg_slice *s)
{
    const annotation a = {r->l, s};
    const pf_report document = {.form = PF_REPORT_JSON_STREAM, .visit = visit_annotation, .of = &a};
    char lines[PF_TG_ANNOTATION_MAX], *text;
    size_t len;
    if (r->l->in->generation == TG_DEC25) {
        put_text(r, NULL, (pf_str){lines, pf_tg_print_annotation(r->l, s, lines)});
        return;
    }
    pf_status st = pf_format_report(&document, &text, &len, r->j.err);
    if (st == PF_OK) {
        put_text(r, NULL, (pf_str){text, len});
        free(text);
    } else {
        r->j.status = st;
    }
}

static void put_slice(report *r, const tg_slice *s)
{
    const tg_events *e = &r->l->in->events;
    int64_t run = s->run == PF_NONE ? -1 : r->l->in->runs.run[s->run];
    float length = (float)e->dur[s->event];
    uint32_t bits;
    begin(r);
    put_text(r, "name", pf_tg_slice_name(r->l, s));
    put_id(r, "ref", -1); /* no graph of the compiler */
    put_id(r, "key", run < 0 ? -1 : run);
    put_int(r, "st", pf_tg_us(e->ts[s->event]) - r->l->start);
    if (r->bin) {
        memcpy(&bits, &length, sizeof bits);
        put_bytes(r, bits, 4);
        put_annotation(r, s);
    } else {
        pf_tg_put_real(&r->j, "dur", (double)length);
        pf_tg_put_annotation(&r->j, r->l, s, "fmt");
    }
    end(r);
}

static void put_user(report *r, uint32_t use)
{
    const tg_runs *runs = &r->l->in->runs;
    const tg_uses *uses = &r->l->in->uses;
    uint32_t run = uses->run[use];
    begin(r);
    if (r->bin) {
        put_int(r, NULL, runs->run[run]);
    } else {
        pf_tg_put(&r->j, PF_STR("run"), (pf_value){.type = PF_VALUE_INT, .as.i = runs->run[run]});
    }
    put_text(r, "name", pf_tg_string(r->l->in, runs->kernel[run]));
    put_int(r, "num", uses->position[use]);
    put_number(r, "mode", uses->mode[use], 1);
    end(r);
}

static void put_users(report *r, const tg_track *t, const tg_change *c)
{
    if (r->bin) {
        put_int(r, NULL, c->user_count);
    } else {
        pf_tg_begin_list(&r->j, "users");
    }
    for (uint32_t i = 0; i < c->user_count; i++) {
        put_user(r, t->users[c->first_user + i]);
    }
    end(r);
}

static void put_change(report *r, const tg_track *t, const tg_change *c)
{
    const tg_memory *m = &r->l->in->memory;
    begin(r);
    if (r->bin) {
        put_bytes(r, c->alloc, 1);
    } else {
        pf_tg_put_word(&r->j, "event", c->alloc ? "alloc" : "free");
    }
    put_int(r, "ts", c->us - r->l->start);
    put_int(r, "key", c->buffer);
    if (!c->alloc) {
        put_users(r, t, c);
    } else {
        uint64_t items = (uint64_t)pf_tg_items(r->l->in, c->row);
        put_text(r, "dtype", pf_tg_string(r->l->in, m->dtype[c->row]));
        put_uint(r, "sz", items);
        if (!r->bin) {
            pf_tg_put_uint(&r->j, "nbytes", items * (uint64_t)m->item_bytes[c->row]);
        }
    }
    end(r);
}

static void put_point(report *r, uint32_t event)
{
    begin(r);
    put_int(r, "ts", pf_tg_us(r->l->in->events.ts[event]) - r->l->start);
    put_uint(r, "value", pf_tg_line_value(r->l->in, event));
    end(r);
}

static void put_events(report *r, const tg_track *t)
{
    for (uint32_t i = 0; r->j.status == PF_OK && i < t->count; i++) {
        if (t->kind == TG_SLICES) {
            put_slice(r, &t->slices[i]);
        } else if (t->kind == TG_MEMORY) {
            put_change(r, t, &t->changes[i]);
        } else {
            put_point(r, t->points[i]);
        }
    }
}

static void put_track(report *r, const tg_track *t)
{
    begin(r);
    pf_tg_put_text(&r->j, "name", t->name);
    pf_tg_put_int(&r->j, "type", t->kind != TG_SLICES);
    pf_tg_begin_list(&r->j, "events");
    put_events(r, t);
    pf_tg_end(&r->j);
    if (t->kind != TG_SLICES) {
        pf_tg_put_int(&r->j, "linear", t->kind == TG_LINE);
        pf_tg_put_uint(&r->j, "peak", t->peak);
    }
    end(r);
}

/* Moves the bytes so far into `out`, or forgets them where that is NULL. */
static void hand_over(report *r, pf_text *out)
{
    pf_buffer *b = &r->bin->bytes;
    if (b->failed && r->j.status == PF_OK) {
        r->j.status = pf_no_memory(r->j.err);
    }
    if (r->j.status == PF_OK && out) {
        pf_text_put(r->l->in->f, out, (pf_str){b->data, b->len});
    }
    pf_buffer_free(b);
}

static void encode_track(report *r, const tg_track *t, pf_text *out)
{
    size_t len = t->name.len < 255 ? t->name.len : 255;
    put_bytes(r, len, 1);
    pf_buffer_put(&r->bin->bytes, t->name.ptr, len);
    put_bytes(r, t->kind != TG_SLICES, 1);
    put_int(r, NULL, t->count);
    if (t->kind != TG_SLICES && r->l->in->generation != TG_DEC25) {
        put_bytes(r, t->kind == TG_LINE, 1);
    }
    if (t->kind != TG_SLICES) {
        put_bytes(r, t->peak, 8);
    }
    put_events(r, t);
    hand_over(r, out);
}

/* Sizes of types and markers. The first generation cuts a marker's distance from the start, others its time: not the
 * same before 0. */
static void put_dtypes_and_markers(report *r)
{
    const tg_input *in = r->l->in;
    const tg_markers *m = &in->markers;
    pf_tg_begin_object(&r->j, "dtypeSize");
    for (uint32_t i = 0; i < r->l->dtype_count; i++) {
        pf_tg_put_int_named(&r->j, pf_tg_string(in, r->l->dtypes[i].name), r->l->dtypes[i].bytes);
    }
    pf_tg_end(&r->j);
    pf_tg_begin_list(&r->j, "markers");
    for (uint32_t i = 0; r->j.status == PF_OK && i < m->count; i++) {
        int64_t ts = in->events.ts[m->event[i]];
        pf_tg_begin_object(&r->j, NULL);
        pf_tg_put_int(&r->j, "ts",
                      in->generation == TG_DEC25 ? (ts - r->l->start * 1000) / 1000 : pf_tg_us(ts) - r->l->start);
        pf_tg_put_text(&r->j, "name", pf_tg_string(in, m->name[i]));
        pf_tg_put_text(&r->j, "color", pf_tg_string(in, m->colour[i]));
        pf_tg_end(&r->j);
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

static pf_status visit_index(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const report *bin = of;
    report r = {.j = {v, err, PF_OK}, .l = bin->l};
    begin(&r);
    pf_tg_begin_list(&r.j, "strings");
    for (uint32_t i = 1; r.j.status == PF_OK && i < bin->bin->texts.count; i++) {
        pf_tg_put_text(&r.j, NULL, pf_strings_get(&bin->bin->texts, i));
    }
    pf_tg_end(&r.j);
    put_dtypes_and_markers(&r);
    put_json_points(&r);
    end(&r);
    return r.j.status;
}

pf_status pf_tg_visit_timeline(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const tg_timeline *l = of;
    report r = {.j = {v, err, PF_OK}, .l = l};
    begin(&r);
    pf_tg_put_int(&r.j, "dur", l->end - l->start);
    pf_tg_put_uint(&r.j, "peak", l->peak);
    put_dtypes_and_markers(&r);
    pf_tg_begin_object(&r.j, "index_extra");
    put_json_points(&r);
    pf_tg_end(&r.j);
    pf_tg_begin_list(&r.j, "layout");
    for (uint32_t i = 0; r.j.status == PF_OK && i < l->track_count; i++) {
        put_track(&r, &l->tracks[l->layout[i]]);
    }
    pf_tg_end(&r.j);
    end(&r);
    return r.j.status;
}

static void put_index(report *r, pf_text *out)
{
    const pf_report document = {.form = PF_REPORT_JSON_STREAM, .visit = visit_index, .of = r};
    char *index;
    size_t len;
    r->j.status = pf_format_report(&document, &index, &len, r->j.err);
    if (r->j.status != PF_OK) {
        return;
    }
    put_int(r, NULL, r->l->end - r->l->start);
    put_bytes(r, r->l->peak, 8);
    put_int(r, NULL, (int64_t)len);
    put_int(r, NULL, r->l->track_count);
    hand_over(r, out);
    pf_text_put(r->l->in->f, out, (pf_str){index, len});
    free(index);
}

static pf_status encode(report *r)
{
    const tg_timeline *l = r->l;
    pf_findings *f = l->in->f;
    for (uint32_t i = 0; i < l->track_count; i++) {
        encode_track(r, &l->tracks[i], NULL);
    }
    PF_TRY(r->j.status);
    pf_text *out = r->bin->beyond ? NULL : pf_text_new(f);
    if (out) {
        put_index(r, out);
    }
    for (uint32_t i = 0; out && r->j.status == PF_OK && i < l->track_count; i++) {
        encode_track(r, &l->tracks[l->layout[i]], out);
    }
    PF_TRY(r->j.status);
    if (r->bin->beyond) {
        pf_findings_show_line(f, PF_NOTICE,
                              "profile.bin was not written: its layout has 32 bits for times and ids, which is not "
                              "enough for this profile");
        return PF_OK;
    }
    PF_TRY(pf_findings_status(f, r->j.err));
    pf_findings_report_text(f, PF_STR("profile.bin"), out, true);
    return PF_OK;
}

pf_status pf_tg_report_layout(const pf_pass_context *ctx, const tg_timeline *l, pf_error *err)
{
    layout bin = {.beyond = false};
    report r = {.j = {.err = err}, .l = l, .bin = &bin};
    PF_TRY(pf_strings_init(&bin.texts, ctx->arena->budget, err));
    pf_status st = encode(&r);
    pf_strings_free(&bin.texts);
    return st;
}
