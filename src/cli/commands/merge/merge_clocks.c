/* cli/commands/merge/merge_clocks.c - see merge_clocks.h.
 *
 * By a slice: all inputs are moved to the time of the first one's. That is as exact as the slice begins on all of them.
 * By collectives: as cli/pass/clock_lines.c has it.
 */
#include "cli/commands/merge/merge_clocks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/files/folders.h"
#include "base/text/glob.h"
#include "cli/pass/pass.h"

/* Whether that is the path of an operand, which is "PATH #2" where it is there a second time. */
static bool is_path_of(const pf_cli_run *run, size_t at, const char *name, size_t len)
{
    const char *path = run->operands[at];
    char number[24] = "";
    size_t same = 1, path_len = strlen(path);
    for (size_t i = 0; i < at; i++) {
        same += strcmp(run->operands[i], path) == 0;
    }
    if (same > 1) {
        snprintf(number, sizeof number, " #%zu", same);
    }
    return len == path_len + strlen(number) && memcmp(name, path, path_len) == 0 &&
           memcmp(name + path_len, number, len - path_len) == 0;
}

size_t pf_cli_merge_find(const pf_cli_run *run, const char *name, size_t len)
{
    size_t found = run->operand_count;
    for (size_t i = 0; i < run->operand_count; i++) {
        const char *file = pf_path_name(run->operands[i]);
        if (is_path_of(run, i, name, len)) {
            return i;
        }
        if (strlen(file) == len && memcmp(file, name, len) == 0) {
            found = found == run->operand_count ? i : SIZE_MAX;
        }
    }
    return found == SIZE_MAX ? run->operand_count : found;
}

static pf_status add_offset(pf_cli_run *run, pf_merge_input *inputs, const char *text)
{
    const char *sign = strrchr(text, '=');
    pf_edit_time time;
    size_t at = sign ? pf_cli_merge_find(run, text, (size_t)(sign - text)) : run->operand_count;
    if (!sign) {
        return pf_cli_usage(run, "--offset %s has no '='; write --offset FILE=NS", text);
    }
    if (at == run->operand_count) {
        return pf_cli_usage(run, "--offset %s: one input must be called '%.*s'; write its path as it is given", text,
                            (int)(sign - text), text);
    }
    if (pf_edit_time_parse(sign + 1, &time, &run->err) != PF_OK) {
        return pf_cli_usage(run, "--offset %s: write a number of ns, or one with its unit: -250, 1.5ms", text);
    }
    int64_t ns = time.base == PF_EDIT_FROM_END ? -time.ns : time.ns; /* a minus sign is one here */
    if (__builtin_add_overflow(inputs[at].offset_ns, ns, &inputs[at].offset_ns)) {
        return pf_cli_usage(run, "--offset %s is out of range", text);
    }
    return PF_OK;
}

pf_status pf_cli_merge_offsets(pf_cli_run *run, pf_merge_input *inputs)
{
    const pf_option_value *given = &((const merge_settings *)run->set)->offsets;
    for (size_t i = 0; i < given->count; i++) {
        PF_TRY(add_offset(run, inputs, given->all[i].s.ptr));
    }
    return PF_OK;
}

static void forget_trace(pf_cli_run *run)
{
    pf_cli_add_totals(&run->dropped, run->trace);
    pf_trace_free(run->trace);
    run->trace = NULL;
}

/* The slices are in order of time. */
static bool find_slice(const pf_trace *t, const char *pattern, int64_t *ts)
{
    const pf_slices *s = pf_trace_slices(t);
    uint32_t known = 0; /* a name that does not fit; slices of one name often come together */
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t name = pf_slice_name(s, i);
        if (name != known && name && pf_glob_fits(pattern, pf_trace_string(t, name).ptr)) {
            *ts = pf_slice_ts(s, i);
            return true;
        }
        known = name;
    }
    return false;
}

pf_status pf_cli_merge_align(pf_cli_run *run, pf_merge_input *inputs)
{
    const char *pattern = ((const merge_settings *)run->set)->align;
    int64_t first = 0;
    for (size_t i = 0; i < run->operand_count; i++) {
        int64_t ts = 0;
        PF_TRY(pf_cli_read(run, &run->operands[i], 1, PF_WANT_SLICES | PF_WANT_EVENTS, false));
        bool found = find_slice(run->trace, pattern, &ts);
        forget_trace(run);
        if (!found) {
            pf_cli_note(run, run->operands[i],
                        "no slice is called '%s'; see `postfetto info` for its names, or place it with --offset",
                        pattern);
            run->code = PF_CLI_FINDING;
            return PF_OK;
        }
        first = i == 0 ? ts : first;
        inputs[i].offset_ns = (int64_t)((uint64_t)first - (uint64_t)ts);
    }
    return PF_OK;
}

static pf_status run_gpu(pf_cli_run *run)
{
    const pf_pass *gpu = pf_pass_find("gpu");
    run->named = calloc(1, sizeof *run->named);
    PF_TRY(run->named ? PF_OK : pf_no_memory(&run->err));
    run->named->pass = gpu;
    run->named->values = calloc(gpu->option_count + 1, sizeof *run->named->values);
    PF_TRY(run->named->values ? PF_OK : pf_no_memory(&run->err));
    run->named_count = 1;
    pf_pass_defaults(gpu, run->named->values);
    return pf_cli_run_named(run, run->operands, run->operand_count);
}

pf_status pf_cli_merge_align_collectives(pf_cli_run *run, pf_merge_input *inputs)
{
    static const pf_cli_clock_words words = {"--align-collectives", "use --align or --offset", "nothing was written"};
    PF_TRY(run_gpu(run));
    pf_cli_take_clock_lines(run, run->named->findings, &words, inputs, run->operand_count);
    forget_trace(run);
    return PF_OK;
}
