/* cli/terminal/screen.h - how wide the output may be. */
#ifndef PF_CLI_TERMINAL_SCREEN_H
#define PF_CLI_TERMINAL_SCREEN_H

#include <stddef.h>

#define PF_CLI_PAGE_COLUMNS 80 /* of files and pipes */

/* Columns of the terminal that `fd` writes to; of anything else what COLUMNS says, or 80. Never below 40. */
size_t pf_cli_columns(int fd);

#endif
