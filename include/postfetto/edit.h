/* postfetto/edit.h - from traces to smaller ones: original packets, and what they need to mean the same.
 *
 * A cut reads its input as a stream and copies what belongs to a window. Memory holds what is open: the state of
 * packet sequences and of tracks, not the input. Outputs are atomic, as those of write.h are.
 */
#ifndef POSTFETTO_EDIT_H
#define POSTFETTO_EDIT_H

#include "postfetto/read.h"
#include "postfetto/redact.h"
#include "postfetto/write.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- times ------------------------------------------------------------------------------------------------------- */

typedef enum pf_edit_base {
    PF_EDIT_NO_TIME = 0, /* not given */
    PF_EDIT_TRACE_TIME,  /* a time of the trace */
    PF_EDIT_FROM_START,  /* counted from the first time of the trace */
    PF_EDIT_FROM_END     /* counted back from its last time */
} pf_edit_base;

typedef struct pf_edit_time {
    pf_edit_base base;
    int64_t ns;
} pf_edit_time;

/* "1200ns", "1.5s": a time of the trace; "+2s": from its start on; "-500ms": before its end. Units are ns, us, ms and
 * s; a number without one counts in ns. PF_ERR_USAGE says what is wrong. */
PF_API pf_status pf_edit_time_parse(const char *text, pf_edit_time *out, pf_error *err);

/* ---- cut --------------------------------------------------------------------------------------------------------- */

/* Which of several things are kept: those that fit a pattern (* ? [a-z], over the whole name) or have the number, and
 * of these none that fits a pattern of `drop`. Without patterns to keep, all others are. */
typedef struct pf_edit_patterns {
    const char *const *keep;
    size_t keep_count;
    const char *const *drop;
    size_t drop_count;
} pf_edit_patterns;

/* Made by pf_cut_options_default; members are added at the end in later releases. */
typedef struct pf_cut_options {
    size_t size;                     /* of the struct as the program knows it */
    pf_edit_time from, to;           /* the window; PF_EDIT_NO_TIME: from the start, to the end */
    const pf_read_options *read;     /* limits, jobs, cancel, progress and the like; NULL: defaults */
    const pf_write_options *write;   /* NULL: defaults */
    pf_edit_patterns process;        /* by name or pid; events that belong to no process are kept only without `keep` */
    pf_edit_patterns thread;         /* by name or tid, likewise */
    pf_edit_patterns track;          /* by the name of the track or of one above it; of a thread its name */
    pf_edit_patterns category;       /* slices and instants with one of these categories */
    int64_t min_dur;                 /* slices that are shorter, in ns, are left out; what lies in them stays */
    const pf_redact_options *redact; /* NULL: texts stay as they are */
} pf_cut_options;

PF_API void pf_cut_options_init(pf_cut_options *o, size_t size);
static inline pf_cut_options pf_cut_options_default(void)
{
    pf_cut_options o;
    pf_cut_options_init(&o, sizeof o);
    return o;
}

/* What a cut did. The caller sets `size` first; members are added at the end in later releases. */
typedef struct pf_cut_result {
    size_t size;              /* of the struct as the program knows it */
    int64_t from, to;         /* the window in times of the trace; INT64_MIN and INT64_MAX: without a limit */
    uint64_t packets;         /* of the input, those inside compressed ones one by one */
    uint64_t kept, changed;   /* of those in the output; and of these, whose bytes are not all the original's */
    uint64_t added;           /* packets that set up state, describe tracks, or begin and end what was clipped */
    uint64_t begun, ended;    /* slices open where the window begins; and where it ends, with events of flows there */
    uint64_t bytes_in, bytes; /* plain bytes of the input and of the output */
    pf_trace *input; /* without events: the counters of damage (pf_trace_stat) and the sizes of the input, to be freed
                      * with pf_trace_free; NULL after an error */
    pf_redact_result redacted;
    uint64_t timed; /* packets or JSON events of the output that have a time; 0: nothing lies in the window and fits, or
                     * the window misses all times of the trace */
} pf_cut_result;

/* Writes the part of a Perfetto trace that lies in a window [from, to). A slice belongs to it if it overlaps the
 * window; what is open at its edges begins and ends there, with the original time as argument "cut.original_ts" and
 * "cut.original_end". Instants and counter values belong to it if from <= ts < to; each counter begins with the last
 * value before. Packets are copied byte for byte but where a time or a value in them counts from a packet that is
 * left out. Errors: those of pf_read and of pf_convert_pftrace; PF_ERR_USAGE where the window is empty or the input is
 * of another format. */
PF_API pf_status pf_cut(const char *path, const char *out, const pf_cut_options *o, pf_cut_result *result,
                        pf_error *err);

/* ---- merge ------------------------------------------------------------------------------------------------------- */

/* An input of a merge, and where its times go: ts becomes ts + offset_ns - (ts - at_ns) * d / (1 + d) with d =
 * drift_ppb / 1e9. */
typedef struct pf_merge_input {
    const char *path;
    int64_t offset_ns;
    double drift_ppb;       /* how much faster its clock runs than that of the result */
    int64_t at_ns;          /* a time of the input; nothing where there is no drift */
    int64_t uncertainty_ns; /* of its times in the result; -1: not known */
    pf_trace *trace;   /* set by pf_merge, NULL before: without events, the counters of damage (pf_trace_stat) and the
                        * sizes of the input, to be freed with pf_trace_free; NULL for another format */
    const char *label; /* what attributes call it; NULL: the name of its file up to the first dot, or the path */
} pf_merge_input;

/* Made by pf_merge_options_default; members are added at the end in later releases. */
typedef struct pf_merge_options {
    size_t size;       /* of the struct as the program knows it */
    size_t input_size; /* of pf_merge_input, likewise */
    pf_merge_input *inputs;
    size_t input_count;
    const pf_read_options *read;   /* limits, jobs, cancel, progress and the like; NULL: defaults */
    const pf_write_options *write; /* NULL: defaults */
    bool merge_pids; /* a pid means the same process in all inputs; else processes of different inputs are kept apart */
    bool machines;   /* packets of all inputs but the first name a machine of their own: their CPUs are kept apart */
} pf_merge_options;

PF_API void pf_merge_options_init(pf_merge_options *o, size_t size);
static inline pf_merge_options pf_merge_options_default(void)
{
    pf_merge_options o;
    pf_merge_options_init(&o, sizeof o);
    return o;
}

/* What a merge did. The caller sets `size` first; members are added at the end in later releases. */
typedef struct pf_merge_result {
    size_t size;                                        /* of the struct as the program knows it */
    uint64_t packets;                                   /* of the inputs, those inside compressed ones one by one */
    uint64_t changed, left_out;                         /* of these */
    uint64_t sequences_moved, tracks_moved, pids_moved; /* that got another id because an input before has it, too */
    uint64_t converted;                                 /* inputs of other formats */
    uint64_t bytes_in, bytes;                           /* plain bytes of the packets of the inputs and of the output */
    uint64_t with_cpus; /* inputs that say what CPUs did; more than one, and no machines: CPU 0 of all is one */
} pf_merge_result;

/* Writes the packets of all inputs, one input after the other, as one Perfetto trace. Ids that collide (sequences,
 * tracks, flows, pids and tids) become others; a name that several inputs have for a process, or for a track that
 * belongs to none, gets the name of the input in parentheses. The clocks of the first input are those of the result if
 * its times stay; times of the others become times of its trace clock, and their clock snapshots are left out. Trace
 * attributes postfetto.clock.INPUT.offset_ns, .drift_ppb and .uncertainty_ns say where the inputs went. Inputs of other
 * formats are converted first. Errors: those of pf_read and of pf_convert_pftrace; PF_ERR_USAGE where an input would
 * begin before time 0. */
PF_API pf_status pf_merge(const char *out, const pf_merge_options *o, pf_merge_result *result, pf_error *err);

/* ---- split ------------------------------------------------------------------------------------------------------- */

/* [from, to) in times of the trace, and a name for the index; NULL: none. */
typedef struct pf_split_window {
    int64_t from, to;
    const char *name;
} pf_split_window;

/* Made by pf_split_options_default; members are added at the end in later releases. One of the first four says what the
 * parts are. */
typedef struct pf_split_options {
    size_t size;                    /* of the struct as the program knows it */
    int64_t every;                  /* windows of so many ns, from the first time of the trace on; 0: not asked */
    uint32_t parts;                 /* so many windows of one length; 0: not asked */
    const pf_split_window *windows; /* these, in order of their begins; they may overlap */
    size_t window_count;
    bool by_process;                 /* a part for each process, without a window */
    const pf_read_options *read;     /* limits, jobs, cancel, progress and the like; NULL: defaults */
    const pf_write_options *write;   /* NULL: defaults; with gzip names of parts end in .gz */
    const pf_redact_options *redact; /* NULL: texts stay as they are; else names in the index are hashes, too */
} pf_split_options;

PF_API void pf_split_options_init(pf_split_options *o, size_t size);
static inline pf_split_options pf_split_options_default(void)
{
    pf_split_options o;
    pf_split_options_init(&o, sizeof o);
    return o;
}

/* What a split did: the sums over its parts. The caller sets `size` first; members are added at the end. */
typedef struct pf_split_result {
    size_t size; /* of the struct as the program knows it */
    uint32_t parts;
    uint64_t packets; /* of the input, or events of Chrome JSON */
    uint64_t kept, changed, added, begun, ended;
    uint64_t bytes_in, bytes; /* plain bytes of the input and of all parts */
    pf_trace *input;          /* as that of pf_cut_result */
    pf_redact_result redacted;
} pf_split_result;

/* At most so many parts. */
#define PF_SPLIT_PARTS_MAX 100000

/* Writes the parts of a trace, each as pf_cut does, into a folder, created if missing: part-0001.pftrace (.json for
 * Chrome JSON) and so on, in order of time, then index.json: {"schema_version": 1, "parts": [{"file", "start_ns",
 * "end_ns", "name" where it has one}]}. 64 parts are open at a time, and written in one pass over the input; parts that
 * overlap are written in different passes. Each file is atomic, and index.json comes last. Errors: those of pf_cut;
 * PF_ERR_USAGE for more than PF_SPLIT_PARTS_MAX parts. */
PF_API pf_status pf_split(const char *path, const char *folder, const pf_split_options *o, pf_split_result *result,
                          pf_error *err);

#ifdef __cplusplus
}
#endif
#endif
