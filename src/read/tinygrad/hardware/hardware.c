/* read/tinygrad/hardware/hardware.c - from events that carry bytes to the tables of what is in them. */
#include "read/tinygrad/hardware/hardware.h"

#include <string.h>

/* Byte strings that a pickle shares cost little in the file and much to decode, so what is decoded is counted. */
enum { STREAM_TIMES = 4, CODE_TIMES = 64, SPARE_BYTES = 16 << 20 };

/* ---- what events say --------------------------------------------------------------------------------------------- */

uint64_t pf_hw_key(uint32_t text, int64_t tag)
{
    return text ? (uint64_t)1 << 63 | text : (uint64_t)tag & ~((uint64_t)1 << 63);
}

pf_status pf_hw_set_kernel(pf_hardware *h, pf_hw_table table, unsigned column, uint32_t row, uint32_t object,
                           pf_error *err)
{
    int64_t tag = pf_tiny_number(h->p, object, "kern", INT64_MIN);
    pf_hw_set(h, table, column + 1, row, tag);
    return tag == INT64_MIN ? pf_hw_text(h, table, column, row, pf_tiny_text(h->p, object, "kern"), err) : PF_OK;
}

pf_status pf_hw_set_key(pf_hardware *h, pf_hw_table table, unsigned column, uint32_t row, uint32_t object,
                        pf_error *err)
{
    char hex[PF_TINY_HEX];
    pf_bytes key = pf_hw_bytes(h, object, "profile_key");
    return key.ptr ? pf_hw_text(h, table, column, row, pf_tiny_hex(key, hex), err) : PF_OK;
}

pf_bytes pf_hw_bytes(const pf_hardware *h, uint32_t object, const char *field)
{
    return pf_pickle_bytes(&h->p->values, pf_pickle_field(&h->p->values, object, field));
}

int64_t pf_hw_property(const pf_hardware *h, uint32_t event, const char *name, int64_t otherwise)
{
    uint32_t device = *pf_side_ref(h->p->table[PF_TINY_EVENT], EVENT_DEVICE, event);
    uint32_t at = pf_map_get(&h->devices, device);
    return at == PF_NONE ? otherwise : pf_tiny_number(h->p, pf_tiny_props(h->p, at), name, otherwise);
}

static pf_status spend(uint64_t *left, uint64_t bytes, pf_error *err)
{
    if (bytes > *left) {
        return pf_fail(err, PF_ERR_LIMIT,
                       "the pickle repeats its byte strings so often that decoding them would take many times the size "
                       "of the file; it is not a profile that tinygrad wrote");
    }
    *left -= bytes;
    return PF_OK;
}

pf_status pf_hw_spend_stream(pf_hardware *h, size_t bytes, pf_error *err)
{
    return spend(&h->stream_bytes_left, bytes, err);
}

pf_status pf_hw_spend_code(pf_hardware *h, size_t bytes, pf_error *err)
{
    return spend(&h->code_bytes_left, bytes, err);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

typedef pf_status (*read_event)(pf_hardware *h, uint32_t event, uint32_t object, pf_error *err);

/* Every event of the kind. */
static pf_status each(pf_hardware *h, uint32_t first, pf_tiny_kind kind, read_event read, pf_error *err)
{
    const pf_side_table *events = h->p->table[PF_TINY_EVENT];
    const volatile int *cancel = h->p->r->o->cancel;
    pf_status st = PF_OK;
    for (uint32_t i = first; st == PF_OK && i < events->count; i++) {
        if (*pf_side_ref(events, EVENT_KIND, i) != h->p->kinds[kind]) {
            continue;
        }
        st = cancel && *cancel ? pf_fail(err, PF_ERR_CANCELLED, "cancelled")
                               : read(h, i, pf_tiny_event_object(h->p, i), err);
        st = pf_tiny_name_opcode(h->p, i, st, err);
    }
    return st;
}

static pf_status read_all(pf_hardware *h, uint32_t first, pf_error *err)
{
    static const struct {
        pf_tiny_kind kind;
        read_event read;
    } steps[] = {{PF_TINY_PROGRAM, pf_hw_read_program},
                 {PF_TINY_SQTT, pf_hw_read_stream},
                 {PF_TINY_PMC, pf_hw_read_pmc},
                 {PF_TINY_PMA, pf_hw_read_pma}};
    pf_status st = PF_OK;
    for (size_t i = 0; st == PF_OK && i < sizeof steps / sizeof steps[0]; i++) {
        st = each(h, first, steps[i].kind, steps[i].read, err);
    }
    return st;
}

static uint32_t left_of(const pf_hardware *h, pf_hw_table table, int64_t rows)
{
    uint32_t there = h->table[table]->count;
    int64_t left = rows - (int64_t)there;
    return left < 0 ? 0 : left > UINT32_MAX ? UINT32_MAX : (uint32_t)left;
}

/* The last event that describes a device counts. */
static pf_status find_devices(pf_hardware *h, pf_error *err)
{
    const pf_side_table *devices = h->p->table[PF_TINY_DEVICE];
    for (uint32_t i = 0; i < devices->count; i++) {
        if (!pf_map_set(&h->devices, *pf_side_ref(devices, DEVICE_NAME, i), i)) {
            return pf_budget_refused(&h->p->t->budget, 0, err);
        }
    }
    return PF_OK;
}

static void forget(pf_hardware *h)
{
    pf_map_free(&h->programs);
    pf_map_free(&h->slots);
    pf_map_free(&h->devices);
    pf_amd_code_free(&h->code);
    if (h->has_streams) {
        pf_sqtt_trace_free(&h->trace);
        pf_sqtt_waves_free(&h->waves);
    }
}

static pf_status fill(pf_hardware *h, uint32_t first, int64_t stream_rows, pf_error *err)
{
    pf_status st = pf_hw_add_tables(h, err);
    h->p->records = h->table[PF_HW_RECORD];
    st = st == PF_OK ? find_devices(h, err) : st;
    if (st == PF_OK) {
        h->rows_left[PF_HW_PACKET] = left_of(h, PF_HW_PACKET, stream_rows);
        h->rows_left[PF_HW_OCCUPANCY] = left_of(h, PF_HW_OCCUPANCY, stream_rows);
        h->rows_left[PF_HW_SLICE] = left_of(h, PF_HW_SLICE, stream_rows);
        h->rows_left[PF_HW_PMA_SAMPLE] = left_of(h, PF_HW_PMA_SAMPLE, stream_rows);
        st = read_all(h, first, err);
    }
    return st;
}

pf_status pf_tiny_read_hardware(pf_tiny_profile *p, uint32_t first_event, int64_t stream_rows, pf_error *err)
{
    pf_budget *budget = &p->t->budget;
    pf_hardware *h = pf_alloc_zero(budget, 1, sizeof *h);
    if (!h) {
        return pf_budget_refused(budget, sizeof *h, err);
    }
    h->p = p;
    h->stream_bytes_left = STREAM_TIMES * p->input_bytes + SPARE_BYTES;
    h->code_bytes_left = CODE_TIMES * p->input_bytes + SPARE_BYTES;
    h->code_of = PF_NONE;
    h->code.budget = budget;
    pf_map_init(&h->programs, budget);
    pf_map_init(&h->slots, budget);
    pf_map_init(&h->devices, budget);
    pf_status st = fill(h, first_event, stream_rows, err);
    forget(h);
    pf_release(budget, h, sizeof *h);
    return st;
}
