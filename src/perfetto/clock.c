/* perfetto/clock.c - snapshots, the clock graph and conversion.
 *
 * Clocks are nodes; two clocks of one series are neighbours. Every clock knows its distance to the trace clock and the
 * first hop of its path: the neighbour that is one hop nearer, the one with the lowest key if there are several. That
 * is the path that a breadth-first search from the clock would find first. Both are kept up while series are added: new
 * neighbours can only shorten distances, a clock that got nearer is put on a work list, and its neighbours are looked
 * at again. Since distances are small, all of this costs little more than reading the series. Everything is computed
 * anew at the first conversion, which fixes the trace clock, and after a clock ran backwards.
 */
#include "perfetto/clock.h"

#include <string.h>

#include "base/list.h"
#include "base/ordering.h"
#include "perfetto/fields.h"

void pf_clocks_init(pf_clocks *c, pf_budget *budget)
{
    *c = (pf_clocks){.budget = budget, .trace_id = PF_CLOCK_TRACE_FILE, .stale = true, .version = 1};
    pf_map_init(&c->by_key, budget);
    pf_map_init(&c->by_list, budget);
}

void pf_clocks_free(pf_clocks *c)
{
    for (uint32_t i = 0; i < c->series_count; i++) {
        PF_LIST_FREE(c->budget, c->series[i].ns, c->series[i].room);
    }
    PF_LIST_FREE(c->budget, c->series, c->series_room);
    PF_LIST_FREE(c->budget, c->list, c->room);
    PF_LIST_FREE(c->budget, c->members, c->member_room);
    PF_LIST_FREE(c->budget, c->work, c->work_room);
    pf_map_free(&c->by_key);
    pf_map_free(&c->by_list);
    *c = (pf_clocks){.budget = c->budget};
}

static uint64_t key_of(pf_clock_key key)
{
    return (uint64_t)key.id << 32 | key.sequence;
}

static uint32_t find_clock(const pf_clocks *c, pf_clock_key key)
{
    return pf_map_get(&c->by_key, key_of(key));
}

bool pf_clocks_knows(const pf_clocks *c, pf_clock_key key)
{
    return find_clock(c, key) != PF_NONE;
}

static uint32_t add_clock(pf_clocks *c, const pf_clock_reading *r)
{
    if (PF_LIST_ROOM(c->budget, c->list, c->count + 1, c->room, NULL) != PF_OK ||
        !pf_map_set(&c->by_key, key_of(r->clock), c->count)) {
        return PF_NONE;
    }
    bool is_target = r->clock.id == c->trace_id;
    c->list[c->count] = (pf_clock){.key = r->clock,
                                   .unit = (int64_t)(r->unit ? r->unit : 1),
                                   .incremental = r->incremental,
                                   .distance = is_target ? 0 : PF_CLOCK_FAR,
                                   .members = PF_NONE};
    return c->count++;
}

static bool is_sequence_clock(uint32_t id)
{
    return id >= PF_CLOCK_SEQUENCE_FIRST && id <= PF_CLOCK_SEQUENCE_LAST;
}

static bool push_work(pf_clocks *c, uint32_t clock)
{
    if (PF_LIST_ROOM(c->budget, c->work, c->work_count + 1, c->work_room, NULL) != PF_OK) {
        return false;
    }
    c->work[c->work_count++] = clock;
    return true;
}

/* Looks at the hop from position `from` of a series to position `to`: is it a better way for the clock at `from`? */
static bool consider(pf_clocks *c, uint32_t series, uint32_t from, uint32_t to)
{
    const pf_clock_series *s = &c->series[series];
    pf_clock *u = &c->list[s->clocks[from]];
    const pf_clock *v = &c->list[s->clocks[to]];
    if (u->backwards || v->distance >= PF_CLOCK_HOPS || v->distance + 1 > u->distance) {
        return true;
    }
    bool nearer = v->distance + 1 < u->distance;
    if (!nearer) {
        uint64_t mine = key_of(c->list[u->next].key), other = key_of(v->key);
        if (other > mine || (other == mine && series >= u->series)) {
            return true;
        }
    }
    u->distance = (uint8_t)(v->distance + 1);
    u->next = s->clocks[to];
    u->series = series;
    u->from = (uint16_t)from;
    u->to = (uint16_t)to;
    return !nearer || push_work(c, s->clocks[from]);
}

static bool finish_work(pf_clocks *c)
{
    while (c->work_count) {
        uint32_t clock = c->work[--c->work_count];
        for (uint32_t m = c->list[clock].members; m != PF_NONE; m = c->members[m].next) {
            const pf_clock_series *s = &c->series[c->members[m].series];
            uint32_t at = 0;
            while (s->clocks[at] != clock) {
                at++;
            }
            for (uint32_t k = 0; k < s->width; k++) {
                if (k != at && !consider(c, c->members[m].series, k, at)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool measure_anew(pf_clocks *c)
{
    uint32_t target = find_clock(c, (pf_clock_key){c->trace_id, 0});
    c->work_count = 0;
    c->stale = false;
    for (uint32_t i = 0; i < c->count; i++) {
        c->list[i].distance = PF_CLOCK_FAR;
    }
    if (target == PF_NONE) {
        return true;
    }
    c->list[target].distance = 0;
    return push_work(c, target) && finish_work(c);
}

/* Registers the clocks of a snapshot and computes their values in ns. */
static pf_clock_outcome register_clocks(pf_clocks *c, const pf_clock_reading *readings, size_t count, uint32_t *clocks,
                                        int64_t *ns)
{
    for (size_t i = 0; i < count; i++) {
        const pf_clock_reading *r = &readings[i];
        uint32_t at = find_clock(c, r->clock);
        uint64_t unit = r->unit ? r->unit : 1;
        if (at == PF_NONE) {
            if (r->incremental && !is_sequence_clock(r->clock.id)) {
                return PF_CLOCK_INVALID;
            }
            at = add_clock(c, r);
            if (at == PF_NONE) {
                return PF_CLOCK_NO_MEMORY;
            }
        } else if ((uint64_t)c->list[at].unit != unit || c->list[at].incremental != r->incremental) {
            return PF_CLOCK_INVALID;
        }
        if (r->clock.id == c->trace_id && unit != 1) {
            return PF_CLOCK_INVALID;
        }
        for (size_t k = 0; k < i; k++) {
            if (clocks[k] == at) {
                return PF_CLOCK_INVALID;
            }
        }
        clocks[i] = at;
        ns[i] = (int64_t)(r->timestamp * unit);
        if (r->incremental) {
            c->list[at].running = ns[i];
        }
    }
    return PF_CLOCK_OK;
}

static uint64_t hash_list(const pf_clocks *c, const uint32_t *clocks, size_t width)
{
    uint64_t hash = pf_hash_add(c->budget->seed, width);
    for (size_t i = 0; i < width; i++) {
        hash = pf_hash_add(hash, clocks[i]);
    }
    return hash;
}

static pf_clock_series *find_series(const pf_clocks *c, const uint32_t *clocks, size_t width)
{
    uint32_t at = pf_map_get(&c->by_list, hash_list(c, clocks, width));
    for (; at != PF_NONE; at = c->series[at].next_same) {
        pf_clock_series *s = &c->series[at];
        if (s->width == width && memcmp(s->clocks, clocks, width * sizeof *clocks) == 0) {
            return s;
        }
    }
    return NULL;
}

static bool join_series(pf_clocks *c, uint32_t clock, uint32_t series)
{
    if (PF_LIST_ROOM(c->budget, c->members, c->member_count + 1, c->member_room, NULL) != PF_OK) {
        return false;
    }
    c->members[c->member_count] = (pf_clock_member){series, c->list[clock].members};
    c->list[clock].members = c->member_count++;
    return true;
}

static pf_clock_series *add_series(pf_clocks *c, const uint32_t *clocks, size_t width)
{
    uint32_t index = c->series_count;
    uint64_t hash = hash_list(c, clocks, width);
    if (PF_LIST_ROOM(c->budget, c->series, index + 1, c->series_room, NULL) != PF_OK) {
        return NULL;
    }
    pf_clock_series *s = &c->series[index];
    *s = (pf_clock_series){.width = (uint32_t)width, .next_same = pf_map_get(&c->by_list, hash)};
    memcpy(s->clocks, clocks, width * sizeof *clocks);
    c->series_count++;
    if (!pf_map_set(&c->by_list, hash, index)) {
        return NULL;
    }
    for (size_t i = 0; i < width; i++) {
        if (!join_series(c, clocks[i], index)) {
            return NULL;
        }
    }
    return s;
}

/* The first snapshot of a series makes its clocks neighbours. */
static bool connect(pf_clocks *c, uint32_t series)
{
    uint32_t width = c->series[series].width;
    for (uint32_t from = 0; from < width; from++) {
        for (uint32_t to = 0; to < width && !c->stale; to++) {
            if (from != to && !consider(c, series, from, to)) {
                return false;
            }
        }
    }
    return c->stale || finish_work(c);
}

/* Marks the clocks of a series that ran backwards; they serve as targets only. */
static pf_clock_outcome check_order(pf_clocks *c, const pf_clock_series *s, const int64_t *ns)
{
    const int64_t *last = s->ns + (size_t)(s->count - 1) * s->width;
    uint32_t marks = 0;
    for (uint32_t i = 0; i < s->width; i++) {
        const pf_clock *clock = &c->list[s->clocks[i]];
        marks += ns[i] < last[i] && !clock->backwards;
        if (ns[i] < last[i] && clock->key.id == c->trace_id) {
            return PF_CLOCK_INVALID;
        }
    }
    if (c->backwards_count + marks > PF_CLOCKS_BACKWARDS_MAX) {
        return PF_CLOCK_INVALID;
    }
    for (uint32_t i = 0; i < s->width && marks; i++) {
        c->list[s->clocks[i]].backwards |= ns[i] < last[i];
    }
    c->backwards_count += marks;
    c->stale = c->stale || marks > 0;
    return PF_CLOCK_OK;
}

static pf_clock_outcome append_snapshot(pf_clocks *c, pf_clock_series *s, const int64_t *ns)
{
    pf_clock_outcome outcome = s->count ? check_order(c, s, ns) : PF_CLOCK_OK;
    if (outcome != PF_CLOCK_OK) {
        return outcome;
    }
    if (PF_LIST_ROOM(c->budget, s->ns, ((size_t)s->count + 1) * s->width, s->room, NULL) != PF_OK) {
        return PF_CLOCK_NO_MEMORY;
    }
    memcpy(s->ns + (size_t)s->count * s->width, ns, s->width * sizeof *ns);
    s->count++;
    return s->count > 1 || connect(c, (uint32_t)(s - c->series)) ? PF_CLOCK_OK : PF_CLOCK_NO_MEMORY;
}

static void choose_clocks(pf_clocks *c, const pf_clock_reading *readings, size_t count, uint32_t primary)
{
    bool boot = false, file = false;
    for (size_t i = 0; i < count; i++) {
        boot = boot || readings[i].clock.id == PF_CLOCK_BOOTTIME;
        file = file || readings[i].clock.id == PF_CLOCK_TRACE_FILE;
    }
    uint32_t id = primary ? primary : boot && !file ? PF_CLOCK_BOOTTIME : 0;
    if (id == 0) {
        return;
    }
    c->default_id = id;
    if (!c->converted) {
        c->trace_id = id;
        c->claimed = true;
    }
}

static pf_clock_outcome take_readings(pf_clocks *c, const pf_clock_reading *readings, size_t count)
{
    uint32_t clocks[PF_CLOCKS_PER_SNAPSHOT] = {0};
    int64_t ns[PF_CLOCKS_PER_SNAPSHOT] = {0};
    c->snapshots++;
    c->version++;
    pf_clock_outcome outcome = register_clocks(c, readings, count, clocks, ns);
    if (outcome != PF_CLOCK_OK || count == 0) {
        return outcome;
    }
    pf_clock_series *s = find_series(c, clocks, count);
    if (!s) {
        if (c->series_count == PF_CLOCK_SERIES_MAX) {
            return PF_CLOCK_INVALID;
        }
        s = add_series(c, clocks, count);
        if (!s) {
            return PF_CLOCK_NO_MEMORY;
        }
    }
    return append_snapshot(c, s, ns);
}

/* What a refused request left half made is not looked at again. */
static pf_clock_outcome note_refusal(pf_clocks *c, pf_clock_outcome outcome)
{
    c->refused = outcome == PF_CLOCK_NO_MEMORY;
    return outcome;
}

pf_clock_outcome pf_clocks_snapshot(pf_clocks *c, const pf_clock_reading *readings, size_t count, uint32_t primary)
{
    if (c->refused) {
        return PF_CLOCK_NO_MEMORY;
    }
    if (count > PF_CLOCKS_PER_SNAPSHOT) {
        c->snapshots++;
        return PF_CLOCK_INVALID;
    }
    choose_clocks(c, readings, count, primary);
    return note_refusal(c, take_readings(c, readings, count));
}

const char *pf_clock_name(uint32_t id)
{
    static const char *const names[] = {
        NULL, "REALTIME", "REALTIME_COARSE", "MONOTONIC", "MONOTONIC_COARSE", "MONOTONIC_RAW", "BOOTTIME"};
    return id < sizeof names / sizeof *names ? names[id] : NULL;
}

/* Without a snapshot that says otherwise, the boot clock is the clock of the file. */
static pf_clock_outcome tie_boot_clock(pf_clocks *c)
{
    static const pf_clock_reading tied[2] = {{.clock = {PF_CLOCK_BOOTTIME, 0}}, {.clock = {PF_CLOCK_TRACE_FILE, 0}}};
    return take_readings(c, tied, 2);
}

/* Follows one hop for time t. The stretch, given in times of the clock that the path starts at, is narrowed
 * to where this hop has the same offset. */
static int64_t follow(const pf_clocks *c, const pf_clock *hop, int64_t t, pf_clock_stretch *known)
{
    const pf_clock_series *s = &c->series[hop->series];
    uint32_t low = 0; /* the first snapshot after t */
    int64_t bound;
    PF_BISECT(low, s->count, s->ns[(size_t)middle * s->width + hop->from] <= t);
    const int64_t *row = s->ns + (size_t)(low ? low - 1 : 0) * s->width;
    if (low > 0) {
        known->from = __builtin_sub_overflow(row[hop->from], known->shift, &bound) ? INT64_MAX
                      : bound > known->from                                        ? bound
                                                                                   : known->from;
    }
    if (low < s->count) {
        known->to = __builtin_sub_overflow(s->ns[(size_t)low * s->width + hop->from], known->shift, &bound) ? INT64_MIN
                    : bound < known->to                                                                     ? bound
                                                                                                            : known->to;
    }
    int64_t shift = (int64_t)((uint64_t)row[hop->to] - (uint64_t)row[hop->from]);
    known->shift = (int64_t)((uint64_t)known->shift + (uint64_t)shift);
    return (int64_t)((uint64_t)t + (uint64_t)shift);
}

static pf_clock_outcome convert(pf_clocks *c, pf_clock_key key, int64_t value, int64_t *ns)
{
    if (!c->converted) {
        c->converted = true;
        pf_clock_outcome outcome = c->trace_id == PF_CLOCK_TRACE_FILE ? tie_boot_clock(c) : PF_CLOCK_OK;
        if (outcome != PF_CLOCK_OK) {
            return outcome;
        }
    }
    if (key.id == c->trace_id) {
        *ns = (int64_t)((uint64_t)value - (uint64_t)c->lead);
        return PF_CLOCK_OK;
    }
    uint32_t at = find_clock(c, key);
    if (at == PF_NONE) {
        return PF_CLOCK_NO_PATH;
    }
    if (c->stale && !measure_anew(c)) {
        return PF_CLOCK_NO_MEMORY;
    }
    pf_clock *clock = &c->list[at];
    if (clock->distance == PF_CLOCK_FAR) {
        return PF_CLOCK_NO_PATH;
    }
    int64_t t = (int64_t)((uint64_t)value * (uint64_t)clock->unit);
    if (clock->incremental) {
        clock->running = t = (int64_t)((uint64_t)clock->running + (uint64_t)t);
    }
    pf_clock_stretch known = {.version = c->version, .from = INT64_MIN, .to = INT64_MAX};
    for (const pf_clock *hop = clock; hop->distance > 0; hop = &c->list[hop->next]) {
        t = follow(c, hop, t, &known);
    }
    known.shift = (int64_t)((uint64_t)known.shift - (uint64_t)c->lead);
    clock->last = known;
    *ns = (int64_t)((uint64_t)t - (uint64_t)c->lead);
    return PF_CLOCK_OK;
}

pf_clock_outcome pf_clocks_convert(pf_clocks *c, pf_clock_key key, int64_t value, int64_t *ns)
{
    return c->refused ? PF_CLOCK_NO_MEMORY : note_refusal(c, convert(c, key, value, ns));
}

/* The part of a stretch whose trace times are not negative, and no larger than times can be. */
static pf_clock_known know(const pf_clock_stretch *s, uint64_t unit, int64_t *running)
{
    int64_t shift = s->shift, from = s->from, to = s->to;
    if (shift >= 0) {
        from = from < -shift ? -shift : from;
        to = shift > 0 && to > INT64_MAX - shift ? INT64_MAX - shift : to;
    } else {
        int64_t least = shift == INT64_MIN ? INT64_MAX : -shift;
        from = from < least ? least : from;
    }
    uint64_t span = from < to ? (uint64_t)to - (uint64_t)from : 0;
    return (pf_clock_known){unit, (uint64_t)from, span, (uint64_t)shift, running};
}

void pf_clocks_set_lead(pf_clocks *c, int64_t lead)
{
    c->lead = lead;
    c->version++;
}

bool pf_clocks_last(const pf_clocks *c, pf_clock_key key, pf_clock_known *k)
{
    if (c->converted && key.id == c->trace_id) {
        const pf_clock_stretch all = {.shift = (int64_t)(0 - (uint64_t)c->lead), .from = INT64_MIN, .to = INT64_MAX};
        *k = c->lead ? know(&all, 1, NULL) : pf_clock_identity();
        return true;
    }
    uint32_t at = find_clock(c, key);
    if (at == PF_NONE || c->list[at].last.version != c->version) {
        return false;
    }
    pf_clock *clock = &c->list[at];
    *k = know(&clock->last, (uint64_t)clock->unit, clock->incremental ? &clock->running : NULL);
    return true;
}
