/* The crew: pieces come back in order, each worked on exactly once, whatever the helpers do and whenever it ends. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/threads/threads.h"

#define SLOTS_MAX 16

typedef struct shop {
    uint64_t in[SLOTS_MAX], out[SLOTS_MAX];
    unsigned runs[SLOTS_MAX];
    atomic_uint total, elsewhere; /* jobs run, and those by another thread than the owner */
    pthread_t owner;
    unsigned slow; /* every n-th piece yields a while */
} shop;

static void square(void *ctx, unsigned slot)
{
    shop *s = ctx;
    for (unsigned i = 0; s->slow && s->in[slot] % s->slow == 0 && i < 200; i++) {
        sched_yield();
    }
    s->out[slot] = s->in[slot] * s->in[slot];
    s->runs[slot]++;
    atomic_fetch_add(&s->total, 1);
    atomic_fetch_add(&s->elsewhere, !pthread_equal(pthread_self(), s->owner));
}

/* The pieces 0 to count - 1 through a crew; the owner holds up to `hold` slots that it took. */
static void run_all(shop *s, pf_crew *c, uint64_t count, unsigned hold)
{
    uint64_t put = 0, taken = 0, released = 0;
    while (taken < count) {
        while (put < count && pf_crew_room(c) > 0) {
            unsigned slot = pf_crew_next(c);
            s->in[slot] = put++;
            s->runs[slot] = 0;
            pf_crew_put(c);
        }
        cr_assert_eq(pf_crew_pending(c), put - taken);
        unsigned slot = pf_crew_take(c);
        cr_assert_eq(s->in[slot], taken);
        cr_assert_eq(s->out[slot], taken * taken);
        cr_assert_eq(s->runs[slot], 1);
        taken++;
        while (taken - released > hold) {
            pf_crew_release(c);
            released++;
        }
    }
    while (released < taken) {
        pf_crew_release(c);
        released++;
    }
    cr_assert_eq(atomic_load(&s->total), count);
}

Test(crew, pieces_come_in_order_for_any_number_of_helpers_and_slots)
{
    for (unsigned helpers = 0; helpers <= 3; helpers++) {
        for (unsigned slots = 1; slots <= SLOTS_MAX; slots += 5) {
            for (unsigned hold = 0; hold < 2 && hold < slots; hold++) {
                pf_budget b;
                pf_budget_init(&b, NULL);
                shop s = {.owner = pthread_self(), .slow = 1 + 2 * helpers};
                pf_crew *c = pf_crew_start(helpers, slots, square, &s, &b);
                cr_assert_not_null(c);
                cr_assert_eq(pf_crew_helpers(c), helpers);
                cr_assert_eq(pf_crew_room(c), slots);
                run_all(&s, c, 500, hold);
                cr_assert_eq(pf_crew_room(c), slots);
                cr_expect(helpers > 0 || atomic_load(&s.elsewhere) == 0);
                pf_crew_stop(c);
                cr_assert_eq(b.used, 0);
            }
        }
    }
}

Test(crew, the_owner_works_alone_without_helpers)
{
    pf_budget b;
    pf_budget_init(&b, NULL);
    shop s = {.owner = pthread_self()};
    pf_crew *c = pf_crew_start(0, 3, square, &s, &b);
    s.in[pf_crew_next(c)] = 7;
    pf_crew_put(c);
    s.in[pf_crew_next(c)] = 8;
    pf_crew_put(c);
    cr_expect_eq(atomic_load(&s.total), 0); /* nothing runs before it is needed */
    cr_expect_eq(s.out[pf_crew_take(c)], 49);
    cr_expect_eq(atomic_load(&s.total), 1);
    cr_expect_eq(s.out[pf_crew_take(c)], 64);
    pf_crew_stop(c);
    cr_expect_eq(b.used, 0);
}

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool entered, open;
    atomic_uint ended;
} gate;

static void wait_at_gate(void *ctx, unsigned slot)
{
    gate *g = ctx;
    if (slot == 0) {
        pthread_mutex_lock(&g->lock);
        g->entered = true;
        pthread_cond_broadcast(&g->moved);
        while (!g->open) {
            pthread_cond_wait(&g->moved, &g->lock);
        }
        pthread_mutex_unlock(&g->lock);
    } else if (slot == 2) {
        pthread_mutex_lock(&g->lock);
        g->open = true;
        pthread_cond_broadcast(&g->moved);
        pthread_mutex_unlock(&g->lock);
    }
    atomic_fetch_add(&g->ended, 1);
}

/* A helper holds piece 0 until piece 2 has run: only an owner that works on pieces 1 and 2 instead of sleeping gets on.
 */
Test(crew, the_owner_helps_while_it_waits, .timeout = 60)
{
    pf_budget b;
    pf_budget_init(&b, NULL);
    gate g = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
    pf_crew *c = pf_crew_start(1, 4, wait_at_gate, &g, &b);
    cr_assert_eq(pf_crew_helpers(c), 1);
    pf_crew_put(c);
    pthread_mutex_lock(&g.lock);
    while (!g.entered) {
        pthread_cond_wait(&g.moved, &g.lock);
    }
    pthread_mutex_unlock(&g.lock);
    pf_crew_put(c);
    pf_crew_put(c);
    for (unsigned i = 0; i < 3; i++) {
        cr_expect_eq(pf_crew_take(c), i);
    }
    cr_expect_eq(atomic_load(&g.ended), 3);
    pf_crew_stop(c);
    cr_expect_eq(b.used, 0);
}

Test(crew, dropping_forgets_what_was_put_and_goes_on)
{
    for (unsigned helpers = 0; helpers <= 2; helpers++) {
        pf_budget b;
        pf_budget_init(&b, NULL);
        shop s = {.owner = pthread_self(), .slow = 2};
        pf_crew *c = pf_crew_start(helpers, 4, square, &s, &b);
        for (unsigned round = 0; round < 300; round++) {
            for (unsigned i = 0; i < round % 5; i++) {
                s.in[pf_crew_next(c)] = i;
                pf_crew_put(c);
            }
            for (unsigned i = 0; i < round % 5 && i < round % 3; i++) {
                unsigned slot = pf_crew_take(c);
                cr_assert_eq(s.out[slot], (uint64_t)i * i);
            }
            pf_crew_drop(c);
            cr_assert_eq(pf_crew_room(c), 4);
            cr_assert_eq(pf_crew_pending(c), 0);
        }
        memset(s.runs, 0, sizeof s.runs);
        atomic_store(&s.total, 0);
        run_all(&s, c, 50, 0);
        pf_crew_stop(c);
        cr_assert_eq(b.used, 0);
    }
}

Test(crew, stopping_is_legal_at_any_moment)
{
    pf_crew_stop(NULL);
    for (unsigned put = 0; put <= 4; put++) {
        pf_budget b;
        pf_budget_init(&b, NULL);
        shop s = {.owner = pthread_self(), .slow = 1};
        pf_crew *c = pf_crew_start(2, 4, square, &s, &b);
        for (unsigned i = 0; i < put; i++) {
            s.in[pf_crew_next(c)] = i;
            pf_crew_put(c);
        }
        pf_crew_stop(c);
        cr_expect_leq(atomic_load(&s.total), put);
        cr_expect_eq(b.used, 0);
    }
}

Test(crew, its_memory_counts_against_the_limit)
{
    pf_limits l = pf_limits_default();
    l.memory = 16;
    pf_budget b;
    pf_budget_init(&b, &l);
    shop s = {0};
    cr_expect_null(pf_crew_start(1, 4, square, &s, &b));
    cr_expect_null(pf_crew_start(1, 0, square, &s, &b));
    cr_expect_eq(b.used, 0);
}
