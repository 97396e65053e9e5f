/* cli/hook/hook_lock.c - the names of what is written for a trace, and the lock that one hook at a time holds. */
#include "cli/hook/hook_work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/folders.h"
#include "cli/run/run.h"

bool pf_hook_make_names(pf_hook_work *w)
{
    const char *slash = strrchr(w->path, '/');
    w->base = slash ? slash + 1 : w->path;
    const char *out = w->config->out;
    size_t len = slash ? (size_t)(slash - w->path) : 0;
    w->folder = out ? strdup(out) : slash ? strndup(w->path, len ? len : 1) : strdup(".");
    if (!w->folder || asprintf(&w->json, "%s/%s.report.json", w->folder, w->base) < 0 ||
        asprintf(&w->markdown, "%s/%s.report.md", w->folder, w->base) < 0 ||
        asprintf(&w->enriched, "%s/%s.enriched.pftrace", w->folder, w->base) < 0 ||
        asprintf(&w->reports, "%s/%s.reports", w->folder, w->base) < 0 ||
        asprintf(&w->lock, "%s/.%s.postfetto-lock", w->folder, w->base) < 0) {
        return pf_hook_no_memory(w);
    }
    return true;
}

/* A lock is the open file, not its name: who gets the lock of a name that was taken away meanwhile tries again. */
bool pf_hook_take_lock(pf_hook_work *w)
{
    int fault = w->config->out ? pf_make_folder(w->folder) : 0;
    if (fault) {
        return pf_hook_fail(w, PF_CLI_OUTPUT, "%s cannot be made: %s; name another folder with --out", w->folder,
                            strerror(fault));
    }
    for (int tries = 0; tries < 100; tries++) {
        struct stat held, named;
        w->lock_fd = open(w->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (w->lock_fd < 0) {
            return pf_hook_fail(w, PF_CLI_OUTPUT, "nothing can be written to %s: %s; name a folder with --out",
                                w->folder, strerror(errno));
        }
        if (flock(w->lock_fd, LOCK_EX | LOCK_NB) != 0) {
            int number = errno;
            close(w->lock_fd);
            w->lock_fd = -1;
            if (number != EWOULDBLOCK && number != EINTR) {
                unlink(w->lock);
                return pf_hook_fail(w, PF_CLI_OUTPUT, "%s cannot be locked: %s; name a folder with --out", w->lock,
                                    strerror(number));
            }
            if (number == EWOULDBLOCK) {
                w->result->outcome = PF_HOOK_BUSY;
                snprintf(w->result->text, sizeof w->result->text, "another hook is working at it");
                return false;
            }
            continue;
        }
        if (fstat(w->lock_fd, &held) == 0 && stat(w->lock, &named) == 0 && held.st_ino == named.st_ino &&
            held.st_dev == named.st_dev) {
            return true;
        }
        close(w->lock_fd);
        w->lock_fd = -1;
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
