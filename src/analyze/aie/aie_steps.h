/* analyze/aie/aie_steps.h - the steps of the AIE core analysis, in the order in which aie_pass.c calls them. None calls
 * another; what they hand on is in aie.h. All from `aggregate` on are done for each capture.
 *
 *     collect    trace    -> per core process: lists of times        (aie_cores, lists)
 *     core       lists    -> kernels, iterations, stalls, quality    (aie_core)
 *     aggregate  cores    -> iterations that all cores have          (aie_aggregate)
 *     warnings   result   -> what cannot be trusted, once for all that follow
 *     reports    result   -> the files: one per core, details.md, index.json, aggregate_perf.json, aie_quality.json
 *     summary    result   -> tables and lines for the terminal, the --json document
 *     tables     result   -> report tables for SQL
 *     draw       result   -> tracks to draw into the trace, of the system and of every core
 */
#ifndef PF_ANALYZE_AIE_AIE_STEPS_H
#define PF_ANALYZE_AIE_AIE_STEPS_H

#include "analyze/aie/aie.h"
#include "analyze/support/drawing.h"

/* collect.c: finds the core processes (in the arena) and their lists (in the scratch). PF_ERR_INPUT with an offset for
 * a time that cannot be used. */
pf_status pf_aie_collect(const pf_trace *t, pf_arena *arena, pf_arena *scratch, aie_cores *out, pf_error *err);

/* core.c */
pf_status pf_aie_analyse(const aie_parameters *p, aie_cores *cores, pf_arena *arena, pf_arena *scratch, pf_error *err);

/* aggregate.c */
pf_status pf_aie_combine(const aie_parameters *p, const aie_cores *cores, pf_arena *arena, aie_aggregate *out,
                         pf_error *err);

/* Means over the perf window of one core: plain means of rates, lengths weighted by span or kernel time for shares. */
typedef struct aie_means {
    size_t count; /* iterations with kernels */
    double gmacs_per_second, utilisation_percent, stalled_percent, vector_percent;
} aie_means;
aie_means pf_aie_means_of(const aie_core *c); /* aie_summary.c */

/* aie_tables.c: the declared tables, and their rows. */
#define AIE_TABLES 4
extern const pf_pass_table pf_aie_tables[AIE_TABLES];
void pf_aie_new_tables(pf_findings *f, pf_table_builder *out[AIE_TABLES]);
void pf_aie_tabulate(const aie_result *r, pf_findings *f, pf_table_builder *const tables[AIE_TABLES]);

/* aie_warnings.c */
pf_status pf_aie_warn(const aie_result *r, pf_findings *f, aie_warnings *out, pf_error *err);

/* aie_reports.c, aie_summary.c, system_tracks.c, core_tracks.c: failures stay in the findings. */
void pf_aie_report(const aie_result *r, pf_findings *f);
void pf_aie_show(const aie_result *r, pf_findings *f);
void pf_aie_fill_document(const aie_result *r, pf_findings *f, pf_node *object);
void pf_aie_draw_system(const aie_result *r, pf_drawing *d);
void pf_aie_draw_core(const aie_result *r, const aie_core *c, pf_drawing *d);

#endif
