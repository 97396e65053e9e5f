/* cli/open/open_url.c - parts of the link.
 *
 * UI/#!/?url=http://127.0.0.1:9001/NAME&referrer=open_trace_in_ui, and with --pin &startupCommands= with a list of
 * commands in JSON, percent-encoded. The command that pins tracks takes a regular expression of their names: the names
 * of all tracks with slices of a category postfetto.PASS, and of the counters next to them, are put into one.
 */
#include "cli/open/open.h"

#include "base/budget.h"
#include "base/str.h"
#include "base/text/number.h"
#include "cli/common/command.h"

#define PINNED_MAX 32 /* more would fill the screen */
#define SECONDS_MAX 604800.0

static bool is_plain(char c)
{
    return pf_is_alnum(c) || c == '-' || c == '_' || c == '.';
}

void pf_open_name(const char *path, bool gzip, char out[PF_OPEN_NAME_MAX])
{
    static const char *const ENDINGS[] = {".gz", ".zst", ".zip", ".json", ".pftrace", ".perfetto-trace"};
    const char *slash = strrchr(path, '/'), *base = strcmp(path, "-") == 0 ? "trace" : slash ? slash + 1 : path;
    size_t len = strlen(base), n = 0;
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        len -= pf_cli_ends(base, len, ENDINGS[i]) ? strlen(ENDINGS[i]) : 0;
    }
    const char *ending = gzip ? ".pftrace.gz" : ".pftrace";
    for (size_t i = 0; i < len && n + strlen(ending) + 1 < PF_OPEN_NAME_MAX; i++) {
        out[n++] = is_plain(base[i]) ? base[i] : '_';
    }
    memcpy(out + n, ending, strlen(ending) + 1);
}

bool pf_open_origin(const char *url, char out[PF_OPEN_ORIGIN_MAX])
{
    size_t scheme = strncmp(url, "https://", 8) == 0 ? 8 : strncmp(url, "http://", 7) == 0 ? 7 : 0;
    size_t len = scheme + strcspn(url + scheme, "/?#");
    if (scheme == 0 || len == scheme || len >= PF_OPEN_ORIGIN_MAX) {
        return false;
    }
    for (size_t i = scheme; i < len; i++) {
        if (!is_plain(url[i]) && url[i] != ':' && url[i] != '[' && url[i] != ']') {
            return false;
        }
    }
    memcpy(out, url, len);
    out[len] = '\0';
    return true;
}

bool pf_open_seconds(const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } UNITS[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"", 1}};
    size_t len = strspn(text, "0123456789.");
    double number;
    if (!pf_is_digit(text[0]) || !pf_parse_real(text, len, &number)) {
        return false;
    }
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
        if (strcmp(text + len, UNITS[i].unit) == 0) {
            *seconds = number * UNITS[i].seconds;
            return *seconds > 0 && *seconds <= SECONDS_MAX;
        }
    }
    return false;
}

typedef struct pinned {
    pf_buffer pattern;
    size_t count;
} pinned;

static pf_status add_track(void *ctx, size_t count, const pf_query_cell *cells)
{
    pinned *p = ctx;
    if (count < 1 || cells[0].type != PF_VALUE_STRING || p->count == PINNED_MAX) {
        return PF_OK;
    }
    pf_buffer_text(&p->pattern, p->count++ ? "|" : "");
    for (size_t i = 0; i < cells[0].as.s.len; i++) {
        const char *c = &cells[0].as.s.ptr[i];
        pf_buffer_text(&p->pattern, *c && strchr("\\^$.|?*+()[]{}/", *c) ? "\\" : "");
        pf_buffer_put(&p->pattern, c, 1);
    }
    return PF_OK;
}

pf_status pf_open_pin(const pf_trace *t, pf_buffer *commands, pf_error *err)
{
    static const char SQL[] =
        "WITH ours AS (SELECT DISTINCT track_id FROM slice WHERE category GLOB 'postfetto.*'),\n"
        "  groups AS (SELECT DISTINCT parent_id FROM track JOIN ours ON track.id = ours.track_id)\n"
        "SELECT name, min(id) AS first FROM track\n"
        "WHERE name IS NOT NULL AND (id IN (SELECT track_id FROM ours) OR parent_id IN (SELECT parent_id FROM "
        "groups))\n"
        "GROUP BY name ORDER BY first";
    pinned p = {0};
    pf_query *q = NULL;
    const pf_query_sink sink = {&p, NULL, add_track};
    pf_buffer_text(&p.pattern, "^(");
    pf_status st = pf_query_open(t, &q, err);
    st = st == PF_OK ? pf_query_run(q, (pf_str){SQL, sizeof SQL - 1}, &sink, err) : st;
    pf_buffer_text(&p.pattern, ")$");
    if (st == PF_OK && p.count > 0) {
        pf_buffer_text(commands, "[{\"id\":\"dev.perfetto.PinTracksByRegex\",\"args\":[");
        pf_cli_put_json_text(commands, (pf_str){p.pattern.data, p.pattern.len});
        pf_buffer_text(commands, "]}]");
    }
    if (p.pattern.failed || commands->failed) {
        st = pf_no_memory(err);
    }
    pf_query_free(q);
    pf_buffer_free(&p.pattern);
    return st;
}

void pf_open_url(pf_buffer *b, const char *ui, const char *name, const pf_buffer *commands)
{
    size_t len = strlen(ui);
    while (len > 0 && ui[len - 1] == '/') {
        len--;
    }
    pf_buffer_put(b, ui, len);
    pf_buffer_format(b, "/#!/?url=http://127.0.0.1:%d/%s&referrer=open_trace_in_ui", PF_SERVE_PORT, name);
    if (commands->len > 0) {
        pf_buffer_text(b, "&startupCommands=");
        for (size_t i = 0; i < commands->len; i++) {
            unsigned char c = (unsigned char)commands->data[i];
            if (is_plain((char)c)) {
                pf_buffer_put(b, &commands->data[i], 1);
            } else {
                pf_buffer_format(b, "%%%02X", c);
            }
        }
    }
}
