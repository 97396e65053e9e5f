/* overlay.c - what a pass wants to see drawn: tracks, and events on them in order of addition.
 *
 * Events and their arguments are two lists. An argument always belongs to the event added last, so an event owns the
 * range [first_arg, first_arg + arg_count) and nothing is ever inserted in the middle.
 */
#include "model/findings.h"

static void fail_internal(pf_findings *f, const char *text)
{
    pf_error err;
    pf_fail(&err, PF_ERR_INTERNAL, "%s; please report this", text);
    pf_findings_fail(f, &err);
}

uint32_t pf_overlay_add_track(pf_findings *f, const pf_overlay_track *track)
{
    if (track->parent != PF_NONE && track->parent >= f->tracks.count) {
        fail_internal(f, "an overlay track has a parent that does not exist");
    }
    if (!pf_findings_room(f, &f->tracks.columns, f->tracks.count, &f->tracks.room)) {
        return PF_NONE;
    }
    pf_overlay_track t = *track;
    t.name = pf_findings_keep(f, track->name);
    t.description = pf_findings_keep(f, track->description);
    t.unit = pf_findings_keep(f, track->unit);
    f->tracks.row[f->tracks.count] = t;
    return f->tracks.count++;
}

static void add_event(pf_findings *f, pf_overlay_event e)
{
    if (e.track >= f->tracks.count) {
        fail_internal(f, "an overlay event is on no track");
    }
    e.name = pf_findings_keep(f, e.name);
    e.first_arg = f->args.count;
    if (pf_findings_room(f, &f->events.columns, f->events.count, &f->events.room)) {
        f->events.row[f->events.count++] = e;
    }
}

void pf_overlay_slice(pf_findings *f, uint32_t track, int64_t ts, int64_t dur, pf_str name)
{
    add_event(f, (pf_overlay_event){.kind = PF_OVERLAY_SLICE, .track = track, .ts = ts, .dur = dur, .name = name});
}

void pf_overlay_instant(pf_findings *f, uint32_t track, int64_t ts, pf_str name)
{
    add_event(f, (pf_overlay_event){.kind = PF_OVERLAY_INSTANT, .track = track, .ts = ts, .name = name});
}

void pf_overlay_sample(pf_findings *f, uint32_t track, int64_t ts, double value)
{
    add_event(f, (pf_overlay_event){.kind = PF_OVERLAY_SAMPLE, .track = track, .ts = ts, .value = value});
}

static void add_arg(pf_findings *f, pf_str key, pf_value value)
{
    if (f->events.count == 0) {
        fail_internal(f, "an overlay argument belongs to no event");
    }
    pf_overlay_arg a = {pf_findings_keep(f, key), value};
    if (value.type == PF_VALUE_STRING) {
        a.value.as.s = pf_findings_keep(f, value.as.s);
    }
    if (pf_findings_room(f, &f->args.columns, f->args.count, &f->args.room)) {
        f->args.row[f->args.count++] = a;
        f->events.row[f->events.count - 1].arg_count++;
    }
}

void pf_overlay_arg_int(pf_findings *f, pf_str key, int64_t v)
{
    add_arg(f, key, (pf_value){.type = PF_VALUE_INT, .as.i = v});
}

void pf_overlay_arg_real(pf_findings *f, pf_str key, double v)
{
    add_arg(f, key, (pf_value){.type = PF_VALUE_REAL, .as.d = v});
}

void pf_overlay_arg_text(pf_findings *f, pf_str key, pf_str v)
{
    add_arg(f, key, (pf_value){.type = PF_VALUE_STRING, .as.s = v});
}

void pf_overlay_flow(pf_findings *f, uint64_t flow)
{
    if (f->error.code == PF_OK && f->events.count) {
        f->events.row[f->events.count - 1].flow = flow;
    }
}

size_t pf_overlay_track_count(const pf_findings *f)
{
    return f->tracks.count;
}

const pf_overlay_track *pf_overlay_track_at(const pf_findings *f, size_t i)
{
    return i < f->tracks.count ? &f->tracks.row[i] : NULL;
}

size_t pf_overlay_event_count(const pf_findings *f)
{
    return f->events.count;
}

const pf_overlay_event *pf_overlay_event_at(const pf_findings *f, size_t i)
{
    return i < f->events.count ? &f->events.row[i] : NULL;
}

const pf_overlay_arg *pf_overlay_arg_at(const pf_findings *f, size_t i)
{
    return i < f->args.count ? &f->args.row[i] : NULL;
}
