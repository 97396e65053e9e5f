/* cli/pass/pass_shown.c - the tables, lines and errors that a pass wants seen, on standard error. */
#include <string.h>
#include <unistd.h>

#include "cli/pass/pass.h"
#include "cli/terminal/terminal.h"
#include "model/findings/table_parts.h"

/* Whether the pass says in words of its own what came out. */
static bool is_said(const pf_cli_run *run)
{
    return run->command->text_of_its_own && !pf_cli_watched();
}

static void show(pf_cli_run *run, const pf_shown *s, const char *main_path)
{
    pf_buffer b = {0};
    if (s->error) {
        pf_cli_report(run, NULL, s->error);
    } else if ((run->set->quiet && s->severity != PF_ERROR) ||
               (s->table && (pf_cli_answers_tables(run) || is_said(run) || !s->table->row_count))) {
        return;
    } else if (s->table) {
        pf_cli_put_table(run, &b, s->table, s->columns, STDERR_FILENO);
        pf_cli_tell(&b);
    } else if (s->severity == PF_NOTICE) {
        pf_cli_note(run, s->path ? s->path : main_path, "warning: %.*s", (int)s->line.len, s->line.ptr);
    } else if (s->path) {
        pf_cli_note(run, s->path, "%.*s", (int)s->line.len, s->line.ptr);
    } else {
        pf_cli_put_clean(&b, s->line.ptr, s->line.len, false);
        pf_cli_tell(&b);
    }
}

void pf_cli_show_warnings(pf_cli_run *run, const char *main_path)
{
    for (; run->shown < pf_findings_shown_count(run->findings); run->shown++) {
        pf_shown s = pf_findings_shown(run->findings, run->shown);
        if (s.error || (!s.table && s.severity != PF_INFO)) {
            show(run, &s, main_path);
        }
    }
}

/* On a terminal as wide as it is; a file gets one line, for programs that search it. */
void pf_cli_show_headline(pf_cli_run *run)
{
    const char *headline = run->set->quiet || is_said(run) ? NULL : pf_findings_headline(run->findings);
    bool styled = pf_cli_styled(STDERR_FILENO), wraps = isatty(STDERR_FILENO) == 1;
    pf_buffer b = {0}, clean = {0};
    if (headline) {
        pf_cli_put_clean(&clean, headline, strlen(headline), false);
        pf_buffer_put(&clean, "", 1);
        pf_buffer_text(&b, styled ? "\033[1m" : "");
        pf_cli_put_words(&b, clean.failed ? "" : clean.data, wraps ? pf_cli_columns(STDERR_FILENO) : SIZE_MAX, 0, 0);
        pf_buffer_text(&b, styled ? "\033[0m\n" : "\n");
        b.failed |= clean.failed;
        pf_buffer_free(&clean);
        pf_cli_tell(&b);
    }
}

void pf_cli_show_findings(pf_cli_run *run, const char *main_path)
{
    for (; run->findings && !run->in_collection && run->shown < pf_findings_shown_count(run->findings); run->shown++) {
        if (!run->set->quiet || !pf_findings_shows_table(run->findings, run->shown)) {
            pf_shown s = pf_findings_shown(run->findings, run->shown);
            show(run, &s, main_path);
        }
    }
}
