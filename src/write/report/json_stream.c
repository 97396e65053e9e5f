/* write/report/json_stream.c - a visitor that writes JSON, so that a document need not be in memory at once.
 *
 * What is visited goes into a buffer, which is handed to the file whenever it is large. Of the levels that are open
 * one byte each is kept: what closes them. */
#include "write/report/report_text.h"

#include "base/text/json_text.h"

typedef struct stream {
    pf_json_sink sink;
    pf_buffer levels;
    bool first; /* nothing was written on this level yet */
} stream;

static pf_status flush(stream *s, size_t least)
{
    PF_TRY(s->sink.out.failed || s->levels.failed ? pf_no_memory(s->sink.err) : PF_OK);
    pf_json_sink_empty(&s->sink, least);
    return s->sink.status;
}

/* What comes before a member or an item. */
static void put_key(stream *s, pf_str key)
{
    if (!s->first) {
        pf_buffer_text(&s->sink.out, ", ");
    }
    s->first = false;
    if (s->levels.len && s->levels.data[s->levels.len - 1] == '}') {
        pf_json_put_text(&s->sink.out, key.ptr ? key : PF_STR(""));
        pf_buffer_text(&s->sink.out, ": ");
    }
}

static pf_status begin(void *ctx, pf_str key, bool list)
{
    stream *s = ctx;
    put_key(s, key);
    pf_buffer_text(&s->sink.out, list ? "[" : "{");
    pf_buffer_put(&s->levels, list ? "]" : "}", 1);
    s->first = true;
    return flush(s, PF_JSON_MUCH);
}

static pf_status end(void *ctx)
{
    stream *s = ctx;
    if (s->levels.len == 0) {
        return pf_fail(s->sink.err, PF_ERR_INTERNAL, "a report ends more than it begins");
    }
    pf_buffer_put(&s->sink.out, &s->levels.data[--s->levels.len], 1);
    s->first = false;
    return flush(s, PF_JSON_MUCH);
}

static void put_value(pf_buffer *b, const pf_value *v)
{
    switch (v->type) {
    case PF_VALUE_NULL:
        pf_buffer_text(b, "null");
        break;
    case PF_VALUE_BOOL:
        pf_buffer_text(b, v->as.b ? "true" : "false");
        break;
    case PF_VALUE_INT:
        pf_buffer_int(b, v->as.i);
        break;
    case PF_VALUE_UINT:
    case PF_VALUE_POINTER:
        pf_buffer_decimal(b, v->as.u);
        break;
    case PF_VALUE_REAL:
        pf_json_put_real(b, v->as.d);
        break;
    case PF_VALUE_STRING:
        pf_json_put_text(b, v->as.s);
        break;
    case PF_VALUE_JSON:
        pf_buffer_put(b, v->as.s.ptr, v->as.s.len);
        break;
    }
}

static pf_status value(void *ctx, pf_str key, const pf_value *v)
{
    stream *s = ctx;
    put_key(s, key);
    if (v->type != PF_VALUE_JSON && v->type != PF_VALUE_STRING && v->spelling.ptr) {
        pf_buffer_put(&s->sink.out, v->spelling.ptr, v->spelling.len);
    } else {
        put_value(&s->sink.out, v);
    }
    return flush(s, PF_JSON_MUCH);
}

pf_status pf_json_stream(const pf_report *report, pf_outfile *file, pf_buffer *text, uint64_t *len, pf_error *err)
{
    stream s = {.sink = {.file = file, .err = err}, .first = true};
    const pf_arg_visitor v = {.ctx = &s, .begin = begin, .end = end, .value = value};
    pf_status st = report->visit(report->of, &v, err);
    while (st == PF_OK && s.levels.len) {
        st = end(&s);
    }
    st = st == PF_OK ? flush(&s, 1) : st;
    *len = s.sink.written + s.sink.out.len;
    if (st == PF_OK && text) {
        pf_buffer_put(text, s.sink.out.data, s.sink.out.len);
    }
    pf_buffer_free(&s.sink.out);
    pf_buffer_free(&s.levels);
    return st;
}
