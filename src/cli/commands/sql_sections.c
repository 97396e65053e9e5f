/* cli/commands/sql_sections.c - the parts of an SQL text, line by line. */
#include "cli/commands/query_output.h"

#include <string.h>

pf_str pf_cli_section_name(pf_str line)
{
    static const char key[] = "@name";
    size_t at = 2;
    if (line.len < 2 || memcmp(line.ptr, "--", 2) != 0) {
        return (pf_str){NULL, 0};
    }
    while (at < line.len && (line.ptr[at] == ' ' || line.ptr[at] == '\t')) {
        at++;
    }
    if (line.len - at < sizeof key || memcmp(line.ptr + at, key, sizeof key - 1) != 0) {
        return (pf_str){NULL, 0};
    }
    at += sizeof key - 1;
    size_t start = at;
    while (at < line.len && strchr(" \t\r", line.ptr[at]) && line.ptr[at]) {
        at++;
    }
    size_t end = line.len;
    while (end > at && strchr(" \t\r", line.ptr[end - 1]) && line.ptr[end - 1]) {
        end--;
    }
    return at > start && end > at ? (pf_str){line.ptr + at, end - at} : (pf_str){NULL, 0};
}

bool pf_cli_next_section(pf_str text, size_t *at, pf_str *name, pf_str *sql)
{
    size_t start = *at;
    if (start >= text.len) {
        return false;
    }
    *name = (pf_str){NULL, 0};
    for (size_t i = start; i < text.len;) {
        const char *feed = memchr(text.ptr + i, '\n', text.len - i);
        size_t end = feed ? (size_t)(feed - text.ptr) : text.len;
        pf_str found = pf_cli_section_name((pf_str){text.ptr + i, end - i});
        if (found.ptr && i == start) {
            *name = found;
        } else if (found.ptr) {
            *sql = (pf_str){text.ptr + start, i - start};
            *at = i;
            return true;
        }
        i = end + 1;
    }
    *sql = (pf_str){text.ptr + start, text.len - start};
    *at = text.len;
    return true;
}

bool pf_cli_has_sections(pf_str text)
{
    pf_str name, sql;
    for (size_t at = 0; pf_cli_next_section(text, &at, &name, &sql);) {
        if (name.ptr) {
            return true;
        }
    }
    return false;
}
