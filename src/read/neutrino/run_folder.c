/* read/neutrino/run_folder.c - run directories, and trees of them (docs/reference/neutrino.md, "Run directory").
 *
 * A folder is a run directory if it has a log, a probe definition or a folder of results. A tree is walked with a list
 * of folders that are still to be read; what is in a run directory belongs to it and is not walked into.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/map.h"
#include "read/neutrino/neutrino_reading.h"

#define DEPTH_MAX 16

static pf_str str_of(pf_bytes b)
{
    return (pf_str){(const char *)b.ptr, b.len};
}

/* A companion, which may be stored packed under its name with .gz; ptr NULL: not there. */
static pf_str companion(neutrino_reading *n, const char *folder, const char *name)
{
    const char *path = pf_neutrino_join(n, folder, name);
    pf_bytes b = {NULL, 0};
    return PF_NEUTRINO_DO(n, pf_reading_companion(n->r, path, &b, n->err)) ? str_of(b) : (pf_str){NULL, 0};
}

/* What is in a folder; nothing after a failure. */
typedef struct entries {
    const pf_entry *at;
    size_t count;
} entries;

static entries list(neutrino_reading *n, const char *folder)
{
    entries e = {NULL, 0};
    return PF_NEUTRINO_DO(n, pf_reading_list(n->r, folder, &e.at, &e.count, n->err)) ? e : (entries){NULL, 0};
}

void pf_neutrino_begin_run(neutrino_reading *n, const char *path)
{
    n->has_log = n->hip = false;
    n->maps = n->given;
    n->first_launch = n->table[NEUTRINO_LAUNCH]->count;
    n->first_kernel = n->table[NEUTRINO_KERNEL]->count;
    n->run = PF_NEUTRINO_ADD(n, NEUTRINO_RUN, pf_neutrino_word(n, path), INT64_MIN, 0, 0, 0, PF_NONE);
}

void pf_neutrino_note_maps(neutrino_reading *n, const neutrino_maps *maps)
{
    pf_buffer fields = {0};
    for (unsigned i = 0; i < maps->count && pf_neutrino_works(n); i++) {
        const neutrino_map *m = &maps->map[i];
        fields.len = 0;
        for (unsigned k = 0; k < m->fields; k++) {
            pf_buffer_text(&fields, k ? "," : "");
            pf_buffer_put(&fields, m->field[k].name.ptr, m->field[k].name.len);
            pf_buffer_text(&fields, m->field[k].bytes == 8 ? "=u64" : "=u32");
        }
        if (fields.failed) {
            pf_neutrino_no_memory(n, fields.len);
        }
        PF_NEUTRINO_ADD(n, NEUTRINO_MAP, n->run, pf_neutrino_id(n, m->name),
                        m->level ? pf_neutrino_word(n, pf_neutrino_level_name(m->level)) : 0, (int64_t)m->bytes,
                        m->capacity ? (int64_t)m->capacity : INT64_MIN,
                        fields.len ? pf_neutrino_id(n, (pf_str){fields.data, fields.len}) : 0);
    }
    pf_buffer_free(&fields);
}

static void read_definition(neutrino_reading *n, const char *folder)
{
    unsigned line = 0;
    pf_str text = n->given ? (pf_str){NULL, 0} : companion(n, folder, "probe.toml");
    neutrino_maps *maps = text.ptr ? pf_neutrino_alloc(n, sizeof *maps) : NULL;
    if (maps) {
        maps->source = "probe.toml";
        const char *fault = pf_neutrino_maps_of_toml(text, &n->t->arena, maps, &line);
        if (fault) {
            pf_neutrino_note(n, pf_neutrino_join(n, folder, "probe.toml"), "map", "line %u: %s", line, fault);
            return;
        }
        n->maps = maps->count ? maps : NULL;
    }
    if (n->maps) {
        pf_neutrino_text(n, NEUTRINO_RUN, RUN_MAPS, n->run, pf_str_of(n->maps->source));
        pf_neutrino_note_maps(n, n->maps);
    }
}

static void read_kernels(neutrino_reading *n, const char *folder)
{
    const char *kernels = pf_neutrino_join(n, folder, "kernel");
    const entries e = list(n, kernels);
    for (size_t i = 0; i < e.count && pf_neutrino_works(n); i++) {
        if (e.at[i].is_directory) {
            const char *path = pf_neutrino_join(n, kernels, e.at[i].name);
            pf_str info = companion(n, path, "kernel.info"), log = companion(n, path, "process.log");
            pf_neutrino_read_kernel(n, path, info, log);
        }
    }
}

/* The last part of a path up to the ending of a binary trace. */
static pf_str trace_stem(pf_str path)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;
    pf_str name = slash ? pf_str_from(path, (size_t)(slash - path.ptr) + 1) : path;
    size_t end = pf_str_find(name, PF_STR(".bin"));
    return end == SIZE_MAX ? name : (pf_str){name.ptr, end};
}

/* The launch whose save line names the file, or PF_NONE. */
static uint32_t launch_of(const neutrino_reading *n, const char *name)
{
    const pf_side_table *launch = n->table[NEUTRINO_LAUNCH];
    pf_str stem = trace_stem(pf_str_of(name));
    for (uint32_t i = n->first_launch; i < launch->count; i++) {
        pf_str saved = pf_trace_string(n->t, *pf_side_ref(launch, LAUNCH_FILE, i));
        if (saved.ptr && pf_str_equal(trace_stem(saved), stem)) {
            return i;
        }
    }
    return PF_NONE;
}

/* The sections that kernel.info says for the kernel of the launch, or else for the first kernel. */
static bool find_kernel(neutrino_reading *n, uint32_t launch, neutrino_kernel *k)
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
    if (best == PF_NONE) {
        return false;
    }
    pf_str text = companion(n, pf_trace_string(n->t, *pf_side_ref(kernel, KERNEL_FOLDER, best)).ptr, "kernel.info");
    return text.ptr && !pf_neutrino_kernel_info(text, k);
}

static void read_result(neutrino_reading *n, const char *path, neutrino_kernel *k)
{
    uint32_t launch = launch_of(n, path);
    bool known = find_kernel(n, launch, k);
    pf_bytes file = {NULL, 0};
    if (known && !n->maps) {
        pf_neutrino_text(n, NEUTRINO_RUN, RUN_MAPS, n->run, PF_STR("kernel.info"));
    }
    if (pf_reading_input(n->r)->is_directory) {
        file = pf_neutrino_file_bytes(n, path);
    } else {
        (void)PF_NEUTRINO_DO(n, pf_reading_whole(n->r, &file, n->err));
    }
    if (file.ptr && pf_neutrino_works(n)) {
        pf_neutrino_read_trace(n, file, path, known ? &k->maps : NULL, launch);
    }
}

void pf_neutrino_read_run(neutrino_reading *n, const char *folder, const char *only_trace)
{
    pf_neutrino_begin_run(n, *folder ? pf_neutrino_full_path(n, folder) : pf_reading_input(n->r)->path);
    read_definition(n, folder);
    pf_str log = companion(n, folder, "event.log");
    if (log.ptr) {
        pf_neutrino_read_log(n, log, NULL);
    }
    read_kernels(n, folder);
    pf_str tensors = companion(n, folder, "tensor.trace");
    if (tensors.ptr) {
        pf_neutrino_read_tensors(n, tensors, NULL);
    }
    neutrino_kernel *k = pf_neutrino_works(n) ? pf_neutrino_alloc(n, sizeof *k) : NULL;
    if (!k) {
        return;
    }
    if (only_trace) {
        read_result(n, only_trace, k);
        return;
    }
    const char *results = pf_neutrino_join(n, folder, "result");
    const entries e = list(n, results);
    for (size_t i = 0; i < e.count && pf_neutrino_works(n); i++) {
        if (!e.at[i].is_directory && pf_neutrino_is_file(e.at[i].name, ".bin")) {
            read_result(n, pf_neutrino_join(n, results, e.at[i].name), k);
        }
    }
}

/* A folder that is still to be read. */
typedef struct pending {
    struct pending *next;
    const char *path;
    unsigned depth;
} pending;

static bool is_run(entries e)
{
    bool found = false;
    for (size_t i = 0; i < e.count; i++) {
        const char *name = e.at[i].name;
        found |= e.at[i].is_directory ? strcmp(name, "result") == 0
                                      : pf_neutrino_is_file(name, "event.log") || strcmp(name, "probe.toml") == 0;
    }
    return found;
}

/* A file of a folder that is no run directory. */
static void read_loose_file(neutrino_reading *n, const char *folder, const char *name)
{
    bool dmat = pf_neutrino_is_file(name, ".dmat"), csv = pf_neutrino_is_file(name, ".csv");
    bool output = strcmp(name, "stdout.log") == 0, bin = pf_neutrino_is_file(name, ".bin");
    if (!dmat && !csv && !output && !bin) {
        return;
    }
    const char *path = pf_neutrino_join(n, folder, name);
    pf_bytes b = pf_neutrino_file_bytes(n, path);
    if (!b.ptr) {
        return;
    }
    if (output) {
        pf_neutrino_read_stdout(n, str_of(b), pf_neutrino_join(n, pf_reading_input(n->r)->path, folder));
    } else if (csv) {
        pf_neutrino_read_latency(n, str_of(b), path);
    } else if (dmat) {
        pf_neutrino_read_dmat(n, str_of(b), path);
    } else {
        pf_neutrino_begin_run(n, pf_neutrino_full_path(n, path)); /* of its own, as where the file is the input */
        pf_neutrino_read_trace(n, b, path, NULL, PF_NONE);
    }
}

/* A walk over a tree: folders, then what links lead to, each once by whatever names it comes. */
typedef struct walk {
    neutrino_reading *n;
    pending *folders, *links;
    pf_map seen; /* folders by device and number */
} walk;

static void push(walk *w, const char *folder, const char *name, unsigned depth)
{
    struct stat sb;
    pending *p = pf_neutrino_alloc(w->n, sizeof *p);
    const char *path = pf_neutrino_join(w->n, folder, name), *full = pf_neutrino_full_path(w->n, path);
    if (p && pf_neutrino_works(w->n)) {
        pending **to = *path && lstat(full, &sb) == 0 && S_ISLNK(sb.st_mode) ? &w->links : &w->folders;
        *p = (pending){*to, path, depth};
        *to = p;
    }
}

/* Whether the folder comes for the first time. */
static bool is_new(walk *w, const char *path)
{
    struct stat sb;
    const char *full = pf_neutrino_full_path(w->n, path);
    if (!pf_neutrino_works(w->n) || stat(full, &sb) != 0) {
        return false;
    }
    uint64_t key = pf_hash_add(pf_hash_add(1, sb.st_dev), sb.st_ino);
    bool is = pf_map_get(&w->seen, key) == PF_NONE;
    if (!pf_map_set(&w->seen, key, 1)) {
        pf_neutrino_no_memory(w->n, 16);
    }
    return is && pf_neutrino_works(w->n);
}

/* Its files, then, from the last to the first so that they come out in order, the folders in it. The parts of a run
 * belong to it, whatever links to them. */
static void look_into(walk *w, const pending *p)
{
    neutrino_reading *n = w->n;
    const entries e = list(n, *p->path ? p->path : ".");
    bool run = is_run(e);
    for (size_t i = 0; i < e.count && pf_neutrino_works(n); i++) {
        if (run && e.at[i].is_directory) {
            is_new(w, pf_neutrino_join(n, p->path, e.at[i].name));
        } else if (!run && !e.at[i].is_directory) {
            read_loose_file(n, p->path, e.at[i].name);
        }
    }
    if (run) {
        pf_neutrino_read_run(n, p->path, NULL);
        return;
    }
    for (size_t i = e.count; i-- > 0 && pf_neutrino_works(n);) {
        if (e.at[i].is_directory && p->depth < DEPTH_MAX) {
            push(w, p->path, e.at[i].name, p->depth + 1);
        }
    }
}

void pf_neutrino_read_folder(neutrino_reading *n)
{
    walk w = {.n = n};
    pf_map_init(&w.seen, &n->t->budget);
    push(&w, "", "", 0);
    while ((w.folders || w.links) && pf_neutrino_works(n)) {
        pending **from = w.folders ? &w.folders : &w.links, *p = *from;
        *from = p->next;
        if (is_new(&w, p->path) && pf_neutrino_goes_on(n)) {
            look_into(&w, p);
        }
    }
    pf_map_free(&w.seen);
}
