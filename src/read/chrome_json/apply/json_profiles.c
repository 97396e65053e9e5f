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
#include "base/text/number.h"
#include "read/chrome_json/apply/json_applier.h"
#include "read/chrome_json/apply/json_args.h"

/* Where a visit is. */
typedef enum place { OUTSIDE, ARGS, DATA, PROFILE, NODES, NODE, SAMPLES, DELTAS } place;

typedef struct visit {
    pf_json_applier *a;
    place at[8];
    size_t depth, below; /* levels that are open: known ones, and those inside of an unknown one */
    uint32_t session;    /* PF_NONE: of a Profile */
    int64_t start;
    bool has_start, bad;
    bool has_id, has_parent;
    int64_t id, parent;
} visit;

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

static void add_number(pf_json_applier *a, pf_json_numbers *n, int64_t number)
{
    if (a->err->code == PF_OK && PF_LIST_ROOM(&a->t->budget, n->list, n->count + 1, n->room, a->err) == PF_OK) {
        n->list[n->count++] = number;
    }
}

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
    session = (uint32_t)a->profiles.times.count;
    add_number(a, &a->profiles.times, 0);
    pf_json_put(a, &a->profiles.sessions, text, session);
    return a->err->code == PF_OK ? session : PF_NONE;
}

/* ---- what an event says ------------------------------------------------------------------------------------------ */

static place inside(place at, pf_str key, bool list)
{
    if (at == ARGS && !list && pf_str_is(key, "data")) {
        return DATA;
    }
    if (at == DATA) {
        return !list && pf_str_is(key, "cpuProfile")  ? PROFILE
               : list && pf_str_is(key, "timeDeltas") ? DELTAS
                                                      : OUTSIDE;
    }
    if (at == PROFILE && list) {
        return pf_str_is(key, "nodes") ? NODES : pf_str_is(key, "samples") ? SAMPLES : OUTSIDE;
    }
    return at == NODES && !list ? NODE : OUTSIDE;
}

static pf_status begin(void *ctx, pf_str key, bool list)
{
    visit *v = ctx;
    place at = v->at[v->depth], to = v->below ? OUTSIDE : inside(at, key, list);
    v->bad |= at == SAMPLES || at == DELTAS;
    if (to == OUTSIDE) {
        v->below++;
        return PF_OK;
    }
    v->at[++v->depth] = to;
    v->has_id = v->has_parent = false;
    return PF_OK;
}

static bool is_node_id(int64_t id)
{
    return id >= 0 && id <= UINT32_MAX;
}

static uint64_t node_key(uint32_t session, int64_t id)
{
    return (uint64_t)session << 32 | (uint32_t)id;
}

static bool is_known(const visit *v, int64_t id)
{
    return is_node_id(id) && pf_map_get(&v->a->profiles.nodes, node_key(v->session, id)) != PF_NONE;
}

/* A node counts if what called it is known. */
static pf_status end(void *ctx)
{
    visit *v = ctx;
    if (v->below) {
        v->below--;
        return PF_OK;
    }
    place at = v->at[v->depth];
    v->depth -= v->depth ? 1u : 0u;
    if (at != NODE || v->session == PF_NONE || !v->has_id || !is_node_id(v->id) ||
        (v->has_parent && !is_known(v, v->parent))) {
        return PF_OK;
    }
    pf_json_put(v->a, &v->a->profiles.nodes, node_key(v->session, v->id), 1);
    return v->a->err->code;
}

/* A number without its fraction. */
static bool whole(const pf_value *value, int64_t *out)
{
    *out = value->type == PF_VALUE_INT ? value->as.i : 0;
    if (value->type == PF_VALUE_REAL && value->as.d > -0x1p62 && value->as.d < 0x1p62) {
        *out = (int64_t)value->as.d;
        return true;
    }
    return value->type == PF_VALUE_INT;
}

static pf_status take(void *ctx, pf_str key, const pf_value *value)
{
    visit *v = ctx;
    int64_t number;
    bool good = whole(value, &number);
    if (v->below) {
        return PF_OK;
    }
    switch (v->at[v->depth]) {
    case DATA:
        if (pf_str_is(key, "startTime")) {
            v->has_start = good;
            v->start = number;
        }
        return PF_OK;
    case NODE:
        if (pf_str_is(key, "id")) {
            v->has_id = value->type == PF_VALUE_INT;
            v->id = number;
        } else if (pf_str_is(key, "parent")) {
            v->has_parent = value->type == PF_VALUE_INT;
            v->parent = number;
        }
        return PF_OK;
    case SAMPLES:
        v->bad |= value->type != PF_VALUE_INT;
        add_number(v->a, &v->a->profiles.samples, number);
        return v->a->err->code;
    case DELTAS:
        v->bad |= !good;
        add_number(v->a, &v->a->profiles.deltas, number);
        return v->a->err->code;
    default:
        return PF_OK;
    }
}

/* Samples of unknown nodes pass the time. */
static void count_samples(visit *v)
{
    const pf_json_numbers *samples = &v->a->profiles.samples, *deltas = &v->a->profiles.deltas;
    int64_t *time = &v->a->profiles.times.list[v->session], ns;
    if (v->bad || samples->count != deltas->count) {
        return;
    }
    for (size_t i = 0; i < samples->count; i++) {
        if (__builtin_add_overflow(*time, deltas->list[i], time)) {
            return;
        }
        if (is_known(v, samples->list[i]) && !__builtin_mul_overflow(*time, 1000, &ns) && ns >= 0) {
            pf_trace_cover(v->a->t, ns, ns);
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
    visit v = {.a = a, .at = {ARGS}, .session = chunk ? find_session(a, r, upid, false) : PF_NONE};
    const pf_arg_visitor visitor = {&v, begin, end, take, false};
    if (chunk && v.session == PF_NONE) {
        return;
    }
    a->profiles.samples.count = a->profiles.deltas.count = 0;
    if (pf_json_visit_object(a->piece->base + r->args, r->args_len, (pf_str){NULL, 0}, &visitor, a->err) != PF_OK) {
        return;
    }
    uint32_t started = !chunk && v.has_start ? find_session(a, r, upid, true) : PF_NONE;
    if (chunk) {
        count_samples(&v);
    } else if (started != PF_NONE) {
        a->profiles.times.list[started] = v.start;
    }
}
