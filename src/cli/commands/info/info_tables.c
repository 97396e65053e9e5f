/* cli/commands/info/info_tables.c - slice names and processes as text that fits the terminal.
 *
 * Both lists are tables of one wide column, the names, and some narrow ones. The narrow columns are as wide as their
 * longest cell, the names get what is left of the line, and a name that is longer loses its middle: both ends of a
 * kernel's name tell it from others. Lines are gathered first, because the widths are known only then.
 *
 * Where slices have several categories each has its own top: what ran on the device comes first, then the categories
 * by their total time, frames of an interpreter last (they enclose everything else, and would fill any list).
 */
#include "cli/commands/info/info.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/str.h"
#include "cli/terminal/terminal.h"

#define CELLS 5           /* besides the name */
#define LEAST_NAME 16     /* columns that a name gets however narrow the terminal is */
#define CATEGORIES 8      /* besides those of the device */
#define SHARE_OF_OTHERS 3 /* they show one name for so many of the device */

typedef struct line {
    bool heading;         /* a title between rows, which has no cells */
    size_t at[CELLS + 1]; /* where its name and then its cells begin in the texts of the page */
} line;

typedef struct page {
    const char *const *columns; /* heading of the names, then of the cells */
    size_t cells;
    pf_buffer texts, lines; /* lines: an array of `line` */
} page;

/* A line whose name is what is put into the texts until the next cell or line, from a name out of the trace on; where
 * it has none, from that word in parentheses on. */
static void add_line(page *p, bool heading, pf_str name, const char *none)
{
    line l = {.at[0] = p->texts.len, .heading = heading};
    pf_buffer_put(&p->texts, name.ptr, name.ptr ? name.len : 0);
    if (!name.ptr) {
        pf_buffer_format(&p->texts, "(no %s)", none);
    }
    pf_buffer_put(&p->lines, &l, sizeof l);
}

/* What is put into the texts now is a cell of the last line, from 1 on; returns them. */
static pf_buffer *cell(page *p, size_t number)
{
    if (!p->lines.failed) {
        ((line *)(void *)(p->lines.data + p->lines.len))[-1].at[number] = p->texts.len;
    }
    return &p->texts;
}

static void put_spaces(pf_buffer *b, size_t n)
{
    pf_buffer_format(b, "%*s", (int)n, "");
}

/* The name (0) or a cell of a line. */
static pf_str part(const page *p, const line *l, size_t number)
{
    bool last = (const char *)(l + 1) == p->lines.data + p->lines.len;
    size_t next = last ? p->texts.len : l[1].at[0];
    size_t end = number < p->cells && !l->heading ? l->at[number + 1] : next;
    return (pf_str){p->texts.data + l->at[number], end - l->at[number]};
}

static void put_line(pf_buffer *b, const page *p, const line *l, const size_t *width, size_t indent)
{
    pf_str name = part(p, l, 0);
    if (l->heading) {
        pf_cli_put_fitted(b, name, pf_cli_columns(STDOUT_FILENO));
    } else {
        put_spaces(b, indent);
        size_t used = pf_cli_put_fitted(b, name, width[0]);
        put_spaces(b, width[0] - used);
        for (size_t c = 1; c <= p->cells; c++) {
            pf_str text = part(p, l, c);
            put_spaces(b, 2 + width[c] - text.len);
            pf_buffer_put(b, text.ptr, text.len);
        }
    }
    pf_buffer_put(b, "\n", 1);
}

/* Prints the page and frees it. */
static void put_page(pf_buffer *b, page *p, size_t indent)
{
    const line *lines = (const line *)(const void *)p->lines.data;
    size_t count = p->lines.len / sizeof *lines, width[CELLS + 1] = {strlen(p->columns[0])}, narrow = indent;
    for (size_t c = 1; c <= p->cells; c++) {
        width[c] = strlen(p->columns[c]);
        for (size_t i = 0; i < count; i++) {
            size_t len = lines[i].heading ? 0 : part(p, &lines[i], c).len;
            width[c] = len > width[c] ? len : width[c];
        }
        narrow += width[c] + 2;
    }
    for (size_t i = 0; i < count; i++) {
        size_t len = lines[i].heading ? 0 : pf_cli_characters(part(p, &lines[i], 0));
        width[0] = len > width[0] ? len : width[0];
    }
    size_t columns = pf_cli_columns(STDOUT_FILENO), room = columns > narrow ? columns - narrow : 0;
    room = room < LEAST_NAME ? LEAST_NAME : room;
    width[0] = width[0] > room ? room : width[0];
    pf_buffer_format(b, "%-*s", (int)(width[0] + indent), p->columns[0]);
    for (size_t c = 1; c <= p->cells; c++) {
        pf_buffer_format(b, "  %*s", (int)width[c], p->columns[c]);
    }
    pf_buffer_put(b, "\n", 1);
    for (size_t i = 0; i < count; i++) {
        put_line(b, p, &lines[i], width, indent);
    }
    b->failed = b->failed || p->texts.failed || p->lines.failed;
    pf_buffer_free(&p->texts);
    pf_buffer_free(&p->lines);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

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

static int by_rank(const void *pa, const void *pb)
{
    const category *a = pa, *b = pb;
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    if (a->total != b->total) {
        return a->total < b->total ? 1 : -1;
    }
    return (a->id > b->id) - (a->id < b->id);
}

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

static void add_name(page *p, const pf_cli_run *run, const pf_cli_name_total *n)
{
    pf_time_unit unit = pf_trace_time_unit(run->trace);
    add_line(p, false, pf_trace_string(run->trace, n->name), "name");
    pf_buffer_decimal(cell(p, 1), n->count);
    pf_cli_put_span(cell(p, 2), n->total, unit);
    pf_cli_put_mean(cell(p, 3), (double)n->total / (double)n->count, unit);
}

/* The first names of one category; names lie in the order of their totals. */
static void add_category(page *p, const pf_cli_run *run, const pf_cli_summary *s, const category *c, size_t top)
{
    add_line(p, true, pf_trace_string(run->trace, c->id), "category");
    pf_buffer_format(&p->texts, "%s: %zu of %zu", c->rank == OF_DEVICE ? " (device)" : "",
                     c->names < top ? c->names : top, c->names);
    for (size_t i = 0, shown = 0; i < s->name_count && shown < top; i++) {
        if (s->names[i].category == c->id) {
            add_name(p, run, &s->names[i]);
            shown++;
        }
    }
}

static void put_by_category(pf_buffer *b, page *p, const pf_cli_run *run, const pf_cli_summary *s, const category *list,
                            size_t count, size_t top)
{
    size_t less = (top + SHARE_OF_OTHERS - 1) / SHARE_OF_OTHERS, others = 0, hidden = 0;
    for (size_t i = 0; i < count; i++) {
        others += list[i].rank != OF_DEVICE;
        if (others > CATEGORIES) {
            hidden++;
        } else {
            add_category(p, run, s, &list[i], list[i].rank == OF_DEVICE ? top : less);
        }
    }
    pf_buffer_text(b, "\nSlice names by total time, in each category\n");
    put_page(b, p, 2);
    if (hidden) {
        pf_buffer_format(b, "and %zu further categories; --json has all names\n", hidden);
    }
}

void pf_cli_put_names(pf_buffer *b, pf_cli_run *run, const pf_cli_summary *s, size_t top)
{
    static const char *const COLUMNS[] = {"name", "count", "total", "mean"};
    page p = {.columns = COLUMNS, .cells = 3};
    size_t count = 0;
    category *list = s->name_count ? list_categories(run, s, &count) : NULL;
    b->failed = b->failed || (s->name_count && !list);
    if (list && count > 1) {
        put_by_category(b, &p, run, s, list, count, top);
    } else if (list) {
        top = s->name_count < top ? s->name_count : top;
        for (size_t i = 0; i < top; i++) {
            add_name(&p, run, &s->names[i]);
        }
        pf_buffer_format(b, "\nSlice names by total time (%zu of %zu)\n", top, s->name_count);
        put_page(b, &p, 0);
    }
    free(list);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

bool pf_cli_process_is_real(const pf_trace *t, const pf_cli_summary *s, uint32_t upid)
{
    return upid != 0 || s->process[0].tracks > 0 || pf_trace_processes(t)->name[0] != 0;
}

typedef struct process_order {
    uint64_t rows;
    uint32_t upid;
} process_order;

static int by_rows(const void *pa, const void *pb)
{
    const process_order *a = pa, *b = pb;
    if (a->rows != b->rows) {
        return a->rows < b->rows ? 1 : -1;
    }
    return (a->upid > b->upid) - (a->upid < b->upid);
}

/* A pid as it was written: a number, a text, or nothing. */
static void put_pid(pf_buffer *b, const pf_trace *t, uint32_t upid)
{
    const pf_processes *p = pf_trace_processes(t);
    if (p->kind[upid] == PF_ID_ABSENT) {
        pf_buffer_text(b, "-");
    } else if (p->kind[upid] == PF_ID_INT) {
        pf_buffer_format(b, "%" PRId64, p->pid[upid]);
    } else {
        pf_cli_put_fitted(b, pf_trace_string(t, p->text[upid]), 12);
    }
}

/* Many processes have one name: "python3 [GPU 2]". */
static void add_process(page *p, const pf_trace *t, const pf_cli_summary *s, uint32_t upid)
{
    const pf_cli_owner_counts *c = &s->process[upid];
    add_line(p, false, pf_trace_string(t, pf_trace_processes(t)->name[upid]), "name");
    if (c->label[0]) {
        pf_buffer_format(&p->texts, " [%s]", c->label);
    }
    put_pid(cell(p, 1), t, upid);
    pf_buffer_decimal(cell(p, 2), c->threads);
    pf_buffer_decimal(cell(p, 3), c->tracks);
    pf_buffer_decimal(cell(p, 4), c->slices);
    pf_buffer_decimal(cell(p, 5), c->samples);
}

void pf_cli_put_processes(pf_buffer *b, pf_cli_run *run, const pf_cli_summary *s, size_t top)
{
    static const char *const COLUMNS[] = {"process", "pid", "threads", "tracks", "slices", "samples"};
    page p = {.columns = COLUMNS, .cells = 5};
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
        size_t shown = real < top ? real : top;
        qsort(order, real, sizeof *order, by_rows);
        for (size_t i = 0; i < shown; i++) {
            add_process(&p, run->trace, s, order[i].upid);
        }
        pf_buffer_format(b, "\nProcesses (%zu of %zu)\n", shown, real);
        put_page(b, &p, 0);
    }
    free(order);
}
