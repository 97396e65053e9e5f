/* read/tinygrad/sqtt/amd_code.c - finds the instructions of a code object (ELF64, little endian). */
#include "read/tinygrad/sqtt/amd_code.h"

#include "base/little_endian.h"
#include "wire/cursor.h"

/* Offsets in the header of the file and of a section. */
enum {
    FILE_SECTIONS = 40,
    FILE_SECTION_SIZE = 58,
    FILE_SECTION_COUNT = 60,
    FILE_NAMES = 62,
    FILE_HEADER = 64,
    SECTION_FLAGS = 8,
    SECTION_ADDRESS = 16,
    SECTION_OFFSET = 24,
    SECTION_BYTES = 32,
    SECTION_HEADER = 64,
    EXECUTABLE = 4
};

typedef struct section_list {
    pf_bytes object;
    uint64_t offset;
    unsigned count, stride;
    pf_bytes names;
} section_list;

pf_amd_isa pf_amd_isa_of(int64_t gfx_target_version)
{
    int64_t major = gfx_target_version / 10000;
    return major == 11 ? PF_AMD_RDNA3 : major >= 12 ? PF_AMD_RDNA4 : PF_AMD_CDNA;
}

static unsigned short_at(pf_bytes b, size_t at)
{
    return b.ptr[at] | (unsigned)b.ptr[at + 1] << 8;
}

static pf_bytes part(pf_bytes b, uint64_t offset, uint64_t size)
{
    if (offset > b.len || size > b.len - offset) {
        return (pf_bytes){NULL, 0};
    }
    return (pf_bytes){b.ptr + offset, (size_t)size};
}

/* The header of a section; ptr NULL if it is not there. */
static pf_bytes header_of(const section_list *l, unsigned i)
{
    uint64_t at = (uint64_t)i * l->stride;
    return l->offset > l->object.len ? (pf_bytes){NULL, 0} : part(l->object, l->offset + at, SECTION_HEADER);
}

static pf_bytes content_of(const section_list *l, pf_bytes header)
{
    return header.ptr ? part(l->object, pf_load64(header.ptr + SECTION_OFFSET), pf_load64(header.ptr + SECTION_BYTES))
                      : header;
}

static bool list_sections(pf_bytes object, section_list *l)
{
    if (object.len < FILE_HEADER || memcmp(object.ptr, "\177ELF\2", 5) != 0) { /* objects made by hand say no more */
        return false;
    }
    l->object = object;
    l->offset = pf_load64(object.ptr + FILE_SECTIONS);
    l->stride = short_at(object, FILE_SECTION_SIZE);
    l->count = short_at(object, FILE_SECTION_COUNT);
    if (l->stride < SECTION_HEADER) {
        l->stride = SECTION_HEADER;
    }
    unsigned names = short_at(object, FILE_NAMES);
    l->names = names < l->count ? content_of(l, header_of(l, names)) : (pf_bytes){NULL, 0};
    return true;
}

/* The section that is called .text, else the first that may be executed. */
static pf_bytes find_text(const section_list *l)
{
    static const char text[] = ".text";
    pf_bytes found = {NULL, 0};
    for (unsigned i = 0; i < l->count; i++) {
        pf_bytes header = header_of(l, i);
        if (!header.ptr) {
            break;
        }
        pf_bytes name = part(l->names, pf_little_u32(header.ptr), sizeof text);
        if (name.ptr && memcmp(name.ptr, text, sizeof text) == 0) {
            return header;
        }
        if (!found.ptr && (pf_load64(header.ptr + SECTION_FLAGS) & EXECUTABLE)) {
            found = header;
        }
    }
    return found;
}

static uint32_t word(const pf_amd_code *c, size_t dword)
{
    return dword < c->dwords ? pf_little_u32(c->text.ptr + dword * 4) : 0;
}

/* An instruction that the end of the section cuts off is none. */
static void cut(pf_amd_code *c, pf_amd_isa isa)
{
    for (size_t i = 0; i < c->dwords;) {
        unsigned size = pf_amd_instruction_length(isa, word(c, i), word(c, i + 1)) / 4;
        if (size > c->dwords - i) {
            return;
        }
        c->size[i] = (uint8_t)size;
        c->flags[i] = (uint8_t)pf_amd_instruction_flags(isa, word(c, i));
        i += size;
    }
}

pf_status pf_amd_code_open(pf_amd_code *c, pf_bytes object, pf_amd_isa isa, pf_budget *budget, pf_error *err)
{
    section_list list;
    *c = (pf_amd_code){.budget = budget};
    pf_bytes header = list_sections(object, &list) ? find_text(&list) : (pf_bytes){NULL, 0};
    c->text = header.ptr ? content_of(&list, header) : header;
    size_t dwords = c->text.len / 4;
    if (dwords == 0 || dwords >= PF_NONE) {
        return PF_OK;
    }
    c->size = pf_alloc_zero(budget, dwords, 2);
    PF_TRY(c->size ? PF_OK : pf_budget_refused(budget, dwords * 2, err));
    c->flags = c->size + dwords;
    c->dwords = dwords;
    c->start = pf_load64(header.ptr + SECTION_ADDRESS);
    cut(c, isa);
    return PF_OK;
}

void pf_amd_code_free(pf_amd_code *c)
{
    pf_release(c->budget, c->size, c->dwords * 2);
    *c = (pf_amd_code){.budget = c->budget};
}

uint32_t pf_amd_code_at(const pf_amd_code *c, uint64_t pc)
{
    uint64_t offset = pc - c->start;
    return offset % 4 || offset / 4 >= c->dwords || !c->size[offset / 4] ? PF_NONE : (uint32_t)(offset / 4);
}

int64_t pf_amd_code_jump(const pf_amd_code *c, uint32_t dword)
{
    return (int64_t)(int16_t)(uint16_t)word(c, dword) * 4;
}
