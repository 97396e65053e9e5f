/* edit/json/json_lanes.h - lanes: what events belong together, and which of them are open.
 *
 * A lane is a thread, an asynchronous operation, an object, an arrow or a counter, found by a seeded hash of what makes
 * it. The events of it that wait for another one are a chain of notes, the latest first:
 *
 *     a thread and its like: begins without their ends; an end takes the innermost one that its name and category allow
 *     an arrow:              its ends seen so far
 *     a counter:             the last value before each window
 *
 * Files need not be in order. A lane whose events are out of order keeps all of them, to be sorted at the end.
 */
#ifndef PF_EDIT_JSON_JSON_LANES_H
#define PF_EDIT_JSON_JSON_LANES_H

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
    int64_t closed;          /* of a begin: when a slice around it ended, which ends it too; INT64_MAX: not so far */
    uint64_t number;         /* of linked events, in the order of the file; a sample: the first window after it */
    uint32_t name, category; /* hashes; 0: none */
    const uint8_t *bytes;
    uint32_t len; /* of a copy of our own; 0: the bytes lie in the input, which stays */
    uint32_t below;
    uint32_t thread;
    uint8_t action, phase;
    bool dropped;    /* a filter does not want it */
    bool plain;      /* it has no arguments and no thread time */
    bool other_args; /* its arguments are under PF_JSON_OTHER_ARGS_KEY */
} pf_json_note;

typedef struct pf_json_lane {
    int64_t latest; /* time of the event seen last */
    uint32_t top;   /* note, or PF_NONE */
    uint8_t action; /* BEGIN, ARROW or SAMPLE */
    bool late;      /* an event was earlier than one before it */
    bool sorts;     /* its events are kept until the end */
    uint8_t ends;   /* of an arrow: 1 its start was seen, 2 its end */
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

/* Forgets all events. Lanes that were found out of order will be sorted; false if there is none. */
bool pf_json_lanes_restart(pf_json_lanes *l);

/* The lane of the event, made if new. */
pf_status pf_json_lane_of(pf_json_lanes *l, const pf_json_seen *e, pf_json_action action, uint32_t thread,
                          uint32_t process, uint32_t *lane, pf_error *err);

/* A note of the event, on no chain yet; its bytes are copied where the input does not keep them. */
pf_status pf_json_note_event(pf_json_lanes *l, const pf_json_seen *e, pf_json_action action, uint32_t thread,
                             uint32_t *note, pf_error *err);
void pf_json_drop_note(pf_json_lanes *l, uint32_t note);

/* Takes the begin that the end `note` ends out of the chain of its lane; PF_NONE: there is none. Begins inside of it
 * are closed, as Perfetto's engine ends what lies in a slice with that; their own ends may still come. */
uint32_t pf_json_take_begin(pf_json_lanes *l, uint32_t lane, uint32_t note);

#endif
