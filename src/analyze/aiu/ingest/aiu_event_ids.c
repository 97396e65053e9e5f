/* analyze/aiu/ingest/aiu_event_ids.c - the ids, the time and the rank of an event. */
#include <string.h>

#include "analyze/aiu/ingest/aiu_ingest.h"
#include "base/text/number.h"

int64_t pf_aiu_id(aiu_run *run, uint8_t kind, int64_t number, uint32_t text)
{
    if (kind == PF_ID_ABSENT) {
        return AIU_ID_NONE;
    }
    pf_str spelled = kind == PF_ID_REAL ? pf_trace_string(run->trace, text) : (pf_str){NULL, 0};
    if (spelled.len && pf_parse_int(spelled.ptr, spelled.len, &number)) {
        kind = PF_ID_INT; /* one that its process could not keep */
    }
    if (kind != PF_ID_INT) {
        int64_t bits = kind == PF_ID_REAL ? AIU_ID_TEXT | AIU_ID_NUMBER : AIU_ID_TEXT;
        return bits | (int64_t)pf_aiu_pool_text(run, text);
    }
    if (number < AIU_ID_NUMBER && number > -AIU_ID_NUMBER) {
        return number;
    }
    pf_str digits = pf_findings_format(run->findings, "%lld", (long long)number);
    return AIU_ID_TEXT | AIU_ID_NUMBER | (int64_t)pf_aiu_text(run, digits);
}

double pf_aiu_us(const aiu_run *run, int64_t ns)
{
    int64_t since = ns - run->origin_ns; /* in two parts: beyond 2^53 ns a double has no room for both */
    int64_t whole = since / 1000, rest = since % 1000;
    return (double)whole + (double)rest / 1000.0;
}

/* The process of an event. The original takes the first pid of a flex file for the rank of all its
 * events; a torch file says its rank, which is the pid of what has pid 0. Counters and flows it leaves as they are. */
void pf_aiu_set_rank(aiu_run *run, uint32_t event, int64_t pid)
{
    static const char moved[] = {'X', 'M', 'b', 'e', 'i'};
    aiu_job *job = &run->jobs[run->events.job[event]];
    bool stays = pf_aiu_rule(run, AIU_KEPT_PIDS) && !memchr(moved, run->events.phase[event], sizeof moved);
    if (!job->begun && !job->torch && !stays) {
        job->rank = pid;
    }
    job->begun |= !stays;
    bool first_counts = !job->torch && pf_aiu_rule(run, AIU_UNCORRECTED) && pid != AIU_ID_NONE;
    run->events.pid[event] = !stays && (first_counts || (job->torch && pid == 0)) ? job->rank : pid;
    run->events.rank[event] = pf_aiu_rank(run, run->events.pid[event]);
}
