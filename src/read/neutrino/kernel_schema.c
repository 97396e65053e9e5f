/* read/neutrino/kernel_schema.c - schemas of in-kernel profilers (docs/reference/in-kernel.md, "Schema"). */
#include "read/neutrino/kernel_schema.h"

#include <stdio.h>

#include "base/str.h"

uint32_t pf_kernel_find_field(const kernel_fields *f, pf_str name)
{
    for (uint32_t i = 0; i < f->count; i++) {
        if (name.ptr && pf_str_equal(f->field[i].name, name)) {
            return i;
        }
    }
    return KERNEL_NO_FIELD;
}

static pf_status wrong(pf_error *err, const pf_node *n, const char *what, const char *wanted)
{
    return pf_fail(err, PF_ERR_INPUT, "schema, line %u: %s %s", n ? n->line : 1, what, wanted);
}

/* An integer from `least` to `most`; `otherwise` where the member is missing. */
static pf_status read_number(const pf_node *o, const char *key, uint64_t least, uint64_t most, uint64_t otherwise,
                             uint64_t *out, pf_error *err)
{
    const pf_node *n = pf_node_get(o, key);
    *out = otherwise;
    if (!n) {
        return PF_OK;
    }
    if (n->type != PF_NODE_INT || n->as.i < 0 || (uint64_t)n->as.i < least || (uint64_t)n->as.i > most) {
        return wrong(err, n, key, "is not a number in its range");
    }
    *out = (uint64_t)n->as.i;
    return PF_OK;
}

static bool is_true(const pf_node *n)
{
    return n && n->type == PF_NODE_BOOL && n->as.b;
}

static pf_str text_of(const pf_node *o, const char *key)
{
    const pf_node *n = pf_node_get(o, key);
    return n && n->type == PF_NODE_TEXT ? n->as.s : (pf_str){NULL, 0};
}

/* A number, or the name of a header field that has it. */
static pf_status read_factor(const pf_node *o, const char *key, uint64_t *number, pf_str *field, pf_error *err)
{
    *field = text_of(o, key);
    return field->ptr ? PF_OK : read_number(o, key, 1, INT64_MAX, 0, number, err);
}

static pf_status read_field(const pf_node *n, uint64_t bytes, kernel_field *f, pf_error *err)
{
    *f = (kernel_field){.name = n->key, .position = is_true(pf_node_get(n, "position"))};
    if (n->type != PF_NODE_OBJECT) {
        return wrong(err, n, "a field", "is {bit: N, bits: N} or {position: true}");
    }
    PF_TRY(read_number(n, "bit", 0, bytes * 8 - 1, 0, &f->bit, err));
    PF_TRY(read_number(n, "bits", 1, 64, 0, &f->bits, err));
    PF_TRY(read_factor(n, "divide", &f->divide, &f->divide_by, err));
    PF_TRY(read_factor(n, "modulo", &f->modulo, &f->modulo_by, err));
    if (!f->position && (f->bits == 0 || f->bit + f->bits > bytes * 8 || f->bit % 8 + f->bits > 64)) {
        return wrong(err, n, "bits of a field", "are missing, lie outside of the record or in more than 8 bytes");
    }
    return PF_OK;
}

static pf_status read_fields(const pf_node *o, uint64_t bytes, kernel_fields *f, pf_error *err)
{
    if (o && o->type != PF_NODE_OBJECT) {
        return wrong(err, o, "fields", "is not a mapping");
    }
    for (const pf_node *n = o ? o->first : NULL; n; n = n->next) {
        if (f->count == KERNEL_FIELDS_MAX) {
            return wrong(err, n, "fields", "has more than 32 members");
        }
        PF_TRY(read_field(n, bytes, &f->field[f->count++], err));
    }
    return PF_OK;
}

static pf_status read_layout(kernel_schema *s, const pf_node *root, pf_error *err)
{
    const pf_node *header = pf_node_get(root, "header"), *record = pf_node_get(root, "record");
    const pf_node *unit = pf_node_get(root, "unit");
    PF_TRY(read_number(header, "bytes", 1, 4096, 0, &s->header_bytes, err));
    if (s->header_bytes) {
        PF_TRY(read_fields(pf_node_get(header, "fields"), s->header_bytes, &s->header, err));
    }
    PF_TRY(read_number(record, "bytes", 1, 4096, 0, &s->record_bytes, err));
    s->zero_is_record = is_true(pf_node_get(record, "zero"));
    if (s->record_bytes == 0) {
        return wrong(err, record, "record.bytes", "is missing");
    }
    PF_TRY(read_fields(pf_node_get(record, "fields"), s->record_bytes, &s->record, err));
    PF_TRY(read_number(unit, "head", 0, 4096, 0, &s->unit_head, err));
    PF_TRY(read_number(unit, "records", 1, INT32_MAX, 0, &s->unit_records, err));
    return unit && !s->unit_records ? wrong(err, unit, "unit.records", "is missing") : PF_OK;
}

/* The field that member `key` of an object names. */
static pf_status find_field(const kernel_schema *s, const pf_node *o, const char *key, bool needed, uint32_t *out,
                            pf_error *err)
{
    pf_str name = text_of(o, key);
    *out = pf_kernel_find_field(&s->record, name);
    if (*out == KERNEL_NO_FIELD && (needed || name.ptr)) {
        return wrong(err, o, key, "names no field of the record");
    }
    return PF_OK;
}

static pf_status read_time(kernel_schema *s, const pf_node *root, pf_error *err)
{
    const pf_node *o = pf_node_get(root, "time"), *ns = pf_node_get(o, "ns");
    PF_TRY(find_field(s, o, "field", true, &s->time, err));
    PF_TRY(find_field(s, o, "end", false, &s->end, err));
    PF_TRY(find_field(s, o, "length", false, &s->length, err));
    s->ns = !ns ? 1 : ns->type == PF_NODE_REAL ? ns->as.d : ns->type == PF_NODE_INT ? (double)ns->as.i : 0;
    return s->ns > 0 && s->ns < 1e9 ? PF_OK : wrong(err, ns, "time.ns", "is not a number above 0");
}

static pf_status read_phase(kernel_schema *s, const pf_node *root, pf_error *err)
{
    const pf_node *o = pf_node_get(root, "phase");
    s->phase = KERNEL_NO_FIELD;
    if (!o) {
        bool whole = s->end != KERNEL_NO_FIELD || s->length != KERNEL_NO_FIELD;
        return whole ? PF_OK : wrong(err, root, "phase", "is missing, and time has neither end nor length");
    }
    PF_TRY(find_field(s, o, "field", true, &s->phase, err));
    PF_TRY(read_number(o, "begin", 0, INT64_MAX, UINT64_MAX, &s->begins, err));
    PF_TRY(read_number(o, "end", 0, INT64_MAX, UINT64_MAX, &s->ends, err));
    return read_number(o, "instant", 0, INT64_MAX, UINT64_MAX, &s->instant, err);
}

static pf_status read_names(kernel_schema *s, const pf_node *root, pf_error *err)
{
    const pf_node *o = pf_node_get(root, "event");
    s->names = pf_node_get(o, "names");
    s->name = text_of(root, "name");
    s->track = text_of(root, "track");
    s->group = text_of(root, "group");
    if (s->names && s->names->type != PF_NODE_OBJECT && s->names->type != PF_NODE_LIST) {
        return wrong(err, s->names, "event.names", "is neither a list nor a mapping");
    }
    if (!s->track.ptr) {
        return wrong(err, root, "track", "is missing: a text with {field} in it");
    }
    return find_field(s, o, "field", o != NULL, &s->event, err);
}

pf_status pf_kernel_schema_read(pf_str text, kernel_schema *s, pf_error *err)
{
    const pf_parse_limits limits = {.bytes = 1 << 20, .nodes = 100000, .memory = 64 << 20, .depth = 16};
    *s = (kernel_schema){.ns = 1};
    PF_TRY(pf_yaml_parse(text, &limits, &s->document, err));
    const pf_node *root = pf_document_root(s->document);
    if (root->type != PF_NODE_OBJECT) {
        return wrong(err, root, "the schema", "is not a mapping");
    }
    PF_TRY(read_layout(s, root, err));
    PF_TRY(read_time(s, root, err));
    PF_TRY(read_phase(s, root, err));
    return read_names(s, root, err);
}

void pf_kernel_schema_free(kernel_schema *s)
{
    pf_document_free(s->document);
    s->document = NULL;
}

uint64_t pf_kernel_value(const kernel_field *f, const uint8_t *p, uint64_t index)
{
    uint64_t v = index;
    if (!f->position) {
        v = 0;
        for (uint64_t byte = (f->bit + f->bits + 7) / 8; byte-- > f->bit / 8;) {
            v = v << 8 | p[byte];
        }
        v >>= f->bit % 8;
        v &= f->bits < 64 ? ((uint64_t)1 << f->bits) - 1 : UINT64_MAX;
    }
    v = f->divide ? v / f->divide : v;
    return f->modulo ? v % f->modulo : v;
}

static bool take_number(const kernel_schema *s, const uint8_t *file, pf_str from, uint64_t *out)
{
    uint32_t i = pf_kernel_find_field(&s->header, from);
    if (from.ptr) {
        *out = i == KERNEL_NO_FIELD ? 0 : pf_kernel_value(&s->header.field[i], file, 0);
    }
    return !from.ptr || *out > 0;
}

bool pf_kernel_apply_header(kernel_schema *s, const uint8_t *file, size_t size)
{
    bool good = size >= s->header_bytes;
    for (uint32_t i = 0; i < s->record.count && good; i++) {
        kernel_field *f = &s->record.field[i];
        good = take_number(s, file, f->divide_by, &f->divide) && take_number(s, file, f->modulo_by, &f->modulo);
    }
    return good;
}

pf_str pf_kernel_event_name(const kernel_schema *s, uint64_t v)
{
    uint64_t at = 0;
    char key[24];
    snprintf(key, sizeof key, "%llu", (unsigned long long)v);
    for (const pf_node *n = s->names ? s->names->first : NULL; n; n = n->next, at++) {
        bool found = s->names->type == PF_NODE_LIST ? at == v : pf_str_is(n->key, key);
        if (found) {
            return n->type == PF_NODE_TEXT ? n->as.s : (pf_str){NULL, 0};
        }
    }
    return (pf_str){NULL, 0};
}
