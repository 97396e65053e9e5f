/* analyze/aiu/cores/aiu_log_folder.c - the ideal cycles that a compiler leaves in a folder: a document for each kernel,
 * DIR/inductor-spyre/KERNEL/perf/ideal_cycles.json, or logs, DIR/NAME.log. They come in order of their names, in which
 * numbers are numbers: rank-2.log, rank-10.log. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/aiu/cores/aiu_tables.h"

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
static pf_status list_names(aiu_run *run, DIR *folder, const char ***names, uint32_t *count)
{
    uint32_t room = 0;
    pf_status st = PF_OK;
    for (struct dirent *d = readdir(folder); d && st == PF_OK; d = readdir(folder)) {
        if (d->d_name[0] == '.') {
            continue;
        }
        st = pf_aiu_grow(run, (void **)names, &room, *count + 1, sizeof **names);
        pf_str kept = pf_findings_keep(run->findings, (pf_str){d->d_name, strlen(d->d_name)});
        if (st == PF_OK && kept.ptr) {
            (*names)[(*count)++] = kept.ptr;
        }
    }
    return st;
}

static pf_status read_kernel(aiu_run *run, aiu_tables *t, const char *folder, const char *kernel)
{
    char *bytes;
    size_t len;
    pf_str path = pf_findings_format(run->findings, "%s/inductor-spyre/%s/perf/ideal_cycles.json", folder, kernel);
    struct stat st;
    if (!path.ptr || stat(path.ptr, &st) != 0) {
        return PF_OK; /* a kernel that was not measured */
    }
    pf_status read = pf_read_bytes(path.ptr, &run->budget->limits, &bytes, &len, &run->error);
    if (read == PF_OK) {
        read = pf_aiu_read_ideal_cycles(run, t, path, (pf_str){bytes, len});
        free(bytes);
    }
    if (read != PF_OK) {
        pf_error_in(&run->error, path.ptr);
    }
    return read;
}

static pf_status read_kernels(aiu_run *run, aiu_tables *t, const char *folder, const char *const *names, uint32_t count)
{
    pf_status st = pf_aiu_add_log(run, t, folder);
    for (uint32_t i = 0; i < count && st == PF_OK; i++) {
        st = read_kernel(run, t, folder, names[i]);
    }
    return st;
}

static pf_status read_logs(aiu_run *run, aiu_tables *t, const char *folder, const char *const *names, uint32_t count)
{
    uint32_t before = t->logs;
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < count && st == PF_OK; i++) {
        char *bytes;
        size_t len;
        pf_str path = pf_findings_format(run->findings, "%s/%s", folder, names[i]);
        if (!path.ptr || !pf_aiu_ends_in(path, ".log") || pf_aiu_is_folder(path.ptr)) {
            continue;
        }
        st = pf_read_bytes(path.ptr, &run->budget->limits, &bytes, &len, &run->error);
        if (st == PF_OK) {
            st = pf_aiu_read_log(run, t, path.ptr, (pf_str){bytes, len});
            free(bytes);
        } else {
            pf_error_in(&run->error, path.ptr);
        }
    }
    return st != PF_OK || t->logs > before
               ? st
               : pf_aiu_log(run, "WARNING",
                            "UTL: %s holds neither logs (*.log) nor what a compiler wrote (inductor-spyre/); there is "
                            "no utilisation",
                            folder);
}

/* The program before postfetto knows no folders of logs. */
void pf_aiu_say_no_folder(aiu_run *run)
{
    bool always = run->set.compat != AIU_WANT;
    pf_aiu_log(run, always ? "RAW" : "WARNING", "%sInvalid directory path provided. No utilization will be plotted.",
               always ? "WARNING " : "");
}

pf_status pf_aiu_read_log_folder(aiu_run *run, aiu_tables *t, const char *path)
{
    const char **names = NULL;
    uint32_t count = 0;
    pf_str inner = pf_findings_format(run->findings, "%s/inductor-spyre", path);
    DIR *folder = inner.ptr ? opendir(inner.ptr) : NULL;
    bool compiled = folder != NULL;
    if (!compiled && run->set.compat == AIU_WANT) {
        folder = opendir(path);
    }
    if (!folder) {
        pf_status st = pf_aiu_add_log(run, t, path);
        pf_aiu_say_no_folder(run);
        return st;
    }
    pf_status st = list_names(run, folder, &names, &count);
    closedir(folder);
    if (st != PF_OK) {
        return st;
    }
    if (count) {
        qsort(names, count, sizeof *names, compiled ? compare_names : compare_numbers);
    }
    return compiled ? read_kernels(run, t, path, names, count) : read_logs(run, t, path, names, count);
}
