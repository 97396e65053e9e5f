/* cli/hook/trace/hook_files.h - the files under a folder, and which of them changed. */
#ifndef PF_CLI_HOOK_TRACE_HOOK_FILES_H
#define PF_CLI_HOOK_TRACE_HOOK_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define PF_HOOK_PATH 4096

typedef struct pf_hook_file {
    char *path;
    dev_t dev;
    ino_t ino;
    off_t size;
    struct timespec changed;
} pf_hook_file;

typedef struct pf_hook_files {
    pf_hook_file *at; /* by path */
    size_t count, room;
    bool failed; /* memory was refused; the list is not complete */
} pf_hook_files;

/* All regular files under a folder but hidden ones and those in hidden folders; symbolic links are not followed. A
 * folder that is not there has none. */
void pf_hook_files_list(pf_hook_files *f, const char *folder);

/* The same for a folder alone, without those in it. */
void pf_hook_files_in(pf_hook_files *f, const char *folder);

/* The same for the folders under it, itself included. */
void pf_hook_folders_list(pf_hook_files *f, const char *folder);
void pf_hook_files_free(pf_hook_files *f);

/* Whether a file of `now` is in `before` as it is now. */
bool pf_hook_files_has(const pf_hook_files *before, const pf_hook_file *now);

/* The recording that a path is, or belongs to as one of its files: the nearest folder that is one, below `root` or that
 * itself; in `out` without slashes at its end. False: none, or the path is too long; then the path is its own. */
bool pf_hook_recording_of(const char *path, const char *root, char out[PF_HOOK_PATH]);

/* Whether the name is one that a hook gives to what it writes. */
bool pf_hook_is_output_name(const char *path);

#endif
