/* read/tinygrad/profile/profile_events.c - from event objects to rows of tinygrad_event: ranges, points, graph
 * launches. */
#include <stdio.h>
#include <string.h>

#include "read/tinygrad/profile/profile.h"

/* ---- fields ------------------------------------------------------------------------------------------------------ */

bool pf_tiny_is(pf_str text, const char *word)
{
    return text.ptr && text.len == strlen(word) && memcmp(text.ptr, word, text.len) == 0;
}

static pf_str class_of(const pf_pickle_values *v, uint32_t value)
{
    if (pf_pickle_type_of(v, value) != PF_PICKLE_OBJECT) {
        return (pf_str){NULL, 0};
    }
    pf_str name = pf_pickle_text(v, value);
    const char *dot = name.ptr ? memrchr(name.ptr, '.', name.len) : NULL;
    return dot ? (pf_str){dot + 1, name.len - (size_t)(dot + 1 - name.ptr)} : name;
}

pf_str pf_tiny_class(const pf_tiny_profile *p, uint32_t value)
{
    return class_of(&p->values, value);
}

int64_t pf_tiny_number(const pf_tiny_profile *p, uint32_t object, const char *field, int64_t otherwise)
{
    int64_t v;
    return pf_pickle_int(&p->values, pf_pickle_field(&p->values, object, field), &v) ? v : otherwise;
}

pf_str pf_tiny_text(const pf_tiny_profile *p, uint32_t object, const char *field)
{
    return pf_pickle_text(&p->values, pf_pickle_field(&p->values, object, field));
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

typedef struct span {
    pf_tiny_time from, to;
    bool copy;
} span;

static pf_status add_event(pf_tiny_profile *p, pf_tiny_kind kind, pf_str device, pf_str name, uint32_t *row,
                           pf_error *err)
{
    pf_status st = pf_tiny_add_row(p, PF_TINY_EVENT, row, err);
    if (st != PF_OK) {
        return st;
    }
    pf_tiny_set_ref(p, PF_TINY_EVENT, EVENT_KIND, *row, p->kinds[kind]);
    st = pf_tiny_set_text(p, PF_TINY_EVENT, EVENT_DEVICE, *row, device, err);
    return st == PF_OK ? pf_tiny_set_text(p, PF_TINY_EVENT, EVENT_NAME, *row, name, err) : st;
}

static void set_span(pf_tiny_profile *p, uint32_t row, const span *s)
{
    pf_tiny_set_number(p, PF_TINY_EVENT, EVENT_TS, row, pf_tiny_ns(s->from));
    pf_tiny_set_number(p, PF_TINY_EVENT, EVENT_END, row, pf_tiny_ns(s->to));
    *pf_side_real(p->table[PF_TINY_EVENT], EVENT_DUR, row) = pf_tiny_us(s->to - s->from);
    if (p->generation == PF_TINY_DEC25) {
        pf_tiny_set_number(p, PF_TINY_EVENT, EVENT_COPY, row, s->copy);
    }
}

/* The name of a range is a text, or an object that says more. */
static pf_str shown_name(const pf_tiny_profile *p, uint32_t name)
{
    pf_str text = pf_pickle_text(&p->values, name);
    return pf_tiny_is(pf_tiny_class(p, name), "TracingKey") ? pf_tiny_text(p, name, "display_name") : text;
}

pf_str pf_tiny_hex(pf_bytes key, char hex[PF_TINY_HEX])
{
    static const char digits[] = "0123456789abcdef";
    size_t n = 0;
    for (size_t i = 0; i < key.len && n + 2 <= PF_TINY_HEX; i++) {
        hex[n++] = digits[key.ptr[i] >> 4];
        hex[n++] = digits[key.ptr[i] & 15];
    }
    return (pf_str){hex, n};
}

static pf_status set_profile_key(pf_tiny_profile *p, uint32_t note, pf_bytes key, pf_error *err)
{
    char hex[PF_TINY_HEX];
    return pf_tiny_set_text(p, PF_TINY_NOTE, NOTE_KEY, note, pf_tiny_hex(key, hex), err);
}

/* What a traced call returned, and where it was called. */
static pf_status set_call(pf_tiny_profile *p, uint32_t note, uint32_t name, pf_error *err)
{
    const pf_pickle_values *v = &p->values;
    uint32_t returned = pf_pickle_field(v, name, "ret"), stack;
    int64_t bytes;
    pf_status st = pf_tiny_set_text(p, PF_TINY_NOTE, NOTE_TEXT, note, pf_pickle_text(v, returned), err);
    if (pf_pickle_type_of(v, returned) == PF_PICKLE_INT && pf_pickle_int(v, returned, &bytes)) {
        pf_tiny_set_number(p, PF_TINY_NOTE, NOTE_BYTES, note, bytes);
    } else if (pf_pickle_type_of(v, returned) != PF_PICKLE_TEXT) {
        pf_tiny_set_ref(p, PF_TINY_NOTE, NOTE_TEXT, note, 0);
    }
    st = st == PF_OK ? pf_tiny_add_stack(p, pf_pickle_field(v, name, "tb"), &stack, err) : st;
    if (st == PF_OK) {
        pf_tiny_set_ref(p, PF_TINY_NOTE, NOTE_STACK, note, stack);
    }
    return st;
}

/* What the name says besides the text, and the key of the program. */
static pf_status add_note(pf_tiny_profile *p, uint32_t event, uint32_t object, pf_error *err)
{
    const pf_pickle_values *v = &p->values;
    uint32_t name = pf_pickle_field(v, object, "name"), note;
    pf_bytes key = pf_pickle_bytes(v, pf_pickle_field(v, object, "profile_key"));
    bool more = pf_tiny_is(pf_tiny_class(p, name), "TracingKey");
    if (!more && !key.ptr) {
        return PF_OK;
    }
    pf_status st = pf_tiny_add_row(p, PF_TINY_NOTE, &note, err);
    if (st == PF_OK) {
        pf_tiny_set_ref(p, PF_TINY_NOTE, NOTE_EVENT, note, event);
        st = more ? set_call(p, note, name, err) : PF_OK;
        st = st == PF_OK && key.ptr ? set_profile_key(p, note, key, err) : st;
    }
    return st;
}

/* ---- ranges and points ------------------------------------------------------------------------------------------- */

static pf_status skip(pf_tiny_profile *p)
{
    p->skipped++;
    return PF_OK;
}

/* The device's name as a string id, for its offset. */
static pf_tiny_time offset_of(const pf_tiny_profile *p, uint32_t row, bool copy)
{
    return pf_tiny_offset(p, *pf_side_ref(p->table[PF_TINY_EVENT], EVENT_DEVICE, row), copy);
}

static pf_status read_range(pf_tiny_profile *p, uint32_t object, pf_error *err)
{
    const pf_pickle_values *v = &p->values;
    span s = {.copy = pf_tiny_number(p, object, "is_copy", 0)};
    uint32_t row;
    if (!pf_tiny_read_time(p, pf_pickle_field(v, object, "st"), &s.from)) {
        return skip(p);
    }
    bool ended = pf_tiny_read_time(p, pf_pickle_field(v, object, "en"), &s.to);
    s.to = ended ? s.to : s.from;
    pf_status st = add_event(p, PF_TINY_RANGE, pf_tiny_text(p, object, "device"),
                             shown_name(p, pf_pickle_field(v, object, "name")), &row, err);
    if (st != PF_OK) {
        return st;
    }
    pf_tiny_time offset = offset_of(p, row, s.copy);
    s.from += offset;
    s.to += offset;
    set_span(p, row, &s);
    if (!ended) {
        pf_tiny_set_number(p, PF_TINY_EVENT, EVENT_END, row, INT64_MIN);
    }
    return add_note(p, row, object, err);
}

static pf_status read_point(pf_tiny_profile *p, uint32_t object, pf_error *err)
{
    pf_tiny_time ts;
    uint32_t row;
    if (!pf_tiny_read_time(p, pf_pickle_field(&p->values, object, "ts"), &ts)) {
        return skip(p);
    }
    pf_status st =
        add_event(p, PF_TINY_POINT, pf_tiny_text(p, object, "device"), pf_tiny_text(p, object, "name"), &row, err);
    if (st == PF_OK) {
        pf_tiny_set_number(p, PF_TINY_EVENT, EVENT_TS, row, pf_tiny_ns(ts));
        pf_tiny_set_number(p, PF_TINY_EVENT, EVENT_END, row, pf_tiny_ns(ts));
        st = pf_tiny_read_point(p, object, row, err);
    }
    return st;
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

/* A graph launch: the times that its entries name by number, and the rows that they get. */
typedef struct graph {
    pf_tiny_profile *p;
    uint32_t row, object;
    pf_tiny_time *times;
    uint32_t time_count;
    uint32_t *entries; /* rows of tinygrad_event */
    uint32_t entry_count, entry_room;
    span all;
    bool any; /* entry that is in `all` */
} graph;

static uint32_t count_members(const pf_pickle_values *v, uint32_t value)
{
    uint32_t n = 0;
    for (uint32_t i = pf_pickle_first(v, value); i != PF_NONE; i = pf_pickle_next(v, i)) {
        n++;
    }
    return n;
}

static bool entry_span(const graph *g, uint32_t entry, span *s)
{
    int64_t from = pf_tiny_number(g->p, entry, "st_id", -1), to = pf_tiny_number(g->p, entry, "en_id", -1);
    if (from < 0 || to < 0 || from >= g->time_count || to >= g->time_count) {
        return false;
    }
    *s = (span){g->times[from], g->times[to], pf_tiny_number(g->p, entry, "is_copy", 0)};
    return true;
}

static pf_status add_entry(graph *g, uint32_t entry, pf_error *err)
{
    pf_tiny_profile *p = g->p;
    span s;
    uint32_t row;
    if (!entry_span(g, entry, &s)) {
        g->entries[g->entry_count++] = PF_NONE;
        return skip(p);
    }
    pf_status st = add_event(p, PF_TINY_ENTRY, pf_tiny_text(p, entry, "device"),
                             shown_name(p, pf_pickle_field(&p->values, entry, "name")), &row, err);
    if (st != PF_OK) {
        return st;
    }
    pf_tiny_time offset = offset_of(p, row, s.copy);
    s.from += offset;
    s.to += offset;
    set_span(p, row, &s);
    pf_tiny_set_ref(p, PF_TINY_EVENT, EVENT_GRAPH, row, g->row);
    const pf_tiny_time least = s.from < s.to ? s.from : s.to, most = s.from < s.to ? s.to : s.from;
    g->all.from = !g->any || least < g->all.from ? least : g->all.from;
    g->all.to = !g->any || most > g->all.to ? most : g->all.to;
    g->any = true;
    g->entries[g->entry_count++] = row;
    return add_note(p, row, entry, err);
}

/* Lists of numbers of entries, one list for each entry. */
static pf_status add_dependencies(graph *g, pf_error *err)
{
    const pf_pickle_values *v = &g->p->values;
    uint32_t list = pf_pickle_first(v, pf_pickle_field(v, g->object, "deps"));
    pf_status st = PF_OK;
    for (uint32_t n = 0; list != PF_NONE && n < g->entry_count; n++, list = pf_pickle_next(v, list)) {
        uint32_t i = pf_pickle_first(v, pf_pickle_member(v, list));
        for (; st == PF_OK && i != PF_NONE; i = pf_pickle_next(v, i)) {
            int64_t before;
            uint32_t row;
            bool known = pf_pickle_int(v, pf_pickle_member(v, i), &before) && before >= 0 && before < g->entry_count &&
                         g->entries[before] != PF_NONE && g->entries[n] != PF_NONE;
            st = known ? pf_tiny_add_row(g->p, PF_TINY_DEPENDENCY, &row, err) : PF_OK;
            if (known && st == PF_OK) {
                pf_tiny_set_ref(g->p, PF_TINY_DEPENDENCY, DEPENDENCY_FROM, row, g->entries[before]);
                pf_tiny_set_ref(g->p, PF_TINY_DEPENDENCY, DEPENDENCY_TO, row, g->entries[n]);
            }
        }
    }
    return st;
}

/* The launch as a range of its own, on the device of its first entry without what follows a colon. */
static pf_status add_batch(graph *g, pf_error *err)
{
    pf_tiny_profile *p = g->p;
    uint32_t first = PF_NONE, row;
    char device[256], name[32];
    for (uint32_t i = 0; i < g->entry_count && first == PF_NONE; i++) {
        first = g->entries[i];
    }
    if (first == PF_NONE) {
        return PF_OK;
    }
    pf_str base = pf_trace_string(p->t, *pf_side_ref(p->table[PF_TINY_EVENT], EVENT_DEVICE, first));
    const char *colon = base.ptr ? memchr(base.ptr, ':', base.len) : NULL;
    size_t len = colon ? (size_t)(colon - base.ptr) : base.len;
    len = len < 200 ? len : 200;
    int written = snprintf(device, sizeof device, "%.*s Graph", (int)len, base.ptr ? base.ptr : "");
    int shown = snprintf(name, sizeof name, "batched %u", g->entry_count);
    pf_status st =
        add_event(p, PF_TINY_BATCH, (pf_str){device, (size_t)written}, (pf_str){name, (size_t)shown}, &row, err);
    if (st == PF_OK) {
        set_span(p, row, &g->all);
        pf_tiny_set_ref(p, PF_TINY_EVENT, EVENT_GRAPH, row, g->row);
    }
    return st;
}

static pf_status fill_graph(graph *g, pf_error *err)
{
    const pf_pickle_values *v = &g->p->values;
    uint32_t i = pf_pickle_first(v, pf_pickle_field(v, g->object, "sigs"));
    for (; i != PF_NONE; i = pf_pickle_next(v, i)) {
        pf_tiny_read_time(g->p, pf_pickle_member(v, i), &g->times[g->time_count++]);
    }
    pf_status st = PF_OK;
    i = pf_pickle_first(v, pf_pickle_field(v, g->object, "ents"));
    for (; st == PF_OK && i != PF_NONE; i = pf_pickle_next(v, i)) {
        st = add_entry(g, pf_pickle_member(v, i), err);
    }
    st = st == PF_OK ? add_batch(g, err) : st;
    return st == PF_OK ? add_dependencies(g, err) : st;
}

static pf_status read_graph(pf_tiny_profile *p, uint32_t object, pf_error *err)
{
    const pf_pickle_values *v = &p->values;
    graph g = {.p = p, .object = object};
    pf_status st = add_event(p, PF_TINY_GRAPH, (pf_str){NULL, 0}, (pf_str){NULL, 0}, &g.row, err);
    if (st != PF_OK) {
        return st;
    }
    size_t times = (size_t)count_members(v, pf_pickle_field(v, object, "sigs")) * sizeof *g.times;
    size_t rows = (size_t)count_members(v, pf_pickle_field(v, object, "ents")) * sizeof *g.entries;
    g.times = pf_alloc(&p->t->budget, times);
    g.entries = pf_alloc(&p->t->budget, rows);
    st = g.times && g.entries ? fill_graph(&g, err) : pf_budget_refused(&p->t->budget, times + rows, err);
    pf_release(&p->t->budget, g.times, times);
    pf_release(&p->t->budget, g.entries, rows);
    return st;
}

/* ---- everything -------------------------------------------------------------------------------------------------- */

/* Notes an object that is read when all programs are known. */
static pf_status keep_object(pf_tiny_profile *p, uint32_t event, uint32_t object, pf_error *err)
{
    if (p->object_count == p->object_room) {
        uint32_t room = p->object_room ? 2 * p->object_room : 64;
        size_t bytes = room * sizeof *p->objects;
        pf_tiny_object *more = pf_resize(&p->t->budget, p->objects, p->object_room * sizeof *p->objects, bytes);
        if (!more) {
            return pf_budget_refused(&p->t->budget, bytes, err);
        }
        p->objects = more;
        p->object_room = room;
    }
    pf_tiny_object *o = &p->objects[p->object_count++];
    o->event = event;
    o->op = p->values.op;
    return pf_pickle_keep(&p->values, object, &o->handle, err);
}

static const pf_tiny_object *find_object(const pf_tiny_profile *p, uint32_t event)
{
    uint32_t from = 0, to = p->object_count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (p->objects[middle].event < event) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    bool found = from < p->object_count && p->objects[from].event == event;
    return found ? &p->objects[from] : NULL;
}

uint32_t pf_tiny_event_object(const pf_tiny_profile *p, uint32_t event)
{
    const pf_tiny_object *o = find_object(p, event);
    return o ? p->values.kept[o->handle] : PF_NONE;
}

pf_status pf_tiny_name_opcode(const pf_tiny_profile *p, uint32_t event, pf_status st, pf_error *err)
{
    const pf_tiny_object *o = find_object(p, event);
    return o ? pf_pickle_name_opcode(&p->values, o->op, st, err) : st;
}

/* Devices, programs and packets have no time of their own; what packets hold is decoded elsewhere. */
static pf_status read_plain(pf_tiny_profile *p, uint32_t object, pf_tiny_kind kind, pf_error *err)
{
    uint32_t row;
    pf_status st = add_event(p, kind, pf_tiny_text(p, object, "device"), pf_tiny_text(p, object, "name"), &row, err);
    if (st != PF_OK || kind != PF_TINY_DESCRIBED) {
        return st == PF_OK ? keep_object(p, row, object, err) : st;
    }
    uint32_t props = pf_pickle_field(&p->values, object, "props"), n = p->described++;
    if (n >= p->device_count) {
        return PF_OK;
    }
    pf_tiny_set_ref(p, PF_TINY_DEVICE, DEVICE_EVENT, p->first_device + n, row);
    return pf_pickle_keep(&p->values, props, &p->devices[n].props, err);
}

static const struct {
    const char *class;
    pf_tiny_kind kind;
} plain[] = {{"ProfileDeviceEvent", PF_TINY_DESCRIBED},
             {"ProfileProgramEvent", PF_TINY_PROGRAM},
             {"ProfileSQTTEvent", PF_TINY_SQTT},
             {"ProfilePMCEvent", PF_TINY_PMC},
             {"ProfilePMAEvent", PF_TINY_PMA}};

static pf_status read_item(pf_tiny_profile *p, uint32_t object, pf_error *err)
{
    pf_str class = pf_tiny_class(p, object);
    if (pf_tiny_is(class, "ProfileRangeEvent")) {
        return read_range(p, object, err);
    }
    if (pf_tiny_is(class, "ProfilePointEvent")) {
        return read_point(p, object, err);
    }
    if (pf_tiny_is(class, "ProfileGraphEvent")) {
        return read_graph(p, object, err);
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (pf_tiny_is(class, plain[i].class)) {
            return read_plain(p, object, plain[i].kind, err);
        }
    }
    return skip(p);
}

bool pf_tiny_is_event(const pf_pickle_values *v, uint32_t value)
{
    pf_str class = class_of(v, value);
    bool found = pf_tiny_is(class, "ProfileRangeEvent") || pf_tiny_is(class, "ProfilePointEvent") ||
                 pf_tiny_is(class, "ProfileGraphEvent");
    for (size_t i = 0; !found && i < sizeof plain / sizeof *plain; i++) {
        found = pf_tiny_is(class, plain[i].class);
    }
    return found;
}

pf_status pf_tiny_name_kinds(pf_tiny_profile *p, pf_error *err)
{
    static const char *const names[PF_TINY_KINDS] = {"range",  "point",   "graph", "entry", "batch",
                                                     "device", "program", "sqtt",  "pmc",   "pma"};
    pf_status st = PF_OK;
    for (unsigned i = 0; st == PF_OK && i < PF_TINY_KINDS; i++) {
        st = pf_trace_add_string(p->t, (pf_str){names[i], strlen(names[i])}, &p->kinds[i], err);
    }
    return st;
}

pf_status pf_tiny_read_event(void *profile, uint32_t object, pf_error *err)
{
    pf_tiny_profile *p = profile;
    p->items++;
    return read_item(p, object, err);
}

pf_status pf_tiny_end_events(pf_tiny_profile *p, pf_error *err)
{
    static const char *const generations[] = {"dec25", "mid26", "aug26"};
    uint32_t row;
    pf_status st = pf_tiny_add_row(p, PF_TINY_PROFILE, &row, err);
    if (st != PF_OK) {
        return st;
    }
    pf_tiny_set_number(p, PF_TINY_PROFILE, PROFILE_ITEMS, row, (int64_t)p->items);
    pf_tiny_set_number(p, PF_TINY_PROFILE, PROFILE_SKIPPED, row, (int64_t)p->skipped);
    const char *name = generations[p->generation];
    return pf_tiny_set_text(p, PF_TINY_PROFILE, PROFILE_GENERATION, row, (pf_str){name, strlen(name)}, err);
}
