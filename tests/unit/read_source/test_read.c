/* pf_read: files of all kinds through the public door. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postfetto/read.h"
#include "scratch.h"
#include "shared.h"

TestSuite(read, .init = scratch_enter, .fini = scratch_leave);

static void put(const char *name, const void *bytes, size_t len)
{
    FILE *f = fopen(name, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(bytes, 1, len, f), len);
    fclose(f);
}

static pf_status read_one(const char *path, const pf_read_options *o, pf_trace **t, pf_error *err)
{
    return pf_read(&path, 1, o, t, err);
}

#define EVENTS "[{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"a\"},{\"ph\":\"E\",\"ts\":2,\"pid\":1}]"

Test(read, plain_gzip_mapped_copied_one_or_two_jobs)
{
    pf_buffer gz = {0};
    add_member(&gz, EVENTS, 40);
    add_member(&gz, &EVENTS[40], sizeof EVENTS - 1 - 40);
    put("plain.txt", EVENTS, sizeof EVENTS - 1);
    put("packed.txt", gz.data, gz.len);
    for (int round = 0; round < 8; round++) {
        pf_read_options o = pf_read_options_default();
        bool gzip = round & 1;
        o.map = round & 2;
        o.jobs = round & 4 ? 1 : 2;
        pf_trace *t = NULL;
        pf_error err = {0};
        cr_assert_eq(read_one(gzip ? "packed.txt" : "plain.txt", &o, &t, &err), PF_OK, "%s", err.text);
        const pf_input *in = pf_trace_input(t, 0);
        cr_expect_eq(pf_trace_input_count(t), 1);
        cr_expect_str_eq(in->format, "chrome-json");
        cr_expect_str_eq(in->compression, gzip ? "gzip" : "none");
        cr_expect_str_eq(in->path, gzip ? "packed.txt" : "plain.txt");
        cr_expect_eq(in->plain_bytes, sizeof EVENTS - 1);
        cr_expect_eq(in->stored_bytes, gzip ? gz.len : sizeof EVENTS - 1);
        cr_expect_eq(in->events, 2);
        cr_expect_eq(pf_trace_events(t)->count, 2);
        cr_expect_eq(pf_trace_slices(t)->count, 1);
        cr_expect_eq(pf_trace_slices(t)->dur[0], 1000);
        pf_trace_free(t);
    }
    pf_buffer_free(&gz);
}

Test(read, several_inputs_form_one_trace)
{
    put("a", EVENTS, sizeof EVENTS - 1);
    put("b", "[{\"ph\":\"B\",\"ts\":5,\"pid\":2}]", 28);
    static const char *const paths[] = {"a", "b"};
    pf_trace *t = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_read(paths, 2, NULL, &t, &err), PF_OK, "%s", err.text);
    cr_expect_eq(pf_trace_input_count(t), 2);
    cr_expect_eq(pf_trace_input(t, 1)->first_event, 2);
    cr_expect_eq(pf_trace_input(t, 1)->events, 1);
    cr_expect_eq(pf_trace_events(t)->ts[2], 5000);
    pf_trace_free(t);
}

Test(read, a_dialect_found_in_a_later_input_holds_for_that_input)
{
    static const char aie[] =
        "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"core_trace for tile1,2\"}}]";
    put("a", EVENTS, sizeof EVENTS - 1);
    put("b", aie, sizeof aie - 1);
    static const char *const paths[] = {"a", "b"};
    pf_trace *t = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_read(paths, 2, NULL, &t, &err), PF_OK, "%s", err.text);
    cr_expect_eq(pf_trace_time_unit(t), PF_UNIT_NS, "not all inputs are in cycles");
    cr_expect_str_eq(pf_trace_dialect(t), "mixed");
    cr_expect_eq(pf_trace_events(t)->count, 3);
    cr_expect_eq(pf_trace_events(t)->ts[1], 2000);
    cr_expect_eq(pf_trace_input(t, 0)->unit, PF_UNIT_NS);
    cr_expect_str_eq(pf_trace_input(t, 0)->dialect, "chrome-json");
    cr_expect_eq(pf_trace_input(t, 1)->unit, PF_UNIT_CYCLE);
    cr_expect_str_eq(pf_trace_input(t, 1)->dialect, "aie");
    cr_expect_eq(pf_trace_input(t, 1)->first_event, 2);
    pf_trace_free(t);
}

static void expect_refusal(const void *bytes, size_t len, const char *words)
{
    put("refused", bytes, len);
    pf_trace *t = (pf_trace *)scratch_folder;
    pf_error err = {0};
    cr_expect_eq(read_one("refused", NULL, &t, &err), PF_ERR_INPUT, "%s", words);
    cr_expect_null(t);
    cr_expect_not_null(strstr(err.text, words), "'%s' does not say '%s'", err.text, words);
    cr_expect_str_eq(err.file, "refused");
    cr_expect_null(strchr(err.text, '\n'));
}

Test(read, what_is_no_trace_is_refused_with_advice)
{
    expect_refusal("", 0, "empty");
    expect_refusal("hello world", 11, "68 65 6c 6c 6f");
    expect_refusal("[INFO] started\n", 15, "not a trace");
    expect_refusal("{\"name\":\"x\"}", 12, "traceEvents");
    expect_refusal("PK\x03\x04zip", 7, "truncated");
    expect_refusal("\x28\xb5\x2f\xfd...", 7, "decompressed");
    expect_refusal("\xfd"
                   "7zXZ\0",
                   6, "xz -d");
    expect_refusal("BZh91AY", 7, "bzip2 -d");
    expect_refusal("SQLite format 3\0", 16, "SQLite");
    expect_refusal("\xff\xfe[\0{\0\"\0", 8, "iconv -f UTF-16 -t UTF-8");
    expect_refusal("\xfe\xff\0[\0{\0\"", 8, "UTF-16");
    expect_refusal("{\0\"\0", 4, "UTF-16");
    expect_refusal("\0{\0\"", 4, "UTF-16");
    expect_refusal("\0\0\0[\0\0\0{", 8, "UTF-32");
    expect_refusal("PERFILE2", 8, "perf.data");
    expect_refusal("<!doctype html>", 15, "systrace");
    char tar[512] = "trace.json";
    memcpy(tar + 257, "ustar", 5);
    expect_refusal(tar, sizeof tar, "tar archive");
    pf_buffer inner = {0}, outer = {0};
    add_member(&inner, EVENTS, sizeof EVENTS - 1);
    add_member(&outer, inner.data, inner.len);
    expect_refusal(outer.data, outer.len, "compressed more than once, gzip");
    inner.len = 0;
    add_member(&inner, "", 0);
    expect_refusal(inner.data, inner.len, "decompressed");
    expect_refusal("\x1f\x8b\x08", 3, "decompressed");
    pf_buffer_free(&inner);
    pf_buffer_free(&outer);
}

Test(read, unreadable_inputs)
{
    pf_trace *t = NULL;
    pf_error err = {0};
    cr_expect_eq(read_one("missing", NULL, &t, &err), PF_ERR_INPUT);
    cr_expect_str_eq(err.file, "missing");
    cr_assert_eq(mkdir("directory", 0777), 0);
    cr_expect_eq(read_one("directory", NULL, &t, &err), PF_ERR_INPUT);
    cr_expect_eq(pf_read(NULL, 0, NULL, &t, &err), PF_ERR_USAGE);
    pf_read_options o = pf_read_options_default();
    o.dialect = "klingon";
    cr_expect_eq(read_one("missing", &o, &t, &err), PF_ERR_USAGE);
    cr_expect_eq(read_one("missing", NULL, &t, NULL), PF_ERR_INPUT, "no error object is needed");
}

Test(read, strict_makes_damage_an_error)
{
    static const char text[] = "[{\"ph\":\"B\",\"ts\":1,\"pid\":1},{\"ph\":\"B\",\"ts\":null,\"pid\":1}]";
    put("bad", text, sizeof text - 1);
    put("good", EVENTS, sizeof EVENTS - 1);
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    pf_error err = {0};
    cr_assert_eq(read_one("bad", &o, &t, &err), PF_OK);
    pf_trace_free(t);
    o.strict = true;
    cr_expect_eq(read_one("bad", &o, &t, &err), PF_ERR_DAMAGED);
    cr_expect_eq(err.offset, 27);
    cr_expect_str_eq(err.file, "bad");
    cr_expect_not_null(strstr(err.text, "json_tokenizer_failure"));
    cr_assert_eq(read_one("good", &o, &t, &err), PF_OK);
    pf_trace_free(t);
}

Test(read, limits_name_the_file)
{
    put("good", EVENTS, sizeof EVENTS - 1);
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    pf_error err = {0};
    o.limits.input = 10;
    cr_expect_eq(read_one("good", &o, &t, &err), PF_ERR_LIMIT);
    cr_expect_str_eq(err.file, "good");
    o = pf_read_options_default();
    o.limits.rows = 1;
    cr_expect_eq(read_one("good", &o, &t, &err), PF_ERR_LIMIT);
    cr_expect_str_eq(err.file, "good");
}

Test(read, every_dialect_that_is_listed_can_be_forced)
{
    static const char *const must[] = {"aie",   "aiu-flex", "ascend",   "bazel", "chrome-json",
                                       "clang", "devtools", "perfetto", "torch", "viztracer"};
    size_t found = 0;
    put("good", EVENTS, sizeof EVENTS - 1);
    for (size_t k = 0; k < pf_dialect_count(); k++) {
        const char *d = pf_dialect_name(k);
        cr_expect_not_null(pf_dialect_summary(k));
        for (size_t i = 0; i < sizeof must / sizeof *must; i++) {
            found += strcmp(d, must[i]) == 0;
        }
        pf_read_options o = pf_read_options_default();
        char spelled[32];
        snprintf(spelled, sizeof spelled, "%s", d);
        o.dialect = spelled;
        pf_trace *t = NULL;
        pf_error err = {0};
        cr_assert_eq(read_one("good", &o, &t, &err), PF_OK, "%s", err.text);
        memset(spelled, 'x', sizeof spelled - 1);
        cr_expect_str_eq(pf_trace_dialect(t), d);
        cr_expect_eq(pf_trace_time_unit(t), strcmp(d, "aie") == 0 ? PF_UNIT_CYCLE : PF_UNIT_NS);
        pf_trace_free(t);
    }
    cr_expect_eq(found, sizeof must / sizeof *must);
}

/* ---- files that came with the repository and with the corpus ------------------------------------------------------
 */

/* Reads a file with one and with two jobs and expects the same tables; false if it is not there. */
static bool read_both(const char *path, uint32_t *events, uint64_t *damage)
{
    if (access(path, R_OK) != 0) {
        return false;
    }
    pf_trace *t[2];
    pf_error err = {0};
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        pf_read_options o = pf_read_options_default();
        o.jobs = jobs;
        o.map = jobs == 1;
        cr_assert_eq(read_one(path, &o, &t[jobs - 1], &err), PF_OK, "%s: %s", path, err.text);
    }
    const pf_events *a = pf_trace_events(t[0]), *b = pf_trace_events(t[1]);
    cr_assert_eq(a->count, b->count, "%s", path);
    cr_expect(a->count == 0 || memcmp(a->ts, b->ts, a->count * sizeof *a->ts) == 0);
    cr_expect(a->count == 0 || memcmp(a->name, b->name, a->count * sizeof *a->name) == 0);
    cr_expect(a->count == 0 || memcmp(a->track, b->track, a->count * sizeof *a->track) == 0);
    *damage = 0;
    for (size_t i = 0; i < pf_trace_stat_count(t[0]); i++) {
        pf_stat s = pf_trace_stat(t[0], i), other = pf_trace_stat(t[1], i);
        cr_expect(s.count == other.count && s.first_offset == other.first_offset, "%s: %s", path, s.name);
        *damage += s.severity >= PF_DATA_LOSS ? s.count : 0;
    }
    *events = a->count;
    pf_trace_free(t[0]);
    pf_trace_free(t[1]);
    return true;
}

Test(read, damaged_fixtures)
{
    /* What is whole in each file was counted by hand. */
    static const struct {
        const char *name;
        uint32_t events;
        uint64_t damage;
    } files[] = {{"truncated_event.json", 2, 1},     {"truncated_object.json", 3, 1},
                 {"unescaped_quote.json", 2, 1},     {"log_line.json", 3, 1},
                 {"missing_brace.json", 2, 1},       {"missing_bracket_in_args.json", 2, 1},
                 {"bad_times.json", 5, 4},           {"no_phase.json", 1, 2},
                 {"trailing_bytes.json", 2, 1},      {"double_comma.json", 2, 1},
                 {"non_object_elements.json", 2, 4}, {"bad_durations.json", 4, 3},
                 {"deep_args.json", 2, 1},           {"lone_surrogate.json", 2, 0},
                 {"not_a_number.json", 2, 0},        {"truncated_gzip.json.gz", 2, 1},
                 {"trailing_zeros.json.gz", 3, 0},   {"zstd_cut.json.zst", 2, 2},
                 {"zstd_garbage.json.zst", 2, 2},    {"zstd_trailing.json.zst", 2, 0},
                 {"zip_checksum.zip", 2, 1},         {"zip_cut.zip", 2, 2}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        uint32_t events = 0;
        uint64_t damage = 0;
        snprintf(path, sizeof path, PF_FIXTURES "/bad/%s", files[i].name);
        cr_expect(read_both(path, &events, &damage), "%s is not there", path);
        cr_expect_eq(events, files[i].events, "%s: %u events", files[i].name, events);
        cr_expect_eq(damage, files[i].damage, "%s: %lu faults", files[i].name, (unsigned long)damage);
    }
}

Test(read, packed_fixtures)
{
    /* Two events in each JSON; a descriptor that names a thread and 20 slices in each binary trace. */
    static const struct {
        const char *name, *compression, *format;
        uint32_t slices;
    } files[] = {{"small.json.zst", "zstd", "chrome-json", 1},          {"small.pftrace.zst", "zstd", "perfetto", 20},
                 {"small.json.zip", "zip", "chrome-json", 1},           {"small_stored.zip", "zip", "chrome-json", 1},
                 {"small_zip64.zip", "zip", "chrome-json", 1},          {"small_gzip.zip", "zip", "chrome-json", 1},
                 {"small_zstd.zip", "zip", "chrome-json", 1},           {"small.pftrace.zip", "zip", "perfetto", 20},
                 {"small_packets_zstd.pftrace", "none", "perfetto", 20}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        uint32_t events = 0;
        uint64_t damage = 0;
        snprintf(path, sizeof path, PF_FIXTURES "/containers/%s", files[i].name);
        cr_assert(read_both(path, &events, &damage), "%s is not there", path);
        cr_expect_eq(damage, 0, "%s", files[i].name);
        pf_trace *t = NULL;
        pf_error err = {0};
        cr_assert_eq(read_one(path, NULL, &t, &err), PF_OK, "%s", err.text);
        cr_expect_eq(pf_trace_slices(t)->count, files[i].slices, "%s", files[i].name);
        cr_expect_str_eq(pf_trace_input(t, 0)->compression, files[i].compression);
        cr_expect_str_eq(pf_trace_input(t, 0)->format, files[i].format);
        pf_trace_free(t);
    }
}

Test(read, packets_in_zstd)
{
    static const struct {
        const char *name;
        uint32_t slices;
        pf_stat_id damage;
    } files[] = {{"pf_zstd_packets_cut.pftrace", 20, PF_STAT_PROTO_PACKET_DAMAGED}, /* inside the last end */
                 {"pf_zstd_packets_nested.pftrace", 1, PF_STAT_PROTO_PACKET_DAMAGED},
                 {"pf_zstd_packets_mixed.pftrace", 2, PF_STAT_PROTO_MIXED}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        uint32_t events = 0;
        uint64_t damage = 0;
        snprintf(path, sizeof path, PF_FIXTURES "/bad/%s", files[i].name);
        cr_assert(read_both(path, &events, &damage), "%s is not there", path);
        cr_expect_eq(damage, 1, "%s", files[i].name);
        pf_trace *t = NULL;
        pf_error err = {0};
        cr_assert_eq(read_one(path, NULL, &t, &err), PF_OK, "%s", err.text);
        const pf_slices *s = pf_trace_slices(t);
        cr_assert_eq(s->count, files[i].slices, "%s", files[i].name);
        cr_expect_eq(s->dur[s->count - 1], 1000);
        cr_expect_eq(t->stat_count[files[i].damage], 1, "%s", files[i].name);
        cr_expect_eq(s->dur[0], i == 0 ? -1 : 1000, "all begin at 1000 and end at 2000: the outermost lacks its end");
        pf_trace_free(t);
    }
}

Test(read, refused_fixtures)
{
    static const struct {
        const char *name, *words;
    } files[] = {{"zip_two_files.zip", "2 files"},   {"zip_no_file.zip", "without a file"},
                 {"zip_encrypted.zip", "encrypted"}, {"zip_method.zip", "method 14"},
                 {"zip_in_zip.zip", "inside"},       {"zstd_window.json.zst", "damaged"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        pf_trace *t = NULL;
        pf_error err = {0};
        snprintf(path, sizeof path, PF_FIXTURES "/bad/%s", files[i].name);
        cr_expect_eq(read_one(path, NULL, &t, &err), PF_ERR_INPUT, "%s", files[i].name);
        cr_expect_not_null(strstr(err.text, files[i].words), "%s: %s", files[i].name, err.text);
    }
}

Test(read, archives_of_the_corpus_have_several_files)
{
    static const struct {
        const char *name, *words;
    } files[] = {{"trace_manifest_attributes", "2 files"},
                 {"trace_manifest_trace_time_file", "3 files"},
                 {"zip_zip_systrace_converted_timestamps", "2 files"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        pf_trace *t = NULL;
        pf_error err = {0};
        snprintf(path, sizeof path, "%s/corpus/perfetto/containers/%s/trace.zip", shared_folder(), files[i].name);
        if (access(path, R_OK) != 0) {
            SKIP_WITHOUT_CORPUS();
        }
        cr_expect_eq(read_one(path, NULL, &t, &err), PF_ERR_INPUT);
        cr_expect_not_null(strstr(err.text, files[i].words), "%s", err.text);
    }
}

Test(read, corpus, .timeout = 120)
{
    /* Events per file as an independent JSON parser counts the elements with a phase. */
    static const struct {
        const char *path;
        uint32_t events;
    } files[] = {{"aie/c00_real_vector_scalar/trace.json", 366},
                 {"aie/c01_basic_2x2/trace.json.gz", 3575},
                 {"aie/c07_unordered_mixed_ts/trace.json", 618},
                 {"aie/c11_object_form/trace.json", 195},
                 {"aie/c12_medium_4x4/trace.json.gz", 54405},
                 {"real/bazel-tiny/trace.json.gz", 707},
                 {"real/catapult-lthi-cats/trace.json.gz", 67595},
                 {"real/devtools-animation/trace.json.gz", 32716},
                 {"real/torch-h100-qwen/trace.json.gz", 18221},
                 {"real/torch-nccl/trace.json.gz", 40573},
                 {"real/viztracer-process-pool/trace.json.gz", 12548},
                 {"real/catapult-simple-zip/trace.zip", 35},
                 {"perfetto/json/json_parser_json_metadata/trace.json", 13}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        uint32_t events = 0;
        uint64_t damage = 0;
        snprintf(path, sizeof path, "%s/corpus/%s", shared_folder(), files[i].path);
        if (!read_both(path, &events, &damage)) {
            SKIP_WITHOUT_CORPUS();
        }
        cr_expect_eq(events, files[i].events, "%s: %u events", files[i].path, events);
    }
}
