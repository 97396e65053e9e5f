/* Program counters, sums per instruction and slices of a traced unit, of a program and a stream made by hand. */
#include "nibbles.h"
#include "read/tinygrad/sqtt/sqtt_trace.h"

enum { ROOM = 256, START = 0x1600, TEXT_AT = 192, SECTION = 128 };

/* ---- the program ------------------------------------------------------------------------------------------------- */

enum { WORDS = 8 };

static const uint32_t program[WORDS] = {
    0x7e000280,             /* 1600 v_mov_b32 v0, 0 */
    0xbf870001,             /* 1604 s_delay_alu: silent */
    0x4a0000ff,             /* 1608 v_add with a literal ... */
    0x00000007, 0xbf890000, /* 1610 s_waitcnt */
    0xbfa1fffb,             /* 1614 s_cbranch_scc0 -5: to 1604 */
    0xbf800000,             /* 1618 s_nop */
    0xbfb00000,             /* 161c s_endpgm */
};

/* An object with one section, of instructions, and neither names nor sizes: what is made by hand looks so. */
static pf_bytes object_of(uint8_t object[512], const uint32_t words[WORDS])
{
    memset(object, 0, 512);
    memcpy(object, "\177ELF\2", 5);
    object[40] = SECTION - 64; /* where sections are listed: one that is nothing, then the text */
    object[60] = 2;
    object[SECTION + 8] = 6; /* allocated, executable */
    object[SECTION + 16] = START & 0xff;
    object[SECTION + 17] = START >> 8;
    object[SECTION + 24] = TEXT_AT;
    object[SECTION + 32] = sizeof program;
    memcpy(object + TEXT_AT, words, sizeof program);
    return (pf_bytes){object, 512};
}

typedef struct traced {
    uint8_t object[512];
    pf_budget budget;
    pf_amd_code code;
    pf_sqtt_trace trace;
} traced;

static traced *trace_through(nibbles *n, const uint32_t words[WORDS], uint32_t limit)
{
    traced *t = malloc(sizeof *t);
    pf_sqtt_packet p[ROOM];
    pf_budget_init(&t->budget, NULL);
    put_tail(n);
    cr_assert_eq(pf_amd_code_open(&t->code, object_of(t->object, words), PF_AMD_RDNA3, &t->budget, NULL), PF_OK);
    cr_assert_eq(pf_sqtt_trace_init(&t->trace, &t->budget, limit, NULL), PF_OK);
    cr_assert_eq(pf_sqtt_trace_restart(&t->trace, &t->code, NULL), PF_OK);
    cr_assert_eq(pf_sqtt_trace_take(&t->trace, p, decode_all(n, p, ROOM), NULL), PF_OK);
    return t;
}

static traced *trace_of(nibbles *n, uint32_t limit)
{
    return trace_through(n, program, limit);
}

/* A report is done with the program before it is done with the trace. */
static void done(traced *t)
{
    pf_amd_code_free(&t->code);
    pf_sqtt_trace_free(&t->trace);
    cr_assert_eq(t->budget.used, 0);
    free(t);
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static void start(nibbles *n, unsigned cu, unsigned wave)
{
    put_packet(n, 0x0c | cu << 10 | wave << 13, 8);
}

static void end(nibbles *n, unsigned delta, unsigned wave)
{
    put_packet(n, 0x15 | delta << 5 | wave << 15, 5);
}

static void vector(nibbles *n, unsigned delta, unsigned wave)
{
    put_packet(n, 0x3 | delta << 3 | wave << 7, 3);
}

static void immediate(nibbles *n, unsigned delta, unsigned wave)
{
    put_packet(n, 0xd | delta << 4 | wave << 7, 3);
}

static void operation(nibbles *n, unsigned delta, unsigned wave, unsigned code)
{
    put_packet(n, 0x2 | delta << 4 | wave << 8 | code << 13, 5);
}

static const pf_sqtt_sum *sum_at(const traced *t, uint64_t pc)
{
    uint32_t at = pf_amd_code_at(&t->code, pc);
    cr_assert_neq(at, PF_NONE);
    return &t->trace.sums[at];
}

Test(sqtt_trace, the_object_is_cut_into_instructions)
{
    nibbles n = {.count = 0};
    traced *t = trace_of(&n, 10);
    const uint8_t sizes[] = {1, 1, 2, 0, 1, 1, 1, 1};
    cr_assert_eq(t->code.start, START);
    cr_assert_eq(t->code.dwords, 8);
    cr_assert_arr_eq(t->code.size, sizes, sizeof sizes);
    cr_assert_eq(pf_amd_code_at(&t->code, START + 12), PF_NONE, "inside an instruction");
    cr_assert_eq(pf_amd_code_at(&t->code, START + 2), PF_NONE);
    cr_assert_eq(pf_amd_code_at(&t->code, START + 32), PF_NONE);
    cr_assert_eq(pf_amd_code_at(&t->code, START - 4), PF_NONE);
    done(t);
}

/* Twice through the loop: the branch is taken once. */
Test(sqtt_trace, a_wave_is_followed_through_its_program)
{
    nibbles n = {.count = 0};
    put_header(&n, 3);
    start(&n, 0, 5);
    start(&n, 1, 6);        /* another unit's */
    vector(&n, 1, 5);       /*  1: 1600 */
    vector(&n, 2, 5);       /*  3: 1608, the delay is silent */
    immediate(&n, 7, 5);    /* 10: 1610 */
    operation(&n, 1, 5, 3); /* 11: 1614, taken */
    vector(&n, 1, 5);       /* 12: 1608 */
    immediate(&n, 4, 5);    /* 16: 1610 */
    operation(&n, 2, 5, 4); /* 18: 1614, not taken */
    immediate(&n, 3, 5);    /* 21: 1618 */
    end(&n, 1, 5);          /* 22: 161c */
    traced *t = trace_of(&n, 100);
    const struct {
        uint64_t pc, hits;
        int64_t gap, wait;
    } expected[] = {{0x1600, 1, 0, 0},     {0x1604, 0, 0, 0}, {0x1608, 2, 2 + 1, 0}, {0x1610, 2, 7 + 4, 6 + 3},
                    {0x1614, 2, 1 + 2, 0}, {0x1618, 1, 3, 2}, {0x161c, 1, 1, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const pf_sqtt_sum *s = sum_at(t, expected[i].pc);
        cr_assert_eq(s->hits, expected[i].hits, "%zu", i);
        cr_assert_eq(s->gap, expected[i].gap, "%zu", i);
        cr_assert_eq(s->wait, expected[i].wait, "%zu", i);
    }
    cr_assert_eq(t->trace.instructions, 9);
    cr_assert_eq(t->trace.lost_waves, 0);
    cr_assert_eq(t->trace.strays, 0);
    cr_assert_eq(t->trace.ended_count, 1);
    cr_assert_eq(t->trace.ended[0].instructions, 9);
    cr_assert_eq(t->trace.ended[0].wait, 11);
    done(t);
}

/* A mask of waves may name an instruction that is silent elsewhere. */
Test(sqtt_trace, masks_name_several_waves)
{
    nibbles n = {.count = 0};
    put_header(&n, 3);
    start(&n, 0, 0);
    start(&n, 0, 2);
    vector(&n, 1, 0);
    vector(&n, 1, 2);
    put_packet(&n, 0x04 | 3 << 5 | 0x5 << 8, 6); /* waves 0 and 2: 1604 */
    vector(&n, 1, 0);                            /* 1608 */
    traced *t = trace_of(&n, 100);
    cr_assert_eq(sum_at(t, 0x1604)->hits, 2);
    cr_assert_eq(sum_at(t, 0x1604)->gap, 4 + 3);
    cr_assert_eq(sum_at(t, 0x1608)->hits, 1);
    done(t);
}

/* A branch must come as one: from then on the wave's place is not known, the others' is. */
Test(sqtt_trace, a_lost_wave_is_reported)
{
    nibbles n = {.count = 0};
    put_header(&n, 3);
    start(&n, 0, 0);
    start(&n, 0, 1);
    vector(&n, 1, 0);
    vector(&n, 1, 0);
    immediate(&n, 1, 0);
    vector(&n, 1, 0); /* at the branch */
    vector(&n, 1, 0);
    vector(&n, 1, 1);
    vector(&n, 1, 7); /* never began */
    end(&n, 1, 0);
    traced *t = trace_of(&n, 100);
    cr_assert_eq(t->trace.lost_waves, 1);
    cr_assert_eq(t->trace.strays, 1);
    cr_assert_eq(t->trace.instructions, 4);
    cr_assert_eq(sum_at(t, 0x1614)->hits, 0);
    cr_assert_eq(t->trace.ended_count, 1);
    cr_assert(t->trace.ended[0].lost);
    done(t);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static void execute(nibbles *n, unsigned delta, unsigned kind, unsigned source)
{
    put_packet(n, kind | delta << 4 | source << 6, 2);
}

typedef struct slice {
    unsigned row;
    int64_t start, length;
    const char *name;
    uint32_t link;
} slice;

static void expect_slices(const traced *t, const slice *expected, uint32_t count)
{
    const pf_sqtt_slices *s = &t->trace.slices;
    cr_assert_eq(s->count, count);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(s->row[i], expected[i].row, "%u", i);
        cr_assert_eq(s->start[i], expected[i].start, "%u", i);
        cr_assert_eq(s->length[i], expected[i].length, "%u", i);
        cr_assert_str_eq(s->name[i], expected[i].name, "%u", i);
        cr_assert_eq(s->link[i], expected[i].link, "%u", i);
    }
}

Test(sqtt_trace, executions_belong_to_issues_in_order)
{
    nibbles n = {.count = 0};
    put_header(&n, 3);
    start(&n, 0, 0);
    vector(&n, 1, 0);          /* 1: vector arithmetic, one cycle */
    operation(&n, 1, 0, 0x0b); /* 2: VALUT_4, on a row of its own */
    operation(&n, 1, 0, 0x25); /* 3: SGMEM_WR_3 */
    operation(&n, 1, 0, 0x51); /* 4: OTHER_LDS_2, of another SIMD */
    execute(&n, 3, 0xe, 2);    /* 7: the first */
    execute(&n, 1, 0xe, 3);    /* 8: the second, and a scalar one that nothing was issued for */
    execute(&n, 2, 0xf, 2);    /* 10 */
    execute(&n, 2, 0xf, 1);    /* 12 */
    traced *t = trace_of(&n, 100);
    const slice expected[] = {{0, 1, 1, "VALUINST", PF_NONE},
                              {0, 2, 1, "VALUT_4", PF_NONE},
                              {0, 3, 1, "SGMEM_WR_3", PF_NONE},
                              {0, 4, 1, "OTHER_LDS_2", PF_NONE},
                              {PF_SQTT_ROW_VALU, 6, 1, "VALU", 0},
                              {PF_SQTT_ROW_TFU, 8, 4, "VALU", 1},
                              {PF_SQTT_ROW_SALU, 8, 1, "SALU", PF_NONE},
                              {PF_SQTT_ROW_VMEM, 10, 3, "VMEM", 2},
                              {PF_SQTT_ROW_LDS, 12, 2, "LDS_ALT", 3}};
    expect_slices(t, expected, sizeof expected / sizeof expected[0]);
    done(t);
}

/* RDNA3 traces matrix products as vector instructions: they take 16 cycles with operands of four bits, else 32. */
Test(sqtt_trace, products_by_their_operands)
{
    static const uint32_t products[WORDS] = {
        0xcc450000, 0,          /* 1600 v_wmma_i32_16x16x16_iu4 */
        0xcc400000, 0,          /* 1608 v_wmma_f32_16x16x16_f16 */
        0x7e000280,             /* 1610 v_mov_b32 v0, 0 */
        0xbf800000, 0xbf800000, /* 1614 s_nop */
        0xbfb00000,             /* 161c s_endpgm */
    };
    nibbles n = {.count = 0};
    put_header(&n, 3);
    start(&n, 0, 0);
    vector(&n, 1, 0);       /* 1 */
    vector(&n, 1, 0);       /* 2 */
    vector(&n, 1, 0);       /* 3 */
    vector(&n, 1, 7);       /* 4: a wave that never began */
    execute(&n, 3, 0xe, 2); /* 7 */
    execute(&n, 3, 0xe, 2); /* 10 */
    execute(&n, 3, 0xe, 2); /* 13 */
    traced *t = trace_through(&n, products, 100);
    const slice expected[] = {{0, 1, 1, "WMMA_VALU_16", PF_NONE},
                              {0, 2, 1, "WMMA_VALU_32", PF_NONE},
                              {0, 3, 1, "VALUINST", PF_NONE},
                              {7, 4, 1, "VALUINST", PF_NONE},
                              {PF_SQTT_ROW_VALU, 7 - 16, 16, "VALU_WMMA", 0},
                              {PF_SQTT_ROW_VALU, 10 - 32, 32, "VALU_WMMA", 1},
                              {PF_SQTT_ROW_VALU, 12, 1, "VALU", 2}};
    expect_slices(t, expected, sizeof expected / sizeof expected[0]);
    done(t);
}

/* A barrier lasts until the wave's next packet, or until it is told to be ready. */
Test(sqtt_trace, barriers_last)
{
    nibbles n = {.count = 0};
    put_header(&n, 3);
    operation(&n, 1, 4, 0x13);                    /* 1 */
    operation(&n, 1, 3, 0x13);                    /* 2 */
    put_packet(&n, 0x14 | 7 << 5 | 0x18 << 8, 6); /* 9: waves 3 and 4 */
    put_packet(&n, 0x14 | 7 << 5 | 0x18 << 8, 6); /* 16: they wait no more */
    traced *t = trace_of(&n, 100);
    const slice expected[] = {{4, 1, 8, "BARRIER", PF_NONE},
                              {3, 2, 7, "BARRIER", PF_NONE},
                              {3, 9, 1, "WAVERDY", PF_NONE},
                              {4, 9, 1, "WAVERDY", PF_NONE}};
    expect_slices(t, expected, sizeof expected / sizeof expected[0]);
    done(t);
}

Test(sqtt_trace, slices_are_limited)
{
    nibbles n = {.count = 0};
    put_header(&n, 3);
    for (int i = 0; i < 20; i++) {
        vector(&n, 1, 0);
        execute(&n, 1, 0xe, 2);
    }
    traced *t = trace_of(&n, 7);
    cr_assert_eq(t->trace.slices.count, 7);
    done(t);
}

/* ---- one stream after another ------------------------------------------------------------------------------------ */

/* Leaves all that a stream can leave: a wave that ended, one that was lost, one that lives on, a stray, an issue that
 * waits for its unit and a wave at a barrier. */
static void put_leftovers(nibbles *n)
{
    put_header(n, 3);
    start(n, 0, 0);
    start(n, 0, 1);
    start(n, 0, 2);
    vector(n, 1, 0); /* 1 */
    end(n, 1, 0);    /* 2 */
    vector(n, 1, 1); /* 3 */
    vector(n, 1, 1); /* 4 */
    immediate(n, 1, 1);
    vector(n, 1, 1); /* 6: at the branch */
    vector(n, 1, 2); /* 7 */
    vector(n, 1, 7); /* 8: never began */
    operation(n, 1, 3, 0x13);
}

static void take_next(traced *t, const pf_amd_code *code, nibbles *n)
{
    pf_sqtt_packet p[ROOM];
    put_tail(n);
    cr_assert_eq(pf_sqtt_trace_restart(&t->trace, code, NULL), PF_OK);
    cr_assert_eq(t->trace.code, code);
    cr_assert_eq(t->trace.sum_count, code->dwords);
    for (size_t i = 0; i < t->trace.sum_count; i++) {
        const pf_sqtt_sum *s = &t->trace.sums[i];
        cr_assert(s->hits == 0 && s->gap == 0 && s->wait == 0, "%zu", i);
    }
    cr_assert_eq(pf_sqtt_trace_take(&t->trace, p, decode_all(n, p, ROOM), NULL), PF_OK);
}

/* The three numbers of a stream, and the waves that ended in it. */
static void expect_numbers(const traced *t, uint64_t instructions, uint64_t lost, uint64_t strays, uint32_t ended)
{
    cr_assert_eq(t->trace.instructions, instructions);
    cr_assert_eq(t->trace.lost_waves, lost);
    cr_assert_eq(t->trace.strays, strays);
    cr_assert_eq(t->trace.ended_count, ended);
}

/* A program that is known, twice one that is not, and the first again: nothing of a stream is seen in the next one. */
Test(sqtt_trace, streams_are_apart)
{
    nibbles first = {.count = 0}, second = {.count = 0}, third = {.count = 0}, fourth = {.count = 0};
    put_leftovers(&first);
    traced *t = trace_of(&first, 100);
    expect_numbers(t, 6, 1, 2, 1);

    const pf_amd_code unknown = {.budget = NULL};
    put_header(&second, 3);
    vector(&second, 1, 2);                            /* 1: its wave lived in the stream before */
    execute(&second, 1, 0xe, 2);                      /* 2 */
    put_packet(&second, 0x14 | 1 << 5 | 0x8 << 8, 6); /* 3: wave 3, which waited there */
    start(&second, 0, 1);                             /* was lost there */
    vector(&second, 1, 1);                            /* 4 */
    end(&second, 1, 1);                               /* 5 */
    end(&second, 1, 2);                               /* 6 */
    take_next(t, &unknown, &second);
    expect_numbers(t, 0, 0, 1, 1);
    cr_assert(!t->trace.ended[0].lost, "there is nothing that it could be lost in");
    cr_assert_eq(t->trace.ended[0].instructions, 0);
    cr_assert_eq(t->trace.ended[0].wait, 0);
    const slice expected[] = {{2, 1, 1, "VALUINST", PF_NONE},
                              {PF_SQTT_ROW_VALU, 1, 1, "VALU", 0},
                              {1, 4, 1, "VALUINST", PF_NONE},
                              {1, 5, 1, "WAVEEND", PF_NONE},
                              {2, 6, 1, "WAVEEND", PF_NONE}};
    const uint32_t index[] = {0, 0, 0, 1, 1};
    expect_slices(t, expected, sizeof expected / sizeof expected[0]);
    cr_assert_arr_eq(t->trace.slices.index, index, sizeof index);
    for (uint32_t i = 0; i < t->trace.slices.count; i++) {
        cr_assert_eq(t->trace.slices.instruction[i], PF_NONE, "%u", i);
    }

    put_header(&third, 3);
    execute(&third, 1, 0xe, 2);
    take_next(t, &unknown, &third);
    expect_numbers(t, 0, 0, 0, 0);
    expect_slices(t, (const slice[]){{PF_SQTT_ROW_VALU, 0, 1, "VALU", PF_NONE}}, 1);

    put_leftovers(&fourth);
    take_next(t, &t->code, &fourth);
    expect_numbers(t, 6, 1, 2, 1);
    cr_assert_eq(sum_at(t, 0x1600)->hits, 3);
    done(t);
}
