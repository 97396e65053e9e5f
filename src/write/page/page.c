/* write/page/page.c - a report page: findings as HTML for people.
 *
 * The first screen has the verdict as a sentence, its numbers and the first figure; then come the other figures, the
 * tables and lines that the pass shows, and last what was measured. The page is one file: style and script are in it,
 * its policy lets nothing be fetched, and the script, which sorts tables, is the only one that may run.
 *
 * Everything is bounded: tables, rows, lines, characters of a name; and once a page is large (page.h), tables get few
 * rows, then none.
 */
#include "write/page/page.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/sized.h"
#include "base/str.h"
#include "postfetto/figure.h"
#include "write/page/page_text.h"

#define TABLES 60 /* on a page */
#define LINES 60  /* likewise */
#define LINE 1000 /* characters of one */
#define WARNINGS 50
#define WARNINGS_UNFOLDED 3

void pf_page_init(pf_page *page, size_t size)
{
    const pf_page all = {.size = size};
    pf_sized_give(page, size, &all, sizeof all);
}

/* The script as a policy names it: the hash of its bytes. */
static void put_script_hash(pf_buffer *b)
{
    char hex[65];
    uint8_t bytes[32];
    pf_sha256((const uint8_t *)pf_page_script, strlen(pf_page_script), hex);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(pf_hex_value(hex[2 * i]) << 4 | pf_hex_value(hex[2 * i + 1]));
    }
    pf_buffer_text(b, "'sha256-");
    pf_buffer_base64(b, bytes, sizeof bytes);
    pf_buffer_text(b, "'");
}

static void put_head(pf_buffer *b, const pf_page *page)
{
    pf_buffer_text(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
                      "form-action 'none'; style-src 'unsafe-inline'; script-src ");
    put_script_hash(b);
    pf_buffer_text(
        b, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"postfetto ");
    pf_html_text(b, pf_str_of(pf_version()));
    pf_buffer_text(b, "\">\n<title>");
    pf_html_shortened(b, page->title, 60);
    pf_buffer_text(b, "</title>\n<style>\n");
    pf_buffer_text(b, pf_page_style);
    pf_buffer_text(b, "</style>\n</head>\n<body>\n");
}

/* The sentence of the findings: the headline, else the verdict, else what they are of. */
static pf_str sentence_of(const pf_findings *f, const pf_page *page)
{
    const char *verdict = pf_findings_verdict(f), *headline = pf_findings_headline(f);
    return headline && *headline ? pf_str_of(headline) : verdict && *verdict ? pf_str_of(verdict) : page->title;
}

static void put_highlights(pf_buffer *b, const pf_findings *f)
{
    size_t count = pf_findings_highlight_count(f);
    pf_buffer_text(b, count ? "<dl class=\"numbers\">\n" : "");
    for (size_t i = 0; i < count; i++) {
        const pf_highlight *h = pf_findings_highlight(f, i);
        pf_buffer_text(b, "<div><dt>");
        pf_html_text(b, pf_str_of(h->label));
        pf_buffer_text(b, "</dt><dd>");
        pf_html_shortened(b, h->text, 40);
        pf_buffer_text(b, "</dd></div>\n");
    }
    pf_buffer_text(b, count ? "</dl>\n" : "");
}

static void put_link(pf_buffer *b, const pf_page_line *line, size_t most)
{
    pf_buffer_text(b, "<a href=\"");
    pf_html_address(b, pf_str_of(line->link));
    pf_buffer_text(b, "\">");
    pf_html_shortened(b, line->text, most);
    pf_buffer_text(b, "</a>");
}

static void put_pages(pf_buffer *b, const pf_page *page)
{
    pf_buffer_text(b, page->page_count ? "<nav aria-label=\"Other pages of this trace\">Other pages:" : "");
    for (size_t i = 0; i < page->page_count; i++) {
        pf_buffer_text(b, i ? ", " : " ");
        put_link(b, &page->pages[i], 60);
    }
    pf_buffer_text(b, page->page_count ? "</nav>\n" : "");
}

static void put_header(pf_buffer *b, const pf_findings *f, const pf_page *page)
{
    pf_str sentence = sentence_of(f, page);
    pf_buffer_text(b, "<header>\n<p class=\"of\">");
    pf_html_shortened(b, page->title, 300);
    pf_buffer_text(b, "</p>\n<h1>");
    pf_html_shortened(b, sentence, LINE);
    pf_buffer_text(b, "</h1>\n");
    put_highlights(b, f);
    put_pages(b, page);
    pf_buffer_text(b, "</header>\n<main>\n");
}

/* A list of which the first items are shown, others fold. */
typedef struct warning_list {
    pf_buffer *b;
    size_t count, all;
} warning_list;

static void put_warning(warning_list *w, pf_str label, pf_str text)
{
    if (w->count++ >= WARNINGS) {
        return;
    }
    if (w->count == WARNINGS_UNFOLDED + 1) {
        pf_buffer_format(w->b, "</ul>\n<details><summary>%zu more</summary>\n<ul>\n", w->all - WARNINGS_UNFOLDED);
    }
    pf_buffer_text(w->b, "<li>");
    if (label.ptr) {
        pf_html_shortened(w->b, label, 100);
        pf_buffer_text(w->b, ": ");
    }
    pf_html_shortened(w->b, text, LINE);
    pf_buffer_text(w->b, "</li>\n");
}

/* The i-th thing that is shown, where it is a warning or an error. */
static bool shown_warning(const pf_findings *f, size_t i, pf_page_line *out)
{
    pf_shown s = pf_findings_shown(f, i);
    const char *about = s.error && s.error->file[0] ? s.error->file : s.path;
    *out = (pf_page_line){.label = about ? pf_str_of(about) : (pf_str){NULL, 0},
                          .text = s.error ? pf_str_of(s.error->text) : s.line};
    return s.error || (!s.table && s.severity != PF_INFO);
}

static void put_warnings(pf_buffer *b, const pf_findings *f, const pf_page *page)
{
    pf_page_line line;
    warning_list w = {.b = b, .all = page->warning_count};
    for (size_t i = 0; i < pf_findings_shown_count(f); i++) {
        w.all += shown_warning(f, i, &line);
    }
    if (w.all == 0) {
        return;
    }
    pf_buffer_format(b, "<section class=\"warnings\" aria-label=\"Warnings\">\n<strong>%zu warning%s</strong>\n<ul>\n",
                     w.all, w.all == 1 ? "" : "s");
    for (size_t i = 0; i < page->warning_count; i++) {
        put_warning(&w, page->warnings[i].label, page->warnings[i].text);
    }
    for (size_t i = 0; i < pf_findings_shown_count(f); i++) {
        if (shown_warning(f, i, &line)) {
            put_warning(&w, line.label, line.text);
        }
    }
    if (w.all > WARNINGS) {
        pf_buffer_format(b, "<li>and %zu others</li>\n", w.all - WARNINGS);
    }
    pf_buffer_text(b, w.all > WARNINGS_UNFOLDED ? "</ul>\n</details>\n</section>\n" : "</ul>\n</section>\n");
}

/* The file of the report folder that has all of a table, or of the one that it has the rows of in another order;
 * {NULL, 0}: none. */
static pf_str file_of(const pf_findings *f, const pf_table *t)
{
    pf_str other = {NULL, 0};
    for (size_t i = 0; i < pf_findings_report_count(f); i++) {
        const pf_report *r = pf_findings_report(f, i);
        const pf_table *of = r->form == PF_REPORT_CSV && r->place == PF_PLACE_REPORTS ? pf_table_view(r->table) : NULL;
        if (of && of == t) {
            return r->file;
        }
        if (of && !t->name && of->columns == t->columns && of->row_count == t->row_count) {
            other = r->file;
        }
    }
    return other;
}

/* What --table calls it, or that with its rows in another order; NULL: it does not know it. */
static const char *name_of(const pf_findings *f, const pf_table *t)
{
    const char *name = t->name;
    for (size_t i = 0; i < pf_findings_table_count(f) && !name; i++) {
        const pf_table *other = pf_findings_table(f, i);
        name = other->columns == t->columns && other->row_count == t->row_count ? other->name : NULL;
    }
    return name;
}

static bool is_shown(const pf_findings *f, const pf_table *t)
{
    size_t i = 0, count = pf_findings_shown_count(f);
    while (i < count && pf_findings_shown(f, i).table != t) {
        i++;
    }
    return i < count;
}

/* A picture says nothing to who cannot see it: the table that it shows follows, folded, unless it is shown anyway. */
static pf_status put_figure(pf_buffer *b, const pf_findings *f, size_t i, const char *reports, pf_error *err)
{
    char *svg;
    size_t len;
    const pf_figure *figure = pf_findings_figure(f, i);
    const pf_table *t = pf_table_view(figure->table);
    PF_TRY(pf_figure_svg(figure, &svg, &len, err));
    pf_buffer_text(b, "<figure>\n");
    if (len < PF_PAGE_FULL && b->len < PF_PAGE_FULL - len) {
        pf_buffer_put(b, svg, len);
    } else {
        pf_html_text(b, figure->title);
        pf_buffer_text(b, " is too large for this page; --pictures writes it as a file.\n");
    }
    free(svg);
    if (!is_shown(f, t)) {
        pf_buffer_text(b, "<details><summary>The numbers of this figure</summary>\n");
        const pf_page_table table = {t, NULL, TABLES + 1 + i, i ? 3 : 2, file_of(f, t), reports, name_of(f, t), true};
        pf_page_put_table(b, &table);
        pf_buffer_text(b, "</details>\n");
    }
    pf_buffer_text(b, "</figure>\n");
    return PF_OK;
}

/* All but the first, which is on the first screen. */
static pf_status put_figures(pf_buffer *b, const pf_findings *f, const char *reports, pf_error *err)
{
    size_t count = pf_findings_figure_count(f);
    pf_buffer_text(b, count > 1 ? "<section aria-labelledby=\"figures\">\n<h2 id=\"figures\">Figures</h2>\n" : "");
    for (size_t i = 1; i < count; i++) {
        PF_TRY(put_figure(b, f, i, reports, err));
    }
    pf_buffer_text(b, count > 1 ? "</section>\n" : "");
    return PF_OK;
}

/* Lines follow each other in one block. */
static void put_said(pf_buffer *b, pf_str line, size_t count)
{
    pf_buffer_text(b, count ? "" : "<div class=\"said\">\n");
    pf_buffer_text(b, "<p>");
    pf_html_shortened(b, line, LINE);
    pf_buffer_text(b, "</p>\n");
}

static void put_details(pf_buffer *b, const pf_findings *f, const pf_page *page)
{
    size_t tables = 0, lines = 0, block = 0, left_out[2] = {0, 0}, count = pf_findings_shown_count(f);
    pf_buffer_text(b, "<section aria-labelledby=\"details\">\n<h2 id=\"details\">Tables</h2>\n");
    for (size_t i = 0; i < count; i++) {
        pf_shown s = pf_findings_shown(f, i);
        bool said = !s.table && !s.error && s.severity == PF_INFO;
        if (block && (!said || lines == LINES)) {
            pf_buffer_text(b, "</div>\n");
            block = 0;
        }
        if (s.table && tables < TABLES) {
            const pf_page_table t = {s.table,       s.columns,           ++tables, 3, file_of(f, s.table),
                                     page->reports, name_of(f, s.table), false};
            pf_page_put_table(b, &t);
        } else if (said && lines < LINES) {
            put_said(b, s.line, block++);
            lines++;
        } else {
            left_out[said] += said || s.table;
        }
    }
    pf_buffer_text(b, block ? "</div>\n" : "");
    if (left_out[0]) {
        pf_buffer_format(b, "<p class=\"more\">%zu more tables are in the report files.</p>\n", left_out[0]);
    }
    if (left_out[1]) {
        pf_buffer_format(b, "<p class=\"more\">%zu more lines are shown on the terminal.</p>\n", left_out[1]);
    }
    pf_buffer_text(b, count ? "" : "<p>There is nothing to show.</p>\n");
    pf_buffer_text(b, "</section>\n");
}

static void put_line(pf_buffer *b, const pf_page_line *line)
{
    pf_buffer_text(b, "<dt>");
    pf_html_shortened(b, line->label, 100);
    pf_buffer_text(b, "</dt><dd>");
    if (line->link) {
        put_link(b, line, LINE);
    } else {
        pf_html_shortened(b, line->text, LINE);
    }
    pf_buffer_text(b, "</dd>\n");
}

static void put_lines(pf_buffer *b, const char *id, const char *heading, const pf_page_line *lines, size_t count)
{
    if (count == 0) {
        return;
    }
    pf_buffer_format(b, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n<dl class=\"facts\">\n", id, id,
                     heading);
    for (size_t i = 0; i < count; i++) {
        put_line(b, &lines[i]);
    }
    pf_buffer_text(b, "</dl>\n</section>\n");
}

static pf_status put_page(pf_buffer *b, const pf_findings *f, const pf_page *page, pf_error *err)
{
    put_head(b, page);
    put_header(b, f, page);
    put_warnings(b, f, page);
    PF_TRY(pf_findings_figure_count(f) ? put_figure(b, f, 0, page->reports, err) : PF_OK);
    PF_TRY(put_figures(b, f, page->reports, err));
    put_details(b, f, page);
    put_lines(b, "facts", "What was measured", page->facts, page->fact_count);
    put_lines(b, "files", "Files", page->links, page->link_count);
    pf_buffer_text(b, "</main>\n<footer>Made by postfetto ");
    pf_html_text(b, pf_str_of(pf_version()));
    pf_buffer_text(b, ".</footer>\n<script>"); /* the hash is of what stands between the tags */
    pf_buffer_text(b, pf_page_script);
    pf_buffer_text(b, "</script>\n</body>\n</html>\n");
    return PF_OK;
}

pf_status pf_format_page(const pf_findings *f, const pf_page *page, char **text, size_t *len, pf_error *err)
{
    pf_buffer b = {0};
    pf_page all = pf_page_default();
    pf_sized_take(&all, sizeof all, page, page->size, PF_SIZED_UPTO(pf_page, link_count));
    *text = NULL;
    *len = 0;
    pf_status st = put_page(&b, f, &all, err);
    if (st != PF_OK) {
        pf_buffer_free(&b);
        return st;
    }
    return pf_buffer_give(&b, text, len, err);
}
