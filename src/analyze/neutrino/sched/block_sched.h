/* analyze/neutrino/sched/block_sched.h - the cost of block scheduling, of one section of block records
 * (docs/reference/neutrino.md, "Block scheduling"). */
#pragma once

#include "analyze/neutrino/facts/neutrino.h"
#include "analyze/neutrino/sched/sm_sweep.h"

/* ---- the blocks of one SM as they stream by (sm_stream.c) -------------------------------------------------------- */

/* Ends of blocks that the compatible result still looks at, oldest first: a ring. Both numbers only grow. */
typedef struct sched_queue {
    uint64_t *end;
    uint64_t first, past; /* the oldest, and the one after the latest */
    uint64_t room;        /* a power of two */
} sched_queue;

/* Blocks that are held, and those of them that are kept back for later ones. */
#define SCHED_HELD SM_WINDOW_BLOCKS
#define SCHED_KEPT 32u

typedef struct sched_sm {
    uint32_t held, ordered; /* blocks that are held; those that are in the order of their starts, which come first */
    uint32_t id, place;     /* place: among the SMs in the order of their ids, in the end */
    bool again;             /* a block came too late: swept once more from a whole list */
    sched_block block[SCHED_HELD];
    uint64_t work, compat_blocks, compat_gap, compat_pairs;
    sched_queue queue;
    uint64_t swept; /* start of the block that was swept last */
    uint64_t exact_blocks, tail;
    sm_window window; /* in use until more slots are needed than it has room for */
    sm_sweep sweep;   /* the result; its slots from then on */
} sched_sm;

/* Works off what is held, but for `keep` blocks. False: memory was refused. */
bool pf_sched_settle(sched_sm *sm, uint32_t keep);

/* A block whose record is all zero did not run; only the compatible result counts it. Returns as above. */
bool pf_sched_add_unused(sched_sm *sm);

/* After the last block. */
bool pf_sched_finish(sched_sm *sm);
void pf_sched_free_sm(sched_sm *sm);

static inline bool pf_sched_add(sched_sm *sm, const sched_block *b)
{
    sm->block[sm->held++] = *b;
    return sm->held < SCHED_HELD || pf_sched_settle(sm, SCHED_KEPT);
}

/* ---- a section --------------------------------------------------------------------------------------------------- */

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
