/* model/build/derive.c - a trace that begins as a copy of another one.
 *
 * Everything but events and samples is copied, column by column, so that rows and string ids mean the same in both;
 * bytes that nobody changes (texts, arguments, the inputs themselves) are shared, and the new trace holds the old one.
 * What hangs on events (arguments, flow ids, thread clocks, notes, call stacks, byte offsets, samples) are sparse
 * tables in the order of the events; it is copied with its event. Slices, arrows and states are derived again from what
 * the new events are.
 */
#include <string.h>

#include "base/list.h"
#include "model/build/builder.h"

#define COPY(table)                                                                                                    \
    PF_TRY(pf_columns_copy(&t->table.columns, &s->table.columns, s->table.count, &t->table.room, err));                \
    t->table.count = s->table.count

static pf_status copy_tables(pf_trace *t, const pf_trace *s, pf_error *err)
{
    PF_TRY(pf_strings_share(&t->strings, &s->strings, err));
    COPY(processes);
    COPY(threads);
    COPY(tracks);
    COPY(metadata);
    COPY(row_args);
    COPY(clocks);
    COPY(leftovers);
    for (int i = 0; i < PF_SIDE_COUNT; i++) {
        if (i != PF_SIDE_STATE && i != PF_SIDE_EVENT_STACK) { /* derived; copied with their events */
            PF_TRY(pf_side_copy(&t->sides.known[i], &s->sides.known[i], err));
        }
    }
    for (size_t i = 0; i < s->sides.count; i++) {
        pf_side_table *to = NULL;
        PF_TRY(pf_trace_add_table(t, s->sides.added[i]->spec, &to, err));
        PF_TRY(pf_side_copy(to, s->sides.added[i], err));
    }
    return PF_OK;
}

static pf_status copy_maps(pf_trace *t, const pf_trace *s, pf_error *err)
{
    bool done = pf_map_copy(&t->threads.by_key, &s->threads.by_key) &&
                pf_map_copy(&t->tracks.by_thread, &s->tracks.by_thread) && pf_map_copy(&t->said_tids, &s->said_tids);
    return done ? PF_OK : pf_budget_refused(&t->budget, s->threads.by_key.count * sizeof *s->threads.by_key.slots, err);
}

/* Tracks count as used by what refers to them; a reader may also know of tracks that nothing refers to. */
static void forget_uses(pf_trace *t, const pf_trace *s)
{
    const pf_side_table *states = &s->sides.known[PF_SIDE_STATE];
    for (uint32_t i = 0; i < s->slices.count; i++) {
        t->tracks.used[s->slices.track[i]] = 0;
    }
    for (uint32_t i = 0; i < s->counters.count; i++) {
        t->tracks.used[s->counters.track[i]] = 0;
    }
    for (uint32_t i = 0; i < states->count; i++) {
        t->tracks.used[*pf_side_ref(states, PF_STATE_TRACK, i)] = 0;
    }
}

/* Events that are on no track for states are counted when states are derived. */
static uint64_t misplaced_states(const pf_trace *s)
{
    uint64_t count = 0;
    for (uint32_t i = 0; s->has_states && i < s->events.count; i++) {
        uint8_t type = s->tracks.type[s->events.track[i]];
        count += s->events.phase[i] == PF_PHASE_STATE && s->events.ts[i] >= 0 && type != PF_TRACK_THREAD_STATE &&
                 type != PF_TRACK_PROCESS_STATE && type != PF_TRACK_GLOBAL_STATE;
    }
    return count;
}

/* Damage that reading found; what deriving the tables finds is counted again. */
static void copy_stats(pf_trace *t, const pf_trace *s)
{
    static const pf_stat_id again[] = {PF_STAT_SLICE_SPILL,        PF_STAT_SLICE_MAX_DEPTH,  PF_STAT_MISPLACED_END,
                                       PF_STAT_NEGATIVE_TS,        PF_STAT_FLOW_NO_SLICE,    PF_STAT_FLOW_DUPLICATE,
                                       PF_STAT_FLOW_STEP_NO_START, PF_STAT_FLOW_END_NO_START};
    for (size_t i = 0; i < PF_STAT_COUNT; i++) {
        pf_stat all = pf_trace_stat(s, i);
        t->stat_count[i] = all.count;
        t->stat_offset[i] = all.first_offset;
    }
    for (size_t i = 0; i < sizeof again / sizeof *again; i++) {
        t->stat_count[again[i]] = 0;
    }
    t->stat_count[PF_STAT_EVENT_ERRORS] -= misplaced_states(s);
}

static pf_status copy_inputs(pf_trace *t, const pf_trace *s, pf_error *err)
{
    if (s->input_count) {
        PF_TRY(PF_ARENA_NEW(&t->arena, t->inputs, s->input_count, err));
        memcpy(t->inputs, s->inputs, s->input_count * sizeof *t->inputs);
    }
    t->input_count = s->input_count;
    PF_TRY(PF_LIST_ROOM(&t->budget, t->machines, s->machine_spans, t->machine_room, err));
    for (; t->machine_spans < s->machine_spans; t->machine_spans++) {
        t->machines[t->machine_spans] = s->machines[t->machine_spans];
    }
    t->send_plain = s->send_plain;
    t->residence = s->residence;
    return PF_OK;
}

static void copy_facts(pf_trace *t, const pf_trace *s)
{
    t->unit = s->unit;
    t->dialect = s->dialect;
    t->unnamed_slice = s->unnamed_slice;
    t->covered = s->covered;
    t->has_states = s->has_states;
    t->events.plain_ties = s->events.plain_ties;
    t->input = s->input;
    t->processes.next_synthetic = s->processes.next_synthetic;
    memcpy(t->decoder, s->decoder, sizeof t->decoder);
    memcpy(t->decoder_state, s->decoder_state, sizeof t->decoder_state);
    memcpy(t->checker, s->checker, sizeof t->checker);
    memcpy(t->finder, s->finder, sizeof t->finder);
}

/* The samples that belong to events, sorted by them. */
static bool earlier_event(const void *ctx, uint32_t a, uint32_t b)
{
    const uint32_t *event = ctx;
    return event[a] > event[b];
}

static pf_status sort_samples(pf_builder *b, pf_error *err)
{
    const pf_trace *s = b->source;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->counters.count; i++) {
        count += s->counters.event[i] != PF_NONE;
    }
    if (count == 0) {
        return PF_OK;
    }
    b->sample_count = count;
    PF_TRY(PF_LIST_NEW(&b->t->budget, b->samples, count, err));
    PF_TRY(PF_LIST_NEW(&b->t->budget, b->sample_event, count, err));
    for (uint32_t i = 0, at = 0; i < s->counters.count; i++) {
        if (s->counters.event[i] != PF_NONE) {
            b->samples[at++] = i;
        }
    }
    pf_sort_rows(b->samples, b->sample_event, count, earlier_event, s->counters.event);
    for (uint32_t i = 0; i < count; i++) {
        b->sample_event[i] = s->counters.event[b->samples[i]];
    }
    return PF_OK;
}

/* Tracks that say already how their children are ordered. */
static pf_status note_ordered(pf_builder *b, pf_error *err)
{
    const pf_trace *s = b->source;
    uint32_t key = pf_trace_find_string(s, PF_STR("child_ordering"));
    bool noted = true;
    for (uint32_t i = 0; i < s->row_args.count && noted && key != PF_NONE; i++) {
        if (s->row_args.owner[i] == PF_OWNER_TRACK_SOURCE && s->row_args.key[i] == key) {
            noted = pf_map_set(&b->ordered, s->row_args.row[i], 1);
        }
    }
    return noted ? PF_OK : pf_budget_refused(&b->t->budget, sizeof *b->ordered.slots, err);
}

pf_status pf_builder_share(pf_builder *b, pf_error *err)
{
    const pf_trace *s = b->source;
    pf_trace *t = b->t;
    t->source = s;
    pf_trace_hold(s);
    copy_facts(t, s);
    PF_TRY(copy_inputs(t, s, err));
    PF_TRY(copy_tables(t, s, err));
    PF_TRY(copy_maps(t, s, err));
    PF_TRY(pf_trace_copy_groups(t, s, err));
    forget_uses(t, s);
    copy_stats(t, s);
    PF_TRY(sort_samples(b, err));
    return note_ordered(b, err);
}

static pf_status copy_args(pf_builder *b, uint32_t row, pf_error *err)
{
    const pf_trace *s = b->source;
    uint32_t i = pf_rows_find(s->args.event, s->args.count, row, &b->hints.args);
    if (i == PF_NONE) {
        return PF_OK;
    }
    if (s->own_args >> s->args.context[i] % PF_DECODERS_MAX & 1) { /* they may name others of the source's source */
        return pf_builder_name_args(b, i);
    }
    return pf_trace_add_lasting_args(b->t, s->args.bytes[i], s->args.len[i], s->args.context[i] % PF_DECODERS_MAX,
                                     s->args.context[i] / PF_DECODERS_MAX, err);
}

static pf_status copy_flows(pf_builder *b, uint32_t row, pf_error *err)
{
    const pf_trace *s = b->source;
    uint32_t i = pf_rows_seek(s->flow_refs.event, s->flow_refs.count, row, &b->hints.flows);
    for (; i < s->flow_refs.count && s->flow_refs.event[i] == row; i++) {
        PF_TRY(pf_trace_add_event_flow(b->t, s->flow_refs.id[i], s->flow_refs.kind[i], err));
    }
    return PF_OK;
}

static pf_status copy_thread_time(pf_builder *b, uint32_t row, pf_error *err)
{
    const pf_trace *s = b->source;
    uint32_t i = pf_rows_find(s->thread_times.event, s->thread_times.count, row, &b->hints.times);
    if (i == PF_NONE) {
        return PF_OK;
    }
    const pf_thread_time time = {.ts = s->thread_times.ts[i],
                                 .dur = s->thread_times.dur[i],
                                 .instruction_count = s->thread_times.instruction_count[i],
                                 .instruction_delta = s->thread_times.instruction_delta[i]};
    return pf_trace_add_thread_time(b->t, &time, err);
}

static pf_status copy_origin(pf_builder *b, uint32_t row)
{
    const pf_trace *s = b->source;
    uint32_t i = pf_rows_find(s->origins.event, s->origins.count, row, &b->hints.origins);
    if (i == PF_NONE) {
        return PF_OK;
    }
    return pf_builder_copy_note(b, (pf_str){(const char *)s->origins.bytes[i], s->origins.len[i]}, b->next.changed);
}

static pf_status copy_offset(pf_builder *b, uint32_t row, pf_error *err)
{
    const pf_trace *s = b->source;
    uint32_t i = pf_rows_find(s->offsets.event, s->offsets.count, row, &b->hints.offsets);
    return i != PF_NONE ? pf_trace_note_offset(b->t, s->offsets.offset[i], err) : PF_OK;
}

/* A copied row as it was before its slice was known: the stack at the end of a slice was that of the event. */
static void unplace_stack(pf_side_table *s, uint32_t row, uint32_t event, uint8_t phase)
{
    uint32_t *site = pf_side_ref(s, PF_EVENT_STACK_SITE, row), *end = pf_side_ref(s, PF_EVENT_STACK_END_SITE, row);
    *pf_side_ref(s, PF_EVENT_STACK_EVENT, row) = event;
    *pf_side_ref(s, PF_EVENT_STACK_SLICE, row) = PF_NONE;
    if (*site == PF_NONE && phase != 'X') {
        *site = *end;
        *end = PF_NONE;
    }
}

static pf_status copy_stacks(pf_builder *b, uint32_t row, pf_error *err)
{
    const pf_side_table *s = &b->source->sides.known[PF_SIDE_EVENT_STACK];
    pf_side_table *to = &b->t->sides.known[PF_SIDE_EVENT_STACK];
    const uint32_t *event = pf_side_ref(s, PF_EVENT_STACK_EVENT, 0);
    uint32_t i = pf_rows_seek(event, s->count, row, &b->hints.stacks);
    for (; i < s->count && event[i] == row; i++) {
        PF_TRY(pf_side_copy_row(to, s, i, err));
        unplace_stack(to, to->count - 1, b->t->events.count - 1, b->source->events.phase[row]);
    }
    return PF_OK;
}

static pf_status copy_samples(pf_builder *b, uint32_t row, const pf_event *as, pf_error *err)
{
    const pf_trace *s = b->source;
    uint32_t i = pf_rows_seek(b->sample_event, b->sample_count, row, &b->hints.samples);
    for (; i < b->sample_count && b->sample_event[i] == row; i++) {
        uint32_t from = b->samples[i], track = b->next.counter != PF_NONE ? b->next.counter : s->counters.track[from];
        int64_t ts = (int64_t)((uint64_t)s->counters.ts[from] + (uint64_t)as->ts - (uint64_t)s->events.ts[row]);
        PF_TRY(pf_trace_add_sample(b->t, ts, s->counters.value[from], track, b->t->events.count - 1, err));
    }
    return PF_OK;
}

static pf_status copy_rest(pf_builder *b, uint32_t row, const pf_event *as, pf_error *err)
{
    const pf_trace *s = b->source;
    PF_TRY(!b->next.args_changed && s->args.count ? copy_args(b, row, err) : PF_OK);
    PF_TRY(s->flow_refs.count && !b->next.drops_flows ? copy_flows(b, row, err) : PF_OK);
    PF_TRY(s->thread_times.count ? copy_thread_time(b, row, err) : PF_OK);
    PF_TRY(s->origins.count ? copy_origin(b, row) : PF_OK);
    PF_TRY(s->offsets.count ? copy_offset(b, row, err) : PF_OK);
    PF_TRY(s->sides.known[PF_SIDE_EVENT_STACK].count ? copy_stacks(b, row, err) : PF_OK);
    return b->sample_count ? copy_samples(b, row, as, err) : PF_OK;
}

void pf_builder_copy_rest(pf_builder *b, uint32_t row, const pf_event *as)
{
    (void)copy_rest(b, row, as, &b->error); /* a failure stays there */
}
