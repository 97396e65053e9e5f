/* model/documents/documents.h - how parsers make trees of nodes.
 *
 * A parser reports what it meets in order: a value, the begin of a list or object, its end. The maker keeps the stack
 * of open containers, counts nodes and depth against the limits, and remembers the first failure.
 */
#pragma once

#include "base/arena.h"
#include "postfetto/document.h"

struct pf_document {
    pf_budget budget;
    pf_arena arena;
    pf_parse_limits limits;
    uint64_t nodes;
    pf_node *root;
    pf_document *next_adopted; /* by findings */
};

/* Makes a node the last child of another one. */
static inline void pf_node_append(pf_node *parent, pf_node *n)
{
    *(parent->last ? &parent->last->next : &parent->first) = n;
    parent->last = n;
    parent->children++;
}

/* A text that is being parsed. */
typedef struct pf_maker {
    pf_document *document;
    pf_str text;
    pf_node **open; /* containers, outermost first */
    uint32_t depth, room;
    pf_error error; /* the first failure; code PF_OK: none */
} pf_maker;

/* Starts a document over `text`. pf_maker_end, which must follow whatever this returns, gives the document or, after a
 * failure, frees it and hands out the error. */
pf_status pf_maker_begin(pf_maker *m, pf_str text, const pf_parse_limits *limits);
pf_status pf_maker_end(pf_maker *m, pf_document **out, pf_error *err);

/* Adds a node to the open container, or as the root; NULL after a failure. Its key is set by the caller. */
pf_node *pf_maker_add(pf_maker *m, pf_node_type type, uint32_t line, uint32_t column);

/* Makes the node the open container. */
pf_status pf_maker_open(pf_maker *m, pf_node *container);
pf_node *pf_maker_close(pf_maker *m);
pf_node *pf_maker_container(const pf_maker *m); /* NULL at the root */

/* Counts nodes that are shared, not made. */
pf_status pf_maker_count(pf_maker *m, uint64_t nodes);

/* Memory of the document; NULL, and the failure noted, if refused. */
void *pf_maker_alloc(pf_maker *m, size_t bytes);
pf_str pf_maker_keep(pf_maker *m, const char *bytes, size_t len);

/* Notes a PF_ERR_INPUT at a byte of the text, whose line and column are put in front of the message, and returns it. */
pf_status pf_maker_refuse(pf_maker *m, size_t offset, const char *what);

/* What a plain scalar of YAML 1.1 is: sets type and value of `n`; a text stays TEXT without its bytes set. */
void pf_yaml_scalar(const char *text, size_t len, pf_node *n);
