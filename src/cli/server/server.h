/* cli/server/server.h - the server: HTTP around the answers of rpc.h. */
#pragma once

#include "cli/server/rpc.h"

typedef struct pf_server {
    pf_rpc rpc;           /* open */
    const char *address;  /* as asked for: "localhost", "0.0.0.0" */
    const char *origins;  /* of pages that may ask besides Perfetto's, separated by commas; or NULL */
    double query_seconds; /* that a query may take; 0: any */
    double idle_seconds;  /* without a request after which it ends; 0: never */
    bool idle_as_orphan;  /* that time begins when the process that started it is gone */
    bool ends_as_orphan;  /* ends at once then */
    const volatile int *cancel;
} pf_server;

/* Answers until *cancel is set (PF_ERR_CANCELLED) or it was idle for too long (PF_OK). Closes the listener. */
pf_status pf_server_run(pf_server *s, int listener, pf_error *err);

/* origins.c: whether a Host header names this machine, and not a name that somebody has bound to its address. NULL: the
 * request has none. */
bool pf_server_knows_host(const pf_server *s, const char *host);

/* origins.c: whether pages of this origin may ask. */
bool pf_server_allows(const pf_server *s, const char *origin);

/* ---- stream.c: an answer that is made while it is sent ----------------------------------------------------------- */

typedef struct pf_stream pf_stream;

/* Starts a thread that makes the answer with `make`, which calls pf_stream_send and looks at the flag; NULL if that is
 * refused. socket: of the client; when it is closed the answer is given up. */
pf_stream *pf_stream_start(void (*make)(void *ctx, pf_stream *s), void *ctx, int socket);

/* For whoever makes it: waits until the piece before is on its way. PF_ERR_CANCELLED: nobody wants it. */
pf_status pf_stream_send(void *stream, const void *bytes, size_t len);
const volatile int *pf_stream_flag(const pf_stream *s);

/* Gives the answer up, for a reason of rpc.h; from any thread. */
void pf_stream_cancel(pf_stream *s, int reason);

/* For whoever sends it: waits for bytes and takes up to `room` of them; 0: that was all. -1: the client is gone. */
ssize_t pf_stream_take(pf_stream *s, char *to, size_t room);

/* Gives up what is not sent, and waits for the thread. */
void pf_stream_free(pf_stream *s);
