/* analyze/gpu/steps/gpu_critical_path.c - point 4: the chain that set the length of a step (docs/reference/gpu.md,
 * "Critical path").
 *
 * The walk goes backwards from the last operation that the step launched on a device, and asks at each point what it
 * waited for. An operation waited for its launch, if nothing it depends on was left to do when the call began, else for
 * what it depends on. A host thread waited in its last blocking call for an operation. Time on the host between two
 * such points belongs to the outermost operators of the thread. So the pieces lie end to end, from where the chain
 * enters the step to the end of the device.
 *
 * The walk ends: a move never goes forward in time, and the moves that stay at one time (operations and launches
 * without length) go down the order of a stream, then to the host, which only calls and operations with a length leave.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/gpu/steps/gpu_path_items.h"
#include "analyze/gpu/steps/gpu_steps.h"
#include "analyze/support/pass_memory.h"

typedef enum path_kind {
    PATH_HOST = 0,
    PATH_LAUNCH,
    PATH_SYNC,
    PATH_WAIT,
    PATH_COMPUTE,
    PATH_COMMUNICATION,
    PATH_MEMORY,
    PATH_KINDS
} path_kind;

typedef struct path_piece {
    path_kind kind;
    pf_interval time;
    uint32_t slice, thread, device, stream; /* PF_NONE: none */
} path_piece;

typedef struct walk {
    gpu_facts *g;
    const gpu_rank *rank;
    const gpu_step *step;
    const uint32_t *step_of; /* by operation */
    uint32_t number;         /* of the step, as there */
    uint32_t thread;         /* of the host that the step is a slice of, or PF_NONE */
    gpu_path_items *items;
    path_piece *pieces; /* the last one first */
    uint32_t count, room;
    pf_arena *arena;
    pf_error *err;
    pf_status st;
} walk;

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static void add_piece(walk *w, const path_piece *piece)
{
    path_piece p = *piece;
    p.time.start = p.time.start > w->step->time.start ? p.time.start : w->step->time.start;
    if (w->st == PF_OK && p.time.end > p.time.start) {
        w->st = PF_ARENA_ROOM(w->arena, w->pieces, w->count + 1, w->room, w->err);
        if (w->st == PF_OK) {
            w->pieces[w->count++] = p;
        }
    }
}

static void add_wait(walk *w, int64_t from, int64_t to, uint32_t device)
{
    add_piece(w, &(path_piece){PATH_WAIT, {from, to}, PF_NONE, PF_NONE, device, PF_NONE});
}

/* Time of a thread: its outermost operators, and what lies between them. */
static void add_host(walk *w, uint32_t thread, int64_t from, int64_t to)
{
    const path_piece between = {PATH_HOST, {from, to}, PF_NONE, thread, PF_NONE, PF_NONE};
    from = from > w->step->time.start ? from : w->step->time.start;
    const gpu_path_list *l = &w->items->operators;
    uint32_t n = pf_gpu_path_ended_before(l, thread, to);
    n += n < l->count && l->list[n].owner == thread && l->list[n].start < to; /* one that covers the end */
    for (; n && to > from; n--) {
        const gpu_path_item *o = &l->list[n - 1];
        if (o->owner != thread || o->end <= from) {
            break;
        }
        path_piece gap = between, piece = between;
        gap.time = (pf_interval){o->end, to};
        add_piece(w, &gap);
        piece.time = (pf_interval){o->start > from ? o->start : from, o->end < to ? o->end : to};
        piece.slice = o->row;
        add_piece(w, &piece);
        to = piece.time.start < to ? piece.time.start : to;
    }
    path_piece rest = between;
    rest.time = (pf_interval){from, to};
    add_piece(w, &rest);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

typedef struct place {
    bool done;
    uint32_t op;     /* PF_NONE: on the host */
    uint32_t thread; /* on the host */
    int64_t at;      /* where the pieces so far begin */
} place;

/* Goes on with an operation, unless that belongs to another step: there the chain enters this one. */
static void enter_op(const walk *w, place *p, uint32_t op)
{
    p->op = op;
    p->done = op == PF_NONE || w->step_of[op] != w->number;
}

/* The first runtime call of a thread in the step; `at` if it has none before that. */
static int64_t first_call(const walk *w, uint32_t thread, int64_t at)
{
    const gpu_calls *c = &w->g->calls;
    uint32_t low = w->rank->first_call, last = low + w->rank->call_count, high = last;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->start[middle] < w->step->time.start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low < last && c->start[low] < at && gpu_thread_of_slice(w->g, c->slice[low]) != thread) {
        low++;
    }
    return low < last && c->start[low] < at ? c->start[low] : at;
}

/* From a point on the host to what its last blocking call waited for. Before its first call of the step a thread had
 * nothing to do: there the thread of the step goes on. */
static void leave_host(walk *w, place *p)
{
    uint32_t at = pf_gpu_path_last_ended(&w->items->calls, p->thread, p->at);
    const gpu_path_item *call = at == PF_NONE ? NULL : &w->items->calls.list[at];
    if (!call || call->end <= w->step->time.start) {
        uint32_t main = w->thread == PF_NONE ? p->thread : w->thread;
        int64_t from = main == p->thread ? w->step->time.start : first_call(w, p->thread, p->at);
        add_host(w, p->thread, from, p->at);
        p->done = main == p->thread;
        p->thread = main;
        p->at = from;
        return;
    }
    uint32_t op = pf_gpu_path_awaited(w->items, call);
    add_host(w, p->thread, call->end, p->at);
    p->at = op == PF_NONE ? call->start : w->g->ops.end[op];
    add_piece(w,
              &(path_piece){PATH_SYNC, {p->at, call->end}, w->g->calls.slice[call->row], p->thread, PF_NONE, PF_NONE});
    if (op != PF_NONE) {
        enter_op(w, p, op);
    }
}

/* From an operation to what it waited for. */
static void leave_op(walk *w, place *p)
{
    static const path_kind kinds[GPU_CLASSES] = {PATH_COMPUTE, PATH_COMMUNICATION, PATH_MEMORY};
    const gpu_ops *o = &w->g->ops;
    const gpu_calls *c = &w->g->calls;
    uint32_t op = p->op, call = gpu_call_of(w->g, op), before = pf_gpu_path_before(w->items, op);
    int64_t start = o->start[op], ended = before == PF_NONE ? start : o->end[before] < start ? o->end[before] : start;
    add_piece(w, &(path_piece){kinds[o->class[op]],
                               {start, p->at < o->end[op] ? p->at : o->end[op]},
                               o->slice[op],
                               PF_NONE,
                               o->device[op],
                               o->stream[op]});
    bool launched = call != PF_NONE && c->start[call] <= start;
    path_piece launch = {PATH_LAUNCH, {0, start}, launched ? c->slice[call] : PF_NONE, PF_NONE, o->device[op], PF_NONE};
    launch.thread = launched ? gpu_thread_of_slice(w->g, launch.slice) : PF_NONE;
    if (launched && (before == PF_NONE || ended <= c->start[call])) {
        launch.time.start = c->start[call];
        add_piece(w, &launch);
        *p = (place){.op = PF_NONE, .thread = launch.thread, .at = c->start[call]};
        return;
    }
    enter_op(w, p, before);
    p->at = start;
    if (!p->done) {
        int64_t called = launched && c->end[call] > ended ? (c->end[call] < start ? c->end[call] : start) : ended;
        add_wait(w, called, start, o->device[op]);
        launch.time = (pf_interval){ended, called};
        add_piece(w, &launch);
    }
}

/* last: the operation of the step that ended last, or PF_NONE. Without one the walk starts where the host ended. */
static void walk_back(walk *w, uint32_t last)
{
    const pf_interval *t = &w->step->time;
    bool on_host = w->step->slice != PF_NONE && w->g->kind[w->step->slice] != GPU_SLICE_DEVICE_ANNOTATION;
    w->thread = on_host ? gpu_thread_of_slice(w->g, w->step->slice) : PF_NONE;
    place p = {.op = last, .thread = w->thread, .at = last == PF_NONE ? t->end : w->g->ops.end[last]};
    if (last == PF_NONE && !on_host) {
        add_wait(w, t->start, t->end, PF_NONE);
        return;
    }
    while (!p.done && w->st == PF_OK && (p.op != PF_NONE || p.at > t->start)) {
        if (p.op != PF_NONE) {
            leave_op(w, &p);
        } else {
            leave_host(w, &p);
        }
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void add_rows(const walk *w, gpu_tables *t, pf_findings *f)
{
    static const pf_str kinds[] = {{"host", 4},    {"launch", 6},         {"sync", 4},  {"wait", 4},
                                   {"compute", 7}, {"communication", 13}, {"memory", 6}};
    const gpu_facts *g = w->g;
    uint32_t input = (uint32_t)(w->rank - g->ranks);
    for (size_t i = w->count; i-- > 0;) {
        const path_piece *p = &w->pieces[i];
        const pf_cell row[] = {
            pf_gpu_input_cell(g, input),
            pf_gpu_rank_cell(g, input),
            pf_cell_int(w->step->number),
            pf_cell_text(kinds[p->kind]),
            pf_gpu_slice_cell(g, p->slice),
            pf_cell_int(p->time.start),
            pf_cell_int(p->time.end),
            pf_cell_count(pf_interval_length(p->time)),
            pf_cell_int_if(p->thread != PF_NONE, p->thread == PF_NONE ? 0 : pf_trace_threads(g->trace)->tid[p->thread]),
            pf_cell_int_if(p->device != PF_NONE, p->device == PF_NONE ? 0 : g->devices[p->device].number),
            pf_cell_int_if(p->stream != PF_NONE, p->stream == PF_NONE ? 0 : g->streams[p->stream].number)};
        pf_table_row(f, t->table[GPU_TABLE_CRITICAL_PATH], row);
    }
}

/* Shares of a path by kind of piece: host, launch, sync, wait, ... as percent of its whole length. */
static void add_shares(const walk *w, uint32_t device, gpu_tables *t, pf_findings *f)
{
    const gpu_facts *g = w->g;
    uint32_t input = (uint32_t)(w->rank - g->ranks);
    uint64_t of_kind[PATH_KINDS] = {0}, whole = 0;
    for (size_t i = 0; i < w->count; i++) {
        of_kind[w->pieces[i].kind] += pf_interval_length(w->pieces[i].time);
        whole += pf_interval_length(w->pieces[i].time);
    }
    const uint64_t share[] = {of_kind[PATH_COMPUTE], of_kind[PATH_COMMUNICATION],
                              of_kind[PATH_MEMORY],  of_kind[PATH_LAUNCH],
                              of_kind[PATH_HOST],    of_kind[PATH_SYNC] + of_kind[PATH_WAIT]};
    enum { SHARES = sizeof share / sizeof *share, BEFORE = 4 };
    pf_cell row[BEFORE + SHARES] = {
        pf_gpu_input_cell(g, input), pf_gpu_rank_cell(g, input),
        pf_cell_int_if(device != PF_NONE, device == PF_NONE ? 0 : g->devices[device].number),
        pf_cell_int(w->step->number)};
    for (unsigned i = 0; i < SHARES; i++) {
        row[BEFORE + i] = pf_cell_real_if(whole > 0, 100.0 * (double)share[i] / (double)(whole ? whole : 1));
    }
    pf_table_row(f, t->table[GPU_TABLE_CRITICAL_PATH_SHARE], row);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* The device whose path has its pieces shown: the one with the most operations. PF_NONE: there is none. */
static uint32_t main_device(const gpu_facts *g, const gpu_rank *rank)
{
    uint32_t found = rank->device_count ? rank->first_device : PF_NONE;
    for (uint32_t d = rank->first_device; d < rank->first_device + rank->device_count; d++) {
        found = g->devices[d].op_count > g->devices[found].op_count ? d : found;
    }
    return found;
}

static const gpu_step *find_step(const gpu_steps *steps, int64_t number)
{
    const gpu_step *found = NULL;
    for (uint32_t i = 0; i < steps->count && !found; i++) {
        found = steps->list[i].number == number ? &steps->list[i] : NULL;
    }
    return found;
}

/* The steady step whose length is nearest to the median. */
static const gpu_step *typical_step(const gpu_steps *steps, const gpu_device_steps *of_device)
{
    const gpu_step *best = NULL;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < steps->count; i++) {
        const gpu_device_step *own = &of_device->list[i];
        uint64_t median = of_device->steady.median;
        uint64_t off = own->length > median ? own->length - median : median - own->length;
        if (own->mark == GPU_STEP_STEADY && off < least) {
            least = off;
            best = &steps->list[i];
        }
    }
    return best;
}

/* last[k]: the operation of step k on the device that ended last, the last one to start of several. */
static void find_last(const gpu_facts *g, uint32_t device, const uint32_t *step_of, uint32_t *last, uint32_t steps)
{
    const gpu_device *d = &g->devices[device];
    memset(last, 0xff, steps * sizeof *last); /* PF_NONE */
    for (uint32_t i = d->first_op; i < d->first_op + d->op_count; i++) {
        uint32_t *best = step_of[i] == PF_NONE ? NULL : &last[step_of[i]];
        if (best && (*best == PF_NONE || g->ops.end[i] >= g->ops.end[*best])) {
            *best = i;
        }
    }
}

static void start_walk(walk *w, const gpu_steps *steps, uint32_t number, uint32_t last)
{
    w->step = &steps->list[number];
    w->number = number;
    w->count = 0;
    walk_back(w, last);
}

/* The shares of every step on a device (PF_NONE: the input has none). */
static void share_steps(walk *w, const gpu_steps *steps, uint32_t device, const uint32_t *last, gpu_tables *t,
                        pf_findings *f)
{
    for (uint32_t k = 0; k < steps->count && w->st == PF_OK; k++) {
        start_walk(w, steps, k, last[k]);
        add_shares(w, device, t, f);
    }
}

/* The pieces of one step. */
static pf_status show_step(walk *w, const gpu_steps *steps, const gpu_step *chosen, uint32_t last,
                           const uint8_t *outermost, gpu_tables *t, pf_findings *f)
{
    PF_TRY(pf_gpu_path_operators(w->items, outermost, chosen->time, w->arena, w->err));
    start_walk(w, steps, (uint32_t)(chosen - steps->list), last);
    add_rows(w, t, f);
    return w->st;
}

static pf_status walk_input(walk *w, const gpu_path_facts *paths, gpu_tables *t, pf_findings *f)
{
    const gpu_rank *rank = w->rank;
    const gpu_steps *steps = &paths->steps[rank - w->g->ranks];
    uint32_t input = (uint32_t)(rank - w->g->ranks), device = main_device(w->g, rank), shown = PF_NONE;
    const gpu_step *chosen = paths->number ? find_step(steps, *paths->number)
                                           : typical_step(steps, pf_gpu_steps_of(w->g, paths->devices, input, device));
    uint32_t *last;
    PF_TRY(PF_PASS_ARRAY(w->arena, steps->count, last, w->err));
    pf_status st = pf_gpu_path_items(w->items, w->arena, w->err);
    if (st != PF_OK) {
        return st;
    }
    memset(last, 0xff, steps->count * sizeof *last); /* PF_NONE */
    if (rank->device_count == 0) {
        share_steps(w, steps, PF_NONE, last, t, f);
    }
    for (uint32_t d = rank->first_device; d < rank->first_device + rank->device_count; d++) {
        find_last(w->g, d, w->step_of, last, steps->count);
        share_steps(w, steps, d, last, t, f);
        shown = chosen && d == device ? last[chosen - steps->list] : shown;
    }
    return chosen && w->st == PF_OK ? show_step(w, steps, chosen, shown, paths->outermost, t, f) : w->st;
}

/* Says that no input has a step with that number, and which ones the first input with steps has. */
static void report_absent(const gpu_facts *g, const gpu_steps *steps, int64_t number, pf_findings *f)
{
    enum { MOST = 8 };
    const gpu_steps *own = NULL;
    for (uint32_t i = 0; i < g->rank_count; i++) {
        own = !own && steps[i].count ? &steps[i] : own;
        if (find_step(&steps[i], number)) {
            return;
        }
    }
    pf_str list = PF_STR("none");
    for (uint32_t i = 0; own && i < own->count && i < MOST && list.ptr; i++) {
        list = pf_findings_format(f, "%s%s%" PRId64, i ? list.ptr : "", i ? ", " : "", own->list[i].number);
    }
    if (own && own->count > MOST && list.ptr) {
        list = pf_findings_format(f, "%s, ... %" PRId64, list.ptr, own->list[own->count - 1].number);
    }
    pf_findings_show_line(f, PF_NOTICE, "--critical-step %" PRId64 ": there is no such step; steps that there are: %s",
                          number, list.ptr ? list.ptr : "");
}

pf_status pf_gpu_critical_paths(gpu_facts *g, const gpu_path_facts *paths, gpu_tables *t, pf_findings *f, pf_error *err)
{
    pf_arena scratch;
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < g->rank_count && st == PF_OK; i++) {
        gpu_path_items items = {.g = g, .rank = &g->ranks[i]};
        walk w = {
            .g = g, .rank = items.rank, .step_of = paths->step_of, .items = &items, .arena = &scratch, .err = err};
        if (paths->steps[i].count) {
            pf_arena_init(&scratch, g->arena->budget);
            st = walk_input(&w, paths, t, f);
            pf_arena_free(&scratch);
        }
    }
    if (paths->number && st == PF_OK) {
        report_absent(g, paths->steps, *paths->number, f);
    }
    return st;
}
