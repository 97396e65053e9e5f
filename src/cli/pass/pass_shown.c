/* cli/pass/pass_shown.c - the tables, lines and errors that a pass wants seen, on standard error. */
#include <stdlib.h>

#include "cli/pass/pass.h"
#include "cli/terminal/text.h"

static void show_table(const pf_table *table)
{
    char *text = NULL;
    size_t len = 0;
    pf_buffer b = {.failed = pf_format_table(table, false, &text, &len, NULL) != PF_OK};
    pf_buffer_put(&b, text, len);
    free(text);
    pf_cli_tell(&b);
}

static void show(pf_cli_run *run, const pf_shown *s, const char *main_path)
{
    if (s->error) {
        pf_cli_report(run, NULL, s->error);
    } else if (run->set->quiet && s->severity != PF_ERROR) {
        return;
    } else if (s->table) {
        show_table(s->table);
    } else if (s->severity == PF_NOTICE) {
        pf_cli_note(run, s->path ? s->path : main_path, "warning: %.*s", (int)s->line.len, s->line.ptr);
    } else if (s->path) {
        pf_cli_note(run, s->path, "%.*s", (int)s->line.len, s->line.ptr);
    } else {
        pf_buffer b = {0};
        pf_cli_put_clean(&b, s->line.ptr, s->line.len, false);
        pf_cli_tell(&b);
    }
}

void pf_cli_show_findings(pf_cli_run *run, const char *main_path)
{
    for (; run->findings && run->shown < pf_findings_shown_count(run->findings); run->shown++) {
        pf_shown s = pf_findings_shown(run->findings, run->shown);
        show(run, &s, main_path);
    }
}
