/* stub_pass.c - a whole pass in one file: it registers itself in the command that it is linked into (postfetto_stub).
 *
 * It compares the slices of two traces, base and new, weighed by a document where there is one. It draws what it found,
 * reports it in every form and place that there is, makes a trace of its own out of the new one, and comes to a verdict
 * where the new trace is slower. Only public headers are used.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "postfetto/postfetto.h"

enum { OPT_SLOWER, OPT_KINDS, OPT_TAG, OPT_WEIGHTS, OPT_SPAN, OPT_ROWS, OPT_QUICK, OPTIONS };

static const pf_option options[OPTIONS] = {
    [OPT_SLOWER] = {.name = "slower",
                    .type = PF_OPTION_REAL,
                    .help = "ratio of the totals from which the new trace is slower",
                    .fallback = "1.05",
                    .within = ">0.."},
    [OPT_KINDS] = {.name = "kinds",
                   .letter = 'C',
                   .type = PF_OPTION_SET,
                   .choices = "slices|counters|flows",
                   .help = "what is counted",
                   .fallback = "slices",
                   .traits = PF_OPTION_WORDS},
    [OPT_TAG] = {.name = "tag", .type = PF_OPTION_TEXT, .help = "a word to report", .traits = PF_OPTION_REPEATABLE},
    [OPT_WEIGHTS] = {.name = "weights", .type = PF_OPTION_PATH, .help = "a JSON, YAML or CSV file of weights by name"},
    [OPT_SPAN] = {.name = "longer-than",
                  .type = PF_OPTION_DURATION,
                  .help = "slices up to this length do not count",
                  .fallback = "0"},
    [OPT_ROWS] = {.name = "slice-rows",
                  .type = PF_OPTION_INT,
                  .help = "rows of the slice table that count",
                  .within = "0.."},
    [OPT_QUICK] = {.name = "quick", .type = PF_OPTION_FLAG, .help = "is only reported"},
};

enum { ROLE_BASE, ROLE_NEW, ROLE_WEIGHTS, ROLES };

static const pf_role roles[ROLES] = {
    [ROLE_BASE] = {.name = "base",
                   .kind = PF_ROLE_TRACES,
                   .least = 1,
                   .most = 1,
                   .want = PF_WANT_SLICES,
                   .help = "the trace to compare with"},
    [ROLE_NEW] = {.name = "new",
                  .kind = PF_ROLE_TRACES,
                  .least = 1,
                  .most = 1,
                  .want = PF_WANT_TABLES,
                  .on_request = true,
                  .help = "the trace that is judged"},
    [ROLE_WEIGHTS] = {.name = "weights",
                      .kind = PF_ROLE_DOCUMENT,
                      .most = 1,
                      .option = "weights",
                      .option_only = true,
                      .may_be_missing = true,
                      .help = "a weight for each name"},
};

static const pf_column columns[] = {{"trace", PF_CELL_TEXT, 0, ""},
                                    {"slices", PF_CELL_INT, 0, ""},
                                    {"total", PF_CELL_INT, 0, "ns"},
                                    {"mean", PF_CELL_REAL, 2, "ns"}};
static const pf_pass_table tables[] = {{"stub_totals", "one row for each trace", columns, 4}};
static const pf_stage stages[] = {{"sum", NULL, "adds the lengths"}, {"draw", "output", NULL}, {"sum", NULL, NULL}};

typedef struct totals {
    int64_t slices, total;
} totals;

static totals sum(const pf_trace *t, const pf_option_value *v)
{
    totals sum = {0, 0};
    const pf_slices *s = pf_trace_slices(t);
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->dur[i] > v[OPT_SPAN].i && (!v[OPT_ROWS].set || i < v[OPT_ROWS].i)) {
            sum.slices++;
            sum.total += s->dur[i];
        }
    }
    return sum;
}

/* The weight of "total" in the document, in whichever language it is; 1 without one. */
static pf_status weigh(const pf_pass_context *ctx, pf_findings *f, double *weight, pf_error *err)
{
    *weight = 1;
    const pf_pass_files *given = &ctx->roles[ROLE_WEIGHTS];
    if (given->count == 0) {
        return PF_OK;
    }
    const pf_pass_file *file = &given->files[0];
    if (file->missing) {
        pf_findings_show_line(f, PF_NOTICE, "no weights: %s (%d)", file->path, file->missing);
        return PF_OK;
    }
    if (strstr(file->path, ".csv")) {
        pf_csv *csv;
        const pf_str *row;
        pf_status st = pf_csv_open(file->bytes, NULL, &csv, err);
        size_t name = st == PF_OK ? pf_csv_column(csv, "name") : 0,
               value = st == PF_OK ? pf_csv_column(csv, "weight") : 0;
        while (st == PF_OK && (st = pf_csv_next(csv, &row, err)) == PF_OK && row) {
            if (row[name].len == 5 && memcmp(row[name].ptr, "total", 5) == 0) {
                *weight = strtod(row[value].ptr, NULL);
            }
        }
        pf_csv_free(csv);
        return st;
    }
    pf_document *d;
    pf_status st = strstr(file->path, ".yaml") ? pf_yaml_parse(file->bytes, NULL, &d, err)
                                               : pf_json_parse(file->bytes, NULL, &d, err);
    if (st != PF_OK) {
        pf_error_in(err, file->path);
        return st;
    }
    pf_findings_adopt(f, d);
    pf_findings_report_json(f, PF_STR("weights.json"), pf_document_root(d), true);
    const pf_node *n = pf_node_get(pf_document_root(d), "total");
    *weight = n && n->type == PF_NODE_REAL ? n->as.d : n && n->type == PF_NODE_INT ? (double)n->as.i : 1;
    return PF_OK;
}

static pf_table_builder *tabulate(pf_findings *f, const totals *t)
{
    static const char *const names[] = {"base", "new, \"quoted\""};
    pf_table_builder *b = pf_table_new_named(f, "stub_totals", PF_STR("Totals"), columns, 4);
    for (size_t i = 0; i < 2; i++) {
        const pf_cell row[] = {{.as.s = {names[i], strlen(names[i])}},
                               {.as.i = t[i].slices},
                               {.as.i = t[i].total},
                               {.null = t[i].slices == 0, .as.d = (double)t[i].total / (double)t[i].slices}};
        pf_table_row(f, b, row);
    }
    return b;
}

static void report(const pf_pass_context *ctx, pf_findings *f, const totals *t, const pf_table_builder *table)
{
    static const pf_json_style utf8 = {.one_line = true, .utf8 = true, .final_newline = true};
    static const pf_csv_style semicolons = {.separator = ';', .crlf = true};
    static const unsigned char picture[] = {0x89, 'P', 'N', 'G', 0, '\n'};
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_text(f, root,
                     PF_STR("gr\xc3\xb6\xc3\x9f"
                            "e"),
                     PF_STR("\xe2\x82\xac"));
    pf_node_add_int(f, root, PF_STR("total"), t[1].total);
    pf_node_add_bool(f, root, PF_STR("quick"), ctx->values[OPT_QUICK].b);
    pf_pass_add_parameters(pf_pass_find("stub"), ctx->values, f,
                           pf_node_add(f, root, PF_STR("parameters"), PF_NODE_OBJECT));
    pf_findings_set_summary(f, root);
    pf_findings_add_report(f, &(pf_report){.file = PF_STR("one.json"), .root = root, .json = &utf8, .announced = true});
    pf_findings_report_csv(f, PF_STR("totals.csv"), table, true);
    pf_findings_add_report(
        f, &(pf_report){.file = PF_STR("semi.csv"), .form = PF_REPORT_CSV, .table = table, .csv = &semicolons});
    pf_text *bytes = pf_text_new(f), *line = pf_text_new(f), *beside = pf_text_new(f);
    pf_text_put(f, bytes, (pf_str){(const char *)picture, sizeof picture});
    pf_findings_report_text(f, PF_STR("picture.png"), bytes, true);
    for (size_t i = 0; i < ctx->values[OPT_TAG].count; i++) {
        pf_str tag = ctx->values[OPT_TAG].all[i].s;
        pf_text_format(f, line, "tag %.*s\n", (int)tag.len, tag.ptr);
    }
    pf_text_format(f, line, "kinds %" PRIu64 ", jobs %u, stem %s\n", ctx->values[OPT_KINDS].u, ctx->jobs,
                   ctx->output_stem ? ctx->output_stem : "-");
    pf_findings_print(f, line);
    pf_text_format(f, beside, "total %" PRId64 "\n", t[1].total);
    pf_findings_add_report(
        f,
        &(pf_report){.file = PF_STR("beside.txt"), .form = PF_REPORT_BYTES, .text = beside, .place = PF_PLACE_BESIDE});
    if (ctx->output && strstr(ctx->output, ".txt")) {
        pf_findings_add_report(f, &(pf_report){.form = PF_REPORT_BYTES, .text = beside, .place = PF_PLACE_OUTPUT});
    }
}

/* The new trace with all events a millisecond later, and the totals drawn into it. */
static pf_status derive(const pf_pass_context *ctx, const pf_trace *t, const totals *sums, pf_findings *f,
                        pf_error *err)
{
    pf_builder *b = pf_builder_derive(t, NULL);
    for (uint32_t i = 0; b && i < pf_trace_events(t)->count; i++) {
        pf_build_copy_event(b, i);
        pf_build_set_ts(b, pf_trace_events(t)->ts[i] + 1000000);
    }
    pf_trace *later = NULL;
    pf_status st = b ? pf_builder_finish(b, &later, err) : pf_fail(err, PF_ERR_MEMORY, "no builder");
    pf_builder_free(b);
    if (st != PF_OK) {
        return st;
    }
    const pf_overlay_track track = {.kind = PF_OVERLAY_SLICES, .parent = PF_NONE, .name = PF_STR("stub totals")};
    pf_overlay_slice(f, pf_overlay_add_track(f, &track), 1000000, sums[1].total, PF_STR("total"));
    bool text = ctx->output && strstr(ctx->output, ".txt");
    pf_findings_report_trace(f, PF_STR("later.json"), later, ctx->output && !text ? PF_PLACE_OUTPUT : PF_PLACE_REPORTS);
    return PF_OK;
}

static pf_status run(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    pf_pass_file file;
    double weight, *scratch = pf_pass_alloc(ctx, 2, sizeof *scratch, err);
    pf_status st = scratch ? pf_pass_poll(ctx, err) : PF_ERR_MEMORY;
    st = st == PF_OK ? weigh(ctx, f, &weight, err) : st;
    st = st == PF_OK ? pf_pass_open(ctx, ROLE_NEW, 0, 0, &file, err) : st;
    if (st != PF_OK) {
        return st;
    }
    totals t[2] = {{0, 0}, {0, 0}};
    if (pf_pass_stage(ctx, 0)) {
        t[0] = sum(ctx->trace, ctx->values);
        t[1] = sum(file.trace, ctx->values);
    }
    const pf_table_builder *table = tabulate(f, t);
    pf_findings_show_table(f, table);
    report(ctx, f, t, table);
    st = pf_pass_stage(ctx, 1) ? derive(ctx, file.trace, t, f, err) : PF_OK;
    pf_pass_close(ctx, ROLE_NEW, 0);
    scratch[0] = (double)t[0].total * ctx->values[OPT_SLOWER].d;
    scratch[1] = (double)t[1].total * weight;
    if (scratch[1] > scratch[0]) {
        pf_findings_set_verdict(f, "slower: %g against %g", scratch[1], scratch[0]);
    }
    return st;
}

static const pf_pass stub = {
    .name = "stub",
    .summary = "compares the slices of two traces",
    .options = options,
    .option_count = OPTIONS,
    .roles = roles,
    .role_count = ROLES,
    .tables = tables,
    .table_count = 1,
    .stages = stages,
    .stage_count = 3,
    .outputs = "txt|json",
    .derives = true,
    .reports_by_output = true,
    .run = run,
};

__attribute__((constructor)) static void register_stub(void)
{
    pf_error err;
    if (pf_pass_register(&stub, &err) != PF_OK) {
        abort();
    }
}
