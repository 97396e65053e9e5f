/* cli/commands/info/info_summary.c - one pass over the slices and one over the counter samples. Each row belongs to a
 * track, and so to a thread, a process and a track type; a name of a category is found again through a hash map from
 * their string ids to its line. */
#include "cli/commands/info/info.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/map.h"
#include "base/str.h"
#include "base/text/utf8.h"

/* By decreasing time, then count, then by text. */
static int by_total(const void *pa, const void *pb, void *trace)
{
    const pf_cli_name_total *a = pa, *b = pb;
    if (a->total != b->total) {
        return a->total < b->total ? 1 : -1;
    }
    if (a->count != b->count) {
        return a->count < b->count ? 1 : -1;
    }
    return pf_str_compare(pf_trace_string(trace, a->name), pf_trace_string(trace, b->name));
}

/* Names met last, by the low bits of their ids, with what was summed up since: a look into the map for every slice
 * costs more than all the rest. */
#define RECENT 4096u

typedef struct slice_sums {
    pf_budget budget;
    pf_map lines; /* key_of a name and category -> row of the names */
    size_t room;
    pf_cli_name_total recent[RECENT];
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
static bool add_line(slice_sums *sums, pf_cli_summary *s, const pf_cli_name_total *more)
{
    uint32_t at = more->count ? pf_map_get(&sums->lines, key_of(more)) : 0;
    if (at == PF_NONE) {
        at = (uint32_t)s->name_count;
        if (PF_LIST_ROOM(NULL, s->names, s->name_count + 1, sums->room, NULL) != PF_OK ||
            !pf_map_set(&sums->lines, key_of(more), at)) {
            return false;
        }
        s->names[s->name_count++] = (pf_cli_name_total){.name = more->name, .category = more->category};
    }
    if (more->count) {
        s->names[at].count += more->count;
        add_time(&s->names[at].total, more->total);
    }
    return true;
}

/* Sums up the slices by name, and counts them by track. */
static bool sum_slices(const pf_trace *t, slice_sums *sums, pf_cli_owner_counts *of_track, pf_cli_summary *s)
{
    const pf_slices *slices = pf_trace_slices(t);
    bool ok = true;
    for (uint32_t i = 0; ok && i < slices->count; i++) {
        uint32_t name = pf_slice_name(slices, i), category = pf_slice_category(slices, i);
        pf_cli_name_total *line = &sums->recent[name % RECENT];
        of_track[slices->track[i]].slices++;
        if (line->name != name || line->category != category) {
            ok = add_line(sums, s, line);
            *line = (pf_cli_name_total){.name = name, .category = category};
        }
        line->count++;
        add_time(&line->total, slices->dur[i] > 0 ? slices->dur[i] : 0);
    }
    for (size_t i = 0; ok && i < RECENT; i++) {
        ok = add_line(sums, s, &sums->recent[i]);
    }
    if (s->name_count) {
        qsort_r(s->names, s->name_count, sizeof *s->names, by_total, (void *)t);
    }
    return ok;
}

/* The upid that a track belongs to, directly or through its thread; PF_NONE if global. */
static uint32_t process_of(const pf_trace *t, uint32_t track)
{
    const pf_tracks *tracks = pf_trace_tracks(t);
    uint32_t utid = tracks->utid[track];
    return tracks->upid[track] != PF_NONE || utid == PF_NONE ? tracks->upid[track] : pf_trace_threads(t)->upid[utid];
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
        uint32_t upid = process_of(t, i), utid = tracks->utid[i];
        pf_cli_owner_counts *const owners[] = {upid == PF_NONE ? NULL : &s->process[upid],
                                               utid == PF_NONE ? NULL : &s->thread[utid], &s->type[tracks->type[i]]};
        for (size_t k = 0; k < 3; k++) {
            if (owners[k]) {
                owners[k]->tracks += tracks->used[i] != 0;
                owners[k]->slices += of_track[i].slices;
                owners[k]->samples += of_track[i].samples;
            }
        }
    }
}

/* The rest of a character that was cut apart goes. */
static void set_label(char label[PF_CLI_LABEL], const char *text, size_t len)
{
    size_t keep = pf_utf8_fit((pf_str){text, len}, PF_CLI_LABEL - 1);
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

bool pf_cli_summarize(const pf_trace *t, const pf_limits *limits, pf_cli_summary *s)
{
    *s = (pf_cli_summary){0};
    s->process = calloc(pf_trace_processes(t)->count + 1u, sizeof *s->process);
    s->thread = calloc(pf_trace_threads(t)->count + 1u, sizeof *s->thread);
    pf_cli_owner_counts *of_track = calloc(pf_trace_tracks(t)->count + 1u, sizeof *of_track);
    slice_sums *sums = calloc(1, sizeof *sums);
    bool ok = s->process && s->thread && of_track && sums;
    if (ok) {
        pf_budget_init(&sums->budget, limits);
        pf_map_init(&sums->lines, &sums->budget);
        ok = sum_slices(t, sums, of_track, s);
        pf_map_free(&sums->lines);
    }
    if (ok) {
        count_rows(t, of_track, s);
        find_labels(t, s);
    } else {
        pf_cli_summary_free(s);
    }
    free(sums);
    free(of_track);
    return ok;
}

void pf_cli_summary_free(pf_cli_summary *s)
{
    free(s->process);
    free(s->thread);
    free(s->names);
    *s = (pf_cli_summary){0};
}
