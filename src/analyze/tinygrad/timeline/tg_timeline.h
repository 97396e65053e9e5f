/* analyze/tinygrad/timeline/tg_timeline.h - the timeline of a profile: for each device what it executed and what its
 * memory held, as tinygrad's own viewer computes it.
 *
 * Everything is allocated in the findings, because reports are written from it after the run. */
#pragma once

#include "analyze/tinygrad/facts/tg_input.h"

/* What the compiler expects of a kernel: operations and bytes moved in memory and in local memory. */
typedef enum tg_amount { TG_OPS = 0, TG_MEM, TG_LDS, TG_AMOUNTS } tg_amount;

typedef struct tg_estimate {
    pf_str name; /* as the viewer shows the kernel, with colours */
    double amount[TG_AMOUNTS];
    struct {
        const struct tg_step *steps; /* of the variables of an execution (tg_formula.h); NULL: `amount` is the number */
        size_t count;
    } formula[TG_AMOUNTS];
} tg_estimate;

typedef struct tg_estimates {
    size_t count;
    const tg_estimate *estimate;
    const uint32_t *ids; /* two string ids for each: by which events call the kernel, PF_NONE if none does */
} tg_estimates;

/* A range or an entry of a graph. */
typedef struct tg_slice {
    uint32_t event;              /* row of tinygrad_event */
    uint32_t run;                /* row of tinygrad_run, the execution it belongs to; PF_NONE: unknown */
    const tg_estimate *estimate; /* or NULL */
} tg_slice;

/* An allocation, or a release with who used the buffer until then. */
typedef struct tg_change {
    bool alloc;
    int64_t us, buffer;
    uint32_t row; /* alloc: of tinygrad_memory */
    uint32_t first_user, user_count;
    uint64_t held; /* bytes of the device after it */
} tg_change;

typedef enum tg_track_kind { TG_SLICES = 0, TG_LINE, TG_MEMORY } tg_track_kind;

typedef struct tg_track {
    tg_track_kind kind;
    uint32_t device; /* string id */
    pf_str name;
    uint32_t count;
    const tg_slice *slices;
    const uint32_t *points;   /* LINE: rows of tinygrad_event */
    const tg_change *changes; /* MEMORY */
    const uint32_t *users;    /* MEMORY: rows of tinygrad_run_buffer */
    uint64_t peak;            /* MEMORY, LINE */
    uint32_t peak_at;         /* MEMORY: the change after which the peak is reached; PF_NONE: none */
} tg_track;

typedef struct tg_dtype {
    uint32_t name; /* string id */
    int64_t bytes;
} tg_dtype;

typedef struct tg_timeline {
    const tg_input *in;
    int64_t start, end; /* us, of all events */
    uint64_t peak;
    tg_track *tracks; /* device by device, as they appear: slices or line, then memory */
    uint32_t track_count;
    uint32_t estimated; /* slices with an estimate */
    uint32_t *layout;   /* the tracks in the order of the viewer */
    tg_dtype *dtypes;
    uint32_t dtype_count;
} tg_timeline;

/* tg_estimates.c: reads {"kernel": {"ops": n, "mem": n, "lds": n, "function_name": text}}. */
pf_status pf_tg_read_estimates(const tg_input *in, const pf_pass_file *file, tg_estimates *out, pf_error *err);
pf_str pf_tg_plain(pf_findings *f, pf_str s); /* without colours; lives as long as the findings */

/* tg_timeline.c */
pf_status pf_tg_build(const pf_pass_context *ctx, const tg_input *in, tg_timeline *out, pf_error *err);

/* tg_memory.c: how many items an allocation (a row of tinygrad_memory) counts for. */
int64_t pf_tg_items(const tg_input *in, uint32_t row);

/* The memory track of a device whose events are `rows`, in order of time; out->count 0: there is none. */
pf_status pf_tg_build_memory(tg_timeline *l, struct pf_budget *budget, const uint32_t *rows, uint32_t count,
                             tg_track *out, pf_error *err);

/* ---- what a slice is called, and what is said about it ----------------------------------------------------------- */

uint64_t pf_tg_line_value(const tg_input *in, uint32_t event); /* of a point of a line; 0 if it has none */

pf_str pf_tg_slice_name(const tg_timeline *l, const tg_slice *s);

/* What the slice's estimate says, of which there must be one; NaN where its execution has no value for a variable. */
double pf_tg_amount(const tg_timeline *l, const tg_slice *s, tg_amount which);

/* Operations or bytes per second. */
double pf_tg_rate(const tg_timeline *l, const tg_slice *s, double amount);

/* tg_annotation.c: the annotation of the first generation; returns its length. */
enum { PF_TG_ANNOTATION_MAX = 8192 };
size_t pf_tg_print_annotation(const tg_timeline *l, const tg_slice *s, char text[PF_TG_ANNOTATION_MAX]);

/* The annotation as a value: a text in the first generation, else an object. */
void pf_tg_put_annotation(tg_json *j, const tg_timeline *l, const tg_slice *s, const char *key);

/* tg_timeline_report.c: profile.json, and profile.bin, the layout that tinygrad serves to viewers. */
pf_status pf_tg_visit_timeline(const void *of, const pf_arg_visitor *v, pf_error *err);
pf_status pf_tg_report_layout(const pf_pass_context *ctx, const tg_timeline *l, pf_error *err);
