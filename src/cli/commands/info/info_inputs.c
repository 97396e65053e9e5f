/* cli/commands/info/info_inputs.c - what `info` says of the inputs of a trace. */
#include "cli/commands/info/info.h"

#include "base/str.h"
#include "cli/terminal/terminal.h"

void pf_cli_put_input(pf_buffer *b, const pf_trace *t, int label)
{
    const pf_input *in = pf_trace_input(t, 0);
    bool packed = strcmp(in->compression, "none") != 0;
    if (pf_trace_input_count(t) != 1) {
        pf_buffer_format(b, "%-*s  %zu files, dialect %s\n", label, "inputs", pf_trace_input_count(t),
                         pf_trace_dialect(t));
        return;
    }
    pf_buffer_format(b, "%-*s  ", label, in->is_directory ? "folder" : "file");
    pf_cli_put_clean(b, pf_cli_name(in->path), strlen(pf_cli_name(in->path)), false);
    pf_buffer_format(b, "\n%-*s  %s, dialect %s%s%s%s%s\n%-*s  ", label, "format", in->format, pf_trace_dialect(t),
                     in->variant ? ", " : "", in->variant ? in->variant : "", packed ? ", compressed with " : "",
                     packed ? in->compression : "", label, "size");
    pf_cli_put_bytes(b, in->stored_bytes);
    if (packed) {
        pf_buffer_text(b, ", unpacked ");
        pf_cli_put_bytes(b, in->plain_bytes);
    }
    pf_buffer_put(b, "\n", 1);
}

/* The process of pid 0 counts where the trace has one. */
static uint32_t processes_of(const pf_trace *t, const pf_cli_summary *s, size_t input)
{
    const pf_processes *p = pf_trace_processes(t);
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        count += p->input[i] == input && pf_cli_process_is_real(t, s, i);
    }
    return count;
}

static uint64_t losses_of(const pf_trace *t, size_t input)
{
    uint64_t count = 0;
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        pf_stat s = pf_trace_input_stat(t, input, i);
        count += s.loss ? s.count : 0;
    }
    return count;
}

void pf_cli_put_inputs(pf_buffer *b, pf_cli_run *run, const pf_cli_summary *s)
{
    const pf_trace *t = run->trace;
    pf_findings *f = run->findings;
    static const pf_column columns[] = {{"input", PF_CELL_TEXT, 0, ""},        {"format", PF_CELL_TEXT, 0, ""},
                                        {"dialect", PF_CELL_TEXT, 0, ""},      {"unit", PF_CELL_TEXT, 0, ""},
                                        {"bytes", PF_CELL_INT, 0, ""},         {"events", PF_CELL_INT, 0, ""},
                                        {"new processes", PF_CELL_INT, 0, ""}, {"losses", PF_CELL_INT, 0, ""}};
    if (pf_trace_input_count(t) < 2) {
        return;
    }
    pf_table_builder *table = pf_table_new(f, PF_STR("Inputs"), columns, 8);
    for (size_t i = 0; table && i < pf_trace_input_count(t); i++) {
        const pf_input *in = pf_trace_input(t, i);
        const pf_cell cells[] = {pf_cell_text(pf_str_of(pf_cli_name(in->path))),
                                 pf_cell_text(pf_str_of(in->format)),
                                 pf_cell_text(pf_str_of(in->dialect)),
                                 pf_cell_text(pf_str_of(pf_cli_unit_name(in->unit))),
                                 pf_cell_int((int64_t)in->stored_bytes),
                                 pf_cell_int(in->events),
                                 pf_cell_int(processes_of(t, s, i)),
                                 pf_cell_int((int64_t)losses_of(t, i))};
        pf_table_row(f, table, cells);
    }
    pf_buffer_text(b, "\n");
    pf_cli_put_table(run, b, pf_table_view(table), NULL, pf_cli_info_stream(run));
}

void pf_cli_add_input(pf_findings *f, pf_node *o, const pf_input *in, const char *dialect)
{
    pf_node_add_text(f, o, PF_STR("file"), pf_str_of(in->path));
    pf_node_add_text(f, o, PF_STR("format"), pf_str_of(in->format));
    pf_node_add_text(f, o, PF_STR("dialect"), pf_str_of(dialect));
    if (in->variant) {
        pf_node_add_text(f, o, PF_STR("variant"), pf_str_of(in->variant));
    }
    pf_node_add_text(f, o, PF_STR("compression"), pf_str_of(in->compression));
}

void pf_cli_add_inputs(pf_findings *f, pf_node *root, const pf_trace *t, const pf_cli_summary *s)
{
    pf_node *list = pf_node_add(f, root, PF_STR("inputs"), PF_NODE_LIST);
    for (size_t i = 0; i < pf_trace_input_count(t); i++) {
        const pf_input *in = pf_trace_input(t, i);
        pf_node *o = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        pf_cli_add_input(f, o, in, in->dialect);
        pf_node_add_text(f, o, PF_STR("time_unit"), pf_str_of(pf_cli_unit_name(in->unit)));
        pf_node_add_int(f, o, PF_STR("input_bytes"), (int64_t)in->stored_bytes);
        pf_node_add_int(f, o, PF_STR("plain_bytes"), (int64_t)in->plain_bytes);
        pf_node_add_int(f, o, PF_STR("events"), in->events);
        pf_node_add_int(f, o, PF_STR("processes"), processes_of(t, s, i));
        pf_node_add_int(f, o, PF_STR("losses"), (int64_t)losses_of(t, i));
    }
}
