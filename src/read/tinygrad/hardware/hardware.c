/* read/tinygrad/hardware/hardware.c - from events that carry bytes to the tables of what is in them. */
#include "read/tinygrad/hardware/hardware.h"

#include "base/list.h"

/* Byte strings that a pickle shares cost little in the file and much to decode, so what is decoded is counted. */
enum { STREAM_TIMES = 4, CODE_TIMES = 64, SPARE_BYTES = 16 << 20 };

typedef pf_status (*read_event)(pf_tiny_hardware *h, uint32_t event, uint32_t object);

/* Every event of the kind. */
static pf_status each(pf_tiny_hardware *h, uint32_t first, pf_tiny_kind kind, read_event read)
{
    pf_tiny_profile *p = h->p;
    const pf_side_table *events = p->table[PF_TINY_EVENT];
    const volatile int *cancel = p->r->o->cancel;
    for (uint32_t i = first; i < events->count; i++) {
        if (*pf_side_ref(events, EVENT_KIND, i) == p->kinds[kind]) {
            PF_TRY(cancel && *cancel ? pf_fail(p->err, PF_ERR_CANCELLED, "cancelled") : PF_OK);
            PF_TRY(pf_tiny_name_opcode(p, i, read(h, i, pf_tiny_event_object(p, i))));
        }
    }
    return PF_OK;
}

static pf_status fill(pf_tiny_hardware *h, uint32_t first)
{
    static const pf_tiny_table listed[] = {PF_TINY_PACKET, PF_TINY_OCCUPANCY, PF_TINY_SLICE, PF_TINY_PMA_SAMPLE};
    const pf_side_table *devices = h->p->table[PF_TINY_DEVICE];
    for (uint32_t i = 0; i < devices->count; i++) { /* the last event that describes a device counts */
        PF_TRY(pf_map_put(&h->devices, *pf_side_ref(devices, DEVICE_NAME, i), i, h->p->err));
    }
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++) {
        int64_t left = h->p->stream_rows - (int64_t)h->p->table[listed[i]]->count;
        h->rows_left[listed[i]] = left < 0 ? 0 : left > UINT32_MAX ? UINT32_MAX : (uint32_t)left;
    }
    PF_TRY(each(h, first, PF_TINY_KIND_PROGRAM, pf_tiny_read_program));
    PF_TRY(each(h, first, PF_TINY_KIND_SQTT, pf_tiny_read_stream));
    PF_TRY(each(h, first, PF_TINY_KIND_PMC, pf_tiny_read_pmc));
    return each(h, first, PF_TINY_KIND_PMA, pf_tiny_read_pma);
}

pf_status pf_tiny_read_hardware(pf_tiny_profile *p, uint32_t first_event)
{
    pf_budget *budget = &p->t->budget;
    pf_tiny_hardware *h;
    PF_TRY(PF_LIST_NEW(budget, h, 1, p->err));
    h->p = p;
    h->stream_bytes_left = STREAM_TIMES * p->input_bytes + SPARE_BYTES;
    h->code_bytes_left = CODE_TIMES * p->input_bytes + SPARE_BYTES;
    h->code_of = PF_NONE;
    h->code.budget = budget;
    pf_map_init(&h->programs, budget);
    pf_map_init(&h->slots, budget);
    pf_map_init(&h->devices, budget);
    pf_status st = fill(h, first_event);
    pf_map_free(&h->programs);
    pf_map_free(&h->slots);
    pf_map_free(&h->devices);
    pf_amd_code_free(&h->code);
    if (h->has_streams) {
        pf_sqtt_trace_free(&h->trace);
        pf_sqtt_waves_free(&h->waves);
    }
    PF_LIST_FREE(budget, h, 1);
    return st;
}
