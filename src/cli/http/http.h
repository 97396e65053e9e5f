/* cli/http/http.h - what the commands that serve something share: the HTTP library, loaded when it is needed, and a
 * port of this machine.
 *
 * libmicrohttpd brings a TLS library and half a dozen more with it: loaded at the start they would cost every command
 * more memory than a small trace takes. */
#pragma once

#include <microhttpd.h>

#include "postfetto/base.h"

/* X(name) for the functions that are used; each becomes a member that is called like the function. */
#define PF_HTTP_FUNCTIONS(X)                                                                                           \
    X(add_response_header)                                                                                             \
    X(create_response_from_buffer)                                                                                     \
    X(create_response_from_callback)                                                                                   \
    X(create_response_from_fd_at_offset64)                                                                             \
    X(destroy_response)                                                                                                \
    X(get_connection_info)                                                                                             \
    X(get_connection_values)                                                                                           \
    X(get_daemon_info)                                                                                                 \
    X(lookup_connection_value)                                                                                         \
    X(queue_response)                                                                                                  \
    X(quiesce_daemon)                                                                                                  \
    X(set_connection_option)                                                                                           \
    X(start_daemon)                                                                                                    \
    X(stop_daemon)

typedef struct pf_http {
    void *handle;
#define PF_HTTP_MEMBER(name) __typeof__(&MHD_##name) name;
    PF_HTTP_FUNCTIONS(PF_HTTP_MEMBER)
#undef PF_HTTP_MEMBER
} pf_http;

/* PF_ERR_OUTPUT, with the name of the package, where it is not installed. */
pf_status pf_http_load(pf_http *http, pf_error *err);
void pf_http_unload(pf_http *http);

/* The value of a header of the request, or NULL. */
static inline const char *pf_http_header(const pf_http *http, struct MHD_Connection *c, const char *name)
{
    return http->lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* Takes a port of an address: "localhost", or digits of IPv4 or IPv6; of 0 *port becomes the one that was free.
 * PF_ERR_OUTPUT: it is taken, by whom, and what `hint` says then; PF_ERR_USAGE: that is no address. Else *listener is
 * the socket, which listens. */
pf_status pf_http_listen(const char *address, int64_t *port, const char *hint, int *listener, pf_error *err);

/* port_owner.c: writes who listens on a port of this machine, "NAME (pid N)", or "a process of another user" where the
 * system does not say. */
void pf_http_port_owner(unsigned port, char *out, size_t room);
