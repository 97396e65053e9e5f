/* cli/common/redaction.h - the options --redact, --redact-key and --keep, of commands that write parts of a trace. */
#pragma once

#include "cli/common/command.h"
#include "postfetto/edit.h"

typedef struct pf_cli_redact_settings { /* a member of the command's settings */
    uint64_t what;
    const char *key;
    pf_option_value keep; /* its list */
} pf_cli_redact_settings;

/* Their rows in the table of options; member: of the settings. */
#define PF_CLI_REDACT_OPTIONS(settings, member)                                                                        \
    {"redact",                                                                                                         \
     0,                                                                                                                \
     PF_OPTION_SET,                                                                                                    \
     offsetof(settings, member.what),                                                                                  \
     NULL,                                                                                                             \
     "names|args|paths",                                                                                               \
     "all strings stay",                                                                                               \
     "replace strings by hashes: names of events, tracks, processes and threads; values of arguments; paths of "       \
     "files"},                                                                                                         \
        {"redact-key",                                                                                                 \
         0,                                                                                                            \
         PF_OPTION_PATH,                                                                                               \
         offsetof(settings, member.key),                                                                               \
         "FILE",                                                                                                       \
         NULL,                                                                                                         \
         "a random key, whose hashes fit no other run",                                                                \
         "with the same key the same string has the same hash; 16 bytes at least, kept to yourself"},                  \
    {                                                                                                                  \
        "keep", 0, PF_OPTION_TEXT, offsetof(settings, member.keep), "PATTERN", NULL, NULL,                             \
            "strings that --redact leaves as they are, with * ? [a-z], as in 'aten::*'", NULL, NULL, NULL,             \
            PF_OPTION_REPEATABLE                                                                                       \
    }

/* What they ask for, to be freed. */
typedef struct pf_cli_redaction {
    pf_redact_options options;
    const pf_redact_options *asked; /* &options, or NULL without --redact */
    uint8_t key[4096];
    const char **keep;
} pf_cli_redaction;

/* Reads the key. Refuses --redact-key and --keep without --redact. */
pf_status pf_cli_redact(pf_cli_run *run, const pf_cli_redact_settings *set, pf_cli_redaction *r);
void pf_cli_redaction_free(pf_cli_redaction *r);

/* What is to be said of a cut, or of a split as the sum of its cuts: damage of the input, which the run gets, what was
 * redacted, and with --json a document. window: its name, or NULL; parts: 0 of a cut. */
pf_status pf_cli_put_cut(pf_cli_run *run, const pf_cut_result *r, const pf_cli_redaction *redaction, const char *window,
                         uint32_t parts);
