/* read/tinygrad/hardware/hardware_tables.c - the side tables of what the device recorded, as SQL sees them. */
#include <string.h>

#include "read/tinygrad/hardware/hardware.h"

#define EVENT "tinygrad_event"
#define STREAM "tinygrad_sqtt"
#define INT(name, unit, help)                                                                                          \
    {                                                                                                                  \
        name, PF_COLUMN_INT, unit, NULL, help, 0                                                                       \
    }
#define TEXT(name, help)                                                                                               \
    {                                                                                                                  \
        name, PF_COLUMN_TEXT, NULL, NULL, help, 0                                                                      \
    }
#define ROW(name, of, help)                                                                                            \
    {                                                                                                                  \
        name, PF_COLUMN_ROW, NULL, of, help, 0                                                                         \
    }

static const pf_side_column program_columns[] = {
    ROW("event", EVENT, "the event that describes it"),
    TEXT("name", "name, with colours"),
    INT("tag", NULL, "the number that streams call it by; NULL: they use its name"),
    INT("base", NULL, "address at which it was loaded"),
    TEXT("target", "instruction set: gfx1100"),
    INT("bytes", "bytes", "size of the code object"),
    ROW("code", "tinygrad_code", "its first instruction; NULL: no stream needed it, or it has none"),
    TEXT("profile_key", "key by which ranges name it, in hexadecimal"),
};
static const pf_side_column code_columns[] = {
    ROW("program", "tinygrad_program", "whose instruction"),
    INT("pc", NULL, "program counter, from the beginning of the object"),
    INT("size", "bytes", "length"),
};
static const pf_side_column stream_columns[] = {
    ROW("event", EVENT, "the event that carries it"),
    TEXT("kernel", "the program, by name"),
    INT("tag", NULL, "the program, by number"),
    ROW("program", "tinygrad_program", "the program; NULL: it is not in the profile"),
    INT("se", NULL, "shader engine"),
    INT("itrace", NULL, "1: instructions are traced"),
    INT("exec_tag", NULL, "number of the execution"),
    INT("bytes", "bytes", "length"),
    INT("packets", NULL, "packets"),
    INT("first_time", "cycles", "time of the first packet"),
    INT("last_time", "cycles", "time of the last packet"),
    INT("layout", NULL, "of the last header: 3 RDNA3, 4 RDNA4, others CDNA"),
    INT("waves_open", NULL, "waves that did not end"),
    INT("unmatched_ends", NULL, "ends of waves that had not begun"),
    INT("max_waves", NULL, "the most waves at a time"),
    INT("wave_cycles", "cycles", "sum of the lengths of all waves that ended"),
    INT("instructions", NULL, "issues with a known program counter; NULL: no instruction trace"),
    INT("lost_waves", NULL, "waves whose packets and code did not agree"),
    INT("strays", NULL, "issues of waves that had not begun"),
    ROW("first_packet", "tinygrad_sqtt_packet", "NULL: not listed, see --stream-rows"),
    INT("slices", NULL, "rows of tinygrad_sqtt_slice; NULL: not listed, see --stream-rows"),
};
static const pf_side_column count_columns[] = {
    ROW("stream", STREAM, "of which stream"),
    TEXT("kind", "kind of packet"),
    INT("packets", NULL, "how many there are"),
};
static const pf_side_column packet_columns[] = {
    ROW("stream", STREAM, "of which stream"),
    INT("time", "cycles", "shader cycles since the stream began"),
    TEXT("kind", "kind of packet"),
    INT("raw", NULL, "its bits, the first 64 at most; negative where bit 63 is set"),
};
static const pf_side_column field_columns[] = {
    TEXT("kind", "kind of packet"),
    TEXT("field", "name; two rows of one name are two pieces of one value"),
    INT("high", NULL, "highest bit"),
    INT("low", NULL, "lowest bit"),
    INT("shift", NULL, "how far the piece goes to the left"),
    TEXT("words", "its numbers have names, see tinygrad_sqtt_word"),
};
static const pf_side_column word_columns[] = {
    TEXT("words", "rdna3, rdna4, cdna (operations), alu, memory"),
    INT("code", NULL, "number"),
    TEXT("name", "name"),
};
static const pf_side_column slot_columns[] = {
    INT("cu", NULL, "compute unit of its shader engine"),
    INT("simd", NULL, "SIMD of the unit"),
    INT("wave", NULL, "wave slot of the SIMD"),
};
static const pf_side_column wave_columns[] = {
    ROW("stream", STREAM, "of which stream"),
    ROW("slot", "tinygrad_sqtt_slot", "where it ran"),
    INT("start", "cycles", "first time"),
    INT("end", "cycles", "last time"),
};
static const pf_side_column traced_wave_columns[] = {
    ROW("wave", "tinygrad_sqtt_wave", "a wave whose instructions are traced"),
    INT("instructions", NULL, "issues with a known program counter"),
    INT("wait", "cycles", "spent at instructions that wait"),
    INT("lost", NULL, "1: packets and code did not agree"),
};
static const pf_side_column occupancy_columns[] = {
    ROW("stream", STREAM, "of which stream"),
    INT("time", "cycles", "from then on"),
    INT("waves", NULL, "so many waves are open"),
};
static const pf_side_column clock_columns[] = {
    ROW("stream", STREAM, "of which stream"),
    INT("time", "cycles", "time of a marker"),
    INT("hz", "Hz", "shader clock since the marker before it"),
};
static const pf_side_column instruction_columns[] = {
    ROW("stream", STREAM, "of which stream"),
    INT("pc", NULL, "program counter"),
    INT("hits", NULL, "how often it was issued"),
    INT("gap", "cycles", "sum of the times since the waves' instructions before it"),
    INT("wait", "cycles", "of instructions that wait: gap less a cycle for each hit; else 0"),
};
static const pf_side_column slice_columns[] = {
    ROW("stream", STREAM, "of which stream"),
    TEXT("row", "WAVE:n: what a wave issues; else a unit that executes"),
    TEXT("name", "operation"),
    INT("start", "cycles", "first cycle"),
    INT("length", "cycles", "how long"),
    INT("pc", NULL, "program counter of what is issued"),
    ROW("link", "tinygrad_sqtt_slice", "of an execution: what issued it"),
    INT("index", NULL, "its number in its row, from 0, in the order of the packets"),
};
static const pf_side_column pmc_columns[] = {
    ROW("event", EVENT, "the event that carries it"),
    TEXT("kernel", "the program, by name"),
    INT("tag", NULL, "the program, by number"),
    INT("exec_tag", NULL, "number of the execution"),
    TEXT("name", "counter"),
    TEXT("block", "part of the device"),
    INT("xcc", NULL, "how many dies it has values for"),
    INT("instances", NULL, "how many instances"),
    INT("se", NULL, "how many shader engines"),
    INT("sa", NULL, "how many shader arrays"),
    INT("wgp", NULL, "how many workgroup processors"),
    INT("offset", "bytes", "where its values begin"),
    INT("size", "bytes", "of its values"),
    TEXT("register", "the register it was read from"),
    INT("sum", NULL, "sum of its values; NULL beyond 63 bits"),
    TEXT("sum_digits", "the sum where it is beyond 63 bits"),
    ROW("first_value", "tinygrad_pmc_value", "xcc is the slowest, wgp the fastest; NULL: its values are not there"),
    INT("values", NULL, "how many there are"),
};
static const pf_side_column pmc_value_columns[] = {
    ROW("counter", "tinygrad_pmc", "whose value"),
    INT("value", NULL, "NULL beyond 63 bits"),
    TEXT("digits", "the value where it is beyond 63 bits"),
};
static const pf_side_column pma_columns[] = {
    ROW("event", EVENT, "the event that carries it"),
    TEXT("kernel", "the program, by name"),
    INT("tag", NULL, "the program, by number"),
    INT("exec_tag", NULL, "number of the execution"),
    INT("sm_version", NULL, "of the device; decides how samples look"),
    INT("bytes", "bytes", "length"),
    INT("samples", NULL, "samples"),
    INT("dropped", NULL, "packets that say that samples before them were lost"),
    ROW("first_sample", "tinygrad_pma_sample", "NULL: not listed, see --stream-rows"),
    TEXT("profile_key", "of the program, in hexadecimal"),
};
static const pf_side_column stall_columns[] = {
    ROW("stream", "tinygrad_pma", "of which stream"),
    INT("pc", NULL, "program counter, from the start of the program"),
    TEXT("reason", "why a warp stood there; NONE: it did not"),
    INT("samples", NULL, "how often it was seen so"),
};
static const pf_side_column sample_columns[] = {
    ROW("stream", "tinygrad_pma", "of which stream"),
    INT("gpc", NULL, "graphics processing cluster"),
    INT("tpc", NULL, "texture processing cluster in it"),
    INT("sm", NULL, "multiprocessor in that"),
    INT("pc", NULL, "program counter"),
    TEXT("reason", "why the warp stood"),
    INT("key", NULL, "the reason as the hardware numbers it"),
    INT("wave", NULL, "warp slot"),
    INT("active", NULL, "1: the warp was chosen"),
};

static const pf_side_column record_columns[] = {
    ROW("kernel", EVENT, "the range of the kernel"),
    ROW("event", EVENT, "the thread trace or the counters"),
    INT("run", NULL, "number of the kernel's execution among those with records, from 0"),
};

#define TABLE(name, help, columns)                                                                                     \
    {                                                                                                                  \
        name, help, columns, sizeof(columns) / sizeof *(columns)                                                       \
    }

static const pf_side_spec specs[PF_HW_TABLES] = {
    [PF_HW_PROGRAM] = TABLE("tinygrad_program", "programs that were loaded", program_columns),
    [PF_HW_CODE] = TABLE("tinygrad_code", "instructions of programs that were traced", code_columns),
    [PF_HW_STREAM] = TABLE(STREAM, "thread traces, one for each shader engine and execution", stream_columns),
    [PF_HW_COUNT] = TABLE("tinygrad_sqtt_count", "packets of each kind in each stream", count_columns),
    [PF_HW_PACKET] = TABLE("tinygrad_sqtt_packet", "packets", packet_columns),
    [PF_HW_FIELD] = TABLE("tinygrad_sqtt_field", "the fields of packets of each kind", field_columns),
    [PF_HW_WORD] = TABLE("tinygrad_sqtt_word", "names of the numbers in fields", word_columns),
    [PF_HW_SLOT] = TABLE("tinygrad_sqtt_slot", "places where waves ran", slot_columns),
    [PF_HW_WAVE] = TABLE("tinygrad_sqtt_wave", "waves that ended, in the order of their ends", wave_columns),
    [PF_HW_TRACED_WAVE] =
        TABLE("tinygrad_sqtt_traced_wave", "what the traced unit's waves issued", traced_wave_columns),
    [PF_HW_OCCUPANCY] = TABLE("tinygrad_sqtt_occupancy", "open waves over time, see --stream-rows", occupancy_columns),
    [PF_HW_CLOCK] = TABLE("tinygrad_sqtt_clock", "shader clock over time", clock_columns),
    [PF_HW_INSTRUCTION] =
        TABLE("tinygrad_sqtt_instruction", "sums for each instruction of the traced unit", instruction_columns),
    [PF_HW_SLICE] = TABLE("tinygrad_sqtt_slice", "issues and executions of the traced unit", slice_columns),
    [PF_HW_PMC] = TABLE("tinygrad_pmc", "hardware counters of executions", pmc_columns),
    [PF_HW_PMC_VALUE] = TABLE("tinygrad_pmc_value", "values of hardware counters", pmc_value_columns),
    [PF_HW_PMA] = TABLE("tinygrad_pma", "streams of samples of program counters", pma_columns),
    [PF_HW_PMA_STALL] = TABLE("tinygrad_pma_stall", "samples by program counter and reason", stall_columns),
    [PF_HW_RECORD] = TABLE("tinygrad_record", "records of the device whose kernel is known", record_columns),
    [PF_HW_PMA_SAMPLE] = TABLE("tinygrad_pma_sample", "samples", sample_columns),
};

const pf_side_spec *pf_hw_spec(size_t i)
{
    return i < PF_HW_TABLES ? &specs[i] : NULL;
}

pf_status pf_hw_add_tables(pf_hardware *h, pf_error *err)
{
    pf_status st = PF_OK;
    for (unsigned i = 0; st == PF_OK && i < PF_HW_TABLES; i++) {
        st = pf_trace_add_table(h->p->t, &specs[i], &h->table[i], err);
    }
    return st;
}

pf_status pf_hw_add_row(pf_hardware *h, pf_hw_table table, uint32_t *row, pf_error *err)
{
    pf_status st = pf_side_add_row(h->table[table], err);
    *row = st == PF_OK ? h->table[table]->count - 1 : PF_NONE;
    return st;
}

void pf_hw_set(pf_hardware *h, pf_hw_table table, unsigned column, uint32_t row, int64_t v)
{
    *pf_side_number(h->table[table], column, row) = v;
}

void pf_hw_refer(pf_hardware *h, pf_hw_table table, unsigned column, uint32_t row, uint32_t v)
{
    *pf_side_ref(h->table[table], column, row) = v;
}

pf_status pf_hw_text(pf_hardware *h, pf_hw_table table, unsigned column, uint32_t row, pf_str v, pf_error *err)
{
    return pf_trace_add_string(h->p->t, v, pf_side_ref(h->table[table], column, row), err);
}

pf_status pf_hw_word(pf_hardware *h, pf_hw_table table, unsigned column, uint32_t row, const char *v, pf_error *err)
{
    return pf_hw_text(h, table, column, row, (pf_str){v, v ? strlen(v) : 0}, err);
}
