/* analyze/tinygrad/timeline/tg_layout.c - the order in which tinygrad's viewer shows tracks. */
#include <string.h>

#include "analyze/tinygrad/timeline/tg_timeline.h"
#include "base/str.h"
#include "model/trace/trace.h"

/* What a track is sorted by, from the most to the least significant. */
typedef struct place {
    bool memory; /* later generations show memory last */
    unsigned rank;
    pf_str first;  /* the first word in the first generation, else the device and its number, as text */
    size_t length; /* first generation: of the name */
    pf_str name;   /* later generations */
} place;

/* The first generation goes by what the name begins with, later ones by the device's whole name. */
static unsigned rank_of(pf_str name, pf_str device, bool first_generation)
{
    static const char *const special[] = {"GC", "USER", "TINY", "DISK"};
    pf_str s = first_generation ? name : device;
    for (unsigned i = 0; i < 4; i++) {
        const pf_str word = pf_str_of(special[i]);
        if (first_generation ? pf_str_starts(s, word) : pf_str_equal(s, word)) {
            return i == 3 ? 999 : i;
        }
    }
    return 100;
}

static pf_str until(pf_str s, char end)
{
    const char *found = s.len ? memchr(s.ptr, end, s.len) : NULL;
    return (pf_str){s.ptr, found ? (size_t)(found - s.ptr) : s.len};
}

/* "AMD:1:SDMA:0" is of device AMD:1, "AMD:SDMA:0" of AMD. */
static pf_str with_number(pf_str word, pf_str device)
{
    size_t digits = device.len + 1, end = digits;
    while (end < word.len && pf_is_digit(word.ptr[end])) {
        end++;
    }
    bool number = end > digits && (end == word.len || word.ptr[end] == ':');
    return number ? (pf_str){word.ptr, end} : device;
}

static place place_of(const tg_timeline *l, uint32_t track)
{
    pf_str name = l->tracks[track].name, word = until(name, ' '), device = until(word, ':');
    if (l->in->generation == TG_DEC25) {
        return (place){.rank = rank_of(name, device, true), .first = word, .length = name.len};
    }
    return (place){.memory = pf_str_ends(name, PF_STR(" Memory")),
                   .rank = rank_of(name, device, false),
                   .first = with_number(word, device),
                   .name = name};
}

static bool is_after(const void *ctx, uint32_t track, uint32_t other)
{
    const place a = place_of(ctx, track), b = place_of(ctx, other);
    if (a.memory != b.memory || a.rank != b.rank) {
        return a.memory != b.memory ? a.memory : a.rank > b.rank;
    }
    int order = pf_str_compare(a.first, b.first);
    if (order == 0 && a.length != b.length) {
        return a.length > b.length;
    }
    return (order ? order : pf_str_compare(a.name, b.name)) > 0;
}

void pf_tg_sort_tracks(tg_timeline *l, uint32_t *scratch)
{
    pf_order_rows(l->layout, scratch, l->track_count, is_after, l);
}
