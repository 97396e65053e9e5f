/* analyze/aiu/enriched/aiu_derived_args.c - arguments of an event: those of the input, then what stages know, which
 * takes the place of an argument of the input that has its name.
 */
#include <string.h>

#include "analyze/aiu/enriched/aiu_enriched.h"

static void add_extra(const aiu_run *run, pf_builder *b, const aiu_extra *x)
{
    pf_str key = pf_aiu_text_of(run, x->key);
    switch (x->type) {
    case AIU_EXTRA_INT:
        pf_build_arg_int(b, key, x->as.i);
        break;
    case AIU_EXTRA_REAL:
        pf_build_arg_real(b, key, x->as.d);
        break;
    case AIU_EXTRA_TEXT:
    case AIU_EXTRA_JSON:
        pf_build_arg_text(b, key, pf_aiu_text_of(run, x->as.text));
        break;
    }
}

void pf_aiu_add_extras(const aiu_run *run, uint32_t event, pf_builder *b)
{
    for (uint32_t x = run->events.extra[event]; x != PF_NONE; x = run->extras.list[x].next) {
        add_extra(run, b, &run->extras.list[x]);
    }
}

void pf_aiu_copy_args(const aiu_run *run, uint32_t event, pf_builder *b)
{
    uint32_t row = run->events.row[event], flags = run->events.flags[event];
    if (row != PF_NONE) {
        pf_build_copy_args(b, row);
    }
    if (flags & AIU_PEER_LISTED) {
        pf_build_drop_arg(b, PF_STR("Peer"));
    }
    pf_aiu_add_extras(run, event, b);
    if (flags & AIU_HAS_CLASS) {
        const char *class = pf_aiu_class_name((aiu_class)run->events.class[event]);
        pf_build_arg_text(b, PF_STR("class"), (pf_str){class, strlen(class)});
    }
    pf_build_arg_text(b, PF_STR("jobname"), run->jobs[run->events.job[event]].name);
}
