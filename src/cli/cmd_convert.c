/* cmd_convert.c - `postfetto convert IN -o OUT`: any readable input as a Perfetto trace, Chrome JSON or a database.
 *
 * The format is that of OUT's ending; where OUT is standard output it is that of --to, a plain .pftrace by default.
 */
#include <stdio.h>
#include <string.h>

#include "cli/run.h"
#include "cli/signals.h"
#include "cli/text.h"

static const pf_cli_option options[] = {
    {"output", 'o', PF_CLI_TEXT, offsetof(pf_cli_settings, out), "OUT", NULL, NULL,
     "the new file (required): .pftrace or .perfetto-trace, .json, either with .gz, or .sqlite; '-' is standard "
     "output"},
    {"to", 0, PF_CLI_CHOICE, offsetof(pf_cli_settings, to), NULL, "pftrace|pftrace.gz|json|json.gz|sqlite",
     "by OUT's ending", "the format, where OUT is '-'"},
    {"compress", 0, PF_CLI_FLAG, offsetof(pf_cli_settings, compress), NULL, NULL, NULL,
     "compress the packets inside a .pftrace, as Perfetto can record them; it reads them as it does plain ones"},
    {"json", 0, PF_CLI_FLAG, offsetof(pf_cli_settings, json), NULL, NULL, NULL,
     "what was written, as JSON on standard output"},
};

typedef struct output_format {
    const char *name; /* as --to wants it */
    const char *ending;
    pf_status (*write)(const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err);
    bool gzip;
} output_format;

/* Two endings of one format follow each other; the first row is the default. */
static const output_format formats[] = {
    {"pftrace", ".pftrace", pf_convert_pftrace, false},
    {"pftrace", ".perfetto-trace", pf_convert_pftrace, false},
    {"pftrace.gz", ".pftrace.gz", pf_convert_pftrace, true},
    {"pftrace.gz", ".perfetto-trace.gz", pf_convert_pftrace, true},
    {"json", ".json", pf_convert_json, false},
    {"json.gz", ".json.gz", pf_convert_json, true},
    {"sqlite", ".sqlite", pf_export_sqlite, false},
};
#define FORMATS (sizeof formats / sizeof *formats)

static bool ends_with(const char *text, const char *ending)
{
    size_t a = strlen(text), b = strlen(ending);
    return a > b && strcmp(text + a - b, ending) == 0;
}

/* The format by the ending of OUT, or by --to for standard output; NULL if there is none for it. */
static const output_format *format_of(const pf_cli_settings *set)
{
    bool standard = strcmp(set->out, "-") == 0;
    for (size_t i = 0; i < FORMATS; i++) {
        if (standard ? !set->to || strcmp(set->to, formats[i].name) == 0 : ends_with(set->out, formats[i].ending)) {
            return &formats[i];
        }
    }
    return NULL;
}

static int check_format(const pf_cli_run *run)
{
    const pf_cli_settings *set = &run->set;
    const output_format *wanted = format_of(set);
    if (set->compress && wanted && (wanted->write != pf_convert_pftrace || wanted->gzip)) {
        return pf_cli_usage(run, "--compress is for a plain .pftrace, not for %s; leave it out", wanted->name);
    }
    if (strcmp(set->out, "-") == 0) {
        return set->json ? pf_cli_usage(run, "'-o -' and --json both want standard output; name a file with -o")
                         : PF_CLI_DONE;
    }
    if (!wanted) {
        return pf_cli_usage(run,
                            "'%s' has no ending that names a format; end it in .pftrace, .pftrace.gz, .perfetto-trace, "
                            ".perfetto-trace.gz, .json, .json.gz or .sqlite",
                            set->out);
    }
    if (set->to && strcmp(set->to, wanted->name) != 0) {
        return pf_cli_usage(run, "--to %s contradicts the ending of '%s'; leave out --to", set->to, set->out);
    }
    return PF_CLI_DONE;
}

static int put_summary(pf_cli_run *run, const char *in)
{
    pf_findings *f = run->findings = pf_findings_new(&run->set.limits);
    pf_node *root = f ? pf_node_root(f, PF_NODE_OBJECT) : NULL;
    pf_node_add_int(f, root, PF_STR("schema_version"), 1);
    pf_node_add_text(f, root, PF_STR("input"), (pf_str){in, strlen(in)});
    pf_node_add_text(f, root, PF_STR("output"), (pf_str){run->set.out, strlen(run->set.out)});
    const char *format = format_of(&run->set)->name;
    pf_node_add_text(f, root, PF_STR("format"), (pf_str){format, strlen(format)});
    pf_node_add_int(f, root, PF_STR("output_bytes"), (int64_t)run->written);
    pf_node_add_int(f, root, PF_STR("events"), pf_trace_input(run->trace, 0)->events);
    return pf_cli_put_document(run, NULL, root);
}

static int convert(pf_cli_run *run)
{
    const pf_cli_settings *set = &run->set;
    if (run->operand_count != 1) {
        return pf_cli_usage(run, "takes one input, not %zu; write postfetto convert IN -o OUT", run->operand_count);
    }
    if (!set->out) {
        return pf_cli_usage(run, "-o OUT is missing; write postfetto convert IN -o OUT.pftrace");
    }
    bool standard = strcmp(set->out, "-") == 0;
    int code = check_format(run);
    code = code == PF_CLI_DONE ? pf_cli_check_output(run, run->operands, 1, set->out) : code;
    bool text = standard && set->to && strcmp(set->to, "json") == 0;
    code = code == PF_CLI_DONE && standard && !text ? pf_cli_check_binary_stdout(run, "the trace") : code;
    const output_format *format = code == PF_CLI_DONE ? format_of(set) : NULL;
    if (format) {
        code = pf_cli_read(run, run->operands, 1, PF_CLI_WANT_TO_WRITE, NULL, true);
    }
    if (code != PF_CLI_DONE) {
        return code;
    }
    pf_write_options o = pf_cli_write_options(run);
    o.gzip = format->gzip;
    o.compress_packets = set->compress;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_cli_signals_hold(!standard);
    pf_status st = format->write(run->trace, set->out, &o, &err);
    pf_cli_signals_hold(false);
    if (st != PF_OK) {
        return pf_cli_report(run, standard ? "standard output" : set->out, &err);
    }
    return set->json ? put_summary(run, run->operands[0]) : PF_CLI_DONE;
}

const pf_cli_command pf_cli_convert = {
    .name = "convert",
    .usage = "IN -o OUT [options]",
    .summary = "write any readable trace as a Perfetto trace, Chrome JSON or an SQLite database",
    .examples = {"convert trace.json.gz -o trace.pftrace",
                 "convert - -o - --to pftrace.gz < trace.json > trace.pftrace.gz"},
    .description =
        "Slices, instants, counters, flows, arguments and the names of processes, threads and tracks keep their exact "
        "times and values; ids that a Perfetto trace cannot hold come back when it is written as JSON. A database has "
        "the tables that queries see. OUT appears whole or not at all, and the input is never touched.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = convert,
};
