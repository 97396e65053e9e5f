/* cli/hook/hook_begin.c - what comes before the steps: the names of what is written for a trace, the lock that
 * one hook at a time holds, the hash of the trace and of what is asked for, and whether the report that is there
 * already answers it. */
#include "cli/hook/hook_work.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/files/folders.h"
#include "base/hash.h"
#include "cli/common/command.h"

static const char *name_of(pf_hook_work *w, const char *before, const char *after)
{
    return pf_findings_format(w->report.all, "%s/%s%s%s", w->folder, before, w->base, after).ptr;
}

bool pf_hook_make_names(pf_hook_work *w)
{
    const char *out = w->config->out, *slash = strrchr(w->path, '/');
    pf_str folder = slash == w->path ? PF_STR("/") : (pf_str){w->path, (size_t)(slash ? slash - w->path : 0)};
    w->base = slash ? slash + 1 : w->path;
    w->folder = pf_findings_keep(w->report.all, out ? pf_str_of(out) : slash ? folder : PF_STR(".")).ptr;
    w->json = name_of(w, "", ".report.json");
    w->markdown = name_of(w, "", ".report.md");
    w->html = name_of(w, "", ".report.html");
    w->enriched = name_of(w, "", ".enriched.pftrace");
    w->archive = name_of(w, "", PF_CLI_ARCHIVE_ENDING);
    w->reports = name_of(w, "", ".reports");
    w->lock = name_of(w, ".", ".postfetto-lock");
    return pf_findings_status(w->report.all, NULL) == PF_OK || pf_hook_no_memory(w);
}

/* A lock is the open file, not its name: who gets the lock of a name that was taken away meanwhile tries again. */
bool pf_hook_take_lock(pf_hook_work *w)
{
    int fault = w->config->out ? pf_make_folder(w->folder) : 0;
    if (fault) {
        return pf_hook_fail(w, PF_CLI_OUTPUT, "%s cannot be created: %s; name another folder with --out", w->folder,
                            strerror(fault));
    }
    for (int tries = 0; tries < 100; tries++) {
        struct stat held, named;
        w->lock_fd = open(w->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (w->lock_fd < 0) {
            return pf_hook_fail(w, PF_CLI_OUTPUT, "nothing can be written to %s: %s; name a folder with --out",
                                w->folder, strerror(errno));
        }
        int refused = flock(w->lock_fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
        if (!refused && fstat(w->lock_fd, &held) == 0 && stat(w->lock, &named) == 0 && held.st_ino == named.st_ino &&
            held.st_dev == named.st_dev) {
            return true;
        }
        close(w->lock_fd);
        w->lock_fd = -1;
        if (refused == EWOULDBLOCK) {
            return pf_hook_end(w, PF_HOOK_BUSY, PF_CLI_DONE, "another hook is working at it");
        }
        if (refused && refused != EINTR) {
            unlink(w->lock);
            return pf_hook_fail(w, PF_CLI_OUTPUT, "%s cannot be locked: %s; name a folder with --out", w->lock,
                                strerror(refused));
        }
    }
    return pf_hook_fail(w, PF_CLI_OUTPUT, "%s comes and goes; another hook is working at it", w->lock);
}

void pf_hook_leave_lock(pf_hook_work *w)
{
    if (w->lock_fd >= 0) {
        unlink(w->lock);
        close(w->lock_fd);
    }
}

/* ---- the input ----------------------------------------------------------------------------------------------------
 */

static void put_hex(char hex[33], XXH128_hash_t hash)
{
    snprintf(hex, 33, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
}

static bool hash_file(pf_hook_work *w, const char *path, XXH3_state_t *state)
{
    enum { STEP = 1 << 20 };
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return pf_hook_fail(w, PF_CLI_INPUT, "cannot be opened: %s", strerror(errno));
    }
    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) {
        close(fd);
        return pf_hook_fail(w, PF_CLI_INPUT, "is not a regular file");
    }
    char *bytes = malloc(STEP);
    bool good = bytes || pf_hook_no_memory(w);
    ssize_t n = 0;
    while (good && (n = read(fd, bytes, STEP)) != 0 && !pf_cli_signal_code()) {
        if (n > 0) {
            XXH3_128bits_update(state, bytes, (size_t)n);
            w->report.bytes += (uint64_t)n;
        } else if (errno != EINTR) {
            good = pf_hook_fail(w, PF_CLI_INPUT, "cannot be read: %s", strerror(errno));
        }
    }
    free(bytes);
    close(fd);
    return good;
}

/* Of a recording in a folder: its files, their paths and contents. Files of ours in it are none of it. */
static bool hash_folder(pf_hook_work *w, XXH3_state_t *state)
{
    pf_hook_files files;
    pf_hook_files_list(&files, w->path, PF_HOOK_FILES);
    bool good = !files.failed || pf_hook_no_memory(w);
    for (size_t i = 0; i < files.count && good; i++) {
        const char *path = files.at[i].path;
        if (!pf_hook_is_output_name(path)) {
            XXH3_128bits_update(state, path, strlen(path) + 1);
            good = hash_file(w, path, state);
        }
    }
    pf_hook_files_free(&files);
    return good;
}

/* Of ranks: their names and contents. */
static bool hash_ranks(pf_hook_work *w, XXH3_state_t *state)
{
    bool good = true;
    for (size_t i = 0; w->files && i < w->files->count && good; i++) {
        const char *path = w->files->word[i], *name = pf_path_name(path);
        XXH3_128bits_update(state, name, strlen(name) + 1);
        good = hash_file(w, path, state) || pf_hook_leave_out(w, path, w->result->text);
    }
    return good;
}

bool pf_hook_hash_input(pf_hook_work *w)
{
    struct stat s;
    XXH3_state_t *state = XXH3_createState();
    bool good = (state && XXH3_128bits_reset(state) == XXH_OK) || pf_hook_no_memory(w);
    bool folder = stat(w->path, &s) == 0 && S_ISDIR(s.st_mode);
    w->before = pf_hook_state(w);
    good = good && (w->files ? hash_ranks(w, state) : folder ? hash_folder(w, state) : hash_file(w, w->path, state));
    if (good) {
        put_hex(w->report.hash, XXH3_128bits_digest(state));
    }
    XXH3_freeState(state);
    return good;
}

static uint64_t add_state(uint64_t hash, const pf_hook_file *f)
{
    const int64_t words[] = {(int64_t)f->dev, (int64_t)f->ino, f->size, f->changed.tv_sec, f->changed.tv_nsec};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        hash = pf_hash_add(hash, (uint64_t)words[i]);
    }
    return hash;
}

/* Of a file, or of those in a folder; 0: it is not there. */
static uint64_t add_path(uint64_t hash, const char *path)
{
    struct stat s;
    pf_hook_files files = {0};
    if (stat(path, &s) != 0) {
        return 0;
    }
    if (!S_ISDIR(s.st_mode)) {
        return add_state(hash, &(pf_hook_file){NULL, s.st_dev, s.st_ino, s.st_size, s.st_mtim});
    }
    pf_hook_files_list(&files, path, PF_HOOK_FILES);
    for (size_t i = 0; i < files.count; i++) {
        hash = add_state(hash, &files.at[i]);
    }
    pf_hook_files_free(&files);
    return hash;
}

uint64_t pf_hook_state(const pf_hook_work *w)
{
    uint64_t hash = w->files ? 1 : add_path(1, w->path);
    for (size_t i = 0; w->files && i < w->files->count && hash; i++) {
        hash = add_path(hash, w->files->word[i]);
    }
    return hash;
}

/* Equal keys mean: the same version was asked for the same of the same bytes. */
bool pf_hook_make_key(pf_hook_work *w)
{
    pf_buffer b = {0};
    pf_hook_config asked;
    pf_hook_config_init(&asked); /* what does not change the outputs is left as it is by default */
    asked.passes = w->config->passes;
    asked.fail_if = w->config->fail_if;
    asked.max_memory = w->config->max_memory;
    asked.timeout = w->config->timeout;
    asked.strict = w->config->strict;
    asked.enriched = w->config->enriched;
    asked.html = w->config->html;
    asked.pictures = w->config->pictures;
    asked.keep = w->config->keep;
    pf_buffer_format(&b, "%s\n%s\n%s\n", pf_version(), w->base, w->report.hash);
    pf_hook_config_print(&asked, &b);
    if (!b.failed) {
        put_hex(w->report.key, XXH3_128bits(b.data, b.len));
    }
    bool good = !b.failed;
    pf_buffer_free(&b);
    return good ? true : pf_hook_no_memory(w);
}

const pf_node *pf_hook_read_report(pf_hook_work *w)
{
    struct stat s;
    pf_buffer text = {0};
    pf_document *d = NULL;
    if (stat(w->json, &s) == 0 && S_ISREG(s.st_mode) &&
        pf_read_bytes(w->json, NULL, &text.data, &text.len, NULL) == PF_OK &&
        pf_json_parse((pf_str){text.data, text.len}, NULL, &d, NULL) == PF_OK) {
        pf_findings_adopt(w->report.all, d);
    }
    free(text.data);
    return d ? pf_document_root(d) : NULL;
}

/* A report of this key that did not fail, whose other outputs are there, is as good as a new one; not so, if the trace
 * should have gone and is there. */
bool pf_hook_is_done(pf_hook_work *w)
{
    const pf_node *report = pf_hook_read_report(w), *enriched = pf_node_get(report, "enriched");
    const pf_node *kept = pf_node_get(report, "slowest_step");
    if (!pf_hook_says(report, "postfetto.key", w->report.key) || pf_hook_says(report, "status", "failed") ||
        (kept && kept->type == PF_NODE_TEXT) || access(w->markdown, F_OK) != 0 ||
        (pf_node_get(report, "html") && access(w->html, F_OK) != 0) ||
        !((enriched && enriched->type == PF_NODE_NULL) || access(w->enriched, F_OK) == 0) ||
        (pf_node_get(report, "archive") && access(w->archive, F_OK) != 0)) {
        return false;
    }
    bool finding = pf_hook_says(report, "status", "finding");
    return !pf_hook_end(w, PF_HOOK_SKIPPED, finding ? PF_CLI_FINDING : PF_CLI_DONE,
                        "skipped: %s.report.json is up to date%s", w->base, finding ? " and has findings" : "");
}
