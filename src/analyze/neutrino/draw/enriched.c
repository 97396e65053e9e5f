/* analyze/neutrino/draw/enriched.c - the enriched trace: a copy of the launches with what was found about each as
 * arguments, and in the process of each run, which is called "PROBE OP", a group of its SMs and one of its tensors: how
 * many blocks are resident, the tail, blocks in the slots of their SM with the gaps between them; accesses
 * (docs/reference/neutrino.md, "Enriched trace").
 *
 * A launch's records count cycles of their own. They are shown from the start of its kernel on, a cycle as long as
 * --clock-ghz says; groups say how long that is, and the launch has the name of that clock and its anchor as arguments.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/neutrino/dmat/dmat.h"
#include "analyze/neutrino/sched/block_sched.h"
#include "analyze/support/pass_memory.h"
#include "base/list.h"
#include "base/ordering.h"
#include "base/strings.h"
#include "base/text/number.h"
#include "postfetto/build.h"

typedef struct enriched {
    const neutrino_run *n;
    pf_builder *b;
    pf_strings tracks; /* what they are, as bytes: an SM of a process, a slot of an SM, a counter */
    uint32_t *track;   /* by its id */
    uint32_t room;
    pf_error error;  /* code PF_OK: memory was there for all of them */
    uint32_t *facts; /* by launch: its first fact, or PF_NONE */
    uint64_t flows;  /* ids given out */
    pf_str category; /* of slices that are ours */
    pf_str *names;   /* of runs */
    bool drawn;      /* there is something to draw */
} enriched;

/* Where the records of a section lie in time. */
typedef struct enriched_place {
    const neutrino_records *r;
    uint32_t upid;
    int64_t anchor; /* ns: the start of the kernel */
    double ns;      /* of a cycle */
    bool in_ns;     /* of the global timer */
} enriched_place;

/* Kinds of tracks: below the process or another track; a counter where there is a unit. */
typedef enum track_kind {
    TRACK_BYTES,
    TRACK_OPERATIONS,
    TRACK_BLOCKS,
    TRACK_ALL_RESIDENT,
    TRACK_TAIL,
    TRACK_SM,
    TRACK_RESIDENT,
    TRACK_SLOT,
    TRACK_ACCESSES,
    TRACK_TENSOR
} track_kind;

static const struct {
    pf_build_owner of;
    int32_t rank; /* of number 0 */
    const char *name, *unit, *description, *share;
} kinds[] = {
    [TRACK_BYTES] = {PF_BUILD_PROCESS, 3, "global memory bytes", "bytes",
                     "sum over all threads of the launch, as its probe counted", NULL},
    [TRACK_OPERATIONS] = {PF_BUILD_PROCESS, 3, "tensor operations", "operations",
                          "sum over all threads of the launch, as its probe counted", NULL},
    [TRACK_BLOCKS] = {PF_BUILD_PROCESS, 5, "blocks", NULL, "which block ran when on which SM", NULL},
    [TRACK_ALL_RESIDENT] = {PF_BUILD_TRACK, 1, "resident blocks", "blocks",
                            "blocks between their start and end, over all SMs", NULL},
    [TRACK_TAIL] = {PF_BUILD_TRACK, 2, "tail", NULL,
                    "from the end of the last block of the SM that is done first to that of the one that is done last",
                    NULL},
    [TRACK_SM] =
        {PF_BUILD_TRACK, 10, "SM", NULL,
         "blocks that ran on this SM, a row for each slot that held one; `tail` begins where a slot stays empty. "
         "Clocks of SMs are not aligned: without --timer global each is shown from its own first block on",
         NULL},
    [TRACK_RESIDENT] = {PF_BUILD_TRACK, 1, "resident blocks", "blocks", "blocks between their start and end", NULL},
    [TRACK_SLOT] = {PF_BUILD_TRACK, 2, "slot", NULL,
                    "blocks, named by their number, and the gaps between them: a block takes the free slot that was in "
                    "use last",
                    NULL},
    [TRACK_ACCESSES] = {PF_BUILD_PROCESS, 6, "accesses", NULL, "memory accesses by tensor (DMAT), on one scale", NULL},
    [TRACK_TENSOR] = {PF_BUILD_TRACK, 1, NULL, "accesses", "accesses in each of 160 bins of the launch's clocks",
                      "accesses"}};

static int64_t time_of(const enriched_place *p, uint64_t cycles)
{
    double ns = (double)cycles * p->ns;
    return p->anchor + (ns < 4e18 ? (int64_t)(ns + 0.5) : (int64_t)4e18);
}

/* A block that begins (+1) or ends (-1) on an SM. */
typedef struct change {
    int64_t ts;
    uint32_t sm;
    int32_t by;
} change;

typedef struct block_drawer {
    enriched *e;
    const enriched_place *p;
    const sched_sm *sm;        /* the one before */
    uint64_t first;            /* where its clock begins */
    uint64_t first_of_all;     /* of the global timer */
    uint32_t blocks, sm_track; /* the group, and in it that of the SM */
    change *list;
    size_t count, room;
    struct slot {
        uint64_t flow;  /* that leads from block to block */
        uint32_t track; /* PF_NONE: not asked for yet */
    } * slot;           /* of the SM */
    uint32_t slots;
    pf_buffer name; /* of a block */
} block_drawer;

/* The track of a process for a key (an SM, a slot, a tensor), made when it is first asked for. It is below `parent`
 * where its kind is, at place `number`, and has the name and description of its kind without those of its own. PF_NONE:
 * memory was refused. */
typedef struct track_wish {
    track_kind kind;
    uint32_t parent;
    uint64_t key;
    uint32_t number;
    pf_str name, description;
} track_wish;

static uint32_t find_track(enriched *e, uint32_t upid, const track_wish *w)
{
    static const uint32_t last = 1000000;
    const uint64_t what[] = {upid, w->kind, w->key};
    uint32_t known = e->tracks.count, id = pf_strings_add(&e->tracks, (const char *)what, sizeof what, &e->error);
    if (id == PF_NONE || PF_LIST_ROOM(e->n->arena->budget, e->track, (size_t)id + 1, e->room, &e->error) != PF_OK) {
        return PF_NONE;
    }
    if (id >= known) {
        pf_build_owner of = kinds[w->kind].of;
        pf_str description = w->description.ptr ? w->description : pf_neutrino_str(kinds[w->kind].description);
        const pf_build_track_row row = {.of = of,
                                        .owner = of == PF_BUILD_PROCESS ? upid : w->parent,
                                        .counter = kinds[w->kind].unit != NULL,
                                        .name = w->name.ptr ? w->name : pf_neutrino_str(kinds[w->kind].name),
                                        .unit = pf_neutrino_str(kinds[w->kind].unit),
                                        .description = description,
                                        .rank = kinds[w->kind].rank + (int32_t)(w->number < last ? w->number : last)};
        e->track[id] = pf_build_track(e->b, &row);
        if (kinds[w->kind].share) {
            pf_build_share_scale(e->b, e->track[id], pf_str_of(kinds[w->kind].share));
        }
    }
    return e->track[id];
}

static pf_str text(const enriched *e, const char *what, uint64_t number)
{
    return pf_findings_format(e->n->f, "%s %" PRIu64, what, number);
}

/* A group of tracks whose times are cycles or were. */
static uint32_t find_group(enriched *e, const enriched_place *p, track_kind kind)
{
    const neutrino_run *n = e->n;
    const char *what = kinds[kind].description, *name = kinds[kind].name;
    bool in_cycles = !p->in_ns && !n->scaled;
    char digits[PF_NUMBER_MAX];
    int len = (int)pf_format_real(n->ghz, digits);
    const track_wish wish = {
        .kind = kind,
        .name = in_cycles ? pf_findings_format(n->f, "%s (cycles)", name) : pf_str_of(name),
        .description = p->in_ns ? pf_findings_format(n->f, "%s; times are those of the global timer", what)
                       : in_cycles
                           ? pf_findings_format(n->f, "%s; 1 ns on the axis = 1 cycle (--clock-ghz scales it)", what)
                           : pf_findings_format(n->f, "%s; cycles at %.*s GHz (--clock-ghz)", what, len, digits)};
    return find_track(e, p->upid, &wish);
}

static uint32_t find_sm(block_drawer *d, uint32_t id)
{
    return find_track(d->e, d->p->upid,
                      &(track_wish){TRACK_SM, d->blocks, id, id, text(d->e, "SM", id), pf_neutrino_str(NULL)});
}

/* What the drawing knows of a slot; NULL if memory is refused. */
static const struct slot *slot_at(block_drawer *d, uint32_t id, uint32_t slot)
{
    uint32_t known = d->slots;
    if (PF_LIST_ROOM(d->e->n->arena->budget, d->slot, (size_t)slot + 1, d->slots, NULL) != PF_OK) {
        return NULL;
    }
    for (; known < d->slots; known++) {
        d->slot[known] = (struct slot){0, PF_NONE};
    }
    struct slot *s = &d->slot[slot];
    if (s->track == PF_NONE) {
        uint64_t key = (uint64_t)id << 32 | slot;
        const track_wish wish = {TRACK_SLOT, d->sm_track, key, slot, text(d->e, "slot", slot), pf_neutrino_str(NULL)};
        *s = (struct slot){++d->e->flows, find_track(d->e, d->p->upid, &wish)};
    }
    return s;
}

/* first: its first start. */
static void begin_sm(block_drawer *d, const sched_sm *sm, uint64_t first)
{
    d->sm = sm;
    d->first = d->p->in_ns ? d->first_of_all : first;
    d->sm_track = find_sm(d, sm->id);
    for (uint32_t i = 0; i < d->slots; i++) {
        d->slot[i].track = PF_NONE;
    }
}

static uint64_t warps_of(const neutrino_records *r, uint64_t block)
{
    uint64_t used = 0;
    for (uint64_t u = block * r->per_block; u < (block + 1) * r->per_block && u < r->complete; u++) {
        const uint8_t *p = r->data + u * r->unit_bytes;
        uint8_t any = 0;
        for (uint64_t i = 0; i < r->record_bytes; i++) {
            any |= p[i];
        }
        used += any != 0;
    }
    return used;
}

static pf_str name_block(block_drawer *d, uint64_t index)
{
    d->name.len = 0;
    pf_buffer_decimal(&d->name, index);
    return (pf_str){d->name.data, d->name.len};
}

static pf_status draw_block(void *ctx, const sched_sm *sm, const sm_placed *b, pf_error *err)
{
    block_drawer *d = ctx;
    pf_builder *out = d->e->b;
    if (d->sm != sm) {
        begin_sm(d, sm, b->block.start);
    }
    int64_t start = time_of(d->p, b->block.start - d->first);
    int64_t end = time_of(d->p, b->block.end - d->first);
    const struct slot *slot = slot_at(d, sm->id, b->slot);
    PF_TRY(slot ? PF_OK : pf_budget_refused(d->e->n->arena->budget, 1 << 16, err));
    if (b->has_gap && b->gap) {
        int64_t from = time_of(d->p, b->block.start - b->gap - d->first);
        pf_build_slice(out, slot->track, from, start - from, PF_STR("gap"));
        pf_build_category(out, PF_STR("sched"));
        pf_build_arg_uint(out, PF_STR("cycles"), b->gap);
    }
    pf_build_slice(out, slot->track, start, end - start, name_block(d, b->block.index));
    pf_build_category(out, d->e->category);
    pf_build_flow(out, slot->flow, false);
    pf_build_arg_uint(out, PF_STR("warps"), warps_of(d->p->r, b->block.index));
    pf_build_arg_uint(out, PF_STR("cycles"), b->block.end - b->block.start);
    if (b->has_gap) {
        pf_build_arg_uint(out, PF_STR("gap_before"), b->gap);
    }
    if (d->p->r->launch != PF_NONE) {
        pf_build_arg_uint(out, PF_STR("launch"), d->p->r->launch);
    }
    d->list[d->count++] = (change){start, sm->id, 1};
    d->list[d->count++] = (change){end, sm->id, -1};
    return PF_OK;
}

PF_ORDER(by_time, change, PF_UP(ts));

PF_ORDER(by_sm, change, PF_UP(sm), PF_UP(ts));

/* A sample wherever the number changes. */
static void draw_residents(block_drawer *d, bool all)
{
    int64_t now = 0;
    uint32_t track = PF_NONE;
    qsort(d->list, d->count, sizeof *d->list, all ? by_time : by_sm);
    for (uint64_t i = 0; i < d->count; i++) {
        now += d->list[i].by;
        if (track == PF_NONE || (!all && d->list[i].sm != d->list[i - 1].sm)) {
            uint32_t id = all ? 0 : d->list[i].sm, above = all ? d->blocks : find_sm(d, id);
            track = find_track(
                d->e, d->p->upid,
                &(track_wish){.kind = all ? TRACK_ALL_RESIDENT : TRACK_RESIDENT, .parent = above, .key = id});
        }
        bool last =
            i + 1 == d->count || d->list[i + 1].ts != d->list[i].ts || (!all && d->list[i + 1].sm != d->list[i].sm);
        if (last) {
            pf_build_sample(d->e->b, track, d->list[i].ts, (double)now);
        }
    }
}

static void draw_tail(const block_drawer *d, uint32_t track, uint64_t from, uint64_t to)
{
    int64_t start = time_of(d->p, from);
    pf_build_slice(d->e->b, track, start, time_of(d->p, to) - start, PF_STR("tail"));
    pf_build_category(d->e->b, d->e->category);
    pf_build_arg_uint(d->e->b, PF_STR("cycles"), to - from);
}

/* That of an SM is on its group's own row; that of all is from where the first SM is done to where the last one is.
 * Nothing is drawn where there is none. */
static void draw_tails(block_drawer *d, const sched_result *s)
{
    const sched_sm *first = NULL, *last = NULL;
    uint64_t from = UINT64_MAX, to = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const sched_sm *sm = s->sm[i];
        /* SMs have clocks of their own, which are not aligned: each is shown from its own first block on. */
        uint64_t end = sm->sweep.last_end - (d->p->in_ns ? d->first_of_all : sm->sweep.first_start);
        if (sm->exact_blocks && sm->tail) {
            draw_tail(d, find_sm(d, sm->id), end - sm->tail, end);
        }
        if (sm->exact_blocks && end < from) {
            first = sm;
            from = end;
        }
        if (sm->exact_blocks && (!last || end > to)) {
            last = sm;
            to = end;
        }
    }
    if (first && to > from) {
        draw_tail(d, find_track(d->e, d->p->upid, &(track_wish){.kind = TRACK_TAIL, .parent = d->blocks}), from, to);
        pf_build_arg_real(d->e->b, PF_STR("percent"), pf_overlay_derived(100.0 * (double)(to - from) / (double)to));
        pf_build_arg_uint(d->e->b, PF_STR("first_sm"), first->id);
        pf_build_arg_uint(d->e->b, PF_STR("last_sm"), last->id);
    }
}

static pf_status draw_blocks(block_drawer *d, sched_result *s, pf_error *err)
{
    const neutrino_run *n = d->e->n;
    PF_TRY(pf_sched_analyse(n, d->p->r, s, err));
    d->room = 2 * d->p->r->blocks + 1;
    PF_TRY(PF_LIST_NEW(n->arena->budget, d->list, d->room, err));
    bool any = false;
    for (uint32_t i = 0; i < s->count; i++) {
        sched_sm *sm = s->sm[i];
        sm->again = sm->exact_blocks > 0;
        any |= sm->again;
        d->first_of_all =
            sm->again && sm->sweep.first_start < d->first_of_all ? sm->sweep.first_start : d->first_of_all;
    }
    if (!any) {
        return PF_OK;
    }
    d->e->drawn = true;
    d->blocks = find_group(d->e, d->p, TRACK_BLOCKS);
    draw_tails(d, s);
    PF_TRY(pf_sched_visit(n, s, draw_block, d, err));
    PF_TRY(d->name.failed ? pf_no_memory(err) : PF_OK);
    draw_residents(d, false);
    draw_residents(d, true);
    return PF_OK;
}

static pf_status draw_section_blocks(enriched *e, const enriched_place *p, pf_error *err)
{
    sched_result s;
    block_drawer d = {.e = e, .p = p, .first_of_all = UINT64_MAX};
    pf_status st = draw_blocks(&d, &s, err);
    PF_LIST_FREE(e->n->arena->budget, d.slot, d.slots);
    PF_LIST_FREE(e->n->arena->budget, d.list, d.list ? d.room : 0);
    pf_buffer_free(&d.name);
    pf_sched_free(e->n, &s);
    return st;
}

static void draw_tensor(enriched *e, const enriched_place *p, const dmat_result *d, uint32_t i, uint32_t group)
{
    uint64_t sum[DMAT_COLUMNS] = {0};
    const dmat_tensor *t = &d->tensor[i];
    for (uint32_t k = 0; k < t->cells; k++) {
        sum[t->cell[k].column] += t->cell[k].count;
    }
    uint32_t track = find_track(e, p->upid,
                                &(track_wish){.kind = TRACK_TENSOR,
                                              .parent = group,
                                              .key = (uint64_t)(uintptr_t)t->name.ptr,
                                              .number = i,
                                              .name = t->name});
    for (uint32_t c = 0; c <= DMAT_COLUMNS; c++) {
        uint64_t clock = (c * (d->clean_max_clock + 1) + DMAT_COLUMNS - 1) / DMAT_COLUMNS;
        bool same = c && c < DMAT_COLUMNS && sum[c] == sum[c - 1];
        if (!same) {
            pf_build_sample(e->b, track, time_of(p, clock), c < DMAT_COLUMNS ? (double)sum[c] : 0);
        }
    }
}

static pf_status draw_accesses(enriched *e, const enriched_place *p, pf_error *err)
{
    const dmat_source source = {.r = p->r, .run = p->r->run, .name = p->r->file};
    dmat_result d;
    pf_status st = pf_dmat_analyse(e->n, &source, &d, err);
    uint32_t group = st == PF_OK && d.tensors ? find_group(e, p, TRACK_ACCESSES) : PF_NONE;
    for (uint32_t i = 0; st == PF_OK && i < d.tensors; i++) {
        draw_tensor(e, p, &d, i, group);
        e->drawn = true;
    }
    pf_dmat_free(e->n, &d);
    return st;
}

/* The launch whose slice is event `row`, PF_NONE if it is none; launches are in order of their events. */
static uint32_t launch_at(const neutrino_launches *v, uint32_t *next, uint32_t row)
{
    while (*next < v->count && v->event[*next] < (int64_t)row) {
        ++*next;
    }
    return *next < v->count && v->event[*next] == (int64_t)row ? *next : PF_NONE;
}

/* Strings the facts of each launch together. */
static pf_status link_facts(enriched *e, pf_error *err)
{
    const neutrino_run *n = e->n;
    PF_TRY(PF_PASS_ARRAY(n->arena, n->launches.count, e->facts, err));
    memset(e->facts, 0xff, n->launches.count * sizeof *e->facts);
    for (uint32_t i = n->fact_count; i-- > 0;) {
        neutrino_fact *f = &n->facts[i];
        if (f->launch != PF_NONE) {
            f->next = e->facts[f->launch];
            e->facts[f->launch] = i;
        }
    }
    return PF_OK;
}

static void put_facts(enriched *e, uint32_t launch)
{
    const neutrino_run *n = e->n;
    bool clock = false;
    for (uint32_t i = e->facts[launch]; i != PF_NONE; i = n->facts[i].next) {
        pf_build_arg_uint(e->b, pf_str_of(n->facts[i].key), n->facts[i].value);
        clock |= n->facts[i].clock;
    }
    if (clock) {
        pf_build_arg_text(e->b, PF_STR("clock_domain"), pf_findings_format(n->f, "cycles of launch %" PRIu32, launch));
        pf_build_arg_real(e->b, PF_STR("clock_ns_per_cycle"), n->global_timer ? 1 : 1 / n->ghz);
        pf_build_arg_text(e->b, PF_STR("clock_anchor"), PF_STR("start of the kernel"));
        pf_build_arg_text(e->b, PF_STR("clock_alignment"),
                          n->global_timer ? PF_STR("global timer")
                                          : PF_STR("each SM at the start of its own first block"));
    }
    pf_str command = pf_neutrino_string(n, n->runs.command, n->launches.run[launch]);
    if (command.ptr && pf_str_find(e->names[n->launches.run[launch]], command) == SIZE_MAX) {
        pf_build_arg_text(e->b, PF_STR("command"), command);
    }
}

static pf_status copy_events(enriched *e, pf_error *err)
{
    const pf_events *events = pf_trace_events(e->n->t);
    uint32_t next = 0;
    for (uint32_t i = 0; i < events->count; i++) {
        pf_build_copy_event(e->b, i);
        uint32_t launch = launch_at(&e->n->launches, &next, i);
        if (launch != PF_NONE) {
            put_facts(e, launch);
        }
        PF_TRY(i % 65536 == 0 ? pf_pass_poll(e->n->ctx, err) : PF_OK);
    }
    pf_build_copy_samples(e->b);
    return pf_builder_status(e->b, err);
}

/* The process of a run; a trace without a log gets one of its own. */
static uint32_t process_of(enriched *e, uint32_t run)
{
    uint32_t upid = e->n->runs.process[run];
    return upid != PF_NONE ? upid : pf_build_process(e->b, (int64_t)run + 1, e->names[run]);
}

static pf_status name_processes(enriched *e, pf_error *err)
{
    const neutrino_run *n = e->n;
    PF_TRY(PF_PASS_ARRAY(n->arena, n->runs.count, e->names, err));
    PF_TRY(pf_neutrino_name_runs(n, e->names, err));
    for (uint32_t i = 0; i < n->runs.count; i++) {
        if (n->runs.process[i] != PF_NONE) {
            pf_build_name_process(e->b, n->runs.process[i], e->names[i]);
        }
    }
    return PF_OK;
}

/* ns, 0 where there are none; of a unit of `ns`. */
static int64_t ns_of(double v, double ns)
{
    return v > 0 && v < 9e9 ? llrint(v * ns) : 0;
}

/* Where the kernel of the launch begins; without a launch, the time in the name of the file. */
static int64_t anchor_of(const neutrino_run *n, const neutrino_records *r)
{
    const neutrino_launches *v = &n->launches;
    return r->launch == PF_NONE ? ns_of(n->traces.seconds[r->trace], 1e9)
                                : v->slice_ts[r->launch] + ns_of(v->ms[0][r->launch], 1e6);
}

/* A sum of the launch as a counter: from its start to its end. */
static void draw_value(enriched *e, const enriched_place *p, const neutrino_fact *f)
{
    bool bytes = strcmp(f->key, "gmem_bytes") == 0, ops = strcmp(f->key, "tensor_ops") == 0;
    if (f->launch == PF_NONE || (!bytes && !ops)) {
        return;
    }
    uint32_t track = find_track(e, p->upid, &(track_wish){.kind = bytes ? TRACK_BYTES : TRACK_OPERATIONS});
    double kernel = e->n->launches.ms[1][f->launch];
    pf_build_sample(e->b, track, p->anchor, (double)f->value);
    pf_build_sample(e->b, track, p->anchor + (kernel > 0 && kernel < 9e9 ? ns_of(kernel, 1e6) : 1), 0);
}

static bool has_kind(const neutrino_run *n, const neutrino_records *r, const char *kind, neutrino_analysis a)
{
    return pf_neutrino_wants(n, a) && pf_str_is(r->kind, kind) && r->complete;
}

static pf_status draw_sections(enriched *e, pf_error *err)
{
    const neutrino_run *n = e->n;
    neutrino_records r;
    uint32_t fact = 0;
    for (uint32_t i = 0; pf_neutrino_records_at(n, i, &r); i++) {
        bool blocks = has_kind(n, &r, "block_sched", NEUTRINO_BLOCK_SCHED);
        enriched_place p = {&r, process_of(e, r.run), anchor_of(n, &r), 1 / n->ghz, blocks && n->global_timer};
        p.ns = p.in_ns ? 1 : p.ns;
        if (blocks) {
            PF_TRY(draw_section_blocks(e, &p, err));
        } else if (has_kind(n, &r, "dmat", NEUTRINO_DMAT)) {
            PF_TRY(draw_accesses(e, &p, err));
        }
        for (; fact < n->fact_count && n->facts[fact].section == i; fact++) {
            draw_value(e, &p, &n->facts[fact]);
        }
        PF_TRY(pf_builder_status(e->b, err));
    }
    return PF_OK;
}

static pf_status draw(enriched *e, pf_trace **made, pf_error *err)
{
    PF_TRY(pf_strings_init(&e->tracks, e->n->arena->budget, err));
    pf_build_attribute_text(e->b, PF_STR("postfetto.pass"), PF_STR("neutrino"));
    e->drawn = pf_trace_events(e->n->t)->count > 0;
    PF_TRY(name_processes(e, err));
    PF_TRY(link_facts(e, err));
    PF_TRY(copy_events(e, err));
    PF_TRY(draw_sections(e, err));
    if (e->error.code != PF_OK) {
        *err = e->error;
        return err->code;
    }
    return pf_builder_finish(e->b, made, err);
}

pf_status pf_neutrino_enrich(const neutrino_run *n, pf_error *err)
{
    pf_budget *budget = n->arena->budget;
    enriched e = {.n = n, .b = pf_builder_derive(n->t, &budget->limits), .category = pf_overlay_category(n->f)};
    pf_trace *made = NULL;
    PF_TRY(e.b ? PF_OK : pf_budget_refused(budget, 1 << 20, err));
    pf_status st = draw(&e, &made, err);
    pf_builder_free(e.b);
    pf_strings_free(&e.tracks);
    PF_LIST_FREE(budget, e.track, e.room);
    if (st == PF_OK && e.drawn) {
        pf_findings_report_trace(n->f, PF_STR("neutrino.pftrace"), made, PF_PLACE_OUTPUT);
    } else if (st == PF_OK) {
        pf_trace_free(made);
        pf_findings_add_report(n->f, &(pf_report){.form = PF_REPORT_BYTES, .place = PF_PLACE_INSTEAD});
        pf_findings_show_line(n->f, PF_NOTICE, "there is no launch, block or access to draw: no trace is written");
    }
    return st;
}
