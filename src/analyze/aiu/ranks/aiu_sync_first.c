/* analyze/aiu/ranks/aiu_sync_first.c - clocks of ranks, moved so that nothing is received before it was sent.
 *
 * Every card counts cycles from its own start, and its host has its own clock. In a collective data goes through the
 * ranks in a row, first rank to last (or last to first); R is when a rank has received, S when it has sent. First the
 * ranks from the third on are put level with the second by their receives in the first collective. Then the first and
 * the second are moved apart just so far that in the closest collective S of the one is R of the other. The clock of
 * the whole is that of the first rank's host, at the event that ended last there in that collective.
 */
#include <math.h>

#include "analyze/aiu/facts/aiu_event_text.h"
#include "analyze/aiu/ranks/aiu_ranks.h"
#include "base/text/number.h"

typedef struct clocks {
    const aiu_groups *g;
    uint32_t *group, groups; /* in which all ranks take part */
    bool tree;               /* data goes from the lowest rank up */
    double *shift;           /* by rank, us */
    uint32_t closest;        /* group */
    uint32_t anchor;         /* event */
    double offset;           /* us from device time of the first rank to host time */
} clocks;

/* The rank at place i of the row. */
static uint32_t at_place(const clocks *c, uint32_t i)
{
    return c->tree ? i : c->g->ranks - 1 - i;
}

/* The direction shows in the names of the first group's events. */
static bool is_tree(aiu_run *run, const clocks *c)
{
    for (uint32_t i = 0; i < c->g->slices; i++) {
        const aiu_part *p = &c->g->part[c->g->of[i]];
        pf_str name = pf_aiu_text_of(run, run->events.name[c->g->slice[i]]);
        if (p->rank == 0 && p->group == c->group[0] && pf_aiu_contains(name, "AllReduce_all_reduce")) {
            return true;
        }
    }
    return false;
}

static void level_ranks(clocks *c)
{
    double second = pf_aiu_part(c->g, at_place(c, 1), c->group[0])->received;
    for (uint32_t j = 2; j < c->g->ranks; j++) {
        uint32_t rank = at_place(c, j);
        c->shift[rank] -= pf_aiu_part(c->g, rank, c->group[0])->received - second;
    }
}

static void move_apart(clocks *c)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < c->groups; i++) {
        double d = pf_aiu_part(c->g, at_place(c, 1), c->group[i])->received -
                   pf_aiu_part(c->g, at_place(c, 0), c->group[i])->sent;
        if (d < least) {
            least = d;
            c->closest = c->group[i];
        }
    }
    if (!c->tree) {
        c->shift[at_place(c, 0)] += least;
        return;
    }
    for (uint32_t j = 1; j < c->g->ranks; j++) {
        c->shift[at_place(c, j)] -= least;
    }
}

static void find_anchor(aiu_run *run, clocks *c)
{
    double last = -INFINITY;
    for (uint32_t i = 0; i < c->g->slices; i++) {
        const aiu_part *p = &c->g->part[c->g->of[i]];
        double device = pf_aiu_step_time(run, c->g->slice[i], c->tree ? 5 : 2);
        bool later = device > last || (device == last && pf_acelyzer(run));
        if (p->rank == 0 && p->group == c->closest && later) {
            last = device;
            c->anchor = c->g->slice[i];
        }
    }
    c->offset = pf_aiu_end(run, c->anchor) - last;
}

/* Slices of devices are where their cycles say on the common clock; their length stays. */
static void apply(aiu_run *run, const clocks *c)
{
    aiu_events *e = &run->events;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i], rank = pf_aiu_rank_of(c->g, e->pid[row]);
        if (!pf_aiu_is_slice(run, row) || !pf_aiu_is_device(run, row) || rank == PF_NONE) {
            continue;
        }
        unsigned op = pf_aiu_name(run, e->name[row])->has;
        e->anchor[row] = c->offset;
        e->anchor_device[row] = -c->shift[rank];
        e->flags[row] |= AIU_ON_CLOCK | AIU_STEP_MATCHED;
        double device = pf_aiu_step_time(run, row, op == AIU_OP_NONE ? 1 : op + 1) + c->shift[rank];
        e->ts[row] = device + c->offset;
    }
}

/* ---- what the log says ------------------------------------------------------------------------------------------- */

/* "[1.5, -2.0]": an offset and the shifts of all ranks. */
static void log_shifts(aiu_run *run, const clocks *c, const char *what, double offset)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, what);
    for (uint32_t rank = 0; rank < c->g->ranks; rank++) {
        char digits[PF_NUMBER_MAX];
        pf_buffer_text(&b, rank ? ", " : "[");
        pf_buffer_put(&b, digits, pf_format_real(offset + c->shift[rank], digits));
    }
    pf_buffer_text(&b, "]");
    pf_aiu_log_buffer(run, &b);
}

static void log_clocks(aiu_run *run, const clocks *c)
{
    pf_buffer b = {0};
    log_shifts(run, c, "MP_SYNC_V2 delta_t5, dts_shifts:            ", 0);
    pf_buffer_text(&b, "MP_SYNC_V2 delta_t5, dts_2_hts_ref_event:   ");
    pf_aiu_put_event(run, c->anchor, AIU_SPELL_PYTHON, &b);
    pf_aiu_log_buffer(run, &b);
    pf_aiu_log(run, "INFO", "MP_SYNC_V2 delta_t5, dts_2_hts_ref_offset:  %s", pf_aiu_num(run, c->offset + run->origin));
    log_shifts(run, c, "MP_SYNC_V2 delta_t5, dts_2_hts:             ", c->offset + run->origin);
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

static void align(aiu_run *run, clocks *c)
{
    c->tree = is_tree(run, c);
    if (c->g->ranks > 2) {
        level_ranks(c);
    }
    move_apart(c);
    find_anchor(run, c);
    run->by_rate = run->set.align_auto && pf_aiu_rate_fits_better(run, c->g, c->group, c->groups, c->shift);
    aiu_exchange *x = run->by_rate ? NULL : pf_aiu_exchange(run);
    if (!x) {
        return;
    }
    log_clocks(run, c);
    x->ranks = c->g->ranks;
    x->pid = c->g->pid;
    x->shift = c->shift;
    apply(run, c);
    run->clocks_matched = pf_acelyzer(run);
    if (!pf_acelyzer(run)) {
        pf_aiu_sort_by_time(run);
    }
}

void pf_aiu_sync_first(aiu_run *run)
{
    aiu_groups g;
    clocks c = {.g = &g};
    pf_aiu_groups_read(run, &g);
    if (g.ranks < 2 || !g.groups) {
        pf_aiu_log(run, "INFO", "MP SYNC: no collective group detected or single process, no action");
    } else {
        c.shift = pf_aiu_alloc(run, g.ranks, sizeof *c.shift);
        c.group = pf_aiu_scratch(run, g.groups, sizeof *c.group);
        if (c.group && pf_aiu_groups_common(run, &g, c.group, &c.groups) == PF_OK && c.groups) {
            align(run, &c);
        }
    }
    if (pf_acelyzer(run) && !pf_aiu_failed(run)) { /* in any case, and what ties in reverse order */
        pf_aiu_reverse(run);
        pf_aiu_sort_by_time(run);
    }
    pf_aiu_groups_free(&g);
}
