/* base/options/option_check.c - what is wrong with a table of options, found when it is registered, and look-ups in
 * one. */
#include <string.h>

#include "base/options/option_words.h"
#include "base/str.h"
#include "postfetto/author/option.h"

#define CHOICES_MAX 64 /* of a set: its value is one word of bits */

static bool is_called(const char *is, const char *name, size_t len)
{
    return is && strlen(is) == len && memcmp(is, name, len) == 0;
}

size_t pf_options_find(const pf_option *options, size_t count, const char *name, size_t len)
{
    size_t i = 0;
    while (i < count && !is_called(options[i].name, name, len) && !is_called(options[i].also, name, len)) {
        i++;
    }
    return i;
}

size_t pf_options_find_letter(const pf_option *options, size_t count, char letter)
{
    size_t i = 0;
    while (i < count && !(letter && options[i].letter == letter)) {
        i++;
    }
    return i;
}

const char *pf_option_type_name(pf_option_type type)
{
    static const char *const names[PF_OPTION_TYPES] = {
        [PF_OPTION_FLAG] = "flag", [PF_OPTION_INT] = "integer", [PF_OPTION_REAL] = "real",
        [PF_OPTION_TEXT] = "text", [PF_OPTION_PATH] = "path",   [PF_OPTION_CHOICE] = "choice",
        [PF_OPTION_SET] = "set",   [PF_OPTION_SIZE] = "size",   [PF_OPTION_DURATION] = "duration",
    };
    return (unsigned)type < PF_OPTION_TYPES ? names[type] : "unknown";
}

const char *pf_option_value_word(const pf_option *o)
{
    static const char *const words[PF_OPTION_TYPES] = {
        [PF_OPTION_FLAG] = "",     [PF_OPTION_INT] = "N",     [PF_OPTION_REAL] = "X",
        [PF_OPTION_TEXT] = "TEXT", [PF_OPTION_PATH] = "FILE", [PF_OPTION_CHOICE] = "WORD",
        [PF_OPTION_SET] = "WORDS", [PF_OPTION_SIZE] = "SIZE", [PF_OPTION_DURATION] = "TIME",
    };
    if ((o->type == PF_OPTION_CHOICE || o->type == PF_OPTION_SET) && !o->value) {
        return o->choices;
    }
    return o->value ? o->value : words[o->type];
}

static bool is_name(const char *name)
{
    if (!name || !pf_is_alnum(name[0])) {
        return false;
    }
    for (; *name; name++) {
        if (!pf_is_alnum(*name) && *name != '-' && *name != '_') {
            return false;
        }
    }
    return true;
}

/* A list of words none of which is empty or there twice. */
static bool are_choices(const char *choices)
{
    size_t count = 0;
    for (const char *at = choices; at; count++) {
        size_t width = strcspn(at, "|");
        if (width == 0 || pf_choice_index(choices, at, width) != (int64_t)count) {
            return false;
        }
        at = at[width] ? at + width + 1 : NULL;
    }
    return count > 0 && count <= CHOICES_MAX;
}

/* What is wrong with one row, or NULL. */
static const char *fault_of(const pf_option *o)
{
    bool words = o->type == PF_OPTION_CHOICE || o->type == PF_OPTION_SET;
    bool has_fallback = o->fallback && *o->fallback;
    pf_option_bounds bounds;
    if (!is_name(o->name)) {
        return "a name is made of letters, digits, '-' and '_'";
    }
    if (o->letter && !pf_is_alnum(o->letter)) {
        return "the short form is a letter or a digit";
    }
    if ((unsigned)o->type >= PF_OPTION_TYPES) {
        return "the type is unknown";
    }
    if (words ? !o->choices || !are_choices(o->choices) : o->choices != NULL) {
        return words ? "the choices are 1 to 64 different words separated by '|'"
                     : "only a choice or a set has choices";
    }
    if (!pf_option_limits(o, &bounds)) {
        return "the limits do not parse, or the type has none";
    }
    if (has_fallback && (o->type == PF_OPTION_FLAG || !pf_option_accepts(o, o->fallback))) {
        return "the default is no value of it";
    }
    if ((o->traits & PF_OPTION_REQUIRED) && (has_fallback || o->type == PF_OPTION_FLAG)) {
        return "it is required and has a default";
    }
    size_t len = o->help ? strlen(o->help) : 0;
    return len == 0 || o->help[len - 1] == '.' ? "the help is one sentence without its full stop" : NULL;
}

pf_status pf_options_check(const pf_option *options, size_t count, pf_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const pf_option *o = &options[i];
        const char *fault = fault_of(o);
        if (!fault && pf_options_find(options, i, o->name, strlen(o->name)) < i) {
            fault = "the name is there twice";
        }
        if (!fault && pf_options_find_letter(options, i, o->letter) < i) {
            fault = "the letter is there twice";
        }
        if (fault) {
            return pf_fail(err, PF_ERR_INTERNAL, "option '%.60s' (row %zu): %s", o->name ? o->name : "", i, fault);
        }
    }
    return PF_OK;
}

pf_status pf_options_check_apart(const pf_option *outer, size_t outer_count, const pf_option *inner, size_t inner_count,
                                 pf_error *err)
{
    for (size_t i = 0; i < inner_count; i++) {
        const pf_option *o = &inner[i];
        if (pf_options_find(outer, outer_count, o->name, strlen(o->name)) < outer_count) {
            return pf_fail(err, PF_ERR_INTERNAL, "option --%s is one of the command already", o->name);
        }
        if (pf_options_find_letter(outer, outer_count, o->letter) < outer_count) {
            return pf_fail(err, PF_ERR_INTERNAL, "option --%s: -%c is one of the command already", o->name, o->letter);
        }
    }
    return PF_OK;
}
