/* analyze/tinygrad/facts/tg_input.c - finds the side tables of a profile and their columns by name. */
#include "analyze/tinygrad/facts/tg_input.h"

#include "base/str.h"
#include "model/trace/trace.h"

#define BIND_ROW(name) PF_SIDE_MEMBER(of, name, #name),
#define BIND_AS(member, name) PF_SIDE_MEMBER(of, member, name),
#define BIND(table, name, columns)                                                                                     \
    static pf_status bind_##table(tg_input *in, const pf_trace *t, pf_error *err)                                      \
    {                                                                                                                  \
        typedef tg_##table of;                                                                                         \
        static const pf_side_binding bindings[] = {columns};                                                           \
        return pf_side_bind(pf_trace_table(t, name), bindings, sizeof bindings / sizeof *bindings, &in->table, err);   \
    }
/* cppcheck-suppress nullPointer; only the types of members are asked for */
TG_TABLES(BIND, BIND_ROW, BIND_ROW, BIND_ROW, BIND_AS)

static pf_status bind_all(tg_input *in, const pf_trace *t, pf_error *err)
{
#define BINDER(table, name, columns) bind_##table,
    static pf_status (*const binders[])(tg_input *, const pf_trace *, pf_error *) = {TG_TABLES(BINDER, , , , )};
    for (size_t i = 0; i < sizeof binders / sizeof *binders; i++) {
        PF_TRY(binders[i](in, t, err));
    }
    return PF_OK;
}

pf_status pf_tg_open(tg_input *in, const pf_trace *t, pf_findings *f, const struct tg_estimates *estimates,
                     pf_error *err)
{
    *in = (tg_input){.t = t, .f = f, .estimates = estimates};
    PF_TRY(bind_all(in, t, err));
    in->kinds = (tg_kinds){.range = pf_trace_find_string(t, PF_STR("range")),
                           .point = pf_trace_find_string(t, PF_STR("point")),
                           .entry = pf_trace_find_string(t, PF_STR("entry")),
                           .batch = pf_trace_find_string(t, PF_STR("batch"))};
    uint32_t generation = in->profiles.count ? in->profiles.generation[0] : 0;
    in->generation = pf_tg_is(in, generation, "dec25")   ? TG_DEC25
                     : pf_tg_is(in, generation, "mid26") ? TG_MID26
                                                         : TG_AUG26;
    for (uint32_t i = 0; i < in->events.count; i++) {
        in->event_count += in->events.kind[i] != in->kinds.entry && in->events.kind[i] != in->kinds.batch;
    }
    return PF_OK;
}

tg_rows pf_tg_rows_of(const uint32_t *column, uint32_t count, uint32_t value)
{
    return count ? (tg_rows){pf_rows_lower_bound(column, count, value), pf_rows_lower_bound(column, count, value + 1)}
                 : (tg_rows){0, 0};
}

uint32_t pf_tg_find(const uint32_t *column, uint32_t count, uint32_t value)
{
    uint32_t at = count ? pf_rows_lower_bound(column, count, value) : 0;
    return at < count && column[at] == value ? at : PF_NONE;
}

pf_str pf_tg_string(const tg_input *in, uint32_t id)
{
    return id == PF_NONE ? (pf_str){NULL, 0} : pf_trace_string(in->t, id);
}

bool pf_tg_is(const tg_input *in, uint32_t id, const char *text)
{
    return pf_str_is(pf_tg_string(in, id), text);
}

uint32_t pf_tg_program_of(const tg_input *in, tg_kernel k)
{
    const tg_programs *p = &in->programs;
    for (uint32_t i = p->count; i > 0; i--) {
        bool numbered = p->tag[i - 1] != INT64_MIN;
        if (numbered ? p->tag[i - 1] == k.tag : k.name && p->name[i - 1] == k.name) {
            return i - 1;
        }
    }
    return PF_NONE;
}

pf_str pf_tg_kernel_name(const tg_input *in, tg_kernel k)
{
    uint32_t program = pf_tg_program_of(in, k);
    if (program != PF_NONE) {
        return pf_tg_string(in, in->programs.name[program]);
    }
    return k.name ? pf_tg_string(in, k.name) : pf_findings_format(in->f, "%lld", (long long)k.tag);
}

pf_status pf_tg_visit_events(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const tg_input *in = of;
    return pf_visit_input(in->t, 0, v, err);
}
