/* write/columns/table/table_columns.c - the columns of a trace's tables, of an argument, and of a report table.
 *
 * Columns that are arrays of the trace stay where they are. Cells that are made of others, and those of reports, become
 * arrays here: numbers with a bit for each that is there, texts with ids of a pool of ours. */

#include "base/text/utf8.h"
#include "write/columns/table/file_columns.h"

pf_status pf_col_trace_open(pf_col_trace *s, const pf_trace *trace, pf_error *err)
{
    *s = (pf_col_trace){.data.trace = NULL};
    PF_TRY(pf_data_open(&s->data, trace, NULL, 0, err));
    pf_arena_init(&s->arena, s->data.budget);
    return pf_strings_init(&s->made, s->data.budget, err);
}

void pf_col_trace_close(pf_col_trace *s)
{
    if (s->made.budget) {
        pf_strings_free(&s->made);
    }
    for (size_t i = 0; i < PF_COL_POOLS; i++) {
        if (s->pool[i].texts.budget) {
            pf_strings_free(&s->pool[i].texts);
        }
    }
    pf_arena_free(&s->arena);
    pf_data_close(&s->data);
}

static pf_status make_pool(pf_col_trace *s, pf_col_pool *p, pf_buffer *clean, pf_error *err)
{
    const pf_strings *of = p->of;
    for (uint32_t i = p->known; i < of->count && !p->id; i++) {
        pf_str text = pf_strings_get(of, i);
        PF_TRY(pf_utf8_clean(text, clean).ptr != text.ptr ? PF_ARENA_NEW(&s->arena, p->id, of->count, err) : PF_OK);
    }
    p->known = of->count;
    if (!p->id) {
        return PF_OK;
    }
    PF_TRY(p->texts.budget ? PF_OK : pf_strings_init(&p->texts, s->data.budget, err));
    for (uint32_t i = 1; i < of->count; i++) {
        pf_str text = pf_utf8_clean(pf_strings_get(of, i), clean);
        PF_TRY(clean->failed ? pf_no_memory(err) : pf_strings_put(&p->texts, text, &p->id[i], err));
    }
    return PF_OK;
}

/* Pools of arguments grow with the tables that are loaded: such a pool is gone through anew, and what columns had of it
 * before stays. */
static pf_status use_utf8(pf_col_trace *s, pf_col *c, pf_error *err)
{
    pf_buffer clean = {0};
    pf_status st = PF_OK;
    size_t i = 0;
    while (s->pool[i].of && s->pool[i].of != c->pool) {
        i++;
    }
    pf_col_pool *p = &s->pool[i];
    p->of = c->pool;
    if (p->known != c->pool->count) {
        p->known = p->id ? 0 : p->known;
        p->id = NULL;
        st = make_pool(s, p, &clean, err);
    }
    pf_buffer_free(&clean);
    c->pool = p->id ? &p->texts : c->pool;
    c->renumber = p->id;
    return st;
}

typedef struct maker {
    pf_arena *arena;
    pf_strings *texts;
    bool utf8;
    pf_col *col;
    int64_t *number; /* numbers and bits of reals */
    uint8_t *present;
    uint32_t *id;
} maker;

static pf_status begin(maker *m, uint32_t rows, pf_error *err)
{
    bool texts = pf_col_has_texts(m->col);
    m->col->nullable = true;
    m->col->source = texts ? PF_COL_OF_ID : PF_COL_OF_BITS;
    m->col->pool = texts ? m->texts : NULL;
    if (texts) {
        PF_TRY(PF_ARENA_NEW(m->arena, m->id, rows, err));
        m->col->array = m->id;
        return PF_OK;
    }
    PF_TRY(PF_ARENA_NEW(m->arena, m->number, rows, err));
    PF_TRY(PF_ARENA_NEW(m->arena, m->present, ((size_t)rows + 7) / 8, err));
    m->col->array = m->number;
    m->col->present = m->present;
    return PF_OK;
}

static pf_status put_text(maker *m, uint32_t row, pf_str text, pf_error *err)
{
    pf_buffer clean = {0};
    text = m->utf8 && m->col->type == PF_COL_TEXT ? pf_utf8_clean(text, &clean) : text;
    pf_status st = clean.failed ? pf_no_memory(err)
                   : text.ptr   ? pf_strings_put(m->texts, text, &m->id[row], err)
                                : PF_OK;
    pf_buffer_free(&clean);
    return st;
}

static void put_number(maker *m, uint32_t row, int64_t v)
{
    m->number[row] = v;
    m->present[row >> 3] |= (uint8_t)(1u << (row & 7));
}

static void put_real(maker *m, uint32_t row, double v)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_number(m, row, bits);
}

static pf_status make_cells(pf_col_trace *s, const pf_data_column *from, uint32_t rows, pf_col *c, pf_error *err)
{
    maker m = {.arena = &s->arena, .texts = &s->made, .utf8 = s->utf8, .col = c};
    PF_TRY(begin(&m, rows, err));
    for (uint32_t row = 0; row < rows; row++) {
        pf_query_cell cell = from->make(&s->data, row, from->offset);
        if (cell.type == PF_VALUE_STRING) {
            PF_TRY(put_text(&m, row, cell.as.s, err));
        } else if (cell.type != PF_VALUE_NULL) {
            put_number(&m, row, cell.as.i); /* or the bits of a real */
        }
    }
    return PF_OK;
}

static pf_status make_blobs(pf_col_trace *s, const pf_bytes *blobs, uint32_t rows, pf_col *c, pf_error *err)
{
    maker m = {.arena = &s->arena, .texts = &s->made, .utf8 = s->utf8, .col = c};
    PF_TRY(begin(&m, rows, err));
    for (uint32_t row = 0; blobs && row < rows; row++) {
        PF_TRY(put_text(&m, row, (pf_str){(const char *)blobs[row].ptr, blobs[row].len}, err));
    }
    return PF_OK;
}

static pf_col_type type_of(pf_data_source source)
{
    switch (source) {
    case PF_DATA_ROW:
    case PF_DATA_UINT32:
    case PF_DATA_ZERO:
        return PF_COL_UINT32;
    case PF_DATA_REAL:
    case PF_DATA_CALL_REAL:
        return PF_COL_DOUBLE;
    case PF_DATA_STRING:
    case PF_DATA_KEY:
    case PF_DATA_NULL_TEXT:
    case PF_DATA_CALL_TEXT:
        return PF_COL_TEXT;
    case PF_DATA_BLOB:
        return PF_COL_BINARY;
    default:
        return PF_COL_INT64;
    }
}

static pf_col_source source_of(pf_data_source source)
{
    switch (source) {
    case PF_DATA_ROW:
        return PF_COL_OF_ROW;
    case PF_DATA_ZERO:
        return PF_COL_OF_ZERO;
    case PF_DATA_INT64:
    case PF_DATA_INT64_OR_NULL:
        return PF_COL_OF_INT64;
    case PF_DATA_UINT32:
        return PF_COL_OF_UINT32;
    case PF_DATA_REAL:
        return PF_COL_OF_DOUBLE;
    case PF_DATA_STRING:
    case PF_DATA_KEY:
        return PF_COL_OF_ID;
    default:
        return PF_COL_OF_NULL;
    }
}

static bool may_be_null(pf_data_source source)
{
    return source != PF_DATA_ROW && source != PF_DATA_ZERO && source != PF_DATA_INT64 && source != PF_DATA_REAL;
}

static pf_status add_column(pf_col_trace *s, const pf_data_table *table, const pf_data_column *from, pf_col *c,
                            pf_error *err)
{
    const pf_arg_store *args = table->base == &s->data.args ? table->base : NULL;
    *c = (pf_col){.name = from->name,
                  .type = type_of(from->source),
                  .nullable = may_be_null(from->source) || from->flags & PF_DATA_HOLES,
                  .holes = from->source == PF_DATA_INT64_OR_NULL || from->flags & PF_DATA_HOLES,
                  .sorted = from->source == PF_DATA_ROW || from->flags & PF_DATA_SORTED,
                  .source = source_of(from->source),
                  .pool = pf_data_is_text(from->source) ? pf_data_pool(&s->data, from) : &s->made};
    if (pf_data_is_array(from->source) && from->source != PF_DATA_BLOB) {
        pf_data_values v = pf_data_values_of(table, from);
        c->array = v.array;
        c->through = v.through;
    } else if (from->source == PF_DATA_BLOB) {
        PF_TRY(make_blobs(s, pf_data_values_of(table, from).array, table->rows, c, err));
    } else if (args && from->make && from->offset <= PF_VALUE_JSON) {
        c->source = PF_COL_OF_ARGS;
        c->array = args;
        c->pool = &args->texts;
    } else if (from->make) {
        PF_TRY(make_cells(s, from, table->rows, c, err));
    }
    c->rows = table->visible;
    bool as_they_are = !s->utf8 || c->type != PF_COL_TEXT || !c->array || c->pool == &s->made;
    return as_they_are ? PF_OK : use_utf8(s, c, err);
}

const char *pf_col_table_name(const char *name)
{
    static const char PREFIX[] = "__intrinsic_";
    return name + (strncmp(name, PREFIX, sizeof PREFIX - 1) == 0 ? sizeof PREFIX - 1 : 0);
}

pf_status pf_col_table_find(pf_col_trace *s, const char *name, pf_data_table **out, pf_error *err)
{
    pf_data *d = &s->data;
    pf_buffer names = {0};
    for (size_t i = 0; i < d->table_count; i++) {
        *out = &d->tables[i];
        const char *own = pf_col_table_name(d->tables[i].spec->name);
        if (strcmp(own, pf_col_table_name(name)) == 0) {
            pf_buffer_free(&names);
            return PF_OK;
        }
        pf_buffer_format(&names, "%s%s", i ? ", " : "", own);
    }
    pf_fail(err, PF_ERR_USAGE, "no table '%s' in a trace; there are %.*s", name, (int)names.len,
            names.data ? names.data : "");
    pf_buffer_free(&names);
    return PF_ERR_USAGE;
}

pf_status pf_col_table_of(pf_col_trace *s, pf_data_table *table, pf_col_table *out, pf_error *err)
{
    const pf_data_spec *spec = table->spec;
    *out = (pf_col_table){.name = pf_col_table_name(spec->name)};
    PF_TRY(pf_data_load(&s->data, table, err));
    PF_TRY(PF_ARENA_NEW(&s->arena, out->cols, spec->column_count + PF_COL_ARGS_MAX, err));
    for (size_t i = 0; i < spec->column_count; i++) {
        if (!(spec->columns[i].flags & PF_DATA_AGAIN)) {
            PF_TRY(add_column(s, table, &spec->columns[i], &out->cols[out->count++], err));
        }
    }
    out->rows = table->visible ? table->visible_count : table->rows;
    return PF_OK;
}

pf_col *pf_col_named(const pf_col_table *t, const char *name)
{
    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(t->cols[i].name, name) == 0) {
            return &t->cols[i];
        }
    }
    return NULL;
}

void pf_col_select(pf_col_table *table, const uint32_t *rows, uint32_t count)
{
    for (size_t i = 0; i < table->count; i++) {
        table->cols[i].rows = rows;
    }
    table->rows = count;
}

#define PREFIXES 3

/* The ids of a key as tables spell it: as given, and with either prefix. */
static void find_key(const pf_arg_store *args, pf_str key, uint32_t ids[PREFIXES])
{
    static const char *const prefix[PREFIXES] = {"", "args.", "debug."};
    char text[512];
    for (size_t i = 0; i < PREFIXES; i++) {
        size_t len = strlen(prefix[i]);
        ids[i] = PF_NONE;
        if (len + key.len <= sizeof text) {
            memcpy(text, prefix[i], len);
            memcpy(text + len, key.ptr, key.len);
            ids[i] = pf_strings_find(&args->keys, text, len + key.len);
        }
    }
}

/* By set, the row of args with the key; the type that holds all values. */
static pf_status find_values(pf_col_trace *s, pf_str key, uint32_t **row_of, pf_col_type *type, pf_error *err)
{
    const pf_arg_store *args = &s->data.args;
    uint32_t ids[PREFIXES];
    bool real = false, text = false;
    find_key(args, key, ids);
    PF_TRY(PF_ARENA_NEW(&s->arena, *row_of, args->count, err));
    memset(*row_of, 0xff, args->count * sizeof **row_of);
    for (uint32_t row = 0; row < args->count; row++) {
        uint32_t id = args->key[row];
        if (id == ids[0] || id == ids[1] || id == ids[2]) {
            (*row_of)[args->set[row]] = row;
            text |= args->type[row] == PF_VALUE_STRING || args->type[row] == PF_VALUE_JSON;
            real |= args->type[row] == PF_VALUE_REAL;
        }
    }
    *type = text ? PF_COL_TEXT : real ? PF_COL_DOUBLE : PF_COL_INT64;
    return PF_OK;
}

static pf_status put_arg(pf_col_trace *s, maker *m, uint32_t row, uint32_t arg, pf_error *err)
{
    pf_query_cell cell = pf_arg_cell(&s->data.args, arg);
    if (m->col->type == PF_COL_TEXT) {
        return cell.type == PF_VALUE_NULL ? PF_OK : put_text(m, row, pf_data_arg_text(&s->data, arg), err);
    }
    if (cell.type == PF_VALUE_REAL) {
        put_real(m, row, cell.as.d);
    } else if (cell.type == PF_VALUE_INT && m->col->type == PF_COL_DOUBLE) {
        put_real(m, row, (double)cell.as.i);
    } else if (cell.type == PF_VALUE_INT) {
        put_number(m, row, cell.as.i);
    }
    return PF_OK;
}

pf_status pf_col_add_arg(pf_col_trace *s, pf_col_table *table, pf_str key, pf_error *err)
{
    const pf_col *sets = pf_col_named(table, "arg_set_id");
    uint32_t *arg_of, set;
    pf_col *c = &table->cols[table->count];
    *c = (pf_col){.name = pf_arena_copy(&s->arena, key.ptr, key.len)};
    PF_TRY(c->name ? PF_OK : pf_budget_refused(s->data.budget, key.len, err));
    if (key.len == 0) {
        return pf_fail(err, PF_ERR_USAGE, "the key of an argument is empty; name one, correlation for instance");
    }
    if (pf_col_named(table, c->name)) {
        return pf_fail(err, PF_ERR_USAGE, "an argument '%s' cannot be a column: table %s has one of that name", c->name,
                       table->name);
    }
    PF_TRY(find_values(s, key, &arg_of, &c->type, err));
    maker m = {.arena = &s->arena, .texts = &s->made, .utf8 = s->utf8, .col = c};
    PF_TRY(begin(&m, table->rows, err));
    for (uint32_t row = 0; row < table->rows; row++) {
        set = sets->array ? ((const uint32_t *)sets->array)[row] : PF_NONE;
        uint32_t arg = set != PF_NONE ? arg_of[set] : PF_NONE;
        PF_TRY(arg != PF_NONE ? put_arg(s, &m, row, arg, err) : PF_OK);
    }
    table->count++;
    return PF_OK;
}

pf_status pf_col_report(pf_arena *arena, pf_strings *made, const pf_table *table, bool utf8, pf_col_table *out,
                        pf_error *err)
{
    static const pf_col_type types[] = {
        [PF_CELL_INT] = PF_COL_INT64, [PF_CELL_REAL] = PF_COL_DOUBLE, [PF_CELL_TEXT] = PF_COL_TEXT};
    *out = (pf_col_table){.name = table->name, .rows = (uint32_t)table->row_count, .count = table->column_count};
    PF_TRY(PF_ARENA_NEW(arena, out->cols, out->count, err));
    for (size_t i = 0; i < out->count; i++) {
        pf_cell_type type = table->columns[i].type;
        maker m = {.arena = arena, .texts = made, .utf8 = utf8, .col = &out->cols[i]};
        *m.col = (pf_col){.name = table->columns[i].name, .type = types[type]};
        PF_TRY(begin(&m, out->rows, err));
        for (uint32_t row = 0; row < out->rows; row++) {
            const pf_cell *cell = &table->cells[row * out->count + i];
            if (cell->null) {
                continue;
            }
            if (type == PF_CELL_TEXT) {
                PF_TRY(put_text(&m, row, cell->as.s.ptr ? cell->as.s : PF_STR(""), err));
            } else if (type == PF_CELL_REAL) {
                put_real(&m, row, cell->as.d);
            } else {
                put_number(&m, row, cell->as.i);
            }
        }
    }
    return PF_OK;
}
