/* cli/query/completion.h - what a word of an SQL text may become. */
#pragma once

#include "base/buffer.h"
#include "postfetto/query.h"

/* The words of pf_cli_completer: after "TABLE." its columns, at the start of a line after "." the commands of the
 * prompt, else tables, columns, functions and keywords of SQL; in capitals or not as the word begins. ctx is the
 * session. */
size_t pf_cli_complete_sql(void *ctx, pf_str text, pf_buffer *out);
