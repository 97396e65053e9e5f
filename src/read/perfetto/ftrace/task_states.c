/* read/perfetto/ftrace/task_states.c - why a thread stopped, as the kernel's bits say it and as Perfetto spells it.
 *
 * What the bits above 0x20 mean depends on the version of the kernel. All bits that are set become letters, in an order
 * of their own; no letter is "R", the thread could run on.
 */
#include "base/str.h"
#include "read/perfetto/ftrace/ftrace.h"

#define VERSION(major, minor) ((uint32_t)(major) << 8 | (minor))

typedef struct state_bit {
    uint16_t bit;
    char letter;
} state_bit;

static const state_bit SHARED[] = {{1, 'S'}, {2, 'D'}, {4, 'T'}, {8, 't'}, {0x10, 'X'}, {0x20, 'Z'}, {0, 0}};
static const state_bit NEW[] = {{0x40, 'P'}, {0x80, 'I'}, {0, 0}};
static const state_bit OLD[] = {{0x200, 'P'}, {0x40, 'x'}, {0x80, 'K'}, {0x100, 'W'}, {0x400, 'N'}, {0, 0}};

static size_t put_letters(char *text, size_t len, const state_bit *bits, uint16_t state)
{
    for (; bits->bit; bits++) {
        if (state & bits->bit) {
            text[len++] = bits->letter;
        }
    }
    return len;
}

enum { MOST_LETTERS = 3 }; /* that the engine keeps */

/* False if the kernel has no such state. */
static bool spell(uint32_t kernel, uint16_t state, char *text, size_t *len)
{
    bool is_new = kernel >= VERSION(4, 14);
    uint16_t preempted = is_new ? 0x100 : kernel >= VERSION(4, 8) ? 0x1000 : 0x800;
    *len = 0;
    if (is_new && state & 0xfe00) {
        return false;
    }
    if (!is_new && state == (2 | 0x400)) {
        text[(*len)++] = 'I';
        return true;
    }
    *len = put_letters(text, 0, SHARED, state);
    *len = put_letters(text, *len, is_new ? NEW : OLD, state);
    *len = *len < MOST_LETTERS ? *len : MOST_LETTERS;
    if (*len == 0) {
        text[(*len)++] = 'R';
        if (state & preempted) {
            text[(*len)++] = '+';
        }
    }
    return true;
}

uint32_t pf_ftrace_state_text(pf_import *im, int64_t prev_state)
{
    pf_ftrace *f = im->ftrace;
    uint16_t state = (uint16_t)prev_state;
    if (!f->state_text) {
        f->state_text =
            pf_import_failed(im) ? NULL : pf_alloc_zero(&im->t->budget, PF_FTRACE_STATES, sizeof *f->state_text);
        if (!f->state_text) {
            pf_import_refuse(im, PF_FTRACE_STATES * sizeof *f->state_text);
            return 0;
        }
    }
    if (f->state_text[state] == 0) {
        char text[16];
        size_t len;
        bool known = spell(f->kernel, state, text, &len);
        f->state_text[state] = 1 + (known ? pf_import_text(im, (pf_str){text, len}) : 0);
    }
    if (f->state_text[state] == 1) {
        pf_trace_count(im->t, PF_STAT_TASK_STATE_INVALID, PF_NOWHERE);
    }
    return f->state_text[state] - 1;
}

/* The number at the start of a text, as far as it is below 256; *at goes behind it. */
static uint32_t take_number(pf_str text, size_t *at)
{
    uint32_t number = 0;
    for (; *at < text.len && pf_is_digit(text.ptr[*at]); ++*at) {
        number = number * 10 + (uint32_t)(text.ptr[*at] - '0');
        number = number < 255 ? number : 255;
    }
    return number;
}

void pf_ftrace_find_kernel(pf_import *im)
{
    const pf_side_table *machine = &im->t->sides.known[PF_SIDE_MACHINE];
    size_t at = 0;
    im->ftrace->kernel = VERSION(4, 4);
    uint32_t row = im->machine.number;
    if (machine->count <= row ||
        !pf_str_is(pf_trace_string(im->t, *pf_side_ref(machine, PF_MACHINE_SYSNAME, row)), "Linux")) {
        return;
    }
    pf_str release = pf_trace_string(im->t, *pf_side_ref(machine, PF_MACHINE_RELEASE, row));
    uint32_t major = take_number(release, &at);
    if (at > 0 && at < release.len && release.ptr[at++] == '.') {
        size_t minor_at = at;
        uint32_t minor = take_number(release, &at);
        im->ftrace->kernel = at > minor_at ? VERSION(major, minor) : im->ftrace->kernel;
    }
}
