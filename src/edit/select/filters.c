/* edit/select/filters.c - see filters.h. */
#include "edit/select/filters.h"

#include <stdio.h>
#include <string.h>

#include "base/text/glob.h"

static bool has_any(const pf_edit_patterns *p)
{
    return p->keep_count || p->drop_count;
}

bool pf_filters_have_places(const pf_cut_options *o)
{
    return has_any(&o->process) || has_any(&o->thread) || has_any(&o->track);
}

/* The text with a NUL after it; what follows a NUL inside does not count. */
static const char *terminated(pf_str s, pf_buffer *scratch)
{
    scratch->len = 0;
    pf_buffer_put(scratch, s.ptr, s.len);
    pf_buffer_put(scratch, "", 1);
    return scratch->failed ? "" : scratch->data;
}

static bool fits_one(const char *const *patterns, size_t count, const char *text)
{
    bool fits = false;
    for (size_t i = 0; i < count && !fits; i++) {
        fits = pf_glob_fits(patterns[i], text);
    }
    return fits;
}

/* Whether one of the patterns fits the name, or is the number (NULL: it has none). */
static bool fits(const char *const *patterns, size_t count, pf_str name, const int64_t *number, pf_buffer *scratch)
{
    char digits[24] = "";
    if (number && count) {
        snprintf(digits, sizeof digits, "%lld", (long long)*number);
    }
    return (number && fits_one(patterns, count, digits)) ||
           (name.ptr && fits_one(patterns, count, terminated(name, scratch)));
}

/* Several names: one that fits is enough. */
static bool takes_one_of(const pf_edit_patterns *p, const pf_str *names, size_t count, const int64_t *number,
                         pf_buffer *scratch)
{
    bool kept = !p->keep_count, dropped = false;
    for (size_t i = 0; i < count; i++) {
        kept = kept || fits(p->keep, p->keep_count, names[i], number, scratch);
        dropped = dropped || fits(p->drop, p->drop_count, names[i], number, scratch);
    }
    return kept && !dropped;
}

bool pf_filters_take_place(const pf_cut_options *o, const pf_edit_place *p, pf_buffer *scratch)
{
    const pf_str process[] = {p->process, p->process_id}, thread[] = {p->thread, p->thread_id};
    return takes_one_of(&o->process, process, p->has_process ? 2 : 0, &p->pid, scratch) &&
           takes_one_of(&o->thread, thread, p->has_thread ? 2 : 0, &p->tid, scratch) &&
           takes_one_of(&o->track, p->tracks, p->track_count, NULL, scratch);
}

bool pf_filters_take_categories(const pf_cut_options *o, pf_str categories, pf_buffer *scratch)
{
    const pf_edit_patterns *p = &o->category;
    bool kept = !p->keep_count, dropped = false;
    while (has_any(p) && categories.len) {
        const char *comma = memchr(categories.ptr, ',', categories.len);
        pf_str one = {categories.ptr, comma ? (size_t)(comma - categories.ptr) : categories.len};
        kept = kept || fits(p->keep, p->keep_count, one, NULL, scratch);
        dropped = dropped || fits(p->drop, p->drop_count, one, NULL, scratch);
        size_t step = one.len + (comma != NULL);
        categories = (pf_str){categories.ptr + step, categories.len - step};
    }
    return kept && !dropped;
}
