/* write/figure/figure_file.h - figures as files. */
#pragma once

#include "base/buffer.h"
#include "postfetto/figure.h"

/* The report's figure, as PNG where its file's name ends so, else as SVG. */
pf_status pf_figure_file(const pf_report *report, pf_buffer *out, pf_error *err);
