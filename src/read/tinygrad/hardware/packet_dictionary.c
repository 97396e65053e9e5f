/* read/tinygrad/hardware/packet_dictionary.c - what packets are made of, as tables: their fields, and the names of the
 * numbers in them. With these SQL takes a packet's bits to pieces. */
#include "read/tinygrad/hardware/hardware.h"

enum { CODES = 256, SOURCES = 4 };

static const char *const families[PF_SQTT_FAMILIES] = {"rdna3", "rdna4", "cdna"};

static const char *words_name(const pf_sqtt_kind *kind, unsigned words)
{
    if (words == PF_SQTT_OPERATION) {
        unsigned family = 0;
        while (family + 1 < PF_SQTT_FAMILIES && !(kind->families >> family & 1)) {
            family++;
        }
        return families[family];
    }
    return words == PF_SQTT_ALU ? "alu" : words == PF_SQTT_MEMORY ? "memory" : NULL;
}

static pf_status add_fields(pf_tiny_profile *p, const pf_sqtt_kind *kind, uint32_t kind_name)
{
    const pf_sqtt_field *f = kind->field;
    for (unsigned i = 0; i < PF_SQTT_FIELDS_MAX && f[i].name; i++) {
        uint32_t name = pf_tiny_word(p, f[i].name), words = pf_tiny_word(p, words_name(kind, f[i].words));
        PF_TRY(pf_tiny_put(p, PF_TINY_FIELD, PF_CELLS(kind_name, name, f[i].high, f[i].low, f[i].shift, words)));
    }
    return PF_OK;
}

static pf_status add_word(pf_tiny_profile *p, const char *words, unsigned code, const char *name)
{
    uint32_t set = name ? pf_tiny_word(p, words) : 0;
    return name ? pf_tiny_put(p, PF_TINY_WORD, PF_CELLS(set, code, pf_tiny_word(p, name))) : PF_OK;
}

static pf_status add_words(pf_tiny_profile *p)
{
    for (unsigned i = 0; i < PF_SQTT_FAMILIES * CODES; i++) {
        unsigned family = i / CODES, code = i % CODES;
        PF_TRY(add_word(p, families[family], code, pf_sqtt_operation((pf_sqtt_family)family, code)));
    }
    for (unsigned source = 0; source < SOURCES; source++) {
        PF_TRY(add_word(p, "alu", source, pf_sqtt_alu(source)));
        PF_TRY(add_word(p, "memory", source, pf_sqtt_memory(source)));
    }
    return PF_OK;
}

pf_status pf_tiny_add_dictionary(pf_tiny_hardware *h)
{
    pf_tiny_profile *p = h->p;
    for (unsigned k = 0; k < PF_SQTT_KINDS; k++) {
        h->kind_names[k] = pf_tiny_word(p, pf_sqtt_kinds[k].name);
    }
    if (p->table[PF_TINY_FIELD]->count) {
        return p->text_status;
    }
    for (unsigned k = 0; k < PF_SQTT_KINDS; k++) {
        PF_TRY(add_fields(p, &pf_sqtt_kinds[k], h->kind_names[k]));
    }
    return add_words(p);
}
