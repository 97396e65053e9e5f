/* read/tinygrad/profile/tiny_tables.c - the side tables of a profile, as SQL sees them, and rows of them. */
#include "read/tinygrad/profile/profile.h"

#include <assert.h>
#include <string.h>

#define EVENT "tinygrad_event"
#define STREAM "tinygrad_sqtt"
#define INT(name, unit, help)                                                                                          \
    {                                                                                                                  \
        name, PF_COLUMN_INT, unit, NULL, help, 0                                                                       \
    }
#define REAL(name, unit, help)                                                                                         \
    {                                                                                                                  \
        name, PF_COLUMN_REAL, unit, NULL, help, 0                                                                      \
    }
#define TEXT(name, help)                                                                                               \
    {                                                                                                                  \
        name, PF_COLUMN_TEXT, NULL, NULL, help, 0                                                                      \
    }
#define ROW(name, of, help)                                                                                            \
    {                                                                                                                  \
        name, PF_COLUMN_ROW, NULL, of, help, 0                                                                         \
    }

#define TABLE(name, help, ...)                                                                                         \
    {                                                                                                                  \
        name, help, (const pf_side_column[]){__VA_ARGS__},                                                             \
            sizeof((const pf_side_column[]){__VA_ARGS__}) / sizeof(pf_side_column)                                     \
    }

static const pf_side_spec specs[PF_TINY_TABLES] = {
    [PF_TINY_PROFILE] = TABLE(
        "tinygrad_profile", "a profile", TEXT("generation", "dec25, mid26 or aug26: which fields the events have"),
        INT("items", NULL, "items of the pickled list"), INT("skipped", NULL, "items that are no event that is known")),
    [PF_TINY_DEVICE] = TABLE("tinygrad_device", "devices and the offsets of their clocks",
                             ROW("event", EVENT, "the event that describes it"), TEXT("device", "name"),
                             REAL("compute_offset", "us", "added to times of kernels"),
                             REAL("copy_offset", "us", "added to times of copies")),
    [PF_TINY_EVENT] =
        TABLE("tinygrad_event", "events in the order of the file, graphs with their entries",
              TEXT("kind", "device, range, point, graph, entry, batch, program, sqtt, pmc or pma"),
              TEXT("device", "device, or USER, TINY, GC"), TEXT("name", "as written, with colours"),
              INT("ts", "ns", "start on the host's clock"),
              INT("end", "ns", "end on the host's clock; of a point its time; NULL: the range was not ended"),
              REAL("dur", "us", "length; NULL for points"), INT("copy", NULL, "1: a copy, where the format says so"),
              ROW("graph", EVENT, "of an entry or batch: the graph launch")),
    [PF_TINY_NOTE] =
        TABLE("tinygrad_note", "what ranges and entries say besides their names",
              ROW("event", EVENT, "the range or entry"), INT("bytes", "bytes", "that the traced call moved"),
              TEXT("returned", "the text that the traced call returned; JSON{...} is an object"),
              ROW("stack", "tinygrad_call", "where it was called: the innermost frame"),
              TEXT("profile_key", "key of the program, in hexadecimal")),
    [PF_TINY_DEPENDENCY] =
        TABLE("tinygrad_dependency", "entries of graphs that wait for others",
              ROW("before", EVENT, "the entry that has to end"), ROW("after", EVENT, "the entry that waits for it")),
    [PF_TINY_MEMORY] = TABLE("tinygrad_memory", "buffers that are allocated or freed", ROW("event", EVENT, "the point"),
                             TEXT("action", "alloc or free"), INT("buffer", NULL, "id of the buffer"),
                             TEXT("dtype", "type of its items"), INT("item_bytes", "bytes", "size of an item"),
                             INT("items", NULL, "items; at most 1e12 are counted")),
    [PF_TINY_RUN] = TABLE("tinygrad_run", "executions as the host submits them", ROW("event", EVENT, "the point"),
                          INT("run", NULL, "id of the execution"), TEXT("kernel", "name, with colours"),
                          TEXT("metadata", "names of the operations, between commas")),
    [PF_TINY_RUN_BUFFER] =
        TABLE("tinygrad_run_buffer", "buffers that executions use", ROW("run", "tinygrad_run", "the execution"),
              INT("buffer", NULL, "id of the buffer"), INT("position", NULL, "its place among the arguments"),
              INT("mode", NULL, "2 read and written, 1 written, 0 read")),
    [PF_TINY_MARKER] = TABLE("tinygrad_marker", "markers", ROW("event", EVENT, "the point"),
                             TEXT("name", "what it marks"), TEXT("colour", "how the viewer draws it")),
    [PF_TINY_EXECUTION] = TABLE(
        "tinygrad_execution", "which execution a kernel is", ROW("event", EVENT, "the range or entry of a kernel"),
        ROW("run", "tinygrad_run", "the execution that it is: the n-th of its name on its device")),
    [PF_TINY_CALL] = TABLE("tinygrad_call", "frames of call stacks, shared by all that go through them",
                           TEXT("file", "path of the source"), INT("line", NULL, "line"), TEXT("function", "function"),
                           TEXT("code", "the line's text"), ROW("caller", "tinygrad_call", "the frame that called it")),
    [PF_TINY_SAMPLE] = TABLE("tinygrad_sample", "samples of devices that are counters (LINE:...)",
                             ROW("event", EVENT, "the point; its device is the counter"),
                             INT("value", NULL, "what the counter shows, up to 63 bits"),
                             TEXT("digits", "a value beyond 63 bits in decimal")),
    [PF_TINY_JSON] = TABLE("tinygrad_json", "what points named JSON add to the index", ROW("event", EVENT, "the point"),
                           TEXT("key", "member of the viewer's index"), TEXT("json", "its value")),
    [PF_TINY_VARIABLE] =
        TABLE("tinygrad_variable", "variables that executions bind", ROW("run", "tinygrad_run", "the execution"),
              TEXT("name", "of the variable"), INT("value", NULL, "what it was bound to")),
    [PF_TINY_PROGRAM] =
        TABLE("tinygrad_program", "programs that were loaded", ROW("event", EVENT, "the event that describes it"),
              TEXT("name", "name, with colours"),
              INT("tag", NULL, "the number that streams call it by; NULL: they use its name"),
              INT("base", NULL, "address at which it was loaded"), TEXT("target", "instruction set: gfx1100"),
              INT("bytes", "bytes", "size of the code object"),
              ROW("code", "tinygrad_code", "its first instruction; NULL: no stream needed it, or it has none"),
              TEXT("profile_key", "key by which ranges name it, in hexadecimal")),
    [PF_TINY_CODE] =
        TABLE("tinygrad_code", "instructions of programs that were traced",
              ROW("program", "tinygrad_program", "whose instruction"),
              INT("pc", NULL, "program counter, from the beginning of the object"), INT("size", "bytes", "length")),
    [PF_TINY_STREAM] =
        TABLE(STREAM, "thread traces, one for each shader engine and execution",
              ROW("event", EVENT, "the event that carries it"), TEXT("kernel", "the program, by name"),
              INT("tag", NULL, "the program, by number"),
              ROW("program", "tinygrad_program", "the program; NULL: it is not in the profile"),
              INT("se", NULL, "shader engine"), INT("itrace", NULL, "1: instructions are traced"),
              INT("exec_tag", NULL, "number of the execution"), INT("bytes", "bytes", "length"),
              INT("packets", NULL, "packets"), INT("first_time", "cycles", "time of the first packet"),
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
              INT("slices", NULL, "rows of tinygrad_sqtt_slice; NULL: not listed, see --stream-rows")),
    [PF_TINY_COUNT] =
        TABLE("tinygrad_sqtt_count", "packets of each kind in each stream", ROW("stream", STREAM, "of which stream"),
              TEXT("kind", "kind of packet"), INT("packets", NULL, "how many there are")),
    [PF_TINY_PACKET] =
        TABLE("tinygrad_sqtt_packet", "packets", ROW("stream", STREAM, "of which stream"),
              INT("time", "cycles", "shader cycles since the stream began"), TEXT("kind", "kind of packet"),
              INT("raw", NULL, "its bits, the first 64 at most; negative where bit 63 is set")),
    [PF_TINY_FIELD] =
        TABLE("tinygrad_sqtt_field", "the fields of packets of each kind", TEXT("kind", "kind of packet"),
              TEXT("field", "name; two rows of one name are two pieces of one value"), INT("high", NULL, "highest bit"),
              INT("low", NULL, "lowest bit"), INT("shift", NULL, "how far the piece goes to the left"),
              TEXT("words", "its numbers have names, see tinygrad_sqtt_word")),
    [PF_TINY_WORD] = TABLE("tinygrad_sqtt_word", "names of the numbers in fields",
                           TEXT("words", "rdna3, rdna4, cdna (operations), alu, memory"), INT("code", NULL, "number"),
                           TEXT("name", "name")),
    [PF_TINY_SLOT] =
        TABLE("tinygrad_sqtt_slot", "places where waves ran", INT("cu", NULL, "compute unit of its shader engine"),
              INT("simd", NULL, "SIMD of the unit"), INT("wave", NULL, "wave slot of the SIMD")),
    [PF_TINY_WAVE] = TABLE("tinygrad_sqtt_wave", "waves that ended, in the order of their ends",
                           ROW("stream", STREAM, "of which stream"), ROW("slot", "tinygrad_sqtt_slot", "where it ran"),
                           INT("start", "cycles", "first time"), INT("end", "cycles", "last time")),
    [PF_TINY_TRACED_WAVE] = TABLE("tinygrad_sqtt_traced_wave", "what the traced unit's waves issued",
                                  ROW("wave", "tinygrad_sqtt_wave", "a wave whose instructions are traced"),
                                  INT("instructions", NULL, "issues with a known program counter"),
                                  INT("wait", "cycles", "spent at instructions that wait"),
                                  INT("lost", NULL, "1: packets and code did not agree")),
    [PF_TINY_OCCUPANCY] = TABLE("tinygrad_sqtt_occupancy", "open waves over time, see --stream-rows",
                                ROW("stream", STREAM, "of which stream"), INT("time", "cycles", "from then on"),
                                INT("waves", NULL, "so many waves are open")),
    [PF_TINY_CLOCK] =
        TABLE("tinygrad_sqtt_clock", "shader clock over time", ROW("stream", STREAM, "of which stream"),
              INT("time", "cycles", "time of a marker"), INT("hz", "Hz", "shader clock since the marker before it")),
    [PF_TINY_INSTRUCTION] =
        TABLE("tinygrad_sqtt_instruction", "sums for each instruction of the traced unit",
              ROW("stream", STREAM, "of which stream"), INT("pc", NULL, "program counter"),
              INT("hits", NULL, "how often it was issued"),
              INT("gap", "cycles", "sum of the times since the waves' instructions before it"),
              INT("wait", "cycles", "of instructions that wait: gap less a cycle for each hit; else 0")),
    [PF_TINY_SLICE] = TABLE("tinygrad_sqtt_slice", "issues and executions of the traced unit",
                            ROW("stream", STREAM, "of which stream"),
                            TEXT("row", "WAVE:n: what a wave issues; else a unit that executes"),
                            TEXT("name", "operation"), INT("start", "cycles", "first cycle"),
                            INT("length", "cycles", "how long"), INT("pc", NULL, "program counter of what is issued"),
                            ROW("link", "tinygrad_sqtt_slice", "of an execution: what issued it"),
                            INT("index", NULL, "its number in its row, from 0, in the order of the packets")),
    [PF_TINY_PMC] = TABLE(
        "tinygrad_pmc", "hardware counters of executions", ROW("event", EVENT, "the event that carries it"),
        TEXT("kernel", "the program, by name"), INT("tag", NULL, "the program, by number"),
        INT("exec_tag", NULL, "number of the execution"), TEXT("name", "counter"), TEXT("block", "part of the device"),
        INT("xcc", NULL, "how many dies it has values for"), INT("instances", NULL, "how many instances"),
        INT("se", NULL, "how many shader engines"), INT("sa", NULL, "how many shader arrays"),
        INT("wgp", NULL, "how many workgroup processors"), INT("offset", "bytes", "where its values begin"),
        INT("size", "bytes", "of its values"), TEXT("register", "the register it was read from"),
        INT("sum", NULL, "sum of its values; NULL beyond 63 bits"),
        TEXT("sum_digits", "the sum where it is beyond 63 bits"),
        ROW("first_value", "tinygrad_pmc_value", "xcc is the slowest, wgp the fastest; NULL: its values are not there"),
        INT("values", NULL, "how many there are")),
    [PF_TINY_PMC_VALUE] =
        TABLE("tinygrad_pmc_value", "values of hardware counters", ROW("counter", "tinygrad_pmc", "whose value"),
              INT("value", NULL, "NULL beyond 63 bits"), TEXT("digits", "the value where it is beyond 63 bits")),
    [PF_TINY_PMA] = TABLE("tinygrad_pma", "streams of samples of program counters",
                          ROW("event", EVENT, "the event that carries it"), TEXT("kernel", "the program, by name"),
                          INT("tag", NULL, "the program, by number"), INT("exec_tag", NULL, "number of the execution"),
                          INT("sm_version", NULL, "of the device; decides how samples look"),
                          INT("bytes", "bytes", "length"), INT("samples", NULL, "samples"),
                          INT("dropped", NULL, "packets that say that samples before them were lost"),
                          ROW("first_sample", "tinygrad_pma_sample", "NULL: not listed, see --stream-rows"),
                          TEXT("profile_key", "of the program, in hexadecimal")),
    [PF_TINY_PMA_STALL] = TABLE(
        "tinygrad_pma_stall", "samples by program counter and reason", ROW("stream", "tinygrad_pma", "of which stream"),
        INT("pc", NULL, "program counter, from the start of the program"),
        TEXT("reason", "why a warp stood there; NONE: it did not"), INT("samples", NULL, "how often it was seen so")),
    [PF_TINY_PMA_SAMPLE] =
        TABLE("tinygrad_pma_sample", "samples", ROW("stream", "tinygrad_pma", "of which stream"),
              INT("gpc", NULL, "graphics processing cluster"), INT("tpc", NULL, "texture processing cluster in it"),
              INT("sm", NULL, "multiprocessor in that"), INT("pc", NULL, "program counter"),
              TEXT("reason", "why the warp stood"), INT("key", NULL, "the reason as the hardware numbers it"),
              INT("wave", NULL, "warp slot"), INT("active", NULL, "1: the warp was chosen")),
    [PF_TINY_RECORD] =
        TABLE("tinygrad_record", "records of the device whose kernel is known",
              ROW("kernel", EVENT, "the range of the kernel"), ROW("event", EVENT, "the thread trace or the counters"),
              INT("run", NULL, "number of the kernel's execution among those with records, from 0")),
};

const pf_side_spec *pf_tiny_spec(size_t i)
{
    return i < PF_TINY_TABLES ? &specs[i] : NULL;
}

pf_status pf_tiny_add_tables(pf_tiny_profile *p)
{
    for (unsigned i = 0; i < PF_TINY_TABLES; i++) {
        PF_TRY(pf_trace_add_table(p->t, &specs[i], &p->table[i], p->err));
    }
    return PF_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

uint32_t pf_tiny_id(pf_tiny_profile *p, pf_str text)
{
    uint32_t id = 0;
    p->text_status = p->text_status == PF_OK ? pf_trace_add_string(p->t, text, &id, p->err) : p->text_status;
    return id;
}

uint32_t pf_tiny_word(pf_tiny_profile *p, const char *text)
{
    return pf_tiny_id(p, (pf_str){text, text ? strlen(text) : 0});
}

/* Values are shared, so that a small file can say a large thing many times. What a program writes has a member of its
 * own for each row of a table of events. */
pf_status pf_tiny_put(pf_tiny_profile *p, pf_tiny_table table, const int64_t *cells, size_t count)
{
    uint32_t row;
    assert(count == specs[table].column_count);
    if (table < PF_TINY_PROGRAM && p->table[table]->count > 16 + 2 * p->values.made) {
        return pf_fail(p->err, PF_ERR_LIMIT,
                       "the pickle repeats its values so often that table %s would have more rows than the file has "
                       "members; it is not a profile that tinygrad wrote",
                       specs[table].name);
    }
    PF_TRY(pf_side_put(p->table[table], cells, &row, p->err));
    return p->text_status;
}
