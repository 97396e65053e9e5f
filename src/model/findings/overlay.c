/* model/findings/overlay.c - what a pass wants to see drawn: tracks, and events on them in order of addition.
 *
 * Events and their arguments are two lists. An argument always belongs to the event added last, so an event owns the
 * range [first_arg, first_arg + arg_count) and nothing is ever inserted in the middle.
 */
#include "model/findings/findings.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static void fail_internal(pf_findings *f, const char *text)
{
    pf_error err;
    pf_fail(&err, PF_ERR_INTERNAL, "%s; please report this", text);
    pf_findings_fail(f, &err);
}

/* ---- whose it is ---------------------------------------------------------------------------------------------------
 */

void pf_findings_set_pass(pf_findings *f, pf_str name)
{
    char category[100];
    int len = snprintf(category, sizeof category, "postfetto.%.*s", (int)(name.len < 80 ? name.len : 80), name.ptr);
    f->category = pf_findings_keep(f, (pf_str){category, (size_t)len});
    pf_findings_attribute_text(f, PF_STR("postfetto.version"), (pf_str){pf_version(), strlen(pf_version())});
    pf_findings_attribute_text(f, PF_STR("postfetto.pass"), name);
}

pf_str pf_overlay_category(const pf_findings *f)
{
    return f->category.ptr ? f->category : PF_STR("postfetto");
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

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
    t.share_key = pf_findings_keep(f, track->share_key);
    f->tracks.row[f->tracks.count] = t;
    return f->tracks.count++;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

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

void pf_overlay_hold(pf_findings *f, uint32_t track, int64_t start, int64_t end, double value)
{
    pf_overlay_event *last = f->events.count ? &f->events.row[f->events.count - 1] : NULL;
    if (last && last->kind == PF_OVERLAY_SAMPLE && last->track == track && last->ts == start) {
        last->value = value; /* the 0 that closed the interval before this one */
    } else {
        pf_overlay_sample(f, track, start, value);
    }
    pf_overlay_sample(f, track, end, 0);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

#define EXACT_POWER 22 /* 10^22 is a double */

/* The decimal of four digits that is nearest to v, as the double that is nearest to it: it prints as these digits. */
double pf_overlay_derived(double v)
{
    if (!isfinite(v) || fabs(v) < DBL_MIN) {
        return v;
    }
    int exponent = (int)floor(log10(fabs(v))) - 3;
    double scaled = exponent > 300    ? v / 1e300 / pow(10, exponent - 300)
                    : exponent < -300 ? v * 1e300 * pow(10, -300 - exponent)
                    : exponent < 0    ? v * pow(10, -exponent)
                                      : v / pow(10, exponent);
    double whole = rint(scaled);
    if (exponent >= -EXACT_POWER && exponent <= EXACT_POWER) { /* both are exact, so the result is rounded once */
        return exponent < 0 ? whole / pow(10, -exponent) : whole * pow(10, exponent);
    }
    char text[40];
    int len = snprintf(text, sizeof text, "%lde%d", (long)whole, exponent);
    return pf_parse_real(text, (size_t)len, &scaled) ? scaled : v;
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

void pf_overlay_arg_derived(pf_findings *f, pf_str key, double v)
{
    pf_overlay_arg_real(f, key, pf_overlay_derived(v));
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

/* ---- looking ----------------------------------------------------------------------------------------------------- */

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
