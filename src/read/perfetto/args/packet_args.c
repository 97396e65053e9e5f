/* read/perfetto/args/packet_args.c - the arguments of an event, decoded when somebody asks (docs/reference/perfetto.md,
 * "Arguments").
 *
 * The stored bytes are the whole TrackEvent; the context is the number of the interning generation that its iids refer
 * to. A debug annotation is read twice: once over its fields to learn its name and its value, and, where the value is a
 * dictionary or a list, again field by field. Open dictionaries and lists are frames on a stack of their own, which
 * grows up to --max-depth.
 */
#include <stdlib.h>
#include <string.h>

#include "base/little_endian.h"
#include "read/perfetto/args/args_walker.h"
#include "read/perfetto/args/packet_args.h"

typedef pf_walker walker;
typedef pf_walker_frame frame;

/* What the fields of one DebugAnnotation or NestedValue say. */
typedef struct reading {
    pf_str name;
    bool named;     /* false: the name cannot be resolved */
    uint32_t opens; /* tag of the entries, if the value is a dictionary or a list */
    bool list;
    pf_value value; /* else; NULL = no value */
} reading;

/* prefix + name, with what would look like structure replaced. */
static pf_str make_key(walker *w, const char *prefix, pf_str name)
{
    w->key.len = 0;
    pf_buffer_text(&w->key, prefix);
    size_t start = w->key.len;
    pf_buffer_put(&w->key, name.ptr, name.len);
    for (size_t i = start; i < w->key.len && !w->v->raw_names; i++) {
        char c = w->key.data[i];
        w->key.data[i] = c == '.' || c == '[' || c == ']' ? '_' : c;
    }
    return (pf_str){w->key.data, w->key.len};
}

static pf_str key_here(walker *w, pf_str name)
{
    const frame *top = w->depth ? &w->frames[w->depth - 1] : NULL;
    return top && top->list ? (pf_str){NULL, 0} : make_key(w, top ? "" : "debug.", name);
}

/* The next field; remembers where there is none because of damage. */
static bool next_field(walker *w, pf_cursor *c, pf_field *f)
{
    pf_next next = pf_cursor_next(c, f);
    w->damaged |= next == PF_NEXT_MALFORMED;
    return next == PF_NEXT_FIELD;
}

#define NO_RANK 99u /* without a value so far */

/* What the field with a tag says: of several the one with the lowest rank counts, the last of those. */
typedef struct kind {
    uint8_t rank, type; /* rank 0: no value; type: pf_value_type */
} kind;

static const kind ANNOTATION_KINDS[] = {
    [PF_TAG_VARINT(PF_F_ANNOTATION_BOOL)] = {1, PF_VALUE_BOOL},
    [PF_TAG_VARINT(PF_F_ANNOTATION_UINT)] = {2, PF_VALUE_UINT},
    [PF_TAG_VARINT(PF_F_ANNOTATION_INT)] = {3, PF_VALUE_INT},
    [PF_TAG_FIXED64(PF_F_ANNOTATION_DOUBLE)] = {4, PF_VALUE_REAL},
    [PF_TAG_BYTES(PF_F_ANNOTATION_STRING)] = {5, PF_VALUE_STRING},
    [PF_TAG_VARINT(PF_F_ANNOTATION_STRING_IID)] = {6, PF_VALUE_STRING},
    [PF_TAG_VARINT(PF_F_ANNOTATION_POINTER)] = {7, PF_VALUE_POINTER},
    [PF_TAG_BYTES(PF_F_ANNOTATION_LEGACY_JSON)] = {8, PF_VALUE_JSON},
};
static const kind NESTED_KINDS[] = {
    [PF_TAG_VARINT(PF_F_NESTED_BOOL)] = {1, PF_VALUE_BOOL},
    [PF_TAG_VARINT(PF_F_NESTED_INT)] = {2, PF_VALUE_INT},
    [PF_TAG_FIXED64(PF_F_NESTED_DOUBLE)] = {3, PF_VALUE_REAL},
    [PF_TAG_BYTES(PF_F_NESTED_STRING)] = {4, PF_VALUE_STRING},
};

static void take_value(walker *w, reading *r, unsigned *rank, const kind *kinds, size_t count, const pf_field *f)
{
    const kind k = f->tag < count ? kinds[f->tag] : (kind){0};
    pf_value v = {.type = (pf_value_type)k.type, .as.u = f->value}; /* a double's bits too */
    if (!k.rank) {
        return;
    }
    if (k.type == PF_VALUE_BOOL) {
        v.as.b = f->value != 0;
    } else if (k.type == PF_VALUE_STRING || k.type == PF_VALUE_JSON) {
        v.as.s = f->bytes ? pf_field_text(f) : pf_walker_interned(w, PF_INTERN_ANNOTATION_STRING, f->value);
        v.type = v.as.s.ptr ? v.type : PF_VALUE_NULL;
    }
    r->value = k.rank <= *rank ? v : r->value;
    *rank = k.rank <= *rank ? k.rank : *rank;
}

/* What the fields of an annotation said so far. */
typedef struct annotation {
    reading r;
    unsigned rank; /* of the kind of its value */
    uint64_t name_iid;
    pf_field nested; /* the deprecated NestedValue */
} annotation;

static void read_annotation_field(walker *w, annotation *a, const pf_field *f)
{
    switch (f->tag) {
    case PF_TAG_VARINT(PF_F_ANNOTATION_NAME_IID):
        a->name_iid = f->value;
        break;
    case PF_TAG_BYTES(PF_F_ANNOTATION_NAME):
        a->r.name = pf_field_text(f);
        break;
    case PF_TAG_BYTES(PF_F_ANNOTATION_DICT_ENTRIES):
        a->r.opens = f->tag;
        a->r.list = false;
        break;
    case PF_TAG_BYTES(PF_F_ANNOTATION_ARRAY_VALUES):
        a->r.list = a->r.opens ? a->r.list : true;
        a->r.opens = a->r.opens ? a->r.opens : f->tag;
        break;
    case PF_TAG_BYTES(PF_F_ANNOTATION_NESTED):
        a->nested = *f;
        break;
    default:
        take_value(w, &a->r, &a->rank, ANNOTATION_KINDS, PF_TAG_COUNT(ANNOTATION_KINDS), f);
    }
}

/* The first kind present in this order counts: dictionary, list, bool, uint, int, double, string, interned string,
 * pointer, JSON text. *nested: bytes of a deprecated NestedValue, if there is nothing else. */
static reading read_annotation(walker *w, pf_cursor c, pf_field *nested)
{
    annotation a = {.r = {.named = true}, .rank = NO_RANK};
    reading *r = &a.r;
    pf_field f;
    while (next_field(w, &c, &f)) {
        read_annotation_field(w, &a, &f);
    }
    if (a.name_iid) {
        r->name = pf_walker_interned(w, PF_INTERN_ANNOTATION_NAME, a.name_iid);
        r->named = pf_intern_get(w->generation, PF_INTERN_ANNOTATION_NAME, a.name_iid) != PF_NONE;
        r->name = r->named && !r->name.ptr ? PF_STR("") : r->name;
    }
    *nested = a.nested;
    if (r->opens || a.rank != NO_RANK) {
        nested->bytes = NULL;
    }
    return *r;
}

static reading read_nested(walker *w, pf_cursor c)
{
    reading r = {.named = true};
    unsigned rank = NO_RANK;
    uint64_t type = PF_NESTED_LEAF;
    bool has_items = false;
    pf_field f;
    while (next_field(w, &c, &f)) {
        if (f.tag == PF_TAG_VARINT(PF_F_NESTED_TYPE)) {
            type = f.value;
        } else if (f.tag == PF_TAG_BYTES(PF_F_NESTED_ARRAY_VALUES)) {
            has_items = true;
        } else {
            take_value(w, &r, &rank, NESTED_KINDS, PF_TAG_COUNT(NESTED_KINDS), &f);
        }
    }
    /* A dictionary with list items is an empty list: see write/perfetto/debug_annotations.c. */
    r.list = type == PF_NESTED_ARRAY || (type == PF_NESTED_DICT && has_items);
    r.opens = type == PF_NESTED_DICT    ? PF_TAG_BYTES(PF_F_NESTED_DICT_VALUES)
              : type == PF_NESTED_ARRAY ? PF_TAG_BYTES(PF_F_NESTED_ARRAY_VALUES)
                                        : 0;
    return r;
}

static bool room_for_frame(walker *w)
{
    if (w->depth < w->room) {
        return true;
    }
    size_t room = (size_t)w->room * 2;
    frame *frames = malloc(room * sizeof *frames);
    if (!frames) {
        return false;
    }
    memcpy(frames, w->frames, w->depth * sizeof *frames);
    if (w->frames != w->inline_frames) {
        free(w->frames);
    }
    w->frames = frames;
    w->room = (uint32_t)room;
    return true;
}

/* Sends a value, or opens a dictionary or list whose entries lie in `items`. */
static pf_status take(walker *w, const reading *r, pf_str name, pf_cursor items, bool nested)
{
    if (!r->opens) {
        return r->value.type == PF_VALUE_NULL   ? PF_OK
               : r->value.type == PF_VALUE_JSON ? pf_walker_json(w, key_here(w, name), r->value.as.s)
                                                : pf_walker_send(w, key_here(w, name), &r->value);
    }
    if (w->depth >= w->t->budget.limits.depth) {
        return pf_walker_too_much(w, "--max-depth");
    }
    pf_str key = key_here(w, name);
    PF_TRY(w->key.failed || !room_for_frame(w) ? pf_budget_refused(&w->t->budget, key.len, w->err) : PF_OK);
    if (!key.ptr &&
        r->opens == (nested ? PF_TAG_BYTES(PF_F_NESTED_DICT_VALUES) : PF_TAG_BYTES(PF_F_ANNOTATION_DICT_ENTRIES))) {
        key = PF_STR(""); /* a dictionary takes an index even if nothing is in it */
    }
    pf_status st = w->v->begin(w->v->ctx, key, r->list);
    w->frames[w->depth++] = (frame){items, items, r->opens, r->list, nested};
    return st;
}

/* All but elements of lists need a name. */
static pf_status take_annotation(walker *w, pf_cursor c)
{
    pf_field nested;
    reading r = read_annotation(w, c, &nested);
    bool in_list = w->depth && w->frames[w->depth - 1].list;
    if (!r.named || (!r.name.ptr && !in_list)) {
        w->unknown = true;
        return PF_OK;
    }
    if (nested.bytes) {
        const reading n = read_nested(w, pf_field_cursor(&nested));
        if (!n.opens && n.value.type == PF_VALUE_NULL) {
            return pf_walker_send(w, key_here(w, r.name), &n.value);
        }
        return take(w, &n, r.name, pf_field_cursor(&nested), true);
    }
    return take(w, &r, r.name, c, false);
}

/* Takes entries until the outermost dictionary or list is closed. */
static pf_status drain(walker *w)
{
    pf_field f, key;
    while (w->depth) {
        frame *top = &w->frames[w->depth - 1];
        if (!pf_cursor_next_of(&top->items, top->tag, &f) ||
            (top->nested && !top->list && !pf_cursor_next_of(&top->keys, PF_TAG_BYTES(PF_F_NESTED_DICT_KEYS), &key))) {
            w->depth--;
            PF_TRY(w->v->end(w->v->ctx));
        } else if (top->nested) {
            const reading n = read_nested(w, pf_field_cursor(&f));
            pf_str name = top->list ? (pf_str){NULL, 0} : pf_field_text(&key);
            PF_TRY(take(w, &n, name, pf_field_cursor(&f), true));
        } else {
            PF_TRY(take_annotation(w, pf_field_cursor(&f)));
        }
    }
    return PF_OK;
}

/* All arguments of an event, that came from the thread `passed` unless that is PF_NONE. */
static pf_status walk_event(walker *w, const uint8_t *bytes, size_t len, uint32_t passed)
{
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f;
    PF_TRY(pf_walker_fields_before(w, bytes, len));
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_EVENT_DEBUG_ANNOTATIONS), &f)) {
        PF_TRY(take_annotation(w, pf_field_cursor(&f)));
        PF_TRY(drain(w));
    }
    if (passed != PF_NONE) { /* next to the limits: it is not in the bytes that they were checked with */
        const pf_value utid = {.type = PF_VALUE_UINT, .as.u = passed};
        PF_TRY(w->v->value(w->v->ctx, PF_STR("legacy_event.passthrough_utid"), &utid));
    }
    return pf_walker_fields_after(w, bytes, len);
}

pf_generations *pf_perfetto_generations(const pf_trace *t)
{
    return pf_trace_decoder_state(t, pf_perfetto_event_args);
}

/* The arguments of an event that came from the thread `passed`, unless that is PF_NONE; *faults: what is wrong with
 * them. */
static pf_status visit(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context, uint32_t passed,
                       const pf_arg_visitor *v, unsigned *faults, pf_error *err)
{
    const pf_generations *g = pf_perfetto_generations(t);
    walker w = {.t = t, .v = v, .err = err, .room = PF_WALKER_INLINE_FRAMES};
    *faults = 0;
    if (!g || context >= g->count) {
        return PF_OK;
    }
    w.generation = g->list[context];
    w.frames = w.inline_frames;
    pf_status st = walk_event(&w, bytes, len, passed);
    if (w.frames != w.inline_frames) {
        free(w.frames);
    }
    pf_buffer_free(&w.key);
    pf_buffer_free(&w.text);
    *faults = (w.damaged ? PF_ARGS_DAMAGED : 0u) | (w.unknown ? PF_ARGS_UNKNOWN_ID : 0u);
    return st;
}

pf_status pf_perfetto_event_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                 const pf_arg_visitor *v, pf_error *err)
{
    unsigned faults;
    return visit(t, bytes, len, context, PF_NONE, v, &faults, err);
}

/* Takes the thread off the front of the bytes; false if they are too short for one. */
static bool take_passed(const uint8_t **bytes, size_t *len, uint32_t *passed)
{
    if (*len < PF_PASSED_BYTES) {
        return false;
    }
    *passed = pf_little_u32(*bytes);
    *bytes += PF_PASSED_BYTES;
    *len -= PF_PASSED_BYTES;
    return true;
}

pf_status pf_perfetto_passed_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                  const pf_arg_visitor *v, pf_error *err)
{
    uint32_t passed;
    unsigned faults;
    return take_passed(&bytes, &len, &passed) ? visit(t, bytes, len, context, passed, v, &faults, err) : PF_OK;
}

pf_status pf_perfetto_name_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                const pf_arg_visitor *v, pf_error *err)
{
    const pf_value name = {.type = PF_VALUE_STRING, .as.s = {(const char *)bytes, len}};
    return v->value(v->ctx, PF_STR("args.name"), &name);
}

static pf_status ignore_key(void *ctx, pf_str key, bool list)
{
    return PF_OK;
}

static pf_status ignore_end(void *ctx)
{
    return PF_OK;
}

static pf_status ignore_value(void *ctx, pf_str key, const pf_value *value)
{
    return PF_OK;
}

static const pf_arg_visitor IGNORE = {NULL, ignore_key, ignore_end, ignore_value, false};

unsigned pf_perfetto_check_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context)
{
    unsigned faults;
    visit(t, bytes, len, context, PF_NONE, &IGNORE, &faults, NULL);
    return faults;
}

unsigned pf_perfetto_check_passed_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context)
{
    uint32_t passed;
    return take_passed(&bytes, &len, &passed) ? pf_perfetto_check_args(t, bytes, len, context) : PF_ARGS_DAMAGED;
}

bool pf_perfetto_args_fit_decoded(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context)
{
    pf_error err;
    return pf_perfetto_event_args(t, bytes, len, context, &IGNORE, &err) == PF_OK;
}
