/* model/args/arg_columns_made.c - the columns themselves: made for keys, freed, looked at. */

#include "base/list.h"
#include "model/args/arg_columns.h"

static pf_budget *budget_of(const pf_trace *t)
{
    return (pf_budget *)(uintptr_t)&t->budget; /* counting does not change the trace */
}

static size_t cell_bytes(pf_arg_type type)
{
    return type == PF_ARG_TEXT ? sizeof(uint32_t) : sizeof(uint64_t);
}

/* Never none, so that there is memory. */
static size_t cells(const pf_arg_columns *c)
{
    return (size_t)c->rows + 1;
}

void pf_arg_columns_free(pf_arg_columns *c)
{
    if (!c) {
        return;
    }
    for (size_t i = 0; c->column && i < c->count; i++) {
        const pf_arg_column *k = &c->column[i];
        pf_release(c->budget, (void *)(uintptr_t)k->values.i, cells(c) * cell_bytes(k->type));
        pf_release(c->budget, (void *)(uintptr_t)k->present, c->words * sizeof *k->present);
    }
    pf_release(c->budget, c->column, c->count * sizeof *c->column);
    pf_release(c->budget, c->wanted, c->count * sizeof *c->wanted);
    pf_release(c->budget, c->text, c->text_bytes);
    pf_strings_free(&c->strings);
    pf_release(c->budget, c, sizeof *c);
}

/* How many containers the way of the key can lead into, plus one. */
static unsigned levels_of(pf_str key)
{
    unsigned levels = 1;
    for (size_t i = 0; i < key.len; i++) {
        levels += key.ptr[i] == '.' || key.ptr[i] == '[';
    }
    return levels;
}

static pf_status check_keys(const pf_arg_key *keys, size_t count, size_t *text_bytes, pf_error *err)
{
    if (count > PF_ARG_KEYS_MAX) {
        return pf_fail(err, PF_ERR_USAGE, "%zu argument columns are too many; read %u at a time", count,
                       PF_ARG_KEYS_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        if (!keys[i].key || pf_arg_plain_key(pf_str_of(keys[i].key)).len == 0 || keys[i].type > PF_ARG_TEXT) {
            return pf_fail(err, PF_ERR_USAGE, "argument column %zu has no key, or an unknown type", i);
        }
        *text_bytes += strlen(keys[i].key);
    }
    return PF_OK;
}

static void note_name(pf_arg_names *n, pf_str key, unsigned k)
{
    n->by_first[(uint8_t)key.ptr[0]] |= 1ull << k;
    for (size_t len = 1; len <= key.len; len++) {
        if (len == key.len || key.ptr[len] == '.' || key.ptr[len] == '[') {
            n->by_length |= 1ull << (len < 63 ? len : 63);
        }
    }
}

/* The columns themselves, empty. */
static pf_status make_columns(pf_arg_columns *c, const pf_arg_key *keys, pf_error *err)
{
    size_t at = 0;
    PF_TRY(PF_LIST_NEW(c->budget, c->wanted, c->count, err));
    PF_TRY(PF_LIST_NEW(c->budget, c->column, c->count, err));
    PF_TRY(PF_LIST_NEW(c->budget, c->text, c->text_bytes, err));
    for (size_t i = 0; i < c->count; i++) {
        pf_str key = pf_arg_plain_key(pf_str_of(keys[i].key));
        unsigned levels = levels_of(key);
        memcpy(c->text + at, key.ptr, key.len);
        c->wanted[i] = (pf_arg_wanted){{c->text + at, key.len}, keys[i].type, keys[i].from_text};
        at += key.len;
        note_name(&c->names, key, (unsigned)i);
        c->levels = levels > c->levels ? levels : c->levels;
        pf_arg_column *k = &c->column[i];
        k->type = keys[i].type;
        PF_TRY(pf_list_new(c->budget, (void **)&k->values.i, cell_bytes(k->type), cells(c), err));
        PF_TRY(PF_LIST_NEW(c->budget, k->present, c->words, err));
    }
    return PF_OK;
}

pf_status pf_arg_columns_make(const pf_trace *t, uint32_t rows, const pf_arg_key *keys, size_t count,
                              pf_arg_columns **out, pf_error *err)
{
    size_t text_bytes = 1;
    pf_arg_columns *c;
    PF_TRY(check_keys(keys, count, &text_bytes, err));
    PF_TRY(PF_LIST_NEW(budget_of(t), c, 1, err));
    *out = c;
    c->budget = budget_of(t);
    c->rows = rows;
    c->words = (size_t)rows / 64 + 1;
    c->count = count;
    c->text_bytes = text_bytes;
    PF_TRY(pf_strings_init(&c->strings, c->budget, err));
    return make_columns(c, keys, err);
}

const pf_arg_column *pf_arg_column_at(const pf_arg_columns *c, size_t key)
{
    return &c->column[key];
}

uint32_t pf_arg_columns_text_count(const pf_arg_columns *c)
{
    return c->strings.count - 1;
}

pf_str pf_arg_columns_text(const pf_arg_columns *c, uint32_t id)
{
    return pf_strings_get(&c->strings, id);
}
