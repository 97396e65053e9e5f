/* analyze/gpu/facts/gpu_facts.h - the steps of pf_gpu_facts_read, in their order. */
#pragma once

#include "analyze/gpu/facts/gpu.h"

/* Where the operations of a slice belong: device and stream by its track alone, for what its arguments do not say. */
typedef struct gpu_place {
    int64_t device, stream;
    uint32_t device_text, stream_text; /* string ids; 0: it is a number */
    bool stage;                        /* of render stages: their arguments do not count */
} gpu_place;
pf_status pf_gpu_places(gpu_facts *g, gpu_place **by_track, pf_error *err);

/* What render stages are: kernels, copies, fills, or none of these; else what slices without a category are, for traces
 * in which no category names device work. Changes g->kind. */
pf_status pf_gpu_classify_by_arguments(gpu_facts *g, bool stages, pf_error *err);

/* What every operation, and every runtime call, is asked for before anything is known about it. */
enum { GPU_PLACE_DEVICE, GPU_PLACE_STREAM, GPU_PLACE_CORRELATION, GPU_PLACE_KEYS };

/* What copies, fills and communication are asked for. */
extern const pf_early_args pf_gpu_early_details;

/* The same, where only a partial is written: what else is kept. */
extern const pf_early_args pf_gpu_early_partial;

/* Correlations, by operation and by call, 0 without one; NULL without calls. They live as long as g->scratch is not
 * reset. */
typedef struct gpu_listed {
    int64_t *number, *call_number;
} gpu_listed;

/* Fills the columns of g->ops and g->calls that need no arguments. */
pf_status pf_gpu_list(gpu_facts *g, pf_error *err);

/* Columns that are the trace's become copies, which may be written. */
pf_status pf_gpu_own_columns(gpu_facts *g, pf_error *err);

/* Makes devices and streams, gives each operation its own, and fills the list. */
pf_status pf_gpu_make_owners(gpu_facts *g, gpu_listed *l, const gpu_place *places, pf_error *err);

/* Whether a kernel of that name is communication, unless the user says otherwise. */
bool pf_gpu_is_communication(pf_str name);

/* The class of each operation. */
pf_status pf_gpu_classify_ops(gpu_facts *g, pf_error *err);

/* Operations, devices and streams. */
pf_status pf_gpu_read_ops(gpu_facts *g, gpu_listed *l, pf_error *err);

/* Runtime calls, and which of them launched which operations. */
pf_status pf_gpu_read_calls(gpu_facts *g, gpu_listed *l, pf_error *err);

/* first[key] is where the rows of each key < keys begin in order of keys; it has room for keys + 1. */
void pf_gpu_count_keys(const uint32_t *key, uint32_t n, uint32_t keys, uint32_t *first);

/* The same, and order[0..n) becomes the rows 0..n-1 in order of key[row], equal keys in place. */
void pf_gpu_sort_by_key(const uint32_t *key, uint32_t n, uint32_t keys, uint32_t *first, uint32_t *order);

/* Whether the rows are in order of their keys already. */
bool pf_gpu_ascends(const uint32_t *key, uint32_t n);

/* Columns of n cells each, or NULL, become ordered by key[row], equal keys in place; `first` as above. */
typedef struct gpu_cells {
    void *cells;
    size_t size; /* of a cell, at most 8 */
} gpu_cells;
pf_status pf_gpu_reorder(gpu_facts *g, const uint32_t *key, uint32_t n, uint32_t keys, uint32_t *first,
                         const gpu_cells *columns, size_t count, pf_error *err);
