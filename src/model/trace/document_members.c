/* model/trace/document_members.c - see json_notes.h. */
#include "model/trace/json_notes.h"

#include <stdio.h>
#include <xxhash.h>

#include "base/str.h"

void pf_document_members_init(pf_document_members *d, const pf_trace *t, pf_budget *budget)
{
    *d = (pf_document_members){.t = t};
    pf_map_init(&d->first, budget);
}

void pf_document_members_free(pf_document_members *d)
{
    pf_map_free(&d->first);
    pf_buffer_free(&d->text);
}

pf_str pf_document_member_name(pf_str object)
{
    size_t i = 2;
    if (object.len < i || memcmp(object.ptr, "{\"", i) != 0) {
        return (pf_str){"", 0};
    }
    while (i < object.len && object.ptr[i] != '"') {
        i += object.ptr[i] == '\\' ? 2 : 1;
    }
    return i < object.len ? (pf_str){object.ptr + 2, i - 2} : (pf_str){"", 0};
}

/* The same with the number of its input after the name. */
static pf_str numbered(pf_document_members *d, pf_str object, pf_str name, uint32_t input)
{
    char number[32];
    size_t head = (size_t)(name.ptr - object.ptr) + name.len;
    int len = snprintf(number, sizeof number, " (%u)", input + 1);
    d->text.len = 0;
    pf_buffer_put(&d->text, object.ptr, head);
    pf_buffer_put(&d->text, number, (size_t)len);
    pf_buffer_put(&d->text, object.ptr + head, object.len - head);
    return d->text.failed ? object : (pf_str){d->text.data, d->text.len};
}

pf_str pf_document_member(pf_document_members *d, uint32_t i)
{
    const pf_trace *t = d->t;
    pf_str object = t->leftovers.text[i], name = pf_document_member_name(object);
    if (pf_trace_input_count(t) < 2 || !name.len) {
        return object;
    }
    uint64_t key = XXH3_64bits_withSeed(name.ptr, name.len, d->first.budget->seed);
    uint32_t known = pf_map_get(&d->first, key);
    if (known == PF_NONE) {
        pf_map_set(&d->first, key, i); /* without memory for it later ones keep their names */
        return object;
    }
    pf_str earlier = t->leftovers.text[known];
    if (t->leftovers.input[known] == t->leftovers.input[i] || !pf_str_equal(pf_document_member_name(earlier), name)) {
        return object;
    }
    return pf_str_equal(earlier, object) ? (pf_str){NULL, 0} : numbered(d, object, name, t->leftovers.input[i]);
}
