/* edit/cut/cut_bundles.c - what the kernel recorded of one cpu: each bundle gives a window the events in it.
 *
 * Events are copied as they are. compact_sched is written anew: its times are differences, so those of the entries in
 * the window begin with a whole time again. What the cpu ran when the window begins is said by the last switch before
 * it in the bundle that the window's beginning lies in, in whatever form it is: it is kept, at that time, unless there
 * is one at that time. A bundle without an event in the window is not written, unless it describes events of the
 * kernel's own numbers.
 *
 * Since when no event is missing, which the engine asks the first bundle of each cpu only, is not said by others: they
 * may become the first of the output. One that says it is written without an event, too.
 */
#include <string.h>

#include "base/list.h"
#include "edit/cut/cut_source.h"
#include "edit/cut/cutter.h"
#include "edit/select/thread_events.h"

/* Which switch from before a window is at its beginning. */
typedef enum lead { LEAD_NONE, LEAD_ENTRY, LEAD_CARRIED, LEAD_EVENT } lead;

/* A bundle and the window that it is cut to. */
typedef struct bundle_cut {
    const pf_ftrace_bundle *b;
    pf_cutter *c;
    uint32_t clock;
    bool first; /* of its cpu */
    bool whole; /* its clock is not known: the bundle is in every window */
    int64_t from, to;
    uint32_t window;
    pf_cut_switch *last; /* of its cpu, before this bundle */
    lead lead;
    int64_t led; /* when that was, in the clock of the bundle */
} bundle_cut;

/* The trace's time of an event; false: it is not known. */
static pf_status place(bundle_cut *x, int64_t ns, bool *known, int64_t *ts, pf_error *err)
{
    pf_when when;
    if (x->whole) {
        *known = true;
        *ts = ns;
        return PF_OK;
    }
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

/* Switches of one form, next to the window: the last one before it, the first one in it. */
typedef struct switch_times {
    int64_t before, first; /* INT64_MIN, INT64_MAX: none */
    bool any;              /* also other events that are in it */
} switch_times;

static pf_status look_at(bundle_cut *x, int64_t ns, bool is_switch, switch_times *t, pf_error *err)
{
    bool known;
    int64_t ts;
    PF_TRY(place(x, ns, &known, &ts, err));
    bool inside = known && ts >= x->from && ts < x->to;
    t->any |= inside;
    if (is_switch && inside) {
        t->first = ts < t->first ? ts : t->first;
    } else if (is_switch && known && ts < x->from) {
        t->before = ts > t->before ? ts : t->before;
    }
    return PF_OK;
}

/* Only the first bundle of a cpu with switches in the window has one from before, so that `merge` finds it. */
static pf_status find_lead(bundle_cut *x, pf_error *err)
{
    const pf_ftrace_bundle *b = x->b;
    switch_times entries = {INT64_MIN, INT64_MAX, false}, events = entries;
    for (uint32_t i = 0; i < b->switches.count; i++) {
        PF_TRY(look_at(x, b->switches.entry[i].ts, true, &entries, err));
    }
    for (uint32_t i = 0; i < b->event_count; i++) {
        PF_TRY(look_at(x, b->event[i].ts, b->event[i].kind == PF_FTRACE_SCHED_SWITCH, &events, err));
    }
    int64_t first = entries.first < events.first ? entries.first : events.first;
    bool given = x->last->given >> x->window & 1, some = entries.any || events.any;
    if (given || first == x->from) {
        x->lead = LEAD_NONE;
    } else if (events.before != INT64_MIN && events.before >= entries.before) {
        x->lead = some ? LEAD_EVENT : LEAD_NONE;
    } else if (entries.before != INT64_MIN) {
        x->lead = first != INT64_MAX ? LEAD_ENTRY : LEAD_NONE;
    } else {
        x->lead = entries.any && x->last->known && x->last->ts < x->from ? LEAD_CARRIED : LEAD_NONE;
    }
    if (first != INT64_MAX || x->lead != LEAD_NONE) {
        x->last->given |= UINT64_C(1) << x->window;
    }
    return PF_OK;
}

/* leads: the first one is the last entry before the window, or that of an earlier bundle. */
static pf_status choose(bundle_cut *x, const pf_sched_list *l, bool leads, kept_entries *out, pf_error *err)
{
    const pf_sched_entry *before = x->lead == LEAD_CARRIED ? &x->last->entry : NULL;
    int64_t before_ts = before ? x->last->ts : 0, ts;
    bool known;
    out->count = leads;
    for (uint32_t i = 0; i < l->count; i++) {
        PF_TRY(place(x, l->entry[i].ts, &known, &ts, err));
        if (known && ts >= x->from && ts < x->to) {
            out->entry[out->count++] = &l->entry[i];
        } else if (known && ts < x->from && (!before || ts >= before_ts)) {
            before = &l->entry[i];
            before_ts = ts;
        }
    }
    if (leads) {
        out->entry[0] = before;
        x->led = before->ts;
        out->first = before->ts + (x->from - before_ts);
    } else {
        out->first = out->count ? out->entry[0]->ts : 0;
    }
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
    PF_TRY(choose(x, &b->switches, x->lead == LEAD_ENTRY || x->lead == LEAD_CARRIED, &switches, err));
    PF_TRY(choose(x, &b->wakings, false, &wakings, err));
    if (switches.count + wakings.count == 0) {
        return PF_OK;
    }
    *some = true;
    pf_writer_begin(w, PF_F_FTRACE_COMPACT_SCHED);
    for (uint32_t i = 0; i < b->comm_count; i++) {
        pf_writer_bytes(w, PF_F_COMPACT_TEXTS, b->comm[i].ptr, b->comm[i].len);
    }
    if (x->lead == LEAD_CARRIED) { /* its text comes after those of the bundle */
        pf_writer_bytes(w, PF_F_COMPACT_TEXTS, x->last->comm, x->last->comm_len);
        x->last->entry.comm = b->comm_count;
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

/* Whether an event or entry at that time, if there is one, is in the window. */
static pf_status is_inside(bundle_cut *x, const int64_t *ns, bool *inside, pf_error *err)
{
    switch_times t = {INT64_MIN, INT64_MAX, false};
    PF_TRY(ns ? look_at(x, *ns, false, &t, err) : PF_OK);
    *inside = t.any;
    return PF_OK;
}

/* All fields but compact_sched; *before becomes the last switch before the window, at *moved. */
static pf_status put_fields(bundle_cut *x, const pf_field *content, bool *some, pf_field *before, int64_t *moved,
                            pf_error *err)
{
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
        *some |= field == PF_F_FTRACE_DESCRIPTORS ||
                 (x->first && (field == PF_F_FTRACE_LAST_READ || field == PF_F_FTRACE_PREVIOUS_END));
        if (field == PF_CUT_LEAD_ENTRY || field == PF_CUT_LEAD_EVENT) { /* of an earlier cut */
            const pf_ftrace_bundle *b = x->b;
            const int64_t *entry = b->switches.count ? &b->switches.entry[0].ts : NULL;
            const int64_t *event = b->event_count ? &b->event[b->event_count - 1].ts : NULL;
            PF_TRY(is_inside(x, field == PF_CUT_LEAD_ENTRY ? entry : event, &keeps, err));
        }
        if (f.tag == PF_TAG_BYTES(PF_F_FTRACE_EVENT)) {
            const pf_field time = pf_cursor_last(pf_field_cursor(&f), PF_TAG_VARINT(PF_F_FTRACE_EVENT_TIMESTAMP));
            PF_TRY(place(x, (int64_t)time.value, &known, &ts, err));
            known &= time.tag != 0;
            keeps = known && ts >= x->from && ts < x->to;
            *some |= keeps;
            bool may = x->lead == LEAD_EVENT && known && ts < x->from && ts >= latest;
            if (may && pf_cursor_last(pf_field_cursor(&f), PF_TAG_BYTES(PF_FTRACE_SCHED_SWITCH)).tag) {
                *before = f;
                x->led = (int64_t)time.value;
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
    PF_TRY(find_lead(x, err));
    pf_arena_init(&arena, x->c->budget);
    pf_status st = put_compact(x, &arena, some, err);
    pf_arena_free(&arena);
    PF_TRY(st);
    PF_TRY(put_fields(x, content, some, &before, &moved, err));
    if (before.tag) {
        put_moved(&x->c->writer, &before, moved);
    }
    if (x->lead != LEAD_NONE) {
        pf_writer_varint(&x->c->writer, x->lead == LEAD_EVENT ? PF_CUT_LEAD_EVENT : PF_CUT_LEAD_ENTRY,
                         (uint64_t)x->led);
    }
    return x->c->writer.failed ? pf_no_memory(err) : PF_OK;
}

/* Remembers the last switch of the bundle. */
static pf_status keep_last(bundle_cut *x, pf_error *err)
{
    const pf_ftrace_bundle *b = x->b;
    const pf_sched_entry *last = b->switches.count ? &b->switches.entry[b->switches.count - 1] : NULL;
    pf_sched_entry of_event;
    pf_str comm = last ? b->comm[last->comm] : (pf_str){NULL, 0};
    for (uint32_t i = 0; i < b->event_count; i++) {
        if (b->event[i].kind == PF_FTRACE_SCHED_SWITCH && (!last || b->event[i].ts >= last->ts)) {
            of_event = pf_ftrace_switch_of(&b->event[i], &comm);
            last = &of_event;
        }
    }
    bool known;
    int64_t ts = 0;
    PF_TRY(last ? place(x, last->ts, &known, &ts, err) : PF_OK);
    if (!last || !known || (x->last->known && ts < x->last->ts)) { /* bundles may come in another order */
        return PF_OK;
    }
    x->last->known = true;
    x->last->ts = ts;
    x->last->entry = *last;
    x->last->comm_len = comm.len < sizeof x->last->comm ? (uint32_t)comm.len : sizeof x->last->comm;
    memcpy(x->last->comm, comm.ptr ? comm.ptr : "", x->last->comm_len);
    return PF_OK;
}

/* The bundle without what the selection leaves out. *none: that is all of it. */
static pf_status filter(bundle_cut *x, pf_field *content, bool *none, pf_error *err)
{
    pf_selection *s = &x->c->selection;
    uint64_t kept = s->kept;
    PF_TRY(pf_selection_filter_events(s, content, err));
    PF_TRY(pf_ftrace_decode(content->bytes, content->len, &x->c->bundle, err));
    PF_TRY(pf_selection_filter_entries(s, &x->c->bundle, err));
    *none = s->kept == kept;
    return PF_OK;
}

pf_status pf_cutter_bundle(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, bool *done, pf_error *err)
{
    enum { BOOT_BY_DEFAULT = 0, RAW = 4 };
    pf_ftrace_bundle *b = &c->bundle;
    const bool others = !c->selection.active || pf_selection_takes_others(&c->selection);
    const bool categories = c->selection.active && c->selection.o->category.keep_count; /* which these events lack */
    pf_field content = p->content;
    b->budget = c->budget;
    PF_TRY(pf_ftrace_decode(content.bytes, content.len, b, err));
    const bool has_cpu = b->has_cpu && b->cpu < PF_FTRACE_CPUS;
    const bool whole = b->clock != BOOT_BY_DEFAULT && b->clock != RAW;
    *done = !others || (has_cpu && (!whole || c->selection.places));
    if (!*done || !has_cpu) {
        return PF_OK;
    }
    bundle_cut x = {.b = b,
                    .c = c,
                    .clock = b->clock == RAW ? PF_CLOCK_MONOTONIC_RAW : PF_CLOCK_BOOTTIME,
                    .from = INT64_MIN,
                    .to = INT64_MIN,
                    .whole = whole,
                    .first = !(c->cpus[b->cpu / 64] >> b->cpu % 64 & 1)};
    PF_TRY(c->switches ? PF_OK : PF_LIST_NEW(c->budget, c->switches, PF_FTRACE_CPUS, err));
    x.last = &c->switches[b->cpu];
    c->cpus[b->cpu / 64] |= UINT64_C(1) << b->cpu % 64;
    bool some, none = false;
    if (c->window_count == 0 || c->selection.places || categories) { /* its times count, whatever is kept */
        PF_TRY(put_bundle(&x, &content, &some, err));
    }
    c->bundles_waited |= c->window_count && c->selection.places && !c->surveyed;
    if (c->window_count == 0 || categories || c->bundles_waited) {
        return PF_OK;
    }
    PF_TRY(c->selection.places ? filter(&x, &content, &none, err) : PF_OK);
    for (uint32_t i = 0; i < c->window_count; i++) {
        x.window = i;
        x.from = whole ? INT64_MIN : c->windows[i].from;
        x.to = whole ? INT64_MAX : c->windows[i].to;
        PF_TRY(put_bundle(&x, &content, &some, err));
        if (some) {
            const pf_field made = {.len = (uint32_t)c->event.len, .bytes = (const uint8_t *)c->event.data};
            pf_raw_packet rest = *p; /* entries that events refer to are said of those that are written */
            rest.len = 0;
            PF_TRY(pf_cutter_prepare(c, i, &rest, sequence, err));
            PF_TRY(sequence == PF_NONE
                       ? PF_OK
                       : pf_out_say(&c->windows[i].out, &c->in, sequence, PF_MSG_FTRACE, made.bytes, made.len, err));
            PF_TRY(pf_cutter_put(c, i, p, sequence, &made, err));
            c->windows[i].out.general += none;
        }
    }
    return keep_last(&x, err);
}
