/* read/perfetto/ftrace/early_data.c - what the kernel's buffers held before the recording began does not count, or only
 * as rows of events. */
#include "read/perfetto/ftrace/ftrace.h"

/* What the recording says of its start is known once all packets were read. */
static void find_start(pf_import *im)
{
    pf_ftrace *f = im->ftrace;
    uint32_t name = pf_trace_find_string(im->t, PF_STR("tracing_started_ns"));
    uint32_t row = name == PF_NONE ? PF_NONE : pf_map_get(&im->about.rows, name);
    f->hard = row == PF_NONE || im->system.keeps_early ? 0 : im->t->metadata.number[row];
    f->soft = f->latest_start > f->hard ? f->latest_start : f->hard;
    f->began = true;
}

bool pf_ftrace_counts_early(pf_import *im, int64_t ts, bool *quiet)
{
    pf_ftrace *f = im->ftrace;
    if (!f->began) {
        find_start(im);
    }
    if (ts < f->hard) {
        pf_trace_count(im->t, PF_STAT_FTRACE_EARLY, PF_NOWHERE);
        return false;
    }
    *quiet = ts < f->soft;
    return true;
}
