/* read/perfetto/apply/other_machines.c - packets of machines other than the one that the input begins with.
 *
 * A recording of several machines has sequences, clocks, processes and CPUs of its own for each of them, so each is
 * read like an input of its own, one after the other, once the first one was. Until then its packets are listed; where
 * the input does not stay in memory they are copied.
 *
 * How far its clocks are ahead of those of the first machine is estimated as Perfetto does: two readings of both sides,
 * one soon after the other, are two round trips, and the mean over all of them counts.
 */
#include "base/list.h"
#include "perfetto/fields.h"
#include "read/perfetto/apply/packet_apply.h"

/* The bytes of a packet with its tag and length, which stay, and PF_SLOP after them; NULL after an error. */
static const uint8_t *keep(pf_import *im, const uint8_t *bytes, size_t len)
{
    uint8_t *copy = im->span.stable ? NULL : pf_arena_alloc(&im->t->arena, len + PF_SLOP);
    if (copy) {
        memcpy(copy, bytes, len);
        memset(copy + len, 0, PF_SLOP);
    }
    return im->span.stable ? bytes : copy;
}

static pf_other_machine *machine_of(pf_other_machines *o, uint32_t raw_id)
{
    uint32_t i = 0;
    while (i < o->count && o->list[i].raw_id != raw_id) {
        i++;
    }
    if (i == PF_OTHER_MACHINES) {
        return NULL;
    }
    if (i == o->count) {
        o->list[o->count++] = (pf_other_machine){raw_id, PF_NONE, PF_NONE};
    }
    return &o->list[i];
}

pf_status pf_import_put_aside(pf_import *im, const pf_record *r, uint32_t raw_id)
{
    pf_budget *b = &im->t->budget;
    const size_t len = r->header + (size_t)r->packet_len;
    im->others = im->others ? im->others : pf_alloc_zero(b, 1, sizeof *im->others);
    pf_other_machines *o = im->others;
    PF_TRY(o ? PF_OK : pf_import_refuse(im, sizeof *o));
    pf_other_machine *machine = machine_of(o, raw_id);
    if (!machine) {
        pf_import_count(im, r, PF_STAT_OTHER_MACHINE);
        return PF_OK;
    }
    PF_TRY(PF_LIST_ROOM(b, o->packet, o->packets + 1, o->room, im->err));
    const uint8_t *bytes = keep(im, r->packet - r->header, len);
    PF_TRY(bytes ? PF_OK : pf_import_refuse(im, len));
    o->packet[o->packets] = (pf_other_packet){bytes, pf_import_offset(im, r), (uint32_t)len, PF_NONE, im->span.fixed};
    *(machine->last == PF_NONE ? &machine->first : &o->packet[machine->last].next) = o->packets;
    machine->last = o->packets++;
    return PF_OK;
}

#define ROUND_NS UINT64_C(30000000000) /* readings further apart are of two rounds */

/* One reading of both sides. */
typedef struct synced {
    uint64_t boot, own, other; /* own: of the trace clock */
    bool whole;
} synced;

static bool read_clock(const pf_field *snapshot, uint32_t id, uint64_t *value)
{
    pf_cursor c = pf_field_cursor(snapshot);
    pf_field f;
    bool found = false;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(1), &f)) {
        PF_CURSOR_FIELDS(clock, pf_field_cursor(&f), PF_AT_VARINT(1), PF_AT_VARINT(2));
        if (clock[1].value == id) {
            *value = clock[2].value;
            found = true;
        }
    }
    return found;
}

void pf_import_clock_sync(pf_import *im, const pf_packet *p)
{
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field f;
    synced last = {0};
    uint64_t sum = 0;
    int64_t count = 0;
    while (im->machine.number && pf_cursor_next_of(&c, PF_TAG_BYTES(1), &f)) {
        PF_CURSOR_FIELDS(side, pf_field_cursor(&f), PF_AT_BYTES(2), PF_AT_BYTES(3));
        synced now = {0};
        now.whole = read_clock(&side[2], PF_CLOCK_BOOTTIME, &now.boot) &&
                    read_clock(&side[2], im->clocks.trace_id, &now.own) &&
                    read_clock(&side[3], im->clocks.trace_id, &now.other);
        if (last.whole && now.whole && now.boot - last.boot < ROUND_NS) {
            sum += (uint64_t)((int64_t)(last.own + now.own) / 2) - last.other;
            sum += now.own - (uint64_t)((int64_t)(last.other + now.other) / 2);
            count += 2;
        }
        last = now;
    }
    if (count) {
        pf_clocks_set_lead(&im->clocks, (int64_t)sum / count);
    }
}
