/* model/trace/machines.h - which machine a row is of, where a recording is of several. */
#pragma once

#include "postfetto/trace.h"

struct pf_group;

/* Tables whose rows belong to a machine. */
typedef enum pf_machine_rows {
    PF_MACHINE_PROCESSES = 0,
    PF_MACHINE_THREADS,
    PF_MACHINE_TRACKS,
    PF_MACHINE_METADATA,
    PF_MACHINE_CLOCKS,
    PF_MACHINE_GPUS,
    PF_MACHINE_STATS, /* values that are no counts of faults */
    PF_MACHINE_TABLES
} pf_machine_rows;

/* Rows from these on are of that machine, up to those of the next entry. */
typedef struct pf_machine_span {
    uint32_t machine;
    uint32_t raw_id; /* as the recording numbers it */
    uint32_t first[PF_MACHINE_TABLES];
} pf_machine_span;

/* From now on rows belong to a further machine of the input, which has processes of its own; *upid: its idle one, which
 * has the idle thread *utid. */
pf_status pf_trace_begin_machine(pf_trace *t, uint32_t raw_id, uint32_t *upid, uint32_t *utid, pf_error *err);

/* That ends: rows belong to machine 0, processes to `group`. */
pf_status pf_trace_end_machine(pf_trace *t, struct pf_group *group, pf_error *err);

/* The number of the machine that a row belongs to, its row of the machine table; how the recording numbers it. */
uint32_t pf_trace_machine_of(const pf_trace *t, pf_machine_rows table, uint32_t row);
uint32_t pf_trace_machine_raw_id(const pf_trace *t, uint32_t machine);

/* Whether a thread is the idle one of its machine. */
bool pf_trace_is_idle(const pf_trace *t, uint32_t utid);
