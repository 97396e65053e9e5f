/* Schemas of in-kernel profilers (docs/reference/in-kernel.md): what each fault says, values of fields, and records
 * whose words were made by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "../../scratch.h"
#include "../../shown_args.h"
#include "postfetto/postfetto.h"
#include "read/neutrino/kernel_schema.h"

TestSuite(schema, .init = scratch_enter, .fini = scratch_leave);

/* ---- faults ------------------------------------------------------------------------------------------------------ */

#define RECORD "record:\n  bytes: 8\n  fields:\n    t: {bit: 0, bits: 32}\n    p: {bit: 32, bits: 8}\n"
#define TIME "time: {field: t}\n"
#define PHASE "phase: {field: p, begin: 0, end: 1}\n"
#define TRACK "track: all\n"

static pf_status read_schema(const char *text, kernel_schema *s, pf_error *err)
{
    *err = (pf_error){0};
    return pf_kernel_schema_read((pf_str){text, strlen(text)}, s, err);
}

Test(schema, faults_name_member_and_line)
{
    static const char *const cases[][2] = {
        {"- 1\n", "schema, line 1: the schema is not a mapping"},
        {TIME PHASE TRACK, "schema, line 1: record.bytes is missing"},
        {"record:\n  fields: {}\n", "schema, line 2: record.bytes is missing"},
        {"record:\n  bytes: 0\n", "schema, line 2: bytes is not a number in its range"},
        {"record:\n  bytes: 4097\n", "schema, line 2: bytes is not a number in its range"},
        {"record:\n  bytes: -8\n", "schema, line 2: bytes is not a number in its range"},
        {"record:\n  bytes: eight\n", "schema, line 2: bytes is not a number in its range"},
        {"record:\n  bytes: 8\n  fields: 7\n", "schema, line 3: fields is not a mapping"},
        {"record:\n  bytes: 8\n  fields:\n    t: 7\n",
         "schema, line 4: a field is {bit: N, bits: N} or {position: true}"},
        {"record:\n  bytes: 8\n  fields:\n    t: {bit: 64, bits: 1}\n",
         "schema, line 4: bit is not a number in its range"},
        {"record:\n  bytes: 8\n  fields:\n    t: {bit: 0, bits: 65}\n",
         "schema, line 4: bits is not a number in its range"},
        {"record:\n  bytes: 8\n  fields:\n    t: {bit: 0}\n",
         "schema, line 4: bits of a field are missing, lie outside of the record or in more than 8 bytes"},
        {"record:\n  bytes: 8\n  fields:\n    t: {bit: 33, bits: 32}\n",
         "schema, line 4: bits of a field are missing, lie outside of the record or in more than 8 bytes"},
        {"record:\n  bytes: 16\n  fields:\n    t: {bit: 1, bits: 64}\n",
         "schema, line 4: bits of a field are missing, lie outside of the record or in more than 8 bytes"},
        {"record:\n  bytes: 8\n  fields:\n    t: {bit: 0, bits: 8, divide: 0}\n",
         "schema, line 4: divide is not a number in its range"},
        {"record:\n  bytes: 8\n  fields:\n    t: {bit: 0, bits: 8, modulo: -1}\n",
         "schema, line 4: modulo is not a number in its range"},
        {RECORD "unit: {head: 4097, records: 1}\n", "schema, line 6: head is not a number in its range"},
        {RECORD "unit: {head: 8, records: 0}\n", "schema, line 6: records is not a number in its range"},
        {RECORD "unit: {head: 8}\n", "schema, line 6: unit.records is missing"},
        {"header: {bytes: 4097}\n" RECORD, "schema, line 1: bytes is not a number in its range"},
        {"header:\n  bytes: 4\n  fields:\n    n: {bit: 8, bits: 25}\n" RECORD,
         "schema, line 4: bits of a field are missing, lie outside of the record or in more than 8 bytes"},
        {RECORD "time: {field: none}\n", "schema, line 6: field names no field of the record"},
        {RECORD "time: {field: t, end: none}\n", "schema, line 6: end names no field of the record"},
        {RECORD "time: {field: t, length: none}\n", "schema, line 6: length names no field of the record"},
        {RECORD "time: {field: t, ns: 0}\n", "schema, line 6: time.ns is not a number above 0"},
        {RECORD "time: {field: t, ns: fast}\n", "schema, line 6: time.ns is not a number above 0"},
        {RECORD "time: {field: t, ns: 1000000000}\n", "schema, line 6: time.ns is not a number above 0"},
        {RECORD TIME TRACK, "schema, line 1: phase is missing, and time has neither end nor length"},
        {RECORD "time: {ns: 1}\n", "schema, line 6: field names no field of the record"},
        {RECORD TIME "phase: {begin: 1}\n" TRACK, "schema, line 7: field names no field of the record"},
        {RECORD TIME "phase: {field: none}\n" TRACK, "schema, line 7: field names no field of the record"},
        {RECORD TIME "phase: {field: p, begin: -1}\n" TRACK, "schema, line 7: begin is not a number in its range"},
        {RECORD TIME "phase: {field: p, end: x}\n" TRACK, "schema, line 7: end is not a number in its range"},
        {RECORD TIME "phase: {field: p, instant: x}\n" TRACK, "schema, line 7: instant is not a number in its range"},
        {RECORD TIME PHASE, "schema, line 1: track is missing: a text with {field} in it"},
        {RECORD TIME PHASE TRACK "event: {field: p, names: 5}\n",
         "schema, line 9: event.names is neither a list nor a mapping"},
        {RECORD TIME PHASE TRACK "event: {names: [a]}\n", "schema, line 9: field names no field of the record"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kernel_schema s;
        pf_error err;
        cr_expect_eq(read_schema(cases[i][0], &s, &err), PF_ERR_INPUT, "%zu:\n%s", i, cases[i][0]);
        cr_expect_str_eq(err.text, cases[i][1], "%zu:\n%s", i, cases[i][0]);
        pf_kernel_schema_free(&s);
    }
}

Test(schema, number_of_fields)
{
    for (unsigned count = KERNEL_FIELDS_MAX; count <= KERNEL_FIELDS_MAX + 1; count++) {
        char text[4096] = "record:\n  bytes: 8\n  fields:\n    t: {bit: 0, bits: 8}\n";
        for (unsigned i = 1; i < count; i++) {
            size_t len = strlen(text);
            snprintf(text + len, sizeof text - len, "    f%u: {bit: %u, bits: 1}\n", i, i);
        }
        strcat(text, "time: {field: t, length: f1}\n" TRACK);
        kernel_schema s;
        pf_error err;
        bool good = count == KERNEL_FIELDS_MAX;
        cr_expect_eq(read_schema(text, &s, &err), good ? PF_OK : PF_ERR_INPUT, "%s", err.text);
        cr_expect_str_eq(err.text, good ? "" : "schema, line 36: fields has more than 32 members");
        pf_kernel_schema_free(&s);
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

Test(schema, values_of_bits)
{
    static const uint8_t bytes[] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x11};
    static const struct {
        kernel_field field;
        uint64_t value;
    } cases[] = {
        {{.bit = 0, .bits = 64}, 0xefcdab8967452301},
        {{.bit = 8, .bits = 64}, 0x11efcdab89674523},
        {{.bit = 4, .bits = 8}, 0x30},
        {{.bit = 7, .bits = 1}, 0},
        {{.bit = 8, .bits = 1}, 1},
        {{.bit = 3, .bits = 61}, 0xefcdab8967452301 >> 3},
        {{.bit = 16, .bits = 8, .divide = 10}, 6},             /* 0x45 = 69 */
        {{.bit = 16, .bits = 8, .modulo = 10}, 9},             /* the same */
        {{.bit = 16, .bits = 8, .divide = 7, .modulo = 5}, 4}, /* 69 / 7 = 9, 9 % 5 */
        {{.position = true}, 77},
        {{.position = true, .divide = 4, .modulo = 10}, 9}, /* 77 / 4 = 19 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(pf_kernel_value(&cases[i].field, bytes, 77), cases[i].value, "%zu", i);
    }
}

Test(schema, numbers_of_the_header)
{
    static const char text[] = "header:\n  bytes: 2\n  fields: {a: {bit: 0, bits: 8}, b: {bit: 8, bits: 8}}\n"
                               "record:\n  bytes: 1\n  fields:\n    t: {bit: 0, bits: 8, divide: a, modulo: b}\n"
                               "    u: {bit: 0, bits: 8, divide: 3}\n"
                               "time: {field: t, length: u}\n" TRACK;
    static const uint8_t good[] = {5, 4}, no_divisor[] = {0, 4}, no_modulus[] = {5, 0}, record[] = {99};
    kernel_schema s;
    pf_error err;
    cr_assert_eq(read_schema(text, &s, &err), PF_OK, "%s", err.text);
    cr_expect_not(pf_kernel_apply_header(&s, good, 1), "the header is cut");
    cr_expect_not(pf_kernel_apply_header(&s, no_divisor, 2));
    cr_expect_not(pf_kernel_apply_header(&s, no_modulus, 2));
    cr_assert(pf_kernel_apply_header(&s, good, 2));
    cr_expect_eq(pf_kernel_value(&s.record.field[0], record, 0), 3, "99 / 5 = 19, 19 %% 4");
    cr_expect_eq(pf_kernel_value(&s.record.field[1], record, 0), 33);
    pf_kernel_schema_free(&s);
    char unknown[sizeof text];
    memcpy(unknown, text, sizeof text);
    *strstr(unknown, "divide: a") = 'D'; /* no member of that name: not divided */
    *strstr(unknown, "modulo: b") = 'm';
    memcpy(strstr(unknown, "modulo: b") + 8, "c", 1); /* a field that the header does not have */
    cr_assert_eq(read_schema(unknown, &s, &err), PF_OK, "%s", err.text);
    cr_expect_not(pf_kernel_apply_header(&s, good, 2));
    pf_kernel_schema_free(&s);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void put_file(const char *path, const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(data, 1, len, f), len);
    cr_assert_eq(fclose(f), 0);
}

/* "ts dur name | track under its parent" per slice, then counts of faults. */
static void expect_slices(const char *schema, const void *data, size_t len, const char *want)
{
    put_file("s.yaml", schema, strlen(schema));
    put_file("p.bin", data, len);
    const pf_reader_setting schema_file = {.reader = "neutrino", .name = "schema", .value = "s.yaml"};
    pf_read_options o = pf_read_options_default();
    o.input_format = "neutrino";
    o.settings = &schema_file;
    o.setting_count = 1;
    const char *path = "p.bin";
    pf_trace *t = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    const pf_slices *s = pf_trace_slices(t);
    const pf_tracks *k = pf_trace_tracks(t);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t up = k->parent[s->track[i]];
        pf_str name = pf_trace_string(t, pf_slice_name(s, i)), track = pf_trace_string(t, k->name[s->track[i]]);
        pf_str above = up == PF_NONE ? (pf_str){"-", 1} : pf_trace_string(t, k->name[up]);
        fprintf(out, "%lld %lld %.*s | %.*s / %.*s\n", (long long)pf_slice_ts(s, i), (long long)s->dur[i],
                (int)name.len, name.ptr, (int)above.len, above.ptr, (int)track.len, track.ptr);
    }
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        pf_stat stat = pf_trace_stat(t, i);
        if (stat.count) {
            fprintf(out, "%s %llu\n", stat.name, (unsigned long long)stat.count);
        }
    }
    fclose(out);
    cr_expect_str_eq(text, want);
    free(text);
    pf_trace_free(t);
}

/* Begins and ends, an event without a name, a phase that is none, unused records, trailing bytes. Bytes: time, phase,
 * event, warp. */
Test(schema, records_with_phases)
{
    static const char text[] = "record:\n  bytes: 4\n  fields:\n    t: {bit: 0, bits: 8}\n    p: {bit: 8, bits: 8}\n"
                               "    e: {bit: 16, bits: 8}\n    w: {bit: 24, bits: 8}\n"
                               "time: {field: t, ns: 10}\nphase: {field: p, begin: 1, end: 2, instant: 3}\n"
                               "event: {field: e, names: {5: five, 6: six}}\ntrack: warp {w}\ngroup: 'sm {no}'\n";
    static const uint8_t data[] = {1, 1, 5, 7, 2, 1, 9, 7, 4, 2, 9, 7, 6, 2, 5, 7, 8,
                                   3, 6, 8, 9, 4, 6, 8, 0, 0, 0, 0, 9, 0, 6, 8, 1, 2};
    expect_slices(text, data, sizeof data,
                  "10 50 five | sm {no} / warp 7\n20 20 event 9 | sm {no} / warp 7\n80 0 six | sm {no} / warp 8\n"
                  "postfetto_records_cut 1\npostfetto_records_spare 1\n");
}

/* Both times in one record; an end of eight bits that wrapped. Two records in a unit of its own head. */
Test(schema, records_with_both_times)
{
    static const char text[] = "record:\n  bytes: 2\n  zero: true\n  fields:\n    t: {bit: 0, bits: 8}\n"
                               "    end: {bit: 8, bits: 8}\n    n: {position: true}\n"
                               "unit: {head: 1, records: 2}\ntime: {field: t, end: end}\ntrack: 'lane {n}'\n";
    static const uint8_t data[] = {0xff, 3, 9, 250, 4, 0xff, 7, 7};
    expect_slices(text, data, sizeof data,
                  "3 6 record | - / lane 0\n7 0 record | - / lane 2\n250 10 record | - / lane 1\n");
}

#define SLICES(schema, data, want) expect_slices(schema, data, sizeof data, want)

/* A time of eight bits is carried on where it falls by more than 128; each track has a time of its own. */
Test(schema, times_that_wrap)
{
    static const char text[] = "record:\n  bytes: 3\n  fields:\n    t: {bit: 0, bits: 8}\n    p: {bit: 8, bits: 8}\n"
                               "    w: {bit: 16, bits: 8}\ntime: {field: t}\nphase: {field: p, instant: 1}\n"
                               "track: 'w {w}'\n";
    static const uint8_t data[] = {200, 1,  1, 72, 1,   1, 201, 1, 1, 72, 1, 1, 71, 1,
                                   2,   10, 1, 1,  255, 1, 1,   0, 1, 1,  1, 1, 2};
    SLICES(text, data,
           "1 0 record | - / w 2\n71 0 record | - / w 2\n72 0 record | - / w 1\n200 0 record | - / w 1\n"
           "201 0 record | - / w 1\n266 0 record | - / w 1\n328 0 record | - / w 1\n511 0 record | - / w 1\n"
           "512 0 record | - / w 1\n");
}

#define WIDE                                                                                                           \
    "record:\n  bytes: 16\n  fields:\n    t: {bit: 0, bits: 64}\n    u: {bit: 64, bits: 64}\n    p: {bit: 64, bits: "  \
    "8}\ntrack: all\n"

/* Times of 64 bits do not wrap; one beyond 2^63 - 1 is none. */
Test(schema, times_at_their_limits)
{
    static const uint64_t instants[] = {9, 1, 5, 1, INT64_MAX, 1, (uint64_t)INT64_MAX + 1, 1, UINT64_MAX, 1, 7, 1};
    SLICES(WIDE "time: {field: t}\nphase: {field: p, instant: 1}\n", instants,
           "5 0 record | - / all\n7 0 record | - / all\n9 0 record | - / all\n"
           "9223372036854775807 0 record | - / all\npostfetto_records_cut 1\n");
    static const uint64_t small[] = {3, 1, 5, 1, 8, 1};
    SLICES(WIDE "time: {field: t, ns: 0.5}\nphase: {field: p, instant: 1}\n", small,
           "2 0 record | - / all\n2 0 record | - / all\n4 0 record | - / all\n"); /* 1.5 and 2.5 to the even one */
    static const uint64_t large[] = {8999999999999, 1, 9000000000000, 1};
    SLICES(WIDE "time: {field: t, ns: 1000000}\nphase: {field: p, instant: 1}\n", large,
           "8999999999998999552 0 record | - / all\npostfetto_records_cut 1\n"); /* the nearest double */
}

Test(schema, lengths_and_ends)
{
    static const uint64_t lengths[] = {5, 3, 40, 0, INT64_MAX - 1, 1, INT64_MAX, 1, 1, UINT64_MAX, 2, INT64_MAX};
    SLICES(WIDE "time: {field: t, length: u}\n", lengths,
           "5 3 record | - / all\n40 0 record | - / all\n9223372036854775806 1 record | - / all\n"
           "postfetto_records_cut 1\n");
    SLICES(WIDE "time: {field: t, length: u, ns: 10}\n", lengths,
           "50 30 record | - / all\n400 0 record | - / all\npostfetto_records_cut 1\n");
    static const uint64_t ends[] = {5, 8, 40, 40, 41, 40, 50, INT64_MAX, 60, (uint64_t)INT64_MAX + 1};
    SLICES(WIDE "time: {field: t, end: u}\n", ends,
           "5 3 record | - / all\n40 0 record | - / all\n50 9223372036854775757 record | - / all\n"
           "postfetto_records_cut 1\n");
}

/* Each group has its tracks, and a track its name, in which fields stand in braces; others are text. */
Test(schema, names_of_tracks)
{
#define PLACES                                                                                                         \
    "record:\n  bytes: 3\n  fields:\n    t: {bit: 0, bits: 8}\n    s: {bit: 8, bits: 8}\n    w: {bit: 16, bits: 8}\n"  \
    "time: {field: t, length: t}\n"
    static const uint8_t data[] = {1, 1, 7, 2, 1, 8, 3, 2, 7, 4, 1, 7};
    SLICES(PLACES "group: 'sm {s}'\ntrack: 'warp {w}'\n", data,
           "1 1 record | sm 1 / warp 7\n2 2 record | sm 1 / warp 8\n3 3 record | sm 2 / warp 7\n"
           "4 4 record | sm 1 / warp 7\n");
    static const char *const patterns[][2] = {
        {"{w}{s}-{w}-{", "79-7-{"}, {"{nope} {w}", "{nope} 7"}, {"}{w", "}{w"},
        {"{{w}}", "{7}"},           {"{}{t}", "{}1"},           {"{ w}{w }{W}", "{ w}{w }{W}"}};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        static const uint8_t one[] = {1, 9, 7};
        char text[512], expected[128];
        snprintf(text, sizeof text, PLACES "track: '%s'\n", patterns[i][0]);
        snprintf(expected, sizeof expected, "1 1 record | - / %s\n", patterns[i][1]);
        SLICES(text, one, expected);
    }
}

Test(schema, names_of_events)
{
#define NAMED                                                                                                          \
    "record:\n  bytes: 2\n  fields:\n    t: {bit: 0, bits: 8}\n    e: {bit: 8, bits: 8}\n"                             \
    "time: {field: t, length: t}\ntrack: all\n"
    static const uint8_t data[] = {1, 0, 2, 1, 4, 2, 8, 3};
    SLICES(NAMED "event: {field: e, names: [a, 5, b]}\n", data,
           "1 1 a | - / all\n2 2 event 1 | - / all\n4 4 b | - / all\n8 8 event 3 | - / all\n");
    SLICES(NAMED "event: {field: e, names: {1: one, '2': two, 22: x, 3: [y]}}\n", data,
           "1 1 event 0 | - / all\n2 2 one | - / all\n4 4 two | - / all\n8 8 event 3 | - / all\n");
    SLICES(NAMED "event: {field: e}\n", data,
           "1 1 event 0 | - / all\n2 2 event 1 | - / all\n4 4 event 2 | - / all\n8 8 event 3 | - / all\n");
}

/* A header of a byte, units of two bytes and two records; a unit may end after any byte. */
Test(schema, records_of_units)
{
    static const char text[] = "header: {bytes: 1}\nrecord:\n  bytes: 1\n  fields:\n    v: {bit: 0, bits: 8}\n"
                               "    n: {position: true}\nunit: {head: 2, records: 2}\ntime: {field: v, length: v}\n"
                               "track: 'lane {n}'\n";
    static const uint8_t data[] = {0xee, 9, 9, 1, 2, 9, 9, 3, 4, 9, 9, 5};
    static const char *const lines[] = {"1 1 record | - / lane 0\n", "2 2 record | - / lane 1\n",
                                        "3 3 record | - / lane 2\n", "4 4 record | - / lane 3\n",
                                        "5 5 record | - / lane 4\n"};
    static const struct {
        size_t bytes, records;
        bool spare;
    } cases[] = {{1, 0, false}, {2, 0, true},  {3, 0, true},  {4, 1, false}, {5, 2, false}, {6, 2, true},
                 {7, 2, true},  {8, 3, false}, {9, 4, false}, {10, 4, true}, {11, 4, true}, {12, 5, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[256] = "";
        for (size_t k = 0; k < cases[i].records; k++) {
            strcat(expected, lines[k]);
        }
        strcat(expected, cases[i].spare ? "postfetto_records_spare 1\n" : "");
        expect_slices(text, data, cases[i].bytes, expected);
    }
}

/* Records that are all zero are unused, unless the schema says that they are records. */
Test(schema, unused_records)
{
#define ZEROS "record:\n  bytes: 2\n%s  fields:\n    t: {bit: 0, bits: 8}\ntime: {field: t, length: t}\ntrack: all\n"
    static const uint8_t data[] = {0, 0, 0, 1, 3, 0, 0, 0};
    static const char *const said[][2] = {
        {"", "0 0 record | - / all\n3 3 record | - / all\n"},
        {"  zero: false\n", "0 0 record | - / all\n3 3 record | - / all\n"},
        {"  zero: true\n", "0 0 record | - / all\n0 0 record | - / all\n0 0 record | - / all\n3 3 record | - / all\n"},
        {"  zero: 1\n", "0 0 record | - / all\n3 3 record | - / all\n"}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        char text[256];
        snprintf(text, sizeof text, ZEROS, said[i][0]);
        SLICES(text, data, said[i][1]);
    }
}

/* All fields are arguments of all but ends; the name is that of the process. */
Test(schema, arguments_and_process)
{
    static const char text[] = "name: %s\nrecord:\n  bytes: 3\n  fields:\n    t: {bit: 0, bits: 8}\n"
                               "    \"p\\\"\\\\\\t~ x\": {bit: 8, bits: 8}\n    w: {bit: 16, bits: 8, divide: 10}\n"
                               "time: {field: t}\nphase: {field: 'p\"\\\t~ x', begin: 1, end: 2, instant: 3}\n"
                               "track: all\n";
    static const uint8_t data[] = {1, 1, 55, 2, 3, 66, 4, 2, 77};
    static const char *const names[][2] = {{"profiler", "profiler"}, {"5", "kernel"}};
    for (size_t i = 0; i < 2; i++) {
        char schema[512];
        const char *path = "p.bin";
        pf_trace *t = NULL;
        pf_error err = {0};
        pf_buffer got = {0};
        snprintf(schema, sizeof schema, text, names[i][0]);
        put_file("s.yaml", schema, strlen(schema));
        put_file(path, data, sizeof data);
        const pf_reader_setting setting = {.reader = "neutrino", .name = "schema", .value = "s.yaml"};
        pf_read_options o = pf_read_options_default();
        o.input_format = "neutrino";
        o.settings = &setting;
        o.setting_count = 1;
        cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
        for (uint32_t event = 0; event < 3; event++) {
            show_args(t, event, &got);
            pf_buffer_text(&got, "\n");
        }
        pf_buffer_put(&got, "", 1);
        cr_expect_str_eq(got.data, " args.t=1 args.p___~ x=1 args.w=5\n args.t=2 args.p___~ x=3 args.w=6\n\n");
        uint32_t process = pf_trace_tracks(t)->upid[pf_trace_events(t)->track[0]];
        cr_expect_str_eq(pf_trace_string(t, pf_trace_processes(t)->name[process]).ptr, names[i][1]);
        pf_buffer_free(&got);
        pf_trace_free(t);
    }
}
