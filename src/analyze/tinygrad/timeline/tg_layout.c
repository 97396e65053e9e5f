/* analyze/tinygrad/timeline/tg_layout.c - the order in which tinygrad's viewer shows tracks. */
#include <string.h>

#include "analyze/tinygrad/timeline/tg_timeline.h"
#include "base/str.h"
#include "model/trace/trace.h"

/* What a track is sorted by, from the most to the least significant. */
typedef struct place {
    bool memory; /* later generations show memory last */
    unsigned rank;
    pf_str first; /* the first word in the first generation, else the device's name without its number */
    uint64_t number;
    pf_str name;
} place;

static unsigned rank_of(pf_str name)
{
    static const char *const prefixes[] = {"GC", "USER", "TINY"};
    for (unsigned i = 0; i < 3; i++) {
        size_t len = strlen(prefixes[i]);
        if (name.len >= len && memcmp(name.ptr, prefixes[i], len) == 0) {
            return i;
        }
    }
    return name.len >= 4 && memcmp(name.ptr, "DISK", 4) == 0 ? 999 : 4;
}

static pf_str until(pf_str s, const char *ends)
{
    size_t n = 0;
    while (n < s.len && !strchr(ends, s.ptr[n])) {
        n++;
    }
    return (pf_str){s.ptr, n};
}

/* "AMD:1:SDMA:0" is of device AMD, number 1; "AMD:SDMA:0" of number 0. */
static uint64_t number_of(pf_str name)
{
    uint64_t v = 0;
    size_t at = until(name, ": ").len;
    for (at += at < name.len && name.ptr[at] == ':'; at < name.len; at++) {
        if (name.ptr[at] < '0' || name.ptr[at] > '9' || v > 1u << 24) {
            break;
        }
        v = v * 10 + (uint64_t)(name.ptr[at] - '0');
    }
    return v;
}

static place place_of(const tg_timeline *l, uint32_t track)
{
    const tg_track *t = &l->tracks[track];
    bool first = l->in->first_generation;
    return (place){.memory = !first && t->kind == TG_MEMORY,
                   .rank = rank_of(t->name),
                   .first = until(t->name, first ? " " : ": "),
                   .number = first ? t->name.len : number_of(t->name),
                   .name = t->name};
}

static int compare(const place *a, const place *b, bool first_generation)
{
    if (a->memory != b->memory) {
        return a->memory - b->memory;
    }
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    int order = pf_str_compare(a->first, b->first);
    if (order == 0 && a->number != b->number) {
        order = a->number < b->number ? -1 : 1;
    }
    return order || first_generation ? order : pf_str_compare(a->name, b->name);
}

static bool is_after(const void *ctx, uint32_t a, uint32_t b)
{
    const tg_timeline *l = ctx;
    place one = place_of(l, a), other = place_of(l, b);
    return compare(&one, &other, l->in->first_generation) > 0;
}

void pf_tg_sort_tracks(tg_timeline *l, uint32_t *scratch)
{
    for (uint32_t i = 0; i < l->track_count; i++) {
        l->layout[i] = i;
    }
    pf_sort_rows(l->layout, scratch, l->track_count, is_after, l);
}
