/* read/perfetto/apply/undecoded_times.c - when packets happened that no table here has a row for.
 *
 * Perfetto's engine bounds a trace by its tables, those of frames, profiles and logs among them. Their packets
 * are not decoded here, but their times count, so that a recording is as long here as it is there. Times are those of
 * the events inside a packet where it is a bundle of them, else that of the packet.
 *
 * A reader that decodes one of these sources takes its packets before they get here.
 */
#include "perfetto/fields.h"
#include "read/perfetto/apply/packet_apply.h"

/* A time of a clock; one that cannot be converted (yet) does not count. */
static void cover(pf_import *im, uint32_t clock, uint64_t value)
{
    int64_t ts;
    if (pf_clocks_convert(&im->clocks, (pf_clock_key){clock, 0}, (int64_t)value, &ts) == PF_CLOCK_OK && ts >= 0) {
        pf_trace_cover(im->t, ts, ts);
    }
}

/* The times of a list of messages that each have one, or of numbers that add up. */
static void cover_messages(pf_import *im, pf_cursor c, uint32_t list_tag, uint32_t time_tag, uint32_t clock)
{
    pf_field f, inner;
    while (pf_cursor_next_of(&c, list_tag, &f)) {
        pf_cursor m = pf_field_cursor(&f);
        while (pf_cursor_next_of(&m, time_tag, &inner)) {
            cover(im, clock, inner.value);
        }
    }
}

void pf_import_cover_log(pf_import *im, const pf_packet *p)
{
    cover_messages(im, pf_field_cursor(&p->data), PF_TAG_BYTES(PF_F_ANDROID_LOG_EVENT),
                   PF_TAG_VARINT(PF_F_ANDROID_LOG_EVENT_TIMESTAMP), PF_CLOCK_REALTIME);
}

void pf_import_cover_packet(pf_import *im, const pf_packet *p)
{
    if (p->at->when == PF_WHEN_KNOWN && p->at->ts >= 0) {
        pf_trace_cover(im->t, p->at->ts, p->at->ts);
    }
}
