/* cli/commands/merge_clocks.c - see merge_clocks.h.
 *
 * By a slice: all inputs are moved to the time of the first one's. That is as exact as the slice begins on all of them.
 * By collectives: the pass `gpu` compares the ranks and says how the clock of each runs against the first one's, and
 * how far from that the truth may be. An alignment that may be wrong by more than the clocks are apart is refused.
 */
#include "cli/commands/merge_clocks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/folders.h"
#include "base/str.h"
#include "base/text/glob.h"
#include "cli/pass/pass.h"

/* ---- --offset ---------------------------------------------------------------------------------------------------- */

/* The operand that is called so, by its path or by the name of its file; operand_count: none or several. */
static size_t find_operand(const pf_cli_run *run, const char *name, size_t len)
{
    size_t found = run->operand_count;
    for (size_t i = 0; i < run->operand_count; i++) {
        const char *path = run->operands[i], *file = pf_path_name(path);
        if (strlen(path) == len && memcmp(path, name, len) == 0) {
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
    size_t at = sign ? find_operand(run, text, (size_t)(sign - text)) : run->operand_count;
    if (!sign) {
        return pf_cli_usage(run, "--offset %s has no '='; write --offset FILE=NS", text);
    }
    if (at == run->operand_count) {
        return pf_cli_usage(run, "--offset %s: one input must be called '%.*s'; write its path as it is given", text,
                            (int)(sign - text), text);
    }
    PF_TRY(pf_cli_usage_of(run, pf_edit_time_parse(sign + 1, &time, &run->err)));
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

/* ---- --align ----------------------------------------------------------------------------------------------------- */

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

/* ---- --align-collectives ----------------------------------------------------------------------------------------- */

static const pf_cell *cell_of(const pf_table *t, size_t row, const char *column)
{
    size_t at = 0;
    while (at < t->column_count && strcmp(t->columns[at].name, column) != 0) {
        at++;
    }
    return at < t->column_count ? &t->cells[row * t->column_count + at] : NULL;
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

static void refuse(pf_cli_run *run, size_t input, const char *why)
{
    pf_buffer b = {0};
    pf_buffer_format(&b, "postfetto: %s: not aligned: %s; nothing was written", run->operands[input], why);
    pf_cli_tell(&b);
    run->code = PF_CLI_FINDING;
}

/* The line of an input in the table of ranks. */
static void take_line(pf_cli_run *run, const pf_table *t, size_t i, pf_merge_input *in)
{
    const pf_cell *at = cell_of(t, i, "clock_line_at"), *lead = cell_of(t, i, "clock_line_offset"),
                  *drift = cell_of(t, i, "drift_ppb"), *bound = cell_of(t, i, "clock_uncertainty");
    char why[200];
    if (!at || !lead || !drift || !bound || at->null || lead->null || drift->null || bound->null) {
        refuse(run, i,
               "no collectives that need all ranks, as many here as there, relate its clock to that of the first "
               "input; use --align or --offset");
        return;
    }
    if (i == 0) {
        return; /* its own clock */
    }
    int64_t skew = lead->as.i < 0 ? -lead->as.i : lead->as.i;
    if (bound->as.i > skew) {
        snprintf(why, sizeof why,
                 "its clock is %" PRId64 " ns apart from the first input's, which is known to within %" PRId64
                 " ns only; leave out --align-collectives",
                 skew, bound->as.i);
        refuse(run, i, why);
        return;
    }
    in->offset_ns = -lead->as.i;
    in->at_ns = (int64_t)((uint64_t)at->as.i + (uint64_t)lead->as.i);
    in->drift_ppb = drift->as.d;
    in->uncertainty_ns = bound->as.i;
    pf_cli_note(run, run->operands[i],
                "its clock is %" PRId64 " ns ahead of the first input's and gains %.0f ns a second, to within %" PRId64
                " ns",
                lead->as.i, drift->as.d, bound->as.i);
}

pf_status pf_cli_merge_align_collectives(pf_cli_run *run, pf_merge_input *inputs)
{
    PF_TRY(run_gpu(run));
    const pf_table *t = pf_findings_table_named(run->named->findings, "gpu_ranks");
    size_t rows = t ? t->row_count : 0;
    for (size_t i = 0; i < run->operand_count && run->code == PF_CLI_DONE; i++) {
        if (i >= rows) {
            refuse(run, i, "it holds no work of a GPU; use --align or --offset");
        } else if (i > 0 || (rows > 1 && !cell_of(t, 1, "clock_line_at")->null)) { /* else the second is to blame */
            take_line(run, t, i, &inputs[i]);
        }
    }
    if (run->operand_count) {
        inputs[0].uncertainty_ns = 0;
    }
    forget_trace(run);
    return PF_OK;
}
