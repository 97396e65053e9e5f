/* analyze/aiu/acelyzer/acelyzer_categories.c - time and ideal cycles of kernels by category, as out_categories.csv and,
 * in columns, out_categories.txt.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "analyze/aiu/cores/aiu_tables.h"
#include "base/str.h"

/* A line of the table. */
typedef struct line {
    int64_t pid;
    const char *phase;
    bool last; /* after the others of its phase */
    const aiu_share *share, *total;
    uint32_t at; /* in the order of the shares */
} line;

static int compare_lines(const void *a, const void *b)
{
    const line *x = a, *y = b;
    double p = (double)x->pid, q = (double)y->pid;
    int phases = strcmp(x->phase, y->phase);
    if (p != q) {
        return p < q ? -1 : 1;
    }
    if (phases || x->last != y->last) {
        return phases ? phases : x->last - y->last;
    }
    return x->share->time < y->share->time || (x->share->time == y->share->time && x->at < y->at) ? -1 : 1;
}

/* The last log that something was counted for, and how many there are. */
static uint32_t last_log(const aiu_run *run, uint32_t *count)
{
    const aiu_tables *t = run->tables;
    uint32_t last = 0;
    *count = 0;
    for (uint32_t log = 0; log < t->logs; log++) {
        bool any = false;
        for (uint32_t i = 0; i < t->use_count && !any; i++) {
            any = t->table[t->use[i].table].log == log;
        }
        last = any ? log : last;
        *count += any;
    }
    return last;
}

/* All lines; the original keeps what belongs to the last of its logs. NULL: refused. */
static line *collect(aiu_run *run, uint32_t last, size_t *count)
{
    const aiu_tables *t = run->tables;
    bool want = !pf_aiu_rule(run, AIU_OWN_FORMS);
    size_t n = 0;
    for (uint32_t i = 0; i < t->use_count; i++) {
        n += t->use[i].count;
    }
    line *lines = pf_findings_alloc(run->findings, (n + 1) * sizeof *lines);
    for (uint32_t i = n = 0; lines && i < t->use_count; i++) {
        const aiu_use *u = &t->use[i];
        const aiu_table *table = &t->table[u->table];
        for (uint32_t s = 0; s < u->count && (want || table->log == last); s++) {
            lines[n] =
                (line){run->ranks.pid[u->rank], table->phase, want && s == 0, &u->share[s], &u->share[0], (uint32_t)n};
            n++;
        }
    }
    if (lines) {
        qsort(lines, n, sizeof *lines, compare_lines);
    }
    *count = lines ? n : 0;
    return lines;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

enum { COLUMNS = 10, TIME = 3 };

static const struct {
    const char *head;
    int width;
} columns[COLUMNS] = {{"Pid", 4},   {"Phase", 5},       {"Category", 12},  {"Kernel_Time", 12}, {"Frac_Time", 10},
                      {"Calls", 6}, {"Ideal_Time", 11}, {"Ideal_Cyc", 10}, {"Frac_Ideal", 11},  {"PT_Util", 8}};

static double share_in(double a, double of)
{
    return of > 0 ? pf_aiu_round(a / of, 4) : 0;
}

/* Cycles are whole; the original cuts what its times make of them. */
static double ideal_cycles(const aiu_run *run, double us)
{
    return !pf_aiu_rule(run, AIU_OWN_FORMS) ? round(us * run->set.core) : trunc(us / (1 / run->set.core));
}

/* A line of both; `time`: as the columns have it. */
static void put_cells(aiu_run *run, const acelyzer_category_texts *out, const pf_str cells[COLUMNS], pf_str time)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        pf_str cell = i == TIME ? time : cells[i];
        pf_text_format(run->findings, out->csv, "%s%.*s", i ? "," : "", (int)cells[i].len, cells[i].ptr);
        pf_text_format(run->findings, out->txt, "%s%*.*s", i ? " " : "", columns[i].width, (int)cell.len, cell.ptr);
    }
    pf_text_put(run->findings, out->csv, PF_STR("\n"));
    pf_text_put(run->findings, out->txt, PF_STR("\n"));
}

/* `digits`: the time in columns has six of them after the point. */
static void put_line(aiu_run *run, const acelyzer_category_texts *out, const line *l, bool digits)
{
    const aiu_share *s = l->share;
    pf_findings *f = run->findings;
    const pf_str cells[COLUMNS] = {pf_aiu_pid_text(run, l->pid),
                                   pf_str_of(l->phase),
                                   pf_aiu_text_of(run, s->category),
                                   pf_aiu_real(run, s->time),
                                   pf_aiu_real(run, share_in(s->time, l->total->time)),
                                   pf_findings_format(f, "%llu", (unsigned long long)s->calls),
                                   pf_aiu_real(run, pf_aiu_round(s->ideal, 4)),
                                   pf_findings_format(f, "%lld", (long long)ideal_cycles(run, s->ideal)),
                                   pf_aiu_real(run, share_in(s->ideal, l->total->ideal)),
                                   pf_aiu_real(run, share_in(s->ideal, s->time))};
    put_cells(run, out, cells, digits ? pf_aiu_real(run, pf_aiu_round(s->time, 6)) : cells[TIME]);
}

/* Whether pandas prints a column of times with a point: with exponents where one is near 0, or large. */
static bool times_have_digits(const line *lines, size_t count)
{
    bool digits = true;
    for (size_t i = 0; i < count; i++) {
        double time = lines[i].share->time;
        digits &= !((time > 0 && time < 1e-6) || time > 1e6);
    }
    return digits;
}

acelyzer_category_texts pf_acelyzer_categories(aiu_run *run)
{
    acelyzer_category_texts out = {NULL, NULL, 0};
    bool want = !pf_aiu_rule(run, AIU_OWN_FORMS);
    if (!run->tables || run->tables->count == 0 || (!want && run->tables->use_count == 0)) {
        return out;
    }
    size_t n;
    const line *lines = collect(run, last_log(run, &out.logs), &n);
    out.csv = pf_text_new(run->findings);
    out.txt = pf_text_new(run->findings);
    pf_str heads[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) {
        heads[i] = pf_str_of(columns[i].head);
    }
    put_cells(run, &out, heads, heads[TIME]);
    bool digits = !want && times_have_digits(lines, n);
    for (size_t i = 0; i < n; i++) {
        put_line(run, &out, &lines[i], digits);
    }
    return out;
}
