/* write/chrome/chrome.h - a trace as Chrome JSON. */
#ifndef PF_WRITE_CHROME_CHROME_H
#define PF_WRITE_CHROME_CHROME_H

#include "base/budget.h"
#include "write/file/sink.h"

/* Writes the whole document, in pieces of some 64 KiB. */
pf_status pf_chrome_write(const pf_trace *t, pf_sink *sink, pf_budget *budget, pf_error *err);

#endif
