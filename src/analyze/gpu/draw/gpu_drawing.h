/* analyze/gpu/draw/gpu_drawing.h - what the files that draw into the trace share. */
#pragma once

#include "analyze/gpu/report/gpu_report.h"
#include "analyze/support/drawing.h"

/* The shortest gap that is drawn, ns. */
enum { GPU_LEAST_GAP = 1000 };

typedef struct gpu_canvas {
    const gpu_results *r;
    const gpu_memory *memory;
    pf_findings *f;
    pf_drawing drawing; /* with an arena for the device in hand */
    uint32_t together;  /* the group of what devices do together and what is compared; PF_NONE: there is one device */
    int32_t rank;       /* of the next group in it */
    pf_error *err;
} gpu_canvas;

/* The cells of a row of a report table from a column on, as arguments of the event added last. */
void pf_gpu_draw_cells(gpu_canvas *c, unsigned table, size_t row, size_t from);

/* The name of a slice as an argument; nothing for PF_NONE. */
void pf_gpu_draw_name(gpu_canvas *c, const char *key, uint32_t slice);

/* A gap by its main cause, with its parts. */
void pf_gpu_draw_gap(gpu_canvas *c, uint32_t track, const gpu_gap *gap);

/* Communication without compute, and memcpy and memset with neither, in the arena of the drawing. */
typedef struct gpu_exposed {
    gpu_set communication, memory;
} gpu_exposed;
pf_status pf_gpu_exposed_sets(gpu_canvas *c, const gpu_device *d, gpu_exposed *out);

/* What calls of modules and of operators launched on a device, one in another (gpu_draw_calls.c). */
pf_status pf_gpu_draw_calls(gpu_canvas *c, uint32_t device);

/* Why each of several streams was idle (gpu_draw_streams.c). */
pf_status pf_gpu_draw_streams(gpu_canvas *c, const gpu_device *d);

/* What the threads did that launched too late, below these gaps (gpu_draw_host.c). */
void pf_gpu_draw_host(gpu_canvas *c, const gpu_listed_gap *gaps, size_t count);

/* Who held memory of a device over time; that of the host, and of devices that ran nothing (gpu_draw_memory.c). */
pf_status pf_gpu_draw_holders(gpu_canvas *c, uint32_t device);
pf_status pf_gpu_draw_other_memory(gpu_canvas *c);

/* Counters of CUPTI's profiler, a group for each input with any (gpu_draw_cupti.c). */
void pf_gpu_draw_cupti(gpu_canvas *c);

/* Counters of one device in the group in hand (gpu_draw_counters.c), or of all devices side by side: each scale is one
 * for all devices then. */
pf_status pf_gpu_draw_counters(gpu_canvas *c, uint32_t device);
pf_status pf_gpu_compare_counters(gpu_canvas *c);

/* What the ranks do together, and what a device had to wait for (gpu_draw_ranks.c). */
pf_status pf_gpu_draw_collectives(gpu_canvas *c);
pf_status pf_gpu_draw_waits(gpu_canvas *c, uint32_t device);
void pf_gpu_draw_stragglers(gpu_canvas *c, uint32_t device);
