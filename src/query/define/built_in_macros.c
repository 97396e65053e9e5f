/* query/define/built_in_macros.c - macros that make texts of the tokens of their arguments.
 *
 *     __intrinsic_stringify!(t)                          the text of t in quotes
 *     __intrinsic_token_apply!(m, (x, ...)[, (y, ...)])  m!(x[, y]), ..., as many as the shorter list has
 *
 * Others differ in what stands between the calls, and whether it also stands before the first.
 */
#include "query/define/define.h"

#include "base/str.h"

struct pf_sql_built_in {
    const char *name, *joiner; /* NULL: it makes a text in quotes */
    bool leads;                /* the joiner stands before the first, too */
};

static const pf_sql_built_in BUILT_IN[] = {
    {"__intrinsic_stringify", NULL, false},          {"__intrinsic_stringify_ignore_table", NULL, false},
    {"__intrinsic_token_apply", ", ", false},        {"__intrinsic_token_apply_prefix", ", ", true},
    {"__intrinsic_token_apply_and", " AND ", false}, {"__intrinsic_token_apply_and_prefix", " AND ", true},
};

const pf_sql_built_in *pf_sql_built_in_find(pf_str name)
{
    for (size_t i = 0; i < sizeof BUILT_IN / sizeof *BUILT_IN; i++) {
        if (pf_str_is(name, BUILT_IN[i].name)) {
            return &BUILT_IN[i];
        }
    }
    return NULL;
}

/* An argument as a list, from its opening parenthesis on. */
typedef struct list {
    pf_str text;
    size_t at; /* after the last element that was taken, or the parenthesis */
    bool ended;
} list;

static bool open_list(list *l, pf_str text)
{
    pf_token first = pf_sql_token(text, 0);
    *l = (list){text, first.end, false};
    return pf_sql_is(text, first, "(");
}

/* The next element; false if there is none. *wrong: it is empty, or the list has no end where the argument ends. */
static bool next_element(list *l, pf_str *element, bool *wrong)
{
    pf_token t = pf_sql_token(l->text, l->at);
    size_t start = t.start, end = t.start, first = l->at;
    unsigned depth = 0;
    while (t.type != PF_TOKEN_END && (depth > 0 || (!pf_sql_is(l->text, t, ",") && !pf_sql_is(l->text, t, ")")))) {
        depth = pf_sql_depth(l->text, t, depth);
        end = t.end;
        t = pf_sql_token(l->text, t.end);
    }
    if (l->ended) {
        return false;
    }
    bool closes = pf_sql_is(l->text, t, ")"), empty = end == start;
    l->ended = closes || t.type == PF_TOKEN_END;
    l->at = t.end;
    *element = (pf_str){l->text.ptr + start, end - start};
    if (empty && closes && first == pf_sql_token(l->text, 0).end) {
        *wrong |= pf_sql_token(l->text, t.end).type != PF_TOKEN_END;
        return false; /* () */
    }
    *wrong |= empty || t.type == PF_TOKEN_END || (closes && pf_sql_token(l->text, t.end).type != PF_TOKEN_END);
    return !*wrong;
}

static const char *apply(const pf_sql_built_in *b, const pf_str *argument, size_t count, pf_buffer *out)
{
    list lists[2];
    bool wrong = count < 2 || count > 3;
    for (size_t i = 1; i < count && !wrong; i++) {
        wrong = !open_list(&lists[i - 1], argument[i]);
    }
    for (bool first = true; !wrong; first = false) {
        pf_str x, y = PF_STR("");
        bool more = next_element(&lists[0], &x, &wrong);
        more = (count == 2 || next_element(&lists[1], &y, &wrong)) && more;
        if (!more) {
            break;
        }
        pf_buffer_text(out, first && !b->leads ? "" : b->joiner);
        pf_buffer_put(out, argument[0].ptr, argument[0].len);
        pf_buffer_text(out, "!(");
        pf_buffer_put(out, x.ptr, x.len);
        pf_buffer_text(out, count > 2 ? ", " : "");
        pf_buffer_put(out, y.ptr, y.len);
        pf_buffer_text(out, ")");
    }
    return wrong ? "expected a macro and one or two lists: (m, (x, ...), (y, ...)); no element may be empty" : NULL;
}

const char *pf_sql_built_in_write(const pf_sql_built_in *b, const pf_str *argument, size_t count, pf_buffer *out)
{
    if (b->joiner) {
        return apply(b, argument, count, out);
    }
    if (count != 1) {
        return "this macro takes one argument";
    }
    pf_buffer_text(out, "'");
    pf_buffer_put(out, argument[0].ptr, argument[0].len);
    pf_buffer_text(out, "'");
    return NULL;
}
