/* read/chrome_json/event.h - one event object to one record. */
#ifndef PF_READ_JSON_EVENT_H
#define PF_READ_JSON_EVENT_H

#include "read/chrome_json/record.h"
#include "read/chrome_json/scan.h"

typedef struct pf_json_rules {
    bool cycles;          /* ts and dur are cycles, else microseconds */
    uint32_t depth, keys; /* limits of args */
    uint64_t longest;     /* bytes of an event or a text; what is longer is taken for damage */
} pf_json_rules;

/* Reads the object whose opening brace is at *at. DONE: *at stands behind its closing brace, *empty says whether it had
 * no keys. MORE: the object is not complete before end, *at is unchanged. BAD: *at is the offending byte.
 * `window_offset` is the plain offset of `window`. Faults are those of complete objects only. */
pf_json_scan_result pf_json_read_event(const pf_json_rules *rules, const uint8_t *window, uint64_t window_offset,
                                       const uint8_t **at, const uint8_t *end, pf_json_record *r, bool *empty,
                                       pf_json_faults *faults);

#endif
