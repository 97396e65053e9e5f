/* read/perfetto/event/packet_event.c - a TrackEvent becomes an event row, and counter values become samples.
 *
 * An event is read in this order: phase, time, track, then its name and categories through the interning tables of its
 * sequence. Counter values are scaled and summed up in file order (docs/reference/perfetto.md, "Counters"). Faults that
 * the reference importer answers by dropping the event are counted and leave no row, with one exception: an event
 * without a usable time keeps its row, marked, so that a pass that needs it can say so.
 */
#include <stdio.h>

#include "base/list.h"
#include "read/perfetto/args/packet_args.h"
#include "read/perfetto/event/draft.h"

/* The phase letter, 0 if the event has no meaning. */
static uint8_t phase_of(const pf_draft *d)
{
    static const uint8_t phases[] = {0, 'B', 'E', 'i', 'C', PF_PHASE_STATE};
    if (d->legacy->phase && d->r->type != PF_EVENT_COUNTER) {
        return (uint8_t)d->legacy->phase;
    }
    return d->r->type < sizeof phases ? phases[d->r->type] : 0;
}

static bool to_ns(uint64_t us, int64_t base, int64_t *ns)
{
    return !__builtin_mul_overflow((int64_t)us, (int64_t)1000, ns) && !__builtin_add_overflow(*ns, base, ns);
}

/* Legacy times count from the sequence's thread descriptor, or are absolute (0 = absent); both in microseconds of the
 * monotonic clock. *dropped: they cannot be used. */
static pf_status read_legacy_time(pf_draft *d, bool *dropped)
{
    PF_CURSOR_FIELDS(f, pf_cursor_over(d->r->event, d->r->event_len), PF_AT_VARINT(PF_F_EVENT_TIMESTAMP_DELTA_US),
                     PF_AT_VARINT(PF_F_EVENT_TIMESTAMP_ABSOLUTE_US));
    bool has_delta = f[PF_F_EVENT_TIMESTAMP_DELTA_US].tag;
    uint64_t delta = f[PF_F_EVENT_TIMESTAMP_DELTA_US].value, absolute = f[PF_F_EVENT_TIMESTAMP_ABSOLUTE_US].value;
    int64_t ns;
    if (!has_delta && absolute == 0) {
        return PF_OK;
    }
    *dropped = true;
    if (has_delta && !d->q->has_reference) {
        pf_draft_count(d, PF_STAT_DELTA_SKIPPED);
        return PF_OK;
    }
    if (!(has_delta ? to_ns(delta, d->q->reference_ts, &ns) : to_ns(absolute, 0, &ns))) {
        pf_draft_count(d, PF_STAT_EVENT_BAD_TIMESTAMP);
        return PF_OK;
    }
    if (has_delta) {
        d->q->reference_ts = ns;
    }
    *dropped = false;
    return pf_import_monotonic(d->im, ns, &d->at);
}

/* An event without a usable time has its row, but is in no table and makes nothing known. */
static bool never_happened(const pf_draft *d)
{
    return d->row.phase & PF_PHASE_BAD_TS || d->row.ts < 0;
}

/* The thread of the sequence, if the event stands on a track of its process or of none. */
static pf_status find_passed_thread(pf_draft *d)
{
    pf_import *im = d->im;
    uint32_t utid = pf_uuid_thread(im->t, d->q->pid, d->q->tid, im->err);
    if (utid == PF_NONE) {
        return im->err->code;
    }
    d->passed_utid = d->upid == PF_NONE || im->t->threads.upid[utid] == d->upid ? utid : PF_NONE;
    return PF_OK;
}

/* The track of a uuid. Whom it belongs to is of interest to legacy events, thread clocks and arguments only. */
static pf_status find_uuid_track(pf_draft *d, uint64_t uuid)
{
    pf_import *im = d->im;
    d->state = pf_uuid_track_find(&im->tracks, uuid);
    d->row.track = d->state == PF_NONE ? PF_NONE : pf_uuid_track_row(&im->tracks, d->state);
    if (d->row.track == PF_NONE) {
        return im->err->code;
    }
    bool passes = uuid != 0 && d->q->has_thread;
    if (passes || d->r->has & (PF_HAS_LEGACY | PF_HAS_DELTAS | PF_HAS_EXTRA)) {
        d->scope_known = pf_uuid_track_owner(&im->tracks, d->state, &d->upid, &d->utid);
    }
    return passes && d->utid == PF_NONE ? find_passed_thread(d) : PF_OK;
}

/* The execution track of a thread known by its numbers. */
static pf_status find_thread_track(pf_draft *d, int64_t pid, int64_t tid, bool *dropped)
{
    pf_import *im = d->im;
    if (pid == 0 || tid == 0) {
        *dropped = true;
        return PF_OK;
    }
    d->utid = pf_uuid_thread(im->t, pid, tid, im->err);
    d->row.track = d->utid == PF_NONE ? PF_NONE : pf_trace_thread_track(im->t, d->utid, im->err);
    if (d->row.track == PF_NONE) {
        return im->err->code;
    }
    d->upid = im->t->threads.upid[d->utid];
    d->scope_known = true;
    return PF_OK;
}

/* Sets the row's track (docs/reference/perfetto.md, "Tracks of events"). *dropped: the event has none. */
static pf_status find_track(pf_draft *d, bool *dropped)
{
    const pf_record *r = d->r;
    const pf_legacy *l = d->legacy;
    uint64_t uuid = r->has & PF_HAS_UUID ? r->track_uuid : d->q->track_uuid;
    if (uuid == 0) {
        bool of_thread = d->q->has_thread && !(r->has & PF_HAS_UUID && r->has & PF_HAS_TYPE);
        bool of_other = l->has_pid || (l->has_tid && d->q->has_thread);
        if (of_thread || (of_other && !never_happened(d))) {
            int64_t pid = l->has_pid ? l->pid : d->q->pid;
            int64_t tid = l->has_tid ? l->tid : l->has_pid ? -1 : d->q->tid;
            return find_thread_track(d, pid, tid, dropped);
        }
    }
    return find_uuid_track(d, uuid);
}

static uint32_t lookup(const pf_draft *d, pf_intern_kind kind, uint64_t iid)
{
    if (!d->q->generation) {
        return PF_NONE;
    }
    uint32_t id = pf_intern_get_dense(d->q->generation, kind, iid);
    return id != PF_NONE ? id : pf_intern_get(d->q->generation, kind, iid);
}

/* Notes an unknown id of the event that comes next. */
static pf_status note_unresolved(pf_draft *d, pf_intern_kind kind, uint64_t iid)
{
    pf_import *im = d->im;
    const pf_generation *g = pf_sequence_generation(&im->sequences, d->q);
    PF_TRY(g ? PF_OK : pf_import_refuse(im, sizeof *g));
    PF_TRY(PF_LIST_ROOM(&im->t->budget, im->late.names, im->late.name_count + 1, im->late.name_room, im->err));
    im->late.names[im->late.name_count++] = (pf_unresolved){
        .event = im->t->events.count, .kind = kind, .generation = g, .iid = iid, .offset = pf_import_offset(im, d->r)};
    return PF_OK;
}

static pf_status read_name(pf_draft *d)
{
    const pf_record *r = d->r;
    uint64_t iid = r->name_iid ? r->name_iid : d->legacy->name_iid;
    d->row.name = 0;
    if (iid) {
        uint32_t id = lookup(d, PF_INTERN_EVENT_NAME, iid);
        if (id == PF_NONE) {
            return note_unresolved(d, PF_INTERN_EVENT_NAME, iid);
        }
        d->row.name = id;
    } else if (r->has & PF_HAS_NAME) {
        d->row.name = pf_strings_add(&d->im->t->strings, (const char *)r->name, r->name_len, d->im->err);
    }
    return d->row.name == PF_NONE ? d->im->err->code : PF_OK;
}

static void join(pf_buffer *b, pf_str text)
{
    if (b->len) {
        pf_buffer_put(b, ",", 1);
    }
    pf_buffer_put(b, text.ptr, text.len);
}

/* *unknown counts the ids that nothing defines. */
static void join_iid(pf_import *im, const pf_generation *g, uint64_t iid, uint32_t *unknown)
{
    uint32_t id = g ? pf_intern_get(g, PF_INTERN_CATEGORY, iid) : PF_NONE;
    if (id == PF_NONE) {
        ++*unknown;
    } else if (id) {
        join(&im->scratch, pf_strings_get(&im->t->strings, id));
    }
}

/* All interned categories, then all inline ones, as one string id. */
static pf_status join_categories(pf_import *im, const pf_generation *g, const uint8_t *event, uint32_t len,
                                 uint32_t *category, uint32_t *unknown)
{
    pf_cursor c = pf_cursor_over(event, len);
    pf_numbers iids = pf_numbers_of(c, PF_F_EVENT_CATEGORY_IIDS, false);
    pf_field f;
    uint64_t iid;
    im->scratch.len = 0;
    *unknown = 0;
    while (pf_numbers_next(&iids, &iid)) {
        join_iid(im, g, iid, unknown);
    }
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_EVENT_CATEGORIES), &f)) {
        join(&im->scratch, (pf_str){(const char *)f.bytes, f.len});
    }
    *category = im->scratch.len || im->scratch.failed ? pf_import_scratch(im) : 0;
    return im->err->code;
}

/* Several categories; those that nothing defines so far are looked up once more at the end. */
static pf_status read_categories(pf_draft *d)
{
    pf_import *im = d->im;
    const pf_record *r = d->r;
    uint32_t unknown;
    PF_TRY(join_categories(im, d->q->generation, r->event, r->event_len, &d->row.category, &unknown));
    if (!unknown) {
        return PF_OK;
    }
    const pf_field event = {.bytes = r->event, .len = r->event_len};
    const uint8_t *kept = pf_import_keep(im, &event);
    d->uncategorized = !d->row.category;
    if (d->uncategorized) { /* any text makes room for the one that is set at the end */
        d->row.category = pf_import_word(im, "unknown");
    }
    if (pf_import_failed(im)) {
        return im->err->code;
    }
    PF_TRY(note_unresolved(d, PF_INTERN_CATEGORY, 0));
    im->late.names[im->late.name_count - 1].bytes = kept;
    im->late.names[im->late.name_count - 1].len = r->event_len;
    return PF_OK;
}

pf_status pf_import_settle_names(pf_import *im)
{
    pf_trace *t = im->t;
    for (uint32_t i = 0; i < im->late.name_count; i++) {
        const pf_unresolved *u = &im->late.names[i];
        uint32_t id = pf_intern_get(u->generation, u->kind, u->iid), unknown = id == PF_NONE;
        if (u->bytes) {
            PF_TRY(join_categories(im, u->generation, u->bytes, u->len, &id, &unknown));
        }
        if (u->bytes || id != PF_NONE) {
            *(u->kind == PF_INTERN_CATEGORY ? &t->events.category[u->event] : &t->events.name[u->event]) = id;
        }
        for (; unknown > 0; unknown--) {
            pf_trace_count(t, PF_STAT_INTERNED_ERRORS, u->offset);
        }
    }
    return PF_OK;
}

static pf_status read_category(pf_draft *d)
{
    if (d->r->has & PF_HAS_CATEGORIES) {
        return read_categories(d);
    }
    d->row.category = 0;
    if (!(d->r->has & PF_HAS_CATEGORY)) {
        return PF_OK;
    }
    uint32_t id = lookup(d, PF_INTERN_CATEGORY, d->r->category);
    if (id == PF_NONE) {
        char text[40];
        int len = snprintf(text, sizeof text, "unknown(%llu)", (unsigned long long)d->r->category);
        d->row.category = pf_import_text(d->im, (pf_str){text, (size_t)len});
        return pf_import_failed(d->im) ? d->im->err->code : note_unresolved(d, PF_INTERN_CATEGORY, d->r->category);
    }
    d->row.category = id;
    return PF_OK;
}

pf_status pf_event_keep_args(pf_import *im, uint32_t event, const pf_record *r, pf_sequence *q, uint32_t passed)
{
    pf_buffer *b = &im->scratch;
    const pf_generation *g = q->generation ? q->generation : pf_sequence_generation(&im->sequences, q);
    PF_TRY(g ? PF_OK : pf_import_refuse(im, sizeof *g));
    if (!pf_perfetto_args_fit(im->t, r->event, r->event_len, g->number)) {
        pf_import_count(im, r, PF_STAT_JSON_ARGS_DROPPED);
        return PF_OK;
    }
    if (passed == PF_NONE) {
        return pf_trace_add_args_of(im->t, event, r->event, r->event_len, im->decoders.event, g->number,
                                    !im->span.stable, im->err);
    }
    const uint8_t number[PF_PASSED_BYTES] = {(uint8_t)passed, (uint8_t)(passed >> 8), (uint8_t)(passed >> 16),
                                             (uint8_t)(passed >> 24)};
    b->len = 0;
    pf_buffer_put(b, number, sizeof number);
    pf_buffer_put(b, r->event, r->event_len);
    return b->failed ? pf_import_refuse(im, r->event_len)
                     : pf_trace_add_args_of(im->t, event, (const uint8_t *)b->data, b->len, im->decoders.passed,
                                            g->number, true, im->err);
}

/* Processes that Chrome lists as active exist. */
static pf_status find_active_processes(pf_draft *d)
{
    pf_import *im = d->im;
    pf_cursor c = pf_cursor_over(d->r->event, d->r->event_len);
    pf_field f, pid;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        bool lists = f.tag == PF_TAG_BYTES(PF_F_EVENT_ACTIVE_PROCESSES) ||
                     f.tag == PF_TAG_BYTES(PF_F_EVENT_ACTIVE_PROCESSES_EXTENSION);
        pf_cursor list = lists ? pf_field_cursor(&f) : (pf_cursor){NULL, NULL};
        while (pf_cursor_next_of(&list, PF_TAG_VARINT(PF_F_ACTIVE_PROCESSES_PID), &pid)) {
            if (pf_uuid_process(im->t, (int32_t)pid.value, im->err) == PF_NONE) {
                return im->err->code;
            }
        }
    }
    return PF_OK;
}

/* Arguments, flows, thread clocks, names and faults of the event that was added last. */
static pf_status attach(pf_draft *d)
{
    pf_import *im = d->im;
    const pf_record *r = d->r;
    uint32_t want = im->t->want;
    bool has_clock = d->thread.ts != INT64_MIN || d->thread.instruction_count != INT64_MIN;
    bool legacy_args = d->legacy->phase == 'R' || pf_legacy_is_async(d->legacy->phase);
    if (want & PF_WANT_ARGS && (r->has & PF_HAS_ARGS || legacy_args || d->passed_utid != PF_NONE)) {
        im->has_sides |= (r->has & PF_HAS_SIDES) != 0;
        PF_TRY(pf_event_keep_args(im, im->t->events.count - 1, r, d->q, d->passed_utid));
    }
    if (r->has & (PF_HAS_FLOWS | PF_HAS_LEGACY) && want & PF_WANT_FLOWS) {
        PF_TRY(pf_arrows_add(d));
    }
    if (has_clock && want & PF_WANT_SLICES) {
        PF_TRY(pf_values_add_thread_time(d));
    }
    if (r->has & PF_HAS_UNKNOWN) {
        pf_draft_count(d, PF_STAT_UNKNOWN_EXTENSIONS);
    }
    if (r->has & PF_HAS_PROCESSES) {
        PF_TRY(find_active_processes(d));
    }
    return d->row.phase == 'M' ? pf_legacy_metadata(d) : PF_OK;
}

/* Appends the samples in front of the event, the event, what belongs to it, and its own sample. */
static pf_status append(pf_draft *d)
{
    pf_import *im = d->im;
    PF_TRY(pf_values_add_samples(d));
    PF_TRY(pf_trace_add_event(im->t, &d->row, im->err));
    im->t->has_states |= d->row.phase == PF_PHASE_STATE;
    if (d->row.phase & PF_PHASE_BAD_TS || d->row.ts < 0 || im->t->want & PF_WANT_OFFSETS) {
        PF_TRY(pf_trace_note_offset(im->t, pf_import_offset(im, d->r), im->err));
    }
    if (d->r->has & PF_HAS_REST || d->passed_utid != PF_NONE) {
        PF_TRY(attach(d));
    }
    if (d->at.when == PF_WHEN_LATER) {
        PF_TRY(pf_import_defer(im, d->r, &d->at, im->t->events.count - 1, PF_NONE));
    }
    return d->has_value ? pf_values_add_sample(d, d->row.track, d->value, im->t->events.count - 1) : PF_OK;
}

/* Sets ts and marks times that cannot be used. */
static void settle_time(pf_draft *d)
{
    if (d->at.when == PF_WHEN_MISSING) {
        pf_draft_count(d, PF_STAT_EVENT_NO_TIMESTAMP);
        d->row.phase |= PF_PHASE_BAD_TS;
        d->row.ts = 0;
        return;
    }
    int64_t last = d->im->t->events.last_ts;
    d->row.ts = d->at.when == PF_WHEN_KNOWN ? d->at.ts : last > 0 ? last : 0;
    if (d->row.ts < 0) {
        pf_draft_count(d, PF_STAT_EVENT_BAD_TIMESTAMP);
    }
}

/* Reads times and values, which change the state of the sequence in file order. *dropped: the event goes, and what is
 * wrong with it was counted. */
static pf_status read_numbers(pf_draft *d, pf_extras *extra, bool *dropped)
{
    if (d->r->has & PF_HAS_DELTAS) {
        PF_TRY(read_legacy_time(d, dropped));
    }
    if (*dropped) {
        return PF_OK;
    }
    settle_time(d);
    if (d->at.when == PF_WHEN_MISSING) {
        return PF_OK;
    }
    if (d->r->has & PF_HAS_DELTAS) {
        pf_values_read_clocks(d, dropped);
    }
    if (!*dropped && d->r->type == PF_EVENT_COUNTER) {
        PF_TRY(pf_values_read_counter(d, dropped));
    }
    if (!*dropped && d->r->has & PF_HAS_EXTRA) {
        d->extra = extra;
        PF_TRY(pf_values_read_extras(d, dropped));
    }
    return PF_OK;
}

/* Whether the track that the event names exists from it on, although its phase moves it to another one or to none. */
static bool makes_track(const pf_draft *d)
{
    if (d->state == PF_NONE || never_happened(d)) {
        return false;
    }
    const pf_uuid_track *s = &d->im->tracks.list[d->state];
    bool merges = s->scope == PF_SCOPE_PLAIN && s->merge != PF_MERGE_NONE;
    uint32_t phase = d->legacy->phase;
    bool is_flow = phase == 's' || phase == 't' || phase == 'f';
    return pf_legacy_is_async(phase) || pf_legacy_is_wide(d->legacy, d->upid != PF_NONE) ||
           (is_flow && d->scope_known && !merges);
}

/* Such an event, and every legacy flow, may give its track a name if that has none. */
static void note_passing(pf_draft *d)
{
    uint32_t phase = d->legacy->phase;
    bool is_flow = (phase == 's' || phase == 't' || phase == 'f') && d->legacy->has_unscoped_id && !never_happened(d);
    bool makes = makes_track(d) || (is_flow && d->state == PF_NONE); /* that of a thread */
    d->im->t->tracks.used[d->row.track] |= makes;
    if (d->state == PF_NONE || (!makes && !is_flow)) {
        return;
    }
    pf_uuid_track *s = &d->im->tracks.list[d->state];
    if (d->row.ts >= 0 && d->row.ts < s->passed_at) {
        s->passed_at = d->row.ts;
        s->passed_name = d->row.name;
    }
}

/* Track, name and categories, then the row. *added: it has one; else it goes, and that is to be counted. */
static pf_status read_rest(pf_draft *d, bool *added)
{
    bool dropped = false, ok = true;
    PF_TRY(find_track(d, &dropped));
    uint32_t state = d->state;
    if (dropped) {
        return PF_OK;
    }
    PF_TRY(read_name(d));
    PF_TRY(read_category(d));
    if (d->legacy->phase && d->r->type != PF_EVENT_COUNTER) {
        note_passing(d);
        PF_TRY(pf_legacy_place(d, &ok));
    }
    if (ok) {
        *added = true;
        return append(d);
    }
    bool rooted = state == PF_NONE || d->scope_known || d->im->tracks.list[state].uuid == 0;
    bool placed = rooted && d->legacy->phase != 'i' && d->legacy->phase != 'I';
    return placed && !never_happened(d) ? pf_values_add_samples(d) : PF_OK; /* its clocks count all the same */
}

pf_status pf_import_event(pf_import *im, const pf_record *r, pf_sequence *q, const pf_moment *at)
{
    static const pf_legacy no_legacy = {0};
    pf_draft d = {.im = im,
                  .r = r,
                  .q = q,
                  .at = *at,
                  .legacy = &no_legacy,
                  .state = PF_NONE,
                  .upid = PF_NONE,
                  .utid = PF_NONE,
                  .passed_utid = PF_NONE,
                  .thread = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN}};
    bool dropped = false;
    pf_legacy legacy;
    pf_extras extra;
    if (!q) {
        pf_draft_count(&d, PF_STAT_EVENT_NO_SEQUENCE);
        return PF_OK;
    }
    if (r->has & PF_HAS_DAMAGE) {
        pf_draft_count(&d, PF_STAT_PROTO_PACKET_DAMAGED);
    }
    if (r->has & PF_HAS_LEGACY) {
        legacy = pf_legacy_read(r->event, r->event_len);
        d.legacy = &legacy;
    }
    d.row.phase = phase_of(&d);
    PF_TRY(read_numbers(&d, &extra, &dropped));
    if (dropped) {
        return PF_OK;
    }
    uint32_t unresolved = im->late.name_count;
    bool added = false;
    if (d.row.phase & ~PF_PHASE_BAD_TS) { /* else it means nothing */
        PF_TRY(read_rest(&d, &added));
    }
    if (!added) {
        im->late.name_count = unresolved;
        pf_draft_count(&d, PF_STAT_EVENT_ERRORS);
    }
    return PF_OK;
}
