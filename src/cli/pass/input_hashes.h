/* cli/pass/input_hashes.h - fingerprints of the inputs of a trace, made by a thread while the main one works. */
#ifndef PF_CLI_PASS_INPUT_HASHES_H
#define PF_CLI_PASS_INPUT_HASHES_H

#include "postfetto/trace.h"

typedef struct pf_cli_hashes pf_cli_hashes;

/* Starts; NULL if there is no memory. Without `threaded` the work is done where the hashes are asked for. */
pf_cli_hashes *pf_cli_hashes_start(const pf_trace *t, bool threaded);

/* The hash of an input, as pf_input_hash spells it. */
const char *pf_cli_hashes_at(pf_cli_hashes *h, size_t input);

void pf_cli_hashes_free(pf_cli_hashes *h); /* waits; NULL is legal */

#endif
