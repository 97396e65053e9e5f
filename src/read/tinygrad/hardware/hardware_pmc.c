/* read/tinygrad/hardware/hardware_pmc.c - counters of executions and their values. */
#include "read/tinygrad/counters/counters.h"
#include "read/tinygrad/hardware/hardware.h"

/* The digits of a number beyond 63 bits as an id; 0: the number has fewer. */
static uint32_t digits_id(pf_tiny_profile *p, pf_pmc_sum v)
{
    char digits[PF_PMC_DIGITS];
    return v > INT64_MAX ? pf_tiny_id(p, (pf_str){digits, pf_pmc_print(v, digits)}) : 0;
}

static int64_t cell_of(pf_pmc_sum v)
{
    return v > INT64_MAX ? INT64_MIN : (int64_t)v;
}

/* Of one execution: the bytes of its values that no counter has named yet. Counters do not share values. */
typedef struct execution {
    uint32_t event, object;
    pf_bytes blob;
    size_t left;
} execution;

static pf_status read_counter(pf_tiny_hardware *h, execution *e, uint32_t sample)
{
    pf_tiny_profile *p = h->p;
    pf_tiny_kernel kernel = pf_tiny_kernel_of(p, e->object);
    const pf_pmc_counter c = {.offset = pf_tiny_number(p, sample, "off", 0),
                              .size = pf_tiny_number(p, sample, "size", 0),
                              .xcc = pf_tiny_number(p, sample, "xcc", 0),
                              .instances = pf_tiny_number(p, sample, "inst", 0),
                              .se = pf_tiny_number(p, sample, "se", 0),
                              .sa = pf_tiny_number(p, sample, "sa", 0),
                              .wgp = pf_tiny_number(p, sample, "wgp", 0)};
    pf_bytes values = pf_pmc_values(e->blob, &c);
    values = values.len > e->left ? (pf_bytes){NULL, 0} : values;
    e->left -= values.len;
    pf_pmc_sum sum = pf_pmc_total(values);
    int64_t number = pf_tiny_number(p, e->object, "exec_tag", 0);
    uint32_t count = (uint32_t)(values.len / 8), first = count ? p->table[PF_TINY_PMC_VALUE]->count : PF_NONE;
    uint32_t name = pf_tiny_id(p, pf_tiny_text(p, sample, "name"));
    uint32_t block = pf_tiny_id(p, pf_tiny_text(p, sample, "block"));
    uint32_t read_from = pf_tiny_id(p, pf_tiny_text(p, sample, "regsample"));
    PF_TRY(pf_tiny_put(p, PF_TINY_PMC,
                       PF_CELLS(e->event, kernel.name, kernel.tag, number, name, block, c.xcc, c.instances, c.se, c.sa,
                                c.wgp, c.offset, c.size, read_from, cell_of(sum), digits_id(p, sum), first, count)));
    uint32_t row = pf_tiny_last(p, PF_TINY_PMC);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = pf_pmc_value(values, i);
        PF_TRY(pf_tiny_put(p, PF_TINY_PMC_VALUE, PF_CELLS(row, cell_of(value), digits_id(p, value))));
    }
    return PF_OK;
}

/* A pickle may repeat one list in many events, so a counter costs as much as it has bytes at least. */
pf_status pf_tiny_read_pmc(pf_tiny_hardware *h, uint32_t event, uint32_t object)
{
    enum { LEAST = 8 };
    const pf_pickle_values *v = &h->p->values;
    execution e = {event, object, pf_tiny_bytes(h->p, object, "blob"), 0};
    e.left = e.blob.len;
    PF_TRY(pf_tiny_spend(h, &h->stream_bytes_left, e.blob.len));
    uint32_t i = pf_pickle_first(v, pf_pickle_field(v, object, "sched"));
    for (; i != PF_NONE; i = pf_pickle_next(v, i)) {
        PF_TRY(pf_tiny_spend(h, &h->stream_bytes_left, LEAST));
        PF_TRY(read_counter(h, &e, pf_pickle_member(v, i)));
    }
    return PF_OK;
}
