/* cli/thresholds/thresholds.c - trying and judging thresholds. */
#include "cli/thresholds/thresholds.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/str.h"
#include "cli/terminal/terminal.h"
#include "model/trace/trace.h"

#define TEXT_SHOWN 60     /* characters of a text among the values */
#define TABLES_SHOWN 380u /* bytes of names of tables */

/* What the rows of one threshold gave. */
typedef struct judge {
    const pf_cli_operands *operands; /* columns after the first that are said with these words */
    pf_cli_threshold *result;
    pf_buffer names; /* terminated names of the columns */
    size_t results, rows;
} judge;

static pf_status take_columns(void *ctx, size_t count, const pf_str *names)
{
    judge *j = ctx;
    j->results++;
    j->rows = 0;
    j->names.len = 0;
    j->result->verdict = PF_CLI_PASSED;
    j->result->values[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        pf_buffer_put(&j->names, names[i].ptr, names[i].len);
        pf_buffer_put(&j->names, "", 1);
    }
    return j->names.failed ? PF_ERR_MEMORY : PF_OK;
}

static void put_cell(pf_buffer *b, const pf_query_cell *cell)
{
    if (cell->type == PF_VALUE_STRING) {
        pf_buffer_text(b, "'");
        pf_cli_put_fitted(b, cell->as.s, TEXT_SHOWN);
        pf_buffer_text(b, "'");
    } else if (cell->type == PF_VALUE_NULL) {
        pf_buffer_text(b, "NULL");
    } else {
        pf_cli_put_number(b, cell);
    }
}

/* Words on one line. */
static void put_words(pf_buffer *b, pf_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool blank = strchr(" \t\r\n", text.ptr[i]) != NULL, again = i > 0 && strchr(" \t\r\n", text.ptr[i - 1]);
        if (!blank || !again) {
            pf_buffer_put(b, blank ? " " : &text.ptr[i], 1);
        }
    }
}

/* "min(dur) = 812, name = 'x'", or the value of the condition itself where there is nothing else. */
static void tell_values(judge *j, size_t count, const pf_query_cell *cells)
{
    pf_buffer b = {0};
    const char *name = j->names.data;
    for (size_t i = 0; i < count; i++, name += strlen(name) + 1) {
        if (i == 0 && (count > 1 || cells[0].type == PF_VALUE_INT)) {
            continue;
        }
        pf_buffer_text(&b, b.len ? ", " : "");
        if (i >= 1 && i <= j->operands->count) {
            put_words(&b, j->operands->text[i - 1]);
        } else {
            pf_buffer_text(&b, i ? name : "it");
        }
        pf_buffer_text(&b, " = ");
        put_cell(&b, &cells[i]);
    }
    size_t room = sizeof j->result->values;
    snprintf(j->result->values, room, "%.*s", (int)(b.len < room ? b.len : room - 1), b.data ? b.data : "");
    j->names.failed = j->names.failed || b.failed;
    pf_buffer_free(&b);
}

static pf_cli_verdict verdict_of(const pf_query_cell *cell)
{
    bool real = cell->type == PF_VALUE_REAL;
    if (cell->type != PF_VALUE_INT && !real) {
        return PF_CLI_NOTHING;
    }
    return (real ? cell->as.d != 0 : cell->as.i != 0) ? PF_CLI_TRUE : PF_CLI_PASSED;
}

/* The first row that is true is reported; without one, the first that measured nothing; without that, the first. */
static pf_status take_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    judge *j = ctx;
    pf_cli_verdict v = verdict_of(&cells[0]);
    j->rows++;
    bool worse = j->result->verdict != PF_CLI_TRUE && v != PF_CLI_PASSED && v != j->result->verdict;
    if (worse || j->rows == 1) {
        j->result->verdict = v;
        tell_values(j, count, cells);
    }
    return *pf_cli_cancel_flag() ? PF_ERR_CANCELLED : PF_OK;
}

static pf_status run_sql(pf_query *q, judge *j, const pf_buffer *sql, pf_error *err)
{
    const pf_query_sink sink = {j, take_columns, take_row};
    *err = (pf_error){.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    j->results = 0;
    pf_status st = pf_query_run(q, (pf_str){sql->data, sql->len - 1}, &sink, err);
    return j->names.failed ? pf_no_memory(err) : st;
}

/* Judges one: first with the values, and where that does not compile, as it was written. */
static pf_status judge_one(pf_query *q, pf_cli_threshold *result, bool *gave_rows, pf_error *err)
{
    static const pf_cli_operands none;
    pf_buffer plain = {0}, explained = {0};
    pf_cli_operands operands;
    double before = pf_cli_now();
    const char *sql = result->text + pf_cli_threshold_name(result->text).len;
    sql += sql > result->text; /* the sign between */
    pf_cli_threshold_sql((pf_str){sql, strlen(sql)}, &plain, &explained, &operands);
    judge j = {.operands = &operands, .result = result};
    pf_status st = plain.failed || explained.failed ? pf_no_memory(err) : PF_OK;
    pf_status ran = st != PF_OK || explained.len == 0 ? PF_ERR_INPUT : run_sql(q, &j, &explained, err);
    if (ran == PF_ERR_MEMORY) {
        st = ran;
    } else if (st == PF_OK && ran != PF_OK) {
        j.operands = &none;
        st = run_sql(q, &j, &plain, err);
    }
    *gave_rows = j.results > 0;
    if (st == PF_OK && j.rows == 0) {
        result->verdict = PF_CLI_NOTHING;
        snprintf(result->values, sizeof result->values, "no row");
    } else if (st == PF_OK && result->verdict == PF_CLI_PASSED && j.rows > 1) {
        snprintf(result->values, sizeof result->values, "in none of %zu rows", j.rows);
    }
    result->seconds = pf_cli_now() - before;
    pf_buffer_free(&j.names);
    pf_buffer_free(&plain);
    pf_buffer_free(&explained);
    return st;
}

pf_status pf_cli_add_pass_tables(pf_query *q, const pf_pass *pass, const pf_findings *f, pf_error *err)
{
    for (size_t i = 0; pass && i < pass->table_count; i++) {
        const pf_pass_table *d = &pass->tables[i];
        const pf_table declared = {.columns = d->columns, .column_count = d->column_count};
        const pf_table *made = f ? pf_findings_table_named(f, d->name) : NULL;
        PF_TRY(pf_query_add_table(q, d->name, made ? made : &declared, err));
    }
    return PF_OK;
}

/* A side table that the trace lacks, without rows. */
static pf_status add_side_table(pf_query *q, const pf_side_spec *spec, pf_error *err)
{
    static const pf_cell_type TYPE[] = {[PF_COLUMN_INT] = PF_CELL_INT,
                                        [PF_COLUMN_REAL] = PF_CELL_REAL,
                                        [PF_COLUMN_TEXT] = PF_CELL_TEXT,
                                        [PF_COLUMN_BLOB] = PF_CELL_TEXT,
                                        [PF_COLUMN_ROW] = PF_CELL_INT};
    pf_column *columns = calloc(spec->column_count + 1, sizeof *columns);
    PF_TRY(columns ? PF_OK : pf_no_memory(err));
    columns[0] = (pf_column){.name = "id", .type = PF_CELL_INT};
    for (size_t i = 0; i < spec->column_count; i++) {
        columns[i + 1] = (pf_column){.name = spec->columns[i].name, .type = TYPE[spec->columns[i].type]};
    }
    const pf_table table = {.columns = columns, .column_count = spec->column_count + 1};
    pf_status st = pf_query_add_table(q, spec->name, &table, err);
    free(columns);
    return st;
}

/* The side tables of formats that the trace is not of: a threshold over them measures nothing. */
static pf_status add_side_tables(pf_query *q, const pf_trace *trace, pf_error *err)
{
    for (size_t r = 0; r < pf_reader_count(); r++) {
        const pf_reader *reader = pf_reader_at(r);
        const pf_side_spec *spec;
        for (size_t i = 0; reader->table && (spec = reader->table(i)); i++) {
            if (!pf_trace_table(trace, spec->name)) {
                PF_TRY(add_side_table(q, spec, err));
            }
        }
    }
    return PF_OK;
}

static pf_status open_session(const pf_trace *trace, const pf_pass *pass, const pf_findings *f, pf_query **q,
                              pf_error *err)
{
    PF_TRY(pf_query_open(trace, q, err));
    pf_query_set_cancel(*q, pf_cli_cancel_flag());
    PF_TRY(add_side_tables(*q, trace, err));
    return pf_cli_add_pass_tables(*q, pass, f, err);
}

/* Likewise with the tables of all passes of a run. */
static pf_status open_session_of(const pf_cli_run *run, const pf_trace *trace, pf_query **q, pf_error *err)
{
    PF_TRY(open_session(trace, run->pass, run->findings, q, err));
    for (size_t i = 0; i < run->named_count; i++) {
        PF_TRY(pf_cli_add_pass_tables(*q, run->named[i].pass, run->named[i].findings, err));
    }
    return PF_OK;
}

static pf_status new_empty_trace(const pf_limits *limits, pf_trace **out, pf_error *err)
{
    *out = pf_trace_new(limits, PF_WANT_TABLES, err);
    return *out ? pf_trace_finish(*out, err) : err->code;
}

static pf_status add_name(void *ctx, size_t count, const pf_query_cell *cells)
{
    pf_buffer *b = ctx;
    if (count == 1 && cells->type == PF_VALUE_STRING) {
        pf_buffer_text(b, b->len ? ", " : "");
        pf_buffer_put(b, cells->as.s.ptr, cells->as.s.len);
    }
    return PF_OK;
}

/* A table that is not there: those of the pass, and those of the trace as far as there is room. */
static void list_tables(pf_query *q, const pf_pass *pass, pf_error *err)
{
    pf_buffer b = {0};
    const pf_query_sink sink = {&b, NULL, add_name};
    pf_error ignored;
    const pf_error before = *err;
    for (size_t i = 0; pass && i < pass->table_count; i++) {
        pf_buffer_format(&b, "%s%s", i ? ", " : "", pass->tables[i].name);
    }
    pf_status st = pf_query_run(
        q, PF_STR("SELECT name FROM sqlite_master WHERE name GLOB '[a-z]*' AND name NOT GLOB '*_*' ORDER BY name"),
        &sink, &ignored);
    if (st == PF_OK && !b.failed && b.len > 0) {
        bool all = b.len < TABLES_SHOWN;
        size_t shown = all ? b.len : TABLES_SHOWN;
        while (!all && shown > 0 && b.data[shown] != ',') {
            shown--; /* whole names */
        }
        pf_fail(err, before.code, "%.60s; there are %.*s%s", before.text, (int)shown, b.data,
                all ? " and others (SELECT name FROM sqlite_master)" : ", ...");
    }
    pf_buffer_free(&b);
}

static pf_status try_one(pf_query *q, const char *text, const pf_pass *pass, pf_error *err)
{
    bool gave_rows = false;
    pf_cli_threshold result = {.text = text};
    pf_status st = judge_one(q, &result, &gave_rows, err);
    if (st == PF_OK && !gave_rows) {
        return pf_fail(err, PF_ERR_USAGE, "gives no result; write an expression, or a query whose first column is one");
    }
    if (st != PF_OK && strncmp(err->text, "no such table: ", 15) == 0) {
        list_tables(q, pass, err);
    }
    return st == PF_OK || st == PF_ERR_CANCELLED || st == PF_ERR_MEMORY ? st : (err->code = PF_ERR_USAGE);
}

static pf_status try_in(const char *text, const pf_cli_run *run, const pf_limits *limits, pf_error *err)
{
    pf_query *q = NULL;
    pf_trace *empty = NULL;
    pf_status st = new_empty_trace(limits, &empty, err);
    st = st == PF_OK ? open_session_of(run, empty, &q, err) : st;
    st = st == PF_OK ? try_one(q, text, run->pass, err) : st;
    pf_query_free(q);
    pf_trace_free(empty);
    return st;
}

pf_status pf_cli_threshold_try(const char *text, const pf_pass *pass, const pf_limits *limits, pf_error *err)
{
    return try_in(text, &(const pf_cli_run){.pass = pass}, limits, err);
}

pf_status pf_cli_thresholds_try(pf_cli_run *run)
{
    const pf_cli_settings *set = run->set;
    if (set->fail_if.count == 0) {
        return set->annotations || set->junit
                   ? pf_cli_usage(run, "--annotations and --junit report thresholds; add --fail-if")
                   : PF_OK;
    }
    for (size_t i = 0; i < set->fail_if.count; i++) {
        pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
        const char *text = set->fail_if.all[i].s.ptr;
        pf_status st = try_in(text, run, &set->limits, &err);
        if (st != PF_OK) {
            return st == PF_ERR_USAGE ? pf_cli_usage(run, "--fail-if '%s': %s", text, err.text)
                                      : pf_cli_report(run, NULL, &err);
        }
    }
    return pf_cli_check_output(run, run->operands, 0, set->junit);
}

/* A row each on the report page, where what is true has a warning besides. */
static void show_on_page(pf_cli_run *run, const pf_cli_threshold *list)
{
    static const pf_column columns[] = {
        {"threshold", PF_CELL_TEXT, 0, ""}, {"judged", PF_CELL_TEXT, 0, ""}, {"values", PF_CELL_TEXT, 0, ""}};
    static const char *const WORDS[] = {[PF_CLI_PASSED] = "passed",
                                        [PF_CLI_TRUE] = "failed: it is true",
                                        [PF_CLI_NOTHING] = "failed: it measured nothing",
                                        [PF_CLI_WRONG] = "failed: the SQL is wrong"};
    pf_findings *f = run->findings;
    pf_table_builder *t = pf_table_new(f, PF_STR("Thresholds"), columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < run->set->fail_if.count; i++) {
        const pf_cell cells[] = {pf_cell_text(pf_findings_keep(f, pf_str_of(list[i].text))),
                                 pf_cell_text(pf_str_of(WORDS[list[i].verdict])),
                                 pf_cell_text(pf_findings_keep(f, pf_str_of(list[i].values)))};
        pf_table_row(f, t, cells);
    }
    pf_findings_show_table(f, t);
}

/* The same of one that is not true, for a hook: no other line begins so. */
static void tell_passed(pf_cli_run *run, const pf_cli_threshold *t)
{
    char said[PF_CLI_SAID];
    pf_buffer b = {0}, line = {0};
    pf_cli_threshold_say(t, said);
    pf_buffer_format(&b, "passed: --fail-if '%.200s' %s", t->text, said);
    pf_cli_put_clean(&line, b.data, b.len, false);
    line.failed |= b.failed;
    pf_buffer_free(&b);
    pf_cli_progress_clear(&run->progress);
    pf_cli_tell(&line);
}

/* A line on standard error, with -q too, and on the report page. */
static void tell(pf_cli_run *run, const pf_cli_threshold *t, const char *path)
{
    pf_error err;
    char said[PF_CLI_SAID];
    pf_cli_threshold_say(t, said);
    pf_fail(&err, PF_ERR_USAGE, "--fail-if '%.200s' %s", t->text, said);
    if (run->findings) {
        pf_findings_show_error(run->findings, &err);
    }
    pf_cli_report(run, path, &err);
}

static pf_status write_reports(pf_cli_run *run, const pf_cli_threshold *list, const char *path, bool stdout_is_data)
{
    size_t count = run->set->fail_if.count;
    pf_status st = PF_OK, written = PF_OK;
    if (run->set->annotations) {
        pf_buffer b = {0};
        pf_cli_threshold_annotations(&b, list, count, path);
        if (stdout_is_data && !b.failed) {
            fwrite(b.data ? b.data : "", 1, b.len, stderr);
            pf_buffer_free(&b);
        } else {
            st = pf_cli_put_buffer(run, NULL, &b);
        }
    }
    if (run->set->junit) {
        pf_buffer b = {0};
        pf_cli_threshold_junit(&b, list, count, run->command->name, path, (int64_t)time(NULL));
        written = pf_cli_put_buffer(run, run->set->junit, &b);
    }
    return st == PF_OK ? written : st;
}

/* What is worst of those that could not be judged; a finding is the exit code. */
static pf_status judge_all(pf_cli_run *run, pf_query *q, pf_cli_threshold *list, const char *path)
{
    pf_status worst = PF_OK;
    for (size_t i = 0; i < run->set->fail_if.count; i++) {
        pf_error err;
        bool gave_rows;
        list[i].text = run->set->fail_if.all[i].s.ptr;
        pf_status st = judge_one(q, &list[i], &gave_rows, &err);
        if (st == PF_ERR_CANCELLED) {
            return pf_cli_report(run, path, &err);
        }
        if (st != PF_OK) {
            list[i].verdict = PF_CLI_WRONG;
            snprintf(list[i].values, sizeof list[i].values, "%.300s", err.text);
        }
        if (list[i].verdict != PF_CLI_PASSED) {
            tell(run, &list[i], path);
            run->code = PF_CLI_FINDING;
        } else if (run->set->tell_passed) {
            tell_passed(run, &list[i]);
        }
        worst = pf_cli_exit_code(st) > pf_cli_exit_code(worst) ? st : worst;
    }
    return worst;
}

pf_status pf_cli_thresholds_judge(pf_cli_run *run, const char *path, bool stdout_is_data)
{
    size_t count = run->set->fail_if.count;
    pf_query *q = NULL;
    pf_trace *empty = NULL;
    if (count == 0) {
        return PF_OK;
    }
    run->at = path;
    pf_cli_threshold *list = calloc(count, sizeof *list);
    pf_status st = list ? PF_OK : pf_no_memory(&run->err);
    st = st == PF_OK && !run->trace ? new_empty_trace(&run->set->limits, &empty, &run->err) : st;
    const pf_trace *trace = run->trace ? run->trace : empty;
    st = st == PF_OK ? open_session_of(run, trace, &q, &run->err) : st;
    if (st == PF_OK) {
        st = judge_all(run, q, list, path);
        if (st != PF_ERR_CANCELLED && run->set->html && run->findings) {
            show_on_page(run, list);
        }
        pf_status written = st == PF_ERR_CANCELLED ? st : write_reports(run, list, path, stdout_is_data);
        st = written == PF_OK ? st : written; /* a signal ends it */
    }
    pf_query_free(q);
    pf_trace_free(empty);
    free(list);
    return st;
}
