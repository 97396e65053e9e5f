/* analyze/aiu/ingest/aiu_arguments.c - the arguments that stages need, from the trace into columns of the store: the
 * five cycle counters, charge, bytes, and what says who talks to whom; and counter events of inputs that have samples
 * instead (model/trace/json_notes.h), whose series are their arguments. */
#include <math.h>

#include "analyze/aiu/ingest/aiu_ingest.h"
#include "postfetto/arg_columns.h"

/* The keys in their order: five counters, charge, bytes, four texts; of torch five counters more. */
enum {
    KEY_TS1,
    KEY_POWER = KEY_TS1 + 5,
    KEY_POWER_NUMBER,
    KEY_BYTES,
    KEY_BYTES_NUMBER,
    KEY_BYTES_LOWER,
    KEY_GROUP,
    KEYS_FLEX = KEY_GROUP + 4,
    KEY_CYCLES = KEYS_FLEX,
    KEYS = KEY_CYCLES + 5
};

#define KEY(name, kind, text)                                                                                          \
    {                                                                                                                  \
        .key = name, .type = kind, .from_text = text                                                                   \
    }
#define TEXT(name) KEY(name, PF_ARG_TEXT, false)
#define NUMBER(name) KEY(name, PF_ARG_UINT, false)
#define SPELLED(name) KEY(name, PF_ARG_UINT, true) /* or in a text */

static const pf_arg_key keys[KEYS] = {
    SPELLED("TS1"),         SPELLED("TS2"),         SPELLED("TS3"),         SPELLED("TS4"),
    SPELLED("TS5"),         SPELLED("Power"),       NUMBER("Power"),        SPELLED("Bytes"),
    NUMBER("bytes"),        SPELLED("bytes"),       TEXT("CollGroup"),      TEXT("Peer"),
    TEXT("Peers"),          TEXT("Type"),           NUMBER("cycles_ts[0]"), NUMBER("cycles_ts[1]"),
    NUMBER("cycles_ts[2]"), NUMBER("cycles_ts[3]"), NUMBER("cycles_ts[4]")};

typedef struct reading {
    aiu_run *run;
    const pf_arg_columns *columns;
    const pf_arg_column *column[KEYS];
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
    r->run->odd.failed += failed;
    return failed ? 0 : there;
}

static void take_event(reading *r, uint32_t i, uint32_t e)
{
    aiu_events *v = &r->run->events;
    const pf_arg_column *const *c = r->column;
    uint32_t *const places[] = {&v->group[e], &v->peer[e], &v->peers[e], &v->type[e]};
    unsigned there = take_counters(r, i, e, KEY_TS1);
    if (there == 0 && v->flags[e] & AIU_TORCH && !pf_aiu_rule(r->run, AIU_ANY_COUNTERS)) {
        there = take_counters(r, i, e, KEY_CYCLES);
    }
    v->flags[e] |= there == 5 ? AIU_HAS_TS : 0;
    r->run->odd.lacking += there > 0 && there < 5;
    if (pf_arg_has(c[KEY_POWER], i)) {
        v->power[e] = (uint32_t)c[KEY_POWER]->values.u[i];
        v->flags[e] |= AIU_HAS_POWER | (pf_arg_has(c[KEY_POWER_NUMBER], i) ? AIU_POWER_NUMBER : 0);
    }
    const pf_arg_column *bytes = pf_arg_has(c[KEY_BYTES], i) ? c[KEY_BYTES] : c[KEY_BYTES_LOWER];
    if (pf_arg_has(bytes, i)) {
        v->bytes[e] = bytes->values.u[i];
        v->flags[e] |= AIU_HAS_BYTES | (pf_arg_has(c[KEY_BYTES_NUMBER], i) ? AIU_BYTES_NUMBER : 0);
    }
    for (unsigned k = 0; k < 4; k++) {
        const pf_arg_column *text = c[KEY_GROUP + k];
        if (text->found && pf_arg_has(text, i)) {
            *places[k] = pf_aiu_text(r->run, pf_arg_columns_text(r->columns, text->values.text[i]));
        }
    }
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

/* Torch may give the counters of a launch to all of its kernels. They say nothing of a single one. */
static void take_back_shared(aiu_run *run)
{
    aiu_events *v = &run->events;
    pf_map *first = pf_aiu_scratch_map(run);
    for (uint32_t e = 0; e < v->count; e++) {
        if (!(v->flags[e] & AIU_TORCH) || !(v->flags[e] & AIU_HAS_TS)) {
            continue;
        }
        uint64_t key = (uint64_t)v->job[e] << 8 | pf_aiu_step(run, e);
        for (unsigned n = 0; n < 5; n++) {
            key = (key ^ (uint64_t)v->tsx[n][e]) * 0x9E3779B97F4A7C15u;
            key ^= key >> 32;
        }
        uint32_t other = pf_map_get(first, key);
        bool same = other != PF_NONE && v->job[other] == v->job[e];
        for (unsigned n = 0; n < 5 && same; n++) {
            same = v->tsx[n][other] == v->tsx[n][e];
        }
        if (other == PF_NONE) {
            pf_aiu_map(run, first, key, e);
        } else if (same) {
            run->odd.shared += 1 + (v->flags[other] & AIU_HAS_TS ? 1 : 0);
            v->flags[other] &= ~(uint32_t)AIU_HAS_TS;
            v->flags[e] &= ~(uint32_t)AIU_HAS_TS;
        }
    }
}

void pf_aiu_say_odd_counters(aiu_run *run)
{
    const aiu_odd_events *odd = &run->odd;
    pf_aiu_warn(run, "Ingestion: ", odd->shared,
                " slices have the counters of others of their launch, which say nothing of a single one; the times of "
                "the host count");
    pf_aiu_warn(run, "Ingestion: the counters of ", odd->failed,
                " events are all 0, as if they had failed; the times of the host count");
    pf_aiu_warn(run, "Ingestion: ", odd->lacking, " events lack some of TS1 to TS5 and count as host events");
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
    if (!run->keeps) {
        pf_aiu_say_odd_counters(run);
    }
}

static bool is_sample(const pf_trace *t, uint32_t row)
{
    return row < pf_trace_events(t)->count && pf_trace_is_sample(t, row);
}

void pf_aiu_find_counters(aiu_run *run, pf_json_samples *names, uint32_t *out)
{
    enum { MOST = 64 };
    const pf_counters *k = pf_trace_counters(run->trace);
    const uint32_t *category = pf_trace_events(run->trace)->category;
    aiu_counter_events *all = &run->counters;
    pf_json_samples_init(names, run->trace, run->budget, &run->error);
    for (uint32_t i = 0; i < k->count && !pf_aiu_failed(run); i++) {
        uint32_t row = k->event[i];
        if (!is_sample(run->trace, row)) {
            continue;
        }
        pf_origin o = pf_json_samples_note(names, i);
        uint32_t says = names->habit[k->track[i]];
        aiu_counter_event c = {.whole = o.whole.ptr, .sample = i, .samples = 1, .reals = pf_json_samples_real(&o)};
        c.cat = category && says != PF_NONE ? category[says] : 0;
        while (i + 1 < k->count && c.samples < MOST && k->ts[i + 1] == k->ts[i] &&
               is_sample(run->trace, k->event[i + 1]) && pf_json_samples_joins(names, i + 1, &o)) {
            out[k->event[++i]] = PF_NONE;
            c.reals |= (uint64_t)pf_json_samples_real(&o) << c.samples++;
        }
        if (AIU_ROOM(run, all->list, all->count + 1, all->room) == PF_OK) {
            all->list[all->count] = c;
            pf_aiu_map(run, all->by_row, row, all->count++);
        }
    }
}

/* The series of an event as its arguments. */
void pf_aiu_take_counter(aiu_run *run, uint32_t event, const pf_json_samples *names)
{
    const pf_counters *k = pf_trace_counters(run->trace);
    uint32_t i = pf_map_get(run->counters.by_row, run->events.row[event]);
    const aiu_counter_event *c = i == PF_NONE ? NULL : &run->counters.list[i];
    if (!c || c->whole) {
        return;
    }
    pf_str name = {NULL, 0}, series;
    for (uint32_t n = c->samples; n-- > 0;) {
        double v = k->value[c->sample + n];
        bool whole = fabs(v) <= 0x1p53 && v == floor(v) && !(c->reals >> n & 1);
        pf_json_samples_name(names, k->track[c->sample + n], &name, &series);
        whole ? pf_aiu_add_int(run, event, series, (int64_t)v) : pf_aiu_add_real(run, event, series, v);
    }
    run->events.name[event] = pf_aiu_text(run, name);
    run->events.cat[event] = c->cat ? pf_aiu_pool_text(run, c->cat) : run->events.cat[event];
}
