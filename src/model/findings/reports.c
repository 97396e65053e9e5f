/* model/findings/reports.c - the files that a pass reports, and copies of documents for them. */
#include "model/findings/findings.h"

void pf_findings_add_report(pf_findings *f, const pf_report *report)
{
    pf_report r = *report;
    r.file = pf_findings_keep(f, r.file);
    if (pf_findings_room(f, &f->reports.columns, f->reports.count, &f->reports.room)) {
        f->reports.row[f->reports.count++] = r;
    } else {
        pf_trace_free(r.trace);
    }
}

void pf_findings_report_json(pf_findings *f, pf_str file, const pf_node *root, bool announced)
{
    pf_findings_add_report(f, &(pf_report){.file = file, .form = PF_REPORT_JSON, .root = root, .announced = announced});
}

void pf_findings_report_markdown(pf_findings *f, pf_str file, const pf_table_builder *table, bool announced)
{
    const pf_report r = {.file = file, .form = PF_REPORT_MARKDOWN_DETAILS, .table = table, .announced = announced};
    pf_findings_add_report(f, &r);
}

void pf_findings_report_csv(pf_findings *f, pf_str file, const pf_table_builder *table, bool announced)
{
    pf_findings_add_report(f,
                           &(pf_report){.file = file, .form = PF_REPORT_CSV, .table = table, .announced = announced});
}

void pf_findings_report_text(pf_findings *f, pf_str file, const pf_text *text, bool announced)
{
    pf_findings_add_report(f,
                           &(pf_report){.file = file, .form = PF_REPORT_BYTES, .text = text, .announced = announced});
}

void pf_findings_report_trace(pf_findings *f, pf_str file, pf_trace *trace, pf_place place)
{
    const pf_report r = {.file = file, .form = PF_REPORT_TRACE, .trace = trace, .place = place, .announced = true};
    pf_findings_add_report(f, &r);
}

void pf_findings_print(pf_findings *f, const pf_text *text)
{
    pf_findings_add_report(f, &(pf_report){.form = PF_REPORT_BYTES, .text = text, .place = PF_PLACE_STDOUT});
}

size_t pf_findings_report_count(const pf_findings *f)
{
    return f->reports.count;
}

const pf_report *pf_findings_report(const pf_findings *f, size_t i)
{
    return i < f->reports.count ? &f->reports.row[i] : NULL;
}

/* One node without what is below it. */
static pf_node *copy_one(pf_findings *f, pf_node *parent, pf_str key, const pf_node *node)
{
    pf_node *n = parent ? pf_node_add(f, parent, key, node->type) : pf_node_root(f, node->type);
    if (n) {
        n->line = node->line;
        n->column = node->column;
        n->as = node->as;
        if (node->type == PF_NODE_TEXT || node->type == PF_NODE_RAW) {
            n->as.s = pf_findings_keep(f, node->as.s);
        }
    }
    return n;
}

/* A node that is being copied: its copy, and the child that is next. */
typedef struct pf_copying {
    pf_node *copy;
    const pf_node *next;
    struct pf_copying *outer;
} pf_copying;

pf_node *pf_node_copy(pf_findings *f, pf_node *parent, pf_str key, const pf_node *node)
{
    pf_node *root = node ? copy_one(f, parent, key, node) : NULL;
    pf_copying *top = root ? pf_findings_alloc(f, sizeof *top) : NULL, *unused = NULL;
    if (top) {
        *top = (pf_copying){root, node->first, NULL};
    }
    while (top) {
        const pf_node *child = top->next;
        if (!child) {
            pf_copying *outer = top->outer;
            top->outer = unused;
            unused = top;
            top = outer;
            continue;
        }
        top->next = child->next;
        pf_node *copy = copy_one(f, top->copy, child->key, child);
        if (!copy) {
            return NULL;
        }
        if (child->first) {
            pf_copying *inner = unused ? unused : pf_findings_alloc(f, sizeof *inner);
            unused = inner ? inner->outer : NULL;
            if (!inner) {
                return NULL;
            }
            *inner = (pf_copying){copy, child->first, top};
            top = inner;
        }
    }
    return root;
}
