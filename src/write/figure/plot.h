/* write/figure/plot.h - a figure on its way to a canvas: its columns found in the table, the legend, the rows of the
 * panel that is being drawn. */
#pragma once

#include "write/figure/scale.h"

enum { PLOT_COLUMNS = 12, LEGEND_MAX = 24, MARKS_MAX = 5000, CELLS_MAX = 40000, NO_COLUMN = -1 };

/* Distinct texts, in the order they came. */
typedef struct names {
    pf_buffer text;
    pf_buffer ends; /* of uint32_t */
    unsigned count, last;
} names;

/* The number of the text; `most` where it is a new one and there are so many already. */
unsigned pf_names_add(names *n, pf_str text, unsigned most);
pf_str pf_names_get(const names *n, unsigned i);
void pf_names_free(names *n);

typedef struct plot {
    const pf_figure *f;
    const pf_table *t;
    canvas *c;
    int label, panel, from, to, meaning;
    int values[PLOT_COLUMNS], tips[PLOT_COLUMNS];
    unsigned value_count, tip_count;
    names legend; /* what its entries are called; their colours: */
    uint8_t colours[LEGEND_MAX];
    names panels;
    unsigned in_panel;
    double y;          /* where the next thing is drawn */
    pf_buffer scratch; /* of pf_plot_text */
    bool failed;       /* memory was refused */
} plot;

/* Finds the columns. PF_ERR_INTERNAL where one is missing. */
pf_status pf_plot_open(plot *p, const pf_figure *f, pf_error *err);
void pf_plot_close(plot *p);

/* The first row from *row on that is in the panel; false: none. */
bool pf_plot_row(plot *p, size_t *row);

/* A number of the table; false: NULL, or a text. */
bool pf_plot_number(const plot *p, size_t row, int column, double *v);

/* A cell as text, until the next call. */
pf_str pf_plot_text(plot *p, size_t row, int column);

/* The colour of the i-th of `values`, by its meaning; that of a row. */
unsigned pf_plot_value_colour(plot *p, unsigned i);
unsigned pf_plot_row_colour(plot *p, size_t row, unsigned i);

/* The tooltip of the row's mark, with the i-th value, or all values where i is value_count. */
void pf_plot_tip(plot *p, size_t row, unsigned i);

/* The units of the values and of the axis of `from`. */
pf_str pf_plot_unit(const plot *p, bool from);

/* How many marks, or lanes, are drawn. */
size_t pf_plot_most(const plot *p);

/* Text at a place, shortened where it is wider than `room`. */
void pf_plot_write(plot *p, double x, double y, align a, font f, pf_str text, double room);
void pf_plot_write_number(plot *p, double x, double y, align a, const axis_unit *u, double v);
void pf_plot_line(plot *p, double x1, double y1, double x2, double y2, unsigned colour);

/* Axes of the box with marks, grid lines, numbers and unit: below it, which moves y, and at its left. */
void pf_plot_axis_below(plot *p, const axis_scale *s, double top, pf_str unit_name);
void pf_plot_axis_left(plot *p, const axis_scale *s, double left, double right, pf_str unit_name);

/* "Not drawn: ..." below the figure. */
void pf_plot_rest(plot *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- the kinds: they draw the panel from y on, and move y ----------------------------------------------------------
 */

void pf_plot_rows(plot *p, const axis_range *r);   /* row_kinds.c: STACKED, BARS, INTERVALS, WATERFALL */
void pf_plot_lanes(plot *p, const axis_range *r);  /* lane_kinds.c: STRIP, GANTT */
void pf_plot_points(plot *p, const axis_range *r); /* point_kinds.c: HISTOGRAM, LINE, SCATTER */
void pf_plot_cells(plot *p, const axis_range *r);  /* cell_kind.c */
