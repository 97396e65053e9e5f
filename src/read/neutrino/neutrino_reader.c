/* read/neutrino/neutrino_reader.c - the reader of Neutrino recordings as data: what it recognises, its options, and
 * which step reads which file (docs/reference/neutrino.md). */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/folders.h"
#include "read/neutrino/neutrino_reading.h"
#include "read/support/reader.h"

enum { OPT_LAYOUT = 0, OPT_MAP, OPT_SCHEMA, OPTIONS };

static const pf_option options[OPTIONS] = {
    [OPT_LAYOUT] = {.name = "layout",
                    .type = PF_OPTION_CHOICE,
                    .choices = "v0|v1|v2|hip",
                    .otherwise = "recognised",
                    .help = "layout of Neutrino's binary traces"},
    [OPT_MAP] = {.name = "map",
                 .type = PF_OPTION_TEXT,
                 .value = "NAME:LEVEL:FIELD=TYPE,...[:CAPACITY]",
                 .otherwise = "as probe.toml or kernel.info says",
                 .help =
                     "what a section of Neutrino's binary traces holds, in the order of the sections; LEVEL is warp or "
                     "thread, TYPE u64 or u32",
                 .traits = PF_OPTION_REPEATABLE},
    [OPT_SCHEMA] = {.name = "schema",
                    .type = PF_OPTION_PATH,
                    .value = "FILE.yaml",
                    .otherwise = "Neutrino's own formats",
                    .help = "records of any in-kernel profiler: the file says which bits are what"},
};

#define LOOK_DEPTH 6
#define LOOK_ENTRIES 20000u

static bool is_latency_head(const uint8_t *head, size_t size);

static bool has_latency_head(const char *path)
{
    uint8_t head[256];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a named pipe must not hold the probe */
    ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0) {
        close(fd);
    }
    return n > 0 && is_latency_head(head, (size_t)n);
}

/* Whether a file says that its folder belongs to a recording. */
static bool is_sign(const FTSENT *e)
{
    const char *name = e->fts_name;
    bool result = e->fts_level > 1 && strcmp(e->fts_parent->fts_name, "result") == 0;
    return strcmp(name, "event.log") == 0 || strcmp(name, "probe.toml") == 0 || pf_neutrino_is_file(name, ".dmat") ||
           (result && pf_neutrino_is_file(name, ".bin")) ||
           (pf_str_ends(pf_str_of(name), PF_STR(".csv")) && has_latency_head(e->fts_accpath));
}

/* A run directory, or a tree with one in it; without memory to look, reading it says so. */
static pf_probe probe_folder(const char *path)
{
    char *roots[] = {(char *)(uintptr_t)path, NULL}; /* fts does not change it */
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    bool found = false, refused = !walk && errno == ENOMEM;
    FTSENT *e = NULL;
    for (unsigned seen = 0; walk && !found && seen < LOOK_ENTRIES && (e = fts_read(walk)); seen++) {
        bool aside = e->fts_level > 0 && (e->fts_name[0] == '.' || strcmp(e->fts_name, "expected") == 0);
        if (e->fts_info == FTS_D && (aside || e->fts_level > LOOK_DEPTH)) {
            fts_set(walk, e, FTS_SKIP);
        }
        found = e->fts_info == FTS_F && !aside && is_sign(e);
    }
    if (walk) {
        refused = !found && !e && errno == ENOMEM;
        fts_close(walk);
    }
    return found ? PF_PROBE_SURE : refused ? PF_PROBE_MAYBE : PF_PROBE_NO;
}

/* A run directory itself. */
static bool is_recording(const char *folder)
{
    static const char *const names[] = {"event.log", "event.log.gz", "probe.toml", "result"};
    char path[4096];
    struct stat sb;
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
        int len = snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        found = len > 0 && (size_t)len < sizeof path && stat(path, &sb) == 0 && !S_ISDIR(sb.st_mode) == (i < 3) &&
                (i < 3 || probe_folder(folder) != PF_PROBE_NO);
    }
    return found;
}

static bool is_latency_head(const uint8_t *head, size_t size)
{
    static const char *const words[] = {"probe", "original", "ncu", "neutrino", "prologue", "kernel", "epilogue"};
    const uint8_t *end = size ? memchr(head, '\n', size) : NULL;
    size_t len = end ? (size_t)(end - head) : size;
    bool all = len > 0;
    for (size_t i = 0; i < sizeof words / sizeof *words && all; i++) {
        all = memmem(head, len, words[i], strlen(words[i])) != NULL;
    }
    return all;
}

/* A binary trace has no magic number: its name, or a header whose first offset is where the sections end. */
static bool is_trace_head(const uint8_t *head, size_t size)
{
    neutrino_header h;
    neutrino_fault ignored;
    if (size < NEUTRINO_HEADER + NEUTRINO_SECTION_HEADER || !pf_neutrino_read_header(head, size, &h, &ignored) ||
        h.sections == 0) {
        return false;
    }
    uint64_t first = pf_little_u64(head + NEUTRINO_HEADER + 8);
    return first == NEUTRINO_HEADER + NEUTRINO_SECTION_HEADER * (uint64_t)h.sections && h.threads <= 1024;
}

/* The folder of the run that a file belongs to, relative to the file: where it is in result/, the one above. */
static const char *run_of(const neutrino_reading *n)
{
    const pf_entry *entry;
    size_t count;
    pf_error ignored;
    static const char *const signs[] = {"event.log", "probe.toml", "result"};
    bool above = false;
    if (pf_reading_list(n->r, "..", &entry, &count, &ignored) == PF_OK) {
        for (size_t i = 0; i < 3 * count; i++) {
            above |= strcmp(entry[i / 3].name, signs[i % 3]) == 0;
        }
    }
    return above ? ".." : "";
}

/* Notes the maps of a definition or kernel.info, unless there is a fault. */
static void note_maps(neutrino_reading *n, const neutrino_maps *maps, const char *fault, unsigned line)
{
    if (fault && pf_neutrino_works(n)) {
        n->status = line ? pf_fail(n->err, PF_ERR_INPUT, "line %u: %s", line, fault)
                         : pf_fail(n->err, PF_ERR_INPUT, "%s", fault);
    } else if (!fault) {
        pf_neutrino_note_maps(n, maps);
    }
}

static void read_definition(neutrino_reading *n, pf_str text, const char *path)
{
    unsigned line = 0;
    neutrino_maps *maps = pf_neutrino_alloc(n, sizeof *maps);
    if (maps) {
        const char *fault = pf_neutrino_maps_of_toml(text, &n->t->arena, maps, &line);
        note_maps(n, maps, fault, line);
    }
}

static void read_info(neutrino_reading *n, pf_str text, const char *path)
{
    neutrino_kernel *k = pf_neutrino_alloc(n, sizeof *k);
    if (k) {
        const char *fault = pf_neutrino_kernel_info(text, k);
        note_maps(n, &k->maps, fault, 0);
    }
    if (pf_neutrino_works(n)) {
        pf_neutrino_read_kernel(n, path, text, (pf_str){NULL, 0});
    }
}

/* Files that are read on their own, by what they begin with or by their name. */
typedef struct file_kind {
    const char *head, *name;
    void (*read)(neutrino_reading *n, pf_str text, const char *path);
} file_kind;

static const file_kind kinds[] = {{"[init] pid ", NULL, pf_neutrino_read_log},
                                  {"[pid] ", NULL, pf_neutrino_read_log},
                                  {"[call]  ", NULL, pf_neutrino_read_tensors},
                                  {NULL, NULL, pf_neutrino_read_latency},
                                  {NULL, ".dmat", pf_neutrino_read_dmat},
                                  {NULL, "probe.toml", read_definition},
                                  {NULL, "kernel.info", read_info}};

static bool is_of_kind(const file_kind *k, pf_str head, const char *name)
{
    return k->head             ? pf_str_starts(head, pf_str_of(k->head))
           : !k->name          ? is_latency_head((const uint8_t *)head.ptr, head.len)
           : k->name[0] == '.' ? pf_neutrino_is_file(name, k->name)
                               : strcmp(name, k->name) == 0;
}

/* NULL: none of them, so that it may be a binary trace. */
static const file_kind *kind_of(pf_str head, const char *path)
{
    const file_kind *found = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !found; i++) {
        found = is_of_kind(&kinds[i], head, pf_path_name(path)) ? &kinds[i] : NULL;
    }
    return found;
}

static pf_probe probe(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    if (is_directory) {
        return probe_folder(path);
    }
    if (kind_of((pf_str){(const char *)head, size}, path) || is_trace_head(head, size)) {
        return PF_PROBE_SURE;
    }
    return pf_neutrino_is_file(pf_path_name(path), ".bin") ? PF_PROBE_MAYBE : PF_PROBE_NO;
}

static void read_file(neutrino_reading *n)
{
    const char *path = pf_reading_input(n->r)->path;
    pf_bytes b;
    if (!PF_NEUTRINO_DO(n, pf_reading_whole(n->r, &b, n->err))) {
        return;
    }
    pf_str text = {(const char *)b.ptr, b.len};
    const file_kind *kind = kind_of(text, path);
    if (kind) {
        pf_neutrino_begin_run(n, path);
        kind->read(n, text, path);
    } else {
        pf_neutrino_read_run(n, run_of(n), path);
    }
}

static void read_options(neutrino_reading *n)
{
    const pf_option_value *layout = pf_reading_value(n->r, OPT_LAYOUT), *map = pf_reading_value(n->r, OPT_MAP);
    static const int layouts[] = {NEUTRINO_V0, NEUTRINO_V1, NEUTRINO_V2, NEUTRINO_HIP};
    n->forced_layout = layout->set ? layouts[layout->i & 3] : -1;
    neutrino_maps *maps = map->set ? pf_neutrino_alloc(n, sizeof *maps) : NULL;
    if (!maps) {
        return;
    }
    *maps = (neutrino_maps){.source = "--map"};
    for (size_t i = 0; i < map->count && maps->count < NEUTRINO_MAPS_MAX; i++) {
        const char *fault = pf_neutrino_map_of_option(map->all[i].s, &maps->map[maps->count++]);
        if (fault) {
            int len = (int)(map->all[i].s.len < 200 ? map->all[i].s.len : 200);
            n->status = pf_fail(n->err, PF_ERR_USAGE, "--map %.*s: %s", len, map->all[i].s.ptr, fault);
            return;
        }
    }
    n->given = maps;
}

/* What `info` says of the layouts that were found. */
static void note_layouts(const neutrino_reading *n)
{
    static const char *const texts[] = {"layout v2", "layout v1", "layout v0", "layout hip"};
    bool several = n->layouts & (n->layouts - 1);
    if (n->layouts) {
        pf_reading_set_variant(n->r, several ? "several layouts" : texts[__builtin_ctz(n->layouts)]);
    }
}

/* Where nothing could be read, the first fault is that of the input. */
static pf_status judge(const neutrino_reading *n, pf_error *err)
{
    if (n->bad) {
        pf_trace_count(n->t, PF_STAT_RECORDS_CUT, n->first_error.offset);
    }
    if (n->bad && !n->good) {
        const pf_input *in = pf_reading_input(n->r);
        size_t len = strlen(in->path);
        bool inside = in->is_directory && strncmp(n->first_error.file, in->path, len) == 0;
        *err = n->first_error;
        snprintf(err->text, sizeof err->text, "%.160s%s%.320s", inside ? n->first_error.file + len + 1 : "",
                 inside ? ": " : "", n->first_error.text);
        err->file[0] = '\0';
        return PF_ERR_INPUT;
    }
    return PF_OK;
}

static pf_status read_neutrino(pf_reading *r, pf_error *err)
{
    neutrino_reading n = {.r = r, .t = pf_reading_trace(r), .err = err, .run = PF_NONE};
    const pf_option_value *schema = pf_reading_value(r, OPT_SCHEMA);
    n.wants_records = pf_reading_options(r)->want & PF_WANT_RECORDS;
    pf_reading_set_dialect(r, "neutrino");
    PF_TRY(pf_neutrino_add_tables(n.t, n.table, err));
    read_options(&n);
    PF_TRY(n.status);
    if (schema->set) {
        pf_neutrino_read_kernel_records(&n, schema->s.ptr);
        return n.status;
    }
    if (pf_reading_input(r)->is_directory) {
        pf_neutrino_read_folder(&n);
    } else {
        read_file(&n);
    }
    note_layouts(&n);
    return pf_neutrino_works(&n) ? judge(&n, err) : n.status;
}

const pf_reader pf_reader_neutrino = {
    .name = "neutrino",
    .summary = "GPU probe recordings of Neutrino (run directories, .bin, .dmat, event.log)",
    .description =
        "Takes run directories and trees of them, or one file: a binary trace (with the probe.toml, event.log "
        "and kernel/ of its run directory, if they are there), a .dmat, event.log, tensor.trace, probe.toml, "
        "kernel.info, or a CSV of latencies. With --schema, a file of records of any in-kernel profiler.",
    .options = options,
    .option_count = OPTIONS,
    .probe = probe,
    .is_recording = is_recording,
    .read = read_neutrino,
};
