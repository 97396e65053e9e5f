/* edit/json/json_who.c - see json_who.h. A piece remembers the threads that it has met (json_record.h), so that most
 * events cost one look at that. Two ids are taken for one where their 64-bit seeded hashes are equal. */
#include "edit/json/json_who.h"

#include <math.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/str.h"
#include "base/text/json_text.h"
#include "base/text/number.h"

pf_status pf_json_who_init(pf_json_who *w, pf_budget *budget, pf_error *err)
{
    *w = (pf_json_who){.budget = budget};
    pf_map_init(&w->processes, budget);
    pf_map_init(&w->threads, budget);
    return pf_strings_init(&w->strings, budget, err);
}

void pf_json_who_free(pf_json_who *w)
{
    PF_LIST_FREE(w->budget, w->process, w->process_room);
    PF_LIST_FREE(w->budget, w->thread, w->thread_room);
    pf_map_free(&w->processes);
    pf_map_free(&w->threads);
    pf_strings_free(&w->strings);
}

static void hash_bytes(uint64_t *hash, const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i += 8) {
        uint64_t word = 0;
        memcpy(&word, p + i, len - i < 8 ? len - i : 8);
        *hash = pf_hash_add(*hash, word);
    }
    *hash = pf_hash_add(*hash, len);
}

pf_status pf_json_hash_text(uint64_t *hash, pf_json_text text, pf_error *err)
{
    if (!text.escaped) {
        hash_bytes(hash, text.ptr, text.len);
        return PF_OK;
    }
    char *plain = malloc(text.len);
    if (!plain) {
        return pf_no_memory(err);
    }
    unsigned lone = 0;
    hash_bytes(hash, (uint8_t *)plain, pf_json_unescape(text.ptr, text.len, plain, &lone));
    free(plain);
    return PF_OK;
}

/* What is a whole number becomes an integer. */
static void settle_number(pf_json_id *id)
{
    double d;
    pf_json_settle_digits(id);
    if (id->kind == PF_JSON_ID_REAL && pf_parse_real((const char *)id->ptr, id->len, &d) && d == trunc(d) &&
        d >= -0x1p63 && d < 0x1p63) {
        *id = (pf_json_id){.kind = PF_JSON_ID_INT, .number = (int64_t)d};
    }
}

pf_status pf_json_hash_id(uint64_t *hash, pf_json_id id, pf_error *err)
{
    settle_number(&id);
    *hash = pf_hash_add(*hash, id.kind);
    if (id.kind == PF_JSON_ID_INT) {
        *hash = pf_hash_add(*hash, (uint64_t)id.number);
        return PF_OK;
    }
    return id.kind == PF_JSON_ID_ABSENT ? PF_OK
                                        : pf_json_hash_text(hash, (pf_json_text){id.ptr, id.len, id.escaped}, err);
}

/* The string of a text that may have escapes. */
static pf_status keep_text(pf_json_who *w, pf_json_text text, uint32_t *id, pf_error *err)
{
    char *plain = malloc(text.len + 1);
    if (!plain) {
        return pf_no_memory(err);
    }
    unsigned lone = 0;
    size_t len = pf_json_unescape(text.ptr, text.len, plain, &lone);
    pf_status st = pf_strings_put(&w->strings, (pf_str){plain, len}, id, err);
    free(plain);
    return st;
}

/* The string that names the id. */
static pf_status keep_id(pf_json_who *w, const pf_json_id *id, uint32_t *out, pf_error *err)
{
    if (id->kind != PF_JSON_ID_INT) {
        return keep_text(w, (pf_json_text){id->ptr, id->len, id->escaped}, out, err);
    }
    pf_buffer text = {0};
    pf_buffer_int(&text, id->number);
    pf_status st =
        text.failed ? pf_no_memory(err) : pf_strings_put(&w->strings, (pf_str){text.data, text.len}, out, err);
    pf_buffer_free(&text);
    return st;
}

/* The place of an id in a list, where it is added if new. A text is its own name. */
static pf_status find(pf_json_who *w, bool thread, uint64_t hash, const pf_json_id *id, uint32_t process, uint32_t *at,
                      pf_error *err)
{
    pf_map *map = thread ? &w->threads : &w->processes;
    uint32_t *count = thread ? &w->thread_count : &w->process_count;
    *at = pf_map_get(map, hash);
    if (*at != PF_NONE) {
        return PF_OK;
    }
    *at = *count;
    PF_TRY(thread ? PF_LIST_ROOM(w->budget, w->thread, *count + 1, w->thread_room, err)
                  : PF_LIST_ROOM(w->budget, w->process, *count + 1, w->process_room, err));
    pf_json_one *one = &(thread ? w->thread : w->process)[*at];
    *one = (pf_json_one){.process = process, .first = INT64_MAX, .last = INT64_MIN};
    PF_TRY(keep_id(w, id, &one->id, err));
    one->name = id->kind == PF_JSON_ID_TEXT ? one->id : 0;
    ++*count;
    return pf_map_put(map, hash, *at, err);
}

/* Perfetto takes negative ids for 0, and what is absent. */
static void settle(pf_json_id *id)
{
    settle_number(id);
    if (id->kind == PF_JSON_ID_ABSENT || (id->kind == PF_JSON_ID_INT && id->number < 0)) {
        *id = (pf_json_id){.kind = PF_JSON_ID_INT};
    }
}

/* as_written: thread 0 is one of its own, not the main one. */
static pf_status find_thread(pf_json_who *w, pf_json_ids *ids, bool as_written, pf_error *err)
{
    pf_json_id pid = ids->pid, tid = ids->tid;
    uint32_t process, thread;
    uint64_t hash = w->budget->seed;
    settle(&pid);
    settle(&tid);
    tid = !as_written && tid.kind == PF_JSON_ID_INT && tid.number == 0 ? pid : tid;
    PF_TRY(pf_json_hash_id(&hash, pid, err));
    PF_TRY(find(w, false, hash, &pid, 0, &process, err));
    PF_TRY(pf_json_hash_id(&hash, tid, err));
    PF_TRY(find(w, true, hash, &tid, process, &thread, err));
    ids->thread.upid = process;
    ids->thread.utid = thread;
    ids->found = true;
    return PF_OK;
}

/* The member "name" of the args of a metadata event. */
static pf_status take_name(pf_json_who *w, const pf_json_seen *e, uint32_t *name, pf_error *err)
{
    const pf_json_text args = pf_json_args_of(e->piece, e->r);
    const uint8_t *p = args.ptr ? args.ptr + 1 : NULL;
    pf_json_member m;
    while (p && pf_json_next_member(&p, args.ptr + args.len, &m)) {
        if (pf_str_is(m.key, "name") && *m.value.ptr == '"' && m.value.len > 2) {
            PF_TRY(keep_text(w, (pf_json_text){(const uint8_t *)m.value.ptr + 1, (uint32_t)m.value.len - 2, true}, name,
                             err));
        }
    }
    return PF_OK;
}

pf_status pf_json_who_is(pf_json_who *w, const pf_json_seen *e, uint32_t *thread, pf_error *err)
{
    pf_json_ids *ids = &e->piece->threads[e->r->thread];
    if (!ids->found) {
        PF_TRY(find_thread(w, ids, e->cycles, err));
    }
    *thread = ids->thread.utid;
    if (e->r->phase != 'M' || w->named) {
        return PF_OK;
    }
    pf_str what = pf_json_name_of(e->piece, e->r);
    return pf_str_is(what, "process_name")  ? take_name(w, e, &w->process[ids->thread.upid].name, err)
           : pf_str_is(what, "thread_name") ? take_name(w, e, &w->thread[*thread].name, err)
                                            : PF_OK;
}
