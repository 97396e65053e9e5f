/* read/tinygrad/sqtt/sqtt_words.c - names of operation codes. Codes that no table names stay numbers. */
#include "read/tinygrad/sqtt/sqtt_kinds.h"

#include <string.h>

enum { CODES = 256 };

/* Of RDNA3 and RDNA4, then of one family. */
static const char *const rdna[CODES] = {
    [0x00] = "SALU",          [0x03] = "JUMP",         [0x04] = "JUMP_NO",      [0x05] = "CALL",
    [0x09] = "MESSAGE",       [0x0b] = "VALUT_4",      [0x0d] = "VALUB_2",      [0x0e] = "VALUB_4",
    [0x0f] = "VALUB_16",      [0x12] = "VINTERP",      [0x1c] = "FLAT_RD_2",    [0x1d] = "FLAT_WR_3",
    [0x1e] = "FLAT_WR_4",     [0x1f] = "FLAT_WR_5",    [0x20] = "FLAT_WR_6",    [0x29] = "LDS_RD",
    [0x2a] = "LDS_WR_1",      [0x2b] = "LDS_WR_2",     [0x2c] = "LDS_WR_3",     [0x2d] = "LDS_WR_4",
    [0x2e] = "LDS_WR_5",      [0x50] = "OTHER_LDS_1",  [0x51] = "OTHER_LDS_2",  [0x52] = "OTHER_LDS_3",
    [0x53] = "OTHER_LDS_4",   [0x54] = "OTHER_LDS_5",  [0x55] = "OTHER_FLAT_2", [0x56] = "OTHER_FLAT_3",
    [0x57] = "OTHER_FLAT_4",  [0x58] = "OTHER_FLAT_5", [0x59] = "OTHER_FLAT_6", [0x72] = "SALU_WR_EXEC",
    [0x73] = "VALU1_WR_EXEC",
};

static const char *const rdna3[CODES] = {
    [0x01] = "SMEM_RD",    [0x13] = "BARRIER",    [0x21] = "SGMEM_RD_1", [0x22] = "SGMEM_RD_2", [0x24] = "SGMEM_WR_2",
    [0x25] = "SGMEM_WR_3", [0x26] = "SGMEM_WR_4", [0x27] = "SGMEM_WR_5", [0x28] = "SGMEM_WR_6",
};

static const char *const rdna4[CODES] = {
    [0x01] = "SMEM",           [0x02] = "SMEM_WR",      [0x07] = "SALU_NO_EXEC", [0x0a] = "VALU_1",
    [0x0c] = "VALUB_1",        [0x13] = "BARRIER_WAIT", [0x21] = "VMEM_RD_1",    [0x22] = "VMEM_RD_2",
    [0x23] = "VMEM_WR_1",      [0x24] = "VMEM_WR_2",    [0x25] = "VMEM_WR_3",    [0x26] = "VMEM_WR_4",
    [0x27] = "VMEM_WR_5",      [0x28] = "VMEM_WR_6",    [0x2f] = "BUF_RD_1",     [0x30] = "BUF_RD_2",
    [0x31] = "BUF_WR_1",       [0x32] = "BUF_WR_2",     [0x33] = "BUF_WR_3",     [0x34] = "BUF_WR_4",
    [0x35] = "BUF_WR_5",       [0x36] = "BUF_WR_6",     [0x6e] = "LDS_DIR_LOAD", [0x6f] = "LDS_PARAM_LOAD",
    [0x74] = "VALU_WR_EXEC_2", [0x77] = "OTHER_LDS_6",  [0x78] = "OTHER_LDS_10", [0x7a] = "BARRIER_SIGNAL",
    [0x87] = "DYN_VGPR",       [0x8a] = "BARRIER_JOIN", [0x8c] = "WMMA_8",       [0x8d] = "WMMA_16",
    [0x8e] = "WMMA_32",        [0x8f] = "WMMA_64",      [0x92] = "VALU_DPFP",    [0x98] = "SALU_FLOAT_3",
    [0x99] = "VALU_SCL_TRANS", [0x9b] = "SALU_2",       [0x9c] = "SALU_5",
};

static const char *const cdna[CODES] = {
    [0] = "SMEM_RD",  [1] = "SALU_32",  [2] = "VMEM_RD",  [3] = "VMEM_WR",   [4] = "FLAT_WR",  [5] = "VALU_32",
    [6] = "LDS",      [7] = "PC",       [12] = "JUMP",    [13] = "NEXT",     [14] = "FLAT_RD", [15] = "OTHER_MSG",
    [16] = "SMEM_WR", [17] = "SALU_64", [18] = "VALU_64", [28] = "VALU_MAI",
};

/* Memory instructions of other SIMDs, by their length: from a code on that is the family's, so many. */
static const char *const other_memory[34] = {
    "OTHER_VMEM_1",  "OTHER_VMEM_2",  "OTHER_VMEM_3",  "OTHER_VMEM_4",  "OTHER_VMEM_5",  "OTHER_VMEM_6",
    "OTHER_VMEM_7",  "OTHER_VMEM_8",  "OTHER_VMEM_9",  "OTHER_VMEM_10", "OTHER_VMEM_11", "OTHER_VMEM_12",
    "OTHER_VMEM_13", "OTHER_VMEM_14", "OTHER_VMEM_15", "OTHER_VMEM_16", "OTHER_VMEM_17", "OTHER_VMEM_18",
    "OTHER_VMEM_19", "OTHER_VMEM_20", "OTHER_VMEM_21", "OTHER_VMEM_22", "OTHER_VMEM_23", "OTHER_VMEM_24",
    "OTHER_VMEM_25", "OTHER_VMEM_26", "OTHER_VMEM_27", "OTHER_VMEM_28", "OTHER_VMEM_29", "OTHER_VMEM_30",
    "OTHER_VMEM_31", "OTHER_VMEM_32", "OTHER_VMEM_33", "OTHER_VMEM_34",
};

static const struct {
    unsigned from, count;
} other_codes[PF_SQTT_FAMILIES] = {[PF_SQTT_RDNA3] = {0x5a, 13}, [PF_SQTT_RDNA4] = {0xbc, 34}};

const char *pf_sqtt_operation(pf_sqtt_family family, unsigned code)
{
    static const char *const *const families[PF_SQTT_FAMILIES] = {rdna3, rdna4, cdna};
    unsigned other = code - other_codes[family].from;
    if (other < other_codes[family].count || code >= CODES) {
        return code < CODES ? other_memory[other] : NULL;
    }
    return family != PF_SQTT_CDNA && rdna[code] ? rdna[code] : families[family][code];
}

const char *pf_sqtt_alu(unsigned source)
{
    static const char *const names[] = {"NONE", "SALU", "VALU", "VALU_SALU"};
    return names[source & 3];
}

const char *pf_sqtt_memory(unsigned source)
{
    static const char *const names[] = {"LDS", "LDS_ALT", "VMEM", "VMEM_ALT"};
    return names[source & 3];
}

bool pf_sqtt_is_other(const char *operation)
{
    return strncmp(operation, "OTHER_", strlen("OTHER_")) == 0;
}

/* The first word of a name decides. */
static const struct {
    const char *word;
    uint8_t unit, other;
} units[] = {
    {"WMMA", PF_SQTT_UNIT_VALU, PF_SQTT_UNIT_NONE},     {"VALU", PF_SQTT_UNIT_VALU, PF_SQTT_UNIT_NONE},
    {"VALU1", PF_SQTT_UNIT_VALU, PF_SQTT_UNIT_NONE},    {"VALUT", PF_SQTT_UNIT_VALU, PF_SQTT_UNIT_NONE},
    {"VALUB", PF_SQTT_UNIT_VALU, PF_SQTT_UNIT_NONE},    {"VALUINST", PF_SQTT_UNIT_VALU, PF_SQTT_UNIT_NONE},
    {"VINTERP", PF_SQTT_UNIT_VALU, PF_SQTT_UNIT_NONE},  {"SALU", PF_SQTT_UNIT_SALU, PF_SQTT_UNIT_NONE},
    {"SMEM", PF_SQTT_UNIT_SALU, PF_SQTT_UNIT_NONE},     {"SGMEM", PF_SQTT_UNIT_VMEM, PF_SQTT_UNIT_VMEM_ALT},
    {"VMEM", PF_SQTT_UNIT_VMEM, PF_SQTT_UNIT_VMEM_ALT}, {"FLAT", PF_SQTT_UNIT_VMEM, PF_SQTT_UNIT_VMEM_ALT},
    {"LDS", PF_SQTT_UNIT_LDS, PF_SQTT_UNIT_LDS_ALT},
};

pf_sqtt_unit pf_sqtt_unit_of(const char *operation)
{
    bool other = pf_sqtt_is_other(operation);
    const char *word = other ? operation + strlen("OTHER_") : operation;
    size_t len = strcspn(word, "_");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i].word) == len && memcmp(units[i].word, word, len) == 0) {
            return other ? units[i].other : units[i].unit;
        }
    }
    return PF_SQTT_UNIT_NONE;
}

unsigned pf_sqtt_cycles_of(const char *operation)
{
    const char *last = strrchr(operation, '_');
    unsigned cycles = 0;
    for (const char *c = last ? last + 1 : ""; *c; c++) {
        if (*c < '0' || *c > '9') {
            return 1;
        }
        cycles = cycles * 10 + (unsigned)(*c - '0');
    }
    return cycles ? cycles : 1;
}
