/* analyze/gpu/steps/gpu_critical_path.c - point 4: the chain that set the length of a step (docs/reference/gpu.md,
 * "Critical path").
 *
 * The walk goes backwards from the end of the step and asks at each point what it waited for. An operation waited for
 * what ended last before it started: its call, or an operation of its device. A host thread waited in its last blocking
 * call for the operation that ended last within that call. Time on the host between two such points belongs to the
 * outermost operators of the thread. So the pieces cover the step without a gap and without overlap.
 *
 * Every move goes to an operation that ended earlier in the order of ends, or to a call that ended earlier; so there
 * are no more moves than operations and calls in the step.
 */
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
    PATH_MEMORY
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
    gpu_path_items items;
    path_piece *pieces; /* the last one first */
    size_t count, room;
    pf_arena *arena;
    pf_error *err;
    pf_status st;
} walk;

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static void add_piece(walk *w, const path_piece *piece)
{
    path_piece p = *piece;
    p.time.start = p.time.start > w->step->time.start ? p.time.start : w->step->time.start;
    if (w->st != PF_OK || p.time.end <= p.time.start) {
        return;
    }
    if (w->count == w->room) {
        size_t room = w->room ? w->room * 2 : 256;
        path_piece *grown = pf_pass_array(w->arena, room, sizeof *grown, w->err);
        if (!grown) {
            w->st = w->err->code;
            return;
        }
        if (w->count) {
            memcpy(grown, w->pieces, w->count * sizeof *grown);
        }
        w->pieces = grown;
        w->room = room;
    }
    w->pieces[w->count++] = p;
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
    const gpu_path_list *l = &w->items.operators;
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
    bool on_device, done;
    uint32_t thread, op; /* op: place in w->items.ops */
    int64_t at;
} place;

/* The operation of the input that ended last in (from, to]. */
static uint32_t ended_within(const walk *w, int64_t from, int64_t to)
{
    uint32_t found = PF_NONE;
    for (uint32_t d = w->rank->first_device; d < w->rank->first_device + w->rank->device_count; d++) {
        uint32_t at = pf_gpu_path_last_ended(&w->items.ops, d, to);
        if (at != PF_NONE && w->items.ops.list[at].end > from &&
            (found == PF_NONE || w->items.ops.list[at].end > w->items.ops.list[found].end)) {
            found = at;
        }
    }
    return found;
}

/* From a point on the host to what its last blocking call waited for. */
static void leave_host(walk *w, place *p)
{
    uint32_t at = pf_gpu_path_last_ended(&w->items.calls, p->thread, p->at);
    if (at == PF_NONE) {
        add_host(w, p->thread, w->step->time.start, p->at);
        p->done = true;
        return;
    }
    const gpu_path_item *call = &w->items.calls.list[at];
    uint32_t slice = w->g->calls.slice[call->row], op = ended_within(w, call->start, call->end);
    int64_t back = op == PF_NONE ? call->start : w->items.ops.list[op].end;
    add_host(w, p->thread, call->end, p->at);
    add_piece(w, &(path_piece){PATH_SYNC, {back, call->end}, slice, p->thread, PF_NONE, PF_NONE});
    p->on_device = op != PF_NONE;
    p->op = op;
    p->at = back;
}

/* From an operation to what ended last before it started. */
static void leave_op(walk *w, place *p)
{
    const gpu_path_item *item = &w->items.ops.list[p->op];
    const gpu_facts *g = w->g;
    uint32_t call = gpu_call_of(g, item->row);
    path_kind kind = g->ops.class[item->row] == GPU_COMPUTE         ? PATH_COMPUTE
                     : g->ops.class[item->row] == GPU_COMMUNICATION ? PATH_COMMUNICATION
                                                                    : PATH_MEMORY;
    add_piece(
        w,
        &(path_piece){
            kind, {item->start, item->end}, g->ops.slice[item->row], PF_NONE, item->owner, g->ops.stream[item->row]});
    uint32_t before = pf_gpu_path_last_ended(&w->items.ops, item->owner, item->start);
    before = before != PF_NONE && before >= p->op ? (p->op ? p->op - 1 : PF_NONE) : before;
    before = before != PF_NONE && w->items.ops.list[before].owner != item->owner ? PF_NONE : before;
    int64_t called = call == PF_NONE                    ? w->step->time.start
                     : g->calls.end[call] < item->start ? g->calls.end[call]
                                                        : item->start;
    if (before != PF_NONE && w->items.ops.list[before].end >= called) {
        add_wait(w, w->items.ops.list[before].end, item->start, item->owner);
        p->op = before;
        return;
    }
    if (call == PF_NONE || g->calls.start[call] > item->start) {
        add_wait(w, w->step->time.start, item->start, item->owner);
        p->done = true;
        return;
    }
    p->thread = gpu_thread_of_slice(g, g->calls.slice[call]);
    add_wait(w, called, item->start, item->owner);
    add_piece(w, &(path_piece){
                     PATH_LAUNCH, {g->calls.start[call], called}, g->calls.slice[call], p->thread, PF_NONE, PF_NONE});
    p->on_device = false;
    p->at = g->calls.start[call];
}

static void walk_back(walk *w)
{
    const pf_interval *t = &w->step->time;
    place p = {.at = t->end};
    p.thread = w->step->slice == PF_NONE ? PF_NONE : gpu_thread_of_slice(w->g, w->step->slice);
    if (w->step->slice == PF_NONE || w->g->kind[w->step->slice] == GPU_SLICE_DEVICE_ANNOTATION) {
        p.op = ended_within(w, t->start, t->end);
        p.on_device = p.op != PF_NONE;
        add_wait(w, p.on_device ? w->items.ops.list[p.op].end : t->start, t->end, PF_NONE);
        p.done = !p.on_device;
    }
    size_t moves = 2 * ((size_t)w->items.ops.count + w->items.calls.count) + 2;
    while (!p.done && w->st == PF_OK && moves-- && (p.on_device || p.at > t->start)) {
        if (p.on_device) {
            leave_op(w, &p);
        } else {
            leave_host(w, &p);
        }
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static pf_cell name_cell(const gpu_facts *g, uint32_t slice)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    return gpu_text_cell(slice == PF_NONE ? (pf_str){NULL, 0} : pf_trace_string(g->trace, pf_slice_name(s, slice)));
}

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
            gpu_int_cell(w->step->number),
            gpu_text_cell(kinds[p->kind]),
            name_cell(g, p->slice),
            gpu_int_cell(p->time.start),
            gpu_int_cell(p->time.end),
            gpu_count_cell(pf_interval_length(p->time)),
            gpu_known_cell(p->thread != PF_NONE, p->thread == PF_NONE ? 0 : pf_trace_threads(g->trace)->tid[p->thread]),
            gpu_known_cell(p->device != PF_NONE, p->device == PF_NONE ? 0 : g->devices[p->device].number),
            gpu_known_cell(p->stream != PF_NONE, p->stream == PF_NONE ? 0 : g->streams[p->stream].number)};
        pf_table_row(f, t->table[GPU_TABLE_CRITICAL_PATH], row);
    }
}

/* Marks and lengths are those of the input's device with the most operations. */
static const gpu_step *choose_step(const walk *w, const gpu_steps *steps, const gpu_device_steps *of_device,
                                   const int64_t *number)
{
    const gpu_step *best = NULL;
    uint64_t least = UINT64_MAX;
    uint32_t device = w->rank->first_device;
    for (uint32_t d = device; d < w->rank->first_device + w->rank->device_count; d++) {
        device = w->g->devices[d].op_count > w->g->devices[device].op_count ? d : device;
    }
    for (uint32_t i = 0; i < steps->count && w->rank->device_count; i++) {
        const gpu_step *s = &steps->list[i];
        const gpu_device_step *own = &of_device[device].list[i];
        uint64_t median = of_device[device].steady.median;
        uint64_t off = own->length > median ? own->length - median : median - own->length;
        if (number) {
            best = s->number == *number && !best ? s : best;
        } else if (own->mark == GPU_STEP_STEADY && off < least) {
            least = off;
            best = s;
        }
    }
    return best;
}

static pf_status walk_step(walk *w, gpu_tables *t, pf_findings *f)
{
    pf_status st = pf_gpu_path_items(&w->items, w->arena, w->err);
    if (st != PF_OK) {
        return st;
    }
    walk_back(w);
    add_rows(w, t, f);
    return w->st;
}

pf_status pf_gpu_critical_paths(gpu_facts *g, const gpu_steps *steps, const gpu_device_steps *of_device,
                                const uint8_t *outermost, const int64_t *number, gpu_tables *t, pf_findings *f,
                                pf_error *err)
{
    pf_arena scratch;
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < g->rank_count && st == PF_OK; i++) {
        walk w = {.g = g, .rank = &g->ranks[i], .arena = &scratch, .err = err};
        w.step = choose_step(&w, &steps[i], of_device, number);
        if (w.step && w.rank->op_count) {
            w.items = (gpu_path_items){.g = g, .rank = w.rank, .time = w.step->time, .outermost = outermost};
            pf_arena_init(&scratch, g->arena->budget);
            st = walk_step(&w, t, f);
            pf_arena_free(&scratch);
        }
    }
    return st;
}
