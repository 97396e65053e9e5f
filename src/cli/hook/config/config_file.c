/* cli/hook/config/config_file.c - a configuration file: YAML by libyaml, one mapping, the keys of hook_config.c.
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
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "cli/hook/config/hook_config.h"
#include "model/documents/yaml_library.h"

typedef struct loader {
    pf_hook_config *config;
    pf_yaml_library yaml;
    yaml_document_t document;
    pf_error *err;
    const pf_option *key;    /* whose values are read */
    const pf_pass *pass;     /* whose words are read */
    pf_hook_words words;     /* of it: its name, then what --pass takes */
    const pf_option *option; /* of it, whose values are read */
} loader;

typedef pf_status taker(loader *l, const yaml_node_t *node);
typedef pf_status pair_taker(loader *l, const yaml_node_t *key, const yaml_node_t *value);

/* What is wrong, with the line of the node in front. */
static pf_status refuse(loader *l, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static pf_status refuse(loader *l, const yaml_node_t *node, const char *format, ...)
{
    char text[sizeof l->err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pf_fail(l->err, PF_ERR_USAGE, "line %zu: %s", node->start_mark.line + 1, text);
}

static const yaml_node_t *node_of(loader *l, int id)
{
    return l->yaml.document_get_node(&l->document, id);
}

static const char *scalar(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static const char *name_of(const yaml_node_t *node)
{
    return scalar(node) ? scalar(node) : "?";
}

static pf_status each_pair(loader *l, const yaml_node_t *map, pair_taker *take)
{
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        PF_TRY(take(l, node_of(l, p->key), node_of(l, p->value)));
    }
    return PF_OK;
}

/* A value or a list of values, one after the other through `take`, which may want scalars alone. */
static pf_status each_value(loader *l, const yaml_node_t *node, taker *take, bool scalars)
{
    if (node->type != YAML_SEQUENCE_NODE) {
        return scalar(node) || !scalars ? take(l, node) : refuse(l, node, "a value or a list of values belongs here");
    }
    for (const yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++) {
        const yaml_node_t *item = node_of(l, *i);
        PF_TRY(scalar(item) || !scalars ? take(l, item) : refuse(l, item, "a single value belongs here"));
    }
    return PF_OK;
}

static pf_status set_scalar(loader *l, const yaml_node_t *node)
{
    pf_status st = pf_hook_config_set_text(l->config, l->key, scalar(node), l->err);
    return st == PF_ERR_USAGE ? refuse(l, node, "%s", l->err->text) : st;
}

static pf_status put_word(loader *l, const yaml_node_t *node)
{
    pf_hook_words_add(&l->words, scalar(node));
    return PF_OK;
}

static pf_status put_glob(loader *l, const yaml_node_t *node)
{
    pf_hook_words_put(&l->words, "--match", scalar(node));
    return PF_OK;
}

static pf_status put_value(loader *l, const yaml_node_t *node)
{
    const char *text = scalar(node), *name = l->option->name;
    bool flag = l->option->type == PF_OPTION_FLAG;
    bool on = strcmp(text, "yes") == 0 || strcmp(text, "true") == 0 || strcmp(text, "on") == 0;
    bool off = strcmp(text, "no") == 0 || strcmp(text, "false") == 0 || strcmp(text, "off") == 0;
    char *word = NULL;
    if (flag && !on) {
        return off ? PF_OK : refuse(l, node, "this option takes yes or no");
    }
    if (asprintf(&word, "--%s%s%s", name, flag ? "" : "=", flag ? "" : text) < 0) {
        l->words.failed = true;
        return PF_OK;
    }
    pf_hook_words_add(&l->words, word);
    free(word);
    return PF_OK;
}

static pf_status put_option(loader *l, const yaml_node_t *key, const yaml_node_t *value)
{
    const char *name = scalar(key) ? scalar(key) : "";
    size_t i = pf_options_find(l->pass->options, l->pass->option_count, name, strlen(name));
    if (i == l->pass->option_count || strcmp(l->pass->options[i].name, name) != 0) {
        return refuse(l, key, "'%.100s' is not an option of %s; 'postfetto analyze %s --help' lists them", name_of(key),
                      l->pass->name, l->pass->name);
    }
    l->option = &l->pass->options[i];
    return each_value(l, value, put_value, true);
}

static pf_status put_options(loader *l, const yaml_node_t *node)
{
    return node->type == YAML_MAPPING_NODE ? each_pair(l, node, put_option)
                                           : refuse(l, node, "options are a mapping of names to values");
}

/* One member of a pass that is written as a mapping. */
static pf_status put_member(loader *l, const yaml_node_t *key, const yaml_node_t *value)
{
    const char *name = name_of(key);
    taker *take = strcmp(name, "words") == 0 ? put_word : strcmp(name, "match") == 0 ? put_glob : NULL;
    if (take) {
        return each_value(l, value, take, true);
    }
    if (strcmp(name, "options") == 0) {
        return put_options(l, value);
    }
    return strcmp(name, "name") == 0
               ? PF_OK
               : refuse(l, key, "a pass has no '%.100s'; it has name, options, words and match", name);
}

static pf_status begin_pass(loader *l, const yaml_node_t *name)
{
    pf_hook_words_free(&l->words);
    l->pass = scalar(name) ? pf_pass_find(scalar(name)) : NULL;
    if (!l->pass) {
        return refuse(l, name, "unknown pass '%.100s'; 'postfetto analyze --list' shows the passes", name_of(name));
    }
    pf_hook_words_add(&l->words, l->pass->name);
    return PF_OK;
}

/* aie: {M: 64, ...} */
static pf_status add_member(loader *l, const yaml_node_t *name, const yaml_node_t *options)
{
    bool none = scalar(options) && scalar(options)[0] == '\0';
    PF_TRY(begin_pass(l, name));
    PF_TRY(none ? PF_OK : put_options(l, options));
    return pf_hook_config_add_pass(l->config, &l->words, l->err);
}

/* The node under "name", or NULL. */
static const yaml_node_t *name_in(loader *l, const yaml_node_t *node)
{
    for (const yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
        const char *key = scalar(node_of(l, p->key));
        if (key && strcmp(key, "name") == 0) {
            return node_of(l, p->value);
        }
    }
    return NULL;
}

/* 'aie --M 64', {name: aie, options: {...}, match: [...]}, or {aie: {M: 64, ...}}, where each member is a pass. */
static pf_status add_pass(loader *l, const yaml_node_t *node)
{
    if (scalar(node)) {
        return set_scalar(l, node);
    }
    if (node->type != YAML_MAPPING_NODE) {
        return refuse(l, node, "a pass is 'NAME OPTIONS' or a mapping with its name");
    }
    const yaml_node_t *name = name_in(l, node);
    if (!name) {
        return each_pair(l, node, add_member);
    }
    PF_TRY(begin_pass(l, name));
    PF_TRY(each_pair(l, node, put_member));
    return pf_hook_config_add_pass(l->config, &l->words, l->err);
}

static pf_status set_key(loader *l, const yaml_node_t *name, const yaml_node_t *value)
{
    l->key = scalar(name) ? pf_hook_key_named(scalar(name)) : NULL;
    if (!l->key) {
        return refuse(l, name, "unknown key '%.100s'; 'postfetto hook --help' lists the keys as options",
                      name_of(name));
    }
    if (strcmp(l->key->name, "pass") == 0) {
        return each_value(l, value, add_pass, false);
    }
    if (!pf_option_is_list(l->key) && !scalar(value)) {
        return refuse(l, value, "a single value belongs here");
    }
    return each_value(l, value, set_scalar, true);
}

static pf_status set_all(loader *l)
{
    const yaml_node_t *root = l->yaml.document_get_root_node(&l->document);
    if (!root || (scalar(root) && scalar(root)[0] == '\0')) {
        return PF_OK; /* an empty file sets nothing */
    }
    return root->type == YAML_MAPPING_NODE ? each_pair(l, root, set_key)
                                           : refuse(l, root, "the file must be a mapping of keys to values");
}

static pf_status load_from(loader *l, FILE *file)
{
    yaml_parser_t parser;
    if (!l->yaml.parser_initialize(&parser)) {
        return pf_no_memory(l->err);
    }
    l->yaml.parser_set_input_file(&parser, file);
    pf_status st;
    if (l->yaml.parser_load(&parser, &l->document)) {
        st = set_all(l);
        l->yaml.document_delete(&l->document);
        pf_hook_words_free(&l->words);
    } else {
        st = pf_fail(l->err, PF_ERR_USAGE, "line %zu: %s", parser.problem_mark.line + 1,
                     parser.problem ? parser.problem : "no YAML");
    }
    l->yaml.parser_delete(&parser);
    return st;
}

pf_status pf_hook_config_load(pf_hook_config *c, const char *path, pf_error *err)
{
    FILE *file = fopen(path, "rbe");
    if (!file) {
        return pf_fail(err, PF_ERR_INPUT, "cannot be read: %s", strerror(errno));
    }
    loader l = {.config = c, .err = err};
    pf_status st = pf_yaml_load(&l.yaml, err);
    st = st == PF_OK ? load_from(&l, file) : st;
    pf_yaml_unload(&l.yaml);
    fclose(file);
    return st;
}
