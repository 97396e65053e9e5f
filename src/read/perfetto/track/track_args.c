/* read/perfetto/track/track_args.c - arguments of tracks.
 *
 * A track's columns tell its uuid, scope and unit; the rest of what a descriptor says (a description, an order, the
 * categories of a counter) is rare and becomes row arguments. Siblings that merge are keyed by their parent and by name
 * or key; since that is equal for the whole group it is noted once, on the row that names the group. So a trace with a
 * uuid per operation costs nothing per operation.
 */
#include "read/perfetto/track/track_args.h"

#include <stdio.h>
#include <string.h>

#include "perfetto/fields.h"

typedef struct adder {
    pf_trace *t;
    uint32_t row;
    pf_error *err;
} adder;

static pf_status add(const adder *a, pf_owner owner, const char *key, const pf_value *v)
{
    return pf_trace_add_row_arg(a->t, owner, a->row, (pf_str){key, strlen(key)}, v, a->err);
}

static pf_status add_int(const adder *a, pf_owner owner, const char *key, int64_t number)
{
    const pf_value v = {.type = PF_VALUE_INT, .as.i = number};
    return add(a, owner, key, &v);
}

static pf_status add_text(const adder *a, pf_owner owner, const char *key, pf_str text)
{
    const pf_value v = {.type = PF_VALUE_STRING, .as.s = text};
    return add(a, owner, key, &v);
}

static pf_status add_id(const adder *a, const char *key, uint32_t string)
{
    return string ? add_text(a, PF_OWNER_TRACK_SOURCE, key, pf_strings_get(&a->t->strings, string)) : PF_OK;
}

/* ---- dimensions of a group --------------------------------------------------------------------------------------- */

static pf_status add_key(const adder *a, const pf_uuid_track *s)
{
    char number[64];
    pf_str text = {NULL, 0};
    uint32_t string = s->merge == PF_MERGE_BY_NAME ? s->name : s->key_kind == PF_KEY_TEXT ? (uint32_t)s->key : 0;
    if (s->merge == PF_MERGE_BY_KEY && s->key_kind == PF_KEY_NUMBER) {
        int len = snprintf(number, sizeof number, "sibling_merge_key_int:%llu", (unsigned long long)s->key);
        text = (pf_str){number, (size_t)len};
    } else if (string) {
        text = pf_strings_get(&a->t->strings, string);
    }
    return add_text(a, PF_OWNER_TRACK_DIMENSION, "merge_key_value", text);
}

static pf_status add_group(const adder *a, const pf_uuid_track *s)
{
    pf_status st = add_int(a, PF_OWNER_TRACK_DIMENSION, "parent_track_uuid", (int64_t)s->parent);
    if (st == PF_OK) {
        st = add_int(a, PF_OWNER_TRACK_DIMENSION, "merge_key_type", s->merge == PF_MERGE_BY_KEY ? 2 : 0);
    }
    return st == PF_OK ? add_key(a, s) : st;
}

/* ---- what the descriptor said ------------------------------------------------------------------------------------ */

static pf_status add_counter(const adder *a, const pf_uuid_track *s)
{
    static const char *const types[] = {NULL, "thread_time", "thread_instruction_count"};
    pf_status st = add_id(a, "category", s->categories);
    if (st == PF_OK && types[s->counter_type]) {
        const char *name = types[s->counter_type];
        st = add_text(a, PF_OWNER_TRACK_SOURCE, "builtin_counter_type", (pf_str){name, strlen(name)});
    }
    return st == PF_OK ? add_id(a, "y_axis_share_key", s->share_key) : st;
}

static pf_status add_order(const adder *a, const pf_uuid_track *s)
{
    static const char *const orders[] = {NULL, "lexicographic", "chronological", "explicit"};
    const char *name = orders[s->child_ordering];
    pf_status st = PF_OK;
    if (name) {
        st = add_text(a, PF_OWNER_TRACK_SOURCE, "child_ordering", (pf_str){name, strlen(name)});
    }
    return st == PF_OK && s->has_rank ? add_int(a, PF_OWNER_TRACK_SOURCE, "sibling_order_rank", s->rank) : st;
}

static bool began_at_first_packet(const pf_sequences *sequences, uint32_t sequence)
{
    uint32_t i = pf_map_get(&sequences->by_id, sequence);
    return i != PF_NONE && sequences->list[i].has_first_packet;
}

static pf_status add_source(const adder *a, const pf_uuid_track *s, const pf_sequences *sequences)
{
    pf_status st = s->content == PF_CONTENT_COUNTER ? add_counter(a, s) : PF_OK;
    if (st == PF_OK && s->uuid != 0 && began_at_first_packet(sequences, s->sequence)) { /* uuid 0 is of no sequence */
        const pf_value yes = {.type = PF_VALUE_BOOL, .as.b = true};
        st = add(a, PF_OWNER_TRACK_SOURCE, "has_first_packet_on_sequence", &yes);
    }
    if (st == PF_OK) {
        st = add_order(a, s);
    }
    return st == PF_OK ? add_id(a, "description", s->description) : st;
}

/* Where the descriptor of uuid 0 says so, the ranks of processes and threads are their order. */
static pf_status add_sort_hints(const pf_uuid_tracks *u, pf_error *err)
{
    uint32_t root = pf_map_get(&u->by_uuid, 0);
    pf_status st = PF_OK;
    for (uint32_t i = 0; root != PF_NONE && i < u->count && st == PF_OK; i++) {
        const pf_uuid_track *s = &u->list[i];
        const pf_value rank = {.type = PF_VALUE_INT, .as.i = s->rank};
        if (!s->has_rank) {
            continue;
        }
        if (s->scope == PF_SCOPE_PROCESS && s->upid != PF_NONE && u->list[root].orders_processes) {
            st = pf_trace_add_row_arg(u->t, PF_OWNER_PROCESS, s->upid, PF_STR("process_sort_index_hint"), &rank, err);
        } else if (s->scope == PF_SCOPE_THREAD && s->utid != PF_NONE && u->list[root].orders_threads) {
            st = pf_trace_add_row_arg(u->t, PF_OWNER_THREAD, s->utid, PF_STR("thread_sort_index_hint"), &rank, err);
        }
    }
    return st;
}

pf_status pf_track_args_add(const pf_uuid_tracks *u, const pf_sequences *sequences, pf_error *err)
{
    pf_status st = add_sort_hints(u, err);
    for (uint32_t i = 0; i < u->count && st == PF_OK; i++) {
        const pf_uuid_track *s = &u->list[i];
        const adder a = {u->t, s->row, err};
        if (s->row == PF_NONE || s->broken || (s->scope == PF_SCOPE_THREAD && !s->own_track)) {
            continue;
        }
        if (u->t->tracks.group[s->row] == s->row) {
            st = add_group(&a, s);
        }
        if (st == PF_OK) {
            st = add_source(&a, s, sequences);
        }
    }
    return st;
}
