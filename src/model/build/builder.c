/* model/build/builder.c - life of a builder. See builder.h. */
#include "model/build/builder.h"

#include "base/list.h"

#include <stdlib.h>

static pf_builder *make(const pf_limits *limits)
{
    pf_builder *b = calloc(1, sizeof *b);
    pf_error err;
    if (!b) {
        return NULL;
    }
    b->t = pf_trace_new(limits, PF_WANT_TABLES | PF_WANT_ORIGINS, &err);
    if (!b->t) {
        free(b);
        return NULL;
    }
    b->t->dialect = "postfetto";
    b->next.copied = PF_NONE;
    pf_map_init(&b->ordered, &b->t->budget);
    pf_map_init(&b->named, &b->t->budget);
    pf_budget_help(&b->t->budget);
    return b;
}

static bool add_decoder(pf_builder *b)
{
    b->decoder = pf_trace_add_decoder(b->t, pf_build_decode_args, NULL);
    if (b->decoder != PF_NONE) {
        b->t->own_args |= (uint64_t)1 << b->decoder;
        b->t->fetch_own_args = pf_build_fetch_args;
    }
    return b->decoder != PF_NONE;
}

pf_builder *pf_builder_new(const pf_limits *limits)
{
    pf_builder *b = make(limits);
    if (b) {
        add_decoder(b);
    }
    return b;
}

pf_builder *pf_builder_derive(const pf_trace *source, const pf_limits *limits)
{
    pf_limits same_hashes = limits ? *limits : pf_limits_default();
    same_hashes.hash_seed = source->budget.seed; /* maps are copied as they are */
    pf_builder *b = make(&same_hashes);
    pf_error err;
    if (!b) {
        return NULL;
    }
    b->source = source;
    if (pf_builder_share(b, &err) != PF_OK || !add_decoder(b)) {
        pf_builder_free(b);
        return NULL;
    }
    return b;
}

/* Working memory, which is counted by the trace. */
static void release_room(pf_builder *b)
{
    pf_budget *budget = &b->t->budget;
    PF_LIST_FREE(budget, b->samples, b->sample_count);
    PF_LIST_FREE(budget, b->sample_event, b->sample_count);
    pf_map_free(&b->ordered);
    pf_map_free(&b->named);
    b->samples = b->sample_event = NULL;
}

void pf_builder_free(pf_builder *b)
{
    if (!b) {
        return;
    }
    if (b->t) {
        release_room(b);
        pf_budget_end_help(&b->t->budget);
        pf_trace_free(b->t);
    }
    pf_buffer_free(&b->args);
    pf_buffer_free(&b->flows);
    pf_buffer_free(&b->text);
    free(b);
}

pf_status pf_builder_status(const pf_builder *b, pf_error *err)
{
    if (b->error.code != PF_OK && err) {
        *err = b->error;
    }
    return b->error.code;
}

pf_status pf_builder_finish(pf_builder *b, pf_trace **out, pf_error *err)
{
    *out = NULL;
    if (!b->t) {
        return pf_fail(err, PF_ERR_USAGE, "the builder was finished before; make a new one");
    }
    pf_builder_commit(b);
    pf_builder_tell_names(b);
    pf_trace *t = b->t;
    release_room(b);
    if (b->error.code == PF_OK) {
        pf_trace_finish(t, &b->error);
    }
    pf_budget_end_help(&t->budget);
    b->t = NULL;
    if (b->error.code != PF_OK) {
        pf_trace_free(t);
        return pf_builder_status(b, err);
    }
    *out = t;
    return PF_OK;
}
