/* cli/http/port_owner.c - Linux lists its listening sockets in /proc/net/tcp, with the inode of each, and every process
 * of ours lists its open files in /proc/PID/fd, sockets as "socket:[INODE]". */
#include "cli/http/http.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LISTENING 0x0au

/* Columns of a list: number, address and port, the same of the other end, state, queues, timer, retries, user, probes,
 * inode. Numbers up to the state are hexadecimal. */
enum { LOCAL = 1, STATE = 3, INODE = 9, COLUMNS };

/* Where the columns of a line begin; false if there are fewer. */
static bool split(const char *line, const char *column[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++) {
        line += strspn(line, " ");
        column[i] = line;
        if (!*line) {
            return false;
        }
        line += strcspn(line, " ");
    }
    return true;
}

/* The inode of the socket that listens on the port in one of the lists, or 0. */
static unsigned long find_inode(const char *list, unsigned port)
{
    char line[512];
    const char *column[COLUMNS];
    unsigned long found = 0;
    FILE *f = fopen(list, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        const char *colon = split(line, column) ? strchr(column[LOCAL], ':') : NULL;
        if (colon && strtoul(colon + 1, NULL, 16) == port && strtoul(column[STATE], NULL, 16) == LISTENING) {
            found = strtoul(column[INODE], NULL, 10);
        }
    }
    if (f) {
        fclose(f);
    }
    return found;
}

static bool has_socket(const char *pid, const char *wanted)
{
    char path[300], target[64];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%.32s/fd", pid);
    DIR *d = opendir(path);
    for (struct dirent *e; d && !found && (e = readdir(d));) {
        char link[600];
        snprintf(link, sizeof link, "%s/%.200s", path, e->d_name);
        ssize_t len = readlink(link, target, sizeof target - 1);
        target[len > 0 ? len : 0] = '\0';
        found = strcmp(target, wanted) == 0;
    }
    if (d) {
        closedir(d);
    }
    return found;
}

static void describe(const char *pid, char *out, size_t room)
{
    char path[64], name[64] = "";
    snprintf(path, sizeof path, "/proc/%.32s/comm", pid);
    FILE *f = fopen(path, "re");
    if (f) {
        if (fgets(name, sizeof name, f)) {
            name[strcspn(name, "\n")] = '\0';
        }
        fclose(f);
    }
    snprintf(out, room, "%s (pid %.32s)", name[0] ? name : "a process", pid);
}

void pf_http_port_owner(unsigned port, char *out, size_t room)
{
    char wanted[64];
    unsigned long inode = find_inode("/proc/net/tcp", port);
    inode = inode ? inode : find_inode("/proc/net/tcp6", port);
    snprintf(out, room, "a process of another user");
    snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
    DIR *d = inode ? opendir("/proc") : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && has_socket(e->d_name, wanted)) {
            describe(e->d_name, out, room);
            break;
        }
    }
    if (d) {
        closedir(d);
    }
}
