/* read/support/dialect.c - the table of dialects: who wrote a trace, as what is in the tables shows once it was read.
 *
 * Every writer leaves words that nobody else writes: a key besides the events, or the name of an event, a category or a
 * process. Keys are metadata rows and all names are in the string pool, so that a sign costs one look-up and the events
 * are not read again. The first sign found counts; signs of tools that embed others come first. Words are the same
 * in every format that a tool writes: PyTorch exports binary Perfetto traces too, whose categories are those of its
 * JSON.
 *
 * Some dialects change how a file is read: their times are cycles, or their ids have rules of their own. Those show by
 * the names of their processes, and readers ask for them as soon as they read one. What was read before is then read
 * again, if it has to be.
 */
#include "read/support/dialect.h"

#include "model/trace/aie_names.h"

static const pf_dialect dialects[] = {
    {.name = "aie",
     .summary = "AMD AI Engine cores, times in cycles",
     .unit = PF_UNIT_CYCLE,
     .ids_as_written = true,
     .last_name_counts = true,
     .has_process = pf_is_aie_process},
    {.name = "aiu-flex",
     .summary = "IBM AIU, host and device events with cycle counters",
     .group = "aiu-flex", /* pids are ranks, files are their jobs */
     .args_key = "attr"},
    {.name = "ascend", .summary = "Huawei Ascend profiler"},
    {.name = "bazel", .summary = "Bazel build profiles"},
    {.name = "chrome-json", .summary = "Chrome JSON of no known tool"},
    {.name = "clang", .summary = "Clang -ftime-trace"},
    {.name = "devtools", .summary = "browser developer tools"},
    {.name = "perfetto", .summary = "Perfetto traces of no known tool"},
    {.name = "tinygrad", .summary = "tinygrad profiles"},
    {.name = "torch", .summary = "PyTorch profiler"},
    {.name = "viztracer", .summary = "VizTracer"},
};

size_t pf_dialect_count(void)
{
    return sizeof dialects / sizeof *dialects;
}

const char *pf_dialect_name(size_t i)
{
    return dialects[i].name;
}

const char *pf_dialect_summary(size_t i)
{
    return dialects[i].summary;
}

const pf_dialect *pf_dialect_named(const char *name)
{
    for (size_t i = 0; i < pf_dialect_count(); i++) {
        if (strcmp(dialects[i].name, name) == 0) {
            return &dialects[i];
        }
    }
    return NULL;
}

const pf_dialect *pf_dialect_of_process(pf_str name)
{
    for (size_t i = 0; i < pf_dialect_count(); i++) {
        if (dialects[i].has_process && dialects[i].has_process(name)) {
            return &dialects[i];
        }
    }
    return NULL;
}

const pf_dialect *pf_dialect_with_args_key(void)
{
    size_t i = 0;
    while (!dialects[i].args_key) {
        i++;
    }
    return &dialects[i];
}

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

static bool row_matches(const pf_trace *t, uint32_t from, uint32_t name, const char *text)
{
    for (uint32_t i = from; i < t->metadata.count; i++) {
        uint32_t value = t->metadata.text[i];
        bool fits = !text || (value && pf_str_find(pf_strings_get(&t->strings, value), pf_str_of(text)) != SIZE_MAX);
        if (t->metadata.name[i] == name && fits) {
            return true;
        }
    }
    return false;
}

static bool is_among(const uint32_t *ids, uint32_t from, uint32_t to, uint32_t id)
{
    for (uint32_t i = from; ids && i < to; i++) {
        if (ids[i] == id) {
            return true;
        }
    }
    return false;
}

/* Whether the input uses a text of the pool, as the name of a process, or as the name or category of an event. The pool
 * of the first input is its own; those after it find words there that only others may have. */
static bool is_used(const pf_trace *t, const pf_input *in, uint32_t id)
{
    uint32_t categories = t->events.count < t->events.category_room ? t->events.count : t->events.category_room;
    for (uint32_t i = 0; i < t->processes.count; i++) {
        if (t->processes.name[i] == id && t->processes.input[i] == (uint32_t)(in - t->inputs)) {
            return true;
        }
    }
    return in->first_event == 0 || is_among(t->events.name, in->first_event, t->events.count, id) ||
           is_among(t->events.category, in->first_event, categories, id);
}

static bool sign_matches(const pf_trace *t, const pf_input *in, const sign *s)
{
    const char *word = s->row ? s->row : s->text;
    uint32_t id = pf_strings_find(&t->strings, word, strlen(word));
    return id != PF_NONE && (s->row ? row_matches(t, in->first_metadata, id, s->text) : is_used(t, in, id));
}

const pf_dialect *pf_dialect_recognised(const pf_trace *t, const pf_input *in)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (sign_matches(t, in, &signs[i])) {
            return pf_dialect_named(signs[i].dialect);
        }
    }
    return NULL;
}
