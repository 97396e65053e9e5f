/* read/chrome_json/apply/json_applier.c - the state that applying records needs, and what all parts of it use: texts as
 * strings of the trace, members of records, scratch memory.
 */
#include "read/chrome_json/apply/json_applier.h"

#include "base/list.h"
#include "base/text/json_text.h"
#include "read/chrome_json/apply/json_args.h"

enum { MAPS = 9 };

static void list_maps(pf_json_applier *a, pf_map *maps[MAPS])
{
    pf_map *const all[MAPS] = {
        &a->process_instants, &a->counters,      &a->operations,    &a->notes, &a->profiles.sessions,
        &a->profiles.nodes,   &a->sort_index[0], &a->sort_index[1], &a->named};
    memcpy(maps, all, sizeof all);
}

pf_status pf_json_applier_init(pf_json_applier *a, pf_trace *t, bool recognise, pf_error *err)
{
    pf_map *maps[MAPS];
    a->t = t;
    a->err = err;
    a->recognise = recognise;
    a->decoder = pf_trace_add_decoder(t, pf_json_decode_args, NULL);
    t->finder[a->decoder] = pf_json_find_args;
    a->global_instants = PF_NONE;
    list_maps(a, maps);
    for (size_t i = 0; i < MAPS; i++) {
        pf_map_init(maps[i], &t->budget);
    }
    a->flow_base = (uint64_t)t->events.count << 32;
    a->first_stack = t->sides.known[PF_SIDE_EVENT_STACK].count;
    a->first_entry = t->metadata.count;
    uint32_t unnamed = pf_json_string(a, PF_STR("[No name]"));
    if (unnamed == PF_NONE || a->decoder == PF_NONE) {
        return unnamed == PF_NONE ? err->code : pf_trace_no_decoder(err);
    }
    t->unnamed_slice = unnamed;
    return PF_OK;
}

void pf_json_applier_free(pf_json_applier *a)
{
    pf_map *maps[MAPS];
    list_maps(a, maps);
    for (size_t i = 0; i < MAPS; i++) {
        pf_map_free(maps[i]);
    }
    PF_LIST_FREE(&a->t->budget, a->profiles.times, a->profiles.room);
    PF_LIST_FREE(&a->t->budget, a->async.list, a->async.room);
    PF_LIST_FREE(&a->t->budget, a->naming.ts, a->naming.room);
    pf_strings_free(&a->keys);
    pf_buffer_free(&a->note);
    PF_LIST_FREE(&a->t->budget, a->scratch, a->scratch_room);
}

uint32_t pf_json_key_number(pf_json_applier *a, const void *key, size_t len)
{
    bool made = a->keys.count > 0 || pf_strings_init(&a->keys, &a->t->budget, a->err) == PF_OK;
    return made ? pf_strings_add(&a->keys, key, len, a->err) : PF_NONE;
}

char *pf_json_scratch(pf_json_applier *a, size_t len)
{
    return PF_LIST_ROOM(&a->t->budget, a->scratch, len, a->scratch_room, a->err) == PF_OK ? a->scratch : NULL;
}

uint32_t pf_json_intern(pf_json_applier *a, const pf_json_text *text, uint64_t offset)
{
    if (text->len == 0) {
        return 0;
    }
    if (!text->escaped) {
        return pf_strings_add(&a->t->strings, (const char *)text->ptr, text->len, a->err);
    }
    char *plain = pf_json_scratch(a, text->len);
    if (!plain) {
        return PF_NONE;
    }
    unsigned lone = 0;
    size_t len = pf_json_unescape(text->ptr, text->len, plain, &lone);
    for (; lone > 0; lone--) {
        pf_trace_count(a->t, PF_STAT_JSON_BAD_VALUE, offset);
    }
    return len ? pf_strings_add(&a->t->strings, plain, len, a->err) : 0;
}

uint32_t pf_json_string(pf_json_applier *a, pf_str text)
{
    return pf_strings_add(&a->t->strings, text.ptr, text.len, a->err);
}

void pf_json_put(pf_json_applier *a, pf_map *map, uint64_t key, uint32_t value)
{
    if (a->err->code == PF_OK && !pf_map_set(map, key, value)) {
        pf_budget_refused(&a->t->budget, 1u << 12, a->err);
    }
}

uint32_t pf_json_track(pf_json_applier *a, const pf_track_row *row)
{
    return a->err->code == PF_OK ? pf_trace_add_track(a->t, row, a->err) : PF_NONE;
}

uint32_t pf_json_side_row(pf_json_applier *a, pf_side_id table)
{
    pf_side_table *s = &a->t->sides.known[table];
    return a->err->code == PF_OK && pf_side_add_row(s, a->err) == PF_OK ? s->count - 1 : PF_NONE;
}
