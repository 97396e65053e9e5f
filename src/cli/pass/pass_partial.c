/* cli/pass/pass_partial.c - what a pass found as a partial (--partial): tables, and a manifest that says by which
 * postfetto, which pass and which options. */
#include <string.h>

#include "base/str.h"
#include "base/text/number.h"
#include "cli/pass/pass.h"
#include "tables/partial_file.h"
#include "write/columns/partial.h"

static const char option_name[] = "partial";

const char *pf_cli_partial(const pf_cli_run *run)
{
    size_t at = pf_options_find(run->pass->options, run->pass->option_count, option_name, sizeof option_name - 1);
    return at < run->pass->option_count && run->values[at].set ? run->values[at].s.ptr : NULL;
}

/* Those of the first one, as the others have the same. */
static void add_options_of_partials(pf_cli_run *run, pf_node *options)
{
    enum { FILE_COLUMN, NAME, VALUE };
    const pf_side_table *s = pf_trace_table(run->trace, PF_PARTIAL_OPTIONS);
    for (uint32_t i = 0; s && i < s->count && *pf_side_ref(s, FILE_COLUMN, i) == *pf_side_ref(s, FILE_COLUMN, 0); i++) {
        pf_node_add_text(run->findings, options, pf_trace_string(run->trace, *pf_side_ref(s, NAME, i)),
                         pf_trace_string(run->trace, *pf_side_ref(s, VALUE, i)));
    }
}

static pf_node *make_manifest(pf_cli_run *run)
{
    const pf_pass *p = run->pass;
    pf_findings *f = run->findings;
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_int(f, root, PF_STR("postfetto_partial"), PF_PARTIAL_VERSION);
    pf_node_add_text(f, root, PF_STR("version"), pf_str_of(pf_version()));
    pf_node_add_text(f, root, PF_STR("pass"), pf_str_of(p->name));
    pf_node *options = pf_node_add(f, root, PF_STR("options"), PF_NODE_OBJECT);
    if (pf_trace_table(run->trace, PF_PARTIALS)) {
        add_options_of_partials(run, options);
        return root;
    }
    for (size_t i = 0; i < p->option_count; i++) {
        char room[PF_NUMBER_MAX];
        if (run->values[i].set && strcmp(p->options[i].name, option_name) != 0) {
            pf_node_add_text(f, options, pf_str_of(p->options[i].name),
                             pf_pass_value_text(&p->options[i], &run->values[i], room));
        }
    }
    return root;
}

pf_status pf_cli_write_partial(pf_cli_run *run, pf_buffer *lines)
{
    const char *path = pf_cli_partial(run);
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    if (!path) {
        return PF_OK;
    }
    pf_write_options o = pf_cli_write_options(run);
    pf_cli_signals_hold(true);
    pf_status st = pf_partial_write(run->findings, make_manifest(run), path, &o, &err);
    pf_cli_signals_hold(false);
    if (st == PF_OK && !pf_outfile_is_standard(path)) {
        pf_buffer_format(lines, "[write] %s\n", path);
    }
    return st == PF_OK ? st : pf_cli_report(run, pf_cli_out_name(path), &err);
}
