/* perfetto/decode/sched_events.c - see sched_events.h. */
#include "perfetto/decode/sched_events.h"

#define COMM_MOST (sizeof(pf_comm) - 1)
#define NUMBERS (sizeof((pf_sched_said *)0)->number / sizeof(uint32_t))

static pf_comm comm_of(const pf_field *f, const uint8_t *readable)
{
    static const char KEPT[2 * sizeof(pf_comm)] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    pf_comm c = {{0}};
    if (f->len <= COMM_MOST && readable - f->bytes >= (int64_t)sizeof c) {
        uint64_t bytes[2], kept[2];
        memcpy(bytes, f->bytes, sizeof bytes);
        memcpy(kept, KEPT + sizeof c - f->len, sizeof kept);
        bytes[0] &= kept[0];
        bytes[1] &= kept[1];
        memcpy(&c, bytes, sizeof c);
    } else if (f->len <= COMM_MOST) {
        memcpy(c.text, f->bytes, f->len);
    }
    c.text[COMM_MOST] = (char)(f->len <= COMM_MOST ? f->len : PF_COMM_LONG);
    return c;
}

pf_sched_said pf_sched_read(const pf_ftrace_event *e, const uint8_t *readable)
{
    static const pf_comm absent = {{[COMM_MOST] = (char)PF_COMM_ABSENT}};
    pf_sched_said s = {absent, absent, {0}};
    pf_cursor c = pf_cursor_over(e->body, e->len);
    pf_field f;
    for (;;) {
        const uint8_t *p = c.at;
        bool is_number =
            c.end - p >= 2 && readable - p > PF_VARINT_MAX && *p < 8 * NUMBERS && (*p & 7) == PF_WIRE_VARINT;
        if (is_number && *p >= 8) { /* as all fields but two are */
            uint64_t v = 0;
            const uint8_t *next = pf_varint_slop(p + 1, &v);
            if (next && next <= c.end) {
                s.number[*p / 8] = (uint32_t)v;
                c.at = next;
                continue;
            }
        }
        if (pf_cursor_next_within(&c, readable, &f) != PF_NEXT_FIELD) {
            return s;
        }
        uint32_t number = pf_field_number(&f);
        if (f.tag == PF_TAG_BYTES(PF_PREV_COMM)) {
            s.prev = comm_of(&f, readable);
        } else if (f.tag == PF_TAG_BYTES(PF_NEXT_COMM)) {
            s.next = comm_of(&f, readable);
        } else if (pf_field_wire(&f) == PF_WIRE_VARINT && number < NUMBERS) {
            s.number[number] = (uint32_t)f.value;
        }
    }
}
