/* query/define/macros.c - macros: name!(a, b) stands for a text in which $x is the text of an argument.
 *
 * Calls are replaced in one pass over the tokens. A call that is open has a frame that knows where its arguments begin
 * in the output; when it closes, what it stands for takes their place. Calls inside of arguments are therefore replaced
 * before the call around them. The body of a macro is a text, too: calls in it are replaced when the macro is defined,
 * so no macro can call itself. Names are compared byte by byte.
 *
 * Macros that are built in (built_in_macros.c) work on the tokens of their arguments. In the body of a macro these may
 * be its parameters: then the call stays in the body, and what the macro stands for is gone through once more when it
 * is called. So is what they make, which may hold calls.
 *
 * _auto_id, the number of a row of a made table from 0 on, is replaced on the way: SQLite counts rows from 1.
 */
#include "query/define/define.h"

#include <string.h>

#include "base/str.h"

#define CALLS_MAX 64u      /* inside of each other */
#define ARGUMENTS_MAX 127u /* as many as a function may have */

typedef pf_sql_function macro;

typedef struct part {
    size_t start, end; /* in the output */
} part;

typedef struct call {
    const macro *macro; /* or */
    const pf_sql_built_in *built_in;
    pf_str name;
    size_t at;      /* in the input */
    size_t start;   /* in the output */
    unsigned depth; /* of parentheses */
    size_t first;   /* of its parts; the last one is still open */
} call;

typedef struct expander {
    const pf_query *q;
    const pf_sql_text *from;
    pf_sql_expansion *x;
    call open[CALLS_MAX];
    size_t open_count;
    pf_buffer parts, written;
    size_t part_count;
    size_t copied;  /* of the input */
    bool defines;   /* the text defines a macro */
    unsigned depth; /* of texts that calls stand for */
    pf_error *err;
} expander;

static const macro *find(const pf_query *q, pf_str name)
{
    const macro *m = q->macros;
    while (m && !pf_str_equal(m->prototype.name, name)) {
        m = m->next;
    }
    return m;
}

static part *part_at(expander *e, size_t i)
{
    return (part *)(void *)e->parts.data + i;
}

static pf_status fail(const expander *e, size_t at, const char *what)
{
    return pf_fail_at(e->err, PF_ERR_USAGE, pf_sql_origin(e->from, at), "%s", what);
}

static bool put(pf_buffer *b, const char *bytes, size_t len)
{
    pf_buffer_put(b, bytes, len);
    return !b->failed;
}

static pf_status check_size(const expander *e, size_t len)
{
    int most = sqlite3_limit(e->q->db, SQLITE_LIMIT_SQL_LENGTH, -1);
    if (len <= (size_t)most) {
        return PF_OK;
    }
    return pf_fail_at(e->err, PF_ERR_LIMIT, e->from->start, "macros make this statement longer than %d bytes", most);
}

/* Copies the input up to a place. Blanks before the first token of an argument are left out. */
static pf_status copy_to(expander *e, size_t at)
{
    bool leading = e->open_count && part_at(e, e->part_count - 1)->start == SIZE_MAX;
    if (!leading && !put(&e->x->text, e->from->text.ptr + e->copied, at - e->copied)) {
        return pf_no_memory(e->err);
    }
    e->copied = at;
    return check_size(e, e->x->text.len);
}

static pf_status new_part(expander *e)
{
    part fresh = {SIZE_MAX, SIZE_MAX};
    e->part_count++;
    e->parts.len = (e->part_count - 1) * sizeof fresh;
    pf_buffer_put(&e->parts, &fresh, sizeof fresh);
    return e->parts.failed ? pf_no_memory(e->err) : PF_OK;
}

/* A token is part of the argument that is open; its end is known when the token has been copied. */
static pf_status copy_token(expander *e, pf_token t)
{
    PF_TRY(copy_to(e, t.start));
    part *last = e->open_count ? part_at(e, e->part_count - 1) : NULL;
    if (last && last->start == SIZE_MAX) {
        last->start = e->x->text.len;
    }
    PF_TRY(copy_to(e, t.end));
    if (last) {
        last->end = e->x->text.len;
    }
    return PF_OK;
}

static pf_status open_call(expander *e, pf_token name)
{
    pf_str text = {e->from->text.ptr + name.start, name.end - name.start};
    const pf_sql_built_in *built_in = pf_sql_built_in_find(text);
    const macro *m = built_in ? NULL : find(e->q, text);
    if (!m && !built_in) {
        return pf_fail_at(e->err, PF_ERR_USAGE, pf_sql_origin(e->from, name.start), "there is no macro %.*s",
                          text.len < 100 ? (int)text.len : 100, text.ptr);
    }
    if (e->open_count == CALLS_MAX) {
        return fail(e, name.start, "too many calls of macros inside of each other");
    }
    PF_TRY(copy_to(e, name.start));
    part *around = e->open_count ? part_at(e, e->part_count - 1) : NULL;
    if (around && around->start == SIZE_MAX) {
        around->start = e->x->text.len;
    }
    e->open[e->open_count++] = (call){m, built_in, text, name.start, e->x->text.len, 0, e->part_count};
    return new_part(e);
}

/* What the call stands for, into `written`. */
static pf_status write_body(expander *e, const call *c)
{
    const pf_prototype *p = &c->macro->prototype;
    pf_str text = {c->macro->text, p->body_end};
    size_t copied = p->body;
    e->written.len = 0;
    for (pf_token t = pf_sql_token(text, copied); t.type != PF_TOKEN_END; t = pf_sql_token(text, t.end)) {
        pf_str word = {text.ptr + t.start + 1, t.end - t.start - 1};
        size_t i = 0;
        bool variable = t.type == PF_TOKEN_WORD && text.ptr[t.start] == '$';
        while (variable && i < p->parameters.count && !pf_str_equal(pf_parameter_at(&p->parameters, i)->name, word)) {
            i++;
        }
        if (variable && i < p->parameters.count) {
            const part *argument = part_at(e, c->first + i);
            pf_buffer_put(&e->written, text.ptr + copied, t.start - copied);
            pf_buffer_put(&e->written, e->x->text.data + argument->start, argument->end - argument->start);
            copied = t.end;
        }
        if (check_size(e, e->written.len) != PF_OK) {
            return PF_ERR_LIMIT;
        }
    }
    return put(&e->written, text.ptr + copied, text.len - copied) ? PF_OK : pf_no_memory(e->err);
}

static pf_str text_of(expander *e, size_t i)
{
    const part *p = part_at(e, i);
    return (pf_str){e->x->text.data + p->start, p->end - p->start};
}

static bool has_variable(pf_str text)
{
    pf_token t = pf_sql_token(text, 0);
    while (t.type != PF_TOKEN_END && (t.type != PF_TOKEN_WORD || text.ptr[t.start] != '$')) {
        t = pf_sql_token(text, t.end);
    }
    return t.type != PF_TOKEN_END;
}

/* The same for a macro that is built in; *stays: as the call that it was. */
static pf_status write_built_in(expander *e, const call *c, bool *stays)
{
    pf_str argument[PF_SQL_BUILT_IN_ARGUMENTS];
    size_t count = e->part_count - c->first;
    for (size_t i = 0; i < count; i++) {
        argument[i] = text_of(e, c->first + i);
        *stays |= e->defines && has_variable(argument[i]);
    }
    e->written.len = 0;
    if (*stays) {
        pf_buffer_put(&e->written, c->name.ptr, c->name.len);
        for (size_t i = 0; i < count; i++) {
            pf_buffer_text(&e->written, i ? ", " : "!(");
            pf_buffer_put(&e->written, argument[i].ptr, argument[i].len);
        }
        pf_buffer_text(&e->written, ")");
    } else {
        const char *wrong = pf_sql_built_in_write(c->built_in, argument, count, &e->written);
        PF_TRY(wrong ? fail(e, c->at, wrong) : check_size(e, e->written.len));
    }
    return e->written.failed ? pf_no_memory(e->err) : PF_OK;
}

static pf_status expand(const pf_query *q, pf_sql_text *statement, pf_sql_expansion *x, bool defines, unsigned depth,
                        pf_error *err);

/* Goes through what a call stands for. */
static pf_status expand_written(expander *e, const call *c)
{
    pf_sql_expansion x;
    pf_error own = {.offset = PF_NOWHERE};
    pf_sql_text text = {.text = {e->written.data, e->written.len}};
    if (e->depth == CALLS_MAX) {
        return fail(e, c->at, "too many calls of macros inside of each other");
    }
    pf_status st = expand(e->q, &text, &x, e->defines, e->depth + 1, &own);
    if (st == PF_OK && x.text.len) {
        e->written.len = 0;
        pf_buffer_put(&e->written, x.text.data, x.text.len);
        st = e->written.failed ? pf_no_memory(&own) : PF_OK;
    }
    pf_sql_expansion_free(&x);
    return st == PF_OK ? PF_OK : pf_fail_at(e->err, st, pf_sql_origin(e->from, c->at), "%s", own.text);
}

static pf_status check_arguments(expander *e, const call *c)
{
    size_t count = e->part_count - c->first, wanted = c->macro ? c->macro->prototype.parameters.count : count;
    if (count == 1 && part_at(e, c->first)->start == SIZE_MAX) {
        count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (part_at(e, c->first + i)->start == SIZE_MAX) {
            return fail(e, c->at, "an argument of this macro is empty");
        }
    }
    if (count != wanted) {
        return pf_fail_at(e->err, PF_ERR_USAGE, pf_sql_origin(e->from, c->at),
                          "arguments of this macro: %zu expected, %zu given", wanted, count);
    }
    return PF_OK;
}

static pf_status close_call(expander *e, pf_token paren)
{
    const call *c = &e->open[e->open_count - 1];
    bool stays = false;
    PF_TRY(check_arguments(e, c));
    PF_TRY(c->macro ? write_body(e, c) : write_built_in(e, c, &stays));
    PF_TRY(stays ? PF_OK : expand_written(e, c));
    e->x->text.len = c->start;
    pf_buffer_put(&e->x->text, e->written.data, e->written.len);
    e->part_count = c->first;
    e->copied = paren.end;
    e->open_count--;
    if (e->open_count) {
        part_at(e, e->part_count - 1)->end = e->x->text.len;
        return check_size(e, e->x->text.len);
    }
    pf_sql_span span = {c->start, e->x->text.len, c->at, paren.end};
    pf_buffer_put(&e->x->spans, &span, sizeof span);
    return e->x->text.failed || e->x->spans.failed ? pf_no_memory(e->err) : PF_OK;
}

/* A token that is neither the beginning nor the end of a call. */
static pf_status other_token(expander *e, pf_token t)
{
    call *c = e->open_count ? &e->open[e->open_count - 1] : NULL;
    if (c && c->depth == 0 && pf_sql_is(e->from->text, t, ",")) {
        if (e->part_count - c->first > ARGUMENTS_MAX) {
            return fail(e, c->at, "too many arguments of a macro");
        }
        return new_part(e);
    }
    if (c) {
        c->depth = pf_sql_depth(e->from->text, t, c->depth);
    }
    return copy_token(e, t);
}

static bool is_call(pf_str text, pf_token name, pf_token *paren)
{
    pf_token mark = name.type == PF_TOKEN_WORD ? pf_sql_token(text, name.end) : name;
    if (name.type != PF_TOKEN_WORD || !pf_sql_is(text, mark, "!")) {
        return false;
    }
    *paren = pf_sql_token(text, mark.end);
    return pf_sql_is(text, *paren, "(");
}

#define ROW_NUMBER "_auto_id"

/* [table.]_auto_id at t; *end: its last token. */
static bool is_row_number(pf_str text, pf_token t, pf_token *end)
{
    pf_token dot = pf_sql_token(text, t.end);
    *end = pf_sql_is(text, dot, ".") ? pf_sql_token(text, dot.end) : t;
    return (t.type == PF_TOKEN_WORD || t.type == PF_TOKEN_QUOTED) && pf_sql_is(text, *end, ROW_NUMBER);
}

static pf_status put_row_number(expander *e, pf_token before, pf_token t, pf_token end)
{
    pf_buffer *out = &e->x->text;
    PF_TRY(copy_to(e, t.start));
    part *last = e->open_count ? part_at(e, e->part_count - 1) : NULL;
    size_t start = out->len;
    if (last && last->start == SIZE_MAX) {
        last->start = start;
    }
    pf_buffer_text(out, "(");
    pf_buffer_put(out, e->from->text.ptr + t.start, end.start - t.start);
    pf_buffer_text(out, "rowid - 1)");
    static const char *const ENDS[] = {",", "FROM", NULL};
    bool named = pf_sql_is(e->from->text, before, "SELECT") &&
                 pf_sql_is_any(e->from->text, pf_sql_token(e->from->text, end.end), ENDS);
    pf_buffer_text(out, named ? " AS " ROW_NUMBER : "");
    e->copied = end.end;
    if (last) {
        last->end = out->len;
        return out->failed ? pf_no_memory(e->err) : PF_OK;
    }
    pf_sql_span span = {start, out->len, t.start, end.end};
    pf_buffer_put(&e->x->spans, &span, sizeof span);
    return out->failed || e->x->spans.failed ? pf_no_memory(e->err) : PF_OK;
}

static bool has_call(pf_str text)
{
    pf_token paren;
    bool mark = text.len && memchr(text.ptr, '!', text.len),
         number = text.len && memmem(text.ptr, text.len, ROW_NUMBER, strlen(ROW_NUMBER));
    pf_token t = {PF_TOKEN_END, 0, 0};
    if (mark || number) {
        t = pf_sql_token(text, 0);
        while (t.type != PF_TOKEN_END && !is_call(text, t, &paren) && !pf_sql_is(text, t, ROW_NUMBER)) {
            t = pf_sql_token(text, t.end);
        }
    }
    return t.type != PF_TOKEN_END;
}

static pf_status expand_tokens(expander *e)
{
    pf_str text = e->from->text;
    pf_token t = pf_sql_token(text, 0), before = {PF_TOKEN_END, 0, 0}, end;
    for (; t.type != PF_TOKEN_END; before = t, t = pf_sql_token(text, t.end)) {
        if (is_call(text, t, &end)) {
            PF_TRY(open_call(e, t));
            t = end;
        } else if (!pf_sql_is(text, before, "AS") && is_row_number(text, t, &end)) {
            PF_TRY(put_row_number(e, before, t, end));
            t = end;
        } else if (e->open_count && e->open[e->open_count - 1].depth == 0 && pf_sql_is(text, t, ")")) {
            PF_TRY(close_call(e, t));
        } else {
            PF_TRY(other_token(e, t));
        }
    }
    if (e->open_count) {
        return fail(e, e->open[e->open_count - 1].at, "the call of this macro is not closed");
    }
    return copy_to(e, text.len);
}

static pf_status expand(const pf_query *q, pf_sql_text *statement, pf_sql_expansion *x, bool defines, unsigned depth,
                        pf_error *err)
{
    *x = (pf_sql_expansion){0};
    if (!has_call(statement->text)) {
        return PF_OK;
    }
    expander e = {.q = q, .from = statement, .x = x, .defines = defines, .depth = depth, .err = err};
    pf_status st = expand_tokens(&e);
    pf_buffer_free(&e.parts);
    pf_buffer_free(&e.written);
    if (st == PF_OK) {
        statement->text = (pf_str){x->text.data, x->text.len};
        statement->spans = (const pf_sql_span *)(const void *)x->spans.data;
        statement->span_count = x->spans.len / sizeof(pf_sql_span);
    }
    return st;
}

/* CREATE [OR REPLACE] PERFETTO MACRO. */
static bool defines_macro(pf_str text)
{
    pf_token t = pf_sql_token(text, 0);
    bool creates = pf_sql_is(text, t, "CREATE");
    t = pf_sql_token(text, t.end);
    if (pf_sql_is(text, t, "OR")) {
        t = pf_sql_token(text, pf_sql_token(text, t.end).end);
    }
    return creates && pf_sql_is(text, t, "PERFETTO") && pf_sql_is(text, pf_sql_token(text, t.end), "MACRO");
}

pf_status pf_sql_expand(const pf_query *q, pf_sql_text *statement, pf_sql_expansion *x, pf_error *err)
{
    return expand(q, statement, x, defines_macro(statement->text), 0, err);
}

void pf_sql_expansion_free(pf_sql_expansion *x)
{
    pf_buffer_free(&x->text);
    pf_buffer_free(&x->spans);
}

static const char *const KINDS[] = {"Expr",     "TableOrSubquery", "ColumnName",     "ColumnNameList",
                                    "ExprList", "UnparenExprList", "_TableNameList", "_ProjectionFragment",
                                    NULL};

/* NULL, or what is wrong at *at. */
static const char *check(const macro *m, pf_str text, size_t *at)
{
    const pf_prototype *p = &m->prototype;
    if (p->parameters.count > ARGUMENTS_MAX) {
        *at = 0;
        return "a macro has 127 arguments at most";
    }
    for (size_t i = 0; i < p->parameters.count; i++) {
        *at = pf_parameter_at(&p->parameters, i)->kind.start;
        if (!pf_sql_is_any(text, pf_parameter_at(&p->parameters, i)->kind, KINDS)) {
            return "arguments of macros are Expr, TableOrSubquery, ColumnName, ColumnNameList, ExprList, "
                   "UnparenExprList, "
                   "_TableNameList or _ProjectionFragment";
        }
    }
    *at = p->returns.start;
    return !p->table && pf_sql_is_any(text, p->returns, KINDS)
               ? NULL
               : "a macro returns what its arguments can be: Expr and others";
}

static pf_status add(pf_query *q, macro *m, const pf_statement *s, pf_error *err)
{
    macro **link = &q->macros;
    while (*link && !pf_str_equal((*link)->prototype.name, m->prototype.name)) {
        link = &(*link)->next;
    }
    macro *old = *link;
    if (old && !s->redefines) {
        return pf_fail_at(err, PF_ERR_USAGE, pf_sql_position(s, s->definition),
                          "there is a macro with this name; CREATE OR REPLACE replaces it");
    }
    m->next = old ? old->next : NULL;
    *link = m;
    if (old) {
        pf_sql_definition_free(old);
    }
    return PF_OK;
}

pf_status pf_sql_define_macro(pf_query *q, const pf_statement *s, pf_error *err)
{
    macro *m = pf_sql_definition_new(q, s, err);
    if (!m) {
        return PF_ERR_MEMORY;
    }
    size_t at;
    pf_str text = {m->text, s->text.len - 1};
    const char *wrong = pf_prototype_parse(text, s->definition, &m->prototype, &at);
    wrong = wrong ? wrong : check(m, text, &at);
    pf_status st = !wrong ? add(q, m, s, err)
                   : wrong == pf_prototype_no_memory
                       ? pf_no_memory(err)
                       : pf_fail_at(err, PF_ERR_USAGE, pf_sql_position(s, at), "CREATE PERFETTO MACRO: %s", wrong);
    if (st != PF_OK) {
        pf_sql_definition_free(m);
    }
    return st;
}
