/* read/support/reading.c - what a reader works with: the bytes of its input, as a window or as a whole, and companion
 * files.
 *
 * Whole contents and companions become the trace's (pf_kept): rows may point into them. They are found again by their
 * path, so that reading once more costs nothing.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/buffer.h"
#include "read/support/reader.h"

pf_trace *pf_reading_trace(const pf_reading *r)
{
    return r->t;
}

const pf_input *pf_reading_input(const pf_reading *r)
{
    return r->input;
}

const pf_reader *pf_reading_reader(const pf_reading *r)
{
    return r->reader;
}

const pf_read_options *pf_reading_options(const pf_reading *r)
{
    return r->o;
}

const pf_option_value *pf_reading_value(const pf_reading *r, size_t option)
{
    return &r->values[option];
}

pf_status pf_reading_set_group(pf_reading *r, const char *group, pf_error *err)
{
    return r->o->merge_pids ? PF_OK : pf_trace_begin_input(r->t, (uint32_t)(r->input - r->t->inputs), group, err);
}

void pf_reading_set_dialect(pf_reading *r, const char *dialect)
{
    r->input->dialect = dialect;
}

void pf_reading_set_variant(pf_reading *r, const char *variant)
{
    r->input->variant = variant;
}

static pf_status no_bytes(pf_error *err)
{
    return pf_fail(err, PF_ERR_INPUT, "is a folder; name a trace file");
}

pf_status pf_reading_next(pf_reading *r, size_t consumed, pf_window *w, pf_error *err)
{
    if (!r->source) {
        return no_bytes(err);
    }
    if (consumed == 0 && !r->taken) {
        r->taken = true;
        *w = r->first;
        return PF_OK;
    }
    return pf_source_more(r->source, consumed, w, err);
}

pf_kept *pf_kept_find(const pf_trace *t, const char *path)
{
    pf_kept *k = t->kept;
    while (k && strcmp(k->path, path) != 0) {
        k = k->next;
    }
    return k;
}

static pf_kept *add_kept(pf_trace *t, const char *path, pf_error *err)
{
    pf_kept *k = pf_arena_alloc(&t->arena, sizeof *k);
    char *name = k ? pf_arena_copy(&t->arena, path, strlen(path)) : NULL;
    if (!name) {
        pf_budget_refused(&t->budget, sizeof *k, err);
        return NULL;
    }
    *k = (pf_kept){.next = t->kept, .path = name};
    t->kept = k;
    return k;
}

/* Where what is unpacked may go. */
static const char *spool_of(const pf_reading *r)
{
    return r->o->map ? r->o->spool : NULL;
}

pf_status pf_reading_whole(pf_reading *r, pf_bytes *out, pf_error *err)
{
    *out = (pf_bytes){NULL, 0};
    if (!r->source) {
        return no_bytes(err);
    }
    pf_kept *k = pf_kept_find(r->t, r->input->path);
    if (k) {
        r->input->plain_bytes = k->bytes.len;
    } else {
        k = add_kept(r->t, r->input->path, err);
        PF_TRY(k ? pf_whole_input(r->t, r->source, r->first, spool_of(r), k, err) : err->code);
    }
    *out = k->bytes;
    return PF_OK;
}

/* Whether a name stays in the folder, or in the one above it. */
static bool is_near(const char *name)
{
    if (strncmp(name, "..", 2) == 0 && (name[2] == '/' || name[2] == '\0')) {
        name += name[2] ? 3 : 2;
    }
    for (const char *at = name; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL) {
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0')) {
            return false;
        }
    }
    return *name != '/';
}

/* The path of a companion, {NULL, 0} if it may not be named or standard input has none. */
static bool companion_path(const pf_reading *r, const char *name, pf_buffer *path, pf_error *err)
{
    const char *base = r->input->path, *slash = strrchr(base, '/');
    if (strcmp(base, "-") == 0 || !is_near(name)) {
        return false;
    }
    if (r->input->is_directory) {
        pf_buffer_format(path, "%s/%s", base, name);
    } else {
        pf_buffer_format(path, "%.*s%s", slash ? (int)(slash + 1 - base) : 0, base, name);
    }
    pf_buffer_put(path, "", 1);
    if (path->failed) {
        pf_no_memory(err);
    }
    return !path->failed;
}

/* Opens and unpacks a file that becomes the trace's. */
static pf_status read_file(pf_reading *r, const char *path, pf_kept *k, pf_error *err)
{
    pf_trace *t = r->t;
    pf_input file = {.path = k->path};
    pf_source *s = NULL;
    pf_window w;
    PF_TRY(pf_file_open(&k->file, path, r->o->map, &t->budget, err));
    pf_file_release(&k->file);
    file.stored = k->file.data;
    file.stored_bytes = k->file.size;
    PF_TRY(pf_source_open(&s, t, &file, r->o, err));
    pf_status st = pf_source_more(s, 0, &w, err);
    st = st == PF_OK ? pf_whole_input(t, s, w, spool_of(r), k, err) : st;
    pf_source_close(s);
    return st;
}

pf_status pf_reading_companion(pf_reading *r, const char *name, pf_bytes *out, pf_error *err)
{
    pf_buffer path = {0};
    pf_status st = PF_OK;
    *out = (pf_bytes){NULL, 0};
    err->code = PF_OK;
    if (!companion_path(r, name, &path, err)) {
        pf_buffer_free(&path);
        return err->code;
    }
    pf_kept *k = pf_kept_find(r->t, path.data);
    if (!k && access(path.data, F_OK) == 0) {
        k = add_kept(r->t, path.data, err);
        st = k ? read_file(r, path.data, k, err) : err->code;
        if (st != PF_OK) {
            snprintf(err->file, sizeof err->file, "%s", path.data);
        }
    }
    if (st == PF_OK && k) {
        *out = k->bytes;
        if (r->input->is_directory) {
            r->input->stored_bytes += k->file.size;
            r->input->plain_bytes += k->bytes.len;
        }
    }
    pf_buffer_free(&path);
    return st;
}

pf_status pf_reading_list(pf_reading *r, const char *folder, const pf_entry **entries, size_t *count, pf_error *err)
{
    pf_buffer path = {0};
    pf_operands found = {.arena = &r->t->arena};
    err->code = PF_OK;
    pf_status st =
        companion_path(r, folder, &path, err) ? pf_folder_list(&found, path.data, &r->t->arena, err) : err->code;
    pf_buffer_free(&path);
    *entries = found.list;
    *count = found.count;
    return st;
}
