/* fuzz_query.c - SQL over whatever was read: every table and view there is, from its first row to its last. No crash,
 * no leak, no hang, no error; a table sends as many rows as it counts, and a row is found again by its id.
 *
 * The middle byte chooses the number of threads.
 */
#include <stdarg.h>
#include <string.h>

#include "memory_file.h"
#include "postfetto/query.h"

#define NAMES 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct result {
    uint64_t rows, sum;
    int64_t first; /* the first cell of the first row, if it is an integer */
    char names[NAMES][64];
} result;

static pf_status take_columns(void *ctx, size_t count, const pf_str *names)
{
    return PF_OK;
}

static pf_status take_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    result *r = ctx;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; cells[i].type == PF_VALUE_STRING && k < cells[i].as.s.len; k++) {
            r->sum += (unsigned char)cells[i].as.s.ptr[k];
        }
    }
    if (r->rows < NAMES && cells[0].type == PF_VALUE_STRING && cells[0].as.s.len < sizeof *r->names) {
        memcpy(r->names[r->rows], cells[0].as.s.ptr, cells[0].as.s.len);
    }
    r->first = r->rows == 0 && cells[0].type == PF_VALUE_INT ? cells[0].as.i : r->first;
    r->rows++;
    return PF_OK;
}

/* Runs a statement. */
static __attribute__((format(printf, 3, 4))) void ask(pf_query *q, result *r, const char *form, ...)
{
    char sql[256];
    va_list more;
    const pf_query_sink sink = {r, take_columns, take_row};
    pf_error err;
    va_start(more, form);
    int len = vsnprintf(sql, sizeof sql, form, more);
    va_end(more);
    memset(r, 0, sizeof *r);
    pf_status st = pf_query_run(q, (pf_str){sql, (size_t)len}, &sink, &err);
    if (st != PF_OK && st != PF_ERR_MEMORY && st != PF_ERR_LIMIT) {
        fprintf(stderr, "%s: %s\n", sql, err.text);
        abort();
    }
}

static void look_at(pf_query *q, const char *table, result *r)
{
    ask(q, r, "SELECT count(*) FROM %s", table);
    uint64_t expected = (uint64_t)r->first;
    ask(q, r, "SELECT * FROM %s", table);
    if (r->rows != expected) {
        fprintf(stderr, "%s counts %llu rows and has %llu\n", table, (unsigned long long)expected,
                (unsigned long long)r->rows);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const more[] = {
        "SELECT s.id, a.key, a.display_value FROM slice s JOIN args a USING (arg_set_id) ORDER BY a.key, s.id",
        "SELECT name, sum(dur), min(ts) FROM slice GROUP BY name, track_id",
        "SELECT f.id, a.name, b.name FROM flow f JOIN slice a ON a.id = slice_out JOIN slice b ON b.id = slice_in",
        "SELECT a.id FROM slice s, ancestor_slice(s.id) a WHERE s.depth > 5 LIMIT 1000",
        "SELECT extract_arg(arg_set_id, 'debug.a'), abs_time_str(ts) FROM slice WHERE dur > 0 ORDER BY -ts LIMIT 100",
    };
    int fd = memory_file(data, size);
    pf_trace *t = read_memory_file(fd, MEMORY, 1 + (size ? data[size / 2] % 2 : 0), NULL);
    result *tables = malloc(sizeof *tables), *r = malloc(sizeof *r);
    pf_query *q = NULL;
    pf_error err;
    if (t && tables && r && pf_query_open(t, &q, &err) == PF_OK) {
        ask(q, tables, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')");
        for (uint64_t i = 0; i < tables->rows && i < NAMES; i++) {
            look_at(q, tables->names[i], r);
        }
        for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
            ask(q, r, "%s", more[i]);
        }
        ask(q, r, "SELECT count(*) FROM slice s JOIN slice t ON t.id = s.id");
        if (r->first != (int64_t)pf_trace_slices(t)->count) {
            abort();
        }
    }
    pf_query_free(q);
    pf_trace_free(t);
    free(tables);
    free(r);
    close(fd);
    return 0;
}
