/* cli/options/suggest.c - the nearest word by edit distance.
 *
 * The distance is the number of single edits, where swapping two neighbours is one edit (most typing errors are that).
 * The table of the textbook dynamic program is filled row by row; only the last three rows are needed. A candidate is
 * taken if at most a third of the letters is wrong, or if the typed word is its beginning (an abbreviation).
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
    size_t rows[3][WORD_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= lb; j++) {
        last[j] = j;
        before[j] = 0;
    }
    for (size_t i = 1; i <= la; i++) {
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t d = last[j - 1] + (a[i - 1] != b[j - 1]);
            d = smaller(d, smaller(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d = smaller(d, before[j - 2] + 1);
            }
            row[j] = d;
        }
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[lb];
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
