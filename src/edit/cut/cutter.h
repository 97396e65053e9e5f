/* edit/cut/cutter.h - one pass over packets with any number of windows: what every packet does to them.
 *
 * The input's state moves on with every packet; a window's output hears of it only when a packet of its own needs it.
 * Windows are [from, to), ascending, and do not overlap; each has an output. A slice belongs to each window that it
 * overlaps. Where a window begins inside it, a copy of its begin is written at the window's start; that happens when
 * the first event of its track from there on comes (or at the end of the input), so that what was open then is known.
 * Where the window ends inside it, an end is written when its own end comes; a slice that never ends has none in any
 * window. Counters and states begin with the last event before the window.
 *
 * Files are not in the order of time, only their sequences are. Where begins and ends of a track are not, and an edge
 * of a window is concerned, another pass, which has no windows, lists them; they are paired in the order of time then,
 * and one more knows where the slices end that an edge concerns. The begins and ends at the edges of such tracks are
 * written in the order of time when all are known.
 */
#ifndef PF_EDIT_CUT_CUTTER_H
#define PF_EDIT_CUT_CUTTER_H

#include "edit/select/selection.h"
#include "edit/state/event_facts.h"
#include "edit/state/moments.h"
#include "edit/tracks/slice_ends.h"
#include "edit/tracks/tracks.h"
#include "perfetto/decode/bundle.h"

/* Parts of packets that are written in one pass; each has a file open. */
#define PF_CUT_OUTPUTS 64

#define PF_CUT_PASSES_MAX 6u /* a survey, and some for what comes late; hostile files find something new in each */

/* A slice with flows that was written. */
typedef struct pf_cut_mark {
    uint64_t at;               /* its packet in the output */
    uint64_t id;               /* the flow that runs out, when that is known */
    uint32_t len, event, rest; /* of the packet; of its event; of its other fields */
    uint32_t events;           /* that it has: one */
    pf_flow_use flow;          /* of a legacy flow: where that is */
    bool legacy;
    bool kept; /* the packet is the input's as it is */
} pf_cut_mark;

typedef struct pf_cut_window {
    int64_t from, to;
    pf_out out;
    pf_tracks_said said;
    uint32_t snapshots; /* of the input that were said */
    uint64_t begun, ended;
    int64_t stage;      /* when the first of the render stages began that it begins with; `from`: there was none */
    pf_cut_mark *marks; /* where the outputs can be changed afterwards (cut_marks.c) */
    uint32_t mark_count, mark_room;
} pf_cut_window;

/* The end of a slice on an unordered track, which is written when all of them are known. */
typedef struct pf_cut_tail {
    pf_kept_packet *packet;
    int64_t began, end;
    uint64_t number; /* of the packet that began the slice */
    uint32_t window, track;
} pf_cut_tail;

/* A legacy flow in a window, over all passes. */
typedef struct pf_flow_start {
    int64_t first, last; /* of its beginnings and steps; INT64_MAX, INT64_MIN: none */
    int64_t changed;     /* the last of those that were written as something else; INT64_MIN: none */
    int64_t moved;       /* the last one after the window's end that goes there; INT64_MIN: none is known */
    int64_t left;        /* the first one after it that was not; INT64_MAX: none */
    uint32_t id;         /* its bit */
    uint32_t mark;       /* of this pass, where marks come later: 1 + index of the one of `last`; 0: none */
    bool begins;         /* the first one is a beginning */
    bool leaves, ended;  /* it goes on outside; an end came */
    bool said;           /* in this pass, of `last` */
    uint64_t windows;    /* of this pass, a bit each: those that have the event in which the flow was here last */
} pf_flow_start;

#define PF_CUT_FLOW_BITS (1u << 19) /* of ids of legacy flows, by hash */

/* The last switch of a cpu. */
typedef struct pf_cut_switch {
    pf_sched_entry entry;
    int64_t ts;     /* of the trace */
    uint64_t given; /* windows that have switches of the cpu, a bit each */
    uint32_t comm_len;
    char comm[32];
    bool known;
} pf_cut_switch;

typedef struct pf_cutter {
    pf_budget *budget;
    pf_in in;
    pf_times times;
    pf_edit_tracks tracks;
    pf_edit_flows flows;
    pf_map flow_places; /* of a legacy flow and a window */
    pf_flow_start *flow_starts;
    uint32_t flow_count, flow_room;
    pf_map flow_latest; /* of a legacy flow: where it was last in a window */
    uint64_t flows_in[PF_CUT_FLOW_BITS / 64], flows_past[PF_CUT_FLOW_BITS / 64]; /* ids that windows have; others */
    uint32_t flows_known;             /* of flow_count, when the pass began */
    uint32_t legacy_flow;             /* of the beginning or step in hand: 1 + where it is; 0: it is none */
    bool legacy_mark;                 /* the event in hand gets a mark of its legacy flow */
    bool flow_misjudged;              /* one begins earlier than it seemed */
    pf_flow_use flow;                 /* of the event in hand */
    pf_flow_slice ended;              /* by it */
    uint64_t ordered[PF_CUT_OUTPUTS]; /* windows in which flows run between slices open at the start: packets that
                                         came by when all of these were known; 0: others */
    uint64_t acted[PF_CUT_OUTPUTS];   /* the same as this pass took it */
    uint32_t acted_count;             /* windows of which it has done so */
    bool marks_later;                 /* outputs get their marks of flows at the end of the pass */
    unsigned jobs;                    /* threads that may link flows */
    bool flows_again;                 /* another pass would know more of flows */
    pf_selection selection;
    pf_cut_window *windows;
    uint32_t window_count;
    pf_blob **snapshots; /* packets that are said before others: of clocks that all sequences share, specifications */
    uint32_t snapshot_count, snapshot_room;
    pf_map specified; /* hash of a specification -> its place among these */
    pf_map unordered; /* tracks whose events are not in the order of time, where that matters; survives passes */
    pf_pairs pairs;   /* of their begins and ends */
    uint8_t pairing, next_pairing;     /* what this pass and the next one do with them: PF_PAIRING_* */
    bool pairs_again;                  /* another pass would know more of them */
    bool completes;                    /* the next is known in this pass */
    uint64_t complete[PF_CUT_OUTPUTS]; /* packets after which all slices of unordered tracks have come that are open at
                                          a window's start */
    pf_cut_tail *tails;
    uint32_t tail_count, tail_room;
    pf_map lacking; /* tracks that others are below of and nothing describes; survives passes, too */
    uint64_t lacking_known;
    unsigned passes; /* before this one */
    struct pf_open_slice {
        pf_kept_packet *slice;
        uint32_t track, window; /* window: of one that waits */
    } * chain, *waiting;        /* open slices, of a track outermost first; those that are begun in their order later */
    uint32_t chain_room, waiting_count, waiting_room;
    uint32_t urgent; /* the track of which those that wait begin now, whatever may come; PF_NONE: none */
    pf_buffer names; /* compared */
    pf_buffer event, moved, begun, marked; /* being made */
    pf_writer writer, mover, beginner, marker;
    bool surveyed;       /* a pass has taken all names that the selection asks for */
    bool misjudged;      /* this pass kept a track, or left one out, and a name that came later says otherwise */
    bool bundles_waited; /* for names: another pass writes them */
    bool any;
    int64_t first, last; /* of all times */
    uint64_t packets;
    uint32_t turn;                      /* cut_rows.c: what was found out in an earlier one may be wrong */
    pf_cut_switch *switches;            /* by cpu; NULL at first */
    pf_ftrace_bundle bundle;            /* in hand */
    uint64_t cpus[PF_FTRACE_CPUS / 64]; /* of which a bundle came by in this pass, a bit each */
    uint64_t line;                      /* stretches of rows so far */
    struct pf_open_row *open;           /* the slices that rows opened; NULL at first */
} pf_cutter;

/* The windows' outputs are the caller's; they may be set between begin and the first packet. */
pf_status pf_cutter_init(pf_cutter *c, pf_budget *budget, pf_error *err);
void pf_cutter_free(pf_cutter *c);

/* Only what options select is kept; o stays the caller's. A pass without windows is to come first where the selection
 * asks for durations. */
pf_status pf_cutter_select(pf_cutter *c, const pf_cut_options *o, pf_error *err);

/* Another pass begins: all state of the input is forgotten but for what is known of its clocks and of late ends. */
pf_status pf_cutter_again(pf_cutter *c, pf_error *err);

/* The next pass has other windows. */
void pf_cutter_next_windows(pf_cutter *c);

/* Whether another pass would know more; false after a few. */
bool pf_cutter_wants_again(const pf_cutter *c);

pf_status pf_cutter_packet(pf_cutter *c, const pf_raw_packet *p, pf_error *err);

/* Takes rows from at->row on as far as that can be done without their packets (cut_rows.c). */
pf_status pf_cutter_rows(pf_cutter *c, pf_rows *rows, pf_rows_at *at, uint64_t number, bool stable, pf_error *err);

void pf_cutter_free_rows(pf_cutter *c);

/* Prepares rows that were just decoded, in any thread. */
void pf_cutter_digest(pf_rows *rows);

/* Sum of pf_packet_mix of rows that were taken. */
uint64_t pf_cutter_rows_source(const pf_rows *rows, uint32_t from, uint32_t to);

/* After the last packet. */
pf_status pf_cutter_end(pf_cutter *c, pf_error *err);

/* ---- cut_bundles.c ----------------------------------------------------------------------------------------------- */

/* The ftrace events of a packet into the windows that they are in; *done: false where their clock is not known, and the
 * packet is to stay whole. */
pf_status pf_cutter_bundle(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, bool *done, pf_error *err);

/* ---- cut_windows.c ----------------------------------------------------------------------------------------------- */

/* The first window that ends after ts; window_count: none. */
uint32_t pf_cutter_find_window(const pf_cutter *c, int64_t ts);
static inline uint32_t pf_cutter_window(const pf_cutter *c, int64_t ts)
{
    return c->window_count == 1 ? c->windows[0].to <= ts : pf_cutter_find_window(c, ts);
}

/* Says in a window what a packet of the input needs, which is then written; sequence: PF_NONE where it has none. */
pf_status pf_cutter_prepare(pf_cutter *c, uint32_t window, const pf_raw_packet *p, uint32_t sequence, pf_error *err);

/* Writes it. event: what its TrackEvent or its ftrace events become; NULL: what they were. */
pf_status pf_cutter_put(pf_cutter *c, uint32_t window, const pf_raw_packet *p, uint32_t sequence, const pf_field *event,
                        pf_error *err);

/* What has to be added to an output's sum to make it `value`, which it then is. */
pf_status pf_values_step(pf_out *o, uint32_t sequence, const pf_edit_track *k, double value, double *step,
                         pf_error *err);

/* Whether the time of such a packet counts for the clock that it is in. */
bool pf_packet_passes_time(uint32_t data);

/* Whether the selection keeps the track. */
bool pf_cutter_takes(pf_cutter *c, uint32_t track);

/* Whether the selection keeps slices and instants with the categories of this event. */
bool pf_cutter_takes_categories(pf_cutter *c, const pf_field *event, const pf_epoch *epoch);

/* Whether names that came after a choice say otherwise. */
bool pf_cutter_misjudged(pf_cutter *c);

/* Takes a time into the bounds. */
void pf_cutter_cover(pf_cutter *c, int64_t ts);

/* The fields of a packet into the open one, with another time and event where these are not NULL. */
void pf_cutter_put_fields(pf_out *o, pf_cursor fields, const uint64_t *time, const pf_field *event);

/* A packet that is written before the next one in each window. */
pf_status pf_cutter_add_global(pf_cutter *c, const pf_field *packet, pf_error *err);

/* Says the snapshots that came so far. */
pf_status pf_cutter_say_clocks(pf_cutter *c, pf_cut_window *w, pf_error *err);

/* ---- cut_events.c ------------------------------------------------------------------------------------------------ */

/* A TrackEvent at a time, as its packet says it. */
pf_status pf_cutter_event(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, pf_when when, int64_t ts,
                          pf_error *err);

/* The input is over: windows begin on the track, complete slices of it end. */
pf_status pf_cutter_end_track(pf_cutter *c, uint32_t track, pf_error *err);

/* ---- cut_unordered.c --------------------------------------------------------------------------------------------- */

/* Name, category, and whether a selection leaves it out, of an event that is listed. */
pf_paired pf_cutter_label(pf_cutter *c, const pf_field *event, const pf_epoch *epoch);

/* Lists an event of an unordered track: a begin, an end or something complete (action X, end: of that alone). */
pf_status pf_cutter_list(pf_cutter *c, uint32_t track, uint64_t number, int64_t ts, int64_t end, uint8_t action,
                         const pf_paired *label, pf_error *err);

/* The pass is over: pairs what it listed, or notes which tracks turned out to be unordered. */
pf_status pf_cutter_pair_up(pf_cutter *c, pf_error *err);

/* ---- cut_clips.c ------------------------------------------------------------------------------------------------- */

/* Windows up to `upto` (not included) begin on the track: open slices, counters and states. */
pf_status pf_cutter_begin_more_windows(pf_cutter *c, uint32_t track, uint32_t upto, pf_error *err);
static inline pf_status pf_cutter_begin_windows(pf_cutter *c, uint32_t track, uint32_t upto, pf_error *err)
{
    return c->tracks.list[track].window < upto ? pf_cutter_begin_more_windows(c, track, upto, err) : PF_OK;
}

/* Begins a slice in a window that has begun on its track. */
pf_status pf_cutter_begin_slice(pf_cutter *c, uint32_t window, uint32_t track, const pf_kept_packet *s, pf_error *err);

/* Whether slices of the track wait for others; begins all that do, but for those of unordered tracks that others of
 * such tracks may come before. */
bool pf_cutter_waits(const pf_cutter *c, uint32_t window, uint32_t track);
pf_status pf_cutter_begin_waiting(pf_cutter *c, uint32_t window, pf_error *err);

/* Up to how many packets these wait in that window. */
uint64_t *pf_cutter_complete(pf_cutter *c, uint32_t window);

/* Writes the begin of a slice, or a state, from before a window at its start. A complete one gets its end, too, where
 * the window has it. */
pf_status pf_cutter_write_begin(pf_cutter *c, uint32_t window, uint32_t track, const pf_kept_packet *k, pf_error *err);

/* Writes a value of a counter as an event of its own at ts; one from before has the marks. */
pf_status pf_cutter_write_value(pf_cutter *c, uint32_t window, uint32_t track, const struct pf_last_value *v,
                                int64_t ts, pf_error *err);

/* Gives a legacy event another phase: of a complete one that becomes a begin, of a step that begins its flow. */
pf_status pf_cutter_change_phase(pf_cutter *c, uint8_t phase, pf_field *event, pf_error *err);

/* Writes the end of a slice, which ends at `end`, at the end of a window, or where that is before. */
pf_status pf_cutter_write_end(pf_cutter *c, uint32_t window, uint32_t track, const pf_kept_packet *k, int64_t end,
                              pf_error *err);

/* Notes an end that is to be written when those of all tails are known: k becomes the cutter's. */
pf_status pf_cutter_add_tail(pf_cutter *c, const pf_cut_tail *tail, pf_error *err);
pf_status pf_cutter_write_tails(pf_cutter *c, pf_error *err);
void pf_cutter_drop_tails(pf_cutter *c);

/* The sequence of the packet in hand, and its state. */
static inline pf_kept_packet pf_cutter_at_hand(const pf_cutter *c)
{
    return (pf_kept_packet){.home = PF_NONE, .sequence = c->in.last, .epoch = c->in.list[c->in.last].epoch};
}

/* Begins a packet of our own at a time of the trace; sequence: PF_NONE on none. */
void pf_cutter_begin_packet(pf_cutter *c, pf_out *o, uint32_t sequence, int64_t ts);

/* ---- cut_marks.c ------------------------------------------------------------------------------------------------- */

/* An argument of an event: a flow that comes from a slice which is left out, or goes on to one; NULL: a legacy one. */
void pf_cutter_mark_flow(pf_writer *w, const uint64_t *id);

/* The event, whose bytes are `len` at `bytes`, has a mark for one of its flows: those that are over outside of the
 * window, and begin again in it, end there. ended: the pass is over. */
pf_status pf_cutter_stop_flows(const pf_cutter *c, const pf_cut_window *w, pf_flow_use flow, bool ended, char *bytes,
                               size_t len, pf_error *err);

/* Whether an event has such an argument. */
bool pf_cutter_has_flow_mark(pf_bytes event);

/* The packet of a slice with flows was written, from byte `at` of the output on. */
pf_status pf_cutter_note_mark(pf_cutter *c, pf_cut_window *w, pf_flow_use flow, uint64_t at, pf_bytes packet, bool kept,
                              pf_error *err);
/* The same of c->legacy_flow. */
pf_status pf_cutter_note_legacy_mark(pf_cutter *c, pf_cut_window *w, uint64_t at, pf_bytes packet, bool kept,
                                     pf_error *err);

/* Writes the marks of those noted that have a flow outside, when the pass is over. */
pf_status pf_cutter_write_marks(pf_cutter *c, pf_cut_window *w, pf_error *err);

/* ---- cut_flows.c ------------------------------------------------------------------------------------------------- */

/* A legacy flow event (phase s, t or f) at ts goes into a window, or not: *window. *as: what it becomes, unless NULL.
 */
pf_status pf_cutter_follow_flow(pf_cutter *c, const pf_event_facts *e, const pf_raw_packet *p, uint32_t track,
                                uint32_t sequence, int64_t ts, uint32_t *window, const pf_field **as, pf_field *event,
                                pf_error *err);

/* Whether an event may be of a flow that windows have; flow: as pf_record_is_flow_step says. */
bool pf_cutter_has_flow(const pf_cutter *c, uint32_t flow);

/* One that goes into no window; flow: as pf_record_is_flow_step says. False: that is all. */
bool pf_cutter_pass_flow(pf_cutter *c, uint32_t flow, int64_t ts);
/* The same where a window may have the flow. */
void pf_cutter_pass_known_flow(pf_cutter *c, const pf_field *event, const pf_epoch *epoch, int64_t ts);

/* A pass begins. */
void pf_cutter_begin_flows(pf_cutter *c);

/* Whether another pass may mark more legacy flows. */
bool pf_cutter_flows_lack_marks(const pf_cutter *c);

/* ---- cut_gpu.c --------------------------------------------------------------------------------------------------- */

/* A render stage of a GPU. */
pf_status pf_cutter_stage(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, int64_t ts, pf_error *err);

/* Writes the name of an object, which stages from then on refer to, into all windows; when: whether ts is known. */
pf_status pf_cutter_name_object(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, pf_when when, int64_t ts,
                                pf_error *err);

/* Keeps what a GPU packet says of later ones. *only: it says nothing else. */
pf_status pf_cutter_specify(pf_cutter *c, const pf_raw_packet *p, bool *only, pf_error *err);

/* Writes an end of the input, or a step or end of a legacy flow, which is after the end of a window, there. k: the
 * sequence it is on, and the state of that. */
pf_status pf_cutter_move_end(pf_cutter *c, uint32_t window, uint32_t track, const pf_kept_packet *k,
                             const pf_field *event, int64_t end, pf_error *err);

#endif
