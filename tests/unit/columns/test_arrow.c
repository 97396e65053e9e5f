/* Arrow's bytes against those that the specification of flatbuffers and of Arrow's messages gives by hand, and the life
 * of arrays that are handed out. What is in whole files others read in tests/columns. */
#include <criterion/criterion.h>
#include <string.h>

#include "postfetto/build.h"
#include "postfetto/export.h"
#include "write/columns/arrow/arrow_ipc.h"

static pf_status gather(void *ctx, const void *bytes, size_t len, pf_error *err)
{
    (void)err;
    pf_buffer_put(ctx, bytes, len);
    return PF_OK;
}

/* The message as it is written, and as it is meant. */
static void expect_bytes(const pf_buffer *b, size_t at, const uint8_t *want, size_t len)
{
    for (size_t i = 0; i < len && at + i < b->len; i++) {
        cr_expect_eq((uint8_t)b->data[at + i], want[i], "byte %zu: %02x, not %02x", at + i, (uint8_t)b->data[at + i],
                     want[i]);
    }
    cr_expect_leq(at + len, b->len);
}

Test(arrow, a_stream_without_columns)
{
    /* clang-format off */
    static const uint8_t schema[128] = {
        0xff, 0xff, 0xff, 0xff, 120, 0, 0, 0,           /* its length with padding up to 128 */
        16, 0, 0, 0,                                    /* the root is at 16 */
        12, 0, 24, 0, 4, 0, 6, 0, 8, 0, 16, 0,          /* vtable: its size, that of the table, four fields */
        12, 0, 0, 0, 4, 0, 1, 0, 24, 0, 0, 0, 0, 0, 0, 0, /* to the vtable, V5, Schema, to the header at 48 */
        0, 0, 0, 0, 0, 0, 0, 0,                         /* no body */
        8, 0, 12, 0, 4, 0, 8, 0,                        /* vtable */
        8, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0,             /* little endian, to the fields */
        0, 0, 0, 0};                                    /* of which there are none */
    static const uint8_t batch[128] = {
        0xff, 0xff, 0xff, 0xff, 120, 0, 0, 0,
        16, 0, 0, 0,
        12, 0, 24, 0, 4, 0, 6, 0, 8, 0, 16, 0,
        12, 0, 0, 0, 4, 0, 3, 0, 32, 0, 0, 0, 0, 0, 0, 0, /* RecordBatch, at 56 */
        0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0,                               /* so that the table is at a multiple of 8 */
        10, 0, 24, 0, 8, 0, 16, 0, 20, 0,
        10, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, /* three rows */
        12, 0, 0, 0, 16, 0, 0, 0,                       /* to the nodes, to the buffers */
        0, 0, 0, 0, 0, 0, 0, 0,                         /* none; structs are at multiples of 8 behind the count */
        0, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t end[] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    /* clang-format on */
    const pf_col_table table = {.name = "t", .rows = 3};
    pf_arrow a;
    pf_error err;
    pf_buffer out = {0};
    cr_assert_eq(pf_arrow_plan(&a, &table, PF_ARROW_STREAM, NULL, &err), PF_OK);
    cr_assert_eq(pf_arrow_write(&a, gather, &out, &err), PF_OK);
    cr_expect_eq(out.len, 264);
    cr_expect_eq(a.size, 264);
    expect_bytes(&out, 0, schema, sizeof schema);
    expect_bytes(&out, 128, batch, sizeof batch);
    expect_bytes(&out, 256, end, sizeof end);
    pf_arrow_free(&a);
    pf_buffer_free(&out);
}

Test(arrow, bodies_of_a_file)
{
    static const int64_t numbers[] = {INT64_MIN, -1, INT64_MAX, 0};
    static const uint8_t dictionary[192] = {[0] = 0, [4] = 2, [8] = 3, [64] = 'b', 'c', 'a'};
    static const uint8_t texts[128] = {[0] = 0x0d, [64 + 8] = 1}, ints[64] = {0x0e};
    pf_strings pool;
    pf_error err;
    pf_budget budget;
    pf_buffer out = {0};
    pf_arrow a;
    pf_budget_init(&budget, NULL);
    cr_assert_eq(pf_strings_init(&pool, &budget, &err), PF_OK);
    uint32_t first = pf_strings_add(&pool, "a", 1, &err), second = pf_strings_add(&pool, "bc", 2, &err);
    const uint32_t ids[] = {second, 0, first, second};
    pf_col cols[] = {
        {.name = "text", .type = PF_COL_TEXT, .nullable = true, .source = PF_COL_OF_ID, .array = ids, .pool = &pool},
        {.name = "n",
         .type = PF_COL_INT64,
         .nullable = true,
         .holes = true,
         .source = PF_COL_OF_INT64,
         .array = numbers},
        {.name = "m", .type = PF_COL_INT64, .source = PF_COL_OF_INT64, .array = numbers}};
    const pf_col_table table = {.name = "t", .rows = 4, .count = 3, .cols = cols};
    cr_assert_eq(pf_arrow_plan(&a, &table, 0, &budget, &err), PF_OK);
    cr_assert_eq(pf_arrow_write(&a, gather, &out, &err), PF_OK);
    cr_expect_eq(out.len, a.size);
    cr_expect_arr_eq(out.data, "ARROW1\0", 8);
    cr_expect_arr_eq(out.data + out.len - 6, "ARROW1", 6);
    const pf_arrow_block *d = &a.block[1], *r = &a.block[2];
    cr_expect_eq((d->at + d->head) % 64, 0);
    cr_expect_eq((r->at + r->head) % 64, 0);
    expect_bytes(&out, (size_t)(d->at + d->head), dictionary, 128);
    size_t body = (size_t)(r->at + r->head);
    expect_bytes(&out, body, texts, 128);
    expect_bytes(&out, body + 128, ints, 64);
    cr_expect_arr_eq(out.data + body + 128 + 64 + 8, numbers + 1, 24, "after the NULL");
    cr_expect_arr_eq(out.data + body + 128 + 128, numbers, 32, "no column of NULLs has no bits");
    cr_expect_eq(r->body, 128 + 128 + 64);
    pf_arrow_free(&a);
    pf_buffer_free(&out);
    pf_strings_free(&pool);
    pf_budget_end(&budget);
}

/* ---- handed out -------------------------------------------------------------------------------------------------- */

static pf_trace *built(void)
{
    pf_error err;
    pf_trace *t;
    pf_builder *b = pf_builder_new(NULL);
    uint32_t upid = pf_build_process(b, 7, PF_STR("process"));
    uint32_t track = pf_build_track(b, &(pf_build_track_row){PF_BUILD_PROCESS, upid, .name = PF_STR("row")});
    pf_build_slice(b, track, 10, 5, PF_STR("first"));
    pf_build_slice(b, track, 20, INT64_MAX - 20,
                   PF_STR("se\xed\xa0\x80"
                          "cond"));
    cr_assert_eq(pf_builder_finish(b, &t, &err), PF_OK, "%s", err.text);
    pf_builder_free(b);
    return t;
}

static struct ArrowArray *child(const struct ArrowSchema *schema, const struct ArrowArray *array, const char *name)
{
    int64_t i = 0;
    while (strcmp(schema->children[i]->name, name) != 0) {
        i++;
    }
    return array->children[i];
}

Test(arrow, arrays_hold_the_trace)
{
    pf_trace *t = built();
    struct ArrowSchema schema;
    struct ArrowArray array;
    const int64_t *lent = pf_trace_slices(t)->dur;
    cr_assert_eq(pf_table_arrow(t, "slice", &schema, &array, NULL), PF_OK);
    pf_trace_free(t);
    cr_expect_str_eq(schema.format, "+s");
    cr_expect_eq(array.length, 2);
    struct ArrowArray *from = child(&schema, &array, "dur"), *names = child(&schema, &array, "name");
    struct ArrowArray dur = *from, name = *names;
    from->release = NULL; /* moved */
    names->release = NULL;
    array.release(&array);
    schema.release(&schema);
    cr_expect(!array.release && !schema.release);
    const int64_t *values = dur.buffers[1];
    cr_expect_eq(values, lent);
    cr_expect(values[0] == 5 && values[1] == INT64_MAX - 20);
    dur.release(&dur);
    const int32_t *index = name.buffers[1], *end = name.dictionary->buffers[1];
    cr_expect(index[0] == 0 && index[1] == 1 && end[1] == 5);
    cr_expect_eq(end[2] - end[1], 9);
    cr_expect_arr_eq((const char *)name.dictionary->buffers[2] + 5,
                     "se\xef\xbf\xbd"
                     "cond",
                     9);
    name.release(&name);
}

Test(arrow, no_such_table)
{
    pf_trace *t = built();
    pf_error err;
    struct ArrowSchema schema;
    struct ArrowArray array;
    cr_expect_eq(pf_table_arrow(t, "slize", &schema, &array, &err), PF_ERR_USAGE);
    cr_expect(strncmp(err.text, "no table 'slize' in a trace; there are slice, ", 46) == 0, "%s", err.text);
    cr_expect(!schema.release && !array.release);
    pf_trace_free(t);
}
