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
    PF_STATS(PF_STAT_ROW) PF_STAT_VALUES(PF_STAT_ROW)
#undef PF_STAT_ROW
};

uint32_t pf_trace_add_stat_value(pf_trace *t, pf_stat_id id, uint32_t idx, pf_error *err)
{
    uint32_t i = t->stat_values.count;
    if (pf_columns_room(&t->stat_values.columns, (uint64_t)i + 1, &t->stat_values.room, err) != PF_OK) {
        return PF_NONE;
    }
    t->stat_values.kind[i] = id;
    t->stat_values.idx[i] = idx;
    t->stat_values.input[i] = t->input;
    t->stat_values.value[i] = 0;
    t->stat_values.count++;
    return i;
}

void pf_trace_set_stat_value(pf_trace *t, uint32_t row, int64_t value, uint64_t offset)
{
    uint32_t id = t->stat_values.kind[row];
    int64_t before = t->stat_values.value[row];
    t->stat_values.value[row] = value;
    if (kinds[id].severity > PF_INFO) {
        t->stat_offset[id] = t->stat_count[id] ? t->stat_offset[id] : offset;
        t->stat_count[id] += (uint64_t)(value > 0 ? value : 0) - (uint64_t)(before > 0 ? before : 0);
    }
}

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
