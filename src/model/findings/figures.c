/* model/findings/figures.c - the figures of a pass, in order. */
#include "postfetto/figure.h"

#include "model/findings/findings.h"

typedef struct pf_figure_row {
    pf_figure figure;
    struct pf_figure_row *next;
} pf_figure_row;

const pf_figure *pf_findings_add_figure(pf_findings *f, const pf_figure *figure)
{
    pf_figure_row *row = figure->table ? pf_findings_alloc(f, sizeof *row) : NULL;
    if (!row) {
        return NULL;
    }
    row->figure = *figure;
    if (f->last_figure) {
        f->last_figure->next = row;
    } else {
        f->figures = row;
    }
    f->last_figure = row;
    f->figure_count++;
    return &row->figure;
}

size_t pf_findings_figure_count(const pf_findings *f)
{
    return f->figure_count;
}

const pf_figure *pf_findings_figure(const pf_findings *f, size_t i)
{
    const pf_figure_row *row = f->figures;
    while (row && i--) {
        row = row->next;
    }
    return row ? &row->figure : NULL;
}
