/* json/fast/record_event.c - the parts of keeping an event that few events need.
 *
 * Long texts are looked for among those of the same piece only, where the bytes to compare with are at hand. They are
 * distinguished by their first and last words, and compared as a whole before they count as equal.
 */
#include "json/fast/record_event.h"

static uint32_t append_text(pf_json_piece *piece, const pf_json_text *text)
{
    uint32_t i = piece->other_count++;
    piece->other[i] = (pf_json_other_text){*text, 0};
    return PF_JSON_TEXTS + 1 + i;
}

uint32_t pf_json_list_text(pf_json_piece *piece, const pf_json_text *text)
{
    if (text->len <= PF_JSON_SHORT_TEXT) {
        return append_text(piece, text);
    }
    pf_json_words head = pf_json_load_words(text->ptr, PF_JSON_SHORT_TEXT);
    pf_json_words tail = pf_json_load_words(text->ptr + text->len - PF_JSON_SHORT_TEXT, PF_JSON_SHORT_TEXT);
    uint32_t h = pf_json_hash_words(&head, text->len) ^ pf_json_hash_words(&tail, 0);
    pf_json_long_text *place = &piece->longs[h % PF_JSON_LONGS];
    if (place->used == piece->number) {
        const pf_json_text *known = &piece->other[place->other].text;
        if (known->len == text->len && known->escaped == text->escaped && !text->escaped &&
            memcmp(known->ptr, text->ptr, text->len) == 0) {
            return PF_JSON_TEXTS + 1 + place->other;
        }
    }
    uint32_t ref = append_text(piece, text);
    *place = (pf_json_long_text){piece->number, ref - PF_JSON_TEXTS - 1};
    return ref;
}

uint32_t pf_json_list_thread(pf_json_piece *piece, const pf_json_id *pid, const pf_json_id *tid)
{
    uint32_t i = PF_JSON_THREADS + piece->thread_count++;
    piece->threads[i] = (pf_json_ids){.pid = *pid, .tid = *tid};
    return i;
}

/* Whether two ids have the same spelling; it is in this piece. */
static bool same_spelling(const pf_json_id *a, const pf_json_id *b)
{
    return a->kind == b->kind && a->number == b->number && a->len == b->len && a->escaped == b->escaped &&
           (a->len == 0 || memcmp(a->ptr, b->ptr, a->len) == 0);
}

static uint64_t hash_spelling(const pf_json_id *id)
{
    uint64_t last = id->len >= 8 ? pf_json_load8(id->ptr + id->len - 8) : 0;
    return (uint64_t)id->number ^ (last * 0x9e3779b97f4a7c15ull) ^ id->len;
}

uint32_t pf_json_refer_spelled_thread(pf_json_piece *piece, const pf_json_id *pid, const pf_json_id *tid)
{
    uint64_t h = hash_spelling(pid) * 0x9e3779b97f4a7c15ull + hash_spelling(tid) * 0xc4ceb9fe1a85ec53ull;
    uint32_t place = (uint32_t)(h >> 32) % PF_JSON_THREADS;
    pf_json_ids *k = &piece->threads[place];
    if (piece->thread_used[place] != piece->number) {
        *k = (pf_json_ids){.pid = *pid, .tid = *tid};
        piece->thread_used[place] = piece->number;
        return place;
    }
    return same_spelling(&k->pid, pid) && same_spelling(&k->tid, tid) ? place : pf_json_list_thread(piece, pid, tid);
}

uint32_t pf_json_list_rare(pf_json_piece *piece, const pf_json_event *e)
{
    uint32_t i = ++piece->rare_count;
    piece->rare[i] = e->rare;
    return i;
}

void pf_json_note_faults(pf_json_piece *piece, const pf_json_event *e)
{
    uint64_t offset = piece->offset + (uint64_t)(e->start - piece->base);
    if (e->flags & PF_JSON_ARGS_LOST) {
        pf_json_fault(&piece->faults, PF_STAT_JSON_ARGS_DROPPED, offset);
    }
    if (e->foreign) {
        pf_json_fault(&piece->faults, PF_STAT_JSON_BAD_VALUE, offset);
        piece->faults.count[PF_STAT_JSON_BAD_VALUE] += e->foreign - 1;
    }
}

void pf_json_keep_event(pf_json_piece *piece, const pf_json_event *e, bool empty)
{
    pf_json_keep(piece, e, empty);
}
