/* cli/hook/hook_keep.c - `keep: slowest-step`: of a capture only its slowest step stays.
 *
 * A capture cannot be taken again, so nothing is removed before its part is safe: the first pass that ran and has steps
 * says where the slowest one begins and ends; `cut` writes that window next to the reports, synced and under its name
 * only when it is whole; `check` reads it back and has to find no loss. Then come the reports, which name it, and only
 * then, if the trace is still the file that was read, its name goes. Whatever fails before leaves the whole trace, and
 * the report says why; a hook that is killed before leaves it, too, and the next one begins anew, since a report of a
 * part is no reason to skip a trace that is there.
 */
#include "cli/hook/hook_work.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/folders.h"
#include "cli/common/command.h"

/* Why the whole trace stays. Returns false, so that a step can return it. */
static bool keep_whole(pf_hook_work *w, pf_str why)
{
    w->report.whole = pf_findings_keep(w->report.all, why);
    return false;
}

/* Runs a step whose failure leaves the whole trace, and is one of the hook, which the next one tries again; that there
 * are no steps (exit code 2) is none. */
static bool run_step(pf_hook_work *w, pf_hook_child *c, pf_hook_words *words)
{
    const pf_hook_result before = *w->result;
    pf_hook_child_run(c, words, &w->limits);
    if (pf_hook_judge(w, "cut", c, PF_CLI_DONE)) {
        return true;
    }
    keep_whole(w, pf_str_of(w->result->text));
    if (c->code == PF_CLI_USAGE) {
        *w->result = before;
    }
    return false;
}

/* The part has the format of the trace, as far as `cut` knows it. */
static bool name_part(pf_hook_work *w)
{
    bool json = pf_hook_says(w->report.info, "format", "chrome-json");
    if (!json && !pf_hook_says(w->report.info, "format", "perfetto")) {
        return keep_whole(w, PF_STR("only Perfetto traces and Chrome JSON can be cut"));
    }
    const char *packed = pf_hook_says(w->report.info, "compression", "none") ? "" : ".gz";
    w->kept = pf_findings_format(w->report.all, "%s/%s" PF_HOOK_KEPT "%s%s", w->folder, w->base,
                                 json ? "json" : "pftrace", packed)
                  .ptr;
    return w->kept || pf_hook_no_memory(w);
}

/* Notes which step was cut, as `cut` said it. */
static bool note_step(pf_hook_work *w, const pf_hook_pass *p, const pf_buffer *said)
{
    const pf_node *summary = pf_hook_printed(w, said), *name = pf_node_get(summary, "window");
    const pf_node *from = pf_node_get(summary, "from_ns"), *to = pf_node_get(summary, "to_ns");
    const pf_node *count = pf_node_get(summary, "packets_kept");
    if (!count || count->type != PF_NODE_INT || count->as.i == 0 || !name || !from || !to) {
        return keep_whole(w, PF_STR("nothing lies in its slowest step"));
    }
    w->report.kept_of = pf_findings_format(w->report.all, "%s of pass %s, from %lld to %lld ns", name->as.s.ptr,
                                           p->pass->name, (long long)from->as.i, (long long)to->as.i);
    return w->report.kept_of.ptr;
}

/* Cuts the slowest step that a pass finds. */
static bool cut_step(pf_hook_work *w, const pf_hook_pass *p)
{
    pf_hook_words words = {0};
    pf_hook_child child;
    pf_hook_words_put(&words, "cut", "--slowest-step", "--json", "--quiet", "--output", w->kept);
    pf_hook_add_common(w, &words);
    pf_hook_words_put(&words, "--pass", p->pass->name);
    pf_hook_words_add_all(&words, &p->options);
    pf_hook_words_put(&words, "--", w->path);
    bool good = run_step(w, &child, &words) && note_step(w, p, &child.out);
    pf_hook_child_free(&child);
    return good;
}

/* The first pass that ran and has steps. */
static bool cut_any(pf_hook_work *w)
{
    for (size_t i = 0; i < w->run_count && w->result->outcome != PF_HOOK_FAILED; i++) {
        if (cut_step(w, w->runs[i])) {
            return true;
        }
    }
    return w->run_count ? false : keep_whole(w, PF_STR("no pass ran on it"));
}

static bool read_back(pf_hook_work *w)
{
    pf_hook_words words = {0};
    pf_hook_child child;
    pf_hook_words_add(&words, "check");
    pf_hook_add_common(w, &words);
    pf_hook_words_put(&words, "--", w->kept);
    bool good = run_step(w, &child, &words);
    pf_hook_child_free(&child);
    return good;
}

void pf_hook_keep_step(pf_hook_work *w)
{
    struct stat sb;
    if (!w->config->keep || w->result->outcome == PF_HOOK_FAILED) {
        return;
    }
    if (w->files || lstat(w->path, &sb) != 0 || !S_ISREG(sb.st_mode)) {
        keep_whole(w, PF_STR("it is not one regular file"));
    } else if (pf_hook_is_damaged(w->report.check)) {
        keep_whole(w, PF_STR("it is damaged"));
    } else if (name_part(w)) {
        if (cut_any(w) && read_back(w) && pf_hook_state(w) == w->before) {
            w->report.kept = pf_str_of(pf_path_name(w->kept));
            w->report.whole = (pf_str){NULL, 0};
        } else {
            unlink(w->kept);
        }
    }
}

/* Waits until the folder says on the disk, too, what it holds. */
static bool sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return good;
}

void pf_hook_remove_whole(pf_hook_work *w)
{
    if (!w->report.kept.ptr || w->result->outcome == PF_HOOK_FAILED || pf_cli_signal_code()) {
        return;
    }
    if (pf_hook_state(w) != w->before) {
        pf_hook_fail(w, PF_CLI_INPUT, "changed while its slowest step was cut; both are kept");
    } else if (!sync_folder(w->folder) || unlink(w->path) != 0) {
        pf_hook_fail(w, PF_CLI_OUTPUT, "cannot be removed: %s; it is kept, and so is %s", strerror(errno), w->kept);
    }
}

bool pf_hook_is_kept(pf_hook_work *w)
{
    struct stat sb;
    const pf_node *report = lstat(w->path, &sb) != 0 && errno == ENOENT ? pf_hook_read_report(w) : NULL;
    const pf_node *kept = pf_node_get(report, "slowest_step");
    if (!kept || kept->type != PF_NODE_TEXT) {
        return false;
    }
    const char *path = pf_findings_format(w->report.all, "%s/%s", w->folder, kept->as.s.ptr).ptr;
    bool finding = pf_hook_says(report, "status", "finding");
    return path && access(path, F_OK) == 0 &&
           !pf_hook_end(w, PF_HOOK_SKIPPED, finding ? PF_CLI_FINDING : PF_CLI_DONE,
                        "skipped: its slowest step is kept, %s%s", path, finding ? ", and has findings" : "");
}
