/* cli/open/serve.c - what the server answers, and what it refuses.
 *
 * Everything is refused that is not a request of the UI for the file:
 *   - another Host than 127.0.0.1:9001 or localhost:9001 (a page whose name was rebound to this machine): 403,
 *   - an Origin other than that of the UI: 403; only that origin may read the answer,
 *   - other methods than GET, HEAD and OPTIONS: 405; a body: the connection is closed,
 *   - every other path, also those that the UI probes for a running trace processor: 404,
 *   - headers beyond 16 KiB: refused by the library, 431.
 *
 * The answers come from a thread of the HTTP library. The caller's thread waits on a pipe for the word that the file
 * was handed out whole, and for the end of the time, which no slow client can put off. Afterwards the open connections
 * may finish for a second.
 */
#include "cli/open/open.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "cli/http/http.h"
#include "cli/terminal/terminal.h"

/* ---- the server ---------------------------------------------------------------------------------------------------
 */

#define HEADERS_MAX 16384
#define CONNECTIONS_MAX 32
#define IDLE_SECONDS 10
#define FAREWELL_MS 1000
#define TICK_MS 100

typedef struct server {
    pf_serve *what;
    pf_http http;
    int word[2]; /* a pipe: a byte when the file was handed out */
} server;

/* Sends a response with what all answers say, and pairs of a header and its value, NULL after the last. */
static enum MHD_Result send_response(const server *sv, struct MHD_Connection *c, unsigned status,
                                     struct MHD_Response *r, const char *const *more)
{
    const char *const always[] = {
        "Access-Control-Allow-Origin", sv->what->origin, "Vary", "Origin", "Cache-Control", "no-cache",
        "X-Content-Type-Options",      "nosniff",        NULL};
    const char *const *lists[] = {always, more};
    if (!r) {
        return MHD_NO;
    }
    for (size_t i = 0; i < 2; i++) {
        for (const char *const *h = lists[i]; *h; h += 2) {
            sv->http.add_response_header(r, h[0], h[1]);
        }
    }
    enum MHD_Result done = sv->http.queue_response(c, status, r);
    sv->http.destroy_response(r);
    return done;
}

static enum MHD_Result answer(const server *sv, struct MHD_Connection *c, unsigned status, const char *text)
{
    const char *const more[] = {"Content-Type",
                                "text/plain",
                                "Connection",
                                "close",
                                status == MHD_HTTP_METHOD_NOT_ALLOWED ? "Allow" : NULL,
                                "GET, HEAD, OPTIONS",
                                NULL};
    return send_response(
        sv, c, status, sv->http.create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT), more);
}

/* Browsers ask before a public page may fetch from this machine. */
static enum MHD_Result answer_options(const server *sv, struct MHD_Connection *c)
{
    static const char *const more[] = {"Access-Control-Allow-Methods",
                                       "GET, HEAD, OPTIONS",
                                       "Access-Control-Allow-Private-Network",
                                       "true",
                                       "Access-Control-Max-Age",
                                       "60",
                                       NULL};
    return send_response(sv, c, MHD_HTTP_NO_CONTENT,
                         sv->http.create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT), more);
}

static enum MHD_Result answer_file(const server *sv, struct MHD_Connection *c, bool whole, void **mark)
{
    static const char *const more[] = {"Content-Type", "application/octet-stream", "Connection", "close", NULL};
    int fd = fcntl(sv->what->fd, F_DUPFD_CLOEXEC, 0); /* the response closes it */
    struct MHD_Response *r = fd < 0 ? NULL : sv->http.create_response_from_fd_at_offset64(sv->what->size, fd, 0);
    if (!r && fd >= 0) {
        close(fd);
    }
    enum MHD_Result done = send_response(sv, c, MHD_HTTP_OK, r, more);
    *mark = whole && done == MHD_YES ? (void *)sv->what : NULL;
    return done;
}

static bool is_host(const char *host)
{
    return host && (strcmp(host, "127.0.0.1:9001") == 0 || strcmp(host, "localhost:9001") == 0);
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *path, const char *method,
                                  const char *version, const char *body, size_t *body_size, void **mark)
{
    static const char FIRST[] = "headers";
    const server *sv = ctx;
    const pf_serve *s = sv->what;
    bool get = strcmp(method, "GET") == 0, head = strcmp(method, "HEAD") == 0;
    if (!get && !head && strcmp(method, "OPTIONS") != 0) {
        return *mark ? MHD_NO : answer(sv, c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET, HEAD and OPTIONS are served\n");
    }
    if (*body_size > 0) {
        return MHD_NO;
    }
    if (!*mark) { /* called once with the headers, and once more at the end of the request */
        *mark = (void *)FIRST;
        return MHD_YES;
    }
    *mark = NULL;
    const char *origin = pf_http_header(&sv->http, c, "Origin");
    if (!is_host(pf_http_header(&sv->http, c, "Host"))) {
        return answer(sv, c, MHD_HTTP_FORBIDDEN, "this host name is not served\n");
    }
    if (origin && strcmp(origin, s->origin) != 0) {
        return answer(sv, c, MHD_HTTP_FORBIDDEN, "this origin is not served\n");
    }
    if (path[0] != '/' || strcmp(path + 1, s->name) != 0) {
        return answer(sv, c, MHD_HTTP_NOT_FOUND, "there is only one file here, and this is not its name\n");
    }
    return get || head ? answer_file(sv, c, get, mark) : answer_options(sv, c);
}

static void on_end(void *ctx, struct MHD_Connection *c, void **mark, enum MHD_RequestTerminationCode how)
{
    const server *sv = ctx;
    if (*mark == (void *)sv->what && how == MHD_REQUEST_TERMINATED_COMPLETED_OK) {
        ssize_t written = write(sv->word[1], "", 1);
        (void)written; /* the pipe is empty, and a second word is not needed */
    }
    *mark = NULL;
}

/* Waits for the word. */
static pf_status wait_for_word(const server *sv, double until, pf_error *err)
{
    struct pollfd p = {.fd = sv->word[0], .events = POLLIN};
    for (;;) {
        if (*sv->what->cancel) {
            return pf_fail(err, PF_ERR_CANCELLED, "cancelled");
        }
        if (poll(&p, 1, TICK_MS) > 0) {
            return PF_OK;
        }
        if (pf_cli_now() >= until) {
            return pf_fail(err, PF_ERR_OUTPUT, "was not fetched whole within %.0f s; --timeout gives it longer",
                           sv->what->seconds);
        }
    }
}

/* Gives connections the time to close by themselves; no new ones are taken. */
static void say_farewell(const server *sv, struct MHD_Daemon *d)
{
    int listener = sv->http.quiesce_daemon(d);
    for (int waited = 0; waited < FAREWELL_MS; waited += TICK_MS) {
        const union MHD_DaemonInfo *info = sv->http.get_daemon_info(d, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
        if (!info || info->num_connections == 0) {
            break;
        }
        poll(NULL, 0, TICK_MS);
    }
    if (listener >= 0) {
        close(listener);
    }
}

pf_status pf_serve_run(pf_serve *s, int listener, pf_error *err)
{
    server sv = {.what = s, .word = {-1, -1}};
    double until = pf_cli_now() + s->seconds;
    struct MHD_Daemon *d = NULL;
    pf_status st = pf_http_load(&sv.http, err);
    if (st != PF_OK) {
        close(listener);
        return st;
    }
    if (pipe2(sv.word, O_CLOEXEC | O_NONBLOCK) == 0) {
        d = sv.http.start_daemon(MHD_USE_AUTO_INTERNAL_THREAD, PF_SERVE_PORT, NULL, NULL, on_request, &sv,
                                 MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
                                 MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
                                 MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS_MAX, MHD_OPTION_NOTIFY_COMPLETED,
                                 on_end, &sv, MHD_OPTION_END);
    }
    st = d ? wait_for_word(&sv, until, err) : pf_fail(err, PF_ERR_OUTPUT, "the server cannot be started");
    if (d && st == PF_OK) {
        say_farewell(&sv, d);
        sv.http.stop_daemon(d);
    } else if (d) {
        sv.http.stop_daemon(d); /* closes the listener, too */
    } else {
        close(listener);
    }
    for (int i = 0; i < 2; i++) {
        if (sv.word[i] >= 0) {
            close(sv.word[i]);
        }
    }
    pf_http_unload(&sv.http);
    return st;
}
