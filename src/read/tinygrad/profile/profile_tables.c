/* read/tinygrad/profile/profile_tables.c - the side tables of a profile, as SQL sees them. */
#include "read/tinygrad/profile/profile.h"

#define EVENT "tinygrad_event"

static const pf_side_column profile_columns[] = {
    {"generation", PF_COLUMN_TEXT, NULL, NULL, "dec25, mid26 or aug26: which fields the events have", 0},
    {"items", PF_COLUMN_INT, NULL, NULL, "items of the pickled list", 0},
    {"skipped", PF_COLUMN_INT, NULL, NULL, "items that are no event that is known", 0},
};
static const pf_side_column device_columns[] = {
    {"event", PF_COLUMN_ROW, NULL, EVENT, "the event that describes it", 0},
    {"device", PF_COLUMN_TEXT, NULL, NULL, "name", 0},
    {"compute_offset", PF_COLUMN_REAL, "us", NULL, "added to times of kernels", 0},
    {"copy_offset", PF_COLUMN_REAL, "us", NULL, "added to times of copies", 0},
};
static const pf_side_column event_columns[] = {
    {"kind", PF_COLUMN_TEXT, NULL, NULL, "device, range, point, graph, entry, batch, program, sqtt, pmc or pma", 0},
    {"device", PF_COLUMN_TEXT, NULL, NULL, "device, or USER, TINY, GC", 0},
    {"name", PF_COLUMN_TEXT, NULL, NULL, "as written, with colours", 0},
    {"ts", PF_COLUMN_INT, "ns", NULL, "start on the host's clock", 0},
    {"end", PF_COLUMN_INT, "ns", NULL, "end on the host's clock; of a point its time; NULL: the range was not ended",
     0},
    {"dur", PF_COLUMN_REAL, "us", NULL, "length; NULL for points", 0},
    {"copy", PF_COLUMN_INT, NULL, NULL, "1: a copy, where the format says so", 0},
    {"graph", PF_COLUMN_ROW, NULL, EVENT, "of an entry or batch: the graph launch", 0},
};
static const pf_side_column note_columns[] = {
    {"event", PF_COLUMN_ROW, NULL, EVENT, "the range or entry", 0},
    {"bytes", PF_COLUMN_INT, "bytes", NULL, "that the traced call moved", 0},
    {"returned", PF_COLUMN_TEXT, NULL, NULL, "the text that the traced call returned; JSON{...} is an object", 0},
    {"stack", PF_COLUMN_ROW, NULL, "tinygrad_call", "where it was called: the innermost frame", 0},
    {"profile_key", PF_COLUMN_TEXT, NULL, NULL, "key of the program, in hexadecimal", 0},
};
static const pf_side_column dependency_columns[] = {
    {"before", PF_COLUMN_ROW, NULL, EVENT, "the entry that has to end", 0},
    {"after", PF_COLUMN_ROW, NULL, EVENT, "the entry that waits for it", 0},
};
static const pf_side_column memory_columns[] = {
    {"event", PF_COLUMN_ROW, NULL, EVENT, "the point", 0},
    {"action", PF_COLUMN_TEXT, NULL, NULL, "alloc or free", 0},
    {"buffer", PF_COLUMN_INT, NULL, NULL, "id of the buffer", 0},
    {"dtype", PF_COLUMN_TEXT, NULL, NULL, "type of its items", 0},
    {"item_bytes", PF_COLUMN_INT, "bytes", NULL, "size of an item", 0},
    {"items", PF_COLUMN_INT, NULL, NULL, "items; at most 1e12 are counted", 0},
};
static const pf_side_column run_columns[] = {
    {"event", PF_COLUMN_ROW, NULL, EVENT, "the point", 0},
    {"run", PF_COLUMN_INT, NULL, NULL, "id of the execution", 0},
    {"kernel", PF_COLUMN_TEXT, NULL, NULL, "name, with colours", 0},
    {"metadata", PF_COLUMN_TEXT, NULL, NULL, "names of the operations, between commas", 0},
};
static const pf_side_column run_buffer_columns[] = {
    {"run", PF_COLUMN_ROW, NULL, "tinygrad_run", "the execution", 0},
    {"buffer", PF_COLUMN_INT, NULL, NULL, "id of the buffer", 0},
    {"position", PF_COLUMN_INT, NULL, NULL, "its place among the arguments", 0},
    {"mode", PF_COLUMN_INT, NULL, NULL, "2 read and written, 1 written, 0 read", 0},
};
static const pf_side_column variable_columns[] = {
    {"run", PF_COLUMN_ROW, NULL, "tinygrad_run", "the execution", 0},
    {"name", PF_COLUMN_TEXT, NULL, NULL, "of the variable", 0},
    {"value", PF_COLUMN_INT, NULL, NULL, "what it was bound to", 0},
};
static const pf_side_column marker_columns[] = {
    {"event", PF_COLUMN_ROW, NULL, EVENT, "the point", 0},
    {"name", PF_COLUMN_TEXT, NULL, NULL, "what it marks", 0},
    {"colour", PF_COLUMN_TEXT, NULL, NULL, "how the viewer draws it", 0},
};

static const pf_side_column execution_columns[] = {
    {"event", PF_COLUMN_ROW, NULL, EVENT, "the range or entry of a kernel", 0},
    {"run", PF_COLUMN_ROW, NULL, "tinygrad_run", "the execution that it is: the n-th of its name on its device", 0},
};

static const pf_side_column call_columns[] = {
    {"file", PF_COLUMN_TEXT, NULL, NULL, "path of the source", 0},
    {"line", PF_COLUMN_INT, NULL, NULL, "line", 0},
    {"function", PF_COLUMN_TEXT, NULL, NULL, "function", 0},
    {"code", PF_COLUMN_TEXT, NULL, NULL, "the line's text", 0},
    {"caller", PF_COLUMN_ROW, NULL, "tinygrad_call", "the frame that called it", 0},
};
static const pf_side_column sample_columns[] = {
    {"event", PF_COLUMN_ROW, NULL, EVENT, "the point; its device is the counter", 0},
    {"value", PF_COLUMN_INT, NULL, NULL, "what the counter shows, up to 63 bits", 0},
    {"digits", PF_COLUMN_TEXT, NULL, NULL, "a value beyond 63 bits in decimal", 0},
};
static const pf_side_column json_columns[] = {
    {"event", PF_COLUMN_ROW, NULL, EVENT, "the point", 0},
    {"key", PF_COLUMN_TEXT, NULL, NULL, "member of the viewer's index", 0},
    {"json", PF_COLUMN_TEXT, NULL, NULL, "its value", 0},
};

#define TABLE(name, help, columns)                                                                                     \
    {                                                                                                                  \
        name, help, columns, sizeof(columns) / sizeof *(columns)                                                       \
    }

static const pf_side_spec specs[PF_TINY_TABLES] = {
    [PF_TINY_PROFILE] = TABLE("tinygrad_profile", "a profile", profile_columns),
    [PF_TINY_DEVICE] = TABLE("tinygrad_device", "devices and the offsets of their clocks", device_columns),
    [PF_TINY_EVENT] =
        TABLE("tinygrad_event", "events in the order of the file, graphs with their entries", event_columns),
    [PF_TINY_NOTE] = TABLE("tinygrad_note", "what ranges and entries say besides their names", note_columns),
    [PF_TINY_DEPENDENCY] = TABLE("tinygrad_dependency", "entries of graphs that wait for others", dependency_columns),
    [PF_TINY_MEMORY] = TABLE("tinygrad_memory", "buffers that are allocated or freed", memory_columns),
    [PF_TINY_RUN] = TABLE("tinygrad_run", "executions as the host submits them", run_columns),
    [PF_TINY_RUN_BUFFER] = TABLE("tinygrad_run_buffer", "buffers that executions use", run_buffer_columns),
    [PF_TINY_VARIABLE] = TABLE("tinygrad_variable", "variables that executions bind", variable_columns),
    [PF_TINY_EXECUTION] = TABLE("tinygrad_execution", "which execution a kernel is", execution_columns),
    [PF_TINY_CALL] = TABLE("tinygrad_call", "frames of call stacks, shared by all that go through them", call_columns),
    [PF_TINY_SAMPLE] = TABLE("tinygrad_sample", "samples of devices that are counters (LINE:...)", sample_columns),
    [PF_TINY_JSON] = TABLE("tinygrad_json", "what points named JSON add to the index", json_columns),
    [PF_TINY_MARKER] = TABLE("tinygrad_marker", "markers", marker_columns),
};

const pf_side_spec *pf_tiny_spec(size_t i)
{
    return i < PF_TINY_TABLES ? &specs[i] : NULL;
}

pf_status pf_tiny_add_tables(pf_tiny_profile *p, pf_error *err)
{
    pf_status st = PF_OK;
    for (unsigned i = 0; st == PF_OK && i < PF_TINY_TABLES; i++) {
        st = pf_trace_add_table(p->t, &specs[i], &p->table[i], err);
    }
    return st;
}

/* Values are shared, so that a small file can say a large thing many times. What a program writes has a member of its
 * own for each row. */
static pf_status check_sharing(const pf_tiny_profile *p, pf_tiny_table table, pf_error *err)
{
    bool fits = p->table[table]->count <= 16 + 2 * p->values.made;
    return fits ? PF_OK
                : pf_fail(err, PF_ERR_LIMIT,
                          "the pickle repeats its values so often that table %s would have more rows than the file has "
                          "members; it is not a profile that tinygrad wrote",
                          p->table[table]->spec->name);
}

pf_status pf_tiny_add_row(pf_tiny_profile *p, pf_tiny_table table, uint32_t *row, pf_error *err)
{
    if (check_sharing(p, table, err) != PF_OK) {
        return err->code;
    }
    pf_status st = pf_side_add_row(p->table[table], err);
    *row = st == PF_OK ? p->table[table]->count - 1 : PF_NONE;
    return st;
}

void pf_tiny_set_number(pf_tiny_profile *p, pf_tiny_table table, unsigned column, uint32_t row, int64_t v)
{
    *pf_side_number(p->table[table], column, row) = v;
}

void pf_tiny_set_ref(pf_tiny_profile *p, pf_tiny_table table, unsigned column, uint32_t row, uint32_t v)
{
    *pf_side_ref(p->table[table], column, row) = v;
}

pf_status pf_tiny_set_text(pf_tiny_profile *p, pf_tiny_table table, unsigned column, uint32_t row, pf_str v,
                           pf_error *err)
{
    return pf_trace_add_string(p->t, v, pf_side_ref(p->table[table], column, row), err);
}
