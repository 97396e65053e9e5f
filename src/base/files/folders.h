/* base/files/folders.h - folders that an output needs, and the parts of its path. */
#pragma once

#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

/* Makes a folder and those above it, as mkdir -p does. 0 if it is there afterwards, else the errno of the first that
 * could not be made (ENOTDIR where a file has its name). An empty path is the current folder. */
int pf_make_folder(const char *path);

/* The same for the folder that a file of this path lies in. */
int pf_make_folder_of(const char *file);

/* The part of a path after its last slash. */
static inline const char *pf_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- file_id.c --------------------------------------------------------------------------------------------------- */

typedef struct pf_file_id {
    bool known; /* there is a regular file */
    dev_t dev;
    ino_t ino;
} pf_file_id;

/* The file of a path; for "-" that of a standard stream. */
pf_file_id pf_file_id_of(const char *path, int standard_fd);

/* Whether an input is that file; asks the system only where there is one. "-" is standard input. */
bool pf_file_id_is(const pf_file_id *id, const char *input);
