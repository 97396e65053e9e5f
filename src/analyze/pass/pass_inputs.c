/* analyze/pass/pass_inputs.c - which files a pass gets: from its options and the operands to a list of paths for each
 * role.
 *
 * A role first takes what its option names. Then the operands are dealt out: each role that takes operands gets as many
 * as it still lacks, and what is left goes to the first role that has room for it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "postfetto/author/pass.h"

typedef struct path_list {
    char **path;
    size_t count, room;
} path_list;

struct pf_pass_inputs {
    const pf_pass *pass;
    path_list roles[];
};

void pf_pass_inputs_free(pf_pass_inputs *in)
{
    for (size_t r = 0; in && r < in->pass->role_count; r++) {
        for (size_t i = 0; i < in->roles[r].count; i++) {
            free(in->roles[r].path[i]);
        }
        free(in->roles[r].path);
    }
    free(in);
}

size_t pf_pass_inputs_count(const pf_pass_inputs *in, size_t role)
{
    return role < in->pass->role_count ? in->roles[role].count : 0;
}

const char *pf_pass_inputs_path(const pf_pass_inputs *in, size_t role, size_t i)
{
    return i < pf_pass_inputs_count(in, role) ? in->roles[role].path[i] : NULL;
}

pf_status pf_pass_inputs_add(pf_pass_inputs *in, size_t role, pf_str path, pf_error *err)
{
    if (role >= in->pass->role_count) {
        return pf_fail(err, PF_ERR_INTERNAL, "pass %s has no role %zu", in->pass->name, role);
    }
    path_list *list = &in->roles[role];
    PF_TRY(PF_LIST_ROOM(NULL, list->path, list->count + 1, list->room, err));
    char *copy = strndup(path.ptr, path.len);
    PF_TRY(copy ? PF_OK : pf_no_memory(err));
    list->path[list->count++] = copy;
    return PF_OK;
}

/* One text of an option or operand: a path, or several where the role takes lists and there is no file of that name. */
static pf_status add_text(pf_pass_inputs *in, size_t role, const char *text, pf_error *err)
{
    static const char separators[] = ", \t\n";
    if (!in->pass->roles[role].is_list || access(text, F_OK) == 0) {
        return pf_pass_inputs_add(in, role, (pf_str){text, strlen(text)}, err);
    }
    for (const char *at = text + strspn(text, separators); *at; at += strspn(at, separators)) {
        size_t len = strcspn(at, separators);
        PF_TRY(pf_pass_inputs_add(in, role, (pf_str){at, len}, err));
        at += len;
    }
    return PF_OK;
}

static pf_status add_option(pf_pass_inputs *in, size_t role, const pf_option_value *values, pf_error *err)
{
    const pf_pass *p = in->pass;
    const char *name = p->roles[role].option;
    if (!name) {
        return PF_OK;
    }
    const pf_option_value *v = &values[pf_options_find(p->options, p->option_count, name, strlen(name))];
    if (v->count == 0) {
        return v->s.len ? add_text(in, role, v->s.ptr, err) : PF_OK;
    }
    for (size_t i = 0; i < v->count; i++) {
        PF_TRY(add_text(in, role, v->all[i].s.ptr, err));
    }
    return PF_OK;
}

static bool takes_operands(const pf_role *role)
{
    return !(role->option && role->option_only);
}

/* How many more files the role must have. */
static size_t lack(const pf_pass_inputs *in, size_t role)
{
    uint32_t least = in->pass->roles[role].least;
    return in->roles[role].count < least ? least - in->roles[role].count : 0;
}

static pf_status deal_operands(pf_pass_inputs *in, const char *const *operands, size_t count, pf_error *err)
{
    const pf_pass *p = in->pass;
    size_t needed = 0, at = 0;
    for (size_t r = 0; r < p->role_count; r++) {
        needed += takes_operands(&p->roles[r]) ? lack(in, r) : 0;
    }
    size_t spare = count > needed ? count - needed : 0;
    for (size_t r = 0; r < p->role_count; r++) {
        const pf_role *role = &p->roles[r];
        if (!takes_operands(role)) {
            continue;
        }
        size_t due = lack(in, r), had = in->roles[r].count;
        size_t room = !role->most ? SIZE_MAX : role->most > had + due ? role->most - had - due : 0;
        size_t more = spare < room ? spare : room;
        spare -= more;
        for (size_t end = at + due + more; at < end && at < count; at++) {
            PF_TRY(add_text(in, r, operands[at], err));
        }
    }
    return at == count ? PF_OK
                       : pf_fail(err, PF_ERR_USAGE, "'%.200s' is one input too many; see postfetto analyze %s --help",
                                 operands[at], p->name);
}

static pf_status check_counts(const pf_pass_inputs *in, pf_error *err)
{
    const pf_pass *p = in->pass;
    for (size_t r = 0; r < p->role_count; r++) {
        const pf_role *role = &p->roles[r];
        size_t count = in->roles[r].count;
        if (count < role->least) {
            return pf_fail(err, PF_ERR_USAGE, "%s needs %s%u file%s as %s, not %zu; see postfetto analyze %s --help",
                           p->name, role->most == role->least ? "" : "at least ", role->least,
                           role->least == 1 ? "" : "s", role->name, count, p->name);
        }
        if (role->most && count > role->most) {
            return pf_fail(err, PF_ERR_USAGE,
                           "%s takes at most %u file%s as %s, not %zu; see postfetto analyze %s "
                           "--help",
                           p->name, role->most, role->most == 1 ? "" : "s", role->name, count, p->name);
        }
    }
    return PF_OK;
}

static pf_status fill(pf_pass_inputs *in, const pf_option_value *values, const char *const *operands, size_t count,
                      pf_error *err)
{
    if (in->pass->inputs) {
        PF_TRY(in->pass->inputs(values, operands, count, in, err));
    } else {
        for (size_t r = 0; r < in->pass->role_count; r++) {
            PF_TRY(add_option(in, r, values, err));
        }
        PF_TRY(deal_operands(in, operands, count, err));
    }
    return check_counts(in, err);
}

pf_status pf_pass_gather(const pf_pass *p, const pf_option_value *values, const char *const *operands, size_t count,
                         pf_pass_inputs **out, pf_error *err)
{
    pf_pass_inputs *in = calloc(1, sizeof *in + p->role_count * sizeof *in->roles);
    *out = NULL;
    PF_TRY(in ? PF_OK : pf_no_memory(err));
    in->pass = p;
    pf_status st = fill(in, values, operands, count, err);
    if (st == PF_OK) {
        *out = in;
    } else {
        pf_pass_inputs_free(in);
    }
    return st;
}
