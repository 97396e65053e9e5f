/* read/tinygrad/hardware/hardware_words.c - what packets are made of, as tables: with them SQL takes a packet's bits to
 * pieces. */
#include <string.h>

#include "read/tinygrad/hardware/hardware.h"

enum { CODES = 256, SOURCES = 4 };

static const char *words_name(const pf_sqtt_kind *kind, unsigned words)
{
    static const char *const families[PF_SQTT_FAMILIES] = {"rdna3", "rdna4", "cdna"};
    if (words == PF_SQTT_OPERATION) {
        unsigned family = 0;
        while (family + 1 < PF_SQTT_FAMILIES && !(kind->families >> family & 1)) {
            family++;
        }
        return families[family];
    }
    return words == PF_SQTT_ALU ? "alu" : words == PF_SQTT_MEMORY ? "memory" : NULL;
}

static pf_status add_field(pf_hardware *h, const pf_sqtt_kind *kind, const pf_sqtt_field *f, pf_error *err)
{
    uint32_t row;
    pf_status st = pf_hw_add_row(h, PF_HW_FIELD, &row, err);
    if (st != PF_OK) {
        return st;
    }
    pf_hw_set(h, PF_HW_FIELD, FIELD_HIGH, row, f->high);
    pf_hw_set(h, PF_HW_FIELD, FIELD_LOW, row, f->low);
    pf_hw_set(h, PF_HW_FIELD, FIELD_SHIFT, row, f->shift);
    st = pf_hw_word(h, PF_HW_FIELD, FIELD_KIND, row, kind->name, err);
    st = st == PF_OK ? pf_hw_word(h, PF_HW_FIELD, FIELD_NAME, row, f->name, err) : st;
    return st == PF_OK ? pf_hw_word(h, PF_HW_FIELD, FIELD_WORDS, row, words_name(kind, f->words), err) : st;
}

static pf_status add_word(pf_hardware *h, const char *words, unsigned code, const char *name, pf_error *err)
{
    uint32_t row;
    if (!name) {
        return PF_OK;
    }
    pf_status st = pf_hw_add_row(h, PF_HW_WORD, &row, err);
    if (st != PF_OK) {
        return st;
    }
    pf_hw_set(h, PF_HW_WORD, WORD_CODE, row, code);
    st = pf_hw_word(h, PF_HW_WORD, WORD_WORDS, row, words, err);
    return st == PF_OK ? pf_hw_word(h, PF_HW_WORD, WORD_NAME, row, name, err) : st;
}

static pf_status add_words(pf_hardware *h, pf_error *err)
{
    static const char *const families[PF_SQTT_FAMILIES] = {"rdna3", "rdna4", "cdna"};
    pf_status st = PF_OK;
    for (unsigned family = 0; family < PF_SQTT_FAMILIES; family++) {
        for (unsigned code = 0; st == PF_OK && code < CODES; code++) {
            st = add_word(h, families[family], code, pf_sqtt_operation((pf_sqtt_family)family, code), err);
        }
    }
    for (unsigned source = 0; st == PF_OK && source < SOURCES; source++) {
        st = add_word(h, "alu", source, pf_sqtt_alu(source), err);
        st = st == PF_OK ? add_word(h, "memory", source, pf_sqtt_memory(source), err) : st;
    }
    return st;
}

pf_status pf_hw_fill_words(pf_hardware *h, pf_error *err)
{
    pf_status st = PF_OK;
    for (unsigned k = 0; st == PF_OK && k < PF_SQTT_KINDS; k++) {
        const pf_sqtt_kind *kind = &pf_sqtt_kinds[k];
        st = pf_trace_add_string(h->p->t, (pf_str){kind->name, strlen(kind->name)}, &h->kind_names[k], err);
    }
    if (st != PF_OK || h->table[PF_HW_FIELD]->count) {
        return st;
    }
    for (unsigned k = 0; k < PF_SQTT_KINDS; k++) {
        const pf_sqtt_field *f = pf_sqtt_kinds[k].field;
        for (unsigned i = 0; st == PF_OK && i < PF_SQTT_FIELDS_MAX && f[i].name; i++) {
            st = add_field(h, &pf_sqtt_kinds[k], &f[i], err);
        }
    }
    return st == PF_OK ? add_words(h, err) : st;
}
