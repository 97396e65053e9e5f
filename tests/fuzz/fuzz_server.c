/* fuzz_server.c - requests to the server: pieces of traces, arguments of queries and other methods, headers. The bytes
 * are a list of requests: what is asked, two bytes of a length, and so many bytes of a body. No crash, no leak, no
 * hang; every answer to a query is whole: its cells and their values are as many, and the last batch says that it is
 * the last.
 */
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "cli/server/server.h"
#include "memory_file.h"
#include "wire/cursor.h"
#include "wire/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile int overdue; /* set by a timer: a query that never ends costs little */

static void on_time(int number)
{
    overdue = PF_RPC_OVERDUE;
}

static void allow_ms(int ms)
{
    const struct itimerval after = {.it_value = {.tv_usec = 1000 * ms}};
    overdue = 0;
    signal(SIGALRM, on_time);
    setitimer(ITIMER_REAL, &after, NULL);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

typedef struct answer {
    size_t batches, last;
    size_t bytes;
} answer;

#define want(good)                                                                                                     \
    do {                                                                                                               \
        if (!(good)) {                                                                                                 \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static size_t count_texts(const pf_field *f)
{
    size_t n = 0;
    for (uint32_t i = 0; i < f->len; i++) {
        n += f->bytes[i] == '\0';
    }
    want(f->len == 0 || f->bytes[f->len - 1] == '\0');
    return n;
}

static void check_batch(answer *a, pf_cursor c)
{
    size_t cells[6] = {0}, values[6] = {0};
    pf_field f;
    pf_next next;
    uint64_t number;
    for (pf_numbers types = pf_numbers_of(c, 1, false); pf_numbers_next(&types, &number);) {
        want(number >= 1 && number <= 5);
        cells[number]++;
    }
    for (pf_numbers varints = pf_numbers_of(c, 2, false); pf_numbers_next(&varints, &number);) {
        values[2]++;
    }
    while ((next = pf_cursor_next(&c, &f)) == PF_NEXT_FIELD) {
        uint32_t field = pf_field_number(&f);
        values[3] += field == 3 ? f.len / 8 : 0;
        values[5] += field == 4;
        values[4] += field == 5 ? count_texts(&f) : 0;
        a->last += field == 6 && f.value;
    }
    want(next == PF_NEXT_END);
    for (size_t i = 2; i < 6; i++) {
        want(cells[i] == values[i]);
    }
    a->batches++;
}

static pf_status take(void *ctx, const void *bytes, size_t len)
{
    answer *a = ctx;
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f;
    pf_next next;
    want(a->last == 0);
    while ((next = pf_cursor_next(&c, &f)) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(3)) {
            check_batch(a, pf_field_cursor(&f));
        }
    }
    want(next == PF_NEXT_END);
    a->bytes += len;
    overdue = a->bytes > (4u << 20) ? PF_RPC_OVERDUE : overdue;
    return PF_OK;
}

static void query(pf_rpc *r, pf_bytes args)
{
    answer a = {0};
    const pf_rpc_reply reply = {&a, take, &overdue};
    allow_ms(30);
    pf_rpc_query(r, args, &reply);
    allow_ms(0);
    want(a.batches > 0 && a.last == 1);
}

static void query_text(pf_rpc *r, pf_bytes sql)
{
    pf_buffer b = {0};
    pf_writer w;
    pf_writer_init(&w, &b);
    pf_writer_bytes(&w, 1, sql.ptr, sql.len);
    pf_writer_free(&w);
    query(r, (pf_bytes){(const uint8_t *)b.data, b.len});
    pf_buffer_free(&b);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void export_trace(pf_rpc *r, pf_bytes args)
{
    pf_error err;
    int fd = memory_file(NULL, 0);
    (void)pf_rpc_export(r, args, fd, &err);
    close(fd);
}

static void look_at_headers(pf_bytes body)
{
    const pf_server server = {.address = "0.0.0.0", .origins = "https://a.example, ,http://b"};
    char *text = calloc(body.len + 1, 1);
    want(text);
    memcpy(text, body.ptr, body.len);
    (void)pf_server_knows_host(&server, text);
    want(!pf_server_allows(&server, text) || strchr(text, ':'));
    free(text);
}

static void ask(pf_rpc *r, uint8_t what, pf_bytes body)
{
    pf_buffer out = {0};
    pf_error err;
    switch (what % 10) {
    case 0:
        pf_rpc_receive(r, body.ptr, body.len);
        pf_rpc_put_received(r, &out);
        break;
    case 1:
        pf_rpc_finish(r);
        break;
    case 2:
        query(r, body);
        break;
    case 3:
        pf_rpc_restore(r);
        break;
    case 4:
        pf_rpc_put_metric(body, &out);
        break;
    case 5:
        export_trace(r, body);
        break;
    case 6:
        look_at_headers(body);
        break;
    case 7:
        pf_rpc_put_status(r, &out);
        pf_rpc_close(r);
        want(pf_rpc_open(r, NULL, &err) == PF_OK);
        break;
    default:
        query_text(r, body);
    }
    pf_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char TRACE[] =
        "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":9,\"name\":\"a\",\"args\":{\"b\":1}}]";
    static const char FIRST[] =
        "create table t as select id, name, 1.5 as r, null as n, x'00ff' as b, 'a' || char(0) || "
        "'b' as z, cast(x'ff' as text) as u from slice; include perfetto module a.b; select * from t, t as s";
    pf_rpc r = {.read = pf_read_options_default(), .write = pf_write_options_default(), .scratch = "/tmp"};
    r.read.limits.memory = MEMORY;
    r.read.limits.hash_seed = 1;
    r.read.limits.plain = 16u << 20;
    r.read.limits.input = 1u << 20;
    r.read.jobs = 1;
    r.write.sync = false;
    pf_rpc_receive(&r, TRACE, sizeof TRACE - 1);
    pf_rpc_finish(&r);
    want(r.query);
    query_text(&r, (pf_bytes){(const uint8_t *)FIRST, sizeof FIRST - 1});
    for (size_t at = 0, asked = 0; at + 3 <= size && asked < 8; asked++) {
        size_t len = data[at + 1] | (size_t)data[at + 2] << 8, left = size - at - 3;
        len = len < left ? len : left;
        ask(&r, data[at], (pf_bytes){data + at + 3, len});
        at += 3 + len;
    }
    pf_rpc_close(&r);
    return 0;
}
