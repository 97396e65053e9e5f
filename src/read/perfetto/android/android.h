/* read/perfetto/android/android.h - what Android's own kernel events and packets say. */
#ifndef PF_READ_PERFETTO_ANDROID_ANDROID_H
#define PF_READ_PERFETTO_ANDROID_ANDROID_H

#include "read/perfetto/system/kernel_events.h"

/* binder.c: calls between processes; events are applied in the order of time. */
void pf_event_binder_call(pf_import *im, const pf_ftrace_now *now);
void pf_event_binder_arrival(pf_import *im, const pf_ftrace_now *now);
void pf_event_binder_buffer(pf_import *im, const pf_ftrace_now *now);
void pf_event_binder_command(pf_import *im, const pf_ftrace_now *now);
void pf_event_binder_return(pf_import *im, const pf_ftrace_now *now);
void pf_event_binder_lock(pf_import *im, const pf_ftrace_now *now);

void pf_binder_free(pf_import *im);

/* frame_timelines.c: a packet, in the order of time. */
void pf_import_frame_timeline(pf_import *im, const pf_packet *p);
void pf_frames_free(pf_import *im);

/* power.c: packets in file order; what rails measured becomes samples when all were read. */
void pf_import_battery(pf_import *im, const pf_packet *p);
void pf_import_power_rails(pf_import *im, const pf_packet *p);
void pf_rails_settle(pf_import *im);
void pf_rails_free(pf_import *im);

/* system_properties.c */
void pf_import_system_property(pf_import *im, const pf_packet *p);
void pf_import_display_state(pf_import *im, const pf_packet *p);

#endif
