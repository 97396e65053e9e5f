/* cli/windows/windows.c - see windows.h. What a window is, SQL says: over the slices of the trace, or over the table of
 * steps that a pass reports. Devices and cores that share a step share its window. */
#include "cli/windows/windows.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/str.h"
#include "cli/pass/pass.h"
#include "cli/thresholds/thresholds.h"

/* Rows of begin, end, name and length, in order of their begins. Warm-up has no length. */
static const struct {
    const char *pass, *sql;
} steps[] = {
    {"gpu",
     "SELECT min(ifnull(min(host_start_ns, start_ns), start_ns)), max(ifnull(max(host_end_ns, end_ns), end_ns)), "
     "ifnull(name, 'step ' || step), max(CASE WHEN mark <> 'warm-up' THEN ifnull(period_ns, host_end_ns - "
     "host_start_ns) END) FROM gpu_steps GROUP BY step ORDER BY 1"},
    {"aie", "SELECT min(start), max(\"end\"), 'iteration ' || iteration, (SELECT max(runtime) FROM aie_system s WHERE "
            "s.iteration = i.iteration) FROM aie_iterations i WHERE start IS NOT NULL GROUP BY iteration ORDER BY 1"},
    {"aiu", "SELECT CAST(1000 * min(start_us) AS INT), CAST(1000 * max(start_us + length_us) AS INT) + 1, "
            "'iteration ' || iteration, max(CASE WHEN counted THEN length_us END) FROM aiu_iterations "
            "GROUP BY iteration ORDER BY 1"},
};

/* The last row may have been the slowest step so far. */
static void note_length(pf_cli_windows *w, const pf_query_cell *cell)
{
    double length = cell->type == PF_VALUE_INT ? (double)cell->as.i : cell->type == PF_VALUE_REAL ? cell->as.d : 0;
    if (length > w->longest) {
        w->longest = length;
        w->slowest = w->count - 1;
    }
}

static pf_status add_window(void *ctx, size_t count, const pf_query_cell *cells)
{
    pf_cli_windows *w = ctx;
    if (cells[0].type != PF_VALUE_INT || cells[1].type != PF_VALUE_INT || cells[0].as.i >= cells[1].as.i) {
        return PF_OK;
    }
    if (PF_LIST_ROOM(NULL, w->list, w->count + 1, w->room, NULL) != PF_OK) {
        return PF_ERR_MEMORY;
    }
    bool text = cells[2].type == PF_VALUE_STRING;
    char *name = text ? strndup(cells[2].as.s.ptr, cells[2].as.s.len) : NULL;
    w->list[w->count++] = (pf_split_window){cells[0].as.i, cells[1].as.i, name};
    if (count > 3) {
        note_length(w, &cells[3]);
    }
    return text && !name ? PF_ERR_MEMORY : PF_OK;
}

void pf_cli_windows_free(pf_cli_windows *w)
{
    for (size_t i = 0; i < w->count; i++) {
        free((char *)(uintptr_t)w->list[i].name);
    }
    free(w->list);
    *w = (pf_cli_windows){0};
}

static pf_status ask(pf_cli_run *run, pf_str sql, pf_cli_windows *w)
{
    const pf_query_sink sink = {.ctx = w, .row = add_window};
    pf_query *q = NULL;
    pf_status st = pf_query_open(run->trace, &q, &run->err);
    for (size_t i = 0; st == PF_OK && i < run->named_count; i++) {
        st = pf_cli_add_pass_tables(q, run->named[i].pass, run->named[i].findings, &run->err);
    }
    if (st == PF_OK) {
        pf_query_set_cancel(q, pf_cli_cancel_flag());
        st = pf_query_run(q, sql, &sink, &run->err);
    }
    pf_query_free(q);
    return st;
}

static pf_status ask_slices(pf_cli_run *run, const char *name, pf_cli_windows *w)
{
    pf_buffer sql = {0};
    pf_buffer_text(&sql, "SELECT ts, ts + dur, name FROM slice WHERE dur > 0 AND name = ");
    pf_buffer_quoted(&sql, pf_str_of(name), '\'');
    pf_buffer_text(&sql, " ORDER BY ts, dur DESC");
    pf_status st = sql.failed ? pf_no_memory(&run->err) : ask(run, (pf_str){sql.data, sql.len}, w);
    pf_buffer_free(&sql);
    return st == PF_OK && w->count == 0
               ? pf_cli_usage(run, "no slice that ends is called '%s'; 'postfetto info %s' shows names", name,
                              run->operands[0])
               : st;
}

static pf_status ask_steps(pf_cli_run *run, pf_cli_windows *w)
{
    const char *pass = run->named[0].pass->name;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (strcmp(pass, steps[i].pass) == 0) {
            PF_TRY(ask(run, pf_str_of(steps[i].sql), w));
            return w->count ? PF_OK : pf_cli_usage(run, "the pass %s finds no steps in %s", pass, run->operands[0]);
        }
    }
    return pf_cli_usage(run, "the pass %s says nothing of steps; name gpu, aie or aiu with --pass", pass);
}

pf_status pf_cli_windows_find(pf_cli_run *run, const char *name, pf_cli_windows *w)
{
    *w = (pf_cli_windows){.slowest = PF_CLI_NO_WINDOW};
    if (!name && run->named_count == 0) {
        return pf_cli_usage(run, "--pass NAME is missing: the pass that says where steps are, gpu, aie or aiu");
    }
    PF_TRY(run->named_count ? pf_cli_run_named(run, run->operands, 1)
                            : pf_cli_read(run, run->operands, 1, PF_WANT_EVENTS | PF_WANT_SLICES, false));
    return name ? ask_slices(run, name, w) : ask_steps(run, w);
}
