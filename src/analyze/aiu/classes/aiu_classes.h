/* analyze/aiu/classes/aiu_classes.h - what each slice does, from its name and its collective. */
#ifndef PF_ANALYZE_AIU_CLASSES_AIU_CLASSES_H
#define PF_ANALYZE_AIU_CLASSES_AIU_CLASSES_H

#include "analyze/aiu/facts/aiu_facts.h"

pf_status pf_aiu_classify(aiu_run *run);         /* event_categorizer */
pf_status pf_aiu_classify_between(aiu_run *run); /* event_categorizer_update */

/* aiu_transfers.c: the counter TransferBW of transfers that say how fast they were. */
pf_status pf_aiu_transfer_counters(aiu_run *run);

#endif
