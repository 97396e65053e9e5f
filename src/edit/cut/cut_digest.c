/* edit/cut/cut_digest.c - rows that a digest (edit/digest) takes at once.
 *
 * That is possible where each of their tracks is in one stretch of time: before, between or after the windows, where
 * nothing is written whatever happens, or in a window whose output has said all that the rows refer to, so that their
 * packets are written as they are. Then it only counts what the digest says. */
#include "edit/cut/cut_rows.h"

#define WORTH_DIGEST 256u /* rows */
#define DIGEST_AGAIN 4u   /* where digests are of no use, every fourth batch has one */

void pf_cutter_digest(pf_rows *b)
{
    if (b->known) {
        pf_cut_known_of(b)->digest.from = pf_cut_known_of(b)->digest.to = 0;
        if (pf_cut_known_of(b)->digests) {
            pf_digest_rows(&pf_cut_known_of(b)->digest, b, 0);
        }
    }
}

uint64_t pf_cutter_rows_source(const pf_rows *b, uint32_t from, uint32_t to)
{
    const pf_digest *d = &pf_cut_known_of(b)->digest;
    uint64_t source = 0;
    if (d->from == from && d->to > from && d->to <= to) {
        source = d->source;
        from = d->to;
    }
    for (; from < to; from++) {
        source += pf_packet_mix(b->timestamp[from], b->where[from].size);
    }
    return source;
}

/* The time of the trace that a digest counted from where the clock stands now. */
static int64_t time_of(const pf_clock_known *clock, uint64_t t)
{
    return (int64_t)(t + (clock->running ? (uint64_t)*clock->running : 0) + clock->shift);
}

static bool is_same_clock(const pf_clock_known *a, const pf_clock_known *b)
{
    return a->unit == b->unit && a->from == b->from && a->span == b->span && a->shift == b->shift &&
           a->running == b->running;
}

/* Whether its places are what the digest took them for. */
static bool is_guessed_right(const pf_stretch *s, const pf_digest *d)
{
    for (uint32_t i = 0; i < d->places; i++) {
        const pf_digest_place *now = &d->place[d->used[i]], guess = *now;
        const pf_known_place *k = pf_known_look_up(s->c, s->rows, d->used[i]);
        if (now->track != guess.track || now->clock != guess.clock || now->unit != guess.unit ||
            guess.takes & ~now->takes ||
            !is_same_clock(&k->clock, &pf_cut_known_of(s->rows)->place[guess.lane->place].clock)) {
            return false;
        }
    }
    return true;
}

/* Whether the rows of a lane are all in a stretch of time in which nothing else happens to their track but what the
 * digest says. */
static bool is_in_a_zone(const pf_stretch *s, const pf_digest_lane *l)
{
    const pf_known_place *k = &pf_cut_known_of(s->rows)->place[l->place];
    const pf_clock_known *clock = &k->clock;
    pf_edit_track *t = k->track;
    uint64_t from = l->first + (clock->running ? (uint64_t)*clock->running : 0) - clock->from;
    int64_t first = time_of(clock, l->first), last = time_of(clock, l->last);
    bool known = from < clock->span && l->last - l->first < clock->span - from && first >= 0;
    if (!known || !t) {
        return known;
    }
    if (!pf_track_in_zone(t, first)) {
        pf_track_set_zone(s->c, t, first);
    }
    const pf_kept_packet *top = t->top;
    bool fits = pf_track_in_zone(t, first) && pf_track_in_zone(t, last) && pf_track_soonest(t) == INT64_MAX &&
                t->latest <= first && (!top || top->ts <= first);
    for (uint32_t n = l->ends; n && fits; n--) {
        fits = top && top->ts >= t->zone.reach && top->end == PF_STILL_OPEN;
        top = fits ? top->below : NULL;
    }
    return fits;
}

static const pf_known_place *place_of(const pf_stretch *s, uint32_t row)
{
    return &pf_cut_known_of(s->rows)->place[s->rows->place_of[row]];
}

/* Whether a row is a step that may move to the end of a window. */
static bool moves_a_step(const pf_stretch *s, const pf_digest *d)
{
    bool moves = false;
    for (uint32_t i = d->from; i < d->to && !moves && s->rows->has_steps; i++) {
        const pf_edit_track *t = place_of(s, i)->track;
        moves = t && pf_stretch_moves_step(s, t, i);
    }
    return moves;
}

/* Enters the places whose rows are written: all of one window. False if its output is not in line with them. */
static bool enter_places(pf_stretch *s, const pf_digest *d, bool *writes)
{
    pf_known_place *place = pf_cut_known_of(s->rows)->place;
    uint32_t window = PF_NONE;
    uint64_t written = 0, others = 0; /* incremental clocks of places */
    for (uint32_t i = 0; i < d->places; i++) {
        pf_known_place *k = &place[d->used[i]];
        uint64_t clock = k->own ? (uint64_t)1 << (d->place[d->used[i]].ticks - 1) : 0;
        if (!k->track || k->track->zone.window == PF_NONE) {
            others |= clock;
            continue;
        }
        window = window == PF_NONE ? k->track->zone.window : window;
        if (k->track->zone.window != window || !pf_known_is_in_line(s->c, k, false)) {
            return false;
        }
        pf_stretch_enter(s, k);
        written |= clock;
    }
    *writes = window != PF_NONE;
    return !(written & others); /* else times count from packets that are left out */
}

/* Whether packets of the place are written. */
static bool is_written(const pf_stretch *s, const pf_known_place *k)
{
    return k->line == s->line;
}

/* Whether the packets can be written as they are. */
static bool is_all_said(const pf_stretch *s, const pf_digest *d)
{
    const pf_rows *b = s->rows;
    pf_cut_known *known = pf_cut_known_of(b);
    for (uint32_t i = d->from; i < d->to; i++) {
        const pf_known_place *k = &known->place[b->place_of[i]];
        pf_known_label *label = &known->label[b->label_of[i]];
        uint32_t what = b->where[i].what;
        if (!is_written(s, k)) {
            continue;
        }
        if (!(what & PF_ROW_TYPE) || (what & PF_ROW_HAS_FLOWS && !s->c->marks_later)) {
            return false;
        }
        if (!pf_row_is_ready(s, k, label, k->window, what)) {
            if (!pf_stretch_is_said(s, i, &s->c->windows[k->window].out.list[k->sequence])) {
                return false;
            }
            label->line = s->line;
            label->window = k->window;
        }
    }
    return true;
}

/* The slices that rows of a lane opened. */
static void take_lane(pf_stretch *s, const pf_digest *d, const pf_digest_lane *l)
{
    const pf_known_place *k = &pf_cut_known_of(s->rows)->place[l->place];
    int64_t first = time_of(&k->clock, l->first), last = time_of(&k->clock, l->last);
    uint32_t top = 0;
    s->first = first < s->first ? first : s->first;
    s->last = last > s->last ? last : s->last;
    if (!k->track) {
        return;
    }
    for (uint32_t i = 0; i < l->depth; i++) {
        s->c->open[l->row[i] + 1] = (pf_open_row){time_of(&k->clock, d->time[l->row[i]]), top, 0};
        top = l->row[i] + 1;
    }
    k->track->next = s->tracks;
    s->tracks = k->track;
    k->track->row = top;
    k->track->floor = last;
}

/* Whether a slice that a row began is still open. */
static bool stays_open(const pf_digest *d, const pf_rows *b, uint32_t i)
{
    const pf_digest_lane *l = d->place[b->place_of[i]].lane;
    bool open = false;
    for (uint32_t n = 0; n < l->depth; n++) {
        open |= l->row[n] == i;
    }
    return open;
}

/* Writes the packets of rows up to `to` that are written. */
static pf_status put_rows(pf_stretch *s, uint32_t from, uint32_t to, pf_error *err)
{
    const pf_rows *b = s->rows;
    const pf_known_place *place = pf_cut_known_of(b)->place;
    for (uint32_t i = from; i < to; i++) {
        const pf_known_place *k = &place[b->place_of[i]];
        PF_TRY(is_written(s, k) ? pf_stretch_put_row(s, i, k->window, err) : PF_OK);
    }
    return PF_OK;
}

/* A value of a counter, or a slice or an instant with a flow. What is over in the same stretch of time ends at once:
 * when does not matter. *put: rows up to there are written. */
static pf_status take_value(pf_stretch *s, const pf_digest *d, uint32_t row, uint32_t value, uint32_t *put,
                            pf_error *err)
{
    const pf_rows *b = s->rows;
    const pf_known_place *k = place_of(s, row);
    uint32_t what = b->where[row].what;
    int64_t ts = time_of(&k->clock, d->time[row]);
    if ((what & PF_ROW_TYPE) == PF_EVENT_COUNTER && k->track) {
        pf_stretch_value(s, k, row, value, ts);
    }
    if (!(what & PF_ROW_HAS_FLOWS) || !s->c->window_count) {
        return PF_OK;
    }
    bool open = (what & PF_ROW_TYPE) == PF_EVENT_SLICE_BEGIN && stays_open(d, b, row);
    const pf_flow_slice slice = {
        .number = s->number + row, .at = ts, .ts = ts, .end = open ? PF_STILL_OPEN : ts, .left_out = k->left_out};
    pf_flow_use use;
    PF_TRY(pf_flows_take_id(&s->c->flows, b->value[value], what & PF_ROW_ONE_END ? PF_FLOW_ENDS : PF_FLOW_GOES_ON,
                            &slice, &use, err));
    s->c->open[row + 1].flow = use;
    if (!is_written(s, k)) {
        return PF_OK;
    }
    PF_TRY(put_rows(s, *put, row + 1, err));
    *put = row + 1;
    return use ? pf_stretch_note_mark(s, row, k->window, err) : PF_OK;
}

/* What is left of a batch after a packet that was more than a row is digested here. */
static void digest_more(const pf_stretch *s, const pf_rows_at *at)
{
    pf_cut_known *known = pf_cut_known_of(s->rows);
    bool worth = !known->idle && at->row >= known->digest.to && s->rows->count - at->row >= WORTH_DIGEST;
    if (at->row == 0) {
        known->more = 0;
    } else if (worth && known->more < PF_ROWS_MAX && s->rows->place_of[at->row] &&
               pf_known_look_up(s->c, s->rows, s->rows->place_of[at->row])->takes) {
        pf_digest_rows(&known->digest, s->rows, at->row);
        known->more += known->digest.to - at->row + WORTH_DIGEST;
    }
}

/* Where the last digest had rows that could not be taken, most batches do without. */
bool pf_stretch_has_digest(pf_stretch *s, const pf_rows_at *at)
{
    pf_cut_known *known = pf_cut_known_of(s->rows);
    const pf_digest *d = &known->digest;
    digest_more(s, at);
    bool right = d->from == at->row && d->to > d->from && d->to <= s->rows->count && is_guessed_right(s, d);
    bool fits = right;
    for (uint32_t i = 0; i < d->lanes && fits; i++) {
        fits = is_in_a_zone(s, &d->lane[i]);
    }
    s->writes = false;
    fits = fits && !moves_a_step(s, d) && enter_places(s, d, &s->writes) && (!s->writes || is_all_said(s, d));
    if (at->row == 0) {
        known->idle = fits ? 0 : known->idle + (right || known->idle);
        known->digests = known->idle % DIGEST_AGAIN == 0;
    }
    return fits;
}

pf_status pf_stretch_take_digest(pf_stretch *s, pf_rows_at *at, pf_error *err)
{
    const pf_digest *d = &pf_cut_known_of(s->rows)->digest;
    for (uint32_t i = 0; i < d->lanes; i++) {
        take_lane(s, d, &d->lane[i]);
    }
    for (uint32_t i = 0; i < d->ends; i++) {
        const pf_known_place *k = place_of(s, d->end[i]);
        if (k->track) {
            pf_cutter_end_kept(s->c, k->track, time_of(&k->clock, d->time[d->end[i]]));
        }
    }
    uint32_t put = d->from;
    for (uint32_t i = 0; i < d->values; i++) {
        PF_TRY(take_value(s, d, d->value[i], at->value + i, &put, err));
    }
    PF_TRY(s->writes ? put_rows(s, put, d->to, err) : PF_OK);
    bool steps = s->rows->has_steps && s->c->window_count && s->last >= s->c->windows[0].from;
    for (uint32_t i = d->from; i < d->to && steps; i++) {
        if (s->rows->where[i].what & PF_ROW_FLOW_STEP) {
            const pf_known_place *k = place_of(s, i);
            pf_stretch_pass_step(s, k, i, time_of(&k->clock, d->time[i]));
        }
    }
    for (uint32_t i = 1; i <= d->clocks; i++) {
        const pf_known_place *k = &pf_cut_known_of(s->rows)->place[d->clock[i]];
        *k->clock.running = (int64_t)((uint64_t)*k->clock.running + d->ticked[i] * k->clock.unit);
        if (k->own) {
            k->own->running = (int64_t)((uint64_t)k->own->running + d->ticked[i]);
        }
    }
    for (uint32_t i = 0; i < d->places && s->writes; i++) {
        const pf_known_place *k = &pf_cut_known_of(s->rows)->place[d->used[i]];
        if (is_written(s, k) && k->own) {
            *k->said = k->own->running;
        }
    }
    at->row = d->to;
    at->value += d->values;
    return PF_OK;
}
