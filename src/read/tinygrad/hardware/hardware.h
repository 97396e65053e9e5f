/* read/tinygrad/hardware/hardware.h - what the device itself recorded: programs, thread traces (SQTT), counters (PMC)
 * and samples (PMA). Events carry them as bytes; here the decoders of sqtt/ and counters/ make rows of side tables of
 * them.
 *
 * Tables that list packets, slices or samples one by one have many more bytes than the file has, so they take whole
 * streams up to so many rows (--stream-rows). Sums, waves, and what is known of each instruction are always there.
 */
#pragma once

#include "read/tinygrad/profile/profile.h"
#include "read/tinygrad/sqtt/sqtt_trace.h"
#include "read/tinygrad/sqtt/sqtt_waves.h"

typedef struct pf_tiny_hardware {
    pf_tiny_profile *p;
    uint32_t rows_left[PF_TINY_TABLES]; /* of the tables that list things one by one */
    pf_map programs;                    /* pf_tiny_kernel_key of what a stream names -> row of tinygrad_program */
    pf_map slots;                       /* cu, simd, wave -> row of tinygrad_sqtt_slot */
    pf_map devices;                     /* string id of a name -> row of tinygrad_device */
    uint64_t stream_bytes_left, code_bytes_left;
    uint32_t kind_names[PF_SQTT_KINDS];
    pf_sqtt_tables sqtt;
    pf_sqtt_waves waves;
    pf_sqtt_trace trace;
    bool has_streams; /* the three above are ready */
    pf_amd_code code; /* of the program below */
    uint32_t code_of; /* row of tinygrad_program, PF_NONE: no code */
} pf_tiny_hardware;

/* ---- hardware.c -------------------------------------------------------------------------------------------------- */

/* Fills the tables from the events of this profile, which begin at row first_event of tinygrad_event. */
pf_status pf_tiny_read_hardware(pf_tiny_profile *p, uint32_t first_event);

/* ---- hardware_programs.c ----------------------------------------------------------------------------------------- */

/* What a stream calls its program: a text, or a number where it is not INT64_MIN. As a key of a map, too. */
typedef struct pf_tiny_kernel {
    uint32_t name; /* string id */
    int64_t tag;
} pf_tiny_kernel;
pf_tiny_kernel pf_tiny_kernel_of(pf_tiny_profile *p, uint32_t object);
uint64_t pf_tiny_kernel_key(uint32_t name, int64_t tag);

/* What the driver says of the event's device; `otherwise` if it does not. */
int64_t pf_tiny_property(const pf_tiny_hardware *h, uint32_t event, const char *name, int64_t otherwise);

/* Counts bytes that are about to be decoded; left: h->stream_bytes_left or code_bytes_left. PF_ERR_LIMIT: far more than
 * the file has. */
pf_status pf_tiny_spend(const pf_tiny_hardware *h, uint64_t *left, uint64_t bytes);

/* Whether so many rows are still listed in the table; if not, none are from now on. */
bool pf_tiny_takes_rows(pf_tiny_hardware *h, pf_tiny_table table, uint64_t rows);

pf_status pf_tiny_read_program(pf_tiny_hardware *h, uint32_t event, uint32_t object);

/* The code of a program, cut, in h->code; without instructions where there is none. */
pf_status pf_tiny_open_code(pf_tiny_hardware *h, uint32_t program);

/* ---- packet_dictionary.c ----------------------------------------------------------------------------------------- */

/* What packets are made of, once for all traces; h->kind_names. */
pf_status pf_tiny_add_dictionary(pf_tiny_hardware *h);

/* ---- hardware_streams.c, hardware_pmc.c, hardware_pma.c ------------------------------------------------------------
 */

pf_status pf_tiny_read_stream(pf_tiny_hardware *h, uint32_t event, uint32_t object);
pf_status pf_tiny_read_pmc(pf_tiny_hardware *h, uint32_t event, uint32_t object);
pf_status pf_tiny_read_pma(pf_tiny_hardware *h, uint32_t event, uint32_t object);
