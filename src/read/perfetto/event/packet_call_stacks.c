/* read/perfetto/event/packet_call_stacks.c - the call stacks that events carry (docs/reference/perfetto.md,
 * "Arguments").
 *
 * A stack is a list of frames, the outermost first. It becomes a path in a tree of call sites, so that stacks with
 * equal beginnings share them; frames, the mappings that they lie in and the source positions that they name are kept
 * once, too. Frames that are written out belong to a mapping made for them. Interned frames may lie in none, which is
 * one without a name. An event whose stack names something that nothing defines goes without.
 */
#include <math.h>

#include "perfetto/fields.h"
#include "read/perfetto/event/draft.h"

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

/* The row that the key stands for in `map`, a new one of the table if it is new; PF_NONE after an error. */
static uint32_t find_row(pf_stacks *s, pf_map *map, uint64_t key, pf_side_id id, bool *is_new)
{
    uint32_t row = pf_map_get(map, key);
    *is_new = row == PF_NONE;
    if (*is_new) {
        row = pf_import_side_row(s->im, id);
        pf_import_put(s->im, map, key, row);
    }
    return pf_import_failed(s->im) ? PF_NONE : row;
}

/* The same for a key of several parts. */
static uint32_t find_row_of(pf_stacks *s, const void *key, size_t len, pf_side_id id, bool *is_new)
{
    return find_row(s, &s->rows, pf_import_key(s->im, key, len), id, is_new);
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

static uint32_t add_mapping(pf_stacks *s, const mapping_key *key)
{
    bool is_new;
    uint32_t row = find_row_of(s, key, sizeof *key, PF_SIDE_MAPPING, &is_new);
    if (is_new && row != PF_NONE) {
        const int64_t *n = key->number;
        pf_side_set_row(side(s, PF_SIDE_MAPPING), row,
                        (int64_t[]){key->build_id, n[0], n[1], n[2], n[3], n[4], key->name});
    }
    return row;
}

/* The mapping of frames that name none. */
static uint32_t add_made_mapping(pf_stacks *s, const char *name)
{
    mapping_key key = {.number = {0, 0, 0, -1, 0}};
    key.build_id = pf_import_word(s->im, "");
    key.name = pf_import_word(s->im, name);
    return add_mapping(s, &key);
}

/* Bytes as hexadecimal digits. */
static uint32_t intern_build_id(pf_stacks *s, uint32_t entry)
{
    pf_str bytes = pf_strings_get(&s->im->t->strings, entry);
    s->im->scratch.len = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        pf_buffer_format(&s->im->scratch, "%02x", (uint8_t)bytes.ptr[i]);
    }
    return pf_import_scratch(s->im);
}

/* The parts of a path; one that is a whole path already stays as it is. *known is cleared if nothing defines a part. */
static uint32_t intern_path(pf_stacks *s, const pf_generation *g, pf_cursor mapping, bool *known)
{
    pf_buffer *b = &s->im->scratch;
    pf_field f;
    b->len = 0;
    while (pf_cursor_next_of(&mapping, PF_TAG_VARINT(PF_F_MAPPING_PATH_IIDS), &f)) {
        uint32_t part = text_of(s, g, PF_INTERN_MAPPING_PATH, f.value, known);
        pf_str text = pf_strings_get(&s->im->t->strings, part);
        pf_buffer_put(b, "/", 1);
        pf_buffer_put(b, text.ptr, text.len);
    }
    if (b->failed) {
        pf_import_refuse(s->im, 1u << 12);
    }
    size_t twice = b->len > 1 && b->data[0] == '/' && b->data[1] == '/';
    return pf_import_text(s->im, (pf_str){b->len ? b->data + twice : "", b->len - twice});
}

/* PF_NONE if nothing defines the iid, or something that the mapping names. */
static uint32_t find_mapping(pf_stacks *s, const pf_generation *g, uint64_t iid)
{
    static const uint32_t columns[5] = {PF_F_MAPPING_EXACT_OFFSET, PF_F_MAPPING_START_OFFSET, PF_F_MAPPING_START,
                                        PF_F_MAPPING_END, PF_F_MAPPING_LOAD_BIAS};
    uint32_t entry = iid ? entry_of(s, g, PF_INTERN_MAPPING, iid) : PF_NONE;
    if (iid == 0 || entry == PF_NONE) {
        return iid ? PF_NONE : add_made_mapping(s, "");
    }
    PF_CURSOR_FIELDS(f, cursor_of(s, entry), PF_AT_VARINT(PF_F_MAPPING_BUILD_IID),
                     PF_AT_VARINT(PF_F_MAPPING_START_OFFSET), PF_AT_VARINT(PF_F_MAPPING_START),
                     PF_AT_VARINT(PF_F_MAPPING_END), PF_AT_VARINT(PF_F_MAPPING_LOAD_BIAS),
                     PF_AT_VARINT(PF_F_MAPPING_EXACT_OFFSET));
    bool known = true;
    mapping_key key = {0};
    for (int i = 0; i < 5; i++) {
        key.number[i] = (int64_t)f[columns[i]].value;
    }
    key.build_id = intern_build_id(s, text_of(s, g, PF_INTERN_BUILD_ID, f[PF_F_MAPPING_BUILD_IID].value, &known));
    key.name = intern_path(s, g, cursor_of(s, entry), &known);
    return known ? add_mapping(s, &key) : PF_NONE;
}

static void add_symbol(pf_stacks *s, const frame_key *key, uint32_t frame)
{
    const pf_side_table *symbols = side(s, PF_SIDE_SYMBOL);
    uint32_t row = pf_import_side_row(s->im, PF_SIDE_SYMBOL);
    if (row != PF_NONE) {
        *pf_side_number(symbols, PF_SYMBOL_SET, row) = row;
        *pf_side_ref(symbols, PF_SYMBOL_NAME, row) = key->name;
        *pf_side_ref(symbols, PF_SYMBOL_FILE, row) = key->file;
        *pf_side_number(symbols, PF_SYMBOL_LINE, row) = key->line;
        *pf_side_number(side(s, PF_SIDE_STACK_FRAME), PF_STACK_FRAME_SYMBOLS, frame) = row;
    }
}

static uint32_t add_frame(pf_stacks *s, const frame_key *key)
{
    const pf_side_table *frames = side(s, PF_SIDE_STACK_FRAME);
    bool is_new;
    uint32_t row = find_row_of(s, key, sizeof *key, PF_SIDE_STACK_FRAME, &is_new);
    if (is_new && row != PF_NONE) {
        *pf_side_ref(frames, PF_STACK_FRAME_NAME, row) = key->name;
        *pf_side_ref(frames, PF_STACK_FRAME_MAPPING, row) = key->mapping;
        *pf_side_number(frames, PF_STACK_FRAME_PC, row) = (int64_t)key->pc;
        if (key->file) {
            add_symbol(s, key, row);
        }
    }
    return row;
}

static uint32_t find_inline_frame(pf_stacks *s, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_BYTES(PF_F_INLINE_FRAME_FUNCTION), PF_AT_BYTES(PF_F_INLINE_FRAME_FILE),
                     PF_AT_VARINT(PF_F_INLINE_FRAME_LINE));
    const pf_field *name = &f[PF_F_INLINE_FRAME_FUNCTION], *file = &f[PF_F_INLINE_FRAME_FILE];
    frame_key key = {.line = (uint32_t)f[PF_F_INLINE_FRAME_LINE].value};
    key.name = name->len ? pf_import_text(s->im, pf_field_text(name)) : 0;
    key.file = file->len ? pf_import_text(s->im, pf_field_text(file)) : 0;
    key.mapping = add_made_mapping(s, INLINE_MAPPING);
    return add_frame(s, &key);
}

/* PF_NONE if the frame, or something that it names, is unknown. */
static uint32_t find_frame(pf_stacks *s, const pf_generation *g, uint64_t iid)
{
    uint32_t entry = entry_of(s, g, PF_INTERN_FRAME, iid);
    if (entry == PF_NONE) {
        pf_trace_count(s->im->t, PF_STAT_STACK_NO_FRAME, PF_NOWHERE);
        return PF_NONE;
    }
    PF_CURSOR_FIELDS(f, cursor_of(s, entry), PF_AT_VARINT(PF_F_FRAME_FUNCTION_IID),
                     PF_AT_VARINT(PF_F_FRAME_MAPPING_IID), PF_AT_VARINT(PF_F_FRAME_PC),
                     PF_AT_VARINT(PF_F_FRAME_FILE_IID), PF_AT_VARINT(PF_F_FRAME_LINE));
    frame_key key = {.pc = f[PF_F_FRAME_PC].value, .line = (uint32_t)f[PF_F_FRAME_LINE].value};
    bool known = true;
    key.mapping = find_mapping(s, g, f[PF_F_FRAME_MAPPING_IID].value);
    if (key.mapping == PF_NONE) {
        return PF_NONE;
    }
    key.name = text_of(s, g, PF_INTERN_FUNCTION_NAME, f[PF_F_FRAME_FUNCTION_IID].value, &known);
    key.file = text_of(s, g, PF_INTERN_SOURCE_PATH, f[PF_F_FRAME_FILE_IID].value, &known);
    return known ? add_frame(s, &key) : PF_NONE;
}

/* One step down the tree, from a call site or PF_NONE; the call site that is reached. */
static uint32_t descend(pf_stacks *s, uint32_t frame, uint32_t parent)
{
    pf_side_table *sites = side(s, PF_SIDE_CALLSITE);
    bool is_new;
    uint32_t row = find_row(s, &s->callsites, (uint64_t)(parent + 1) << 32 | frame, PF_SIDE_CALLSITE, &is_new);
    if (is_new && row != PF_NONE) {
        int64_t depth = parent == PF_NONE ? 0 : *pf_side_number(sites, PF_CALLSITE_DEPTH, parent) + 1;
        pf_side_set_row(sites, row, (int64_t[]){depth, parent, frame});
    }
    return row;
}

static uint32_t find_inline_stack(pf_stacks *s, pf_cursor c)
{
    uint32_t callsite = PF_NONE;
    pf_field f;
    while (!pf_import_failed(s->im) && pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_INLINE_STACK_FRAMES), &f)) {
        callsite = descend(s, find_inline_frame(s, pf_field_cursor(&f)), callsite);
    }
    return callsite;
}

/* PF_NONE where something of the stack is unknown. */
static uint32_t find_stack(pf_stacks *s, const pf_generation *g, uint64_t iid)
{
    uint32_t entry = entry_of(s, g, PF_INTERN_CALLSTACK, iid), callsite = PF_NONE;
    if (entry == PF_NONE) {
        return PF_NONE;
    }
    pf_cursor c = cursor_of(s, entry);
    pf_field f;
    while (pf_cursor_next_of(&c, PF_TAG_VARINT(PF_F_CALLSTACK_FRAME_IDS), &f)) {
        uint32_t frame = find_frame(s, g, f.value);
        if (frame == PF_NONE) {
            return PF_NONE;
        }
        callsite = descend(s, frame, callsite);
    }
    if (callsite == PF_NONE) {
        pf_trace_count(s->im->t, PF_STAT_STACK_EMPTY, PF_NOWHERE);
    }
    return callsite;
}

pf_status pf_stacks_take(pf_stacks *s, uint32_t event, const uint8_t *bytes, size_t len, const pf_generation *g)
{
    pf_import *im = s->im;
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f, stack = {0};
    double weight = NAN;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_EVENT_CALLSTACK) || f.tag == PF_TAG_VARINT(PF_F_EVENT_CALLSTACK_IID)) {
            stack = f;
        } else if (f.tag == PF_TAG_FIXED64(PF_F_EVENT_CALLSTACK_WEIGHT)) {
            weight = pf_bits_to_double(f.value);
        }
    }
    bool interned = stack.tag == PF_TAG_VARINT(PF_F_EVENT_CALLSTACK_IID);
    uint32_t callsite = interned ? find_stack(s, g, stack.value) : find_inline_stack(s, pf_field_cursor(&stack));
    if (callsite == PF_NONE) {
        if (interned) {
            pf_trace_count(im->t, PF_STAT_EVENT_ERRORS, PF_NOWHERE);
        }
        return im->err->code;
    }
    const pf_side_table *stacks = side(s, PF_SIDE_EVENT_STACK);
    uint32_t row = pf_import_side_row(im, PF_SIDE_EVENT_STACK);
    if (row != PF_NONE) {
        *pf_side_ref(stacks, PF_EVENT_STACK_EVENT, row) = event;
        *pf_side_ref(stacks, PF_EVENT_STACK_SITE, row) = callsite;
        *pf_side_real(stacks, PF_EVENT_STACK_WEIGHT, row) = weight;
    }
    return im->err->code;
}
