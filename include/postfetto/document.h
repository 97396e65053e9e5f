/* postfetto/document.h - files that are no traces: configuration, mappings, tables, logs.
 *
 * JSON and YAML become trees of the same nodes that findings are made of (findings.h), so that a pass can read a
 * document, change its mind about it, and report it. A CSV is read row by row. All parsers take untrusted bytes: they
 * do not recurse, every growth has a limit, and errors say where.
 */
#ifndef POSTFETTO_DOCUMENT_H
#define POSTFETTO_DOCUMENT_H

#include "postfetto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of a file ("-": standard input), unpacked if it is gzip, zstd or a zip with one file in it; a NUL follows
 * the last one. The caller frees *bytes. limits may be NULL (defaults): memory, input, plain and ratio count. Errors:
 * PF_ERR_INPUT (cannot be opened, damaged packing), PF_ERR_LIMIT, PF_ERR_MEMORY. */
PF_API pf_status pf_read_bytes(const char *path, const pf_limits *limits, char **bytes, size_t *len, pf_error *err);

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

typedef enum pf_node_type {
    PF_NODE_NULL,
    PF_NODE_BOOL,
    PF_NODE_INT,
    PF_NODE_REAL,
    PF_NODE_TEXT,
    PF_NODE_RAW, /* a number token as it is: an integer beyond 64 bits, a real beyond a double */
    PF_NODE_LIST,
    PF_NODE_OBJECT
} pf_node_type;

/* Rows of a table of findings, as objects with its columns from `from` on as members. */
struct pf_table_builder;
typedef struct pf_node_rows {
    const struct pf_table_builder *table;
    size_t from;
} pf_node_rows;

typedef struct pf_node {
    pf_node_type type;
    uint32_t line, column; /* of a parsed node, from 1; 0: unknown */
    pf_str key;            /* {NULL, 0} in lists and at the root */
    union {
        bool b;
        int64_t i;
        double d;
        pf_str s;
        pf_node_rows rows; /* LIST: what it consists of instead of children; table NULL, as in parsed ones: nothing */
    } as;
    struct pf_node *first, *last; /* children of LIST and OBJECT */
    struct pf_node *next;
    size_t children;
} pf_node;

/* The child of an object with that key, the last one if there are several; NULL if there is none. */
PF_API const pf_node *pf_node_get(const pf_node *object, const char *key);

/* The first child of an object whose key an earlier child has, for readers that refuse that; NULL if there is none. */
PF_API const pf_node *pf_node_twice(const pf_node *object);

/* ---- JSON and YAML ----------------------------------------------------------------------------------------------- */

/* Made by pf_parse_limits_default; members are added at the end in later releases. */
typedef struct pf_parse_limits {
    size_t size;     /* of the struct as the program knows it */
    uint64_t bytes;  /* of the text */
    uint64_t nodes;  /* aliases of YAML count as often as they are used */
    uint64_t memory; /* of the tree */
    uint32_t depth;  /* of lists and objects inside each other */
} pf_parse_limits;

/* bytes 1 GiB, nodes 16 million, memory 4 GiB, depth 512. */
PF_API void pf_parse_limits_init(pf_parse_limits *l, size_t size);
static inline pf_parse_limits pf_parse_limits_default(void)
{
    pf_parse_limits l;
    pf_parse_limits_init(&l, sizeof l);
    return l;
}

/* A parsed document: it owns its nodes and their texts. Several threads may read one document. */
typedef struct pf_document pf_document;

/* RFC 8259, strictly; a byte order mark may come first. Numbers without fraction and exponent are INT (RAW beyond 64
 * bits), others REAL, the nearest double (RAW beyond its range). A lone surrogate is kept in three-byte form. limits
 * may be NULL. PF_ERR_INPUT: err->offset, and line and column in the text; PF_ERR_LIMIT. */
PF_API pf_status pf_json_parse(pf_str text, const pf_parse_limits *limits, pf_document **out, pf_error *err);

/* One YAML document; an empty text is NULL. Plain scalars are what YAML 1.1 says: yes, no, on, off, true and false are
 * BOOL, 0x, 0b, octal and sexagesimal integers INT, reals need a point, ~ and null are NULL; quoted ones are TEXT. Keys
 * are texts as they are written. Anchors, aliases and merge keys (<<) are followed; an alias inside its own anchor and
 * a second document are errors. Otherwise as above. */
PF_API pf_status pf_yaml_parse(pf_str text, const pf_parse_limits *limits, pf_document **out, pf_error *err);

PF_API const pf_node *pf_document_root(const pf_document *d);
PF_API void pf_document_free(pf_document *d);

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

/* RFC 4180: fields between separators, quoted where they hold separators, quotes (doubled) or line ends; lines end in
 * LF or CRLF; a byte order mark and empty lines are skipped. The first row names the columns. Of one thread at a time.
 */
typedef struct pf_csv pf_csv;

typedef struct pf_csv_options {
    char separator; /* 0: ',' */
    bool lenient; /* as Python's reader takes them: quotes where none should be are part of the field, and a quote that
                   * is never closed holds the rest of the text */
} pf_csv_options;

/* `text` must outlive the result. options may be NULL. PF_ERR_INPUT: there is no header, or as below. */
PF_API pf_status pf_csv_open(pf_str text, const pf_csv_options *options, pf_csv **out, pf_error *err);

PF_API size_t pf_csv_column_count(const pf_csv *c);
PF_API pf_str pf_csv_column_name(const pf_csv *c, size_t column);
PF_API size_t pf_csv_column(const pf_csv *c, const char *name); /* column_count if there is none; the last of several */

/* The next row: *fields has column_count texts, or is NULL after the last row. A field that the row does not have is
 * {NULL, 0}; fields beyond the header are left out. Fields live until the next call. PF_ERR_INPUT: a quote that is
 * never closed, or text after a closing quote, with offset, line and column. */
PF_API pf_status pf_csv_next(pf_csv *c, const pf_str **fields, pf_error *err);

/* Whether the text ends in the row that was read last: no line end follows, and fields are missing or a quote is open
 * (of which pf_csv_next says PF_ERR_INPUT). */
PF_API bool pf_csv_is_cut(const pf_csv *c);

/* The line, from 1, on which the row that was read last begins. */
PF_API uint64_t pf_csv_line(const pf_csv *c);

/* Line and column, from 1, where a field of that row begins (before the first row: of the header), or where one that
 * the row does not have would. */
PF_API void pf_csv_place(const pf_csv *c, size_t field, uint64_t *line, size_t *column);
PF_API void pf_csv_free(pf_csv *c);

#ifdef __cplusplus
}
#endif
#endif
