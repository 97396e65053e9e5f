/* analyze/aiu/partial/aiu_partial.c - see aiu_partial.h.
 *
 * The tables may say anything: rows of inputs that no partial names are refused, a wrong number makes wrong numbers. */
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "analyze/aiu/ingest/aiu_ingest.h"
#include "analyze/aiu/partial/aiu_partial.h"
#include "analyze/pass/partials.h"
#include "analyze/scheduler/thread_windows.h"
#include "analyze/support/pass_tables.h"
#include "base/files/folders.h"
#include "base/ordering.h"
#include "model/args/arg_columns.h"
#include "postfetto/side_table.h"
#include "postfetto/write.h"

#define INT PF_INT_COLUMN
#define TEXT PF_TEXT_COLUMN

static const pf_pass_table inputs_table =
    PF_PASS_TABLE("aiu_part_inputs", "an input", TEXT("input"), TEXT("hash"), INT("torch", ""), INT("ignored", ""),
                  INT("has_rank", ""), INT("rank", ""), INT("of_gpu", ""), INT("start", "ns"), INT("shared", ""),
                  INT("failed", ""), INT("lacking", ""), INT("unmatched", ""));
static const pf_pass_table events_table = PF_PASS_TABLE(
    "aiu_part_events", "an event", TEXT("input"), INT("phase", ""), INT("flags", ""), INT("ts", "ns"),
    INT("length", "ns"), TEXT("name"), TEXT("cat"), INT("pid", ""), TEXT("pid_text"), INT("tid", ""), TEXT("tid_text"),
    INT("ts1", ""), INT("ts2", ""), INT("ts3", ""), INT("ts4", ""), INT("ts5", ""), INT("power", ""), INT("bytes", ""),
    TEXT("coll_group"), TEXT("peer"), TEXT("peers"), TEXT("type"), INT("flow", ""), INT("launch", ""),
    INT("launch_uint", ""), INT("fn_idx", ""), PF_REAL_COLUMN("speed", -1, "GB/s"));

typedef struct input_rows {
    uint32_t count;
    const uint32_t *path, *hash;
    const int64_t *torch, *ignored, *has_rank, *rank, *of_gpu, *start, *shared, *failed, *lacking, *unmatched;
} input_rows;

#define INPUT(member, column) PF_SIDE_MEMBER(input_rows, member, column)
static const pf_side_binding of_input[] = {
    INPUT(path, "input"),        INPUT(hash, "hash"),     INPUT(torch, "torch"),     INPUT(ignored, "ignored"),
    INPUT(has_rank, "has_rank"), INPUT(rank, "rank"),     INPUT(of_gpu, "of_gpu"),   INPUT(start, "start"),
    INPUT(shared, "shared"),     INPUT(failed, "failed"), INPUT(lacking, "lacking"), INPUT(unmatched, "unmatched")};
#define EVENT(member, column) PF_SIDE_MEMBER(aiu_parts, member, column)
static const pf_side_binding of_event[] = {EVENT(input, "input"),
                                           EVENT(phase, "phase"),
                                           EVENT(flags, "flags"),
                                           EVENT(ts, "ts"),
                                           EVENT(length, "length"),
                                           EVENT(name, "name"),
                                           EVENT(cat, "cat"),
                                           EVENT(pid, "pid"),
                                           EVENT(pid_text, "pid_text"),
                                           EVENT(tid, "tid"),
                                           EVENT(tid_text, "tid_text"),
                                           EVENT(tsx[0], "ts1"),
                                           EVENT(tsx[1], "ts2"),
                                           EVENT(tsx[2], "ts3"),
                                           EVENT(tsx[3], "ts4"),
                                           EVENT(tsx[4], "ts5"),
                                           EVENT(power, "power"),
                                           EVENT(bytes, "bytes"),
                                           EVENT(group, "coll_group"),
                                           EVENT(peer, "peer"),
                                           EVENT(peers, "peers"),
                                           EVENT(type, "type"),
                                           EVENT(flow, "flow"),
                                           EVENT(launch, "launch"),
                                           EVENT(launch_uint, "launch_uint"),
                                           EVENT(index, "fn_idx"),
                                           EVENT(speed, "speed")};

/* ---- writing ----------------------------------------------------------------------------------------------------- */

pf_status pf_aiu_parts_refuse(aiu_run *run)
{
    static const unsigned whole[] = {AIU_OPT_INPUT,  AIU_OPT_COMPILER_LOG, AIU_OPT_FILTER, AIU_OPT_PROFILE,
                                     AIU_OPT_COMPAT, AIU_OPT_INTERMEDIATE, AIU_OPT_VERIFY, AIU_OPT_TB};
    const pf_pass_context *ctx = run->ctx;
    const char *what = NULL;
    if (run->keeps && (ctx->output || !ctx->skip_tables || !ctx->skip_figures)) {
        return pf_fail(&run->error, PF_ERR_USAGE,
                       "--partial of aiu is all that is written; leave out what else is asked for (-o, --report, "
                       "--tables, --table, --html, --json, --fail-if)");
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        what = ctx->values[whole[i]].set ? pf_findings_format(run->findings, "--%s", pf_aiu_options[whole[i]].name).ptr
                                         : what;
    }
    for (size_t i = 0; ctx->stages && i < ACELYZER_STAGES; i++) {
        what = ctx->stages[i] ? what : "--skip-stage";
    }
    what = run->set.overlap == AIU_OVERLAP_DROP ? "--overlap drop" : what;
    what = ctx->values[AIU_OPT_LOG_LEVEL].set && ctx->values[AIU_OPT_LOG_LEVEL].i >= 2 ? "--loglevel 2" : what;
    return what ? pf_fail(&run->error, PF_ERR_USAGE,
                          "--partial cannot go with %s, which needs more of the traces than a partial has", what)
                : PF_OK;
}

static pf_status refuse_events(aiu_run *run)
{
    const aiu_events *v = &run->events;
    pf_schedule schedule = {.f = NULL};
    if (run->parts) {
        return run->error.code;
    }
    pf_schedule_read(run->trace, run->findings, run->ctx->arena, &schedule, &run->error);
    const char *what = schedule.states.count ? "a recording of the scheduler" : NULL;
    for (uint32_t e = 0; e < v->count; e++) {
        what = v->flags[e] & AIU_NO_TIME && v->phase[e] != 'M' ? "an event without a time" : what;
    }
    if (what && !pf_aiu_failed(run)) {
        pf_fail(&run->error, PF_ERR_INPUT,
                "has %s, of which a partial does not have all that 'analyze aiu' says; give it all files at once",
                what);
    }
    return run->error.code;
}

static const char *path_of(const aiu_run *run, uint32_t job)
{
    return run->parts ? run->parts->path[job] : pf_trace_input(run->trace, run->jobs[job].input)->path;
}

static pf_cell hash_cell(aiu_run *run, uint32_t job)
{
    char hash[33];
    if (run->parts) {
        return pf_cell_text(run->parts->hash[job]);
    }
    pf_trace_hash_input(run->trace, run->jobs[job].input, hash);
    return pf_cell_text(pf_findings_format(run->findings, "%s", hash));
}

static pf_table_builder *make(const aiu_run *run, const pf_pass_table *t)
{
    return pf_table_new_named(run->findings, t->name, pf_str_of(t->help), t->columns, t->column_count);
}

/* Counts are those of all inputs of the partial, with the first one. */
static void add_inputs(aiu_run *run)
{
    pf_table_builder *t = make(run, &inputs_table);
    int64_t start, end;
    bool known = run->parts ? run->events.count > 0 : pf_trace_events(run->trace)->count > 0;
    pf_trace_bounds(run->trace, &start, &end);
    start = run->parts ? run->parts->start : start;
    for (uint32_t j = 0; j < run->job_count; j++) {
        const aiu_job *job = &run->jobs[j];
        const aiu_odd_events odd = j == 0 ? run->odd : (aiu_odd_events){0};
        PF_TABLE_ROW(run->findings, t, pf_cell_text(pf_str_of(path_of(run, j))), hash_cell(run, j),
                     pf_cell_int(job->torch), pf_cell_int(job->ignored), pf_cell_int(job->has_rank),
                     pf_cell_int_if(job->torch, job->rank), pf_cell_int(run->of_gpu && j == 0),
                     pf_cell_int_if(known && j == 0, start), pf_cell_count(odd.shared), pf_cell_count(odd.failed),
                     pf_cell_count(odd.lacking), pf_cell_count(odd.unmatched));
    }
}

static pf_cell text_cell(const aiu_run *run, uint32_t text)
{
    return text ? pf_cell_text(pf_aiu_text_of(run, text)) : pf_cell_text((pf_str){NULL, 0});
}

/* An id that is a text, after a letter that says whether it is written as a number. */
static pf_cell id_text(const aiu_run *run, int64_t id)
{
    if (id == AIU_ID_NONE || pf_aiu_is_number(id)) {
        return pf_cell_text((pf_str){NULL, 0});
    }
    pf_str text = pf_aiu_text_of(run, (uint32_t)id);
    return pf_cell_text(pf_findings_format(run->findings, "%c%.*s", id & AIU_ID_NUMBER ? 'n' : 't', PF_TEXT_ARG(text)));
}

static int64_t length_of(const aiu_run *run, uint32_t e)
{
    return run->parts ? run->parts->length[run->events.row[e]] : run->lengths[e];
}

static int64_t time_of(const aiu_run *run, uint32_t row)
{
    const pf_events *in = pf_trace_events(run->trace);
    return run->parts ? run->parts->ts[row] : in->phase[row] & PF_PHASE_BAD_TS ? 0 : in->ts[row];
}

static pf_cell argument(const pf_arg_columns *c, unsigned key, uint32_t row)
{
    const pf_arg_column *column = c ? pf_arg_column_at(c, key) : NULL;
    bool there = column && pf_arg_has(column, row);
    return key == AIU_PART_SPEED ? pf_cell_real_if(there, there ? column->values.d[row] : 0)
                                 : pf_cell_int_if(there, there ? column->values.i[row] : 0);
}

static void add_event(aiu_run *run, pf_table_builder *t, uint32_t e, const pf_arg_columns *c, uint32_t row)
{
    const aiu_events *v = &run->events;
    bool flow = v->phase[e] == 's' || v->phase[e] == 't' || v->phase[e] == 'f';
    PF_TABLE_ROW(
        run->findings, t, pf_cell_text(pf_str_of(path_of(run, v->job[e]))), pf_cell_int(v->phase[e]),
        pf_cell_int(v->flags[e]), pf_cell_int(time_of(run, v->row[e])), pf_cell_int(length_of(run, e)),
        text_cell(run, v->name[e]), text_cell(run, v->cat[e]), pf_cell_int_if(pf_aiu_is_number(v->pid[e]), v->pid[e]),
        id_text(run, v->pid[e]), pf_cell_int_if(pf_aiu_is_number(v->tid[e]), v->tid[e]), id_text(run, v->tid[e]),
        pf_cell_int(v->tsx[0][e]), pf_cell_int(v->tsx[1][e]), pf_cell_int(v->tsx[2][e]), pf_cell_int(v->tsx[3][e]),
        pf_cell_int(v->tsx[4][e]), pf_cell_int(v->power[e]), pf_cell_int((int64_t)v->bytes[e]),
        text_cell(run, v->group[e]), text_cell(run, v->peer[e]), text_cell(run, v->peers[e]),
        text_cell(run, v->type[e]), pf_cell_int_if(flow, flow ? pf_aiu_flow_id(run, e) : 0),
        argument(c, AIU_PART_LAUNCH, row), argument(c, AIU_PART_LAUNCH_UINT, row), argument(c, AIU_PART_FN_IDX, row),
        argument(c, AIU_PART_SPEED, row));
}

static bool is_recorded(aiu_run *run, uint32_t e)
{
    return run->events.row[e] != PF_NONE;
}

pf_status pf_aiu_add_parts(aiu_run *run)
{
    PF_TRY(refuse_events(run));
    add_inputs(run);
    pf_table_builder *t = make(run, &events_table);
    aiu_rows all = pf_aiu_rows_by(run, pf_aiu_rows(run, is_recorded), run->events.job, run->job_count);
    pf_arg_columns *c = pf_aiu_arguments(run, all, pf_aiu_part_arguments, AIU_PART_ARGUMENTS);
    for (uint32_t i = 0; i < all.count && !pf_aiu_failed(run); i++) {
        add_event(run, t, all.list[i], c, i);
    }
    pf_arg_columns_free(c);
    return pf_aiu_failed(run) ? run->error.code : pf_findings_status(run->findings, &run->error);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static pf_status broken(aiu_run *run, const char *table)
{
    return pf_partials_broken(table, &run->error);
}

typedef struct named_input {
    const char *path;
    uint32_t row;
} named_input;

PF_ORDER(by_path, named_input, strcmp(x->path, y->path));

/* The inputs as jobs, by their paths. */
static pf_status read_inputs(aiu_run *run, aiu_parts *p, pf_map *job_of)
{
    const pf_side_table *s;
    input_rows in;
    PF_TRY(pf_partials_table(run->trace, &inputs_table, &s, &run->error));
    PF_TRY(pf_side_bind(s, of_input, sizeof of_input / sizeof *of_input, &in, &run->error));
    PF_TRY(in.count ? PF_OK : broken(run, inputs_table.name));
    named_input *list = pf_aiu_alloc(run, in.count, sizeof *list);
    run->jobs = pf_aiu_alloc(run, in.count, sizeof *run->jobs);
    p->path = pf_aiu_alloc(run, in.count, sizeof *p->path);
    p->hash = pf_aiu_alloc(run, in.count, sizeof *p->hash);
    PF_TRY(run->error.code);
    for (uint32_t i = 0; i < in.count; i++) {
        pf_str path = pf_trace_string(run->trace, in.path[i]);
        PF_TRY(path.ptr && strlen(path.ptr) == path.len ? PF_OK : broken(run, inputs_table.name));
        list[i] = (named_input){path.ptr, i};
    }
    qsort(list, in.count, sizeof *list, by_path);
    bool known = false;
    for (uint32_t j = 0; j < in.count; j++) {
        uint32_t i = list[j].row;
        if (j && by_path(&list[j - 1], &list[j]) == 0) {
            return pf_fail(&run->error, PF_ERR_INPUT, "'%s' is in two of the partials; each input counts once",
                           list[j].path);
        }
        run->jobs[j] = (aiu_job){.input = j,
                                 .name = pf_str_of(pf_path_name(list[j].path)),
                                 .torch = in.torch[i] == 1,
                                 .ignored = in.ignored[i] == 1,
                                 .has_rank = in.has_rank[i] == 1,
                                 .json = true,
                                 .begun = false,
                                 .rank = in.torch[i] == 1 ? in.rank[i] : 0};
        if (run->jobs[j].ignored) {
            pf_aiu_log_ignored(run, &run->jobs[j]);
        }
        run->any_torch |= run->jobs[j].torch;
        run->any_flex |= !run->jobs[j].torch;
        run->of_gpu |= in.of_gpu[i] == 1;
        p->path[j] = list[j].path;
        p->hash[j] = pf_trace_string(run->trace, in.hash[i]);
        if (in.start[i] != INT64_MIN && (!known || in.start[i] < p->start)) {
            p->start = in.start[i];
            known = true;
        }
        run->odd.shared += (uint64_t)in.shared[i];
        run->odd.failed += (uint64_t)in.failed[i];
        run->odd.lacking += (uint64_t)in.lacking[i];
        run->odd.unmatched += (uint64_t)in.unmatched[i];
        pf_aiu_map(run, job_of, in.path[i], j);
    }
    run->job_count = in.count;
    return run->error.code;
}

/* The rows of a job follow each other. */
static pf_status place_rows(aiu_run *run, aiu_parts *p, const pf_map *job_of)
{
    p->first = pf_aiu_alloc(run, run->job_count, sizeof *p->first);
    p->end = pf_aiu_alloc(run, run->job_count, sizeof *p->end);
    PF_TRY(run->error.code);
    for (uint32_t row = 0, end; row < p->count; row = end) {
        uint32_t job = pf_map_get(job_of, p->input[row]);
        for (end = row + 1; end < p->count && p->input[end] == p->input[row];) {
            end++;
        }
        PF_TRY(job < run->job_count && p->end[job] == 0 ? PF_OK : broken(run, events_table.name));
        p->first[job] = row;
        p->end[job] = end;
    }
    return PF_OK;
}

pf_status pf_aiu_read_parts(aiu_run *run)
{
    const pf_side_table *s;
    aiu_parts *p = pf_aiu_alloc(run, 1, sizeof *p);
    pf_map *job_of = pf_aiu_kept_map(run);
    PF_TRY(run->error.code);
    PF_TRY(read_inputs(run, p, job_of));
    PF_TRY(pf_partials_table(run->trace, &events_table, &s, &run->error));
    PF_TRY(pf_side_bind(s, of_event, sizeof of_event / sizeof *of_event, p, &run->error));
    run->parts = p;
    return place_rows(run, p, job_of);
}
