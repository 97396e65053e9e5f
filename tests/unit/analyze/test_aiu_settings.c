/* Options of analyze aiu as settings, and what is said of values that are none. */
#include <float.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "aiu_support.h"

/* Reads one option on top of the defaults. */
static pf_status read_option(aiu_facts_run *f, const char *name, const char *value, aiu_settings *s, aiu_refusal *r)
{
    const pf_pass *p = pf_pass_find("aiu");
    facts_open(f, NULL);
    for (size_t i = 0; i < p->option_count; i++) {
        if (strcmp(p->options[i].name, name) == 0) {
            cr_assert_eq(pf_pass_parse(p, i, value, f->values, &f->err), PF_OK, "%s", f->err.text);
        }
    }
    f->err.text[0] = '\0';
    return pf_aiu_settings_read(&f->ctx, f->f, s, r, &f->err);
}

#define HINT(soc)                                                                                                      \
    "HINT: --freq only specified SoC freqency " soc                                                                    \
    ". Using default core freq 1100.0. You may specify both by using: "                                                \
    "--freq=<soc>:<core>\n"
#define NO_REAL "ERROR: Frequency setting requires float values."
#define NOT_ABOVE "Frequency settings are required to be a positive non-zero float value."

/* MHz of the counters, and of the cores if they are not the usual ones. */
Test(aiu_settings, clocks)
{
    static const struct {
        const char *freq;
        double soc, core;
        const char *lines; /* NULL: it is fine */
    } cases[] = {{"557:1100", 557, 1100, NULL},
                 {"560.5:1.5", 560.5, 1.5, NULL},
                 {"557", 557, 1100, NULL},
                 {"0.001:1e3", 0.001, 1000, NULL},
                 {"0", 0, 0, HINT("0") NOT_ABOVE},
                 {"0:1", 0, 0, NOT_ABOVE},
                 {"1:0", 0, 0, NOT_ABOVE},
                 {"-1:1", 0, 0, NOT_ABOVE},
                 {"1:-1", 0, 0, NOT_ABOVE},
                 {"x", 0, 0, HINT("x") NO_REAL},
                 {"1:x", 0, 0, NO_REAL},
                 {"x:1", 0, 0, NO_REAL},
                 {"1:", 0, 0, NO_REAL},
                 {":1", 0, 0, NO_REAL},
                 {"1:2:3", 0, 0, NO_REAL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        aiu_settings s;
        aiu_refusal r;
        pf_status st = read_option(&f, "freq", cases[i].freq, &s, &r);
        cr_expect_eq(st, cases[i].lines ? PF_ERR_USAGE : PF_OK, "%s", cases[i].freq);
        cr_expect_eq(r.refused, cases[i].lines != NULL, "%s", cases[i].freq);
        if (cases[i].lines) {
            cr_expect_str_eq(r.lines, cases[i].lines, "%s", cases[i].freq);
            cr_expect_str_eq(f.err.text, "--freq takes one or two clocks in MHz above 0, for instance 557:1100");
            cr_expect_not(r.usage);
        } else {
            cr_expect(s.soc == cases[i].soc && s.core == cases[i].core, "%s: %g %g", cases[i].freq, s.soc, s.core);
        }
        facts_close(&f);
    }
}

/* Numbers of any size; 2^60 events of all times where nothing is said, metadata not counted. */
Test(aiu_settings, limits)
{
    static const struct {
        const char *limit;
        double skip, count, start, end;
        const char *uncounted; /* NULL: it is refused */
    } cases[] = {{"{}", 0, 0x1p60, 0, DBL_MAX, "M"},
                 {"{\"skip\":1,\"count\":2,\"ts_start\":3,\"ts_end\":4,\"no_count_types\":\"XC\"}", 1, 2, 3, 4, "XC"},
                 {"{\"skip\":1.5,\"count\":-2}", 1.5, -2, 0, DBL_MAX, "M"},
                 {"{\"count\":100000000000000000000}", 0, 1e20, 0, DBL_MAX, "M"},
                 {"{\"no_count_types\":\"\"}", 0, 0x1p60, 0, DBL_MAX, ""},
                 {"{\"count\":\"2\"}", 0, 0, 0, 0, NULL},
                 {"{\"count\":null}", 0, 0, 0, 0, NULL},
                 {"{\"counts\":2}", 0, 0, 0, 0, NULL},
                 {"{\"skip\":1,\"x\":2}", 0, 0, 0, 0, NULL},
                 {"{\"x\":2,\"skip\":1}", 0, 0, 0, 0, NULL},
                 {"{\"no_count_types\":5}", 0, 0, 0, 0, NULL},
                 {"{\"no_count_typez\":\"M\"}", 0, 0, 0, 0, NULL},
                 {"[]", 0, 0, 0, 0, NULL},
                 {"5", 0, 0, 0, 0, NULL},
                 {"{", 0, 0, 0, 0, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        aiu_settings s;
        aiu_refusal r;
        pf_status st = read_option(&f, "event_limit", cases[i].limit, &s, &r);
        cr_expect_eq(st, cases[i].uncounted ? PF_OK : PF_ERR_USAGE, "%s", cases[i].limit);
        cr_expect_eq(r.refused, !cases[i].uncounted, "%s", cases[i].limit);
        cr_expect_eq(r.usage, !cases[i].uncounted, "%s", cases[i].limit);
        if (cases[i].uncounted) {
            const aiu_limit *l = &s.limit;
            cr_expect(l->skip == cases[i].skip && l->count == cases[i].count && l->ts_start == cases[i].start &&
                          l->ts_end == cases[i].end && pf_str_is(l->uncounted, cases[i].uncounted),
                      "%s", cases[i].limit);
        } else {
            char lines[200];
            snprintf(lines, sizeof lines,
                     "usage: acelyzer [-h]\nacelyzer: error: argument --event_limit: invalid _parse_event_limit_type "
                     "value: '%s'",
                     cases[i].limit);
            cr_expect_str_eq(r.lines, lines);
        }
        facts_close(&f);
    }
}

/* Attributes with their expressions, which may have colons, after commas. */
Test(aiu_settings, filters)
{
    static const struct {
        const char *text, *expected; /* NULL: it is refused */
    } cases[] = {{"name:a", "[name|a]"},
                 {"name:a,cat:b", "[name|a][cat|b]"},
                 {"name:a:b", "[name|a:b]"},
                 {"name:,cat:b", "[name|][cat|b]"},
                 {":a", "[|a]"},
                 {"name:a,", "[name|a]"},
                 {"name:a,b", NULL},
                 {"name", NULL},
                 {",name:a", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        aiu_settings s;
        aiu_refusal r;
        char found[200] = "";
        pf_status st = read_option(&f, "event_filter", cases[i].text, &s, &r);
        cr_expect_eq(st, cases[i].expected ? PF_OK : PF_ERR_USAGE, "%s", cases[i].text);
        for (size_t k = 0, len = 0; k < s.filter_count; k++) {
            len +=
                (size_t)snprintf(found + len, sizeof found - len, "[%.*s|%.*s]", (int)s.filters[k].attribute.len,
                                 s.filters[k].attribute.ptr, (int)s.filters[k].pattern.len, s.filters[k].pattern.ptr);
        }
        cr_expect(!cases[i].expected || strcmp(found, cases[i].expected) == 0, "%s: %s", cases[i].text, found);
        facts_close(&f);
    }
}

/* Names of outputs that would promise another form. */
Test(aiu_settings, outputs)
{
    static const struct {
        const char *output;
        bool refused;
    } cases[] = {{"x.pftrace", false}, {"x.json", false},  {"x.txt", false}, {"x.pb", false},    {NULL, false},
                 {"csv", false},       {"x.sqlite", true}, {"x.db", true},   {"x.csv", true},    {"x.md", true},
                 {"x.html", true},     {"x.svg", true},    {"x.yaml", true}, {"x.sqlite3", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        aiu_settings s;
        aiu_refusal r;
        facts_open(&f, NULL);
        f.ctx.output = cases[i].output;
        cr_expect_eq(pf_aiu_settings_read(&f.ctx, f.f, &s, &r, &f.err), cases[i].refused ? PF_ERR_USAGE : PF_OK);
        cr_expect_not(r.refused);
        facts_close(&f);
    }
}

/* Each flag is a setting of its own; -R is refused without --flow. */
Test(aiu_settings, flags)
{
    aiu_facts_run f;
    aiu_settings s;
    aiu_refusal r;
    static const struct {
        const char *name;
        size_t at;
    } flags[] = {
#define FLAG(option, member) {option, offsetof(aiu_settings, member)}
        FLAG("keep_prep", keep_prep),
        FLAG("keep_names", keep_names),
        FLAG("flow", flow),
        FLAG("tb", tb),
        FLAG("disable_tb", disable_tb),
        FLAG("disable_file", disable_file),
        FLAG("power-stats", power_stats),
        FLAG("build_coll_event", build_coll),
        FLAG("comm_summarize_seq", summarize),
        FLAG("mp_sync_v2", sync_v2),
        FLAG("split_events", split)};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        pf_status expected = strcmp(flags[i].name, "build_coll_event") == 0 ? PF_ERR_USAGE : PF_OK;
        cr_assert_eq(read_option(&f, flags[i].name, NULL, &s, &r), expected, "%s: %s", flags[i].name, f.err.text);
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
            bool set;
            memcpy(&set, (const char *)&s + flags[k].at, sizeof set);
            cr_expect_eq(set, i == k, "%s with --%s", flags[k].name, flags[i].name);
        }
        facts_close(&f);
    }
}
