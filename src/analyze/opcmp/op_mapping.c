/* analyze/opcmp/op_mapping.c - what a mapping document says of an operator. Names are found by a hash table: a mapping
 * and a trace may both have very many. Of two entries with one name the last one counts. */

#include "analyze/opcmp/opcmp.h"

pf_status pf_opcmp_mapping_open(opcmp_mapping *m, pf_budget *budget, const pf_node *root, bool unnested, pf_error *err)
{
    *m = (opcmp_mapping){.entry = NULL};
    if (unnested && root && root->type == PF_NODE_OBJECT) {
        root = pf_node_get(root, "operator_mappings");
    }
    PF_TRY(pf_strings_init(&m->names, budget, err));
    if (!root || root->type == PF_NODE_NULL) {
        return PF_OK;
    }
    if (root->type != PF_NODE_OBJECT) {
        return pf_fail(
            err, PF_ERR_INPUT,
            "line %u, column %u: is not a mapping from operators to entries; write 'NAME:' and its keys below",
            root->line, root->column);
    }
    m->root = root;
    PF_TRY(PF_ARENA_NEW(&m->names.arena, m->entry, root->children + 8, err));
    for (const pf_node *n = root->first; n; n = n->next) {
        uint32_t id;
        PF_TRY(pf_strings_put(&m->names, n->key, &id, err));
        m->entry[id] = n;
    }
    return PF_OK;
}

void pf_opcmp_mapping_close(opcmp_mapping *m)
{
    pf_strings_free(&m->names);
    *m = (opcmp_mapping){.entry = NULL};
}

const pf_node *pf_opcmp_mapping_twice(const opcmp_mapping *m)
{
    const pf_node *found = m->root ? pf_node_twice(m->root) : NULL;
    for (const pf_node *n = m->root ? m->root->first : NULL; n && !found; n = n->next) {
        found = n->type == PF_NODE_OBJECT ? pf_node_twice(n) : NULL;
    }
    return found;
}

/* Truth as Python sees it. */
static bool is_true(const pf_node *n)
{
    switch (n ? n->type : PF_NODE_NULL) {
    case PF_NODE_BOOL:
        return n->as.b;
    case PF_NODE_INT:
        return n->as.i != 0;
    case PF_NODE_REAL:
        return n->as.d != 0;
    case PF_NODE_TEXT:
        return n->as.s.len > 0;
    case PF_NODE_LIST:
    case PF_NODE_OBJECT:
        return n->children > 0;
    default:
        return n && n->type == PF_NODE_RAW;
    }
}

static const pf_node *entry_of(const opcmp_mapping *m, pf_str name)
{
    uint32_t id = m->entry ? pf_strings_find(&m->names, name.ptr, name.len) : PF_NONE;
    return id == PF_NONE ? NULL : m->entry[id];
}

opcmp_entry pf_opcmp_mapping_find(const opcmp_mapping *m, pf_str op, pf_str short_name)
{
    const pf_node *n = entry_of(m, short_name);
    n = is_true(n) ? n : entry_of(m, op);
    opcmp_entry e = {.kernel_type = {NULL, 0}};
    if (!n || n->type != PF_NODE_OBJECT) {
        return e;
    }
    const pf_node *type = pf_node_get(n, "kernel_type");
    e.zero_cost = is_true(pf_node_get(n, "zero_cost"));
    e.kernel_type = type && type->type == PF_NODE_TEXT && type->as.s.len ? type->as.s : e.kernel_type;
    return e;
}
