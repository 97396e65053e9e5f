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

void named(uint64_t ts, int type, uint64_t track, const char *name)
{
    event(ts, 1, type, track);
    text(PF_F_EVENT_NAME, name);
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

void chrome(uint64_t ts, uint64_t track, char phase, uint32_t field, uint64_t value)
{
    event(ts, 1, 0, track);
    text(PF_F_EVENT_NAME, "l");
    text(PF_F_EVENT_CATEGORIES, "c");
    pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&w, PF_F_LEGACY_PHASE, (uint64_t)phase);
    pf_writer_varint(&w, field, value);
    pf_writer_end(&w);
    done();
}

void begin_thread(uint64_t pid, uint64_t tid, const char *name)
{
    packet(1, 1);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    pf_writer_begin(&w, PF_F_PACKET_THREAD_DESCRIPTOR);
    pf_writer_varint(&w, 1, pid);
    pf_writer_varint(&w, 2, tid);
    text(5, name);
    done();
}

void describe_owner(uint64_t uuid, uint32_t field, uint64_t pid, uint64_t tid, uint64_t sequence, const char *name)
{
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_ID, sequence);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&w, 1, uuid);
    pf_writer_begin(&w, field);
    pf_writer_varint(&w, 1, pid);
    if (tid) {
        pf_writer_varint(&w, 2, tid);
    }
    if (name) {
        text(tid ? 5 : 6, name);
    }
    pf_writer_end(&w);
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

/* How many packets are in it, and how many of them, or events in these, have an argument of that name. */
static uint64_t count_packets(const char *path, const char *argument, size_t *len)
{
    char *all = read_file(path, len);
    uint64_t count = 0;
    pf_cursor c = pf_cursor_over((const uint8_t *)all, *len);
    for (pf_field f; pf_cursor_next(&c, &f) == PF_NEXT_FIELD;) {
        count += !argument || memmem(f.bytes, f.len, argument, strlen(argument));
    }
    free(all);
    return count;
}

pf_cut_result cut_file(const char *in, const char *out, pf_cut_options *o, int64_t from, int64_t to)
{
    pf_error err;
    pf_cut_result r = {.size = sizeof r};
    static pf_write_options quick; /* none of these files has to outlive the machine */
    size_t len;
    quick = pf_write_options_default();
    quick.sync = false;
    o->write = o->write ? o->write : &quick;
    o->from = (pf_edit_time){PF_EDIT_TRACE_TIME, from};
    o->to = (pf_edit_time){PF_EDIT_TRACE_TIME, to};
    cr_assert_eq(pf_cut(in, out, o, &r, &err), PF_OK, "%s", err.text);
    pf_trace_free(r.input);
    cr_expect(r.from == from && r.to == to && r.changed <= r.kept);
    if (!strstr(out, ".gz")) { /* what it says that it did */
        cr_expect_eq(r.kept + r.added, count_packets(out, NULL, &len));
        cr_expect_eq(r.bytes, len);
    }
    return r;
}

/* The messages in messages, by a letter each: Packet, Event, Descriptor and so on. */
static char message_of(char in, uint32_t field)
{
    static const struct {
        char in, is;
        uint16_t field;
    } all[] = {{'P', 'E', 11}, {'P', 'D', 60}, {'P', 'T', 44}, {'P', 'S', 6}, {'P', 'I', 12}, {'P', 'F', 59},
               {'P', 'G', 53}, {'P', 'G', 52}, {'E', 'A', 4},  {'E', 'L', 6}, {'D', 'T', 3},  {'D', 'T', 4},
               {'D', 'C', 8},  {'S', 'K', 1},  {'F', 'E', 11}, {'G', 'X', 6}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].in == in && all[i].field == field) {
            return all[i].is;
        }
    }
    return in == 'I' ? 'N' : 0;
}

static void show_fields(pf_cursor c, char message, pf_buffer *b)
{
    const char *space = "";
    for (pf_field f; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; space = " ") {
        char is = message_of(message, pf_field_number(&f));
        pf_buffer_format(b, "%s%u", space, pf_field_number(&f));
        if (pf_field_wire(&f) != PF_WIRE_BYTES) {
            pf_buffer_format(b, "=%lld", (long long)f.value);
        } else if (!is) {
            pf_buffer_format(b, "\"%.*s\"", (int)f.len, f.bytes);
        } else {
            pf_buffer_text(b, "{");
            show_fields(pf_field_cursor(&f), is, b);
            pf_buffer_text(b, "}");
        }
    }
}

void show_packets(const char *path, pf_buffer *b)
{
    size_t len;
    char *all = read_file(path, &len);
    pf_cursor c = pf_cursor_over((const uint8_t *)all, len);
    for (pf_field f; pf_cursor_next(&c, &f) == PF_NEXT_FIELD;) {
        if (!pf_cursor_last(pf_field_cursor(&f), PF_TAG_BYTES(PF_F_PACKET_TRACE_ATTRIBUTES)).tag) {
            show_fields(pf_field_cursor(&f), 'P', b);
            pf_buffer_text(b, "\n");
        }
    }
    free(all);
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

/* Those of packets that are in the cut, but not in the input byte for byte. Packets of the input begin with their time,
 * those of a cut with their sequence. */
static uint64_t count_changed(void)
{
    pf_buffer in = {0}, cut = {0};
    uint64_t count = 0;
    show_packets("in.pftrace", &in);
    show_packets("cut.pftrace", &cut);
    pf_buffer_put(&in, "", 1);
    pf_buffer_put(&cut, "", 1);
    for (char *line = strtok(cut.data, "\n"); line; line = strtok(NULL, "\n")) {
        bool is_made = strstr(line, " 52{1") || strstr(line, " 53{7") || strstr(line, "cut.original"); /* of one */
        count += line[0] == '8' && !is_made && !strstr(in.data, line);
    }
    pf_buffer_free(&in);
    pf_buffer_free(&cut);
    return count;
}

static void compare(pf_cut_options *o, int64_t from, int64_t to, void (*shown)(const char *path, pf_buffer *b),
                    const char *want)
{
    pf_buffer got = {0};
    size_t len, again_len;
    write_file("in.pftrace");
    const pf_cut_result r = cut_file("in.pftrace", "cut.pftrace", o, from, to);
    uint64_t ends = count_packets("cut.pftrace", "cut.original_end", &len); /* and steps of flows that were moved */
    cr_expect(shown == show_packets ? r.ended == ends : r.ended <= ends);
    uint64_t all = count_packets("in.pftrace", NULL, &len); /* some of which may be damaged */
    cr_expect(shown == show_packets ? r.packets == all : r.packets <= all);
    cr_expect(r.begun <= count_packets("cut.pftrace", "cut.original_ts", &len));
    cr_expect(shown != show_packets || r.changed == count_changed());
    shown("cut.pftrace", &got);
    pf_buffer_put(&got, "", 1);
    cr_assert_str_eq(got.data, want);
    cut_file("cut.pftrace", "again.pftrace", o, from, to);
    char *cut = read_file("cut.pftrace", &len), *again = read_file("again.pftrace", &again_len);
    cr_expect(len == again_len && memcmp(cut, again, len) == 0, "a cut of the cut is another one");
    free(cut);
    free(again);
    pf_buffer_free(&got);
}

void expect_with(pf_cut_options *o, int64_t from, int64_t to, const char *want)
{
    compare(o, from, to, show, want);
}

void expect_packets_with(pf_cut_options *o, int64_t from, int64_t to, const char *want)
{
    compare(o, from, to, show_packets, want);
}

void expect_packets(int64_t from, int64_t to, const char *want)
{
    pf_cut_options o = pf_cut_options_default();
    expect_packets_with(&o, from, to, want);
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
