/* read/perfetto/event/logs_and_stacks.c - rows that events add to other tables: log messages and call stacks.
 *
 * They are made when all events have their place and time, from the bytes that were kept for the events' arguments: few
 * traces have any, and then in few events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfetto/fields.h"
#include "read/perfetto/args/packet_args.h"
#include "read/perfetto/event/logs_and_stacks.h"
#include "read/perfetto/event/packet_call_stacks.h"

enum { PRIORITY_INFO = 4 }; /* of a message that has none */

/* A message and its time. */
typedef struct log_row {
    int64_t ts, priority;
    uint32_t order, utid, tag, message;
} log_row;

typedef struct log_list {
    log_row *list; /* budget memory */
    uint32_t count, room;
} log_list;

static int by_time(const void *a, const void *b)
{
    const log_row *x = a, *y = b;
    return x->ts != y->ts ? (x->ts < y->ts ? -1 : 1) : (x->order > y->order) - (x->order < y->order);
}

/* The place in the source as "file:line"; *known is false if nothing defines the iid. */
static pf_status find_tag(pf_import *im, const pf_generation *g, uint64_t iid, uint32_t *tag, bool *known)
{
    uint32_t entry = pf_intern_get(g, PF_INTERN_SOURCE_LOCATION, iid);
    *known = entry != PF_NONE;
    if (!*known) {
        return PF_OK;
    }
    pf_str bytes = pf_strings_get(&im->t->strings, entry), file = {NULL, 0};
    pf_cursor c = pf_cursor_over((const uint8_t *)bytes.ptr, bytes.len);
    pf_field f;
    uint32_t line = 0;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_LOCATION_FILE_NAME)) {
            file = (pf_str){(const char *)f.bytes, f.len};
        } else if (f.tag == PF_TAG_VARINT(PF_F_LOCATION_LINE_NUMBER)) {
            line = (uint32_t)f.value;
        }
    }
    im->scratch.len = 0;
    pf_buffer_put(&im->scratch, file.ptr, file.len);
    pf_buffer_format(&im->scratch, ":%u", line);
    if (im->scratch.failed) {
        return pf_budget_refused(&im->t->budget, file.len, im->err);
    }
    *tag = pf_strings_add(&im->t->strings, im->scratch.data, im->scratch.len, im->err);
    return *tag == PF_NONE ? im->err->code : PF_OK;
}

static pf_status append_log(pf_import *im, log_list *logs, const log_row *row)
{
    if (logs->count == logs->room) {
        uint32_t room = logs->room ? logs->room * 2 : 64;
        log_row *list = pf_resize(&im->t->budget, logs->list, logs->room * sizeof *list, (size_t)room * sizeof *list);
        if (!list) {
            return pf_budget_refused(&im->t->budget, (size_t)room * sizeof *list, im->err);
        }
        logs->list = list;
        logs->room = room;
    }
    logs->list[logs->count++] = *row;
    return PF_OK;
}

/* The message of an event of a thread. */
static pf_status take_log(pf_import *im, log_list *logs, uint32_t event, uint32_t utid, pf_cursor log,
                          const pf_generation *g)
{
    const pf_trace *t = im->t;
    log_row row = {
        .ts = t->events.ts[event], .priority = PRIORITY_INFO, .order = logs->count, .utid = utid, .message = PF_NONE};
    bool known = true;
    pf_status st = PF_OK;
    pf_field f;
    while (st == PF_OK && pf_cursor_next(&log, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_LOG_BODY_IID)) {
            row.message = pf_intern_get(g, PF_INTERN_LOG_BODY, f.value);
        } else if (f.tag == PF_TAG_VARINT(PF_F_LOG_PRIORITY)) {
            row.priority = (int32_t)f.value;
        } else if (f.tag == PF_TAG_VARINT(PF_F_LOG_SOURCE_LOCATION_IID)) {
            st = find_tag(im, g, f.value, &row.tag, &known);
        }
    }
    bool usable = known && row.message != PF_NONE;
    return st == PF_OK && usable ? append_log(im, logs, &row) : st;
}

static pf_status add_logs(pf_import *im, log_list *logs)
{
    pf_status st = PF_OK;
    if (logs->count) {
        qsort(logs->list, logs->count, sizeof *logs->list, by_time);
    }
    for (uint32_t i = 0; i < logs->count && st == PF_OK; i++) {
        const log_row *row = &logs->list[i];
        st = pf_side_add_row(&im->t->sides.known[PF_SIDE_LOG], im->err);
        if (st == PF_OK) {
            pf_side_table *s = &im->t->sides.known[PF_SIDE_LOG];
            *pf_side_number(s, PF_LOG_TS, s->count - 1) = row->ts;
            *pf_side_ref(s, PF_LOG_UTID, s->count - 1) = row->utid;
            *pf_side_number(s, PF_LOG_PRIORITY, s->count - 1) = row->priority;
            *pf_side_ref(s, PF_LOG_TAG, s->count - 1) = row->tag;
            *pf_side_ref(s, PF_LOG_MESSAGE, s->count - 1) = row->message;
        }
    }
    return st;
}

/* A message without a thread does not count: the event's bytes are replaced by those without it. */
static pf_status drop_log(pf_import *im, uint32_t range, size_t prefix)
{
    pf_trace *t = im->t;
    const uint8_t *from = t->args.bytes[range];
    uint8_t *copy = pf_arena_alloc(&t->arena, t->args.len[range]);
    if (!copy) {
        return pf_budget_refused(&t->budget, t->args.len[range], im->err);
    }
    size_t kept = prefix;
    memcpy(copy, from, prefix);
    pf_cursor c = pf_cursor_over(from + prefix, t->args.len[range] - prefix);
    const uint8_t *start = c.at;
    for (pf_field f; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; start = c.at) {
        if (f.tag != PF_TAG_BYTES(PF_F_EVENT_LOG_MESSAGE)) {
            memcpy(copy + kept, start, (size_t)(c.at - start));
            kept += (size_t)(c.at - start);
        }
    }
    size_t rest = (size_t)(from + t->args.len[range] - start); /* damage stays */
    memcpy(copy + kept, start, rest);
    kept += rest;
    t->args.bytes[range] = copy;
    t->args.len[range] = (uint32_t)kept;
    pf_trace_count(t, PF_STAT_EVENT_ERRORS, PF_NOWHERE);
    return PF_OK;
}

/* The thread of an event: its track's, or the one that a legacy event came from which moved to a track of its own. */
static uint32_t thread_of(const pf_import *im, uint32_t event, const uint8_t *passed)
{
    const pf_trace *t = im->t;
    uint32_t track = t->events.track[event], utid = t->tracks.utid[track], type = t->tracks.type[track];
    bool moved = type == PF_TRACK_LEGACY_ASYNC_GLOBAL || type == PF_TRACK_LEGACY_ASYNC_PROCESS ||
                 type == PF_TRACK_JSON_GLOBAL_INSTANTS || type == PF_TRACK_JSON_PROCESS_INSTANTS;
    if (utid != PF_NONE || !passed || !moved) {
        return utid;
    }
    return (uint32_t)passed[0] | (uint32_t)passed[1] << 8 | (uint32_t)passed[2] << 16 | (uint32_t)passed[3] << 24;
}

/* What one event adds; `range` is that of its arguments. */
static pf_status take_event(pf_import *im, pf_stacks *stacks, log_list *logs, uint32_t range)
{
    const pf_trace *t = im->t;
    const pf_generations *generations = pf_perfetto_generations(t);
    uint32_t context = t->args.context[range], event = t->args.event[range];
    unsigned decoder = context % PF_DECODERS_MAX;
    const uint8_t *bytes = t->args.bytes[range];
    size_t len = t->args.len[range];
    bool bad = t->events.phase[event] & PF_PHASE_BAD_TS || t->events.ts[event] < 0;
    if (bad || (decoder != im->decoders.event && decoder != im->decoders.passed) ||
        context / PF_DECODERS_MAX >= generations->count) {
        return PF_OK;
    }
    const pf_generation *g = generations->list[context / PF_DECODERS_MAX];
    if (decoder == im->decoders.passed) {
        bytes += PF_PASSED_BYTES;
        len -= PF_PASSED_BYTES;
    }
    pf_cursor c = pf_cursor_over(bytes, len), log = {NULL, NULL};
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_EVENT_LOG_MESSAGE)) {
            log = pf_field_cursor(&f);
        }
    }
    pf_status st = pf_stacks_take(stacks, event, bytes, len, g);
    if (st != PF_OK || !log.at) {
        return st;
    }
    uint32_t utid = thread_of(im, event, decoder == im->decoders.passed ? t->args.bytes[range] : NULL);
    return utid == PF_NONE ? drop_log(im, range, decoder == im->decoders.passed ? PF_PASSED_BYTES : 0)
                           : take_log(im, logs, event, utid, log, g);
}

pf_status pf_import_logs_and_stacks(pf_import *im)
{
    pf_trace *t = im->t;
    pf_stacks stacks;
    log_list logs = {NULL, 0, 0};
    pf_status st = PF_OK;
    if (!im->has_sides) {
        return PF_OK;
    }
    pf_stacks_init(&stacks, im);
    for (uint32_t i = 0; i < t->args.count && st == PF_OK; i++) {
        if (t->args.event[i] >= im->moves.first_event) {
            st = take_event(im, &stacks, &logs, i);
        }
    }
    st = st == PF_OK ? add_logs(im, &logs) : st;
    pf_release(&t->budget, logs.list, logs.room * sizeof *logs.list);
    pf_stacks_free(&stacks);
    return st;
}
