/* cli/options/suggest.h - "did you mean": the known word nearest to a mistyped one. */
#ifndef PF_CLI_OPTIONS_SUGGEST_H
#define PF_CLI_OPTIONS_SUGGEST_H

#include <stddef.h>

/* A running search: offer every candidate, then read `best` (NULL if none is near enough to be meant). */
typedef struct pf_cli_suggest {
    const char *typed;
    const char *best;
    size_t distance;
} pf_cli_suggest;

pf_cli_suggest pf_cli_suggest_start(const char *typed);
void pf_cli_suggest_offer(pf_cli_suggest *s, const char *candidate);

/* Edits (insert, delete, replace, swap of neighbours) that turn a into b; words over 63 bytes count as far away. */
size_t pf_cli_edit_distance(const char *a, const char *b);

#endif
