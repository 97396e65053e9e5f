/* analyze/aiu/stages/aiu_stage_sequence.c - assert_ts_sequence: kernels of a rank that overlap on the device, which it
 * cannot do: their counters got the wrong lap or the wrong clock. */
#include "analyze/aiu/stages/aiu_stages.h"

typedef struct kernels {
    int64_t *last;  /* by rank: TS4 of the kernel before, INT64_MIN */
    int64_t *begin; /* and its TS3 */
    double *ts;     /* and when it began; NULL: not looked at */
    uint64_t count, overlaps;
    int64_t most;
} kernels;

static void take(kernels *k, const aiu_events *e, uint32_t row)
{
    int64_t *last = &k->last[e->rank[row]];
    int64_t over = *last == INT64_MIN ? 0 : *last - e->tsx[2][row];
    k->count++;
    bool twice = k->begin[e->rank[row]] == e->tsx[2][row]; /* the same kernel, recorded twice */
    if (k->ts) {
        twice = k->ts[e->rank[row]] >= e->ts[row];
        k->ts[e->rank[row]] = e->ts[row];
    }
    if (*last != INT64_MIN && over > 0 && !twice) {
        k->overlaps++;
        k->most = over > k->most ? over : k->most;
    }
    *last = e->tsx[3][row];
    k->begin[e->rank[row]] = e->tsx[2][row];
}

pf_status pf_aiu_check_sequence(aiu_run *run)
{
    kernels k = {.last = pf_pass_alloc(run->ctx, 2 * (size_t)run->ranks.count + 2, sizeof *k.last, &run->error)};
    if (!k.last) {
        return run->error.code;
    }
    k.begin = k.last + run->ranks.count + 1;
    if (run->set.compat != AIU_WANT) {
        k.ts = pf_pass_alloc(run->ctx, (size_t)run->ranks.count + 1, sizeof *k.ts, &run->error);
        if (!k.ts) {
            return run->error.code;
        }
    }
    for (uint32_t r = 0; r < run->ranks.count; r++) {
        k.last[r] = run->set.compat == AIU_WANT ? INT64_MIN : 0; /* where a first kernel below 0 overlaps, too */
        k.begin[r] = INT64_MIN;
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i];
        if (pf_aiu_is_slice(run, row) && pf_aiu_is_device(run, row) &&
            pf_aiu_name(run, run->events.name[row])->has == AIU_OP_EXEC) {
            take(&k, &run->events, row);
        }
    }
    if (k.overlaps && !(run->set.compat == AIU_WANT && run->sequence_checked)) {
        pf_aiu_log(run, "WARNING",
                   "TS_SEQUENCE: detected cycles overlapping (TS3[n] < TS4[n-1]) between cmpt_exec events within the "
                   "same PID  %llu / %llu max overlap cycles:  %lld",
                   (unsigned long long)k.overlaps, (unsigned long long)k.count, (long long)k.most);
    }
    run->sequence_checked = true;
    return PF_OK;
}
