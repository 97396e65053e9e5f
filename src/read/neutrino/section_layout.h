/* read/neutrino/section_layout.h - the header of a binary trace: which of the four layouts it has, and where the data
 * of each section lies (docs/reference/neutrino.md, "Binary trace"). */
#pragma once

#include "base/little_endian.h"
#include "read/neutrino/probe_maps.h"

#define NEUTRINO_HEADER 32u
#define NEUTRINO_SECTION_HEADER 16u

typedef enum neutrino_layout {
    NEUTRINO_V2 = 0, /* u32 bytes of a unit, u32 lanes of a unit's warp (1: threads), u64 offset */
    NEUTRINO_V1,     /* u64 bytes of a unit, u64 offset */
    NEUTRINO_V0,     /* u64 bytes of the section, u64 offset */
    NEUTRINO_HIP,    /* u32 bytes of the section, u32 of any value, u64 offset; warps of 64 lanes */
    NEUTRINO_LAYOUTS
} neutrino_layout;

const char *pf_neutrino_layout_name(neutrino_layout l);

typedef struct neutrino_section {
    uint64_t unit_bytes, units, units_per_block;
    neutrino_level level;
    uint64_t offset, stored_offset;
    uint64_t length;   /* as it should be */
    uint64_t complete; /* units that are all there */
} neutrino_section;

typedef struct neutrino_header {
    uint32_t grid[3], block[3], shared, sections;
    uint64_t blocks, threads; /* of the grid, of a block */
} neutrino_header;

/* What is wrong: the field, and a sentence. */
typedef struct neutrino_fault {
    char field[64];
    char text[256];
    uint64_t offset;
} neutrino_fault;

/* Fills it; returns false. The second is for a field, `at` bytes into the header of section `i`. */
bool pf_neutrino_fault_at(neutrino_fault *f, uint64_t offset, const char *field, const char *text);
bool pf_neutrino_fault_in(neutrino_fault *f, uint32_t i, unsigned at, const char *field, const char *text);

/* What is known besides the file. */
typedef struct neutrino_hints {
    const neutrino_maps *maps;   /* what each section holds; NULL or shorter: not known */
    const neutrino_maps *kernel; /* the sections of kernel.info; NULL: not known */
    bool is_run;                 /* the driver's log or a kernel.info is there */
    bool hip;                    /* the log has calls of AMD's runtime */
    int forced;                  /* neutrino_layout, or -1 */
} neutrino_hints;

/* The fixed header; false with the fault filled. */
bool pf_neutrino_read_header(const uint8_t *file, size_t size, neutrino_header *h, neutrino_fault *fault);

/* Chooses the layout and fills `s`, h->sections of them (the caller checked that so many headers are in the file).
 * False: nothing can be read. *warp: lanes of a warp. */
bool pf_neutrino_place_sections(const uint8_t *file, size_t size, const neutrino_header *h, const neutrino_hints *hints,
                                neutrino_section *s, neutrino_layout *layout, unsigned *warp, neutrino_fault *fault);
