/* read/neutrino/neutrino_reading.h - one Neutrino input on its way into a trace, and the steps of reading it. */
#ifndef PF_READ_NEUTRINO_NEUTRINO_READING_H
#define PF_READ_NEUTRINO_NEUTRINO_READING_H

#include "base/buffer.h"
#include "base/text/demangle.h"
#include "base/text/number.h"
#include "postfetto/reader.h"
#include "read/neutrino/neutrino_tables.h"
#include "read/neutrino/section_layout.h"

typedef struct neutrino_reading {
    pf_reading *r;
    pf_trace *t;
    pf_side_table *table[NEUTRINO_TABLES];
    bool wants_records;
    int forced_layout;          /* neutrino_layout, or -1 */
    const neutrino_maps *given; /* --map; NULL: none */

    /* The run that is being read. */
    uint32_t run; /* row of neutrino_run, or PF_NONE */
    const neutrino_maps *maps;
    bool has_log, hip;
    uint32_t first_launch, first_kernel;

    pf_demangler demangler;
    uint32_t good, bad; /* files with results */
    unsigned layouts;   /* a bit for each that was found */
    pf_error first_error;
} neutrino_reading;

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static inline pf_side_table *pf_neutrino_table(const neutrino_reading *n, neutrino_table_id id)
{
    return n->table[id];
}

/* A new row of NULLs, *row. */
pf_status pf_neutrino_row(neutrino_reading *n, neutrino_table_id id, uint32_t *row, pf_error *err);
pf_status pf_neutrino_text(neutrino_reading *n, neutrino_table_id id, unsigned column, uint32_t row, pf_str text,
                           pf_error *err);
static inline void pf_neutrino_number(neutrino_reading *n, neutrino_table_id id, unsigned column, uint32_t row,
                                      uint64_t v)
{
    *pf_side_number(n->table[id], column, row) = (int64_t)v;
}
static inline void pf_neutrino_real(neutrino_reading *n, neutrino_table_id id, unsigned column, uint32_t row, double v)
{
    *pf_side_real(n->table[id], column, row) = v;
}
static inline void pf_neutrino_ref(neutrino_reading *n, neutrino_table_id id, unsigned column, uint32_t row,
                                   uint32_t to)
{
    *pf_side_ref(n->table[id], column, row) = to;
}

/* The string of a kernel's name as it is written in C++: the name itself where it is none of C++. */
pf_status pf_neutrino_written(neutrino_reading *n, pf_str name, uint32_t *id, pf_error *err);

/* Notes what is wrong with a file. fatal: nothing of it could be used. */
pf_status pf_neutrino_fault(neutrino_reading *n, const char *file, const neutrino_fault *fault, bool fatal,
                            pf_error *err);
pf_status pf_neutrino_note(neutrino_reading *n, const char *file, const char *field, pf_error *err, const char *format,
                           ...) __attribute__((format(printf, 5, 6)));

/* Of a tree a file that cannot be used, for the reason in *err, does not keep the others from being read. */
pf_status pf_neutrino_failed(neutrino_reading *n, const char *file, pf_error *err);

/* The bytes of a file of a folder; ptr NULL: it is not there, or a fault that was noted. */
pf_status pf_neutrino_file_bytes(neutrino_reading *n, const char *path, pf_bytes *out, pf_error *err);

static inline pf_str pf_neutrino_str(const char *s)
{
    return (pf_str){s, s ? __builtin_strlen(s) : 0};
}

/* ---- the steps --------------------------------------------------------------------------------------------------- */

/* Each takes the content of one file, whose name faults and rows give. */
pf_status pf_neutrino_read_log(neutrino_reading *n, pf_str log, pf_error *err);
pf_status pf_neutrino_read_tensors(neutrino_reading *n, pf_str text, pf_error *err);
pf_status pf_neutrino_read_kernel(neutrino_reading *n, const char *folder, pf_str info, pf_str process_log,
                                  pf_error *err);
pf_status pf_neutrino_read_latency(neutrino_reading *n, pf_str text, const char *file, pf_error *err);
pf_status pf_neutrino_read_stdout(neutrino_reading *n, pf_str text, const char *folder, pf_error *err);
pf_status pf_neutrino_read_dmat(neutrino_reading *n, pf_bytes file, const char *name, pf_error *err);
pf_status pf_neutrino_read_trace(neutrino_reading *n, pf_bytes file, const char *name, const neutrino_maps *kernel,
                                 uint32_t launch, pf_error *err);

/* The input as records of any in-kernel profiler, which the file `schema` describes. */
pf_status pf_neutrino_read_kernel_records(neutrino_reading *n, const char *schema, pf_error *err);

/* Maps as rows of neutrino_map. */
pf_status pf_neutrino_note_maps(neutrino_reading *n, const neutrino_maps *maps, pf_error *err);

/* The records of a section as rows, where they are wanted. */
pf_status pf_neutrino_add_records(neutrino_reading *n, uint32_t section, const neutrino_header *h,
                                  const neutrino_section *s, const neutrino_map *map, const uint8_t *data,
                                  pf_error *err);

/* Launches and allocations of the run as slices and counters. */
pf_status pf_neutrino_draw_launches(neutrino_reading *n, int64_t pid, pf_str command, pf_error *err);

/* A folder: one run directory or a tree of them. */
pf_status pf_neutrino_read_folder(neutrino_reading *n, pf_error *err);

/* The run directory `folder` ("": the input itself); only_trace: the one binary trace to read, or NULL for all. */
pf_status pf_neutrino_read_run(neutrino_reading *n, const char *folder, const char *only_trace, pf_error *err);

/* "folder/name", or the name alone; lives as long as the trace. NULL and *err filled if refused. */
const char *pf_neutrino_join(neutrino_reading *n, const char *folder, const char *name, pf_error *err);

static inline bool pf_neutrino_ends(const char *name, const char *ending)
{
    size_t a = __builtin_strlen(name), b = __builtin_strlen(ending);
    return a >= b && __builtin_memcmp(name + a - b, ending, b) == 0;
}

/* The path of a file that is named from the input on, with that of the input in front. */
const char *pf_neutrino_full_path(neutrino_reading *n, const char *file, pf_error *err);

/* Whether a file is of that kind, packed or not: "0.5.bin", "0.5.bin.gz". */
bool pf_neutrino_is_file(const char *name, const char *ending);

#endif
