/* analyze/compare/compare_tables.c - what people look at first: the verdicts, the names whose self time changed, the
 * iterations of both runs, and the figures of these.
 *
 * A figure of names shows the largest changes of self time, as a name that got longer makes longer what is around it,
 * too. The waterfall goes on with what all others add up to, so that it ends at the change of the whole.
 */
#include <math.h>
#include <stdlib.h>

#include "analyze/compare/compare.h"
#include "analyze/support/pass_tables.h"
#include "base/ordering.h"
#include "postfetto/figure.h"

/* Names in the waterfall, in the plot of intervals, and new or vanished ones; rows of iterations. */
enum { STEPS_MOST = 12, RATIOS_MOST = 24, ONE_SIDED_MOST = 24, ITERATIONS_MOST = 1000 };

static pf_table_builder *new_table(pf_findings *f, compare_table which, pf_str title, pf_time_unit unit)
{
    const pf_pass_table *t = &pf_compare_tables[which];
    return pf_table_new_named(f, t->name, title, pf_compare_columns(f, which, unit), t->column_count);
}

static pf_cell verdict_cell(compare_verdict v)
{
    return pf_cell_text(pf_str_of(pf_compare_verdict_text(v)));
}

static const char *const measure_texts[COMPARE_MEASURES] = {"device busy time per step", "period of a step",
                                                            "self time on the host"};

const char *pf_compare_measure_text(const compare_result *r, const compare_measure *m)
{
    for (unsigned k = 0; k < COMPARE_MEASURES; k++) {
        if (m == &r->measure[k]) {
            return measure_texts[k];
        }
    }
    return "self time of all names";
}

static void add_verdict_row(pf_findings *f, pf_table_builder *t, const compare_result *r, const compare_measure *m,
                            uint64_t gate)
{
    PF_TABLE_ROW(f, t, pf_cell_text(pf_str_of(pf_compare_measure_text(r, m))), verdict_cell(m->verdict),
                 pf_cell_real(m->base), pf_cell_real(m->now), pf_cell_real_if(m->ratio > 0, m->ratio),
                 pf_cell_real_if(m->interval.known, m->interval.low),
                 pf_cell_real_if(m->interval.known, m->interval.high),
                 pf_cell_text(r->gate & gate ? PF_STR("yes") : PF_STR("no")));
}

static pf_table_builder *make_verdicts(pf_findings *f, const compare_result *r, pf_time_unit unit)
{
    pf_table_builder *t = new_table(f, COMPARE_TABLE_VERDICTS, PF_STR("Verdicts"), unit);
    for (unsigned k = 0; k < COMPARE_MEASURES; k++) {
        if (r->measure[k].known) {
            add_verdict_row(f, t, r, &r->measure[k], (uint64_t)COMPARE_GATE_DEVICE << k);
        }
    }
    add_verdict_row(f, t, r, &r->whole, COMPARE_GATE_ALL);
    return t;
}

static double change_of(const compare_row *row)
{
    return row->self.now - row->self.base;
}

PF_ORDER(by_change, compare_row *const, PF_COMPARE(fabs(change_of(*y)), fabs(change_of(*x))),
         PF_COMPARE((*x)->name, (*y)->name));

pf_status pf_compare_sort_self(compare *c, compare_result *r, pf_error *err)
{
    PF_TRY(PF_ARENA_NEW(&c->arena, r->by_self, r->count, err));
    for (uint32_t i = 0; i < r->count; i++) {
        if (change_of(&r->rows[i]) != 0) {
            r->by_self[r->changed++] = &r->rows[i];
        }
    }
    qsort(r->by_self, r->changed, sizeof *r->by_self, by_change);
    return PF_OK;
}

static pf_table_builder *make_self(pf_findings *f, const compare *c, const compare_result *r, pf_time_unit unit)
{
    pf_table_builder *t =
        new_table(f, COMPARE_TABLE_SELF, PF_STR("Largest changes of self time, without the calls inside"), unit);
    for (uint32_t i = 0; i < r->changed; i++) {
        const compare_row *row = r->by_self[i];
        const compare_measure *m = &row->self;
        PF_TABLE_ROW(
            f, t, pf_cell_text(pf_compare_row_text(c, row->name)), pf_cell_text(pf_compare_place(c, r, row->name)),
            verdict_cell(m->verdict), pf_cell_real(change_of(row)), pf_cell_real_if(m->ratio > 0, m->ratio),
            pf_cell_real_if(m->interval.known, m->interval.low), pf_cell_real_if(m->interval.known, m->interval.high),
            pf_cell_real(m->base), pf_cell_real(m->now), pf_cell_count(row->base.calls), pf_cell_count(row->now.calls));
    }
    return t;
}

/* The mean length of iterations [from, to), over the files of a side. */
static double mean_length(const compare_side *side, uint32_t from, uint32_t to)
{
    double sum = 0;
    for (size_t i = 0; i < side->count; i++) {
        sum += ((double)side->files[i].start[to] - (double)side->files[i].start[from]) / (to - from);
    }
    return sum / (double)side->count;
}

static pf_table_builder *make_iterations(pf_findings *f, const compare_result *r, const compare_side *base,
                                         const compare_side *now, pf_time_unit unit)
{
    pf_table_builder *t = new_table(f, COMPARE_TABLE_ITERATIONS, PF_STR("Iterations of both runs"), unit);
    uint32_t n = r->iterations, rows = n < ITERATIONS_MOST ? n : ITERATIONS_MOST;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t from = (uint32_t)((uint64_t)i * n / rows), to = (uint32_t)((uint64_t)(i + 1) * n / rows);
        double was = mean_length(base, from, to), is = mean_length(now, from, to);
        PF_TABLE_ROW(f, t, pf_cell_int(from), pf_cell_int(to - from), pf_cell_real(was), pf_cell_real(is),
                     pf_cell_real(is - was), pf_cell_real_if(was > 0, was > 0 ? is / was : 0));
    }
    return t;
}

static const pf_column change_columns[] = {PF_TEXT_COLUMN("name"), PF_TEXT_COLUMN("what"),
                                           PF_REAL_COLUMN("self_delta_ns", 0, "ns"), PF_TEXT_COLUMN("place")};
static const pf_column change_columns_cycles[] = {PF_TEXT_COLUMN("name"), PF_TEXT_COLUMN("what"),
                                                  PF_REAL_COLUMN("self_delta_cycles", 0, "cycles"),
                                                  PF_TEXT_COLUMN("place")};
static const pf_column ratio_columns[] = {PF_TEXT_COLUMN("of"),         PF_TEXT_COLUMN("name"),
                                          PF_TEXT_COLUMN("verdict"),    PF_REAL_COLUMN("ratio", 4, ""),
                                          PF_REAL_COLUMN("low", 4, ""), PF_REAL_COLUMN("high", 4, "")};

/* The word for the colour of a change. */
static pf_str meaning_of(const compare_row *row)
{
    double change = change_of(row);
    return row->self.verdict == COMPARE_NEW        ? PF_STR("new")
           : row->self.verdict == COMPARE_VANISHED ? PF_STR("gone")
           : change > 0                            ? PF_STR("slower")
                                                   : PF_STR("faster");
}

static pf_table_builder *new_changes(pf_findings *f, pf_str title, pf_time_unit unit)
{
    return pf_table_new(f, title, unit == PF_UNIT_CYCLE ? change_columns_cycles : change_columns, 4);
}

static void add_change(pf_findings *f, pf_table_builder *t, pf_str name, pf_str meaning, double change, pf_str place)
{
    PF_TABLE_ROW(f, t, pf_cell_text(name), pf_cell_text(meaning), pf_cell_real(change), pf_cell_text(place));
}

static void draw_changes(pf_findings *f, const compare *c, const compare_result *r, pf_time_unit unit)
{
    pf_table_builder *t = new_changes(f, PF_STR("Change of self time"), unit);
    double more = 0, less = 0;
    uint32_t longer = 0, shorter = 0;
    for (uint32_t i = 0; i < r->changed; i++) {
        const compare_row *row = r->by_self[i];
        double change = change_of(row);
        if (i < STEPS_MOST) {
            add_change(f, t, pf_compare_row_text(c, row->name), meaning_of(row), change,
                       pf_compare_place(c, r, row->name));
        } else {
            *(change > 0 ? &more : &less) += change;
            ++*(change > 0 ? &longer : &shorter);
        }
    }
    if (longer) {
        add_change(f, t, pf_findings_format(f, "%u others that took longer", longer), PF_STR("slower"), more,
                   (pf_str){NULL, 0});
    }
    if (shorter) {
        add_change(f, t, pf_findings_format(f, "%u others that took less", shorter), PF_STR("faster"), less,
                   (pf_str){NULL, 0});
    }
    add_change(f, t, PF_STR("all together"), PF_STR("total"), r->whole.now - r->whole.base, (pf_str){NULL, 0});
    pf_findings_add_figure(
        f, &(pf_figure){.name = "compare_change",
                        .kind = PF_FIGURE_WATERFALL,
                        .title = PF_STR("What the change of self time is made of"),
                        .note = PF_STR("the time that calls took themselves, new run less base, the largest changes "
                                       "first; each bar begins where the one above it ends"),
                        .table = t,
                        .label = "name",
                        .values = unit == PF_UNIT_CYCLE ? "self_delta_cycles" : "self_delta_ns",
                        .meaning = "what",
                        .tip = "place"});
}

static void add_ratio(pf_findings *f, pf_table_builder *t, pf_str of, pf_str name, const compare_measure *m)
{
    PF_TABLE_ROW(f, t, pf_cell_text(of), pf_cell_text(name), verdict_cell(m->verdict), pf_cell_real(m->ratio),
                 pf_cell_real(m->interval.low), pf_cell_real(m->interval.high));
}

static void draw_ratios(pf_findings *f, const compare *c, const compare_result *r)
{
    pf_table_builder *t = pf_table_new(f, PF_STR("Ratios and their intervals"), ratio_columns,
                                       sizeof ratio_columns / sizeof *ratio_columns);
    uint32_t rows = 0;
    double least = 1, most = 1;
    for (unsigned k = 0; k <= COMPARE_MEASURES; k++) {
        const compare_measure *m = k < COMPARE_MEASURES ? &r->measure[k] : &r->whole;
        if (m->known && m->interval.known) {
            add_ratio(f, t, PF_STR("the runs"), pf_str_of(pf_compare_measure_text(r, m)), m);
        }
    }
    for (uint32_t i = 0; i < r->changed && rows < RATIOS_MOST; i++) {
        const compare_row *row = r->by_self[i];
        if (row->self.known && row->self.interval.known) {
            add_ratio(f, t, PF_STR("self time of the names that changed most"), pf_compare_row_text(c, row->name),
                      &row->self);
            least = fmin(least, row->self.interval.low);
            most = fmax(most, row->self.interval.high);
            rows++;
        }
    }
    bool far = least < 1.0 / 3 || most > 3;
    pf_pass_figure(f, &(pf_figure){.name = "compare_ratios",
                                   .kind = PF_FIGURE_INTERVALS,
                                   .title = PF_STR("New over base, with 99 % confidence"),
                                   .note = PF_STR("an interval that does not reach 1 is a change"),
                                   .table = t,
                                   .label = "name",
                                   .panel = "of",
                                   .values = "ratio",
                                   .from = "low",
                                   .to = "high",
                                   .meaning = "verdict",
                                   .value_scale = far ? PF_SCALE_LOG : PF_SCALE_LINEAR,
                                   .mark = 1,
                                   .mark_name = PF_STR("no change")});
}

static void draw_iterations(pf_findings *f, const pf_table_builder *t, pf_time_unit unit)
{
    if (!t || pf_table_rows(t) < 2) {
        return;
    }
    pf_findings_add_figure(
        f,
        &(pf_figure){.name = "compare_iterations",
                     .kind = PF_FIGURE_LINE,
                     .title = PF_STR("Iterations of both runs, one held against the other"),
                     .note = PF_STR("an iteration lasts to the start of the next one, the last one to the end of its "
                                    "anchor"),
                     .table = t,
                     .from = "iteration",
                     .values = "base_ns,new_ns",
                     .value_names = "base,new run",
                     .tip = "iterations,ratio",
                     .unit = unit == PF_UNIT_CYCLE ? PF_STR("cycles") : PF_STR("ns")});
}

/* The names that one side alone has. */
static void draw_one_sided(pf_findings *f, const compare *c, const compare_result *r, pf_time_unit unit)
{
    pf_table_builder *t = new_changes(f, PF_STR("New and vanished names"), unit);
    uint32_t rows = 0;
    for (uint32_t i = 0; i < r->changed && rows < ONE_SIDED_MOST; i++) {
        const compare_row *row = r->by_self[i];
        if (!row->base.calls || !row->now.calls) {
            add_change(f, t, pf_compare_row_text(c, row->name), meaning_of(row), change_of(row),
                       pf_compare_place(c, r, row->name));
            rows++;
        }
    }
    pf_pass_figure(f, &(pf_figure){.name = "compare_one_sided",
                                   .kind = PF_FIGURE_BARS,
                                   .title = PF_STR("New and vanished names"),
                                   .note = PF_STR("their self time, of those that the base alone has below 0"),
                                   .table = t,
                                   .label = "name",
                                   .values = unit == PF_UNIT_CYCLE ? "self_delta_cycles" : "self_delta_ns",
                                   .meaning = "what",
                                   .tip = "place"});
}

void pf_compare_tell(pf_findings *f, const compare *c, const compare_result *r, const compare_side *base,
                     const compare_side *now, pf_time_unit unit)
{
    const pf_table_builder *verdicts = make_verdicts(f, r, unit), *self = make_self(f, c, r, unit),
                           *iterations = make_iterations(f, r, base, now, unit);
    pf_findings_show_columns(f, verdicts, "what,verdict,base_ns,new_ns,ratio,ratio_low,ratio_high");
    if (r->changed) {
        pf_findings_show_columns(f, self,
                                 r->has_devices ? "place,name,verdict,self_delta_ns,ratio,base_self_ns"
                                                : "name,verdict,self_delta_ns,ratio,base_self_ns,new_self_ns");
        draw_changes(f, c, r, unit);
    }
    draw_ratios(f, c, r);
    draw_iterations(f, iterations, unit);
    draw_one_sided(f, c, r, unit);
}
