/* cli/query/prompt.c - lines become statements, and words that begin with a dot commands.
 *
 * A statement ends with the line that ends with its ';'. While the prompt is there a signal only sets the flag that
 * reading and queries look at; after Ctrl-C it is taken back. */
#include "cli/query/prompt.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>

#include "base/str.h"
#include "cli/query/completion.h"

#define FIRST_PROMPT "postfetto> "
#define NEXT_PROMPT "      ...> "

static const char HELP[] = "SELECT ...;         a statement, on one line or several; Tab completes names and words\n"
                           ".tables             the tables and views\n"
                           ".schema [TABLE]     their columns\n"
                           ".help               this text\n"
                           ".quit               the end, as Ctrl-D; Ctrl-C ends the query that runs\n";

static void show_schema(const pf_cli_asker *asker, pf_str table)
{
    pf_buffer sql = {0};
    pf_buffer_text(&sql, "SELECT m.name AS \"table\", c.name AS \"column\", c.type FROM pragma_table_list m, "
                         "pragma_table_info(m.name) c WHERE m.name ");
    pf_buffer_text(&sql, table.len ? "= " : "NOT GLOB ");
    pf_buffer_quoted(&sql, table.len ? table : PF_STR("sqlite_*"), '\'');
    pf_buffer_text(&sql, " ORDER BY m.name, c.cid");
    asker->ask(asker->ctx, sql.failed ? PF_STR("") : (pf_str){sql.data, sql.len});
    pf_buffer_free(&sql);
}

/* A line that begins with a dot; false: the end. */
static bool obey(const pf_cli_asker *asker, pf_str line)
{
    size_t end = 0;
    while (end < line.len && !pf_is_blank(line.ptr[end])) {
        end++;
    }
    pf_str name = {line.ptr, end}, rest = pf_str_trim(pf_str_from(line, end));
    if (pf_str_is(name, ".quit") || pf_str_is(name, ".exit")) {
        return false;
    }
    if (pf_str_is(name, ".tables")) {
        asker->ask(
            asker->ctx,
            PF_STR("SELECT name, ncol AS columns FROM pragma_table_list WHERE name NOT GLOB 'sqlite_*' ORDER BY 1"));
    } else if (pf_str_is(name, ".schema")) {
        show_schema(asker, rest);
    } else if (pf_str_is(name, ".help")) {
        fputs(HELP, stdout);
    } else {
        fprintf(stderr, "postfetto: %.*s is not a command; .help lists them\n", (int)name.len, name.ptr);
    }
    return true;
}

/* In one line, unless a comment needs more than one. */
static void remember(pf_cli_editor *e, pf_buffer *statement)
{
    for (char *feed = statement->data; !strstr(statement->data, "--") && (feed = strchr(feed, '\n'));) {
        *feed = ' ';
    }
    pf_cli_editor_remember(e, statement->data);
}

/* Adds the line; runs what is whole then. */
static void take_line(pf_cli_editor *e, const pf_cli_asker *asker, pf_buffer *statement, pf_str line)
{
    pf_buffer_put(statement, statement->len ? "\n" : "", statement->len ? 1 : 0);
    pf_buffer_put(statement, line.ptr, line.len);
    pf_buffer_put(statement, "", 1);
    if (!statement->failed && sqlite3_complete(statement->data)) {
        asker->ask(asker->ctx, pf_str_of(statement->data));
        remember(e, statement);
        statement->len = 0;
    } else if (!statement->failed) {
        statement->len--;
    }
}

/* After Ctrl-C the flag is as before; any other signal stays. */
static bool is_stopped(void)
{
    if (*pf_cli_cancel_flag() == SIGINT) {
        pf_cli_signals_forget();
    }
    return *pf_cli_cancel_flag() != 0;
}

static pf_status read_and_ask(pf_cli_editor *e, const pf_cli_asker *asker, pf_buffer *statement)
{
    while (!statement->failed) {
        const char *text = pf_cli_editor_line(e, statement->len ? NEXT_PROMPT : FIRST_PROMPT);
        bool interrupted = !text && *pf_cli_cancel_flag() == SIGINT;
        pf_str line = pf_str_trim(pf_str_of(text ? text : ""));
        if (!text) {
            fputc('\n', stderr);
            statement->len = 0;
        }
        if (!text && !interrupted) {
            return *pf_cli_cancel_flag() ? PF_ERR_CANCELLED : PF_OK;
        }
        if (line.len && !statement->len && line.ptr[0] == '.') {
            pf_cli_editor_remember(e, text);
            if (!obey(asker, line)) {
                return PF_OK;
            }
        } else if (line.len) {
            take_line(e, asker, statement, line);
        }
        if (is_stopped()) {
            return PF_ERR_CANCELLED;
        }
    }
    return PF_ERR_MEMORY;
}

pf_status pf_cli_prompt(pf_cli_run *run, pf_query *query, const pf_cli_asker *asker)
{
    pf_cli_editor *e = NULL;
    pf_buffer statement = {0};
    const pf_cli_completer completer = {query, pf_cli_complete_sql};
    pf_cli_signals_hold(true);
    pf_status st = pf_cli_editor_open(&e, &completer, &run->err);
    if (st == PF_OK) {
        pf_cli_note(run, run->operands[0], "a statement ends with ';'; .help says what else there is");
        st = read_and_ask(e, asker, &statement);
        st = st == PF_ERR_MEMORY ? pf_no_memory(&run->err) : st;
    }
    pf_cli_editor_close(e);
    pf_buffer_free(&statement);
    pf_cli_signals_hold(false);
    return st;
}
