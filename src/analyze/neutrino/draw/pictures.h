/* analyze/neutrino/draw/pictures.h - the pictures of Neutrino recordings, each as SVG and PNG. */
#ifndef PF_ANALYZE_NEUTRINO_DRAW_PICTURES_H
#define PF_ANALYZE_NEUTRINO_DRAW_PICTURES_H

#include "analyze/neutrino/dmat/dmat.h"
#include "analyze/neutrino/draw/picture.h"
#include "analyze/neutrino/sched/block_sched.h"

/* r: the section, for the names of the files. */
pf_status pf_neutrino_draw_heat_map(const neutrino_run *n, const dmat_result *d, const neutrino_records *r,
                                    pf_error *err);
pf_status pf_neutrino_draw_schedule(const neutrino_run *n, sched_result *s, pf_error *err);
pf_status pf_neutrino_draw_residents(const neutrino_run *n, const neutrino_records *r, const sched_residents *s,
                                     pf_error *err);
pf_status pf_neutrino_draw_gaps(const neutrino_run *n, const sched_result *s, pf_error *err);
pf_status pf_neutrino_draw_latencies(const neutrino_run *n, const neutrino_group *g, pf_error *err);

#endif
