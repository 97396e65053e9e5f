/* read/tinygrad/sqtt/sqtt_waves.c - waves, occupancy and shader clock of one stream. */
#include "read/tinygrad/sqtt/sqtt_waves.h"

#include <string.h>

enum { MARK_HZ = 100000000 };

/* What packets say of waves; those that name a slot: bits high..low of the CU with one more bit above them (0: none),
 * the lower one of the two bits of the SIMD, and bits high..low of the wave. */
enum { NOTHING = 0, LAYOUT, MARK, START, END };
static const struct {
    uint8_t says, cu_high, cu_low, cu_top, simd, wave_high, wave_low;
} kinds[PF_SQTT_KINDS] = {
    [PF_SQTT_LAYOUT_HEADER] = {LAYOUT},
    [PF_SQTT_TS_DELTA_OR_MARK] = {MARK},
    [PF_SQTT_TS_DELTA_OR_MARK_RDNA4] = {MARK},
    [PF_SQTT_WAVESTART] = {START, 12, 10, 7, 8, 17, 13},
    [PF_SQTT_WAVESTART_RDNA4] = {START, 13, 10, 7, 8, 19, 15},
    [PF_SQTT_CDNA_WAVESTART] = {START, 9, 6, 0, 14, 13, 10},
    [PF_SQTT_WAVEEND] = {END, 13, 11, 8, 9, 19, 15},
    [PF_SQTT_WAVEEND_RDNA4] = {END, 14, 11, 8, 9, 19, 15},
    [PF_SQTT_CDNA_WAVEEND] = {END, 9, 6, 0, 14, 13, 10},
};

static pf_sqtt_slot slot_of(const pf_sqtt_packet *p)
{
    unsigned high = kinds[p->kind].cu_high, low = kinds[p->kind].cu_low, top = kinds[p->kind].cu_top;
    unsigned cu = pf_sqtt_bits(p->raw, high, low), simd = kinds[p->kind].simd;
    cu |= top ? pf_sqtt_bits(p->raw, top, top) << (high - low + 1) : 0;
    return (pf_sqtt_slot){(uint8_t)cu, (uint8_t)pf_sqtt_bits(p->raw, simd + 1, simd),
                          (uint8_t)pf_sqtt_bits(p->raw, kinds[p->kind].wave_high, kinds[p->kind].wave_low)};
}

bool pf_sqtt_wave_start(const pf_sqtt_packet *p, pf_sqtt_slot *s)
{
    *s = slot_of(p);
    return kinds[p->kind].says == START;
}

bool pf_sqtt_wave_end(const pf_sqtt_packet *p, pf_sqtt_slot *s)
{
    *s = slot_of(p);
    return kinds[p->kind].says == END;
}

static pf_status open_levels(pf_sqtt_level_table *t, pf_budget *budget, const char *name, pf_error *err)
{
    pf_columns_init(&t->columns, budget, name);
    PF_TRY(PF_COLUMNS_ADD(&t->columns, t->time, err));
    return PF_COLUMNS_ADD(&t->columns, t->value, err);
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
    pf_sqtt_wave_table *t = &w->waves;
    memset(w, 0, sizeof *w);
    pf_sqtt_waves_restart(w);
    pf_columns_init(&t->columns, budget, "SQTT waves");
    PF_TRY(PF_COLUMNS_ADD(&t->columns, t->start, err));
    PF_TRY(PF_COLUMNS_ADD(&t->columns, t->end, err));
    PF_TRY(PF_COLUMNS_ADD(&t->columns, t->cu, err));
    PF_TRY(PF_COLUMNS_ADD(&t->columns, t->simd, err));
    PF_TRY(PF_COLUMNS_ADD(&t->columns, t->wave, err));
    PF_TRY(open_levels(&w->occupancy, budget, "SQTT occupancy", err));
    return open_levels(&w->clock, budget, "SQTT clock", err);
}

void pf_sqtt_waves_free(pf_sqtt_waves *w)
{
    pf_columns_free(&w->waves.columns);
    pf_columns_free(&w->occupancy.columns);
    pf_columns_free(&w->clock.columns);
}

static pf_status add_level(pf_sqtt_level_table *t, int64_t time, int64_t value, pf_error *err)
{
    PF_TRY(pf_columns_room(&t->columns, (uint64_t)t->count + 1, &t->room, err));
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

static pf_status end_wave(pf_sqtt_waves *w, pf_sqtt_slot s, int64_t time, pf_error *err)
{
    int64_t *started = &w->started[slot_index(s)];
    pf_sqtt_wave_table *t = &w->waves;
    if (*started == INT64_MIN) {
        w->total.unmatched_ends++;
        return PF_OK;
    }
    PF_TRY(pf_columns_room(&t->columns, (uint64_t)t->count + 1, &t->room, err));
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
    if (w->total.has_mark && ticks) {
        PF_TRY(add_level(&w->clock, time,
                         clock_between((int64_t)((uint64_t)time - (uint64_t)w->total.mark_time), ticks), err));
    }
    w->total.has_mark = true;
    w->total.mark_time = time;
    w->total.mark_clock = clock;
    return PF_OK;
}

static pf_status take_packet(pf_sqtt_waves *w, const pf_sqtt_packet *p, pf_error *err)
{
    uint64_t clock;
    switch (kinds[p->kind].says) {
    case LAYOUT:
        w->total.layout = pf_sqtt_bits(p->raw, 12, 7);
        return PF_OK;
    case START: /* takes the place of a wave of the slot that did not end */
        w->total.open += w->started[slot_index(slot_of(p))] == INT64_MIN;
        w->started[slot_index(slot_of(p))] = p->time;
        return note_open(w, p->time, err);
    case END:
        return end_wave(w, slot_of(p), p->time, err);
    default:
        return pf_sqtt_is_marker(p, &clock) ? note_marker(w, p->time, clock, err) : PF_OK;
    }
}

int64_t pf_sqtt_most_open(const pf_sqtt_waves *w)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < w->occupancy.count; i++) {
        most = w->occupancy.value[i] > most ? w->occupancy.value[i] : most;
    }
    return most;
}

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
        if (kinds[packets[i].kind].says) {
            PF_TRY(take_packet(w, &packets[i], err));
        }
    }
    return PF_OK;
}
