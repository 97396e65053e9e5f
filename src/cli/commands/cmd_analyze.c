/* cli/commands/cmd_analyze.c - `postfetto analyze PASS FILE...`: runs a pass (cli/pass/run_pass.c), or lists passes and
 * stages. */
#include <stdlib.h>

#include "base/budget.h"
#include "base/str.h"
#include "cli/pass/pass.h"

typedef struct analyze_settings {
    pf_cli_settings common;
    bool list, stages;
    const char *collection, *cache;
    pf_option_value skip_stage; /* its list */
} analyze_settings;

#define AT(member) offsetof(analyze_settings, member)
static const pf_option options[] = {
    {"output", 'o', PF_OPTION_PATH, AT(common.out), "ENRICHED", NULL, NULL,
     "write the input with the findings drawn in: .pftrace or .perfetto-trace, either with .gz, or .perfetto.tar; '-' "
     "is standard output"},
    {"report", 0, PF_OPTION_PATH, AT(common.report), "DIR", NULL, NULL,
     "folder for the reports, created if missing; without it only aie and aiu write any, next to their input or -o, as "
     "their originals do"},
    {"collection", 0, PF_OPTION_PATH, AT(collection), "DIR", NULL, NULL,
     "the traces of this folder one by one, --jobs of them at a time, each in a process of its own; -o is the folder "
     "for the reports. A partial of each is kept, and one that fails is a row of the table failures"},
    {"cache", 0, PF_OPTION_PATH, AT(cache), "DIR", NULL, "next to the traces",
     "folder for the partials of --collection, created if missing; those that are there are not made again"},
    {"json", 0, PF_OPTION_FLAG, AT(common.json), NULL, NULL, NULL,
     "the summary as JSON on standard output instead of the [write] lines"},
    {"list", 0, PF_OPTION_FLAG, AT(list), NULL, NULL, NULL, "list the passes"},
    {"stages", 0, PF_OPTION_FLAG, AT(stages), NULL, NULL, NULL, "list the stages of the pass, in their order"},
    {"skip-stage", 0, PF_OPTION_TEXT, AT(skip_stage), "NAME", NULL, NULL,
     "leave out a stage; the second one of a name is NAME#2", .traits = PF_OPTION_REPEATABLE},
};

static pf_status list_stages(pf_cli_run *run)
{
    const pf_pass *p = run->pass;
    pf_buffer b = {0};
    for (size_t i = 0; i < p->stage_count; i++) {
        const pf_stage *s = &p->stages[i];
        unsigned n = pf_pass_stage_number(p, i);
        pf_buffer_format(&b, n > 1 ? "%s#%u" : "%s", s->name, n);
        pf_buffer_format(&b, "%s%s%s%s%s\n", s->when ? " (with --" : "", s->when ? s->when : "", s->when ? ")" : "",
                         s->help ? ": " : "", s->help ? s->help : "");
    }
    if (p->stage_count == 0) {
        pf_cli_note(run, p->name, "is one piece and has no stages");
    }
    return pf_cli_put_buffer(run, NULL, &b);
}

static void add_word(pf_findings *f, pf_node *o, const char *key, const char *text)
{
    pf_node_add_text(f, o, pf_str_of(key), text && *text ? pf_str_of(text) : (pf_str){NULL, 0});
}

static void add_options(pf_findings *f, pf_node *pass, const pf_pass *p)
{
    pf_node *list = pf_node_add(f, pass, PF_STR("options"), PF_NODE_LIST);
    for (size_t i = 0; i < p->option_count; i++) {
        const pf_option *o = &p->options[i];
        pf_node *n = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        char letter[2] = {o->letter, '\0'};
        add_word(f, n, "name", o->name);
        add_word(f, n, "letter", letter);
        add_word(f, n, "type", pf_option_type_name(o->type));
        add_word(f, n, "choices", o->choices);
        add_word(f, n, "within", o->within);
        add_word(f, n, "unit", o->unit);
        add_word(f, n, "default", o->fallback);
        pf_node_add_bool(f, n, PF_STR("required"), o->traits & PF_OPTION_REQUIRED);
        pf_node_add_bool(f, n, PF_STR("repeatable"), o->traits & PF_OPTION_REPEATABLE);
        add_word(f, n, "help", o->help);
    }
}

static void add_tables(pf_findings *f, pf_node *pass, const pf_pass *p)
{
    pf_node *list = pf_node_add(f, pass, PF_STR("tables"), PF_NODE_LIST);
    for (size_t i = 0; i < p->table_count; i++) {
        pf_node *n = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        add_word(f, n, "name", p->tables[i].name);
        add_word(f, n, "help", p->tables[i].help);
        pf_node *columns = pf_node_add(f, n, PF_STR("columns"), PF_NODE_LIST);
        for (size_t c = 0; c < p->tables[i].column_count; c++) {
            pf_node_add_text(f, columns, (pf_str){NULL, 0}, pf_str_of(p->tables[i].columns[c].name));
        }
    }
}

static void add_pass(pf_findings *f, pf_node *list, const pf_pass *p)
{
    pf_node *pass = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
    add_word(f, pass, "name", p->name);
    add_word(f, pass, "summary", p->summary);
    pf_node *inputs = pf_node_add(f, pass, PF_STR("inputs"), PF_NODE_LIST);
    for (size_t i = 0; i < p->role_count; i++) {
        pf_node *n = pf_node_add(f, inputs, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        add_word(f, n, "name", p->roles[i].name);
        pf_node_add_int(f, n, PF_STR("least"), p->roles[i].least);
        if (p->roles[i].most) {
            pf_node_add_int(f, n, PF_STR("most"), p->roles[i].most);
        } else {
            pf_node_add(f, n, PF_STR("most"), PF_NODE_NULL);
        }
        add_word(f, n, "option", p->roles[i].option);
        add_word(f, n, "help", p->roles[i].help);
    }
    add_options(f, pass, p);
    add_tables(f, pass, p);
    pf_node *stages = pf_node_add(f, pass, PF_STR("stages"), PF_NODE_LIST);
    for (size_t i = 0; i < p->stage_count; i++) {
        pf_node_add_text(f, stages, (pf_str){NULL, 0}, pf_str_of(p->stages[i].name));
    }
}

static pf_status list_passes(pf_cli_run *run)
{
    if (!run->set->json) {
        pf_buffer b = {0};
        for (size_t i = 0; i < pf_pass_count(); i++) {
            pf_buffer_format(&b, "%-10s  %s\n", pf_pass_at(i)->name, pf_pass_at(i)->summary);
        }
        return pf_cli_put_buffer(run, NULL, &b);
    }
    pf_node *root = pf_cli_new_document(run);
    pf_findings *f = run->findings;
    pf_node *list = pf_node_add(f, root, PF_STR("passes"), PF_NODE_LIST);
    for (size_t i = 0; i < pf_pass_count(); i++) {
        add_pass(f, list, pf_pass_at(i));
    }
    return pf_cli_put_document(run, NULL, root);
}

static pf_status analyze_collection(pf_cli_run *run, const analyze_settings *set)
{
    if (set->common.out && set->common.report) {
        return pf_cli_usage(run, "-o and --report both name the folder for the reports of --collection; give one");
    }
    run->set->report = set->common.out ? set->common.out : set->common.report;
    run->set->out = NULL;
    return pf_cli_run_collection(run, set->collection, set->cache);
}

static pf_status analyze(pf_cli_run *run)
{
    const analyze_settings *set = (const analyze_settings *)run->set;
    const pf_pass *p = run->pass;
    if (set->list) {
        return list_passes(run);
    }
    if (!p) {
        return pf_cli_usage(run, "no pass is named; 'postfetto analyze --list' shows the passes");
    }
    if (set->stages) {
        return list_stages(run);
    }
    if (set->cache && !set->collection) {
        return pf_cli_usage(run, "--cache is the folder for the partials of --collection; add --collection DIR");
    }
    if (!set->collection && run->operand_count < 2 && p->roles[0].least && !p->roles[0].option && !p->inputs) {
        return pf_cli_usage(run, "no input is named; write postfetto analyze %s FILE [options]", p->name);
    }
    PF_TRY(pf_pass_complete(p, run->values, &run->err));
    run->stages = calloc(p->stage_count + 1, sizeof *run->stages);
    PF_TRY(run->stages ? PF_OK : pf_no_memory(&run->err));
    PF_TRY(pf_cli_usage_of(run, pf_pass_switch(p, NULL, true, run->stages, &run->err)));
    for (size_t k = 0; k < set->skip_stage.count; k++) {
        PF_TRY(pf_cli_usage_of(run, pf_pass_switch(p, set->skip_stage.all[k].s.ptr, false, run->stages, &run->err)));
    }
    return set->collection ? analyze_collection(run, set)
                           : pf_cli_run_pass(run, run->operands + 1, run->operand_count - 1);
}

const pf_cli_command pf_cli_analyze = {
    .name = "analyze",
    .usage = "PASS FILE... [options]",
    .summary = "measure an accelerator; write reports and an enriched trace",
    .examples = {"analyze --list", "analyze gpu trace.json.gz --html page.html -o enriched.pftrace"},
    .description =
        "A pass reads the trace and shows a summary on standard error. With --report it writes its reports into a "
        "folder and names each as '[write] PATH' on standard output. With -o the input is written once more with the "
        "findings "
        "drawn in as tracks, to be opened in a Perfetto UI. Without --report aie and aiu write theirs all "
        "the same, as their originals do: next to FILE, those of aiu next to -o; not where FILE is '-'.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .has_thresholds = true,
    .has_tables = true,
    .has_page = true,
    .has_format = true,
    .settings_size = sizeof(analyze_settings),
    .has_pass = true,
    .run = analyze,
};
