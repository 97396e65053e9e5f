/* read/chrome_json/apply/json_profiles.c - the samples of V8's CPU profiler, as far as the bounds of a trace count
 * them.
 *
 * An event Profile says when a profile began, args.data.startTime in microseconds. Events ProfileChunk with its process
 * and id bring nodes of the tree of calls (args.data.cpuProfile.nodes) and samples: the node that ran
 * (cpuProfile.samples), and how long after the sample before (timeDeltas, next to cpuProfile). No table has a row for
 * them. What Perfetto's engine does not take for a sample does not count here either: docs/reference/perfetto.md,
 * "Samples of V8".
 */
#include "base/list.h"
#include "base/str.h"
#include "postfetto/document.h"
#include "read/chrome_json/apply/json_applier.h"

/* An id is a number, or its hexadecimal digits as a text. */
static bool number_of(const pf_json_id *id, uint64_t *number)
{
    pf_str digits = {(const char *)id->ptr, id->len};
    *number = (uint64_t)id->number;
    if (id->kind != PF_JSON_ID_TEXT) {
        return id->kind == PF_JSON_ID_INT;
    }
    bool marked = digits.len > 2 && digits.ptr[0] == '0' && (digits.ptr[1] | 32) == 'x';
    digits = marked ? (pf_str){digits.ptr + 2, digits.len - 2} : digits;
    *number = 0;
    for (size_t i = 0; i < digits.len; i++) {
        unsigned digit = pf_hex_value(digits.ptr[i]);
        if (digit >= 16 || i == 16) {
            return false;
        }
        *number = *number << 4 | digit;
    }
    return digits.len > 0;
}

/* The session of a record, PF_NONE if it names none or, where `add` is not set, one that is not known. */
static uint32_t find_session(pf_json_applier *a, const pf_json_record *r, uint32_t upid, bool add)
{
    pf_json_id id = pf_json_id_of(a->piece, r);
    struct {
        char use[4];
        uint32_t upid;
        uint64_t number;
    } key = {.use = "v8", .upid = upid};
    uint32_t text = number_of(&id, &key.number) ? pf_json_key_number(a, &key, sizeof key) : PF_NONE;
    uint32_t session = text == PF_NONE ? PF_NONE : pf_map_get(&a->profiles.sessions, text);
    if (text == PF_NONE || session != PF_NONE || !add) {
        return session;
    }
    session = a->profiles.count;
    if (PF_LIST_ROOM(&a->t->budget, a->profiles.times, session + 1, a->profiles.room, a->err) == PF_OK) {
        a->profiles.times[a->profiles.count++] = 0;
        pf_json_put(a, &a->profiles.sessions, text, session);
    }
    return a->err->code == PF_OK ? session : PF_NONE;
}

static bool is_node_id(int64_t id)
{
    return id >= 0 && id <= UINT32_MAX;
}

static uint64_t node_key(uint32_t session, int64_t id)
{
    return (uint64_t)session << 32 | (uint32_t)id;
}

static bool is_known(const pf_json_applier *a, uint32_t session, int64_t id)
{
    return is_node_id(id) && pf_map_get(&a->profiles.nodes, node_key(session, id)) != PF_NONE;
}

/* The member of an object, if it is of that type. */
static const pf_node *member(const pf_node *object, const char *key, pf_node_type type)
{
    const pf_node *n = object && object->type == PF_NODE_OBJECT ? pf_node_get(object, key) : NULL;
    return n && n->type == type ? n : NULL;
}

/* A number without its fraction. */
static bool whole(const pf_node *n, int64_t *out)
{
    bool real = n->type == PF_NODE_REAL && n->as.d > -0x1p62 && n->as.d < 0x1p62;
    *out = real ? (int64_t)n->as.d : n->type == PF_NODE_INT ? n->as.i : 0;
    return real || n->type == PF_NODE_INT;
}

/* A node counts if what called it is known. */
static void take_nodes(pf_json_applier *a, uint32_t session, const pf_node *nodes)
{
    for (const pf_node *n = nodes ? nodes->first : NULL; n; n = n->next) {
        const pf_node *id = member(n, "id", PF_NODE_INT), *parent = member(n, "parent", PF_NODE_INT);
        if (id && is_node_id(id->as.i) && (!parent || is_known(a, session, parent->as.i))) {
            pf_json_put(a, &a->profiles.nodes, node_key(session, id->as.i), 1);
        }
    }
}

/* Samples of unknown nodes pass the time. */
static void count_samples(pf_json_applier *a, uint32_t session, const pf_node *samples, const pf_node *deltas)
{
    int64_t *time = &a->profiles.times[session], delta, ns;
    if (!samples || !deltas || samples->children != deltas->children) {
        return;
    }
    for (const pf_node *s = samples->first, *d = deltas->first; s; s = s->next, d = d->next) {
        if (s->type != PF_NODE_INT || !whole(d, &delta)) {
            return;
        }
    }
    for (const pf_node *s = samples->first, *d = deltas->first; s; s = s->next, d = d->next) {
        if (!whole(d, &delta) || __builtin_add_overflow(*time, delta, time)) {
            return;
        }
        if (is_known(a, session, s->as.i) && !__builtin_mul_overflow(*time, 1000, &ns) && ns >= 0) {
            pf_trace_cover(a->t, ns, ns);
        }
    }
}

void pf_json_apply_profile(pf_json_applier *a, const pf_json_record *r, uint32_t upid)
{
    pf_str name = pf_json_name_of(a->piece, r);
    bool chunk = pf_str_is(name, "ProfileChunk");
    if ((!chunk && !pf_str_is(name, "Profile")) || r->args_len == 0 || !(r->flags & PF_JSON_HAS_TS)) {
        return;
    }
    uint32_t session = chunk ? find_session(a, r, upid, false) : PF_NONE;
    if (chunk && session == PF_NONE) {
        return;
    }
    pf_document *d = NULL;
    pf_error why = {0};
    if (pf_json_parse((pf_str){(const char *)a->piece->base + r->args, r->args_len}, NULL, &d, &why) != PF_OK) {
        if (why.code == PF_ERR_MEMORY) {
            pf_no_memory(a->err);
        }
        return;
    }
    const pf_node *data = member(pf_document_root(d), "data", PF_NODE_OBJECT);
    const pf_node *profile = member(data, "cpuProfile", PF_NODE_OBJECT),
                  *from = data ? pf_node_get(data, "startTime") : NULL;
    int64_t start;
    if (chunk) {
        take_nodes(a, session, member(profile, "nodes", PF_NODE_LIST));
        count_samples(a, session, member(profile, "samples", PF_NODE_LIST), member(data, "timeDeltas", PF_NODE_LIST));
    } else if (from && whole(from, &start) && (session = find_session(a, r, upid, true)) != PF_NONE) {
        a->profiles.times[session] = start;
    }
    pf_document_free(d);
}
