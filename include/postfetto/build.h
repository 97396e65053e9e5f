/* postfetto/build.h - making traces: new ones, and changed copies of others.
 *
 * A builder gathers processes, threads, tracks and events; pf_builder_finish turns them into a pf_trace, which write.h
 * converts, query.h queries and a pass reads like one that came from a file. A new trace in short:
 *
 *     pf_builder *b = pf_builder_new(NULL);
 *     uint32_t process = pf_build_process(b, 1, PF_STR("trainer"));
 *     uint32_t track = pf_build_track(b, &(pf_build_track_row){.of = PF_BUILD_PROCESS, .owner = process,
 *                                                              .name = PF_STR("steps")});
 *     pf_build_slice(b, track, 1000, 500, PF_STR("forward"));
 *     pf_build_arg_int(b, PF_STR("batch"), 32);
 *     pf_status st = pf_builder_finish(b, &trace, &err);
 *     pf_builder_free(b);
 *
 * A derived trace begins as a copy of another one's processes, threads, tracks and texts, whose rows and string ids
 * stay what they are. Its events are copied one by one or many at a time, in any order and only those that are wanted;
 * each may be moved, renamed, given arguments and flows:
 *
 *     pf_builder *b = pf_builder_derive(source, NULL);
 *     for (uint32_t row = 0; row < pf_trace_events(source)->count; row++) {
 *         pf_build_copy_event(b, row);
 *         pf_build_set_ts(b, device_time(row));
 *     }
 *     pf_build_copy_samples(b);
 *
 * Times are exact integers in the unit of the trace. All text is copied. Errors stay: after the first one nothing is
 * added any more, functions that return a row return PF_NONE, and pf_builder_finish fails with it. So a program may
 * check once, at the end. Errors are PF_ERR_USAGE (a row that does not exist, a negative duration), PF_ERR_LIMIT and
 * PF_ERR_MEMORY.
 */
#ifndef POSTFETTO_BUILD_H
#define POSTFETTO_BUILD_H

#include "postfetto/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of one thread at a time; several builders may derive from one trace. */
typedef struct pf_builder pf_builder;

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* A builder of a new trace. limits may be NULL (defaults). NULL if out of memory. */
PF_API pf_builder *pf_builder_new(const pf_limits *limits);

/* A builder of a trace that is derived from `source`: inputs, dialect, time unit, metadata, clocks, damage counts,
 * processes, threads and tracks are there, with the rows that they have in the source; events and counter samples are
 * not. The new trace shares the bytes of the source, which therefore lives until both were freed, in any order. NULL if
 * out of memory or beyond the limits. */
PF_API pf_builder *pf_builder_derive(const pf_trace *source, const pf_limits *limits);

PF_API void pf_builder_free(pf_builder *b);

/* PF_OK, or the first error. */
PF_API pf_status pf_builder_status(const pf_builder *b, pf_error *err);

/* Derives the tables (slices, counters, flows) and hands the trace over; it is freed with pf_trace_free. Nothing can be
 * added any more, with or without success. On failure *out is NULL. */
PF_API pf_status pf_builder_finish(pf_builder *b, pf_trace **out, pf_error *err);

/* ---- what the trace says of itself ------------------------------------------------------------------------------- */

/* The unit of all times; ns unless this is called, or that of the source. */
PF_API void pf_build_time_unit(pf_builder *b, pf_time_unit unit);

/* A trace attribute (metadata trace_attribute.KEY). */
PF_API void pf_build_attribute_text(pf_builder *b, pf_str key, pf_str text);
PF_API void pf_build_attribute_int(pf_builder *b, pf_str key, int64_t number);

/* ---- processes, threads, tracks ---------------------------------------------------------------------------------- */

/* The process with that pid (its upid), made if there is none; likewise the thread of a process (its utid). A name with
 * ptr NULL leaves the name as it is. A new process has a main thread, whose tid is the pid. */
PF_API uint32_t pf_build_process(pf_builder *b, int64_t pid, pf_str name);
PF_API uint32_t pf_build_thread(pf_builder *b, uint32_t upid, int64_t tid, pf_str name);

/* Names a process that is there: one of the source, for instance. */
PF_API void pf_build_name_process(pf_builder *b, uint32_t upid, pf_str name);

/* Where a process is shown among all that have a place: ascending. */
PF_API void pf_build_place_process(pf_builder *b, uint32_t upid, int32_t place);

/* The track that shows what a thread executes, made on first use. */
PF_API uint32_t pf_build_thread_track(pf_builder *b, uint32_t utid);

/* Where a track is shown. */
typedef enum pf_build_owner {
    PF_BUILD_GLOBAL = 0, /* below no process */
    PF_BUILD_PROCESS,    /* owner = upid */
    PF_BUILD_THREAD,     /* owner = utid */
    PF_BUILD_TRACK       /* owner = row of another track, below which it is shown */
} pf_build_owner;

typedef struct pf_build_track_row {
    pf_build_owner of;
    uint32_t owner;
    bool counter; /* it has samples, not slices */
    pf_str name;
    pf_str unit;        /* of a counter, for instance "bytes", "%"; may be {NULL, 0} */
    pf_str description; /* may be {NULL, 0} */
    int32_t rank;       /* order among siblings; 0: as they come */
} pf_build_track_row;

/* A new track, even if there is one of that name. */
PF_API uint32_t pf_build_track(pf_builder *b, const pf_build_track_row *row);

/* Counters below one parent that are given the same key are drawn on one scale. */
PF_API void pf_build_share_scale(pf_builder *b, uint32_t track, pf_str key);

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Adds an event and returns its row in table event. Slices of a track are given whole, in any order, or as begins and
 * ends, in order of time: an end closes the innermost slice that is open. Whole slices that overlap without nesting
 * are put on lanes next to their track. */
PF_API uint32_t pf_build_slice(pf_builder *b, uint32_t track, int64_t ts, int64_t dur, pf_str name);
PF_API uint32_t pf_build_begin(pf_builder *b, uint32_t track, int64_t ts, pf_str name);
PF_API uint32_t pf_build_end(pf_builder *b, uint32_t track, int64_t ts);
PF_API uint32_t pf_build_instant(pf_builder *b, uint32_t track, int64_t ts, pf_str name);

/* A sample of a counter track. It is no event: nothing below applies to it. */
PF_API void pf_build_sample(pf_builder *b, uint32_t track, int64_t ts, double value);

/* A value for each of many rows: int64_t, double or uint8_t (0 or 1) where `type` is INT, REAL or BOOL; uint32_t where
 * it is STRING: which of `texts`, PF_NONE: none. */
typedef struct pf_build_values {
    pf_value_type type;
    const void *values;
    const pf_str *texts;
    uint32_t text_count;
} pf_build_values;

typedef struct pf_build_column {
    pf_str key;
    pf_build_values of;
} pf_build_column;

/* Many slices or instants of one track. */
typedef struct pf_build_rows {
    size_t count;
    const int64_t *ts, *dur;      /* dur NULL: instants */
    pf_str name;                  /* of all, unless */
    const pf_build_values *names; /* each has its own, STRING; NULL: they have not */
    pf_str category;              /* may be {NULL, 0} */
    const pf_build_column *args;  /* an argument each; none where its text is PF_NONE */
    size_t arg_count;
} pf_build_rows;

/* Adds rows as pf_build_slice or pf_build_instant and pf_build_arg_* would one by one, and samples as pf_build_sample.
 */
PF_API void pf_build_slices(pf_builder *b, uint32_t track, const pf_build_rows *rows);
PF_API void pf_build_samples(pf_builder *b, uint32_t track, size_t count, const int64_t *ts, const double *values);

/* What follows is about the event that was added last. */

PF_API void pf_build_category(pf_builder *b, pf_str category);

/* A flow id: slices whose events have equal ids are joined by arrows, in order of time. With `last` the flow ends here,
 * and the id may be used again. */
PF_API void pf_build_flow(pf_builder *b, uint64_t id, bool last);

/* An argument. Inside a list the key is {NULL, 0}. In tables the first key gets a prefix, as in all arguments: "args."
 * where the trace is derived from Chrome JSON, else "debug.". An argument of a copied event replaces the one that the
 * event has under that key. */
PF_API void pf_build_arg_null(pf_builder *b, pf_str key);
PF_API void pf_build_arg_bool(pf_builder *b, pf_str key, bool v);
PF_API void pf_build_arg_int(pf_builder *b, pf_str key, int64_t v);
PF_API void pf_build_arg_uint(pf_builder *b, pf_str key, uint64_t v);
PF_API void pf_build_arg_pointer(pf_builder *b, pf_str key, uint64_t v);
PF_API void pf_build_arg_real(pf_builder *b, pf_str key, double v);
PF_API void pf_build_arg_text(pf_builder *b, pf_str key, pf_str v);

/* Objects and lists: what is added until pf_build_arg_end is inside. What is still open when the next event is added is
 * closed. */
PF_API void pf_build_arg_object(pf_builder *b, pf_str key);
PF_API void pf_build_arg_list(pf_builder *b, pf_str key);
PF_API void pf_build_arg_end(pf_builder *b);

/* ---- copies of events -------------------------------------------------------------------------------------------- */

/* Adds event `row` of the source as it is, with its arguments, flows and the samples that it stands for, and returns
 * its new row. It is the event added last, for the functions above and below. */
PF_API uint32_t pf_build_copy_event(pf_builder *b, uint32_t row);

/* The same for the events [from, to) of the source. */
PF_API void pf_build_copy_events(pf_builder *b, uint32_t from, uint32_t to);

/* Adds the samples of the source that belong to no event (pf_counters.event is PF_NONE). To change some, loop over the
 * source's counters instead and add them with pf_build_sample. */
PF_API void pf_build_copy_samples(pf_builder *b);

/* Changes the event added last. A new time also moves its samples and, of a complete event, the end; a begin and its
 * end are two events. A counter track takes the samples of the event. */
PF_API void pf_build_set_ts(pf_builder *b, int64_t ts);
PF_API void pf_build_set_dur(pf_builder *b, int64_t dur);
PF_API void pf_build_set_track(pf_builder *b, uint32_t track);
PF_API void pf_build_set_name(pf_builder *b, pf_str name);

/* The arguments of event `row` of the source, also to an event that is no copy; no event takes those of two. They are
 * not copied but read again when they are asked for, before those that are given here: one of the same key takes the
 * place of the source's. */
PF_API void pf_build_copy_args(pf_builder *b, uint32_t row);

/* Takes away one argument that a copied event has under the (first) key, all of them, its flows. */
PF_API void pf_build_drop_arg(pf_builder *b, pf_str key);
PF_API void pf_build_drop_args(pf_builder *b);
PF_API void pf_build_drop_flows(pf_builder *b);

#ifdef __cplusplus
}
#endif
#endif
