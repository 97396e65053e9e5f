/* analyze/gpu/kernels/gpu_flop_counts.c - how many floating-point operations a call takes, and how many bytes it has to
 * move, by what the profiler recorded of its inputs.
 *
 * A multiplication with its addition counts as two operations. Bytes are what has to be moved at least: each operand
 * read once, each result written once. The names are those of PyTorch's operators, the formulas those of matrix
 * products: a convolution is one of its weights with a patch of the image for each place of the result, an attention
 * is two of them for each pair of a query and a key, and two and a half times that backward, where the scores are
 * computed again. Of causal attention only the pairs that are not masked count.
 */
#include "analyze/gpu/kernels/gpu_flops.h"
#include "base/str.h"
#include "base/text/number.h"

typedef enum formula_kind {
    MATMUL,
    LINEAR,
    CONVOLUTION,
    CONVOLUTION_BACKWARD,
    ATTENTION,
    ATTENTION_BACKWARD
} formula_kind;

enum { NONE = 255, MOST_DIMS = 8 };

struct gpu_formula {
    const char *name;
    formula_kind kind;
    uint8_t first; /* the input that is the first operand; the others follow it */
    uint8_t more;  /* one more that is read: what is added, a mask; NONE */
    uint8_t said;  /* the first of those whose value counts: the stride of a convolution, whether attention is causal */
};

static const gpu_formula formulas[] = {
    {"aten::mm", MATMUL, 0, NONE, NONE},
    {"aten::addmm", MATMUL, 1, 0, NONE},
    {"aten::addmm_", MATMUL, 1, 0, NONE},
    {"aten::bmm", MATMUL, 0, NONE, NONE},
    {"aten::baddbmm", MATMUL, 1, 0, NONE},
    {"aten::baddbmm_", MATMUL, 1, 0, NONE},
    {"aten::matmul", MATMUL, 0, NONE, NONE},
    {"aten::_scaled_mm", MATMUL, 0, NONE, NONE},
    {"aten::_int_mm", MATMUL, 0, NONE, NONE},
    {"aten::linear", LINEAR, 0, 2, NONE},
    {"aten::convolution", CONVOLUTION, 0, 2, 3},
    {"aten::_convolution", CONVOLUTION, 0, 2, 3},
    {"aten::convolution_backward", CONVOLUTION_BACKWARD, 0, NONE, 7},
    {"aten::scaled_dot_product_attention", ATTENTION, 0, 3, 5},
    {"aten::_scaled_dot_product_flash_attention", ATTENTION, 0, NONE, 4},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", ATTENTION, 0, NONE, 4},
    {"aten::_scaled_dot_product_efficient_attention", ATTENTION, 0, 3, 6},
    {"aten::_scaled_dot_product_cudnn_attention", ATTENTION, 0, 3, 6},
    {"aten::_scaled_dot_product_flash_attention_backward", ATTENTION_BACKWARD, 1, NONE, 11},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", ATTENTION_BACKWARD, 1, NONE, 7},
    {"aten::_scaled_dot_product_efficient_attention_backward", ATTENTION_BACKWARD, 1, 4, 11},
    {"aten::_scaled_dot_product_cudnn_attention_backward", ATTENTION_BACKWARD, 1, 8, 14},
};

const gpu_formula *pf_gpu_formula_of(pf_str name)
{
    const gpu_formula *end = formulas + sizeof formulas / sizeof *formulas, *f = formulas;
    while (f < end && !pf_str_is(name, f->name)) {
        f++;
    }
    return f < end ? f : NULL;
}

pf_str pf_gpu_formula_kind(const gpu_formula *formula)
{
    return formula->kind <= LINEAR                 ? PF_STR("matmul")
           : formula->kind <= CONVOLUTION_BACKWARD ? PF_STR("convolution")
                                                   : PF_STR("attention");
}

bool pf_gpu_formula_asks_values(const gpu_formula *formula)
{
    return formula->said != NONE;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

/* The n-th item of "[a, [b, c], d]"; {NULL, 0} without one. */
static pf_str item_of(pf_str list, unsigned n)
{
    size_t begin = 1, depth = 0;
    for (size_t at = 1; at < list.len; at++) {
        char c = list.ptr[at];
        if (depth == 0 && (c == ',' || at + 1 == list.len)) {
            if (n-- == 0) {
                return pf_str_trim((pf_str){list.ptr + begin, at - begin});
            }
            begin = at + 1;
        }
        depth += c == '[';
        depth -= c == ']' && depth > 0;
    }
    return (pf_str){NULL, 0};
}

typedef struct shape {
    unsigned count; /* 0: none, or not one of numbers */
    uint64_t dim[MOST_DIMS];
} shape;

/* Of "[2, 3]"; none where it is anything else. */
static shape shape_of(pf_str list)
{
    shape s = {.count = 0};
    bool ok = list.len > 2 && list.ptr[0] == '[';
    for (unsigned i = 0; ok; i++) {
        pf_str item = item_of(list, i);
        int64_t v = 0;
        if (!item.ptr) {
            return s;
        }
        ok = i < MOST_DIMS && pf_parse_int(item.ptr, item.len, &v) && v >= 0;
        if (ok) {
            s.dim[s.count++] = (uint64_t)v;
        }
    }
    return (shape){.count = 0};
}

static shape operand(const gpu_operands *o, unsigned input)
{
    return shape_of(item_of(o->shapes, input));
}

static uint64_t elements(const shape *s)
{
    uint64_t n = s->count > 0;
    for (unsigned i = 0; i < s->count; i++) {
        n = times(n, s->dim[i]);
    }
    return n;
}

/* Bytes of an element, 0 if that is not known. */
static uint64_t size_of(pf_str type)
{
    static const struct {
        const char *name;
        uint8_t bytes;
    } sizes[] = {{"float", 4},
                 {"c10::BFloat16", 2},
                 {"c10::Half", 2},
                 {"double", 8},
                 {"int", 4},
                 {"long int", 8},
                 {"long", 8},
                 {"short", 2},
                 {"signed char", 1},
                 {"unsigned char", 1},
                 {"bool", 1},
                 {"c10::complex<float>", 8},
                 {"c10::complex<double>", 16}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (pf_str_is(type, sizes[i].name)) {
            return sizes[i].bytes;
        }
    }
    return pf_str_starts(type, PF_STR("c10::Float8_")) ? 1 : 0;
}

/* Adds an operand that is moved `moves` times; one of unknown type makes the sum unknown. */
static void move(gpu_flop_count *c, const gpu_operands *o, unsigned type_of, uint64_t count, uint64_t moves)
{
    uint64_t size = size_of(item_of(o->types, type_of));
    c->bytes_known &= size > 0 || count == 0;
    c->bytes = gpu_plus(c->bytes, times(times(count, size), moves));
}

static void move_more(gpu_flop_count *c, const gpu_formula *f, const gpu_operands *o)
{
    if (f->more != NONE) {
        shape more = operand(o, f->more);
        move(c, o, f->more, elements(&more), 1);
    }
}

/* Of the dimension that is the i-th from the end; those in front of the first are 1. */
static uint64_t from_end(const shape *s, unsigned i)
{
    return i <= s->count ? s->dim[s->count - i] : 1;
}

/* The result has `batch` times m x n elements, each a sum of k products; a single row or column may have one
 * dimension. */
static void count_matmul(gpu_flop_count *c, const gpu_formula *f, const gpu_operands *o)
{
    shape a = operand(o, f->first), b = operand(o, f->first + 1u);
    bool turned = f->kind == LINEAR, column = b.count == 1;
    if (a.count == 0 || b.count == 0) {
        return;
    }
    uint64_t out = times(a.count > 1 ? from_end(&a, 2) : 1, column ? 1 : from_end(&b, turned ? 2 : 1));
    uint64_t k = from_end(&a, 1);
    bool fits = k == from_end(&b, turned || column ? 1 : 2);
    for (unsigned i = 3; i <= a.count || i <= b.count; i++) {
        uint64_t x = from_end(&a, i), y = turned ? 1 : from_end(&b, i);
        fits = fits && (x == y || x == 1 || y == 1);
        out = times(out, x == 1 ? y : x);
    }
    c->flop_known = c->bytes_known = fits;
    c->flop = times(times(2, out), k);
    move(c, o, f->first, gpu_plus(elements(&a), out), 1);
    move(c, o, f->first + 1u, elements(&b), 1);
    move_more(c, f, o);
}

/* The i-th of a setting for each dimension, which may be one for all of them; `otherwise` where it is not said. */
static bool setting(const gpu_operands *o, unsigned value, unsigned i, uint64_t *out)
{
    shape s = shape_of(item_of(o->values, value));
    *out = s.count == 1 ? s.dim[0] : i < s.count ? s.dim[i] : 0;
    return s.count == 1 || i < s.count;
}

/* Elements of an image without its first two dimensions. */
static uint64_t area(const shape *s)
{
    uint64_t n = 1;
    for (unsigned i = 2; i < s->count; i++) {
        n = times(n, s->dim[i]);
    }
    return n;
}

/* How many places the result of a convolution has. Values from `said` on: stride, padding, dilation. */
static bool places_of(const gpu_operands *o, unsigned said, const shape *x, const shape *w, uint64_t *places)
{
    *places = 1;
    for (unsigned i = 2; i < x->count; i++) {
        uint64_t stride, padding, dilation;
        if (!setting(o, said, i - 2, &stride) || !setting(o, said + 1, i - 2, &padding) ||
            !setting(o, said + 2, i - 2, &dilation) || stride == 0 || w->dim[i] == 0) {
            return false;
        }
        uint64_t room = gpu_plus(x->dim[i], times(2, padding)), reach = gpu_plus(times(dilation, w->dim[i] - 1), 1);
        *places = times(*places, room < reach ? 0 : (room - reach) / stride + 1);
    }
    return true;
}

/* How many places the result of a transposed convolution has, and its channels: padding of the output and groups, too.
 */
static bool transposed_places(const gpu_operands *o, unsigned said, const shape *x, const shape *w, uint64_t *places)
{
    int64_t groups;
    pf_str said_groups = item_of(o->values, said + 5);
    if (!said_groups.ptr || !pf_parse_int(said_groups.ptr, said_groups.len, &groups) || groups < 1) {
        return false;
    }
    *places = times((uint64_t)groups, w->dim[1]);
    for (unsigned i = 2; i < x->count; i++) {
        uint64_t stride, padding, dilation, more;
        if (!setting(o, said, i - 2, &stride) || !setting(o, said + 1, i - 2, &padding) ||
            !setting(o, said + 2, i - 2, &dilation) || !setting(o, said + 4, i - 2, &more) || x->dim[i] == 0 ||
            w->dim[i] == 0) {
            return false;
        }
        uint64_t room =
            gpu_plus(gpu_plus(times(x->dim[i] - 1, stride), gpu_plus(times(dilation, w->dim[i] - 1), 1)), more);
        *places = times(*places, room < times(2, padding) ? 0 : room - times(2, padding));
    }
    return true;
}

static void count_convolution(gpu_flop_count *c, const gpu_formula *f, const gpu_operands *o)
{
    shape x = operand(o, 0), w = operand(o, 1);
    pf_str transposed = item_of(o->values, f->said + 3u);
    uint64_t places = 0;
    if (x.count < 3 || x.count != w.count) {
        return;
    }
    if (pf_str_is(transposed, "False")) {
        c->flop_known = places_of(o, f->said, &x, &w, &places);
        c->flop = times(times(2, x.dim[0]), times(places, elements(&w)));
        places = times(places, w.dim[0]);
    } else if (pf_str_is(transposed, "True")) {
        c->flop_known = transposed_places(o, f->said, &x, &w, &places);
        c->flop = times(times(2, x.dim[0]), times(area(&x), elements(&w)));
    }
    c->bytes_known = c->flop_known;
    move(c, o, 0, gpu_plus(elements(&x), times(x.dim[0], places)), 1);
    move(c, o, 1, elements(&w), 1);
    move_more(c, f, o);
}

/* Gradients of the input, of the weights and of what was added, as far as "[True, True, False]" asks for them. */
static void count_convolution_backward(gpu_flop_count *c, const gpu_formula *f, const gpu_operands *o)
{
    shape grad = operand(o, 0), x = operand(o, 1), w = operand(o, 2);
    pf_str transposed = item_of(o->values, f->said), mask = item_of(o->values, f->said + 3u);
    bool turned = pf_str_is(transposed, "True"), asked[3];
    for (unsigned i = 0; i < 3; i++) {
        pf_str item = item_of(mask, i);
        asked[i] = pf_str_is(item, "True");
        c->flop_known = (i == 0 || c->flop_known) && (asked[i] || pf_str_is(item, "False"));
    }
    c->flop_known &=
        (turned || pf_str_is(transposed, "False")) && x.count >= 3 && x.count == w.count && x.count == grad.count;
    c->bytes_known = c->flop_known;
    if (!c->flop_known) {
        return;
    }
    uint64_t one = times(times(2, x.dim[0]), times(area(turned ? &x : &grad), elements(&w)));
    c->flop = times(one, (uint64_t)asked[0] + asked[1]);
    move(c, o, 0, elements(&grad), 1);
    move(c, o, 1, elements(&x), (uint64_t)asked[0] + asked[1]);
    move(c, o, 2, elements(&w), (uint64_t)asked[0] + asked[1]);
    move(c, o, 2, grad.dim[1], asked[2]);
}

/* Pairs of queries and keys: the i-th query sees the keys up to the i-th. */
static uint64_t pairs_of(uint64_t queries, uint64_t keys, bool causal)
{
    if (!causal) {
        return times(queries, keys);
    }
    uint64_t most = queries < keys ? queries : keys;
    uint64_t triangle = most % 2 ? times(most, most / 2 + 1) : times(most / 2, most + 1);
    return gpu_plus(triangle, times(queries - most, keys));
}

static void count_attention(gpu_flop_count *c, const gpu_formula *f, const gpu_operands *o)
{
    shape q = operand(o, f->first), k = operand(o, f->first + 1u), v = operand(o, f->first + 2u);
    pf_str causal = item_of(o->values, f->said);
    bool backward = f->kind == ATTENTION_BACKWARD;
    if (q.count < 2 || k.count != q.count || v.count != q.count || from_end(&q, 1) != from_end(&k, 1) ||
        from_end(&k, 2) != from_end(&v, 2)) {
        return;
    }
    uint64_t heads = 1, width = from_end(&q, 1), value_width = from_end(&v, 1);
    for (unsigned i = 3; i <= q.count; i++) {
        heads = times(heads, from_end(&q, i));
    }
    uint64_t pairs = times(heads, pairs_of(from_end(&q, 2), from_end(&k, 2), pf_str_is(causal, "True")));
    uint64_t sums = backward ? gpu_plus(times(3, width), times(2, value_width)) : gpu_plus(width, value_width);
    c->flop_known = pf_str_is(causal, "True") || pf_str_is(causal, "False");
    c->flop = times(times(2, pairs), sums);
    c->bytes_known = true;
    move(c, o, f->first, gpu_plus(elements(&q), times(heads, times(from_end(&q, 2), value_width))), backward ? 2 : 1);
    move(c, o, f->first + 1u, elements(&k), backward ? 2 : 1);
    move(c, o, f->first + 2u, elements(&v), backward ? 2 : 1);
    move_more(c, f, o);
}

gpu_flop_count pf_gpu_count_flops(const gpu_formula *formula, const gpu_operands *operands, uint64_t calls)
{
    static void (*const count[])(gpu_flop_count *, const gpu_formula *, const gpu_operands *) = {
        [MATMUL] = count_matmul,           [LINEAR] = count_matmul,
        [CONVOLUTION] = count_convolution, [CONVOLUTION_BACKWARD] = count_convolution_backward,
        [ATTENTION] = count_attention,     [ATTENTION_BACKWARD] = count_attention};
    gpu_flop_count c = {.type = item_of(operands->types, formula->first)};
    count[formula->kind](&c, formula, operands);
    c.flop = times(c.flop, calls);
    c.bytes = times(c.bytes, calls);
    return c;
}
