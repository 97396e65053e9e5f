/* analyze/tinygrad/timeline/tg_annotation.c - what the viewer says about a slice besides its name: rates of a kernel,
 * bytes of a copy, what the traced call returned, or where it was called.
 *
 * The first generation writes lines of text, later ones an object. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/tinygrad/timeline/tg_timeline.h"
#include "base/buffer.h"
#include "base/text/number.h"

static const double largest_int = 9e18;

static pf_status put_text(const pf_arg_visitor *v, pf_str key, pf_str text)
{
    return v->value(v->ctx, key, &(pf_value){.type = PF_VALUE_STRING, .as.s = text});
}

/* A rate as an integer, towards zero; as its digits where 64 bits do not hold it. */
static pf_status put_whole(const pf_arg_visitor *v, pf_str key, double rate)
{
    char digits[PF_FIXED_MAX];
    pf_value value = {.type = PF_VALUE_INT};
    if (rate < largest_int && rate > -largest_int) {
        value.as.i = (int64_t)rate;
    } else {
        value.spelling = (pf_str){digits, pf_format_real_fixed(rate, 0, digits)};
    }
    return v->value(v->ctx, key, &value);
}

/* ---- the first generation ---------------------------------------------------------------------------------------- */

/* "7 GFLOPS": giga below `from`, tera from there on. */
static size_t print_rate(double rate, double from, const char *giga, const char *tera, char *out, size_t room)
{
    char digits[PF_FIXED_MAX];
    bool large = !(rate < from);
    size_t n = pf_format_real_fixed(rate * (large ? 1e-12 : 1e-9), 0, digits);
    int len = snprintf(out, room, "%.*s%s", (int)n, digits, large ? tera : giga);
    return len < 0 ? 0 : (size_t)len < room ? (size_t)len : room - 1;
}

size_t pf_tg_print_annotation(const tg_timeline *l, const tg_slice *s, char text[PF_TG_ANNOTATION_MAX])
{
    size_t n = 0, room = PF_TG_ANNOTATION_MAX;
    if (!s->estimate || s->run == PF_NONE) {
        return 0;
    }
    static const struct {
        double from;
        const char *giga, *tera;
    } units[TG_AMOUNTS] = {
        {1e14, " GFLOPS\n", " TFLOPS\n"}, {1e13, " GB/s mem\n", " TB/s mem\n"}, {1e15, " GB/s lds", " TB/s lds"}};
    for (tg_amount i = TG_OPS; i < TG_AMOUNTS; i++) {
        double rate = pf_tg_rate(l, s, pf_tg_amount(l, s, i));
        n += isnan(rate) ? 0 : print_rate(rate, units[i].from, units[i].giga, units[i].tera, text + n, room - n);
    }
    pf_str operations = pf_tg_string(l->in, l->in->runs.metadata[s->run]);
    size_t most = room - n - 1;
    if (operations.len) {
        text[n++] = '\n';
        memcpy(text + n, operations.ptr, operations.len < most ? operations.len : most);
        n += operations.len < most ? operations.len : most;
    }
    static const char batched[] = "\n(batched)";
    if (l->in->events.kind[s->event] == l->in->kinds.entry && room - n >= sizeof batched) {
        memcpy(text + n, batched, sizeof batched - 1);
        n += sizeof batched - 1;
    }
    return n;
}

static pf_status put_lines(const tg_timeline *l, const tg_slice *s, pf_str key, const pf_arg_visitor *v)
{
    char text[PF_TG_ANNOTATION_MAX];
    size_t len = pf_tg_print_annotation(l, s, text);
    return put_text(v, key, (pf_str){text, len});
}

/* ---- later ones -------------------------------------------------------------------------------------------------- */

/* What the mid-2026 viewer says of the operations: it joins their names and one more word, which may be empty. */
static pf_status put_operations(const tg_timeline *l, const tg_slice *s, const pf_arg_visitor *v)
{
    pf_str operations = pf_tg_string(l->in, l->in->runs.metadata[s->run]);
    if (l->in->generation != TG_MID26 || !operations.len) {
        return PF_OK;
    }
    pf_buffer text = {0};
    pf_buffer_put(&text, operations.ptr, operations.len);
    pf_buffer_text(&text, l->in->events.kind[s->event] == l->in->kinds.entry ? ",batched" : ",");
    pf_status st = text.failed ? PF_ERR_MEMORY : put_text(v, PF_STR("metadata"), (pf_str){text.data, text.len});
    pf_buffer_free(&text);
    return st;
}

static pf_status put_rates(const tg_timeline *l, const tg_slice *s, const pf_arg_visitor *v)
{
    static const pf_str keys[TG_AMOUNTS] = {{"FLOPS", 5}, {"B/s mem", 7}, {"B/s lds", 7}};
    pf_status st = PF_OK;
    for (tg_amount i = TG_OPS; st == PF_OK && i < TG_AMOUNTS; i++) {
        double rate = pf_tg_rate(l, s, pf_tg_amount(l, s, i));
        st = isnan(rate) ? put_text(v, keys[i], PF_STR("ERR")) : put_whole(v, keys[i], rate);
    }
    return st == PF_OK ? put_operations(l, s, v) : st;
}

static bool starts_as_json(pf_str text)
{
    return text.len >= 5 && memcmp(text.ptr, "JSON{", 5) == 0;
}

/* A text after "JSON" replaces the whole annotation, if it is JSON. */
static bool put_json(pf_str text, pf_str key, const pf_arg_visitor *v, pf_status *st, pf_error *err)
{
    pf_document *d = NULL;
    pf_error why = {.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_str json = {text.ptr + 4, text.len - 4};
    *st = pf_json_parse(json, NULL, &d, &why);
    pf_document_free(d);
    if (*st == PF_ERR_MEMORY) {
        *st = pf_fail(err, why.code, "%s", why.text);
        return true;
    }
    bool valid = *st == PF_OK;
    *st = valid ? v->value(v->ctx, key, &(pf_value){.type = PF_VALUE_JSON, .as.s = json}) : PF_OK;
    return valid;
}

/* (file, line, function, code) */
static pf_status put_frame(const tg_input *in, uint32_t row, const pf_arg_visitor *v)
{
    const tg_calls *c = &in->calls;
    const pf_str none = {NULL, 0};
    const uint32_t texts[] = {c->file[row], 0, c->function[row], c->code[row]};
    pf_status st = v->begin_array(v->ctx, none);
    for (unsigned i = 0; st == PF_OK && i < 4; i++) {
        pf_value value = {.type = PF_VALUE_STRING, .as.s = pf_tg_string(in, texts[i])};
        if (i == 1) {
            value = (pf_value){.type = PF_VALUE_INT, .as.i = c->line[row]};
        }
        value.type = (i == 1 ? c->line[row] == INT64_MIN : !value.as.s.ptr) ? PF_VALUE_NULL : value.type;
        st = v->value(v->ctx, none, &value);
    }
    return st == PF_OK ? v->end(v->ctx) : st;
}

static pf_status put_stack(const tg_input *in, uint32_t row, const pf_arg_visitor *v)
{
    pf_status st = v->begin_array(v->ctx, PF_STR("tb"));
    for (; st == PF_OK && row != PF_NONE; row = in->calls.caller[row]) {
        st = put_frame(in, row, v);
    }
    return st == PF_OK ? v->end(v->ctx) : st;
}

/* The members that the note of a slice gives. */
static pf_status put_note(const tg_timeline *l, const tg_slice *s, uint32_t note, const pf_arg_visitor *v)
{
    const tg_notes *n = &l->in->notes;
    int64_t bytes = n->bytes[note];
    if (bytes != INT64_MIN) {
        pf_status st = put_whole(v, PF_STR("B/s"), pf_tg_rate(l, s, (double)bytes));
        return st == PF_OK ? v->value(v->ctx, PF_STR("B"), &(pf_value){.type = PF_VALUE_INT, .as.i = bytes}) : st;
    }
    if (n->returned[note]) {
        return put_text(v, PF_STR("metadata"), pf_tg_string(l->in, n->returned[note]));
    }
    return n->stack[note] != PF_NONE ? put_stack(l->in, n->stack[note], v) : PF_OK;
}

static pf_status put_object(const tg_timeline *l, const tg_slice *s, pf_str key, const pf_arg_visitor *v, pf_error *err)
{
    const tg_notes *n = &l->in->notes;
    uint32_t note = n->count ? pf_tg_find(n->event, n->count, s->event) : PF_NONE;
    pf_str text = note == PF_NONE ? (pf_str){NULL, 0} : pf_tg_string(l->in, n->returned[note]);
    pf_status st;
    if (text.ptr && starts_as_json(text) && put_json(text, key, v, &st, err)) {
        return st;
    }
    st = v->begin_object(v->ctx, key);
    if (st == PF_OK && s->estimate && s->run != PF_NONE) {
        st = put_rates(l, s, v);
    } else if (st == PF_OK && note != PF_NONE) {
        st = put_note(l, s, note, v);
    }
    return st == PF_OK ? v->end(v->ctx) : st;
}

pf_status pf_tg_visit_annotation(const tg_timeline *l, const tg_slice *s, pf_str key, const pf_arg_visitor *v,
                                 pf_error *err)
{
    return l->in->generation == TG_DEC25 ? put_lines(l, s, key, v) : put_object(l, s, key, v, err);
}
