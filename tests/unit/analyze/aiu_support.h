/* Stages of analyze aiu one by one, on events made by hand (analyze/aiu/facts/aiu_facts.h). */
#ifndef TEST_AIU_SUPPORT_H
#define TEST_AIU_SUPPORT_H

#include <criterion/criterion.h>

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "analyze/aiu/cores/aiu_tables.h"
#include "analyze/aiu/facts/aiu_facts.h"
#include "analyze/aiu/ranks/aiu_ranks.h"

/* A run without a trace: its counters run at 1 MHz, so that a cycle is a microsecond, its cores at 2 MHz. */
typedef struct aiu_facts_run {
    aiu_run run;
    pf_pass_context ctx;
    pf_arena arena;
    pf_findings *f;
    pf_option_value values[64];
    bool on[ACELYZER_STAGES];
    pf_pass_file log;
    pf_pass_files roles[3];
    pf_error err;
} aiu_facts_run;

/* `options` are pairs of name and value, NULL at the end; may be NULL. */
void facts_open(aiu_facts_run *f, const char *const *options);
void facts_close(aiu_facts_run *f);

/* A slice of the host; of a device with its five counters. Returns the event. */
uint32_t add_host(aiu_facts_run *f, const char *name, int64_t pid, int64_t tid, double ts, double dur);
uint32_t add_device(aiu_facts_run *f, const char *name, int64_t pid, double ts, double dur, const int64_t *tsx);

uint32_t text_of(aiu_facts_run *f, const char *text);

/* The event gets the row of one that was read from JSON, with further members: an object. The trace is the caller's. */
pf_trace *take_json(aiu_facts_run *f, uint32_t event, const char *members);

/* Runs a stage, which has to succeed. */
void run_stage(aiu_facts_run *f, aiu_step stage);

/* Whether a line of the log contains the text. */
bool logged(const aiu_facts_run *f, const char *text);

/* The whole log: lines "LEVEL text", each with its end. */
void expect_log(const aiu_facts_run *f, const char *expected);

/* Whether an event's time and length are these, to a picosecond. */
void expect_time(const aiu_facts_run *f, uint32_t event, double ts, double dur);

/* The samples of a series, as "TIME=VALUE TIME=VALUE". */
void expect_samples(const aiu_facts_run *f, aiu_series series, const char *expected);

#endif
