/* analyze/tinygrad/timeline/tg_annotation.c - what the viewer says about a slice besides its name: rates of a kernel,
 * bytes of a copy, what the traced call returned, or where it was called.
 *
 * The first generation writes lines of text, later ones an object. */
#include <math.h>
#include <stdio.h>

#include "analyze/tinygrad/timeline/tg_timeline.h"
#include "base/budget.h"
#include "base/buffer.h"
#include "base/str.h"
#include "base/text/number.h"

static const double largest_int = 9e18;

/* A rate as an integer, towards zero; as its digits where 64 bits do not hold it. */
static void put_whole(tg_json *j, pf_str key, double rate)
{
    char digits[PF_FIXED_MAX];
    pf_value value = {.type = PF_VALUE_INT};
    if (rate < largest_int && rate > -largest_int) {
        value.as.i = (int64_t)rate;
    } else {
        value.spelling = (pf_str){digits, pf_format_real_fixed(rate, 0, digits)};
    }
    pf_tg_put(j, key, value);
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
        if (!isnan(rate)) { /* "7 GFLOPS": giga below `from`, tera from there on */
            char digits[PF_FIXED_MAX];
            bool large = !(rate < units[i].from);
            size_t len = pf_format_real_fixed(rate * (large ? 1e-12 : 1e-9), 0, digits);
            int printed =
                snprintf(text + n, room - n, "%.*s%s", (int)len, digits, large ? units[i].tera : units[i].giga);
            n += (size_t)printed < room - n ? (size_t)printed : room - n - 1;
        }
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

/* What the mid-2026 viewer says of the operations: it joins their names and one more word, which may be empty. */
static void put_operations(tg_json *j, const tg_timeline *l, const tg_slice *s)
{
    pf_str operations = pf_tg_string(l->in, l->in->runs.metadata[s->run]);
    if (l->in->generation != TG_MID26 || !operations.len) {
        return;
    }
    pf_buffer text = {0};
    pf_buffer_put(&text, operations.ptr, operations.len);
    pf_buffer_text(&text, l->in->events.kind[s->event] == l->in->kinds.entry ? ",batched" : ",");
    if (text.failed) {
        j->status = pf_no_memory(j->err);
    }
    pf_tg_put_text(j, "metadata", (pf_str){text.data, text.len});
    pf_buffer_free(&text);
}

static void put_rates(tg_json *j, const tg_timeline *l, const tg_slice *s)
{
    static const pf_str keys[TG_AMOUNTS] = {{"FLOPS", 5}, {"B/s mem", 7}, {"B/s lds", 7}};
    for (tg_amount i = TG_OPS; i < TG_AMOUNTS; i++) {
        double rate = pf_tg_rate(l, s, pf_tg_amount(l, s, i));
        if (isnan(rate)) {
            pf_tg_put(j, keys[i], (pf_value){.type = PF_VALUE_STRING, .as.s = PF_STR("ERR")});
        } else {
            put_whole(j, keys[i], rate);
        }
    }
    put_operations(j, l, s);
}

/* A text after "JSON" replaces the whole annotation, if it is JSON. */
static bool put_json(tg_json *j, const char *key, pf_str text)
{
    pf_document *d = NULL;
    pf_error why = {.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
    if (!pf_str_starts(text, PF_STR("JSON{"))) {
        return false;
    }
    pf_str json = pf_str_from(text, 4);
    pf_status st = pf_json_parse(json, NULL, &d, &why);
    pf_document_free(d);
    if (st == PF_ERR_MEMORY) {
        j->status = pf_fail(j->err, why.code, "%s", why.text);
    } else if (st == PF_OK) {
        pf_tg_put(j, key ? pf_str_of(key) : (pf_str){NULL, 0}, (pf_value){.type = PF_VALUE_JSON, .as.s = json});
    }
    return st == PF_OK || st == PF_ERR_MEMORY;
}

/* The frames as (file, line, function, code), the innermost first. */
static void put_stack(tg_json *j, const tg_input *in, uint32_t row)
{
    const tg_calls *c = &in->calls;
    pf_tg_begin_list(j, "tb");
    for (; j->status == PF_OK && row != PF_NONE; row = c->caller[row]) {
        const uint32_t texts[] = {c->file[row], c->function[row], c->code[row]};
        pf_tg_begin_list(j, NULL);
        for (int i = 0; i < 3; i++) {
            pf_str text = pf_tg_string(in, texts[i]);
            pf_tg_put(j, (pf_str){NULL, 0},
                      (pf_value){.type = text.ptr ? PF_VALUE_STRING : PF_VALUE_NULL, .as.s = text});
            if (i == 0) {
                pf_tg_put_int(j, NULL, c->line[row]);
            }
        }
        pf_tg_end(j);
    }
    pf_tg_end(j);
}

/* The members that the note of a slice gives. */
static void put_note(tg_json *j, const tg_timeline *l, const tg_slice *s, uint32_t note)
{
    const tg_notes *n = &l->in->notes;
    int64_t bytes = n->bytes[note];
    if (bytes != INT64_MIN) {
        put_whole(j, PF_STR("B/s"), pf_tg_rate(l, s, (double)bytes));
        pf_tg_put_int(j, "B", bytes);
    } else if (n->returned[note]) {
        pf_tg_put_text(j, "metadata", pf_tg_string(l->in, n->returned[note]));
    } else if (n->stack[note] != PF_NONE) {
        put_stack(j, l->in, n->stack[note]);
    }
}

static void put_object(tg_json *j, const tg_timeline *l, const tg_slice *s, const char *key)
{
    const tg_notes *n = &l->in->notes;
    uint32_t note = pf_tg_find(n->event, n->count, s->event);
    if (note != PF_NONE && put_json(j, key, pf_tg_string(l->in, n->returned[note]))) {
        return;
    }
    pf_tg_begin_object(j, key);
    if (s->estimate && s->run != PF_NONE) {
        put_rates(j, l, s);
    } else if (note != PF_NONE) {
        put_note(j, l, s, note);
    }
    pf_tg_end(j);
}

void pf_tg_put_annotation(tg_json *j, const tg_timeline *l, const tg_slice *s, const char *key)
{
    char text[PF_TG_ANNOTATION_MAX];
    if (l->in->generation == TG_DEC25) {
        pf_tg_put_text(j, key, (pf_str){text, pf_tg_print_annotation(l, s, text)});
    } else {
        put_object(j, l, s, key);
    }
}
