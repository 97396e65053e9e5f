/* model/documents/yaml_parse.c - YAML to nodes, over libyaml's events.
 *
 * libyaml reads the text; this file keeps a frame for each open collection: whether a key or a value is due, and the
 * anchor. An alias gets a node of its own that shares the children of the anchored one, so that an alias costs the same
 * whatever it stands for; the nodes that a reader will walk over are counted against the limit all the same, which is
 * what stops "billion laughs". A merge key is resolved where its mapping ends: the entries of the merged mappings come
 * first, and of equal keys the last one stays.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/ordering.h"
#include "base/str.h"
#include "model/documents/documents.h"
#include "model/documents/yaml_library.h"

typedef struct yaml_frame {
    bool is_mapping, has_key, has_merge;
    pf_str key;            /* has_key: of the value that is due */
    size_t anchor;         /* of the collection; SIZE_MAX: none */
    uint64_t nodes_before; /* in the document, before the collection */
} yaml_frame;

typedef struct yaml_anchor {
    pf_str name;
    pf_node *node;
    uint64_t nodes; /* of the whole subtree; 0: not at its end yet */
} yaml_anchor;

typedef struct yaml_builder {
    pf_maker maker;
    pf_yaml_library yaml;
    yaml_frame *frames; /* parallel to maker.open */
    size_t frame_room;
    yaml_anchor *anchors;
    size_t anchor_count, anchor_room;
    size_t mark_bytes; /* of the byte order mark, which is not handed to libyaml */
    size_t documents;
} yaml_builder;

/* The byte of a mark: libyaml counts characters, and lines that end with a carriage return or a separator of Unicode,
 * too. With such lines the byte is one before the mark. */
static size_t offset_of(const yaml_builder *b, const yaml_mark_t *mark)
{
    pf_str text = b->maker.text;
    size_t at = b->mark_bytes;
    const char *end = text.ptr;
    for (size_t line = 0; line < mark->line && end; line++) {
        end = memchr(text.ptr + at, '\n', text.len - at);
        at = end ? (size_t)(end - text.ptr) + 1 : at;
    }
    for (size_t column = mark->column; column > 0 && at < text.len; column--) {
        for (at++; at < text.len && ((uint8_t)text.ptr[at] & 0xc0) == 0x80;) {
            at++;
        }
    }
    return at < text.len ? at : text.len;
}

static pf_status refuse(yaml_builder *b, const yaml_mark_t *mark, const char *what)
{
    return pf_maker_refuse(&b->maker, offset_of(b, mark), what);
}

static yaml_frame *top(yaml_builder *b)
{
    return b->maker.depth ? &b->frames[b->maker.depth - 1] : NULL;
}

/* A node as the value that is due; NULL after a failure, or where a key is due. */
static pf_node *add(yaml_builder *b, pf_node_type type, const yaml_mark_t *mark)
{
    yaml_frame *f = top(b);
    if (f && f->is_mapping && !f->has_key) {
        refuse(b, mark, "a key is a text here, not a collection or an alias");
        return NULL;
    }
    pf_node *n = pf_maker_add(&b->maker, type, (uint32_t)mark->line + 1, (uint32_t)mark->column + 1);
    if (n && f && f->is_mapping) {
        n->key = f->key;
        f->has_key = false;
    }
    return n;
}

/* Remembers the node under its anchor; `nodes` 0: its end is not reached. */
static size_t add_anchor(yaml_builder *b, const yaml_char_t *name, pf_node *node, uint64_t nodes)
{
    if (!name || !node) {
        return SIZE_MAX;
    }
    if (PF_LIST_ROOM(NULL, b->anchors, b->anchor_count + 1, b->anchor_room, &b->maker.error) != PF_OK) {
        return SIZE_MAX;
    }
    pf_str kept = pf_maker_keep(&b->maker, (const char *)name, strlen((const char *)name));
    b->anchors[b->anchor_count] = (yaml_anchor){kept, node, nodes};
    return b->anchor_count++;
}

static bool tag_is(const yaml_event_t *e, const char *name)
{
    const char *tag = (const char *)e->data.scalar.tag;
    return tag && strcmp(tag, name) == 0;
}

/* Sets what a scalar is from its tag, its quotes or its spelling. */
static pf_status set_scalar(yaml_builder *b, const yaml_event_t *e, pf_node *n)
{
    const char *text = (const char *)e->data.scalar.value;
    size_t len = e->data.scalar.length;
    bool plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (!e->data.scalar.tag ? plain : !tag_is(e, YAML_STR_TAG)) {
        pf_yaml_scalar(text, len, n);
        static const struct {
            const char *tag;
            pf_node_type type;
        } tags[] = {{YAML_INT_TAG, PF_NODE_INT},
                    {YAML_FLOAT_TAG, PF_NODE_REAL},
                    {YAML_BOOL_TAG, PF_NODE_BOOL},
                    {YAML_NULL_TAG, PF_NODE_NULL}};
        bool known = !e->data.scalar.tag;
        for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
            known |= tag_is(e, tags[i].tag) && n->type == tags[i].type;
        }
        if (tag_is(e, YAML_FLOAT_TAG) && n->type == PF_NODE_INT) {
            n->as.d = (double)n->as.i;
            n->type = PF_NODE_REAL;
            known = true;
        }
        if (!known) {
            return refuse(b, &e->start_mark, "the value is none of its tag, or the tag is not known; leave it out");
        }
    } else {
        n->type = PF_NODE_TEXT;
    }
    if (n->type == PF_NODE_TEXT || n->type == PF_NODE_RAW) {
        n->as.s = pf_maker_keep(&b->maker, text, len);
    }
    return b->maker.error.code;
}

static pf_status take_scalar(yaml_builder *b, const yaml_event_t *e)
{
    yaml_frame *f = top(b);
    if (f && f->is_mapping && !f->has_key) {
        f->key = pf_maker_keep(&b->maker, (const char *)e->data.scalar.value, e->data.scalar.length);
        f->has_key = true;
        f->has_merge |= e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && pf_str_is(f->key, "<<");
        return e->data.scalar.anchor ? refuse(b, &e->start_mark, "a key has no anchor here") : b->maker.error.code;
    }
    pf_node *n = add(b, PF_NODE_NULL, &e->start_mark);
    PF_TRY(n ? PF_OK : b->maker.error.code);
    set_scalar(b, e, n);
    add_anchor(b, e->data.scalar.anchor, n, 1);
    return b->maker.error.code;
}

static pf_status take_alias(yaml_builder *b, const yaml_event_t *e)
{
    const char *name = (const char *)e->data.alias.anchor;
    size_t i = b->anchor_count;
    while (i > 0 && strcmp(b->anchors[i - 1].name.ptr, name) != 0) {
        i--;
    }
    if (i == 0) {
        return refuse(b, &e->start_mark,
                      "no anchor of this name stands before the alias; put it there, or write the "
                      "value itself");
    }
    yaml_anchor a = b->anchors[i - 1];
    if (a.nodes == 0) {
        return refuse(b, &e->start_mark,
                      "the alias stands inside its own anchor, which would never end; write the "
                      "value itself");
    }
    pf_node *n = add(b, a.node->type, &e->start_mark);
    PF_TRY(n ? PF_OK : b->maker.error.code);
    n->as = a.node->as;
    n->first = a.node->first;
    n->last = a.node->last;
    n->children = a.node->children;
    return pf_maker_count(&b->maker, a.nodes - 1);
}

static pf_status open_collection(yaml_builder *b, pf_node_type type, const yaml_char_t *anchor, const yaml_mark_t *mark)
{
    uint64_t before = b->maker.document->nodes;
    pf_node *n = add(b, type, mark);
    PF_TRY(n ? pf_maker_open(&b->maker, n) : b->maker.error.code);
    PF_TRY(PF_LIST_ROOM(NULL, b->frames, b->maker.depth, b->frame_room, &b->maker.error));
    *top(b) = (yaml_frame){
        .is_mapping = type == PF_NODE_OBJECT, .anchor = add_anchor(b, anchor, n, 0), .nodes_before = before};
    return b->maker.error.code;
}

/* The entries of a mapping while a merge is worked in. */
typedef struct entries {
    pf_node **node;
    size_t count, room;
} entries;

static pf_status put_entry(yaml_builder *b, entries *list, pf_node *n)
{
    PF_TRY(PF_LIST_ROOM(NULL, list->node, list->count + 1, list->room, &b->maker.error));
    list->node[list->count++] = n;
    return PF_OK;
}

/* Copies of the entries of a merged mapping. */
static pf_status put_merged(yaml_builder *b, entries *list, const pf_node *mapping, const pf_node *where)
{
    if (mapping->type != PF_NODE_OBJECT) {
        const yaml_mark_t mark = {.line = where->line - 1, .column = where->column - 1};
        return refuse(b, &mark, "a merge key takes a mapping or a list of mappings");
    }
    for (const pf_node *n = mapping->first; n; n = n->next) {
        pf_node *copy = pf_maker_count(&b->maker, 1) == PF_OK ? pf_maker_alloc(&b->maker, sizeof *copy) : NULL;
        PF_TRY(copy ? PF_OK : b->maker.error.code);
        *copy = *n;
        PF_TRY(put_entry(b, list, copy));
    }
    return PF_OK;
}

/* The mappings of a list count from the last to the first, so that the first one wins. */
static pf_status put_merge(yaml_builder *b, entries *list, const pf_node *merge)
{
    if (merge->type != PF_NODE_LIST) {
        return put_merged(b, list, merge, merge);
    }
    const pf_node *end = NULL;
    while (end != merge->first) {
        const pf_node *n = merge->first;
        while (n->next != end) {
            n = n->next;
        }
        PF_TRY(put_merged(b, list, n, merge));
        end = n;
    }
    return PF_OK;
}

typedef struct ranked {
    const pf_node *node;
    size_t place;
} ranked;

PF_ORDER(compare_ranked, ranked, pf_str_compare(x->node->key, y->node->key), PF_UP(place));

/* Of entries with equal keys the last one takes the place of the first; the others become NULL. */
static pf_status drop_former(yaml_builder *b, entries *list)
{
    ranked *order = malloc((list->count + 1) * sizeof *order);
    PF_TRY(order ? PF_OK : pf_no_memory(&b->maker.error));
    for (size_t i = 0; i < list->count; i++) {
        order[i] = (ranked){list->node[i], i};
    }
    qsort(order, list->count, sizeof *order, compare_ranked);
    size_t first = 0;
    for (size_t i = 1; i < list->count; i++) {
        pf_str former = order[first].node->key, key = order[i].node->key;
        if (pf_str_equal(former, key)) {
            list->node[order[first].place] = (pf_node *)(uintptr_t)order[i].node;
            list->node[order[i].place] = NULL;
        } else {
            first = i;
        }
    }
    free(order);
    return PF_OK;
}

static bool is_merge(const pf_node *n)
{
    return pf_str_is(n->key, "<<");
}

static pf_status merge_entries(yaml_builder *b, pf_node *mapping, entries *list)
{
    for (pf_node *n = mapping->first; n; n = n->next) {
        PF_TRY(is_merge(n) ? put_merge(b, list, n) : PF_OK);
    }
    for (pf_node *n = mapping->first; n; n = n->next) {
        PF_TRY(is_merge(n) ? PF_OK : put_entry(b, list, n));
    }
    PF_TRY(drop_former(b, list));
    mapping->first = mapping->last = NULL;
    mapping->children = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->node[i]) {
            list->node[i]->next = NULL;
            pf_node_append(mapping, list->node[i]);
        }
    }
    return PF_OK;
}

static pf_status merge(yaml_builder *b, pf_node *mapping)
{
    entries list = {0};
    pf_status st = merge_entries(b, mapping, &list);
    free(list.node);
    return st;
}

static pf_status close_collection(yaml_builder *b)
{
    yaml_frame f = *top(b);
    pf_node *n = pf_maker_close(&b->maker);
    PF_TRY(f.has_merge ? merge(b, n) : PF_OK);
    if (f.anchor != SIZE_MAX && f.anchor < b->anchor_count) {
        b->anchors[f.anchor].nodes = b->maker.document->nodes - f.nodes_before;
    }
    return PF_OK;
}

static pf_status take_event(yaml_builder *b, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        return b->documents++ ? refuse(b, &e->start_mark, "a second document begins here; keep one in the file")
                              : PF_OK;
    case YAML_SCALAR_EVENT:
        return take_scalar(b, e);
    case YAML_ALIAS_EVENT:
        return take_alias(b, e);
    case YAML_SEQUENCE_START_EVENT:
        return open_collection(b, PF_NODE_LIST, e->data.sequence_start.anchor, &e->start_mark);
    case YAML_MAPPING_START_EVENT:
        return open_collection(b, PF_NODE_OBJECT, e->data.mapping_start.anchor, &e->start_mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_collection(b);
    default:
        return PF_OK;
    }
}

/* What libyaml found, and what usually is the reason. */
static pf_status refuse_syntax(yaml_builder *b, const yaml_parser_t *parser)
{
    char text[200];
    snprintf(text, sizeof text, "%s; indent with spaces, and quote strings that hold ':', '#' or brackets",
             parser->problem ? parser->problem : "this is not YAML");
    return refuse(b, &parser->problem_mark, text);
}

static pf_status take_events(yaml_builder *b, yaml_parser_t *parser)
{
    pf_status st = PF_OK;
    for (bool more = true; st == PF_OK && more;) {
        yaml_event_t e;
        if (!b->yaml.parser_parse(parser, &e)) {
            PF_TRY(parser->error == YAML_MEMORY_ERROR ? pf_no_memory(&b->maker.error) : PF_OK);
            return refuse_syntax(b, parser);
        }
        more = e.type != YAML_STREAM_END_EVENT;
        st = take_event(b, &e);
        b->yaml.event_delete(&e);
    }
    return st;
}

pf_status pf_yaml_parse(pf_str text, const pf_parse_limits *limits, pf_document **out, pf_error *err)
{
    size_t skip = pf_str_starts(text, PF_STR("\xef\xbb\xbf")) ? 3 : 0;
    yaml_builder b = {.mark_bytes = skip};
    yaml_parser_t parser;
    pf_status st = pf_maker_begin(&b.maker, text, limits);
    st = st == PF_OK ? pf_yaml_load(&b.yaml, &b.maker.error) : st;
    if (st == PF_OK && !b.yaml.parser_initialize(&parser)) {
        st = pf_no_memory(&b.maker.error);
    } else if (st == PF_OK) {
        b.yaml.parser_set_encoding(&parser, YAML_UTF8_ENCODING);
        b.yaml.parser_set_input_string(&parser, (const unsigned char *)text.ptr + skip, text.len - skip);
        st = take_events(&b, &parser);
        b.yaml.parser_delete(&parser);
    }
    pf_yaml_unload(&b.yaml);
    if (st == PF_OK && !b.maker.document->root) {
        pf_maker_add(&b.maker, PF_NODE_NULL, 1, 1);
    }
    free(b.frames);
    free(b.anchors);
    return pf_maker_end(&b.maker, out, err);
}
