/* analyze/neutrino/partial/neutrino_parts.c - the tables of a partial: inputs, side tables, pieces. */
#include <string.h>

#include "analyze/neutrino/partial/neutrino_partial.h"
#include "analyze/support/pass_memory.h"
#include "analyze/support/pass_tables.h"
#include "base/files/fingerprint.h"
#include "model/trace/trace.h"

#define INT PF_INT_COLUMN
#define TEXT PF_TEXT_COLUMN

const pf_pass_table pf_neutrino_part_inputs =
    PF_PASS_TABLE(NEUTRINO_PART_INPUTS, "an input", TEXT("input"), TEXT("hash"));
const pf_pass_table pf_neutrino_part_pieces = PF_PASS_TABLE(
    NEUTRINO_PART_PIECES, "a piece of what came out of a section (0, 1, ...) or a file of pages (-1, ...)",
    TEXT("input"), INT("unit", ""), TEXT("kind"), TEXT("name"), TEXT("text"), INT("rows", ""));
const char *const pf_neutrino_piece_names[NEUTRINO_PIECES] = {
    [NEUTRINO_DOCUMENT] = "document", [NEUTRINO_TSV] = "tsv",   [NEUTRINO_LINE] = "line",
    [NEUTRINO_NOTE] = "note",         [NEUTRINO_SUMS] = "sums", [NEUTRINO_ROWS] = "rows"};

/* The side table whose rows a column numbers. */
static uint32_t target_of(const char *column)
{
    static const struct {
        const char *column;
        uint32_t side;
    } refs[] = {{"run", NEUTRINO_SIDE_RUN}, {"launch", NEUTRINO_SIDE_LAUNCH}, {"trace", NEUTRINO_SIDE_TRACE}};
    uint32_t found = PF_NONE;
    for (size_t i = 0; i < sizeof refs / sizeof *refs; i++) {
        found = strcmp(column, refs[i].column) == 0 ? refs[i].side : found;
    }
    return found;
}

bool pf_neutrino_part(const neutrino_run *n, unsigned number, neutrino_part *out)
{
    static const pf_cell_type types[] = {
        [PF_COLUMN_INT] = PF_CELL_INT, [PF_COLUMN_REAL] = PF_CELL_REAL, [PF_COLUMN_TEXT] = PF_CELL_TEXT};
    const neutrino_side *side = &pf_neutrino_sides[number];
    pf_column *columns = pf_findings_alloc(n->f, (side->count + 1) * sizeof *columns);
    if (number == NEUTRINO_SIDE_TENSOR || number == NEUTRINO_SIDE_FIELD || !columns) {
        return false; /* only analyses of records look at them */
    }
    size_t count = 1;
    columns[0] = (pf_column)TEXT("input");
    for (size_t i = 0; i < side->count && count < NEUTRINO_PART_COLUMNS; i++) {
        const pf_side_binding *b = &side->columns[i];
        if (b->type != PF_COLUMN_BLOB && strcmp(b->column, "process") != 0) {
            out->binding[count] = b;
            out->of[count] = b->type == PF_COLUMN_TEXT ? target_of(b->column) : PF_NONE;
            pf_cell_type type = out->of[count] == PF_NONE ? types[b->type] : PF_CELL_INT;
            columns[count++] = (pf_column){b->column, type, -1, ""};
        }
    }
    pf_str name = pf_findings_format(n->f, "neutrino_part_%s", side->name + sizeof "neutrino_" - 1);
    out->side = side;
    out->table = (pf_pass_table){name.ptr, "rows of a side table", columns, count};
    return name.ptr;
}

pf_status pf_neutrino_begin_parts(neutrino_run *n, pf_error *err)
{
    neutrino_parts *p = n->parts;
    const pf_input *input = pf_trace_input(n->t, 0);
    char hash[33];
    if (pf_trace_input_count(n->t) != 1) {
        return pf_fail(err, PF_ERR_USAGE,
                       "--partial is of one input, a run directory, a tree of them or a file; write one of each, "
                       "'postfetto merge-reports --partial' makes one of several");
    }
    if (input->is_directory) {
        pf_fingerprint_folder(input->path, hash);
    } else {
        pf_trace_hash_input(n->t, 0, hash);
    }
    p->inputs = 1;
    PF_TRY(PF_PASS_ARRAY(n->arena, 1, p->path, err));
    PF_TRY(PF_PASS_ARRAY(n->arena, 1, p->hash, err));
    p->path[0] = input->path;
    p->hash[0] = pf_findings_keep(n->f, pf_str_of(hash));
    for (size_t i = 0; i < NEUTRINO_SIDES; i++) {
        PF_TRY(PF_PASS_ARRAY(n->arena, 2, p->first[i], err));
        p->first[i][0] = 0;
        p->first[i][1] = *(const uint32_t *)(const void *)((const char *)n + pf_neutrino_sides[i].member);
    }
    return PF_OK;
}

static pf_cell cell_at(const neutrino_run *n, const neutrino_part *part, size_t column, uint32_t input, uint32_t row)
{
    const pf_side_binding *b = part->binding[column];
    const void *array = *pf_neutrino_array(n, part->side, b);
    if (b->type == PF_COLUMN_INT) {
        int64_t v = ((const int64_t *)array)[row];
        return pf_cell_int_if(v != INT64_MIN, v);
    }
    if (b->type == PF_COLUMN_REAL) {
        double v = ((const double *)array)[row];
        return pf_cell_real_if(v == v, v);
    }
    uint32_t id = ((const uint32_t *)array)[row], of = part->of[column];
    return of == PF_NONE ? pf_cell_text(pf_trace_string(n->t, id))
                         : pf_cell_int_if(id != PF_NONE, (int64_t)id - n->parts->first[of][input]);
}

/* Of pages a row for each file. */
static void add_side(const neutrino_run *n, unsigned number)
{
    const neutrino_parts *p = n->parts;
    neutrino_part part;
    pf_cell cells[NEUTRINO_PART_COLUMNS];
    if (!pf_neutrino_part(n, number, &part)) {
        return;
    }
    pf_table_builder *t = pf_table_new_named(n->f, part.table.name, pf_str_of(part.table.help), part.table.columns,
                                             part.table.column_count);
    for (uint32_t i = 0; i < p->inputs; i++) {
        cells[0] = pf_cell_text(pf_str_of(p->path[i]));
        for (uint32_t row = p->first[number][i]; row < p->first[number][i + 1]; row++) {
            bool again = number == NEUTRINO_SIDE_PAGE && row > p->first[number][i] &&
                         n->pages.file[row] == n->pages.file[row - 1];
            for (size_t c = 1; c < part.table.column_count && !again; c++) {
                cells[c] = cell_at(n, &part, c, i, row);
            }
            if (!again) {
                pf_table_row(n->f, t, cells);
            }
        }
    }
}

/* Units of an input are numbered from 0, its files of pages from -1 down. */
static void add_pieces(const neutrino_run *n, pf_table_builder *t)
{
    const neutrino_parts *p = n->parts;
    uint32_t input = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const neutrino_piece *k = &p->kept[i];
        bool pages = k->unit >= n->sections.count;
        uint32_t place = pages ? k->unit - n->sections.count : k->unit;
        const uint32_t *first = p->first[pages ? NEUTRINO_SIDE_PAGE : NEUTRINO_SIDE_SECTION];
        input = place < first[input] ? 0 : input;
        while (input + 1 < p->inputs && place >= first[input + 1]) {
            input++;
        }
        int64_t unit = (int64_t)place - first[input];
        PF_TABLE_ROW(n->f, t, pf_cell_text(pf_str_of(p->path[input])), pf_cell_int(pages ? -1 - unit : unit),
                     pf_cell_text(pf_str_of(pf_neutrino_piece_names[k->kind])), pf_cell_text(k->name),
                     pf_cell_text(k->text), pf_cell_int(k->rows));
    }
}

static pf_table_builder *make(const neutrino_run *n, const pf_pass_table *t)
{
    return pf_table_new_named(n->f, t->name, pf_str_of(t->help), t->columns, t->column_count);
}

pf_status pf_neutrino_add_parts(const neutrino_run *n, pf_error *err)
{
    const neutrino_parts *p = n->parts;
    pf_table_builder *inputs = make(n, &pf_neutrino_part_inputs);
    for (uint32_t i = 0; i < p->inputs; i++) {
        PF_TABLE_ROW(n->f, inputs, pf_cell_text(pf_str_of(p->path[i])), pf_cell_text(p->hash[i]));
    }
    for (unsigned i = 0; i < NEUTRINO_SIDES; i++) {
        add_side(n, i);
    }
    add_pieces(n, make(n, &pf_neutrino_part_pieces));
    return pf_findings_status(n->f, err);
}
