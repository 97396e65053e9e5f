/* analyze/compare/row_names.c - what the row of a slice is called: its name without what differs from call to call, and
 * on request its process, its stream, its category and the shapes of its operands.
 *
 * A trace has few names and many slices. What a name becomes is kept in an array by string id; with more to a row than
 * the name, by a chain of maps from (what is known so far, what comes next) to the text of both. In the pool of row
 * names those of devices begin with a mark, which is not shown.
 */
#include <stdio.h>
#include <string.h>

#include "analyze/compare/compare.h"
#include "analyze/support/shape_text.h"
#include "base/list.h"
#include "model/trace/trace.h"

struct compare_namer {
    compare *c;
    const pf_trace *t;
    const uint8_t *place; /* by slice */
    pf_arena arena;
    uint32_t *name; /* by string id, of the host and of devices in turn: the row + 1; 0: not known yet */
    pf_map next;
    pf_strings texts;           /* of parts */
    uint32_t *process, *stream; /* by track: text ids + 1; 0: not known yet */
    pf_buffer work;
};

/* What the names of rows of devices begin with. */
#define DEVICE_MARK PF_STR("\0device\0")

bool pf_compare_is_device_row(const compare *c, uint32_t row)
{
    return pf_str_starts(pf_strings_get(&c->names, row), DEVICE_MARK);
}

pf_str pf_compare_row_text(const compare *c, uint32_t row)
{
    pf_str name = pf_strings_get(&c->names, row);
    return pf_compare_is_device_row(c, row) ? (pf_str){name.ptr + DEVICE_MARK.len, name.len - DEVICE_MARK.len} : name;
}

uint32_t pf_compare_add_row(compare *c, pf_str text, bool device, pf_error *err)
{
    pf_buffer name = {0};
    pf_buffer_put(&name, DEVICE_MARK.ptr, device ? DEVICE_MARK.len : 0);
    pf_buffer_put(&name, text.ptr ? text.ptr : "", text.len);
    uint32_t row = name.failed ? PF_NONE : pf_strings_add(&c->names, name.data ? name.data : "", name.len, err);
    if (name.failed) {
        pf_no_memory(err);
    }
    pf_buffer_free(&name);
    return row;
}

static bool is_hex(char c)
{
    return pf_hex_value(c) < 16;
}

/* Whether the run of digits [from, to) is the line of a Python function: module.py(12): forward, <string>(3): main. */
static bool is_line(pf_str s, size_t from, size_t to)
{
    pf_str file = {s.ptr, from > 0 ? from - 1 : 0}, rest = {s.ptr + to, s.len - to};
    return from > 1 && s.ptr[from - 1] == '(' && (pf_str_ends(file, PF_STR(".py")) || file.ptr[file.len - 1] == '>') &&
           (pf_str_equal(rest, PF_STR(")")) || pf_str_starts(rest, PF_STR("):")));
}

/* Whether the run of digits [from, to) is a number of the call: after '#', or the last word of the name; or one that
 * changes with every edit of the program. */
static bool is_ordinal(pf_str s, size_t from, size_t to)
{
    return from > 0 && (s.ptr[from - 1] == '#' || (to == s.len && s.ptr[from - 1] == ' ') || is_line(s, from, to));
}

size_t pf_compare_normalise(compare_names names, pf_str s, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len;) {
        size_t end = i;
        bool hex = names != COMPARE_NAMES_EXACT && s.ptr[i] == '0' && i + 2 < s.len && s.ptr[i + 1] == 'x' &&
                   is_hex(s.ptr[i + 2]) && (i == 0 || !is_hex(s.ptr[i - 1]));
        for (end += hex ? 2 : 0; end < s.len && (hex ? is_hex(s.ptr[end]) : pf_is_digit(s.ptr[end]));) {
            end++;
        }
        bool fold = hex || (end > i &&
                            (names == COMPARE_NAMES_FOLDED || (names == COMPARE_NAMES_USUAL && is_ordinal(s, i, end))));
        end = end > i ? end : i + 1;
        size_t kept = hex ? 2 : fold ? 0 : end - i;
        memcpy(out + n, s.ptr + i, kept);
        n += kept;
        if (fold) {
            out[n++] = '*';
        }
        i = end;
    }
    return n;
}

compare_namer *pf_compare_namer_new(compare *c, const pf_trace *t, const uint8_t *place, pf_error *err)
{
    compare_namer *n;
    uint32_t tracks = pf_trace_tracks(t)->count;
    if (PF_LIST_NEW(&c->budget, n, 1, err) != PF_OK) {
        return NULL;
    }
    n->c = c;
    n->t = t;
    n->place = place;
    pf_map_init(&n->next, &c->budget);
    pf_arena_init(&n->arena, &c->budget);
    if (PF_ARENA_NEW(&n->arena, n->name, 2 * (size_t)t->strings.count, err) != PF_OK ||
        PF_ARENA_NEW(&n->arena, n->process, tracks, err) != PF_OK ||
        PF_ARENA_NEW(&n->arena, n->stream, tracks, err) != PF_OK ||
        pf_strings_init(&n->texts, &c->budget, err) != PF_OK) {
        pf_compare_namer_free(n);
        return NULL;
    }
    return n;
}

void pf_compare_namer_free(compare_namer *n)
{
    if (n) {
        pf_map_free(&n->next);
        pf_arena_free(&n->arena);
        pf_strings_free(&n->texts);
        pf_buffer_free(&n->work);
        PF_LIST_FREE(&n->c->budget, n, 1);
    }
}

static uint32_t refused(compare_namer *n, pf_error *err)
{
    pf_budget_refused(&n->c->budget, 64, err);
    return PF_NONE;
}

/* key: of the name, and the place. */
static uint32_t learn_name(compare_namer *n, size_t key, pf_error *err)
{
    pf_str text = pf_trace_string(n->t, (uint32_t)(key / 2));
    pf_str mark = key % 2 == COMPARE_DEVICE ? DEVICE_MARK : PF_STR("");
    text = text.ptr ? text : PF_STR("(no name)");
    n->work.len = 0;
    pf_buffer_put(&n->work, mark.ptr, mark.len);
    pf_buffer_put(&n->work, text.ptr, text.len);
    pf_buffer_put(&n->work, "\0\0", 3); /* 0x1 becomes 0x* of the same length; room for what is none */
    if (n->work.failed) {
        return refused(n, err);
    }
    size_t len = mark.len + pf_compare_normalise(n->c->options.names, text, n->work.data + mark.len);
    uint32_t row = pf_strings_add(&n->c->names, n->work.data, len, err);
    n->name[key] = row == PF_NONE ? 0 : row + 1;
    return row;
}

/* The row of a name in a place alone. */
static uint32_t row_of_name(compare_namer *n, uint32_t name, compare_place place, pf_error *err)
{
    size_t key = (size_t)name * 2 + place;
    return n->name[key] ? n->name[key] - 1 : learn_name(n, key, err);
}

/* The row `row` with one more part. */
static uint32_t join(compare_namer *n, uint32_t row, uint32_t part, const char *before, const char *after,
                     pf_error *err)
{
    uint64_t key = (uint64_t)row << 32 | part;
    uint32_t joined = row == PF_NONE || part == PF_NONE ? PF_NONE : pf_map_get(&n->next, key);
    if (row == PF_NONE || part == PF_NONE || joined != PF_NONE) {
        return joined;
    }
    pf_str a = pf_strings_get(&n->c->names, row), b = pf_strings_get(&n->texts, part);
    n->work.len = 0;
    pf_buffer_put(&n->work, a.ptr, a.len);
    pf_buffer_text(&n->work, before);
    pf_buffer_put(&n->work, b.ptr, b.len);
    pf_buffer_text(&n->work, after);
    joined = n->work.failed ? refused(n, err) : pf_strings_add(&n->c->names, n->work.data, n->work.len, err);
    return joined == PF_NONE || pf_map_set(&n->next, key, joined) ? joined : refused(n, err);
}

/* The text of a name, or else of a number; *known: its id + 1, found once. */
static uint32_t part_of(compare_namer *n, uint32_t *known, uint32_t name, const char *word, int64_t number,
                        pf_error *err)
{
    char digits[64];
    pf_str text = pf_trace_string(n->t, name);
    if (!*known) {
        if (!text.len) {
            int len = snprintf(digits, sizeof digits, "%s %lld", word, (long long)number);
            text = (pf_str){digits, (size_t)len};
        }
        *known = pf_strings_add(&n->texts, text.ptr, text.len, err) + 1; /* PF_NONE + 1: not known */
    }
    return *known - 1;
}

static uint32_t process_of(compare_namer *n, uint32_t track, pf_error *err)
{
    const pf_tracks *k = pf_trace_tracks(n->t);
    const pf_processes *p = pf_trace_processes(n->t);
    uint32_t upid = k->upid[track];
    return upid == PF_NONE ? pf_strings_add(&n->texts, "no process", 10, err)
                           : part_of(n, &n->process[track], p->name[upid], "process", p->pid[upid], err);
}

static uint32_t stream_of(compare_namer *n, uint32_t track, pf_error *err)
{
    const pf_tracks *k = pf_trace_tracks(n->t);
    const pf_threads *t = pf_trace_threads(n->t);
    uint32_t utid = k->utid[track], *known = &n->stream[track];
    return utid == PF_NONE ? part_of(n, known, k->name[track], "track", track, err)
                           : part_of(n, known, t->name[utid], "thread", t->tid[utid], err);
}

static const pf_shape_form shapes = {
    (const char *const[]){"Input Dims", "Input Shapes", "input_shapes", "Input shapes", "shape", "shapes", NULL}, ",",
    false};

uint32_t pf_compare_name(compare_namer *n, uint32_t i, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(n->t);
    uint64_t by = n->c->options.by;
    uint32_t row = row_of_name(n, pf_slice_name(s, i), n->place[i], err);
    if (by & COMPARE_BY_SHAPE && row != PF_NONE) {
        uint32_t part = pf_shape_text(n->t, s->event[i], &shapes, &n->work, &n->texts, err);
        bool empty = part != PF_NONE && pf_strings_get(&n->texts, part).len == 0;
        row = empty ? row : join(n, row, part, " [", "]", err);
    }
    if (by & COMPARE_BY_CATEGORY && row != PF_NONE) {
        pf_str text = pf_trace_string(n->t, pf_slice_category(s, i));
        uint32_t part = pf_strings_add(&n->texts, text.ptr ? text.ptr : "", text.len, err);
        row = text.len ? join(n, row, part, " (", ")", err) : row;
    }
    if (by & COMPARE_BY_STREAM && row != PF_NONE) {
        row = join(n, row, stream_of(n, s->track[i], err), " @ ", "", err);
    }
    return by & COMPARE_BY_PROCESS && row != PF_NONE ? join(n, row, process_of(n, s->track[i], err), " @ ", "", err)
                                                     : row;
}
