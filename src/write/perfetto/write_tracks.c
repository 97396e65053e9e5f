/* write/perfetto/write_tracks.c - the tracks of a trace as descriptors, written on first use.
 *
 * Thread tracks are their thread's descriptor, the root track of a process is that of the process. Everything else gets
 * a descriptor of its own below its parent track, or below the thread or process it belongs to. Tracks do not merge
 * with siblings, except the operations of an async group: there a track is an operation, and Perfetto makes the lanes
 * of those that share a key. */
#include "write/perfetto/write_identity.h"

#include "model/trace/trace.h"

/* Perfetto's own limit is 100 levels. */
#define MAX_LEVELS 128u

/* Counters of JSON are named after an event and an entry of its args: those of one event share their axis, and the key
 * says where the event's name ends. Other counters keep the key that they have. */
static void find_shares(pf_track_writer *w)
{
    const pf_trace *t = w->who->t;
    const pf_counters *k = pf_trace_counters(t);
    const pf_events *e = pf_trace_events(t);
    for (uint32_t i = 0; i < k->count; i++) {
        if (k->event[i] < e->count && pf_trace_tracks(t)->type[k->track[i]] == PF_TRACK_JSON_COUNTER) {
            w->share[k->track[i]] = e->name[k->event[i]];
        }
    }
}

/* Children with ranks of a process are in the order of those; a track says itself whether its children are. */
static void take_rank(pf_track_writer *w, uint32_t track, int64_t rank)
{
    const pf_tracks *tr = pf_trace_tracks(w->who->t);
    w->ranked[track] = 1;
    w->rank[track] = (int32_t)rank;
    if (tr->parent[track] == PF_NONE && tr->utid[track] == PF_NONE && tr->upid[track] != PF_NONE) {
        w->who->orders_children[tr->upid[track]] = 1;
    }
}

/* Perfetto keeps none of a thread's own track, but those of its lanes. */
static void take_description(pf_track_writer *w, uint32_t track, uint32_t text)
{
    const pf_tracks *tr = pf_trace_tracks(w->who->t);
    w->description[track] = text;
    if (tr->type[track] == PF_TRACK_THREAD_EXECUTION && tr->utid[track] != PF_NONE) {
        w->of_thread[tr->utid[track]] = text;
    }
}

static pf_str description_of(const pf_track_writer *w, uint32_t track)
{
    const pf_tracks *tr = pf_trace_tracks(w->who->t);
    bool lane = tr->type[track] == PF_TRACK_THREAD_OVERLAP && tr->utid[track] != PF_NONE;
    return pf_trace_string(w->who->t, lane ? w->of_thread[tr->utid[track]] : w->description[track]);
}

/* What the descriptors of tracks said, or shall say, besides their columns. */
static void find_sources(pf_track_writer *w)
{
    const pf_trace *t = w->who->t;
    const pf_row_args *a = pf_trace_row_args(t);
    uint32_t share = pf_trace_find_string(t, PF_STR("y_axis_share_key")),
             description = pf_trace_find_string(t, PF_STR("description")),
             rank = pf_trace_find_string(t, PF_STR("sibling_order_rank")),
             ordering = pf_trace_find_string(t, PF_STR("child_ordering")),
             explicitly = pf_trace_find_string(t, PF_STR("explicit"));
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t track = a->row[i], key = a->key[i];
        if (a->owner[i] != PF_OWNER_TRACK_SOURCE || track >= w->count) {
            continue;
        }
        if (key == share) {
            w->share[track] = a->text[i];
        } else if (key == description) {
            take_description(w, track, a->text[i]);
        } else if (key == rank) {
            take_rank(w, track, a->number[i]);
        } else if (key == ordering) {
            w->orders[track] = a->text[i] == explicitly;
        }
    }
}

pf_status pf_track_writer_init(pf_track_writer *w, pf_identity *who, pf_packets *packets, pf_error *err)
{
    *w = (pf_track_writer){.who = who, .packets = packets, .count = pf_trace_tracks(who->t)->count};
    pf_arena_init(&w->arena, who->budget);
    PF_TRY(PF_ARENA_NEW(&w->arena, w->said, w->count, err));
    PF_TRY(PF_ARENA_NEW(&w->arena, w->ranked, w->count, err));
    PF_TRY(PF_ARENA_NEW(&w->arena, w->orders, w->count, err));
    PF_TRY(PF_ARENA_NEW(&w->arena, w->share, w->count, err));
    PF_TRY(PF_ARENA_NEW(&w->arena, w->description, w->count, err));
    PF_TRY(PF_ARENA_NEW(&w->arena, w->of_thread, who->threads, err));
    PF_TRY(PF_ARENA_NEW(&w->arena, w->rank, w->count, err));
    find_sources(w);
    find_shares(w);
    return PF_OK;
}

void pf_track_writer_free(pf_track_writer *w)
{
    pf_arena_free(&w->arena);
    *w = (pf_track_writer){0};
}

static bool is_process_root(const pf_trace *t, uint32_t track)
{
    const pf_tracks *tr = pf_trace_tracks(t);
    uint32_t upid = tr->upid[track];
    return tr->type[track] == PF_TRACK_PROCESS_EVENT && upid != PF_NONE && tr->uuid[track] != 0 &&
           tr->uuid[track] == pf_trace_processes(t)->uuid[upid];
}

/* The uuid of the thread or process that a track without a parent track belongs to, 0 if it is global. */
static uint64_t scope_uuid(pf_track_writer *w, uint32_t track)
{
    const pf_tracks *tr = pf_trace_tracks(w->who->t);
    if (tr->utid[track] != PF_NONE) {
        return pf_identity_thread(w->who, w->packets, tr->utid[track]);
    }
    return tr->upid[track] != PF_NONE ? pf_identity_process(w->who, w->packets, tr->upid[track]) : 0;
}

/* Lanes next to a thread carry its name, so that they are found next to it. */
static pf_str lane_name(const pf_trace *t, uint32_t home)
{
    uint32_t utid = pf_trace_tracks(t)->utid[home];
    pf_str name = utid != PF_NONE ? pf_trace_string(t, pf_trace_threads(t)->name[utid]) : PF_STR("");
    return name.len ? name : PF_STR("overlap");
}

static pf_str track_name(const pf_trace *t, uint32_t track)
{
    const pf_tracks *tr = pf_trace_tracks(t);
    pf_str name = pf_trace_string(t, tr->name[track]);
    if (name.ptr) {
        return name;
    }
    switch (tr->type[track]) {
    case PF_TRACK_JSON_GLOBAL_INSTANTS:
        return PF_STR("Global instants");
    case PF_TRACK_JSON_PROCESS_INSTANTS:
        return PF_STR("Process instants");
    case PF_TRACK_THREAD_OVERLAP:
        return lane_name(t, track);
    default:
        return name;
    }
}

/* Tracks that are the descriptor of a thread or process. */
static bool is_root(const pf_trace *t, uint32_t track)
{
    return pf_trace_tracks(t)->type[track] == PF_TRACK_THREAD_EXECUTION || is_process_root(t, track);
}

static uint64_t root_uuid(pf_track_writer *w, uint32_t track)
{
    const pf_tracks *tr = pf_trace_tracks(w->who->t);
    return tr->type[track] == PF_TRACK_THREAD_EXECUTION ? pf_identity_thread(w->who, w->packets, tr->utid[track])
                                                        : pf_identity_process(w->who, w->packets, tr->upid[track]);
}

static void describe(pf_track_writer *w, uint32_t track)
{
    const pf_trace *t = w->who->t;
    const pf_tracks *tr = pf_trace_tracks(t);
    uint32_t above = tr->parent[track];
    pf_descriptor d = {
        .uuid = pf_identity_uuid(w->who, PF_UUID_TRACK, track), .name = track_name(t, track), .apart = true};
    d.description = description_of(w, track);
    d.ranked = w->ranked[track];
    d.rank = w->rank[track];
    d.orders_children = w->orders[track];
    if (pf_track_type_is_counter(tr->type[track])) {
        d.kind = PF_DESCRIBE_COUNTER;
        d.unit = pf_trace_string(t, tr->unit[track]);
        d.share_key = pf_trace_string(t, w->share[track]);
        d.apart = false;
    } else if (pf_track_is_async(tr, track)) {
        d.merge_key = (uint64_t)tr->group[track] + 1;
        d.apart = false;
    }
    if (above == PF_NONE) {
        d.parent = scope_uuid(w, track);
    } else {
        d.parent = is_root(t, above) ? root_uuid(w, above) : pf_identity_uuid(w->who, PF_UUID_TRACK, above);
    }
    pf_packets_describe(w->packets, w->who->first_ts, &d);
    w->said[track] = 1;
}

uint64_t pf_track_writer_uuid(pf_track_writer *w, uint32_t track)
{
    const pf_trace *t = w->who->t;
    const uint32_t *parent = pf_trace_tracks(t)->parent;
    if (is_root(t, track)) {
        return root_uuid(w, track);
    }
    while (!w->said[track]) {
        uint32_t next = track;
        for (uint32_t level = 0; level < MAX_LEVELS; level++) {
            uint32_t above = parent[next];
            if (above == PF_NONE || is_root(t, above) || w->said[above]) {
                break;
            }
            next = above;
        }
        describe(w, next);
    }
    return pf_identity_uuid(w->who, PF_UUID_TRACK, track);
}

uint64_t pf_track_writer_lane(pf_track_writer *w, uint32_t home, uint32_t number)
{
    const pf_trace *t = w->who->t;
    const pf_descriptor d = {.uuid = pf_identity_uuid(w->who, PF_UUID_LANE, number),
                             .parent = scope_uuid(w, home),
                             .name = lane_name(t, home),
                             .description = description_of(w, home),
                             .apart = true};
    pf_packets_describe(w->packets, w->who->first_ts, &d);
    return d.uuid;
}
