/* analyze/gpu/report/gpu_text.c - lengths and shares as people read them. Reals never go through printf, which
 * follows the host's locale: tenths are computed as integers. */
#include <inttypes.h>

#include "analyze/gpu/report/gpu_report.h"

static const char *text_of(pf_str s)
{
    return s.ptr ? s.ptr : "";
}

static uint64_t tenths(uint64_t part, uint64_t whole, uint64_t times)
{
    return (uint64_t)(((unsigned __int128)part * times * 10 + whole / 2) / whole);
}

const char *pf_gpu_length_text(pf_findings *f, uint64_t ns)
{
    static const struct {
        uint64_t below, unit;
        const char *name;
    } steps[] = {{999950, 1000, "us"}, {999950000, 1000000, "ms"}, {UINT64_MAX, 1000000000, "s"}};
    size_t i = 0;
    if (ns < 1000) {
        return text_of(pf_findings_format(f, "%" PRIu64 " ns", ns));
    }
    while (ns >= steps[i].below && steps[i].below != UINT64_MAX) {
        i++;
    }
    uint64_t t = tenths(ns, steps[i].unit, 1);
    return text_of(pf_findings_format(f, "%" PRIu64 ".%" PRIu64 " %s", t / 10, t % 10, steps[i].name));
}

const char *pf_gpu_share_text(pf_findings *f, uint64_t part, uint64_t whole)
{
    if (whole == 0) {
        return "-";
    }
    uint64_t t = tenths(part, whole, 100);
    return text_of(pf_findings_format(f, "%" PRIu64 ".%" PRIu64 " %%", t / 10, t % 10));
}
