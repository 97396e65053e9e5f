/* analyze/opcmp/opcmp.h - operators as a performance model predicts them against kernels as a device ran them.
 *
 *     op_mapping      mapping document -> what it says of an operator
 *     model_process   trace of the model -> the process that counts
 *     model_side      trace of the model, mapping -> per kernel type: time and calls, found by profiling or not
 *     measured_side   table of kernels (CSV) -> per kernel type: time and calls
 *     op_passes       order of the kernels -> forward passes in the table
 *     opcmp           both -> rows, sorted by the larger time
 *     op_report       rows -> the table of the program before, the document, contributions to the error
 *     op_figures      rows of all scenarios -> report tables, the sentence, figures
 *     op_overlay      rows, operators of the trace -> what is drawn into the trace of the model
 *
 * A comparison holds one scenario. Kernel types are rows of one array, named by their id in the pool of texts.
 */
#pragma once

#include "analyze/support/pass_tables.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "base/strings.h"
#include "postfetto/arg_columns.h"
#include "postfetto/findings.h"

/* ---- mapping ----------------------------------------------------------------------------------------------------- */

/* What a mapping document says of operators, by name. */
typedef struct opcmp_mapping {
    const pf_node *root; /* what the entries are below; may be NULL */
    pf_strings names;
    const pf_node **entry; /* by id */
} opcmp_mapping;

/* `root` may be NULL or null: no entries. unnested: the entries are members of "operator_mappings". PF_ERR_INPUT: the
 * document is no mapping. */
pf_status pf_opcmp_mapping_open(opcmp_mapping *m, pf_budget *budget, const pf_node *root, bool unnested, pf_error *err);
void pf_opcmp_mapping_close(opcmp_mapping *m);

/* The first entry, or key of an entry, that an earlier one has the name of; NULL: there is none. The last one counts.
 */
const pf_node *pf_opcmp_mapping_twice(const opcmp_mapping *m);

typedef struct opcmp_entry {
    bool zero_cost;
    pf_str kernel_type; /* ptr NULL: none */
} opcmp_entry;

/* The entry of an operator: that of its short name, else of its name. All empty if there is none. */
opcmp_entry pf_opcmp_mapping_find(const opcmp_mapping *m, pf_str op, pf_str short_name);

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* A kernel type; it may occur on one side alone. */
typedef struct opcmp_kernel {
    uint64_t hits, count; /* in the model; the others of them are misses */
    double model_total;
    uint32_t function[3]; /* ids of the first operators that it comes from */
    unsigned functions;
    double measured_total;
    uint64_t measured_count;
} opcmp_kernel;

/* A kernel that the model has an operator run as. The parts of an operator follow each other. */
typedef struct opcmp_part {
    uint32_t row;    /* of the event */
    uint32_t kernel; /* id of its type */
    double us;
    bool hit;
} opcmp_part;

typedef struct opcmp {
    /* set by the caller after pf_opcmp_begin */
    bool strict; /* a table of kernels that lacks columns, has one twice, lists nothing or has wrong quotes, and a model
                  * without operators, are faults; op-comparison took them */
    bool by_shape;   /* kernels of a type are separated by the shape of their first input */
    bool keep_parts; /* for pf_opcmp_draw */
    bool keep_order; /* for pf_opcmp_count_passes */
    pf_str anchor;   /* a type whose kernels are counted, those too that no sum has */
    uint64_t anchors;
    uint64_t cut_line; /* of a strict reading: where the table ends in the middle of a row, which is left out; else 0 */
    opcmp_part *parts;
    uint32_t part_count, part_room;
    uint32_t *order; /* kernels of the table in its order, but for collectives */
    uint32_t order_count, order_room;
    pf_budget budget;
    pf_arena arena;
    pf_strings texts;
    opcmp_kernel *kernels; /* by id of their type */
    uint32_t room;
    pf_str fault; /* of the measured side, as op-comparison said it; mostly empty */
} opcmp;

pf_status pf_opcmp_begin(opcmp *c, const pf_limits *limits, pf_error *err);
void pf_opcmp_end(opcmp *c);

/* The row of a kernel type, made if it is new; NULL and err filled if refused. It moves when another one is made. */
opcmp_kernel *pf_opcmp_kernel(opcmp *c, uint32_t id, pf_error *err);

/* The id of a kernel type with the first shape in `shapes`: "MatMulV2 [16,5120]" for "16,5120;5120,768" as the profiler
 * writes it and for "[[16, 5120]]" as the model does; the type alone without a shape, and for collectives. */
pf_status pf_opcmp_shaped(opcmp *c, pf_str type, pf_str shapes, uint32_t *id, pf_error *err);

/* As Python's repr shows a character: line feeds, tabs, carriage returns and backslashes as escapes. */
void pf_opcmp_put_escaped(pf_buffer *b, char c);

/* Without the blanks at both ends that Python's strip removes. */
pf_str pf_opcmp_trim(pf_str s);

static inline uint32_t pf_opcmp_upid(const pf_trace *t, uint32_t event)
{
    return pf_trace_tracks(t)->upid[pf_trace_events(t)->track[event]];
}

static inline bool pf_opcmp_is_complete(const pf_events *e, uint32_t event)
{
    return (e->phase[event] & ~PF_PHASE_BAD_TS) == 'X';
}

/* How the process that the model wrote its measured operators to was found. */
typedef struct opcmp_process {
    uint32_t upid;
    bool sole;       /* none has the name; it is the only one */
    pf_str spelling; /* of its pid as Python prints it; lives as long as the comparison */
} opcmp_process;

/* PF_ERR_INPUT: no process is certain to be the one; the text lists those there are as Python prints a set. */
pf_status pf_opcmp_find_process(opcmp *c, const pf_trace *t, const char *path, opcmp_process *out, pf_error *err);

/* Adds the complete events of the process. The trace has its events and arguments. */
pf_status pf_opcmp_add_model(opcmp *c, const pf_trace *t, uint32_t upid, const opcmp_mapping *m, unsigned jobs,
                             pf_error *err);

/* Adds the rows of a table of kernels. PF_ERR_INPUT: not a CSV, no column Type, a duration that is no number, and what
 * `strict` adds. */
pf_status pf_opcmp_add_measured(opcmp *c, pf_str csv, pf_error *err);

/* How many forward passes the measured side holds. `anchor` names a kernel type that each pass runs once; "auto" looks
 * for one: the most frequent type whose calls cut the table into parts that all types (up to 0.1 % of the time) come in
 * equally often. *found is the anchor. PF_ERR_INPUT: the table has no such kernel. */
pf_status pf_opcmp_count_passes(opcmp *c, pf_str anchor, double *passes, pf_str *found, pf_error *err);

/* ---- result ------------------------------------------------------------------------------------------------------ */

typedef enum opcmp_status { OPCMP_NOT_MODELLED = 0, OPCMP_MISS, OPCMP_HIT, OPCMP_PARTIAL } opcmp_status;

/* "TC未建模", "MISS", "HIT", "PARTIAL" */
pf_str pf_opcmp_status_text(opcmp_status s);

typedef struct opcmp_row {
    uint32_t kernel; /* id of its type */
    opcmp_status status;
    bool per_pass; /* there are passes to share the measured time out to */
    bool has_error, has_count_error;
    double model_us, measured_us, error_percent, count_error_percent; /* rounded to one decimal */
    uint64_t model_count;
    int64_t measured_count;
} opcmp_row;

typedef struct opcmp_rows {
    opcmp_row *row;
    size_t count;
    double model_total, measured_total; /* sums of the rounded values, in order */
} opcmp_rows;

/* The measured side holds `passes` forward passes; the rows live as long as the comparison. */
pf_status pf_opcmp_compare(opcmp *c, double passes, opcmp_rows *out, pf_error *err);

/* The table of the first 15 rows for people. */
void pf_opcmp_put_table(pf_buffer *b, const opcmp *c, pf_str name, const opcmp_rows *rows);

/* The rows as a list below `document`. */
void pf_opcmp_add_rows(pf_findings *f, pf_node *document, const opcmp *c, pf_str name, const opcmp_rows *rows);

/* The rows that add most to the error of the total, the largest first, at most `most` of them: a text for people. */
void pf_opcmp_put_contributors(pf_buffer *b, opcmp *c, const opcmp_rows *rows, size_t most);

/* The rows in the order of the sizes of their differences, in the arena of the comparison; NULL and err filled
 * if memory was refused. */
const opcmp_row **pf_opcmp_sorted(opcmp *c, const opcmp_rows *rows, pf_error *err);

/* By how much the model is above what was measured, and the sum of the sizes of that. */
static inline double pf_opcmp_difference(const opcmp_row *r)
{
    return r->model_us - r->measured_us;
}
double pf_opcmp_sum_of_sizes(const opcmp_rows *rows);

/* 0 where there is no whole. */
static inline double pf_opcmp_percent(double part, double whole)
{
    return whole > 0 ? part / whole * 100 : 0;
}

/* ---- what people look at: tables of all scenarios, a sentence, figures ------------------------------------------- */

typedef enum opcmp_table { OPCMP_TABLE_SCENARIOS, OPCMP_TABLE_OPERATORS, OPCMP_TABLES } opcmp_table;
extern const pf_pass_table pf_opcmp_tables[OPCMP_TABLES];

typedef struct opcmp_worst {
    size_t at;                /* row of the scenarios */
    pf_str scenario, kernel;  /* and the kernel type with the largest difference */
    double model, measured;   /* totals, us */
    double not_modelled;      /* of the measured total, us */
    double difference, share; /* of that kernel, us and % of all sizes */
    uint32_t near, measured_types;
} opcmp_worst;

typedef struct opcmp_shown {
    pf_findings *f;
    pf_table_builder *scenarios, *operators;
    pf_table_builder *steps; /* of the waterfalls */
    opcmp_worst worst;       /* the scenario whose total is farthest off */
    size_t count;            /* of scenarios */
} opcmp_shown;

void pf_opcmp_show_begin(opcmp_shown *s, pf_findings *f);

/* Adds a scenario, `passes` forward passes of which were measured. */
pf_status pf_opcmp_show_add(opcmp_shown *s, opcmp *c, pf_str scenario, double passes, const opcmp_rows *rows,
                            pf_error *err);

/* Shows tables, sentence and figures of what was added. */
void pf_opcmp_show_end(opcmp_shown *s);

/* Draws below the model's process what was measured: for each operator a slice with both times, the error and the
 * status of its kernels as arguments, and counters of the same. The comparison kept its parts. */
pf_status pf_opcmp_draw(opcmp *c, const pf_trace *t, uint32_t upid, pf_findings *f, pf_error *err);

/* A kernel type's operators, "A, B, C". */
pf_str pf_opcmp_functions(pf_findings *f, const opcmp *c, uint32_t kernel);

/* ---- durations of sub-kernels ------------------------------------------------------------------------------------ */

/* As a model writes them: the text of a Python list of pairs, "[('MatMulV2', 22.77), ('hcom_allReduce_', 8.29)]". */
typedef struct pf_literal_pair {
    size_t name, name_len; /* in pf_literal_pairs.text */
    double value;
} pf_literal_pair;

typedef struct pf_literal_pairs {
    pf_literal_pair *pair;
    size_t count, room;
    pf_buffer text;
    bool failed; /* memory was refused */
} pf_literal_pairs;

/* Reads a literal as Python's ast.literal_eval does and returns whether it is a list with something in it whose items
 * are all lists or tuples of a text and a number. Pairs that were there are dropped. */
bool pf_literal_read_pairs(pf_str text, pf_literal_pairs *out);
void pf_literal_free(pf_literal_pairs *p);

/* ---- a set of integers as Python keeps it ------------------------------------------------------------------------ */

typedef struct pf_python_set {
    struct pf_python_slot {
        bool used;
        int64_t key;
        uint32_t value;
    } * slots; /* in the order of printing */
    size_t mask, count;
} pf_python_set;

/* Adds a key that is not there yet. Refused memory leaves it out. */
void pf_python_set_add(pf_python_set *s, int64_t key, uint32_t value);
void pf_python_set_free(pf_python_set *s);
