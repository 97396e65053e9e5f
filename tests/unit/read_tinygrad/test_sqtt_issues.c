/* What single packets do to the waves of the traced unit, and what is drawn of them. Packets are written down as they
 * are decoded: kind, bits, time. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "read/tinygrad/sqtt/sqtt_trace.h"
#include "read/tinygrad/sqtt/sqtt_waves.h"

/* ---- a program of six instructions ------------------------------------------------------------------------------- */

enum { START = 0x1000, WORDS = 7 };

typedef struct traced {
    uint8_t text[WORDS * 4], size[WORDS], flags[WORDS];
    pf_amd_code code;
    pf_budget budget;
    pf_sqtt_trace trace;
} traced;

static const struct {
    uint8_t size, flags;
} program[WORDS] = {
    {1, 0},             /* 1000 */
    {2, PF_AMD_WAIT},   /* 1004 ... */
    {0, 0},             /* 1008 ... to here */
    {1, PF_AMD_SILENT}, /* 100c */
    {1, PF_AMD_BRANCH}, /* 1010 */
    {1, 0},             /* 1014 */
    {1, 0},             /* 1018 */
};

/* jump: how many dwords the branch is away from what follows it. */
static traced *begin(pf_sqtt_family family, int16_t jump, uint32_t limit)
{
    traced *t = calloc(1, sizeof *t);
    for (unsigned i = 0; i < WORDS; i++) {
        t->size[i] = program[i].size;
        t->flags[i] = program[i].flags;
    }
    t->text[16] = (uint8_t)jump;
    t->text[17] = (uint8_t)((uint16_t)jump >> 8);
    t->code = (pf_amd_code){
        .text = {t->text, sizeof t->text}, .size = t->size, .flags = t->flags, .dwords = WORDS, .start = START};
    pf_budget_init(&t->budget, NULL);
    cr_assert_eq(pf_sqtt_trace_init(&t->trace, &t->budget, limit, NULL), PF_OK);
    cr_assert_eq(pf_sqtt_trace_restart(&t->trace, &t->code, NULL), PF_OK);
    const pf_sqtt_packet starts[] = {{.kind = PF_SQTT_WAVESTART, .raw = 0, .family = PF_SQTT_RDNA3},
                                     {.kind = PF_SQTT_WAVESTART, .raw = 15 << 13, .family = PF_SQTT_RDNA3}};
    if (family == PF_SQTT_RDNA3) {
        cr_assert_eq(pf_sqtt_trace_take(&t->trace, starts, 2, NULL), PF_OK);
    }
    return t;
}

static void take(traced *t, pf_sqtt_family family, unsigned kind, int64_t time, uint64_t raw)
{
    const pf_sqtt_packet p = {.kind = (uint8_t)kind, .time = time, .raw = raw, .family = (uint8_t)family};
    cr_assert_eq(pf_sqtt_trace_take(&t->trace, &p, 1, NULL), PF_OK);
}

static void done(traced *t)
{
    pf_sqtt_trace_free(&t->trace);
    cr_assert_eq(t->budget.used, 0);
    free(t);
}

static void vector(traced *t, int64_t time, unsigned wave)
{
    take(t, PF_SQTT_RDNA3, PF_SQTT_VALUINST, time, wave << 7);
}

static void operation(traced *t, int64_t time, unsigned wave, unsigned code)
{
    take(t, PF_SQTT_RDNA3, PF_SQTT_INST, time, wave << 8 | code << 13);
}

/* ---- where a wave stands ----------------------------------------------------------------------------------------- */

enum { JUMP = 3, JUMP_NO = 4, NOWHERE = 0xffff };

/* Slices of waves say the instruction's dword. */
static void expect_instructions(const traced *t, const unsigned *expected, uint32_t count)
{
    const pf_sqtt_slices *s = &t->trace.slices;
    cr_assert_eq(s->count, count);
    for (uint32_t i = 0; i < count; i++) {
        cr_expect_eq(s->instruction[i], expected[i] == NOWHERE ? PF_NONE : expected[i], "%u: %u", i, s->instruction[i]);
    }
}

Test(sqtt_issues, branches_go_where_their_offset_says)
{
    static const struct {
        int16_t jump;
        unsigned code, next; /* the dword after the branch */
    } cases[] = {
        {-5, JUMP, 0},       {-4, JUMP, 1},         {0, JUMP, 5},        {-5, JUMP_NO, 5},
        {-3, JUMP, NOWHERE}, {-2, JUMP, NOWHERE}, /* silent, and the branch again, which does not come as one */
        {2, JUMP, NOWHERE},  {1000, JUMP, NOWHERE}, {-6, JUMP, NOWHERE}, {-2, JUMP_NO, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        traced *t = begin(PF_SQTT_RDNA3, cases[i].jump, 100);
        vector(t, 1, 0);
        vector(t, 2, 0);
        operation(t, 3, 0, cases[i].code);
        vector(t, 4, 0);
        expect_instructions(t, (const unsigned[]){0, 1, 4, cases[i].next}, 4);
        bool lost = cases[i].next == NOWHERE;
        cr_expect_eq(t->trace.lost_waves, lost, "case %zu", i);
        cr_expect_eq(t->trace.wave[0].sum.lost, lost, "case %zu", i);
        cr_expect_eq(t->trace.instructions, lost ? 3 : 4, "case %zu", i);
        done(t);
    }
}

/* After the last instruction there is nothing; each wave that gets there is lost, once. */
Test(sqtt_issues, waves_leave_the_program)
{
    traced *t = begin(PF_SQTT_RDNA3, 0, 100);
    for (unsigned wave = 0; wave <= 15; wave += 15) {
        vector(t, 1, wave);
        vector(t, 2, wave);
        operation(t, 3, wave, JUMP_NO);
        cr_expect_eq(t->trace.lost_waves, wave / 15);
        vector(t, 4, wave);
        cr_expect_eq(t->trace.lost_waves, wave / 15);
        vector(t, 5, wave);
        cr_expect_eq(t->trace.lost_waves, wave / 15 + 1);
        vector(t, 6, wave);
        operation(t, 7, wave, JUMP);
        cr_expect_eq(t->trace.lost_waves, wave / 15 + 1);
    }
    expect_instructions(t, (const unsigned[]){0, 1, 4, 5, 6, NOWHERE, NOWHERE, 0, 1, 4, 5, 6, NOWHERE, NOWHERE}, 14);
    cr_expect_eq(t->trace.instructions, 10);
    for (unsigned i = 0; i < WORDS; i++) {
        cr_expect_eq(t->trace.sums[i].hits, program[i].size && i != 3 ? 2 : 0, "%u", i);
    }
    done(t);
}

/* A wait of n cycles after what the wave issued before took n - 1 of them, none where both are at one time. */
Test(sqtt_issues, waits)
{
    static const int64_t gaps[] = {0, 1, 2, 100}, waits[] = {0, 0, 1, 99};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        traced *t = begin(PF_SQTT_RDNA3, 0, 100);
        vector(t, 10, 0);
        vector(t, 10 + gaps[i], 0);
        take(t, PF_SQTT_RDNA3, PF_SQTT_WAVEEND, 200, 0);
        cr_expect_eq(t->trace.sums[0].gap, 0, "there is nothing before the first");
        cr_expect_eq(t->trace.sums[1].gap, gaps[i]);
        cr_expect_eq(t->trace.sums[1].wait, waits[i]);
        cr_expect_eq(t->trace.sums[3].hits, 1, "the end is where the wave stands");
        cr_assert_eq(t->trace.ended_count, 1);
        cr_expect_eq(t->trace.ended[0].wait, waits[i]);
        cr_expect_eq(t->trace.ended[0].instructions, 3);
        cr_expect_not(t->trace.ended[0].lost);
        done(t);
    }
}

/* Waves 0 and 15 live; 1 and 14 do not. */
Test(sqtt_issues, masks)
{
    traced *t = begin(PF_SQTT_RDNA3, 0, 100);
    take(t, PF_SQTT_RDNA3, PF_SQTT_IMMEDIATE_MASK, 7, (uint64_t)0xc003 << 8);
    static const uint8_t rows[] = {0, 1, 14, 15};
    expect_instructions(t, (const unsigned[]){0, NOWHERE, NOWHERE, 0}, 4);
    cr_expect_arr_eq(t->trace.slices.row, rows, sizeof rows);
    for (unsigned i = 0; i < 4; i++) {
        cr_expect_str_eq(t->trace.slices.name[i], "IMMEDIATE");
        cr_expect_eq(t->trace.slices.start[i], 7);
        cr_expect_eq(t->trace.slices.length[i], 1);
    }
    cr_expect_eq(t->trace.strays, 2);
    cr_expect_eq(t->trace.instructions, 2);
    take(t, PF_SQTT_RDNA3, PF_SQTT_IMMEDIATE_MASK, 8, (uint64_t)0x8000 << 8);
    take(t, PF_SQTT_RDNA3, PF_SQTT_IMMEDIATE_MASK, 9, (uint64_t)0x8000 << 8);
    cr_expect_eq(t->trace.slices.instruction[4], 1);
    cr_expect_eq(t->trace.slices.instruction[5], 3, "silent elsewhere");
    cr_expect_eq(t->trace.strays, 2);
    done(t);
}

/* Only CU 0, SIMD 0 is traced: starts and ends of others are nothing to it. */
Test(sqtt_issues, other_units)
{
    static const unsigned starts[] = {1 << 7, 1 << 8, 1 << 10, 7 << 10}, ends[] = {1 << 8, 1 << 9, 1 << 11, 7 << 11};
    for (unsigned i = 0; i < 4; i++) {
        traced *t = begin(PF_SQTT_RDNA3, 0, 100);
        take(t, PF_SQTT_RDNA3, PF_SQTT_WAVESTART, 1, starts[i] | 3 << 13);
        vector(t, 2, 3);
        cr_expect_eq(t->trace.strays, 1, "%u", i);
        take(t, PF_SQTT_RDNA3, PF_SQTT_WAVEEND, 3, ends[i] | 15 << 15);
        vector(t, 4, 15);
        cr_expect_eq(t->trace.strays, 1, "%u", i);
        cr_expect_eq(t->trace.ended_count, 0, "%u", i);
        expect_instructions(t, (const unsigned[]){NOWHERE, 0}, 2);
        done(t);
    }
}

/* A wave that ends issues nothing from then on, and its end is drawn even where it had not begun. */
Test(sqtt_issues, ends)
{
    traced *t = begin(PF_SQTT_RDNA3, 0, 100);
    take(t, PF_SQTT_RDNA3, PF_SQTT_WAVEEND, 3, 15 << 15);
    take(t, PF_SQTT_RDNA3, PF_SQTT_WAVEEND, 4, 15 << 15);
    vector(t, 5, 15);
    expect_instructions(t, (const unsigned[]){0, NOWHERE, NOWHERE}, 3);
    cr_expect_eq(t->trace.ended_count, 1);
    cr_expect_eq(t->trace.ended[0].instructions, 1);
    cr_expect_eq(t->trace.strays, 1);
    for (unsigned i = 0; i < 2; i++) {
        cr_expect_str_eq(t->trace.slices.name[i], "WAVEEND");
        cr_expect_eq(t->trace.slices.row[i], 15);
        cr_expect_eq(t->trace.slices.cycles[i], 1);
    }
    done(t);
}

/* ---- what is drawn of operations --------------------------------------------------------------------------------- */

typedef struct drawn {
    unsigned row;
    int64_t start, length;
    const char *name;
    uint32_t link;
} drawn;

static void expect_drawn(const traced *t, uint32_t from, const drawn *expected, uint32_t count)
{
    const pf_sqtt_slices *s = &t->trace.slices;
    cr_assert_eq(s->count, from + count, "%u slices", s->count);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = from + k;
        cr_expect_eq(s->row[i], expected[k].row, "%s: row %u", expected[k].name, s->row[i]);
        cr_expect_eq(s->start[i], expected[k].start, "%s: %lld", expected[k].name, (long long)s->start[i]);
        cr_expect_eq(s->length[i], expected[k].length, "%s: %lld", expected[k].name, (long long)s->length[i]);
        cr_expect_str_eq(s->name[i], expected[k].name);
        cr_expect_eq(s->link[i], expected[k].link, "%s: %u", expected[k].name, s->link[i]);
    }
}

/* Names, units and cycles by operation code, as docs/reference/tinygrad.md says: vector arithmetic is drawn to the time
 * of its execution, all else from it. */
Test(sqtt_issues, operations_of_rdna4)
{
    enum { ALU = PF_SQTT_ALUEXEC, MEMORY = PF_SQTT_VMEMEXEC };
    static const struct {
        unsigned code;
        const char *name;
        unsigned kind, source; /* of the packet that executes it */
        drawn executed;
    } cases[] = {
        {0x00, "SALU", ALU, 1, {PF_SQTT_ROW_SALU, 90, 1, "SALU", 0}},
        {0x9c, "SALU_5", ALU, 1, {PF_SQTT_ROW_SALU, 90, 5, "SALU", 0}},
        {0x01, "SMEM", ALU, 1, {PF_SQTT_ROW_SALU, 90, 1, "SALU", 0}},
        {0x0a, "VALU_1", ALU, 2, {PF_SQTT_ROW_VALU, 89, 1, "VALU", 0}},
        {0x0f, "VALUB_16", ALU, 2, {PF_SQTT_ROW_VALU, 74, 16, "VALU", 0}},
        {0x0b, "VALUT_4", ALU, 2, {PF_SQTT_ROW_TFU, 90, 4, "VALU", 0}},
        {0x99, "VALU_SCL_TRANS", ALU, 2, {PF_SQTT_ROW_VALU, 89, 1, "VALU", 0}},
        {0x8c, "WMMA_8", ALU, 2, {PF_SQTT_ROW_WMMA, 82, 8, "VALU_WMMA", 0}},
        {0x8f, "WMMA_64", ALU, 2, {PF_SQTT_ROW_WMMA, 26, 64, "VALU_WMMA", 0}},
        {0x21, "VMEM_RD_1", MEMORY, 2, {PF_SQTT_ROW_VMEM, 90, 1, "VMEM", 0}},
        {0x20, "FLAT_WR_6", MEMORY, 2, {PF_SQTT_ROW_VMEM, 90, 6, "VMEM", 0}},
        {0xdd, "OTHER_VMEM_34", MEMORY, 3, {PF_SQTT_ROW_VMEM, 90, 34, "VMEM_ALT", 0}},
        {0x57, "OTHER_FLAT_4", MEMORY, 3, {PF_SQTT_ROW_VMEM, 90, 4, "VMEM_ALT", 0}},
        {0x2e, "LDS_WR_5", MEMORY, 0, {PF_SQTT_ROW_LDS, 90, 5, "LDS", 0}},
        {0x78, "OTHER_LDS_10", MEMORY, 1, {PF_SQTT_ROW_LDS, 90, 10, "LDS_ALT", 0}},
        {0x09, "MESSAGE", ALU, 1, {PF_SQTT_ROW_SALU, 90, 1, "SALU", PF_NONE}},
        {0x09, "MESSAGE", ALU, 2, {PF_SQTT_ROW_VALU, 89, 1, "VALU", PF_NONE}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        traced *t = begin(PF_SQTT_RDNA4, 0, 100);
        bool other = strncmp(cases[i].name, "OTHER", 5) == 0;
        take(t, PF_SQTT_RDNA4, PF_SQTT_WAVESTART_RDNA4, 0, 6 << 15);
        take(t, PF_SQTT_RDNA4, PF_SQTT_INST_RDNA4, 40, 6 << 7 | (uint64_t)cases[i].code << 12);
        take(t, PF_SQTT_RDNA4, cases[i].kind, 90, (uint64_t)cases[i].source << 6);
        const drawn expected[] = {{6, 40, 1, cases[i].name, PF_NONE}, cases[i].executed};
        expect_drawn(t, 0, expected, 2);
        cr_expect_eq(t->trace.slices.code[0], cases[i].code, "%s", cases[i].name);
        cr_expect_eq(t->trace.slices.instruction[0], other ? PF_NONE : 0, "%s", cases[i].name);
        cr_expect_eq(t->trace.instructions, !other, "%s", cases[i].name);
        cr_expect_eq(t->trace.strays, 0, "%s", cases[i].name);
        take(t, PF_SQTT_RDNA4, PF_SQTT_WAVEEND_RDNA4, 95, 6 << 15);
        cr_expect_eq(t->trace.ended_count, 1, "%s", cases[i].name);
        done(t);
    }
}

/* A code without a name is an issue all the same. */
Test(sqtt_issues, operations_without_a_name)
{
    traced *t = begin(PF_SQTT_RDNA3, 0, 100);
    operation(t, 4, 15, 0x02);
    cr_assert_eq(t->trace.slices.count, 1);
    cr_expect_null(t->trace.slices.name[0]);
    cr_expect_eq(t->trace.slices.code[0], 2);
    cr_expect_eq(t->trace.slices.row[0], 15);
    cr_expect_eq(t->trace.slices.instruction[0], 0);
    cr_expect_eq(t->trace.instructions, 1);
    done(t);
}

/* What waits for a unit is executed first in, first out; every unit has a queue of its own. */
Test(sqtt_issues, units_have_queues)
{
    traced *t = begin(PF_SQTT_RDNA3, 0, 100);
    operation(t, 1, 20, 0x0e);                           /* VALUB_4 */
    operation(t, 2, 21, 0x00);                           /* SALU */
    operation(t, 3, 22, 0x0f);                           /* VALUB_16 */
    operation(t, 4, 23, 0x0d);                           /* VALUB_2 */
    take(t, PF_SQTT_RDNA3, PF_SQTT_ALUEXEC, 50, 3 << 6); /* both */
    take(t, PF_SQTT_RDNA3, PF_SQTT_ALUEXEC, 60, 0);      /* none */
    take(t, PF_SQTT_RDNA3, PF_SQTT_ALUEXEC, 70, 2 << 6);
    take(t, PF_SQTT_RDNA3, PF_SQTT_ALUEXEC, 80, 2 << 6);
    take(t, PF_SQTT_RDNA3, PF_SQTT_ALUEXEC, 90, 2 << 6); /* nothing is left */
    operation(t, 91, 24, 0x0e);
    take(t, PF_SQTT_RDNA3, PF_SQTT_ALUEXEC, 100, 2 << 6);
    const drawn expected[] = {{PF_SQTT_ROW_VALU, 46, 4, "VALU", 0},
                              {PF_SQTT_ROW_SALU, 50, 1, "SALU", 1},
                              {PF_SQTT_ROW_VALU, 54, 16, "VALU", 2},
                              {PF_SQTT_ROW_VALU, 78, 2, "VALU", 3},
                              {PF_SQTT_ROW_VALU, 89, 1, "VALU", PF_NONE}};
    cr_assert_eq(t->trace.slices.count, 11);
    t->trace.slices.count = 9;
    expect_drawn(t, 4, expected, 5);
    t->trace.slices.count = 11;
    const drawn last[] = {{24, 91, 1, "VALUB_4", PF_NONE}, {PF_SQTT_ROW_VALU, 96, 4, "VALU", 9}};
    expect_drawn(t, 9, last, 2);
    cr_expect_eq(t->trace.strays, 5);
    const uint32_t index[] = {0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 4};
    cr_expect_arr_eq(t->trace.slices.index, index, sizeof index);
    done(t);
}

/* CDNA's waves are drawn, not followed; what another SIMD issued is left out. */
Test(sqtt_issues, cdna)
{
    traced *t = begin(PF_SQTT_CDNA, 0, 100);
    take(t, PF_SQTT_CDNA, PF_SQTT_CDNA_WAVESTART, 1, 5 << 10);
    take(t, PF_SQTT_CDNA, PF_SQTT_CDNA_INST, 2, 5 << 5 | 18 << 11);
    take(t, PF_SQTT_CDNA, PF_SQTT_CDNA_INST, 3, 5 << 5 | 1 << 9 | 18 << 11);
    take(t, PF_SQTT_CDNA, PF_SQTT_CDNA_INST, 4, 5 << 5 | 2 << 9 | 18 << 11);
    take(t, PF_SQTT_CDNA, PF_SQTT_CDNA_INST, 5, 6 << 5 | 15 << 11);
    take(t, PF_SQTT_CDNA, PF_SQTT_CDNA_WAVEEND, 8, 5 << 10);
    const drawn expected[] = {
        {5, 2, 1, "VALU_64", PF_NONE}, {6, 5, 1, "OTHER_MSG", PF_NONE}, {5, 8, 1, "CDNA_WAVEEND", PF_NONE}};
    expect_drawn(t, 0, expected, 3);
    expect_instructions(t, (const unsigned[]){NOWHERE, NOWHERE, NOWHERE}, 3);
    cr_expect_eq(t->trace.slices.cycles[0], 1);
    cr_expect_eq(t->trace.instructions, 0);
    cr_expect_eq(t->trace.strays, 0);
    cr_expect_eq(t->trace.ended_count, 1);
    cr_expect_not(t->trace.ended[0].lost);
    done(t);
}

/* A barrier ends with the wave's next issue or with its WAVERDY; BARRIER_SIGNAL is one, BARRIER_WAIT is not. */
Test(sqtt_issues, barriers)
{
    static const struct {
        pf_sqtt_family family;
        unsigned kind, shift, code;
        const char *name;
        bool barrier;
    } cases[] = {{PF_SQTT_RDNA3, PF_SQTT_INST, 13, 0x13, "BARRIER", true},
                 {PF_SQTT_RDNA4, PF_SQTT_INST_RDNA4, 12, 0x7a, "BARRIER_SIGNAL", true},
                 {PF_SQTT_RDNA4, PF_SQTT_INST_RDNA4, 12, 0x13, "BARRIER_WAIT", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (unsigned ready = 0; ready < 2; ready++) {
            traced *t = begin(cases[i].family, 0, 100);
            unsigned wave = cases[i].family == PF_SQTT_RDNA3 ? 8 : 7;
            take(t, cases[i].family, cases[i].kind, 10, 15u << wave | cases[i].code << cases[i].shift);
            if (ready) {
                take(t, cases[i].family, PF_SQTT_WAVERDY, 20, 0x4000 << 8);
                take(t, cases[i].family, PF_SQTT_WAVERDY, 25, (uint64_t)0x8000 << 8);
            } else {
                vector(t, 25, 15);
            }
            vector(t, 40, 15);
            cr_expect_eq(t->trace.slices.length[0], cases[i].barrier ? 15 : 1, "%s", cases[i].name);
            cr_expect_str_eq(t->trace.slices.name[0], cases[i].name);
            cr_assert_eq(t->trace.slices.count, ready && !cases[i].barrier ? 2 : 3, "%s", cases[i].name);
            cr_expect_str_eq(t->trace.slices.name[1], ready && cases[i].barrier ? "WAVERDY" : "VALUINST");
            done(t);
        }
    }
}

/* What is beyond the limit is not drawn: its unit keeps what waits, and a barrier still ends. */
Test(sqtt_issues, limit)
{
    traced *t = begin(PF_SQTT_RDNA3, 0, 3);
    operation(t, 1, 0, 0x13);  /* BARRIER */
    operation(t, 2, 15, 0x0e); /* VALUB_4 */
    vector(t, 3, 15);
    vector(t, 9, 0);                                     /* beyond: counted, and ends the barrier */
    take(t, PF_SQTT_RDNA3, PF_SQTT_ALUEXEC, 20, 2 << 6); /* beyond */
    const drawn expected[] = {
        {0, 1, 8, "BARRIER", PF_NONE}, {15, 2, 1, "VALUB_4", PF_NONE}, {15, 3, 1, "VALUINST", PF_NONE}};
    expect_drawn(t, 0, expected, 3);
    cr_expect_eq(t->trace.slices.first[PF_SQTT_UNIT_VALU], 1);
    cr_expect_eq(t->trace.instructions, 4);
    done(t);
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

/* Every slot that a family can name is one of its own: all waves begin, then all end. */
Test(sqtt_issues, every_slot)
{
    static const struct {
        unsigned start, end, cus, waves;
        unsigned start_cu, start_high, start_simd, start_wave, end_cu, end_high, end_simd, end_wave; /* lowest bits */
        unsigned low;                                                                                /* bits of cu */
    } families[] = {
        {PF_SQTT_WAVESTART, PF_SQTT_WAVEEND, 16, 32, 10, 7, 8, 13, 11, 8, 9, 15, 3},
        {PF_SQTT_WAVESTART_RDNA4, PF_SQTT_WAVEEND_RDNA4, 32, 32, 10, 7, 8, 15, 11, 8, 9, 15, 4},
        {PF_SQTT_CDNA_WAVESTART, PF_SQTT_CDNA_WAVEEND, 16, 16, 6, 0, 14, 10, 6, 0, 14, 10, 4},
    };
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        unsigned slots = families[f].cus * 4 * families[f].waves, low = families[f].low;
        pf_sqtt_packet *p = calloc(2u * slots, sizeof *p);
        pf_sqtt_waves *w = malloc(sizeof *w);
        pf_budget budget;
        pf_budget_init(&budget, NULL);
        cr_assert_eq(pf_sqtt_waves_init(w, &budget, NULL), PF_OK);
        for (unsigned i = 0; i < slots; i++) {
            unsigned cu = i / 4 / families[f].waves, simd = i / families[f].waves % 4, wave = i % families[f].waves;
            unsigned high = cu >> low, rest = cu & ((1u << low) - 1);
            p[i] = (pf_sqtt_packet){.time = i,
                                    .kind = (uint8_t)families[f].start,
                                    .raw = rest << families[f].start_cu | high << families[f].start_high |
                                           simd << families[f].start_simd | wave << families[f].start_wave};
            p[slots + i] = (pf_sqtt_packet){.time = 10000 + 3 * (int64_t)i,
                                            .kind = (uint8_t)families[f].end,
                                            .raw = rest << families[f].end_cu | high << families[f].end_high |
                                                   simd << families[f].end_simd | wave << families[f].end_wave};
        }
        cr_assert_eq(pf_sqtt_waves_take(w, NULL, 0, NULL), PF_OK);
        cr_assert_eq(pf_sqtt_waves_take(w, p + 5, slots - 5, NULL), PF_OK);
        cr_assert_eq(pf_sqtt_waves_take(w, p, 5, NULL), PF_OK);
        cr_expect_eq(w->total.first_time, 5);
        cr_expect_eq(w->total.last_time, 4);
        cr_expect_eq(pf_sqtt_most_open(w), slots);
        cr_assert_eq(pf_sqtt_waves_take(w, p + slots, slots, NULL), PF_OK);
        cr_expect_eq(w->total.packets, 2u * slots);
        cr_expect_eq(w->total.counts[families[f].start], slots);
        cr_expect_eq(w->total.counts[families[f].end], slots);
        cr_expect_eq(w->total.open, 0);
        cr_expect_eq(w->total.unmatched_ends, 0);
        cr_assert_eq(w->waves.count, slots);
        cr_expect_eq(w->occupancy.count, 2 * slots);
        for (unsigned i = 0; i < slots; i++) {
            bool right = w->waves.start[i] == i && w->waves.end[i] == 10000 + 3 * (int64_t)i &&
                         w->waves.cu[i] == i / 4 / families[f].waves && w->waves.simd[i] == i / families[f].waves % 4 &&
                         w->waves.wave[i] == i % families[f].waves;
            cr_assert(right, "family %zu, slot %u", f, i);
        }
        pf_sqtt_waves_free(w);
        cr_expect_eq(budget.used, 0);
        free(w);
        free(p);
    }
}
