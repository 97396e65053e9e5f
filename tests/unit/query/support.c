#include "support.h"

#include <string.h>

#include "base/text/number.h"

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static pf_status int_arg(const pf_arg_visitor *v, pf_str key, int64_t n)
{
    return v->value(v->ctx, key, &(pf_value){.type = PF_VALUE_INT, .as.i = n});
}

static pf_status text_arg(const pf_arg_visitor *v, pf_str key, pf_str text)
{
    return v->value(v->ctx, key, &(pf_value){.type = PF_VALUE_STRING, .as.s = text});
}

static const pf_str NO_KEY = {NULL, 0};

/* A list of one number, or of two. */
static void int_list(const pf_arg_visitor *v, pf_str key, int64_t first, int64_t second)
{
    v->begin(v->ctx, key, true);
    int_arg(v, NO_KEY, first);
    if (second) {
        int_arg(v, NO_KEY, second);
    }
    v->end(v->ctx);
}

static void nested(const pf_arg_visitor *v)
{
    int_arg(v, PF_STR("args.x"), 1);
    v->begin(v->ctx, PF_STR("args.l"), true);
    int_arg(v, NO_KEY, 1);
    v->value(v->ctx, NO_KEY, &(pf_value){.type = PF_VALUE_NULL}); /* takes no index */
    v->begin(v->ctx, NO_KEY, false);
    v->value(v->ctx, PF_STR("q"), &(pf_value){.type = PF_VALUE_REAL, .as.d = 2.5});
    v->end(v->ctx);
    v->begin(v->ctx, NO_KEY, false); /* produces nothing, but takes an index in JSON */
    v->end(v->ctx);
    v->begin(v->ctx, NO_KEY, true);
    int_arg(v, NO_KEY, 3);
    v->end(v->ctx);
    v->end(v->ctx);
    v->value(v->ctx, PF_STR("args.n"), &(pf_value){.type = PF_VALUE_NULL});
    v->begin(v->ctx, PF_STR("args.o"), false);
    text_arg(v, PF_STR("p"), PF_STR("s"));
    v->value(v->ctx, PF_STR("b"), &(pf_value){.type = PF_VALUE_BOOL, .as.b = true});
    v->end(v->ctx);
}

/* The first byte is a case number. */
static pf_status decode(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context, const pf_arg_visitor *v,
                        pf_error *err)
{
    switch (bytes[0]) {
    case 1:
        nested(v);
        break;
    case 2:
        int_arg(v, PF_STR("args.x"), 1);
        break;
    case 3: /* begin of x */
        v->begin(v->ctx, PF_STR("args.arr"), true);
        int_arg(v, NO_KEY, 1);
        int_arg(v, NO_KEY, 2);
        v->end(v->ctx);
        int_arg(v, PF_STR("args.k"), 1);
        break;
    case 4: /* end of x */
        v->begin(v->ctx, PF_STR("args.arr"), true);
        int_arg(v, NO_KEY, 3);
        v->end(v->ctx);
        int_arg(v, PF_STR("args.k"), 2);
        text_arg(v, PF_STR("args.j"), PF_STR("z"));
        break;
    case 5:
        v->value(v->ctx, PF_STR("debug.u"), &(pf_value){.type = PF_VALUE_UINT, .as.u = UINT64_MAX});
        break;
    case 6: /* every type */
        v->value(v->ctx, PF_STR("debug.p"), &(pf_value){.type = PF_VALUE_POINTER, .as.u = 0xabc});
        v->value(v->ctx, PF_STR("debug.j"), &(pf_value){.type = PF_VALUE_JSON, .as.s = PF_STR("{}")});
        v->value(v->ctx, PF_STR("debug.f"), &(pf_value){.type = PF_VALUE_BOOL, .as.b = false});
        v->value(v->ctx, PF_STR("debug.n"), &(pf_value){.type = PF_VALUE_NULL});
        v->value(v->ctx, PF_STR("event.empty"), &(pf_value){.type = PF_VALUE_NULL});
        break;
    case 7: /* empty lists that take an index, and that do not */
        v->begin(v->ctx, PF_STR("debug.l"), true);
        v->begin(v->ctx, PF_STR(""), true);
        v->end(v->ctx);
        v->begin(v->ctx, PF_STR(""), false);
        v->end(v->ctx);
        v->begin(v->ctx, NO_KEY, true);
        v->end(v->ctx);
        int_arg(v, NO_KEY, 9);
        v->end(v->ctx);
        break;
    case 8: /* lists that are no annotations, of a begin */
        int_list(v, PF_STR("gpu.ids"), 1, 2);
        int_list(v, PF_STR("gpu.waits"), 7, 0);
        break;
    case 9: /* and of its end */
        int_list(v, PF_STR("gpu.ids"), 3, 0);
        int_list(v, PF_STR("gpu.waits"), 8, 9);
        break;
    default:
        return PF_OK;
    }
    return PF_OK;
}

void add_args(pf_trace *t, uint8_t number)
{
    unsigned decoder = pf_trace_add_decoder(t, decode, NULL);
    cr_assert_eq(pf_trace_add_args(t, &number, 1, decoder, 0, true, NULL), PF_OK);
}

/* ---- the trace --------------------------------------------------------------------------------------------------- */

uint32_t add_text(pf_trace *t, const char *text)
{
    return text ? pf_strings_add(&t->strings, text, strlen(text), NULL) : 0;
}

static uint32_t add_thread(pf_trace *t, int64_t pid, int64_t tid)
{
    const pf_ident p = {PF_ID_INT, PF_ID_INT, pid, 0}, i = {PF_ID_INT, PF_ID_INT, tid, 0};
    return pf_trace_thread(t, pf_trace_process(t, &p, NULL), &i, NULL);
}

uint32_t add_thread_track(pf_trace *t, int64_t pid, int64_t tid)
{
    return pf_trace_thread_track(t, add_thread(t, pid, tid), NULL);
}

static uint32_t add_track(pf_trace *t, pf_track_type type, const char *name, uint32_t upid, uint32_t parent,
                          uint64_t uuid)
{
    const pf_track_row row = {.type = type,
                              .name = add_text(t, name),
                              .upid = upid,
                              .utid = PF_NONE,
                              .parent = parent,
                              .group = PF_NONE,
                              .uuid = uuid,
                              .unit = type == PF_TRACK_PROCESS_COUNTER ? add_text(t, "C") : 0};
    return pf_trace_add_track(t, &row, NULL);
}

void add_event(pf_trace *t, uint32_t track, char phase, int64_t ts, int64_t dur, const char *name, const char *category)
{
    const pf_event e = {.ts = ts,
                        .dur = dur,
                        .phase = (uint8_t)phase,
                        .track = track,
                        .name = add_text(t, name),
                        .category = add_text(t, category)};
    cr_assert_eq(pf_trace_add_event(t, &e, NULL), PF_OK);
}

static pf_trace *hand_trace(void)
{
    pf_error err;
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    cr_assert_not_null(t);
    uint32_t main = add_thread(t, 10, 10), worker = add_thread(t, 10, 11);
    add_thread(t, 20, 20);
    uint32_t upid = t->threads.upid[main];
    t->processes.name[upid] = add_text(t, "proc");
    t->threads.name[worker] = add_text(t, "thr");
    uint32_t k11 = pf_trace_thread_track(t, worker, NULL), k10 = pf_trace_thread_track(t, main, NULL);
    uint32_t root = add_track(t, PF_TRACK_GLOBAL_EVENT, "root", PF_NONE, PF_NONE, 7);
    uint32_t leaf = add_track(t, PF_TRACK_GLOBAL_EVENT, "leaf", PF_NONE, root, 8);
    add_track(t, PF_TRACK_GLOBAL_EVENT, "unused", PF_NONE, PF_NONE, 9);
    uint32_t temp = add_track(t, PF_TRACK_PROCESS_COUNTER, "temp", upid, PF_NONE, 6);
    add_event(t, k11, 'X', 10, 20, "a", "c1");
    add_args(t, 1);
    add_event(t, k11, 'X', 12, 5, "b", NULL);
    add_event(t, k10, 'B', 12, 0, "x", NULL);
    add_args(t, 3);
    add_event(t, k10, 'E', 13, 0, "x", NULL);
    add_args(t, 4);
    add_event(t, k11, 'i', 14, 0, "i", NULL);
    add_event(t, k11, 'X', 18, 5, "b", NULL);
    add_args(t, 2);
    add_event(t, leaf, 'B', 40, 0, "g", NULL);
    add_args(t, 5);
    const double values[] = {1.5, 2.5, 2.5};
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(pf_trace_add_sample(t, 5 + 10 * i, values[i], temp, PF_NONE, NULL), PF_OK);
    }
    pf_trace_count(t, PF_STAT_JSON_PARSER_FAILURE, 77);
    cr_assert_eq(pf_trace_add_metadata(t, PF_STR("trace_type"), PF_STR("json"), 0, NULL), PF_OK);
    cr_assert_eq(pf_trace_add_metadata(t, PF_STR("answer"), (pf_str){NULL, 0}, 42, NULL), PF_OK);
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    return t;
}

session open_session(void)
{
    session s = {.t = hand_trace()};
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK, "%s", s.err.text);
    return s;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static pf_buffer answer;

void close_session(session *s)
{
    pf_query_free(s->q);
    pf_trace_free(s->t);
    pf_buffer_free(&answer);
}

static pf_status take_names(void *ctx, size_t count, const pf_str *names)
{
    answer.len = 0;
    for (size_t i = 0; i < count; i++) {
        pf_buffer_text(&answer, i ? "|" : "");
        pf_buffer_put(&answer, names[i].ptr, names[i].len);
    }
    pf_buffer_text(&answer, "\n");
    return PF_OK;
}

static pf_status take_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    char number[PF_NUMBER_MAX];
    for (size_t i = 0; i < count; i++) {
        pf_buffer_text(&answer, i ? "|" : "");
        switch (cells[i].type) {
        case PF_VALUE_INT:
            pf_buffer_format(&answer, "%lld", (long long)cells[i].as.i);
            break;
        case PF_VALUE_REAL:
            pf_buffer_put(&answer, number, pf_format_real(cells[i].as.d, number));
            break;
        case PF_VALUE_STRING:
            pf_buffer_put(&answer, cells[i].as.s.ptr, cells[i].as.s.len);
            break;
        default:
            pf_buffer_text(&answer, "-");
            break;
        }
    }
    pf_buffer_text(&answer, "\n");
    return PF_OK;
}

const char *ask(session *s, const char *sql)
{
    const pf_query_sink sink = {NULL, take_names, take_row};
    answer.len = 0;
    s->err = (pf_error){0};
    pf_status st = pf_query_run(s->q, (pf_str){sql, strlen(sql)}, &sink, &s->err);
    if (st != PF_OK) {
        answer.len = 0;
        pf_buffer_format(&answer, "error %d %lld", (int)st, (long long)s->err.offset);
    }
    pf_buffer_put(&answer, "", 1);
    return answer.data;
}

const char *rows_of(session *s, const char *sql)
{
    const char *text = ask(s, sql), *line = strchr(text, '\n');
    return line ? line + 1 : text;
}
