/* cli/commands/info/info_packets.h - what `info` shows of binary traces only: clocks, sequences, packets by kind. */
#ifndef PF_CLI_COMMANDS_INFO_INFO_PACKETS_H
#define PF_CLI_COMMANDS_INFO_INFO_PACKETS_H

#include "base/buffer.h"
#include "postfetto/findings.h"
#include "postfetto/trace.h"

/* Lines of text after labels of `width` columns; nothing for traces that have none of it. */
void pf_cli_put_clocks(pf_buffer *b, const pf_trace *t, int width);
void pf_cli_put_sequences(pf_buffer *b, const pf_trace *t, int width);

/* A table, most bytes first; false if memory was refused. */
bool pf_cli_put_packets(pf_buffer *b, pf_findings *f, const pf_trace *t);

/* "trace_clock", "clocks", "sequences" and "packets" of the document. */
void pf_cli_add_packets(pf_findings *f, pf_node *root, const pf_trace *t);

#endif
