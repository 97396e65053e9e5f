/* What the tests of the aie pass share: making small traces, running the pass, looking into what it found. */
#ifndef AIE_SUPPORT_H
#define AIE_SUPPORT_H

#include "base/buffer.h"
#include "postfetto/postfetto.h"

/* ---- small traces ------------------------------------------------------------------------------------------------ */

/* Chrome JSON events, one call each; json_end closes the array. */
void json_name(pf_buffer *b, const char *pid, const char *process_name);
void json_event(pf_buffer *b, const char *pid, const char *name, char phase, long long ts);
void json_raw(pf_buffer *b, const char *event);
/* An entry pulse at `start` and an exit pulse whose end is `end`. */
void json_kernel(pf_buffer *b, const char *pid, long long start, long long end);
/* A begin and an end of the named event. */
void json_interval(pf_buffer *b, const char *pid, const char *name, long long start, long long end);

/* ---- running ----------------------------------------------------------------------------------------------------- */

typedef struct aie_run {
    pf_trace *trace;
    pf_findings *findings;
    pf_status status;
    pf_error error;
} aie_run;

typedef struct aie_setup {
    const char *input_path; /* NULL: "out/t.json" */
    const char *report_dir; /* NULL: "out" */
    bool no_reports, skip_overlay;
    bool everything;     /* read all tables and arguments, not only what the pass needs */
    const char *options; /* "M=64 K=2 drop-empty": replaces or adds to M=K=N=64, row=col=1, warmup=1, iterations=2 */
    const pf_limits *limits; /* of the findings */
} aie_setup;

/* Reads a file and runs the pass; fails the test if it cannot be read. */
aie_run run_file(const char *path, const aie_setup *setup);
/* The same with the events gathered so far; closes and frees the buffer. */
aie_run run_json(pf_buffer *events, const aie_setup *setup);
void end_run(aie_run *r);

/* ---- looking ----------------------------------------------------------------------------------------------------- */

/* The root of the JSON report with that file name (the last one); NULL if there is none. */
const pf_node *report_named(const aie_run *r, const char *file);

/* A node by a path of keys and positions, "iterations/0/phase"; fails the test if it is not there. */
const pf_node *node_at(const pf_node *root, const char *path);
int64_t int_at(const pf_node *root, const char *path);
double real_at(const pf_node *root, const char *path);
bool null_at(const pf_node *root, const char *path);
/* Whether the node is that text (or that number token). */
bool is_text(const pf_node *root, const char *path, const char *expected);

/* A child of the node, by its key. */
bool has_key(const pf_node *root, const char *key);

/* The overlay track of that name, PF_NONE if there is none, and its events. */
uint32_t track_named(const aie_run *r, const char *name);
size_t events_on(const aie_run *r, uint32_t track);
const pf_overlay_event *event_on(const aie_run *r, uint32_t track, size_t i);
const pf_value *arg_of(const aie_run *r, const pf_overlay_event *e, const char *key); /* NULL if there is none */

/* The n-th line shown (tables left out); "" after the last. */
const char *line_shown(const aie_run *r, size_t n);

/* The folder of the corpus next to the repository; NULL if it is not there. */
const char *aie_corpus(void);

#endif
