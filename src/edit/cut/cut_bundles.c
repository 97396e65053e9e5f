/* edit/cut/cut_bundles.c - what the kernel recorded of one cpu: each bundle gives a window the events in it.
 *
 * Events are copied as they are. compact_sched is written anew: its times are differences, so those of the entries in
 * the window begin with a whole time again. What the cpu ran when the window begins is said by the last switch before
 * it in the bundle that the window's beginning lies in: it is kept, at that time. A bundle without an event in the
 * window is not written, unless it describes events of the kernel's own numbers.
 *
 * Since when no event is missing, which the engine asks the first bundle of each cpu only, is not said by others: they
 * may become the first of the output.
 */
#include <string.h>

#include "base/list.h"
#include "edit/cut/cutter.h"

/* A bundle and the window that it is cut to. */
typedef struct bundle_cut {
    const pf_ftrace_bundle *b;
    pf_cutter *c;
    uint32_t clock;
    bool first; /* of its cpu */
    int64_t from, to;
    uint32_t window;
    pf_cut_switch *last; /* of its cpu, before this bundle */
} bundle_cut;

/* The trace's time of an event; false: it is not known. */
static pf_status place(bundle_cut *x, int64_t ns, bool *known, int64_t *ts, pf_error *err)
{
    pf_when when;
    PF_TRY(pf_times_of_clock(&x->c->times, x->clock, ns, &when, ts, err));
    *known = when == PF_TIME_KNOWN;
    if (*known) {
        pf_cutter_cover(x->c, *ts);
    }
    return PF_OK;
}

/* The entries of a list that are in the window, as columns of their own; `count` of them, in order. */
typedef struct kept_entries {
    const pf_sched_entry **entry;
    uint32_t count;
    int64_t first; /* time of the first one */
} kept_entries;

/* with_before: also the last entry before the window; *carried: that is one of an earlier bundle. */
static pf_status choose(bundle_cut *x, const pf_sched_list *l, bool with_before, kept_entries *out, bool *carried,
                        pf_error *err)
{
    const pf_sched_entry *before = NULL;
    int64_t before_ts = 0, ts;
    bool known;
    uint32_t n = with_before; /* a place for it */
    for (uint32_t i = 0; i < l->count; i++) {
        PF_TRY(place(x, l->entry[i].ts, &known, &ts, err));
        if (known && ts >= x->from && ts < x->to) {
            out->entry[n++] = &l->entry[i];
        } else if (known && ts < x->from && (!before || ts >= before_ts)) {
            before = &l->entry[i];
            before_ts = ts;
        }
    }
    bool leads = with_before && n > 1;
    if (leads && !before && x->last->known && x->last->ts < x->from && !(x->last->given >> x->window & 1)) {
        before = &x->last->entry;
        before_ts = x->last->ts;
        *carried = true;
    }
    leads &= before != NULL;
    out->entry[0] = leads ? before : out->entry[0];
    out->entry += with_before && !leads;
    out->count = n - (with_before && !leads);
    out->first = leads ? before->ts + (x->from - before_ts) : out->count ? out->entry[0]->ts : 0;
    return PF_OK;
}

typedef enum entry_member { ENTRY_TIME, ENTRY_STATE, ENTRY_PID, ENTRY_PRIO, ENTRY_COMM, ENTRY_CPU } entry_member;

static void put_column(pf_writer *w, uint32_t field, const kept_entries *k, entry_member member)
{
    int64_t last = 0;
    pf_writer_begin(w, field);
    for (uint32_t i = 0; i < k->count && pf_writer_room(w, PF_VARINT_MAX); i++) {
        const pf_sched_entry *e = k->entry[i];
        int64_t ts = i ? e->ts : k->first, v = 0;
        switch (member) {
        case ENTRY_TIME:
            v = (int64_t)((uint64_t)ts - (uint64_t)last);
            last = ts;
            break;
        case ENTRY_STATE:
            v = e->state;
            break;
        case ENTRY_PID:
            v = e->pid;
            break;
        case ENTRY_PRIO:
            v = e->prio;
            break;
        case ENTRY_COMM:
            v = e->comm;
            break;
        case ENTRY_CPU:
            v = e->cpu;
            break;
        }
        uint8_t *start = (uint8_t *)w->out->data + w->out->len;
        w->out->len += (size_t)(pf_store_varint(start, (uint64_t)v) - start);
    }
    pf_writer_end(w);
}

static pf_status put_compact(bundle_cut *x, pf_arena *arena, bool *some, pf_error *err)
{
    static const struct {
        uint32_t field;
        entry_member member;
    } columns[] = {{PF_F_COMPACT_SWITCH_TIMESTAMP, ENTRY_TIME}, {PF_F_COMPACT_SWITCH_PREV_STATE, ENTRY_STATE},
                   {PF_F_COMPACT_SWITCH_NEXT_PID, ENTRY_PID},   {PF_F_COMPACT_SWITCH_NEXT_PRIO, ENTRY_PRIO},
                   {PF_F_COMPACT_SWITCH_NEXT_COMM, ENTRY_COMM}, {PF_F_COMPACT_WAKING_TIMESTAMP, ENTRY_TIME},
                   {PF_F_COMPACT_WAKING_PID, ENTRY_PID},        {PF_F_COMPACT_WAKING_TARGET_CPU, ENTRY_CPU},
                   {PF_F_COMPACT_WAKING_PRIO, ENTRY_PRIO},      {PF_F_COMPACT_WAKING_COMM, ENTRY_COMM},
                   {PF_F_COMPACT_WAKING_FLAGS, ENTRY_STATE}};
    const pf_ftrace_bundle *b = x->b;
    pf_writer *w = &x->c->writer;
    kept_entries switches, wakings;
    PF_TRY(PF_ARENA_NEW(arena, switches.entry, (size_t)b->switches.count + 1, err));
    PF_TRY(PF_ARENA_NEW(arena, wakings.entry, (size_t)b->wakings.count + 1, err));
    bool carried = false;
    PF_TRY(choose(x, &b->switches, true, &switches, &carried, err));
    PF_TRY(choose(x, &b->wakings, false, &wakings, &carried, err));
    if (switches.count + wakings.count == 0) {
        return PF_OK;
    }
    *some = true;
    pf_writer_begin(w, PF_F_FTRACE_COMPACT_SCHED);
    for (uint32_t i = 0; i < b->comm_count; i++) {
        pf_writer_bytes(w, PF_F_COMPACT_TEXTS, b->comm[i].ptr, b->comm[i].len);
    }
    if (carried) { /* its text comes after those of the bundle */
        pf_writer_bytes(w, PF_F_COMPACT_TEXTS, x->last->comm, x->last->comm_len);
        x->last->entry.comm = b->comm_count;
        x->last->given |= UINT64_C(1) << x->window;
    }
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const kept_entries *k = columns[i].field < PF_F_COMPACT_WAKING_TIMESTAMP ? &switches : &wakings;
        if (k->count) {
            put_column(w, columns[i].field, k, columns[i].member);
        }
    }
    pf_writer_end(w);
    return PF_OK;
}

/* The event at another time. */
static void put_moved(pf_writer *w, const pf_field *event, int64_t ts)
{
    pf_cursor c = pf_field_cursor(event);
    const uint8_t *from = c.at;
    pf_field f;
    pf_writer_begin(w, PF_F_FTRACE_EVENT);
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        if (f.tag == PF_TAG_VARINT(PF_F_FTRACE_EVENT_TIMESTAMP)) {
            pf_writer_varint(w, PF_F_FTRACE_EVENT_TIMESTAMP, (uint64_t)ts);
        } else {
            pf_writer_raw(w, from, (size_t)(c.at - from));
        }
    }
    pf_writer_end(w);
}

/* All fields but compact_sched; *before becomes the last switch before the window, at *moved. */
static pf_status put_fields(bundle_cut *x, const pf_field *content, bool *some, pf_field *before, int64_t *moved,
                            pf_error *err)
{
    enum { SCHED_SWITCH = 4 };
    pf_writer *w = &x->c->writer;
    pf_cursor c = pf_field_cursor(content);
    const uint8_t *from = c.at;
    int64_t latest = INT64_MIN, ts;
    bool known;
    pf_field f;
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        uint32_t field = f.tag >> 3;
        bool keeps = field != PF_F_FTRACE_COMPACT_SCHED &&
                     (x->first || (field != PF_F_FTRACE_LAST_READ && field != PF_F_FTRACE_PREVIOUS_END));
        *some |= field == PF_F_FTRACE_DESCRIPTORS;
        if (f.tag == PF_TAG_BYTES(PF_F_FTRACE_EVENT)) {
            const pf_field time = pf_cursor_last(pf_field_cursor(&f), PF_TAG_VARINT(PF_F_FTRACE_EVENT_TIMESTAMP));
            PF_TRY(place(x, (int64_t)time.value, &known, &ts, err));
            known &= time.tag != 0;
            keeps = known && ts >= x->from && ts < x->to;
            *some |= keeps;
            bool may = known && ts <= x->from && ts >= latest;
            if (may && pf_cursor_last(pf_field_cursor(&f), PF_TAG_BYTES(SCHED_SWITCH)).tag) {
                *before = f;
                before->tag = keeps ? 0 : f.tag; /* one at its start says it itself */
                latest = ts;
                *moved = (int64_t)time.value + (x->from - ts);
            }
        }
        if (keeps) {
            pf_writer_raw(w, from, (size_t)(c.at - from));
        }
    }
    return PF_OK;
}

/* The bundle's part in the window into c->event; *some: there is any. */
static pf_status put_bundle(bundle_cut *x, const pf_field *content, bool *some, pf_error *err)
{
    pf_field before = {.tag = 0};
    int64_t moved = 0;
    pf_arena arena;
    *some = false;
    x->c->event.len = 0;
    pf_arena_init(&arena, x->c->budget);
    pf_status st = put_compact(x, &arena, some, err);
    pf_arena_free(&arena);
    PF_TRY(st);
    PF_TRY(put_fields(x, content, some, &before, &moved, err));
    if (*some && before.tag) {
        put_moved(&x->c->writer, &before, moved);
    }
    return x->c->writer.failed ? pf_no_memory(err) : PF_OK;
}

/* Remembers the last switch of the bundle. */
static pf_status keep_last(bundle_cut *x, pf_error *err)
{
    const pf_sched_list *l = &x->b->switches;
    if (l->count == 0) {
        return PF_OK;
    }
    const pf_sched_entry *e = &l->entry[l->count - 1];
    pf_str comm = x->b->comm[e->comm];
    *x->last = (pf_cut_switch){.entry = *e,
                               .comm_len = comm.len < sizeof x->last->comm ? (uint32_t)comm.len : sizeof x->last->comm};
    memcpy(x->last->comm, comm.ptr, x->last->comm_len);
    return place(x, e->ts, &x->last->known, &x->last->ts, err);
}

pf_status pf_cutter_bundle(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, bool *done, pf_error *err)
{
    enum { BOOT_BY_DEFAULT = 0, RAW = 4 };
    pf_ftrace_bundle *b = &c->bundle;
    b->budget = c->budget;
    *done = false;
    PF_TRY(pf_ftrace_decode(p->content.bytes, p->content.len, b, err));
    if (!b->has_cpu || b->cpu >= PF_FTRACE_CPUS || (b->clock != BOOT_BY_DEFAULT && b->clock != RAW)) {
        return PF_OK;
    }
    bundle_cut x = {.b = b,
                    .c = c,
                    .clock = b->clock == RAW ? PF_CLOCK_MONOTONIC_RAW : PF_CLOCK_BOOTTIME,
                    .first = !(c->cpus[b->cpu / 64] >> b->cpu % 64 & 1)};
    PF_TRY(c->switches ? PF_OK : PF_LIST_NEW(c->budget, c->switches, PF_FTRACE_CPUS, err));
    x.last = &c->switches[b->cpu];
    c->cpus[b->cpu / 64] |= UINT64_C(1) << b->cpu % 64;
    *done = true;
    bool some;
    if (c->window_count == 0) { /* its times are asked for alone */
        x.from = x.to = INT64_MIN;
        return put_bundle(&x, &p->content, &some, err);
    }
    for (uint32_t i = 0; i < c->window_count; i++) {
        x.window = i;
        x.from = c->windows[i].from;
        x.to = c->windows[i].to;
        PF_TRY(put_bundle(&x, &p->content, &some, err));
        if (some) {
            const pf_field made = {.len = (uint32_t)c->event.len, .bytes = (const uint8_t *)c->event.data};
            PF_TRY(pf_cutter_prepare(c, i, p, sequence, err));
            PF_TRY(pf_cutter_put(c, i, p, sequence, &made, err));
        }
    }
    return keep_last(&x, err);
}
