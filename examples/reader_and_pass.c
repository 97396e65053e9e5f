/* reader_and_pass.c - a format and an analysis of it that the library does not know.
 *
 *     cc reader_and_pass.c $(pkg-config --cflags --libs postfetto) -o reader_and_pass && ./reader_and_pass heart.beats
 *
 * The format: a line "beats", then a line for each beat, its time in nanoseconds. The analysis: the longest pause.
 */
#include <postfetto/postfetto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the reader -------------------------------------------------------------------------------------------------- */

static const pf_side_column columns[] = {
    {"ts", PF_COLUMN_INT, "ns", NULL, "when it beat", PF_COLUMN_SORTED},
};
static const pf_side_spec beats = {"beat", "one row for each beat", columns, 1};

static pf_probe probe(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    (void)path;
    return !is_directory && size > 6 && memcmp(head, "beats\n", 6) == 0 ? PF_PROBE_SURE : PF_PROBE_NO;
}

static pf_status read_beats(pf_reading *r, pf_error *err)
{
    pf_side_table *table;
    pf_bytes text;
    PF_TRY(pf_trace_add_table(pf_reading_trace(r), &beats, &table, err));
    PF_TRY(pf_reading_whole(r, &text, err));
    int64_t last = INT64_MIN;
    for (size_t at = 6; at < text.len;) {
        const uint8_t *end = memchr(text.ptr + at, '\n', text.len - at);
        char line[32] = "";
        size_t len = end ? (size_t)(end - text.ptr) - at : text.len - at;
        memcpy(line, text.ptr + at, len < sizeof line ? len : sizeof line - 1);
        int64_t ts = strtoll(line, NULL, 10);
        if (ts < last) {
            return pf_fail_at(err, PF_ERR_INPUT, at, "a beat is earlier than the one before it");
        }
        PF_TRY(pf_side_add_row(table, err));
        *pf_side_number(table, 0, table->count - 1) = last = ts;
        at += len + 1;
    }
    return PF_OK;
}

static const pf_reader reader = {
    .name = "beats", .summary = "times of heart beats", .probe = probe, .read = read_beats};

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static const pf_option options[] = {
    {.name = "longest", .type = PF_OPTION_DURATION, .help = "a longer pause is a failure", .fallback = "2s"},
};
static const pf_role roles[] = {{.name = "trace", .least = 1, .help = "the recorded beats"}};

static pf_status find_pause(const pf_pass_context *ctx, pf_findings *findings, pf_error *err)
{
    const pf_side_table *table = pf_trace_table(ctx->trace, "beat");
    int64_t longest = 0;
    if (!table) {
        return pf_fail(err, PF_ERR_INPUT, "no beats were recorded");
    }
    for (uint32_t i = 1; i < table->count; i++) {
        int64_t pause = *pf_side_number(table, 0, i) - *pf_side_number(table, 0, i - 1);
        longest = pause > longest ? pause : longest;
    }
    pf_node *summary = pf_node_root(findings, PF_NODE_OBJECT);
    pf_node_add_int(findings, summary, PF_STR("schema_version"), 1);
    pf_node_add_int(findings, summary, PF_STR("beats"), table->count);
    pf_node_add_int(findings, summary, PF_STR("longest_pause_ns"), longest);
    pf_findings_set_summary(findings, summary);
    pf_findings_show_line(findings, PF_NOTICE, "%u beats, longest pause %lld ns", table->count, (long long)longest);
    if (longest > ctx->values[0].i) {
        pf_findings_set_verdict(findings, "a pause of %lld ns", (long long)longest);
    }
    return PF_OK;
}

static const pf_pass pass = {.name = "beats",
                             .summary = "finds the longest pause between heart beats",
                             .options = options,
                             .option_count = 1,
                             .roles = roles,
                             .role_count = 1,
                             .run = find_pause};

/* ---- both together ----------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    const pf_reader *const readers[] = {&reader};
    const char *path = argc == 2 ? argv[1] : "";
    pf_error err = {PF_OK, 0, 0, "", "give the name of a file"};
    pf_trace *trace = NULL;
    pf_findings *findings = pf_findings_new(NULL);
    pf_option_value values[1];
    pf_read_options how = pf_read_options_default();
    how.readers = readers;
    how.reader_count = 1;
    pf_status st = argc == 2 && findings ? pf_read(&path, 1, &how, &trace, &err) : PF_ERR_USAGE;
    if (st == PF_OK) {
        pf_pass_defaults(&pass, values);
        const pf_pass_context ctx = {.trace = trace, .values = values, .input_path = path};
        st = pf_pass_run(&pass, &ctx, findings, &err);
    }
    for (size_t i = 0; st == PF_OK && i < pf_findings_shown_count(findings); i++) {
        pf_str line = pf_findings_shown(findings, i).line;
        printf("%.*s\n", (int)line.len, line.ptr);
    }
    const char *verdict = st == PF_OK ? pf_findings_verdict(findings) : NULL;
    if (st != PF_OK || verdict) {
        fprintf(stderr, "%s: %s\n", path, verdict ? verdict : err.text);
    }
    int code = st == PF_OK && !verdict ? 0 : 1;
    pf_findings_free(findings);
    pf_trace_free(trace);
    return code;
}
