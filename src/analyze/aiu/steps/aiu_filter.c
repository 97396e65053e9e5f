/* analyze/aiu/steps/aiu_filter.c - --event_filter: regular expressions over attributes of slices. */
#include "analyze/aiu/steps/aiu_steps.h"
#include "analyze/support/name_pattern.h"
#include "base/text/number.h"

/* An expression of nothing fits everything. */
static bool finds(const pf_name_pattern *p, pf_str text)
{
    return p->code ? pf_name_pattern_finds(p, text) : text.ptr != NULL;
}

/* A member of the event itself. */
static pf_str member_of(aiu_run *run, uint32_t row, pf_str attribute, char room[PF_NUMBER_MAX])
{
    const aiu_events *e = &run->events;
    if (pf_str_is(attribute, "name")) {
        return pf_aiu_text_of(run, e->name[row]);
    }
    if (pf_str_is(attribute, "cat")) {
        return pf_aiu_text_of(run, e->cat[row]);
    }
    if (pf_str_is(attribute, "pid") || pf_str_is(attribute, "tid")) {
        return pf_aiu_pid_text(run, attribute.ptr[0] == 'p' ? e->pid[row] : e->tid[row]);
    }
    if (pf_str_is(attribute, "ts") || pf_str_is(attribute, "dur")) {
        double v = attribute.ptr[0] == 't' ? e->ts[row] + run->origin : e->dur[row];
        return (pf_str){room, pf_format_real(v, room)};
    }
    return (pf_str){NULL, 0};
}

static void filter_members(aiu_run *run, const aiu_filter *f, const pf_name_pattern *p)
{
    char room[PF_NUMBER_MAX];
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i];
        if (run->events.phase[row] == 'X' && finds(p, member_of(run, row, f->attribute, room))) {
            run->events.flags[row] |= AIU_DROPPED;
        }
    }
}

static bool has_arguments(aiu_run *run, uint32_t e)
{
    return run->events.phase[e] == 'X' && run->events.row[e] != PF_NONE;
}

/* An argument: as a text, or as the number that it is. */
static void filter_arguments(aiu_run *run, const aiu_filter *f, const pf_name_pattern *p)
{
    char key[256], room[PF_NUMBER_MAX];
    size_t len = f->attribute.len - 5 < sizeof key - 1 ? f->attribute.len - 5 : sizeof key - 1;
    memcpy(key, f->attribute.ptr + 5, len);
    key[len] = '\0';
    const pf_arg_key keys[] = {{.key = key, .type = PF_ARG_TEXT}, {.key = key, .type = PF_ARG_REAL}};
    aiu_rows rows = pf_aiu_rows(run, has_arguments);
    pf_arg_columns *c = pf_aiu_arguments(run, rows, keys, 2);
    if (!c) {
        return;
    }
    const pf_arg_column *text = pf_arg_column_at(c, 0), *real = pf_arg_column_at(c, 1);
    for (uint32_t i = 0; i < rows.count; i++) {
        pf_str value = pf_arg_has(text, i)   ? pf_arg_columns_text(c, text->values.text[i])
                       : pf_arg_has(real, i) ? (pf_str){room, pf_format_real(real->values.d[i], room)}
                                             : (pf_str){NULL, 0};
        run->events.flags[rows.list[i]] |= finds(p, value) ? AIU_DROPPED : 0;
    }
    pf_arg_columns_free(c);
}

/* Which filters there are, as Python prints a dictionary of expressions. */
static void report(aiu_run *run)
{
    pf_str list = {"", 0};
    for (size_t i = 0; i < run->set.filter_count; i++) {
        const aiu_filter *f = &run->set.filters[i];
        list = pf_findings_format(run->findings, "%.*s%s'%.*s': re.compile('%.*s')", PF_TEXT_ARG(list), i ? ", " : "",
                                  PF_TEXT_ARG(f->attribute), PF_TEXT_ARG(f->pattern));
    }
    pf_aiu_log(run, "INFO", "FLTR: Event filtering is active. %zu filters enabled: {%.*s}", run->set.filter_count,
               PF_TEXT_ARG(list));
}

void pf_aiu_apply_filters(aiu_run *run)
{
    for (size_t i = 0; i < run->set.filters_skipped; i++) {
        pf_aiu_log(run, "WARNING", "FLTR: key:regex pattern not found in event filter. Skipping %.*s",
                   PF_TEXT_ARG(run->set.skipped[i]));
    }
    if (run->set.filter_count) {
        report(run);
    }
    for (size_t i = 0; i < run->set.filter_count && !pf_aiu_failed(run); i++) {
        const aiu_filter *f = &run->set.filters[i];
        pf_str what = pf_findings_format(run->findings, "--event_filter: the expression '%.*s' is wrong",
                                         (int)(f->pattern.len < 200 ? f->pattern.len : 200), f->pattern.ptr);
        pf_name_pattern p;
        if (pf_name_pattern_init(&p, what.ptr ? what.ptr : "", f->pattern, &run->error) == PF_OK) {
            (pf_str_starts(f->attribute, PF_STR("args.")) ? filter_arguments : filter_members)(run, f, &p);
        }
        pf_name_pattern_free(&p);
    }
}
