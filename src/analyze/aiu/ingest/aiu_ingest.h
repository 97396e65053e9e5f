/* analyze/aiu/ingest/aiu_ingest.h - how events come into the store: rows of the trace (aiu_ingest.c) by job
 * (aiu_jobs.c), what conversions of JSON noted next to them (aiu_converted.c), their arguments
 * (aiu_arguments.c), and what is wrong with all of them (aiu_rank_checks.c). */
#ifndef PF_ANALYZE_AIU_INGEST_AIU_INGEST_H
#define PF_ANALYZE_AIU_INGEST_AIU_INGEST_H

#include "analyze/aiu/facts/aiu_json_notes.h"
#include "model/trace/json_notes.h"

/* From the trace to the store, which is what the first two stages of the list are about. */
pf_status pf_aiu_ingest(aiu_run *run);

/* Its steps; number_flows: ids of flows belong to an input, this is where those of the next one begin. */
aiu_step pf_aiu_read_jobs, pf_aiu_read_arguments, pf_aiu_place_torch_processes, pf_aiu_number_flows,
    pf_aiu_check_duplicate_ranks, pf_aiu_check_missing_ranks;

/* A pid or tid by how it was written (PF_ID_...). */
int64_t pf_aiu_id(aiu_run *run, uint8_t kind, int64_t number, uint32_t text);

/* Gives an event its process, by the rules of its job. */
void pf_aiu_set_rank(aiu_run *run, uint32_t event, int64_t pid);

/* A time of the trace in us from the origin, exact to a double. */
double pf_aiu_us(const aiu_run *run, int64_t ns);

/* A counter event, which is one or several samples in the trace. */
typedef struct aiu_counter_event {
    pf_str json;              /* the event, where the samples cannot say it */
    pf_str cat;               /* JSON text; {NULL, 0}: none */
    uint32_t sample, samples; /* of table counter */
    uint64_t reals;           /* bits by sample: not an integer, though its value is whole */
} aiu_counter_event;

typedef struct aiu_counter_events {
    uint32_t count, room;
    aiu_counter_event *list;
    pf_map *by_row; /* of their first sample */
    pf_json_samples names;
} aiu_counter_events;

/* Finds the counter events of inputs that are no JSON, and calls `skip` for the rows of samples that say no event of
 * their own. */
void pf_aiu_find_counters(aiu_run *run, aiu_counter_events *out, void (*skip)(void *ctx, uint32_t row), void *ctx);

/* Fills an event of a job whose row is the first sample of counter event i. */
void pf_aiu_take_counter(aiu_run *run, uint32_t event, const aiu_counter_events *all, uint32_t i);

/* Adds the events of an input that no row says: those that came first, or the others. */
void pf_aiu_take_leftovers(aiu_run *run, uint32_t job, bool first);

/* What the note of a row says of its event but for ids: another phase, name, category or length. */
void pf_aiu_take_note(aiu_run *run, uint32_t event, const pf_origin *o);

#endif
