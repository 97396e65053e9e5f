/* json/scan/record_parts.c - see record_parts.h. */
#include "json/scan/record_parts.h"

#include "json/scan/skip.h"

pf_json_text pf_json_text_of(const pf_json_piece *piece, uint32_t ref)
{
    if (ref == 0) {
        return (pf_json_text){0};
    }
    if (ref <= PF_JSON_TEXTS) {
        const pf_json_known_text *k = &piece->text[ref - 1];
        return (pf_json_text){(const uint8_t *)k->words.w, k->len, false};
    }
    return piece->other[ref - PF_JSON_TEXTS - 1].text;
}

pf_str pf_json_name_of(const pf_json_piece *piece, const pf_json_record *r)
{
    const pf_json_text name = pf_json_text_of(piece, r->name);
    return (pf_str){(const char *)name.ptr, name.len};
}

const pf_json_rare *pf_json_rare_of(const pf_json_piece *piece, const pf_json_record *r)
{
    static const pf_json_rare nothing = {.id.kind = PF_JSON_ID_ABSENT, .bind_id.kind = PF_JSON_ID_ABSENT};
    return r->rare && r->rare != PF_JSON_ONLY_ID ? &piece->rare[r->rare] : &nothing;
}

pf_json_id pf_json_id_of(const pf_json_piece *piece, const pf_json_record *r)
{
    return r->rare == PF_JSON_ONLY_ID ? (pf_json_id){.kind = PF_JSON_ID_INT, .number = r->dur}
                                      : pf_json_rare_of(piece, r)->id;
}

void pf_json_settle_digits(pf_json_id *id)
{
    if (id->kind == PF_JSON_ID_DIGITS) {
        uint64_t w = (uint64_t)id->number;
        id->number = 0;
        id->kind = PF_JSON_ID_INT;
        for (; w; w >>= 8) {
            id->number = id->number * 10 + (int64_t)((w & 0xff) - '0');
        }
    }
}

bool pf_json_next_member(const uint8_t **at, const uint8_t *end, pf_json_member *m)
{
    bool escaped = false;
    const uint8_t *p = *at;
    while (p < end && *p != '"' && *p != '}') {
        p++;
    }
    if (p >= end || *p == '}') {
        return false;
    }
    const uint8_t *q = pf_json_string_end(p + 1, end, &escaped);
    if (!q) {
        return false;
    }
    m->key = (pf_str){(const char *)p + 1, (size_t)(q - p - 1)};
    p = pf_json_skip_space(q + 1, end);
    p = pf_json_skip_space(p + 1, end); /* after the colon */
    pf_json_scan scan;
    pf_json_scan_start(&scan);
    q = p;
    if (p >= end || pf_json_scan_value(&scan, &q, end) != PF_JSON_DONE) {
        return false;
    }
    m->value = (pf_str){(const char *)p, (size_t)(q - p)};
    *at = q;
    return true;
}

void pf_json_merge_faults(pf_trace *t, const pf_json_faults *f)
{
    for (int i = 0; i < PF_JSON_FAULTS; i++) {
        if (f->count[i] == 0) {
            continue;
        }
        if (t->stat_count[i] == 0 || f->first[i] < t->stat_offset[i]) {
            t->stat_offset[i] = f->first[i];
        }
        t->stat_count[i] += f->count[i];
    }
}
