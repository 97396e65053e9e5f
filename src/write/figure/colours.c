/* write/figure/colours.c - the palette: colours that people who are colour-blind tell apart, after Okabe and Ito, with
 * the contrast of 3 to 1 that graphics need on light and on dark paper; and what they mean. */
#include "base/str.h"
#include "write/figure/canvas.h"

enum { BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY, OLIVE, GREY };
enum { FULL, PALE, DEEP };

static const uint32_t hues[HUES][2] = {
    [BLUE] = {0x0072b2, 0x4da3db},   [ORANGE] = {0xc77700, 0xe69f00},    [GREEN] = {0x008f68, 0x2eb58c},
    [PURPLE] = {0xb0497f, 0xd98cb3}, [VERMILION] = {0xd55e00, 0xf07a2e}, [SKY] = {0x3a9ad9, 0x7cc8f5},
    [OLIVE] = {0x857500, 0xcdbb3a},  [GREY] = {0x7a7a7a, 0x9a9a9a},
};

static const uint32_t others[ALL_COLOURS - COLOURS][2] = {
    [INK - COLOURS] = {0x1f2328, 0xe6e6e8},   [MUTED - COLOURS] = {0x59636e, 0xa8afb8},
    [GRID - COLOURS] = {0xdfe3e8, 0x3a3d44},  [HEAT - COLOURS] = {0x003f6b, 0xa5d8ff},
    [PAPER - COLOURS] = {0xffffff, 0x1b1b1f},
};

/* Words that never stand in one figure may share a colour; where they do, the second gets another one. */
static const struct {
    const char *word;
    uint8_t hue, tone;
} meanings[] = {
    {"compute", BLUE, FULL},       {"communication", ORANGE, FULL},
    {"memcpy", SKY, FULL},         {"memset", SKY, PALE},
    {"idle", GREY, PALE},          {"waiting", VERMILION, PALE},
    {"host", GREEN, FULL},         {"launch", OLIVE, FULL},
    {"sync", PURPLE, PALE},        {"lock", PURPLE, FULL},
    {"stream", OLIVE, DEEP},       {"memory", GREEN, DEEP},
    {"cache", GREEN, PALE},        {"stall", VERMILION, FULL},
    {"busy", BLUE, DEEP},          {"queue", OLIVE, PALE},
    {"other", GREY, FULL},         {"faster", BLUE, PALE},
    {"slower", VERMILION, DEEP},   {"new", PURPLE, DEEP},
    {"gone", GREY, DEEP},          {"same", GREY, PALE},
    {"total", GREY, DEEP},         {"energy", ORANGE, DEEP},
    {"power", ORANGE, PALE},       {"read", SKY, DEEP},
    {"write", ORANGE, FULL},       {"free", GREY, PALE},
    {"too long", VERMILION, DEEP}, {"too short", BLUE, PALE},
    {"model only", PURPLE, DEEP},  {"not modelled", GREY, PALE},
    {"model", BLUE, FULL},         {"measured", ORANGE, FULL},
    {"hit", BLUE, FULL},           {"partly", SKY, FULL},
    {"miss", ORANGE, PALE},
};

static uint32_t mixed(uint32_t a, uint32_t b, unsigned percent_of_b)
{
    uint32_t out = 0;
    for (unsigned shift = 0; shift < 24; shift += 8) {
        unsigned x = a >> shift & 255, y = b >> shift & 255;
        out |= ((x * (100 - percent_of_b) + y * percent_of_b) / 100) << shift;
    }
    return out;
}

uint32_t pf_colour(unsigned colour, bool dark)
{
    if (colour >= COLOURS) {
        return others[colour - COLOURS][dark];
    }
    uint32_t full = hues[colour / TONES][dark];
    switch (colour % TONES) {
    case PALE:
        return mixed(full, others[PAPER - COLOURS][dark], 45);
    case DEEP:
        return mixed(full, others[INK - COLOURS][dark], 45);
    default:
        return full;
    }
}

unsigned pf_colour_of_word(pf_str word)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (pf_str_is(word, meanings[i].word)) {
            return meanings[i].hue * TONES + meanings[i].tone;
        }
    }
    return ALL_COLOURS;
}
