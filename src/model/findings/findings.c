/* model/findings/findings.c - the container that a pass fills: documents, attributes, all that lists hold.
 *
 * Failure is sticky. The first refused allocation is remembered in `error`; from then on every function does nothing
 * and hands back NULL, so a pass builds a whole document without a single check and asks once, at its end. Functions
 * that take a parent accept NULL for the same reason.
 *
 * A document is a tree of nodes in the arena: each knows its first and last child and its next sibling, so appending
 * is constant time and a writer walks it without recursion.
 */
#include "model/findings/findings.h"

#include "base/str.h"
#include "model/documents/documents.h"

#include <stdio.h>
#include <stdlib.h>

/* The lists of the findings. */
#define LISTS(X) X(reports) X(shown) X(attributes) X(tracks) X(drawn) X(more) X(args)

static void init_list(pf_findings *f, pf_columns *c, const char *name, void **rows, size_t size)
{
    pf_error err;
    pf_columns_init(c, &f->budget, name);
    if (pf_columns_add(c, rows, size, &err) != PF_OK) {
        pf_findings_fail(f, &err);
    }
}

pf_findings *pf_findings_new(const pf_limits *limits)
{
    pf_findings *f = calloc(1, sizeof *f);
    if (!f) {
        return NULL;
    }
    pf_budget_init(&f->budget, limits);
    pf_arena_init(&f->arena, &f->budget);
#define INIT(list) init_list(f, &f->list.columns, #list, (void **)&f->list.row, sizeof *f->list.row);
    LISTS(INIT)
    return f;
}

void pf_findings_adopt(pf_findings *f, pf_document *d)
{
    d->next_adopted = f->adopted;
    f->adopted = d;
}

/* What the findings own besides their memory: documents that a pass parsed, traces that it made. */
static void disown(pf_findings *f)
{
    for (pf_document *d = f->adopted, *next; d; d = next) {
        next = d->next_adopted;
        pf_document_free(d);
    }
    for (uint32_t i = 0; i < f->reports.count; i++) {
        pf_trace_free(f->reports.row[i].trace);
    }
}

void pf_findings_free(pf_findings *f)
{
    if (!f) {
        return;
    }
    for (pf_table_memory *m = f->table_memory; m; m = m->next) {
        pf_columns_free(&m->columns);
    }
    disown(f);
    for (pf_text *t = f->texts; t; t = t->next) {
        pf_release(&f->budget, t->data, t->room);
    }
#define FREE(list) pf_columns_free(&f->list.columns);
    LISTS(FREE)
    pf_arena_free(&f->arena);
    pf_budget_end(&f->budget);
    free(f);
}

pf_budget *pf_findings_budget(pf_findings *f)
{
    return &f->budget;
}

void pf_findings_fail(pf_findings *f, const pf_error *err)
{
    if (f->error.code == PF_OK) {
        f->error = *err;
    }
}

pf_status pf_findings_status(const pf_findings *f, pf_error *err)
{
    if (f->error.code != PF_OK && err) {
        *err = f->error;
    }
    return f->error.code;
}

void pf_findings_memory(const pf_findings *f, uint64_t *now, uint64_t *peak)
{
    *now = atomic_load_explicit(&f->budget.used, memory_order_relaxed);
    *peak = atomic_load_explicit(&f->budget.peak, memory_order_relaxed);
}

static void *keep_bytes(pf_findings *f, size_t size)
{
    if (f->error.code != PF_OK) {
        return NULL;
    }
    void *p = pf_arena_alloc(&f->arena, size);
    if (!p) {
        pf_error err;
        pf_budget_refused(&f->budget, size, &err);
        pf_findings_fail(f, &err);
    }
    return p;
}

static uint64_t load(const char *p, size_t width)
{
    uint64_t v = 0;
    if (width == 8) {
        memcpy(&v, p, 8);
    } else if (width == 4) {
        memcpy(&v, p, 4);
    } else {
        v = (uint8_t)*p;
    }
    return v;
}

/* Mixes the length with the first and last bytes: enough to spread names and keys over the cache. */
static unsigned cache_slot(pf_str s)
{
    if (s.len == 0) {
        return 0;
    }
    size_t width = s.len >= 8 ? 8 : s.len >= 4 ? 4 : 1;
    uint64_t head = load(s.ptr, width), tail = load(s.ptr + s.len - width, width);
    uint64_t h = (head ^ (tail << 7 | tail >> 57) ^ s.len) * 0x9E3779B97F4A7C15u;
    return (unsigned)(h >> 56) % PF_TEXT_CACHE;
}

void *pf_findings_alloc(pf_findings *f, size_t size)
{
    void *p = size < SIZE_MAX ? keep_bytes(f, size ? size : 1) : NULL;
    return p ? memset(p, 0, size) : NULL;
}

pf_str pf_findings_keep(pf_findings *f, pf_str text)
{
    if (!text.ptr) {
        return (pf_str){NULL, 0};
    }
    pf_str *slot = &f->cache[cache_slot(text)];
    if (slot->ptr && pf_str_equal(*slot, text)) {
        return *slot;
    }
    char *copy = text.len < SIZE_MAX ? keep_bytes(f, text.len + 1) : NULL;
    if (!copy) {
        return (pf_str){NULL, 0};
    }
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    *slot = (pf_str){copy, text.len};
    return *slot;
}

/* The text in memory of the findings. */
pf_str pf_findings_keep_formatted(pf_findings *f, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int len = vsnprintf(NULL, 0, format, list);
    char *text = len < 0 ? NULL : keep_bytes(f, (size_t)len + 1);
    if (text) {
        vsnprintf(text, (size_t)len + 1, format, again);
    } else if (len < 0) {
        pf_error err;
        pf_fail(&err, PF_ERR_LIMIT, "a text is too long to be printed; shorten the names in it");
        pf_findings_fail(f, &err);
    }
    va_end(again);
    return text ? (pf_str){text, (size_t)len} : (pf_str){NULL, 0};
}

pf_str pf_findings_format(pf_findings *f, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    pf_str text = pf_findings_keep_formatted(f, format, list);
    va_end(list);
    return text;
}

pf_node *pf_node_root(pf_findings *f, pf_node_type type)
{
    pf_node *n = keep_bytes(f, sizeof *n);
    if (n) {
        *n = (pf_node){.type = type};
    }
    return n;
}

pf_node *pf_node_add(pf_findings *f, pf_node *parent, pf_str key, pf_node_type type)
{
    pf_node *n = parent ? pf_node_root(f, type) : NULL;
    if (!n) {
        return NULL;
    }
    n->key = pf_findings_keep(f, key);
    pf_node_append(parent, n);
    return n;
}

/* Adds a node with the type and the value of another one. */
static pf_node *add_value(pf_findings *f, pf_node *parent, pf_str key, pf_node value)
{
    pf_node *n = pf_node_add(f, parent, key, value.type);
    if (n) {
        n->as = value.as;
    }
    return n;
}

pf_node *pf_node_add_bool(pf_findings *f, pf_node *parent, pf_str key, bool v)
{
    return add_value(f, parent, key, (pf_node){.type = PF_NODE_BOOL, .as.b = v});
}

pf_node *pf_node_add_int(pf_findings *f, pf_node *parent, pf_str key, int64_t v)
{
    return add_value(f, parent, key, (pf_node){.type = PF_NODE_INT, .as.i = v});
}

pf_node *pf_node_add_real(pf_findings *f, pf_node *parent, pf_str key, double v)
{
    return add_value(f, parent, key, (pf_node){.type = PF_NODE_REAL, .as.d = v});
}

static pf_node *add_kept(pf_findings *f, pf_node *parent, pf_str key, pf_node_type type, pf_str v)
{
    pf_node *n = pf_node_add(f, parent, key, type);
    if (n) {
        n->as.s = pf_findings_keep(f, v);
    }
    return n;
}

pf_node *pf_node_add_raw(pf_findings *f, pf_node *parent, pf_str key, pf_str token)
{
    return add_kept(f, parent, key, PF_NODE_RAW, token);
}

pf_node *pf_node_add_rows(pf_findings *f, pf_node *parent, pf_str key, const pf_table_builder *table, size_t from)
{
    return add_value(f, parent, key, (pf_node){.type = PF_NODE_LIST, .as.rows = {table, from}});
}

pf_node *pf_node_add_text(pf_findings *f, pf_node *parent, pf_str key, pf_str v)
{
    return v.ptr ? add_kept(f, parent, key, PF_NODE_TEXT, v) : pf_node_add(f, parent, key, PF_NODE_NULL);
}

void pf_findings_set_verdict(pf_findings *f, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    f->verdict = pf_findings_keep_formatted(f, format, list).ptr;
    va_end(list);
}

const char *pf_findings_verdict(const pf_findings *f)
{
    return f->verdict;
}

void pf_findings_set_headline(pf_findings *f, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    f->headline = pf_findings_keep_formatted(f, format, list).ptr;
    va_end(list);
}

const char *pf_findings_headline(const pf_findings *f)
{
    return f->headline;
}

void pf_findings_add_highlight(pf_findings *f, const char *label, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    pf_str text = pf_findings_keep_formatted(f, format, list);
    va_end(list);
    if (text.ptr && f->highlight_count < PF_HIGHLIGHTS) {
        f->highlights[f->highlight_count++] = (pf_highlight){label, text};
    }
}

size_t pf_findings_highlight_count(const pf_findings *f)
{
    return f->highlight_count;
}

const pf_highlight *pf_findings_highlight(const pf_findings *f, size_t i)
{
    return i < f->highlight_count ? &f->highlights[i] : NULL;
}

void pf_findings_set_outcome(pf_findings *f, pf_status st)
{
    f->outcome = st;
}

pf_status pf_findings_outcome(const pf_findings *f)
{
    return f->outcome;
}

void pf_findings_set_summary(pf_findings *f, const pf_node *root)
{
    f->summary = root;
}

const pf_node *pf_findings_summary(const pf_findings *f)
{
    return f->summary;
}

static void add_attribute(pf_findings *f, pf_attribute a)
{
    a.key = pf_findings_keep(f, a.key);
    a.text = pf_findings_keep(f, a.text);
    if (pf_findings_room(f, &f->attributes.columns, f->attributes.count, &f->attributes.room)) {
        f->attributes.row[f->attributes.count++] = a;
    }
}

void pf_findings_attribute_text(pf_findings *f, pf_str key, pf_str text)
{
    add_attribute(f, (pf_attribute){.key = key, .text = text.ptr ? text : PF_STR("")});
}

void pf_findings_attribute_int(pf_findings *f, pf_str key, int64_t number)
{
    add_attribute(f, (pf_attribute){.key = key, .number = number});
}

size_t pf_findings_attribute_count(const pf_findings *f)
{
    return f->attributes.count;
}

const pf_attribute *pf_findings_attribute(const pf_findings *f, size_t i)
{
    return i < f->attributes.count ? &f->attributes.row[i] : NULL;
}
