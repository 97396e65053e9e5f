/* read/tinygrad/sqtt/sqtt_waves.c - waves, occupancy and shader clock of one stream. */
#include "read/tinygrad/sqtt/sqtt_waves.h"

#include <string.h>

enum { MARK_HZ = 100000000 };

bool pf_sqtt_wave_start(const pf_sqtt_packet *p, pf_sqtt_slot *s)
{
    uint64_t r = p->raw;
    switch (p->kind) {
    case PF_SQTT_WAVESTART:
        *s = (pf_sqtt_slot){(uint8_t)(pf_sqtt_bits(r, 12, 10) | pf_sqtt_bits(r, 7, 7) << 3),
                            (uint8_t)pf_sqtt_bits(r, 9, 8), (uint8_t)pf_sqtt_bits(r, 17, 13)};
        return true;
    case PF_SQTT_WAVESTART_RDNA4:
        *s = (pf_sqtt_slot){(uint8_t)(pf_sqtt_bits(r, 13, 10) | pf_sqtt_bits(r, 7, 7) << 4),
                            (uint8_t)pf_sqtt_bits(r, 9, 8), (uint8_t)pf_sqtt_bits(r, 19, 15)};
        return true;
    case PF_SQTT_CDNA_WAVESTART:
        *s = (pf_sqtt_slot){(uint8_t)pf_sqtt_bits(r, 9, 6), (uint8_t)pf_sqtt_bits(r, 15, 14),
                            (uint8_t)pf_sqtt_bits(r, 13, 10)};
        return true;
    default:
        return false;
    }
}

bool pf_sqtt_wave_end(const pf_sqtt_packet *p, pf_sqtt_slot *s)
{
    uint64_t r = p->raw;
    switch (p->kind) {
    case PF_SQTT_WAVEEND:
        *s = (pf_sqtt_slot){(uint8_t)(pf_sqtt_bits(r, 13, 11) | pf_sqtt_bits(r, 8, 8) << 3),
                            (uint8_t)pf_sqtt_bits(r, 10, 9), (uint8_t)pf_sqtt_bits(r, 19, 15)};
        return true;
    case PF_SQTT_WAVEEND_RDNA4:
        *s = (pf_sqtt_slot){(uint8_t)(pf_sqtt_bits(r, 14, 11) | pf_sqtt_bits(r, 8, 8) << 4),
                            (uint8_t)pf_sqtt_bits(r, 10, 9), (uint8_t)pf_sqtt_bits(r, 19, 15)};
        return true;
    case PF_SQTT_CDNA_WAVEEND:
        *s = (pf_sqtt_slot){(uint8_t)pf_sqtt_bits(r, 9, 6), (uint8_t)pf_sqtt_bits(r, 15, 14),
                            (uint8_t)pf_sqtt_bits(r, 13, 10)};
        return true;
    default:
        return false;
    }
}

static pf_status open_levels(pf_sqtt_level_table *t, pf_error *err)
{
    pf_status st = pf_columns_add(&t->columns, (void **)&t->time, sizeof *t->time, err);
    return st == PF_OK ? pf_columns_add(&t->columns, (void **)&t->value, sizeof *t->value, err) : st;
}

static pf_status open_waves(pf_sqtt_wave_table *t, pf_error *err)
{
    const pf_column_place places[] = {{(void **)&t->start, sizeof *t->start},
                                      {(void **)&t->end, sizeof *t->end},
                                      {(void **)&t->cu, sizeof *t->cu},
                                      {(void **)&t->simd, sizeof *t->simd},
                                      {(void **)&t->wave, sizeof *t->wave}};
    pf_status st = PF_OK;
    for (size_t i = 0; i < sizeof places / sizeof places[0] && st == PF_OK; i++) {
        st = pf_columns_add(&t->columns, places[i].base, places[i].size, err);
    }
    return st;
}

void pf_sqtt_waves_restart(pf_sqtt_waves *w)
{
    w->waves.count = w->occupancy.count = w->clock.count = 0;
    w->total = (pf_sqtt_totals){.layout = -1};
    for (size_t i = 0; i < PF_SQTT_SLOTS; i++) {
        w->started[i] = INT64_MIN;
    }
}

pf_status pf_sqtt_waves_init(pf_sqtt_waves *w, pf_budget *budget, pf_error *err)
{
    memset(w, 0, sizeof *w);
    pf_columns_init(&w->waves.columns, budget, "SQTT waves");
    pf_columns_init(&w->occupancy.columns, budget, "SQTT occupancy");
    pf_columns_init(&w->clock.columns, budget, "SQTT clock");
    pf_sqtt_waves_restart(w);
    pf_status st = open_waves(&w->waves, err);
    if (st == PF_OK) {
        st = open_levels(&w->occupancy, err);
    }
    return st == PF_OK ? open_levels(&w->clock, err) : st;
}

void pf_sqtt_waves_free(pf_sqtt_waves *w)
{
    pf_columns_free(&w->waves.columns);
    pf_columns_free(&w->occupancy.columns);
    pf_columns_free(&w->clock.columns);
}

static pf_status add_level(pf_sqtt_level_table *t, int64_t time, int64_t value, pf_error *err)
{
    if (t->count == t->room) {
        pf_status st = pf_columns_grow(&t->columns, (uint64_t)t->count + 1, &t->room, err);
        if (st != PF_OK) {
            return st;
        }
    }
    t->time[t->count] = time;
    t->value[t->count++] = value;
    return PF_OK;
}

/* The number of open waves from `time` on. Changes of one instant are one point. */
static pf_status note_open(pf_sqtt_waves *w, int64_t time, pf_error *err)
{
    pf_sqtt_level_table *t = &w->occupancy;
    if (t->count && t->time[t->count - 1] == time) {
        t->value[t->count - 1] = (int64_t)w->total.open;
        return PF_OK;
    }
    return add_level(t, time, (int64_t)w->total.open, err);
}

static size_t slot_index(pf_sqtt_slot s)
{
    return ((size_t)s.cu * 4 + s.simd) * 32 + s.wave;
}

/* A wave that starts in a slot whose wave did not end takes its place. */
static pf_status start_wave(pf_sqtt_waves *w, pf_sqtt_slot s, int64_t time, pf_error *err)
{
    int64_t *started = &w->started[slot_index(s)];
    w->total.open += *started == INT64_MIN;
    *started = time;
    return note_open(w, time, err);
}

static pf_status end_wave(pf_sqtt_waves *w, pf_sqtt_slot s, int64_t time, pf_error *err)
{
    int64_t *started = &w->started[slot_index(s)];
    pf_sqtt_wave_table *t = &w->waves;
    if (*started == INT64_MIN) {
        w->total.unmatched_ends++;
        return PF_OK;
    }
    if (t->count == t->room) {
        pf_status st = pf_columns_grow(&t->columns, (uint64_t)t->count + 1, &t->room, err);
        if (st != PF_OK) {
            return st;
        }
    }
    uint32_t i = t->count++;
    t->start[i] = *started;
    t->end[i] = time;
    t->cu[i] = s.cu;
    t->simd[i] = s.simd;
    t->wave[i] = s.wave;
    w->total.wave_cycles += (int64_t)((uint64_t)time - (uint64_t)*started);
    w->total.open--;
    *started = INT64_MIN;
    return note_open(w, time, err);
}

/* Rounded down, as integer division is where both are positive. */
static int64_t clock_between(int64_t cycles, int64_t ticks)
{
    __int128 scaled = (__int128)cycles * MARK_HZ;
    __int128 hz = scaled / ticks;
    hz -= scaled % ticks != 0 && (scaled < 0) != (ticks < 0);
    return hz > INT64_MAX ? INT64_MAX : hz < INT64_MIN ? INT64_MIN : (int64_t)hz;
}

static pf_status note_marker(pf_sqtt_waves *w, int64_t time, uint64_t clock, pf_error *err)
{
    int64_t ticks = (int64_t)(clock - w->total.mark_clock);
    pf_status st = PF_OK;
    if (w->total.has_mark && ticks) {
        st = add_level(&w->clock, time, clock_between((int64_t)((uint64_t)time - (uint64_t)w->total.mark_time), ticks),
                       err);
    }
    w->total.has_mark = true;
    w->total.mark_time = time;
    w->total.mark_clock = clock;
    return st;
}

static pf_status take_packet(pf_sqtt_waves *w, const pf_sqtt_packet *p, pf_error *err)
{
    pf_sqtt_slot slot;
    uint64_t clock;
    if (p->kind == PF_SQTT_LAYOUT_HEADER) {
        w->total.layout = pf_sqtt_bits(p->raw, 12, 7);
    } else if (pf_sqtt_wave_start(p, &slot)) {
        return start_wave(w, slot, p->time, err);
    } else if (pf_sqtt_wave_end(p, &slot)) {
        return end_wave(w, slot, p->time, err);
    } else if (pf_sqtt_is_marker(p, &clock)) {
        return note_marker(w, p->time, clock, err);
    }
    return PF_OK;
}

int64_t pf_sqtt_most_open(const pf_sqtt_waves *w)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < w->occupancy.count; i++) {
        most = w->occupancy.value[i] > most ? w->occupancy.value[i] : most;
    }
    return most;
}

/* The kinds that take_packet has something to do for. */
static const bool noted[PF_SQTT_KINDS] = {
    [PF_SQTT_LAYOUT_HEADER] = true, [PF_SQTT_TS_DELTA_OR_MARK] = true, [PF_SQTT_TS_DELTA_OR_MARK_RDNA4] = true,
    [PF_SQTT_WAVESTART] = true,     [PF_SQTT_WAVESTART_RDNA4] = true,  [PF_SQTT_CDNA_WAVESTART] = true,
    [PF_SQTT_WAVEEND] = true,       [PF_SQTT_WAVEEND_RDNA4] = true,    [PF_SQTT_CDNA_WAVEEND] = true,
};

pf_status pf_sqtt_waves_take(pf_sqtt_waves *w, const pf_sqtt_packet *packets, size_t count, pf_error *err)
{
    if (count == 0) {
        return PF_OK;
    }
    if (w->total.packets == 0) {
        w->total.first_time = packets[0].time;
    }
    w->total.packets += count;
    w->total.last_time = packets[count - 1].time;
    for (size_t i = 0; i < count; i++) {
        w->total.counts[packets[i].kind]++;
        if (noted[packets[i].kind]) {
            pf_status st = take_packet(w, &packets[i], err);
            if (st != PF_OK) {
                return st;
            }
        }
    }
    return PF_OK;
}
