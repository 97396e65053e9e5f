/* edit/merge/switches.c - what cpus ran, over the edges of parts.
 *
 * A part whose first bundle of a cpu straddles its start begins with the last switch before it, moved to the start, so
 * that what ran then is known (edit/cut/cut_bundles.c). Where the part before has that switch it is left out: the run
 * is whole again. It is known by what it says, all but the time, as that of the last switch of the cpu so far.
 */
#include "base/list.h"
#include "edit/merge/merge.h"
#include "perfetto/fields.h"

enum { SCHED_SWITCH = 4 };

/* What a switch says; never 0. */
static uint64_t mark_of_entry(const merge *m, const pf_sched_entry *e)
{
    const int64_t says[] = {e->pid, e->prio, e->state};
    return pf_merge_hash(m, (pf_str){(const char *)says, sizeof says}) | 1;
}

static uint64_t mark_of_event(const merge *m, const pf_ftrace_event *e)
{
    return pf_merge_hash(m, (pf_str){(const char *)e->body, e->len}) | 1;
}

/* The switches of a bundle that come first and last in time; NULL: its events are none. */
static void find_ends(const pf_ftrace_bundle *b, const pf_ftrace_event **first, const pf_ftrace_event **last)
{
    *first = *last = NULL;
    for (uint32_t i = 0; i < b->event_count; i++) {
        const pf_ftrace_event *e = &b->event[i];
        if (e->kind == SCHED_SWITCH) {
            *first = !*first || e->ts < (*first)->ts ? e : *first;
            *last = !*last || e->ts >= (*last)->ts ? e : *last;
        }
    }
}

pf_status pf_merge_find_standing(merge *m, merge_input *in, const pf_raw_packet *p, merge_standing *out, pf_error *err)
{
    merge_space *s = &m->space[in->space];
    pf_ftrace_bundle *b = &m->bundle;
    const pf_ftrace_event *first, *last;
    *out = (merge_standing){.event = NULL};
    b->budget = &m->budget;
    PF_TRY(pf_ftrace_decode(p->content.bytes, p->content.len, b, err));
    find_ends(b, &first, &last);
    const pf_sched_list *l = &b->switches;
    if (!b->has_cpu || b->cpu >= PF_FTRACE_CPUS || (!first && l->count == 0)) {
        return PF_OK;
    }
    PF_TRY(s->last_switch ? PF_OK : PF_LIST_NEW(&m->budget, s->last_switch, PF_FTRACE_CPUS, err));
    uint64_t *known = &s->last_switch[b->cpu], *seen = &in->cpus[b->cpu / 64], bit = UINT64_C(1) << b->cpu % 64;
    if (*known && !(*seen & bit)) {
        out->compact = l->count > 1 && mark_of_entry(m, &l->entry[0]) == *known;
        out->event = first && mark_of_event(m, first) == *known ? first->body : NULL;
    }
    *seen |= bit;
    bool of_list = l->count && (!last || l->entry[l->count - 1].ts > last->ts);
    *known = of_list ? mark_of_entry(m, &l->entry[l->count - 1]) : mark_of_event(m, last);
    return PF_OK;
}

/* A column of switches without its first value; of times the second one counts from there on. */
static void put_rest(pf_writer *out, const pf_field *f)
{
    const uint8_t *at = f->bytes, *end = at + f->len;
    uint64_t first = 0, second = 0;
    at = pf_varint(at, end, &first);
    bool times = pf_field_number(f) == PF_F_COMPACT_SWITCH_TIMESTAMP;
    const uint8_t *rest = at && times ? pf_varint(at, end, &second) : at;
    if (!rest) {
        return;
    }
    pf_writer_begin(out, pf_field_number(f));
    if (times && pf_writer_room(out, PF_VARINT_MAX)) {
        uint8_t *start = (uint8_t *)out->out->data + out->out->len;
        out->out->len += (size_t)(pf_store_varint(start, first + second) - start);
    }
    pf_writer_raw(out, rest, (size_t)(end - rest));
    pf_writer_end(out);
}

static void put_compact(pf_writer *out, const pf_field *compact)
{
    pf_cursor c = pf_field_cursor(compact);
    const uint8_t *from = c.at;
    pf_field f;
    pf_writer_begin(out, PF_F_FTRACE_COMPACT_SCHED);
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        uint32_t number = pf_field_number(&f);
        bool of_switch = number <= PF_F_COMPACT_SWITCH_NEXT_PRIO || number == PF_F_COMPACT_SWITCH_NEXT_COMM;
        if (of_switch && f.tag == PF_TAG_BYTES(number)) {
            put_rest(out, &f);
        } else {
            pf_writer_raw(out, from, (size_t)(c.at - from));
        }
    }
    pf_writer_end(out);
}

void pf_merge_put_bundle(pf_writer *out, const pf_field *bundle, const merge_standing *without)
{
    pf_cursor c = pf_field_cursor(bundle);
    const uint8_t *from = c.at;
    pf_field f;
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        bool is =
            f.tag == PF_TAG_BYTES(PF_F_FTRACE_EVENT) && without->event >= f.bytes && without->event < f.bytes + f.len;
        if (f.tag == PF_TAG_BYTES(PF_F_FTRACE_COMPACT_SCHED) && without->compact) {
            put_compact(out, &f);
        } else if (!is) {
            pf_writer_raw(out, from, (size_t)(c.at - from));
        }
    }
}
