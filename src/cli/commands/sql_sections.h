/* cli/commands/sql_sections.h - the sections of an SQL text: from a line `-- @name X` to the next one. */
#ifndef PF_CLI_COMMANDS_SQL_SECTIONS_H
#define PF_CLI_COMMANDS_SQL_SECTIONS_H

#include "postfetto/base.h"

/* The name in a line `-- @name X`, {NULL, 0} if it is another line. */
pf_str pf_cli_section_name(pf_str line);

/* The next part of the text from *at on: its SQL and the name of its section ({NULL, 0} for the prelude). */
bool pf_cli_next_section(pf_str text, size_t *at, pf_str *name, pf_str *sql);

bool pf_cli_has_sections(pf_str text);

#endif
