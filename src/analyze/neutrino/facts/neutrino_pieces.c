/* analyze/neutrino/facts/neutrino_pieces.c - keeps what comes out of sections for a partial. */
#include <stdlib.h>

#include "analyze/neutrino/facts/neutrino.h"
#include "postfetto/write.h"

void pf_neutrino_begin_unit(const neutrino_run *n, uint32_t unit)
{
    if (n->parts) {
        n->parts->unit = unit;
    }
}

static bool keeps(const neutrino_run *n)
{
    return n->parts && n->parts->keeps && n->parts->unit != PF_NONE;
}

/* NULL: memory was refused, and the findings fail. */
static neutrino_piece *add(const neutrino_run *n, neutrino_piece_kind kind, pf_str name, pf_str text)
{
    neutrino_parts *p = n->parts;
    pf_error err;
    pf_status st = PF_ARENA_ROOM(n->arena, p->kept, p->count + 1, p->room, &err);
    char *copy = st == PF_OK && text.ptr ? pf_arena_copy(n->arena, text.ptr, text.len) : NULL;
    st = st == PF_OK && text.ptr && !copy ? pf_budget_refused(n->arena->budget, text.len, &err) : st;
    if (st != PF_OK) {
        pf_findings_fail(n->f, &err);
        return NULL;
    }
    p->kept[p->count] = (neutrino_piece){.unit = p->unit, .kind = kind, .name = name, .text = {copy, text.len}};
    return &p->kept[p->count++];
}

void pf_neutrino_keep(const neutrino_run *n, neutrino_piece_kind kind, pf_str name, pf_str text)
{
    if (keeps(n)) {
        add(n, kind, name, text);
    }
}

void pf_neutrino_keep_document(const neutrino_run *n, neutrino_piece_kind kind, pf_str name, const pf_node *root)
{
    char *text;
    size_t len;
    pf_error err;
    if (!keeps(n) || !root) {
        return;
    }
    if (pf_format_json_styled(root, &(pf_json_style){.one_line = true}, &text, &len, &err) != PF_OK) {
        pf_findings_fail(n->f, &err);
        return;
    }
    add(n, kind, name, (pf_str){text, len});
    free(text);
}

void pf_neutrino_keep_row(const neutrino_run *n, unsigned table, const char *name)
{
    if (!keeps(n)) {
        return;
    }
    neutrino_parts *p = n->parts;
    neutrino_piece *last = p->count ? &p->kept[p->count - 1] : NULL;
    bool same = last && last->kind == NEUTRINO_ROWS && last->unit == p->unit && last->table == table;
    last = same ? last : add(n, NEUTRINO_ROWS, pf_str_of(name), (pf_str){NULL, 0});
    if (last) {
        last->table = table;
        last->rows++;
    }
}
