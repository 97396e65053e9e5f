/* cli/commands/cmd_check.c - `postfetto check FILE`: what is damaged in a trace.
 *
 * Reading counts every recoverable fault (the stats of the trace). The command asks for all tables and has all
 * arguments decoded, so that nothing is left unread, and prints a line for each counter that is not zero, the worst
 * severity first.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/common/command.h"

static const pf_option options[] = {
    {"output", 'o', PF_OPTION_PATH, offsetof(pf_cli_settings, out), "OUT", NULL, "standard output",
     "where the list goes"},
    {"json", 0, PF_OPTION_FLAG, offsetof(pf_cli_settings, json), NULL, NULL, NULL, "the list as JSON"},
};

static void put_line(pf_buffer *b, const pf_stat *s)
{
    const char *severity = pf_severity_name(s->severity);
    bool engine_objects = !s->loss && s->severity >= PF_DATA_LOSS;
    pf_buffer_format(b, "%s: %s: %" PRIu64 " %s", engine_objects ? "note" : severity, s->name, s->count,
                     s->count == 1 ? "time" : "times");
    if (s->first_offset != PF_NOWHERE) {
        pf_buffer_format(b, ", first at byte %" PRIu64, s->first_offset);
    }
    pf_buffer_format(b, ": %s", s->description);
    if (engine_objects) {
        pf_buffer_format(b, " (nothing is lost; Perfetto's engine counts it as %s)", severity);
    }
    pf_buffer_text(b, engine_objects || s->loss ? "\n" : " (nothing is lost)\n");
}

static pf_status put_list(pf_cli_run *run)
{
    pf_buffer b = {0};
    pf_stat s;
    size_t inputs = pf_trace_input_count(run->trace);
    for (size_t k = 0; k < inputs; k++) {
        const char *path = pf_cli_name(pf_trace_input(run->trace, k)->path);
        for (size_t i = 0; pf_cli_damage(run->trace, k, i, &s); i++) {
            if (inputs > 1) {
                pf_cli_put_clean(&b, path, strlen(path), false);
                pf_buffer_text(&b, ": ");
            }
            put_line(&b, &s);
        }
    }
    return pf_cli_put_buffer(run, run->set->out, &b);
}

static pf_status put_json(pf_cli_run *run, bool ok)
{
    pf_node *root = pf_cli_new_document(run);
    pf_cli_add_paths(run, root, PF_STR("file"), PF_STR("files"));
    pf_node_add_bool(run->findings, root, PF_STR("ok"), ok);
    pf_cli_add_damage(run->findings, root, run->trace);
    return pf_cli_put_document(run, run->set->out, root);
}

static pf_status check(pf_cli_run *run)
{
    size_t count = run->operand_count;
    if (count == 0) {
        return pf_cli_usage(run, "no file is named; write postfetto check FILE...");
    }
    PF_TRY(pf_cli_check_output(run, run->operands, count, run->set->out));
    PF_TRY(pf_cli_read(run, run->operands, count, PF_WANT_TABLES | PF_WANT_OFFSETS, false));
    pf_trace_check_args(run->trace, pf_cli_cancel_flag());
    pf_stat s;
    bool any = false;
    for (size_t i = 0; pf_cli_damage(run->trace, PF_CLI_ALL_INPUTS, i, &s); i++) {
        any = true;
        run->code = s.loss ? PF_CLI_FINDING : run->code;
    }
    PF_TRY(run->set->json ? put_json(run, run->code == PF_CLI_DONE) : put_list(run));
    if (!any) {
        pf_cli_note(run, count == 1 ? run->operands[0] : "all inputs", "no damage found");
    }
    return PF_OK;
}

const pf_cli_command pf_cli_check = {
    .name = "check",
    .usage = "FILE... [options]",
    .summary = "list what is damaged in a trace",
    .examples = {"check trace.json.gz", "check --json trace.pftrace && echo whole"},
    .description =
        "One line for each kind of damage: severity, name, how often, the first place (a byte of the decompressed "
        "input), what it means, and whether something is lost by it. The severity is that of Perfetto's engine; what "
        "it calls an error or a loss, though nothing is lost, is a note here.\n"
        "The exit code is 0 if nothing of the recording is lost, 1 if something is, 3 if the file is not a trace.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = check,
};
