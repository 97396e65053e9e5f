/* edit/cut/cut_source.h - what parts say for `merge`: of which trace they were cut, and what they were in the whole.
 */
#pragma once

/* The trace attribute: a text of 16 hexadecimal digits, a hash of the trace's packets. */
#define PF_CUT_SOURCE "postfetto.cut.source"

/* The phase of the end of a legacy flow that did not begin in the window: it means nothing to anybody. This phase, or
 * 's' of a step that is the first one in the window, comes last in the legacy event, after the phase in the whole. */
#define PF_CUT_HELD_PHASE 'h'

/* Fields of a bundle of ftrace events in a part: what its cpu ran when the part begins is said by the first entry of
 * its list, or by its last event, which is a switch from before: the value is when that was, in the bundle's clock. */
enum { PF_CUT_LEAD_ENTRY = 53270, PF_CUT_LEAD_EVENT };
