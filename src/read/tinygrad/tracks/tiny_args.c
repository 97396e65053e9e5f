/* read/tinygrad/tracks/tiny_args.c - the arguments of slices, from the side tables when somebody asks. Of a range: the
 * exact length, the name as written, the execution and its operations, bytes and rate of a copy, what the traced call
 * returned, and the call stack; rates and bytes are called as in the viewer. Of waves, issues and executions: times of
 * their stream, in cycles. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "read/tinygrad/counters/counters.h"
#include "read/tinygrad/tracks/tiny_tracks.h"

enum { STACK_MAX = 64 };

typedef struct args {
    const pf_trace *t;
    const pf_arg_visitor *v;
    uint32_t row;
    pf_status st; /* the first failure; nothing is put after it */
} args;

static void put(args *a, const char *key, const pf_value *value)
{
    const pf_str name = key ? pf_str_of(key) : (pf_str){NULL, 0};
    a->st = a->st == PF_OK ? a->v->value(a->v->ctx, name, value) : a->st;
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

/* The row of a table whose first column ascends that has this value; PF_NONE. */
static uint32_t find(const pf_side_table *s, uint32_t value)
{
    uint32_t i = s ? pf_tiny_first_of(s, 0, value) : 0;
    return s && i < s->count && *pf_side_ref(s, 0, i) == value ? i : PF_NONE;
}

/* "file:line function" */
static void put_frame(args *a, const pf_side_table *calls, uint32_t row)
{
    char text[1100];
    pf_str file = string(a, calls, CALL_FILE, row), function = string(a, calls, CALL_FUNCTION, row);
    int64_t line = *pf_side_number(calls, CALL_LINE, row);
    int len = snprintf(text, sizeof text, "%.*s:%lld %.*s", file.len < 500 ? (int)file.len : 500,
                       file.ptr ? file.ptr : "", (long long)(line == INT64_MIN ? 0 : line),
                       function.len < 500 ? (int)function.len : 500, function.ptr ? function.ptr : "");
    put_text(a, NULL, (pf_str){text, (size_t)len});
}

static void put_stack(args *a, uint32_t innermost)
{
    const pf_side_table *calls = pf_trace_table(a->t, "tinygrad_call");
    if (innermost == PF_NONE || a->st != PF_OK) {
        return;
    }
    a->st = a->v->begin(a->v->ctx, PF_STR("debug.stack"), true);
    for (unsigned n = 0; a->st == PF_OK && n < STACK_MAX && innermost != PF_NONE; n++) {
        put_frame(a, calls, innermost);
        innermost = *pf_side_ref(calls, CALL_CALLER, innermost);
    }
    a->st = a->st == PF_OK ? a->v->end(a->v->ctx) : a->st;
}

static void put_bytes(args *a, int64_t bytes, double us)
{
    if (bytes != INT64_MIN) {
        double rate = us > 0 ? (double)bytes / (us * 1e-6) : 0;
        put_int(a, "debug.B", bytes);
        put_int(a, "debug.B/s", rate < 9e18 && rate > -9e18 ? (int64_t)rate : INT64_MAX);
    }
}

static void put_note(args *a, double us)
{
    const pf_side_table *s = pf_trace_table(a->t, "tinygrad_note");
    uint32_t row = find(s, a->row);
    if (row != PF_NONE) {
        put_bytes(a, *pf_side_number(s, NOTE_BYTES, row), us);
        put_text(a, "debug.metadata", string(a, s, NOTE_TEXT, row));
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

/* The counters of an event. */
static void put_event_counters(args *a, uint32_t event)
{
    const pf_side_table *s = pf_trace_table(a->t, "tinygrad_pmc");
    char key[128];
    for (uint32_t i = find(s, event); i != PF_NONE && i < s->count && *pf_side_ref(s, PMC_EVENT, i) == event; i++) {
        pf_str name = string(a, s, PMC_NAME, i), digits = string(a, s, PMC_SUM_DIGITS, i);
        snprintf(key, sizeof key, "debug.%.*s", (int)(name.len < 100 ? name.len : 100), name.ptr ? name.ptr : "");
        if (digits.len) {
            put_text(a, key, digits);
        } else {
            put_int(a, key, *pf_side_number(s, PMC_SUM, i));
        }
    }
}

/* Samples of a kernel by reason. */
typedef struct sample_sums {
    uint32_t count, reason[PF_PMA_REASONS]; /* string ids */
    int64_t samples[PF_PMA_REASONS];
} sample_sums;

static void add_event_samples(const args *a, uint32_t event, sample_sums *sums)
{
    const pf_side_table *s = pf_trace_table(a->t, "tinygrad_pma_stall");
    uint32_t stream = find(pf_trace_table(a->t, "tinygrad_pma"), event);
    for (uint32_t i = stream == PF_NONE ? PF_NONE : find(s, stream);
         i != PF_NONE && i < s->count && *pf_side_ref(s, STALL_STREAM, i) == stream; i++) {
        uint32_t reason = *pf_side_ref(s, STALL_REASON, i), k = 0;
        while (k < sums->count && sums->reason[k] != reason) {
            k++;
        }
        assert(k < PF_PMA_REASONS); /* the reader knows no others */
        sums->count += k == sums->count;
        sums->reason[k] = reason;
        sums->samples[k] += *pf_side_number(s, STALL_SAMPLES, i);
    }
}

/* What the device recorded of a kernel. */
static void put_records(args *a)
{
    const pf_side_table *records = pf_trace_table(a->t, "tinygrad_record");
    sample_sums sums = {0};
    char key[64];
    for (uint32_t i = find(records, a->row); i != PF_NONE && i < records->count; i++) {
        if (*pf_side_ref(records, RECORD_KERNEL, i) != a->row) {
            break;
        }
        put_event_counters(a, *pf_side_ref(records, RECORD_EVENT, i));
        add_event_samples(a, *pf_side_ref(records, RECORD_EVENT, i), &sums);
    }
    for (uint32_t k = 0; k < sums.count; k++) {
        snprintf(key, sizeof key, "debug.samples_%s", pf_trace_string(a->t, sums.reason[k]).ptr);
        put_int(a, key, sums.samples[k]);
    }
}

pf_status pf_tiny_decode_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                              const pf_arg_visitor *v, pf_error *err)
{
    args a = {.t = t, .v = v, .row = context};
    const pf_side_table *events = pf_trace_table(t, "tinygrad_event");
    if (!events || context >= events->count) {
        return PF_OK;
    }
    const pf_side_table *markers = pf_trace_table(t, "tinygrad_marker");
    uint32_t marker = find(markers, context);
    double us = *pf_side_real(events, EVENT_DUR, context);
    if (!isnan(us)) {
        put(&a, "debug.dur_us", &(pf_value){.type = PF_VALUE_REAL, .as.d = us});
    } else if (marker != PF_NONE) {
        put_text(&a, "debug.color", string(&a, markers, MARKER_COLOUR, marker));
    }
    pf_str name = string(&a, events, EVENT_NAME, context);
    if (name.ptr && memchr(name.ptr, '\x1b', name.len)) {
        put_text(&a, "debug.name", name);
    }
    put_run(&a);
    put_note(&a, us);
    put_records(&a);
    return a.st;
}

/* ---- buffers ------------------------------------------------------------------------------------------------------
 */

pf_status pf_tiny_decode_buffer(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                const pf_arg_visitor *v, pf_error *err)
{
    args a = {.t = t, .v = v, .row = context};
    const pf_side_table *s = pf_trace_table(t, "tinygrad_memory");
    if (!s || context >= s->count) {
        return PF_OK;
    }
    int64_t items = pf_tiny_items(s, context);
    put_int(&a, "debug.buffer", *pf_side_number(s, MEMORY_BUFFER, context));
    put_text(&a, "debug.dtype", string(&a, s, MEMORY_DTYPE, context));
    put_int(&a, "debug.items", items);
    put_int(&a, "debug.bytes", items * *pf_side_number(s, MEMORY_ITEM_BYTES, context));
    return a.st;
}

pf_status pf_tiny_decode_wave(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                              const pf_arg_visitor *v, pf_error *err)
{
    args a = {.t = t, .v = v, .row = context};
    const pf_side_table *s = pf_trace_table(t, "tinygrad_sqtt_wave");
    const pf_side_table *traced = pf_trace_table(t, "tinygrad_sqtt_traced_wave");
    if (!s || context >= s->count) {
        return PF_OK;
    }
    int64_t start = *pf_side_number(s, WAVE_START, context);
    put_int(&a, "debug.start_cycle", start);
    put_int(&a, "debug.cycles", *pf_side_number(s, WAVE_END, context) - start);
    uint32_t row = find(traced, context); /* what the wave issued, if its unit was traced */
    if (row != PF_NONE) {
        put_int(&a, "debug.instructions", *pf_side_number(traced, TRACED_INSTRUCTIONS, row));
        put_int(&a, "debug.wait_cycles", *pf_side_number(traced, TRACED_WAIT, row));
    }
    return a.st;
}

pf_status pf_tiny_decode_slice(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                               const pf_arg_visitor *v, pf_error *err)
{
    args a = {.t = t, .v = v, .row = context};
    const pf_side_table *s = pf_trace_table(t, "tinygrad_sqtt_slice");
    if (!s || context >= s->count) {
        return PF_OK;
    }
    int64_t pc = *pf_side_number(s, SLICE_PC, context);
    put_int(&a, "debug.start_cycle", *pf_side_number(s, SLICE_START, context));
    put_int(&a, "debug.cycles", *pf_side_number(s, SLICE_LENGTH, context));
    if (pc != INT64_MIN) {
        put_int(&a, "debug.pc", pc);
    }
    return a.st;
}
