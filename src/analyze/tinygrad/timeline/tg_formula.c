/* analyze/tinygrad/timeline/tg_formula.c - expressions that tinygrad writes for symbolic estimates, read and computed.
 *
 * Operators wait on a stack until one that binds less strongly comes (shunting yard); what is made is a list of steps,
 * for an expression is computed for every execution of its kernel. */
#include "analyze/tinygrad/timeline/tg_formula.h"

#include "base/str.h"

enum { OPEN = -1, IF = -2 }; /* on the stack of operators only */

const tg_operation_words pf_tg_operations[TG_OPERATIONS] = {
    [TG_NEGATE] = {NULL, NULL, {"NEG"}, 9},
    [TG_ADD] = {"+", NULL, {"ADD"}, 7},
    [TG_SUBTRACT] = {"-", NULL, {"SUB"}, 7},
    [TG_MULTIPLY] = {"*", NULL, {"MUL"}, 8},
    [TG_FLOOR_QUOTIENT] = {"//", "floordiv", {"FLOORDIV"}, 8},
    [TG_FLOOR_REST] = {"%", "floormod", {"FLOORMOD"}, 8},
    [TG_CUT_QUOTIENT] = {NULL, "cdiv", {"IDIV", "CDIV"}, 0},
    [TG_CUT_REST] = {NULL, "cmod", {"MOD", "CMOD"}, 0},
    [TG_MAXIMUM] = {NULL, "max", {"MAX"}, 0},
    [TG_SHIFT_LEFT] = {"<<", NULL, {"SHL"}, 6},
    [TG_SHIFT_RIGHT] = {">>", NULL, {"SHR"}, 6},
    [TG_AND] = {"&", NULL, {"AND"}, 5},
    [TG_XOR] = {"^", NULL, {"XOR"}, 4},
    [TG_OR] = {"|", NULL, {"OR"}, 3},
    [TG_LESS] = {"<", NULL, {"CMPLT"}, 2},
    [TG_UNEQUAL] = {"!=", NULL, {"CMPNE"}, 2},
    [TG_CHOOSE] = {NULL, NULL, {NULL}, 1},
    [TG_WHERE] = {NULL, NULL, {"WHERE"}, 0},
};

unsigned pf_tg_operands(tg_operation op)
{
    return op >= TG_CHOOSE ? 3 : op > TG_NEGATE ? 2 : 1;
}

/* Towards minus infinity, as Python divides. */
static tg_wide floor_quotient(tg_wide a, tg_wide b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* An operation of two numbers. */
static tg_wide apply(tg_operation op, tg_wide a, tg_wide b, bool *unknown)
{
    tg_wide v = 0;
    if (b == 0 && op >= TG_FLOOR_QUOTIENT && op <= TG_CUT_REST) {
        *unknown = true;
        return 0;
    }
    switch (op) {
    case TG_ADD:
        *unknown |= __builtin_add_overflow(a, b, &v);
        return v;
    case TG_SUBTRACT:
        *unknown |= __builtin_sub_overflow(a, b, &v);
        return v;
    case TG_MULTIPLY:
        *unknown |= __builtin_mul_overflow(a, b, &v);
        return v;
    case TG_FLOOR_QUOTIENT:
        return floor_quotient(a, b);
    case TG_FLOOR_REST:
        return a - floor_quotient(a, b) * b;
    case TG_CUT_QUOTIENT:
        return a / b;
    case TG_CUT_REST:
        return a % b;
    case TG_MAXIMUM:
        return a > b ? a : b;
    case TG_SHIFT_LEFT:
        *unknown |= b < 0 || b > 126 || __builtin_mul_overflow(a, (tg_wide)1 << (b < 0 || b > 126 ? 0 : b), &v);
        return v;
    case TG_SHIFT_RIGHT:
        *unknown |= b < 0;
        return a >> (b < 0 || b > 126 ? 126 : b);
    case TG_AND:
        return a & b;
    case TG_XOR:
        return a ^ b;
    case TG_OR:
        return a | b;
    case TG_LESS:
        return a < b;
    default:
        return a != b; /* TG_UNEQUAL */
    }
}

/* Of the operands v[0], v[1], v[2]. */
static tg_wide operate(tg_operation op, const tg_wide *v, bool *unknown)
{
    const tg_wide most = (tg_wide)1 << 126;
    tg_wide result = op == TG_NEGATE   ? -v[0]
                     : op == TG_CHOOSE ? v[v[1] ? 0 : 2]
                     : op == TG_WHERE  ? v[v[0] ? 1 : 2]
                                       : apply(op, v[0], v[1], unknown);
    *unknown |= result > most || result < -most;
    return *unknown ? 0 : result;
}

bool pf_tg_compute(const tg_step *steps, size_t count, tg_variable variable, const void *ctx, double *out)
{
    tg_wide values[TG_DEEPEST] = {0}, slots[TG_SLOTS];
    bool unknown = false;
    size_t n = 0; /* pf_tg_emit saw to it that all operands are there */
    for (size_t i = 0; i < count && !unknown; i++) {
        const tg_step *s = &steps[i];
        int64_t value = 0;
        if (s->op == TG_VALUE) {
            values[n++] = (tg_wide)s->of.value.high * ((tg_wide)1 << 64) + s->of.value.low;
        } else if (s->op == TG_VARIABLE) {
            unknown = !variable(ctx, s->of.name, &value);
            values[n++] = value;
        } else if (s->op == TG_NO_VALUE) {
            unknown = true;
        } else if (s->op == TG_DROP) {
            n--;
        } else if (s->op == TG_KEEP) {
            slots[s->slot] = values[n - 1];
        } else if (s->op == TG_AGAIN) {
            values[n++] = slots[s->slot];
        } else {
            n -= pf_tg_operands(s->op);
            values[n] = operate(s->op, &values[n], &unknown);
            n++;
        }
    }
    *out = unknown ? 0 : (double)values[0];
    return !unknown;
}

tg_step pf_tg_constant(tg_wide v)
{
    return (tg_step){.op = TG_VALUE, .of.value = {(uint64_t)v, (int64_t)(v >> 64)}};
}

void pf_tg_emit(tg_formula *m, tg_step step)
{
    bool leaf = step.op <= TG_NO_VALUE || step.op == TG_AGAIN;
    unsigned takes = leaf ? 0 : step.op <= TG_KEEP ? 1 : pf_tg_operands(step.op);
    m->wrong |= m->depth < takes;
    m->depth = m->depth - takes + (step.op != TG_DROP);
    m->wrong |= m->depth > TG_DEEPEST;
    if (!m->wrong) {
        pf_buffer_put(&m->steps, &step, sizeof step);
    }
}

typedef struct reader {
    tg_formula *m;
    int operators[TG_DEEPEST];
    unsigned operator_count;
    bool complete; /* a value ends here, so that an operator with two operands may come */
} reader;

static void open_operator(reader *r, int op)
{
    if (r->operator_count == TG_DEEPEST) {
        r->m->wrong = true;
    } else {
        r->operators[r->operator_count++] = op;
    }
}

static int top(const reader *r)
{
    return r->operator_count ? r->operators[r->operator_count - 1] : OPEN;
}

/* Emits the operator on top. */
static void reduce(reader *r)
{
    int op = r->operators[--r->operator_count];
    r->m->wrong |= op < 0; /* an `if` without its `else` */
    if (op >= 0) {
        pf_tg_emit(r->m, (tg_step){.op = (tg_operation)op});
    }
}

static unsigned strength(int op)
{
    return op == IF ? 1 : op < 0 ? 0 : pf_tg_operations[op].strength;
}

static void emit_stronger(reader *r, unsigned than)
{
    while (!r->m->wrong && strength(top(r)) > than) {
        reduce(r);
    }
}

/* At a comma or the end of parentheses. */
static void close_to_parenthesis(reader *r)
{
    r->m->wrong |= !r->complete;
    while (!r->m->wrong && r->operator_count && strength(top(r)) > 0) {
        reduce(r);
    }
    r->m->wrong |= r->operator_count == 0;
}

static void close_parenthesis(reader *r)
{
    close_to_parenthesis(r);
    if (!r->m->wrong) {
        r->m->wrong |= top(r) != OPEN;
        r->operator_count--;
        if (top(r) >= TG_NEGATE && strength(top(r)) == 0) { /* a function */
            reduce(r);
        }
    }
}

static bool is_name(char c)
{
    return pf_is_digit(c) || c == '_' || (pf_lower(c) >= 'a' && pf_lower(c) <= 'z');
}

static void read_number(tg_formula *m, pf_str word)
{
    tg_wide v = 0;
    bool large = false;
    for (size_t i = 0; i < word.len; i++) {
        m->wrong |= !pf_is_digit(word.ptr[i]);
        large |= __builtin_mul_overflow(v, (tg_wide)10, &v) || __builtin_add_overflow(v, word.ptr[i] - '0', &v);
    }
    tg_step number = pf_tg_constant(v);
    number.op = large ? TG_NO_VALUE : TG_VALUE;
    pf_tg_emit(m, number);
}

/* `value if condition else other`: the operator waits as IF until its `else`. */
static void read_choice(reader *r, bool ends)
{
    r->m->wrong |= !r->complete;
    emit_stronger(r, 1);
    r->complete = false;
    if (!ends) {
        open_operator(r, IF);
        return;
    }
    while (!r->m->wrong && top(r) == TG_CHOOSE) {
        reduce(r);
    }
    r->m->wrong |= top(r) != IF;
    if (!r->m->wrong) {
        r->operators[r->operator_count - 1] = TG_CHOOSE;
    }
}

/* A number, a function or a variable. */
static void read_word(reader *r, pf_str word, bool called)
{
    if (pf_str_is(word, "if") || pf_str_is(word, "else")) {
        read_choice(r, word.len == 4);
        return;
    }
    r->m->wrong |= r->complete;
    for (int op = TG_NEGATE; called && op < TG_OPERATIONS; op++) {
        const char *function = pf_tg_operations[op].function;
        if (function && pf_str_is(word, function)) {
            open_operator(r, op);
            return;
        }
    }
    r->complete = true;
    if (pf_is_digit(word.ptr[0])) {
        read_number(r->m, word);
    } else {
        r->m->wrong |= called;
        pf_tg_emit(r->m, (tg_step){.op = TG_VARIABLE, .of.name = word});
    }
}

/* An operator with two operands; its length. */
static size_t read_operator(reader *r, pf_str s, size_t at)
{
    for (int op = TG_NEGATE; op < TG_OPERATIONS; op++) {
        const char *sign = pf_tg_operations[op].sign;
        if (sign && pf_str_starts(pf_str_from(s, at), pf_str_of(sign))) {
            r->m->wrong |= !r->complete;
            emit_stronger(r, strength(op) - 1);
            open_operator(r, op);
            r->complete = false;
            return strlen(sign);
        }
    }
    r->m->wrong = true;
    return 1;
}

static size_t read_token(reader *r, pf_str s, size_t at)
{
    size_t end = at;
    while (end < s.len && is_name(s.ptr[end])) {
        end++;
    }
    if (end > at) {
        read_word(r, (pf_str){s.ptr + at, end - at}, end < s.len && s.ptr[end] == '(');
        return end;
    }
    if (s.ptr[at] == '(') {
        r->m->wrong |= r->complete;
        open_operator(r, OPEN);
    } else if (s.ptr[at] == ')') {
        close_parenthesis(r);
    } else if (s.ptr[at] == ',') {
        close_to_parenthesis(r);
        r->complete = false;
    } else if (!r->complete && s.ptr[at] == '-') {
        open_operator(r, TG_NEGATE);
    } else {
        return at + read_operator(r, s, at);
    }
    return at + 1;
}

void pf_tg_read_expression(tg_formula *m, pf_str text)
{
    reader r = {.m = m};
    for (size_t at = 0; at < text.len && !m->wrong;) {
        at = text.ptr[at] == ' ' ? at + 1 : read_token(&r, text, at);
    }
    while (!m->wrong && r.operator_count) {
        reduce(&r);
    }
    m->wrong |= !r.complete || m->depth != 1;
}
