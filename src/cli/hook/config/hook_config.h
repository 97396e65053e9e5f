/* cli/hook/config/hook_config.h - what a hook shall do: defaults, then a configuration file, then flags.
 *
 * Every key of the file is also a flag and goes through the same setter, so that file and flags cannot differ in what
 * they take. A list in the file adds to the list; the first flag of a kind replaces what the file said.
 */
#pragma once

#include "cli/hook/children/child.h"
#include "postfetto/author/pass.h"

/* A pass with its options. */
typedef struct pf_hook_pass {
    const pf_pass *pass;
    pf_hook_words options; /* as `analyze NAME` takes them */
    pf_hook_words match;   /* globs: only traces of such names; empty: any */
} pf_hook_pass;

typedef struct pf_hook_passes {
    pf_hook_pass *at;
    size_t count, room;
} pf_hook_passes;

typedef struct pf_hook_config {
    pf_hook_passes passes; /* empty: every pass that fits and whose required options are known */
    pf_hook_words fail_if; /* expressions over the trace and the report tables of its passes */
    pf_hook_words match;   /* globs of file names; empty: any */
    char *out;             /* folder for what is written; NULL: the folder of the trace */
    char *in;              /* hook run: the folder that is searched; NULL: the working directory */
    char *junit;           /* file for JUnit XML; NULL: none */
    char *annotations;     /* "github" or NULL */
    char *keep;            /* "slowest-step", or NULL: the whole trace */
    uint64_t max_memory;   /* bytes; 0: the default */
    int64_t nice;          /* 0 to 19 */
    int64_t workers;       /* hook watch: traces at once */
    double timeout;        /* seconds for one trace; 0: none */
    double settle;         /* seconds without a change after which a file counts as written */
    bool strict, enriched, html, pictures, archive, once;
    char *file; /* the configuration file that was read; NULL: none */
} pf_hook_config;

/* The keys of the file, which are the options of the command: offset is that of the member of pf_hook_config. A key of
 * the file may have underscores for dashes. */
#define PF_HOOK_KEYS 19u
extern const pf_option pf_hook_keys[PF_HOOK_KEYS];
const pf_option *pf_hook_key_named(const char *name);

/* Fills the defaults; free with pf_hook_config_free. */
void pf_hook_config_init(pf_hook_config *c);
void pf_hook_config_free(pf_hook_config *c);

/* Sets one key from the value of its option; `first`: a list is begun anew with it. */
pf_status pf_hook_config_set(pf_hook_config *c, const pf_option *key, const pf_option_value *v, bool first,
                             pf_error *err);

/* The same from text, as a file has it: PF_ERR_USAGE says what the key takes. */
pf_status pf_hook_config_set_text(pf_hook_config *c, const pf_option *key, const char *text, pf_error *err);

/* Adds a pass by its words: its name, its options, and `--match GLOB`, which is ours. */
pf_status pf_hook_config_add_pass(pf_hook_config *c, const pf_hook_words *words, pf_error *err);

/* Reads a file. PF_ERR_USAGE with "line N" in the text for what cannot be understood, PF_ERR_INPUT if it cannot be
 * read. */
pf_status pf_hook_config_load(pf_hook_config *c, const char *path, pf_error *err);

/* The file that counts without --config: POSTFETTO_CONFIG, else postfetto.yaml in `folder` or the nearest folder above
 * it that has one. A file that was found, not named, counts only if it belongs to the user or root and nobody else can
 * write it: `ignored` then says which was passed over and why. malloc'd, NULL: none. */
char *pf_hook_config_find(const char *folder, pf_buffer *ignored);

/* The configuration as a file that gives the same again. */
void pf_hook_config_print(const pf_hook_config *c, pf_buffer *b);

/* Whether a file name matches one of the globs (or there are none). */
bool pf_hook_matches(const pf_hook_words *globs, const char *path);

/* ---- which step of a hook judges which threshold ----------------------------------------------------------------- */

/* PF_ERR_USAGE for a threshold that neither the trace nor any pass (of those configured; all, where none is) can
 * answer, for --junit and --annotations without thresholds, and for --archive with --keep. */
pf_status pf_hook_thresholds_check(const pf_hook_config *c, pf_error *err);

/* The index in `passes` of the first pass with running[i] that can answer `text`; `count` if the trace alone can; -1,
 * with what is missing in err, if nothing can. */
int64_t pf_hook_threshold_judge(const char *text, const pf_hook_passes *passes, const bool *running, pf_error *err);
