/* analyze/gpu/partial/gpu_merge_rows.c - see gpu_merge_rows.h.
 *
 * The tables may say anything: rows of inputs that no partial names are refused. */
#include "analyze/gpu/partial/gpu_merge_rows.h"

#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/gpu/partial/gpu_partial.h"
#include "analyze/pass/partials.h"
#include "analyze/support/pass_memory.h"
#include "model/trace/trace.h"
#include "tables/partial_file.h"

pf_status pf_gpu_find_merged(const pf_trace *t, const pf_pass_table *p, gpu_merged *out, pf_error *err)
{
    const pf_side_table *s;
    PF_TRY(pf_partials_table(t, p, &s, err));
    *out = (gpu_merged){.trace = t, .members = pf_trace_table(t, PF_PARTIAL_MEMBERS), .spec = s ? s->spec : NULL};
    return PF_OK;
}

/* The view of a member; what was read of files before leaves the resident memory when it is enough. */
static bool open_member(gpu_merged *t, uint32_t member)
{
    const pf_side_table *s = t->members;
    const pf_bytes bytes = *pf_side_blob(s, PF_MEMBER_BYTES, member);
    pf_error err = {.code = PF_OK};
    pf_partial_place place = {.bytes = bytes, .err = &err};
    pf_residence_note_part(t->trace->residence, bytes.ptr, bytes.len);
    if (t->open != member + 1) {
        t->view.texts = pf_partial_texts_at(pf_side_blob(s, PF_MEMBER_TEXTS, member)->ptr,
                                            (uint32_t)*pf_side_number(s, PF_MEMBER_STRINGS, member));
        uint32_t rows = (uint32_t)*pf_side_number(s, PF_MEMBER_ROWS, member);
        t->open = pf_partial_view_open(&t->view, t->spec, rows, &place) == PF_OK ? member + 1 : 0;
    }
    return t->open;
}

/* Goes to the next member of the table from *member on. */
static bool find_member(const gpu_merged *t, const char *table, uint32_t *member)
{
    const pf_side_table *s = t->members;
    uint32_t name = pf_trace_find_string(t->trace, (pf_str){table, strlen(table)});
    while (t->spec && s && *member < s->count && *pf_side_ref(s, PF_MEMBER_NAME, *member) != name) {
        ++*member;
    }
    return t->spec && s && *member < s->count;
}

bool pf_gpu_next_member(gpu_merged *t, const char *table, uint32_t *member)
{
    return find_member(t, table, member) && open_member(t, (*member)++);
}

typedef struct spans {
    gpu_merged *t;
    const char *table;
    const pf_strings *paths;
    pf_arena *scratch;
    gpu_span *list;
    uint32_t *input; /* by span */
    uint32_t count, room, input_room;
    pf_error *err;
} spans;

/* 1 + the input of a path, 0 for one that no partial names. */
static uint32_t input_of(const spans *s, pf_str path)
{
    uint32_t id = path.ptr ? pf_strings_find(s->paths, path.ptr, path.len) : 0;
    return id == PF_NONE ? 0 : id;
}

static pf_status add_span(spans *s, gpu_span span, uint32_t input)
{
    PF_TRY(input ? PF_OK : pf_partials_broken(s->table, s->err));
    PF_TRY(PF_ARENA_ROOM(s->scratch, s->list, s->count + 1, s->room, s->err));
    PF_TRY(PF_ARENA_ROOM(s->scratch, s->input, s->count + 1, s->input_room, s->err));
    s->list[s->count] = span;
    s->input[s->count++] = input - 1;
    return PF_OK;
}

/* Of a member with rows of several inputs. */
static pf_status split_member(spans *s, uint32_t member)
{
    const pf_partial_view *v = &s->t->view;
    const pf_partial_column *c = &v->column[0];
    PF_TRY(open_member(s->t, member) ? PF_OK : pf_partials_broken(s->table, s->err));
    for (uint32_t row = 0, end; row < v->rows; row = end) {
        uint32_t text = pf_partial_text_at(c, row);
        for (end = row + 1; end < v->rows && pf_partial_text_at(c, end) == text;) {
            end++;
        }
        PF_TRY(add_span(s, (gpu_span){member, row, end - row, 0}, input_of(s, pf_partial_string(&v->texts, text))));
    }
    return PF_OK;
}

static pf_status list_spans(spans *s)
{
    const pf_side_table *all = s->t->members;
    for (uint32_t member = 0; find_member(s->t, s->table, &member); member++) {
        uint32_t rows = (uint32_t)*pf_side_number(all, PF_MEMBER_ROWS, member),
                 text = *pf_side_ref(all, PF_MEMBER_INPUT, member);
        PF_TRY(text ? add_span(s, (gpu_span){member, 0, rows, 0}, input_of(s, pf_trace_string(s->t->trace, text)))
                    : split_member(s, member));
    }
    return PF_OK;
}

pf_status pf_gpu_order_merged(gpu_merged *t, const pf_pass_table *p, const pf_strings *paths, pf_arena *scratch,
                              pf_findings *f, pf_error *err)
{
    spans s = {.t = t, .table = p->name, .paths = paths, .scratch = scratch, .err = err};
    uint32_t inputs = paths->count - 1, *order;
    PF_TRY(list_spans(&s));
    t->spans = pf_findings_alloc(f, (s.count + (size_t)1) * sizeof *t->spans);
    t->first = pf_findings_alloc(f, (inputs + (size_t)1) * sizeof *t->first);
    PF_TRY(pf_findings_status(f, err));
    PF_TRY(PF_PASS_ARRAY(scratch, s.count, order, err));
    if (s.count) {
        pf_gpu_sort_by_key(s.input, s.count, inputs, t->first, order);
    }
    for (uint32_t i = 0; i < s.count; i++) {
        t->spans[i] = s.list[order[i]];
        t->spans[i].before = t->rows;
        t->rows += t->spans[i].count;
    }
    pf_arena_reset(scratch);
    return PF_OK;
}

uint64_t pf_gpu_rows_of(const gpu_merged *t, uint32_t input)
{
    uint64_t rows = 0;
    for (uint32_t i = t->first[input]; i < t->first[input + 1]; i++) {
        rows += t->spans[i].count;
    }
    return rows;
}

void pf_gpu_leave_rows(gpu_merged *t, uint32_t input)
{
    t->rows -= pf_gpu_rows_of(t, input);
    for (uint32_t i = t->first[input]; i < t->first[input + 1]; i++) {
        t->spans[i].count = 0;
    }
}

gpu_walk pf_gpu_walk_input(gpu_merged *t, uint32_t input)
{
    return (gpu_walk){.t = t, .span = t->spans + t->first[input], .end = t->spans + t->first[input + 1]};
}

bool pf_gpu_walk_on(gpu_walk *w)
{
    while (w->left == 0) {
        if (w->span == w->end) {
            return false;
        }
        w->left = open_member(w->t, w->span->member) ? w->span->count : 0;
        w->row = w->span++->first - 1;
    }
    w->left--;
    w->row++;
    return true;
}

int64_t pf_gpu_walk_int(const gpu_walk *w, unsigned column)
{
    int64_t v = pf_partial_int(&w->t->view.column[column], w->row);
    return v == INT64_MIN ? 0 : v;
}

pf_str pf_gpu_walk_text(const gpu_walk *w, unsigned column)
{
    const pf_partial_view *v = &w->t->view;
    return pf_partial_string(&v->texts, pf_partial_text_at(&v->column[column], w->row));
}

uint32_t pf_gpu_walk_run(gpu_walk *w)
{
    uint32_t rows = pf_gpu_walk_on(w) ? w->left + 1 : 0;
    w->left = 0;
    return rows;
}

void pf_gpu_walk_cells(const gpu_walk *w, uint32_t rows, pf_cell *cells)
{
    const pf_partial_view *v = &w->t->view;
    size_t columns = w->t->spec->column_count;
    for (size_t k = 0; k < columns; k++) {
        const pf_partial_column *c = &v->column[k];
        pf_column_type type = w->t->spec->columns[k].type;
        pf_cell *cell = cells + k;
        for (uint32_t row = w->row; row < w->row + rows; row++, cell += columns) {
            *cell = type == PF_COLUMN_TEXT  ? pf_cell_text(pf_partial_string(&v->texts, pf_partial_text_at(c, row)))
                    : type == PF_COLUMN_INT ? pf_cell_int_if(pf_partial_has(c, row), pf_partial_int(c, row))
                                            : pf_cell_real_if(pf_partial_has(c, row), pf_partial_real(c, row));
        }
    }
}

bool pf_gpu_walk_has(const gpu_walk *w, unsigned column)
{
    return pf_partial_has(&w->t->view.column[column], w->row);
}
