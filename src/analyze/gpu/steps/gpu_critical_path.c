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

#include "analyze/gpu/steps/gpu_steps.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

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
    const gpu_facts *g;
    const gpu_rank *rank;
    const gpu_step_facts *all;
    const gpu_steps *steps; /* of the input */
    const gpu_step *step;
    uint32_t number; /* of the step, as there */
    uint32_t thread; /* of the host that the step is a slice of, or PF_NONE */
    gpu_path_items *items;
    path_piece *pieces; /* the last one first */
    uint32_t count, room;
    pf_arena *arena;
    pf_error *err;
    pf_status st;
} walk;

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
    p->done = op == PF_NONE || w->all->of_op[op] != w->number;
}

/* The first runtime call of a thread in the step; `at` if it has none before that. */
static int64_t first_call(const walk *w, uint32_t thread, int64_t at)
{
    const gpu_calls *c = &w->g->calls;
    uint32_t first = w->rank->first_call, last = first + w->rank->call_count;
    uint32_t low = gpu_first_from(c->start, first, last, w->step->time.start);
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
    p->at = op == PF_NONE ? call->start : gpu_end(&w->g->ops, op);
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
    uint32_t op = p->op, device = gpu_device_of(w->g, op), call = gpu_call_of(w->g, op),
             before = pf_gpu_path_before(w->items, op);
    int64_t start = o->start[op], end = gpu_end(o, op), ended = before == PF_NONE ? start : gpu_end(o, before);
    ended = ended < start ? ended : start;
    add_piece(w, &(path_piece){kinds[o->class[op]],
                               {start, p->at < end ? p->at : end},
                               gpu_slice(o, op),
                               PF_NONE,
                               device,
                               gpu_stream_of(w->g, op)});
    bool launched = call != PF_NONE && c->start[call] <= start;
    path_piece launch = {PATH_LAUNCH, {0, start}, launched ? c->slice[call] : PF_NONE, PF_NONE, device, PF_NONE};
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
        add_wait(w, called, start, device);
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
    place p = {.op = last, .thread = w->thread, .at = last == PF_NONE ? t->end : gpu_end(&w->g->ops, last)};
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

static void add_rows(const walk *w)
{
    static const char *const kinds[] = {"host", "launch", "sync", "wait", "compute", "communication", "memory"};
    const gpu_facts *g = w->g;
    for (size_t i = w->count; i-- > 0;) {
        const path_piece *p = &w->pieces[i];
        GPU_ROW(
            g, GPU_TABLE_CRITICAL_PATH, GPU_WHOSE(g, (uint32_t)(w->rank - g->ranks)), pf_cell_int(w->step->number),
            pf_cell_text(pf_str_of(kinds[p->kind])), pf_gpu_slice_cell(g, p->slice), pf_cell_int(p->time.start),
            pf_cell_int(p->time.end), pf_cell_count(pf_interval_length(p->time)),
            pf_cell_int_if(p->thread != PF_NONE, p->thread == PF_NONE ? 0 : pf_trace_threads(g->trace)->tid[p->thread]),
            pf_gpu_device_cell(g, p->device),
            pf_cell_int_if(p->stream != PF_NONE, p->stream == PF_NONE ? 0 : g->streams[p->stream].number));
    }
}

/* Shares of a path by kind of piece, as percent of its whole length. */
static void add_shares(const walk *w, uint32_t device)
{
    static const path_kind shown[] = {PATH_COMPUTE, PATH_COMMUNICATION, PATH_MEMORY, PATH_LAUNCH, PATH_HOST, PATH_WAIT};
    enum { SHARES = sizeof shown / sizeof *shown };
    uint64_t of_kind[PATH_KINDS] = {0}, whole = 0;
    pf_cell s[SHARES];
    for (size_t i = 0; i < w->count; i++) {
        of_kind[w->pieces[i].kind] += pf_interval_length(w->pieces[i].time);
        whole += pf_interval_length(w->pieces[i].time);
    }
    of_kind[PATH_WAIT] += of_kind[PATH_SYNC];
    for (unsigned i = 0; i < SHARES; i++) {
        s[i] = pf_cell_real_if(whole > 0, 100.0 * (double)of_kind[shown[i]] / (double)(whole ? whole : 1));
    }
    GPU_ROW(w->g, GPU_TABLE_CRITICAL_PATH_SHARE, GPU_WHOSE(w->g, (uint32_t)(w->rank - w->g->ranks)),
            pf_gpu_device_cell(w->g, device), pf_cell_int(w->step->number), s[0], s[1], s[2], s[3], s[4], s[5]);
}

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
        if (best && (*best == PF_NONE || gpu_end(&g->ops, i) >= gpu_end(&g->ops, *best))) {
            *best = i;
        }
    }
}

static void start_walk(walk *w, uint32_t number, uint32_t last)
{
    w->step = &w->steps->list[number];
    w->number = number;
    w->count = 0;
    walk_back(w, last);
}

/* The shares of every step on a device (PF_NONE: the input has none). */
static void share_steps(walk *w, uint32_t device, const uint32_t *last)
{
    for (uint32_t k = 0; k < w->steps->count && w->st == PF_OK; k++) {
        start_walk(w, k, last[k]);
        add_shares(w, device);
    }
}

static pf_status walk_input(walk *w, const uint8_t *outermost, const int64_t *number, gpu_shown_path *path)
{
    const gpu_rank *rank = w->rank;
    const gpu_steps *steps = w->steps;
    uint32_t device = main_device(w->g, rank), shown = PF_NONE, *last;
    const gpu_device_steps *own = pf_gpu_steps_of(w->g, w->all, (uint32_t)(rank - w->g->ranks), device);
    const gpu_step *chosen = number ? find_step(steps, *number) : typical_step(steps, own);
    PF_TRY(PF_PASS_ARRAY(w->arena, steps->count, last, w->err));
    PF_TRY(pf_gpu_path_items(w->items, w->arena, w->err));
    if (rank->device_count == 0) {
        memset(last, 0xff, steps->count * sizeof *last); /* PF_NONE */
        share_steps(w, PF_NONE, last);
    }
    for (uint32_t d = rank->first_device; d < rank->first_device + rank->device_count; d++) {
        find_last(w->g, d, w->all->of_op, last, steps->count);
        share_steps(w, d, last);
        shown = chosen && d == device ? last[chosen - steps->list] : shown;
    }
    if (chosen && !rank->path_left_out && w->st == PF_OK) {
        PF_TRY(pf_findings_status(w->g->f, w->err)); /* without it there may be no table to count */
        PF_TRY(pf_gpu_path_operators(w->items, outermost, chosen->time, w->arena, w->err));
        start_walk(w, (uint32_t)(chosen - steps->list), shown);
        const pf_table *rows = pf_table_view(w->g->table[GPU_TABLE_CRITICAL_PATH]);
        *path = (gpu_shown_path){device, chosen->number, rows ? rows->row_count : 0, w->count};
        add_rows(w);
    }
    return w->st;
}

void pf_gpu_report_absent(const gpu_facts *g, const gpu_steps *steps, int64_t number)
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
        list = pf_findings_format(g->f, "%s%s%" PRId64, i ? list.ptr : "", i ? ", " : "", own->list[i].number);
    }
    if (own && own->count > MOST && list.ptr) {
        list = pf_findings_format(g->f, "%s, ... %" PRId64, list.ptr, own->list[own->count - 1].number);
    }
    pf_findings_show_line(g->f, PF_NOTICE,
                          "--critical-step %" PRId64 ": there is no such step; steps that there are: %s", number,
                          list.ptr ? list.ptr : "");
}

pf_status pf_gpu_critical_paths(const gpu_facts *g, const gpu_step_facts *s, const uint8_t *outermost,
                                const int64_t *number, gpu_shown_path **shown, pf_error *err)
{
    pf_arena scratch;
    pf_status st = PF_ARENA_NEW(g->arena, *shown, g->rank_count, err);
    for (uint32_t i = 0; i < g->rank_count && st == PF_OK; i++) {
        gpu_path_items items = {.g = g, .rank = &g->ranks[i]};
        walk w = {.g = g, .rank = items.rank, .all = s, .steps = &s->of_input[i], .items = &items, .err = err};
        if (w.steps->count) {
            pf_arena_init(&scratch, g->arena->budget);
            w.arena = &scratch;
            st = walk_input(&w, outermost, number, &(*shown)[i]);
            pf_arena_free(&scratch);
        }
    }
    if (number && st == PF_OK) {
        pf_gpu_report_absent(g, s->of_input, *number);
    }
    return st;
}
