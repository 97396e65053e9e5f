/* Columns of a terminal, of COLUMNS, and without either. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/terminal/terminal.h"

Test(screen, of_what_is_no_terminal)
{
    static const struct {
        const char *said;
        size_t columns;
    } rows[] = {{"100", 100},
                {"40", 40},
                {"39", 40},
                {"1", 40},
                {"10000", 10000},
                {"10001", 100},
                {"abc", 100},
                {"", 100},
                {"100x", 100},
                {"-5", 40},
                {"0", 40},
                {NULL, 100},
                {"99999999999999999999", 100}};
    int fd = open("/dev/null", O_WRONLY);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].said) {
            setenv("COLUMNS", rows[i].said, 1);
        } else {
            unsetenv("COLUMNS");
        }
        cr_expect_eq(pf_cli_columns(fd), rows[i].columns, "COLUMNS=%s: %zu", rows[i].said ? rows[i].said : "(none)",
                     pf_cli_columns(fd));
    }
    close(fd);
}

Test(screen, of_a_terminal)
{
    static const struct {
        unsigned short columns;
        size_t expected;
    } rows[] = {{120, 120}, {41, 41}, {40, 40}, {39, 40}, {20000, 20000}, {0, 77}};
    int fd = posix_openpt(O_RDWR | O_NOCTTY);
    cr_assert(fd >= 0 && grantpt(fd) == 0 && unlockpt(fd) == 0);
    setenv("COLUMNS", "77", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct winsize size = {.ws_col = rows[i].columns, .ws_row = 5};
        cr_assert_eq(ioctl(fd, TIOCSWINSZ, &size), 0);
        cr_expect_eq(pf_cli_columns(fd), rows[i].expected, "%u: %zu", rows[i].columns, pf_cli_columns(fd));
    }
    close(fd);
}
