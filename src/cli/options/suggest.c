/* cli/options/suggest.c - the nearest word by edit distance.
 *
 * The distance is the number of single edits, where swapping two neighbours is one edit (most typing errors are that).
 * The table of the textbook dynamic program is filled row by row. A candidate is taken if at most a third of the
 * letters is wrong, or if the typed word is its beginning (an abbreviation).
 */
#include "cli/options/options.h"

#include <stdbool.h>
#include <string.h>

#define WORD_MAX 63

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t pf_cli_edit_distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    if (la > WORD_MAX || lb > WORD_MAX) {
        return strcmp(a, b) == 0 ? 0 : la + lb;
    }
    size_t d[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= la; i++) {
        for (size_t j = 0; j <= lb; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = smaller(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]), smaller(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[la][lb];
}

pf_cli_suggest pf_cli_suggest_start(const char *typed)
{
    return (pf_cli_suggest){.typed = typed};
}

void pf_cli_suggest_offer(pf_cli_suggest *s, const char *candidate)
{
    size_t len = strlen(s->typed);
    size_t d = pf_cli_edit_distance(s->typed, candidate);
    bool begins = len >= 2 && strncmp(s->typed, candidate, len) == 0;
    if (begins) {
        d = smaller(d, 1);
    } else if (d > (len + 2) / 3 || d >= len) {
        return;
    }
    if (!s->best || d < s->distance) {
        s->best = candidate;
        s->distance = d;
    }
}
