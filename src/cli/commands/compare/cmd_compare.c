/* cli/commands/compare/cmd_compare.c - `postfetto compare A B`: what got slower from one run, or group of runs, to
 * another.
 *
 * A trace is freed as soon as its calls are known, so that a group costs what its largest trace costs; only for the
 * enriched trace the first of each side is kept.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/compare/compare.h"
#include "analyze/gpu/gpu_pass.h"
#include "base/text/number.h"
#include "cli/commands/pass_outputs.h"
#include "cli/run/damage.h"
#include "cli/run/run.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/text.h"
#include "cli/thresholds/thresholds.h"
#include "model/trace/holdings.h"

#define AT(field) offsetof(pf_cli_settings, field)
static const pf_option options[] = {
    {"base", 0, PF_OPTION_PATH, AT(base), "FILE", NULL, "the first operand",
     "a run to compare with; repeatable, patterns (\"base_*.json\") name several", NULL, NULL, NULL,
     PF_OPTION_REPEATABLE},
    {"new", 0, PF_OPTION_PATH, AT(now), "FILE", NULL, "the second operand", "a run to judge; likewise", NULL, NULL,
     NULL, PF_OPTION_REPEATABLE},
    {"names", 0, PF_OPTION_CHOICE, AT(names), "RULE", "usual|exact|folded", "usual",
     "which names are one row: usual takes numbers after '#', a number as the last word and 0x... as *; folded every "
     "number; exact none",
     NULL, NULL, NULL, 0},
    {"by", 0, PF_OPTION_SET, AT(by), "PARTS", "process|stream|category|shape", "the name alone",
     "what else makes a row of its own, separated by commas", NULL, NULL, NULL, 0},
    {"anchor", 0, PF_OPTION_TEXT, AT(anchor), "NAME", NULL, "ProfilerStep#*, if there are any",
     "slices of this name begin iterations", NULL, NULL, NULL, 0},
    {"gate", 0, PF_OPTION_SET, AT(gate), "PARTS", "device|step|host|all|names",
     "device,step where both runs have device events, else all",
     "the verdicts that the exit code follows, separated by commas: busy time of devices per step, median period of "
     "steps, self times of host slices, of all slices, every row",
     NULL, NULL, NULL, 0},
    {"tolerance", 0, PF_OPTION_TEXT, AT(tolerance), "PERCENT", NULL, "1", "changes up to this are none", NULL, NULL,
     NULL, 0},
    {"seed", 0, PF_OPTION_INT, AT(seed), "N", NULL, "1", "of the random draws", NULL, NULL, "0..", 0},
    {"rows", 0, PF_OPTION_INT, AT(top), "N", NULL, "20", "rows of the table; JSON, CSV and Markdown have all", NULL,
     NULL, "1..", 0},
    {"format", 0, PF_OPTION_CHOICE, AT(format), "FORM", "table|json|csv|markdown", "table", "of standard output", NULL,
     NULL, NULL, 0},
    {"json", 0, PF_OPTION_FLAG, AT(json), NULL, NULL, NULL, "the same as --format json", NULL, NULL, NULL, 0},
    {"report", 0, PF_OPTION_PATH, AT(report), "DIR", NULL, "none",
     "write compare.json, compare.csv and compare.md into this folder", NULL, NULL, NULL, 0},
    {"output", 'o', PF_OPTION_PATH, AT(out), "ENRICHED", NULL, "none",
     "write the new run with what got slower marked and the base below it (.pftrace)", NULL, NULL, NULL, 0},
    PF_CLI_THRESHOLD_OPTIONS};

typedef struct paths {
    char **path;
    size_t count;
} paths;

typedef struct job {
    pf_cli_run *run;
    compare c;
    paths base, now;
    compare_side base_side, now_side;
    compare_result result;
    pf_trace *base_trace, *now_trace; /* of the first files, where they are drawn */
    pf_time_unit unit;
    pf_cli_thresholds thresholds;
} job;

/* ---- files ------------------------------------------------------------------------------------------------------- */

static bool add_path(paths *p, const char *path)
{
    char **grown = realloc(p->path, (p->count + 1) * sizeof *grown);
    if (!grown) {
        return false;
    }
    p->path = grown;
    p->path[p->count] = strdup(path);
    return p->path[p->count] && ++p->count;
}

/* A path, or the files that a pattern fits where there is no file of that name. */
static bool add_pattern(paths *p, const char *text)
{
    struct stat sb;
    glob_t found;
    if (strcmp(text, "-") == 0 || stat(text, &sb) == 0 || !strpbrk(text, "*?[") || glob(text, 0, NULL, &found) != 0) {
        return add_path(p, text);
    }
    bool fine = true;
    for (size_t i = 0; fine && i < found.gl_pathc; i++) {
        fine = add_path(p, found.gl_pathv[i]);
    }
    globfree(&found);
    return fine;
}

static void free_paths(paths *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->path[i]);
    }
    free(p->path);
}

static int out_of_memory(pf_cli_run *run)
{
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_fail(&err, PF_ERR_MEMORY, "the system refused memory for the comparison");
    return pf_cli_report(run, NULL, &err);
}

static int find_files(job *j)
{
    pf_cli_run *run = j->run;
    const pf_option_value *base = &run->set.base, *now = &run->set.now;
    size_t expected = (base->count == 0) + (now->count == 0);
    if (run->operand_count != expected) {
        return pf_cli_usage(run,
                            "takes two runs, A and B, or groups of runs as --base FILE and --new FILE; see postfetto "
                            "compare --help");
    }
    bool fine = true;
    for (size_t i = 0; fine && i < base->count; i++) {
        fine = add_pattern(&j->base, base->all[i].s.ptr);
    }
    for (size_t i = 0; fine && i < now->count; i++) {
        fine = add_pattern(&j->now, now->all[i].s.ptr);
    }
    size_t at = 0;
    fine = fine && (base->count > 0 || add_path(&j->base, run->operands[at++]));
    fine = fine && (now->count > 0 || add_path(&j->now, run->operands[at]));
    return fine ? PF_CLI_DONE : out_of_memory(run);
}

/* A run without calls. */
static pf_status refuse_empty(const char *path, const pf_trace *t, const char *side, pf_error *err)
{
    pf_buffer holds = {0};
    pf_trace_put_holdings(t, &holds);
    pf_status st = pf_fail(err, PF_ERR_INPUT, "nothing of kind slice with a length in %.300s (%s); it holds %.*s", path,
                           side, (int)holds.len, holds.data ? holds.data : "");
    pf_buffer_free(&holds);
    return st;
}

static int read_file(job *j, const char *path, compare_calls *calls, pf_trace **keep, const char *side)
{
    pf_cli_run *run = j->run;
    pf_trace *t = NULL;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    uint32_t want = PF_WANT_EVENTS | PF_WANT_SLICES | PF_WANT_ARGS;
    want |= keep ? PF_WANT_ALL : 0;
    want |= keep && run->set.out ? PF_CLI_WANT_TO_WRITE : 0;
    pf_status st = pf_cli_read_trace(run, &path, 1, want, &pf_pass_gpu.roles[0], &t, &err);
    if (st == PF_OK) {
        run->trace = t;
        pf_cli_warn_of_damage(run);
        run->trace = NULL;
        if (j->base_side.count + j->now_side.count > 0 && pf_trace_time_unit(t) != j->unit) {
            st = pf_fail(&err, PF_ERR_INPUT, "counts in %s, but the runs before it in %s; compare runs of one unit",
                         j->unit == PF_UNIT_NS ? "cycles" : "nanoseconds",
                         j->unit == PF_UNIT_NS ? "nanoseconds" : "cycles");
        }
        j->unit = pf_trace_time_unit(t);
    }
    st = st == PF_OK ? pf_compare_read(&j->c, t, calls, &err) : st;
    if (st == PF_OK && calls->count == 0) {
        st = refuse_empty(path, t, side, &err);
    }
    if (st == PF_OK && run->set.anchor && calls->iterations == 0) {
        st = pf_fail(&err, PF_ERR_INPUT,
                     "no slice is called '%.200s', so that --anchor finds no iterations; 'postfetto info' lists names",
                     run->set.anchor);
    }
    if (st == PF_OK && calls->open > 0) {
        pf_cli_note(run, path, "warning: %llu slices have no end and are left out", (unsigned long long)calls->open);
    }
    if (keep && st == PF_OK) {
        *keep = t;
        return PF_CLI_DONE;
    }
    pf_cli_add_totals(&run->dropped, t);
    pf_trace_free(t);
    return st == PF_OK ? PF_CLI_DONE : pf_cli_report(run, path, &err);
}

static int read_side(job *j, const paths *p, compare_side *side, pf_trace **keep, const char *name)
{
    int code = PF_CLI_DONE;
    side->files = calloc(p->count + 1, sizeof *side->files);
    for (size_t i = 0; side->files && code == PF_CLI_DONE && i < p->count; i++) {
        bool wanted = i == 0 && (j->run->set.out || (keep == &j->now_trace && j->run->set.fail_if.count));
        code = read_file(j, p->path[i], &side->files[i], wanted ? keep : NULL, name);
        side->count += code == PF_CLI_DONE;
    }
    return side->files ? code : out_of_memory(j->run);
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

static int put_result(job *j)
{
    static const char *const forms[] = {"table", "csv", "markdown", "json"};
    pf_cli_run *run = j->run;
    const char *form = run->set.json ? "json" : run->set.format ? run->set.format : forms[0];
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    char *text = NULL;
    size_t len = 0;
    if (run->set.out && strcmp(run->set.out, "-") == 0) {
        return PF_CLI_DONE;
    }
    if (strcmp(form, "json") == 0) {
        return pf_cli_put_document(run, NULL, pf_compare_document(run->findings, &j->c, &j->result, j->unit));
    }
    bool table = strcmp(form, "table") == 0;
    const pf_table_builder *t = table ? pf_compare_short_table(run->findings, &j->c, &j->result, run->set.top)
                                      : pf_compare_table(run->findings, &j->c, &j->result);
    pf_status st = pf_findings_status(run->findings, &err);
    if (st == PF_OK) {
        st = strcmp(form, "csv") == 0 ? pf_format_csv(pf_table_view(t), NULL, &text, &len, &err)
                                      : pf_format_table(pf_table_view(t), !table, &text, &len, &err);
    }
    int code = st == PF_OK ? pf_cli_put(run, NULL, text, len) : pf_cli_report(run, NULL, &err);
    free(text);
    return code;
}

static int write_reports(job *j)
{
    pf_cli_run *run = j->run;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    if (!run->set.report) {
        return PF_CLI_DONE;
    }
    const pf_table_builder *t = pf_compare_table(run->findings, &j->c, &j->result);
    pf_findings_report_json(run->findings, PF_STR("compare.json"),
                            pf_compare_document(run->findings, &j->c, &j->result, j->unit), true);
    pf_findings_report_csv(run->findings, PF_STR("compare.csv"), t, true);
    pf_findings_add_report(run->findings,
                           &(pf_report){.file = PF_STR("compare.md"), .form = PF_REPORT_MARKDOWN, .table = t});
    pf_write_options o = pf_cli_write_options(run);
    pf_status st = pf_findings_status(run->findings, &err);
    st = st == PF_OK ? pf_write_reports(run->findings, run->set.report, &o, NULL, NULL, &err) : st;
    return st == PF_OK ? PF_CLI_DONE : pf_cli_report(run, run->set.report, &err);
}

static int write_trace(job *j)
{
    pf_cli_run *run = j->run;
    pf_trace *t = NULL;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    if (!run->set.out) {
        return PF_CLI_DONE;
    }
    pf_write_options o = pf_cli_write_options(run);
    size_t n = strlen(run->set.out);
    o.gzip = n > 3 && strcmp(run->set.out + n - 3, ".gz") == 0;
    pf_status st = pf_compare_draw(&j->c, &j->result, j->base_trace, j->now_trace, j->now_side.files[0].place,
                                   &run->set.limits, &t, &err);
    pf_cli_signals_hold(strcmp(run->set.out, "-") != 0);
    st = st == PF_OK ? pf_convert_pftrace(t, run->set.out, &o, &err) : st;
    pf_cli_signals_hold(false);
    pf_trace_free(t);
    return st == PF_OK ? PF_CLI_DONE : pf_cli_report(run, run->set.out, &err);
}

static void tell_interval(const compare_interval *i, int decimals)
{
    if (i->known) {
        fprintf(stderr, " (99 of 100: %+.*f to %+.*f %%)", decimals, (i->low - 1) * 100, decimals, (i->high - 1) * 100);
    }
}

/* The verdicts of GPU traces. */
static void tell_measures(const compare_result *r)
{
    for (unsigned k = 0; k < COMPARE_MEASURES && r->measure[COMPARE_OF_DEVICE].known; k++) {
        const compare_measure *m = &r->measure[k];
        if (m->known) {
            fprintf(stderr, "%s %s, %+.1f %%", pf_compare_measure_names[k], pf_compare_verdict_text(m->verdict),
                    (m->ratio - 1) * 100);
            tell_interval(&m->interval, 1);
            fputs("; ", stderr);
        }
    }
}

/* One line for people, on standard error. */
static void tell(job *j)
{
    const compare_result *r = &j->result;
    const compare_row *w = &r->whole;
    uint32_t count[6] = {0};
    for (uint32_t i = 0; i < r->count; i++) {
        count[r->rows[i].verdict]++;
    }
    if (count[COMPARE_NEW] + count[COMPARE_VANISHED] == r->count) {
        pf_cli_note(j->run, j->now.path[0],
                    "warning: no name is on both sides; the verdict is about the sums alone. Are these runs of one "
                    "program? --names folded takes numbers out of names");
    }
    if (j->run->set.quiet) {
        return;
    }
    fprintf(stderr, "%s: ", pf_compare_verdict_text(r->verdict));
    tell_measures(r);
    fprintf(stderr, "self time of all rows %+.2f %%", (w->ratio - 1) * 100);
    tell_interval(&w->interval, 2);
    fprintf(stderr, "; rows: %u slower, %u faster, %u same, %u unsure, %u new, %u vanished\n", count[COMPARE_SLOWER],
            count[COMPARE_FASTER], count[COMPARE_SAME], count[COMPARE_UNSURE], count[COMPARE_NEW],
            count[COMPARE_VANISHED]);
}

/* ---- thresholds -------------------------------------------------------------------------------------------------- */

/* Tries them before the work: SQL over the new run and the table compare_rows. */
static int try_thresholds(job *j)
{
    j->thresholds = pf_cli_thresholds_of(j->run);
    j->thresholds.stdout_is_data = true;
    j->thresholds.pass = &pf_compare_tables;
    return pf_cli_thresholds_try(j->run, &j->thresholds);
}

static int judge_thresholds(job *j)
{
    pf_cli_run *run = j->run;
    if (!run->set.fail_if.count) {
        return PF_CLI_DONE;
    }
    if (!pf_findings_table_named(run->findings, pf_compare_tables.tables[0].name)) {
        pf_compare_table(run->findings, &j->c, &j->result);
    }
    run->trace = j->now_trace;
    int code = pf_cli_thresholds_judge(run, &j->thresholds, j->now.path[0]);
    run->trace = NULL;
    return code;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int take_options(job *j, compare_options *o)
{
    const pf_cli_settings *set = &j->run->set;
    double percent = 1;
    const char *tolerance = set->tolerance;
    if (tolerance && (!pf_parse_real(tolerance, strlen(tolerance), &percent) || percent < 0 || percent > 1000)) {
        return pf_cli_usage(j->run, "--tolerance '%s' is no number of percent from 0 to 1000", tolerance);
    }
    const char *names = set->names ? set->names : "usual";
    *o = (compare_options){.names = names[0] == 'e'   ? COMPARE_NAMES_EXACT
                                    : names[0] == 'f' ? COMPARE_NAMES_FOLDED
                                                      : COMPARE_NAMES_USUAL,
                           .by = set->by,
                           .gate = set->gate,
                           .tolerance = percent / 100,
                           .seed = (uint64_t)set->seed,
                           .jobs = (unsigned)set->jobs};
    if (set->anchor) {
        o->anchor = (pf_str){set->anchor, strlen(set->anchor)};
    }
    return PF_CLI_DONE;
}

static int check_targets(job *j)
{
    int code = PF_CLI_DONE;
    const char *out = j->run->set.out;
    if (out) {
        pf_cli_make_report_folder(j->run);
        code = pf_cli_check_ending(j->run);
        code = code == PF_CLI_DONE ? pf_cli_check_output(j->run, (const char *const *)j->base.path, j->base.count, out)
                                   : code;
        code = code == PF_CLI_DONE ? pf_cli_check_output(j->run, (const char *const *)j->now.path, j->now.count, out)
                                   : code;
        code = code == PF_CLI_DONE ? pf_cli_check_binary(j->run, out, "the trace") : code;
    }
    return code == PF_CLI_DONE ? pf_cli_check_reading(j->run) : code;
}

/* What --gate names must be there. */
static int check_gate(job *j)
{
    static const char *const missing[] = {"has no device events", "has no steps (ProfilerStep#N, or --anchor NAME)",
                                          "has no slices of the host"};
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    for (unsigned k = 0; k < COMPARE_MEASURES; k++) {
        if (j->c.options.gate & (COMPARE_GATE_DEVICE << k) && !j->result.measure[k].known) {
            pf_fail(&err, PF_ERR_INPUT, "--gate %s: one of the runs %s; 'postfetto info' lists what they have",
                    pf_compare_measure_names[k], missing[k]);
            return pf_cli_report(j->run, j->now.path[0], &err);
        }
    }
    return PF_CLI_DONE;
}

static int compare_runs(job *j)
{
    pf_cli_run *run = j->run;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    int code = read_side(j, &j->base, &j->base_side, &j->base_trace, "the base");
    code = code == PF_CLI_DONE ? read_side(j, &j->now, &j->now_side, &j->now_trace, "the new run") : code;
    if (code != PF_CLI_DONE) {
        return code;
    }
    if (pf_compare_sides(&j->c, &j->base_side, &j->now_side, &j->result, &err) != PF_OK) {
        return pf_cli_report(run, NULL, &err);
    }
    code = check_gate(j);
    if (code != PF_CLI_DONE) {
        return code;
    }
    tell(j);
    run->findings = pf_findings_new(&run->set.limits);
    if (!run->findings) {
        return out_of_memory(run);
    }
    code = write_reports(j);
    code = code == PF_CLI_DONE ? write_trace(j) : code;
    code = code == PF_CLI_DONE ? put_result(j) : code;
    code = code == PF_CLI_DONE ? judge_thresholds(j) : code;
    return code == PF_CLI_DONE && j->result.verdict == COMPARE_SLOWER ? PF_CLI_FINDING : code;
}

static int compare_command(pf_cli_run *run)
{
    job j = {.run = run};
    compare_options o;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    int code = take_options(&j, &o);
    code = code == PF_CLI_DONE ? find_files(&j) : code;
    code = code == PF_CLI_DONE ? check_targets(&j) : code;
    code = code == PF_CLI_DONE ? try_thresholds(&j) : code;
    if (code == PF_CLI_DONE && pf_compare_begin(&j.c, &o, &run->set.limits, &err) != PF_OK) {
        code = pf_cli_report(run, NULL, &err);
    }
    code = code == PF_CLI_DONE ? compare_runs(&j) : code;
    pf_cli_add_totals(&run->dropped, j.base_trace);
    pf_cli_add_totals(&run->dropped, j.now_trace);
    pf_trace_free(j.base_trace);
    pf_trace_free(j.now_trace);
    pf_compare_end(&j.c);
    free(j.base_side.files);
    free(j.now_side.files);
    free_paths(&j.base);
    free_paths(&j.now);
    return code;
}

const pf_cli_command pf_cli_compare = {
    .name = "compare",
    .usage = "A B [options]",
    .draws = "compare",
    .summary = "say what got slower or faster from one run to another; 'compare ops' compares operators of a model",
    .examples = {"compare before.json after.json -o marked.pftrace",
                 "compare --base 'main_*.json' --new 'branch_*.json' --by stream --format markdown"},
    .description =
        "Slices of one name are a row, on the host and on devices two. Its ratio is the new total time over the "
        "base's; "
        "where a side has several files, of their means. Whether a row is slower is said by a bootstrap: 1000 seeded "
        "draws of calls (of iterations where both runs have three or more, of files where both sides have) give an "
        "interval that holds the ratio in 99 of 100 cases, widened where there are few of them.\n"
        "slower: the whole interval is above the tolerance; faster: below it; same: within it; unsure: anything else, "
        "also where there are fewer than three samples and a difference. Of GPU traces there are three verdicts more: "
        "device (busy time per step), step (median period), host (self times of host slices). The verdict of the "
        "whole is the worst of --gate (slower, unsure, same, faster); it is exit code 1 if slower. Files that say to "
        "be different ranks are one run.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = compare_command,
};
