/* model/trace/trace_args.c - arguments on request: finding the stored bytes of an event and handing them to the decoder
 * of the reader that stored them. */

#include "base/ordering.h"
#include "base/str.h"
#include "model/trace/trace.h"

#define AHEAD 8u /* arguments whose bytes are fetched before they are read */

uint32_t pf_rows_lower_bound(const uint32_t *rows, uint32_t count, uint32_t row)
{
    uint32_t low = 0;
    PF_BISECT(low, count, rows[middle] < row);
    return low;
}

uint32_t pf_rows_lower_bound_near(const uint32_t *rows, uint32_t count, uint32_t row, uint32_t near)
{
    uint32_t low = 0, high = count;
    uint64_t step = 8;
    if (near < count && rows[near] < row) {
        low = near + 1;
        for (; low + step < count && rows[low + step] < row; step *= 2) {
            low += (uint32_t)step + 1;
        }
        high = low + step < count ? low + (uint32_t)step : count;
    } else {
        high = near < count ? near : count;
        for (; high > step && rows[high - step] >= row; step *= 2) {
            high -= (uint32_t)step;
        }
        low = high > step ? high - (uint32_t)step : 0;
    }
    return low + pf_rows_lower_bound(rows + low, high - low, row);
}

uint64_t pf_trace_event_offset(const pf_trace *t, uint32_t row)
{
    uint32_t i = pf_rows_find(t->offsets.event, t->offsets.count, row, NULL);
    return i == PF_NONE ? PF_NOWHERE : t->offsets.offset[i];
}

void pf_trace_count_event(pf_trace *t, pf_stat_id id, uint32_t event)
{
    uint64_t offset = pf_trace_event_offset(t, event), *count, *first;
    pf_trace_input_fault(t, pf_trace_event_input(t, event), id, &count, &first);
    bool earlier = *count == 0 || offset < *first;
    *first = earlier ? offset : *first;
    (*count)++;
}

/* Where every event has arguments, rows are places. */
static uint32_t find_args(const pf_trace *t, uint32_t row)
{
    bool there = row < t->args.count && t->args.event[row] == row;
    return there ? row : pf_rows_find(t->args.event, t->args.count, row, NULL);
}

static void prefetch_at(const pf_trace *t, uint32_t i)
{
    if (t->own_args >> t->args.context[i] % PF_DECODERS_MAX & 1) {
        t->fetch_own_args(t, t->args.bytes[i], t->args.len[i]);
    } else {
        __builtin_prefetch(t->args.bytes[i]);
    }
}

void pf_trace_prefetch_args(const pf_trace *t, uint32_t row)
{
    if (row < t->args.count && t->args.event[row] == row) {
        prefetch_at(t, row);
    }
}

pf_status pf_trace_visit_args_at(const pf_trace *t, uint32_t i, const pf_arg_visitor *v, pf_error *err)
{
    unsigned decoder = t->args.context[i] % PF_DECODERS_MAX;
    pf_trace_note_args(t, i);
    return t->decoder[decoder](t, t->args.bytes[i], t->args.len[i], t->args.context[i] / PF_DECODERS_MAX, v, err);
}

pf_status pf_trace_visit_args(const pf_trace *t, uint32_t row, const pf_arg_visitor *v, pf_error *err)
{
    uint32_t i = find_args(t, row);
    return i == PF_NONE ? PF_OK : pf_trace_visit_args_at(t, i, v, err);
}

pf_status pf_trace_visit_args_near(const pf_trace *t, uint32_t row, uint32_t *hint, const pf_arg_visitor *v,
                                   pf_error *err)
{
    uint32_t i = pf_rows_find(t->args.event, t->args.count, row, hint);
    if (i == PF_NONE) {
        return PF_OK;
    }
    if (t->args.count - i > AHEAD) {
        prefetch_at(t, i + AHEAD);
    }
    return pf_trace_visit_args_at(t, i, v, err);
}

bool pf_trace_join_args(pf_trace *t, uint32_t begin, uint32_t note)
{
    uint32_t from = find_args(t, note), to = begin == PF_NONE ? PF_NONE : find_args(t, begin);
    pf_args_joiner join = from == PF_NONE ? NULL : t->joiner[t->args.context[from] % PF_DECODERS_MAX];
    if (join && to != PF_NONE && t->args.context[to] == t->args.context[from]) {
        /* bytes of such a decoder are copies of the trace's own */
        join((uint8_t *)(uintptr_t)t->args.bytes[to], t->args.len[to], t->args.bytes[from], t->args.len[from]);
    }
    return join;
}

pf_str pf_arg_plain_key(pf_str key)
{
    static const pf_str prefixes[] = {{"args.", 5}, {"debug.", 6}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (pf_str_starts(key, prefixes[i])) {
            return pf_str_from(key, prefixes[i].len);
        }
    }
    return key;
}

pf_status pf_arg_enter(void *ctx, pf_str key, bool list)
{
    ((pf_arg_depth *)ctx)->depth++;
    return PF_OK;
}

pf_status pf_arg_leave(void *ctx)
{
    ((pf_arg_depth *)ctx)->depth--;
    return PF_OK;
}

/* Where the bytes lie in an input that is not compressed, or PF_NOWHERE. */
static uint64_t offset_of(const pf_trace *t, const uint8_t *bytes)
{
    for (size_t i = 0; i < t->input_count; i++) {
        const pf_input *in = &t->inputs[i];
        uintptr_t from = (uintptr_t)in->stored, at = (uintptr_t)bytes;
        if (strcmp(in->compression, "none") == 0 && at >= from && at - from < in->stored_bytes) {
            return at - from;
        }
    }
    return PF_NOWHERE;
}

/* An argument that is lost because of an unknown id is an error inside the event, too, as in Perfetto. */
void pf_trace_check_args(pf_trace *t, const volatile int *cancel)
{
    for (uint32_t i = 0; i < t->args.count && !(cancel && *cancel); i++) {
        unsigned decoder = t->args.context[i] % PF_DECODERS_MAX;
        const uint8_t *bytes = t->args.bytes[i];
        pf_trace_note_args(t, i);
        unsigned faults = t->checker[decoder]
                              ? t->checker[decoder](t, bytes, t->args.len[i], t->args.context[i] / PF_DECODERS_MAX)
                              : 0;
        if (faults & PF_ARGS_DAMAGED) {
            pf_trace_count(t, PF_STAT_ARGS_DAMAGED, offset_of(t, bytes));
        }
        if (faults & PF_ARGS_UNKNOWN_ID) {
            pf_trace_count(t, PF_STAT_INTERNED_ERRORS, offset_of(t, bytes));
            pf_trace_count(t, PF_STAT_EVENT_ERRORS, offset_of(t, bytes));
        }
    }
}

/* Looks for one top-level text value after the first '.' of its key. */
typedef struct text_search {
    pf_arg_depth level;
    pf_str key;
    char *buf;
    size_t cap;
    uint64_t len;
} text_search;

static pf_status match(void *ctx, pf_str key, const pf_value *value)
{
    text_search *s = ctx;
    const char *dot = key.len ? memchr(key.ptr, '.', key.len) : NULL;
    if (s->level.depth || !dot || key.len - (size_t)(dot + 1 - key.ptr) != s->key.len ||
        memcmp(dot + 1, s->key.ptr, s->key.len) != 0) {
        return PF_OK;
    }
    s->len = PF_NOWHERE; /* a later value of the same key replaces an earlier one, whatever its type */
    if (value->type == PF_VALUE_STRING) {
        s->len = value->as.s.len;
        size_t fits = value->as.s.len < s->cap ? value->as.s.len : s->cap;
        if (fits) {
            memcpy(s->buf, value->as.s.ptr, fits);
        }
    }
    return PF_OK;
}

uint64_t pf_trace_arg_text(const pf_trace *t, uint32_t row, pf_str key, char *buf, size_t cap)
{
    text_search search = {.key = key, .buf = buf, .cap = cap, .len = PF_NOWHERE};
    const pf_arg_visitor visitor = {&search, pf_arg_enter, pf_arg_leave, match, false};
    pf_error ignored;
    return pf_trace_visit_args(t, row, &visitor, &ignored) == PF_OK ? search.len : PF_NOWHERE;
}
