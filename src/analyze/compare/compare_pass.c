/* analyze/compare/compare_pass.c - `compare A B`: the base and the new run, as a pass.
 *
 * Traces are read on request, the base's first, and closed as soon as their calls are known, so that a group costs what
 * its largest trace costs; only for the enriched trace the first of each side stays.
 */

#include "analyze/compare/compare.h"
#include "analyze/gpu/facts/gpu.h"
#include "analyze/pass/merge_rules.h"
#include "analyze/pass/partials.h"
#include "base/text/number.h"
#include "model/findings/findings.h"
#include "model/trace/trace.h"

enum {
    OPT_BASE,
    OPT_NEW,
    OPT_NAMES,
    OPT_BY,
    OPT_ANCHOR,
    OPT_GATE,
    OPT_TOLERANCE,
    OPT_SEED,
    OPT_REPORT,
    OPT_OUTPUT,
    OPT_PARTIAL,
    OPTIONS
};

/* In the order of the enumeration; choices in that of compare_names, COMPARE_BY_ and COMPARE_GATE_. */
static const pf_option options[OPTIONS] = {
    {"base", 0, PF_OPTION_PATH, 0, "FILE", NULL, "the first argument",
     "a run to compare with; repeatable, patterns (\"base_*.json\") and folders name several",
     .traits = PF_OPTION_REPEATABLE},
    {"new", 0, PF_OPTION_PATH, 0, "FILE", NULL, "the second argument", "a run to judge; likewise",
     .traits = PF_OPTION_REPEATABLE},
    {"names", 0, PF_OPTION_CHOICE, 0, "RULE", "usual|exact|folded", NULL,
     "which names are one row: usual takes numbers after '#', a number as the last word and 0x... as *; folded every "
     "number; exact none",
     "usual"},
    {"by", 0, PF_OPTION_SET, 0, "PARTS", "process|stream|category|shape", "the name alone",
     "what else makes a row of its own, separated by commas"},
    {"anchor", 0, PF_OPTION_TEXT, 0, "NAME", NULL, "ProfilerStep#*, if there are any",
     "slices of this name begin iterations"},
    {"gate", 0, PF_OPTION_SET, 0, "PARTS", "device|step|host|all|names",
     "device,step where both runs have device events, else all",
     "the verdicts that the exit code follows, separated by commas: busy time of devices per step, median period of "
     "steps, self times of host slices, of all slices, every row"},
    {"tolerance", 0, PF_OPTION_TEXT, 0, "PERCENT", NULL, NULL, "changes up to this are none", "1"},
    {"seed", 0, PF_OPTION_INT, 0, "N", NULL, NULL, "of the bootstrap", "1", .within = "0.."},
    {"report", 0, PF_OPTION_PATH, 0, "DIR", NULL, "none",
     "write compare.json, compare.csv and compare.md into this folder"},
    {"output", 'o', PF_OPTION_PATH, 0, "ENRICHED", NULL, "none",
     "write the new run with what got slower marked and the base below it (.pftrace)"},
    {"partial", 0, PF_OPTION_PATH, 0, "OUT.pfr", NULL, "none",
     "write the calls of the one trace that is named, which compares like the trace itself; nothing is compared"},
};

/* The new run is the main input: it is drawn into, and what thresholds ask. */
enum { ROLE_NEW, ROLE_BASE, SIDES };

static const pf_role roles[SIDES] = {
    [ROLE_NEW] = {.name = "new",
                  .kind = PF_ROLE_TRACES,
                  .least = 1,
                  .on_request = true,
                  .folders = true,
                  .want = PF_WANT_EVENTS | PF_WANT_SLICES | PF_WANT_ARGS,
                  .early_args = &pf_gpu_early_args,
                  .help = "the run to judge"},
    [ROLE_BASE] = {.name = "base",
                   .kind = PF_ROLE_TRACES,
                   .on_request = true,
                   .folders = true,
                   .want = PF_WANT_EVENTS | PF_WANT_SLICES | PF_WANT_ARGS,
                   .early_args = &pf_gpu_early_args,
                   .help = "the run to compare with"},
};

static bool read_percent(pf_str text, double *percent)
{
    return pf_parse_real(text.ptr, text.len, percent) && *percent >= 0 && *percent <= 1000;
}

/* The files of an option, or else the next operand. */
static pf_status gather_side(const pf_option_value *named, const char *const **operand, size_t role, pf_pass_inputs *in,
                             pf_error *err)
{
    if (named->count == 0) {
        return pf_pass_inputs_add(in, role, pf_str_of(*(*operand)++), err);
    }
    for (size_t i = 0; i < named->count; i++) {
        PF_TRY(pf_pass_inputs_add(in, role, named->all[i].s, err));
    }
    return PF_OK;
}

/* An operand stands for the side that no option names. */
static pf_status gather(const pf_option_value *values, const char *const *operands, size_t count, pf_pass_inputs *in,
                        pf_error *err)
{
    const pf_option_value *base = &values[OPT_BASE], *now = &values[OPT_NEW];
    double percent;
    if (!read_percent(values[OPT_TOLERANCE].s, &percent)) {
        return pf_fail(err, PF_ERR_USAGE, "--tolerance '%.300s' is not a percentage from 0 to 1000",
                       values[OPT_TOLERANCE].s.ptr);
    }
    if (values[OPT_PARTIAL].set) {
        PF_TRY(count == 1 && base->count + now->count == 0
                   ? PF_OK
                   : pf_fail(err, PF_ERR_USAGE,
                             "--partial is of one trace; write postfetto compare FILE --partial "
                             "OUT.pfr for each"));
        return pf_pass_inputs_add(in, ROLE_NEW, pf_str_of(operands[0]), err);
    }
    if (count != (size_t)(base->count == 0) + (now->count == 0)) {
        return pf_fail(err, PF_ERR_USAGE,
                       "takes two runs, A and B, or groups of runs as --base FILE and --new FILE; see postfetto "
                       "compare --help");
    }
    PF_TRY(gather_side(base, &operands, ROLE_BASE, in, err));
    return gather_side(now, &operands, ROLE_NEW, in, err);
}

typedef struct job {
    const pf_pass_context *ctx;
    pf_findings *f;
    compare c;
    compare_side side[SIDES];
    const pf_trace *first[SIDES]; /* where they are drawn */
    compare_result result;
    pf_time_unit unit;
    bool any; /* a file was read */
} job;

/* A run without calls. */
static pf_status refuse_empty(const char *path, const pf_trace *t, const char *side, pf_error *err)
{
    pf_buffer holds = {0};
    pf_trace_put_holdings(t, &holds);
    pf_status st = pf_fail(err, PF_ERR_INPUT, "no slice with a duration in %.300s (%s); it holds %.*s", path, side,
                           (int)holds.len, holds.data ? holds.data : "");
    pf_buffer_free(&holds);
    return st;
}

static pf_status take_calls(job *j, size_t role, const pf_pass_file *file, compare_calls *calls, pf_error *err)
{
    const pf_trace *t = file->trace;
    pf_str anchor = j->ctx->values[OPT_ANCHOR].s;
    bool partial = pf_compare_is_partial(t);
    PF_TRY(partial ? pf_compare_read_partial(&j->c, t, calls, err) : pf_compare_read(&j->c, t, calls, err));
    pf_time_unit unit = calls->in_cycles ? PF_UNIT_CYCLE : PF_UNIT_NS;
    if (partial && !j->ctx->skip_overlay) {
        return pf_fail(err, PF_ERR_USAGE, "is a partial, which cannot be drawn; give the traces to -o");
    }
    if (j->any && unit != j->unit) {
        return pf_fail(err, PF_ERR_INPUT, "counts in %s, but the runs before it in %s; compare runs of one unit",
                       unit == PF_UNIT_NS ? "nanoseconds" : "cycles", unit == PF_UNIT_NS ? "cycles" : "nanoseconds");
    }
    j->unit = unit;
    j->any = true;
    if (calls->count == 0) {
        return refuse_empty(file->path, t, role == ROLE_BASE ? "the base" : "the new run", err);
    }
    if (anchor.ptr && calls->iterations == 0) {
        return pf_fail(
            err, PF_ERR_INPUT,
            "no slice is called '%.200s', so that --anchor finds no iterations; 'postfetto info' lists names",
            anchor.ptr);
    }
    if (calls->open > 0) {
        pf_findings_show_about(j->f, file->path, PF_NOTICE, "%llu slices have no end and are left out",
                               (unsigned long long)calls->open);
    }
    return PF_OK;
}

static pf_status read_side(job *j, size_t role, pf_error *err)
{
    const pf_pass_context *ctx = j->ctx;
    compare_side *side = &j->side[role];
    size_t count = ctx->roles[role].count;
    PF_TRY(PF_ARENA_NEW(ctx->arena, side->files, count, err));
    for (; side->count < count; side->count++) {
        pf_pass_file file;
        size_t i = side->count;
        bool drawn = i == 0 && !ctx->skip_overlay;
        pf_status st = pf_pass_open(ctx, role, i, drawn ? PF_WANT_TABLES | PF_WANT_TO_WRITE : 0, &file, err);
        st = st == PF_OK ? take_calls(j, role, &file, &side->files[i], err) : st;
        if (drawn) {
            j->first[role] = file.trace;
        } else {
            pf_pass_close(ctx, role, i);
        }
        if (st != PF_OK) {
            pf_error_in(err, file.path);
            return st;
        }
    }
    return PF_OK;
}

/* What --gate names must be there. */
static pf_status check_gate(const job *j, pf_error *err)
{
    static const char *const missing[] = {"has no device events", "has no steps (ProfilerStep#N, or --anchor NAME)",
                                          "has no slices of the host"};
    for (unsigned k = 0; k < COMPARE_MEASURES; k++) {
        if (j->c.options.gate & (COMPARE_GATE_DEVICE << k) && !j->result.measure[k].known) {
            return pf_fail(err, PF_ERR_INPUT, "--gate %s: one of the runs %s; 'postfetto info' lists what they have",
                           pf_compare_measure_names[k], missing[k]);
        }
    }
    return PF_OK;
}

/* What there is to say besides the headline. */
static void tell(const job *j)
{
    const compare_result *r = &j->result;
    uint32_t count[6] = {0};
    for (uint32_t i = 0; i < r->count; i++) {
        count[r->rows[i].verdict]++;
    }
    if (count[COMPARE_NEW] + count[COMPARE_VANISHED] == r->count) {
        pf_findings_show_line(j->f, PF_NOTICE,
                              "no name is on both sides; the verdict is about the sums alone. Are these runs of one "
                              "program? --names folded takes numbers out of names");
    }
    pf_compare_headline(j->f, &j->c, r, j->unit);
    pf_compare_tell(j->f, &j->c, r, &j->side[ROLE_BASE], &j->side[ROLE_NEW], j->unit);
    pf_findings_show_line(j->f, PF_INFO,
                          "names by total time: %u slower, %u faster, %u same, %u unsure, %u new, %u vanished",
                          count[COMPARE_SLOWER], count[COMPARE_FASTER], count[COMPARE_SAME], count[COMPARE_UNSURE],
                          count[COMPARE_NEW], count[COMPARE_VANISHED]);
}

/* The columns that a terminal has room for; the place only where there are devices. */
#define FEW_COLUMNS "name,verdict,delta_ns,ratio,base_total_ns,new_total_ns,base_calls,new_calls,ratio_low,ratio_high"

static void report(job *j)
{
    const pf_pass_context *ctx = j->ctx;
    pf_findings *f = j->f;
    const pf_table_builder *all = pf_compare_table(f, &j->c, &j->result, j->unit);
    bool documented = !ctx->skip_summary || ctx->report_dir;
    const pf_node *document = documented ? pf_compare_document(f, &j->c, &j->result, j->unit) : NULL;
    pf_findings_set_summary(f, document);
    pf_findings_show_columns(f, all, j->result.has_devices ? "place," FEW_COLUMNS : FEW_COLUMNS);
    if (ctx->report_dir) {
        pf_findings_report_json(f, PF_STR("compare.json"), document, false);
        pf_findings_report_csv(f, PF_STR("compare.csv"), all, false);
        pf_findings_add_report(f, &(pf_report){.file = PF_STR("compare.md"), .form = PF_REPORT_MARKDOWN, .table = all});
    }
}

static pf_status draw(job *j, pf_error *err)
{
    pf_trace *t;
    compare_drawing d = {.c = &j->c,
                         .r = &j->result,
                         .base = j->first[ROLE_BASE],
                         .now = j->first[ROLE_NEW],
                         .base_calls = j->side[ROLE_BASE].files,
                         .now_calls = j->side[ROLE_NEW].files};
    PF_TRY(pf_compare_draw(&d, &j->c.budget.limits, &t, err));
    pf_findings_add_report(
        j->f, &(pf_report){.form = PF_REPORT_TRACE, .trace = t, .place = PF_PLACE_OUTPUT, .undrawn = true});
    return PF_OK;
}

/* The calls of one trace. */
static pf_status write_partial(job *j, pf_error *err)
{
    const pf_pass_context *ctx = j->ctx;
    compare_calls calls;
    pf_pass_file file;
    if (ctx->roles[ROLE_NEW].count != 1) {
        return pf_fail(err, PF_ERR_USAGE, "--partial is of one trace; write one for each");
    }
    PF_TRY(pf_pass_open(ctx, ROLE_NEW, 0, 0, &file, err));
    pf_status st = pf_partials_refuse(file.trace, err);
    st = st == PF_OK ? take_calls(j, ROLE_NEW, &file, &calls, err) : st;
    st = st == PF_OK ? pf_compare_add_parts(j->f, &j->c, &calls, file.trace, err) : st;
    pf_pass_close(ctx, ROLE_NEW, 0);
    pf_error_in(st == PF_OK ? NULL : err, file.path);
    return st;
}

static pf_status compare_runs(job *j, pf_error *err)
{
    const char *main_path = j->ctx->roles[ROLE_NEW].files[0].path;
    PF_TRY(read_side(j, ROLE_BASE, err));
    PF_TRY(read_side(j, ROLE_NEW, err));
    PF_TRY(pf_compare_sides(&j->c, &j->side[ROLE_BASE], &j->side[ROLE_NEW], &j->result, err));
    if (check_gate(j, err) != PF_OK) {
        pf_error_in(err, main_path);
        return err->code;
    }
    PF_TRY(pf_compare_sort_self(&j->c, &j->result, err));
    tell(j);
    report(j);
    if (!j->ctx->skip_overlay) {
        PF_TRY(draw(j, err));
    }
    if (j->result.verdict == COMPARE_SLOWER) {
        pf_findings_set_verdict(j->f, "%s", "");
    }
    return PF_OK;
}

static pf_status run(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    const pf_option_value *v = ctx->values;
    job j = {.ctx = ctx, .f = f};
    double percent = 1;
    read_percent(v[OPT_TOLERANCE].s, &percent);
    const compare_options o = {.names = (compare_names)v[OPT_NAMES].i,
                               .by = v[OPT_BY].u,
                               .gate = v[OPT_GATE].u,
                               .tolerance = percent / 100,
                               .seed = (uint64_t)v[OPT_SEED].i,
                               .jobs = ctx->jobs,
                               .anchor = v[OPT_ANCHOR].s};
    pf_status st = pf_compare_begin(&j.c, &o, &f->budget.limits, err);
    st = st != PF_OK ? st : v[OPT_PARTIAL].set ? write_partial(&j, err) : compare_runs(&j, err);
    pf_compare_end(&j.c);
    return st;
}

#define CALLS "compare_part_rows, compare_part_slices"
static const pf_merge_rule merge_rules[COMPARE_TABLES] = {
    [COMPARE_TABLE_ROWS] = {PF_MERGE_ANEW, CALLS, NULL},
    [COMPARE_TABLE_VERDICTS] = {PF_MERGE_ANEW,
                                "compare_part_file, " CALLS ", compare_part_steps, compare_part_operations", NULL},
    [COMPARE_TABLE_SELF] = {PF_MERGE_ANEW, CALLS, NULL},
    [COMPARE_TABLE_ITERATIONS] = {PF_MERGE_ANEW, "compare_part_iterations", NULL},
};
static const pf_pass_partials of_partials = {.rules = merge_rules};

const pf_pass pf_pass_compare = {
    .name = "compare",
    .summary = "what got slower or faster from one run to another",
    .options = options,
    .option_count = OPTIONS,
    .roles = roles,
    .role_count = SIDES,
    .tables = pf_compare_tables,
    .table_count = COMPARE_TABLES,
    .derives = true,
    .reports_on_request = true,
    .inputs = gather,
    .run = run,
    .partials = &of_partials,
};
