/* analyze/aiu/cores/aiu_utilisation.c - how much of the cores kernels use, against the cycles that
 * the compiler says they would take at best.
 *
 * With autopilot the log has one table for a whole job, so that kernels are held against its total.
 */
#include <inttypes.h>

#include "analyze/aiu/cores/aiu_tables.h"
#include "base/str.h"
#include "base/text/errno_text.h"
#include "postfetto/arg_columns.h"

enum { ROLE_LOGS = 1 };

static bool is_json(const aiu_run *run, pf_str text)
{
    pf_document *d = NULL;
    bool is = text.len && pf_aiu_parse(run, text, &d);
    pf_document_free(d);
    return is;
}

static void read_one(aiu_run *run, aiu_tables *t, uint32_t i)
{
    const char *path = run->ctx->roles[ROLE_LOGS].files[i].path;
    bool document = pf_str_ends(pf_str_of(path), PF_STR("ideal_cycles.json"));
    bool files = pf_aiu_rule(run, AIU_LOGS_ARE_FILES);
    pf_pass_file file;
    if (pf_aiu_is_folder(path)) {
        pf_aiu_read_log_folder(run, t, path);
    } else if (pf_pass_open(run->ctx, ROLE_LOGS, i, 0, &file, &run->error) != PF_OK) {
        return;
    } else if (file.missing && files) {
        pf_aiu_say_no_folder(run);
        pf_aiu_add_log(run, t, path);
    } else if (file.missing || (!files && !document && is_json(run, file.bytes))) {
        pf_fail(&run->error, PF_ERR_INPUT, file.missing ? "cannot be opened as a log of the compiler (-c): %s" : "%s",
                file.missing ? pf_errno_text(file.missing)
                             : "is JSON, no log of the compiler (-c): those have tables \"Ideal/Total Cycles\"");
        pf_error_in(&run->error, path);
    } else {
        if (!document) {
            pf_aiu_read_log(run, t, path, file.bytes);
        } else if (pf_aiu_add_log(run, t, path) == PF_OK) {
            pf_aiu_read_ideal_cycles(run, t, pf_str_of(path), file.bytes);
        }
        pf_pass_close(run->ctx, ROLE_LOGS, i);
    }
}

/* " in LOG", where there are several logs; a line of acelyzer does not name its own. */
static const char *in_log(aiu_run *run, uint32_t log)
{
    bool named = run->tables->logs > 1 && !pf_aiu_rule(run, AIU_LOGS_ARE_FILES);
    pf_str in = pf_findings_format(run->findings, " in %.*s", PF_TEXT_ARG(run->tables->log[log].path));
    return named && in.ptr ? in.ptr : "";
}

static void report_tables(aiu_run *run, const aiu_tables *t)
{
    bool want = !pf_aiu_rule(run, AIU_TABLES_END);
    if (t->logs > 1) {
        pf_aiu_log(run, "INFO", "UTL: Multi-AIU logs provided. Entries: %u", t->logs);
        if (pf_aiu_rule(run, AIU_LOGS_ARE_FILES)) {
            pf_aiu_say_no_folder(run);
        }
    }
    for (uint32_t i = 0; i < t->count; i++) {
        if (want || t->table[i].ended) {
            pf_aiu_log(run, "INFO", "UTL: Adding ideal cycles table (%s) with fingerprint: %u", t->table[i].said, i);
        }
    }
    for (uint32_t i = 0; i < t->logs; i++) {
        if (t->log[i].begun > 1 && (t->logs == 1 || !want) && run->cores_on) {
            pf_aiu_log(run, "WARNING",
                       "UTL: %u/%u unique tables with ideal cycles have been detected. Utilization results should be "
                       "inspected carefully!!!!",
                       want ? t->log[i].begun : t->log[i].unique, t->log[i].begun);
        }
    }
    for (uint32_t i = 0; i < t->logs; i++) {
        if (t->log[i].autopilot) {
            pf_aiu_log(run, "WARNING",
                       "UTL: Detected autopilot=on%s. Event categorization, cycles table matching and other "
                       "utilization-related data might be unreliable.",
                       in_log(run, i));
        }
    }
}

void pf_aiu_read_tables(aiu_run *run)
{
    aiu_tables *t = run->tables = pf_aiu_alloc(run, 1, sizeof *t);
    if (!t) {
        return;
    }
    t->use_of = pf_aiu_kept_map(run);
    t->total = pf_aiu_text(run, PF_STR("Total"));
    t->kernel = pf_aiu_text(run, PF_STR("Total Cmpt Exec"));
    for (uint32_t i = 0; i < run->ctx->roles[ROLE_LOGS].count && !pf_aiu_failed(run); i++) {
        read_one(run, t, i);
    }
    if (!pf_aiu_failed(run)) {
        report_tables(run, t);
    }
}

static bool is_kernel(aiu_run *run, uint32_t e)
{
    const aiu_events *v = &run->events;
    bool want = !pf_aiu_rule(run, AIU_FLEX_ALONE);
    pf_str cat = pf_aiu_text_of(run, v->cat[e]);
    if (!pf_aiu_is_slice(run, e) || pf_aiu_is_second_view(run, e)) {
        return false;
    }
    return v->flags[e] & AIU_TORCH
               ? (want ? pf_str_is(cat, "kernel") : pf_aiu_contains(cat, "kernel"))
               : pf_aiu_name(run, v->name[e])->ends == AIU_OP_EXEC && (want || pf_aiu_is_device(run, e));
}

/* The name that tables have for a kernel of a torch trace: "[N]" is args.fn_idx. */
static uint32_t torch_name(aiu_run *run, uint32_t e, const pf_arg_column *index, uint32_t i)
{
    pf_str name = pf_aiu_text_of(run, run->events.name[e]);
    const char *ending = pf_str_ends(name, PF_STR(" Cmpt Exec")) ? "" : " Cmpt Exec";
    size_t mark = pf_arg_has(index, i) ? pf_str_find(name, PF_STR("[N]")) : SIZE_MAX;
    return pf_aiu_text(run, mark == SIZE_MAX ? pf_findings_format(run->findings, "%.*s%s", PF_TEXT_ARG(name), ending)
                                             : pf_findings_format(run->findings, "%.*s%" PRId64 "%.*s%s", (int)mark,
                                                                  name.ptr, index->values.i[i],
                                                                  PF_TEXT_ARG(pf_str_from(name, mark + 3)), ending));
}

/* A job is what a rank does for a file, for acelyzer all ranks of it; in torch traces, a launch of it (correlation). */
pf_status pf_aiu_list_kernels(aiu_run *run, aiu_kernel_list *k)
{
    static const pf_arg_key keys[] = {{.key = "correlation", .type = PF_ARG_UINT},
                                      {.key = "fn_idx", .type = PF_ARG_INT}};
    aiu_rows rows = pf_aiu_rows(run, is_kernel);
    pf_arg_columns *c = run->any_torch ? pf_aiu_arguments(run, rows, keys, 2) : NULL;
    aiu_pairs jobs = pf_aiu_scratch_pairs(run);
    *k = (aiu_kernel_list){.event = rows.list, .count = rows.count};
    k->name = pf_aiu_scratch(run, k->count, sizeof *k->name);
    k->job = pf_aiu_scratch(run, k->count, sizeof *k->job);
    for (uint32_t i = 0; i < k->count && !pf_aiu_failed(run); i++) {
        uint32_t e = k->event[i];
        bool torch = run->events.flags[e] & AIU_TORCH;
        uint64_t launch = torch && pf_arg_has(pf_arg_column_at(c, 0), i) ? pf_arg_column_at(c, 0)->values.u[i] : 0;
        uint64_t rank = pf_aiu_rule(run, AIU_ONE_FILE) ? 0 : run->events.rank[e];
        k->name[i] = torch ? torch_name(run, e, pf_arg_column_at(c, 1), i) : run->events.name[e];
        k->job[i] = pf_aiu_pair(run, &jobs, rank << 32 | run->events.job[e], launch);
    }
    k->jobs = (uint32_t)jobs.pairs->count;
    pf_arg_columns_free(c);
    return run->error.code;
}

static aiu_share *share_of(aiu_run *run, aiu_use *u, uint32_t category)
{
    for (uint32_t i = 0; i < u->count; i++) {
        if (u->share[i].category == category) {
            return &u->share[i];
        }
    }
    if (AIU_ROOM(run, u->share, u->count + 1, u->room) != PF_OK) {
        return NULL;
    }
    u->share[u->count] = (aiu_share){.category = category};
    return &u->share[u->count++];
}

aiu_use *pf_aiu_use_of(aiu_run *run, uint32_t rank, uint32_t table)
{
    aiu_tables *t = run->tables;
    uint32_t at = pf_aiu_number(run, t->use_of, (uint64_t)rank << 32 | table);
    if (at < t->use_count) {
        return &t->use[at];
    }
    if (AIU_ROOM(run, t->use, t->use_count + 1, t->use_room) != PF_OK) {
        return NULL;
    }
    aiu_use *u = &t->use[t->use_count++];
    *u = (aiu_use){.rank = rank, .table = table};
    share_of(run, u, t->total);
    share_of(run, u, pf_aiu_text(run, PF_STR("StcdpHbm")));
    share_of(run, u, pf_aiu_text(run, PF_STR("other")));
    for (uint32_t i = 0; i < t->table[table].count; i++) {
        share_of(run, u, t->table[table].row[i].category);
    }
    return u;
}

void pf_aiu_add_time(aiu_run *run, aiu_use *u, uint32_t category, double time, double us)
{
    aiu_share *s = share_of(run, u, category);
    if (s) {
        s->calls++;
        s->time += time;
        s->ideal += us > time ? 0 : us;
    }
}

/* A kernel, or a job of the autopilot, in the shares of its rank and table. */
static void account(aiu_run *run, uint32_t rank, uint32_t table, const aiu_ideal *ideal, double us, double time)
{
    aiu_use *u = pf_aiu_use_of(run, rank, table);
    bool whole = run->tables->table[table].autopilot;
    uint32_t category = ideal ? ideal->category : pf_aiu_text(run, PF_STR("other"));
    if (!u) {
        return;
    }
    u->unknown += !ideal;
    u->busy_time += us > 0 && !whole ? time : 0;
    u->busy_ideal += whole ? 0 : us;
    u->idle_time += us > 0 || whole ? 0 : time;
    pf_aiu_add_time(run, u, category, time, us);
    if (category != run->tables->total) {
        pf_aiu_add_time(run, u, run->tables->total, time, us);
    }
}

/* A job of a log with autopilot, whose kernels are one. */
typedef struct whole_job {
    aiu_range at;
    double time, ideal; /* us: of all kernels, but no more than `at`; ideal: 0: its table has no total */
    uint32_t rank;
    int64_t pid;
} whole_job;

void pf_aiu_show_category(aiu_run *run, uint32_t e, uint32_t category)
{
    if (run->events.cat[e]) {
        pf_aiu_add_text(run, e, PF_STR("user_cat"), pf_aiu_text_of(run, category));
    } else {
        run->events.cat[e] = category;
    }
}

/* A kernel of the autopilot has the use of its job. */
static void take_kernel(aiu_run *run, uint32_t e, uint32_t name, uint32_t table, const whole_job *job)
{
    const aiu_events *v = &run->events;
    const aiu_table *t = &run->tables->table[table];
    const aiu_ideal *ideal = pf_aiu_find_ideal(t, t->autopilot ? run->tables->total : name);
    double us = ideal ? ideal->cycles / run->set.core : 0, time = t->autopilot ? job->time : v->dur[e];
    double use = time > 0 ? us / time : 0;
    if (!t->autopilot) {
        account(run, v->rank[e], table, ideal, us, time);
    }
    if (!ideal || ideal->category != run->tables->total) {
        run->category[e] = ideal ? ideal->category : pf_aiu_text(run, PF_STR("other"));
        pf_aiu_show_category(run, e, run->category[e]);
    }
    if (use > 0) {
        v->flags[e] |= AIU_CORE_USED;
        pf_aiu_add_real(run, e, PF_STR("pt_active"), use);
    }
    if (use > 0 && !t->autopilot) {
        pf_aiu_add_plateau(run, AIU_SERIES_PT_ACTIVE, v->pid[e], v->ts[e], pf_aiu_end(run, e),
                           pf_aiu_shown_percent(run, use));
    }
}

void pf_aiu_log_use(aiu_run *run, uint32_t rank, double busy, double all, double used, double unused)
{
    pf_aiu_log(run, "INFO", "UTL: pid=%s: avg_mm_util=%s, avg_util=%s, t_mm=%s, t_sf=%s, ratio_mm/sf=%s:%s",
               pf_aiu_rank_name(run, rank), pf_aiu_rounded(run, busy, 3), pf_aiu_rounded(run, all, 3),
               pf_aiu_num(run, used), pf_aiu_num(run, unused), pf_aiu_rounded(run, 100 * used / (used + unused), 2),
               pf_aiu_rounded(run, 100 * unused / (used + unused), 2));
}

void pf_aiu_log_unknown(aiu_run *run, uint64_t kernels, const char *in)
{
    if (kernels) {
        pf_aiu_log(run, "WARNING",
                   "UTL: Found %" PRIu64 " Events without a matching kernel category%s and accounted for 'other'",
                   kernels, in);
    }
}

/* A line for each rank that has kernels, over all its tables; kernels that no table knew, by log. */
static void report(aiu_run *run)
{
    const aiu_tables *t = run->tables;
    aiu_use *all = pf_aiu_scratch(run, run->ranks.count, sizeof *all);
    for (uint32_t i = 0; i < t->use_count && all; i++) {
        aiu_use *u = &all[t->use[i].rank];
        u->busy_time += t->use[i].busy_time;
        u->busy_ideal += t->use[i].busy_ideal;
        u->idle_time += t->use[i].idle_time;
        t->log[t->table[t->use[i].table].log].unknown += t->use[i].unknown;
    }
    for (uint32_t r = 0; r < run->ranks.count && all; r++) {
        double used = all[r].busy_time, unused = all[r].idle_time, ideal = all[r].busy_ideal;
        if (used + unused > 0) {
            pf_aiu_log_use(run, r, used > 0 ? 100 * ideal / used : 0, 100 * ideal / (used + unused), used, unused);
        }
    }
    for (uint32_t i = 0; i < t->logs; i++) {
        pf_aiu_log_unknown(run, t->log[i].unknown, in_log(run, i));
    }
    pf_aiu_warn(run, "UTL: ", run->overfull,
                " kernels took less than their ideal cycles; they are drawn as 101 percent");
}

/* Such a log gives the ideal cycles of a whole job, as Total. So the kernels of a job are taken together, however many
 * they are: their time is that of all, or from the first begin to the last end if that is less, as it is where they
 * overlap. Each rank has a counter of its own, which its jobs follow each other on. */
static whole_job *whole_jobs(aiu_run *run, const aiu_kernel_list *k, const uint32_t *choice)
{
    whole_job *jobs = pf_aiu_scratch(run, k->jobs, sizeof *jobs);
    for (uint32_t i = 0; i < k->count && jobs; i++) {
        uint32_t e = k->event[i];
        whole_job *w = &jobs[k->job[i]];
        const aiu_ideal *ideal = pf_aiu_find_ideal(&run->tables->table[choice[k->job[i]]], run->tables->total);
        pf_aiu_widen(&w->at, run->events.ts[e], pf_aiu_end(run, e));
        w->time += run->events.dur[e];
        w->ideal = ideal ? ideal->cycles / run->set.core : 0;
        w->rank = run->events.rank[e];
        w->pid = run->events.pid[e];
    }
    for (uint32_t i = 0; i < k->jobs && jobs; i++) {
        double span = jobs[i].at.to - jobs[i].at.from;
        jobs[i].time = jobs[i].time < span ? jobs[i].time : span;
    }
    return jobs;
}

/* Jobs of the autopilot count once in the table of categories. What begins before the end of another one is cut where
 * it is drawn. */
static void take_jobs(aiu_run *run, const whole_job *jobs, uint32_t count, const uint32_t *choice)
{
    aiu_range *shown = pf_aiu_scratch(run, run->ranks.count, sizeof *shown); /* until when a job is drawn */
    for (uint32_t i = 0; i < count && shown; i++) {
        const aiu_table *t = &run->tables->table[choice[i]];
        const whole_job *w = &jobs[i];
        if (!t->autopilot) {
            continue;
        }
        aiu_range *until = &shown[w->rank];
        double first = until->any && w->at.from < until->to ? until->to : w->at.from;
        account(run, w->rank, choice[i], pf_aiu_find_ideal(t, run->tables->total), w->ideal, w->time);
        if (w->at.to > first && w->time > 0) {
            *until = (aiu_range){first, w->at.to, true};
            pf_aiu_add_plateau(run, AIU_SERIES_PT_ACTIVE, w->pid, first, w->at.to,
                               pf_aiu_shown_percent(run, w->ideal / w->time));
        }
    }
}

void pf_aiu_use_cores(aiu_run *run)
{
    aiu_kernel_list k = {.count = 0};
    if (!run->tables || run->tables->count == 0) {
        return;
    }
    run->category = pf_aiu_alloc(run, run->events.count, sizeof *run->category);
    run->category_count = run->category ? run->events.count : 0;
    pf_aiu_list_kernels(run, &k);
    uint32_t *choice = pf_aiu_scratch(run, k.jobs, sizeof *choice);
    if (choice) {
        pf_aiu_choose_tables(run, &k, choice);
    }
    whole_job *jobs = choice ? whole_jobs(run, &k, choice) : NULL;
    for (uint32_t i = 0; i < k.count && jobs; i++) {
        take_kernel(run, k.event[i], k.name[i], choice[k.job[i]], &jobs[k.job[i]]);
    }
    if (jobs) {
        take_jobs(run, jobs, k.jobs, choice);
        report(run);
    }
}
