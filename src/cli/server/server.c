/* cli/server/server.c - requests and their answers.
 *
 * Each connection has a thread of the HTTP library, which also makes the short answers; a query has one more
 * (stream.c). There is one trace and one session, so whoever works with them holds `session`; a query that waits for
 * another one ends like any other when its client goes away. What the watching thread, the one that has started the
 * server, looks at is under `notes`: it ends queries that are overdue, and the server when it is not wanted any more.
 *
 * Refused are pages of foreign origins and names that are not this machine's (403), paths that are unknown (404), and
 * arguments that are longer than a statement may be (413). What is wrong with a query or a trace is said in the answer,
 * since the client does not look at the status.
 */
#include "cli/server/server.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/text/number.h"
#include "cli/http/http.h"
#include "cli/terminal/terminal.h"

#define CONNECTIONS_MAX 128
#define CONNECTION_BYTES (256u << 10) /* headers, and pieces of bodies and answers */
#define FIRST_REQUEST_SECONDS 30
#define BODY_MAX ((size_t)20 << 20) /* above the longest statement */
#define TICK_MS 250

typedef struct server {
    pf_server *set;
    pf_http http;
    pthread_mutex_t session; /* the rpc */
    pthread_mutex_t notes;   /* and with it: */
    pf_stream *running;      /* the query that holds the session */
    double since;            /* it has */
    bool stopping;
    size_t under_way; /* requests */
    double last;      /* end of a request */
} server;

typedef struct request {
    server *sv;
    struct MHD_Connection *connection;
    const struct method *method; /* NULL: it is answered */
    const char *origin;          /* that may read the answer, or NULL */
    pf_buffer body;
    bool too_long;
    pf_stream *stream; /* or NULL */
} request;

typedef struct method {
    const char *path;
    enum MHD_Result (*answer)(request *q);
    bool takes_trace;
} method;

static enum MHD_Result respond(const request *q, unsigned status, const char *type, struct MHD_Response *r)
{
    const pf_http *http = &q->sv->http;
    if (!r) {
        return MHD_NO;
    }
    http->add_response_header(r, "Cache-Control", "no-cache");
    http->add_response_header(r, "X-Content-Type-Options", "nosniff");
    if (type) {
        http->add_response_header(r, "Content-Type", type);
    }
    if (q->origin) {
        http->add_response_header(r, "Access-Control-Allow-Origin", q->origin);
        http->add_response_header(r, "Vary", "Origin");
    }
    if (status != MHD_HTTP_OK) {
        http->add_response_header(r, "Connection", "close");
    }
    enum MHD_Result done = http->queue_response(q->connection, status, r);
    http->destroy_response(r);
    return done;
}

static struct MHD_Response *make_response(const request *q, const void *bytes, size_t len)
{
    return q->sv->http.create_response_from_buffer(len, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result respond_text(const request *q, unsigned status, const char *text)
{
    return respond(q, status, "text/plain; charset=utf-8", make_response(q, text, strlen(text)));
}

#define MESSAGE_TYPE "application/x-protobuf"

static enum MHD_Result respond_message(const request *q, pf_buffer *message)
{
    enum MHD_Result done = message->failed ? MHD_NO
                                           : respond(q, MHD_HTTP_OK, MESSAGE_TYPE,
                                                     make_response(q, message->len ? message->data : "", message->len));
    pf_buffer_free(message);
    return done;
}

static pf_bytes body_of(const request *q)
{
    return (pf_bytes){(const uint8_t *)(q->body.len ? q->body.data : ""), q->body.len};
}

static enum MHD_Result answer_help(request *q)
{
    return respond_text(q, MHD_HTTP_OK,
                        "This is postfetto, in the place of Perfetto's trace processor.\n"
                        "Its Python package connects with TraceProcessor(addr='HOST:PORT').\n");
}

static enum MHD_Result answer_status(request *q)
{
    pf_buffer out = {0};
    pf_rpc_put_status(&q->sv->set->rpc, &out);
    return respond_message(q, &out);
}

static enum MHD_Result answer_parse(request *q)
{
    pf_rpc *rpc = &q->sv->set->rpc;
    pf_buffer out = {0};
    pthread_mutex_lock(&q->sv->session);
    pf_rpc_receive(rpc, "", 0);
    pf_rpc_put_received(rpc, &out);
    pthread_mutex_unlock(&q->sv->session);
    return respond_message(q, &out);
}

/* Does something with the session; the answer is empty. */
static enum MHD_Result answer_done(request *q, void (*work)(pf_rpc *))
{
    pf_buffer out = {0};
    pthread_mutex_lock(&q->sv->session);
    work(&q->sv->set->rpc);
    pthread_mutex_unlock(&q->sv->session);
    return respond_message(q, &out);
}

static enum MHD_Result answer_eof(request *q)
{
    return answer_done(q, pf_rpc_finish);
}

static enum MHD_Result answer_restore(request *q)
{
    return answer_done(q, pf_rpc_restore);
}

static enum MHD_Result answer_metric(request *q)
{
    pf_buffer out = {0};
    pf_rpc_put_metric(body_of(q), &out);
    return respond_message(q, &out);
}

static enum MHD_Result answer_summary(request *q)
{
    pf_buffer out = {0};
    pf_rpc_put_summary(&out);
    return respond_message(q, &out);
}

static enum MHD_Result answer_nothing(request *q)
{
    pf_buffer out = {0};
    return respond_message(q, &out);
}

static enum MHD_Result answer_metatrace(request *q)
{
    pf_buffer out = {0};
    pf_rpc_put_metatrace(&out);
    return respond_message(q, &out);
}

static enum MHD_Result answer_unsupported(request *q)
{
    return respond_text(q, MHD_HTTP_NOT_IMPLEMENTED, "not supported by postfetto; queries are answered at /query\n");
}

static enum MHD_Result answer_export(request *q)
{
    pf_error err = {.offset = PF_NOWHERE};
    pf_rpc *rpc = &q->sv->set->rpc;
    pf_spool file;
    if (!pf_spool_open(&file, rpc->scratch)) {
        return respond_text(q, MHD_HTTP_BAD_REQUEST, "no file can be created in TMPDIR\n");
    }
    pthread_mutex_lock(&q->sv->session);
    pf_status st = pf_rpc_export(rpc, body_of(q), file.fd, &err);
    pthread_mutex_unlock(&q->sv->session);
    off_t size = lseek(file.fd, 0, SEEK_END);
    if (st != PF_OK || size < 0) {
        close(file.fd);
        return respond_text(q, MHD_HTTP_BAD_REQUEST, err.text);
    }
    return respond(q, MHD_HTTP_OK, "application/octet-stream",
                   q->sv->http.create_response_from_fd_at_offset64((uint64_t)size, file.fd, 0));
}

static void note_running(server *sv, pf_stream *s)
{
    pthread_mutex_lock(&sv->notes);
    sv->running = s;
    sv->since = pf_cli_now();
    if (s && sv->stopping) {
        pf_stream_cancel(s, PF_RPC_ABANDONED);
    }
    pthread_mutex_unlock(&sv->notes);
}

static void make_rows(void *ctx, pf_stream *s)
{
    request *q = ctx;
    const pf_rpc_reply reply = {s, pf_stream_send, pf_stream_flag(s)};
    pthread_mutex_lock(&q->sv->session);
    note_running(q->sv, s);
    if (!__atomic_load_n(reply.cancel, __ATOMIC_RELAXED)) {
        pf_rpc_query(&q->sv->set->rpc, q->too_long ? (pf_bytes){NULL, 0} : body_of(q), &reply);
    }
    note_running(q->sv, NULL);
    pthread_mutex_unlock(&q->sv->session);
}

static ssize_t send_rows(void *ctx, uint64_t at, char *to, size_t room)
{
    ssize_t taken = pf_stream_take(ctx, to, room);
    return taken > 0 ? taken : taken == 0 ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
}

static enum MHD_Result answer_query(request *q)
{
    const pf_http *http = &q->sv->http;
    const union MHD_ConnectionInfo *socket =
        http->get_connection_info(q->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    q->stream = socket ? pf_stream_start(make_rows, q, socket->connect_fd) : NULL;
    return q->stream ? respond(q, MHD_HTTP_OK, MESSAGE_TYPE,
                               http->create_response_from_callback(MHD_SIZE_UNKNOWN, CONNECTION_BYTES / 2, send_rows,
                                                                   q->stream, NULL))
                     : MHD_NO;
}

static const method methods[] = {
    {"/", answer_help},
    {"/status", answer_status},
    {"/parse", answer_parse, true},
    {"/notify_eof", answer_eof},
    {"/query", answer_query},
    {"/restore_initial_tables", answer_restore},
    {"/compute_metric", answer_metric},
    {"/trace_summary", answer_summary},
    {"/enable_metatrace", answer_nothing},
    {"/disable_and_read_metatrace", answer_metatrace},
    {"/export", answer_export},
    {"/rpc", answer_unsupported},
    {"/websocket", answer_unsupported},
};

static const method *find_method(const request *q, const char *path)
{
    bool plain = q->sv->http.get_connection_values(q->connection, MHD_GET_ARGUMENT_KIND, NULL, NULL) == 0;
    for (size_t i = 0; plain && i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(methods[i].path, path) == 0) {
            return &methods[i];
        }
    }
    return NULL;
}

/* Browsers ask before a page may ask. */
static enum MHD_Result answer_options(const request *q)
{
    static const char *const headers[] = {"Methods", "POST, GET, OPTIONS", "Headers", "*", "Max-Age",
                                          "86400",   "Private-Network",    "true"};
    struct MHD_Response *r = make_response(q, "", 0);
    for (size_t i = 0; r && i < sizeof headers / sizeof *headers; i += 2) {
        char name[64];
        snprintf(name, sizeof name, "Access-Control-%s%s", i == 4 ? "" : "Allow-", headers[i]);
        q->sv->http.add_response_header(r, name, headers[i + 1]);
    }
    return respond(q, MHD_HTTP_NO_CONTENT, NULL, r);
}

/* The headers of a request are there: finds the method, or answers at once. */
static enum MHD_Result begin(request *q, const char *path, const char *verb)
{
    const pf_http *http = &q->sv->http;
    const char *origin = pf_http_header(http, q->connection, "Origin");
    const char *length = pf_http_header(http, q->connection, "Content-Length");
    bool foreign = origin && !pf_server_allows(q->sv->set, origin);
    int64_t bytes = 0;
    q->origin = foreign ? NULL : origin;
    http->set_connection_option(q->connection, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
    if (!pf_server_knows_host(q->sv->set, pf_http_header(http, q->connection, "Host"))) {
        return respond_text(q, MHD_HTTP_FORBIDDEN, "Host not allowed");
    }
    if (strcmp(verb, "OPTIONS") == 0) {
        return answer_options(q);
    }
    if (foreign) {
        return respond_text(q, MHD_HTTP_FORBIDDEN, "Origin not allowed");
    }
    q->method = find_method(q, path);
    if (!q->method) {
        return respond(q, MHD_HTTP_NOT_FOUND, NULL, make_response(q, "", 0));
    }
    if (!q->method->takes_trace && length &&
        (!pf_parse_int(length, strlen(length), &bytes) || (uint64_t)bytes > q->sv->set->rpc.read.limits.input)) {
        q->method = NULL;
        return respond(q, MHD_HTTP_CONTENT_TOO_LARGE, NULL, make_response(q, "", 0));
    }
    return MHD_YES;
}

static void take_body(request *q, const char *bytes, size_t len)
{
    if (q->method->takes_trace) {
        pthread_mutex_lock(&q->sv->session);
        pf_rpc_receive(&q->sv->set->rpc, bytes, len);
        pthread_mutex_unlock(&q->sv->session);
    } else if (len > BODY_MAX - q->body.len) {
        q->too_long = true;
    } else if (!q->too_long) {
        pf_buffer_put(&q->body, bytes, len);
    }
}

static void note_request(server *sv, bool begins)
{
    pthread_mutex_lock(&sv->notes);
    sv->under_way += begins ? 1 : -1;
    sv->last = pf_cli_now();
    pthread_mutex_unlock(&sv->notes);
}

/* Called with the headers, with each piece of the body, and once more at its end. */
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *path, const char *verb,
                                  const char *version, const char *body, size_t *body_size, void **mark)
{
    request *q = *mark;
    if (!q) {
        q = calloc(1, sizeof *q);
        if (!q) {
            return MHD_NO;
        }
        *mark = q;
        q->sv = ctx;
        q->connection = c;
        note_request(q->sv, true);
        return begin(q, path, verb);
    }
    size_t len = *body_size;
    *body_size = 0;
    if (!q->method) {
        return MHD_YES;
    }
    if (len) {
        take_body(q, body, len);
        return MHD_YES;
    }
    const method *m = q->method;
    q->method = NULL;
    q->too_long |= q->body.failed;
    if (q->too_long && m->answer != answer_query) { /* which says so in words: the client does not look at the status */
        return respond(q, MHD_HTTP_CONTENT_TOO_LARGE, NULL, make_response(q, "", 0));
    }
    return m->answer(q);
}

static void on_end(void *ctx, struct MHD_Connection *c, void **mark, enum MHD_RequestTerminationCode how)
{
    request *q = *mark;
    if (q) {
        if (q->stream) {
            pf_stream_free(q->stream);
        }
        note_request(q->sv, false);
        pf_buffer_free(&q->body);
        free(q);
    }
    *mark = NULL;
}

/* Ends a query that takes too long; whether the server is not wanted any more. orphaned: when it became one, 0: it is
 * none. */
static bool is_over(server *sv, double orphaned)
{
    const pf_server *set = sv->set;
    double now = pf_cli_now();
    pthread_mutex_lock(&sv->notes);
    if (sv->running && set->query_seconds > 0 && now - sv->since > set->query_seconds) {
        pf_stream_cancel(sv->running, PF_RPC_OVERDUE);
    }
    double from = set->idle_as_orphan && orphaned > sv->last ? orphaned : sv->last;
    bool idle = set->idle_seconds > 0 && sv->under_way == 0 && (orphaned > 0 || !set->idle_as_orphan) &&
                now - from > set->idle_seconds;
    pthread_mutex_unlock(&sv->notes);
    return idle || (set->ends_as_orphan && orphaned > 0);
}

static pf_status watch(server *sv, pf_error *err)
{
    pid_t parent = getppid();
    double orphaned = 0;
    while (!is_over(sv, orphaned)) {
        if (*sv->set->cancel) {
            return pf_fail(err, PF_ERR_CANCELLED, "cancelled");
        }
        orphaned = orphaned > 0 || getppid() == parent ? orphaned : pf_cli_now();
        poll(NULL, 0, TICK_MS);
    }
    return PF_OK;
}

static void stop(server *sv, struct MHD_Daemon *d)
{
    pthread_mutex_lock(&sv->notes);
    sv->stopping = true;
    if (sv->running) {
        pf_stream_cancel(sv->running, PF_RPC_ABANDONED);
    }
    pthread_mutex_unlock(&sv->notes);
    sv->http.stop_daemon(d); /* closes the listener, too */
}

pf_status pf_server_run(pf_server *s, int listener, pf_error *err)
{
    server sv = {.set = s, .session = PTHREAD_MUTEX_INITIALIZER, .notes = PTHREAD_MUTEX_INITIALIZER};
    pf_status st = pf_http_load(&sv.http, err);
    if (st != PF_OK) {
        close(listener);
        return st;
    }
    sv.last = pf_cli_now();
    struct MHD_Daemon *d = sv.http.start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_ITC, 0, NULL, NULL,
        on_request, &sv, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)FIRST_REQUEST_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_BYTES, MHD_OPTION_NOTIFY_COMPLETED, on_end, &sv, MHD_OPTION_END);
    if (d) {
        st = watch(&sv, err);
        stop(&sv, d);
    } else {
        close(listener);
        st = pf_fail(err, PF_ERR_OUTPUT, "the server cannot be started");
    }
    pf_http_unload(&sv.http);
    return st;
}
