/* read/tinygrad/timeline/tiny_slice_args.c - the arguments of a slice, from the side tables: the exact length, the name
 * as written, the execution and its operations, bytes and rate of a copy, what the traced call returned, and the call
 * stack. Rates and bytes are called as in the viewer. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "read/tinygrad/hardware/hardware.h"
#include "read/tinygrad/timeline/tiny_timeline.h"

enum { STACK_MAX = 64 };

typedef struct args {
    const pf_trace *t;
    const pf_arg_visitor *v;
    const pf_side_table *event, *value, *item;
    uint32_t row;
    pf_status st;
} args;

static void put(args *a, const char *key, const pf_value *value)
{
    a->st = a->st == PF_OK ? a->v->value(a->v->ctx, (pf_str){key, strlen(key)}, value) : a->st;
}

static void put_int(args *a, const char *key, int64_t v)
{
    put(a, key, &(pf_value){.type = PF_VALUE_INT, .as.i = v});
}

static void put_text(args *a, const char *key, pf_str text)
{
    if (text.ptr) {
        put(a, key, &(pf_value){.type = PF_VALUE_STRING, .as.s = text});
    }
}

static pf_str string(const args *a, const pf_side_table *s, unsigned column, uint32_t row)
{
    return pf_trace_string(a->t, *pf_side_ref(s, column, row));
}

/* The row of a table whose first column, events, ascends; PF_NONE. */
static uint32_t find(const pf_side_table *s, uint32_t event)
{
    const uint32_t *rows = s && s->count ? s->column[0] : NULL;
    uint32_t i = rows ? pf_rows_lower_bound(rows, s->count, event) : 0;
    return rows && i < s->count && rows[i] == event ? i : PF_NONE;
}

/* ---- values (pickle/pickle_values.h), by the columns of their tables --------------------------------------------- */

enum { VALUE_TYPE = 0, VALUE_NUMBER, VALUE_TEXT, VALUE_FIRST };
enum { ITEM_KEY = 0, ITEM_VALUE, ITEM_NEXT };

static bool is_type(const args *a, uint32_t value, const char *type)
{
    return value < a->value->count && pf_tiny_is(string(a, a->value, VALUE_TYPE, value), type);
}

static uint32_t first_of(const args *a, uint32_t value)
{
    return value < a->value->count ? *pf_side_ref(a->value, VALUE_FIRST, value) : PF_NONE;
}

/* (file, line, function, code) as "file:line function". */
static void put_frame(args *a, uint32_t frame)
{
    char text[1024];
    size_t n = 0;
    uint32_t i = first_of(a, frame);
    for (unsigned part = 0; part < 3 && i < a->item->count; part++, i = *pf_side_ref(a->item, ITEM_NEXT, i)) {
        uint32_t value = *pf_side_ref(a->item, ITEM_VALUE, i);
        pf_str s = is_type(a, value, "text") ? string(a, a->value, VALUE_TEXT, value) : PF_STR("");
        size_t len = s.len < 480 ? s.len : 480;
        bool number = is_type(a, value, "int");
        memcpy(text + n, s.ptr ? s.ptr : "", len);
        n += len;
        if (number) {
            text[n++] = ':';
            n += (size_t)snprintf(text + n, 24, "%lld", (long long)*pf_side_number(a->value, VALUE_NUMBER, value));
            text[n++] = ' ';
        }
    }
    const pf_value shown = {.type = PF_VALUE_STRING, .as.s = {text, n}};
    a->st = a->st == PF_OK ? a->v->value(a->v->ctx, (pf_str){NULL, 0}, &shown) : a->st;
}

static void put_stack(args *a, uint32_t stack)
{
    uint32_t i = first_of(a, stack);
    if (i >= a->item->count || a->st != PF_OK) {
        return;
    }
    a->st = a->v->begin_array(a->v->ctx, PF_STR("debug.stack"));
    for (unsigned n = 0; a->st == PF_OK && n < STACK_MAX && i < a->item->count; n++) {
        put_frame(a, *pf_side_ref(a->item, ITEM_VALUE, i));
        i = *pf_side_ref(a->item, ITEM_NEXT, i);
    }
    a->st = a->st == PF_OK ? a->v->end(a->v->ctx) : a->st;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void put_returned(args *a, uint32_t value, double us)
{
    if (is_type(a, value, "int") && *pf_side_ref(a->value, VALUE_TEXT, value) == 0) {
        int64_t bytes = *pf_side_number(a->value, VALUE_NUMBER, value);
        double rate = us > 0 ? (double)bytes / (us * 1e-6) : 0;
        put_int(a, "debug.B", bytes);
        put_int(a, "debug.B/s", rate < 9e18 && rate > -9e18 ? (int64_t)rate : INT64_MAX);
    } else if (is_type(a, value, "text")) {
        put_text(a, "debug.metadata", string(a, a->value, VALUE_TEXT, value));
    }
}

static void put_note(args *a, double us)
{
    const pf_side_table *s = pf_trace_table(a->t, "tinygrad_note");
    uint32_t row = find(s, a->row);
    if (row != PF_NONE) {
        put_returned(a, *pf_side_ref(s, NOTE_RETURNED, row), us);
        put_text(a, "debug.profile_key", string(a, s, NOTE_KEY, row));
        put_stack(a, *pf_side_ref(s, NOTE_STACK, row));
    }
}

static void put_run(args *a)
{
    const pf_side_table *s = pf_trace_table(a->t, "tinygrad_execution"), *runs = pf_trace_table(a->t, "tinygrad_run");
    uint32_t row = find(s, a->row);
    uint32_t run = row == PF_NONE ? PF_NONE : *pf_side_ref(s, EXECUTION_RUN, row);
    if (run != PF_NONE) {
        int64_t key = *pf_side_number(runs, RUN_KEY, run);
        if (key != INT64_MIN) {
            put_int(a, "debug.run", key);
        }
        put_text(a, "debug.operations", string(a, runs, RUN_METADATA, run));
    }
}

/* What the device counted in the kernel. */
static void put_counters(args *a)
{
    const pf_side_table *records = pf_trace_table(a->t, "tinygrad_record"), *s = pf_trace_table(a->t, "tinygrad_pmc");
    uint32_t row = find(records, a->row);
    char key[128];
    for (; row != PF_NONE && row < records->count && *pf_side_ref(records, RECORD_KERNEL, row) == a->row; row++) {
        uint32_t i = find(s, *pf_side_ref(records, RECORD_EVENT, row));
        for (;
             i != PF_NONE && i < s->count && *pf_side_ref(s, PMC_EVENT, i) == *pf_side_ref(records, RECORD_EVENT, row);
             i++) {
            pf_str name = string(a, s, PMC_NAME, i), digits = string(a, s, PMC_SUM_DIGITS, i);
            snprintf(key, sizeof key, "debug.%.*s", (int)(name.len < 100 ? name.len : 100), name.ptr ? name.ptr : "");
            if (digits.len) {
                put_text(a, key, digits);
            } else {
                put_int(a, key, *pf_side_number(s, PMC_SUM, i));
            }
        }
    }
}

static void put_name(args *a)
{
    pf_str name = string(a, a->event, EVENT_NAME, a->row);
    if (name.ptr && memchr(name.ptr, '\x1b', name.len)) {
        put_text(a, "debug.name", name);
    }
}

static void put_marker(args *a)
{
    const pf_side_table *s = pf_trace_table(a->t, "tinygrad_marker");
    uint32_t row = find(s, a->row);
    if (row != PF_NONE) {
        put_text(a, "debug.color", string(a, s, MARKER_COLOUR, row));
    }
}

pf_status pf_tiny_decode_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                              const pf_arg_visitor *v, pf_error *err)
{
    (void)bytes, (void)len, (void)err;
    args a = {.t = t, .v = v, .row = context};
    a.event = pf_trace_table(t, "tinygrad_event");
    a.value = pf_trace_table(t, "tinygrad_value");
    a.item = pf_trace_table(t, "tinygrad_item");
    if (!a.event || context >= a.event->count) {
        return PF_OK;
    }
    double us = *pf_side_real(a.event, EVENT_DUR, context);
    if (!isnan(us)) {
        put(&a, "debug.dur_us", &(pf_value){.type = PF_VALUE_REAL, .as.d = us});
    } else {
        put_marker(&a);
    }
    put_name(&a);
    put_run(&a);
    put_note(&a, us);
    put_counters(&a);
    return a.st;
}
