/* unit/edit/test_merge_packets.c - what merge makes of packets, field by field (docs/reference/merge.md).
 *
 * Packets are written as text, by the numbers of their fields: `8:10` a number, `47=99` one of 8 bytes, `2'x'` a text,
 * `11{9:3 11:7}` a message, `1[5 6]` a list in one field. In what is wanted `$u` stands for a number that no input has,
 * the same one wherever it is written.
 */
#include <criterion/criterion.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "wire/cursor.h"

#include "cut_packets.h"
#include "scratch.h"

TestSuite(merge_packets, .init = scratch_enter, .fini = scratch_leave);

typedef struct field {
    uint32_t number;
    char kind; /* : = ' { [ */
    char any;  /* after $ */
    uint64_t value;
    pf_str text;
} field;

static bool next_number(const char **at, field *f)
{
    const char *from = *at + strspn(*at, " ");
    char *end = NULL;
    f->any = *from == '$' ? from[1] : 0;
    f->value = f->any ? 0 : strtoull(from, &end, 0);
    *at = f->any ? from + 2 : end;
    return *at != from;
}

/* The next field of a message; false, and past its end: there is none. */
static bool next_field(const char **at, field *f)
{
    char *end;
    *at += strspn(*at, " ");
    if (!isdigit((unsigned char)**at)) {
        *at += **at == '}';
        return false;
    }
    *f = (field){.number = (uint32_t)strtoul(*at, &end, 10)};
    f->kind = *end;
    *at = end + 1;
    if (f->kind == '\'') {
        f->text = (pf_str){*at, strcspn(*at, "'")};
        *at += f->text.len + 1;
    } else if (f->kind == ':' || f->kind == '=') {
        cr_assert(next_number(at, f), "%s", *at);
    }
    return true;
}

static void put(const char **at)
{
    field f;
    while (next_field(at, &f)) {
        if (f.kind == '{') {
            pf_writer_begin(&w, f.number);
            put(at);
            pf_writer_end(&w);
        } else if (f.kind == '[') {
            pf_writer_begin(&w, f.number);
            while (**at != ']' && next_number(at, &f)) {
                uint8_t varint[PF_VARINT_MAX];
                pf_writer_raw(&w, varint, (size_t)(pf_store_varint(varint, f.value) - varint));
            }
            ++*at;
            pf_writer_end(&w);
        } else if (f.kind == '\'') {
            pf_writer_bytes(&w, f.number, f.text.ptr, f.text.len);
        } else if (f.kind == '=') {
            pf_writer_fixed64(&w, f.number, f.value);
        } else {
            pf_writer_varint(&w, f.number, f.value);
        }
    }
}

static uint64_t found[128]; /* what $ stands for; 0: not seen yet */

static bool is_number(const field *want, uint64_t value)
{
    uint64_t *any = &found[(unsigned char)want->any];
    for (size_t i = 0; want->any && !*any && i < sizeof found / sizeof *found; i++) {
        value = found[i] == value ? 0 : value;
    }
    *any = *any ? *any : value;
    return want->any ? value > UINT32_MAX && *any == value : want->value == value;
}

static bool is_list(const char **at, const pf_field *f)
{
    const uint8_t *p = f->bytes, *end = p + f->len;
    field want;
    uint64_t value;
    bool same = true;
    while (**at != ']' && next_number(at, &want)) {
        p = p && p < end ? pf_varint(p, end, &value) : NULL;
        same = same && p && is_number(&want, value);
    }
    ++*at;
    return same && p == end;
}

/* Whether the next fields are those of the text. */
static bool has(const char **at, pf_cursor *c)
{
    field want;
    pf_field f;
    bool same = true;
    while (same && next_field(at, &want)) {
        same = pf_cursor_next(c, &f) == PF_NEXT_FIELD && pf_field_number(&f) == want.number &&
               pf_field_wire(&f) == (want.kind == ':'   ? PF_WIRE_VARINT
                                     : want.kind == '=' ? PF_WIRE_FIXED64
                                                        : PF_WIRE_BYTES);
        if (same && want.kind == '{') {
            pf_cursor inner = pf_field_cursor(&f);
            same = has(at, &inner) && pf_cursor_next(&inner, &f) != PF_NEXT_FIELD;
        } else if (same && want.kind == '[') {
            same = is_list(at, &f);
        } else if (same) {
            same = want.kind == '\'' ? pf_str_equal(pf_field_text(&f), want.text) : is_number(&want, f.value);
        }
    }
    return same;
}

typedef struct row {
    const char *rule, *first, *second; /* the inputs a.pftrace and b.pftrace */
    const char *want_first;            /* NULL: as it was */
    const char *want_second;           /* the same */
    int64_t moved, offset;             /* of the first and the second */
    bool merge_pids, machines;
    const char *third, *want_third; /* c.pftrace; NULL: none */
} row;

static void write_text(const char *path, const char *packets)
{
    start();
    put(&packets);
    write_file(path);
}

static void expect_merged(const row *r)
{
    const char *paths[] = {"a.pftrace", "b.pftrace", "c.pftrace"}, *in[] = {r->first, r->second, r->third};
    const char *const want[] = {r->want_first, r->want_second, r->want_third};
    pf_merge_input inputs[3];
    pf_merge_options o = pf_merge_options_default();
    pf_write_options write = pf_write_options_default();
    pf_merge_result result = {.size = sizeof result};
    pf_error err;
    size_t len;
    write.sync = false;
    o.write = &write;
    o.inputs = inputs;
    o.input_count = r->third ? 3 : 2;
    o.merge_pids = r->merge_pids;
    o.machines = r->machines;
    for (size_t i = 0; i < o.input_count; i++) {
        inputs[i] = (pf_merge_input){.path = paths[i], .uncertainty_ns = -1};
        write_text(paths[i], in[i]);
    }
    inputs[0].offset_ns = r->moved;
    inputs[1].offset_ns = r->offset;
    cr_assert_eq(pf_merge("out.pftrace", &o, &result, &err), PF_OK, "%s: %s", r->rule, err.text);
    char *out = read_file("out.pftrace", &len);
    pf_cursor c = pf_cursor_over((const uint8_t *)out, len);
    pf_field f;
    memset(found, 0, sizeof found);
    cr_assert_eq(pf_cursor_next(&c, &f), PF_NEXT_FIELD); /* where the inputs went */
    for (size_t i = 0; i < o.input_count; i++) {
        const char *at = want[i] ? want[i] : in[i];
        cr_expect(has(&at, &c), "%s: input %zu is another one before: %s", r->rule, i, at);
        pf_trace_free(inputs[i].trace);
    }
    cr_expect(c.at == c.end, "%s: there is more", r->rule);
    free(out);
}

/* Of parts of a trace. */
#define PART "1{126{1{1'postfetto.cut.source' 3'id'}}} "

static void expect_all(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        expect_merged(&rows[i]);
    }
}

#define EXPECT_ALL(...)                                                                                                \
    do {                                                                                                               \
        const row rows_[] = {__VA_ARGS__};                                                                             \
        expect_all(rows_, sizeof rows_ / sizeof *rows_);                                                               \
    } while (0)

Test(merge_packets, names_that_both_inputs_have)
{
    EXPECT_ALL(
        {"fields that are no names of their own", "1{60{1:7 2'x' 14'x' 8{2'x' 6'x'}}} 1{60{1:8 3{1:4 2'p' 6'p' 8'p'}}}",
         "1{60{1:1 2'x'}} 1{60{1:2 3{1:5 6'p'}}}",
         "1{60{1:7 2'x (a)' 14'x' 8{2'x' 6'x'}}} 1{60{1:8 3{1:4 2'p' 6'p (a)' 8'p'}}}",
         "1{60{1:1 2'x (b)'}} 1{60{1:2 3{1:5 6'p (b)'}}}"},
        {"of the default track", "1{60{1:7 2'x'}}", "1{60{1:0 2'x'}}"},
        {"of parts of one trace", PART "1{60{1:7 2'x'}}", PART "1{60{1:7 2'x'}}"},
        {"of parts and another trace", PART "1{60{1:7 2'x'}}", PART "1{60{1:7 2'x'}}", PART "1{60{1:7 2'x (a)'}}",
         PART "1{60{1:7 2'x (a)'}}", .third = "1{60{1:8 2'x'}}", .want_third = "1{60{1:8 2'x (c)'}}"},
        {"of descriptors with times", "1{6{1{1:6 2:1000} 1{1:3 2:400}}} 1{8:410 58:3 60{1:7 2'x'}}", "1{60{1:8 2'x'}}",
         "1{6{1{1:6 2:1000} 1{1:3 2:400}}} 1{8:410 58:3 60{1:7 2'x (a)'}}", "1{60{1:8 2'x (b)'}}"},

        {"of tracks that stand alone", "1{60{1:7 2'x' 10'y' 13'z' 16'k'}}", "1{60{1:8 2'x' 10'y' 13'z' 16'k'}}",
         "1{60{1:7 2'x (a)' 10'y (a)' 13'z (a)' 16'k (a)'}}", "1{60{1:8 2'x (b)' 10'y (b)' 13'z (b)' 16'k (b)'}}"},
        {"of the others", "1{60{1:7 2'x'}}",
         "1{60{1:1 2'x'}} 1{60{1:2 5:1 2'x'}} 1{60{1:3 2'x' 3{1:4}}} 1{60{1:4 2'x' 4{1:4 2:5}}}", "1{60{1:7 2'x (a)'}}",
         "1{60{1:1 2'x (b)'}} 1{60{1:2 5:1 2'x'}} 1{60{1:3 2'x' 3{1:4}}} 1{60{1:4 2'x' 4{1:4 2:5}}}"},
        {"that are of others in one input", "1{60{1:7 5:6 2'x'}}", "1{60{1:8 2'x'}}"},
        {"of processes", "1{60{1:7 3{1:4 6'p'}}} 1{43{1:6 6'q'}}", "1{60{1:8 3{1:5 6'p'}}} 1{43{1:9 6'q'}}",
         "1{60{1:7 3{1:4 6'p (a)'}}} 1{43{1:6 6'q (a)'}}", "1{60{1:8 3{1:5 6'p (b)'}}} 1{43{1:9 6'q (b)'}}"},
        {"in command lines",
         "1{2{1{1:4 3'/bin/sh -c x'} 1{1:5 3'my prog' 3'-x y'} 1{1:6 3'sh'} 1{1:7 3'k' 8:1} 1{1:8 3'c' 9:1}}}",
         "1{2{1{1:14 3'/bin/sh -c x'} 1{1:15 3'my prog' 3'-x y'} 1{1:16 3'sh'} 1{1:17 3'k' 8:1} 1{1:18 3'c' "
         "9:1}}}",
         "1{2{1{1:4 3'/bin/sh (a)' 3'-c x'} 1{1:5 3'my prog (a)' 3'-x y'} 1{1:6 3'sh (a)'} 1{1:7 3'k' 8:1} "
         "1{1:8 3'c' 9:1}}}",
         "1{2{1{1:14 3'/bin/sh (b)' 3'-c x'} 1{1:15 3'my prog (b)' 3'-x y'} 1{1:16 3'sh (b)'} 1{1:17 3'k' 8:1} "
         "1{1:18 3'c' 9:1}}}"});
}

Test(merge_packets, ids_that_both_inputs_have)
{
    EXPECT_ALL({"of three inputs", "1{8:1 10:5 11{9:3 11:7 47=5}}", "1{8:1 10:5 11{9:3 11:7 47=5}}", NULL,
                "1{8:1 10:1 11{9:3 11:$u 47=6}}", .third = "1{8:1 10:5 11{9:3 11:7 47=5}}",
                .want_third = "1{8:1 10:2 11{9:3 11:$v 47=7}}"},
               {"of a trace and parts of another", "1{8:1 10:5 11{9:3 11:7}} 1{60{1:9 3{1:4}}}",
                PART "1{8:1 10:5 11{9:3 11:7}} 1{60{1:9 3{1:4}}}", NULL,
                PART "1{8:1 10:1 11{9:3 11:$u}} 1{60{1:$v 3{1:10000004}}}",
                .third = PART "1{8:1 10:5 11{9:3 11:7}} 1{60{1:9 3{1:4}}}",
                .want_third = PART "1{8:1 10:1 11{9:3 11:$u}} 1{60{1:$v 3{1:10000004}}}"},
               {"of parts and another trace", PART "1{8:1 10:1 11{9:3 11:7 47=5}}",
                PART "1{8:1 10:1 11{9:3 11:7 47=9}}", NULL, NULL, .third = "1{8:1 10:2 11{9:3 11:8 47=7}}",
                .want_third = "1{8:1 10:2 11{9:3 11:8 47=10}}"},
               {"of parts in another order and another trace", PART "1{8:1 10:1 11{9:3 11:7 47=9}}",
                PART "1{8:1 10:1 11{9:3 11:7 47=5}}", NULL, NULL, .third = "1{8:1 10:2 11{9:3 11:8 47=7}}",
                .want_third = "1{8:1 10:2 11{9:3 11:8 47=10}}"},
               {"of one part and another trace", PART "1{8:1 10:1 11{9:3 11:7}}", PART "1{8:1 10:1 11{9:3 11:7 47=5}}",
                NULL, NULL, .third = "1{8:1 10:2 11{9:3 11:8 47=5}}", .want_third = "1{8:1 10:2 11{9:3 11:8 47=6}}"},
               {"flows in any order", "1{8:1 10:1 11{9:3 11:7 47=9 47=5}}", "1{8:1 10:2 11{9:3 11:8 47=6}}", NULL,
                "1{8:1 10:2 11{9:3 11:8 47=10}}"},
               {"flows before the others stay", "1{8:1 10:1 11{9:3 11:7 47=5}}", "1{8:1 10:2 11{9:3 11:8 47=4}}", NULL,
                NULL, .third = "1{8:1 10:3 11{9:3 11:9 47=4}}", .want_third = "1{8:1 10:3 11{9:3 11:9 47=6}}"},
               {"flows of all 64 bits, three times", "1{8:1 10:1 11{9:3 11:7 47=0 48=0xffffffffffffffff}}",
                "1{8:1 10:2 11{9:3 11:8 47=5}}", NULL, "1{8:1 10:2 11{9:3 11:8 47=$f}}",
                .third = "1{8:1 10:3 11{9:3 11:9 47=5}}", .want_third = "1{8:1 10:3 11{9:3 11:9 47=$g}}"},
               {"pids that are too large", "1{60{1:7 3{1:20000000}}} 1{60{1:8 3{1:20000001}}}",
                "1{60{1:9 3{1:20000000}}} 1{60{1:10 3{1:20000001}}}", NULL,
                "1{60{1:9 3{1:2147483647}}} 1{60{1:10 3{1:2147483646}}}"},
               {"sequence 0 is none", "1{8:1 10:0 45{3:1}}", "1{8:1 10:0 45{3:1}}"},
               {"pids that programs write", "1{1{1:0 2{1:10 3{2'B|4|x'}}}}",
                "1{1{1:0 2{1:10 3{2'B|4|x'}} 2{1:10 3{2'E|4'}} 2{1:10 3{2'BX4|x'}} 2{1:10 3{2'B|'}} 2{1:10 3{2'B'}} "
                "2{1:10 3{2'B|5|x'}}}}",
                NULL,
                "1{1{1:0 2{1:10 3{2'B|10000004|x'}} 2{1:10 3{2'E|10000004'}} 2{1:10 3{2'BX4|x'}} 2{1:10 3{2'B|'}} "
                "2{1:10 3{2'B'}} 2{1:10 3{2'B|5|x'}}}}"},
               {"pids that programs write stay where pids are one", "1{1{1:0 2{1:10 3{2'B|4|x'}}}}",
                "1{1{1:0 2{1:10 3{2'B|4|x'}}}}", .merge_pids = true},
               {"processes and threads whose pids differ where pids are one", "1{60{1:7 3{1:4}}} 1{60{1:8 4{1:4 2:5}}}",
                "1{60{1:9 3{1:5}}} 1{60{1:10 4{1:5 2:5}}}", .merge_pids = true},
               {"pid 0 where pids are one", "1{60{1:7 3{1:0}}}", "1{60{1:8 3{1:0}}}", NULL, "1{60{1:7 3{1:0}}}",
                .merge_pids = true},
               {"pids that are one next to an idle process", "1{1{1:0 2{1:10 2:0}}} 1{60{1:7 3{1:4}}}",
                "1{60{1:8 3{1:4}}} 1{60{1:9 3{1:5}}}", NULL, "1{60{1:7 3{1:4}}} 1{60{1:9 3{1:5}}}", .merge_pids = true},
               {"tracks of no process where pids are one", "1{60{1:7 2'x'}} 1{60{3{1:4}}}",
                "1{60{1:8 2'y'}} 1{60{1:9 3{1:4}}}", .merge_pids = true},
               {"a track of a thread and its process", "1{60{1:7 4{1:4 2:5}}}", "1{60{1:8 3{1:4} 4{1:4 2:5}}}", NULL,
                "1{60{1:7 3{1:4} 4{1:4 2:5}}}", .merge_pids = true},
               {"sequences get the next number, tracks another", "1{8:10 10:5 11{9:3 11:7}}",
                "1{8:10 10:5 11{9:3 11:7}} 1{8:11 10:1 11{9:3 11:9}}", NULL,
                "1{8:10 10:2 11{9:3 11:$u}} 1{8:11 10:1 11{9:3 11:9}}"},
               {"parents", "1{60{1:7}}", "1{60{1:8 5:7}}", NULL, "1{60{1:8 5:$u}}"},
               {"of the second sequence on a track",
                "1{8:1 10:1 11{9:3 11:7}} 1{8:2 10:1 11{9:3 11:7}} 1{8:3 10:5 11{9:3 11:7}}",
                "1{8:1 10:5 11{9:3 11:8}}", NULL, "1{8:1 10:2 11{9:3 11:8}}"},
               {"flows of several events",
                "1{8:1 10:1 11{9:3 11:7 47=5}} 1{8:2 10:1 11{9:3 11:7 47=6}} 1{8:3 10:1 11{9:3 11:7 47=9}}",
                "1{8:1 10:2 11{9:3 11:8 47=8}}", NULL, "1{8:1 10:2 11{9:3 11:8 47=10}}"},
               {"flows of several events that get smaller",
                "1{8:1 10:1 11{9:3 11:7 47=5}} 1{8:2 10:1 11{9:3 11:7 47=6}} 1{8:3 10:1 11{9:3 11:7 47=2}}",
                "1{8:1 10:2 11{9:3 11:8 47=3}}", NULL, "1{8:1 10:2 11{9:3 11:8 47=7}}"},
               {"of extra values and defaults", "1{60{1:7}}", "1{8:1 10:1 59{11{11:7 31:7 45:7}} 11{9:4 31[7 8] 45:7}}",
                NULL, "1{8:1 10:1 59{11{11:$u 31:$u 45:$u}} 11{9:4 31[$u 8] 45:$u}}"},
               {"pids and tids", "1{60{1:7 3{1:4}}} 1{60{1:8 4{1:4 2:5}}}", "1{60{1:7 3{1:4}}} 1{60{1:8 4{1:4 2:5}}}",
                NULL, "1{60{1:$u 3{1:10000004}}} 1{60{1:$v 4{1:10000004 2:10000005}}}"},
               {"pids are one process", "1{60{1:7 3{1:4}}} 1{60{1:8 4{1:4 2:4}}} 1{60{1:9 4{1:4 2:5}}}",
                "1{60{1:17 3{1:4}}} 1{60{1:18 4{1:4 2:4}}} 1{60{1:19 4{1:4 2:5}}} 1{60{1:20 4{1:4 2:6}}} "
                "1{8:1 10:1 11{9:3 11:19}}",
                NULL,
                "1{60{1:7 3{1:4}}} 1{60{1:8 4{1:4 2:4}}} 1{60{1:9 4{1:4 2:5}}} 1{60{1:20 4{1:4 2:6}}} "
                "1{8:1 10:1 11{9:3 11:9}}",
                .merge_pids = true},
               {"pid 0 of an idle process", "1{1{1:0 2{1:10 2:0}}}", "1{1{1:0 2{1:10 2:0}}} 1{60{1:7 3{1:0}}}", NULL,
                "1{1{1:0 2{1:10 2:0}}} 1{60{1:7 3{1:10000000}}}", .merge_pids = true},
               {"pid 0 of a process", "1{60{1:7 3{1:0}}}", "1{60{1:8 3{1:0}}}", NULL, "1{60{1:8 3{1:10000000}}}"},
               {"flows move past the others", "1{8:1 10:1 11{9:3 11:7 47=5 48=9}}",
                "1{8:1 10:2 11{9:3 11:8 47=7 48=8}}", NULL, "1{8:1 10:2 11{9:3 11:8 47=10 48=11}}"},
               {"flows next to each other stay", "1{8:1 10:1 11{9:3 11:7 36:5 42:9}}",
                "1{8:1 10:2 11{9:3 11:8 36[10 11]}} 1{109{3:12}}"},
               {"flows in a gap", "1{8:1 10:1 11{9:3 11:7 36:5 6{8:6}}} 1{109{3:9}}",
                "1{8:1 10:2 11{9:3 11:8 36[7 8]}}", NULL, "1{8:1 10:2 11{9:3 11:8 36[10 11]}}"},
               {"flows of all 64 bits", "1{8:1 10:1 11{9:3 11:7 47=0 48=0xffffffffffffffff}}",
                "1{8:1 10:2 11{9:3 11:8 47=5 36:5}}", NULL, "1{8:1 10:2 11{9:3 11:8 47=$f 36:$f}}"},
               {"operations", "1{8:1 10:1 11{11:7 6{2:98 6:5 10:6 11:7}}}",
                "1{8:1 10:2 11{11:8 6{2:98 6:5 10:6 11:7}}}", NULL, "1{8:1 10:2 11{11:8 6{2:98 6:8 10:9 11:10}}}"},
               {"render stages that nothing refers to", "1{8:1 53{1:5 2:1 10:5}}", "1{8:1 53{1:5 2:1 10:5 11:7}}"},
               {"render stages", "1{8:1 53{1:5 2:1 10:5}}",
                "1{8:1 53{1:5 2:1 10:6 18[5] 11:7}} 1{8:2 10:1 11{9:3 11:8 3000{1:5}}}", NULL,
                "1{8:1 53{1:6 2:1 10:7 18[6] 11:7}} 1{8:2 10:1 11{9:3 11:8 3000{1:6}}}"});
}

Test(merge_packets, gpus_of_both_inputs)
{
    EXPECT_ALL({"said", "1{8:1 53{2:5 11:0}}", "1{8:1 53{2:5 11:0}}", NULL, "1{8:1 53{2:5 11:1}}"},
               {"not said by a stage", "1{8:1 53{2:5}}", "1{8:1 53{2:5 4:1}}", NULL, "1{8:1 53{2:5 4:1 11:1}}"},
               {"not said by counters", "1{8:1 52{2{1:7}}}", "1{8:1 52{2{1:7} 1{1{1:8}}}}", NULL,
                "1{8:1 52{2{1:8} 1{1{1:9}} 3:1}}"},
               {"of counters", "1{8:1 52{3:2 2{1:7}}}", "1{8:1 52{3:2 2{1:7}}}", NULL, "1{8:1 52{3:3 2{1:8}}}"},
               {"of counters with a descriptor", "1{8:1 10:1 12{47{1:1}} 52{4:1}}", "1{8:1 10:2 12{47{1:1}} 52{4:1}}",
                NULL, "1{8:1 10:2 12{47{1:1 3:1}} 52{4:1}}"},
               {"not said by memory", "1{8:1 71{3:9}}", "1{8:1 71{3:9}}", NULL, "1{8:1 71{3:9 1:1}}"},
               {"in a list of what they are", "1{128{1{1'g'} 1{1'h'}}}", "1{8:1 128{1{1'g'}}}", NULL,
                "1{8:1 128{1{} 1{} 1{1'g'}}}"});
}

/* A list is not filled up for an id that no machine has. */
Test(merge_packets, a_list_of_gpus_has_4096_empty_entries_at_most)
{
    enum { MOST = 4096 };
    pf_buffer want = {0};
    pf_buffer_text(&want, "1{8:1 128{");
    for (int i = 0; i < MOST; i++) {
        pf_buffer_text(&want, "1{} ");
    }
    pf_buffer_put(&want, "1{1'g'}}}", sizeof "1{1'g'}}}");
    EXPECT_ALL({"far", "1{8:1 53{2:5 11:0}} 1{8:1 53{2:5 11:5000}}", "1{8:1 128{1{1'g'}}}", NULL, want.data});
    pf_buffer_free(&want);
}

Test(merge_packets, events_on_the_default_track)
{
    const char *first = "1{8:10 10:1 11{9:3}}", *named = "1{60{1:$d 2'Default Track (b)'}} ";
    char want[6][200];
    snprintf(want[0], sizeof want[0], "%s1{8:10 10:2 11{9:3 23'e' 11:$d}} 1{8:11 10:2 11{9:3 11:0 11:$d}}", named);
    snprintf(want[1], sizeof want[1], "1{60{1:$d 5:0 2'n'}} %s1{8:10 10:2 11{9:3 11:$d}}", named);
    snprintf(want[2], sizeof want[2], "1{8:9 53{2:5 9:1 11:7}} %s1{8:10 11{9:1 23'e' 11:$d}}", named);
    snprintf(want[3], sizeof want[3], "1{60{1:$d 2'Default Track (c)'}} 1{8:10 10:3 11{9:3 11:0 11:$d}}");
    snprintf(want[4], sizeof want[4], "1{10:2 13:1 44{2:6 6:1}} %s1{8:10 10:2 11{9:3 11:0 11:$d}}", named);
    snprintf(want[5], sizeof want[5], "%s1{8:10 10:3 11{9:3 11:0 11:$d}}", named);
    EXPECT_ALL({"without a sequence, begins", first, "1{8:9 53{2:5 9:1 11:7}} 1{8:10 11{9:1 23'e'}}", NULL, want[2]},
               {"of parts", PART, PART "1{8:10 10:2 11{9:3}}", NULL, NULL, .third = "1{8:10 10:3 11{9:3 11:0}}",
                .want_third = want[3]},
               {"of a thread, explicitly", first, "1{10:2 13:1 44{2:6 6:1}} 1{8:10 10:2 11{9:3 11:0}}", NULL, want[4]},
               {"next to its descriptor", "1{60{2'n'}}", "1{8:10 10:3 11{9:3 11:0}}", NULL, want[5]},
               {"next to descriptors of processes and threads", "1{60{3{1:4}}} 1{60{4{1:4 2:5}}}",
                "1{8:10 10:3 11{9:3 11:0}}"},
               {"of both inputs", first, "1{8:10 10:2 11{9:3 23'e'}} 1{8:11 10:2 11{9:3 11:0}}", NULL, want[0]},
               {"of the second one alone", "1{8:10 10:1 11{9:3 11:7}}", "1{8:10 10:2 11{9:3 23'e'}}"},
               {"with a descriptor", first, "1{60{1:0 5:0 2'n'}} 1{8:10 10:2 11{9:3}}", NULL, want[1]},
               {"of a thread they are not", first, "1{10:2 13:1 44{2:6 6:1}} 1{8:10 10:2 11{9:3}}"},
               {"of a sequence with a track they are not", first, "1{8:9 10:2 13:1 59{11{11:8}} 11{9:3}}"},
               {"counters and legacy events are not on it", first,
                "1{8:10 10:2 11{9:4 30:1}} 1{8:10 10:2 11{9:3 6{2:73}}} 1{8:10 10:2 11{23'e'}}"});
}

Test(merge_packets, tracks_that_are_called_after_their_first_event)
{
    EXPECT_ALL(
        {"of unknown names", "1{8:1 10:1 11{9:3 11:7 10:9}}", "1{8:1 10:2 11{9:3 11:8 10:9}} 1{8:1 11{9:3 11:9 10:9}}"},
        {"that are below others later", "1{8:1 10:1 11{9:3 11:7 23'go'}}",
         "1{60{1:8}} 1{8:1 10:2 11{9:3 11:8 23'go'}} 1{60{1:8 5:1}}"},
        {"after values and operations", "1{8:1 10:1 11{9:3 11:7 23'go'}}",
         "1{60{1:8}} 1{60{1:8}} 1{8:1 10:2 11{9:4 11:8 23'up' 30:1}} 1{8:1 10:2 11{11:8 23'up' 6{2:98 6:5}}} 1{8:1 "
         "10:2 11{11:8 23'up'}} 1{8:2 10:2 11{9:3 11:8 23'go'}}",
         "1{60{1:7 2'go (a)'}} 1{8:1 10:1 11{9:3 11:7 23'go'}}",
         "1{60{1:8 2'go (b)'}} 1{60{1:8 2'go (b)'}} 1{8:1 10:2 11{9:4 11:8 23'up' 30:1}} 1{8:1 10:2 11{11:8 23'up' "
         "6{2:98 6:5}}} 1{8:1 10:2 11{11:8 23'up'}} 1{8:2 10:2 11{9:3 11:8 23'go'}}"},
        {"of machines", "1{8:1 10:1 11{9:3 11:7 23'go'}}", "1{8:1 10:2 11{9:3 11:8 23'go'}}",
         "1{60{1:7 2'go (a)'}} 1{8:1 10:1 11{9:3 11:7 23'go'}}",
         "1{98:1000003 60{1:8 2'go (b)'}} 1{8:1 10:2 11{9:3 11:8 23'go'} 98:1000003}", .machines = true},

        {"with descriptors", "1{60{1:7}} 1{8:1 10:1 11{9:3 11:7 23'go'}} 1{8:2 10:1 11{9:3 11:7 23'on'}}",
         "1{60{1:8}} 1{8:1 10:2 11{9:3 11:8 23'go'}} 1{60{1:9}} 1{8:1 10:2 11{9:3 11:9 23'on'}}",
         "1{60{1:7 2'go (a)'}} 1{8:1 10:1 11{9:3 11:7 23'go'}} 1{8:2 10:1 11{9:3 11:7 23'on'}}",
         "1{60{1:8 2'go (b)'}} 1{8:1 10:2 11{9:3 11:8 23'go'}} 1{60{1:9}} 1{8:1 10:2 11{9:3 11:9 23'on'}}"},
        {"without", "1{8:1 10:1 11{9:3 11:7 23'go'}}", "1{8:1 10:2 11{9:3 11:8 23'go'}}",
         "1{60{1:7 2'go (a)'}} 1{8:1 10:1 11{9:3 11:7 23'go'}}",
         "1{60{1:8 2'go (b)'}} 1{8:1 10:2 11{9:3 11:8 23'go'}}"},
        {"by names of the sequence", "1{8:1 10:1 13:1 12{2{1:4 2'go'}} 11{9:3 11:7 10:4}}",
         "1{8:1 10:2 13:1 12{2{1:5 2'go'}} 11{11:8 6{1:5 2:73}}}",
         "1{60{1:7 2'go (a)'}} 1{8:1 10:1 13:1 12{2{1:4 2'go'}} 11{9:3 11:7 10:4}}",
         "1{60{1:8 2'go (b)'}} 1{8:1 10:2 13:1 12{2{1:5 2'go'}} 11{11:8 6{1:5 2:73}}}"},
        {"on the track of a sequence", "1{8:1 10:1 13:1 59{11{11:7}} 11{9:3 23'go'}}",
         "1{8:1 10:2 13:1 59{11{11:8}} 11{9:3 23'go'}}",
         "1{60{1:7 2'go (a)'}} 1{8:1 10:1 13:1 59{11{11:7}} 11{9:3 23'go'}}",
         "1{60{1:8 2'go (b)'}} 1{8:1 10:2 13:1 59{11{11:8}} 11{9:3 23'go'}}"},
        {"named before their events", "1{8:1 10:1 11{9:3 11:7 23'go'}}",
         "1{60{1:8}} 1{60{1:8 2'n'}} 1{8:1 10:2 11{9:3 11:8 23'go'}}"},
        {"named after them", "1{8:1 10:1 11{9:3 11:7 23'go'}}",
         "1{60{1:8}} 1{8:1 10:2 11{9:3 11:8 23'go'}} 1{60{1:8 2'n'}}",
         "1{60{1:7 2'go (a)'}} 1{8:1 10:1 11{9:3 11:7 23'go'}}",
         "1{60{1:8 2'go (b)'}} 1{8:1 10:2 11{9:3 11:8 23'go'}} 1{60{1:8 2'n' 2'go (b)'}}"},
        {"described after them", "1{8:1 10:1 11{9:3 11:7 23'go'}}", "1{8:1 10:2 11{9:3 11:8 23'go'}} 1{60{1:8}}"},
        {"below others, of threads, of counters", "1{8:1 10:1 11{9:3 11:7 23'go'}}",
         "1{60{1:8 5:1}} 1{60{1:9 4{1:1 2:2}}} 1{60{1:10 8{}}} 1{8:1 10:2 11{9:3 11:10 23'go'}} 1{8:1 10:2 11{9:3 11:8 "
         "23'go'}} "
         "1{8:1 10:2 11{9:3 11:9 23'go'}} 1{8:1 10:2 11{9:4 11:10 23'go'}}"});
}

#define LONG                                                                                                           \
    "a name that makes a packet so long that its length takes two bytes, which is one more than those of most of "     \
    "them do; "                                                                                                        \
    "128 it is"

Test(merge_packets, times_of_an_input_that_is_moved)
{
    const char *first = "1{60{1:7}}";
    EXPECT_ALL(
        {"of packets with fields of the service, and long ones", first,
         "1{8:10 10:2 11{9:3 11:8}} 1{8:11 3:99 10:2 11{9:3 11:8}} 1{8:12 10:2 11{9:3 11:8 23'" LONG "'}}", NULL,
         "1{8:15 10:2 11{9:3 11:8}} 1{8:16 3:99 10:2 11{9:3 11:8}} 1{8:17 10:2 11{9:3 11:8 23'" LONG "'}}",
         .offset = 5},
        {"of a sequence that goes over to another clock", first,
         "1{6{1{1:6 2:1000} 1{1:3 2:400}}} 1{10:2 13:1 59{58:3}} 1{8:410 10:2 11{9:3 11:8}} 1{8:411 10:2 11{9:3 11:8}} "
         "1{10:2 13:1 59{58:6}} 1{8:1020 10:2 11{9:3 11:8}}",
         NULL,
         "1{10:2 13:1 59{}} 1{8:1015 10:2 11{9:3 11:8}} 1{8:1016 10:2 11{9:3 11:8}} 1{10:2 13:1 59{}} 1{8:1025 10:2 "
         "11{9:3 11:8}}",
         .offset = 5},
        {"of packets that need what was lost", first,
         "1{8:9 10:2 13:1 11{9:3 11:8}} 1{8:10 10:2 42:1 13:2 11{9:3 11:8}} 1{8:10 10:3 13:2 11{9:3 11:8}}", NULL,
         "1{8:14 10:2 13:1 11{9:3 11:8}} 1{8:10 10:2 42:1 13:2 11{9:3 11:8}} 1{8:10 10:3 13:2 11{9:3 11:8}}",
         .offset = 5},
        {"of events that count from nothing", first, "1{10:2 44{2:6 6:1}} 1{10:2 11{1:2 9:3 11:8}} 1{11{1:5 9:3 11:8}}",
         .offset = 5},
        {"of events that count from the thread's reference", first,
         "1{10:2 13:1 44{2:6 6:1}} 1{10:2 11{1:0 9:3 11:8}} 1{10:2 11{16:9 9:3 11:8}} 1{10:2 11{1:2 9:3 11:8}}", NULL,
         "1{10:2 13:1 44{2:6 6:1}} 1{10:2 11{9:3 11:8} 8:1005} 1{10:2 11{9:3 11:8} 8:9005} 1{10:2 11{9:3 11:8} 8:3005}",
         .offset = 5},
        {"of descriptions of all kinds before 0", first, "1{8:3 2{}} 1{8:3 43{}} 1{8:3 44{}} 1{8:10 10:2 11{9:3 11:8}}",
         NULL, "1{8:0 2{}} 1{8:0 43{}} 1{8:0 44{}} 1{8:5 10:2 11{9:3 11:8}}", .offset = -5},
        {"of the range of interest, next to a trace without its clock", first,
         "1{6{1{1:6 2:1000} 1{1:3 2:100}}} 1{90{1:1}}", NULL, "1{90{1:1}}", .offset = 2000},
        {"of the range of interest of a first input", "1{6{1{1:6 2:1000} 1{1:3 2:100}}} 1{90{1:1}}", "1{60{1:8}}",
         "1{90{1:1}}", .moved = 2000},
        {"of ftrace in MONOTONIC_RAW of another machine", first,
         "1{6{1{1:6 2:1000} 1{1:5 2:400}}} 1{1{1:0 5:4 2{1:410 2:5}}}", NULL,
         "1{1{1:0 5:4 2{1:1010 2:5} 5:0} 98:1000003}", .machines = true},
        {"of the first input in a clock that nothing relates", "1{8:410 10:1 58:3 11{9:3 11:7}}",
         "1{8:10 10:2 11{9:3 11:8}}"},
        {"of ftrace next to MONOTONIC_RAW", first,
         "1{6{1{1:6 2:1000} 1{1:5 2:400}}} 1{1{1:0 2{1:410 2:5} 4{1[410] 3[5]} 4{1[420] 3[5]}}}", NULL,
         "1{1{1:0 2{1:415 2:5} 4{1[415] 3[5]} 4{1[425] 3[5]}}}", .offset = 5},
        {"of Chrome, next to a trace in MONOTONIC", "1{6{1{1:6 2:1000} 1{1:3 2:400} 2:3}}",
         "1{8:10 5{2{1'k'}}} 1{5{2{1'k'}}}", NULL, "1{8:10 5{2{1'k'}} 58:3} 1{5{2{1'k'}}}"},
        {"of Chrome, next to such a trace that is moved", "1{6{1{1:6 2:1000} 1{1:3 2:400} 2:3}}", "1{8:10 5{2{1'k'}}}",
         "", "1{8:10 5{2{1'k'}} 58:6}", .moved = 5},
        {"where packets have to name the trace clock and stay else",
         "1{6{1{1:6 2:1000} 1{1:3 2:400}}} 1{8:410 10:1 58:3 11{9:3 11:7}} 1{6{1{1:6 2:2000} 1{1:3 2:1400} 2:3}}",
         "1{8:10 10:2 11{9:3 11:8 52:1}}", NULL, "1{8:10 10:2 11{9:3 11:8 52:1} 58:6}"},

        {"of packets", first, "1{8:10 10:2 11{9:3 11:8}} 1{8:1 60{1:8}}", NULL,
         "1{8:15 10:2 11{9:3 11:8}} 1{8:6 60{1:8}}", .offset = 5},
        {"of descriptions before 0", first, "1{8:3 60{1:8}} 1{8:10 10:2 11{9:3 11:8}}", NULL,
         "1{8:0 60{1:8}} 1{8:5 10:2 11{9:3 11:8}}", .offset = -5},
        {"in a clock", first, "1{6{1{1:6 2:1000} 1{1:3 2:400}}} 1{8:410 10:2 58:3 11{9:3 11:8}}", NULL,
         "1{8:1015 10:2 11{9:3 11:8}}", .offset = 5},
        {"in a clock that nothing relates", first,
         "1{8:410 10:2 58:3 11{9:3 11:8}} 1{8:410 10:2 58:3 12{2{1:1 2'n'}} 11{9:3 11:8}}", NULL,
         "1{8:410 10:2 12{2{1:1 2'n'}}}", .offset = 5},
        {"in microseconds", first, "1{6{1{1:6 2:1000} 1{1:3 2:400}}} 1{10:2 11{16:1 9:3 11:8}}", NULL,
         "1{10:2 11{9:3 11:8} 8:1605}", .offset = 5},
        {"from the event before", first,
         "1{10:2 13:1 44{2:6 6:1}} 1{10:2 11{1:2 9:3 11:8}} 1{10:2 11{1:3 9:3 11:8}} "
         "1{10:3 13:1 60{1:9 4{1:1 2:2 6:7}}} 1{10:3 11{1:2 9:3 11:9}} 1{10:4 11{1:2 9:3 11:9}}",
         NULL,
         "1{10:2 13:1 44{2:6 6:1}} 1{10:2 11{9:3 11:8} 8:3005} 1{10:2 11{9:3 11:8} 8:6005} "
         "1{10:3 13:1 60{1:9 4{1:1 2:2 6:7}}} 1{10:3 11{9:3 11:9} 8:9005} 1{10:4 11{1:2 9:3 11:9}}",
         .offset = 5},
        {"of starts", first, "1{60{1:8 3{1:4 7:100}}} 1{60{1:9 3{1:5 7:0}}} 1{2{3:100}}", NULL,
         "1{60{1:8 3{1:4 7:105}}} 1{60{1:9 3{1:5 7:0}}} 1{2{3:105}}", .offset = 5},
        {"of the range of interest", "1{6{1{1:6 2:1000} 1{1:3 2:400}}}", "1{6{1{1:6 2:1000} 1{1:3 2:100}}} 1{90{1:1}}",
         NULL, "1{90{1:3}}", .offset = 2000},
        {"of ftrace", first, "1{1{1:0 2{1:100 2:5} 4{1[100 3] 3[5 6] 7[101 4]} 9:0}}", NULL,
         "1{1{1:0 2{1:105 2:5} 4{1[105 3] 3[5 6] 7[106 4]} 9:0}}", .offset = 5},
        {"of ftrace in MONOTONIC_RAW", first, "1{6{1{1:6 2:1000} 1{1:5 2:400}}} 1{1{1:0 5:4 2{1:410 2:5} 4{1[410 5]}}}",
         NULL, "1{1{1:0 5:4 2{1:1015 2:5} 4{1[1015 5]} 5:0}}", .offset = 5},
        {"of ftrace in MONOTONIC_RAW that nothing relates", first, "1{1{1:0 5:4 2{1:410 2:5}}}", NULL,
         "1{1{1:0 5:4 2{1:415 2:5}}}", .offset = 5},
        {"of Chrome", first, "1{8:10 5{2{1'k'}}} 1{8:10 51{}}", NULL, "1{8:15 5{2{1'k'}} 58:6} 1{8:15 51{} 58:6}",
         .offset = 5},
        {"of logs", "1{6{1{1:6 2:1000} 1{1:3 2:400}}}",
         "1{6{1{1:6 2:1000} 1{1:1 2:9000}}} 1{8:1009 10:2 11{9:3 11:8}} 1{8:1010 39{1{5:9010}}} 1{8:1020 "
         "39{1{5:9020}}}",
         NULL,
         "1{8:1014 10:2 11{9:3 11:8}} 1{6{1{1:6 2:1015} 1{1:1 2:1015}}} 1{8:1015 39{1{5:1015}}} 1{8:1025 "
         "39{1{5:1025}}}",
         .offset = 5},
        {"of logs that the first input relates", "1{6{1{1:6 2:1000} 1{1:1 2:50000}}} 1{8:1001 10:1 11{9:3 11:7}}",
         "1{6{1{1:6 2:1000} 1{1:1 2:9000}}} 1{8:1010 39{1{5:9010}}}", NULL, "1{8:1015 39{1{5:50015}}}", .offset = 5},
        {"of logs, next to a trace without snapshots", first,
         "1{6{1{1:6 2:1000} 1{1:1 2:9000}}} 1{8:1010 39{1{5:9010}}}", NULL,
         "1{6{1{1:11 2:1010} 1{1:1 2:1010}}} 1{8:1010 39{1{5:1010}}}"},
        {"of logs of both", "1{6{1{1:6 2:1000} 1{1:1 2:50000} 1{1:3 2:400} 2:3}} 1{8:1001 39{1{5:50001}}}",
         "1{6{1{1:6 2:1000} 1{1:1 2:9000}}} 1{8:1010 39{1{5:9010}}}",
         "1{6{1{1:6 2:1006} 1{1:1 2:1006}}} 1{8:1006 39{1{5:406}}}", "1{8:1010 39{1{5:1010}}}", .moved = 5},
        {"of logs of another machine", "1{6{1{1:6 2:1000} 1{1:1 2:50000} 1{1:3 2:400} 2:3}}",
         "1{6{1{1:6 2:1000} 1{1:1 2:9000}}} 1{8:1010 39{1{5:9010}}}", NULL,
         "1{98:1000003 6{1{1:6 2:1010} 1{1:1 2:1010}}} 1{8:1010 39{1{5:1010}} 98:1000003}", .machines = true},
        {"where the trace clock is not that of packets",
         "1{6{1{1:6 2:1000} 1{1:3 2:400}}} 1{8:410 10:1 58:3 11{9:3 11:7}} 1{6{1{1:6 2:2000} 1{1:3 2:1400} 2:3}}",
         "1{8:10 10:2 11{9:3 11:8}} 1{8:10 10:2 11{9:3 11:8 52:1}}", NULL,
         "1{8:15 10:2 11{9:3 11:8} 58:6} 1{8:15 10:2 11{9:3 11:8 52:1} 58:6}", .offset = 5},
        {"of the first input", "1{6{1{1:6 2:1000} 1{1:3 2:400}}} 1{8:410 10:1 58:3 11{9:3 11:7}}",
         "1{8:10 10:2 11{9:3 11:8}}", "1{8:1015 10:1 11{9:3 11:7}}", NULL, .moved = 5});
}

Test(merge_packets, what_one_trace_says_of_itself)
{
    EXPECT_ALL({"machines whose packets stay else", "1{60{1:7 2'x'}}", "1{60{1:8 2'x'}} 1{8:10 10:2 11{9:3 11:8 52:1}}",
                "1{60{1:7 2'x (a)'}}", "1{60{1:8 2'x (b)'} 98:1000003} 1{8:10 10:2 11{9:3 11:8 52:1} 98:1000003}",
                .machines = true},
               {"identity and buffers", "1{89{1:5 2:6}} 1{8:1 69{4:1}} 1{8:2 69{1:1}}",
                "1{89{1:5 2:6}} 1{8:1 69{4:1}} 1{8:2 69{1:1}}", "1{8:2 69{1:1}}", "1{8:2 69{1:1}}"},
               {"machines", "1{8:10 10:1 11{9:3 11:7}}", "1{8:10 10:2 11{9:3 11:8}} 1{98:5 60{1:9 3{1:1 7:100}}}", NULL,
                "1{8:15 10:2 11{9:3 11:8} 98:1000003} 1{98:5 60{1:9 3{1:1 7:105}} 98:1000008}", .machines = true,
                .offset = 5});
}

#define OTHER "1{126{1{1'postfetto.cut.source' 3'di'}}} "
#define CUT_BEGIN(TS) "4{10'cut.original_ts' 4:" #TS "}"
#define CUT_END(TS) "4{10'cut.original_end' 4:" #TS "}"

#define LATER_BEGIN(TS) "1{8:50 10:1 11{9:1 11:7 " CUT_BEGIN(TS) "}} "
#define EARLIER_END(TS) "1{8:50 10:1 11{9:2 11:7 " CUT_END(TS) "}} "
#define COUNTER "1{60{1:9 8{5:1}}} "

Test(merge_packets, what_a_cut_closed_is_joined)
{
    const char *first = PART "1{8:10 10:1 11{9:3 11:7}} ";
    EXPECT_ALL(
        {"a begin, in the order of time", PART "1{8:10 10:1 11{9:3 11:7}} 1{8:40 10:1 11{9:3 11:7}}",
         PART LATER_BEGIN(30), NULL, PART},
        {"a begin, in another order", PART "1{8:40 10:1 11{9:3 11:7}} 1{8:10 10:1 11{9:3 11:7}}", PART LATER_BEGIN(30),
         NULL, PART},
        {"a begin, after events that count from packet to packet",
         PART
         "1{10:1 6{1{1:6 2:0} 1{1:64 2:0 3:1}} 13:1 59{58:64}} 1{8:10 10:1 11{9:3 11:7}} 1{8:10 10:1 11{9:3 11:7}} "
         "1{8:10 10:1 11{9:3 11:7}} 1{8:10 10:1 11{9:3 11:7}}",
         PART LATER_BEGIN(35), NULL, PART},
        {"an end, before events in another order", PART EARLIER_END(80),
         PART "1{8:90 10:1 11{9:3 11:7}} 1{8:60 10:1 11{9:3 11:7}}", PART},
        {"no begin next to a part without events", PART, PART LATER_BEGIN(0)},
        {"no stage whose begin the other part does not have", PART "1{8:10 53{1:1 2:40}}",
         PART "1{8:50 53{1:1 2:30 6{1'cut.original_ts' 2'11'}}}"},
        {"no stage with marks that are no times", PART "1{8:10 53{1:1 2:40 6{1'cut.original_end' 2'x'}}}",
         PART "1{8:50 53{1:1 2:30 6{1'cut.original_ts' 2'x'}}}"},
        {"no mark of a flow of a single trace", "1{8:10 10:1 11{9:3 11:7 4{10'cut.flow_outside' 2:1}}}",
         "1{8:10 11{9:3 11:8 4{10'cut.flow_outside' 2:1}}}"},
        {"no phase that no cut writes", first, PART "1{8:60 10:1 11{11:7 6{2:116 8:5 2:117}}}"},
        {"nothing of inputs with another attribute", "1{126{1{1'k' 3'id'}}} 1{8:10 10:1 11{9:3 11:7}}",
         "1{126{1{1'k' 3'id'}}} 1{8:50 10:2 11{9:1 11:8 " CUT_BEGIN(10) "}}"},
        {"nothing of inputs without a source", "1{126{1{1'postfetto.cut.source' 3''}}} 1{8:10 10:1 11{9:3 11:7}}",
         "1{126{1{1'postfetto.cut.source' 3''}}} 1{8:50 10:2 11{9:1 11:8 " CUT_BEGIN(10) "}}"},
        {"what packets without names set up stays", first,
         PART "1{8:50 10:1 13:1 11{9:1 11:7 " CUT_BEGIN(10) "}} 1{8:51 10:1 59{11{11:7}} 11{9:1 11:7 " CUT_BEGIN(
             10) "}} 1{8:52 10:1 42:1 11{9:1 11:7 " CUT_BEGIN(10) "}}",
         NULL, PART "1{8:50 10:1 13:1} 1{8:51 10:1 59{11{11:7}}} 1{8:52 10:1 42:1}"},

        {"a slice", PART "1{8:10 10:1 11{9:1 11:7}} 1{8:50 10:1 11{9:2 11:7 " CUT_END(80) " 4{10'k' 4:5}}}",
         PART LATER_BEGIN(10) "1{8:80 10:1 11{9:2 11:7}}", PART "1{8:10 10:1 11{9:1 11:7}}",
         PART "1{8:80 10:1 11{9:2 11:7}}"},
        {"not of two traces", PART "1{8:10 10:1 11{9:1 11:7}} " EARLIER_END(80),
         OTHER "1{8:50 10:2 11{9:1 11:8 " CUT_BEGIN(10) "}}"},
        {"a begin before the other part", first, PART LATER_BEGIN(11)},
        {"an end that the other part does not reach", PART EARLIER_END(80), PART "1{8:80 10:1 11{9:3 11:7}}"},
        {"an end after the other part", PART EARLIER_END(80), PART "1{8:49 10:1 11{9:3 11:7}}"},
        {"a begin where the other part starts", PART "1{8:50 10:1 11{9:3 11:7}}", PART LATER_BEGIN(10)},
        {"what a packet sets up stays", first, PART "1{8:50 10:1 12{2{1:1 2'n'}} 11{9:1 11:7 " CUT_BEGIN(10) "}}", NULL,
         PART "1{8:50 10:1 12{2{1:1 2'n'}}}"},
        {"a stage", PART "1{8:10 53{1:1 2:40 6{1'cut.original_end' 2'80'} 6{1'k' 2'90'}}}",
         PART "1{8:0 53{7{}}} 1{8:50 53{1:1 2:30 6{1'cut.original_ts' 2'10'}}}",
         PART "1{8:10 53{1:1 2:70 6{1'k' 2'90'}}}", PART "1{8:0 53{7{}}}"},
        {"a stage whose rest is not there", PART "1{8:10 53{1:1 2:40 6{1'cut.original_end' 2'80'}}}",
         PART "1{8:80 53{1:1 2:3}}"},
        {"the mark of a flow",
         PART "1{8:10 10:1 11{9:3 11:7 23'cut.flow_outside' 4{10'cut.flow_outside' 2:1} 4{10'k' 4:1}}}", PART,
         PART "1{8:10 10:1 11{9:3 11:7 23'cut.flow_outside' 4{10'k' 4:1}}}"},
        {"phases of legacy flows", first,
         PART "1{8:60 10:1 11{11:7 6{2:116 8:5 2:115}}} 1{8:61 10:1 11{11:7 6{2:102 8:5 2:104}}} "
              "1{8:62 10:1 11{11:7 6{2:115 8:5 2:115}}} 1{8:63 10:1 11{11:7 6{2:116 2:115 8:5}}}",
         NULL,
         PART "1{8:60 10:1 11{11:7 6{2:116 8:5}}} 1{8:61 10:1 11{11:7 6{2:102 8:5}}} "
              "1{8:62 10:1 11{11:7 6{2:115 8:5 2:115}}} 1{8:63 10:1 11{11:7 6{2:116 2:115 8:5}}}"},
        {"phases of flows that begin in no part", PART "1{8:60 10:1 11{9:3 11:7}}",
         PART "1{8:60 10:1 11{11:7 6{2:102 8:5 2:104}}}"});
}

Test(merge_packets, first_values_of_differences_are_joined)
{
    const char *first = PART COUNTER "1{8:10 10:1 11{9:4 11:9 30:5}}";
#define FIRST_VALUE "1{8:50 10:1 11{9:4 11:9 30:5 " CUT_BEGIN(10) "}} "
    EXPECT_ALL(
        {"after a clear of another sequence", first,
         PART COUNTER FIRST_VALUE "1{8:55 10:3 13:1} 1{8:60 10:1 11{9:4 11:9 30:2}}", NULL,
         PART COUNTER "1{8:55 10:3 13:1} 1{8:60 10:1 11{9:4 11:9 30:7}}"},
        {"in other events, reals on tracks of the sequence", first,
         PART COUNTER "1{10:1 13:1 59{11{45:9}}} " FIRST_VALUE "1{8:60 10:1 11{9:1 11:7 46=0x4000000000000000}}", NULL,
         PART COUNTER "1{10:1 13:1 59{11{45:9}}} 1{8:60 10:1 11{9:1 11:7 46=0x401c000000000000}}"},
        {"in other events, never on tracks of event and sequence", first,
         PART COUNTER "1{10:1 13:1 59{11{31:8 31:9}}} " FIRST_VALUE "1{8:60 10:1 11{9:1 11:7 31:8 12:1 12:2 12:3}}",
         NULL, PART COUNTER "1{10:1 13:1 59{11{31:8 31:9}}} 1{8:60 10:1 11{9:1 11:7 31:8 12:1 12:2 12:3}}"},
        {"once", first, PART COUNTER FIRST_VALUE "1{8:60 10:1 11{9:4 11:9 30:2}} 1{8:70 10:1 11{9:4 11:9 30:2}}", NULL,
         PART COUNTER "1{8:60 10:1 11{9:4 11:9 30:7}} 1{8:70 10:1 11{9:4 11:9 30:2}}"},
        {"of their track alone", first,
         PART COUNTER FIRST_VALUE "1{8:60 10:1 11{9:4 11:8 30:2}} 1{8:60 10:3 11{9:4 11:9 30:2}}", NULL,
         PART COUNTER "1{8:60 10:1 11{9:4 11:8 30:2}} 1{8:60 10:3 11{9:4 11:9 30:2}}"},
        {"reals", first,
         PART COUNTER "1{8:50 10:1 11{9:4 11:9 44=0x4014000000000000 " CUT_BEGIN(
             10) "}} "
                 "1{8:60 10:1 11{9:4 11:9 44=0x4000000000000000}}",
         NULL, PART COUNTER "1{8:60 10:1 11{9:4 11:9 44=0x401c000000000000}}"},
        {"not after a clear", first, PART COUNTER FIRST_VALUE "1{8:55 10:1 13:1} 1{8:60 10:1 11{9:4 11:9 30:2}}", NULL,
         PART COUNTER "1{8:55 10:1 13:1} 1{8:60 10:1 11{9:4 11:9 30:2}}"},
        {"of the sequence's track", first,
         PART COUNTER "1{10:1 13:1 59{11{11:9}}} 1{8:50 10:1 11{9:4 30:5 " CUT_BEGIN(10) "}} 1{8:60 10:1 11{9:4 30:2}}",
         NULL, PART COUNTER "1{10:1 13:1 59{11{11:9}}} 1{8:60 10:1 11{9:4 30:7}}"},
        {"in other events", first, PART COUNTER FIRST_VALUE "1{8:60 10:1 11{9:1 11:7 31:8 31:9 12:1 12:2}}", NULL,
         PART COUNTER "1{8:60 10:1 11{9:1 11:7 31:8 31:9 12:1 12:7}}"},
        {"in other events, reals", first,
         PART COUNTER FIRST_VALUE "1{8:60 10:1 11{9:1 11:7 45:9 46=0x4000000000000000}}", NULL,
         PART COUNTER "1{8:60 10:1 11{9:1 11:7 45:9 46=0x401c000000000000}}"},
        {"in other events, tracks of the sequence", first,
         PART COUNTER "1{10:1 13:1 59{11{31:9}}} " FIRST_VALUE "1{8:60 10:1 11{9:1 11:7 12:2}}", NULL,
         PART COUNTER "1{10:1 13:1 59{11{31:9}}} 1{8:60 10:1 11{9:1 11:7 12:7}}"},
        {"not of others", PART "1{8:10 10:1 11{9:4 11:9 30:5}}", PART FIRST_VALUE "1{8:60 10:1 11{9:4 11:9 30:2}}",
         NULL, PART "1{8:60 10:1 11{9:4 11:9 30:2}}"});
}

Test(merge_packets, what_a_cpu_ran_before_a_part_is_joined)
{
    const char *first = PART "1{1{1:0 4{1[100 3] 2[1 1] 3[5 6] 4[1 1] 5'c' 6[0 0]}}} ";
#define COMPACT "4{1[150 60] 2[1 1] 3[6 7] 4[2 3] 5'c' 6[0 0] 7[155] 8[5]}"
    EXPECT_ALL(
        {"not after another event", PART "1{1{1:0 2{1:100 2:5 4{2:5 6:6}} 2{1:101 2:5 17{2:5}}}}",
         PART "1{1{1:0 " COMPACT " 53270:101}}"},
        {"not of no cpu", PART "1{1{4{1[100] 2[1] 3[9] 4[1] 5'c' 6[0]}}}", PART "1{1{" COMPACT " 53270:100}}"},
        {"not of a cpu out of range", PART "1{1{1:100000 4{1[100] 2[1] 3[9] 4[1] 5'c' 6[0]}}}",
         PART "1{1{1:100000 " COMPACT " 53270:100}}"},
        {"not of the first part", PART "1{1{1:0 " COMPACT " 53270:0}}", PART "1{1{1:0 2{1:160 2:6 4{2:6 6:7}}}}"},
        {"not of two traces", "1{1{1:0 4{1[100] 2[1] 3[9] 4[1] 5'c' 6[0]}}}", "1{1{1:0 " COMPACT " 53270:100}}"},
        {"after bundles in another order",
         PART "1{1{1:0 4{1[103] 2[1] 3[9] 4[1] 5'c' 6[0]}}} 1{1{1:0 4{1[50] 2[1] 3[9] 4[1] 5'c' 6[0]}}}",
         PART "1{1{1:0 " COMPACT " 53270:103}}", NULL, PART "1{1{1:0 4{1[210] 2[1] 3[7] 4[3] 5'c' 6[0] 7[155] 8[5]}}}"},

        {"in a list", first, PART "1{1{1:0 " COMPACT " 53270:103}} 1{1{1:0 " COMPACT "}}", NULL,
         PART "1{1{1:0 4{1[210] 2[1] 3[7] 4[3] 5'c' 6[0] 7[155] 8[5]}}} 1{1{1:0 " COMPACT "}}"},
        {"that no part has", first, PART "1{1{1:0 " COMPACT " 53270:104}}"},
        {"of another cpu", first, PART "1{1{1:1 " COMPACT " 53270:103}}"},
        {"of the first bundle of a part alone", first, PART "1{1{1:0 " COMPACT "}} 1{1{1:0 " COMPACT " 53270:103}}"},
        {"in an event", first, PART "1{1{1:0 " COMPACT " 2{1:160 2:6 4{2:6 6:7}} 2{1:150 2:5 4{2:5 6:6}} 53271:103}}",
         NULL, PART "1{1{1:0 " COMPACT " 2{1:160 2:6 4{2:6 6:7}}}}"},
        {"in an event that no part has", first, PART "1{1{1:0 2{1:150 2:5 4{2:5 6:6}} 53271:104}}"},
        {"after an event", PART "1{1{1:0 2{1:90 2:5 4{2:5 6:6}} 2{1:100 2:5 4{2:5 6:6}} 2{1:95 2:5 4{2:5 6:6}}}}",
         PART "1{1{1:0 " COMPACT " 53270:100}}", NULL,
         PART "1{1{1:0 4{1[210] 2[1] 3[7] 4[3] 5'c' 6[0] 7[155] 8[5]}}}"});
}

/* d = 1: half of the time that passed since at_ns is the drift. */
Test(merge_packets, counts_and_drift)
{
    pf_merge_input inputs[] = {
        {.path = "a.pftrace", .uncertainty_ns = -1},
        {.path = "b.pftrace", .offset_ns = 3, .drift_ppb = 1e9, .at_ns = 40, .uncertainty_ns = 7}};
    pf_merge_options o = pf_merge_options_default();
    pf_merge_result r = {.size = sizeof r};
    pf_error err;
    size_t len;
    o.inputs = inputs;
    o.input_count = 2;
    write_text("a.pftrace", "1{8:1 10:1 11{9:3 11:7 52:1}} 1{1{1:0 2{1:10 2:4}}} 1{89{1:5}}");
    write_text("b.pftrace", "1{8:100 10:1 11{9:3 11:7 52:1}} 1{7{}} 1{60{1:9 3{1:4}}}");
    cr_assert_eq(pf_merge("out.pftrace", &o, &r, &err), PF_OK);
    cr_expect(r.packets == 6 && r.left_out == 1 && r.changed == 2 && r.converted == 0 && r.with_cpus == 2);
    cr_expect(r.sequences_moved == 1 && r.tracks_moved == 1 && r.pids_moved == 1);
    char *out = read_file("out.pftrace", &len);
    pf_cursor c = pf_cursor_over((const uint8_t *)out, len);
    const char *want = "1{126{1{1'postfetto.clock.a.offset_ns' 2:0} 1{1'postfetto.clock.b.offset_ns' 2:3} "
                       "1{1'postfetto.clock.b.drift_ppb' 2:1000000000} 1{1'postfetto.clock.b.uncertainty_ns' 2:7}}} "
                       "1{8:1 10:1 11{9:3 11:7 52:1}} 1{1{1:0 2{1:10 2:4}}} "
                       "1{8:73 10:2 11{9:3 11:$u 52:1}} 1{7{}} 1{60{1:9 3{1:10000004}}}";
    memset(found, 0, sizeof found);
    cr_expect(has(&want, &c) && c.at == c.end, "another one before: %s", want);
    cr_expect_eq(r.bytes, len);
    pf_trace_free(inputs[0].trace);
    pf_trace_free(inputs[1].trace);
    free(out);
}

/* The second input changes its tracks, the third one its flows, the fourth one its times. Parts count as one trace. */
Test(merge_packets, counts_of_plain_events_and_of_parts)
{
#define EVENT(TS, SEQUENCE, TRACK, FLOW) "1{8:" #TS " 10:" #SEQUENCE " 11{9:3 11:" #TRACK " 47=" #FLOW "}} "
#define EVENTS(SEQUENCE, TRACK, FLOW)                                                                                  \
    EVENT(1, SEQUENCE, TRACK, FLOW) EVENT(2, SEQUENCE, TRACK, FLOW) EVENT(3, SEQUENCE, TRACK, FLOW)
#define CPUS "1{1{1:0 2{1:10 2:4}}} "
    static const struct {
        const char *input[4];
        uint64_t packets, changed, with_cpus;
    } cases[] = {{{EVENTS(1, 7, 50), EVENTS(2, 7, 60), EVENTS(3, 9, 50), EVENTS(4, 10, 70)}, 12, 9, 0},
                 {{PART EVENTS(1, 7, 50), PART CPUS, CPUS, CPUS}, 8, 2, 3}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *const paths[] = {"a.pftrace", "b.pftrace", "c.pftrace", "d.pftrace"};
        pf_merge_input inputs[4];
        pf_merge_options o = pf_merge_options_default();
        pf_merge_result r = {.size = sizeof r};
        pf_error err;
        uint64_t bytes_in = 0;
        size_t len;
        for (size_t i = 0; i < 4; i++) {
            inputs[i] = (pf_merge_input){.path = paths[i], .offset_ns = c == 0 && i == 3, .uncertainty_ns = -1};
            write_text(paths[i], cases[c].input[i]);
            bytes_in += bytes.len;
        }
        o.inputs = inputs;
        o.input_count = 4;
        cr_assert_eq(pf_merge("out.pftrace", &o, &r, &err), PF_OK);
        cr_expect(r.packets == cases[c].packets && r.changed == cases[c].changed && r.with_cpus == cases[c].with_cpus,
                  "%zu: %d packets, %d changed, %d with cpus", c, (int)r.packets, (int)r.changed, (int)r.with_cpus);
        free(read_file("out.pftrace", &len));
        cr_expect(r.bytes == len && r.bytes_in == bytes_in);
        for (size_t i = 0; i < 4; i++) {
            pf_trace_free(inputs[i].trace);
        }
    }
}

Test(merge_packets, no_input_begins_before_0)
{
    const char *const orders[] = {"1{8:3 10:1 11{9:3 11:7}} 1{8:10 10:1 11{9:3 11:7}}",
                                  "1{8:10 10:1 11{9:3 11:7}} 1{8:3 10:1 11{9:3 11:7}}",
                                  "1{8:3 10:1 11{9:3 11:7 52:1}} 1{8:10 10:1 11{9:3 11:7 52:1}}",
                                  "1{8:10 10:1 11{9:3 11:7 52:1}} 1{8:3 10:1 11{9:3 11:7 52:1}}"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        pf_merge_input inputs[] = {{.path = "a.pftrace"}, {.path = "a.pftrace", .offset_ns = -4}};
        pf_merge_options o = pf_merge_options_default();
        pf_error err;
        o.inputs = inputs;
        o.input_count = 2;
        write_text("a.pftrace", orders[i]);
        cr_expect_eq(pf_merge("out.pftrace", &o, NULL, &err), PF_ERR_USAGE, "%zu", i);
        pf_trace_free(inputs[0].trace);
        pf_trace_free(inputs[1].trace);
    }
}
