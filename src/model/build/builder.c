/* model/build/builder.c - life of a builder, and its texts. See builder.h. */
#include "model/build/builder.h"

#include "base/list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- life -------------------------------------------------------------------------------------------------------- */

static pf_builder *make(const pf_limits *limits)
{
    pf_builder *b = calloc(1, sizeof *b);
    pf_error err;
    if (!b) {
        return NULL;
    }
    b->t = pf_trace_new(limits, PF_WANT_ALL | PF_WANT_ORIGINS, &err);
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

void pf_builder_fail(pf_builder *b, const char *format, ...)
{
    if (b->error.code != PF_OK) {
        return;
    }
    va_list ap;
    char text[256];
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    pf_fail(&b->error, PF_ERR_USAGE, "%s", text);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static unsigned slot_of(pf_str text)
{
    return (unsigned)(((uintptr_t)text.ptr * 0x9e3779b97f4a7c15ull) >> 40) % PF_BUILD_CACHE;
}

static bool is_text(const pf_builder *b, uint32_t id, pf_str text, size_t prefix)
{
    pf_str s = pf_strings_get(&b->t->strings, id);
    return s.len == text.len + prefix && memcmp(s.ptr + prefix, text.ptr, text.len) == 0;
}

static uint32_t add_text(pf_builder *b, pf_str text)
{
    return pf_strings_add(&b->t->strings, text.ptr, text.len, &b->error);
}

uint32_t pf_builder_name(pf_builder *b, pf_str text)
{
    if (!text.ptr || !pf_builder_open(b)) {
        return text.ptr ? PF_NONE : 0;
    }
    unsigned slot = slot_of(text);
    if (b->names.ptr[slot] != text.ptr || !is_text(b, b->names.id[slot], text, 0)) {
        uint32_t id = add_text(b, text);
        if (id == PF_NONE) {
            return id;
        }
        b->names.ptr[slot] = text.ptr;
        b->names.id[slot] = id;
    }
    return b->names.id[slot];
}

/* Where the events come from Chrome JSON the new arguments are called as theirs are. */
static pf_str prefix_of(const pf_builder *b)
{
    bool json = b->t->input_count && strcmp(b->t->inputs[0].format, "chrome-json") == 0;
    return json ? PF_STR("args.") : PF_STR("debug.");
}

uint32_t pf_builder_first_key(pf_builder *b, pf_str key)
{
    if (!pf_builder_open(b)) {
        return PF_NONE;
    }
    unsigned slot = slot_of(key);
    pf_str prefix = prefix_of(b);
    if (b->keys.ptr[slot] != key.ptr || !is_text(b, b->keys.id[slot], key, prefix.len)) {
        b->text.len = 0;
        pf_buffer_put(&b->text, prefix.ptr, prefix.len);
        pf_buffer_put(&b->text, key.ptr, key.len);
        if (b->text.failed) {
            pf_no_memory(&b->error);
            return PF_NONE;
        }
        uint32_t id = add_text(b, (pf_str){b->text.data, b->text.len});
        if (id == PF_NONE) {
            return id;
        }
        b->keys.ptr[slot] = key.ptr;
        b->keys.id[slot] = id;
    }
    return b->keys.id[slot];
}
