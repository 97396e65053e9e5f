/* postfetto/figure.h - figures: what a pass wants drawn of its report tables.
 *
 * A figure is data: a kind, a table, and which columns are what. Nothing is drawn here; one renderer (pf_figure_svg in
 * write.h) makes the pictures of the report page, of --pictures and of notebooks from it, so a figure's numbers are the
 * table's. Columns are named as the table names them; a list of columns has commas between them. A column that the
 * table has not is PF_ERR_INTERNAL when the figure is drawn; a NULL cell is left out.
 *
 *     kind        one mark is        place                            length, height or colour
 *     STACKED     a row              label                            values: its parts, one after the other
 *     BARS        a row              label                            values: a bar for each column
 *     HISTOGRAM   a row, a bin       from, to                         values: one column
 *     INTERVALS   a row              label                            values: the middle; from, to: its ends
 *     STRIP       a row              label: the lane; from, to: time  values: height within the lane
 *     HEAT_MAP    a row, a cell      label: the line; from: column    values: the colour
 *     GANTT       a row              label: the lane; from, to: time  meaning
 *     WATERFALL   a row              label                            values: what it adds (or takes) to those before;
 *                                                                     one that means "total" stands on 0
 *     LINE        a point            from                             values: a line for each column
 *     SCATTER     a row              from                             values: one column
 *
 * LINE with `label` draws a line for each text of that column.
 */
#ifndef POSTFETTO_FIGURE_H
#define POSTFETTO_FIGURE_H

#include "postfetto/findings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pf_figure_kind {
    PF_FIGURE_STACKED,
    PF_FIGURE_BARS,
    PF_FIGURE_HISTOGRAM,
    PF_FIGURE_INTERVALS,
    PF_FIGURE_STRIP,
    PF_FIGURE_HEAT_MAP,
    PF_FIGURE_GANTT,
    PF_FIGURE_WATERFALL,
    PF_FIGURE_LINE,
    PF_FIGURE_SCATTER
} pf_figure_kind;

typedef enum pf_scale { PF_SCALE_LINEAR, PF_SCALE_LOG } pf_scale;

/* Texts are static or live as long as the findings; NULL and {NULL, 0}: not given. */
typedef struct pf_figure {
    const char *name; /* of its file, without an ending: "gpu_devices" */
    pf_figure_kind kind;
    pf_str title; /* what it shows, as one line */
    pf_str note;  /* how to read it, where that needs saying */
    const pf_table_builder *table;
    const char *label;
    const char *panel; /* a column: a panel on the same scales for each of its texts */
    pf_str panel_only; /* rows with this text in `panel` alone, which is not said then; {NULL, 0}: all */
    const char *from, *to;
    const char *values;
    const char *value_names; /* what the legend calls `values`, commas between them; NULL: as the columns are called */
    /* What colours mean, which decides them (docs/reference/figures.md lists the words: compute, communication, idle,
     * slower, ...). `meanings` has a word for each of `values`; `meaning` is a column whose text is the word of a row.
     * A word that is not in the list gets the next free colour. Neither: one colour. */
    const char *meanings;
    const char *meaning;
    const char *tip;      /* columns that the tooltip of a mark says besides */
    pf_str unit;          /* of the values; {NULL, 0}: that of the first column of `values` */
    pf_str from_unit;     /* likewise of `from` and `to` */
    pf_scale value_scale; /* of the values: of lengths, heights and colours */
    pf_scale from_scale;
    double most;        /* where the scale of the values ends, 100 for shares; 0: at the largest */
    double mark;        /* INTERVALS: where "the same" is; others: a line at this value. 0: none */
    pf_str mark_name;   /* what the line is */
    double roof, slope; /* SCATTER: a roof over the points, values <= min(roof, slope * from); 0: none */
    size_t rows;        /* the most marks, or lanes, that are drawn, the first ones of the table; 0: 40 */
    bool png;           /* --pictures writes it as PNG, too */
} pf_figure;

/* Adds a figure; it is copied, the table is looked at when the figure is drawn. The copy lives as long as the findings;
 * NULL if refused, or the table is NULL. Figures are shown in this order: the first one is the chart of the first
 * screen. */
PF_API const pf_figure *pf_findings_add_figure(pf_findings *f, const pf_figure *figure);
PF_API size_t pf_findings_figure_count(const pf_findings *f);
PF_API const pf_figure *pf_findings_figure(const pf_findings *f, size_t i);

#ifdef __cplusplus
}
#endif
#endif
