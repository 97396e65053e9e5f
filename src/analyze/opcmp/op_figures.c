/* analyze/opcmp/op_figures.c - what people look at: report tables of all scenarios, the sentence, figures.
 *
 * The sentence is about the scenario whose total is farthest off. Its figures, like those of every other one, begin
 * with a waterfall from what was measured to what the model predicts: the kernel types with the largest differences,
 * then what all others add up to, so that it ends at the model's total.
 */
#include <inttypes.h>
#include <math.h>

#include "analyze/opcmp/opcmp.h"
#include "analyze/support/pass_memory.h"
#include "base/text/number.h"
#include "postfetto/figure.h"

/* Kernel types in a waterfall and in the bars; scenarios that get figures; "near" is an error below so many percent. */
enum { STEPS_MOST = 12, BARS_MOST = 20, DRAWN_MOST = 8, NEAR = 10 };

const pf_pass_table pf_opcmp_tables[OPCMP_TABLES] = {
    [OPCMP_TABLE_SCENARIOS] = PF_PASS_TABLE(
        "opcmp_scenarios", "a scenario: its totals per forward pass, and how much of what was measured the model has",
        PF_TEXT_COLUMN("scenario"), PF_REAL_COLUMN("passes", -1, ""), PF_REAL_COLUMN("model_us", 1, "us"),
        PF_REAL_COLUMN("measured_us", 1, "us"), PF_REAL_COLUMN("difference_us", 1, "us"),
        PF_REAL_COLUMN("error_percent", 1, "%"), PF_REAL_COLUMN("sum_of_errors_percent", 1, "%"),
        PF_REAL_COLUMN("not_modelled_percent", 1, "%"), PF_INT_COLUMN("kernel_types", ""),
        PF_REAL_COLUMN("hit_us", 1, "us"), PF_REAL_COLUMN("partial_us", 1, "us"), PF_REAL_COLUMN("miss_us", 1, "us"),
        PF_REAL_COLUMN("not_modelled_us", 1, "us")),
    [OPCMP_TABLE_OPERATORS] =
        PF_PASS_TABLE("opcmp_operators", "a kernel type of a scenario: what the model says and what was measured",
                      PF_TEXT_COLUMN("scenario"), PF_TEXT_COLUMN("kernel_type"), PF_TEXT_COLUMN("operators"),
                      PF_TEXT_COLUMN("status"), PF_REAL_COLUMN("model_us", 1, "us"), PF_INT_COLUMN("model_calls", ""),
                      PF_REAL_COLUMN("measured_us", 1, "us"), PF_INT_COLUMN("measured_calls", ""),
                      PF_REAL_COLUMN("error_percent", 1, "%"), PF_REAL_COLUMN("calls_error_percent", 1, "%"),
                      PF_REAL_COLUMN("difference_us", 1, "us"), PF_REAL_COLUMN("share_of_error_percent", 1, "%"),
                      PF_REAL_COLUMN("share_of_time_percent", 1, "%")),
};

static const pf_column step_columns[] = {PF_TEXT_COLUMN("scenario"), PF_TEXT_COLUMN("kernel_type"),
                                         PF_TEXT_COLUMN("what"), PF_REAL_COLUMN("difference_us", 1, "us")};

static pf_table_builder *new_table(pf_findings *f, opcmp_table which, pf_str title)
{
    const pf_pass_table *t = &pf_opcmp_tables[which];
    return pf_table_new_named(f, t->name, title, t->columns, t->column_count);
}

void pf_opcmp_show_begin(opcmp_shown *s, pf_findings *f)
{
    *s = (opcmp_shown){.f = f};
    s->scenarios = new_table(f, OPCMP_TABLE_SCENARIOS, PF_STR("Scenarios, per forward pass"));
    s->operators = new_table(f, OPCMP_TABLE_OPERATORS, PF_STR("Operators of the model against kernels of the device"));
    s->steps = pf_table_new(f, PF_STR("From the measured time to the predicted one"), step_columns,
                            sizeof step_columns / sizeof *step_columns);
}

static pf_str status_word(opcmp_status s)
{
    return s == OPCMP_NOT_MODELLED ? PF_STR("not modelled") : pf_opcmp_status_text(s);
}

static void add_operators(opcmp_shown *s, const opcmp *c, pf_str scenario, const opcmp_rows *rows)
{
    double sizes = pf_opcmp_sum_of_sizes(rows);
    for (size_t i = 0; i < rows->count; i++) {
        const opcmp_row *r = &rows->row[i];
        double difference = pf_opcmp_difference(r);
        PF_TABLE_ROW(s->f, s->operators, pf_cell_text(scenario), pf_cell_text(pf_strings_get(&c->texts, r->kernel)),
                     pf_cell_text(pf_opcmp_functions(s->f, c, r->kernel)), pf_cell_text(status_word(r->status)),
                     pf_cell_real(r->model_us), pf_cell_int((int64_t)r->model_count),
                     pf_cell_real_if(r->per_pass, r->measured_us), pf_cell_int_if(r->per_pass, r->measured_count),
                     pf_cell_real_if(r->has_error, r->error_percent),
                     pf_cell_real_if(r->has_count_error, r->count_error_percent), pf_cell_real(difference),
                     pf_cell_real(pf_opcmp_percent(fabs(difference), sizes)),
                     pf_cell_real(pf_opcmp_percent(r->measured_us, rows->measured_total)));
    }
}

static void add_step(opcmp_shown *s, pf_str scenario, pf_str name, pf_str what, double us)
{
    PF_TABLE_ROW(s->f, s->steps, pf_cell_text(scenario), pf_cell_text(name), pf_cell_text(what), pf_cell_real(us));
}

/* The word for the colour of a difference. */
static pf_str word_of(const opcmp_row *r)
{
    return r->status == OPCMP_NOT_MODELLED ? PF_STR("not modelled")
           : r->measured_us == 0           ? PF_STR("model only")
           : pf_opcmp_difference(r) > 0    ? PF_STR("too long")
                                           : PF_STR("too short");
}

static void add_steps(opcmp_shown *s, const opcmp *c, pf_str scenario, const opcmp_rows *rows, const opcmp_row **sorted)
{
    double longer = 0, shorter = 0;
    size_t above = 0, below = 0;
    add_step(s, scenario, PF_STR("measured"), PF_STR("total"), rows->measured_total);
    for (size_t i = 0; i < rows->count; i++) {
        double difference = pf_opcmp_difference(sorted[i]);
        if (i < STEPS_MOST && difference != 0) {
            add_step(s, scenario, pf_strings_get(&c->texts, sorted[i]->kernel), word_of(sorted[i]), difference);
        } else if (difference != 0) {
            *(difference > 0 ? &longer : &shorter) += difference;
            ++*(difference > 0 ? &above : &below);
        }
    }
    if (above) {
        add_step(s, scenario, pf_findings_format(s->f, "%zu others, too long", above), PF_STR("too long"), longer);
    }
    if (below) {
        add_step(s, scenario, pf_findings_format(s->f, "%zu others, too short", below), PF_STR("too short"), shorter);
    }
    add_step(s, scenario, PF_STR("predicted by the model"), PF_STR("total"), rows->model_total);
}

/* What the sentence says, where no scenario before is farther off. */
static void keep_worst(opcmp_shown *s, const opcmp *c, pf_str scenario, const opcmp_rows *rows,
                       const opcmp_row *largest, double not_modelled)
{
    pf_buffer name = {0};
    pf_pass_put_name(&name, pf_strings_get(&c->texts, largest->kernel));
    opcmp_worst w = {.at = s->count,
                     .scenario = scenario,
                     .kernel = pf_pass_keep_buffer(s->f, &name),
                     .model = rows->model_total,
                     .measured = rows->measured_total,
                     .not_modelled = not_modelled,
                     .difference = pf_opcmp_difference(largest)};
    double off = fabs(pf_opcmp_percent(w.model - w.measured, w.measured));
    w.share = pf_opcmp_percent(fabs(w.difference), pf_opcmp_sum_of_sizes(rows));
    for (size_t i = 0; i < rows->count; i++) {
        w.measured_types += rows->row[i].has_error;
        w.near += rows->row[i].has_error && fabs(rows->row[i].error_percent) < NEAR;
    }
    if (s->count == 0 || off > fabs(pf_opcmp_percent(s->worst.model - s->worst.measured, s->worst.measured))) {
        s->worst = w;
    }
}

pf_status pf_opcmp_show_add(opcmp_shown *s, opcmp *c, pf_str scenario, double passes, const opcmp_rows *rows,
                            pf_error *err)
{
    double by_status[4] = {0}, difference = rows->model_total - rows->measured_total, whole = rows->measured_total;
    bool known = whole > 0 && !isinf(whole);
    const opcmp_row **sorted = pf_opcmp_sorted(c, rows, err);
    if (!sorted || rows->count == 0) {
        return sorted ? PF_OK : err->code;
    }
    scenario = pf_findings_keep(s->f, scenario);
    for (size_t i = 0; i < rows->count; i++) {
        by_status[rows->row[i].status] += rows->row[i].measured_us;
    }
    add_operators(s, c, scenario, rows);
    add_steps(s, c, scenario, rows, sorted);
    PF_TABLE_ROW(
        s->f, s->scenarios, pf_cell_text(scenario), pf_cell_real(passes), pf_cell_real(rows->model_total),
        pf_cell_real(whole), pf_cell_real(difference), pf_cell_real_if(known, pf_opcmp_percent(difference, whole)),
        pf_cell_real_if(known, pf_opcmp_percent(pf_opcmp_sum_of_sizes(rows), whole)),
        pf_cell_real_if(known, pf_opcmp_percent(by_status[OPCMP_NOT_MODELLED], whole)),
        pf_cell_int((int64_t)rows->count), pf_cell_real(by_status[OPCMP_HIT]), pf_cell_real(by_status[OPCMP_PARTIAL]),
        pf_cell_real(by_status[OPCMP_MISS]), pf_cell_real(by_status[OPCMP_NOT_MODELLED]));
    keep_worst(s, c, scenario, rows, sorted[0], by_status[OPCMP_NOT_MODELLED]);
    s->count++;
    return pf_findings_status(s->f, err);
}

/* One decimal of us, from 1 ms on two of ms. */
static pf_str length_text(pf_findings *f, double us, bool sign)
{
    char text[PF_FIXED_MAX];
    bool ms = fabs(us) >= 1000;
    size_t len = pf_format_real_fixed(ms ? us / 1000 : us, ms ? 2 : 1, text);
    return pf_findings_format(f, "%s%.*s %s", sign && us > 0 ? "+" : "", (int)len, text, ms ? "ms" : "us");
}

static pf_str percent_text(pf_findings *f, double percent)
{
    char text[PF_FIXED_MAX];
    return pf_findings_format(f, "%.*s %%", (int)pf_format_real_fixed(percent, 1, text), text);
}

static void set_headline(pf_findings *f, const opcmp_shown *s)
{
    const opcmp_worst *w = &s->worst;
    double error = pf_opcmp_percent(w->model - w->measured, w->measured),
           lacks = pf_opcmp_percent(w->not_modelled, w->measured);
    pf_str model = length_text(f, w->model, false), off = percent_text(f, fabs(error));
    pf_str start = s->count == 1 ? pf_findings_format(f, "%.*s: ", PF_TEXT_ARG(w->scenario))
                                 : pf_findings_format(f, "Of %zu scenarios %.*s is farthest off: ", s->count,
                                                      PF_TEXT_ARG(w->scenario));
    if (!(w->measured > 0) || isinf(w->measured)) {
        pf_findings_set_headline(f, "%.*sthe model predicts %.*s per forward pass, and %s", PF_TEXT_ARG(start),
                                 PF_TEXT_ARG(model),
                                 w->measured <= 0 ? "nothing of it was measured" : "what was measured has no sum");
        return;
    }
    pf_str measured = length_text(f, w->measured, false), largest = length_text(f, w->difference, true);
    pf_str share = percent_text(f, w->share), without = percent_text(f, lacks), has = percent_text(f, 100 - lacks);
    pf_str rest = lacks > 0 ? pf_findings_format(f, "%.*s of the measured time is not modelled", PF_TEXT_ARG(without))
                            : PF_STR("it has all that was measured");
    pf_findings_set_headline(
        f,
        "%.*sthe model predicts %.*s per forward pass, %.*s %s than the %.*s measured; largest error: %.*s, %.*s "
        "(%.*s of all errors); %.*s",
        PF_TEXT_ARG(start), PF_TEXT_ARG(model), PF_TEXT_ARG(off), error > 0 ? "more" : "less", PF_TEXT_ARG(measured),
        PF_TEXT_ARG(w->kernel), PF_TEXT_ARG(largest), PF_TEXT_ARG(share), PF_TEXT_ARG(rest));
    pf_findings_add_highlight(f, "model against device", "%s%.*s", error < 0 ? "-" : "+", PF_TEXT_ARG(off));
    pf_findings_add_highlight(f, "measured time that the model has", "%.*s", PF_TEXT_ARG(has));
    pf_findings_add_highlight(f, "kernel types within 10 %", "%" PRIu32 " of %" PRIu32, w->near, w->measured_types);
}

static void draw_scenario(pf_findings *f, const opcmp_shown *s, size_t i)
{
    pf_str scenario = pf_table_view(s->scenarios)->cells[i * pf_opcmp_tables[OPCMP_TABLE_SCENARIOS].column_count].as.s;
    const char *number = s->count > 1 ? pf_findings_format(f, "_%zu", i + 1).ptr : "";
    const char *named = s->count > 1 ? pf_findings_format(f, "%.*s: ", PF_TEXT_ARG(scenario)).ptr : "";
    if (!number || !named) {
        return; /* no memory, which the findings say */
    }
    pf_findings_add_figure(
        f, &(pf_figure){.name = pf_findings_format(f, "opcmp_change%s", number).ptr,
                        .kind = PF_FIGURE_WATERFALL,
                        .title = pf_findings_format(f, "%sWhat the error of the model is made of", named),
                        .note = PF_STR("time of a forward pass, from what was measured to what the model predicts, the "
                                       "largest differences first; each bar begins where the one above it ends"),
                        .table = s->steps,
                        .label = "kernel_type",
                        .panel = "scenario",
                        .panel_only = scenario,
                        .values = "difference_us",
                        .meaning = "what"});
    pf_findings_add_figure(f, &(pf_figure){.name = pf_findings_format(f, "opcmp_times%s", number).ptr,
                                           .kind = PF_FIGURE_BARS,
                                           .title = pf_findings_format(f, "%sTime by kernel type", named),
                                           .note = PF_STR("of a forward pass, the larger of both times first"),
                                           .table = s->operators,
                                           .label = "kernel_type",
                                           .panel = "scenario",
                                           .panel_only = scenario,
                                           .values = "model_us,measured_us",
                                           .value_names = "model,measured",
                                           .meanings = "model,measured",
                                           .tip = "status,error_percent,model_calls,measured_calls",
                                           .rows = BARS_MOST});
}

static void draw_coverage(pf_findings *f, const opcmp_shown *s)
{
    pf_findings_add_figure(
        f, &(pf_figure){.name = "opcmp_coverage",
                        .kind = PF_FIGURE_STACKED,
                        .title = PF_STR("Measured time by how the model knows it"),
                        .note = PF_STR("hit: from its table of profiled kernels; miss: estimated; partly: both"),
                        .table = s->scenarios,
                        .label = "scenario",
                        .values = "hit_us,partial_us,miss_us,not_modelled_us",
                        .value_names = "hit,partly,miss,not modelled",
                        .meanings = "hit,partly,miss,not modelled"});
}

void pf_opcmp_show_end(opcmp_shown *s)
{
    bool several = s->count > 1;
    if (s->count == 0) {
        return;
    }
    set_headline(s->f, s);
    pf_findings_show_columns(s->f, s->scenarios,
                             "scenario,model_us,measured_us,error_percent,sum_of_errors_percent,not_modelled_percent,"
                             "difference_us,passes,kernel_types");
    pf_findings_show_columns(
        s->f,
        pf_pass_sorted(s->f, s->operators, "share_of_error_percent", false,
                       PF_STR("Kernel types that add most to the error")),
        several ? "scenario,kernel_type,difference_us,error_percent,model_us,measured_us,status,share_of_error_percent,"
                  "model_calls,measured_calls"
                : "kernel_type,difference_us,error_percent,model_us,measured_us,status,share_of_error_percent,"
                  "model_calls,measured_calls");
    draw_scenario(s->f, s, s->worst.at);
    for (size_t i = 0; i < s->count && i < DRAWN_MOST; i++) {
        if (i != s->worst.at) {
            draw_scenario(s->f, s, i);
        }
    }
    draw_coverage(s->f, s);
}
