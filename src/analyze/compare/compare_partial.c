/* analyze/compare/compare_partial.c - the calls of one trace as a partial, and read back (docs/reference/partial.md).
 *
 * A comparison needs nothing of a trace but its calls, which a partial has one by one: what is drawn from them, and
 * every number, is that of the trace. Its rows come in their order, so that they get the numbers that the trace gives
 * them.
 *
 * The tables may say anything: what belongs together is held against each other, a wrong number makes wrong numbers. */
#include "analyze/compare/compare.h"
#include "analyze/pass/partials.h"
#include "analyze/support/pass_memory.h"
#include "analyze/support/pass_tables.h"
#include "model/trace/trace.h"
#include "postfetto/side_table.h"
#include "tables/partial_file.h"

#define INT PF_INT_COLUMN
#define TEXT PF_TEXT_COLUMN

enum { INPUTS, FILE_TABLE, ROWS, SLICES, ITERATIONS, STEPS, OPERATIONS, TABLES };
static const pf_pass_table tables[TABLES] = {
    [INPUTS] = PF_PASS_TABLE("compare_part_inputs", "an input", TEXT("input"), TEXT("hash")),
    [FILE_TABLE] = PF_PASS_TABLE("compare_part_file", "the input", INT("names", ""), INT("by", ""), TEXT("anchor"),
                                 INT("in_cycles", ""), INT("busy", "ns"), INT("open", ""), INT("rank", ""),
                                 INT("devices", ""), PF_REAL_COLUMN("whole_busy", -1, "ns")),
    [ROWS] = PF_PASS_TABLE("compare_part_rows", "a row", TEXT("name"), INT("device", ""), INT("calls", "")),
    [SLICES] = PF_PASS_TABLE("compare_part_slices", "a call, row after row", INT("length", "ns"), INT("own", "ns"),
                             INT("iteration", "")),
    [ITERATIONS] = PF_PASS_TABLE("compare_part_iterations", "the start of an iteration, and the end of the last",
                                 INT("start", "ns")),
    [STEPS] = PF_PASS_TABLE("compare_part_steps", "a step of the devices", PF_REAL_COLUMN("busy", -1, "ns"),
                            PF_REAL_COLUMN("period", -1, "ns")),
    [OPERATIONS] = PF_PASS_TABLE("compare_part_operations", "an operation of a device", INT("busy", "ns"),
                                 INT("period", "ns"), INT("step", "")),
};
enum { NAMES, BY, ANCHOR, IN_CYCLES, BUSY, OPEN, RANK, DEVICES, WHOLE_BUSY };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static pf_table_builder *make(pf_findings *f, unsigned table)
{
    const pf_pass_table *t = &tables[table];
    return pf_table_new_named(f, t->name, pf_str_of(t->help), t->columns, t->column_count);
}

/* PF_NONE is nothing. */
static pf_cell number_cell(uint32_t v)
{
    return pf_cell_int_if(v != PF_NONE, v);
}

static void add_calls(pf_findings *f, const compare *c, const compare_calls *calls)
{
    pf_table_builder *rows = make(f, ROWS), *slices = make(f, SLICES), *iterations = make(f, ITERATIONS);
    for (uint32_t i = 1; i < calls->rows; i++) {
        PF_TABLE_ROW(f, rows, pf_cell_text(pf_compare_row_text(c, i)), pf_cell_int(pf_compare_is_device_row(c, i)),
                     pf_cell_int(calls->first[i + 1] - calls->first[i]));
    }
    for (uint32_t i = 0; i < calls->count; i++) {
        PF_TABLE_ROW(f, slices, pf_cell_int((int64_t)calls->length[i]), pf_cell_int((int64_t)calls->own[i]),
                     number_cell(calls->iteration ? calls->iteration[i] : PF_NONE));
    }
    for (uint32_t i = 0; i <= calls->iterations && calls->iterations; i++) {
        PF_TABLE_ROW(f, iterations, pf_cell_int(calls->start[i]));
    }
}

pf_status pf_compare_add_parts(pf_findings *f, const compare *c, const compare_calls *calls, const pf_trace *t,
                               pf_error *err)
{
    const gpu_outline *o = &calls->outline;
    char hash[33];
    pf_trace_hash_input(t, 0, hash);
    PF_TABLE_ROW(f, make(f, INPUTS), pf_cell_text(pf_str_of(pf_trace_input(t, 0)->path)),
                 pf_cell_text(pf_str_of(hash)));
    PF_TABLE_ROW(f, make(f, FILE_TABLE), pf_cell_int(c->options.names), pf_cell_int((int64_t)c->options.by),
                 pf_cell_text(c->options.anchor), pf_cell_int(calls->in_cycles), pf_cell_int((int64_t)calls->busy),
                 pf_cell_int((int64_t)calls->open), pf_cell_int_if(o->rank_known, o->rank), pf_cell_int(o->devices),
                 pf_cell_real(o->whole_busy));
    add_calls(f, c, calls);
    pf_table_builder *steps = make(f, STEPS), *operations = make(f, OPERATIONS);
    for (uint32_t i = 0; i < o->steps; i++) {
        PF_TABLE_ROW(f, steps, pf_cell_real(o->busy[i]), pf_cell_real(o->period[i]));
    }
    for (uint32_t i = 0; i < o->part_count; i++) {
        const gpu_part *p = &o->parts[i];
        PF_TABLE_ROW(f, operations, pf_cell_int((int64_t)p->busy), pf_cell_int((int64_t)p->period),
                     number_cell(p->step));
    }
    return pf_findings_status(f, err);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct reading_back {
    compare *c;
    const pf_trace *t;
    const pf_side_table *s[TABLES];
    compare_calls *out;
    pf_error *err;
} reading_back;

static pf_status broken(const reading_back *r, unsigned table)
{
    return pf_fail(r->err, PF_ERR_INPUT, "table %s of the partial is damaged; write it again with --partial",
                   tables[table].name);
}

static uint32_t count_of(const reading_back *r, unsigned table)
{
    return r->s[table] ? r->s[table]->count : 0;
}

bool pf_compare_is_partial(const pf_trace *t)
{
    return pf_trace_table(t, PF_PARTIALS) != NULL;
}

static pf_status check_manifest(const reading_back *r)
{
    enum { VERSION = 1, PASS };
    const pf_side_table *m = pf_trace_table(r->t, PF_PARTIALS);
    pf_str version = pf_trace_string(r->t, *pf_side_ref(m, VERSION, 0)),
           pass = pf_trace_string(r->t, *pf_side_ref(m, PASS, 0));
    if (!pf_str_is(pass, "compare") || !pf_str_is(version, pf_version())) {
        return pf_fail(r->err, PF_ERR_INPUT,
                       "is a partial that postfetto %.*s wrote for the pass %.*s, this is postfetto %s, which compares "
                       "those of 'compare --partial'",
                       PF_TEXT_ARG(version), PF_TEXT_ARG(pass), pf_version());
    }
    return PF_OK;
}

static pf_status read_file(reading_back *r)
{
    const pf_side_table *s = r->s[FILE_TABLE];
    const compare_options *o = &r->c->options;
    compare_calls *out = r->out;
    PF_TRY(count_of(r, FILE_TABLE) == 1 ? PF_OK : broken(r, FILE_TABLE));
    pf_str anchor = pf_trace_string(r->t, *pf_side_ref(s, ANCHOR, 0));
    if (*pf_side_number(s, NAMES, 0) != (int64_t)o->names || *pf_side_number(s, BY, 0) != (int64_t)o->by ||
        !anchor.ptr != !o->anchor.ptr || !pf_str_equal(anchor, o->anchor)) {
        return pf_fail(r->err, PF_ERR_INPUT, "is a partial that was written with other --names, --by or --anchor");
    }
    int64_t rank = *pf_side_number(s, RANK, 0), devices = *pf_side_number(s, DEVICES, 0);
    out->in_cycles = *pf_side_number(s, IN_CYCLES, 0) != 0;
    out->busy = (uint64_t)*pf_side_number(s, BUSY, 0);
    out->open = (uint64_t)*pf_side_number(s, OPEN, 0);
    out->outline = (gpu_outline){.rank_known = rank != INT64_MIN,
                                 .rank = rank,
                                 .devices = devices < 0 || devices > UINT32_MAX ? 0 : (uint32_t)devices,
                                 .whole_busy = *pf_side_real(s, WHOLE_BUSY, 0)};
    return PF_OK;
}

/* Names the rows, and lays out their calls. `id`: by row of the partial. */
static pf_status read_rows(reading_back *r, uint32_t *id)
{
    enum { NAME, DEVICE, CALLS };
    const pf_side_table *s = r->s[ROWS];
    compare_calls *out = r->out;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count_of(r, ROWS); i++) {
        pf_str name = pf_trace_string(r->t, *pf_side_ref(s, NAME, i));
        id[i] = pf_compare_add_row(r->c, name, *pf_side_number(s, DEVICE, i) == 1, r->err);
        PF_TRY(id[i] == PF_NONE ? r->err->code : PF_OK);
    }
    out->rows = r->c->names.count;
    PF_TRY(PF_ARENA_NEW(&r->c->arena, out->first, (size_t)out->rows + 2, r->err));
    for (uint32_t i = 0; i < count_of(r, ROWS); i++) {
        int64_t calls = *pf_side_number(s, CALLS, i);
        PF_TRY(calls >= 0 && (uint64_t)calls <= count_of(r, SLICES) - sum ? PF_OK : broken(r, ROWS));
        sum += (uint64_t)calls;
        out->first[id[i] + 2] += (uint32_t)calls;
    }
    for (uint32_t row = 1; row < out->rows + 2; row++) {
        out->first[row] += out->first[row - 1];
    }
    return sum == count_of(r, SLICES) ? PF_OK : broken(r, ROWS);
}

static pf_status read_slices(reading_back *r, const uint32_t *id)
{
    enum { LENGTH, OWN, ITERATION, CALLS = 2 };
    const pf_side_table *s = r->s[SLICES];
    compare_calls *out = r->out;
    uint32_t *next = out->first + 1, from = 0;
    out->count = count_of(r, SLICES);
    PF_TRY(PF_PASS_ARRAY(&r->c->arena, out->count, out->length, r->err));
    PF_TRY(PF_PASS_ARRAY(&r->c->arena, out->count, out->own, r->err));
    if (out->iterations) {
        PF_TRY(PF_PASS_ARRAY(&r->c->arena, out->count, out->iteration, r->err));
    }
    for (uint32_t i = 0; i < count_of(r, ROWS); i++) {
        uint32_t end = from + (uint32_t)*pf_side_number(r->s[ROWS], CALLS, i);
        for (; from < end; from++) {
            uint32_t to = next[id[i]]++;
            int64_t iteration = *pf_side_number(s, ITERATION, from);
            out->length[to] = (uint64_t)*pf_side_number(s, LENGTH, from);
            out->own[to] = (uint64_t)*pf_side_number(s, OWN, from);
            if (out->iterations) {
                out->iteration[to] = iteration >= 0 && iteration < UINT32_MAX ? (uint32_t)iteration : PF_NONE;
            }
        }
    }
    return PF_OK;
}

static pf_status read_iterations(reading_back *r)
{
    const pf_side_table *s = r->s[ITERATIONS];
    r->out->iterations = s ? s->count - 1 : 0;
    PF_TRY(PF_PASS_ARRAY(&r->c->arena, count_of(r, ITERATIONS), r->out->start, r->err));
    for (uint32_t i = 0; i < count_of(r, ITERATIONS); i++) {
        r->out->start[i] = *pf_side_number(s, 0, i);
    }
    return PF_OK;
}

static pf_status read_outline(reading_back *r)
{
    enum { BUSY_COLUMN, PERIOD, STEP };
    gpu_outline *o = &r->out->outline;
    o->steps = count_of(r, STEPS);
    o->part_count = count_of(r, OPERATIONS);
    PF_TRY(PF_PASS_ARRAY(&r->c->arena, o->steps, o->busy, r->err));
    PF_TRY(PF_PASS_ARRAY(&r->c->arena, o->steps, o->period, r->err));
    PF_TRY(PF_PASS_ARRAY(&r->c->arena, o->part_count, o->parts, r->err));
    for (uint32_t i = 0; i < o->steps; i++) {
        o->busy[i] = *pf_side_real(r->s[STEPS], BUSY_COLUMN, i);
        o->period[i] = *pf_side_real(r->s[STEPS], PERIOD, i);
    }
    for (uint32_t i = 0; i < o->part_count; i++) {
        const pf_side_table *s = r->s[OPERATIONS];
        int64_t step = *pf_side_number(s, STEP, i);
        o->parts[i] = (gpu_part){(uint64_t)*pf_side_number(s, BUSY_COLUMN, i), (uint64_t)*pf_side_number(s, PERIOD, i),
                                 step >= 0 && step < o->steps ? (uint32_t)step : PF_NONE};
    }
    return PF_OK;
}

pf_status pf_compare_read_partial(compare *c, const pf_trace *t, compare_calls *out, pf_error *err)
{
    reading_back r = {.c = c, .t = t, .out = out, .err = err};
    uint32_t *id;
    *out = (compare_calls){.in_cycles = false};
    PF_TRY(check_manifest(&r));
    for (unsigned i = 0; i < TABLES; i++) {
        PF_TRY(pf_partials_table(t, &tables[i], &r.s[i], err));
    }
    PF_TRY(read_file(&r));
    PF_TRY(read_iterations(&r));
    PF_TRY(PF_PASS_ARRAY(&c->arena, count_of(&r, ROWS), id, err));
    PF_TRY(read_rows(&r, id));
    PF_TRY(read_slices(&r, id));
    return read_outline(&r);
}
