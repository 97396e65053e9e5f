/* edit/state/event_facts.h - what decides over a TrackEvent: its phase, track, times, name and categories. */
#pragma once

#include "base/buffer.h"
#include "edit/state/epochs.h"

typedef struct pf_event_facts {
    uint8_t action; /* 'B', 'E', 'X', 'i', 'C', 'S' of a state; 0: it means nothing */
    uint8_t phase;  /* of Chrome's format, 0: none */
    bool async;     /* an operation known by its id */
    uint32_t type;
    bool has_uuid, has_extra, has_delta_us, has_flows, named, has_category;
    bool has_thread_delta, has_instruction_delta;
    uint64_t uuid, delta_us, absolute_us, thread_delta_us, instruction_delta;
    int64_t dur; /* of 'X', in ns */
    pf_field legacy;
} pf_event_facts;

/* Of an event in its packet, which 64 readable bytes follow. */
pf_event_facts pf_event_facts_of(const pf_field *event);

/* The key of the track of an asynchronous operation, of a process where its id is local. */
uint64_t pf_event_async_key(const pf_event_facts *e, const pf_field *event, const pf_epoch *epoch, int64_t pid,
                            uint64_t seed, pf_buffer *scratch);

/* The name of an event, and its categories with commas between, which are appended to *categories; ptr NULL: it has
 * none. They live as long as the event and its epoch. */
pf_str pf_event_name(const pf_field *event, const pf_epoch *epoch);
void pf_event_categories(const pf_field *event, const pf_epoch *epoch, pf_buffer *categories);
