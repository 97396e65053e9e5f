/* cli/commands/info/info_summary.c - one pass over the slices and one over the counter samples. Each row belongs to a
 * track, and so to a thread, a process and a track type; a name of a category is found again through a hash map from
 * their string ids to its line.
 *
 * Many slices are summed up in two parts at once; sums of parts add up to the same in any order. */
#include "cli/commands/info/info.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/map.h"
#include "base/str.h"
#include "base/threads/crew.h"

typedef struct name_order {
    pf_cli_name_total line;
    pf_str text;
} name_order;

static int by_total(const void *pa, const void *pb)
{
    const name_order *a = pa, *b = pb;
    if (a->line.total != b->line.total) {
        return a->line.total < b->line.total ? 1 : -1;
    }
    if (a->line.count != b->line.count) {
        return a->line.count < b->line.count ? 1 : -1;
    }
    return pf_str_compare(a->text, b->text);
}

static bool sort_names(const pf_trace *t, pf_cli_summary *s)
{
    name_order *order = calloc(s->name_count + 1, sizeof *order);
    for (size_t i = 0; order && i < s->name_count; i++) {
        order[i] = (name_order){s->names[i], pf_trace_string(t, s->names[i].name)};
    }
    if (order) {
        qsort(order, s->name_count, sizeof *order, by_total);
    }
    for (size_t i = 0; order && i < s->name_count; i++) {
        s->names[i] = order[i].line;
    }
    free(order);
    return order != NULL;
}

/* ---- slices by name and by track --------------------------------------------------------------------------------- */

#define PARTS 2u
#define WORTH_PARTS 65536u /* slices */

/* Names met last, by the low bits of their ids, with what was summed up since: a look into the map for every slice
 * costs more than all the rest. */
#define RECENT 512u

/* The sums of some of the slices. */
typedef struct slice_sums {
    const pf_trace *t;
    uint32_t from, to; /* slices */
    pf_budget budget;
    pf_map lines; /* key_of a name and category -> row of `names` */
    pf_cli_name_total *names;
    size_t name_count, room;
    uint64_t *of_track;
    pf_cli_name_total recent[RECENT];
    bool ok;
} slice_sums;

static void add_time(int64_t *total, int64_t dur)
{
    if (__builtin_add_overflow(*total, dur, total)) {
        *total = INT64_MAX;
    }
}

static uint64_t key_of(const pf_cli_name_total *line)
{
    return (uint64_t)line->category << 32 | line->name;
}

/* Adds to the line of the name, which is made on first use. False if memory was refused. */
static bool add_line(slice_sums *s, const pf_cli_name_total *more)
{
    uint32_t at = pf_map_get(&s->lines, key_of(more));
    if (at == PF_NONE) {
        at = (uint32_t)s->name_count;
        if (PF_LIST_ROOM(NULL, s->names, s->name_count + 1, s->room, NULL) != PF_OK ||
            !pf_map_set(&s->lines, key_of(more), at)) {
            return false;
        }
        s->names[s->name_count++] = (pf_cli_name_total){.name = more->name, .category = more->category};
    }
    s->names[at].count += more->count;
    add_time(&s->names[at].total, more->total);
    return true;
}

static void sum_part(void *ctx, unsigned slot)
{
    slice_sums *s = (slice_sums *)ctx + slot;
    const pf_slices *slices = pf_trace_slices(s->t);
    s->of_track = calloc(pf_trace_tracks(s->t)->count + 1u, sizeof *s->of_track);
    s->ok = s->of_track != NULL;
    for (uint32_t i = s->from; s->ok && i < s->to; i++) {
        uint32_t name = pf_slice_name(slices, i), category = pf_slice_category(slices, i);
        pf_cli_name_total *line = &s->recent[name % RECENT];
        s->of_track[slices->track[i]]++;
        if (line->name != name || line->category != category) {
            s->ok = line->count == 0 || add_line(s, line);
            *line = (pf_cli_name_total){.name = name, .category = category};
        }
        line->count++;
        add_time(&line->total, slices->dur[i] > 0 ? slices->dur[i] : 0);
    }
    for (size_t i = 0; s->ok && i < RECENT; i++) {
        s->ok = s->recent[i].count == 0 || add_line(s, &s->recent[i]);
    }
}

/* Adds the second part to the first. */
static bool join_parts(slice_sums *part)
{
    bool ok = part[0].ok && part[1].ok;
    for (size_t i = 0; ok && i < part[1].name_count; i++) {
        ok = add_line(&part[0], &part[1].names[i]);
    }
    uint32_t tracks = ok ? pf_trace_tracks(part[0].t)->count : 0;
    for (uint32_t i = 0; i < tracks; i++) {
        part[0].of_track[i] += part[1].of_track[i];
    }
    return ok;
}

static bool run_parts(slice_sums *part, unsigned jobs)
{
    uint32_t count = pf_trace_slices(part[0].t)->count;
    bool together = jobs > 1 && count >= WORTH_PARTS;
    part[0].to = part[1].from = together ? count / 2 : count;
    part[1].to = count;
    pf_crew *crew = pf_crew_start(together, PARTS, sum_part, part, &part[0].budget);
    for (unsigned i = 0; crew && i < PARTS; i++) {
        pf_crew_put(crew);
    }
    for (unsigned i = 0; crew && i < PARTS; i++) {
        pf_crew_take(crew);
    }
    pf_crew_stop(crew);
    return crew && join_parts(part);
}

/* Sums up the slices by name, and counts them by track. */
static bool sum_slices(const pf_trace *t, const pf_limits *limits, unsigned jobs, pf_cli_owner_counts *of_track,
                       pf_cli_summary *s)
{
    slice_sums *part = calloc(PARTS, sizeof *part);
    for (unsigned i = 0; part && i < PARTS; i++) {
        part[i].t = t;
        pf_budget_init(&part[i].budget, limits);
        pf_map_init(&part[i].lines, &part[i].budget);
    }
    bool ok = part && run_parts(part, jobs);
    for (uint32_t i = 0; ok && i < pf_trace_tracks(t)->count; i++) {
        of_track[i].slices = part[0].of_track[i];
    }
    if (ok) {
        s->names = part[0].names;
        s->name_count = part[0].name_count;
        part[0].names = NULL;
    }
    for (unsigned i = 0; part && i < PARTS; i++) {
        pf_map_free(&part[i].lines);
        free(part[i].names);
        free(part[i].of_track);
    }
    free(part);
    return ok && sort_names(t, s);
}

/* ---- rows by owner ----------------------------------------------------------------------------------------------- */

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
        s->process[threads->upid[i]].threads++;
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

/* The rest of a character that was cut apart goes. */
static void set_label(char label[PF_CLI_LABEL], const char *text, size_t len)
{
    size_t keep = len < PF_CLI_LABEL - 1 ? len : PF_CLI_LABEL - 1;
    while (keep < len && keep > 0 && ((unsigned char)text[keep] & 0xc0) == 0x80) {
        keep--;
    }
    memcpy(label, text, keep);
    label[keep] = '\0';
}

/* Labels are notes on the rows of processes in binary traces, metadata events in Chrome JSON. */
static void find_labels(const pf_trace *t, pf_cli_summary *s)
{
    const pf_row_args *a = pf_trace_row_args(t);
    const pf_events *e = pf_trace_events(t);
    uint32_t key = pf_trace_find_string(t, PF_STR("chrome.process_label[0]"));
    uint32_t name = pf_trace_find_string(t, PF_STR("process_labels"));
    for (uint32_t i = 0; key != PF_NONE && i < a->count; i++) {
        pf_str text = pf_trace_string(t, a->text[i]);
        if (a->owner[i] == PF_OWNER_PROCESS && a->key[i] == key && text.ptr) {
            set_label(s->process[a->row[i]].label, text.ptr, text.len);
        }
    }
    for (uint32_t i = 0; name != PF_NONE && i < e->count; i++) {
        if (e->phase[i] == 'M' && e->name[i] == name) {
            char text[PF_CLI_LABEL];
            uint64_t len = pf_trace_arg_text(t, i, PF_STR("labels"), text, sizeof text);
            uint32_t upid = process_of(t, e->track[i]);
            if (len != PF_NOWHERE && upid != PF_NONE) {
                set_label(s->process[upid].label, text, len < sizeof text ? (size_t)len : sizeof text);
            }
        }
    }
}

bool pf_cli_summarize(const pf_trace *t, const pf_limits *limits, unsigned jobs, pf_cli_summary *s)
{
    *s = (pf_cli_summary){0};
    s->process = calloc(pf_trace_processes(t)->count + 1u, sizeof *s->process);
    s->thread = calloc(pf_trace_threads(t)->count + 1u, sizeof *s->thread);
    s->type = calloc(PF_TRACK_TYPE_COUNT, sizeof *s->type);
    pf_cli_owner_counts *of_track = calloc(pf_trace_tracks(t)->count + 1u, sizeof *of_track);
    bool ok = s->process && s->thread && s->type && of_track && sum_slices(t, limits, jobs, of_track, s);
    if (ok) {
        count_rows(t, of_track, s);
        find_labels(t, s);
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
