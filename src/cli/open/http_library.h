/* cli/open/http_library.h - libmicrohttpd, loaded when a server is wanted.
 *
 * It brings a TLS library and half a dozen more with it: loaded at the start they would cost every command more memory
 * than a small trace takes. Only `open` needs them.
 */
#ifndef PF_CLI_OPEN_HTTP_LIBRARY_H
#define PF_CLI_OPEN_HTTP_LIBRARY_H

#include <microhttpd.h>

#include "postfetto/base.h"

/* X(name) for the functions that are used; each becomes a member that is called like the function. */
#define PF_HTTP_FUNCTIONS(X)                                                                                           \
    X(add_response_header)                                                                                             \
    X(create_response_from_buffer)                                                                                     \
    X(create_response_from_fd_at_offset64)                                                                             \
    X(destroy_response)                                                                                                \
    X(get_daemon_info)                                                                                                 \
    X(lookup_connection_value)                                                                                         \
    X(queue_response)                                                                                                  \
    X(quiesce_daemon)                                                                                                  \
    X(start_daemon)                                                                                                    \
    X(stop_daemon)

typedef struct pf_http_library {
    void *handle;
#define PF_HTTP_MEMBER(name) __typeof__(&MHD_##name) name;
    PF_HTTP_FUNCTIONS(PF_HTTP_MEMBER)
#undef PF_HTTP_MEMBER
} pf_http_library;

/* PF_ERR_OUTPUT, with the name of the package, where it is not installed. */
pf_status pf_http_load(pf_http_library *lib, pf_error *err);
void pf_http_unload(pf_http_library *lib);

#endif
