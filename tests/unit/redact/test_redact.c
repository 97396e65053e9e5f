/* What becomes of texts. Hashes are those of Python's hmac module: hmac.new(key, text, "sha256").hexdigest()[:12]. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "base/str.h"
#include "edit/redact/redact.h"

#define ALL (PF_REDACT_NAMES | PF_REDACT_ARGS | PF_REDACT_PATHS)

static const uint8_t key[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
static pf_budget budget;
static pf_redactor redactor;
static pf_error err;

static void begin(uint32_t what, pf_bytes with, const char *const *keep, size_t keep_count)
{
    pf_redact_options o = {what, with, keep, keep_count};
    pf_budget_init(&budget, NULL);
    cr_assert_eq(pf_redactor_init(&redactor, &o, &budget, &err), PF_OK, "%s", err.text);
}

#define BEGIN(what) begin(what, (pf_bytes){key, sizeof key}, NULL, 0)

static void finish(void)
{
    pf_redactor_free(&redactor);
    cr_expect_eq(budget.used, 0);
}

static void expect(pf_str got, const char *want)
{
    cr_expect(pf_str_is(got, want), "\"%.*s\" instead of \"%s\"", (int)got.len, got.ptr, want);
}

Test(redact, what_the_options_choose)
{
    static const struct {
        uint32_t what;
        pf_field_role role;
        const char *text, *want;
    } cases[] = {
        {PF_REDACT_NAMES, PF_ROLE_NAME, "train_step", "xb5b02d43b782"},
        {PF_REDACT_ARGS, PF_ROLE_NAME, "train_step", "train_step"},
        {PF_REDACT_NAMES, PF_ROLE_NAME, "", ""},
        {PF_REDACT_NAMES, PF_ROLE_NAME, "r\303\251sum\303\251", "xeeb0a2939d4f"},
        {PF_REDACT_ARGS, PF_ROLE_VALUE, "secret value", "xccc72818dd59"},
        {PF_REDACT_NAMES, PF_ROLE_VALUE, "secret value", "secret value"},
        {PF_REDACT_ARGS, PF_ROLE_VALUE, "-12.5e3", "-12.5e3"},
        {PF_REDACT_ARGS, PF_ROLE_VALUE, "0x7f00", "0x7f00"},
        {ALL, PF_ROLE_KEY, "train_step", "train_step"},
        {ALL, PF_ROLE_KEY, "/data/bob/model.py", "xa719be8b80ac"},
        {PF_REDACT_NAMES | PF_REDACT_ARGS, PF_ROLE_KEY, "/data/bob/model.py", "/data/bob/model.py"},
        {PF_REDACT_PATHS, PF_ROLE_PATH, "bob", "x928931744d17"},
        {PF_REDACT_NAMES, PF_ROLE_PATH, "/data/bob/model.py", "/data/bob/model.py"},
        {PF_REDACT_PATHS, PF_ROLE_COMMAND, "bob", "x928931744d17"},
        {PF_REDACT_ARGS, PF_ROLE_VALUE, "0x", "x1bb7bbf87305"},
        {PF_REDACT_ARGS, PF_ROLE_VALUE, "1x12", "xe4287c1a711f"},
        {PF_REDACT_ARGS, PF_ROLE_VALUE, "0x00000000000000001", "xb04771586f03"},
        {PF_REDACT_NAMES, PF_ROLE_COMMAND, "bob bob  ", "x928931744d17 x928931744d17  "},
        {PF_REDACT_NAMES, PF_ROLE_PRIVATE, "bob", "x928931744d17"},
        {PF_REDACT_NAMES, PF_ROLE_NAME, "thread_time", "thread_time"},
        {PF_REDACT_NAMES, PF_ROLE_NAME, "postfetto.gpu", "postfetto.gpu"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_str to;
        BEGIN(cases[i].what);
        cr_assert_eq(pf_redact_text(&redactor, cases[i].role, pf_str_of(cases[i].text), &to, &err), PF_OK);
        expect(to, cases[i].want);
        finish();
    }
}

Test(redact, paths_inside_of_texts)
{
    static const char *const cases[][2] = {
        {"open /data/bob/model.py now", "open xa719be8b80ac now"},
        {"/data/bob/model.py(12): forward", "xa719be8b80ac(12): forward"},
        {"/data/bob/model.py:12:5", "xa719be8b80ac:12:5"},
        {"cwd='/data/bob/run', argv=[\"/data/bob/model.py\"]", "cwd='x543cbc6583b9', argv=[\"xa719be8b80ac\"]"},
        {"C:\\Users\\bob\\x.py", "x0aea8d8ee76e"},
        {"12 GB/s, n/a, aten::add, torch.nn.Linear, a.b", "12 GB/s, n/a, aten::add, torch.nn.Linear, a.b"},
        {"/tmp", "x80c56f259846"},
        {"\\tmp", "x704f3c2fe610"},
        {"C:/x", "xec37f526f6ed"},
        {"C:\\x", "x997e4ebfa7fa"},
        {"n/py, .py, A:B/c, x/y.z", "n/py, .py, A:B/c, x/y.z"},
        {"/", "/"},
        {"", ""},
    };
    BEGIN(PF_REDACT_PATHS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_str to;
        cr_assert_eq(pf_redact_text(&redactor, PF_ROLE_NAME, pf_str_of(cases[i][0]), &to, &err), PF_OK);
        expect(to, cases[i][1]);
    }
    static const char *const paths[] = {"a/b/c",       "./x",           "~/x",      "src/a.cc",     "model.safetensors",
                                        "https://h/x", "\\\\server\\x", "C:/x/y z", "../secret.txt"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        pf_str to;
        cr_assert_eq(pf_redact_text(&redactor, PF_ROLE_VALUE, pf_str_of(paths[i]), &to, &err), PF_OK);
        cr_expect(to.len && to.ptr[0] == 'x' && !pf_str_is(to, paths[i]), "%s", paths[i]);
    }
    finish();
}

Test(redact, texts_to_be_kept)
{
    static const char *const keep[] = {"aten::*", "secret*"};
    pf_str to;
    begin(ALL, (pf_bytes){key, sizeof key}, keep, 2);
    for (unsigned twice = 0; twice < 2; twice++) {
        cr_assert_eq(pf_redact_text(&redactor, PF_ROLE_NAME, PF_STR("aten::add"), &to, &err), PF_OK);
        expect(to, "aten::add");
        cr_assert_eq(pf_redact_text(&redactor, PF_ROLE_NAME, PF_STR("my aten::add"), &to, &err), PF_OK);
        cr_expect_eq(to.len, 13);
        cr_assert_eq(pf_redact_text(&redactor, PF_ROLE_VALUE, PF_STR("secret value"), &to, &err), PF_OK);
        expect(to, "secret value");
        cr_assert_eq(pf_redact_text(&redactor, PF_ROLE_VALUE, PF_STR("secret\0value"), &to, &err), PF_OK);
        cr_expect_eq(to.len, 13, "a pattern ends at a NUL");
    }
    finish();
}

Test(redact, keys)
{
    static uint8_t longest[100];
    pf_str to;
    char first[16];
    memset(longest, 'k', sizeof longest);
    begin(ALL, (pf_bytes){longest, sizeof longest}, NULL, 0);
    cr_assert_eq(pf_redact_whole(&redactor, PF_STR("train_step"), &to, &err), PF_OK);
    expect(to, "x3d90dc79985e");
    finish();
    for (unsigned i = 0; i < 2; i++) { /* random ones */
        begin(ALL, (pf_bytes){NULL, 0}, NULL, 0);
        cr_assert_eq(pf_redact_whole(&redactor, PF_STR("train_step"), &to, &err), PF_OK);
        cr_assert_eq(to.len, 13);
        cr_expect(i == 0 || memcmp(first, to.ptr, to.len) != 0);
        memcpy(first, to.ptr, to.len);
        finish();
    }
    pf_redact_options o = {ALL, {key, PF_REDACT_KEY_MIN - 1}, NULL, 0};
    pf_budget_init(&budget, NULL);
    cr_expect_eq(pf_redactor_init(&redactor, &o, &budget, &err), PF_ERR_USAGE);
    finish();
}

/* More texts than are remembered: the first one has its hash again. */
Test(redact, memory_is_bounded)
{
    static char text[4096];
    pf_str to;
    BEGIN(ALL);
    for (unsigned i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "%u", i);
        memset(text + strlen(text), '.', 2048);
        cr_assert_eq(pf_redact_whole(&redactor, (pf_str){text, 2048}, &to, &err), PF_OK);
    }
    cr_expect_lt(redactor.known_bytes, PF_REDACT_KNOWN, "it has forgotten once");
    cr_expect_lt(budget.used, PF_REDACT_KNOWN, "less than all of them, which are 41 MB");
    cr_assert_eq(pf_redact_whole(&redactor, PF_STR("train_step"), &to, &err), PF_OK);
    expect(to, "xb5b02d43b782");
    finish();
}

Test(redact, json)
{
    static const struct {
        uint32_t what;
        pf_redact_place place;
        const char *key, *json, *want;
    } cases[] = {
        {PF_REDACT_NAMES, PF_REDACT_EVENT, "",
         "{\"ph\": \"X\", \"name\" : \"train_step\", \"cat\": \"kernel,compute\", \"ts\": 1.5}",
         "{\"ph\": \"X\", \"name\" : \"xb5b02d43b782\", \"cat\": \"x946aa63fd49c,xbac7be334d3a\", \"ts\": 1.5}"},
        {PF_REDACT_ARGS, PF_REDACT_EVENT, "",
         "{\"name\":\"train_step\",\"ts\":\"12.5\",\"args\":{\"a\":\"secret value\",\"n\":[1,null,\"bob\"]}}",
         "{\"name\":\"train_step\",\"ts\":\"12.5\",\"args\":{\"a\":\"xccc72818dd59\",\"n\":[1,null,\"x928931744d17\"]}"
         "}"},
        {PF_REDACT_NAMES, PF_REDACT_EVENT, "",
         "{\"args\":{\"name\":\"bob\"},\"ph\":\"M\",\"name\":\"thread_name\",\"tid\":\"bob\",\"pid\":\"12\"}",
         "{\"args\":{\"name\":\"x928931744d17\"},\"ph\":\"M\",\"name\":\"thread_name\",\"tid\":\"x928931744d17\","
         "\"pid\":\"12\"}"},
        {PF_REDACT_ARGS, PF_REDACT_EVENT, "", "{\"args\":{\"name\":\"bob\"},\"ph\":\"M\",\"name\":\"thread_name\"}",
         "{\"args\":{\"name\":\"bob\"},\"ph\":\"M\",\"name\":\"thread_name\"}"},
        {PF_REDACT_PATHS, PF_REDACT_EVENT, "",
         "{\"name\":\"\\/data\\/bob\\/model.py(3)\",\"args\":{\"/data/bob/run\":\"\\u0062ob\"}}",
         "{\"name\":\"xa719be8b80ac(3)\",\"args\":{\"x543cbc6583b9\":\"\\u0062ob\"}}"},
        {ALL, PF_REDACT_EVENT, "",
         "{\"ph\":\"s\",\"id\":\"0x1f\",\"bind_id\":\"bob\",\"unheard\":\"bob\",\"args\":{\"v\":\"12\"}}",
         "{\"ph\":\"s\",\"id\":\"0x1f\",\"bind_id\":\"x928931744d17\",\"unheard\":\"x928931744d17\",\"args\":{\"v\":"
         "\"12\"}}"},
        {ALL, PF_REDACT_EVENT, "", "{\"ph\":\"f\",\"id\":\"beef\",\"ts\":\"bob\",\"s\":\"bob bob\"}",
         "{\"ph\":\"f\",\"id\":\"beef\",\"ts\":\"x928931744d17\",\"s\":\"xc732a798aa83\"}"},
        {ALL, PF_REDACT_EVENT, "", "{\"ph\":\"C\",\"args\":{\"a\":\".75\",\"b\":\"1e\",\"c\":\"bob\"}}",
         "{\"ph\":\"C\",\"args\":{\"a\":\".75\",\"b\":\"1e\",\"c\":\"x928931744d17\"}}"},
        {ALL, PF_REDACT_EVENT, "", "{\"ph\":\"T\",\"name\":\"Running\"}", "{\"ph\":\"T\",\"name\":\"Running\"}"},
        {ALL, PF_REDACT_EVENT, "", "{\"ph\":\"T\",\"name\":\"R+\"}", "{\"ph\":\"T\",\"name\":\"R+\"}"},
        {ALL, PF_REDACT_EVENT, "", "{\"ph\":\"T\",\"name\":\"bob\"}", "{\"ph\":\"T\",\"name\":\"x928931744d17\"}"},
        {PF_REDACT_NAMES, PF_REDACT_MEMBER, "otherData", "{\"host\":\"bob\",\"rank\":3}",
         "{\"host\":\"x928931744d17\",\"rank\":3}"},
        {PF_REDACT_NAMES, PF_REDACT_MEMBER, "displayTimeUnit", "\"ns\"", "\"ns\""},
        {ALL, PF_REDACT_ARGUMENT, "", "[-5, 1.5e-3, -0.5E+2, NaN, -Infinity, true, {}, \"bob\" ]",
         "[-5, 1.5e-3, -0.5E+2, NaN, -Infinity, true, {}, \"x928931744d17\" ]"},
        {ALL, PF_REDACT_MEMBER, "traceName", "\"bob\"", "\"x928931744d17\""},
        {PF_REDACT_NAMES, PF_REDACT_EVENT, "", "{\"name\":\"say \\\"b\\\"\"}", "{\"name\":\"xefb35f05cc96\"}"},
        {ALL, PF_REDACT_EVENT, "", "{\"ph\":\"X\",\"args\":{\"v\":\"1+2-3\"}}",
         "{\"ph\":\"X\",\"args\":{\"v\":\"x3ad271ff7f2f\"}}"},
        {PF_REDACT_ARGS, PF_REDACT_EVENT, "", "{\"unheard\":\"bob\"}", "{\"unheard\":\"x928931744d17\"}"},
        {ALL, PF_REDACT_EVENT, "", "{\"id\":\"0123456789abcdef0\"}", "{\"id\":\"x0d2b3676bfba\"}"},
        {PF_REDACT_NAMES, PF_REDACT_MEMBER, "stackFrames", "{\"1\":{\"name\":\"bob\",\"parent\":\"12\"}}",
         "{\"1\":{\"name\":\"x928931744d17\",\"parent\":\"12\"}}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_str out;
        BEGIN(cases[i].what);
        cr_assert_eq(
            pf_redact_json(&redactor, cases[i].place, pf_str_of(cases[i].key), pf_str_of(cases[i].json), &out, &err),
            PF_OK);
        expect(out, cases[i].want);
        finish();
    }
}

Test(redact, json_that_cannot_be_read_is_left_out)
{
    static const char *const cases[] = {"{\"a\": secret}",
                                        "{\"a\": \"secret}",
                                        "{\"a\": 1}}",
                                        "{\"a\": 'secret'}",
                                        "{",
                                        "{\"a\": 1 /* secret */}",
                                        "{\"a\": 0secret}",
                                        "\"a\\",
                                        "}{"};
    BEGIN(ALL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_str out = PF_STR("?");
        cr_assert_eq(pf_redact_json(&redactor, PF_REDACT_EVENT, PF_STR(""), pf_str_of(cases[i]), &out, &err), PF_OK);
        cr_expect_null(out.ptr, "%s", cases[i]);
        cr_expect_eq(redactor.result.parts, i + 1);
        cr_assert_eq(pf_redact_json(&redactor, PF_REDACT_ARGUMENT, PF_STR(""), pf_str_of(cases[i]), &out, &err), PF_OK);
        cr_expect(!out.ptr && redactor.result.parts == i + 1, "an argument is no part");
    }
    finish();
}
