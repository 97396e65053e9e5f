/* analyze/gpu/kernels/gpu_collectives.c - point 2: communication kernels by kind, size, type and group.
 *
 * A bandwidth is about the size of the whole result for a gather, of the input for everything
 * else. The bus bandwidth corrects it for what each rank has to send (docs/reference/gpu.md, "Collectives").
 */
#include <string.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "base/str.h"

static const struct {
    const char *letters; /* of the name, without '_' and in lower case */
    const char *kind;
    enum { TO_ALL, ONE_WAY, BOTH_WAYS } traffic;
    bool by_output;
} kinds[] = {
    {"allreduce", "all_reduce", BOTH_WAYS, false},
    {"allgather", "all_gather", TO_ALL, true},
    {"reducescatter", "reduce_scatter", TO_ALL, false},
    {"alltoall", "all_to_all", TO_ALL, false},
    {"broadcast", "broadcast", ONE_WAY, false},
    {"sendrecv", "send_recv", ONE_WAY, false},
    {"send", "send", ONE_WAY, false},
    {"recv", "recv", ONE_WAY, true},
    {"reduce", "reduce", ONE_WAY, false},
    {"gather", "gather", ONE_WAY, true},
    {"scatter", "scatter", ONE_WAY, false},
    {"barrier", "barrier", ONE_WAY, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds, OTHER_KIND = KINDS, LETTERS = 256 };

/* The first LETTERS letters without '_', in lower case. */
static size_t letters_of(pf_str name, char out[LETTERS])
{
    size_t n = 0;
    for (size_t i = 0; i < name.len && n < LETTERS; i++) {
        char c = name.ptr[i];
        if (c != '_') {
            out[n++] = pf_lower(c);
        }
    }
    return n;
}

uint32_t pf_gpu_collective_named(pf_str name)
{
    char letters[LETTERS];
    size_t len = letters_of(name, letters);
    for (uint32_t i = 0; i < KINDS; i++) {
        if (memmem(letters, len, kinds[i].letters, strlen(kinds[i].letters))) {
            return i;
        }
    }
    return OTHER_KIND;
}

uint32_t pf_gpu_collective_kind(const gpu_facts *g, uint32_t op)
{
    uint32_t name = g->ops.name[op];
    if (gpu_has(g, GPU_ARG_COLLECTIVE, op)) {
        return pf_gpu_collective_named(gpu_text(g, GPU_ARG_COLLECTIVE, op));
    }
    if (!g->collective[name]) {
        g->collective[name] = (uint8_t)(1 + pf_gpu_collective_named(pf_trace_string(g->trace, name)));
    }
    return g->collective[name] - 1u;
}

pf_str pf_gpu_collective_name(uint32_t kind)
{
    return pf_str_of(kind < KINDS ? kinds[kind].kind : "other");
}

bool pf_gpu_collective_needs_all(uint32_t kind)
{
    return kind < KINDS && (kinds[kind].traffic != ONE_WAY || strcmp(kinds[kind].kind, "barrier") == 0);
}

/* Bytes of an element, 0 if the type is unknown. */
static int64_t size_of(pf_str type)
{
    static const struct {
        const char *name;
        int64_t size;
    } types[] = {{"Byte", 1},        {"Char", 1},     {"Bool", 1},         {"Short", 2},
                 {"Half", 2},        {"BFloat16", 2}, {"Int", 4},          {"Float", 4},
                 {"ComplexHalf", 4}, {"Long", 8},     {"Double", 8},       {"UInt16", 2},
                 {"UInt32", 4},      {"UInt64", 8},   {"ComplexFloat", 8}, {"ComplexDouble", 16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (pf_str_is(type, types[i].name)) {
            return types[i].size;
        }
    }
    return type.len > 6 && pf_str_starts(type, PF_STR("Float8")) ? 1 : 0;
}

int64_t pf_gpu_collective_bytes(const gpu_facts *g, uint32_t op, uint32_t kind)
{
    unsigned arg = kind < KINDS && kinds[kind].by_output ? GPU_ARG_OUT_ELEMENTS : GPU_ARG_IN_ELEMENTS;
    int64_t bytes, size = gpu_has(g, arg, op) ? size_of(gpu_text(g, GPU_ARG_TYPE, op)) : 0;
    int64_t elements = gpu_int(g, arg, op);
    return elements < 0 || !size || __builtin_mul_overflow(elements, size, &bytes) ? -1 : bytes;
}

typedef struct collective_key {
    int64_t bytes, ranks; /* -1: unknown */
    uint32_t kind, type, group, zero;
} collective_key;

static bool key_of(const gpu_facts *g, uint32_t op, void *key)
{
    uint32_t kind = pf_gpu_collective_kind(g, op);
    const collective_key k = {.bytes = pf_gpu_collective_bytes(g, op, kind),
                              .ranks = gpu_has(g, GPU_ARG_GROUP_SIZE, op) ? gpu_int(g, GPU_ARG_GROUP_SIZE, op) : -1,
                              .kind = kind,
                              .type = gpu_text_id(g, GPU_ARG_TYPE, op),
                              .group = gpu_text_id(g, GPU_ARG_GROUP, op)};
    memcpy(key, &k, sizeof k);
    return true;
}

/* What the algorithm bandwidth is multiplied by. */
static double bus_factor(const collective_key *k)
{
    double n = (double)k->ranks, part = n > 0 ? (n - 1) / n : 0;
    return kinds[k->kind].traffic == BOTH_WAYS ? 2 * part : kinds[k->kind].traffic == TO_ALL ? part : 1;
}

static void add_row(const gpu_facts *g, uint32_t input, const gpu_group *group)
{
    const gpu_stats *s = &group->stats;
    collective_key k = {.bytes = -1};
    key_of(g, group->members[0], &k);
    double rate = s->total ? (double)k.bytes * (double)s->count / (double)s->total : 0;
    bool known = k.bytes >= 0 && s->total, bus = known && k.ranks > 0 && k.kind < KINDS;
    GPU_ROW(g, GPU_TABLE_COLLECTIVES, GPU_WHOSE(g, input), pf_cell_text(pf_gpu_collective_name(k.kind)),
            pf_cell_int_if(k.bytes >= 0, k.bytes), pf_cell_int_if(k.ranks >= 0, k.ranks),
            pf_cell_text(pf_arg_columns_text(g->details.args, k.type)),
            pf_cell_text(pf_arg_columns_text(g->details.args, k.group)), GPU_STATS(s), pf_cell_real_if(known, rate),
            pf_cell_real_if(bus, bus ? rate * bus_factor(&k) : 0));
}

const gpu_grouping pf_gpu_collectives = {
    .class = GPU_COMMUNICATION, .key_size = sizeof(collective_key), .key = key_of, .add_row = add_row};
