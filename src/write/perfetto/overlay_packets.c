/* write/perfetto/overlay_packets.c - the overlay of a pass as packets.
 *
 * All descriptors come first (a counter must be described before its first sample), then the events in order of time.
 * A slice is two edges. Edges are sorted by time; at equal times ends go before everything else, inner ends before
 * outer ones, and longer slices begin before shorter ones, so that what nests in the findings nests in Perfetto. A
 * slice without a length is an instant.
 *
 * An overlay track's uuid is a mix of its pass and number: findings of several passes in one file do not meet, though
 * those of the others may not have been read (model/trace/findings_mark.h); the row of a thread itself has that of the
 * thread. When our packets join those of somebody
 * else it is checked against every uuid of the trace and changed until it is free. The uuids of a conversion are small,
 * so a large one is free. The ids of flows are mixes too, and checked in both cases, because a conversion keeps those
 * of the trace.
 */
#include "base/list.h"
#include "base/str.h"
#include "model/findings/findings.h"
#include "write/perfetto/debug_annotations.h"
#include "write/perfetto/write_identity.h"

typedef struct overlay {
    const pf_findings *f;
    pf_identity *who;
    pf_arena arena;
    uint64_t *uuids; /* by overlay track */
    pf_map flows;    /* flow of the findings -> number of its id */
    pf_label category;
    uint32_t salt;    /* of its pass: below 2^24 */
    int64_t first_ts; /* of its descriptors, -1: none */
    uint32_t tracks;
    uint32_t *edges, count; /* in order of time */
} overlay;

/* Of 24 bits (FNV-1a), as pf_uuid_of has room for. */
static uint32_t salt_of(pf_str category)
{
    uint32_t hash = 0x811c9dc5u;
    for (size_t i = 0; i < category.len; i++) {
        hash = (hash ^ (uint8_t)category.ptr[i]) * 0x01000193u;
    }
    return hash >> 8;
}

static uint64_t number_of(const overlay *o, uint32_t n)
{
    return (uint64_t)o->salt << 32 | n;
}

static void choose_uuids(overlay *o)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < o->tracks; i++) {
        do {
            o->uuids[i] = pf_uuid_of(PF_UUID_OVERLAY, number_of(o, number++));
        } while (o->uuids[i] <= UINT32_MAX || pf_map_get(&o->who->taken, o->uuids[i]) != PF_NONE);
    }
}

static uint64_t parent_of(overlay *o, pf_packets *packets, const pf_overlay_track *track)
{
    if (track->parent < o->tracks) {
        return o->uuids[track->parent];
    }
    if (track->anchor == PF_ANCHOR_PROCESS && track->anchor_id < o->who->processes) {
        return pf_identity_process(o->who, packets, track->anchor_id);
    }
    if (track->anchor == PF_ANCHOR_THREAD && track->anchor_id < o->who->threads) {
        return pf_identity_thread(o->who, packets, track->anchor_id);
    }
    return 0;
}

static void describe_tracks(overlay *o, pf_packets *packets)
{
    for (uint32_t i = 0; i < o->tracks; i++) {
        const pf_overlay_track *track = pf_overlay_track_at(o->f, i);
        if (track->kind == PF_OVERLAY_OWN_ROW) {
            o->uuids[i] = parent_of(o, packets, track);
            continue;
        }
        const pf_descriptor d = {.kind = track->kind == PF_OVERLAY_COUNTER ? PF_DESCRIBE_COUNTER : PF_DESCRIBE_TRACK,
                                 .uuid = o->uuids[i],
                                 .parent = parent_of(o, packets, track),
                                 .name = track->name,
                                 .description = track->description,
                                 .unit = track->unit,
                                 .orders_children = track->kind == PF_OVERLAY_GROUP,
                                 .ranked = true,
                                 .rank = track->rank,
                                 .apart = true,
                                 .share_key = track->share_key};
        pf_packets_describe(packets, o->first_ts, &d);
    }
}

void pf_overlay_mark_parents(const pf_findings *f, pf_identity *who)
{
    for (size_t i = 0; i < pf_overlay_track_count(f); i++) {
        const pf_overlay_track *track = pf_overlay_track_at(f, i);
        if (track->parent == PF_NONE && track->anchor == PF_ANCHOR_PROCESS && track->anchor_id < who->processes) {
            who->orders_children[track->anchor_id] = 1;
        }
    }
}

static uint64_t flow_id(const overlay *o, uint32_t number)
{
    return pf_uuid_of(PF_UUID_FLOW, number_of(o, number));
}

/* Gives the flows of the findings ids that no flow of the trace has, whoever else drew into it before. */
static pf_status number_flows(overlay *o, pf_error *err)
{
    const pf_trace *t = o->who->t;
    uint32_t next = 1;
    pf_map taken;
    pf_map_init(&taken, o->who->budget);
    bool noted = true, looked = false;
    for (uint32_t i = 0; i < o->f->more.count && noted; i++) {
        uint64_t flow = o->f->more.row[i].flow;
        if (flow == 0 || pf_map_get(&o->flows, flow) != PF_NONE) {
            continue;
        }
        for (uint32_t k = 0; k < t->flow_refs.count && noted && !looked; k++) {
            noted = pf_map_set(&taken, t->flow_refs.id[k], 0);
        }
        looked = true;
        while (pf_map_get(&taken, flow_id(o, next)) != PF_NONE) {
            next++;
        }
        noted = noted && pf_map_set(&o->flows, flow, next++);
    }
    pf_map_free(&taken);
    return noted ? PF_OK : pf_budget_refused(o->who->budget, (uint64_t)t->flow_refs.count * 12, err);
}

/* An edge is 2 * event, + 1 for its end. */
static int64_t edge_ts(const pf_drawn *d, uint32_t edge)
{
    return d->ts + (edge & 1 ? d->as.dur : 0);
}

/* Order of two edges; see the head of this file. Ties end in the order of addition, reversed for ends. */
static bool edge_after(const void *ctx, uint32_t a, uint32_t b)
{
    const pf_findings *f = ctx;
    const pf_drawn *x = &f->drawn.row[a >> 1], *y = &f->drawn.row[b >> 1];
    int64_t tx = edge_ts(x, a), ty = edge_ts(y, b);
    if (tx != ty) {
        return tx > ty;
    }
    if ((a ^ b) & 1) {
        return b & 1;
    }
    int64_t dx = pf_drawn_length(f, x), dy = pf_drawn_length(f, y);
    if (a & 1) {
        return dx != dy ? dx > dy : a < b;
    }
    return dx != dy ? dx < dy : a > b;
}

/* Of what is drawn as a slice. */
static bool has_end(const overlay *o, const pf_drawn *d)
{
    return pf_drawn_length(o->f, d) && pf_overlay_track_at(o->f, d->track)->kind != PF_OVERLAY_OWN_ROW;
}

static void write_edge(const overlay *o, pf_packets *to, uint32_t edge)
{
    const pf_drawn *d = &o->f->drawn.row[edge >> 1];
    const pf_label none = {PF_NONE, {NULL, 0}};
    uint64_t track = o->uuids[d->track];
    if (pf_drawn_kind(o->f, d) == PF_OVERLAY_SAMPLE) {
        pf_packets_counter(to, d->ts, track, d->as.value);
        return;
    }
    if (edge & 1) {
        pf_packets_event(to, edge_ts(d, edge), PF_EVENT_SLICE_END, track, none, none);
        pf_packets_event_end(to);
        return;
    }
    const pf_drawn_more *m = &o->f->more.row[d->more];
    const pf_label name = {PF_NONE, m->name};
    pf_packets_event(to, d->ts, has_end(o, d) ? PF_EVENT_SLICE_BEGIN : PF_EVENT_INSTANT, track, name, o->category);
    for (uint32_t i = 0; i < m->arg_count; i++) {
        const pf_overlay_arg *arg = pf_overlay_arg_at(o->f, (size_t)m->first_arg + i);
        pf_annotate(to, arg->key, &arg->value);
    }
    if (m->flow) {
        pf_writer_fixed64(&to->w, PF_F_EVENT_FLOW_IDS, flow_id(o, pf_map_get(&o->flows, m->flow)));
    }
    pf_packets_event_end(to);
}

/* Lists the edges in their order. */
static pf_status list_edges(overlay *o, pf_error *err)
{
    uint32_t events = o->f->drawn.count;
    if (events >= PF_NONE / 2) {
        return pf_fail(err, PF_ERR_LIMIT, "the findings have more than 2^31 events; cut the trace");
    }
    uint32_t *scratch;
    PF_TRY(PF_ARENA_NEW(&o->arena, o->edges, 2 * (size_t)events, err));
    PF_TRY(PF_LIST_NEW(o->who->budget, scratch, 2 * (size_t)events, err));
    for (uint32_t i = 0; i < events; i++) {
        const pf_drawn *d = &o->f->drawn.row[i];
        if (d->ts < 0 || d->track >= o->tracks) {
            continue; /* Perfetto has no time before zero */
        }
        o->edges[o->count++] = 2 * i;
        if (has_end(o, d)) {
            o->edges[o->count++] = 2 * i + 1;
        }
    }
    pf_sort_rows(o->edges, scratch, o->count, edge_after, o->f);
    PF_LIST_FREE(o->who->budget, scratch, 2 * (size_t)events);
    return PF_OK;
}

/* What every output says by itself is not repeated. */
static void write_attributes(const pf_findings *f, pf_packets *packets)
{
    static const pf_str own[] = {{"postfetto.version", 17}, {"postfetto.time_unit", 19}};
    for (size_t i = 0; i < pf_findings_attribute_count(f); i++) {
        const pf_attribute *a = pf_findings_attribute(f, i);
        bool repeated = false;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
            repeated = repeated || pf_str_equal(a->key, own[k]);
        }
        if (!repeated) {
            pf_packets_attribute(packets, a->key, a->text, a->number);
        }
    }
}

static pf_status write_all(overlay *o, pf_packets *packets, pf_error *err)
{
    size_t tracks = pf_overlay_track_count(o->f);
    if (tracks >= PF_NONE) {
        return pf_fail(err, PF_ERR_LIMIT, "the findings have too many tracks; cut the trace");
    }
    o->tracks = (uint32_t)tracks;
    PF_TRY(PF_ARENA_NEW(&o->arena, o->uuids, tracks, err));
    choose_uuids(o);
    PF_TRY(number_flows(o, err));
    write_attributes(o->f, packets);
    describe_tracks(o, packets);
    PF_TRY(list_edges(o, err));
    for (uint32_t i = 0; i < o->count && packets->failed == PF_OK; i++) {
        write_edge(o, packets, o->edges[i]);
    }
    return pf_packets_finish(packets, err);
}

pf_status pf_overlay_write(const pf_findings *f, pf_identity *who, pf_packets *packets, pf_error *err)
{
    overlay o = {.f = f, .who = who, .category = {PF_NONE, pf_overlay_category(f)}};
    o.salt = salt_of(o.category.text);
    o.first_ts = who->in_place ? who->first_ts : pf_identity_first_event(who->t);
    pf_arena_init(&o.arena, who->budget);
    pf_map_init(&o.flows, who->budget);
    pf_status st = write_all(&o, packets, err);
    pf_map_free(&o.flows);
    pf_arena_free(&o.arena);
    return st;
}
