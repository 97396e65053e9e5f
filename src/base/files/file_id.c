/* base/files/file_id.c - which file a path names, whatever its spelling. */
#include "base/files/folders.h"

#include <sys/stat.h>
#include <unistd.h>

pf_file_id pf_file_id_of(const char *path, int standard_fd)
{
    struct stat sb;
    bool there = strcmp(path, "-") == 0 ? fstat(standard_fd, &sb) == 0 : stat(path, &sb) == 0;
    return there && S_ISREG(sb.st_mode) ? (pf_file_id){true, sb.st_dev, sb.st_ino} : (pf_file_id){.known = false};
}

bool pf_file_id_is(const pf_file_id *id, const char *input)
{
    if (!id->known) {
        return false;
    }
    pf_file_id in = pf_file_id_of(input, STDIN_FILENO);
    return in.known && in.dev == id->dev && in.ino == id->ino;
}
