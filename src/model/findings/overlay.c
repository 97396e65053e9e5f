/* model/findings/overlay.c - what a pass wants to see drawn: tracks, and events on them in order of addition.
 *
 * Events, what some of them have besides, and their arguments are three lists. An argument always belongs to the event
 * added last, so an event owns the range [first_arg, first_arg + arg_count) and nothing is ever inserted in the middle.
 * Most events are samples of counters, by the million; they are 24 bytes each.
 */
#include "model/findings/findings.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/sized.h"
#include "base/text/number.h"

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

static void add_event(pf_findings *f, pf_drawn d)
{
    if (d.track >= f->tracks.count) {
        fail_internal(f, "an overlay event is on no track");
    }
    if (pf_findings_room(f, &f->drawn.columns, f->drawn.count, &f->drawn.room)) {
        f->drawn.row[f->drawn.count++] = d;
    }
}

/* Something that is more than a sample: its row in `more`. */
static uint32_t add_more(pf_findings *f, pf_overlay_event_kind kind, pf_str name)
{
    pf_drawn_more m = {.name = pf_findings_keep(f, name), .first_arg = f->args.count, .kind = kind};
    if (!pf_findings_room(f, &f->more.columns, f->more.count, &f->more.room)) {
        return PF_NONE;
    }
    f->more.row[f->more.count] = m;
    return f->more.count++;
}

void pf_overlay_slice(pf_findings *f, uint32_t track, int64_t ts, int64_t dur, pf_str name)
{
    uint32_t more = add_more(f, PF_OVERLAY_SLICE, name);
    add_event(f, (pf_drawn){.ts = ts, .as.dur = dur, .track = track, .more = more});
}

void pf_overlay_instant(pf_findings *f, uint32_t track, int64_t ts, pf_str name)
{
    uint32_t more = add_more(f, PF_OVERLAY_INSTANT, name);
    add_event(f, (pf_drawn){.ts = ts, .track = track, .more = more});
}

void pf_overlay_sample(pf_findings *f, uint32_t track, int64_t ts, double value)
{
    add_event(f, (pf_drawn){.ts = ts, .as.value = value, .track = track, .more = PF_NONE});
}

/* What the event added last has besides; NULL without an event, or after a failure. */
static pf_drawn_more *more_of_last(pf_findings *f)
{
    pf_drawn *last = f->error.code == PF_OK && f->drawn.count ? &f->drawn.row[f->drawn.count - 1] : NULL;
    if (last && last->more == PF_NONE) {
        last->more = add_more(f, PF_OVERLAY_SAMPLE, (pf_str){NULL, 0});
    }
    return last && last->more != PF_NONE ? &f->more.row[last->more] : NULL;
}

void pf_overlay_hold(pf_findings *f, uint32_t track, int64_t start, int64_t end, double value)
{
    pf_drawn *last = f->drawn.count ? &f->drawn.row[f->drawn.count - 1] : NULL;
    if (last && pf_drawn_kind(f, last) == PF_OVERLAY_SAMPLE && last->track == track && last->ts == start) {
        last->as.value = value; /* the 0 that closed the interval before this one */
    } else {
        pf_overlay_sample(f, track, start, value);
    }
    pf_overlay_sample(f, track, end, 0);
}

#define EXACT_POWER 22 /* 10^22 is a double */

static double power_of_ten(int n)
{
    static const double exact[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return n >= 0 && n <= EXACT_POWER ? exact[n] : pow(10, n);
}

/* The place of the first digit of v > 0: what is expensive about it is the logarithm, and most values are small. */
static int first_digit(double v)
{
    int n = 0;
    if (v < 1 || v >= power_of_ten(EXACT_POWER)) {
        return (int)floor(log10(v));
    }
    while (v >= power_of_ten(n + 1)) {
        n++;
    }
    return n;
}

/* The decimal of four digits that is nearest to v, as the double that is nearest to it: it prints as these digits. */
double pf_overlay_derived(double v)
{
    if (!isfinite(v) || fabs(v) < DBL_MIN) {
        return v;
    }
    int exponent = first_digit(fabs(v)) - 3;
    double scaled = exponent > 300    ? v / 1e300 / pow(10, exponent - 300)
                    : exponent < -300 ? v * 1e300 * pow(10, -300 - exponent)
                    : exponent < 0    ? v * power_of_ten(-exponent)
                                      : v / power_of_ten(exponent);
    double whole = rint(scaled);
    if (exponent >= -EXACT_POWER && exponent <= EXACT_POWER) { /* both are exact, so the result is rounded once */
        return exponent < 0 ? whole / power_of_ten(-exponent) : whole * power_of_ten(exponent);
    }
    char text[40];
    int len = snprintf(text, sizeof text, "%lde%d", (long)whole, exponent);
    return pf_parse_real(text, (size_t)len, &scaled) ? scaled : v;
}

static void add_arg(pf_findings *f, pf_str key, pf_value value)
{
    if (f->drawn.count == 0) {
        fail_internal(f, "an overlay argument belongs to no event");
    }
    pf_drawn_more *event = more_of_last(f);
    pf_overlay_arg a = {pf_findings_keep(f, key), value};
    if (value.type == PF_VALUE_STRING) {
        a.value.as.s = pf_findings_keep(f, value.as.s);
    }
    if (event && pf_findings_room(f, &f->args.columns, f->args.count, &f->args.room)) {
        f->args.row[f->args.count++] = a;
        event->arg_count++;
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
    pf_drawn_more *event = more_of_last(f);
    if (event) {
        event->flow = flow;
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
    return f->drawn.count;
}

bool pf_overlay_event_get(const pf_findings *f, size_t i, pf_overlay_event *out, size_t size)
{
    const pf_drawn *d = i < f->drawn.count ? &f->drawn.row[i] : NULL;
    if (!d) {
        return false;
    }
    pf_overlay_event e = {.kind = pf_drawn_kind(f, d), .track = d->track, .ts = d->ts};
    e.dur = e.kind == PF_OVERLAY_SLICE ? d->as.dur : 0;
    e.value = e.kind == PF_OVERLAY_SAMPLE ? d->as.value : 0;
    if (d->more != PF_NONE) {
        const pf_drawn_more *m = &f->more.row[d->more];
        e.name = m->name;
        e.first_arg = m->first_arg;
        e.arg_count = m->arg_count;
        e.flow = m->flow;
    }
    pf_sized_give(out, size, &e, sizeof e);
    return true;
}

const pf_overlay_arg *pf_overlay_arg_at(const pf_findings *f, size_t i)
{
    return i < f->args.count ? &f->args.row[i] : NULL;
}
