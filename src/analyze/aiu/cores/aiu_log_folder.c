/* analyze/aiu/cores/aiu_log_folder.c - the ideal cycles that a compiler leaves in a folder: a document for each kernel,
 * DIR/inductor-spyre/KERNEL/perf/ideal_cycles.json. Kernels come in order of their names. */
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

/* The names in a folder, but for those that begin with a dot. */
static pf_status list_names(aiu_run *run, DIR *folder, const char ***names, uint32_t *count, pf_error *err)
{
    uint32_t room = 0;
    pf_status st = PF_OK;
    for (struct dirent *d = readdir(folder); d && st == PF_OK; d = readdir(folder)) {
        if (d->d_name[0] == '.') {
            continue;
        }
        st = pf_aiu_grow(run, (void **)names, &room, *count + 1, sizeof **names, err);
        pf_str kept = pf_findings_keep(run->findings, (pf_str){d->d_name, strlen(d->d_name)});
        if (st == PF_OK && kept.ptr) {
            (*names)[(*count)++] = kept.ptr;
        }
    }
    if (*count) {
        qsort(*names, *count, sizeof **names, compare_names);
    }
    return st;
}

static pf_status read_kernel(aiu_run *run, aiu_tables *t, const char *folder, const char *kernel, pf_error *err)
{
    char *bytes;
    size_t len;
    pf_str path = pf_findings_format(run->findings, "%s/inductor-spyre/%s/perf/ideal_cycles.json", folder, kernel);
    struct stat st;
    if (!path.ptr || stat(path.ptr, &st) != 0) {
        return PF_OK; /* a kernel that was not measured */
    }
    pf_status read = pf_read_bytes(path.ptr, &run->budget->limits, &bytes, &len, err);
    if (read == PF_OK) {
        read = pf_aiu_read_ideal_cycles(run, t, path, (pf_str){bytes, len}, err);
        free(bytes);
    }
    if (read != PF_OK) {
        pf_error_in(err, path.ptr);
    }
    return read;
}

pf_status pf_aiu_read_log_folder(aiu_run *run, aiu_tables *t, const char *path, pf_error *err)
{
    const char **names = NULL;
    uint32_t count = 0;
    pf_str inner = pf_findings_format(run->findings, "%s/inductor-spyre", path);
    DIR *folder = inner.ptr ? opendir(inner.ptr) : NULL;
    if (!folder) {
        return pf_aiu_log(run, "WARNING", "Invalid directory path provided. No utilization will be plotted.");
    }
    pf_status st = list_names(run, folder, &names, &count, err);
    closedir(folder);
    for (uint32_t i = 0; i < count && st == PF_OK; i++) {
        st = read_kernel(run, t, path, names[i], err);
    }
    return st;
}
