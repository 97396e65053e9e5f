/* read/tinygrad/tracks/tiny_track_rows.c - tracks with what they say of themselves, and names without the escape
 * sequences that colour them in a terminal. */
#include <string.h>

#include "read/tinygrad/tracks/tiny_tracks.h"

static pf_status describe(pf_tiny_tracks *l, uint32_t track, const char *key, const pf_value *v)
{
    return pf_trace_add_row_arg(l->t, PF_OWNER_TRACK_SOURCE, track, pf_str_of(key), v, l->p->err);
}

pf_status pf_tiny_add_track(pf_tiny_tracks *l, const pf_tiny_track *k, pf_map *tracks, uint64_t key, uint32_t *track)
{
    pf_track_row row = {.type = k->type,
                        .name = k->name,
                        .upid = k->upid,
                        .utid = PF_NONE,
                        .parent = k->parent,
                        .group = PF_NONE,
                        .unit = pf_tiny_word(l->p, k->unit)};
    PF_TRY(l->p->text_status);
    *track = pf_trace_add_track(l->t, &row, l->p->err);
    if (*track == PF_NONE) {
        return l->p->err->code;
    }
    if (k->ranked) {
        PF_TRY(describe(l, *track, "sibling_order_rank", &(pf_value){.type = PF_VALUE_INT, .as.i = k->rank}));
    }
    for (unsigned i = 0; i < 2 && k->detail[i].key; i++) {
        const pf_value text = {.type = PF_VALUE_STRING, .as.s = pf_str_of(k->detail[i].text)};
        PF_TRY(describe(l, *track, k->detail[i].key, &text));
    }
    bool good = !tracks || pf_map_set(tracks, key, *track);
    return good ? PF_OK : pf_budget_refused(&l->t->budget, 0, l->p->err);
}

pf_status pf_tiny_plain_name(pf_tiny_tracks *l, uint32_t name, uint32_t *plain)
{
    pf_str s = pf_trace_string(l->t, name);
    *plain = name;
    if (!s.ptr || !memchr(s.ptr, '\x1b', s.len)) {
        return PF_OK;
    }
    *plain = pf_map_get(&l->plain_of, name); /* each name is read once */
    if (*plain != PF_NONE) {
        return PF_OK;
    }
    char *text = pf_alloc(&l->t->budget, s.len);
    if (!text) {
        return pf_budget_refused(&l->t->budget, s.len, l->p->err);
    }
    *plain = pf_tiny_id(l->p, (pf_str){text, pf_str_without_colours(s, text, s.len)});
    pf_release(&l->t->budget, text, s.len);
    PF_TRY(l->p->text_status);
    return pf_map_set(&l->plain_of, name, *plain) ? PF_OK : pf_budget_refused(&l->t->budget, 0, l->p->err);
}
