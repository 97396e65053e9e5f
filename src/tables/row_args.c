/* tables/row_args.c - argument sets of rows that are no events: what a track is keyed by (dimension) and where it
 * comes from (source), labels of processes and threads.
 *
 * What the columns of a track say is put first; what the reader noted for the row (pf_row_args) follows and replaces
 * values of the same key. The notes come in no order: a counting sort by row gathers those of each table.
 */

#include "base/list.h"
#include "base/str.h"
#include "tables/data.h"

/* What the columns of a track give. */
typedef enum track_key {
    NO_KEY = 0,
    UTID,
    UPID,
    TRACK_UUID,
    NAME,
    LANE,
    SCOPE,
    CHROME,
    DESCRIPTOR,
    TRACE_ID,
    IS_ROOT,
    PER_PROCESS,
    SOURCE_SCOPE
} track_key;

static const char *const KEY[] = {
    [UTID] = "utid",
    [UPID] = "upid",
    [TRACK_UUID] = "track_uuid",
    [NAME] = "name",
    [LANE] = "track_compressor_idx",
    [SCOPE] = "scope",
    [CHROME] = "source",
    [DESCRIPTOR] = "source",
    [TRACE_ID] = "trace_id",
    [IS_ROOT] = "is_root_in_scope",
    [PER_PROCESS] = "trace_id_is_process_scoped",
    [SOURCE_SCOPE] = "source_scope",
};

#define KEYS_MAX 4
#define DESCRIBED                                                                                                      \
    {                                                                                                                  \
        DESCRIPTOR, TRACE_ID, IS_ROOT                                                                                  \
    }

/* By type, in Perfetto's order; types that are not here have what the reader noted, after their thread or process. */
static const struct {
    uint8_t dimension[KEYS_MAX], source[KEYS_MAX];
} KEYS_OF[PF_TRACK_TYPE_COUNT] = {
    [PF_TRACK_THREAD_EXECUTION] = {{UTID}, {NO_KEY}},
    [PF_TRACK_THREAD_EVENT] = {{UTID, TRACK_UUID}, DESCRIBED},
    [PF_TRACK_PROCESS_EVENT] = {{UPID, TRACK_UUID}, DESCRIBED},
    [PF_TRACK_GLOBAL_EVENT] = {{TRACK_UUID}, DESCRIBED},
    [PF_TRACK_THREAD_MERGED] = {{UTID, LANE}, DESCRIBED},
    [PF_TRACK_PROCESS_MERGED] = {{UPID, LANE}, DESCRIBED},
    [PF_TRACK_GLOBAL_MERGED] = {{LANE}, DESCRIBED},
    [PF_TRACK_THREAD_OVERLAP] = {{UTID, LANE}, {NO_KEY}},
    [PF_TRACK_THREAD_COUNTER] = {{UTID, TRACK_UUID}, DESCRIBED},
    [PF_TRACK_PROCESS_COUNTER] = {{UPID, TRACK_UUID}, DESCRIBED},
    [PF_TRACK_GLOBAL_COUNTER] = {{TRACK_UUID}, DESCRIBED},
    [PF_TRACK_THREAD_STATE] = {{UTID, TRACK_UUID}, DESCRIBED},
    [PF_TRACK_PROCESS_STATE] = {{UPID, TRACK_UUID}, DESCRIBED},
    [PF_TRACK_GLOBAL_STATE] = {{TRACK_UUID}, DESCRIBED},
    [PF_TRACK_JSON_COUNTER] = {{UPID, NAME}, {NO_KEY}},
    [PF_TRACK_JSON_GLOBAL_INSTANTS] = {{NO_KEY}, {CHROME}},
    [PF_TRACK_JSON_PROCESS_INSTANTS] = {{UPID}, {CHROME}},
    [PF_TRACK_ATRACE_ASYNC] = {{UPID, NAME, LANE}, {NO_KEY}},
    [PF_TRACK_ATRACE_NAMED] = {{UPID, NAME, LANE}, {NO_KEY}},
    [PF_TRACK_SUSPEND_RESUME] = {{LANE}, {NO_KEY}},
    [PF_TRACK_VIRTGPU_QUEUE] = {{LANE}, {NO_KEY}},
    [PF_TRACK_DMA_ALLOCATIONS] = {{LANE}, {NO_KEY}},
    [PF_TRACK_EXPECTED_FRAMES] = {{UPID, LANE}, {NO_KEY}},
    [PF_TRACK_ACTUAL_FRAMES] = {{UPID, LANE}, {NO_KEY}},
    [PF_TRACK_LEGACY_ASYNC_GLOBAL] = {{SCOPE, NAME, LANE}, {CHROME, PER_PROCESS, SOURCE_SCOPE}},
    [PF_TRACK_LEGACY_ASYNC_PROCESS] = {{UPID, SCOPE, NAME, LANE}, {CHROME, PER_PROCESS, SOURCE_SCOPE}},
};

/* The notes of one owner by row: those of row i are note[first[i] .. first[i + 1]). */
typedef struct notes {
    uint32_t *first, *note;
    bool of_group; /* tracks of a group also have those of the row that names it */
    bool plain;    /* the flat key is the key */
} notes;

static pf_status gather_notes(const pf_data *d, pf_arena *arena, pf_owner owner, uint32_t rows, notes *n, pf_error *err)
{
    const pf_row_args *a = pf_trace_row_args(d->trace);
    PF_TRY(PF_ARENA_NEW(arena, n->first, (size_t)rows + 2, err));
    PF_TRY(PF_ARENA_NEW(arena, n->note, a->count, err));
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->owner[i] == owner && a->row[i] < rows) {
            n->first[a->row[i] + 2]++;
        }
    }
    for (uint32_t i = 2; i <= rows + 1; i++) {
        n->first[i] += n->first[i - 1];
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->owner[i] == owner && a->row[i] < rows) {
            n->note[n->first[a->row[i] + 1]++] = i;
        }
    }
    return PF_OK;
}

/* The key without its indexes, into `flat` (as long as the key at most). */
static size_t flatten_key(pf_str key, char *flat)
{
    size_t len = 0;
    for (size_t i = 0; i < key.len; i++) {
        size_t end = i + 1;
        while (key.ptr[i] == '[' && end < key.len && key.ptr[end] >= '0' && key.ptr[end] <= '9') {
            end++;
        }
        if (end > i + 1 && end < key.len && key.ptr[end] == ']') {
            i = end;
        } else {
            flat[len++] = key.ptr[i];
        }
    }
    return len;
}

static pf_status add_note(pf_data *d, uint32_t note, bool plain, pf_error *err)
{
    const pf_row_args *a = pf_trace_row_args(d->trace);
    pf_str key = pf_trace_string(d->trace, a->key[note]);
    pf_value v = {.type = (pf_value_type)a->type[note], .as.i = a->number[note]}; /* the bits of any number */
    if (v.type == PF_VALUE_BOOL) {
        v.as.b = a->number[note] != 0;
    } else if (v.type == PF_VALUE_STRING || v.type == PF_VALUE_JSON) {
        v.as.s = pf_trace_string(d->trace, a->text[note]);
    }
    if (plain) {
        return pf_arg_set_value(&d->args, key, key, &v, err);
    }
    char *flat = pf_alloc(d->budget, key.len + 1);
    PF_TRY(flat ? PF_OK : pf_budget_refused(d->budget, key.len + 1, err));
    pf_status st = pf_arg_set_value(&d->args, (pf_str){flat, flatten_key(key, flat)}, key, &v, err);
    pf_release(d->budget, flat, key.len + 1);
    return st;
}

static pf_status add_notes(pf_data *d, const notes *n, uint32_t row, pf_error *err)
{
    for (uint32_t i = n->first[row]; i < n->first[row + 1]; i++) {
        PF_TRY(add_note(d, n->note[i], n->plain, err));
    }
    return PF_OK;
}

/* Whether the track's descriptor is that of its process or thread, or of the default track. */
static bool is_root(const pf_data *d, uint32_t track)
{
    const pf_tracks *t = pf_trace_tracks(d->trace);
    uint64_t uuid = t->uuid[track];
    if (t->utid[track] != PF_NONE) {
        return uuid == pf_trace_threads(d->trace)->uuid[t->utid[track]];
    }
    uint32_t upid = t->upid[track];
    return upid != PF_NONE ? uuid == pf_trace_processes(d->trace)->uuid[upid] : uuid == 0;
}

static pf_status add_key(pf_data *d, uint32_t track, track_key k, uint32_t lane, pf_error *err)
{
    const pf_tracks *t = pf_trace_tracks(d->trace);
    pf_value v = {.type = PF_VALUE_INT};
    switch (k) {
    case UTID:
        v.as.i = t->utid[track];
        break;
    case UPID:
        v.as.i = t->upid[track];
        break;
    case TRACK_UUID:
    case TRACE_ID:
        v.as.i = (int64_t)t->uuid[track];
        break;
    case LANE:
        v.as.i = lane;
        break;
    case IS_ROOT:
        v.type = PF_VALUE_BOOL;
        v.as.b = is_root(d, track);
        break;
    case PER_PROCESS:
        v.type = PF_VALUE_BOOL;
        v.as.b = t->type[track] == PF_TRACK_LEGACY_ASYNC_PROCESS;
        break;
    case CHROME:
    case DESCRIPTOR:
        v.type = PF_VALUE_STRING;
        v.as.s = k == CHROME ? PF_STR("chrome") : PF_STR("descriptor");
        break;
    default: /* the scopes of async tracks are NULL unless the reader noted one */
        v.type = PF_VALUE_STRING;
        v.as.s = k == NAME ? pf_trace_string(d->trace, t->name[track]) : (pf_str){NULL, 0};
        break;
    }
    if ((k == UTID && t->utid[track] == PF_NONE) || (k == UPID && t->upid[track] == PF_NONE)) {
        return PF_OK;
    }
    pf_str key = pf_str_of(KEY[k]);
    return pf_arg_set_value(&d->args, key, key, &v, err);
}

static pf_status track_set(pf_data *d, uint32_t track, const uint8_t *keys, uint32_t lane, const notes *n,
                           uint32_t *set, pf_error *err)
{
    pf_arg_set_begin(&d->args);
    for (size_t k = 0; k < KEYS_MAX && keys[k]; k++) {
        PF_TRY(add_key(d, track, (track_key)keys[k], lane, err));
    }
    const pf_tracks *t = pf_trace_tracks(d->trace);
    uint32_t group = t->group[track];
    if (n->of_group && group < t->count && group != track) {
        PF_TRY(add_notes(d, n, group, err));
    }
    PF_TRY(add_notes(d, n, track, err));
    return pf_arg_set_end(&d->args, set, err);
}

/* Lanes of a group are numbered in the order of their first slices; one without slices, which an end without a begin
 * has opened, is the last. */
static void number_lanes(const pf_data *d, uint32_t *number, uint32_t *lanes)
{
    const pf_tracks *t = pf_trace_tracks(d->trace);
    const pf_slices *s = pf_trace_slices(d->trace);
    bool grouped = false;
    for (uint32_t i = 0; i < t->count; i++) {
        number[i] = PF_NONE;
        grouped = grouped || t->group[i] < t->count;
    }
    for (uint32_t i = 0; grouped && i < s->count; i++) {
        uint32_t track = s->track[i];
        if (number[track] == PF_NONE && t->group[track] < t->count) {
            number[track] = lanes[t->group[track]]++;
        }
    }
    for (uint32_t i = 0; grouped && i < t->count; i++) {
        if (number[i] == PF_NONE && t->used[i] && t->group[i] < t->count) {
            number[i] = lanes[t->group[i]]++;
        }
    }
}

static pf_status load_tracks(pf_data *d, pf_arena *arena, uint32_t *dimension, uint32_t *source, const uint32_t *number,
                             pf_error *err)
{
    const pf_tracks *t = pf_trace_tracks(d->trace);
    static const uint8_t THREAD[KEYS_MAX] = {UTID}, PROCESS[KEYS_MAX] = {UPID};
    notes dimensions = {.of_group = true}, sources = {0};
    PF_TRY(gather_notes(d, arena, PF_OWNER_TRACK_DIMENSION, t->count, &dimensions, err));
    PF_TRY(gather_notes(d, arena, PF_OWNER_TRACK_SOURCE, t->count, &sources, err));
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t lane = number[i] == PF_NONE ? 0 : number[i];
        const uint8_t *keys = KEYS_OF[t->type[i]].dimension;
        if (keys[0] == NO_KEY) {
            keys = t->utid[i] != PF_NONE ? THREAD : PROCESS;
        }
        PF_TRY(track_set(d, i, keys, lane, &dimensions, &dimension[i], err));
        PF_TRY(track_set(d, i, KEYS_OF[t->type[i]].source, lane, &sources, &source[i], err));
    }
    return PF_OK;
}

/* Where rows have their sets, and for those that are no events, whose notes they have. */
static const struct {
    const char *table, *column;
    pf_owner owner;
    bool plain;
} OWNED[PF_SETS] = {
    [PF_SETS_DIMENSION] = {"track", "dimension_arg_set_id", PF_OWNER_TRACK_DIMENSION, false},
    [PF_SETS_SOURCE] = {"track", "source_arg_set_id", PF_OWNER_TRACK_SOURCE, false},
    [PF_SETS_PROCESS] = {"process", "arg_set_id", PF_OWNER_PROCESS, false},
    [PF_SETS_THREAD] = {"thread", "arg_set_id", PF_OWNER_THREAD, false},
    [PF_SETS_GPU] = {"gpu", "arg_set_id", PF_OWNER_GPU, true},
    [PF_SETS_VULKAN] = {"vulkan_memory_allocations", "arg_set_id", PF_OWNER_VULKAN_MEMORY, true},
    [PF_SETS_CPU] = {"__intrinsic_cpu", "arg_set_id", PF_OWNER_CPU, true},
    [PF_SETS_FTRACE_EVENT] = {"__intrinsic_ftrace_event", "arg_set_id", PF_OWNER_FTRACE_EVENT, true},
    [PF_SETS_SLICE] = {.table = "slice", .column = "arg_set_id"},
    [PF_SETS_COUNTER] = {.table = "counter", .column = "arg_set_id"},
    [PF_SETS_FLOW] = {.table = "flow", .column = "arg_set_id"},
    [PF_SETS_STATE] = {.table = "state", .column = "arg_set_id"},
};

static pf_status load_owner(pf_data *d, pf_arena *arena, size_t number, pf_error *err)
{
    notes n = {.plain = OWNED[number].plain};
    pf_data_row_sets *sets = &d->row_sets[number];
    PF_TRY(gather_notes(d, arena, OWNED[number].owner, sets->rows, &n, err));
    for (uint32_t i = 0; i < sets->rows; i++) {
        pf_arg_set_begin(&d->args);
        PF_TRY(add_notes(d, &n, i, err));
        PF_TRY(pf_arg_set_end(&d->args, &sets->set[i], err));
    }
    return PF_OK;
}

/* Room for the sets of rows [from, end), none of which has one yet. */
static pf_status make_sets(pf_data *d, size_t from, size_t end, pf_error *err)
{
    for (size_t i = from; i < end; i++) {
        pf_data_row_sets *sets = &d->row_sets[i];
        if (!sets->set) {
            uint32_t rows = pf_data_rows_of(d, OWNED[i].table);
            PF_TRY(PF_ARENA_NEW(&d->arena, sets->set, rows, err));
            sets->rows = rows;
            memset(sets->set, 0xff, rows * sizeof *sets->set);
        }
        pf_data_set_cells(d, OWNED[i].table, OWNED[i].column, sets->set);
    }
    return PF_OK;
}

static pf_status load_all(pf_data *d, pf_arena *arena, pf_error *err)
{
    const pf_data_row_sets *sets = d->row_sets;
    uint32_t tracks = sets[PF_SETS_DIMENSION].rows, *lanes, *number;
    PF_TRY(PF_ARENA_NEW(arena, lanes, tracks, err));
    PF_TRY(PF_ARENA_NEW(arena, number, tracks, err));
    number_lanes(d, number, lanes);
    PF_TRY(load_tracks(d, arena, sets[PF_SETS_DIMENSION].set, sets[PF_SETS_SOURCE].set, number, err));
    for (size_t i = PF_SETS_PROCESS; i < PF_SETS_SLICE; i++) {
        PF_TRY(load_owner(d, arena, i, err));
    }
    return pf_arg_sets_settle(&d->args, err);
}

pf_status pf_data_row_args_load(pf_data *d, pf_error *err)
{
    pf_arena arena;
    if (d->has_row_args) {
        return PF_OK;
    }
    PF_TRY(make_sets(d, 0, PF_SETS_SLICE, err));
    pf_arena_init(&arena, d->budget);
    pf_status st = load_all(d, &arena, err);
    pf_arena_free(&arena);
    d->has_row_args = st == PF_OK;
    pf_data_find(d, PF_STR("args"))->rows = d->args.count;
    return st;
}

pf_status pf_data_args_load(pf_data *d, pf_error *err)
{
    PF_TRY(pf_data_row_args_load(d, err));
    if (!d->has_event_args) {
        PF_TRY(make_sets(d, PF_SETS_SLICE, PF_SETS, err));
        PF_TRY(pf_data_event_args_load(d, err));
        d->has_event_args = true;
        pf_data_find(d, PF_STR("args"))->rows = d->args.count;
    }
    return PF_OK;
}
