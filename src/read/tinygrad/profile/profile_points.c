/* read/tinygrad/profile/profile_points.c - points: buffers that come and go, executions as the host submits them,
 * markers. */
#include <stdlib.h>

#include "base/buffer.h"
#include "read/tinygrad/profile/profile.h"

enum { OPERATIONS_MAX = 256 }; /* names of operations that are kept for an execution */

/* Sizes by name. What the type itself says is bytes in the first generation and bits in later ones, and both write it
 * in the same place. */
static const struct {
    const char *name;
    int64_t bytes;
} known_types[] = {{"bool", 1}, {"signed char", 1},   {"unsigned char", 1}, {"short", 2},        {"unsigned short", 2},
                   {"half", 2}, {"__bf16", 2},        {"int", 4},           {"unsigned int", 4}, {"float", 4},
                   {"long", 8}, {"unsigned long", 8}, {"double", 8},        {"float8_e4m3", 1},  {"float8_e5m2", 1}};

/* A type is an object made of (priority, size, name, ...). */
static pf_status read_memory(pf_tiny_profile *p, uint32_t object, uint32_t event)
{
    const pf_pickle_values *v = &p->values;
    uint32_t arg = pf_pickle_field(v, object, "arg"), dtype = pf_pickle_field(v, arg, "dtype");
    int64_t bytes, buffer = pf_tiny_number(p, object, "key", INT64_MIN);
    uint32_t action = pf_tiny_id(p, pf_tiny_text(p, object, "name"));
    if (pf_str_is(pf_tiny_text(p, object, "name"), "free")) {
        return pf_tiny_put(p, PF_TINY_MEMORY, PF_CELLS(event, action, buffer, 0, INT64_MIN, INT64_MIN));
    }
    pf_str name = pf_pickle_text(v, pf_pickle_nth(v, dtype, 2));
    if (!pf_pickle_int(v, pf_pickle_nth(v, dtype, 1), &bytes) || bytes < 0 || bytes > 1 << 20) {
        bytes = 0;
    }
    bytes = p->generation == PF_TINY_DEC25 ? bytes : (bytes + 7) / 8;
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++) {
        bytes = pf_str_is(name, known_types[i].name) ? known_types[i].bytes : bytes;
    }
    uint32_t type = pf_tiny_id(p, name);
    return pf_tiny_put(p, PF_TINY_MEMORY,
                       PF_CELLS(event, action, buffer, type, bytes, pf_tiny_number(p, arg, "sz", 0)));
}

/* Names of the operations that a kernel stands for; those of a backward pass say so. */
static uint32_t metadata_id(pf_tiny_profile *p, uint32_t list)
{
    const pf_pickle_values *v = &p->values;
    pf_buffer b = {0};
    unsigned n = 0;
    for (uint32_t i = pf_pickle_first(v, list); i != PF_NONE && n < OPERATIONS_MAX; i = pf_pickle_next(v, i), n++) {
        uint32_t one = pf_pickle_member(v, i);
        pf_str name = pf_tiny_text(p, one, "name");
        pf_buffer_text(&b, n ? "," : "");
        pf_buffer_put(&b, name.ptr ? name.ptr : "", name.len);
        pf_buffer_text(&b, pf_tiny_number(p, one, "backward", 0) ? " bw" : "");
    }
    if (b.failed) {
        p->text_status = pf_no_memory(p->err);
    }
    uint32_t id = b.len && !b.failed ? pf_tiny_id(p, (pf_str){b.data, b.len}) : 0;
    pf_buffer_free(&b);
    return id;
}

/* Whether a list of numbers has this one. */
static bool has_number(const pf_pickle_values *v, uint32_t list, int64_t wanted)
{
    int64_t number;
    unsigned left = PF_PICKLE_FIELDS * 16;
    for (uint32_t i = pf_pickle_first(v, list); i != PF_NONE && left; i = pf_pickle_next(v, i), left--) {
        if (pf_pickle_int(v, pf_pickle_member(v, i), &number) && number == wanted) {
            return true;
        }
    }
    return false;
}

static pf_status add_buffers(pf_tiny_profile *p, uint32_t run, uint32_t arg)
{
    const pf_pickle_values *v = &p->values;
    uint32_t inputs = pf_pickle_field(v, arg, "inputs"), outputs = pf_pickle_field(v, arg, "outputs");
    uint32_t i = pf_pickle_first(v, pf_pickle_field(v, arg, "bufs"));
    int64_t buffer;
    for (int64_t position = 0; i != PF_NONE; i = pf_pickle_next(v, i), position++) {
        bool in = has_number(v, inputs, position), out = has_number(v, outputs, position);
        if (pf_pickle_int(v, pf_pickle_member(v, i), &buffer)) {
            PF_TRY(pf_tiny_put(p, PF_TINY_RUN_BUFFER, PF_CELLS(run, buffer, position, in && out ? 2 : out)));
        }
    }
    return PF_OK;
}

/* What the variables of a kernel were bound to: its estimates may be expressions of them. */
static pf_status add_variables(pf_tiny_profile *p, uint32_t run, uint32_t values)
{
    const pf_pickle_values *v = &p->values;
    uint32_t i = pf_pickle_type_of(v, values) == PF_PICKLE_DICT ? pf_pickle_first(v, values) : PF_NONE;
    for (; i != PF_NONE; i = pf_pickle_next(v, i)) {
        pf_str name = pf_pickle_text(v, pf_pickle_key(v, i));
        int64_t value;
        if (name.ptr && pf_pickle_int(v, pf_pickle_member(v, i), &value)) {
            PF_TRY(pf_tiny_put(p, PF_TINY_VARIABLE, PF_CELLS(run, pf_tiny_id(p, name), value)));
        }
    }
    return PF_OK;
}

static pf_status read_run(pf_tiny_profile *p, uint32_t object, uint32_t event)
{
    const pf_pickle_values *v = &p->values;
    uint32_t arg = pf_pickle_field(v, object, "arg"), kernel = pf_tiny_id(p, pf_tiny_text(p, arg, "name"));
    uint32_t metadata = metadata_id(p, pf_pickle_field(v, arg, "metadata"));
    int64_t key = pf_tiny_number(p, object, "key", INT64_MIN);
    PF_TRY(pf_tiny_put(p, PF_TINY_RUN, PF_CELLS(event, key, kernel, metadata)));
    uint32_t row = pf_tiny_last(p, PF_TINY_RUN);
    PF_TRY(add_variables(p, row, pf_pickle_field(v, arg, "var_vals")));
    return add_buffers(p, row, arg);
}

static pf_status read_marker(pf_tiny_profile *p, uint32_t object, uint32_t event)
{
    uint32_t arg = pf_pickle_field(&p->values, object, "arg");
    uint32_t name = pf_tiny_id(p, pf_tiny_text(p, arg, "name")), colour = pf_tiny_id(p, pf_tiny_text(p, arg, "color"));
    return pf_tiny_put(p, PF_TINY_MARKER, PF_CELLS(event, name, colour));
}

static pf_status read_sample(pf_tiny_profile *p, uint32_t object, uint32_t event)
{
    pf_str digits = pf_pickle_spelling(&p->values, pf_pickle_field(&p->values, object, "key"));
    int64_t value = digits.ptr ? INT64_MIN : pf_tiny_number(p, object, "key", 0);
    return pf_tiny_put(p, PF_TINY_SAMPLE, PF_CELLS(event, value, pf_tiny_id(p, digits)));
}

static pf_status read_json(pf_tiny_profile *p, uint32_t object, uint32_t event)
{
    pf_str key = pf_tiny_text(p, object, "key");
    char *text = NULL;
    size_t len = 0;
    PF_TRY(key.ptr ? pf_tiny_plain_text(&p->values, pf_pickle_field(&p->values, object, "arg"), &text, &len, p->err)
                   : PF_OK);
    uint32_t json = pf_tiny_id(p, (pf_str){text, len});
    free(text);
    return json ? pf_tiny_put(p, PF_TINY_JSON, PF_CELLS(event, pf_tiny_id(p, key), json)) : p->text_status;
}

pf_status pf_tiny_read_point(pf_tiny_profile *p, uint32_t object, uint32_t event)
{
    static const struct {
        const char *name;
        pf_status (*read)(pf_tiny_profile *p, uint32_t object, uint32_t event);
    } readers[] = {{"alloc", read_memory},
                   {"free", read_memory},
                   {"exec", read_run},
                   {"JSON", read_json},
                   {"marker", read_marker}};
    pf_str name = pf_tiny_text(p, object, "name");
    if (pf_str_starts(pf_tiny_text(p, object, "device"), PF_STR("LINE:"))) {
        return read_sample(p, object, event);
    }
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (pf_str_is(name, readers[i].name)) {
            return readers[i].read(p, object, event);
        }
    }
    return PF_OK;
}
