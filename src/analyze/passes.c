/* analyze/passes.c - the table of passes, and what makes a row well made. A pass of ours is a line of the table; a
 * program adds its own with pf_pass_register.
 *
 * The table only grows. A row is stored before the count that covers it, so that a look-up meets whole rows only,
 * whatever other threads do. */
#include <stdatomic.h>
#include <string.h>

#include "analyze/pass/passes.h"

#define PASSES_MAX 64

enum { OURS = 6 };
static const pf_pass *_Atomic passes[PASSES_MAX] = {&pf_pass_aie,     &pf_pass_aiu,      &pf_pass_gpu,
                                                    &pf_pass_of_host, &pf_pass_neutrino, &pf_pass_tinygrad};
static _Atomic size_t pass_count = OURS;

size_t pf_pass_count(void)
{
    return pass_count;
}

const pf_pass *pf_pass_at(size_t i)
{
    return i < pass_count ? passes[i] : NULL;
}

const pf_pass *pf_pass_find(const char *name)
{
    for (size_t i = 0; i < pass_count; i++) {
        if (strcmp(passes[i]->name, name) == 0) {
            return passes[i];
        }
    }
    return NULL;
}

const pf_merge_rule *pf_pass_merge_rule(const pf_pass *p, size_t table)
{
    const pf_pass_partials *all = p->partials;
    return !all ? NULL : all->rules ? &all->rules[table] : &all->rule;
}

pf_status pf_pass_register(const pf_pass *p, pf_error *err)
{
    PF_TRY(pf_pass_check(p, err));
    if (pf_pass_find(p->name)) {
        return pf_fail(err, PF_ERR_INTERNAL, "there is a pass '%s' already", p->name);
    }
    if (pass_count == PASSES_MAX) {
        return pf_fail(err, PF_ERR_LIMIT, "there are %d passes already; build a library of your own", PASSES_MAX);
    }
    passes[pass_count] = p;
    pass_count++;
    return PF_OK;
}

/* A word that options, files and SQL can name: lower-case letters, digits and '_', also '-' if `dash`. */
static bool is_word(const char *text, bool dash)
{
    if (!text || text[0] < 'a' || text[0] > 'z') {
        return false;
    }
    for (; *text; text++) {
        if (!((*text >= 'a' && *text <= 'z') || (*text >= '0' && *text <= '9') || *text == '_' ||
              (dash && *text == '-'))) {
            return false;
        }
    }
    return true;
}

static const char *fault_of_role(const pf_pass *p, size_t r)
{
    const pf_role *role = &p->roles[r];
    size_t option = role->option ? pf_options_find(p->options, p->option_count, role->option, strlen(role->option)) : 0;
    if (!is_word(role->name, true) || (unsigned)role->kind > PF_ROLE_DOCUMENT || !role->help) {
        return "a name, kind or help is missing";
    }
    if (role->most && role->least > role->most) {
        return "the least number of files is above the most";
    }
    if (role->option && (option == p->option_count ||
                         !(p->options[option].type == PF_OPTION_PATH || p->options[option].type == PF_OPTION_TEXT))) {
        return "its option is none of the pass, or takes no path";
    }
    bool trace = role->kind == PF_ROLE_TRACE || role->kind == PF_ROLE_TRACES;
    if (!trace && (role->want || role->dialects)) {
        return "only traces have tables and dialects";
    }
    for (size_t i = 0; i < r; i++) {
        if (strcmp(p->roles[i].name, role->name) == 0) {
            return "the name occurs twice";
        }
    }
    return NULL;
}

static const char *fault_of_table(const pf_pass *p, size_t t)
{
    const pf_pass_table *table = &p->tables[t];
    if (!is_word(table->name, false) || !table->help || !table->columns || table->column_count == 0) {
        return "a name, help or column is missing";
    }
    for (size_t i = 0; i < t; i++) {
        if (strcmp(p->tables[i].name, table->name) == 0) {
            return "the name occurs twice";
        }
    }
    for (size_t i = 0; i < table->column_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(table->columns[i].name, table->columns[k].name) == 0) {
                return "a column occurs twice";
            }
        }
    }
    return NULL;
}

pf_status pf_pass_check(const pf_pass *p, pf_error *err)
{
    if (!is_word(p->name, true) || !p->summary || !p->run || p->role_count == 0) {
        return pf_fail(err, PF_ERR_INTERNAL, "pass '%.40s': a name, summary, role or function is missing",
                       p->name ? p->name : "");
    }
    pf_error inner;
    if (pf_options_check(p->options, p->option_count, &inner) != PF_OK) {
        return pf_fail(err, PF_ERR_INTERNAL, "pass %s: %.300s", p->name, inner.text);
    }
    for (size_t i = 0; i < p->role_count; i++) {
        const char *fault = fault_of_role(p, i);
        if (fault) {
            return pf_fail(err, PF_ERR_INTERNAL, "pass %s, role %zu: %s", p->name, i, fault);
        }
    }
    for (size_t i = 0; i < p->table_count; i++) {
        const char *fault = fault_of_table(p, i);
        if (fault) {
            return pf_fail(err, PF_ERR_INTERNAL, "pass %s, table %zu: %s", p->name, i, fault);
        }
    }
    for (size_t i = 0; i < p->stage_count; i++) {
        if (!p->stages[i].name || !p->stages[i].name[0]) {
            return pf_fail(err, PF_ERR_INTERNAL, "pass %s, stage %zu: the name is missing", p->name, i);
        }
    }
    return PF_OK;
}
