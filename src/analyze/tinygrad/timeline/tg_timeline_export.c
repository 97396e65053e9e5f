/* analyze/tinygrad/timeline/tg_timeline_export.c - profile.bin: the timeline in the layout that tinygrad's server sends
 * to its viewer, little endian (docs/reference/tinygrad.md, "The served timeline").
 *
 * Texts are numbered by first use, device by device; the index, which comes first in the file, lists them. So the
 * tracks are encoded first, in the order of the devices, and put together in the order of the viewer. */
#include <stdlib.h>
#include <string.h>

#include "analyze/tinygrad/timeline/tg_timeline.h"
#include "base/budget.h"
#include "base/buffer.h"
#include "base/strings.h"
#include "postfetto/write.h"

typedef struct exporter {
    const tg_timeline *l;
    pf_findings *f;
    pf_error *err;
    pf_strings texts; /* ids are numbers of the index, from 1 */
    bool beyond;      /* a number does not fit into its field */
    pf_status status; /* the first failure */
} exporter;

/* ---- little endian ----------------------------------------------------------------------------------------------- */

static void put_bytes(pf_buffer *b, uint64_t v, unsigned bytes)
{
    uint8_t out[8];
    for (unsigned i = 0; i < bytes; i++) {
        out[i] = (uint8_t)(v >> (8 * i));
    }
    pf_buffer_put(b, out, bytes);
}

static void put_u32(exporter *e, pf_buffer *b, int64_t v)
{
    e->beyond |= v < 0 || v > UINT32_MAX;
    put_bytes(b, (uint64_t)v, 4);
}

static void put_float(pf_buffer *b, double v)
{
    float narrow = (float)v;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    put_bytes(b, bits, 4);
}

static void put_text(exporter *e, pf_buffer *b, pf_str text)
{
    uint32_t id = pf_strings_add(&e->texts, text.ptr ? text.ptr : "", text.len, e->err);
    e->status = id == PF_NONE ? e->err->code : e->status;
    put_bytes(b, id - 1, 4); /* id 0 is NULL */
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

typedef struct annotation {
    exporter *e;
    const tg_slice *s;
} annotation;

static pf_status visit_annotation(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const annotation *a = of;
    tg_json j = {v, err, PF_OK};
    pf_tg_put_annotation(&j, a->e->l, a->s, NULL);
    return j.status;
}

static void put_annotation(exporter *e, pf_buffer *b, const tg_slice *s)
{
    const annotation a = {e, s};
    const pf_report r = {.form = PF_REPORT_JSON_STREAM, .visit = visit_annotation, .of = &a};
    char lines[PF_TG_ANNOTATION_MAX], *text;
    size_t len;
    if (e->l->in->generation == TG_DEC25) {
        put_text(e, b, (pf_str){lines, pf_tg_print_annotation(e->l, s, lines)});
        return;
    }
    pf_status st = pf_format_report(&r, &text, &len, e->err);
    if (st == PF_OK) {
        put_text(e, b, (pf_str){text, len});
        free(text);
    } else {
        e->status = st;
    }
}

static void put_slice(exporter *e, pf_buffer *b, const tg_slice *s)
{
    const tg_events *events = &e->l->in->events;
    put_text(e, b, pf_tg_slice_name(e->l, s));
    put_u32(e, b, 0); /* no graph of the compiler */
    put_u32(e, b, pf_tg_slice_key(e->l, s) + 1);
    put_u32(e, b, pf_tg_us(events->ts[s->event]) - e->l->start);
    put_float(b, events->dur[s->event]);
    put_annotation(e, b, s);
}

/* ---- memory and lines -------------------------------------------------------------------------------------------- */

static void put_user(exporter *e, pf_buffer *b, uint32_t use)
{
    const tg_runs *runs = &e->l->in->runs;
    const tg_uses *uses = &e->l->in->uses;
    uint32_t run = uses->run[use];
    put_u32(e, b, runs->run[run]);
    put_text(e, b, pf_tg_string(e->l->in, runs->kernel[run]));
    put_u32(e, b, uses->position[use]);
    put_bytes(b, (uint64_t)uses->mode[use], 1);
}

static void put_change(exporter *e, pf_buffer *b, const tg_track *t, const tg_change *c)
{
    put_bytes(b, c->alloc, 1);
    put_u32(e, b, c->us - e->l->start);
    put_u32(e, b, c->buffer);
    if (c->alloc) {
        put_text(e, b, pf_tg_string(e->l->in, e->l->in->memory.dtype[c->row]));
        put_bytes(b, (uint64_t)pf_tg_items(e->l->in, c->row), 8);
        return;
    }
    put_u32(e, b, c->user_count);
    for (uint32_t i = 0; i < c->user_count; i++) {
        put_user(e, b, t->users[c->first_user + i]);
    }
}

static void put_point(exporter *e, pf_buffer *b, uint32_t event)
{
    put_u32(e, b, pf_tg_us(e->l->in->events.ts[event]) - e->l->start);
    put_bytes(b, pf_tg_line_value(e->l->in, event), 8);
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static void put_head(exporter *e, pf_buffer *b, const tg_track *t)
{
    size_t len = t->name.len < 255 ? t->name.len : 255;
    put_bytes(b, len, 1);
    pf_buffer_put(b, t->name.ptr, len);
    put_bytes(b, t->kind != TG_SLICES, 1);
    put_u32(e, b, t->count);
    if (t->kind != TG_SLICES) {
        if (e->l->in->generation != TG_DEC25) {
            put_bytes(b, t->kind == TG_LINE, 1);
        }
        put_bytes(b, t->peak, 8);
    }
}

static void encode_track(exporter *e, pf_buffer *b, const tg_track *t)
{
    put_head(e, b, t);
    for (uint32_t i = 0; e->status == PF_OK && i < t->count; i++) {
        if (t->kind == TG_SLICES) {
            put_slice(e, b, &t->slices[i]);
        } else if (t->kind == TG_MEMORY) {
            put_change(e, b, t, &t->changes[i]);
        } else {
            put_point(e, b, t->points[i]);
        }
    }
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static pf_status visit_index(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const exporter *e = of;
    tg_json j = {v, err, PF_OK};
    pf_tg_begin_object(&j, NULL);
    pf_tg_begin_list(&j, "strings");
    for (uint32_t i = 1; j.status == PF_OK && i < e->texts.count; i++) {
        pf_tg_put_text(&j, NULL, pf_strings_get(&e->texts, i));
    }
    pf_tg_end(&j);
    pf_tg_put_index(&j, e->l, false);
    pf_tg_put_index(&j, e->l, true);
    return j.status;
}

/* Moves the bytes of a buffer into `out`, if there is one. */
static void hand_over(exporter *e, pf_buffer *b, pf_text *out)
{
    if (b->failed && e->status == PF_OK) {
        e->status = pf_no_memory(e->err);
    }
    if (e->status == PF_OK && out) {
        pf_text_put(e->f, out, (pf_str){b->data, b->len});
    }
    pf_buffer_free(b);
}

/* Encodes a track; the bytes are put into `out`, or forgotten where that is NULL: its texts have numbers then. */
static void put_track(exporter *e, const tg_track *t, pf_text *out)
{
    pf_buffer b = {0};
    encode_track(e, &b, t);
    hand_over(e, &b, out);
}

static void put_index(exporter *e, pf_text *out)
{
    const pf_report r = {.form = PF_REPORT_JSON_STREAM, .visit = visit_index, .of = e};
    const tg_timeline *l = e->l;
    pf_buffer head = {0};
    char *index;
    size_t len;
    e->status = pf_format_report(&r, &index, &len, e->err);
    if (e->status != PF_OK) {
        return;
    }
    put_u32(e, &head, l->end - l->start);
    put_bytes(&head, l->peak, 8);
    put_u32(e, &head, (int64_t)len);
    put_u32(e, &head, l->track_count);
    hand_over(e, &head, out);
    pf_text_put(e->f, out, (pf_str){index, len});
    free(index);
}

static pf_status encode(exporter *e)
{
    const tg_timeline *l = e->l;
    for (uint32_t i = 0; i < l->track_count; i++) {
        put_track(e, &l->tracks[i], NULL);
    }
    PF_TRY(e->status);
    pf_text *out = e->beyond ? NULL : pf_text_new(e->f);
    if (out) {
        put_index(e, out);
    }
    for (uint32_t i = 0; out && e->status == PF_OK && i < l->track_count; i++) {
        put_track(e, &l->tracks[l->layout[i]], out);
    }
    PF_TRY(e->status);
    if (e->beyond) {
        pf_findings_show_line(e->f, PF_NOTICE,
                              "profile.bin was not written: its layout has 32 bits for times and ids, which is not "
                              "enough for this profile");
        return PF_OK;
    }
    PF_TRY(pf_findings_status(e->f, e->err));
    pf_findings_report_text(e->f, PF_STR("profile.bin"), out, true);
    return PF_OK;
}

pf_status pf_tg_report_layout(const pf_pass_context *ctx, const tg_timeline *l, pf_findings *f, pf_error *err)
{
    exporter e = {.l = l, .f = f, .err = err};
    PF_TRY(pf_strings_init(&e.texts, ctx->arena->budget, err));
    pf_status st = encode(&e);
    pf_strings_free(&e.texts);
    return st;
}
