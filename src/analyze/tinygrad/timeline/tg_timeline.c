/* analyze/tinygrad/timeline/tg_timeline.c - events sorted by whole microseconds, device by device, and from them the
 * tracks.
 *
 * Events of equal time stay in the order of the file: the viewer sorts so, and which execution a kernel belongs to is
 * the one that was submitted last before it. */
#include "analyze/tinygrad/timeline/tg_timeline.h"

#include <math.h>

#include "analyze/tinygrad/timeline/tg_formula.h"
#include "base/list.h"
#include "base/str.h"
#include "model/trace/trace.h"

/* The events of a device: `count` rows from `first` on in the sorted list. */
typedef struct device {
    uint32_t name, first, count;
} device;

typedef struct builder {
    const pf_pass_context *ctx;
    const tg_input *in;
    pf_findings *f;
    pf_error *err;
    tg_timeline *l;
    pf_budget *budget;
    uint32_t *rows; /* events with a time, by device, then by time */
    uint32_t row_count;
    device *devices;
    uint32_t device_count;
    pf_map device_of, estimate_of; /* string id of a name -> number of the device, of the estimate */
} builder;

static bool has_time(const tg_input *in, uint32_t event)
{
    return in->events.ts[event] != INT64_MIN;
}

static pf_status count_events(builder *b)
{
    const tg_events *e = &b->in->events;
    tg_timeline *l = b->l;
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t d = pf_map_get(&b->device_of, e->device[i]);
        if (!has_time(b->in, i)) {
            continue;
        }
        if (d == PF_NONE) {
            d = b->device_count++;
            b->devices[d] = (device){.name = e->device[i]};
            PF_TRY(pf_map_put(&b->device_of, e->device[i], d, b->err));
        }
        int64_t from = pf_tg_us(e->ts[i]), to = e->end[i] == INT64_MIN ? from : pf_tg_us(e->end[i]);
        l->start = b->row_count == 0 || from < l->start ? from : l->start;
        l->end = b->row_count == 0 || to > l->end ? to : l->end;
        b->devices[d].count++;
        b->row_count++;
    }
    return PF_OK;
}

static bool is_after(const void *ctx, uint32_t a, uint32_t b)
{
    const int64_t *ts = ctx;
    return pf_tg_us(ts[a]) > pf_tg_us(ts[b]);
}

/* Fills b->rows: a stable sort by time, then a stable distribution to the devices. */
static pf_status sort_events(builder *b)
{
    size_t room = 2 * (size_t)b->row_count + 1;
    uint32_t *sorted, n = 0;
    PF_TRY(PF_LIST_NEW(b->budget, sorted, room, b->err));
    for (uint32_t i = 0; i < b->in->events.count; i++) {
        if (has_time(b->in, i)) {
            sorted[n++] = i;
        }
    }
    pf_sort_rows(sorted, sorted + n, n, is_after, b->in->events.ts);
    for (uint32_t i = 0, at = 0; i < b->device_count; i++) {
        b->devices[i].first = at;
        at += b->devices[i].count;
        b->devices[i].count = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        device *d = &b->devices[pf_map_get(&b->device_of, b->in->events.device[sorted[i]])];
        b->rows[d->first + d->count++] = sorted[i];
    }
    PF_LIST_FREE(b->budget, sorted, room);
    return PF_OK;
}

static bool is_slice(const tg_input *in, uint32_t event)
{
    uint32_t kind = in->events.kind[event];
    bool ranged = kind == in->kinds.range || kind == in->kinds.entry || kind == in->kinds.batch;
    return ranged && in->events.dur[event] != 0;
}

/* Executions that were submitted on a device so far: the last of all, and the last of each name (a map of string id ->
 * row of tinygrad_run). */
typedef struct submitted {
    pf_map of_name;
    uint32_t last;
} submitted;

static pf_status note_run(builder *b, submitted *runs, uint32_t event)
{
    const tg_runs *r = &b->in->runs;
    uint32_t row = pf_tg_find(r->event, r->count, event);
    runs->last = row != PF_NONE ? row : runs->last;
    return row != PF_NONE && r->kernel[row] ? pf_map_put(&runs->of_name, r->kernel[row], row, b->err) : PF_OK;
}

/* The viewer takes the last execution under the kernel's name; later generations the last one of the device. */
static tg_slice make_slice(const builder *b, const submitted *runs, uint32_t event)
{
    tg_slice s = {.event = event, .run = PF_NONE};
    uint32_t estimate = pf_map_get(&b->estimate_of, b->in->events.name[event]);
    /* since August 2026 kernels are known by their key; before, a name that is more than a text (it has a note) is none
     */
    uint32_t note = pf_tg_find(b->in->notes.event, b->in->notes.count, event);
    bool keyed = b->in->generation == TG_AUG26;
    if (estimate != PF_NONE && (keyed ? note != PF_NONE && b->in->notes.profile_key[note] : note == PF_NONE)) {
        s.estimate = &b->in->estimates->estimate[estimate];
        s.run = runs->last;
        if (b->in->generation == TG_DEC25) {
            s.run = pf_map_get(&runs->of_name, pf_trace_find_string(b->in->t, s.estimate->name));
        }
    }
    return s;
}

static pf_status build_slices(builder *b, const device *d, tg_track *out)
{
    const uint32_t *rows = b->rows + d->first;
    size_t count = 1;
    for (uint32_t i = 0; i < d->count; i++) {
        count += is_slice(b->in, rows[i]);
    }
    tg_slice *slices = pf_findings_alloc(b->f, count * sizeof *slices);
    submitted runs = {.last = PF_NONE};
    pf_map_init(&runs.of_name, b->budget);
    pf_status st = slices ? PF_OK : pf_findings_status(b->f, b->err);
    for (uint32_t i = 0; st == PF_OK && i < d->count; i++) {
        if (is_slice(b->in, rows[i])) {
            slices[out->count] = make_slice(b, &runs, rows[i]);
            b->l->estimated += slices[out->count++].estimate != NULL;
        } else {
            st = note_run(b, &runs, rows[i]);
        }
    }
    out->slices = slices;
    out->name = pf_tg_string(b->in, d->name);
    pf_map_free(&runs.of_name);
    return st;
}

static const pf_str line_prefix = {"LINE:", 5};

/* Points of a device of that name are samples of one counter; their keys are the values. */
static pf_status build_line(builder *b, const device *d, tg_track *out)
{
    const uint32_t *rows = b->rows + d->first;
    uint32_t *points = pf_findings_alloc(b->f, (size_t)d->count * sizeof *points);
    PF_TRY(points ? PF_OK : pf_findings_status(b->f, b->err));
    for (uint32_t i = 0; i < d->count; i++) {
        if (b->in->events.kind[rows[i]] == b->in->kinds.point) {
            uint64_t value = pf_tg_line_value(b->in, rows[i]);
            out->peak = value > out->peak ? value : out->peak;
            points[out->count++] = rows[i];
        }
    }
    out->kind = TG_LINE;
    out->points = points;
    out->name = pf_str_from(pf_tg_string(b->in, d->name), line_prefix.len);
    return PF_OK;
}

uint64_t pf_tg_line_value(const tg_input *in, uint32_t event)
{
    const tg_points *s = &in->points;
    uint32_t row = pf_tg_find(s->event, s->count, event);
    pf_str digits = row != PF_NONE && s->digits[row] ? pf_tg_string(in, s->digits[row]) : (pf_str){NULL, 0};
    uint64_t wide = 0;
    for (size_t i = 0; i < digits.len; i++) {
        bool fits = digits.ptr[i] != '-' && !__builtin_mul_overflow(wide, 10, &wide) &&
                    !__builtin_add_overflow(wide, (unsigned)(digits.ptr[i] - '0'), &wide);
        if (!fits) {
            return digits.ptr[0] == '-' ? 0 : UINT64_MAX;
        }
    }
    return digits.ptr ? wide : row != PF_NONE && s->value[row] > 0 ? (uint64_t)s->value[row] : 0;
}

static void add_track(tg_timeline *l, const tg_track *t)
{
    if (t->count) {
        l->peak = t->peak > l->peak ? t->peak : l->peak;
        l->tracks[l->track_count++] = *t;
    }
}

static pf_status build_device(builder *b, const device *d)
{
    tg_track work = {.device = d->name, .peak_at = PF_NONE}, memory = work;
    bool line = pf_str_starts(pf_tg_string(b->in, d->name), line_prefix);
    PF_TRY(line ? build_line(b, d, &work) : build_slices(b, d, &work));
    PF_TRY(pf_tg_build_memory(b->l, b->budget, b->rows + d->first, d->count, &memory, b->err));
    add_track(b->l, &work);
    add_track(b->l, &memory);
    return PF_OK;
}

/* What a track is sorted by, from the most to the least significant. */
typedef struct place {
    bool memory; /* later generations show memory last */
    unsigned rank;
    pf_str first;  /* the first word in the first generation, else the device and its number, as text */
    size_t length; /* first generation: of the name */
    pf_str name;   /* later generations */
} place;

/* The first generation goes by what the name begins with, later ones by the device's whole name. */
static unsigned rank_of(pf_str name, pf_str owner, bool first_generation)
{
    static const char *const special[] = {"GC", "USER", "TINY", "DISK"};
    pf_str s = first_generation ? name : owner;
    for (unsigned i = 0; i < 4; i++) {
        const pf_str word = pf_str_of(special[i]);
        if (first_generation ? pf_str_starts(s, word) : pf_str_equal(s, word)) {
            return i == 3 ? 999 : i;
        }
    }
    return 100;
}

static pf_str until(pf_str s, char end)
{
    const char *found = s.len ? memchr(s.ptr, end, s.len) : NULL;
    return (pf_str){s.ptr, found ? (size_t)(found - s.ptr) : s.len};
}

/* "AMD:1:SDMA:0" is of device AMD:1, "AMD:SDMA:0" of AMD. */
static pf_str with_number(pf_str word, pf_str owner)
{
    size_t digits = owner.len + 1, end = digits;
    while (end < word.len && pf_is_digit(word.ptr[end])) {
        end++;
    }
    bool number = end > digits && (end == word.len || word.ptr[end] == ':');
    return number ? (pf_str){word.ptr, end} : owner;
}

static place place_of(const tg_timeline *l, uint32_t track)
{
    pf_str name = l->tracks[track].name, word = until(name, ' '), owner = until(word, ':');
    if (l->in->generation == TG_DEC25) {
        return (place){.rank = rank_of(name, owner, true), .first = word, .length = name.len};
    }
    return (place){.memory = pf_str_ends(name, PF_STR(" Memory")),
                   .rank = rank_of(name, owner, false),
                   .first = with_number(word, owner),
                   .name = name};
}

static bool is_shown_after(const void *ctx, uint32_t track, uint32_t other)
{
    const place a = place_of(ctx, track), b = place_of(ctx, other);
    if (a.memory != b.memory || a.rank != b.rank) {
        return a.memory != b.memory ? a.memory : a.rank > b.rank;
    }
    int order = pf_str_compare(a.first, b.first);
    if (order == 0 && a.length != b.length) {
        return a.length > b.length;
    }
    return (order ? order : pf_str_compare(a.name, b.name)) > 0;
}

static pf_status build(builder *b)
{
    tg_timeline *l = b->l;
    for (size_t i = 2 * b->in->estimates->count; i-- > 0;) { /* the first of several estimates for one name counts */
        uint32_t id = b->in->estimates->ids[i];
        PF_TRY(id && id != PF_NONE ? pf_map_put(&b->estimate_of, id, (uint32_t)(i / 2), b->err) : PF_OK);
    }
    PF_TRY(count_events(b));
    size_t tracks = 2 * (size_t)b->device_count;
    l->tracks = pf_findings_alloc(b->f, tracks * sizeof *l->tracks);
    l->layout = pf_findings_alloc(b->f, tracks * sizeof *l->layout);
    PF_TRY(l->tracks && l->layout ? PF_OK : pf_findings_status(b->f, b->err));
    b->rows = pf_pass_alloc(b->ctx, b->row_count, sizeof *b->rows, b->err);
    uint32_t *scratch = pf_pass_alloc(b->ctx, tracks, sizeof *scratch, b->err);
    PF_TRY(!b->rows || !scratch ? b->err->code : PF_OK);
    PF_TRY(sort_events(b));
    for (uint32_t i = 0; i < b->device_count; i++) {
        PF_TRY(pf_pass_poll(b->ctx, b->err));
        PF_TRY(build_device(b, &b->devices[i]));
    }
    pf_order_rows(l->layout, scratch, l->track_count, is_shown_after, l);
    return PF_OK;
}

pf_status pf_tg_build(const pf_pass_context *ctx, const tg_input *in, tg_timeline *out, pf_error *err)
{
    *out = (tg_timeline){.in = in};
    builder b = {.ctx = ctx, .in = in, .f = in->f, .err = err, .l = out};
    b.budget = ctx->arena->budget;
    b.devices = pf_pass_alloc(ctx, in->events.count, sizeof *b.devices, err);
    out->dtypes = pf_findings_alloc(in->f, (size_t)in->memory.count * sizeof *out->dtypes);
    if (!b.devices || !out->dtypes) {
        return b.devices ? pf_findings_status(in->f, err) : err->code;
    }
    pf_map_init(&b.device_of, b.budget);
    pf_map_init(&b.estimate_of, b.budget);
    pf_status st = build(&b);
    pf_map_free(&b.device_of);
    pf_map_free(&b.estimate_of);
    return st;
}

pf_str pf_tg_slice_name(const tg_timeline *l, const tg_slice *s)
{
    pf_str name = s->estimate ? s->estimate->name : pf_tg_string(l->in, l->in->events.name[s->event]);
    return name.ptr ? name : PF_STR("");
}

typedef struct bound {
    const tg_input *in;
    uint32_t run;
} bound;

static bool find_variable(const void *ctx, pf_str name, int64_t *out)
{
    const bound *b = ctx;
    const tg_variables *v = &b->in->variables;
    uint32_t id = pf_trace_find_string(b->in->t, name);
    tg_rows rows = b->run == PF_NONE ? (tg_rows){0, 0} : pf_tg_rows_of(v->run, v->count, b->run);
    for (uint32_t row = rows.first; row < rows.end; row++) {
        if (v->name[row] == id) {
            *out = v->value[row];
            return true;
        }
    }
    return false;
}

double pf_tg_amount(const tg_timeline *l, const tg_slice *s, tg_amount which)
{
    const tg_estimate *e = s->estimate;
    const bound b = {l->in, s->run};
    double value;
    if (!e->formula[which].steps) {
        return e->amount[which];
    }
    bool known = pf_tg_compute(e->formula[which].steps, e->formula[which].count, find_variable, &b, &value);
    return known ? value : (double)NAN;
}

double pf_tg_rate(const tg_timeline *l, const tg_slice *s, double amount)
{
    return amount / (l->in->events.dur[s->event] * 1e-6);
}
