/* model/trace/trace_rows.c - rows as readers add them: events, samples, processes, threads, tracks, metadata.
 *
 * Processes are found by (kind, number) where kind says how ids compare: integers and integral reals by value, texts by
 * their string id, fractional reals by their bits; one row stands for all events without a pid. Threads are found by a
 * hash of (upid, kind, number), collisions chained through threads.next.
 */
#include <math.h>
#include <string.h>

#include "base/text/number.h"
#include "model/trace/trace.h"

pf_status pf_trace_grow_events(pf_trace *t, uint8_t phase, bool category, pf_error *err)
{
    uint64_t rows = (uint64_t)t->events.count + 1;
    if (rows > t->events.room) {
        PF_TRY(pf_columns_grow(&t->events.columns, rows, &t->events.room, err));
    }
    if (phase == 'X' && rows > t->events.dur_room) {
        if (t->events.dur_columns.count == 0) {
            PF_TRY(pf_columns_add(&t->events.dur_columns, (void **)&t->events.dur, sizeof *t->events.dur, err));
        }
        PF_TRY(pf_columns_grow(&t->events.dur_columns, rows, &t->events.dur_room, err));
    }
    if (category && rows > t->events.category_room) {
        if (t->events.category_columns.count == 0) {
            PF_TRY(pf_columns_add(&t->events.category_columns, (void **)&t->events.category, sizeof *t->events.category,
                                  err));
        }
        PF_TRY(pf_columns_grow(&t->events.category_columns, rows, &t->events.category_room, err));
    }
    return PF_OK;
}

uint32_t pf_trace_room_for_points(pf_trace *t, uint32_t rows, bool category, pf_error *err)
{
    bool categories = category || t->events.category_columns.count;
    uint64_t want = (uint64_t)t->events.count + rows;
    pf_error ignored;
    bool all = want <= t->events.room || pf_columns_grow(&t->events.columns, want, &t->events.room, &ignored) == PF_OK;
    if (all && t->events.category_columns.count && want > t->events.category_room) {
        all = pf_columns_grow(&t->events.category_columns, want, &t->events.category_room, &ignored) == PF_OK;
    }
    if (!all || categories) { /* under a limit the last rows are still usable one by one */
        if (pf_trace_grow_events(t, 0, categories, err) != PF_OK) {
            return 0;
        }
    }
    uint32_t room = t->events.room;
    room = categories && t->events.category_room < room ? t->events.category_room : room;
    return room - t->events.count < rows ? room - t->events.count : rows;
}

pf_status pf_trace_note_offset(pf_trace *t, uint64_t offset, pf_error *err)
{
    uint32_t i = t->offsets.count;
    PF_TRY(pf_columns_room(&t->offsets.columns, (uint64_t)i + 1, &t->offsets.room, err));
    t->offsets.event[i] = t->events.count - 1;
    t->offsets.offset[i] = offset;
    t->offsets.count++;
    return PF_OK;
}

pf_status pf_trace_no_decoder(pf_error *err)
{
    return pf_fail(err, PF_ERR_INTERNAL, "more than %d decoders of arguments in one trace", PF_DECODERS_MAX);
}

unsigned pf_trace_add_decoder(pf_trace *t, pf_args_decoder decode, void *state)
{
    unsigned i = 0;
    while (i < PF_DECODERS_MAX && t->decoder[i] && (t->decoder[i] != decode || t->decoder_state[i] != state)) {
        i++;
    }
    if (i == PF_DECODERS_MAX) {
        return PF_NONE;
    }
    t->decoder[i] = decode;
    t->decoder_state[i] = state;
    return i;
}

void *pf_trace_decoder_state(const pf_trace *t, pf_args_decoder decode)
{
    unsigned i = 0;
    while (i < PF_DECODERS_MAX && t->decoder[i] != decode) {
        i++;
    }
    return i < PF_DECODERS_MAX ? t->decoder_state[i] : NULL;
}

pf_status pf_trace_add_args(pf_trace *t, const uint8_t *bytes, size_t len, unsigned decoder, uint32_t context,
                            bool copy, pf_error *err)
{
    return pf_trace_add_args_of(t, t->events.count - 1, bytes, len, decoder, context, copy, err);
}

pf_status pf_trace_add_args_of(pf_trace *t, uint32_t event, const uint8_t *bytes, size_t len, unsigned decoder,
                               uint32_t context, bool copy, pf_error *err)
{
    uint32_t i = t->args.count;
    PF_TRY(decoder >= PF_DECODERS_MAX ? pf_trace_no_decoder(err) : PF_OK);
    if (len > UINT32_MAX) {
        return pf_fail(err, PF_ERR_LIMIT, "the arguments of one event are larger than 4 GiB; cut the trace");
    }
    PF_TRY(pf_columns_room(&t->args.columns, (uint64_t)i + 1, &t->args.room, err));
    if (copy) {
        bytes = (const uint8_t *)pf_arena_copy(&t->arena, (const char *)bytes, len);
        PF_TRY(bytes ? PF_OK : pf_budget_refused(&t->budget, len, err));
    }
    t->args.event[i] = event;
    t->args.bytes[i] = bytes;
    t->args.len[i] = (uint32_t)len;
    t->args.context[i] = context * PF_DECODERS_MAX + decoder;
    t->args.count++;
    return PF_OK;
}

pf_status pf_trace_grow_samples(pf_trace *t, pf_error *err)
{
    return pf_columns_grow(&t->counters.columns, (uint64_t)t->counters.count + 1, &t->counters.room, err);
}

pf_status pf_trace_grow_event_flows(pf_trace *t, pf_error *err)
{
    return pf_columns_grow(&t->flow_refs.columns, (uint64_t)t->flow_refs.count + 1, &t->flow_refs.room, err);
}

pf_status pf_trace_add_metadata(pf_trace *t, pf_str name, pf_str text, int64_t number, pf_error *err)
{
    uint32_t i = t->metadata.count, name_id, text_id;
    PF_TRY(pf_trace_add_string(t, name, &name_id, err));
    PF_TRY(pf_trace_add_string(t, text, &text_id, err));
    PF_TRY(pf_columns_room(&t->metadata.columns, (uint64_t)i + 1, &t->metadata.room, err));
    t->metadata.name[i] = name_id;
    t->metadata.text[i] = text_id;
    t->metadata.number[i] = number;
    t->metadata.input[i] = t->input;
    t->metadata.count++;
    return PF_OK;
}

pf_status pf_trace_add_thread_time(pf_trace *t, const pf_thread_time *time, pf_error *err)
{
    uint32_t i = t->thread_times.count;
    PF_TRY(pf_columns_room(&t->thread_times.columns, (uint64_t)i + 1, &t->thread_times.room, err));
    t->thread_times.event[i] = t->events.count - 1;
    t->thread_times.ts[i] = time->ts;
    t->thread_times.dur[i] = time->dur;
    t->thread_times.instruction_count[i] = time->instruction_count;
    t->thread_times.instruction_delta[i] = time->instruction_delta;
    t->thread_times.count++;
    return PF_OK;
}

/* The value as a number; the bits of a real. */
static int64_t value_number(const pf_value *v)
{
    int64_t number = 0;
    switch (v->type) {
    case PF_VALUE_BOOL:
        return v->as.b;
    case PF_VALUE_INT:
        return v->as.i;
    case PF_VALUE_UINT:
    case PF_VALUE_POINTER:
        return (int64_t)v->as.u;
    case PF_VALUE_REAL:
        memcpy(&number, &v->as.d, sizeof number);
        return number;
    case PF_VALUE_NULL:
    case PF_VALUE_STRING:
    case PF_VALUE_JSON:
        break;
    }
    return number;
}

pf_status pf_trace_add_row_arg(pf_trace *t, pf_owner owner, uint32_t row, pf_str key, const pf_value *value,
                               pf_error *err)
{
    uint32_t i = t->row_args.count, key_id, text_id;
    bool has_text = value->type == PF_VALUE_STRING || value->type == PF_VALUE_JSON;
    PF_TRY(pf_trace_add_string(t, key, &key_id, err));
    PF_TRY(pf_trace_add_string(t, has_text ? value->as.s : (pf_str){NULL, 0}, &text_id, err));
    PF_TRY(pf_columns_room(&t->row_args.columns, (uint64_t)i + 1, &t->row_args.room, err));
    t->row_args.owner[i] = (uint8_t)owner;
    t->row_args.row[i] = row;
    t->row_args.key[i] = key_id;
    t->row_args.type[i] = (uint8_t)value->type;
    t->row_args.number[i] = value_number(value);
    t->row_args.text[i] = text_id;
    t->row_args.count++;
    return PF_OK;
}

pf_status pf_trace_add_clock(pf_trace *t, int64_t ts, int64_t clock_id, pf_str name, int64_t value,
                             uint32_t snapshot_id, pf_error *err)
{
    uint32_t i = t->clocks.count, name_id;
    PF_TRY(pf_trace_add_string(t, name, &name_id, err));
    PF_TRY(pf_columns_room(&t->clocks.columns, (uint64_t)i + 1, &t->clocks.room, err));
    t->clocks.ts[i] = ts;
    t->clocks.clock_id[i] = clock_id;
    t->clocks.clock_name[i] = name_id;
    t->clocks.clock_value[i] = value;
    t->clocks.snapshot_id[i] = snapshot_id;
    t->clocks.count++;
    return PF_OK;
}

/* The id as a number: its own, or one from 2^32 on for ids that are no integer. */
static int64_t id_number(pf_trace *t, const pf_ident *id)
{
    switch (id->kind) {
    case PF_ID_INT:
        return id->number;
    case PF_ID_TEXT:
    case PF_ID_REAL:
        return t->processes.next_synthetic++;
    case PF_ID_ABSENT:
        break;
    }
    return 0;
}

static uint64_t process_key(const pf_ident *pid)
{
    return pid->kind == PF_ID_TEXT ? pid->text : (uint64_t)pid->number;
}

static uint32_t find_process(const pf_trace *t, const pf_ident *pid)
{
    return pid->kind == PF_ID_ABSENT ? t->group->absent : pf_map_get(&t->group->by_key[pid->kind], process_key(pid));
}

uint32_t pf_trace_bare_process(pf_trace *t, const pf_ident *pid, pf_error *err)
{
    uint32_t row = t->processes.count;
    if (row == t->processes.room &&
        pf_columns_grow(&t->processes.columns, (uint64_t)row + 1, &t->processes.room, err) != PF_OK) {
        return PF_NONE;
    }
    if (pid->kind == PF_ID_ABSENT) {
        t->group->absent = row;
    } else if (pf_map_put(&t->group->by_key[pid->kind], process_key(pid), row, err) != PF_OK) {
        return PF_NONE;
    }
    t->processes.pid[row] = id_number(t, pid);
    t->processes.kind[row] = (uint8_t)pid->spelling;
    t->processes.text[row] = pid->text;
    t->processes.name[row] = pid->kind == PF_ID_TEXT ? pid->text : 0;
    t->processes.start_ts[row] = INT64_MIN;
    t->processes.end_ts[row] = INT64_MIN;
    t->processes.uid[row] = INT64_MIN;
    t->processes.parent_upid[row] = PF_NONE;
    t->processes.input[row] = t->input;
    t->processes.count++;
    return row;
}

uint32_t pf_trace_new_process(pf_trace *t, const pf_ident *pid, pf_error *err)
{
    uint32_t row = pf_trace_bare_process(t, pid, err);
    return row == PF_NONE || pf_trace_new_thread(t, row, pid, err) == PF_NONE ? PF_NONE : row;
}

uint32_t pf_trace_process(pf_trace *t, const pf_ident *pid, pf_error *err)
{
    uint32_t row = find_process(t, pid);
    return row != PF_NONE ? row : pf_trace_new_process(t, pid, err);
}

/* What same_thread compares. */
static uint64_t thread_number(const pf_ident *tid)
{
    return tid->kind == PF_ID_INT ? (uint64_t)tid->number : tid->kind == PF_ID_ABSENT ? 0 : tid->text;
}

static uint64_t thread_key(const pf_trace *t, uint32_t upid, const pf_ident *tid)
{
    return pf_hash_add(pf_hash_add(t->budget.seed, thread_number(tid)), (uint64_t)upid << 2 | tid->kind);
}

/* Whether row `utid` was made for this id. Synthetic numbers differ by the text they stand for. */
static bool same_thread(const pf_trace *t, uint32_t utid, uint32_t upid, const pf_ident *tid)
{
    if (t->threads.upid[utid] != upid) {
        return false;
    }
    pf_id_kind kind = t->threads.kind[utid];
    switch (tid->kind) {
    case PF_ID_INT:
        return kind != PF_ID_TEXT && t->threads.tid[utid] == tid->number;
    case PF_ID_TEXT:
    case PF_ID_REAL:
        return kind == tid->kind && t->threads.text[utid] == tid->text;
    case PF_ID_ABSENT:
        break;
    }
    return kind == PF_ID_ABSENT;
}

uint32_t pf_trace_new_thread(pf_trace *t, uint32_t upid, const pf_ident *tid, pf_error *err)
{
    uint32_t row = t->threads.count;
    uint64_t key = thread_key(t, upid, tid);
    if (row == t->threads.room &&
        pf_columns_grow(&t->threads.columns, (uint64_t)row + 1, &t->threads.room, err) != PF_OK) {
        return PF_NONE;
    }
    uint32_t first = pf_map_get(&t->threads.by_key, key);
    if (pf_map_put(&t->threads.by_key, key, row, err) != PF_OK) {
        return PF_NONE;
    }
    bool owned = upid != PF_NONE;
    bool names_process = owned && t->processes.kind[upid] == (uint8_t)tid->spelling &&
                         t->processes.text[upid] == tid->text &&
                         (tid->kind != PF_ID_INT || t->processes.pid[upid] == tid->number);
    t->threads.tid[row] = names_process ? t->processes.pid[upid] : id_number(t, tid);
    t->threads.kind[row] = (uint8_t)tid->spelling;
    t->threads.text[row] = tid->text;
    t->threads.upid[row] = upid;
    t->threads.name[row] = 0;
    t->threads.is_main[row] =
        names_process || (owned && tid->kind == PF_ID_INT && tid->number == t->processes.pid[upid]);
    t->threads.start_ts[row] = INT64_MIN;
    t->threads.end_ts[row] = INT64_MIN;
    t->threads.next[row] = first;
    t->threads.count++;
    return row;
}

uint32_t pf_trace_thread(pf_trace *t, uint32_t upid, const pf_ident *tid, pf_error *err)
{
    uint32_t row = pf_map_get(&t->threads.by_key, thread_key(t, upid, tid));
    while (row != PF_NONE && !same_thread(t, row, upid, tid)) {
        row = t->threads.next[row];
    }
    return row != PF_NONE ? row : pf_trace_new_thread(t, upid, tid, err);
}

pf_status pf_trace_know_thread(pf_trace *t, uint32_t utid, pf_error *err)
{
    const pf_ident tid = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = t->threads.tid[utid]};
    uint64_t key = thread_key(t, t->threads.upid[utid], &tid);
    return pf_map_get(&t->threads.by_key, key) == PF_NONE ? pf_map_put(&t->threads.by_key, key, utid, err) : PF_OK;
}

/* The id that a row was found by, as JSON writes it. */
static pf_ident written_id(const pf_trace *t, pf_id_kind kind, int64_t number, uint32_t text)
{
    pf_str s = pf_strings_get(&t->strings, text);
    pf_ident id = {.kind = kind, .spelling = kind, .number = number, .text = text};
    double v = 0;
    if (kind != PF_ID_REAL) {
        return id;
    }
    if (pf_parse_int(s.ptr, s.len, &number)) {
        id.kind = PF_ID_INT;
        id.number = number;
    } else if (pf_parse_real(s.ptr, s.len, &v) && v == trunc(v) && v >= -0x1p63 && v < 0x1p63) {
        id.kind = PF_ID_INT;
        id.number = (int64_t)v;
    } else {
        memcpy(&id.number, &v, sizeof v);
    }
    return id;
}

pf_status pf_trace_know_ids(pf_trace *t, pf_error *err)
{
    for (uint32_t i = 0; i < t->processes.count; i++) {
        pf_ident id = written_id(t, t->processes.kind[i], t->processes.pid[i], t->processes.text[i]);
        if (t->processes.input[i] == t->input && id.kind == PF_ID_ABSENT) {
            t->group->absent = i;
        } else if (t->processes.input[i] == t->input) {
            PF_TRY(pf_map_put(&t->group->by_key[id.kind], process_key(&id), i, err));
        }
    }
    for (uint32_t i = 0; i < t->threads.count; i++) {
        uint32_t upid = t->threads.upid[i];
        pf_ident id = written_id(t, t->threads.kind[i], t->threads.tid[i], t->threads.text[i]);
        uint64_t key = thread_key(t, upid, &id);
        if (upid != PF_NONE && t->processes.input[upid] == t->input && pf_map_get(&t->threads.by_key, key) == PF_NONE) {
            PF_TRY(pf_map_put(&t->threads.by_key, key, i, err));
        }
        PF_TRY(pf_map_get(&t->said_tids, i) == PF_NONE ? pf_map_put(&t->said_tids, i, 0, err) : PF_OK);
    }
    return PF_OK;
}

uint32_t pf_trace_add_track(pf_trace *t, const pf_track_row *r, pf_error *err)
{
    uint32_t row = t->tracks.count;
    if (row == t->tracks.room &&
        pf_columns_grow(&t->tracks.columns, (uint64_t)row + 1, &t->tracks.room, err) != PF_OK) {
        return PF_NONE;
    }
    t->tracks.type[row] = (uint8_t)r->type;
    t->tracks.used[row] = 0;
    t->tracks.name[row] = r->name;
    t->tracks.upid[row] = r->upid;
    t->tracks.utid[row] = r->utid;
    t->tracks.parent[row] = r->parent;
    t->tracks.unit[row] = r->unit;
    t->tracks.group[row] = r->group;
    t->tracks.uuid[row] = r->uuid;
    t->tracks.count++;
    return row;
}

uint32_t pf_trace_thread_track(pf_trace *t, uint32_t utid, pf_error *err)
{
    uint32_t row = pf_map_get(&t->tracks.by_thread, utid);
    if (row != PF_NONE) {
        return row;
    }
    const pf_track_row r = {.type = PF_TRACK_THREAD_EXECUTION,
                            .upid = t->threads.upid[utid],
                            .utid = utid,
                            .parent = PF_NONE,
                            .group = PF_NONE};
    row = pf_trace_add_track(t, &r, err);
    return row != PF_NONE && pf_map_put(&t->tracks.by_thread, utid, row, err) == PF_OK ? row : PF_NONE;
}

static const struct {
    const char *name;
    bool counter;
} track_types[PF_TRACK_TYPE_COUNT] = {
#define PF_TRACK_TYPE_ROW(id, name, counter) [PF_TRACK_##id] = {name, counter},
    PF_TRACK_TYPES(PF_TRACK_TYPE_ROW)
#undef PF_TRACK_TYPE_ROW
};

const char *pf_track_type_name(pf_track_type type)
{
    return track_types[type].name;
}

bool pf_track_type_is_counter(pf_track_type type)
{
    return track_types[type].counter;
}

pf_status pf_trace_add_arrow(pf_trace *t, uint32_t slice_out, uint32_t slice_in, uint64_t trace_id, uint32_t event,
                             pf_error *err)
{
    uint32_t row = t->flows.count;
    PF_TRY(pf_columns_room(&t->flows.columns, (uint64_t)row + 1, &t->flows.room, err));
    t->flows.slice_out[row] = slice_out;
    t->flows.slice_in[row] = slice_in;
    t->flows.trace_id[row] = trace_id;
    if (t->flows.event) {
        t->flows.event[row] = event;
    }
    t->flows.count++;
    return PF_OK;
}
