/* analyze/aiu/ranks/aiu_ranks.h - what several ranks have to do with each other: their clocks, their transfers, their
 * collectives.
 *
 * A collective is what device slices with the same CollGroup do on several ranks. All ranks take part at one time,
 * which is what their clocks are aligned by; each step of it is a sync set, of which one rank sends and others receive.
 * The rules are in docs/reference/aiu-ranks.md.
 */
#pragma once

#include "analyze/aiu/facts/aiu_facts.h"
#include "base/buffer.h"

/* ---- aiu_groups.c: who takes part in which group ----------------------------------------------------------------- */

/* What a rank did in a group. */
typedef struct aiu_part {
    uint32_t rank, group;
    double received, sent; /* us of device time: the largest TS2 and TS5 */
    uint32_t last;         /* the event with that TS5 */
} aiu_part;

typedef struct aiu_groups {
    uint32_t ranks, groups, parts, slices;
    int64_t *pid;      /* by rank, ascending */
    uint32_t *name;    /* by group: its text; those of the first rank in order of appearance, then the others */
    uint32_t *members; /* by group: how many ranks take part */
    aiu_part *part;    /* in order of appearance */
    uint32_t *slice;   /* the events, in their order */
    uint32_t *of;      /* parallel: the part of each */
    pf_map *at;        /* pf_aiu_part */
} aiu_groups;

/* Of device slices with a CollGroup; if there are groups called AllReduce, of these alone. */
pf_status pf_aiu_groups_read(aiu_run *run, aiu_groups *g);
const aiu_part *pf_aiu_part(const aiu_groups *g, uint32_t rank, uint32_t group); /* NULL: it takes no part */
uint32_t pf_aiu_rank_of(const aiu_groups *g, int64_t pid);                       /* PF_NONE: it has no group */

/* The groups in which all ranks take part, in their order. For acelyzer a rank that is missing in one is refused. */
pf_status pf_aiu_groups_common(aiu_run *run, const aiu_groups *g, uint32_t *list, uint32_t *count);

/* ---- aiu_flow_groups.c: the steps of collectives ----------------------------------------------------------------- */

typedef enum aiu_sync_kind {
    AIU_SYNC_OTHER = 0,
    AIU_SYNC_RECEIVE, /* "WDone Barrier" */
    AIU_SYNC_SINGLE,  /* "SingleCast" */
    AIU_SYNC_SEGMENT, /* "MultiCast XSEG": to one of several */
    AIU_SYNC_LIST,    /* "Set BCList": who they are */
    AIU_SYNC_MULTI    /* "MultiCast": the data to all */
} aiu_sync_kind;

typedef struct aiu_sync_slice {
    uint32_t event, set;
    uint32_t next, next_receive; /* in its collective; in its set, of receives. PF_NONE at the end */
    aiu_sync_kind kind;
    int64_t peer; /* the first one; AIU_ID_NONE */
} aiu_sync_slice;

typedef struct aiu_sync_set {
    uint32_t key, collective; /* text */
    uint32_t receives, opens;
    uint32_t partners, partner_count; /* a list; how many pids */
    uint32_t first_receive, last_receive;
    bool is_multicast, closed;
} aiu_sync_set;

typedef struct aiu_partner {
    int64_t pid;
    uint32_t next;
} aiu_partner;

typedef struct aiu_collective {
    uint32_t group; /* text */
    uint32_t first, last;
    uint32_t sets, closed;
    double start, end; /* us */
    bool complete;
    bool changed; /* since it was last visited */
    uint32_t at;  /* the place in the order of the slice that it was complete before, or how many there are */
} aiu_collective;

typedef struct aiu_flows {
    aiu_sync_slice *slice;
    aiu_sync_set *set;
    aiu_collective *collective;
    aiu_partner *partner;
    uint32_t slices, sets, collectives, partners, partner_room;
    uint32_t *done; /* collectives in the order in which they became complete */
    uint32_t done_count;
    uint32_t dropped; /* collectives that never did */
    uint32_t *open;   /* not yet complete */
    uint32_t open_count;
    double wake;     /* nothing is to be visited before a slice begins after this */
    pf_map *current; /* text of a group -> its collective */
    pf_map *sets_by_key;
} aiu_flows;

/* Reads the slices in their order and finds the complete collectives. */
pf_status pf_aiu_flows_read(aiu_run *run, aiu_flows *f);

/* KEY of "... [sync=KEY] ..."; {NULL, 0} without one. */
pf_str pf_aiu_sync_key(pf_str name);

/* Where the peers of a slice stand, and the number at *at of such a text, which moves past it. */
pf_str pf_aiu_peers_of(const aiu_run *run, uint32_t event);
bool pf_aiu_next_number(pf_str text, size_t *at, int64_t *out);

/* The receive of a set on that pid, PF_NONE without one. */
uint32_t pf_aiu_receive_on(const aiu_run *run, const aiu_flows *f, uint32_t set, int64_t pid);

/* ---- aiu_flows.c: who took part -------------------------------------------------------------------------------- */

/* A rank in a collective; times in us. */
typedef struct aiu_member {
    int64_t pid;
    double first_start, first_end, last_receive, last_multicast, last_end; /* of its transfers; -INFINITY: none */
    uint32_t kernel;                                                       /* the event before, PF_NONE */
    uint32_t transfer;                                                     /* one of its events */
} aiu_member;

typedef struct aiu_members {
    aiu_member *list;
    uint32_t *from; /* by collective: its members are list[from[c], from[c + 1]), ascending by pid */
    uint32_t count;
} aiu_members;

/* When a rank came to a collective, and when it had all of it. */
typedef struct aiu_stay {
    double start, end;
} aiu_stay;
aiu_stay pf_aiu_stay_of(const aiu_run *run, const aiu_member *m);

/* What all slices of a collective say. */
typedef struct aiu_collective_args {
    pf_str group, peers, number;
    uint32_t name; /* text */
    uint64_t bytes, size;
    bool tree;
} aiu_collective_args;

/* They, and a slice of the rank that a transfer is of. */
aiu_collective_args pf_aiu_collective_args(aiu_run *run, const aiu_flows *f, uint32_t collective, const int64_t *pid,
                                           uint32_t n);
void pf_aiu_add_collective_slice(aiu_run *run, uint32_t transfer, aiu_stay at, const aiu_collective_args *s,
                                 uint32_t kernel);

/* The payload of a collective: of its first transfer that says it. Of all transfers of a chain of so many ranks. */
uint64_t pf_aiu_collective_bytes(const aiu_run *run, const aiu_flows *f, const aiu_collective *c);
static inline uint64_t pf_aiu_moved_bytes(uint64_t bytes, uint32_t ranks)
{
    uint64_t most = UINT64_MAX / 2 / (ranks ? ranks : 1);
    return 2 * (uint64_t)(ranks ? ranks - 1 : 0) * (bytes < most ? bytes : most);
}

/* What is known of the ranks together, for reports: arena memory, of the run. */
typedef struct aiu_arrow_pair {
    uint32_t from, to; /* events: send, receive */
} aiu_arrow_pair;

typedef struct aiu_exchange {
    uint32_t ranks; /* whose clocks were matched */
    int64_t *pid;   /* by rank */
    double *shift;  /* by rank: us that device time was moved by */
    double *rate;   /* by rank: of its counter against that of the first rank; NULL: not asked for */
    double *moved;  /* by rank of the run: us that its device slices were moved by, the middle one; NULL: none were */
    uint32_t moved_ranks;
    aiu_flows flows; /* its maps are empty by now */
    aiu_members members;
    aiu_arrow_pair *arrow;
    uint32_t arrows;
    uint64_t late; /* arrows that go back in time */
} aiu_exchange;

/* That of the run, made when it is asked for; then complete collectives in it, and their arrows (aiu_flows.c); NULL:
 * the run failed. */
aiu_exchange *pf_aiu_exchange(aiu_run *run);
aiu_exchange *pf_aiu_find_collectives(aiu_run *run);

/* us that a slice or instant of a host is to be moved by, so that it stays where it was among those of its device. */
double pf_aiu_host_shift(const aiu_run *run, uint32_t event);

/* The sizes of transfers leave their names, but where `corrected` those that an argument does not say. */
void pf_aiu_cut_sizes(aiu_run *run, bool corrected);

/* ---- aiu_collective_bandwidth.c: how fast collectives move data -------------------------------------------------- */

#define AIU_BANDWIDTH_PID (-1)

/* From the first begin of a collective to its last end. */
typedef struct aiu_window {
    double start, end, bytes;
} aiu_window;

/* What is known of the collective that is under way, as slices end. */
typedef struct aiu_guess {
    bool under_way, sized;
    double begin, bytes, before; /* before: the end of the slice before */
    uint64_t receives, ranks;
} aiu_guess;

/* GB/s, rounded; a slice of a collective that was built; their number. */
double pf_aiu_gigabytes_per_second(double bytes, double us);
bool pf_aiu_is_built(const aiu_run *run, uint32_t e);
uint32_t pf_aiu_count_built(const aiu_run *run);

/* Lines of the log: collectives are open at the end; so many times two of them overlap. Draws a collective that is
 * over. All slices by their ends, in memory of the stage; NULL: the run failed. */
void pf_aiu_warn_concurrent(aiu_run *run, bool open, uint64_t overlaps);
void pf_aiu_add_guess(aiu_run *run, aiu_guess *g);
aiu_key *pf_aiu_by_end(aiu_run *run, uint32_t *count);

aiu_step pf_aiu_sync_first, pf_aiu_sync_rate; /* clocks: by the first receive of collectives; by offset and rate */
aiu_step pf_aiu_sequences;                    /* slices of one transfer become one */
aiu_step pf_aiu_flow_names, pf_aiu_flows;     /* names and peers of transfers; collectives: arrows, members, slices */
aiu_step pf_aiu_group_bandwidth, pf_aiu_collective_bandwidth; /* without slices of collectives; with them */

/* A name as device slices show it: without numbers and the underscores in front of them. A collective slice gets the
 * name, category and process that viewers of torch traces know. */
uint32_t pf_aiu_without_numbers(aiu_run *run, uint32_t name);
void pf_aiu_show_collective(aiu_run *run, uint32_t event);
