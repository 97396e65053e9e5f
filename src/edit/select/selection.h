/* edit/select/selection.h - which tracks and slices of an input are kept, known from a pass before the one that copies.
 *
 * Names may come after what they name, and a slice's length after its begin. The first pass takes what names there are:
 * those of processes and threads, what each track is and what is above it. Where they turn out to say something else
 * than was known when a track was chosen, another pass follows. Slices that are too short are found by a pass in front.
 * What is kept of the survey is a name for each of these and a bit for each packet.
 */
#pragma once

#include "base/map.h"
#include "base/strings.h"
#include "edit/packets/packet_stream.h"
#include "edit/select/filters.h"
#include "perfetto/decode/bundle.h"
#include "wire/writer.h"

#define PF_SAME_PROCESS 0x80000000u

typedef struct pf_selection {
    const pf_cut_options *o;
    pf_budget *budget;
    bool active, places, categories, durations;
    pf_strings names;
    pf_map process_names, thread_names; /* by pid; by pid and tid: string ids and ranks */
    pf_map by_uuid;
    struct pf_surveyed {
        uint64_t parent;
        uint32_t name; /* string id, 0: none */
        bool has_process, has_thread;
        int64_t pid, tid;
    } * tracks;
    uint32_t track_count, track_room;
    uint64_t *short_bits; /* by packet number: it begins a slice that is too short */
    uint64_t short_words;
    pf_map thread_processes; /* tid -> pid, or PF_SAME_PROCESS | tid of another thread of it */
    pf_map taken;            /* tid -> whether it is kept, once all names are known (thread_events.c) */
    pf_ftrace_bundle bundle; /* surveyed */
    uint64_t kept;           /* events of the kernel, so far */
    pf_buffer events;        /* of a bundle, those that are kept */
    pf_writer writer;
    pf_buffer scratch;
} pf_selection;

pf_status pf_selection_init(pf_selection *s, const pf_cut_options *o, pf_budget *budget, pf_error *err);
void pf_selection_free(pf_selection *s);

/* Takes names from a packet of the survey: descriptors of tracks, processes, threads, and process trees. */
pf_status pf_selection_survey(pf_selection *s, const pf_raw_packet *p, pf_error *err);

/* A slice that a packet began is too short. */
pf_status pf_selection_drop(pf_selection *s, uint64_t number, pf_error *err);
bool pf_selection_dropped(const pf_selection *s, uint64_t number);

/* What a process is called; ptr NULL: it has no name. */
pf_str pf_selection_process_name(const pf_selection *s, int64_t pid);

/* Names a thread as the scheduler does, which counts where nobody else does. */
pf_status pf_selection_name_thread(pf_selection *s, int32_t tid, pf_str name, pf_error *err);

/* The process of a thread, its own number where that is not known: it may be the first thread of one. */
int32_t pf_selection_process_of(const pf_selection *s, int32_t tid);

/* Whether the track of a uuid is kept; or of a thread. */
bool pf_selection_takes_track(pf_selection *s, uint64_t uuid);
bool pf_selection_takes_thread(pf_selection *s, int64_t pid, int64_t tid);

/* Whether packets that belong to no track are kept. */
bool pf_selection_takes_others(const pf_selection *s);
