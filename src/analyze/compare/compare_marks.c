/* analyze/compare/compare_marks.c - marks at the calls that changed, a row for each thread.
 *
 * What counts is the time that calls took themselves, without the calls inside: a cause is marked once, not once more
 * for every call around it. A row of the comparison is marked if its self time grew or fell significantly, or if one
 * side alone has it. Its calls are taken iteration by iteration (without any: all together). Where the base has as
 * many, each is held against the one that comes at the same place, else against the mean of the base. Those that are
 * longer (of what got faster: shorter) by more than the tolerance and by more than the floor are marked; the floor is a
 * thousandth of the mean iteration, or a ten-thousandth of a run without iterations. What many small calls, or more
 * calls than in the base, add up to is said once an iteration, at its first call. What vanished is marked where it is
 * in the base.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analyze/compare/compare.h"
#include "analyze/support/pass_memory.h"
#include "base/text/number.h"

enum { NAME_MOST = 300 };

typedef enum mark_kind { MARK_SLOWER = 0, MARK_NEW, MARK_VANISHED, MARK_FASTER, MARK_KINDS, MARK_NONE } mark_kind;

static const struct {
    const char *word, *description;
} kinds[MARK_KINDS] = {
    [MARK_SLOWER] = {"slower", "calls of names whose self time grew significantly: those that took longer than the "
                               "base's; the name says by how much. An instant says once an iteration what many small "
                               "calls, or more calls than in the base, add up to"},
    [MARK_NEW] = {"new", "calls of names that the base has not; the name says their self time, an instant that of many "
                         "small calls in an iteration"},
    [MARK_VANISHED] = {"vanished", "calls of names that the base alone has, where they are in the base; the name says "
                                   "their self time, an instant that of many small calls in an iteration"},
    [MARK_FASTER] = {"faster",
                     "calls of names whose self time fell significantly: those that took less than the base's; "
                     "the name says by how much. An instant says once an iteration what many small calls, or "
                     "fewer calls than in the base, add up to"}};

/* The calls of a row in one iteration: where they are in an order by iterations. */
typedef struct slot {
    uint32_t first, count;
} slot;

/* The calls of the row in hand, of one run. */
typedef struct row_calls {
    const compare_calls *calls;
    uint32_t *order;
    slot *slots;     /* by iteration, then one for what is in none; those of no call are 0 */
    uint32_t *taken; /* the slots that have calls, in order of time */
    uint32_t taken_count;
} row_calls;

/* One of the runs, whose calls are marked. */
typedef struct marking {
    compare_drawing *d;
    const pf_trace *t;
    int64_t shift;
    bool several; /* processes */
    double floor;
    uint32_t *slice;      /* by call */
    uint32_t *track;      /* by thread, then by track without one, each with MARK_KINDS: the row of marks + 1 */
    row_calls mine, base; /* mine: of this run */
} marking;

/* A row whose calls are marked. */
typedef struct marked_row {
    const compare_row *row;
    mark_kind kind;
    bool both;      /* sides have it */
    uint32_t slots; /* iterations; 0: all calls are in one */
} marked_row;

void pf_compare_put_length(pf_buffer *b, double v, pf_time_unit unit, bool sign)
{
    static const struct {
        double below, divisor;
        int decimals;
        const char *unit;
    } steps[] = {{1e3, 1, 0, " ns"}, {1e6, 1e3, 1, " us"}, {1e9, 1e6, 1, " ms"}, {HUGE_VAL, 1e9, 2, " s"}};
    char text[PF_FIXED_MAX];
    size_t i = 0;
    while (unit == PF_UNIT_NS && i < 3 && fabs(v) >= steps[i].below) {
        i++;
    }
    pf_buffer_text(b, v < 0 ? "-" : sign ? "+" : "");
    pf_buffer_put(b, text, pf_format_real_fixed(fabs(v) / steps[i].divisor, steps[i].decimals, text));
    pf_buffer_text(b, unit == PF_UNIT_CYCLE ? " cycles" : steps[i].unit);
}

void pf_compare_arg_time(const compare_drawing *d, const char *what, double v)
{
    char key[64];
    int n = snprintf(key, sizeof key, "%s %s", what, pf_trace_time_unit(d->now) == PF_UNIT_CYCLE ? "cycles" : "ns");
    pf_build_arg_int(d->b, (pf_str){key, (size_t)n}, llrint(v));
}

/* The start of a name that may be long. */
static pf_str start_of(pf_str name)
{
    size_t len = name.len < NAME_MOST ? name.len : NAME_MOST;
    while (len < name.len && len > 0 && (name.ptr[len] & 0xC0) == 0x80) {
        len--;
    }
    return (pf_str){name.ptr, len};
}

pf_str pf_compare_lane_text(const pf_trace *t, uint32_t track, char room[40])
{
    const pf_tracks *k = pf_trace_tracks(t);
    const pf_threads *threads = pf_trace_threads(t);
    uint32_t utid = k->utid[track];
    pf_str own = pf_trace_string(t, k->name[track]);
    pf_str thread = utid == PF_NONE ? (pf_str){NULL, 0} : pf_str_trim(pf_trace_string(t, threads->name[utid]));
    if (thread.len) {
        return thread;
    }
    if (own.ptr && own.len) {
        return own;
    }
    int n = utid == PF_NONE ? snprintf(room, 40, "track %" PRIu32, track)
                            : snprintf(room, 40, "thread %" PRId64, threads->tid[utid]);
    return (pf_str){room, (size_t)n};
}

static bool several_processes(const pf_trace *t)
{
    const pf_tracks *k = pf_trace_tracks(t);
    uint32_t first = PF_NONE;
    for (uint32_t i = 0; i < k->count; i++) {
        if (k->upid[i] != PF_NONE && first != PF_NONE && k->upid[i] != first) {
            return true;
        }
        first = k->upid[i] != PF_NONE ? k->upid[i] : first;
    }
    return false;
}

/* "stream 7 slower", "stream 7 of train 12 slower" where there are several processes. */
static uint32_t add_track(const marking *m, uint32_t track, mark_kind kind)
{
    const pf_processes *p = pf_trace_processes(m->t);
    char room[40];
    pf_buffer name = {0};
    pf_str lane = start_of(pf_compare_lane_text(m->t, track, room));
    uint32_t upid = pf_trace_tracks(m->t)->upid[track];
    pf_buffer_put(&name, lane.ptr, lane.len);
    if (upid < p->count && m->several) {
        pf_str process = start_of(pf_trace_string(m->t, p->name[upid]));
        pf_buffer_format(&name, " of %.*s%s%" PRId64, PF_TEXT_ARG(process), process.len ? " " : "process ",
                         p->pid[upid]);
    }
    pf_buffer_format(&name, " %s", kinds[kind].word);
    const pf_build_track_row row = {.of = PF_BUILD_TRACK,
                                    .owner = m->d->group,
                                    .name = pf_compare_text_of(m->d->c, &name),
                                    .description = pf_str_of(kinds[kind].description),
                                    .rank = (int32_t)(10 + kind)};
    uint32_t made = pf_build_track(m->d->b, &row);
    pf_buffer_free(&name);
    return made;
}

static uint32_t track_of(const marking *m, uint32_t slice, mark_kind kind)
{
    uint32_t track = pf_trace_slices(m->t)->track[slice], utid = pf_trace_tracks(m->t)->utid[track];
    uint32_t *at =
        &m->track[(size_t)(utid != PF_NONE ? utid : pf_trace_threads(m->t)->count + track) * MARK_KINDS + kind];
    if (!*at) {
        *at = add_track(m, track, kind) + 1;
    }
    return *at - 1;
}

/* Puts a mark, of the length of the call or none, called "TEXT NAME"; the text is freed. Whether there is room for it.
 */
static bool put_mark(const marking *m, const marked_row *k, uint32_t call, bool instant, pf_buffer *text)
{
    const pf_slices *s = pf_trace_slices(m->t);
    uint32_t slice = m->slice[call];
    pf_str name = start_of(pf_compare_row_text(m->d->c, k->row->name));
    int64_t ts;
    bool room = pf_compare_move(pf_slice_ts(s, slice), s->dur[slice], m->shift, &ts);
    pf_buffer_text(text, " ");
    pf_buffer_put(text, name.ptr, name.len);
    pf_str title = pf_compare_text_of(m->d->c, text);
    if (room && instant) {
        pf_build_instant(m->d->b, track_of(m, slice, k->kind), ts, title);
    } else if (room) {
        pf_build_slice(m->d->b, track_of(m, slice, k->kind), ts, s->dur[slice], title);
    }
    if (room) {
        pf_build_category(m->d->b, PF_STR("postfetto.compare"));
    }
    pf_buffer_free(text);
    return room;
}

/* The slot of a call; the last one for those of no iteration that both runs have. */
static uint32_t slot_of(const compare_calls *calls, uint32_t call, uint32_t slots)
{
    uint32_t iteration = slots && calls->iteration ? calls->iteration[call] : PF_NONE;
    return iteration < slots ? iteration : slots;
}

/* Takes the calls of a row, in the order of `slots` iterations. */
static void take_row(row_calls *r, uint32_t row, uint32_t slots)
{
    const compare_calls *calls = r->calls;
    uint32_t from = row < calls->rows ? calls->first[row] : 0, to = row < calls->rows ? calls->first[row + 1] : 0;
    for (uint32_t i = from; i < to; i++) {
        uint32_t k = slot_of(calls, i, slots);
        if (r->slots[k].count++ == 0) {
            r->taken[r->taken_count++] = k;
        }
    }
    for (uint32_t i = 0, at = 0; i < r->taken_count; i++) {
        slot *s = &r->slots[r->taken[i]];
        s->first = at;
        at += s->count;
        s->count = 0;
    }
    for (uint32_t i = from; i < to; i++) {
        slot *s = &r->slots[slot_of(calls, i, slots)];
        r->order[s->first + s->count++] = i;
    }
}

static void drop_row(row_calls *r)
{
    while (r->taken_count) {
        r->slots[r->taken[--r->taken_count]] = (slot){0, 0};
    }
}

static double own_of(const row_calls *r, const slot *at, uint32_t k)
{
    return (double)r->calls->own[r->order[at->first + k]];
}

static double sum_of(const row_calls *r, const slot *at)
{
    double sum = 0;
    for (uint32_t k = 0; k < at->count; k++) {
        sum += own_of(r, at, k);
    }
    return sum;
}

static double sign_of(const marked_row *k)
{
    return k->kind == MARK_FASTER || k->kind == MARK_VANISHED ? -1 : 1;
}

/* A call that took `more` than, or less than, what it is held against. */
static void mark_call(const marking *m, const marked_row *k, uint32_t call, double was, double more)
{
    pf_buffer text = {0};
    pf_compare_put_length(&text, sign_of(k) * more, pf_trace_time_unit(m->t), true);
    if (!put_mark(m, k, call, false, &text)) {
        return;
    }
    pf_compare_arg_time(m->d, "self", (double)m->mine.calls->own[call]);
    if (k->both) {
        pf_compare_arg_time(m->d, "base self", was);
        pf_compare_arg_time(m->d, "more", sign_of(k) * more);
        pf_build_arg_real(m->d->b, PF_STR("self of all calls, new over base"), pf_overlay_derived(k->row->self.ratio));
    }
}

/* What the calls of an iteration add up to, at the first of them. */
static void mark_sum(const marking *m, const marked_row *k, const slot *at, const slot *was, double more)
{
    pf_buffer text = {0};
    double times = was->count ? (double)at->count / was->count : 1;
    if (times >= 1.5) {
        char number[PF_FIXED_MAX];
        pf_buffer_put(&text, number, pf_format_real_fixed(times, times < 9.95, number));
        pf_buffer_text(&text, "x as often, ");
    }
    pf_compare_put_length(&text, sign_of(k) * more, pf_trace_time_unit(m->t), true);
    if (times < 1.5) {
        pf_buffer_format(&text, " in %u call%s", at->count, at->count == 1 ? "" : "s");
    }
    if (!put_mark(m, k, m->mine.order[at->first], true, &text)) {
        return;
    }
    pf_build_arg_int(m->d->b, PF_STR("calls"), at->count);
    pf_compare_arg_time(m->d, "self", sum_of(&m->mine, at));
    if (k->both) {
        pf_build_arg_int(m->d->b, PF_STR("base calls"), was->count);
        pf_compare_arg_time(m->d, "base self", sum_of(&m->base, was));
        pf_compare_arg_time(m->d, "more", sign_of(k) * more);
    }
}

/* Keeps the largest ones. */
static void note_cause(compare_drawing *d, uint32_t iteration, compare_cause cause)
{
    compare_cause *list = d->cause + (size_t)iteration * COMPARE_CAUSES;
    for (unsigned i = 0; i < COMPARE_CAUSES; i++) {
        if (fabs(cause.more) > fabs(list[i].more)) {
            compare_cause other = list[i];
            list[i] = cause;
            cause = other;
        }
    }
}

/* What call k of an iteration is held against. */
static double reference(const marking *m, const marked_row *k, const slot *at, const slot *was, uint32_t call)
{
    if (!k->both || was->count == 0) {
        return k->both ? (double)k->row->base.own / (double)k->row->base.calls : 0;
    }
    bool paired = at->count == was->count;
    double found = own_of(&m->base, was, paired ? call : 0);
    for (uint32_t i = 1; i < was->count && !paired; i++) {
        double own = own_of(&m->base, was, i);
        found = k->kind == MARK_FASTER ? fmin(found, own) : fmax(found, own);
    }
    return found;
}

/* The calls of a slot. */
static void mark_slot(const marking *m, const marked_row *k, uint32_t which)
{
    static const slot none = {0, 0};
    const slot *at = &m->mine.slots[which], *was = k->both ? &m->base.slots[which] : &none;
    double sign = k->kind == MARK_FASTER ? -1 : 1, marked = 0, than = 0;
    for (uint32_t i = 0; i < at->count; i++) {
        than = i == 0 || at->count == was->count ? reference(m, k, at, was, i) : than;
        double more = sign * (own_of(&m->mine, at, i) - than);
        if (more >= fmax(m->floor, m->d->c->options.tolerance * than)) {
            marked += more;
            mark_call(m, k, m->mine.order[at->first + i], than, more);
        }
    }
    double more = sign * (sum_of(&m->mine, at) - sum_of(&m->base, was));
    if (k->slots > 0 && which == k->slots) {
        return;
    }
    if (more - marked >= m->floor) {
        mark_sum(m, k, at, was, more);
    }
    if (which < k->slots && more >= m->floor) {
        note_cause(m->d, which, (compare_cause){sign_of(k) * more, at->count, k->row->name});
    }
}

static void mark_row(marking *m, marked_row *k)
{
    k->slots = m->d->iterations;
    take_row(&m->mine, k->row->name, k->slots);
    if (k->slots && m->mine.taken_count == 1 && m->mine.taken[0] == k->slots) { /* none is in an iteration */
        drop_row(&m->mine);
        k->slots = 0;
        take_row(&m->mine, k->row->name, 0);
    }
    if (k->both) {
        take_row(&m->base, k->row->name, k->slots);
    }
    for (uint32_t i = 0; i < m->mine.taken_count; i++) {
        mark_slot(m, k, m->mine.taken[i]);
    }
    drop_row(&m->mine);
    drop_row(&m->base);
}

static mark_kind kind_of(const compare_row *row)
{
    static const mark_kind of[] = {
        [COMPARE_SAME] = MARK_NONE,   [COMPARE_SLOWER] = MARK_SLOWER, [COMPARE_FASTER] = MARK_FASTER,
        [COMPARE_UNSURE] = MARK_NONE, [COMPARE_NEW] = MARK_NEW,       [COMPARE_VANISHED] = MARK_VANISHED};
    return of[row->self.verdict];
}

/* The slices of the calls, in the order in which these were laid out. */
static pf_status find_slices(marking *m, pf_error *err)
{
    uint32_t *next, row = 0;
    PF_TRY(PF_PASS_ARRAY(&m->d->c->arena, m->mine.calls->rows, next, err));
    PF_TRY(PF_PASS_ARRAY(&m->d->c->arena, m->mine.calls->count, m->slice, err));
    memcpy(next, m->mine.calls->first, m->mine.calls->rows * sizeof *next);
    compare_namer *namer = pf_compare_namer_new(m->d->c, m->t, m->mine.calls->place, err);
    PF_TRY(namer ? PF_OK : err->code);
    for (uint32_t i = 0; row != PF_NONE && i < pf_trace_slices(m->t)->count; i++) {
        if (m->mine.calls->place[i] != COMPARE_LEFT_OUT) {
            row = pf_compare_name(namer, i, err);
            if (row < m->mine.calls->rows) {
                m->slice[next[row]++] = i;
            }
        }
    }
    pf_compare_namer_free(namer);
    return row == PF_NONE ? err->code : PF_OK;
}

static pf_status make_room(const compare_drawing *d, row_calls *r, pf_error *err)
{
    PF_TRY(PF_PASS_ARRAY(&d->c->arena, r->calls->count, r->order, err));
    PF_TRY(PF_PASS_ARRAY(&d->c->arena, (size_t)d->iterations + 1, r->taken, err));
    return PF_ARENA_NEW(&d->c->arena, r->slots, (size_t)d->iterations + 1, err);
}

static pf_status mark_run(marking *m, bool vanished, pf_error *err)
{
    const compare_drawing *d = m->d;
    size_t lanes = (size_t)pf_trace_threads(m->t)->count + pf_trace_tracks(m->t)->count;
    m->several = several_processes(m->t);
    PF_TRY(find_slices(m, err));
    PF_TRY(PF_ARENA_NEW(&d->c->arena, m->track, lanes * MARK_KINDS, err));
    PF_TRY(make_room(d, &m->mine, err));
    PF_TRY(make_room(d, &m->base, err));
    for (uint32_t i = 0; i < d->r->count; i++) {
        marked_row k = {.row = &d->r->rows[i], .kind = kind_of(&d->r->rows[i])};
        k.both = k.row->base.calls && k.row->now.calls;
        if (k.kind != MARK_NONE && (k.kind == MARK_VANISHED) == vanished) {
            mark_row(m, &k);
        }
    }
    return PF_OK;
}

/* The least that is marked. */
static double floor_of(const compare_drawing *d)
{
    const compare_calls *calls = d->now_calls;
    int64_t start, end;
    pf_trace_bounds(d->now, &start, &end);
    double length = ((double)end - (double)start) / 10000;
    if (d->iterations) {
        length = ((double)calls->start[calls->iterations] - (double)calls->start[0]) / calls->iterations / 1000;
    }
    return fmax(length, 1);
}

pf_status pf_compare_mark(compare_drawing *d, pf_error *err)
{
    double least = floor_of(d);
    marking now = {.d = d, .t = d->now, .mine.calls = d->now_calls, .base.calls = d->base_calls, .floor = least};
    marking base = {.d = d,
                    .t = d->base,
                    .mine.calls = d->base_calls,
                    .base.calls = d->base_calls,
                    .shift = d->shift,
                    .floor = least};
    PF_TRY(PF_ARENA_NEW(&d->c->arena, d->cause, (size_t)d->iterations * COMPARE_CAUSES, err));
    PF_TRY(mark_run(&now, false, err));
    return mark_run(&base, true, err);
}
