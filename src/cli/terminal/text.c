/* cli/terminal/text.c - names from a trace are untrusted: what goes to a terminal is cleaned character by character,
 * what goes into JSON is escaped. */
#include "cli/terminal/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"
#include "base/text/number.h"
#include "base/text/utf8.h"

#define LEAST_COLUMNS 40
#define MOST_COLUMNS 10000

/* The length of the character at p (1 to 4) and its number; *code = -1 and 1 if there is no character. */
static size_t step(const char *p, size_t len, int32_t *code)
{
    size_t n = 0;
    uint32_t c = pf_utf8_next((pf_str){p, len}, &n);
    *code = c == PF_REPLACEMENT && n == 1 ? -1 : (int32_t)c;
    return n;
}

static bool printable(int32_t code)
{
    return code >= 0x20 && !(code >= 0x7f && code < 0xa0) && !(code >= 0xd800 && code < 0xe000);
}

void pf_cli_put_clean(pf_buffer *b, const char *text, size_t len, bool lines)
{
    for (size_t at = 0; at < len;) {
        int32_t code;
        size_t n = step(text + at, len - at, &code);
        if (printable(code) || (code == '\n' && lines)) {
            pf_buffer_put(b, text + at, n);
        } else {
            pf_buffer_put(b, "?", 1);
        }
        at += n;
    }
}

static size_t characters(pf_str text)
{
    size_t count = 0;
    int32_t code;
    for (size_t at = 0; at < text.len; count++) {
        at += step(text.ptr + at, text.len - at, &code);
    }
    return count;
}

size_t pf_cli_put_fitted(pf_buffer *b, pf_str text, size_t width)
{
    size_t all = characters(text);
    if (all <= width) {
        pf_cli_put_clean(b, text.ptr, text.len, false);
        return all;
    }
    size_t tail = (width - 3) / 2, head = width - 3 - tail, at = 0;
    int32_t code;
    for (size_t i = 0; i < head; i++) {
        at += step(text.ptr + at, text.len - at, &code);
    }
    pf_cli_put_clean(b, text.ptr, at, false);
    pf_buffer_text(b, "...");
    for (size_t i = head; i < all - tail; i++) {
        at += step(text.ptr + at, text.len - at, &code);
    }
    pf_cli_put_clean(b, text.ptr + at, text.len - at, false);
    return width;
}

void pf_cli_put_bytes(pf_buffer *b, uint64_t bytes)
{
    static const char *const unit[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1000) {
        pf_buffer_format(b, "%" PRIu64 " %s", bytes, bytes == 1 ? "byte" : "bytes");
        return;
    }
    double v = (double)bytes / 1000;
    size_t u = 0;
    while (v >= 999.95 && u + 1 < sizeof unit / sizeof *unit) {
        v /= 1000;
        u++;
    }
    pf_buffer_format(b, "%.1f %s (%" PRIu64 " bytes)", v, unit[u], bytes);
}

void pf_cli_put_size(pf_buffer *b, uint64_t size)
{
    static const char unit[] = {'K', 'M', 'G'};
    size_t u = 0;
    while (size && size % 1024 == 0 && u < sizeof unit) {
        size /= 1024;
        u++;
    }
    pf_buffer_format(b, "%" PRIu64, size);
    if (u) {
        pf_buffer_put(b, &unit[u - 1], 1);
    }
}

void pf_cli_put_span(pf_buffer *b, int64_t span, pf_time_unit unit)
{
    static const struct {
        double size;
        const char *name;
    } UNITS[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    for (size_t i = 0; unit != PF_UNIT_CYCLE && i < sizeof UNITS / sizeof *UNITS; i++) {
        double v = (double)span / UNITS[i].size;
        if (v >= 1 || v <= -1) {
            pf_buffer_format(b, "%.3f %s", v, UNITS[i].name);
            return;
        }
    }
    pf_buffer_format(b, "%" PRId64 " %s", span, unit == PF_UNIT_CYCLE ? "cycles" : "ns");
}

void pf_cli_put_number(pf_buffer *b, const pf_query_cell *cell)
{
    char text[PF_NUMBER_MAX];
    if (cell->type == PF_VALUE_INT) {
        pf_buffer_int(b, cell->as.i);
    } else {
        pf_buffer_put(b, text, pf_format_real(cell->as.d, text));
    }
}

/* The length of the next word: a number keeps the word after it, which may be its unit. */
static size_t next_word(const char *text)
{
    size_t len = strcspn(text, " ");
    bool number = len && pf_is_digit(text[len - 1]) && text[len] == ' ' && !pf_is_digit(text[len + 1]);
    return number ? len + 1 + strcspn(text + len + 1, " ") : len;
}

void pf_cli_put_words(pf_buffer *b, const char *text, size_t width, size_t column, size_t indent)
{
    for (bool first = true; *text; first = false) {
        size_t len = next_word(text), word = characters((pf_str){text, len});
        if (!first && column + 1 + word > width) {
            pf_buffer_format(b, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            pf_buffer_put(b, " ", 1);
            column++;
        }
        pf_buffer_put(b, text, len);
        column += word;
        text += len;
        text += strspn(text, " ");
    }
}

void pf_cli_put_wrapped(pf_buffer *b, const char *text, size_t column, size_t indent)
{
    pf_cli_put_words(b, text, PF_CLI_PAGE_COLUMNS, column, indent);
}

void pf_cli_put_wrapped_buffer(pf_buffer *b, pf_buffer *text, size_t column, size_t indent)
{
    pf_buffer_put(text, "", 1);
    pf_cli_put_wrapped(b, text->failed ? "" : text->data, column, indent);
    b->failed |= text->failed;
    pf_buffer_free(text);
}

void pf_cli_put_json_text(pf_buffer *b, pf_str text)
{
    pf_buffer_put(b, "\"", 1);
    for (size_t at = 0; at < text.len;) {
        int32_t code;
        size_t n = step(text.ptr + at, text.len - at, &code);
        if (code < 0) {
            pf_buffer_text(b, "\\ufffd");
        } else if (code == '"' || code == '\\') {
            pf_buffer_format(b, "\\%c", (char)code);
        } else if (code == '\n') {
            pf_buffer_text(b, "\\n");
        } else if (printable(code)) {
            pf_buffer_put(b, text.ptr + at, n);
        } else {
            pf_buffer_format(b, "\\u%04x", (unsigned)code);
        }
        at += n;
    }
    pf_buffer_put(b, "\"", 1);
}

bool pf_cli_styled(int fd)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fd) == 1 && !(none && *none) && term && strcmp(term, "dumb") != 0;
}

bool pf_cli_watched(void)
{
    return isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
}

/* Asked of the system each time: windows are resized. */
size_t pf_cli_columns(int fd)
{
    struct winsize size = {0};
    int64_t columns = 0;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0) {
        columns = size.ws_col;
    }
    const char *said = getenv("COLUMNS");
    if (columns == 0 && (!said || !pf_parse_int(said, strlen(said), &columns) || columns > MOST_COLUMNS)) {
        columns = PF_CLI_FILE_COLUMNS;
    }
    return columns < LEAST_COLUMNS ? LEAST_COLUMNS : (size_t)columns;
}
