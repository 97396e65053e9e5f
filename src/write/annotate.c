/* annotate.c - arguments arrive as a walk over a tree (values, and begin/end pairs around containers) and leave as
 * nested DebugAnnotation messages: each is an entry of the list of its container, dict_entries or array_values, or of
 * the event's debug_annotations at the top. Which list is due is a byte per open container, a capital once it has an
 * entry.
 *
 * Perfetto has no null and no empty container; it passes over a nested_value without content. Ours says what was there,
 * for readers that want to know: a leaf is a null, and a dictionary an empty container (such an entry of a list counts
 * for the indexes of those behind it, as an empty container of JSON does), with an empty array value if it is a list.
 */
#include "write/annotate.h"

typedef struct annotator {
    pf_packets *p;
    pf_buffer *nesting; /* per open container: 'd' or 'a', 'D' or 'A' with entries */
} annotator;

/* Perfetto puts "debug." or "args." in front again when it reads. */
static pf_str without_prefix(pf_str key)
{
    static const pf_str prefixes[] = {{"args.", 5}, {"debug.", 6}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (key.len >= prefixes[i].len && memcmp(key.ptr, prefixes[i].ptr, prefixes[i].len) == 0) {
            return (pf_str){key.ptr + prefixes[i].len, key.len - prefixes[i].len};
        }
    }
    return key;
}

static void begin_annotation(annotator *a, pf_str key)
{
    size_t depth = a->nesting->len;
    char container = 0;
    if (depth) {
        char *top = &a->nesting->data[depth - 1];
        container = (char)(*top | 0x20);
        *top = (char)(*top & ~0x20);
    }
    pf_writer_begin(&a->p->w, !container         ? PF_F_EVENT_DEBUG_ANNOTATIONS
                              : container == 'a' ? PF_F_ANNOTATION_ARRAY_VALUES
                                                 : PF_F_ANNOTATION_DICT_ENTRIES);
    if (key.ptr && container != 'a') {
        pf_packets_arg_name(a->p, depth ? key : without_prefix(key));
    }
}

static void put_nothing(annotator *a, uint64_t type)
{
    pf_writer_begin(&a->p->w, PF_F_ANNOTATION_NESTED);
    pf_writer_varint(&a->p->w, PF_F_NESTED_TYPE, type == PF_NESTED_ARRAY ? PF_NESTED_DICT : type);
    if (type == PF_NESTED_ARRAY) {
        pf_writer_bytes(&a->p->w, PF_F_NESTED_ARRAY_VALUES, "", 0);
    }
    pf_writer_end(&a->p->w);
}

static pf_status on_object(void *ctx, pf_str key)
{
    annotator *a = ctx;
    begin_annotation(a, key);
    pf_buffer_put(a->nesting, "d", 1);
    return a->nesting->failed ? PF_ERR_MEMORY : PF_OK;
}

static pf_status on_array(void *ctx, pf_str key)
{
    annotator *a = ctx;
    begin_annotation(a, key);
    pf_buffer_put(a->nesting, "a", 1);
    return a->nesting->failed ? PF_ERR_MEMORY : PF_OK;
}

static pf_status on_end(void *ctx)
{
    annotator *a = ctx;
    if (a->nesting->len) {
        char top = a->nesting->data[--a->nesting->len];
        if (top == 'd' || top == 'a') {
            put_nothing(a, top == 'd' ? PF_NESTED_DICT : PF_NESTED_ARRAY);
        }
        pf_writer_end(&a->p->w);
    }
    return PF_OK;
}

static pf_status on_value(void *ctx, pf_str key, const pf_value *value)
{
    annotator *a = ctx;
    begin_annotation(a, key);
    if (value->type == PF_VALUE_NULL) {
        put_nothing(a, PF_NESTED_LEAF);
    } else {
        pf_packets_value(a->p, value);
    }
    pf_writer_end(&a->p->w);
    return a->p->failed;
}

pf_status pf_annotate_event(pf_packets *p, const pf_trace *t, uint32_t row, pf_buffer *nesting, pf_error *err)
{
    annotator a = {p, nesting};
    const pf_arg_visitor visitor = {&a, on_object, on_array, on_end, on_value};
    nesting->len = 0;
    pf_status st = pf_trace_visit_args(t, row, &visitor, err);
    while (nesting->len) { /* damage inside may have ended the walk early */
        on_end(&a);
    }
    if (nesting->failed) {
        return pf_fail(err, PF_ERR_MEMORY, "the system refused memory for the arguments of an event");
    }
    if (p->failed != PF_OK && err) {
        *err = p->error;
    }
    return p->failed != PF_OK ? p->failed : st;
}

void pf_annotate(pf_packets *p, pf_str name, const pf_value *value)
{
    pf_writer_begin(&p->w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    pf_packets_text(p, PF_INTERN_ARG_NAME, (pf_label){PF_NONE, name}, PF_F_ANNOTATION_NAME_IID, PF_F_ANNOTATION_NAME);
    pf_packets_value(p, value);
    pf_writer_end(&p->w);
}
