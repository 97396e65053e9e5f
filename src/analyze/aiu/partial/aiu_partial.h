/* analyze/aiu/partial/aiu_partial.h - what some inputs contribute to a run over more, and that run from such parts
 * (docs/reference/partial.md).
 *
 * Clocks of ranks are matched before anything is counted, so there is nothing to add up: a partial has the events
 * themselves, as ingest leaves them, with the arguments that steps ask for. A merge puts the events of all inputs in
 * order, in the order of the inputs' paths where times are equal, and does all else as the run over all inputs does.
 */
#pragma once

#include "analyze/aiu/facts/aiu_parts.h"

/* Whether options, stages and events are such that a partial has all that is asked of them: PF_ERR_USAGE. */
pf_status pf_aiu_parts_refuse(aiu_run *run);

/* The tables of a partial, after ingest. */
pf_status pf_aiu_add_parts(aiu_run *run);

/* Jobs and parts of a run over partials. */
pf_status pf_aiu_read_parts(aiu_run *run);
