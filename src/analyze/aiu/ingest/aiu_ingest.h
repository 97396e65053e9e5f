/* analyze/aiu/ingest/aiu_ingest.h - how events come into the store: rows of the trace (aiu_ingest.c) by job
 * (aiu_jobs.c), their arguments (aiu_arguments.c), and what is wrong with all of them (aiu_rank_checks.c). */
#pragma once

#include "analyze/aiu/facts/aiu_facts.h"
#include "model/trace/json_notes.h"

/* From the trace to the store, which is what the first two stages of the list are about. */
pf_status pf_aiu_ingest(aiu_run *run);

/* Its steps; number_flows: ids of flows belong to an input, this is where those of the next one begin. */
aiu_step pf_aiu_read_jobs, pf_aiu_read_arguments, pf_aiu_place_torch_processes, pf_aiu_number_flows,
    pf_aiu_check_duplicate_ranks, pf_aiu_check_missing_ranks;

/* Says how many counters are of no use (run->odd). */
void pf_aiu_say_odd_counters(aiu_run *run);

/* Says that an input does not count, which acelyzer wrote. */
void pf_aiu_log_ignored(aiu_run *run, const aiu_job *job);

/* A pid or tid by how it was written (PF_ID_...). */
int64_t pf_aiu_id(aiu_run *run, uint8_t kind, int64_t number, uint32_t text);

/* Gives an event its process, by the rules of its job. */
void pf_aiu_set_rank(aiu_run *run, uint32_t event, int64_t pid);

/* A time of the trace in us from the origin, exact to a double. */
double pf_aiu_us(const aiu_run *run, int64_t ns);

/* Finds the counter events of inputs that are no JSON; out[row] becomes PF_NONE of samples that say no event of their
 * own. Then fills an event whose row is that of one. */
void pf_aiu_find_counters(aiu_run *run, pf_json_samples *names, uint32_t *out);
void pf_aiu_take_counter(aiu_run *run, uint32_t event, const pf_json_samples *names);

/* Adds the event of a row of run->parts. */
void pf_aiu_take_part(aiu_run *run, uint32_t job, uint32_t row);
