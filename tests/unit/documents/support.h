/* support.h - what the tests of documents share. */
#ifndef TESTS_DOCUMENTS_SUPPORT_H
#define TESTS_DOCUMENTS_SUPPORT_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postfetto/document.h"
#include "postfetto/findings.h"
#include "postfetto/write.h"

typedef pf_status (*parser)(pf_str text, const pf_parse_limits *limits, pf_document **out, pf_error *err);

/* Parses a text and compares it with its one-line JSON. */
static inline void expect_json(parser parse, pf_str text, const char *expected)
{
    static const pf_json_style style = {.one_line = true, .utf8 = true, .item_separator = ",", .key_separator = ":"};
    pf_document *d;
    pf_error err = {.text = ""};
    char *out;
    size_t len;
    cr_assert_eq(parse(text, NULL, &d, &err), PF_OK, "%.*s: %s", (int)text.len, text.ptr, err.text);
    cr_assert_eq(pf_format_json_styled(pf_document_root(d), &style, &out, &len, &err), PF_OK);
    cr_assert_str_eq(out, expected);
    free(out);
    pf_document_free(d);
}

/* The text is refused at this byte, with this in the message. */
static inline void expect_refused(parser parse, pf_str text, uint64_t offset, const char *part)
{
    pf_document *d = (pf_document *)1;
    pf_error err = {.text = ""};
    cr_assert_eq(parse(text, NULL, &d, &err), PF_ERR_INPUT, "%.*s was taken", (int)text.len, text.ptr);
    cr_assert_null(d);
    cr_assert_eq(err.offset, offset, "%.*s: offset %d: %s", (int)text.len, text.ptr, (int)err.offset, err.text);
    cr_assert_not_null(strstr(err.text, part), "'%s' lacks '%s'", err.text, part);
}

static inline pf_str text_of(const char *s)
{
    return (pf_str){s, strlen(s)};
}

#endif
