/* read/perfetto/args/packet_arg_columns.c - some arguments of an event out of its debug annotations, without a walk
 * over all of them.
 *
 * An event is first compared with an earlier one of the same length: where tags, lengths, ids of names and the ends of
 * numbers are the same, the wanted numbers have the same places. Otherwise the annotations are looked at one by one. Of
 * one that is not wanted only its name is looked at, mostly an interning id whose keys are remembered.
 * What has a value of one of the simple types is put at once. Everything else (values inside others, JSON, several
 * values, damage, wanted keys that fields of the event may give) is left to the walk.
 */
#include "model/args/arg_columns.h"
#include "perfetto/fields.h"
#include "perfetto/intern.h"
#include "read/perfetto/args/args_walker.h"
#include "read/perfetto/args/packet_args.h"
#include "wire/cursor.h"

typedef struct finder {
    pf_arg_piece *piece;
    const pf_generation *generation;
} finder;

/* What the fields of an annotation say. */
typedef struct annotation {
    uint64_t name_iid;
    pf_str name;
    pf_value value;
    unsigned values; /* of simple types */
    bool other;      /* there is a value of another one */
} annotation;

/* The varint at p, mostly of one byte; the byte after it, NULL if there is none that ends before `end`. */
static inline const uint8_t *read_varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
    if (__builtin_expect(p < end && *p < 0x80, 1)) {
        *v = *p;
        return p + 1;
    }
    return pf_varint(p, end, v);
}

/* The field at p: its tag, and its value or, of bytes and fixed widths, its length; *from is where these begin. The
 * byte after the field, NULL if it is malformed or larger than is delivered. */
static inline const uint8_t *read_field(const uint8_t *p, const uint8_t *end, uint64_t *tag, uint64_t *value,
                                        const uint8_t **from)
{
    p = read_varint(p, end, tag);
    if (!p || *tag < 8 || *tag >> 3 > PF_FIELD_NUMBER_MAX) {
        return NULL;
    }
    unsigned type = *tag & 7;
    if (type == PF_WIRE_VARINT || type == PF_WIRE_BYTES) {
        p = read_varint(p, end, value);
    } else {
        *value = type == PF_WIRE_FIXED64 ? 8 : type == PF_WIRE_FIXED32 ? 4 : UINT64_MAX;
    }
    *from = p;
    if (!p || type == PF_WIRE_VARINT) {
        return p;
    }
    return *value <= (uint64_t)(end - p) && *value <= PF_FIELD_LENGTH_MAX ? p + *value : NULL;
}

/* The keys that are called so. */
static uint64_t keys_called(const pf_arg_columns *c, pf_str name)
{
    uint64_t exact = 0;
    for (uint64_t keys = pf_arg_candidates(c, name); keys; keys &= keys - 1) {
        unsigned k = (unsigned)__builtin_ctzll(keys);
        exact |= (uint64_t)pf_arg_is(c, k, name) << k;
    }
    return exact;
}

static inline uint64_t keys_of(const finder *f, const annotation *a)
{
    if (a->name_iid == 0) {
        return a->name.ptr ? keys_called(f->piece->columns, a->name) : 0;
    }
    uint32_t id = pf_intern_get_dense(f->generation, PF_INTERN_ANNOTATION_NAME, a->name_iid);
    id = id == PF_NONE ? pf_intern_get(f->generation, PF_INTERN_ANNOTATION_NAME, a->name_iid) : id;
    if (id == PF_NONE) {
        f->piece->unnamed = true;
        return 0;
    }
    pf_arg_named *known = &f->piece->named[id % PF_ARG_NAMED];
    if (known->id != id + 1) {
        known->keys = keys_called(f->piece->columns, pf_strings_get(&f->piece->t->strings, id));
        known->id = id + 1;
    }
    return known->keys;
}

static inline void take_number(annotation *a, pf_value_type type, uint64_t number)
{
    a->values++;
    a->value = (pf_value){.type = type, .as.u = number};
    if (type == PF_VALUE_BOOL) {
        a->value.as.b = number != 0;
    }
}

/* False where a field of the annotation is malformed. */
static inline bool read_annotation(const uint8_t *p, const uint8_t *end, annotation *a)
{
    uint64_t tag, value;
    const uint8_t *from;
    while (p < end) {
        p = read_field(p, end, &tag, &value, &from);
        if (!p) {
            return false;
        }
        switch (tag) {
        case PF_TAG_VARINT(PF_F_ANNOTATION_NAME_IID):
            a->name_iid = value;
            break;
        case PF_TAG_BYTES(PF_F_ANNOTATION_NAME):
            a->name = (pf_str){value ? (const char *)from : "", (size_t)value};
            break;
        case PF_TAG_VARINT(PF_F_ANNOTATION_BOOL):
            take_number(a, PF_VALUE_BOOL, value);
            break;
        case PF_TAG_VARINT(PF_F_ANNOTATION_UINT):
            take_number(a, PF_VALUE_UINT, value);
            break;
        case PF_TAG_VARINT(PF_F_ANNOTATION_INT):
            take_number(a, PF_VALUE_INT, value);
            break;
        case PF_TAG_VARINT(PF_F_ANNOTATION_POINTER):
            take_number(a, PF_VALUE_POINTER, value);
            break;
        case PF_TAG_FIXED64(PF_F_ANNOTATION_DOUBLE):
            take_number(a, PF_VALUE_REAL, pf_load64(from)); /* a double's bits */
            break;
        case PF_TAG_BYTES(PF_F_ANNOTATION_STRING):
            a->values++;
            a->value = (pf_value){.type = PF_VALUE_STRING, .as.s = {value ? (const char *)from : "", (size_t)value}};
            break;
        case PF_TAG_VARINT(PF_F_ANNOTATION_STRING_IID):
        case PF_TAG_BYTES(PF_F_ANNOTATION_LEGACY_JSON):
        case PF_TAG_BYTES(PF_F_ANNOTATION_NESTED):
        case PF_TAG_BYTES(PF_F_ANNOTATION_DICT_ENTRIES):
        case PF_TAG_BYTES(PF_F_ANNOTATION_ARRAY_VALUES):
            a->other = true;
            break;
        default:
            break;
        }
    }
    return true;
}

static inline void put(pf_arg_piece *p, unsigned k, const pf_value *v)
{
    bool integers = p->columns->column[k].type == PF_ARG_INT || p->columns->column[k].type == PF_ARG_UINT;
    bool plain = integers && (v->type == PF_VALUE_INT || v->type == PF_VALUE_UINT) && v->as.u <= INT64_MAX;
    if (!plain || !pf_arg_put_integer(p, k, v->as.u)) {
        pf_arg_put(p, k, v);
    }
}

/* The id of the name and an integer, as most annotations are; false where this one is not. */
static inline bool read_integer(const uint8_t *p, const uint8_t *end, annotation *a)
{
    uint64_t iid, value;
    bool named = p < end && *p == PF_TAG_VARINT(PF_F_ANNOTATION_NAME_IID);
    const uint8_t *tag = named ? read_varint(p + 1, end, &iid) : NULL;
    if (!tag || tag == end ||
        (*tag != PF_TAG_VARINT(PF_F_ANNOTATION_INT) && *tag != PF_TAG_VARINT(PF_F_ANNOTATION_UINT)) ||
        read_varint(tag + 1, end, &value) != end) {
        return false;
    }
    a->name_iid = iid;
    take_number(a, *tag == PF_TAG_VARINT(PF_F_ANNOTATION_INT) ? PF_VALUE_INT : PF_VALUE_UINT, value);
    return true;
}

static inline bool take_annotation(const finder *f, const uint8_t *p, const uint8_t *end)
{
    annotation a = {.values = 0};
    if (!read_integer(p, end, &a) && !read_annotation(p, end, &a)) {
        return false;
    }
    uint64_t keys = keys_of(f, &a);
    if (keys && (a.other || a.values > 1)) {
        return false;
    }
    for (; keys && a.values; keys &= keys - 1) {
        put(f->piece, (unsigned)__builtin_ctzll(keys), &a.value);
    }
    return true;
}

/* What a small id of a name is for. */
static inline uint64_t keys_of_id(const finder *f, uint8_t id)
{
    pf_arg_piece *p = f->piece;
    if (p->ids_of != f->generation) {
        p->ids_of = f->generation;
        p->ids_known = 0;
    }
    if (!(p->ids_known >> id & 1)) {
        p->ids[id] = keys_of(f, &(annotation){.name_iid = id});
        p->ids_known |= (uint64_t)!p->unnamed << id;
    }
    return p->ids[id];
}

/* An annotation of a few bytes that are a small id and an integer, as most are. The byte after it, NULL where the field
 * at p is another. */
static inline const uint8_t *pass_integer(const finder *f, const uint8_t *p, const uint8_t *end)
{
    enum { TAG, LEN, NAME, ID, TYPE, VALUE, LEAST };
    if (end - p < LEAST || p[TAG] != PF_TAG_BYTES(PF_F_EVENT_DEBUG_ANNOTATIONS) || p[LEN] >= 0x80 ||
        end - p < NAME + p[LEN] || p[NAME] != PF_TAG_VARINT(PF_F_ANNOTATION_NAME_IID) || p[ID] == 0 ||
        p[ID] >= PF_ARG_NAMED) {
        return NULL;
    }
    uint64_t number;
    bool is_int = p[TYPE] == PF_TAG_VARINT(PF_F_ANNOTATION_INT);
    const uint8_t *after = p + NAME + p[LEN];
    if ((!is_int && p[TYPE] != PF_TAG_VARINT(PF_F_ANNOTATION_UINT)) ||
        read_varint(p + VALUE, after, &number) != after) {
        return NULL;
    }
    for (uint64_t keys = keys_of_id(f, p[ID]); keys; keys &= keys - 1) {
        const pf_value v = {.type = is_int ? PF_VALUE_INT : PF_VALUE_UINT, .as.u = number};
        put(f->piece, (unsigned)__builtin_ctzll(keys), &v);
    }
    return after;
}

/* Takes the values of an event that is built like the one of the layout. */
static bool take_layout(const finder *f, const pf_arg_layout *y, const uint8_t *bytes, size_t len)
{
    if (y->len == 0 || y->names != f->generation || (y->whole ? len != y->len : len < y->len)) {
        return false;
    }
    unsigned last = (y->len - 1u) / 8;
    uint64_t unlike = (pf_load64(bytes + y->len - 8) & y->mask[last]) ^ y->bits[last];
    for (unsigned i = 0; i < last; i++) {
        unlike |= (pf_load64(bytes + 8 * i) & y->mask[i]) ^ y->bits[i];
    }
    for (unsigned k = 0; k < y->values && !unlike; k++) {
        size_t at = y->value[k].at, from = at + 8 <= len ? at : len - 8;
        uint64_t number = pf_load64(bytes + from) >> 8 * (at - from) & ~0ull >> (64 - 8 * y->value[k].size);
        (void)pf_arg_put_integer(f->piece, y->value[k].column, pf_varint_gather(number));
    }
    return !unlike;
}

/* What is being learnt of an event. */
typedef struct learner {
    const uint8_t *bytes, *end;
    uint64_t left; /* keys without a value yet */
    uint8_t mask[PF_ARG_LAYOUT_BYTES];
} learner;

/* The first `count` bytes of the field at p up to `after` are the same in all events; of a number the ends are. */
static void keep_field(learner *l, const uint8_t *p, size_t count, const uint8_t *after, bool number)
{
    size_t at = (size_t)(p - l->bytes);
    memset(l->mask + at, 0xff, count);
    memset(l->mask + at + count, number ? 0x80 : 0, (size_t)(after - p) - count);
}

/* Bytes of the tag at p, and of the length after it where there is one. */
static size_t head_size(const uint8_t *p, const uint8_t *after, const uint8_t *from, uint64_t tag)
{
    uint64_t same;
    bool number = (tag & 7) == PF_WIRE_VARINT;
    return (size_t)((number ? read_varint(p, after, &same) : from) - p);
}

/* An annotation, inside from `p` on, that is the small id of a name and one value. False for any other, and where the
 * value is wanted and no integer. */
static bool learn_annotation(const finder *f, learner *l, pf_arg_layout *y, const uint8_t *p, const uint8_t *after)
{
    uint64_t tag, value;
    const uint8_t *from, *field = p + 2;
    if (after - p < 4 || p[0] != PF_TAG_VARINT(PF_F_ANNOTATION_NAME_IID) || p[1] == 0 || p[1] >= PF_ARG_NAMED ||
        read_field(field, after, &tag, &value, &from) != after) {
        return false;
    }
    bool is_number = (tag & 7) == PF_WIRE_VARINT;
    size_t head = head_size(field, after, from, tag);
    uint64_t keys = keys_of_id(f, p[1]);
    keep_field(l, p, 2 + head, after, is_number);
    if (!keys) {
        return !f->piece->unnamed;
    }
    unsigned k = (unsigned)__builtin_ctzll(keys);
    pf_arg_type type = f->piece->columns->column[k].type;
    size_t size = (size_t)(after - field) - head;
    if ((tag != PF_TAG_VARINT(PF_F_ANNOTATION_INT) && tag != PF_TAG_VARINT(PF_F_ANNOTATION_UINT)) ||
        keys & (keys - 1) || (type != PF_ARG_INT && type != PF_ARG_UINT) || size > 8 ||
        y->values == PF_ARG_SHAPE_VALUES || !(l->left >> k & 1)) {
        return false;
    }
    y->value[y->values].at = (uint8_t)(field + head - l->bytes);
    y->value[y->values].size = (uint8_t)size;
    y->value[y->values++].column = (uint8_t)k;
    l->left &= ~keys;
    return true;
}

static void learn_layout(const finder *f, pf_arg_layout *y, const uint8_t *bytes, size_t len)
{
    uint64_t tag, value;
    const uint8_t *p = bytes, *from;
    size_t wanted = f->piece->columns->count; /* 64 at most */
    learner l = {.bytes = bytes, .end = bytes + len, .left = wanted < 64 ? (1ull << wanted) - 1 : ~0ull};
    y->len = y->values = 0;
    while (p < l.end && l.left) {
        const uint8_t *after = read_field(p, l.end, &tag, &value, &from);
        if (!after || after - bytes > PF_ARG_LAYOUT_BYTES) {
            return;
        }
        size_t head = head_size(p, after, from, tag);
        bool is_annotation = tag == PF_TAG_BYTES(PF_F_EVENT_DEBUG_ANNOTATIONS);
        keep_field(&l, p, head, after, (tag & 7) == PF_WIRE_VARINT);
        if (is_annotation && !learn_annotation(f, &l, y, from, after)) {
            return;
        }
        p = after;
    }
    if (p - bytes < 8) {
        return;
    }
    y->len = (uint16_t)(p - bytes);
    y->whole = l.left != 0;
    y->names = f->generation;
    for (unsigned i = 0; i <= (y->len - 1u) / 8; i++) {
        size_t at = 8 * i + 8 <= y->len ? 8 * i : y->len - 8u;
        y->mask[i] = pf_load64(l.mask + at);
        y->bits[i] = pf_load64(bytes + at) & y->mask[i];
    }
}

/* Whether annotations alone can give all that is wanted. */
static bool is_simple(const pf_arg_columns *c)
{
    bool simple = true;
    for (size_t k = 0; k < c->count && simple; k++) {
        pf_str key = c->wanted[k].key;
        simple = !memchr(key.ptr, '.', key.len) && !memchr(key.ptr, '[', key.len) && !pf_walker_field_gives(key);
    }
    return simple;
}

pf_status pf_perfetto_find_args(pf_arg_piece *p, const uint8_t *bytes, size_t len, uint32_t context,
                                const pf_arg_visitor *v)
{
    const pf_generations *g = pf_perfetto_generations(p->t);
    const uint8_t *at = bytes, *end = bytes + len, *from;
    uint64_t tag, value;
    if (p->simple == PF_ARG_SIMPLE_UNKNOWN) {
        p->simple = is_simple(p->columns) ? PF_ARG_SIMPLE : PF_ARG_NOT_SIMPLE;
    }
    if (p->simple == PF_ARG_NOT_SIMPLE || !g || context >= g->count) {
        return PF_ERR_DAMAGED;
    }
    const finder f = {p, g->list[context]};
    pf_arg_layout *y = &p->layout[len % PF_ARG_LAYOUTS];
    if (p->first_values && take_layout(&f, y, bytes, len)) {
        y->patience = PF_ARG_SHAPE_PATIENCE;
        return PF_OK;
    }
    while (at < end && !pf_arg_complete(p)) {
        const uint8_t *after = pass_integer(&f, at, end);
        if (after) {
            at = after;
            continue;
        }
        at = read_field(at, end, &tag, &value, &from);
        if (!at || (tag == PF_TAG_BYTES(PF_F_EVENT_DEBUG_ANNOTATIONS) && !take_annotation(&f, from, at))) {
            return PF_ERR_DAMAGED;
        }
    }
    if (p->first_values && p->status == PF_OK && y->patience-- == 0) {
        y->patience = PF_ARG_SHAPE_PATIENCE;
        learn_layout(&f, y, bytes, len);
    }
    return p->status;
}

pf_status pf_perfetto_find_passed_args(pf_arg_piece *p, const uint8_t *bytes, size_t len, uint32_t context,
                                       const pf_arg_visitor *v)
{
    return len < PF_PASSED_BYTES ? PF_ERR_DAMAGED
                                 : pf_perfetto_find_args(p, bytes + PF_PASSED_BYTES, len - PF_PASSED_BYTES, context, v);
}
