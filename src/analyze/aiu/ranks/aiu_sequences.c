/* analyze/aiu/ranks/aiu_sequences.c - the slices of one transfer become one (--comm_summarize_seq).
 *
 * A transfer is several slices whose names have the same sequence number: a notice to each peer, the data. They are
 * first folded into a record for each transfer, and then the last slice of each takes the times of all, the part of the
 * name that all begin with, and the peers of all; the others go.
 *
 * A sequence number belongs to a rank. Acelyzer keys it by file, which folds transfers of several ranks into one
 * where they stand in one file. The last slice is then that of the thread that appeared last, because its events come
 * to this step one thread after the other.
 */
#include <math.h>
#include <stdlib.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "base/ordering.h"
#include "base/str.h"

typedef struct sequence {
    uint32_t last, thread; /* event, and the number of its thread */
    uint32_t name;         /* text of the first */
    size_t common;         /* length of what all names begin with */
    double start, end;     /* us */
} sequence;

/* A peer of a sequence. */
typedef struct peer {
    uint32_t sequence;
    pf_str text;
} peer;

typedef struct sequences {
    aiu_pairs owners, numbers, threads; /* of file and rank; of owner and sequence number; of pid and tid */
    sequence *list;
    peer *peers;
    uint32_t count, room, peer_count, peer_room;
} sequences;

static bool is_transfer(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_SEN_RDMA;
}

/* "0,1,2": each of them that can stand in JSON as it is. */
static void add_peers(aiu_run *run, sequences *s, uint32_t at, uint32_t list)
{
    pf_str text = pf_aiu_text_of(run, list);
    bool plain = true;
    for (size_t from = 0, i = 0; i <= text.len && list; i++) {
        char c = i < text.len ? text.ptr[i] : ',';
        plain &= (unsigned char)c >= 0x20 && c != '"' && c != '\\';
        if (c != ',') {
            continue;
        }
        if (plain && i > from && AIU_ROOM(run, s->peers, s->peer_count + 1, s->peer_room) == PF_OK) {
            s->peers[s->peer_count++] = (peer){at, {text.ptr + from, i - from}};
        }
        from = i + 1;
        plain = true;
    }
}

static void fold(aiu_run *run, sequences *s, uint32_t at, uint32_t e)
{
    const aiu_events *v = &run->events;
    sequence *q = &s->list[at];
    pf_str first = pf_aiu_text_of(run, q->name), name = pf_aiu_text_of(run, v->name[e]);
    bool threads = pf_aiu_rule(run, AIU_BY_THREAD); /* in results of our own the order is that of time */
    uint32_t thread = threads ? pf_aiu_pair(run, &s->threads, (uint64_t)v->pid[e], (uint64_t)v->tid[e]) : 0;
    size_t same = 0;
    while (same < q->common && same < name.len && first.ptr[same] == name.ptr[same]) {
        same++;
    }
    q->common = same;
    q->start = fmin(q->start, v->ts[e]);
    q->end = fmax(q->end, pf_aiu_end(run, e));
    if (thread >= q->thread) {
        q->last = e;
        q->thread = thread;
    }
    add_peers(run, s, at, v->peer[e]);
    if (!threads || v->flags[e] & AIU_PEER_LISTED) {
        add_peers(run, s, at, v->peers[e]);
    }
}

/* By the first number after `_` or `-`. */
static void collect(aiu_run *run, sequences *s)
{
    aiu_place p;
    for (uint32_t i = 0, e; pf_aiu_next(run, is_transfer, &i, &e) && !pf_aiu_failed(run);) {
        pf_str name = pf_aiu_text_of(run, run->events.name[e]);
        uint64_t number = 0, rank = pf_aiu_rule(run, AIU_ONE_FILE) ? 0 : run->events.rank[e];
        if (!pf_aiu_find(name, 0, "~#", &p)) {
            continue;
        }
        for (size_t k = 0; k < p.digits.len; k++) {
            number = number * 10 + (uint64_t)(p.digits.ptr[k] - '0');
        }
        uint32_t owner = pf_aiu_pair(run, &s->owners, run->events.job[e], rank);
        uint32_t at = pf_aiu_pair(run, &s->numbers, owner, number);
        if (AIU_ROOM(run, s->list, at + 1, s->room) != PF_OK) {
            return;
        }
        if (at == s->count) {
            double ts = run->events.ts[e];
            s->list[s->count++] = (sequence){PF_NONE, 0, run->events.name[e], name.len, ts, ts};
        }
        fold(run, s, at, e);
        run->events.flags[e] |= AIU_DROPPED;
    }
}

static int compare_peers(const void *a, const void *b)
{
    const peer *x = a, *y = b;
    int of = PF_COMPARE(x->sequence, y->sequence);
    return of ? of : pf_str_compare(x->text, y->text);
}

/* ["0", "1"]: the peers of a sequence from *at on, which are sorted by their digits; *at moves past them. */
static void set_peers(aiu_run *run, const sequences *s, uint32_t of, uint32_t *at)
{
    pf_buffer b = {0};
    const char *mark = "[\"";
    for (; *at < s->peer_count && s->peers[*at].sequence == of; ++*at) {
        const peer *own = &s->peers[*at];
        if (*at == 0 || compare_peers(own - 1, own) != 0) {
            pf_buffer_text(&b, mark);
            pf_buffer_put(&b, own->text.ptr, own->text.len);
            mark = "\", \"";
        }
    }
    pf_buffer_text(&b, b.len ? "\"]" : "[]");
    aiu_extra list = {.type = AIU_EXTRA_JSON, .as.text = pf_aiu_buffer_text(run, &b)};
    pf_aiu_add_extra(run, s->list[of].last, PF_STR("Peers"), list);
}

void pf_aiu_sequences(aiu_run *run)
{
    aiu_events *v = &run->events;
    sequences s = {pf_aiu_scratch_pairs(run), pf_aiu_scratch_pairs(run), pf_aiu_scratch_pairs(run), .count = 0};
    collect(run, &s);
    if (s.peer_count) {
        qsort(s.peers, s.peer_count, sizeof *s.peers, compare_peers);
    }
    for (uint32_t i = 0, at = 0; i < s.count && !pf_aiu_failed(run); i++) {
        const sequence *q = &s.list[i];
        v->flags[q->last] &= ~AIU_DROPPED;
        v->name[q->last] = pf_aiu_text(run, (pf_str){pf_aiu_text_of(run, q->name).ptr, q->common});
        v->ts[q->last] = q->start;
        v->dur[q->last] = q->end - q->start;
        set_peers(run, &s, i, &at);
    }
    pf_aiu_compact(run);
}
