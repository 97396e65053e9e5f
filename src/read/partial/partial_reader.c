/* read/partial/partial_reader.c - what `analyze PASS --partial` wrote: tables as Arrow files in a TAR, after a manifest
 * that says of each column of texts how many different ones there are (docs/reference/partial.md).
 *
 * Only files of our own writer are read; tables/partial_view.h finds the cells. They become rows, or, where very many
 * partials are merged, stay where they are. */
#include <string.h>

#include "base/list.h"
#include "base/str.h"
#include "postfetto/document.h"
#include "read/support/reader.h"
#include "tables/partial_file.h"
#include "tables/partial_view.h"

#define BLOCK 512u

enum { NAME_ROOM = 64 }; /* of tables and columns */

typedef struct partial {
    pf_trace *t;
    pf_bytes file;
    size_t at;   /* of the member at hand, in the file */
    size_t end;  /* of its data */
    size_t next; /* of the member after it */
    pf_error *err;
    uint32_t want;
} partial;

static pf_status broken(const partial *p, const char *what)
{
    return pf_fail_at(p->err, PF_ERR_INPUT, p->at, PF_PARTIAL_DAMAGED, what);
}

static bool read_octal(const uint8_t *text, size_t len, uint64_t *out)
{
    size_t i = 0;
    for (*out = 0; i < len && text[i] >= '0' && text[i] <= '7'; i++) {
        *out = *out * 8 + (uint64_t)(text[i] - '0');
    }
    return i > 0 && i < len;
}

/* Goes to the data of the next member, which has that name. */
static pf_status next_member(partial *p, pf_str name, const char *ending)
{
    enum { NAME_BYTES = 100, SIZE_AT = 124, SIZE_BYTES = 12 };
    const uint8_t *header = p->file.ptr + p->next;
    size_t more = strlen(ending);
    uint64_t size;
    p->at = p->next;
    bool there = p->file.len - p->next >= BLOCK && name.len + more < NAME_BYTES &&
                 memcmp(header, name.ptr, name.len) == 0 && memcmp(header + name.len, ending, more + 1) == 0;
    if (!there || !read_octal(header + SIZE_AT, SIZE_BYTES, &size) || size > p->file.len - p->next - BLOCK) {
        return broken(p, "a table that its manifest names is not whole");
    }
    p->at += BLOCK;
    p->end = p->at + (size_t)size;
    size_t padding = (BLOCK - size % BLOCK) % BLOCK;
    p->next = padding > p->file.len - p->end ? p->file.len : p->end + padding;
    return PF_OK;
}

static int64_t int_of(const pf_node *object, const char *key)
{
    const pf_node *n = object && object->type == PF_NODE_OBJECT ? pf_node_get(object, key) : NULL;
    return n && n->type == PF_NODE_INT ? n->as.i : -1;
}

static pf_str text_of(const pf_node *object, const char *key)
{
    const pf_node *n = object && object->type == PF_NODE_OBJECT ? pf_node_get(object, key) : NULL;
    return n && n->type == PF_NODE_TEXT ? n->as.s : PF_STR("");
}

/* The texts of a dictionary as strings of the trace. */
static pf_status add_strings(partial *p, const pf_partial_column *c, uint32_t *ids)
{
    for (uint32_t i = 0; i < c->strings; i++) {
        PF_TRY(pf_trace_add_string(p->t, pf_partial_string(c, i), &ids[i], p->err));
    }
    return PF_OK;
}

/* The cells of a column in the rows of the table from `first` on. */
static pf_status add_cells(partial *p, const pf_partial_view *v, pf_side_table *s, unsigned column, uint32_t first)
{
    const pf_partial_column *c = &v->column[column];
    pf_column_type type = s->spec->columns[column].type;
    uint32_t *ids = NULL;
    pf_status st = PF_OK;
    if (type == PF_COLUMN_TEXT) {
        PF_TRY(PF_LIST_NEW(&p->t->budget, ids, c->strings, p->err));
        st = add_strings(p, c, ids);
    }
    for (uint32_t i = 0; i < v->rows && st == PF_OK; i++) {
        if (type == PF_COLUMN_TEXT) {
            uint32_t at = pf_partial_text_at(c, i);
            *pf_side_ref(s, column, first + i) = at == PF_NONE ? 0 : ids[at];
        } else if (type == PF_COLUMN_INT) {
            *pf_side_number(s, column, first + i) = pf_partial_int(c, i);
        } else {
            *pf_side_real(s, column, first + i) = pf_partial_real(c, i);
        }
    }
    PF_LIST_FREE(&p->t->budget, ids, ids ? c->strings : 0);
    return st;
}

static pf_status add_rows(partial *p, const pf_partial_view *v, pf_side_table *s)
{
    uint32_t first;
    PF_TRY(pf_side_add_rows(s, v->rows, &first, p->err));
    for (unsigned i = 0; i < s->spec->column_count; i++) {
        PF_TRY(add_cells(p, v, s, i, first));
    }
    return PF_OK;
}

/* The text that all rows have in their first column, {NULL, 0} where there are several or none. */
static pf_str first_text(const pf_partial_view *v)
{
    const pf_partial_column *c = &v->column[0];
    bool one = v->spec->columns[0].type == PF_COLUMN_TEXT && c->strings == 1;
    for (uint32_t row = 0; row < v->rows && one; row++) {
        one = pf_partial_has(c, row);
    }
    return one ? pf_partial_string(c, 0) : (pf_str){NULL, 0};
}

static pf_status add_member(partial *p, const pf_partial_view *v, pf_str name, const uint32_t *texts, pf_bytes bytes)
{
    static const pf_side_column columns[PF_MEMBER_COLUMNS] = {
        [PF_MEMBER_NAME] = {.name = "name", .type = PF_COLUMN_TEXT},
        [PF_MEMBER_ROWS] = {.name = "rows", .type = PF_COLUMN_INT},
        [PF_MEMBER_INPUT] = {.name = "input", .type = PF_COLUMN_TEXT},
        [PF_MEMBER_TEXTS] = {.name = "texts", .type = PF_COLUMN_BLOB},
        [PF_MEMBER_BYTES] = {.name = "bytes", .type = PF_COLUMN_BLOB}};
    static const pf_side_spec spec = {PF_PARTIAL_MEMBERS, "tables of partials, as bytes", columns, PF_MEMBER_COLUMNS};
    const pf_bytes counts = {(const uint8_t *)texts, v->spec->column_count * sizeof *texts};
    pf_side_table *s;
    PF_TRY(pf_trace_add_table(p->t, &spec, &s, p->err));
    PF_TRY(pf_side_add_row(s, p->err));
    uint32_t row = s->count - 1;
    PF_TRY(pf_trace_add_string(p->t, name, pf_side_ref(s, PF_MEMBER_NAME, row), p->err));
    PF_TRY(pf_trace_add_string(p->t, first_text(v), pf_side_ref(s, PF_MEMBER_INPUT, row), p->err));
    *pf_side_number(s, PF_MEMBER_ROWS, row) = v->rows;
    *pf_side_blob(s, PF_MEMBER_BYTES, row) = bytes;
    return pf_trace_keep_bytes(p->t, counts, pf_side_blob(s, PF_MEMBER_TEXTS, row), p->err);
}

static pf_status read_body(partial *p, pf_side_table *s, pf_str name, uint32_t rows, const uint32_t *texts)
{
    const pf_bytes member = {p->file.ptr + p->at, p->end - p->at};
    pf_partial_view v;
    PF_TRY(pf_partial_view_open(&v, s->spec, rows, texts, member, p->at, p->err));
    PF_TRY(pf_partial_view_check(&v, p->at, p->err));
    return p->want & PF_WANT_MEMBERS ? add_member(p, &v, name, texts, member) : add_rows(p, &v, s);
}

static bool read_column(const pf_node *c, pf_side_column *out, char *name, size_t room)
{
    static const char *const types[] = {[PF_COLUMN_INT] = "int", [PF_COLUMN_REAL] = "real", [PF_COLUMN_TEXT] = "text"};
    pf_str word = text_of(c, "type"), called = text_of(c, "name");
    for (unsigned i = 0; i < sizeof types / sizeof *types && called.len < room; i++) {
        if (pf_str_is(word, types[i])) {
            memcpy(name, called.ptr, called.len);
            *out = (pf_side_column){.name = name, .type = (pf_column_type)i};
            return true;
        }
    }
    return false;
}

/* The columns of a table, and how many texts the dictionary of each has. */
static bool read_columns(const pf_node *list, pf_side_column *columns, char names[][NAME_ROOM], uint32_t *texts)
{
    size_t n = 0;
    for (const pf_node *c = list->first; c; c = c->next, n++) {
        int64_t count = int_of(c, "strings");
        if (!read_column(c, &columns[n], names[n], NAME_ROOM - 1) ||
            (columns[n].type == PF_COLUMN_TEXT && (count < 0 || count >= UINT32_MAX))) {
            return false;
        }
        texts[n] = (uint32_t)count;
    }
    return true;
}

static bool is_wanted(const partial *p, pf_str table)
{
    bool records = pf_str_ends(table, PF_STR(PF_PARTIAL_RECORDS));
    return p->want & PF_WANT_MEMBERS || ((records ? p->want & PF_WANT_RECORDS : p->want != PF_WANT_RECORDS) &&
                                         (p->want != 0 || pf_str_ends(table, PF_STR(PF_PARTIAL_INPUTS))));
}

static pf_status read_table(partial *p, const pf_node *table)
{
    char name[NAME_ROOM] = PF_PARTIAL_PREFIX, names[PF_PARTIAL_COLUMNS][NAME_ROOM] = {{0}};
    pf_side_column columns[PF_PARTIAL_COLUMNS];
    uint32_t texts[PF_PARTIAL_COLUMNS];
    const pf_node *list = table->type == PF_NODE_OBJECT ? pf_node_get(table, "columns") : NULL;
    pf_str called = text_of(table, "name");
    int64_t rows = int_of(table, "rows");
    size_t prefix = strlen(name);
    if (!list || list->type != PF_NODE_LIST || list->children == 0 || list->children > PF_PARTIAL_COLUMNS || rows < 1 ||
        rows >= UINT32_MAX || called.len == 0 || called.len >= NAME_ROOM - prefix ||
        !read_columns(list, columns, names, texts)) {
        return broken(p, "its manifest is not one of postfetto's");
    }
    memcpy(name + prefix, called.ptr, called.len);
    const pf_side_spec spec = {.name = name, .help = "of partials", .columns = columns, .column_count = list->children};
    pf_side_table *s;
    PF_TRY(next_member(p, called, PF_PARTIAL_TABLE));
    if (!is_wanted(p, called)) {
        return PF_OK;
    }
    PF_TRY(pf_trace_add_table(p->t, &spec, &s, p->err) == PF_OK ? PF_OK : broken(p, "a table is not what others have"));
    return read_body(p, s, called, (uint32_t)rows, texts);
}

static pf_status put_row(partial *p, const char *table, const char *const *names, const pf_str *cells)
{
    enum { CELLS = 3 };
    pf_side_column columns[CELLS];
    pf_side_table *s;
    for (size_t i = 0; i < CELLS; i++) {
        columns[i] = (pf_side_column){.name = names[i], .type = PF_COLUMN_TEXT};
    }
    const pf_side_spec spec = {.name = table, .help = "of manifests of partials", columns, CELLS};
    PF_TRY(pf_trace_add_table(p->t, &spec, &s, p->err));
    PF_TRY(pf_side_add_row(s, p->err));
    for (unsigned i = 0; i < CELLS; i++) {
        uint32_t id;
        PF_TRY(pf_trace_add_string(p->t, cells[i], &id, p->err));
        *pf_side_ref(s, i, s->count - 1) = id;
    }
    return PF_OK;
}

static pf_status read_manifest(partial *p, pf_str file, const pf_node *root)
{
    static const char *const of_partial[] = {"file", "version", "pass"};
    static const char *const of_option[] = {"file", "name", "value"};
    int64_t version = int_of(root, "postfetto_partial");
    const pf_node *options = root->type == PF_NODE_OBJECT ? pf_node_get(root, "options") : NULL,
                  *tables = root->type == PF_NODE_OBJECT ? pf_node_get(root, "tables") : NULL;
    if (version != PF_PARTIAL_VERSION && version >= 0) {
        return pf_fail(p->err, PF_ERR_INPUT, "is a partial of version %lld; this postfetto reads version %d",
                       (long long)version, PF_PARTIAL_VERSION);
    }
    if (version < 0 || !options || options->type != PF_NODE_OBJECT || !tables || tables->type != PF_NODE_LIST) {
        return broken(p, "its manifest is not one of postfetto's");
    }
    const pf_str row[] = {file, text_of(root, "version"), text_of(root, "pass")};
    PF_TRY(put_row(p, PF_PARTIALS, of_partial, row));
    for (const pf_node *o = options->first; o; o = o->next) {
        const pf_str option[] = {file, o->key, o->type == PF_NODE_TEXT ? o->as.s : PF_STR("")};
        PF_TRY(put_row(p, PF_PARTIAL_OPTIONS, of_option, option));
    }
    for (const pf_node *t = tables->first; t; t = t->next) {
        PF_TRY(read_table(p, t));
    }
    return PF_OK;
}

static pf_status read_partial(pf_reading *r, pf_error *err)
{
    partial p = {.t = pf_reading_trace(r), .want = pf_reading_options(r)->want, .err = err};
    pf_document *manifest;
    pf_reading_set_dialect(r, "partial");
    PF_TRY(pf_reading_whole(r, &p.file, err));
    PF_TRY(next_member(&p, PF_STR(PF_PARTIAL_MANIFEST), ""));
    PF_TRY(pf_json_parse((pf_str){(const char *)p.file.ptr + p.at, p.end - p.at}, NULL, &manifest, err));
    pf_status st = read_manifest(&p, pf_str_of(pf_reading_input(r)->path), pf_document_root(manifest));
    pf_document_free(manifest);
    return st;
}

static pf_probe probe(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    static const char first[] = PF_PARTIAL_MANIFEST;
    (void)path;
    return !is_directory && size >= BLOCK && memcmp(head, first, sizeof first) == 0 ? PF_PROBE_SURE : PF_PROBE_NO;
}

const pf_reader pf_reader_partial = {.name = "partial",
                                     .summary = "what 'postfetto analyze PASS --partial' writes, for merge-reports",
                                     .probe = probe,
                                     .read = read_partial};
