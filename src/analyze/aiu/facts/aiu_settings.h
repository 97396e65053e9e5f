/* analyze/aiu/facts/aiu_settings.h - the options of `analyze aiu`: the table's rows by number, and what they mean once
 * they are checked. */
#ifndef PF_ANALYZE_AIU_FACTS_AIU_SETTINGS_H
#define PF_ANALYZE_AIU_FACTS_AIU_SETTINGS_H

#include "postfetto/author/pass.h"

/* Which option is which. */
enum {
    AIU_OPT_INPUT,
    AIU_OPT_COMPILER_LOG,
    AIU_OPT_FREQ,
    AIU_OPT_COUNTER,
    AIU_OPT_OVERLAP,
    AIU_OPT_STREAMS,
    AIU_OPT_KEEP_PREP,
    AIU_OPT_KEEP_NAMES,
    AIU_OPT_FLOW,
    AIU_OPT_BUILD_COLL,
    AIU_OPT_SUMMARIZE,
    AIU_OPT_NO_SYNC,
    AIU_OPT_SYNC_V2,
    AIU_OPT_ALIGN,
    AIU_OPT_TS_FIX,
    AIU_OPT_SPLIT,
    AIU_OPT_DROP_GLOBALS,
    AIU_OPT_SKIP_POWER,
    AIU_OPT_POWER_STATS,
    AIU_OPT_NO_STATS,
    AIU_OPT_TB,
    AIU_OPT_DISABLE_TB,
    AIU_OPT_DISABLE_FILE,
    AIU_OPT_KEEP_TYPES,
    AIU_OPT_FILTER,
    AIU_OPT_LIMIT,
    AIU_OPT_PROFILE,
    AIU_OPT_INTERMEDIATE,
    AIU_OPT_VERIFY,
    AIU_OPT_FORMAT,
    AIU_OPT_TIME_UNIT,
    AIU_OPT_IGNORE_CRIT,
    AIU_OPT_SYNC_TO_DEV,
    AIU_OPT_AUTOPILOT_DATA,
    AIU_OPT_NO_INPUT_WARNINGS,
    AIU_OPT_FREQ_SCALING,
    AIU_OPT_LOG_LEVEL,
    AIU_OPT_COMPAT,
    AIU_OPTIONS
};
extern const pf_option pf_aiu_options[AIU_OPTIONS];

/* Whose results are wanted: ours, those of acelyzer as it is, or with four corrections. */
typedef enum aiu_compat { AIU_WANT = 0, AIU_REFERENCE, AIU_FIXED } aiu_compat;

/* Bits of the set of counters, in the order of the option's choices. */
enum {
    AIU_COUNT_POWER4 = 1u << 0,
    AIU_COUNT_POWER3 = 1u << 1,
    AIU_COUNT_COLL_BW = 1u << 2,
    AIU_COUNT_BANDWIDTH = 1u << 3,
    AIU_COUNT_PREPS = 1u << 4,
    AIU_COUNT_UTILISATION = 1u << 5
};

/* In the order of the option's choices. */
typedef enum aiu_overlap {
    AIU_OVERLAP_TID = 0,
    AIU_OVERLAP_DROP,
    AIU_OVERLAP_ASYNC,
    AIU_OVERLAP_WARN,
    AIU_OVERLAP_SHIFT
} aiu_overlap;

typedef enum aiu_format { AIU_FORMAT_JSON = 0, AIU_FORMAT_PDDF, AIU_FORMAT_PROTOBUF } aiu_format;

/* Which events count at all (--event_limit). */
typedef struct aiu_limit {
    double skip, count;      /* of the events in the window */
    double ts_start, ts_end; /* the window, us */
    pf_str uncounted;        /* phases that are always kept */
} aiu_limit;

/* "attr:regex" (--event_filter). */
typedef struct aiu_filter {
    pf_str attribute, pattern;
} aiu_filter;

typedef struct aiu_settings {
    aiu_compat compat;
    double soc, core; /* MHz: cycles per us of the counters, of the cores */
    bool auto_clock;  /* soc is what kernels show */
    pf_str hint;      /* what acelyzer says of a core clock that is not given; empty: nothing */
    unsigned counters;
    aiu_overlap overlap;
    int64_t streams;
    bool keep_prep, keep_names, flow, build_coll, summarize, no_sync, sync_v2, ts_fix, split, drop_globals, skip_power;
    bool align_auto; /* as -S does where that leaves less between ranks */
    bool power_stats, no_stats, tb, disable_tb, disable_file, intermediate, verify;
    bool has_log; /* there is a compiler log, or a folder of them */
    aiu_format format;
    const char *time_unit;
    pf_str keep_types; /* phases, {NULL, 0}: all */
    aiu_limit limit;
    aiu_filter *filters;
    pf_str *skipped; /* of filters, what is none (--compat) */
    size_t filter_count, filters_skipped;
} aiu_settings;

/* Why a run ends before anything was read, as acelyzer says it: lines for the log, an exit code. */
typedef struct aiu_refusal {
    bool refused;
    bool usage;        /* with the exit code of usage errors */
    const char *lines; /* of the findings; one for each line feed */
} aiu_refusal;

/* Checks the values. PF_ERR_USAGE with a text; `refusal` says the same in the words of the log (--compat). */
pf_status pf_aiu_settings_read(const pf_pass_context *ctx, pf_findings *f, aiu_settings *out, aiu_refusal *refusal,
                               pf_error *err);

#endif
