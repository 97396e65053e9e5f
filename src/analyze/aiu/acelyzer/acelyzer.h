/* analyze/aiu/acelyzer/acelyzer.h - what imitates acelyzer 1.2.0, IBM's own analyzer, with --compat: its stages
 * (acelyzer_stages.h), and steps of which its results differ from ours in more than a line. docs/conformance-aiu.md
 * says how far they are the same. Nothing of ours calls what is here but the pass itself, and outputs/ for the texts of
 * acelyzer_forms.h, which users of ours read as well. */
#ifndef PF_ANALYZE_AIU_ACELYZER_ACELYZER_H
#define PF_ANALYZE_AIU_ACELYZER_ACELYZER_H

#include "analyze/aiu/facts/aiu_facts.h"

/* In place of the steps of our own that are called pf_aiu_... */
void pf_acelyzer_count_preps(aiu_run *run);
void pf_acelyzer_use_cores(aiu_run *run);
void pf_acelyzer_flows(aiu_run *run);
void pf_acelyzer_collective_bandwidth(aiu_run *run);
void pf_acelyzer_group_bandwidth(aiu_run *run);

#endif
