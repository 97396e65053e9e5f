/* model/stats.c - the table of fault kinds, generated from PF_STATS. */
#include "model/stats.h"
#include "model/trace.h"

static const struct {
    const char *name, *description;
    pf_severity severity;
} kinds[PF_STAT_COUNT] = {
#define PF_STAT_ROW(id, name, severity, description) {name, description, severity},
    PF_STATS(PF_STAT_ROW)
#undef PF_STAT_ROW
};

size_t pf_trace_stat_count(const pf_trace *t)
{
    return PF_STAT_COUNT;
}

pf_stat pf_trace_stat(const pf_trace *t, size_t i)
{
    return (pf_stat){
        .name = kinds[i].name,
        .severity = kinds[i].severity,
        .description = kinds[i].description,
        .count = t->stat_count[i],
        .first_offset = t->stat_count[i] ? t->stat_offset[i] : PF_NOWHERE,
    };
}

const char *pf_severity_name(pf_severity s)
{
    static const char *const names[] = {"info", "notice", "data_loss", "error"};
    return names[s];
}
