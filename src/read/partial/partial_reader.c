/* read/partial/partial_reader.c - what `analyze PASS --partial` wrote: tables as Arrow files in a TAR, after a manifest
 * that says of each column of texts how many different ones there are (docs/reference/partial.md).
 *
 * Only files of our own writer are read. Their layout follows from the manifest: messages, whose lengths precede them,
 * then buffers that begin at multiples of 64 bytes, as long as rows, types and texts say. So nothing of Arrow's
 * metadata is looked at, and every length is held against what is left of the member before it is used. */
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/str.h"
#include "postfetto/document.h"
#include "read/support/reader.h"
#include "tables/partial_file.h"

#define BLOCK 512u
#define ALIGNMENT 64u

typedef struct partial {
    pf_trace *t;
    pf_bytes file;
    size_t at;   /* of the member at hand, in the file */
    size_t end;  /* of its data */
    size_t next; /* of the member after it */
    pf_error *err;
    uint32_t want;
    uint32_t **texts; /* of the table at hand: by column the string ids of its dictionary */
} partial;

static pf_status broken(const partial *p, const char *what)
{
    return pf_fail_at(p->err, PF_ERR_INPUT, p->at, "the partial is damaged: %s; write it again with --partial", what);
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

/* The next `len` bytes of the member; what follows them begins at a multiple of 64 of it, from `start` on. */
static pf_status take(partial *p, size_t start, uint64_t len, const uint8_t **out)
{
    *out = p->file.ptr + p->at;
    if (len > p->end - p->at) {
        return broken(p, "a column is shorter than its rows");
    }
    p->at += (size_t)len;
    size_t padding = (ALIGNMENT - (p->at - start) % ALIGNMENT) % ALIGNMENT;
    p->at = padding > p->end - p->at ? p->end : p->at + padding;
    return PF_OK;
}

static uint32_t u32_at(const uint8_t *bytes, uint64_t i)
{
    uint32_t v;
    memcpy(&v, bytes + 4 * i, sizeof v);
    return v;
}

/* Goes over the head of a message to its body. */
static pf_status skip_head(partial *p, size_t start)
{
    const uint8_t *head;
    if (p->end - p->at < 8 || u32_at(p->file.ptr + p->at, 0) != UINT32_MAX) {
        return broken(p, "an Arrow message does not begin where it should");
    }
    return take(p, start, 8 + (uint64_t)u32_at(p->file.ptr + p->at, 1), &head);
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

static pf_status read_dictionary(partial *p, size_t start, uint32_t count, uint32_t *ids)
{
    const uint8_t *offsets, *texts;
    PF_TRY(skip_head(p, start));
    PF_TRY(take(p, start, 4 * ((uint64_t)count + 1), &offsets));
    PF_TRY(take(p, start, u32_at(offsets, count), &texts));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = u32_at(offsets, i), to = u32_at(offsets, i + 1ull);
        if (from > to || to > u32_at(offsets, count)) {
            return broken(p, "strings of a column overlap");
        }
        PF_TRY(pf_trace_add_string(p->t, (pf_str){(const char *)texts + from, to - from}, &ids[i], p->err));
    }
    return PF_OK;
}

/* The cells of a column in the rows from `first` on. */
static pf_status read_cells(partial *p, size_t start, pf_side_table *s, unsigned column, uint32_t first,
                            const pf_node *about)
{
    pf_column_type type = s->spec->columns[column].type;
    uint32_t rows = s->count - first, texts = (uint32_t)int_of(about, "strings");
    const uint8_t *bits, *values;
    PF_TRY(take(p, start, ((uint64_t)rows + 7) / 8, &bits));
    PF_TRY(take(p, start, (type == PF_COLUMN_TEXT ? 4 : 8) * (uint64_t)rows, &values));
    for (uint32_t i = 0; i < rows; i++) {
        bool there = bits[i >> 3] >> (i & 7) & 1;
        if (type == PF_COLUMN_TEXT) {
            uint32_t n = there ? u32_at(values, i) : 0;
            if (there && n >= texts) {
                return broken(p, "a string is not in the dictionary of its column");
            }
            *pf_side_ref(s, column, first + i) = there ? p->texts[column][n] : 0;
        } else if (type == PF_COLUMN_INT) {
            memcpy(pf_side_number(s, column, first + i), values + 8ull * i, 8);
            *pf_side_number(s, column, first + i) = there ? *pf_side_number(s, column, first + i) : INT64_MIN;
        } else {
            memcpy(pf_side_real(s, column, first + i), values + 8ull * i, 8);
            *pf_side_real(s, column, first + i) = there ? *pf_side_real(s, column, first + i) : (double)NAN;
        }
    }
    return PF_OK;
}

static pf_status read_body(partial *p, pf_side_table *s, uint32_t rows, const pf_node *columns)
{
    enum { MAGIC_BYTES = 8 };
    size_t start = p->at, i = 0;
    uint32_t first;
    p->at += p->end - p->at < MAGIC_BYTES ? p->end - p->at : MAGIC_BYTES;
    PF_TRY(skip_head(p, start)); /* the schema */
    for (const pf_node *c = columns->first; c; c = c->next, i++) {
        int64_t texts = int_of(c, "strings");
        if (s->spec->columns[i].type != PF_COLUMN_TEXT) {
            continue;
        }
        if (texts < 0 || (uint64_t)texts > (p->end - p->at) / 4) {
            return broken(p, "a column has more strings than there is room for");
        }
        PF_TRY(PF_LIST_NEW(&p->t->budget, p->texts[i], (size_t)texts, p->err));
        PF_TRY(read_dictionary(p, start, (uint32_t)texts, p->texts[i]));
    }
    PF_TRY(skip_head(p, start));
    if ((uint64_t)rows * columns->children > (p->end - p->at) / 4) {
        return broken(p, "a table is shorter than its rows");
    }
    PF_TRY(pf_side_add_rows(s, rows, &first, p->err));
    i = 0;
    for (const pf_node *c = columns->first; c; c = c->next, i++) {
        PF_TRY(read_cells(p, start, s, (unsigned)i, first, c));
    }
    return PF_OK;
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

static pf_status read_table(partial *p, const pf_node *table)
{
    enum { COLUMNS = 64, NAME_ROOM = 64 };
    char name[NAME_ROOM] = PF_PARTIAL_PREFIX, names[COLUMNS][NAME_ROOM] = {{0}};
    pf_side_column columns[COLUMNS];
    uint32_t *texts[COLUMNS] = {NULL};
    const pf_node *list = table->type == PF_NODE_OBJECT ? pf_node_get(table, "columns") : NULL;
    pf_str called = text_of(table, "name");
    int64_t rows = int_of(table, "rows");
    size_t n = 0, prefix = strlen(name);
    bool fits = list && list->type == PF_NODE_LIST && list->children > 0 && list->children <= COLUMNS && rows > 0 &&
                rows < UINT32_MAX && called.len > 0 && called.len < NAME_ROOM - prefix;
    for (const pf_node *c = fits ? list->first : NULL; c && fits; c = c->next, n++) {
        fits = read_column(c, &columns[n], names[n], NAME_ROOM - 1);
    }
    if (!fits) {
        return broken(p, "its manifest is not one of postfetto's");
    }
    memcpy(name + prefix, called.ptr, called.len);
    const pf_side_spec spec = {.name = name, .help = "of partials", .columns = columns, .column_count = n};
    pf_side_table *s;
    PF_TRY(next_member(p, called, PF_PARTIAL_TABLE));
    bool records = pf_str_ends(called, PF_STR(PF_PARTIAL_RECORDS));
    if ((records ? !(p->want & PF_WANT_RECORDS) : p->want == PF_WANT_RECORDS) ||
        (p->want == 0 && !pf_str_ends(called, PF_STR(PF_PARTIAL_INPUTS)))) {
        return PF_OK;
    }
    PF_TRY(pf_trace_add_table(p->t, &spec, &s, p->err) == PF_OK ? PF_OK : broken(p, "a table is not what others have"));
    p->texts = texts;
    pf_status st = read_body(p, s, (uint32_t)rows, list);
    p->texts = NULL;
    n = 0;
    for (const pf_node *c = list->first; c; c = c->next, n++) {
        PF_LIST_FREE(&p->t->budget, texts[n], texts[n] ? (size_t)int_of(c, "strings") : 0);
    }
    return st;
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
