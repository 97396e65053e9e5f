/* edit/json/json_spans.h - what a window gets of slices, complete events and values that reach into it. */
#pragma once

#include "edit/json/json_survey.h"

/* The first window that begins after `ts`. */
uint32_t pf_json_first_after(const pf_json_survey *s, int64_t ts);

/* The thread has something in a window; in those that [ts, end] overlaps; in those in which both times lie. */
pf_status pf_json_use(pf_json_survey *s, uint32_t window, uint32_t thread, pf_error *err);
pf_status pf_json_use_windows(pf_json_survey *s, uint32_t thread, int64_t ts, int64_t end, pf_error *err);
pf_status pf_json_use_windows_of(pf_json_survey *s, uint32_t thread, int64_t ts, int64_t other, pf_error *err);

/* The bits of begins, ends and ends of arrows. */
pf_status pf_json_number_linked(pf_json_survey *s, uint64_t *number, pf_error *err);
void pf_json_set_bits(pf_json_survey *s, uint64_t number, uint64_t bits);

/* Adds an event, changed as `clip` says, to what a window gets. */
pf_status pf_json_add(pf_json_survey *s, const pf_json_note *n, const pf_json_added *what, pf_json_clip clip,
                      pf_error *err);

/* The begin of a slice until `end`, for the windows that begin inside it. */
pf_status pf_json_add_begins(pf_json_survey *s, const pf_json_note *n, int64_t end, pf_error *err);

/* When a slice ends. */
typedef struct pf_json_ending {
    const pf_json_note *own; /* its end; NULL: it ends with the slice around it */
    int64_t end, seen;       /* seen: the time of the event that shows it */
    bool tie;                /* others lie on it that begin where it ends */
    bool alone;              /* the slice around it is left out */
    uint32_t *alien;         /* of its lane */
} pf_json_ending;

/* A slice is known: the note of its begin, which is dropped if it is too short. */
pf_status pf_json_settle(pf_json_survey *s, pf_json_note *begin, const pf_json_ending *e, pf_error *err);

/* Brings what was added into the order in which it is written. */
pf_status pf_json_arrange(pf_json_survey *s, pf_error *err);
