/* analyze/neutrino/sched/sm_sweep.c - see the header. */
#include "analyze/neutrino/sched/sm_sweep.h"

static bool grow(sm_sweep *s)
{
    uint32_t room = s->room ? s->room * 2 : 32;
    sm_slot *busy = pf_resize(s->budget, s->busy, s->room * sizeof *busy, room * sizeof *busy);
    s->busy = busy ? busy : s->busy;
    sm_slot *freed = busy ? pf_resize(s->budget, s->freed, s->room * sizeof *freed, room * sizeof *freed) : NULL;
    if (!freed) {
        pf_release(s->budget, s->busy, (busy ? room : s->room) * sizeof *busy);
        pf_release(s->budget, s->freed, s->room * sizeof *freed);
        s->busy = s->freed = NULL;
        s->room = 0;
        return false;
    }
    s->freed = freed;
    s->room = room;
    return true;
}

static void push(sm_sweep *s, sm_slot e)
{
    uint32_t i = s->busy_count++;
    while (i > 0 && s->busy[(i - 1) / 2].end > e.end) {
        s->busy[i] = s->busy[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    s->busy[i] = e;
}

static sm_slot pop(sm_sweep *s)
{
    sm_slot top = s->busy[0], last = s->busy[--s->busy_count];
    uint32_t i = 0;
    for (uint32_t child = 1; child < s->busy_count; child = 2 * i + 1) {
        child += child + 1 < s->busy_count && s->busy[child + 1].end < s->busy[child].end;
        if (s->busy[child].end >= last.end) {
            break;
        }
        s->busy[i] = s->busy[child];
        i = child;
    }
    if (s->busy_count) {
        s->busy[i] = last;
    }
    return top;
}

/* The time that blocks cover: what this one adds to those before it. */
static void cover(sm_sweep *s, const sm_block *b)
{
    uint64_t from = s->blocks && b->start < s->last_end ? s->last_end : b->start;
    s->first_start = s->blocks ? s->first_start : b->start;
    s->covered += b->end > from ? b->end - from : 0;
    s->last_end = !s->blocks || b->end > s->last_end ? b->end : s->last_end;
}

static void count_gap(sm_sweep *s, uint64_t gap)
{
    s->gap_sum += gap;
    s->gap_count++;
    s->gap_max = gap > s->gap_max ? gap : s->gap_max;
    s->bins[gap ? 64 - __builtin_clzll(gap) : 0]++;
}

bool pf_sm_sweep_add(sm_sweep *s, const sm_block *b, sm_placed *out)
{
    if (s->slots == s->room && !grow(s)) {
        return false;
    }
    while (s->busy_count && s->busy[0].end <= b->start) {
        s->freed[s->free_count++] = pop(s);
    }
    *out = (sm_placed){.block = *b, .slot = s->slots};
    if (s->free_count) {
        sm_slot f = s->freed[--s->free_count];
        out->slot = f.slot;
        out->has_gap = true;
        out->gap = b->start - f.end;
        count_gap(s, out->gap);
    } else {
        s->slots++;
    }
    push(s, (sm_slot){b->end, out->slot});
    s->max_resident = s->busy_count > s->max_resident ? s->busy_count : s->max_resident;
    cover(s, b);
    s->work_sum += b->end - b->start;
    s->blocks++;
    return true;
}

void pf_sm_sweep_free(sm_sweep *s)
{
    pf_release(s->budget, s->busy, s->room * sizeof *s->busy);
    pf_release(s->budget, s->freed, s->room * sizeof *s->freed);
    s->busy = s->freed = NULL;
    s->room = 0;
}
