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
#include "write/perfetto/convert/converter.h"

#include "base/list.h"

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
    uint32_t strings = c->t->strings.count, *uses;
    PF_TRY(PF_ARENA_NEW(&c->complete.arena, uses, strings, err));
    for (uint32_t row = 0; row < e->count; row++) {
        uint32_t slice = c->complete.slice_of[row];
        uses[slice != PF_NONE ? pf_slice_name(s, slice) : is_timed(e, row) ? e->name[row] : 0]++;
    }
    uses[0] = 0; /* no name */
    return pf_packets_plan_names(c->packets, uses, strings, err);
}

/* Finds the order of the rows, which is budget memory, whatever is returned. */
static pf_status plan(pf_converter *c, uint32_t **order, pf_error *err)
{
    pf_budget *budget = c->who->budget;
    const pf_complete *complete = c->packed ? &c->complete : NULL;
    PF_TRY(c->packed ? plan_names(c, err) : PF_OK);
    PF_TRY(pf_trace_event_order(c->t, budget, order, err));
    PF_TRY(pf_flow_order_init(&c->flows, c->t, *order, complete, budget, err));
    PF_TRY(pf_instants_plan(&c->instants, &c->flows, *order, budget, err));
    return c->packed && !c->flows.tied ? pf_complete_group(&c->complete, order, err) : PF_OK;
}

static void write_rows(pf_converter *c, const uint32_t *order)
{
    const pf_events *e = pf_trace_events(c->t);
    pf_args_ahead *ahead = pf_args_ahead_start(c->t, order, e->count, c->packets->sink->options->jobs, c->who->budget);
    c->args.ahead = ahead;
    for (uint32_t i = 0; i < e->count && c->packets->failed == PF_OK; i++) {
        uint32_t row = order ? order[i] : i;
        if (ahead) {
            pf_args_ahead_next(ahead, i);
        } else if (order && e->count - i > PREFETCH_EVENTS) {
            pf_trace_prefetch_args(c->t, order[i + PREFETCH_EVENTS]);
        }
        if (!c->flows.tied && is_timed(e, row)) {
            enter_track(c, row);
        }
        pf_convert_row(c, row);
        pf_convert_ends(c, row);
    }
    c->args.ahead = NULL;
    pf_args_ahead_stop(ahead);
}

static pf_status write_packed(pf_converter *c, pf_error *err)
{
    uint32_t *order = NULL;
    pf_status st = plan(c, &order, err);
    if (st == PF_OK) {
        write_rows(c, order);
    }
    PF_LIST_FREE(c->who->budget, order, pf_trace_events(c->t)->count);
    PF_TRY(st);
    pf_complete_finish(&c->complete);
    return pf_convert_samples_by_track(c, err);
}

static pf_status write_plain(pf_converter *c, pf_error *err)
{
    uint32_t count = pf_trace_events(c->t)->count, *order = NULL;
    pf_status st = c->t->flow_refs.count || c->t->thread_times.count ? plan(c, &order, err) : PF_OK;
    PF_LIST_FREE(c->who->budget, order, count);
    PF_TRY(st);
    for (uint32_t row = 0; row < count && c->packets->failed == PF_OK; row++) {
        pf_convert_row(c, row);
        pf_convert_ends(c, row);
    }
    pf_convert_samples(c, 0, true);
    return PF_OK;
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

static pf_status write_all(pf_converter *c, pf_error *err)
{
    PF_TRY(check_wanted(c->t, err));
    PF_TRY(pf_track_writer_init(&c->tracks, c->who, c->packets, err));
    PF_TRY(pf_notes_init(&c->notes, c->who, c->packets, c->tracks.share, err));
    c->who->hides_names = c->notes.wanted;
    if (c->packed) {
        PF_TRY(pf_complete_init(&c->complete, c->t, c->packets, &c->tracks, err));
        c->complete.notes = &c->notes;
        pf_packets_start_clock(c->packets, first_time(c->t));
    }
    c->packets->sink->rows = pf_trace_events(c->t)->count;
    write_head(c);
    PF_TRY(c->packed ? write_packed(c, err) : write_plain(c, err));
    pf_notes_end(&c->notes);
    PF_TRY(c->text.failed ? pf_no_memory(err) : PF_OK);
    return pf_packets_status(c->packets, err);
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
    pf_annotator_init(&c.args, packets);
    pf_status st = write_all(&c, err);
    pf_complete_free(&c.complete);
    pf_notes_free(&c.notes);
    pf_flow_order_free(&c.flows);
    pf_instants_free(&c.instants);
    pf_track_writer_free(&c.tracks);
    pf_annotator_free(&c.args);
    pf_buffer_free(&c.text);
    return st;
}
