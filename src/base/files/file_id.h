/* base/files/file_id.h - which file a path names, whatever its spelling. */
#ifndef PF_BASE_FILES_FILE_ID_H
#define PF_BASE_FILES_FILE_ID_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct pf_file_id {
    bool known; /* there is a regular file */
    dev_t dev;
    ino_t ino;
} pf_file_id;

/* The file of a path; for "-" that of a standard stream. */
pf_file_id pf_file_id_of(const char *path, int standard_fd);

/* Whether an input is that file; asks the system only where there is one. "-" is standard input. */
bool pf_file_id_is(const pf_file_id *id, const char *input);

#endif
