/* Partials: what was written is read back; whatever bytes there are instead, reading and merging
 * refuse them or make some result. That merged partials say what one run says is for tests/gpu/partials and
 * tests/neutrino/partials. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "analyze/pass/passes.h"
#include "base/str.h"
#include "postfetto/postfetto.h"
#include "scratch.h"
#include "tables/partial_file.h"
#include "tables/partial_view.h"
#include "write/columns/archive/partial.h"

TestSuite(partials, .init = scratch_enter, .fini = scratch_leave);

enum { VALUES = 64, ROLES = 8, KEPT = 1 << 20 };

static int steps = 2;

/* Steps of an operator, a launch, a kernel and a collective; each but the first takes longer on a rank of 1. */
static void write_trace(const char *path, int rank)
{
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fprintf(f, "{\"distributedInfo\": {\"rank\": %d}, \"traceEvents\": [", rank);
    for (int i = 0; i < steps; i++) {
        int at = 1000 + 300 * i, late = i ? 20 : 0, longer = rank ? late + i : 0;
        fprintf(f,
                "%s{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%d\", \"pid\": 1, \"tid\": "
                "2, \"ts\": %d, \"dur\": 250},\n",
                i ? "," : "", i, at);
        fprintf(f,
                "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, \"tid\": 2, \"ts\": %d, "
                "\"dur\": %d},\n",
                at + 1, 50 + longer);
        fprintf(f,
                "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, \"tid\": 2, "
                "\"ts\": %d, \"dur\": 5, \"args\": {\"correlation\": %d}},\n",
                at + 2, i + 1);
        fprintf(
            f,
            "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": %d, "
            "\"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %d}},\n",
            at + 20, 40 + longer, i + 1);
        fprintf(f,
                "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclAllReduce\", \"pid\": 0, \"tid\": 7, \"ts\": %d, "
                "\"dur\": %d, \"args\": {\"device\": 0, \"stream\": 7, \"Collective name\": \"allreduce\", \"In msg "
                "nelems\": 8, \"dtype\": \"Float\", \"Process Group Name\": \"0\"}}\n",
                at + 100 + longer, 40 + late + i - longer);
    }
    fprintf(f, "]}");
    cr_assert_eq(fclose(f), 0);
}

/* A run directory with a launch of two blocks on one SM. */
static void write_recording(const char *folder)
{
    static const uint32_t trace[] = {2, 1, 1, 32, 1, 1, 0, 1, 16, 32, 48, 0, 100, 0, 50, 3, 200, 0, 60, 3};
    char path[64];
    cr_assert_eq(mkdir(folder, 0777), 0);
    snprintf(path, sizeof path, "%s/event.log", folder);
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs("[init] pid 7\n[probe] find 0xa name k bin 0x0 size 1\n[exec] funcmap-find 0xa success\n"
                         "[exec] 1000 param ff\n[exec] grid 2 1 1 block 32 1 1 shared 0\n[exec] probe-mem 64 (bytes)\n"
                         "[exec] succeed 0\n[exec] save result/0.5.bin size 80\n"
                         "[benchmark] prologue 1 kernel 2 epilogue 3 original 1 impact 2\n",
                         f) > 0);
    fclose(f);
    snprintf(path, sizeof path, "%s/result", folder);
    cr_assert_eq(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/result/0.5.bin", folder);
    f = fopen(path, "wb");
    cr_assert(f && fwrite(trace, 1, sizeof trace, f) == sizeof trace);
    fclose(f);
}

/* want: 0 for all tables. */
static pf_trace *read_files(const char *const *paths, size_t count, const char *format, uint32_t want, pf_status *st,
                            pf_error *err)
{
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    o.input_format = format;
    o.want = want ? want : o.want;
    o.limits.memory = 256u << 20;
    *st = pf_read(paths, count, &o, &t, err);
    return t;
}

static pf_findings *run(const pf_pass *p, const pf_trace *t, pf_option_value *values, pf_status *st, pf_error *err)
{
    pf_findings *f = pf_findings_new(NULL);
    const pf_pass_file file = {.path = "partial", .trace = t};
    const pf_pass_files roles[ROLES] = {{&file, 1}};
    const bool alone = strcmp(p->name, "aiu") == 0; /* its partials are all that is written */
    const pf_pass_context ctx = {.trace = t,
                                 .values = values,
                                 .input_path = "partial",
                                 .report_dir = ".",
                                 .roles = roles,
                                 .skip_overlay = true,
                                 .skip_tables = alone,
                                 .skip_figures = alone};
    *st = pf_pass_run(p, &ctx, f, err);
    return f;
}

static void write_findings(pf_findings *f, const char *path, const char *pass, const char *version)
{
    const pf_write_options o = pf_write_options_default();
    pf_error err;
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_int(f, root, (pf_str){"postfetto_partial", 17}, PF_PARTIAL_VERSION);
    pf_node_add_text(f, root, (pf_str){"version", 7}, (pf_str){version, strlen(version)});
    pf_node_add_text(f, root, (pf_str){"pass", 4}, (pf_str){pass, strlen(pass)});
    pf_node_add(f, root, (pf_str){"options", 7}, PF_NODE_OBJECT);
    cr_assert_eq(pf_partial_write(f, root, path, &o, &err), PF_OK);
}

static void write_partial(const char *name, const char *path, const char *trace, const char *version)
{
    pf_option_value values[VALUES];
    pf_status st;
    pf_error err;
    const pf_pass *p = pf_pass_find(name);
    pf_trace *t = read_files(&trace, 1, NULL, 0, &st, &err);
    cr_assert_eq(st, PF_OK, "%s", err.text);
    pf_pass_defaults(p, values);
    for (size_t i = 0; i < p->option_count; i++) {
        cr_assert(strcmp(p->options[i].name, "partial") != 0 || pf_pass_parse(p, i, path, values, &err) == PF_OK);
    }
    pf_findings *f = run(p, t, values, &st, &err);
    cr_assert_eq(st, PF_OK, "%s", err.text);
    write_findings(f, path, name, version);
    pf_findings_free(f);
    pf_trace_free(t);
}

/* The calls of a trace, for comparisons. */
static void write_calls(const char *path, const char *trace)
{
    const pf_analyze_setting setting = {"partial", path};
    pf_analyze_options o = pf_analyze_options_default();
    pf_findings *f;
    pf_trace *t;
    pf_error err;
    o.settings = &setting;
    o.setting_count = 1;
    cr_assert_eq(pf_analyze("compare", &trace, 1, &o, &f, &t, &err), PF_OK, "%s", err.text);
    write_findings(f, path, "compare", pf_version());
    pf_findings_free(f);
    pf_trace_free(t);
}

/* How many rows a comparison has, or -1 where that was refused. */
static int64_t compare(const char *const *paths, size_t count, pf_error *err)
{
    pf_read_options read = pf_read_options_default();
    pf_analyze_options o = pf_analyze_options_default();
    pf_findings *f;
    pf_trace *t;
    read.limits.memory = 256u << 20;
    o.read = &read;
    pf_status st = pf_analyze("compare", paths, count, &o, &f, &t, err);
    if (st != PF_OK) {
        cr_expect(st == PF_ERR_INPUT || st == PF_ERR_LIMIT || st == PF_ERR_MEMORY || st == PF_ERR_USAGE, "%s",
                  err->text);
        return -1;
    }
    int64_t rows = (int64_t)pf_findings_table_named(f, "compare_rows")->row_count;
    pf_findings_free(f);
    pf_trace_free(t);
    return rows;
}

/* Reads the tables as rows, as queries have them. */
static void read_rows(const char *path)
{
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    pf_error err;
    o.limits.memory = 256u << 20;
    pf_status st = pf_read(&path, 1, &o, &t, &err);
    cr_expect(st == PF_OK || st == PF_ERR_INPUT || st == PF_ERR_LIMIT || st == PF_ERR_MEMORY, "%s", err.text);
    pf_trace_free(t);
}

/* Merges; how many collectives or SMs there are, or -1 where that was refused. */
static int64_t merge(const char *const *paths, size_t count, pf_error *err)
{
    const pf_pass *p = pf_merge_pass(paths, count);
    pf_option_value values[VALUES] = {{.set = false}};
    pf_status st;
    int64_t rows = -1;
    pf_trace *t = read_files(paths, count, "partial", p->roles[0].want, &st, err);
    pf_findings *f = st == PF_OK ? run(p, t, values, &st, err) : NULL;
    for (size_t i = 0; st == PF_OK && i < pf_findings_report_count(f); i++) {
        char *text = NULL;
        size_t len;
        cr_expect_eq(pf_format_report(pf_findings_report(f, i), &text, &len, err), PF_OK);
        free(text);
    }
    if (st == PF_OK) {
        const pf_table *table = pf_findings_table_named(f, p == &pf_pass_gpu_merge ? "gpu_stragglers" : "neutrino_sm");
        rows = table ? (int64_t)table->row_count : 0;
    } else {
        cr_expect(st == PF_ERR_INPUT || st == PF_ERR_LIMIT || st == PF_ERR_MEMORY || st == PF_ERR_USAGE, "%s",
                  err->text);
    }
    pf_findings_free(f);
    pf_trace_free(t);
    return rows;
}

static void write_two(void)
{
    write_trace("a.json", 0);
    write_trace("b.json", 1);
    write_partial("gpu", "a.pfr", "a.json", pf_version());
    write_partial("gpu", "b.pfr", "b.json", pf_version());
}

static void write_two_recordings(void)
{
    write_recording("a");
    write_recording("b");
    write_partial("neutrino", "a.pfr", "a", pf_version());
    write_partial("neutrino", "b.pfr", "b", pf_version());
}

Test(partials, merged)
{
    pf_error err;
    write_two();
    cr_expect_eq(merge((const char *const[]){"b.pfr", "a.pfr"}, 2, &err), 2, "%s", err.text);
    cr_expect_eq(merge((const char *const[]){"b.pfr"}, 1, &err), 0);
}

Test(partials, merged_recordings)
{
    pf_error err;
    write_two_recordings();
    cr_expect_eq(merge((const char *const[]){"b.pfr", "a.pfr"}, 2, &err), 2, "%s", err.text);
    cr_expect_eq(merge((const char *const[]){"b.pfr"}, 1, &err), 1, "%s", err.text);
    cr_expect_eq(merge((const char *const[]){"a.pfr", "a.pfr"}, 2, &err), -1);
    cr_expect(strstr(err.text, "'a' is in two"), "%s", err.text);
}

Test(partials, refused)
{
    pf_error err;
    write_two();
    write_partial("gpu", "old.pfr", "b.json", "0.0.1");
    cr_expect_eq(merge((const char *const[]){"a.pfr", "old.pfr"}, 2, &err), -1);
    cr_expect(strstr(err.text, "a.pfr") && strstr(err.text, "old.pfr") && strstr(err.text, "0.0.1"), "%s", err.text);
    cr_expect_eq(merge((const char *const[]){"a.pfr", "a.pfr"}, 2, &err), -1);
    cr_expect(strstr(err.text, "'a.json' is in two"), "%s", err.text);
}

static size_t load(const char *path, char *bytes)
{
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f);
    size_t len = fread(bytes, 1, KEPT, f);
    fclose(f);
    cr_assert(len > 0 && len < KEPT);
    return len;
}

/* ---- what tables are made of ------------------------------------------------------------------------------------- */

enum { TABLES = 64 };

/* The tables of a pass as text, of its partials or of what it takes in the place of traces; false: refused. */
static bool tell_tables(const pf_pass *p, const char *const *paths, char *text[TABLES])
{
    pf_analyze_options o = pf_analyze_options_default();
    pf_findings *f;
    pf_trace *t;
    pf_error err;
    if (pf_analyze(p->partials->merge ? "merge-reports" : p->name, paths, 2, &o, &f, &t, &err) != PF_OK) {
        return false;
    }
    for (size_t i = 0; i < p->table_count; i++) {
        const pf_table *table = pf_findings_table_named(f, p->tables[i].name);
        size_t len;
        text[i] = NULL;
        cr_assert(!table || pf_format_csv(table, NULL, &text[i], &len, &err) == PF_OK);
    }
    pf_findings_free(f);
    pf_trace_free(t);
    return true;
}

/* More, or another text, in each cell of a column. */
static void change_column(char *bytes, const pf_partial_view *v, unsigned column)
{
    pf_column_type type = v->spec->columns[column].type;
    for (uint32_t row = 0; row < v->rows; row++) {
        char *at = bytes + row * (type == PF_COLUMN_TEXT ? 4u : 8u);
        uint32_t text = (pf_partial_text_at(&v->column[column], row) + 1) % v->texts.count;
        int64_t number = pf_partial_int(&v->column[column], row) + 1 + row;
        double real = pf_partial_real(&v->column[column], row) + 1;
        const void *value = type == PF_COLUMN_TEXT ? (void *)&text : type == PF_COLUMN_INT ? (void *)&number : &real;
        if (pf_partial_has(&v->column[column], row)) {
            memcpy(at, value, type == PF_COLUMN_TEXT ? 4 : 8);
        }
    }
}

static bool is_named(const char *list, pf_str name)
{
    bool found = false;
    for (const char *at = list; *at && !found; at += strcspn(at, " "), at += *at == ' ') {
        found = strcspn(at, ", ") == name.len && memcmp(at, name.ptr, name.len) == 0;
    }
    return found;
}

/* The tables that a change of a table of partials makes other ones: those that say so, if they are made anew. */
static void look_for_changes(const pf_pass *p, pf_str changed, char *const *before, char *const *after,
                             bool seen[TABLES][TABLES], size_t number)
{
    for (size_t i = 0; i < p->table_count; i++) {
        const pf_merge_rule *rule = pf_pass_merge_rule(p, i);
        if (rule->how == PF_MERGE_ANEW && strcmp(before[i] ? before[i] : "", after[i] ? after[i] : "") != 0) {
            cr_expect(is_named(rule->of, changed), "%s comes of %.*s, too, not of %s alone", p->tables[i].name,
                      (int)changed.len, changed.ptr, rule->of);
            seen[i][number] = true;
        }
    }
}

/* Changes c.pfr, a copy of one of two partials that have the same tables, column by column. */
static void change_each_of(const char *name, const char *changed, const char *other, bool seen[TABLES][TABLES])
{
    const pf_pass *p = strcmp(name, "compare") == 0 ? &pf_pass_compare : pf_pass_find(name);
    char *whole = malloc(KEPT), *bytes = malloc(KEPT), *before[TABLES], *after[TABLES];
    size_t all = load(changed, whole), changes = 0;
    pf_status st;
    pf_error err;
    pf_trace *t = read_files(&changed, 1, "partial", PF_WANT_MEMBERS, &st, &err);
    const pf_side_table *m = pf_trace_table(t, PF_PARTIAL_MEMBERS);
    cr_assert(m && m->count < TABLES && tell_tables(p, (const char *const[]){"a.pfr", "b.pfr"}, before));
    const char *const paths[] = {*other == 'a' ? other : "c.pfr", *other == 'a' ? "c.pfr" : other};
    for (uint32_t k = 0; k < m->count; k++) {
        pf_str table = pf_trace_string(t, *pf_side_ref(m, PF_MEMBER_NAME, k));
        const pf_bytes member = *pf_side_blob(m, PF_MEMBER_BYTES, k);
        char own[64];
        snprintf(own, sizeof own, PF_PARTIAL_PREFIX "%.*s", (int)table.len, table.ptr);
        pf_partial_view v = {.texts = pf_partial_texts_at(pf_side_blob(m, PF_MEMBER_TEXTS, k)->ptr,
                                                          (uint32_t)*pf_side_number(m, PF_MEMBER_STRINGS, k))};
        pf_partial_place place = {.bytes = member, .err = &err};
        cr_assert_eq(pf_partial_view_open(&v, pf_trace_table(t, own)->spec,
                                          (uint32_t)*pf_side_number(m, PF_MEMBER_ROWS, k), &place),
                     PF_OK);
        size_t at = (size_t)((char *)memmem(whole, all, member.ptr, member.len) - whole);
        for (unsigned c = 0; c < v.spec->column_count; c++) {
            memcpy(bytes, whole, all);
            change_column(bytes + at + (v.column[c].values - member.ptr), &v, c);
            FILE *f = fopen("c.pfr", "wb");
            cr_assert(f && fwrite(bytes, 1, all, f) == all && fclose(f) == 0);
            if (tell_tables(p, paths, after)) {
                look_for_changes(p, table, before, after, seen, k);
                for (size_t i = 0; i < p->table_count; i++) {
                    free(after[i]);
                }
                changes++;
            }
        }
    }
    cr_expect_gt(changes, m->count, "%s", name);
    for (size_t i = 0; i < p->table_count; i++) {
        free(before[i]);
    }
    pf_trace_free(t);
    free(whole);
    free(bytes);
}

/* Each change is declared, and each declared table is seen to count, but for those that these inputs are too few for,
 * and all for such a table of the pass: `unseen`, between commas. */
static void change_each(const char *name, const char *unseen)
{
    static bool seen[TABLES][TABLES];
    const pf_pass *p = strcmp(name, "compare") == 0 ? &pf_pass_compare : pf_pass_find(name);
    pf_status st;
    pf_error err;
    change_each_of(name, "a.pfr", "b.pfr", seen);
    change_each_of(name, "b.pfr", "a.pfr", seen);
    pf_trace *t = read_files(&(const char *){"b.pfr"}, 1, "partial", PF_WANT_MEMBERS, &st, &err);
    const pf_side_table *m = pf_trace_table(t, PF_PARTIAL_MEMBERS);
    for (size_t i = 0; i < p->table_count; i++) {
        const pf_merge_rule *rule = pf_pass_merge_rule(p, i);
        for (uint32_t k = 0; k < m->count && rule->how == PF_MERGE_ANEW; k++) {
            pf_str table = pf_trace_string(t, *pf_side_ref(m, PF_MEMBER_NAME, k));
            bool exempt = is_named(unseen, table) || is_named(unseen, pf_str_of(p->tables[i].name));
            cr_expect(!is_named(rule->of, table) || seen[i][k] || exempt, "%s: no change of %.*s is seen",
                      p->tables[i].name, (int)table.len, table.ptr);
        }
    }
    pf_trace_free(t);
}

Test(partials, say_what_tables_of_gpu_are_made_of)
{
    write_two();
    change_each("gpu", "gpu_devices, gpu_operators"); /* where the kernel is not the largest cause */
}

Test(partials, say_what_tables_of_neutrino_are_made_of)
{
    write_two_recordings();
    change_each("neutrino", "neutrino_part_section, neutrino_part_pieces"); /* of traces with several sections */
}

Test(partials, say_what_tables_of_aiu_are_made_of)
{
    write_partial("aiu", "a.pfr", PF_FIXTURES "/aiu/tp2-rank-0.json", pf_version());
    write_partial("aiu", "b.pfr", PF_FIXTURES "/aiu/tp2-rank-1.json", pf_version());
    /* these have one iteration; the others are of a log and of a scheduler, with which no partial is written */
    change_each("aiu", "aiu_iterations, aiu_categories, aiu_host_gaps, aiu_host_wakers");
}

Test(partials, say_what_tables_of_compare_are_made_of)
{
    steps = 12;
    write_trace("a.json", 0);
    write_trace("b.json", 1);
    write_calls("a.pfr", "a.json");
    write_calls("b.pfr", "b.json");
    change_each("compare", "compare_part_file, compare_part_operations"); /* of devices without steps */
}

/* ---- bytes that somebody else wrote ------------------------------------------------------------------------------ */

static uint64_t next(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 33;
}

static void damage(char *bytes, size_t *len, uint64_t *random)
{
    static const int64_t extremes[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT32_MAX, UINT32_MAX, INT64_MAX};
    for (uint64_t n = 1 + next(random) % 4; n > 0; n--) {
        size_t at = next(random) % *len, digit;
        switch (next(random) % 8) {
        case 0:
            *len = at + 1;
            break;
        case 1:
        case 2:
            bytes[at] = (char)next(random);
            break;
        case 3: /* a number of the manifest */
        case 4:
            for (digit = at % 8192; digit < *len && (bytes[digit] < '0' || bytes[digit] > '9'); digit++) {
            }
            if (digit < *len) {
                bytes[digit] = (char)('0' + next(random) % 10);
            }
            break;
        default: /* a cell, an offset, a length */
            at = at / 8 * 8;
            memcpy(bytes + at, &extremes[next(random) % 8], *len - at < 8 ? *len - at : 8);
        }
    }
}

/* Merges the other one with b.pfr, which is damaged in many ways. */
static void try_damaged(int64_t (*use)(const char *const *paths, size_t count, pf_error *err))
{
    const char *set = getenv("POSTFETTO_SEED");
    uint64_t seed = set ? strtoull(set, NULL, 10) : (uint64_t)time(NULL) % 1000000, random = seed;
    char *whole = malloc(KEPT), *bytes = malloc(KEPT);
    int tries = getenv("POSTFETTO_LONG") ? 5000 : 300;
    printf("damaged partials of seed %llu: POSTFETTO_SEED takes the same\n", (unsigned long long)seed);
    size_t all = load("b.pfr", whole);
    for (int i = 0; i < tries; i++) {
        size_t len = all;
        pf_error err;
        memcpy(bytes, whole, all);
        damage(bytes, &len, &random);
        FILE *f = fopen("c.pfr", "wb");
        cr_assert(f && fwrite(bytes, 1, len, f) == len && fclose(f) == 0);
        use((const char *const[]){"a.pfr", "c.pfr"}, 2, &err);
        read_rows("c.pfr");
    }
    free(whole);
    free(bytes);
}

Test(partials, damaged)
{
    write_two();
    try_damaged(merge);
}

Test(partials, damaged_recordings)
{
    write_two_recordings();
    try_damaged(merge);
}

Test(partials, damaged_calls)
{
    pf_error err;
    write_trace("a.json", 0);
    write_trace("b.json", 1);
    write_calls("a.pfr", "a.json");
    write_calls("b.pfr", "b.json");
    int64_t rows = compare((const char *const[]){"a.json", "b.json"}, 2, &err);
    cr_expect(rows > 3);
    cr_expect_eq(compare((const char *const[]){"a.pfr", "b.pfr"}, 2, &err), rows, "%s", err.text);
    try_damaged(compare);
}
