/* cli/commands/info/info_tables.c - slice names and processes as tables of the terminal.
 *
 * Where slices have several categories each has its own table: what ran on the device comes first, then the categories
 * by their total time, frames of an interpreter last (they enclose everything else, and would fill any list). A table
 * is made of the rows that are shown alone: a trace may have a million names.
 */
#include "cli/commands/info/info.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/ordering.h"
#include "base/str.h"

#define CATEGORIES 8      /* besides those of the device */
#define SHARE_OF_OTHERS 3 /* they show one name for so many of the device */

/* A text of the trace, and where it has none, that word in parentheses. */
static pf_cell text_or(const pf_cli_run *run, uint32_t id, const char *none)
{
    pf_str text = pf_trace_string(run->trace, id);
    return pf_cell_text(text.ptr ? text : pf_findings_format(run->findings, "(no %s)", none));
}

typedef enum rank { OF_DEVICE, OF_HOST, OF_INTERPRETER } rank;

typedef struct category {
    uint32_t id; /* string id */
    rank rank;
    int64_t total;
    size_t names;
} category;

/* Profilers have no common word for what ran on the device; these are how the categories of the known ones begin. */
static rank rank_of(pf_str name)
{
    static const char *const DEVICE[] = {
        "kernel", "gpu", "memcpy", "memset", "concurrent_kernel", "cuda_profiler_range", "mtia", "xpu"};
    for (size_t i = 0; i < sizeof DEVICE / sizeof *DEVICE; i++) {
        size_t len = strlen(DEVICE[i]);
        if (name.len >= len && pf_str_is_word((pf_str){name.ptr, len}, DEVICE[i])) {
            return OF_DEVICE;
        }
    }
    return pf_str_is_word(name, "python_function") || pf_str_is_word(name, "python") ? OF_INTERPRETER : OF_HOST;
}

PF_ORDER(by_rank, category, PF_UP(rank), PF_DOWN(total), PF_UP(id));

/* The categories of the names, in the order of the list. NULL if memory was refused. */
static category *list_categories(const pf_cli_run *run, const pf_cli_summary *s, size_t *count)
{
    pf_map rows;
    pf_budget budget;
    pf_budget_init(&budget, &run->set->limits);
    pf_map_init(&rows, &budget);
    category *list = calloc(s->name_count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < s->name_count; i++) {
        const pf_cli_name_total *n = &s->names[i];
        uint32_t at = pf_map_get(&rows, n->category);
        if (at == PF_NONE) {
            at = (uint32_t)(*count)++;
            pf_str name = pf_trace_string(run->trace, n->category);
            list[at] = (category){.id = n->category, .rank = rank_of(name)};
            if (!pf_map_set(&rows, n->category, at)) {
                free(list);
                list = NULL;
                break;
            }
        }
        list[at].names++;
        if (__builtin_add_overflow(list[at].total, n->total, &list[at].total)) {
            list[at].total = INT64_MAX;
        }
    }
    pf_map_free(&rows);
    if (list) {
        qsort(list, *count, sizeof *list, by_rank);
    }
    return list;
}

static pf_table_builder *new_names(const pf_cli_run *run, pf_str title)
{
    static const pf_column columns[2][4] = {{{"name", PF_CELL_TEXT, 0, ""},
                                             {"count", PF_CELL_INT, 0, ""},
                                             {"total", PF_CELL_INT, 0, "ns"},
                                             {"mean", PF_CELL_REAL, 1, "ns"}},
                                            {{"name", PF_CELL_TEXT, 0, ""},
                                             {"count", PF_CELL_INT, 0, ""},
                                             {"total", PF_CELL_INT, 0, "cycles"},
                                             {"mean", PF_CELL_REAL, 1, "cycles"}}};
    return pf_table_new(run->findings, title, columns[pf_trace_time_unit(run->trace) == PF_UNIT_CYCLE], 4);
}

static void add_name(const pf_cli_run *run, pf_table_builder *t, const pf_cli_name_total *n)
{
    const pf_cell cells[] = {text_or(run, n->name, "name"), pf_cell_count(n->count), pf_cell_int(n->total),
                             pf_cell_real((double)n->total / (double)n->count)};
    pf_table_row(run->findings, t, cells);
}

/* The first names, of one category where c is not NULL; names lie in the order of their totals. */
static void put_names(pf_buffer *b, const pf_cli_run *run, const pf_cli_summary *s, const category *c, size_t top)
{
    size_t all = c ? c->names : s->name_count, shown = 0;
    pf_str title = PF_STR("Slice names by total time");
    if (c) {
        pf_str name = pf_trace_string(run->trace, c->id);
        title = name.ptr ? pf_findings_format(run->findings, "Category %.*s%s", (int)name.len, name.ptr,
                                              c->rank == OF_DEVICE ? " (device)" : "")
                         : PF_STR("No category");
    }
    pf_table_builder *t = new_names(run, title);
    for (size_t i = 0; i < s->name_count && shown < top; i++) {
        if (!c || s->names[i].category == c->id) {
            add_name(run, t, &s->names[i]);
            shown++;
        }
    }
    pf_buffer_put(b, "\n", 1);
    pf_cli_put_first_rows(run, b, t, all - shown);
}

static void put_by_category(pf_buffer *b, const pf_cli_run *run, const pf_cli_summary *s, const category *list,
                            size_t count, size_t top)
{
    size_t less = top / SHARE_OF_OTHERS + (top % SHARE_OF_OTHERS != 0), others = 0, hidden = 0;
    pf_buffer_text(b, "\nSlice names by total time, in each category\n");
    for (size_t i = 0; i < count; i++) {
        others += list[i].rank != OF_DEVICE;
        if (others > CATEGORIES) {
            hidden++;
        } else {
            put_names(b, run, s, &list[i], list[i].rank == OF_DEVICE ? top : less);
        }
    }
    if (hidden) {
        pf_buffer_format(b, "and %zu further categories; --json has all names\n", hidden);
    }
}

void pf_cli_put_names(pf_buffer *b, pf_cli_run *run, const pf_cli_summary *s, size_t top)
{
    size_t count = 0;
    category *list = s->name_count ? list_categories(run, s, &count) : NULL;
    b->failed = b->failed || (s->name_count && !list);
    if (list && count > 1) {
        put_by_category(b, run, s, list, count, top);
    } else if (list) {
        put_names(b, run, s, NULL, top);
    }
    free(list);
}

bool pf_cli_process_is_real(const pf_trace *t, const pf_cli_summary *s, uint32_t upid)
{
    return upid != 0 || s->process[0].tracks > 0 || pf_trace_processes(t)->name[0] != 0;
}

typedef struct process_order {
    uint64_t rows;
    uint32_t upid;
} process_order;

PF_ORDER(by_rows, process_order, PF_DOWN(rows), PF_UP(upid));

/* A pid as it was written, a number or a text, or nothing; as a text where another one of the column is one. */
static pf_cell pid_cell(const pf_cli_run *run, uint32_t upid, bool as_text)
{
    const pf_processes *p = pf_trace_processes(run->trace);
    if (p->kind[upid] == PF_ID_ABSENT) {
        return (pf_cell){.null = true};
    }
    if (p->kind[upid] != PF_ID_INT) {
        return pf_cell_text(pf_trace_string(run->trace, p->text[upid]));
    }
    return as_text ? pf_cell_text(pf_findings_format(run->findings, "%" PRId64, p->pid[upid]))
                   : pf_cell_int(p->pid[upid]);
}

/* Many processes have one name: "python3 [GPU 2]". */
static void add_process(const pf_cli_run *run, pf_table_builder *t, const pf_cli_summary *s, uint32_t upid, bool texts)
{
    const pf_cli_owner_counts *c = &s->process[upid];
    pf_cell name = text_or(run, pf_trace_processes(run->trace)->name[upid], "name");
    if (c->label[0]) {
        name.as.s = pf_findings_format(run->findings, "%.*s [%s]", (int)name.as.s.len, name.as.s.ptr, c->label);
    }
    const pf_cell cells[] = {name,
                             pid_cell(run, upid, texts),
                             pf_cell_count(c->threads),
                             pf_cell_count(c->tracks),
                             pf_cell_count(c->slices),
                             pf_cell_count(c->samples)};
    pf_table_row(run->findings, t, cells);
}

static void put_processes(pf_buffer *b, const pf_cli_run *run, const pf_cli_summary *s, const process_order *order,
                          size_t shown, size_t more)
{
    static const pf_column columns[2][6] = {{{"process", PF_CELL_TEXT, 0, ""},
                                             {"pid", PF_CELL_INT, 0, ""},
                                             {"threads", PF_CELL_INT, 0, ""},
                                             {"tracks", PF_CELL_INT, 0, ""},
                                             {"slices", PF_CELL_INT, 0, ""},
                                             {"samples", PF_CELL_INT, 0, ""}},
                                            {{"process", PF_CELL_TEXT, 0, ""},
                                             {"pid", PF_CELL_TEXT, 0, ""},
                                             {"threads", PF_CELL_INT, 0, ""},
                                             {"tracks", PF_CELL_INT, 0, ""},
                                             {"slices", PF_CELL_INT, 0, ""},
                                             {"samples", PF_CELL_INT, 0, ""}}};
    bool texts = false;
    for (size_t i = 0; i < shown; i++) {
        uint8_t kind = pf_trace_processes(run->trace)->kind[order[i].upid];
        texts |= kind != PF_ID_ABSENT && kind != PF_ID_INT;
    }
    pf_table_builder *t = pf_table_new(run->findings, PF_STR("Processes"), columns[texts], 6);
    for (size_t i = 0; i < shown; i++) {
        add_process(run, t, s, order[i].upid, texts);
    }
    pf_buffer_put(b, "\n", 1);
    pf_cli_put_first_rows(run, b, t, more);
}

void pf_cli_put_processes(pf_buffer *b, pf_cli_run *run, const pf_cli_summary *s, size_t top)
{
    uint32_t all = pf_trace_processes(run->trace)->count;
    process_order *order = calloc((size_t)all + 1, sizeof *order);
    size_t real = 0;
    for (uint32_t i = 0; order && i < all; i++) {
        if (pf_cli_process_is_real(run->trace, s, i)) {
            order[real++] = (process_order){s->process[i].slices + s->process[i].samples, i};
        }
    }
    b->failed = b->failed || !order;
    if (real > 0) {
        qsort(order, real, sizeof *order, by_rows);
        put_processes(b, run, s, order, real < top ? real : top, real < top ? 0 : real - top);
    }
    free(order);
}
