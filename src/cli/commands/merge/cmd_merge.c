/* cli/commands/merge/cmd_merge.c - `postfetto merge IN... -o OUT`: several traces as one, on one time axis. */
#include <stdlib.h>

#include "base/str.h"
#include "cli/commands/merge/merge_clocks.h"
#include "cli/commands/merge/merge_manifest.h"

#define AT(member) offsetof(merge_settings, member)
static const pf_option options[] = {
    {"output", 'o', PF_OPTION_PATH, AT(common.out), "OUT", NULL, NULL,
     "the new trace (required): a .pftrace, or a .pftrace.gz; '-' is standard output"},
    {"offset", 0, PF_OPTION_TEXT, AT(offsets), "FILE=NS", NULL, NULL,
     "add this to the times of an input: ns, or a number with us, ms or s", .traits = PF_OPTION_REPEATABLE},
    {"align", 0, PF_OPTION_TEXT, AT(align), "PATTERN", NULL, NULL,
     "move the inputs so that the first slice of each whose name fits (* ? [a-z]) begins when that of the first input "
     "does"},
    {"align-collectives", 0, PF_OPTION_FLAG, AT(align_collectives), NULL, NULL, NULL,
     "give all inputs the clock of the first one by the collectives that they took part in: offset and drift; exit "
     "code 1, and nothing written, where that is less exact than the clocks are"},
    {"manifest", 0, PF_OPTION_PATH, AT(manifest), "FILE", NULL, NULL,
     "a list of the inputs, with names and offsets, in Perfetto's form (perfetto_manifest); without IN they are all "
     "inputs"},
    {"machines", 0, PF_OPTION_FLAG, AT(machines), NULL, NULL, NULL,
     "let packets of all inputs but the first say that they are of another machine, so that their CPUs are kept apart"},
    {"compress", 0, PF_OPTION_FLAG, AT(compress), NULL, NULL, NULL,
     "compress the packets inside a .pftrace, as Perfetto can record them; it reads them as it does plain ones"},
    {"json", 0, PF_OPTION_FLAG, AT(common.json), NULL, NULL, NULL, "what was written, as JSON on standard output"},
};

static pf_status check(pf_cli_run *run)
{
    const merge_settings *set = (const merge_settings *)run->set;
    const char *out = set->common.out;
    if (run->operand_count == 0) {
        return pf_cli_usage(run, "no input is named; write postfetto merge IN... -o OUT.pftrace, or --manifest FILE");
    }
    if (!out) {
        return pf_cli_usage(run, "-o OUT is missing; write postfetto merge IN... -o OUT.pftrace");
    }
    if (set->align && set->align_collectives) {
        return pf_cli_usage(run, "--align and --align-collectives both say when the inputs are; leave out one of them");
    }
    const pf_cli_trace_format *format =
        pf_outfile_is_stream(out) ? pf_cli_format_named("pftrace") : pf_cli_format_of_path(out, strlen(out));
    if (!format || format->write != pf_convert_pftrace) {
        return pf_cli_usage(run, "'%s': a merge is a Perfetto trace; end it in .pftrace or .pftrace.gz", out);
    }
    if (set->compress && format->gzip) {
        return pf_cli_usage(run, "--compress is for a plain .pftrace, not for %s; leave it out", format->name);
    }
    if (set->common.json && pf_outfile_is_standard(out)) {
        return pf_cli_usage(run, "'-o %s' and --json both want standard output; name a file with -o", out);
    }
    for (size_t i = 0; i < run->operand_count; i++) {
        bool twice = (set->align || set->align_collectives) && pf_outfile_is_stream(run->operands[i]);
        if (twice) {
            return pf_cli_usage(run, "'%s' can be read once only; save it to a file to align it", run->operands[i]);
        }
    }
    PF_TRY(pf_cli_check_output(run, run->operands, run->operand_count, out));
    PF_TRY(set->manifest ? pf_cli_check_output(run, &set->manifest, 1, out) : PF_OK);
    return pf_cli_check_binary(run, out, "the trace");
}

static pf_status find_clocks(pf_cli_run *run, const pf_cli_manifest *manifest, pf_merge_input *inputs)
{
    const merge_settings *set = (const merge_settings *)run->set;
    PF_TRY(set->align ? pf_cli_merge_align(run, inputs) : PF_OK);
    PF_TRY(set->align_collectives ? pf_cli_merge_align_collectives(run, inputs) : PF_OK);
    if (run->code != PF_CLI_DONE) {
        return PF_OK;
    }
    PF_TRY(pf_cli_manifest_apply(run, manifest, inputs));
    return pf_cli_merge_offsets(run, inputs);
}

static void add_inputs(pf_cli_run *run, pf_node *root, const pf_merge_input *inputs)
{
    pf_findings *f = run->findings;
    pf_node *list = pf_node_add(f, root, PF_STR("inputs"), PF_NODE_LIST);
    for (size_t i = 0; i < run->operand_count; i++) {
        const pf_merge_input *in = &inputs[i];
        pf_node *n = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        pf_node_add_text(f, n, PF_STR("path"), pf_str_of(in->path));
        pf_node_add_int(f, n, PF_STR("offset_ns"), in->offset_ns);
        pf_node_add_real(f, n, PF_STR("drift_ppb"), in->drift_ppb);
        pf_node_add_int(f, n, PF_STR("at_ns"), in->at_ns);
        if (in->uncertainty_ns >= 0) {
            pf_node_add_int(f, n, PF_STR("uncertainty_ns"), in->uncertainty_ns);
        } else {
            pf_node_add(f, n, PF_STR("uncertainty_ns"), PF_NODE_NULL);
        }
    }
}

static pf_status put_summary(pf_cli_run *run, const pf_merge_input *inputs, const pf_merge_result *r)
{
    const pf_cli_number numbers[] = {{"packets", r->packets},
                                     {"packets_changed", r->changed},
                                     {"packets_left_out", r->left_out},
                                     {"sequences_renumbered", r->sequences_moved},
                                     {"tracks_renumbered", r->tracks_moved},
                                     {"pids_renumbered", r->pids_moved},
                                     {"inputs_converted", r->converted},
                                     {"packet_bytes_in", r->bytes_in},
                                     {"packet_bytes_out", r->bytes},
                                     {"output_bytes", run->written}};
    pf_node *root = pf_cli_new_document(run);
    add_inputs(run, root, inputs);
    pf_node_add_text(run->findings, root, PF_STR("output"), pf_str_of(run->set->out));
    pf_cli_add_numbers(run, root, numbers, sizeof numbers / sizeof *numbers);
    return pf_cli_put_document(run, NULL, root);
}

static pf_status write_merged(pf_cli_run *run, pf_merge_input *inputs, pf_merge_result *result)
{
    const char *out = run->set->out;
    const pf_read_options read = pf_cli_read_options(run, run->operands[0]);
    pf_write_options write = pf_cli_write_options(run);
    pf_merge_options o = pf_merge_options_default();
    write.compress_packets = ((const merge_settings *)run->set)->compress;
    o.inputs = inputs;
    o.input_count = run->operand_count;
    o.read = &read;
    o.write = &write;
    o.merge_pids = run->set->merge_pids;
    o.machines = ((const merge_settings *)run->set)->machines;
    bool stream = pf_outfile_is_stream(out);
    pf_cli_signals_hold(!stream);
    pf_status st = pf_merge(out, &o, result, &run->err);
    pf_cli_signals_hold(false);
    pf_cli_progress_clear(&run->progress);
    if (st == PF_OK && result->with_cpus > 1 && !o.machines) {
        pf_cli_note(run, out, "%llu inputs say what CPUs did, and CPU 0 of all is one now; --machines keeps them apart",
                    (unsigned long long)result->with_cpus);
    }
    for (size_t i = 0; i < run->operand_count && st == PF_OK; i++) {
        if (inputs[i].trace) {
            pf_cli_warn_of_damage(run, inputs[i].trace);
        }
    }
    return st;
}

static pf_status merge_inputs(pf_cli_run *run, const pf_cli_manifest *manifest)
{
    PF_TRY(check(run));
    pf_merge_input *inputs = calloc(run->operand_count, sizeof *inputs);
    pf_merge_result result = {.size = sizeof result};
    PF_TRY(inputs ? PF_OK : pf_no_memory(&run->err));
    for (size_t i = 0; i < run->operand_count; i++) {
        inputs[i] = (pf_merge_input){.path = run->operands[i], .uncertainty_ns = -1};
    }
    pf_status st = find_clocks(run, manifest, inputs);
    if (st == PF_OK && run->code == PF_CLI_DONE) {
        st = write_merged(run, inputs, &result);
        st = st == PF_OK && run->set->json ? put_summary(run, inputs, &result) : st;
    }
    for (size_t i = 0; i < run->operand_count; i++) {
        pf_cli_add_totals(&run->dropped, inputs[i].trace);
        pf_trace_free(inputs[i].trace);
    }
    free(inputs);
    return st;
}

static pf_status merge(pf_cli_run *run)
{
    pf_cli_manifest manifest = {NULL};
    pf_status st = pf_cli_manifest_read(run, &manifest, ((const merge_settings *)run->set)->manifest);
    st = st == PF_OK ? merge_inputs(run, &manifest) : st;
    pf_cli_manifest_free(run, &manifest);
    return st;
}

const pf_cli_command pf_cli_merge = {
    .name = "merge",
    .usage = "IN... -o OUT [options]",
    .summary = "put several traces into one, on one time axis",
    .examples = {"merge rank*.pftrace -o ranks.pftrace --align-collectives",
                 "merge host.pftrace npu.json -o both.pftrace --offset npu.json=1.5ms"},
    .description =
        "All packets of the inputs, one input after the other. What collides is renumbered: packet sequences, tracks, "
        "flows, and pids, so that processes of different inputs stay apart (--merge-pids: a pid is one process in all "
        "of them). A name that several inputs have for a process gets the name of the input in parentheses. Inputs "
        "keep their times unless an option moves them; --offset adds to what an alignment found. The result says in "
        "trace attributes (postfetto.clock.INPUT.offset_ns, drift_ppb, uncertainty_ns) where each input went. Other "
        "formats are converted first.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .settings_size = sizeof(merge_settings),
    .run = merge,
};
