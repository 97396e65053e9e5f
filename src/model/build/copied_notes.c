/* model/build/copied_notes.c - what a copied event said in Chrome JSON (model/trace/json_notes.h), as far as it still
 * says that: members that were changed are taken from the row, like those that no note mentions.
 */
#include "model/build/builder.h"
#include "model/trace/json_notes.h"
#include "wire/cursor.h"

static bool is_changed(uint32_t field, uint32_t changed)
{
    return field == PF_ORIGIN_WHOLE || (field >= PF_ORIGIN_MEMBER && field < PF_ORIGIN_MEMBER + PF_MEMBER_COUNT &&
                                        changed >> (field - PF_ORIGIN_MEMBER) & 1);
}

pf_status pf_builder_copy_note(pf_builder *b, pf_str note, uint32_t changed)
{
    pf_error *err = &b->error;
    if (!changed) {
        return pf_trace_add_origin(b->t, (const uint8_t *)note.ptr, note.len, false, err);
    }
    pf_cursor c = pf_cursor_over((const uint8_t *)note.ptr, note.len);
    pf_writer w;
    pf_field f;
    b->text.len = 0;
    pf_writer_init(&w, &b->text);
    while (note.len && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        uint32_t number = pf_field_number(&f);
        if (is_changed(number, changed)) {
            continue;
        }
        if (pf_field_wire(&f) == PF_WIRE_BYTES) {
            pf_writer_bytes(&w, number, f.bytes, f.len);
        } else if (pf_field_wire(&f) == PF_WIRE_VARINT) {
            pf_writer_varint(&w, number, f.value);
        }
    }
    PF_TRY(b->text.failed ? pf_no_memory(err) : PF_OK);
    return b->text.len ? pf_trace_add_origin(b->t, (const uint8_t *)b->text.data, b->text.len, true, err) : PF_OK;
}
