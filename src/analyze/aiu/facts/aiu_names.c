/* analyze/aiu/facts/aiu_names.c - what a name says of its event.
 *
 * The names of device events end in what the device did: " DmaI", " Cmpt Prep", " Cmpt Exec", " DmaO". A name is looked
 * at once, whatever the number of its events.
 */

#include "analyze/aiu/facts/aiu_facts.h"

/* The end of a pattern that begins at text[i]; 0: it does not. */
static size_t end_of(pf_str text, size_t i, const char *pattern, pf_str *digits)
{
    for (; *pattern; pattern++) {
        char c = i < text.len ? text.ptr[i] : '\0';
        size_t from = i;
        if (*pattern == '#') {
            while (i < text.len && pf_is_digit(text.ptr[i])) {
                i++;
            }
            *digits = (pf_str){text.ptr + from, i - from};
        } else if (i < text.len) {
            bool mark = c == '_' || c == '-';
            i += *pattern == '~' ? mark : *pattern == '?' ? mark || c == ' ' : c == *pattern;
        }
        if (i == from) {
            return 0;
        }
    }
    return i;
}

bool pf_aiu_find(pf_str text, size_t at, const char *pattern, aiu_place *out)
{
    out->to = 0;
    for (; at < text.len && !out->to; at++) {
        out->from = at;
        out->to = end_of(text, at, pattern, &out->digits);
    }
    return out->to;
}

uint32_t pf_aiu_replace(aiu_run *run, uint32_t text, const char *pattern, const char *by, bool all)
{
    pf_str old = pf_aiu_text_of(run, text);
    pf_buffer b = {0};
    aiu_place p;
    size_t at = 0;
    while ((all || at == 0) && pf_aiu_find(old, at, pattern, &p)) {
        pf_buffer_put(&b, old.ptr + at, p.from - at);
        pf_buffer_text(&b, by);
        at = p.to;
    }
    if (at == 0) {
        return text;
    }
    pf_buffer_put(&b, old.ptr + at, old.len - at);
    return pf_aiu_buffer_text(run, &b);
}

static const char *const op_words[AIU_OP_NONE] = {" DmaI", "Cmpt Prep", "Cmpt Exec", " DmaO"};

static aiu_name read_name(pf_str text)
{
    aiu_name n = {.flags = AIU_NAME_KNOWN, .ends = AIU_OP_NONE, .has = AIU_OP_NONE};
    size_t launch = pf_str_find(text, PF_STR("Launch"));
    for (unsigned op = AIU_OP_NONE; op-- > 0;) {
        n.ends = pf_str_ends(text, pf_str_of(op_words[op])) ? (uint8_t)op : n.ends;
        n.has = pf_aiu_contains(text, op_words[op]) ? (uint8_t)op : n.has;
    }
    n.flags |= pf_aiu_contains(text, "Cmpt Exec") ? AIU_NAME_HAS_EXEC : 0;
    n.flags |= pf_aiu_contains(text, " Prep") ? AIU_NAME_PREP : 0;
    n.flags |= pf_aiu_contains(text, "SenRdma") ? AIU_NAME_SEN_RDMA : 0;
    n.flags |= pf_aiu_contains(text, "AIU Roundtrip") ? AIU_NAME_ROUNDTRIP : 0;
    bool block = launch != SIZE_MAX && pf_aiu_contains(pf_str_from(text, launch), "ControlBlock");
    n.flags |= block ? AIU_NAME_LAUNCH : 0;
    return n;
}

const aiu_name *pf_aiu_name(aiu_run *run, uint32_t text)
{
    aiu_name *n = &run->names[text];
    if (!n->flags) {
        *n = read_name(pf_aiu_text_of(run, text));
    }
    return n;
}

unsigned pf_aiu_step(aiu_run *run, uint32_t e)
{
    unsigned op = pf_aiu_name(run, run->events.name[e])->has;
    if (op != AIU_OP_NONE || !(run->events.flags[e] & AIU_TORCH) || pf_aiu_rule(run, AIU_FLEX_ALONE)) {
        return op;
    }
    pf_str name = pf_aiu_text_of(run, run->events.name[e]);
    return pf_str_is(pf_aiu_text_of(run, run->events.cat[e]), "kernel") ? AIU_OP_EXEC
           : pf_aiu_contains(name, "(HtoD)")                            ? AIU_OP_DMAI
           : pf_aiu_contains(name, "(DtoH)")                            ? AIU_OP_DMAO
                                                                        : AIU_OP_NONE;
}

bool pf_aiu_is_second_view(const aiu_run *run, uint32_t e)
{
    uint32_t rank = run->events.rank[e];
    return run->events.flags[e] & AIU_TORCH && rank < run->twice_count && run->twice[rank];
}

bool pf_aiu_is_kernel(aiu_run *run, uint32_t e)
{
    const aiu_events *v = &run->events;
    if (!pf_aiu_is_slice(run, e) || pf_aiu_is_second_view(run, e)) {
        return false;
    }
    bool torch = v->flags[e] & AIU_TORCH && !run->of_gpu && !pf_aiu_rule(run, AIU_FLEX_ALONE);
    return pf_aiu_name(run, v->name[e])->flags & AIU_NAME_HAS_EXEC ||
           (torch && pf_str_is(pf_aiu_text_of(run, v->cat[e]), "kernel"));
}

bool pf_aiu_stage_on(const aiu_run *run, const char *name)
{
    size_t i = 0;
    while (i < run->stage_count && strcmp(run->stages[i].name, name) != 0) {
        i++;
    }
    return i < run->stage_count && run->on[i];
}
