/* cli/commands/merge/merge_manifest.c - the form is Perfetto's (perfetto_manifest, version 1), as far as a merge has
 * it:
 *
 *     {"perfetto_manifest": {"version": 1, "files": [
 *         {"path": "rank0.pftrace", "machine": {"name": "left"}},
 *         {"path": "rank1.pftrace", "clocks": {"sync_to": {"file": "rank0.pftrace"}, "offset_ns": -250}}]}}
 *
 * An offset counts from the file that it is synchronised to, which may be moved itself, so what a file is moved by is
 * the sum along that way. Offsets are those of the clock of traces, BOOTTIME; other clocks are refused, since where the
 * file goes would be another place. What else a manifest may say (attributes, machines inside a file) has no place in
 * packets and is passed over, as the format asks for.
 */
#include "cli/commands/merge/merge_manifest.h"

#include <stdlib.h>

#include "base/str.h"
#include "cli/commands/merge/merge_clocks.h"

enum { FILES_MAX = 4096, WAY_MAX = 16 };

static pf_status wrong(pf_cli_run *run, const pf_cli_manifest *m, const pf_node *n, const char *what)
{
    pf_fail(&run->err, PF_ERR_USAGE, "line %u: %s", n ? n->line : 1, what);
    pf_error_in(&run->err, m->path);
    return run->err.code;
}

static pf_str text_of(const pf_node *object, const char *key)
{
    const pf_node *n = pf_node_get(object, key);
    return n && n->type == PF_NODE_TEXT ? n->as.s : (pf_str){"", 0};
}

static bool is_of_traces(const pf_node *clocks)
{
    return !pf_node_get(clocks, "clock") || pf_str_is(text_of(clocks, "clock"), "BOOTTIME");
}

static const pf_node *find_file(const pf_cli_manifest *m, pf_str path)
{
    const pf_node *n = m->files->first;
    while (n && !pf_str_equal(text_of(n, "path"), path)) {
        n = n->next;
    }
    return n;
}

static pf_status check_files(pf_cli_run *run, pf_cli_manifest *m)
{
    const pf_node *root = pf_node_get(pf_document_root(m->document), "perfetto_manifest");
    const pf_node *version = pf_node_get(root, "version");
    m->files = pf_node_get(root, "files");
    if (!version || version->type != PF_NODE_INT || version->as.i != 1) {
        return wrong(run, m, version,
                     "is not a manifest; write {\"perfetto_manifest\": {\"version\": 1, \"files\": [...]}}");
    }
    if (!m->files || m->files->type != PF_NODE_LIST || !m->files->first || m->files->children > FILES_MAX) {
        return wrong(run, m, m->files, "\"files\" has to list the inputs, 1 to 4096: {\"path\": \"FILE\"}");
    }
    for (const pf_node *n = m->files->first; n; n = n->next) {
        pf_str path = text_of(n, "path");
        if (path.len == 0 || strlen(path.ptr) != path.len) {
            return wrong(run, m, n, "an input needs its \"path\"");
        }
    }
    return PF_OK;
}

/* Paths count from the folder of the manifest. */
static char *join(const char *manifest, pf_str path)
{
    const char *slash = strrchr(manifest, '/');
    size_t folder = slash && *path.ptr != '/' ? (size_t)(slash - manifest) + 1 : 0;
    char *all = malloc(folder + path.len + 1);
    if (all) {
        memcpy(all, manifest, folder);
        memcpy(all + folder, path.ptr, path.len + 1);
    }
    return all;
}

static pf_status give_operands(pf_cli_run *run, pf_cli_manifest *m)
{
    m->inputs = calloc(m->files->children, sizeof *m->inputs);
    const char **operands = calloc(m->files->children, sizeof *operands);
    if (!m->inputs || !operands) {
        free(operands);
        return pf_no_memory(&run->err);
    }
    free(run->operands);
    run->operands = operands;
    for (const pf_node *n = m->files->first; n; n = n->next) {
        operands[m->count] = m->inputs[m->count] = join(m->path, text_of(n, "path"));
        PF_TRY(m->inputs[m->count] ? PF_OK : pf_no_memory(&run->err));
        run->operand_count = ++m->count;
    }
    return PF_OK;
}

pf_status pf_cli_manifest_read(pf_cli_run *run, pf_cli_manifest *m, const char *path)
{
    char *bytes = NULL;
    size_t len = 0;
    m->path = path;
    pf_status st = path ? pf_read_bytes(path, &run->set->limits, &bytes, &len, &run->err) : PF_OK;
    st = path && st == PF_OK ? pf_json_parse((pf_str){bytes, len}, NULL, &m->document, &run->err) : st;
    free(bytes);
    if (st != PF_OK) {
        pf_error_in(&run->err, path);
    }
    if (!path || st != PF_OK) {
        return st;
    }
    PF_TRY(check_files(run, m));
    return run->operand_count ? PF_OK : give_operands(run, m);
}

void pf_cli_manifest_free(pf_cli_run *run, pf_cli_manifest *m)
{
    run->operand_count = m->inputs ? 0 : run->operand_count;
    for (size_t i = 0; i < m->count; i++) {
        free(m->inputs[i]);
    }
    free(m->inputs);
    pf_document_free(m->document);
}

static pf_status find_offset(pf_cli_run *run, const pf_cli_manifest *m, const pf_node *file, int64_t *sum)
{
    const pf_node *clocks = pf_node_get(file, "clocks");
    *sum = 0;
    for (unsigned steps = 0; clocks; steps++, clocks = pf_node_get(file, "clocks")) {
        const pf_node *to = pf_node_get(clocks, "sync_to"), *offset = pf_node_get(clocks, "offset_ns");
        if (!is_of_traces(clocks) || !is_of_traces(to)) {
            return wrong(run, m, clocks, "inputs are moved by offsets of BOOTTIME, the clock of traces, only");
        }
        file = find_file(m, text_of(to, "file"));
        if (!file || steps == WAY_MAX) {
            return wrong(run, m, clocks,
                         file ? "\"sync_to\" comes back to this file, or goes over more than 16"
                              : "\"sync_to\" has to name the \"file\", another \"path\" of the manifest");
        }
        if (offset && (offset->type != PF_NODE_INT || __builtin_add_overflow(*sum, offset->as.i, sum))) {
            return wrong(run, m, offset, "\"offset_ns\" has to be a whole number of ns in range");
        }
    }
    return PF_OK;
}

/* The clock of the result is that of the inputs that are not moved. */
static pf_status check_trace_time(pf_cli_run *run, const pf_cli_manifest *m)
{
    const pf_node *root = pf_node_get(pf_document_root(m->document), "perfetto_manifest");
    const pf_node *time = pf_node_get(root, "trace_time"), *file = NULL;
    int64_t offset = 0;
    if (pf_node_get(time, "file")) {
        file = find_file(m, text_of(time, "file"));
        PF_TRY(find_offset(run, m, file, &offset));
    }
    bool good = is_of_traces(time) && offset == 0 && (file || !pf_node_get(time, "file"));
    return good ? PF_OK
                : wrong(run, m, time,
                        "\"trace_time\" can be only the BOOTTIME of a file that nothing moves; leave it out");
}

pf_status pf_cli_manifest_apply(pf_cli_run *run, const pf_cli_manifest *m, pf_merge_input *inputs)
{
    size_t at = 0;
    PF_TRY(m->path ? check_trace_time(run, m) : PF_OK);
    for (const pf_node *n = m->path ? m->files->first : NULL; n; n = n->next, at++) {
        pf_str path = text_of(n, "path"), name = text_of(pf_node_get(n, "machine"), "name");
        size_t input = m->inputs ? at : pf_cli_merge_find(run, path.ptr, path.len);
        int64_t offset;
        if (input == run->operand_count) {
            return wrong(run, m, n,
                         "one input of the command line must be called as this \"path\"; or name none there");
        }
        PF_TRY(find_offset(run, m, n, &offset));
        if (__builtin_add_overflow(inputs[input].offset_ns, offset, &inputs[input].offset_ns)) {
            return wrong(run, m, n, "the offset is out of range");
        }
        inputs[input].label = name.len ? name.ptr : NULL;
    }
    return PF_OK;
}
