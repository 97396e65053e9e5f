/* cli/commands/info/cmd_info.c - `postfetto info FILE`: what is in a trace.
 *
 * All tables are built, so that --stats measures a whole import. The text form fits the terminal and shows the
 * first few of every list; --json has everything.
 */
#include <inttypes.h>

#include "base/budget.h"
#include "base/str.h"
#include "cli/commands/info/info.h"
#include "cli/page/page_facts.h"
#include "cli/thresholds/thresholds.h"

#define LABEL 10 /* columns of a label in the head */

typedef struct info_settings {
    pf_cli_settings common;
    bool formats;
} info_settings;

#define AT(member) offsetof(info_settings, member)
static const pf_option options[] = {
    {"output", 'o', PF_OPTION_PATH, AT(common.out), "OUT", NULL, "standard output", "where the text goes"},
    {"json", 0, PF_OPTION_FLAG, AT(common.json), NULL, NULL, NULL, "everything as JSON"},
    {"report", 0, PF_OPTION_PATH, AT(common.report), "DIR", NULL, NULL,
     "folder for the files of --pictures, created if missing"},
    {"top", 0, PF_OPTION_INT, AT(common.rows), "N", NULL, NULL, "as --rows was called", .within = "1..",
     .traits = PF_OPTION_HIDDEN},
    {"formats", 0, PF_OPTION_FLAG, AT(formats), NULL, NULL, NULL, "list the formats and dialects that are read"},
};

#define ROW_COUNTS 7

static const char *const ROW_TABLES[ROW_COUNTS] = {"event",  "slice",   "counter", "track",
                                                   "thread", "process", "metadata"};

static void count_tables(const pf_trace *t, uint32_t out[ROW_COUNTS])
{
    const uint32_t counts[ROW_COUNTS] = {pf_trace_events(t)->count,   pf_trace_slices(t)->count,
                                         pf_trace_counters(t)->count, pf_trace_tracks(t)->count,
                                         pf_trace_threads(t)->count,  pf_trace_processes(t)->count,
                                         pf_trace_metadata(t)->count};
    memcpy(out, counts, sizeof counts);
}

/* The same of the idle thread. */
static bool thread_is_real(const pf_trace *t, const pf_cli_summary *s, uint32_t utid)
{
    return utid != 0 || s->thread[0].tracks > 0 || pf_trace_threads(t)->name[0] != 0;
}

static void put_label(pf_buffer *b, const char *label)
{
    pf_buffer_format(b, "%-*s  ", LABEL, label);
}

static void put_head(pf_buffer *b, const pf_trace *t)
{
    pf_cli_put_input(b, t, LABEL);
    int64_t start, end, span;
    pf_trace_bounds(t, &start, &end);
    put_label(b, "time");
    pf_buffer_format(b, "%" PRId64 " to %" PRId64 " %s", start, end,
                     pf_trace_time_unit(t) == PF_UNIT_CYCLE ? "cycles" : "ns");
    if (!__builtin_sub_overflow(end, start, &span)) {
        pf_buffer_text(b, ", length ");
        pf_cli_put_span(b, span, pf_trace_time_unit(t));
    }
    pf_buffer_put(b, "\n", 1);
    put_label(b, "time unit");
    pf_buffer_text(b, pf_trace_time_unit(t) == PF_UNIT_CYCLE ? "cycle (written to Perfetto traces as 1 ns)\n" : "ns\n");
}

static void put_passes(pf_buffer *b, const pf_trace *t)
{
    size_t fitting = 0;
    put_label(b, "passes");
    for (size_t i = 0; i < pf_pass_count(); i++) {
        const pf_pass *p = pf_pass_at(i);
        if (p->fits && p->fits(t)) {
            pf_buffer_format(b, "%s%s (postfetto analyze %s --help)", fitting++ ? ", " : "", p->name, p->name);
        }
    }
    pf_buffer_text(b, fitting ? "\n" : "none fits\n");
}

/* "N THING"; the words bring what follows them. */
static void put_count(pf_buffer *b, uint32_t count, const char *one, const char *many)
{
    pf_buffer_format(b, "%" PRIu32 " %s", count, count == 1 ? one : many);
}

/* Side tables that have rows. */
static void put_side_rows(pf_buffer *b, const pf_trace *t)
{
    pf_buffer list = {0};
    for (size_t i = 0; i < pf_trace_table_count(t); i++) {
        const pf_side_table *s = pf_trace_table_at(t, i);
        if (s->count) {
            pf_buffer_format(&list, "%s%s %" PRIu32, list.len ? ", " : "", s->spec->name, s->count);
        }
    }
    if (list.len || list.failed) {
        put_label(b, "side rows");
        pf_cli_put_wrapped_buffer(b, &list, LABEL + 2, LABEL + 2);
        pf_buffer_put(b, "\n", 1);
    }
}

static void put_rows(pf_buffer *b, const pf_trace *t, const pf_cli_summary *s)
{
    uint32_t counts[ROW_COUNTS];
    uint32_t processes = pf_trace_processes(t)->count, threads = pf_trace_threads(t)->count, tracks = 0;
    processes -= processes > 0 && !pf_cli_process_is_real(t, s, 0);
    threads -= threads > 0 && !thread_is_real(t, s, 0);
    for (size_t i = 0; i < PF_TRACK_TYPE_COUNT; i++) {
        tracks += s->type[i].tracks;
    }
    put_label(b, "contains");
    put_count(b, processes, "process, ", "processes, ");
    put_count(b, threads, "thread, ", "threads, ");
    put_count(b, tracks, "track with data\n", "tracks with data\n");
    count_tables(t, counts);
    put_label(b, "rows");
    for (size_t i = 0; i < ROW_COUNTS; i++) {
        pf_buffer_format(b, "%s%s %" PRIu32, i ? i == 4 ? ",\n            " : ", " : "", ROW_TABLES[i], counts[i]);
    }
    pf_buffer_put(b, "\n", 1);
    put_side_rows(b, t);
}

static void put_damage(pf_buffer *b, const pf_trace *t)
{
    pf_stat s;
    pf_buffer_text(b, "\nDamage\n");
    for (size_t i = 0; pf_cli_damage(t, PF_CLI_ALL_INPUTS, i, &s); i++) {
        pf_buffer text = {0};
        if (s.first_offset != PF_NOWHERE) {
            pf_buffer_format(&text, "first at byte %" PRIu64 ": ", s.first_offset);
        }
        pf_buffer_text(&text, s.description);
        pf_buffer_format(b, "%-*s  %s: %" PRIu64 " %s\n%*s  ", LABEL, pf_severity_name(s.severity), s.name, s.count,
                         s.count == 1 ? "time" : "times", LABEL, "");
        pf_cli_put_wrapped_buffer(b, &text, LABEL + 2, LABEL + 2);
        pf_buffer_put(b, "\n", 1);
    }
}

static pf_status put_text(pf_cli_run *run, const pf_cli_summary *s)
{
    pf_buffer b = {0};
    bool damaged = pf_cli_damage(run->trace, PF_CLI_ALL_INPUTS, 0, &(pf_stat){0});
    put_head(&b, run->trace);
    put_passes(&b, run->trace);
    pf_cli_put_clocks(&b, run->trace, LABEL);
    pf_cli_put_sequences(&b, run->trace, LABEL);
    put_rows(&b, run->trace, s);
    if (!damaged) {
        put_label(&b, "damage");
        pf_buffer_text(&b, "none\n");
    }
    pf_cli_put_inputs(&b, run, s);
    size_t top = run->set->rows ? run->set->rows : SIZE_MAX;
    pf_cli_put_names(&b, run, s, top);
    pf_cli_put_processes(&b, run, s, top);
    pf_cli_put_packets(&b, run);
    if (damaged) {
        put_damage(&b, run->trace);
    }
    return pf_cli_put_buffer(run, run->set->out, &b);
}

static void add_text(pf_findings *f, pf_node *parent, const char *key, pf_str text)
{
    pf_node_add_text(f, parent, pf_str_of(key), text);
}

static void add_int(pf_findings *f, pf_node *parent, const char *key, uint64_t v)
{
    pf_node_add_int(f, parent, pf_str_of(key), v > INT64_MAX ? INT64_MAX : (int64_t)v);
}

static void add_counts(pf_findings *f, pf_node *o, const pf_cli_owner_counts *c)
{
    add_int(f, o, "slices", c->slices);
    add_int(f, o, "samples", c->samples);
}

static pf_node *add_object(pf_findings *f, pf_node *list)
{
    return pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
}

/* "pid" or "tid": a number, a text as it was written, or null. */
static void add_id(pf_findings *f, pf_node *o, const char *key, const pf_trace *t, uint8_t kind, int64_t id,
                   uint32_t text)
{
    if (kind == PF_ID_INT) {
        pf_node_add_int(f, o, pf_str_of(key), id);
    } else {
        add_text(f, o, key, kind == PF_ID_ABSENT ? (pf_str){NULL, 0} : pf_trace_string(t, text));
    }
}

static void add_head(pf_findings *f, pf_node *root, const pf_trace *t)
{
    const pf_input *in = pf_trace_input(t, 0);
    int64_t start, end, span;
    pf_trace_bounds(t, &start, &end);
    pf_cli_add_input(f, root, in, pf_trace_dialect(t));
    add_int(f, root, "input_bytes", in->stored_bytes);
    add_int(f, root, "plain_bytes", in->plain_bytes);
    add_text(f, root, "time_unit", pf_str_of(pf_cli_unit_name(pf_trace_time_unit(t))));
    pf_node_add_int(f, root, PF_STR("start"), start);
    pf_node_add_int(f, root, PF_STR("end"), end);
    pf_node_add_int(f, root, PF_STR("length"), __builtin_sub_overflow(end, start, &span) ? INT64_MAX : span);
}

static void add_tables(pf_findings *f, pf_node *root, const pf_trace *t)
{
    uint32_t counts[ROW_COUNTS];
    count_tables(t, counts);
    pf_node *rows = pf_node_add(f, root, PF_STR("rows"), PF_NODE_OBJECT);
    for (size_t i = 0; i < ROW_COUNTS; i++) {
        add_int(f, rows, ROW_TABLES[i], counts[i]);
    }
    for (size_t i = 0; i < pf_trace_table_count(t); i++) {
        const pf_side_table *s = pf_trace_table_at(t, i);
        if (s->count) {
            add_int(f, rows, s->spec->name, s->count);
        }
    }
}

/* Where the memory of the trace is, by table. */
static void add_memory(pf_findings *f, pf_node *root, const pf_trace *t)
{
    pf_node *list = pf_node_add(f, root, PF_STR("memory"), PF_NODE_LIST);
    pf_table_size size;
    for (size_t i = 0; pf_trace_table_size(t, i, &size); i++) {
        if (size.rows) {
            pf_node *o = add_object(f, list);
            add_text(f, o, "table", pf_str_of(size.name));
            add_int(f, o, "rows", size.rows);
            add_int(f, o, "bytes", size.bytes);
        }
    }
}

static void add_processes(pf_findings *f, pf_node *root, const pf_trace *t, const pf_cli_summary *s)
{
    const pf_processes *p = pf_trace_processes(t);
    pf_node *list = pf_node_add(f, root, PF_STR("processes"), PF_NODE_LIST);
    for (uint32_t i = 0; i < p->count; i++) {
        if (!pf_cli_process_is_real(t, s, i)) {
            continue;
        }
        pf_node *o = add_object(f, list);
        add_int(f, o, "upid", i);
        add_id(f, o, "pid", t, p->kind[i], p->pid[i], p->text[i]);
        add_text(f, o, "name", pf_trace_string(t, p->name[i]));
        add_text(f, o, "label", s->process[i].label[0] ? pf_str_of(s->process[i].label) : (pf_str){NULL, 0});
        add_int(f, o, "threads", s->process[i].threads);
        add_int(f, o, "tracks", s->process[i].tracks);
        add_counts(f, o, &s->process[i]);
    }
}

static void add_threads(pf_findings *f, pf_node *root, const pf_trace *t, const pf_cli_summary *s)
{
    const pf_threads *th = pf_trace_threads(t);
    pf_node *list = pf_node_add(f, root, PF_STR("threads"), PF_NODE_LIST);
    for (uint32_t i = 0; i < th->count; i++) {
        if (!thread_is_real(t, s, i)) {
            continue;
        }
        pf_node *o = add_object(f, list);
        add_int(f, o, "utid", i);
        add_int(f, o, "upid", th->upid[i]);
        add_id(f, o, "tid", t, th->kind[i], th->tid[i], th->text[i]);
        add_text(f, o, "name", pf_trace_string(t, th->name[i]));
        add_counts(f, o, &s->thread[i]);
    }
}

static void add_tracks(pf_findings *f, pf_node *root, const pf_cli_summary *s)
{
    pf_node *list = pf_node_add(f, root, PF_STR("tracks"), PF_NODE_LIST);
    for (size_t i = 0; i < PF_TRACK_TYPE_COUNT; i++) {
        if (s->type[i].tracks > 0) {
            pf_node *o = add_object(f, list);
            add_text(f, o, "type", pf_str_of(pf_track_type_name((pf_track_type)i)));
            add_int(f, o, "tracks", s->type[i].tracks);
            add_counts(f, o, &s->type[i]);
        }
    }
}

static void add_names(pf_findings *f, pf_node *root, const pf_trace *t, const pf_cli_summary *s)
{
    pf_node *list = pf_node_add(f, root, PF_STR("names"), PF_NODE_LIST);
    for (size_t i = 0; i < s->name_count; i++) {
        pf_node *o = add_object(f, list);
        add_text(f, o, "name", pf_trace_string(t, s->names[i].name));
        add_text(f, o, "category", pf_trace_string(t, s->names[i].category));
        add_int(f, o, "count", s->names[i].count);
        pf_node_add_int(f, o, PF_STR("total"), s->names[i].total);
        pf_node_add_real(f, o, PF_STR("mean"), (double)s->names[i].total / (double)s->names[i].count);
    }
}

static pf_status put_json(pf_cli_run *run, const pf_cli_summary *s)
{
    pf_node *root = pf_cli_new_document(run);
    pf_findings *f = run->findings;
    const pf_trace *t = run->trace;
    add_head(f, root, t);
    pf_node *passes = pf_node_add(f, root, PF_STR("passes"), PF_NODE_LIST);
    for (size_t i = 0; i < pf_pass_count(); i++) {
        if (pf_pass_at(i)->fits && pf_pass_at(i)->fits(t)) {
            pf_node_add_text(f, passes, (pf_str){NULL, 0}, pf_str_of(pf_pass_at(i)->name));
        }
    }
    pf_cli_add_inputs(f, root, t, s);
    add_tables(f, root, t);
    add_memory(f, root, t);
    add_processes(f, root, t, s);
    add_threads(f, root, t, s);
    add_tracks(f, root, s);
    add_names(f, root, t, s);
    pf_cli_add_packets(f, root, t);
    pf_cli_add_damage(f, root, t);
    return pf_cli_put_document(run, run->set->out, root);
}

static pf_status info(pf_cli_run *run)
{
    if (((const info_settings *)run->set)->formats) {
        return pf_cli_list_formats(run);
    }
    if (run->operand_count == 0) {
        return pf_cli_usage(run, "no file is named; write postfetto info FILE...");
    }
    PF_TRY(pf_cli_check_output(run, run->operands, run->operand_count, run->set->out));
    PF_TRY(pf_cli_check_page(run, run->operands, run->operand_count));
    PF_TRY(pf_cli_thresholds_try(run));
    PF_TRY(pf_cli_read(run, run->operands, run->operand_count, PF_WANT_TABLES, false));
    pf_cli_summary s;
    run->findings = pf_findings_new(&run->set->limits);
    PF_TRY(!run->findings || !pf_cli_summarize(run->trace, &run->set->limits, &s) ? pf_no_memory(&run->err) : PF_OK);
    pf_status st = run->set->json ? put_json(run, &s) : put_text(run, &s);
    st = st == PF_OK ? pf_cli_thresholds_judge(run, run->operands[0], true) : st;
    st = st == PF_OK && (run->set->html || run->set->pictures) ? pf_cli_info_page(run, &s) : st;
    pf_cli_summary_free(&s);
    return st;
}

const pf_cli_command pf_cli_info = {
    .name = "info",
    .usage = "FILE... [options] | --formats",
    .summary = "show what is in a trace",
    .examples = {"info trace.json.gz", "info --json trace.pftrace | jq .rows"},
    .description = "Format, sizes, time bounds, clocks, rows of every table, packets by kind, processes, the names "
                   "that take most time in each category (children "
                   "included), those of the device first, all damage that was met, and the passes of 'postfetto "
                   "analyze' that fit.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .has_thresholds = true,
    .has_page = true,
    .has_rows = true,
    .settings_size = sizeof(info_settings),
    .run = info,
};
