/* edit/cut/cut_unordered.c - tracks whose events are not in the order of time: which, and what a pass does with them.
 */
#include <xxhash.h>

#include "edit/cut/cutter.h"

/* 0: there is none. */
static uint32_t hash_text(const pf_cutter *c, pf_str text)
{
    return text.len ? (uint32_t)XXH3_64bits_withSeed(text.ptr, text.len, c->budget->seed) | 1 : 0;
}

pf_paired pf_cutter_label(pf_cutter *c, const pf_field *event, const pf_epoch *epoch)
{
    const pf_str name = pf_event_name(event, epoch);
    c->names.len = 0;
    pf_event_categories(event, epoch, &c->names);
    const pf_str category = {c->names.data, c->names.len};
    pf_paired label = {.name = hash_text(c, name), .category = hash_text(c, category)};
    label.left_out = !pf_cutter_takes_categories(c, event, epoch);
    return label;
}

pf_status pf_cutter_list(pf_cutter *c, uint32_t track, uint64_t number, int64_t ts, int64_t end, uint8_t action,
                         const pf_paired *label, pf_error *err)
{
    pf_edit_track *k = &c->tracks.list[track];
    pf_paired event = *label;
    event.number = number;
    event.ts = ts;
    event.end = action == 'B' ? PF_STILL_OPEN : end;
    event.track = track;
    event.action = action;
    event.left_out &= action == 'B';
    event.late = ts < k->latest;
    k->latest = event.late ? k->latest : ts;
    return c->pairs.count < PF_PAIRS_MAX ? pf_pairs_add(&c->pairs, &event, err) : PF_OK;
}

/* Whether an edge of a window lies in [ts, end]. */
static bool touches_edge(const pf_cutter *c, int64_t ts, int64_t end)
{
    uint32_t w = pf_cutter_window(c, ts - 1);
    return w < c->window_count && (c->windows[w].to <= end || (c->windows[w].from >= ts && c->windows[w].from <= end));
}

/* Whether the next pass asks for a begin or an end: its slice is cut by a window, or what a selection leaves out, or
 * nothing that is written says when it ends; or it ends none, and has no flows then. */
static bool is_asked_for(const void *cutter, const pf_paired *e)
{
    const pf_cutter *c = cutter;
    bool open = e->action == 'B' && !e->paired && e->end != PF_STILL_OPEN;
    bool ends = e->action == 'E';
    int64_t ts = ends ? e->end : e->ts, end = ends ? e->ts : open ? e->seen : e->end;
    return (ends && !e->paired) || c->selection.categories || c->selection.durations || (open && c->selection.active) ||
           touches_edge(c, ts, end);
}

pf_status pf_cutter_pair_up(pf_cutter *c, pf_error *err)
{
    const pf_selection *s = &c->selection;
    if (c->pairing == PF_PAIRING_LISTS) {
        bool known = c->pairs.count < PF_PAIRS_MAX;
        c->pairs_again = true;
        c->next_pairing = known ? PF_PAIRING_KNOWN : PF_PAIRING_AS_THEY_COME;
        const int64_t least = s->durations ? s->o->min_dur : 0;
        return known ? pf_pairs_find(&c->pairs, c->tracks.count, least, is_asked_for, c, err) : PF_OK;
    }
    uint32_t count = c->unordered.count;
    bool slices = false, room = c->passes + 1 < PF_CUT_PASSES_MAX; /* for the two passes */
    for (uint32_t i = 0; i < c->tracks.count && room; i++) {
        const pf_edit_track *k = &c->tracks.list[i];
        if (k->late && k->clipped) {
            PF_TRY(pf_map_put(&c->unordered, pf_track_key(k), 0, err));
            slices |= k->latest > INT64_MIN; /* values of counters need no more than to be known */
        }
    }
    c->pairs_again = c->unordered.count > count;
    if (c->pairs_again) {
        c->next_pairing = slices ? PF_PAIRING_LISTS : PF_PAIRING_KNOWN;
    }
    return PF_OK;
}
