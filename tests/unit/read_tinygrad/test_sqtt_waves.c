/* Waves, occupancy and the shader clock of streams made by hand. */
#include "nibbles.h"
#include "read/tinygrad/sqtt/sqtt_waves.h"

enum { ROOM = 256 };

static void delay(nibbles *n, unsigned cycles)
{
    put_packet(n, 0x01 | (uint64_t)cycles << 12, 12);
}

static void start(nibbles *n, unsigned cu, unsigned simd, unsigned wave)
{
    put_packet(n, 0x0c | (cu >> 3) << 7 | simd << 8 | (cu & 7) << 10 | wave << 13, 8);
}

static void end(nibbles *n, unsigned cu, unsigned simd, unsigned wave)
{
    put_packet(n, 0x15 | (cu >> 3) << 8 | simd << 9 | (cu & 7) << 11 | wave << 15, 5);
}

static void mark(nibbles *n, uint64_t clock)
{
    put_packet(n, 0x201 | clock << 12, 12);
}

static pf_sqtt_waves *take(nibbles *n, pf_budget *budget)
{
    pf_sqtt_packet p[ROOM];
    pf_sqtt_waves *w = malloc(sizeof *w);
    pf_budget_init(budget, NULL);
    put_tail(n);
    cr_assert_eq(pf_sqtt_waves_init(w, budget, NULL), PF_OK);
    cr_assert_eq(pf_sqtt_waves_take(w, p, decode_all(n, p, ROOM), NULL), PF_OK);
    return w;
}

static void done(pf_sqtt_waves *w, const pf_budget *budget)
{
    pf_sqtt_waves_free(w);
    free(w);
    cr_assert_eq(budget->used, 0);
}

Test(sqtt_waves, starts_and_ends_are_matched_by_slot)
{
    nibbles n = {.count = 0};
    pf_budget budget;
    put_header(&n, 3);
    delay(&n, 10);
    start(&n, 9, 1, 3); /* 10 */
    delay(&n, 5);
    start(&n, 9, 2, 3); /* 15 */
    end(&n, 9, 0, 3);   /* began before the stream did */
    delay(&n, 5);
    end(&n, 9, 1, 3); /* 20 */
    start(&n, 9, 1, 3);
    start(&n, 9, 1, 3); /* in the place of the one before */
    delay(&n, 100);
    end(&n, 9, 2, 3); /* 120 */
    pf_sqtt_waves *w = take(&n, &budget);
    cr_assert_eq(w->waves.count, 2);
    cr_assert_eq(w->waves.start[0], 10);
    cr_assert_eq(w->waves.end[0], 20);
    cr_assert_eq(w->waves.cu[0], 9);
    cr_assert_eq(w->waves.simd[0], 1);
    cr_assert_eq(w->waves.wave[0], 3);
    cr_assert_eq(w->waves.start[1], 15);
    cr_assert_eq(w->waves.end[1], 120);
    cr_assert_eq(w->total.unmatched_ends, 1);
    cr_assert_eq(w->total.open, 1);
    cr_assert_eq(w->total.wave_cycles, 10 + 105);
    cr_assert_eq(w->total.layout, 3);
    cr_assert_eq(w->total.counts[PF_SQTT_WAVESTART], 4);
    done(w, &budget);
}

/* A wave that begins where another one ends is no wave more. */
Test(sqtt_waves, one_instant_is_one_change)
{
    nibbles n = {.count = 0};
    pf_budget budget;
    put_header(&n, 3);
    start(&n, 0, 0, 0);
    delay(&n, 7);
    start(&n, 0, 0, 1);
    end(&n, 0, 0, 0);
    delay(&n, 1);
    end(&n, 0, 0, 1);
    pf_sqtt_waves *w = take(&n, &budget);
    const int64_t times[] = {0, 7, 8}, open[] = {1, 1, 0};
    cr_assert_eq(w->occupancy.count, 3);
    cr_assert_arr_eq(w->occupancy.time, times, sizeof times);
    cr_assert_arr_eq(w->occupancy.value, open, sizeof open);
    cr_assert_eq(pf_sqtt_most_open(w), 1);
    done(w, &budget);
}

/* 2500 cycles in 100 ticks of 10 ns are 2.5 GHz; 7 cycles in 3 ticks are 233333333.3 Hz, rounded down. */
Test(sqtt_waves, markers_give_the_clock)
{
    nibbles n = {.count = 0};
    pf_budget budget;
    put_header(&n, 3);
    mark(&n, 1000);
    delay(&n, 2500);
    mark(&n, 1100);
    mark(&n, 1100); /* no time between them: no clock */
    delay(&n, 7);
    mark(&n, 1103);
    pf_sqtt_waves *w = take(&n, &budget);
    const int64_t times[] = {2500, 2507}, hz[] = {2500000000, 233333333};
    cr_assert_eq(w->clock.count, 2);
    cr_assert_arr_eq(w->clock.time, times, sizeof times);
    cr_assert_arr_eq(w->clock.value, hz, sizeof hz);
    done(w, &budget);
}

/* An object serves several streams: nothing of the first is left. */
Test(sqtt_waves, restart)
{
    nibbles n = {.count = 0}, empty = {.count = 0};
    pf_budget budget;
    pf_sqtt_packet p[ROOM];
    put_header(&n, 4);
    put_packet(&n, 0x0c, 8);
    pf_sqtt_waves *w = take(&n, &budget);
    cr_assert_eq(w->total.open, 1);
    pf_sqtt_waves_restart(w);
    put_header(&empty, 3);
    end(&empty, 0, 0, 0);
    put_tail(&empty);
    cr_assert_eq(pf_sqtt_waves_take(w, p, decode_all(&empty, p, ROOM), NULL), PF_OK);
    cr_assert_eq(w->total.open, 0);
    cr_assert_eq(w->total.unmatched_ends, 1);
    cr_assert_eq(w->occupancy.count, 0);
    done(w, &budget);
}

/* Cycles by ticks of 10 ns, rounded down, also where the clock of the markers goes back. */
Test(sqtt_waves, clocks_are_rounded_down)
{
    static const struct {
        unsigned cycles;
        int ticks;
        int64_t hz;
    } cases[] = {{21, 1, 2100000000},  {10, 3, 333333333},  {20, 3, 666666666}, {9, 3, 300000000}, {10, -3, -333333334},
                 {20, -3, -666666667}, {9, -3, -300000000}, {0, 7, 0},          {0, -7, 0},        {1, -1, -100000000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nibbles n = {.count = 0};
        pf_budget budget;
        put_header(&n, 3);
        delay(&n, 1);
        mark(&n, 1000);
        if (cases[i].cycles) {
            delay(&n, cases[i].cycles);
        }
        mark(&n, (uint64_t)(1000 + cases[i].ticks));
        pf_sqtt_waves *w = take(&n, &budget);
        cr_assert_eq(w->clock.count, 1, "case %zu", i);
        cr_expect_eq(w->clock.time[0], 1 + cases[i].cycles, "case %zu", i);
        cr_expect_eq(w->clock.value[0], cases[i].hz, "case %zu: %lld", i, (long long)w->clock.value[0]);
        done(w, &budget);
    }
}
