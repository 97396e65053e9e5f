/* write/report/json_document.c - a document tree as JSON text, byte for byte what Python's json.dumps prints.
 *
 * Without a style that is json.dumps(tree, indent=2): two blanks per level, ": " after keys, "," and a newline between
 * members, [] and {} for empty containers, everything beyond ASCII as escapes of four hexadecimal digits (two of them
 * above U+FFFF), no newline at the end.
 *
 * The walk keeps its own stack of open containers, so the depth of a tree costs heap, not call stack: the top of the
 * stack is the container whose next member is due; when there is none left the container is closed.
 */
#include <stdlib.h>

#include "base/list.h"
#include "base/text/json_text.h"
#include "postfetto/write.h"
#include "write/report/report_text.h"

typedef struct frame {
    const pf_node *container;
    const pf_node *next; /* the member to be written next */
} frame;

typedef struct walk {
    pf_json_style style; /* complete */
    pf_json_sink sink;
    frame *frames;
    size_t depth, room;
} walk;

static bool is_open_container(const pf_node *n)
{
    return (n->type == PF_NODE_LIST || n->type == PF_NODE_OBJECT) && n->first != NULL;
}

static void put_leaf(walk *w, const pf_node *n)
{
    pf_buffer *b = &w->sink.out;
    switch (n->type) {
    case PF_NODE_NULL:
        pf_buffer_text(b, "null");
        break;
    case PF_NODE_BOOL:
        pf_buffer_text(b, n->as.b ? "true" : "false");
        break;
    case PF_NODE_INT:
        pf_buffer_int(b, n->as.i);
        break;
    case PF_NODE_REAL:
        pf_json_put_real(b, n->as.d);
        break;
    case PF_NODE_TEXT:
        pf_json_put_styled(&w->sink.out, &w->style, n->as.s);
        break;
    case PF_NODE_RAW:
        pf_buffer_put(b, n->as.s.ptr, n->as.s.len);
        break;
    case PF_NODE_LIST:
        pf_buffer_text(b, "[]");
        break;
    case PF_NODE_OBJECT:
        pf_buffer_text(b, "{}");
        break;
    }
}

static void open_container(walk *w, const pf_node *n)
{
    if (PF_LIST_ROOM(NULL, w->frames, w->depth + 1, w->room, NULL) != PF_OK) {
        w->sink.out.failed = true;
        return;
    }
    pf_buffer_put(&w->sink.out, n->type == PF_NODE_LIST ? "[" : "{", 1);
    w->frames[w->depth++] = (frame){n, n->first};
}

static void write_value(walk *w, const pf_node *n)
{
    if (is_open_container(n)) {
        open_container(w, n);
    } else if (n->type == PF_NODE_LIST && n->as.rows.table) {
        pf_json_put_table(&w->sink, &w->style, n->as.rows.table, n->as.rows.from, w->depth);
    } else {
        put_leaf(w, n);
    }
}

static void write_tree(walk *w, const pf_node *root)
{
    write_value(w, root);
    while (w->depth > 0 && pf_json_sink_works(&w->sink)) {
        pf_json_sink_empty(&w->sink, PF_JSON_MUCH);
        frame *top = &w->frames[w->depth - 1];
        const pf_node *member = top->next;
        if (!member) {
            pf_json_put_line(&w->sink.out, &w->style, w->depth - 1);
            pf_buffer_put(&w->sink.out, top->container->type == PF_NODE_LIST ? "]" : "}", 1);
            w->depth--;
            continue;
        }
        if (member != top->container->first) {
            pf_buffer_text(&w->sink.out, w->style.item_separator);
        }
        pf_json_put_line(&w->sink.out, &w->style, w->depth);
        if (top->container->type == PF_NODE_OBJECT) {
            pf_json_put_styled(&w->sink.out, &w->style, member->key);
            pf_buffer_text(&w->sink.out, w->style.key_separator);
        }
        top->next = member->next;
        write_value(w, member);
    }
}

static pf_json_style complete(const pf_json_style *style)
{
    pf_json_style s = style ? *style : (pf_json_style){.one_line = false};
    s.indent = s.indent > 0 ? s.indent : 2;
    s.item_separator = s.item_separator ? s.item_separator : s.one_line ? ", " : ",";
    s.key_separator = s.key_separator ? s.key_separator : ": ";
    return s;
}

pf_status pf_format_json(const pf_node *root, char **text, size_t *len, pf_error *err)
{
    return pf_format_json_styled(root, NULL, text, len, err);
}

pf_status pf_format_json_styled(const pf_node *root, const pf_json_style *style, char **text, size_t *len,
                                pf_error *err)
{
    walk w = {.style = complete(style)};
    pf_buffer *out = &w.sink.out;
    *text = NULL;
    *len = 0;
    if (!root) {
        return pf_fail(err, PF_ERR_INTERNAL, "there is no document to format");
    }
    write_tree(&w, root);
    pf_buffer_put(out, "\n", w.style.final_newline ? 1 : 0);
    free(w.frames);
    return pf_buffer_give(out, text, len, err);
}

pf_status pf_json_write(const pf_node *root, const pf_json_style *style, pf_outfile *file, const pf_part_watch *watch,
                        uint64_t *written, pf_error *err)
{
    walk w = {.style = complete(style), .sink = {.file = file, .watch = watch, .err = err}};
    if (!root) {
        return pf_fail(err, PF_ERR_INTERNAL, "there is no document to write");
    }
    write_tree(&w, root);
    pf_buffer_put(&w.sink.out, "\n", w.style.final_newline ? 1 : 0);
    pf_json_sink_empty(&w.sink, 1);
    bool failed = w.sink.out.failed;
    *written += w.sink.written;
    free(w.frames);
    pf_buffer_free(&w.sink.out);
    return failed ? pf_no_memory(err) : w.sink.status;
}
