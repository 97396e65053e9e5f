/* read/perfetto/descriptors/track_args.c - arguments of tracks.
 *
 * A track's columns tell its uuid, scope and unit; the rest of what a descriptor says (a description, an order, the
 * categories of a counter) is rare and becomes row arguments. Siblings that merge are keyed by their parent and by name
 * or key; since that is equal for the whole group it is noted once, on the row that names the group. So a trace with a
 * uuid per operation costs nothing per operation.
 */
#include <stdio.h>

#include "base/str.h"
#include "perfetto/fields.h"
#include "read/perfetto/descriptors/descriptors.h"

static void add_group(pf_import *im, const pf_uuid_track *s)
{
    const pf_owner owner = PF_OWNER_TRACK_DIMENSION;
    bool by_key = s->merge == PF_MERGE_BY_KEY, by_number = by_key && s->key_kind == PF_KEY_NUMBER;
    char number[64];
    pf_str key = {number, 0};
    if (by_number) {
        key.len = (size_t)snprintf(number, sizeof number, "sibling_merge_key_int:%llu", (unsigned long long)s->key);
    } else {
        uint32_t id = s->merge == PF_MERGE_BY_NAME ? s->name : s->key_kind == PF_KEY_TEXT ? (uint32_t)s->key : 0;
        key = pf_strings_get(&im->t->strings, id);
    }
    pf_import_arg_int(im, owner, s->row, "parent_track_uuid", (int64_t)s->parent);
    pf_import_arg_int(im, owner, s->row, "merge_key_type", by_key ? 2 : 0);
    pf_import_arg_text(im, owner, s->row, "merge_key_value", key);
}

/* A text that says something. */
static void add_text(pf_import *im, const pf_uuid_track *s, const char *key, pf_str text)
{
    if (text.ptr) {
        pf_import_arg_text(im, PF_OWNER_TRACK_SOURCE, s->row, key, text);
    }
}

static void add_id(pf_import *im, const pf_uuid_track *s, const char *key, uint32_t string)
{
    add_text(im, s, key, pf_strings_get(&im->t->strings, string));
}

static void add_word(pf_import *im, const pf_uuid_track *s, const char *key, const char *word)
{
    add_text(im, s, key, (pf_str){word, word ? strlen(word) : 0});
}

static bool began_at_first_packet(const pf_sequences *sequences, uint32_t sequence)
{
    uint32_t i = pf_map_get(&sequences->by_id, sequence);
    return i != PF_NONE && sequences->list[i].has_first_packet;
}

static void add_source(pf_import *im, const pf_uuid_track *s)
{
    static const char *const types[] = {NULL, "thread_time", "thread_instruction_count"};
    static const char *const orders[] = {NULL, "lexicographic", "chronological", "explicit"};
    if (s->content == PF_CONTENT_COUNTER) {
        add_id(im, s, "category", s->categories);
        add_word(im, s, "builtin_counter_type", types[s->counter_type]);
        add_id(im, s, "y_axis_share_key", s->share_key);
    }
    if (s->uuid != 0 && began_at_first_packet(&im->sequences, s->sequence)) { /* uuid 0 is of no sequence */
        const pf_value yes = {.type = PF_VALUE_BOOL, .as.b = true};
        pf_import_arg(im, PF_OWNER_TRACK_SOURCE, s->row, PF_STR("has_first_packet_on_sequence"), yes);
    }
    add_word(im, s, "child_ordering", orders[s->child_ordering]);
    if (s->has_rank) {
        pf_import_arg_int(im, PF_OWNER_TRACK_SOURCE, s->row, "sibling_order_rank", s->rank);
    }
    add_id(im, s, "description", s->description);
}

/* Where the descriptor of uuid 0 says so, the ranks of processes and threads are their order. */
static void add_sort_hints(pf_import *im)
{
    const pf_uuid_tracks *u = &im->tracks;
    uint32_t root = pf_map_get(&u->by_uuid, 0);
    for (uint32_t i = 0; root != PF_NONE && i < u->count; i++) {
        const pf_uuid_track *s = &u->list[i];
        if (!s->has_rank) {
            continue;
        }
        if (s->scope == PF_SCOPE_PROCESS && s->upid != PF_NONE && u->list[root].orders_processes) {
            pf_import_arg_int(im, PF_OWNER_PROCESS, s->upid, "process_sort_index_hint", s->rank);
        } else if (s->scope == PF_SCOPE_THREAD && s->utid != PF_NONE && u->list[root].orders_threads) {
            pf_import_arg_int(im, PF_OWNER_THREAD, s->utid, "thread_sort_index_hint", s->rank);
        }
    }
}

pf_status pf_import_track_args(pf_import *im)
{
    const pf_uuid_tracks *u = &im->tracks;
    add_sort_hints(im);
    for (uint32_t i = 0; i < u->count && !pf_import_failed(im); i++) {
        const pf_uuid_track *s = &u->list[i];
        if (s->row == PF_NONE || s->broken || (s->scope == PF_SCOPE_THREAD && !s->own_track)) {
            continue;
        }
        if (u->t->tracks.group[s->row] == s->row) {
            add_group(im, s);
        }
        add_source(im, s);
    }
    return im->err->code;
}
