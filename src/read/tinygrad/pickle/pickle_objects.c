/* read/tinygrad/pickle/pickle_objects.c - opcodes that in Python import classes, call them and set their state. Here
 * they make data: a class is its name, a call an object with the name and the arguments, a state the object's fields.
 */

#include "base/buffer.h"
#include "base/str.h"
#include "read/tinygrad/pickle/pickle_machine.h"

enum { LONGEST_NAME = 4096 };

static pf_status add_class(pf_pickle *p, pf_str module, pf_str name)
{
    char full[2 * LONGEST_NAME + 1];
    uint32_t id;
    if (module.len > LONGEST_NAME || name.len > LONGEST_NAME) {
        return pf_pickle_refuse(p, "a class name of more than %d bytes", LONGEST_NAME);
    }
    memcpy(full, module.ptr, module.len);
    full[module.len] = '.';
    memcpy(full + module.len + 1, name.ptr, name.len);
    pf_str whole = {full, module.len + 1 + name.len};
    PF_TRY(pf_pickle_add_text(p, whole, &id));
    PF_TRY(pf_pickle_make(p, PF_PICKLE_CLASS, INT64_MIN, id));
    p->decimal = pf_str_is(whole, "decimal.Decimal") ? p->stack.row[p->stack.count - 1] : p->decimal;
    return PF_OK;
}

static pf_status take_line(pf_pickle *p, pf_str *line)
{
    const uint8_t *bytes, *end = memchr(p->bytes + p->at, '\n', p->len - p->at);
    uint64_t len = end ? (uint64_t)(end - p->bytes) - p->at + 1 : p->len - p->at + 1;
    PF_TRY(pf_pickle_take(p, len, &bytes));
    *line = (pf_str){(const char *)bytes, len - 1};
    return PF_OK;
}

pf_status pf_pickle_op_global(pf_pickle *p, unsigned arg)
{
    pf_str module, name;
    uint32_t first = PF_NONE, second = PF_NONE;
    PF_TRY(arg ? pf_pickle_pop(p, &second) : take_line(p, &module));
    PF_TRY(arg ? pf_pickle_pop(p, &first) : take_line(p, &name));
    if (arg) {
        module = pf_pickle_text(p->v, first);
        name = pf_pickle_text(p->v, second);
        if (!module.ptr || !name.ptr) {
            return pf_pickle_refuse(p, "the name of a class is not a text");
        }
    }
    return add_class(p, module, name);
}

/* Characters up to U+00FF to the bytes that they stand for; false if there are others. */
static bool from_latin1(pf_str text, pf_buffer *out)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool pair = (c == 0xC2 || c == 0xC3) && i + 1 < text.len && ((unsigned char)text.ptr[i + 1] & 0xC0) == 0x80;
        if (pair) {
            c = (unsigned char)((c & 3) << 6 | ((unsigned char)text.ptr[++i] & 0x3F));
        } else if (c >= 0x80) {
            return false;
        }
        pf_buffer_put(out, &c, 1);
    }
    return true;
}

static pf_status add_encoded(pf_pickle *p, pf_str text, uint32_t *out)
{
    pf_buffer bytes = {0};
    bool good = from_latin1(text, &bytes);
    char *kept = good && !bytes.failed ? pf_arena_copy(p->v->arena, bytes.data ? bytes.data : "", bytes.len) : NULL;
    size_t len = bytes.len;
    pf_buffer_free(&bytes);
    if (!kept) {
        return good ? pf_budget_refused(p->budget, len, p->err)
                    : pf_pickle_refuse(p, "bytes with characters beyond U+00FF");
    }
    return pf_pickle_add_bytes(p->v, (pf_bytes){(const uint8_t *)kept, len}, out, p->err);
}

/* The members of one value once more at the end of another. */
static pf_status copy_members(pf_pickle *p, uint32_t to, uint32_t from)
{
    uint32_t last = pf_pickle_get(p->v, from).last;
    for (uint32_t i = pf_pickle_first(p->v, from); i != PF_NONE; i = pf_pickle_next(p->v, i)) {
        PF_TRY(pf_pickle_append(p->v, to, pf_pickle_key(p->v, i), pf_pickle_member(p->v, i), p->err));
        if (i == last) {
            break;
        }
    }
    return PF_OK;
}

/* An object: the class's name; members without a key are the arguments. */
static pf_status add_object(pf_pickle *p, uint32_t class, uint32_t arguments, uint32_t *out)
{
    pf_pickle_row of = pf_pickle_get(p->v, class);
    bool named = of.type == PF_PICKLE_CLASS || of.type == PF_PICKLE_OBJECT;
    PF_TRY(pf_pickle_add_empty(p->v, PF_PICKLE_OBJECT, named ? of.text : 0, out, p->err));
    bool listed = pf_pickle_type_of(p->v, arguments) == PF_PICKLE_TUPLE;
    return listed ? copy_members(p, *out, arguments) : PF_OK;
}

pf_status pf_pickle_op_call(pf_pickle *p, unsigned arg)
{
    uint32_t keywords = PF_NONE, arguments, class, value = PF_NONE;
    if (arg == 2) {
        PF_TRY(pf_pickle_pop(p, &keywords));
    }
    PF_TRY(pf_pickle_pop(p, &arguments));
    PF_TRY(pf_pickle_pop(p, &class));
    uint32_t argument = pf_pickle_nth(p->v, arguments, 0);
    pf_str name = pf_pickle_text(p->v, class), text = pf_pickle_text(p->v, argument),
           codec = pf_pickle_text(p->v, pf_pickle_nth(p->v, arguments, 1));
    if (pf_str_is(name, "decimal.Decimal") && pf_pickle_type_of(p->v, argument) == PF_PICKLE_TEXT && !codec.ptr) {
        pf_pickle_row of = pf_pickle_get(p->v, argument);
        PF_TRY(pf_pickle_add(p->v, PF_PICKLE_DECIMAL, of.number, of.text, &value, p->err));
    } else if (pf_str_is(name, "_codecs.encode") && text.ptr && pf_str_is(codec, "latin1")) {
        PF_TRY(add_encoded(p, text, &value));
    } else {
        PF_TRY(add_object(p, class, arguments, &value));
    }
    bool keyed = pf_pickle_type_of(p->v, keywords) == PF_PICKLE_DICT;
    if (keyed && pf_pickle_type_of(p->v, value) == PF_PICKLE_OBJECT) {
        PF_TRY(copy_members(p, value, keywords));
    }
    return pf_pickle_push(p, value);
}

/* The members of a dict become fields. An object that has none yet takes over the chain: nobody else looks at it. */
static pf_status add_fields(pf_pickle *p, uint32_t object, uint32_t state)
{
    if (pf_pickle_type_of(p->v, state) != PF_PICKLE_DICT) {
        return PF_OK;
    }
    if (pf_pickle_first(p->v, object) == PF_NONE) {
        p->v->value.row[object].first = p->v->value.row[state].first;
        p->v->value.row[object].last = p->v->value.row[state].last;
        return PF_OK;
    }
    return copy_members(p, object, state);
}

pf_status pf_pickle_op_build(pf_pickle *p, unsigned arg)
{
    uint32_t state, object;
    PF_TRY(pf_pickle_pop(p, &state));
    PF_TRY(pf_pickle_peek(p, &object));
    if (pf_pickle_type_of(p->v, object) != PF_PICKLE_OBJECT) {
        return PF_OK;
    }
    bool pair = pf_pickle_type_of(p->v, state) == PF_PICKLE_TUPLE && pf_pickle_nth(p->v, state, 1) != PF_NONE;
    if (!pair) {
        return add_fields(p, object, state);
    }
    PF_TRY(add_fields(p, object, pf_pickle_nth(p->v, state, 0)));
    return add_fields(p, object, pf_pickle_nth(p->v, state, 1));
}
