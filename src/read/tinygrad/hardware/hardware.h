/* read/tinygrad/hardware/hardware.h - what the device itself recorded: programs, thread traces (SQTT), counters (PMC)
 * and samples (PMA). Events carry them as bytes; here the decoders of sqtt/ and counters/ make rows of side tables of
 * them.
 *
 * Tables that list packets, slices or samples one by one have many more bytes than the file has, so they take whole
 * streams up to so many rows (--stream-rows). Sums, waves, and what is known of each instruction are always there.
 */
#ifndef PF_READ_TINYGRAD_HARDWARE_H
#define PF_READ_TINYGRAD_HARDWARE_H

#include "read/tinygrad/profile/profile.h"
#include "read/tinygrad/sqtt/sqtt_trace.h"
#include "read/tinygrad/sqtt/sqtt_waves.h"

typedef enum pf_hw_table {
    PF_HW_PROGRAM = 0,
    PF_HW_CODE,
    PF_HW_STREAM,
    PF_HW_COUNT,
    PF_HW_PACKET,
    PF_HW_FIELD,
    PF_HW_WORD,
    PF_HW_SLOT,
    PF_HW_WAVE,
    PF_HW_TRACED_WAVE,
    PF_HW_OCCUPANCY,
    PF_HW_CLOCK,
    PF_HW_INSTRUCTION,
    PF_HW_SLICE,
    PF_HW_PMC,
    PF_HW_PMC_VALUE,
    PF_HW_PMA,
    PF_HW_PMA_STALL,
    PF_HW_PMA_SAMPLE,
    PF_HW_RECORD, /* filled by timeline/tiny_records.c */
    PF_HW_TABLES
} pf_hw_table;

/* Columns, in the order of hardware_tables.c. */
enum {
    PROGRAM_EVENT = 0,
    PROGRAM_NAME,
    PROGRAM_TAG,
    PROGRAM_BASE,
    PROGRAM_TARGET,
    PROGRAM_BYTES,
    PROGRAM_CODE,
    PROGRAM_KEY
};
enum { CODE_PROGRAM = 0, CODE_PC, CODE_SIZE };
enum {
    STREAM_EVENT = 0,
    STREAM_KERNEL,
    STREAM_TAG,
    STREAM_PROGRAM,
    STREAM_SE,
    STREAM_ITRACE,
    STREAM_EXECUTION,
    STREAM_BYTES,
    STREAM_PACKETS,
    STREAM_FIRST_TIME,
    STREAM_LAST_TIME,
    STREAM_LAYOUT,
    STREAM_WAVES_OPEN,
    STREAM_UNMATCHED_ENDS,
    STREAM_MOST_WAVES,
    STREAM_WAVE_CYCLES,
    STREAM_INSTRUCTIONS,
    STREAM_LOST_WAVES,
    STREAM_STRAYS,
    STREAM_FIRST_PACKET,
    STREAM_SLICES
};
enum { COUNT_STREAM = 0, COUNT_KIND, COUNT_PACKETS };
enum { PACKET_STREAM = 0, PACKET_TIME, PACKET_KIND, PACKET_RAW };
enum { FIELD_KIND = 0, FIELD_NAME, FIELD_HIGH, FIELD_LOW, FIELD_SHIFT, FIELD_WORDS };
enum { WORD_WORDS = 0, WORD_CODE, WORD_NAME };
enum { SLOT_CU = 0, SLOT_SIMD, SLOT_WAVE };
enum { WAVE_STREAM = 0, WAVE_SLOT, WAVE_START, WAVE_END };
enum { TRACED_WAVE = 0, TRACED_INSTRUCTIONS, TRACED_WAIT, TRACED_LOST };
enum { LEVEL_STREAM = 0, LEVEL_TIME, LEVEL_VALUE }; /* of occupancy and clock */
enum { INSTRUCTION_STREAM = 0, INSTRUCTION_PC, INSTRUCTION_HITS, INSTRUCTION_GAP, INSTRUCTION_WAIT };
enum { SLICE_STREAM = 0, SLICE_ROW, SLICE_NAME, SLICE_START, SLICE_LENGTH, SLICE_PC, SLICE_LINK, SLICE_INDEX };
enum {
    PMC_EVENT = 0,
    PMC_KERNEL,
    PMC_TAG,
    PMC_EXECUTION,
    PMC_NAME,
    PMC_BLOCK,
    PMC_XCC,
    PMC_INSTANCES,
    PMC_SE,
    PMC_SA,
    PMC_WGP,
    PMC_OFFSET,
    PMC_SIZE,
    PMC_REGISTER,
    PMC_SUM,
    PMC_SUM_DIGITS,
    PMC_FIRST_VALUE,
    PMC_VALUES
};
enum { PMC_VALUE_COUNTER = 0, PMC_VALUE_VALUE, PMC_VALUE_DIGITS };
enum {
    PMA_EVENT = 0,
    PMA_KERNEL,
    PMA_TAG,
    PMA_EXECUTION,
    PMA_SM_VERSION,
    PMA_BYTES,
    PMA_SAMPLES,
    PMA_DROPPED,
    PMA_FIRST_SAMPLE,
    PMA_KEY
};
enum { STALL_STREAM = 0, STALL_PC, STALL_REASON, STALL_SAMPLES };
enum {
    SAMPLE_STREAM = 0,
    SAMPLE_GPC,
    SAMPLE_TPC,
    SAMPLE_SM,
    SAMPLE_PC,
    SAMPLE_REASON,
    SAMPLE_KEY,
    SAMPLE_WAVE,
    SAMPLE_ACTIVE
};

enum { RECORD_KERNEL = 0, RECORD_EVENT, RECORD_RUN };

typedef struct pf_hardware {
    pf_tiny_profile *p;
    pf_side_table *table[PF_HW_TABLES];
    uint32_t rows_left[PF_HW_TABLES]; /* of the tables that list things one by one */
    pf_map programs;                  /* pf_hw_key of what a stream names -> row of PF_HW_PROGRAM */
    pf_map slots;                     /* cu, simd, wave -> row of PF_HW_SLOT */
    pf_map devices;                   /* string id of a name -> row of PF_TINY_DEVICE */
    uint64_t stream_bytes_left, code_bytes_left;
    uint32_t kind_names[PF_SQTT_KINDS];
    pf_sqtt_tables sqtt;
    pf_sqtt_waves waves;
    pf_sqtt_trace trace;
    bool has_streams; /* the three above are ready */
    pf_amd_code code; /* of the program below */
    uint32_t code_of; /* row of PF_HW_PROGRAM, PF_NONE: no code */
} pf_hardware;

/* ---- hardware.c -------------------------------------------------------------------------------------------------- */

/* Fills the tables from the events of this profile, which begin at row first_event of tinygrad_event. */
pf_status pf_tiny_read_hardware(pf_tiny_profile *p, uint32_t first_event, int64_t stream_rows, pf_error *err);

/* What a stream calls its program: a text, or a number. As a key of a map, and as cells. */
uint64_t pf_hw_key(uint32_t text, int64_t tag);
pf_status pf_hw_set_kernel(pf_hardware *h, pf_hw_table table, unsigned column, uint32_t row, uint32_t object,
                           pf_error *err);

/* The profile key of an object in hexadecimal; an object without one leaves the cell NULL. */
pf_status pf_hw_set_key(pf_hardware *h, pf_hw_table table, unsigned column, uint32_t row, uint32_t object,
                        pf_error *err);

/* What the driver says of the event's device; `otherwise` if it does not. */
int64_t pf_hw_property(const pf_hardware *h, uint32_t event, const char *name, int64_t otherwise);

/* Bytes in a field of an object. */
pf_bytes pf_hw_bytes(const pf_hardware *h, uint32_t object, const char *field);

/* Counts bytes of a stream, or of code, that are about to be decoded. PF_ERR_LIMIT: far more than the file has. */
pf_status pf_hw_spend_stream(pf_hardware *h, size_t bytes, pf_error *err);
pf_status pf_hw_spend_code(pf_hardware *h, size_t bytes, pf_error *err);

/* ---- hardware_tables.c ------------------------------------------------------------------------------------------- */

/* The specification of table i, NULL after the last. */
const pf_side_spec *pf_hw_spec(size_t i);
pf_status pf_hw_add_tables(pf_hardware *h, pf_error *err);
pf_status pf_hw_add_row(pf_hardware *h, pf_hw_table table, uint32_t *row, pf_error *err);
void pf_hw_set(pf_hardware *h, pf_hw_table table, unsigned column, uint32_t row, int64_t v);
void pf_hw_refer(pf_hardware *h, pf_hw_table table, unsigned column, uint32_t row, uint32_t v);
pf_status pf_hw_text(pf_hardware *h, pf_hw_table table, unsigned column, uint32_t row, pf_str v, pf_error *err);
pf_status pf_hw_word(pf_hardware *h, pf_hw_table table, unsigned column, uint32_t row, const char *v, pf_error *err);

/* ---- hardware_programs.c ----------------------------------------------------------------------------------------- */

pf_status pf_hw_read_program(pf_hardware *h, uint32_t event, uint32_t object, pf_error *err);

/* The code of a program, cut, in h->code; without instructions where there is none. */
pf_status pf_hw_open_code(pf_hardware *h, uint32_t program, pf_error *err);

/* ---- hardware_words.c -------------------------------------------------------------------------------------------- */

/* What packets are made of, once for all traces. */
pf_status pf_hw_fill_words(pf_hardware *h, pf_error *err);

/* ---- hardware_streams.c, hardware_lists.c ------------------------------------------------------------------------ */

pf_status pf_hw_read_stream(pf_hardware *h, uint32_t event, uint32_t object, pf_error *err);
pf_status pf_hw_list_waves(pf_hardware *h, uint32_t stream, pf_error *err);
pf_status pf_hw_list_levels(pf_hardware *h, uint32_t stream, pf_error *err);
pf_status pf_hw_list_instructions(pf_hardware *h, uint32_t stream, pf_error *err);
pf_status pf_hw_list_slices(pf_hardware *h, uint32_t stream, pf_error *err);
pf_status pf_hw_list_packets(pf_hardware *h, uint32_t stream, pf_bytes blob, pf_error *err);

/* ---- hardware_pmc.c, hardware_pma.c ------------------------------------------------------------------------------ */

pf_status pf_hw_read_pmc(pf_hardware *h, uint32_t event, uint32_t object, pf_error *err);
pf_status pf_hw_read_pma(pf_hardware *h, uint32_t event, uint32_t object, pf_error *err);

#endif
