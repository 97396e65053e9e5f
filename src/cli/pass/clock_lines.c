/* cli/pass/clock_lines.c - where ranks go on one time axis: the pass `gpu` compares them by their collectives and says
 * in its table how the clock of each runs against the first one's, and how far from that the truth may be. An alignment
 * that may be wrong by more than the clocks are apart is refused. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/pass/pass.h"

static const pf_cell *cell_of(const pf_table *t, size_t row, const char *column)
{
    size_t at = 0;
    while (at < t->column_count && strcmp(t->columns[at].name, column) != 0) {
        at++;
    }
    return at < t->column_count ? &t->cells[row * t->column_count + at] : NULL;
}

static bool refuse(const pf_cli_clock_words *words, const char *path, const char *why, const char *advice)
{
    pf_buffer b = {0};
    pf_buffer_format(&b, "postfetto: %s: not aligned: %s%s; %s", path, why, advice, words->lost);
    pf_cli_tell(&b);
    return false;
}

static bool take_line(const pf_table *t, size_t row, const pf_cli_clock_words *words, pf_merge_input *in)
{
    const pf_cell *at = cell_of(t, row, "clock_line_at"), *lead = cell_of(t, row, "clock_line_offset"),
                  *drift = cell_of(t, row, "drift_ppb"), *bound = cell_of(t, row, "clock_uncertainty");
    char why[200];
    if (!at || !lead || !drift || !bound || at->null || lead->null || drift->null || bound->null) {
        return refuse(words, in->path,
                      row ? "no collectives that need all ranks, as many here as there, relate its clock to that of "
                            "the first input; "
                          : "it shares no collectives that need all ranks with the others; ",
                      words->instead);
    }
    int64_t skew = lead->as.i < 0 ? -lead->as.i : lead->as.i;
    if (bound->as.i > skew) {
        snprintf(why, sizeof why,
                 "its clock is %" PRId64 " ns apart from the first input's, which is known to within %" PRId64
                 " ns only; leave out ",
                 skew, bound->as.i);
        return refuse(words, in->path, why, words->option);
    }
    in->offset_ns = -lead->as.i;
    in->at_ns = (int64_t)((uint64_t)at->as.i + (uint64_t)lead->as.i);
    in->drift_ppb = drift->as.d;
    in->uncertainty_ns = bound->as.i;
    return true;
}

void pf_cli_take_clock_lines(pf_cli_run *run, const pf_findings *f, const pf_cli_clock_words *words,
                             pf_merge_input *inputs, size_t count)
{
    const pf_table *t = pf_findings_table_named(f, "gpu_ranks");
    size_t rows = t ? t->row_count : 0, taken = 0;
    bool known = true;
    for (; taken < count && known; taken++) { /* the first one last: where nothing is known of it, that is of others */
        size_t row = (taken + 1) % count;
        known = row < rows ? take_line(t, row, words, &inputs[row])
                           : refuse(words, inputs[row].path, "it holds no work of a GPU; ", words->instead);
    }
    for (size_t i = 1; i < count && known; i++) {
        pf_cli_note(run, inputs[i].path,
                    "its clock is %" PRId64 " ns ahead of the first input's and gains %.0f ns a second, to within "
                    "%" PRId64 " ns",
                    -inputs[i].offset_ns, inputs[i].drift_ppb, inputs[i].uncertainty_ns);
    }
    run->code = known ? run->code : PF_CLI_FINDING;
}
