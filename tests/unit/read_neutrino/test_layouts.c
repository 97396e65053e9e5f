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

/* Lanes are those of the first section whose units belong to warps; a section of threads says 1. */
Test(layouts, lanes_of_v2)
{
    static const unsigned lanes[] = {32, 64};
    for (unsigned i = 0; i < 2; i++) {
        begin(1, 128, 2);
        put(8, 4), put(1, 4), put(64, 8);
        put(16, 4), put(lanes[i], 4), put(64 + 1024, 8);
        placed p = place(64 + 1024 + 16 * 128 / lanes[i], none);
        cr_assert(p.good, "%s: %s", p.fault.field, p.fault.text);
        cr_expect_eq(p.layout, NEUTRINO_V2);
        cr_expect_eq(p.warp, lanes[i]);
        cr_expect_eq(p.s[0].level, NEUTRINO_THREAD);
        cr_expect_eq(p.s[0].units, 128);
        cr_expect_eq(p.s[1].level, NEUTRINO_WARP);
        cr_expect_eq(p.s[1].units, 128 / lanes[i]);
    }
    begin(1, 128, 1);
    put(8, 4), put(1, 4), put(48, 8);
    cr_expect_eq(place(48 + 1024, none).warp, 32, "no section says it");
    neutrino_hints amd = none;
    amd.hip = true;
    cr_expect_eq(place(48 + 1024, amd).warp, 64, "no section says it, the log does");
    amd.forced = NEUTRINO_V2;
    begin(1, 128, 1);
    put(8, 4), put(2, 4), put(48, 8);
    placed p = place(48 + 1024, amd);
    cr_expect(!p.good);
    cr_expect_str_eq(p.fault.field, "section 0 warpDiv");
    cr_expect_str_eq(p.fault.text, "is none of 1, 32 and 64");
    cr_expect_eq(p.fault.offset, 36);
}

/* All words of the header, each of another value. */
Test(layouts, numbers_of_the_header)
{
    begin(1, 1, 0);
    for (unsigned i = 0; i < 7; i++) {
        file[4 * i] = (uint8_t)(i + 2);
    }
    placed p = place(32, none);
    cr_assert(p.good);
    cr_expect(p.h.grid[0] == 2 && p.h.grid[1] == 3 && p.h.grid[2] == 4);
    cr_expect(p.h.block[0] == 5 && p.h.block[1] == 6 && p.h.block[2] == 7);
    cr_expect_eq(p.h.shared, 8);
    cr_expect_eq(p.h.blocks, 24);
    cr_expect_eq(p.h.threads, 210);
    cr_expect_eq(p.layout, NEUTRINO_V2);
    cr_expect_eq(p.warp, 32);
}

/* The second section's unit is what tells v1 from v0, both of which fill the file; without it the first fits. */
Test(layouts, companions_decide_between_layouts_that_fill_the_file)
{
    neutrino_maps maps = {.count = 2};
    maps.map[0] = (neutrino_map){.level = NEUTRINO_WARP, .bytes = 16, .capacity = 1};
    maps.map[1] = (neutrino_map){.level = NEUTRINO_WARP, .bytes = 8, .capacity = 1};
    neutrino_hints hints = {.maps = &maps, .is_run = true, .forced = -1};
    begin(1, 32, 2);
    put(16, 8), put(64, 8);
    put(8, 8), put(80, 8);
    cr_expect_eq(place(88, hints).layout, NEUTRINO_V1, "one unit a section: both are the same, v1 comes first");
    maps.map[1].capacity = 2;
    cr_expect_eq(place(88, hints).layout, NEUTRINO_V1, "neither agrees: the likeliest");
    begin(2, 32, 2);
    put(16, 8), put(64, 8);
    put(16, 8), put(80, 8);
    maps.map[0].bytes = 8;
    maps.map[1].capacity = 1;
    placed p = place(96, hints);
    cr_expect_eq(p.layout, NEUTRINO_V0);
    cr_expect_eq(p.s[0].unit_bytes, 8);
    cr_expect_eq(p.s[1].unit_bytes, 8);
}

Test(layouts, a_word_of_zero_that_nothing_explains)
{
    neutrino_hints run = none;
    run.is_run = true;
    begin(2, 32, 1);
    put(16, 8), put(48, 8);
    placed p = place(48 + 17, run);
    cr_expect(!p.good);
    cr_expect_str_eq(p.fault.field, "section 0 warpDiv");
    cr_expect_str_eq(p.fault.text, "is 0, and neither layout v1 nor v0 fills the file");
    p = place(48 + 32, none);
    cr_expect(!p.good);
    cr_expect_str_eq(p.fault.text,
                     "is 0, and no event.log or kernel.info says that the trace is older than this field; "
                     "if it is, say --layout v1 or v0");
}

Test(layouts, where_the_data_begins)
{
    static const struct {
        uint64_t offset;
        const char *text;
    } cases[] = {{47, "lies inside the header"},
                 {49, "is not the end of the section headers"},
                 {111, "is not the end of the section headers"},
                 {112, "lies past the end of the file"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(2, 64, 1);
        put(16, 4), put(32, 4), put(cases[i].offset, 8);
        placed p = place(112, none);
        cr_expect(!p.good);
        cr_expect_str_eq(p.fault.text, cases[i].text, "%zu", i);
        cr_expect_str_eq(p.fault.field, "section 0 offset");
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

Test(layouts, faults_of_the_header)
{
    static const struct {
        uint32_t words[8];
        size_t size;
        const char *field, *text; /* "": none */
        uint64_t offset;
    } cases[] = {
        {{1, 1, 1, 1, 1, 1, 0, 0}, 32, "", "", 0},
        {{1, 1, 1, 1, 1, 1, 0, 0}, 31, "numSections", "the header of 32 bytes is truncated", 31},
        {{1, 1, 1, 1, 1, 1, 0, 0}, 8, "gridDimZ", "the header of 32 bytes is truncated", 8},
        {{1, 1, 1, 1, 1, 1, 0, 0}, 1, "gridDimX", "the header of 32 bytes is truncated", 1},
        {{1, 1, 1, 1, 1, 1, 0, 0}, 0, "gridDimX", "the file is empty", 0},
        {{0, 1, 1, 1, 1, 1, 0, 0}, 32, "gridDimX", "is 0", 0},
        {{1, 1, 1, 0, 1, 1, 0, 0}, 32, "blockDimX", "is 0", 12},
        {{1, 1, 1, 1, 1, 0, 0, 0}, 32, "blockDimZ", "is 0", 20},
        {{65535, 65537, 1, 1, 1, 1, 0, 0}, 32, "", "", 0},
        {{65536, 65536, 1, 1, 1, 1, 0, 0}, 32, "gridDim", "the number of blocks overflows", 0},
        {{1u << 31, 1u << 31, 4, 1, 1, 1, 0, 0}, 32, "gridDim", "the number of blocks overflows", 0},
        {{1, 1, 1, 1024, 1024, 1, 0, 0}, 32, "", "", 0},
        {{1, 1, 1, 1024, 1, 1025, 0, 0}, 32, "blockDim", "the number of threads of a block overflows", 12},
        {{1, 1, 1, 1u << 31, 1u << 31, 4, 0, 0}, 32, "blockDim", "the number of threads of a block overflows", 12},
        {{1, 1, 1, 1, 1, 1, 0, 2}, 64, "", "", 0},
        {{1, 1, 1, 1, 1, 1, 0, 2}, 63, "numSections", "the file has not that many section headers", 28},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        neutrino_header h;
        neutrino_fault fault = {.field = "", .text = "", .offset = 0};
        begin(1, 1, 0);
        length = 0;
        for (unsigned k = 0; k < 8; k++) {
            put(cases[i].words[k], 4);
        }
        cr_expect_eq(pf_neutrino_read_header(file, cases[i].size, &h, &fault), !*cases[i].field, "case %zu", i);
        cr_expect_str_eq(fault.field, cases[i].field, "case %zu: %s", i, fault.field);
        cr_expect_str_eq(fault.text, cases[i].text, "case %zu: %s", i, fault.text);
        cr_expect_eq(fault.offset, cases[i].offset, "case %zu", i);
    }
}

/* Two sections of 64 bytes that do not fill the file: the second lies where its header says if that is possible. */
Test(layouts, stored_offsets_are_used_where_they_fit)
{
    static const struct {
        uint64_t stored;
        size_t size;
        uint64_t offset, complete[2];
    } cases[] = {{128, 192, 128, {4, 4}}, {140, 204, 140, {4, 4}}, {141, 204, 128, {4, 4}},
                 {127, 204, 128, {4, 4}}, {205, 204, 128, {4, 4}}, {UINT64_MAX, 204, 128, {4, 4}},
                 {128, 191, 128, {4, 3}}, {128, 128, 128, {4, 0}}, {128, 100, 128, {2, 0}},
                 {140, 300, 140, {4, 4}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(4, 32, 2);
        put(16, 4), put(32, 4), put(64, 8);
        put(16, 4), put(32, 4), put(cases[i].stored, 8);
        placed p = place(cases[i].size, none);
        cr_assert(p.good, "case %zu: %s %s", i, p.fault.field, p.fault.text);
        cr_expect_eq(p.s[0].offset, 64, "case %zu", i);
        cr_expect_eq(p.s[1].offset, cases[i].offset, "case %zu: %llu", i, (unsigned long long)p.s[1].offset);
        for (unsigned k = 0; k < 2; k++) {
            cr_expect_eq(p.s[k].complete, cases[i].complete[k], "case %zu", i);
        }
    }
}

/* No byte of the data is read here, so the file may be said to be as long as we like. */
Test(layouts, lengths_of_hip_that_wrapped)
{
    const uint64_t wrap = (uint64_t)1 << 32;
    begin(1, 64, 1);
    put(16, 4), put(7, 4), put(48, 8);
    cr_expect_eq(place(48 + wrap + 16, none).s[0].length, wrap + 16);
    cr_expect_eq(place(48 + wrap + 17, none).s[0].length, 16, "longer than that");
    cr_expect_eq(place(48 + 16, none).s[0].length, 16);
    begin(1, 64, 2);
    put(16, 4), put(7, 4), put(64, 8);
    put(16, 4), put(7, 4), put(80, 8);
    cr_expect_eq(place(64 + wrap + 16, none).s[0].length, 16, "one of two");
}

/* 4 blocks of 64 threads: 8 warps, 256 threads. Of a section whose level nobody says the unit tells it. */
Test(layouts, levels_that_companions_leave_out)
{
    static const struct {
        neutrino_layout layout;
        neutrino_level level, in_kernel;
        uint64_t bytes, capacity, kernel_unit, size, units, unit; /* units 0: the size fits nothing */
    } cases[] = {
        {NEUTRINO_V0, 0, 0, 16, 1, 0, 4096, 256, 16},
        {NEUTRINO_V0, 0, 0, 256, 2, 0, 4096, 8, 512},
        {NEUTRINO_V0, 0, 0, 0, 0, 0, 4096, 8, 512},
        {NEUTRINO_V0, 0, 0, 16, 0, 16, 4096, 256, 16},
        {NEUTRINO_V0, 0, 0, 0, 5, 16, 4096, 256, 16},
        {NEUTRINO_V0, 0, NEUTRINO_THREAD, 0, 0, 0, 4096, 256, 16},
        {NEUTRINO_V0, NEUTRINO_WARP, NEUTRINO_THREAD, 0, 0, 0, 4096, 8, 512},
        {NEUTRINO_V0, 0, 0, 0, 0, 0, 24, 8, 3},
        {NEUTRINO_V0, 0, 0, 16, 1, 0, 24, 0, 0},
        {NEUTRINO_V0, 0, 0, 0, 0, 0, 20, 0, 0},
        {NEUTRINO_V0, NEUTRINO_THREAD, 0, 0, 0, 0, 24, 0, 0},
        {NEUTRINO_V1, 0, 0, 0, 0, 0, 16, 8, 16},
        {NEUTRINO_V1, 0, NEUTRINO_THREAD, 0, 0, 0, 16, 256, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        neutrino_maps maps = {.count = 1}, kernel = {.count = 1};
        maps.map[0] = (neutrino_map){.level = cases[i].level, .bytes = cases[i].bytes, .capacity = cases[i].capacity};
        kernel.map[0] = (neutrino_map){.level = cases[i].in_kernel, .unit = cases[i].kernel_unit};
        begin(4, 64, 1);
        put(cases[i].size, 8), put(48, 8);
        placed p = place(48 + 4096, (neutrino_hints){.maps = &maps, .kernel = &kernel, .forced = (int)cases[i].layout});
        if (!cases[i].units) {
            cr_expect(!p.good && strcmp(p.fault.text, "is not a multiple of the number of units") == 0, "case %zu", i);
            continue;
        }
        cr_assert(p.good, "case %zu: %s", i, p.fault.text);
        cr_expect_eq(p.s[0].units, cases[i].units, "case %zu", i);
        cr_expect_eq(p.s[0].unit_bytes, cases[i].unit, "case %zu", i);
    }
}
