/* cli/options/options.c - one parser for the options of commands, passes and readers.
 *
 * A word of the command line is looked up in the groups, which share no name and no letter. The look-up gives a
 * `match`, which is all that the rest needs: whether a value follows, how to store it, how to name it in an error. What
 * is not found is compared with everything that could have been found, and the error names the nearest.
 */
#include "cli/options/options.h"

#include <string.h>

typedef struct match {
    const pf_option *option;
    const pf_cli_group *group; /* NULL: of a pass that is not in the parser */
} match;

static void add_group(pf_cli_parser *p, pf_cli_group group)
{
    if (p->group_count < PF_CLI_GROUPS_MAX && group.count > 0) {
        p->groups[p->group_count++] = group;
    }
}

void pf_cli_parser_add(pf_cli_parser *p, const char *title, const pf_option *options, size_t count, void *target)
{
    for (size_t i = 0; i < count; i++) {
        pf_option_value v;
        pf_option_defaults(&options[i], 1, &v);
        if (options[i].fallback) {
            pf_option_store(&options[i], &v, target);
        }
    }
    add_group(p, (pf_cli_group){.title = title, .options = options, .count = count, .target = target});
}

void pf_cli_parser_add_values(pf_cli_parser *p, const char *title, const pf_option *options, size_t count,
                              pf_option_value *values)
{
    add_group(p, (pf_cli_group){.title = title, .options = options, .count = count, .values = values});
}

void pf_cli_parser_add_yielding(pf_cli_parser *p, const char *title, const pf_option *options, size_t count,
                                pf_option_value *values)
{
    add_group(p, (pf_cli_group){.title = title, .options = options, .count = count, .values = values, .yields = true});
}

void pf_cli_parser_add_readers(pf_cli_parser *p, const pf_reader *(*reader_at)(size_t))
{
    const pf_reader *r;
    for (size_t i = 0; (r = reader_at(i)); i++) {
        add_group(p,
                  (pf_cli_group){.title = r->name, .options = r->options, .count = r->option_count, .of_reader = true});
    }
}

/* Where the value of an option is parsed into, if it has a place of its own. */
static pf_option_value *place_of(const match *m)
{
    const pf_cli_group *g = m->group;
    if (g->values) {
        return &g->values[m->option - g->options];
    }
    return pf_option_is_list(m->option) && g->target ? (pf_option_value *)((char *)g->target + m->option->offset)
                                                     : NULL;
}

void pf_cli_parser_release(pf_cli_parser *p)
{
    for (size_t g = 0; g < p->group_count; g++) {
        for (size_t i = 0; i < p->groups[g].count; i++) {
            pf_option_value *v = place_of(&(match){&p->groups[g].options[i], &p->groups[g]});
            pf_options_release(v, v ? 1 : 0);
        }
    }
}

pf_status pf_cli_parser_check(const pf_cli_parser *p, pf_error *err)
{
    for (size_t g = 0; g < p->group_count; g++) {
        const pf_cli_group *group = &p->groups[g];
        PF_TRY(pf_options_check(group->options, group->count, err));
        for (size_t outer = 0; outer < g; outer++) {
            const pf_cli_group *o = &p->groups[outer];
            PF_TRY((o->of_reader && group->of_reader) || group->yields || o->yields
                       ? PF_OK
                       : pf_options_check_apart(o->options, o->count, group->options, group->count, err));
        }
    }
    return PF_OK;
}

/* By name, or where `len` is 0 by letter. */
static size_t find_in(const pf_option *options, size_t count, const char *name, size_t len)
{
    return len ? pf_options_find(options, count, name, len) : pf_options_find_letter(options, count, *name);
}

/* The first reader that has the option stands for all that do, and the first group that yields where no other has it.
 */
static bool find(const pf_cli_parser *p, const char *name, size_t len, match *m)
{
    bool found = false;
    for (const pf_cli_group *g = p->groups; g < p->groups + p->group_count; g++) {
        size_t i = find_in(g->options, g->count, name, len);
        if (i < g->count && !(found && g->yields)) {
            *m = (match){&g->options[i], g};
            found = true;
        }
        if (found && !m->group->yields) {
            break;
        }
    }
    return found;
}

bool pf_cli_parser_takes(const pf_cli_parser *p, size_t group, size_t option)
{
    const pf_cli_group *g = &p->groups[group];
    const char *name = g->options[option].name;
    match m;
    return !g->yields || (find(p, name, strlen(name), &m) && m.group == g);
}

static bool takes_value(const match *m)
{
    return m->option->type != PF_OPTION_FLAG;
}

static pf_status unknown_long(const pf_cli_parser *p, const char *name, size_t len, pf_error *err)
{
    char typed[64];
    if (len < sizeof typed) {
        memcpy(typed, name, len);
        typed[len] = '\0';
        pf_cli_suggest s = pf_cli_suggest_start(typed);
        for (const pf_cli_group *g = p->groups; g < p->groups + p->group_count; g++) {
            for (size_t i = 0; i < g->count; i++) {
                if (!(g->options[i].traits & PF_OPTION_HIDDEN)) {
                    pf_cli_suggest_offer(&s, g->options[i].name);
                }
            }
        }
        if (strcmp(typed, "partial") == 0 && strcmp(p->command, "analyze") == 0) {
            return pf_fail(err, PF_ERR_USAGE,
                           "only aiu, gpu, neutrino and compare write partials; other passes need all files at once");
        }
        if (s.best) {
            return pf_fail(err, PF_ERR_USAGE, "unknown option '--%s'; did you mean '--%s'?", typed, s.best);
        }
    }
    return pf_fail(err, PF_ERR_USAGE, "unknown option '--%.*s'; 'postfetto %s --help' lists the options", (int)len,
                   name, p->command);
}

static pf_status unknown_short(const pf_cli_parser *p, char letter, pf_error *err)
{
    match m;
    if (find(p, &letter, 1, &m)) {
        return pf_fail(err, PF_ERR_USAGE, "unknown option '-%c'; did you mean '--%c'?", letter, letter);
    }
    return pf_fail(err, PF_ERR_USAGE, "unknown option '-%c'; 'postfetto %s --help' lists the options", letter,
                   p->command);
}

/* `text` is NULL for flags. */
static pf_status store(pf_cli_parser *p, const match *m, const char *text, pf_error *err)
{
    pf_option_value single = {.set = false};
    if (m->group->of_reader) {
        p->settings[p->setting_count++] = (pf_reader_setting){NULL, m->option->name, text ? text : ""};
        pf_status st = pf_option_parse(m->option, text, &single, err);
        pf_options_release(&single, 1);
        return st;
    }
    pf_option_value *place = place_of(m);
    PF_TRY(pf_option_parse(m->option, text, place ? place : &single, err));
    if (!place) {
        pf_option_store(m->option, &single, m->group->target);
    }
    return PF_OK;
}

/* The value of an option that has none attached is the next word, unless that is an option itself. */
static pf_status next_value(const pf_cli_parser *p, const match *m, int argc, char **argv, int *i, const char **value,
                            pf_error *err)
{
    const char *next = *i + 1 < argc ? argv[*i + 1] : NULL, *name = m->option->name;
    match other;
    if (!next || strcmp(next, "--") == 0) {
        return pf_fail(err, PF_ERR_USAGE, "--%s needs a value; 'postfetto %s --help' says which", name, p->command);
    }
    if (next[0] == '-' && next[1] == '-' && find(p, next + 2, strcspn(next + 2, "="), &other)) {
        return pf_fail(err, PF_ERR_USAGE, "--%s needs a value, but '%s' follows; write --%s=%s if that is the value",
                       name, next, name, next);
    }
    *value = next;
    ++*i;
    return PF_OK;
}

/* Stores the value of an option, and for one that takes several words those that follow, too: up to the next option,
 * or, where the words are known, up to one that is none of them. */
static pf_status take_value(pf_cli_parser *p, const match *m, const char *value, int argc, char **argv, int *i,
                            pf_error *err)
{
    const pf_option *o = m->option;
    PF_TRY(value ? PF_OK : next_value(p, m, argc, argv, i, &value, err));
    PF_TRY(store(p, m, value, err));
    while ((o->traits & PF_OPTION_WORDS) && *i + 1 < argc && argv[*i + 1][0] != '-' &&
           (!o->choices || pf_option_accepts(o, argv[*i + 1]))) {
        PF_TRY(store(p, m, argv[++*i], err));
    }
    return PF_OK;
}

static pf_status parse_long(pf_cli_parser *p, int argc, char **argv, int *i, pf_error *err)
{
    const char *name = argv[*i] + 2;
    size_t len = strcspn(name, "=");
    const char *value = name[len] == '=' ? name + len + 1 : NULL;
    match m;
    if (!find(p, name, len, &m)) {
        return unknown_long(p, name, len, err);
    }
    if (takes_value(&m)) {
        return take_value(p, &m, value, argc, argv, i, err);
    }
    if (value) {
        return pf_fail(err, PF_ERR_USAGE, "--%s takes no value; leave out '=%s'", m.option->name, value);
    }
    return store(p, &m, NULL, err);
}

static pf_status parse_short(pf_cli_parser *p, int argc, char **argv, int *i, pf_error *err)
{
    for (const char *at = argv[*i] + 1; *at; at++) {
        match m;
        if (!find(p, at, 0, &m)) {
            return unknown_short(p, *at, err);
        }
        if (takes_value(&m)) {
            return take_value(p, &m, at[1] ? at + 1 : NULL, argc, argv, i, err);
        }
        PF_TRY(store(p, &m, NULL, err));
    }
    return PF_OK;
}

pf_status pf_cli_parse(pf_cli_parser *p, int argc, char **argv, pf_error *err)
{
    bool ended = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (ended || word[0] != '-' || !word[1]) {
            p->operands[p->operand_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            ended = true;
            p->before_dashes = p->operand_count;
        } else {
            PF_TRY(word[1] == '-' ? parse_long(p, argc, argv, &i, err) : parse_short(p, argc, argv, &i, err));
        }
    }
    p->before_dashes = ended ? p->before_dashes : p->operand_count;
    return PF_OK;
}

/* Whether an option of the parser or, where it knows none, of any pass takes a value. */
static bool has_value(const pf_cli_parser *p, const char *name, size_t len)
{
    match m;
    bool found = find(p, name, len, &m);
    for (size_t i = 0; !found && i < pf_pass_count(); i++) {
        const pf_pass *pass = pf_pass_at(i);
        size_t at = find_in(pass->options, pass->option_count, name, len);
        found = at < pass->option_count;
        m = (match){found ? &pass->options[at] : NULL, NULL};
    }
    return found && takes_value(&m);
}

int pf_cli_first_operand(const pf_cli_parser *p, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (word[0] != '-' || !word[1]) {
            return i;
        }
        if (strcmp(word, "--") == 0) {
            return i + 1;
        }
        if (word[1] == '-') {
            size_t len = strcspn(word + 2, "=");
            i += word[2 + len] != '=' && has_value(p, word + 2, len);
        } else {
            size_t last = strlen(word) - 1;
            i += has_value(p, word + last, 0) && (last == 1 || !has_value(p, word + 1, 0));
        }
    }
    return argc;
}

bool pf_cli_wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            return true;
        }
    }
    return false;
}

/* ---- the nearest word by edit distance ---------------------------------------------------------------------------
 * The distance is the number of single edits, where swapping two neighbours is one edit (most typing errors are that).
 * The table of the textbook dynamic program is filled row by row. A candidate is taken if at most a third of the
 * letters is wrong, or if the typed word is its beginning (an abbreviation). */

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
