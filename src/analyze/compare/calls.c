/* analyze/compare/calls.c - from slices to calls: length and own time of each, and the iteration it is in.
 *
 * The calls are laid out by row, by a counting sort: what is summed up row by row later lies in one piece.
 *
 * Own time is the length less the lengths of the slices directly inside; annotations of a device have none: what no
 * kernel covers of them is time in which it was idle. On threads whose slices do not nest, the stack
 * of the trace puts what crosses an end on a lane of its own, where it is in nothing; here it is inside if half of it
 * or more is: ends that rounding moved by a ns do not double what is around them. An iteration goes from the start of
 * one anchor to the start of the next; the anchors are the slices of the name that was given, else those of PyTorch's
 * profiler
 * ("ProfilerStep#12"), which number the steps; those on devices only where the host has none. What a device did is in
 * the iteration that launched it.
 */

#include "analyze/compare/compare.h"
#include "analyze/support/pass_memory.h"
#include "model/trace/trace.h"

/* The anchor as rows are called: ProfilerStep#12 is ProfilerStep#*, as its slices are. */
static pf_status normalise_anchor(compare *c, pf_error *err)
{
    pf_str given = c->options.anchor;
    if (!given.ptr) {
        return PF_OK;
    }
    char *text;
    PF_TRY(PF_PASS_ARRAY(&c->arena, given.len + 3, text, err));
    c->options.anchor = (pf_str){text, pf_compare_normalise(c->options.names, given, text)};
    return PF_OK;
}

pf_status pf_compare_begin(compare *c, const compare_options *options, const pf_limits *limits, pf_error *err)
{
    *c = (compare){.options = *options};
    pf_budget_init(&c->budget, limits);
    pf_arena_init(&c->arena, &c->budget);
    PF_TRY(normalise_anchor(c, err));
    return pf_strings_init(&c->names, &c->budget, err);
}

void pf_compare_end(compare *c)
{
    pf_strings_free(&c->names);
    pf_arena_free(&c->arena);
    pf_budget_end(&c->budget);
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
    compare_calls *out;
    pf_arena scratch;       /* of what follows */
    uint32_t *at;           /* by slice: its row, then its place in the columns; PF_NONE where it does not count */
    uint32_t *iteration;    /* by slice; NULL: there are none */
    uint32_t *top, *around; /* by thread, by slice: what is open on each thread; NULL where all slices nest */
    bool converted;         /* from a document: lanes are tracks of events of the thread */
} reading;

/* What a text is, as a category or as a name. */
enum { OUR_CATEGORY = 1, PROFILER_SPAN = 2 };

/* "PyTorch Profiler (0)": a slice around all that was recorded. */
static bool is_profiler_span(pf_str name)
{
    pf_str begin = PF_STR("PyTorch Profiler (");
    size_t at = begin.len;
    if (!pf_str_starts(name, begin)) {
        return false;
    }
    while (at < name.len && pf_is_digit(name.ptr[at])) {
        at++;
    }
    return at > begin.len && at + 1 == name.len && name.ptr[at] == ')';
}

/* It has an end and is no instant. */
static bool has_length(const pf_events *e, const pf_slices *s, uint32_t i)
{
    uint8_t phase = e->phase[s->event[i]];
    return s->dur[i] >= 0 && phase != 'i' && phase != 'I' && phase != 'R' && phase != 'n' && phase != PF_PHASE_STATE;
}

/* Which slices count, and whether they are of the host or of a device. Names and categories are judged once each, by
 * their string ids. */
static pf_status find_places(reading *r, pf_error *err)
{
    const pf_slices *s = r->s;
    const uint8_t *on_device = r->out->outline.on_device;
    uint32_t strings = r->t->strings.count;
    uint8_t *text;
    PF_TRY(PF_PASS_ARRAY(&r->scratch, strings, text, err));
    PF_TRY(PF_PASS_ARRAY(&r->c->arena, s->count, r->out->place, err));
    for (uint32_t id = 0; id < strings; id++) {
        pf_str words = pf_trace_string(r->t, id);
        text[id] = pf_compare_is_ours(words) ? OUR_CATEGORY : is_profiler_span(words) ? PROFILER_SPAN : 0;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        bool left_out = !has_length(pf_trace_events(r->t), s, i) || text[pf_slice_category(s, i)] == OUR_CATEGORY ||
                        text[pf_slice_name(s, i)] == PROFILER_SPAN;
        r->out->place[i] = left_out ? COMPARE_LEFT_OUT : on_device && on_device[i] ? COMPARE_DEVICE : COMPARE_HOST;
    }
    return PF_OK;
}

static pf_status name_slices(reading *r, compare_namer *namer, pf_error *err)
{
    const pf_slices *s = r->s;
    for (uint32_t i = 0; i < s->count; i++) {
        r->out->open += s->dur[i] < 0;
        r->at[i] = PF_NONE;
        if (r->out->place[i] != COMPARE_LEFT_OUT) {
            r->at[i] = pf_compare_name(namer, i, err);
            PF_TRY(r->at[i] == PF_NONE ? err->code : PF_OK);
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
    PF_TRY(PF_ARENA_NEW(arena, out->first, (size_t)out->rows + 2, err));
    PF_TRY(PF_PASS_ARRAY(arena, out->count, out->length, err));
    PF_TRY(PF_PASS_ARRAY(arena, out->count, out->own, err));
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

/* Numbers the iterations of slices. Anchors inside one of the same start count once. */
static pf_status find_iterations(reading *r, pf_error *err)
{
    uint8_t *anchor; /* 0, or 1 + its place */
    const uint32_t *step_of = r->out->outline.step_of;
    uint32_t count[2] = {0, 0};
    compare_calls *out = r->out;
    pf_arena *arena = &r->c->arena;
    uint32_t iteration = PF_NONE;
    PF_TRY(PF_PASS_ARRAY(&r->scratch, out->rows, anchor, err));
    for (uint32_t row = 0; row < out->rows; row++) {
        bool device = pf_compare_is_device_row(r->c, row);
        anchor[row] = is_anchor(r->c, row) ? 1 + device : 0;
        count[device] += anchor[row] ? out->first[row + 2] - out->first[row + 1] : 0;
    }
    if (!count[COMPARE_HOST] && !count[COMPARE_DEVICE]) {
        return PF_OK;
    }
    compare_place wanted = count[COMPARE_HOST] ? COMPARE_HOST : COMPARE_DEVICE;
    PF_TRY(PF_PASS_ARRAY(&r->scratch, r->s->count, r->iteration, err));
    PF_TRY(PF_PASS_ARRAY(arena, out->count, out->iteration, err));
    PF_TRY(PF_PASS_ARRAY(arena, count[wanted] + 1, out->start, err));
    PF_TRY(PF_PASS_ARRAY(arena, count[wanted], out->anchor, err));
    for (uint32_t i = 0; i < r->s->count; i++) {
        int64_t ts = pf_slice_ts(r->s, i);
        if (r->at[i] != PF_NONE && anchor[r->at[i]] == 1 + wanted &&
            (iteration == PF_NONE || ts > out->start[iteration])) {
            iteration = out->iterations++;
            out->anchor[iteration] = i;
            out->start[iteration] = ts;
            bool far = __builtin_add_overflow(ts, r->s->dur[i], &out->start[iteration + 1]);
            out->start[iteration + 1] = far ? INT64_MAX : out->start[iteration + 1];
        }
        r->iteration[i] = step_of && step_of[i] != PF_NONE ? step_of[i] : iteration;
    }
    return PF_OK;
}

static bool is_lane(const reading *r, pf_track_type type)
{
    return type == PF_TRACK_THREAD_OVERLAP || (r->converted && type == PF_TRACK_THREAD_EVENT);
}

static pf_status find_lanes(reading *r, pf_error *err)
{
    const pf_tracks *k = pf_trace_tracks(r->t);
    size_t threads = pf_trace_threads(r->t)->count;
    bool crossed = false;
    r->converted = pf_trace_is_converted(r->t, false);
    for (uint32_t i = 0; i < k->count && !crossed; i++) {
        crossed = is_lane(r, k->type[i]);
    }
    if (crossed) {
        PF_TRY(PF_PASS_ARRAY(&r->scratch, r->s->count, r->around, err));
        PF_TRY(PF_PASS_ARRAY(&r->scratch, threads, r->top, err));
        memset(r->top, 0xff, threads * sizeof *r->top); /* PF_NONE */
    }
    return PF_OK;
}

/* The slice that `i` is directly inside. */
static uint32_t parent_of(const reading *r, uint32_t i)
{
    const pf_slices *s = r->s;
    const pf_tracks *k = pf_trace_tracks(r->t);
    pf_track_type type = k->type[s->track[i]];
    uint32_t thread =
        r->top && (type == PF_TRACK_THREAD_EXECUTION || is_lane(r, type)) ? k->utid[s->track[i]] : PF_NONE;
    if (thread == PF_NONE) {
        return s->parent[i];
    }
    int64_t ts = pf_slice_ts(s, i), half = s->dur[i] - s->dur[i] / 2;
    uint32_t at = r->top[thread];
    while (at != PF_NONE) {
        int64_t left = s->dur[at] - (ts - pf_slice_ts(s, at)); /* of it, from ts on */
        if (left > 0 && left >= half) {
            break;
        }
        at = r->around[at];
    }
    r->around[i] = at;
    r->top[thread] = i;
    return at;
}

/* Puts the calls where they belong. Own times begin as lengths, and lose those of the slices directly inside, which
 * come later and mostly soon: the place is still in the cache. */
static void place(reading *r)
{
    const pf_slices *s = r->s;
    uint32_t *at = r->at, *next = r->out->first + 1;
    uint64_t *length = r->out->length, *own = r->out->own;
    const uint8_t *on_device = r->out->outline.on_device;
    for (uint32_t i = 0; i < s->count; i++) {
        if (at[i] == PF_NONE) {
            continue;
        }
        uint64_t dur = (uint64_t)s->dur[i];
        uint32_t parent = parent_of(r, i), to = at[i] = next[at[i]]++;
        r->out->busy += parent == PF_NONE ? dur : 0;
        length[to] = dur;
        own[to] = on_device && on_device[i] == GPU_ANNOTATION ? 0 : dur;
        if (r->iteration) {
            r->out->iteration[to] = r->iteration[i];
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
    char *text;
    size_t n = 0;
    *out = PF_STR("^ProfilerStep#[0-9]+$");
    if (!word.ptr) {
        return PF_OK;
    }
    PF_TRY(PF_PASS_ARRAY(&r->scratch, word.len * number.len + 2, text, err));
    text[n++] = '^';
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        bool plain = pf_is_alnum(c) || (c & 0x80);
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

/* The columns of the calls. */
static pf_status read_slices(reading *r, pf_error *err)
{
    compare_calls *out = r->out;
    pf_str pattern;
    PF_TRY(PF_PASS_ARRAY(&r->scratch, r->s->count, r->at, err));
    PF_TRY(make_pattern(r, &pattern, err));
    if (!out->in_cycles) {
        PF_TRY(pf_gpu_outline(r->t, pattern, r->c->options.jobs, &r->scratch, &r->c->arena, &out->outline, err));
    }
    PF_TRY(find_places(r, err));
    compare_namer *namer = pf_compare_namer_new(r->c, r->t, out->place, err);
    pf_status st = namer ? name_slices(r, namer, err) : err->code;
    pf_compare_namer_free(namer);
    PF_TRY(st);
    PF_TRY(lay_out(r, err));
    PF_TRY(find_iterations(r, err));
    PF_TRY(find_lanes(r, err));
    place(r);
    return PF_OK;
}

pf_status pf_compare_read(compare *c, const pf_trace *t, compare_calls *out, pf_error *err)
{
    reading r = {.c = c, .t = t, .s = pf_trace_slices(t), .out = out};
    *out = (compare_calls){.in_cycles = pf_trace_time_unit(t) == PF_UNIT_CYCLE};
    pf_arena_init(&r.scratch, &c->budget);
    pf_status st = read_slices(&r, err);
    pf_arena_free(&r.scratch);
    out->outline.on_device = NULL;
    out->outline.step_of = NULL;
    return st;
}
