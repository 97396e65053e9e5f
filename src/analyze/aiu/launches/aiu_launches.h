/* analyze/aiu/launches/aiu_launches.h - arrows of torch traces from a launch to its kernels. */
#ifndef PF_ANALYZE_AIU_LAUNCHES_AIU_LAUNCHES_H
#define PF_ANALYZE_AIU_LAUNCHES_AIU_LAUNCHES_H

#include "analyze/aiu/facts/aiu_facts.h"

/* The stages launch_flow_collect, which without the other changes nothing, and launch_flow_create_missing. */
pf_status pf_aiu_collect_launches(aiu_run *run);
pf_status pf_aiu_draw_launches(aiu_run *run);

#endif
