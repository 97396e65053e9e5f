/* perfetto/inflate.h - what compressed_packets and zstd_compressed_packets hold (docs/reference/perfetto.md,
 * "Compressed packets"): one zlib or gzip stream, or one zstd frame, whose content is a run of packets. It is inflated
 * as a whole (packets may cross any smaller unit), within the limits of the input.
 */
#pragma once

#include "base/budget.h"
#include "wire/cursor.h"

typedef struct pf_inflated {
    uint8_t *data; /* `room` bytes of the budget, PF_SLOP of them zero after the first `len`; to be released */
    size_t len, room;
    bool whole; /* the stream ended where it should; else what was inflated before the damage is here */
} pf_inflated;

/* content: the field, whose number says which of the two it is. before: bytes that compressed packets of the input held
 * so far. Also after an error *out is what there is. Errors: PF_ERR_LIMIT, PF_ERR_MEMORY. */
pf_status pf_inflate_packets(const pf_field *content, uint64_t before, pf_budget *budget, pf_inflated *out,
                             pf_error *err);
