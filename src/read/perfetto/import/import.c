/* read/perfetto/import/import.c - the words in which packets speak of the trace; see import.h for errors. */
#include "read/perfetto/import/import.h"

#include "base/list.h"
#include "base/str.h"

#define SOME_BYTES ((size_t)1 << 12) /* that a map asked for, more or less */

pf_status pf_import_refuse(pf_import *im, size_t bytes)
{
    return pf_import_failed(im) ? im->err->code : pf_budget_refused(&im->t->budget, bytes, im->err);
}

uint32_t pf_import_text(pf_import *im, pf_str text)
{
    bool says = text.ptr && !pf_import_failed(im);
    uint32_t id = says ? pf_strings_add(&im->t->strings, text.ptr, text.len, im->err) : 0;
    return id == PF_NONE ? 0 : id;
}

uint32_t pf_import_word(pf_import *im, const char *word)
{
    return pf_import_text(im, pf_str_of(word));
}

pf_str pf_import_scratch_text(pf_import *im)
{
    const pf_buffer *b = &im->scratch;
    if (b->failed) {
        pf_import_refuse(im, b->len);
    }
    return (pf_str){b->len ? b->data : "", b->len};
}

uint32_t pf_import_scratch(pf_import *im)
{
    return pf_import_text(im, pf_import_scratch_text(im));
}

pf_str pf_import_join(pf_import *im, pf_str first, pf_str second)
{
    im->scratch.len = 0;
    pf_buffer_put(&im->scratch, first.ptr, first.len);
    pf_buffer_put(&im->scratch, second.ptr, second.len);
    return pf_import_scratch_text(im);
}

uint32_t pf_import_key(pf_import *im, const void *parts, size_t len)
{
    return pf_import_failed(im) ? PF_NONE : pf_strings_add(&im->legacy.keys, parts, len, im->err);
}

void pf_import_put(pf_import *im, pf_map *map, uint64_t key, uint32_t value)
{
    if (!pf_import_failed(im) && !pf_map_set(map, key, value)) {
        pf_import_refuse(im, SOME_BYTES);
    }
}

const uint8_t *pf_import_keep(pf_import *im, const pf_field *f)
{
    const void *kept = im->span.stable ? f->bytes : NULL;
    if (!kept && !pf_import_failed(im)) {
        kept = pf_arena_copy(&im->t->arena, (const char *)f->bytes, f->len);
    }
    if (!kept) {
        pf_import_refuse(im, f->len);
    }
    return pf_import_failed(im) ? NULL : kept;
}

void *pf_import_unpack(pf_import *im, const ProtobufCMessageDescriptor *descriptor, const pf_field *f)
{
    return pf_import_failed(im) ? NULL : pf_cold_unpack(&im->cold, descriptor, f->bytes, f->len, im->err);
}

uint32_t pf_import_side_row(pf_import *im, pf_side_id table)
{
    pf_side_table *side = &im->t->sides.known[table];
    return pf_import_failed(im) || pf_side_add_row(side, im->err) != PF_OK ? PF_NONE : side->count - 1;
}

uint32_t pf_import_track(pf_import *im, pf_track_type type, uint32_t name, uint32_t upid)
{
    const pf_track_row row = {
        .type = type, .name = name, .upid = upid, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE};
    return pf_import_failed(im) ? PF_NONE : pf_trace_add_track(im->t, &row, im->err);
}

void pf_import_arg(pf_import *im, pf_owner owner, uint32_t row, pf_str key, pf_value value)
{
    if (!pf_import_failed(im)) {
        (void)pf_trace_add_row_arg(im->t, owner, row, key, &value, im->err);
    }
}

void pf_import_arg_int(pf_import *im, pf_owner owner, uint32_t row, const char *key, int64_t number)
{
    pf_import_arg(im, owner, row, pf_str_of(key), (pf_value){.type = PF_VALUE_INT, .as.i = number});
}

void pf_import_arg_text(pf_import *im, pf_owner owner, uint32_t row, const char *key, pf_str text)
{
    pf_import_arg(im, owner, row, pf_str_of(key), (pf_value){.type = PF_VALUE_STRING, .as.s = text});
}

void pf_import_set_metadata(pf_import *im, pf_str name, pf_str text, int64_t number)
{
    pf_trace *t = im->t;
    uint32_t id = pf_import_text(im, name), row = pf_map_get(&im->about.rows, id);
    if (row == PF_NONE) {
        pf_import_put(im, &im->about.rows, id, t->metadata.count);
        pf_import_add_metadata(im, name, text, number);
        return;
    }
    uint32_t text_id = pf_import_text(im, text);
    if (!pf_import_failed(im)) {
        t->metadata.text[row] = text_id;
        t->metadata.number[row] = number;
    }
}

void pf_import_add_metadata(pf_import *im, pf_str name, pf_str text, int64_t number)
{
    if (!pf_import_failed(im)) {
        (void)pf_trace_add_metadata(im->t, name, text, number, im->err);
    }
}

void pf_import_set_text(pf_import *im, const char *name, pf_str text)
{
    pf_import_set_metadata(im, pf_str_of(name), text, 0);
}

void pf_import_set_number(pf_import *im, const char *name, int64_t number)
{
    pf_import_set_metadata(im, pf_str_of(name), (pf_str){NULL, 0}, number);
}

void pf_import_add_log(pf_import *im, pf_log *log)
{
    pf_logs *l = &im->logs;
    if (!pf_import_failed(im) && PF_LIST_ROOM(&im->t->budget, l->list, l->count + 1, l->room, im->err) == PF_OK) {
        log->order = l->count;
        l->list[l->count++] = *log;
    }
}
