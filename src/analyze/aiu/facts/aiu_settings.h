/* analyze/aiu/facts/aiu_settings.h - the options of `analyze aiu`, and what they mean once they are checked. */
#pragma once

#include "postfetto/author/pass.h"

/* Every option: its number, name, letter, type or, of a flag, what it sets, and the rest of a pf_option. Names and
 * letters are those of acelyzer. */
#define AIU_OPTION_LIST(ROW, FLAG)                                                                                     \
    ROW(AIU_OPT_INPUT, "input", 'i', PF_OPTION_TEXT, .value = "FILES",                                                 \
        .help = "files to read besides the arguments: names or patterns, between commas or spaces",                    \
        .traits = PF_OPTION_REPEATABLE | PF_OPTION_WORDS)                                                              \
    ROW(AIU_OPT_COMPILER_LOG, "compiler_log", 'c', PF_OPTION_TEXT, .also = "compiler_info", .value = "LOGS",           \
        .help = "logs of the compiler with ideal cycles, in order of rank between commas, or a folder of them; also "  \
                "--compiler_info")                                                                                     \
    ROW(AIU_OPT_FREQ, "freq", 0, PF_OPTION_TEXT, .value = "SOC[:CORE]",                                                \
        .help = "clocks of the counters (auto: as kernels show it; 1000 with --compat) and of the cores (1100)",       \
        .fallback = "auto", .unit = "MHz")                                                                             \
    ROW(AIU_OPT_COUNTER, "counter", 'C', PF_OPTION_SET,                                                                \
        .choices = "power_ts4|power_ts3|coll_bw|bandwidth|prep_queue|rcu_util", .help = "counters to draw",            \
        .fallback = "power_ts4,coll_bw,prep_queue,rcu_util", .traits = PF_OPTION_WORDS)                                \
    ROW(AIU_OPT_OVERLAP, "overlap", 'O', PF_OPTION_CHOICE, .choices = "tid|drop|async|warn|shift",                     \
        .help = "what becomes of slices of a thread that overlap in part", .fallback = "tid")                          \
    ROW(AIU_OPT_STREAMS, "max_tid_streams", 0, PF_OPTION_INT, .offset = offsetof(aiu_settings, streams),               \
        .help = "threads next to each one for slices that overlap; -1: as many as are needed", .fallback = "5",        \
        .within = "-1..1000000")                                                                                       \
    FLAG(AIU_OPT_KEEP_PREP, "keep_prep", 0, keep_prep, "keep the slices of queued kernels")                            \
    FLAG(AIU_OPT_KEEP_NAMES, "keep_names", 0, keep_names, "keep numbers in names of device slices")                    \
    FLAG(AIU_OPT_FLOW, "flow", 0, flow, "flow arrows between the ranks of a collective")                               \
    FLAG(AIU_OPT_BUILD_COLL, "build_coll_event", 'R', build_coll,                                                      \
         "a slice for each rank and collective; needs --flow")                                                         \
    FLAG(AIU_OPT_SUMMARIZE, "comm_summarize_seq", 0, summarize,                                                        \
         "one slice for all slices of a communication sequence")                                                       \
    FLAG(AIU_OPT_NO_SYNC, "no_mp_sync", 'M', no_sync, "leave the clocks of ranks alone")                               \
    FLAG(AIU_OPT_SYNC_V2, "mp_sync_v2", 'S', sync_v2,                                                                  \
         "match the clocks of ranks by offset and rate; also --use_mp_sync_v2", .also = "use_mp_sync_v2")              \
    ROW(AIU_OPT_ALIGN, "align", 0, PF_OPTION_CHOICE, .choices = "auto|first",                                          \
        .help = "clocks of ranks without -S and -M: by the first receive of collectives, or as -S does where that "    \
                "leaves less between ranks (auto; with --compat always first)",                                        \
        .fallback = "auto")                                                                                            \
    FLAG(AIU_OPT_TS_FIX, "flex_ts_fix", 0, ts_fix, "move device events of a job into the round trip of its host")      \
    FLAG(AIU_OPT_SPLIT, "split_events", 's', split, "split device slices of no known step into three")                 \
    FLAG(AIU_OPT_DROP_GLOBALS, "drop_globals", 0, drop_globals, "drop what belongs to no rank")                        \
    FLAG(AIU_OPT_SKIP_POWER, "skip_events", 'k', skip_power, "no power between steps that follow each other at once")  \
    FLAG(AIU_OPT_POWER_STATS, "power-stats", 0, power_stats, "power with and without kernels in the log")              \
    FLAG(AIU_OPT_NO_STATS, "no_stats", 't', no_stats, "no statistics files")                                           \
    FLAG(AIU_OPT_TB, "tb", 0, tb, "events as they are, for TensorBoard")                                               \
    FLAG(AIU_OPT_DISABLE_TB, "disable_tb", 0, disable_tb, "no changes of names for TensorBoard")                       \
    FLAG(AIU_OPT_DISABLE_FILE, "disable_file", 0, disable_file, "no trace is written")                                 \
    ROW(AIU_OPT_KEEP_TYPES, "filter", 'F', PF_OPTION_TEXT, .value = "TYPES",                                           \
        .help = "phases of the events to write, for instance XC", .otherwise = "all")                                  \
    ROW(AIU_OPT_FILTER, "event_filter", 0, PF_OPTION_TEXT, .value = "ATTR:REGEX[,...]",                                \
        .help = "drop slices whose attribute the expression finds")                                                    \
    ROW(AIU_OPT_LIMIT, "event_limit", 0, PF_OPTION_TEXT, .value = "JSON",                                              \
        .help = "which events count: skip, count, ts_start, ts_end, no_count_types")                                   \
    ROW(AIU_OPT_PROFILE, "profile", 'P', PF_OPTION_TEXT, .value = "FILE",                                              \
        .help = "a JSON file that switches stages, or everything.json or torch_minimal.json")                          \
    FLAG(AIU_OPT_INTERMEDIATE, "intermediate", 'I', intermediate, "write the events after each stage")                 \
    FLAG(AIU_OPT_VERIFY, "verify", 'V', verify, "only say which types of events there are")                            \
    ROW(AIU_OPT_FORMAT, "format", 'f', PF_OPTION_CHOICE, .choices = "json|pddf|protobuf|table|csv|markdown",           \
        .help =                                                                                                        \
            "what -o becomes where its ending does not say it; the last three: what standard output gets, as with "    \
            "other passes",                                                                                            \
        .fallback = "json")                                                                                            \
    ROW(AIU_OPT_TIME_UNIT, "time_unit", 0, PF_OPTION_CHOICE, .choices = "ms|ns",                                       \
        .help = "the unit that the trace asks viewers to show", .fallback = "ns")                                      \
    ROW(AIU_OPT_IGNORE_CRIT, "ignore_crit", 0, PF_OPTION_FLAG, .help = "accepted; nothing here is critical")           \
    ROW(AIU_OPT_SYNC_TO_DEV, "sync_to_dev", 'T', PF_OPTION_FLAG, .help = "accepted; changes nothing, as in acelyzer")  \
    ROW(AIU_OPT_AUTOPILOT_DATA, "autopilot_data", 0, PF_OPTION_TEXT, .value = "FILE",                                  \
        .help = "accepted and not read, as in acelyzer; categories come from -c", .otherwise = "none")                 \
    ROW(AIU_OPT_NO_INPUT_WARNINGS, "disable_input_warnings", 0, PF_OPTION_FLAG,                                        \
        .help = "accepted; changes nothing, as in acelyzer (--loglevel 0 leaves warnings out)")                        \
    ROW(AIU_OPT_FREQ_SCALING, "freq_scaling", 0, PF_OPTION_REAL, .value = "FACTOR",                                    \
        .help = "obsolete: only 0 is taken; --freq says both clocks", .fallback = "0")                                 \
    ROW(AIU_OPT_LOG_LEVEL, "loglevel", 'D', PF_OPTION_INT,                                                             \
        .help = "lines of the log: 0 errors, 1 warnings, 2 and more all (--compat, or if given)", .fallback = "2",     \
        .within = "0..4")                                                                                              \
    ROW(AIU_OPT_PARTIAL, "partial", 0, PF_OPTION_PATH, .value = "OUT.pfr",                                             \
        .help = "write the events of these inputs for 'merge-reports', and nothing else", .otherwise = "none")         \
    ROW(AIU_OPT_COMPAT, "compat", 0, PF_OPTION_CHOICE, .choices = "none|acelyzer|acelyzer-fixed",                      \
        .help = "results of IBM's acelyzer, as it is or with four corrections", .fallback = "none")

#define AIU_OPTION_NUMBER(option, ...) option,
enum { AIU_OPTION_LIST(AIU_OPTION_NUMBER, AIU_OPTION_NUMBER) AIU_OPTIONS };
extern const pf_option pf_aiu_options[AIU_OPTIONS];

/* What acelyzer does otherwise than our steps: --compat switches all rules on, acelyzer-fixed all but one. Steps ask
 * for a rule, and nobody for --compat itself. */
typedef enum aiu_rule {
    AIU_ALL_EVENTS = 1u << 0, /* --event_limit counts phases that are always kept; metadata needs a time */
    AIU_ONE_FILE = 1u << 1,   /* launches are those of all inputs, jobs and sequences of all ranks, loops of all jobs */
    AIU_BY_THREAD = 1u << 2,  /* events come thread after thread, samples of power rank after rank */
    AIU_REVERSED = 1u << 3,   /* steps leave events in reverse order, not by time */
    AIU_EQUALS_LATE = 1u << 4,    /* of equal times the later event counts, an equal charge is a lap */
    AIU_HOST_LAPS = 1u << 5,      /* laps are those of the host's clock; epochs are known as events come */
    AIU_CLOCK_AS_GIVEN = 1u << 6, /* clocks are as options say, whatever kernels show; advice counts from 0 */
    AIU_WIDE_JOBS = 1u << 7,  /* a job without a round trip is wider, too, and ends with its last event or the host */
    AIU_CUT_STEPS = 1u << 8,  /* -s cuts lengths to steps; matched clocks move ts_dev, by rate nothing but the slice */
    AIU_EVERY_RANK = 1u << 9, /* a collective has all ranks, 0 to n, and rank 0 knows them; spans are those of ends */
    AIU_ONE_AT_A_TIME = 1u << 10,  /* collectives become complete one by one, later, and end with their multicast */
    AIU_ANY_POWER = 1u << 11,      /* power is told of intervals of any length, by the host's clock */
    AIU_CHARGES = 1u << 12,        /* files of stages show charges */
    AIU_WAITS_LAST = 1u << 13,     /* a launch whose kernels end late, or not in order, is inconsistent */
    AIU_FLEX_ALONE = 1u << 14,     /* slices of torch have no steps, and processes no names */
    AIU_TABLES_END = 1u << 15,     /* a table counts where it ends, a row as often as it comes */
    AIU_LOGS_ARE_FILES = 1u << 16, /* logs are files, whatever is in them, and read early; a folder is a compiler's */
    AIU_OTHER_NAMES = 1u << 17,    /* threads of 30 numbers, default processes, collectives renamed with --keep_names */
    AIU_OTHER_WORDS = 1u << 18,    /* lines of the log that come again, or that ours has not */
    AIU_OWN_STEPS = 1u << 19,      /* five steps are those of acelyzer/ */
    AIU_OWN_FORMS = 1u << 20,      /* texts and files have the members, lines and names that its have */
    AIU_LOG_ALONE = 1u << 21,      /* a run tells by its log, refusals too; no report tables, less is drawn */
    AIU_LENIENT = 1u << 22,        /* a filter that is none and -R without --flow are passed over */
    AIU_STAGES_IN_ORDER = 1u << 23,  /* a profile lists stages in the order of the list */
    AIU_FROM_ZERO = 1u << 24,        /* times count from 0, so that its sums are repeated to the last bit */
    AIU_ANY_COUNTERS = 1u << 25,     /* counters of 0, or shared by slices, count; those of cycles_ts do not */
    AIU_KEPT_PIDS = 1u << 26,        /* counters and flows keep their pids */
    AIU_LAST_INPUT_FIRST = 1u << 27, /* of equal times the event of the input that was read last comes first */
    AIU_UNCHECKED = 1u << 28,        /* inputs are not held against each other */
    AIU_UNCORRECTED = 1u << 29,      /* the four errors that acelyzer-fixed corrects */
} aiu_rule;

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
    unsigned rules;   /* aiu_rule: none where results are ours */
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
