/* analyze/compare/compare.h - what got slower from one run, or group of runs, to another.
 *
 *     row_names    slice -> the text that its row is called
 *     calls        trace -> calls: length and own time of every slice, by row
 *     row_numbers  calls of a row -> numbers, and cells (sums of calls that belong together) to draw from
 *     bootstrap    cells of both sides -> interval of the ratio
 *     verdicts     both sides -> rows with verdicts, sorted by what they changed; the verdict of the whole
 *     compare_report, compare_trace: rows -> document, table, trace
 */
#ifndef PF_ANALYZE_COMPARE_COMPARE_H
#define PF_ANALYZE_COMPARE_COMPARE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/strings.h"
#include "postfetto/pass.h"

/* ---- options ----------------------------------------------------------------------------------------------------- */

typedef enum compare_names { COMPARE_NAMES_USUAL = 0, COMPARE_NAMES_EXACT, COMPARE_NAMES_FOLDED } compare_names;

/* What a row is besides a name. */
enum { COMPARE_BY_PROCESS = 1, COMPARE_BY_STREAM = 2, COMPARE_BY_CATEGORY = 4, COMPARE_BY_SHAPE = 8 };

typedef struct compare_options {
    compare_names names;
    uint64_t by;      /* COMPARE_BY_* */
    double tolerance; /* 0.01: ratios between 1/1.01 and 1.01 are no change */
    uint64_t seed;
    unsigned jobs; /* threads; 0: the default, 2 */
    pf_str anchor; /* name of the slices that begin iterations; ptr NULL: ProfilerStep#N */
} compare_options;

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* The slices of one file that have a length: row after row, those of a row in order of time. */
typedef struct compare_calls {
    uint32_t count;
    uint32_t rows;   /* that were known when the file was read; it has none of later ones */
    uint32_t *first; /* by row, and the end of the last: where its calls are in the columns below */
    uint64_t *length, *own;
    uint32_t *iteration; /* NULL: there are none; PF_NONE: before the first */
    uint32_t iterations;
    uint64_t busy; /* length of all slices that are in no other one */
    uint64_t open; /* slices without an end, which are left out */
} compare_calls;

typedef struct compare_side {
    compare_calls *files;
    size_t count;
} compare_side;

typedef struct compare {
    compare_options options;
    pf_budget budget;
    pf_arena arena;
    pf_strings names; /* of rows */
    bool ready;
} compare;

pf_status pf_compare_begin(compare *c, const compare_options *options, const pf_limits *limits, pf_error *err);
void pf_compare_end(compare *c);

/* Reads the calls of a trace, which needs its slices (and arguments, for COMPARE_BY_SHAPE). */
pf_status pf_compare_read(compare *c, const pf_trace *t, compare_calls *out, pf_error *err);

/* The row that a slice belongs to, for those who go over a trace once more: the same as pf_compare_read noted. */
typedef struct compare_namer compare_namer;
compare_namer *pf_compare_namer_new(compare *c, const pf_trace *t, pf_error *err);
uint32_t pf_compare_name(compare_namer *n, uint32_t slice, pf_error *err); /* PF_NONE and err filled if refused */
void pf_compare_namer_free(compare_namer *n);

/* The name without what differs from call to call; `out` has room for name.len bytes. Returns the length. */
size_t pf_compare_normalise(compare_names names, pf_str name, char *out);

/* Whether a slice counts: it has an end and is no instant. */
static inline bool pf_compare_counts(const pf_events *e, const pf_slices *s, uint32_t i)
{
    uint8_t phase = e->phase[s->event[i]];
    return s->dur[i] >= 0 && phase != 'i' && phase != 'I' && phase != 'R' && phase != 'n' && phase != PF_PHASE_STATE;
}

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

typedef struct compare_row {
    uint32_t name;
    compare_numbers base, now;
    double delta; /* of the totals, for one file of each side, in the unit of time */
    double ratio; /* of the same; 0 without a base */
    compare_interval interval;
    compare_verdict verdict;
} compare_row;

typedef struct compare_result {
    compare_row *rows; /* by falling absolute delta */
    uint32_t count;
    compare_samples samples;
    compare_row whole; /* own times of all rows together */
    uint64_t base_open, now_open;
    size_t base_files, now_files;
} compare_result;

pf_status pf_compare_sides(compare *c, const compare_side *base, const compare_side *now, compare_result *out,
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

/* The interval of the whole. `scratch`: room for COMPARE_DRAWS. */
compare_interval pf_compare_bootstrap_whole(const compare_whole *whole, double ratio, double *scratch);

compare_verdict pf_compare_judge(double ratio, const compare_interval *i, double tolerance);

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

/* What thresholds can ask: the table below. */
extern const pf_pass pf_compare_tables;

/* The document; the table; the columns of the first `rows` rows that a terminal has room
 * for. */
pf_node *pf_compare_document(pf_findings *f, const compare *c, const compare_result *r, pf_time_unit unit);
pf_table_builder *pf_compare_table(pf_findings *f, const compare *c, const compare_result *r);
pf_table_builder *pf_compare_short_table(pf_findings *f, const compare *c, const compare_result *r, size_t rows);

/* A copy of `now` with marks at what got slower, and `base` as processes of its own from the same start on. */
pf_status pf_compare_draw(compare *c, const compare_result *r, const pf_trace *base, const pf_trace *now,
                          const pf_limits *limits, pf_trace **out, pf_error *err);

#endif
