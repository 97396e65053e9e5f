/* cli/hook/trace/hook_lock.c - the names of what is written for a trace, and the lock that one hook at a time holds. */
#include "cli/hook/trace/hook_work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/folders.h"
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
    w->enriched = name_of(w, "", ".enriched.pftrace");
    w->reports = name_of(w, "", ".reports");
    w->lock = name_of(w, ".", ".postfetto-lock");
    return pf_findings_status(w->report.all, NULL) == PF_OK || pf_hook_no_memory(w);
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
        int refused = flock(w->lock_fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
        if (!refused && fstat(w->lock_fd, &held) == 0 && stat(w->lock, &named) == 0 && held.st_ino == named.st_ino &&
            held.st_dev == named.st_dev) {
            return true;
        }
        close(w->lock_fd);
        w->lock_fd = -1;
        if (refused == EWOULDBLOCK) {
            w->result->outcome = PF_HOOK_BUSY;
            snprintf(w->result->text, sizeof w->result->text, "another hook is working at it");
            return false;
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
