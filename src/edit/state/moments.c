/* edit/state/moments.c - see moments.h. */
#include "edit/state/moments.h"

#include "perfetto/fields.h"

enum { SNAPSHOT_PRIMARY = 2, CLOCK_UNIT = 4 };

void pf_times_init(pf_times *t, pf_budget *budget)
{
    *t = (pf_times){.has_all = false};
    pf_clocks_init(&t->now, budget);
    pf_clocks_init(&t->all, budget);
}

void pf_times_free(pf_times *t)
{
    pf_clocks_free(&t->now);
    pf_clocks_free(&t->all);
}

void pf_times_again(pf_times *t)
{
    pf_budget *budget = t->now.budget;
    pf_clocks_free(&t->all);
    t->all = t->now;
    t->has_all = true;
    t->unknown = 0;
    pf_clocks_init(&t->now, budget);
}

static bool is_own(uint32_t id)
{
    return id >= PF_CLOCK_SEQUENCE_FIRST && id <= PF_CLOCK_SEQUENCE_LAST;
}

static pf_status refuse(const pf_times *t, pf_error *err)
{
    return pf_budget_refused(t->now.budget, 1u << 12, err);
}

pf_status pf_times_snapshot(pf_times *t, const pf_raw_packet *p, bool *own, pf_error *err)
{
    pf_clock_reading readings[PF_CLOCKS_PER_SNAPSHOT];
    pf_cursor c = pf_field_cursor(&p->content);
    pf_field f;
    size_t n = 0, listed = 0;
    *own = false;
    for (; pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_SNAPSHOT_CLOCKS), &f); listed++) {
        PF_CURSOR_FIELDS(r, pf_field_cursor(&f), PF_AT_VARINT(PF_F_CLOCK_ID), PF_AT_VARINT(PF_F_CLOCK_TIMESTAMP),
                         PF_AT_VARINT(PF_F_CLOCK_IS_INCREMENTAL), PF_AT_VARINT(CLOCK_UNIT));
        uint32_t id = (uint32_t)r[PF_F_CLOCK_ID].value;
        *own |= is_own(id);
        if (n < PF_CLOCKS_PER_SNAPSHOT) {
            readings[n++] = (pf_clock_reading){.clock = {id, is_own(id) ? p->sequence : 0},
                                               .timestamp = r[PF_F_CLOCK_TIMESTAMP].value,
                                               .unit = r[CLOCK_UNIT].value,
                                               .incremental = r[PF_F_CLOCK_IS_INCREMENTAL].value != 0};
        }
    }
    int32_t primary = (int32_t)pf_cursor_last(pf_field_cursor(&p->content), PF_TAG_VARINT(SNAPSHOT_PRIMARY)).value;
    pf_clock_outcome outcome =
        pf_clocks_snapshot(&t->now, readings, n + (n < listed), primary > 0 ? (uint32_t)primary : 0);
    return outcome == PF_CLOCK_NO_MEMORY ? refuse(t, err) : PF_OK;
}

static pf_status convert(pf_times *t, pf_clock_key key, int64_t value, pf_when *when, int64_t *ts, pf_error *err)
{
    pf_clock_outcome outcome = pf_clocks_convert(&t->now, key, value, ts);
    if (outcome == PF_CLOCK_NO_PATH && t->has_all) {
        outcome = pf_clocks_convert(&t->all, key, value, ts);
    }
    *when = outcome == PF_CLOCK_OK ? PF_TIME_KNOWN : PF_TIME_UNKNOWN;
    t->unknown += outcome == PF_CLOCK_NO_PATH;
    return outcome == PF_CLOCK_NO_MEMORY ? refuse(t, err) : PF_OK;
}

/* The clock of a packet's time; 0: none, it is a time of the trace. */
static uint32_t clock_of(const pf_times *t, const pf_raw_packet *p, const pf_sequence *q)
{
    return p->clock ? p->clock : q && q->clock_id ? q->clock_id : t->now.default_id;
}

pf_status pf_times_of(pf_times *t, const pf_raw_packet *p, const pf_sequence *q, pf_when *when, int64_t *ts,
                      pf_error *err)
{
    uint32_t id = clock_of(t, p, q);
    *when = p->has & PF_PACKET_TIMESTAMP ? PF_TIME_KNOWN : PF_TIME_NONE;
    *ts = (int64_t)p->timestamp;
    if (*when == PF_TIME_NONE || id == 0) {
        return PF_OK;
    }
    if (is_own(id) && !(p->has & PF_PACKET_SEQUENCE)) {
        *when = PF_TIME_NONE;
        return PF_OK;
    }
    return convert(t, (pf_clock_key){id, is_own(id) ? p->sequence : 0}, (int64_t)p->timestamp, when, ts, err);
}

pf_status pf_times_in(pf_times *t, const pf_raw_packet *p, const pf_sequence *q, pf_in_sequence *s, pf_when *when,
                      int64_t *ts, pf_error *err)
{
    uint32_t id = clock_of(t, p, q);
    if (id && p->has & PF_PACKET_TIMESTAMP && s->known_id == id && s->known_version == t->now.version &&
        pf_clock_convert_known(&s->known, p->timestamp, ts)) {
        *when = PF_TIME_KNOWN;
        return PF_OK;
    }
    PF_TRY(pf_times_of(t, p, q, when, ts, err));
    bool known = pf_clocks_last(&t->now, (pf_clock_key){id, is_own(id) ? p->sequence : 0}, &s->known);
    s->known_id = known ? id : 0;
    s->known_version = t->now.version;
    return PF_OK;
}

pf_status pf_times_monotonic(pf_times *t, int64_t ns, int64_t *ts, pf_error *err)
{
    pf_when when;
    PF_TRY(convert(t, (pf_clock_key){PF_CLOCK_MONOTONIC, 0}, ns, &when, ts, err));
    *ts = when == PF_TIME_KNOWN ? *ts : ns;
    return PF_OK;
}

pf_status pf_times_of_clock(pf_times *t, uint32_t clock, int64_t ns, pf_when *when, int64_t *ts, pf_error *err)
{
    if (t->now.default_id == 0 && clock == PF_CLOCK_BOOTTIME) {
        *when = PF_TIME_KNOWN;
        *ts = ns;
        return PF_OK;
    }
    return convert(t, (pf_clock_key){clock, 0}, ns, when, ts, err);
}

uint32_t pf_times_clock(const pf_times *t, const pf_epoch *epoch)
{
    const pf_blob *d = epoch->defaults;
    uint64_t own =
        d ? pf_cursor_last(pf_cursor_over(d->bytes, d->len), PF_TAG_VARINT(PF_F_DEFAULTS_TIMESTAMP_CLOCK_ID)).value : 0;
    uint32_t trace = t->now.trace_id;
    trace = trace == PF_CLOCK_TRACE_FILE ? PF_CLOCK_BOOTTIME : trace; /* which is the same, and known to all readers */
    return own || t->now.default_id ? trace : 0;
}
