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
#define RATE_MAX 48

double pf_cli_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void pf_cli_progress_start(pf_cli_progress *p, bool silent, int fd)
{
    const char *term = getenv("TERM");
    bool dumb = !term || strcmp(term, "dumb") == 0;
    *p = (pf_cli_progress){.enabled = !silent && !dumb && isatty(fd), .fd = fd, .started = pf_cli_now()};
}

/* Shows a line, if it is time for one. */
static void show(pf_cli_progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void show(pf_cli_progress *p, const char *format, ...)
{
    double now = pf_cli_now();
    char line[128];
    if (!p->enabled || now - p->started < FIRST_AFTER || (p->columns && now - p->shown < NEXT_AFTER)) {
        return;
    }
    va_list args;
    va_start(args, format);
    int columns = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    dprintf(p->fd, "\r%-*s", p->columns, line);
    p->columns = columns > p->columns ? columns : p->columns;
    p->shown = now;
    pf_cli_signals_line_open(true);
}

/* ", 12.5 MB/s, 8 s left" of so many bytes (0: of no bytes), which are that share of all (0: unknown). */
static void rate(const pf_cli_progress *p, char text[RATE_MAX], double bytes, double share)
{
    double seconds = pf_cli_now() - p->started;
    size_t len = 0;
    text[0] = '\0';
    if (bytes > 0 && seconds > 0) {
        len = (size_t)snprintf(text, RATE_MAX, ", %.1f MB/s", bytes / 1e6 / seconds);
    }
    if (share > 0 && share <= 1 && len < RATE_MAX) {
        double left = seconds / share - seconds;
        snprintf(text + len, RATE_MAX - len, left < 120 ? ", %.0f s left" : ", %.0f min left",
                 left < 120 ? left : left / 60);
    }
}

/* Files of one trace are read one after the other, each from 0 on. */
void pf_cli_progress_update(void *ctx, uint64_t done, uint64_t total)
{
    pf_cli_progress *p = ctx;
    char rest[RATE_MAX];
    p->before += done < p->last ? p->last : 0;
    p->last = done;
    total = p->all ? p->all : total ? p->before + total : 0;
    done += p->before;
    rate(p, rest, (double)done, total ? (double)done / (double)total : 0);
    if (total) {
        show(p, "reading: %.1f of %.1f MB, %.0f %%%s", (double)done / 1e6, (double)total / 1e6,
             100.0 * (double)done / (double)total, rest);
    } else {
        show(p, "reading: %.1f MB%s", (double)done / 1e6, rest);
    }
}

void pf_cli_progress_traces(pf_cli_progress *p, size_t done, size_t count, uint64_t bytes, uint64_t all)
{
    char rest[RATE_MAX];
    double share = all ? (double)bytes / (double)all : 0;
    rate(p, rest, (double)bytes, share);
    show(p, "traces: %zu of %zu, %.0f %%%s", done, count, 100.0 * share, rest);
}

void pf_cli_progress_pass(void *ctx, uint64_t done, uint64_t total)
{
    char rest[RATE_MAX];
    double share = total ? (double)done / (double)total : 0;
    rate(ctx, rest, 0, share);
    if (total) {
        show(ctx, "analyzing: %.0f %%%s", 100.0 * share, rest);
    } else {
        show(ctx, "analyzing");
    }
}

void pf_cli_progress_write(void *ctx, uint64_t bytes, double share)
{
    char rest[RATE_MAX];
    rate(ctx, rest, (double)bytes, share);
    show(ctx, "writing: %.1f MB, %.0f %%%s", (double)bytes / 1e6, 100.0 * share, rest);
}

void pf_cli_progress_clear(pf_cli_progress *p)
{
    if (p->columns) {
        dprintf(p->fd, "\r%*s\r", p->columns, "");
        p->columns = 0;
        pf_cli_signals_line_open(false);
    }
}
