/* cli/commands/info/info_formats.c - `postfetto info --formats`: the tables of readers and dialects, printed. */
#include "cli/commands/info/info.h"

#include "base/str.h"
#include "cli/terminal/terminal.h"

#define COLUMN 16

static void put_line(pf_buffer *b, const char *name, const char *summary)
{
    pf_buffer_format(b, "  %-*s", COLUMN - 2, name);
    pf_cli_put_wrapped(b, summary, COLUMN, COLUMN);
    pf_buffer_put(b, "\n", 1);
}

/* "tables: a, b" below the summary of a reader that has side tables. */
static void put_tables(pf_buffer *b, const pf_reader *reader)
{
    pf_buffer names = {0};
    const pf_side_spec *spec;
    for (size_t i = 0; reader->table && (spec = reader->table(i)); i++) {
        pf_buffer_format(&names, "%s%s", i ? ", " : "tables: ", spec->name);
    }
    if (names.len || names.failed) {
        pf_buffer_format(b, "%*s", COLUMN, "");
        pf_cli_put_wrapped_buffer(b, &names, COLUMN, COLUMN);
        pf_buffer_put(b, "\n", 1);
    }
}

static pf_status put_text(pf_cli_run *run)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, "Formats (--input-format NAME):\n");
    for (size_t i = 0; i < pf_reader_count(); i++) {
        put_line(&b, pf_reader_at(i)->name, pf_reader_at(i)->summary);
        put_tables(&b, pf_reader_at(i));
    }
    pf_buffer_text(&b, "\nDialects (--dialect NAME):\n");
    for (size_t i = 0; i < pf_dialect_count(); i++) {
        put_line(&b, pf_dialect_name(i), pf_dialect_summary(i));
    }
    pf_buffer_text(&b, "\nEvery file may be plain, gzip, zstd, or alone in a zip.\n");
    return pf_cli_put_buffer(run, run->set->out, &b);
}

static pf_node *add_entry(pf_findings *f, pf_node *list, const char *name, const char *summary)
{
    pf_node *o = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
    pf_node_add_text(f, o, PF_STR("name"), pf_str_of(name));
    pf_node_add_text(f, o, PF_STR("summary"), pf_str_of(summary));
    return o;
}

static void add_reader(pf_findings *f, pf_node *list, const pf_reader *reader)
{
    pf_node *o = add_entry(f, list, reader->name, reader->summary);
    pf_node *tables = pf_node_add(f, o, PF_STR("tables"), PF_NODE_LIST);
    const pf_side_spec *spec;
    for (size_t i = 0; reader->table && (spec = reader->table(i)); i++) {
        add_entry(f, tables, spec->name, spec->help);
    }
}

static pf_status put_json(pf_cli_run *run)
{
    pf_node *root = pf_cli_new_document(run);
    pf_findings *f = run->findings;
    pf_node *list = pf_node_add(f, root, PF_STR("formats"), PF_NODE_LIST);
    for (size_t i = 0; i < pf_reader_count(); i++) {
        add_reader(f, list, pf_reader_at(i));
    }
    list = pf_node_add(f, root, PF_STR("dialects"), PF_NODE_LIST);
    for (size_t i = 0; i < pf_dialect_count(); i++) {
        add_entry(f, list, pf_dialect_name(i), pf_dialect_summary(i));
    }
    return pf_cli_put_document(run, run->set->out, root);
}

pf_status pf_cli_list_formats(pf_cli_run *run)
{
    if (run->operand_count > 0) {
        return pf_cli_usage(run, "--formats takes no file; leave out '%s'", run->operands[0]);
    }
    return run->set->json ? put_json(run) : put_text(run);
}
