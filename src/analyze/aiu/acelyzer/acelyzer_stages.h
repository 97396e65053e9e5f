/* analyze/aiu/acelyzer/acelyzer_stages.h - the order in which our steps run, as the stages of acelyzer: their names are
 * what its profiles (-P), --stages and --skip-stage say. */
#ifndef PF_ANALYZE_AIU_ACELYZER_ACELYZER_STAGES_H
#define PF_ANALYZE_AIU_ACELYZER_ACELYZER_STAGES_H

#include "analyze/aiu/steps/aiu_steps.h"

/* What a stage does. */
typedef struct acelyzer_stage {
    aiu_step step;                           /* NULL: nothing */
    bool (*wanted)(const aiu_settings *set); /* besides its place in the profile; NULL: always */
} acelyzer_stage;

enum { ACELYZER_STAGES = 57 };
extern const pf_stage pf_acelyzer_stages[ACELYZER_STAGES];      /* names, for lists and --skip-stage */
extern const acelyzer_stage pf_acelyzer_steps[ACELYZER_STAGES]; /* both made from one list of rows */

/* What a stage of that place does in this run; NULL: nothing. */
aiu_step pf_acelyzer_step(const aiu_run *run, size_t stage);

/* Which stages run: by options, the profile (-P, a document or NULL), and what --skip-stage left. */
pf_status pf_acelyzer_choose_stages(aiu_run *run, const pf_node *profile, bool *on);

#endif
