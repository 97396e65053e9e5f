/* read/perfetto/ftrace/task_events.c - how threads and processes begin, are named, and end, as the kernel tells it. */
#include "read/perfetto/descriptors/descriptors.h"
#include "read/perfetto/ftrace/ftrace.h"

#define CLONE_THREAD 0x10000u /* in clone_flags: a thread of the same process */

enum { TASK_PID = 1, TASK_COMM, TASK_CLONE_FLAGS };
enum { RENAME_PID = 1, RENAME_NEW_COMM = 3 };
enum { FREE_PID = 2 };

/* Switches name both threads again and again: only what differs is looked at. */
void pf_ftrace_name_thread(pf_import *im, uint32_t utid, uint32_t comm)
{
    pf_life *life = &im->lives->thread[utid];
    if (comm != life->comm && utid != 0) {
        life->comm = comm;
        pf_import_set_thread_name(im, utid, pf_trace_string(im->t, comm), PF_RANK_THREAD_FTRACE);
    }
}

void pf_ftrace_new_task(pf_import *im, const pf_ftrace_now *now)
{
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(TASK_PID), PF_AT_BYTES(TASK_COMM), PF_AT_VARINT(TASK_CLONE_FLAGS));
    int32_t pid = (int32_t)f[TASK_PID].value;
    uint32_t comm = pf_import_text(im, pf_field_text_or_null(&f[TASK_COMM]));
    if (pid == 0) {
        return;
    }
    bool is_thread = f[TASK_CLONE_FLAGS].value & CLONE_THREAD;
    uint32_t creator = PF_NONE;
    uint32_t utid =
        (is_thread ? pf_lives_begin_thread : pf_lives_begin_process)(im, pid, now->ts, now->event->tid, &creator);
    if (utid == PF_NONE) {
        return;
    }
    pf_ftrace_name_thread(im, utid, comm);
    if (!is_thread) {
        pf_import_set_process_name(im, im->t->threads.upid[utid], pf_trace_string(im->t, comm), PF_RANK_PROCESS_TREE);
    }
    pf_states_begin(im, now->ts, utid, creator);
}

void pf_ftrace_rename(pf_import *im, const pf_ftrace_now *now)
{
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(RENAME_PID), PF_AT_BYTES(RENAME_NEW_COMM));
    uint32_t comm = pf_import_text(im, pf_field_text_or_null(&f[RENAME_NEW_COMM]));
    uint32_t utid = pf_lives_thread(im, (int32_t)f[RENAME_PID].value);
    if (utid == PF_NONE) {
        return;
    }
    pf_ftrace_name_thread(im, utid, comm);
    if (im->t->threads.upid[utid] != PF_NONE && im->t->threads.is_main[utid]) {
        pf_import_set_process_name(im, im->t->threads.upid[utid], pf_trace_string(im->t, comm), PF_RANK_PROCESS_TREE);
    }
}

void pf_ftrace_free_task(pf_import *im, const pf_ftrace_now *now)
{
    const pf_field pid = pf_cursor_last(now->fields, PF_TAG_VARINT(FREE_PID));
    pf_lives_end(im, (int32_t)pid.value, now->ts);
}
