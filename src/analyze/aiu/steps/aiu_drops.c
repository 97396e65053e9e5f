/* analyze/aiu/steps/aiu_drops.c - slices that go or change where an option asks for it: --event_filter (regular
 * expressions over attributes), --drop_globals, -s, -O async, --filter. */
#include "analyze/aiu/steps/aiu_steps.h"
#include "analyze/support/name_pattern.h"
#include "base/str.h"
#include "base/text/number.h"

/* An expression of nothing fits everything. */
static void drop_if_found(aiu_run *run, uint32_t e, const pf_name_pattern *p, pf_str text)
{
    bool found = p->code ? pf_name_pattern_finds(p, text) : text.ptr != NULL;
    run->events.flags[e] |= found ? AIU_DROPPED : 0;
}

static bool is_complete(aiu_run *run, uint32_t e)
{
    return run->events.phase[e] == 'X';
}

static void filter_members(aiu_run *run, const aiu_filter *f, const pf_name_pattern *p)
{
    const aiu_events *v = &run->events;
    char room[PF_NUMBER_MAX];
    for (uint32_t i = 0, e; pf_aiu_next(run, is_complete, &i, &e);) {
        pf_str member = pf_str_is(f->attribute, "name")  ? pf_aiu_text_of(run, v->name[e])
                        : pf_str_is(f->attribute, "cat") ? pf_aiu_text_of(run, v->cat[e])
                        : pf_str_is(f->attribute, "pid") ? pf_aiu_pid_text(run, v->pid[e])
                        : pf_str_is(f->attribute, "tid") ? pf_aiu_pid_text(run, v->tid[e])
                        : pf_str_is(f->attribute, "ts")  ? (pf_str){room, pf_format_real(v->ts[e] + run->origin, room)}
                        : pf_str_is(f->attribute, "dur") ? (pf_str){room, pf_format_real(v->dur[e], room)}
                                                         : (pf_str){NULL, 0};
        drop_if_found(run, e, p, member);
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
    for (uint32_t i = 0; c && i < rows.count; i++) {
        const pf_arg_column *text = pf_arg_column_at(c, 0), *real = pf_arg_column_at(c, 1);
        pf_str value = pf_arg_has(text, i)   ? pf_arg_columns_text(c, text->values.text[i])
                       : pf_arg_has(real, i) ? (pf_str){room, pf_format_real(real->values.d[i], room)}
                                             : (pf_str){NULL, 0};
        drop_if_found(run, rows.list[i], p, value);
    }
    pf_arg_columns_free(c);
}

/* The log shows them as Python prints a dictionary of expressions. */
void pf_aiu_apply_filters(aiu_run *run)
{
    const aiu_settings *s = &run->set;
    pf_str list = {"", 0};
    for (size_t i = 0; i < s->filters_skipped; i++) {
        pf_aiu_log(run, "WARNING", "FLTR: key:regex pattern not found in event filter. Skipping %.*s",
                   PF_TEXT_ARG(s->skipped[i]));
    }
    for (size_t i = 0; i < s->filter_count; i++) {
        list = pf_findings_format(run->findings, "%.*s%s'%.*s': re.compile('%.*s')", PF_TEXT_ARG(list), i ? ", " : "",
                                  PF_TEXT_ARG(s->filters[i].attribute), PF_TEXT_ARG(s->filters[i].pattern));
    }
    if (s->filter_count) {
        pf_aiu_log(run, "INFO", "FLTR: Event filtering is active. %zu filters enabled: {%.*s}", s->filter_count,
                   PF_TEXT_ARG(list));
    }
    for (size_t i = 0; i < s->filter_count && !pf_aiu_failed(run); i++) {
        const aiu_filter *f = &s->filters[i];
        pf_str what = pf_findings_format(run->findings, "--event_filter: the expression '%.*s' is wrong",
                                         (int)(f->pattern.len < 200 ? f->pattern.len : 200), f->pattern.ptr);
        pf_name_pattern p;
        if (pf_name_pattern_init(&p, what.ptr ? what.ptr : "", f->pattern, &run->error) == PF_OK) {
            (pf_str_starts(f->attribute, PF_STR("args.")) ? filter_arguments : filter_members)(run, f, &p);
        }
        pf_name_pattern_free(&p);
    }
}

/* Slices of the host that span what several devices do. */
static bool is_global(aiu_run *run, uint32_t e)
{
    static const char *const words[] = {"AllocateFrame of graph", "SenFusedDeviceNode", "Flex RoundTrip", "HostPrep",
                                        "AIU Roundtrip"};
    bool host = pf_aiu_is_slice(run, e) && !pf_aiu_is_device(run, e), global = false;
    for (size_t i = 0; host && !global && i < sizeof words / sizeof *words; i++) {
        global = pf_aiu_contains(pf_aiu_text_of(run, run->events.name[e]), words[i]);
    }
    return global;
}

void pf_aiu_drop_globals(aiu_run *run)
{
    for (uint32_t i = 0, e; pf_aiu_next(run, is_global, &i, &e);) {
        run->events.flags[e] |= AIU_DROPPED;
    }
    pf_aiu_compact(run);
}

/* The length of a step: for acelyzer 1/1120 us shorter, in ns, and none where it is below 1/560 us. */
static double length_of(const aiu_run *run, uint32_t e, unsigned from)
{
    double begin = pf_aiu_ts_all(run, e, from), end = pf_aiu_ts_all(run, e, from + 1), least = 1 / 560.0;
    return !pf_aiu_rule(run, AIU_CUT_STEPS) ? pf_aiu_device_time(run, e, from + 1) - pf_aiu_device_time(run, e, from)
           : begin + least <= end           ? pf_aiu_round(end - begin - least / 2, 3)
                                            : 0;
}

static void add_part(aiu_run *run, uint32_t e, unsigned from, const char *suffix)
{
    aiu_events *v = &run->events;
    pf_str name = pf_aiu_text_of(run, v->name[e]);
    uint32_t text = pf_aiu_text(run, pf_findings_format(run->findings, "%.*s%s", PF_TEXT_ARG(name), suffix));
    uint32_t part = pf_aiu_add_event_like(run, 'X', e);
    if (part != PF_NONE) {
        v->name[part] = text;
        v->group[part] = v->peer[part] = v->peers[part] = v->type[part] = 0; /* a part is no transfer of a collective */
        v->ts[part] = pf_aiu_ts_all(run, e, from);
        v->dur[part] = length_of(run, e, from);
        v->flags[part] |= v->dur[part] > 0 || !pf_aiu_rule(run, AIU_CUT_STEPS) ? 0 : AIU_DROPPED;
    }
}

/* A device slice whose name says no step becomes the three that its counters tell; slices of kernels that wait go. */
void pf_aiu_split_slices(aiu_run *run)
{
    aiu_events *v = &run->events;
    for (uint32_t i = 0, count = run->alive; i < count; i++) {
        uint32_t e = run->order[i];
        if (!pf_aiu_is_slice(run, e) || !(v->flags[e] & AIU_ON_CLOCK)) {
            continue;
        }
        unsigned op = pf_aiu_name(run, v->name[e])->has;
        if (op == AIU_OP_NONE) {
            add_part(run, e, 1, "_DmaI");
            add_part(run, e, 3, "_Cmpt");
            add_part(run, e, 4, "_DmaO");
        } else if (pf_aiu_rule(run, AIU_CUT_STEPS)) {
            v->flags[e] |= (op + 1) << AIU_STEP_SHIFT;
            v->dur[e] = length_of(run, e, op + 1);
            v->flags[e] |= v->dur[e] > 0 ? 0 : AIU_DROPPED;
        }
        v->flags[e] |= op == AIU_OP_NONE || op == AIU_OP_PREP ? AIU_DROPPED : 0;
    }
    pf_aiu_compact(run);
}

/* With -O async, names that differ in a request id alone are one: "_DIGITS" before one of "_- " goes, wherever it is,
 * each for a blank; the first one becomes an argument. */
void pf_aiu_remove_ids(aiu_run *run)
{
    aiu_place first;
    for (uint32_t i = 0, e; pf_aiu_next(run, pf_aiu_is_any_slice, &i, &e);) {
        pf_str name = pf_aiu_text_of(run, run->events.name[e]);
        if (!pf_aiu_contains(name, "Recv_") && pf_aiu_find(name, 0, "_#?", &first)) {
            pf_aiu_add_text(run, e, PF_STR("reqID"), first.digits);
            run->events.name[e] = pf_aiu_replace(run, run->events.name[e], "_#?", " ", true);
        }
    }
}

/* Only the phases that --filter names stay. */
void pf_aiu_keep_types(aiu_run *run)
{
    pf_str types = run->set.keep_types;
    aiu_arrows *a = &run->arrows;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        bool keeps = memchr(types.ptr, run->events.phase[run->order[i]], types.len);
        run->events.flags[run->order[i]] |= keeps ? 0 : AIU_DROPPED;
    }
    pf_aiu_compact(run);
    run->samples.count = memchr(types.ptr, 'C', types.len) ? run->samples.count : 0;
    for (uint32_t i = 0; i < a->count; i++) {
        if (memchr(types.ptr, a->phase[i], types.len)) {
            pf_columns_move(&a->columns, kept++, i);
        }
    }
    a->count = kept;
}
