/* read/perfetto/import/lifetimes.c - threads and processes in the order of time (docs/reference/perfetto.md, "System
 * traces").
 *
 * The threads of a tid form a chain, newest first. Who has ended never comes back, so those at the front of a chain are
 * taken off as they are met, and a look-up costs one step. Where the end of a process was lost and another one of its
 * pid began, its threads are passed over, until that one has ended. A thread may be known before its process is; what
 * depends on that is linked to it and follows once it is known.
 */
#include "read/perfetto/import/lifetimes.h"

#include "base/list.h"

#define CHAIN_MAX 64u /* threads of one tid that are looked at for one without a process */

/* In maps, which forget nothing: there is none any more. */
#define NOBODY (PF_NONE - 1)

static uint32_t or_nobody(uint32_t row)
{
    return row == PF_NONE ? NOBODY : row;
}

static pf_ident number_ident(int64_t number)
{
    return (pf_ident){.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = number};
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Lives for all rows that there are; false after an error. */
static bool make_room(pf_import *im)
{
    pf_lives *l = im->lives;
    const pf_trace *t = im->t;
    if (pf_import_failed(im) ||
        PF_LIST_ROOM(&im->t->budget, l->thread, t->threads.count, l->thread_room, im->err) != PF_OK ||
        PF_LIST_ROOM(&im->t->budget, l->process, t->processes.count, l->process_room, im->err) != PF_OK) {
        return false;
    }
    for (; l->threads < t->threads.count; l->threads++) {
        l->thread[l->threads] = (pf_life){.older = PF_NONE, .links = PF_NONE};
    }
    for (; l->processes < t->processes.count; l->processes++) {
        l->process[l->processes] = (pf_process_life){.older = PF_NONE};
    }
    return true;
}

void pf_lives_free(pf_import *im)
{
    pf_lives *l = im->lives;
    pf_budget *b = &im->t->budget;
    if (!l) {
        return;
    }
    PF_LIST_FREE(b, l->thread, l->thread_room);
    PF_LIST_FREE(b, l->process, l->process_room);
    PF_LIST_FREE(b, l->link, l->link_room);
    PF_LIST_FREE(b, l->work, l->work_room);
    pf_map_free(&l->by_tid);
    pf_map_free(&l->by_pid);
    pf_map_free(&l->spare_tid);
    pf_map_free(&l->spare_pid);
    pf_release(b, l, sizeof *l);
    im->lives = NULL;
}

/* The process of that pid that is alive, or PF_NONE. */
static uint32_t find_process(const pf_import *im, int64_t pid)
{
    uint32_t upid = pf_map_get(&im->lives->by_pid, (uint64_t)pid);
    return upid == PF_NONE || im->lives->process[upid].ended ? PF_NONE : upid;
}

static void know_process(pf_import *im, uint32_t upid)
{
    pf_lives *l = im->lives;
    pf_process_life *p = &l->process[upid];
    uint64_t pid = (uint64_t)im->t->processes.pid[upid];
    uint32_t before = pf_map_get(&l->by_pid, pid);
    p->known = true;
    if (before != PF_NONE && before != upid && (!l->process[before].ended || l->process[before].follows)) {
        l->process[before].replaced = p->follows = true;
    }
    l->turn++;
    pf_import_put(im, &l->by_pid, pid, upid);
}

static bool has_ended(const pf_import *im, uint32_t utid)
{
    uint32_t upid = im->t->threads.upid[utid];
    return im->lives->thread[utid].ended || (upid != PF_NONE && im->lives->process[upid].ended);
}

bool pf_lives_is_alive(const pf_import *im, uint32_t utid)
{
    uint32_t upid = im->t->threads.upid[utid];
    bool replaced = upid != PF_NONE && im->lives->process[upid].replaced;
    return !has_ended(im, utid) && !(replaced && find_process(im, im->t->processes.pid[upid]) != PF_NONE);
}

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

/* Who was listed by the system before the first event lives from the start; whoever else has a row is spare. */
static bool is_listed(const pf_import *im, uint32_t upid)
{
    return upid == im->machine.idle_upid || pf_rank_of_process(im, upid) == PF_RANK_PROCESS_TREE;
}

static bool is_listed_thread(const pf_import *im, uint32_t utid)
{
    const pf_trace *t = im->t;
    return utid == im->machine.idle_utid ||
           (im->lives->process[t->threads.upid[utid]].known &&
            (t->threads.is_main[utid] || pf_rank_of_thread(im, utid) == PF_RANK_THREAD_TREE));
}

static bool is_of_machine(const pf_import *im, uint32_t upid)
{
    return upid != PF_NONE && upid >= im->machine.first_process;
}

static void begin_processes(pf_import *im)
{
    const pf_trace *t = im->t;
    pf_lives *l = im->lives;
    for (uint32_t i = t->processes.count; i-- > 0;) {
        if (i != im->machine.idle_upid && (!is_of_machine(im, i) || t->processes.kind[i] != PF_ID_INT)) {
            continue;
        }
        if (is_listed(im, i)) {
            know_process(im, i);
        } else {
            l->process[i].older = pf_map_get(&l->spare_pid, (uint64_t)t->processes.pid[i]);
            pf_import_put(im, &l->spare_pid, (uint64_t)t->processes.pid[i], i);
        }
    }
}

static void begin_threads(pf_import *im)
{
    const pf_trace *t = im->t;
    pf_lives *l = im->lives;
    for (uint32_t i = t->threads.count; i-- > 0;) {
        if (i != im->machine.idle_utid && (!is_of_machine(im, t->threads.upid[i]) || t->threads.kind[i] != PF_ID_INT)) {
            continue; /* of an earlier input or machine */
        }
        pf_map *first = is_listed_thread(im, i) ? &l->by_tid : &l->spare_tid;
        l->thread[i].older = pf_map_get(first, (uint64_t)t->threads.tid[i]);
        pf_import_put(im, first, (uint64_t)t->threads.tid[i], i);
    }
}

void pf_lives_begin(pf_import *im)
{
    pf_lives *l = pf_import_failed(im) ? NULL : pf_alloc_zero(&im->t->budget, 1, sizeof *l);
    if (!l) {
        pf_import_refuse(im, sizeof *l);
        return;
    }
    im->lives = l;
    l->turn = 1; /* nobody was found so far */
    pf_map *const maps[] = {&l->by_tid, &l->by_pid, &l->spare_tid, &l->spare_pid};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        pf_map_init(maps[i], &im->t->budget);
    }
    if (make_room(im)) {
        begin_processes(im);
        begin_threads(im);
    }
}

/* Takes the first spare process of the pid that nobody knows yet; PF_NONE: there is none. */
static uint32_t take_spare_process(pf_import *im, int64_t pid)
{
    pf_lives *l = im->lives;
    uint32_t upid = pf_map_get(&l->spare_pid, (uint64_t)pid);
    while (upid != PF_NONE && upid != NOBODY && l->process[upid].known) {
        upid = l->process[upid].older;
    }
    if (upid == PF_NONE || upid == NOBODY) {
        return PF_NONE;
    }
    pf_import_put(im, &l->spare_pid, (uint64_t)pid, or_nobody(l->process[upid].older));
    know_process(im, upid);
    return upid;
}

/* Takes the first spare thread of the tid; upid: it must belong to that process, unless that is PF_NONE. Those in front
 * stay. */
static uint32_t take_spare_thread(pf_import *im, int64_t tid, uint32_t upid)
{
    pf_lives *l = im->lives;
    uint32_t utid = pf_map_get(&l->spare_tid, (uint64_t)tid), front = PF_NONE;
    utid = utid == NOBODY ? PF_NONE : utid;
    for (unsigned i = 0; utid != PF_NONE && upid != PF_NONE && im->t->threads.upid[utid] != upid; i++) {
        front = utid;
        utid = i < CHAIN_MAX ? l->thread[utid].older : PF_NONE;
    }
    if (utid == PF_NONE) {
        return PF_NONE;
    }
    if (front != PF_NONE) {
        l->thread[front].older = l->thread[utid].older;
    } else {
        pf_import_put(im, &l->spare_tid, (uint64_t)tid, or_nobody(l->thread[utid].older));
    }
    return utid;
}

static uint32_t remember(pf_lives *l, int64_t tid, uint32_t utid)
{
    if (utid != PF_NONE) {
        l->recent[(uint64_t)tid % PF_LIVES_RECENT] = (pf_life_found){tid, utid, l->turn};
    }
    return utid;
}

/* A thread of the tid that begins to be alive: a spare one, or a new one. */
static uint32_t add_thread(pf_import *im, int64_t tid, uint32_t upid)
{
    pf_lives *l = im->lives;
    const pf_ident id = number_ident(tid);
    uint32_t utid = take_spare_thread(im, tid, upid);
    if (utid == PF_NONE) {
        utid = pf_import_failed(im) ? PF_NONE : pf_trace_new_thread(im->t, PF_NONE, &id, im->err);
    }
    if (utid == PF_NONE || !make_room(im)) {
        return PF_NONE;
    }
    uint32_t owner = im->t->threads.upid[utid];
    if (owner != PF_NONE && !l->process[owner].known && find_process(im, im->t->processes.pid[owner]) == PF_NONE) {
        know_process(im, owner);
    }
    uint32_t older = pf_map_get(&l->by_tid, (uint64_t)tid);
    l->thread[utid].older = older == NOBODY ? PF_NONE : older;
    pf_import_put(im, &l->by_tid, (uint64_t)tid, utid);
    return remember(l, tid, utid);
}

/* ---- processes of threads ---------------------------------------------------------------------------------------- */

static void add_link(pf_import *im, uint32_t from, uint32_t to, bool is_child)
{
    pf_lives *l = im->lives;
    if (!pf_import_failed(im) && PF_LIST_ROOM(&im->t->budget, l->link, l->links + 1, l->link_room, im->err) == PF_OK) {
        l->link[l->links] = (pf_life_link){to, l->thread[from].links, is_child};
        l->thread[from].links = l->links++;
    }
}

static void set_process(pf_import *im, uint32_t utid, uint32_t upid)
{
    pf_trace *t = im->t;
    pf_lives *l = im->lives;
    if (t->threads.upid[utid] != PF_NONE || pf_import_failed(im) ||
        PF_LIST_ROOM(&t->budget, l->work, l->work_count + 1, l->work_room, im->err) != PF_OK) {
        return;
    }
    l->turn++;
    t->threads.upid[utid] = upid;
    t->threads.is_main[utid] = t->threads.tid[utid] == t->processes.pid[upid];
    (void)pf_trace_know_thread(t, utid, im->err);
    l->work[l->work_count++] = utid;
}

/* The thread belongs to that process, and so does all that waited for it. */
static void give_process(pf_import *im, uint32_t utid, uint32_t upid)
{
    pf_trace *t = im->t;
    pf_lives *l = im->lives;
    set_process(im, utid, upid);
    while (l->work_count > 0 && !pf_import_failed(im)) {
        uint32_t from = l->work[--l->work_count];
        for (uint32_t i = l->thread[from].links; i != PF_NONE; i = l->link[i].next) {
            uint32_t to = l->link[i].to;
            if (!l->link[i].is_child && t->threads.upid[to] != PF_NONE && t->threads.upid[to] != upid) {
                pf_trace_count(t, PF_STAT_PROCESS_TRACKER, PF_NOWHERE);
            } else if (!l->link[i].is_child) {
                set_process(im, to, upid);
            } else {
                t->processes.parent_upid[to] = upid;
            }
        }
        l->thread[from].links = PF_NONE;
    }
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

uint32_t pf_lives_find(pf_import *im, int64_t tid)
{
    pf_lives *l = im->lives;
    const pf_life_found *known = &l->recent[(uint64_t)tid % PF_LIVES_RECENT];
    if (known->tid == tid && known->turn == l->turn) {
        return known->utid;
    }
    uint32_t first = pf_map_get(&l->by_tid, (uint64_t)tid), utid = first;
    if (utid == PF_NONE || utid == NOBODY) {
        return PF_NONE;
    }
    while (utid != PF_NONE && has_ended(im, utid)) {
        utid = l->thread[utid].older;
    }
    if (utid != first) {
        pf_import_put(im, &l->by_tid, (uint64_t)tid, or_nobody(utid));
    }
    for (unsigned i = 0; utid != PF_NONE && !pf_lives_is_alive(im, utid); i++) {
        utid = i < CHAIN_MAX ? l->thread[utid].older : PF_NONE;
    }
    return remember(l, tid, utid);
}

uint32_t pf_lives_make_thread(pf_import *im, int64_t tid)
{
    uint32_t utid = pf_lives_find(im, tid);
    return utid != PF_NONE ? utid : add_thread(im, tid, PF_NONE);
}

uint32_t pf_lives_join(pf_import *im, int64_t tid, uint32_t upid)
{
    uint32_t utid = pf_lives_find(im, tid);
    for (unsigned i = 0; utid != PF_NONE && i < CHAIN_MAX; i++) {
        uint32_t owner = im->t->threads.upid[utid];
        if (pf_lives_is_alive(im, utid) && (owner == PF_NONE || owner == upid)) {
            break;
        }
        utid = i + 1 < CHAIN_MAX ? im->lives->thread[utid].older : PF_NONE;
    }
    utid = utid != PF_NONE ? utid : add_thread(im, tid, upid);
    if (utid != PF_NONE) {
        give_process(im, utid, upid);
    }
    return utid;
}

uint32_t pf_lives_bare_process(pf_import *im, int64_t pid)
{
    const pf_ident id = number_ident(pid);
    if (pf_import_failed(im)) {
        return PF_NONE;
    }
    uint32_t upid = find_process(im, pid);
    if (upid != PF_NONE) {
        return upid;
    }
    upid = take_spare_process(im, pid);
    upid = upid != PF_NONE ? upid : pf_trace_bare_process(im->t, &id, im->err);
    if (upid == PF_NONE || !make_room(im)) {
        return PF_NONE;
    }
    know_process(im, upid);
    return upid;
}

uint32_t pf_lives_process(pf_import *im, int64_t pid)
{
    uint32_t known = pf_import_failed(im) ? 0 : find_process(im, pid);
    uint32_t upid = pf_lives_bare_process(im, pid);
    if (known == PF_NONE && upid != PF_NONE) {
        (void)pf_lives_join(im, pid, upid);
    }
    return upid;
}

uint32_t pf_lives_update(pf_import *im, int64_t tid, int64_t pid)
{
    uint32_t upid = pf_lives_process(im, pid);
    return upid == PF_NONE ? PF_NONE : pf_lives_join(im, tid, upid);
}

uint32_t pf_lives_begin_thread(pf_import *im, int64_t tid, int64_t ts, int64_t by, uint32_t *creator)
{
    uint32_t source = *creator = pf_lives_thread(im, by);
    uint32_t utid = source == PF_NONE ? PF_NONE : add_thread(im, tid, PF_NONE);
    if (utid == PF_NONE) {
        return PF_NONE;
    }
    uint32_t upid = im->t->threads.upid[source];
    im->t->threads.start_ts[utid] = ts;
    if (upid != PF_NONE) {
        give_process(im, utid, upid);
    } else if (im->t->threads.upid[utid] != PF_NONE) {
        give_process(im, source, im->t->threads.upid[utid]);
    } else {
        add_link(im, source, utid, false);
        add_link(im, utid, source, false);
    }
    return utid;
}

uint32_t pf_lives_begin_process(pf_import *im, int64_t pid, int64_t ts, int64_t by, uint32_t *creator)
{
    pf_trace *t = im->t;
    const pf_ident id = number_ident(pid);
    pf_import_put(im, &im->lives->by_tid, (uint64_t)pid, NOBODY); /* who had the number before */
    uint32_t upid = pf_import_failed(im) ? PF_NONE : take_spare_process(im, pid);
    uint32_t utid = pf_import_failed(im) ? PF_NONE : add_thread(im, pid, upid);
    upid = upid != PF_NONE || utid == PF_NONE ? upid : pf_trace_bare_process(t, &id, im->err);
    if (utid == PF_NONE || upid == PF_NONE || !make_room(im)) {
        return PF_NONE;
    }
    know_process(im, upid);
    give_process(im, utid, upid);
    t->threads.start_ts[utid] = t->processes.start_ts[upid] = ts;
    uint32_t source = *creator = pf_lives_thread(im, by);
    if (source == PF_NONE) {
        return PF_NONE;
    }
    if (t->threads.upid[source] == PF_NONE) {
        add_link(im, source, upid, true);
    } else if (t->processes.parent_upid[upid] == PF_NONE) {
        t->processes.parent_upid[upid] = t->threads.upid[source];
    }
    return utid;
}

void pf_lives_end(pf_import *im, int64_t tid, int64_t ts)
{
    pf_trace *t = im->t;
    uint32_t utid = pf_lives_find(im, tid);
    if (utid == PF_NONE) {
        return;
    }
    uint32_t upid = t->threads.upid[utid];
    t->threads.end_ts[utid] = ts;
    im->lives->thread[utid].ended = true;
    im->lives->turn++;
    if (upid != PF_NONE && t->processes.pid[upid] == tid) {
        t->processes.end_ts[upid] = ts;
        im->lives->process[upid].ended = true;
    }
}

/* ---- with or without an order of time ---------------------------------------------------------------------------- */

uint32_t pf_import_process(pf_import *im, int64_t pid)
{
    return im->lives              ? pf_lives_process(im, pid)
           : pf_import_failed(im) ? PF_NONE
                                  : pf_uuid_process(im->t, pid, im->err);
}

uint32_t pf_import_thread(pf_import *im, int64_t pid, int64_t tid)
{
    return im->lives              ? pf_lives_update(im, tid, pid)
           : pf_import_failed(im) ? PF_NONE
                                  : pf_uuid_thread(im->t, pid, tid, im->err);
}

uint32_t pf_import_main_thread(pf_import *im, uint32_t upid)
{
    bool ends = upid == PF_NONE || pf_import_failed(im);
    int64_t pid = ends ? 0 : im->t->processes.pid[upid];
    return ends ? PF_NONE : im->lives ? pf_lives_update(im, pid, pid) : pf_uuid_main_thread(im->t, upid, im->err);
}
