/* edit/json/json_lanes.h - lanes: what events belong together, and which of them are open.
 *
 * A lane is a thread, an asynchronous operation, an object, an arrow or a counter, found by a seeded hash of what makes
 * it. The events of it that wait for another one are a chain of notes, the latest first:
 *
 *     a thread and its like: the stack of its slices (json_survey.c)
 *     an arrow:              its ends seen so far
 *     a counter:             the last value before each window
 *
 * Files need not be in order. A lane whose events are out of order keeps all of them, to be sorted at the end.
 */
#pragma once

#include "base/map.h"
#include "edit/json/json_walk.h"

typedef enum pf_json_action {
    PF_JSON_INSTANT = 0, /* belongs where its time is */
    PF_JSON_BEGIN,
    PF_JSON_END,
    PF_JSON_COMPLETE,
    PF_JSON_ARROW,
    PF_JSON_SAMPLE,
    PF_JSON_ABOUT /* says something of a process or thread */
} pf_json_action;

pf_json_action pf_json_action_of(const pf_json_record *r);

/* Whether events of the kind are numbered and marked: begins, ends and arrows. */
static inline bool pf_json_is_linked(pf_json_action a)
{
    return a == PF_JSON_BEGIN || a == PF_JSON_END || a == PF_JSON_ARROW;
}

/* An event of a lane. */
typedef struct pf_json_note {
    int64_t ts;
    int64_t end;             /* of a slice; INT64_MAX: it is open. Of an arrow's: the last time at which it is there */
    uint64_t number;         /* of linked events, in the order of the file; a sample: the first window from it on */
    uint32_t name, category; /* hashes; 0: none. Of an arrow: its lane, and that of its thread */
    const uint8_t *bytes;
    uint32_t len; /* of a copy of our own; 0: the bytes lie in the input, which stays */
    uint32_t below;
    uint32_t arrows; /* which end on an open slice, a chain; of an arrow: the next one */
    uint32_t thread;
    uint8_t action, phase;
    bool bound;      /* an arrow that has a slice */
    bool next;       /* an arrow that ends on the slice after it */
    bool dropped;    /* a filter does not want it */
    bool other_args; /* its arguments are under PF_JSON_OTHER_ARGS_KEY */
} pf_json_note;

typedef struct pf_json_lane {
    int64_t latest;    /* time of the event seen last */
    int64_t rank;      /* of events of that time: the last place among them, as pf_json_rank has it */
    int64_t inverted;  /* time of the last event that came after one of a later place */
    int64_t begun;     /* of the slice that was put on the stack last */
    uint32_t top;      /* note, or PF_NONE */
    uint32_t depth;    /* of the stack; of an arrow: how many of its ends wait for their slices */
    uint32_t finished; /* slices on it whose end is known */
    uint32_t events;   /* of the stack, so far */
    uint32_t pending;  /* arrows that end on the next slice, a chain */
    uint8_t action;    /* BEGIN, ARROW or SAMPLE */
    bool begins;       /* it has begins or ends, not complete events alone */
    bool arrows;       /* ends of arrows are on it */
    bool moved;        /* one of them is not where its time is, */
    bool crosses;      /* or its other end is in other windows */
    bool late;         /* an event was earlier than one before it */
    bool sorts;        /* its events are kept until the end */
    int64_t since;     /* the slice on top is there */
    uint32_t alien;    /* 1 + the window that has an end for it which fits none */
    uint8_t ends;      /* of an arrow: 1 its start was seen, 2 its end */
} pf_json_lane;

typedef struct pf_json_lanes {
    pf_budget *budget;
    pf_map map;
    pf_json_lane *lane;
    pf_json_note *note;
    uint32_t count, room, note_count, note_room;
    uint32_t unused; /* notes that are free, a chain */
} pf_json_lanes;

void pf_json_lanes_init(pf_json_lanes *l, pf_budget *budget);
void pf_json_lanes_free(pf_json_lanes *l);

/* Forgets all events. Lanes that were found out of order will be sorted: those with begins, and those with arrows whose
 * slices matter (`thins`: since some are left out), but for large ones without need. False if there is none, and none
 * whose arrows have to do without slices. ranks_from: the time from which on the places among equal times matter. */
bool pf_json_lanes_restart(pf_json_lanes *l, int64_t ranks_from, bool thins);

/* The lane of the event, made if new. */
pf_status pf_json_lane_of(pf_json_lanes *l, const pf_json_seen *e, pf_json_action action, uint32_t thread,
                          uint32_t process, uint32_t *lane, pf_error *err);

/* The same of the thread's slices, whatever the event is. */
pf_status pf_json_thread_lane(pf_json_lanes *l, uint32_t thread, uint32_t *lane, pf_error *err);

/* A note of the event, on no chain yet, with its times alone. */
pf_status pf_json_note_times(pf_json_lanes *l, const pf_json_seen *e, pf_json_action action, uint32_t thread,
                             uint32_t *note, pf_error *err);

/* The same with its name and bytes, which are copied where the input does not keep them. */
pf_status pf_json_note_event(pf_json_lanes *l, const pf_json_seen *e, pf_json_action action, uint32_t thread,
                             uint32_t *note, pf_error *err);
/* What a note has of a name or category. */
pf_status pf_json_hash_word(uint64_t seed, pf_str word, uint32_t *hash, pf_error *err);
void pf_json_drop_note(pf_json_lanes *l, uint32_t note);
