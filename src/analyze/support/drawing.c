/* analyze/support/drawing.c - see drawing.h. */
#include "analyze/support/drawing.h"

#include <inttypes.h>

#include "analyze/support/pass_memory.h"
#include "base/str.h"

static pf_str text_or_none(const char *s)
{
    return s ? (pf_str){s, strlen(s)} : (pf_str){NULL, 0};
}

void pf_drawing_group(pf_drawing *d, const pf_overlay_track *group, pf_str owner)
{
    d->group = *group;
    d->group.kind = PF_OVERLAY_GROUP;
    d->group.parent = PF_NONE;
    d->group_id = PF_NONE;
    d->notes = PF_NONE;
    d->owner = owner;
    d->rank = 0;
}

static uint32_t add_row(pf_drawing *d, const pf_overlay_track *like)
{
    if (d->group_id == PF_NONE) {
        d->group_id = pf_overlay_add_track(d->f, &d->group);
    }
    pf_overlay_track row = *like;
    row.parent = d->group_id;
    row.anchor = d->group.anchor;
    row.anchor_id = d->group.anchor_id;
    row.rank = d->rank++;
    return pf_overlay_add_track(d->f, &row);
}

void pf_drawing_subgroup(pf_drawing *d, uint32_t parent, const pf_overlay_track *group, pf_str owner)
{
    pf_drawing_group(d, group, owner);
    d->group.parent = parent;
}

pf_drawing pf_drawing_inside(pf_drawing *outer, const char *what, const char *description)
{
    pf_drawing inner = *outer;
    const pf_overlay_track group = {.anchor = outer->group.anchor,
                                    .anchor_id = outer->group.anchor_id,
                                    .name = pf_str_of(what),
                                    .description = pf_str_of(description),
                                    .rank = outer->rank++};
    if (outer->group_id == PF_NONE) {
        outer->group_id = pf_overlay_add_track(outer->f, &outer->group);
    }
    pf_drawing_subgroup(&inner, outer->group_id, &group, outer->owner);
    return inner;
}

static pf_str row_name(pf_drawing *d, const char *what, uint32_t lane)
{
    if (!d->owner.len) {
        return lane ? pf_findings_format(d->f, "%s %" PRIu32, what, lane + 1) : pf_str_of(what);
    }
    return lane ? pf_findings_format(d->f, "%.*s %s %" PRIu32, PF_TEXT_ARG(d->owner), what, lane + 1)
                : pf_findings_format(d->f, "%.*s %s", PF_TEXT_ARG(d->owner), what);
}

static uint32_t add_lane(pf_drawing *d, const char *what, const char *description, uint32_t lane)
{
    const pf_overlay_track row = {
        .kind = PF_OVERLAY_SLICES, .name = row_name(d, what, lane), .description = text_or_none(description)};
    return add_row(d, &row);
}

uint32_t pf_drawing_slices(pf_drawing *d, const char *what, const char *description)
{
    return add_lane(d, what, description, 0);
}

uint32_t pf_drawing_lanes(pf_drawing *d, const char *what, const char *description, const pf_interval *list, size_t n,
                          const uint32_t **lane)
{
    pf_error err;
    uint32_t *lanes, count;
    if (n == 0) {
        return PF_NONE;
    }
    if (PF_PASS_ARRAY(d->arena, n, lanes, &err) != PF_OK ||
        pf_lanes_assign(list, n, lanes, &count, d->arena->budget, &err) != PF_OK) {
        pf_findings_fail(d->f, &err);
        return PF_NONE;
    }
    uint32_t first = add_lane(d, what, description, 0);
    for (uint32_t i = 1; i < count; i++) {
        add_lane(d, what, description, i);
    }
    *lane = lanes;
    return first;
}

uint32_t pf_drawing_counter(pf_drawing *d, const char *what, const char *unit, const char *share_key,
                            const char *description)
{
    const pf_overlay_track row = {.kind = PF_OVERLAY_COUNTER,
                                  .name = row_name(d, what, 0),
                                  .description = text_or_none(description),
                                  .unit = text_or_none(unit),
                                  .share_key = text_or_none(share_key)};
    return add_row(d, &row);
}

static pf_status find_rates(pf_arena *arena, const pf_transfer *list, size_t n, pf_rate_step **steps, size_t *count,
                            pf_error *err)
{
    pf_rate_scratch scratch;
    PF_TRY(PF_PASS_ARRAY(arena, 2 * n, *steps, err));
    PF_TRY(PF_PASS_ARRAY(arena, 2 * n, scratch.edges, err));
    PF_TRY(PF_PASS_ARRAY(arena, 2 * n, scratch.order, err));
    PF_TRY(PF_PASS_ARRAY(arena, 2 * n, scratch.spare, err));
    *count = pf_byte_rates(list, n, *steps, &scratch);
    return PF_OK;
}

void pf_drawing_rates(pf_drawing *d, const pf_drawn_rate *drawn, const pf_transfer *list, size_t n)
{
    pf_rate_step *steps;
    pf_error err;
    size_t count = 0;
    if (find_rates(d->arena, list, n, &steps, &count, &err) != PF_OK) {
        pf_findings_fail(d->f, &err);
    }
    const char *unit = drawn->unit ? drawn->unit : "GB/s";
    double per = drawn->per > 0 ? drawn->per : 1;
    uint32_t track = count ? pf_drawing_counter(d, drawn->what, unit, drawn->share_key, drawn->description) : PF_NONE;
    for (size_t i = 0; i < count; i++) {
        pf_overlay_sample(d->f, track, steps[i].ts, pf_overlay_derived(steps[i].rate / per));
    }
}

void pf_drawing_note(pf_drawing *d, int64_t ts, pf_str text)
{
    if (d->notes == PF_NONE) {
        d->notes = pf_drawing_slices(d, "notes", "Warnings about the recording, each at the place that it concerns.");
    }
    pf_overlay_instant(d->f, d->notes, ts < 0 ? 0 : ts, text); /* Perfetto has no time before zero */
}

int64_t pf_drawing_length(uint64_t length)
{
    return length > INT64_MAX ? INT64_MAX : (int64_t)length;
}
