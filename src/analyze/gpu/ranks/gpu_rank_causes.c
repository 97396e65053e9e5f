/* analyze/gpu/ranks/gpu_rank_causes.c - point 5: what the ranks that cost most did longer than the others.
 *
 * Time of each sort of work is added up by name over all ranks: compute kernels, memcpy, what operators of the host do
 * themselves, idle time of devices by cause. What a rank has beyond the mean of all others is what differs; the largest
 * of what its devices did, or waited for, is why it is late.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/ranks/gpu_across.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "base/str.h"
#include "model/findings/table_parts.h"

#define LONGEST (INT64_MAX / 1000000) /* of a row: sums of a million stay numbers */

enum { EXPLAINED = 8, MOST_ROWS = 8 };

static const char *const causes[] = {"kernel", "memcpy", "operator", "host-bound", "kernel wait"};
enum { KERNEL, MEMCPY, OPERATOR, HOST_BOUND, KERNEL_WAIT };

/* Where the time of a sort is, and by which names. */
static const struct {
    unsigned table, cause;
    const char *name, *calls, *time, *class; /* class: rows of compute alone */
} sources[] = {
    {GPU_TABLE_KERNELS, KERNEL, "name", "calls", "total_ns", "class"},
    {GPU_TABLE_MEMCPY, MEMCPY, "name", "calls", "total_ns", NULL},
    {GPU_TABLE_OPERATORS, OPERATOR, "name", "calls", "host_self_ns", NULL},
    {GPU_TABLE_DEVICES, HOST_BOUND, NULL, NULL, "idle_host_bound_ns", NULL},
    {GPU_TABLE_DEVICES, KERNEL_WAIT, NULL, NULL, "idle_kernel_wait_ns", NULL},
};

typedef struct rank_time {
    uint64_t time, calls;
} rank_time;

typedef struct time_key {
    uint32_t cause, name; /* name: of explaining.names; 0: none */
} time_key;

enum { SOURCES = sizeof sources / sizeof *sources };

typedef struct explaining {
    gpu_facts *g;
    gpu_input_rows rows[SOURCES];
    pf_strings names, keys; /* keys: time_key */
    rank_time *all, *own;   /* by id of the key; own: of the rank at hand, NULL as long as all are added up */
    uint32_t room;          /* of all */
} explaining;

static void add_time(rank_time *t, int64_t time, int64_t calls)
{
    t->time += time > 0 && time < LONGEST ? (uint64_t)time : 0;
    t->calls += calls > 0 ? (uint64_t)calls : 0;
}

/* The time of a key over all ranks. */
static pf_status add_key(explaining *e, const time_key *key, uint32_t *id, pf_error *err)
{
    uint32_t had = e->room;
    PF_TRY(pf_strings_put(&e->keys, (pf_str){(const char *)key, sizeof *key}, id, err));
    PF_TRY(PF_ARENA_ROOM(&e->g->scratch, e->all, e->keys.count, e->room, err));
    if (e->room > had) {
        memset(e->all + had, 0, (e->room - had) * sizeof *e->all);
    }
    return PF_OK;
}

/* Adds the rows of an input in a source: to the times of all ranks, or where there are own ones to those. */
static pf_status add_rows(explaining *e, size_t source, uint32_t input, pf_error *err)
{
    const gpu_rows rows = pf_gpu_input_rows(&e->rows[source], input);
    const pf_table *t = rows.t;
    const char *class = sources[source].class, *name = sources[source].name, *calls = sources[source].calls;
    size_t time = t ? pf_pass_column(t, sources[source].time) : 0;
    for (size_t row = rows.from; row < rows.to; row++) {
        time_key key = {.cause = sources[source].cause};
        uint32_t id;
        if (class && !pf_str_is(pf_pass_text(t, row, class), "compute")) {
            continue;
        }
        if (name) {
            pf_str text = pf_pass_text(t, row, name); /* a damaged partial may have none */
            PF_TRY(pf_strings_put(&e->names, text.ptr ? text : PF_STR(""), &key.name, err));
        }
        PF_TRY(add_key(e, &key, &id, err));
        add_time(e->own ? &e->own[id] : &e->all[id], t->cells[row * t->column_count + time].as.i,
                 calls ? pf_pass_cell(t, row, calls)->as.i : 0);
    }
    return PF_OK;
}

typedef struct difference {
    uint32_t id;
    uint64_t others;
    int64_t more;
} difference;

static int by_more(const void *a, const void *b)
{
    const difference *x = a, *y = b;
    int order = PF_COMPARE(y->more, x->more);
    return order ? order : PF_COMPARE(x->id, y->id);
}

static time_key key_of(const explaining *e, uint32_t id)
{
    time_key key;
    memcpy(&key, pf_strings_get(&e->keys, id).ptr, sizeof key);
    return key;
}

/* The largest difference of devices; where it is a late host, its name is that of the operator that differs most. */
static void explain(const explaining *e, gpu_costly *c, const difference *list, uint32_t count)
{
    pf_str operator_name = {NULL, 0};
    for (uint32_t i = count; i-- > 0;) {
        time_key key = key_of(e, list[i].id);
        pf_str name = pf_strings_get(&e->names, key.name);
        if (key.cause == OPERATOR) {
            operator_name = name;
        } else {
            c->what = pf_str_of(causes[key.cause]);
            c->name = pf_findings_keep(e->g->f, name);
            c->more = list[i].more;
        }
    }
    c->name = pf_str_is(c->what, causes[HOST_BOUND]) ? pf_findings_keep(e->g->f, operator_name) : c->name;
}

static pf_status compare(explaining *e, gpu_costly *c, pf_error *err)
{
    const gpu_facts *g = e->g;
    difference *list;
    uint32_t n = 0;
    PF_TRY(PF_PASS_ARRAY(&e->g->scratch, e->keys.count, list, err));
    for (uint32_t id = 1; id < e->keys.count; id++) {
        uint64_t others = (e->all[id].time - e->own[id].time) / (g->rank_count - 1);
        if (e->own[id].time > others) {
            list[n++] = (difference){id, others, (int64_t)(e->own[id].time - others)};
        }
    }
    qsort(list, n, sizeof *list, by_more);
    explain(e, c, list, n);
    for (uint32_t i = 0; i < n && i < MOST_ROWS; i++) {
        time_key key = key_of(e, list[i].id);
        const rank_time *own = &e->own[list[i].id];
        GPU_ROW(g, GPU_TABLE_RANK_CAUSES, GPU_WHOSE(g, c->input), pf_cell_text(pf_str_of(causes[key.cause])),
                pf_cell_text(pf_strings_get(&e->names, key.name)), pf_cell_int_if(own->calls > 0, (int64_t)own->calls),
                pf_cell_count(own->time), pf_cell_count(list[i].others), pf_cell_int(list[i].more),
                pf_cell_text(pf_gpu_rank_text(g, c->input, g->f)));
    }
    return PF_OK;
}

pf_status pf_gpu_rows_by_input(const gpu_facts *g, unsigned table, pf_arena *arena, gpu_input_rows *out, pf_error *err)
{
    *out = (gpu_input_rows){.t = g->table[table]};
    if (pf_table_parts(out->t) > 1) {
        return PF_OK;
    }
    const pf_table *t = pf_table_part(out->t, 0);
    uint32_t row = 0, rows = t ? (uint32_t)t->row_count : 0;
    PF_TRY(PF_ARENA_NEW(arena, out->first, (size_t)g->rank_count + 1, err));
    for (uint32_t i = 0; i < g->rank_count; i++) {
        out->first[i] = row;
        while (row < rows && pf_str_equal(t->cells[row * t->column_count].as.s, pf_str_of(g->ranks[i].path))) {
            row++;
        }
        out->first[i + 1] = row;
    }
    return PF_OK;
}

gpu_rows pf_gpu_input_rows(const gpu_input_rows *rows, uint32_t input)
{
    const pf_table *t = pf_table_part(rows->t, rows->first ? 0 : input);
    gpu_rows of = {.t = t};
    if (t) {
        of.from = rows->first ? rows->first[input] : 0;
        of.to = rows->first ? rows->first[input + 1] : t->row_count;
    }
    return of;
}

static pf_status explain_all(explaining *e, gpu_costly *list, uint32_t count, pf_error *err)
{
    gpu_facts *g = e->g;
    PF_TRY(pf_strings_init(&e->names, g->arena->budget, err));
    PF_TRY(pf_strings_init(&e->keys, g->arena->budget, err));
    for (size_t i = 0; i < SOURCES; i++) {
        PF_TRY(pf_gpu_rows_by_input(g, sources[i].table, &g->scratch, &e->rows[i], err));
        for (uint32_t input = 0; input < g->rank_count; input++) {
            PF_TRY(add_rows(e, i, input, err));
        }
    }
    PF_TRY(PF_PASS_ARRAY(&g->scratch, e->keys.count, e->own, err));
    for (gpu_costly *c = list; c < list + count && c < list + EXPLAINED; c++) {
        memset(e->own, 0, e->keys.count * sizeof *e->own);
        for (size_t i = 0; i < SOURCES; i++) {
            PF_TRY(add_rows(e, i, c->input, err));
        }
        PF_TRY(compare(e, c, err));
    }
    return PF_OK;
}

pf_status pf_gpu_tabulate_causes(gpu_facts *g, gpu_costly *list, uint32_t count, pf_error *err)
{
    explaining e = {.g = g};
    pf_status st = count && g->rank_count > 1 ? explain_all(&e, list, count, err) : PF_OK;
    pf_strings_free(&e.names);
    pf_strings_free(&e.keys);
    pf_arena_reset(&g->scratch);
    return st;
}
