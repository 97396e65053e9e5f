/* analyze/neutrino/sched/block_sched.h - the cost of block scheduling, of one section of block records
 * (docs/reference/neutrino.md, "Block scheduling"). */
#ifndef PF_ANALYZE_NEUTRINO_SCHED_BLOCK_SCHED_H
#define PF_ANALYZE_NEUTRINO_SCHED_BLOCK_SCHED_H

#include "analyze/neutrino/facts/neutrino.h"
#include "analyze/neutrino/sched/sm_stream.h"

#define SCHED_DIRECT 1024u
#define SCHED_SMS_MAX 65536u

typedef struct sched_result {
    const neutrino_records *r;
    sched_sm **sm;                  /* ascending ids, count of them */
    sched_sm *direct[SCHED_DIRECT]; /* by id, for small ones */
    uint32_t count, room;
    pf_map by_id;
    uint64_t running, scheduling, pairs; /* the compatible result's means, truncated */
    uint64_t span_max, span_min, blocks_max, blocks_min, tail_max;
    double span_mean;
    uint64_t idle_tail; /* global timer: from the first SM that goes idle for good to the last end */
    pf_str line;
    size_t start, elapsed, id; /* offsets in the record */
    unsigned start_bytes, elapsed_bytes, id_bytes;
    bool packed; /* 16 bytes: u64 start, u32 elapsed, u32 id */
} sched_result;

/* What a drawing gets: blocks of an SM in the order of their starts, with their slots. */
typedef pf_status (*sched_taker)(void *ctx, const sched_sm *sm, const sm_placed *b, pf_error *err);

/* Analyses the section; take may be NULL. The result is released with pf_sched_free, also after a failure. */
pf_status pf_sched_analyse(const neutrino_run *n, const neutrino_records *r, sched_result *out, pf_error *err);
void pf_sched_free(const neutrino_run *n, sched_result *s);

/* The blocks of the SMs whose `again` is set, of each in the order of their starts, SM after SM; take gets them with
 * their slots. */
pf_status pf_sched_visit(const neutrino_run *n, sched_result *s, sched_taker take, void *ctx, pf_error *err);

/* All blocks that ran, in the order of the file, after the analysis. */
typedef void (*sched_visitor)(void *ctx, sched_sm *sm, const sm_block *b);
pf_status pf_sched_each(const neutrino_run *n, sched_result *s, sched_visitor visit, void *ctx, pf_error *err);

/* How many blocks are resident on all SMs, as means over stretches of equal length. Each SM begins with its first
 * block; with the global timer all begin with the first one of all. */
#define SCHED_STRETCHES 256u
typedef struct sched_curve {
    uint64_t begin, end; /* cycles; a curve without stretches is not there */
    uint64_t length;     /* of a stretch; the last one may be shorter */
    uint32_t count;
    double mean[SCHED_STRETCHES], most;
} sched_curve;

/* Of the whole run, and of its last part where the tail would be too short to be seen in that. */
typedef struct sched_residents {
    sched_curve run, tail;
} sched_residents;
pf_status pf_sched_count_residents(neutrino_run *n, sched_result *s, sched_residents *out, pf_error *err);

/* The document, tables and result line of a section; parent: the object that gets it. */
void pf_sched_document(const neutrino_run *n, const sched_result *s, pf_node *object);
void pf_sched_tables(neutrino_run *n, const sched_result *s);

#endif
