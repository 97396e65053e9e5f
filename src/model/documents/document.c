/* model/documents/document.c - parsed documents and the making of their trees. */
#include <stdlib.h>

#include "model/documents/documents.h"

#include "base/list.h"
#include "base/ordering.h"
#include "base/sized.h"
#include "base/str.h"

static pf_parse_limits defaults(void)
{
    return (pf_parse_limits){.size = sizeof(pf_parse_limits),
                             .bytes = (uint64_t)1 << 30,
                             .nodes = (uint64_t)1 << 24,
                             .memory = (uint64_t)4 << 30,
                             .depth = 512};
}

void pf_parse_limits_init(pf_parse_limits *l, size_t size)
{
    const pf_parse_limits all = defaults();
    pf_sized_give(l, size, &all, sizeof all);
    l->size = size;
}

const pf_node *pf_document_root(const pf_document *d)
{
    return d->root;
}

void pf_document_free(pf_document *d)
{
    if (d) {
        pf_arena_free(&d->arena);
        pf_budget_end(&d->budget);
        free(d);
    }
}

const pf_node *pf_node_get(const pf_node *object, const char *key)
{
    const pf_str wanted = pf_str_of(key);
    const pf_node *found = NULL;
    for (const pf_node *n = object ? object->first : NULL; n; n = n->next) {
        if (n->key.ptr && pf_str_equal(n->key, wanted)) {
            found = n;
        }
    }
    return found;
}

PF_ORDER(compare_keys, pf_node *const, pf_str_compare((*x)->key, (*y)->key), PF_COMPARE((*x)->line, (*y)->line),
         PF_COMPARE((*x)->column, (*y)->column));

const pf_node *pf_node_twice(const pf_node *object)
{
    size_t count = object && object->type == PF_NODE_OBJECT ? object->children : 0, n = 0;
    const pf_node **sorted = count > 1 ? malloc(count * sizeof *sorted) : NULL;
    const pf_node *found = NULL;
    for (const pf_node *c = sorted ? object->first : NULL; c; c = c->next) {
        sorted[n++] = c;
    }
    if (sorted) {
        qsort(sorted, n, sizeof *sorted, compare_keys);
    }
    for (size_t i = 1; i < n && !found; i++) {
        found = pf_str_equal(sorted[i]->key, sorted[i - 1]->key) ? sorted[i] : NULL;
    }
    free(sorted);
    return found;
}

/* Where a failure is noted: none after the first. */
static pf_error *first_error(pf_maker *m)
{
    return m->error.code == PF_OK ? &m->error : NULL;
}

pf_status pf_maker_begin(pf_maker *m, pf_str text, const pf_parse_limits *limits)
{
    *m = (pf_maker){.text = text, .document = calloc(1, sizeof *m->document)};
    pf_document *d = m->document;
    PF_TRY(d ? PF_OK : pf_no_memory(&m->error));
    d->limits = defaults();
    if (limits) {
        pf_sized_take(&d->limits, sizeof d->limits, limits, limits->size, PF_SIZED_UPTO(pf_parse_limits, depth));
    }
    pf_limits memory = pf_limits_default();
    memory.memory = d->limits.memory;
    pf_budget_init(&d->budget, &memory);
    pf_arena_init(&d->arena, &d->budget);
    if (text.len > d->limits.bytes) {
        return pf_fail(&m->error, PF_ERR_LIMIT, "the document has more than %llu bytes",
                       (unsigned long long)d->limits.bytes);
    }
    return PF_OK;
}

pf_status pf_maker_end(pf_maker *m, pf_document **out, pf_error *err)
{
    free(m->open);
    *out = NULL;
    if (m->error.code == PF_OK) {
        *out = m->document;
        return PF_OK;
    }
    pf_document_free(m->document);
    if (err) {
        *err = m->error;
    }
    return m->error.code;
}

void *pf_maker_alloc(pf_maker *m, size_t bytes)
{
    void *p = pf_arena_alloc(&m->document->arena, bytes);
    if (!p && m->document->budget.limited) {
        pf_fail(first_error(m), PF_ERR_LIMIT, "the document needs more memory than is allowed");
    } else if (!p) {
        pf_no_memory(first_error(m));
    }
    return p;
}

pf_str pf_maker_keep(pf_maker *m, const char *bytes, size_t len)
{
    char *copy = pf_maker_alloc(m, len + 1);
    if (!copy) {
        return (pf_str){NULL, 0};
    }
    memcpy(copy, bytes, len);
    copy[len] = '\0';
    return (pf_str){copy, len};
}

pf_status pf_maker_count(pf_maker *m, uint64_t nodes)
{
    pf_document *d = m->document;
    d->nodes += nodes;
    if (d->nodes > d->limits.nodes) {
        pf_fail(first_error(m), PF_ERR_LIMIT, "the document has more than %llu values",
                (unsigned long long)d->limits.nodes);
    }
    return m->error.code;
}

pf_node *pf_maker_container(const pf_maker *m)
{
    return m->depth ? m->open[m->depth - 1] : NULL;
}

pf_node *pf_maker_add(pf_maker *m, pf_node_type type, uint32_t line, uint32_t column)
{
    pf_node *n = pf_maker_count(m, 1) == PF_OK ? pf_maker_alloc(m, sizeof *n) : NULL;
    if (!n) {
        return NULL;
    }
    *n = (pf_node){.type = type, .line = line, .column = column};
    pf_node *parent = pf_maker_container(m);
    if (!parent) {
        m->document->root = n;
        return n;
    }
    pf_node_append(parent, n);
    return n;
}

pf_status pf_maker_open(pf_maker *m, pf_node *container)
{
    if (m->depth >= m->document->limits.depth) {
        pf_fail(first_error(m), PF_ERR_LIMIT, "the document has more than %u lists and objects inside each other",
                m->document->limits.depth);
        return m->error.code;
    }
    PF_TRY(PF_LIST_ROOM(NULL, m->open, m->depth + 1, m->room, first_error(m)));
    m->open[m->depth++] = container;
    return PF_OK;
}

pf_node *pf_maker_close(pf_maker *m)
{
    return m->open[--m->depth];
}

pf_status pf_maker_refuse(pf_maker *m, size_t offset, const char *what)
{
    size_t line = 1, start = 0;
    for (size_t i = 0; i < offset && i < m->text.len; i++) {
        if (m->text.ptr[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    pf_fail_at(first_error(m), PF_ERR_INPUT, offset, "line %zu, column %zu: %s", line, offset - start + 1, what);
    return m->error.code;
}
