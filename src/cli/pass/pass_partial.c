/* cli/pass/pass_partial.c - what a pass found as a partial (--partial): tables, and a manifest that says by which
 * postfetto, which pass and which options. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/files/file.h"
#include "base/files/fingerprint.h"
#include "base/str.h"
#include "base/text/number.h"
#include "cli/pass/pass.h"
#include "tables/partial_file.h"
#include "write/columns/archive/partial.h"

enum { READING_OPTIONS = 5 };
static const char option_name[] = "partial";

const char *pf_cli_partial(const pf_cli_run *run)
{
    size_t at = pf_options_find(run->pass->options, run->pass->option_count, option_name, sizeof option_name - 1);
    return at < run->pass->option_count && run->values[at].set ? run->values[at].s.ptr : NULL;
}

void pf_cli_set_partial(const pf_pass *p, pf_option_value *values, const char *path)
{
    size_t at = pf_options_find(p->options, p->option_count, option_name, sizeof option_name - 1);
    values[at] = (pf_option_value){.set = true, .s = pf_str_of(path)};
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

/* An option that the manifest says, as a command line has it. */
typedef struct said {
    pf_str name, value;
    char room[PF_NUMBER_MAX];
} said;

static bool say(said *s, const char *name, const char *value)
{
    s->name = pf_str_of(name);
    s->value = value ? pf_str_of(value) : (pf_str){NULL, 0};
    return value;
}

static bool say_limit(said *s, const char *name, uint64_t value, uint64_t usual)
{
    snprintf(s->room, sizeof s->room, "%" PRIu64, value);
    return say(s, name, value != usual ? s->room : NULL);
}

/* Those of the pass, and of reading what changes what is read; false where the i-th was not given. */
static bool option_at(const pf_cli_run *run, size_t i, said *s)
{
    const pf_pass *p = run->pass;
    const pf_cli_settings *set = run->set;
    const pf_limits usual = pf_limits_default();
    if (i < p->option_count) {
        s->name = pf_str_of(p->options[i].name);
        s->value = pf_pass_value_text(&p->options[i], &run->values[i], s->room);
        return run->values[i].set && !pf_str_is(s->name, option_name);
    }
    switch (i - p->option_count) {
    case 0:
        return say(s, "dialect", set->dialect);
    case 1:
        return say(s, "input-format", set->input_format);
    case 2:
        return say(s, "merge-pids", set->merge_pids ? "true" : NULL);
    case 3:
        return say_limit(s, "max-depth", set->depth, usual.depth);
    case 4:
        return say_limit(s, "max-keys", set->keys, usual.keys);
    default:
        break;
    }
    const pf_reader_setting *own = &run->settings[i - p->option_count - READING_OPTIONS];
    return say(s, own->name, own->value);
}

static size_t option_count(const pf_cli_run *run)
{
    return run->pass->option_count + READING_OPTIONS + run->setting_count;
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
    if (run->trace && pf_trace_table(run->trace, PF_PARTIALS)) {
        add_options_of_partials(run, options);
        return root;
    }
    for (size_t i = 0; i < option_count(run); i++) {
        said s;
        if (option_at(run, i, &s)) {
            pf_node_add_text(f, options, s.name, s.value);
        }
    }
    return root;
}

static pf_str text_at(const pf_trace *t, const pf_side_table *s, const char *column, uint32_t row)
{
    uint32_t c = pf_side_column_named(s, column);
    return c != PF_NONE && s->spec->columns[c].type == PF_COLUMN_TEXT ? pf_trace_string(t, *pf_side_ref(s, c, row))
                                                                      : PF_STR("");
}

static bool has_options(const pf_cli_run *run, const pf_trace *t)
{
    const pf_side_table *s = pf_trace_table(t, PF_PARTIAL_OPTIONS);
    uint32_t rows = s ? s->count : 0, at = 0;
    for (size_t i = 0; i < option_count(run); i++) {
        said o;
        if (option_at(run, i, &o)) {
            bool same = at < rows && pf_str_equal(text_at(t, s, "name", at), o.name) &&
                        pf_str_equal(text_at(t, s, "value", at), o.value);
            at = same ? at + 1 : rows + 1;
        }
    }
    return at == rows;
}

/* Of this version and that input, whose bytes have not changed. */
static bool is_of(const pf_cli_run *run, const pf_trace *t, const char *path)
{
    char table[64], hash[33];
    snprintf(table, sizeof table, PF_PARTIAL_PREFIX "%s_part_inputs", run->pass->name);
    const pf_side_table *m = pf_trace_table(t, PF_PARTIALS), *inputs = pf_trace_table(t, table);
    if (!m || !inputs || inputs->count != 1 || !pf_str_is(text_at(t, m, "version", 0), pf_version()) ||
        !pf_str_is(text_at(t, m, "pass", 0), run->pass->name) || !pf_str_is(text_at(t, inputs, "input", 0), path) ||
        !has_options(run, t)) {
        return false;
    }
    pf_budget budget;
    pf_file file;
    pf_error err;
    struct stat sb;
    if (stat(path, &sb) == 0 && S_ISDIR(sb.st_mode)) {
        pf_fingerprint_folder(path, hash);
        return pf_str_is(text_at(t, inputs, "hash", 0), hash);
    }
    pf_budget_init(&budget, &run->set->limits);
    bool same = pf_file_open(&file, path, true, &budget, &err) == PF_OK;
    if (same) {
        pf_fingerprint_file(&file, hash);
        same = pf_str_is(text_at(t, inputs, "hash", 0), hash);
        pf_file_close(&file);
    }
    pf_budget_end(&budget);
    return same;
}

bool pf_cli_partial_is_current(pf_cli_run *run, const char *partial, const char *trace)
{
    pf_read_options o = pf_cli_read_options(run, partial);
    pf_trace *t = NULL;
    pf_error err;
    o.input_format = "partial";
    o.dialect = NULL;
    o.want = 0;
    bool current = !run->set->strict && access(partial, R_OK) == 0 && pf_read(&partial, 1, &o, &t, &err) == PF_OK &&
                   is_of(run, t, trace); /* of damage no partial says anything */
    pf_trace_free(t);
    return current;
}

pf_status pf_cli_write_partial(pf_cli_run *run, pf_buffer *lines)
{
    const char *path = pf_cli_partial(run);
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    if (!path) {
        return PF_OK;
    }
    pf_write_options o = pf_cli_write_options(run);
    o.sync = !run->in_collection;
    pf_cli_signals_hold(true);
    pf_status st = pf_partial_write(run->findings, make_manifest(run), path, &o, &err);
    pf_cli_signals_hold(false);
    if (st == PF_OK && !pf_outfile_is_standard(path)) {
        pf_buffer_format(lines, "[write] %s\n", path);
    }
    return st == PF_OK ? st : pf_cli_report(run, pf_cli_out_name(path), &err);
}
