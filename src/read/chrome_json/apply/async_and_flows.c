/* read/chrome_json/apply/async_and_flows.c - what ids tie together: the events of one async operation, the ends of an
 * arrow, and notes of odd thread ids.
 *
 * An async operation is known by its category and id, within its process if the id is local (id2.local). Each has a
 * track row of its own, named after its earliest event. That is known at the end of the document only; then operations
 * of one name and process become a group, whose rows share lanes (model/slices/slices.c). An arrow is known by id,
 * category and name.
 *
 * Such keys have several parts, some of them texts. They are written one after the other into a short string, and the
 * applier's own string pool gives equal strings equal numbers. Ids that are texts and ids that are numbers stay apart
 * in async operations; arrows read texts as hexadecimal numbers (docs/reference/perfetto.md, "JSON phases").
 */
#include "base/list.h"
#include "base/str.h"
#include "base/text/json_text.h"
#include "base/text/number.h"
#include "read/chrome_json/apply/json_applier.h"
#include "read/chrome_json/apply/json_args.h"

#define ARROWS_NUMBERED (1u << 30)

static pf_flow_kind arrow_kind(const pf_json_record *r)
{
    return r->phase == 's'                     ? PF_FLOW_START
           : r->phase == 't'                   ? PF_FLOW_STEP
           : r->flags & PF_JSON_BIND_ENCLOSING ? PF_FLOW_END
                                               : PF_FLOW_END_NEXT;
}

/* The parts of a key before its id: for a NOTE, `category` is a track and the text both ids. */
typedef struct key_head {
    uint32_t use; /* key_use */
    uint32_t category;
    uint32_t owner; /* name of an arrow, upid of a local id */
    uint32_t kind;  /* of the id */
    int64_t number;
} key_head;

enum key_use { ASYNC_GLOBAL, ASYNC_LOCAL, FLOW, NOTE };

/* The number of a key: the head, and the text after it. */
static uint32_t key_number(pf_json_applier *a, const key_head *head, const pf_json_id *text)
{
    size_t len = text ? text->len : 0;
    char *bytes = pf_json_scratch(a, sizeof *head + len);
    if (!bytes) {
        return PF_NONE;
    }
    memcpy(bytes, head, sizeof *head);
    if (len && text->escaped) {
        unsigned lone = 0;
        len = pf_json_unescape(text->ptr, len, bytes + sizeof *head, &lone);
    } else if (len) {
        memcpy(bytes + sizeof *head, text->ptr, len);
    }
    return pf_json_key_number(a, bytes, sizeof *head + len);
}

/* The first-level members "global" and "local" of an id2 object. Texts are kept as ids of the applier's pool. */
typedef struct id2_search {
    pf_json_applier *a;
    pf_json_id global, local;
} id2_search;

static pf_status take_id(void *ctx, pf_str key, const pf_value *v)
{
    id2_search *s = ctx;
    pf_json_id *id = !key.ptr || !v             ? NULL
                     : pf_str_is(key, "global") ? &s->global
                     : pf_str_is(key, "local")  ? &s->local
                                                : NULL;
    if (id && v->type == PF_VALUE_INT) {
        *id = (pf_json_id){.kind = PF_JSON_ID_INT, .number = v->as.i};
    } else if (id && v->type == PF_VALUE_STRING) {
        uint32_t kept = pf_json_key_number(s->a, v->as.s.ptr, v->as.s.len);
        if (kept == PF_NONE) {
            return s->a->err->code;
        }
        pf_str text = pf_strings_get(&s->a->keys, kept);
        *id = (pf_json_id){
            .kind = PF_JSON_ID_TEXT, .ptr = (const uint8_t *)text.ptr, .len = (uint32_t)text.len, .escaped = false};
    }
    return PF_OK;
}

/* The id of an async event and whether it is local to the process; kind ABSENT if it has none. */
static pf_json_id async_id(pf_json_applier *a, const pf_json_record *r, bool *local)
{
    const pf_json_rare *rare = pf_json_rare_of(a->piece, r);
    pf_json_id id = pf_json_id_of(a->piece, r);
    *local = false;
    if (id.kind != PF_JSON_ID_ABSENT || !rare->id2.ptr) {
        return id;
    }
    id2_search search = {.a = a, .global.kind = PF_JSON_ID_ABSENT, .local.kind = PF_JSON_ID_ABSENT};
    pf_json_visit_members(rare->id2.ptr, rare->id2.len, take_id, &search, a->err);
    *local = search.global.kind == PF_JSON_ID_ABSENT;
    return *local ? search.local : search.global;
}

/* A row for a new operation, without a name and a group yet. Returns its place in a->async. */
static uint32_t new_operation(pf_json_applier *a, bool local, uint32_t upid)
{
    uint32_t i = a->async.count;
    if (PF_LIST_ROOM(&a->t->budget, a->async.list, i + 1, a->async.room, a->err) != PF_OK) {
        return PF_NONE;
    }
    const pf_track_row row = {.type = local ? PF_TRACK_LEGACY_ASYNC_PROCESS : PF_TRACK_LEGACY_ASYNC_GLOBAL,
                              .upid = local ? upid : PF_NONE,
                              .utid = PF_NONE,
                              .parent = PF_NONE,
                              .group = a->t->tracks.count};
    uint32_t track = pf_json_track(a, &row);
    if (track == PF_NONE) {
        return PF_NONE;
    }
    a->async.list[i] = (pf_json_operation){track, INT64_MAX};
    return a->async.count++;
}

static uint32_t find_operation(pf_json_applier *a, const key_head *head, const pf_json_id *id, uint32_t upid)
{
    uint32_t key = key_number(a, head, id);
    uint32_t operation = key == PF_NONE ? PF_NONE : pf_map_get(&a->operations, key);
    if (key != PF_NONE && operation == PF_NONE) {
        operation = new_operation(a, head->use == ASYNC_LOCAL, upid);
        pf_json_put(a, &a->operations, key, operation);
    }
    return operation;
}

void pf_json_async_track(pf_json_applier *a, const pf_json_record *r, uint32_t upid, pf_event *e)
{
    bool local;
    const pf_json_id id = async_id(a, r, &local);
    if (id.kind == PF_JSON_ID_ABSENT || a->piece->threads[r->thread].pid.kind == PF_JSON_ID_ABSENT) {
        pf_trace_count(a->t, PF_STAT_JSON_PARSER_FAILURE, pf_json_offset(a->piece, r));
        return;
    }
    const key_head head = {.use = local ? ASYNC_LOCAL : ASYNC_GLOBAL,
                           .category = e->category,
                           .owner = local ? upid : 0,
                           .kind = id.kind,
                           .number = id.kind == PF_JSON_ID_INT ? id.number : 0};
    uint32_t row = find_operation(a, &head, &id, upid);
    if (row == PF_NONE) {
        return;
    }
    pf_json_operation *operation = &a->async.list[row];
    e->track = operation->track;
    if ((e->name || e->phase != 'n') && e->ts >= 0 && e->ts < operation->named_at) {
        operation->named_at = e->ts;
        a->t->tracks.name[e->track] = e->name;
    }
}

void pf_json_group_async(pf_json_applier *a)
{
    pf_trace *t = a->t;
    pf_map groups;
    pf_map_init(&groups, &t->budget);
    for (uint32_t i = 0; i < a->async.count; i++) {
        uint32_t track = a->async.list[i].track;
        uint32_t upid = t->tracks.upid[track];
        uint64_t key = (uint64_t)(upid == PF_NONE ? 0 : upid + 1) << 32 | t->tracks.name[track];
        uint32_t group = pf_map_get(&groups, key);
        if (group != PF_NONE) {
            t->tracks.group[track] = group;
        } else {
            pf_json_put(a, &groups, key, track);
        }
    }
    pf_map_free(&groups);
}

static bool flow_number(const pf_json_id *id, uint64_t *out)
{
    if (id->kind == PF_JSON_ID_INT) {
        *out = (uint64_t)id->number;
        return true;
    }
    return id->kind == PF_JSON_ID_TEXT && pf_parse_hex((const char *)id->ptr, id->len, out);
}

/* What makes an arrow differ from all others. In most files arrows are of one kind and their ids not far apart: these
 * are numbers already, and made the odd ones. All other arrows have the even numbers of their keys. */
static uint64_t number_arrow(pf_json_applier *a, const pf_event *e, uint64_t id)
{
    uint64_t kind = (uint64_t)e->category << 32 | e->name;
    if (a->arrows.kind == 0) {
        a->arrows.kind = kind;
        a->arrows.least = id;
    }
    if (kind && kind == a->arrows.kind && id - a->arrows.least < ARROWS_NUMBERED) {
        return 2 * (id - a->arrows.least) + 1; /* by the distance of their ids */
    }
    const key_head head = {
        .use = FLOW, .category = e->category, .owner = e->name, .kind = PF_JSON_ID_INT, .number = (int64_t)id};
    return 2 * (uint64_t)key_number(a, &head, NULL);
}

static void add_flow(pf_json_applier *a, uint64_t id, pf_flow_kind kind)
{
    if (a->err->code == PF_OK) {
        pf_trace_add_event_flow(a->t, id, kind, a->err);
    }
}

void pf_json_apply_flow(pf_json_applier *a, const pf_json_record *r, const pf_event *e)
{
    uint64_t id;
    const pf_json_id own = pf_json_id_of(a->piece, r);
    if (flow_number(&own, &id)) {
        add_flow(a, a->flow_base + number_arrow(a, e, id), arrow_kind(r));
    } else {
        pf_trace_count(a->t, PF_STAT_FLOW_INVALID_ID, pf_json_offset(a->piece, r));
    }
}

void pf_json_apply_bind(pf_json_applier *a, const pf_json_record *r)
{
    uint64_t number;
    const pf_json_id *id = &pf_json_rare_of(a->piece, r)->bind_id;
    bool in = r->flags & PF_JSON_FLOW_IN, out = r->flags & PF_JSON_FLOW_OUT;
    if (id->kind == PF_JSON_ID_ABSENT || !flow_number(id, &number)) {
        return;
    }
    if (in || out) {
        add_flow(a, number, in && out ? PF_FLOW_BIND_STEP : out ? PF_FLOW_BIND_START : PF_FLOW_BIND_END);
    } else {
        pf_trace_count(a->t, PF_STAT_FLOW_WITHOUT_DIRECTION, pf_json_offset(a->piece, r));
    }
}

static void note_id(pf_json_applier *a, uint32_t track, pf_str key, const pf_json_id *id)
{
    const pf_value v = {.type = PF_VALUE_INT, .as.i = id->number};
    if (id->kind == PF_JSON_ID_INT && a->err->code == PF_OK) {
        pf_trace_add_row_arg(a->t, PF_OWNER_TRACK_SOURCE, track, key, &v, a->err);
    }
}

void pf_json_note_ids(pf_json_applier *a, const pf_json_ids *ids, uint32_t *track)
{
    int64_t numbers[2] = {ids->pid.number, ids->tid.number};
    const key_head head = {.use = NOTE, .category = *track, .kind = (uint32_t)(ids->pid.kind * 4 + ids->tid.kind)};
    const pf_json_id text = {.ptr = (const uint8_t *)numbers, .len = sizeof numbers};
    uint32_t key = key_number(a, &head, &text);
    uint32_t note = key == PF_NONE ? PF_NONE : pf_map_get(&a->notes, key);
    if (key != PF_NONE && note == PF_NONE) {
        const pf_track_row row = {.type = PF_TRACK_THREAD_EXECUTION,
                                  .upid = a->t->tracks.upid[*track],
                                  .utid = a->t->tracks.utid[*track],
                                  .parent = *track,
                                  .group = PF_NONE};
        note = pf_json_track(a, &row);
        note_id(a, note, PF_STR("pid"), &ids->pid);
        note_id(a, note, PF_STR("tid"), &ids->tid);
        pf_json_put(a, &a->notes, key, note);
    }
    *track = note;
}
