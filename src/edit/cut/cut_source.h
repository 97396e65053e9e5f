/* edit/cut/cut_source.h - how a part says which trace it was cut of, so that `merge` knows which parts belong together.
 */
#ifndef PF_EDIT_CUT_CUT_SOURCE_H
#define PF_EDIT_CUT_CUT_SOURCE_H

/* The trace attribute: a text of 16 hexadecimal digits, a hash of the trace's packets. */
#define PF_CUT_SOURCE "postfetto.cut.source"

#endif
