/* The corpus' canonical queries run, and say of the hand-made trace what is written here by hand. The file lies next to
 * the repository; without it the test is skipped. */
#include <stdio.h>
#include <string.h>

#include "shared.h"
#include "support.h"

static char *canonical(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/corpus/canonical.sql", shared_folder());
    FILE *f = fopen(path, "rb");
    if (!f) {
        return NULL;
    }
    static char text[65536];
    size_t len = fread(text, 1, sizeof text - 1, f);
    text[len] = '\0';
    fclose(f);
    return text;
}

typedef struct section {
    const char *name, *rows;
} section;

static const section EXPECTED[] = {
    {"slices", "10|20|0|a|c1|-|thread_execution|10|11|proc|thr|-|-\n"
               "12|1|0|x|-|-|thread_execution|10|10|proc|-|-|-\n"
               "12|5|1|b|-|-|thread_execution|10|11|proc|thr|a|10\n"
               "14|0|2|i|-|-|thread_execution|10|11|proc|thr|b|12\n"
               "18|5|1|b|-|-|thread_execution|10|11|proc|thr|a|10\n"
               "40|-1|0|g|-|leaf|global_track_event|-|-|-|-|-|-\n"},
    {"slices_by_name", "a|c1|thread_execution|1|20|10|10|0\n"
                       "b|-|thread_execution|2|10|12|18|1\n"
                       "g|-|global_track_event|1|-1|40|40|0\n"
                       "i|-|thread_execution|1|0|14|14|2\n"
                       "x|-|thread_execution|1|1|12|12|0\n"},
    {"slice_thread_times", ""},
    {"counters", "5|1.5|temp|process_counter_track_event|C|10|-|proc|-\n"
                 "15|2.5|temp|process_counter_track_event|C|10|-|proc|-\n"
                 "25|2.5|temp|process_counter_track_event|C|10|-|proc|-\n"},
    {"flows", ""},
    {"args", "10|20|a|10|11|args.l|args.l[0]|int|1|-|-\n"
             "10|20|a|10|11|args.l|args.l[3][0]|int|3|-|-\n"
             "10|20|a|10|11|args.l.q|args.l[1].q|real|-|2.5|-\n"
             "10|20|a|10|11|args.o.b|args.o.b|bool|1|-|-\n"
             "10|20|a|10|11|args.o.p|args.o.p|string|-|-|s\n"
             "10|20|a|10|11|args.x|args.x|int|1|-|-\n"
             "12|1|x|10|10|args.arr|args.arr[0]|int|1|-|-\n"
             "12|1|x|10|10|args.arr|args.arr[1]|int|2|-|-\n"
             "12|1|x|10|10|args.arr|args.arr[2]|int|3|-|-\n"
             "12|1|x|10|10|args.j|args.j|string|-|-|z\n"
             "12|1|x|10|10|args.k|args.k|int|2|-|-\n"
             "18|5|b|10|11|args.x|args.x|int|1|-|-\n"
             "40|-1|g|-|-|debug.u|debug.u|uint|-1|-|-\n"},
    {"tracks", "-|thread_execution|-|-|10|10|proc|-|1|0\n"
               "-|thread_execution|-|-|10|11|proc|thr|4|0\n"
               "leaf|global_track_event|-|root|-|-|-|-|1|0\n"
               "root|global_track_event|-|-|-|-|-|-|0|0\n"
               "temp|process_counter_track_event|C|-|10|-|proc|-|0|3\n"},
    {"processes", "10|proc|-|-|-|-|-\n20|-|-|-|-|-|-\n"},
    {"threads", "10|-|10|proc|1|-|-\n11|thr|10|proc|0|-|-\n20|-|20|-|1|-|-\n"},
    {"process_args", ""},
    {"clock_snapshots", ""},
    {"vulkan_memory", ""},
    {"bounds", "5|40\n"},
    {"errors", "json_parser_failure|-|error|trace|1\n"},
};

static const char *expected_rows(const char *name)
{
    for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++) {
        if (strcmp(EXPECTED[i].name, name) == 0) {
            return EXPECTED[i].rows;
        }
    }
    return NULL;
}

Test(canonical, sections)
{
    static const char MARK[] = "\n-- @name ";
    char *text = canonical();
    if (!text) {
        SKIP_WITHOUT_CORPUS();
    }
    session s = open_session();
    size_t sections = 0;
    char *at = strstr(text, MARK);
    cr_assert_not_null(at);
    *at = '\0';
    cr_assert_eq(strncmp(ask(&s, text), "error", 5) == 0, false, "prelude: %s", s.err.text);
    while (at) {
        char *name = at + sizeof MARK - 1, *sql = strchr(name, '\n');
        at = strstr(sql, MARK);
        *sql++ = '\0';
        if (at) {
            *at = '\0';
        }
        const char *rows = rows_of(&s, sql), *expected = expected_rows(name);
        cr_expect(strncmp(rows, "error", 5) != 0, "%s: %s", name, s.err.text);
        if (expected) {
            cr_expect_str_eq(rows, expected, "%s gives:\n%s", name, rows);
            sections++;
        }
    }
    cr_expect_eq(sections, sizeof EXPECTED / sizeof *EXPECTED, "all sections were met");
    close_session(&s);
}
