#include "aie_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared.h"

void json_raw(pf_buffer *b, const char *event)
{
    pf_buffer_text(b, b->len ? ",\n" : "[");
    pf_buffer_text(b, event);
}

void json_name(pf_buffer *b, const char *pid, const char *process_name)
{
    pf_buffer_text(b, b->len ? ",\n" : "[");
    pf_buffer_format(b, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%s,\"args\":{\"name\":\"%s\"}}", pid,
                     process_name);
}

void json_event(pf_buffer *b, const char *pid, const char *name, char phase, long long ts)
{
    pf_buffer_text(b, b->len ? ",\n" : "[");
    pf_buffer_format(b, "{\"name\":\"%s\",\"ph\":\"%c\",\"ts\":%lld,\"pid\":%s,\"tid\":0,\"args\":{}}", name, phase, ts,
                     pid);
}

void json_kernel(pf_buffer *b, const char *pid, long long start, long long end)
{
    json_event(b, pid, "INSTR_EVENT_0", 'B', start);
    json_event(b, pid, "INSTR_EVENT_1", 'E', end);
}

void json_interval(pf_buffer *b, const char *pid, const char *name, long long start, long long end)
{
    json_event(b, pid, name, 'B', start);
    json_event(b, pid, name, 'E', end);
}

static void set_options(const pf_pass *p, const char *text, pf_option_value *values, char *room)
{
    pf_error err;
    strcpy(room, text);
    for (char *save, *word = strtok_r(room, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        if (value) {
            *value++ = '\0';
        }
        size_t i = 0;
        while (i < p->option_count && strcmp(p->options[i].name, word) != 0) {
            i++;
        }
        cr_assert_lt(i, p->option_count, "no option %s", word);
        cr_assert_eq(pf_pass_parse(p, i, value, values, &err), PF_OK, "%s", err.text);
    }
}

aie_run run_file(const char *path, const aie_setup *setup)
{
    aie_run r = {.status = PF_OK};
    const pf_pass *p = pf_pass_find("aie");
    pf_read_options ro = pf_read_options_default();
    ro.want = setup->everything ? PF_WANT_TABLES : p->roles[0].want;
    ro.dialect = p->roles[0].dialects[0];
    pf_status st = pf_read(&path, 1, &ro, &r.trace, &r.error);
    cr_assert_eq(st, PF_OK, "%s: %s", path, r.error.text);

    pf_option_value values[32];
    char defaults[100], given[1000];
    cr_assert_leq(p->option_count, 32);
    pf_pass_defaults(p, values);
    set_options(p, "M=64 K=64 N=64 row=1 col=1 warmup=1 iterations=2", values, defaults);
    set_options(p, setup->options ? setup->options : "", values, given);
    cr_assert_eq(pf_pass_complete(p, values, &r.error), PF_OK);
    pf_pass_context ctx = {
        .trace = r.trace,
        .values = values,
        .input_path = setup->input_path ? setup->input_path : "out/t.json",
        .report_dir = setup->no_reports   ? NULL
                      : setup->report_dir ? setup->report_dir
                                          : "out",
        .skip_overlay = setup->skip_overlay,
    };
    r.findings = pf_findings_new(setup->limits);
    cr_assert_not_null(r.findings);
    r.status = pf_pass_run(p, &ctx, r.findings, &r.error);
    return r;
}

aie_run run_json(pf_buffer *events, const aie_setup *setup)
{
    char path[] = "/tmp/postfetto-aie-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    pf_buffer_text(events, events->len ? "]" : "[]");
    cr_assert_not(events->failed);
    cr_assert_eq(write(fd, events->data, events->len), (ssize_t)events->len);
    close(fd);
    pf_buffer_free(events);
    aie_run r = run_file(path, setup);
    unlink(path);
    return r;
}

void end_run(aie_run *r)
{
    pf_findings_free(r->findings);
    pf_trace_free(r->trace);
}

const pf_node *report_named(const aie_run *r, const char *file)
{
    for (size_t i = pf_findings_report_count(r->findings); i-- > 0;) {
        const pf_report *report = pf_findings_report(r->findings, i);
        if (report->file.len == strlen(file) && memcmp(report->file.ptr, file, report->file.len) == 0) {
            return report->root;
        }
    }
    return NULL;
}

const pf_node *node_at(const pf_node *root, const char *path)
{
    char room[200];
    cr_assert_lt(strlen(path), sizeof room);
    strcpy(room, path);
    const pf_node *n = root;
    for (char *save, *word = strtok_r(room, "/", &save); word && n; word = strtok_r(NULL, "/", &save)) {
        if (n->type == PF_NODE_LIST) {
            long at = strtol(word, NULL, 10);
            for (n = n->first; n && at > 0; at--) {
                n = n->next;
            }
        } else {
            n = pf_node_get(n, word);
        }
    }
    cr_assert_not_null(n, "nothing at %s", path);
    return n;
}

int64_t int_at(const pf_node *root, const char *path)
{
    const pf_node *n = node_at(root, path);
    cr_assert_eq(n->type, PF_NODE_INT, "%s is not an integer", path);
    return n->as.i;
}

double real_at(const pf_node *root, const char *path)
{
    const pf_node *n = node_at(root, path);
    cr_assert_eq(n->type, PF_NODE_REAL, "%s is no double", path);
    return n->as.d;
}

bool null_at(const pf_node *root, const char *path)
{
    return node_at(root, path)->type == PF_NODE_NULL;
}

bool is_text(const pf_node *root, const char *path, const char *expected)
{
    const pf_node *n = node_at(root, path);
    return (n->type == PF_NODE_TEXT || n->type == PF_NODE_RAW) && n->as.s.len == strlen(expected) &&
           memcmp(n->as.s.ptr, expected, n->as.s.len) == 0;
}

bool has_key(const pf_node *root, const char *key)
{
    return pf_node_get(root, key) != NULL;
}

uint32_t track_named(const aie_run *r, const char *name)
{
    for (uint32_t i = 0; i < pf_overlay_track_count(r->findings); i++) {
        pf_str s = pf_overlay_track_at(r->findings, i)->name;
        if (s.len == strlen(name) && memcmp(s.ptr, name, s.len) == 0) {
            return i;
        }
    }
    return PF_NONE;
}

size_t events_on(const aie_run *r, uint32_t track)
{
    size_t n = 0;
    for (size_t i = 0; i < pf_overlay_event_count(r->findings); i++) {
        pf_overlay_event e;
        n += pf_overlay_event_at(r->findings, i, &e) && e.track == track;
    }
    return n;
}

/* The events looked at lately stay what they are. */
const pf_overlay_event *event_on(const aie_run *r, uint32_t track, size_t i)
{
    enum { LATELY = 64 };
    static pf_overlay_event looked_at[LATELY];
    static unsigned next;
    pf_overlay_event *e = &looked_at[next++ % LATELY];
    for (size_t k = 0; k < pf_overlay_event_count(r->findings); k++) {
        if (pf_overlay_event_at(r->findings, k, e) && e->track == track && i-- == 0) {
            return e;
        }
    }
    cr_assert_fail("no such event on track %u", track);
    return NULL;
}

const pf_value *arg_of(const aie_run *r, const pf_overlay_event *e, const char *key)
{
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const pf_overlay_arg *a = pf_overlay_arg_at(r->findings, e->first_arg + i);
        if (a->key.len == strlen(key) && memcmp(a->key.ptr, key, a->key.len) == 0) {
            return &a->value;
        }
    }
    return NULL;
}

const char *line_shown(const aie_run *r, size_t n)
{
    for (size_t i = 0; i < pf_findings_shown_count(r->findings); i++) {
        pf_shown s = pf_findings_shown(r->findings, i);
        if (!s.table && n-- == 0) {
            return s.line.ptr;
        }
    }
    return "";
}

const char *aie_corpus(void)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/corpus/aie", shared_folder());
    return access(path, R_OK) == 0 ? path : NULL;
}
