/* Time zero is a time like any other: packets from it on give what the same packets give a second later. */
#include "spelled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* @N is a time. */
static const char *const cases[] = {
    /* names of tracks that have none: of their first event, or of an operation that passes; but not where something
     * happened below them before, be it an event or a sample */
    "1{10:7 13:1} 1{10:7 60{1:6 15:1}} 1{10:7 60{1:7 5:6 2'child' 15:1}} 1{8:@0 10:7 11{9:3 11:6 23'named'}}"
    "1{8:@1 10:7 11{9:3 11:7 23'x'}} 1{8:@2 10:7 11{9:3 11:6 23'later'}}",
    "1{10:7 13:1} 1{10:7 60{1:6 15:1}} 1{10:7 60{1:7 5:6 2'child' 15:1}} 1{8:@1 10:7 11{9:3 11:6 23'unused'}}"
    "1{8:@0 10:7 11{9:3 11:7 23'x'}}",
    "1{10:7 13:1} 1{10:7 60{1:6 15:1}} 1{10:7 60{1:7 5:6 2'child' 8{}}} 1{8:@1 10:7 11{9:3 11:6 23'unused'}}"
    "1{8:@0 10:7 11{9:4 11:7 30:1}}",
    "1{10:7 13:1} 1{10:7 60{1:6 15:1}} 1{8:@0 10:7 11{11:6 23'passes' 6{2:98 11:1}}} 1{8:@1 10:7 11{9:3 11:6 23'e'}}",
    /* a parent without a descriptor is known from its first event on */
    "1{10:7 13:1} 1{10:7 60{1:11 5:10 2'child'}} 1{8:@0 10:7 11{9:3 11:10 23'parent'}}"
    "1{8:@0 10:7 11{9:3 11:11 23'same'}} 1{8:@5 10:7 11{9:3 11:11 23'after'}}",
    /* operations are named by their first event, and grouped by the first of their id */
    "1{10:7 13:1 22:0} 1{8:@5 10:7 11{23'late' 22'c' 6{2:101 11:1}}} 1{8:@0 10:7 11{23'first' 22'c' 6{2:98 11:1}}}"
    "1{8:@3 10:7 11{23'other' 22'd' 6{2:98 11:1}}} 1{8:@4 10:7 11{23'other' 22'd' 6{2:101 11:1}}}",
    /* logs, states, thread clocks, triggers, process stats, packets without a time */
    "1{10:7 13:1 12{20{1:1 2'hello'}}} 1{10:7 60{1:51 4{1:100 2:101}}} 1{8:@0 10:7 11{9:3 11:51 21{2:1}}}"
    "1{10:7 60{1:75 2'state' 18{}}} 1{8:@0 10:7 11{9:5 11:75 23's'}} 1{8:@0 10:7 11{9:1 11:51 17:5}}"
    "1{8:@0 46{1'trigger'}} 1{8:@0 9{1{1:10 3:5}}} 1{9{1{1:11 3:6}}} 1{46{1'unknown time'}}",
    /* GPUs: stages with names from then on, counters, logs, totals, submissions, memory */
    "1{8:@0 65{1{1:300 2:1 3:6 4:20 5'buffer'}}} 1{8:@0 53{7{2{1'q'} 3{1's'}}}} 1{8:@0 53{1:5 2:9 3:0 4:0 5:0 12:20}}"
    "1{8:@0 52{1{1{1:1 2'c' 11:2}} 2{1:1 2:5} 3:0}} 1{8:@4 52{2{1:1 2:6} 3:0}}"
    "1{8:@0 52{1{1{1:2 2'd'}} 2{1:2 2:5} 3:0}} 1{8:@4 52{2{1:2 2:6} 3:0}}"
    "1{8:@0 63{1:3 2'tag'}} 1{8:@0 71{1:1 2:300 3:4096}} 1{8:@0 65{2{1:5 2:300}}}"
    "1{8:@0 10:7 13:1 62{1:1 2:1 3:@0 4:300 6:100 8:2}}",
};

static void spell_at(bytes *b, const char *text, uint64_t shift)
{
    pf_buffer spelled = {0};
    while (*text) {
        if (*text == '@') {
            char *after;
            pf_buffer_format(&spelled, "%llu", (unsigned long long)(strtoull(text + 1, &after, 10) + shift));
            text = after;
        } else {
            pf_buffer_put(&spelled, text++, 1);
        }
    }
    pf_buffer_put(&spelled, "", 1);
    spell(b, spelled.data, AS_IT_STANDS);
    pf_buffer_free(&spelled);
}

static void put_text(const pf_trace *t, uint32_t id, pf_buffer *out)
{
    const pf_str s = pf_trace_string(t, id);
    pf_buffer_format(out, s.ptr ? " '%.*s'" : " -", (int)s.len, s.ptr ? s.ptr : "");
}

static void show_shifted(const pf_trace *t, int64_t shift, pf_buffer *out)
{
    const pf_slices *s = pf_trace_slices(t);
    const pf_counters *c = pf_trace_counters(t);
    const pf_tracks *k = pf_trace_tracks(t);
    for (uint32_t i = 0; i < s->count; i++) {
        pf_buffer_format(out, "slice %lld %lld %u", (long long)(pf_slice_ts(s, i) - shift), (long long)s->dur[i],
                         s->depth[i]);
        put_text(t, pf_slice_name(s, i), out);
        put_text(t, k->name[s->track[i]], out);
        pf_buffer_text(out, "\n");
    }
    for (uint32_t i = 0; i < c->count; i++) {
        pf_buffer_format(out, "sample %lld %g", (long long)(c->ts[i] - shift), c->value[i]);
        put_text(t, k->name[c->track[i]], out);
        pf_buffer_text(out, "\n");
    }
    for (uint32_t i = 0; i < k->count; i++) {
        pf_buffer_format(out, "track %u %u", k->used[i], k->group[i]);
        put_text(t, k->name[i], out);
        pf_buffer_text(out, "\n");
    }
    for (uint32_t i = 0; i < pf_trace_events(t)->count; i++) {
        show_args(t, i, out);
    }
    const pf_side_table *logs = &t->sides.known[PF_SIDE_LOG], *states = &t->sides.known[PF_SIDE_STATE];
    const pf_side_table *memory = &t->sides.known[PF_SIDE_VULKAN_MEMORY];
    pf_buffer_format(out, "\nlogs %u states %u memory %u bounds %lld %lld thread times %u\n", logs->count,
                     states->count, memory->count, (long long)(t->start_ts - shift), (long long)(t->end_ts - shift),
                     t->thread_times.count);
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        const pf_stat stat = pf_trace_stat(t, i);
        if (stat.count) {
            pf_buffer_format(out, "%s %llu\n", stat.name, (unsigned long long)stat.count);
        }
    }
}

static void read_at(const char *text, uint64_t shift, pf_buffer *out)
{
    bytes b;
    start(&b);
    spell_at(&b, text, shift);
    pf_trace *t = load(&b);
    show_shifted(t, (int64_t)shift, out);
    pf_trace_free(t);
    finish(&b);
}

Test(time_zero, is_a_time_like_any_other)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_buffer got = {0}, want = {0};
        read_at(cases[i], 0, &got);
        read_at(cases[i], 1000000000, &want);
        cr_expect(got.len == want.len && memcmp(got.data, want.data, got.len) == 0, "%s\ngot\n%.*s\nexpected\n%.*s",
                  cases[i], (int)got.len, got.data, (int)want.len, want.data);
        pf_buffer_free(&got);
        pf_buffer_free(&want);
    }
}
