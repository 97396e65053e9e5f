/* unit/edit/test_cut_json_rules.c - what a window of Chrome JSON gets (docs/reference/cut.md), a rule a row, worked out
 * by hand.
 *
 * Events are written as text, `;` between them: phase, name, time and `+` length in us, and what else they say:
 * `X outer 10+5 "cat":"k"`; `name/2` is on thread 2, `name/2/3` of process 3. `<10` and `>15` are the marks of an event
 * that began at 10 us and ends at 15, `~` that of an arrow with an end outside, `!E` an end that the cut makes (`7@9`:
 * of 9 us by the thread's clock), `!` a length of 0 that it adds.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "postfetto/postfetto.h"
#include "scratch.h"

TestSuite(cut_json_rules, .init = scratch_enter, .fini = scratch_leave);

/* Adds an event of the text, which ends before `end`. */
static void put_event(pf_buffer *b, const char *at, const char *end)
{
    char phase[4], name[32], time[24];
    int used = 0, tid = 1, pid = 1;
    cr_assert_eq(sscanf(at, " %3s %31s %23[^; ]%n", phase, name, time, &used), 3, "%s", at);
    bool made = phase[0] == '!';
    char *thread = strchr(name, '/'), *length = strchr(time, '+'), *tts = strchr(time, '@');
    if (thread) {
        *thread = 0;
        cr_assert(sscanf(thread + 1, "%d/%d", &tid, &pid) >= 1);
    }
    if (length || tts) {
        *(length ? length++ : tts++) = 0;
    }
    if (made) {
        pf_buffer_format(b, "{\"ph\": \"%s\", \"ts\": %s%s%s, \"name\": \"%s\", \"pid\": %d, \"tid\": %d", phase + 1,
                         time, tts ? ", \"tts\": " : "", tts ? tts : "", name, pid, tid);
    } else {
        pf_buffer_format(b, "{\"ph\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%s", phase, name, pid, tid,
                         time);
    }
    if (length) {
        pf_buffer_format(b, ",\"dur\":%s", length);
    }
    const char *marks = ", \"args\": {";
    for (at += used; at < end; at += used) {
        char word[64];
        cr_assert_eq(sscanf(at, " %63[^; ]%n", word, &used), 1, "%s", at);
        if (word[0] == '<' || word[0] == '>') {
            bool first = word[0] == '<';
            pf_buffer_format(b, "%s\"cut.%s\": true, \"cut.original_%s\": %lld", marks,
                             first ? "begins_before" : "ends_after", first ? "ts" : "end",
                             (long long)(strtod(word + 1, NULL) * 1000));
            marks = ", ";
        } else if (word[0] == '~') {
            pf_buffer_format(b, "%s\"cut.flow_outside\": true", marks);
            marks = ", ";
        } else if (word[0] == '!') {
            pf_buffer_text(b, ", \"dur\": 0");
        } else {
            char *value = made ? strchr(word, ':') + 1 : word;
            pf_buffer_format(b, made ? ", %.*s %s" : ",%.*s%s", (int)(value - word), word, value);
        }
    }
    pf_buffer_text(b, marks[2] ? "}" : "}}");
}

static char *document(const char *events)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, *events ? "[\n" : "{\"traceEvents\": []}\n");
    for (const char *at = events; *at;) {
        size_t len = strcspn(at, ";");
        put_event(&b, at, at + len);
        at += len + (at[len] == ';');
        pf_buffer_text(&b, *at ? ",\n" : "\n]\n");
    }
    pf_buffer_put(&b, "", 1);
    cr_assert_not(b.failed);
    return b.data;
}

typedef struct row {
    const char *rule, *in;
    int64_t from, to; /* us */
    const char *want;
    int64_t min_dur; /* us */
    const char *category;
    bool other_again; /* a cut of the cut is another one */
} row;

static uint64_t count(const char *text, const char *what)
{
    uint64_t times = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) {
        times++;
    }
    return times;
}

static pf_buffer read_text(const char *path)
{
    pf_buffer text = {0};
    char some[4096];
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f);
    pf_buffer_put(&text, some, fread(some, 1, sizeof some, f));
    pf_buffer_put(&text, "", 1);
    fclose(f);
    return text;
}

/* What the file is after a cut, which says what it did. */
static pf_buffer cut(const char *in, const char *out, const pf_cut_options *o)
{
    pf_cut_result r = {.size = sizeof r};
    pf_error err;
    cr_assert_eq(pf_cut(in, out, o, &r, &err), PF_OK, "%s", err.text);
    pf_trace_free(r.input);
    pf_buffer text = read_text(out);
    cr_expect_eq(r.bytes, text.len - 1);
    cr_expect_eq(r.kept + r.added, count(text.data, "\"ph\":"));
    cr_expect_eq(r.timed, r.kept + r.added);
    cr_expect(r.changed <= r.kept && r.begun <= count(text.data, "cut.original_ts"));
    cr_expect(r.ended <= count(text.data, "cut.original_end"));
    return text;
}

/* The window is the same among others, next to each other and over each other. */
static void expect_parts(const row *r, const char *want)
{
    const int64_t from = r->from * 1000, to = r->to * 1000;
    const pf_split_window windows[2][3] = {
        {{from - 9000, from, NULL}, {from, to, NULL}, {to, to + 9000, NULL}},
        {{from - 9000, to - 1000, NULL}, {from, to, NULL}, {from + 1000, to + 9000, NULL}}};
    for (int over = 0; over < 2; over++) {
        pf_split_options o = pf_split_options_default();
        pf_write_options write = pf_write_options_default();
        pf_error err;
        write.sync = false;
        o.write = &write;
        o.windows = windows[over];
        o.window_count = 3;
        cr_assert_eq(pf_split("in.json", "parts", &o, NULL, &err), PF_OK, "%s", err.text);
        pf_buffer part = read_text("parts/part-0002.json");
        cr_expect_str_eq(part.data, want, "%s, a part: %s", r->rule, part.data);
        pf_buffer_free(&part);
    }
}

static void expect_row(const row *r)
{
    pf_cut_options o = pf_cut_options_default();
    pf_write_options write = pf_write_options_default();
    write.sync = false;
    o.write = &write;
    o.from = (pf_edit_time){PF_EDIT_TRACE_TIME, r->from * 1000};
    o.to = (pf_edit_time){PF_EDIT_TRACE_TIME, r->to * 1000};
    char *in = document(r->in), *want = document(r->want);
    o.min_dur = r->min_dur * 1000;
    o.category.keep = r->category ? &r->category : NULL;
    o.category.keep_count = r->category != NULL;
    scratch_write("in.json", in);
    pf_buffer out = cut("in.json", "out.json", &o), again = cut("out.json", "again.json", &o);
    cr_expect_str_eq(out.data, want, "%s: %s", r->rule, out.data);
    cr_expect(r->other_again || strcmp(again.data, want) == 0, "%s, again: %s", r->rule, again.data);
    if (!r->min_dur && !r->category) { /* which splits do not know */
        expect_parts(r, want);
    }
    free(in);
    free(want);
    pf_buffer_free(&out);
    pf_buffer_free(&again);
}

#define EXPECT_ALL(...)                                                                                                \
    do {                                                                                                               \
        const row rows_[] = {__VA_ARGS__};                                                                             \
        for (size_t i_ = 0; i_ < sizeof rows_ / sizeof *rows_; i_++) {                                                 \
            expect_row(&rows_[i_]);                                                                                    \
        }                                                                                                              \
    } while (0)

Test(cut_json_rules, slices)
{
    EXPECT_ALL({"over both edges", "B a 1;E a 9", 3, 5, "B a 3 <1;E a 5 >9"},
               {"that never ends", "B a 1", 3, 5, "B a 3 <1"},
               {"that ends where the window begins", "B a 1;E a 3", 3, 5, ""},
               {"that begins where the window ends", "B a 5;E a 9", 3, 5, ""},
               {"that begins where the window begins", "B a 3;E a 4", 3, 5, "B a 3;E a 4"},
               {"that ends where the window ends", "B a 1;E a 5", 3, 5, "B a 3 <1;E a 5"},
               {"of no length at the start", "B a 3;E a 3", 3, 5, "B a 3;E a 3"},
               {"of no length at the end", "B a 5;E a 5", 3, 5, ""},
               {"complete ones over both edges", "X a 1+9", 3, 5, "X a 3+2 <1 >10"},
               {"complete ones at the edges", "X a 1+2;X b 2+2;X c/2 3+2;X d/3 5+2", 3, 5, "X c/2 3+2;X b 3+1 <2"},
               {"complete ones of no length", "X a 3+0;X b 4+0;X c 5+0", 3, 5, "X a 3+0;X b 4+0"},
               {"of other kinds",
                "b a 1 \"id\":1;S c 1 \"id\":1;N d 1 \"id\":1;e a 9 \"id\":1;F c 9 \"id\":1;D d 9 \"id\":1", 3, 5,
                "b a 3 \"id\":1 <1;S c 3 \"id\":1 <1;N d 3 \"id\":1 <1;e a 5 \"id\":1 >9;F c 5 \"id\":1 >9;D d 5 "
                "\"id\":1 >9"});
}

#define I "\"id\":1"
#define BP I ",\"bp\":\"e\""
#define K(CATEGORY) "\"cat\":\"" #CATEGORY "\"," I

Test(cut_json_rules, arrows)
{
    EXPECT_ALL(
        {"of a slice that is open at the start", "X a 1+19;s f 2 " I ";X b/2 9+3;f f/2 10 " BP, 8, 14,
         "X a 8+6 <1 >20;s f 8 " I " <2;X b/2 9+3;f f/2 10 " BP},
        {"to the window's end", "X a 1+19;s f 9 " I ";X b/2 14+3;f f/2 14 " BP, 8, 14, "X a 8+6 <1 >20;s f 9 " I " ~"},
        {"of a slice that ends at the start", "X a 1+7;s f 2 " I ";X b/2 9+3;f f/2 10 " BP, 8, 14,
         "X b/2 9+3;f f/2 10 " BP " ~"},
        {"of a slice without length", "X a 8+0;s f 8 " I ";X b/2 9+3;f f/2 10 " BP, 8, 14,
         "X a 8+0;s f 8 " I ";X b/2 9+3;f f/2 10 " BP},
        {"without slices", "s f 8 " I ";f f/2 10 " BP, 8, 14, "s f 8 " I ";f f/2 10 " BP},
        {"without slices, from before", "s f 7 " I ";f f/2 10 " BP, 8, 14, "f f/2 10 " BP " ~"},
        {"keep their threads", "M thread_name/5 0 \"args\":{\"name\":\"x\"};s f/5 9 " I ";f f/6 10 " BP, 8, 14,
         "M thread_name/5 0 \"args\":{\"name\":\"x\"};s f/5 9 " I ";f f/6 10 " BP},
        {"to the next slice, from outside", "X a 1+3;s f 2 " I ";f f/2 10 " I ";X b/2 11+2", 8, 14, "X b/2 11+2"},
        {"to the next slice, whose start comes later",
         "X c/3 8+3;t f/3 9 " I ";f f/2 10 " I ";X b/2 11+2;X d/4 19+3;s f/4 20 " I, 8, 14,
         "X c/3 8+3;t f/3 9 " I " ~;X b/2 11+2"},
        {"to the next slice, which is open at the start", "X a 9+9;s f 9 " I ";f f/2 10 " I ";B b/2 11;E b/2 20", 12,
         14, "X a 12+2 <9 >18;s f 12 " I " <9;f f/2 12 " I " <10;B b/2 12 <11;E b/2 14 >20"},
        {"over steps, from outside",
         "X a 1+2;s f 2 " I ";X b/2 11+2;t f/2 12 " I ";X c/3 21+2;t f/3 22 " I ";f f/4 30 " I ";X d/4 31+2", 10, 50,
         "X b/2 11+2;s f/2 12 " I " ~;X c/3 21+2;t f/3 22 " I " ~;f f/4 30 " I " ~;X d/4 31+2"},
        {"from a step that is open at the start", "X a 1+2;s f 2 " I ";X b/2 5+9;t f/2 6 " I ";X c/3 11+2;f f/3 12 " BP,
         8, 14, "X b/2 8+6 <5;s f/2 8 " I " <6 ~;X c/3 11+2;f f/3 12 " BP " ~"},
        {"to a slice that is on top after the window", "X e 35+2;s g 36 " I ";X h/6 37+2;f g/6 60 " BP, 10, 50,
         "X e 35+2;s g 36 " I ";X h/6 37+2;f g/6 49.999 " BP " >60"},
        {"to such a slice, from outside", "X a 1+2;s g 2 " I ";X h/6 37+2;f g/6 60 " BP, 10, 50, "X h/6 37+2"},
        {"to slices that are on top after the window, from outside",
         "X a 1+2;s g 2 " I ";X h/6 37+2;X k/7 38+2;t g/6 60 " I ";f g/7 61 " BP, 10, 50,
         "X h/6 37+2;X k/7 38+2;s g/6 49.999 " I " >60 ~;f g/7 49.999 " BP " >61 ~"},
        {"of two names are two", "s f 9 " I ";f g/2 12 " BP, 8, 11, "s f 9 " I},
        {"of two categories are two", "s f 9 " K(k) ";f f/2 12 " K(m) ",\"bp\":\"e\"", 8, 11, "s f 9 " K(k)},
        {"of a slice on which lies one that crosses its end", "X a 1+10;X b 5+10;s f 6 " I ";X c/2 13+3;f f/2 14 " BP,
         12, 20, "X b 12+3 <5;X c/2 13+3;f f/2 14 " BP " ~"},
        {"of slices that are too short", "X a 9+1;s f 9.5 " I ";X b/2 10+3;f f/2 11 " BP, 8, 14,
         "X b/2 10+3;f f/2 11 " BP " ~", .min_dur = 2});
}

#define NAMED "M thread_name/5 0 \"args\":{\"name\":\"x\"}"
#define V(NAME, N) "\"args\":{\"" #NAME "\":" #N "}"

Test(cut_json_rules, names_of_threads_stay_with_what_is_left_of_them)
{
    EXPECT_ALL({"a slice that ends at the start", NAMED ";X a/5 1+2", 3, 5, ""},
               {"a slice that begins at the end", NAMED ";X a/5 5+2", 3, 5, ""},
               {"a slice without length at the start", NAMED ";X a/5 3+0", 3, 5, NAMED ";X a/5 3+0"},
               {"an instant at the start", NAMED ";i a/5 3", 3, 5, NAMED ";i a/5 3"},
               {"an instant at the end", NAMED ";i a/5 5", 3, 5, ""},
               {"an end of another thread's operation", NAMED ";b a 1 " I ";e a/5 9 " I, 3, 5,
                "b a 3 " I " <1;" NAMED ";e a/5 5 " I " >9"});
}

Test(cut_json_rules, values_of_counters)
{
    EXPECT_ALL({"of one counter", "C u 1 " V(v, 1) ";C u 2 " V(v, 2) ";C u 4 " V(v, 4), 3, 5,
                "C u 3 " V(v, 2) ";C u 4 " V(v, 4)},
               {"of two names", "C u 1 " V(v, 1) ";C w 2 " V(v, 2), 3, 5, "C u 3 " V(v, 1) ";C w 3 " V(v, 2)},
               {"of two arguments", "C u 1 " V(v, 1) ";C u 2 " V(x, 2), 3, 5, "C u 3 " V(v, 1) ";C u 3 " V(x, 2)},
               {"of two ids", "C u 1 \"id\":1," V(v, 1) ";C u 2 \"id\":2," V(v, 2), 3, 5,
                "C u 3 \"id\":1," V(v, 1) ";C u 3 \"id\":2," V(v, 2)},
               {"in another order", "C u 2 " V(v, 2) ";C u 1 " V(v, 1), 3, 5, "C u 3 " V(v, 2)},
               {"with their process", "M process_name/1/7 0 " V(name, "x") ";C u/2/7 1 " V(v, 1), 3, 5,
                "C u/2/7 3 " V(v, 1) ";M process_name/1/7 0 " V(name, "x")},
               {"of two processes", "C u/1/1 1 " V(v, 1) ";C u/1/2 2 " V(v, 2), 3, 5,
                "C u/1/1 3 " V(v, 1) ";C u/1/2 3 " V(v, 2)},
               {"at the start", "C u 1 " V(v, 1) ";C u 3 " V(v, 3), 3, 5, "C u 3 " V(v, 3)});
}

#define LOCAL "\"id2\":{\"local\":\"0x1\"}"
#define GLOBAL "\"id2\":{\"global\":\"0x1\"}"

Test(cut_json_rules, operations)
{
    EXPECT_ALL({"of two categories", "b a 1 " K(k) ";b a 2 " K(m) ";e a 9 " K(k), 3, 5,
                "b a 3 " K(k) " <1;b a 3 " K(m) " <2;e a 5 " K(k) " >9"},
               {"of two names, each for itself", "S a 1 " I ";S c 2 " I ";F a 9 " I, 3, 5,
                "S a 3 " I " <1;S c 3 " I " <2;F a 5 " I " >9"},
               {"of two names, nested", "b a 1 " I ";b c 2 " I ";e a 9 " I ";b d 12 " I, 3, 5,
                "b a 3 " I " <1;b c 3 " I " <2;e a 5 " I " >9;!e c 5 " I " >9"},
               {"of two names, nested, the last ones", "b a 1 " I ";b c 2 " I ";e a 9 " I, 3, 5,
                "b a 3 " I " <1;b c 3 " I " <2;e a 5 " I " >9"},
               {"of one local id, of two processes", "b a/1/1 1 " LOCAL ";b a/2/2 2 " LOCAL ";e a/1/1 3 " LOCAL, 4, 6,
                "b a/2/2 4 " LOCAL " <2"},
               {"of ids of two kinds", "b a 1 " LOCAL ";b a 2 " GLOBAL ";e a 9 " LOCAL, 3, 5,
                "b a 3 " LOCAL " <1;b a 3 " GLOBAL " <2;e a 5 " LOCAL " >9"});
}

Test(cut_json_rules, complete_events)
{
    EXPECT_ALL({"without a length", "X a 1;X b 3;X c 4 \"dur\":-1", 3, 5, "X b 3;X c 4 \"dur\":-1"},
               {"that are long enough", "X a 10+2;X b/2 10+1.999;B c/3 10;E c/3 12;B d/4 10;E d/4 11.9", 8, 14,
                "X a 10+2;B c/3 10;E c/3 12", .min_dur = 2},
               {"of a category", "X a 9+1 " K(k) ";X b/2 10+3 " K(m), 8, 14, "X a 9+1 " K(k), .category = "k"},
               {"with the thread's clock, on a begin", "B a 1;X in 5+2 \"tts\":100,\"tdur\":1;E a 9", 5, 10,
                "B a 5 <1;B in 5+2 \"tts\":100,\"tdur\":1;E a 9;!E in 7@101"},
               {"that end after the begin around them", "B a 10;X in 15+10;E a 18;X next 32+1", 16, 30,
                "B a 16 <10;X in 16.001+8.999 <15;E a 18"},
               {"of one arrow",
                "X a 1+9 \"bind_id\":\"7\",\"flow_out\":true;X b/2 5+2 \"bind_id\":\"7\",\"flow_in\":true", 5, 12,
                "X a 5+5 \"bind_id\":\"7\",\"flow_out\":true <1;B b/2 5+2 \"bind_id\":\"7\",\"flow_in\":true;!E b/2 7"},
               {"that end with what is around a begin", "X outer 10+10;B open 12;X in 15+20;B tie 20;X next 32+1", 20,
                60, "X tie 20 !;X next 32+1"});
}

#define C(CATEGORY) "\"cat\":\"" #CATEGORY "\""
#define AROUND "X outer 10+10;B open 12;X in 15+20;"

Test(cut_json_rules, slices_that_end_with_what_is_around_them)
{
    EXPECT_ALL(
        {"shown after the window", AROUND "X next 32+1", 13, 30, "X outer 13+7 <10;B open 13 <12;X in 15+5;!E open 20"},
        {"shown in the window", AROUND "X next 32+1", 13, 40, "X outer 13+7 <10;B open 13 <12;X in 15+20;X next 32+1"},
        {"before the window", AROUND "X next 32+1", 21, 40, "X next 32+1"},
        {"shown by an instant", AROUND "i m 25;X next 32+1", 13, 30,
         "X outer 13+7 <10;B open 13 <12;X in 15+20;i m 25"},
        {"shown by an old instant", AROUND "I m 25;X next 32+1", 13, 30,
         "X outer 13+7 <10;B open 13 <12;X in 15+20;I m 25"},
        {"shown by a mark", AROUND "R m 25;X next 32+1", 13, 30, "X outer 13+7 <10;B open 13 <12;X in 15+20;R m 25"},
        {"shown by an instant of the thread", AROUND "i m 25 \"s\":\"t\";X next 32+1", 13, 30,
         "X outer 13+7 <10;B open 13 <12;X in 15+20;i m 25 \"s\":\"t\""},
        {"not shown by an instant of all", AROUND "i m 25 \"s\":\"g\";X next 32+1", 13, 30,
         "X outer 13+7 <10;B open 13 <12;X in 15+5;i m 25 \"s\":\"g\";!E open 20"},
        {"which a category leaves out",
         "X outer 10+10 " C(g) ";B open 12 " C(k) ";X in 15+20 " C(k) ";X next 32+1 " C(k), 13, 40,
         "B open 13 " C(k) " <12;X in 15+5 " C(k) ";X next 32+1 " C(k) ";!E open 20 " C(k), .category = "k"});
}

Test(cut_json_rules, ends)
{
    EXPECT_ALL(
        {"before their begins in the file", "E a 9;B a 1", 3, 5, "B a 3 <1;E a 5 >9"},
        {"of another category than the innermost begin", "B a 1 " C(k) ";B a 2 " C(m) ";E a 4 " C(k) ";X next 20+1", 6,
         9, ""},
        {"without begins", NAMED ";E a/5 4", 3, 5, NAMED ";E a/5 4"},
        {"without begins, of long slices", "E a 4", 3, 5, "", .min_dur = 1},
        {"of slices that a category leaves out", "B a 1 " C(g) ";B b 2 " C(k) ";E b 4;E a 9", 3, 10,
         "B b 3 " C(k) " <2;E b 4", .category = "k"},
        {"at the time of a begin before them", "B a 1;B b 5;E a 5;E b 9", 6, 8, ""},
        {"at such a time, after a later event", "X z/9 20+1;B a 1;B b 5;E a 5;E b 9", 6, 8, "B b 6 <5;E b 8 >9"},
        {"at such a time, after a complete event", "X z/9 0+1;B a 1;B b 5;E a 5;E b 9", 6, 8, "B b 6 <5;E b 8 >9"});
}

/* What a document becomes in a window, and how many of its events are changed. */
static void expect_document(const char *in, int64_t from, int64_t to, uint64_t changed, const char *want)
{
    pf_cut_options o = pf_cut_options_default();
    pf_cut_result r = {.size = sizeof r};
    pf_error err;
    if (from < to) {
        o.from = (pf_edit_time){PF_EDIT_TRACE_TIME, from};
        o.to = (pf_edit_time){PF_EDIT_TRACE_TIME, to};
    }
    scratch_write("in.json", in);
    cr_assert_eq(pf_cut("in.json", "out.json", &o, &r, &err), PF_OK, "%s", err.text);
    pf_trace_free(r.input);
    pf_buffer out = read_text("out.json");
    cr_expect_str_eq(out.data, want);
    cr_expect_eq(r.changed, changed);
    pf_buffer_free(&out);
}

Test(cut_json_rules, events_without_a_time_are_in_no_window)
{
    const char *in = "[\n{\"ph\":\"i\",\"name\":\"a\",\"pid\":1}\n]\n";
    expect_document(in, 0, 9, 0, "{\"traceEvents\": []}\n");
    expect_document(in, 0, 0, 0, in);
}

Test(cut_json_rules, ids_that_are_negative_or_absent_are_0)
{
    expect_document("[{\"ph\":\"B\",\"name\":\"a\",\"ts\":1},{\"ph\":\"E\",\"ts\":9,\"pid\":0,\"tid\":-5}]", 3000, 5000,
                    0,
                    "[\n{\"ph\":\"B\",\"name\":\"a\",\"ts\":3, \"args\": {\"cut.begins_before\": true, "
                    "\"cut.original_ts\": 1000}},\n{\"ph\":\"E\",\"ts\":5,\"pid\":0,\"tid\":-5, \"args\": "
                    "{\"cut.ends_after\": true, \"cut.original_end\": 9000}}\n]\n");
}

/* Where a tool has its arguments. */
Test(cut_json_rules, marks_go_where_an_event_has_its_arguments)
{
    expect_document(
        "[{\"ph\":\"s\",\"id\":1,\"ts\":1,\"pid\":1},{\"ph\":\"f\",\"bp\":\"e\",\"id\":1,\"ts\":4,\"pid\":1,"
        "\"attr\":{\"k\":5}}]",
        3000, 5000, 1,
        "[\n{\"ph\":\"f\",\"bp\":\"e\",\"id\":1,\"ts\":4,\"pid\":1,"
        "\"attr\":{\"cut.flow_outside\": true, \"k\":5}}\n]\n");
}
