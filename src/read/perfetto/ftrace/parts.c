/* read/perfetto/ftrace/parts.c - entries of bundles that are read when their turn comes.
 *
 * A capture is mostly bundles whose times are in order. As bytes in the file an entry takes 10 bytes, or 50 as a plain
 * event, and no memory; decoded it takes 24 or 40, which the system would have to find, clear and take back. Decoding
 * twice is cheaper, and the second time any thread may do it.
 */
#include "base/list.h"
#include "read/perfetto/ftrace/ftrace.h"

bool pf_part_read(const pf_ftrace *f, pf_queue_kind kind, const pf_part *part, pf_ftrace_bundle *scratch, void *into)
{
    if (kind != PF_QUEUE_EVENTS) {
        unsigned list = 1u << kind; /* queues of bundles are numbered as these */
        const pf_sched_into all = {into, part->count, part->shift, f->text + part->texts, f->texts - part->texts};
        return pf_ftrace_read_entries(part->bytes, part->len, list, &all, scratch) == PF_OK;
    }
    const pf_events_into all = {into, part->count, part->bundle, part->shift, part->beyond};
    return pf_ftrace_read_events(part->bytes, part->len, &all, scratch) == PF_OK;
}

bool pf_parts_expand(pf_import *im, pf_ftrace_queue *q)
{
    pf_budget *budget = &im->t->budget;
    size_t size = pf_queue_entry_size(q->kind);
    pf_ftrace_bundle scratch = {.budget = budget};
    bool fine = !pf_import_failed(im) &&
                (q->in_parts <= q->room ||
                 pf_list_grow(budget, &q->of.any, size, q->in_parts, &q->room, sizeof q->room, im->err) == PF_OK);
    for (uint32_t i = 0; i < q->parts && fine; i++) {
        fine = pf_part_read(im->ftrace, q->kind, &q->part[i], &scratch, (char *)q->of.any + q->count * size);
        q->count += fine ? q->part[i].count : 0;
    }
    if (!fine && !pf_import_failed(im)) {
        pf_import_refuse(im, PF_PART_MOST * size);
    }
    pf_ftrace_bundle_free(&scratch);
    PF_LIST_FREE(budget, q->part, q->part_room);
    q->part = NULL;
    q->parts = q->part_room = 0;
    q->in_parts = 0;
    return fine;
}
