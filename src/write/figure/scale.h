/* write/figure/scale.h - from values to places, and what stands at an axis. */
#pragma once

#include "postfetto/figure.h"
#include "write/figure/canvas.h"

/* Values from least to most lie at `origin` to `origin + length`; a length below 0 goes up. */
typedef struct axis_scale {
    double least, most;
    double origin, length;
    pf_scale kind;
} axis_scale;

/* The values seen so far. */
typedef struct axis_range {
    double least, most;
    double positive; /* the least above 0, INFINITY if none */
    bool any;
} axis_range;
#define RANGE_NONE ((axis_range){0, 0, INFINITY, false})
void pf_range_add(axis_range *r, double v);

/* A scale for the range, which is not empty afterwards: a logarithmic one where all is above 0, else with 0 in it if
 * `zero`. `most`: where it ends, 0: at the largest. */
axis_scale pf_scale_of(const axis_range *r, pf_scale kind, bool zero, double most, double origin, double length);

/* Values beyond the ends lie at the ends. */
double pf_scale_place(const axis_scale *s, double v);

/* The values with a mark, in order: round ones in a unit of `divisor`. */
enum { TICKS = 16 };
unsigned pf_scale_ticks(const axis_scale *s, double divisor, double ticks[TICKS]);

/* In which unit numbers up to `most` are written: ns as ms, bytes as MiB, others with k, M, G. */
typedef struct axis_unit {
    double divisor;
    char name[24];      /* of the axis; "" for none */
    const char *suffix; /* of each number: "k" */
} axis_unit;
axis_unit pf_unit_of(pf_str name, double most);

/* The number with three or four digits. */
void pf_unit_number(pf_buffer *out, const axis_unit *u, double v);
