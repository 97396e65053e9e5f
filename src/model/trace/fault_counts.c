/* model/trace/fault_counts.c - the table of fault kinds, generated from PF_STATS. */
#include "model/trace/fault_counts.h"

#include "base/sized.h"
#include "model/trace/trace.h"

static const struct {
    const char *name, *source, *description;
    pf_severity severity;
    bool loss;
} kinds[PF_STAT_COUNT] = {
#define PF_STAT_ROW(id, name, severity, source, loss, description) {name, source, description, severity, loss},
    PF_STATS(PF_STAT_ROW)
#undef PF_STAT_ROW
};

size_t pf_trace_stat_count(const pf_trace *t)
{
    return PF_STAT_COUNT;
}

static pf_stat stat_of(size_t i, uint64_t count, uint64_t offset)
{
    return (pf_stat){
        .name = kinds[i].name,
        .severity = kinds[i].severity,
        .loss = kinds[i].loss,
        .source = kinds[i].source,
        .description = kinds[i].description,
        .count = count,
        .first_offset = count ? offset : PF_NOWHERE,
    };
}

static pf_stat stat_of_input(const pf_trace *t, size_t input, size_t i)
{
    uint64_t *count, *offset;
    pf_trace_input_fault(t, (uint32_t)input, (pf_stat_id)i, &count, &offset);
    return stat_of(i, t->faults || input == 0 ? *count : 0, *offset);
}

void pf_trace_input_stat_get(const pf_trace *t, size_t input, size_t i, pf_stat *out, size_t size)
{
    const pf_stat s = stat_of_input(t, input, i);
    pf_sized_give(out, size, &s, sizeof s);
}

void pf_trace_stat_get(const pf_trace *t, size_t i, pf_stat *out, size_t size)
{
    pf_stat all = stat_of_input(t, 0, i);
    for (size_t input = 1; t->faults && input < t->input_count; input++) {
        pf_stat more = stat_of_input(t, input, i);
        all.first_offset = all.count ? all.first_offset : more.first_offset;
        all.count += more.count;
    }
    pf_sized_give(out, size, &all, sizeof all);
}

const char *pf_severity_name(pf_severity s)
{
    static const char *const names[] = {"info", "notice", "data_loss", "error"};
    return names[s];
}
