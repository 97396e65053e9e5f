/* analyze/gpu/draw/gpu_draw_calls.c - modules of the network (nn.Module) and operators on the time line of a device: a
 * slice for each call that launched something there, from its first to its last operation, inside of that of the call
 * around it.
 *
 * What a call launched, the calls inside of it launched with it: so its slice contains theirs. Two calls that lie in
 * each other nowhere may still overlap on the device, where they launched on several streams. So there are rows: a call
 * is drawn on that of the one around it, if that is the innermost one open there, else on the first row on which
 * nothing is open.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/gpu/draw/gpu_drawing.h"
#include "analyze/support/pass_memory.h"
#include "base/map.h"
#include "base/ordering.h"
#include "model/trace/trace.h"

/* Calls that overlap this many others are left out. */
enum { MOST_ROWS = 32 };

typedef struct drawn_call {
    uint32_t slice;
    uint32_t around, below; /* the call around it, and the one that it is drawn on, by place in the list; or PF_NONE */
    uint32_t row;           /* PF_NONE: none */
    pf_interval time;       /* on the device */
    uint64_t launched, device, device_self;
} drawn_call;

/* What is drawn. */
typedef struct call_kind {
    const char *row, *description;
    pf_str word;                   /* of names, which is left out */
    const uint32_t *around, *node; /* as gpu_module_calls; node may be NULL */
} call_kind;

typedef struct call_list {
    const call_kind *kind;
    drawn_call *calls;
    uint32_t count, room;
    uint32_t *order;
    uint32_t open[MOST_ROWS]; /* by row: the innermost call there, or PF_NONE */
    uint32_t rows, left_out;
    pf_map known; /* by slice: its place in the list */
} call_list;

/* The place of a call in the list, and places for those around it. */
static pf_status find_call(gpu_canvas *c, call_list *l, uint32_t slice, uint32_t *place)
{
    const uint32_t *around = l->kind->around, *parent = pf_trace_slices(c->r->facts.trace)->parent;
    uint32_t inner = PF_NONE, at = PF_NONE;
    *place = pf_map_get(&l->known, slice);
    while (slice != PF_NONE && (at = pf_map_get(&l->known, slice)) == PF_NONE) {
        PF_TRY(PF_ARENA_ROOM(c->drawing.arena, l->calls, (size_t)l->count + 1, l->room, c->err));
        l->calls[l->count] =
            (drawn_call){.slice = slice, .around = PF_NONE, .row = PF_NONE, .time = {INT64_MAX, INT64_MIN}};
        PF_TRY(pf_map_put(&l->known, slice, l->count, c->err));
        if (inner != PF_NONE) {
            l->calls[inner].around = l->count;
        }
        inner = l->count++;
        *place = *place == PF_NONE ? inner : *place;
        slice = parent[slice] < slice ? around[parent[slice]] : PF_NONE;
    }
    if (inner != PF_NONE && slice != PF_NONE) {
        l->calls[inner].around = at;
    }
    return PF_OK;
}

static void stretch(pf_interval *i, pf_interval by)
{
    i->start = by.start < i->start ? by.start : i->start;
    i->end = by.end > i->end ? by.end : i->end;
}

static int by_slice(const void *a, const void *b, void *calls)
{
    const drawn_call *list = calls;
    return PF_COMPARE(list[*(const uint32_t *)a].slice, list[*(const uint32_t *)b].slice);
}

/* A call around another one begins where that does or earlier, and is an earlier slice. */
static int by_start(const void *a, const void *b, void *calls)
{
    const drawn_call *list = calls, *x = &list[*(const uint32_t *)a], *y = &list[*(const uint32_t *)b];
    int order = PF_COMPARE(x->time.start, y->time.start);
    return order ? order : PF_COMPARE(x->slice, y->slice);
}

static pf_status list_calls(gpu_canvas *c, uint32_t device, call_list *l)
{
    const gpu_facts *g = &c->r->facts;
    const gpu_device *d = &g->devices[device];
    for (uint32_t i = d->first_op; i < d->first_op + d->op_count; i++) {
        uint32_t call = gpu_call_of(g, i), place;
        uint32_t slice = call == PF_NONE ? PF_NONE : l->kind->around[g->calls.slice[call]];
        if (slice != PF_NONE) {
            PF_TRY(find_call(c, l, slice, &place));
            stretch(&l->calls[place].time, (pf_interval){g->ops.start[i], gpu_end(&g->ops, i)});
            l->calls[place].launched++;
            l->calls[place].device_self += gpu_length(&g->ops, i);
        }
    }
    PF_TRY(PF_PASS_ARRAY(c->drawing.arena, l->count, l->order, c->err));
    for (uint32_t i = 0; i < l->count; i++) {
        l->order[i] = i;
    }
    qsort_r(l->order, l->count, sizeof *l->order, by_slice, l->calls);
    for (uint32_t i = l->count; i-- > 0;) {
        drawn_call *m = &l->calls[l->order[i]];
        m->device += m->device_self;
        if (m->around != PF_NONE) {
            drawn_call *outer = &l->calls[m->around];
            stretch(&outer->time, m->time);
            outer->launched += m->launched;
            outer->device += m->device;
        }
    }
    qsort_r(l->order, l->count, sizeof *l->order, by_start, l->calls);
    return PF_OK;
}

/* The innermost call of a row that has not ended by then. */
static uint32_t open_at(call_list *l, uint32_t row, int64_t ts)
{
    while (l->open[row] != PF_NONE && l->calls[l->open[row]].time.end <= ts) {
        l->open[row] = l->calls[l->open[row]].below;
    }
    return l->open[row];
}

/* A row with no call open by then, a new one where all have; PF_NONE: there are too many. */
static uint32_t free_row(call_list *l, int64_t ts)
{
    for (uint32_t row = 0; row < l->rows; row++) {
        if (open_at(l, row, ts) == PF_NONE) {
            return row;
        }
    }
    return l->rows < MOST_ROWS ? l->rows : PF_NONE;
}

static void choose_row(call_list *l, uint32_t place)
{
    drawn_call *m = &l->calls[place];
    uint32_t row = m->around == PF_NONE ? PF_NONE : l->calls[m->around].row;
    if (row == PF_NONE || open_at(l, row, m->time.start) != m->around) {
        row = free_row(l, m->time.start);
        if (row == PF_NONE) {
            l->left_out++;
            return;
        }
        l->open[row] = row == l->rows ? PF_NONE : l->open[row];
        l->rows += row == l->rows;
    }
    m->row = row;
    m->below = l->open[row];
    l->open[row] = place;
}

static void draw_call(gpu_canvas *c, const call_kind *kind, uint32_t track, const drawn_call *m)
{
    const pf_slices *s = pf_trace_slices(c->r->facts.trace);
    pf_str name = pf_trace_string(c->r->facts.trace, pf_slice_name(s, m->slice));
    pf_overlay_slice(c->f, track, m->time.start, pf_drawing_length(pf_interval_length(m->time)),
                     (pf_str){name.ptr + kind->word.len, name.len - kind->word.len});
    if (kind->node) {
        pf_overlay_arg_int(c->f, PF_STR("node"), kind->node[m->slice]);
    }
    pf_overlay_arg_int(c->f, PF_STR("launched"), pf_drawing_length(m->launched));
    pf_overlay_arg_int(c->f, PF_STR("device_ns"), pf_drawing_length(m->device));
    pf_overlay_arg_int(c->f, PF_STR("device_self_ns"), pf_drawing_length(m->device_self));
    pf_overlay_arg_int(c->f, PF_STR("host_start_ns"), pf_slice_ts(s, m->slice));
    pf_overlay_arg_int(c->f, PF_STR("host_ns"), s->dur[m->slice]);
}

static pf_status draw(gpu_canvas *c, uint32_t device, call_list *l)
{
    uint32_t track[MOST_ROWS];
    PF_TRY(list_calls(c, device, l));
    for (uint32_t i = 0; i < l->count; i++) {
        pf_interval time = l->calls[l->order[i]].time;
        if (time.start < time.end) {
            choose_row(l, l->order[i]);
        }
    }
    for (uint32_t i = 0; i < l->rows; i++) {
        pf_str name = pf_findings_format(c->f, i ? "%s %" PRIu32 : "%s", l->kind->row, i + 1);
        track[i] = pf_drawing_slices(&c->drawing, name.ptr ? name.ptr : "", l->kind->description);
    }
    for (uint32_t i = 0; i < l->count; i++) {
        const drawn_call *m = &l->calls[l->order[i]];
        if (m->row != PF_NONE) {
            draw_call(c, l->kind, track[m->row], m);
        }
    }
    if (l->left_out) {
        pf_drawing_note(&c->drawing, c->r->facts.devices[device].times.start,
                        pf_findings_format(c->f, "%" PRIu32 " calls of %s overlap too many others and are left out",
                                           l->left_out, l->kind->row));
    }
    return PF_OK;
}

#define ADDED                                                                                                          \
    ", from the first to the last device event that each launched. device_ns adds the lengths of these, "              \
    "device_self_ns of those that none inside launched; "

pf_status pf_gpu_draw_calls(gpu_canvas *c, uint32_t device)
{
    const call_kind kinds[] = {{"modules",
                                "Calls of modules (nn.Module)" ADDED
                                "node is that of table gpu_module_tree, host_start_ns and host_ns are the "
                                "call on the host.",
                                PF_STR("nn.Module: "), c->r->module_calls.around, c->r->module_calls.node},
                               {"operators",
                                "Calls of operators" ADDED "host_start_ns and host_ns are the call on the host.",
                                PF_STR(""), c->r->operators_around, NULL}};
    pf_status st = PF_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && st == PF_OK; i++) {
        call_list l = {.kind = &kinds[i]};
        pf_map_init(&l.known, c->drawing.arena->budget);
        st = kinds[i].around ? draw(c, device, &l) : PF_OK;
        pf_map_free(&l.known);
    }
    return st;
}
