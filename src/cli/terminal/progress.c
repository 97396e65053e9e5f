/* cli/terminal/progress.c - the line appears after half a second, changes at most ten times a second, and is
 * overwritten with blanks at the end. It uses carriage returns only, no escape sequences and no colours, so that
 * NO_COLOR is obeyed by construction. */
#include "cli/terminal/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* Shows a line, if it is time for one. */
static void show(pf_cli_progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void show(pf_cli_progress *p, const char *format, ...)
{
    double now = pf_cli_now();
    char line[80];
    if (!p->enabled || now - p->started < FIRST_AFTER || (p->columns && now - p->shown < NEXT_AFTER)) {
        return;
    }
    va_list args;
    va_start(args, format);
    int columns = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "\r%-*s", p->columns, line);
    fflush(stderr);
    p->columns = columns > p->columns ? columns : p->columns;
    p->shown = now;
    pf_cli_signals_line_open(true);
}

void pf_cli_progress_update(void *ctx, uint64_t done, uint64_t total)
{
    double mb = (double)done / 1e6, all = (double)total / 1e6;
    if (total) {
        show(ctx, "reading: %.1f of %.1f MB, %.0f %%", mb, all, 100.0 * mb / all);
    } else {
        show(ctx, "reading: %.1f MB", mb);
    }
}

void pf_cli_progress_pass(void *ctx, uint64_t done, uint64_t total)
{
    if (total) {
        show(ctx, "analyzing: %.0f %%", 100.0 * (double)done / (double)total);
    } else {
        show(ctx, "analyzing");
    }
}

void pf_cli_progress_write(void *ctx, uint64_t bytes, double share)
{
    show(ctx, "writing: %.1f MB, %.0f %%", (double)bytes / 1e6, 100.0 * share);
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
