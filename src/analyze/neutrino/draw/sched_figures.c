/* analyze/neutrino/draw/sched_figures.c - figures of block scheduling: how long SMs were busy, resident blocks and
 * their tail, which block ran when in the slots of the busiest SMs, how long the gaps between blocks are. */
#include <inttypes.h>

#include "analyze/neutrino/draw/figures.h"
#include "analyze/support/pass_tables.h"

static void add_imbalance(neutrino_run *n, const sched_result *s)
{
    pf_neutrino_add_figure(n, s->r,
                           &(pf_figure){.name = "sm_imbalance",
                                        .kind = PF_FIGURE_STACKED,
                                        .title = PF_STR("SMs by the time from their first block to their last end"),
                                        .table = pf_neutrino_ranked(n, NEUTRINO_TABLE_SM),
                                        .label = "sm",
                                        .panel = "file",
                                        .panel_only = s->r->file,
                                        .values = "busy,idle",
                                        .value_names = "with blocks,without",
                                        .meanings = "busy,idle",
                                        .tip = "blocks,slots,tail,gap_sum",
                                        .mark = s->span_mean,
                                        .mark_name = PF_STR("mean of all SMs"),
                                        .rows = 24});
}

static const pf_column curve_columns[] = {PF_INT_COLUMN("begin", "cycles"), PF_INT_COLUMN("end", "cycles"),
                                          PF_REAL_COLUMN("resident_blocks", 3, "blocks")};

/* The same means as in neutrino_residents. */
static void add_curve(neutrino_run *n, const sched_result *s, const sched_curve *c, const char *name, pf_str title)
{
    if (c->most <= 0) {
        return;
    }
    pf_table_builder *t = pf_table_new(n->f, title, curve_columns, sizeof curve_columns / sizeof *curve_columns);
    for (uint32_t i = 0; i < c->count; i++) {
        uint64_t begin = c->begin + i * c->length, end = i + 1 < c->count ? begin + c->length : c->end;
        PF_TABLE_ROW(n->f, t, pf_cell_count(begin), pf_cell_count(end), pf_cell_real(c->mean[i]));
    }
    pf_neutrino_add_figure(n, s->r,
                           &(pf_figure){.name = name,
                                        .kind = PF_FIGURE_HISTOGRAM,
                                        .title = title,
                                        .table = t,
                                        .from = "begin",
                                        .to = "end",
                                        .values = "resident_blocks",
                                        .meanings = "busy",
                                        .png = true});
}

enum { SMS = 6, LANES = 48, SLOTS = 32, BARS = 2000 };
#define BLOCKS_MAX 1000000u /* of a launch whose blocks are drawn: the first of many say little */

static const pf_column schedule_columns[] = {
    PF_TEXT_COLUMN("sm"),       PF_INT_COLUMN("slot", ""),       PF_TEXT_COLUMN("what"),
    PF_INT_COLUMN("block", ""), PF_INT_COLUMN("from", "cycles"), PF_INT_COLUMN("to", "cycles")};

typedef struct schedule {
    neutrino_run *n;
    pf_table_builder *table;
    sched_sm *sm[SMS]; /* most work first */
    unsigned count;
    const sched_sm *last; /* the SM before */
    pf_str name;          /* of it */
    uint64_t first;       /* where its clock begins */
    unsigned bars, most;  /* of it */
    bool all;             /* every block of these SMs is drawn */
} schedule;

static pf_status keep(void *ctx, const sched_sm *sm, const sm_placed *b, pf_error *err)
{
    schedule *s = ctx;
    pf_findings *f = s->n->f;
    if (s->last != sm) {
        s->last = sm;
        s->name = pf_findings_format(f, "SM %" PRIu32, sm->id);
        s->first = b->block.start;
        s->bars = 0;
    }
    if (b->slot >= SLOTS || s->bars + 2 > s->most) {
        s->all = false;
        return PF_OK;
    }
    const pf_cell place[] = {pf_cell_text(s->name), pf_cell_int(b->slot)};
    if (b->has_gap && b->gap) {
        PF_TABLE_ROW(f, s->table, place[0], place[1], pf_cell_text(PF_STR("idle")), {.null = true},
                     pf_cell_count(b->block.start - b->gap - s->first), pf_cell_count(b->block.start - s->first));
        s->bars++;
    }
    PF_TABLE_ROW(f, s->table, place[0], place[1], pf_cell_text(PF_STR("busy")), pf_cell_count(b->block.index),
                 pf_cell_count(b->block.start - s->first), pf_cell_count(b->block.end - s->first));
    s->bars++;
    return PF_OK;
}

/* The SMs with the most work, as many as there is room for. */
static void choose(schedule *s, const sched_result *r)
{
    unsigned lanes = 0, fit = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        unsigned at = s->count < SMS ? s->count++ : SMS;
        for (; at > 0 && s->sm[at - 1]->work < r->sm[i]->work; at--) {
            if (at < SMS) {
                s->sm[at] = s->sm[at - 1];
            }
        }
        if (at < SMS) {
            s->sm[at] = r->sm[i];
        }
        r->sm[i]->again = false;
    }
    for (; fit < s->count; fit++) {
        uint32_t slots = s->sm[fit]->sweep.slots;
        lanes += slots < SLOTS ? slots : SLOTS;
        if (fit && lanes > LANES) {
            break;
        }
        s->sm[fit]->again = s->sm[fit]->exact_blocks > 0;
    }
    s->most = BARS / (fit ? fit : 1);
}

static pf_status add_schedule(neutrino_run *n, sched_result *r, pf_error *err)
{
    schedule s = {.n = n, .all = true};
    if (r->r->blocks > BLOCKS_MAX) {
        return PF_OK;
    }
    choose(&s, r);
    s.table = pf_table_new(n->f, PF_STR("blocks in the slots of SMs"), schedule_columns,
                           sizeof schedule_columns / sizeof *schedule_columns);
    PF_TRY(pf_sched_visit(n, r, keep, &s, err));
    if (s.table && pf_table_rows(s.table)) {
        pf_neutrino_add_figure(
            n, r->r,
            &(pf_figure){.name = "block_schedule",
                         .kind = PF_FIGURE_GANTT,
                         .title = PF_STR("Blocks on the SMs with the most work, a row for each slot"),
                         .note = s.all ? PF_STR("Each SM from its own first block on.")
                                       : pf_findings_format(n->f,
                                                            "Each SM from its own first block on; %u bars of each "
                                                            "at most, and %u slots.",
                                                            s.most, SLOTS),
                         .table = s.table,
                         .label = "slot",
                         .panel = "sm",
                         .from = "from",
                         .to = "to",
                         .meaning = "what",
                         .tip = "block",
                         .png = true});
    }
    return PF_OK;
}

/* False: there are none. */
static bool tabulate_gaps(neutrino_run *n, const sched_result *s)
{
    uint64_t bin[SM_GAP_BINS] = {0};
    unsigned from = SM_GAP_BINS, to = 0;
    for (unsigned i = 0; i < SM_GAP_BINS; i++) {
        for (uint32_t m = 0; m < s->count; m++) {
            bin[i] += s->sm[m]->sweep.bins[i];
        }
        from = bin[i] && from == SM_GAP_BINS ? i : from;
        to = bin[i] ? i : to;
    }
    for (unsigned i = from; i < SM_GAP_BINS && i <= to; i++) {
        PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_GAPS, {.as.s = s->r->file}, pf_cell_text(s->r->kernel),
                        pf_cell_count(i ? (uint64_t)1 << (i - 1) : 0),
                        pf_cell_count(i < SM_GAP_BINS - 1 ? (uint64_t)1 << i : UINT64_MAX), pf_cell_count(bin[i]));
    }
    return from < SM_GAP_BINS;
}

pf_status pf_neutrino_sched_figures(neutrino_run *n, sched_result *s, const sched_residents *residents, pf_error *err)
{
    bool gaps = tabulate_gaps(n, s);
    if (s->r->nth >= NEUTRINO_FIGURES) {
        return PF_OK;
    }
    add_imbalance(n, s);
    add_curve(n, s, &residents->run, "resident_blocks", PF_STR("Resident blocks of all SMs"));
    add_curve(n, s, &residents->tail, "resident_blocks_tail", PF_STR("Resident blocks of all SMs at the end"));
    PF_TRY(add_schedule(n, s, err));
    if (gaps) {
        pf_neutrino_add_figure(n, s->r,
                               &(pf_figure){.name = "gaps",
                                            .kind = PF_FIGURE_HISTOGRAM,
                                            .title = PF_STR("How long slots are empty between two blocks"),
                                            .table = n->tables[NEUTRINO_TABLE_GAPS],
                                            .panel = "file",
                                            .panel_only = s->r->file,
                                            .from = "from",
                                            .to = "to",
                                            .values = "gaps",
                                            .meanings = "idle",
                                            .from_scale = PF_SCALE_LOG,
                                            .png = true});
    }
    return PF_OK;
}
