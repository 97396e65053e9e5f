/* cli/commands/info/info.h - the parts of `postfetto info`. */
#pragma once

#include <unistd.h>

#include "cli/common/command.h"

#define PF_CLI_LABEL 48

typedef struct pf_cli_name_total {
    uint32_t name, category; /* string ids */
    uint64_t count;          /* slices of that name and category, instants and open ones included */
    int64_t total;           /* of the durations, children included; stops at INT64_MAX */
} pf_cli_name_total;

typedef struct pf_cli_owner_counts {
    uint32_t threads, tracks; /* tracks: those with rows */
    uint64_t slices, samples;
    char label[PF_CLI_LABEL]; /* of a process: how its first label begins ("GPU 2"), empty if it has none */
} pf_cli_owner_counts;

typedef struct pf_cli_summary {
    pf_cli_owner_counts *process;                  /* by upid */
    pf_cli_owner_counts *thread;                   /* by utid; `threads` unused */
    pf_cli_owner_counts type[PF_TRACK_TYPE_COUNT]; /* `threads` unused */
    pf_cli_name_total *names;                      /* by decreasing total, then count, then text */
    size_t name_count;
} pf_cli_summary;

static inline const char *pf_cli_unit_name(pf_time_unit unit)
{
    return unit == PF_UNIT_CYCLE ? "cycle" : "ns";
}

/* False if memory was refused. */
bool pf_cli_summarize(const pf_trace *t, const pf_limits *limits, pf_cli_summary *s);
void pf_cli_summary_free(pf_cli_summary *s);

/* info_page.c: writes the page of --html and the figures of --pictures. */
pf_status pf_cli_info_page(pf_cli_run *run, const pf_cli_summary *s);

/* ---- `postfetto info --formats` ---------------------------------------------------------------------------------- */

/* Prints the readers and dialects, as text or JSON. */
pf_status pf_cli_list_formats(pf_cli_run *run);

/* ---- what `info` says of the inputs of a trace ------------------------------------------------------------------- */

/* File, format and size of a single input, in lines with labels of `label` columns; nothing for several. */
void pf_cli_put_input(pf_buffer *b, const pf_trace *t, int label);

/* A table with a row per input; nothing for a single one. */
void pf_cli_put_inputs(pf_buffer *b, pf_cli_run *run, const pf_cli_summary *s);

/* The first members of an object about an input; "inputs": a list with one object each. */
void pf_cli_add_input(pf_findings *f, pf_node *o, const pf_input *in, const char *dialect);
void pf_cli_add_inputs(pf_findings *f, pf_node *root, const pf_trace *t, const pf_cli_summary *s);

/* ---- what `info` shows of binary traces only: clocks, sequences, packets by kind --------------------------------- */

/* Lines of text after labels of `width` columns; nothing for traces that have none of it. */
void pf_cli_put_clocks(pf_buffer *b, const pf_trace *t, int width);
void pf_cli_put_sequences(pf_buffer *b, const pf_trace *t, int width);

/* A table, most bytes first. */
void pf_cli_put_packets(pf_buffer *b, pf_cli_run *run);

/* Where the text of `info` goes: standard output, or -1 for a file. */
static inline int pf_cli_info_stream(const pf_cli_run *run)
{
    return run->set->out ? -1 : STDOUT_FILENO;
}

/* "trace_clock", "clocks", "sequences" and "packets" of the document. */
void pf_cli_add_packets(pf_findings *f, pf_node *root, const pf_trace *t);

/* Appends a table as info shows it, whose last rows, so many, were left out. */
static inline void pf_cli_put_first_rows(const pf_cli_run *run, pf_buffer *b, const pf_table_builder *t, size_t more)
{
    pf_cli_put_table_part(b, t ? pf_table_view(t) : NULL, more, pf_cli_info_stream(run));
}

/* ---- the two lists of `info` that are about the trace's own names ------------------------------------------------ */

/* The names that take most time, at most `top`, per category where the trace has several: the device's first. */
void pf_cli_put_names(pf_buffer *b, pf_cli_run *run, const pf_cli_summary *s, size_t top);

/* The processes with most rows, at most `top`. */
void pf_cli_put_processes(pf_buffer *b, pf_cli_run *run, const pf_cli_summary *s, size_t top);

/* Row 0 is the idle process, which every trace has; it counts only if the trace uses it. */
bool pf_cli_process_is_real(const pf_trace *t, const pf_cli_summary *s, uint32_t upid);
