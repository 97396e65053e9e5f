/* analyze/aiu/facts/aiu_settings.c - from option values to settings, and what is wrong with them. */
#include "analyze/aiu/facts/aiu_settings.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analyze/aiu/facts/aiu_facts.h"
#include "base/text/number.h"

#define ROW(option, name, letter, type, ...) [option] = {name, letter, type, __VA_ARGS__},
#define FLAG(option, name, letter, member, ...)                                                                        \
    [option] = {name, letter, PF_OPTION_FLAG, offsetof(aiu_settings, member), .help = __VA_ARGS__},
const pf_option pf_aiu_options[AIU_OPTIONS] = {AIU_OPTION_LIST(ROW, FLAG)};

/* What is read, and where what is wrong goes. */
typedef struct reading {
    const pf_pass_context *ctx;
    pf_findings *findings;
    aiu_settings *set;
    aiu_refusal *refusal;
    pf_error *err;
} reading;

/* `lines` are acelyzer's words for it. */
static pf_status refuse(reading *r, pf_str lines, const char *what)
{
    *r->refusal = (aiu_refusal){.refused = true, .lines = lines.ptr ? lines.ptr : ""};
    return pf_fail(r->err, PF_ERR_USAGE, "%s", what);
}

static pf_status read_clocks(reading *r)
{
    aiu_settings *s = r->set;
    const pf_option_value *v = &r->ctx->values[AIU_OPT_FREQ];
    bool given = s->rules & AIU_CLOCK_AS_GIVEN;
    const pf_str text = v->set || !given ? v->s : PF_STR("1000:1100");
    const char *colon = memchr(text.ptr, ':', text.len);
    const pf_str soc = {text.ptr, colon ? (size_t)(colon - text.ptr) : text.len};
    s->soc = 1000; /* where no kernel shows another one */
    s->core = 1100;
    s->hint = colon ? (pf_str){"", 0}
                    : pf_findings_format(r->findings,
                                         "HINT: --freq only specified SoC freqency %.*s. Using default core freq "
                                         "1100.0. You may specify both by using: --freq=<soc>:<core>\n",
                                         (int)(soc.len < 100 ? soc.len : 100), soc.ptr);
    s->auto_clock = !given && pf_str_is(soc, "auto");
    bool reals = (s->auto_clock || pf_parse_real(soc.ptr, soc.len, &s->soc)) &&
                 (!colon || pf_parse_real(colon + 1, text.len - soc.len - 1, &s->core));
    if (reals && s->soc > 0 && s->core > 0) {
        return PF_OK;
    }
    pf_str lines = pf_findings_format(r->findings, "%s%s", s->hint.ptr ? s->hint.ptr : "",
                                      reals ? "Frequency settings are required to be a positive non-zero float value."
                                            : "ERROR: Frequency setting requires float values.");
    return refuse(r, lines, "--freq takes one or two clocks in MHz above 0, for instance 557:1100");
}

static bool read_limit_member(const pf_node *n, aiu_limit *l)
{
    static const char *const keys[] = {"skip", "count", "ts_start", "ts_end"};
    double *const places[] = {&l->skip, &l->count, &l->ts_start, &l->ts_end};
    for (size_t i = 0; i < 4; i++) {
        if (pf_str_is(n->key, keys[i])) {
            *places[i] = n->type == PF_NODE_INT ? (double)n->as.i : n->type == PF_NODE_REAL ? n->as.d : *places[i];
            return n->type == PF_NODE_INT || n->type == PF_NODE_REAL ||
                   (n->type == PF_NODE_RAW && pf_parse_real(n->as.s.ptr, n->as.s.len, places[i]));
        }
    }
    bool types = pf_str_is(n->key, "no_count_types") && n->type == PF_NODE_TEXT;
    l->uncounted = types ? n->as.s : l->uncounted;
    return types;
}

static pf_status read_limit(reading *r)
{
    const pf_str text = r->ctx->values[AIU_OPT_LIMIT].s;
    aiu_limit *l = &r->set->limit;
    pf_document *d;
    *l = (aiu_limit){.count = 1152921504606846976.0, .ts_end = DBL_MAX, .uncounted = PF_STR("M")};
    pf_status st = text.ptr ? pf_json_parse(text, NULL, &d, r->err) : PF_OK;
    if (!text.ptr || st == PF_ERR_MEMORY) {
        return st;
    }
    bool good = false;
    if (st == PF_OK) {
        pf_findings_adopt(r->findings, d);
        const pf_node *root = pf_document_root(d);
        good = root->type == PF_NODE_OBJECT;
        for (const pf_node *n = good ? root->first : NULL; n; n = n->next) {
            good = good && read_limit_member(n, l);
        }
    }
    if (good) {
        return PF_OK;
    }
    pf_str lines = pf_findings_format(r->findings,
                                      "usage: acelyzer [-h]\nacelyzer: error: argument --event_limit: invalid "
                                      "_parse_event_limit_type value: '%.*s'",
                                      (int)(text.len < 400 ? text.len : 400), text.ptr);
    st = refuse(r, lines, "--event_limit takes a JSON object with skip, count, ts_start, ts_end and no_count_types");
    r->refusal->usage = true;
    return st;
}

/* "a:x,b:y" to pairs. Acelyzer goes on with the next one where there is not one colon. */
static pf_status read_filters(reading *r)
{
    aiu_settings *s = r->set;
    pf_arena *arena = r->ctx->arena;
    uint32_t room = 0, skipped_room = 0;
    for (pf_str rest = r->ctx->values[AIU_OPT_FILTER].s; rest.len;) {
        size_t comma = pf_str_find(rest, PF_STR(","));
        const pf_str item = {rest.ptr, comma == SIZE_MAX ? rest.len : comma};
        size_t colon = pf_str_find(item, PF_STR(":"));
        rest = pf_str_from(rest, item.len + (comma != SIZE_MAX));
        bool one = colon != SIZE_MAX && pf_str_find(pf_str_from(item, colon + 1), PF_STR(":")) == SIZE_MAX;
        if (s->rules & AIU_LENIENT && !one) {
            PF_TRY(PF_ARENA_ROOM(arena, s->skipped, s->filters_skipped + 1, skipped_room, r->err));
            s->skipped[s->filters_skipped++] = item;
        } else if (colon == SIZE_MAX) {
            return pf_fail(r->err, PF_ERR_USAGE,
                           "--event_filter takes ATTRIBUTE:EXPRESSION, more of them after commas");
        } else {
            PF_TRY(PF_ARENA_ROOM(arena, s->filters, s->filter_count + 1, room, r->err));
            s->filters[s->filter_count++] = (aiu_filter){{item.ptr, colon}, pf_str_from(item, colon + 1)};
        }
    }
    return PF_OK;
}

static void read_plain(const pf_option_value *v, aiu_settings *s)
{
    static const unsigned rules_of[] = {0, ~0u, ~(unsigned)AIU_UNCORRECTED}; /* none, acelyzer, acelyzer-fixed */
    for (size_t i = 0; i < AIU_OPTIONS; i++) {
        if (pf_aiu_options[i].offset) {
            pf_option_store(&pf_aiu_options[i], &v[i], s);
        }
    }
    s->rules = rules_of[v[AIU_OPT_COMPAT].i];
    s->counters = (unsigned)v[AIU_OPT_COUNTER].u;
    s->overlap = (aiu_overlap)v[AIU_OPT_OVERLAP].i;
    s->align_auto = v[AIU_OPT_ALIGN].i == 0 && !(s->rules & AIU_CLOCK_AS_GIVEN) && !s->sync_v2;
    s->has_log = v[AIU_OPT_COMPILER_LOG].s.len > 0;
    s->format = v[AIU_OPT_FORMAT].i > AIU_FORMAT_PROTOBUF ? AIU_FORMAT_JSON : (aiu_format)v[AIU_OPT_FORMAT].i;
    s->time_unit = v[AIU_OPT_TIME_UNIT].s.ptr;
    s->keep_types = v[AIU_OPT_KEEP_TYPES].s;
}

/* Options that do not go together. */
static pf_status check_pairs(reading *r)
{
    const pf_option_value *v = r->ctx->values;
    const aiu_settings *s = r->set;
    if (!(fabs(v[AIU_OPT_FREQ_SCALING].d) <= 1e-9)) {
        return refuse(r, PF_STR("ERROR --freq_scaling is obsolete; --freq=SOC:CORE says both clocks"),
                      "--freq_scaling is obsolete; --freq SOC:CORE says the clocks of the counters and of the cores");
    }
    if ((s->counters & AIU_COUNT_POWER3) && (s->counters & AIU_COUNT_POWER4)) {
        pf_str lines = pf_findings_format(r->findings, "%.*sERROR power_ts3 and power_ts4 are mutually exclusive",
                                          (int)s->hint.len, s->hint.ptr);
        return refuse(r, lines, "-C takes power_ts3 or power_ts4, not both");
    }
    if (v[AIU_OPT_ALIGN].set && (s->sync_v2 || s->no_sync)) {
        return pf_fail(r->err, PF_ERR_USAGE, "--align says how clocks are matched without -S and -M; give one of them");
    }
    if (s->build_coll && !s->flow && !(s->rules & AIU_LENIENT)) {
        return pf_fail(r->err, PF_ERR_USAGE, "-R (--build_coll_event) needs --flow");
    }
    return PF_OK;
}

/* The name of -o must not promise what it does not write. */
pf_status pf_aiu_settings_read(const pf_pass_context *ctx, pf_findings *f, aiu_settings *out, aiu_refusal *refusal,
                               pf_error *err)
{
    static const char *const others[] = {".sqlite", ".sqlite3", ".db", ".csv", ".md", ".html", ".svg", ".yaml"};
    reading r = {ctx, f, out, refusal, err};
    *out = (aiu_settings){0};
    *refusal = (aiu_refusal){.refused = false};
    read_plain(ctx->values, out);
    for (size_t i = 0; ctx->output && i < sizeof others / sizeof *others; i++) {
        if (pf_str_ends(pf_str_of(ctx->output), pf_str_of(others[i]))) {
            return pf_fail(
                err, PF_ERR_USAGE,
                "-o writes no %s: .pftrace is the enriched trace, .json and .txt are the outputs of acelyzer, "
                ".pb is a Perfetto trace; tables are reports (--report), and `postfetto convert X.pftrace -o "
                "X.sqlite` makes a database of the enriched trace",
                others[i]);
        }
    }
    PF_TRY(read_clocks(&r));
    PF_TRY(check_pairs(&r));
    PF_TRY(read_limit(&r));
    return read_filters(&r);
}
