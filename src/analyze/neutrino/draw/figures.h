/* analyze/neutrino/draw/figures.h - the figures of Neutrino recordings, over report tables. Those of single launches or
 * files are made for the first NEUTRINO_FIGURES of a kind. */
#pragma once

#include "analyze/neutrino/dmat/dmat.h"
#include "analyze/neutrino/sched/block_sched.h"
#include "postfetto/figure.h"

#define NEUTRINO_FIGURES 8u

/* Adds the figure with the name and title of a section's or file's: "gaps_2", "Gaps: KERNEL" where there are several.
 */
void pf_neutrino_add_figure(const neutrino_run *n, const neutrino_records *r, pf_figure *figure);

/* Of trees of runs, and of all launches. */
void pf_neutrino_run_figures(neutrino_run *n);
void pf_neutrino_kernel_figure(neutrino_run *n);
void pf_neutrino_latency_figure(neutrino_run *n, const neutrino_group *g);

/* Of a section. */
pf_status pf_neutrino_sched_figures(neutrino_run *n, sched_result *s, const sched_residents *residents, pf_error *err);
pf_status pf_neutrino_dmat_figure(neutrino_run *n, const dmat_result *d, const neutrino_records *r, pf_error *err);
