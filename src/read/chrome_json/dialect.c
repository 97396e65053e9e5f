/* dialect.c - who wrote a trace, told by what is in the tables once the document was read.
 *
 * Every writer leaves words that nobody else writes: a key beside the events, or the name of an event, a category or a
 * process. Keys are metadata rows and all names are in the string pool, so that a sign costs one look-up and the events
 * are not looked at again. The first sign found counts; signs of tools that embed others come first.
 */
#include "read/chrome_json/dialect.h"

#include <string.h>

typedef struct sign {
    const char *dialect;
    const char *row;  /* name of a metadata row, or NULL */
    const char *text; /* what its text contains; without a row: a text of the trace; NULL: the row is enough */
} sign;

static const sign signs[] = {
    {"torch", "json.deviceProperties", NULL},
    {"torch", "json.distributedInfo", NULL},
    {"torch", "json.record_shapes", NULL},
    {"torch", "json.baseTimeNanoseconds", NULL},
    {"torch", NULL, "PyTorch Profiler"},
    {"ascend", NULL, "Ascend Hardware"},
    {"viztracer", "json.viztracer_metadata", NULL},
    {"bazel", "json.otherData", "\"bazel_version\""},
    {"bazel", "json.otherData", "\"output_base\""},
    {"clang", "json.beginningOfTime", NULL},
    {"clang", NULL, "Total ExecuteCompiler"},
    {"clang", NULL, "ExecuteCompiler"},
    {"aiu-flex", NULL, "AIU Roundtrip"},
    {"aiu-flex", NULL, "Flex RoundTrip"},
    {"devtools", "json_metadata.source", "DevTools"},
    {"devtools", NULL, "TracingStartedInBrowser"},
    {"devtools", NULL, "disabled-by-default-devtools.timeline"},
};

static bool contains(pf_str text, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= text.len; i++) {
        if (memcmp(text.ptr + i, word, len) == 0) {
            return true;
        }
    }
    return false;
}

static bool row_matches(const pf_trace *t, uint32_t name, const char *text)
{
    for (uint32_t i = 0; i < t->metadata.count; i++) {
        if (t->metadata.name[i] == name &&
            (!text || contains(pf_strings_get(&t->strings, t->metadata.text[i]), text))) {
            return true;
        }
    }
    return false;
}

static bool sign_matches(const pf_trace *t, const sign *s)
{
    const char *word = s->row ? s->row : s->text;
    uint32_t id = pf_strings_find(&t->strings, word, strlen(word));
    return id != PF_NONE && (!s->row || row_matches(t, id, s->text));
}

const char *pf_json_dialect(const pf_trace *t, bool has_attr)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (sign_matches(t, &signs[i])) {
            return signs[i].dialect;
        }
    }
    return has_attr ? "aiu-flex" : "chrome-json";
}
