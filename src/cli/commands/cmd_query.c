/* cli/commands/cmd_query.c - `postfetto query FILE SQL...`.
 *
 * SQL comes from the arguments, from a file, or from standard input; all of it runs in one session. A file may have
 * sections, each begun by a line `-- @name X`; what stands before the first one is a prelude that runs without output.
 * With -d every section writes a file of its own, else all results go to one output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/str.h"
#include "cli/common/package_options.h"
#include "cli/pass/pass.h"
#include "cli/query/prompt.h"
#include "cli/query/query_output.h"
#include "cli/thresholds/thresholds.h"

typedef struct query_settings {
    pf_cli_settings common;
    const char *format, *sql_file, *folder;
    pf_option_value inputs; /* the list of further ones */
    pf_option_value passes; /* run->named has them */
    pf_cli_packages packages;
} query_settings;

#define AT(member) offsetof(query_settings, member)
static const pf_option options[] = {
    {"file", 'f', PF_OPTION_PATH, AT(sql_file), "FILE.sql", NULL, NULL,
     "read the SQL from a file; '-' is standard input"},
    {"input", 0, PF_OPTION_PATH, AT(inputs), "FILE2", NULL, NULL, "read this file into the same trace",
     .traits = PF_OPTION_REPEATABLE},
    {"pass", 0, PF_OPTION_TEXT, AT(passes), "NAME", NULL, NULL,
     "run this pass and add its tables (gpu: gpu_kernels, ...); its options may follow, '--pass NAME --help' shows "
     "them",
     .traits = PF_OPTION_REPEATABLE},
    PF_CLI_PACKAGE_OPTIONS(query_settings, packages),
    {"format", 0, PF_OPTION_CHOICE, AT(format), NULL, PF_CLI_ROWS_FORMATS,
     "by OUT's ending .parquet or .arrows; else table on a terminal, or csv",
     "form of the rows; arrow is an IPC stream"},
    {"json", 0, PF_OPTION_FLAG, AT(common.json), NULL, NULL, NULL, "the same as --format json"},
    {"output", 'o', PF_OPTION_PATH, AT(common.out), "OUT", NULL, "standard output", "where the rows go"},
    {"dir", 'd', PF_OPTION_PATH, AT(folder), "DIR", NULL, NULL,
     "write the rows of each '-- @name X' section to DIR/X.csv (.json, .arrows, .parquet)"},
};

/* The SQL of a run: a text, and what errors call it. */
typedef struct source {
    pf_str text;
    const char *label;
} source;

typedef struct session {
    pf_cli_run *run;
    pf_query *query;
    pf_cli_rows_format format;
} session;

typedef struct table_search {
    pf_cli_suggest nearest;
    char best[64];
} table_search;

static const query_settings *own(const pf_cli_run *run)
{
    return (const query_settings *)run->set;
}

pf_str pf_cli_section_name(pf_str line)
{
    size_t at = 2;
    while (at < line.len && (line.ptr[at] == ' ' || line.ptr[at] == '\t')) {
        at++;
    }
    pf_str key = PF_STR("@name"), text = pf_str_starts(line, PF_STR("--")) ? pf_str_from(line, at) : PF_STR("");
    pf_str name = pf_str_starts(text, key) ? pf_str_from(text, key.len) : PF_STR("");
    bool named = name.len > 0 && pf_is_blank(name.ptr[0]) && pf_str_trim(name).len > 0;
    return named ? pf_str_trim(name) : (pf_str){NULL, 0};
}

bool pf_cli_next_section(pf_str text, size_t *at, pf_str *name, pf_str *sql)
{
    size_t start = *at;
    if (start >= text.len) {
        return false;
    }
    *name = (pf_str){NULL, 0};
    for (size_t i = start; i < text.len;) {
        const char *feed = memchr(text.ptr + i, '\n', text.len - i);
        size_t end = feed ? (size_t)(feed - text.ptr) : text.len;
        pf_str found = pf_cli_section_name((pf_str){text.ptr + i, end - i});
        if (found.ptr && i == start) {
            *name = found;
        } else if (found.ptr) {
            *sql = (pf_str){text.ptr + start, i - start};
            *at = i;
            return true;
        }
        i = end + 1;
    }
    *sql = (pf_str){text.ptr + start, text.len - start};
    *at = text.len;
    return true;
}

bool pf_cli_has_sections(pf_str text)
{
    pf_str name, sql;
    for (size_t at = 0; pf_cli_next_section(text, &at, &name, &sql);) {
        if (name.ptr) {
            return true;
        }
    }
    return false;
}

static pf_status offer_table(void *ctx, size_t count, const pf_query_cell *cells)
{
    char name[64];
    if (count == 1 && cells[0].type == PF_VALUE_STRING && cells[0].as.s.len < sizeof name) {
        memcpy(name, cells[0].as.s.ptr, cells[0].as.s.len);
        name[cells[0].as.s.len] = '\0';
        table_search *search = ctx;
        const char *best = search->nearest.best;
        pf_cli_suggest_offer(&search->nearest, name);
        if (search->nearest.best != best) {
            memcpy(search->best, name, sizeof name);
            search->nearest.best = search->best;
        }
    }
    return PF_OK;
}

/* The pass that reports the table; NULL: none. */
static const pf_pass *pass_of(const char *table)
{
    for (size_t i = 0; i < pf_pass_count(); i++) {
        const pf_pass *p = pf_pass_at(i);
        for (size_t t = 0; t < p->table_count; t++) {
            if (strcmp(p->tables[t].name, table) == 0) {
                return p;
            }
        }
    }
    return NULL;
}

/* Says under which names passes report a table that is called like that in their documents; false: none does. */
static bool name_tables(pf_error *err, const char *typed, const char *table)
{
    size_t at = (size_t)snprintf(err->text, sizeof err->text, "%.400s", typed), start = at;
    for (size_t i = 0; i < pf_pass_count(); i++) {
        const pf_pass *p = pf_pass_at(i);
        size_t prefix = strlen(p->name) + 1;
        for (size_t t = 0; t < p->table_count && at < sizeof err->text; t++) {
            const char *name = p->tables[t].name;
            if (strncmp(name, p->name, prefix - 1) == 0 && strcmp(name + prefix, table) == 0) {
                at +=
                    (size_t)snprintf(err->text + at, sizeof err->text - at, "; with --pass %s it is %s", p->name, name);
            }
        }
    }
    return at > start;
}

/* Says what to do about an unknown table or column. */
static void add_remedy(const session *s)
{
    static const char table[] = "no such table: ", column[] = "no such column: ";
    pf_error *err = &s->run->err;
    char typed[sizeof err->text];
    memcpy(typed, err->text, sizeof typed);
    if (strncmp(typed, column, sizeof column - 1) == 0) {
        snprintf(err->text, sizeof err->text, "%.400s; SELECT * FROM a table LIMIT 1 shows its columns", typed);
        return;
    }
    if (strncmp(typed, table, sizeof table - 1) != 0) {
        return;
    }
    const pf_pass *pass = pass_of(typed + sizeof table - 1);
    if (pass) {
        snprintf(err->text, sizeof err->text, "%.400s; the pass %s reports it: add --pass %s", typed, pass->name,
                 pass->name);
        return;
    }
    if (name_tables(err, typed, typed + sizeof table - 1)) {
        return;
    }
    table_search search = {.nearest = pf_cli_suggest_start(typed + sizeof table - 1)};
    pf_query_sink sink = {&search, NULL, offer_table};
    pf_query_run(s->query, PF_STR("SELECT name FROM sqlite_master ORDER BY name"), &sink, NULL);
    if (search.nearest.best) {
        snprintf(err->text, sizeof err->text, "%.400s; did you mean '%s'?", typed, search.best);
    } else {
        snprintf(err->text, sizeof err->text, "%.400s; SELECT name FROM sqlite_master lists the tables", typed);
    }
}

static pf_status run_part(const session *s, const source *src, pf_str sql, const pf_query_sink *sink)
{
    pf_error *err = &s->run->err;
    *err = (pf_error){.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    s->run->at = s->run->operands[0];
    pf_status st = pf_query_run(s->query, sql, sink, err);
    err->code = st;
    if (st == PF_ERR_USAGE && !err->file[0]) {
        add_remedy(s);
        snprintf(err->file, sizeof err->file, "%s", src->label);
        err->offset += err->offset != PF_NOWHERE ? (size_t)(sql.ptr - src->text.ptr) : 0;
    }
    return st;
}

static pf_status discard_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    return *pf_cli_cancel_flag() ? PF_ERR_CANCELLED : PF_OK;
}

static const pf_query_sink discard = {NULL, NULL, discard_row};

/* All parts of all sources into one output. */
static pf_status run_together(const session *s, const source *sources, size_t count, pf_cli_rows *rows)
{
    pf_query_sink sink = pf_cli_rows_sink(rows);
    for (size_t i = 0; i < count; i++) {
        bool sections = pf_cli_has_sections(sources[i].text);
        pf_str name, sql;
        for (size_t at = 0; pf_cli_next_section(sources[i].text, &at, &name, &sql);) {
            rows->name = name;
            PF_TRY(run_part(s, &sources[i], sql, sections && !name.ptr ? &discard : &sink));
        }
    }
    return PF_OK;
}

static pf_status begin_output(const session *s, pf_cli_rows *rows, pf_outfile *file, const char *path)
{
    pf_cli_run *run = s->run;
    pf_cli_rows_start(rows, s->format, file, &run->set->limits, &run->written, &run->err);
    if (pf_cli_rows_are_columns(s->format)) {
        pf_write_options o = pf_cli_write_options(run);
        return pf_cli_rows_open(rows, path, s->query, &o);
    }
    bool terminal = strcmp(path, "-") == 0 && isatty(STDOUT_FILENO);
    rows->screen = terminal && s->format == PF_CLI_TABLE ? pf_cli_columns(STDOUT_FILENO) : 0;
    return pf_outfile_open(file, path, &run->err);
}

static pf_status end_output(pf_cli_rows *rows, pf_outfile *file, pf_error *err)
{
    PF_TRY(pf_cli_rows_end(rows));
    return rows->writer ? PF_OK : pf_outfile_commit(file, true, err);
}

/* One section, or without one all sources, into an atomic output that is kept only if nothing failed. */
static pf_status with_output(const session *s, const char *path, const source *sources, size_t count, pf_str section,
                             pf_str sql)
{
    pf_outfile file = {0};
    pf_cli_rows rows;
    pf_cli_run *run = s->run;
    run->at = path;
    pf_cli_signals_hold(strcmp(path, "-") != 0);
    pf_status st = begin_output(s, &rows, &file, path);
    if (st == PF_OK) {
        rows.name = section;
        pf_query_sink sink = pf_cli_rows_sink(&rows);
        st = section.ptr ? run_part(s, sources, sql, &sink) : run_together(s, sources, count, &rows);
    }
    if (st == PF_OK) {
        run->at = path;
        st = end_output(&rows, &file, &run->err);
    }
    pf_cli_rows_free(&rows);
    pf_outfile_abort(&file);
    pf_cli_signals_hold(false);
    return st;
}

static pf_status run_section(const session *s, const source *src, pf_str name, pf_str sql)
{
    char *path = NULL;
    if (memchr(name.ptr, '/', name.len) || memchr(name.ptr, '\0', name.len) || name.ptr[0] == '.') {
        return pf_cli_usage(s->run, "%s: section '%.*s' cannot be a file name; use letters, digits, '_' and '-'",
                            src->label, (int)name.len, name.ptr);
    }
    if (asprintf(&path, "%s/%.*s.%s", own(s->run)->folder, (int)name.len, name.ptr, pf_cli_rows_ending(s->format)) <
        0) {
        return pf_no_memory(&s->run->err);
    }
    pf_status st = pf_cli_check_output(s->run, s->run->operands, 1, path);
    st = st == PF_OK ? with_output(s, path, src, 1, name, sql) : st;
    pf_cli_end(s->run, st); /* now, as long as the path is there */
    s->run->at = NULL;
    free(path);
    return st;
}

/* Every section into a file of its own. */
static pf_status run_apart(const session *s, const source *src)
{
    pf_str name, sql;
    for (size_t at = 0; pf_cli_next_section(src->text, &at, &name, &sql);) {
        PF_TRY(name.ptr ? run_section(s, src, name, sql) : run_part(s, src, sql, &discard));
    }
    return PF_OK;
}

/* Whether a person is asked for the SQL. */
static bool has_prompt(const pf_cli_run *run)
{
    const query_settings *set = own(run);
    return PF_CLI_FEATURES[0] && run->operand_count == 1 && !set->sql_file && !set->common.out && !set->folder &&
           run->set->fail_if.count == 0 && isatty(STDIN_FILENO);
}

static void ask(const void *ctx, pf_str sql)
{
    const session *s = ctx;
    pf_outfile file = {0};
    pf_cli_rows rows;
    pf_error *err = &s->run->err;
    const source typed = {sql, "SQL"};
    pf_status st = begin_output(s, &rows, &file, "-");
    if (st == PF_OK) {
        pf_query_sink sink = pf_cli_rows_sink(&rows);
        st = run_part(s, &typed, sql, &sink);
        st = st == PF_OK ? end_output(&rows, &file, err) : st;
    }
    if (st == PF_ERR_CANCELLED) {
        fputs("cancelled\n", stderr);
    } else if (st != PF_OK) {
        pf_cli_report(s->run, "SQL", err);
    }
    *err = (pf_error){.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_cli_rows_free(&rows);
    pf_outfile_abort(&file);
}

static void warn_of_sql(void *ctx, const char *text)
{
    pf_cli_run *run = ctx;
    pf_cli_note(run, run->operands[0], "warning: %s", text);
}

/* What the host did in gaps, from all passes that report it: host_gaps. */
static pf_status add_host_gaps(const pf_cli_run *run, pf_query *q, pf_error *err)
{
    static const char table[] = "_host_gaps";
    pf_buffer sql = {0};
    for (size_t i = 0; i < run->named_count; i++) {
        const pf_pass *p = run->named[i].pass;
        for (size_t t = 0; t < p->table_count; t++) {
            const char *name = p->tables[t].name;
            size_t prefix = strlen(p->name);
            if (strncmp(name, p->name, prefix) == 0 && strcmp(name + prefix, table) == 0) {
                pf_buffer_format(&sql,
                                 "%s SELECT '%s' AS pass, start_ns, end_ns, length_ns, thread, thread_name, verdict, "
                                 "running_ns, runnable_ns, preempted_ns, sleeping_ns, blocked_ns, unknown_ns, "
                                 "interrupt_ns, running_slice, cpu_taken_by, cpu_taken_ns, blocked_function, wakers, "
                                 "data_lost FROM %s",
                                 sql.len ? " UNION ALL" : "CREATE PERFETTO VIEW host_gaps AS", p->name, name);
            }
        }
    }
    pf_status st = sql.failed ? pf_no_memory(err) : PF_OK;
    st = st == PF_OK && sql.len ? pf_query_run(q, (pf_str){sql.data, sql.len}, NULL, err) : st;
    pf_buffer_free(&sql);
    return st;
}

static pf_status run_session(pf_cli_run *run, const source *sources, size_t count, pf_cli_rows_format format)
{
    session s = {.run = run, .format = format};
    run->at = run->operands[0];
    PF_TRY(pf_query_open(run->trace, &s.query, &run->err));
    pf_query_set_cancel(s.query, pf_cli_cancel_flag());
    pf_query_set_warning(s.query, warn_of_sql, run);
    pf_status st = pf_cli_add_packages(&own(run)->packages, s.query, &run->err);
    for (size_t i = 0; st == PF_OK && i < run->named_count; i++) {
        st = pf_cli_add_pass_tables(s.query, run->named[i].pass, run->named[i].findings, &run->err);
    }
    st = st == PF_OK ? add_host_gaps(run, s.query, &run->err) : st;
    st = st != PF_OK        ? st
         : has_prompt(run)  ? pf_cli_prompt(run, s.query, &(pf_cli_asker){&s, ask})
         : own(run)->folder ? run_apart(&s, sources)
                            : with_output(&s, run->set->out ? run->set->out : "-", sources, count, (pf_str){NULL, 0},
                                          (pf_str){NULL, 0});
    pf_query_free(s.query);
    return st;
}

/* Thresholds may be all that is asked. */
static bool only_thresholds(const pf_cli_run *run)
{
    return run->operand_count == 1 && !own(run)->sql_file && run->set->fail_if.count > 0;
}

static pf_cli_rows_format format_of(const query_settings *set)
{
    const char *out = set->common.out, *format = set->common.json ? "json" : set->format;
    if (out && !format && pf_cli_ends(out, strlen(out), ".parquet")) {
        return PF_CLI_PARQUET;
    }
    if (out && !format && pf_cli_ends(out, strlen(out), ".arrows")) {
        return PF_CLI_ARROW;
    }
    return pf_cli_rows_format_of(format, out || set->folder);
}

static pf_status check_arguments(pf_cli_run *run)
{
    const query_settings *set = own(run);
    if (run->operand_count == 0) {
        return pf_cli_usage(run, "no trace is named; write postfetto query FILE SQL");
    }
    if (set->sql_file && run->operand_count > 1) {
        return pf_cli_usage(run, "SQL is given as argument and with -f; leave out one of them");
    }
    if (set->common.json && set->format && strcmp(set->format, "json") != 0) {
        return pf_cli_usage(run, "--json contradicts --format %s; leave out one of them", set->format);
    }
    if (set->folder && set->common.out) {
        return pf_cli_usage(run, "-d writes a file for each section and -o one for all; leave out one of them");
    }
    if (set->folder && set->format && strcmp(set->format, "table") == 0) {
        return pf_cli_usage(run, "-d writes csv, json, arrow or parquet; leave out --format table");
    }
    pf_cli_rows_format format = format_of(set);
    if (pf_cli_rows_are_columns(format) && !set->folder) {
        PF_TRY(pf_cli_check_binary(run, set->common.out ? set->common.out : "-",
                                   format == PF_CLI_ARROW ? "an Arrow stream" : "a Parquet file"));
    }
    bool standard =
        run->operand_count == 1 && !only_thresholds(run) && (!set->sql_file || strcmp(set->sql_file, "-") == 0);
    if (standard && strcmp(run->operands[0], "-") == 0) {
        return pf_cli_usage(run,
                            "the trace and the SQL both come from standard input; give the SQL as argument or with -f");
    }
    if (standard && !set->sql_file && isatty(STDIN_FILENO) && !has_prompt(run)) {
        return pf_cli_usage(run, "no SQL is given; write postfetto query FILE SQL, or use -f FILE.sql");
    }
    return PF_OK;
}

static pf_status check_folder(pf_cli_run *run, const source *src)
{
    const char *folder = own(run)->folder;
    if (!folder) {
        return PF_OK;
    }
    if (!pf_cli_has_sections(src->text)) {
        return pf_cli_usage(run, "-d needs '-- @name X' lines in the SQL; %s has none", src->label);
    }
    struct stat sb;
    mkdir(folder, 0777);
    run->at = folder;
    return stat(folder, &sb) == 0 && S_ISDIR(sb.st_mode)
               ? PF_OK
               : pf_fail(&run->err, PF_ERR_OUTPUT,
                         "is not a folder and cannot be created as one; choose another with -d");
}

/* The trace and what --input adds to it. */
static pf_status read_inputs(pf_cli_run *run)
{
    size_t count = 1 + own(run)->inputs.count;
    const char **paths = calloc(count, sizeof *paths);
    PF_TRY(paths ? PF_OK : pf_no_memory(&run->err));
    paths[0] = run->operands[0];
    for (size_t i = 1; i < count; i++) {
        paths[i] = own(run)->inputs.all[i - 1].s.ptr;
    }
    pf_status st = pf_cli_check_output(run, paths, count, run->set->out);
    st = st != PF_OK        ? st
         : run->named_count ? pf_cli_run_named(run, paths, count)
                            : pf_cli_read(run, paths, count, PF_WANT_TABLES | PF_WANT_LATE_STATES, true);
    free(paths);
    return st;
}

static pf_status read_and_run(pf_cli_run *run, const source *sources, size_t count)
{
    PF_TRY(check_folder(run, sources));
    PF_TRY(read_inputs(run));
    PF_TRY(only_thresholds(run) ? PF_OK : run_session(run, sources, count, format_of(own(run))));
    bool stdout_is_data = !own(run)->folder && (!run->set->out || strcmp(run->set->out, "-") == 0);
    return pf_cli_thresholds_judge(run, run->operands[0], stdout_is_data);
}

static pf_status query(pf_cli_run *run)
{
    PF_TRY(check_arguments(run));
    PF_TRY(pf_cli_thresholds_try(run));
    size_t count = run->operand_count > 1 ? run->operand_count - 1 : 1;
    source *sources = calloc(count, sizeof *sources);
    pf_budget budget;
    pf_file file = {0};
    pf_status st = sources ? PF_OK : pf_no_memory(&run->err);
    pf_budget_init(&budget, &run->set->limits);
    const char *path = own(run)->sql_file ? own(run)->sql_file : "-";
    if (st == PF_OK && run->operand_count == 1 && !only_thresholds(run) && !has_prompt(run)) {
        run->at = path;
        st = pf_file_open(&file, path, false, &budget, &run->err);
        sources[0] = (source){{(const char *)file.data, file.size}, pf_cli_name(path)};
    }
    for (size_t i = 0; st == PF_OK && i + 1 < run->operand_count; i++) {
        sources[i] = (source){pf_str_of(run->operands[i + 1]), "SQL"};
    }
    st = st == PF_OK ? read_and_run(run, sources, count) : st;
    pf_file_close(&file);
    free(sources);
    return st;
}

const pf_cli_command pf_cli_query = {
    .name = "query",
    .usage = "FILE SQL... | FILE -f FILE.sql | FILE < FILE.sql | FILE",
    .summary = "query a trace with SQL",
    .examples = {"query trace.json.gz \"SELECT name, sum(dur) FROM slice GROUP BY name\"",
                 "query trace.pftrace -f queries.sql -d results"},
    .description =
        "Tables and columns have the names of Perfetto's trace processor: slice, counter, track, thread_track, thread, "
        "process, args, flow, stats, metadata. All SQL of a call runs in one session, which can create temporary "
        "tables "
        "and views but cannot write files.\n"
        "Without SQL, a terminal is asked for it: statements end with ';', Tab completes names, '.help' says what else "
        "there is. The statements are kept in $XDG_STATE_HOME/postfetto/history (~/.local/state).\n"
        "In CSV, header and strings are quoted, NULL is an empty cell (in a result with one column the bare word NULL, "
        "because readers skip empty lines), and a real number always has a point or an exponent.\n"
        "Arrow and Parquet hold one result, and a column there one type: that of its values in the first 122,880 rows, "
        "or of its first one after them; integers may stand among reals. A value of another type ends the query; a "
        "CAST "
        "in the SQL avoids that. Equal names of columns get _2, _3 and so on.\n"
        "--pass NAME runs a pass on FILE as 'postfetto analyze NAME' does and adds the tables that it reports, but "
        "writes no reports. It takes the options of the pass, except those that query or an earlier pass has, too.\n"
        "With --fail-if and no SQL nothing is written: the exit code is the answer.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .has_thresholds = true,
    .settings_size = sizeof(query_settings),
    .names_passes = true,
    .run = query,
};
