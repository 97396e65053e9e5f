/* perfetto/decode/sched_events.c - see sched_events.h. */
#include "perfetto/decode/sched_events.h"

#define COMM_MOST (sizeof(pf_comm) - 1)
#define FIELD_MOST 32 /* bytes: more than a tag and a number, or a short text */
#define NUMBERS (sizeof((pf_sched_said *)0)->number / sizeof(uint32_t))

static inline pf_comm comm_of(const uint8_t *text, uint32_t len, bool near)
{
    static const char KEPT[2 * sizeof(pf_comm)] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    pf_comm c = {{0}};
    if (len <= COMM_MOST && !near) {
        uint64_t bytes[2], kept[2];
        memcpy(bytes, text, sizeof bytes);
        memcpy(kept, KEPT + sizeof c - len, sizeof kept);
        bytes[0] &= kept[0];
        bytes[1] &= kept[1];
        memcpy(&c, bytes, sizeof c);
    } else if (len <= COMM_MOST) {
        memcpy(c.text, text, len);
    }
    c.text[COMM_MOST] = (char)(len <= COMM_MOST ? len : PF_COMM_LONG);
    return c;
}

/* Fields as nearly all events have them: numbers up to 7, short texts. Where the first other one begins. */
static inline const uint8_t *read_fields(const uint8_t *p, const uint8_t *end, pf_sched_said *s)
{
    for (const uint8_t *next; p < end; p = next) {
        uint32_t number = *p >> 3;
        uint64_t v = 0;
        if ((*p & 7) == PF_WIRE_VARINT && number > 0 && number < NUMBERS) {
            next = pf_varint_mixed(p + 1, &v);
            if (!next || next > end) {
                return p;
            }
            s->number[number] = (uint32_t)v;
        } else if ((*p == PF_TAG_BYTES(PF_PREV_COMM) || *p == PF_TAG_BYTES(PF_NEXT_COMM)) && p[1] <= COMM_MOST) {
            next = p + 2 + p[1];
            if (next > end) {
                return p;
            }
            *(number == PF_PREV_COMM ? &s->prev : &s->next) = comm_of(p + 2, p[1], false);
        } else {
            return p;
        }
    }
    return p;
}

void pf_sched_read(const pf_ftrace_event *e, const uint8_t *readable, pf_sched_said *s)
{
    static const pf_comm absent = {{[COMM_MOST] = (char)PF_COMM_ABSENT}};
    *s = (pf_sched_said){absent, absent, {0}};
    pf_cursor c = pf_cursor_over(e->body, e->len);
    pf_field f;
    if (readable - c.end >= FIELD_MOST) {
        c.at = read_fields(c.at, c.end, s);
    }
    while (c.at < c.end && pf_cursor_next_within(&c, readable, &f) == PF_NEXT_FIELD) {
        uint32_t number = pf_field_number(&f);
        if (f.tag == PF_TAG_BYTES(PF_PREV_COMM)) {
            s->prev = comm_of(f.bytes, f.len, true);
        } else if (f.tag == PF_TAG_BYTES(PF_NEXT_COMM)) {
            s->next = comm_of(f.bytes, f.len, true);
        } else if (pf_field_wire(&f) == PF_WIRE_VARINT && number < NUMBERS) {
            s->number[number] = (uint32_t)f.value;
        }
    }
}
