/* read/partial/partial_reader.c - what `analyze PASS --partial` wrote: tables as a stream of Arrow in a TAR, after a
 * manifest that says what there is (docs/reference/partial.md).
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
enum { FEW = 1 << 15 };  /* bytes of a partial that are copied */

typedef struct partial {
    pf_trace *t;
    pf_bytes file;
    size_t at;   /* of the member at hand, in the file */
    size_t end;  /* of its data */
    size_t next; /* of the member after it */
    pf_error *err;
    uint32_t want;
    pf_partial_place place;
    pf_partial_texts texts;
    pf_bytes dictionary; /* its bytes */
    size_t left;         /* bytes that may still be copied */
    uint32_t *ids;       /* strings of the trace, by text; 0: not asked for yet */
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
static pf_status next_member(partial *p, pf_str name)
{
    enum { NAME_BYTES = 100, SIZE_AT = 124, SIZE_BYTES = 12 };
    const uint8_t *header = p->file.ptr + p->next;
    uint64_t size;
    p->at = p->next;
    bool there = p->file.len - p->next >= BLOCK && name.len < NAME_BYTES && memcmp(header, name.ptr, name.len + 1) == 0;
    if (!there || !read_octal(header + SIZE_AT, SIZE_BYTES, &size) || size > p->file.len - p->next - BLOCK) {
        return broken(p, "a part of it is not whole");
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

/* A text of the dictionary as a string of the trace. */
static pf_status take_text(const partial *p, uint32_t at, uint32_t *out)
{
    if (at == PF_NONE) {
        *out = 0;
        return PF_OK;
    }
    if (!p->ids[at]) {
        PF_TRY(pf_trace_add_string(p->t, pf_partial_string(&p->texts, at), &p->ids[at], p->err));
    }
    *out = p->ids[at];
    return PF_OK;
}

/* The cells of a column in the rows of the table from `first` on. */
static pf_status add_cells(partial *p, const pf_partial_view *v, pf_side_table *s, unsigned column, uint32_t first)
{
    const pf_partial_column *c = &v->column[column];
    pf_column_type type = s->spec->columns[column].type;
    for (uint32_t i = 0; i < v->rows; i++) {
        if (type == PF_COLUMN_TEXT) {
            PF_TRY(take_text(p, pf_partial_text_at(c, i), pf_side_ref(s, column, first + i)));
        } else if (type == PF_COLUMN_INT) {
            *pf_side_number(s, column, first + i) = pf_partial_int(c, i);
        } else {
            *pf_side_real(s, column, first + i) = pf_partial_real(c, i);
        }
    }
    return PF_OK;
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
    bool one = v->spec->columns[0].type == PF_COLUMN_TEXT;
    uint32_t text = one ? pf_partial_text_at(c, 0) : PF_NONE;
    for (uint32_t row = 1; row < v->rows && one; row++) {
        one = pf_partial_text_at(c, row) == text;
    }
    return one ? pf_partial_string(&v->texts, text) : (pf_str){NULL, 0};
}

/* Tables with few bytes, and the dictionary, are copied: a merge comes back to them some thirty times, for each of
 * which their pages would have to be mapped again where partials are many. */
static pf_status keep_few(partial *p, pf_bytes *bytes)
{
    if (bytes->len > p->left) {
        return PF_OK;
    }
    p->left -= bytes->len;
    return pf_trace_keep_bytes(p->t, *bytes, bytes, p->err);
}

static pf_status add_member(partial *p, const pf_partial_view *v, pf_str name, pf_bytes bytes)
{
    static const pf_side_column columns[PF_MEMBER_COLUMNS] = {
        [PF_MEMBER_NAME] = {.name = "name", .type = PF_COLUMN_TEXT},
        [PF_MEMBER_ROWS] = {.name = "rows", .type = PF_COLUMN_INT},
        [PF_MEMBER_INPUT] = {.name = "input", .type = PF_COLUMN_TEXT},
        [PF_MEMBER_STRINGS] = {.name = "strings", .type = PF_COLUMN_INT},
        [PF_MEMBER_TEXTS] = {.name = "texts", .type = PF_COLUMN_BLOB},
        [PF_MEMBER_BYTES] = {.name = "bytes", .type = PF_COLUMN_BLOB}};
    static const pf_side_spec spec = {PF_PARTIAL_MEMBERS, "tables of partials, as bytes", columns, PF_MEMBER_COLUMNS};
    pf_side_table *s;
    PF_TRY(keep_few(p, &bytes));
    PF_TRY(pf_trace_add_table(p->t, &spec, &s, p->err));
    PF_TRY(pf_side_add_row(s, p->err));
    uint32_t row = s->count - 1;
    PF_TRY(pf_trace_add_string(p->t, name, pf_side_ref(s, PF_MEMBER_NAME, row), p->err));
    PF_TRY(pf_trace_add_string(p->t, first_text(v), pf_side_ref(s, PF_MEMBER_INPUT, row), p->err));
    *pf_side_number(s, PF_MEMBER_ROWS, row) = v->rows;
    *pf_side_number(s, PF_MEMBER_STRINGS, row) = v->texts.count;
    *pf_side_blob(s, PF_MEMBER_TEXTS, row) = p->dictionary;
    *pf_side_blob(s, PF_MEMBER_BYTES, row) = bytes;
    return PF_OK;
}

/* Goes over the table, whether it is wanted or not. */
static pf_status read_body(partial *p, pf_side_table *s, const pf_side_spec *spec, pf_str name, uint32_t rows)
{
    enum { LIST_BYTES = 8 }; /* where its rows begin and end */
    pf_partial_view v = {.texts = p->texts};
    pf_partial_place *at = &p->place;
    if (at->bytes.len - at->at < LIST_BYTES) {
        return broken(p, "a table is not there");
    }
    at->at += LIST_BYTES;
    const uint8_t *first = at->bytes.ptr + at->at;
    PF_TRY(pf_partial_view_open(&v, spec, rows, at));
    if (!s) {
        return PF_OK;
    }
    v.spec = s->spec;
    PF_TRY(pf_partial_view_check(&v, at));
    const pf_bytes bytes = {first, (size_t)(at->bytes.ptr + at->at - first)};
    return p->want & PF_WANT_MEMBERS ? add_member(p, &v, name, bytes) : add_rows(p, &v, s);
}

/* The next column of "name:type name:type". */
static bool read_column(pf_str *list, pf_side_column *out, char *name)
{
    static const char *const types[] = {[PF_COLUMN_INT] = "int", [PF_COLUMN_REAL] = "real", [PF_COLUMN_TEXT] = "text"};
    const char *space = memchr(list->ptr, ' ', list->len), *colon = memchr(list->ptr, ':', list->len);
    size_t len = space ? (size_t)(space - list->ptr) : list->len, called = colon ? (size_t)(colon - list->ptr) : len;
    if (called >= len || called == 0 || called >= NAME_ROOM) {
        return false;
    }
    const pf_str word = {colon + 1, len - called - 1};
    memcpy(name, list->ptr, called);
    name[called] = '\0';
    list->ptr += len + (space != NULL);
    list->len -= len + (space != NULL);
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        if (pf_str_is(word, types[i])) {
            *out = (pf_side_column){.name = name, .type = (pf_column_type)i};
            return true;
        }
    }
    return false;
}

/* How many there are; 0: they are not well said. */
static size_t read_columns(pf_str list, pf_side_column *columns, char names[][NAME_ROOM])
{
    size_t n = 0;
    while (list.len && n < PF_PARTIAL_COLUMNS && read_column(&list, &columns[n], names[n])) {
        n++;
    }
    return list.len ? 0 : n;
}

static bool is_wanted(const partial *p, pf_str table)
{
    bool records = pf_str_ends(table, PF_STR(PF_PARTIAL_RECORDS));
    return p->want & PF_WANT_MEMBERS || ((records ? p->want & PF_WANT_RECORDS : p->want != PF_WANT_RECORDS) &&
                                         (p->want != 0 || pf_str_ends(table, PF_STR(PF_PARTIAL_INPUTS))));
}

static pf_status read_table(partial *p, const pf_node *table)
{
    char name[NAME_ROOM] = PF_PARTIAL_PREFIX, names[PF_PARTIAL_COLUMNS][NAME_ROOM];
    pf_side_column columns[PF_PARTIAL_COLUMNS];
    pf_str called = text_of(table, "name");
    int64_t rows = int_of(table, "rows");
    size_t prefix = strlen(name), count = read_columns(text_of(table, "columns"), columns, names);
    if (count == 0 || rows < 1 || rows >= INT32_MAX || called.len == 0 || called.len >= NAME_ROOM - prefix) {
        return broken(p, "its manifest is not one of postfetto's");
    }
    memcpy(name + prefix, called.ptr, called.len);
    const pf_side_spec spec = {.name = name, .help = "of partials", .columns = columns, .column_count = count};
    pf_side_table *s = NULL;
    if (is_wanted(p, called) && pf_trace_add_table(p->t, &spec, &s, p->err) != PF_OK) {
        return broken(p, "a table is not what others have");
    }
    return read_body(p, s, &spec, called, (uint32_t)rows);
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

/* Goes to the dictionary in the other member, and from there to the tables. */
static pf_status open_texts(partial *p, int64_t count)
{
    PF_TRY(next_member(p, PF_STR(PF_PARTIAL_TABLES)));
    PF_TRY(count >= 0 && count < INT32_MAX ? PF_OK : broken(p, "its manifest is not one of postfetto's"));
    p->place = (pf_partial_place){{p->file.ptr + p->at, p->end - p->at}, 0, p->at, p->err};
    PF_TRY(pf_partial_skip_head(&p->place)); /* the schema */
    PF_TRY(pf_partial_skip_head(&p->place));
    const pf_partial_place before = p->place;
    PF_TRY(pf_partial_texts_open(&p->texts, (uint32_t)count, &p->place));
    p->dictionary = (pf_bytes){before.bytes.ptr + before.at, p->place.at - before.at};
    p->left = FEW;
    PF_TRY(p->want & PF_WANT_MEMBERS ? keep_few(p, &p->dictionary) : PF_OK);
    PF_TRY(pf_partial_skip_head(&p->place));
    return p->want & PF_WANT_MEMBERS ? PF_OK : PF_LIST_NEW(&p->t->budget, p->ids, p->texts.count, p->err);
}

static pf_status read_manifest(partial *p, pf_str file, const pf_node *root)
{
    static const char *const of_partial[] = {"file", "version", "pass"};
    static const char *const of_option[] = {"file", "name", "value"};
    int64_t version = int_of(root, "postfetto_partial");
    const pf_node *options = root->type == PF_NODE_OBJECT ? pf_node_get(root, "options") : NULL,
                  *tables = root->type == PF_NODE_OBJECT ? pf_node_get(root, "tables") : NULL;
    if (version != PF_PARTIAL_VERSION && version >= 0) {
        return pf_fail(p->err, PF_ERR_INPUT,
                       "is a partial of version %lld; this postfetto reads version %d: write it again with --partial",
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
    pf_status st = open_texts(p, int_of(root, "strings"));
    for (const pf_node *t = tables->first; t && st == PF_OK; t = t->next) {
        st = read_table(p, t);
    }
    PF_LIST_FREE(&p->t->budget, p->ids, p->ids ? p->texts.count : 0);
    return st;
}

static pf_status read_partial(pf_reading *r, pf_error *err)
{
    partial p = {.t = pf_reading_trace(r), .want = pf_reading_options(r)->want, .err = err};
    pf_document *manifest;
    pf_reading_set_dialect(r, "partial");
    PF_TRY(pf_reading_whole(r, &p.file, err));
    PF_TRY(next_member(&p, PF_STR(PF_PARTIAL_MANIFEST)));
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
