/* read/tinygrad/hardware/hardware_pma.c - samples of program counters, and how often each instruction stood why. */
#include <stdlib.h>

#include "base/ordering.h"
#include "read/tinygrad/counters/counters.h"
#include "read/tinygrad/hardware/hardware.h"

enum { SM_DEFAULT = 0x800, REASON_BITS = 4 };

PF_ORDER(compare_keys, uint64_t, PF_COMPARE(*x, *y));

typedef struct pma_stream {
    pf_tiny_profile *p;
    uint32_t row; /* of tinygrad_pma */
    pf_bytes blob;
    int64_t sm_version;
    pf_pma_decoder decoder;
    uint64_t *keys; /* of samples: program counters are multiples of 16, so that a reason fits below them */
    size_t count;
    uint32_t reasons[PF_PMA_REASONS]; /* string ids */
} pma_stream;

/* All samples of the stream, in their order; count of them were made room for. */
static void collect(pma_stream *s)
{
    pf_pma_sample samples[PF_PMA_BATCH];
    pf_pma_start(&s->decoder, s->blob, s->sm_version);
    for (unsigned n; pf_pma_next(&s->decoder, samples, &n);) {
        for (unsigned i = 0; i < n && s->count < s->blob.len / 8; i++) {
            s->keys[s->count++] = samples[i].pc | samples[i].reason;
        }
    }
}

static pf_status list_stalls(pma_stream *s)
{
    const uint64_t *keys = s->keys;
    qsort(s->keys, s->count, sizeof *s->keys, compare_keys);
    for (size_t i = 0, end; i < s->count; i = end) {
        for (end = i + 1; end < s->count && keys[end] == keys[i]; end++) {
        }
        int64_t pc = (int64_t)(keys[i] >> REASON_BITS << REASON_BITS);
        PF_TRY(
            pf_tiny_put(s->p, PF_TINY_PMA_STALL, PF_CELLS(s->row, pc, s->reasons[keys[i] & 15], (int64_t)(end - i))));
    }
    return PF_OK;
}

/* Decodes once more: the list above has lost the order. */
static pf_status list_samples(pma_stream *s)
{
    pf_side_table *table = s->p->table[PF_TINY_PMA_SAMPLE];
    pf_pma_sample samples[PF_PMA_BATCH];
    uint32_t row;
    PF_TRY(pf_side_add_rows(table, (uint32_t)s->count, &row, s->p->err));
    *pf_tiny_ref_at(s->p, PF_TINY_PMA, PMA_FIRST_SAMPLE, s->row) = row;
    pf_pma_start(&s->decoder, s->blob, s->sm_version);
    for (unsigned n; pf_pma_next(&s->decoder, samples, &n);) {
        for (unsigned i = 0; i < n; i++) {
            const pf_pma_sample *m = &samples[i];
            pf_side_set_row(table, row++,
                            (const int64_t[]){s->row, pf_pma_gpc(m), pf_pma_tpc(m), pf_pma_sm(m), (int64_t)m->pc,
                                              s->reasons[m->reason], m->key, m->wave, m->active});
        }
    }
    return PF_OK;
}

static pf_status fill_stream(pf_tiny_hardware *h, pma_stream *s, uint32_t event, uint32_t object)
{
    pf_tiny_profile *p = s->p;
    pf_tiny_kernel kernel = pf_tiny_kernel_of(p, object);
    int64_t execution = pf_tiny_number(p, object, "exec_tag", 0), count = (int64_t)s->count;
    PF_TRY(pf_tiny_put(p, PF_TINY_PMA,
                       PF_CELLS(event, kernel.name, kernel.tag, execution, s->sm_version, (int64_t)s->blob.len, count,
                                (int64_t)s->decoder.dropped, PF_NONE, pf_tiny_key_id(p, object))));
    s->row = pf_tiny_last(p, PF_TINY_PMA);
    for (unsigned i = 0; i < PF_PMA_REASONS; i++) {
        s->reasons[i] = pf_tiny_word(p, pf_pma_reason_name((pf_pma_reason)i));
    }
    PF_TRY(list_stalls(s));
    return count && pf_tiny_takes_rows(h, PF_TINY_PMA_SAMPLE, (uint64_t)count) ? list_samples(s) : p->text_status;
}

pf_status pf_tiny_read_pma(pf_tiny_hardware *h, uint32_t event, uint32_t object)
{
    pf_tiny_profile *p = h->p;
    pf_bytes blob = pf_tiny_bytes(p, object, "blob");
    pma_stream *s;
    PF_TRY(pf_tiny_spend(h, &h->stream_bytes_left, blob.len));
    pf_arena_reset(&p->arena);
    PF_TRY(PF_ARENA_NEW(&p->arena, s, 1, p->err));
    PF_TRY(PF_ARENA_NEW(&p->arena, s->keys, blob.len / 8, p->err));
    s->p = p;
    s->blob = blob;
    s->sm_version = pf_tiny_property(h, event, "sm_version", SM_DEFAULT);
    collect(s);
    return fill_stream(h, s, event, object);
}
