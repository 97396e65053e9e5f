/* cli/open/serve.h - a server on the loopback interface that hands out one file, once. */
#ifndef PF_CLI_OPEN_SERVE_H
#define PF_CLI_OPEN_SERVE_H

#include <stdint.h>

#include "postfetto/base.h"

#define PF_SERVE_PORT 9001 /* the only one that the content policy of the UI lets it fetch from without encryption */

typedef struct pf_serve {
    const char *name;   /* of the file in the URL: letters, digits, '.', '_', '-' */
    const char *origin; /* of the UI: "https://ui.perfetto.dev" */
    int fd;             /* the file, from its beginning */
    uint64_t size;
    double seconds; /* given up after so many */
    const volatile int *cancel;
    uint64_t sent; /* out: bytes of the last answer with the file */
} pf_serve;

/* Takes the port. PF_ERR_OUTPUT: it is taken, and by whom; else *listener is the socket. */
pf_status pf_serve_listen(int *listener, pf_error *err);

/* Answers until the file was handed out whole (PF_OK), or the time is over (PF_ERR_OUTPUT), or *cancel is set
 * (PF_ERR_CANCELLED). Closes the listener. */
pf_status pf_serve_run(pf_serve *s, int listener, pf_error *err);

#endif
