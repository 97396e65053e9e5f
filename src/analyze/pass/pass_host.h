/* analyze/pass/pass_host.h - the files of a pass's roles: which there are, and what they become. */
#pragma once

#include "base/arena.h"
#include "base/text/number.h"
#include "postfetto/author/pass.h"

typedef struct pf_pass_host {
    /* Set by the caller. */
    const pf_pass *pass;
    const pf_limits *limits;
    pf_trace **trace;   /* the first trace of the first role, the caller's; it is taken as it is if it is there */
    uint32_t more_want; /* tables of it that writing and thresholds need */
    bool kept;          /* they need it after the pass is done with it */
    void *ctx;
    pf_status (*read)(void *ctx, const char *const *paths, size_t count, uint32_t want, const pf_role *role,
                      pf_trace **out, pf_error *err);
    void (*drop)(void *ctx, pf_trace *t); /* frees it */

    pf_pass_inputs *paths;
    pf_budget budget; /* of the arena, where patterns became names */
    pf_arena arena;
    pf_pass_files *files; /* by role */
} pf_pass_host;

/* Finds out which files the roles have, from options and operands. */
pf_status pf_pass_host_find(pf_pass_host *h, const pf_option_value *values, const char *const *operands, size_t count,
                            pf_error *err);

/* Reads them, but for those that the pass asks for itself. */
pf_status pf_pass_host_read(pf_pass_host *h, pf_error *err);

/* The first file of the first role; "" if there is none. */
const char *pf_pass_host_main(const pf_pass_host *h);

/* As pf_pass_open and pf_pass_close. */
pf_status pf_pass_host_open(pf_pass_host *h, size_t role, size_t i, uint32_t more, pf_pass_file *out, pf_error *err);
void pf_pass_host_close(pf_pass_host *h, size_t role, size_t i);

/* Frees all but the main trace. */
void pf_pass_host_free(pf_pass_host *h);

/* pass_run.c: one value of an option as text, "" where there is none; a number is written into `room`. */
pf_str pf_pass_value_text(const pf_option *o, const pf_option_value *v, char room[PF_NUMBER_MAX]);
