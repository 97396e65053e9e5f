/* analyze/aiu/outputs/aiu_categories_file.c - out_categories.csv and .txt: time and ideal cycles of kernels by
 * category.
 */
#include <math.h>
#include <string.h>

#include "analyze/aiu/cores/aiu_tables.h"
#include "analyze/aiu/outputs/aiu_outputs.h"
#include "base/text/number.h"

/* A line of the table. */
typedef struct line {
    double pid;
    const aiu_use *use;
    const aiu_share *share, *total;
    uint32_t at;
} line;

static bool comes_before(const aiu_run *run, const line *a, const line *b)
{
    const char *x = run->tables->table[a->use->table].phase, *y = run->tables->table[b->use->table].phase;
    int phases = strcmp(x, y);
    bool want = run->set.compat == AIU_WANT, last_a = want && a->share == a->total,
         last_b = want && b->share == b->total;
    if (a->pid != b->pid) {
        return a->pid < b->pid;
    }
    if (phases || last_a != last_b) {
        return phases ? phases < 0 : last_b;
    }
    return a->share->time < b->share->time || (a->share->time == b->share->time && a->at < b->at);
}

static void sort_lines(const aiu_run *run, line *lines, size_t n)
{
    for (size_t gap = n / 2; gap > 0; gap /= 2) {
        for (size_t i = gap; i < n; i++) {
            line l = lines[i];
            size_t k = i;
            for (; k >= gap && comes_before(run, &l, &lines[k - gap]); k -= gap) {
                lines[k] = lines[k - gap];
            }
            lines[k] = l;
        }
    }
}

/* The last log that something was counted for, and how many there are. */
static uint32_t last_log(const aiu_run *run, uint32_t *of)
{
    const aiu_tables *t = run->tables;
    uint32_t last = 0;
    *of = 0;
    for (uint32_t log = 0; log < t->logs; log++) {
        bool any = false;
        for (uint32_t i = 0; i < t->use_count && !any; i++) {
            any = t->table[t->use[i].table].log == log;
        }
        last = any ? log : last;
        *of += any;
    }
    return last;
}

/* All is written; the program before postfetto keeps what belongs to the last of its logs. */
static bool is_written(const aiu_run *run, const aiu_use *u)
{
    uint32_t of;
    return run->set.compat == AIU_WANT || run->tables->table[u->table].log == last_log(run, &of);
}

static size_t collect(aiu_run *run, line **out)
{
    size_t n = 0, count = 0;
    pf_error err;
    for (uint32_t i = 0; i < run->tables->use_count; i++) {
        n += run->tables->use[i].count;
    }
    line *lines = pf_pass_alloc(run->ctx, n + 1, sizeof *lines, &err);
    if (!lines) {
        pf_findings_fail(run->findings, &err);
        return 0;
    }
    for (uint32_t i = 0; i < run->tables->use_count; i++) {
        const aiu_use *u = &run->tables->use[i];
        for (uint32_t s = 0; s < u->count && is_written(run, u); s++) {
            lines[count] = (line){(double)run->ranks.pid[u->rank], u, &u->share[s], &u->share[0], (uint32_t)count};
            count++;
        }
    }
    sort_lines(run, lines, count);
    *out = lines;
    return count;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

typedef struct cells {
    pf_str text[10];
} cells;

static double share_in(double a, double of)
{
    return of > 0 ? pf_aiu_round(a / of, 4) : 0;
}

/* Cycles are whole; the program before postfetto cuts what its times make of them. */
static double ideal_cycles(const aiu_run *run, double us)
{
    return run->set.compat == AIU_WANT ? round(us * run->set.core) : trunc(us / (1 / run->set.core));
}

static cells cells_of(aiu_run *run, const line *l)
{
    const aiu_share *s = l->share;
    const char *phase = run->tables->table[l->use->table].phase;
    pf_findings *f = run->findings;
    return (cells){{pf_aiu_pid_text(run, run->ranks.pid[l->use->rank]),
                    {phase, strlen(phase)},
                    pf_aiu_text_of(run, s->category),
                    pf_aiu_real(run, s->time),
                    pf_aiu_real(run, share_in(s->time, l->total->time)),
                    pf_findings_format(f, "%llu", (unsigned long long)s->calls),
                    pf_aiu_real(run, pf_aiu_round(s->ideal, 4)),
                    pf_findings_format(f, "%lld", (long long)ideal_cycles(run, s->ideal)),
                    pf_aiu_real(run, share_in(s->ideal, l->total->ideal)),
                    pf_aiu_real(run, share_in(s->ideal, s->time))}};
}

static const char *const heads[] = {"Pid",   "Phase",      "Category",  "Kernel_Time", "Frac_Time",
                                    "Calls", "Ideal_Time", "Ideal_Cyc", "Frac_Ideal",  "PT_Util"};
static const int widths[] = {4, 5, 12, 12, 10, 6, 11, 10, 11, 8};

/* `time`: as the text has it. */
static void put_cells(aiu_run *run, pf_text *csv, pf_text *txt, const cells *c, pf_str time)
{
    for (size_t i = 0; i < 10; i++) {
        pf_str cell = i == 3 ? time : c->text[i];
        pf_text_format(run->findings, csv, "%s%.*s", i ? "," : "", (int)c->text[i].len, c->text[i].ptr);
        pf_text_format(run->findings, txt, "%s%*.*s", i ? " " : "", widths[i], (int)cell.len, cell.ptr);
    }
    pf_text_put(run->findings, csv, PF_STR("\n"));
    pf_text_put(run->findings, txt, PF_STR("\n"));
}

/* Whether pandas prints a column of times with a point: with exponents where one is near 0, or large. */
static bool times_have_digits(const line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double time = lines[i].share->time;
        if ((time > 0 && time < 1e-6) || time > 1e6) {
            return false;
        }
    }
    return true;
}

static void report(aiu_run *run, const char *ending, const char *kind, const pf_text *text)
{
    pf_str stem = pf_aiu_stem(run);
    pf_str file = pf_findings_format(run->findings, "%.*s_categories.%s", (int)stem.len, stem.ptr, ending);
    uint32_t times = 1;
    if (run->set.compat != AIU_WANT) {
        last_log(run, &times);
    }
    pf_findings_report_text(run->findings, file, text, true);
    for (uint32_t i = 0; i < times; i++) {
        pf_aiu_log(run, "INFO", "UTL: category table(s) created as %s: %.*s", kind, (int)file.len, file.ptr);
    }
}

void pf_aiu_write_categories(aiu_run *run)
{
    line *lines = NULL;
    if (!run->tables || run->tables->count == 0 || (run->set.compat != AIU_WANT && run->tables->use_count == 0)) {
        return;
    }
    size_t n = collect(run, &lines);
    pf_text *csv = pf_text_new(run->findings), *txt = pf_text_new(run->findings);
    cells head;
    for (size_t i = 0; i < 10; i++) {
        head.text[i] = (pf_str){heads[i], strlen(heads[i])};
    }
    put_cells(run, csv, txt, &head, head.text[3]);
    bool digits = run->set.compat != AIU_WANT && times_have_digits(lines, n);
    for (size_t i = 0; i < n; i++) {
        cells c = cells_of(run, &lines[i]);
        put_cells(run, csv, txt, &c, digits ? pf_aiu_real(run, pf_aiu_round(lines[i].share->time, 6)) : c.text[3]);
    }
    report(run, "csv", "CSV", csv);
    report(run, "txt", "TXT", txt);
}
