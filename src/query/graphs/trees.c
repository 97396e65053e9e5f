/* query/graphs/trees.c - trees of rows.
 *
 *     __intrinsic_tree_from_table('id', id, 'parent_id', parent, 'v', v, ...)   rows, each after its parent
 *     __intrinsic_tree_to_table(tree)               _tree_id, _tree_parent_id: numbers of the rows, and the columns
 *     __intrinsic_tree_dominator_summary(tree)      what is below each node of a tree of sizes
 *     __intrinsic_structural_tree_partition(id, parent, group)   of each node the next one above it of the same group
 *
 * A tree is the table that tree_to_table shows. Rows come in their own order if parents stand before their children;
 * else each row is put after those of its ancestors that have not been put.
 */
#include <stdlib.h>

#include "base/ordering.h"
#include "query/graphs/graph.h"

#define TAG "TREE"

/* A row under its id, and where it has been put: from 1 on; a row on the way up, which has not: PF_NONE. */
typedef struct entry {
    int64_t id;
    uint32_t row;
} entry;

PF_ORDER(by_id, entry, PF_UP(id));

typedef struct builder {
    const pf_sql_made *rows;
    pf_sql_made *out;
    entry *entries;
    uint32_t *parent, *place, *path;
} builder;

static const char *find_parents(builder *b)
{
    uint64_t count = b->rows->rows;
    for (uint64_t i = 0; i < count; i++) {
        const pf_sql_made_cell *id = &b->rows->cell[i * b->rows->columns];
        if (id->type != SQLITE_INTEGER) {
            return "tree: ids are integers";
        }
        b->entries[i] = (entry){id->as.i, (uint32_t)i};
    }
    qsort(b->entries, count, sizeof *b->entries, by_id);
    for (uint64_t i = 0; i < count; i++) {
        const pf_sql_made_cell *parent = &b->rows->cell[i * b->rows->columns + 1];
        entry key = {parent->as.i, 0};
        const entry *found =
            parent->type == SQLITE_INTEGER ? bsearch(&key, b->entries, count, sizeof *b->entries, by_id) : NULL;
        if (i > 0 && b->entries[i].id == b->entries[i - 1].id) {
            return "tree: an id occurs twice";
        }
        if (!found && parent->type != SQLITE_NULL) {
            return "tree: a parent_id is not the id of a row";
        }
        b->parent[i] = found ? found->row : PF_NONE;
    }
    return NULL;
}

static bool put_row(builder *b, uint32_t row)
{
    const pf_sql_made_cell *from = &b->rows->cell[(uint64_t)row * b->rows->columns];
    pf_sql_made_cell *to = pf_sql_made_row(b->out);
    if (!to) {
        return false;
    }
    to[0] = pf_sql_made_int((int64_t)b->out->rows - 1);
    if (b->parent[row] != PF_NONE) {
        to[1] = pf_sql_made_int((int64_t)b->place[b->parent[row]] - 1);
    }
    b->place[row] = (uint32_t)b->out->rows;
    for (unsigned i = 0; i < b->rows->columns; i++) {
        to[2 + i] = from[i]; /* its texts become those of the tree */
    }
    return true;
}

/* NULL, or what is wrong; "" for memory. */
static const char *put_rows(builder *b)
{
    for (uint32_t i = 0; i < b->rows->rows; i++) {
        uint32_t length = 0, row = i;
        for (; row != PF_NONE && b->place[row] == 0; row = b->parent[row]) {
            b->place[row] = PF_NONE;
            b->path[length++] = row;
        }
        if (row != PF_NONE && b->place[row] == PF_NONE) {
            return "tree: a row is below itself";
        }
        while (length-- > 0) {
            if (!put_row(b, b->path[length])) {
                return "";
            }
        }
    }
    return NULL;
}

static const char *build(pf_query *q, builder *b)
{
    static const char *const NAMES[] = {"_tree_id", "_tree_parent_id"};
    uint64_t count = b->rows->rows;
    if (b->rows->columns < 2 || count >= PF_NONE) {
        return "tree: the first columns are id and parent_id";
    }
    b->out = pf_sql_made_new(q, NAMES, 2);
    b->entries = b->out ? pf_sql_zeros(q, count, sizeof *b->entries) : NULL;
    b->parent = b->entries ? pf_sql_zeros(q, count, sizeof *b->parent) : NULL;
    b->place = b->parent ? pf_sql_zeros(q, count, sizeof *b->place) : NULL;
    b->path = b->place ? pf_sql_zeros(q, count, sizeof *b->path) : NULL;
    if (!b->path) {
        return "";
    }
    for (unsigned i = 0; i < b->rows->columns; i++) {
        if (!pf_sql_made_column(b->out, b->rows->name[i])) {
            return "tree: too many columns";
        }
    }
    const char *wrong = find_parents(b);
    return wrong ? wrong : put_rows(b);
}

/* The table in a box, which the function that shows it empties. */
static void free_box(void *box)
{
    if (box) {
        pf_sql_made_free(*(pf_sql_made **)box);
    }
    sqlite3_free(box);
}

static void from_table_final(sqlite3_context *ctx)
{
    pf_query *q = pf_sql_session(ctx);
    pf_sql_made *rows = pf_sql_take_state(ctx), **box = rows ? pf_sql_zeros(q, 1, sizeof(pf_sql_made *)) : NULL;
    builder b = {.rows = rows};
    const char *wrong = box ? build(q, &b) : "";
    if (wrong && *wrong) {
        sqlite3_result_error(ctx, wrong, -1);
    } else if (wrong && rows) {
        sqlite3_result_error_nomem(ctx);
    }
    if (!wrong) {
        b.out->text = rows->text;
        b.out->texts = rows->texts;
        b.out->text_room = rows->text_room;
        rows->text = NULL;
        rows->texts = 0;
        *box = b.out;
        sqlite3_result_pointer(ctx, box, TAG, free_box);
    } else {
        pf_sql_made_free(b.out);
        sqlite3_free(box);
    }
    pf_sql_made_free(rows);
    sqlite3_free(b.entries);
    sqlite3_free(b.parent);
    sqlite3_free(b.place);
    sqlite3_free(b.path);
}

static void to_table(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_sql_made **box = sqlite3_value_pointer(argv[0], TAG);
    if (!box || !*box) {
        sqlite3_result_error(ctx, "tree_to_table: expected a tree that nobody has taken", -1);
        return;
    }
    pf_sql_made_return(ctx, *box, true);
    *box = NULL;
}

enum { SUMMARY_COLUMNS = 6, TREE_COLUMNS = 7 };

/* The tree's columns after the two numbers: id, parent_id, self_size, native_size, self_count. */
static bool summarize(const pf_sql_made *tree, pf_sql_made *out)
{
    static const unsigned FROM[] = {6, 4, 5}; /* count, size, native size */
    for (uint64_t i = 0; i < tree->rows; i++) {
        const pf_sql_made_cell *from = &tree->cell[i * TREE_COLUMNS];
        pf_sql_made_cell *to = pf_sql_made_row(out);
        if (!to) {
            return false;
        }
        const pf_sql_made_cell *above = from[1].type == SQLITE_NULL ? NULL : &out->cell[from[1].as.i * SUMMARY_COLUMNS];
        to[0] = from[2];
        for (unsigned k = 0; k < 3; k++) {
            to[2 + k] = pf_sql_made_int(from[FROM[k]].type == SQLITE_INTEGER ? from[FROM[k]].as.i : 0);
        }
        to[5] = pf_sql_made_int(above ? above[5].as.i + 1 : 1);
        if (above) {
            to[1] = above[0];
        }
    }
    for (uint64_t i = tree->rows; i-- > 0;) {
        const pf_sql_made_cell *parent = &tree->cell[i * TREE_COLUMNS + 1], *from = &out->cell[i * SUMMARY_COLUMNS];
        for (unsigned k = 2; parent->type != SQLITE_NULL && k < 5; k++) {
            pf_sql_made_cell *to = &out->cell[parent->as.i * SUMMARY_COLUMNS + k];
            to->as.i = (int64_t)((uint64_t)to->as.i + (uint64_t)from[k].as.i);
        }
    }
    return true;
}

static void dominator_summary(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char *const NAMES[] = {
        "id", "idom_id", "dominated_obj_count", "dominated_size_bytes", "dominated_native_size_bytes", "depth"};
    pf_sql_made *const *box = sqlite3_value_pointer(argv[0], TAG), *tree = box ? *box : NULL;
    if (tree && tree->columns != TREE_COLUMNS) {
        sqlite3_result_error(
            ctx, "tree_dominator_summary: expected a tree of id, parent_id, self_size, native_size, self_count", -1);
        return;
    }
    pf_sql_made *out = pf_sql_made_new(pf_sql_session(ctx), NAMES, SUMMARY_COLUMNS);
    pf_sql_made_return(ctx, out, out && (!tree || summarize(tree, out)));
}

typedef struct partition {
    pf_sql_graph children;
    uint32_t *group; /* of the rows, then of nodes; above: of a group, the one that is next above, or PF_NONE */
    uint64_t groups, room;
    uint32_t root, root_group, largest_group;
    bool has_root;
} partition;

static void partition_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    partition *p = pf_sql_state(ctx, sizeof *p);
    bool is_root = sqlite3_value_type(argv[1]) == SQLITE_NULL;
    uint32_t id, parent, group;
    if (!p) {
        return;
    }
    p->children.q = pf_sql_session(ctx);
    if (!pf_sql_node(sqlite3_value_int64(argv[0]), &id) || !pf_sql_node(sqlite3_value_int64(argv[1]), &parent) ||
        !pf_sql_node(sqlite3_value_int64(argv[2]), &group)) {
        sqlite3_result_error(ctx, pf_sql_node_wanted, -1);
        return;
    }
    if (is_root && p->has_root) {
        sqlite3_result_error(ctx, "tree_partition: more than one root; only one parent may be NULL", -1);
        return;
    }
    p->largest_group = group > p->largest_group ? group : p->largest_group;
    if (is_root) {
        p->has_root = true;
        p->root = id;
        p->root_group = group;
        pf_sql_graph_add(&p->children, id, 0, false);
        return;
    }
    if (!PF_SQL_ROOM(p->children.q, p->group, p->groups, p->room) ||
        !pf_sql_graph_add(&p->children, parent, id, true)) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    p->group[p->groups++] = group;
}

/* What a walk over the tree needs for each node; PF_NONE: nothing. */
typedef struct places {
    uint32_t *above;                  /* of a group */
    uint32_t *group, *parent, *saved; /* of a node; saved: what was above before it */
    uint32_t *left;                   /* edges that have not been followed, and 1; 0: not reached */
} places;

static bool enter(const partition *p, const places *w, pf_sql_made *out, uint32_t node, uint32_t parent)
{
    uint32_t at, end, *above = &w->above[w->group[node]];
    pf_sql_made_cell *row = pf_sql_made_row(out);
    if (!row) {
        return false;
    }
    row[0] = pf_sql_made_int(node);
    row[2] = pf_sql_made_int(w->group[node]);
    if (*above != PF_NONE) {
        row[1] = pf_sql_made_int(*above);
    }
    pf_sql_graph_edges(&p->children, node, &at, &end);
    w->left[node] = end - at + 1;
    w->parent[node] = parent;
    w->saved[node] = *above;
    *above = node;
    return true;
}

/* The last child comes first. */
static const char *go(const partition *p, const places *w, pf_sql_made *out)
{
    if (!enter(p, w, out, p->root, PF_NONE)) {
        return "";
    }
    for (uint32_t node = p->root; node != PF_NONE;) {
        uint32_t left = --w->left[node];
        if (left == 0) {
            w->left[node] = PF_NONE;
            w->above[w->group[node]] = w->saved[node];
            node = w->parent[node];
            continue;
        }
        uint32_t child = p->children.next[p->children.first[node] + left - 1];
        if (w->left[child]) {
            return "tree_partition: an id occurs twice";
        }
        if (!enter(p, w, out, child, node)) {
            return "";
        }
        node = child;
    }
    return NULL;
}

static const char *make_partition(partition *p, pf_sql_made *out)
{
    pf_query *q = p->children.q;
    places w = {0};
    uint32_t **const lists[] = {&w.group, &w.parent, &w.saved, &w.left};
    bool fine = out && pf_sql_graph_arrange(&p->children);
    for (size_t i = 0; i < sizeof lists / sizeof *lists && fine; i++) {
        *lists[i] = pf_sql_zeros(q, p->children.nodes, sizeof **lists[i]);
        fine = *lists[i] != NULL;
    }
    w.above = fine ? pf_sql_zeros(q, (uint64_t)p->largest_group + 1, sizeof *w.above) : NULL;
    for (uint64_t i = 0; w.above && i <= p->largest_group; i++) {
        w.above[i] = PF_NONE;
    }
    for (uint64_t i = 0; w.above && i < p->groups; i++) {
        w.group[p->children.edge[i].to] = p->group[i];
    }
    if (w.above) {
        w.group[p->root] = p->root_group;
    }
    const char *wrong = w.above ? go(p, &w, out) : "";
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        sqlite3_free(*lists[i]);
    }
    sqlite3_free(w.above);
    return wrong;
}

static void partition_final(sqlite3_context *ctx)
{
    static const char *const NAMES[] = {"node_id", "parent_node_id", "group_key"};
    partition *p = pf_sql_take_state(ctx);
    pf_sql_made *out = pf_sql_made_new(pf_sql_session(ctx), NAMES, 3);
    const char *wrong = !p             ? NULL
                        : !p->has_root ? "tree_partition: no root; one parent has to be NULL"
                                       : make_partition(p, out);
    if (wrong && *wrong) {
        sqlite3_result_error(ctx, wrong, -1);
        pf_sql_made_free(out);
    } else {
        pf_sql_made_return(ctx, out, !wrong);
    }
    if (p) {
        pf_sql_graph_clear(&p->children);
        sqlite3_free(p->group);
    }
    sqlite3_free(p);
}

int pf_sql_add_trees(pf_query *q)
{
    static const pf_sql_call CALLS[] = {
        {"__intrinsic_tree_from_table", -1, NULL, pf_sql_made_step, from_table_final},
        {"__intrinsic_tree_to_table", 1, to_table},
        {"__intrinsic_tree_dominator_summary", 1, dominator_summary},
        {"__intrinsic_structural_tree_partition", 3, NULL, partition_step, partition_final},
    };
    return pf_sql_add_calls(q, CALLS, sizeof CALLS / sizeof *CALLS);
}
