/* read/tinygrad/profile/rewrites.c - rewrites.pkl, which tinygrad leaves next to a profile when its compiler viewer is
 * on: an object RewriteTrace that holds what the compiler did to each kernel. Of that, source text and estimates go
 * into table tinygrad_compiled; no class is needed for them.
 *
 *     keys        for each context a TracingKey; since August 2026 its `keys` hold the program's profile key. In the
 * first generation `ret` is a ProgramSpec with name, source and estimates rewrites    for each context its steps; later
 * generations have one named "View Program", of the node `sink` uop_fields  number of a node -> (operation, type,
 * numbers of its sources, argument, ...). Sources of a program are a node whose argument is a KernelInfo, with the
 * estimates, and one whose argument is the source text
 */
#include <string.h>

#include "read/tinygrad/pickle/pickle.h"
#include "read/tinygrad/profile/profile.h"

static const pf_side_column columns[] = {
    {"name", PF_COLUMN_TEXT, NULL, NULL, "of the kernel, with colours", 0},
    {"function", PF_COLUMN_TEXT, NULL, NULL, "its name without colours", 0},
    {"profile_key", PF_COLUMN_TEXT, NULL, NULL, "key of the program, in hexadecimal", 0},
    {"ops", PF_COLUMN_INT, NULL, NULL, "estimated operations; NULL: none, or an expression", 0},
    {"mem", PF_COLUMN_INT, "bytes", NULL, "estimated bytes moved in memory", 0},
    {"lds", PF_COLUMN_INT, "bytes", NULL, "estimated bytes loaded and stored", 0},
    {"source", PF_COLUMN_TEXT, NULL, NULL, "what the compiler was given", 0},
};

const pf_side_spec pf_tiny_compiled_spec = {"tinygrad_compiled", "kernels of rewrites.pkl: source text and estimates",
                                            columns, sizeof columns / sizeof *columns};

bool pf_tiny_is_rewrites(pf_bytes bytes)
{
    size_t len = bytes.len < 256 ? bytes.len : 256;
    return memmem(bytes.ptr, len, "RewriteTrace", 12) != NULL;
}

typedef struct rewrites {
    pf_tiny_profile *p;
    pf_side_table *table;
    pf_map nodes; /* number of a node -> value */
} rewrites;

/* ---- values ------------------------------------------------------------------------------------------------------ */

static uint32_t node(const rewrites *r, uint32_t number)
{
    int64_t n;
    return pf_pickle_int(&r->p->values, number, &n) ? pf_map_get(&r->nodes, (uint64_t)n) : PF_NONE;
}

static pf_status map_nodes(rewrites *r, uint32_t fields)
{
    const pf_pickle_values *v = &r->p->values;
    for (uint32_t i = pf_pickle_first(v, fields); i != PF_NONE; i = pf_pickle_next(v, i)) {
        int64_t n;
        if (pf_pickle_int(v, pf_pickle_key(v, i), &n) && !pf_map_set(&r->nodes, (uint64_t)n, pf_pickle_member(v, i))) {
            return pf_budget_refused(&r->p->t->budget, 0, r->p->err);
        }
    }
    return PF_OK;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

typedef struct compiled {
    pf_str name, source;
    uint32_t estimates; /* an object, or PF_NONE */
} compiled;

/* The node of the last step named "View Program". */
static bool find_program(const rewrites *r, uint32_t steps, compiled *out)
{
    const pf_pickle_values *v = &r->p->values;
    uint32_t program = PF_NONE;
    for (uint32_t i = pf_pickle_first(v, steps); i != PF_NONE; i = pf_pickle_next(v, i)) {
        uint32_t step = pf_pickle_member(v, i);
        if (pf_str_is(pf_tiny_text(r->p, step, "name"), "View Program")) {
            program = node(r, pf_pickle_field(v, step, "sink"));
        }
    }
    for (uint32_t i = pf_pickle_first(v, pf_pickle_nth(v, program, 2)); i != PF_NONE; i = pf_pickle_next(v, i)) {
        uint32_t argument = pf_pickle_nth(v, node(r, pf_pickle_member(v, i)), 3);
        if (pf_str_is(pf_tiny_class(v, argument), "KernelInfo")) {
            out->name = pf_tiny_text(r->p, argument, "name");
            out->estimates = pf_pickle_field(v, argument, "estimates");
        } else if (pf_pickle_type_of(v, argument) == PF_PICKLE_TEXT) {
            out->source = pf_pickle_text(v, argument); /* the last text: a device comes before */
        }
    }
    return out->name.ptr != NULL;
}

static bool find_compiled(const rewrites *r, uint32_t key, uint32_t steps, compiled *out)
{
    const pf_pickle_values *v = &r->p->values;
    uint32_t ret = pf_pickle_field(v, key, "ret");
    *out = (compiled){.estimates = PF_NONE};
    if (!pf_str_is(pf_tiny_class(v, ret), "ProgramSpec")) {
        return find_program(r, steps, out);
    }
    *out = (compiled){pf_tiny_text(r->p, ret, "name"), pf_tiny_text(r->p, ret, "src"),
                      pf_pickle_field(v, ret, "estimates")};
    return out->name.ptr != NULL;
}

/* The last of its keys, in hexadecimal. */
static uint32_t key_of(const rewrites *r, uint32_t key)
{
    const pf_pickle_values *v = &r->p->values;
    uint32_t id = 0;
    for (uint32_t i = pf_pickle_first(v, pf_pickle_field(v, key, "keys")); i != PF_NONE; i = pf_pickle_next(v, i)) {
        pf_bytes one = pf_pickle_bytes(v, pf_pickle_member(v, i));
        id = one.ptr ? pf_tiny_hex_id(r->p, one) : id;
    }
    return id;
}

static pf_status add_compiled(const rewrites *r, uint32_t key, const compiled *c)
{
    pf_tiny_profile *p = r->p;
    char function[512];
    uint32_t row, name = pf_tiny_id(p, c->name), source = pf_tiny_id(p, c->source);
    size_t len = pf_str_without_colours(c->name, function, sizeof function);
    const int64_t cells[] = {name,
                             pf_tiny_id(p, (pf_str){function, len}),
                             key_of(r, key),
                             pf_tiny_number(p, c->estimates, "ops", INT64_MIN),
                             pf_tiny_number(p, c->estimates, "mem", INT64_MIN),
                             pf_tiny_number(p, c->estimates, "lds", INT64_MIN),
                             source};
    PF_TRY(p->text_status);
    return pf_side_put(r->table, cells, &row, p->err);
}

static pf_status read_contexts(rewrites *r, uint32_t top)
{
    const pf_pickle_values *v = &r->p->values;
    PF_TRY(map_nodes(r, pf_pickle_field(v, top, "uop_fields")));
    uint32_t key = pf_pickle_first(v, pf_pickle_field(v, top, "keys"));
    uint32_t steps = pf_pickle_first(v, pf_pickle_field(v, top, "rewrites"));
    uint32_t left = v->item.count; /* lists that are shared end too */
    for (; key != PF_NONE && steps != PF_NONE && left; left--) {
        compiled c;
        if (find_compiled(r, pf_pickle_member(v, key), pf_pickle_member(v, steps), &c)) {
            PF_TRY(add_compiled(r, pf_pickle_member(v, key), &c));
        }
        key = pf_pickle_next(v, key);
        steps = pf_pickle_next(v, steps);
    }
    return PF_OK;
}

static pf_status read_bytes(rewrites *r, pf_bytes bytes)
{
    pf_tiny_profile *p = r->p;
    uint32_t top;
    PF_TRY(pf_trace_add_table(p->t, &pf_tiny_compiled_spec, &r->table, p->err));
    PF_TRY(pf_pickle_values_open(&p->values, bytes, &p->t->budget, &p->t->arena, p->err));
    PF_TRY(pf_pickle_read(&p->values, NULL, NULL, p->r->o->cancel, &top, p->err));
    return read_contexts(r, top);
}

pf_status pf_tiny_read_rewrites(pf_tiny_profile *p, pf_bytes bytes)
{
    rewrites r = {.p = p};
    pf_map_init(&r.nodes, &p->t->budget);
    pf_status st = read_bytes(&r, bytes);
    pf_map_free(&r.nodes);
    return st;
}
