/* cli/terminal/screen.c - the width of a terminal is asked of the system each time: windows are resized. */
#include "cli/terminal/screen.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/text/number.h"

#define LEAST_COLUMNS 40
#define MOST_COLUMNS 10000

size_t pf_cli_columns(int fd)
{
    struct winsize size = {0};
    int64_t columns = 0;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0) {
        columns = size.ws_col;
    }
    const char *said = getenv("COLUMNS");
    if (columns == 0 && (!said || !pf_parse_int(said, strlen(said), &columns) || columns > MOST_COLUMNS)) {
        columns = PF_CLI_PAGE_COLUMNS;
    }
    return columns < LEAST_COLUMNS ? LEAST_COLUMNS : (size_t)columns;
}
