/* write/columns/archive/archive.c - the tables as an archive that Perfetto loads without parsing: a TAR of a manifest
 * and an Arrow file for each table that has rows.
 *
 * The engine demands exact schemas (archive_schemas.c) and takes the number of a row for its id. So tracks that no
 * table shows are left out, and whatever names a track gets its new number; all else keeps its numbers.
 *
 * The manifest comes first, and early in it a hash of all members, because the UI tells archives apart by the first
 * bytes. All sizes are known before anything is written: two threads write a member each at its place, hash what they
 * write, and the manifest is written last. What cannot be written out of order (a pipe) is made twice, once for the
 * hash. */
#include <inttypes.h>
#include <xxhash.h>

#include "base/str.h"
#include "base/text/json_text.h"
#include "output/sink.h"
#include "postfetto/export.h"
#include "write/columns/archive/archive_schemas.h"
#include "write/columns/archive/tar.h"
#include "write/columns/arrow/arrow_ipc.h"

#define DEFAULT_JOBS 2
#define HASH_DIGITS 32
#define MANIFEST "perfetto_manifest.json"
#define ATTRIBUTE_BYTES 1024 /* longer metadata is no attribute */

typedef struct archive archive;

/* A table on its way. */
typedef struct member {
    archive *of;
    const pf_archive_table *schema;
    pf_col_table table;
    pf_arrow arrow;
    uint64_t at; /* of its data in the file */
    uint64_t put;
    XXH3_state_t *hash;
    XXH128_hash_t digest;
    bool hashed_only; /* nothing is written */
} member;

struct archive {
    pf_col_trace columns;
    const pf_archive_release *release;
    const pf_write_options *options;
    pf_outfile out;
    member *member;
    uint32_t count;
    uint32_t *new_track; /* by row of the track table */
    pf_buffer manifest;
    size_t hash_at; /* of the digits, in the manifest */
};

static pf_status number_tracks(archive *x, pf_error *err)
{
    const pf_data_table *t = pf_data_find(&x->columns.data, PF_STR("__intrinsic_track"));
    PF_TRY(PF_ARENA_NEW(&x->columns.arena, x->new_track, t->rows, err));
    memset(x->new_track, 0xff, t->rows * sizeof *x->new_track); /* what is not shown is nowhere, rather than track 0 */
    for (uint32_t i = 0; t->visible && i < t->visible_count; i++) {
        x->new_track[t->visible[i]] = i;
    }
    return PF_OK;
}

static bool names_a_track(const member *m, pf_str column)
{
    return pf_str_is(column, "track_id") || (strcmp(m->schema->name, "track") == 0 && pf_str_is(column, "parent_id"));
}

/* The columns that the engine wants, out of those that the table has; others are NULL, or 0 where they must not be. */
static pf_status match_columns(member *m, const pf_col_table *ours, pf_error *err)
{
    pf_arena *arena = &m->of->columns.arena;
    const char *at = m->schema->columns;
    pf_archive_column want;
    m->table = (pf_col_table){.name = m->schema->name, .rows = ours->rows};
    PF_TRY(PF_ARENA_NEW(arena, m->table.cols, strlen(at), err));
    while (pf_archive_column_next(&at, &want)) {
        char *name = pf_arena_copy(arena, want.name.ptr, want.name.len);
        char *own = pf_arena_copy(arena, want.ours.ptr, want.ours.len);
        PF_TRY(!name || !own ? pf_no_memory(err) : PF_OK);
        const pf_col *from = pf_col_named(ours, own);
        pf_col *to = &m->table.cols[m->table.count++];
        *to = from ? *from : (pf_col){.source = want.nullable ? PF_COL_OF_NULL : PF_COL_OF_ZERO};
        to->name = name;
        to->type = want.type;
        to->nullable = want.nullable;
        to->renumber = names_a_track(m, want.name) ? m->of->new_track : NULL;
    }
    return PF_OK;
}

/* What the engine says of a recording, and we do not: the name of the idle thread. */
static pf_status name_idle_thread(archive *x, pf_col_table *threads, pf_error *err)
{
    pf_col *name = pf_col_named(threads, "name");
    uint32_t *ids;
    PF_TRY(PF_ARENA_NEW(&x->columns.arena, ids, threads->rows, err));
    for (uint32_t i = 0; i < threads->rows; i++) {
        uint32_t id = name->array ? ((const uint32_t *)name->array)[i] : 0;
        pf_str text = i == 0 && id == 0 ? PF_STR("swapper") : pf_strings_get(name->pool, id);
        PF_TRY(text.ptr ? pf_strings_put(&x->columns.made, text, &ids[i], err) : PF_OK);
    }
    name->array = ids;
    name->pool = &x->columns.made;
    return PF_OK;
}

static pf_status say_of_recording(archive *x, pf_col_table *table, pf_error *err)
{
    const pf_trace *t = x->columns.data.trace;
    bool recorded = pf_trace_input_count(t) && strcmp(pf_trace_input(t, 0)->format, "perfetto") == 0 && table->rows;
    return recorded && strcmp(table->name, "thread") == 0 ? name_idle_thread(x, table, err) : PF_OK;
}

/* Which slice was where when it began and ended, on which track. */
static pf_status make_callstacks(archive *x, pf_col_table *out, pf_error *err)
{
    enum { SLICE, TRACK, SITE, END_SITE, WEIGHT, COLUMNS };
    static const char *const names[] = {"slice_id", "track_id", "callsite_id", "end_callsite_id", "weight"};
    const pf_side_table *s = &x->columns.data.trace->sides.known[PF_SIDE_EVENT_STACK];
    const pf_slices *slices = pf_trace_slices(x->columns.data.trace);
    pf_arena *arena = &x->columns.arena;
    uint32_t *rows, *track, count = 0;
    PF_TRY(PF_ARENA_NEW(arena, rows, s->count, err));
    PF_TRY(PF_ARENA_NEW(arena, track, s->count, err));
    PF_TRY(PF_ARENA_NEW(arena, out->cols, COLUMNS, err));
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t slice = *pf_side_ref(s, PF_EVENT_STACK_SLICE, i);
        if (slice != PF_NONE && (*pf_side_ref(s, PF_EVENT_STACK_SITE, i) != PF_NONE ||
                                 *pf_side_ref(s, PF_EVENT_STACK_END_SITE, i) != PF_NONE)) {
            track[i] = slices->track[slice];
            rows[count++] = i;
        }
    }
    const void *const arrays[] = {s->column[PF_EVENT_STACK_SLICE], track, s->column[PF_EVENT_STACK_SITE],
                                  s->column[PF_EVENT_STACK_END_SITE], s->column[PF_EVENT_STACK_WEIGHT]};
    for (size_t i = 0; i < COLUMNS; i++) {
        out->cols[i] = (pf_col){.name = names[i],
                                .source = i == WEIGHT ? PF_COL_OF_DOUBLE : PF_COL_OF_UINT32,
                                .type = i == WEIGHT ? PF_COL_DOUBLE : PF_COL_UINT32,
                                .holes = i == WEIGHT,
                                .array = arrays[i]};
    }
    out->count = COLUMNS;
    pf_col_select(out, rows, count);
    return PF_OK;
}

/* A row for each number that a cpu may have: what stands in other tables as ucpu is the row. */
static pf_status make_cpus(archive *x, pf_col_table *out, pf_error *err)
{
    enum { CPU, CLUSTER, PROCESSOR, CAPACITY, MACHINE, COLUMNS };
    static const char *const names[] = {"cpu", "cluster_id", "processor", "capacity", "machine_id"};
    static const unsigned from[] = {PF_CPU_NUMBER, PF_CPU_CLUSTER, PF_CPU_PROCESSOR, PF_CPU_CAPACITY};
    const pf_trace *t = x->columns.data.trace;
    const pf_side_table *s = &t->sides.known[PF_SIDE_CPU];
    const uint32_t machines = t->sides.known[PF_SIDE_MACHINE].count, rows = PF_UCPU_STEP * (machines ? machines : 1);
    PF_TRY(PF_ARENA_NEW(&x->columns.arena, out->cols, COLUMNS, err));
    for (unsigned c = 0; c < COLUMNS; c++) {
        bool is_text = c == PROCESSOR;
        uint32_t *cells;
        PF_TRY(PF_ARENA_NEW(&x->columns.arena, cells, rows, err));
        memset(cells, c == CPU || c == CAPACITY ? 0xff : 0, rows * sizeof *cells);
        for (uint32_t i = 0; i < rows && c == MACHINE; i++) {
            cells[i] = i / PF_UCPU_STEP;
        }
        for (uint32_t i = 0; i < s->count && c != MACHINE; i++) {
            int64_t row = *pf_side_number(s, PF_CPU_UCPU, i), value;
            value = is_text ? *pf_side_ref(s, from[c], i) : *pf_side_number(s, from[c], i);
            if (row >= 0 && row < rows && value >= 0) {
                cells[row] = (uint32_t)value;
            }
        }
        out->cols[c] = (pf_col){.name = names[c],
                                .source = is_text ? PF_COL_OF_ID : PF_COL_OF_UINT32,
                                .type = is_text ? PF_COL_TEXT : PF_COL_UINT32,
                                .array = cells,
                                .pool = is_text ? &t->strings : NULL};
    }
    out->count = COLUMNS;
    out->rows = s->count ? rows : 0;
    return PF_OK;
}

static const pf_column DIAGNOSTICS[] = {{"key", PF_CELL_TEXT, 0, ""},
                                        {"title", PF_CELL_TEXT, 0, ""},
                                        {"description", PF_CELL_TEXT, 0, ""},
                                        {"remediation", PF_CELL_TEXT, 0, ""},
                                        {"confidence", PF_CELL_REAL, 0, ""}};
enum { DIAGNOSTIC_CELLS = sizeof DIAGNOSTICS / sizeof *DIAGNOSTICS };

static pf_status describe_fault(pf_arena *arena, const pf_stat *s, pf_cell *cells, pf_error *err)
{
    char text[160];
    int len =
        s->first_offset == PF_NOWHERE
            ? snprintf(text, sizeof text, "It happened %" PRIu64 " times.", s->count)
            : snprintf(text, sizeof text, "It happened %" PRIu64 " times, first at byte %" PRIu64 " of the input.",
                       s->count, s->first_offset);
    const char *copy = pf_arena_copy(arena, text, (size_t)len);
    const char *remedy = strcmp(s->source, "trace") == 0
                             ? "The recording is at fault: look at how it was made, its buffers, and how it was copied."
                             : "The recording could not be taken in whole: postfetto check names the places.";
    cells[0] = pf_cell_text(pf_str_of(s->name));
    cells[1] = pf_cell_text(pf_str_of(s->description));
    cells[2] = pf_cell_text(pf_str_of(copy ? copy : ""));
    cells[3] = pf_cell_text(pf_str_of(remedy));
    cells[4] = pf_cell_real(1);
    return copy ? PF_OK : pf_no_memory(err);
}

static pf_status make_diagnostics(archive *x, pf_col_table *out, pf_error *err)
{
    const pf_trace *t = x->columns.data.trace;
    pf_arena *arena = &x->columns.arena;
    size_t kinds = pf_trace_stat_count(t), count = 0;
    pf_cell *cells;
    PF_TRY(PF_ARENA_NEW(arena, cells, kinds * DIAGNOSTIC_CELLS, err));
    for (size_t i = 0; i < kinds; i++) {
        const pf_stat s = pf_trace_stat(t, i);
        if (s.count && (s.loss || s.severity == PF_ERROR)) {
            PF_TRY(describe_fault(arena, &s, cells + count++ * DIAGNOSTIC_CELLS, err));
        }
    }
    const pf_table table = {.name = out->name,
                            .columns = DIAGNOSTICS,
                            .column_count = DIAGNOSTIC_CELLS,
                            .row_count = count,
                            .cells = cells};
    return pf_col_report(arena, &x->columns.made, &table, true, out, err);
}

static pf_status make_table(archive *x, const pf_archive_table *schema, pf_col_table *ours, pf_error *err)
{
    pf_data *d = &x->columns.data;
    *ours = (pf_col_table){.name = schema->name};
    if (strcmp(schema->name, "track_event_callstacks") == 0) {
        return make_callstacks(x, ours, err);
    }
    if (strcmp(schema->name, "cpu") == 0) {
        return make_cpus(x, ours, err);
    }
    if (strcmp(schema->name, "trace_diagnostics") == 0) {
        return make_diagnostics(x, ours, err);
    }
    for (size_t i = 0; i < d->table_count; i++) {
        if (strcmp(pf_col_table_name(d->tables[i].spec->name), schema->name) == 0) {
            return d->tables[i].rows || d->tables[i].spec->lazy_rows
                       ? pf_col_table_of(&x->columns, &d->tables[i], ours, err)
                       : PF_OK;
        }
    }
    return PF_OK;
}

/* Whether rows of side tables ascend by time, as the engine takes for granted; those of several inputs may not. */
static bool in_order(const pf_archive_table *schema, const pf_col_table *t)
{
    const pf_col *ts = strncmp(schema->columns, "i^ ts", 5) == 0 ? pf_col_named(t, "ts") : NULL;
    const int64_t *time = ts && ts->source == PF_COL_OF_INT64 && !ts->rows && !ts->through ? ts->array : NULL;
    for (uint32_t i = 1; time && i < t->rows; i++) {
        if (time[i] < time[i - 1]) {
            return false;
        }
    }
    return true;
}

static pf_status make_members(archive *x, pf_error *err)
{
    PF_TRY(PF_ARENA_NEW(&x->columns.arena, x->member, x->release->count, err));
    PF_TRY(number_tracks(x, err));
    for (size_t i = 0; i < x->release->count; i++) {
        member *m = &x->member[x->count];
        pf_col_table ours;
        *m = (member){.of = x, .schema = &x->release->tables[i]};
        PF_TRY(make_table(x, m->schema, &ours, err));
        PF_TRY(say_of_recording(x, &ours, err));
        if (ours.rows == 0 || !in_order(m->schema, &ours)) {
            continue;
        }
        PF_TRY(match_columns(m, &ours, err));
        m->hash = XXH3_createState();
        x->count++;
        PF_TRY(m->hash ? PF_OK : pf_no_memory(err));
    }
    return PF_OK;
}

static void put_attribute(pf_buffer *b, pf_str key, pf_str value)
{
    pf_buffer_text(b, ",");
    pf_json_put_utf8(b, key);
    pf_buffer_text(b, ":");
    pf_json_put_utf8(b, value);
}

/* Names that two rows have are those of the first. */
static bool is_new_name(const pf_metadata *m, uint32_t row)
{
    for (uint32_t i = 0; i < row; i++) {
        if (m->name[i] == m->name[row]) {
            return false;
        }
    }
    return true;
}

#define ATTRIBUTES_MAX 256u

static void put_metadata(const archive *x, pf_buffer *b)
{
    const pf_trace *t = x->columns.data.trace;
    const pf_metadata *m = pf_trace_metadata(t);
    for (uint32_t i = 0; i < m->count && i < ATTRIBUTES_MAX; i++) {
        pf_str name = pf_trace_string(t, m->name[i]), text = pf_trace_string(t, m->text[i]);
        char number[24];
        if (!text.ptr) {
            text = (pf_str){number, (size_t)snprintf(number, sizeof number, "%" PRId64, m->number[i])};
        }
        if (text.len <= ATTRIBUTE_BYTES && is_new_name(m, i)) {
            put_attribute(b, name, text);
        }
    }
}

static void put_column(pf_buffer *b, pf_str name, const char *type, bool nullable, const char *sort, bool id)
{
    pf_buffer_format(b,
                     "{\"name\":\"%.*s\",\"type\":\"%s\",\"nullability\":\"%s\",\"sort\":\"%s\",\"duplicates\":\"%s\"}",
                     (int)name.len, name.ptr, type, nullable ? "dense_null" : "non_null", sort,
                     id ? "no_duplicates" : "has_duplicates");
}

static void put_file(pf_buffer *b, const member *m)
{
    static const char *const types[] = {[PF_COL_UINT32] = "uint32",
                                        [PF_COL_INT32] = "int32",
                                        [PF_COL_INT64] = "int64",
                                        [PF_COL_DOUBLE] = "double",
                                        [PF_COL_TEXT] = "string"};
    const char *at = m->schema->columns, *name = m->schema->name;
    pf_archive_column c;
    pf_buffer_format(b,
                     "\n{\"path\":\"__intrinsic_%s.arrow\",\"__exported_table_schema\":{\"format\":1,"
                     "\"name\":\"__intrinsic_%s\",\"row_count\":%" PRIu32 ",\"columns\":[",
                     name, name, m->table.rows);
    put_column(b, PF_STR("id"), "id", false, "id_sorted", true);
    while (pf_archive_column_next(&at, &c)) {
        pf_buffer_text(b, ",");
        put_column(b, c.name, types[c.type], c.nullable, c.sort, false);
    }
    pf_buffer_text(b, "]}}");
}

static pf_status make_manifest(archive *x, pf_error *err)
{
    static const char zeros[HASH_DIGITS + 1] = "00000000000000000000000000000000";
    pf_buffer *b = &x->manifest;
    pf_buffer_text(b, "{\"perfetto_manifest\":{\"version\":1,\"attributes\":{\"postfetto.content\":\"");
    x->hash_at = b->len;
    pf_buffer_format(b, "%s\"", zeros);
    put_attribute(b, PF_STR("postfetto.version"), pf_str_of(pf_version()));
    put_attribute(b, PF_STR("postfetto.schemas"), pf_str_of(x->release->name));
    if (pf_trace_time_unit(x->columns.data.trace) == PF_UNIT_CYCLE) {
        put_attribute(b, PF_STR("postfetto.time_unit"), PF_STR("cycle"));
    }
    put_metadata(x, b);
    pf_buffer_text(b, "},\"files\":[");
    for (uint32_t i = 0; i < x->count; i++) {
        pf_buffer_text(b, i ? "," : "");
        put_file(b, &x->member[i]);
    }
    pf_buffer_text(b, "]}}\n");
    return b->failed ? pf_no_memory(err) : PF_OK;
}

/* Of the members' hashes, in their order. */
static void sign_manifest(archive *x)
{
    static const char digits[] = "0123456789abcdef";
    XXH128_canonical_t canonical;
    XXH128_hash_t sum = {0, 0};
    for (uint32_t i = 0; i < x->count; i++) {
        const uint64_t pair[] = {sum.low64, sum.high64, x->member[i].digest.low64, x->member[i].digest.high64};
        sum = XXH3_128bits(pair, sizeof pair);
    }
    XXH128_canonicalFromHash(&canonical, sum);
    for (size_t i = 0; i < HASH_DIGITS; i++) {
        x->manifest.data[x->hash_at + i] = digits[canonical.digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
    }
}

static pf_status put(void *ctx, const void *bytes, size_t len, pf_error *err)
{
    member *m = ctx;
    const volatile int *cancel = m->of->options->cancel;
    if (cancel && *cancel) {
        return pf_fail(err, PF_ERR_CANCELLED, "cancelled");
    }
    uint64_t at = m->at + m->put;
    m->put += len;
    if (m->of->out.direct && !m->hashed_only) {
        return pf_outfile_write(&m->of->out, bytes, len, err);
    }
    XXH3_128bits_update(m->hash, bytes, len);
    return m->hashed_only ? PF_OK : pf_outfile_put_at(&m->of->out, at, bytes, len, err);
}

static pf_status plan_member(void *ctx, pf_error *err)
{
    member *m = ctx;
    return pf_arrow_plan(&m->arrow, &m->table, 0, m->of->columns.data.budget, err);
}

static pf_status write_member(void *ctx, pf_error *err)
{
    member *m = ctx;
    m->put = 0;
    XXH3_128bits_reset(m->hash);
    PF_TRY(pf_arrow_write(&m->arrow, put, m, err));
    m->digest = XXH3_128bits_digest(m->hash);
    return PF_OK;
}

static pf_status run(archive *x, pf_status (*step)(void *, pf_error *), pf_error *err)
{
    pf_task *tasks;
    unsigned jobs = x->options->jobs ? x->options->jobs : DEFAULT_JOBS;
    PF_TRY(PF_ARENA_NEW(&x->columns.arena, tasks, x->count, err));
    for (uint32_t i = 0; i < x->count; i++) {
        tasks[i] = (pf_task){step, &x->member[i]};
    }
    return pf_tasks_run(tasks, x->count, jobs, x->columns.data.budget, err);
}

/* Bytes at a place, in the order of places where they cannot be put otherwise. */
static pf_status put_at(archive *x, uint64_t at, const void *bytes, size_t len, pf_error *err)
{
    return x->out.direct ? pf_outfile_write(&x->out, bytes, len, err) : pf_outfile_put_at(&x->out, at, bytes, len, err);
}

/* All but the data of members, and in a direct output these between. */
static pf_status put_frame(archive *x, pf_error *err)
{
    static const char zeros[PF_TAR_END] = {0};
    char header[PF_TAR_BLOCK], name[100];
    uint64_t size = x->manifest.len, end = PF_TAR_BLOCK + size;
    pf_tar_header(header, MANIFEST, size);
    PF_TRY(put_at(x, 0, header, sizeof header, err));
    PF_TRY(put_at(x, PF_TAR_BLOCK, x->manifest.data, size, err));
    for (uint32_t i = 0; i < x->count; i++) {
        member *m = &x->member[i];
        PF_TRY(put_at(x, end, zeros, pf_tar_padded(size) - size, err));
        snprintf(name, sizeof name, "__intrinsic_%s.arrow", m->schema->name);
        size = m->arrow.size;
        pf_tar_header(header, name, size);
        PF_TRY(put_at(x, m->at - PF_TAR_BLOCK, header, sizeof header, err));
        PF_TRY(x->out.direct ? write_member(m, err) : PF_OK);
        end = m->at + size;
    }
    PF_TRY(put_at(x, end, zeros, pf_tar_padded(size) - size, err));
    return put_at(x, end + pf_tar_padded(size) - size, zeros, sizeof zeros, err);
}

static pf_status write_all(archive *x, pf_error *err)
{
    PF_TRY(run(x, plan_member, err));
    PF_TRY(make_manifest(x, err));
    uint64_t at = PF_TAR_BLOCK + pf_tar_padded(x->manifest.len);
    for (uint32_t i = 0; i < x->count; i++) {
        x->member[i].at = at + PF_TAR_BLOCK;
        x->member[i].hashed_only = x->out.direct;
        at = x->member[i].at + pf_tar_padded(x->member[i].arrow.size);
    }
    PF_TRY(run(x, write_member, err));
    for (uint32_t i = 0; i < x->count; i++) {
        x->member[i].hashed_only = false;
    }
    sign_manifest(x);
    if (x->options->written) {
        *x->options->written += at + PF_TAR_END;
    }
    return put_frame(x, err);
}

static pf_status make_archive(archive *x, const pf_trace *t, const char *path, pf_error *err)
{
    PF_TRY(pf_outfile_open(&x->out, path, err));
    PF_TRY(pf_col_trace_open(&x->columns, t, err));
    PF_TRY(make_members(x, err));
    PF_TRY(write_all(x, err));
    return pf_outfile_commit(&x->out, x->options->sync, err);
}

pf_status pf_export_archive(const pf_trace *t, const char *path, const char *release, const pf_write_options *o,
                            pf_error *err)
{
    const pf_write_options options = pf_write_options_of(o);
    pf_error own = {.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
    archive x = {.release = pf_archive_release_named(release), .options = &options, .out = {.fd = -1}};
    pf_status st = x.release
                       ? make_archive(&x, t, path, &own)
                       : pf_fail(&own, PF_ERR_USAGE, "no schemas of '%s'; there are %s", release, pf_archive_releases);
    for (uint32_t i = 0; i < x.count; i++) {
        pf_arrow_free(&x.member[i].arrow);
        XXH3_freeState(x.member[i].hash);
    }
    pf_buffer_free(&x.manifest);
    pf_outfile_abort(&x.out);
    if (x.columns.data.trace) {
        pf_col_trace_close(&x.columns);
    }
    if (st != PF_OK && err) {
        *err = own;
    }
    return st;
}
