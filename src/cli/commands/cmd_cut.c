/* cli/commands/cmd_cut.c - `postfetto cut IN -o OUT`: the part of a trace that lies in a window. */
#include <stdlib.h>

#include "base/budget.h"
#include "base/str.h"
#include "base/text/number.h"
#include "cli/common/redaction.h"
#include "cli/windows/windows.h"

typedef struct cut_settings {
    pf_cli_settings common;
    const char *from, *to;
    pf_option_value process, thread, track, category;
    pf_option_value drop_process, drop_thread, drop_track, drop_category;
    int64_t min_dur, pad;
    const char *slice;
    uint64_t step;
    bool slowest;
    char *window;           /* what the trace calls it; NULL: it has no name */
    pf_option_value passes; /* run->named has them */
    pf_cli_redact_settings redact;
} cut_settings;

#define AT(member) offsetof(cut_settings, member)
#define REPEATS .traits = PF_OPTION_REPEATABLE
static const pf_option options[] = {
    {"output", 'o', PF_OPTION_PATH, AT(common.out), "OUT", NULL, NULL,
     "the new trace (required); .gz compresses it, '-' is standard output"},
    {"from", 0, PF_OPTION_TEXT, AT(from), "TIME", NULL, "the start",
     "where the window begins: a time of the trace (1.5s, 1500000000), +2s from its start, -500ms from its end"},
    {"to", 0, PF_OPTION_TEXT, AT(to), "TIME", NULL, "the end", "where the window ends, likewise; it is not in it"},
    {"slice", 0, PF_OPTION_TEXT, AT(slice), "NAME[#K]", NULL, NULL,
     "the window is that of the slice with this name, or of the K-th one in order of time"},
    {"step", 0, PF_OPTION_INT, AT(step), "K", NULL, NULL,
     "the window is that of the K-th step or iteration, from 1 on, that --pass finds", .within = "1..",
     .also = "iteration"},
    {"slowest-step", 0, PF_OPTION_FLAG, AT(slowest), NULL, NULL, NULL,
     "the window is that of the step or iteration that took longest, warm-up apart, of those that --pass finds"},
    {"pass", 0, PF_OPTION_TEXT, AT(passes), "NAME", NULL, NULL,
     "the pass that says where steps are (gpu, aie, aiu); its options may follow", REPEATS},
    {"pad", 0, PF_OPTION_DURATION, AT(pad), "TIME", NULL, NULL, "widen the window of a slice or step on both sides"},
    {"process", 0, PF_OPTION_TEXT, AT(process), "P", NULL, "all",
     "keep processes with this pid or name (a pattern: * ? [a-z]); what belongs to none is left out", REPEATS},
    {"thread", 0, PF_OPTION_TEXT, AT(thread), "T", NULL, "all", "keep threads with this tid or name, likewise",
     REPEATS},
    {"track", 0, PF_OPTION_TEXT, AT(track), "PATTERN", NULL, "all",
     "keep tracks with such a name, those below one, and those of such threads", REPEATS},
    {"category", 0, PF_OPTION_TEXT, AT(category), "C", NULL, "all", "keep slices and instants of this category",
     REPEATS},
    {"drop-process", 0, PF_OPTION_TEXT, AT(drop_process), "P", NULL, NULL, "leave out such processes", REPEATS},
    {"drop-thread", 0, PF_OPTION_TEXT, AT(drop_thread), "T", NULL, NULL, "leave out such threads", REPEATS},
    {"drop-track", 0, PF_OPTION_TEXT, AT(drop_track), "PATTERN", NULL, NULL, "leave out such tracks", REPEATS},
    {"drop-category", 0, PF_OPTION_TEXT, AT(drop_category), "C", NULL, NULL, "leave out such slices and instants",
     REPEATS},
    {"min-dur", 0, PF_OPTION_DURATION, AT(min_dur), "TIME", NULL, NULL, "leave out slices that are shorter"},
    PF_CLI_REDACT_OPTIONS(cut_settings, redact),
    {"json", 0, PF_OPTION_FLAG, AT(common.json), NULL, NULL, NULL, "what was cut, as JSON on standard output"},
};

/* "NAME#3": the name, malloc'd, and 3; without a number 1. */
static char *split_name(const char *text, uint64_t *k)
{
    const char *mark = strrchr(text, '#');
    int64_t number;
    bool numbered = mark && pf_parse_int(mark + 1, strlen(mark + 1), &number) && number > 0 && pf_is_digit(mark[1]);
    *k = numbered ? (uint64_t)number : 1;
    return strndup(text, numbered ? (size_t)(mark - text) : strlen(text));
}

/* As far as times go. */
static int64_t moved(int64_t ts, int64_t by)
{
    int64_t sum;
    return __builtin_add_overflow(ts, by, &sum) ? (by < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* The k-th of the windows that the trace names (0: the slowest step), wider by --pad. */
static pf_status take_window(pf_cli_run *run, cut_settings *own, const char *name, uint64_t k, pf_cut_options *o)
{
    pf_cli_windows w;
    pf_status st = pf_cli_windows_find(run, name, &w);
    if (st == PF_OK && k == 0) {
        k = w.slowest + 1;
        st = k ? PF_OK : pf_cli_usage(run, "the pass finds no steps after its warm-up");
    }
    if (st == PF_OK && k > w.count) {
        st = pf_cli_usage(run, "--%s %s%llu: the last one of %s is %zu", name ? "slice" : "step", name ? "NAME#" : "",
                          (unsigned long long)k, run->operands[0], w.count);
    }
    if (st == PF_OK) {
        o->from = (pf_edit_time){PF_EDIT_TRACE_TIME, moved(w.list[k - 1].from, -own->pad)};
        o->to = (pf_edit_time){PF_EDIT_TRACE_TIME, moved(w.list[k - 1].to, own->pad)};
        own->window = w.list[k - 1].name ? strdup(w.list[k - 1].name) : NULL;
        st = own->window || !w.list[k - 1].name ? PF_OK : pf_no_memory(&run->err);
        run->set->dialect = pf_trace_dialect(run->trace); /* which says what times of JSON are */
    }
    pf_cli_windows_free(&w);
    pf_cli_add_totals(&run->dropped, run->trace);
    pf_trace_free(run->trace);
    run->trace = NULL;
    return st;
}

/* The window, from times or from what the trace itself names. */
static pf_status read_window(pf_cli_run *run, cut_settings *own, pf_cut_options *o)
{
    int said = (own->from || own->to) + (own->slice != NULL) + (own->step > 0) + own->slowest;
    if (!own->slice && !own->step && !own->slowest) {
        PF_TRY(own->pad || run->named_count ? pf_cli_usage(run, "--pad and --pass are for --slice and --step") : PF_OK);
        PF_TRY(pf_cli_edit_time(run, "from", own->from, &o->from));
        return pf_cli_edit_time(run, "to", own->to, &o->to);
    }
    if (said > 1) {
        return pf_cli_usage(run, "say the window once: --from and --to, --slice, --step or --slowest-step");
    }
    if (strcmp(run->operands[0], "-") == 0) {
        return pf_cli_usage(run, "standard input cannot be read twice, as --slice and --step have to; name a file");
    }
    if (own->step || own->slowest) {
        return take_window(run, own, NULL, own->step, o);
    }
    uint64_t k;
    char *name = split_name(own->slice, &k);
    PF_TRY(name ? PF_OK : pf_no_memory(&run->err));
    pf_status st = take_window(run, own, name, k, o);
    free(name);
    return st;
}

/* The values of a repeated option; to be freed. */
static pf_status list_texts(const pf_option_value *v, const char *const **texts, size_t *count, pf_error *err)
{
    const char **list = calloc(v->count + 1, sizeof *list);
    PF_TRY(list ? PF_OK : pf_no_memory(err));
    for (size_t i = 0; i < v->count; i++) {
        list[i] = v->all[i].s.ptr;
    }
    *texts = list;
    *count = v->count;
    return PF_OK;
}

static pf_status read_patterns(const pf_option_value *keep, const pf_option_value *drop, pf_edit_patterns *p,
                               pf_error *err)
{
    PF_TRY(list_texts(keep, &p->keep, &p->keep_count, err));
    return list_texts(drop, &p->drop, &p->drop_count, err);
}

static pf_status read_selection(const cut_settings *own, pf_cut_options *o, pf_error *err)
{
    o->min_dur = own->min_dur;
    PF_TRY(read_patterns(&own->process, &own->drop_process, &o->process, err));
    PF_TRY(read_patterns(&own->thread, &own->drop_thread, &o->thread, err));
    PF_TRY(read_patterns(&own->track, &own->drop_track, &o->track, err));
    return read_patterns(&own->category, &own->drop_category, &o->category, err);
}

static void free_selection(pf_cut_options *o)
{
    pf_edit_patterns *all[] = {&o->process, &o->thread, &o->track, &o->category};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free((void *)(uintptr_t)all[i]->keep);
        free((void *)(uintptr_t)all[i]->drop);
    }
}

/* Whether something may be left out. */
static bool narrows(const pf_cut_options *o)
{
    const pf_edit_patterns *const all[] = {&o->process, &o->thread, &o->track, &o->category};
    size_t patterns = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        patterns += all[i]->keep_count + all[i]->drop_count;
    }
    return patterns || o->min_dur || o->from.base != PF_EDIT_NO_TIME || o->to.base != PF_EDIT_NO_TIME;
}

static pf_status write_part(pf_cli_run *run, const pf_cut_options *asked, const pf_cli_redaction *redaction)
{
    const char *out = run->set->out;
    pf_read_options read = pf_cli_read_options(run, run->operands[0]);
    pf_write_options write = pf_cli_write_options(run);
    pf_cut_result r = {.size = sizeof r};
    pf_cut_options o = *asked;
    o.read = &read;
    o.write = &write;
    o.redact = redaction->asked;
    run->at = run->operands[0];
    pf_cli_signals_hold(!pf_outfile_is_stream(out));
    pf_status st = pf_cut(run->operands[0], out, &o, &r, &run->err);
    pf_cli_signals_hold(false);
    pf_cli_progress_clear(&run->progress);
    PF_TRY(pf_cli_usage_of(run, st));
    if (!r.timed && narrows(&o)) {
        pf_cli_note(run, out,
                    "warning: nothing of %s lies in the window and fits the selection; 'postfetto info' shows its "
                    "times, processes and names",
                    run->operands[0]);
    }
    return pf_cli_put_cut(run, &r, redaction, ((const cut_settings *)run->set)->window, 0);
}

static pf_status cut(pf_cli_run *run)
{
    cut_settings *own = (cut_settings *)run->set;
    const char *out = run->set->out;
    pf_cut_options o = pf_cut_options_default();
    if (run->operand_count != 1) {
        return pf_cli_usage(run, "%s; write postfetto cut IN -o OUT",
                            run->operand_count ? "takes one input" : "no input is named");
    }
    if (!out) {
        return pf_cli_usage(run, "-o OUT is missing; write postfetto cut IN -o OUT.pftrace");
    }
    if (run->set->json && pf_outfile_is_standard(out)) {
        return pf_cli_usage(run, "'-o %s' and --json both want standard output; name a file with -o", out);
    }
    const pf_cli_trace_format *format = pf_cli_format_of_path(out, strlen(out));
    bool trace = format && (format->write == pf_convert_pftrace || format->write == pf_convert_json);
    if (!pf_outfile_is_stream(out) && !trace) {
        return pf_cli_usage(run, "'%s': a cut is a trace; end it in .pftrace or .json, either with .gz", out);
    }
    PF_TRY(pf_cli_check_output(run, run->operands, 1, out));
    PF_TRY(pf_cli_check_binary(run, out, "the trace"));
    PF_TRY(read_window(run, own, &o));
    pf_cli_redaction redaction;
    pf_status st = pf_cli_redact(run, &own->redact, &redaction);
    st = st == PF_OK ? read_selection(own, &o, &run->err) : st;
    st = st == PF_OK ? write_part(run, &o, &redaction) : st;
    free_selection(&o);
    pf_cli_redaction_free(&redaction);
    free(own->window);
    return st;
}

const pf_cli_command pf_cli_cut = {
    .name = "cut",
    .usage = "IN -o OUT [options]",
    .summary = "take the part of a Perfetto trace that lies in a window of time",
    .examples = {"cut trace.pftrace -o part.pftrace --from +2s --to +3s",
                 "cut trace.pftrace.gz -o end.pftrace.gz --from -500ms --redact names,paths"},
    .description =
        "Original packets are kept as their bytes, with what they need to mean the same: interned names, defaults, "
        "clocks, descriptors of tracks, processes and threads. Slices that are open at the edges of the window begin "
        "and end there, with the arguments cut.begins_before or cut.ends_after and their original times; counters "
        "begin with their last value. With --redact strings become hashes: x and 12 digits; numbers and keys of "
        "arguments "
        "stay, and what is not understood is left out and counted. Memory holds the state of the trace, not the trace.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .settings_size = sizeof(cut_settings),
    .names_passes = true,
    .run = cut,
};
