/* json/fast/record_event.h - an event that was read becomes a record of the piece. */
#pragma once

#include "json/fast/byte_kernel.h"

/* record_event.c: texts that are long or have escapes, short ones that found no place; threads that found no place, or
 * whose ids are texts or numbers beyond 64 bits and are remembered within their piece only; faults. */
uint32_t pf_json_list_text(pf_json_piece *piece, const pf_json_text *text);
uint32_t pf_json_list_thread(pf_json_piece *piece, const pf_json_id *pid, const pf_json_id *tid);
uint32_t pf_json_refer_spelled_thread(pf_json_piece *piece, const pf_json_id *pid, const pf_json_id *tid);
uint32_t pf_json_list_rare(pf_json_piece *piece, const pf_json_event *e);
void pf_json_note_faults(pf_json_piece *piece, const pf_json_event *e);

/* A text of one to eight bytes: the other words of its entry are zero. */
static inline uint32_t pf_json_refer_tiny_text(pf_json_piece *piece, const pf_json_text *text)
{
    uint64_t w = pf_json_load8(text->ptr) & ~0ull >> (64 - 8 * text->len);
    uint32_t place = (uint32_t)((w * 0x9e3779b97f4a7c15ull) >> 32) % PF_JSON_TEXTS;
    pf_json_known_text *k = &piece->text[place];
    if (__builtin_expect(k->len != text->len || k->words.w[0] != w, 0)) {
        if (piece->text_used[place] == piece->number) {
            return pf_json_list_text(piece, text);
        }
        *k = (pf_json_known_text){.words.w[0] = w, .len = text->len};
        piece->text_id[place] = 0;
    }
    piece->text_used[place] = piece->number;
    return place + 1;
}

/* The place of a text of 9 to 32 bytes: by its first, middle and last eight. The same text may have another one
 * elsewhere. */
static inline uint32_t pf_json_text_place(const uint8_t *text, uint32_t len)
{
    uint32_t mixed = kernel_mix(pf_json_load8(text), pf_json_load8(text + len / 2 - 4), pf_json_load8(text + len - 8));
    return (uint32_t)(mixed * 0x9e3779b97f4a7c15ull >> 32) % PF_JSON_TEXTS;
}

/* The same where the text is not in its first place. */
static __attribute__((noinline)) uint32_t pf_json_refer_second(pf_json_piece *piece, const pf_json_text *text,
                                                               uint32_t place)
{
    place ^= 1;
    if (!kernel_text_is(&piece->text[place], text->ptr, text->len)) {
        if (piece->text_used[place ^ 1] != piece->number) {
            place ^= 1;
        } else if (piece->text_used[place] == piece->number) {
            return pf_json_list_text(piece, text);
        }
        piece->text[place] = (pf_json_known_text){pf_json_load_words(text->ptr, text->len), text->len};
        piece->text_id[place] = 0;
    }
    piece->text_used[place] = piece->number;
    return place + 1;
}

static inline __attribute__((always_inline)) uint32_t pf_json_refer_some_text(pf_json_piece *piece,
                                                                              const pf_json_text *text)
{
    if (text->len > PF_JSON_SHORT_TEXT || text->escaped) {
        return pf_json_list_text(piece, text);
    }
    if (text->len <= 8) {
        return pf_json_refer_tiny_text(piece, text);
    }
    uint32_t place = pf_json_text_place(text->ptr, text->len);
    if (__builtin_expect(!kernel_text_is(&piece->text[place], text->ptr, text->len), 0)) {
        return pf_json_refer_second(piece, text, place);
    }
    piece->text_used[place] = piece->number;
    return place + 1;
}

static inline uint32_t pf_json_refer_text(pf_json_piece *piece, const pf_json_text *text)
{
    return text->len ? pf_json_refer_some_text(piece, text) : 0;
}

static inline bool pf_json_id_is_plain(const pf_json_id *id)
{
    return id->kind != PF_JSON_ID_TEXT && id->kind != PF_JSON_ID_REAL;
}

static inline bool pf_json_same_plain(const pf_json_id *a, const pf_json_id *b)
{
    return a->number == b->number && a->kind == b->kind;
}

static inline uint32_t pf_json_refer_thread(pf_json_piece *piece, const pf_json_id *pid, const pf_json_id *tid)
{
    if (!pf_json_id_is_plain(pid) || !pf_json_id_is_plain(tid)) {
        return pf_json_refer_spelled_thread(piece, pid, tid);
    }
    uint64_t h = (uint64_t)pid->number * 0x9e3779b97f4a7c15ull + (uint64_t)tid->number * 0xc4ceb9fe1a85ec53ull;
    uint32_t place = (uint32_t)(h >> 32) % PF_JSON_THREADS;
    for (unsigned i = 0; i < 2; i++, place ^= 1) {
        pf_json_ids *k = &piece->threads[place];
        if (piece->thread_used[place] != 0 && pf_json_same_plain(&k->pid, pid) && pf_json_same_plain(&k->tid, tid)) {
            piece->thread_used[place] = piece->number;
            return place;
        }
    }
    for (unsigned i = 0; i < 2; i++, place ^= 1) {
        if (piece->thread_used[place] != piece->number) {
            piece->threads[place] = (pf_json_ids){.pid = *pid, .tid = *tid};
            piece->thread_used[place] = piece->number;
            return place;
        }
    }
    return pf_json_list_thread(piece, pid, tid);
}

/* pf_json_keep_event, to be part of a loop. */
static inline void pf_json_keep(pf_json_piece *piece, const pf_json_event *e, bool empty)
{
    if (__builtin_expect(e->foreign || (e->flags & PF_JSON_ARGS_LOST) || e->phase == 0, 0)) {
        pf_json_note_faults(piece, e);
        if (e->phase == 0) {
            if (!empty) {
                pf_json_fault(&piece->faults, PF_STAT_JSON_TOKENIZER_FAILURE,
                              piece->offset + (uint64_t)(e->start - piece->base));
            }
            return;
        }
    }
    piece->record[piece->count++] = (pf_json_record){
        .ts = e->ts,
        .dur = e->dur,
        .offset = (uint32_t)(e->start - piece->base),
        .args = e->args.ptr ? (uint32_t)(e->args.ptr - piece->base) : 0,
        .args_len = e->args.len,
        .name = pf_json_refer_text(piece, &e->name),
        .category = pf_json_refer_text(piece, &e->category),
        .thread = pf_json_refer_thread(piece, &e->pid, &e->tid),
        .rare = e->has_rare ? pf_json_list_rare(piece, e) : 0,
        .flags = e->flags,
        .phase = e->phase,
        .scope = e->scope,
    };
}
