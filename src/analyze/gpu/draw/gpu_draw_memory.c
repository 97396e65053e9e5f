/* analyze/gpu/draw/gpu_draw_memory.c - who held memory: the peak as an instant with the first rows of table
 * gpu_memory_holders, and over time a counter for each of the operators that held most.
 *
 * Allocations and frees are followed in order of time: an address belongs to the operator that allocated it last. What
 * is freed without having been allocated in the recording was there before. They are followed twice: how much each
 * operator holds at most decides which ones have a counter, and what is freed up to the peak of the memory from before
 * the recording is that much more at the start.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/gpu/draw/gpu_drawing.h"
#include "analyze/support/pass_memory.h"
#include "base/map.h"
#include "base/ordering.h"
#include "base/str.h"

/* Operators with a counter, and holders that the peak names. */
enum { MOST_DRAWN = 12 };

/* Columns of gpu_memory_holders. */
enum { OPERATOR = 4, PYTHON, MODULE, ALLOCATED, BYTES = 9 };

typedef struct holding_operator {
    uint32_t name, track;
    int64_t level, most;
} holding_operator;

typedef struct followed {
    const gpu_memory *m;
    const gpu_holding *h;
    pf_drawing rows;
    holding_operator *list, before, others;
    uint32_t count;
    int64_t freed;  /* of `before` up to the peak */
    pf_map of_name; /* name of an operator: its place in the list */
    pf_map live;    /* address: the row + 1 that allocated it; 0: freed */
} followed;

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? b < 0 ? INT64_MIN : INT64_MAX : sum;
}

/* Without a counter of its own it is one of the others. */
static void add(gpu_canvas *c, followed *w, holding_operator *o, int64_t bytes, int64_t ts, bool drawn)
{
    holding_operator *shown = drawn && o->track == PF_NONE ? &w->others : o;
    shown->level = plus(shown->level, bytes);
    shown->most = shown->level > shown->most ? shown->level : shown->most;
    if (drawn && shown->track == PF_NONE) {
        shown->track = pf_drawing_counter(&w->rows, "others", "bytes", "memory",
                                          "Bytes allocated in operators without a row and not freed yet.");
    }
    if (drawn) {
        pf_overlay_sample(c->f, shown->track, ts, (double)shown->level);
    }
}

static holding_operator *operator_of(followed *w, uint32_t row)
{
    return &w->list[pf_map_get(&w->of_name, w->m->operator[row])];
}

static pf_status follow(gpu_canvas *c, followed *w, bool drawn)
{
    pf_map_clear(&w->live);
    for (uint32_t i = 0; i < w->h->count; i++) {
        uint32_t row = w->h->order[i], before = pf_map_get(&w->live, w->m->rows[row].address);
        const gpu_memory_row *r = &w->m->rows[row];
        if (r->change && before != PF_NONE && before > 0) {
            add(c, w, operator_of(w, before - 1), -w->m->rows[before - 1].change, r->ts, drawn);
        } else if (r->change < 0 && (!drawn || w->before.track != PF_NONE)) {
            add(c, w, &w->before, r->change, r->ts, drawn);
        }
        if (r->change > 0) {
            add(c, w, operator_of(w, row), r->change, r->ts, drawn);
        }
        if (r->change) {
            PF_TRY(pf_map_put(&w->live, r->address, r->change > 0 ? row + 1 : 0, c->err));
        }
        w->freed = i == w->h->peak && !drawn ? w->before.level : w->freed;
    }
    return PF_OK;
}

static pf_status list_operators(gpu_canvas *c, followed *w)
{
    PF_TRY(PF_PASS_ARRAY(c->drawing.arena, w->h->count, w->list, c->err));
    for (uint32_t i = 0; i < w->h->count; i++) {
        uint32_t row = w->h->order[i], name = w->m->operator[row];
        if (w->m->rows[row].change > 0 && pf_map_get(&w->of_name, name) == PF_NONE) {
            PF_TRY(pf_map_put(&w->of_name, name, w->count, c->err));
            w->list[w->count++] = (holding_operator){.name = name, .track = PF_NONE};
        }
    }
    return PF_OK;
}

PF_ORDER(by_most, holding_operator, PF_DOWN(most), PF_UP(name));

/* Rows for those that hold most at a time, and for what was there before. */
static pf_status add_counters(gpu_canvas *c, followed *w, const pf_cell *first)
{
    qsort(w->list, w->count, sizeof *w->list, by_most);
    if (pf_str_equal(first[ALLOCATED].as.s, PF_STR("before"))) {
        w->before.track = pf_drawing_counter(&w->rows, "before the recording", "bytes", "memory",
                                             "Bytes allocated before the recording began and not freed yet, of "
                                             "parameters mostly.");
        w->before.level = 0;
        add(c, w, &w->before, plus(first[BYTES].as.i, w->freed > INT64_MIN ? -w->freed : INT64_MAX),
            w->m->rows[w->h->order[0]].ts, true);
    }
    for (uint32_t i = 0; i < w->count; i++) {
        holding_operator *o = &w->list[i];
        pf_str name = o->name == PF_NONE ? PF_STR("no operator") : pf_trace_string(c->r->facts.trace, o->name);
        if (i < MOST_DRAWN && o->most > 0) {
            o->track = pf_drawing_counter(&w->rows, pf_pass_short_name(c->f, name, 80, "-"), "bytes", "memory",
                                          "Bytes allocated in this operator, the innermost one around the allocation "
                                          "that does more than to allocate, and not freed yet.");
        }
        o->level = 0;
        PF_TRY(pf_map_put(&w->of_name, o->name, i, c->err));
    }
    return PF_OK;
}

static pf_status draw_operators(gpu_canvas *c, followed *w, const pf_cell *first)
{
    PF_TRY(list_operators(c, w));
    if (w->count == 0) { /* sizes are not recorded */
        return PF_OK;
    }
    PF_TRY(follow(c, w, false));
    w->rows = pf_drawing_inside(&c->drawing, "memory holders",
                                "What holds memory: the operators that hold most at a time. Together the rows are what "
                                "is allocated.");
    PF_TRY(add_counters(c, w, first));
    return follow(c, w, true);
}

/* "aten::mm, forward, nn.Module: Linear_3: 40 bytes" */
static void name_holder(gpu_canvas *c, const pf_cell *cells, uint32_t number)
{
    pf_str text = pf_str_equal(cells[ALLOCATED].as.s, PF_STR("before")) ? PF_STR("before the recording") : PF_STR("");
    for (unsigned k = OPERATOR; k <= MODULE; k++) {
        if (!cells[k].null) {
            text = pf_findings_format(c->f, "%.*s%s%.*s", PF_TEXT_ARG(text), text.len ? ", " : "",
                                      PF_TEXT_ARG(cells[k].as.s));
        }
    }
    text = text.len ? text : PF_STR("no operator");
    pf_overlay_arg_text(c->f, pf_findings_format(c->f, "holder_%" PRIu32, number),
                        pf_findings_format(c->f, "%.*s: %" PRId64 " bytes", PF_TEXT_ARG(text), cells[BYTES].as.i));
}

/* In the group in hand. */
static pf_status draw_holding(gpu_canvas *c, const gpu_holding *h)
{
    enum { ALLOCATIONS = 4 };
    const gpu_memory *m = c->memory;
    const pf_table *t = pf_table_view(c->r->facts.table[GPU_TABLE_MEMORY_HOLDERS]);
    if (h->holder_count == 0) {
        return PF_OK;
    }
    const pf_cell *first = &t->cells[h->first_holder * t->column_count];
    followed w = {.m = m, .h = h, .before.track = PF_NONE, .others.track = PF_NONE};
    uint32_t row = pf_drawing_slices(&c->drawing, "memory peak",
                                     "When most was allocated. Arguments are the row of table gpu_memory, and the "
                                     "first rows of gpu_memory_holders.");
    pf_overlay_instant(c->f, row, m->rows[h->order[h->peak]].ts, PF_STR("peak"));
    pf_gpu_draw_cells(c, GPU_TABLE_MEMORY, (size_t)(h - m->holdings), ALLOCATIONS);
    for (uint32_t i = 0; i < h->holder_count && i < MOST_DRAWN; i++) {
        name_holder(c, first + i * t->column_count, i + 1);
    }
    pf_map_init(&w.of_name, c->drawing.arena->budget);
    pf_map_init(&w.live, c->drawing.arena->budget);
    pf_status st = draw_operators(c, &w, first);
    pf_map_free(&w.of_name);
    pf_map_free(&w.live);
    return st;
}

pf_status pf_gpu_draw_holders(gpu_canvas *c, uint32_t device)
{
    for (const gpu_holding *h = c->memory->holdings; h < c->memory->holdings + c->memory->holding_count; h++) {
        PF_TRY(h->device == device ? draw_holding(c, h) : PF_OK);
    }
    return PF_OK;
}

/* "host memory", "rank 1 memory of device 3". */
static pf_str group_name(gpu_canvas *c, const gpu_memory_row *r)
{
    const gpu_facts *g = &c->r->facts;
    pf_str rank = g->rank_count > 1 || g->ranks[r->input].known ? pf_gpu_rank_text(g, r->input, c->f) : PF_STR("");
    return r->type > 0 ? pf_findings_format(c->f, "%.*s%smemory of device %" PRId64, PF_TEXT_ARG(rank),
                                            rank.len ? " " : "", r->number)
                       : pf_findings_format(c->f, "%.*s%shost memory", PF_TEXT_ARG(rank), rank.len ? " " : "");
}

pf_status pf_gpu_draw_other_memory(gpu_canvas *c)
{
    const gpu_memory *m = c->memory;
    int32_t rank = (int32_t)c->r->facts.device_count + 1;
    for (const gpu_holding *h = m->holdings; h < m->holdings + m->holding_count; h++) {
        if (h->device != PF_NONE) {
            continue;
        }
        const pf_overlay_track group = {.anchor = PF_ANCHOR_GLOBAL,
                                        .name = group_name(c, &m->rows[h->order[0]]),
                                        .description = PF_STR("Computed by postfetto analyze gpu from the allocations "
                                                              "and frees that the profiler recorded."),
                                        .rank = rank};
        rank++;
        pf_drawing_group(&c->drawing, &group, PF_STR(""));
        PF_TRY(draw_holding(c, h));
    }
    return PF_OK;
}
