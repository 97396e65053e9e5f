/* cli/common/damage.c - the order of the fault counters is the same everywhere: by severity, the worst first, then as
 * the library lists them. There are some fifty of them, so that the i-th is simply searched. */
#include "cli/common/command.h"

#include "model/trace/findings_mark.h"
#include "model/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>

#define NAMES_MAX 200u
#define ROWS_MAX 4096u /* of the metadata that are looked at */

bool pf_cli_damage(const pf_trace *t, size_t input, size_t i, pf_stat *out)
{
    for (int severity = PF_ERROR; severity >= PF_INFO; severity--) {
        for (size_t k = 0; k < pf_trace_stat_count(t); k++) {
            *out = input == PF_CLI_ALL_INPUTS ? pf_trace_stat(t, k) : pf_trace_input_stat(t, input, k);
            if (out->count > 0 && out->severity == (pf_severity)severity && i-- == 0) {
                return true;
            }
        }
    }
    return false;
}

static void add_damage_of(pf_findings *f, pf_node *list, const pf_trace *t, size_t input)
{
    pf_stat s;
    for (size_t i = 0; pf_cli_damage(t, input, i, &s); i++) {
        pf_node *o = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        if (pf_trace_input_count(t) > 1) {
            pf_node_add_text(f, o, PF_STR("file"), pf_str_of(pf_trace_input(t, input)->path));
        }
        pf_node_add_text(f, o, PF_STR("severity"), pf_str_of(pf_severity_name(s.severity)));
        pf_node_add_text(f, o, PF_STR("name"), pf_str_of(s.name));
        pf_node_add_bool(f, o, PF_STR("loss"), s.loss);
        pf_node_add_int(f, o, PF_STR("count"), (int64_t)s.count);
        if (s.first_offset == PF_NOWHERE) {
            pf_node_add(f, o, PF_STR("first_byte"), PF_NODE_NULL);
        } else {
            pf_node_add_int(f, o, PF_STR("first_byte"), (int64_t)s.first_offset);
        }
        pf_node_add_text(f, o, PF_STR("description"), pf_str_of(s.description));
    }
}

void pf_cli_add_damage(pf_findings *f, pf_node *parent, const pf_trace *t)
{
    pf_node *list = pf_node_add(f, parent, PF_STR("damage"), PF_NODE_LIST);
    for (size_t i = 0; i < pf_trace_input_count(t); i++) {
        add_damage_of(f, list, t, i);
    }
}

static void warn_of(pf_cli_run *run, const pf_trace *t, size_t input)
{
    const char *path = pf_trace_input(t, input)->path;
    pf_stat s;
    for (size_t i = 0; pf_cli_damage(t, input, i, &s); i++) {
        bool harmless = !s.loss;
        char where[64] = "";
        if (harmless && !run->set->verbose) {
            continue;
        }
        if (s.first_offset != PF_NOWHERE) {
            snprintf(where, sizeof where, "at byte %" PRIu64 ": ", s.first_offset);
        }
        pf_cli_note(run, path, "%s%s: %s (%s, %" PRIu64 " %s)", where, harmless ? "note" : "warning", s.description,
                    s.name, s.count, s.count == 1 ? "time" : "times");
    }
}

/* The passes whose findings were left out, each once; "" where none has a mark. */
static void name_passes(const pf_trace *t, size_t input, pf_buffer *b)
{
    const pf_metadata *m = pf_trace_metadata(t);
    uint32_t name = pf_trace_find_string(t, PF_FINDINGS_LEFT_OUT);
    for (uint32_t i = 0; name != PF_NONE && i < m->count && i < ROWS_MAX && b->len < NAMES_MAX; i++) {
        bool first = m->name[i] == name && m->input[i] == input;
        for (uint32_t k = 0; k < i && first; k++) {
            first = m->name[k] != name || m->text[k] != m->text[i] || m->input[k] != input;
        }
        if (first) {
            pf_str pass = pf_trace_string(t, m->text[i]);
            pf_buffer_text(b, b->len ? ", " : " of ");
            pf_buffer_put(b, pass.ptr, pass.len);
        }
    }
}

/* Findings are no part of the recording. What was left out of it is said. */
static void tell_left_out(pf_cli_run *run, const pf_trace *t, size_t input)
{
    const pf_input *in = pf_trace_input(t, input);
    pf_stat s = pf_trace_input_stat(t, input, PF_STAT_OWN_FINDINGS);
    pf_buffer passes = {0};
    if (s.count == 0) {
        return;
    }
    name_passes(t, input, &passes);
    bool binary = strcmp(in->format, "perfetto") == 0 && pf_trace_input_count(t) == 1;
    pf_cli_note(run, in->path, "findings%.*s drawn in earlier are left out (%" PRIu64 " packets and events)%s",
                passes.failed ? 0 : (int)passes.len, passes.data ? passes.data : "", s.count,
                !run->set->out ? ""
                : binary       ? "; the output gets those of this pass anew and keeps those of others"
                               : "; the output, which is a conversion, has none of them");
    pf_buffer_free(&passes);
}

void pf_cli_warn_of_damage(pf_cli_run *run, const pf_trace *t)
{
    for (size_t i = 0; i < pf_trace_input_count(t); i++) {
        warn_of(run, t, i);
        tell_left_out(run, t, i);
    }
}
