/* write/file/original.h - the bytes of an input once more, as they are stored. */
#pragma once

#include "output/sink.h"

/* The only input as it is stored, or what is inside if it is a zip; without what is to be replaced (t->replaced). Only
 * between members and frames, but of a zip. */
pf_status pf_copy_original(const pf_trace *t, pf_sink *sink, pf_error *err);
