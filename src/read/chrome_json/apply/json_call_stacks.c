/* read/chrome_json/apply/json_call_stacks.c - stacks of calls, which Perfetto's importer ignores and its tables have
 * room for.
 *
 * An event names the innermost frame of its stack by an id (sf; esf at the end of a complete event) that the member
 * stackFrames of the document explains: {"7": {"name": ..., "category": ..., "parent": "1"}}. Or it lists the names of
 * its frames itself (stack, estack), the outermost first. stackFrames often comes after the events, so what an event
 * says is noted as a text, equal ones once, and looked up at the end.
 *
 * A callsite is a frame and the callsite that it was called from. To find that of a frame one goes from parent to
 * parent until a frame has its callsite or has no parent, turning the way round, and makes the callsites on the way
 * back. A frame that calls itself in the end is the outermost.
 */
#include "read/chrome_json/apply/json_applier.h"

#include <stdio.h>

#include "base/list.h"
#include "base/str.h"
#include "read/chrome_json/apply/json_args.h"

typedef struct stack_frame {
    uint32_t row, parent; /* of PF_SIDE_STACK_FRAME; string id of the parent's id, 0 for none */
    uint32_t site, inner; /* PF_NONE: not known yet; the frame that the way came from */
    bool on_way;
} stack_frame;

typedef struct frames {
    pf_arg_depth level; /* of the visit */
    pf_json_applier *a;
    pf_map by_id;    /* string id of a frame's id -> its row below */
    pf_map sites;    /* callsite, frame -> callsite */
    pf_map by_name;  /* string id of a name -> row of PF_SIDE_STACK_FRAME, for lists of names */
    pf_map resolved; /* string id of what an event says -> its callsite */
    uint32_t count, room;
    stack_frame *list;
    uint32_t open, outer; /* the frame that is read; the innermost callsite of the list that is read */
} frames;

void pf_json_note_stack(pf_json_applier *a, const pf_json_record *r)
{
    const uint8_t *p = a->piece->base + r->offset + 1;
    uint32_t said[2] = {0, 0};
    pf_json_member m;
    while (pf_json_next_member(&p, a->end, &m)) {
        bool end = m.key.len && m.key.ptr[0] == 'e';
        const pf_str key = {m.key.ptr + end, m.key.len - end};
        if (!pf_str_is(key, "sf") && !(pf_str_is(key, "stack") && m.value.ptr[0] == '[')) {
            continue;
        }
        bool quoted = m.value.ptr[0] == '"'; /* 7 and "7" are one id */
        said[end] = pf_json_string(a, (pf_str){m.value.ptr + quoted, m.value.len - 2 * quoted});
        if (said[end] == PF_NONE) {
            return;
        }
    }
    pf_side_table *s = &a->t->sides.known[PF_SIDE_EVENT_STACK];
    uint32_t row = said[0] || said[1] ? pf_json_side_row(a, PF_SIDE_EVENT_STACK) : PF_NONE;
    if (row != PF_NONE) {
        *pf_side_ref(s, PF_EVENT_STACK_EVENT, row) = a->t->events.count - 1;
        *pf_side_ref(s, PF_EVENT_STACK_TEXT, row) = said[0];
        *pf_side_ref(s, PF_EVENT_STACK_END_TEXT, row) = said[1];
    }
}

static uint32_t add_frame_row(frames *f, uint32_t name)
{
    uint32_t row = pf_json_side_row(f->a, PF_SIDE_STACK_FRAME);
    if (row != PF_NONE) {
        *pf_side_ref(&f->a->t->sides.known[PF_SIDE_STACK_FRAME], PF_STACK_FRAME_NAME, row) = name;
    }
    return row;
}

/* Opens the frame of an id, a new one if it is the first. */
static pf_status open_frame(void *ctx, pf_str key, bool list)
{
    frames *f = ctx;
    pf_error *err = f->a->err;
    if (f->level.depth++ > 0 || list || !key.ptr) {
        return PF_OK;
    }
    uint32_t id = pf_json_string(f->a, key);
    f->open = id == PF_NONE ? PF_NONE : pf_map_get(&f->by_id, id);
    if (id == PF_NONE || f->open != PF_NONE) {
        return err->code;
    }
    PF_TRY(PF_LIST_ROOM(&f->a->t->budget, f->list, f->count + 1, f->room, err));
    uint32_t row = add_frame_row(f, 0);
    if (row == PF_NONE) {
        return err->code;
    }
    f->open = f->count++;
    f->list[f->open] = (stack_frame){.row = row, .site = PF_NONE, .inner = PF_NONE};
    pf_json_put(f->a, &f->by_id, id, f->open);
    return err->code;
}

static pf_status take_member(void *ctx, pf_str key, const pf_value *v)
{
    frames *f = ctx;
    char number[32];
    pf_str text = {NULL, 0};
    if (f->level.depth != 1 || f->open == PF_NONE || !key.ptr) {
        return PF_OK;
    }
    if (v->type == PF_VALUE_STRING) {
        text = v->as.s;
    } else if (v->type == PF_VALUE_INT) {
        text = (pf_str){number, (size_t)snprintf(number, sizeof number, "%lld", (long long)v->as.i)};
    }
    bool name = pf_str_is(key, "name"), category = pf_str_is(key, "category"), parent = pf_str_is(key, "parent");
    if (!text.ptr || !(name || category || parent)) {
        return PF_OK;
    }
    uint32_t id = pf_json_string(f->a, text);
    if (id == PF_NONE) {
        return f->a->err->code;
    }
    pf_side_table *s = &f->a->t->sides.known[PF_SIDE_STACK_FRAME];
    stack_frame *open = &f->list[f->open];
    *(parent ? &open->parent : pf_side_ref(s, name ? PF_STACK_FRAME_NAME : PF_STACK_FRAME_CATEGORY, open->row)) = id;
    return PF_OK;
}

static void read_frames(frames *f)
{
    pf_trace *t = f->a->t;
    const pf_arg_visitor visitor = {f, open_frame, pf_arg_leave, take_member, false};
    uint32_t name = pf_trace_find_string(t, PF_STR("json.stackFrames"));
    for (uint32_t i = f->a->first_entry; i < t->metadata.count && f->a->err->code == PF_OK; i++) {
        pf_str text = t->metadata.name[i] == name ? pf_trace_string(t, t->metadata.text[i]) : (pf_str){NULL, 0};
        if (text.len && text.ptr[0] == '{') {
            f->level.depth = 0;
            f->open = PF_NONE;
            pf_json_visit_object((const uint8_t *)text.ptr, text.len, (pf_str){NULL, 0}, &visitor, f->a->err);
        }
    }
}

/* The callsite of a frame that was called from callsite `outer` (PF_NONE: from nowhere); PF_NONE after an error. */
static uint32_t find_site(frames *f, uint32_t outer, uint32_t frame)
{
    pf_side_table *s = &f->a->t->sides.known[PF_SIDE_CALLSITE];
    uint64_t key = ((uint64_t)outer + 1) << 32 | frame;
    uint32_t site = pf_map_get(&f->sites, key);
    if (site != PF_NONE || (site = pf_json_side_row(f->a, PF_SIDE_CALLSITE)) == PF_NONE) {
        return site;
    }
    *pf_side_number(s, PF_CALLSITE_DEPTH, site) =
        outer == PF_NONE ? 0 : *pf_side_number(s, PF_CALLSITE_DEPTH, outer) + 1;
    *pf_side_ref(s, PF_CALLSITE_PARENT, site) = outer;
    *pf_side_ref(s, PF_CALLSITE_FRAME, site) = frame;
    pf_json_put(f->a, &f->sites, key, site);
    return site;
}

static uint32_t site_of_frame(frames *f, uint32_t at)
{
    uint32_t inner = PF_NONE, outer = PF_NONE;
    stack_frame *list = f->list;
    while (at != PF_NONE && !list[at].on_way && list[at].site == PF_NONE) {
        list[at].on_way = true;
        list[at].inner = inner;
        inner = at;
        at = list[at].parent ? pf_map_get(&f->by_id, list[at].parent) : PF_NONE;
    }
    outer = at != PF_NONE && !list[at].on_way ? list[at].site : PF_NONE;
    for (; inner != PF_NONE && f->a->err->code == PF_OK; inner = list[inner].inner) {
        outer = list[inner].site = find_site(f, outer, list[inner].row);
        list[inner].on_way = false;
    }
    return outer;
}

static pf_status take_name(void *ctx, pf_str key, const pf_value *v)
{
    frames *f = ctx;
    if (!v || v->type != PF_VALUE_STRING) {
        return PF_OK;
    }
    uint32_t name = pf_json_string(f->a, v->as.s), frame = name == PF_NONE ? PF_NONE : pf_map_get(&f->by_name, name);
    if (name != PF_NONE && frame == PF_NONE) {
        frame = add_frame_row(f, name);
        pf_json_put(f->a, &f->by_name, name, frame);
    }
    f->outer = f->a->err->code == PF_OK ? find_site(f, f->outer, frame) : PF_NONE;
    return f->a->err->code;
}

static uint32_t site_of_list(frames *f, pf_str list)
{
    f->outer = PF_NONE;
    pf_json_visit_members(list.ptr, list.len, take_name, f, f->a->err);
    return f->outer;
}

static uint32_t resolve(frames *f, uint32_t text)
{
    uint32_t site = text ? pf_map_get(&f->resolved, text) : PF_NONE;
    if (!text || site != PF_NONE || f->a->err->code != PF_OK) {
        return site;
    }
    pf_str said = pf_trace_string(f->a->t, text);
    uint32_t frame = pf_map_get(&f->by_id, text);
    site = frame != PF_NONE                 ? site_of_frame(f, frame)
           : said.len && said.ptr[0] == '[' ? site_of_list(f, said)
                                            : PF_NONE;
    if (site != PF_NONE) {
        pf_json_put(f->a, &f->resolved, text, site);
    }
    return site;
}

void pf_json_resolve_stacks(pf_json_applier *a)
{
    pf_budget *budget = &a->t->budget;
    pf_side_table *s = &a->t->sides.known[PF_SIDE_EVENT_STACK];
    frames f = {.a = a};
    if (s->count == a->first_stack) {
        return;
    }
    pf_map *maps[] = {&f.by_id, &f.sites, &f.by_name, &f.resolved};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        pf_map_init(maps[i], budget);
    }
    read_frames(&f);
    for (uint32_t i = a->first_stack; i < s->count && a->err->code == PF_OK; i++) {
        *pf_side_ref(s, PF_EVENT_STACK_SITE, i) = resolve(&f, *pf_side_ref(s, PF_EVENT_STACK_TEXT, i));
        *pf_side_ref(s, PF_EVENT_STACK_END_SITE, i) = resolve(&f, *pf_side_ref(s, PF_EVENT_STACK_END_TEXT, i));
    }
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        pf_map_free(maps[i]);
    }
    PF_LIST_FREE(budget, f.list, f.room);
}
