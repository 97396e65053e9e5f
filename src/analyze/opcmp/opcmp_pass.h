/* analyze/opcmp/opcmp_pass.h - `compare ops` as a pass: its options, and the scenarios that they name. */
#ifndef PF_ANALYZE_OPCMP_OPCMP_PASS_H
#define PF_ANALYZE_OPCMP_OPCMP_PASS_H

#include "postfetto/author/pass.h"

enum {
    OPCMP_OPT_OUTPUT,
    OPCMP_OPT_TRACE_DIR,
    OPCMP_OPT_DATA_DIR,
    OPCMP_OPT_MAPPING,
    OPCMP_OPT_UNNESTED,
    OPCMP_OPT_SCENARIO,
    OPCMP_OPT_ANCHOR,
    OPCMP_OPT_BY_SHAPE,
    OPCMP_OPT_TOP,
    OPCMP_OPT_REPORT,
    OPCMP_OPT_ENRICHED,
    OPCMP_OPT_KEEP_GOING,
    OPCMP_OPTIONS
};

/* Model and table of one place belong together; so does the summary, which only built-in scenarios have. */
enum { OPCMP_ROLE_MODEL, OPCMP_ROLE_MEASURED, OPCMP_ROLE_MAPPING, OPCMP_ROLE_SUMMARY, OPCMP_ROLES };

extern const pf_pass pf_pass_opcmp;

/* Where the checkout of the model keeps tables and mapping; folders next to results/ will do as well. */
#define OPCMP_MODEL_TRACES "docs/perf_database/forward_pass_traces"
#define OPCMP_MODEL_DATA                                                                                               \
    "tensor_cast/performance_model/profiling_database/data/ATLAS_800_A3_752T_128G_DIE/vllm_ascend/"                    \
    "vllm0.18.0_torch2.9.0_cann8.5"

/* A pair of files that is compared. */
typedef struct opcmp_scenario {
    pf_str name;
    double passes;    /* without a summary */
    bool find_passes; /* PASSES is auto, or --anchor is given */
    bool built_in;    /* one of the four of the program before, whose messages and exit codes are kept */
} opcmp_scenario;

/* pf_pass.inputs: the files of the scenarios that are named, else of the four built-in ones. */
pf_status pf_opcmp_gather(const pf_option_value *values, const char *const *operands, size_t count, pf_pass_inputs *in,
                          pf_error *err);

/* The i-th of them. */
opcmp_scenario pf_opcmp_scenario(const pf_option_value *values, size_t i);

/* Whether there is no file of that name, which opening it would say. */
bool pf_opcmp_is_missing(const char *path);

#endif
