/* analyze/aiu/cores/aiu_utilisation.c - compute_utilization: how much of the cores kernels use, against the cycles that
 * the compiler says they would take at best.
 *
 * With autopilot the log has one table for a whole job, so that kernels are held against its total.
 */
#include <string.h>

#include "analyze/aiu/cores/aiu_tables.h"
#include "base/text/errno_text.h"
#include "postfetto/arg_columns.h"

enum { ROLE_LOGS = 1 };

/* ---- reading the logs -------------------------------------------------------------------------------------------- */

static bool is_json(const aiu_run *run, pf_str text)
{
    pf_document *d;
    if (!text.len || !pf_aiu_parse(run, text, &d)) {
        return false;
    }
    pf_document_free(d);
    return true;
}

static pf_status read_one(aiu_run *run, aiu_tables *t, uint32_t i)
{
    const char *path = run->ctx->roles[ROLE_LOGS].files[i].path;
    pf_pass_file file;
    if (pf_aiu_is_folder(path)) {
        return pf_aiu_read_log_folder(run, t, path);
    }
    pf_status st = pf_pass_open(run->ctx, ROLE_LOGS, i, &file, &run->error);
    bool document = pf_aiu_ends_in((pf_str){path, strlen(path)}, "ideal_cycles.json");
    if (st != PF_OK) {
        return st;
    }
    if (file.missing && run->set.compat != AIU_WANT) {
        pf_aiu_say_no_folder(run);
        return pf_aiu_add_log(run, t, path);
    }
    if (file.missing || (run->set.compat == AIU_WANT && !document && is_json(run, file.bytes))) {
        pf_fail(&run->error, PF_ERR_INPUT, file.missing ? "cannot be opened as a log of the compiler (-c): %s" : "%s",
                file.missing ? pf_errno_text(file.missing)
                             : "is JSON, no log of the compiler (-c): those have tables \"Ideal/Total Cycles\"");
        pf_error_in(&run->error, path);
        return run->error.code;
    }
    st = document ? pf_aiu_add_log(run, t, path) : pf_aiu_read_log(run, t, path, file.bytes);
    st = document && st == PF_OK ? pf_aiu_read_ideal_cycles(run, t, (pf_str){path, strlen(path)}, file.bytes) : st;
    pf_pass_close(run->ctx, ROLE_LOGS, i);
    return st;
}

/* Where there are several logs a line names its own; that of the program before postfetto does not. */
static bool names_logs(const aiu_run *run)
{
    return run->tables->logs > 1 && run->set.compat == AIU_WANT;
}

static void report_autopilot(aiu_run *run, const aiu_tables *t)
{
    for (uint32_t i = 0; i < t->logs; i++) {
        pf_str path = names_logs(run) ? t->log[i].path : (pf_str){"", 0};
        if (t->log[i].autopilot) {
            pf_aiu_log(run, "WARNING",
                       "UTL: Detected autopilot=on%s%.*s. Event categorization, cycles table matching and other "
                       "utilization-related data might be unreliable.",
                       path.len ? " in " : "", (int)path.len, path.ptr);
        }
    }
}

static void report_tables(aiu_run *run, const aiu_tables *t)
{
    if (t->logs > 1) {
        pf_aiu_log(run, "INFO", "UTL: Multi-AIU logs provided. Entries: %u", t->logs);
        if (run->set.compat != AIU_WANT) {
            pf_aiu_say_no_folder(run);
        }
    }
    bool want = run->set.compat == AIU_WANT;
    for (uint32_t i = 0; i < t->count; i++) {
        if (want || t->table[i].ended) {
            pf_aiu_log(run, "INFO", "UTL: Adding ideal cycles table (%s) with fingerprint: %u", t->table[i].said, i);
        }
    }
    for (uint32_t i = 0; i < t->logs; i++) {
        uint32_t unique = want ? t->log[i].begun : t->log[i].unique;
        if (t->log[i].begun > 1 && (t->logs == 1 || !want) && run->cores_on) {
            pf_aiu_log(run, "WARNING",
                       "UTL: %u/%u unique tables with ideal cycles have been detected. Utilization results should be "
                       "inspected carefully!!!!",
                       unique, t->log[i].begun);
        }
    }
    report_autopilot(run, t);
}

pf_status pf_aiu_read_tables(aiu_run *run)
{
    const pf_pass_files *logs = &run->ctx->roles[ROLE_LOGS];
    aiu_tables *t = run->tables = pf_pass_alloc(run->ctx, 1, sizeof *t, &run->error);
    if (!t) {
        return run->error.code;
    }
    pf_map_init(&t->use_of, run->budget);
    t->total = pf_aiu_text(run, PF_STR("Total"));
    t->kernel = pf_aiu_text(run, PF_STR("Total Cmpt Exec"));
    pf_status st = t->total == PF_NONE || t->kernel == PF_NONE ? run->error.code : PF_OK;
    for (uint32_t i = 0; i < logs->count && st == PF_OK; i++) {
        st = read_one(run, t, i);
    }
    if (st == PF_OK) {
        report_tables(run, t);
    }
    return st;
}

/* ---- kernels and their jobs -------------------------------------------------------------------------------------- */

static bool is_kernel(aiu_run *run, uint32_t e)
{
    if (!pf_aiu_is_slice(run, e) || pf_aiu_is_second_view(run, e)) {
        return false;
    }
    bool torch = run->events.flags[e] & AIU_TORCH, want = run->set.compat == AIU_WANT;
    pf_str cat = pf_aiu_text_of(run, run->events.cat[e]);
    bool exec = pf_aiu_name(run, run->events.name[e])->ends == AIU_OP_EXEC && (want || pf_aiu_is_device(run, e));
    return torch ? (want ? pf_aiu_equals(cat, "kernel") : pf_aiu_contains(cat, "kernel")) : exec;
}

/* The name that tables have for a kernel of a torch trace: "[N]" is args.fn_idx. */
static uint32_t torch_name(aiu_run *run, uint32_t e, const pf_arg_column *index, uint32_t i)
{
    pf_str name = pf_aiu_text_of(run, run->events.name[e]);
    const char *mark = name.ptr ? memmem(name.ptr, name.len, "[N]", 3) : NULL;
    const char *ending = pf_aiu_ends_in(name, " Cmpt Exec") ? "" : " Cmpt Exec";
    pf_str full;
    if (mark && pf_arg_has(index, i)) {
        size_t before = (size_t)(mark - name.ptr);
        full = pf_findings_format(run->findings, "%.*s%lld%.*s%s", (int)before, name.ptr, (long long)index->values.i[i],
                                  (int)(name.len - before - 3), mark + 3, ending);
    } else {
        full = pf_findings_format(run->findings, "%.*s%s", (int)name.len, name.ptr, ending);
    }
    return pf_aiu_text(run, full);
}

/* The number of a key, in order of appearance. */
static uint32_t number_of(aiu_run *run, pf_map *numbers, uint64_t key)
{
    uint32_t number = pf_map_get(numbers, key);
    if (number == PF_NONE) {
        number = (uint32_t)numbers->count;
        pf_aiu_map(run, numbers, key, number);
    }
    return number;
}

/* A job is what a rank does for a file; in torch traces, a launch of it (correlation). The program before postfetto
 * takes all ranks of a file together. */
static uint32_t number_job(aiu_run *run, pf_map maps[2], uint32_t e, uint64_t launch)
{
    uint64_t rank = run->set.compat == AIU_WANT ? run->events.rank[e] : 0;
    uint32_t share = number_of(run, &maps[0], rank << 32 | run->events.job[e]);
    return number_of(run, &maps[1], (uint64_t)share << 40 ^ launch);
}

static pf_status name_kernels(aiu_run *run, aiu_kernel_list *k, const uint32_t *rows)
{
    static const pf_arg_key keys[] = {{.key = "correlation", .type = PF_ARG_UINT},
                                      {.key = "fn_idx", .type = PF_ARG_INT}};
    pf_arg_columns *c = NULL;
    pf_map jobs[2];
    pf_map_init(&jobs[0], run->budget);
    pf_map_init(&jobs[1], run->budget);
    pf_status st =
        run->any_torch ? pf_arg_columns_read(run->trace, rows, k->count, keys, 2, NULL, &c, &run->error) : PF_OK;
    for (uint32_t i = 0; i < k->count && st == PF_OK; i++) {
        uint32_t e = k->event[i];
        bool torch = run->events.flags[e] & AIU_TORCH;
        uint64_t launch = torch && pf_arg_has(pf_arg_column_at(c, 0), i) ? pf_arg_column_at(c, 0)->values.u[i] : 0;
        k->name[i] = torch ? torch_name(run, e, pf_arg_column_at(c, 1), i) : run->events.name[e];
        k->job[i] = number_job(run, jobs, e, launch);
        st = run->error.code;
    }
    k->jobs = (uint32_t)jobs[1].count;
    pf_map_free(&jobs[0]);
    pf_map_free(&jobs[1]);
    pf_arg_columns_free(c);
    return st;
}

pf_status pf_aiu_list_kernels(aiu_run *run, aiu_kernel_list *k)
{
    size_t n = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        n += is_kernel(run, run->order[i]);
    }
    uint32_t *memory = pf_pass_alloc(run->ctx, 4 * n + 1, sizeof *memory, &run->error);
    if (!memory) {
        return run->error.code;
    }
    *k = (aiu_kernel_list){.event = memory, .name = memory + n, .job = memory + 2 * n};
    uint32_t *rows = memory + 3 * n;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (is_kernel(run, e)) {
            k->event[k->count] = e;
            rows[k->count++] = run->events.row[e];
        }
    }
    return name_kernels(run, k, rows);
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

static aiu_share *share_of(aiu_run *run, aiu_use *u, uint32_t category)
{
    for (uint32_t i = 0; i < u->count; i++) {
        if (u->share[i].category == category) {
            return &u->share[i];
        }
    }
    if (u->count == u->room) {
        uint32_t room = u->room ? u->room * 2 : 16;
        aiu_share *grown = pf_pass_alloc(run->ctx, room, sizeof *grown, &run->error);
        if (!grown) {
            return NULL;
        }
        if (u->count) {
            memcpy(grown, u->share, u->count * sizeof *grown);
        }
        u->share = grown;
        u->room = room;
    }
    u->share[u->count] = (aiu_share){.category = category};
    return &u->share[u->count++];
}

static pf_status fill_use(aiu_run *run, aiu_use *u)
{
    const aiu_table *t = &run->tables->table[u->table];
    uint32_t fixed[] = {run->tables->total, pf_aiu_text(run, PF_STR("StcdpHbm")), pf_aiu_text(run, PF_STR("other"))};
    bool good = fixed[1] != PF_NONE && fixed[2] != PF_NONE;
    for (size_t i = 0; i < 3 && good; i++) {
        good = share_of(run, u, fixed[i]) != NULL;
    }
    for (uint32_t i = 0; i < t->count && good; i++) {
        good = share_of(run, u, t->row[i].category) != NULL;
    }
    return good ? PF_OK : run->error.code;
}

aiu_use *pf_aiu_use_of(aiu_run *run, uint32_t rank, uint32_t table)
{
    aiu_tables *t = run->tables;
    uint64_t key = (uint64_t)rank << 32 | table;
    uint32_t at = pf_map_get(&t->use_of, key);
    if (at != PF_NONE) {
        return &t->use[at];
    }
    if (t->use_count == t->use_room) {
        uint32_t room = t->use_room ? t->use_room * 2 : 16;
        aiu_use *grown = pf_pass_alloc(run->ctx, room, sizeof *grown, &run->error);
        if (!grown) {
            return NULL;
        }
        if (t->use_count) {
            memcpy(grown, t->use, t->use_count * sizeof *grown);
        }
        t->use = grown;
        t->use_room = room;
    }
    aiu_use *u = &t->use[t->use_count];
    *u = (aiu_use){.rank = rank, .table = table};
    if (!pf_map_set(&t->use_of, key, t->use_count)) {
        pf_budget_refused(run->budget, sizeof *u, &run->error);
        return NULL;
    }
    t->use_count++;
    return fill_use(run, u) == PF_OK ? u : NULL;
}

pf_status pf_aiu_add_time(aiu_run *run, aiu_use *u, uint32_t category, double time, double us)
{
    aiu_share *s = share_of(run, u, category);
    if (!s) {
        return run->error.code;
    }
    s->calls++;
    s->time += time;
    s->ideal += us > time ? 0 : us;
    return PF_OK;
}

/* A kernel, or a job of the autopilot, in the shares of its rank and table. */
static pf_status account(aiu_run *run, uint32_t rank, uint32_t table, const aiu_ideal *ideal, double us, double time)
{
    aiu_use *u = pf_aiu_use_of(run, rank, table);
    if (!u) {
        return run->error.code;
    }
    bool whole = run->tables->table[table].autopilot;
    u->unknown += !ideal;
    u->busy_time += us > 0 && !whole ? time : 0;
    u->busy_ideal += whole ? 0 : us;
    u->idle_time += us > 0 || whole ? 0 : time;
    uint32_t category = ideal ? ideal->category : pf_aiu_text(run, PF_STR("other"));
    bool is_total = category == run->tables->total;
    pf_status st = category == PF_NONE ? run->error.code : pf_aiu_add_time(run, u, category, time, us);
    return st == PF_OK && !is_total ? pf_aiu_add_time(run, u, run->tables->total, time, us) : st;
}

/* ---- one kernel -------------------------------------------------------------------------------------------------- */

double pf_aiu_shown_percent(aiu_run *run, double use)
{
    double percent = 100 * use;
    run->overfull += percent > 100;
    return percent > 100 ? 101 : percent;
}

static pf_status show_use(aiu_run *run, uint32_t e, double use, bool whole)
{
    run->events.flags[e] |= AIU_CORE_USED;
    pf_status st = pf_aiu_add_real(run, e, PF_STR("pt_active"), use);
    if (whole || st != PF_OK) {
        return st;
    }
    int64_t pid = run->events.pid[e];
    double percent = pf_aiu_shown_percent(run, use);
    st = pf_aiu_add_sample(run, AIU_SERIES_PT_ACTIVE, pid, run->events.ts[e], percent, 0);
    return st == PF_OK ? pf_aiu_add_sample(run, AIU_SERIES_PT_ACTIVE, pid, pf_aiu_end(run, e), 0, 0) : st;
}

/* A kernel of the autopilot has the use of its job. */
static pf_status take_kernel(aiu_run *run, uint32_t e, uint32_t name, uint32_t table, const aiu_whole *job)
{
    bool whole = run->tables->table[table].autopilot;
    const aiu_ideal *ideal = pf_aiu_find_ideal(&run->tables->table[table], whole ? run->tables->total : name);
    double us = ideal ? ideal->cycles / run->set.core : 0;
    double time = whole ? job->time : run->events.dur[e];
    double use = time > 0 ? us / time : 0;
    pf_status st = whole ? PF_OK : account(run, run->events.rank[e], table, ideal, us, time);
    if (st == PF_OK && !(ideal && ideal->category == run->tables->total)) {
        uint32_t category = ideal ? ideal->category : pf_aiu_text(run, PF_STR("other"));
        if (category == PF_NONE) {
            return run->error.code;
        }
        run->category[e] = category;
        if (run->events.cat[e]) {
            st = pf_aiu_add_text(run, e, PF_STR("user_cat"), pf_aiu_text_of(run, category));
        } else {
            run->events.cat[e] = category;
        }
    }
    return st == PF_OK && use > 0 ? show_use(run, e, use, whole) : st;
}

/* ---- the stage --------------------------------------------------------------------------------------------------- */

/* Of a rank that has kernels. */
static void report_use(aiu_run *run, const aiu_use *u)
{
    pf_str pid = pf_aiu_pid_text(run, run->ranks.pid[u->rank]);
    double all = u->busy_time + u->idle_time;
    pf_str busy = pf_aiu_real(run, u->busy_time > 0 ? pf_aiu_round(100 * u->busy_ideal / u->busy_time, 3) : 0);
    pf_str mean = pf_aiu_real(run, pf_aiu_round(100 * u->busy_ideal / all, 3));
    pf_str mm = pf_aiu_real(run, u->busy_time), sf = pf_aiu_real(run, u->idle_time);
    pf_str a = pf_aiu_real(run, pf_aiu_round(100 * u->busy_time / all, 2));
    pf_str b = pf_aiu_real(run, pf_aiu_round(100 * u->idle_time / all, 2));
    pf_aiu_log(run, "INFO",
               "UTL: pid=%.*s: avg_mm_util=%.*s, avg_util=%.*s, t_mm=%.*s, t_sf=%.*s, ratio_mm/sf=%.*s:%.*s",
               (int)pid.len, pid.ptr, (int)busy.len, busy.ptr, (int)mean.len, mean.ptr, (int)mm.len, mm.ptr,
               (int)sf.len, sf.ptr, (int)a.len, a.ptr, (int)b.len, b.ptr);
}

/* Kernels that no table knew, by log. */
static void report_unknown(aiu_run *run)
{
    const aiu_tables *t = run->tables;
    for (uint32_t i = 0; i < t->use_count; i++) {
        t->log[t->table[t->use[i].table].log].unknown += t->use[i].unknown;
    }
    for (uint32_t i = 0; i < t->logs; i++) {
        uint64_t unknown = t->log[i].unknown;
        pf_str path = names_logs(run) ? t->log[i].path : (pf_str){"", 0};
        if (unknown) {
            pf_aiu_log(run, "WARNING",
                       "UTL: Found %llu Events without a matching kernel category%s%.*s and accounted for 'other'",
                       (unsigned long long)unknown, path.len ? " in " : "", (int)path.len, path.ptr);
        }
    }
}

/* A line for each rank, over all its tables. */
static pf_status report(aiu_run *run)
{
    const aiu_tables *t = run->tables;
    aiu_use *all = pf_pass_alloc(run->ctx, (size_t)run->ranks.count + 1, sizeof *all, &run->error);
    if (!all) {
        return run->error.code;
    }
    for (uint32_t i = 0; i < t->use_count; i++) {
        aiu_use *u = &all[t->use[i].rank];
        u->rank = t->use[i].rank;
        u->busy_time += t->use[i].busy_time;
        u->busy_ideal += t->use[i].busy_ideal;
        u->idle_time += t->use[i].idle_time;
    }
    for (uint32_t r = 0; r < run->ranks.count; r++) {
        if (all[r].busy_time + all[r].idle_time > 0) {
            report_use(run, &all[r]);
        }
    }
    report_unknown(run);
    if (run->overfull) {
        pf_aiu_log(run, "WARNING", "UTL: %llu kernels took less than their ideal cycles; they are drawn as 101 percent",
                   (unsigned long long)run->overfull);
    }
    return PF_OK;
}

/* Jobs of the autopilot count once in the table of categories. */
static pf_status account_jobs(aiu_run *run, const aiu_whole *jobs, uint32_t count, const uint32_t *choice)
{
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < count && st == PF_OK; i++) {
        const aiu_table *t = &run->tables->table[choice[i]];
        const aiu_ideal *ideal = pf_aiu_find_ideal(t, run->tables->total);
        st = t->autopilot ? account(run, jobs[i].rank, choice[i], ideal, jobs[i].ideal, jobs[i].time) : PF_OK;
    }
    return st;
}

pf_status pf_aiu_use_cores(aiu_run *run)
{
    aiu_kernel_list k = {.count = 0};
    if (!run->tables || run->tables->count == 0) {
        return PF_OK;
    }
    if (run->set.compat != AIU_WANT) {
        return pf_aiu_use_cores_compat(run);
    }
    run->category = pf_pass_alloc(run->ctx, (size_t)run->events.count + 1, sizeof *run->category, &run->error);
    run->category_count = run->category ? run->events.count : 0;
    pf_status st = run->category ? pf_aiu_list_kernels(run, &k) : run->error.code;
    uint32_t *choice = st == PF_OK ? pf_pass_alloc(run->ctx, (size_t)k.jobs + 1, sizeof *choice, &run->error) : NULL;
    if (!choice) {
        return run->error.code;
    }
    st = pf_aiu_choose_tables(run, &k, choice);
    aiu_whole *jobs = st == PF_OK ? pf_aiu_whole_jobs(run, &k, choice) : NULL;
    st = jobs ? PF_OK : run->error.code;
    for (uint32_t i = 0; i < k.count && st == PF_OK; i++) {
        st = take_kernel(run, k.event[i], k.name[i], choice[k.job[i]], &jobs[k.job[i]]);
    }
    if (st == PF_OK) {
        st = account_jobs(run, jobs, k.jobs, choice);
    }
    st = st == PF_OK ? pf_aiu_draw_jobs(run, jobs, k.jobs, choice) : st;
    return st == PF_OK ? report(run) : st;
}
