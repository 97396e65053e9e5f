/* threads_json.c - importing JSON with threads under the thread sanitizer, plain and packed (then one more thread
 * unpacks). Every import must end with the same events, slices and arrows: enough of them that two threads build them.
 */
#include "jobs.h"

/* Events of many names and threads, some of them damaged, some of them looking like several. */
static void write_document(pf_buffer *b)
{
    pf_buffer_text(b, "{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"p\"}}");
    for (unsigned i = 0; i < 24000; i++) {
        pf_buffer_format(
            b,
            ",\n{\"ph\":\"X\",\"ts\":%u.%03u,\"dur\":%u,\"pid\":%u,\"tid\":%u,\"name\":\"name %u\",\"cat\":"
            "\"c%u\",\"args\":{\"list\":[{\"a\":%u},{\"b\":\"},{\\\"ph\\\":\"}]}}",
            i, i % 1000, i % 77, i % 5, i % 91, i % 300, i % 7, i);
        pf_buffer_format(b,
                         ",\n{\"ph\":\"s\",\"id\":%u,\"ts\":%u.%03u,\"pid\":%u,\"tid\":%u,\"name\":\"a\"}"
                         ",\n{\"ph\":\"f\",\"id\":%u,\"ts\":%u.%03u,\"pid\":%u,\"tid\":%u,\"name\":\"a\",\"bp\":\"e\"}",
                         i, i, i % 1000, i % 5, i % 91, i - i % 3, i, i % 1000, i % 5, (i + 7) % 91);
        if (i % 5000 == 2500) {
            pf_buffer_text(b, ",{\"ph\":\"X\",\"name\":\"say \"hi\"\"}");
        }
    }
    pf_buffer_text(b, "],\"other\":1}");
}

static uint64_t sum_of_tables(const pf_trace *t)
{
    const pf_events *e = pf_trace_events(t);
    uint64_t sum = e->count;
    for (uint32_t i = 0; i < e->count; i++) {
        sum = (sum * 31 + (uint64_t)e->ts[i]) * 31 + e->name[i];
        sum = (sum * 31 + e->track[i]) * 31 + e->category[i];
    }
    const pf_slices *s = pf_trace_slices(t);
    for (uint32_t i = 0; i < s->count; i++) {
        sum = ((sum * 31 + s->event[i]) * 31 + s->depth[i]) * 31 + s->parent[i];
        sum = (sum * 31 + s->track[i]) * 31 + (uint64_t)s->dur[i];
    }
    const pf_flows *f = pf_trace_flows(t);
    for (uint32_t i = 0; i < f->count; i++) {
        sum = (sum * 31 + f->slice_out[i]) * 31 + f->slice_in[i];
    }
    return s->count && f->count ? sum : 0;
}

int main(void)
{
    pf_buffer plain = {0};
    write_document(&plain);
    return compare_jobs(&plain, &pf_reader_chrome_json, sum_of_tables);
}
