/* analyze/aiu/steps/aiu_sequence.c - kernels of a rank that overlap on the device, which it cannot do: their counters
 * got the wrong lap or the wrong clock. */
#include "analyze/aiu/steps/aiu_steps.h"

/* The kernel before, of a rank: its TS4 (INT64_MIN: none) and TS3, and when it began. */
typedef struct before {
    int64_t last, begin;
    double ts;
} before;

typedef struct overlaps {
    uint64_t kernels, count;
    int64_t most; /* cycles */
} overlaps;

/* What was recorded twice does not count: it begins with the counter, for acelyzer not after the time, of the kernel
 * before. */
static void take(const aiu_run *run, overlaps *o, before *b, uint32_t row)
{
    const aiu_events *e = &run->events;
    int64_t over = b->last == INT64_MIN ? 0 : b->last - e->tsx[2][row];
    bool twice = pf_acelyzer(run) ? b->ts >= e->ts[row] : b->begin == e->tsx[2][row];
    bool counts = over > 0 && !twice;
    o->kernels++;
    o->count += counts;
    o->most = counts && over > o->most ? over : o->most;
    *b = (before){e->tsx[3][row], e->tsx[2][row], e->ts[row]};
}

void pf_aiu_check_sequence(aiu_run *run)
{
    overlaps o = {0};
    before *ranks = pf_aiu_scratch(run, run->ranks.count, sizeof *ranks);
    for (uint32_t r = 0; ranks && r < run->ranks.count; r++) {
        ranks[r].last = pf_acelyzer(run) ? 0 : INT64_MIN; /* 0: a first kernel below overlaps, too */
        ranks[r].begin = INT64_MIN;
    }
    for (uint32_t i = 0; ranks && i < run->alive; i++) {
        uint32_t row = run->order[i];
        if (pf_aiu_is_slice(run, row) && pf_aiu_is_device(run, row) &&
            pf_aiu_name(run, run->events.name[row])->has == AIU_OP_EXEC) {
            take(run, &o, &ranks[run->events.rank[row]], row);
        }
    }
    if (o.count && (pf_acelyzer(run) || !run->sequence_checked)) {
        pf_aiu_log(run, "WARNING",
                   "TS_SEQUENCE: detected cycles overlapping (TS3[n] < TS4[n-1]) between cmpt_exec events within the "
                   "same PID  %llu / %llu max overlap cycles:  %lld",
                   (unsigned long long)o.count, (unsigned long long)o.kernels, (long long)o.most);
    }
    run->sequence_checked = true;
}
