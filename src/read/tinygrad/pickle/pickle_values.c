/* read/tinygrad/pickle/pickle_values.c - the side tables of values; see the header. */
#include "read/tinygrad/pickle/pickle_values.h"

#include <string.h>

#include "model/trace/trace.h"

enum { VALUE_TYPE = 0, VALUE_NUMBER, VALUE_TEXT, VALUE_FIRST, VALUE_LAST };
enum { ITEM_KEY = 0, ITEM_VALUE, ITEM_NEXT };

static const pf_side_column value_columns[] = {
    {"type", PF_COLUMN_TEXT, NULL, NULL, "none, bool, int, float, decimal.N, text, bytes, class, object, list, ...", 0},
    {"number", PF_COLUMN_INT, NULL, NULL, "bool, int; decimal.N: digits, N after the point; float: bits", 0},
    {"text", PF_COLUMN_TEXT, NULL, NULL, "text; name of a class; float and integers beyond 64 bits in digits", 0},
    {"first", PF_COLUMN_ROW, NULL, "tinygrad_item", "first member", 0},
    {"last", PF_COLUMN_ROW, NULL, "tinygrad_item", "last member", 0},
};
static const pf_side_column item_columns[] = {
    {"key", PF_COLUMN_ROW, NULL, "tinygrad_value", "key in a dict, name of a field", 0},
    {"value", PF_COLUMN_ROW, NULL, "tinygrad_value", "the member", 0},
    {"next", PF_COLUMN_ROW, NULL, "tinygrad_item", "the member after it", 0},
};
static const pf_side_column blob_columns[] = {{"bytes", PF_COLUMN_BLOB, NULL, NULL, "a bytes value", 0}};

static const pf_side_spec value_table = {"tinygrad_value", "values in a pickle, shared as they are there",
                                         value_columns, sizeof value_columns / sizeof *value_columns};
static const pf_side_spec item_table = {"tinygrad_item", "members of lists, dicts and objects", item_columns,
                                        sizeof item_columns / sizeof *item_columns};
static const pf_side_spec blob_table = {"tinygrad_blob", "bytes in a pickle", blob_columns, 1};

static const char *const type_names[PF_PICKLE_TYPES] = {
    "none",      "bool",      "int",       "float",     "text",      "bytes",     "class",     "object",
    "list",      "tuple",     "set",       "dict",      "decimal",   "decimal.0", "decimal.1", "decimal.2",
    "decimal.3", "decimal.4", "decimal.5", "decimal.6", "decimal.7", "decimal.8", "decimal.9"};

pf_status pf_pickle_values_open(pf_pickle_values *v, pf_trace *t, pf_error *err)
{
    *v = (pf_pickle_values){.t = t, .none = PF_NONE, .no = PF_NONE, .yes = PF_NONE};
    memset(v->small, 0xFF, sizeof v->small);
    pf_status st = pf_trace_add_table(t, &value_table, &v->value, err);
    st = st == PF_OK ? pf_trace_add_table(t, &item_table, &v->item, err) : st;
    st = st == PF_OK ? pf_trace_add_table(t, &blob_table, &v->blob, err) : st;
    for (unsigned i = 0; st == PF_OK && i < PF_PICKLE_TYPES; i++) {
        st = pf_trace_add_string(t, (pf_str){type_names[i], strlen(type_names[i])}, &v->type[i], err);
    }
    return st;
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

pf_status pf_pickle_add(pf_pickle_values *v, const pf_pickle_row *row, uint32_t *out, pf_error *err)
{
    pf_status st = pf_side_add_rows(v->value, 1, out, err);
    if (st == PF_OK) {
        *pf_side_ref(v->value, VALUE_TYPE, *out) = v->type[row->type];
        *pf_side_number(v->value, VALUE_NUMBER, *out) = row->number;
        *pf_side_ref(v->value, VALUE_TEXT, *out) = row->text;
        *pf_side_ref(v->value, VALUE_FIRST, *out) = row->first;
        *pf_side_ref(v->value, VALUE_LAST, *out) = row->last;
    }
    return st;
}

static pf_status add_number(pf_pickle_values *v, pf_pickle_type type, int64_t number, uint32_t *out, pf_error *err)
{
    return pf_pickle_add(v, &(pf_pickle_row){.type = type, .number = number, .first = PF_NONE, .last = PF_NONE}, out,
                         err);
}

pf_status pf_pickle_add_int(pf_pickle_values *v, int64_t number, uint32_t *out, pf_error *err)
{
    if (number < 0 || number >= PF_PICKLE_SMALL) {
        return add_number(v, PF_PICKLE_INT, number, out, err);
    }
    uint32_t *shared = &v->small[number];
    pf_status st = *shared == PF_NONE ? add_number(v, PF_PICKLE_INT, number, shared, err) : PF_OK;
    *out = *shared;
    return st;
}

pf_status pf_pickle_add_none(pf_pickle_values *v, uint32_t *out, pf_error *err)
{
    pf_status st = v->none == PF_NONE ? add_number(v, PF_PICKLE_NONE, INT64_MIN, &v->none, err) : PF_OK;
    *out = v->none;
    return st;
}

pf_status pf_pickle_add_bool(pf_pickle_values *v, bool truth, uint32_t *out, pf_error *err)
{
    uint32_t *shared = truth ? &v->yes : &v->no;
    pf_status st = *shared == PF_NONE ? add_number(v, PF_PICKLE_BOOL, truth, shared, err) : PF_OK;
    *out = *shared;
    return st;
}

pf_status pf_pickle_append(pf_pickle_values *v, uint32_t to, uint32_t key, uint32_t member, pf_error *err)
{
    uint32_t item;
    pf_status st = pf_side_add_rows(v->item, 1, &item, err);
    if (st != PF_OK) {
        return st;
    }
    *pf_side_ref(v->item, ITEM_KEY, item) = key;
    *pf_side_ref(v->item, ITEM_VALUE, item) = member;
    *pf_side_ref(v->item, ITEM_NEXT, item) = PF_NONE;
    uint32_t *last = pf_side_ref(v->value, VALUE_LAST, to);
    *(*last == PF_NONE ? pf_side_ref(v->value, VALUE_FIRST, to) : pf_side_ref(v->item, ITEM_NEXT, *last)) = item;
    *last = item;
    return PF_OK;
}

void pf_pickle_share_members(pf_pickle_values *v, uint32_t to, uint32_t from)
{
    *pf_side_ref(v->value, VALUE_FIRST, to) = *pf_side_ref(v->value, VALUE_FIRST, from);
    *pf_side_ref(v->value, VALUE_LAST, to) = *pf_side_ref(v->value, VALUE_LAST, from);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

pf_pickle_type pf_pickle_type_of(const pf_pickle_values *v, uint32_t value)
{
    uint32_t name = *pf_side_ref(v->value, VALUE_TYPE, value);
    unsigned i = 0;
    while (i + 1 < PF_PICKLE_TYPES && v->type[i] != name) {
        i++;
    }
    return (pf_pickle_type)i;
}

pf_pickle_row pf_pickle_get(const pf_pickle_values *v, uint32_t value)
{
    return (pf_pickle_row){.type = pf_pickle_type_of(v, value),
                           .number = *pf_side_number(v->value, VALUE_NUMBER, value),
                           .text = *pf_side_ref(v->value, VALUE_TEXT, value),
                           .first = *pf_side_ref(v->value, VALUE_FIRST, value),
                           .last = *pf_side_ref(v->value, VALUE_LAST, value)};
}

pf_str pf_pickle_text(const pf_pickle_values *v, uint32_t value)
{
    pf_pickle_type type = value == PF_NONE ? PF_PICKLE_NONE : pf_pickle_type_of(v, value);
    bool is_text = type == PF_PICKLE_TEXT || type == PF_PICKLE_CLASS || type == PF_PICKLE_OBJECT;
    return is_text ? pf_trace_string(v->t, *pf_side_ref(v->value, VALUE_TEXT, value)) : (pf_str){NULL, 0};
}

pf_bytes pf_pickle_bytes(const pf_pickle_values *v, uint32_t value)
{
    if (value == PF_NONE || pf_pickle_type_of(v, value) != PF_PICKLE_BYTES) {
        return (pf_bytes){NULL, 0};
    }
    return *pf_side_blob(v->blob, 0, (uint32_t)*pf_side_number(v->value, VALUE_NUMBER, value));
}

uint32_t pf_pickle_first(const pf_pickle_values *v, uint32_t value)
{
    return value == PF_NONE ? PF_NONE : *pf_side_ref(v->value, VALUE_FIRST, value);
}

uint32_t pf_pickle_next(const pf_pickle_values *v, uint32_t item)
{
    return *pf_side_ref(v->item, ITEM_NEXT, item);
}

uint32_t pf_pickle_key(const pf_pickle_values *v, uint32_t item)
{
    return *pf_side_ref(v->item, ITEM_KEY, item);
}

uint32_t pf_pickle_member(const pf_pickle_values *v, uint32_t item)
{
    return *pf_side_ref(v->item, ITEM_VALUE, item);
}

uint32_t pf_pickle_field(const pf_pickle_values *v, uint32_t of, const char *name)
{
    uint32_t found = PF_NONE;
    size_t len = strlen(name);
    unsigned left = PF_PICKLE_FIELDS;
    for (uint32_t i = pf_pickle_first(v, of); i != PF_NONE && left; i = pf_pickle_next(v, i), left--) {
        pf_str key = pf_pickle_text(v, pf_pickle_key(v, i));
        if (key.len == len && key.ptr && memcmp(key.ptr, name, len) == 0) {
            found = pf_pickle_member(v, i);
        }
    }
    return found;
}

bool pf_pickle_int(const pf_pickle_values *v, uint32_t value, int64_t *out)
{
    pf_pickle_type type = value == PF_NONE ? PF_PICKLE_NONE : pf_pickle_type_of(v, value);
    *out = value == PF_NONE ? 0 : *pf_side_number(v->value, VALUE_NUMBER, value);
    return (type == PF_PICKLE_INT && *pf_side_ref(v->value, VALUE_TEXT, value) == 0) || type == PF_PICKLE_BOOL;
}
