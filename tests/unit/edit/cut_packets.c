/* unit/edit/cut_packets.c - see cut_packets.h. */
#include "cut_packets.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- packets ----------------------------------------------------------------------------------------------------- */

pf_buffer bytes;
pf_writer w;

void start(void)
{
    bytes.len = 0;
    pf_writer_init(&w, &bytes);
}

void packet(uint64_t ts, uint64_t sequence)
{
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP, ts);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_ID, sequence);
}

void text(uint32_t field, const char *s)
{
    pf_writer_bytes(&w, field, s, strlen(s));
}

void intern(uint64_t iid, const char *name)
{
    pf_writer_begin(&w, PF_F_INTERNED_EVENT_NAMES);
    pf_writer_varint(&w, PF_F_ENTRY_IID, iid);
    text(PF_F_ENTRY_TEXT, name);
    pf_writer_end(&w);
}

void event(uint64_t ts, uint64_t sequence, int type, uint64_t track)
{
    packet(ts, sequence);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&w, PF_F_EVENT_TYPE, (uint64_t)type);
    if (track) {
        pf_writer_varint(&w, PF_F_EVENT_TRACK_UUID, track);
    }
}

void done(void)
{
    pf_writer_end(&w);
    pf_writer_end(&w);
}

void begin(uint64_t ts, uint64_t sequence, uint64_t track, const char *name)
{
    event(ts, sequence, PF_EVENT_SLICE_BEGIN, track);
    text(PF_F_EVENT_NAME, name);
    done();
}

void end(uint64_t ts, uint64_t sequence, uint64_t track)
{
    event(ts, sequence, PF_EVENT_SLICE_END, track);
    done();
}

void clear(uint64_t ts, uint64_t sequence, uint64_t clock, uint64_t track)
{
    packet(ts, sequence);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    pf_writer_begin(&w, PF_F_PACKET_DEFAULTS);
    if (clock) {
        pf_writer_varint(&w, PF_F_DEFAULTS_TIMESTAMP_CLOCK_ID, clock);
    }
    pf_writer_begin(&w, PF_F_DEFAULTS_TRACK_EVENT);
    pf_writer_varint(&w, PF_F_EVENT_DEFAULTS_TRACK_UUID, track);
    pf_writer_end(&w);
    pf_writer_end(&w);
}

void describe(uint64_t uuid, uint64_t parent, const char *name)
{
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&w, 1, uuid);
    if (name) {
        text(2, name);
    }
    if (parent) {
        pf_writer_varint(&w, 5, parent);
    }
    done();
}

void describe_counter(uint64_t uuid, bool incremental)
{
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&w, 1, uuid);
    text(2, "count");
    pf_writer_begin(&w, 8);
    pf_writer_varint(&w, 5, incremental);
    pf_writer_end(&w);
    done();
}

void count(uint64_t ts, uint64_t sequence, uint64_t track, int64_t value)
{
    event(ts, sequence, PF_EVENT_COUNTER, track);
    pf_writer_varint(&w, PF_F_EVENT_COUNTER_VALUE, (uint64_t)value);
    done();
}

/* ---- cutting ----------------------------------------------------------------------------------------------------- */

void write_file(const char *path)
{
    FILE *f = fopen(path, "wb");
    cr_assert(f && !w.failed && fwrite(bytes.data, 1, bytes.len, f) == bytes.len && fclose(f) == 0);
    pf_writer_free(&w);
}

char *read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    cr_assert(f && fseek(f, 0, SEEK_END) == 0);
    *len = (size_t)ftell(f);
    rewind(f);
    char *all = malloc(*len + 1);
    cr_assert(all && fread(all, 1, *len, f) == *len && fclose(f) == 0);
    return all;
}

void cut_file(const char *in, const char *out, pf_cut_options *o, int64_t from, int64_t to)
{
    pf_error err;
    pf_cut_result r = {.size = sizeof r};
    o->from = (pf_edit_time){PF_EDIT_TRACE_TIME, from};
    o->to = (pf_edit_time){PF_EDIT_TRACE_TIME, to};
    cr_assert_eq(pf_cut(in, out, o, &r, &err), PF_OK, "%s", err.text);
    pf_trace_free(r.input);
}

void show(const char *path, pf_buffer *b)
{
    pf_trace *t;
    pf_error err;
    pf_read_options o = pf_read_options_default();
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    const pf_slices *s = pf_trace_slices(t);
    for (uint32_t i = 0; i < s->count; i++) {
        pf_str name = pf_trace_string(t, pf_trace_events(t)->name[s->event[i]]);
        pf_str track = pf_trace_string(t, pf_trace_tracks(t)->name[s->track[i]]);
        pf_buffer_format(b, "%.*s %lld %lld %.*s\n", (int)name.len, name.ptr,
                         (long long)pf_trace_events(t)->ts[s->event[i]], (long long)s->dur[i], (int)track.len,
                         track.len ? track.ptr : "");
    }
    const pf_counters *c = pf_trace_counters(t);
    for (uint32_t i = 0; i < c->count; i++) {
        pf_buffer_format(b, "%lld %g\n", (long long)c->ts[i], c->value[i]);
    }
    pf_trace_free(t);
}

void expect_with(pf_cut_options *o, int64_t from, int64_t to, const char *want)
{
    pf_buffer got = {0};
    size_t len, again_len;
    write_file("in.pftrace");
    cut_file("in.pftrace", "cut.pftrace", o, from, to);
    show("cut.pftrace", &got);
    pf_buffer_put(&got, "", 1);
    cr_assert_str_eq(got.data, want);
    cut_file("cut.pftrace", "again.pftrace", o, from, to);
    char *cut = read_file("cut.pftrace", &len), *again = read_file("again.pftrace", &again_len);
    cr_expect(len == again_len && memcmp(cut, again, len) == 0, "a cut of the cut is another one");
    free(cut);
    free(again);
    pf_buffer_free(&got);
}

void expect(int64_t from, int64_t to, const char *want)
{
    pf_cut_options o = pf_cut_options_default();
    expect_with(&o, from, to, want);
}

void end_outer(uint64_t ts, uint64_t sequence, uint64_t track)
{
    event(ts, sequence, PF_EVENT_SLICE_END, track);
    text(PF_F_EVENT_NAME, "b");
    done();
}
