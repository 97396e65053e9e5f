/* cli/commands/info/info_summary.h - what `info` counts beyond the tables' own numbers. */
#ifndef PF_CLI_COMMANDS_INFO_INFO_SUMMARY_H
#define PF_CLI_COMMANDS_INFO_INFO_SUMMARY_H

#include "postfetto/trace.h"

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
    pf_cli_owner_counts *process; /* by upid */
    pf_cli_owner_counts *thread;  /* by utid; `threads` unused */
    pf_cli_owner_counts *type;    /* by pf_track_type; `threads` unused */
    pf_cli_name_total *names;     /* by decreasing total, then count, then text */
    size_t name_count;
} pf_cli_summary;

/* jobs: threads. False if memory was refused. */
bool pf_cli_summarize(const pf_trace *t, const pf_limits *limits, unsigned jobs, pf_cli_summary *s);
void pf_cli_summary_free(pf_cli_summary *s);

#endif
