/* write/perfetto/debug_annotations.c - arguments arrive as a walk over a tree (values, and begin/end pairs around
 * containers) and leave as nested DebugAnnotation messages: each is an entry of the list of its container, dict_entries
 * or array_values, or of the event's debug_annotations at the top. Which list is due is a byte per open container, a
 * capital once it has an entry.
 *
 * An entry of an array is a message of at least four bytes, so an array of numbers (shapes and strides of tensors
 * fill a PyTorch trace) is shorter as JSON text, which an annotation may hold too: the text of an array is gathered
 * while it is written, and at its end the shorter form stays. Numbers of their own are texts too where that is shorter:
 * negative ones, whose varint has ten bytes, and reals with few digits. Perfetto makes the same arguments of both.
 *
 * Perfetto has no null and no empty container; it passes over a nested_value without content. Ours says what was there,
 * for readers that want to know: a leaf is a null, and a dictionary an empty container (such an entry of a list counts
 * for the indexes of those after it, as an empty container of JSON does), with an empty array value if it is a list.
 * A list of nothing but nulls in another list would not count: it gets such an entry after them, and is noted in the
 * event's note as it is.
 */
#include "write/perfetto/debug_annotations.h"

#include "base/str.h"
#include "base/text/number.h"

#define LIST_LEVELS 16u

void pf_annotator_init(pf_annotator *a, pf_packets *p)
{
    a->p = p;
    a->ahead = NULL;
    a->nesting = (pf_buffer){0};
}

void pf_annotator_free(pf_annotator *a)
{
    pf_buffer_free(&a->nesting);
}

/* Decimals of so many digits are further apart than doubles, so that none is taken for another. */
#define SURE_DIGITS 15

bool pf_real_comes_back(const pf_value *v)
{
    char text[PF_NUMBER_MAX];
    double written, read;
    unsigned digits = 0;
    bool whole = true, sure = v->spelling.len <= SURE_DIGITS + 2;
    if (!v->spelling.ptr || v->as.d != v->as.d) {
        return true;
    }
    for (size_t i = 0; i < v->spelling.len; i++) {
        char c = v->spelling.ptr[i];
        digits += pf_is_digit(c);
        whole = whole && (c == '-' || pf_is_digit(c));
        sure = sure && (c == '-' || c == '.' || pf_is_digit(c));
    }
    if (whole || (sure && digits <= SURE_DIGITS)) {
        return !whole;
    }
    size_t len = v->as.d - v->as.d == 0 ? pf_format_real_like_perfetto(v->as.d, text) : 0;
    bool named = len == 0 && (v->spelling.ptr[0] == 'I' || (v->spelling.len > 1 && v->spelling.ptr[1] == 'I'));
    return named || (len && pf_parse_real(text, len, &written) &&
                     pf_parse_real(v->spelling.ptr, v->spelling.len, &read) && written == read);
}

static bool is_list(char state)
{
    return state != 'd' && state != 'D';
}

static void begin_annotation(pf_annotator *a, pf_str key, bool is_null)
{
    size_t depth = a->nesting.len;
    char container = 0;
    if (depth) {
        char *top = &a->nesting.data[depth - 1];
        container = is_list(*top) ? 'a' : 'd';
        *top = (char)(container == 'd' ? 'D' : is_null && *top != 'A' ? 'N' : 'A');
    }
    pf_writer_begin(&a->p->w, !container         ? PF_F_EVENT_DEBUG_ANNOTATIONS
                              : container == 'a' ? PF_F_ANNOTATION_ARRAY_VALUES
                                                 : PF_F_ANNOTATION_DICT_ENTRIES);
    if (key.ptr && container != 'a') {
        pf_packets_arg_name(a->p, depth ? key : pf_arg_plain_key(key));
    }
}

static void put_nothing(pf_annotator *a, uint64_t type)
{
    pf_writer_begin(&a->p->w, PF_F_ANNOTATION_NESTED);
    pf_writer_varint(&a->p->w, PF_F_NESTED_TYPE, type == PF_NESTED_ARRAY ? PF_NESTED_DICT : type);
    if (type == PF_NESTED_ARRAY) {
        pf_writer_bytes(&a->p->w, PF_F_NESTED_ARRAY_VALUES, "", 0);
    }
    pf_writer_end(&a->p->w);
}

/* Room for the next element, with a comma in front of it; NULL if the text is too long. */
static char *list_room(pf_annotator *a)
{
    a->plain = a->list_len <= PF_LIST_BYTES - PF_SHORT_NUMBER_MAX - 1;
    if (a->plain && a->list_len && a->list[a->list_len - 1] != '[') {
        a->list[a->list_len++] = ',';
    }
    return a->plain ? a->list + a->list_len : NULL;
}

static void list_value(pf_annotator *a, const pf_value *value)
{
    char *room = list_room(a);
    size_t len = room ? pf_short_number(value, room) : 0;
    a->list_len += len;
    a->plain = len > 0;
}

static void list_begin(pf_annotator *a)
{
    if (a->arrays == 0) {
        a->plain = true;
        a->start = a->p->bytes.len;
        a->list_len = 0;
    } else if (a->arrays == LIST_LEVELS) {
        a->plain = false;
    }
    if (a->plain && list_room(a)) {
        a->list[a->list_len++] = '[';
    }
}

/* Whether the number is shorter as text, and then is written so. Perfetto does not see the end of a number that is also
 * the end of the text: a blank follows it. */
static bool put_as_text(pf_annotator *a, const pf_value *value)
{
    char text[PF_SHORT_NUMBER_MAX + 1];
    bool negative = value->type == PF_VALUE_INT && value->as.i < 0;
    size_t len = negative || value->type == PF_VALUE_REAL ? pf_short_number(value, text) : 0;
    if (len == 0 || len + 3 >= (negative ? 1 + PF_VARINT_MAX : 9)) {
        return false;
    }
    text[len] = ' ';
    pf_writer_bytes(&a->p->w, PF_F_ANNOTATION_LEGACY_JSON, text, len + 1);
    return true;
}

/* The outermost array is complete: the text takes the place of its entries if it is shorter. */
static void list_end(pf_annotator *a)
{
    pf_writer *w = &a->p->w;
    a->plain = a->plain && a->list_len < PF_LIST_BYTES;
    if (a->plain) {
        a->list[a->list_len++] = ']';
    }
    size_t len = a->list_len, field = 2 + len + (len >= 0x80);
    if (a->arrays == 0 && a->plain && !w->failed && field < a->p->bytes.len - a->start) {
        pf_writer_cut(w, a->start);
        pf_writer_bytes(w, PF_F_ANNOTATION_LEGACY_JSON, a->list, len);
    }
}

static pf_status on_begin(void *ctx, pf_str key, bool list)
{
    pf_annotator *a = ctx;
    begin_annotation(a, key, false);
    pf_buffer_put(&a->nesting, list ? "a" : "d", 1);
    if (list) {
        list_begin(a);
    } else {
        a->plain = false;
    }
    a->arrays += list;
    return a->nesting.failed ? PF_ERR_MEMORY : PF_OK;
}

static pf_status on_end(void *ctx)
{
    pf_annotator *a = ctx;
    if (a->nesting.len) {
        char top = a->nesting.data[--a->nesting.len];
        if (top == 'd' || top == 'a') {
            put_nothing(a, top == 'd' ? PF_NESTED_DICT : PF_NESTED_ARRAY);
        }
        if (top == 'N' && a->nesting.len && is_list(a->nesting.data[a->nesting.len - 1])) {
            pf_writer_begin(&a->p->w, PF_F_ANNOTATION_ARRAY_VALUES);
            put_nothing(a, PF_NESTED_DICT);
            pf_writer_end(&a->p->w);
            a->lossy = true;
        }
        if (is_list(top)) {
            a->arrays--;
            list_end(a);
        }
        pf_writer_end(&a->p->w);
    }
    return PF_OK;
}

static pf_status on_value(void *ctx, pf_str key, const pf_value *value)
{
    pf_annotator *a = ctx;
    begin_annotation(a, key, value->type == PF_VALUE_NULL);
    if (value->type == PF_VALUE_NULL) {
        put_nothing(a, PF_NESTED_LEAF);
    } else if (a->arrays || !put_as_text(a, value)) {
        pf_packets_value(a->p, value);
    }
    a->lossy = a->lossy || (value->type == PF_VALUE_REAL && !pf_real_comes_back(value));
    if (a->arrays && a->plain) {
        list_value(a, value);
    }
    pf_writer_end(&a->p->w);
    return a->p->failed;
}

void pf_annotate_event(pf_annotator *a, const pf_trace *t, uint32_t row)
{
    const pf_arg_visitor visitor = {a, on_begin, on_end, on_value, true};
    pf_error e;
    a->arrays = 0;
    a->lossy = false;
    pf_status st =
        a->ahead ? pf_args_ahead_visit(a->ahead, row, &visitor, &e) : pf_trace_visit_args(t, row, &visitor, &e);
    while (a->nesting.len) { /* damage inside may have ended the walk early */
        on_end(a);
    }
    st = a->nesting.failed ? pf_no_memory(&e) : st;
    if (st != PF_OK) {
        pf_packets_fail(a->p, &e);
    }
}

void pf_annotate(pf_packets *p, pf_str name, const pf_value *value)
{
    pf_writer_begin(&p->w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    pf_packets_arg_name(p, name);
    pf_packets_value(p, value);
    pf_writer_end(&p->w);
}
