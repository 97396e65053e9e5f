/* perfetto/intern.h - what the iids of one sequence stand for, and for how long.
 *
 * A sequence numbers the texts it uses often; after "incremental state cleared" the numbers start anew. A generation is
 * the set of tables between two clears. Events refer to the generation of their file position, and arguments are
 * decoded long after reading, so generations live in an arena as long as the trace and are named by a number.
 *
 * Every entry is kept as a string of the pool: the text of names and string values, the bytes of the whole entry for
 * source locations. Small iids, which is all that real producers use, index an array; the others are hashed. The first
 * value of an iid stays (docs/reference/perfetto.md, "Sequence state").
 */
#pragma once

#include "base/arena.h"

typedef enum pf_intern_kind {
    PF_INTERN_CATEGORY = 0,
    PF_INTERN_EVENT_NAME,
    PF_INTERN_ANNOTATION_NAME,
    PF_INTERN_ANNOTATION_STRING,
    PF_INTERN_SOURCE_LOCATION, /* bytes of the whole entry */
    PF_INTERN_LOG_BODY,
    PF_INTERN_CORRELATION_ID,
    PF_INTERN_COMPUTE_ARG_NAME,
    PF_INTERN_FUNCTION_NAME,
    PF_INTERN_VULKAN_KEY,
    PF_INTERN_BUILD_ID,
    PF_INTERN_MAPPING_PATH,
    PF_INTERN_SOURCE_PATH,
    PF_INTERN_KERNEL_SYMBOL,
    PF_INTERN_COMPUTE_KERNEL, /* from here on bytes of the whole entry, too */
    PF_INTERN_GRAPHICS_CONTEXT,
    PF_INTERN_GPU_SPECIFICATION,
    PF_INTERN_GPU_COUNTER_DESCRIPTOR,
    PF_INTERN_FRAME,
    PF_INTERN_CALLSTACK,
    PF_INTERN_MAPPING,
    PF_INTERN_KINDS
} pf_intern_kind;

typedef struct pf_intern_table {
    uint32_t *dense; /* by iid: string id + 1, 0 = not defined */
    uint32_t dense_room;
    uint32_t count; /* of entries */
    uint32_t sparse_count;
    struct pf_intern_slot { /* open addressing; iid 0 = free */
        uint64_t iid;
        uint32_t value;
    } * sparse;
    uint32_t sparse_room; /* power of two */
} pf_intern_table;

typedef struct pf_generation {
    uint32_t number;
    uint64_t seed; /* of the hashed parts */
    pf_intern_table table[PF_INTERN_KINDS];
} pf_generation;

/* All generations of one reading. Number 0 is an empty one that belongs to no sequence. */
typedef struct pf_generations {
    pf_arena *arena;
    pf_generation **list; /* by number */
    uint32_t count, room;
} pf_generations;

/* The last number that fits into the context of an argument range. */
#define PF_GENERATION_MAX 0xffffffu

/* NULL if memory was refused. */
pf_generations *pf_generations_new(pf_arena *arena);

/* A new, empty generation; the empty generation 0 when the numbers are used up; NULL if memory was refused. */
pf_generation *pf_generation_add(pf_generations *g);

/* Defines iid unless it is defined. False if memory was refused. */
bool pf_intern_set(pf_generations *g, pf_generation *generation, pf_intern_kind kind, uint64_t iid, uint32_t string);

/* The string id, or PF_NONE if nothing defines the iid. */
static inline uint32_t pf_intern_get_dense(const pf_generation *g, pf_intern_kind kind, uint64_t iid)
{
    const pf_intern_table *t = &g->table[kind];
    return iid < t->dense_room ? t->dense[iid] - 1 : PF_NONE; /* 0 - 1 is PF_NONE */
}
uint32_t pf_intern_get(const pf_generation *g, pf_intern_kind kind, uint64_t iid);
