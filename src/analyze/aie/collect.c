/* analyze/aie/collect.c - from the event table to the lists of times of every core.
 *
 * Two passes over three columns. The first counts how many times each list of each process will get and notes which
 * processes are in the table, in which order and under which name; then every list has its place in one array. The
 * second fills them. Comparing names is comparing string ids: a small table maps the eight names we know to a class,
 * and class and phase together give the use of an event.
 *
 * Which event comes next is hard to predict, so neither loop branches on it: an event that is of no use counts in a
 * slot that nobody reads, and its time is written to a place that nobody reads. Branches are left for what is rare.
 *
 * Of inputs that were converted from Chrome JSON counts where an event stood in the document.
 */

#include "analyze/aie/aie.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"
#include "model/trace/json_notes.h"

/* What an event is for: a list, the name of its process, or nothing. */
enum { USE_NAME = AIE_LISTS, USE_NOTHING, USES };

/* Classes of names: 0 none, then the eight. */
enum { CLASS_NONE, CLASS_PROCESS_NAME, CLASS_ENTRY, CLASS_EXIT, CLASS_KIND, CLASSES = CLASS_KIND + AIE_KINDS };

static const char *const class_event[CLASSES] = {[CLASS_PROCESS_NAME] = "process_name",
                                                 [CLASS_ENTRY] = "INSTR_EVENT_0",
                                                 [CLASS_EXIT] = "INSTR_EVENT_1",
                                                 [CLASS_KIND] = "LOCK_STALL",
                                                 "MEMORY_STALL",
                                                 "STREAM_STALL",
                                                 "CASCADE_STALL",
                                                 "INSTR_VECTOR"};

typedef struct process {
    uint32_t count[USES]; /* first pass: events per use; second: where the next time of each list goes */
    uint32_t name_row;    /* the last process_name event, or PF_NONE */
    uint32_t first;       /* where its first event of use stands: row, or place in the document */
    bool listed;          /* in the table of processes */
    bool is_core;
    uint32_t input; /* that lists it */
} process;

typedef struct collector {
    const pf_trace *trace;
    const pf_events *events;
    const uint32_t *names;
    uint32_t lowest, span;         /* ids of the names we know are in [lowest, lowest + span) */
    uint8_t *class_of;             /* by id - lowest; after the last: CLASS_NONE, for all other ids */
    uint8_t use[CLASSES][128];     /* by class and phase */
    const uint32_t *upid_of_track; /* events without a process belong to the one after the last */
    process *processes;            /* by upid */
    uint32_t *order;               /* upids in order of the process table */
    size_t listed;
    pf_arena *arena, *scratch;
} collector;

static pf_status prepare_names(collector *c, pf_error *err)
{
    uint32_t id[CLASSES] = {PF_NONE}, lowest = PF_NONE, highest = 0;
    for (unsigned k = 1; k < CLASSES; k++) {
        id[k] = pf_trace_find_string(c->trace, pf_str_of(class_event[k]));
        if (id[k] != PF_NONE) {
            lowest = id[k] < lowest ? id[k] : lowest;
            highest = id[k] > highest ? id[k] : highest;
        }
    }
    c->lowest = lowest;
    c->span = lowest == PF_NONE ? 0 : highest - lowest + 1;
    PF_TRY(PF_PASS_ARRAY(c->scratch, (size_t)c->span + 1, c->class_of, err));
    memset(c->class_of, CLASS_NONE, (size_t)c->span + 1);
    for (unsigned k = 1; k < CLASSES; k++) {
        if (id[k] != PF_NONE) {
            c->class_of[id[k] - lowest] = (uint8_t)k;
        }
    }
    memset(c->use, USE_NOTHING, sizeof c->use);
    c->use[CLASS_PROCESS_NAME]['M'] = USE_NAME;
    c->use[CLASS_ENTRY]['B'] = AIE_ENTRIES;
    c->use[CLASS_EXIT]['E'] = AIE_EXITS;
    for (unsigned k = 0; k < AIE_KINDS; k++) {
        c->use[CLASS_KIND + k]['B'] = (uint8_t)AIE_KIND_BEGINS(k);
        c->use[CLASS_KIND + k]['E'] = (uint8_t)AIE_KIND_ENDS(k);
    }
    return PF_OK;
}

static pf_status prepare_tracks(collector *c, pf_error *err)
{
    const pf_tracks *tracks = pf_trace_tracks(c->trace);
    uint32_t n = pf_trace_processes(c->trace)->count;
    uint32_t *upids;
    PF_TRY(PF_PASS_ARRAY(c->scratch, tracks->count, upids, err));
    PF_TRY(PF_PASS_ARRAY(c->scratch, (size_t)n + 1, c->processes, err));
    PF_TRY(PF_PASS_ARRAY(c->scratch, n, c->order, err));
    for (uint32_t i = 0; i < tracks->count; i++) {
        upids[i] = tracks->upid[i] < n ? tracks->upid[i] : n;
    }
    c->upid_of_track = upids;
    for (uint32_t i = 0; i <= n; i++) {
        c->processes[i] = (process){.name_row = PF_NONE, .listed = i == n};
    }
    return PF_OK;
}

/* The columns and tables of the two loops, by value: nothing that a loop writes can alias them. */
typedef struct reading {
    const uint32_t *names, *track, *upid_of_track;
    const uint8_t *phase, *class_of;
    const uint8_t (*use)[128];
    uint32_t lowest, span, count;
} reading;

static reading reading_of(const collector *c)
{
    return (reading){c->names, c->events->track, c->upid_of_track, c->events->phase, c->class_of,
                     c->use,   c->lowest,        c->span,          c->events->count};
}

static inline unsigned use_of(const reading *r, uint32_t row)
{
    uint32_t at = r->names[row] - r->lowest;
    return r->use[r->class_of[at < r->span ? at : r->span]][r->phase[row] & 0x7F];
}

/* The reports rest on kernels and lock stalls; the other kinds are measured besides. */
static bool is_core_list(unsigned use)
{
    return use <= AIE_KIND_ENDS(AIE_LOCK) || use == USE_NAME;
}

static pf_status unusable(const collector *c, uint32_t row, pf_error *err)
{
    pf_str name = pf_trace_string(c->trace, c->names[row]);
    return pf_fail_at(err, PF_ERR_INPUT, pf_trace_event_offset(c->trace, row),
                      "the ts of %.*s (%c) is not an integer; repair the event or remove it", (int)name.len, name.ptr,
                      c->events->phase[row] & 0x7F);
}

/* What the counting loop leaves aside: names, the first event of a process, unusable times. */
static pf_status count_rare(collector *c, uint32_t row, unsigned use, uint32_t upid, pf_error *err)
{
    process *p = &c->processes[upid];
    if (use == USE_NAME) {
        p->name_row = row;
    } else if (use != USE_NOTHING && (c->events->phase[row] & PF_PHASE_BAD_TS)) {
        if (is_core_list(use)) {
            return unusable(c, row, err);
        }
        p->count[use]--; /* as if it were not there */
    }
    if (!p->listed && is_core_list(use)) {
        p->listed = true;
        p->first = row;
        p->input = pf_trace_event_input(c->trace, row);
        c->order[c->listed++] = upid;
    }
    return PF_OK;
}

static pf_status count_times(collector *c, pf_error *err)
{
    const reading r = reading_of(c);
    process *processes = c->processes;
    for (uint32_t row = 0; row < r.count; row++) {
        unsigned use = use_of(&r, row);
        uint32_t upid = r.upid_of_track[r.track[row]];
        process *p = &processes[upid];
        p->count[use]++;
        bool bad = r.phase[row] & PF_PHASE_BAD_TS;
        if (__builtin_expect((use == USE_NAME) | bad | !p->listed, 0)) {
            PF_TRY(count_rare(c, row, use, upid, err));
        }
    }
    return PF_OK;
}

static bool is_listed_after(const void *ctx, uint32_t a, uint32_t b)
{
    const process *p = ctx;
    return p[a].input != p[b].input ? p[a].input > p[b].input : p[a].first > p[b].first;
}

/* Lists processes in the order in which the documents do, where the rows of an input have another one. */
static pf_status place_processes(collector *c, pf_error *err)
{
    const reading r = reading_of(c);
    bool any = false;
    for (uint32_t i = 0; i < pf_trace_input_count(c->trace); i++) {
        const pf_input *in = pf_trace_input(c->trace, i);
        const uint32_t *place = pf_trace_places(c->trace, i);
        for (size_t k = 0; place && k < c->listed; k++) {
            process *p = &c->processes[c->order[k]];
            p->first = p->input == i ? PF_NONE : p->first;
        }
        for (uint32_t k = 0; place && k < in->events; k++) {
            uint32_t row = in->first_event + k;
            process *p = &c->processes[r.upid_of_track[r.track[row]]];
            p->first = is_core_list(use_of(&r, row)) && place[k] < p->first ? place[k] : p->first;
        }
        any |= place != NULL;
    }
    uint32_t *scratch = NULL;
    PF_TRY(any ? PF_PASS_ARRAY(c->scratch, c->listed, scratch, err) : PF_OK);
    if (any) {
        pf_sort_rows(c->order, scratch, (uint32_t)c->listed, is_listed_after, c->processes);
    }
    return PF_OK;
}

static void fill_times(const collector *c, int64_t *times)
{
    const reading r = reading_of(c);
    const int64_t *ts = c->events->ts;
    process *processes = c->processes;
    for (uint32_t row = 0; row < r.count; row++) {
        unsigned use = use_of(&r, row);
        process *p = &processes[r.upid_of_track[r.track[row]]];
        if (p->is_core && !(r.phase[row] & PF_PHASE_BAD_TS)) {
            times[p->count[use]] = ts[row];
            p->count[use] += use < AIE_LISTS;
        }
    }
}

/* The name that the last process_name event gives; {NULL, 0} if it gives none. */
static pf_status read_name(const collector *c, const process *p, pf_str *name, pf_error *err)
{
    *name = (pf_str){NULL, 0};
    if (p->name_row == PF_NONE) {
        return PF_OK;
    }
    char first[256];
    uint64_t len = pf_trace_arg_text(c->trace, p->name_row, PF_STR("name"), first, sizeof first);
    if (len == PF_NOWHERE) {
        return PF_OK;
    }
    char *copy;
    PF_TRY(PF_PASS_ARRAY(c->scratch, len, copy, err));
    if (len <= sizeof first) {
        memcpy(copy, first, len);
    } else {
        pf_trace_arg_text(c->trace, p->name_row, PF_STR("name"), copy, len);
    }
    *name = (pf_str){copy, len};
    return PF_OK;
}

/* The text after the last " for ", or all of it. */
static pf_str tile_of(pf_str name)
{
    const char separator[] = " for ";
    size_t width = sizeof separator - 1;
    for (size_t at = name.len; at >= width; at--) {
        if (memcmp(name.ptr + at - width, separator, width) == 0) {
            return (pf_str){name.ptr + at, name.len - at};
        }
    }
    return name;
}

/* The tile and the file name "<tile>.json" after it are kept in one piece of memory. A tile name is text of the input:
 * it may not lead out of the report folder. */
static pf_status add_core(collector *c, aie_cores *out, uint32_t upid, pf_str name, pf_error *err)
{
    const char ending[] = ".json";
    pf_str tile = tile_of(name);
    size_t file_len = tile.len + sizeof ending - 1;
    char *tile_copy;
    PF_TRY(PF_PASS_ARRAY(c->arena, tile.len + file_len, tile_copy, err));
    char *file = tile_copy + tile.len;
    memcpy(tile_copy, tile.ptr, tile.len);
    for (size_t i = 0; i < tile.len; i++) {
        file[i] = tile.ptr[i] == '/' || tile.ptr[i] == '\0' ? '_' : tile.ptr[i];
    }
    memcpy(file + tile.len, ending, sizeof ending - 1);
    out->core[out->count++] = (aie_core){.upid = upid,
                                         .input = c->processes[upid].input,
                                         .tile = {tile_copy, tile.len},
                                         .file = {file, file_len},
                                         .first_time = INT64_MAX,
                                         .first_open = INT64_MAX,
                                         .first_discarded = INT64_MAX};
    c->processes[upid].is_core = true;
    return PF_OK;
}

static bool is_core(pf_str name)
{
    return pf_str_find(name, PF_STR("core_trace")) != SIZE_MAX;
}

/* Names are read before cores are made: a hostile trace may list a million processes that are none. */
static pf_status find_cores(collector *c, aie_cores *out, pf_error *err)
{
    pf_str *names;
    PF_TRY(PF_PASS_ARRAY(c->scratch, c->listed, names, err));
    size_t cores = 0;
    for (size_t i = 0; i < c->listed; i++) {
        PF_TRY(read_name(c, &c->processes[c->order[i]], &names[i], err));
        cores += is_core(names[i]);
    }
    *out = (aie_cores){.count = 0};
    PF_TRY(PF_PASS_ARRAY(c->arena, cores, out->core, err));
    for (size_t i = 0; i < c->listed; i++) {
        if (is_core(names[i])) {
            PF_TRY(add_core(c, out, c->order[i], names[i], err));
        }
    }
    return PF_OK;
}

/* Gives every list its place and fills it; the place after the last takes the times that nobody reads. */
static pf_status collect_times(collector *c, aie_cores *out, pf_error *err)
{
    size_t total = 0;
    for (size_t i = 0; i < out->count; i++) {
        for (unsigned l = 0; l < AIE_LISTS; l++) {
            total += c->processes[out->core[i].upid].count[l];
        }
    }
    int64_t *times;
    PF_TRY(PF_PASS_ARRAY(c->scratch, total + 1, times, err));
    uint32_t at = 0;
    for (size_t i = 0; i < out->count; i++) {
        process *p = &c->processes[out->core[i].upid];
        for (unsigned l = 0; l < AIE_LISTS; l++) {
            uint32_t count = p->count[l];
            out->core[i].list[l] = (aie_list){times + at, count};
            p->count[l] = at;
            at += count;
        }
        p->count[USE_NAME] = (uint32_t)total;
        p->count[USE_NOTHING] = (uint32_t)total;
    }
    fill_times(c, times);
    return PF_OK;
}

pf_status pf_aie_collect(const pf_trace *t, pf_arena *arena, pf_arena *scratch, aie_cores *out, pf_error *err)
{
    collector c = {.trace = t, .events = pf_trace_events(t), .arena = arena, .scratch = scratch};
    PF_TRY(pf_trace_end_names(t, scratch, &c.names, err));
    PF_TRY(prepare_names(&c, err));
    PF_TRY(prepare_tracks(&c, err));
    PF_TRY(count_times(&c, err));
    PF_TRY(place_processes(&c, err));
    PF_TRY(find_cores(&c, out, err));
    return collect_times(&c, out, err);
}
