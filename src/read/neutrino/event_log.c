/* read/neutrino/event_log.c - the log of the hook driver: launches, what they cost, and device memory
 * (docs/reference/neutrino.md, "event.log").
 *
 * A line is "[tag] text"; bytes that are no UTF-8 may occur. A launch begins with `funcmap-find`, and what follows up
 * to the next one belongs to it. Its kernel is what the last `find` or `finish` line with that address said.
 */
#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "read/neutrino/neutrino_reading.h"

typedef struct log_reader {
    neutrino_reading *n;
    pf_map kernels;          /* address of a function -> string id of its name */
    pf_map written;          /* the same -> that of the name as it is written in C++ */
    pf_map addresses;        /* of device memory -> row of neutrino_memory */
    uint32_t launch;         /* the current one, or PF_NONE */
    uint32_t waiting_memory; /* the first row that waits for the next launch */
    uint64_t allocated;
    int64_t pid;
    pf_str command;
} log_reader;

static pf_str next_word(pf_str *s)
{
    while (s->len && *s->ptr == ' ') {
        *s = pf_str_from(*s, 1);
    }
    const char *blank = s->len ? memchr(s->ptr, ' ', s->len) : NULL;
    pf_str word = {s->ptr, blank ? (size_t)(blank - s->ptr) : s->len};
    *s = pf_str_from(*s, word.len);
    return word;
}

static bool next_number(pf_str *s, int64_t *out)
{
    pf_str word = next_word(s);
    return pf_parse_int(word.ptr, word.len, out);
}

static bool next_hex(pf_str *s, uint64_t *out)
{
    pf_str word = next_word(s);
    return pf_parse_hex(word.ptr, word.len, out);
}

/* Steps over a word if it is the next one. */
static bool skip_word(pf_str *s, const char *word)
{
    pf_str rest = *s;
    if (!pf_str_is(next_word(&rest), word)) {
        return false;
    }
    *s = rest;
    return true;
}

/* The last place of `word` in the text, SIZE_MAX if there is none. */
static size_t find_last(pf_str s, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = s.len >= len ? s.len - len + 1 : 0; i-- > 0;) {
        if (memcmp(s.ptr + i, word, len) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void set(log_reader *l, unsigned column, int64_t v)
{
    *pf_side_number(l->n->table[NEUTRINO_LAUNCH], column, l->launch) = v;
}

static void set_text(log_reader *l, unsigned column, pf_str text)
{
    pf_neutrino_text(l->n, NEUTRINO_LAUNCH, column, l->launch, text);
}

static void begin_launch(log_reader *l, uint64_t function)
{
    neutrino_reading *n = l->n;
    uint32_t name = pf_map_get(&l->kernels, function), written = pf_map_get(&l->written, function);
    l->launch = pf_neutrino_row(n, NEUTRINO_LAUNCH);
    if (l->launch != PF_NONE) {
        const pf_side_table *t = n->table[NEUTRINO_LAUNCH];
        *pf_side_ref(t, LAUNCH_RUN, l->launch) = n->run;
        *pf_side_ref(t, LAUNCH_KERNEL, l->launch) = name == PF_NONE ? 0 : name;
        *pf_side_ref(t, LAUNCH_NAME, l->launch) = written == PF_NONE ? 0 : written;
    }
    for (; l->waiting_memory < n->table[NEUTRINO_MEMORY]->count; l->waiting_memory++) {
        *pf_side_ref(n->table[NEUTRINO_MEMORY], MEMORY_LAUNCH, l->waiting_memory) = l->launch;
    }
}

/* "X Y Z block X Y Z shared N", after grid or backup. */
static bool read_shape(log_reader *l, pf_str s)
{
    int64_t v[7];
    bool good = true;
    for (unsigned i = 0; i < 7 && good; i++) {
        good = (i != 3 || skip_word(&s, "block")) && (i != 6 || skip_word(&s, "shared")) && next_number(&s, &v[i]);
    }
    for (unsigned i = 0; i < 7 && good; i++) {
        set(l, i < 6 ? LAUNCH_GRID_X + i : LAUNCH_SHARED, v[i]);
    }
    return good;
}

/* Hexadecimal values as a JSON list of integers. */
static void read_params(log_reader *l, pf_str s)
{
    pf_buffer b = {0};
    uint64_t v;
    pf_buffer_text(&b, "[");
    while (next_hex(&s, &v)) {
        pf_buffer_text(&b, b.len > 1 ? "," : "");
        pf_buffer_decimal(&b, v);
    }
    pf_buffer_text(&b, "]");
    if (b.failed) {
        pf_neutrino_no_memory(l->n, b.len);
    } else {
        set_text(l, LAUNCH_PARAMS, (pf_str){b.data, b.len});
    }
    pf_buffer_free(&b);
}

static void read_times(log_reader *l, pf_str s, bool benchmark)
{
    static const char *const words[] = {"prologue", "kernel", "epilogue", "original", "impact"};
    for (unsigned i = 0; i < (benchmark ? 5 : 3); i++) {
        if (skip_word(&s, words[i])) {
            pf_str word = next_word(&s);
            pf_parse_real(word.ptr, word.len,
                          pf_side_real(l->n->table[NEUTRINO_LAUNCH], LAUNCH_PROLOGUE + i, l->launch));
        }
    }
}

/* "PATH size N": the path may have blanks. */
static void read_save(log_reader *l, pf_str s)
{
    s = pf_str_trim(s);
    size_t end = find_last(s, " size ");
    if (end != SIZE_MAX) {
        set_text(l, LAUNCH_FILE, (pf_str){s.ptr, end});
    }
}

/* A launch that was not probed, or one that failed and ran again without probes. */
static void read_backup(log_reader *l, pf_str s)
{
    const pf_side_table *launch = l->n->table[NEUTRINO_LAUNCH];
    if (*pf_side_number(launch, LAUNCH_GRID_X, l->launch) == INT64_MIN) {
        read_shape(l, s);
    }
    if (*pf_side_ref(launch, LAUNCH_STATUS, l->launch) == 0) {
        set_text(l, LAUNCH_STATUS, PF_STR("backup"));
    }
}

/* What follows "[exec] " of a launch that has begun. */
static void read_step(log_reader *l, pf_str s)
{
    pf_str whole = s, word = next_word(&s), rest = s;
    int64_t v;
    if (word.len && pf_is_digit(word.ptr[0])) {
        if (pf_parse_int(word.ptr, word.len, &v) && skip_word(&rest, "param")) {
            set(l, LAUNCH_TS, v);
            read_params(l, rest);
        }
    } else if (pf_str_is(word, "grid")) {
        read_shape(l, s);
    } else if (pf_str_is(word, "probe-mem") && next_number(&s, &v)) {
        set(l, LAUNCH_PROBE_MEM, v);
    } else if (pf_str_is(word, "succeed")) {
        set_text(l, LAUNCH_STATUS, PF_STR("ok"));
    } else if (pf_str_is(word, "failed")) {
        if (next_number(&s, &v)) {
            set(l, LAUNCH_CODE, v);
        }
        set_text(l, LAUNCH_STATUS, PF_STR("failed"));
    } else if (pf_str_is(word, "backup")) {
        read_backup(l, s);
    } else if (pf_str_is(word, "save")) {
        read_save(l, s);
    } else if (pf_str_is(word, "prologue")) {
        read_times(l, whole, false);
    }
}

static void read_exec(log_reader *l, pf_str s)
{
    pf_str rest = s;
    uint64_t function;
    if (skip_word(&rest, "funcmap-find")) {
        if (next_hex(&rest, &function)) {
            begin_launch(l, function);
        }
    } else if (l->launch != PF_NONE && !skip_word(&rest, "funcmap-not-find")) {
        read_step(l, s);
    }
}

/* "find PTR name NAME bin ..." and "finish PTR name NAME n_param N". */
static void read_probe(log_reader *l, pf_str s)
{
    bool find = skip_word(&s, "find");
    uint64_t function;
    if ((!find && !skip_word(&s, "finish")) || !next_hex(&s, &function) || !skip_word(&s, "name")) {
        return;
    }
    size_t end = find_last(s, find ? " bin " : " n_param ");
    pf_str name = end == SIZE_MAX || end == 0 ? pf_str_trim(s) : (pf_str){s.ptr + 1, end - 1};
    uint32_t id = pf_neutrino_id(l->n, name), written = pf_neutrino_written(l->n, name);
    if (!(pf_map_set(&l->kernels, function, id) && pf_map_set(&l->written, function, written))) {
        pf_neutrino_no_memory(l->n, 16);
    }
}

/* "CALL RESULT dptr HEX [bytesize N]" */
static void read_memory(log_reader *l, pf_str s)
{
    neutrino_reading *n = l->n;
    pf_str call = next_word(&s);
    int64_t result, bytes = -1;
    uint64_t address;
    if (!next_number(&s, &result) || !skip_word(&s, "dptr") || !next_hex(&s, &address)) {
        return;
    }
    bool allocates = skip_word(&s, "bytesize") && next_number(&s, &bytes) && bytes >= 0;
    uint32_t known = pf_map_get(&l->addresses, address);
    if (!allocates && known != PF_NONE) {
        bytes = *pf_side_number(n->table[NEUTRINO_MEMORY], MEMORY_BYTES, known);
    }
    if (result == 0 && bytes >= 0) {
        uint64_t by = (uint64_t)bytes;
        l->allocated = allocates ? l->allocated + by : l->allocated > by ? l->allocated - by : 0;
    }
    n->hip |= pf_str_starts(call, PF_STR("hip"));
    uint32_t row = PF_NEUTRINO_ADD(n, NEUTRINO_MEMORY, n->run, pf_neutrino_id(n, call), result, (int64_t)address,
                                   bytes >= 0 ? bytes : INT64_MIN, (int64_t)(l->allocated & INT64_MAX), PF_NONE);
    if (allocates && result == 0 && row != PF_NONE && !pf_map_set(&l->addresses, address, row)) {
        pf_neutrino_no_memory(n, 16);
    }
}

/* "[init] cmd LEN TEXT" of today, "[cmd] LEN TEXT" of the artifact. */
static void read_head(log_reader *l, pf_str tag, pf_str s)
{
    int64_t v;
    bool init = pf_str_is(tag, "init");
    if (init ? skip_word(&s, "pid") : pf_str_is(tag, "pid")) {
        l->pid = next_number(&s, &v) ? v : l->pid;
    } else if ((init ? skip_word(&s, "cmd") : pf_str_is(tag, "cmd")) && next_number(&s, &v)) {
        l->command = pf_str_trim(s);
    }
}

static void read_line(log_reader *l, pf_str line)
{
    const char *close = line.len && line.ptr[0] == '[' ? memchr(line.ptr, ']', line.len) : NULL;
    if (!close) {
        return;
    }
    pf_str tag = {line.ptr + 1, (size_t)(close - line.ptr) - 1};
    pf_str s = {close + 1, line.len - tag.len - 2};
    int64_t v;
    if (pf_str_is(tag, "exec")) {
        read_exec(l, s);
    } else if (pf_str_is(tag, "probe") || pf_str_is(tag, "jit")) {
        read_probe(l, s);
    } else if (pf_str_is(tag, "mem")) {
        read_memory(l, s);
    } else if (pf_str_is(tag, "benchmark") && l->launch != PF_NONE) {
        read_times(l, s, true);
    } else if (pf_str_is(tag, "count") && l->launch != PF_NONE && skip_word(&s, "size:") && next_number(&s, &v)) {
        set(l, LAUNCH_COUNT, v);
    } else {
        read_head(l, tag, s);
    }
}

static void note_run(log_reader *l)
{
    neutrino_reading *n = l->n;
    if (l->pid >= 0 && pf_neutrino_works(n)) {
        *pf_side_number(n->table[NEUTRINO_RUN], RUN_PID, n->run) = l->pid;
    }
    pf_neutrino_text(n, NEUTRINO_RUN, RUN_BACKEND, n->run, n->hip ? PF_STR("hip") : PF_STR("cuda"));
    if (l->command.ptr) {
        pf_neutrino_text(n, NEUTRINO_RUN, RUN_COMMAND, n->run, l->command);
    }
}

void pf_neutrino_read_log(neutrino_reading *n, pf_str log, const char *name)
{
    log_reader l = {.n = n, .launch = PF_NONE, .pid = -1};
    pf_str line;
    l.waiting_memory = n->table[NEUTRINO_MEMORY]->count;
    pf_map_init(&l.kernels, &n->t->budget);
    pf_map_init(&l.written, &n->t->budget);
    pf_map_init(&l.addresses, &n->t->budget);
    n->has_log = true;
    for (uint32_t i = 0; (i % 4096 ? pf_neutrino_works(n) : pf_neutrino_goes_on(n)) && pf_neutrino_line(&log, &line);
         i++) {
        read_line(&l, line);
    }
    note_run(&l);
    pf_neutrino_draw_launches(n, l.pid, l.command);
    pf_map_free(&l.kernels);
    pf_map_free(&l.written);
    pf_map_free(&l.addresses);
}
