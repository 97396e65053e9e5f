/* model/build/build_columns.c - many events and samples from arrays, as they would be added one by one. */
#include "model/build/builder.h"

/* The text of a row, {NULL, 0} where it has none. */
static pf_str text_at(pf_builder *b, const pf_build_values *v, size_t i)
{
    uint32_t number = ((const uint32_t *)v->values)[i];
    if (number == PF_NONE) {
        return (pf_str){NULL, 0};
    }
    if (number >= v->text_count) {
        pf_builder_fail(b, "row %zu has string %u; there are %u strings", i, number, v->text_count);
        return (pf_str){NULL, 0};
    }
    return v->texts[number];
}

static void add_arg(pf_builder *b, const pf_build_column *column, size_t i)
{
    const void *values = column->of.values;
    pf_str text;
    switch (column->of.type) {
    case PF_VALUE_INT:
        pf_build_arg_int(b, column->key, ((const int64_t *)values)[i]);
        break;
    case PF_VALUE_REAL:
        pf_build_arg_real(b, column->key, ((const double *)values)[i]);
        break;
    case PF_VALUE_BOOL:
        pf_build_arg_bool(b, column->key, ((const uint8_t *)values)[i]);
        break;
    case PF_VALUE_STRING:
        text = text_at(b, &column->of, i);
        if (text.ptr) {
            pf_build_arg_text(b, column->key, text);
        }
        break;
    default:
        pf_builder_fail(b, "arguments '%.*s' are of type %d; columns are INT, REAL, BOOL or STRING",
                        (int)column->key.len, column->key.ptr, (int)column->of.type);
        break;
    }
}

void pf_build_slices(pf_builder *b, uint32_t track, const pf_build_rows *rows)
{
    if (rows->names && rows->names->type != PF_VALUE_STRING) {
        pf_builder_fail(b, "names are of type %d, not STRING", (int)rows->names->type);
    }
    for (size_t i = 0; i < rows->count && pf_builder_open(b); i++) {
        pf_str name = rows->names ? text_at(b, rows->names, i) : rows->name;
        if (rows->dur) {
            pf_build_slice(b, track, rows->ts[i], rows->dur[i], name);
        } else {
            pf_build_instant(b, track, rows->ts[i], name);
        }
        if (rows->category.ptr) {
            pf_build_category(b, rows->category);
        }
        for (size_t k = 0; k < rows->arg_count; k++) {
            add_arg(b, &rows->args[k], i);
        }
    }
}

void pf_build_samples(pf_builder *b, uint32_t track, size_t count, const int64_t *ts, const double *values)
{
    for (size_t i = 0; i < count && pf_builder_open(b); i++) {
        pf_build_sample(b, track, ts[i], values[i]);
    }
}
