/* read/tinygrad/hardware/hardware_facts.c - what records say of their program and device, and how much of them is still
 * decoded and listed. */
#include "read/tinygrad/hardware/hardware.h"

pf_tiny_kernel pf_tiny_kernel_of(pf_tiny_profile *p, uint32_t object)
{
    int64_t tag = pf_tiny_number(p, object, "kern", INT64_MIN);
    return (pf_tiny_kernel){tag == INT64_MIN ? pf_tiny_id(p, pf_tiny_text(p, object, "kern")) : 0, tag};
}

uint64_t pf_tiny_kernel_key(uint32_t name, int64_t tag)
{
    return name ? (uint64_t)1 << 63 | name : (uint64_t)tag & ~((uint64_t)1 << 63);
}

int64_t pf_tiny_property(const pf_tiny_hardware *h, uint32_t event, const char *name, int64_t otherwise)
{
    uint32_t at = pf_map_get(&h->devices, *pf_tiny_ref_at(h->p, PF_TINY_EVENT, EVENT_DEVICE, event));
    return at == PF_NONE ? otherwise : pf_tiny_number(h->p, pf_tiny_props(h->p, at), name, otherwise);
}

static pf_status spend(const pf_tiny_hardware *h, uint64_t *left, uint64_t bytes)
{
    if (bytes > *left) {
        return pf_fail(h->p->err, PF_ERR_LIMIT,
                       "the pickle repeats its byte strings so often that decoding them would take many times the size "
                       "of the file; it is not a profile that tinygrad wrote");
    }
    *left -= bytes;
    return PF_OK;
}

pf_status pf_tiny_spend_stream(pf_tiny_hardware *h, size_t bytes)
{
    return spend(h, &h->stream_bytes_left, bytes);
}

pf_status pf_tiny_spend_code(pf_tiny_hardware *h, size_t bytes)
{
    return spend(h, &h->code_bytes_left, bytes);
}

bool pf_tiny_takes_rows(pf_tiny_hardware *h, pf_tiny_table table, uint64_t rows)
{
    uint32_t *left = &h->rows_left[table];
    bool fits = rows <= *left;
    *left = fits ? *left - (uint32_t)rows : 0;
    return fits;
}
