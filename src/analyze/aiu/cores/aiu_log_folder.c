/* analyze/aiu/cores/aiu_log_folder.c - the ideal cycles that a compiler leaves in a folder: a document for each kernel,
 * DIR/inductor-spyre/KERNEL/perf/ideal_cycles.json, or logs, DIR/NAME.log. They come in order of their names, in which
 * numbers are numbers: rank-2.log, rank-10.log. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/aiu/cores/aiu_tables.h"
#include "base/str.h"

bool pf_aiu_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int compare_numbers(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a folder, but for those that begin with a dot. */
static uint32_t list_names(aiu_run *run, DIR *folder, const char ***names)
{
    uint32_t room = 0, count = 0;
    for (struct dirent *d = readdir(folder); d; d = readdir(folder)) {
        if (d->d_name[0] != '.' && AIU_ROOM(run, *names, count + 1, room) == PF_OK) {
            pf_str kept = pf_findings_keep(run->findings, pf_str_of(d->d_name));
            (*names)[count] = kept.ptr;
            count += kept.ptr != NULL;
        }
    }
    return count;
}

/* Reads a file as a document of a kernel or as a log. */
static void read_file(aiu_run *run, aiu_tables *t, pf_str path, bool document)
{
    char *bytes;
    size_t len;
    if (pf_read_bytes(path.ptr, &run->budget->limits, &bytes, &len, &run->error) == PF_OK) {
        pf_str text = {bytes, len};
        document ? pf_aiu_read_ideal_cycles(run, t, path, text) : pf_aiu_read_log(run, t, path.ptr, text);
        free(bytes);
    }
    if (pf_aiu_failed(run)) {
        pf_error_in(&run->error, path.ptr);
    }
}

/* A kernel that was not measured has no document. */
static void read_kernels(aiu_run *run, aiu_tables *t, const char *folder, const char *const *names, uint32_t count)
{
    struct stat st;
    pf_aiu_add_log(run, t, folder);
    for (uint32_t i = 0; i < count && !pf_aiu_failed(run); i++) {
        pf_str path =
            pf_findings_format(run->findings, "%s/inductor-spyre/%s/perf/ideal_cycles.json", folder, names[i]);
        if (path.ptr && stat(path.ptr, &st) == 0) {
            read_file(run, t, path, true);
        }
    }
}

static void read_logs(aiu_run *run, aiu_tables *t, const char *folder, const char *const *names, uint32_t count)
{
    uint32_t before = t->logs;
    for (uint32_t i = 0; i < count && !pf_aiu_failed(run); i++) {
        pf_str path = pf_findings_format(run->findings, "%s/%s", folder, names[i]);
        if (path.ptr && pf_str_ends(path, PF_STR(".log")) && !pf_aiu_is_folder(path.ptr)) {
            read_file(run, t, path, false);
        }
    }
    if (t->logs == before) {
        pf_aiu_log(run, "WARNING",
                   "UTL: %s holds neither logs (*.log) nor what a compiler wrote (inductor-spyre/); there is "
                   "no utilisation",
                   folder);
    }
}

/* Acelyzer knows no folders of logs. */
void pf_aiu_say_no_folder(aiu_run *run)
{
    bool always = pf_aiu_rule(run, AIU_LOGS_ARE_FILES);
    pf_aiu_log(run, always ? "RAW" : "WARNING", "%sInvalid directory path provided. No utilization will be plotted.",
               always ? "WARNING " : "");
}

void pf_aiu_read_log_folder(aiu_run *run, aiu_tables *t, const char *path)
{
    const char **names = NULL;
    pf_str inner = pf_findings_format(run->findings, "%s/inductor-spyre", path);
    DIR *folder = inner.ptr ? opendir(inner.ptr) : NULL;
    bool compiled = folder != NULL;
    if (!compiled && !pf_aiu_rule(run, AIU_LOGS_ARE_FILES)) {
        folder = opendir(path);
    }
    if (!folder) {
        pf_aiu_add_log(run, t, path);
        pf_aiu_say_no_folder(run);
        return;
    }
    uint32_t count = list_names(run, folder, &names);
    closedir(folder);
    if (count) {
        qsort(names, count, sizeof *names, compiled ? compare_names : compare_numbers);
    }
    if (!pf_aiu_failed(run)) {
        (compiled ? read_kernels : read_logs)(run, t, path, names, count);
    }
}
