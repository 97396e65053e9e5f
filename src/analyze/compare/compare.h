/* analyze/compare/compare.h - what got slower from one run, or group of runs, to another.
 *
 *     row_names    slice -> the text that its row is called
 *     calls        trace -> calls: which slices count, on host or device; length and own time of each, by row
 *     compare_partial  calls <-> tables of a partial
 *     row_numbers  calls of a row -> numbers, and cells (sums of calls that belong together) to draw from
 *     bootstrap    cells of both sides -> interval of the ratio
 *     verdicts     both sides -> rows with verdicts, sorted by what they changed; the verdict of the whole
 *     step_verdicts  what devices did in steps, of both sides -> verdicts of device and step
 *     compare_report: rows -> document, table
 *     compare_tables: rows -> the tables that people look at first, and figures
 *     compare_trace, compare_marks: rows -> the new run with the base below it, and with marks at what changed
 */
#pragma once

#include "analyze/gpu/gpu_outline.h"
#include "base/buffer.h"
#include "base/map.h"
#include "base/str.h"
#include "base/strings.h"
#include "postfetto/author/pass.h"
#include "postfetto/build.h"

/* ---- options ----------------------------------------------------------------------------------------------------- */

typedef enum compare_names { COMPARE_NAMES_USUAL = 0, COMPARE_NAMES_EXACT, COMPARE_NAMES_FOLDED } compare_names;

/* What a row is besides a name. */
enum { COMPARE_BY_PROCESS = 1, COMPARE_BY_STREAM = 2, COMPARE_BY_CATEGORY = 4, COMPARE_BY_SHAPE = 8 };

/* What the verdict of the whole, and the exit code, follow. */
enum {
    COMPARE_GATE_DEVICE = 1,
    COMPARE_GATE_STEP = 2,
    COMPARE_GATE_HOST = 4,
    COMPARE_GATE_ALL = 8,
    COMPARE_GATE_NAMES = 16
};

typedef struct compare_options {
    compare_names names;
    uint64_t by;      /* COMPARE_BY_* */
    double tolerance; /* 0.01: ratios between 1/1.01 and 1.01 are no change */
    uint64_t seed;
    unsigned jobs; /* threads; 0: the default, 2 */
    pf_str anchor; /* name of the slices that begin iterations; ptr NULL: ProfilerStep#N */
    uint64_t gate; /* COMPARE_GATE_*; 0: device and step where both sides have device events, else all */
} compare_options;

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* Where a slice belongs. Left out are instants, slices without an end, what this program drew, and the profiler's own
 * span. */
typedef enum compare_place { COMPARE_HOST = 0, COMPARE_DEVICE, COMPARE_LEFT_OUT } compare_place;

/* The slices of one file that have a length: row after row, those of a row in order of time. */
typedef struct compare_calls {
    uint32_t count;
    uint32_t rows;   /* that were known when the file was read; it has none of later ones */
    uint32_t *first; /* by row, and the end of the last: where its calls are in the columns below */
    uint64_t *length, *own;
    uint32_t *iteration; /* NULL: there are none; PF_NONE: before the first */
    uint32_t iterations;
    int64_t *start;      /* by iteration, and the end of the anchor of the last one */
    uint32_t *anchor;    /* by iteration: the slice that begins it */
    uint64_t busy;       /* length of all slices that are in no other one */
    uint64_t open;       /* slices without an end, which are left out */
    uint8_t *place;      /* by slice: compare_place */
    bool in_cycles;      /* not in ns: nothing is known of hosts and devices */
    gpu_outline outline; /* of its devices; zeros for cycles. Its columns by slice are gone */
} compare_calls;

typedef struct compare_side {
    compare_calls *files;
    size_t count;
} compare_side;

/* Whether the files of a side are one run: one file, or several that say to be different ranks. */
bool pf_compare_is_one_run(const compare_side *side);

typedef struct compare {
    compare_options options;
    pf_budget budget;
    pf_arena arena;
    pf_strings names; /* of rows */
    bool refused;     /* memory, for a text that is drawn */
} compare;

pf_status pf_compare_begin(compare *c, const compare_options *options, const pf_limits *limits, pf_error *err);
void pf_compare_end(compare *c);

/* Reads the calls of a trace, which needs its slices (and arguments, for COMPARE_BY_SHAPE). */
pf_status pf_compare_read(compare *c, const pf_trace *t, compare_calls *out, pf_error *err);

/* compare_partial.c: adds the calls of a trace to findings as tables of a partial; reads them in the place of a trace,
 * whose options must be these. */
pf_status pf_compare_add_parts(pf_findings *f, const compare *c, const compare_calls *calls, const pf_trace *t,
                               pf_error *err);
bool pf_compare_is_partial(const pf_trace *t);
pf_status pf_compare_read_partial(compare *c, const pf_trace *t, compare_calls *out, pf_error *err);

/* Whether a category is that of findings which this program drew in. */
static inline bool pf_compare_is_ours(pf_str category)
{
    return pf_str_starts(category, PF_STR("postfetto."));
}

/* The row that a slice belongs to, for those who go over a trace once more: the same as pf_compare_read noted. */
typedef struct compare_namer compare_namer;
compare_namer *pf_compare_namer_new(compare *c, const pf_trace *t, const uint8_t *place, pf_error *err);
uint32_t pf_compare_name(compare_namer *n, uint32_t slice, pf_error *err); /* PF_NONE and err filled if refused */
void pf_compare_namer_free(compare_namer *n);

/* The name without what differs from call to call; `out` has room for name.len bytes. Returns the length. */
size_t pf_compare_normalise(compare_names names, pf_str name, char *out);

/* What a row is called, and whether it is of a device: rows of one name on host and device are two. */
pf_str pf_compare_row_text(const compare *c, uint32_t row);
bool pf_compare_is_device_row(const compare *c, uint32_t row);

/* The row of that text, added if it is new; PF_NONE and err filled if refused. */
uint32_t pf_compare_add_row(compare *c, pf_str text, bool device, pf_error *err);

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Calls that belong together (one, or neighbours; those of an iteration or a file): what is drawn at random. */
enum { COMPARE_CELLS = 64 };
typedef struct compare_cells {
    uint32_t count;
    double total[COMPARE_CELLS], own[COMPARE_CELLS];
} compare_cells;

typedef enum compare_samples { COMPARE_CALLS = 0, COMPARE_ITERATIONS, COMPARE_FILES } compare_samples;

typedef struct compare_numbers {
    uint64_t calls, total, own, p95;
    double mean, median, share; /* share: percent of the side's busy time */
} compare_numbers;

static inline double pf_compare_sum(const double *v, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += v[i];
    }
    return sum;
}

/* How many calls a row has. */
uint64_t pf_compare_row_calls(const compare_side *side, uint32_t row);

/* Sums up the calls of a row: of all files, of `iterations` iterations, or one after the other. False where there are
 * iterations and no call is in one. */
bool pf_compare_row_cells(const compare_side *side, uint32_t row, compare_samples samples, uint32_t iterations,
                          compare_cells *out);

/* The numbers of a row; its lengths are in no order afterwards. `busy`: of the side. PF_ERR_LIMIT, PF_ERR_MEMORY. */
pf_status pf_compare_row_numbers(const compare_side *side, uint32_t row, double busy, pf_budget *budget,
                                 compare_numbers *out, pf_error *err);

typedef enum compare_verdict {
    COMPARE_SAME = 0,
    COMPARE_SLOWER,
    COMPARE_FASTER,
    COMPARE_UNSURE,
    COMPARE_NEW,
    COMPARE_VANISHED
} compare_verdict;
const char *pf_compare_verdict_text(compare_verdict v);

typedef struct compare_interval {
    double low, high;
    uint32_t samples; /* on the smaller side */
    bool paired, known;
} compare_interval;

/* Something that both sides have, and how it changed. */
typedef struct compare_measure {
    bool known; /* both sides have it */
    double base, now, ratio;
    compare_interval interval;
    compare_verdict verdict;
} compare_measure;

typedef struct compare_row {
    uint32_t name;
    compare_numbers base, now;
    double delta; /* of the totals, for one file of each side, in the unit of time */
    double ratio; /* of the same; 0 without a base */
    compare_interval interval;
    compare_verdict verdict;
    compare_measure self; /* own times, for one file of each side */
} compare_row;

typedef enum compare_measured {
    COMPARE_OF_DEVICE = 0,
    COMPARE_OF_STEP,
    COMPARE_OF_HOST,
    COMPARE_MEASURES
} compare_measured;

extern const char *const pf_compare_measure_names[COMPARE_MEASURES];

typedef struct compare_result {
    compare_row *rows; /* by falling absolute delta */
    uint32_t count;
    const compare_row **by_self; /* those whose self time changed, by how much it did */
    uint32_t changed;
    uint32_t iterations; /* that both sides have, where each is one run */
    compare_samples samples;
    uint64_t base_own, now_own; /* of all rows together */
    compare_measure whole;      /* of these, for one file of each side */
    compare_measure measure[COMPARE_MEASURES];
    bool has_devices;        /* on any side */
    uint64_t gate;           /* that was used */
    compare_verdict verdict; /* the worst of the gate */
    size_t base_files, now_files;
} compare_result;

pf_status pf_compare_sides(compare *c, const compare_side *base, const compare_side *now, compare_result *out,
                           pf_error *err);

/* Device and step: busy time per step, and the median period. */
pf_status pf_compare_steps(compare *c, const compare_side *base, const compare_side *now, compare_result *out,
                           pf_error *err);

/* The sums that the draws of all rows make together. */
enum { COMPARE_DRAWS = 1000 };
typedef struct compare_whole {
    double base[COMPARE_DRAWS], now[COMPARE_DRAWS];
} compare_whole;

/* The interval of the ratio of two totals, each the sum of its side's cells over its files; `whole` gets the own times
 * of every draw. Seeded by `seed` alone. */
compare_interval pf_compare_bootstrap(const compare_cells *base, const compare_cells *now, bool paired, uint64_t seed,
                                      compare_whole *whole);

/* The interval of the ratio of the medians of both sides' totals, of three cells or more, as many on both sides. */
compare_interval pf_compare_bootstrap_median(const compare_cells *base, const compare_cells *now, double ratio,
                                             uint64_t seed);

/* Of n >= 1 values, which are reordered. */
double pf_compare_median(double *v, size_t n);

/* The interval of the ratio of the sums of such draws, of `samples` cells on the smaller side; 0: of many rows. */
compare_interval pf_compare_bootstrap_whole(const compare_whole *whole, double ratio, uint32_t samples, bool paired);

compare_verdict pf_compare_judge(double ratio, const compare_interval *i, double tolerance);

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

/* What thresholds can ask. */
typedef enum compare_table {
    COMPARE_TABLE_ROWS = 0,
    COMPARE_TABLE_VERDICTS,
    COMPARE_TABLE_SELF,
    COMPARE_TABLE_ITERATIONS,
    COMPARE_TABLES
} compare_table;
extern const pf_pass_table pf_compare_tables[COMPARE_TABLES];

/* Their columns, whose times say so where they are cycles. */
const pf_column *pf_compare_columns(pf_findings *f, compare_table which, pf_time_unit unit);

/* The document and the table. */
pf_node *pf_compare_document(pf_findings *f, const compare *c, const compare_result *r, pf_time_unit unit);
pf_table_builder *pf_compare_table(pf_findings *f, const compare *c, const compare_result *r, pf_time_unit unit);

/* "host" or "device" where any side has devices, else nothing. */
pf_str pf_compare_place(const compare *c, const compare_result *r, uint32_t row);

/* compare_tables.c: fills by_self; shows the other tables, and adds the figures. */
pf_status pf_compare_sort_self(compare *c, compare_result *r, pf_error *err);
void pf_compare_tell(pf_findings *f, const compare *c, const compare_result *r, const compare_side *base,
                     const compare_side *now, pf_time_unit unit);

/* What a measure of the result, or the whole of it, is called. */
const char *pf_compare_measure_text(const compare_result *r, const compare_measure *m);

/* compare_headline.c: what came out, in a sentence and three numbers. */
void pf_compare_headline(pf_findings *f, const compare *c, const compare_result *r, pf_time_unit unit);

/* What changed an iteration most, by how much more time of its own it took. */
enum { COMPARE_CAUSES = 3 };
typedef struct compare_cause {
    double more;
    uint32_t calls, row;
} compare_cause;

/* The trace that is drawn: a copy of `now`, a group "compare" with what changed, and `base` as processes of its own
 * from the same start on. */
typedef struct compare_drawing {
    compare *c;
    const compare_result *r;
    const pf_trace *base, *now;
    const compare_calls *base_calls, *now_calls; /* of these two */
    pf_builder *b;
    int64_t shift;        /* of the base */
    uint32_t group;       /* the track "compare" */
    uint32_t iterations;  /* that both have */
    compare_cause *cause; /* COMPARE_CAUSES of each iteration, the largest first; more = 0: there are no more */
} compare_drawing;

/* Where something of a run that is moved is drawn; false: beyond what a trace can hold. */
static inline bool pf_compare_move(int64_t ts, int64_t dur, int64_t shift, int64_t *out)
{
    int64_t end;
    return !__builtin_add_overflow(ts, shift, out) && *out >= 0 && !__builtin_add_overflow(*out, dur, &end);
}

pf_status pf_compare_draw(compare_drawing *d, const pf_limits *limits, pf_trace **out, pf_error *err);

/* compare_marks.c: the rows of marks, and the causes. */
pf_status pf_compare_mark(compare_drawing *d, pf_error *err);

/* What a thread, or a track that has none, is called. */
pf_str pf_compare_lane_text(const pf_trace *t, uint32_t track, char room[40]);

/* What a buffer has; nothing if memory was refused, which is noted. */
static inline pf_str pf_compare_text_of(compare *c, const pf_buffer *b)
{
    c->refused = c->refused || b->failed;
    return (pf_str){b->failed || !b->data ? "" : b->data, b->failed ? 0 : b->len};
}

/* A length as people read it: "1.4 ms"; with a sign in front where `sign` says so. */
void pf_compare_put_length(pf_buffer *b, double v, pf_time_unit unit, bool sign);

/* An argument "WHAT ns", or in cycles; rounded where it is derived. */
void pf_compare_arg_time(const compare_drawing *d, const char *what, double v);
