/* model/trace/added_tables.c - tables that passes and readers register, and all side tables of a trace by name. */

#include "base/list.h"
#include "base/str.h"
#include "model/trace/trace_tables.h"

static bool is_table_name(const char *name)
{
    size_t len = name ? strlen(name) : 0;
    for (size_t i = 0; i < len; i++) {
        if (!(pf_is_alnum(name[i]) || name[i] == '_') || (i == 0 && pf_is_digit(name[i]))) {
            return false;
        }
    }
    return len > 0;
}

static bool is_main_table(const char *name)
{
    const pf_main_table *table;
    size_t i = 0;
    while ((table = pf_main_table_at(i)) && !pf_is_same_name(table->name, name)) {
        i++;
    }
    return table != NULL;
}

static pf_status check_spec(const pf_side_spec *spec, pf_error *err)
{
    if (!is_table_name(spec->name)) {
        return pf_fail(err, PF_ERR_USAGE, "'%s' cannot be the name of a table; use letters, digits and underscores",
                       spec->name ? spec->name : "");
    }
    if (is_main_table(spec->name)) {
        return pf_fail(err, PF_ERR_USAGE, "'%s' is a table of every trace; choose another name", spec->name);
    }
    if (spec->column_count == 0 || spec->column_count > PF_SIDE_COLUMNS_MAX) {
        return pf_fail(err, PF_ERR_USAGE, "table %s has %zu columns; 1 to %d are possible", spec->name,
                       spec->column_count, PF_SIDE_COLUMNS_MAX);
    }
    for (size_t i = 0; i < spec->column_count; i++) {
        const pf_side_column *c = &spec->columns[i];
        bool good = c->name && *c->name && !pf_is_same_name(c->name, "id") && (unsigned)c->type <= PF_COLUMN_ROW;
        for (size_t k = 0; good && k < i; k++) {
            good = !pf_is_same_name(c->name, spec->columns[k].name);
        }
        if (!good) {
            return pf_fail(err, PF_ERR_USAGE,
                           "column %zu of table %s needs a name that no other one has, not 'id', and a type", i,
                           spec->name);
        }
    }
    return PF_OK;
}

static bool same_columns(const pf_side_spec *a, const pf_side_spec *b)
{
    bool same = a->column_count == b->column_count;
    for (size_t i = 0; i < a->column_count && same; i++) {
        same = strcmp(a->columns[i].name, b->columns[i].name) == 0 && a->columns[i].type == b->columns[i].type;
    }
    return same;
}

/* A text of a spec in the arena; *good turns false if memory is refused. */
static const char *copy_text(pf_arena *a, const char *text, bool *good)
{
    const char *copy = text ? pf_arena_copy(a, text, strlen(text)) : NULL;
    *good &= copy || !text;
    return copy;
}

static const pf_side_spec *copy_spec(pf_arena *a, const pf_side_spec *spec, pf_error *err)
{
    size_t bytes = spec->column_count * sizeof *spec->columns;
    pf_side_spec *copy = pf_arena_alloc(a, sizeof *copy);
    pf_side_column *columns = pf_arena_alloc(a, bytes);
    bool good = copy && columns;
    for (size_t i = 0; good && i < spec->column_count; i++) {
        const pf_side_column *c = &spec->columns[i];
        columns[i] = *c;
        columns[i].name = copy_text(a, c->name, &good);
        columns[i].unit = copy_text(a, c->unit, &good);
        columns[i].of = copy_text(a, c->of, &good);
        columns[i].help = copy_text(a, c->help, &good);
    }
    if (good) {
        *copy = (pf_side_spec){.columns = columns, .column_count = spec->column_count};
        copy->name = copy_text(a, spec->name, &good);
        copy->help = copy_text(a, spec->help, &good);
    }
    if (!good) {
        pf_budget_refused(a->budget, bytes, err);
        return NULL;
    }
    return copy;
}

pf_status pf_trace_add_table(pf_trace *t, const pf_side_spec *spec, pf_side_table **out, pf_error *err)
{
    PF_TRY(check_spec(spec, err));
    pf_side_table *known = (pf_side_table *)(uintptr_t)pf_trace_table(t, spec->name);
    if (known && !same_columns(known->spec, spec)) {
        return pf_fail(err, PF_ERR_USAGE, "table %s is there already and has other columns", spec->name);
    }
    *out = known;
    if (known) {
        return PF_OK;
    }
    const pf_side_spec *copy = copy_spec(&t->arena, spec, err);
    pf_side_table *table = copy ? pf_arena_alloc(&t->arena, sizeof *table) : NULL;
    if (!table) {
        return copy ? pf_budget_refused(&t->budget, sizeof *table, err) : err->code;
    }
    pf_side_init(table, copy, &t->budget);
    *out = table;
    PF_TRY(PF_LIST_ROOM(&t->budget, t->sides.added, t->sides.count + 1, t->sides.room, err));
    t->sides.added[t->sides.count++] = table;
    return PF_OK;
}

size_t pf_trace_table_count(const pf_trace *t)
{
    return PF_SIDE_COUNT + t->sides.count;
}

const pf_side_table *pf_trace_table_at(const pf_trace *t, size_t i)
{
    return pf_sides_at(&t->sides, i);
}

const pf_side_table *pf_trace_table(const pf_trace *t, const char *name)
{
    const pf_side_table *s = NULL;
    for (size_t i = 0; (s = pf_sides_at(&t->sides, i)) && !pf_is_same_name(s->spec->name, name); i++) {
    }
    return s;
}

uint32_t pf_side_column_named(const pf_side_table *s, const char *name)
{
    for (size_t i = 0; i < s->spec->column_count; i++) {
        if (strcmp(s->spec->columns[i].name, name) == 0) {
            return (uint32_t)i;
        }
    }
    return PF_NONE;
}

static bool holds(pf_column_type wanted, pf_column_type there)
{
    return wanted == there || (wanted == PF_COLUMN_TEXT && there == PF_COLUMN_ROW);
}

pf_status pf_side_bind(const pf_side_table *s, const pf_side_binding *bindings, size_t count, void *columns,
                       pf_error *err)
{
    static const char *const types[] = {"integers", "reals", "strings or rows", "bytes", "rows"};
    for (size_t i = 0; i < count; i++) {
        const pf_side_binding *b = &bindings[i];
        uint32_t c = s ? pf_side_column_named(s, b->column) : PF_NONE;
        if (s && (c == PF_NONE || !holds(b->type, s->spec->columns[c].type))) {
            return pf_fail(err, PF_ERR_INPUT,
                           "table %s has no column '%s' of %s, which is needed here; it was filled by another program "
                           "or release",
                           s->spec->name, b->column, types[b->type]);
        }
        const void *cells = s && s->count ? s->column[c] : NULL;
        memcpy((char *)columns + b->member, &cells, sizeof cells);
    }
    *(uint32_t *)columns = s ? s->count : 0;
    return PF_OK;
}

pf_status pf_trace_add_string(pf_trace *t, pf_str text, uint32_t *id, pf_error *err)
{
    *id = text.ptr ? pf_strings_add(&t->strings, text.ptr, text.len, err) : 0;
    return *id == PF_NONE ? err->code : PF_OK;
}

pf_status pf_trace_keep_bytes(pf_trace *t, pf_bytes bytes, pf_bytes *out, pf_error *err)
{
    *out = (pf_bytes){(const uint8_t *)pf_arena_copy(&t->arena, (const char *)bytes.ptr, bytes.len), bytes.len};
    return out->ptr ? PF_OK : pf_budget_refused(&t->budget, bytes.len, err);
}
