/* edit/cut/cut_packets.c - every packet of the input: state, descriptors, clocks, events, and all the others. */
#include <string.h>

#include "base/list.h"
#include "edit/cut/cutter.h"
#include "edit/select/thread_events.h"

static pf_status start_pass(pf_cutter *c)
{
    pf_in_init(&c->in, c->budget);
    pf_tracks_init(&c->tracks, c->budget);
    c->tracks.unordered = &c->unordered;
    c->tracks.pairing = c->pairing = c->next_pairing;
    c->completes = false;
    if (c->pairing == PF_PAIRING_LISTS) {
        c->pairs.count = c->pairs.late = 0;
    }
    pf_map_init(&c->specified, c->budget);
    c->any = false;
    memset(c->cpus, 0, sizeof c->cpus);
    for (uint32_t i = 0; c->switches && i < PF_FTRACE_CPUS; i++) {
        c->switches[i] = (pf_cut_switch){.known = false};
    }
    c->packets = 0;
    c->turn++;
    pf_cutter_begin_flows(c);
    return PF_OK;
}

pf_status pf_cutter_init(pf_cutter *c, pf_budget *budget, pf_error *err)
{
    *c = (pf_cutter){.budget = budget, .urgent = PF_NONE};
    pf_times_init(&c->times, budget);
    pf_flows_init(&c->flows, budget);
    pf_map_init(&c->flow_places, budget);
    pf_map_init(&c->flow_latest, budget);
    pf_map_init(&c->unordered, budget);
    c->pairs.budget = budget;
    pf_map_init(&c->lacking, budget);
    pf_writer_init(&c->writer, &c->event);
    pf_writer_init(&c->mover, &c->moved);
    pf_writer_init(&c->beginner, &c->begun);
    pf_writer_init(&c->marker, &c->marked);
    return start_pass(c);
}

pf_status pf_cutter_select(pf_cutter *c, const pf_cut_options *o, pf_error *err)
{
    return pf_selection_init(&c->selection, o, c->budget, err);
}

static void end_pass(pf_cutter *c)
{
    while (c->waiting_count) { /* of a pass that failed */
        pf_kept_drop(&c->tracks, c->waiting[--c->waiting_count].slice);
    }
    pf_cutter_drop_tails(c);
    pf_in_free(&c->in);
    pf_tracks_free(&c->tracks);
    for (uint32_t i = 0; i < c->snapshot_count; i++) {
        pf_blob_drop(c->budget, c->snapshots[i]);
    }
    c->snapshot_count = 0;
    pf_map_free(&c->specified);
}

void pf_cutter_free(pf_cutter *c)
{
    end_pass(c);
    pf_ftrace_bundle_free(&c->bundle);
    PF_LIST_FREE(c->budget, c->switches, c->switches ? PF_FTRACE_CPUS : 0);
    pf_selection_free(&c->selection);
    pf_times_free(&c->times);
    pf_flows_free(&c->flows);
    pf_map_free(&c->flow_places);
    pf_map_free(&c->flow_latest);
    PF_LIST_FREE(c->budget, c->flow_starts, c->flow_room);
    pf_map_free(&c->unordered);
    PF_LIST_FREE(c->budget, c->pairs.list, c->pairs.room);
    pf_map_free(&c->lacking);
    PF_LIST_FREE(c->budget, c->snapshots, c->snapshot_room);
    PF_LIST_FREE(c->budget, c->tails, c->tail_room);
    PF_LIST_FREE(c->budget, c->chain, c->chain_room);
    PF_LIST_FREE(c->budget, c->waiting, c->waiting_room);
    pf_cutter_free_rows(c);
    pf_writer_free(&c->writer);
    pf_buffer_free(&c->names);
    pf_buffer_free(&c->event);
    pf_writer_free(&c->beginner);
    pf_buffer_free(&c->begun);
    pf_writer_free(&c->marker);
    pf_buffer_free(&c->marked);
    pf_writer_free(&c->mover);
    pf_buffer_free(&c->moved);
}

pf_status pf_cutter_again(pf_cutter *c, pf_error *err)
{
    end_pass(c);
    pf_times_again(&c->times);
    c->lacking_known = c->lacking.count;
    c->passes++;
    c->surveyed = true;
    c->misjudged = c->bundles_waited = c->flow_misjudged = false;
    return start_pass(c);
}

void pf_cutter_next_windows(pf_cutter *c)
{
    pf_flows_free(&c->flows);
    pf_flows_init(&c->flows, c->budget);
    pf_map_clear(&c->flow_places);
    pf_map_clear(&c->flow_latest);
    memset(c->flows_in, 0, sizeof c->flows_in);
    c->flow_count = 0;
    c->flows_again = false;
    c->passes = c->acted_count = 0;
    c->next_pairing = c->next_pairing == PF_PAIRING_KNOWN && c->pairs.room ? PF_PAIRING_LISTS : c->next_pairing;
    memset(c->ordered, 0, sizeof c->ordered);
    memset(c->acted, 0, sizeof c->acted);
}

bool pf_cutter_wants_again(const pf_cutter *c)
{
    return c->passes < PF_CUT_PASSES_MAX &&
           (c->misjudged || c->bundles_waited || c->flow_misjudged || (c->times.unknown && !c->times.has_all) ||
            c->pairs_again || c->lacking.count > c->lacking_known || c->flows_again);
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

static pf_status write_to(pf_cutter *c, uint32_t window, const pf_raw_packet *p, uint32_t sequence, pf_error *err)
{
    PF_TRY(pf_cutter_prepare(c, window, p, sequence, err));
    return pf_cutter_put(c, window, p, sequence, NULL, err);
}

/* A snapshot: of clocks of the sequence, or one that is written when the next packet is. */
static pf_status take_snapshot(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, pf_error *err)
{
    bool own;
    PF_TRY(pf_times_snapshot(&c->times, p, &own, err));
    if (own) {
        return sequence == PF_NONE ? PF_OK : pf_in_set_snapshot(&c->in, sequence, &p->content, err);
    }
    bool state = p->defaults.tag || p->interned.tag || p->has & (PF_PACKET_CLEARED | PF_PACKET_DROPPED);
    pf_field whole = {.len = (uint32_t)p->whole_len, .bytes = p->whole};
    if (state) { /* the snapshot alone */
        c->event.len = 0;
        pf_writer_begin(&c->writer, PF_F_TRACE_PACKET);
        pf_writer_bytes(&c->writer, PF_F_PACKET_CLOCK_SNAPSHOT, p->content.bytes, p->content.len);
        pf_writer_end(&c->writer);
        whole = (pf_field){.len = (uint32_t)c->event.len, .bytes = (const uint8_t *)c->event.data};
        if (c->writer.failed) {
            return pf_no_memory(err);
        }
    }
    return pf_cutter_add_global(c, &whole, err);
}

static pf_status take_descriptor(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, pf_error *err)
{
    enum { TRACK_THREAD = 4 };
    uint32_t track;
    bool fresh;
    const pf_field thread = pf_cursor_last(pf_field_cursor(&p->content), PF_TAG_BYTES(TRACK_THREAD));
    if (thread.tag && sequence != PF_NONE) {
        PF_TRY(pf_in_set_thread(&c->in, sequence, &p->content, pf_field_cursor(&thread), err));
    }
    PF_TRY(pf_tracks_describe(&c->tracks, p->machine, &p->content, &track, &fresh, err));
    c->tracks.list[track].named |=
        p->sequence == PF_EDIT_SEQUENCE; /* an earlier cut has said all that there is to say */
    for (uint32_t i = 0; fresh && i < c->window_count; i++) {
        PF_TRY(pf_tracks_say_late(&c->tracks, &c->windows[i].said, &c->windows[i].out, track, err));
    }
    return PF_OK;
}

/* One on the sequence of descriptors is what an earlier cut knew of the thread's name at its end. */
static pf_status take_thread(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, pf_error *err)
{
    uint32_t track;
    if (!pf_sequence_find(&c->in.state, sequence)->valid) {
        return PF_OK;
    }
    PF_TRY(pf_tracks_call_thread(&c->tracks, p->machine, &p->content, &track, err));
    if (p->sequence == PF_EDIT_SEQUENCE) {
        c->tracks.list[track].renamed = true;
        for (uint32_t i = 0; i < c->window_count; i++) {
            PF_TRY(pf_tracks_say_thread(&c->tracks, &c->windows[i].said, &c->windows[i].out, track, err));
        }
        return PF_OK;
    }
    return pf_in_set_thread(&c->in, sequence, &p->content, pf_field_cursor(&p->content), err);
}

/* Packets that belong to the trace as a whole, whatever time they have. Others have none (pf_packet_passes_time). */
static bool is_about_trace(const pf_raw_packet *p)
{
    enum { TRACE_STATS = 35, CHROME_METADATA = 51, CPU_INFO = 67, EXTENSION_DESCRIPTOR = 72 };
    switch (p->data) {
    case PF_F_PACKET_PROCESS_TREE:
    case PF_F_PACKET_CHROME_EVENTS:
    case PF_F_PACKET_TRACE_CONFIG:
    case PF_F_PACKET_PROCESS_DESCRIPTOR:
    case PF_F_PACKET_SYSTEM_INFO:
    case PF_F_PACKET_UI_STATE:
    case PF_F_PACKET_GPU_INFO:
    case TRACE_STATS:
    case CHROME_METADATA:
    case CPU_INFO:
    case EXTENSION_DESCRIPTOR:
        return true;
    default:
        return false;
    }
}

static bool names_object(const pf_raw_packet *p)
{
    enum { VULKAN_API = 65, VULKAN_SUBMIT = 2 };
    return p->data == VULKAN_API && !pf_cursor_last(pf_field_cursor(&p->content), PF_TAG_BYTES(VULKAN_SUBMIT)).tag;
}

static pf_status write_everywhere(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, pf_error *err)
{
    for (uint32_t i = 0; i < c->window_count; i++) {
        PF_TRY(write_to(c, i, p, sequence, err));
        c->windows[i].out.general++;
    }
    return PF_OK;
}

/* What the packet in hand says for others, as `said` does before it, is not said twice where it is written itself: the
 * engine takes a second description of a counter for an error. */
static pf_status skip_own(pf_cutter *c, pf_cut_window *w, uint32_t said, pf_error *err)
{
    const uint32_t count = c->snapshot_count;
    c->snapshot_count = said;
    pf_status st = pf_cutter_say_clocks(c, w, err);
    c->snapshot_count = w->snapshots = count;
    return st;
}

static pf_status take_other(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, pf_when when, int64_t ts,
                            pf_error *err)
{
    const uint32_t said = c->snapshot_count;
    if (p->data == PF_F_PACKET_GPU_RENDER_STAGE_EVENT || p->data == PF_F_PACKET_GPU_COUNTER_EVENT) {
        bool only;
        PF_TRY(pf_cutter_specify(c, p, &only, err));
        if (only) {
            return PF_OK;
        }
    }
    if (names_object(p)) {
        return pf_cutter_name_object(c, p, sequence, when, ts, err);
    }
    if (is_about_trace(p) || when == PF_TIME_NONE) {
        return write_everywhere(c, p, sequence, err);
    }
    if (when == PF_TIME_UNKNOWN) {
        return PF_OK;
    }
    pf_cutter_cover(c, ts);
    if (c->selection.active && !pf_selection_takes_others(&c->selection)) {
        return PF_OK;
    }
    if (p->data == PF_F_PACKET_GPU_RENDER_STAGE_EVENT) {
        return pf_cutter_stage(c, p, sequence, ts, err);
    }
    uint32_t window = pf_cutter_window(c, ts);
    if (window == c->window_count || ts < c->windows[window].from) {
        return PF_OK;
    }
    PF_TRY(c->snapshot_count > said ? skip_own(c, &c->windows[window], said, err) : PF_OK);
    return write_to(c, window, p, sequence, err);
}

/* The time of a packet; incremental clocks move on. */
static pf_status read_time(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, pf_when *when, int64_t *ts,
                           pf_error *err)
{
    const pf_sequence *q = sequence == PF_NONE ? NULL : pf_sequence_find(&c->in.state, sequence);
    PF_TRY(q ? pf_times_in(&c->times, p, q, &c->in.list[sequence], when, ts, err)
             : pf_times_of(&c->times, p, NULL, when, ts, err));
    uint32_t id = p->clock ? p->clock : q ? q->clock_id : 0;
    if (q && id >= PF_CLOCK_SEQUENCE_FIRST && id <= PF_CLOCK_SEQUENCE_LAST && p->has & PF_PACKET_TIMESTAMP) {
        pf_own_clock *k = pf_in_clock(&c->in, sequence, id);
        if (k) { /* asked for where it is incremental */
            k->running = (int64_t)((uint64_t)k->running + p->timestamp);
        }
    }
    return PF_OK;
}

static pf_status take_packet(pf_cutter *c, const pf_raw_packet *p, pf_error *err)
{
    uint32_t sequence;
    pf_when when = PF_TIME_NONE;
    int64_t ts = 0;
    c->packets++;
    PF_TRY(pf_in_apply(&c->in, p, &sequence, err));
    if (c->selection.active && !c->surveyed) {
        PF_TRY(pf_selection_survey(&c->selection, p, err));
        PF_TRY(pf_selection_survey_bundle(&c->selection, p, err));
    }
    if (p->data == PF_F_PACKET_CLOCK_SNAPSHOT) {
        return take_snapshot(c, p, sequence, err);
    }
    if (p->data == 0) {
        return PF_OK;
    }
    if (pf_packet_passes_time(p->data)) {
        if (p->has & PF_PACKET_NEEDS_STATE &&
            (sequence == PF_NONE || !pf_sequence_find(&c->in.state, sequence)->valid)) {
            return PF_OK;
        }
        PF_TRY(read_time(c, p, sequence, &when, &ts, err));
    }
    switch (p->data) {
    case PF_F_PACKET_TRACK_DESCRIPTOR:
        return take_descriptor(c, p, sequence, err);
    case PF_F_PACKET_THREAD_DESCRIPTOR:
        return sequence == PF_NONE ? PF_OK : take_thread(c, p, sequence, err);
    case PF_F_PACKET_FTRACE_EVENTS: {
        bool done;
        PF_TRY(pf_cutter_bundle(c, p, sequence, &done, err));
        return done ? PF_OK : write_everywhere(c, p, sequence, err);
    }
    case PF_F_PACKET_TRACK_EVENT:
        return sequence == PF_NONE ? PF_OK : pf_cutter_event(c, p, sequence, when, ts, err);
    default:
        return take_other(c, p, sequence, when, ts, err);
    }
}

pf_status pf_cutter_packet(pf_cutter *c, const pf_raw_packet *p, pf_error *err)
{
    uint32_t sequences = c->in.count, tracks = c->tracks.count;
    pf_status st = take_packet(c, p, err);
    bool more = p->data != PF_F_PACKET_TRACK_EVENT || p->defaults.tag || p->interned.tag ||
                p->has & (PF_PACKET_CLEARED | PF_PACKET_DROPPED);
    c->turn += more || c->in.count > sequences || c->tracks.count > tracks;
    return st;
}

/* What the flows of the pass want of another one: marks of those that run out of a window, and where slices that are
 * open at its start share one, these in the order of time, whether it runs between them or not. */
static pf_status link_flows(pf_cutter *c, pf_error *err)
{
    bool same, some = false;
    PF_TRY(pf_flows_link(&c->flows, c->jobs, &same, err));
    memset(c->ordered, 0, sizeof c->ordered);
    for (uint32_t i = 0; i < c->flows.known_count; i++) {
        const pf_flow_slice *s = &c->flows.known[i], *next = s->next == PF_NONE ? NULL : &c->flows.known[s->next];
        for (uint32_t w = pf_cutter_window(c, s->ts); w < c->window_count && c->windows[w].from <= s->end; w++) {
            int64_t from = c->windows[w].from, to = c->windows[w].to;
            uint64_t known = next ? pf_flow_order(s, next, from, to) : 0;
            some |= !c->marks_later && pf_flow_lies_in(s, from, to) && pf_flow_runs_out(&c->flows, s, from, to);
            c->ordered[w] = known > c->ordered[w] ? known : c->ordered[w];
        }
    }
    bool acted = memcmp(c->acted, c->ordered, sizeof c->acted) == 0;
    c->flows_again = !acted || (some && !same) || pf_cutter_flows_lack_marks(c);
    memcpy(c->acted, c->ordered, sizeof c->acted);
    c->acted_count = c->window_count;
    return PF_OK;
}

pf_status pf_cutter_end(pf_cutter *c, pf_error *err)
{
    c->misjudged = pf_cutter_misjudged(c);
    PF_TRY(pf_tracks_find_lacking(&c->tracks, &c->lacking, err));
    if (c->pairing == PF_PAIRING_LISTS) {
        return pf_cutter_pair_up(c, err);
    }
    for (uint32_t i = 0; i < c->tracks.count; i++) {
        PF_TRY(pf_cutter_end_track(c, i, err));
    }
    for (uint32_t i = 0; i < c->window_count; i++) {
        PF_TRY(pf_cutter_begin_waiting(c, i, err));
    }
    PF_TRY(pf_cutter_write_tails(c, err));
    PF_TRY(pf_cutter_pair_up(c, err));
    for (uint32_t i = 0; i < c->window_count; i++) {
        PF_TRY(pf_tracks_say_rest(&c->tracks, &c->windows[i].said, &c->windows[i].out, err));
    }
    PF_TRY(link_flows(c, err));
    /* snapshots after the last packet count where times before them were not known without */
    for (uint32_t i = 0; c->times.has_all && i < c->window_count; i++) {
        PF_TRY(pf_cutter_say_clocks(c, &c->windows[i], err));
    }
    return PF_OK;
}
