/* cli/hook/config_file.c - a configuration file: YAML by libyaml, one mapping, the keys of hook_config.c.
 *
 *     passes:
 *       - aie --M 64 --K 64 --N 64 --row 2 --col 2 --warmup 1 --iterations 4
 *       - name: aie
 *         match: ["core_*.json"]
 *         options: {M: 64, K: 64, drop-empty: yes}
 *     fail_if:
 *       - select min(gmacs_per_second) < 900 from aie_iterations
 *     timeout: 2m
 *
 * A value becomes the text that a flag would have. Lists may be written as one value. What is not known is an error
 * that names the line.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "cli/hook/hook_config.h"
#include "postfetto/pass.h"

typedef struct loader {
    pf_hook_config *config;
    yaml_document_t document;
    pf_error *err;
} loader;

static pf_status refuse(loader *l, const yaml_node_t *node, const char *what)
{
    return pf_fail(l->err, PF_ERR_USAGE, "line %zu: %s", node->start_mark.line + 1, what);
}

static const yaml_node_t *node_of(loader *l, int id)
{
    return yaml_document_get_node(&l->document, id);
}

static const char *scalar(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* Puts the line in front of what a setter said. */
static pf_status at_line(loader *l, const yaml_node_t *node, pf_status st)
{
    if (st == PF_OK) {
        return st;
    }
    char text[sizeof l->err->text];
    snprintf(text, sizeof text, "%s", l->err->text);
    return pf_fail(l->err, st, "line %zu: %s", node->start_mark.line + 1, text);
}

/* A scalar or a list of scalars, one after the other through `take`. */
static pf_status each_scalar(loader *l, const yaml_node_t *node,
                             pf_status (*take)(loader *l, const yaml_node_t *node, void *to), void *to)
{
    if (node->type == YAML_SCALAR_NODE) {
        return take(l, node, to);
    }
    if (node->type != YAML_SEQUENCE_NODE) {
        return refuse(l, node, "a value or a list of values belongs here");
    }
    pf_status st = PF_OK;
    for (yaml_node_item_t *i = node->data.sequence.items.start; st == PF_OK && i < node->data.sequence.items.top; i++) {
        const yaml_node_t *item = node_of(l, *i);
        st = scalar(item) ? take(l, item, to) : refuse(l, item, "a single value belongs here");
    }
    return st;
}

static pf_status add_word(loader *l, const yaml_node_t *node, void *to)
{
    (void)l;
    pf_hook_words_add(to, scalar(node));
    return PF_OK;
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* A word that pf_hook_words_split gives back as it is. */
static void put_word(pf_buffer *b, const char *word)
{
    pf_buffer_text(b, " '");
    for (; *word; word++) {
        if (*word == '\'') {
            pf_buffer_text(b, "'\\''");
        } else {
            pf_buffer_put(b, word, 1);
        }
    }
    pf_buffer_text(b, "'");
}

typedef struct option {
    const pf_option *row;
    const char *name;
    pf_buffer *line;
} option;

static pf_status put_value(loader *l, const yaml_node_t *node, void *to)
{
    const option *o = to;
    const char *text = scalar(node);
    pf_buffer word = {0};
    if (o->row->type == PF_OPTION_FLAG) {
        bool on = strcmp(text, "yes") == 0 || strcmp(text, "true") == 0 || strcmp(text, "on") == 0;
        if (!on && strcmp(text, "no") != 0 && strcmp(text, "false") != 0 && strcmp(text, "off") != 0) {
            return refuse(l, node, "this option takes yes or no");
        }
        pf_buffer_format(&word, "--%s", o->name);
        if (on && !word.failed) {
            put_word(o->line, word.data);
        }
    } else {
        pf_buffer_format(&word, "--%s=%s", o->name, text);
        if (!word.failed) {
            put_word(o->line, word.data);
        }
    }
    o->line->failed |= word.failed;
    pf_buffer_free(&word);
    return PF_OK;
}

static const pf_option *find_option(const pf_pass *pass, const char *name)
{
    for (size_t i = 0; i < pass->option_count; i++) {
        if (strcmp(pass->options[i].name, name) == 0) {
            return &pass->options[i];
        }
    }
    return NULL;
}

static pf_status put_options(loader *l, const pf_pass *pass, const yaml_node_t *node, pf_buffer *line)
{
    if (node->type != YAML_MAPPING_NODE) {
        return refuse(l, node, "options are a mapping of names to values");
    }
    pf_status st = PF_OK;
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; st == PF_OK && p < node->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = node_of(l, p->key);
        const char *name = scalar(key);
        option o = {.row = name ? find_option(pass, name) : NULL, .name = name, .line = line};
        if (!o.row) {
            return pf_fail(l->err, PF_ERR_USAGE,
                           "line %zu: '%.100s' is no option of %s; 'postfetto analyze %s --help' lists them",
                           key->start_mark.line + 1, name ? name : "?", pass->name, pass->name);
        }
        st = each_scalar(l, node_of(l, p->value), put_value, &o);
    }
    return st;
}

static pf_status put_words(loader *l, const yaml_node_t *node, const char *before, pf_buffer *line)
{
    pf_hook_words words = {0};
    pf_status st = each_scalar(l, node, add_word, &words);
    for (size_t i = 0; st == PF_OK && i < words.count; i++) {
        if (before) {
            put_word(line, before);
        }
        put_word(line, words.word[i]);
    }
    line->failed |= words.failed;
    pf_hook_words_free(&words);
    return st;
}

/* One member of a pass that is written as a mapping. */
static pf_status put_member(loader *l, const pf_pass *pass, const yaml_node_t *key, const yaml_node_t *value,
                            pf_buffer *line)
{
    const char *name = scalar(key) ? scalar(key) : "?";
    if (strcmp(name, "name") == 0) {
        return PF_OK;
    }
    if (strcmp(name, "options") == 0) {
        return put_options(l, pass, value, line);
    }
    if (strcmp(name, "words") == 0) {
        return put_words(l, value, NULL, line);
    }
    if (strcmp(name, "match") == 0) {
        return put_words(l, value, "--match", line);
    }
    return pf_fail(l->err, PF_ERR_USAGE, "line %zu: a pass has no '%.100s'; it has name, options, words and match",
                   key->start_mark.line + 1, name);
}

static pf_status pass_of(loader *l, const yaml_node_t *name, const pf_pass **pass)
{
    *pass = scalar(name) ? pf_pass_find(scalar(name)) : NULL;
    return *pass ? PF_OK
                 : pf_fail(l->err, PF_ERR_USAGE,
                           "line %zu: unknown pass '%.100s'; 'postfetto analyze --list' shows the passes",
                           name->start_mark.line + 1, scalar(name) ? scalar(name) : "?");
}

/* The node under "name", or NULL. */
static const yaml_node_t *name_in(loader *l, const yaml_node_t *node)
{
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
        const char *key = scalar(node_of(l, p->key));
        if (key && strcmp(key, "name") == 0) {
            return node_of(l, p->value);
        }
    }
    return NULL;
}

/* {name: aie, options: {...}, match: [...]} */
static pf_status put_named(loader *l, const yaml_node_t *name, const yaml_node_t *node, pf_buffer *line)
{
    const pf_pass *pass;
    pf_status st = pass_of(l, name, &pass);
    if (st != PF_OK) {
        return st;
    }
    const yaml_node_pair_t *first = node->data.mapping.pairs.start, *end = node->data.mapping.pairs.top;
    pf_buffer_text(line, pass->name);
    for (const yaml_node_pair_t *p = first; st == PF_OK && p < end; p++) {
        st = put_member(l, pass, node_of(l, p->key), node_of(l, p->value), line);
    }
    return st;
}

/* Ends a line of words and adds what it says; frees it. */
static pf_status add_line(loader *l, const pf_option *key, const yaml_node_t *node, pf_status st, pf_buffer *line)
{
    pf_buffer_put(line, "", 1);
    if (st == PF_OK) {
        st = line->failed ? pf_fail(l->err, PF_ERR_MEMORY, "the system refused memory for the configuration")
                          : at_line(l, node, pf_hook_config_set_text(l->config, key, line->data, l->err));
    }
    pf_buffer_free(line);
    return st;
}

/* {aie: {M: 64, ...}}: each member is a pass with its options. */
static pf_status add_members(loader *l, const pf_option *key, const yaml_node_t *node)
{
    pf_status st = PF_OK;
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; st == PF_OK && p < node->data.mapping.pairs.top; p++) {
        const yaml_node_t *name = node_of(l, p->key), *options = node_of(l, p->value);
        const pf_pass *pass;
        pf_buffer line = {0};
        st = pass_of(l, name, &pass);
        if (st == PF_OK) {
            pf_buffer_text(&line, pass->name);
            bool none = scalar(options) && scalar(options)[0] == '\0';
            st = none ? PF_OK : put_options(l, pass, options, &line);
        }
        st = add_line(l, key, name, st, &line);
    }
    return st;
}

static pf_status add_pass(loader *l, const pf_option *key, const yaml_node_t *node)
{
    if (scalar(node)) {
        return at_line(l, node, pf_hook_config_set_text(l->config, key, scalar(node), l->err));
    }
    if (node->type != YAML_MAPPING_NODE) {
        return refuse(l, node, "a pass is 'NAME OPTIONS' or a mapping with its name");
    }
    const yaml_node_t *name = name_in(l, node);
    if (!name) {
        return add_members(l, key, node);
    }
    pf_buffer line = {0};
    pf_status st = put_named(l, name, node, &line);
    return add_line(l, key, node, st, &line);
}

static pf_status add_passes(loader *l, const pf_option *key, const yaml_node_t *node)
{
    if (node->type != YAML_SEQUENCE_NODE) {
        return add_pass(l, key, node);
    }
    pf_status st = PF_OK;
    for (yaml_node_item_t *i = node->data.sequence.items.start; st == PF_OK && i < node->data.sequence.items.top; i++) {
        st = add_pass(l, key, node_of(l, *i));
    }
    return st;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

typedef struct setting {
    const pf_option *key;
} setting;

static pf_status set_scalar(loader *l, const yaml_node_t *node, void *to)
{
    const setting *s = to;
    return at_line(l, node, pf_hook_config_set_text(l->config, s->key, scalar(node), l->err));
}

static pf_status set_key(loader *l, const yaml_node_t *name, const yaml_node_t *value)
{
    const char *text = scalar(name);
    setting s = {.key = text ? pf_hook_key_named(text) : NULL};
    if (!s.key) {
        return pf_fail(l->err, PF_ERR_USAGE,
                       "line %zu: unknown key '%.100s'; 'postfetto hook --help' lists the keys as options",
                       name->start_mark.line + 1, text ? text : "?");
    }
    if (strcmp(s.key->name, "pass") == 0) {
        return add_passes(l, s.key, value);
    }
    if (!pf_option_is_list(s.key) && !scalar(value)) {
        return refuse(l, value, "a single value belongs here");
    }
    return each_scalar(l, value, set_scalar, &s);
}

static pf_status set_all(loader *l)
{
    const yaml_node_t *root = yaml_document_get_root_node(&l->document);
    if (!root || (scalar(root) && scalar(root)[0] == '\0')) {
        return PF_OK; /* an empty file sets nothing */
    }
    if (root->type != YAML_MAPPING_NODE) {
        return refuse(l, root, "the file must be a mapping of keys to values");
    }
    pf_status st = PF_OK;
    for (yaml_node_pair_t *p = root->data.mapping.pairs.start; st == PF_OK && p < root->data.mapping.pairs.top; p++) {
        st = set_key(l, node_of(l, p->key), node_of(l, p->value));
    }
    return st;
}

pf_status pf_hook_config_load(pf_hook_config *c, const char *path, pf_error *err)
{
    FILE *file = fopen(path, "rbe");
    if (!file) {
        return pf_fail(err, PF_ERR_INPUT, "cannot be read: %s", strerror(errno));
    }
    loader l = {.config = c, .err = err};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        fclose(file);
        return pf_fail(err, PF_ERR_MEMORY, "the system refused memory for the configuration");
    }
    yaml_parser_set_input_file(&parser, file);
    pf_status st;
    if (yaml_parser_load(&parser, &l.document)) {
        st = set_all(&l);
        yaml_document_delete(&l.document);
    } else {
        st = pf_fail(err, PF_ERR_USAGE, "line %zu: %s", parser.problem_mark.line + 1,
                     parser.problem ? parser.problem : "no YAML");
    }
    yaml_parser_delete(&parser);
    fclose(file);
    return st;
}
