/* read/perfetto/event/logs_and_stacks.c - rows that events add to other tables: log messages and call stacks.
 *
 * They are made when all events have their place and time, from the bytes that were kept for the events' arguments: few
 * traces have any, and then in few events.
 */
#include <stdlib.h>
#include <string.h>

#include "base/little_endian.h"
#include "base/ordering.h"
#include "perfetto/fields.h"
#include "read/perfetto/args/packet_args.h"
#include "read/perfetto/event/draft.h"

enum { PRIORITY_INFO = 4 }; /* of a message that has none */

PF_ORDER(by_time, pf_log, PF_UP(ts), PF_UP(order));

/* The place in the source as "file:line"; *known is false if nothing defines the iid. */
static uint32_t find_tag(pf_import *im, const pf_generation *g, uint64_t iid, bool *known)
{
    uint32_t entry = pf_intern_get(g, PF_INTERN_SOURCE_LOCATION, iid);
    *known = entry != PF_NONE;
    if (!*known) {
        return 0;
    }
    pf_str bytes = pf_strings_get(&im->t->strings, entry);
    pf_cursor c = pf_cursor_over((const uint8_t *)bytes.ptr, bytes.len);
    const pf_field file = pf_cursor_last(c, PF_TAG_BYTES(PF_F_LOCATION_FILE_NAME));
    im->scratch.len = 0;
    pf_buffer_put(&im->scratch, file.bytes, file.len);
    pf_buffer_format(&im->scratch, ":%u", (uint32_t)pf_cursor_last(c, PF_TAG_VARINT(PF_F_LOCATION_LINE_NUMBER)).value);
    return pf_import_scratch(im);
}

/* The message of an event of a thread. */
static pf_status take_log(pf_import *im, uint32_t event, uint32_t utid, pf_cursor log, const pf_generation *g)
{
    PF_CURSOR_FIELDS(f, log, PF_AT_VARINT(PF_F_LOG_SOURCE_LOCATION_IID), PF_AT_VARINT(PF_F_LOG_BODY_IID),
                     PF_AT_VARINT(PF_F_LOG_PRIORITY));
    const pf_field *location = &f[PF_F_LOG_SOURCE_LOCATION_IID], *body = &f[PF_F_LOG_BODY_IID];
    bool known = true;
    pf_log row = {.ts = im->t->events.ts[event],
                  .priority = f[PF_F_LOG_PRIORITY].tag ? (int32_t)f[PF_F_LOG_PRIORITY].value : PRIORITY_INFO,
                  .utid = utid,
                  .tag = location->tag ? find_tag(im, g, location->value, &known) : 0,
                  .message = body->tag ? pf_intern_get(g, PF_INTERN_LOG_BODY, body->value) : PF_NONE};
    if (known && row.message != PF_NONE) {
        pf_import_add_log(im, &row);
    }
    return im->err->code;
}

static pf_status add_logs(pf_import *im)
{
    const pf_logs *logs = &im->logs;
    if (logs->count) {
        qsort(logs->list, logs->count, sizeof *logs->list, by_time);
    }
    for (uint32_t i = 0; i < logs->count; i++) {
        const pf_log *log = &logs->list[i];
        uint32_t row = pf_import_side_row(im, PF_SIDE_LOG);
        if (row == PF_NONE) {
            return im->err->code;
        }
        pf_side_set_row(&im->t->sides.known[PF_SIDE_LOG], row,
                        (int64_t[]){log->ts, log->utid, log->priority, log->tag, log->message});
        pf_trace_cover(im->t, log->ts, log->ts);
    }
    return PF_OK;
}

/* A message without a thread does not count: the event's bytes are replaced by those without it. */
static pf_status drop_log(pf_import *im, uint32_t range, size_t prefix)
{
    pf_trace *t = im->t;
    const uint8_t *from = t->args.bytes[range];
    uint8_t *copy = pf_arena_alloc(&t->arena, t->args.len[range]);
    PF_TRY(copy ? PF_OK : pf_import_refuse(im, t->args.len[range]));
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
    return pf_little_u32(passed);
}

/* What one event adds; `range` is that of its arguments. */
static pf_status take_event(pf_import *im, pf_stacks *stacks, uint32_t range)
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
    const pf_field log = pf_cursor_last(pf_cursor_over(bytes, len), PF_TAG_BYTES(PF_F_EVENT_LOG_MESSAGE));
    PF_TRY(pf_stacks_take(stacks, event, bytes, len, g));
    if (!log.tag) {
        return PF_OK;
    }
    uint32_t utid = thread_of(im, event, decoder == im->decoders.passed ? t->args.bytes[range] : NULL);
    return utid == PF_NONE ? drop_log(im, range, decoder == im->decoders.passed ? PF_PASSED_BYTES : 0)
                           : take_log(im, event, utid, pf_field_cursor(&log), g);
}

static pf_status take_events(pf_import *im, pf_stacks *stacks)
{
    const pf_trace *t = im->t;
    for (uint32_t i = 0; i < t->args.count; i++) {
        if (t->args.event[i] >= im->moves.first_event) {
            PF_TRY(take_event(im, stacks, i));
        }
    }
    return PF_OK;
}

pf_status pf_import_logs_and_stacks(pf_import *im)
{
    pf_stacks stacks;
    if (im->has_sides) {
        pf_stacks_init(&stacks, im);
        pf_status st = take_events(im, &stacks);
        pf_stacks_free(&stacks);
        PF_TRY(st);
    }
    return add_logs(im);
}
