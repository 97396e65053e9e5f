/* Packets of thread traces, made bit by bit. */
#include "nibbles.h"
#include "read/tinygrad/sqtt/sqtt_kinds.h"

enum { ROOM = 512 };

/* Low bits, length in nibbles and name of every kind, family by family: written down from AMD's layouts a second time.
 */
static const struct {
    unsigned layout, low_bits, low, nibbles;
    const char *name;
} kinds[] = {
    {3, 7, 0x11, 16, "LAYOUT_HEADER"},
    {3, 4, 0x9, 16, "REG"},
    {3, 7, 0x71, 16, "SNAPSHOT"},
    {3, 7, 0x01, 12, "TS_DELTA_OR_MARK"},
    {3, 3, 0x2, 5, "INST"},
    {3, 3, 0x3, 3, "VALUINST"},
    {3, 4, 0xe, 2, "ALUEXEC"},
    {3, 4, 0xf, 2, "VMEMEXEC"},
    {3, 4, 0xd, 3, "IMMEDIATE"},
    {3, 5, 0x04, 6, "IMMEDIATE_MASK"},
    {3, 5, 0x0c, 8, "WAVESTART"},
    {3, 5, 0x15, 5, "WAVEEND"},
    {3, 5, 0x14, 6, "WAVERDY"},
    {3, 5, 0x05, 5, "WAVEALLOC"},
    {3, 5, 0x16, 7, "PERF"},
    {3, 8, 0x61, 6, "EVENT"},
    {3, 8, 0xe1, 8, "EVENT_BIG"},
    {3, 7, 0x51, 6, "TS_WAVE_STATE"},
    {3, 7, 0x31, 12, "UTILCTR"},
    {3, 4, 0x8, 2, "TS_DELTA_SHORT"},
    {3, 4, 0x0, 1, "NOP"},
    {3, 7, 0x21, 18, "TS_DELTA_S8_W3"},
    {3, 5, 0x06, 13, "TS_DELTA_S5_W3"},
    {3, 5, 0x1c, 12, "TS_DELTA_S5_W2"},
    {4, 3, 0x2, 5, "INST_RDNA4"},
    {4, 5, 0x0c, 8, "WAVESTART_RDNA4"},
    {4, 5, 0x15, 5, "WAVEEND_RDNA4"},
    {4, 5, 0x05, 6, "WAVEALLOC_RDNA4"},
    {4, 5, 0x16, 8, "PERF_RDNA4"},
    {4, 7, 0x01, 16, "TS_DELTA_OR_MARK_RDNA4"},
    {4, 5, 0x06, 14, "TS_DELTA_S5_W3_RDNA4"},
    {4, 5, 0x1c, 10, "TS_DELTA_S5_W2_RDNA4"},
    {4, 7, 0x21, 18, "TS_DELTA_S8_W3"},
    {4, 3, 0x3, 3, "VALUINST"},
    {0, 4, 0, 4, "CDNA_MISC"},
    {0, 4, 1, 16, "CDNA_TIMESTAMP"},
    {0, 4, 2, 16, "CDNA_REG"},
    {0, 4, 3, 8, "CDNA_WAVESTART"},
    {0, 4, 4, 4, "CDNA_WAVEALLOC"},
    {0, 4, 5, 12, "CDNA_REG_CS"},
    {0, 4, 6, 4, "CDNA_WAVEEND"},
    {0, 4, 7, 4, "CDNA_EVENT"},
    {0, 4, 8, 4, "CDNA_EVENT_CS"},
    {0, 4, 9, 4, "CDNA_EVENT_GFX1"},
    {0, 4, 10, 4, "CDNA_INST"},
    {0, 4, 11, 16, "CDNA_INST_PC"},
    {0, 4, 12, 12, "CDNA_USERDATA"},
    {0, 4, 13, 8, "CDNA_ISSUE"},
    {0, 4, 14, 16, "CDNA_PERF"},
    {0, 4, 15, 12, "CDNA_REG_CS_PRIV"},
};

Test(sqtt_packets, low_bits_say_kind_and_length)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        nibbles n = {.count = 0};
        pf_sqtt_packet p[ROOM];
        put_header(&n, kinds[i].layout);
        put_packet(&n, kinds[i].low, kinds[i].nibbles);
        put_tail(&n);
        cr_assert_geq(decode_all(&n, p, ROOM), 3);
        cr_assert_str_eq(pf_sqtt_kinds[p[1].kind].name, kinds[i].name);
        cr_assert_eq(p[1].nibble, 16);
        cr_assert_eq(p[2].nibble, 16 + kinds[i].nibbles, "%s", kinds[i].name);
    }
}

/* A few packets at every offset from a byte's boundary: what they say does not depend on where they lie. */
Test(sqtt_packets, any_alignment)
{
    for (unsigned shift = 0; shift < 20; shift++) {
        nibbles n = {.count = 0};
        pf_sqtt_packet p[ROOM];
        put_header(&n, 3);
        put_packet(&n, 0, shift);                           /* NOPs */
        put_packet(&n, 0xfedcba9876543219, 16);             /* REG */
        put_packet(&n, 0x2 | 5 << 4 | 7 << 8 | 3 << 13, 5); /* INST: delta 5, wave 7, JUMP */
        put_packet(&n, 0x3 | 2 << 3 | 31 << 7, 3);          /* VALUINST: delta 2, wave 31 */
        put_tail(&n);
        cr_assert_geq(decode_all(&n, p, ROOM), shift + 4);
        const pf_sqtt_packet *at = p + 1 + shift;
        cr_assert_eq(at[0].raw, 0xfedcba9876543219);
        cr_assert_eq(at[0].time, 1);
        cr_assert_eq(at[1].raw, 0x2 | 5 << 4 | 7 << 8 | 3 << 13);
        cr_assert_eq(at[1].time, 6);
        cr_assert_eq(at[2].time, 8);
        cr_assert_eq(at[2].kind, PF_SQTT_VALUINST);
    }
}

Test(sqtt_packets, a_packet_needs_sixteen_nibbles)
{
    nibbles n = {.count = 0};
    pf_sqtt_packet p[ROOM];
    cr_assert_eq(decode_all(&n, p, ROOM), 0);
    put_packet(&n, 0x11 | 3 << 7, 14);
    cr_assert_eq(decode_all(&n, p, ROOM), 0);
    put_packet(&n, 0, 2);
    cr_assert_eq(decode_all(&n, p, ROOM), 1);
    put_packet(&n, 0, 2); /* too few to be one more */
    cr_assert_eq(decode_all(&n, p, ROOM), 1);
}

/* The steps of the clock by hand: 3 + 4, then 9, then 300. */
Test(sqtt_packets, deltas_move_the_time)
{
    nibbles n = {.count = 0};
    pf_sqtt_packet p[ROOM];
    put_header(&n, 3);
    put_packet(&n, 0x8 | 3 << 4, 2);
    put_packet(&n, 0x51 | 9 << 7, 6);
    put_packet(&n, 0x01 | (uint64_t)300 << 12, 12);
    put_tail(&n);
    cr_assert_geq(decode_all(&n, p, ROOM), 4);
    cr_assert_eq(p[1].time, 7);
    cr_assert_eq(p[2].time, 16);
    cr_assert_eq(p[3].time, 316);
}

Test(sqtt_packets, a_marker_does_not)
{
    for (unsigned layout = 3; layout <= 4; layout++) {
        nibbles n = {.count = 0};
        pf_sqtt_packet p[ROOM];
        uint64_t clock = 0;
        put_header(&n, layout);
        put_packet(&n, 0x01 | 1ull << (layout == 3 ? 9 : 7) | 123456ull << 12, layout == 3 ? 12 : 16);
        put_packet(&n, 0x01 | 1ull << (layout == 3 ? 9 : 7) | 1ull << 8 | 5ull << 12, layout == 3 ? 12 : 16);
        put_tail(&n);
        cr_assert_geq(decode_all(&n, p, ROOM), 3);
        cr_assert(pf_sqtt_is_marker(&p[1], &clock));
        cr_assert_eq(clock, 123456);
        cr_assert_eq(p[1].time, 0);
        cr_assert_not(pf_sqtt_is_marker(&p[2], &clock));
        cr_assert_eq(p[2].time, 5);
    }
}

/* CDNA: a step of MISC is 4 cycles; the first absolute time says where zero is, the second sets the time. */
Test(sqtt_packets, cdna_times)
{
    nibbles n = {.count = 0};
    pf_sqtt_packet p[ROOM];
    put_header(&n, 0);
    put_packet(&n, 10 << 4, 4);
    put_packet(&n, 0x1 | 1000ull << 16, 16);
    put_packet(&n, 0x1 | 0x50 | 9999ull << 16, 16); /* no absolute time */
    put_packet(&n, 0x1 | 2007ull << 16, 16);
    put_tail(&n);
    cr_assert_geq(decode_all(&n, p, ROOM), 5);
    cr_assert_eq(p[1].time, 40);
    cr_assert_eq(p[2].time, 40);
    cr_assert_eq(p[3].time, 40);
    cr_assert_eq(p[4].time, 1044 - 4); /* (2007 - 960) & ~3, less 4 */
}

Test(sqtt_packets, fields_are_where_they_should_be)
{
    unsigned next;
    const pf_sqtt_kind *start = &pf_sqtt_kinds[PF_SQTT_WAVESTART];
    uint64_t raw = 0x0c | 1 << 7 | 2 << 8 | 5 << 10 | 17 << 13;
    uint64_t found[8] = {0};
    for (unsigned i = 0, k = 0; i < PF_SQTT_FIELDS_MAX && start->field[i].name; i = next) {
        found[k++] = pf_sqtt_field_value(start, i, raw, &next);
    }
    const uint64_t expected[] = {0, 1, 2, 5, 17, 0, 13}; /* delta, sa, simd, wgp, wave, id7, cu = 5 + 8 */
    cr_assert_arr_eq(found, expected, sizeof expected);
}

Test(sqtt_packets, names_say_units_and_cycles)
{
    cr_assert_str_eq(pf_sqtt_operation(PF_SQTT_RDNA3, 0x0b), "VALUT_4");
    cr_assert_str_eq(pf_sqtt_operation(PF_SQTT_RDNA4, 0xdd), "OTHER_VMEM_34");
    cr_assert_str_eq(pf_sqtt_operation(PF_SQTT_CDNA, 28), "VALU_MAI");
    cr_assert_null(pf_sqtt_operation(PF_SQTT_RDNA3, 0x02));
    cr_assert_null(pf_sqtt_operation(PF_SQTT_RDNA4, 0xff));
    cr_assert_str_eq(pf_sqtt_operation(PF_SQTT_RDNA4, 0xbc), "OTHER_VMEM_1");
    cr_assert_null(pf_sqtt_operation(PF_SQTT_RDNA4, 0xbb));
    cr_assert_null(pf_sqtt_operation(PF_SQTT_RDNA4, 0xde));
    cr_assert_null(pf_sqtt_operation(PF_SQTT_RDNA4, 256), "beyond the table");
    cr_assert_null(pf_sqtt_operation(PF_SQTT_RDNA3, 128), "beyond the table");
    cr_assert_null(pf_sqtt_operation(PF_SQTT_CDNA, 32), "beyond the table");
    cr_assert_eq(pf_sqtt_unit_of("OTHER_LDS_3"), PF_SQTT_UNIT_LDS_ALT);
    cr_assert_eq(pf_sqtt_unit_of("SMEM_RD"), PF_SQTT_UNIT_SALU);
    cr_assert_eq(pf_sqtt_unit_of("SGMEM_WR_2"), PF_SQTT_UNIT_VMEM);
    cr_assert_eq(pf_sqtt_unit_of("JUMP_NO"), PF_SQTT_UNIT_NONE);
    cr_assert_eq(pf_sqtt_cycles_of("VALUB_16"), 16);
    cr_assert_eq(pf_sqtt_cycles_of("SMEM_RD"), 1);
    cr_assert_eq(pf_sqtt_cycles_of("SALU"), 1);
}
