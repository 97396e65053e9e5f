/* edit/json/json_who.h - processes and threads of a document, found by their ids as the reader finds them: an absent
 * pid is 0, a tid that is absent or 0 is that of the process's main thread. */
#pragma once

#include "base/map.h"
#include "base/strings.h"
#include "edit/json/json_walk.h"

/* A process or thread. */
typedef struct pf_json_one {
    uint32_t process;    /* of a thread */
    uint32_t id;         /* string: as a person writes it */
    uint32_t name;       /* string; 0: none was given */
    int64_t first, last; /* times of its events; first > last: it has none. Of processes, and only where a survey ran */
} pf_json_one;

typedef struct pf_json_who {
    pf_budget *budget;
    pf_strings strings;
    pf_map processes, threads; /* hash of the ids -> place in the lists */
    pf_json_one *process, *thread;
    bool named; /* names are known, as they are at the end of the document: what it says no longer counts */
    uint32_t process_count, process_room, thread_count, thread_room;
} pf_json_who;

pf_status pf_json_who_init(pf_json_who *w, pf_budget *budget, pf_error *err);
void pf_json_who_free(pf_json_who *w);

/* The thread of the event; w->thread[*thread].process is its process. What a metadata event says of the name of
 * either is noted. */
pf_status pf_json_who_is(pf_json_who *w, const pf_json_seen *e, uint32_t *thread, pf_error *err);

/* A hash of the text, its escapes undone, or of an id. */
pf_status pf_json_hash_text(uint64_t *hash, pf_json_text text, pf_error *err);
pf_status pf_json_hash_id(uint64_t *hash, pf_json_id id, pf_error *err);
