/* query/vtab/equal_index.c - equality without reading the table: a counting sort of the rows by value, made on first
 * use.
 *
 * One pass counts the rows of every value, the counts become offsets, a second pass drops each row into its place, so
 * that the rows of a value stay ascending. Values of UINT32 columns are small numbers and count directly (NULL is
 * group 0, v is group v + 1). Texts are counted by string id first; the ids in use are then sorted by text, so that
 * walking the groups gives the rows in the order of the column.
 *
 * Numbers of any size, which only joins look up, are sorted, and found by binary search.
 *
 * The order of several columns is made of their indexes like a radix sort: the rows in the order of the last column are
 * dropped into the groups of the one before it, and so on; what is equal keeps the order that it has. A column of
 * numbers without an index is sorted by its digits, the lowest first, as many as the largest difference has. Where only
 * the first n rows are wanted, by numbers, the highest digits are counted first, and what comes after them is left out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/ordering.h"
#include "query/session/session.h"

#define DIGIT 12u /* bits at most */

static int by_text(const void *a, const void *b, void *pool)
{
    pf_str x = pf_strings_get(pool, *(const uint32_t *)a), y = pf_strings_get(pool, *(const uint32_t *)b);
    return pf_str_compare(x, y);
}

/* Fills group_of for the string ids that the column uses: 1, 2, ... in the order of their texts. */
static pf_status rank_texts(pf_query *q, pf_sql_index *x, const pf_strings *pool, const pf_data_values *ids,
                            uint32_t rows, pf_error *err)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t id = ((const uint32_t *)ids->array)[pf_data_place(ids, i)];
        if (id && !x->group_of[id]) {
            x->group_of[id] = 1;
            used++;
        }
    }
    uint32_t *sorted;
    PF_TRY(PF_LIST_NEW(q->data.budget, sorted, used, err));
    uint32_t n = 0;
    for (uint32_t id = 0; id < x->ids; id++) {
        if (x->group_of[id]) {
            sorted[n++] = id;
        }
    }
    qsort_r(sorted, n, sizeof *sorted, by_text, (void *)pool);
    for (uint32_t i = 0; i < n; i++) {
        x->group_of[sorted[i]] = i + 1;
    }
    x->groups = n + 1;
    PF_LIST_FREE(q->data.budget, sorted, used);
    return PF_OK;
}

static pf_status count_groups(pf_query *q, const pf_data_table *table, const pf_data_column *column, pf_sql_index *x,
                              const pf_data_values *values, pf_error *err)
{
    uint32_t rows = values->array ? table->rows : 0;
    if (column->source == PF_DATA_UINT32) {
        uint32_t groups = 1;
        for (uint32_t i = 0; i < rows; i++) {
            uint32_t value = ((const uint32_t *)values->array)[pf_data_place(values, i)];
            if (value != PF_NONE && value + 2 > groups) {
                groups = value + 2;
            }
        }
        x->groups = groups;
        return PF_OK;
    }
    const pf_strings *pool = pf_data_pool(&q->data, column);
    x->ids = pool->count;
    PF_TRY(PF_ARENA_NEW(&q->data.arena, x->group_of, x->ids, err));
    return rank_texts(q, x, pool, values, rows, err);
}

static uint32_t group_of(const pf_sql_index *x, const pf_data_values *values, uint32_t row)
{
    if (!values->array) {
        return 0;
    }
    uint32_t value = ((const uint32_t *)values->array)[pf_data_place(values, row)];
    return x->group_of ? x->group_of[value] : value + 1; /* PF_NONE + 1 is 0 */
}

static void place_rows(const pf_data_table *table, pf_sql_index *x, const pf_data_values *values)
{
    for (uint32_t i = 0; i < x->rows; i++) {
        x->offset[group_of(x, values, table->visible ? table->visible[i] : i) + 2]++;
    }
    for (uint32_t g = 2; g < x->groups + 1; g++) {
        x->values += x->offset[g + 1] > 0;
        x->offset[g + 1] += x->offset[g];
    }
    for (uint32_t i = 0; i < x->rows; i++) {
        uint32_t row = table->visible ? table->visible[i] : i;
        x->row[x->offset[group_of(x, values, row) + 1]++] = row;
    }
}

/* One entry more than the groups need: place_rows counts two places ahead and ends with the offsets one place later. */
static pf_status make_room(pf_query *q, pf_sql_index *x, pf_error *err)
{
    PF_TRY(PF_ARENA_NEW(&q->data.arena, x->offset, (size_t)x->groups + 2, err));
    return PF_ARENA_NEW(&q->data.arena, x->row, (size_t)x->rows + 1, err);
}

typedef struct valued_row {
    int64_t value;
    uint32_t row;
} valued_row;

PF_ORDER(by_number, valued_row, PF_UP(value), PF_UP(row));

/* Makes groups of sorted rows, x->rows of them. */
static pf_status group_sorted(pf_query *q, const valued_row *list, pf_sql_index *x, pf_error *err)
{
    x->groups = 1;
    for (uint32_t i = 0; i < x->rows; i++) {
        x->groups += i == 0 || list[i].value != list[i - 1].value;
    }
    x->values = x->groups - 1;
    PF_TRY(make_room(q, x, err));
    PF_TRY(PF_ARENA_NEW(&q->data.arena, x->value, x->groups, err));
    uint32_t group = 0;
    for (uint32_t i = 0; i < x->rows; i++) {
        group += i == 0 || list[i].value != list[i - 1].value;
        x->value[group] = list[i].value;
        x->offset[group + 1] = i + 1;
        x->row[i] = list[i].row;
    }
    return PF_OK;
}

static pf_status sort_numbers(pf_query *q, const pf_data_table *table, const pf_data_column *column, pf_sql_index *x,
                              pf_error *err)
{
    uint32_t room = x->rows;
    valued_row *list;
    PF_TRY(PF_LIST_NEW(q->data.budget, list, room, err));
    x->rows = 0;
    for (uint32_t i = 0; i < room; i++) {
        uint32_t row = table->visible ? table->visible[i] : i;
        pf_query_cell cell = column->make(&q->data, row, column->offset);
        if (cell.type == PF_VALUE_INT) {
            list[x->rows++] = (valued_row){cell.as.i, row};
        }
    }
    qsort(list, x->rows, sizeof *list, by_number);
    pf_status st = group_sorted(q, list, x, err);
    PF_LIST_FREE(q->data.budget, list, room);
    return st;
}

static pf_status fill(pf_query *q, const pf_data_table *table, const pf_data_column *column, pf_sql_index *x,
                      pf_error *err)
{
    if (column->flags & PF_DATA_LOOKUP) {
        return sort_numbers(q, table, column, x, err);
    }
    const pf_data_values values = pf_data_values_of(table, column);
    PF_TRY(count_groups(q, table, column, x, &values, err));
    PF_TRY(make_room(q, x, err));
    place_rows(table, x, &values);
    return PF_OK;
}

const pf_sql_index *pf_sql_index_get(pf_query *q, pf_data_table *table, size_t c, pf_error *err)
{
    if (table->index[c]) {
        return table->index[c];
    }
    const pf_data_column *column = &table->spec->columns[c];
    bool grows = table->spec->lazy_rows || (column->flags & PF_DATA_LAZY);
    if (grows && pf_data_load(&q->data, table, err) != PF_OK) {
        return NULL;
    }
    pf_sql_index *x;
    if (PF_ARENA_NEW(&q->data.arena, x, 1, err) != PF_OK) {
        return NULL;
    }
    x->rows = table->visible ? table->visible_count : table->rows;
    if (fill(q, table, column, x, err) != PF_OK) {
        return NULL;
    }
    table->index[c] = x;
    return x;
}

const pf_sql_index *pf_sql_index_named(pf_query *q, const char *table, const char *column, pf_error *err)
{
    pf_data_table *t = pf_data_find(&q->data, pf_str_of(table));
    for (size_t c = 0; t && c < t->spec->column_count; c++) {
        if (strcmp(t->spec->columns[c].name, column) == 0) {
            return pf_sql_index_get(q, t, c, err);
        }
    }
    pf_fail(err, PF_ERR_INTERNAL, "there is no column %s.%s", table, column);
    return NULL;
}

typedef struct ordering {
    uint32_t *rows, *spare; /* of `count` rows each */
    uint32_t count;
} ordering;

static void swap(ordering *o)
{
    uint32_t *rows = o->spare;
    o->spare = o->rows;
    o->rows = rows;
}

/* Drops rows into the groups of an index, the last group first if `down`. */
static pf_status drop_into(pf_query *q, ordering *o, const pf_sql_index *x, const pf_data_values *values, bool down,
                           pf_error *err)
{
    size_t bytes = ((size_t)x->groups + 1) * sizeof *x->offset;
    uint32_t *place = pf_alloc(q->data.budget, bytes);
    if (!place) {
        return pf_budget_refused(q->data.budget, bytes, err);
    }
    for (uint32_t g = 0; g <= x->groups; g++) {
        place[g] = !down ? x->offset[g] : g < x->groups ? x->rows - x->offset[g + 1] : 0;
    }
    for (uint32_t i = 0; i < o->count; i++) {
        o->spare[place[group_of(x, values, o->rows[i])]++] = o->rows[i];
    }
    swap(o);
    pf_release(q->data.budget, place, bytes);
    return PF_OK;
}

/* The value of a row as a number that ascends with it: NULL, which is INT64_MIN or NaN, is the least. */
static uint64_t rank_of(pf_data_source source, const pf_data_values *values, uint32_t row)
{
    const uint64_t sign = 1ull << 63;
    uint32_t place = pf_data_place(values, row);
    if (source != PF_DATA_REAL) {
        return ((const uint64_t *)values->array)[place] ^ sign;
    }
    double real = ((const double *)values->array)[place] + 0.0; /* one zero */
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return real != real ? 0 : bits & sign ? ~bits : bits | sign;
}

/* A column of numbers as keys from 0 on, which ascend in the order that is asked for. */
typedef struct keys {
    pf_data_source source;
    pf_data_values values;
    bool down;
    uint64_t least, most; /* ranks */
    unsigned bits;        /* of the largest key */
} keys;

static uint64_t key_of(const keys *k, uint32_t row)
{
    uint64_t rank = rank_of(k->source, &k->values, row);
    return k->down ? k->most - rank : rank - k->least;
}

/* list: NULL: all rows below `count`. */
static keys keys_of(const pf_data_table *table, int column, bool down, const uint32_t *list, uint32_t count)
{
    const pf_data_column *c = &table->spec->columns[column];
    keys k = {c->source, pf_data_values_of(table, c), down, .least = UINT64_MAX};
    for (uint32_t i = 0; k.values.array && i < count; i++) {
        uint64_t rank = rank_of(k.source, &k.values, list ? list[i] : i);
        k.least = rank < k.least ? rank : k.least;
        k.most = rank > k.most ? rank : k.most;
    }
    k.bits = k.least < k.most ? 64 - (unsigned)__builtin_clzll(k.most - k.least) : 0;
    return k;
}

static void sort_by(ordering *o, const keys *k)
{
    unsigned passes = (k->bits + DIGIT - 1) / DIGIT, width = passes ? (k->bits + passes - 1) / passes : 0;
    for (unsigned shift = 0; shift < k->bits; shift += width) {
        uint32_t place[(1u << DIGIT) + 1] = {0}, mask = (1u << width) - 1;
        for (uint32_t i = 0; i < o->count; i++) {
            place[(key_of(k, o->rows[i]) >> shift & mask) + 1]++;
        }
        for (uint32_t d = 0; d < mask; d++) {
            place[d + 1] += place[d];
        }
        for (uint32_t i = 0; i < o->count; i++) {
            o->spare[place[key_of(k, o->rows[i]) >> shift & mask]++] = o->rows[i];
        }
        swap(o);
    }
}

/* The number of rows that come first by the highest digit of their keys, `limit` or more, and the last such digit. */
static uint32_t count_first(const keys *k, const uint32_t *list, uint32_t count, uint64_t limit, uint32_t *last)
{
    uint32_t number[1u << DIGIT] = {0}, sum = 0;
    unsigned shift = k->bits > DIGIT ? k->bits - DIGIT : 0;
    for (uint32_t i = 0; i < count; i++) {
        number[key_of(k, list ? list[i] : i) >> shift]++;
    }
    for (*last = 0; (sum += number[*last]) < limit && *last < (1u << DIGIT) - 1; ++*last) {
    }
    return sum;
}

/* From the last column to the first. */
static pf_status order_by(pf_query *q, pf_data_table *table, const int *columns, unsigned n, unsigned down, ordering *o,
                          pf_error *err)
{
    for (unsigned k = n; k-- > 0;) {
        const pf_data_column *column = &table->spec->columns[columns[k]];
        if (column->flags & PF_DATA_INDEX) {
            const pf_data_values values = pf_data_values_of(table, column);
            PF_TRY(drop_into(q, o, table->index[columns[k]], &values, down >> k & 1, err));
        } else {
            keys by = keys_of(table, columns[k], down >> k & 1, o->rows, o->count);
            sort_by(o, &by);
        }
    }
    return PF_OK;
}

/* All rows, or where there are keys, those up to the last digit. */
static void fill_rows(const pf_data_table *table, const keys *first, uint32_t last, uint32_t all, ordering *o)
{
    unsigned shift = first->bits > DIGIT ? first->bits - DIGIT : 0;
    for (uint32_t i = 0, n = 0; i < all; i++) {
        uint32_t row = table->visible ? table->visible[i] : i;
        if (!first->bits || key_of(first, row) >> shift <= last) {
            o->rows[n++] = row;
        }
    }
}

uint32_t *pf_sql_order_make(pf_query *q, pf_data_table *table, const int *columns, unsigned n, unsigned down,
                            uint64_t limit, uint32_t *count, pf_error *err)
{
    bool indexes = false;
    for (unsigned k = 0; k < n; k++) { /* they may load rows */
        bool indexed = table->spec->columns[columns[k]].flags & PF_DATA_INDEX;
        if (indexed && !pf_sql_index_get(q, table, (size_t)columns[k], err)) {
            return NULL;
        }
        indexes = indexes || indexed;
    }
    uint32_t all = table->visible ? table->visible_count : table->rows, last = 0;
    keys first = {0};
    if (limit < all && !indexes) {
        first = keys_of(table, columns[0], down & 1, table->visible, all);
    }
    *count = first.bits ? count_first(&first, table->visible, all, limit, &last) : all;
    size_t bytes = ((size_t)*count + 1) * sizeof(uint32_t);
    ordering o = {pf_alloc(q->data.budget, bytes), pf_alloc(q->data.budget, bytes), *count};
    pf_status st = o.rows && o.spare ? PF_OK : pf_budget_refused(q->data.budget, bytes, err);
    if (st == PF_OK) {
        fill_rows(table, &first, last, all, &o);
        st = order_by(q, table, columns, n, down, &o, err);
    }
    pf_release(q->data.budget, o.spare, bytes);
    if (st != PF_OK) {
        pf_release(q->data.budget, o.rows, bytes);
        return NULL;
    }
    return o.rows;
}

static pf_sql_rows rows_of_group(const pf_sql_index *x, uint32_t group)
{
    return (pf_sql_rows){x->row + x->offset[group], x->offset[group + 1] - x->offset[group]};
}

/* The group of a value, 0 if there is none. */
static uint32_t find_group(const pf_sql_index *x, int64_t value)
{
    uint32_t low = 1;
    PF_BISECT(low, x->groups, x->value[middle] < value);
    return low < x->groups && x->value[low] == value ? low : 0;
}

pf_sql_rows pf_sql_index_int(const pf_sql_index *x, int64_t value)
{
    if (x->value) {
        uint32_t group = find_group(x, value);
        return group ? rows_of_group(x, group) : (pf_sql_rows){NULL, 0};
    }
    if (value < 0 || value >= (int64_t)x->groups - 1) {
        return (pf_sql_rows){NULL, 0};
    }
    return rows_of_group(x, (uint32_t)value + 1);
}

pf_sql_rows pf_sql_index_text(const pf_query *q, const pf_sql_index *x, const pf_data_column *column, pf_str value)
{
    uint32_t id = pf_strings_find(pf_data_pool(&q->data, column), value.ptr, value.len);
    if (id == PF_NONE || id >= x->ids || x->group_of[id] == 0) {
        return (pf_sql_rows){NULL, 0};
    }
    return rows_of_group(x, x->group_of[id]);
}

pf_sql_rows pf_sql_index_null(const pf_sql_index *x)
{
    return rows_of_group(x, 0);
}
