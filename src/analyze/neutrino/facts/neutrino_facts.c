/* analyze/neutrino/facts/neutrino_facts.c - the columns of side tables, sections as records, and what is written of
 * them. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/neutrino/facts/neutrino.h"
#include "analyze/support/pass_memory.h"

#define FAULT(member) PF_SIDE_MEMBER(neutrino_faults, member, #member)
#define RUN(member) PF_SIDE_MEMBER(neutrino_runs, member, #member)
#define LAUNCH(member, column) PF_SIDE_MEMBER(neutrino_launches, member, column)
#define KERNEL(member, column) PF_SIDE_MEMBER(neutrino_kernels, member, column)
#define TENSOR(member) PF_SIDE_MEMBER(neutrino_tensors, member, #member)
#define TRACE(member) PF_SIDE_MEMBER(neutrino_traces, member, #member)
#define SECTION(member) PF_SIDE_MEMBER(neutrino_sections, member, #member)
#define FIELD(member) PF_SIDE_MEMBER(neutrino_fields, member, #member)
#define OUTPUT(member) PF_SIDE_MEMBER(neutrino_outputs, member, #member)
#define LATENCY(member, column) PF_SIDE_MEMBER(neutrino_latencies, member, column)
#define PAGE(member, column) PF_SIDE_MEMBER(neutrino_pages, member, column)

#define TABLE(name, member, ...)                                                                                       \
    {                                                                                                                  \
        name, offsetof(neutrino_run, member), (const pf_side_binding[]){__VA_ARGS__},                                  \
            sizeof((const pf_side_binding[]){__VA_ARGS__}) / sizeof(pf_side_binding)                                   \
    }
const neutrino_side pf_neutrino_sides[NEUTRINO_SIDES] = {
    [NEUTRINO_SIDE_FAULT] = TABLE("neutrino_fault", faults, FAULT(file), FAULT(field), FAULT(text)),
    [NEUTRINO_SIDE_RUN] = TABLE("neutrino_run", runs, RUN(path), RUN(command), RUN(process)),
    [NEUTRINO_SIDE_LAUNCH] = TABLE(
        "neutrino_launch", launches, LAUNCH(run, "run"), LAUNCH(kernel, "kernel"), LAUNCH(name, "name"),
        LAUNCH(params, "params"), LAUNCH(status, "status"), LAUNCH(ts, "ts"), LAUNCH(slice_ts, "slice_ts"),
        LAUNCH(event, "event"), LAUNCH(grid[0], "grid_x"), LAUNCH(grid[1], "grid_y"), LAUNCH(grid[2], "grid_z"),
        LAUNCH(block[0], "block_x"), LAUNCH(block[1], "block_y"), LAUNCH(block[2], "block_z"), LAUNCH(shared, "shared"),
        LAUNCH(probe_mem, "probe_mem"), LAUNCH(ms[0], "prologue_ms"), LAUNCH(ms[1], "kernel_ms"),
        LAUNCH(ms[2], "epilogue_ms"), LAUNCH(original, "original_ms"), LAUNCH(impact, "impact")),
    [NEUTRINO_SIDE_KERNEL] =
        TABLE("neutrino_kernel", kernels, KERNEL(run, "run"), KERNEL(name, "name"), KERNEL(written, "written"),
              KERNEL(probed, "probed_registers"), KERNEL(pruned, "pruned_registers")),
    [NEUTRINO_SIDE_TENSOR] =
        TABLE("neutrino_tensor", tensors, TENSOR(run), TENSOR(name), TENSOR(address), TENSOR(bytes)),
    [NEUTRINO_SIDE_TRACE] = TABLE("neutrino_trace", traces, TRACE(run), TRACE(launch), TRACE(file), TRACE(seconds)),
    [NEUTRINO_SIDE_SECTION] =
        TABLE("neutrino_section", sections, SECTION(trace), SECTION(map), SECTION(kind), SECTION(units),
              SECTION(units_per_block), SECTION(unit_bytes), SECTION(record_bytes), SECTION(capacity),
              SECTION(complete_units), SECTION(offset), SECTION(stored_offset), SECTION(data)),
    [NEUTRINO_SIDE_FIELD] = TABLE("neutrino_field", fields, FIELD(section), FIELD(name), FIELD(offset), FIELD(bytes)),
    [NEUTRINO_SIDE_STDOUT] = TABLE("neutrino_stdout", outputs, OUTPUT(folder), OUTPUT(max_memory)),
    [NEUTRINO_SIDE_LATENCY] =
        TABLE("neutrino_latency", latencies, LATENCY(file, "file"), LATENCY(probe, "probe"),
              LATENCY(original, "original"), LATENCY(ncu, "ncu"), LATENCY(neutrino, "neutrino"),
              LATENCY(part[0], "epilogue"), LATENCY(part[1], "kernel"), LATENCY(part[2], "prologue")),
    [NEUTRINO_SIDE_PAGE] = TABLE("neutrino_page", pages, PAGE(file, "file"), PAGE(clock, "clock"), PAGE(page, "page"),
                                 PAGE(times, "count")),
};

static pf_status count_kinds(neutrino_run *n, pf_error *err)
{
    const neutrino_sections *s = &n->sections;
    uint32_t pages = 0; /* files of them, whose documents are called like those of accesses */
    pf_map kinds;       /* string id of a kind -> how many there are so far */
    pf_status st = PF_OK;
    pf_map_init(&kinds, n->arena->budget);
    for (uint32_t i = 0; i < n->pages.count; i++) {
        pages += i == 0 || n->pages.file[i] != n->pages.file[i - 1];
    }
    for (uint32_t i = 0; i < s->count && st == PF_OK; i++) {
        uint32_t before = pf_map_get(&kinds, s->kind[i]);
        n->nth[i] = before == PF_NONE ? 0 : before;
        st = pf_map_put(&kinds, s->kind[i], n->nth[i] + 1, err);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        bool accesses = pf_str_is(pf_neutrino_string(n, s->kind, i), "dmat");
        n->of_kind[i] = pf_map_get(&kinds, s->kind[i]) + (accesses ? pages : 0);
        n->dmat_sections += accesses;
    }
    pf_map_free(&kinds);
    return st;
}

pf_status pf_neutrino_bind(neutrino_run *n, pf_error *err)
{
    for (size_t i = 0; i < NEUTRINO_SIDES; i++) {
        const neutrino_side *t = &pf_neutrino_sides[i];
        const pf_side_table *s = pf_trace_table(n->t, t->name);
        PF_TRY(pf_side_bind(s, t->columns, t->count, (char *)n + t->member, err));
    }
    return PF_OK;
}

pf_status pf_neutrino_begin(neutrino_run *n, pf_error *err)
{
    PF_TRY(PF_PASS_ARRAY(n->arena, n->sections.count, n->nth, err));
    PF_TRY(PF_PASS_ARRAY(n->arena, n->sections.count, n->of_kind, err));
    return count_kinds(n, err);
}

static uint64_t count_of(int64_t v)
{
    return v > 0 ? (uint64_t)v : 0;
}

bool pf_neutrino_records_at(const neutrino_run *n, uint32_t i, neutrino_records *r)
{
    const neutrino_sections *s = &n->sections;
    if (i >= s->count) {
        return false;
    }
    uint32_t trace = s->trace[i];
    *r = (neutrino_records){.section = i,
                            .trace = trace,
                            .run = n->traces.run[trace],
                            .launch = n->traces.launch[trace],
                            .nth = n->nth[i],
                            .of_kind = n->of_kind[i],
                            .kind = pf_neutrino_string(n, s->kind, i),
                            .map = pf_neutrino_string(n, s->map, i),
                            .file = pf_neutrino_string(n, n->traces.file, trace),
                            .units = count_of(s->units[i]),
                            .per_block = count_of(s->units_per_block[i]),
                            .unit_bytes = count_of(s->unit_bytes[i]),
                            .record_bytes = count_of(s->record_bytes[i]),
                            .capacity = count_of(s->capacity[i]),
                            .complete = count_of(s->complete_units[i]),
                            .offset = count_of(s->offset[i]),
                            .stored_offset = count_of(s->stored_offset[i]),
                            .data = s->data[i].ptr};
    r->kernel = pf_neutrino_string(n, n->launches.name, r->launch);
    r->blocks = r->per_block ? r->units / r->per_block : 0;
    return true;
}

static uint32_t end_of_group(const uint32_t *file, uint32_t count, uint32_t row)
{
    uint32_t end = row;
    while (end < count && file[end] == file[row]) {
        end++;
    }
    return end;
}

bool pf_neutrino_next_group(const neutrino_run *n, const uint32_t *file, uint32_t count, neutrino_group *g)
{
    g->r.nth += g->past > 0;
    for (uint32_t i = 0; g->past == 0 && i < count; i = end_of_group(file, count, i)) {
        g->r.of_kind++;
    }
    g->first = g->past;
    g->past = end_of_group(file, count, g->first);
    g->r.file = pf_neutrino_string(n, file, g->first < count ? g->first : PF_NONE);
    return g->first < count;
}

size_t pf_neutrino_field(const neutrino_run *n, const neutrino_records *r, const char *name, unsigned *bytes)
{
    const neutrino_fields *f = &n->fields;
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->section[i] == r->section && pf_str_is(pf_neutrino_string(n, f->name, i), name)) {
            *bytes = (unsigned)count_of(f->bytes[i]);
            return (size_t)count_of(f->offset[i]);
        }
    }
    *bytes = 0;
    return SIZE_MAX;
}

pf_status pf_neutrino_passed(const neutrino_run *n, const neutrino_records *r, uint64_t unit, uint64_t *gone,
                             pf_error *err)
{
    uint64_t from = *gone * r->unit_bytes, to = unit * r->unit_bytes;
    if (to - from < NEUTRINO_PIECE) {
        return PF_OK;
    }
    pf_trace_drop_bytes(n->t, (pf_bytes){r->data + from, (size_t)(to - from)});
    *gone = unit;
    return pf_pass_poll(n->ctx, err);
}

void pf_neutrino_put_u64(const neutrino_run *n, pf_node *parent, const char *key, uint64_t v)
{
    if (v <= INT64_MAX) {
        pf_node_add_int(n->f, parent, pf_neutrino_str(key), (int64_t)v);
    } else if (parent) {
        pf_node_add_raw(n->f, parent, pf_neutrino_str(key), pf_findings_format(n->f, "%" PRIu64, v));
    }
}

void pf_neutrino_put_numbers(const neutrino_run *n, pf_node *object, const neutrino_number *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pf_neutrino_put_u64(n, object, list[i].key, list[i].v);
    }
}

void pf_neutrino_put_real(const neutrino_run *n, pf_node *parent, const char *key, double v)
{
    if (isfinite(v)) {
        pf_node_add_real(n->f, parent, pf_neutrino_str(key), v);
    } else {
        pf_neutrino_put(n, parent, key, PF_NODE_NULL);
    }
}

void pf_neutrino_put_text(const neutrino_run *n, pf_node *parent, const char *key, pf_str v)
{
    pf_node_add_text(n->f, parent, pf_neutrino_str(key), v.ptr ? v : PF_STR(""));
}

pf_node *pf_neutrino_put(const neutrino_run *n, pf_node *parent, const char *key, pf_node_type type)
{
    return pf_node_add(n->f, parent, pf_neutrino_str(key), type);
}

pf_str pf_neutrino_stem(const neutrino_run *n, const char *stem, const neutrino_records *r)
{
    return r && r->of_kind > 1 ? pf_findings_format(n->f, "%s_%" PRIu32, stem, r->nth + 1) : pf_str_of(stem);
}

static pf_str file_of(const neutrino_run *n, const char *stem, const neutrino_records *r, const char *ending)
{
    pf_str name = pf_neutrino_stem(n, stem, r);
    return pf_findings_format(n->f, "%.*s.%s", PF_TEXT_ARG(name), ending);
}

void pf_neutrino_report(const neutrino_run *n, const char *stem, const neutrino_records *r, pf_node *root)
{
    pf_neutrino_keep_document(n, NEUTRINO_DOCUMENT, pf_str_of(stem), root);
    pf_str file = file_of(n, stem, r, "json");
    if (r && r->of_kind > 1 && root && root->type == PF_NODE_OBJECT) {
        pf_neutrino_put_text(n, root, "file", r->file);
    }
    static const pf_json_style style = {.one_line = true, .final_newline = true};
    pf_findings_add_report(n->f, &(pf_report){.file = file,
                                              .form = PF_REPORT_JSON,
                                              .root = root,
                                              .json = &style,
                                              .announced = !r || r->nth < NEUTRINO_LINES});
    pf_node *summary = (pf_node *)(uintptr_t)pf_findings_summary(n->f);
    const char *dot = file.ptr ? memchr(file.ptr, '.', file.len) : NULL;
    pf_node_copy(n->f, summary, (pf_str){file.ptr, dot ? (size_t)(dot - file.ptr) : file.len}, root);
}

void pf_neutrino_report_tsv(const neutrino_run *n, const char *stem, const neutrino_records *r, const pf_text *text)
{
    pf_neutrino_keep(n, NEUTRINO_TSV, pf_str_of(stem), pf_text_view(text));
    pf_findings_report_text(n->f, file_of(n, stem, r, "tsv"), text, r->nth < NEUTRINO_LINES);
}

void pf_neutrino_say(const neutrino_run *n, pf_str line)
{
    pf_neutrino_keep(n, NEUTRINO_NOTE, PF_STR(""), line);
    pf_findings_show_line(n->f, PF_INFO, "%.*s", PF_TEXT_ARG(line));
}

void pf_neutrino_add_fact(neutrino_run *n, const neutrino_records *r, const char *key, uint64_t value, bool clock)
{
    pf_error err;
    if (PF_ARENA_ROOM(n->arena, n->facts, n->fact_count + 1, n->fact_room, &err) != PF_OK) {
        pf_findings_fail(n->f, &err);
        return;
    }
    n->facts[n->fact_count++] = (neutrino_fact){r->launch, r->section, PF_NONE, key, value, clock};
}

void pf_neutrino_print(neutrino_run *n, pf_str line)
{
    pf_neutrino_keep(n, NEUTRINO_LINE, PF_STR(""), line);
    if (n->printed++ >= NEUTRINO_LINES) {
        return;
    }
    pf_text *t = pf_text_new(n->f);
    pf_text_put(n->f, t, line);
    pf_text_put(n->f, t, PF_STR("\n"));
    pf_findings_print(n->f, t);
}
