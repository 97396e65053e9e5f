/* analyze/tinygrad/timeline/tg_formula.c - evaluates the expressions that tinygrad writes for symbolic estimates.
 *
 * Operators wait on a stack until one that binds less strongly comes, values on another (shunting yard). Integers have
 * 128 bits and every step is checked, because sizes multiply quickly. */
#include "analyze/tinygrad/timeline/tg_formula.h"

#include <string.h>

__extension__ typedef __int128 wide;

enum { DEEPEST = 64 };
enum { OPEN = '(', NEGATE = 'n', MAXIMUM = 'M', DIVIDE_CUT = 'D', REST_CUT = 'R' };

typedef struct machine {
    tg_variable variable;
    const void *ctx;
    wide values[DEEPEST];
    char operators[DEEPEST];
    unsigned value_count, operator_count;
    bool wrong, unknown;
} machine;

static void push(machine *m, wide v)
{
    if (m->value_count == DEEPEST) {
        m->wrong = true;
    } else {
        m->values[m->value_count++] = v;
    }
}

static void open_operator(machine *m, char op)
{
    if (m->operator_count == DEEPEST) {
        m->wrong = true;
    } else {
        m->operators[m->operator_count++] = op;
    }
}

/* Towards minus infinity, as Python divides. */
static wide floor_quotient(wide a, wide b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static wide apply(machine *m, char op, wide a, wide b)
{
    wide v = 0;
    if (b == 0 && (op == '/' || op == '%' || op == DIVIDE_CUT || op == REST_CUT)) {
        m->unknown = true;
        return 0;
    }
    switch (op) {
    case '+':
        m->unknown |= __builtin_add_overflow(a, b, &v);
        return v;
    case '-':
        m->unknown |= __builtin_sub_overflow(a, b, &v);
        return v;
    case '*':
        m->unknown |= __builtin_mul_overflow(a, b, &v);
        return v;
    case '/':
        return floor_quotient(a, b);
    case '%':
        return a - floor_quotient(a, b) * b;
    case DIVIDE_CUT:
        return a / b;
    case REST_CUT:
        return a % b;
    default:
        return a > b ? a : b; /* MAXIMUM */
    }
}

/* Applies the operator on top. */
static void reduce(machine *m)
{
    char op = m->operators[--m->operator_count];
    unsigned takes = op == NEGATE ? 1 : 2;
    if (m->value_count < takes) {
        m->wrong = true;
        return;
    }
    wide b = m->values[--m->value_count], a = op == NEGATE ? 0 : m->values[--m->value_count];
    const wide most = (wide)1 << 126;
    wide v = apply(m, op == NEGATE ? '-' : op, a, b);
    m->unknown |= v > most || v < -most;
    push(m, m->unknown ? 0 : v);
}

static unsigned strength(char op)
{
    return op == '+' || op == '-' ? 1 : op == '*' || op == '/' || op == '%' ? 2 : op == NEGATE ? 3 : 0;
}

static void binary(machine *m, char op)
{
    while (!m->wrong && m->operator_count && strength(m->operators[m->operator_count - 1]) >= strength(op)) {
        reduce(m);
    }
    open_operator(m, op);
}

/* At a comma or the end of parentheses. */
static void close_to_parenthesis(machine *m)
{
    while (!m->wrong && m->operator_count && m->operators[m->operator_count - 1] != OPEN) {
        reduce(m);
    }
    m->wrong |= m->operator_count == 0;
}

static void close_parenthesis(machine *m)
{
    close_to_parenthesis(m);
    if (!m->wrong) {
        m->operator_count--;
        char above = m->operator_count ? m->operators[m->operator_count - 1] : 0;
        if (above == MAXIMUM || above == DIVIDE_CUT || above == REST_CUT) {
            reduce(m);
        }
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void read_number(machine *m, pf_str word)
{
    wide v = 0;
    for (size_t i = 0; i < word.len; i++) {
        m->wrong |= !is_digit(word.ptr[i]);
        m->unknown |= __builtin_mul_overflow(v, (wide)10, &v) || __builtin_add_overflow(v, word.ptr[i] - '0', &v);
    }
    push(m, v);
}

/* A number, a function or a variable; whether a value is complete. */
static bool read_word(machine *m, pf_str word, bool called)
{
    static const struct {
        const char *name;
        char op;
    } functions[] = {{"max", MAXIMUM}, {"cdiv", DIVIDE_CUT}, {"cmod", REST_CUT}};
    for (size_t i = 0; called && i < sizeof functions / sizeof *functions; i++) {
        if (word.len == strlen(functions[i].name) && memcmp(word.ptr, functions[i].name, word.len) == 0) {
            open_operator(m, functions[i].op);
            return false;
        }
    }
    int64_t value = 0;
    if (is_digit(word.ptr[0])) {
        read_number(m, word);
    } else {
        m->wrong |= called;
        m->unknown |= !m->variable(m->ctx, word, &value);
        push(m, value);
    }
    return true;
}

/* One token; `complete`: a value ends before it, so that an operator with two operands may come. */
static size_t read_token(machine *m, pf_str s, size_t at, bool *complete)
{
    char c = s.ptr[at];
    size_t end = at;
    while (end < s.len && is_name(s.ptr[end])) {
        end++;
    }
    if (end > at) {
        m->wrong |= *complete;
        *complete = read_word(m, (pf_str){s.ptr + at, end - at}, end < s.len && s.ptr[end] == '(');
        return end;
    }
    if (c == '(') {
        m->wrong |= *complete;
        open_operator(m, OPEN);
    } else if (c == ')' || c == ',') {
        m->wrong |= !*complete;
        c == ')' ? close_parenthesis(m) : close_to_parenthesis(m);
        *complete = c == ')';
    } else if (!*complete && c == '-') {
        open_operator(m, NEGATE);
    } else {
        bool division = c == '/' && at + 1 < s.len && s.ptr[at + 1] == '/';
        m->wrong |= !*complete || !(division || c == '+' || c == '-' || c == '*' || c == '%');
        binary(m, c);
        *complete = false;
        return at + 1 + division;
    }
    return at + 1;
}

tg_formula_status pf_tg_formula(pf_str text, tg_variable variable, const void *ctx, double *out)
{
    machine m = {.variable = variable, .ctx = ctx};
    bool complete = false;
    for (size_t at = 0; at < text.len && !m.wrong;) {
        at = text.ptr[at] == ' ' ? at + 1 : read_token(&m, text, at, &complete);
    }
    while (!m.wrong && m.operator_count) {
        m.wrong |= m.operators[m.operator_count - 1] == OPEN;
        if (!m.wrong) {
            reduce(&m);
        }
    }
    m.wrong |= !complete || m.value_count != 1;
    *out = m.wrong || m.unknown ? 0 : (double)m.values[0];
    return m.wrong ? TG_FORMULA_WRONG : m.unknown ? TG_FORMULA_NO_VALUE : TG_FORMULA_KNOWN;
}
