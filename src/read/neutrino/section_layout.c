/* read/neutrino/section_layout.c - telling the four layouts apart (docs/reference/neutrino.md, "Which layout").
 *
 * A trace has no magic number and no version. What the layouts share is the grid, the number of sections and the place
 * of each offset; the other words of a section header mean different things. So every layout is tried: it says how long
 * each section would be, and the lengths of the right one fill the file exactly. The second word of the first section
 * says which layout comes first, because some files fit two; where none fits, that one is taken and the file is cut,
 * has bytes to spare, or is refused.
 */
#include "read/neutrino/section_layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *pf_neutrino_layout_name(neutrino_layout l)
{
    static const char *const names[NEUTRINO_LAYOUTS] = {"v2", "v1", "v0", "hip"};
    return names[l];
}

bool pf_neutrino_fault_at(neutrino_fault *f, uint64_t offset, const char *field, const char *text)
{
    snprintf(f->field, sizeof f->field, "%s", field);
    snprintf(f->text, sizeof f->text, "%s", text);
    f->offset = offset;
    return false;
}

bool pf_neutrino_fault_in(neutrino_fault *f, uint32_t i, unsigned at, const char *field, const char *text)
{
    char name[64];
    snprintf(name, sizeof name, "section %" PRIu32 " %s", i, field);
    return pf_neutrino_fault_at(f, NEUTRINO_HEADER + (uint64_t)i * NEUTRINO_SECTION_HEADER + at, name, text);
}

static bool product(const uint32_t *n, uint64_t *out)
{
    uint64_t xy = (uint64_t)n[0] * n[1];
    return !__builtin_mul_overflow(xy, (uint64_t)n[2], out);
}

bool pf_neutrino_read_header(const uint8_t *file, size_t size, neutrino_header *h, neutrino_fault *f)
{
    static const char *const names[8] = {"gridDimX",  "gridDimY",  "gridDimZ",       "blockDimX",
                                         "blockDimY", "blockDimZ", "sharedMemBytes", "numSections"};
    uint32_t word[8];
    *h = (neutrino_header){.sections = 0};
    for (unsigned i = 0; i < 8; i++) {
        if (size < 4 * (i + 1)) {
            return pf_neutrino_fault_at(f, size, names[i],
                                        size ? "the header of 32 bytes is truncated" : "the file is empty");
        }
        word[i] = pf_little_u32(file + 4 * i);
        if (i < 6 && word[i] == 0) {
            return pf_neutrino_fault_at(f, 4 * i, names[i], "is 0");
        }
    }
    memcpy(h->grid, word, sizeof h->grid);
    memcpy(h->block, word + 3, sizeof h->block);
    h->shared = word[6];
    h->sections = word[7];
    if (!product(h->grid, &h->blocks) || h->blocks > UINT32_MAX) {
        return pf_neutrino_fault_at(f, 0, "gridDim", "the number of blocks overflows");
    }
    if (!product(h->block, &h->threads) || h->threads > 1u << 20) {
        return pf_neutrino_fault_at(f, 12, "blockDim", "the number of threads of a block overflows");
    }
    if (h->sections > (size - NEUTRINO_HEADER) / NEUTRINO_SECTION_HEADER) {
        return pf_neutrino_fault_at(f, 28, "numSections", "the file has not that many section headers");
    }
    return true;
}

/* Of a file with a section at least. */
typedef struct attempt {
    const uint8_t *file;
    size_t size;
    const neutrino_header *h;
    const neutrino_hints *hints;
    neutrino_section *s;
    unsigned warp;
    neutrino_fault *fault;
} attempt;

static const uint8_t *header_of(const attempt *a, uint32_t i)
{
    return a->file + NEUTRINO_HEADER + (size_t)i * NEUTRINO_SECTION_HEADER;
}

static uint64_t data_start(const attempt *a)
{
    return NEUTRINO_HEADER + (uint64_t)a->h->sections * NEUTRINO_SECTION_HEADER;
}

static const neutrino_map *map_at(const neutrino_maps *m, uint32_t i)
{
    return m && i < m->count ? &m->map[i] : NULL;
}

/* The level of a section as companions say it. */
static neutrino_level known_level(const attempt *a, uint32_t i)
{
    const neutrino_map *m = map_at(a->hints->maps, i), *k = map_at(a->hints->kernel, i);
    return m && m->level ? m->level : k ? k->level : NEUTRINO_ANY_LEVEL;
}

/* The bytes of a unit as companions say them; 0: not known. */
static uint64_t known_unit(const attempt *a, uint32_t i)
{
    const neutrino_map *m = map_at(a->hints->maps, i), *k = map_at(a->hints->kernel, i);
    return m && m->bytes && m->capacity ? m->bytes * m->capacity : k ? k->unit : 0;
}

static void count_units(const attempt *a, neutrino_section *s, neutrino_level level)
{
    uint64_t threads = a->h->threads;
    s->level = level;
    s->units_per_block = level == NEUTRINO_WARP ? (threads + a->warp - 1) / a->warp : threads;
    s->units = a->h->blocks * s->units_per_block; /* at most 2^32 * 2^20 */
}

/* From the bytes of a unit. */
static bool by_unit(const attempt *a, uint32_t i, uint64_t unit, neutrino_level level)
{
    neutrino_section *s = &a->s[i];
    count_units(a, s, level);
    s->unit_bytes = unit;
    if (__builtin_mul_overflow(unit, s->units, &s->length)) {
        return pf_neutrino_fault_in(a->fault, i, 0, "size", "times the number of units overflows");
    }
    return true;
}

/* From the bytes of the section; those of a unit must come out whole. */
static bool by_length(const attempt *a, uint32_t i, uint64_t length)
{
    neutrino_section *s = &a->s[i];
    neutrino_level level = known_level(a, i);
    uint64_t unit = known_unit(a, i);
    count_units(a, s, level ? level : NEUTRINO_WARP);
    if (!level && (length % s->units || (unit && length / s->units != unit))) {
        count_units(a, s, NEUTRINO_THREAD);
    }
    if (length % s->units) {
        return pf_neutrino_fault_in(a->fault, i, 0, "size", "is not a multiple of the number of units");
    }
    s->length = length;
    s->unit_bytes = length / s->units;
    return true;
}

/* A 32-bit length wraps for sections of 4 GiB and more; the only section of a file goes to its end. */
static uint64_t unwrap(const attempt *a, uint32_t length)
{
    uint64_t there = a->size - data_start(a);
    bool wrapped = a->h->sections == 1 && there > UINT32_MAX && (uint32_t)there == length;
    return wrapped ? there : length;
}

static bool measure_section(const attempt *a, uint32_t i, neutrino_layout l)
{
    const uint8_t *p = header_of(a, i);
    uint64_t wide = pf_little_u64(p);
    uint32_t narrow = pf_little_u32(p), lanes = pf_little_u32(p + 4);
    neutrino_level level = known_level(a, i);
    a->s[i].stored_offset = pf_little_u64(p + 8);
    if (l == NEUTRINO_V2 || l == NEUTRINO_HIP ? narrow == 0 : wide == 0) {
        return pf_neutrino_fault_in(a->fault, i, 0, "size", "is 0");
    }
    switch (l) {
    case NEUTRINO_V2:
        if (lanes != 1 && lanes != 32 && lanes != 64) {
            return pf_neutrino_fault_in(a->fault, i, 4, "warpDiv", "is none of 1, 32 and 64");
        }
        return by_unit(a, i, narrow, lanes == 1 ? NEUTRINO_THREAD : NEUTRINO_WARP);
    case NEUTRINO_V1:
        return by_unit(a, i, wide, level ? level : NEUTRINO_WARP);
    case NEUTRINO_V0:
        return by_length(a, i, wide);
    default:
        return by_length(a, i, unwrap(a, narrow));
    }
}

/* Lanes of a warp: what v2 says, 64 for AMD, else 32. */
static unsigned lanes_of(const attempt *a, neutrino_layout l)
{
    for (uint32_t i = 0; l == NEUTRINO_V2 && i < a->h->sections; i++) {
        uint32_t lanes = pf_little_u32(header_of(a, i) + 4);
        if (lanes == 32 || lanes == 64) {
            return lanes;
        }
    }
    return l == NEUTRINO_HIP || a->hints->hip ? 64 : 32;
}

/* Where sections lie if each begins where the one before it ends; returns the end of the last. */
static uint64_t true_end(const attempt *a)
{
    uint64_t at = data_start(a);
    for (uint32_t i = 0; i < a->h->sections; i++) {
        a->s[i].offset = at;
        if (__builtin_add_overflow(at, a->s[i].length, &at)) {
            return UINT64_MAX;
        }
    }
    return at;
}

/* Whether the stored offsets lie in the file, in order, each section ending before the next begins. */
static bool stored_offsets_fit(const attempt *a)
{
    uint64_t at = data_start(a);
    for (uint32_t i = 0; i < a->h->sections; i++) {
        const neutrino_section *s = &a->s[i];
        if (s->stored_offset < at || s->stored_offset > a->size || s->length > a->size - s->stored_offset) {
            return false;
        }
        at = s->stored_offset + s->length;
    }
    return true;
}

/* Whether units are as long as companions say. */
static bool units_agree(const attempt *a)
{
    bool agree = true;
    for (uint32_t i = 0; i < a->h->sections; i++) {
        uint64_t unit = known_unit(a, i);
        agree &= unit == 0 || unit == a->s[i].unit_bytes;
    }
    return agree;
}

/* Measures all sections; *exact: they fill the file, and nothing that is known contradicts. */
static bool measure(attempt *a, neutrino_layout l, bool *exact)
{
    a->warp = lanes_of(a, l);
    *exact = false;
    for (uint32_t i = 0; i < a->h->sections; i++) {
        if (!measure_section(a, i, l)) {
            return false;
        }
    }
    *exact = true_end(a) == a->size && units_agree(a);
    return true;
}

/* The layouts to try, the likeliest first. */
static unsigned candidates(const attempt *a, neutrino_layout *list)
{
    uint32_t second = pf_little_u32(header_of(a, 0) + 4);
    if (a->hints->forced >= 0) {
        list[0] = (neutrino_layout)a->hints->forced;
        return 1;
    }
    if (second == 0) {
        list[0] = NEUTRINO_V1;
        list[1] = NEUTRINO_V0;
        return 2;
    }
    list[0] = second == 1 || second == 32 || second == 64 ? NEUTRINO_V2 : NEUTRINO_HIP;
    list[1] = NEUTRINO_HIP;
    return list[0] == NEUTRINO_V2 ? 2 : 1;
}

/* A word of 0 where v2 has its lanes is what v1 and v0 look like, and also a v2 whose word was lost: the numbers alone
 * do not tell. A run as the driver leaves it is believed, a file on its own is not. */
static bool check_zero_lanes(const attempt *a, neutrino_layout l)
{
    bool zero = pf_little_u32(header_of(a, 0) + 4) == 0;
    if (a->hints->forced >= 0 || !zero || l == NEUTRINO_V2 || l == NEUTRINO_HIP || a->hints->is_run) {
        return true;
    }
    return pf_neutrino_fault_in(
        a->fault, 0, 4, "warpDiv",
        "is 0, and no event.log or kernel.info says that the trace is older than this field; if it is, "
        "say --layout v1 or v0");
}

static void keep_complete_units(const attempt *a)
{
    for (uint32_t i = 0; i < a->h->sections; i++) {
        neutrino_section *s = &a->s[i];
        uint64_t there = s->offset < a->size ? a->size - s->offset : 0;
        uint64_t whole = there / s->unit_bytes;
        s->complete = whole < s->units ? whole : s->units;
    }
}

static bool check_first_offset(const attempt *a)
{
    uint64_t first = pf_little_u64(header_of(a, 0) + 8);
    if (first == data_start(a)) {
        return true;
    }
    return pf_neutrino_fault_in(a->fault, 0, 8, "offset",
                                first >= a->size        ? "lies past the end of the file"
                                : first < data_start(a) ? "lies inside the header"
                                                        : "is not the end of the section headers");
}

/* Takes the first layout that fills the file; else the likeliest that makes sense at all. */
static bool choose(attempt *a, neutrino_layout *layout)
{
    neutrino_layout list[2];
    bool exact = false;
    unsigned count = candidates(a, list);
    for (unsigned i = 0; i < count && !exact; i++) {
        *layout = list[i];
        measure(a, list[i], &exact);
    }
    if (exact) {
        return true;
    }
    *layout = list[0];
    if (!measure(a, list[0], &exact)) {
        return false;
    }
    if (pf_little_u32(header_of(a, 0) + 4) == 0 && a->hints->forced < 0) {
        return pf_neutrino_fault_in(a->fault, 0, 4, "warpDiv", "is 0, and neither layout v1 nor v0 fills the file");
    }
    return true;
}

bool pf_neutrino_place_sections(const uint8_t *file, size_t size, const neutrino_header *h, const neutrino_hints *hints,
                                neutrino_section *s, neutrino_layout *layout, unsigned *warp, neutrino_fault *fault)
{
    attempt a = {file, size, h, hints, s, 32, fault};
    *layout = NEUTRINO_V2;
    *warp = 32;
    if (h->sections == 0) {
        return true;
    }
    if (!check_first_offset(&a) || !choose(&a, layout) || !check_zero_lanes(&a, *layout)) {
        return false;
    }
    *warp = a.warp;
    bool stored = true_end(&a) != size && stored_offsets_fit(&a);
    for (uint32_t i = 0; i < h->sections && stored; i++) {
        s[i].offset = s[i].stored_offset;
    }
    keep_complete_units(&a);
    return true;
}
