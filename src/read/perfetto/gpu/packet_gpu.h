/* read/perfetto/gpu/packet_gpu.h - GPU packets (docs/reference/perfetto.md, "GPU work"): render stages, counters, logs,
 * memory, Vulkan calls.
 *
 * Counters, logs, memory totals and queue submissions become rows at once. A render stage gets its event row at once
 * too, but what it is called, and on which track it stands, depends on packets that may come later in the file and
 * earlier in time: names of queues, stages and Vulkan objects, and the stages that occupy the lanes of its queue. So
 * these packets wait in a queue until the last packet was read, and are then taken in time order.
 */
#pragma once

#include "gpu.pb-c.h"
#include "perfetto/fields.h"
#include "read/perfetto/import/import.h"

/* What a hardware queue is known by; padding is none. */
typedef struct pf_gpu_queue_key {
    uint32_t gpu, number, name; /* GPU, id (its low half), string id of the name or 0 */
    uint32_t interned;          /* the id is that of an interned specification */
} pf_gpu_queue_key;

typedef struct pf_gpu_slot {
    int64_t key;
    uint32_t lane;
} pf_gpu_slot;

/* Lanes, the one with the least key first. */
typedef struct pf_gpu_heap {
    pf_gpu_slot *list;
    uint32_t count, room;
} pf_gpu_heap;

/* The track of a queue, or rather its lanes: stages that overlap have a row each. A lane is idle when its last stage
 * has ended; stages come in time order, so a busy lane becomes idle once. */
typedef struct pf_gpu_queue {
    pf_gpu_queue_key key;
    uint32_t *rows; /* track rows of the lanes */
    uint32_t lane_count, lane_room;
    pf_gpu_heap idle, busy; /* by number; by end */
} pf_gpu_queue;

/* A text of the deprecated specifications: string ids, description 0 if it has none. */
typedef struct pf_gpu_text {
    uint32_t name, description;
    bool known;
} pf_gpu_text;

typedef struct pf_gpu_texts {
    pf_gpu_text *list;
    uint32_t count, room;
} pf_gpu_texts;

/* A packet that waits for its turn in time. */
typedef enum pf_gpu_turn {
    PF_GPU_TURN_STAGE = 0,
    PF_GPU_TURN_NAME,
    PF_GPU_TURN_MEMORY,
    PF_GPU_TURN_VULKAN_MEMORY
} pf_gpu_turn;

typedef struct pf_gpu_waiting {
    int64_t ts;
    const uint8_t *bytes; /* the message; they live as long as the trace */
    const pf_generation *generation;
    uint64_t offset; /* of the packet */
    pf_clock_key clock;
    uint32_t len;
    uint32_t event; /* row of the stage, or PF_NONE */
    uint32_t stage; /* number among the stages of this input */
    bool later;     /* ts counts in `clock` still */
    uint8_t turn;   /* pf_gpu_turn: GpuRenderStageEvent, VkDebugUtilsObjectName, GpuMemTotalEvent, VulkanMemoryEvent */
} pf_gpu_waiting;

/* A group that a counter belongs to; string ids. */
typedef struct pf_gpu_group {
    int64_t id;
    uint32_t name, description;
} pf_gpu_group;

typedef struct pf_gpu_counter {
    uint32_t track;
    bool forwards;
    const pf_gpu_group *groups; /* well-known ones */
    uint32_t group_count;
} pf_gpu_counter;

enum { PF_GPU_COMMAND_BUFFERS = 0, PF_GPU_RENDER_PASSES, PF_GPU_FRAMEBUFFERS, PF_GPU_OBJECT_KINDS };

/* What a stage has in addition to its bytes; kept with the trace for its arguments. String ids are 0 where there is
 * none. */
typedef struct pf_gpu_stage {
    const pf_generation *generation; /* NULL: no such stage */
    uint32_t upid, description;
    uint32_t object[PF_GPU_OBJECT_KINDS]; /* names of what its handles refer to */
} pf_gpu_stage;

/* State of the arguments' decoder: the stages of all binary inputs of the trace, newest input first. */
typedef struct pf_gpu_stages {
    struct pf_gpu_stage_block {
        struct pf_gpu_stage_block *next;
        uint32_t first, count;
        pf_gpu_stage stage[];
    } * blocks;
    uint32_t count; /* of all blocks */
} pf_gpu_stages;

/* Contexts of argument ranges: two fixed ones, then stages by number. */
enum { PF_GPU_ARGS_LOG = 0, PF_GPU_ARGS_SUBMIT = 1, PF_GPU_ARGS_STAGE = 2 };

#define PF_GPU_MAPS 16

typedef struct pf_gpu {
    union {
        struct {
            pf_map numbers;          /* GPU id -> ugpu, in the order of the file */
            pf_map contexts;         /* iid of a graphics context -> its row */
            pf_map grouped;          /* track rows of counters whose well-known groups are listed */
            pf_map described;        /* generation << 32 | string id of an interned descriptor that it refers to */
            pf_map memory_tracks[2]; /* GPU id, GPU id << 32 | upid -> track row */
            pf_map counter_tracks;   /* GPU id << 32 | string id of the name -> track row */
            pf_map counter_ids;   /* string id of an interned descriptor or 0 << 32 | counter id -> index in counters */
            pf_map descriptors;   /* string ids of the interned descriptors that were read */
            pf_map unnamed;       /* id of a queue that had no name when it was used -> whether it got one since */
            pf_map queue_index;   /* number of what a queue is known by -> its index */
            pf_map memory_sums;   /* kind and what of Vulkan memory -> index in sums */
            pf_map vulkan_tracks; /* id in `keys` of kind, what and process -> track row */
            pf_map objects[PF_GPU_OBJECT_KINDS]; /* handle -> string id of its name */
        };
        pf_map maps[PF_GPU_MAPS]; /* all of these */
    };
    pf_gpu_stages *stages;
    unsigned args; /* decoder */
    int64_t now;   /* time of what is being read */
    int64_t *seen; /* by ugpu, from first_ugpu on: when the GPU was seen first */
    uint32_t seen_count, seen_room;
    uint32_t informed;                  /* GPUs that GpuInfo packets listed */
    uint32_t first_ugpu, first_row_arg; /* rows from here on are this input's */
    uint32_t log_track, vulkan_track;   /* or PF_NONE */

    pf_gpu_counter *counters;
    uint32_t counter_count, counter_room;
    uint32_t *backwards; /* sample rows whose value belongs to the sample before */
    uint32_t backward_count, backward_room;

    pf_gpu_waiting *waiting;
    uint32_t waiting_count, waiting_room, stage_count;

    pf_gpu_queue *queues;
    uint32_t queue_count, queue_room;
    pf_gpu_texts queue_texts, stage_texts;
    int64_t *sums;
    uint32_t sum_count, sum_room;
} pf_gpu;

/* ---- gpu.c: what the reader calls -------------------------------------------------------------------------------- */

/* A packet about GPUs. */
void pf_gpu_packet(pf_import *im, const pf_packet *p);

/* TrackEvent.gpu_correlation of an event: GPU work that it submits or waits for. */
pf_status pf_gpu_correlate(pf_import *im, uint32_t event, const pf_field *correlation);

/* A GPU came up at that time, in a packet that is not about GPUs: its number (ugpu); PF_NONE after an error. */
uint32_t pf_gpu_seen(pf_import *im, uint32_t gpu, int64_t ts);

/* All packets were read and all times settled. */
pf_status pf_gpu_finish(pf_import *im);
void pf_gpu_free(pf_import *im);

/* ---- gpu_tracks.c: rows are PF_NONE after an error, strings are ids ---------------------------------------------- */

/* A track that is not known by anything, made on first use; *row is PF_NONE before. Returns *row. */
uint32_t pf_gpu_single_track(pf_import *im, pf_track_type type, const char *name, uint32_t *row);
/* The memory that a process has on a GPU; PF_NONE: all of them together. */
uint32_t pf_gpu_memory_track(pf_import *im, uint32_t gpu, uint32_t upid);
uint32_t pf_gpu_counter_track(pf_import *im, uint32_t gpu, uint32_t name, uint32_t unit, pf_str description);

/* The lane for a stage from ts to end, which is not before ts, on the queue known by `key`; its track is called `title`
 * if it must be made. */
uint32_t pf_gpu_stage_track(pf_import *im, const pf_gpu_queue_key *key, uint32_t title, uint32_t description,
                            int64_t ts, int64_t end);
/* A queue that had no name gets one; its first lane shows it, and is made for that if need be. */
void pf_gpu_rename_queue(pf_import *im, const pf_gpu_queue_key *key, uint32_t title, uint32_t description);
void pf_gpu_free_queues(pf_gpu *g, pf_budget *b);

/* ---- gpu_lists.c ------------------------------------------------------------------------------------------------- */

/* The number of a GPU that is seen at the time `now`, in the order of the file; PF_NONE after an error. */
uint32_t pf_gpu_number(pf_import *im, uint32_t gpu);
/* Puts the numbers into the order of time. */
void pf_gpu_settle_numbers(pf_import *im);
/* A GpuInfo. */
void pf_gpu_info(pf_import *im, const pf_packet *p);
/* Reads the well-known groups of a counter; lists them. */
void pf_gpu_known_groups(pf_import *im, const Pf__Proto__GpuCounterDescriptor *d, const Pf__Proto__GpuCounterSpec *s,
                         pf_gpu_counter *counter);
void pf_gpu_add_known_groups(pf_import *im, const pf_gpu_counter *counter);
/* Lists the groups that a descriptor makes up, of its counters from index first_counter on. */
void pf_gpu_add_own_groups(pf_import *im, const Pf__Proto__GpuCounterDescriptor *d, uint32_t descriptor,
                           uint32_t first_counter);
/* Lists the context if it is defined, once. */
void pf_gpu_note_context(pf_import *im, const pf_generation *generation, uint64_t iid);

/* ---- gpu_counters.c ---------------------------------------------------------------------------------------------- */
void pf_gpu_counter_event(pf_import *im, const pf_packet *p);
/* Moves the values that look backwards to the samples they belong to. */
void pf_gpu_settle_counters(pf_import *im);

/* ---- packet_gpu_stages.c ----------------------------------------------------------------------------------------- */

/* Takes what waits, in time order. */
void pf_gpu_settle_stages(pf_import *im);

/* ---- vulkan_memory.c --------------------------------------------------------------------------------------------- */
void pf_gpu_take_vulkan_memory(pf_import *im, const pf_gpu_waiting *w);

/* ---- gpu_args.c -------------------------------------------------------------------------------------------------- */
pf_status pf_gpu_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context, const pf_arg_visitor *v,
                      pf_error *err);
/* The fields of a GpuRenderStageEvent by their numbers; absent ones have tag and value 0. */
void pf_gpu_read_stage(const uint8_t *bytes, size_t len, pf_field f[PF_STAGE_FIELDS]);

/* An interned message kept whole. False if nothing defines the iid. */
bool pf_gpu_interned(const pf_trace *t, const pf_generation *g, pf_intern_kind kind, uint64_t iid, pf_cursor *message);

/* The decoder's state if this trace has one. */
pf_gpu_stages *pf_gpu_known_stages(const pf_trace *t);
