/* read/perfetto/apply/undecoded_times.c - when packets happened that no table here has a row for.
 *
 * Perfetto's engine bounds a trace by its tables, those of frames and profiles among them. Their packets are not
 * decoded here, but their times count, so that a recording is as long here as it is there.
 *
 * A reader that decodes one of these sources takes its packets before they get here.
 */
#include "read/perfetto/apply/packet_apply.h"

void pf_import_cover_packet(pf_import *im, const pf_packet *p)
{
    if (p->at->when == PF_WHEN_KNOWN && p->at->ts >= 0) {
        pf_trace_cover(im->t, p->at->ts, p->at->ts);
    }
}
