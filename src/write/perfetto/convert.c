/* write/perfetto/convert.c - from the event table to packets.
 *
 * Perfetto sorts packets by time and keeps file order among equal times, so events can be written in file order even
 * where that order is not that of time; file order is also what keeps the order in which processes were named. Traces
 * without complete events are written so, with metadata events as descriptors at their place. Counter samples are in a
 * table of their own, in order of time; they are slipped in before the first event that is not earlier.
 *
 * Traces with complete events are written in processing order, because then the order at equal times matters
 * (complete_events.c), and packed: the names first, then the events track by track, on a clock that counts on from
 * packet to packet, then the samples counter by counter. What the events of a track have in common is said once, and
 * times are small numbers. Only where a flow passes between tracks within one instant does the order among tracks
 * matter, and the events stay in order of time.
 *
 * What Perfetto would drop or cannot show is left out: events without a usable time, times before zero, phases that
 * have no packet.
 */
#include "write/perfetto/convert.h"

#include "base/str.h"
#include "model/trace/trace.h"
#include "write/perfetto/complete_events.h"
#include "write/perfetto/debug_annotations.h"
#include "write/perfetto/instants.h"
#include "write/perfetto/write_notes.h"
#include "write/perfetto/write_order.h"

/* Track by track, arguments are read from all over the memory: those of the event so many places ahead are fetched. */
#define PREFETCH_EVENTS 8u

typedef struct converter {
    const pf_trace *t;
    pf_identity *who;
    pf_packets *packets;
    pf_track_writer tracks;
    pf_complete complete;
    pf_flow_order flows;
    pf_instants instants;
    pf_notes notes;
    bool packed;
    uint32_t home;                      /* packed: the track whose events are being written */
    uint32_t sample;                    /* next row of table counter */
    uint32_t name_process, name_thread; /* string ids of the metadata events' names, PF_NONE if unused */
    pf_annotator args;
    pf_buffer text;
} converter;

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static bool starts_with(pf_str s, const char *prefix, size_t len)
{
    return s.len >= len && memcmp(s.ptr, prefix, len) == 0;
}

/* Attributes that every file of ours says itself. */
static bool is_ours(pf_str key)
{
    static const char *const own[] = {"postfetto.version", "postfetto.time_unit"};
    bool found = false;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        found |= pf_str_is(key, own[i]);
    }
    return found;
}

/* Attributes of the input, and what Chrome JSON calls metadata, are kept; what this file says itself is not repeated.
 */
static void copy_metadata(const pf_identity *who, pf_packets *packets)
{
    static const char attribute[] = "trace_attribute.", json[] = "json_metadata.";
    const pf_metadata *m = pf_trace_metadata(who->t);
    for (uint32_t i = 0; i < m->count; i++) {
        pf_str key = pf_trace_string(who->t, m->name[i]);
        if (starts_with(key, attribute, sizeof attribute - 1)) {
            key.ptr += sizeof attribute - 1;
            key.len -= sizeof attribute - 1;
            if (is_ours(key)) {
                continue;
            }
        } else if (!starts_with(key, json, sizeof json - 1)) {
            continue;
        }
        pf_packets_attribute(packets, key, pf_trace_string(who->t, m->text[i]), m->number[i]);
    }
}

static bool has_metadata(const pf_trace *t, pf_str key)
{
    const pf_metadata *m = pf_trace_metadata(t);
    uint32_t name = pf_trace_find_string(t, key);
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->name[i] == name) {
            return true;
        }
    }
    return false;
}

void pf_convert_attributes(const pf_identity *who, pf_packets *packets)
{
    const char *version = pf_version();
    pf_packets_attribute(packets, PF_STR("postfetto.version"), (pf_str){version, strlen(version)}, 0);
    bool told = who->in_place && has_metadata(who->t, PF_STR("trace_attribute.postfetto.time_unit"));
    if (pf_trace_time_unit(who->t) == PF_UNIT_CYCLE && !told) {
        pf_packets_attribute(packets, PF_STR("postfetto.time_unit"), PF_STR("cycle"), 0);
    }
    if (!who->in_place) {
        if (who->names_follow) {
            pf_packets_attribute(packets, PF_STR("postfetto.source"), PF_STR("chrome-json"), 0);
        }
        if (who->names_follow && who->t->events.has_complete) {
            pf_packets_attribute(packets, PF_STR("postfetto.complete"), PF_STR("pairs"), 0);
        }
        pf_identity_attributes(who, packets);
        copy_metadata(who, packets);
    }
}

/* ---- metadata events --------------------------------------------------------------------------------------------- */

static bool make_room(pf_buffer *b, uint64_t len)
{
    static const char blank[64];
    for (b->len = 0; b->len < len && !b->failed;) {
        pf_buffer_put(b, blank, sizeof blank);
    }
    return !b->failed;
}

/* args.name of a metadata event; {NULL, 0} if there is no such text. */
static pf_str name_argument(converter *c, uint32_t row)
{
    const pf_str key = PF_STR("name");
    uint64_t len = make_room(&c->text, 1) ? pf_trace_arg_text(c->t, row, key, c->text.data, c->text.cap) : PF_NOWHERE;
    if (len != PF_NOWHERE && len > c->text.cap) {
        len = make_room(&c->text, len) ? pf_trace_arg_text(c->t, row, key, c->text.data, c->text.cap) : PF_NOWHERE;
    }
    return len == PF_NOWHERE ? (pf_str){NULL, 0} : (pf_str){c->text.data, (size_t)len};
}

/* Whether the string `id` is another name than `name`. */
static bool is_other_name(const pf_trace *t, uint32_t id, pf_str name)
{
    pf_str s = pf_trace_string(t, id);
    return s.len && !pf_str_equal(s, name);
}

/* Whether the event names its process or thread, in a descriptor that was written now. Names that others override are
 * not described: the last descriptor counts, but among events the one with the latest time (in cycles: the last one,
 * too). */
static bool write_name(converter *c, uint32_t row)
{
    const pf_events *e = pf_trace_events(c->t);
    const pf_tracks *tr = pf_trace_tracks(c->t);
    uint32_t track = e->track[row];
    if (track >= tr->count || e->phase[row] != 'M') {
        return false;
    }
    bool process = e->name[row] == c->name_process && tr->upid[track] != PF_NONE;
    bool thread = e->name[row] == c->name_thread && tr->utid[track] != PF_NONE;
    pf_str name = process || thread ? name_argument(c, row) : (pf_str){NULL, 0};
    if (name.len && pf_trace_time_unit(c->t) != PF_UNIT_CYCLE &&
        is_other_name(c->t,
                      process ? pf_trace_processes(c->t)->name[tr->upid[track]]
                              : pf_trace_threads(c->t)->name[tr->utid[track]],
                      name)) {
        return false;
    }
    if (process) {
        /* Without a usable name the process has none from here on; empty names are the way to say it. A text for an id
         * stays its name. */
        if (!name.len && pf_trace_processes(c->t)->kind[tr->upid[track]] == PF_ID_TEXT) {
            pf_identity_process(c->who, c->packets, tr->upid[track]);
        }
        pf_str note = name.len ? pf_notes_named(&c->notes, row) : (pf_str){NULL, 0};
        pf_identity_name_process(c->who, c->packets, tr->upid[track], name.ptr ? name : PF_STR(""), note);
    } else if (thread && name.ptr) {
        if (!name.len && pf_trace_threads(c->t)->kind[tr->utid[track]] == PF_ID_TEXT) {
            pf_identity_thread(c->who, c->packets, tr->utid[track]);
        }
        pf_str note = name.len ? pf_notes_named(&c->notes, row) : (pf_str){NULL, 0};
        pf_identity_name_thread(c->who, c->packets, tr->utid[track], name, note);
    }
    return name.len > 0;
}

static void write_metadata(converter *c, uint32_t row)
{
    if (!write_name(c, row)) {
        pf_notes_leave(&c->notes, row);
    }
}

static void write_all_names(converter *c)
{
    const pf_events *e = pf_trace_events(c->t);
    for (uint32_t row = 0; row < e->count; row++) {
        if ((e->phase[row] & ~PF_PHASE_BAD_TS) == 'M') {
            write_metadata(c, row);
        }
    }
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* Thread clocks of packets are counters besides; Perfetto makes them of the events again. */
static bool is_clock(const converter *c, uint32_t track)
{
    uint8_t type = pf_trace_tracks(c->t)->type[track];
    return type == PF_TRACK_THREAD_TIME || type == PF_TRACK_THREAD_INSTRUCTIONS;
}

static void write_sample(converter *c, uint32_t i)
{
    const pf_counters *s = pf_trace_counters(c->t);
    if (s->ts[i] >= 0 && !is_clock(c, s->track[i])) {
        uint64_t track = pf_track_writer_uuid(&c->tracks, s->track[i]);
        pf_notes_sample(&c->notes, i);
        pf_packets_counter(c->packets, s->ts[i], track, s->value[i]);
    }
}

static void write_samples_before(converter *c, int64_t ts, bool all)
{
    const pf_counters *s = pf_trace_counters(c->t);
    for (; c->sample < s->count && (all || s->ts[c->sample] < ts); c->sample++) {
        write_sample(c, c->sample);
    }
}

/* Counter by counter; those that share an axis stay together, as the events that they come from. */
static pf_status write_samples_by_track(converter *c, pf_error *err)
{
    const pf_counters *s = pf_trace_counters(c->t);
    uint32_t *order = NULL, last = PF_NONE;
    pf_status st = pf_order_samples(&c->tracks, c->who->budget, &order, err);
    for (uint32_t i = 0; i < s->count && st == PF_OK; i++) {
        uint32_t row = order[i], track = s->track[row];
        if (track != last && s->ts[row] >= 0) {
            pf_packets_default_track(c->packets, pf_track_writer_uuid(&c->tracks, track));
            last = track;
        }
        write_sample(c, row);
        st = c->packets->failed;
    }
    pf_release(c->who->budget, order, order ? (size_t)s->count * sizeof *order : 0);
    return st;
}

/* ---- flows ------------------------------------------------------------------------------------------------------- */

/* The first flow of an event, or flow_refs.count. */
static uint32_t first_flow(const pf_trace *t, uint32_t row)
{
    uint32_t count = t->flow_refs.count;
    uint32_t i = count ? pf_rows_lower_bound(t->flow_refs.event, count, row) : 0;
    return i < count && t->flow_refs.event[i] == row ? i : count;
}

/* The members of a legacy event that bind a slice to a flow. */
static void put_bind(converter *c, uint64_t id, pf_flow_kind kind)
{
    pf_writer_varint(&c->packets->w, PF_F_LEGACY_BIND_ID, id);
    pf_writer_varint(&c->packets->w, PF_F_LEGACY_FLOW_DIRECTION,
                     kind == PF_FLOW_BIND_START  ? PF_FLOW_DIRECTION_OUT
                     : kind == PF_FLOW_BIND_STEP ? PF_FLOW_DIRECTION_INOUT
                                                 : PF_FLOW_DIRECTION_IN);
}

static bool is_bind(pf_flow_kind kind)
{
    return kind == PF_FLOW_BIND_START || kind == PF_FLOW_BIND_STEP || kind == PF_FLOW_BIND_END;
}

/* The flow ids that the event carries itself, and what only a legacy event can say. */
static void write_flows(converter *c, uint32_t row, const pf_complete_step *step)
{
    const pf_trace *t = c->t;
    int64_t us[4] = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    uint32_t i = first_flow(t, row), bind = t->flow_refs.count;
    for (; i < t->flow_refs.count && t->flow_refs.event[i] == row; i++) {
        uint8_t kind = t->flow_refs.kind[i];
        if (kind == PF_FLOW_FLOW || kind == PF_FLOW_TERMINATE) {
            pf_writer_fixed64(&c->packets->w,
                              kind == PF_FLOW_FLOW ? PF_F_EVENT_FLOW_IDS : PF_F_EVENT_TERMINATING_FLOW_IDS,
                              t->flow_refs.id[i]);
        } else if (is_bind(kind)) {
            bind = i;
        }
    }
    if (t->thread_times.count && pf_thread_clock_us(t, row, us)) {
        pf_put_thread_clock(c->packets, us[0], us[2]);
    }
    if (step->phase || bind < t->flow_refs.count) {
        pf_writer_begin(&c->packets->w, PF_F_EVENT_LEGACY_EVENT);
        if (step->phase) {
            pf_writer_varint(&c->packets->w, PF_F_LEGACY_PHASE, step->phase);
            pf_writer_varint(&c->packets->w, PF_F_LEGACY_DURATION_US, (uint64_t)step->dur_us);
        }
        if (step->phase && us[1] != INT64_MIN) {
            pf_writer_varint(&c->packets->w, PF_F_LEGACY_THREAD_DURATION_US, (uint64_t)us[1]);
        }
        if (step->phase && us[3] != INT64_MIN) {
            pf_writer_varint(&c->packets->w, PF_F_LEGACY_THREAD_INSTRUCTION_DELTA, (uint64_t)us[3]);
        }
        if (bind < t->flow_refs.count) {
            put_bind(c, t->flow_refs.id[bind], t->flow_refs.kind[bind]);
        }
        pf_writer_end(&c->packets->w);
    }
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void put_event_head(converter *c, uint32_t row, int64_t ts, const pf_complete_step *step)
{
    pf_label name = {step->name, pf_trace_string(c->t, step->name)};
    pf_label category = {step->category, pf_trace_string(c->t, step->category)};
    if (!c->packed) {
        write_samples_before(c, pf_trace_events(c->t)->ts[row], false);
    }
    pf_packets_event(c->packets, ts, step->type, step->track, name, category);
}

static pf_status put_event_args(converter *c, uint32_t row, pf_error *err)
{
    c->args.lossy = false;
    return c->t->args.count ? pf_annotate_event(&c->args, c->t, row, err) : PF_OK;
}

/* Whether the packet says the thread clock of the event in other numbers, or not at all. */
static bool loses_clock(const pf_trace *t, uint32_t row, bool instant)
{
    int64_t us[4] = {0};
    uint32_t i = t->thread_times.count ? pf_rows_lower_bound(t->thread_times.event, t->thread_times.count, row) : 0;
    return i < t->thread_times.count && t->thread_times.event[i] == row &&
           (!pf_thread_clock_us(t, row, us) || (instant && us[1] == INT64_MIN));
}

/* Traces without complete events of any length: every begin, end and instant as it stands. */
static void plain_step(converter *c, uint32_t row, pf_complete_step *step)
{
    const pf_events *e = pf_trace_events(c->t);
    uint8_t action = pf_slice_action(c->t, row);
    uint32_t track = e->track[row];
    *step = (pf_complete_step){.type = action == 'E'   ? PF_EVENT_SLICE_END
                                       : action == 'B' ? PF_EVENT_SLICE_BEGIN
                                                       : PF_EVENT_INSTANT};
    step->name = action == 'E' ? e->name[row] : pf_trace_slice_name(c->t, row, track);
    step->category = e->category ? e->category[row] : 0;
    if (e->phase[row] == 'X' && e->dur[row] != 0) {
        step->type = PF_EVENT_UNSPECIFIED; /* its duration was unusable */
        return;
    }
    step->track = pf_track_writer_uuid(&c->tracks, track);
    if (action == 'X' && pf_trace_tracks(c->t)->utid[track] != PF_NONE) {
        step->type = PF_EVENT_UNSPECIFIED;
        step->phase = 'X';
    }
}

/* The track whose slices the event makes. */
static uint32_t home_of(const converter *c, uint32_t row)
{
    return c->packed ? pf_complete_home(&c->complete, row)
                     : pf_trace_home_track(c->t, pf_trace_events(c->t)->track[row]);
}

static pf_status write_event(converter *c, uint32_t row, pf_error *err)
{
    pf_complete_step step;
    pf_status st = PF_OK;
    if (c->packed) {
        st = pf_complete_next(&c->complete, row, &step, err);
    } else {
        plain_step(c, row, &step);
    }
    if (st != PF_OK) {
        return st;
    }
    if (step.type == PF_EVENT_UNSPECIFIED && !step.phase) {
        pf_notes_leave(&c->notes, row);
        return PF_OK;
    }
    bool was_complete = pf_trace_events(c->t)->phase[row] == 'X';
    uint32_t slice = c->packed && was_complete ? c->complete.slice_of[row] : PF_NONE;
    int64_t length = step.phase ? step.dur_us * 1000 : slice != PF_NONE ? pf_trace_slices(c->t)->dur[slice] : 0;
    int64_t ts = pf_trace_events(c->t)->ts[row];
    bool begins =
        !was_complete && step.type == PF_EVENT_INSTANT && pf_instants_begins(&c->instants, row, home_of(c, row), ts);
    step.type = begins ? PF_EVENT_SLICE_BEGIN : step.type;
    pf_packet_form form = {.name = step.name,
                           .category = step.category,
                           .changed = was_complete ? step.type == PF_EVENT_INSTANT : begins,
                           .clock_differs = loses_clock(c->t, row, was_complete && step.type == PF_EVENT_INSTANT),
                           .length_differs = slice != PF_NONE && length != pf_trace_events(c->t)->dur[row]};
    put_event_head(c, row, ts, &step);
    st = put_event_args(c, row, err);
    form.args_differ = c->args.lossy;
    write_flows(c, row, &step);
    pf_notes_event(&c->notes, row, &form);
    pf_packets_event_end(c->packets);
    return st;
}

/* The ends of instants that were written as begins, if this is where they belong. */
static void write_ends(converter *c, uint32_t row)
{
    const pf_label none = {PF_NONE, {NULL, 0}};
    uint32_t track = home_of(c, row);
    for (uint32_t n = pf_instants_ends(&c->instants, row, track); n > 0; n--) {
        pf_packets_event(c->packets, c->instants.since[track], PF_EVENT_SLICE_END,
                         pf_track_writer_uuid(&c->tracks, track), none, none);
        if (!c->packed) {
            pf_notes_hide(&c->notes);
        }
        pf_packets_event_end(c->packets);
    }
}

/* The time at which a flow is said. Perfetto takes a slice with an end off its stack there, where a complete event of
 * JSON stays until the next slice, and flows bind to it: they are said at its end, in front of the packet of the end.
 */
static int64_t flow_time(converter *c, uint32_t row, uint32_t entry, uint64_t *track)
{
    const pf_trace *t = c->t;
    int64_t ts = pf_trace_events(t)->ts[row];
    uint32_t home = home_of(c, row), bound = t->flow_refs.bound ? t->flow_refs.bound[entry] : 0;
    int64_t moved = pf_instants_flow_time(&c->instants, row, home, ts);
    if (!c->packed || moved != ts) {
        return moved;
    }
    uint32_t slice = bound ? bound - pf_flow_bound(0) : PF_NONE, lane = pf_complete_lane_of(&c->complete, home, slice);
    *track = pf_complete_lane_uuid(&c->complete, lane);
    if (t->flow_refs.kind[entry] != PF_FLOW_END_NEXT) {
        pf_complete_uncover(&c->complete, lane, slice, ts);
        int64_t ended = pf_complete_ended(&c->complete, lane, ts);
        if (ended < ts && pf_flow_order_may_move(&c->flows, entry, ended)) {
            return ended;
        }
    }
    pf_complete_settle(&c->complete, lane, ts);
    return ts;
}

/* A start, step or end of a flow: a legacy event that binds itself as Chrome's do. Ends that nothing leads to are left
 * out, because Perfetto would take them for ends of the first slice's flow. Other letters that mean nothing to Perfetto
 * are written as they are; it keeps such events in its raw table. */
static pf_status write_legacy(converter *c, uint32_t row, pf_error *err)
{
    const pf_trace *t = c->t;
    const pf_events *e = pf_trace_events(t);
    uint32_t i = first_flow(t, row);
    bool flow = i < t->flow_refs.count;
    uint8_t phase = e->phase[row];
    bool is_flow = phase == 's' || phase == 't' || phase == 'f';
    bool loose = flow && c->notes.text.exact && pf_flow_order_is_loose(&c->flows, i);
    if (is_flow && (!flow || loose)) {
        pf_notes_leave(&c->notes, row);
        return PF_OK;
    }
    pf_complete_step step = {.name = e->name[row],
                             .category = e->category ? e->category[row] : 0,
                             .track = pf_track_writer_uuid(&c->tracks, e->track[row])};
    int64_t ts = is_flow ? flow_time(c, row, i, &step.track) : e->ts[row];
    if (c->packed && !is_flow) {
        pf_complete_settle(&c->complete, home_of(c, row), ts);
    }
    put_event_head(c, row, ts, &step);
    pf_packet_form form = {.name = step.name, .category = step.category, .time_differs = ts != e->ts[row]};
    pf_status st = put_event_args(c, row, err);
    form.args_differ = c->args.lossy;
    pf_writer_begin(&c->packets->w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&c->packets->w, PF_F_LEGACY_PHASE, phase);
    if (is_flow) {
        pf_writer_varint(&c->packets->w, PF_F_LEGACY_UNSCOPED_ID, pf_notes_flow_id(&c->notes, row, t->flow_refs.id[i]));
        if (t->flow_refs.kind[i] == PF_FLOW_END) {
            pf_writer_varint(&c->packets->w, PF_F_LEGACY_BIND_TO_ENCLOSING, 1);
        }
    }
    pf_writer_end(&c->packets->w);
    pf_notes_event(&c->notes, row, &form);
    pf_packets_event_end(c->packets);
    return st;
}

static pf_status write_row(converter *c, uint32_t row, pf_error *err)
{
    c->packets->sink->row++;
    const pf_events *e = pf_trace_events(c->t);
    uint8_t phase = e->phase[row];
    if ((phase & ~PF_PHASE_BAD_TS) == 'M') {
        if (!c->packed) {
            write_metadata(c, row);
        }
        return PF_OK;
    }
    bool usable = !(phase & PF_PHASE_BAD_TS) && e->ts[row] >= 0;
    if (usable && pf_slice_action(c->t, row)) {
        return write_event(c, row, err);
    }
    if (usable && phase && strchr("stfNODVvc()=", phase)) {
        return write_legacy(c, row, err);
    }
    pf_notes_leave(&c->notes, row);
    return PF_OK;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* The next track's events begin: the tracks of the row's events are the default until then. */
static void enter_track(converter *c, uint32_t row)
{
    const pf_tracks *tr = pf_trace_tracks(c->t);
    uint32_t track = pf_complete_home(&c->complete, row);
    if (track != c->home) {
        if (c->home != PF_NONE) {
            pf_complete_leave(&c->complete, c->home);
        }
        c->home = track;
        if (!pf_track_is_async(tr, track)) {
            pf_packets_default_track(c->packets, pf_track_writer_uuid(&c->tracks, track));
        }
    }
}

/* Whether the row has a packet with a time. */
static bool is_timed(const pf_events *e, uint32_t row)
{
    return !(e->phase[row] & PF_PHASE_BAD_TS) && e->phase[row] != 'M' && e->ts[row] >= 0;
}

/* How often the events will say each name: once for each slice and instant, again for ends that say one. */
static pf_status plan_names(converter *c, pf_error *err)
{
    const pf_events *e = pf_trace_events(c->t);
    const pf_slices *s = pf_trace_slices(c->t);
    uint32_t strings = c->t->strings.count;
    uint32_t *uses = pf_alloc_zero(c->who->budget, (size_t)strings + 1, sizeof *uses);
    if (!uses) {
        return pf_budget_refused(c->who->budget, (uint64_t)strings * sizeof *uses, err);
    }
    for (uint32_t row = 0; row < e->count; row++) {
        uint32_t slice = c->complete.slice_of[row];
        uses[slice != PF_NONE ? pf_slice_name(s, slice) : is_timed(e, row) ? e->name[row] : 0]++;
    }
    uses[0] = 0; /* no name */
    pf_status st = pf_packets_plan_names(c->packets, uses, strings, err);
    pf_release(c->who->budget, uses, ((size_t)strings + 1) * sizeof *uses);
    return st;
}

static pf_status write_packed(converter *c, pf_error *err)
{
    const pf_events *e = pf_trace_events(c->t);
    uint32_t *order = NULL;
    pf_budget *budget = c->who->budget;
    pf_status st = plan_names(c, err);
    st = st == PF_OK ? pf_trace_event_order(c->t, budget, &order, err) : st;
    st = st == PF_OK ? pf_flow_order_init(&c->flows, c->t, order, &c->complete, budget, err) : st;
    st = st == PF_OK ? pf_instants_plan(&c->instants, c->t, order, &c->complete, budget, err) : st;
    bool by_track = st == PF_OK && !c->flows.tied;
    st = by_track ? pf_complete_group(&c->complete, &order, err) : st;
    for (uint32_t i = 0; i < e->count && st == PF_OK; i++) {
        uint32_t row = order ? order[i] : i;
        if (order && e->count - i > PREFETCH_EVENTS) {
            pf_trace_prefetch_args(c->t, order[i + PREFETCH_EVENTS]);
        }
        if (by_track && is_timed(e, row)) {
            enter_track(c, row);
        }
        st = write_row(c, row, err);
        write_ends(c, row);
        st = st == PF_OK ? c->packets->failed : st;
    }
    pf_release(budget, order, order ? (size_t)e->count * sizeof *order : 0);
    if (st == PF_OK) {
        pf_complete_finish(&c->complete);
        st = write_samples_by_track(c, err);
    }
    return st;
}

static pf_status write_plain(converter *c, pf_error *err)
{
    uint32_t count = pf_trace_events(c->t)->count, *order = NULL;
    pf_budget *budget = c->who->budget;
    pf_status st = PF_OK;
    if (c->t->flow_refs.count || c->t->thread_times.count) {
        st = pf_trace_event_order(c->t, budget, &order, err);
        st = st == PF_OK ? pf_flow_order_init(&c->flows, c->t, order, NULL, budget, err) : st;
        st = st == PF_OK ? pf_instants_plan(&c->instants, c->t, order, NULL, budget, err) : st;
        pf_release(budget, order, order ? (size_t)count * sizeof *order : 0);
    }
    for (uint32_t row = 0; row < count && st == PF_OK; row++) {
        st = write_row(c, row, err);
        write_ends(c, row);
        st = st == PF_OK ? c->packets->failed : st;
    }
    if (st == PF_OK) {
        write_samples_before(c, 0, true);
    }
    return st;
}

/* The earliest time that a packet will have. */
static int64_t first_time(const pf_trace *t)
{
    const pf_events *e = pf_trace_events(t);
    const pf_counters *k = pf_trace_counters(t);
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < e->count; i++) {
        first = is_timed(e, i) && e->ts[i] < first ? e->ts[i] : first;
    }
    for (uint32_t i = 0; i < k->count; i++) {
        first = k->ts[i] >= 0 && k->ts[i] < first ? k->ts[i] : first;
    }
    return first == INT64_MAX ? 0 : first;
}

static pf_status check_wanted(const pf_trace *t, pf_error *err)
{
    uint32_t need = PF_WANT_EVENTS | PF_WANT_COUNTERS | PF_WANT_ARGS;
    need |= t->events.has_complete ? PF_WANT_SLICES : 0;
    if ((t->want & need) != need) {
        return pf_fail(err, PF_ERR_USAGE,
                       "the trace was read without the tables that a conversion needs; ask for events, counters, "
                       "arguments and slices");
    }
    return PF_OK;
}

/* What the file says about itself, and in packed traces the names of processes and threads. Device properties, metadata
 * events and the like are long and say everything often: compressed. */
static void write_head(converter *c)
{
    pf_packets_hand_over(c->packets);
    bool begun = pf_sink_begin_bundles(c->packets->sink, PF_BUNDLE_LEAST);
    pf_convert_attributes(c->who, c->packets);
    pf_packets_hand_over(c->packets);
    pf_notes_document(&c->notes);
    if (c->packed) {
        write_all_names(c);
        pf_packets_hand_over(c->packets);
    }
    pf_notes_end(&c->notes);
    if (begun) {
        pf_sink_end_bundles(c->packets->sink);
    }
}

pf_status pf_convert_trace(const pf_trace *t, pf_identity *who, pf_packets *packets, pf_error *err)
{
    converter c = {.t = t,
                   .who = who,
                   .packets = packets,
                   .packed = t->events.has_complete,
                   .home = PF_NONE,
                   .name_process = pf_trace_find_string(t, PF_STR("process_name")),
                   .name_thread = pf_trace_find_string(t, PF_STR("thread_name"))};
    pf_status st = check_wanted(t, err);
    pf_annotator_init(&c.args, packets);
    if (st == PF_OK) {
        st = pf_track_writer_init(&c.tracks, who, packets, err);
    }
    if (st == PF_OK) {
        st = pf_notes_init(&c.notes, t, packets, c.tracks.share, err);
        who->hides_names = c.notes.wanted;
    }
    if (st == PF_OK && c.packed) {
        st = pf_complete_init(&c.complete, t, packets, &c.tracks, err);
        c.complete.notes = &c.notes;
        pf_packets_start_clock(packets, first_time(t));
    }
    if (st == PF_OK) {
        packets->sink->rows = pf_trace_events(t)->count;
        write_head(&c);
        st = c.packed ? write_packed(&c, err) : write_plain(&c, err);
        pf_notes_end(&c.notes);
    }
    if (st == PF_OK && c.text.failed) {
        st = pf_fail(err, PF_ERR_MEMORY, "the system refused memory for a name");
    }
    if (packets->failed != PF_OK && (st == PF_OK || st == packets->failed)) {
        st = packets->failed;
        if (err) {
            *err = packets->error;
        }
    }
    pf_complete_free(&c.complete);
    pf_notes_free(&c.notes);
    pf_flow_order_free(&c.flows);
    pf_instants_free(&c.instants);
    pf_track_writer_free(&c.tracks);
    pf_annotator_free(&c.args);
    pf_buffer_free(&c.text);
    return st;
}
