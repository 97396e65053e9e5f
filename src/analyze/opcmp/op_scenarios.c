/* analyze/opcmp/op_scenarios.c - which files `compare ops` compares. */
#include <errno.h>
#include <unistd.h>

#include "analyze/opcmp/opcmp_pass.h"
#include "base/budget.h"
#include "base/buffer.h"
#include "base/str.h"
#include "base/text/number.h"

static const struct {
    const char *name, *summary, *csv, *trace;
} built_in[] = {
    {"Qwen3 PF", "results/qwen3_prefill_m6.json", "qwen3-32b_pf_4112tok.csv", "results/qwen3_pf_trace.json"},
    {"Qwen3 DC", "results/qwen3_decode_m6.json", "qwen3-32b_dc_16tok.csv", "results/qwen3_dc_trace.json"},
    {"DSv3 PF", "results/dsv3_prefill_m6.json", "dsv3_pf_4099tok.csv", "results/dsv3_pf_trace.json"},
    {"DSv3 DC", "results/dsv3_decode_m6.json", "dsv3_dc_1tok.csv", "results/dsv3_dc_trace.json"},
};
#define BUILT_IN (sizeof built_in / sizeof *built_in)

bool pf_opcmp_is_missing(const char *path)
{
    return access(path, F_OK) < 0 && errno == ENOENT;
}

/* A file in the folder that an option names, else in that of the model's checkout if it is there, else in `next`. The
 * path is joined as Python does it: no second slash. */
static pf_status add_in_folder(pf_pass_inputs *in, size_t role, pf_str folder, const char *checkout, const char *next,
                               const char *name, pf_error *err)
{
    pf_buffer b = {0};
    if (!folder.ptr) {
        folder = pf_str_of(access(checkout, R_OK) == 0 ? checkout : next);
    }
    pf_buffer_put(&b, folder.ptr, folder.len);
    pf_buffer_text(&b, folder.len && folder.ptr[folder.len - 1] != '/' ? "/" : "");
    pf_buffer_text(&b, name);
    pf_status st = b.failed ? pf_no_memory(err) : pf_pass_inputs_add(in, role, (pf_str){b.data, b.len}, err);
    pf_buffer_free(&b);
    return st;
}

/* NAME,TRACE,CSV[,PASSES] between its commas; how many parts there are. The last one has all that is left. */
static size_t split(pf_str text, pf_str part[4])
{
    size_t n = 0, comma;
    for (; n < 3 && (comma = pf_str_find(text, PF_STR(","))) != SIZE_MAX; n++) {
        part[n] = (pf_str){text.ptr, comma};
        text = pf_str_from(text, comma + 1);
    }
    part[n] = text;
    return n + 1;
}

opcmp_scenario pf_opcmp_scenario(const pf_option_value *values, size_t i)
{
    const pf_option_value *given = &values[OPCMP_OPT_SCENARIO];
    opcmp_scenario s = {.passes = 1, .built_in = given->count == 0};
    if (s.built_in) {
        s.name = pf_str_of(built_in[i].name);
        return s;
    }
    pf_str part[4];
    size_t n = split(given->all[i].s, part);
    bool is_auto = n == 4 && pf_str_is(part[3], "auto");
    s.name = part[0];
    s.find_passes = is_auto || (values[OPCMP_OPT_ANCHOR].s.ptr && n == 3);
    if (n == 4 && !is_auto) {
        pf_parse_real(part[3].ptr, part[3].len, &s.passes);
    }
    return s;
}

static pf_status add_scenario(const pf_option_value *values, size_t i, pf_pass_inputs *in, pf_error *err)
{
    pf_str text = values[OPCMP_OPT_SCENARIO].all[i].s, part[4], name = pf_opcmp_scenario(values, i).name;
    double passes = 1;
    size_t n = split(text, part);
    bool counted =
        n < 4 || pf_str_is(part[3], "auto") || (pf_parse_real(part[3].ptr, part[3].len, &passes) && passes > 0);
    if (n < 3 || !part[0].len || !part[1].len || !part[2].len || !counted) {
        return pf_fail(
            err, PF_ERR_USAGE,
            "--scenario '%.300s' does not say what to compare; write NAME,TRACE,CSV or NAME,TRACE,CSV,PASSES "
            "with a number of forward passes above 0, or auto",
            text.ptr);
    }
    for (size_t k = 0; k < i; k++) {
        if (pf_str_equal(pf_opcmp_scenario(values, k).name, name)) {
            return pf_fail(err, PF_ERR_USAGE, "two scenarios are called '%.*s'; give each a name of its own",
                           name.len > 300 ? 300 : (int)name.len, name.ptr);
        }
    }
    PF_TRY(pf_pass_inputs_add(in, OPCMP_ROLE_MODEL, part[1], err));
    return pf_pass_inputs_add(in, OPCMP_ROLE_MEASURED, part[2], err);
}

pf_status pf_opcmp_gather(const pf_option_value *values, const char *const *operands, size_t count, pf_pass_inputs *in,
                          pf_error *err)
{
    const pf_option_value *given = &values[OPCMP_OPT_SCENARIO];
    pf_str folder = values[OPCMP_OPT_TRACE_DIR].s;
    if (count) {
        return pf_fail(err, PF_ERR_USAGE, "takes no operand '%.300s'; name files with --scenario NAME,TRACE,CSV",
                       operands[0]);
    }
    for (size_t i = 0; i < given->count; i++) {
        PF_TRY(add_scenario(values, i, in, err));
    }
    for (size_t i = 0; !given->count && i < BUILT_IN; i++) {
        PF_TRY(pf_pass_inputs_add(in, OPCMP_ROLE_MODEL, pf_str_of(built_in[i].trace), err));
        PF_TRY(add_in_folder(in, OPCMP_ROLE_MEASURED, folder, OPCMP_MODEL_TRACES, "traces", built_in[i].csv, err));
        PF_TRY(pf_pass_inputs_add(in, OPCMP_ROLE_SUMMARY, pf_str_of(built_in[i].summary), err));
    }
    if (values[OPCMP_OPT_MAPPING].s.ptr) {
        return pf_pass_inputs_add(in, OPCMP_ROLE_MAPPING, values[OPCMP_OPT_MAPPING].s, err);
    }
    return add_in_folder(in, OPCMP_ROLE_MAPPING, values[OPCMP_OPT_DATA_DIR].s, OPCMP_MODEL_DATA, "data",
                         "op_mapping.yaml", err);
}
