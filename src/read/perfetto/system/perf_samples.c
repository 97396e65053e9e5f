/* read/perfetto/system/perf_samples.c - what samples of perf counted: a counter of each CPU for what the samples are
 * taken by, the timebase, and for each event that is counted with it, its followers. Stacks of calls are not read.
 *
 * What the counters are comes in the defaults of the sequence; without them it is the clock of the CPU.
 */
#include "base/list.h"
#include "base/str.h"
#include "perfetto/fields.h"
#include "read/perfetto/system/system.h"

enum { CPU = 1, PID, TID, TIMEBASE_COUNT = 6, FOLLOWER_COUNTS, RECORDS_LOST = 17, SKIPPED, PRODUCER_EVENT };
enum { SKIP_READ = 1, SKIP_UNWIND, SKIP_ENQUEUE };
enum { STOP_GUARDRAIL = 1 };
enum { DEFAULTS_PERF = 12, DEFAULTS_TIMEBASE = 1, DEFAULTS_FOLLOWERS = 4 };

/* Fields of an event by its kind: of a timebase, and of a follower. */
enum { NAME, COUNTER, TRACEPOINT, RAW_EVENT, MODIFIERS, FIELDS };
static const uint8_t FIELDS_OF[2][FIELDS] = {{10, 4, 3, 5, 12}, {4, 1, 2, 3, 5}};

/* A sequence with samples. */
typedef struct series {
    uint32_t name, names; /* the first in pf_perf.name, the timebase's; 0: there are no defaults */
    uint32_t session;     /* in the order of their first samples; PF_NONE: none so far */
} series;

typedef struct pf_perf {
    pf_map by_sequence; /* -> index in `list` */
    series *list;
    uint32_t count, room, sessions;
    uint32_t *name; /* string ids */
    uint32_t names, name_room;
} pf_perf;

static series *series_of(pf_import *im, uint32_t sequence)
{
    pf_budget *budget = &im->t->budget;
    if (!im->system.perf && !pf_import_failed(im)) {
        im->system.perf = pf_alloc_zero(budget, 1, sizeof *im->system.perf);
        if (!im->system.perf) {
            pf_import_refuse(im, sizeof *im->system.perf);
            return NULL;
        }
        pf_map_init(&im->system.perf->by_sequence, budget);
    }
    pf_perf *s = im->system.perf;
    uint32_t i = pf_import_failed(im) ? PF_NONE : pf_map_get(&s->by_sequence, sequence);
    if (i == PF_NONE && !pf_import_failed(im) &&
        PF_LIST_ROOM(budget, s->list, s->count + 1, s->room, im->err) == PF_OK) {
        i = s->count++;
        s->list[i] = (series){.session = PF_NONE};
        pf_import_put(im, &s->by_sequence, sequence, i);
    }
    return pf_import_failed(im) ? NULL : &s->list[i];
}

void pf_perf_free(pf_import *im)
{
    pf_perf *s = im->system.perf;
    if (s) {
        pf_map_free(&s->by_sequence);
        PF_LIST_FREE(&im->t->budget, s->list, s->room);
        PF_LIST_FREE(&im->t->budget, s->name, s->name_room);
        pf_release(&im->t->budget, s, sizeof *s);
        im->system.perf = NULL;
    }
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const char *counter_name(uint64_t counter)
{
    static const char *const names[] = {NULL,
                                        "cpu-clock",
                                        "page-faults",
                                        "task-clock",
                                        "context-switches",
                                        "cpu-migrations",
                                        "minor-faults",
                                        "major-faults",
                                        "alignment-faults",
                                        "emulation-faults",
                                        "cpu-cycles",
                                        "instructions",
                                        "cache-references",
                                        "cache-misses",
                                        "branch-instructions",
                                        "branch-misses",
                                        "bus-cycles",
                                        "stalled-cycles-frontend",
                                        "stalled-cycles-backend",
                                        "ref-cycles",
                                        "dummy"};
    return counter > 0 && counter < PF_TAG_COUNT(names) ? names[counter] : "unknown";
}

static void write_name(pf_buffer *b, pf_cursor c, const uint8_t *fields)
{
    const pf_field name = pf_cursor_last(c, PF_TAG_BYTES(fields[NAME]));
    const pf_field counter = pf_cursor_last(c, PF_TAG_VARINT(fields[COUNTER]));
    const pf_field tracepoint = pf_cursor_last(c, PF_TAG_BYTES(fields[TRACEPOINT]));
    const pf_field raw = pf_cursor_last(c, PF_TAG_BYTES(fields[RAW_EVENT]));
    if (name.len) {
        pf_buffer_put(b, name.bytes, name.len);
    } else if (counter.tag) {
        pf_buffer_text(b, counter_name(counter.value));
    } else if (tracepoint.tag) {
        const pf_field said = pf_cursor_last(pf_field_cursor(&tracepoint), PF_TAG_BYTES(1));
        pf_buffer_put(b, said.bytes, said.len);
    } else if (raw.tag) {
        PF_CURSOR_FIELDS(r, pf_field_cursor(&raw), PF_AT_VARINT(1), PF_AT_VARINT(2), PF_AT_VARINT(3), PF_AT_VARINT(4));
        pf_buffer_format(b, "raw.0x%x.0x%llx.0x%llx.0x%llx", (unsigned)r[1].value, (unsigned long long)r[2].value,
                         (unsigned long long)r[3].value, (unsigned long long)r[4].value);
    } else {
        pf_buffer_text(b, "unknown");
    }
}

static uint32_t name_of(pf_import *im, pf_cursor c, bool follower)
{
    static const char *const letters[] = {"", "u", "k", "h"};
    const uint8_t *fields = FIELDS_OF[follower];
    pf_numbers modifiers = pf_numbers_of(c, fields[MODIFIERS], false);
    bool any = false;
    im->scratch.len = 0;
    write_name(&im->scratch, c, fields);
    for (uint64_t modifier; pf_numbers_next(&modifiers, &modifier);) {
        bool known = modifier > 0 && modifier < PF_TAG_COUNT(letters);
        pf_buffer_text(&im->scratch, known && !any ? ":" : "");
        pf_buffer_text(&im->scratch, known ? letters[modifier] : "");
        any |= known;
    }
    return pf_import_scratch(im);
}

static void add_name(pf_import *im, series *of, uint32_t name)
{
    pf_perf *s = im->system.perf;
    if (!pf_import_failed(im) && PF_LIST_ROOM(&im->t->budget, s->name, s->names + 1, s->name_room, im->err) == PF_OK) {
        s->name[s->names++] = name;
        of->names++;
    }
}

void pf_perf_defaults(pf_import *im, uint32_t sequence, const pf_field *defaults)
{
    const pf_field perf = pf_cursor_last(pf_field_cursor(defaults), PF_TAG_BYTES(DEFAULTS_PERF));
    series *of = perf.tag ? series_of(im, sequence) : NULL;
    pf_cursor c = pf_field_cursor(&perf);
    if (!of) {
        return;
    }
    of->name = im->system.perf->names;
    of->names = 0;
    const pf_field timebase = pf_cursor_last(c, PF_TAG_BYTES(DEFAULTS_TIMEBASE));
    add_name(im, of, name_of(im, pf_field_cursor(&timebase), false));
    for (pf_field f; pf_cursor_next_of(&c, PF_TAG_BYTES(DEFAULTS_FOLLOWERS), &f);) {
        add_name(im, of, name_of(im, pf_field_cursor(&f), true));
    }
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* The counter of the i-th name, the timebase being the first one; it is shown whether it has samples or not. */
static uint32_t track_of(pf_import *im, const series *of, uint32_t cpu, uint32_t i)
{
    uint32_t name = of->names ? im->system.perf->name[of->name + i] : pf_import_word(im, counter_name(1));
    uint32_t before = im->t->tracks.count;
    uint32_t track = pf_system_track(im, PF_TRACK_PERF_COUNTER, PF_NONE, (pf_dims){cpu, of->session, name});
    if (track != PF_NONE && im->t->tracks.count > before) {
        const pf_value timebase = {.type = PF_VALUE_BOOL, .as.b = i == 0};
        pf_import_arg(im, PF_OWNER_TRACK_SOURCE, track, PF_STR("is_timebase"), timebase);
        im->t->tracks.used[track] = 1;
    }
    return track;
}

static void count_skipped(pf_import *im, const pf_packet *p, const pf_field *reason)
{
    if (reason->tag && (reason->value == SKIP_READ || reason->value == SKIP_UNWIND)) {
        pf_import_count(im, p->r, PF_STAT_PERF_SKIPPED);
    } else if (reason->tag && reason->value == SKIP_ENQUEUE) {
        pf_import_count(im, p->r, PF_STAT_PERF_NOT_QUEUED);
    }
}

/* A sample of each counter that has a value; without `is_sample` the counters are made only. */
static void add_counts(pf_import *im, const pf_packet *p, const series *of, uint32_t cpu, const pf_field *timebase,
                       bool is_sample)
{
    uint32_t track = track_of(im, of, cpu, 0);
    pf_numbers counts = pf_numbers_of(pf_field_cursor(&p->data), FOLLOWER_COUNTS, false);
    if (is_sample && timebase->tag) {
        pf_import_add_sample(im, p->r, p->at, track, (double)timebase->value);
    }
    for (uint32_t i = 1; i < of->names; i++) {
        uint64_t count;
        track = track_of(im, of, cpu, i);
        if (is_sample && pf_numbers_next(&counts, &count)) {
            pf_import_add_sample(im, p->r, p->at, track, (double)count);
        }
    }
}

/* What the kernel or the producer says in place of a sample. */
static void take_notice(pf_import *im, const pf_packet *p, const series *of, uint32_t cpu, const pf_field *lost,
                        const pf_field *event)
{
    if (lost->value) {
        pf_system_stat_add(im, p->r, PF_STAT_PERF_LOST, cpu, (int64_t)lost->value);
    } else if (pf_cursor_last(pf_field_cursor(event), PF_TAG_VARINT(1)).value == STOP_GUARDRAIL) {
        pf_system_stat(im, p->r, PF_STAT_PERF_STOPPED, of->session, pf_import_now(im, p->at));
    }
}

void pf_import_perf_sample(pf_import *im, const pf_packet *p)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(&p->data), PF_AT_VARINT(CPU), PF_AT_VARINT(PID), PF_AT_VARINT(TID),
                     PF_AT_VARINT(TIMEBASE_COUNT), PF_AT_VARINT(RECORDS_LOST), PF_AT_VARINT(SKIPPED),
                     PF_AT_BYTES(PRODUCER_EVENT));
    series *of = series_of(im, p->r->has & PF_HAS_SEQUENCE ? p->r->sequence : 0);
    uint32_t cpu = (uint32_t)f[CPU].value;
    bool is_sample = f[RECORDS_LOST].value == 0 && !f[PRODUCER_EVENT].tag;
    if (!of) {
        return;
    }
    if (of->session == PF_NONE) {
        of->session = im->system.perf->sessions++;
    }
    if (im->t->want & PF_WANT_COUNTERS) {
        add_counts(im, p, of, cpu, &f[TIMEBASE_COUNT], is_sample);
    }
    if (!is_sample) {
        take_notice(im, p, of, cpu, &f[RECORDS_LOST], &f[PRODUCER_EVENT]);
        return;
    }
    count_skipped(im, p, &f[SKIPPED]);
    if (f[TID].value || f[PID].value) {
        (void)pf_import_thread(im, (int32_t)f[PID].value, (int32_t)f[TID].value);
    }
}
