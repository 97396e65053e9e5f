/* ask_sql.c - asks a trace in SQL and prints the rows.
 *
 *     cc ask_sql.c $(pkg-config --cflags --libs postfetto) -o ask_sql && ./ask_sql trace.json "SELECT name, dur FROM
 * slice"
 */
#include <postfetto/postfetto.h>
#include <stdio.h>
#include <string.h>

static pf_status columns(void *ctx, size_t count, const pf_str *names)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++) {
        printf("%.*s%c", (int)names[i].len, names[i].ptr, i + 1 < count ? '\t' : '\n');
    }
    return PF_OK;
}

static pf_status row(void *ctx, size_t count, const pf_query_cell *cells)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++) {
        const pf_query_cell *c = &cells[i];
        if (c->type == PF_VALUE_INT) {
            printf("%lld", (long long)c->as.i);
        } else if (c->type == PF_VALUE_REAL) {
            printf("%g", c->as.d);
        } else if (c->type == PF_VALUE_STRING) {
            printf("%.*s", (int)c->as.s.len, c->as.s.ptr);
        }
        putchar(i + 1 < count ? '\t' : '\n');
    }
    return PF_OK;
}

int main(int argc, char **argv)
{
    const char *path = argc == 3 ? argv[1] : "";
    pf_trace *trace = NULL;
    pf_query *query = NULL;
    pf_query_sink sink = {NULL, columns, row};
    pf_error err = {PF_OK, 0, 0, "", "give a trace and a statement"};
    pf_status st = argc == 3 ? pf_read(&path, 1, NULL, &trace, &err) : PF_ERR_USAGE;
    if (st == PF_OK) {
        st = pf_query_open(trace, &query, &err);
    }
    if (st == PF_OK) {
        pf_str sql = {argv[2], strlen(argv[2])};
        st = pf_query_run(query, sql, &sink, &err);
    }
    if (st != PF_OK) {
        fprintf(stderr, "ask_sql: %s\n", err.text);
    }
    pf_query_free(query);
    pf_trace_free(trace);
    return st == PF_OK ? 0 : 1;
}
