/* cli/pass/pass_outputs.c - the outputs of a pass.
 *
 * Everything that can be refused is refused before anything is written: a report that would replace an input, or be
 * replaced by another output. Then come the reports of the report folder in their order, the files with places of their
 * own, the enriched trace, and last the text for standard output, so that what it says is true and a closed pipe after
 * the command cannot interrupt the writing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/folders.h"
#include "cli/page/page_facts.h"
#include "cli/pass/pass.h"
#include "model/trace/findings_mark.h"
#include "model/trace/trace.h"

char *pf_cli_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return strdup(".");
    }
    size_t len = (size_t)(slash - path);
    while (len > 0 && path[len - 1] == '/') {
        len--;
    }
    return len ? strndup(path, len) : strdup("/");
}

bool pf_cli_report_folder(const pf_cli_run *run, const char *main_path, char **dir)
{
    *dir = NULL;
    if (run->set->report) {
        *dir = strdup(run->set->report);
    } else if (run->pass->reports_on_request) {
        return true;
    } else if (run->pass->reports_by_output && run->set->out && !pf_outfile_is_stream(run->set->out)) {
        *dir = pf_cli_folder_of(run->set->out);
    } else if (strcmp(main_path, "-") == 0) {
        return true;
    } else {
        *dir = pf_cli_folder_of(main_path);
    }
    return *dir != NULL;
}

bool pf_cli_output_stem(const char *out, char **stem)
{
    *stem = NULL;
    if (!out || pf_outfile_is_stream(out)) {
        return true;
    }
    const char *name = pf_path_name(out);
    size_t len = strlen(name);
    static const char *const packed[] = {".gz", ".zst", ".zip"};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        if (pf_cli_ends(name, len, packed[i])) {
            len -= strlen(packed[i]);
            break;
        }
    }
    const char *dot = memrchr(name, '.', len);
    *stem = strndup(out, dot && dot != name ? (size_t)(dot - out) : (size_t)(name - out) + len);
    return *stem != NULL;
}

bool pf_cli_makes_output(const pf_cli_run *run)
{
    const char *out = run->set->out, *at = run->pass->outputs;
    size_t len = strlen(out);
    if (at && *at == '*') {
        return true;
    }
    for (; at && *at; at += strcspn(at, "|"), at += *at == '|') {
        size_t width = strcspn(at, "|");
        if (len > width + 1 && out[len - width - 1] == '.' && memcmp(out + len - width, at, width) == 0) {
            return true;
        }
    }
    return false;
}

uint32_t pf_cli_output_want(const pf_cli_run *run)
{
    const pf_pass *p = run->pass;
    if (!run->set->out || (p->role_count && p->roles[0].on_request)) {
        return 0; /* the pass itself knows which traces it draws into */
    }
    return p->draw_want && !pf_cli_makes_output(run) ? p->draw_want : PF_WANT_TO_WRITE;
}

/* Whether the folders of outputs are made where they are missing. */
static bool makes_folders(const pf_cli_run *run)
{
    return run->pass->outputs && *run->pass->outputs == '*';
}

/* The input that is the file of a path, NULL if none is. */
static const char *find_input(const pf_cli_run *run, const pf_pass_host *roles, const char *path)
{
    const pf_file_id id = pf_file_id_of(path, STDOUT_FILENO);
    for (size_t r = 0; r < run->pass->role_count; r++) {
        for (size_t i = 0; i < roles->files[r].count; i++) {
            if (pf_file_id_is(&id, roles->files[r].files[i].path)) {
                return roles->files[r].files[i].path;
            }
        }
    }
    return NULL;
}

/* Makes the folder of --report where -o is to lie in it. */
static void make_report_folder(const pf_cli_run *run)
{
    const char *report = run->set->report, *out = run->set->out;
    size_t len = report ? strlen(report) : 0;
    if (len && out && strncmp(out, report, len) == 0 && (out[len] == '/' || report[len - 1] == '/')) {
        pf_make_folder(report);
    }
}

/* Whether the name is that of something else than a trace, whoever writes it. */
static bool is_foreign(const char *out)
{
    static const char *const others[] = {".db",  ".html", ".htm",     ".txt",   ".csv", ".tsv", ".md",  ".tar",
                                         ".zip", ".yaml", ".parquet", ".arrow", ".pkl", ".png", ".svg", ".pdf"};
    bool foreign = false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        foreign |= pf_cli_ends(out, strlen(out), others[i]);
    }
    return foreign && !pf_cli_ends(out, strlen(out), PF_CLI_ARCHIVE_ENDING);
}

static pf_status refuse_ending(pf_cli_run *run)
{
    return pf_cli_usage(run,
                        "-o writes a Perfetto trace, which '%s' does not name; write to a .pftrace, and 'postfetto "
                        "convert' makes other formats of it",
                        run->set->out);
}

pf_status pf_cli_check_ending(pf_cli_run *run)
{
    const char *out = run->set->out;
    size_t len = strlen(out);
    const pf_cli_trace_format *format = pf_cli_format_of_path(out, len);
    const pf_input *in = run->trace && pf_trace_input_count(run->trace) == 1 ? pf_trace_input(run->trace, 0) : NULL;
    bool kept = in && strcmp(in->format, "perfetto") == 0 && strcmp(in->compression, "zstd") == 0;
    if (is_foreign(out) ||
        (format && format->write != pf_convert_pftrace && !pf_cli_ends(out, len, PF_CLI_ARCHIVE_ENDING))) {
        return refuse_ending(run);
    }
    if (pf_cli_ends(out, len, ".zst") ? !kept : kept && pf_cli_ends(out, len, ".gz")) {
        return pf_cli_usage(run, "-o does not compress as the ending of '%s' says; end it in %s", out,
                            kept ? ".pftrace.zst, as the input is compressed" : ".pftrace or .pftrace.gz");
    }
    return PF_OK;
}

pf_status pf_cli_check_pass_output(pf_cli_run *run, const pf_pass_host *roles)
{
    const pf_cli_settings *set = run->set;
    const pf_role *role = &run->pass->roles[0];
    if (set->tables_format && !set->tables) {
        return pf_cli_usage(run, "--tables-format is that of --tables; add --tables DIR");
    }
    PF_TRY(pf_cli_check_answer(run));
    if (set->html && pf_outfile_is_standard(set->html) && pf_cli_answers(run) && !set->json) {
        return pf_cli_usage(run, "'--html -' and --%s both want standard output; name a file with --html",
                            set->format ? "format" : "table");
    }
    const char *paged = set->html ? find_input(run, roles, set->html) : NULL;
    PF_TRY(pf_cli_check_page(run, &paged, paged != NULL));
    const char *partial = pf_cli_partial(run), *replaced = partial ? find_input(run, roles, partial) : NULL;
    PF_TRY(pf_cli_check_output(run, &replaced, replaced != NULL, partial));
    PF_TRY(partial ? pf_cli_check_binary(run, partial, "the partial") : PF_OK);
    if (!set->out) {
        return PF_OK;
    }
    bool standard = pf_outfile_is_standard(set->out), own = pf_cli_makes_output(run);
    if (!own && role->kind != PF_ROLE_TRACE && role->kind != PF_ROLE_TRACES) {
        return pf_cli_usage(run, "-o draws into a trace, but %s reads none; leave out -o", run->pass->name);
    }
    PF_TRY(!own && is_foreign(set->out) ? refuse_ending(run) : PF_OK);
    if (standard && pf_cli_answers(run)) {
        return pf_cli_usage(run, "'-o -' and %s both want standard output; name a file with -o",
                            set->format  ? "--format"
                            : set->table ? "--table"
                                         : "--json");
    }
    make_report_folder(run);
    const char *same = find_input(run, roles, set->out);
    if (makes_folders(run) && !same) {
        return PF_OK; /* what else is wrong with it is seen when its folder is made */
    }
    PF_TRY(pf_cli_check_output(run, &same, same != NULL, set->out));
    return pf_cli_check_binary(run, set->out, "the enriched trace");
}

bool pf_cli_report_path(const pf_cli_run *run, const char *dir, const pf_report *r, char **path)
{
    const char *out = run->set->out;
    bool in_reports = r->place == PF_PLACE_REPORTS,
         beside = r->place == PF_PLACE_BESIDE || r->place == PF_PLACE_INSTEAD;
    *path = NULL;
    if (r->place == PF_PLACE_OUTPUT) {
        return !out || (*path = strdup(out)) != NULL;
    }
    if (!(in_reports && dir) && !(beside && out && !pf_outfile_is_stream(out) && r->file.len)) {
        return true;
    }
    char *folder = in_reports ? strdup(dir) : pf_cli_folder_of(out);
    if (!folder || asprintf(path, "%s/%.*s", folder, (int)r->file.len, r->file.ptr) < 0) {
        *path = NULL;
    }
    for (char *p = *path ? *path + strlen(folder) + 1 : NULL; p && *p; p++) {
        *p = *p == '/' ? '_' : *p; /* a name out of a trace must not leave the folder */
    }
    free(folder);
    return *path != NULL;
}

static bool same_place(const char *a, const char *b)
{
    struct stat sa, sb;
    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

bool pf_cli_same_target(const char *a, const char *b, bool *same)
{
    *same = false;
    if (strcmp(pf_path_name(a), pf_path_name(b)) != 0) {
        return true;
    }
    char *fa = pf_cli_folder_of(a), *fb = pf_cli_folder_of(b);
    bool named = fa && fb;
    *same = named && same_place(fa, fb);
    free(fa);
    free(fb);
    return named;
}

/* The files of all inputs, which many reports are held against. */
typedef struct input_ids {
    pf_file_id *list;
    size_t count;
} input_ids;

static pf_status list_inputs(const pf_cli_run *run, const pf_pass_host *roles, input_ids *out, pf_error *err)
{
    size_t all = 1;
    for (size_t r = 0; r < run->pass->role_count; r++) {
        all += roles->files[r].count;
    }
    *out = (input_ids){.list = calloc(all, sizeof *out->list)};
    PF_TRY(out->list ? PF_OK : pf_no_memory(err));
    for (size_t r = 0; r < run->pass->role_count; r++) {
        for (size_t i = 0; i < roles->files[r].count; i++) {
            out->list[out->count++] = pf_file_id_of(roles->files[r].files[i].path, STDIN_FILENO);
        }
    }
    return PF_OK;
}

static bool is_input(const input_ids *inputs, const char *path)
{
    const pf_file_id id = pf_file_id_of(path, STDOUT_FILENO);
    bool found = false;
    for (size_t i = 0; i < inputs->count && id.known && !found; i++) {
        const pf_file_id *in = &inputs->list[i];
        found = in->known && in->dev == id.dev && in->ino == id.ino;
    }
    return found;
}

/* Refuses a report that would replace an input or be replaced by the output of -o. */
static pf_status check_report(pf_cli_run *run, const input_ids *inputs, const pf_report *r, const char *path)
{
    const char *others[] = {run->set->out, run->set->html};
    if (is_input(inputs, path)) {
        pf_error err;
        pf_fail(&err, PF_ERR_OUTPUT,
                "is the input and would be replaced by a report of that name; choose another folder with --report");
        return pf_cli_report(run, path, &err);
    }
    for (size_t i = 0; i < 2; i++) {
        bool same = false, apart = i || r->place != PF_PLACE_OUTPUT;
        if (others[i] && apart && !pf_outfile_is_stream(others[i]) && !pf_cli_same_target(others[i], path, &same)) {
            return pf_no_memory(&run->err);
        }
        if (same) {
            return pf_cli_usage(run, "%s %s names a file that a report takes; choose another name", i ? "--html" : "-o",
                                others[i]);
        }
    }
    return PF_OK;
}

static pf_status check_reports(pf_cli_run *run, const pf_pass_host *roles, const char *dir, bool *has_output)
{
    input_ids inputs;
    pf_status st = list_inputs(run, roles, &inputs, &run->err);
    *has_output = false;
    for (size_t i = 0; st == PF_OK && i < pf_findings_report_count(run->findings); i++) {
        const pf_report *r = pf_findings_report(run->findings, i);
        char *path = NULL;
        st = pf_cli_report_path(run, dir, r, &path) ? PF_OK : pf_no_memory(&run->err);
        st = path && st == PF_OK ? check_report(run, &inputs, r, path) : st;
        *has_output |= r->place == PF_PLACE_OUTPUT || r->place == PF_PLACE_INSTEAD;
        free(path);
    }
    free(inputs.list);
    return st;
}

static void announce(void *ctx, const char *path, bool announced)
{
    if (announced) {
        pf_buffer_format(ctx, "[write] %s\n", path);
    }
}

/* A trace of the pass's own. As a Perfetto trace in place of the enriched one it gets the findings drawn in. */
static pf_status write_trace(pf_cli_run *run, const pf_report *r, const char *path, pf_write_options o, pf_error *err)
{
    const pf_cli_trace_format *format = pf_cli_format_of_path(path, strlen(path));
    o.gzip = format && format->gzip;
    if (r->place == PF_PLACE_OUTPUT && pf_cli_ends(path, strlen(path), PF_CLI_ARCHIVE_ENDING)) {
        return pf_cli_write_archive(run, r->trace, r->undrawn ? NULL : run->findings, path, &o, err);
    }
    if (r->undrawn) {
        o.gzip = pf_str_ends(pf_str_of(path), PF_STR(".gz"));
        return pf_convert_pftrace(r->trace, path, &o, err);
    }
    if (r->place == PF_PLACE_OUTPUT && (!format || format->write == pf_convert_pftrace)) {
        return pf_write_enriched(r->trace, run->findings, path, &o, err);
    }
    if (!format) {
        return pf_fail(err, PF_ERR_INTERNAL, "a trace cannot be written under that name");
    }
    return format->write(r->trace, path, &o, err);
}

/* Makes the folder of an output and refuses one that cannot be. */
static pf_status make_folder_for(const char *path, const char *input, pf_error *err)
{
    PF_TRY(pf_make_folder_of(path) == ENOMEM ? pf_no_memory(err) : PF_OK);
    return pf_cli_output_fault(&input, input != NULL, path, err);
}

pf_status pf_cli_write_drawn(void *host, const pf_trace *t, pf_findings *drawn, const char *path, pf_error *err)
{
    pf_pass_host *roles = host;
    pf_cli_run *run = roles->ctx;
    PF_TRY(make_folder_for(path, find_input(run, roles, path), err));
    pf_write_options o = pf_cli_write_options(run);
    pf_cli_signals_hold(true);
    pf_status st = pf_write_enriched(t, drawn, path, &o, err);
    pf_cli_signals_hold(false);
    pf_error_in(st == PF_OK ? NULL : err, path);
    return st;
}

/* A report with a place of its own; without one the enriched trace. */
static pf_status write_apart(pf_cli_run *run, const pf_report *r, const char *path, pf_buffer *lines)
{
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_write_options o = pf_cli_write_options(run);
    if (r && r->place == PF_PLACE_OUTPUT && makes_folders(run) && make_folder_for(path, NULL, &err) != PF_OK) {
        return pf_cli_report(run, path, &err);
    }
    pf_cli_signals_hold(!pf_outfile_is_stream(path));
    bool archive = !r && pf_cli_ends(path, strlen(path), PF_CLI_ARCHIVE_ENDING);
    pf_status st = archive                      ? pf_cli_write_archive(run, run->trace, run->findings, path, &o, &err)
                   : !r                         ? pf_write_enriched(run->trace, run->findings, path, &o, &err)
                   : r->form == PF_REPORT_TRACE ? write_trace(run, r, path, o, &err)
                                                : pf_write_report(r, path, &o, &err);
    pf_cli_signals_hold(false);
    pf_cli_progress_clear(&run->progress);
    if (st != PF_OK) {
        return pf_cli_report(run, pf_cli_out_name(path), &err);
    }
    announce(lines, path, (!r || r->announced) && !pf_outfile_is_standard(path));
    return PF_OK;
}

static pf_status write_reports(pf_cli_run *run, const char *dir, pf_buffer *lines)
{
    pf_status st = PF_OK;
    if (dir) {
        pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
        pf_write_options o = pf_cli_write_options(run);
        pf_cli_signals_hold(true);
        st = pf_write_reports(run->findings, dir, &o, announce, lines, &err);
        pf_cli_signals_hold(false);
        st = st == PF_OK ? st : pf_cli_report(run, dir, &err);
    }
    for (size_t i = 0; st == PF_OK && i < pf_findings_report_count(run->findings); i++) {
        const pf_report *r = pf_findings_report(run->findings, i);
        bool apart = r->place != PF_PLACE_REPORTS || r->form == PF_REPORT_TRACE;
        char *path = NULL;
        PF_TRY(!apart || pf_cli_report_path(run, dir, r, &path) ? PF_OK : pf_no_memory(&run->err));
        st = path ? write_apart(run, r, path, lines) : st;
        free(path);
    }
    return st;
}

/* The table of that name, or where the pass did not make it, `empty` with its columns. */
static const pf_table *table_of(const pf_findings *f, const pf_pass_table *d, pf_table *empty)
{
    const pf_table *made = pf_findings_table_named(f, d->name);
    *empty = (pf_table){.name = d->name, .columns = d->columns, .column_count = d->column_count};
    return made ? made : empty;
}

static pf_status write_tables(pf_cli_run *run, pf_buffer *lines)
{
    const pf_cli_settings *set = run->set;
    size_t count = set->tables ? run->pass->table_count : 0;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    if (count == 0) {
        return PF_OK;
    }
    pf_table *empty = calloc(count, sizeof *empty);
    const pf_table **tables = calloc(count, sizeof *tables);
    pf_status st = empty && tables ? PF_OK : pf_no_memory(&err);
    for (size_t i = 0; i < count && st == PF_OK; i++) {
        tables[i] = table_of(run->findings, &run->pass->tables[i], &empty[i]);
    }
    if (st == PF_OK) {
        bool arrow = set->tables_format && strcmp(set->tables_format, "arrow") == 0;
        pf_write_options o = pf_cli_write_options(run);
        pf_cli_signals_hold(true);
        st = pf_export_reports(tables, count, arrow ? PF_TABLES_ARROW : PF_TABLES_PARQUET, set->tables, &o, announce,
                               lines, &err);
        pf_cli_signals_hold(false);
        pf_cli_progress_clear(&run->progress);
    }
    free(empty);
    free(tables);
    return st == PF_OK ? st : pf_cli_report(run, set->tables, &err);
}

/* What findings that are drawn anew said of their input: the next attribute from row *row of the metadata on. */
static bool next_said(const pf_trace *t, size_t input, uint32_t *row, pf_str *key, pf_str *text)
{
    const pf_metadata *m = pf_trace_metadata(t);
    const pf_str start = PF_FINDINGS_ATTRIBUTE;
    for (; *row < m->count; ++*row) {
        *key = pf_trace_string(t, m->name[*row]);
        if (m->input[*row] == input && pf_str_starts(*key, start)) {
            *key = (pf_str){key->ptr + start.len, key->len - start.len};
            *text = pf_trace_string(t, m->text[(*row)++]);
            return true;
        }
    }
    return false;
}

/* What the enriched trace says about where it comes from: the recording, whatever was drawn into it meanwhile. */
static void add_attributes(pf_cli_run *run, pf_cli_hashes *hashes, const char *path)
{
    size_t inputs = hashes ? pf_trace_input_count(run->trace) : 0, said = 0;
    pf_str key, text;
    for (uint32_t row = 0; inputs == 1 && next_said(run->trace, 0, &row, &key, &text); said++) {
        pf_findings_attribute_text(run->findings, key, text);
    }
    if (said > 0) {
        return;
    }
    pf_findings_attribute_text(run->findings, PF_STR("postfetto.input"), pf_str_of(pf_path_name(path)));
    for (size_t i = 0; i < inputs; i++) {
        char of[64];
        int len = snprintf(of, sizeof of, i ? "postfetto.input_hash.%zu" : "postfetto.input_hash", i);
        pf_str hash = pf_str_of(pf_cli_hashes_at(hashes, i));
        for (uint32_t row = 0; next_said(run->trace, i, &row, &key, &text);) {
            hash = pf_str_is(key, "postfetto.input_hash") ? text : hash;
        }
        pf_findings_attribute_text(run->findings, (pf_str){of, (size_t)len}, hash);
    }
}

/* The texts that the pass wants on standard output; all: also those that say that everything was written. */
static void put_texts(const pf_cli_run *run, bool all, pf_buffer *b)
{
    for (size_t i = 0; i < pf_findings_report_count(run->findings); i++) {
        const pf_report *r = pf_findings_report(run->findings, i);
        char *text;
        size_t len;
        if (r->place != PF_PLACE_STDOUT || (r->announced && !all)) {
            continue;
        }
        b->failed |= pf_format_report(r, &text, &len, NULL) != PF_OK; /* a text needs nothing but memory */
        pf_buffer_put(b, text, len);
        free(text);
    }
}

/* Sends texts and [write] lines where they belong, and frees them. */
static pf_status send_lines(pf_cli_run *run, pf_buffer *b)
{
    const char *out = run->set->out, *html = run->set->html;
    if (((out && pf_outfile_is_standard(out)) || (html && pf_outfile_is_standard(html))) && !b->failed) {
        fwrite(b->data ? b->data : "", 1, b->len, stderr);
    } else if (!pf_cli_answers(run) && (b->len || b->failed)) {
        return pf_cli_put_buffer(run, NULL, b);
    }
    pf_buffer_free(b);
    return PF_OK;
}

static pf_status put_lines(pf_cli_run *run, bool all, const pf_buffer *lines)
{
    pf_buffer b = {.failed = lines->failed};
    put_texts(run, all, &b);
    pf_buffer_put(&b, lines->data, lines->len);
    return send_lines(run, &b);
}

static pf_status write_whole(pf_cli_run *run, const pf_pass_host *roles, pf_cli_hashes *hashes, pf_cli_aligned *aligned,
                             pf_buffer *lines)
{
    if (!aligned) {
        return write_apart(run, NULL, run->set->out, lines);
    }
    if (!aligned->trace) {
        return PF_OK;
    }
    pf_cli_swap_aligned(run, aligned);
    add_attributes(run, hashes, pf_pass_host_main(roles));
    pf_status st = write_apart(run, NULL, run->set->out, lines);
    pf_cli_swap_aligned(run, aligned);
    return st;
}

pf_status pf_cli_write_pass_outputs(pf_cli_run *run, const pf_pass_host *roles, pf_cli_hashes *hashes, const char *dir,
                                    pf_cli_aligned *aligned)
{
    const char *out = run->set->out;
    pf_buffer lines = {0};
    bool has_output;
    run->at = NULL;
    pf_cli_report_pictures(run);
    PF_TRY(check_reports(run, roles, dir, &has_output));
    PF_TRY(out && !has_output ? pf_cli_check_ending(run) : PF_OK);
    if (out) {
        add_attributes(run, hashes, pf_pass_host_main(roles));
    }
    pf_status st = write_reports(run, dir, &lines);
    st = st == PF_OK ? write_tables(run, &lines) : st;
    st = st == PF_OK ? pf_cli_write_partial(run, &lines) : st;
    st = st == PF_OK && out && !has_output ? write_whole(run, roles, hashes, aligned, &lines) : st;
    pf_status put = put_lines(run, st == PF_OK, &lines);
    pf_buffer_free(&lines);
    return st == PF_OK ? put : st;
}

/* Of all files of all roles that are there. */
pf_status pf_cli_write_pass_page(pf_cli_run *run, const pf_pass_host *roles, const char *dir)
{
    size_t count = 0;
    pf_buffer lines = {0};
    pf_cli_page_file *files = NULL;
    for (size_t r = 0; r < run->pass->role_count; r++) {
        count += roles->files[r].count;
    }
    files = calloc(count + 1, sizeof *files);
    PF_TRY(files ? PF_OK : pf_no_memory(&run->err));
    count = 0;
    for (size_t r = 0; r < run->pass->role_count; r++) {
        for (size_t i = 0; i < roles->files[r].count; i++) {
            const pf_pass_file *file = &roles->files[r].files[i];
            if (strcmp(file->path, "-") != 0 && access(file->path, F_OK) < 0) {
                continue;
            }
            files[count++] = (pf_cli_page_file){run->pass->role_count > 1 ? run->pass->roles[r].name : "File",
                                                file->path, file->trace};
        }
    }
    pf_status st = pf_cli_write_page(run, files, count, dir);
    free(files);
    announce(&lines, run->set->html, st == PF_OK && !pf_outfile_is_standard(run->set->html));
    pf_status put = send_lines(run, &lines);
    return st == PF_OK ? put : st;
}
