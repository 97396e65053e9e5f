/* read/tinygrad/profile/profile_points.c - points: buffers that come and go, executions as the host submits them,
 * markers. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "read/tinygrad/profile/plain_values.h"
#include "read/tinygrad/profile/profile.h"

enum { OPERATIONS_MAX = 256 }; /* names of operations that are kept for an execution */

/* ---- types of items ---------------------------------------------------------------------------------------------- */

/* Sizes by name. What the type itself says is bytes in the first generation and bits in later ones, and both write it
 * in the same place. */
static const struct {
    const char *name;
    int64_t bytes;
} known_types[] = {{"bool", 1}, {"signed char", 1},   {"unsigned char", 1}, {"short", 2},        {"unsigned short", 2},
                   {"half", 2}, {"__bf16", 2},        {"int", 4},           {"unsigned int", 4}, {"float", 4},
                   {"long", 8}, {"unsigned long", 8}, {"double", 8},        {"float8_e4m3", 1},  {"float8_e5m2", 1}};

/* A type is an object made of (priority, size, name, ...). */
static int64_t item_bytes(const pf_tiny_profile *p, pf_str name, int64_t size)
{
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++) {
        if (pf_tiny_is(name, known_types[i].name)) {
            return known_types[i].bytes;
        }
    }
    return p->generation == PF_TINY_DEC25 ? size : (size + 7) / 8;
}

static pf_status read_memory(pf_tiny_profile *p, uint32_t object, uint32_t event, bool alloc, pf_error *err)
{
    const pf_pickle_values *v = &p->values;
    uint32_t row, arg = pf_pickle_field(v, object, "arg"), dtype = pf_pickle_field(v, arg, "dtype");
    uint32_t size = pf_pickle_first(v, dtype), name;
    int64_t bytes = 0;
    size = size == PF_NONE ? PF_NONE : pf_pickle_next(v, size);
    name = size == PF_NONE ? PF_NONE : pf_pickle_next(v, size);
    pf_str text = name == PF_NONE ? (pf_str){NULL, 0} : pf_pickle_text(v, pf_pickle_member(v, name));
    if (size != PF_NONE && (!pf_pickle_int(v, pf_pickle_member(v, size), &bytes) || bytes < 0 || bytes > 1 << 20)) {
        bytes = 0;
    }
    pf_status st = pf_tiny_add_row(p, PF_TINY_MEMORY, &row, err);
    if (st != PF_OK) {
        return st;
    }
    pf_tiny_set_ref(p, PF_TINY_MEMORY, MEMORY_EVENT, row, event);
    pf_tiny_set_number(p, PF_TINY_MEMORY, MEMORY_BUFFER, row, pf_tiny_number(p, object, "key", INT64_MIN));
    if (alloc) {
        pf_tiny_set_number(p, PF_TINY_MEMORY, MEMORY_ITEM_BYTES, row, item_bytes(p, text, bytes));
        pf_tiny_set_number(p, PF_TINY_MEMORY, MEMORY_ITEMS, row, pf_tiny_number(p, arg, "sz", 0));
        st = pf_tiny_set_text(p, PF_TINY_MEMORY, MEMORY_DTYPE, row, text, err);
    }
    pf_str action = alloc ? PF_STR("alloc") : PF_STR("free");
    return st == PF_OK ? pf_tiny_set_text(p, PF_TINY_MEMORY, MEMORY_ACTION, row, action, err) : st;
}

/* ---- executions -------------------------------------------------------------------------------------------------- */

/* Names of the operations that a kernel stands for; those of a backward pass say so. */
static pf_status set_metadata(pf_tiny_profile *p, uint32_t run, uint32_t list, pf_error *err)
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
    pf_status st = b.failed ? pf_fail(err, PF_ERR_MEMORY, "the system refused memory for names") : PF_OK;
    st = st == PF_OK && b.len ? pf_tiny_set_text(p, PF_TINY_RUN, RUN_METADATA, run, (pf_str){b.data, b.len}, err) : st;
    pf_buffer_free(&b);
    return st;
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

static pf_status add_buffers(pf_tiny_profile *p, uint32_t run, uint32_t arg, pf_error *err)
{
    const pf_pickle_values *v = &p->values;
    uint32_t inputs = pf_pickle_field(v, arg, "inputs"), outputs = pf_pickle_field(v, arg, "outputs"), row;
    pf_status st = PF_OK;
    int64_t position = 0, buffer;
    for (uint32_t i = pf_pickle_first(v, pf_pickle_field(v, arg, "bufs")); st == PF_OK && i != PF_NONE;
         i = pf_pickle_next(v, i), position++) {
        bool in = has_number(v, inputs, position), out = has_number(v, outputs, position);
        bool known = pf_pickle_int(v, pf_pickle_member(v, i), &buffer);
        st = known ? pf_tiny_add_row(p, PF_TINY_RUN_BUFFER, &row, err) : PF_OK;
        if (known && st == PF_OK) {
            pf_tiny_set_ref(p, PF_TINY_RUN_BUFFER, RUN_BUFFER_RUN, row, run);
            pf_tiny_set_number(p, PF_TINY_RUN_BUFFER, RUN_BUFFER_ID, row, buffer);
            pf_tiny_set_number(p, PF_TINY_RUN_BUFFER, RUN_BUFFER_POSITION, row, position);
            pf_tiny_set_number(p, PF_TINY_RUN_BUFFER, RUN_BUFFER_MODE, row, in && out ? 2 : out);
        }
    }
    return st;
}

/* What the variables of a kernel were bound to: its estimates may be expressions of them. */
static pf_status add_variables(pf_tiny_profile *p, uint32_t run, uint32_t values, pf_error *err)
{
    const pf_pickle_values *v = &p->values;
    pf_status st = PF_OK;
    uint32_t i = pf_pickle_type_of(v, values) == PF_PICKLE_DICT ? pf_pickle_first(v, values) : PF_NONE;
    for (; st == PF_OK && i != PF_NONE; i = pf_pickle_next(v, i)) {
        pf_str name = pf_pickle_text(v, pf_pickle_key(v, i));
        int64_t value;
        uint32_t row;
        if (name.ptr && pf_pickle_int(v, pf_pickle_member(v, i), &value)) {
            st = pf_tiny_add_row(p, PF_TINY_VARIABLE, &row, err);
            st = st == PF_OK ? pf_tiny_set_text(p, PF_TINY_VARIABLE, VARIABLE_NAME, row, name, err) : st;
            if (st == PF_OK) {
                pf_tiny_set_ref(p, PF_TINY_VARIABLE, VARIABLE_RUN, row, run);
                pf_tiny_set_number(p, PF_TINY_VARIABLE, VARIABLE_VALUE, row, value);
            }
        }
    }
    return st;
}

static pf_status read_run(pf_tiny_profile *p, uint32_t object, uint32_t event, pf_error *err)
{
    const pf_pickle_values *v = &p->values;
    uint32_t row, arg = pf_pickle_field(v, object, "arg");
    pf_status st = pf_tiny_add_row(p, PF_TINY_RUN, &row, err);
    if (st != PF_OK) {
        return st;
    }
    pf_tiny_set_ref(p, PF_TINY_RUN, RUN_EVENT, row, event);
    pf_tiny_set_number(p, PF_TINY_RUN, RUN_KEY, row, pf_tiny_number(p, object, "key", INT64_MIN));
    st = pf_tiny_set_text(p, PF_TINY_RUN, RUN_KERNEL, row, pf_tiny_text(p, arg, "name"), err);
    st = st == PF_OK ? set_metadata(p, row, pf_pickle_field(v, arg, "metadata"), err) : st;
    st = st == PF_OK ? add_variables(p, row, pf_pickle_field(v, arg, "var_vals"), err) : st;
    return st == PF_OK ? add_buffers(p, row, arg, err) : st;
}

/* ---- markers ----------------------------------------------------------------------------------------------------- */

static pf_status read_marker(pf_tiny_profile *p, uint32_t object, uint32_t event, pf_error *err)
{
    uint32_t row, arg = pf_pickle_field(&p->values, object, "arg");
    pf_status st = pf_tiny_add_row(p, PF_TINY_MARKER, &row, err);
    if (st != PF_OK) {
        return st;
    }
    pf_tiny_set_ref(p, PF_TINY_MARKER, MARKER_EVENT, row, event);
    st = pf_tiny_set_text(p, PF_TINY_MARKER, MARKER_NAME, row, pf_tiny_text(p, arg, "name"), err);
    return st == PF_OK ? pf_tiny_set_text(p, PF_TINY_MARKER, MARKER_COLOUR, row, pf_tiny_text(p, arg, "color"), err)
                       : st;
}

/* ---- counters and members of the index --------------------------------------------------------------------------- */

static pf_status read_sample(pf_tiny_profile *p, uint32_t object, uint32_t event, pf_error *err)
{
    uint32_t row;
    pf_status st = pf_tiny_add_row(p, PF_TINY_SAMPLE, &row, err);
    if (st == PF_OK) {
        pf_tiny_set_ref(p, PF_TINY_SAMPLE, SAMPLE_EVENT_ROW, row, event);
        pf_str digits = pf_pickle_spelling(&p->values, pf_pickle_field(&p->values, object, "key"));
        pf_tiny_set_number(p, PF_TINY_SAMPLE, SAMPLE_NUMBER, row,
                           digits.ptr ? INT64_MIN : pf_tiny_number(p, object, "key", 0));
        st = digits.ptr ? pf_tiny_set_text(p, PF_TINY_SAMPLE, SAMPLE_NUMBER_DIGITS, row, digits, err) : PF_OK;
    }
    return st;
}

static pf_status read_json(pf_tiny_profile *p, uint32_t object, uint32_t event, pf_error *err)
{
    pf_str key = pf_tiny_text(p, object, "key");
    uint32_t row;
    char *text = NULL;
    size_t len = 0;
    pf_status st =
        key.ptr ? pf_plain_text(&p->values, pf_pickle_field(&p->values, object, "arg"), &text, &len, err) : PF_OK;
    if (st == PF_OK && text) {
        st = pf_tiny_add_row(p, PF_TINY_JSON, &row, err);
        st = st == PF_OK ? pf_tiny_set_text(p, PF_TINY_JSON, JSON_KEY, row, key, err) : st;
        st = st == PF_OK ? pf_tiny_set_text(p, PF_TINY_JSON, JSON_TEXT, row, (pf_str){text, len}, err) : st;
        if (st == PF_OK) {
            pf_tiny_set_ref(p, PF_TINY_JSON, JSON_EVENT, row, event);
        }
    }
    free(text);
    return st;
}

static bool is_line(pf_str device)
{
    return device.ptr && device.len >= 5 && memcmp(device.ptr, "LINE:", 5) == 0;
}

pf_status pf_tiny_read_point(pf_tiny_profile *p, uint32_t object, uint32_t event, pf_error *err)
{
    pf_str name = pf_tiny_text(p, object, "name");
    if (is_line(pf_tiny_text(p, object, "device"))) {
        return read_sample(p, object, event, err);
    }
    if (pf_tiny_is(name, "alloc") || pf_tiny_is(name, "free")) {
        return read_memory(p, object, event, pf_tiny_is(name, "alloc"), err);
    }
    if (pf_tiny_is(name, "exec")) {
        return read_run(p, object, event, err);
    }
    if (pf_tiny_is(name, "JSON")) {
        return read_json(p, object, event, err);
    }
    return pf_tiny_is(name, "marker") ? read_marker(p, object, event, err) : PF_OK;
}
