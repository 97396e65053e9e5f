/* analyze/aiu/ranks/aiu_flow_groups.h - the steps of collectives: which slices of which ranks belong together.
 *
 * A slice with [sync=KEY] in its name is part of the sync set KEY: one rank sends, others receive ("WDone"). A set is
 * closed once all partners have their slices; a collective is complete once it has several sets and all are closed.
 * The same names come again with the next job, so a complete collective is taken away when a later slice begins.
 */
#ifndef PF_ANALYZE_AIU_RANKS_AIU_FLOW_GROUPS_H
#define PF_ANALYZE_AIU_RANKS_AIU_FLOW_GROUPS_H

#include "analyze/aiu/ranks/aiu_ranks.h"

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
    double wake;    /* nothing is to be visited before a slice begins after this */
    pf_map current; /* text of a group -> its collective */
    pf_map sets_by_key;
} aiu_flows;

/* Reads the slices in their order and finds the complete collectives. */
pf_status pf_aiu_flows_read(aiu_run *run, aiu_flows *f);
void pf_aiu_flows_free(aiu_flows *f);

/* KEY of "... [sync=KEY] ..."; {NULL, 0} without one. */
pf_str pf_aiu_sync_key(pf_str name);

/* Where the peers of a slice stand, and the number at *at of such a text, which moves past it. */
pf_str pf_aiu_peers_of(const aiu_run *run, uint32_t event);
bool pf_aiu_next_number(pf_str text, size_t *at, int64_t *out);

/* The receive of a set on that pid, PF_NONE without one. */
uint32_t pf_aiu_receive_on(const aiu_run *run, const aiu_flows *f, uint32_t set, int64_t pid);

/* aiu_flow_arrows.c: the arrows of complete collectives, and what goes backwards. */
struct aiu_exchange;
void pf_aiu_flow_arrows(aiu_run *run, const aiu_flows *f, struct aiu_exchange *x);

#endif
