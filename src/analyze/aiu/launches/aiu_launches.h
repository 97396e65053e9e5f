/* analyze/aiu/launches/aiu_launches.h - arrows of torch traces from a launch to its kernels. */
#ifndef PF_ANALYZE_AIU_LAUNCHES_AIU_LAUNCHES_H
#define PF_ANALYZE_AIU_LAUNCHES_AIU_LAUNCHES_H

#include "analyze/aiu/facts/aiu_facts.h"

/* The stage launch_flow_create_missing. */
pf_status pf_aiu_draw_launches(aiu_run *run, pf_error *err);

#endif
