/* cli/hook/hook_input.c - the hash of a trace and of what is asked for, and whether the report that is there already
 * answers it. */
#include "cli/hook/hook_work.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "cli/run/run.h"
#include "cli/terminal/signals.h"

#define HEAD_BYTES (1 << 16) /* of a report: enough for the members that are compared */

static void put_hex(char hex[33], XXH128_hash_t hash)
{
    snprintf(hex, 33, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
}

bool pf_hook_hash_input(pf_hook_work *w)
{
    enum { STEP = 1 << 20 };
    int fd = open(w->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return pf_hook_fail(w, PF_CLI_INPUT, "cannot be opened: %s", strerror(errno));
    }
    if (fstat(fd, &w->before) != 0 || !S_ISREG(w->before.st_mode)) {
        close(fd);
        return pf_hook_fail(w, PF_CLI_INPUT, "is no regular file");
    }
    XXH3_state_t *state = XXH3_createState();
    char *bytes = malloc(STEP);
    bool good = state && bytes && XXH3_128bits_reset(state) == XXH_OK;
    ssize_t n = 0;
    while (good && (n = read(fd, bytes, STEP)) != 0 && !pf_cli_signal_code()) {
        if (n > 0) {
            XXH3_128bits_update(state, bytes, (size_t)n);
            w->report.bytes += (uint64_t)n;
        } else if (errno != EINTR) {
            good = pf_hook_fail(w, PF_CLI_INPUT, "cannot be read: %s", strerror(errno));
        }
    }
    if (good) {
        put_hex(w->report.hash, XXH3_128bits_digest(state));
    } else if (n >= 0) {
        pf_hook_no_memory(w);
    }
    free(bytes);
    XXH3_freeState(state);
    close(fd);
    return good;
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
    pf_buffer_format(&b, "%s\n%s\n%s\n", pf_version(), w->base, w->report.hash);
    pf_hook_config_print(&asked, &b);
    if (!b.failed) {
        put_hex(w->report.key, XXH3_128bits(b.data, b.len));
    }
    bool good = !b.failed;
    pf_buffer_free(&b);
    return good ? true : pf_hook_no_memory(w);
}

/* The beginning of a file as text; NULL if there is none. malloc'd. */
static char *read_head(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = fd >= 0 ? malloc(HEAD_BYTES + 1) : NULL;
    ssize_t n = text ? read(fd, text, HEAD_BYTES) : -1;
    if (fd >= 0) {
        close(fd);
    }
    if (n < 0) {
        free(text);
        return NULL;
    }
    text[n] = '\0';
    return text;
}

static bool says(const char *json, const char *key, const char *text)
{
    pf_str v = pf_hook_member(json, 2, key);
    size_t len = strlen(text);
    return v.len == len + 2 && memcmp(v.ptr + 1, text, len) == 0;
}

/* A report of this key that did not fail, whose other outputs are there, is as good as a new one. */
bool pf_hook_is_done(pf_hook_work *w)
{
    char *json = read_head(w->json);
    bool done = json && says(json, "postfetto.key", w->report.key) && !says(json, "status", "failed") &&
                access(w->markdown, F_OK) == 0 &&
                (pf_hook_member(json, 2, "enriched").len == 4 || access(w->enriched, F_OK) == 0);
    if (done) {
        bool finding = says(json, "status", "finding");
        w->result->outcome = PF_HOOK_SKIPPED;
        w->result->code = finding ? PF_CLI_FINDING : PF_CLI_DONE;
        snprintf(w->result->text, sizeof w->result->text, "skipped: %s.report.json is up to date%s", w->base,
                 finding ? " and has findings" : "");
    }
    free(json);
    return done;
}
