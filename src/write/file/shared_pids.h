/* write/file/shared_pids.h - processes of several inputs in one output: pids and names that more than one input has. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "model/trace/trace.h"

typedef struct pf_shared_pids {
    const pf_trace *t;
    pf_arena arena;
    uint32_t count;   /* of processes; 0: there is one input at most, and nothing is shared */
    uint8_t *moved;   /* by upid: another input has the pid, and this process cannot keep it */
    uint8_t *renamed; /* by upid: the name says the input, too */
} pf_shared_pids;

pf_status pf_shared_pids_init(pf_shared_pids *s, const pf_trace *t, pf_budget *budget, pf_error *err);
void pf_shared_pids_free(pf_shared_pids *s);

/* Whether the process must have another pid than its own. */
static inline bool pf_shared_pids_moved(const pf_shared_pids *s, uint32_t upid)
{
    return upid < s->count && s->moved[upid];
}

/* Pids of all processes, where some of them move: those get numbers from `from` on that no process has. In memory of
 * the budget, s->count of them; *pids is NULL if nothing is shared. */
pf_status pf_shared_pids_number(const pf_shared_pids *s, int64_t from, int64_t **pids, pf_error *err);

/* The name of a process that is called `name` (may be {NULL, 0}): itself, or "name (input)" in `scratch`. */
pf_str pf_shared_pids_name(const pf_shared_pids *s, uint32_t upid, pf_str name, pf_buffer *scratch);
