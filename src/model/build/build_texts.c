/* model/build/build_texts.c - texts of what a builder makes, and why it failed. */
#include "model/build/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
