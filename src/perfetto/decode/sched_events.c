/* perfetto/decode/sched_events.c - see sched_events.h. */
#include "perfetto/decode/sched_events.h"

#define COMM_MOST (sizeof(pf_comm) - 1)

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
    while (pf_cursor_next_within(&c, readable, &f) == PF_NEXT_FIELD) {
        uint32_t number = pf_field_number(&f);
        if (f.tag == PF_TAG_BYTES(PF_PREV_COMM)) {
            s.prev = comm_of(&f, readable);
        } else if (f.tag == PF_TAG_BYTES(PF_NEXT_COMM)) {
            s.next = comm_of(&f, readable);
        } else if (pf_field_wire(&f) == PF_WIRE_VARINT && number < sizeof s.number / sizeof *s.number) {
            s.number[number] = (uint32_t)f.value;
        }
    }
    return s;
}
