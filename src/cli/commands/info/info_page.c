/* cli/commands/info/info_page.c - the report page of `info`: rows over time, the names that take most time, how busy
 * each thread is, and what the tables hold.
 *
 * Slices come in order of time, so that one walk gives the time for which a thread had one: from where those before
 * ended, if that is later than the start. What belongs to no thread is one owner for each process. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/ordering.h"
#include "base/str.h"
#include "cli/commands/info/info.h"
#include "cli/page/page_facts.h"
#include "cli/terminal/terminal.h"

enum { BINS = 120, NAMES = 500, OWNERS = 500, SHOWN = 15 };

typedef struct page_tables {
    pf_cli_run *run;
    pf_findings *f;
    const pf_trace *t;
    const pf_cli_summary *s;
    const char *unit; /* of times: "ns", "cycles" */
    int64_t start;
    uint64_t length; /* of the trace */
    const char *busiest;
    double busiest_percent;
} page_tables;

/* Columns of times, which have the unit "*", in the trace's unit: "total" becomes total_ns. */
static pf_table_builder *new_table(const page_tables *p, const char *name, const char *title, const pf_column *columns,
                                   size_t count)
{
    pf_column *made = pf_findings_alloc(p->f, count * sizeof *made);
    for (size_t i = 0; made && i < count; i++) {
        made[i] = columns[i];
        if (strcmp(made[i].unit, "*") == 0) {
            made[i].name = pf_findings_format(p->f, "%s_%s", made[i].name, p->unit).ptr;
            made[i].unit = p->unit;
        }
    }
    pf_str text = pf_findings_format(p->f, "%s", title);
    return made && pf_findings_status(p->f, NULL) == PF_OK ? pf_table_new_named(p->f, name, text, made, count) : NULL;
}

#define TABLE(p, name, title, columns) new_table(p, name, title, columns, sizeof(columns) / sizeof *(columns))

static const char *of_time(const page_tables *p, const char *name)
{
    return pf_findings_format(p->f, "%s_%s", name, p->unit).ptr;
}

static size_t bin_of(const page_tables *p, int64_t ts)
{
    uint64_t after = (uint64_t)ts - (uint64_t)p->start;
    size_t bin = ts < p->start ? 0 : (size_t)((double)after / ((double)p->length + 1) * BINS);
    return bin < BINS ? bin : BINS - 1;
}

static void add_time(page_tables *p)
{
    static const pf_column columns[] = {{"from", PF_CELL_INT, 0, "*"},
                                        {"to", PF_CELL_INT, 0, "*"},
                                        {"rows", PF_CELL_INT, 0, ""},
                                        {"slices", PF_CELL_INT, 0, ""},
                                        {"samples", PF_CELL_INT, 0, ""}};
    int64_t counts[2][BINS] = {{0}};
    const pf_slices *s = pf_trace_slices(p->t);
    const pf_counters *c = pf_trace_counters(p->t);
    pf_table_builder *t = TABLE(p, NULL, "Rows over time", columns);
    for (uint32_t i = 0; i < s->count; i++) {
        counts[0][bin_of(p, pf_slice_ts(s, i))]++;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        counts[1][bin_of(p, c->ts[i])]++;
    }
    for (size_t i = 0; i < BINS; i++) {
        double width = (double)p->length / BINS;
        const pf_cell cells[] = {
            pf_cell_int((int64_t)(width * (double)i)), pf_cell_int((int64_t)(width * (double)(i + 1))),
            pf_cell_int(counts[0][i] + counts[1][i]), pf_cell_int(counts[0][i]), pf_cell_int(counts[1][i])};
        pf_table_row(p->f, t, cells);
    }
    const pf_figure figure = {.name = "rows_over_time",
                              .kind = PF_FIGURE_HISTOGRAM,
                              .title = PF_STR("Rows over time"),
                              .note = PF_STR("slices and counter samples by their start, from the start of the trace"),
                              .table = t,
                              .from = of_time(p, "from"),
                              .to = of_time(p, "to"),
                              .values = "rows",
                              .tip = "slices,samples",
                              .rows = BINS};
    pf_findings_add_figure(p->f, &figure);
}

static pf_cell text_cell(const page_tables *p, uint32_t id)
{
    return pf_cell_text(pf_trace_string(p->t, id));
}

static void add_names(page_tables *p)
{
    static const pf_column columns[] = {{"name", PF_CELL_TEXT, 0, ""},
                                        {"category", PF_CELL_TEXT, 0, ""},
                                        {"count", PF_CELL_INT, 0, ""},
                                        {"total", PF_CELL_INT, 0, "*"},
                                        {"mean", PF_CELL_REAL, 0, "*"}};
    pf_table_builder *t = TABLE(p, NULL, "Names by total time", columns);
    for (size_t i = 0; i < p->s->name_count && i < NAMES; i++) {
        const pf_cli_name_total *n = &p->s->names[i];
        const pf_cell cells[] = {text_cell(p, n->name), text_cell(p, n->category), pf_cell_count(n->count),
                                 pf_cell_int(n->total), pf_cell_real((double)n->total / (double)n->count)};
        pf_table_row(p->f, t, cells);
    }
    pf_findings_show_table(p->f, t);
    const pf_figure figure = {.name = "names",
                              .kind = PF_FIGURE_BARS,
                              .title = PF_STR("Names by total time"),
                              .note = PF_STR("slices of one name, those inside them included"),
                              .table = t,
                              .label = "name",
                              .values = of_time(p, "total"),
                              .tip = "category,count",
                              .rows = SHOWN};
    pf_findings_add_figure(p->f, &figure);
}

/* A thread, or what of a process belongs to none. */
typedef struct owner {
    uint32_t utid, upid;
    uint64_t slices, busy;
    int64_t covered; /* up to where the slices so far reach */
} owner;

PF_ORDER(by_use, owner, PF_DOWN(busy), PF_DOWN(slices));

/* By utid, then by upid, then one of nothing. NULL: no memory. */
static owner *find_owners(const page_tables *p, size_t *count)
{
    const pf_slices *s = pf_trace_slices(p->t);
    const pf_tracks *tracks = pf_trace_tracks(p->t);
    const pf_threads *threads = pf_trace_threads(p->t);
    size_t processes = pf_trace_processes(p->t)->count;
    *count = threads->count + processes + 1;
    owner *all = calloc(*count, sizeof *all);
    for (size_t i = 0; all && i < *count; i++) {
        bool thread = i < threads->count, nothing = i + 1 == *count;
        all[i] = (owner){.utid = thread ? (uint32_t)i : PF_NONE,
                         .upid = thread    ? threads->upid[i]
                                 : nothing ? PF_NONE
                                           : (uint32_t)(i - threads->count),
                         .covered = INT64_MIN};
    }
    for (uint32_t i = 0; all && i < s->count; i++) {
        uint32_t utid = tracks->utid[s->track[i]], upid = tracks->upid[s->track[i]];
        owner *o = &all[utid != PF_NONE ? utid : upid != PF_NONE ? threads->count + upid : *count - 1];
        int64_t ts = pf_slice_ts(s, i), end;
        o->slices++;
        if (s->dur[i] > 0 && !__builtin_add_overflow(ts, s->dur[i], &end) && end > o->covered) {
            o->busy += (uint64_t)end - (uint64_t)(ts > o->covered ? ts : o->covered);
            o->covered = end;
        }
    }
    return all;
}

/* A name, else the number that stands for it. */
static pf_str named(const page_tables *p, uint32_t name, const char *what, int64_t id)
{
    pf_str text = pf_trace_string(p->t, name);
    return text.len ? text : pf_findings_format(p->f, "%s %" PRId64, what, id);
}

static pf_cell process_cell(const page_tables *p, uint32_t upid)
{
    const pf_processes *all = pf_trace_processes(p->t);
    return pf_cell_text(upid == PF_NONE ? (pf_str){NULL, 0} : named(p, all->name[upid], "pid", all->pid[upid]));
}

static pf_status add_threads(page_tables *p)
{
    static const pf_column columns[] = {{"thread", PF_CELL_TEXT, 0, ""},
                                        {"process", PF_CELL_TEXT, 0, ""},
                                        {"busy_percent", PF_CELL_REAL, 1, "%"},
                                        {"busy", PF_CELL_INT, 0, "*"},
                                        {"slices", PF_CELL_INT, 0, ""}};
    size_t count;
    const pf_threads *threads = pf_trace_threads(p->t);
    owner *all = find_owners(p, &count);
    PF_TRY(all ? PF_OK : pf_no_memory(&p->run->err));
    qsort(all, count, sizeof *all, by_use);
    pf_table_builder *t = TABLE(p, NULL, "Threads by use", columns);
    for (size_t i = 0; i < count && i < OWNERS && all[i].slices; i++) {
        const owner *o = &all[i];
        pf_str name = o->utid != PF_NONE ? named(p, threads->name[o->utid], "tid", threads->tid[o->utid])
                                         : PF_STR("(of no thread)");
        double percent = p->length ? 100 * (double)o->busy / (double)p->length : 0;
        const pf_cell cells[] = {pf_cell_text(name), process_cell(p, o->upid), pf_cell_real(percent),
                                 pf_cell_count(o->busy), pf_cell_count(o->slices)};
        pf_table_row(p->f, t, cells);
        p->busiest = i ? p->busiest : pf_findings_keep(p->f, name).ptr;
        p->busiest_percent = i ? p->busiest_percent : percent;
    }
    free(all);
    pf_findings_show_table(p->f, t);
    const pf_figure figure = {.name = "threads",
                              .kind = PF_FIGURE_BARS,
                              .title = PF_STR("Threads by use"),
                              .note = PF_STR("how much of the recorded time a thread has a slice"),
                              .table = t,
                              .label = "thread",
                              .values = "busy_percent",
                              .tip = "process,slices",
                              .most = 100,
                              .rows = SHOWN};
    pf_findings_add_figure(p->f, &figure);
    return PF_OK;
}

static void add_rows(page_tables *p)
{
    static const pf_column columns[] = {
        {"table", PF_CELL_TEXT, 0, ""}, {"rows", PF_CELL_INT, 0, ""}, {"memory", PF_CELL_INT, 0, "bytes"}};
    pf_table_builder *t = TABLE(p, NULL, "Tables of the trace", columns);
    pf_table_size size;
    for (size_t i = 0; pf_trace_table_size(p->t, i, &size); i++) {
        const pf_cell cells[] = {pf_cell_text(pf_str_of(size.name)), pf_cell_count(size.rows),
                                 pf_cell_count(size.bytes)};
        if (size.rows) {
            pf_table_row(p->f, t, cells);
        }
    }
    pf_findings_show_table(p->f, t);
}

/* The passes that fit, as what to do next. */
static void add_passes(page_tables *p)
{
    for (size_t i = 0; i < pf_pass_count(); i++) {
        const pf_pass *pass = pf_pass_at(i);
        if (pass->fits && pass->fits(p->t)) {
            pf_findings_show_line(p->f, PF_INFO, "'postfetto analyze %s' measures more of this trace: %s", pass->name,
                                  pass->summary);
        }
    }
}

static void add_headline(page_tables *p, pf_str length)
{
    const pf_input *in = pf_trace_input(p->t, 0);
    uint32_t slices = pf_trace_slices(p->t)->count;
    if (p->busiest) {
        pf_findings_set_headline(
            p->f, "%.*s of a %s trace with %" PRIu32 " slices; the busiest thread, %.200s, has one for %.1f %% of it",
            (int)length.len, length.ptr, in->format, slices, p->busiest, p->busiest_percent);
        pf_findings_add_highlight(p->f, "busiest thread", "%.1f %%", p->busiest_percent);
    } else {
        pf_findings_set_headline(p->f, "A %s trace without slices", in->format);
    }
    pf_findings_add_highlight(p->f, "recorded", "%.*s", (int)length.len, length.ptr);
    pf_findings_add_highlight(p->f, "slices", "%" PRIu32, slices);
}

static pf_status write_page(pf_cli_run *run)
{
    size_t count = pf_trace_input_count(run->trace);
    pf_cli_page_file *files = calloc(count + 1, sizeof *files);
    PF_TRY(files ? PF_OK : pf_no_memory(&run->err));
    for (size_t i = 0; i < count; i++) {
        files[i] = (pf_cli_page_file){"File", pf_trace_input(run->trace, i)->path, run->trace};
    }
    pf_status st = pf_cli_write_page(run, files, count, run->set->report);
    free(files);
    return st;
}

pf_status pf_cli_info_page(pf_cli_run *run, const pf_cli_summary *s)
{
    int64_t end;
    pf_buffer length = {0};
    bool cycles = pf_trace_time_unit(run->trace) == PF_UNIT_CYCLE;
    page_tables p = {.run = run, .f = run->findings, .t = run->trace, .s = s, .unit = cycles ? "cycles" : "ns"};
    pf_trace_bounds(run->trace, &p.start, &end);
    p.length = end > p.start ? (uint64_t)end - (uint64_t)p.start : 0;
    add_time(&p);
    add_names(&p);
    PF_TRY(add_threads(&p));
    add_rows(&p);
    add_passes(&p);
    pf_cli_put_span(&length, p.length > INT64_MAX ? INT64_MAX : (int64_t)p.length, pf_trace_time_unit(run->trace));
    bool failed = length.failed;
    add_headline(&p, failed ? PF_STR("") : (pf_str){length.data, length.len});
    pf_buffer_free(&length);
    PF_TRY(failed ? pf_no_memory(&run->err) : PF_OK);
    pf_cli_report_pictures(run);
    PF_TRY(pf_findings_status(run->findings, &run->err));
    pf_write_options o = pf_cli_write_options(run);
    PF_TRY(run->set->pictures ? pf_write_reports(p.f, run->set->report, &o, NULL, NULL, &run->err) : PF_OK);
    return run->set->html ? write_page(run) : PF_OK;
}
