/* read/perfetto/import/lifetimes.h - who a tid or pid means at a moment.
 *
 * Where a recording says when tasks began and ended, the same number may mean one thread after the other. So what such
 * a recording says is applied in the order of time, and a tid then means the newest thread of that number that is
 * alive: it has not ended, and neither has its process. Rows that packets of no order of time made before, those of
 * track descriptors, are spare at first: the first thread of that number takes the row over.
 *
 * All of these are words (import.h): they do nothing after an error, and give PF_NONE.
 */
#ifndef PF_READ_PERFETTO_IMPORT_LIFETIMES_H
#define PF_READ_PERFETTO_IMPORT_LIFETIMES_H

#include "read/perfetto/import/import.h"

/* A thread, by utid. */
typedef struct pf_life {
    uint32_t older; /* the thread that its tid meant before, or the next spare one; PF_NONE: none */
    uint32_t comm;  /* string id: its name as ftrace said it last */
    uint32_t links; /* first of those that wait for its process, or PF_NONE */
    bool ended;
} pf_life;

/* A process, by upid. */
typedef struct pf_process_life {
    uint32_t older; /* the next spare one */
    bool known, ended;
    bool follows;  /* another one of its pid that has not ended, as far as is known */
    bool replaced; /* by such a one: its threads are not alive as long as that one is */
} pf_process_life;

/* Who waits until it is known which process a thread belongs to. */
typedef struct pf_life_link {
    uint32_t to; /* a thread of the same process, or a process that it is the parent of */
    uint32_t next;
    bool is_child;
} pf_life_link;

/* Who was found for a tid; it holds as long as the turn is the same. */
typedef struct pf_life_found {
    int64_t tid;
    uint32_t utid, turn;
} pf_life_found;

#define PF_LIVES_RECENT 1024u

typedef struct pf_lives {
    pf_life *thread;
    uint32_t threads, thread_room;
    pf_process_life *process;
    uint32_t processes, process_room;
    pf_map by_tid, by_pid;                 /* the newest one; it may have ended */
    pf_life_found recent[PF_LIVES_RECENT]; /* by the low bits of the tid: who was found last */
    uint32_t turn;               /* from 1; changes where a thread may be alive that was not, or is not any more */
    pf_map spare_tid, spare_pid; /* the first spare one */
    pf_life_link *link;
    uint32_t links, link_room;
    uint32_t *work; /* threads that have got a process */
    uint32_t work_count, work_room;
} pf_lives;

/* From now on numbers mean who is alive; all rows of the input are spare. */
void pf_lives_begin(pf_import *im);
void pf_lives_free(pf_import *im);

/* Whether a thread has not ended, and neither has its process. */
bool pf_lives_is_alive(const pf_import *im, uint32_t utid);

/* The living thread of a tid, or PF_NONE. */
uint32_t pf_lives_find(pf_import *im, int64_t tid);

/* The same, made if there is none. Thread 0 is the idle one, until a program says that it is one of its own. */
uint32_t pf_lives_make_thread(pf_import *im, int64_t tid);
static inline uint32_t pf_lives_thread(pf_import *im, int64_t tid)
{
    const pf_life_found *known = &im->lives->recent[(uint64_t)tid % PF_LIVES_RECENT];
    return known->tid == tid && known->turn == im->lives->turn ? known->utid : pf_lives_make_thread(im, tid);
}

/* The living process of a pid, made with its main thread if there is none. */
uint32_t pf_lives_process(pf_import *im, int64_t pid);

/* The same without its main thread; and the living thread of a tid that belongs to that process, or to none so far. */
uint32_t pf_lives_bare_process(pf_import *im, int64_t pid);
uint32_t pf_lives_join(pf_import *im, int64_t tid, uint32_t upid);

/* The living thread `tid` of process `pid`; both become known. */
uint32_t pf_lives_update(pf_import *im, int64_t tid, int64_t pid);

/* A new thread begins, as one of the process of the living thread `by`; or a new process with its main thread, as a
 * child of that one, which may be the new one itself. Returns the utid, and that of its creator. */
uint32_t pf_lives_begin_thread(pf_import *im, int64_t tid, int64_t ts, int64_t by, uint32_t *creator);
uint32_t pf_lives_begin_process(pf_import *im, int64_t pid, int64_t ts, int64_t by, uint32_t *creator);

/* The thread of that tid ends, with its process if it is the main one. */
void pf_lives_end(pf_import *im, int64_t tid, int64_t ts);

#endif
