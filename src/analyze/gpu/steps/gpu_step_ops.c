/* analyze/gpu/steps/gpu_step_ops.c - which step each device operation belongs to: docs/reference/gpu.md, "Steps".
 *
 * The host runs ahead of the device, so a step of the host has the operations that were launched in it, whenever they
 * ran. Three walks: over the calls, which lie in windows of the host; over each stream, where an operation without a
 * known call goes with the one before it; and over each device, for what only the clock can tell.
 *
 * The window at a moment is the one that began last: of those on the thread of the call, else of all. Windows come in
 * order of their starts, so they are put on two stacks, and one that has ended is taken off when it is met on top.
 */
#include <string.h>

#include "analyze/gpu/steps/gpu_steps.h"
#include "analyze/support/pass_memory.h"

/* Of an operation whose step is that of its own start. */
#define BY_CLOCK (PF_NONE - 1)

/* The stacks: of all windows, and of those of each thread. */
typedef enum stack_kind { OF_ALL, OF_THREAD, STACK_KINDS } stack_kind;

/* The place of the stack of all windows; that of a thread is 1 + utid. */
enum { ALL = 0 };

/* Windows that have begun, the latest on top. */
typedef struct open_steps {
    const gpu_steps *steps;
    const uint32_t *thread;       /* by step: the place of its thread's stack, ALL if it has no thread */
    uint32_t *top;                /* by stack: a step, or PF_NONE */
    uint32_t *below[STACK_KINDS]; /* by step: the one under it */
    uint32_t next;                /* the first step that has not begun */
} open_steps;

/* The place of the stack of a slice's thread. */
static uint32_t thread_of(const gpu_facts *g, uint32_t slice)
{
    uint32_t utid = slice == PF_NONE ? PF_NONE : gpu_thread_of_slice(g, slice);
    return utid == PF_NONE ? ALL : 1 + utid;
}

/* Nothing has begun: for a walk from the first moment on. */
static void rewind_steps(open_steps *o)
{
    o->next = 0;
    o->top[ALL] = PF_NONE;
    for (uint32_t i = 0; i < o->steps->count; i++) {
        o->top[o->thread[i]] = PF_NONE;
    }
}

static uint32_t latest(open_steps *o, stack_kind kind, uint32_t thread, int64_t at)
{
    uint32_t *top = &o->top[thread];
    while (*top != PF_NONE && o->steps->list[*top].time.end <= at) {
        *top = o->below[kind][*top];
    }
    return *top;
}

static void push(open_steps *o, stack_kind kind, uint32_t step)
{
    uint32_t *top = &o->top[kind == OF_ALL ? ALL : o->thread[step]];
    if (kind == OF_ALL || o->thread[step] != ALL) {
        o->below[kind][step] = *top;
        *top = step;
    }
}

/* The step at a moment, which is not before that of the call before; ALL where no thread is known. */
static uint32_t step_at(open_steps *o, uint32_t thread, int64_t at)
{
    for (; o->next < o->steps->count && o->steps->list[o->next].time.start <= at; o->next++) {
        push(o, OF_ALL, o->next);
        push(o, OF_THREAD, o->next);
    }
    uint32_t found = thread == ALL ? PF_NONE : latest(o, OF_THREAD, thread, at);
    return found == PF_NONE ? latest(o, OF_ALL, ALL, at) : found;
}

static pf_status open_windows(gpu_facts *g, const gpu_steps *steps, open_steps *o, pf_error *err)
{
    size_t threads = pf_trace_threads(g->trace)->count;
    uint32_t *thread;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, steps->count, thread, err));
    *o = (open_steps){.steps = steps, .thread = thread};
    PF_TRY(PF_PASS_ARRAY(&g->scratch, threads + 1, o->top, err));
    for (unsigned k = 0; k < STACK_KINDS; k++) {
        PF_TRY(PF_PASS_ARRAY(&g->scratch, steps->count, o->below[k], err));
    }
    memset(o->top, 0xff, (threads + 1) * sizeof *o->top); /* PF_NONE */
    for (uint32_t i = 0; i < steps->count; i++) {
        thread[i] = thread_of(g, steps->list[i].slice);
    }
    return PF_OK;
}

static bool has_launch(const gpu_facts *g, const gpu_rank *rank)
{
    uint32_t i = rank->first_op, end = rank->first_op + rank->op_count;
    while (i < end && gpu_call_of(g, i) == PF_NONE) {
        i++;
    }
    return i < end;
}

/* of_op of what a known call launched. */
static pf_status follow_calls(gpu_facts *g, const gpu_rank *rank, open_steps *o, gpu_step_facts *out, pf_error *err)
{
    const gpu_calls *c = &g->calls;
    uint32_t *step;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, rank->call_count, step, err));
    rewind_steps(o);
    for (uint32_t i = 0; i < rank->call_count; i++) {
        uint32_t call = rank->first_call + i;
        step[i] = step_at(o, thread_of(g, c->slice[call]), c->start[call]);
        if (c->first_op[call] != PF_NONE && step[i] == PF_NONE) {
            out->counts[gpu_device_of(g, c->first_op[call])].launches_outside++;
        }
    }
    for (uint32_t op = rank->first_op; op < rank->first_op + rank->op_count; op++) {
        uint32_t call = gpu_call_of(g, op);
        out->of_op[op] = call == PF_NONE ? PF_NONE : step[call - rank->first_call];
    }
    return PF_OK;
}

/* The others of a stream go with the one before them; by the clock where no call of the input launched anything that is
 * known, or steps are windows of the device. */
static void follow_stream(const gpu_facts *g, const gpu_stream *s, bool by_launch, gpu_step_facts *out)
{
    gpu_step_counts *n = &out->counts[s->device];
    uint32_t before = by_launch ? PF_NONE : BY_CLOCK;
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        uint32_t op = gpu_op_by_stream(g, i);
        bool known = by_launch && gpu_call_of(g, op) != PF_NONE;
        before = known ? out->of_op[op] : before;
        out->of_op[op] = before;
        n->by_stream += by_launch && !known;
        n->by_clock += !by_launch;
    }
}

static void follow_clock(const gpu_facts *g, uint32_t device, open_steps *o, gpu_step_facts *out)
{
    const gpu_device *d = &g->devices[device];
    gpu_step_counts *n = &out->counts[device];
    if (n->by_clock) {
        rewind_steps(o);
    }
    for (uint32_t op = d->first_op; op < d->first_op + d->op_count; op++) {
        out->of_op[op] = out->of_op[op] == BY_CLOCK ? step_at(o, ALL, g->ops.start[op]) : out->of_op[op];
        n->outside += out->of_op[op] == PF_NONE;
    }
}

static pf_status assign_input(gpu_facts *g, uint32_t input, gpu_step_facts *out, pf_error *err)
{
    const gpu_rank *rank = &g->ranks[input];
    const gpu_steps *steps = &out->of_input[input];
    open_steps o;
    bool by_launch = steps->source == GPU_STEP_ANNOTATION && has_launch(g, rank);
    PF_TRY(open_windows(g, steps, &o, err));
    if (by_launch) {
        PF_TRY(follow_calls(g, rank, &o, out, err));
    }
    for (uint32_t d = rank->first_device; d < rank->first_device + rank->device_count; d++) {
        const gpu_device *device = &g->devices[d];
        for (uint32_t i = 0; i < device->stream_count; i++) {
            follow_stream(g, &g->streams[device->first_stream + i], by_launch, out);
        }
        follow_clock(g, d, &o, out);
    }
    pf_arena_reset(&g->scratch);
    return PF_OK;
}

pf_status pf_gpu_assign_ops(gpu_facts *g, gpu_step_facts *s, pf_error *err)
{
    PF_TRY(PF_ARENA_NEW(g->arena, s->counts, g->device_count, err));
    for (uint32_t i = 0; i < g->rank_count; i++) {
        if (s->of_input[i].count && !s->of_op) {
            PF_TRY(PF_PASS_ARRAY(g->arena, g->ops.count, s->of_op, err));
            memset(s->of_op, 0xff, g->ops.count * sizeof *s->of_op); /* PF_NONE */
        }
        PF_TRY(s->of_input[i].count ? assign_input(g, i, s, err) : PF_OK);
    }
    return PF_OK;
}
