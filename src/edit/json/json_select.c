/* edit/json/json_select.c - which events of a document a selection takes. A thread's events are on the track of its
 * name; a counter, an asynchronous operation and an object are tracks of their process, called as their events are. */
#include "edit/json/json_survey.h"

#include "base/text/number.h"

/* The number that the id of a process or thread is, or -1. */
static int64_t number_of(const pf_json_who *w, const pf_json_one *one)
{
    pf_str text = pf_strings_get(&w->strings, one->id);
    int64_t number;
    return pf_parse_int(text.ptr, text.len, &number) ? number : -1;
}

static pf_str id_of(const pf_json_who *w, const pf_json_one *one, int64_t number)
{
    return number < 0 ? pf_strings_get(&w->strings, one->id) : (pf_str){NULL, 0};
}

static pf_str name_of(const pf_json_who *w, const pf_json_one *one)
{
    return one->name ? pf_strings_get(&w->strings, one->name) : (pf_str){NULL, 0};
}

bool pf_json_takes_place(pf_json_survey *s, const pf_json_seen *e, uint32_t thread)
{
    static const bool of_thread[256] = {['B'] = true, ['E'] = true, ['X'] = true, ['i'] = true, ['I'] = true,
                                        ['R'] = true, ['P'] = true, ['s'] = true, ['t'] = true, ['f'] = true};
    const pf_json_who *w = &s->who;
    const pf_json_one *t = &w->thread[thread], *p = &w->process[t->process];
    if (!s->has_places) {
        return true;
    }
    bool own = of_thread[e->r->phase];
    pf_str track = own ? name_of(w, t) : pf_json_name_of(e->piece, e->r);
    int64_t pid = number_of(w, p), tid = number_of(w, t);
    const pf_edit_place place = {.has_process = true,
                                 .has_thread = own,
                                 .pid = pid,
                                 .tid = tid,
                                 .process_id = id_of(w, p, pid),
                                 .thread_id = id_of(w, t, tid),
                                 .process = name_of(w, p),
                                 .thread = name_of(w, t),
                                 .tracks = &track,
                                 .track_count = track.ptr != NULL};
    return pf_filters_take_place(s->select, &place, &s->scratch);
}

bool pf_json_takes(pf_json_survey *s, const pf_json_seen *e, pf_json_action action, uint32_t thread)
{
    if (!s->select) {
        return true;
    }
    pf_json_text category = pf_json_text_of(e->piece, e->r->category);
    bool any = action == PF_JSON_END || action == PF_JSON_SAMPLE;
    return pf_json_takes_place(s, e, thread) &&
           (any ||
            pf_filters_take_categories(s->select, (pf_str){(const char *)category.ptr, category.len}, &s->scratch));
}
