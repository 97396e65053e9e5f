/* read/perfetto/apply/android_logs.c - messages of Android's log (logd), each with a time of its own. They wait in the
 * list of messages until all are known (event/logs_and_stacks.c).
 */
#include <string.h>

#include "base/text/number.h"
#include "perfetto/fields.h"
#include "read/perfetto/apply/packet_apply.h"
#include "read/perfetto/ftrace/ftrace.h"
#include "read/perfetto/system/system.h"

enum { LOG_STATS = 2 };
enum { EVENT_PID = 2, EVENT_TID = 3, EVENT_TIMESTAMP = 5, EVENT_TAG = 6, EVENT_PRIORITY = 7, EVENT_MESSAGE = 8 };
enum { EVENT_ARGS = 9, ARG_NAME = 1, ARG_INT = 2, ARG_FLOAT = 3, ARG_STRING = 4 };
enum { PRIORITY_INFO = 4 }; /* of a message that has none */

static void add_arg(pf_buffer *b, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_BYTES(ARG_NAME),
                     PF_AT_VARINT(ARG_INT), [ARG_FLOAT] = PF_TAG(ARG_FLOAT, PF_WIRE_FIXED32), PF_AT_BYTES(ARG_STRING));
    pf_buffer_text(b, " ");
    pf_buffer_put(b, f[ARG_NAME].bytes, f[ARG_NAME].len);
    pf_buffer_text(b, "=");
    if (f[ARG_INT].tag) {
        pf_buffer_format(b, "%lld", (long long)f[ARG_INT].value);
    } else if (f[ARG_FLOAT].tag) {
        char digits[PF_FIXED_MAX];
        pf_buffer_put(b, digits, pf_format_real_fixed(pf_bits_to_float((uint32_t)f[ARG_FLOAT].value), 6, digits));
    } else if (f[ARG_STRING].tag) {
        pf_buffer_text(b, "\"");
        pf_buffer_put(b, f[ARG_STRING].bytes, f[ARG_STRING].len);
        pf_buffer_text(b, "\"");
    }
}

/* The message with its arguments. */
static uint32_t message_of(pf_import *im, pf_cursor event, const pf_field *text)
{
    pf_buffer *b = &im->scratch;
    pf_field f;
    b->len = 0;
    pf_buffer_put(b, text->bytes, text->len);
    while (pf_cursor_next_of(&event, PF_TAG_BYTES(EVENT_ARGS), &f)) {
        add_arg(b, pf_field_cursor(&f));
    }
    return pf_import_scratch(im);
}

/* A packet whose data is one message, and whose time is that of the message. */
static void take_log(pf_import *im, const pf_packet *p)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(&p->data), PF_AT_VARINT(EVENT_PID), PF_AT_VARINT(EVENT_TID),
                     PF_AT_BYTES(EVENT_TAG), PF_AT_VARINT(EVENT_PRIORITY), PF_AT_BYTES(EVENT_MESSAGE));
    int32_t priority = (int32_t)f[EVENT_PRIORITY].value, tid = (int32_t)f[EVENT_TID].value;
    pf_log log = {.ts = p->at->ts, .priority = priority ? priority : PRIORITY_INFO};
    log.utid = tid ? pf_import_thread(im, (int32_t)f[EVENT_PID].value, tid) : im->machine.idle_utid;
    log.tag = pf_import_text(im, pf_field_text(&f[EVENT_TAG]));
    log.message = message_of(im, pf_field_cursor(&p->data), &f[EVENT_MESSAGE]);
    pf_import_add_log(im, &log);
}

static void take_now(pf_import *im, const pf_packet *p, void (*take)(pf_import *im, const pf_packet *p))
{
    take(im, p);
}

void pf_import_android_log(pf_import *im, const pf_packet *p)
{
    static const pf_stat_id STATS[] = {PF_STAT_LOG_TOTAL, PF_STAT_LOG_FAILED, PF_STAT_LOG_SKIPPED};
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field f;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_ANDROID_LOG_EVENT), &f)) {
        const pf_field ts = pf_cursor_last(pf_field_cursor(&f), PF_TAG_VARINT(EVENT_TIMESTAMP));
        pf_moment at = {.clock = {PF_CLOCK_REALTIME, 0}, .ts = (int64_t)ts.value};
        const pf_packet log = {p->r, f, p->q, &at};
        if (!pf_import_settle(im, &at, pf_import_offset(im, p->r))) {
            continue;
        }
        (im->ftrace ? pf_ftrace_put_off : take_now)(im, &log, take_log);
    }
    c = pf_field_cursor(&p->data);
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(LOG_STATS), &f)) {
        for (uint32_t i = 0; i < PF_TAG_COUNT(STATS); i++) {
            uint64_t value = pf_cursor_last(pf_field_cursor(&f), PF_TAG_VARINT(1 + i)).value;
            pf_system_stat(im, p->r, STATS[i], PF_NONE, (int64_t)value);
        }
    }
}
