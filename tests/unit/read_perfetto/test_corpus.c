/* Traces of Perfetto's own tests, if the shared corpus is there: none may fail to read, and the slices
 * and counters of some are compared with what Perfetto's engine made of them (expect/, or expect-v58/ where it
 * differs).
 */
#include "support.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared.h"

static bool corpus_is_there(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/corpus/perfetto/manifest.json", shared_folder());
    FILE *f = fopen(path, "rb");
    if (f) {
        fclose(f);
    }
    return f != NULL;
}

/* The text of a file, NULL if there is none; released with free(). */
static char *read_text(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        return NULL;
    }
    cr_assert_eq(fseek(f, 0, SEEK_END), 0);
    *len = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*len + 1);
    cr_assert_not_null(text);
    cr_assert_eq(fread(text, 1, *len, f), *len);
    text[*len] = 0;
    fclose(f);
    return text;
}

/* ---- our rows in the corpus' CSV form ---------------------------------------------------------------------------- */

static void cell(pf_buffer *out, const pf_trace *t, uint32_t id)
{
    pf_str s = pf_trace_string(t, id);
    pf_buffer_text(out, ",");
    if (s.ptr) {
        pf_buffer_text(out, "\"");
        for (size_t i = 0; i < s.len; i++) {
            pf_buffer_put(out, &s.ptr[i], 1);
            if (s.ptr[i] == '"') {
                pf_buffer_text(out, "\"");
            }
        }
        pf_buffer_text(out, "\"");
    }
}

/* pid, tid, process name, thread name */
static void owner_cells(pf_buffer *out, const pf_trace *t, uint32_t track)
{
    const pf_processes *p = pf_trace_processes(t);
    const pf_threads *h = pf_trace_threads(t);
    uint32_t utid = pf_trace_tracks(t)->utid[track];
    uint32_t upid = utid == PF_NONE ? pf_trace_tracks(t)->upid[track] : h->upid[utid];
    pf_buffer_text(out, ",");
    if (upid != PF_NONE) {
        pf_buffer_format(out, "%lld", (long long)p->pid[upid]);
    }
    pf_buffer_text(out, ",");
    if (utid != PF_NONE) {
        pf_buffer_format(out, "%lld", (long long)h->tid[utid]);
    }
    cell(out, t, upid == PF_NONE ? 0 : p->name[upid]);
    cell(out, t, utid == PF_NONE ? 0 : h->name[utid]);
}

static void slice_rows(pf_buffer *out, const pf_trace *t)
{
    const pf_slices *s = pf_trace_slices(t);
    const pf_tracks *k = pf_trace_tracks(t);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t parent = s->parent[i];
        pf_buffer_format(out, "%lld,%lld,%u", (long long)pf_slice_ts(s, i), (long long)s->dur[i], s->depth[i]);
        cell(out, t, pf_slice_name(s, i));
        cell(out, t, pf_slice_category(s, i));
        cell(out, t, k->name[s->track[i]]);
        pf_buffer_format(out, ",\"%s\"", pf_track_type_name(k->type[s->track[i]]));
        owner_cells(out, t, s->track[i]);
        cell(out, t, parent == PF_NONE ? 0 : pf_slice_name(s, parent));
        pf_buffer_text(out, ",");
        if (parent != PF_NONE) {
            pf_buffer_format(out, "%lld", (long long)pf_slice_ts(s, parent));
        }
        pf_buffer_text(out, "\n");
    }
}

static void counter_rows(pf_buffer *out, const pf_trace *t)
{
    const pf_counters *c = pf_trace_counters(t);
    const pf_tracks *k = pf_trace_tracks(t);
    for (uint32_t i = 0; i < c->count; i++) {
        pf_buffer_format(out, "%lld,%.1f", (long long)c->ts[i], c->value[i]);
        cell(out, t, k->name[c->track[i]]);
        pf_buffer_format(out, ",\"%s\"", pf_track_type_name(k->type[c->track[i]]));
        cell(out, t, k->unit[c->track[i]]);
        owner_cells(out, t, c->track[i]);
        pf_buffer_text(out, "\n");
    }
}

/* ---- comparing ----------------------------------------------------------------------------------------------------
 */

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines of a text in place; returns them as one text again, which the caller frees. */
static char *sort_lines(char *text)
{
    size_t count = 0, room = strlen(text) + 1;
    char **lines = calloc(room, sizeof *lines), *out = calloc(1, room + 1), *rest = NULL;
    cr_assert(lines && out);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        lines[count++] = line;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < count; i++) {
        strcat(strcat(out, lines[i]), "\n");
    }
    free(lines);
    return out;
}

static void expect_rows(const char *case_name, const char *section, const pf_trace *t)
{
    char path[1024];
    size_t len;
    pf_buffer rows = {0};
    snprintf(path, sizeof path, "%s/corpus/perfetto/%s/expect-v58/%s.csv", shared_folder(), case_name, section);
    char *want = read_text(path, &len);
    if (!want) {
        snprintf(path, sizeof path, "%s/corpus/perfetto/%s/expect/%s.csv", shared_folder(), case_name, section);
        want = read_text(path, &len);
    }
    cr_assert(want, "%s", path);
    char *body = strchr(want, '\n');
    cr_assert_not_null(body);
    (strcmp(section, "slices") == 0 ? slice_rows : counter_rows)(&rows, t);
    pf_buffer_put(&rows, "", 1);
    cr_assert_not(rows.failed);
    char *expected = sort_lines(body + 1), *got = sort_lines(rows.data);
    cr_expect_str_eq(got, expected, "%s %s: got\n%s\nexpected\n%s", case_name, section, got, expected);
    free(expected);
    free(got);
    free(want);
    pf_buffer_free(&rows);
}

static const struct {
    const char *name, *section;
} cases[] = {
    {"elsewhere/relationship_tables", "slices"},
    {"elsewhere/dynamic_tables_descendant_slice_adjacent_stacks", "slices"},
    {"elsewhere/dynamic_tables_descendant_slice_boundary_instant", "slices"},
    {"elsewhere/synth_simple_slices", "slices"},
    {"elsewhere/viz_all_tracks_ordered_all_ordering", "slices"},
    {"track_event/experimental_slice_layout_depth", "slices"},
    {"track_event/flow_events_track_event", "slices"},
    {"track_event/incremental_counter_sequences", "counters"},
    {"track_event/track_event_counters", "slices"},
    {"track_event/track_event_name_resolution", "slices"},
    {"track_event/track_event_name_resolution_extended", "slices"},
    {"track_event/track_event_track_event_absolute_timestamp_us_overflow", "slices"},
    {"track_event/track_event_track_event_delta_timestamp_addition_overflow", "slices"},
    {"track_event/track_event_track_event_instant_slices", "slices"},
    {"track_event/track_event_track_event_same_tids_slices", "slices"},
    {"track_event/track_event_tracks_ordering", "slices"},
};

Test(corpus, rows_as_in_the_engine)
{
    if (!corpus_is_there()) {
        SKIP_WITHOUT_CORPUS();
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[1024];
        size_t len;
        snprintf(path, sizeof path, "%s/corpus/perfetto/%s/trace.pftrace", shared_folder(), cases[i].name);
        char *data = read_text(path, &len);
        cr_assert(data, "%s", path);
        pf_trace *t = load_bytes(data, len, NULL, 0, NULL);
        expect_rows(cases[i].name, cases[i].section, t);
        pf_trace_free(t);
        free(data);
    }
}

/* Also those with packets that we do not decode, whole and cut, in windows of any size. */
Test(corpus, every_trace_can_be_read)
{
    glob_t found;
    char pattern[1024];
    if (!corpus_is_there()) {
        SKIP_WITHOUT_CORPUS();
    }
    snprintf(pattern, sizeof pattern, "%s/corpus/perfetto/*/*/trace.pftrace", shared_folder());
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
    cr_assert_gt(found.gl_pathc, 100);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t len;
        char *data = read_text(found.gl_pathv[i], &len);
        cr_assert_not_null(data);
        if (len > 0 && data[0] == '\n') {
            pf_trace_free(load_bytes(data, len, NULL, 0, NULL));
            pf_trace_free(load_bytes(data, len, NULL, 1000, NULL));
            pf_trace_free(load_bytes(data, len - len / 3, NULL, 0, NULL));
        }
        free(data);
    }
    globfree(&found);
}
