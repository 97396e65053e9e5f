/* model/findings/overlay_columns.c - many slices, instants and samples from arrays, as they would be added one by one.
 */
#include "model/findings/findings.h"

/* For the first row that is wrong; the rows after it are not looked at. */
static void refuse(pf_findings *f, const char *what, size_t row)
{
    pf_error err;
    pf_fail(&err, PF_ERR_USAGE, "%s, row %zu", what, row);
    pf_findings_fail(f, &err);
}

/* The text of a row, {NULL, 0} where it has none. */
static pf_str text_at(pf_findings *f, const pf_build_values *v, size_t i)
{
    uint32_t number = v->type == PF_VALUE_STRING ? ((const uint32_t *)v->values)[i] : PF_NONE - 1;
    if (number != PF_NONE && number >= v->text_count) {
        refuse(f, "a number is beyond the strings that were given", i);
        number = PF_NONE;
    }
    return number == PF_NONE ? (pf_str){NULL, 0} : v->texts[number];
}

static void add_arg(pf_findings *f, const pf_build_column *column, size_t i)
{
    const void *values = column->of.values;
    pf_str text;
    switch (column->of.type) {
    case PF_VALUE_INT:
        pf_overlay_arg_int(f, column->key, ((const int64_t *)values)[i]);
        break;
    case PF_VALUE_REAL:
        pf_overlay_arg_real(f, column->key, ((const double *)values)[i]);
        break;
    case PF_VALUE_BOOL:
        pf_overlay_arg_int(f, column->key, ((const uint8_t *)values)[i] != 0);
        break;
    case PF_VALUE_STRING:
        text = text_at(f, &column->of, i);
        if (text.ptr) {
            pf_overlay_arg_text(f, column->key, text);
        }
        break;
    default:
        refuse(f, "an argument is not INT, REAL, BOOL or STRING", i);
        break;
    }
}

void pf_overlay_slices(pf_findings *f, uint32_t track, const pf_build_rows *rows)
{
    for (size_t i = 0; i < rows->count && f->error.code == PF_OK; i++) {
        pf_str name = rows->names ? text_at(f, rows->names, i) : rows->name;
        if (rows->dur) {
            pf_overlay_slice(f, track, rows->ts[i], rows->dur[i], name);
        } else {
            pf_overlay_instant(f, track, rows->ts[i], name);
        }
        for (size_t k = 0; k < rows->arg_count; k++) {
            add_arg(f, &rows->args[k], i);
        }
    }
}

void pf_overlay_samples(pf_findings *f, uint32_t track, size_t count, const int64_t *ts, const double *values)
{
    for (size_t i = 0; i < count && f->error.code == PF_OK; i++) {
        pf_overlay_sample(f, track, ts[i], values[i]);
    }
}
