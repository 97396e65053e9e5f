/* test_refusals.c - what happens when the system refuses memory, at every place where it is asked: the program is
 * linked with allocators of its own (--wrap, tests/CMakeLists.txt), which refuse the n-th request of a call of the
 * library, for each n until the call is through. It must fail with the right status and a message, leave no output, and
 * give back what it had; or do without and give the same result. Leaks are what the sanitizers look for. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <unistd.h>

#include "../../refusing.h"
#include "../../scratch.h"
#include "../../shared.h"
#include "model/trace/trace.h"
#include "postfetto/postfetto.h"

TestSuite(refusals, .init = scratch_enter, .fini = scratch_leave, .timeout = 600);

/* ---- what is done -------------------------------------------------------------------------------------------------
 */

/* A call of the library on a trace or a path: *made is what it gives, *sum stands for all of that. */
typedef struct call {
    const char *path;
    const pf_trace *t;
    pf_trace *made;
    uint64_t sum;
} call;

typedef pf_status (*deed)(call *c, pf_error *err);

static uint64_t add(uint64_t sum, uint64_t v)
{
    return sum * 31 + v;
}

/* Equal for equal traces. */
static uint64_t sum_of(const pf_trace *t)
{
    const pf_slices *s = pf_trace_slices(t);
    const pf_counters *k = pf_trace_counters(t);
    const pf_flows *f = pf_trace_flows(t);
    uint64_t sum = add(add(pf_trace_events(t)->count, s->count), t->strings.count);
    for (uint32_t i = 0; i < s->count; i++) {
        sum = add(add(sum, (uint64_t)s->dur[i]), s->parent[i]);
    }
    for (uint32_t i = 0; i < k->count; i++) {
        sum = add(sum, (uint64_t)k->ts[i]);
    }
    sum = add(add(add(sum, pf_trace_tracks(t)->count), f->count), pf_trace_metadata(t)->count);
    sum = add(add(sum, pf_trace_processes(t)->count), pf_trace_threads(t)->count);
    for (size_t i = 0; i < pf_trace_table_count(t); i++) {
        sum = add(sum, pf_trace_table_at(t, i)->count);
    }
    for (size_t i = 0; i < PF_STAT_COUNT; i++) {
        sum = add(sum, t->stat_count[i]);
    }
    return sum;
}

static uint64_t sum_of_file(const char *path)
{
    uint64_t sum = 0;
    FILE *f = fopen(path, "rb");
    for (int c; f && (c = fgetc(f)) != EOF;) {
        sum = add(sum, (unsigned)c);
    }
    if (f) {
        fclose(f);
    }
    return sum;
}

static pf_status read_it(call *c, pf_error *err)
{
    pf_read_options o = pf_read_options_default();
    o.jobs = 1;
    o.want |= PF_WANT_ORIGINS | PF_WANT_PLACES | PF_WANT_RECORDS;
    o.limits.hash_seed = 1;
    pf_status st = pf_read(&c->path, 1, &o, &c->made, err);
    c->sum = st == PF_OK ? sum_of(c->made) : 0;
    return st;
}

/* Reads with arguments read early, more than are packed together, and asks for them. */
static pf_status read_early(call *c, pf_error *err)
{
    static const pf_arg_key keys[] = {{"n", PF_ARG_INT, false}, {"large", PF_ARG_UINT, true}};
    static const pf_early_args early = {.keys = keys, .count = 2};
    const pf_arg_options first = {.jobs = 1, .first_values = true};
    pf_read_options o = pf_read_options_default();
    pf_arg_columns *columns = NULL;
    o.jobs = 1;
    o.early_args = &early;
    pf_status st = pf_read(&c->path, 1, &o, &c->made, err);
    st = st == PF_OK ? pf_arg_columns_read(c->made, NULL, 0, keys, 2, &first, &columns, err) : st;
    c->sum = 0;
    for (uint32_t i = 0; st == PF_OK && i < pf_trace_events(c->made)->count; i++) {
        c->sum = add(add(c->sum, pf_arg_column_at(columns, 0)->values.u[i]), pf_arg_column_at(columns, 1)->values.u[i]);
    }
    pf_arg_columns_free(columns);
    pf_trace_free(c->made);
    c->made = NULL;
    return st;
}

static const char output[] = "output";

static pf_write_options alone(void)
{
    return (pf_write_options){.jobs = 1};
}

static pf_status to_packets(call *c, pf_error *err)
{
    const pf_write_options o = alone();
    pf_status st = pf_convert_pftrace(c->t, output, &o, err);
    c->sum = sum_of_file(output);
    return st;
}

static pf_status to_json(call *c, pf_error *err)
{
    const pf_write_options o = alone();
    pf_status st = pf_convert_json(c->t, output, &o, err);
    c->sum = sum_of_file(output);
    return st;
}

static pf_status to_tables(call *c, pf_table_format format, const char *table, pf_error *err)
{
    const pf_write_options o = alone();
    pf_export_options e = pf_export_options_default();
    e.table = table;
    pf_status st = pf_export_tables(c->t, format, output, &e, &o, err);
    c->sum = sum_of_file(output);
    return st;
}

static pf_status to_arrow(call *c, pf_error *err)
{
    return to_tables(c, PF_TABLES_ARROW, "slice", err);
}

static pf_status to_parquet(call *c, pf_error *err)
{
    return to_tables(c, PF_TABLES_PARQUET, "args", err);
}

static pf_status to_archive(call *c, pf_error *err)
{
    const pf_write_options o = alone();
    pf_status st = pf_export_archive(c->t, output, NULL, &o, err);
    c->sum = sum_of_file(output);
    return st;
}

static pf_status lend(call *c, pf_error *err)
{
    static const char *const names[] = {"slice", "args", "thread", "track"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ArrowSchema schema;
        struct ArrowArray array;
        pf_status st = pf_table_arrow(c->t, names[i], &schema, &array, err);
        if (st != PF_OK) {
            cr_expect(!schema.release && !array.release);
            return st;
        }
        c->sum = add(add(c->sum, (uint64_t)array.length), (uint64_t)schema.n_children);
        schema.release(&schema);
        array.release(&array);
    }
    return PF_OK;
}

/* A track of each kind, a slice with arguments, a sample, a table and a document. */
static pf_findings *draw(const pf_trace *t)
{
    static const pf_column columns[] = {{"name", PF_CELL_TEXT, 0, ""}, {"n", PF_CELL_INT, 0, "ns"}};
    const pf_cell cells[] = {{.as.s = PF_STR("a|b")}, {.as.i = 5}};
    pf_findings *f = pf_findings_new(NULL);
    pf_overlay_track track = {.parent = PF_NONE, .anchor = PF_ANCHOR_GLOBAL, .name = PF_STR("drawn")};
    if (!f) {
        return NULL;
    }
    if (pf_trace_processes(t)->count > 1) {
        track.anchor = PF_ANCHOR_PROCESS;
        track.anchor_id = 1;
    }
    uint32_t row = pf_overlay_add_track(f, &track);
    pf_overlay_slice(f, row, 100, 50, PF_STR("slice"));
    pf_overlay_arg_derived(f, PF_STR("share"), 0.5);
    track.kind = PF_OVERLAY_COUNTER;
    track.unit = PF_STR("bytes");
    pf_overlay_sample(f, pf_overlay_add_track(f, &track), 120, 7);
    pf_table_builder *table = pf_table_new(f, PF_STR("Table"), columns, 2);
    pf_table_row(f, table, cells);
    pf_findings_report_csv(f, PF_STR("t.csv"), table, true);
    pf_findings_report_markdown(f, PF_STR("t.md"), table, true);
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_rows(f, root, PF_STR("rows"), table, 0);
    pf_findings_report_json(f, PF_STR("t.json"), root, true);
    return f;
}

static pf_status enrich(call *c, pf_error *err)
{
    const pf_write_options o = alone();
    pf_findings *f = draw(c->t);
    pf_status st =
        f ? pf_findings_status(f, err) : pf_fail(err, PF_ERR_MEMORY, "the system refused memory for findings");
    st = st == PF_OK ? pf_write_enriched(c->t, f, output, &o, err) : st;
    c->sum = sum_of_file(output);
    st = st == PF_OK ? pf_write_reports(f, ".", &o, NULL, NULL, err) : st;
    c->sum = add(add(add(c->sum, sum_of_file("t.csv")), sum_of_file("t.md")), sum_of_file("t.json"));
    pf_findings_free(f);
    return st;
}

static pf_status copy(call *c, pf_error *err)
{
    pf_builder *b = pf_builder_derive(c->t, NULL);
    if (!b) {
        return pf_fail(err, PF_ERR_MEMORY, "the system refused memory for a builder");
    }
    pf_build_copy_events(b, 0, pf_trace_events(c->t)->count);
    pf_build_copy_samples(b);
    pf_status st = pf_builder_finish(b, &c->made, err);
    pf_builder_free(b);
    c->sum = st == PF_OK ? sum_of(c->made) : 0;
    return st;
}

/* ---- refusing ---------------------------------------------------------------------------------------------------- */

static pf_status once(deed act, call *c, unsigned at, pf_error *err)
{
    unlink(output);
    *err = (pf_error){.code = PF_OK};
    c->made = NULL;
    c->sum = 0;
    asked = 0;
    refuse_at = at;
    pf_status st = act(c, err);
    refuse_at = 0;
    return st;
}

/* Each request but the first `first` is refused in turn. Returns what the call gives when none is. */
static pf_trace *refuse(const char *what, deed act, call c)
{
    pf_error err;
    uint64_t used = c.t ? c.t->budget.used : 0;
    cr_assert_eq(once(act, &c, 0, &err), PF_OK, "%s %s: %s", what, c.path, err.text);
    unsigned all = asked;
    uint64_t sum = c.sum;
    pf_trace *made = c.made;
    for (unsigned n = 1; n <= all; n++) {
        if (!is_chosen()) {
            continue;
        }
        pf_status st = once(act, &c, n, &err);
        if (st == PF_OK) {
            cr_expect_eq(c.sum, sum, "%s %s: other results without request %u of %u", what, c.path, n, all);
        } else {
            cr_expect_eq(st, PF_ERR_MEMORY, "%s %s, request %u of %u: %d", what, c.path, n, all, (int)st);
            cr_expect_eq(err.code, st, "%s %s, request %u of %u", what, c.path, n, all);
            cr_expect(strstr(err.text, "refused"), "%s %s, request %u of %u: %s", what, c.path, n, all, err.text);
            cr_expect_null(c.made);
            cr_expect(access(output, F_OK) != 0 || act == enrich, "%s %s: an output is left", what, c.path);
        }
        pf_trace_free(c.made);
        if (c.t) {
            cr_expect_eq(c.t->budget.used, used, "%s %s, request %u of %u", what, c.path, n, all);
        }
    }
    return made;
}

static void refuse_all_with(const char *path)
{
    call c = {.path = path};
    pf_trace *t = refuse("reading", read_it, c);
    c.t = t;
    refuse("as packets", to_packets, c);
    refuse("as JSON", to_json, c);
    refuse("drawing into", enrich, c);
    pf_trace_free(refuse("copying", copy, c));
    pf_trace_free(t);
}

static void refuse_in_corpus(const char *pattern)
{
    char path[4096];
    glob_t found;
    snprintf(path, sizeof path, "%s/corpus/%s", shared_folder(), pattern);
    if (glob(path, 0, NULL, &found) != 0) {
        SKIP_WITHOUT_CORPUS();
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        refuse_all_with(found.gl_pathv[i]);
    }
    globfree(&found);
}

Test(refusals, fixtures)
{
    refuse_all_with(PF_FIXTURES "/aie_small.json.gz");
    refuse_all_with(PF_FIXTURES "/aie_small.pftrace.gz");
    refuse_all_with(PF_FIXTURES "/tinygrad_small.pkl");
}

Test(refusals, columns)
{
    static const char *const paths[] = {PF_FIXTURES "/aie_small.pftrace.gz", "surrogates.json"};
    scratch_write("surrogates.json", "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"name\":\"a\\ud800b\","
                                     "\"args\":{\"a\":\"\\udc00\",\"b\":7}}]");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        pf_error err;
        call c = {.path = paths[i]};
        cr_assert_eq(once(read_it, &c, 0, &err), PF_OK, "%s", err.text);
        pf_trace *t = c.made;
        c.t = t;
        refuse("as Arrow", to_arrow, c);
        refuse("as Parquet", to_parquet, c);
        refuse("as an archive", to_archive, c);
        refuse("lending", lend, c);
        pf_trace_free(t);
    }
}

Test(refusals, a_table_of_kernels)
{
    FILE *f = fopen("kernels.csv", "w");
    fputs("Device_id,Name,Start Time(us),Duration(us),Stream ID\n", f);
    for (int i = 0; i < 300; i++) {
        fprintf(f, "%d%s,k%d,%d,1,%d\n", i / 9, i % 2 ? "" : "x", i, i, i % 5);
    }
    fclose(f);
    refuse_all_with("kernels.csv");
}

Test(refusals, early_arguments)
{
    FILE *f = fopen("early.json", "w");
    fputs("[", f);
    for (int i = 0; i < 2500; i++) {
        fprintf(f, "%s{\"ph\":\"i\",\"ts\":%d,\"name\":\"a\",\"args\":{\"n\":%d,\"large\":\"%d00000000000\"}}",
                i ? "," : "", i, i % 90, i);
    }
    fputs("]", f);
    fclose(f);
    refuse("reading arguments early", read_early, (call){.path = "early.json"});
}

Test(refusals, json_of_the_corpus)
{
    refuse_in_corpus("perfetto/json/*/trace.json");
}

Test(refusals, packets_of_the_corpus)
{
    refuse_in_corpus("perfetto/*/*/trace.pftrace");
}

Test(refusals, profiles_of_the_corpus)
{
    refuse_in_corpus("tinygrad/syn_*/profile.pkl");
}

Test(refusals, recordings_of_the_corpus)
{
    refuse_in_corpus("neutrino/event_log_run");
    refuse_in_corpus("neutrino/overhead_a");
    refuse_in_corpus("neutrino/max_mem_a");
}
