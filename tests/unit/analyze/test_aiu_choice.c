/* Which stages run: what a profile lists, in its order, of those that are on without one. */
#include <stdio.h>
#include <string.h>

#include "aiu_support.h"

/* Whether "name" or "name#2", among those after commas, is stage i. */
static bool is_listed(const char *list, size_t i)
{
    unsigned number = 0;
    char plain[80], numbered[80];
    for (size_t k = 0; k <= i; k++) {
        number += strcmp(pf_acelyzer_stages[k].name, pf_acelyzer_stages[i].name) == 0;
    }
    snprintf(plain, sizeof plain, ",%s,", pf_acelyzer_stages[i].name);
    snprintf(numbered, sizeof numbered, ",%s#%u,", pf_acelyzer_stages[i].name, number);
    return strstr(list, plain) || strstr(list, numbered);
}

/* Of a profile; `expected` is the list of stages, or NULL where it is refused with that error. */
typedef struct choice_case {
    const char *profile, *expected, *error;
} choice_case;

static void expect_choice(const choice_case *c)
{
    aiu_facts_run f;
    pf_document *d = NULL;
    bool base[ACELYZER_STAGES];
    facts_open(&f, NULL);
    memcpy(base, f.on, sizeof base);
    cr_assert_eq(pf_json_parse((pf_str){c->profile, strlen(c->profile)}, NULL, &d, &f.err), PF_OK);
    pf_status st = pf_acelyzer_choose_stages(&f.run, pf_document_root(d), f.on);
    cr_expect_eq(st, c->expected ? PF_OK : PF_ERR_USAGE, "%s", c->profile);
    if (!c->expected) {
        cr_expect_str_eq(f.run.error.text, c->error);
    }
    for (size_t i = 0; i < ACELYZER_STAGES && c->expected; i++) {
        bool on = base[i] && (strcmp(c->expected, "all") == 0 || is_listed(c->expected, i));
        cr_expect_eq(f.on[i], on, "%s: stage %zu, %s", c->profile, i, pf_acelyzer_stages[i].name);
    }
    pf_document_free(d);
    facts_close(&f);
}

#define UNKNOWN(name)                                                                                                  \
    "the profile's stage '" name "' is unknown, given more often than there are stages of it, or not true or false"
#define NO_PROFILE "a profile is {\"stages\": [{\"NAME\": true}, ...]}"
#define NO_ENTRY "an entry of the profile's list is not {\"NAME\": true}"

Test(aiu_choice, of_a_profile)
{
    static const choice_case cases[] = {
        {"{}", "all", NULL},
        {"{\"stages\": []}", "", NULL},
        {"{\"stages\": [{\"calculate_stats\": true}]}", ",calculate_stats,", NULL},
        {"{\"stages\": [{\"calculate_stats\": false}]}", "", NULL},
        {"{\"stages\": [{\"sort_events\": true}]}", ",sort_events,", NULL},
        {"{\"stages\": [{\"sort_events\": true}, {\"normalize_phase1\": true}]}", ",sort_events,normalize_phase1,",
         NULL},
        {"{\"stages\": [{\"sort_events\": true}, {\"sort_events\": false}, {\"sort_events\": true}, {\"sort_events\": "
         "true}]}",
         ",sort_events#1,sort_events#3,sort_events#4,", NULL},
        {"{\"stages\": [{\"sort_events\": true}, {\"sort_events\": true}, {\"sort_events\": false}]}", "", NULL},
        {"{\"stages\": [{\"sort_events#2\": true}]}", ",sort_events#2,", NULL},
        {"{\"stages\": [{\"sort_events#2\": true}, {\"calculate_stats\": true}, {\"sort_events#4\": true}]}",
         ",sort_events#2,calculate_stats,sort_events#4,", NULL},
        {"{\"stages\": [{\"barrier\": true}]}", ",pipeline_barrier,", NULL},
        {"{\"stages\": [{\"barrier#2\": true}]}", ",pipeline_barrier#2,", NULL},
        {"{\"stages\": [{\"normalize_phase1\": true}, {\"calculate_stats\": true}]}",
         ",normalize_phase1,calculate_stats,", NULL},
        {"{\"stages\": [{\"calculate_stats\": true}, {\"verify\": true}, {\"normalize_phase1\": true}]}",
         ",normalize_phase1,calculate_stats,", NULL},
        {"{\"stages\": [{\"calculate_stats\": true}, {\"calculate_stats\": true}]}", NULL, UNKNOWN("calculate_stats")},
        {"{\"stages\": [{\"sort_events#4\": true}, {\"sort_events#2\": true}]}", ",sort_events#2,sort_events#4,", NULL},
        {"{\"stages\": [{\"sort_events#5\": true}]}", NULL, UNKNOWN("sort_events#5")},
        {"{\"stages\": [{\"sort\": true}]}", NULL, UNKNOWN("sort")},
        {"{\"stages\": [{\"calculate_stats\": 1}]}", NULL, UNKNOWN("calculate_stats")},
        {"{\"stages\": [{}]}", NULL, NO_ENTRY},
        {"{\"stages\": [\"calculate_stats\"]}", NULL, NO_ENTRY},
        {"{\"stages\": 5}", NULL, NO_PROFILE},
        {"{\"other\": 5}", NULL, NO_PROFILE},
        {"[]", NULL, NO_PROFILE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_choice(&cases[i]);
    }
}

/* With --tb stages that change times and threads are off, but for all that a profile lists. */
Test(aiu_choice, for_tensorboard)
{
    static const char off[] =
        ",create_slice_from_BE,drop_timestamp_reversed_events,frequency_align_collect,pipeline_barrier#1,"
        "frequency_align_apply,remove_ids_from_name,map_tid_to_range,cycle_count_to_wallclock,"
        "tighten_hts_by_instr_type,tripple_phased_events,mp_sync_tight_v1,mp_ts_calibration_v2,"
        "queueing_counter,drop_global_events,recombine_cpu_events,assert_ts_sequence#1,"
        "analyze_power_statistics,";
    aiu_facts_run f;
    bool base[ACELYZER_STAGES];
    facts_open(&f, NULL);
    memcpy(base, f.on, sizeof base);
    f.run.set.tb = true;
    cr_assert_eq(pf_acelyzer_choose_stages(&f.run, NULL, f.on), PF_OK);
    size_t kept = 0;
    for (size_t i = 0; i < ACELYZER_STAGES; i++) {
        cr_expect(!is_listed(off, i) || !f.on[i], "%s", pf_acelyzer_stages[i].name);
        kept += f.on[i] && base[i];
    }
    cr_expect_gt(kept, 10);
    cr_expect(!pf_aiu_stage_on(&f.run, "cycle_count_to_wallclock"));
    cr_expect(pf_aiu_stage_on(&f.run, "calculate_stats"));
    cr_expect(!pf_aiu_stage_on(&f.run, "no such stage"));
    facts_close(&f);
}
