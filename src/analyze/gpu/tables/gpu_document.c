/* analyze/gpu/tables/gpu_document.c - the document of --json and its schema, both made from the tables.
 *
 * Each table is a list of objects under its name without "gpu_"; devices have their streams and their concurrency
 * inside, too, because that is where a reader looks for them.
 */
#include <string.h>

#include "analyze/gpu/facts/gpu.h"
#include "base/str.h"

/* input, rank and device, with which the rows of streams and concurrency begin. */
enum { GPU_DEVICE_COLUMNS = 3 };

/* 2: steps by launch. */
enum { GPU_SCHEMA_VERSION = 2 };

static const pf_str in_list = {NULL, 0};

static pf_str key_of(size_t table)
{
    return pf_str_of(pf_gpu_tables[table].name + strlen("gpu_"));
}

static void add_cell(pf_findings *f, pf_node *object, const pf_column *c, const pf_cell *cell)
{
    pf_str key = pf_str_of(c->name);
    if (cell->null) {
        pf_node_add(f, object, key, PF_NODE_NULL);
    } else if (c->type == PF_CELL_INT) {
        pf_node_add_int(f, object, key, cell->as.i);
    } else if (c->type == PF_CELL_REAL) {
        pf_node_add_real(f, object, key, cell->as.d);
    } else {
        pf_node_add_text(f, object, key, cell->as.s);
    }
}

/* The cells of a row from column `from` on, as an object in the list. */
static pf_node *add_row(pf_findings *f, pf_node *list, const pf_table *t, size_t row, size_t from)
{
    pf_node *object = pf_node_add(f, list, in_list, PF_NODE_OBJECT);
    for (size_t c = from; c < t->column_count; c++) {
        add_cell(f, object, &t->columns[c], &t->cells[row * t->column_count + c]);
    }
    return object;
}

/* The next `count` rows of a table that has the devices in the same order. */
static void add_inner(const gpu_facts *g, pf_node *device, size_t table, size_t *at, size_t count)
{
    const pf_table *t = pf_table_view(g->table[table]);
    pf_node *list = pf_node_add(g->f, device, key_of(table), PF_NODE_LIST);
    for (size_t end = *at + count; *at < end && *at < t->row_count; (*at)++) {
        add_row(g->f, list, t, *at, GPU_DEVICE_COLUMNS);
    }
}

static bool is_inner(size_t table)
{
    return table == GPU_TABLE_STREAMS || table == GPU_TABLE_CONCURRENCY;
}

static void add_devices(const gpu_facts *g, pf_node *list)
{
    const pf_table *devices = pf_table_view(g->table[GPU_TABLE_DEVICES]);
    size_t stream = 0, depth = 0;
    for (size_t d = 0; d < devices->row_count; d++) {
        pf_node *object = add_row(g->f, list, devices, d, 0);
        add_inner(g, object, GPU_TABLE_STREAMS, &stream, g->devices[d].stream_count);
        add_inner(g, object, GPU_TABLE_CONCURRENCY, &depth, g->devices[d].depths);
    }
}

pf_node *pf_gpu_document(const gpu_facts *g)
{
    pf_node *root = pf_node_root(g->f, PF_NODE_OBJECT);
    pf_node_add_int(g->f, root, PF_STR("schema_version"), GPU_SCHEMA_VERSION);
    for (size_t i = 0; i < GPU_TABLES; i++) {
        if (i == GPU_TABLE_DEVICES) {
            add_devices(g, pf_node_add(g->f, root, key_of(i), PF_NODE_LIST));
        } else if (!is_inner(i)) {
            pf_node_add_rows(g->f, root, key_of(i), g->table[i], 0);
        }
    }
    return root;
}

/* What may be missing: everything but times, counts and the names of rows. */
static const char always[] =
    " input longest_input most_work_input last_step line counter ranges sum mean min max device label stream "
    "max_concurrency running name class kind kernel "
    "allocated allocations frees node depth "
    "calls events launches launched launched_self graph_launches events_without_call shorter_than_launch "
    "queue_depth_max depth_mean depth_max cause step mark source length events_in_no_step launches_in_no_step "
    "events_by_stream events_by_clock steps warm_up outliers steady allocated_bytes freed_bytes peak_bytes "
    "peak_recorded_bytes reserved_bytes end_bytes devices collectives number inputs verdict data_lost "
    "period_mean period_median period_p95 period_min period_max work_mean work_median work_p95 work_min work_max ";

/* Whether one of the words, each between blanks, is the name. */
static bool is_among(const char *words, const char *name)
{
    size_t len = strlen(name);
    const char *at = strstr(words, name);
    while (at && !(at[-1] == ' ' && at[len] == ' ')) {
        at = strstr(at + 1, name);
    }
    return at != NULL;
}

static bool may_be_null(size_t table, const pf_column *c)
{
    /* What steps without an annotation, of the host or at all, or without device work do not have. */
    static const char of_steps[] = " device label name host_start_ns host_end_ns start_ns end_ns period_ns lag_ns ";
    static const char *const of_some[GPU_TABLES] = {[GPU_TABLE_STEPS] = of_steps,
                                                    [GPU_TABLE_STEP_SUMMARY] = " device label ",
                                                    [GPU_TABLE_MEMORY] = " device label ",
                                                    [GPU_TABLE_STRAGGLERS] = " step ",
                                                    [GPU_TABLE_RANK_COSTS] = " step cause name more_ns ",
                                                    [GPU_TABLE_RANK_CAUSES] = " name calls ",
                                                    [GPU_TABLE_RANKS] = " median_step_ns caused_ns waited_ns ",
                                                    [GPU_TABLE_HOST_WAKERS] = " blocked_ns runnable_ns ",
                                                    [GPU_TABLE_MEMORY_HOLDERS] = " device label ",
                                                    [GPU_TABLE_CRITICAL_PATH] = " name device stream ",
                                                    [GPU_TABLE_CRITICAL_PATH_SHARE] = " device "};
    return (of_some[table] && is_among(of_some[table], c->name)) ||
           !(is_among(always, c->name) || pf_str_ends(pf_str_of(c->name), PF_STR("_ns")));
}

static void add_property(pf_findings *f, pf_node *properties, pf_node *required, size_t table, const pf_column *c)
{
    static const char *const types[] = {"integer", "number", "string"};
    pf_node *property = pf_node_add(f, properties, pf_str_of(c->name), PF_NODE_OBJECT);
    pf_str type = pf_str_of(types[c->type]);
    if (may_be_null(table, c)) {
        pf_node *list = pf_node_add(f, property, PF_STR("type"), PF_NODE_LIST);
        pf_node_add_text(f, list, in_list, type);
        pf_node_add_text(f, list, in_list, PF_STR("null"));
    } else {
        pf_node_add_text(f, property, PF_STR("type"), type);
    }
    if (*c->unit) {
        pf_node_add_text(f, property, PF_STR("description"), pf_findings_format(f, "unit: %s", c->unit));
    }
    pf_node_add_text(f, required, in_list, pf_str_of(c->name));
}

/* A list of objects with the columns of the table from `from` on. Inner lists belong to the devices. */
static void add_table(pf_findings *f, pf_node *properties, size_t table, size_t from)
{
    const pf_pass_table *t = &pf_gpu_tables[table];
    pf_node *list = pf_node_add(f, properties, key_of(table), PF_NODE_OBJECT);
    pf_node_add_text(f, list, PF_STR("type"), PF_STR("array"));
    pf_node_add_text(f, list, PF_STR("description"), pf_str_of(t->help));
    pf_node *item = pf_node_add(f, list, PF_STR("items"), PF_NODE_OBJECT);
    pf_node_add_text(f, item, PF_STR("type"), PF_STR("object"));
    pf_node *inner = pf_node_add(f, item, PF_STR("properties"), PF_NODE_OBJECT);
    pf_node *required = pf_node_add(f, item, PF_STR("required"), PF_NODE_LIST);
    pf_node_add_bool(f, item, PF_STR("additionalProperties"), false);
    for (size_t c = from; c < t->column_count; c++) {
        add_property(f, inner, required, table, &t->columns[c]);
    }
    if (table == GPU_TABLE_DEVICES) {
        add_table(f, inner, GPU_TABLE_STREAMS, GPU_DEVICE_COLUMNS);
        add_table(f, inner, GPU_TABLE_CONCURRENCY, GPU_DEVICE_COLUMNS);
        pf_node_add_text(f, required, in_list, key_of(GPU_TABLE_STREAMS));
        pf_node_add_text(f, required, in_list, key_of(GPU_TABLE_CONCURRENCY));
    }
}

const pf_node *pf_gpu_schema(pf_findings *f)
{
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_text(f, root, PF_STR("$schema"), PF_STR("https://json-schema.org/draft/2020-12/schema"));
    pf_node_add_text(f, root, PF_STR("title"), PF_STR("postfetto analyze gpu --json"));
    pf_node_add_text(f, root, PF_STR("type"), PF_STR("object"));
    pf_node *properties = pf_node_add(f, root, PF_STR("properties"), PF_NODE_OBJECT);
    pf_node *version = pf_node_add(f, properties, PF_STR("schema_version"), PF_NODE_OBJECT);
    pf_node_add_int(f, version, PF_STR("const"), GPU_SCHEMA_VERSION);
    pf_node *required = pf_node_add(f, root, PF_STR("required"), PF_NODE_LIST);
    pf_node_add_text(f, required, in_list, PF_STR("schema_version"));
    for (size_t i = 0; i < GPU_TABLES; i++) {
        if (!is_inner(i)) {
            add_table(f, properties, i, 0);
            pf_node_add_text(f, required, in_list, key_of(i));
        }
    }
    pf_node *nothing = pf_node_add(f, properties, PF_STR("nothing"), PF_NODE_OBJECT);
    pf_node_add_text(f, nothing, PF_STR("type"), PF_STR("string"));
    pf_node_add_text(f, nothing, PF_STR("description"), PF_STR("only where there are no device events: what there is"));
    pf_node_add_bool(f, root, PF_STR("additionalProperties"), false);
    return root;
}
