/* analyze/pass/partials.h - partials of a pass (docs/reference/partial.md): what their manifests say, held against
 * each other. */
#pragma once

#include "postfetto/author/pass.h"
#include "postfetto/side_table.h"

/* Refuses a trace of partials: they are merged, not analysed. */
pf_status pf_partials_refuse(const pf_trace *t, pf_error *err);

/* The options that all partials of ctx->trace were written with, `values` parallel to p->options. PF_ERR_INPUT, with
 * both files named: they differ in those, in the pass, or in the version of postfetto. */
pf_status pf_partials_options(const pf_pass_context *ctx, const pf_pass *p, pf_option_value *values, pf_error *err);

/* PF_ERR_INPUT: a table of partials does not say what it should. */
pf_status pf_partials_broken(const char *table, pf_error *err);

/* The table of that name and those columns in a trace of partials, NULL where there is none. PF_ERR_INPUT: one of other
 * columns. A cell of it, where it was read row by row. */
pf_status pf_partials_table(const pf_trace *t, const pf_pass_table *p, const pf_side_table **out, pf_error *err);
pf_cell pf_partials_cell(const pf_trace *t, const pf_side_table *s, unsigned column, uint32_t row);

/* The options of passes that merge partials, and what they read, row by row. */
enum { PF_MERGE_OPT_PARTIAL = 1, PF_MERGE_OPTIONS };
extern const pf_option pf_partials_merge_options[PF_MERGE_OPTIONS];
extern const pf_role pf_partials_role;
