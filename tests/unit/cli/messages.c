/* Messages, exit codes and checks of outputs that all commands share. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/command.h"
#include "cli/terminal/terminal.h"
#include "scratch.h"

static const pf_cli_command command = {.name = "test"};
static pf_cli_settings set;
static pf_cli_run run;

static void start(void)
{
    scratch_enter();
    set = (pf_cli_settings){.quiet = false};
    run = (pf_cli_run){.command = &command, .set = &set};
    fflush(stderr);
    int fd = open("stderr", O_CREAT | O_RDWR, 0600);
    cr_assert(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    close(fd);
}

TestSuite(messages, .init = start, .fini = scratch_leave);

/* What was said since the last time. */
static void expect_said(const char *wanted)
{
    static off_t before;
    char got[2048] = "";
    fflush(stderr);
    ssize_t n = pread(STDERR_FILENO, got, sizeof got - 1, before);
    cr_assert_geq(n, 0);
    before += n;
    cr_expect_str_eq(got, wanted, "%s", got);
}

Test(messages, exit_codes)
{
    static const struct {
        pf_status status;
        int code;
    } rows[] = {{PF_OK, 0},         {PF_ERR_USAGE, 2},  {PF_ERR_INPUT, 3},     {PF_ERR_DAMAGED, 4}, {PF_ERR_LIMIT, 5},
                {PF_ERR_MEMORY, 5}, {PF_ERR_OUTPUT, 6}, {PF_ERR_INTERNAL, 70}, {(pf_status)99, 70}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(pf_cli_exit_code(rows[i].status), rows[i].code, "%d", rows[i].status);
    }
}

Test(messages, reports)
{
    static const struct {
        pf_status code;
        const char *path, *file;
        uint64_t offset, packet;
        const char *said;
    } rows[] = {
        {PF_ERR_INPUT, "a", "", PF_NOWHERE, PF_NOWHERE, "postfetto: a: it\n"},
        {PF_ERR_INPUT, "-", "", PF_NOWHERE, PF_NOWHERE, "postfetto: standard input: it\n"},
        {PF_ERR_INPUT, NULL, "", PF_NOWHERE, PF_NOWHERE, "postfetto: it\n"},
        {PF_ERR_INPUT, "a", "b", PF_NOWHERE, PF_NOWHERE, "postfetto: b: it\n"},
        {PF_ERR_INPUT, NULL, "b", 0, PF_NOWHERE, "postfetto: b: at byte 0: it\n"},
        {PF_ERR_INPUT, "a", "", 7, 0, "postfetto: a: at byte 7 (packet 0): it\n"},
        {PF_ERR_INPUT, "a", "", PF_NOWHERE, 12, "postfetto: a: packet 12: it\n"},
        {PF_ERR_INTERNAL, "a", "", 7, PF_NOWHERE,
         "postfetto: a: at byte 7: it (this is a bug in postfetto; please report it with the input)\n"},
        {PF_ERR_DAMAGED, "a\033[1m\nb", "", PF_NOWHERE, PF_NOWHERE, "postfetto: a?[1m?b: it\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_error err = {.code = rows[i].code, .offset = rows[i].offset, .packet = rows[i].packet, .text = "it"};
        snprintf(err.file, sizeof err.file, "%s", rows[i].file);
        run.set->quiet = i % 2; /* what went wrong is said in any case */
        cr_expect_eq(pf_cli_report(&run, rows[i].path, &err), rows[i].code);
        expect_said(rows[i].said);
    }
    pf_cli_signals_hold(true);
    cr_expect_eq(pf_cli_report(&run, "a", &(pf_error){.code = PF_ERR_CANCELLED, .text = "cancelled"}),
                 PF_ERR_CANCELLED);
    expect_said(""); /* the signal says it */
}

Test(messages, notes)
{
    pf_cli_note(&run, "a", "%d of %s", 1, "them");
    pf_cli_note(&run, "-", "x");
    expect_said("postfetto: a: 1 of them\npostfetto: standard input: x\n");
    run.set->quiet = true;
    pf_cli_note(&run, "a", "x");
    expect_said("");
    cr_expect_eq(pf_cli_usage(&run, "takes %d", 2), PF_ERR_USAGE);
    expect_said("postfetto: test: takes 2\n");
    /* A note clears the line that shows the progress, once. */
    run.set->quiet = false;
    run.progress.columns = 3;
    run.progress.fd = STDERR_FILENO;
    pf_cli_note(&run, "a", "x");
    expect_said("\r   \rpostfetto: a: x\n");
    pf_cli_note(&run, "a", "x");
    expect_said("postfetto: a: x\n");
}

Test(messages, names_of_dialects_and_formats)
{
    static const struct {
        const char *dialect, *format, *said;
    } rows[] = {
        {NULL, NULL, ""},
        {"aie", "perfetto", ""},
        {"chrome-json", NULL, ""},
        {"aiee", NULL, "postfetto: test: unknown dialect 'aiee'; did you mean 'aie'?\n"},
        {NULL, "perfeto", "postfetto: test: unknown input format 'perfeto'; did you mean 'perfetto'?\n"},
        {"aiee", "perfeto", "postfetto: test: unknown dialect 'aiee'; did you mean 'aie'?\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run.set->dialect = rows[i].dialect;
        run.set->input_format = rows[i].format;
        cr_expect_eq(pf_cli_check_reading(&run), *rows[i].said ? PF_ERR_USAGE : PF_OK);
        expect_said(rows[i].said);
    }
    /* All of them, where none is near. */
    pf_buffer wanted = {0};
    pf_buffer_text(&wanted, "postfetto: test: unknown dialect 'qqqqqqqq'; choose one of ");
    for (size_t i = 0; i < pf_dialect_count(); i++) {
        pf_buffer_format(&wanted, "%s%s", i ? ", " : "", pf_dialect_name(i));
    }
    pf_buffer_put(&wanted, "\n", 2);
    run.set->dialect = "qqqqqqqq";
    cr_expect_eq(pf_cli_check_reading(&run), PF_ERR_USAGE);
    expect_said(wanted.data);
    pf_buffer_free(&wanted);
}

Test(messages, where_an_output_may_go)
{
    static const char *const inputs[] = {"other", "in"};
    scratch_write("in", "x");
    scratch_write("there", "x");
    cr_assert(mkdir("folder", 0755) == 0 && symlink("in", "linked") == 0);
    static const struct {
        const char *out, *said; /* "": it may */
    } rows[] = {
        {"new", ""},
        {"there", ""},
        {"folder/new", ""},
        {"/dev/null", ""},
        {"-", ""},
        {"in", "postfetto: in: is the input file and was left as it is; choose another name for the output\n"},
        {"./linked",
         "postfetto: ./linked: is the input file and was left as it is; choose another name for the output\n"},
        {"folder", "postfetto: folder: is a folder; name a file in it\n"},
        {"nowhere/new",
         "postfetto: nowhere/new: cannot be written: No such file or directory; create the folder first\n"},
        {"there/new", "postfetto: there/new: cannot be written: Not a directory; choose a folder you may write to\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(pf_cli_check_output(&run, inputs, 2, rows[i].out), *rows[i].said ? PF_ERR_OUTPUT : PF_OK);
        expect_said(rows[i].said);
    }
    cr_expect_eq(pf_cli_check_output(&run, inputs, 1, "in"), PF_OK, "no input of this run");
}

Test(messages, outputs)
{
    char text[16] = "";
    cr_assert_eq(pf_cli_put(&run, "out", "text", 4), PF_OK);
    cr_assert_eq(run.written, 4);
    int fd = open("out", O_RDONLY);
    cr_assert_eq(read(fd, text, sizeof text), 4);
    close(fd);
    cr_assert_str_eq(text, "text");
    expect_said("");
    cr_assert_eq(pf_cli_put(&run, "nowhere/out", "text", 4), PF_ERR_OUTPUT);
    pf_buffer b = {0};
    pf_buffer_text(&b, "more");
    cr_assert_eq(pf_cli_put_buffer(&run, "out", &b), PF_OK);
    cr_assert_eq(b.len, 0);
    cr_assert_eq(run.written, 8, "twice 4 bytes");
}

/* Reading and writing in parallel: a number of threads for readers, one more or none for writers. */
Test(messages, options_of_writers)
{
    static const unsigned rows[][2] = {{1, 1}, {2, 2}, {64, 2}};
    for (size_t i = 0; i < 3; i++) {
        run.set->jobs = rows[i][0];
        cr_expect_eq(pf_cli_write_options(&run).jobs, rows[i][1]);
    }
    cr_expect_eq(pf_cli_write_options(&run).written, &run.written);
}

/* Two events without a usable time, a flow that ends without a start, which loses nothing, and an event that is cut. */
Test(messages, damage)
{
    static const char events[] =
        "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":1},\n" /* 55 bytes */
        "{\"ph\":\"X\",\"name\":\"a\",\"ts\":\"no\",\"pid\":1,\"tid\":1},\n"       /* 49 bytes */
        "{\"ph\":\"X\",\"name\":\"a\",\"ts\":\"no\",\"pid\":1,\"tid\":1},\n"
        "{\"ph\":\"f\",\"name\":\"a\",\"id\":1,\"bp\":\"e\",\"ts\":1,\"pid\":1,\"tid\":1},\n{\"ph\":";
    static const char worst[] = "postfetto: t.json: at byte 55: warning: events without a phase or with unusable times "
                                "(json_tokenizer_failure, 2 times)\n"
                                "postfetto: t.json: at byte 215: warning: the document ends in the middle "
                                "(postfetto_json_truncated, 1 time)\n";
    const char *path = "t.json";
    scratch_write(path, events);
    run.set->limits = pf_limits_default();
    run.set->jobs = 1;
    cr_assert_eq(pf_cli_read(&run, &path, 1, PF_WANT_TABLES, false), PF_OK);
    expect_said("");
    pf_cli_warn_of_damage(&run, run.trace);
    expect_said(worst);
    run.set->verbose = true;
    pf_cli_warn_of_damage(&run, run.trace);
    char all[1024];
    snprintf(all, sizeof all, "%s%s", worst,
             "postfetto: t.json: note: flow ends without a start (flow_end_without_start, 1 time)\n");
    expect_said(all);
    pf_trace_free(run.trace);
    run.trace = NULL;
    run.set->verbose = false;
    cr_assert_eq(pf_cli_read(&run, &path, 1, PF_WANT_TABLES, true), PF_OK);
    expect_said(worst);
    pf_trace_free(run.trace);
}
