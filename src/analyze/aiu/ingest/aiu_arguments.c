/* analyze/aiu/ingest/aiu_arguments.c - the arguments that stages need, from the trace into columns of the store: the
 * five cycle counters, charge, bytes, and what says who talks to whom. */
#include "analyze/aiu/ingest/aiu_ingest.h"
#include "postfetto/arg_columns.h"

enum {
    KEY_TS1,
    KEY_TS5 = KEY_TS1 + 4,
    KEY_POWER,
    KEY_POWER_NUMBER,
    KEY_BYTES,
    KEY_BYTES_NUMBER,
    KEY_BYTES_LOWER,
    KEY_GROUP,
    KEY_PEER,
    KEY_PEERS,
    KEY_TYPE,
    KEYS_FLEX,
    KEY_CYCLES = KEYS_FLEX,
    KEYS = KEY_CYCLES + 5
};

static const pf_arg_key keys[KEYS] = {
    [KEY_TS1] = {.key = "TS1", .type = PF_ARG_UINT, .from_text = true},
    [KEY_TS1 + 1] = {.key = "TS2", .type = PF_ARG_UINT, .from_text = true},
    [KEY_TS1 + 2] = {.key = "TS3", .type = PF_ARG_UINT, .from_text = true},
    [KEY_TS1 + 3] = {.key = "TS4", .type = PF_ARG_UINT, .from_text = true},
    [KEY_TS5] = {.key = "TS5", .type = PF_ARG_UINT, .from_text = true},
    [KEY_POWER] = {.key = "Power", .type = PF_ARG_UINT, .from_text = true},
    [KEY_POWER_NUMBER] = {.key = "Power", .type = PF_ARG_UINT},
    [KEY_BYTES] = {.key = "Bytes", .type = PF_ARG_UINT, .from_text = true},
    [KEY_BYTES_NUMBER] = {.key = "bytes", .type = PF_ARG_UINT},
    [KEY_BYTES_LOWER] = {.key = "bytes", .type = PF_ARG_UINT, .from_text = true},
    [KEY_GROUP] = {.key = "CollGroup", .type = PF_ARG_TEXT},
    [KEY_PEER] = {.key = "Peer", .type = PF_ARG_TEXT},
    [KEY_PEERS] = {.key = "Peers", .type = PF_ARG_TEXT},
    [KEY_TYPE] = {.key = "Type", .type = PF_ARG_TEXT},
    [KEY_CYCLES] = {.key = "cycles_ts[0]", .type = PF_ARG_UINT},
    [KEY_CYCLES + 1] = {.key = "cycles_ts[1]", .type = PF_ARG_UINT},
    [KEY_CYCLES + 2] = {.key = "cycles_ts[2]", .type = PF_ARG_UINT},
    [KEY_CYCLES + 3] = {.key = "cycles_ts[3]", .type = PF_ARG_UINT},
    [KEY_CYCLES + 4] = {.key = "cycles_ts[4]", .type = PF_ARG_UINT},
};

typedef struct reading {
    aiu_run *run;
    const pf_arg_columns *columns;
    const pf_arg_column *column[KEYS];
    uint64_t partial; /* events with some of the five counters, not all */
    uint64_t failed;  /* with counters that are all 0 */
} reading;

/* Five counters that begin at `key`; how many of them there are. */
static unsigned take_counters(reading *r, uint32_t i, uint32_t event, unsigned key)
{
    unsigned there = 0;
    uint64_t any = 0;
    for (unsigned n = 0; n < 5; n++) {
        const pf_arg_column *c = r->column[key + n];
        uint64_t v = c && pf_arg_has(c, i) ? c->values.u[i] : 0;
        there += c && pf_arg_has(c, i);
        any |= v;
        r->run->events.tsx[n][event] = v > INT64_MAX ? INT64_MAX : (int64_t)v;
    }
    bool failed = there == 5 && !any && !pf_aiu_rule(r->run, AIU_ANY_COUNTERS);
    r->failed += failed;
    return failed ? 0 : there;
}

static void take_numbers(reading *r, uint32_t i, uint32_t event)
{
    aiu_events *e = &r->run->events;
    const pf_arg_column *power = r->column[KEY_POWER], *bytes = r->column[KEY_BYTES];
    const pf_arg_column *lower = r->column[KEY_BYTES_LOWER], *number = r->column[KEY_BYTES_NUMBER];
    if (pf_arg_has(power, i)) {
        e->power[event] = (uint32_t)power->values.u[i];
        e->flags[event] |= AIU_HAS_POWER | (pf_arg_has(r->column[KEY_POWER_NUMBER], i) ? AIU_POWER_NUMBER : 0);
    }
    if (pf_arg_has(bytes, i) || pf_arg_has(lower, i)) {
        e->bytes[event] = pf_arg_has(bytes, i) ? bytes->values.u[i] : lower->values.u[i];
        e->flags[event] |= AIU_HAS_BYTES | (pf_arg_has(number, i) ? AIU_BYTES_NUMBER : 0);
    }
}

static void take_texts(reading *r, uint32_t i, uint32_t event)
{
    aiu_events *e = &r->run->events;
    uint32_t *const places[] = {&e->group[event], &e->peer[event], &e->peers[event], &e->type[event]};
    for (unsigned k = 0; k < 4; k++) {
        const pf_arg_column *c = r->column[KEY_GROUP + k];
        if (c->found && pf_arg_has(c, i)) {
            *places[k] = pf_aiu_text(r->run, pf_arg_columns_text(r->columns, c->values.text[i]));
        }
    }
}

static void take_event(reading *r, uint32_t i, uint32_t event)
{
    aiu_events *e = &r->run->events;
    unsigned there = take_counters(r, i, event, KEY_TS1);
    if (there == 0 && r->column[KEY_CYCLES] && !pf_aiu_rule(r->run, AIU_ANY_COUNTERS)) {
        there = take_counters(r, i, event, KEY_CYCLES);
    }
    e->flags[event] |= there == 5 ? AIU_HAS_TS : 0;
    r->partial += there > 0 && there < 5;
    take_numbers(r, i, event);
    take_texts(r, i, event);
}

/* Columns are read for so many events at a time: they are as wide as the store. */
enum { PIECE = 1 << 16 };

static void read_piece(reading *r, const uint32_t *rows, const uint32_t *events, uint32_t count)
{
    aiu_run *run = r->run;
    pf_arg_columns *columns = NULL;
    size_t key_count = run->any_torch ? KEYS : KEYS_FLEX;
    pf_arg_options o = {.jobs = run->ctx->jobs, .cancel = run->ctx->cancel};
    if (pf_arg_columns_read(run->trace, rows, count, keys, key_count, &o, &columns, &run->error) == PF_OK) {
        r->columns = columns;
        for (size_t k = 0; k < key_count; k++) {
            r->column[k] = pf_arg_column_at(columns, k);
        }
        for (uint32_t i = 0; i < count; i++) {
            take_event(r, i, events[i]);
        }
    }
    pf_arg_columns_free(columns);
}

static bool same_counters(const aiu_events *e, uint32_t a, uint32_t b)
{
    bool same = e->job[a] == e->job[b];
    for (unsigned n = 0; n < 5; n++) {
        same &= e->tsx[n][a] == e->tsx[n][b];
    }
    return same;
}

static uint64_t hash_counters(const aiu_events *e, uint32_t i, unsigned step)
{
    uint64_t h = (uint64_t)e->job[i] << 8 | step;
    for (unsigned n = 0; n < 5; n++) {
        h = (h ^ (uint64_t)e->tsx[n][i]) * 0x9E3779B97F4A7C15u;
        h ^= h >> 32;
    }
    return h;
}

/* Torch may give the counters of a launch to all of its kernels. They say nothing of a single one. */
static void take_back_shared(aiu_run *run)
{
    aiu_events *e = &run->events;
    uint64_t shared = 0;
    pf_map *first = pf_aiu_scratch_map(run);
    for (uint32_t i = 0; i < e->count; i++) {
        if (!(e->flags[i] & AIU_TORCH) || !(e->flags[i] & AIU_HAS_TS)) {
            continue;
        }
        uint64_t key = hash_counters(e, i, pf_aiu_step(run, i));
        uint32_t other = pf_map_get(first, key);
        if (other == PF_NONE) {
            pf_aiu_map(run, first, key, i);
        } else if (same_counters(e, other, i)) {
            shared += 1 + (e->flags[other] & AIU_HAS_TS ? 1 : 0);
            e->flags[other] &= ~(uint32_t)AIU_HAS_TS;
            e->flags[i] &= ~(uint32_t)AIU_HAS_TS;
        }
    }
    if (shared) {
        pf_aiu_log(run, "WARNING",
                   "Ingestion: %llu slices have the counters of others of their launch, which say nothing of a single "
                   "one; the times of the host count",
                   (unsigned long long)shared);
    }
}

void pf_aiu_read_arguments(aiu_run *run)
{
    reading r = {.run = run};
    uint32_t *rows = pf_aiu_scratch(run, 2 * PIECE, sizeof *rows), count = 0;
    for (uint32_t i = 0; i < run->events.count && !pf_aiu_failed(run); i++) {
        if (run->events.phase[i] == 'X' && run->events.row[i] != PF_NONE) {
            rows[count] = run->events.row[i];
            rows[PIECE + count++] = i;
        }
        if (count == PIECE || (count && i + 1 == run->events.count)) {
            read_piece(&r, rows, rows + PIECE, count);
            count = 0;
        }
    }
    if (run->any_torch && !pf_aiu_rule(run, AIU_ANY_COUNTERS) && !pf_aiu_failed(run)) {
        take_back_shared(run);
    }
    if (r.failed) {
        pf_aiu_log(
            run, "WARNING",
            "Ingestion: the counters of %llu events are all 0, as if they had failed; the times of the host count",
            (unsigned long long)r.failed);
    }
    if (r.partial) {
        pf_aiu_log(run, "WARNING", "Ingestion: %llu events lack some of TS1 to TS5 and count as host events",
                   (unsigned long long)r.partial);
    }
}
