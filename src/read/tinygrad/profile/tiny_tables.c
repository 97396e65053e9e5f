/* read/tinygrad/profile/tiny_tables.c - the side tables of a profile, as SQL sees them, and rows of them. */
#include "read/tinygrad/profile/profile.h"

#include <assert.h>
#include <string.h>

#define EVENT "tinygrad_event"
#define STREAM "tinygrad_sqtt"
#define COLUMN(name, type, unit, of, help)                                                                             \
    {                                                                                                                  \
        name, type, unit, of, help, 0                                                                                  \
    }
#define COUNT(name, help) COLUMN(name, PF_COLUMN_INT, NULL, NULL, help) /* a number without a unit */
#define INT(name, unit, help) COLUMN(name, PF_COLUMN_INT, unit, NULL, help)
#define REAL(name, unit, help) COLUMN(name, PF_COLUMN_REAL, unit, NULL, help)
#define TEXT(name, help) COLUMN(name, PF_COLUMN_TEXT, NULL, NULL, help)
#define ROW(name, of, help) COLUMN(name, PF_COLUMN_ROW, NULL, of, help)
#define TABLE(id, name, help, ...)                                                                                     \
    [PF_TINY_##id] = {name, help, (const pf_side_column[]){__VA_ARGS__},                                               \
                      sizeof((const pf_side_column[]){__VA_ARGS__}) / sizeof(pf_side_column)}

static const pf_side_spec specs[PF_TINY_TABLES] = {
    TABLE(COMPILED, "tinygrad_compiled", "kernels of rewrites.pkl: source text and estimates",
          TEXT("name", "of the kernel, with colours"), TEXT("function", "its name without colours"),
          TEXT("profile_key", "key of the program, in hexadecimal"),
          COUNT("ops", "estimated operations; NULL: none, or an expression"),
          INT("mem", "bytes", "estimated bytes moved in memory"),
          INT("lds", "bytes", "estimated bytes loaded and stored"), TEXT("source", "what the compiler was given")),
    TABLE(PROFILE, "tinygrad_profile", "a profile",
          TEXT("generation", "dec25, mid26 or aug26: which fields the events have"),
          COUNT("items", "items of the pickled list"), COUNT("skipped", "items that are not a known event")),
    TABLE(DEVICE, "tinygrad_device", "devices and the offsets of their clocks",
          ROW("event", EVENT, "the event that describes it"), TEXT("device", "name"),
          REAL("compute_offset", "us", "added to times of kernels"),
          REAL("copy_offset", "us", "added to times of copies")),
    TABLE(EVENT, "tinygrad_event", "events in the order of the file, graphs with their entries",
          TEXT("kind", "device, range, point, graph, entry, batch, program, sqtt, pmc or pma"),
          TEXT("device", "device, or USER, TINY, GC"), TEXT("name", "as written, with colours"),
          INT("ts", "ns", "start on the host's clock"),
          INT("end", "ns", "end on the host's clock; of a point its time; NULL: the range was not ended"),
          REAL("dur", "us", "length; NULL for points"), COUNT("copy", "1: a copy, where the format says so"),
          ROW("graph", EVENT, "of an entry or batch: the graph launch")),
    TABLE(NOTE, "tinygrad_note", "what ranges and entries say besides their names",
          ROW("event", EVENT, "the range or entry"), INT("bytes", "bytes", "that the traced call moved"),
          TEXT("returned", "the text that the traced call returned; JSON{...} is an object"),
          ROW("stack", "tinygrad_call", "where it was called: the innermost frame"),
          TEXT("profile_key", "key of the program, in hexadecimal")),
    TABLE(DEPENDENCY, "tinygrad_dependency", "entries of graphs that wait for others",
          ROW("before", EVENT, "the entry that has to end"), ROW("after", EVENT, "the entry that waits for it")),
    TABLE(MEMORY, "tinygrad_memory", "buffers that are allocated or freed", ROW("event", EVENT, "the point"),
          TEXT("action", "alloc or free"), COUNT("buffer", "id of the buffer"), TEXT("dtype", "type of its items"),
          INT("item_bytes", "bytes", "size of an item"), COUNT("items", "items; at most 1e12 are counted")),
    TABLE(RUN, "tinygrad_run", "executions as the host submits them", ROW("event", EVENT, "the point"),
          COUNT("run", "id of the execution"), TEXT("kernel", "name, with colours"),
          TEXT("metadata", "names of the operations, between commas")),
    TABLE(RUN_BUFFER, "tinygrad_run_buffer", "buffers that executions use", ROW("run", "tinygrad_run", "the execution"),
          COUNT("buffer", "id of the buffer"), COUNT("position", "its place among the arguments"),
          COUNT("mode", "2 read and written, 1 written, 0 read")),
    TABLE(MARKER, "tinygrad_marker", "markers", ROW("event", EVENT, "the point"), TEXT("name", "what it marks"),
          TEXT("colour", "how the viewer draws it")),
    TABLE(EXECUTION, "tinygrad_execution", "which execution a kernel is",
          ROW("event", EVENT, "the range or entry of a kernel"),
          ROW("run", "tinygrad_run", "the execution that it is: the n-th of its name on its device")),
    TABLE(CALL, "tinygrad_call", "frames of call stacks, shared by all that go through them",
          TEXT("file", "path of the source"), COUNT("line", "line"), TEXT("function", "function"),
          TEXT("code", "the line's text"), ROW("caller", "tinygrad_call", "the frame that called it")),
    TABLE(SAMPLE, "tinygrad_sample", "samples of devices that are counters (LINE:...)",
          ROW("event", EVENT, "the point; its device is the counter"),
          COUNT("value", "what the counter shows, up to 63 bits"), TEXT("digits", "a value beyond 63 bits in decimal")),
    TABLE(JSON, "tinygrad_json", "what points named JSON add to the index", ROW("event", EVENT, "the point"),
          TEXT("key", "member of the viewer's index"), TEXT("json", "its value")),
    TABLE(VARIABLE, "tinygrad_variable", "variables that executions bind", ROW("run", "tinygrad_run", "the execution"),
          TEXT("name", "of the variable"), COUNT("value", "what it was bound to")),
    TABLE(PROGRAM, "tinygrad_program", "programs that were loaded", ROW("event", EVENT, "the event that describes it"),
          TEXT("name", "name, with colours"),
          COUNT("tag", "the number that streams call it by; NULL: they use its name"),
          COUNT("base", "address at which it was loaded"), TEXT("target", "instruction set: gfx1100"),
          INT("bytes", "bytes", "size of the code object"),
          ROW("code", "tinygrad_code", "its first instruction; NULL: no stream needed it, or it has none"),
          TEXT("profile_key", "key by which ranges name it, in hexadecimal")),
    TABLE(CODE, "tinygrad_code", "instructions of programs that were traced",
          ROW("program", "tinygrad_program", "whose instruction"),
          COUNT("pc", "program counter, from the beginning of the object"), INT("size", "bytes", "length")),
    TABLE(STREAM, STREAM, "thread traces, one for each shader engine and execution",
          ROW("event", EVENT, "the event that carries it"), TEXT("kernel", "the program, by name"),
          COUNT("tag", "the program, by number"),
          ROW("program", "tinygrad_program", "the program; NULL: it is not in the profile"),
          COUNT("se", "shader engine"), COUNT("itrace", "1: instructions are traced"),
          COUNT("exec_tag", "number of the execution"), INT("bytes", "bytes", "length"), COUNT("packets", "packets"),
          INT("first_time", "cycles", "time of the first packet"),
          INT("last_time", "cycles", "time of the last packet"),
          COUNT("layout", "of the last header: 3 RDNA3, 4 RDNA4, others CDNA"),
          COUNT("waves_open", "waves that did not end"), COUNT("unmatched_ends", "ends of waves that had not begun"),
          COUNT("max_waves", "the most waves at a time"),
          INT("wave_cycles", "cycles", "sum of the lengths of all waves that ended"),
          COUNT("instructions", "issues with a known program counter; NULL: no instruction trace"),
          COUNT("lost_waves", "waves whose packets and code did not agree"),
          COUNT("strays", "issues of waves that had not begun"),
          ROW("first_packet", "tinygrad_sqtt_packet", "NULL: not listed, see --stream-rows"),
          COUNT("slices", "rows of tinygrad_sqtt_slice; NULL: not listed, see --stream-rows")),
    TABLE(COUNT, "tinygrad_sqtt_count", "packets of each kind in each stream", ROW("stream", STREAM, "of which stream"),
          TEXT("kind", "kind of packet"), COUNT("packets", "how many there are")),
    TABLE(PACKET, "tinygrad_sqtt_packet", "packets", ROW("stream", STREAM, "of which stream"),
          INT("time", "cycles", "shader cycles since the stream began"), TEXT("kind", "kind of packet"),
          COUNT("raw", "its bits, the first 64 at most; negative where bit 63 is set")),
    TABLE(FIELD, "tinygrad_sqtt_field", "the fields of packets of each kind", TEXT("kind", "kind of packet"),
          TEXT("field", "name; two rows of one name are two pieces of one value"), COUNT("high", "highest bit"),
          COUNT("low", "lowest bit"), COUNT("shift", "how far the piece goes to the left"),
          TEXT("words", "its numbers have names, see tinygrad_sqtt_word")),
    TABLE(WORD, "tinygrad_sqtt_word", "names of the numbers in fields",
          TEXT("words", "rdna3, rdna4, cdna (operations), alu, memory"), COUNT("code", "number"), TEXT("name", "name")),
    TABLE(SLOT, "tinygrad_sqtt_slot", "places where waves ran", COUNT("cu", "compute unit of its shader engine"),
          COUNT("simd", "SIMD of the unit"), COUNT("wave", "wave slot of the SIMD")),
    TABLE(WAVE, "tinygrad_sqtt_wave", "waves that ended, in the order of their ends",
          ROW("stream", STREAM, "of which stream"), ROW("slot", "tinygrad_sqtt_slot", "where it ran"),
          INT("start", "cycles", "first time"), INT("end", "cycles", "last time")),
    TABLE(TRACED_WAVE, "tinygrad_sqtt_traced_wave", "what the traced unit's waves issued",
          ROW("wave", "tinygrad_sqtt_wave", "a wave whose instructions are traced"),
          COUNT("instructions", "issues with a known program counter"),
          INT("wait", "cycles", "spent at instructions that wait"), COUNT("lost", "1: packets and code did not agree")),
    TABLE(OCCUPANCY, "tinygrad_sqtt_occupancy", "open waves over time, see --stream-rows",
          ROW("stream", STREAM, "of which stream"), INT("time", "cycles", "from then on"),
          COUNT("waves", "so many waves are open")),
    TABLE(CLOCK, "tinygrad_sqtt_clock", "shader clock over time", ROW("stream", STREAM, "of which stream"),
          INT("time", "cycles", "time of a marker"), INT("hz", "Hz", "shader clock since the marker before it")),
    TABLE(INSTRUCTION, "tinygrad_sqtt_instruction", "sums for each instruction of the traced unit",
          ROW("stream", STREAM, "of which stream"), COUNT("pc", "program counter"),
          COUNT("hits", "how often it was issued"),
          INT("gap", "cycles", "sum of the times since the waves' instructions before it"),
          INT("wait", "cycles", "of instructions that wait: gap less a cycle for each hit; else 0")),
    TABLE(SLICE, "tinygrad_sqtt_slice", "issues and executions of the traced unit",
          ROW("stream", STREAM, "of which stream"),
          TEXT("row", "WAVE:n: what a wave issues; else a unit that executes"), TEXT("name", "operation"),
          INT("start", "cycles", "first cycle"), INT("length", "cycles", "how long"),
          COUNT("pc", "program counter of what is issued"),
          ROW("link", "tinygrad_sqtt_slice", "of an execution: what issued it"),
          COUNT("index", "its number in its row, from 0, in the order of the packets")),
    TABLE(
        PMC, "tinygrad_pmc", "hardware counters of executions", ROW("event", EVENT, "the event that carries it"),
        TEXT("kernel", "the program, by name"), COUNT("tag", "the program, by number"),
        COUNT("exec_tag", "number of the execution"), TEXT("name", "counter"), TEXT("block", "part of the device"),
        COUNT("xcc", "how many dies it has values for"), COUNT("instances", "how many instances"),
        COUNT("se", "how many shader engines"), COUNT("sa", "how many shader arrays"),
        COUNT("wgp", "how many workgroup processors"), INT("offset", "bytes", "where its values begin"),
        INT("size", "bytes", "of its values"), TEXT("register", "the register it was read from"),
        COUNT("sum", "sum of its values; NULL beyond 63 bits"),
        TEXT("sum_digits", "the sum where it is beyond 63 bits"),
        ROW("first_value", "tinygrad_pmc_value", "xcc is the slowest, wgp the fastest; NULL: its values are not there"),
        COUNT("values", "how many there are")),
    TABLE(PMC_VALUE, "tinygrad_pmc_value", "values of hardware counters", ROW("counter", "tinygrad_pmc", "whose value"),
          COUNT("value", "NULL beyond 63 bits"), TEXT("digits", "the value where it is beyond 63 bits")),
    TABLE(PMA, "tinygrad_pma", "streams of samples of program counters",
          ROW("event", EVENT, "the event that carries it"), TEXT("kernel", "the program, by name"),
          COUNT("tag", "the program, by number"), COUNT("exec_tag", "number of the execution"),
          COUNT("sm_version", "of the device; decides how samples look"), INT("bytes", "bytes", "length"),
          COUNT("samples", "samples"), COUNT("dropped", "packets that say that samples before them were lost"),
          ROW("first_sample", "tinygrad_pma_sample", "NULL: not listed, see --stream-rows"),
          TEXT("profile_key", "of the program, in hexadecimal")),
    TABLE(PMA_STALL, "tinygrad_pma_stall", "samples by program counter and reason",
          ROW("stream", "tinygrad_pma", "of which stream"),
          COUNT("pc", "program counter, from the start of the program"),
          TEXT("reason", "why a warp stalled there; NONE: it did not"), COUNT("samples", "how often it was seen so")),
    TABLE(PMA_SAMPLE, "tinygrad_pma_sample", "samples", ROW("stream", "tinygrad_pma", "of which stream"),
          COUNT("gpc", "graphics processing cluster"), COUNT("tpc", "texture processing cluster in it"),
          COUNT("sm", "multiprocessor in that"), COUNT("pc", "program counter"), TEXT("reason", "why the warp stalled"),
          COUNT("key", "the reason as the hardware numbers it"), COUNT("wave", "warp slot"),
          COUNT("active", "1: the warp was chosen")),
    TABLE(RECORD, "tinygrad_record", "records of the device whose kernel is known",
          ROW("kernel", EVENT, "the range of the kernel"), ROW("event", EVENT, "the thread trace or the counters"),
          COUNT("run", "number of the kernel's execution among those with records, from 0")),
};

const pf_side_spec *pf_tiny_spec(size_t i)
{
    return i < PF_TINY_TABLES ? &specs[i] : NULL;
}

pf_status pf_tiny_add_table(pf_tiny_profile *p, pf_tiny_table table)
{
    return pf_trace_add_table(p->t, &specs[table], &p->table[table], p->err);
}

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
