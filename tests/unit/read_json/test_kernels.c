/* The hot loops: every one that this machine runs gives the records that reading each event member by member gives, on
 * documents, on random bytes, on documents with random damage, wherever they end. */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared.h"
#include "json/document/tokenize.h"

/* Never takes an event: everything is left to the general form. */
static const uint8_t *take_none(pf_json_piece *piece, const pf_json_rules *rules, const uint8_t *p,
                                const uint8_t *limit, const uint8_t *end)
{
    (void)piece;
    (void)rules;
    (void)limit;
    (void)end;
    return p;
}

static const pf_json_kernel general = {"general", NULL, take_none};

static void put_id(pf_buffer *b, const pf_json_id *id)
{
    if (id->kind == PF_JSON_ID_DIGITS) {
        char digits[8] = {0};
        memcpy(digits, &id->number, 7);
        pf_buffer_format(b, " int %lld", (long long)strtoll(digits, NULL, 10));
    } else if (id->kind == PF_JSON_ID_INT) {
        pf_buffer_format(b, " int %lld", (long long)id->number);
    } else if (id->kind == PF_JSON_ID_ABSENT) {
        pf_buffer_text(b, " absent");
    } else {
        pf_buffer_format(b, " kind %u escaped %d ", id->kind, id->escaped);
        pf_buffer_put(b, id->ptr, id->len);
    }
}

static void put_text(pf_buffer *b, const pf_json_piece *piece, uint32_t ref)
{
    pf_buffer_text(b, " '");
    if (ref > PF_JSON_TEXTS) {
        const pf_json_text *text = &piece->other[ref - PF_JSON_TEXTS - 1].text;
        pf_buffer_put(b, text->ptr, text->len);
        pf_buffer_text(b, text->escaped ? "' escaped" : "'");
    } else if (ref > 0) {
        pf_buffer_put(b, piece->text[ref - 1].words.w, piece->text[ref - 1].len);
        pf_buffer_text(b, "'");
    }
}

static void put_record(pf_buffer *b, const pf_json_piece *piece, const pf_json_record *r)
{
    bool only_id = r->rare == PF_JSON_ONLY_ID;
    const pf_json_rare id = {.id = {.kind = PF_JSON_ID_INT, .number = r->dur}, .bind_id.kind = PF_JSON_ID_ABSENT};
    pf_buffer_format(b, "%llu: %02x/%02x %lld %lld flags %x args", (unsigned long long)pf_json_offset(piece, r),
                     r->phase, r->scope, (long long)r->ts, only_id ? 0LL : (long long)r->dur, r->flags);
    pf_buffer_put(b, piece->base + r->args, r->args_len);
    put_text(b, piece, r->name);
    put_text(b, piece, r->category);
    put_id(b, &piece->threads[r->thread].pid);
    put_id(b, &piece->threads[r->thread].tid);
    if (r->rare) {
        const pf_json_rare *rare = only_id ? &id : &piece->rare[r->rare];
        pf_buffer_format(b, " rare %lld %lld", r->flags & PF_JSON_HAS_TTS ? (long long)rare->tts : 0,
                         r->flags & PF_JSON_HAS_TDUR ? (long long)rare->tdur : 0);
        put_id(b, &rare->id);
        put_id(b, &rare->bind_id);
        pf_buffer_put(b, rare->id2.ptr, rare->id2.ptr ? rare->id2.len : 0);
    }
    pf_buffer_text(b, "\n");
}

/* Makes a piece what calloc() gives: a document before this one, of at most `len` bytes, left the rest at 0. Most of
 * the megabyte is for records, of which there is at most one for each byte. */
static void clear(pf_json_piece *piece, size_t len)
{
    size_t n = len + 8 < PF_JSON_RECORDS ? len + 8 : PF_JSON_RECORDS;
    memset(piece, 0, offsetof(pf_json_piece, record));
    memset(piece->record, 0, n * sizeof *piece->record);
    memset(piece->rare, 0, (n + 1) * sizeof *piece->rare);
    memset(piece->other, 0, 2 * n * sizeof *piece->other);
    memset(piece->threads, 0, (PF_JSON_THREADS + n) * sizeof *piece->threads);
    memset(piece->found, 0, n * sizeof *piece->found);
    memset(piece->said, 0, n * sizeof *piece->said);
    memset(piece->text, 0, sizeof *piece - offsetof(pf_json_piece, text));
}

/* All records and faults of a document. */
static pf_buffer records(const pf_json_kernel *kernel, const uint8_t *text, size_t len, bool odd, pf_json_piece *piece)
{
    pf_buffer b = {0};
    pf_json_tokenizer t = {.kernel = kernel,
                           .rules = {.cycles = odd, .depth = 5, .keys = 12, .longest = odd ? 100 : 1u << 30}};
    const pf_window w = {.data = text, .len = len, .last = true};
    size_t pos = 0;
    pf_json_step progress = PF_JSON_STEP_FULL;
    static size_t before; /* the longest document so far: each test has a process and a piece */
    before = len > before ? len : before;
    clear(piece, before);
    while (progress != PF_JSON_STEP_FINISHED) {
        progress = pf_json_tokenize(&t, &w, &pos, pos + 50000, piece);
        for (uint32_t i = 0; i < piece->count; i++) {
            put_record(&b, piece, &piece->record[i]);
        }
        for (unsigned i = 0; i < PF_JSON_FAULTS; i++) {
            pf_buffer_format(&b, "%llu %llu ", (unsigned long long)piece->faults.count[i],
                             piece->faults.count[i] ? (unsigned long long)piece->faults.first[i] : 0);
        }
        pf_buffer_format(&b, "at %zu: %d\n", pos, (int)progress);
    }
    cr_assert_not(b.failed);
    return b;
}

static pf_json_piece *new_piece(void)
{
    pf_json_piece *piece = calloc(1, sizeof *piece);
    cr_assert_not_null(piece);
    return piece;
}

/* `text` is followed by PF_SLOP bytes. */
static void expect_equal(const char *what, const uint8_t *text, size_t len, pf_json_piece *piece)
{
    for (unsigned odd = 0; odd < 2; odd++) { /* odd: in cycles, and events of more than 100 bytes count as damage */
        pf_buffer expected = records(&general, text, len, odd, piece);
        size_t count;
        const pf_json_kernel *k = pf_json_kernels(&count);
        for (size_t i = 0; i < count; i++) {
            if (!k[i].works()) {
                continue;
            }
            pf_buffer b = records(&k[i], text, len, odd, piece);
            cr_assert(b.len == expected.len && memcmp(b.data, expected.data, b.len) == 0,
                      "%s: %s gives\n%.*s\ninstead of\n%.*s\nfor\n%.*s", what, k[i].name, (int)b.len, b.data,
                      (int)expected.len, expected.data, (int)len, text);
            pf_buffer_free(&b);
        }
        pf_buffer_free(&expected);
    }
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* Members as the loops expect them, almost as they expect them, and otherwise. */
static const char *const members[] = {
    "\"ph\":\"X\"",
    "\"ph\":\"B\"",
    "\"ph\": \"i\"",
    "\"ph\" :\"E\"",
    "\"ph\":\"XY\"",
    "\"ph\":\"\"",
    "\"ph\":\"\\u0058\"",
    "\"ph\":88",
    "\"ph\":\"\xc3\xa4\"",
    "\"ph\":\"\\\"",
    "\"s\":\"t\"",
    "\"s\":\"g\"",
    "\"s\":\"thread\"",
    "\"name\":\"short\"",
    "\"name\":\"exactly thirty-two bytes of text\"",
    "\"name\":\"exactly thirty-three bytes of te\"",
    "\"name\":\"\"",
    "\"name\":\"a text of more than thirty-two bytes, with a quote \\\" and more\"",
    "\"name\":\"e\\\"\"",
    "\"name\":\"\\\\\"",
    "\"name\":null",
    "\"name\":5",
    "\"nam\\u0065\":\"escaped key\"",
    "\"cat\":\"c\"",
    "\"cat\":\"eight by\"",
    "\"cat\":\"nine byte\"",
    "\"cat\": \"\\t\"",
    "\"pid\":1",
    "\"pid\":1234567",
    "\"pid\":12345678",
    "\"pid\":123456789012345678",
    "\"pid\":99999999999999999999",
    "\"pid\":-1",
    "\"pid\":1.0",
    "\"pid\":1.5",
    "\"pid\":\"text\"",
    "\"pid\":true",
    "\"pid\":12x",
    "\"pid\":[1]",
    "\"tid\":0",
    "\"tid\":007",
    "\"tid\":1e2",
    "\"tid\":null",
    "\"ts\":0",
    "\"ts\":1",
    "\"ts\":12345678",
    "\"ts\":123456789",
    "\"ts\":12.5",
    "\"ts\":12.",
    "\"ts\":.5",
    "\"ts\":1234567890.123",
    "\"ts\":1700000000000000.123",
    "\"ts\":8999999999999999.999",
    "\"ts\":9000000000000000",
    "\"ts\":12345678901234567890",
    "\"ts\":1.2345",
    "\"ts\":-3",
    "\"ts\":\"7.25\"",
    "\"ts\":1e3",
    "\"ts\":NaN",
    "\"ts\": 3",
    "\"ts\":  4",
    "\"dur\":2",
    "\"dur\":0.001",
    "\"dur\":{}",
    "\"args\":{}",
    "\"args\":{ }",
    "\"args\":{\"a\":1}",
    "\"args\":{\"a\":\"x\",\"b\":[1,-2.5e3,true,false,null,{}],\"c\":{\"d\":[]}}",
    "\"args\":{\"a\":1,}",
    "\"args\":{\"a\":[[[[1]]]]}",
    "\"args\":{\"a\":[[[[[1]]]]]}",
    "\"args\":{\"a\":[1,2,3,4,5,6,7,8,9,10]}",
    "\"args\":{\"a\":[1,2,3,4,5,6,7,8,9,10,11,12,13]}",
    "\"args\":{\"a\":\"\\\"}\"}",
    "\"args\":{\"a\":Infinity}",
    "\"args\":{\"a\":tru}",
    "\"args\":{\"a\":truex}",
    "\"args\":{\"a\":-}",
    "\"args\":{\"a\":12abc}",
    "\"args\":{\"a\":1]}",
    "\"args\":{\"a\" : 1 , \"b\" :\n[ 1 , 2 ]}",
    "\"args\":{\"a\"}",
    "\"args\":{1:2}",
    "\"args\":[1]",
    "\"args\":\"x\"",
    "\"args\":{\"some text that is longer than thirty-two bytes\":\"another text that is longer than that, \\u0041\"}",
    "\"id\":5",
    "\"id\":\"0x1\"",
    "\"id2\":{\"local\":1}",
    "\"bind_id\":\"0x7\"",
    "\"bp\":\"e\"",
    "\"tts\":4.5",
    "\"tdur\":1",
    "\"flow_in\":true",
    "\"flow_out\":false",
    "\"attr\":{\"a\":1}",
    "\"other\":{\"x\":[1]}",
    "\"t\":1",
    "\"n\":1",
    "\"\":1",
    "\"args\":{\"a\":1}}",
    "\"name\"",
    "name:1",
    "\"pid\":",
    "\"ts\":1 \"dur\":2",
};

static void put_event(pf_buffer *b, uint32_t *state)
{
    static const char *const separators[] = {",", ",", ",", ",", ",", ", ", " ,", ",\n  ", "", ";"};
    static const char *const after[] = {",", ",", ",", ",\n", ", ", " , ", "", "\n", ",,", ",x,", ",1,", "]"};
    size_t count = next_random(state) % 9;
    pf_buffer_text(b, "{");
    for (size_t i = 0; i < count; i++) {
        pf_buffer_text(b, i ? separators[next_random(state) % 10] : "");
        /* Mostly what goes on being an event. */
        pf_buffer_text(b,
                       members[next_random(state) % (next_random(state) % 4 ? 50 : sizeof members / sizeof *members)]);
    }
    pf_buffer_text(b, "}");
    pf_buffer_text(b, after[next_random(state) % (next_random(state) % 8 ? 6 : 12)]);
}

Test(kernels, every_member_alone_and_in_pairs)
{
    static const char slop[PF_SLOP] = "\":1,{[]}";
    pf_json_piece *piece = new_piece();
    size_t n = sizeof members / sizeof *members;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j += 1 + (j + i) % 7) {
            pf_buffer b = {0};
            pf_buffer_format(&b, "[{%s,\"ph\":\"X\",%s},{\"ph\":\"E\",\"ts\":9,%s}]", members[i], members[j],
                             members[i]);
            size_t len = b.len;
            pf_buffer_put(&b, slop, sizeof slop);
            expect_equal("a pair", (const uint8_t *)b.data, len, piece);
            pf_buffer_free(&b);
        }
    }
    free(piece);
}

Test(kernels, random_events_with_random_damage)
{
    static const char alphabet[] = "{}[],:\"\\ \n\t0123456789.-eEabcphtsxX\x01\xc3";
    pf_json_piece *piece = new_piece();
    uint32_t state = 12345;
    for (unsigned round = 0; round < 300; round++) {
        pf_buffer b = {0};
        pf_buffer_text(&b, round % 2 ? "[" : "{\"traceEvents\":[");
        for (unsigned i = 0; i < 1 + round % 40; i++) {
            put_event(&b, &state);
        }
        size_t len = b.len - next_random(&state) % b.len / 8;
        for (unsigned i = 0; i < round % 5; i++) {
            b.data[next_random(&state) % b.len] = alphabet[next_random(&state) % (sizeof alphabet - 1)];
        }
        for (unsigned i = 0; i < PF_SLOP; i++) {
            pf_buffer_put(&b, &alphabet[next_random(&state) % (sizeof alphabet - 1)], 1);
        }
        expect_equal("random events", (const uint8_t *)b.data, len, piece);
        pf_buffer_free(&b);
    }
    free(piece);
}

/* What stands before the name, between it and the time, and after that; %s is what separates members. */
static const char *const leads[] = {
    "{\"ph\":\"B\",\"cat\":\"io\",",
    "{\"ph\":\"E\",\"cat\":\"compute\",",
    "{\"ph\":\"X\",\"cat\":\"a category that is longer than thirty-two\",",
    "{\"ph\":\"X\",",
    "{\"ph\":\"C\",",
    "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"io\",",
    "{\"ph\":\"i\",\"s\":\"p\",",
    "{\"ph\":\"i\",\"s\":\"thread\",",
    "{\"ph\":\"s\",\"cat\":\"flow\",",
    "{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"flow\",",
    "{\"ph\":\"f\",\"bp\":\"x\",\"cat\":\"flow\",",
    "{\"ph\":\"f\",\"bp\":\"e\",\"bp\":\"x\",",
    "{\"cat\":\"io\",\"ph\":\"X\",",
    "{\"cat\":\"io\",",
    "{",
    "{\"ph\":\"B\",\"ph\":\"E\",",
    "{\"ph\":\"B\",\"cat\":\"i\\u006f\",",
    "{\n      \"ph\": \"X\",\n      \"cat\": \"cpu_op\",\n      ",
    "{\n      \"ph\": \"X\",\n      \"cat\": \"kernel\",\n      ",
    "{\n                    \"ph\": \"X\",\n                    \"cat\": \"python_function\",\n                    ",
};
static const char *const names[] = {
    "\"name\":\"LoadHead_024\"", "\"name\":\"x\"", "\"name\":\"a \\\"quoted\\\" name\"",
    "\"name\": \"apart\"",       "\"name\":\"\"",  "\"name\":\"a name that is longer than thirty-two bytes\"",
    "\"name\":\"\\\\\"",         "\"name\":7",
};
static const char *const middles[] = {
    ",\"pid\":1000,\"tid\":1003,",
    ",\"pid\":1000,\"tid\":1004,",
    ",\"id\":1,\"pid\":1000,\"tid\":1003,",
    ",\"id\":123456789012,\"pid\":1000,\"tid\":1003,",
    ",\"id\":9000000000000001,\"pid\":1000,\"tid\":1003,",
    ",\"id\": 7,\"pid\":1000,\"tid\":1003,",
    ",\"id\":7.5,\"pid\":1000,\"tid\":1003,",
    ",\"id\":\"0x7\",\"pid\":1000,\"tid\":1003,",
    ",\"id\":7,\"id\":8,\"tid\":1003,",
    ",\"pid\":1000,",
    ",\"tid\":5,\"pid\":12345678,",
    ",\"tid\":5,\"pid\":7,",
    ",",
    " ,\n \"pid\": 0, \"tid\": 7,\n ",
    ",\n      \"pid\": 21587,\n      \"tid\": 21588,\n      ",
    ",\"pid\":1,\"pid\":2,\"tid\":3,",
    ",\"pid\":1,\"id\":4,\"tid\":3,",
    ",\"pid\":\"one\",\"tid\":3,",
};
static const char *const times[] = {
    "\"ts\":1000000001.020",   "\"ts\":12.5",       "\"ts\": 1419116273318.791",  "\"ts\":1",     "\"ts\":12345678",
    "\"ts\":1234567.123",      "\"ts\":123456789",  "\"ts\":123456789012345.12",  "\"ts\":\"3\"", "\"ts\":1.2345",
    "\"ts\":1234567890123456", "\"ts\":12345678.5", "\"ts\":12345678901234.5678", "\"tts\":1",
};
static const char *const tails[] = {
    "}",
    "}",
    ",\"dur\":12.5}",
    ",\"dur\":1,\"args\":{\"a\":1}}",
    ",\"args\":{}}",
    ",\"args\":{\"op\":\"fused\",\"dims\":[[1,2],[]]},\"dur\":3}",
    ",\n      \"dur\": 2.300,\n      \"args\": {\n        \"Ev Idx\": 1\n      }\n    }",
    ",\"dur\":1,\"dur\":2}",
    ",\"args\":{\"a\":1},\"ph\":\"i\"}",
    ",\"name\":\"another\"}",
    ",}",
    " }",
};

/* In place of the name; and, as the name then comes later, after the time. */
static const char *const ids[] = {
    "\"id\":1",       "\"id\": 524072", "\"id\":123456789012", "\"id\":9000000000000001",
    "\"id\":\"0x7\"", "\"id\":7.5",     "\"id\":-1",           "\"id\":true",
};
static const char *const arrow_tails[] = {
    ",\"cat\":\"ac2g\",\"name\":\"ac2g\"}",
    ",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"bp\":\"e\"}",
    ",\n      \"cat\": \"fwdbwd\",\n      \"name\": \"fwdbwd\",\n      \"bp\": \"e\"\n    }",
    ",\"name\":\"a name that is longer than thirty-two bytes\"}",
    ",\"name\":\"one\",\"name\":\"two\"}",
    ",\"cat\":\"one\",\"name\":\"n\",\"cat\":\"two\"}",
    ",\"name\":\"n\",\"s\":\"p\",\"bp\":\"x\"}",
    ",\"name\":\"n\",\"s\":\"g\"}",
    ",\"name\":\"a \\\"quoted\\\" name\",\"cat\":\"c\"}",
    ",\"name\":\"\",\"cat\":\"c\"}",
    ",\"name\":\"n\",\"id\":5}",
    ",\"name\":\"n\",\"args\":{\"a\":1}}",
    ",\"cat\":\"no name\"}",
    "}",
};

#define PICK(list, state) (list[next_random(state) % (sizeof(list) / sizeof *(list))])

/* A time like the others of its round: equally many digits, most of them the same, now and then a zero less or a
 * letter. */
static void put_time(pf_buffer *b, unsigned round, uint32_t *state)
{
    char digits[32], text[48];
    unsigned whole = 1 + round / 4 % 17, decimals = round / 68 % 5;
    snprintf(digits, sizeof digits, "%s%04u", &"19876543210123456789"[round % 5], next_random(state) % 10000);
    memmove(digits + whole + decimals - 4 * (whole + decimals > 4), digits + strlen(digits) - 4, 5);
    decimals -= decimals > 0 && next_random(state) % 8 == 0;
    snprintf(text, sizeof text, "\"ts\":%.*s%s%.*s", (int)whole, digits, decimals ? "." : "", (int)decimals,
             digits + whole);
    if (next_random(state) % 16 == 0) {
        text[5 + next_random(state) % (strlen(text) - 5)] = ".x-5:/;9"[next_random(state) % 8];
    }
    pf_buffer_text(b, text);
}

/* Of every list only some in one round, so that they come again. */
Test(kernels, events_that_look_alike)
{
    pf_json_piece *piece = new_piece();
    uint32_t state = 777;
    for (unsigned round = 0; round < 800; round++) {
        pf_buffer b = {0};
        const char *lead[3], *middle[3], *tail[3], *arrow_tail[3];
        for (unsigned i = 0; i < 3; i++) {
            lead[i] = PICK(leads, &state);
            middle[i] = PICK(middles, &state);
            tail[i] = PICK(tails, &state);
            arrow_tail[i] = PICK(arrow_tails, &state);
        }
        pf_buffer_text(&b, "[");
        for (unsigned i = 0; i < 40; i++) {
            pf_buffer_text(&b, i ? next_random(&state) % 9 ? ",\n" : ", " : "");
            pf_buffer_text(&b, PICK(lead, &state));
            bool arrow = round % 2 && next_random(&state) % 2;
            const char *usual = arrow ? ids[round / 2 % 2] : names[0],
                       *any = arrow ? PICK(ids, &state) : PICK(names, &state);
            pf_buffer_text(&b, next_random(&state) % 3 ? usual : any);
            pf_buffer_text(&b, PICK(middle, &state));
            if (round % 3 == 1) {
                put_time(&b, round, &state);
            } else {
                pf_buffer_text(&b, next_random(&state) % 3 ? times[round % 14] : PICK(times, &state));
            }
            pf_buffer_text(&b, arrow ? PICK(arrow_tail, &state) : PICK(tail, &state));
        }
        size_t len = b.len - (round % 3 ? 0 : next_random(&state) % b.len / 4);
        for (unsigned i = 0; i < round % 4; i++) {
            b.data[next_random(&state) % b.len] = (char)(32 + next_random(&state) % 96);
        }
        for (unsigned i = 0; i < 2 * PF_SLOP; i++) {
            pf_buffer_put(&b, "}", 1);
        }
        expect_equal("events alike", (const uint8_t *)b.data, len, piece);
        pf_buffer_free(&b);
    }
    free(piece);
}

/* Members of args as a loop takes them by their quotes alone, and others that are nearly like that. */
static const char *const arg_keys[] = {
    "\"Ev Idx\"",
    "\"Ev Idx\"",
    "\"k\"",
    "\"\"",
    "\"a \\\" b\"",
    "\"\\\\\"",
    "\"registers per thread, of which there are many more\"",
    "\"colon\":",
    "key",
    "\\k\"",
    "\\k\"",
};
static const char *const arg_colons[] = {":", ":", ": ", ": ", " :", ":  ", "", ":\n"};
static const char *const arg_values[] = {
    "1",
    "12345678",
    "123456789",
    "1234567890123456",
    "12345678901234567",
    "0",
    "007",
    "-1",
    "1.5",
    "1e5",
    "12x",
    "",
    "\"text\"",
    "\"1\"",
    "true",
    "[1,2]",
    "{\"a\":1,\"b\":2}",
    "{}",
    "1 2",
    "1\"",
};
static const char *const arg_commas[] = {
    ",",  ",",  ", ", ",\n        ", ",\n        ", ",                                     ", ",\t",
    " ,", ",,", "",   ";",           "}",
};

Test(kernels, args_of_numbers)
{
    pf_json_piece *piece = new_piece();
    uint32_t state = 4321;
    for (unsigned round = 0; round < 1500; round++) {
        pf_buffer b = {0};
        unsigned odd = 2 + round % 60; /* the larger, the fewer members are not as usual */
        pf_buffer_text(&b, "[");
        for (unsigned i = 0; i < 4; i++) {
            pf_buffer_text(&b, i ? ",\n" : "");
            pf_buffer_text(&b,
                           "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":1000000000.5,\"dur\":1,\"args\":{");
            for (unsigned k = 0; k < round % 9; k++) {
                pf_buffer_text(&b, next_random(&state) % odd ? arg_keys[0] : PICK(arg_keys, &state));
                pf_buffer_text(&b, next_random(&state) % odd ? arg_colons[round % 4] : PICK(arg_colons, &state));
                pf_buffer_text(&b, next_random(&state) % odd ? arg_values[next_random(&state) % 4]
                                                             : PICK(arg_values, &state));
                pf_buffer_text(&b, next_random(&state) % odd ? arg_commas[round % 5] : PICK(arg_commas, &state));
            }
            pf_buffer_text(&b, "\"last\":1}}");
        }
        size_t len = b.len - (round % 4 ? 0 : next_random(&state) % b.len / 4);
        for (unsigned i = 0; i < round % 3; i++) {
            b.data[next_random(&state) % b.len] = (char)(32 + next_random(&state) % 96);
        }
        for (unsigned i = 0; i < 2 * PF_SLOP; i++) {
            pf_buffer_put(&b, "\"", 1);
        }
        expect_equal("args of numbers", (const uint8_t *)b.data, len, piece);
        pf_buffer_free(&b);
    }
    free(piece);
}

#define LINE "a text of exactly sixty-four bytes, of which there will be many."

/* Args that come again with other values: # stands for a number, $ for what is between quotes. */
static const char *const shapes[] = {
    "{\"External id\":#,\"cbid\":#,\"correlation\":#}",
    "{\"queued\":#,\"grid\":[#,#,1],\"on\":true,\"n\":null,\"est. achieved occupancy %\":#}",
    "{\"bytes\":#,\"op\":\"$\",\"at\":\"$#\"}",
    "{\n  \"$ b\": #,\n  \"c\": [\"$\", {\"d#\":\"#\"}]\n }",
    "{\"a\":[\"$\",\"$\"],\"registers per thread, of which there are many more\":#,\"$\":#}",
    "{\"#\":#}",
    "{\"a\":-#,\"b\":#e#}",
    "{\"a\":\"" LINE LINE LINE LINE LINE LINE LINE "\",\"b\":#}",
    "{\"a\":\"" LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE "\",\"b\":#}",
    "{}",
};
static const char *const shape_numbers[] = {
    "1",
    "7",
    "23",
    "123",
    "4711",
    "12345678",
    "123456789",
    "0.5",
    "4.3",
    "43",
    "1e5",
    "1.5e",
    "12x3",
    "-3",
    "",
    "1234567 8",
    "1,2",
    "9]",
    "12345678901234567890123456789012345678901234567890",
};
static const char *const shape_texts[] = {
    "plain", "retry", "op_1", "op_12",  "",      "x",     "of more than thirty-two bytes, and { [ in it",
    "} , :", "5",     "true", "a\\\"b", "a\\\\", "\":\"", "a\"",
};

static void put_shape(pf_buffer *b, const char *shape, unsigned odd, uint32_t *state)
{
    for (; *shape; shape++) {
        bool usual = next_random(state) % odd != 0;
        if (*shape == '#') {
            pf_buffer_text(b, usual ? shape_numbers[next_random(state) % 6] : PICK(shape_numbers, state));
        } else if (*shape == '$') {
            pf_buffer_text(b, usual ? shape_texts[next_random(state) % 4] : PICK(shape_texts, state));
        } else {
            pf_buffer_put(b, shape, 1);
        }
    }
}

/* Now and then a byte is another one, or args are longer than those that a loop remembers. */
Test(kernels, args_built_alike)
{
    static const char alphabet[] = "{}[],:\"\\ \n0123456789.-eax";
    pf_json_piece *piece = new_piece();
    uint32_t state = 99;
    for (unsigned round = 0; round < 3000; round++) {
        pf_buffer b = {0};
        const char *shape[2] = {PICK(shapes, &state), PICK(shapes, &state)};
        unsigned odd = 2 + round % 40;
        pf_buffer_text(&b, "[");
        for (unsigned i = 0; i < 12; i++) {
            pf_buffer_text(&b, i ? ",\n" : "");
            pf_buffer_text(&b, next_random(&state) % 4 ? leads[0] : leads[3]);
            pf_buffer_text(&b, "\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":1000000000.5,\"args\":");
            size_t from = b.len;
            put_shape(&b, shape[next_random(&state) % 6 == 0], odd, &state);
            if (next_random(&state) % odd == 0) {
                b.data[from + next_random(&state) % (b.len - from)] = PICK(alphabet, &state);
            }
            pf_buffer_text(&b, "}");
        }
        size_t len = b.len - (round % 4 ? 0 : next_random(&state) % b.len / 4);
        for (unsigned i = 0; i < 2 * PF_SLOP; i++) {
            pf_buffer_put(&b, round % 2 ? "\"" : "1", 1);
        }
        expect_equal("args built alike", (const uint8_t *)b.data, len, piece);
        pf_buffer_free(&b);
    }
    free(piece);
}

/* Args with the members of the event before are learnt once, not at every event. */
Test(kernels, args_are_learnt_once)
{
    pf_json_piece *piece = new_piece();
    pf_buffer b = {0};
    pf_buffer_text(&b, "[");
    for (unsigned i = 0; i < 200; i++) {
        pf_buffer_text(&b, i ? ",\n" : "");
        pf_buffer_text(&b, leads[0]);
        pf_buffer_format(&b, "\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":1000000%03u.5,\"args\":", i);
        pf_buffer_format(&b, "{\"External id\":%u,\"kernel\":\"n\",\"grid\":[%u,1,1]}}", 1000 + i, 100 + i);
    }
    pf_buffer_text(&b, "]");
    size_t len = b.len, count;
    pf_buffer_put(&b, (const char[PF_SLOP]){0}, PF_SLOP);
    const pf_json_kernel *k = pf_json_kernels(&count);
    for (size_t i = 0; i < count; i++) {
        if (k[i].works()) {
            pf_buffer found = records(&k[i], (const uint8_t *)b.data, len, false, piece);
            cr_expect_eq(piece->count, 200, "%s", k[i].name);
            cr_expect_eq(piece->shapes_learned, 1, "%s: %u times", k[i].name, piece->shapes_learned);
            pf_buffer_free(&found);
        }
    }
    pf_buffer_free(&b);
    free(piece);
}

/* No row of bytes is one of zeros: what is not remembered yet must not be taken for that. */
Test(kernels, zeros_in_the_place_of_a_row)
{
    static const char *const starts[] = {
        "{\"ph\":\"s\",\"id\":5",
        "{\"ph\":\"s\",\"id\":5,\"pid\":1,\"tid\":2,\"ts\":1000000000.5",
        "{\"ph\":\"B\",\"name\":\"n",
        "{\"ph\":\"B\",\"name\":\"n\",\"id\":5",
        "",
    };
    static const char zeros[256], before[] = "[{\"ph\":\"s\",\"id\":4,\"pid\":1,\"tid\":2,\"ts\":1000000000.5,"
                                             "\"name\":\"n\"},\n{\"ph\":\"B\",\"name\":\"n\",\"pid\":1,\"tid\":2,"
                                             "\"ts\":1000000000.5},\n";
    pf_json_piece *piece = new_piece();
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        for (unsigned first = 0; first < 2; first++) {
            pf_buffer b = {0};
            pf_buffer_text(&b, first ? "[" : before);
            pf_buffer_text(&b, starts[i]);
            pf_buffer_put(&b, zeros, sizeof zeros);
            pf_buffer_text(&b, "},{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":3}]");
            size_t len = b.len;
            pf_buffer_put(&b, zeros, PF_SLOP);
            expect_equal("zeros", (const uint8_t *)b.data, len, piece);
            pf_buffer_free(&b);
        }
    }
    free(piece);
}

Test(kernels, cut_at_every_byte)
{
    static const char text[] = "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::empty_strided and more of a name "
                               "than fits\",\"pid\":12,\"tid\":3456789,"
                               "\"ts\":1700000000000000.123,\"dur\":12.5,\"args\":{\"External "
                               "id\":3,\"Dims\":[[1,2],[]],\"s\":\"\\\"\",\"t\":true}},\n"
                               "{\"name\": \"k\", \"ph\": \"B\", \"ts\": 5, \"pid\": 1, \"tid\": 2, \"args\": {}}]";
    pf_json_piece *piece = new_piece();
    uint8_t *bytes = malloc(sizeof text + 2 * PF_SLOP);
    cr_assert_not_null(bytes);
    for (size_t len = 1; len < sizeof text; len++) {
        memcpy(bytes, text, sizeof text);
        memset(bytes + sizeof text - 1, '"', 2 * PF_SLOP);
        expect_equal("cut, going on as it did", bytes, len, piece);
        memset(bytes + len, '}', PF_SLOP);
        expect_equal("cut, going on with brackets", bytes, len, piece);
    }
    free(bytes);
    free(piece);
}

/* Whatever stands after the end is not read further than the slop: an allocation ends there. The bytes at hand end
 * everywhere in events that go on as they should, then with what is passed over: quotes, digits or blanks, all with
 * POSTFETTO_LONG=1. */
Test(kernels, nothing_after_the_slop_is_read)
{
    static const char text[] =
        "[{\"args\":{\"a key of just thirty-one letter\":\"and a text that is as long "
        "as the key before it\",\"k\":[1,{\"n\":2}]},\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":3},"
        "{\"args\":{\"a key of just thirty-one letter\":\"and a text that is as long "
        "as the key before it\",\"k\":[1,{\"n\":2}]},\"ph\":\"s\",\"id\":000000000000000000000000,"
        "\"pid\":1,\"tid\":2,\"ts\":100000000.5},{\"ph\":\"B\",\"name\":\"n\",\"args\":{\"k\" : 5}}]";
    static const char fillers[] = "\"0 ";
    const bool all = getenv("POSTFETTO_LONG") != NULL;
    pf_json_piece *piece = new_piece();
    for (size_t len = 1; len < sizeof text; len++) {
        size_t more = sizeof text - 1 - len < PF_SLOP ? sizeof text - 1 - len : PF_SLOP;
        for (const char *filler = fillers; *filler; filler++) {
            for (size_t kept = 0; kept <= more; kept++) {
                if ((len + kept) % 3 != (size_t)(filler - fillers) && !all) {
                    continue;
                }
                uint8_t *bytes = malloc(len + PF_SLOP);
                cr_assert_not_null(bytes);
                memset(bytes + len, *filler, PF_SLOP);
                memcpy(bytes, text, len + kept);
                expect_equal("cut, with an allocation that ends", bytes, len, piece);
                free(bytes);
            }
        }
    }
    free(piece);
}

Test(kernels, corpus)
{
    static const char *const folders[] = {"real", "aie", "perfetto/json", "perfetto/parsing"};
    pf_json_piece *piece = new_piece();
    unsigned seen = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/corpus/%s", shared_folder(), folders[i]);
        DIR *dir = opendir(path);
        for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
            snprintf(path, sizeof path, "%s/corpus/%s/%s/trace.json", shared_folder(), folders[i], e->d_name);
            FILE *f = fopen(path, "rb");
            if (!f) {
                continue;
            }
            uint8_t *text = calloc(1, 2000000 + PF_SLOP);
            cr_assert_not_null(text);
            size_t len = fread(text, 1, 2000000, f);
            fclose(f);
            expect_equal(path, text, len, piece);
            free(text);
            seen++;
        }
        if (dir) {
            closedir(dir);
        }
    }
    free(piece);
    if (seen == 0) {
        SKIP_WITHOUT_CORPUS();
    }
}

Test(kernels, the_best_one_works_here)
{
    cr_expect(pf_json_best_kernel()->works());
    size_t count;
    const pf_json_kernel *k = pf_json_kernels(&count);
    cr_expect(k[count - 1].works());
    cr_expect_str_eq(k[count - 1].name, "plain");
}
