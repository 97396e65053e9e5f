/* cli/commands/cmd_split.c - `postfetto split IN -o DIR`: a trace as parts. */
#include "cli/common/redaction.h"
#include "cli/windows/windows.h"

typedef struct split_settings {
    pf_cli_settings common;
    int64_t every, parts; /* 0: not given */
    const char *by;
    bool gzip;
    pf_option_value passes; /* run->named has them */
    pf_cli_redact_settings redact;
} split_settings;

#define AT(member) offsetof(split_settings, member)
static const pf_option options[] = {
    {"output", 'o', PF_OPTION_PATH, AT(common.out), "DIR", NULL, NULL,
     "the folder of the parts and of index.json (required)"},
    {"every", 0, PF_OPTION_DURATION, AT(every), "TIME", NULL, NULL,
     "a part for each so long, from the start: 500ms, 2s"},
    {"parts", 0, PF_OPTION_INT, AT(parts), "N", NULL, NULL, "so many parts of one length", .within = "1..100000"},
    {"by", 0, PF_OPTION_CHOICE, AT(by), NULL, "step|process|slice", NULL,
     "a part for each step that --pass finds, for each process, or for each slice called NAME, the word after IN"},
    {"pass", 0, PF_OPTION_TEXT, AT(passes), "NAME", NULL, NULL,
     "the pass that says where steps are (gpu, aie, aiu); its options may follow", .traits = PF_OPTION_REPEATABLE},
    {"gzip", 0, PF_OPTION_FLAG, AT(gzip), NULL, NULL, NULL, "compress the parts; their names end in .gz"},
    PF_CLI_REDACT_OPTIONS(split_settings, redact),
    {"json", 0, PF_OPTION_FLAG, AT(common.json), NULL, NULL, NULL, "what was written, as JSON on standard output"},
};

/* Refuses what cannot be, before anything is read. *name: of the slices, or NULL. */
static pf_status check(pf_cli_run *run, const split_settings *own, const char **name)
{
    bool slices = own->by && strcmp(own->by, "slice") == 0;
    size_t wanted = slices ? 2 : 1;
    if (run->operand_count != wanted) {
        return pf_cli_usage(run, "%s; write postfetto split IN%s -o DIR",
                            run->operand_count < wanted
                                ? run->operand_count ? "the name of the slices is missing" : "no input is named"
                                : "takes one input",
                            slices ? " NAME --by slice" : "");
    }
    if (!run->set->out) {
        return pf_cli_usage(run, "-o DIR is missing; write postfetto split IN -o DIR");
    }
    if ((own->every != 0) + (own->parts != 0) + (own->by != NULL) != 1) {
        return pf_cli_usage(
            run, "say one of --every TIME, --parts N and --by step, process or slice; TIME is longer than 0");
    }
    if (pf_outfile_is_stream(run->set->out)) {
        return pf_cli_usage(run, "'-o %s': parts are files; name a folder for them", run->set->out);
    }
    if (run->named_count && !(own->by && strcmp(own->by, "process") != 0)) {
        return pf_cli_usage(run, "--pass is for --by step; leave it out");
    }
    *name = slices ? run->operands[1] : NULL;
    run->operand_count = 1;
    return PF_OK;
}

static pf_status write_parts(pf_cli_run *run, const pf_split_options *asked, const pf_cli_redaction *redaction)
{
    const char *path = run->operands[0];
    pf_read_options read = pf_cli_read_options(run, path);
    pf_write_options write = pf_cli_write_options(run);
    pf_split_result r = {.size = sizeof r};
    write.gzip = ((const split_settings *)run->set)->gzip;
    pf_split_options o = *asked;
    o.read = &read;
    o.write = &write;
    o.redact = redaction->asked;
    run->at = path;
    pf_cli_signals_hold(true);
    pf_status st = pf_split(path, run->set->out, &o, &r, &run->err);
    pf_cli_signals_hold(false);
    pf_cli_progress_clear(&run->progress);
    PF_TRY(pf_cli_usage_of(run, st));
    const pf_cut_result sum = {.from = INT64_MIN,
                               .to = INT64_MAX,
                               .packets = r.packets,
                               .kept = r.kept,
                               .changed = r.changed,
                               .added = r.added,
                               .begun = r.begun,
                               .ended = r.ended,
                               .bytes_in = r.bytes_in,
                               .input = r.input,
                               .redacted = r.redacted};
    return pf_cli_put_cut(run, &sum, redaction, NULL, r.parts);
}

static pf_status split(pf_cli_run *run)
{
    const split_settings *own = (const split_settings *)run->set;
    pf_split_options o = pf_split_options_default();
    pf_cli_windows windows = {0};
    const char *name = NULL;
    PF_TRY(check(run, own, &name));
    o.every = own->every;
    o.parts = (uint32_t)own->parts;
    o.by_process = own->by && strcmp(own->by, "process") == 0;
    pf_cli_redaction redaction;
    pf_status st = pf_cli_redact(run, &own->redact, &redaction);
    st = st == PF_OK && own->by && !o.by_process ? pf_cli_windows_find(run, name, &windows) : st;
    for (size_t i = 0; i < run->named_count; i++) {
        pf_findings_free(run->named[i].findings);
        run->named[i].findings = NULL;
    }
    pf_trace_free(run->trace);
    run->trace = NULL;
    o.windows = windows.list;
    o.window_count = windows.count;
    st = st == PF_OK ? write_parts(run, &o, &redaction) : st;
    pf_cli_redaction_free(&redaction);
    pf_cli_windows_free(&windows);
    return st;
}

const pf_cli_command pf_cli_split = {
    .name = "split",
    .usage = "IN [NAME] -o DIR [options]",
    .summary = "write a trace as parts: by time, steps, slices or processes",
    .examples = {"split trace.pftrace -o parts --every 500ms", "split trace.json.gz -o steps --by step --pass gpu"},
    .description =
        "Each part is what 'postfetto cut' makes of its window: part-0001.pftrace (or .json, as the input is) and so "
        "on. index.json names the parts with their windows. 64 parts are written in one pass over the input, which is "
        "not held in memory; --by step and --by slice read it as a trace first.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .names_passes = true,
    .settings_size = sizeof(split_settings),
    .run = split,
};
