/* edit/json/json_cut.c - see json_cut.h. */
#include "edit/json/json_cut.h"

#include "base/list.h"

/* The processes of the first window, in the order in which the document names them. */
static pf_status plan(pf_json_survey *s, pf_json_job *job, pf_error *err)
{
    const pf_json_who *who = &s->who;
    pf_json_found *found = NULL;
    uint32_t count = 0;
    PF_TRY(PF_LIST_NEW(s->budget, found, who->process_count, err));
    for (uint32_t i = 0; i < who->process_count; i++) {
        const pf_json_one *one = &who->process[i];
        if (pf_json_is_used(s, 0, PF_JSON_ANY_THREAD + i)) {
            pf_str name = pf_strings_get(&who->strings, one->name ? one->name : one->id);
            found[count++] = (pf_json_found){i, name, one->first, one->last};
        }
    }
    pf_status st = job->plan(job, found, count, err);
    PF_LIST_FREE(s->budget, found, who->process_count);
    return st;
}

static pf_status cut(pf_json_survey *s, pf_json_job *job, const pf_json_source *from, pf_trace **t, pf_error *err)
{
    pf_json_document d = {0};
    s->window = job->windows;
    s->windows = job->window_count;
    s->select = job->select;
    s->least_dur = job->select ? job->select->min_dur : 0;
    PF_TRY(pf_json_survey_run(s, from, err));
    PF_TRY(job->plan ? plan(s, job, err) : PF_OK);
    pf_status st = pf_json_copy(s, from, job->write, job->parts, job->part_count, &d, err);
    job->events = d.visited;
    *t = d.trace;
    return st;
}

pf_status pf_json_cut(pf_json_job *job, const pf_json_source *from, pf_trace **t, pf_error *err)
{
    pf_budget budget;
    pf_json_survey s;
    pf_budget_init(&budget, from->reading ? &pf_reading_options(from->reading)->limits : &from->read->limits);
    *t = NULL;
    pf_status st = pf_json_survey_init(&s, &budget, err);
    st = st == PF_OK ? cut(&s, job, from, t, err) : st;
    pf_json_survey_free(&s);
    pf_budget_end(&budget);
    return st;
}

typedef struct bounds {
    int64_t first, last;
} bounds;

static pf_status see_time(void *ctx, const pf_json_seen *e, pf_error *err)
{
    bounds *b = ctx;
    const pf_json_record *r = e->r;
    pf_json_action action = pf_json_action_of(r);
    if (r->flags & PF_JSON_HAS_TS && action != PF_JSON_ABOUT && r->ts >= 0) {
        int64_t end = action == PF_JSON_COMPLETE ? r->ts + r->dur : r->ts;
        b->first = r->ts < b->first ? r->ts : b->first;
        b->last = end > b->last ? end : b->last;
    }
    return PF_OK;
}

pf_status pf_json_bounds(const pf_json_source *from, int64_t *first, int64_t *last, pf_error *err)
{
    bounds b = {INT64_MAX, INT64_MIN};
    const pf_json_visitor visitor = {.ctx = &b, .event = see_time};
    pf_json_document d;
    pf_status st = pf_json_walk(from, &visitor, &d, err);
    if (st == PF_OK) {
        pf_json_document_end(&d);
    }
    *first = b.first;
    *last = b.last;
    return st;
}

static pf_probe probe(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    return pf_reader_find("chrome-json")->probe(head, size, path, is_directory);
}

static pf_status notice(pf_reading *r, pf_error *err)
{
    pf_json_notice *n = (pf_json_notice *)(uintptr_t)pf_reading_reader(r); /* the row is its first member */
    pf_json_source from = {.reading = r};
    n->seen = true;
    if (!n->stream) {
        return PF_OK;
    }
    PF_TRY(pf_reading_whole(r, &from.whole, err));
    return n->take(n->ctx, &from, err);
}

void pf_json_notice_init(pf_json_notice *n)
{
    n->reader = (pf_reader){.name = "chrome-json",
                            .summary = "Chrome JSON, to be cut",
                            .trace_type = "json",
                            .probe = probe,
                            .read = notice};
}
