/* analyze/neutrino/partial/neutrino_merge.c - side tables and pieces out of partials, in the order of the inputs'
 * paths.
 *
 * The tables may say anything. Inputs that no partial names, rows of other tables that are not there and pieces of
 * units or with rows that are not there are refused; a wrong number makes wrong numbers.
 *
 * Rows of report tables have no input. Both they and the pieces are in the order in which they were made, file by file,
 * so that the rows of a piece follow those of the piece before it that has rows of the same table. */
#include <stdlib.h>
#include <string.h>

#include "analyze/neutrino/partial/neutrino_partial.h"
#include "analyze/pass/merge_rules.h"
#include "analyze/pass/partials.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

typedef struct parts_reading {
    neutrino_run *n;
    neutrino_parts *parts;
    pf_map input_of; /* by string id of a path */
    pf_error *err;
} parts_reading;

static pf_status broken(const parts_reading *m, const char *table)
{
    return pf_partials_broken(table, m->err);
}

typedef struct named_input {
    const char *path;
    pf_str hash;
} named_input;

PF_ORDER(by_path, named_input, strcmp(x->path, y->path));

static pf_status read_inputs(parts_reading *m)
{
    const neutrino_run *n = m->n;
    neutrino_parts *p = m->parts;
    const pf_side_table *s;
    named_input *list;
    PF_TRY(pf_partials_table(n->t, &pf_neutrino_part_inputs, &s, m->err));
    PF_TRY(s ? PF_OK : broken(m, NEUTRINO_PART_INPUTS));
    p->inputs = s->count;
    PF_TRY(PF_PASS_ARRAY(n->arena, s->count, list, m->err));
    PF_TRY(PF_PASS_ARRAY(n->arena, s->count, p->path, m->err));
    PF_TRY(PF_PASS_ARRAY(n->arena, s->count, p->hash, m->err));
    for (uint32_t i = 0; i < s->count; i++) {
        pf_str path = pf_trace_string(n->t, *pf_side_ref(s, NEUTRINO_INPUT_PATH, i));
        PF_TRY(path.ptr && strlen(path.ptr) == path.len ? PF_OK : broken(m, NEUTRINO_PART_INPUTS));
        list[i] = (named_input){path.ptr, pf_trace_string(n->t, *pf_side_ref(s, NEUTRINO_INPUT_HASH, i))};
    }
    qsort(list, s->count, sizeof *list, by_path);
    for (uint32_t i = 0; i < s->count; i++) {
        if (i && by_path(&list[i - 1], &list[i]) == 0) {
            return pf_fail(m->err, PF_ERR_INPUT, "'%s' is in two of the partials; each input counts once",
                           list[i].path);
        }
        p->path[i] = list[i].path;
        p->hash[i] = list[i].hash;
        PF_TRY(pf_map_put(&m->input_of, pf_trace_find_string(n->t, pf_str_of(list[i].path)), i, m->err));
    }
    return PF_OK;
}

/* By row its input, and where the rows of each input will be. Their first column is the input. */
static pf_status place_rows(parts_reading *m, const char *table, const pf_side_table *s, uint32_t *first,
                            uint32_t **input_of)
{
    uint32_t rows = s ? s->count : 0;
    PF_TRY(PF_PASS_ARRAY(m->n->arena, rows, *input_of, m->err));
    for (uint32_t i = 0; i < rows; i++) {
        (*input_of)[i] = pf_map_get(&m->input_of, *pf_side_ref(s, 0, i));
        PF_TRY((*input_of)[i] != PF_NONE ? PF_OK : broken(m, table));
        first[(*input_of)[i] + 1]++;
    }
    for (uint32_t i = 0; i < m->parts->inputs; i++) {
        first[i + 1] += first[i];
    }
    return PF_OK;
}

/* A row of another table; those of an input are numbered from 0 in a partial. Launches need not be there. */
static pf_status take_row(const parts_reading *m, uint32_t of, uint32_t input, int64_t number, uint32_t *out)
{
    const uint32_t *first = m->parts->first[of];
    bool none = number == INT64_MIN && of == NEUTRINO_SIDE_LAUNCH;
    bool good = none || (number >= 0 && number < first[input + 1] - (int64_t)first[input]);
    *out = good && !none ? first[input] + (uint32_t)number : PF_NONE;
    return good ? PF_OK : broken(m, pf_neutrino_sides[of].name);
}

static pf_status read_column(const parts_reading *m, const neutrino_part *part, const pf_side_table *s, unsigned c,
                             const uint32_t *to, const uint32_t *input_of)
{
    const pf_side_binding *b = part->binding[c];
    size_t size = b->type == PF_COLUMN_TEXT ? sizeof(uint32_t) : sizeof(int64_t);
    char *array = pf_pass_array(m->n->arena, s->count, size, m->err);
    PF_TRY(array ? PF_OK : m->err->code);
    *pf_neutrino_array(m->n, part->side, b) = array;
    for (uint32_t i = 0; i < s->count; i++) {
        if (part->of[c] != PF_NONE) {
            PF_TRY(take_row(m, part->of[c], input_of[i], *pf_side_number(s, c, i), (uint32_t *)array + to[i]));
        } else {
            memcpy(array + to[i] * size, (const char *)s->column[c] + i * size, size);
        }
    }
    return PF_OK;
}

/* Columns that partials do not have are zero: nobody asks for them without an enriched trace. */
static pf_status read_side(parts_reading *m, unsigned number)
{
    const neutrino_run *n = m->n;
    neutrino_part part;
    const pf_side_table *s;
    uint32_t *input_of, *to, *next;
    pf_bytes *zeros;
    PF_TRY(PF_ARENA_NEW(n->arena, m->parts->first[number], m->parts->inputs + 1, m->err));
    if (!pf_neutrino_part(n, number, &part)) {
        return pf_findings_status(n->f, m->err);
    }
    PF_TRY(pf_partials_table(n->t, &part.table, &s, m->err));
    if (!s) {
        return PF_OK;
    }
    PF_TRY(place_rows(m, part.table.name, s, m->parts->first[number], &input_of));
    PF_TRY(PF_PASS_ARRAY(n->arena, s->count, to, m->err));
    PF_TRY(PF_PASS_ARRAY(n->arena, m->parts->inputs, next, m->err));
    memcpy(next, m->parts->first[number], m->parts->inputs * sizeof *next);
    for (uint32_t i = 0; i < s->count; i++) {
        to[i] = next[input_of[i]]++;
    }
    PF_TRY(PF_ARENA_NEW(n->arena, zeros, s->count, m->err));
    for (size_t i = 0; i < part.side->count; i++) {
        *pf_neutrino_array(n, part.side, &part.side->columns[i]) = zeros;
    }
    *(uint32_t *)(void *)((char *)m->n + part.side->member) = s->count;
    for (unsigned c = 1; c < part.table.column_count; c++) {
        PF_TRY(read_column(m, &part, s, c, to, input_of));
    }
    return PF_OK;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* The rows of a piece; `used`: those of each report table that the pieces before it have. */
static bool take_rows(const parts_reading *m, int64_t rows, uint32_t *used, neutrino_piece *k)
{
    const pf_side_table *t = NULL;
    while (k->table < NEUTRINO_REPORT_TABLES && !pf_str_is(k->name, pf_neutrino_report_tables[k->table].name)) {
        k->table++;
    }
    if (k->table == NEUTRINO_REPORT_TABLES || pf_neutrino_merge_rules[k->table].how != PF_MERGE_ROWS ||
        pf_partials_table(m->n->t, &pf_neutrino_report_tables[k->table], &t, m->err) != PF_OK || !t || rows < 0 ||
        rows > t->count - (int64_t)used[k->table]) {
        return false;
    }
    k->rows = (uint32_t)rows;
    k->first = used[k->table];
    used[k->table] += k->rows;
    return true;
}

static pf_status read_piece(const parts_reading *m, const pf_side_table *s, uint32_t row, uint32_t input,
                            uint32_t *used, neutrino_piece *k)
{
    const neutrino_run *n = m->n;
    int64_t unit = *pf_side_number(s, NEUTRINO_PIECE_UNIT, row);
    pf_str kind = pf_trace_string(n->t, *pf_side_ref(s, NEUTRINO_PIECE_KIND, row));
    bool pages = unit < 0;
    const uint32_t *first = m->parts->first[pages ? NEUTRINO_SIDE_PAGE : NEUTRINO_SIDE_SECTION];
    *k = (neutrino_piece){.name = pf_trace_string(n->t, *pf_side_ref(s, NEUTRINO_PIECE_NAME, row)),
                          .text = pf_trace_string(n->t, *pf_side_ref(s, NEUTRINO_PIECE_TEXT, row))};
    while (k->kind < NEUTRINO_PIECES && !pf_str_is(kind, pf_neutrino_piece_names[k->kind])) {
        k->kind++;
    }
    unit = pages ? -(unit + 1) : unit;
    if (k->kind == NEUTRINO_PIECES || unit >= first[input + 1] - (int64_t)first[input]) {
        return broken(m, NEUTRINO_PART_PIECES);
    }
    k->unit = first[input] + (uint32_t)unit + (pages ? n->sections.count : 0);
    bool good = k->kind != NEUTRINO_ROWS || take_rows(m, *pf_side_number(s, NEUTRINO_PIECE_ROWS, row), used, k);
    return good ? PF_OK : broken(m, NEUTRINO_PART_PIECES);
}

/* By unit, those of a unit in their order. */
static pf_status read_pieces(parts_reading *m)
{
    const neutrino_run *n = m->n;
    neutrino_parts *p = m->parts;
    const pf_side_table *s;
    uint32_t *first, *input_of, *next, used[NEUTRINO_REPORT_TABLES] = {0};
    size_t units = (size_t)n->sections.count + n->pages.count;
    PF_TRY(pf_partials_table(n->t, &pf_neutrino_part_pieces, &s, m->err));
    uint32_t count = s ? s->count : 0;
    neutrino_piece *list;
    PF_TRY(PF_ARENA_NEW(n->arena, first, p->inputs + 1, m->err));
    PF_TRY(PF_PASS_ARRAY(n->arena, count, list, m->err));
    PF_TRY(PF_PASS_ARRAY(n->arena, count, p->read, m->err));
    PF_TRY(PF_ARENA_NEW(n->arena, p->first_read, units + 1, m->err));
    PF_TRY(PF_PASS_ARRAY(n->arena, units + 1, next, m->err));
    PF_TRY(place_rows(m, NEUTRINO_PART_PIECES, s, first, &input_of));
    for (uint32_t i = 0; i < count; i++) {
        PF_TRY(read_piece(m, s, i, input_of[i], used, &list[i]));
        p->first_read[list[i].unit + 1]++;
    }
    for (size_t i = 0; i < units; i++) {
        p->first_read[i + 1] += p->first_read[i];
    }
    memcpy(next, p->first_read, (units + 1) * sizeof *next);
    for (uint32_t i = 0; i < count; i++) {
        p->read[next[list[i].unit]++] = list[i];
    }
    return PF_OK;
}

pf_status pf_neutrino_read_parts(neutrino_run *n, pf_error *err)
{
    parts_reading m = {.n = n, .parts = n->parts, .err = err};
    pf_map_init(&m.input_of, n->arena->budget);
    pf_status st = read_inputs(&m);
    for (unsigned i = 0; i < NEUTRINO_SIDES && st == PF_OK; i++) {
        st = read_side(&m, i);
    }
    st = st == PF_OK ? read_pieces(&m) : st;
    pf_map_free(&m.input_of);
    return st;
}

/* ---- reporting them ---------------------------------------------------------------------------------------------- */

static pf_status parse(const neutrino_run *n, const neutrino_piece *k, pf_node **out, pf_error *err)
{
    pf_document *d;
    PF_TRY(pf_json_parse(k->text, NULL, &d, err));
    *out = pf_node_copy(n->f, NULL, (pf_str){NULL, 0}, pf_document_root(d));
    pf_document_free(d);
    return pf_findings_status(n->f, err);
}

/* What a report is called is one of our words: the name must outlive the partial's trace, too. */
static const char *stem_of(const neutrino_run *n, const neutrino_piece *k)
{
    pf_str name = pf_findings_keep(n->f, k->name);
    return name.ptr ? name.ptr : "";
}

static void report_rows(neutrino_run *n, const neutrino_piece *k)
{
    const pf_pass_table *table = &pf_neutrino_report_tables[k->table];
    const pf_side_table *s;
    pf_cell cells[NEUTRINO_PART_COLUMNS];
    pf_error ignored; /* the table was looked at before */
    if (pf_partials_table(n->t, table, &s, &ignored) != PF_OK) {
        return;
    }
    for (uint32_t i = k->first; i < k->first + k->rows; i++) {
        for (unsigned c = 0; c < table->column_count; c++) {
            cells[c] = pf_partials_cell(n->t, s, c, i);
        }
        pf_neutrino_tabulate(n, k->table, cells);
    }
}

static pf_status report(neutrino_run *n, const neutrino_piece *k, const neutrino_records *r, pf_error *err)
{
    pf_node *root;
    pf_text *text;
    switch (k->kind) {
    case NEUTRINO_DOCUMENT:
        PF_TRY(parse(n, k, &root, err));
        pf_neutrino_report(n, stem_of(n, k), r, root);
        break;
    case NEUTRINO_TSV:
        text = pf_text_new(n->f);
        pf_text_put(n->f, text, k->text);
        pf_neutrino_report_tsv(n, stem_of(n, k), r, text);
        break;
    case NEUTRINO_LINE:
        pf_neutrino_print(n, k->text);
        break;
    case NEUTRINO_NOTE:
        pf_neutrino_say(n, k->text);
        break;
    case NEUTRINO_ROWS:
        report_rows(n, k);
        break;
    default: /* SUMS: of a larger merge */
        pf_neutrino_keep(n, k->kind, k->name, k->text);
        break;
    }
    return PF_OK;
}

pf_status pf_neutrino_report_pieces(neutrino_run *n, uint32_t unit, const neutrino_records *r, pf_error *err)
{
    const neutrino_parts *p = n->parts;
    for (uint32_t i = p->first_read[unit]; i < p->first_read[unit + 1]; i++) {
        PF_TRY(report(n, &p->read[i], r, err));
    }
    return pf_findings_status(n->f, err);
}

pf_status pf_neutrino_read_sums(const neutrino_run *n, uint32_t section, pf_node **out, pf_error *err)
{
    const neutrino_parts *p = n->parts;
    *out = pf_node_root(n->f, PF_NODE_OBJECT);
    for (uint32_t i = p->first_read[section]; i < p->first_read[section + 1]; i++) {
        PF_TRY(p->read[i].kind == NEUTRINO_SUMS ? parse(n, &p->read[i], out, err) : PF_OK);
    }
    return pf_findings_status(n->f, err);
}
