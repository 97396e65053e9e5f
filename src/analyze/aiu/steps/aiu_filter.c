/* analyze/aiu/steps/aiu_filter.c - --event_filter: regular expressions over attributes of slices. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "analyze/aiu/steps/aiu_steps.h"
#include "base/text/number.h"
#include "postfetto/arg_columns.h"

/* An expression may try so often at most: it comes from the user, the texts do not. */
enum { TRIES_MAX = 1000000 };

typedef struct matcher {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
} matcher;

static void free_matcher(matcher *m)
{
    pcre2_match_context_free(m->limits);
    pcre2_match_data_free(m->data);
    pcre2_code_free(m->code);
}

/* False: the run failed; nothing is left to be freed. */
static bool compile(aiu_run *run, const aiu_filter *f, matcher *m)
{
    int code;
    PCRE2_SIZE at;
    m->code = pcre2_compile((PCRE2_SPTR)f->pattern.ptr, f->pattern.len, 0, &code, &at, NULL);
    if (!m->code) {
        pf_fail(&run->error, PF_ERR_USAGE, "--event_filter: the expression '%.*s' is wrong at its byte %zu",
                (int)(f->pattern.len < 200 ? f->pattern.len : 200), f->pattern.ptr, (size_t)at);
        return false;
    }
    m->data = pcre2_match_data_create_from_pattern(m->code, NULL);
    m->limits = pcre2_match_context_create(NULL);
    if (!m->data || !m->limits) {
        free_matcher(m);
        pf_no_memory(&run->error);
        return false;
    }
    pcre2_set_match_limit(m->limits, TRIES_MAX);
    return true;
}

static bool finds(const matcher *m, pf_str text)
{
    return text.ptr && pcre2_match(m->code, (PCRE2_SPTR)text.ptr, text.len, 0, 0, m->data, m->limits) >= 0;
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

static void filter_members(aiu_run *run, const aiu_filter *f, const matcher *m)
{
    char room[PF_NUMBER_MAX];
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i];
        if (run->events.phase[row] == 'X' && finds(m, member_of(run, row, f->attribute, room))) {
            run->events.flags[row] |= AIU_DROPPED;
        }
    }
}

static bool has_arguments(aiu_run *run, uint32_t e)
{
    return run->events.phase[e] == 'X' && run->events.row[e] != PF_NONE;
}

/* An argument: as a text, or as the number that it is. */
static void filter_arguments(aiu_run *run, const aiu_filter *f, const matcher *m)
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
        run->events.flags[rows.list[i]] |= finds(m, value) ? AIU_DROPPED : 0;
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
        matcher m = {NULL, NULL, NULL};
        if (compile(run, f, &m)) {
            (pf_str_starts(f->attribute, PF_STR("args.")) ? filter_arguments : filter_members)(run, f, &m);
            free_matcher(&m);
        }
    }
}
