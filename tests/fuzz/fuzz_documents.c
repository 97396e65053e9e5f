/* fuzz_documents.c - JSON, YAML and CSV on any bytes: no crash, no leak, no hang; a JSON document that was read is read
 * equal from what is written of it. */
#include <stdlib.h>
#include <string.h>

#include "postfetto/document.h"
#include "postfetto/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const pf_document *d, size_t *len)
{
    char *text;
    pf_error err;
    if (pf_format_json(pf_document_root(d), &text, len, &err) != PF_OK) {
        abort();
    }
    return text;
}

static void again(const pf_document *d, const pf_parse_limits *l)
{
    size_t len, second_len;
    char *text = written(d, &len);
    pf_document *second;
    if (pf_json_parse((pf_str){text, len}, l, &second, NULL) != PF_OK) {
        abort();
    }
    char *second_text = written(second, &second_len);
    if (len != second_len || memcmp(text, second_text, len) != 0) {
        abort();
    }
    free(text);
    free(second_text);
    pf_document_free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const pf_parse_limits small = {.bytes = 1 << 20, .nodes = 20000, .memory = 64 << 20, .depth = 200};
    pf_parse_limits large = small;
    large.bytes = large.memory = 1 << 30;
    pf_str text = {(const char *)data, size};
    pf_document *d;
    pf_csv *c;
    pf_error err;
    if (pf_json_parse(text, &small, &d, &err) == PF_OK) {
        again(d, &large);
        (void)pf_node_twice(pf_document_root(d));
        pf_document_free(d);
    }
    if (pf_yaml_parse(text, &small, &d, &err) == PF_OK) {
        size_t len;
        free(written(d, &len));
        pf_document_free(d);
    }
    for (int lenient = 0; lenient < 2; lenient++) {
        if (pf_csv_open(text, &(pf_csv_options){.lenient = lenient}, &c, &err) == PF_OK) {
            uint64_t line;
            size_t column;
            for (const pf_str *row; pf_csv_next(c, &row, &err) == PF_OK && row;) {
                pf_csv_place(c, size % 4, &line, &column);
                if (line == 0 || column == 0 || column > size + 1) {
                    abort();
                }
            }
            pf_csv_free(c);
        }
    }
    return 0;
}
