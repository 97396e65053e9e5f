/* analyze/aiu/acelyzer/acelyzer_stages.h - the order in which our steps run, as the stages of acelyzer: their names are
 * what its profiles (-P), --stages and --skip-stage say. */
#ifndef PF_ANALYZE_AIU_ACELYZER_ACELYZER_STAGES_H
#define PF_ANALYZE_AIU_ACELYZER_ACELYZER_STAGES_H

#include "analyze/aiu/steps/aiu_steps.h"

enum { ACELYZER_STAGES = 57 };
extern const pf_stage pf_acelyzer_stages[ACELYZER_STAGES]; /* names, for lists and --skip-stage */
extern const aiu_step pf_acelyzer_steps[ACELYZER_STAGES];  /* ours; NULL: nothing */

/* Which stages the options ask for. */
void pf_acelyzer_wanted(const aiu_settings *s, bool wanted[ACELYZER_STAGES]);

/* What a stage of that place does in this run; NULL: nothing. */
aiu_step pf_acelyzer_step(const aiu_run *run, size_t stage);

/* Which stages run: by options, the profile (-P, a document or NULL), and what --skip-stage left. */
pf_status pf_acelyzer_choose_stages(aiu_run *run, const pf_node *profile, bool *on);

#endif
