/* edit/cut/cut_rows.h - rows of a cut: what is known of their places, and the stretch that is being taken. */
#pragma once

#include "edit/cut/cutter.h"
#include "edit/digest/row_digest.h"

/* What a place stands for. */
typedef struct pf_known_place {
    pf_clock_known clock;
    uint32_t turn;            /* of the cutter, in which this was found out */
    uint32_t sequence, index; /* index: of the track */
    uint8_t takes;            /* 1 << type for each type that can be done here; 0: none */
    uint8_t pairs;            /* the same of an unordered track */
    bool left_out;            /* by the selection */
    const pf_in_sequence *in;
    pf_own_clock *own;    /* the sequence's own incremental clock that times are of; NULL: of none */
    pf_edit_track *track; /* NULL where nothing happens to one */
    /* The output of that window is where its packets can be written as they are, since a row of that stretch; said: its
     * value of `own`; all: it has said all entries. */
    uint64_t line;
    uint32_t window;
    bool all;
    int64_t *said;
} pf_known_place;

/* The entries of a label; PF_NONE: it has none, or none that is known. */
typedef struct pf_known_label {
    uint32_t turn, name, category;
    uint32_t chosen_turn; /* in which `chosen` was found out: whether the selection keeps its category */
    bool chosen;
    uint32_t paired_turn; /* the same of `paired`, for pairs that are listed */
    pf_paired paired;
    uint32_t window; /* its output has said these, as a row of stretch `line` found out */
    uint64_t line;
} pf_known_label;

typedef struct pf_cut_known {
    pf_known_place place[PF_ROW_PLACES];
    pf_known_label label[PF_ROW_LABELS];
    bool digests;  /* its next rows are worth it */
    uint32_t idle; /* batches since one that was not; 0: the last one was */
    uint32_t more; /* that were digested by the owner */
    pf_digest digest;
} pf_cut_known;

static inline pf_cut_known *pf_cut_known_of(const pf_rows *b)
{
    return (pf_cut_known *)b->known;
}

/* A slice that a row of the stretch opened, by 1 + row. */
typedef struct pf_open_row {
    int64_t ts;
    uint32_t below; /* the one around it, on the same track; 0: none in the stretch */
    pf_flow_use flow;
} pf_open_row;

/* Rows that are done here, up to one that is not. */
typedef struct pf_stretch {
    pf_cutter *c;
    pf_rows *rows;
    uint64_t number; /* of the packet of row 0 */
    uint64_t line;   /* of the stretch */
    bool stable;
    bool digests;          /* its rows may be taken at once */
    bool writes;           /* and packets of those of the digest in hand are written */
    bool chooses;          /* some of its slices and instants are left out */
    int64_t shorter;       /* the pass looks for slices shorter than that; INT64_MIN: for none */
    pf_edit_track *tracks; /* that have rows of it */
    pf_out *out;           /* where the packets of a run go that are next to each other in the input; NULL: none */
    const uint8_t *run;
    size_t run_len;
    int64_t first, last; /* of its times */
} pf_stretch;

/* ---- cut_places.c ------------------------------------------------------------------------------------------------ */

/* What a place stands for now; digests are to guess the same from now on. It takes nothing if not all is known. */
pf_known_place *pf_known_look_up(pf_cutter *c, const pf_rows *b, uint32_t place);

/* The stretch of time around ts in which nothing but the row's own packet has to be written; else an empty one. */
void pf_track_set_zone(const pf_cutter *c, pf_edit_track *t, int64_t ts);

static inline bool pf_track_in_zone(const pf_edit_track *t, int64_t ts)
{
    return ts >= t->zone.from && ts < t->zone.to;
}

/* Row i has a value of a counter. */
void pf_stretch_value(const pf_stretch *s, const pf_known_place *k, uint32_t i, uint32_t value, int64_t ts);

/* The innermost slice of the track's stack ends. */
void pf_cutter_end_kept(pf_cutter *c, pf_edit_track *t, int64_t ts);

/* Whether the output of the window that the place's track is in is where a packet can be written as it is. */
bool pf_known_is_in_line(const pf_cutter *c, const pf_known_place *k, bool has_flows);

/* It is: packets of the place are written to it as rows of the stretch. */
void pf_stretch_enter(const pf_stretch *s, pf_known_place *k);

/* Whether all that row i refers to was said. */
bool pf_stretch_is_said(const pf_stretch *s, uint32_t i, const pf_out_sequence *out);

/* Whether nothing has to be said before the packet of a row of that place and label. */
static inline bool pf_row_is_ready(const pf_stretch *s, const pf_known_place *k, const pf_known_label *label,
                                   uint32_t window, uint32_t what)
{
    return k->line == s->line && k->window == window &&
           (k->all || (label->line == s->line && label->window == window && !(what & PF_ROW_HAS_ARGS))) &&
           (!k->own || *k->said == k->own->running);
}

/* The packets that wait are written. */
pf_status pf_stretch_end_run(pf_stretch *s, pf_error *err);

/* The packet of a row is written as it is. */
static inline pf_status pf_stretch_put_row(pf_stretch *s, uint32_t i, uint32_t window, pf_error *err)
{
    const uint8_t *whole = s->rows->bytes + s->rows->at[i];
    pf_out *o = &s->c->windows[window].out;
    if (s->out != o || s->run + s->run_len != whole || !pf_out_takes_runs(o)) {
        PF_TRY(pf_stretch_end_run(s, err));
        s->out = o;
        s->run = whole;
        s->run_len = 0;
    }
    s->run_len += s->rows->where[i].size;
    o->kept++;
    return PF_OK;
}

/* Whether row i, which lies in no window, is a step of a legacy flow that may move to the end of one. */
static inline bool pf_stretch_moves_step(const pf_stretch *s, const pf_edit_track *t, uint32_t i)
{
    const pf_row_where *r = &s->rows->where[i];
    bool late = r->what & PF_ROW_FLOW_STEP && !t->row && t->top && t->top->ts < t->zone.reach;
    return __builtin_expect(late, 0) && pf_cutter_has_flow(s->c, pf_row_flow(r));
}

/* Row i, a step of a legacy flow, is in no window. */
void pf_stretch_pass_step(pf_stretch *s, const pf_known_place *k, uint32_t i, int64_t ts);

/* The packet of row i, a slice or an instant with a flow, was written. */
pf_status pf_stretch_note_mark(pf_stretch *s, uint32_t i, uint32_t window, pf_error *err);

/* ---- cut_digest.c ------------------------------------------------------------------------------------------------ */

/* Whether there is a digest from at->row on that can be taken. */
bool pf_stretch_has_digest(pf_stretch *s, const pf_rows_at *at);

/* Takes its rows. The stretch goes on after them as if they had been taken one by one. */
pf_status pf_stretch_take_digest(pf_stretch *s, pf_rows_at *at, pf_error *err);
