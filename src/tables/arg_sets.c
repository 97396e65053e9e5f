/* tables/arg_sets.c - collecting argument sets.
 *
 * The rows of the set in work are appended after the finished ones. Its keys are found again through arrays that are
 * parallel to the pool of keys and stamped with the number of the set, so that beginning a set costs nothing and
 * finding a key costs one look at the pool. When the set ends, its rows are hashed, and the place of the hash in the
 * map, which is in no cache, is fetched; some sets later it is there, and all that wait are settled in order: the rows
 * of a set that exists already are dropped, those of a new one move up to the finished ones.
 */
#include "tables/arg_sets.h"

#include "base/str.h"
#include "model/trace/trace.h"

#define KEY_ROWS_FIRST 256u

static pf_status add_columns(pf_arg_store *s, pf_error *err)
{
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->set, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->flat_key, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->key, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->type, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->bits, err));
    PF_TRY(PF_COLUMNS_ADD(&s->key_columns, s->row_stamp, err));
    PF_TRY(PF_COLUMNS_ADD(&s->key_columns, s->row, err));
    PF_TRY(PF_COLUMNS_ADD(&s->key_columns, s->array_stamp, err));
    return PF_COLUMNS_ADD(&s->key_columns, s->next, err);
}

pf_status pf_arg_store_init(pf_arg_store *s, pf_budget *budget, pf_error *err)
{
    *s = (pf_arg_store){.budget = budget};
    pf_columns_init(&s->columns, budget, "args");
    pf_columns_init(&s->key_columns, budget, "argument keys");
    pf_map_init(&s->known, budget);
    PF_TRY(add_columns(s, err));
    PF_TRY(pf_strings_init(&s->keys, budget, err));
    return pf_strings_init(&s->texts, budget, err);
}

void pf_arg_store_free(pf_arg_store *s)
{
    if (!s->budget) {
        return;
    }
    pf_map_free(&s->known);
    pf_strings_free(&s->keys);
    pf_strings_free(&s->texts);
    pf_columns_free(&s->columns);
    pf_columns_free(&s->key_columns);
    *s = (pf_arg_store){0};
}

/* The id of a key, with room for its row in the stamped arrays. */
static pf_status key_id(pf_arg_store *s, pf_str key, uint32_t *id, pf_error *err)
{
    *id = pf_strings_add(&s->keys, key.ptr ? key.ptr : "", key.len, err);
    if (*id == PF_NONE) {
        return err ? err->code : PF_ERR_MEMORY;
    }
    if (*id < s->key_room) {
        return PF_OK;
    }
    uint64_t rows = (uint64_t)*id + 1;
    return pf_columns_grow(&s->key_columns, rows < KEY_ROWS_FIRST ? KEY_ROWS_FIRST : rows, &s->key_room, err);
}

pf_status pf_arg_array_next(pf_arg_store *s, pf_str key, uint32_t *id, uint32_t *index, pf_error *err)
{
    PF_TRY(key_id(s, key, id, err));
    if (s->array_stamp[*id] != s->stamp) {
        s->array_stamp[*id] = s->stamp;
        s->next[*id] = 0;
    }
    *index = s->next[*id];
    return PF_OK;
}

/* Numbers share their bits; a text is its id. */
static pf_status value_bits(pf_arg_store *s, const pf_value *value, uint64_t *bits, pf_error *err)
{
    bool text = value->type == PF_VALUE_STRING || value->type == PF_VALUE_JSON;
    if (!text) {
        *bits = value->type == PF_VALUE_NULL ? 0 : value->type == PF_VALUE_BOOL ? value->as.b : value->as.u;
        return PF_OK;
    }
    uint32_t id = value->as.s.ptr ? pf_strings_add(&s->texts, value->as.s.ptr, value->as.s.len, err) : 0;
    *bits = id;
    return id != PF_NONE ? PF_OK : err ? err->code : PF_ERR_MEMORY;
}

pf_status pf_arg_set_value(pf_arg_store *s, pf_str flat_key, pf_str key, const pf_value *value, pf_error *err)
{
    uint64_t bits;
    uint32_t id, flat_id;
    PF_TRY(value_bits(s, value, &bits, err));
    PF_TRY(key_id(s, key, &id, err));
    flat_id = id;
    PF_TRY(pf_str_equal(flat_key, key) ? PF_OK : key_id(s, flat_key, &flat_id, err));
    uint32_t row = s->count;
    if (s->row_stamp[id] == s->stamp) {
        row = s->row[id];
    } else {
        PF_TRY(pf_columns_room(&s->columns, (uint64_t)row + 1, &s->room, err));
        s->row_stamp[id] = s->stamp;
        s->row[id] = row;
        s->set[row] = PF_NONE;
        s->count = row + 1;
    }
    s->flat_key[row] = flat_id;
    s->key[row] = id;
    s->type[row] = (uint8_t)value->type;
    s->bits[row] = bits;
    return PF_OK;
}

void pf_arg_set_begin(pf_arg_store *s)
{
    s->count = s->begun; /* a set that was given up leaves no rows */
    s->stamp++;
}

static uint64_t hash_rows(const pf_arg_store *s, uint32_t first)
{
    uint64_t hash = pf_hash_add(s->budget->seed, s->count - first);
    for (uint32_t row = first; row < s->count; row++) {
        hash = pf_hash_add(hash, (uint64_t)s->key[row] << 8 | s->type[row]);
        hash = pf_hash_add(hash, s->bits[row] ^ (uint64_t)s->flat_key[row] << 40);
    }
    return hash;
}

static bool equal_rows(const pf_arg_store *s, uint32_t set, uint32_t first, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t a = set + i, b = first + i;
        if (s->set[a] != set || s->key[a] != s->key[b] || s->flat_key[a] != s->flat_key[b] ||
            s->type[a] != s->type[b] || s->bits[a] != s->bits[b]) {
            return false;
        }
    }
    return s->set[set + rows] != set;
}

/* Rows of a new set move up to `to`, and get its number. */
static void place_rows(pf_arg_store *s, uint32_t to, uint32_t first, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        s->key[to + i] = s->key[first + i];
        s->flat_key[to + i] = s->flat_key[first + i];
        s->type[to + i] = s->type[first + i];
        s->bits[to + i] = s->bits[first + i];
        s->set[to + i] = to;
    }
}

pf_status pf_arg_sets_settle(pf_arg_store *s, pf_error *err)
{
    uint32_t to = s->waiting ? s->wait[0].first : s->begun;
    for (uint32_t i = 0; i < s->waiting; i++) {
        const struct pf_arg_set_waiting *w = &s->wait[i];
        uint32_t rows = (i + 1 < s->waiting ? w[1].first : s->begun) - w->first, other;
        uint64_t hash = w->hash;
        while ((other = pf_map_get(&s->known, hash)) != PF_NONE && !equal_rows(s, other, w->first, rows)) {
            hash++;
        }
        if (other == PF_NONE) {
            PF_TRY(pf_map_put(&s->known, hash, to, err));
            place_rows(s, to, w->first, rows);
            other = to;
            to += rows;
        }
        *w->set = other;
    }
    s->waiting = 0;
    s->count = s->begun = to;
    return PF_OK;
}

pf_status pf_arg_set_end(pf_arg_store *s, uint32_t *set, pf_error *err)
{
    *set = PF_NONE;
    if (s->begun == s->count) {
        return PF_OK;
    }
    struct pf_arg_set_waiting ended = {hash_rows(s, s->begun), set, s->begun};
    pf_map_prefetch(&s->known, ended.hash);
    s->wait[s->waiting++] = ended;
    s->begun = s->count;
    return s->waiting < PF_ARG_SETS_WAITING ? PF_OK : pf_arg_sets_settle(s, err);
}

uint32_t pf_arg_find(const pf_arg_store *s, int64_t set, pf_str key)
{
    uint32_t id = pf_strings_find(&s->keys, key.ptr, key.len);
    if (set < 0 || set >= (int64_t)s->count || id == PF_NONE) {
        return PF_NONE;
    }
    for (uint32_t row = (uint32_t)set; row < s->count && s->set[row] == (uint32_t)set; row++) {
        if (s->key[row] == id) {
            return row;
        }
    }
    return PF_NONE;
}

pf_query_cell pf_arg_cell(const pf_arg_store *s, uint32_t row)
{
    pf_query_cell cell = {.type = PF_VALUE_INT, .as.i = (int64_t)s->bits[row]};
    switch (s->type[row]) {
    case PF_VALUE_NULL:
        cell.type = PF_VALUE_NULL;
        break;
    case PF_VALUE_REAL:
        cell.type = PF_VALUE_REAL;
        memcpy(&cell.as.d, &s->bits[row], sizeof cell.as.d);
        break;
    case PF_VALUE_STRING:
    case PF_VALUE_JSON:
        cell.type = PF_VALUE_STRING;
        cell.as.s = pf_strings_get(&s->texts, (uint32_t)s->bits[row]);
        break;
    default:
        break;
    }
    return cell;
}
