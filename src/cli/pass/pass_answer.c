/* cli/pass/pass_answer.c - what a pass says on standard output, for programs and pull requests: its summary as JSON, or
 * tables in the form of --format. It comes last, when all files are written. */
#include <string.h>
#include <unistd.h>

#include "cli/pass/pass.h"
#include "write/report/report_text.h"

static const char *form_of(const pf_cli_run *run)
{
    const pf_cli_settings *set = run->set;
    return set->format ? set->format : set->json ? "json" : set->table || run->command->answers ? "table" : NULL;
}

static bool form_is(const pf_cli_run *run, const char *form)
{
    return form_of(run) && strcmp(form_of(run), form) == 0;
}

bool pf_cli_answers(const pf_cli_run *run)
{
    const pf_cli_settings *set = run->set;
    return set->json || set->format || set->table;
}

bool pf_cli_answers_summary(const pf_cli_run *run)
{
    return form_is(run, "json") && !run->set->table;
}

bool pf_cli_answers_tables(const pf_cli_run *run)
{
    return form_of(run) != NULL && !pf_cli_answers_summary(run);
}

static const pf_pass_table *find_table(const pf_pass *p, const char *name)
{
    size_t i = 0;
    while (i < p->table_count && strcmp(p->tables[i].name, name) != 0) {
        i++;
    }
    return i < p->table_count ? &p->tables[i] : NULL;
}

pf_status pf_cli_check_answer(pf_cli_run *run)
{
    const pf_cli_settings *set = run->set;
    const pf_pass *p = run->pass;
    if (set->json && set->format && strcmp(set->format, "json") != 0) {
        return pf_cli_usage(run, "--json contradicts --format %s; leave out one of them", set->format);
    }
    if (set->table && !find_table(p, set->table)) {
        pf_buffer names = {0};
        for (size_t i = 0; i < p->table_count; i++) {
            pf_buffer_format(&names, "%s%s", i ? ", " : "", p->tables[i].name);
        }
        pf_cli_usage(run, "no table is called '%s'; the tables of %s are %.*s", set->table, p->name,
                     names.failed ? 0 : (int)names.len, names.len ? names.data : "none");
        pf_buffer_free(&names);
        return PF_ERR_USAGE;
    }
    return PF_OK;
}

static void put_json(pf_buffer *b, const char *name, const pf_table *table)
{
    static const pf_json_style style = {.indent = 2, .item_separator = ",", .key_separator = ": "};
    pf_json_sink rows = {.file = NULL};
    pf_json_put_rows(&rows, &style, table, 0, 1);
    pf_buffer_format(b, "{\n  \"schema_version\": 1,\n  \"table\": \"%s\",\n  \"rows\": ", name);
    pf_buffer_put(b, rows.out.data, rows.out.len);
    pf_buffer_text(b, "\n}\n");
    b->failed |= rows.out.failed;
    pf_buffer_free(&rows.out);
}

static void put_table(const pf_cli_run *run, pf_buffer *b, const pf_table *table)
{
    if (form_is(run, "json")) {
        put_json(b, run->set->table, table);
    } else if (form_is(run, "csv")) {
        pf_table_csv(b, table, NULL);
    } else if (form_is(run, "markdown")) {
        pf_table_markdown(b, table);
    } else {
        pf_cli_put_table(run, b, table, NULL, STDOUT_FILENO);
    }
}

/* The tables that the pass shows, as it shows them. */
static void put_shown(const pf_cli_run *run, pf_buffer *b)
{
    for (size_t i = 0; i < pf_findings_shown_count(run->findings); i++) {
        const pf_shown s = pf_findings_shown(run->findings, i);
        if (s.table && s.table->row_count) {
            pf_buffer_text(b, b->len ? "\n" : "");
            pf_cli_put_table(run, b, s.table, s.columns, STDOUT_FILENO);
        }
    }
}

/* The table of --table, or else the first one that has rows, or none that has. */
static const pf_pass_table *wanted_table(const pf_cli_run *run)
{
    const pf_pass *p = run->pass;
    for (size_t i = 0; !run->set->table && i < p->table_count; i++) {
        const pf_table *made = pf_findings_table_named(run->findings, p->tables[i].name);
        if (made && made->row_count) {
            return &p->tables[i];
        }
    }
    return run->set->table ? find_table(p, run->set->table) : p->table_count ? &p->tables[0] : NULL;
}

static bool takes_standard_output(const char *path)
{
    return path && pf_outfile_is_standard(path);
}

pf_status pf_cli_put_tables(pf_cli_run *run)
{
    const pf_pass_table *d = run->set->table || !form_is(run, "table") ? wanted_table(run) : NULL;
    pf_buffer b = {0};
    if (takes_standard_output(run->set->out) || takes_standard_output(run->set->html)) {
        return PF_OK;
    }
    if (d) {
        const pf_table *made = pf_findings_table_named(run->findings, d->name);
        const pf_table empty = {.name = d->name, .columns = d->columns, .column_count = d->column_count};
        put_table(run, &b, made ? made : &empty);
    } else {
        put_shown(run, &b);
    }
    return pf_cli_put_buffer(run, NULL, &b);
}
