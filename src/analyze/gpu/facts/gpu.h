/* analyze/gpu/facts/gpu.h - the facts that the steps of `analyze gpu` share. docs/reference/gpu.md has the definitions.
 *
 * Everything that ran on a device is an operation (gpu_op columns below): kernels, copies, fills. Operations are
 * ordered by device and start, so that a device, and a device within an input, is a range of rows. A second order lists
 * them by stream. Runtime calls are columns of their own; an operation knows the call that launched it.
 */
#pragma once

#include "analyze/support/intervals.h"
#include "analyze/support/pass_tables.h"
#include "base/arena.h"
#include "postfetto/arg_columns.h"

/* What an operation does; the classes of point "busy". */
typedef enum gpu_class { GPU_COMPUTE = 0, GPU_COMMUNICATION, GPU_MEMORY, GPU_CLASSES } gpu_class;

/* What a slice is for us, by its category. */
typedef enum gpu_slice_kind {
    GPU_SLICE_OTHER = 0,
    GPU_SLICE_KERNEL,
    GPU_SLICE_COPY,
    GPU_SLICE_FILL,
    GPU_SLICE_CALL,       /* of the runtime or driver */
    GPU_SLICE_OPERATOR,   /* of the framework, on the host */
    GPU_SLICE_PYTHON,     /* a function of the program */
    GPU_SLICE_ANNOTATION, /* of the user, on the host */
    GPU_SLICE_DEVICE_ANNOTATION,
    GPU_SLICE_KINDS
} gpu_slice_kind;

static inline bool gpu_is_device_kind(uint8_t kind)
{
    return kind >= GPU_SLICE_KERNEL && kind <= GPU_SLICE_FILL;
}

/* Arguments of copies, fills and communication, in the order in which they are asked for. */
enum {
    GPU_ARG_BYTES,
    GPU_ARG_COLLECTIVE,
    GPU_ARG_IN_ELEMENTS,
    GPU_ARG_OUT_ELEMENTS,
    GPU_ARG_GROUP_SIZE,
    GPU_ARG_GROUP,
    GPU_ARG_MEMBERS,
    GPU_ARG_TYPE,
    GPU_ARGS
};

/* Operations, ordered by device, start and row of table slice. */
typedef struct gpu_ops {
    uint32_t count;
    uint32_t *slice; /* row of table slice; NULL: first_slice, first_slice + 1, ... */
    uint32_t first_slice;
    uint32_t *stream; /* row of gpu_facts.streams; NULL where there is one */
    uint32_t *name;   /* string id of the trace */
    uint32_t *call;   /* row of gpu_calls, or PF_NONE; NULL without calls */
    uint8_t *class;   /* gpu_class: memory, or what kernels do */
    int64_t *start, *dur;
} gpu_ops;

static inline uint32_t gpu_slice(const gpu_ops *o, uint32_t op)
{
    return o->slice ? o->slice[op] : o->first_slice + op;
}

static inline int64_t gpu_end(const gpu_ops *o, uint32_t op)
{
    return o->start[op] + o->dur[op];
}

/* a + b, UINT64_MAX where that is more. */
static inline uint64_t gpu_plus(uint64_t a, uint64_t b)
{
    return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

static inline uint64_t gpu_length(const gpu_ops *o, uint32_t op)
{
    return (uint64_t)o->dur[op];
}

/* Runtime calls, ordered by input and start. */
typedef struct gpu_calls {
    uint32_t count;
    uint32_t *slice;
    uint32_t *input; /* NULL: there is one only */
    uint32_t *name;
    uint32_t *ops;      /* operations that it launched */
    uint32_t *first_op; /* the one that starts first, or PF_NONE */
    bool *blocks;       /* a synchronisation, or a copy that waits */
    int64_t *start, *end;
} gpu_calls;

/* Arguments of copies, fills and communication; of compute kernels there are many and little is asked. */
typedef struct gpu_details {
    struct {
        uint64_t bits;   /* which of 64 operations have a row of args */
        uint32_t before; /* rows of those before them */
    } * marked;          /* NULL if there are only compute kernels */
    pf_arg_columns *args;
} gpu_details;

/* A set of intervals, ascending and apart. */
typedef struct gpu_set {
    pf_interval *list;
    size_t count;
} gpu_set;

/* What a device or a stream did: the definitions of docs/reference/gpu.md, "Times". */
typedef struct gpu_times {
    int64_t start, end; /* of the span; 0, 0 without operations */
    uint64_t span, busy, idle;
    uint64_t in_class[GPU_CLASSES];
    uint64_t overlap, exposed; /* communication with and without compute next to it */
} gpu_times;

/* Memcpy and memset with neither compute nor communication next to them: what else the device was busy with. */
static inline uint64_t gpu_exposed_memcpy(const gpu_times *t)
{
    return t->busy - t->in_class[GPU_COMPUTE] - t->exposed;
}

/* An interval in which a device or a stream was idle, by cause: docs/reference/gpu.md, "Idle time". */
typedef struct gpu_gap {
    pf_interval time;
    uint32_t before, after;        /* the last operation that ends where it begins, one that starts where it ends */
    uint64_t host, waiting, other; /* their sum is the length */
} gpu_gap;

/* Where operations wait for their start, in order of time each: from the ends of their calls to their own starts. */
typedef struct gpu_queue {
    int64_t *begins, *ends;
    size_t count;
} gpu_queue;

typedef struct gpu_device {
    uint32_t input;
    int64_t number; /* args.device, gpu_id or the pid */
    pf_str name;    /* of the process, if the pid is a text; else {NULL, 0} */
    pf_str label;   /* pf_gpu_device_text, once there are findings */
    uint32_t first_op, op_count;
    uint32_t first_stream, stream_count;
    gpu_times times;
    uint64_t *running; /* [k]: time in which k operations ran, k = 0 to most */
    uint32_t most;
    uint32_t depths;               /* rows of table gpu_concurrency */
    uint64_t host, waiting, other; /* idle time by cause */
    gpu_queue queue;
} gpu_device;

typedef struct gpu_stream {
    uint32_t device;
    int64_t number;
    pf_str name;
    uint32_t first, count; /* a range of gpu_facts.by_stream */
    gpu_times times;
    uint64_t host, waiting, other; /* idle time by cause, where somebody asks for it */
} gpu_stream;

typedef struct gpu_rank {
    const char *path;
    bool known;
    int64_t rank; /* distributedInfo.rank */
    uint32_t first_device, device_count;
    uint32_t first_op, op_count;
    uint32_t first_call, call_count;
    bool scheduled;     /* the scheduler says something of its threads */
    bool path_left_out; /* of many ranks few have pieces of a critical path */
} gpu_rank;

/* Every result is rows of a table, from which JSON, CSV, Markdown and SQL are made. */
enum {
    GPU_TABLE_DEVICES,
    GPU_TABLE_STREAMS,
    GPU_TABLE_CONCURRENCY,
    GPU_TABLE_KERNELS,
    GPU_TABLE_MEMCPY,
    GPU_TABLE_COLLECTIVES,
    GPU_TABLE_OPERATORS,
    GPU_TABLE_OPERATOR_KERNELS,
    GPU_TABLE_FLOPS,
    GPU_TABLE_MODULES,
    GPU_TABLE_MODULE_TREE,
    GPU_TABLE_THREADS,
    GPU_TABLE_COUNTERS,
    GPU_TABLE_MEMORY,
    GPU_TABLE_MEMORY_HOLDERS,
    GPU_TABLE_LAUNCHES,
    GPU_TABLE_QUEUE,
    GPU_TABLE_GAPS,
    GPU_TABLE_HOST_GAPS,
    GPU_TABLE_HOST_WAKERS,
    GPU_TABLE_RUNTIME,
    GPU_TABLE_SYNCS,
    GPU_TABLE_STEPS,
    GPU_TABLE_STEP_SUMMARY,
    GPU_TABLE_CRITICAL_PATH,
    GPU_TABLE_CRITICAL_PATH_SHARE,
    GPU_TABLE_RANKS,
    GPU_TABLE_STRAGGLERS,
    GPU_TABLE_RANK_COSTS,
    GPU_TABLE_RANK_CAUSES,
    GPU_TABLE_STEP_SPREAD,
    GPU_TABLE_RANK_MAP,
    GPU_TABLES
};

typedef struct gpu_facts {
    const pf_trace *trace;
    const pf_pass_context *ctx;
    pf_findings *f;                      /* once all is found */
    pf_table_builder *table[GPU_TABLES]; /* of f */
    pf_arena *arena;
    pf_arena scratch;                  /* of the step at hand, which resets it when it is done */
    uint8_t *kind;                     /* gpu_slice_kind by row of table slice */
    uint32_t of_kind[GPU_SLICE_KINDS]; /* how many slices are what; render stages count as kernels */
    gpu_ops ops;
    gpu_calls calls;
    uint32_t *by_stream; /* operations by stream, then start; NULL: in the order that they have anyway */
    gpu_device *devices; /* ordered by input and number */
    uint32_t device_count;
    gpu_stream *streams; /* ordered by device and number */
    uint32_t stream_count;
    gpu_rank *ranks; /* by input */
    uint32_t rank_count;
    uint32_t of_class[GPU_CLASSES]; /* how many operations */
    gpu_details details;            /* once they are read */
    uint8_t *collective;            /* by string id of a kernel's name: 1 + what collective it is; 0: not asked yet */
    bool has_stages;                /* there are GPU render stages */
    uint32_t unusable;              /* device slices without an end, which are left out */
    pf_str communication, compute;  /* expressions of the user for names of kernels */
} gpu_facts;

/* Threads for steps that do not depend on each other: one for a small trace, where a start takes longer than they. */
static inline unsigned pf_gpu_jobs(const gpu_facts *g)
{
    return pf_trace_slices(g->trace)->count >= 32768 ? g->ctx->jobs : 1;
}

/* The n-th operation by stream. */
static inline uint32_t gpu_op_by_stream(const gpu_facts *g, uint32_t n)
{
    return g->by_stream ? g->by_stream[n] : n;
}

/* The rows of its stream and its device. */
static inline uint32_t gpu_stream_of(const gpu_facts *g, uint32_t op)
{
    return g->ops.stream ? g->ops.stream[op] : 0;
}

static inline uint32_t gpu_device_of(const gpu_facts *g, uint32_t op)
{
    return g->streams[gpu_stream_of(g, op)].device;
}

static inline bool gpu_is_copy(const gpu_facts *g, uint32_t op)
{
    return g->kind[gpu_slice(&g->ops, op)] == GPU_SLICE_COPY;
}

/* The call that launched an operation, PF_NONE if it is not known. */
static inline uint32_t gpu_call_of(const gpu_facts *g, uint32_t op)
{
    return g->ops.call ? g->ops.call[op] : PF_NONE;
}

/* The host thread of a slice, PF_NONE without one. */
static inline uint32_t gpu_thread_of_slice(const gpu_facts *g, uint32_t slice)
{
    return pf_trace_tracks(g->trace)->utid[pf_trace_slices(g->trace)->track[slice]];
}

/* Whether a name is of some sort. Each is judged once: verdicts, by string id, are zeros at first. */
static inline bool gpu_name_is(const gpu_facts *g, uint8_t *verdicts, uint32_t name, bool (*is)(pf_str name))
{
    uint8_t *v = &verdicts[name];
    *v = *v ? *v : 1 + is(pf_trace_string(g->trace, name));
    return *v == 2;
}

/* Where the arguments of an operation are, PF_NONE for compute kernels. */
static inline uint32_t gpu_arg_of(const gpu_facts *g, uint32_t op)
{
    const gpu_details *d = &g->details;
    uint64_t bits = d->marked ? d->marked[op / 64].bits : 0;
    return bits >> op % 64 & 1
               ? d->marked[op / 64].before + (uint32_t)__builtin_popcountll(bits & ((1ull << op % 64) - 1))
               : PF_NONE;
}

static inline bool gpu_has(const gpu_facts *g, unsigned arg, uint32_t op)
{
    uint32_t row = gpu_arg_of(g, op);
    return row != PF_NONE && pf_arg_has(pf_arg_column_at(g->details.args, arg), row);
}

/* The value of an integer argument of an operation, 0 without one. */
static inline int64_t gpu_int(const gpu_facts *g, unsigned arg, uint32_t op)
{
    uint32_t row = gpu_arg_of(g, op);
    return row == PF_NONE ? 0 : pf_arg_column_at(g->details.args, arg)->values.i[row];
}

/* The id of a text argument, 0 without one, and the text. */
static inline uint32_t gpu_text_id(const gpu_facts *g, unsigned arg, uint32_t op)
{
    uint32_t row = gpu_arg_of(g, op);
    return row == PF_NONE ? 0 : pf_arg_column_at(g->details.args, arg)->values.text[row];
}

static inline pf_str gpu_text(const gpu_facts *g, unsigned arg, uint32_t op)
{
    return pf_arg_columns_text(g->details.args, gpu_text_id(g, arg, op));
}

/* The first of rows [from, to), whose times ascend, that is at `at` or later; `to` without one. */
static inline uint32_t gpu_first_from(const int64_t *time, uint32_t from, uint32_t to, int64_t at)
{
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        bool before = time[middle] < at;
        from = before ? middle + 1 : from;
        to = before ? to : middle;
    }
    return to;
}

/* Reads the trace into facts. The caller has filled ctx and the expressions; all else is zero. */
pf_status pf_gpu_facts_read(gpu_facts *g, pf_error *err);
void pf_gpu_facts_free(gpu_facts *g);

/* Reads the details of all operations; the caller puts them into the facts. */
pf_status pf_gpu_details_read(const gpu_facts *g, pf_arena *arena, gpu_details *out, pf_error *err);

/* Slices of one sort, and what their arguments say: row i of the columns is slice[i]. The caller frees args. */
typedef struct gpu_question {
    bool (*is_asked)(const gpu_facts *g, uint32_t name, uint32_t slice);
    const pf_arg_key *keys;
    size_t key_count;
    uint32_t name; /* for is_asked, a string id of the trace */
    bool first_values;
} gpu_question;

typedef struct gpu_asked {
    uint32_t count, *slice, *event;
    pf_arg_columns *args;
} gpu_asked;
pf_status pf_gpu_ask(const gpu_facts *g, pf_arena *arena, const gpu_question *q, gpu_asked *out, pf_error *err);

/* The arguments that every operation and every runtime call is asked for, and whether a category is that of these, or
 * of calls. Correlations are not asked for before there is a call. */
extern const pf_early_args pf_gpu_early_args;
bool pf_gpu_is_placed(pf_str category);
bool pf_gpu_is_call(pf_str category);
gpu_slice_kind pf_gpu_kind_of(pf_str category); /* as far as a category says it */

/* What each slice is, by its category: fills g->kind. */
pf_status pf_gpu_classify(gpu_facts *g, pf_error *err);

/* ---- rows of tables (tables/gpu_tables.c) ------------------------------------------------------------------------ */

extern const pf_pass_table pf_gpu_tables[GPU_TABLES];
void pf_gpu_tables_make(gpu_facts *g, pf_findings *f, bool cycles); /* cycles: that is what steps are called */

/* Appends a row, given as its cells. */
#define GPU_ROW(g, which, ...) PF_TABLE_ROW((g)->f, (g)->table[which], __VA_ARGS__)

/* "input" and "rank", with which nearly every row begins; with "device" of a row of gpu_facts.devices. */
pf_cell pf_gpu_input_cell(const gpu_facts *g, uint32_t input);
pf_cell pf_gpu_rank_cell(const gpu_facts *g, uint32_t input);
pf_cell pf_gpu_device_cell(const gpu_facts *g, uint32_t device); /* null for PF_NONE */
#define GPU_WHOSE(g, input) pf_gpu_input_cell((g), (input)), pf_gpu_rank_cell((g), (input))
#define GPU_DEVICE(g, d) GPU_WHOSE((g), (d)->input), pf_cell_int((d)->number)
pf_cell pf_gpu_label_cell(const gpu_facts *g, uint32_t device); /* null for PF_NONE */

/* "rank 3", or "input 2" where the input does not say. */
pf_str pf_gpu_rank_text(const gpu_facts *g, uint32_t input, pf_findings *f);

/* What people call a device: "rank 3 GPU 0", "GPU 0", or, of several inputs without ranks, "input 2 GPU 0". The text
 * lives as long as the findings. */
pf_str pf_gpu_device_text(const gpu_facts *g, const gpu_device *d, pf_findings *f);

/* The cells of gpu_times from "busy_ns" on, and all of them. */
#define GPU_WORK(t)                                                                                                    \
    pf_cell_count((t)->busy), pf_cell_count((t)->in_class[GPU_COMPUTE]),                                               \
        pf_cell_count((t)->in_class[GPU_COMMUNICATION]), pf_cell_count((t)->in_class[GPU_MEMORY]),                     \
        pf_cell_count((t)->idle), pf_cell_count((t)->overlap), pf_cell_count((t)->exposed),                            \
        pf_cell_count(gpu_exposed_memcpy(t)),                                                                          \
        pf_cell_real_if((t)->span > 0, 100 * (double)(t)->busy / (double)((t)->span ? (t)->span : 1))
#define GPU_TIMES(t) pf_cell_int((t)->start), pf_cell_int((t)->end), pf_cell_count((t)->span), GPU_WORK(t)

/* The name of a slice; null for PF_NONE. */
pf_cell pf_gpu_slice_cell(const gpu_facts *g, uint32_t slice);

/* "host-bound", "kernel wait" or "other": the largest part of idle time. */
pf_str pf_gpu_idle_cause(uint64_t host, uint64_t waiting, uint64_t other);

/* Fills the tables of devices, streams and concurrency. */
void pf_gpu_tabulate_devices(const gpu_facts *g);

/* The document of --json; its schema as a text. */
pf_node *pf_gpu_document(const gpu_facts *g);
const pf_node *pf_gpu_schema(pf_findings *f);
