/* cli/page/page_facts.c - what a report page says of its making: the command, the files with their sizes, the
 * options, how the pass computes; damage as warnings; and the files next to the page. Nothing
 * depends on when and where the page is made. */
#include "cli/page/page_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/files/folders.h"
#include "base/list.h"
#include "base/str.h"
#include "cli/terminal/terminal.h"

#define FILES 20 /* that are named */

typedef struct line_list {
    pf_findings *f; /* where texts lie */
    pf_page_line *line;
    size_t count, room;
    bool failed;
} line_list;

static void add(line_list *l, const char *label, pf_str text, const char *link)
{
    if (!text.ptr || PF_LIST_ROOM(NULL, l->line, l->count + 1, l->room, NULL) != PF_OK) {
        l->failed = true;
        return;
    }
    l->line[l->count++] = (pf_page_line){pf_findings_keep(l->f, pf_str_of(label)), text, link};
}

/* The same with the text of a buffer, which is freed. */
static void add_buffer(line_list *l, const char *label, pf_buffer *b)
{
    l->failed |= b->failed;
    if (!b->failed) {
        add(l, label, pf_findings_keep(l->f, (pf_str){b->data ? b->data : "", b->len}), NULL);
    }
    pf_buffer_free(b);
}

/* A word as a shell takes it. */
static void put_word(pf_buffer *b, const char *word)
{
    bool plain = *word;
    for (const char *p = word; *p; p++) {
        plain &= pf_is_alnum(*p) || strchr("-_./=:,+@%", *p);
    }
    pf_buffer_text(b, plain ? " " : " '");
    for (const char *p = word; *p; p++) {
        pf_buffer_text(b, *p == '\'' ? "'\\'" : "");
        pf_buffer_put(b, p, 1);
    }
    pf_buffer_text(b, plain ? "" : "'");
}

static void add_command(line_list *l, const pf_cli_run *run)
{
    pf_buffer b = {0};
    pf_buffer_format(&b, "postfetto %s", run->command->name);
    for (size_t i = 0; i < run->word_count; i++) {
        if (strncmp(run->words[i], "--hook-", 7) != 0) { /* which nobody typed */
            put_word(&b, run->words[i]);
        }
    }
    add_buffer(l, "Command", &b);
}

/* What the pass took where the command says nothing. */
static void add_defaults(line_list *l, const pf_cli_run *run)
{
    pf_buffer b = {0};
    for (size_t i = 0; run->pass && i < run->pass->option_count; i++) {
        const pf_option *o = &run->pass->options[i];
        if (!run->values[i].set && o->fallback && *o->fallback && !(o->traits & PF_OPTION_HIDDEN)) {
            pf_buffer_format(&b, "%s--%s %s", b.len ? ", " : "", o->name, o->fallback);
        }
    }
    if (b.len) {
        add_buffer(l, "Defaults", &b);
    }
}

static void add_description(line_list *l, const pf_pass *p)
{
    add(l, "Pass", pf_findings_format(l->f, "%s: %s", p->name, p->summary), NULL);
    if (p->description) {
        add(l, "How it is computed", pf_str_of(p->description), NULL);
    }
}

/* When it was recorded, where the trace says that. */
static void add_date(line_list *l, const pf_trace *t)
{
    enum { REALTIME = 1 };
    const pf_clock_snapshots *c = pf_trace_clock_snapshots(t);
    uint32_t i = 0;
    while (i < c->count && c->clock_id[i] != REALTIME) {
        i++;
    }
    time_t when = i < c->count ? (time_t)(c->clock_value[i] / 1000000000) : 0;
    struct tm tm;
    if (when > 0 && gmtime_r(&when, &tm)) {
        pf_str text = pf_findings_format(l->f, "%04d-%02d-%02d %02d:%02d UTC", tm.tm_year + 1900, tm.tm_mon + 1,
                                         tm.tm_mday, tm.tm_hour, tm.tm_min);
        add(l, "Recorded", text, NULL);
    }
}

static const pf_input *input_of(const pf_cli_page_file *file)
{
    for (size_t i = 0; file->trace && i < pf_trace_input_count(file->trace); i++) {
        if (strcmp(pf_trace_input(file->trace, i)->path, file->path) == 0) {
            return pf_trace_input(file->trace, i);
        }
    }
    return NULL;
}

static void add_file(line_list *l, const pf_cli_page_file *file)
{
    pf_buffer b = {0};
    struct stat s;
    const pf_input *in = input_of(file);
    bool there = strcmp(file->path, "-") != 0 && stat(file->path, &s) == 0;
    pf_buffer_text(&b, pf_cli_name(file->path));
    if (in || there) {
        pf_buffer_text(&b, ", ");
        pf_cli_put_bytes(&b, in ? in->stored_bytes : (uint64_t)s.st_size);
    }
    if (in) {
        pf_buffer_format(&b, ", %s, dialect %s, %" PRIu32 " events", in->format, in->dialect, in->events);
        if (strcmp(in->compression, "none") != 0) {
            pf_buffer_format(&b, ", %s", in->compression);
        }
    }
    add_buffer(l, file->label, &b);
}

static void add_files(line_list *l, const pf_cli_page_file *files, size_t count)
{
    for (size_t i = 0; i < count && i < FILES; i++) {
        add_file(l, &files[i]);
    }
    if (count > FILES) {
        add(l, "Files", pf_findings_format(l->f, "and %zu more", count - FILES), NULL);
    }
}

static void add_length(line_list *l, const pf_trace *t)
{
    int64_t start, end, span;
    pf_buffer b = {0};
    pf_trace_bounds(t, &start, &end);
    if (!__builtin_sub_overflow(end, start, &span)) {
        pf_cli_put_span(&b, span, pf_trace_time_unit(t));
        add_buffer(l, "Recorded time", &b);
    }
}

/* Whether the trace comes again later in the list: of those that several files became it is told once. */
static bool comes_again(const pf_cli_page_file *files, size_t count, size_t i)
{
    size_t k = i + 1;
    while (k < count && files[k].trace != files[i].trace) {
        k++;
    }
    return k < count;
}

static void add_damage(line_list *warnings, line_list *facts, const pf_trace *t)
{
    pf_stat s;
    size_t harmless = 0;
    for (size_t in = 0; in < pf_trace_input_count(t); in++) {
        for (size_t i = 0; pf_cli_damage(t, in, i, &s); i++) {
            harmless += !s.loss;
            if (s.loss) {
                pf_str text =
                    pf_findings_format(warnings->f, "a part of the recording is lost: %s (%s, %" PRIu64 " %s)",
                                       s.description, s.name, s.count, s.count == 1 ? "time" : "times");
                add(warnings, pf_trace_input(t, in)->path, text, NULL);
            }
        }
    }
    if (warnings->count == 0) {
        pf_str text = harmless ? pf_findings_format(facts->f,
                                                    "nothing of it is lost; %zu kinds of harmless oddities, which "
                                                    "'postfetto check' lists",
                                                    harmless)
                               : PF_STR("none was met");
        add(facts, "Damage", text, NULL);
    }
}

/* How much of two absolute paths is the same folders. */
static size_t shared_folders(const char *a, const char *b)
{
    size_t i = 0, common = 0;
    for (; a[i] && a[i] == b[i]; i++) {
        common = a[i] == '/' ? i : common;
    }
    return (!a[i] || a[i] == '/') && (!b[i] || b[i] == '/') ? i : common;
}

/* A path as it is seen from the folder of the page, NULL: it is not there. */
static const char *seen_from(pf_findings *f, const char *page, const char *path)
{
    const char *slash = strrchr(page, '/');
    pf_str folder = slash ? (pf_str){page, (size_t)(slash - page) + 1} : PF_STR(".");
    char *from = realpath(pf_findings_keep(f, folder).ptr, NULL), *to = realpath(path, NULL);
    pf_buffer b = {.failed = !from || !to};
    if (!b.failed) {
        size_t common = shared_folders(from, to);
        for (const char *p = from + common; *p; p++) {
            pf_buffer_text(&b, p[0] == '/' && p[1] ? "../" : "");
        }
        pf_buffer_text(&b, to[common] ? to + common + 1 : "");
    }
    const char *seen = b.failed ? NULL : pf_findings_keep(f, (pf_str){b.data ? b.data : "", b.len}).ptr;
    pf_buffer_free(&b);
    free(from);
    free(to);
    return seen;
}

static void add_links(line_list *l, const pf_cli_run *run, const char *reports)
{
    const char *out = run->set->out, *html = run->set->html;
    if (out && !pf_outfile_is_stream(out)) {
        const char *link = seen_from(l->f, html, out);
        add(l, "Trace with the findings", pf_findings_format(l->f, "%s, for ui.perfetto.dev", pf_path_name(out)), link);
    }
    if (reports) {
        const char *link = seen_from(l->f, html, reports);
        add(l, "Report files", pf_str_of(reports), link && !*link ? "./" : link);
    }
}

pf_status pf_cli_check_page(pf_cli_run *run, const char *const *inputs, size_t count)
{
    const char *html = run->set->html, *out = run->set->out;
    bool text = run->set->json || (!run->pass && !out);
    if (run->set->pictures && !run->set->report) {
        return pf_cli_usage(run, "--pictures writes into the folder of --report; add --report DIR");
    }
    if (!html) {
        return PF_OK;
    }
    if (out && strcmp(html, out) == 0) {
        return pf_cli_usage(run, "-o and --html both name %s; choose another name for one of them", html);
    }
    if (text && pf_outfile_is_standard(html)) {
        return pf_cli_usage(run, "'--html -' and %s both want standard output; name a file with --html",
                            run->set->json ? "--json" : "the text");
    }
    return pf_cli_check_output(run, inputs, count, html);
}

void pf_cli_report_pictures(pf_cli_run *run)
{
    pf_findings *f = run->findings;
    for (size_t i = 0; run->set->pictures && i < pf_findings_figure_count(f); i++) {
        const pf_figure *figure = pf_findings_figure(f, i);
        for (unsigned png = 0; png < 1u + figure->png; png++) {
            const pf_report r = {.file = pf_findings_format(f, "%s.%s", figure->name, png ? "png" : "svg"),
                                 .form = PF_REPORT_FIGURE,
                                 .figure = figure,
                                 .announced = true};
            pf_findings_add_report(f, &r);
        }
    }
}

/* The other pages of the trace. */
static void add_pages(line_list *l, const pf_cli_run *run)
{
    const pf_option_value *pages = &run->set->pages;
    for (size_t i = 1; i < pages->count; i += 2) {
        add(l, "", pages->all[i - 1].s, pages->all[i].s.ptr);
    }
}

static pf_status write_with(pf_cli_run *run, line_list *facts, line_list *warnings, line_list *links, pf_page *page)
{
    char *text;
    size_t len;
    line_list pages = {.f = run->findings};
    add_pages(&pages, run);
    page->pages = pages.line;
    page->page_count = pages.count;
    page->facts = facts->line;
    page->fact_count = facts->count;
    page->warnings = warnings->line;
    page->warning_count = warnings->count;
    page->links = links->line;
    page->link_count = links->count;
    bool failed = facts->failed || warnings->failed || links->failed || pages.failed;
    pf_status st = failed ? pf_no_memory(&run->err) : pf_findings_status(run->findings, &run->err);
    st = st == PF_OK ? pf_format_page(run->findings, page, &text, &len, &run->err) : st;
    free(pages.line);
    PF_TRY(st);
    st = pf_cli_put(run, run->set->html, text, len);
    free(text);
    return st;
}

pf_status pf_cli_write_page(pf_cli_run *run, const pf_cli_page_file *files, size_t count, const char *reports)
{
    pf_findings *f = run->findings;
    line_list facts = {.f = f}, warnings = {.f = f}, links = {.f = f};
    pf_page page = pf_page_default();
    const char *of = count ? pf_path_name(pf_cli_name(files[0].path)) : "";
    page.title = pf_findings_format(f, "%s: %s", run->pass ? run->pass->name : run->command->name, of);
    if (count == 2) {
        page.title = pf_findings_format(f, "%s and %s", page.title.ptr, pf_path_name(files[1].path));
    } else if (count > 2) {
        page.title = pf_findings_format(f, "%s and %zu more", page.title.ptr, count - 1);
    }
    add(&facts, "Tool", pf_findings_format(f, "postfetto %s", pf_version()), NULL);
    add_command(&facts, run);
    add_files(&facts, files, count);
    if (run->trace) {
        add_date(&facts, run->trace);
        add_length(&facts, run->trace);
    }
    for (size_t i = 0; i < count; i++) {
        if (files[i].trace && !comes_again(files, count, i)) {
            add_damage(&warnings, &facts, files[i].trace);
        }
    }
    if (run->pass) {
        add_defaults(&facts, run);
        add_description(&facts, run->pass);
    }
    add_links(&links, run, reports);
    const char *seen = reports ? seen_from(f, run->set->html, reports) : NULL;
    page.reports = !seen || !*seen ? seen : pf_findings_format(f, "%s/", seen).ptr;
    pf_status st = write_with(run, &facts, &warnings, &links, &page);
    free(facts.line);
    free(warnings.line);
    free(links.line);
    return st;
}
