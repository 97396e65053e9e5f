/* cli/terminal/progress.c - the line appears after half a second, changes at most ten times a second, and is
 * overwritten with blanks at the end. It uses carriage returns only, no escape sequences and no colours, so that
 * NO_COLOR is obeyed by construction. */
#include "cli/terminal/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/terminal/signals.h"

#define FIRST_AFTER 0.5
#define NEXT_AFTER 0.1

double pf_cli_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void pf_cli_progress_start(pf_cli_progress *p, bool silent)
{
    const char *term = getenv("TERM");
    bool dumb = !term || strcmp(term, "dumb") == 0;
    *p = (pf_cli_progress){.enabled = !silent && !dumb && isatty(STDERR_FILENO), .started = pf_cli_now()};
}

static bool is_due(const pf_cli_progress *p, double now)
{
    return p->enabled && now - p->started >= FIRST_AFTER && (!p->columns || now - p->shown >= NEXT_AFTER);
}

static void show(pf_cli_progress *p, const char *line, int columns, double now)
{
    fprintf(stderr, "\r%-*s", p->columns, line);
    fflush(stderr);
    p->columns = columns > p->columns ? columns : p->columns;
    p->shown = now;
    pf_cli_signals_line_open(true);
}

void pf_cli_progress_update(void *ctx, uint64_t done, uint64_t total)
{
    pf_cli_progress *p = ctx;
    double now = pf_cli_now();
    if (!is_due(p, now)) {
        return;
    }
    char line[80];
    int columns = snprintf(line, sizeof line, "reading: %.1f MB", (double)done / 1e6);
    if (total) {
        double percent = 100.0 * (double)done / (double)total;
        columns = snprintf(line, sizeof line, "reading: %.1f of %.1f MB, %.0f %%", (double)done / 1e6,
                           (double)total / 1e6, percent);
    }
    show(p, line, columns, now);
}

void pf_cli_progress_pass(void *ctx, uint64_t done, uint64_t total)
{
    pf_cli_progress *p = ctx;
    double now = pf_cli_now();
    if (is_due(p, now)) {
        char line[80];
        int columns = snprintf(line, sizeof line, "analyzing");
        if (total) {
            columns = snprintf(line, sizeof line, "analyzing: %.0f %%", 100.0 * (double)done / (double)total);
        }
        show(p, line, columns, now);
    }
}

void pf_cli_progress_write(void *ctx, uint64_t bytes, double share)
{
    pf_cli_progress *p = ctx;
    double now = pf_cli_now();
    if (is_due(p, now)) {
        char line[80];
        int columns = snprintf(line, sizeof line, "writing: %.1f MB, %.0f %%", (double)bytes / 1e6, 100.0 * share);
        show(p, line, columns, now);
    }
}

void pf_cli_progress_clear(pf_cli_progress *p)
{
    if (p->columns) {
        fprintf(stderr, "\r%*s\r", p->columns, "");
        fflush(stderr);
        p->columns = 0;
        pf_cli_signals_line_open(false);
    }
}
