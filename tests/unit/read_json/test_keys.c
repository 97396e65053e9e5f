/* Every key of an event: written with escapes it is the same one, and one that is not quite the same is none. */
#include "support.h"

#include <stdio.h>
#include <string.h>

static const char *const keys[] = {"ph", "ts", "dur", "pid", "tid", "name", "cat", "args", "id", "s", "id2", "bind_id",
                                   "bp", "tts", "tdur", "flow_in", "flow_out",
                                   /* stacks of calls: only as they are written here */
                                   "sf", "esf", "stack", "estack"};
enum { KEYS = sizeof keys / sizeof *keys, OF_STACKS = 17 };

/* Each key is in at least one of them, with a value that makes a difference. */
static const char *const documents[] = {
    ("[{\"ph\":\"X\",\"ts\":5,\"dur\":7,\"pid\":3,\"tid\":4,\"name\":\"n\",\"cat\":\"c\",\"bind_id\":9,"
     "\"flow_in\":true,\"flow_out\":true,\"tts\":2,\"tdur\":3,\"args\":{\"k\":1},\"sf\":1,\"esf\":2}]"),
    "[{\"ph\":\"i\",\"ts\":5,\"s\":\"p\",\"pid\":3,\"tid\":4,\"name\":\"n\",\"stack\":[\"a\"],\"estack\":[\"b\"]}]",
    "[{\"ph\":\"b\",\"ts\":5,\"id\":\"0x7\",\"pid\":3,\"tid\":4,\"name\":\"n\",\"cat\":\"c\"}]",
    "[{\"ph\":\"b\",\"ts\":5,\"id2\":{\"local\":\"0x7\"},\"pid\":3,\"tid\":4,\"name\":\"n\",\"cat\":\"c\"}]",
    "[{\"ph\":\"f\",\"ts\":5,\"id\":7,\"bp\":\"e\",\"pid\":3,\"tid\":4,\"name\":\"n\",\"cat\":\"c\"}]",
};

static void describe(const char *text, pf_buffer *out)
{
    pf_trace *t = load(text);
    pf_side_table *stacks = &t->sides.known[PF_SIDE_EVENT_STACK];
    describe_trace(t, out);
    for (uint32_t i = 0; i < t->flow_refs.count; i++) {
        pf_buffer_format(out, "flow %lu kind %u\n", (unsigned long)t->flow_refs.id[i], t->flow_refs.kind[i]);
    }
    for (uint32_t i = 0; i < t->thread_times.count; i++) {
        pf_buffer_format(out, "clock %ld %ld\n", (long)t->thread_times.ts[i], (long)t->thread_times.dur[i]);
    }
    for (uint32_t i = 0; i < stacks->count; i++) {
        pf_buffer_format(out, "stack %u %u\n", *pf_side_ref(stacks, PF_EVENT_STACK_TEXT, i) != 0,
                         *pf_side_ref(stacks, PF_EVENT_STACK_END_TEXT, i) != 0);
    }
    pf_buffer_put(out, "", 1);
    pf_trace_free(t);
}

/* Whether the document gives the same when it is written with another spelling of a key. */
static bool gives_the_same(const char *document, const char *key, const char *spelling, const pf_buffer *want)
{
    char quoted[32], text[1024];
    pf_buffer got = {0};
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(document, quoted);
    cr_assert(at);
    snprintf(text, sizeof text, "%.*s\"%s\":%s", (int)(at - document), document, spelling, at + strlen(quoted));
    describe(text, &got);
    bool same = got.len == want->len && memcmp(got.data, want->data, got.len) == 0;
    pf_buffer_free(&got);
    return same;
}

static bool has_key(const char *document, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    return strstr(document, quoted);
}

static bool is_known(const char *key)
{
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(keys[i], key) == 0) {
            return true;
        }
    }
    return false;
}

Test(keys, are_the_same_with_escapes)
{
    unsigned seen = 0;
    for (size_t d = 0; d < sizeof documents / sizeof *documents; d++) {
        pf_buffer plain = {0};
        describe(documents[d], &plain);
        for (size_t k = 0; k < KEYS; k++) {
            if (!has_key(documents[d], keys[k])) {
                continue;
            }
            seen |= 1u << k;
            cr_expect_not(gives_the_same(documents[d], keys[k], "other", &plain), "%s means nothing", keys[k]);
            for (size_t i = 0; k < OF_STACKS && i < strlen(keys[k]); i++) {
                char spelling[64];
                snprintf(spelling, sizeof spelling, "%.*s\\u00%02x%s", (int)i, keys[k], (unsigned char)keys[k][i],
                         keys[k] + i + 1);
                cr_expect(gives_the_same(documents[d], keys[k], spelling, &plain), "%s", spelling);
            }
        }
        pf_buffer_free(&plain);
    }
    cr_expect_eq(seen, (1u << KEYS) - 1, "%x", seen);
}

Test(keys, almost_the_same_are_none)
{
    for (size_t d = 0; d < sizeof documents / sizeof *documents; d++) {
        for (size_t k = 0; k < KEYS; k++) {
            if (!has_key(documents[d], keys[k])) {
                continue;
            }
            pf_buffer none = {0};
            const char *key = keys[k];
            size_t len = strlen(key);
            char text[1024], spelling[128];
            snprintf(spelling, sizeof spelling, "\"%s\":", key);
            const char *at = strstr(documents[d], spelling) + 1;
            snprintf(text, sizeof text, "%.*sother%s", (int)(at - documents[d]), documents[d], at + len);
            describe(text, &none);
            for (size_t form = 0; form < 4 + len; form++) {
                static const char *const ends[] = {"", "x", "\\u0022", "\\\""};
                if (form == 0) {
                    snprintf(spelling, sizeof spelling, "%.*s", (int)len - 1, key);
                } else if (form < 4) {
                    snprintf(spelling, sizeof spelling, "%s%s", key, ends[form]);
                } else {
                    snprintf(spelling, sizeof spelling, "%.*sq%s", (int)(form - 4), key, key + form - 3);
                }
                cr_expect(is_known(spelling) || gives_the_same(documents[d], key, spelling, &none), "%s for %s",
                          spelling, key);
            }
            pf_buffer_free(&none);
        }
    }
}

/* Keys with escapes that are longer than any known one, on both sides of what is decoded. */
Test(keys, long_ones_with_escapes)
{
    pf_buffer want = {0};
    describe("[{\"ph\":\"B\",\"ts\":5,\"pid\":3,\"name\":\"n\",\"other\":1}]", &want);
    for (int len = 50; len < 80; len++) {
        char text[256];
        pf_buffer got = {0};
        snprintf(text, sizeof text, "[{\"ph\":\"B\",\"ts\":5,\"pid\":3,\"name\":\"n\",\"\\u0070h%0*d\":1}]", len, 0);
        describe(text, &got);
        cr_expect(got.len == want.len && memcmp(got.data, want.data, got.len) == 0, "%s", text);
        pf_buffer_free(&got);
    }
    pf_buffer_free(&want);
}
