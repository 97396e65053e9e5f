/* info_summary.c - one pass over the slices and one over the counter samples. Each row belongs to a track, and so to a
 * thread, a process and a track type; names are found again through a hash map from string id to their line. */
#include "cli/info_summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

typedef struct name_order {
    pf_cli_name_total line;
    pf_str text;
} name_order;

static int compare_text(pf_str a, pf_str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int d = len ? memcmp(a.ptr, b.ptr, len) : 0;
    return d ? d : (a.len > b.len) - (a.len < b.len);
}

static int by_total(const void *pa, const void *pb)
{
    const name_order *a = pa, *b = pb;
    if (a->line.total != b->line.total) {
        return a->line.total < b->line.total ? 1 : -1;
    }
    if (a->line.count != b->line.count) {
        return a->line.count < b->line.count ? 1 : -1;
    }
    return compare_text(a->text, b->text);
}

static bool sort_names(const pf_trace *t, pf_cli_summary *s)
{
    name_order *order = calloc(s->name_count + 1, sizeof *order);
    for (size_t i = 0; order && i < s->name_count; i++) {
        order[i] = (name_order){s->names[i], pf_trace_string(t, s->names[i].name)};
    }
    if (order && s->name_count) {
        qsort(order, s->name_count, sizeof *order, by_total);
    }
    for (size_t i = 0; order && i < s->name_count; i++) {
        s->names[i] = order[i].line;
    }
    free(order);
    return order != NULL;
}

/* The line of a name, made on first use; NULL if memory was refused. */
static pf_cli_name_total *line_of(pf_cli_summary *s, size_t *room, pf_map *lines, uint32_t name)
{
    uint32_t at = pf_map_get(lines, name);
    if (at != PF_NONE) {
        return &s->names[at];
    }
    if (s->name_count == *room) {
        size_t more = *room ? *room * 2 : 256;
        pf_cli_name_total *p = realloc(s->names, more * sizeof *p);
        if (!p) {
            return NULL;
        }
        s->names = p;
        *room = more;
    }
    if (!pf_map_set(lines, name, (uint32_t)s->name_count)) {
        return NULL;
    }
    s->names[s->name_count] = (pf_cli_name_total){.name = name};
    return &s->names[s->name_count++];
}

/* Names met last, by the low bits of their id: a look into the map for every slice costs more than all the rest. */
#define RECENT 512u

/* Sums up the slices by name, and counts them by track. */
static bool sum_slices(const pf_trace *t, const pf_limits *limits, pf_cli_owner_counts *of_track, pf_cli_summary *s)
{
    const pf_slices *slices = pf_trace_slices(t);
    pf_budget budget;
    pf_map lines;
    size_t room = 0, recent[RECENT] = {0}; /* line + 1 */
    bool ok = true;
    pf_budget_init(&budget, limits);
    pf_map_init(&lines, &budget);
    for (uint32_t i = 0; ok && i < slices->count; i++) {
        uint32_t name = pf_slice_name(slices, i);
        of_track[slices->track[i]].slices++;
        size_t *at = &recent[name % RECENT];
        pf_cli_name_total *line = *at ? &s->names[*at - 1] : NULL;
        if (!line || line->name != name) {
            line = line_of(s, &room, &lines, name);
            *at = line ? (size_t)(line - s->names) + 1 : 0;
        }
        ok = line != NULL;
        if (ok) {
            line->count++;
            if (slices->dur[i] > 0 && __builtin_add_overflow(line->total, slices->dur[i], &line->total)) {
                line->total = INT64_MAX;
            }
        }
    }
    pf_map_free(&lines);
    return ok && sort_names(t, s);
}

/* The upid that a track belongs to, directly or through its thread; PF_NONE if global. */
static uint32_t process_of(const pf_trace *t, uint32_t track)
{
    const pf_tracks *tracks = pf_trace_tracks(t);
    uint32_t utid = tracks->utid[track];
    return tracks->upid[track] != PF_NONE || utid == PF_NONE ? tracks->upid[track] : pf_trace_threads(t)->upid[utid];
}

typedef struct owners {
    pf_cli_owner_counts *of[3]; /* of a track: process, thread and type; NULL where it has none */
} owners;

static owners owners_of(const pf_trace *t, pf_cli_summary *s, uint32_t track)
{
    const pf_tracks *tracks = pf_trace_tracks(t);
    uint32_t upid = process_of(t, track), utid = tracks->utid[track];
    return (owners){{upid == PF_NONE ? NULL : &s->process[upid], utid == PF_NONE ? NULL : &s->thread[utid],
                     &s->type[tracks->type[track]]}};
}

/* Rows are counted by track first: there are few tracks. */
static void count_rows(const pf_trace *t, pf_cli_owner_counts *of_track, pf_cli_summary *s)
{
    const pf_threads *threads = pf_trace_threads(t);
    const pf_tracks *tracks = pf_trace_tracks(t);
    const pf_counters *counters = pf_trace_counters(t);
    for (uint32_t i = 0; i < counters->count; i++) {
        of_track[counters->track[i]].samples++;
    }
    for (uint32_t i = 0; i < threads->count; i++) {
        if (threads->upid[i] != PF_NONE) {
            s->process[threads->upid[i]].threads++;
        }
    }
    for (uint32_t i = 0; i < tracks->count; i++) {
        owners o = owners_of(t, s, i);
        for (size_t k = 0; k < 3; k++) {
            if (o.of[k]) {
                o.of[k]->tracks += tracks->used[i] != 0;
                o.of[k]->slices += of_track[i].slices;
                o.of[k]->samples += of_track[i].samples;
            }
        }
    }
}

bool pf_cli_summarize(const pf_trace *t, const pf_limits *limits, pf_cli_summary *s)
{
    *s = (pf_cli_summary){0};
    s->process = calloc(pf_trace_processes(t)->count + 1u, sizeof *s->process);
    s->thread = calloc(pf_trace_threads(t)->count + 1u, sizeof *s->thread);
    s->type = calloc(PF_TRACK_TYPE_COUNT, sizeof *s->type);
    pf_cli_owner_counts *of_track = calloc(pf_trace_tracks(t)->count + 1u, sizeof *of_track);
    bool ok = s->process && s->thread && s->type && of_track && sum_slices(t, limits, of_track, s);
    if (ok) {
        count_rows(t, of_track, s);
    } else {
        pf_cli_summary_free(s);
    }
    free(of_track);
    return ok;
}

void pf_cli_summary_free(pf_cli_summary *s)
{
    free(s->process);
    free(s->thread);
    free(s->type);
    free(s->names);
    *s = (pf_cli_summary){0};
}
