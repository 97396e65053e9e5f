/* write/perfetto/overlay_packets.c - see overlay_packets.h.
 *
 * All descriptors come first (a counter must be described before its first sample), then the events in order of time.
 * A slice is two edges. Edges are sorted by time; at equal times ends go before everything else, inner ends before
 * outer ones, and longer slices begin before shorter ones, so that what nests in the findings nests in Perfetto. A
 * slice without a length is an instant.
 *
 * An overlay track's uuid is a mix of its number; when our packets join those of somebody else it is checked against
 * every uuid of the trace and changed until it is free. The uuids of a conversion are small, so a large one is free.
 * The ids of flows are mixes too, and checked in both cases, because a conversion keeps those of the trace.
 */
#include "write/perfetto/overlay_packets.h"

#include "base/str.h"
#include "model/findings/findings.h"
#include "model/trace/trace.h"
#include "write/perfetto/debug_annotations.h"

typedef struct overlay {
    const pf_findings *f;
    pf_identity *who;
    pf_packets *packets;
    uint64_t *uuids; /* by overlay track */
    pf_map flows;    /* flow of the findings -> number of its id */
    pf_label category;
    uint32_t tracks;
} overlay;

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static void choose_uuids(overlay *o)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < o->tracks; i++) {
        do {
            o->uuids[i] = pf_uuid_of(PF_UUID_OVERLAY, number++);
        } while (o->uuids[i] <= UINT32_MAX || pf_map_get(&o->who->taken, o->uuids[i]) != PF_NONE);
    }
}

static uint64_t parent_of(overlay *o, const pf_overlay_track *track)
{
    if (track->parent < o->tracks) {
        return o->uuids[track->parent];
    }
    if (track->anchor == PF_ANCHOR_PROCESS && track->anchor_id < o->who->processes) {
        return pf_identity_process(o->who, o->packets, track->anchor_id);
    }
    if (track->anchor == PF_ANCHOR_THREAD && track->anchor_id < o->who->threads) {
        return pf_identity_thread(o->who, o->packets, track->anchor_id);
    }
    return 0;
}

static void describe_tracks(overlay *o)
{
    for (uint32_t i = 0; i < o->tracks; i++) {
        const pf_overlay_track *track = pf_overlay_track_at(o->f, i);
        const pf_descriptor d = {.kind = track->kind == PF_OVERLAY_COUNTER ? PF_DESCRIBE_COUNTER : PF_DESCRIBE_TRACK,
                                 .uuid = o->uuids[i],
                                 .parent = parent_of(o, track),
                                 .name = track->name,
                                 .description = track->description,
                                 .unit = track->unit,
                                 .orders_children = track->kind == PF_OVERLAY_GROUP,
                                 .ranked = true,
                                 .rank = track->rank,
                                 .apart = true,
                                 .share_key = track->share_key};
        pf_packets_describe(o->packets, o->who->first_ts, &d);
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

/* ---- events ------------------------------------------------------------------------------------------------------ */

static uint64_t flow_id(uint32_t number)
{
    return pf_uuid_of(PF_UUID_FLOW, number);
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
        while (pf_map_get(&taken, flow_id(next)) != PF_NONE) {
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

static void write_edge(overlay *o, uint32_t edge)
{
    const pf_drawn *d = &o->f->drawn.row[edge >> 1];
    const pf_label none = {PF_NONE, {NULL, 0}};
    uint64_t track = o->uuids[d->track];
    if (pf_drawn_kind(o->f, d) == PF_OVERLAY_SAMPLE) {
        pf_packets_counter(o->packets, d->ts, track, d->as.value);
        return;
    }
    if (edge & 1) {
        pf_packets_event(o->packets, edge_ts(d, edge), PF_EVENT_SLICE_END, track, none, none);
        pf_packets_event_end(o->packets);
        return;
    }
    const pf_drawn_more *m = &o->f->more.row[d->more];
    const pf_label name = {PF_NONE, m->name};
    pf_packets_event(o->packets, d->ts, pf_drawn_length(o->f, d) ? PF_EVENT_SLICE_BEGIN : PF_EVENT_INSTANT, track, name,
                     o->category);
    for (uint32_t i = 0; i < m->arg_count; i++) {
        const pf_overlay_arg *arg = pf_overlay_arg_at(o->f, (size_t)m->first_arg + i);
        pf_annotate(o->packets, arg->key, &arg->value);
    }
    if (m->flow) {
        pf_writer_fixed64(&o->packets->w, PF_F_EVENT_FLOW_IDS, flow_id(pf_map_get(&o->flows, m->flow)));
    }
    pf_packets_event_end(o->packets);
}

static pf_status write_events(overlay *o, pf_error *err)
{
    size_t events = pf_overlay_event_count(o->f);
    if (events == 0) {
        return PF_OK;
    }
    if (events >= PF_NONE / 2) {
        return pf_fail(err, PF_ERR_LIMIT, "the findings have more than 2^31 events; cut the trace");
    }
    pf_budget *budget = o->who->budget;
    size_t bytes = events * 2 * sizeof(uint32_t);
    uint32_t *edges = pf_alloc(budget, bytes), *scratch = edges ? pf_alloc(budget, bytes) : NULL, count = 0;
    if (!scratch) {
        pf_release(budget, edges, edges ? bytes : 0);
        return pf_budget_refused(budget, 2 * bytes, err);
    }
    for (uint32_t i = 0; i < events; i++) {
        const pf_drawn *d = &o->f->drawn.row[i];
        if (d->ts < 0 || d->track >= o->tracks) {
            continue; /* Perfetto has no time before zero */
        }
        edges[count++] = 2 * i;
        if (pf_drawn_length(o->f, d)) {
            edges[count++] = 2 * i + 1;
        }
    }
    pf_sort_rows(edges, scratch, count, edge_after, o->f);
    pf_release(budget, scratch, bytes);
    for (uint32_t i = 0; i < count && o->packets->failed == PF_OK; i++) {
        write_edge(o, edges[i]);
    }
    pf_release(budget, edges, bytes);
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

pf_status pf_overlay_write(const pf_findings *f, pf_identity *who, pf_packets *packets, pf_error *err)
{
    size_t tracks = pf_overlay_track_count(f);
    if (tracks >= PF_NONE) {
        return pf_fail(err, PF_ERR_LIMIT, "the findings have too many tracks; cut the trace");
    }
    overlay o = {.f = f,
                 .who = who,
                 .packets = packets,
                 .category = {PF_NONE, pf_overlay_category(f)},
                 .tracks = (uint32_t)tracks};
    size_t bytes = (tracks + 1) * sizeof *o.uuids;
    o.uuids = pf_alloc(who->budget, bytes);
    if (!o.uuids) {
        return pf_budget_refused(who->budget, bytes, err);
    }
    choose_uuids(&o);
    pf_map_init(&o.flows, who->budget);
    pf_status st = number_flows(&o, err);
    if (st == PF_OK) {
        write_attributes(f, packets);
        describe_tracks(&o);
        st = write_events(&o, err);
    }
    if (st == PF_OK && packets->failed != PF_OK) {
        st = packets->failed;
        if (err) {
            *err = packets->error;
        }
    }
    pf_map_free(&o.flows);
    pf_release(who->budget, o.uuids, bytes);
    return st;
}
