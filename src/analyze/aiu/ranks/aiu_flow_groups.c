/* analyze/aiu/ranks/aiu_flow_groups.c - finding complete collectives in one walk.
 *
 * A set counts what was opened (sent or announced) and what was received, and knows its partners: the ranks of its
 * slices and their peers. Of a point-to-point set the receives must be one less than the partners; a multicast opens a
 * segment and a list entry for each receiver and one slice for the data. Counting makes the test of a set and of a
 * collective a comparison, however many slices there are.
 */
#include "analyze/aiu/ranks/aiu_flow_groups.h"

#include <math.h>
#include <string.h>

/* A collective that no slice came to for four times its length, and for 5 s, will not become complete; for the program
 * before postfetto its length is at least 5 s. */
#define STALE_LENGTHS 4
#define STALE_US 5e6

/* More partners than this are no collective. */
#define PARTNERS_MAX 1024

pf_str pf_aiu_sync_key(pf_str name)
{
    static const char mark[] = "[sync=";
    const char *from = name.ptr ? memmem(name.ptr, name.len, mark, sizeof mark - 1) : NULL;
    if (!from) {
        return (pf_str){NULL, 0};
    }
    from += sizeof mark - 1;
    size_t left = name.len - (size_t)(from - name.ptr);
    const char *to = memchr(from, ']', left);
    return to ? (pf_str){from, (size_t)(to - from)} : (pf_str){NULL, 0};
}

static bool is_sync(const aiu_run *run, uint32_t e)
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

/* ---- peers ------------------------------------------------------------------------------------------------------- */

/* A number at *at, which moves past it; false if there is none. */
bool pf_aiu_next_number(pf_str text, size_t *at, int64_t *out)
{
    while (*at < text.len && (text.ptr[*at] < '0' || text.ptr[*at] > '9')) {
        (*at)++;
    }
    bool found = *at < text.len;
    int64_t v = 0;
    for (; *at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9'; (*at)++) {
        v = v > INT32_MAX ? v : v * 10 + (text.ptr[*at] - '0');
    }
    *out = v;
    return found;
}

/* Where the peers of a slice stand: Peers, Peer, or a name like "Recv_2_...". */
pf_str pf_aiu_peers_of(const aiu_run *run, uint32_t e)
{
    const aiu_events *v = &run->events;
    if (v->peers[e] || v->peer[e]) {
        return pf_aiu_text_of(run, v->peers[e] ? v->peers[e] : v->peer[e]);
    }
    static const char mark[] = "Recv_";
    pf_str name = pf_aiu_text_of(run, v->name[e]);
    const char *from = memmem(name.ptr, name.len, mark, sizeof mark - 1);
    if (!from) {
        return (pf_str){NULL, 0};
    }
    pf_str rest = {from + sizeof mark - 1, name.len - (size_t)(from - name.ptr) - (sizeof mark - 1)};
    size_t len = 0;
    while (len < rest.len && rest.ptr[len] >= '0' && rest.ptr[len] <= '9') {
        len++;
    }
    return len && len < rest.len && rest.ptr[len] == '_' ? (pf_str){rest.ptr, len} : (pf_str){NULL, 0};
}

static uint32_t count_numbers(pf_str text)
{
    uint32_t n = 0;
    int64_t v;
    for (size_t at = 0; pf_aiu_next_number(text, &at, &v);) {
        n++;
    }
    return n;
}

static void add_partner(aiu_flows *f, aiu_sync_set *s, int64_t pid)
{
    uint32_t *link = &s->partners;
    while (*link != PF_NONE && f->partner[*link].pid != pid) {
        link = &f->partner[*link].next;
    }
    if (*link == PF_NONE && s->partner_count < PARTNERS_MAX && f->partners < f->partner_room) {
        f->partner[f->partners] = (aiu_partner){pid, PF_NONE};
        *link = f->partners++;
        s->partner_count++;
    }
}

static void add_partners(aiu_run *run, aiu_flows *f, aiu_sync_slice *slice)
{
    pf_str text = pf_aiu_peers_of(run, slice->event);
    aiu_sync_set *s = &f->set[slice->set];
    int64_t pid;
    add_partner(f, s, run->events.pid[slice->event]);
    for (size_t at = 0; pf_aiu_next_number(text, &at, &pid);) {
        slice->peer = slice->peer == AIU_ID_NONE ? pid : slice->peer;
        add_partner(f, s, pid);
    }
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

static void count_slice(aiu_run *run, aiu_sync_set *s, const aiu_sync_slice *slice)
{
    switch (slice->kind) {
    case AIU_SYNC_RECEIVE:
        s->receives++;
        break;
    case AIU_SYNC_SINGLE:
    case AIU_SYNC_SEGMENT:
        s->opens++;
        break;
    case AIU_SYNC_LIST:
        s->opens += count_numbers(pf_aiu_peers_of(run, slice->event));
        s->is_multicast = true;
        break;
    case AIU_SYNC_MULTI:
        s->opens++;
        s->is_multicast = true;
        break;
    case AIU_SYNC_OTHER:
        break;
    }
}

static bool is_closed(const aiu_sync_set *s)
{
    uint32_t wanted = 2 * s->partner_count - 1;
    return s->partner_count > 1 && s->receives == s->partner_count - 1 &&
           (s->is_multicast ? s->opens == wanted : s->opens > 0);
}

static void link_receive(aiu_flows *f, aiu_sync_set *s, uint32_t slice)
{
    if (f->slice[slice].kind != AIU_SYNC_RECEIVE) {
        return;
    }
    if (s->first_receive == PF_NONE) {
        s->first_receive = slice;
    } else {
        f->slice[s->last_receive].next_receive = slice;
    }
    s->last_receive = slice;
}

/* The set of a key in a collective, made where it is new; PF_NONE if memory was refused. */
static uint32_t find_set(aiu_flows *f, uint32_t collective, uint32_t key)
{
    uint64_t k = (uint64_t)collective << 32 | key;
    uint32_t at = pf_map_get(&f->sets_by_key, k);
    if (at == PF_NONE) {
        at = f->sets++;
        f->set[at] = (aiu_sync_set){.key = key,
                                    .collective = collective,
                                    .partners = PF_NONE,
                                    .first_receive = PF_NONE,
                                    .last_receive = PF_NONE};
        f->collective[collective].sets++;
        return pf_map_set(&f->sets_by_key, k, at) ? at : PF_NONE;
    }
    return at;
}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

static bool is_complete(const aiu_collective *c)
{
    return c->sets > 1 && c->closed == c->sets;
}

static double stale_after(const aiu_run *run, const aiu_collective *c)
{
    double least = run->set.compat == AIU_WANT ? STALE_US : STALE_LENGTHS * STALE_US;
    return c->end + fmax(least, STALE_LENGTHS * (c->end - c->start));
}

/* Takes away what is complete, or stale, before a slice that begins at `now`. The program before postfetto has added
 * that slice to its group by then, and takes one complete collective at a time. */
static void settle(const aiu_run *run, aiu_flows *f, double now, uint32_t group, uint32_t place)
{
    bool one = run->set.compat != AIU_WANT && now < INFINITY, taken = false;
    uint32_t kept = 0;
    f->wake = INFINITY;
    for (uint32_t i = 0; i < f->open_count; i++) {
        aiu_collective *c = &f->collective[f->open[i]];
        bool later = one && (taken || c->group == group), over = now > c->end && !later;
        if (over && c->changed && is_complete(c)) {
            c->complete = taken = true;
            c->at = place;
            f->done[f->done_count++] = f->open[i];
        } else if (now > stale_after(run, c) && !later) {
            f->dropped++;
        } else {
            c->changed = c->changed && !over;
            f->wake = fmin(f->wake, c->changed ? c->end : stale_after(run, c));
            f->open[kept++] = f->open[i];
            continue;
        }
        c->group = 0; /* no slice comes to it any more */
    }
    f->open_count = kept;
}

static uint32_t find_collective(aiu_flows *f, uint32_t group, double ts)
{
    uint32_t at = pf_map_get(&f->current, group);
    if (at != PF_NONE && f->collective[at].group) {
        return at;
    }
    at = f->collectives++;
    f->collective[at] = (aiu_collective){.group = group, .first = PF_NONE, .last = PF_NONE, .start = ts, .end = ts};
    f->open[f->open_count++] = at;
    return pf_map_set(&f->current, group, at) ? at : PF_NONE;
}

static void append(const aiu_run *run, aiu_flows *f, aiu_collective *c, uint32_t slice)
{
    double end = pf_aiu_end(run, f->slice[slice].event);
    if (c->first == PF_NONE) {
        c->first = slice;
    } else {
        f->slice[c->last].next = slice;
    }
    c->last = slice;
    c->end = fmax(c->end, end);
    c->changed = true;
    f->wake = fmin(f->wake, c->end);
}

static pf_status add_slice(aiu_run *run, aiu_flows *f, uint32_t place)
{
    const aiu_events *v = &run->events;
    uint32_t e = run->order[place];
    uint32_t key = pf_aiu_text(run, pf_aiu_sync_key(pf_aiu_text_of(run, v->name[e])));
    if (key == PF_NONE) {
        return run->error.code;
    }
    if (v->ts[e] > f->wake) {
        settle(run, f, v->ts[e], v->group[e], place);
    }
    uint32_t collective = find_collective(f, v->group[e], v->ts[e]);
    uint32_t set = collective == PF_NONE ? PF_NONE : find_set(f, collective, key);
    if (set == PF_NONE) {
        return pf_budget_refused(run->budget, 64, &run->error);
    }
    uint32_t slice = f->slices++;
    aiu_sync_set *s = &f->set[set];
    f->slice[slice] = (aiu_sync_slice){e, set, PF_NONE, PF_NONE, kind_of(pf_aiu_text_of(run, v->type[e])), AIU_ID_NONE};
    add_partners(run, f, &f->slice[slice]);
    count_slice(run, s, &f->slice[slice]);
    link_receive(f, s, slice);
    append(run, f, &f->collective[collective], slice);
    f->collective[collective].closed += is_closed(s) - s->closed;
    s->closed = is_closed(s);
    return PF_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static pf_status prepare(aiu_run *run, aiu_flows *f)
{
    uint64_t room = 1, partners = 1;
    for (uint32_t i = 0; i < run->alive; i++) {
        if (is_sync(run, run->order[i])) {
            room++;
            partners += 1 + count_numbers(pf_aiu_peers_of(run, run->order[i]));
        }
    }
    f->partner_room = partners > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)partners;
    f->slice = pf_pass_alloc(run->ctx, room, sizeof *f->slice, &run->error);
    f->set = f->slice ? pf_pass_alloc(run->ctx, room, sizeof *f->set, &run->error) : NULL;
    f->collective = f->set ? pf_pass_alloc(run->ctx, room, sizeof *f->collective, &run->error) : NULL;
    f->partner = f->collective ? pf_pass_alloc(run->ctx, f->partner_room, sizeof *f->partner, &run->error) : NULL;
    f->done = f->partner ? pf_pass_alloc(run->ctx, room, sizeof *f->done, &run->error) : NULL;
    f->open = f->done ? pf_pass_alloc(run->ctx, room, sizeof *f->open, &run->error) : NULL;
    return f->open ? PF_OK : run->error.code;
}

pf_status pf_aiu_flows_read(aiu_run *run, aiu_flows *f)
{
    *f = (aiu_flows){.wake = INFINITY};
    pf_map_init(&f->current, run->budget);
    pf_map_init(&f->sets_by_key, run->budget);
    pf_status st = prepare(run, f);
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        if (is_sync(run, run->order[i])) {
            st = add_slice(run, f, i);
        }
    }
    if (st == PF_OK) {
        for (uint32_t i = 0; i < f->open_count; i++) {
            f->collective[f->open[i]].changed = true;
        }
        settle(run, f, INFINITY, 0, run->alive);
    }
    return st;
}

void pf_aiu_flows_free(aiu_flows *f)
{
    pf_map_free(&f->current);
    pf_map_free(&f->sets_by_key);
}

uint32_t pf_aiu_receive_on(const aiu_run *run, const aiu_flows *f, uint32_t set, int64_t pid)
{
    uint32_t at = f->set[set].first_receive;
    while (at != PF_NONE && run->events.pid[f->slice[at].event] != pid) {
        at = f->slice[at].next_receive;
    }
    return at;
}
