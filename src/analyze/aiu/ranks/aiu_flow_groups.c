/* analyze/aiu/ranks/aiu_flow_groups.c - finding complete collectives in one walk.
 *
 * A set counts what was opened (sent or announced) and what was received, and knows its partners: the ranks of its
 * slices and their peers. Of a point-to-point set the receives must be one less than the partners; a multicast opens a
 * segment and a list entry for each receiver and one slice for the data. Counting makes the test of a set and of a
 * collective a comparison, however many slices there are.
 */
#include "analyze/aiu/ranks/aiu_ranks.h"

#include <math.h>
#include <stddef.h>

#include "base/str.h"

/* A collective that no slice came to for four times its length, and for 5 s, will not become complete; for the program
 * before postfetto its length is at least 5 s. */
#define STALE_LENGTHS 4
#define STALE_US 5e6

/* More partners than this are no collective. */
#define PARTNERS_MAX 1024

pf_str pf_aiu_sync_key(pf_str name)
{
    const pf_str mark = PF_STR("[sync=");
    size_t at = name.ptr ? pf_str_find(name, mark) : SIZE_MAX;
    pf_str key = at == SIZE_MAX ? (pf_str){NULL, 0} : pf_str_from(name, at + mark.len);
    const char *to = key.len ? memchr(key.ptr, ']', key.len) : NULL;
    return to ? (pf_str){key.ptr, (size_t)(to - key.ptr)} : (pf_str){NULL, 0};
}

static bool is_sync(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && run->events.group[e] &&
           pf_aiu_sync_key(pf_aiu_text_of(run, run->events.name[e])).ptr;
}

static aiu_sync_kind kind_of(pf_str type)
{
    static const struct {
        const char *word;
        aiu_sync_kind kind;
    } words[] = {{"WDone", AIU_SYNC_RECEIVE},
                 {"SingleCast", AIU_SYNC_SINGLE},
                 {"XSEG", AIU_SYNC_SEGMENT},
                 {"BCList", AIU_SYNC_LIST},
                 {"MultiCast", AIU_SYNC_MULTI}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (pf_aiu_contains(type, words[i].word)) {
            return words[i].kind;
        }
    }
    return AIU_SYNC_OTHER;
}

/* A number at *at, which moves past it; false if there is none. */
bool pf_aiu_next_number(pf_str text, size_t *at, int64_t *out)
{
    while (*at < text.len && !pf_is_digit(text.ptr[*at])) {
        (*at)++;
    }
    bool found = *at < text.len;
    for (*out = 0; *at < text.len && pf_is_digit(text.ptr[*at]); (*at)++) {
        *out = *out > INT32_MAX ? *out : *out * 10 + (text.ptr[*at] - '0');
    }
    return found;
}

/* Where the peers of a slice stand: Peers, Peer, or a name like "Recv_2_...". */
pf_str pf_aiu_peers_of(const aiu_run *run, uint32_t e)
{
    const aiu_events *v = &run->events;
    if (v->peers[e] || v->peer[e]) {
        return pf_aiu_text_of(run, v->peers[e] ? v->peers[e] : v->peer[e]);
    }
    aiu_place p;
    return pf_aiu_find(pf_aiu_text_of(run, v->name[e]), 0, "Recv_#_", &p) ? p.digits : (pf_str){NULL, 0};
}

static void add_partner(aiu_run *run, aiu_flows *f, aiu_sync_set *s, int64_t pid)
{
    uint32_t at = s->partners;
    while (at != PF_NONE && f->partner[at].pid != pid) {
        at = f->partner[at].next;
    }
    if (at == PF_NONE && s->partner_count < PARTNERS_MAX &&
        AIU_ROOM(run, f->partner, f->partners + 1, f->partner_room) == PF_OK) {
        f->partner[f->partners] = (aiu_partner){pid, s->partners};
        s->partners = f->partners++;
        s->partner_count++;
    }
}

static void add_partners(aiu_run *run, aiu_flows *f, aiu_sync_slice *slice)
{
    pf_str text = pf_aiu_peers_of(run, slice->event);
    aiu_sync_set *s = &f->set[slice->set];
    int64_t pid;
    uint32_t peers = 0;
    add_partner(run, f, s, run->events.pid[slice->event]);
    for (size_t at = 0; pf_aiu_next_number(text, &at, &pid); peers++) {
        slice->peer = slice->peer == AIU_ID_NONE ? pid : slice->peer;
        add_partner(run, f, s, pid);
    }
    bool opens = slice->kind == AIU_SYNC_SINGLE || slice->kind == AIU_SYNC_SEGMENT || slice->kind == AIU_SYNC_MULTI;
    s->receives += slice->kind == AIU_SYNC_RECEIVE;
    s->opens += slice->kind == AIU_SYNC_LIST ? peers : opens;
    s->is_multicast |= slice->kind == AIU_SYNC_LIST || slice->kind == AIU_SYNC_MULTI;
}

static bool is_closed(const aiu_sync_set *s)
{
    uint32_t wanted = 2 * s->partner_count - 1;
    return s->partner_count > 1 && s->receives == s->partner_count - 1 &&
           (s->is_multicast ? s->opens == wanted : s->opens > 0);
}

static double stale_after(const aiu_run *run, const aiu_collective *c)
{
    double least = !pf_aiu_rule(run, AIU_ONE_AT_A_TIME) ? STALE_US : STALE_LENGTHS * STALE_US;
    return c->end + fmax(least, STALE_LENGTHS * (c->end - c->start));
}

/* Takes away what is complete, or stale, before a slice that begins at `now`. Acelyzer has added that slice to
 * its group by then, and takes one complete collective at a time. */
static void settle(const aiu_run *run, aiu_flows *f, double now, uint32_t group, uint32_t place)
{
    bool one = pf_aiu_rule(run, AIU_ONE_AT_A_TIME) && now < INFINITY, taken = false;
    uint32_t kept = 0;
    f->wake = INFINITY;
    for (uint32_t i = 0; i < f->open_count; i++) {
        aiu_collective *c = &f->collective[f->open[i]];
        double stale = stale_after(run, c);
        bool later = one && (taken || c->group == group), over = now > c->end && !later;
        if (over && c->changed && c->sets > 1 && c->closed == c->sets) {
            c->complete = taken = true;
            c->at = place;
            f->done[f->done_count++] = f->open[i];
        } else if (now > stale && !later) {
            f->dropped++;
        } else {
            c->changed = c->changed && !over;
            f->wake = fmin(f->wake, c->changed ? c->end : stale);
            f->open[kept++] = f->open[i];
            continue;
        }
        c->group = 0; /* no slice comes to it any more */
    }
    f->open_count = kept;
}

/* Adds a slice to a list that goes on from slice to slice at `next`. */
static void append(aiu_flows *f, uint32_t *first, uint32_t *last, size_t next, uint32_t slice)
{
    uint32_t *link = *first == PF_NONE ? first : (uint32_t *)((char *)&f->slice[*last] + next);
    *link = *last = slice;
}

static uint32_t find_collective(aiu_run *run, aiu_flows *f, uint32_t group, double ts)
{
    uint32_t at = pf_map_get(f->current, group);
    if (at == PF_NONE || !f->collective[at].group) {
        at = f->collectives++;
        f->collective[at] = (aiu_collective){.group = group, .first = PF_NONE, .last = PF_NONE, .start = ts, .end = ts};
        f->open[f->open_count++] = at;
        pf_aiu_map(run, f->current, group, at);
    }
    return at;
}

static void add_slice(aiu_run *run, aiu_flows *f, uint32_t place)
{
    const aiu_events *v = &run->events;
    uint32_t e = run->order[place], key = pf_aiu_text(run, pf_aiu_sync_key(pf_aiu_text_of(run, v->name[e])));
    if (v->ts[e] > f->wake) {
        settle(run, f, v->ts[e], v->group[e], place);
    }
    uint32_t at = find_collective(run, f, v->group[e], v->ts[e]), slice = f->slices++;
    uint32_t set = pf_aiu_number(run, f->sets_by_key, (uint64_t)at << 32 | key);
    aiu_sync_set *s = &f->set[set];
    aiu_collective *c = &f->collective[at];
    aiu_sync_kind kind = kind_of(pf_aiu_text_of(run, v->type[e]));
    if (set == f->sets) {
        f->sets++;
        c->sets++;
        *s = (aiu_sync_set){.key = key, .collective = at};
        s->partners = s->first_receive = s->last_receive = PF_NONE;
    }
    f->slice[slice] = (aiu_sync_slice){e, set, PF_NONE, PF_NONE, kind, AIU_ID_NONE};
    add_partners(run, f, &f->slice[slice]);
    if (kind == AIU_SYNC_RECEIVE) {
        append(f, &s->first_receive, &s->last_receive, offsetof(aiu_sync_slice, next_receive), slice);
    }
    append(f, &c->first, &c->last, offsetof(aiu_sync_slice, next), slice);
    c->end = fmax(c->end, pf_aiu_end(run, e));
    c->changed = true;
    c->closed += is_closed(s) - s->closed;
    s->closed = is_closed(s);
    f->wake = fmin(f->wake, c->end);
}

pf_status pf_aiu_flows_read(aiu_run *run, aiu_flows *f)
{
    uint32_t room = pf_aiu_rows(run, is_sync).count + 1;
    *f = (aiu_flows){.wake = INFINITY, .current = pf_aiu_scratch_map(run), .sets_by_key = pf_aiu_scratch_map(run)};
    f->slice = pf_aiu_alloc(run, room, sizeof *f->slice);
    f->set = pf_aiu_alloc(run, room, sizeof *f->set);
    f->collective = pf_aiu_alloc(run, room, sizeof *f->collective);
    f->done = pf_aiu_alloc(run, room, sizeof *f->done);
    f->open = pf_aiu_alloc(run, room, sizeof *f->open);
    for (uint32_t i = 0; i < run->alive && !pf_aiu_failed(run); i++) {
        if (is_sync(run, run->order[i])) {
            add_slice(run, f, i);
        }
    }
    for (uint32_t i = 0; i < f->open_count; i++) {
        f->collective[f->open[i]].changed = true;
    }
    if (!pf_aiu_failed(run)) {
        settle(run, f, INFINITY, 0, run->alive);
    }
    return run->error.code;
}

uint32_t pf_aiu_receive_on(const aiu_run *run, const aiu_flows *f, uint32_t set, int64_t pid)
{
    uint32_t at = f->set[set].first_receive;
    while (at != PF_NONE && run->events.pid[f->slice[at].event] != pid) {
        at = f->slice[at].next_receive;
    }
    return at;
}
