/* See support.h. */
#include "support.h"

#include <string.h>

/* ---- building ---------------------------------------------------------------------------------------------------- */

void start(bytes *b)
{
    b->out = (pf_buffer){0};
    pf_writer_init(&b->w, &b->out);
}

void finish(bytes *b)
{
    pf_writer_free(&b->w);
    pf_buffer_free(&b->out);
}

void packet(bytes *b, uint64_t ts, uint64_t sequence, uint64_t flags)
{
    pf_writer_begin(&b->w, PF_F_TRACE_PACKET);
    if (ts != NONE) {
        pf_writer_varint(&b->w, PF_F_PACKET_TIMESTAMP, ts);
    }
    if (sequence != NONE) {
        pf_writer_varint(&b->w, PF_F_PACKET_SEQUENCE_ID, sequence);
    }
    if (flags != NONE) {
        pf_writer_varint(&b->w, PF_F_PACKET_SEQUENCE_FLAGS, flags);
    }
}

void end(bytes *b)
{
    pf_writer_end(&b->w);
}

void text(bytes *b, uint32_t field, const char *s)
{
    if (s) {
        pf_writer_bytes(&b->w, field, s, strlen(s));
    }
}

void intern(bytes *b, uint32_t kind, uint64_t iid, const char *s)
{
    pf_writer_begin(&b->w, PF_F_PACKET_INTERNED_DATA);
    pf_writer_begin(&b->w, kind);
    pf_writer_varint(&b->w, PF_F_ENTRY_IID, iid);
    text(b, PF_F_ENTRY_TEXT, s);
    end(b);
    end(b);
}

void event(bytes *b, uint64_t ts, uint64_t sequence, int type, uint64_t track, const char *name)
{
    packet(b, ts, sequence, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, (uint64_t)type);
    if (track) {
        pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, track);
    }
    text(b, PF_F_EVENT_NAME, name);
    end(b);
    end(b);
}

void counter_event(bytes *b, uint64_t ts, uint64_t sequence, uint64_t track, double value, bool integer)
{
    packet(b, ts, sequence, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, PF_EVENT_COUNTER);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, track);
    if (integer) {
        pf_writer_varint(&b->w, PF_F_EVENT_COUNTER_VALUE, (uint64_t)(int64_t)value);
    } else {
        pf_writer_double(&b->w, PF_F_EVENT_DOUBLE_COUNTER_VALUE, value);
    }
    end(b);
    end(b);
}

static void begin_descriptor(bytes *b, uint64_t sequence, uint64_t uuid)
{
    packet(b, NONE, sequence, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b->w, 1, uuid);
}

void describe_process(bytes *b, uint64_t uuid, int64_t pid, const char *name)
{
    begin_descriptor(b, NONE, uuid);
    pf_writer_begin(&b->w, 3);
    pf_writer_varint(&b->w, 1, (uint64_t)pid);
    text(b, 6, name);
    end(b);
    end(b);
    end(b);
}

void describe_thread(bytes *b, uint64_t sequence, uint64_t uuid, int64_t pid, int64_t tid, const char *name)
{
    begin_descriptor(b, sequence, uuid);
    pf_writer_begin(&b->w, 4);
    pf_writer_varint(&b->w, 1, (uint64_t)pid);
    pf_writer_varint(&b->w, 2, (uint64_t)tid);
    text(b, 5, name);
    end(b);
    end(b);
    end(b);
}

void describe_track(bytes *b, uint64_t uuid, uint64_t parent, const char *name, int merge)
{
    begin_descriptor(b, NONE, uuid);
    if (parent) {
        pf_writer_varint(&b->w, 5, parent);
    }
    text(b, 2, name);
    if (merge) {
        pf_writer_varint(&b->w, 15, (uint64_t)merge);
    }
    end(b);
    end(b);
}

void snapshot(bytes *b, uint64_t sequence, uint64_t flags, const uint64_t (*clocks)[4], size_t count, int primary)
{
    packet(b, NONE, sequence, flags);
    pf_writer_begin(&b->w, PF_F_PACKET_CLOCK_SNAPSHOT);
    for (size_t i = 0; i < count; i++) {
        pf_writer_begin(&b->w, 1);
        for (uint32_t field = 1; field <= 4; field++) {
            if (clocks[i][field - 1]) {
                pf_writer_varint(&b->w, field, clocks[i][field - 1]);
            }
        }
        end(b);
    }
    if (primary) {
        pf_writer_varint(&b->w, 2, (uint64_t)primary);
    }
    end(b);
    end(b);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

pf_trace *load_bytes(const void *data, size_t len, const pf_read_options *o, size_t step, pf_status *st)
{
    pf_read_options options = o ? *o : pf_read_options_default();
    pf_error err = {0};
    pf_trace *t = pf_trace_new(&options.limits, options.want, &err);
    cr_assert_not_null(t);
    uint8_t *stored = pf_arena_alloc(&t->arena, len + PF_SLOP);
    pf_input *input = pf_arena_alloc(&t->arena, sizeof *input);
    t->files = pf_arena_alloc(&t->arena, sizeof *t->files);
    cr_assert(stored && input && t->files);
    if (len) {
        memcpy(stored, data, len);
    }
    memset(stored + len, 0xff, PF_SLOP); /* bytes after the end may have any value */
    *input = (pf_input){.path = "test", .stored = stored, .stored_bytes = len};
    memset(t->files, 0, sizeof *t->files);
    t->inputs = input;
    t->input_count = 1;
    pf_reading r = {.t = t, .input = input, .o = &options};
    r.dialect = options.dialect ? pf_dialect_named(options.dialect) : NULL;
    cr_assert_eq(pf_source_open(&r.source, t, input, &options, &err), PF_OK);
    if (step) {
        pf_source_set_step(r.source, step);
    }
    pf_status result = pf_source_more(r.source, 0, &r.first, &err);
    if (result == PF_OK) {
        result = pf_reader_perfetto.read(&r, &err);
    }
    pf_source_close(r.source);
    if (result == PF_OK) {
        cr_assert_null(r.again);
        result = pf_trace_finish(t, &err);
    }
    if (st) {
        *st = result;
    } else {
        cr_assert_eq(result, PF_OK, "%s", err.text);
    }
    return t;
}

pf_trace *load(const bytes *b)
{
    cr_assert_not(b->w.failed);
    return load_bytes(b->out.data, b->out.len, NULL, 0, NULL);
}

static void put(const pf_trace *t, uint32_t id, pf_buffer *out)
{
    pf_str s = pf_trace_string(t, id);
    pf_buffer_put(out, s.ptr ? s.ptr : "-", s.ptr ? s.len : 1);
}

static void put_track(const pf_trace *t, uint32_t row, pf_buffer *out)
{
    const pf_tracks *k = pf_trace_tracks(t);
    uint32_t utid = k->utid[row];
    uint32_t upid = utid == PF_NONE ? k->upid[row] : pf_trace_threads(t)->upid[utid];
    pf_buffer_format(out, " | %s ", pf_track_type_name(k->type[row]));
    put(t, k->name[row], out);
    if (upid != PF_NONE) {
        pf_buffer_format(out, " pid %lld", (long long)pf_trace_processes(t)->pid[upid]);
    }
    if (utid != PF_NONE) {
        pf_buffer_format(out, " tid %lld", (long long)pf_trace_threads(t)->tid[utid]);
    }
}

void show_slices(const pf_trace *t, pf_buffer *out)
{
    const pf_slices *s = pf_trace_slices(t);
    for (uint32_t i = 0; i < s->count; i++) {
        pf_buffer_format(out, "%lld %lld d%u ", (long long)pf_slice_ts(s, i), (long long)s->dur[i], s->depth[i]);
        put(t, pf_slice_name(s, i), out);
        pf_buffer_text(out, " ");
        put(t, pf_slice_category(s, i), out);
        put_track(t, s->track[i], out);
        pf_buffer_text(out, "\n");
    }
}

void show_counters(const pf_trace *t, pf_buffer *out)
{
    const pf_counters *c = pf_trace_counters(t);
    for (uint32_t i = 0; i < c->count; i++) {
        pf_buffer_format(out, "%lld %g", (long long)c->ts[i], c->value[i]);
        put_track(t, c->track[i], out);
        pf_buffer_text(out, " ");
        put(t, pf_trace_tracks(t)->unit[c->track[i]], out);
        pf_buffer_text(out, "\n");
    }
}

static void show_events(const pf_trace *t, pf_buffer *out)
{
    const pf_events *e = pf_trace_events(t);
    for (uint32_t i = 0; i < e->count; i++) {
        pf_buffer_format(out, "%02x %lld ", e->phase[i], (long long)e->ts[i]);
        put(t, e->name[i], out);
        pf_buffer_text(out, " ");
        put(t, e->category ? e->category[i] : 0, out);
        pf_buffer_format(out, " track %u offset %lld", e->track[i], (long long)pf_trace_event_offset(t, i));
        show_args(t, i, out);
        pf_buffer_text(out, "\n");
    }
}

static void show_identities(const pf_trace *t, pf_buffer *out)
{
    const pf_processes *p = pf_trace_processes(t);
    const pf_threads *h = pf_trace_threads(t);
    const pf_tracks *k = pf_trace_tracks(t);
    for (uint32_t i = 0; i < p->count; i++) {
        pf_buffer_format(out, "process %u pid %lld uuid %llu ", i, (long long)p->pid[i],
                         (unsigned long long)p->uuid[i]);
        put(t, p->name[i], out);
        pf_buffer_text(out, "\n");
    }
    for (uint32_t i = 0; i < h->count; i++) {
        pf_buffer_format(out, "thread %u tid %lld upid %u uuid %llu ", i, (long long)h->tid[i], h->upid[i],
                         (unsigned long long)h->uuid[i]);
        put(t, h->name[i], out);
        pf_buffer_text(out, "\n");
    }
    for (uint32_t i = 0; i < k->count; i++) {
        pf_buffer_format(out, "track %u parent %u group %u used %u uuid %llu", i, k->parent[i], k->group[i], k->used[i],
                         (unsigned long long)k->uuid[i]);
        put_track(t, i, out);
        pf_buffer_text(out, "\n");
    }
}

void show_trace(const pf_trace *t, pf_buffer *out)
{
    const pf_metadata *m = pf_trace_metadata(t);
    pf_buffer_format(out, "unit %d dialect %s\n", pf_trace_time_unit(t), pf_trace_dialect(t));
    show_events(t, out);
    show_slices(t, out);
    show_counters(t, out);
    show_identities(t, out);
    for (uint32_t i = 0; i < m->count; i++) {
        put(t, m->name[i], out);
        pf_buffer_format(out, "=%lld ", (long long)m->number[i]);
        put(t, m->text[i], out);
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

void expect_text(pf_buffer *got, const char *want)
{
    cr_expect(got->len == strlen(want) && memcmp(got->data ? got->data : "", want, got->len) == 0,
              "got:\n%.*s\nexpected:\n%s", (int)got->len, got->data ? got->data : "", want);
    pf_buffer_free(got);
    *got = (pf_buffer){0};
}

void expect_slices(const bytes *b, const char *want)
{
    pf_buffer got = {0};
    pf_trace *t = load(b);
    show_slices(t, &got);
    expect_text(&got, want);
    pf_trace_free(t);
}

uint64_t stat_of(const pf_trace *t, pf_stat_id id)
{
    return t->stat_count[id];
}
