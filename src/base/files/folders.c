#include "base/files/folders.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Each prefix that ends before a slash, then the whole. One that fails may be there all the same: the last one tells.
 */
static int make_prefixes(char *path)
{
    int fault = 0;
    for (char *end = path; *end;) {
        end += 1 + strcspn(end + 1, "/");
        char kept = *end;
        *end = '\0';
        if (mkdir(path, 0777) < 0 && errno != EEXIST && !fault) {
            fault = errno;
        }
        *end = kept;
    }
    struct stat sb;
    if (!path[0] || (stat(path, &sb) == 0 && S_ISDIR(sb.st_mode))) {
        return 0;
    }
    return fault ? fault : ENOTDIR;
}

static int make(const char *path, size_t len)
{
    char *copy = strndup(path, len);
    int fault = copy ? make_prefixes(copy) : ENOMEM;
    free(copy);
    return fault;
}

int pf_make_folder(const char *path)
{
    return make(path, strlen(path));
}

int pf_make_folder_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return make(file, slash ? (size_t)(slash - file) : 0);
}
