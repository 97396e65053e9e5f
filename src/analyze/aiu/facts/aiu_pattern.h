/* analyze/aiu/facts/aiu_pattern.h - --event_filter: regular expressions over attributes of slices. */
#ifndef PF_ANALYZE_AIU_FACTS_AIU_PATTERN_H
#define PF_ANALYZE_AIU_FACTS_AIU_PATTERN_H

#include "analyze/aiu/facts/aiu_facts.h"

/* Drops the slices that a filter finds. */
void pf_aiu_apply_filters(aiu_run *run);

#endif
