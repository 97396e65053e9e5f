/* model/args/early_values.c - see early_values.h. */
#include "model/args/early_values.h"

#include <string.h>

pf_status pf_early_values_init(pf_early_values *v, pf_trace *t, const pf_arg_key *keys, size_t count, pf_error *err)
{
    pf_arena_init(&v->arena, &t->budget);
    pf_columns_init(&v->marked.columns, &t->budget, "events with early arguments");
    pf_columns_init(&v->blocks.columns, &t->budget, "blocks of early arguments");
    PF_TRY(pf_columns_add(&v->marked.columns, (void **)&v->marked.word, sizeof *v->marked.word, err));
    PF_TRY(pf_columns_add(&v->blocks.columns, (void **)&v->blocks.list, sizeof *v->blocks.list, err));
    return pf_arg_columns_make(t, PF_EARLY_BLOCK, keys, count, &v->open, err);
}

void pf_early_values_free(pf_early_values *v)
{
    pf_arg_columns_free(v->open);
    pf_columns_free(&v->blocks.columns);
    pf_columns_free(&v->marked.columns);
    pf_arena_free(&v->arena);
}

static unsigned width_of(uint64_t bits)
{
    return bits == 0 ? 0 : bits <= UINT8_MAX ? 1 : bits <= UINT16_MAX ? 2 : bits <= UINT32_MAX ? 4 : 8;
}

#define WRITE_CELLS(type)                                                                                              \
    for (uint32_t i = 0; i < PF_EARLY_BLOCK; i++) {                                                                    \
        ((type *)cells)[i] = (type)value[i];                                                                           \
    }

static void write_cells(void *cells, unsigned width, const uint64_t *value)
{
    switch (width) {
    case 1:
        WRITE_CELLS(uint8_t)
        break;
    case 2:
        WRITE_CELLS(uint16_t)
        break;
    case 4:
        WRITE_CELLS(uint32_t)
        break;
    default:
        WRITE_CELLS(uint64_t)
    }
}

/* Packs a column and empties it. */
static bool pack_column(pf_arena *arena, const pf_arg_column *from, pf_early_column *to)
{
    bool is_text = from->type == PF_ARG_TEXT;
    uint64_t ids[PF_EARLY_BLOCK], differing = 0;
    const uint64_t *value = is_text ? ids : from->values.u;
    for (uint32_t i = 0; i < PF_EARLY_BLOCK && is_text; i++) {
        ids[i] = from->values.text[i];
    }
    for (uint32_t i = 1; i < PF_EARLY_BLOCK; i++) {
        differing |= value[i] ^ value[0];
    }
    unsigned width = width_of(differing);
    size_t bytes = (size_t)PF_EARLY_BLOCK * width;
    uint64_t *present = pf_arena_alloc(arena, PF_EARLY_BLOCK / 8 + bytes);
    if (!present) {
        return false;
    }
    memcpy(present, from->present, PF_EARLY_BLOCK / 8);
    uint64_t in_cells = width == 8 ? ~0ull : (1ull << 8 * width) - 1;
    *to = (pf_early_column){value[0] & ~in_cells, present + PF_EARLY_BLOCK / 64, width, present};
    if (width) {
        write_cells(present + PF_EARLY_BLOCK / 64, width, value);
    }
    memset((void *)(uintptr_t)from->values.i, 0, PF_EARLY_BLOCK * (is_text ? sizeof(uint32_t) : sizeof *value));
    memset((void *)(uintptr_t)from->present, 0, PF_EARLY_BLOCK / 8);
    return true;
}

static pf_status close_block(pf_early_values *v, pf_error *err)
{
    size_t count = v->open->count;
    pf_early_column *list = pf_arena_alloc(&v->arena, count * sizeof *list);
    bool ok = list != NULL;
    for (size_t k = 0; k < count && ok; k++) {
        ok = pack_column(&v->arena, &v->open->column[k], &list[k]);
    }
    PF_TRY(ok ? PF_OK : pf_budget_refused(v->arena.budget, count * PF_EARLY_BLOCK * sizeof(int64_t), err));
    PF_TRY(v->blocks.count < v->blocks.room
               ? PF_OK
               : pf_columns_grow(&v->blocks.columns, (uint64_t)v->blocks.count + 1, &v->blocks.room, err));
    v->blocks.list[v->blocks.count++] = list;
    return PF_OK;
}

pf_status pf_early_values_room(pf_early_values *v, uint32_t event, pf_error *err)
{
    uint32_t words = event / 64 + 1;
    pf_early_values_settle(v);
    PF_TRY(v->rows / PF_EARLY_BLOCK > v->blocks.count ? close_block(v, err) : PF_OK);
    PF_TRY(pf_columns_room(&v->marked.columns, words, &v->marked.room, err));
    for (; v->marked.count < words; v->marked.count++) {
        v->marked.word[v->marked.count].before = v->rows;
    }
    return PF_OK;
}

#define REPEAT_CELL(type)                                                                                              \
    for (uint32_t row = from; row < to; row++) {                                                                       \
        ((type *)(uintptr_t)c->values.u)[row] = ((const type *)c->values.u)[from - 1];                                 \
    }

void pf_early_values_settle(pf_early_values *v)
{
    uint32_t to = v->alike ? (v->rows - 1) % PF_EARLY_BLOCK + 1 : 0, from = to - v->alike;
    for (size_t k = 0; k < v->open->count && v->alike; k++) {
        const pf_arg_column *c = &v->open->column[k];
        if (!pf_arg_has(c, from - 1)) {
            continue;
        }
        if (c->type == PF_ARG_TEXT) {
            REPEAT_CELL(uint32_t)
        } else {
            REPEAT_CELL(uint64_t)
        }
        for (uint32_t row = from; row < to; row++) {
            ((uint64_t *)(uintptr_t)c->present)[row / 64] |= 1ull << row % 64;
        }
    }
    v->alike = 0;
}

void pf_early_values_remove(pf_early_values *v, uint32_t event)
{
    uint32_t row = --v->rows % PF_EARLY_BLOCK;
    v->marked.word[event / 64].bits &= ~(1ull << event % 64);
    for (size_t k = 0; k < v->open->count; k++) {
        const pf_arg_column *c = &v->open->column[k];
        size_t size = c->type == PF_ARG_TEXT ? sizeof *c->values.text : sizeof *c->values.u;
        memset((char *)(uintptr_t)c->values.u + row * size, 0, size);
        ((uint64_t *)(uintptr_t)c->present)[row / 64] &= ~(1ull << row % 64);
    }
}

/* Rows of one block, mostly each the one after the one before it. */
#define READ_CELLS(type)                                                                                               \
    for (uint32_t i = 0; i < count && !follow; i++) {                                                                  \
        value[i] = c->base + ((const type *)c->cells)[row[i] % PF_EARLY_BLOCK];                                        \
    }                                                                                                                  \
    for (uint32_t i = 0; i < count && follow; i++) {                                                                   \
        value[i] = c->base + ((const type *)c->cells)[row[0] % PF_EARLY_BLOCK + i];                                    \
    }

static void read_cells(const pf_early_column *c, const uint32_t *row, uint32_t count, bool follow, uint64_t *value)
{
    switch (c->width) {
    case 0:
        for (uint32_t i = 0; i < count; i++) {
            value[i] = c->base;
        }
        break;
    case 1:
        READ_CELLS(uint8_t)
        break;
    case 2:
        READ_CELLS(uint16_t)
        break;
    case 4:
        READ_CELLS(uint32_t)
        break;
    default:
        READ_CELLS(uint64_t)
    }
}

/* A bit for each of up to 64 rows of one block that has a value. */
static uint64_t read_bits(const pf_early_column *c, const uint32_t *row, uint32_t count, bool follow)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count && !follow; i++) {
        uint32_t place = row[i] % PF_EARLY_BLOCK;
        bits |= (c->present[place / 64] >> place % 64 & 1) << i;
    }
    if (follow) {
        uint32_t place = row[0] % PF_EARLY_BLOCK, shift = place % 64, left = 64 - shift;
        bits = c->present[place / 64] >> shift;
        bits |= left < count ? c->present[place / 64 + 1] << left : 0;
        bits &= ~0ull >> (64 - count);
    }
    return bits;
}

static pf_early_column column_of(const pf_early_values *v, uint32_t block, size_t key)
{
    if (block < v->blocks.count) {
        return v->blocks.list[block][key];
    }
    const pf_arg_column *c = &v->open->column[key];
    return (pf_early_column){0, c->values.u, c->type == PF_ARG_TEXT ? sizeof *c->values.text : sizeof *c->values.u,
                             c->present};
}

uint64_t pf_early_values_read(const pf_early_values *v, size_t key, const uint32_t *row, uint32_t count,
                              uint64_t *value)
{
    uint64_t present = 0;
    for (uint32_t from = 0, to = 0; from < count; from = to) {
        uint32_t block = row[from] / PF_EARLY_BLOCK;
        bool follow = true;
        for (; to < count && row[to] / PF_EARLY_BLOCK == block; to++) {
            follow &= row[to] == row[from] + (to - from);
        }
        if (row[from] == PF_NONE) {
            continue;
        }
        const pf_early_column c = column_of(v, block, key);
        uint64_t bits = read_bits(&c, row + from, to - from, follow);
        if (bits) {
            read_cells(&c, row + from, to - from, follow, value + from);
        }
        present |= bits << from;
    }
    return present;
}

/* Whether all rows of a block have the same values of the first `keys` keys; also as those that are known already. */
static bool block_agrees(const pf_early_column *columns, size_t keys, bool known, uint64_t *value)
{
    bool agrees = true;
    for (size_t k = 0; k < keys && agrees; k++) {
        uint64_t absent = 0;
        for (uint32_t i = 0; i < PF_EARLY_BLOCK / 64; i++) {
            absent |= ~columns[k].present[i];
        }
        agrees = !columns[k].width && !absent && (!known || columns[k].base == value[k]);
        value[k] = known ? value[k] : columns[k].base;
    }
    return agrees;
}

/* Whether all events have rows and ascend: where the first and the last one lie `count` rows apart, these are theirs.
 */
static bool follow(const pf_early_values *v, const uint32_t *events, uint32_t count, uint32_t row)
{
    bool marked = pf_early_values_find(v, events[count - 1]) == row + count - 1;
    for (uint32_t i = 1; i < count && marked; i++) {
        marked = events[i] > events[i - 1] && v->marked.word[events[i] / 64].bits >> events[i] % 64 & 1;
    }
    return marked;
}

uint32_t pf_early_values_agree(const pf_early_values *v, size_t keys, const uint32_t *events, uint32_t count,
                               uint64_t *value)
{
    uint32_t agreed = 0, rows;
    for (bool more = true; more && agreed < count; agreed += more ? rows : 0) {
        uint32_t row = pf_early_values_find(v, events[agreed]), left = PF_EARLY_BLOCK - row % PF_EARLY_BLOCK;
        rows = left < count - agreed ? left : count - agreed;
        more = row / PF_EARLY_BLOCK < v->blocks.count &&
               block_agrees(v->blocks.list[row / PF_EARLY_BLOCK], keys, agreed > 0, value) &&
               follow(v, events + agreed, rows, row);
    }
    return agreed;
}
