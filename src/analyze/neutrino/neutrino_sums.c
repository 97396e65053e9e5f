/* analyze/neutrino/neutrino_sums.c - analyses that add up what threads wrote: global memory bytes, tensor operations,
 * sampled progress (docs/reference/neutrino.md, "Analyses"). */
#include <inttypes.h>

#include "analyze/neutrino/facts/neutrino.h"

/* Lists of numbers by block or thread are left out of documents beyond this length. */
#define LIST_MAX 65536u

static pf_node *list_of(const neutrino_run *n, uint64_t length)
{
    return length <= LIST_MAX ? pf_node_root(n->f, PF_NODE_LIST) : NULL;
}

/* Units of the block that begins with unit `u`. */
static uint64_t units_from(const neutrino_records *r, uint64_t u)
{
    return r->complete - u < r->per_block ? r->complete - u : r->per_block;
}

/* Sums of two u32 fields over a stretch of records; most records are those two alone. */
static void add_pairs(const uint8_t *p, uint64_t records, uint64_t stride, size_t a, size_t b, uint64_t *sum)
{
    uint64_t x = 0, y = 0;
    for (uint64_t i = 0; i < records; i++, p += stride) {
        x += pf_little_u32(p + a);
        y += pf_little_u32(p + b);
    }
    sum[0] += x;
    sum[1] += y;
}

pf_status pf_neutrino_add_gmem(const neutrino_run *n, const neutrino_records *r, uint64_t *sum, pf_node *list,
                               pf_error *err)
{
    unsigned bytes[2];
    size_t a = pf_neutrino_field(n, r, "sync_bytes", &bytes[0]), b = pf_neutrino_field(n, r, "async_bytes", &bytes[1]);
    uint64_t gone = 0;
    sum[0] = sum[1] = 0;
    if (bytes[0] != 4 || bytes[1] != 4) {
        return pf_fail(err, PF_ERR_INPUT, "%.*s: fields sync_bytes and async_bytes: are not u32; check the map",
                       (int)r->file.len, r->file.ptr);
    }
    for (uint64_t u = 0; u < r->complete; u += r->per_block) {
        uint64_t before = sum[0] + sum[1];
        add_pairs(r->data + u * r->unit_bytes, units_from(r, u) * r->capacity, r->record_bytes, a, b, sum);
        pf_neutrino_put_u64(n, list, NULL, sum[0] + sum[1] - before);
        PF_TRY(pf_neutrino_passed(n, r, u, &gone, err));
    }
    return PF_OK;
}

pf_status pf_neutrino_gmem(neutrino_run *n, const neutrino_records *r, pf_error *err)
{
    uint64_t sum[2];
    pf_node *root = pf_node_root(n->f, PF_NODE_OBJECT), *blocks = list_of(n, r->blocks);
    PF_TRY(pf_neutrino_add_gmem(n, r, sum, blocks, err));
    uint64_t all = sum[0] + sum[1];
    pf_str line = pf_findings_format(n->f, "gmem_bytes:%" PRIu64, all);
    PF_NEUTRINO_PUT_NUMBERS(n, root, {"sync_bytes", sum[0]}, {"async_bytes", sum[1]}, {"gmem_bytes", all});
    pf_neutrino_put_text(n, root, "line", line);
    pf_node_copy(n->f, root, PF_STR("per_block"), blocks);
    PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_GMEM, {.as.s = r->file}, pf_cell_text(r->kernel), pf_cell_count(sum[0]),
                    pf_cell_count(sum[1]), pf_cell_count(all));
    pf_neutrino_report(n, "gmem_bytes", r, root);
    pf_neutrino_print(n, line);
    pf_neutrino_add_fact(n, r, "sync_bytes", sum[0], false);
    pf_neutrino_add_fact(n, r, "async_bytes", sum[1], false);
    pf_neutrino_add_fact(n, r, "gmem_bytes", all, false);
    return PF_OK;
}

pf_status pf_neutrino_tensorop(neutrino_run *n, const neutrino_records *r, pf_error *err)
{
    unsigned bytes;
    size_t at = pf_neutrino_field(n, r, "count", &bytes);
    uint64_t total = 0, max = 0, gone = 0;
    pf_node *root = pf_node_root(n->f, PF_NODE_OBJECT), *list = list_of(n, r->blocks);
    for (uint64_t u = 0; u < r->complete; u += r->per_block) {
        uint64_t units = units_from(r, u), block = 0;
        for (uint64_t i = 0; i < units; i++) {
            uint64_t thread = 0;
            for (uint64_t k = 0; k < r->capacity; k++) {
                thread += pf_neutrino_value(r->data + (u + i) * r->unit_bytes + k * r->record_bytes, at, bytes);
            }
            block += thread;
            max = thread > max ? thread : max;
        }
        total += block;
        pf_neutrino_put_u64(n, list, NULL, block);
        PF_TRY(pf_neutrino_passed(n, r, u, &gone, err));
    }
    PF_NEUTRINO_PUT_NUMBERS(n, root, {"total", total}, {"max", max});
    pf_node_copy(n->f, root, PF_STR("per_block"), list);
    PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_TENSOROP, {.as.s = r->file}, pf_cell_text(r->kernel), pf_cell_count(total),
                    pf_cell_count(max));
    pf_neutrino_report(n, "tensorop", r, root);
    pf_neutrino_add_fact(n, r, "tensor_ops", total, false);
    return PF_OK;
}

typedef struct progress {
    uint64_t samples, first, last, clocks; /* clocks: from first to last sample, over all threads */
    uint64_t intervals;
} progress;

/* The samples of a thread end at the first zero. */
static uint64_t add_thread(progress *p, const neutrino_records *r, uint64_t unit, size_t at, unsigned bytes)
{
    const uint8_t *record = r->data + unit * r->unit_bytes;
    uint64_t count = 0, first = 0, last = 0;
    for (; count < r->capacity; count++, record += r->record_bytes) {
        uint64_t clock = pf_neutrino_value(record, at, bytes);
        if (clock == 0) {
            break;
        }
        first = count ? first : clock;
        last = clock;
        p->first = !(p->samples + count) || clock < p->first ? clock : p->first;
        p->last = clock > p->last ? clock : p->last;
    }
    p->samples += count;
    if (count > 1 && last > first) {
        p->clocks += last - first;
        p->intervals += count - 1;
    }
    return count;
}

pf_status pf_neutrino_progress(neutrino_run *n, const neutrino_records *r, pf_error *err)
{
    unsigned bytes;
    size_t at = pf_neutrino_field(n, r, "clock", &bytes);
    progress p = {.samples = 0};
    uint64_t gone = 0;
    pf_node *root = pf_node_root(n->f, PF_NODE_OBJECT), *list = list_of(n, r->complete);
    for (uint64_t u = 0; u < r->complete; u++) {
        uint64_t count = add_thread(&p, r, u, at, bytes);
        pf_neutrino_put_u64(n, list, NULL, count);
        PF_TRY(u % 4096 == 0 ? pf_neutrino_passed(n, r, u, &gone, err) : PF_OK);
    }
    pf_neutrino_put_u64(n, root, "samples", p.samples);
    pf_node_copy(n->f, root, PF_STR("per_thread"), list);
    PF_NEUTRINO_PUT_NUMBERS(n, root, {"first", p.first}, {"last", p.last});
    PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_PROGRESS, {.as.s = r->file}, pf_cell_text(r->kernel), pf_cell_count(r->complete),
                    pf_cell_count(p.samples), pf_cell_count(p.first), pf_cell_count(p.last),
                    pf_cell_real((double)p.intervals / (double)p.clocks));
    pf_neutrino_report(n, "program_progress", r, root);
    return PF_OK;
}
