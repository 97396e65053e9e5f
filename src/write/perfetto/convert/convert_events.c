/* write/perfetto/convert/convert_events.c - one row of the event table as a packet, with its arguments and flows;
 * samples. */
#include <string.h>

#include "base/list.h"
#include "write/perfetto/convert/converter.h"

/* Thread clocks of packets are counters besides; Perfetto makes them of the events again. */
static bool is_clock(const pf_converter *c, uint32_t track)
{
    uint8_t type = pf_trace_tracks(c->t)->type[track];
    return type == PF_TRACK_THREAD_TIME || type == PF_TRACK_THREAD_INSTRUCTIONS;
}

static void write_sample(pf_converter *c, uint32_t i)
{
    const pf_counters *s = pf_trace_counters(c->t);
    if (s->ts[i] >= 0 && !is_clock(c, s->track[i])) {
        uint64_t track = pf_track_writer_uuid(&c->tracks, s->track[i]);
        pf_notes_sample(&c->notes, i);
        pf_packets_counter(c->packets, s->ts[i], track, s->value[i]);
    }
}

void pf_convert_samples(pf_converter *c, int64_t ts, bool all)
{
    const pf_counters *s = pf_trace_counters(c->t);
    for (; c->sample < s->count && (all || s->ts[c->sample] < ts); c->sample++) {
        write_sample(c, c->sample);
    }
}

/* Counter by counter; those that share an axis stay together, as the events that they come from. */
pf_status pf_convert_samples_by_track(pf_converter *c, pf_error *err)
{
    const pf_counters *s = pf_trace_counters(c->t);
    uint32_t *order = NULL, last = PF_NONE;
    pf_status st = pf_order_samples(&c->tracks, c->who->budget, &order, err);
    for (uint32_t i = 0; i < s->count && st == PF_OK && c->packets->failed == PF_OK; i++) {
        uint32_t row = order[i], track = s->track[row];
        if (track != last && s->ts[row] >= 0) {
            pf_packets_default_track(c->packets, pf_track_writer_uuid(&c->tracks, track));
            last = track;
        }
        write_sample(c, row);
    }
    PF_LIST_FREE(c->who->budget, order, s->count);
    return st;
}

/* The first flow of an event, or flow_refs.count. */
static uint32_t first_flow(const pf_trace *t, uint32_t row)
{
    uint32_t i = pf_rows_find(t->flow_refs.event, t->flow_refs.count, row, NULL);
    return i != PF_NONE ? i : t->flow_refs.count;
}

/* The members of a legacy event that bind a slice to a flow. */
static void put_bind(pf_converter *c, uint64_t id, pf_flow_kind kind)
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
static void write_flows(pf_converter *c, uint32_t row, const pf_complete_step *step)
{
    const pf_trace *t = c->t;
    int64_t us[4] = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    uint32_t i = first_flow(t, row), bind = t->flow_refs.count;
    for (; i < t->flow_refs.count && t->flow_refs.event[i] == row; i++) {
        uint8_t kind = t->flow_refs.kind[i];
        bool goes_on = kind == PF_FLOW_FLOW || kind == PF_FLOW_ARROW_FROM;
        if (goes_on || kind == PF_FLOW_TERMINATE || kind == PF_FLOW_ARROW_TO) {
            pf_writer_fixed64(&c->packets->w, goes_on ? PF_F_EVENT_FLOW_IDS : PF_F_EVENT_TERMINATING_FLOW_IDS,
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

static void put_event_head(pf_converter *c, uint32_t row, int64_t ts, const pf_complete_step *step)
{
    pf_label name = {step->name, pf_trace_string(c->t, step->name)};
    pf_label category = {step->category, pf_trace_string(c->t, step->category)};
    if (!c->packed) {
        pf_convert_samples(c, pf_trace_events(c->t)->ts[row], false);
    }
    pf_packets_event(c->packets, ts, step->type, step->track, name, category);
}

static void put_event_args(pf_converter *c, uint32_t row)
{
    c->args.lossy = false;
    if (c->t->args.count) {
        pf_annotate_event(&c->args, c->t, row);
    }
}

/* Whether the packet says the thread clock of the event in other numbers, or not at all. */
static bool loses_clock(const pf_trace *t, uint32_t row, bool instant)
{
    int64_t us[4] = {0};
    return pf_rows_find(t->thread_times.event, t->thread_times.count, row, NULL) != PF_NONE &&
           (!pf_thread_clock_us(t, row, us) || (instant && us[1] == INT64_MIN));
}

/* Traces without complete events of any length: every begin, end and instant as it stands. */
static void plain_step(pf_converter *c, uint32_t row, pf_complete_step *step)
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
static uint32_t home_of(const pf_converter *c, uint32_t row)
{
    return c->packed ? pf_complete_home(&c->complete, row)
                     : pf_trace_home_track(c->t, pf_trace_events(c->t)->track[row]);
}

static void write_event(pf_converter *c, uint32_t row)
{
    pf_complete_step step;
    if (c->packed) {
        pf_complete_next(&c->complete, row, &step);
    } else {
        plain_step(c, row, &step);
    }
    if (step.type == PF_EVENT_UNSPECIFIED && !step.phase) {
        pf_notes_leave(&c->notes, row);
        return;
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
    put_event_args(c, row);
    form.args_differ = c->args.lossy;
    write_flows(c, row, &step);
    pf_notes_event(&c->notes, row, &form);
    pf_packets_event_end(c->packets);
}

/* The ends of instants that were written as begins, if this is where they belong. */
void pf_convert_ends(pf_converter *c, uint32_t row)
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

static void count_loose(pf_converter *c, bool loose)
{
    uint64_t *flows = c->packets->sink->options->loose_flows;
    if (flows && loose) {
        ++*flows;
    }
}

/* The time at which a flow is said. Perfetto takes a slice with an end off its stack there, where a complete event of
 * JSON stays until the next slice, and flows bind to it: they are said at its end, in front of the packet of the end.
 */
static int64_t flow_time(pf_converter *c, uint32_t row, uint32_t entry, uint64_t *track)
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
        if (ended < ts && pf_flow_order_may_move(&c->flows, entry, ended, false)) {
            return ended;
        }
        count_loose(c, ended < ts);
    }
    pf_complete_settle(&c->complete, lane, ts);
    return ts;
}

/* A start, step or end of a flow: a legacy event that binds itself as Chrome's do. Ends that nothing leads to are left
 * out, because Perfetto would take them for ends of the first slice's flow. Other letters that mean nothing to Perfetto
 * are written as they are; it keeps such events in its raw table. */
static void write_legacy(pf_converter *c, uint32_t row)
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
        return;
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
    put_event_args(c, row);
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
}

void pf_convert_row(pf_converter *c, uint32_t row)
{
    c->packets->sink->row++;
    const pf_events *e = pf_trace_events(c->t);
    uint8_t phase = e->phase[row];
    bool usable = !(phase & PF_PHASE_BAD_TS) && e->ts[row] >= 0;
    if ((phase & ~PF_PHASE_BAD_TS) == 'M') {
        if (!c->packed) {
            pf_convert_name(c, row);
        }
    } else if (usable && pf_slice_action(c->t, row)) {
        write_event(c, row);
    } else if (usable && phase && strchr("stfNODVvc()=", phase)) {
        write_legacy(c, row);
    } else if (phase != PF_PHASE_LEFT_OUT) {
        pf_notes_leave(&c->notes, row);
    }
}
