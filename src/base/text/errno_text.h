/* base/text/errno_text.h - what the system says of an errno, in English whatever the host's locale is. */
#pragma once

const char *pf_errno_text(int number);
