/* Telling the layouts of binary traces apart, and where sections lie. Files are made here, word by word. */
#include <criterion/criterion.h>
#include <string.h>

#include "read/neutrino/section_layout.h"

enum { ROOM = 8192 };
static uint8_t file[ROOM];
static size_t length;

static void put(uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        file[length++] = (uint8_t)(v >> 8 * i);
    }
}

/* A header of `blocks` blocks of `threads`, with room for the section headers still to come. */
static void begin(uint32_t blocks, uint32_t threads, uint32_t sections)
{
    memset(file, 0, sizeof file);
    length = 0;
    const uint32_t words[8] = {blocks, 1, 1, threads, 1, 1, 0, sections};
    for (unsigned i = 0; i < 8; i++) {
        put(words[i], 4);
    }
}

typedef struct placed {
    bool good;
    neutrino_header h;
    neutrino_section s[4];
    neutrino_layout layout;
    unsigned warp;
    neutrino_fault fault;
} placed;

static placed place(size_t size, neutrino_hints hints)
{
    placed p;
    p.good = pf_neutrino_read_header(file, size, &p.h, &p.fault) &&
             pf_neutrino_place_sections(file, size, &p.h, &hints, p.s, &p.layout, &p.warp, &p.fault);
    return p;
}

static const neutrino_hints none = {.forced = -1};

Test(layouts, v2_rounds_warps_up_in_each_block)
{
    begin(3, 40, 2); /* 2 warps a block */
    put(16, 4), put(32, 4), put(64, 8);
    put(8, 4), put(1, 4), put(64 + 3 * 40 * 16 / 32, 8); /* as the writer rounds it down */
    placed p = place(64 + 6 * 16 + 120 * 8, none);
    cr_assert(p.good, "%s: %s", p.fault.field, p.fault.text);
    cr_expect_eq(p.layout, NEUTRINO_V2);
    cr_expect_eq(p.s[0].units, 6);
    cr_expect_eq(p.s[1].offset, 64 + 96);
    cr_expect_eq(p.s[1].stored_offset, 64 + 60);
    cr_expect_eq(p.s[1].complete, 120);
}

Test(layouts, a_word_of_zero_is_believed_in_a_run_only)
{
    neutrino_hints run = none;
    run.is_run = true;
    begin(4, 64, 1);
    put(16, 8), put(48, 8);
    placed p = place(48 + 8 * 16, none);
    cr_expect(!p.good);
    cr_expect_str_eq(p.fault.field, "section 0 warpDiv");
    p = place(48 + 8 * 16, run);
    cr_expect(p.good);
    cr_expect_eq(p.layout, NEUTRINO_V1);
    begin(4, 64, 1);
    put(128, 8), put(48, 8);
    p = place(48 + 128, run);
    cr_expect(p.good);
    cr_expect_eq(p.layout, NEUTRINO_V0);
    cr_expect_eq(p.s[0].unit_bytes, 16);
    run.hip = true;
    p = place(48 + 128, run);
    cr_expect(p.good && p.warp == 64 && p.s[0].unit_bytes == 32, "4 blocks of a warp of 64 lanes");
}

Test(layouts, hip_has_any_word_also_one_of_v2)
{
    static const uint32_t words[] = {7, 32, 1, 64, UINT32_MAX};
    for (unsigned i = 0; i < 5; i++) {
        begin(4, 64, 1);
        put(64, 4), put(words[i], 4), put(48, 8);
        placed p = place(48 + 64, none);
        cr_assert(p.good, "%u", words[i]);
        cr_expect_eq(p.layout, NEUTRINO_HIP, "%u", words[i]);
        cr_expect_eq(p.s[0].unit_bytes, 16);
        cr_expect_eq(p.warp, 64);
    }
}

Test(layouts, units_that_companions_contradict_are_no_sign)
{
    neutrino_maps maps = {.count = 1};
    maps.map[0] = (neutrino_map){.level = NEUTRINO_WARP, .bytes = 16, .capacity = 1};
    neutrino_hints hints = {.maps = &maps, .forced = -1};
    begin(4, 32, 1);
    put(16, 4), put(32, 4), put(48, 8);
    placed p = place(48 + 16, hints); /* cut: 16 bytes would be the whole section of hip */
    cr_assert(p.good);
    cr_expect_eq(p.layout, NEUTRINO_V2);
    cr_expect_eq(p.s[0].complete, 1);
}

Test(layouts, no_count_is_trusted)
{
    begin(UINT32_MAX, UINT32_MAX, 1);
    cr_expect(!place(64, none).good);
    begin(UINT32_MAX, 1024, 1);
    put(UINT32_MAX, 4), put(1, 4), put(48, 8);
    placed p = place(64, none);
    cr_expect(!p.good && strcmp(p.fault.field, "section 0 size") == 0, "the length overflows");
    begin(1, 1, UINT32_MAX);
    p = place(4096, none);
    cr_expect(!p.good && strcmp(p.fault.field, "numSections") == 0);
    begin(1, 1, 1);
    put(8, 4), put(1, 4), put(UINT64_MAX, 8);
    p = place(64, none);
    cr_expect(!p.good && strcmp(p.fault.field, "section 0 offset") == 0);
    for (size_t size = 0; size < 32; size++) {
        cr_expect(!place(size, none).good, "%zu", size);
    }
}
