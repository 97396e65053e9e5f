/* threads_crew.c - the crew under the thread sanitizer: slots that are filled by the owner, worked on by anybody and
 * read by the owner, without any locking of their own. Criterion does not run under that sanitizer, hence main(). */
#include <stdio.h>

#include "base/threads/threads.h"

#define SLOTS 6
#define PIECES 3000

typedef struct piece {
    uint64_t in, out;
} piece;

static void work(void *ctx, unsigned slot)
{
    piece *p = (piece *)ctx + slot;
    p->out = p->in * p->in + 1;
}

static bool run(pf_crew *c, piece *ring)
{
    uint64_t put = 0;
    for (uint64_t taken = 0; taken < PIECES; taken++) {
        while (put < PIECES && pf_crew_room(c) > 0) {
            ring[pf_crew_next(c)].in = put++;
            pf_crew_put(c);
        }
        if (ring[pf_crew_take(c)].out != taken * taken + 1) {
            return false;
        }
        pf_crew_release(c);
    }
    return true;
}

int main(void)
{
    pf_budget budget;
    pf_budget_init(&budget, NULL);
    for (unsigned helpers = 0; helpers <= 3; helpers++) {
        piece ring[SLOTS] = {{0}};
        pf_crew *c = pf_crew_start(helpers, SLOTS, work, ring, &budget);
        for (unsigned round = 0; c && round < 4; round++) {
            if (!run(c, ring)) {
                fprintf(stderr, "%u helpers: a piece came back wrong\n", helpers);
                return 1;
            }
            for (unsigned i = 0; i < SLOTS - round; i++) {
                ring[pf_crew_next(c)].in = i;
                pf_crew_put(c);
            }
            if (round == 3) {
                pf_crew_stop(c);
                c = NULL;
            } else {
                pf_crew_drop(c);
            }
        }
    }
    return budget.used == 0 ? 0 : 1;
}
