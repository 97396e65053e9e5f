/* cli/common/command.c - the steps that all commands share. */
#include "cli/common/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/files/folders.h"
#include "base/str.h"
#include "write/report/report_text.h"

#define AT(field) offsetof(pf_cli_settings, field)

static const pf_option threshold_options[] = {
    {"fail-if", 0, PF_OPTION_TEXT, AT(fail_if), "SQL", NULL, NULL,
     "end with exit code 1 if this expression or query is true or measures nothing; NAME='SQL' names it",
     .traits = PF_OPTION_REPEATABLE},
    {"annotations", 0, PF_OPTION_CHOICE, AT(annotations), NULL, "github", NULL,
     "report thresholds that are true as GitHub workflow commands"},
    {"junit", 0, PF_OPTION_PATH, AT(junit), "FILE", NULL, NULL, "write the thresholds as JUnit XML, one case each"},
    {"hook-passed", 0, PF_OPTION_FLAG, AT(tell_passed), NULL, NULL, NULL,
     "a line for those that are not true, too: what hook tells its steps", .traits = PF_OPTION_HIDDEN},
};

static const pf_option table_options[] = {
    {"tables", 0, PF_OPTION_PATH, AT(tables), "DIR", NULL, NULL,
     "folder for the tables of the pass as files of columns, NAME.parquet or NAME.arrow, created if missing"},
    {"tables-format", 0, PF_OPTION_CHOICE, AT(tables_format), NULL, "parquet|arrow", "parquet", "their format"},
};

static const pf_option page_options[] = {
    {"html", 0, PF_OPTION_PATH, AT(html), "PAGE", NULL, NULL,
     "write what was found as one HTML page with pictures and tables, which needs no network"},
    {"hook-page", 0, PF_OPTION_TEXT, AT(pages), "TEXT", NULL, NULL,
     "other pages of the trace, the name, then the address of each: what hook tells its steps",
     .traits = PF_OPTION_HIDDEN | PF_OPTION_REPEATABLE},
};

static const pf_option shown_options[] = {
    {"rows", 0, PF_OPTION_INT, AT(rows), "N", NULL, NULL, "rows of each table that is shown; 0: all", .within = "0.."},
    {"format", 0, PF_OPTION_CHOICE, AT(format), "FORM", "table|json|csv|markdown", NULL,
     "what standard output gets: the tables that are shown, the summary as JSON, or the whole table of --table (by "
     "default the first "
     "that has rows)"},
    {"table", 0, PF_OPTION_TEXT, AT(table), "NAME", NULL, NULL, "a table of the pass on standard output, all columns"},
};

static const pf_option picture_options[] = {
    {"pictures", 0, PF_OPTION_FLAG, AT(pictures), NULL, NULL, NULL,
     "write each figure as an SVG file into the folder of --report"},
};

static const pf_option reading_options[] = {
    {"input-format", 0, PF_OPTION_TEXT, AT(input_format), "NAME", NULL, "recognised",
     "read all inputs with this reader; 'info --formats' lists them"},
    {"dialect", 0, PF_OPTION_TEXT, AT(dialect), "NAME", NULL, "recognised", "take the input for this dialect"},
    {"merge-pids", 0, PF_OPTION_FLAG, AT(merge_pids), NULL, NULL, NULL,
     "a pid means the same process in all inputs; else in each on its own"},
    {"raw-events", 0, PF_OPTION_FLAG, AT(raw_events), NULL, NULL, NULL,
     "keep each ftrace event with its arguments, in table ftrace_event"},
    {"strict", 0, PF_OPTION_FLAG, AT(strict), NULL, NULL, NULL, "end with exit code 4 when the input is damaged"},
    {"jobs", 0, PF_OPTION_INT, AT(jobs), "N", NULL, NULL,
     "threads that read; from 2 on, one of them compresses and writes what another makes", .within = "1.."},
    {"max-memory", 0, PF_OPTION_SIZE, AT(limits.memory), "SIZE", NULL, NULL,
     "limit: bytes for tables, strings, arguments; of mapped files and large pipes some 20 MB are resident besides"},
    {"max-input", 0, PF_OPTION_SIZE, AT(limits.input), "SIZE", NULL, NULL, "limit: bytes of one input as stored"},
    {"max-plain", 0, PF_OPTION_SIZE, AT(limits.plain), "SIZE", NULL, NULL,
     "limit: bytes of one input after decompression"},
    {"max-ratio", 0, PF_OPTION_SIZE, AT(limits.ratio), "N", NULL, NULL,
     "limit: bytes after decompression for each stored one"},
    {"max-rows", 0, PF_OPTION_SIZE, AT(limits.rows), "N", NULL, NULL, "limit: rows of one table"},
    {"max-depth", 0, PF_OPTION_SIZE, AT(depth), "N", NULL, NULL, "limit: nesting of one event's arguments",
     .within = "..4294967295"},
    {"max-keys", 0, PF_OPTION_SIZE, AT(keys), "N", NULL, NULL, "limit: arguments of one event",
     .within = "..4294967295"},
};

static const pf_option message_options[] = {
    {"quiet", 'q', PF_OPTION_FLAG, AT(quiet), NULL, NULL, NULL, "no summary, warnings and progress, only errors"},
    {"verbose", 'v', PF_OPTION_FLAG, AT(verbose), NULL, NULL, NULL, "say more: harmless oddities, sizes and times"},
    {"no-progress", 0, PF_OPTION_FLAG, AT(no_progress), NULL, NULL, NULL, "no progress line on the terminal"},
    {"hook-progress", 0, PF_OPTION_INT, AT(progress_fd), "N", NULL, NULL,
     "show progress there: what hook tells its steps", .within = "0..1000000", .traits = PF_OPTION_HIDDEN},
    {"stats", 0, PF_OPTION_FLAG, AT(stats), NULL, NULL, NULL,
     "one line of JSON on standard error at the end: sizes, times, memory"},
    {"help", 'h', PF_OPTION_FLAG, AT(help), NULL, NULL, NULL, "show this help"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

void pf_cli_add_common(pf_cli_parser *p, const pf_cli_command *c, pf_cli_settings *set)
{
    pf_cli_parser_add(p, NULL, shown_options, c->has_format ? COUNT(shown_options) : c->has_rows, set);
    if (c->has_pass && c->has_format) {
        p->groups[p->group_count - 1].yields = true;
    }
    pf_cli_parser_add(p, NULL, threshold_options, c->has_thresholds ? COUNT(threshold_options) : 0, set);
    pf_cli_parser_add(p, NULL, table_options, c->has_tables ? COUNT(table_options) : 0, set);
    pf_cli_parser_add(p, NULL, page_options, c->has_page ? COUNT(page_options) : 0, set);
    pf_cli_parser_add(p, "Reading", reading_options, COUNT(reading_options), set);
    pf_cli_parser_add(p, "Messages", message_options, COUNT(message_options), set);
}

void pf_cli_add_pictures(pf_cli_parser *p, const pf_cli_command *c, const pf_pass *pass, pf_cli_settings *set)
{
    const char *name = picture_options[0].name;
    bool own = pass && pf_options_find(pass->options, pass->option_count, name, strlen(name)) < pass->option_count;
    pf_cli_parser_add(p, NULL, picture_options, c->has_page && !own ? COUNT(picture_options) : 0, set);
}

const char *pf_cli_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

const char *pf_cli_out_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard output" : path;
}

int pf_cli_exit_code(pf_status st)
{
    static const int codes[] = {[PF_OK] = PF_CLI_DONE,          [PF_ERR_USAGE] = PF_CLI_USAGE,
                                [PF_ERR_INPUT] = PF_CLI_INPUT,  [PF_ERR_DAMAGED] = PF_CLI_DAMAGED,
                                [PF_ERR_LIMIT] = PF_CLI_LIMIT,  [PF_ERR_MEMORY] = PF_CLI_LIMIT,
                                [PF_ERR_OUTPUT] = PF_CLI_OUTPUT};
    return st == PF_ERR_CANCELLED ? pf_cli_signal_code() : (size_t)st < COUNT(codes) ? codes[st] : PF_CLI_BUG;
}

void pf_cli_tell(pf_buffer *line)
{
    pf_buffer_put(line, "\n", 1);
    fwrite(line->failed ? "postfetto: out of memory\n" : line->data, 1, line->failed ? 25 : line->len, stderr);
    pf_buffer_free(line);
}

/* Sends a message to standard error in one piece, cleaned, and frees it. */
static void send(pf_cli_run *run, pf_buffer *b)
{
    pf_buffer clean = {.failed = b->failed};
    pf_cli_put_clean(&clean, b->data, b->len, false);
    pf_cli_progress_clear(&run->progress);
    pf_cli_tell(&clean);
    pf_buffer_free(b);
}

pf_status pf_cli_report(pf_cli_run *run, const char *path, const pf_error *err)
{
    const pf_status code = err->code;
    const char *file = err->file[0] ? err->file : path;
    pf_cli_progress_clear(&run->progress);
    if (code != PF_ERR_CANCELLED) {
        pf_buffer b = {0};
        pf_buffer_text(&b, "postfetto: ");
        if (file) {
            pf_buffer_format(&b, "%s: ", pf_cli_name(file));
        }
        if (err->offset != PF_NOWHERE) {
            pf_buffer_format(&b, "at byte %" PRIu64, err->offset);
        }
        if (err->packet != PF_NOWHERE) {
            pf_buffer_format(&b, err->offset != PF_NOWHERE ? " (packet %" PRIu64 ")" : "packet %" PRIu64, err->packet);
        }
        pf_buffer_format(&b, "%s%s", err->offset != PF_NOWHERE || err->packet != PF_NOWHERE ? ": " : "", err->text);
        if (code == PF_ERR_INTERNAL) {
            pf_buffer_text(&b, " (this is a bug in postfetto; please report it with the input)");
        }
        send(run, &b);
    }
    run->err.code = PF_OK;
    return code;
}

int pf_cli_end(pf_cli_run *run, pf_status st)
{
    if (st != PF_OK && run->err.code != PF_OK) {
        pf_cli_report(run, run->at, &run->err);
    }
    return st == PF_OK ? run->code : pf_cli_exit_code(st);
}

/* What is said of a command or a file. */
__attribute__((format(printf, 3, 0))) static void send_of(pf_cli_run *run, const char *name, const char *format,
                                                          va_list list)
{
    char text[1024];
    pf_buffer b = {0};
    vsnprintf(text, sizeof text, format, list);
    pf_buffer_format(&b, "postfetto: %s: %s", name, text);
    send(run, &b);
}

pf_status pf_cli_usage(pf_cli_run *run, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    send_of(run, run->command->name, format, list);
    va_end(list);
    run->err.code = PF_OK;
    return PF_ERR_USAGE;
}

pf_status pf_cli_usage_of(pf_cli_run *run, pf_status st)
{
    return st == PF_ERR_USAGE ? pf_cli_usage(run, "%s", run->err.text) : st;
}

pf_status pf_cli_edit_time(pf_cli_run *run, const char *option, const char *text, pf_edit_time *t)
{
    pf_error err;
    if (text && pf_edit_time_parse(text, t, &err) != PF_OK) {
        return pf_cli_usage(run, "--%s: %s", option, err.text);
    }
    return PF_OK;
}

void pf_cli_note(pf_cli_run *run, const char *path, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!run->set->quiet) {
        send_of(run, pf_cli_name(path), format, list);
    }
    va_end(list);
}

/* Whether a file can be made in the folder of `out`. */
static pf_status check_folder(const char *out, pf_error *err)
{
    const char *slash = strrchr(out, '/');
    char *folder = slash ? strndup(out, (size_t)(slash - out) + 1) : strdup(".");
    PF_TRY(folder ? PF_OK : pf_no_memory(err));
    int reason = access(folder, W_OK | X_OK) < 0 ? errno : 0;
    free(folder);
    return reason == 0 ? PF_OK
                       : pf_fail(err, PF_ERR_OUTPUT, "cannot be written: %s; %s", strerror(reason),
                                 reason == ENOENT ? "create the folder first" : "choose a folder you may write to");
}

pf_status pf_cli_output_fault(const char *const *inputs, size_t count, const char *out, pf_error *err)
{
    const pf_file_id id = pf_file_id_of(out, STDOUT_FILENO);
    struct stat sb;
    bool is_input = false;
    for (size_t i = 0; i < count; i++) {
        is_input = is_input || pf_file_id_is(&id, inputs[i]);
    }
    pf_status st =
        is_input
            ? pf_fail(err, PF_ERR_OUTPUT, "is the input file and was left as it is; choose another name for the output")
        : pf_outfile_is_stream(out)                  ? PF_OK
        : stat(out, &sb) == 0 && S_ISDIR(sb.st_mode) ? pf_fail(err, PF_ERR_OUTPUT, "is a folder; name a file in it")
                                                     : check_folder(out, err);
    pf_error_in(st == PF_ERR_OUTPUT ? err : NULL, pf_cli_out_name(out));
    return st;
}

pf_status pf_cli_check_output(pf_cli_run *run, const char *const *inputs, size_t count, const char *out)
{
    pf_error err;
    return out && !run->out_is_folder && pf_cli_output_fault(inputs, count, out, &err) != PF_OK
               ? pf_cli_report(run, NULL, &err)
               : PF_OK;
}

pf_status pf_cli_check_binary(pf_cli_run *run, const char *out, const char *what)
{
    return pf_outfile_is_terminal(out)
               ? pf_cli_usage(run, "%s is binary and %s is a terminal; redirect it, or name a file with -o", what,
                              pf_cli_out_name(out))
               : PF_OK;
}

void pf_cli_start_progress(pf_cli_run *run)
{
    int fd = run->set->progress_fd ? (int)run->set->progress_fd : STDERR_FILENO;
    pf_cli_progress_start(&run->progress, run->set->quiet || (run->set->no_progress && fd == STDERR_FILENO), fd);
}

pf_write_options pf_cli_write_options(pf_cli_run *run)
{
    pf_write_options o = pf_write_options_default();
    o.cancel = pf_cli_cancel_flag();
    o.written = &run->written;
    o.jobs = run->set->jobs > 1 ? 2 : 1;
    o.progress = pf_cli_progress_write;
    o.progress_ctx = &run->progress;
    bool shown = run->set->out && pf_outfile_is_terminal(run->set->out);
    pf_cli_start_progress(run);
    run->progress.enabled &= !shown;
    return o;
}

pf_status pf_cli_write(const char *path, pf_str text, const pf_node *root, uint64_t *written, pf_error *err)
{
    static const pf_json_style style = {.final_newline = true};
    pf_outfile file;
    PF_TRY(pf_outfile_open(&file, path, err));
    pf_status st = root ? pf_json_write(root, &style, &file, NULL, written, err)
                        : pf_outfile_write(&file, text.ptr, text.len, err);
    *written += text.len;
    st = st == PF_OK ? pf_outfile_commit(&file, true, err) : st;
    pf_outfile_abort(&file);
    return st;
}

static pf_status put(pf_cli_run *run, const char *out, pf_str text, const pf_node *root)
{
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    out = out ? out : "-";
    pf_cli_signals_hold(strcmp(out, "-") != 0);
    pf_status st = pf_cli_write(out, text, root, &run->written, &err);
    pf_cli_signals_hold(false);
    return st == PF_OK ? PF_OK : pf_cli_report(run, pf_cli_out_name(out), &err);
}

pf_status pf_cli_put(pf_cli_run *run, const char *out, const char *text, size_t len)
{
    return put(run, out, (pf_str){text, len}, NULL);
}

pf_status pf_cli_put_buffer(pf_cli_run *run, const char *out, pf_buffer *b)
{
    pf_status st = b->failed ? pf_no_memory(&run->err) : pf_cli_put(run, out, b->data, b->len);
    pf_buffer_free(b);
    return st;
}

static void put_table(pf_buffer *b, const pf_table *table, pf_table_shape shape, int fd)
{
    shape.width = pf_cli_columns(fd);
    shape.eased = true;
    shape.styled = pf_cli_styled(fd);
    b->failed |= !table;
    if (table) {
        pf_table_aligned(b, table, &shape);
    }
}

void pf_cli_put_table(const pf_cli_run *run, pf_buffer *b, const pf_table *table, const char *columns, int fd)
{
    put_table(b, table, (pf_table_shape){.columns = columns, .rows = run->set->rows}, fd);
}

void pf_cli_put_table_part(pf_buffer *b, const pf_table *table, size_t more, int fd)
{
    put_table(b, table, (pf_table_shape){.more = more}, fd);
}

pf_node *pf_cli_new_document(pf_cli_run *run)
{
    run->findings = run->findings ? run->findings : pf_findings_new(&run->set->limits);
    pf_node *root = run->findings ? pf_node_root(run->findings, PF_NODE_OBJECT) : NULL;
    pf_node_add_int(run->findings, root, PF_STR("schema_version"), 1);
    return root;
}

void pf_cli_add_paths(pf_cli_run *run, pf_node *root, pf_str one, pf_str many)
{
    size_t count = pf_trace_input_count(run->trace);
    pf_node *list = count > 1 ? pf_node_add(run->findings, root, many, PF_NODE_LIST) : root;
    for (size_t i = 0; i < count; i++) {
        pf_str path = pf_str_of(pf_trace_input(run->trace, i)->path);
        pf_node_add_text(run->findings, list, count > 1 ? (pf_str){NULL, 0} : one, path);
    }
}

void pf_cli_add_numbers(pf_cli_run *run, pf_node *root, const pf_cli_number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pf_node_add_int(run->findings, root, pf_str_of(numbers[i].name), (int64_t)numbers[i].value);
    }
}

pf_status pf_cli_put_document(pf_cli_run *run, const char *out, const pf_node *root)
{
    PF_TRY(run->findings && root ? pf_findings_status(run->findings, &run->err) : pf_no_memory(&run->err));
    return put(run, out, PF_STR(""), root);
}

/* What getrusage calls the peak may be that of the process that started this one, before exec; the high-water mark of
 * the memory itself is not. In KB. */
static long peak_rss_kb(void)
{
    static const char key[] = "VmHWM:";
    char line[256];
    long kb = -1;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && kb < 0 && fgets(line, sizeof line, f)) {
        kb = strncmp(line, key, sizeof key - 1) == 0 ? strtol(line + sizeof key - 1, NULL, 10) : -1;
    }
    if (f) {
        fclose(f);
    }
    if (kb < 0) {
        struct rusage usage = {0};
        getrusage(RUSAGE_SELF, &usage);
        kb = usage.ru_maxrss;
    }
    return kb;
}

void pf_cli_add_totals(pf_cli_totals *all, const pf_trace *t)
{
    uint64_t now = 0, peak = 0;
    for (size_t i = 0; t && i < pf_trace_input_count(t); i++) {
        const pf_input *in = pf_trace_input(t, i);
        all->stored += in->stored_bytes;
        all->plain += in->plain_bytes;
        all->events += in->events;
    }
    if (t) {
        const pf_side_table *runs = pf_trace_table(t, "__intrinsic_sched_slice"); /* what the scheduler did */
        all->events += runs ? runs->count : 0;
        pf_trace_memory(t, &now, &peak);
        all->peak += peak;
    }
}

void pf_cli_print_stats(pf_cli_run *run)
{
    pf_cli_totals all = run->dropped;
    uint64_t now = 0, findings_peak = 0;
    pf_cli_add_totals(&all, run->trace);
    if (run->findings) {
        pf_findings_memory(run->findings, &now, &findings_peak);
    }
    double seconds = pf_cli_now() - run->started;
    fprintf(stderr,
            "{\"input_bytes\": %" PRIu64 ", \"plain_bytes\": %" PRIu64 ", \"output_bytes\": %" PRIu64
            ", \"events\": %" PRIu64 ", \"seconds\": %.6f, \"mb_per_s\": %.3f, \"events_per_s\": %.1f, "
            "\"peak_rss_kb\": %ld, \"peak_heap_kb\": %" PRIu64 "}\n",
            all.stored, all.plain, run->written, all.events, seconds, (double)all.plain / 1e6 / seconds,
            (double)all.events / seconds, peak_rss_kb(), (all.peak + findings_peak + 1023) / 1024);
}

static pf_status write_archive(const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err)
{
    return pf_export_archive(t, path, NULL, o, err);
}

/* Two endings of one format follow each other. */
static const pf_cli_trace_format formats[] = {
    {"pftrace", ".pftrace", pf_convert_pftrace, false},
    {"pftrace", ".perfetto-trace", pf_convert_pftrace, false},
    {"pftrace.gz", ".pftrace.gz", pf_convert_pftrace, true},
    {"pftrace.gz", ".perfetto-trace.gz", pf_convert_pftrace, true},
    {"json", ".json", pf_convert_json, false},
    {"json.gz", ".json.gz", pf_convert_json, true},
    {"sqlite", ".sqlite", pf_export_sqlite, false},
    {"archive", PF_CLI_ARCHIVE_ENDING, write_archive, false},
};

const pf_cli_trace_format *pf_cli_format_named(const char *name)
{
    size_t i = 0;
    while (i < COUNT(formats) && strcmp(formats[i].name, name) != 0) {
        i++;
    }
    return i < COUNT(formats) ? &formats[i] : NULL;
}

bool pf_cli_ends(const char *path, size_t len, const char *ending)
{
    size_t width = strlen(ending);
    return len > width && memcmp(path + len - width, ending, width) == 0;
}

const pf_cli_trace_format *pf_cli_format_of_path(const char *path, size_t len)
{
    size_t i = 0;
    while (i < COUNT(formats) && !pf_cli_ends(path, len, formats[i].ending)) {
        i++;
    }
    return i < COUNT(formats) ? &formats[i] : NULL;
}
