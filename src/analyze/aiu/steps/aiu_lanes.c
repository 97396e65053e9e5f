/* analyze/aiu/steps/aiu_lanes.c - the open slices of every thread, and the streams next to it.
 *
 * A thread has as many streams as --max_tid_streams says: numbers after its own that no thread or stream of the process
 * has yet. Threads get theirs in order of appearance.
 */
#include "analyze/aiu/steps/aiu_steps.h"

static aiu_lane *find(const aiu_lanes *l, int64_t pid, int64_t tid)
{
    uint32_t at = pf_aiu_known_pair(&l->threads, (uint64_t)pid, (uint64_t)tid);
    return at == PF_NONE ? NULL : l->list[at];
}

aiu_lane *pf_aiu_lane(aiu_lanes *l, int64_t pid, int64_t tid)
{
    uint32_t at = pf_aiu_pair(l->run, &l->threads, (uint64_t)pid, (uint64_t)tid);
    aiu_lane *lane = at == l->count ? pf_aiu_alloc(l->run, 1, sizeof *lane) : NULL;
    if (AIU_ROOM(l->run, l->list, at + 1, l->room) == PF_OK && lane) {
        *lane = (aiu_lane){.pid = pid, .tid = tid, .next = AIU_ID_NONE};
        l->list[l->count++] = lane;
    }
    return pf_aiu_failed(l->run) ? NULL : l->list[at];
}

/* The number after a thread's; AIU_ID_NONE where it is none. Numbers beyond an int64 are texts. */
static int64_t number_after(aiu_run *run, int64_t tid)
{
    if (pf_aiu_is_number(tid)) {
        return tid + 1;
    }
    uint64_t v = 0;
    pf_str text = tid > 0 && tid & AIU_ID_NUMBER ? pf_aiu_text_of(run, (uint32_t)tid) : (pf_str){NULL, 0};
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned)(text.ptr[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, digit, &v)) {
            return AIU_ID_NONE;
        }
    }
    if (text.len == 0 || v == UINT64_MAX) {
        return AIU_ID_NONE;
    }
    pf_str next = pf_findings_format(run->findings, "%llu", (unsigned long long)v + 1);
    return AIU_ID_TEXT | AIU_ID_NUMBER | (int64_t)pf_aiu_text(run, next);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static void add_streams(aiu_lanes *l, aiu_lane *lane)
{
    int64_t tid = lane->tid, made = 0;
    while (lane && made < l->run->set.streams && (tid = number_after(l->run, tid)) != AIU_ID_NONE) {
        if (!find(l, lane->pid, tid)) {
            lane->next = tid;
            lane = pf_aiu_lane(l, lane->pid, tid);
            made++;
        }
    }
}

pf_status pf_aiu_lanes_init(aiu_lanes *l, aiu_run *run)
{
    *l = (aiu_lanes){.run = run};
    pf_aiu_pairs_init(&l->threads, run->budget);
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (pf_aiu_is_slice(run, e)) {
            pf_aiu_lane(l, run->events.pid[e], run->events.tid[e]);
        }
    }
    uint32_t threads = run->set.overlap == AIU_OVERLAP_TID ? l->count : 0;
    for (uint32_t i = 0; i < threads; i++) {
        add_streams(l, l->list[i]);
    }
    return run->error.code;
}

void pf_aiu_lanes_free(aiu_lanes *l)
{
    pf_aiu_pairs_free(&l->threads);
}

bool pf_aiu_next_stream(aiu_lanes *l, int64_t pid, int64_t tid, int64_t *next)
{
    const aiu_lane *lane = find(l, pid, tid);
    bool there = lane && lane->next != AIU_ID_NONE;
    int64_t after = there ? lane->next : number_after(l->run, tid);
    *next = after == AIU_ID_NONE ? 1 : after;
    return there || l->run->set.streams < 0;
}

/* ---- open slices ------------------------------------------------------------------------------------------------- */

void pf_aiu_lane_close(aiu_lane *lane, double ts)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < lane->count; i++) {
        lane->ends[kept] = lane->ends[i];
        kept += lane->ends[i] >= ts;
    }
    lane->count = kept;
}

bool pf_aiu_lane_conflicts(const aiu_lane *lane, double ts, double end)
{
    for (uint32_t i = 0; i < lane->count; i++) {
        if (lane->ends[i] > ts && lane->ends[i] < end) {
            return true;
        }
    }
    return false;
}

pf_status pf_aiu_lane_open(aiu_lanes *l, aiu_lane *lane, double end)
{
    PF_TRY(AIU_ROOM(l->run, lane->ends, lane->count + 1, lane->room));
    lane->ends[lane->count++] = end;
    return PF_OK;
}
