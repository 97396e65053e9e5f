/* write/perfetto/convert/convert.c - from the event table to packets.
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
#include "write/perfetto/convert/convert.h"

#include "write/perfetto/convert/converter.h"

/* Track by track, arguments are read from all over the memory: those of the event so many places ahead are fetched. */
#define PREFETCH_EVENTS 8u

/* The next track's events begin: the tracks of the row's events are the default until then. */
static void enter_track(pf_converter *c, uint32_t row)
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
static pf_status plan_names(pf_converter *c, pf_error *err)
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

static pf_status write_packed(pf_converter *c, pf_error *err)
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
    pf_args_ahead *ahead =
        st == PF_OK ? pf_args_ahead_start(c->t, order, e->count, c->packets->sink->options->jobs, budget) : NULL;
    c->args.ahead = ahead;
    for (uint32_t i = 0; i < e->count && st == PF_OK; i++) {
        uint32_t row = order ? order[i] : i;
        if (ahead) {
            pf_args_ahead_next(ahead, i);
        } else if (order && e->count - i > PREFETCH_EVENTS) {
            pf_trace_prefetch_args(c->t, order[i + PREFETCH_EVENTS]);
        }
        if (by_track && is_timed(e, row)) {
            enter_track(c, row);
        }
        st = pf_convert_row(c, row, err);
        pf_convert_ends(c, row);
        st = st == PF_OK ? c->packets->failed : st;
    }
    c->args.ahead = NULL;
    pf_args_ahead_stop(ahead);
    pf_release(budget, order, (size_t)e->count * sizeof *order);
    if (st == PF_OK) {
        pf_complete_finish(&c->complete);
        st = pf_convert_samples_by_track(c, err);
    }
    return st;
}

static pf_status write_plain(pf_converter *c, pf_error *err)
{
    uint32_t count = pf_trace_events(c->t)->count, *order = NULL;
    pf_budget *budget = c->who->budget;
    pf_status st = PF_OK;
    if (c->t->flow_refs.count || c->t->thread_times.count) {
        st = pf_trace_event_order(c->t, budget, &order, err);
        st = st == PF_OK ? pf_flow_order_init(&c->flows, c->t, order, NULL, budget, err) : st;
        st = st == PF_OK ? pf_instants_plan(&c->instants, c->t, order, NULL, budget, err) : st;
        pf_release(budget, order, (size_t)count * sizeof *order);
    }
    for (uint32_t row = 0; row < count && st == PF_OK; row++) {
        st = pf_convert_row(c, row, err);
        pf_convert_ends(c, row);
        st = st == PF_OK ? c->packets->failed : st;
    }
    if (st == PF_OK) {
        pf_convert_samples(c, 0, true);
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
static void write_head(pf_converter *c)
{
    pf_packets_hand_over(c->packets);
    bool begun = pf_sink_begin_bundles(c->packets->sink, PF_BUNDLE_LEAST);
    pf_convert_attributes(c->who, c->packets);
    pf_packets_hand_over(c->packets);
    pf_notes_document(&c->notes);
    if (c->packed) {
        pf_convert_names(c);
        pf_packets_hand_over(c->packets);
    }
    pf_notes_end(&c->notes);
    if (begun) {
        pf_sink_end_bundles(c->packets->sink);
    }
}

pf_status pf_convert_trace(const pf_trace *t, pf_identity *who, pf_packets *packets, pf_error *err)
{
    pf_converter c = {.t = t,
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
        st = pf_notes_init(&c.notes, who, packets, c.tracks.share, err);
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
        st = pf_no_memory(err);
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
