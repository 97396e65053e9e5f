/* analyze/aiu/ranks/aiu_sequences.c - the slices of one transfer become one (--comm_summarize_seq).
 *
 * A transfer is several slices whose names have the same sequence number: a notice to each peer, the data. They are
 * found by a map, first folded into a record for each transfer, and then the last slice of each takes the times of all,
 * the part of the name that all begin with, and the peers of all; the others go.
 *
 * A sequence number belongs to a rank. Acelyzer keys it by file, which folds transfers of several ranks into one
 * where they stand in one file. The last slice is then that of the thread that appeared last, because its events come
 * to this step one thread after the other.
 */
#include <stdio.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "base/str.h"

typedef struct sequence {
    uint32_t last, thread;      /* event, and the number of its thread */
    uint32_t name;              /* text of the first */
    size_t common;              /* length of what all names begin with */
    double start, end;          /* us */
    uint32_t peers, peer_count; /* first of a list of peers, PF_NONE */
} sequence;

/* More ranks than this are no peers of one transfer. */
#define PEERS_MAX 1024

typedef struct peer {
    uint32_t next, text;
} peer;

typedef struct sequences {
    pf_map at;
    pf_map threads; /* pid and tid, as a text -> number in order of appearance; for acelyzer */
    sequence *list;
    uint32_t count, slices;
    peer *peers;
    uint32_t peer_count, peer_room;
} sequences;

/* The first number after `_` or `-`. */
static bool number_in(pf_str name, uint64_t *out)
{
    for (size_t i = 0; i + 1 < name.len; i++) {
        bool mark = name.ptr[i] == '_' || name.ptr[i] == '-';
        if (mark && pf_is_digit(name.ptr[i + 1])) {
            uint64_t v = 0;
            for (size_t k = i + 1; k < name.len && pf_is_digit(name.ptr[k]); k++) {
                v = v * 10 + (uint64_t)(name.ptr[k] - '0');
            }
            *out = v;
            return true;
        }
    }
    return false;
}

static bool is_transfer(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_SEN_RDMA;
}

/* The sequence of a slice as a text: its number, and whose it is; 0: it is of none. */
static uint32_t key_of(aiu_run *run, uint32_t e)
{
    uint64_t number;
    char key[96];
    if (!number_in(pf_aiu_text_of(run, run->events.name[e]), &number)) {
        return 0;
    }
    long long pid = pf_acelyzer(run) ? 0 : (long long)run->events.pid[e];
    int len = snprintf(key, sizeof key, "%u %lld %llu", run->events.job[e], pid, (unsigned long long)number);
    return pf_aiu_text(run, (pf_str){key, (size_t)len});
}

/* What can stand in JSON as it is: the number of a rank. */
static bool is_plain(pf_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == '"' || text.ptr[i] == '\\') {
            return false;
        }
    }
    return text.len > 0;
}

static void add_peer(aiu_run *run, sequences *s, sequence *q, pf_str text)
{
    uint32_t *link = &q->peers, id = is_plain(text) ? pf_aiu_text(run, text) : 0;
    if (id == 0 || q->peer_count == PEERS_MAX) {
        return;
    }
    while (*link != PF_NONE && s->peers[*link].text != id) {
        link = &s->peers[*link].next;
    }
    if (*link == PF_NONE && s->peer_count < s->peer_room) {
        s->peers[s->peer_count] = (peer){PF_NONE, id};
        *link = s->peer_count++;
        q->peer_count++;
    }
}

/* "0,1,2": each of them. */
static void add_peers(aiu_run *run, sequences *s, sequence *q, uint32_t list)
{
    pf_str text = pf_aiu_text_of(run, list);
    for (size_t from = 0, i = 0; i <= text.len && list; i++) {
        if (i == text.len || text.ptr[i] == ',') {
            add_peer(run, s, q, (pf_str){text.ptr + from, i - from});
            from = i + 1;
        }
    }
}

/* The number of an event's thread: 0 for all in results of our own, where the order is that of time. */
static uint32_t thread_of(aiu_run *run, sequences *s, uint32_t e)
{
    char key[64];
    if (!pf_acelyzer(run)) {
        return 0;
    }
    int len = snprintf(key, sizeof key, "%lld %lld", (long long)run->events.pid[e], (long long)run->events.tid[e]);
    return pf_aiu_number(run, &s->threads, pf_aiu_text(run, (pf_str){key, (size_t)len}));
}

static void fold(aiu_run *run, sequences *s, sequence *q, uint32_t e)
{
    uint32_t thread = thread_of(run, s, e);
    const aiu_events *v = &run->events;
    pf_str first = pf_aiu_text_of(run, q->name), name = pf_aiu_text_of(run, v->name[e]);
    size_t same = 0;
    while (same < q->common && same < name.len && first.ptr[same] == name.ptr[same]) {
        same++;
    }
    double end = pf_aiu_end(run, e);
    q->common = same;
    q->start = v->ts[e] < q->start ? v->ts[e] : q->start;
    q->end = end > q->end ? end : q->end;
    if (thread >= q->thread) {
        q->last = e;
        q->thread = thread;
    }
    add_peers(run, s, q, v->peer[e]);
    if (!pf_acelyzer(run) || v->flags[e] & AIU_PEER_LISTED) {
        add_peers(run, s, q, v->peers[e]);
    }
}

/* Room for all peers there can be: one for each, and one for each comma. */
static uint32_t peers_at_most(const aiu_run *run, uint32_t e)
{
    uint32_t most = 2;
    pf_str text = pf_aiu_text_of(run, run->events.peers[e]);
    for (size_t i = 0; i < text.len; i++) {
        most += text.ptr[i] == ',';
    }
    return most;
}

static void prepare(aiu_run *run, sequences *s)
{
    for (uint32_t i = 0; i < run->alive; i++) {
        if (is_transfer(run, run->order[i])) {
            s->slices++;
            s->peer_room += peers_at_most(run, run->order[i]);
        }
    }
    s->list = pf_aiu_scratch(run, s->slices, sizeof *s->list);
    s->peers = pf_aiu_scratch(run, s->peer_room, sizeof *s->peers);
}

static void collect(aiu_run *run, sequences *s)
{
    for (uint32_t i = 0; i < run->alive && !pf_aiu_failed(run); i++) {
        uint32_t e = run->order[i], key = is_transfer(run, e) ? key_of(run, e) : 0;
        if (!key) {
            continue;
        }
        uint32_t at = pf_aiu_number(run, &s->at, key), name = run->events.name[e];
        if (at == s->count) {
            s->list[s->count++] = (sequence){.name = name,
                                             .common = pf_aiu_text_of(run, name).len,
                                             .start = run->events.ts[e],
                                             .end = run->events.ts[e],
                                             .peers = PF_NONE};
        }
        fold(run, s, &s->list[at], e);
        run->events.flags[e] |= AIU_DROPPED;
    }
}

/* ["0", "1"], in order of their digits. */
static void set_peers(aiu_run *run, const sequences *s, const sequence *q)
{
    pf_buffer b = {0};
    pf_str before = {NULL, 0};
    const char *mark = "[\"";
    for (;;) {
        pf_str next = {NULL, 0};
        for (uint32_t p = q->peers; p != PF_NONE; p = s->peers[p].next) {
            pf_str text = pf_aiu_text_of(run, s->peers[p].text);
            bool later = !before.ptr || pf_str_compare(text, before) > 0;
            next = later && (!next.ptr || pf_str_compare(text, next) < 0) ? text : next;
        }
        if (!next.ptr) {
            break;
        }
        pf_buffer_text(&b, mark);
        pf_buffer_put(&b, next.ptr, next.len);
        mark = "\", \"";
        before = next;
    }
    pf_buffer_text(&b, before.ptr ? "\"]" : "[]");
    aiu_extra list = {.type = AIU_EXTRA_JSON, .as.text = pf_aiu_buffer_text(run, &b)};
    pf_aiu_add_extra(run, q->last, PF_STR("Peers"), list);
}

static void keep_last(aiu_run *run, const sequences *s, const sequence *q)
{
    aiu_events *v = &run->events;
    pf_str name = pf_aiu_text_of(run, q->name);
    v->flags[q->last] &= ~AIU_DROPPED;
    v->name[q->last] = pf_aiu_text(run, (pf_str){name.ptr, q->common});
    v->ts[q->last] = q->start;
    v->dur[q->last] = q->end - q->start;
    set_peers(run, s, q);
}

void pf_aiu_sequences(aiu_run *run)
{
    sequences s = {0};
    pf_map_init(&s.at, run->budget);
    pf_map_init(&s.threads, run->budget);
    prepare(run, &s);
    collect(run, &s);
    for (uint32_t i = 0; i < s.count; i++) {
        keep_last(run, &s, &s.list[i]);
    }
    pf_map_free(&s.at);
    pf_map_free(&s.threads);
    pf_aiu_compact(run);
}
