/* dialect.c - who wrote a trace, told by what is in the tables once it was read.
 *
 * Every writer leaves words that nobody else writes: a key beside the events, or the name of an event, a category or a
 * process. Keys are metadata rows and all names are in the string pool, so that a sign costs one look-up and the events
 * are not looked at again. The first sign found counts; signs of tools that embed others come first. Words are the same
 * in every format that a tool writes: PyTorch exports binary Perfetto traces too, whose categories are those of its
 * JSON.
 *
 * The AIE dialect is another matter, because its times are cycles: it shows by the names of its processes, and readers
 * ask for it as soon as they read one.
 */
#include "read/dialect.h"

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
    {"torch", NULL, "cpu_op"},
    {"torch", NULL, "ac2g"},
    {"torch", NULL, "gpu_user_annotation"},
    {"torch", NULL, "cuda_runtime"},
    {"torch", NULL, "hip_runtime"},
    {"torch", NULL, "privateuse1_runtime"},
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

const char *pf_dialect_told(const pf_trace *t)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (sign_matches(t, &signs[i])) {
            return signs[i].dialect;
        }
    }
    return NULL;
}

const char *const *pf_dialects(void)
{
    static const char *const names[] = {"aie",      "aiu-flex", "ascend", "bazel",     "chrome-json", "clang",
                                        "devtools", "perfetto", "torch",  "viztracer", NULL};
    return names;
}

const char *pf_dialect_named(const char *name)
{
    const char *const *d = pf_dialects();
    while (*d && strcmp(*d, name) != 0) {
        d++;
    }
    return *d;
}

/* A tool's word ends the name or is followed by " for ", and nothing that could belong to it stands before. */
static bool has_tool_word(pf_str name, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= name.len; i++) {
        if (memcmp(name.ptr + i, word, len) != 0) {
            continue;
        }
        char before = i ? name.ptr[i - 1] : ' ';
        size_t rest = name.len - i - len;
        if ((before == ' ' || before == ':' || before == '/') &&
            (rest == 0 || (rest >= 5 && memcmp(name.ptr + i + len, " for ", 5) == 0))) {
            return true;
        }
    }
    return false;
}

bool pf_dialect_is_aie_process(pf_str name)
{
    return has_tool_word(name, "core_trace") || has_tool_word(name, "mem_trace") || has_tool_word(name, "shim_trace") ||
           has_tool_word(name, "memtile_trace");
}
