/* analyze/aie/aie_document.h - pieces of documents that the reports and the --json summary share: they fill an object
 * or a list that the caller made, so both say the same. */
#ifndef PF_ANALYZE_AIE_AIE_DOCUMENT_H
#define PF_ANALYZE_AIE_AIE_DOCUMENT_H

#include "analyze/aie/aie.h"

void pf_aie_add_pid(pf_findings *f, pf_node *parent, const pf_trace *t, uint32_t upid);
void pf_aie_add_length(pf_findings *f, pf_node *parent, pf_str key, uint64_t v);
void pf_aie_add_median(pf_findings *f, pf_node *parent, pf_str key, pf_median m);
void pf_aie_add_iteration(pf_findings *f, pf_node *object, const aie_core *c, size_t i);
void pf_aie_add_window(pf_findings *f, pf_node *parent, const aie_core *c);
void pf_aie_fill_aggregate(pf_findings *f, pf_node *object, const aie_result *r);
/* Warnings [first, after) of the result as a list of objects; with the tile where `tiles` is set. */
void pf_aie_add_warnings(pf_findings *f, pf_node *parent, const aie_result *r, size_t first, size_t after, bool tiles);
void pf_aie_fill_quality(pf_findings *f, pf_node *list, const aie_result *r);

#endif
