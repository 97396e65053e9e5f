/* edit/json/json_survey.h - the first pass of a cut: what each window needs besides the events that lie in it.
 *
 * An output is written while the document is read a second time. What the first pass finds out for that:
 *
 *     who remains        the threads with something in a window: metadata of others is left out
 *     what is added      at the head of an output begins and complete events that are open where its window begins, and
 *                        the last value of each counter; at its tail the ends of what is still open where it ends
 *     two bits for each  begin, end and end of an arrow, in the order of the file: `dropped`: a filter does not want
 * its slice; `marked`: the end of a slice that has a length (which belongs to the window before its time, not to the
 * one that begins there), or an arrow with another end outside, or a begin that becomes a complete event without
 * length; both: a step of an arrow that becomes the start of it
 */
#pragma once

#include "base/arena.h"
#include "edit/json/json_clip.h"
#include "edit/json/json_lanes.h"
#include "edit/json/json_who.h"
#include "edit/select/filters.h"

/* [from, to) in ns. */
typedef struct pf_json_window {
    int64_t from, to;
} pf_json_window;

/* An event that an output gets at its head or tail. */
typedef struct pf_json_added {
    uint32_t window, thread;
    bool tail;
    bool begins, ends;  /* it began before the window, it ends after it */
    bool nests;         /* a thread's slice, at the head */
    bool put_off;       /* it begins after the head */
    int64_t ts, dur;    /* original; dur 0 unless it is complete */
    int64_t end;        /* of a begin; 0: of none */
    int64_t length;     /* of what is written as a complete event */
    int64_t thread_end; /* of a complete event by the thread's clock; INT64_MIN: not known */
    uint64_t order;     /* of a begin among those of its time */
    uint64_t number;
    pf_str text;
} pf_json_added;

/* A complete event that ends before its time: it lies on a begin without an end, and so ends with what is around both,
 * as an event at `seen` shows. */
typedef struct pf_json_early {
    int64_t end, seen;
    bool tie;      /* something begins on it where it ends */
    bool alone;    /* what it ends with, or what it lies on, is left out */
    unsigned pass; /* that found it last */
} pf_json_early;

typedef struct pf_json_survey {
    pf_budget *budget;
    const pf_json_window *window; /* one after the other */
    uint32_t windows;
    bool cycles;
    const pf_cut_options *select; /* what is kept; NULL: all */
    bool has_places;              /* it asks for processes, threads or tracks */
    bool thins;                   /* it leaves out some events of a thread and keeps others */
    int64_t least_dur;            /* of slices */
    int64_t latest;               /* time of all events so far */
    bool has_complete;            /* a complete event was among them */
    int64_t ranks_from;           /* from this time on ends come first at equal times, then complete events */
    pf_json_who who;
    pf_json_lanes lanes;
    pf_map used;    /* thread and window -> 1 */
    pf_map begun;   /* the same, where a begin was added at the window's start */
    uint64_t *bits; /* two for each linked event */
    size_t bit_words;
    uint64_t linked;    /* events so far */
    uint32_t alien;     /* hash of PF_JSON_ALIEN */
    uint64_t completes; /* complete events so far */
    pf_map early_by_number;
    pf_json_early *early;
    uint32_t early_count, early_room;
    uint32_t early_seen, early_known; /* of this pass; of the one before */
    bool early_differs;               /* this pass found another one */
    unsigned pass;
    pf_json_added *added; /* sorted: by window, then in the order of the output */
    uint32_t added_count, added_room;
    pf_map tails;    /* end of an arrow -> the first window that ends before it, while its slice is on top */
    pf_map profiles; /* hash of a process and id -> place in `profile`: its start */
    int64_t *profile;
    uint32_t profile_count, profile_room;
    pf_arena texts;
    pf_buffer scratch;
    const uint8_t *limit; /* of the bytes at hand */
} pf_json_survey;

pf_status pf_json_survey_init(pf_json_survey *s, pf_budget *budget, pf_error *err);
void pf_json_survey_free(pf_json_survey *s);

/* Whether a selection takes the event: its process, thread and track, and its category. An end goes with its begin. */
bool pf_json_takes(pf_json_survey *s, const pf_json_seen *e, pf_json_action action, uint32_t thread);
bool pf_json_takes_place(pf_json_survey *s, const pf_json_seen *e, uint32_t thread); /* but for the category */

/* json_profile.c: where the profile starts that the chunk `e` is of, which is taken if that is; of other events, and of
 * chunks of a profile whose start the document does not have, its own time. */
pf_status pf_json_start_of(const pf_json_survey *s, const pf_json_seen *e, uint32_t process, bool *taken,
                           int64_t *start, pf_error *err);
pf_status pf_json_note_profile(pf_json_survey *s, const pf_json_seen *e, uint32_t process, bool taken, pf_error *err);

/* Goes through the document, first for names where a selection asks for them, a second time where events of a lane are
 * out of order. */
pf_status pf_json_survey_run(pf_json_survey *s, const pf_json_source *from, pf_error *err);

enum { PF_JSON_DROPPED = 1, PF_JSON_MARKED = 2, PF_JSON_STARTS = 3 };

static inline unsigned pf_json_bits(const pf_json_survey *s, uint64_t number)
{
    return s->bits[number / 32] >> (number % 32 * 2) & 3;
}

/* What is known of a complete event by its number among these; NULL: it ends when it says. */
static inline const pf_json_early *pf_json_early_of(const pf_json_survey *s, uint64_t number)
{
    uint32_t at = s->early_count ? pf_map_get(&s->early_by_number, number) : PF_NONE;
    return at != PF_NONE && s->early[at].pass + 1 >= s->pass ? &s->early[at] : NULL;
}

/* Whether a thread has something in a window; with PF_JSON_ANY_THREAD + a process, whether a thread of it has. */
#define PF_JSON_ANY_THREAD 0x80000000u
static inline bool pf_json_is_used(const pf_json_survey *s, uint32_t window, uint32_t thread)
{
    return pf_map_get(&s->used, (uint64_t)window << 32 | thread) != PF_NONE;
}
