/* base/text/errno_text.h - what the system says of an errno, in English whatever the host's locale is. */
#ifndef PF_BASE_TEXT_ERRNO_TEXT_H
#define PF_BASE_TEXT_ERRNO_TEXT_H

const char *pf_errno_text(int number);

#endif
