/* read/perfetto/event/packet_call_stacks.c - the call stacks that events carry (docs/reference/perfetto.md,
 * "Arguments").
 *
 * A stack is a list of frames, the outermost first. It becomes a path in a tree of call sites, so that stacks with
 * equal beginnings share them; frames, the mappings that they lie in and the source positions that they name are kept
 * once, too. Frames that are written out belong to a mapping made for them. Interned frames may lie in none, which is
 * one without a name. An event whose stack names something that nothing defines goes without.
 */
#include <math.h>
#include <string.h>

#include "perfetto/fields.h"
#include "read/perfetto/event/packet_call_stacks.h"

static const char INLINE_MAPPING[] = "track_event_inline";

/* What rows are known by; padding is none. */
typedef struct frame_key {
    uint64_t pc;
    uint32_t mapping, name, file, line;
} frame_key;

typedef struct mapping_key {
    int64_t number[5]; /* as the columns from PF_MAPPING_EXACT_OFFSET on */
    uint32_t build_id, name;
} mapping_key;

void pf_stacks_init(pf_stacks *s, pf_import *im)
{
    s->im = im;
    pf_map_init(&s->rows, &im->t->budget);
    pf_map_init(&s->callsites, &im->t->budget);
}

void pf_stacks_free(pf_stacks *s)
{
    pf_map_free(&s->rows);
    pf_map_free(&s->callsites);
}

static pf_side_table *side(const pf_stacks *s, pf_side_id id)
{
    return &s->im->t->sides.known[id];
}

/* The row that the key stands for in `map`, a new one of the table if it is new; PF_NONE if memory was refused. */
static uint32_t find_row(pf_stacks *s, pf_map *map, uint64_t key, pf_side_id id, bool *is_new)
{
    pf_import *im = s->im;
    uint32_t row = pf_map_get(map, key);
    *is_new = row == PF_NONE;
    if (!*is_new) {
        return row;
    }
    if (pf_side_add_row(&im->t->sides.known[id], im->err) != PF_OK) {
        return PF_NONE;
    }
    row = side(s, id)->count - 1;
    if (!pf_map_set(map, key, row)) {
        pf_budget_refused(&im->t->budget, 1u << 12, im->err);
        return PF_NONE;
    }
    return row;
}

/* The same for a key of several parts. */
static uint32_t find_row_of(pf_stacks *s, const void *key, size_t len, pf_side_id id, bool *is_new)
{
    uint32_t number = pf_strings_add(&s->im->legacy.keys, key, len, s->im->err);
    return number == PF_NONE ? PF_NONE : find_row(s, &s->rows, number, id, is_new);
}

static uint32_t intern_text(pf_stacks *s, pf_str text)
{
    return text.len ? pf_strings_add(&s->im->t->strings, text.ptr, text.len, s->im->err) : 0;
}

/* The string of an interned entry; PF_NONE (counted) if nothing defines it. */
static uint32_t entry_of(pf_stacks *s, const pf_generation *g, pf_intern_kind kind, uint64_t iid)
{
    uint32_t id = pf_intern_get(g, kind, iid);
    if (id == PF_NONE) {
        pf_trace_count(s->im->t, PF_STAT_INTERNED_ERRORS, PF_NOWHERE);
    }
    return id;
}

/* The same for a text that may be left out (iid 0). *known is cleared if nothing defines it. */
static uint32_t text_of(pf_stacks *s, const pf_generation *g, pf_intern_kind kind, uint64_t iid, bool *known)
{
    uint32_t id = iid ? entry_of(s, g, kind, iid) : 0;
    if (id == PF_NONE) {
        pf_trace_count(s->im->t, PF_STAT_STACK_NO_STRING, PF_NOWHERE);
        *known = false;
    }
    return id == PF_NONE ? 0 : id;
}

static pf_cursor cursor_of(const pf_stacks *s, uint32_t entry)
{
    pf_str bytes = pf_strings_get(&s->im->t->strings, entry);
    return pf_cursor_over((const uint8_t *)bytes.ptr, bytes.len);
}

/* ---- mappings ---------------------------------------------------------------------------------------------------- */

static pf_status add_mapping(pf_stacks *s, const mapping_key *key, uint32_t *mapping)
{
    bool is_new;
    *mapping = find_row_of(s, key, sizeof *key, PF_SIDE_MAPPING, &is_new);
    if (*mapping == PF_NONE) {
        return s->im->err->code;
    }
    if (is_new) {
        pf_side_table *m = side(s, PF_SIDE_MAPPING);
        *pf_side_ref(m, PF_MAPPING_BUILD_ID, *mapping) = key->build_id;
        *pf_side_ref(m, PF_MAPPING_NAME, *mapping) = key->name;
        for (unsigned i = 0; i < 5; i++) {
            *pf_side_number(m, PF_MAPPING_EXACT_OFFSET + i, *mapping) = key->number[i];
        }
    }
    return PF_OK;
}

/* The mapping of frames that name none. */
static pf_status add_made_mapping(pf_stacks *s, const char *name, uint32_t *mapping)
{
    const mapping_key key = {.number = {0, 0, 0, -1, 0},
                             .build_id = pf_strings_add(&s->im->t->strings, "", 0, s->im->err),
                             .name = pf_strings_add(&s->im->t->strings, name, strlen(name), s->im->err)};
    return key.build_id == PF_NONE || key.name == PF_NONE ? s->im->err->code : add_mapping(s, &key, mapping);
}

/* Bytes as hexadecimal digits. */
static uint32_t intern_build_id(pf_stacks *s, uint32_t entry)
{
    pf_str bytes = pf_strings_get(&s->im->t->strings, entry);
    pf_buffer *b = &s->im->scratch;
    b->len = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        pf_buffer_format(b, "%02x", (uint8_t)bytes.ptr[i]);
    }
    if (b->failed) {
        pf_budget_refused(&s->im->t->budget, bytes.len, s->im->err);
        return PF_NONE;
    }
    return pf_strings_add(&s->im->t->strings, b->len ? b->data : "", b->len, s->im->err);
}

/* The parts of a path; one that is a whole path already stays as it is. *known is cleared if nothing defines a part. */
static uint32_t intern_path(pf_stacks *s, const pf_generation *g, pf_cursor mapping, bool *known)
{
    pf_buffer *b = &s->im->scratch;
    pf_field f;
    b->len = 0;
    while (pf_cursor_next(&mapping, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_MAPPING_PATH_IIDS)) {
            uint32_t part = text_of(s, g, PF_INTERN_MAPPING_PATH, f.value, known);
            pf_str text = pf_strings_get(&s->im->t->strings, part);
            pf_buffer_put(b, "/", 1);
            pf_buffer_put(b, text.ptr, text.len);
        }
    }
    if (b->failed) {
        pf_budget_refused(&s->im->t->budget, 1u << 12, s->im->err);
        return PF_NONE;
    }
    size_t twice = b->len > 1 && b->data[0] == '/' && b->data[1] == '/';
    return pf_strings_add(&s->im->t->strings, b->len ? b->data + twice : "", b->len - twice, s->im->err);
}

/* *mapping stays PF_NONE if nothing defines the iid, or something that the mapping names. */
static pf_status find_mapping(pf_stacks *s, const pf_generation *g, uint64_t iid, uint32_t *mapping)
{
    if (iid == 0) {
        return add_made_mapping(s, "", mapping);
    }
    uint32_t entry = entry_of(s, g, PF_INTERN_MAPPING, iid);
    if (entry == PF_NONE) {
        return PF_OK;
    }
    uint64_t value[PF_MAPPING_FIELDS] = {0};
    pf_cursor c = cursor_of(s, entry);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (pf_field_wire(&f) == PF_WIRE_VARINT && pf_field_number(&f) < PF_MAPPING_FIELDS) {
            value[pf_field_number(&f)] = f.value;
        }
    }
    bool known = true;
    uint32_t build_id = text_of(s, g, PF_INTERN_BUILD_ID, value[PF_F_MAPPING_BUILD_IID], &known);
    const mapping_key key = {.number = {(int64_t)value[PF_F_MAPPING_EXACT_OFFSET],
                                        (int64_t)value[PF_F_MAPPING_START_OFFSET], (int64_t)value[PF_F_MAPPING_START],
                                        (int64_t)value[PF_F_MAPPING_END], (int64_t)value[PF_F_MAPPING_LOAD_BIAS]},
                             .build_id = intern_build_id(s, build_id),
                             .name = intern_path(s, g, cursor_of(s, entry), &known)};
    if (key.build_id == PF_NONE || key.name == PF_NONE) {
        return s->im->err->code;
    }
    return known ? add_mapping(s, &key, mapping) : PF_OK;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static pf_status add_symbol(pf_stacks *s, const frame_key *key, uint32_t frame)
{
    pf_import *im = s->im;
    pf_status st = pf_side_add_row(&im->t->sides.known[PF_SIDE_SYMBOL], im->err);
    if (st != PF_OK) {
        return st;
    }
    pf_side_table *symbols = side(s, PF_SIDE_SYMBOL);
    uint32_t row = symbols->count - 1;
    *pf_side_number(symbols, PF_SYMBOL_SET, row) = row;
    *pf_side_ref(symbols, PF_SYMBOL_NAME, row) = key->name;
    *pf_side_ref(symbols, PF_SYMBOL_FILE, row) = key->file;
    *pf_side_number(symbols, PF_SYMBOL_LINE, row) = key->line;
    *pf_side_number(side(s, PF_SIDE_STACK_FRAME), PF_STACK_FRAME_SYMBOLS, frame) = row;
    return PF_OK;
}

static pf_status add_frame(pf_stacks *s, const frame_key *key, uint32_t *frame)
{
    bool is_new;
    *frame = find_row_of(s, key, sizeof *key, PF_SIDE_STACK_FRAME, &is_new);
    if (*frame == PF_NONE) {
        return s->im->err->code;
    }
    if (!is_new) {
        return PF_OK;
    }
    pf_side_table *frames = side(s, PF_SIDE_STACK_FRAME);
    *pf_side_ref(frames, PF_STACK_FRAME_NAME, *frame) = key->name;
    *pf_side_ref(frames, PF_STACK_FRAME_MAPPING, *frame) = key->mapping;
    *pf_side_number(frames, PF_STACK_FRAME_PC, *frame) = (int64_t)key->pc;
    return key->file ? add_symbol(s, key, *frame) : PF_OK;
}

static pf_status find_inline_frame(pf_stacks *s, pf_cursor c, uint32_t *frame)
{
    frame_key key = {0};
    pf_field f;
    pf_str name = {NULL, 0}, file = {NULL, 0};
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_INLINE_FRAME_FUNCTION)) {
            name = (pf_str){(const char *)f.bytes, f.len};
        } else if (f.tag == PF_TAG_BYTES(PF_F_INLINE_FRAME_FILE)) {
            file = (pf_str){(const char *)f.bytes, f.len};
        } else if (f.tag == PF_TAG_VARINT(PF_F_INLINE_FRAME_LINE)) {
            key.line = (uint32_t)f.value;
        }
    }
    key.name = intern_text(s, name);
    key.file = intern_text(s, file);
    if (key.name == PF_NONE || key.file == PF_NONE) {
        return s->im->err->code;
    }
    pf_status st = add_made_mapping(s, INLINE_MAPPING, &key.mapping);
    return st == PF_OK ? add_frame(s, &key, frame) : st;
}

/* *frame stays PF_NONE if it, or something that it names, is unknown. */
static pf_status find_frame(pf_stacks *s, const pf_generation *g, uint64_t iid, uint32_t *frame)
{
    uint32_t entry = entry_of(s, g, PF_INTERN_FRAME, iid);
    if (entry == PF_NONE) {
        pf_trace_count(s->im->t, PF_STAT_STACK_NO_FRAME, PF_NOWHERE);
        return PF_OK;
    }
    uint64_t value[PF_FRAME_FIELDS] = {0};
    pf_cursor c = cursor_of(s, entry);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (pf_field_wire(&f) == PF_WIRE_VARINT && pf_field_number(&f) < PF_FRAME_FIELDS) {
            value[pf_field_number(&f)] = f.value;
        }
    }
    frame_key key = {.pc = value[PF_F_FRAME_PC], .mapping = PF_NONE, .line = (uint32_t)value[PF_F_FRAME_LINE]};
    pf_status st = find_mapping(s, g, value[PF_F_FRAME_MAPPING_IID], &key.mapping);
    if (st != PF_OK || key.mapping == PF_NONE) {
        return st;
    }
    bool known = true;
    key.name = text_of(s, g, PF_INTERN_FUNCTION_NAME, value[PF_F_FRAME_FUNCTION_IID], &known);
    key.file = text_of(s, g, PF_INTERN_SOURCE_PATH, value[PF_F_FRAME_FILE_IID], &known);
    return known ? add_frame(s, &key, frame) : PF_OK;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

/* One step down the tree. */
static pf_status descend(pf_stacks *s, uint32_t frame, uint32_t *callsite)
{
    bool is_new;
    uint32_t parent = *callsite;
    uint32_t row = find_row(s, &s->callsites, (uint64_t)(parent + 1) << 32 | frame, PF_SIDE_CALLSITE, &is_new);
    if (row == PF_NONE) {
        return s->im->err->code;
    }
    if (is_new) {
        pf_side_table *sites = side(s, PF_SIDE_CALLSITE);
        *pf_side_number(sites, PF_CALLSITE_DEPTH, row) =
            parent == PF_NONE ? 0 : *pf_side_number(sites, PF_CALLSITE_DEPTH, parent) + 1;
        *pf_side_ref(sites, PF_CALLSITE_PARENT, row) = parent;
        *pf_side_ref(sites, PF_CALLSITE_FRAME, row) = frame;
    }
    *callsite = row;
    return PF_OK;
}

static pf_status find_inline_stack(pf_stacks *s, pf_cursor c, uint32_t *callsite)
{
    pf_status st = PF_OK;
    pf_field f;
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        uint32_t frame = PF_NONE;
        if (f.tag == PF_TAG_BYTES(PF_F_INLINE_STACK_FRAMES)) {
            st = find_inline_frame(s, pf_field_cursor(&f), &frame);
            st = st == PF_OK ? descend(s, frame, callsite) : st;
        }
    }
    return st;
}

static pf_status find_stack(pf_stacks *s, const pf_generation *g, uint64_t iid, uint32_t *callsite)
{
    uint32_t entry = entry_of(s, g, PF_INTERN_CALLSTACK, iid), reached = PF_NONE;
    if (entry == PF_NONE) {
        return PF_OK;
    }
    pf_cursor c = cursor_of(s, entry);
    pf_status st = PF_OK;
    pf_field f;
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag != PF_TAG_VARINT(PF_F_CALLSTACK_FRAME_IDS)) {
            continue;
        }
        uint32_t frame = PF_NONE;
        st = find_frame(s, g, f.value, &frame);
        if (st != PF_OK || frame == PF_NONE) {
            return st;
        }
        st = descend(s, frame, &reached);
    }
    if (st == PF_OK && reached == PF_NONE) {
        pf_trace_count(s->im->t, PF_STAT_STACK_EMPTY, PF_NOWHERE);
    }
    *callsite = reached;
    return st;
}

pf_status pf_stacks_take(pf_stacks *s, uint32_t event, const uint8_t *bytes, size_t len, const pf_generation *g)
{
    pf_import *im = s->im;
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f, stack = {0};
    double weight = NAN;
    uint32_t callsite = PF_NONE;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_EVENT_CALLSTACK) || f.tag == PF_TAG_VARINT(PF_F_EVENT_CALLSTACK_IID)) {
            stack = f;
        } else if (f.tag == PF_TAG_FIXED64(PF_F_EVENT_CALLSTACK_WEIGHT)) {
            memcpy(&weight, &f.value, sizeof weight);
        }
    }
    pf_status st = PF_OK;
    if (stack.tag == PF_TAG_BYTES(PF_F_EVENT_CALLSTACK)) {
        st = find_inline_stack(s, pf_field_cursor(&stack), &callsite);
    } else if (stack.tag) {
        st = find_stack(s, g, stack.value, &callsite);
        if (st == PF_OK && callsite == PF_NONE) {
            pf_trace_count(im->t, PF_STAT_EVENT_ERRORS, PF_NOWHERE);
        }
    }
    if (st != PF_OK || callsite == PF_NONE) {
        return st;
    }
    st = pf_side_add_row(&im->t->sides.known[PF_SIDE_EVENT_STACK], im->err);
    if (st == PF_OK) {
        pf_side_table *stacks = side(s, PF_SIDE_EVENT_STACK);
        *pf_side_ref(stacks, PF_EVENT_STACK_EVENT, stacks->count - 1) = event;
        *pf_side_ref(stacks, PF_EVENT_STACK_SITE, stacks->count - 1) = callsite;
        *pf_side_real(stacks, PF_EVENT_STACK_WEIGHT, stacks->count - 1) = weight;
    }
    return st;
}
