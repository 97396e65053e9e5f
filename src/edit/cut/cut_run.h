/* edit/cut/cut_run.h - the passes over an input that write its parts, whatever format it has. */
#pragma once

#include "edit/cut/cutter.h"
#include "edit/json/json_cut.h"

/* An output and what went into it. */
typedef struct pf_cut_part {
    const char *path;
    int64_t from, to;
    int64_t pid; /* of packets, where each part has a process */
    uint64_t kept, changed, added, timed, begun, ended, bytes;
    pf_sink sink;
    bool open;
} pf_cut_part;

typedef struct pf_cut_run {
    const char *in;
    pf_read_options read;
    pf_write_options write;
    /* Makes the parts when the format is known, and, where it wants them, the times of the trace; NULL: there are
     * parts. first > last: it has no times. */
    pf_status (*plan)(struct pf_cut_run *run, int64_t first, int64_t last, pf_error *err);
    bool wants_times;
    bool from_first; /* and all that they ask for is the first time; */
    int64_t every;   /* then they are of this length, as many as there are times for; 0: not so */
    /* Makes them when the processes are known, one for each, instead. */
    pf_status (*plan_processes)(struct pf_cut_run *run, const pf_json_found *found, uint32_t count, pf_error *err);
    void *ctx;
    const pf_cut_options *select;    /* what is kept of packets (edit/select/selection.h); NULL: all */
    pf_cut_part *parts;              /* in order of time; they do not overlap */
    uint32_t count;                  /* fewer in the end where they are of one length */
    bool dry;                        /* an output cannot be thrown away: only the last pass writes */
    const pf_redact_options *redact; /* NULL: texts stay */

    uint64_t packets; /* result: of the input, or events of JSON */
    bool json;        /* it is Chrome JSON */
    pf_redact_result redacted;

    pf_budget budget;
    pf_cutter cutter;
    pf_redactor redactor;
    pf_cut_window windows[PF_CUT_OUTPUTS];
    uint64_t source;         /* hash of the packets so far (cut_source.h) */
    bool is_part;            /* the input says itself what it was cut of */
    uint32_t at, group;      /* parts that are being written: from `at` on so many */
    uint64_t written_before; /* bytes, by passes that stay */
    bool bounds;             /* the pass only looks at times, and at names for a selection */
    bool planned;            /* the parts were made */
    bool guessed;            /* for these as the first time and the last one, before all times were known */
    int64_t first, last;
    bool silent;         /* it writes nothing */
    pf_cut_options only; /* cut_processes.c: selects one process, */
    const char *pattern; /* by its pid */
    char digits[24];
} pf_cut_run;

/* Writes the parts; the first members are set. *t: the trace that says what the input is and what is damaged in it,
 * NULL after an error. Outputs are put in place one after the other. */
pf_status pf_cut_run_parts(pf_cut_run *run, pf_trace **t, pf_error *err);

/* ---- cut_processes.c --------------------------------------------------------------------------------------------- */

/* The survey takes the names of processes; then the parts are planned, and each pass takes the process of its part. */
pf_status pf_cut_select_processes(pf_cut_run *run, pf_error *err);
pf_status pf_cut_plan_processes(pf_cut_run *run, pf_error *err);
void pf_cut_take_process(pf_cut_run *run);
