/* write/columns/arrow_stream.c - streams of the Arrow C interface over batches that stay: each stream hands out its own
 * copies of the structs, whose buffers are shared, so that there can be any number of streams from the start on. */
#include <errno.h>
#include <stdlib.h>

#include "write/columns/arrow_c.h"

typedef struct batches {
    atomic_uint streams;
    struct ArrowSchema schema;
    struct ArrowArray *list;
    uint32_t count;
} batches;

typedef struct stream {
    batches *of;
    uint32_t next;
} stream;

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    const stream *at = s->private_data;
    return pf_arrow_copy_schema(out, &at->of->schema, NULL) == PF_OK ? 0 : ENOMEM;
}

static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    stream *at = s->private_data;
    *out = (struct ArrowArray){.release = NULL};
    if (at->next == at->of->count) {
        return 0;
    }
    return pf_arrow_share_array(out, &at->of->list[at->next++], NULL) == PF_OK ? 0 : ENOMEM;
}

static const char *get_last_error(struct ArrowArrayStream *s)
{
    (void)s;
    return "the system refused memory"; /* what else can fail */
}

static void release(struct ArrowArrayStream *s)
{
    stream *at = s->private_data;
    batches *of = at->of;
    s->release = NULL;
    free(at);
    if (atomic_fetch_sub_explicit(&of->streams, 1, memory_order_acq_rel) == 1) {
        for (uint32_t i = 0; i < of->count; i++) {
            of->list[i].release(&of->list[i]);
        }
        of->schema.release(&of->schema);
        free(of->list);
        free(of);
    }
}

static pf_status open_stream(batches *of, struct ArrowArrayStream *out, pf_error *err)
{
    stream *at = calloc(1, sizeof *at);
    if (!at) {
        return pf_no_memory(err);
    }
    at->of = of;
    atomic_fetch_add_explicit(&of->streams, 1, memory_order_relaxed);
    *out = (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release,
                                     .private_data = at};
    return PF_OK;
}

pf_status pf_arrow_stream_of(struct ArrowSchema *schema, struct ArrowArray *arrays, uint32_t count,
                             struct ArrowArrayStream *out, pf_error *err)
{
    batches *of = calloc(1, sizeof *of);
    struct ArrowArray *list = of ? malloc((count + 1u) * sizeof *list) : NULL;
    *out = (struct ArrowArrayStream){.release = NULL};
    if (!list || open_stream(of, out, err) != PF_OK) {
        free(list);
        free(of);
        return pf_no_memory(err);
    }
    for (uint32_t i = 0; i < count; i++) {
        list[i] = arrays[i];
        arrays[i].release = NULL;
    }
    of->schema = *schema;
    schema->release = NULL;
    of->list = list;
    of->count = count;
    return PF_OK;
}

pf_status pf_arrow_stream(struct ArrowSchema *schema, struct ArrowArray *array, struct ArrowArrayStream *out,
                          pf_error *err)
{
    return pf_arrow_stream_of(schema, array, 1, out, err);
}

pf_status pf_arrow_again(const struct ArrowArrayStream *s, struct ArrowArrayStream *out, pf_error *err)
{
    const stream *at = s->private_data;
    *out = (struct ArrowArrayStream){.release = NULL};
    return open_stream(at->of, out, err);
}
