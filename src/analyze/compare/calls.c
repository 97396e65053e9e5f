/* analyze/compare/calls.c - from slices to calls: length and own time of each, and the iteration it is in.
 *
 * The calls are laid out by row, by a counting sort: what is summed up row by row later lies in one piece.
 *
 * Own time is the length less the lengths of the slices directly inside. On threads whose slices do not nest, the stack
 * of the trace puts what crosses an end on a lane of its own, where it is in nothing; here it is inside if half of it
 * or more is: ends that rounding moved by a ns do not double what is around them. An iteration goes from the start of
 * one anchor to the start of the next; the anchors are the slices of the name that was given, else those of PyTorch's
 * profiler
 * ("ProfilerStep#12"), which number the steps; those on devices only where the host has none. What a device did is in
 * the iteration that launched it.
 */
#include <string.h>

#include "analyze/compare/compare.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

/* The anchor as rows are called: ProfilerStep#12 is ProfilerStep#*, as its slices are. */
static pf_status normalise_anchor(compare *c, pf_error *err)
{
    pf_str given = c->options.anchor;
    if (!given.ptr) {
        return PF_OK;
    }
    char *text = pf_pass_array(&c->arena, given.len + 3, 1, err);
    if (!text) {
        return err->code;
    }
    c->options.anchor = (pf_str){text, pf_compare_normalise(c->options.names, given, text)};
    return PF_OK;
}

pf_status pf_compare_begin(compare *c, const compare_options *options, const pf_limits *limits, pf_error *err)
{
    *c = (compare){.options = *options, .ready = true};
    pf_budget_init(&c->budget, limits);
    pf_arena_init(&c->arena, &c->budget);
    PF_TRY(normalise_anchor(c, err));
    return pf_strings_init(&c->names, &c->budget, err);
}

void pf_compare_end(compare *c)
{
    if (c->ready) {
        pf_strings_free(&c->names);
        pf_arena_free(&c->arena);
        pf_budget_end(&c->budget);
        c->ready = false;
    }
}

/* Whether a row is the anchor, possibly with more to it than the name. */
static bool is_anchor(const compare *c, uint32_t id)
{
    pf_str word = c->options.anchor, row = pf_compare_row_text(c, id);
    if (!word.ptr) {
        return pf_str_starts(row, PF_STR("ProfilerStep#"));
    }
    bool longer = c->options.by && row.len > word.len && row.ptr[word.len] == ' ';
    return longer ? pf_str_starts(row, word) : pf_str_equal(row, word);
}

/* A trace that is being read. */
typedef struct reading {
    compare *c;
    const pf_trace *t;
    const pf_slices *s;
    uint32_t *at; /* by slice: its row, then its place in the columns; PF_NONE where it does not count */
    compare_calls *out;
    pf_arena scratch;
} reading;

static pf_status name_slices(reading *r, compare_namer *namer, pf_error *err)
{
    const pf_slices *s = r->s;
    for (uint32_t i = 0; i < s->count; i++) {
        r->out->open += s->dur[i] < 0;
        r->at[i] = PF_NONE;
        if (r->out->place[i] != COMPARE_LEFT_OUT) {
            r->at[i] = pf_compare_name(namer, i, err);
            if (r->at[i] == PF_NONE) {
                return err->code;
            }
            r->out->count++;
        }
    }
    return PF_OK;
}

/* Where the calls of each row begin. */
static pf_status lay_out(reading *r, pf_error *err)
{
    compare_calls *out = r->out;
    pf_arena *arena = &r->c->arena;
    out->rows = r->c->names.count;
    out->first = pf_pass_array(arena, (size_t)out->rows + 2, sizeof *out->first, err);
    out->length = out->first ? pf_pass_array(arena, out->count, sizeof *out->length, err) : NULL;
    out->own = out->length ? pf_pass_array(arena, out->count, sizeof *out->own, err) : NULL;
    if (!out->own) {
        return err->code;
    }
    memset(out->first, 0, ((size_t)out->rows + 2) * sizeof *out->first);
    for (uint32_t i = 0; i < r->s->count; i++) {
        if (r->at[i] != PF_NONE) {
            out->first[r->at[i] + 2]++;
        }
    }
    for (uint32_t row = 1; row < out->rows + 2; row++) {
        out->first[row] += out->first[row - 1];
    }
    return PF_OK;
}

/* Numbers the iterations of slices: *out is by slice, or NULL. Anchors inside one of the same start count once. */
static pf_status find_iterations(reading *r, uint32_t **out, pf_error *err)
{
    uint8_t *anchor = pf_pass_array(&r->scratch, r->out->rows, sizeof *anchor, err); /* 0, or 1 + its place */
    const uint32_t *step_of = r->out->outline.step_of;
    bool any[2] = {false, false};
    uint32_t iteration = PF_NONE;
    int64_t last = INT64_MIN;
    *out = NULL;
    if (!anchor) {
        return err->code;
    }
    for (uint32_t row = 0; row < r->out->rows; row++) {
        bool device = pf_compare_is_device_row(r->c, row);
        anchor[row] = is_anchor(r->c, row) ? 1 + device : 0;
        any[device] |= anchor[row] && r->out->first[row + 2] > r->out->first[row + 1];
    }
    if (!any[COMPARE_HOST] && !any[COMPARE_DEVICE]) {
        return PF_OK;
    }
    uint8_t wanted = any[COMPARE_HOST] ? 1 + COMPARE_HOST : 1 + COMPARE_DEVICE;
    size_t bytes = ((size_t)r->s->count + 1) * sizeof **out;
    *out = pf_alloc(&r->c->budget, bytes);
    r->out->iteration = *out ? pf_pass_array(&r->c->arena, r->out->count, sizeof *r->out->iteration, err) : NULL;
    if (!r->out->iteration) {
        return *out ? err->code : pf_budget_refused(&r->c->budget, bytes, err);
    }
    for (uint32_t i = 0; i < r->s->count; i++) {
        int64_t ts = pf_slice_ts(r->s, i);
        if (r->at[i] != PF_NONE && anchor[r->at[i]] == wanted && (iteration == PF_NONE || ts > last)) {
            iteration = r->out->iterations++;
            last = ts;
        }
        (*out)[i] = step_of && step_of[i] != PF_NONE ? step_of[i] : iteration;
    }
    return PF_OK;
}

/* What is open on each thread; NULL where all slices nest. */
typedef struct nesting {
    uint32_t *top, *around; /* by thread, by slice */
    bool converted;         /* from a document: its lanes are tracks of events of the thread */
} nesting;

static bool is_lane(const nesting *n, pf_track_type type)
{
    return type == PF_TRACK_THREAD_OVERLAP || (n->converted && type == PF_TRACK_THREAD_EVENT);
}

static pf_status make_nesting(reading *r, nesting *n, pf_error *err)
{
    const pf_tracks *k = pf_trace_tracks(r->t);
    size_t threads = pf_trace_threads(r->t)->count;
    bool crossed = false;
    *n = (nesting){.converted = pf_trace_find_string(r->t, PF_STR("trace_attribute.postfetto.source")) != PF_NONE};
    for (uint32_t i = 0; i < k->count && !crossed; i++) {
        crossed = is_lane(n, k->type[i]);
    }
    n->around = crossed ? pf_pass_array(&r->scratch, r->s->count, sizeof *n->around, err) : NULL;
    n->top = n->around ? pf_pass_array(&r->scratch, threads, sizeof *n->top, err) : NULL;
    if (n->top) {
        memset(n->top, 0xff, threads * sizeof *n->top); /* PF_NONE */
    }
    return n->top || !crossed ? PF_OK : err->code;
}

/* The slice that `i` is directly inside. */
static uint32_t parent_of(const reading *r, const nesting *n, uint32_t i)
{
    const pf_slices *s = r->s;
    const pf_tracks *k = pf_trace_tracks(r->t);
    pf_track_type type = k->type[s->track[i]];
    uint32_t thread =
        n->top && (type == PF_TRACK_THREAD_EXECUTION || is_lane(n, type)) ? k->utid[s->track[i]] : PF_NONE;
    if (thread == PF_NONE) {
        return s->parent[i];
    }
    int64_t ts = pf_slice_ts(s, i), half = s->dur[i] - s->dur[i] / 2;
    uint32_t at = n->top[thread];
    while (at != PF_NONE) {
        int64_t left = s->dur[at] - (ts - pf_slice_ts(s, at)); /* of it, from ts on */
        if (left > 0 && left >= half) {
            break;
        }
        at = n->around[at];
    }
    n->around[i] = at;
    n->top[thread] = i;
    return at;
}

/* Puts the calls where they belong. Own times begin as lengths, and lose those of the slices directly inside, which
 * come later and mostly soon: the place is still in the cache. */
static void place(reading *r, const nesting *n, const uint32_t *iteration)
{
    const pf_slices *s = r->s;
    uint32_t *at = r->at, *next = r->out->first + 1;
    uint64_t *length = r->out->length, *own = r->out->own;
    for (uint32_t i = 0; i < s->count; i++) {
        if (at[i] == PF_NONE) {
            continue;
        }
        uint64_t dur = (uint64_t)s->dur[i];
        uint32_t parent = parent_of(r, n, i), to = at[i] = next[at[i]]++;
        r->out->busy += parent == PF_NONE ? dur : 0;
        length[to] = own[to] = dur;
        if (iteration) {
            r->out->iteration[to] = iteration[i];
        }
        if (parent < i && at[parent] != PF_NONE) {
            own[at[parent]] = own[at[parent]] > dur ? own[at[parent]] - dur : 0;
        }
    }
}

/* The anchor as an expression, in which * stands for what names lost; without one that of PyTorch's steps. */
static pf_status make_pattern(reading *r, pf_str *out, pf_error *err)
{
    const pf_str number = PF_STR("(\\*|[0-9a-fA-F]+)");
    pf_str word = r->c->options.anchor;
    char *text = word.ptr ? pf_pass_array(&r->scratch, word.len * number.len + 2, 1, err) : NULL;
    size_t n = 0;
    *out = PF_STR("^ProfilerStep#[0-9]+$");
    if (!text) {
        return word.ptr ? err->code : PF_OK;
    }
    text[n++] = '^';
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        bool plain = (pf_lower(c) >= 'a' && pf_lower(c) <= 'z') || pf_is_digit(c) || (c & 0x80);
        if (c == '*' && r->c->options.names != COMPARE_NAMES_EXACT) {
            memcpy(text + n, number.ptr, number.len);
            n += number.len;
        } else {
            text[n] = '\\';
            n += !plain;
            text[n++] = c;
        }
    }
    text[n++] = '$';
    *out = (pf_str){text, n};
    return PF_OK;
}

/* The columns of the calls; *iteration: as find_iterations leaves it, for the caller to release. */
static pf_status read_slices(reading *r, uint32_t **iteration, pf_error *err)
{
    compare_calls *out = r->out;
    pf_str pattern;
    nesting n;
    PF_TRY(make_pattern(r, &pattern, err));
    if (!out->in_cycles) {
        PF_TRY(pf_gpu_outline(r->t, pattern, r->c->options.jobs, &r->scratch, &r->c->arena, &out->outline, err));
    }
    PF_TRY(pf_compare_find_places(r->c, r->t, out->outline.on_device, &out->place, err));
    compare_namer *namer = pf_compare_namer_new(r->c, r->t, out->place, err);
    pf_status st = namer ? name_slices(r, namer, err) : err->code;
    pf_compare_namer_free(namer);
    PF_TRY(st);
    PF_TRY(lay_out(r, err));
    PF_TRY(find_iterations(r, iteration, err));
    PF_TRY(make_nesting(r, &n, err));
    place(r, &n, *iteration);
    return PF_OK;
}

pf_status pf_compare_read(compare *c, const pf_trace *t, compare_calls *out, pf_error *err)
{
    reading r = {.c = c, .t = t, .s = pf_trace_slices(t), .out = out};
    uint32_t *iteration = NULL;
    size_t bytes = ((size_t)r.s->count + 1) * sizeof *r.at;
    *out = (compare_calls){.in_cycles = pf_trace_time_unit(t) == PF_UNIT_CYCLE};
    pf_arena_init(&r.scratch, &c->budget);
    r.at = pf_alloc(&c->budget, bytes);
    pf_status st = r.at ? read_slices(&r, &iteration, err) : pf_budget_refused(&c->budget, bytes, err);
    pf_release(&c->budget, iteration, iteration ? bytes : 0);
    pf_release(&c->budget, r.at, r.at ? bytes : 0);
    pf_arena_free(&r.scratch);
    out->outline.on_device = NULL;
    out->outline.step_of = NULL;
    return st;
}
