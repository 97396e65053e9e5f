/* cli/commands/convert/cmd_convert.c - `postfetto convert IN -o OUT`: any readable input as a Perfetto trace, Chrome
 * JSON or a database.
 *
 * The format is that of OUT's ending; where OUT is standard output, a pipe or a device it is that of --to, a plain
 * .pftrace by default. Tables as files of columns (--to arrow, parquet) are a folder, or a file each with --table.
 */

#include "base/files/outfile.h"
#include "base/str.h"
#include "cli/commands/convert/convert_columns.h"
#include "cli/terminal/terminal.h"
#include "model/trace/trace.h"

#define AT(member) offsetof(convert_settings, member)
static const pf_option options[] = {
    {"output", 'o', PF_OPTION_PATH, AT(common.out), "OUT", NULL, NULL,
     "the new file (required): .pftrace or .perfetto-trace, .json, either with .gz, .sqlite or .perfetto.tar; '-' is "
     "standard output"},
    {"to", 0, PF_OPTION_CHOICE, AT(to), "FORMAT", PF_CLI_TRACE_FORMATS "|" PF_CLI_COLUMN_FORMATS, "by OUT's ending",
     "where OUT is '-', a pipe or a device: pftrace, pftrace.gz, json, json.gz, sqlite or archive; arrow or parquet "
     "where "
     "it is a folder of tables, and arrow-stream"},
    {"table", 0, PF_OPTION_TEXT, AT(table), "NAME", NULL, "all of them",
     "arrow, parquet: one table, slice for instance, as the file OUT"},
    {"arg", 0, PF_OPTION_TEXT, AT(args), "KEY,...", NULL, NULL,
     "arrow, parquet: arguments that table slice gets as columns of their own", .traits = PF_OPTION_REPEATABLE},
    {"partition", 0, PF_OPTION_CHOICE, AT(partition), NULL, "input", "one folder",
     "arrow, parquet: a folder rank=N in OUT for each input"},
    {"for", 0, PF_OPTION_TEXT, AT(release), "vNN", NULL, "the newest known, v58",
     ".perfetto.tar: the release of Perfetto whose tables it has"},
    {"compress", 0, PF_OPTION_FLAG, AT(compress), NULL, NULL, NULL,
     "compress the packets inside a .pftrace, as Perfetto can record them; it reads them as it does plain ones"},
    {"json", 0, PF_OPTION_FLAG, AT(common.json), NULL, NULL, NULL, "what was written, as JSON on standard output"},
};

/* The format by the ending of OUT, or by --to for what is no file; NULL if there is none for it. */
static const pf_cli_trace_format *format_of(const convert_settings *set)
{
    const char *out = set->common.out;
    return pf_outfile_is_stream(out) ? pf_cli_format_named(set->to ? set->to : "pftrace")
                                     : pf_cli_format_of_path(out, strlen(out));
}

static pf_status check_format(pf_cli_run *run)
{
    const convert_settings *set = (const convert_settings *)run->set;
    const char *out = set->common.out;
    PF_TRY(pf_cli_check_columns(run, set));
    if (pf_cli_columns_wanted(set)) {
        return PF_OK;
    }
    const pf_cli_trace_format *wanted = format_of(set);
    if (set->compress && wanted && (wanted->write != pf_convert_pftrace || wanted->gzip)) {
        return pf_cli_usage(run, "--compress is for a plain .pftrace, not for %s; leave it out", wanted->name);
    }
    if (set->release && wanted && strcmp(wanted->name, "archive") != 0) {
        return pf_cli_usage(run, "--for is for a .perfetto.tar, not for %s; leave it out", wanted->name);
    }
    if (pf_outfile_is_stream(out)) {
        return set->common.json && pf_outfile_is_standard(out)
                   ? pf_cli_usage(run, "'-o %s' and --json both want standard output; name a file with -o", out)
                   : PF_OK;
    }
    if (!wanted) {
        return pf_cli_usage(
            run,
            "'%s' has no ending that names a format; end it in .pftrace, .pftrace.gz, .perfetto-trace, "
            ".perfetto-trace.gz, .json, .json.gz, .sqlite or .perfetto.tar, or say --to parquet or arrow for a "
            "folder of tables",
            out);
    }
    if (set->to && strcmp(set->to, wanted->name) != 0) {
        return pf_cli_usage(run, "--to %s contradicts the ending of '%s'; leave out --to", set->to, out);
    }
    return PF_OK;
}

static pf_status put_summary(pf_cli_run *run)
{
    int64_t events = 0;
    pf_node *root = pf_cli_new_document(run);
    pf_findings *f = run->findings;
    pf_cli_add_paths(run, root, PF_STR("input"), PF_STR("inputs"));
    for (size_t i = 0; i < pf_trace_input_count(run->trace); i++) {
        events += pf_trace_input(run->trace, i)->events;
    }
    pf_node_add_text(f, root, PF_STR("output"), pf_str_of(run->set->out));
    const char *columns = pf_cli_columns_wanted((const convert_settings *)run->set);
    pf_node_add_text(f, root, PF_STR("format"),
                     pf_str_of(columns ? columns : format_of((const convert_settings *)run->set)->name));
    pf_node_add_int(f, root, PF_STR("output_bytes"), (int64_t)run->written);
    pf_node_add_int(f, root, PF_STR("events"), events);
    return pf_cli_put_document(run, NULL, root);
}

static void warn_of_nothing(pf_cli_run *run)
{
    pf_buffer holds = {0};
    pf_trace_put_holdings(run->trace, &holds);
    pf_cli_note(run, run->operands[0], "warning: no event in %s; it holds %.*s", run->operands[0], (int)holds.len,
                holds.data ? holds.data : "");
    pf_buffer_free(&holds);
}

/* An archive has the tables of the engine alone. */
static pf_status write_archive(pf_cli_run *run, const char *release, const pf_write_options *o)
{
    size_t faults = 0;
    for (size_t i = 0; i < pf_trace_stat_count(run->trace); i++) {
        faults += pf_trace_stat(run->trace, i).count > 0;
    }
    PF_TRY(pf_export_archive(run->trace, run->set->out, release, o, &run->err));
    pf_cli_note(run, run->set->out,
                "an archive has no place for metadata (%u rows: those of at most 1 KiB are attributes of its manifest) "
                "and statistics (%zu kinds: losses are in its trace_diagnostics)",
                pf_trace_metadata(run->trace)->count, faults);
    return PF_OK;
}

static pf_status convert(pf_cli_run *run)
{
    const convert_settings *own = (const convert_settings *)run->set;
    const char *out = run->set->out;
    if (run->operand_count == 0) {
        return pf_cli_usage(run, "no input is named; write postfetto convert IN... -o OUT");
    }
    if (!out) {
        return pf_cli_usage(run, "-o OUT is missing; write postfetto convert IN -o OUT.pftrace");
    }
    bool stream = pf_outfile_is_stream(out), text = own->to && strcmp(own->to, "json") == 0;
    PF_TRY(check_format(run));
    run->out_is_folder = pf_cli_columns_wanted(own) && !own->table;
    PF_TRY(pf_cli_check_output(run, run->operands, run->operand_count, out));
    PF_TRY(text ? PF_OK : pf_cli_check_binary(run, out, "the trace"));
    const pf_cli_trace_format *format = pf_cli_columns_wanted(own) ? NULL : format_of(own);
    bool archive = format && strcmp(format->name, "archive") == 0;
    uint32_t more = format && format->write == pf_export_sqlite ? PF_WANT_RECORDS : 0;
    uint32_t want = archive || !format ? PF_WANT_TABLES : PF_WANT_TO_WRITE | more;
    PF_TRY(pf_cli_read(run, run->operands, run->operand_count, want, true));
    pf_write_options o = pf_cli_write_options(run);
    uint64_t loose = 0;
    o.gzip = format && format->gzip;
    o.compress_packets = own->compress;
    o.loose_flows = &loose;
    run->at = pf_cli_out_name(out);
    pf_cli_signals_hold(!stream);
    pf_status st = archive  ? write_archive(run, own->release, &o)
                   : format ? format->write(run->trace, out, &o, &run->err)
                            : pf_cli_write_columns(run, own, &o);
    pf_cli_signals_hold(false);
    pf_cli_progress_clear(&run->progress);
    PF_TRY(st);
    if (pf_trace_events(run->trace)->count + pf_trace_counters(run->trace)->count == 0 && !stream) {
        warn_of_nothing(run);
    }
    if (loose > 0) {
        pf_cli_note(run, out,
                    "warning: %llu ends of flows may lie at other slices in this trace than in the input: their "
                    "slices have lengths that Perfetto's packets cannot say, and are over before",
                    (unsigned long long)loose);
    }
    return run->set->json ? put_summary(run) : PF_OK;
}

const pf_cli_command pf_cli_convert = {
    .name = "convert",
    .usage = "IN... -o OUT [options]",
    .summary = "write any readable trace as a Perfetto trace, Chrome JSON, a database, an archive or tables",
    .examples = {"convert trace.json.gz -o trace.pftrace",
                 "convert - -o - --to pftrace.gz < trace.json > trace.pftrace.gz"},
    .description =
        "Slices, instants, counters, flows, arguments and the names of processes, threads and tracks keep their exact "
        "times and values; ids that a Perfetto trace cannot hold come back when it is written as JSON. A database has "
        "the tables that queries see; an archive has those that Perfetto's UI and trace processor (v58 and later) load "
        "without parsing; files of Arrow or Parquet hold a table each, for notebooks and databases. OUT appears whole "
        "or not at all, and the input is never touched.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .settings_size = sizeof(convert_settings),
    .run = convert,
};
