/* read/tinygrad/pickle/pickle_values.c - rows of values and items; see the header. */
#include "base/list.h"
#include "base/str.h"
#include "read/tinygrad/pickle/pickle_machine.h"

pf_status pf_pickle_values_open(pf_pickle_values *v, pf_bytes input, pf_budget *budget, pf_arena *arena, pf_error *err)
{
    *v = (pf_pickle_values){.budget = budget, .input = input, .arena = arena};
    memset(v->shared, 0xFF, sizeof v->shared);
    pf_columns_init(&v->value.columns, budget, "values of a pickle");
    pf_columns_init(&v->item.columns, budget, "members in a pickle");
    pf_columns_init(&v->blob.columns, budget, "byte strings of a pickle");
    PF_TRY(PF_COLUMNS_ADD(&v->value.columns, v->value.row, err));
    PF_TRY(PF_COLUMNS_ADD(&v->item.columns, v->item.row, err));
    PF_TRY(PF_COLUMNS_ADD(&v->blob.columns, v->blob.bytes, err));
    PF_TRY(pf_strings_init(&v->texts, budget, err));
    return pf_pickle_scan(v, err);
}

pf_status pf_pickle_name_opcode(const pf_pickle_values *v, size_t op, pf_status st, pf_error *err)
{
    bool of_the_file = st == PF_ERR_LIMIT || st == PF_ERR_INPUT;
    if (!of_the_file || err->offset != PF_NOWHERE || op >= v->input.len) {
        return st;
    }
    const pf_error was = *err;
    return pf_fail_at(err, st, op, "pickle opcode 0x%02x: %s", v->input.ptr[op], was.text);
}

void pf_pickle_values_clear(pf_pickle_values *v)
{
    v->value.count = v->item.count = v->blob.count = v->kept_count = 0;
    memset(v->shared, 0xFF, sizeof v->shared);
}

void pf_pickle_values_close(pf_pickle_values *v)
{
    if (v->budget) {
        pf_columns_free(&v->value.columns);
        pf_columns_free(&v->item.columns);
        pf_columns_free(&v->blob.columns);
        pf_strings_free(&v->texts);
        PF_LIST_FREE(v->budget, v->kept, v->kept_room);
        pf_release(v->budget, v->fetched.bit, v->fetched.bytes);
        pf_release(v->budget, v->complete.bit, v->complete.bytes);
    }
    v->budget = NULL;
}

static pf_status add(pf_pickle_values *v, const pf_pickle_row *row, uint32_t *out, pf_error *err)
{
    uint32_t at = v->value.count;
    if (at > PF_PICKLE_VALUES_MAX) {
        return pf_fail(err, PF_ERR_LIMIT, "the pickle holds more than %u values; split the profile",
                       PF_PICKLE_VALUES_MAX);
    }
    PF_TRY(pf_columns_room(&v->value.columns, (uint64_t)at + 1, &v->value.room, err));
    *out = at;
    v->value.row[at] = *row;
    v->value.count = at + 1;
    v->made++;
    return PF_OK;
}

pf_status pf_pickle_add(pf_pickle_values *v, pf_pickle_type type, int64_t number, uint32_t text, uint32_t *out,
                        pf_error *err)
{
    return add(v, &(pf_pickle_row){.type = type, .text = text, .number = number}, out, err);
}

pf_status pf_pickle_add_empty(pf_pickle_values *v, pf_pickle_type type, uint32_t text, uint32_t *out, pf_error *err)
{
    return add(v, &(pf_pickle_row){.type = type, .text = text, .first = PF_NONE, .last = PF_NONE}, out, err);
}

pf_status pf_pickle_add_shared(pf_pickle_values *v, unsigned which, uint32_t *out, pf_error *err)
{
    uint32_t *shared = &v->shared[which];
    if (*shared == PF_NONE) {
        bool is_int = which < PF_PICKLE_SMALL, truth = which == PF_PICKLE_SMALL + 2;
        pf_pickle_type type = is_int ? PF_PICKLE_INT : which > PF_PICKLE_SMALL ? PF_PICKLE_BOOL : PF_PICKLE_NONE;
        PF_TRY(pf_pickle_add(v, type, is_int ? which : truth, 0, shared, err));
    }
    *out = *shared;
    return PF_OK;
}

pf_status pf_pickle_add_bytes(pf_pickle_values *v, pf_bytes bytes, uint32_t *out, pf_error *err)
{
    uint32_t at = v->blob.count;
    PF_TRY(pf_columns_room(&v->blob.columns, (uint64_t)at + 1, &v->blob.room, err));
    *out = PF_NONE;
    v->blob.bytes[at] = bytes;
    v->blob.count = at + 1;
    return pf_pickle_add(v, PF_PICKLE_BYTES, at, 0, out, err);
}

pf_status pf_pickle_append(pf_pickle_values *v, uint32_t to, uint32_t key, uint32_t member, pf_error *err)
{
    uint32_t at = v->item.count;
    PF_TRY(pf_columns_room(&v->item.columns, (uint64_t)at + 1, &v->item.room, err));
    v->item.row[at] = (pf_pickle_item_row){key, member, PF_NONE};
    v->item.count = at + 1;
    v->made++;
    pf_pickle_row *row = &v->value.row[to];
    *(row->last == PF_NONE ? &row->first : &v->item.row[row->last].next) = at;
    row->last = at;
    return PF_OK;
}

pf_status pf_pickle_keep(pf_pickle_values *v, uint32_t value, uint32_t *handle, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(v->budget, v->kept, v->kept_count + 1, v->kept_room, err));
    *handle = v->kept_count;
    v->kept[v->kept_count].value = value;
    v->kept[v->kept_count++].op = v->op;
    return PF_OK;
}

pf_pickle_type pf_pickle_type_of(const pf_pickle_values *v, uint32_t value)
{
    return value == PF_NONE ? PF_PICKLE_NONE : v->value.row[value].type;
}

pf_str pf_pickle_text(const pf_pickle_values *v, uint32_t value)
{
    pf_pickle_type type = pf_pickle_type_of(v, value);
    if (type == PF_PICKLE_TEXT) {
        return (pf_str){(const char *)v->input.ptr + v->value.row[value].number, v->value.row[value].text};
    }
    bool named = type == PF_PICKLE_CLASS || type == PF_PICKLE_OBJECT;
    return named ? pf_strings_get(&v->texts, v->value.row[value].text) : (pf_str){NULL, 0};
}

pf_str pf_pickle_spelling(const pf_pickle_values *v, uint32_t value)
{
    pf_pickle_type type = pf_pickle_type_of(v, value);
    if (type == PF_PICKLE_DECIMAL) {
        return (pf_str){(const char *)v->input.ptr + v->value.row[value].number, v->value.row[value].text};
    }
    bool spelled = type == PF_PICKLE_INT && v->value.row[value].text;
    return spelled ? pf_strings_get(&v->texts, v->value.row[value].text) : (pf_str){NULL, 0};
}

pf_bytes pf_pickle_bytes(const pf_pickle_values *v, uint32_t value)
{
    return pf_pickle_type_of(v, value) == PF_PICKLE_BYTES ? v->blob.bytes[v->value.row[value].number]
                                                          : (pf_bytes){NULL, 0};
}

uint32_t pf_pickle_first(const pf_pickle_values *v, uint32_t value)
{
    return pf_pickle_has_members(pf_pickle_type_of(v, value)) ? v->value.row[value].first : PF_NONE;
}

uint32_t pf_pickle_nth(const pf_pickle_values *v, uint32_t of, unsigned n)
{
    uint32_t i = pf_pickle_first(v, of);
    for (; i != PF_NONE && n; n--) {
        i = pf_pickle_next(v, i);
    }
    return i == PF_NONE ? PF_NONE : pf_pickle_member(v, i);
}

uint32_t pf_pickle_field(const pf_pickle_values *v, uint32_t of, const char *name)
{
    uint32_t found = PF_NONE;
    const pf_str wanted = pf_str_of(name);
    unsigned left = PF_PICKLE_FIELDS;
    for (uint32_t i = pf_pickle_first(v, of); i != PF_NONE && left; i = pf_pickle_next(v, i), left--) {
        pf_str key = pf_pickle_text(v, pf_pickle_key(v, i));
        if (key.ptr && pf_str_equal(key, wanted)) {
            found = pf_pickle_member(v, i);
        }
    }
    return found;
}

bool pf_pickle_int(const pf_pickle_values *v, uint32_t value, int64_t *out)
{
    pf_pickle_type type = pf_pickle_type_of(v, value);
    *out = value == PF_NONE ? 0 : v->value.row[value].number;
    return (type == PF_PICKLE_INT && v->value.row[value].text == 0) || type == PF_PICKLE_BOOL;
}
