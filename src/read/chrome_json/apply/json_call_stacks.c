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
#include "read/chrome_json/apply/json_parts.h"

#include <stdio.h>

#include "base/str.h"
#include "read/chrome_json/apply/json_args.h"
#include "read/chrome_json/scan/skip.h"

typedef struct frames {
    pf_json_applier *a;
    pf_error *err;
    pf_map by_id;    /* string id of a frame's id -> its row below */
    pf_map sites;    /* callsite, frame -> callsite */
    pf_map by_name;  /* string id of a name -> row of PF_SIDE_STACK_FRAME, for lists of names */
    pf_map resolved; /* string id of what an event says -> its callsite */
    uint32_t count, room;
    uint32_t *frame, *parent; /* row of PF_SIDE_STACK_FRAME; string id of the parent's id, 0 for none */
    uint32_t *site, *inner;   /* PF_NONE: not known yet; the frame that the way came from */
    bool *on_way;
    pf_columns columns;
    size_t depth;         /* of the visit */
    uint32_t open, outer; /* the frame that is read; the innermost callsite of the list that is read */
} frames;

/* ---- while events are applied ------------------------------------------------------------------------------------ */

pf_status pf_json_note_stack(pf_json_applier *a, const pf_json_record *r, pf_error *err)
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
        said[end] = pf_strings_add(&a->t->strings, m.value.ptr + quoted, m.value.len - 2 * quoted, err);
        if (said[end] == PF_NONE) {
            return err->code;
        }
    }
    pf_side_table *s = &a->t->sides.known[PF_SIDE_EVENT_STACK];
    pf_status st = said[0] || said[1] ? pf_side_add_row(&a->t->sides.known[PF_SIDE_EVENT_STACK], err) : PF_OK;
    if (st == PF_OK && (said[0] || said[1])) {
        *pf_side_ref(s, PF_EVENT_STACK_EVENT, s->count - 1) = a->t->events.count - 1;
        *pf_side_ref(s, PF_EVENT_STACK_TEXT, s->count - 1) = said[0];
        *pf_side_ref(s, PF_EVENT_STACK_END_TEXT, s->count - 1) = said[1];
    }
    return st;
}

/* ---- stackFrames ------------------------------------------------------------------------------------------------- */

static pf_status refused(frames *f)
{
    return pf_budget_refused(&f->a->t->budget, 1u << 12, f->err);
}

static pf_status add_frame_row(frames *f, uint32_t name)
{
    pf_side_table *s = &f->a->t->sides.known[PF_SIDE_STACK_FRAME];
    pf_status st = pf_side_add_row(&f->a->t->sides.known[PF_SIDE_STACK_FRAME], f->err);
    if (st == PF_OK) {
        *pf_side_ref(s, PF_STACK_FRAME_NAME, s->count - 1) = name;
    }
    return st;
}

/* Opens the frame of an id, a new one if it is the first. */
static pf_status open_frame(void *ctx, pf_str key)
{
    frames *f = ctx;
    if (f->depth++ > 0 || !key.ptr) {
        return PF_OK;
    }
    uint32_t id = pf_strings_add(&f->a->t->strings, key.ptr, key.len, f->err);
    pf_status st = id == PF_NONE ? f->err->code : PF_OK;
    f->open = id == PF_NONE ? PF_NONE : pf_map_get(&f->by_id, id);
    if (st != PF_OK || f->open != PF_NONE) {
        return st;
    }
    st = f->count == f->room ? pf_columns_grow(&f->columns, (uint64_t)f->count + 1, &f->room, f->err) : PF_OK;
    st = st == PF_OK ? add_frame_row(f, 0) : st;
    if (st != PF_OK) {
        return st;
    }
    f->open = f->count++;
    f->frame[f->open] = f->a->t->sides.known[PF_SIDE_STACK_FRAME].count - 1;
    f->parent[f->open] = 0;
    f->site[f->open] = f->inner[f->open] = PF_NONE;
    f->on_way[f->open] = false;
    return pf_map_set(&f->by_id, id, f->open) ? PF_OK : refused(f);
}

static pf_status open_list(void *ctx, pf_str key)
{
    (void)key;
    ((frames *)ctx)->depth++;
    return PF_OK;
}

static pf_status close_any(void *ctx)
{
    ((frames *)ctx)->depth--;
    return PF_OK;
}

static pf_status take_member(void *ctx, pf_str key, const pf_value *v)
{
    frames *f = ctx;
    char number[32];
    pf_str text = {NULL, 0};
    if (f->depth != 1 || f->open == PF_NONE || !key.ptr) {
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
    uint32_t id = pf_strings_add(&f->a->t->strings, text.ptr, text.len, f->err);
    if (id == PF_NONE) {
        return f->err->code;
    }
    pf_side_table *s = &f->a->t->sides.known[PF_SIDE_STACK_FRAME];
    *(parent ? &f->parent[f->open]
             : pf_side_ref(s, name ? PF_STACK_FRAME_NAME : PF_STACK_FRAME_CATEGORY, f->frame[f->open])) = id;
    return PF_OK;
}

static pf_status read_frames(frames *f)
{
    pf_trace *t = f->a->t;
    pf_status st = PF_OK;
    const pf_arg_visitor visitor = {f, open_frame, open_list, close_any, take_member, false};
    uint32_t name = pf_trace_find_string(t, PF_STR("json.stackFrames"));
    for (uint32_t i = f->a->first_entry; i < t->metadata.count && st == PF_OK; i++) {
        pf_str text = t->metadata.name[i] == name ? pf_trace_string(t, t->metadata.text[i]) : (pf_str){NULL, 0};
        if (text.len && text.ptr[0] == '{') {
            f->depth = 0;
            f->open = PF_NONE;
            st = pf_json_visit_object((const uint8_t *)text.ptr, text.len, (pf_str){NULL, 0}, &visitor, f->err);
        }
    }
    return st;
}

/* ---- callsites --------------------------------------------------------------------------------------------------- */

/* The callsite of a frame that was called from callsite `outer` (PF_NONE: from nowhere). */
static pf_status find_site(frames *f, uint32_t outer, uint32_t frame, uint32_t *site)
{
    pf_side_table *s = &f->a->t->sides.known[PF_SIDE_CALLSITE];
    uint64_t key = ((uint64_t)outer + 1) << 32 | frame;
    *site = pf_map_get(&f->sites, key);
    if (*site != PF_NONE) {
        return PF_OK;
    }
    pf_status st = pf_side_add_row(&f->a->t->sides.known[PF_SIDE_CALLSITE], f->err);
    if (st != PF_OK) {
        return st;
    }
    *site = s->count - 1;
    *pf_side_number(s, PF_CALLSITE_DEPTH, *site) =
        outer == PF_NONE ? 0 : *pf_side_number(s, PF_CALLSITE_DEPTH, outer) + 1;
    *pf_side_ref(s, PF_CALLSITE_PARENT, *site) = outer;
    *pf_side_ref(s, PF_CALLSITE_FRAME, *site) = frame;
    return pf_map_set(&f->sites, key, *site) ? PF_OK : refused(f);
}

static pf_status site_of_frame(frames *f, uint32_t at, uint32_t *site)
{
    uint32_t inner = PF_NONE, outer = PF_NONE;
    pf_status st = PF_OK;
    while (at != PF_NONE && !f->on_way[at] && f->site[at] == PF_NONE) {
        f->on_way[at] = true;
        f->inner[at] = inner;
        inner = at;
        at = f->parent[at] ? pf_map_get(&f->by_id, f->parent[at]) : PF_NONE;
    }
    outer = at != PF_NONE && !f->on_way[at] ? f->site[at] : PF_NONE;
    for (; inner != PF_NONE && st == PF_OK; inner = f->inner[inner]) {
        st = find_site(f, outer, f->frame[inner], &f->site[inner]);
        outer = f->site[inner];
        f->on_way[inner] = false;
    }
    *site = outer;
    return st;
}

static pf_status take_name(void *ctx, pf_str key, const pf_value *v)
{
    frames *f = ctx;
    (void)key;
    if (f->depth != 1 || v->type != PF_VALUE_STRING) {
        return PF_OK;
    }
    uint32_t name = pf_strings_add(&f->a->t->strings, v->as.s.ptr, v->as.s.len, f->err);
    if (name == PF_NONE) {
        return f->err->code;
    }
    uint32_t frame = pf_map_get(&f->by_name, name);
    pf_status st = PF_OK;
    if (frame == PF_NONE) {
        st = add_frame_row(f, name);
        frame = f->a->t->sides.known[PF_SIDE_STACK_FRAME].count - 1;
        st = st == PF_OK && !pf_map_set(&f->by_name, name, frame) ? refused(f) : st;
    }
    return st == PF_OK ? find_site(f, f->outer, frame, &f->outer) : st;
}

/* A list of names, visited as the only member of an object. */
static pf_status site_of_list(frames *f, pf_str list, uint32_t *site)
{
    const pf_arg_visitor visitor = {f, open_list, open_list, close_any, take_name, false};
    pf_buffer b = {0};
    pf_buffer_text(&b, "{\"\":");
    pf_buffer_put(&b, list.ptr, list.len);
    pf_buffer_text(&b, "}");
    pf_buffer_put(&b, "", 1);
    f->depth = 0;
    f->outer = PF_NONE;
    pf_status st = b.failed
                       ? refused(f)
                       : pf_json_visit_object((const uint8_t *)b.data, b.len - 1, (pf_str){NULL, 0}, &visitor, f->err);
    pf_buffer_free(&b);
    *site = f->outer;
    return st;
}

static pf_status resolve(frames *f, uint32_t text, uint32_t *site)
{
    *site = text ? pf_map_get(&f->resolved, text) : PF_NONE;
    if (!text || *site != PF_NONE) {
        return PF_OK;
    }
    pf_str said = pf_trace_string(f->a->t, text);
    uint32_t frame = pf_map_get(&f->by_id, text);
    pf_status st = frame != PF_NONE                 ? site_of_frame(f, frame, site)
                   : said.len && said.ptr[0] == '[' ? site_of_list(f, said, site)
                                                    : PF_OK;
    return st != PF_OK || *site == PF_NONE || pf_map_set(&f->resolved, text, *site) ? st : refused(f);
}

pf_status pf_json_resolve_stacks(pf_json_applier *a, pf_error *err)
{
    pf_trace *t = a->t;
    pf_side_table *s = &t->sides.known[PF_SIDE_EVENT_STACK];
    frames f = {.a = a, .err = err};
    if (s->count == a->first_stack) {
        return PF_OK;
    }
    pf_map *maps[] = {&f.by_id, &f.sites, &f.by_name, &f.resolved};
    void **columns[] = {(void **)&f.frame, (void **)&f.parent, (void **)&f.site, (void **)&f.inner};
    pf_status st = PF_OK;
    pf_columns_init(&f.columns, &t->budget, "stack frames");
    for (size_t i = 0; i < sizeof maps / sizeof *maps && st == PF_OK; i++) {
        pf_map_init(maps[i], &t->budget);
        st = pf_columns_add(&f.columns, columns[i], sizeof(uint32_t), err);
    }
    st = st == PF_OK ? pf_columns_add(&f.columns, (void **)&f.on_way, sizeof *f.on_way, err) : st;
    st = st == PF_OK ? read_frames(&f) : st;
    for (uint32_t i = a->first_stack; i < s->count && st == PF_OK; i++) {
        st = resolve(&f, *pf_side_ref(s, PF_EVENT_STACK_TEXT, i), pf_side_ref(s, PF_EVENT_STACK_SITE, i));
        st = st == PF_OK
                 ? resolve(&f, *pf_side_ref(s, PF_EVENT_STACK_END_TEXT, i), pf_side_ref(s, PF_EVENT_STACK_END_SITE, i))
                 : st;
    }
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        pf_map_free(maps[i]);
    }
    pf_columns_free(&f.columns);
    return st;
}
