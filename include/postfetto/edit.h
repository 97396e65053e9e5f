/* postfetto/edit.h - from traces to smaller ones: original packets, and what they need to mean the same.
 *
 * A cut reads its input as a stream and copies what belongs to a window. Memory holds what is open: the state of
 * packet sequences and of tracks, not the input. Outputs are atomic, as those of write.h are.
 */
#ifndef POSTFETTO_EDIT_H
#define POSTFETTO_EDIT_H

#include "postfetto/read.h"
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

/* Made by pf_cut_options_default; members are added at the end in later releases. */
typedef struct pf_cut_options {
    size_t size;                   /* of the struct as the program knows it */
    pf_edit_time from, to;         /* the window; PF_EDIT_NO_TIME: from the start, to the end */
    const pf_read_options *read;   /* limits, jobs, cancel, progress and the like; NULL: defaults */
    const pf_write_options *write; /* NULL: defaults */
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
    uint64_t begun, ended;    /* slices that are open where the window begins, and where it ends */
    uint64_t bytes_in, bytes; /* plain bytes of the input and of the output */
    pf_trace *input; /* without events: the counters of damage (pf_trace_stat) and the sizes of the input, to be freed
                      * with pf_trace_free; NULL after an error */
} pf_cut_result;

/* Writes the part of a Perfetto trace that lies in a window [from, to). A slice belongs to it if it overlaps the
 * window; what is open at its edges begins and ends there, with the original time as argument "cut.original_ts" and
 * "cut.original_end". Instants and counter values belong to it if from <= ts < to; each counter begins with the last
 * value before. Packets are copied byte for byte but where a time or a value in them counts from a packet that is
 * left out. Errors: those of pf_read and of pf_convert_pftrace; PF_ERR_USAGE where the window is empty or the input is
 * of another format. */
PF_API pf_status pf_cut(const char *path, const char *out, const pf_cut_options *o, pf_cut_result *result,
                        pf_error *err);

#ifdef __cplusplus
}
#endif
#endif
