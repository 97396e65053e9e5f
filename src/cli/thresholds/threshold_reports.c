/* cli/thresholds/threshold_reports.c - thresholds for continuous integration.
 *
 * GitHub reads workflow commands out of the log of a step: "::error title=T::MESSAGE", with %, CR and LF as %25, %0D,
 * %0A (and in properties ':' and ',' as %3A and %2C).
 *
 * JUnit's document has several schemas. What is written satisfies the strict ones: the suite has all attributes that
 * they require, its children stand in the order properties, cases, system-out, system-err, and text is XML 1.0 without
 * the control characters that XML cannot say.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "cli/terminal/terminal.h"
#include "cli/thresholds/thresholds.h"

pf_str pf_cli_threshold_name(const char *text)
{
    static const char *const VALUES[] = {"TRUE", "FALSE", "NULL", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"};
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    size_t len = strspn(text, LETTERS);
    for (size_t more = len; len && more; len += more) {
        more = strspn(text + len, LETTERS) + strspn(text + len + strspn(text + len, LETTERS), "0123456789.-");
    }
    bool named = len > 0 && text[len] == '=' && text[len + 1] != '=';
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES && named; i++) {
        named = strlen(VALUES[i]) != len || strncasecmp(VALUES[i], text, len) != 0;
    }
    return (pf_str){text, named ? len : 0};
}

void pf_cli_threshold_say(const pf_cli_threshold *t, char out[PF_CLI_SAID])
{
    static const char *const WORDS[] = {
        [PF_CLI_PASSED] = "is not true",
        [PF_CLI_TRUE] = "is true",
        [PF_CLI_NOTHING] = "measured nothing",
        [PF_CLI_WRONG] = "failed",
    };
    snprintf(out, PF_CLI_SAID, "%s%s%s", WORDS[t->verdict], t->values[0] ? ": " : "", t->values);
}

/* The message of a workflow command. */
static void put_workflow_text(pf_buffer *b, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '%' || c == '\r' || c == '\n') {
            pf_buffer_format(b, "%%%02X", c);
        } else {
            pf_buffer_put(b, text, 1);
        }
    }
}

void pf_cli_threshold_annotations(pf_buffer *b, const pf_cli_threshold *list, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].verdict == PF_CLI_PASSED) {
            continue;
        }
        char said[PF_CLI_SAID];
        pf_cli_threshold_say(&list[i], said);
        pf_buffer_text(b, "::error title=postfetto threshold::");
        put_workflow_text(b, pf_cli_name(path));
        pf_buffer_text(b, ": ");
        put_workflow_text(b, list[i].text);
        pf_buffer_text(b, " ");
        put_workflow_text(b, said);
        pf_buffer_text(b, "\n");
    }
}

/* Text of an element or attribute. */
static void put_xml(pf_buffer *b, const char *text)
{
    static const char SPECIAL[] = "&<>\"\n", *const NAMES[] = {"amp", "lt", "gt", "quot", "#10"};
    pf_buffer clean = {0};
    pf_cli_put_clean(&clean, text, strlen(text), true);
    for (size_t i = 0; i < clean.len; i++) {
        const char *c = &clean.data[i], *found = memchr(SPECIAL, *c, sizeof SPECIAL - 1);
        if (found) {
            pf_buffer_format(b, "&%s;", NAMES[found - SPECIAL]);
        } else {
            pf_buffer_put(b, c, 1);
        }
    }
    b->failed = b->failed || clean.failed;
    pf_buffer_free(&clean);
}

static void put_case(pf_buffer *b, const pf_cli_threshold *t, const char *command)
{
    pf_str name = pf_cli_threshold_name(t->text);
    pf_buffer_text(b, "    <testcase name=\"");
    if (name.len) {
        pf_buffer_put(b, name.ptr, name.len);
    } else {
        put_xml(b, t->text);
    }
    pf_buffer_format(b, "\" classname=\"postfetto.%s\" time=\"%.3f\"", command, t->seconds);
    if (t->verdict == PF_CLI_PASSED) {
        pf_buffer_text(b, "/>\n");
        return;
    }
    const char *element = t->verdict == PF_CLI_WRONG ? "error" : "failure";
    char said[PF_CLI_SAID];
    pf_cli_threshold_say(t, said);
    pf_buffer_format(b, ">\n      <%s type=\"%s\" message=\"", element,
                     t->verdict == PF_CLI_TRUE      ? "threshold"
                     : t->verdict == PF_CLI_NOTHING ? "nothing-measured"
                                                    : "sql");
    put_xml(b, said);
    pf_buffer_text(b, "\">");
    put_xml(b, said);
    pf_buffer_format(b, "</%s>\n    </testcase>\n", element);
}

void pf_cli_threshold_junit(pf_buffer *b, const pf_cli_threshold *list, size_t count, const char *command,
                            const char *path, int64_t unix_seconds)
{
    size_t failures = 0, errors = 0;
    double seconds = 0;
    time_t now = (time_t)unix_seconds;
    struct tm utc = {0};
    for (size_t i = 0; i < count; i++) {
        failures += list[i].verdict == PF_CLI_TRUE || list[i].verdict == PF_CLI_NOTHING;
        errors += list[i].verdict == PF_CLI_WRONG;
        seconds += list[i].seconds;
    }
    gmtime_r(&now, &utc);
    pf_buffer_text(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"");
    put_xml(b, pf_cli_name(path));
    pf_buffer_format(b,
                     "\" package=\"postfetto.%s\" id=\"0\" timestamp=\"%04d-%02d-%02dT%02d:%02d:%02d\" "
                     "hostname=\"localhost\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\">\n",
                     command, utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     count, failures, errors, seconds);
    pf_buffer_text(b, "    <properties/>\n");
    for (size_t i = 0; i < count; i++) {
        put_case(b, &list[i], command);
    }
    pf_buffer_text(b, "    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n");
}
