/* read/tinygrad/hardware/hardware_pmc.c - counters of executions and their values. */
#include <string.h>

#include "read/tinygrad/counters/pmc_values.h"
#include "read/tinygrad/hardware/hardware.h"

static pf_status set_sum(pf_hardware *h, uint32_t row, pf_pmc_sum sum, pf_error *err)
{
    char digits[PF_PMC_DIGITS];
    if (sum <= INT64_MAX) {
        pf_hw_set(h, PF_HW_PMC, PMC_SUM, row, (int64_t)sum);
        return PF_OK;
    }
    size_t len = pf_pmc_print(sum, digits);
    return pf_hw_text(h, PF_HW_PMC, PMC_SUM_DIGITS, row, (pf_str){digits, len}, err);
}

static pf_status set_value(pf_hardware *h, uint32_t row, uint64_t value, pf_error *err)
{
    char digits[PF_PMC_DIGITS];
    pf_hw_set(h, PF_HW_PMC_VALUE, PMC_VALUE_VALUE, row, value <= INT64_MAX ? (int64_t)value : INT64_MIN);
    if (value <= INT64_MAX) {
        return PF_OK;
    }
    size_t len = pf_pmc_print(value, digits);
    return pf_hw_text(h, PF_HW_PMC_VALUE, PMC_VALUE_DIGITS, row, (pf_str){digits, len}, err);
}

static pf_status list_values(pf_hardware *h, uint32_t counter, pf_bytes values, pf_error *err)
{
    uint32_t count = (uint32_t)(values.len / 8), row;
    pf_status st = count ? pf_side_add_rows(h->table[PF_HW_PMC_VALUE], count, &row, err) : PF_OK;
    if (st != PF_OK || count == 0) {
        return st;
    }
    pf_hw_refer(h, PF_HW_PMC, PMC_FIRST_VALUE, counter, row);
    for (uint32_t i = 0; st == PF_OK && i < count; i++) {
        pf_hw_refer(h, PF_HW_PMC_VALUE, PMC_VALUE_COUNTER, row + i, counter);
        st = set_value(h, row + i, pf_pmc_value(values, i), err);
    }
    return st;
}

/* Fields of a sample and where they go. */
static const struct {
    const char *field;
    unsigned column;
} numbers[] = {{"xcc", PMC_XCC}, {"inst", PMC_INSTANCES}, {"se", PMC_SE},    {"sa", PMC_SA},
               {"wgp", PMC_WGP}, {"off", PMC_OFFSET},     {"size", PMC_SIZE}},
  texts[] = {{"name", PMC_NAME}, {"block", PMC_BLOCK}, {"regsample", PMC_REGISTER}};

static pf_status set_fields(pf_hardware *h, uint32_t row, uint32_t sample, pf_error *err)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        pf_hw_set(h, PF_HW_PMC, numbers[i].column, row, pf_tiny_number(h->p, sample, numbers[i].field, 0));
    }
    pf_status st = PF_OK;
    for (size_t i = 0; st == PF_OK && i < sizeof texts / sizeof texts[0]; i++) {
        st = pf_hw_text(h, PF_HW_PMC, texts[i].column, row, pf_tiny_text(h->p, sample, texts[i].field), err);
    }
    return st;
}

/* Of one execution: the bytes of its values that no counter has named yet. Counters do not share values. */
typedef struct execution {
    uint32_t event, object;
    pf_bytes blob;
    size_t left;
} execution;

static pf_bytes values_of(const pf_hardware *h, execution *e, uint32_t row)
{
    const pf_side_table *t = h->table[PF_HW_PMC];
    const pf_pmc_counter c = {*pf_side_number(t, PMC_OFFSET, row), *pf_side_number(t, PMC_SIZE, row),
                              *pf_side_number(t, PMC_XCC, row),    *pf_side_number(t, PMC_INSTANCES, row),
                              *pf_side_number(t, PMC_SE, row),     *pf_side_number(t, PMC_SA, row),
                              *pf_side_number(t, PMC_WGP, row)};
    pf_bytes values = pf_pmc_values(e->blob, &c);
    if (values.len > e->left) {
        return (pf_bytes){NULL, 0};
    }
    e->left -= values.len;
    return values;
}

static pf_status read_counter(pf_hardware *h, execution *e, uint32_t sample, pf_error *err)
{
    uint32_t row;
    pf_status st = pf_hw_add_row(h, PF_HW_PMC, &row, err);
    st = st == PF_OK ? set_fields(h, row, sample, err) : st;
    st = st == PF_OK ? pf_hw_set_kernel(h, PF_HW_PMC, PMC_KERNEL, row, e->object, err) : st;
    if (st != PF_OK) {
        return st;
    }
    pf_bytes values = values_of(h, e, row);
    pf_hw_refer(h, PF_HW_PMC, PMC_EVENT, row, e->event);
    pf_hw_set(h, PF_HW_PMC, PMC_EXECUTION, row, pf_tiny_number(h->p, e->object, "exec_tag", 0));
    pf_hw_set(h, PF_HW_PMC, PMC_VALUES, row, (int64_t)(values.len / 8));
    st = set_sum(h, row, pf_pmc_total(values), err);
    return st == PF_OK ? list_values(h, row, values, err) : st;
}

/* A pickle may repeat one list in many events, so a counter costs as much as it has bytes at least. */
pf_status pf_hw_read_pmc(pf_hardware *h, uint32_t event, uint32_t object, pf_error *err)
{
    enum { LEAST = 8 };
    const pf_pickle_values *v = &h->p->values;
    execution e = {event, object, pf_hw_bytes(h, object, "blob"), 0};
    e.left = e.blob.len;
    pf_status st = pf_hw_spend_stream(h, e.blob.len, err);
    uint32_t i = pf_pickle_first(v, pf_pickle_field(v, object, "sched"));
    for (; st == PF_OK && i != PF_NONE; i = pf_pickle_next(v, i)) {
        st = pf_hw_spend_stream(h, LEAST, err);
        st = st == PF_OK ? read_counter(h, &e, pf_pickle_member(v, i), err) : st;
    }
    return st;
}
