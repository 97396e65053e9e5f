/* analyze/aiu/facts/aiu_facts.h - what the stages of `analyze aiu` share: one store of events as columns, and lists of
 * what stages add.
 *
 * A stage changes columns in place; nothing copies an event. Every slice, instant, metadata event, counter sample and
 * flow event of the input is a row of aiu_events; slices whose begin and end came apart are one row. `order` lists the
 * rows that are alive in the order in which stages see them; sorting sorts that list.
 *
 * Times are microseconds as doubles, counted from run->origin: 0 under --compat, where the sums of acelyzer
 * are repeated to the last bit, the begin of the capture otherwise, where a double then holds nanoseconds
 * exactly. Cycles are integers that have grown beyond 32 bits (stage overflow).
 */
#pragma once

#include "analyze/aiu/facts/aiu_settings.h"
#include "analyze/support/pass_memory.h"
#include "base/buffer.h"
#include "base/columns.h"
#include "base/list.h"
#include "base/map.h"
#include "base/str.h"
#include "base/strings.h"
#include "postfetto/arg_columns.h"
#include "postfetto/document.h"

/* A pid or tid is the integer that was written. One that is no int64 (a text, an integer beyond) is this bit and the
 * id of its text; with AIU_ID_NUMBER the text is a number, written without quotes. AIU_ID_NONE: there is none. */
#define AIU_ID_TEXT ((int64_t)1 << 61)
#define AIU_ID_NUMBER ((int64_t)1 << 60)
#define AIU_ID_NONE INT64_MIN

static inline bool pf_aiu_is_number(int64_t id)
{
    return id < AIU_ID_NUMBER && id != AIU_ID_NONE;
}

enum {
    AIU_DROPPED = 1u << 0,       /* not in `order` any more once it was sorted; leave it alone */
    AIU_HAS_TS = 1u << 1,        /* TS1..TS5: a device event */
    AIU_HAS_POWER = 1u << 2,     /* `power` */
    AIU_HAS_BYTES = 1u << 3,     /* `bytes` */
    AIU_TORCH = 1u << 4,         /* its file is of the torch dialect */
    AIU_EXTENDED = 1u << 5,      /* the cycles are beyond 32 bits where they have to be; `ovc` */
    AIU_ON_CLOCK = 1u << 6,      /* ts and dur come from cycles: `anchor` */
    AIU_ADJUSTED = 1u << 7,      /* that changed them, by adjust_ts and adjust_dur */
    AIU_HOST_PID = 1u << 8,      /* shown below pid + 1000 */
    AIU_HAS_CLASS = 1u << 9,     /* `class` */
    AIU_SHOW_DEVICE = 1u << 10,  /* args.device */
    AIU_CORE_USED = 1u << 11,    /* args["core used"] */
    AIU_BYTES_NUMBER = 1u << 12, /* bytes was a number in the input, not a text */
    AIU_REAL_COLL = 1u << 13,    /* a collective slice that was built (-R) */
    AIU_SHOW_JOB = 1u << 14,     /* args.jobname */
    AIU_APART = 1u << 15,        /* a slice whose begin and end were two events: its length is their difference in us */
    AIU_SHOW_RANK = 1u << 17,    /* args.rank */
    AIU_NO_TIME = 1u << 16,      /* the input does not say when */
    AIU_PEER_LISTED = 1u << 18,  /* args.Peer became args.Peers */
    AIU_POWER_NUMBER = 1u << 19, /* power was a number in the input, not a text */
    AIU_STEP_SHIFT = 20, /* in the three bits from here: n of the step TSn to TSn+1 that ts_dev is cut to; 0: none */
    AIU_STEP_MATCHED = 1u << 23, /* and so is ts_all, which came from it when clocks were matched */
};

/* What an event does, and how args.class says it. */
#define AIU_CLASS_LIST(ROW)                                                                                            \
    ROW(AIU_CLASS_OTHER, "OTHER")                                                                                      \
    ROW(AIU_CLASS_COMPUTE_PREP, "COMPUTE_PREP")                                                                        \
    ROW(AIU_CLASS_COMPUTE_EXEC, "COMPUTE_EXEC")                                                                        \
    ROW(AIU_CLASS_DATA_IN, "DATA_IN")                                                                                  \
    ROW(AIU_CLASS_DATA_OUT, "DATA_OUT")                                                                                \
    ROW(AIU_CLASS_DATA_CONVERT, "SEN_DATA_CONVERT")                                                                    \
    ROW(AIU_CLASS_WIREUP, "MAIU_WIREUP")                                                                               \
    ROW(AIU_CLASS_BARRIER, "MAIU_BARRIER")                                                                             \
    ROW(AIU_CLASS_ROUNDTRIP_FLEX, "ROUNDTRIP_FLEX")                                                                    \
    ROW(AIU_CLASS_ROUNDTRIP_AIU, "ROUNDTRIP_AIU")                                                                      \
    ROW(AIU_CLASS_PROTOCOL_SERIAL, "MAIU_PROTOCOL_SERIAL")                                                             \
    ROW(AIU_CLASS_PROTOCOL_SEND_DATA, "MAIU_PROTOCOL_SEND_DATA")                                                       \
    ROW(AIU_CLASS_PROTOCOL_RECV_DATA, "MAIU_PROTOCOL_RECV_DATA")                                                       \
    ROW(AIU_CLASS_PROTOCOL_SIGNAL_DATA, "MAIU_PROTOCOL_SIGNAL_DATA")                                                   \
    ROW(AIU_CLASS_PROTOCOL_SIGNAL_ACK, "MAIU_PROTOCOL_SIGNAL_ACK")                                                     \
    ROW(AIU_CLASS_P2P_SEND_DATA, "MAIU_P2PRDMA_PROTOCOL_SEND_DATA")                                                    \
    ROW(AIU_CLASS_P2P_RECV_DATA, "MAIU_P2PRDMA_PROTOCOL_RECV_DATA")                                                    \
    ROW(AIU_CLASS_HDMA_WAIT_DATA, "MAIU_HDMA_PROTOCOL_WAIT_DATA")                                                      \
    ROW(AIU_CLASS_HDMA_WAIT_ACK, "MAIU_HDMA_PROTOCOL_WAIT_ACK")                                                        \
    ROW(AIU_CLASS_HDMA_SIGNAL_ACK, "MAIU_HDMA_PROTOCOL_SIGNAL_ACK")                                                    \
    ROW(AIU_CLASS_HDMA_SIGNAL_DATA, "MAIU_HDMA_PROTOCOL_SIGNAL_DATA")                                                  \
    ROW(AIU_CLASS_HDMA_MONITOR_NOTICE, "MAIU_HDMA_PROTOCOL_MONITOR_NOTICE")                                            \
    ROW(AIU_CLASS_HDMA_SEND_DATA, "MAIU_HDMA_PROTOCOL_SEND_DATA")                                                      \
    ROW(AIU_CLASS_HDMA_RECV_DATA, "MAIU_HDMA_PROTOCOL_RECV_DATA")

#define AIU_CLASS_ITEM(item, name) item,
typedef enum aiu_class { AIU_CLASS_LIST(AIU_CLASS_ITEM) AIU_CLASSES } aiu_class;
const char *pf_aiu_class_name(aiu_class c);

typedef struct aiu_events {
    uint32_t count, room;
    uint32_t *row;    /* of the trace's table event: the begin or the whole slice; PF_NONE: made by a stage */
    uint8_t *phase;   /* 'X', 'C', 'M', 'i', 's', 'f', ... */
    uint8_t *class;   /* aiu_class */
    uint32_t *flags;  /* AIU_... */
    uint32_t *job;    /* of run->jobs */
    uint32_t *name;   /* text */
    uint32_t *cat;    /* text; 0: none */
    uint32_t *extra;  /* the first added argument, PF_NONE */
    double *ts, *dur; /* us from the origin; dur of slices only */
    int64_t *pid, *tid;
    uint32_t *rank;  /* of run->ranks: the pid */
    int64_t *tsx[5]; /* cycles */
    int32_t *ovc;    /* how often the counter had wrapped */
    uint32_t *power; /* charge */
    uint64_t *bytes;
    double *anchor; /* us: device time d (pf_aiu_device_time) is host time d + anchor - see pf_aiu_ts_all */
    double *anchor_device;
    double *adjust_ts, *adjust_dur;        /* AIU_ADJUSTED */
    uint32_t *group, *peer, *peers, *type; /* CollGroup, Peer, Peers, Type: texts, 0: none */
    pf_columns columns;
} aiu_events;

typedef enum aiu_extra_type {
    AIU_EXTRA_INT = PF_VALUE_INT,
    AIU_EXTRA_REAL = PF_VALUE_REAL,
    AIU_EXTRA_TEXT = PF_VALUE_STRING,
    AIU_EXTRA_JSON = PF_VALUE_JSON
} aiu_extra_type;

/* An argument that a stage added to an event; it replaces one of that name. JSON: the text is written as it is. */
typedef struct aiu_extra {
    uint32_t next; /* PF_NONE */
    uint32_t key;  /* text */
    aiu_extra_type type;
    union {
        int64_t i;
        double d;
        uint32_t text;
    } as;
} aiu_extra;

/* Counters that stages make. */
typedef enum aiu_series {
    AIU_SERIES_PREPS = 0,
    AIU_SERIES_POWER4,
    AIU_SERIES_POWER3, /* its name ends in the type of the event: `label` */
    AIU_SERIES_PT_ACTIVE,
    AIU_SERIES_TRANSFER_BW,
    AIU_SERIES_COLL_BW,
    AIU_SERIES_BW_ALLREDUCE,
    AIU_SERIES_BW_PCIE,
    AIU_SERIES_CHARGE, /* until power is computed: of the event with the name `label` */
    AIU_SERIES
} aiu_series;

typedef struct aiu_series_facts {
    const char *name, *cat, *key, *unit;
    bool whole;                    /* values are integers */
    const char *row, *description; /* where it is drawn; NULL: nowhere */
} aiu_series_facts;
const aiu_series_facts *pf_aiu_series(aiu_series s);

typedef struct aiu_samples {
    uint32_t count, room;
    double *ts, *value;
    int64_t *pid;
    uint8_t *series; /* aiu_series */
    uint32_t *label; /* text; 0: none */
    pf_columns columns;
} aiu_samples;

/* Flow events that stages make: 's' at a begin, 'f' at an end. */
typedef struct aiu_arrows {
    uint32_t count, room;
    uint8_t *phase;
    double *ts;
    int64_t *pid, *tid, *id;
    uint32_t *name, *cat; /* texts */
    pf_columns columns;
} aiu_arrows;

typedef struct aiu_extras {
    uint32_t count, room;
    aiu_extra *list;
    pf_columns columns;
} aiu_extras;

/* What a name says, worked out once for each text. `op` is the place in the order of device steps: 0 DmaI, 1 Prep,
 * 2 Exec, 3 DmaO, AIU_OP_NONE. */
enum { AIU_OP_DMAI = 0, AIU_OP_PREP, AIU_OP_EXEC, AIU_OP_DMAO, AIU_OP_NONE };

enum {
    AIU_NAME_KNOWN = 1u << 0,
    AIU_NAME_HAS_EXEC = 1u << 1,  /* contains "Cmpt Exec" */
    AIU_NAME_PREP = 1u << 2,      /* contains " Prep" */
    AIU_NAME_SEN_RDMA = 1u << 3,  /* contains "SenRdma" */
    AIU_NAME_ROUNDTRIP = 1u << 4, /* contains "AIU Roundtrip" */
    AIU_NAME_LAUNCH = 1u << 5,    /* contains "Launch", later "ControlBlock" */
};

typedef struct aiu_name {
    uint8_t flags;
    uint8_t ends; /* the op that the name ends in */
    uint8_t has;  /* the first op that it contains */
} aiu_name;

/* The pids of all events, in order of appearance. */
typedef struct aiu_ranks {
    uint32_t count, room;
    int64_t *pid;
    pf_map *by_pid;
} aiu_ranks;

typedef struct aiu_job {
    uint32_t input; /* of the trace */
    pf_str name;    /* its file without folder */
    bool torch, ignored, begun, has_rank;
    bool json;         /* read from JSON; other inputs may be conversions of it, */
    bool placed;       /* whose rows have places in a document (pf_trace_places); */
    bool by_time;      /* else the order is that of time */
    int64_t rank;      /* TORCH: distributedInfo.rank or 0; FLEX: the pid of its first event */
    double first_ts;   /* of its events with TSx, by stages that need it */
    int64_t flow_base; /* added to the ids of its flows, so that those of several inputs differ */
} aiu_job;

typedef struct aiu_log_line {
    const char *level; /* "INFO", "WARNING", "ERROR", or "RAW" for lines without one */
    pf_str text;
} aiu_log_line;

typedef struct aiu_log {
    uint32_t count, room;
    aiu_log_line *line;
} aiu_log;

/* What a rank took, as far as it can be told. */
typedef struct aiu_energy {
    double sum, time;  /* W us, over so many us */
    uint64_t withheld; /* intervals of which it cannot */
} aiu_energy;

/* Counter events of inputs that have samples in their place; their rows are those of the first samples. */
typedef struct aiu_counter_event {
    bool whole;               /* the row has the arguments, else samples are these */
    uint32_t cat;             /* of the trace's strings; 0: that of the row */
    uint32_t sample, samples; /* of table counter */
    uint64_t reals;           /* bits by sample: not an integer, though its value is whole */
} aiu_counter_event;

typedef struct aiu_counter_events {
    uint32_t count, room;
    aiu_counter_event *list;
    pf_map *by_row;
} aiu_counter_events;

struct aiu_epoch;
struct aiu_tables;
struct aiu_kernel_stats;
struct aiu_iterations;
struct aiu_exchange;
struct aiu_gaps;
struct aiu_parts;

/* What was wrong with events of inputs, for the log. */
typedef struct aiu_odd_events {
    uint64_t shared, failed, lacking; /* counters: those of others, all 0, some of the five */
    uint64_t unmatched;               /* begins and ends */
} aiu_odd_events;

typedef struct aiu_run {
    const pf_pass_context *ctx;
    const pf_trace *trace;
    struct aiu_parts *parts; /* partials are merged: their events, and `trace` has nothing else (partial/) */
    bool keeps;              /* a partial is written, and nothing else is done */
    int64_t *lengths;        /* of events that a partial keeps, in ns */
    aiu_odd_events odd;
    pf_findings *findings;
    pf_node *document; /* of --json: a list for each report table; NULL before the first one */
    pf_budget *budget;
    pf_error error;                      /* the first one; what may fail does nothing from then on, and returns it */
    pf_arena scratch;                    /* memory of the stage that runs: pf_aiu_scratch */
    struct aiu_map *maps, *scratch_maps; /* pf_aiu_kept_map, pf_aiu_scratch_map */
    pf_map refused_map;
    aiu_settings set;
    aiu_job *jobs;
    uint32_t job_count;
    aiu_ranks ranks;
    double clock;    /* MHz: what kernels show; 0: nothing certain */
    bool clock_said; /* that --freq is far from it */
    double origin;   /* us, added to times on their way out */
    int64_t origin_ns;
    aiu_events events;
    uint32_t *order; /* rows that are alive, in the order of the stages; a column of events for its memory */
    uint32_t alive;
    aiu_extras extras;
    aiu_samples samples;
    aiu_arrows arrows;
    pf_strings texts;
    aiu_name *names; /* by text, a column of texts */
    aiu_counter_events counters;
    pf_map *async_ids; /* event -> the number that joins the two halves of an asynchronous one */
    pf_map *pool;      /* string id of the trace -> text */
    aiu_log log;
    bool everything, minimal; /* the profile has that name, and no file is there: it is one of ours */
    const pf_stage *stages;   /* their names, and which run */
    const bool *on;
    size_t stage_count;
    bool stats_on, cores_on, classes_on; /* calculate_stats, compute_utilization, event_categorizer_update */
    struct aiu_epoch *epochs;            /* by rank, steps/aiu_steps.h; NULL before pf_aiu_normalise */
    struct aiu_tables *tables;           /* ideal cycles, where there are compiler logs */
    struct aiu_kernel_stats *kernels;    /* calculate_stats */
    struct aiu_iterations *iterations;   /* by rank, collect_iteration_stats */
    struct aiu_gaps *gaps;               /* once they are asked for */
    double *energy;                      /* by event, W us: since the sample before it; NULL until compute_power ran.
                                            NAN: cannot be told; INFINITY: neither, and that sample is of another job */
    aiu_energy *rank_energy;             /* by rank */
    uint64_t power_written, power_taken, overlaps, overfull;
    uint32_t charges; /* samples before those of charges */
    int64_t *workers; /* by rank: whose torch input has its process, AIU_ID_NONE; once files of workers are written */
    bool sequence_checked, processes_named;
    bool unmatched;                /* --compat ends early, as ranks cannot be matched */
    bool by_rate;                  /* clocks of ranks are matched by offset and rate without -S: that leaves less */
    struct aiu_exchange *exchange; /* ranks/aiu_ranks.h, once stages about several ranks ran */
    bool any_torch, any_flex;
    bool *twice; /* by rank: a flex and a torch input show its device at the same time; NULL: none */
    uint32_t twice_count;
    uint32_t *category; /* by event, texts: of kernels, once use of the cores is known; NULL before */
    uint32_t category_count;
    bool collects_launches;        /* launch_flow_collect ran */
    int64_t flow_ids;              /* the highest id of a recorded flow */
    bool clocks_matched;           /* ts_dev is on the clock of the first rank: mp_sync_tight_v1, --compat */
    bool show_ts_dev, show_ts_all; /* arguments that stages put on device events, until others take them away */
    bool of_gpu;                   /* torch kernels are those of a GPU */
    bool as_written;               /* arguments, until normalize_phase1 ran */
    bool members_in_args;          /* members of no place are arguments: tb_refinement_lightweight */
} aiu_run;

/* A step of the work: changes events in place. */
typedef void aiu_step(aiu_run *run);

/* ---- errors and memory ------------------------------------------------------------------------------------------- */

/* Whether that is done as acelyzer does it. */
static inline bool pf_aiu_rule(const aiu_run *run, aiu_rule rule)
{
    return run->set.rules & rule;
}

static inline bool pf_aiu_failed(const aiu_run *run)
{
    return run->error.code != PF_OK;
}

/* The row of an event in run->trace; PF_NONE: it has none, as a step made it, or it came from a partial. */
static inline uint32_t pf_aiu_trace_row(const aiu_run *run, uint32_t event)
{
    return run->parts ? PF_NONE : run->events.row[event];
}

/* Memory of zeros that lives until the run ends, or the stage; NULL: the run failed, now or before. An empty map that
 * lives so long. Never NULL: where memory is refused the run failed. The end of a stage: its memory serves the next
 * one.
 */
void *pf_aiu_alloc(aiu_run *run, size_t count, size_t size);
void *pf_aiu_scratch(aiu_run *run, size_t count, size_t size);
pf_map *pf_aiu_kept_map(aiu_run *run);
pf_map *pf_aiu_scratch_map(aiu_run *run);
void pf_aiu_end_stage(aiu_run *run);

/* Room for `need` elements in a list of the first kind: it is doubled, and what is new is zero. */
#define AIU_ROOM(run, list, need, room) pf_aiu_grow((run), (void **)&(list), &(room), (need), sizeof *(list))
pf_status pf_aiu_grow(aiu_run *run, void **list, uint32_t *room, uint32_t count, size_t size);

/* A value of a map; the number of a key, in order of appearance. */
pf_status pf_aiu_map(aiu_run *run, pf_map *map, uint64_t key, uint32_t value);
uint32_t pf_aiu_number(aiu_run *run, pf_map *map, uint64_t key);

/* The number of a pair of values, in order of appearance; one that is known, or PF_NONE. */
typedef struct aiu_pairs {
    pf_map *values, *pairs;
} aiu_pairs;
static inline aiu_pairs pf_aiu_scratch_pairs(aiu_run *run)
{
    return (aiu_pairs){pf_aiu_scratch_map(run), pf_aiu_scratch_map(run)};
}
uint32_t pf_aiu_pair(aiu_run *run, aiu_pairs *p, uint64_t a, uint64_t b);
uint32_t pf_aiu_known_pair(const aiu_pairs *p, uint64_t a, uint64_t b);

/* Whether a stage of acelyzer with that name is on, the first one of several. */
bool pf_aiu_stage_on(const aiu_run *run, const char *name);

/* aiu_facts.c. What may fail returns the run's first error, PF_OK without one; nobody has to look at it at once. */
pf_status pf_aiu_run_init(aiu_run *run, const pf_pass_context *ctx, pf_findings *f);
void pf_aiu_run_free(aiu_run *run);
void pf_aiu_drop_cycles(aiu_run *run); /* columns that only stages and texts need: counters, and times from them */
void pf_aiu_compact(aiu_run *run);     /* dropped rows leave `order` */

/* A new event of no input, at the end of `order`; PF_NONE: refused. Its columns are zero, extra is PF_NONE; or those of
 * another event, but for what stages added to it. Room for so many, made at once. */
uint32_t pf_aiu_add_event(aiu_run *run, uint8_t phase);
uint32_t pf_aiu_add_event_like(aiu_run *run, uint8_t phase, uint32_t like);
pf_status pf_aiu_expect_events(aiu_run *run, uint32_t count);

/* Plateau: a value that holds from one time to another one. */
pf_status pf_aiu_add_sample(aiu_run *run, aiu_series series, int64_t pid, double ts, double value, uint32_t label);
void pf_aiu_add_plateau(aiu_run *run, aiu_series series, int64_t pid, double from, double to, double value);
pf_status pf_aiu_add_arrow(aiu_run *run, uint8_t phase, double ts, int64_t pid, int64_t tid, int64_t id, uint32_t name,
                           uint32_t cat);

/* An argument of an event, in place of one that the same key was given before. One that was added; NULL: none. */
pf_status pf_aiu_add_extra(aiu_run *run, uint32_t event, pf_str key, aiu_extra value);
pf_status pf_aiu_add_int(aiu_run *run, uint32_t event, pf_str key, int64_t v);
pf_status pf_aiu_add_real(aiu_run *run, uint32_t event, pf_str key, double v);
pf_status pf_aiu_add_text(aiu_run *run, uint32_t event, pf_str key, pf_str v);
const aiu_extra *pf_aiu_find_extra(const aiu_run *run, uint32_t event, pf_str key);

/* The row of a pid in run->ranks, added if it is new; PF_NONE: refused. The pids of events, samples and arrows as keys
 * of a map; of ranks: as acelyzer counts ranks by them. */
uint32_t pf_aiu_rank(aiu_run *run, int64_t pid);
void pf_aiu_pids(aiu_run *run, bool of_ranks, pf_map *pids);

/* Texts: id 0 is none, and what there is where memory is refused. */
uint32_t pf_aiu_text(aiu_run *run, pf_str text);
uint32_t pf_aiu_buffer_text(aiu_run *run, pf_buffer *b); /* which is freed */
pf_str pf_aiu_text_of(const aiu_run *run, uint32_t id);
uint32_t pf_aiu_pool_text(aiu_run *run, uint32_t trace_string);

/* What a name says. The step of an event: what its name contains, or for slices of torch traces what kind they are,
 * which acelyzer does not look at. */
const aiu_name *pf_aiu_name(aiu_run *run, uint32_t text);
unsigned pf_aiu_step(aiu_run *run, uint32_t event);

/* Whether an event is a kernel: by its name; in torch traces by its category, which acelyzer does not look at. Whether
 * it is torch's view of what a flex input shows, too: it counts for nothing. */
bool pf_aiu_is_kernel(aiu_run *run, uint32_t event);
bool pf_aiu_is_second_view(const aiu_run *run, uint32_t event);

/* A line of the log. */
pf_status pf_aiu_log(aiu_run *run, const char *level, const char *format, ...) __attribute__((format(printf, 3, 4)));
void pf_aiu_log_buffer(aiu_run *run, pf_buffer *b); /* at level INFO; the buffer is freed */
void pf_aiu_warn(aiu_run *run, const char *before, uint64_t n, const char *after); /* where there are any */

/* The log's numbers as Python prints them: the shortest decimal of a double; round(v, n) likewise. */
pf_str pf_aiu_real(aiu_run *run, double v);
const char *pf_aiu_num(aiu_run *run, double v);
double pf_aiu_round(double v, int decimals);
const char *pf_aiu_rounded(aiu_run *run, double v, int decimals);

/* A pid or tid as text: 3, proc 1. That of a rank, for lines of the log. */
pf_str pf_aiu_pid_text(aiu_run *run, int64_t id);
const char *pf_aiu_rank_name(aiu_run *run, uint32_t rank);

/* TSn of an event (n from 1 to 5) in us of device time. */
static inline double pf_aiu_device_time(const aiu_run *run, uint32_t e, unsigned n)
{
    return (double)run->events.tsx[n - 1][e] / run->set.soc;
}

/* The same as ts_dev, which -s cuts to the step that the name says (--compat): what lies outside of it is at its edge.
 */
static inline double pf_aiu_step_time(const aiu_run *run, uint32_t e, unsigned n)
{
    unsigned from = run->events.flags[e] >> AIU_STEP_SHIFT & 7;
    return pf_aiu_device_time(run, e, from == 0 ? n : n < from ? from : n > from + 1 ? from + 1 : n);
}

/* TSn of an event (n from 1 to 5) on the host's clock, from the origin; AIU_ON_CLOCK. */
static inline double pf_aiu_ts_all(const aiu_run *run, uint32_t e, unsigned n)
{
    bool cut = run->events.flags[e] & AIU_STEP_MATCHED;
    double device = cut ? pf_aiu_step_time(run, e, n) : pf_aiu_device_time(run, e, n);
    return run->events.anchor[e] + (device - run->events.anchor_device[e]);
}

/* The pid that an event is shown below: a host's is 1000 higher than its rank's. */
enum { AIU_HOST_PIDS = 1000 };
static inline int64_t pf_aiu_shown_pid(const aiu_run *run, uint32_t e)
{
    int64_t pid = run->events.pid[e];
    return run->events.flags[e] & AIU_HOST_PID && pf_aiu_is_number(pid) ? pid + AIU_HOST_PIDS : pid;
}

static inline double pf_aiu_end(const aiu_run *run, uint32_t e)
{
    return run->events.ts[e] + run->events.dur[e];
}

static inline bool pf_aiu_is_slice(const aiu_run *run, uint32_t e)
{
    return run->events.phase[e] == 'X' && !(run->events.flags[e] & AIU_DROPPED);
}

static inline bool pf_aiu_is_device(const aiu_run *run, uint32_t e)
{
    return run->events.flags[e] & AIU_HAS_TS;
}

/* Sorts `order`, stable: by time, longer slices first; by time alone; by time, for acelyzer thread after thread, as
 * they appear. The last event comes first, as after some stages of acelyzer. */
pf_status pf_aiu_sort_global(aiu_run *run);
pf_status pf_aiu_sort_by_time(aiu_run *run);
void pf_aiu_sort_threads(aiu_run *run);
void pf_aiu_reverse(aiu_run *run);

/* A row with what it is sorted by; stable. */
typedef struct aiu_key {
    double first, second; /* ascending */
    uint32_t row;
} aiu_key;
pf_status pf_aiu_sort_keys(aiu_run *run, aiu_key *keys, uint32_t count);

/* ---- rows that are asked for (aiu_rows.c) ------------------------------------------------------------------------ */

typedef bool aiu_test(aiu_run *run, uint32_t e);
static inline bool pf_aiu_is_any_slice(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e);
}

/* A slice of a torch trace that was recorded. */
static inline bool pf_aiu_is_torch_slice(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && run->events.flags[e] & AIU_TORCH && run->events.row[e] != PF_NONE;
}

static inline bool pf_aiu_is_device_slice(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && pf_aiu_is_device(run, e);
}

/* Walks over the rows that are alive and pass: for (uint32_t i = 0, e; pf_aiu_next(run, test, &i, &e);). */
static inline bool pf_aiu_next(aiu_run *run, aiu_test *test, uint32_t *i, uint32_t *e)
{
    bool passes = false;
    while (!passes && *i < run->alive) {
        *e = run->order[(*i)++];
        passes = test(run, *e);
    }
    return passes;
}

/* From the first begin to the last end of what was added. */
typedef struct aiu_range {
    double from, to;
    bool any;
} aiu_range;

static inline void pf_aiu_widen(aiu_range *r, double from, double to)
{
    r->from = r->any && r->from <= from ? r->from : from;
    r->to = r->any && r->to >= to ? r->to : to;
    r->any = true;
}

/* Some rows, in memory of the stage; none where the run failed. */
typedef struct aiu_rows {
    uint32_t *list, count;
    uint32_t *first; /* by group, and one more: where each begins; NULL: not by group, or the run failed */
} aiu_rows;

/* Those that pass, in their order. The same group after group: `number`, by event, is the group of each. */
aiu_rows pf_aiu_rows(aiu_run *run, aiu_test *test);
aiu_rows pf_aiu_rows_by(aiu_run *run, aiu_rows rows, const uint32_t *number, uint32_t groups);
static inline aiu_rows pf_aiu_rows_by_rank(aiu_run *run, aiu_test *test)
{
    return pf_aiu_rows_by(run, pf_aiu_rows(run, test), run->events.rank, run->ranks.count);
}

/* Their keys, sorted, and all ranks, ascending by pid, in memory of the stage; NULL: the run failed. How many of sorted
 * keys are not after a key. */
uint32_t *pf_aiu_ranks_by_pid(aiu_run *run);
aiu_key *pf_aiu_keys(aiu_run *run, aiu_rows rows, aiu_key (*key_of)(const aiu_run *run, uint32_t e));
uint32_t pf_aiu_keys_before(const aiu_key *keys, uint32_t count, double first, double second);

/* Arguments of their events in the trace; NULL: there are no rows, or the run failed. */
pf_arg_columns *pf_aiu_arguments(aiu_run *run, aiu_rows rows, const pf_arg_key *keys, size_t count);

/* By event the correlation of torch slices, which a launch and its kernels share; 0: none. NULL: the run failed. */
int64_t *pf_aiu_correlations(aiu_run *run);

static inline bool pf_aiu_contains(pf_str text, const char *word)
{
    return pf_str_find(text, pf_str_of(word)) != SIZE_MAX;
}

/* Where a pattern is, and the last digits in it. # stands for digits, at least one, ~ for _ or -, and ? for one of
 * those or a blank. */
typedef struct aiu_place {
    size_t from, to;
    pf_str digits;
} aiu_place;
bool pf_aiu_find(pf_str text, size_t at, const char *pattern, aiu_place *out);

/* The text with `by` in place of the pattern, wherever it is or where it is first. */
uint32_t pf_aiu_replace(aiu_run *run, uint32_t text, const char *pattern, const char *by, bool all);

/* What an event or an input says in JSON beyond its rows (aiu_json_notes.c): the number that joins a flow event with
 * others; whether the event has arguments, if only an empty object; the letter of an instant's scope: g, p or t. */
int64_t pf_aiu_flow_id(const aiu_run *run, uint32_t event);
bool pf_aiu_has_args(const aiu_run *run, uint32_t event);
char pf_aiu_scope(const aiu_run *run, uint32_t event);

/* What an input says next to its events under a name ("json.NAME"), and whether it says that. Whether a text is JSON;
 * without memory for it the pass fails in the end. */
pf_str pf_aiu_said_by_input(const aiu_run *run, uint32_t input, const char *name, bool *there);
bool pf_aiu_parse(const aiu_run *run, pf_str text, pf_document **d);

/* Events, counters and arrows as text, as they are now (aiu_event_text.c). Where memory is refused for that the run
 * fails. An event is spelled as JSON, or as Python prints a dictionary. */
typedef enum aiu_spelling { AIU_SPELL_JSON, AIU_SPELL_PYTHON } aiu_spelling;

void pf_aiu_put_event(aiu_run *run, uint32_t event, aiu_spelling spelling, pf_buffer *out);
void pf_aiu_put_sample(aiu_run *run, uint32_t sample, pf_buffer *out);
void pf_aiu_put_arrow(aiu_run *run, uint32_t arrow, pf_buffer *out);

/* An event as Python prints a dictionary, for lines of the log. */
const char *pf_aiu_event_text(aiu_run *run, uint32_t event);
