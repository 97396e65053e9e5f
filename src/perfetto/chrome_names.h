/* perfetto/chrome_names.h - what Chrome's types of processes and threads are called. */
#pragma once

#include "base/str.h"

enum { PF_CHROME_PROCESS_RENDERER = 2, PF_CHROME_PROCESS_EXTENSION = 40 };

/* {NULL, 0} for unspecified and unknown types. */
pf_str pf_chrome_process_name(int32_t type);
pf_str pf_chrome_thread_name(int32_t type);
