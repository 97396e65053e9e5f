/* perfetto/decode/batch_lists.c - batches of rows: memory, which decoder fills them, and the way back from a row
 * to the record of its packet. */
#include "perfetto/decode/batch.h"
#include "perfetto/fields.h"

pf_rows *pf_rows_new(pf_budget *budget)
{
    pf_rows *b = pf_alloc(budget, sizeof *b);
    if (b) {
        b->budget = budget;
        b->known = NULL;
        b->known_bytes = 0;
        b->bytes = NULL;
        b->count = b->records = b->values = 0;
        b->places = b->labels = 1;
        b->stale = true;
        b->renewed = b->marks_steps = false;
        b->has_shapes = false;
        b->bundle = NULL;
        b->bundle_room = 0;
        b->misses = 0;
        b->place[0] = (pf_row_place){.clock = UINT32_MAX};
        b->label[0] = (pf_row_label){.text = UINT32_MAX};
    }
    return b;
}

void pf_rows_free(pf_rows *b)
{
    if (b) {
        pf_rows_free_bundles(b);
        pf_release(b->budget, b->known, b->known_bytes);
        pf_release(b->budget, b, sizeof *b);
    }
}

pf_record pf_rows_record(const pf_rows *b, size_t i, uint64_t value)
{
    uint32_t what = b->where[i].what;
    if (!(what & PF_ROW_TYPE)) {
        return b->record[b->at[i]];
    }
    const pf_row_place *place = &b->place[b->place_of[i]];
    const pf_row_label *label = &b->label[b->label_of[i]];
    const uint8_t *start = b->bytes + b->at[i];
    uint8_t header = (uint8_t)pf_row_header(&b->where[i]);
    uint32_t has = PF_HAS_TIMESTAMP | PF_HAS_SEQUENCE | PF_HAS_TYPE;
    has |= place->clock & PF_PLACE_HAS_UUID ? PF_HAS_UUID : 0;
    has |= label->text ? PF_HAS_NAME : 0;
    has |= label->category ? PF_HAS_CATEGORY : 0;
    has |= what & PF_ROW_HAS_ARGS ? PF_HAS_ARGS : 0;
    has |= what & PF_ROW_HAS_FLOWS ? PF_HAS_FLOWS : 0;
    has |= what & PF_ROW_HAS_INT ? PF_HAS_INT : 0;
    has |= what & PF_ROW_HAS_DOUBLE ? PF_HAS_DOUBLE : 0;
    return (pf_record){.packet = start + header,
                       .event = start + b->where[i].event,
                       .timestamp = b->timestamp[i],
                       .track_uuid = place->uuid,
                       .name_iid = label->name_iid,
                       .name = label->text ? label->name : NULL,
                       .category = label->category,
                       .value = has & (PF_HAS_INT | PF_HAS_DOUBLE) ? value : 0,
                       .packet_len = (uint32_t)b->where[i].size - header,
                       .event_len = b->where[i].event_len,
                       .name_len = label->text ? label->text - 1 : 0,
                       .sequence = place->sequence,
                       .clock = place->clock & PF_PLACE_CLOCK,
                       .has = has,
                       .header = header,
                       .kind = PF_RECORD_EVENT,
                       .type = what & PF_ROW_TYPE,
                       .sequence_flags = place->clock & PF_PLACE_NEEDS_STATE ? PF_SEQ_NEEDS_STATE : 0};
}

/* BMI2 gathers the bits of a varint in one instruction, where plain code takes a dozen; AVX2 compares 32 bytes with a
 * shape. The first two generations of Zen have the instruction, but take hundreds of cycles for it. */
pf_rows_decoder pf_rows_choose(void)
{
#ifdef PF_HAVE_BMI2
    bool able = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("avx2");
    if (able && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2")) {
        return pf_rows_decode_bmi2;
    }
#endif
    return pf_rows_decode;
}
