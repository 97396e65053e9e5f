/* analyze/neutrino/sched/residents.c - how many blocks are resident while a launch goes on: curves of the same few
 * points for runs of every length, of all of it and of its end, so that the tail always shows. */
#include "analyze/neutrino/sched/block_sched.h"

#define TAIL_TIMES 4u /* the last part is so many times as long as the longest tail of an SM */

typedef struct counting {
    sched_curve *curve;
    unsigned shift;                     /* a stretch is 2^shift cycles long */
    uint64_t part[SCHED_STRETCHES];     /* cycles of blocks that begin or end in it */
    int64_t whole[SCHED_STRETCHES + 1]; /* how many more blocks cover it than the one before */
} counting;

typedef struct counters {
    counting of[2];
    bool shared; /* all SMs have one clock, which begins at `first` */
    uint64_t first;
} counters;

static void begin_curve(counting *c, sched_curve *curve, uint64_t begin, uint64_t end)
{
    *c = (counting){.curve = curve};
    *curve = (sched_curve){.begin = begin, .end = end};
    while ((end - begin) >> c->shift >= SCHED_STRETCHES) {
        c->shift++;
    }
    curve->length = (uint64_t)1 << c->shift;
    curve->count = end > begin ? (uint32_t)((end - begin - 1) >> c->shift) + 1 : 0;
}

static void count(counting *c, uint64_t start, uint64_t end)
{
    uint64_t begin = c->curve->begin;
    if (c->curve->count == 0 || end <= begin) {
        return;
    }
    start = start > begin ? start - begin : 0;
    end -= begin;
    uint64_t from = start >> c->shift, to = end >> c->shift;
    if (from == to) {
        c->part[from] += end - start;
        return;
    }
    c->part[from] += ((from + 1) << c->shift) - start;
    c->part[to] += end - (to << c->shift);
    c->whole[from + 1]++;
    c->whole[to]--;
}

static void count_block(void *ctx, sched_sm *sm, const sm_block *b)
{
    counters *c = ctx;
    uint64_t first = c->shared ? c->first : sm->sweep.first_start;
    count(&c->of[0], b->start - first, b->end - first);
    count(&c->of[1], b->start - first, b->end - first);
}

static void end_curve(neutrino_run *n, const sched_result *s, const counting *c, pf_str part)
{
    sched_curve *k = c->curve;
    int64_t now = 0;
    for (uint32_t i = 0; i < k->count; i++) {
        uint64_t begin = k->begin + i * k->length, left = k->end - begin;
        uint64_t length = left < k->length ? left : k->length;
        now += c->whole[i];
        k->mean[i] = (double)now + (double)c->part[i] / (double)length;
        k->most = k->mean[i] > k->most ? k->mean[i] : k->most;
        PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_RESIDENTS, {.as.s = s->r->file}, pf_cell_text(s->r->kernel), {.as.s = part},
                        pf_cell_count(begin), pf_cell_count(begin + length), {.as.d = k->mean[i]});
    }
}

pf_status pf_sched_count_residents(neutrino_run *n, sched_result *s, sched_residents *out, pf_error *err)
{
    counters c = {.shared = n->global_timer, .first = UINT64_MAX};
    uint64_t last = 0, end = s->span_max;
    for (uint32_t i = 0; i < s->count; i++) {
        const sm_sweep *w = &s->sm[i]->sweep;
        c.first = w->blocks && w->first_start < c.first ? w->first_start : c.first;
        last = w->blocks && w->last_end > last ? w->last_end : last;
    }
    end = c.shared ? (last > c.first ? last - c.first : 0) : end;
    bool is_short = s->tail_max && s->tail_max < end / (2 * TAIL_TIMES);
    begin_curve(&c.of[0], &out->run, 0, end);
    begin_curve(&c.of[1], &out->tail, is_short ? end - TAIL_TIMES * s->tail_max : end, end);
    PF_TRY(out->run.count ? pf_sched_each(n, s, count_block, &c, err) : PF_OK);
    end_curve(n, s, &c.of[0], PF_STR("run"));
    end_curve(n, s, &c.of[1], PF_STR("tail"));
    return PF_OK;
}
