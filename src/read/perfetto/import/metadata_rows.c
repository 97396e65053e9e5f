/* read/perfetto/import/metadata_rows.c - metadata rows of this input: a name that is set again gets the new value. */
#include "read/perfetto/import/metadata_rows.h"

pf_status pf_import_set_metadata(pf_import *im, pf_str name, pf_str text, int64_t number)
{
    pf_trace *t = im->t;
    uint32_t id = pf_strings_add(&t->strings, name.ptr, name.len, im->err);
    uint32_t row = id == PF_NONE ? PF_NONE : pf_map_get(&im->about.rows, id);
    if (id == PF_NONE) {
        return im->err->code;
    }
    if (row == PF_NONE) {
        row = t->metadata.count;
        return pf_map_set(&im->about.rows, id, row) ? pf_trace_add_metadata(t, name, text, number, im->err)
                                                    : pf_budget_refused(&t->budget, 1u << 12, im->err);
    }
    uint32_t text_id = text.ptr ? pf_strings_add(&t->strings, text.ptr, text.len, im->err) : 0;
    if (text_id == PF_NONE) {
        return im->err->code;
    }
    t->metadata.text[row] = text_id;
    t->metadata.number[row] = number;
    return PF_OK;
}
