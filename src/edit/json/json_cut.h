/* edit/json/json_cut.h - parts of a Chrome JSON trace, events kept as their bytes. */
#pragma once

#include "edit/json/json_copy.h"
#include "postfetto/author/reader.h"

/* A process of a document, or of packets. */
typedef struct pf_json_found {
    int64_t number;      /* its place among those of the document; of packets its pid */
    pf_str name;         /* of a document its id where it has no name */
    int64_t first, last; /* times of its events, or of the trace */
} pf_json_found;

/* What is to be made of a document. */
typedef struct pf_json_job {
    const pf_write_options *write;
    const pf_json_window *windows; /* one after the other, at least one */
    uint32_t window_count;
    const pf_cut_options *select; /* what is kept; NULL: all */
    pf_json_part *parts;
    uint32_t part_count;
    /* Makes the parts once the processes are known that have something in the first window. NULL: there are parts. */
    pf_status (*plan)(struct pf_json_job *job, const pf_json_found *found, uint32_t count, pf_error *err);
    void *ctx;
    uint64_t events; /* result: of the document */
} pf_json_job;

/* Writes the parts. *t gets the trace that says how large the input is and what is damaged in it; its owner is who
 * reads where from->reading is set. */
pf_status pf_json_cut(pf_json_job *job, const pf_json_source *from, pf_trace **t, pf_error *err);

/* json_packets.c: the same for one part whose name asks for a Perfetto trace. */
pf_status pf_json_cut_to_packets(pf_json_job *job, const pf_json_source *from, pf_trace **t, pf_error *err);
bool pf_json_wants_packets(const char *path);

/* The times of a document, but for those before 0, which no table has; *first > *last: it has none. */
pf_status pf_json_bounds(const pf_json_source *from, int64_t *first, int64_t *last, pf_error *err);

/* A reader that notices that an input is Chrome JSON, for callers that do not know yet. What can be read only once
 * (`stream`) is taken there and then, from its bytes as a whole; else the caller goes on with the file. */
typedef struct pf_json_notice {
    pf_reader reader; /* for the list of readers */
    pf_status (*take)(void *ctx, const pf_json_source *from, pf_error *err);
    void *ctx;
    bool stream, seen;
} pf_json_notice;

/* `n` has take, ctx and stream set. */
void pf_json_notice_init(pf_json_notice *n);
