/* model/trace/aie_names.h - processes whose names say that their times are cycles of AMD AI Engine cores. */
#pragma once

#include "base/str.h"

/* "core_trace for tile2,1" and the like: no other tool calls a process so. */
bool pf_is_aie_process(pf_str name);
