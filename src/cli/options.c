/* options.c - one parser for the options of commands and passes.
 *
 * A word of the command line is looked up in the groups, then in the pass; the lookup gives a `match`, which is all
 * that the rest needs: whether a value follows, how to store it, how to name it in an error. What is not found is
 * compared with everything that could have been found, and the error names the nearest.
 */
#include "cli/options.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "cli/suggest.h"

typedef struct match {
    const pf_cli_option *option; /* of a group ... */
    char *target;
    const pf_pass *pass; /* ... or option `index` of a pass */
    size_t index;
} match;

void pf_cli_parser_add(pf_cli_parser *p, const char *title, const pf_cli_option *options, size_t count, void *target)
{
    if (p->group_count < PF_CLI_GROUPS_MAX && count > 0) {
        p->groups[p->group_count++] = (pf_cli_group){title, options, count, target};
    }
}

static bool same(const char *name, const char *text, size_t len)
{
    return strlen(name) == len && memcmp(name, text, len) == 0;
}

static bool find_in_pass(const pf_pass *pass, const char *name, size_t len, match *m)
{
    for (size_t i = 0; pass && i < pass->option_count; i++) {
        if (same(pass->options[i].name, name, len)) {
            *m = (match){.pass = pass, .index = i};
            return true;
        }
    }
    return false;
}

static bool find_long(const pf_cli_parser *p, const char *name, size_t len, match *m)
{
    for (size_t g = 0; g < p->group_count; g++) {
        for (size_t i = 0; i < p->groups[g].count; i++) {
            if (same(p->groups[g].options[i].name, name, len)) {
                *m = (match){.option = &p->groups[g].options[i], .target = p->groups[g].target};
                return true;
            }
        }
    }
    return find_in_pass(p->pass, name, len, m);
}

static bool find_short(const pf_cli_parser *p, char letter, match *m)
{
    for (size_t g = 0; g < p->group_count; g++) {
        for (size_t i = 0; i < p->groups[g].count; i++) {
            if (p->groups[g].options[i].letter == letter) {
                *m = (match){.option = &p->groups[g].options[i], .target = p->groups[g].target};
                return true;
            }
        }
    }
    return false;
}

static bool takes_value(const match *m)
{
    return m->option ? m->option->type != PF_CLI_FLAG : m->pass->options[m->index].type != PF_OPTION_FLAG;
}

static const char *name_of(const match *m)
{
    return m->option ? m->option->name : m->pass->options[m->index].name;
}

static pf_status unknown_long(const pf_cli_parser *p, const char *name, size_t len, pf_error *err)
{
    char typed[64];
    if (len < sizeof typed) {
        memcpy(typed, name, len);
        typed[len] = '\0';
        pf_cli_suggest s = pf_cli_suggest_start(typed);
        for (size_t g = 0; g < p->group_count; g++) {
            for (size_t i = 0; i < p->groups[g].count; i++) {
                pf_cli_suggest_offer(&s, p->groups[g].options[i].name);
            }
        }
        for (size_t i = 0; p->pass && i < p->pass->option_count; i++) {
            pf_cli_suggest_offer(&s, p->pass->options[i].name);
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
    if (find_long(p, &letter, 1, &m)) {
        return pf_fail(err, PF_ERR_USAGE, "unknown option '-%c'; did you mean '--%c'?", letter, letter);
    }
    return pf_fail(err, PF_ERR_USAGE, "unknown option '-%c'; 'postfetto %s --help' lists the options", letter,
                   p->command);
}

static bool is_choice(const char *choices, const char *text)
{
    size_t len = strlen(text);
    for (const char *at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        if (strcspn(at, "|") == len && memcmp(at, text, len) == 0) {
            return true;
        }
    }
    return false;
}

static pf_status store_option(const pf_cli_option *o, char *at, const char *text, pf_error *err)
{
    int64_t number;
    uint64_t size;
    switch (o->type) {
    case PF_CLI_FLAG:
        memcpy(at, &(bool){true}, sizeof(bool));
        return PF_OK;
    case PF_CLI_CHOICE:
        if (!is_choice(o->choices, text)) {
            return pf_fail(err, PF_ERR_USAGE, "--%s takes one of %s, not '%s'", o->name, o->choices, text);
        }
        memcpy(at, &text, sizeof text);
        return PF_OK;
    case PF_CLI_TEXT:
        if (!*text) {
            return pf_fail(err, PF_ERR_USAGE, "--%s needs a value that is not empty", o->name);
        }
        memcpy(at, &text, sizeof text);
        return PF_OK;
    case PF_CLI_NUMBER:
        if (!pf_parse_int(text, strlen(text), &number) || number < 1) {
            return pf_fail(err, PF_ERR_USAGE, "--%s takes an integer from 1 on, not '%s'", o->name, text);
        }
        memcpy(at, &(uint64_t){(uint64_t)number}, sizeof(uint64_t));
        return PF_OK;
    case PF_CLI_SIZE:
    case PF_CLI_SMALL:
        if (!pf_parse_size(text, &size) || (o->type == PF_CLI_SMALL && size > UINT32_MAX)) {
            return pf_fail(err, PF_ERR_USAGE, "--%s takes a number, with K, M or G if you like, not '%s'", o->name,
                           text);
        }
        if (o->type == PF_CLI_SIZE) {
            memcpy(at, &size, sizeof size);
        } else {
            memcpy(at, &(uint32_t){(uint32_t)size}, sizeof(uint32_t));
        }
        return PF_OK;
    }
    return PF_OK;
}

/* `text` is NULL for flags. */
static pf_status store(pf_cli_parser *p, const match *m, const char *text, pf_error *err)
{
    if (m->option) {
        return store_option(m->option, m->target + m->option->offset, text, err);
    }
    if (!takes_value(m)) {
        p->values[m->index].set = true;
        p->values[m->index].b = true;
        return PF_OK;
    }
    return pf_pass_parse(p->pass, m->index, text, p->values, err);
}

/* The value of an option that has none attached is the next word, unless that is an option itself. */
static pf_status next_value(const pf_cli_parser *p, const match *m, int argc, char **argv, int *i, const char **value,
                            pf_error *err)
{
    const char *next = *i + 1 < argc ? argv[*i + 1] : NULL;
    match other;
    if (!next || strcmp(next, "--") == 0) {
        return pf_fail(err, PF_ERR_USAGE, "--%s needs a value; 'postfetto %s --help' says which", name_of(m),
                       p->command);
    }
    if (next[0] == '-' && next[1] == '-' && find_long(p, next + 2, strcspn(next + 2, "="), &other)) {
        return pf_fail(err, PF_ERR_USAGE, "--%s needs a value, but '%s' follows; write --%s=%s if that is the value",
                       name_of(m), next, name_of(m), next);
    }
    *value = next;
    ++*i;
    return PF_OK;
}

static pf_status parse_long(pf_cli_parser *p, int argc, char **argv, int *i, pf_error *err)
{
    const char *name = argv[*i] + 2;
    size_t len = strcspn(name, "=");
    const char *value = name[len] == '=' ? name + len + 1 : NULL;
    match m;
    if (!find_long(p, name, len, &m)) {
        return unknown_long(p, name, len, err);
    }
    if (!takes_value(&m)) {
        if (value) {
            return pf_fail(err, PF_ERR_USAGE, "--%s takes no value; leave out '=%s'", name_of(&m), value);
        }
        return store(p, &m, NULL, err);
    }
    pf_status st = value ? PF_OK : next_value(p, &m, argc, argv, i, &value, err);
    return st == PF_OK ? store(p, &m, value, err) : st;
}

static pf_status parse_short(pf_cli_parser *p, int argc, char **argv, int *i, pf_error *err)
{
    for (const char *at = argv[*i] + 1; *at; at++) {
        match m;
        if (!find_short(p, *at, &m)) {
            return unknown_short(p, *at, err);
        }
        if (takes_value(&m)) {
            const char *value = at[1] ? at + 1 : NULL;
            pf_status st = value ? PF_OK : next_value(p, &m, argc, argv, i, &value, err);
            return st == PF_OK ? store(p, &m, value, err) : st;
        }
        pf_status st = store(p, &m, NULL, err);
        if (st != PF_OK) {
            return st;
        }
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
        } else {
            pf_status st = word[1] == '-' ? parse_long(p, argc, argv, &i, err) : parse_short(p, argc, argv, &i, err);
            if (st != PF_OK) {
                return st;
            }
        }
    }
    return PF_OK;
}

static bool find_anywhere(const pf_cli_parser *p, const char *name, size_t len, match *m)
{
    bool found = find_long(p, name, len, m);
    for (size_t i = 0; !found && i < pf_pass_count(); i++) {
        found = find_in_pass(pf_pass_at(i), name, len, m);
    }
    return found;
}

int pf_cli_first_operand(const pf_cli_parser *p, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        match m;
        if (word[0] != '-' || !word[1]) {
            return i;
        }
        if (strcmp(word, "--") == 0) {
            return i + 1 < argc ? i + 1 : argc;
        }
        if (word[1] == '-') {
            size_t len = strcspn(word + 2, "=");
            i += word[2 + len] != '=' && find_anywhere(p, word + 2, len, &m) && takes_value(&m);
        } else {
            size_t last = strlen(word) - 1;
            i += find_short(p, word[last], &m) && takes_value(&m) &&
                 (last == 1 || !find_short(p, word[1], &m) || !takes_value(&m));
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
