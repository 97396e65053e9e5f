/* edit/merge/switches.c - what cpus ran, over the edges of parts.
 *
 * A part whose first bundle of a cpu straddles its start begins with the last switch before it, moved to the start, so
 * that what ran then is known, and says when that was (edit/cut/cut_bundles.c). Where the parts before go on to that
 * time they have it, and it is left out: the run is whole again.
 */
#include "base/list.h"
#include "edit/cut/cut_source.h"
#include "edit/merge/merge.h"
#include "perfetto/fields.h"

/* When the last switch of a bundle was; false: there is none. */
static bool find_last(const pf_ftrace_bundle *b, int64_t *last)
{
    bool any = false;
    for (uint32_t i = 0; i < b->switches.count; i++) {
        *last = any && *last > b->switches.entry[i].ts ? *last : b->switches.entry[i].ts;
        any = true;
    }
    for (uint32_t i = 0; i < b->event_count; i++) {
        if (b->event[i].kind == PF_FTRACE_SCHED_SWITCH) {
            *last = any && *last > b->event[i].ts ? *last : b->event[i].ts;
            any = true;
        }
    }
    return any;
}

pf_status pf_merge_find_standing(merge *m, merge_input *in, const pf_raw_packet *p, merge_standing *out, pf_error *err)
{
    merge_space *s = &m->space[in->space];
    pf_ftrace_bundle *b = &m->bundle;
    int64_t last = 0;
    *out = (merge_standing){.event = NULL};
    b->budget = &m->budget;
    PF_TRY(pf_ftrace_decode(p->content.bytes, p->content.len, b, err));
    if (!b->has_cpu || b->cpu >= PF_FTRACE_CPUS || !find_last(b, &last)) {
        return PF_OK;
    }
    PF_TRY(s->last_switch ? PF_OK : PF_LIST_NEW(&m->budget, s->last_switch, PF_FTRACE_CPUS, err));
    merge_switch *known = &s->last_switch[b->cpu];
    uint64_t *seen = &in->cpus[b->cpu / 64], bit = UINT64_C(1) << b->cpu % 64;
    if (known->any && !(*seen & bit)) {
        const pf_cursor c = pf_field_cursor(&p->content);
        const pf_field entry = pf_cursor_last(c, PF_TAG_VARINT(PF_CUT_LEAD_ENTRY)),
                       event = pf_cursor_last(c, PF_TAG_VARINT(PF_CUT_LEAD_EVENT));
        out->compact = entry.tag && b->switches.count && (int64_t)entry.value <= known->ts;
        out->event =
            event.tag && b->event_count && (int64_t)event.value <= known->ts ? b->event[b->event_count - 1].body : NULL;
    }
    *seen |= bit;
    if (!known->any || last > known->ts) { /* bundles may come in another order */
        *known = (merge_switch){last, true};
    }
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
        bool is = (f.tag == PF_TAG_BYTES(PF_F_FTRACE_EVENT) && without->event >= f.bytes &&
                   without->event < f.bytes + f.len) ||
                  f.tag == PF_TAG_VARINT(PF_CUT_LEAD_ENTRY) || f.tag == PF_TAG_VARINT(PF_CUT_LEAD_EVENT);
        if (f.tag == PF_TAG_BYTES(PF_F_FTRACE_COMPACT_SCHED) && without->compact) {
            put_compact(out, &f);
        } else if (!is) {
            pf_writer_raw(out, from, (size_t)(c.at - from));
        }
    }
}
