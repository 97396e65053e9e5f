/* read/tinygrad/hardware/hardware_pma.c - samples of program counters, and how often each instruction stood why. */
#include <stdlib.h>
#include <string.h>

#include "read/tinygrad/counters/pma_samples.h"
#include "read/tinygrad/hardware/hardware.h"

enum { SM_DEFAULT = 0x800, REASON_BITS = 4 };

/* Program counters are multiples of 16, so that a reason fits below them: one number to sort by. */
typedef struct stall_list {
    uint64_t *key;
    size_t count, room;
} stall_list;

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* ---- one stream -------------------------------------------------------------------------------------------------- */

typedef struct pma_stream {
    pf_hardware *h;
    uint32_t row;
    pf_pma_decoder decoder;
    stall_list stalls;
    uint32_t reasons[PF_PMA_REASONS]; /* string ids */
} pma_stream;

static pf_status name_reasons(pma_stream *s, pf_error *err)
{
    pf_status st = PF_OK;
    for (unsigned i = 0; st == PF_OK && i < PF_PMA_REASONS; i++) {
        const char *name = pf_pma_reason_name((pf_pma_reason)i);
        st = pf_trace_add_string(s->h->p->t, (pf_str){name, strlen(name)}, &s->reasons[i], err);
    }
    return st;
}

/* All samples of the stream, in their order; count of them were made room for. */
static void collect(pma_stream *s)
{
    pf_pma_sample samples[PF_PMA_BATCH];
    for (unsigned n; pf_pma_next(&s->decoder, samples, &n);) {
        for (unsigned i = 0; i < n && s->stalls.count < s->stalls.room; i++) {
            s->stalls.key[s->stalls.count++] = samples[i].pc | samples[i].reason;
        }
    }
}

static pf_status add_stall(pma_stream *s, uint64_t key, size_t samples, pf_error *err)
{
    uint32_t row;
    pf_status st = pf_hw_add_row(s->h, PF_HW_PMA_STALL, &row, err);
    if (st == PF_OK) {
        pf_hw_refer(s->h, PF_HW_PMA_STALL, STALL_STREAM, row, s->row);
        pf_hw_set(s->h, PF_HW_PMA_STALL, STALL_PC, row, (int64_t)(key >> REASON_BITS << REASON_BITS));
        pf_hw_refer(s->h, PF_HW_PMA_STALL, STALL_REASON, row, s->reasons[key & 15]);
        pf_hw_set(s->h, PF_HW_PMA_STALL, STALL_SAMPLES, row, (int64_t)samples);
    }
    return st;
}

static pf_status list_stalls(pma_stream *s, pf_error *err)
{
    stall_list *l = &s->stalls;
    qsort(l->key, l->count, sizeof *l->key, compare_keys);
    pf_status st = PF_OK;
    for (size_t i = 0, end; st == PF_OK && i < l->count; i = end) {
        for (end = i + 1; end < l->count && l->key[end] == l->key[i]; end++) {
        }
        st = add_stall(s, l->key[i], end - i, err);
    }
    return st;
}

static void set_sample(pma_stream *s, uint32_t row, const pf_pma_sample *sample)
{
    const int64_t numbers[] = {
        [SAMPLE_GPC] = pf_pma_gpc(sample), [SAMPLE_TPC] = pf_pma_tpc(sample), [SAMPLE_SM] = pf_pma_sm(sample),
        [SAMPLE_PC] = (int64_t)sample->pc, [SAMPLE_KEY] = sample->key,        [SAMPLE_WAVE] = sample->wave,
        [SAMPLE_ACTIVE] = sample->active};
    for (unsigned column = SAMPLE_GPC; column <= SAMPLE_ACTIVE; column++) {
        if (column != SAMPLE_REASON) {
            pf_hw_set(s->h, PF_HW_PMA_SAMPLE, column, row, numbers[column]);
        }
    }
    pf_hw_refer(s->h, PF_HW_PMA_SAMPLE, SAMPLE_STREAM, row, s->row);
    pf_hw_refer(s->h, PF_HW_PMA_SAMPLE, SAMPLE_REASON, row, s->reasons[sample->reason]);
}

static pf_status list_samples(pma_stream *s, pf_bytes blob, int64_t sm_version, pf_error *err)
{
    uint32_t *left = &s->h->rows_left[PF_HW_PMA_SAMPLE], row;
    pf_pma_sample samples[PF_PMA_BATCH];
    if (s->stalls.count == 0 || s->stalls.count > *left) {
        *left = s->stalls.count ? 0 : *left;
        return PF_OK;
    }
    pf_status st = pf_side_add_rows(s->h->table[PF_HW_PMA_SAMPLE], (uint32_t)s->stalls.count, &row, err);
    if (st != PF_OK) {
        return st;
    }
    *left -= (uint32_t)s->stalls.count;
    pf_hw_refer(s->h, PF_HW_PMA, PMA_FIRST_SAMPLE, s->row, row);
    pf_pma_start(&s->decoder, blob, sm_version);
    for (unsigned n; pf_pma_next(&s->decoder, samples, &n);) {
        for (unsigned i = 0; i < n; i++) {
            set_sample(s, row++, &samples[i]);
        }
    }
    return PF_OK;
}

static pf_status fill_stream(pma_stream *s, pf_bytes blob, pf_error *err)
{
    int64_t sm_version = *pf_side_number(s->h->table[PF_HW_PMA], PMA_SM_VERSION, s->row);
    pf_pma_start(&s->decoder, blob, sm_version);
    collect(s);
    pf_hw_set(s->h, PF_HW_PMA, PMA_SAMPLES, s->row, (int64_t)s->stalls.count);
    pf_hw_set(s->h, PF_HW_PMA, PMA_DROPPED, s->row, (int64_t)s->decoder.dropped);
    pf_status st = name_reasons(s, err);
    st = st == PF_OK ? list_stalls(s, err) : st;
    return st == PF_OK ? list_samples(s, blob, sm_version, err) : st;
}

static pf_status read_stream(pma_stream *s, pf_bytes blob, pf_error *err)
{
    pf_budget *budget = &s->h->p->t->budget;
    size_t room = blob.len / 8, bytes = room * sizeof *s->stalls.key;
    s->stalls.room = room;
    s->stalls.key = pf_alloc(budget, bytes);
    if (!s->stalls.key) {
        return pf_budget_refused(budget, bytes, err);
    }
    pf_status st = fill_stream(s, blob, err);
    pf_release(budget, s->stalls.key, bytes);
    return st;
}

pf_status pf_hw_read_pma(pf_hardware *h, uint32_t event, uint32_t object, pf_error *err)
{
    pf_bytes blob = pf_hw_bytes(h, object, "blob");
    pf_budget *budget = &h->p->t->budget;
    uint32_t row = PF_NONE;
    pf_status st = pf_hw_spend_stream(h, blob.len, err);
    st = st == PF_OK ? pf_hw_add_row(h, PF_HW_PMA, &row, err) : st;
    if (st != PF_OK) {
        return st;
    }
    pf_hw_refer(h, PF_HW_PMA, PMA_EVENT, row, event);
    pf_hw_set(h, PF_HW_PMA, PMA_EXECUTION, row, pf_tiny_number(h->p, object, "exec_tag", 0));
    pf_hw_set(h, PF_HW_PMA, PMA_SM_VERSION, row, pf_hw_property(h, event, "sm_version", SM_DEFAULT));
    pf_hw_set(h, PF_HW_PMA, PMA_BYTES, row, (int64_t)blob.len);
    st = pf_hw_set_kernel(h, PF_HW_PMA, PMA_KERNEL, row, object, err);
    st = st == PF_OK ? pf_hw_set_key(h, PF_HW_PMA, PMA_KEY, row, object, err) : st;
    pma_stream *s = st == PF_OK ? pf_alloc_zero(budget, 1, sizeof *s) : NULL;
    if (!s) {
        return st == PF_OK ? pf_budget_refused(budget, sizeof *s, err) : st;
    }
    s->h = h;
    s->row = row;
    st = read_stream(s, blob, err);
    pf_release(budget, s, sizeof *s);
    return st;
}
