/* cli/http/http.c - the library by its name of Debian 12, and sockets that listen. */
#include "cli/http/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/library.h"

#define SONAME "libmicrohttpd.so.12"
#define WAITING_MAX 128

void pf_http_unload(pf_http *http)
{
    if (http->handle) {
        dlclose(http->handle);
    }
    *http = (pf_http){0};
}

pf_status pf_http_load(pf_http *http, pf_error *err)
{
    *http = (pf_http){.handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL)};
    bool all = http->handle != NULL;
#define FIND(name) all = all && pf_library_find(http->handle, "MHD_" #name, &http->name);
    PF_HTTP_FUNCTIONS(FIND)
#undef FIND
    if (!all) {
        pf_http_unload(http);
        return pf_fail(err, PF_ERR_OUTPUT, "%s cannot be loaded; install it (on Debian: apt install libmicrohttpd12)",
                       SONAME);
    }
    return PF_OK;
}

typedef union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} address;

static bool read_address(const char *text, unsigned port, address *at)
{
    *at = (address){.v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)}};
    if (inet_pton(AF_INET, strcmp(text, "localhost") == 0 ? "127.0.0.1" : text, &at->v4.sin_addr) == 1) {
        return true;
    }
    *at = (address){.v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)}};
    return inet_pton(AF_INET6, text, &at->v6.sin6_addr) == 1;
}

pf_status pf_http_listen(const char *text, int64_t *wanted, const char *hint, int *listener, pf_error *err)
{
    address at;
    int64_t port = *wanted;
    *listener = -1;
    if (port < 0 || port > UINT16_MAX) {
        return pf_fail(err, PF_ERR_OUTPUT, "there is no port %lld; choose one from 1 to 65535", (long long)port);
    }
    if (!read_address(text, (unsigned)port, &at)) {
        return pf_fail(err, PF_ERR_USAGE, "'%s' is not an address; write localhost, 127.0.0.1 or another one in digits",
                       text);
    }
    int fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return pf_fail(err, PF_ERR_OUTPUT, "no socket can be created: %s", strerror(errno));
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    socklen_t len = at.any.sa_family == AF_INET ? sizeof at.v4 : sizeof at.v6;
    if (bind(fd, &at.any, len) == 0 && listen(fd, WAITING_MAX) == 0) {
        getsockname(fd, &at.any, &len);
        *wanted = ntohs(at.any.sa_family == AF_INET ? at.v4.sin_port : at.v6.sin6_port);
        *listener = fd;
        return PF_OK;
    }
    int reason = errno;
    char owner[128];
    close(fd);
    text = strcmp(text, "localhost") == 0 ? "127.0.0.1" : text;
    if (reason != EADDRINUSE) {
        return pf_fail(err, PF_ERR_OUTPUT, "%s:%lld cannot be used: %s", text, (long long)port, strerror(reason));
    }
    pf_http_port_owner((unsigned)port, owner, sizeof owner);
    return pf_fail(err, PF_ERR_OUTPUT, "%s:%lld is taken by %s; %s", text, (long long)port, owner, hint);
}
