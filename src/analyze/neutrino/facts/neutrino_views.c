/* analyze/neutrino/facts/neutrino_views.c - side tables by name, sections as records, and what is written of them. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/neutrino/facts/neutrino.h"
#include "analyze/support/pass_memory.h"

neutrino_view pf_neutrino_view(const pf_trace *t, const char *table)
{
    const pf_side_table *s = pf_trace_table(t, table);
    return (neutrino_view){s, s ? s->count : 0};
}

static uint32_t column_of(neutrino_view v, const char *name, uint32_t row, pf_column_type type)
{
    uint32_t c = v.s && row < v.count ? pf_side_column_named(v.s, name) : PF_NONE;
    return c != PF_NONE && v.s->spec->columns[c].type == type ? c : PF_NONE;
}

int64_t pf_neutrino_int(neutrino_view v, const char *column, uint32_t row)
{
    uint32_t c = column_of(v, column, row, PF_COLUMN_INT);
    return c == PF_NONE ? INT64_MIN : *pf_side_number(v.s, c, row);
}

double pf_neutrino_double(neutrino_view v, const char *column, uint32_t row)
{
    uint32_t c = column_of(v, column, row, PF_COLUMN_REAL);
    return c == PF_NONE ? NAN : *pf_side_real(v.s, c, row);
}

uint32_t pf_neutrino_row_of(neutrino_view v, const char *column, uint32_t row)
{
    uint32_t c = column_of(v, column, row, PF_COLUMN_ROW);
    return c == PF_NONE ? PF_NONE : *pf_side_ref(v.s, c, row);
}

pf_str pf_neutrino_string(const pf_trace *t, neutrino_view v, const char *column, uint32_t row)
{
    uint32_t c = column_of(v, column, row, PF_COLUMN_TEXT);
    return pf_trace_string(t, c == PF_NONE ? 0 : *pf_side_ref(v.s, c, row));
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static uint64_t count_at(neutrino_view v, const char *column, uint32_t row)
{
    int64_t n = pf_neutrino_int(v, column, row);
    return n > 0 ? (uint64_t)n : 0;
}

static uint64_t kind_of(const neutrino_run *n, neutrino_view sections, uint32_t i)
{
    return (uint64_t)(uintptr_t)pf_neutrino_string(n->t, sections, "kind", i).ptr; /* equal texts are one */
}

pf_status pf_neutrino_count_kinds(neutrino_run *n, pf_error *err)
{
    neutrino_view s = pf_neutrino_view(n->t, "neutrino_section");
    n->nth = pf_pass_array(n->arena, s.count, sizeof *n->nth, err);
    n->of_kind = n->nth ? pf_pass_array(n->arena, s.count, sizeof *n->of_kind, err) : NULL;
    if (!n->of_kind) {
        return err->code;
    }
    pf_map kinds;
    bool ok = true;
    pf_map_init(&kinds, n->arena->budget);
    for (uint32_t i = 0; i < s.count && ok; i++) {
        uint32_t before = pf_map_get(&kinds, kind_of(n, s, i));
        n->nth[i] = before == PF_NONE ? 0 : before;
        ok = pf_map_set(&kinds, kind_of(n, s, i), n->nth[i] + 1);
    }
    for (uint32_t i = 0; i < s.count && ok; i++) {
        n->of_kind[i] = pf_map_get(&kinds, kind_of(n, s, i));
    }
    pf_map_free(&kinds);
    return ok ? PF_OK : pf_budget_refused(n->arena->budget, s.count, err);
}

bool pf_neutrino_records_at(const neutrino_run *n, uint32_t i, neutrino_records *r)
{
    neutrino_view s = pf_neutrino_view(n->t, "neutrino_section"), traces = pf_neutrino_view(n->t, "neutrino_trace");
    uint32_t data = i < s.count ? column_of(s, "data", i, PF_COLUMN_BLOB) : PF_NONE;
    if (data == PF_NONE) {
        return false;
    }
    *r = (neutrino_records){.section = i, .trace = pf_neutrino_row_of(s, "trace", i)};
    r->kind = pf_neutrino_string(n->t, s, "kind", i);
    r->map = pf_neutrino_string(n->t, s, "map", i);
    r->units = count_at(s, "units", i);
    r->per_block = count_at(s, "units_per_block", i);
    r->unit_bytes = count_at(s, "unit_bytes", i);
    r->record_bytes = count_at(s, "record_bytes", i);
    r->capacity = count_at(s, "capacity", i);
    r->complete = count_at(s, "complete_units", i);
    r->offset = count_at(s, "offset", i);
    r->stored_offset = count_at(s, "stored_offset", i);
    r->blocks = r->per_block ? r->units / r->per_block : 0;
    r->data = pf_side_blob(s.s, data, i)->ptr;
    r->file = pf_neutrino_string(n->t, traces, "file", r->trace);
    r->run = pf_neutrino_row_of(traces, "run", r->trace);
    r->launch = pf_neutrino_row_of(traces, "launch", r->trace);
    r->kernel = pf_neutrino_string(n->t, pf_neutrino_view(n->t, "neutrino_launch"), "name", r->launch);
    r->nth = n->nth[i];
    r->of_kind = n->of_kind[i];
    return true;
}

static uint32_t end_of_group(const neutrino_run *n, neutrino_view v, uint32_t row)
{
    const char *file = pf_neutrino_string(n->t, v, "file", row).ptr;
    while (row < v.count && pf_neutrino_string(n->t, v, "file", row).ptr == file) {
        row++;
    }
    return row;
}

bool pf_neutrino_next_group(const neutrino_run *n, neutrino_view v, neutrino_group *g)
{
    g->r.nth += g->past > 0;
    for (uint32_t i = 0; g->past == 0 && i < v.count; i = end_of_group(n, v, i)) {
        g->r.of_kind++;
    }
    g->first = g->past;
    g->past = end_of_group(n, v, g->first);
    g->r.file = pf_neutrino_string(n->t, v, "file", g->first);
    return g->first < v.count;
}

size_t pf_neutrino_field(const neutrino_run *n, const neutrino_records *r, const char *name, unsigned *bytes)
{
    neutrino_view f = pf_neutrino_view(n->t, "neutrino_field");
    for (uint32_t i = 0; i < f.count; i++) {
        if (pf_neutrino_row_of(f, "section", i) == r->section &&
            pf_neutrino_same(pf_neutrino_string(n->t, f, "name", i), name)) {
            *bytes = (unsigned)count_at(f, "bytes", i);
            return (size_t)count_at(f, "offset", i);
        }
    }
    *bytes = 0;
    return SIZE_MAX;
}

pf_status pf_neutrino_passed(const neutrino_run *n, const neutrino_records *r, uint64_t unit, uint64_t *gone,
                             pf_error *err)
{
    uint64_t from = *gone * r->unit_bytes, to = unit * r->unit_bytes;
    if (to - from < NEUTRINO_PIECE) {
        return PF_OK;
    }
    pf_trace_drop_bytes(n->t, (pf_bytes){r->data + from, (size_t)(to - from)});
    *gone = unit;
    return pf_pass_poll(n->ctx, err);
}

/* ---- documents --------------------------------------------------------------------------------------------------- */

static pf_str text(const char *s)
{
    return s ? (pf_str){s, strlen(s)} : (pf_str){NULL, 0};
}

void pf_neutrino_put_u64(const neutrino_run *n, pf_node *parent, const char *key, uint64_t v)
{
    char digits[24];
    if (v <= INT64_MAX) {
        pf_node_add_int(n->f, parent, text(key), (int64_t)v);
        return;
    }
    size_t at = sizeof digits;
    for (; v; v /= 10) {
        digits[--at] = (char)('0' + v % 10);
    }
    pf_node_add_raw(n->f, parent, text(key), (pf_str){digits + at, sizeof digits - at});
}

void pf_neutrino_put_real(const neutrino_run *n, pf_node *parent, const char *key, double v)
{
    if (isfinite(v)) {
        pf_node_add_real(n->f, parent, text(key), v);
    } else {
        pf_neutrino_put_null(n, parent, key);
    }
}

void pf_neutrino_put_text(const neutrino_run *n, pf_node *parent, const char *key, pf_str v)
{
    pf_node_add_text(n->f, parent, text(key), v.ptr ? v : PF_STR(""));
}

pf_node *pf_neutrino_put_object(const neutrino_run *n, pf_node *parent, const char *key)
{
    return pf_node_add(n->f, parent, text(key), PF_NODE_OBJECT);
}

pf_node *pf_neutrino_put_list(const neutrino_run *n, pf_node *parent, const char *key)
{
    return pf_node_add(n->f, parent, text(key), PF_NODE_LIST);
}

void pf_neutrino_put_null(const neutrino_run *n, pf_node *parent, const char *key)
{
    pf_node_add(n->f, parent, text(key), PF_NODE_NULL);
}

pf_node *pf_neutrino_root(const neutrino_run *n, pf_node_type type)
{
    return pf_node_root(n->f, type);
}

pf_str pf_neutrino_file(const neutrino_run *n, const char *stem, const neutrino_records *r, const char *ending)
{
    return r && r->of_kind > 1 ? pf_findings_format(n->f, "%s_%" PRIu32 ".%s", stem, r->nth + 1, ending)
                               : pf_findings_format(n->f, "%s.%s", stem, ending);
}

void pf_neutrino_report(const neutrino_run *n, const char *stem, const neutrino_records *r, pf_node *root)
{
    pf_str file = pf_neutrino_file(n, stem, r, "json");
    if (r && r->of_kind > 1 && root && root->type == PF_NODE_OBJECT) {
        pf_neutrino_put_text(n, root, "file", r->file);
    }
    static const pf_json_style style = {.one_line = true, .final_newline = true};
    pf_findings_add_report(
        n->f, &(pf_report){.file = file, .form = PF_REPORT_JSON, .root = root, .json = &style, .announced = true});
    pf_node *summary = (pf_node *)(uintptr_t)pf_findings_summary(n->f);
    const char *dot = file.ptr ? memchr(file.ptr, '.', file.len) : NULL;
    pf_node_copy(n->f, summary, (pf_str){file.ptr, dot ? (size_t)(dot - file.ptr) : file.len}, root);
}

bool pf_neutrino_add_fact(neutrino_run *n, const neutrino_records *r, const char *key, uint64_t value, bool clock)
{
    if (n->fact_count == n->fact_room) {
        uint32_t room = n->fact_room ? n->fact_room * 2 : 64;
        neutrino_fact *list = pf_arena_alloc(n->arena, room * sizeof *list);
        if (!list) {
            return false;
        }
        if (n->fact_count) {
            memcpy(list, n->facts, n->fact_count * sizeof *list);
        }
        n->facts = list;
        n->fact_room = room;
    }
    n->facts[n->fact_count++] = (neutrino_fact){r->launch, r->section, key, value, clock};
    return true;
}

void pf_neutrino_print(const neutrino_run *n, pf_str line)
{
    pf_text *t = pf_text_new(n->f);
    pf_text_put(n->f, t, line);
    pf_text_put(n->f, t, PF_STR("\n"));
    pf_findings_print(n->f, t);
}
