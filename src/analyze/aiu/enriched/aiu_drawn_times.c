/* analyze/aiu/enriched/aiu_drawn_times.c - times of the run, us, as times of the enriched trace, ns. */
#include <math.h>

#include "analyze/aiu/enriched/aiu_measures.h"

int64_t pf_aiu_nanoseconds(const aiu_run *run, double us)
{
    double ns = us * 1000;
    if (!(fabs(ns) < 9e18)) {
        return ns > 0 ? INT64_MAX / 2 : INT64_MIN / 2;
    }
    return run->origin_ns + llround(ns);
}

pf_interval pf_aiu_interval(const aiu_run *run, double from, double to)
{
    int64_t start = pf_aiu_nanoseconds(run, from), end = pf_aiu_nanoseconds(run, to);
    return (pf_interval){start, end > start ? end : start + 1};
}

int64_t pf_aiu_arrival(const aiu_run *run, const aiu_member *m)
{
    return pf_aiu_nanoseconds(run, pf_aiu_stay_of(run, m).start);
}

int64_t pf_aiu_leave(const aiu_run *run, const aiu_member *m)
{
    return pf_aiu_nanoseconds(run, pf_aiu_stay_of(run, m).end);
}
