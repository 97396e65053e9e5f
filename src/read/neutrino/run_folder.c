/* read/neutrino/run_folder.c - run directories, and trees of them (docs/reference/neutrino.md, "Run directory").
 *
 * A folder is a run directory if it has a log, a probe definition or a folder of results. A tree is walked with a list
 * of folders that are still to be read; what is in a run directory belongs to it and is not walked into.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/map.h"
#include "model/trace/trace.h"
#include "read/neutrino/neutrino_reading.h"

#define DEPTH_MAX 16

static pf_str str_of(pf_bytes b)
{
    return (pf_str){(const char *)b.ptr, b.len};
}

/* A companion, which may be stored packed under its name with .gz; ptr NULL: not there. */
static pf_status companion(neutrino_reading *n, const char *folder, const char *name, pf_bytes *out, pf_error *err)
{
    const char *path = pf_neutrino_join(n, folder, name, err);
    *out = (pf_bytes){NULL, 0};
    return path ? pf_reading_companion(n->r, path, out, err) : err->code;
}

/* ---- one run ----------------------------------------------------------------------------------------------------- */

/* The path of the run, with that of the input in front. */
static pf_status begin_run(neutrino_reading *n, const char *folder, pf_error *err)
{
    const pf_input *in = pf_reading_input(n->r);
    const char *path = in->is_directory || strcmp(folder, "") == 0 ? in->path : folder;
    path = in->is_directory && *folder ? pf_neutrino_join(n, in->path, folder, err) : path;
    if (!path) {
        return err->code;
    }
    n->has_log = n->hip = false;
    n->maps = n->given;
    n->first_launch = n->table[NEUTRINO_LAUNCH]->count;
    n->first_kernel = n->table[NEUTRINO_KERNEL]->count;
    pf_status st = pf_neutrino_row(n, NEUTRINO_RUN, &n->run, err);
    return st == PF_OK ? pf_neutrino_text(n, NEUTRINO_RUN, RUN_PATH, n->run, pf_neutrino_str(path), err) : st;
}

static pf_status note_source(neutrino_reading *n, pf_error *err)
{
    pf_status st = PF_OK;
    if (n->maps) {
        st = pf_neutrino_text(n, NEUTRINO_RUN, RUN_MAPS, n->run, pf_neutrino_str(n->maps->source), err);
        st = st == PF_OK ? pf_neutrino_note_maps(n, n->maps, err) : st;
    }
    return st;
}

pf_status pf_neutrino_note_maps(neutrino_reading *n, const neutrino_maps *maps, pf_error *err)
{
    pf_status st = PF_OK;
    for (unsigned i = 0; i < maps->count && st == PF_OK; i++) {
        const neutrino_map *m = &maps->map[i];
        pf_buffer fields = {0};
        uint32_t row;
        for (unsigned k = 0; k < m->fields; k++) {
            pf_buffer_text(&fields, k ? "," : "");
            pf_buffer_put(&fields, m->field[k].name.ptr, m->field[k].name.len);
            pf_buffer_text(&fields, m->field[k].bytes == 8 ? "=u64" : "=u32");
        }
        st = pf_neutrino_row(n, NEUTRINO_MAP, &row, err);
        st = st == PF_OK ? pf_neutrino_text(n, NEUTRINO_MAP, MAP_NAME, row, m->name, err) : st;
        pf_str level = m->level == NEUTRINO_WARP ? PF_STR("warp") : PF_STR("thread");
        st = st == PF_OK && m->level ? pf_neutrino_text(n, NEUTRINO_MAP, MAP_LEVEL, row, level, err) : st;
        st = st == PF_OK && fields.len
                 ? pf_neutrino_text(n, NEUTRINO_MAP, MAP_FIELDS, row, (pf_str){fields.data, fields.len}, err)
                 : st;
        st = fields.failed ? pf_fail(err, PF_ERR_MEMORY, "the system refused memory for the fields of a map") : st;
        if (st == PF_OK) {
            pf_neutrino_ref(n, NEUTRINO_MAP, MAP_RUN, row, n->run);
            pf_neutrino_number(n, NEUTRINO_MAP, MAP_BYTES, row, m->bytes);
        }
        if (st == PF_OK && m->capacity) {
            pf_neutrino_number(n, NEUTRINO_MAP, MAP_CAPACITY, row, m->capacity);
        }
        pf_buffer_free(&fields);
    }
    return st;
}

static pf_status read_definition(neutrino_reading *n, const char *folder, pf_error *err)
{
    pf_bytes text;
    unsigned line = 0;
    pf_status st = n->given ? PF_OK : companion(n, folder, "probe.toml", &text, err);
    if (st != PF_OK || n->given || !text.ptr) {
        return st == PF_OK ? note_source(n, err) : st;
    }
    neutrino_maps *maps = pf_arena_alloc(&n->t->arena, sizeof *maps);
    if (!maps) {
        return pf_budget_refused(&n->t->budget, sizeof *maps, err);
    }
    maps->source = "probe.toml";
    const char *fault = pf_neutrino_maps_of_toml(str_of(text), &n->t->arena, maps, &line);
    if (fault) {
        return pf_neutrino_note(n, pf_neutrino_join(n, folder, "probe.toml", err), "map", err, "line %u: %s", line,
                                fault);
    }
    n->maps = maps->count ? maps : NULL;
    return note_source(n, err);
}

static pf_status read_kernels(neutrino_reading *n, const char *folder, pf_error *err)
{
    const char *kernels = pf_neutrino_join(n, folder, "kernel", err);
    const pf_entry *entry = NULL;
    size_t count = 0;
    pf_status st = kernels ? pf_reading_list(n->r, kernels, &entry, &count, err) : err->code;
    for (size_t i = 0; i < count && st == PF_OK; i++) {
        const char *path = pf_neutrino_join(n, kernels, entry[i].name, err);
        pf_bytes info, log;
        if (!path || !entry[i].is_directory) {
            st = path ? PF_OK : err->code;
            continue;
        }
        st = companion(n, path, "kernel.info", &info, err);
        st = st == PF_OK ? companion(n, path, "process.log", &log, err) : st;
        st = st == PF_OK ? pf_neutrino_read_kernel(n, path, str_of(info), str_of(log), err) : st;
    }
    return st;
}

/* ---- its traces -------------------------------------------------------------------------------------------------- */

/* The last part of a path up to the ending of a binary trace. */
static pf_str trace_stem(pf_str path)
{
    size_t from = path.len;
    while (from && path.ptr[from - 1] != '/') {
        from--;
    }
    pf_str s = {path.ptr + from, path.len - from};
    const char *end = s.len ? memmem(s.ptr, s.len, ".bin", 4) : NULL;
    return (pf_str){s.ptr, end ? (size_t)(end - s.ptr) : s.len};
}

/* The launch whose save line names the file, or PF_NONE. */
static uint32_t launch_of(const neutrino_reading *n, const char *name)
{
    const pf_side_table *launch = n->table[NEUTRINO_LAUNCH];
    pf_str stem = trace_stem(pf_neutrino_str(name));
    for (uint32_t i = n->first_launch; i < launch->count; i++) {
        pf_str saved = pf_trace_string(n->t, *pf_side_ref(launch, LAUNCH_FILE, i));
        saved = saved.ptr ? trace_stem(saved) : saved;
        if (saved.ptr && saved.len == stem.len && memcmp(saved.ptr, stem.ptr, stem.len) == 0) {
            return i;
        }
    }
    return PF_NONE;
}

/* The sections that kernel.info says for the kernel of the launch, or else for the first kernel. */
static bool find_kernel(neutrino_reading *n, uint32_t launch, neutrino_kernel *k, pf_error *err)
{
    const pf_side_table *kernel = n->table[NEUTRINO_KERNEL];
    uint32_t name = launch == PF_NONE ? 0 : *pf_side_ref(n->table[NEUTRINO_LAUNCH], LAUNCH_KERNEL, launch);
    uint32_t best = PF_NONE;
    for (uint32_t i = n->first_kernel; i < kernel->count; i++) {
        bool has_info = *pf_side_number(kernel, KERNEL_SECTIONS, i) != INT64_MIN;
        bool same = name && *pf_side_ref(kernel, KERNEL_NAME, i) == name;
        if (has_info && (best == PF_NONE || same)) {
            best = i;
        }
        if (has_info && same) {
            break;
        }
    }
    pf_bytes text = {NULL, 0};
    if (best != PF_NONE) {
        companion(n, pf_trace_string(n->t, *pf_side_ref(kernel, KERNEL_FOLDER, best)).ptr, "kernel.info", &text, err);
    }
    return text.ptr && !pf_neutrino_kernel_info(str_of(text), k);
}

static pf_status read_trace(neutrino_reading *n, const char *path, const neutrino_maps *kernel, uint32_t launch,
                            pf_error *err)
{
    pf_bytes file;
    bool own = !pf_reading_input(n->r)->is_directory;
    pf_status st = own ? pf_reading_whole(n->r, &file, err) : pf_neutrino_file_bytes(n, path, &file, err);
    return st == PF_OK && file.ptr ? pf_neutrino_read_trace(n, file, path, kernel, launch, err) : st;
}

static pf_status read_result(neutrino_reading *n, const char *path, neutrino_kernel *k, pf_error *err)
{
    uint32_t launch = launch_of(n, path);
    bool known = find_kernel(n, launch, k, err);
    if (known && !n->maps) {
        pf_status st = pf_neutrino_text(n, NEUTRINO_RUN, RUN_MAPS, n->run, PF_STR("kernel.info"), err);
        if (st != PF_OK) {
            return st;
        }
    }
    return read_trace(n, path, known ? &k->maps : NULL, launch, err);
}

static pf_status read_results(neutrino_reading *n, const char *folder, pf_error *err)
{
    const pf_entry *entry = NULL;
    size_t count = 0;
    pf_status st = pf_reading_list(n->r, folder, &entry, &count, err);
    neutrino_kernel *k = pf_arena_alloc(&n->t->arena, sizeof *k);
    if (!k) {
        return pf_budget_refused(&n->t->budget, sizeof *k, err);
    }
    for (size_t i = 0; i < count && st == PF_OK; i++) {
        if (!entry[i].is_directory && pf_neutrino_is_file(entry[i].name, ".bin")) {
            const char *path = pf_neutrino_join(n, folder, entry[i].name, err);
            st = path ? read_result(n, path, k, err) : err->code;
        }
    }
    return st;
}

static pf_status read_one_result(neutrino_reading *n, const char *path, pf_error *err)
{
    neutrino_kernel *k = pf_arena_alloc(&n->t->arena, sizeof *k);
    return k ? read_result(n, path, k, err) : pf_budget_refused(&n->t->budget, sizeof *k, err);
}

pf_status pf_neutrino_read_run(neutrino_reading *n, const char *folder, const char *only_trace, pf_error *err)
{
    pf_bytes log = {NULL, 0}, tensors = {NULL, 0};
    pf_status st = begin_run(n, folder, err);
    st = st == PF_OK ? read_definition(n, folder, err) : st;
    st = st == PF_OK ? companion(n, folder, "event.log", &log, err) : st;
    st = st == PF_OK && log.ptr ? pf_neutrino_read_log(n, str_of(log), err) : st;
    st = st == PF_OK ? read_kernels(n, folder, err) : st;
    st = st == PF_OK ? companion(n, folder, "tensor.trace", &tensors, err) : st;
    st = st == PF_OK && tensors.ptr ? pf_neutrino_read_tensors(n, str_of(tensors), err) : st;
    if (st != PF_OK || only_trace) {
        return st == PF_OK ? read_one_result(n, only_trace, err) : st;
    }
    const char *results = pf_neutrino_join(n, folder, "result", err);
    return results ? read_results(n, results, err) : err->code;
}

/* ---- a tree ------------------------------------------------------------------------------------------------------ */

/* A folder that is still to be read. */
typedef struct pending {
    struct pending *next;
    const char *path;
    unsigned depth;
} pending;

static bool is_run(const pf_entry *entry, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        const char *name = entry[i].name;
        found |= entry[i].is_directory ? strcmp(name, "result") == 0
                                       : pf_neutrino_is_file(name, "event.log") || strcmp(name, "probe.toml") == 0;
    }
    return found;
}

/* A file of a folder that is no run directory. */
static pf_status read_loose_file(neutrino_reading *n, const char *folder, const char *name, pf_error *err)
{
    const char *path = pf_neutrino_join(n, folder, name, err);
    bool dmat = pf_neutrino_is_file(name, ".dmat"), csv = pf_neutrino_is_file(name, ".csv");
    bool output = strcmp(name, "stdout.log") == 0, bin = pf_neutrino_is_file(name, ".bin");
    pf_bytes b = {NULL, 0};
    if (!path || (!dmat && !csv && !output && !bin)) {
        return path ? PF_OK : err->code;
    }
    pf_status st = pf_neutrino_file_bytes(n, path, &b, err);
    if (st != PF_OK || !b.ptr) {
        return st;
    }
    const char *where = pf_neutrino_join(n, pf_reading_input(n->r)->path, folder, err);
    return output ? (where ? pf_neutrino_read_stdout(n, str_of(b), where, err) : err->code)
           : csv  ? pf_neutrino_read_latency(n, str_of(b), path, err)
           : dmat ? pf_neutrino_read_dmat(n, b, path, err)
                  : pf_neutrino_read_trace(n, b, path, NULL, PF_NONE, err);
}

/* A walk over a tree: folders, then what links lead to, each once by whatever names it comes. */
typedef struct walk {
    neutrino_reading *n;
    pending *folders, *links;
    pf_map seen; /* folders by device and number */
} walk;

static pf_status push(walk *w, const char *folder, const char *name, unsigned depth, pf_error *err)
{
    neutrino_reading *n = w->n;
    struct stat sb;
    pending *p = pf_arena_alloc(&n->t->arena, sizeof *p);
    const char *path = p ? pf_neutrino_join(n, folder, name, err) : NULL;
    const char *full = path ? pf_neutrino_full_path(n, path, err) : NULL;
    if (!full) {
        return pf_budget_refused(&n->t->budget, sizeof *p, err);
    }
    pending **list = *path && lstat(full, &sb) == 0 && S_ISLNK(sb.st_mode) ? &w->links : &w->folders;
    *p = (pending){*list, path, depth};
    *list = p;
    return PF_OK;
}

/* Whether the folder comes for the first time. */
static bool is_new(walk *w, const char *path, pf_status *st, pf_error *err)
{
    struct stat sb;
    const char *full = pf_neutrino_full_path(w->n, path, err);
    if (!full || stat(full, &sb) != 0) {
        *st = full ? PF_OK : err->code;
        return false;
    }
    uint64_t key = pf_hash_add(pf_hash_add(1, sb.st_dev), sb.st_ino);
    bool is = pf_map_get(&w->seen, key) == PF_NONE;
    *st = pf_map_set(&w->seen, key, 1) ? PF_OK : pf_budget_refused(&w->n->t->budget, 16, err);
    return is && *st == PF_OK;
}

/* The parts of a run belong to it, whatever links to them. */
static pf_status read_run(walk *w, const pending *p, const pf_entry *entry, size_t count, pf_error *err)
{
    pf_status st = PF_OK;
    for (size_t i = 0; i < count && st == PF_OK; i++) {
        const char *path = entry[i].is_directory ? pf_neutrino_join(w->n, p->path, entry[i].name, err) : NULL;
        if (path) {
            is_new(w, path, &st, err);
        } else if (entry[i].is_directory) {
            st = err->code;
        }
    }
    return st == PF_OK ? pf_neutrino_read_run(w->n, p->path, NULL, err) : st;
}

/* Its files, then, from the last to the first so that they come out in order, the folders in it. */
static pf_status look_into(walk *w, const pending *p, pf_error *err)
{
    neutrino_reading *n = w->n;
    const pf_entry *entry = NULL;
    size_t count = 0;
    pf_status st = pf_reading_list(n->r, *p->path ? p->path : ".", &entry, &count, err);
    if (st == PF_OK && is_run(entry, count)) {
        return read_run(w, p, entry, count, err);
    }
    for (size_t i = 0; i < count && st == PF_OK; i++) {
        st = entry[i].is_directory ? PF_OK : read_loose_file(n, p->path, entry[i].name, err);
    }
    for (size_t i = count; i-- > 0 && st == PF_OK;) {
        if (entry[i].is_directory && p->depth < DEPTH_MAX) {
            st = push(w, p->path, entry[i].name, p->depth + 1, err);
        }
    }
    return st;
}

pf_status pf_neutrino_read_folder(neutrino_reading *n, pf_error *err)
{
    const volatile int *cancel = pf_reading_options(n->r)->cancel;
    walk w = {.n = n};
    pf_map_init(&w.seen, &n->t->budget);
    pf_status st = push(&w, "", "", 0, err);
    while (st == PF_OK && (w.folders || w.links)) {
        pending **list = w.folders ? &w.folders : &w.links, *p = *list;
        *list = p->next;
        if (is_new(&w, p->path, &st, err)) {
            st = cancel && *cancel ? pf_fail(err, PF_ERR_CANCELLED, "cancelled") : look_into(&w, p, err);
        }
    }
    pf_map_free(&w.seen);
    return st;
}
