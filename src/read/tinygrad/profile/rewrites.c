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

#include "read/tinygrad/profile/profile.h"

bool pf_tiny_is_rewrites(pf_bytes bytes)
{
    size_t len = bytes.len < 256 ? bytes.len : 256;
    return memmem(bytes.ptr, len, "RewriteTrace", 12) != NULL;
}

static uint32_t node(pf_tiny_profile *p, uint32_t number)
{
    int64_t n;
    return pf_pickle_int(&p->values, number, &n) ? pf_map_get(&p->object_of, (uint64_t)n) : PF_NONE;
}

static pf_status map_nodes(pf_tiny_profile *p, uint32_t fields)
{
    const pf_pickle_values *v = &p->values;
    for (uint32_t i = pf_pickle_first(v, fields); i != PF_NONE; i = pf_pickle_next(v, i)) {
        int64_t n;
        bool numbered = pf_pickle_int(v, pf_pickle_key(v, i), &n);
        PF_TRY(numbered ? pf_map_put(&p->object_of, (uint64_t)n, pf_pickle_member(v, i), p->err) : PF_OK);
    }
    return PF_OK;
}

typedef struct compiled {
    pf_str name, source;
    uint32_t estimates; /* an object, or PF_NONE */
} compiled;

/* The node of the last step named "View Program". */
static bool find_program(pf_tiny_profile *p, uint32_t steps, compiled *out)
{
    const pf_pickle_values *v = &p->values;
    uint32_t program = PF_NONE;
    for (uint32_t i = pf_pickle_first(v, steps); i != PF_NONE; i = pf_pickle_next(v, i)) {
        uint32_t step = pf_pickle_member(v, i);
        if (pf_str_is(pf_tiny_text(p, step, "name"), "View Program")) {
            program = node(p, pf_pickle_field(v, step, "sink"));
        }
    }
    for (uint32_t i = pf_pickle_first(v, pf_pickle_nth(v, program, 2)); i != PF_NONE; i = pf_pickle_next(v, i)) {
        uint32_t argument = pf_pickle_nth(v, node(p, pf_pickle_member(v, i)), 3);
        if (pf_str_is(pf_tiny_class(v, argument), "KernelInfo")) {
            out->name = pf_tiny_text(p, argument, "name");
            out->estimates = pf_pickle_field(v, argument, "estimates");
        } else if (pf_pickle_type_of(v, argument) == PF_PICKLE_TEXT) {
            out->source = pf_pickle_text(v, argument); /* the last text: a device comes before */
        }
    }
    return out->name.ptr != NULL;
}

static bool find_compiled(pf_tiny_profile *p, uint32_t key, uint32_t steps, compiled *out)
{
    const pf_pickle_values *v = &p->values;
    uint32_t ret = pf_pickle_field(v, key, "ret");
    *out = (compiled){.estimates = PF_NONE};
    if (!pf_str_is(pf_tiny_class(v, ret), "ProgramSpec")) {
        return find_program(p, steps, out);
    }
    *out = (compiled){pf_tiny_text(p, ret, "name"), pf_tiny_text(p, ret, "src"), pf_pickle_field(v, ret, "estimates")};
    return out->name.ptr != NULL;
}

/* The last of its keys, in hexadecimal. */
static uint32_t key_of(pf_tiny_profile *p, uint32_t key)
{
    const pf_pickle_values *v = &p->values;
    uint32_t id = 0;
    for (uint32_t i = pf_pickle_first(v, pf_pickle_field(v, key, "keys")); i != PF_NONE; i = pf_pickle_next(v, i)) {
        pf_bytes one = pf_pickle_bytes(v, pf_pickle_member(v, i));
        id = one.ptr ? pf_tiny_hex_id(p, one) : id;
    }
    return id;
}

static pf_status add_compiled(pf_tiny_profile *p, uint32_t key, const compiled *c)
{
    char function[512];
    uint32_t name = pf_tiny_id(p, c->name), source = pf_tiny_id(p, c->source);
    size_t len = pf_str_without_colours(c->name, function, sizeof function);
    uint32_t plain = pf_tiny_id(p, (pf_str){function, len}), id = key_of(p, key);
    return pf_tiny_put(p, PF_TINY_COMPILED,
                       PF_CELLS(name, plain, id, pf_tiny_number(p, c->estimates, "ops", INT64_MIN),
                                pf_tiny_number(p, c->estimates, "mem", INT64_MIN),
                                pf_tiny_number(p, c->estimates, "lds", INT64_MIN), source));
}

pf_status pf_tiny_read_rewrites(pf_tiny_profile *p, pf_bytes bytes)
{
    const pf_pickle_values *v = &p->values;
    uint32_t top;
    PF_TRY(pf_tiny_add_table(p, PF_TINY_COMPILED));
    PF_TRY(pf_pickle_values_open(&p->values, bytes, &p->t->budget, &p->t->arena, p->err));
    PF_TRY(pf_pickle_read(&p->values, NULL, NULL, p->r->o->cancel, &top, p->err));
    PF_TRY(map_nodes(p, pf_pickle_field(v, top, "uop_fields")));
    uint32_t key = pf_pickle_first(v, pf_pickle_field(v, top, "keys"));
    uint32_t steps = pf_pickle_first(v, pf_pickle_field(v, top, "rewrites"));
    uint32_t left = v->item.count; /* lists that are shared end too */
    for (; key != PF_NONE && steps != PF_NONE && left; left--) {
        compiled c;
        if (find_compiled(p, pf_pickle_member(v, key), pf_pickle_member(v, steps), &c)) {
            PF_TRY(add_compiled(p, pf_pickle_member(v, key), &c));
        }
        key = pf_pickle_next(v, key);
        steps = pf_pickle_next(v, steps);
    }
    return PF_OK;
}
