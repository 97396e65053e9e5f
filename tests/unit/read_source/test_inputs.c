/* Several inputs in one trace: whose a process, a fault, a row of metadata and a flow is. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postfetto/postfetto.h"
#include "scratch.h"
#include "shared.h"

static void put(const char *name, const char *text)
{
    FILE *f = fopen(name, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(text, 1, strlen(text), f), strlen(text));
    fclose(f);
}

static void make_inputs(void)
{
    scratch_enter();
    put("a.json", "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":5,\"pid\":0,\"tid\":1,\"name\":\"a\"},"
                  "{\"ph\":\"s\",\"id\":1,\"ts\":2,\"pid\":0,\"tid\":1,\"name\":\"f\",\"cat\":\"c\"}],\"who\":\"A\"}");
    put("b.json", "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":3,\"dur\":5,\"pid\":0,\"tid\":1,\"name\":\"b\"},"
                  "{\"ph\":\"f\",\"bp\":\"e\",\"id\":1,\"ts\":4,\"pid\":0,\"tid\":1,\"name\":\"f\",\"cat\":\"c\"},"
                  "{\"ph\":\"X\",\"ts\":null,\"pid\":0},{\"ph\":\"X\",\"ts\":9,\"dur\":1,\"tid\":2}],\"who\":\"B\"}");
}

TestSuite(inputs, .init = make_inputs, .fini = scratch_leave);

static pf_trace *read_paths(const char *const *paths, size_t count, const pf_read_options *o)
{
    pf_trace *t = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_read(paths, count, o, &t, &err), PF_OK, "%s: %s", err.file, err.text);
    return t;
}

/* Makes a binary trace of a JSON one. */
static void convert(const char *from, const char *to)
{
    pf_read_options o = pf_read_options_default();
    o.want = PF_WANT_TABLES | PF_WANT_ORIGINS;
    pf_trace *t = read_paths(&from, 1, &o);
    cr_assert_eq(pf_convert_pftrace(t, to, NULL, NULL), PF_OK);
    pf_trace_free(t);
}

static uint32_t processes_with_pid(const pf_trace *t, int64_t pid)
{
    const pf_processes *p = pf_trace_processes(t);
    uint32_t count = 0;
    for (uint32_t i = 1; i < p->count; i++) {
        count += p->pid[i] == pid && p->kind[i] == PF_ID_INT;
    }
    return count;
}

static pf_stat stat_named(const pf_trace *t, int input, const char *name)
{
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        pf_stat s = input < 0 ? pf_trace_stat(t, i) : pf_trace_input_stat(t, (size_t)input, i);
        if (strcmp(s.name, name) == 0) {
            return s;
        }
    }
    cr_assert_fail("no such stat");
    return (pf_stat){.name = NULL};
}

static const char *const pair[] = {"a.json", "b.json"};

Test(inputs, a_pid_is_a_process_of_its_input)
{
    pf_trace *t = read_paths(pair, 2, NULL);
    const pf_processes *p = pf_trace_processes(t);
    cr_expect_eq(processes_with_pid(t, 0), 2);
    cr_expect_eq(p->input[1], 0);
    cr_expect_eq(p->input[2], 1);
    cr_expect_eq(pf_trace_slices(t)->count, 3, "no overlap lane, no slice cut");
    cr_expect_eq(pf_trace_flows(t)->count, 0, "ids of two inputs do not meet");
    const pf_tracks *tr = pf_trace_tracks(t);
    for (uint32_t i = 0; i < tr->count; i++) {
        cr_expect_neq(tr->type[i], PF_TRACK_THREAD_OVERLAP);
    }
    pf_trace_free(t);
}

Test(inputs, pids_are_merged_on_demand)
{
    pf_read_options o = pf_read_options_default();
    o.merge_pids = true;
    pf_trace *t = read_paths(pair, 2, &o);
    cr_expect_eq(processes_with_pid(t, 0), 1);
    pf_trace_free(t);
}

Test(inputs, rows_and_faults_know_their_input)
{
    pf_trace *t = read_paths(pair, 2, NULL);
    const pf_metadata *m = pf_trace_metadata(t);
    uint32_t who = pf_trace_find_string(t, PF_STR("json.who"));
    uint32_t found = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const pf_input *in = pf_trace_input(t, m->input[i]);
        cr_expect(i >= in->first_metadata && i < in->first_metadata + in->metadata);
        if (m->name[i] == who) {
            pf_str text = pf_trace_string(t, m->text[i]);
            cr_expect_eq(text.ptr[text.len - 1 - (text.ptr[text.len - 1] == '"')], "AB"[m->input[i]]);
            found++;
        }
    }
    cr_expect_eq(found, 2);
    cr_expect_eq(stat_named(t, 0, "json_tokenizer_failure").count, 0);
    cr_expect_eq(stat_named(t, 1, "json_tokenizer_failure").count, 1);
    cr_expect_eq(stat_named(t, -1, "json_tokenizer_failure").count, 1);
    cr_expect_eq(pf_trace_event_input(t, 1), 0);
    cr_expect_eq(pf_trace_event_input(t, 2), 1);
    pf_trace_free(t);
}

Test(inputs, of_two_formats)
{
    convert("b.json", "b.pftrace");
    static const char *const mixed[] = {"a.json", "b.pftrace", "a.json"};
    pf_trace *t = read_paths(mixed, 3, NULL);
    cr_expect_eq(processes_with_pid(t, 0), 3);
    cr_expect_str_eq(pf_trace_input(t, 1)->format, "perfetto");
    cr_expect_eq(pf_trace_flows(t)->count, 0);
    pf_trace_free(t);
}

/* All inputs in one file, which has every process once and tells them apart. */
Test(inputs, are_written_into_one_trace)
{
    convert("b.json", "b.pftrace");
    static const char *const sets[][2] = {{"a.json", "b.json"}, {"a.json", "b.pftrace"}, {"b.pftrace", "a.json"}};
    static const char *const one[] = {"out.pftrace"}, *const two[] = {"out.json"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        pf_read_options o = pf_read_options_default();
        o.want = PF_WANT_TABLES | PF_WANT_ORIGINS;
        pf_trace *t = read_paths(sets[i], 2, &o);
        cr_assert_eq(pf_convert_pftrace(t, "out.pftrace", NULL, NULL), PF_OK);
        cr_assert_eq(pf_convert_json(t, "out.json", NULL, NULL), PF_OK);
        pf_trace *back = read_paths(one, 1, NULL), *json = read_paths(two, 1, NULL);
        cr_expect_eq(pf_trace_slices(back)->count, 3, "%zu: %u", i, pf_trace_slices(back)->count);
        cr_expect_eq(processes_with_pid(back, 0), 0, "%zu: process 0 of a binary trace is row 0", i);
        cr_expect_neq(pf_trace_find_string(back, PF_STR("process 0 (a)")), PF_NONE, "%zu", i);
        cr_expect_neq(pf_trace_find_string(back, PF_STR("process 0 (b)")), PF_NONE, "%zu", i);
        cr_expect_eq(pf_trace_slices(json)->count, 3, "%zu: %u", i, pf_trace_slices(json)->count);
        cr_expect_eq(processes_with_pid(json, 0), 1, "%zu", i);
        pf_trace_free(back);
        pf_trace_free(json);
        pf_trace_free(t);
    }
}

/* ---- the jobs and ranks of an AIU run ---------------------------------------------------------------------------- */

/* From when on ties are ordered by Chrome's classes is decided for each input by itself. An instant that the order of
 * the file puts before an end of the same time lies in the slice that ends, one that comes after it does not. */
Test(inputs, each_has_its_own_order_of_ties)
{
#define AT_10 "{\"ph\":\"B\",\"ts\":5,\"name\":\"b\"},{\"ph\":\"i\",\"ts\":10,\"name\":\"i\"},{\"ph\":\"E\",\"ts\":10}"
#define EVENT(phase, ts, dur) ",{\"ph\":\"" phase "\",\"ts\":" ts ",\"dur\":" dur ",\"name\":\"x\"}"
    static const struct {
        const char *name, *text;
        uint32_t depth; /* of the instant at 10 */
    } files[] = {
        {"in_order.json", "[" AT_10 EVENT("i", "12", "0") "]", 1},
        {"late_tie.json", "[" AT_10 EVENT("X", "20", "3") EVENT("X", "20", "5") "]", 1},
        {"early_tie.json", "[{\"ph\":\"X\",\"ts\":1,\"dur\":1}" EVENT("X", "1", "2") "," AT_10 "]", 0},
        {"late.json", "[" AT_10 EVENT("i", "12", "0") EVENT("i", "11", "0") "]", 1},
        {"earlier.json", "[" AT_10 EVENT("i", "30", "0") EVENT("i", "25", "0") EVENT("i", "8", "0") "]", 0},
        {"just.json", "[" AT_10 EVENT("i", "30", "0") EVENT("i", "10", "0") "]", 0},
    };
    enum { FILES = sizeof files / sizeof *files };
    const char *paths[FILES];
    for (size_t i = 0; i < FILES; i++) {
        put(files[i].name, files[i].text);
        paths[i] = files[i].name;
    }
    pf_trace *t = read_paths(paths, FILES, NULL);
    const pf_slices *s = pf_trace_slices(t);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        pf_str name = pf_trace_string(t, pf_slice_name(s, i));
        if (pf_slice_ts(s, i) == 10000 && name.len == 1 && *name.ptr == 'i') {
            uint32_t input = pf_trace_event_input(t, s->event[i]);
            cr_expect_eq(s->depth[i], files[input].depth, "%s", files[input].name);
            cr_expect_eq(input, seen++, "at equal times inputs follow each other");
        }
    }
    cr_expect_eq(seen, FILES);
    pf_trace_free(t);
}

static pf_trace *read_corpus(const char *pattern)
{
    char path[512];
    snprintf(path, sizeof path, "%s/corpus/aiu/%s", shared_folder(), pattern);
    const char *paths[] = {path};
    pf_trace *t = NULL;
    pf_error err = {0};
    if (access(shared_folder(), R_OK) != 0) {
        return NULL;
    }
    cr_assert_eq(pf_read(paths, 1, NULL, &t, &err), PF_OK, "%s: %s", err.file, err.text);
    return t;
}

Test(inputs, jobs_of_a_rank_are_one_process)
{
    static const struct {
        const char *pattern;
        size_t inputs;
        uint32_t ranks;
    } runs[] = {{"tp4/llama-tp4-*.json", 4, 4}, {"jobs_overflow/hap-*-job-?.json", 5, 1}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        pf_trace *t = read_corpus(runs[i].pattern);
        if (!t) {
            SKIP_WITHOUT_CORPUS();
        }
        cr_expect_eq(pf_trace_input_count(t), runs[i].inputs);
        cr_expect_eq(pf_trace_processes(t)->count, 1 + runs[i].ranks, "%s", runs[i].pattern);
        for (size_t k = 0; k < runs[i].inputs; k++) {
            cr_expect_str_eq(pf_trace_input(t, k)->dialect, "aiu-flex");
        }
        for (uint32_t rank = 0; rank < runs[i].ranks; rank++) {
            cr_expect_eq(processes_with_pid(t, rank), 1);
        }
        pf_trace_free(t);
    }
}
