/* See support.h. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

uint8_t slop_byte = '"';

pf_trace *load_bytes(const char *text, size_t len, const pf_read_options *o, size_t step, pf_status *st)
{
    pf_read_options options = o ? *o : pf_read_options_default();
    pf_error err = {0};
    pf_trace *t = pf_trace_new(&options.limits, options.want, &err);
    cr_assert_not_null(t);
    uint8_t *bytes = pf_arena_alloc(&t->arena, len + PF_SLOP);
    pf_input *input = pf_arena_alloc(&t->arena, sizeof *input);
    t->files = pf_arena_alloc(&t->arena, sizeof *t->files);
    cr_assert(bytes && input && t->files);
    memcpy(bytes, text, len);
    memset(bytes + len, slop_byte, PF_SLOP);
    *input = (pf_input){.path = "test", .stored = bytes, .stored_bytes = len};
    memset(t->files, 0, sizeof *t->files);
    t->inputs = input;
    t->input_count = 1;
    pf_status result = PF_OK;
    pf_reading r = {.t = t, .input = input, .o = &options};
    r.again = options.dialect ? pf_dialect_named(options.dialect) : NULL;
    do {
        r.dialect = r.again;
        r.again = NULL;
        cr_assert_eq(pf_source_open(&r.source, t, input, &options, &err), PF_OK);
        if (step) {
            pf_source_set_step(r.source, step);
        }
        result = pf_source_more(r.source, 0, &r.first, &err);
        if (result == PF_OK) {
            result = pf_reader_chrome_json.read(&r, &err);
        }
        pf_source_close(r.source);
        if (result == PF_OK && r.again) {
            cr_assert_null(r.dialect, "a dialect that is known asks again");
            cr_assert_eq(pf_trace_restart(t, &err), PF_OK);
        }
    } while (result == PF_OK && r.again);
    if (result == PF_OK) {
        result = pf_trace_finish(t, &err);
    }
    if (st) {
        *st = result;
    } else {
        cr_assert_eq(result, PF_OK, "%s", err.text);
    }
    return t;
}

pf_trace *load(const char *text)
{
    return load_bytes(text, strlen(text), NULL, 0, NULL);
}

pf_trace *load_aie(const char *text)
{
    pf_read_options o = pf_read_options_default();
    o.dialect = "aie";
    return load_bytes(text, strlen(text), &o, 0, NULL);
}

/* ---- description ------------------------------------------------------------------------------------------------- */

static void put_str(pf_buffer *b, pf_str s)
{
    if (s.ptr) {
        pf_buffer_put(b, s.ptr, s.len);
    } else {
        pf_buffer_text(b, "-");
    }
}

static pf_status begin(void *ctx, pf_str key, bool list)
{
    pf_buffer_text(ctx, list ? " [" : " {");
    put_str(ctx, key);
    return PF_OK;
}

static pf_status end(void *ctx)
{
    pf_buffer_text(ctx, " end");
    return PF_OK;
}

static pf_status value(void *ctx, pf_str key, const pf_value *v)
{
    pf_buffer *b = ctx;
    pf_buffer_text(b, " ");
    put_str(b, key);
    switch (v->type) {
    case PF_VALUE_NULL:
        pf_buffer_text(b, "=null");
        break;
    case PF_VALUE_BOOL:
        pf_buffer_text(b, v->as.b ? "=true" : "=false");
        break;
    case PF_VALUE_INT:
        pf_buffer_format(b, "=%lld", (long long)v->as.i);
        break;
    case PF_VALUE_REAL:
        pf_buffer_format(b, "=%g real", v->as.d);
        break;
    case PF_VALUE_STRING:
        pf_buffer_text(b, "='");
        put_str(b, v->as.s);
        pf_buffer_text(b, "'");
        break;
    default:
        cr_assert_fail("JSON has no value of type %d", v->type);
    }
    return PF_OK;
}

void describe_args(const pf_trace *t, uint32_t row, pf_buffer *out)
{
    const pf_arg_visitor v = {out, begin, end, value, false};
    pf_error err = {0};
    cr_assert_eq(pf_trace_visit_args(t, row, &v, &err), PF_OK);
}

static void describe_events(const pf_trace *t, pf_buffer *out)
{
    const pf_events *e = pf_trace_events(t);
    for (uint32_t i = 0; i < e->count; i++) {
        pf_buffer_format(out, "%02x %lld %lld ", e->phase[i], (long long)e->ts[i],
                         (long long)(e->phase[i] == 'X' ? e->dur[i] : 0));
        put_str(out, pf_trace_string(t, e->name[i]));
        pf_buffer_text(out, " ");
        put_str(out, pf_trace_string(t, e->category ? e->category[i] : 0));
        pf_buffer_format(out, " track %u offset %lld", e->track[i], (long long)pf_trace_event_offset(t, i));
        describe_args(t, i, out);
        pf_buffer_text(out, "\n");
    }
}

void describe_trace(const pf_trace *t, pf_buffer *out)
{
    pf_buffer_format(out, "unit %d dialect %s\n", pf_trace_time_unit(t), pf_trace_dialect(t));
    describe_events(t, out);
    const pf_counters *c = pf_trace_counters(t);
    for (uint32_t i = 0; i < c->count; i++) {
        pf_buffer_format(out, "sample %lld %g track %u event %u\n", (long long)c->ts[i], c->value[i], c->track[i],
                         c->event[i]);
    }
    const pf_tracks *k = pf_trace_tracks(t);
    for (uint32_t i = 0; i < k->count; i++) {
        pf_buffer_format(out, "track %u type %u upid %u utid %u ", i, k->type[i], k->upid[i], k->utid[i]);
        put_str(out, pf_trace_string(t, k->name[i]));
        pf_buffer_text(out, "\n");
    }
    const pf_processes *p = pf_trace_processes(t);
    for (uint32_t i = 0; i < p->count; i++) {
        pf_buffer_format(out, "process %u pid %lld kind %u ", i, (long long)p->pid[i], p->kind[i]);
        put_str(out, pf_trace_string(t, p->name[i]));
        pf_buffer_text(out, "\n");
    }
    const pf_metadata *m = pf_trace_metadata(t);
    for (uint32_t i = 0; i < m->count; i++) {
        put_str(out, pf_trace_string(t, m->name[i]));
        pf_buffer_format(out, "=%lld ", (long long)m->number[i]);
        put_str(out, pf_trace_string(t, m->text[i]));
        pf_buffer_text(out, "\n");
    }
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        pf_stat s = pf_trace_stat(t, i);
        if (s.count) {
            pf_buffer_format(out, "%s %llu at %lld\n", s.name, (unsigned long long)s.count, (long long)s.first_offset);
        }
    }
    cr_assert_not(out->failed);
}

/* ---- single facts ------------------------------------------------------------------------------------------------ */

uint64_t stat_of(const pf_trace *t, pf_stat_id id)
{
    return t->stat_count[id];
}

uint64_t stat_offset_of(const pf_trace *t, pf_stat_id id)
{
    return t->stat_offset[id];
}

int64_t ts_of(const pf_trace *t, uint32_t row)
{
    cr_assert_lt(row, pf_trace_events(t)->count);
    return pf_trace_events(t)->ts[row];
}

bool string_is(const pf_trace *t, uint32_t id, const char *text)
{
    pf_str s = pf_trace_string(t, id);
    return s.ptr && s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0;
}

bool event_named(const pf_trace *t, uint32_t row, const char *name)
{
    return row < pf_trace_events(t)->count && string_is(t, pf_trace_events(t)->name[row], name);
}

uint32_t upid_of(const pf_trace *t, uint32_t row)
{
    return pf_trace_tracks(t)->upid[pf_trace_events(t)->track[row]];
}

uint32_t utid_of(const pf_trace *t, uint32_t row)
{
    return pf_trace_tracks(t)->utid[pf_trace_events(t)->track[row]];
}

uint64_t expect_names(const char *text, const char *const *names, size_t count, pf_stat_id id)
{
    pf_trace *t = load(text);
    cr_expect_eq(pf_trace_events(t)->count, count, "%u events of: %.200s", pf_trace_events(t)->count, text);
    for (uint32_t i = 0; i < count; i++) {
        cr_expect(event_named(t, i, names[i]), "event %u is not %s", i, names[i]);
    }
    uint64_t n = stat_of(t, id);
    pf_trace_free(t);
    return n;
}
