/* analyze/aiu/cores/aiu_compiler_log.c - tables of ideal cycles in what the compiler printed.
 *
 * A table begins at a line with " Ideal/Total Cycles " and ends with the summary. A row is a name, blanks, a number.
 * The name is the kernel's, then -opCat and the category of its operation, or -NA. Which phase of a language model a
 * table is about stands in a line of one word before it.
 *
 * A compiler also leaves them in a folder: a document for each kernel,
 * DIR/inductor-spyre/KERNEL/perf/ideal_cycles.json, or logs, DIR/NAME.log. They come in order of their names, in which
 * numbers are numbers: rank-2.log, rank-10.log. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/aiu/cores/aiu_tables.h"
#include "base/files/operands.h"
#include "base/ordering.h"
#include "base/str.h"
#include "base/text/number.h"

static bool is_name_byte(char c)
{
    return pf_is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
}

/* Name, blanks, number, blanks. */
static bool split_row(pf_str line, pf_str *name, double *cycles)
{
    size_t i = 0, from;
    while (i < line.len && is_name_byte(line.ptr[i])) {
        i++;
    }
    *name = (pf_str){line.ptr, i};
    while (i < line.len && line.ptr[i] == ' ') {
        i++;
    }
    from = i;
    while (i < line.len && pf_is_digit(line.ptr[i])) {
        i++;
    }
    size_t digits = i - from;
    while (i < line.len && (line.ptr[i] == ' ' || line.ptr[i] == '\r')) {
        i++;
    }
    return name->len && digits && i == line.len && pf_parse_real(line.ptr + from, digits, cycles);
}

static aiu_table *add_table(aiu_run *run, aiu_tables *t, const char *phase, uint32_t log)
{
    if (AIU_ROOM(run, t->table, t->count + 1, t->room) != PF_OK) {
        return NULL;
    }
    aiu_table *table = &t->table[t->count++];
    *table = (aiu_table){.phase = phase, .said = phase, .log = log};
    table->by_name = pf_aiu_kept_map(run);
    return table;
}

/* A name that came before: the first row counts, for acelyzer the first cycles that are not 0. */
static void meet_again(aiu_run *run, aiu_ideal *row, uint32_t category, double cycles)
{
    pf_str name = pf_aiu_text_of(run, row->name);
    if (row->cycles > 0 && row->cycles != cycles) {
        pf_aiu_log(run, "WARNING", "UTL: cycles of %.*s differ: %s %s", PF_TEXT_ARG(name), pf_aiu_num(run, cycles),
                   pf_aiu_num(run, row->cycles));
    }
    row->cycles = row->cycles > 0 ? row->cycles : cycles;
    if (row->category != category) {
        pf_aiu_log(run, "WARNING", "UTL: categories of %.*s differ: %.*s %.*s", PF_TEXT_ARG(name),
                   PF_TEXT_ARG(pf_aiu_text_of(run, category)), PF_TEXT_ARG(pf_aiu_text_of(run, row->category)));
    }
}

/* For acelyzer every row counts, for us one that is new. The first ones are what a table is recognised by. */
static void add_row(aiu_run *run, aiu_table *t, uint32_t name, uint32_t category, double cycles)
{
    enum { LISTED_NAMES = 500 };
    uint32_t known = pf_map_get(t->by_name, name);
    bool every = pf_aiu_rule(run, AIU_TABLES_END), counts = known == PF_NONE || every;
    t->lines += counts;
    t->sum += !counts ? 0 : every ? cycles * (1 / run->set.core) : cycles / run->set.core;
    if (counts && t->listed_count < LISTED_NAMES &&
        AIU_ROOM(run, t->listed, t->listed_count + 1, t->listed_room) == PF_OK) {
        t->listed[t->listed_count++] = name;
    }
    if (known != PF_NONE && every) {
        meet_again(run, &t->row[known], category, cycles);
    } else if (known == PF_NONE && AIU_ROOM(run, t->row, t->count + 1, t->room) == PF_OK) {
        pf_aiu_map(run, t->by_name, name, t->count);
        t->row[t->count++] = (aiu_ideal){name, category, cycles};
    }
}

const aiu_ideal *pf_aiu_find_ideal(const aiu_table *t, uint32_t name)
{
    uint32_t row = pf_map_get(t->by_name, name);
    return row == PF_NONE ? NULL : &t->row[row];
}

/* A row "NAME" of a table: the name of a kernel's events. */
static uint32_t event_name(aiu_run *run, pf_str kernel)
{
    return pf_aiu_text(run, pf_findings_format(run->findings, "%.*s Cmpt Exec", PF_TEXT_ARG(kernel)));
}

static void take_row(aiu_run *run, aiu_tables *t, aiu_table *table, pf_str name, double cycles)
{
    size_t mark = pf_str_find(name, PF_STR("-opCat"));
    uint32_t category = t->total;
    bool total = pf_str_is(name, "Total") && !pf_aiu_rule(run, AIU_TABLES_END);
    if (mark != SIZE_MAX) {
        category = pf_aiu_text(run, pf_str_from(name, mark + 6));
        name.len = mark;
    } else if (pf_str_ends(name, PF_STR("-NA"))) {
        category = pf_aiu_text(run, PF_STR("NotAvailable"));
        name.len -= 3;
    }
    add_row(run, table, total ? t->total : event_name(run, name), category, cycles);
}

typedef struct log_state {
    aiu_run *run;
    aiu_tables *tables;
    aiu_table *table; /* that lines are rows of, or NULL */
    const char *phase;
    uint32_t log;
} log_state;

/* The end of a table. Acelyzer keeps no table without one; of two that have the same names and
 * cycles in all it keeps the later one, in the place of the first. */
static void end_table(log_state *s)
{
    aiu_tables *t = s->tables;
    aiu_table *own = s->table, *other = t->table;
    s->table = NULL;
    if (!own || !pf_aiu_rule(s->run, AIU_TABLES_END)) {
        return;
    }
    own->ended = true;
    while (other < own && !(other->log == s->log && other->ended && pf_aiu_is_same_table(other, own))) {
        other++;
    }
    if (other == own) {
        t->log[s->log].unique++;
    } else {
        pf_aiu_log(s->run, "WARNING", "UTL: a table of ideal cycles occurs twice; the later one counts");
        own->said = other->said;
        *other = *own;
        t->count--;
    }
}

/* Whether a line is one word with blanks before and after it. */
static bool is_only(pf_str line, const char *word)
{
    return line.len > 1 && pf_is_blank(line.ptr[0]) && pf_is_blank(line.ptr[line.len - 1]) &&
           pf_str_is(pf_str_trim(line), word);
}

static void take_line(log_state *s, pf_str line)
{
    pf_str name;
    double cycles;
    bool prefill = is_only(line, "PREFILL");
    if (pf_aiu_contains(line, "DSM-AutoPilot BEGIN")) {
        s->tables->log[s->log].autopilot = true;
    } else if (prefill || is_only(line, "DECODING")) {
        s->phase = prefill ? "TTFT" : "ITL";
    } else if (pf_aiu_contains(line, "Ideal Clock Scaling:")) {
        pf_aiu_log(s->run, "WARNING", "UTL: the log's 'Ideal Clock Scaling' is obsolete; --freq says the clocks");
    } else if (pf_aiu_contains(line, " Ideal/Total Cycles ")) {
        s->tables->log[s->log].begun++;
        s->table = add_table(s->run, s->tables, s->phase, s->log);
    } else if (pf_aiu_contains(line, "====== Perf Summary End ======")) {
        end_table(s);
    } else if (s->table && !pf_aiu_contains(line, "Precompute") && !pf_aiu_contains(line, "-LxPreload") &&
               split_row(line, &name, &cycles)) {
        take_row(s->run, s->tables, s->table, name, cycles);
    }
}

pf_status pf_aiu_add_log(aiu_run *run, aiu_tables *t, const char *path)
{
    PF_TRY(AIU_ROOM(run, t->log, t->logs + 1, t->log_room));
    t->log[t->logs++] = (aiu_log_file){.path = pf_str_of(path)};
    return PF_OK;
}

pf_status pf_aiu_read_log(aiu_run *run, aiu_tables *t, const char *path, pf_str text)
{
    PF_TRY(pf_aiu_add_log(run, t, path));
    log_state s = {.run = run, .tables = t, .phase = "UNKN", .log = t->logs - 1};
    for (size_t at = 0; at < text.len && !pf_aiu_failed(run);) {
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        size_t len = end ? (size_t)(end - text.ptr) - at : text.len - at;
        take_line(&s, (pf_str){text.ptr + at, len});
        at += len + 1;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        t->table[i].autopilot |= t->table[i].log == s.log && t->log[s.log].autopilot;
    }
    return run->error.code;
}

/* "KERNEL" of ".../KERNEL/perf/ideal_cycles.json". */
static pf_str kernel_of_path(pf_str path)
{
    pf_str name = path;
    for (unsigned up = 0; up < 3; up++) {
        size_t from = path.len;
        while (from && path.ptr[from - 1] != '/') {
            from--;
        }
        name = pf_str_from(path, from);
        path.len = from - (from > 0);
    }
    return name;
}

pf_status pf_aiu_read_ideal_cycles(aiu_run *run, aiu_tables *t, pf_str path, pf_str text)
{
    pf_document *d;
    PF_TRY(pf_json_parse(text, NULL, &d, &run->error));
    aiu_table *table = t->count ? &t->table[0] : add_table(run, t, "UNKN", 0);
    const pf_node *root = pf_document_root(d);
    double cycles = 0;
    pf_str category = PF_STR("NotAvailable");
    for (const pf_node *n = root->type == PF_NODE_LIST ? root->first : NULL; n; n = n->next) {
        const pf_node *said = n->type == PF_NODE_OBJECT ? pf_node_get(n, "op_category") : NULL;
        const pf_node *own = n->type == PF_NODE_OBJECT ? pf_node_get(n, "ideal_cycles") : NULL;
        cycles += !own ? 0 : own->type == PF_NODE_INT ? (double)own->as.i : own->type == PF_NODE_REAL ? own->as.d : 0;
        category = said && said->type == PF_NODE_TEXT ? said->as.s : category;
    }
    if (table) {
        table->ended = true;
        add_row(run, table, event_name(run, kernel_of_path(path)), pf_aiu_text(run, category), cycles);
    }
    pf_document_free(d);
    return run->error.code;
}

bool pf_aiu_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* rank-2.log comes before rank-10.log. */
PF_ORDER(compare_numbers, pf_entry, strverscmp(x->name, y->name));

/* Reads a file as a document of a kernel or as a log. */
static void read_file(aiu_run *run, aiu_tables *t, pf_str path, bool document)
{
    char *bytes;
    size_t len;
    if (pf_read_bytes(path.ptr, &run->budget->limits, &bytes, &len, &run->error) == PF_OK) {
        pf_str text = {bytes, len};
        document ? pf_aiu_read_ideal_cycles(run, t, path, text) : pf_aiu_read_log(run, t, path.ptr, text);
        free(bytes);
    }
    if (pf_aiu_failed(run)) {
        pf_error_in(&run->error, path.ptr);
    }
}

/* A kernel that was not measured has no document. */
static void read_kernels(aiu_run *run, aiu_tables *t, const char *folder, const pf_operands *o)
{
    struct stat st;
    pf_aiu_add_log(run, t, folder);
    for (size_t i = 0; i < o->count && !pf_aiu_failed(run); i++) {
        pf_str path =
            pf_findings_format(run->findings, "%s/inductor-spyre/%s/perf/ideal_cycles.json", folder, o->list[i].name);
        if (path.ptr && stat(path.ptr, &st) == 0) {
            read_file(run, t, path, true);
        }
    }
}

static void read_logs(aiu_run *run, aiu_tables *t, const char *folder, const pf_operands *o)
{
    uint32_t before = t->logs;
    for (size_t i = 0; i < o->count && !pf_aiu_failed(run); i++) {
        pf_str path = pf_findings_format(run->findings, "%s/%s", folder, o->list[i].name);
        if (path.ptr && pf_str_ends(path, PF_STR(".log")) && !o->list[i].is_directory) {
            read_file(run, t, path, false);
        }
    }
    if (t->logs == before) {
        pf_aiu_log(run, "WARNING",
                   "UTL: %s holds neither logs (*.log) nor what a compiler wrote (inductor-spyre/); there is "
                   "no utilisation",
                   folder);
    }
}

/* Acelyzer knows no folders of logs. */
void pf_aiu_say_no_folder(aiu_run *run)
{
    bool always = pf_aiu_rule(run, AIU_LOGS_ARE_FILES);
    pf_aiu_log(run, always ? "RAW" : "WARNING", "%sInvalid directory path provided. No utilization will be plotted.",
               always ? "WARNING " : "");
}

void pf_aiu_read_log_folder(aiu_run *run, aiu_tables *t, const char *path)
{
    pf_str inner = pf_findings_format(run->findings, "%s/inductor-spyre", path);
    bool compiled = inner.ptr && pf_aiu_is_folder(inner.ptr) && access(inner.ptr, R_OK) == 0;
    pf_operands o;
    if (!compiled && (pf_aiu_rule(run, AIU_LOGS_ARE_FILES) || access(path, R_OK) != 0)) {
        pf_aiu_add_log(run, t, path);
        pf_aiu_say_no_folder(run);
    } else if (pf_folder_list(&o, compiled ? inner.ptr : path, run->ctx->arena, &run->error) == PF_OK) {
        if (!compiled && o.count) {
            qsort(o.list, o.count, sizeof *o.list, compare_numbers);
        }
        (compiled ? read_kernels : read_logs)(run, t, path, &o);
    }
}
