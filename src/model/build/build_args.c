/* model/build/build_args.c - arguments of a trace that is built: how they are kept, and how they are read.
 *
 * The arguments of an event are entries back to back: a byte that says what it is, the string id of the key (4 bytes,
 * PF_NONE inside lists), then the value: 1 byte for a bool, 8 for a number, length (4 bytes) and bytes for a text. A
 * key of the first level is kept with its prefix. Objects and lists are a begin and an end with their members between.
 *
 * Those of a copied event that was given others begin with an entry that names the source's (by their row in its table
 * of arguments): they are visited first, without the ones that a later entry replaces or drops.
 */
#include <stdlib.h>
#include <string.h>

#include "model/build/builder.h"
#include "model/trace/json_notes.h"

/* What an entry is: pf_value_type, or one of these. */
enum { ENTRY_OBJECT = 32, ENTRY_LIST, ENTRY_END, ENTRY_DROP, ENTRY_SOURCE };

#define HEAD_BYTES 5u

static void put(pf_builder *b, const void *bytes, size_t len)
{
    pf_buffer_put(&b->args, bytes, len);
    if (b->args.failed) {
        pf_no_memory(&b->error);
    }
}

static void put_head(pf_builder *b, uint8_t kind, uint32_t key)
{
    uint8_t head[HEAD_BYTES] = {kind};
    memcpy(head + 1, &key, sizeof key);
    put(b, head, sizeof head);
}

/* The entry that names the arguments of a row of the source, if it has some. */
static void put_source(pf_builder *b, uint32_t row)
{
    const pf_trace *s = b->source;
    uint32_t i = pf_rows_find(s->args.event, s->args.count, row, &b->hints.args);
    if (i != PF_NONE) {
        put_head(b, ENTRY_SOURCE, i);
    }
}

pf_status pf_builder_name_args(pf_builder *b, uint32_t index)
{
    uint8_t head[HEAD_BYTES] = {ENTRY_SOURCE};
    memcpy(head + 1, &index, sizeof index);
    return pf_trace_add_args(b->t, head, sizeof head, b->decoder, 0, true, &b->error);
}

/* The copied event's arguments come first in b->args; done once per event. */
static void take_args(pf_builder *b)
{
    pf_build_next *n = &b->next;
    if (n->copied == PF_NONE || n->args_changed) {
        return;
    }
    n->args_changed = true;
    n->changed |= 1u << PF_MEMBER_ARGS;
    put_source(b, n->copied);
}

void pf_build_copy_args(pf_builder *b, uint32_t row)
{
    pf_build_next *n = &b->next;
    if (!pf_builder_open(b)) {
        return;
    }
    if (!n->any || !b->source || row >= b->source->events.count) {
        pf_builder_fail(b, "the arguments of row %u are copied, but there is no such row, or no event to have them",
                        row);
    } else if (n->copied != PF_NONE || b->args.len) {
        pf_builder_fail(b, "the arguments of row %u are copied to an event that has some", row);
    } else {
        put_source(b, row);
    }
}

/* The head of an entry; false after a failure. */
static bool begin_entry(pf_builder *b, uint8_t kind, pf_str key)
{
    pf_build_next *n = &b->next;
    if (!pf_builder_open(b)) {
        return false;
    }
    if (!n->any) {
        pf_builder_fail(b, "an argument is given, but no event was added before it");
        return false;
    }
    take_args(b);
    if (++n->keys > b->t->budget.limits.keys) {
        pf_fail(&b->error, PF_ERR_LIMIT, "an event has more than %u arguments; raise --max-keys",
                b->t->budget.limits.keys);
        return false;
    }
    if (n->depth == 0 && !key.ptr) {
        pf_builder_fail(b, "an argument has no key");
        return false;
    }
    uint32_t id = !key.ptr ? PF_NONE : n->depth ? pf_builder_name(b, key) : pf_builder_first_key(b, key);
    if (b->error.code == PF_OK) {
        put_head(b, kind, id);
    }
    return b->error.code == PF_OK;
}

static void add_number(pf_builder *b, pf_value_type type, pf_str key, uint64_t bits)
{
    if (begin_entry(b, (uint8_t)type, key)) {
        put(b, &bits, sizeof bits);
    }
}

void pf_build_arg_null(pf_builder *b, pf_str key)
{
    begin_entry(b, PF_VALUE_NULL, key);
}

void pf_build_arg_bool(pf_builder *b, pf_str key, bool v)
{
    uint8_t byte = v;
    if (begin_entry(b, PF_VALUE_BOOL, key)) {
        put(b, &byte, 1);
    }
}

void pf_build_arg_int(pf_builder *b, pf_str key, int64_t v)
{
    add_number(b, PF_VALUE_INT, key, (uint64_t)v);
}

void pf_build_arg_uint(pf_builder *b, pf_str key, uint64_t v)
{
    add_number(b, PF_VALUE_UINT, key, v);
}

void pf_build_arg_pointer(pf_builder *b, pf_str key, uint64_t v)
{
    add_number(b, PF_VALUE_POINTER, key, v);
}

void pf_build_arg_real(pf_builder *b, pf_str key, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    add_number(b, PF_VALUE_REAL, key, bits);
}

void pf_build_arg_text(pf_builder *b, pf_str key, pf_str v)
{
    uint32_t len = (uint32_t)v.len;
    if (v.len > UINT32_MAX) {
        pf_builder_fail(b, "an argument of %zu bytes is longer than 4 GiB", v.len);
    }
    if (begin_entry(b, v.ptr ? PF_VALUE_STRING : PF_VALUE_NULL, key) && v.ptr) {
        put(b, &len, sizeof len);
        put(b, v.ptr, v.len);
    }
}

static void begin_container(pf_builder *b, uint8_t kind, pf_str key)
{
    if (!begin_entry(b, kind, key)) {
        return;
    }
    if (++b->next.depth > b->t->budget.limits.depth) {
        pf_fail(&b->error, PF_ERR_LIMIT, "arguments are nested deeper than %u; raise --max-depth",
                b->t->budget.limits.depth);
    }
}

void pf_build_arg_object(pf_builder *b, pf_str key)
{
    begin_container(b, ENTRY_OBJECT, key);
}

void pf_build_arg_list(pf_builder *b, pf_str key)
{
    begin_container(b, ENTRY_LIST, key);
}

void pf_build_arg_end(pf_builder *b)
{
    if (!pf_builder_open(b)) {
        return;
    }
    if (!b->next.any || b->next.depth == 0) {
        pf_builder_fail(b, "an object or list of arguments is ended that was not begun");
        return;
    }
    put_head(b, ENTRY_END, PF_NONE);
    b->next.depth--;
}

void pf_build_drop_arg(pf_builder *b, pf_str key)
{
    if (begin_entry(b, ENTRY_DROP, key) && b->next.depth) {
        pf_builder_fail(b, "an argument is dropped inside an object or list");
    }
}

void pf_build_drop_args(pf_builder *b)
{
    if (pf_builder_open(b) && b->next.any) {
        take_args(b);
        b->args.len = 0;
        b->next.depth = b->next.keys = 0;
    }
}

typedef struct entry {
    uint8_t kind;
    uint32_t key;
    const uint8_t *value;
    uint32_t len; /* of a text */
} entry;

/* The entry at *at, which is moved after it; false at the end. */
static bool next_entry(const uint8_t **at, const uint8_t *end, entry *e)
{
    const uint8_t *p = *at;
    if (p == end) {
        return false;
    }
    e->kind = *p;
    memcpy(&e->key, p + 1, sizeof e->key);
    p += HEAD_BYTES;
    e->value = p;
    switch (e->kind) {
    case PF_VALUE_BOOL:
        p += 1;
        break;
    case PF_VALUE_INT:
    case PF_VALUE_UINT:
    case PF_VALUE_POINTER:
    case PF_VALUE_REAL:
        p += 8;
        break;
    case PF_VALUE_STRING:
        memcpy(&e->len, p, sizeof e->len);
        e->value += sizeof e->len;
        p = e->value + e->len;
        break;
    default:
        break;
    }
    *at = p;
    return true;
}

static pf_value value_of(const entry *e)
{
    pf_value v = {.type = (pf_value_type)e->kind};
    if (e->kind == PF_VALUE_STRING) {
        v.as.s = (pf_str){(const char *)e->value, e->len};
    } else if (e->kind == PF_VALUE_BOOL) {
        v.as.b = *e->value != 0;
    } else if (e->kind != PF_VALUE_NULL) {
        memcpy(&v.as.u, e->value, sizeof v.as.u);
    }
    return v;
}

/* Passes the source's arguments on, without those of the first level that a later entry replaces or drops. */
typedef struct passing {
    const pf_arg_visitor *to;
    const pf_trace *t;
    const uint8_t *entries, *end;
    uint64_t lengths;         /* bit n % 64: a later entry has a key of n bytes */
    uint32_t depth, left_out; /* left_out: levels inside what is left out */
} passing;

static pf_str without_prefix(pf_str key)
{
    const char *dot = key.len ? memchr(key.ptr, '.', key.len) : NULL;
    return dot ? (pf_str){dot + 1, key.len - (size_t)(dot + 1 - key.ptr)} : key;
}

static bool is_odd(char c)
{
    return c == '.' || c == '[' || c == ']';
}

/* Whether the source's key is the entry's, which is shown without dots and brackets. */
static bool same_key(pf_str shown, pf_str raw)
{
    bool same = shown.len == raw.len;
    for (size_t i = 0; i < raw.len && same; i++) {
        same = shown.ptr[i] == raw.ptr[i] || (shown.ptr[i] == '_' && is_odd(raw.ptr[i]));
    }
    return same;
}

static uint64_t length_bit(pf_str key)
{
    return (uint64_t)1 << key.len % 64;
}

static uint64_t find_lengths(const pf_trace *t, const uint8_t *at, const uint8_t *end)
{
    uint64_t lengths = 0;
    entry e;
    while (next_entry(&at, end, &e)) {
        lengths |= length_bit(without_prefix(pf_strings_get(&t->strings, e.key)));
    }
    return lengths;
}

static bool is_replaced(const passing *p, pf_str key)
{
    const uint8_t *at = p->entries;
    uint32_t depth = 0;
    entry e;
    key = without_prefix(key);
    if (!(p->lengths & length_bit(key))) {
        return false;
    }
    while (next_entry(&at, p->end, &e)) {
        pf_str other = depth ? (pf_str){NULL, 0} : without_prefix(pf_strings_get(&p->t->strings, e.key));
        if (depth == 0 && other.ptr && same_key(key, other)) {
            return true;
        }
        depth += e.kind == ENTRY_OBJECT || e.kind == ENTRY_LIST;
        depth -= e.kind == ENTRY_END;
    }
    return false;
}

static pf_status pass_begin(void *ctx, pf_str key, bool list)
{
    passing *p = ctx;
    if (p->left_out || (p->depth == 0 && is_replaced(p, key))) {
        p->left_out++;
        return PF_OK;
    }
    p->depth++;
    return p->to->begin(p->to->ctx, key, list);
}

static pf_status pass_end(void *ctx)
{
    passing *p = ctx;
    if (p->left_out) {
        p->left_out--;
        return PF_OK;
    }
    p->depth--;
    return p->to->end(p->to->ctx);
}

static pf_status pass_value(void *ctx, pf_str key, const pf_value *value)
{
    passing *p = ctx;
    return p->left_out || (p->depth == 0 && is_replaced(p, key)) ? PF_OK : p->to->value(p->to->ctx, key, value);
}

static pf_status visit_source(const pf_trace *t, uint32_t index, const uint8_t *entries, const uint8_t *end,
                              const pf_arg_visitor *v, pf_error *err)
{
    passing p = {.to = v, .t = t, .entries = entries, .end = end, .lengths = find_lengths(t, entries, end)};
    const pf_arg_visitor through = {&p, pass_begin, pass_end, pass_value, v->raw_names};
    return pf_trace_visit_args_at(t->source, index, &through, err);
}

void pf_build_fetch_args(const pf_trace *t, const uint8_t *bytes, size_t len)
{
    enum { LINE = 64, LINES = 4 };
    entry e;
    if (len < HEAD_BYTES || *bytes != ENTRY_SOURCE || !next_entry(&bytes, bytes + len, &e)) {
        return;
    }
    const uint8_t *source = t->source->args.bytes[e.key];
    for (unsigned i = 0; i < LINES; i++) {
        __builtin_prefetch(source + i * LINE);
    }
}

/* The key as the visitor wants it: names of debug annotations have no dots and brackets, unless raw ones are wanted.
 * *made: memory to be freed. */
static pf_str shown_key(pf_str key, bool first, const pf_arg_visitor *v, char inside[64], char **made)
{
    static const char prefix[] = "debug.";
    size_t from = sizeof prefix - 1;
    if (!first || v->raw_names || key.len < from || memcmp(key.ptr, prefix, from) != 0) {
        return key;
    }
    bool odd = false;
    for (size_t i = from; i < key.len && !odd; i++) {
        odd = is_odd(key.ptr[i]);
    }
    char *copy = odd &&key.len <= 64 ? inside : odd ? *made = malloc(key.len) : NULL;
    for (size_t i = 0; i < key.len && copy; i++) {
        copy[i] = (char)(i >= from && is_odd(key.ptr[i]) ? '_' : key.ptr[i]);
    }
    return copy ? (pf_str){copy, key.len} : odd ? (pf_str){NULL, 0} : key;
}

static pf_status visit(const entry *e, pf_str key, const pf_arg_visitor *v)
{
    switch (e->kind) {
    case ENTRY_OBJECT:
    case ENTRY_LIST:
        return v->begin(v->ctx, key, e->kind == ENTRY_LIST);
    case ENTRY_END:
        return v->end(v->ctx);
    default: {
        const pf_value value = value_of(e);
        return v->value(v->ctx, key, &value);
    }
    }
}

pf_status pf_build_decode_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                               const pf_arg_visitor *v, pf_error *err)
{
    const uint8_t *at = bytes, *end = bytes + len;
    uint32_t depth = 0;
    pf_status st = PF_OK;
    entry e;
    while (st == PF_OK && next_entry(&at, end, &e)) {
        char inside[64], *made = NULL;
        if (e.kind == ENTRY_SOURCE) {
            st = visit_source(t, e.key, at, end, v, err);
            continue;
        }
        if (e.kind == ENTRY_DROP) {
            continue;
        }
        depth -= e.kind == ENTRY_END;
        pf_str key = shown_key(pf_strings_get(&t->strings, e.key), depth == 0, v, inside, &made);
        st = visit(&e, key, v);
        depth += e.kind == ENTRY_OBJECT || e.kind == ENTRY_LIST;
        free(made);
    }
    for (; depth && st == PF_OK; depth--) {
        st = v->end(v->ctx);
    }
    return st;
}
