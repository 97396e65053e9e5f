/* edit/json/json_lanes.c - see json_lanes.h. Two lanes are taken for one where their 64-bit hashes are equal, two names
 * of an end and a begin where their 32-bit hashes are; the seed is another one for each run. */
#include "edit/json/json_lanes.h"

#include "base/list.h"
#include "base/str.h"
#include "base/text/number.h"
#include "edit/json/json_who.h"

pf_json_action pf_json_action_of(const pf_json_record *r)
{
    static const uint8_t actions[256] = {
        ['B'] = PF_JSON_BEGIN,  ['b'] = PF_JSON_BEGIN,    ['S'] = PF_JSON_BEGIN, ['N'] = PF_JSON_BEGIN,
        ['E'] = PF_JSON_END,    ['e'] = PF_JSON_END,      ['F'] = PF_JSON_END,   ['D'] = PF_JSON_END,
        ['s'] = PF_JSON_ARROW,  ['t'] = PF_JSON_ARROW,    ['f'] = PF_JSON_ARROW, ['M'] = PF_JSON_ABOUT,
        ['C'] = PF_JSON_SAMPLE, ['X'] = PF_JSON_COMPLETE,
    };
    int64_t end;
    bool cannot = actions[r->phase] == PF_JSON_COMPLETE &&
                  (!(r->flags & PF_JSON_HAS_DUR) || r->dur < 0 || __builtin_add_overflow(r->ts, r->dur, &end));
    return cannot ? PF_JSON_INSTANT : (pf_json_action)actions[r->phase];
}

void pf_json_lanes_init(pf_json_lanes *l, pf_budget *budget)
{
    *l = (pf_json_lanes){.budget = budget, .unused = PF_NONE};
    pf_map_init(&l->map, budget);
}

/* Frees the copies of all notes. */
static void forget_notes(pf_json_lanes *l)
{
    for (uint32_t i = 0; i < l->note_count; i++) {
        if (l->note[i].len) {
            pf_release(l->budget, (void *)(uintptr_t)l->note[i].bytes, (size_t)l->note[i].len + PF_SLOP);
        }
    }
    l->note_count = 0;
    l->unused = PF_NONE;
}

void pf_json_lanes_free(pf_json_lanes *l)
{
    forget_notes(l);
    PF_LIST_FREE(l->budget, l->lane, l->room);
    PF_LIST_FREE(l->budget, l->note, l->note_room);
    pf_map_free(&l->map);
}

#define SMALL (1u << 20) /* events of lanes that are sorted for arrows at the edges of windows */

bool pf_json_lanes_restart(pf_json_lanes *l, int64_t ranks_from, bool thins)
{
    bool any = false;
    uint32_t spare = SMALL;
    forget_notes(l);
    for (uint32_t i = 0; i < l->count; i++) {
        pf_json_lane *lane = &l->lane[i];
        bool small = (lane->moved || lane->crosses) && lane->events <= spare;
        bool sorts = (lane->late || lane->inverted >= ranks_from) &&
                     (lane->begins || (lane->arrows && (thins || small || !lane->late)));
        spare -= sorts && small ? lane->events : 0;
        any |= sorts || (lane->late && lane->moved);
        *lane = (pf_json_lane){.latest = INT64_MIN,
                               .inverted = INT64_MIN,
                               .top = PF_NONE,
                               .pending = PF_NONE,
                               .action = lane->action,
                               .begins = lane->begins,
                               .late = lane->late,
                               .sorts = sorts};
    }
    return any;
}

/* The ids of arrows are numbers, texts hexadecimal ones. */
static pf_status hash_arrow_id(uint64_t *key, pf_json_id id, pf_error *err)
{
    uint64_t number;
    if (id.kind == PF_JSON_ID_TEXT && pf_parse_hex((const char *)id.ptr, id.len, &number)) {
        id = (pf_json_id){.kind = PF_JSON_ID_INT, .number = (int64_t)number};
    }
    return pf_json_hash_id(key, id, err);
}

/* The id of an event, or what its id2 says; a local one counts within its process. */
static pf_status hash_async_id(uint64_t *key, const pf_json_seen *e, uint32_t process, pf_error *err)
{
    pf_json_text id2 = pf_json_rare_of(e->piece, e->r)->id2;
    pf_json_id id = pf_json_id_of(e->piece, e->r);
    if (id.kind != PF_JSON_ID_ABSENT || !id2.ptr) {
        return pf_json_hash_id(key, id, err);
    }
    const uint8_t *p = id2.ptr + 1;
    pf_json_member m;
    while (pf_json_next_member(&p, id2.ptr + id2.len, &m)) {
        if (pf_str_is(m.key, "local")) {
            *key = pf_hash_add(*key, process + 1ull);
        }
        PF_TRY(pf_json_hash_text(key, (pf_json_text){(const uint8_t *)m.value.ptr, (uint32_t)m.value.len, false}, err));
    }
    return PF_OK;
}

/* A counter event has a value for each of its arguments: events with the same ones are a lane. */
static pf_status hash_sample(uint64_t *key, const pf_json_seen *e, uint32_t process, pf_error *err)
{
    pf_json_text args = pf_json_args_of(e->piece, e->r);
    pf_json_member m;
    *key = pf_hash_add(*key, process);
    PF_TRY(pf_json_hash_text(key, pf_json_text_of(e->piece, e->r->name), err));
    PF_TRY(pf_json_hash_id(key, pf_json_id_of(e->piece, e->r), err));
    const uint8_t *p = args.ptr ? args.ptr + 1 : NULL;
    while (p && pf_json_next_member(&p, args.ptr + args.len, &m)) {
        PF_TRY(pf_json_hash_text(key, (pf_json_text){(const uint8_t *)m.key.ptr, (uint32_t)m.key.len, false}, err));
    }
    return PF_OK;
}

/* Which phases share lanes. */
enum { OF_THREAD = 1 };
static uint8_t kind_of(uint8_t phase)
{
    static const uint8_t kind[256] = {['B'] = OF_THREAD, ['E'] = OF_THREAD, ['X'] = OF_THREAD, ['i'] = OF_THREAD,
                                      ['I'] = OF_THREAD, ['R'] = OF_THREAD, ['b'] = 2,         ['e'] = 2,
                                      ['S'] = 3,         ['F'] = 3,         ['N'] = 4,         ['D'] = 4,
                                      ['s'] = 5,         ['t'] = 5,         ['f'] = 5,         ['C'] = 6};
    return kind[phase];
}

static pf_status key_of(uint64_t *key, const pf_json_seen *e, pf_json_action action, uint32_t thread, uint32_t process,
                        pf_error *err)
{
    const pf_json_record *r = e->r;
    uint8_t phase = r->phase;
    bool named = action == PF_JSON_ARROW || phase == 'S' || phase == 'F';
    if (action == PF_JSON_SAMPLE) {
        return hash_sample(key, e, process, err);
    }
    if (kind_of(phase) == OF_THREAD) {
        *key = pf_hash_add(*key, thread);
        return PF_OK;
    }
    PF_TRY(pf_json_hash_text(key, pf_json_text_of(e->piece, r->category), err));
    if (named) {
        PF_TRY(pf_json_hash_text(key, pf_json_text_of(e->piece, r->name), err));
    }
    return action == PF_JSON_ARROW ? hash_arrow_id(key, pf_json_id_of(e->piece, r), err)
                                   : hash_async_id(key, e, process, err);
}

static pf_status find_lane(pf_json_lanes *l, uint64_t key, pf_json_action action, uint32_t *lane, pf_error *err)
{
    *lane = pf_map_get(&l->map, key);
    if (*lane != PF_NONE) {
        return PF_OK;
    }
    PF_TRY(PF_LIST_ROOM(l->budget, l->lane, l->count + 1, l->room, err));
    l->lane[l->count] =
        (pf_json_lane){.latest = INT64_MIN,
                       .inverted = INT64_MIN,
                       .top = PF_NONE,
                       .pending = PF_NONE,
                       .action = action == PF_JSON_ARROW || action == PF_JSON_SAMPLE ? action : PF_JSON_BEGIN};
    *lane = l->count++;
    return pf_map_put(&l->map, key, *lane, err);
}

pf_status pf_json_lane_of(pf_json_lanes *l, const pf_json_seen *e, pf_json_action action, uint32_t thread,
                          uint32_t process, uint32_t *lane, pf_error *err)
{
    uint64_t key = pf_hash_add(l->budget->seed, kind_of(e->r->phase));
    PF_TRY(key_of(&key, e, action, thread, process, err));
    return find_lane(l, key, action, lane, err);
}

pf_status pf_json_thread_lane(pf_json_lanes *l, uint32_t thread, uint32_t *lane, pf_error *err)
{
    uint64_t key = pf_hash_add(pf_hash_add(l->budget->seed, OF_THREAD), thread);
    return find_lane(l, key, PF_JSON_BEGIN, lane, err);
}

static pf_status hash_text(uint64_t seed, pf_json_text text, uint32_t *hash, pf_error *err)
{
    PF_TRY(pf_json_hash_text(&seed, text, err));
    *hash = (uint32_t)seed ? (uint32_t)seed : 1;
    return PF_OK;
}

pf_status pf_json_hash_word(uint64_t seed, pf_str word, uint32_t *hash, pf_error *err)
{
    return hash_text(seed, (pf_json_text){(const uint8_t *)word.ptr, (uint32_t)word.len, false}, hash, err);
}

/* A hash of the text that `ref` refers to, 0 for none. A piece remembers those of its short texts. */
static pf_status hash_of(uint64_t seed, const pf_json_seen *e, uint32_t ref, uint32_t *hash, pf_error *err)
{
    bool is_short = ref && ref <= PF_JSON_TEXTS;
    *hash = is_short ? e->piece->text_id[ref - 1] : 0;
    if (ref && !*hash) {
        PF_TRY(hash_text(seed, pf_json_text_of(e->piece, ref), hash, err));
    }
    if (is_short) {
        e->piece->text_id[ref - 1] = *hash;
    }
    return PF_OK;
}

static pf_status copy_bytes(pf_json_lanes *l, const pf_json_seen *e, pf_json_note *n, pf_error *err)
{
    pf_bytes event = pf_json_event_bytes(e);
    uint8_t *copy = pf_alloc(l->budget, event.len + PF_SLOP);
    if (!copy) {
        return pf_budget_refused(l->budget, event.len + PF_SLOP, err);
    }
    memcpy(copy, event.ptr, event.len);
    memset(copy + event.len, 0, PF_SLOP);
    n->bytes = copy;
    n->len = (uint32_t)event.len;
    return PF_OK;
}

pf_status pf_json_note_times(pf_json_lanes *l, const pf_json_seen *e, pf_json_action action, uint32_t thread,
                             uint32_t *note, pf_error *err)
{
    *note = l->unused;
    if (*note != PF_NONE) {
        l->unused = l->note[*note].below;
    } else {
        PF_TRY(PF_LIST_ROOM(l->budget, l->note, l->note_count + 1, l->note_room, err));
        *note = l->note_count++;
    }
    l->note[*note] = (pf_json_note){.ts = e->r->ts,
                                    .end = INT64_MAX,
                                    .bytes = e->bytes,
                                    .below = PF_NONE,
                                    .arrows = PF_NONE,
                                    .thread = thread,
                                    .action = (uint8_t)action,
                                    .phase = e->r->phase,
                                    .other_args = (e->r->flags & PF_JSON_OTHER_ARGS) != 0};
    return PF_OK;
}

pf_status pf_json_note_event(pf_json_lanes *l, const pf_json_seen *e, pf_json_action action, uint32_t thread,
                             uint32_t *note, pf_error *err)
{
    PF_TRY(pf_json_note_times(l, e, action, thread, note, err));
    pf_json_note *n = &l->note[*note];
    PF_TRY(hash_of(l->budget->seed, e, e->r->name, &n->name, err));
    if (action == PF_JSON_BEGIN && !n->name) { /* it is called so in Perfetto's engine */
        PF_TRY(pf_json_hash_word(l->budget->seed, PF_STR("[No name]"), &n->name, err));
    }
    PF_TRY(hash_of(l->budget->seed, e, e->r->category, &n->category, err));
    return e->stable ? PF_OK : copy_bytes(l, e, n, err);
}

void pf_json_drop_note(pf_json_lanes *l, uint32_t note)
{
    pf_json_note *n = &l->note[note];
    if (n->len) {
        pf_release(l->budget, (void *)(uintptr_t)n->bytes, (size_t)n->len + PF_SLOP);
        n->len = 0;
    }
    n->below = l->unused;
    l->unused = note;
}
