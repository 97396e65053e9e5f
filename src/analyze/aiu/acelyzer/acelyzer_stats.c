/* analyze/aiu/acelyzer/acelyzer_stats.c - the tables of text that users of acelyzer read. Statistics of kernels have
 * columns between tabs and numbers with a width, those of collectives are CSV; time and ideal cycles of kernels by
 * category are out_categories.csv and, in columns, out_categories.txt; slices are printed as pandas does it (-f pddf,
 * -o X.txt). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "analyze/aiu/cores/aiu_tables.h"
#include "analyze/aiu/ranks/aiu_ranks.h"
#include "base/ordering.h"
#include "base/str.h"
#include "base/text/number.h"

static pf_text *begin(aiu_run *run, const char *head)
{
    pf_text *t = pf_text_new(run->findings);
    pf_text_put(run->findings, t, pf_str_of(head));
    return t;
}

/* Reals in their columns: #WIDTH.DECIMALS stands for one of them, a digit each. */
static void put_reals(aiu_run *run, pf_text *t, const char *format, const double *v)
{
    while (*format) {
        size_t len = strcspn(format, "#");
        pf_text_put(run->findings, t, (pf_str){format, len});
        format += len;
        if (*format) {
            pf_text_put_real(run->findings, t, *v++, format[3] - '0', (size_t)(format[1] - '0'));
            format += strlen("#1.2");
        }
    }
}

static void put_numbers(aiu_run *run, pf_text *t, const aiu_numbers *n)
{
    put_reals(run, t, "\t #8.3\t #8.3\t #8.3\t #8.3\t #8.3",
              (double[]){n->mean, n->median, n->least, n->most, n->deviation});
}

/* The last columns: the pid, and a name where there is one. */
static void put_end(aiu_run *run, pf_text *t, uint32_t rank, const char *between, pf_str name)
{
    pf_text_format(run->findings, t, "\t %4s%s%.*s\n", pf_aiu_rank_name(run, rank), between, PF_TEXT_ARG(name));
}

static double percent(double part, double of)
{
    return of > 0 ? 100 * part / of : 0;
}

/* Rows are by rank, as ranks are. */
pf_text *pf_acelyzer_kernel_summary(aiu_run *run)
{
    const aiu_kernel_stats *s = run->kernels;
    pf_text *t = begin(run, "Time  \t Total Time\t Calls\t    Mean  \t  Median  \t    Min    \t   Max   \t   StDev  \t"
                            "  pid\t Name \n");
    for (uint32_t i = 0, rank = 0; i < s->row_count; i++) {
        const aiu_kernel_row *r = &s->row[i];
        while (rank + 1 < s->rank_count && s->rank[rank].rank != r->rank) {
            rank++;
        }
        double share = percent(r->time.sum, s->rank[rank].time);
        put_reals(run, t, "#5.2\t  #9.3\t #5.0", (double[]){share, r->time.sum, r->calls});
        put_numbers(run, t, &r->time);
        put_end(run, t, r->rank, "\t ", pf_aiu_text_of(run, r->name));
    }
    return t;
}

pf_text *pf_acelyzer_rank_activity(aiu_run *run)
{
    pf_text *t = begin(run, "Total Kernel Time  \t  Elapsed Time\t  Start Time\t         End Time  \t Active percentage"
                            "  \t   pid \n");
    for (uint32_t i = 0; i < run->kernels->rank_count; i++) {
        const aiu_rank_row *r = &run->kernels->rank[i];
        double elapsed = r->last - r->first;
        put_reals(
            run, t, "#9.3\t  #9.3\t  #9.3\t #9.3\t #5.2",
            (double[]){r->time, elapsed, r->first + run->origin, r->last + run->origin, percent(r->time, elapsed)});
        put_end(run, t, r->rank, "", (pf_str){"", 0});
    }
    return t;
}

pf_text *pf_acelyzer_step_times(aiu_run *run)
{
    static const char *const names[] = {"TS2-1", "TS3-2", "TS4-3", "TS5-4"};
    pf_text *t = begin(run, "Calls  \t ");
    for (size_t k = 0; k < AIU_STEP_TIMES; k++) {
        pf_text_format(run->findings, t, "%s_Mean   \t%s_Median  \t%s_Min    \t%s_Max   \t%s_StDev  \t", names[k],
                       names[k], names[k], names[k], names[k]);
    }
    pf_text_put(run->findings, t, PF_STR("pid\t Name \n"));
    for (uint32_t i = 0; i < run->kernels->row_count; i++) {
        const aiu_kernel_row *r = &run->kernels->row[i];
        pf_text_format(run->findings, t, "%6u", r->calls);
        for (size_t k = 0; k < AIU_STEP_TIMES; k++) {
            put_numbers(run, t, &r->step[k]);
        }
        put_end(run, t, r->rank, "\t ", pf_aiu_text_of(run, r->name));
    }
    return t;
}

/* The original leaves what is of collectives empty, and so does --compat. */
static void put_shares(aiu_run *run, pf_text *t, const aiu_rank_row *r)
{
    int64_t pid = run->ranks.pid[r->rank];
    bool want = !pf_aiu_rule(run, AIU_OWN_FORMS);
    double elapsed = r->last - r->first, collectives = 0;
    for (uint32_t e = 0; want && e < run->events.count; e++) {
        collectives += pf_aiu_is_built(run, e) && run->events.pid[e] == pid ? run->events.dur[e] : 0;
    }
    const double numbers[] = {elapsed, r->time, collectives, elapsed > 0 ? r->time / elapsed : 0,
                              elapsed > 0 ? collectives / elapsed : 0};
    pf_text_put(run->findings, t, pf_aiu_pid_text(run, pid));
    for (size_t i = 0; i < 5; i++) {
        pf_text_format(run->findings, t, ",%s", want || (i != 2 && i != 4) ? pf_aiu_num(run, numbers[i]) : "");
    }
    pf_text_put(run->findings, t, PF_STR("\n"));
}

pf_text *pf_acelyzer_collective_stats(aiu_run *run)
{
    if (!run->kernels || !run->set.build_coll || !pf_aiu_stage_on(run, "calculate_stats_v2")) {
        return NULL;
    }
    pf_str kept = run->set.keep_types;
    bool own = pf_aiu_rule(run, AIU_OWN_FORMS);
    bool none = own && kept.ptr && !memchr(kept.ptr, 'X', kept.len); /* -F came before */
    uint32_t n = none ? 0 : run->kernels->rank_count;
    aiu_key *keys = pf_aiu_alloc(run, (size_t)n + 1, sizeof *keys);
    for (uint32_t i = 0; keys && i < n; i++) {
        keys[i] = (aiu_key){run->kernels->rank[i].first, 0, i};
    }
    pf_aiu_sort_keys(run, keys, keys ? n : 0);
    pf_text *t = begin(
        run,
        n || !own
            ? "pid,elapsed_time,comp_active_atime,comm_active_atime,comp_active_atime_perc,comm_active_atime_perc\n"
            : "elapsed_time,comp_active_atime,pid,comm_active_atime,comp_active_atime_perc,"
              "comm_active_atime_perc\n");
    for (uint32_t i = 0; keys && i < n; i++) {
        put_shares(run, t, &run->kernels->rank[keys[i].row]);
    }
    return t;
}

/* A line of the table. */
typedef struct line {
    int64_t pid;
    const char *phase;
    bool last; /* after the others of its phase */
    const aiu_share *share, *total;
    uint32_t at; /* in the order of the shares */
} line;

PF_ORDER(compare_lines, line, PF_COMPARE((double)x->pid, (double)y->pid), strcmp(x->phase, y->phase), PF_UP(last),
         PF_UP(share->time), PF_UP(at));

/* The last log that something was counted for, and how many there are. */
static uint32_t last_log(const aiu_run *run, uint32_t *count)
{
    const aiu_tables *t = run->tables;
    uint32_t last = 0;
    *count = 0;
    for (uint32_t log = 0; log < t->logs; log++) {
        uint32_t i = 0;
        while (i < t->use_count && t->table[t->use[i].table].log != log) {
            i++;
        }
        last = i < t->use_count ? log : last;
        *count += i < t->use_count;
    }
    return last;
}

/* All lines; the original keeps what belongs to the last of its logs. NULL: refused. */
static line *collect(aiu_run *run, uint32_t last, size_t *count)
{
    const aiu_tables *t = run->tables;
    bool want = !pf_aiu_rule(run, AIU_OWN_FORMS);
    size_t room = 1;
    for (uint32_t i = 0; i < t->use_count; i++) {
        room += t->use[i].count;
    }
    line *lines = pf_findings_alloc(run->findings, room * sizeof *lines);
    *count = 0;
    for (uint32_t i = 0; lines && i < t->use_count; i++) {
        const aiu_use *u = &t->use[i];
        const aiu_table *table = &t->table[u->table];
        for (uint32_t s = 0; s < u->count && (want || table->log == last); s++, ++*count) {
            lines[*count] = (line){run->ranks.pid[u->rank], table->phase, want && s == 0, &u->share[s], &u->share[0],
                                   (uint32_t)*count};
        }
    }
    if (lines) {
        qsort(lines, *count, sizeof *lines, compare_lines);
    }
    return lines;
}

enum { COLUMNS = 10, TIME = 3 };

static const struct {
    const char *head;
    int width;
} columns[COLUMNS] = {{"Pid", 4},   {"Phase", 5},       {"Category", 12},  {"Kernel_Time", 12}, {"Frac_Time", 10},
                      {"Calls", 6}, {"Ideal_Time", 11}, {"Ideal_Cyc", 10}, {"Frac_Ideal", 11},  {"PT_Util", 8}};

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

static double share_in(double a, double of)
{
    return of > 0 ? pf_aiu_round(a / of, 4) : 0;
}

/* `digits`: the time in columns has six of them after the point. Cycles are whole; the original cuts what its times
 * make of them. */
static void put_line(aiu_run *run, const acelyzer_category_texts *out, const line *l, bool digits)
{
    const aiu_share *s = l->share;
    pf_findings *f = run->findings;
    double core = run->set.core;
    bool want = !pf_aiu_rule(run, AIU_OWN_FORMS);
    long long cycles = (long long)(want ? round(s->ideal * core) : trunc(s->ideal / (1 / core)));
    const pf_str cells[COLUMNS] = {pf_aiu_pid_text(run, l->pid),
                                   pf_str_of(l->phase),
                                   pf_aiu_text_of(run, s->category),
                                   pf_aiu_real(run, s->time),
                                   pf_aiu_real(run, share_in(s->time, l->total->time)),
                                   pf_findings_format(f, "%llu", (unsigned long long)s->calls),
                                   pf_aiu_real(run, pf_aiu_round(s->ideal, 4)),
                                   pf_findings_format(f, "%lld", cycles),
                                   pf_aiu_real(run, share_in(s->ideal, l->total->ideal)),
                                   pf_aiu_real(run, share_in(s->ideal, s->time))};
    put_cells(run, out, cells, digits ? pf_aiu_real(run, pf_aiu_round(s->time, 6)) : cells[TIME]);
}

/* Pandas prints a column of times with a point: with exponents where one is near 0, or large. */
acelyzer_category_texts pf_acelyzer_categories(aiu_run *run)
{
    acelyzer_category_texts out = {NULL, NULL, 0};
    bool want = !pf_aiu_rule(run, AIU_OWN_FORMS), digits = !want;
    if (!run->tables || run->tables->count == 0 || (!want && run->tables->use_count == 0)) {
        return out;
    }
    size_t n;
    const line *lines = collect(run, last_log(run, &out.logs), &n);
    pf_str heads[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) {
        heads[i] = pf_str_of(columns[i].head);
    }
    out.csv = pf_text_new(run->findings);
    out.txt = pf_text_new(run->findings);
    put_cells(run, &out, heads, heads[TIME]);
    for (size_t i = 0; i < n; i++) {
        double time = lines[i].share->time;
        digits &= !((time > 0 && time < 1e-6) || time > 1e6);
    }
    for (size_t i = 0; i < n; i++) {
        put_line(run, &out, &lines[i], digits);
    }
    return out;
}

static void put_text(pf_buffer *b, pf_str s)
{
    pf_buffer_put(b, s.ptr ? s.ptr : "", s.len);
    pf_buffer_text(b, " ");
}

static void put_slice(aiu_run *run, uint32_t e, pf_buffer *b)
{
    const aiu_events *v = &run->events;
    const aiu_job *job = &run->jobs[v->job[e]];
    const aiu_extra *used = pf_aiu_find_extra(run, e, PF_STR("pt_active"));
    char digits[PF_FIXED_MAX];
    pf_buffer_text(b, " ");
    put_text(b, pf_aiu_pid_text(run, v->flags[e] & AIU_TORCH ? job->rank : v->pid[e]));
    put_text(b, (pf_str){digits, pf_format_real_exponent(v->ts[e] + run->origin, digits)});
    put_text(b, (pf_str){digits, pf_format_real_fixed(v->dur[e], 6, digits)});
    put_text(b, pf_aiu_text_of(run, v->cat[e]));
    put_text(b, pf_aiu_text_of(run, v->name[e]));
    put_text(b, pf_str_of(v->flags[e] & AIU_HAS_CLASS ? pf_aiu_class_name(v->class[e]) : "UNKNOWN"));
    put_text(b, job->name);
    if (v->flags[e] & AIU_HAS_BYTES) {
        pf_buffer_decimal(b, v->bytes[e]);
    } else {
        pf_buffer_text(b, "0.0");
    }
    pf_buffer_text(b, " ");
    pf_buffer_put(b, digits, pf_format_real_fixed(used ? used->as.d : 0, 6, digits));
    pf_buffer_text(b, "\n");
}

pf_text *pf_acelyzer_pddf(aiu_run *run)
{
    pf_text *t = pf_text_new(run->findings);
    pf_buffer b = {0};
    pf_aiu_sort_global(run);
    bool any = pf_aiu_rows(run, pf_aiu_is_any_slice).count || !pf_aiu_rule(run, AIU_OWN_FORMS);
    pf_buffer_text(&b, any ? " Rank Timestamp Duration Category Event Name Event CLass Job Size PT_Active\n"
                           : "Empty DataFrame\nColumns: [Rank, Timestamp, Duration, Category, Event Name, Event CLass, "
                             "Job, Size, PT_Active]\nIndex: []\n");
    for (uint32_t i = 0, e; !pf_aiu_failed(run) && pf_aiu_next(run, pf_aiu_is_any_slice, &i, &e);) {
        put_slice(run, e, &b);
        pf_acelyzer_pass_on(run, t, &b, ACELYZER_PIECE);
    }
    pf_acelyzer_pass_on(run, t, &b, 0);
    pf_buffer_free(&b);
    return pf_aiu_failed(run) ? NULL : t;
}
