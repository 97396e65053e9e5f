/* analyze/tinygrad/timeline/tg_graph_text.c - the text that Python's str() gives for a symbolic estimate: the graph of
 * it.
 *
 *   UOp(Ops.ADD, dtypes.int, arg=None, src=(
 *     x1:=UOp(Ops.DEFINE_VAR, dtypes.int, arg=('n', 1, 100), src=()),
 *     UOp(Ops.MUL, dtypes.int, arg=None, src=(
 *       UOp(Ops.CONST, dtypes.int, arg=4, src=()),
 *       x1,)),))
 *
 * A node's operands come before its end, so steps are made where nodes end. */
#include <stdlib.h>

#include "analyze/tinygrad/timeline/tg_formula.h"
#include "base/str.h"

enum { NODES = 2048 };

typedef struct node {
    pf_str op, arg;
    uint32_t slot, operands; /* slot: TG_SLOTS where the node has no name */
} node;

typedef struct reader {
    tg_formula *m;
    pf_str s;
    size_t at;
    unsigned depth;
    bool kept[TG_SLOTS];
    node open[NODES];
} reader;

/* Whether the text goes on with these letters, which are passed then. */
static bool pass(reader *r, const char *text)
{
    pf_str word = pf_str_of(text);
    bool found = pf_str_starts(pf_str_from(r->s, r->at), word);
    r->at += found ? word.len : 0;
    return found;
}

/* The text up to the next place where these letters are. */
static pf_str until(reader *r, const char *text)
{
    pf_str rest = pf_str_from(r->s, r->at), word = pf_str_of(text);
    size_t end = pf_str_find(rest, word);
    r->m->wrong |= end == SIZE_MAX;
    r->at += end == SIZE_MAX ? rest.len : end + word.len;
    return (pf_str){rest.ptr, end == SIZE_MAX ? rest.len : end};
}

/* ('n', 1, 100), or ParamArg(2, ..., name='n', ...). */
static pf_str variable_name(pf_str arg)
{
    static const char named[] = "name='";
    const char *name = memmem(arg.ptr, arg.len, named, sizeof named - 1);
    name = name ? name + sizeof named - 2 : memchr(arg.ptr, '\'', arg.len);
    size_t left = name ? arg.len - (size_t)(name - arg.ptr) - 1 : 0;
    const char *end = name ? memchr(name + 1, '\'', left) : NULL;
    return end ? (pf_str){name + 1, (size_t)(end - name) - 1} : (pf_str){NULL, 0};
}

static tg_step constant(pf_str arg)
{
    tg_wide v = pf_str_is(arg, "True");
    bool negative = arg.len > 1 && arg.ptr[0] == '-', known = arg.len > 0 && arg.len < 36;
    if (!v && !pf_str_is(arg, "False")) {
        for (size_t i = negative; known && i < arg.len; i++) {
            known = pf_is_digit(arg.ptr[i]);
            v = known ? v * 10 + (arg.ptr[i] - '0') : 0;
        }
    }
    return known ? pf_tg_constant(negative ? -v : v) : (tg_step){.op = TG_NO_VALUE};
}

/* What stands for the whole node; its operands say nothing. */
static tg_step whole(const node *n)
{
    pf_str name = variable_name(n->arg);
    if (pf_str_is(n->op, "CONST")) {
        return constant(n->arg);
    }
    bool variable = pf_str_is(n->op, "DEFINE_VAR") || pf_str_is(n->op, "PARAM") || pf_str_is(n->op, "BUFFER");
    if (variable && name.ptr) {
        return (tg_step){.op = TG_VARIABLE, .of.name = name};
    }
    return (tg_step){.op = pf_str_is(n->op, "STACK") ? TG_VALUE : TG_NO_VALUE}; /* STACK: the shape of a variable */
}

static void end_node(reader *r)
{
    const node *n = &r->open[--r->depth];
    bool done =
        (pf_str_is(n->op, "CAST") || pf_str_is(n->op, "BIND")) && n->operands > 0; /* the first operand has the value */
    for (uint32_t i = 1; done && i < n->operands; i++) {
        pf_tg_emit(r->m, (tg_step){.op = TG_DROP});
    }
    for (tg_operation op = TG_NEGATE; !done && op < TG_OPERATIONS; op++) {
        const char *const *names = pf_tg_operations[op].node;
        bool named = (names[0] && pf_str_is(n->op, names[0])) || (names[1] && pf_str_is(n->op, names[1]));
        done = named && n->operands == pf_tg_operands(op);
        if (done) {
            pf_tg_emit(r->m, (tg_step){.op = op});
        }
    }
    for (uint32_t i = 0; !done && i < n->operands; i++) {
        pf_tg_emit(r->m, (tg_step){.op = TG_DROP});
    }
    if (!done) {
        pf_tg_emit(r->m, whole(n));
    }
    if (n->slot < TG_SLOTS) {
        pf_tg_emit(r->m, (tg_step){.op = TG_KEEP, .slot = n->slot});
        r->kept[n->slot] = true;
    }
}

static void begin_node(reader *r, uint32_t slot)
{
    if (r->depth == NODES) {
        r->m->wrong = true;
        return;
    }
    node *n = &r->open[r->depth];
    *n = (node){.slot = slot};
    r->m->wrong |= !pass(r, "UOp(Ops.");
    n->op = until(r, ", ");
    until(r, "arg=");
    n->arg = until(r, ", src=(");
    size_t tag = pf_str_find(n->arg, PF_STR(", tag="));
    n->arg.len = tag < n->arg.len ? tag : n->arg.len;
    r->depth++;
}

/* A node, or the name of one that was written before. */
static void read_operand(reader *r)
{
    uint32_t slot = TG_SLOTS;
    if (pass(r, "x")) {
        uint32_t n = 0;
        for (; r->at < r->s.len && pf_is_digit(r->s.ptr[r->at]); r->at++) {
            n = n < TG_SLOTS ? n * 10 + (uint32_t)(r->s.ptr[r->at] - '0') : n;
        }
        slot = n;
        r->m->wrong |= n >= TG_SLOTS;
    }
    if (r->depth > 0) {
        r->open[r->depth - 1].operands++;
    }
    if (slot == TG_SLOTS || pass(r, ":=")) {
        begin_node(r, slot);
    } else if (!r->m->wrong) {
        r->m->wrong = !r->kept[slot];
        pf_tg_emit(r->m, (tg_step){.op = TG_AGAIN, .slot = slot});
    }
}

void pf_tg_read_graph(tg_formula *m, pf_str text)
{
    reader *r = calloc(1, sizeof *r);
    if (!r) {
        m->steps.failed = true;
        return;
    }
    r->m = m;
    r->s = text;
    do {
        while (r->at < text.len && (text.ptr[r->at] == ' ' || text.ptr[r->at] == '\n' || text.ptr[r->at] == ',')) {
            r->at++;
        }
        if (r->depth > 0 && pass(r, "))")) {
            end_node(r);
        } else {
            read_operand(r);
        }
    } while (!m->wrong && r->depth > 0);
    m->wrong |= r->at != text.len || m->depth != 1;
    free(r);
}
