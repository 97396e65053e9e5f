/* cli/open/open.h - the link to a trace, and the server on the loopback interface that hands it out once. */
#pragma once

#include "base/buffer.h"
#include "postfetto/trace.h"

#define PF_SERVE_PORT 9001 /* the only one that the content policy of the UI lets it fetch from without encryption */

typedef struct pf_serve {
    const char *name;   /* of the file in the URL: letters, digits, '.', '_', '-' */
    const char *origin; /* of the UI: "https://ui.perfetto.dev" */
    int fd;             /* the file, from its beginning */
    uint64_t size;
    double seconds; /* given up after so many */
    const volatile int *cancel;
} pf_serve;

/* Answers until the file was handed out whole (PF_OK), or the time is over (PF_ERR_OUTPUT), or *cancel is set
 * (PF_ERR_CANCELLED). Closes the listener. */
pf_status pf_serve_run(pf_serve *s, int listener, pf_error *err);

/* ---- the link that makes a UI fetch and arrange a trace ---------------------------------------------------------- */

#define PF_OPEN_NAME_MAX 80
#define PF_OPEN_ORIGIN_MAX 256

/* The name that the file gets in the link: that of the path without what would need escapes, with the ending of what
 * is served. */
void pf_open_name(const char *path, bool gzip, char out[PF_OPEN_NAME_MAX]);

/* "https://host:port" of an address; false if it is none. */
bool pf_open_origin(const char *url, char out[PF_OPEN_ORIGIN_MAX]);

/* "90", "90s", "1.5m", "2h", "500ms" as seconds, more than 0 and at most a week. */
bool pf_open_seconds(const char *text, double *seconds);

/* The commands, as JSON, that pin the tracks that postfetto drew; nothing if there are none. */
pf_status pf_open_pin(const pf_trace *t, pf_buffer *commands, pf_error *err);

/* The link, without a line feed. */
void pf_open_url(pf_buffer *b, const char *ui, const char *name, const pf_buffer *commands);
