/* analyze/neutrino/neutrino_steps.h - the analyses, each with its reports. */
#ifndef PF_ANALYZE_NEUTRINO_NEUTRINO_STEPS_H
#define PF_ANALYZE_NEUTRINO_NEUTRINO_STEPS_H

#include "analyze/neutrino/dmat/dmat.h"
#include "analyze/neutrino/draw/enriched.h"
#include "analyze/neutrino/draw/pictures.h"
#include "analyze/neutrino/facts/neutrino.h"
#include "analyze/neutrino/runs/run_reports.h"
#include "analyze/neutrino/sched/block_sched.h"

/* Of one section. */
pf_status pf_neutrino_gmem(neutrino_run *n, const neutrino_records *r, pf_error *err);
pf_status pf_neutrino_tensorop(neutrino_run *n, const neutrino_records *r, pf_error *err);
pf_status pf_neutrino_progress(neutrino_run *n, const neutrino_records *r, pf_error *err);

/* sum: of sync_bytes and of async_bytes; list: gets the bytes of each block, or NULL. */
pf_status pf_neutrino_add_gmem(const neutrino_run *n, const neutrino_records *r, uint64_t *sum, pf_node *list,
                               pf_error *err);

#endif
