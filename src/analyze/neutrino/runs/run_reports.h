/* analyze/neutrino/runs/run_reports.h - analyses of logs and trees of runs: nothing is reported where there is no data.
 */
#ifndef PF_ANALYZE_NEUTRINO_RUNS_RUN_REPORTS_H
#define PF_ANALYZE_NEUTRINO_RUNS_RUN_REPORTS_H

#include "analyze/neutrino/facts/neutrino.h"

void pf_neutrino_launches(neutrino_run *n);
void pf_neutrino_overhead(neutrino_run *n);
void pf_neutrino_max_memory(neutrino_run *n);
void pf_neutrino_latencies(neutrino_run *n, const neutrino_group *g); /* of one file */

#endif
