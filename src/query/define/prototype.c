/* query/define/prototype.c - parses name(parameter KIND, ...) RETURNS KIND AS body.
 *
 * A parser keeps the next token and the first complaint; after a complaint it stands still, so that each step may be
 * written down without asking how the one before went.
 */
#include "query/define/prototype.h"

#include <sqlite3.h>

typedef struct parser {
    pf_str text;
    pf_token next;
    const char *complaint; /* or NULL */
} parser;

static void expect(parser *p, bool good, const char *what)
{
    p->complaint = p->complaint || good ? p->complaint : what;
}

static pf_token take(parser *p)
{
    pf_token t = p->next;
    if (!p->complaint) {
        p->next = pf_sql_token(p->text, t.end);
    }
    return t;
}

static void take_word(parser *p, const char *word, const char *complaint)
{
    expect(p, pf_sql_is(p->text, p->next, word), complaint);
    take(p);
}

static bool take_if(parser *p, const char *word)
{
    bool found = !p->complaint && pf_sql_is(p->text, p->next, word);
    if (found) {
        take(p);
    }
    return found;
}

static pf_token take_name(parser *p, const char *complaint)
{
    char first = p->next.type == PF_TOKEN_WORD ? p->text.ptr[p->next.start] : '0';
    expect(p, first != '$' && (first < '0' || first > '9'), complaint);
    return take(p);
}

static pf_str text_of(const parser *p, pf_token t)
{
    return (pf_str){p->text.ptr + t.start, t.end - t.start};
}

/* KIND, or KIND(table.column). */
static pf_token take_kind(parser *p)
{
    pf_token kind = take_name(p, "a type was expected");
    if (take_if(p, "(")) {
        take_name(p, "a table was expected");
        take_word(p, ".", "table.column was expected");
        take_name(p, "a column was expected");
        take_word(p, ")", ") was expected");
    }
    return kind;
}

static void take_parameters(parser *p, pf_parameters *list, bool may_be_empty)
{
    take_word(p, "(", "( was expected");
    if (may_be_empty && take_if(p, ")")) {
        return;
    }
    do {
        pf_token name = take_name(p, "a name was expected");
        pf_parameter one = {text_of(p, name), take_kind(p)};
        if (!p->complaint) {
            pf_buffer_put(&list->bytes, &one, sizeof one);
            list->count++;
        }
    } while (take_if(p, ","));
    take_word(p, ")", ") or , was expected");
}

/* The rest of the text: up to its last token, so that a comment at the end does not reach what comes after a call. */
static void take_body(parser *p, pf_prototype *out)
{
    expect(p, p->next.type != PF_TOKEN_END, "there is nothing after AS");
    out->body = p->next.start;
    while (!p->complaint && p->next.type != PF_TOKEN_END) {
        out->body_end = take(p).end;
    }
}

const char pf_prototype_no_memory[] = "the system refused memory";

const pf_parameter *pf_parameter_at(const pf_parameters *p, size_t i)
{
    return (const pf_parameter *)(const void *)p->bytes.data + i;
}

const char *pf_parameters_parse(pf_str text, size_t from, pf_parameters *p, size_t *at)
{
    parser in = {text, pf_sql_token(text, from), NULL};
    *p = (pf_parameters){0};
    take_parameters(&in, p, false);
    expect(&in, !p->bytes.failed, pf_prototype_no_memory);
    *at = in.next.start;
    return in.complaint;
}

const char *pf_prototype_parse(pf_str text, size_t from, pf_prototype *p, size_t *at)
{
    parser in = {text, pf_sql_token(text, from), NULL};
    *p = (pf_prototype){0};
    p->name = text_of(&in, take_name(&in, "a name was expected"));
    take_parameters(&in, &p->parameters, true);
    take_word(&in, "RETURNS", "RETURNS was expected");
    p->returns = in.next;
    p->table = take_if(&in, "TABLE");
    if (p->table) {
        take_parameters(&in, &p->columns, false);
    } else {
        take_name(&in, "a type was expected");
    }
    p->body = in.next.start;
    if (!p->table && take_if(&in, "DELEGATES")) {
        take_word(&in, "TO", "TO was expected");
        p->delegate = text_of(&in, take_name(&in, "the name of a function was expected"));
        expect(&in, in.next.type == PF_TOKEN_END, "nothing was expected after the name");
    } else {
        take_word(&in, "AS", "AS was expected");
        take_body(&in, p);
    }
    expect(&in, !p->parameters.bytes.failed && !p->columns.bytes.failed, pf_prototype_no_memory);
    *at = in.next.start;
    return in.complaint;
}

void pf_prototype_free(pf_prototype *p)
{
    pf_buffer_free(&p->parameters.bytes);
    pf_buffer_free(&p->columns.bytes);
}

const char pf_sql_no_type[] =
    "types are LONG, INT, UINT, BOOL, FLOAT, DOUBLE, STRING, BYTES, PROTO, TIMESTAMP, DURATION, "
    "ID, JOINID, ARGSETID or ANY";

static const pf_sql_type TYPES[] = {{"LONG", "BIGINT", SQLITE_INTEGER}, {"BOOL", "BIGINT", SQLITE_INTEGER},
                                    {"DOUBLE", "DOUBLE", SQLITE_FLOAT}, {"STRING", "TEXT", SQLITE_TEXT},
                                    {"BYTES", "BLOB", SQLITE_BLOB},     {"ANY", "", 0}};
#define TYPE_COUNT (sizeof TYPES / sizeof *TYPES)

/* Other names, in the order of the types. */
static const char *const ALSO[TYPE_COUNT][8] = {
    {"INT", "UINT", "TIMESTAMP", "DURATION", "ID", "ARGSETID", "JOINID"}, {NULL}, {"FLOAT"}, {NULL}, {"PROTO"}, {NULL}};

const pf_sql_type *pf_sql_type_named(const char *text, pf_token name)
{
    pf_str sql = {text, name.end};
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (pf_sql_is(sql, name, TYPES[i].name) || pf_sql_is_any(sql, name, ALSO[i])) {
            return &TYPES[i];
        }
    }
    return NULL;
}
