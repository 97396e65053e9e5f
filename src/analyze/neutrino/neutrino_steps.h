/* analyze/neutrino/neutrino_steps.h - the analyses. */
#ifndef PF_ANALYZE_NEUTRINO_NEUTRINO_STEPS_H
#define PF_ANALYZE_NEUTRINO_NEUTRINO_STEPS_H

#include "analyze/neutrino/neutrino.h"
#include "analyze/neutrino/sched/block_sched.h"

#endif
