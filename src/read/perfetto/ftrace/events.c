/* read/perfetto/ftrace/events.c - ftrace events by their kind: who takes them.
 *
 * To handle one more kind: add a row to KINDS, at the number of its message in FtraceEvent, with a function of
 * (import, now): the message is now->fields, the thread that ran pf_lives_thread(im, now->event->tid), and
 * pf_import_track, pf_import_add_sample and pf_import_add_event make what it says. Functions are called in order of
 * time.
 *
 * Events from before the recording count only as rows of events, or not at all; which threads such rows name is known
 * all the same.
 */
#include "read/perfetto/android/android.h"
#include "read/perfetto/ftrace/ftrace.h"

/* Work that a kernel thread does for others is a slice of it, called as the function. */
static void take_work(pf_import *im, const pf_ftrace_now *now)
{
    enum { EXECUTE_START = 58, FUNCTION = 2 };
    bool begin = now->event->kind == EXECUTE_START;
    uint64_t function = pf_cursor_last(now->fields, PF_TAG_VARINT(FUNCTION)).value;
    uint32_t utid = pf_lives_thread(im, now->event->tid), name = begin ? pf_ftrace_symbol(im, now->event, function) : 0;
    if (begin && !name) {
        im->scratch.len = 0;
        pf_buffer_format(&im->scratch, "0x%llx", (unsigned long long)function);
        name = pf_import_scratch(im);
    }
    uint32_t track = pf_import_failed(im) ? PF_NONE : pf_trace_thread_track(im->t, utid, im->err);
    const pf_system_arg cpu = {"cpu", PF_VALUE_INT, now->cpu};
    pf_system_event(im, now->ts, begin ? 'B' : 'E', track, name, pf_import_word(im, "workqueue"), &cpu, begin);
}

typedef void (*event_taker)(pf_import *im, const pf_ftrace_now *now);

static const event_taker KINDS[] = {
    [3] = pf_event_print,            /* print */
    [4] = pf_ftrace_switch,          /* sched_switch */
    [11] = pf_event_counter,         /* cpu_frequency */
    [12] = pf_event_counter,         /* cpu_frequency_limits */
    [13] = pf_event_counter,         /* cpu_idle */
    [14] = pf_event_counter,         /* clock_enable */
    [15] = pf_event_counter,         /* clock_disable */
    [16] = pf_event_counter,         /* clock_set_rate */
    [18] = pf_ftrace_blocked_reason, /* sched_blocked_reason */
    [20] = pf_ftrace_waking,         /* sched_waking */
    [24] = pf_event_softirq,         /* softirq_entry */
    [25] = pf_event_softirq,         /* softirq_exit */
    [36] = pf_event_irq,             /* irq_handler_entry */
    [37] = pf_event_irq,             /* irq_handler_exit */
    [50] = pf_event_binder_call,     /* binder_transaction */
    [51] = pf_event_binder_arrival,  /* binder_transaction_received */
    [53] = pf_event_binder_lock,     /* binder_lock */
    [54] = pf_event_binder_lock,     /* binder_locked */
    [55] = pf_event_binder_lock,     /* binder_unlock */
    [57] = take_work,                /* workqueue_execute_end */
    [58] = take_work,                /* workqueue_execute_start */
    [80] = pf_event_mark,            /* tracing_mark_write of mdss */
    [113] = pf_event_suspend,        /* suspend_resume */
    [235] = pf_ftrace_new_task,      /* task_newtask */
    [236] = pf_ftrace_rename,        /* task_rename */
    [240] = pf_ftrace_free_task,     /* sched_process_free */
    [313] = pf_event_rss,            /* rss_stat */
    [323] = pf_event_binder_buffer,  /* binder_transaction_alloc_buf */
    [324] = pf_event_signal,         /* signal_deliver */
    [325] = pf_event_signal,         /* signal_generate */
    [326] = pf_event_oom_score,      /* oom_score_adj_update */
    [329] = pf_event_syscall,        /* sys_enter */
    [330] = pf_event_syscall,        /* sys_exit */
    [331] = pf_event_mark,           /* zero */
    [332] = pf_event_gpu_frequency,  /* gpu_frequency */
    [333] = pf_event_mark,           /* sde_tracing_mark_write */
    [334] = pf_event_mark_victim,    /* mark_victim */
    [340] = pf_event_gpu_memory,     /* gpu_mem_total */
    [348] = pf_event_mark,           /* dpu_tracing_mark_write */
    [351] = pf_event_dma_heap,       /* dma_heap_stat */
    [404] = pf_event_wakelock,       /* wakeup_source_activate */
    [405] = pf_event_wakelock,       /* wakeup_source_deactivate */
    [409] = pf_event_vblank,         /* drm_vblank_event */
    [410] = pf_event_vblank,         /* drm_vblank_event_delivered */
    [411] = pf_event_drm_job,        /* drm_sched_job */
    [412] = pf_event_drm_job,        /* drm_run_job */
    [413] = pf_event_drm_job,        /* drm_sched_process_job */
    [414] = pf_event_fence,          /* dma_fence_init */
    [415] = pf_event_fence,          /* dma_fence_emit */
    [416] = pf_event_fence,          /* dma_fence_signaled */
    [417] = pf_event_fence_wait,     /* dma_fence_wait_start */
    [418] = pf_event_fence_wait,     /* dma_fence_wait_end */
    [421] = pf_event_counter,        /* sched_cpu_util_cfs */
    [422] = pf_event_v4l2,           /* v4l2_qbuf */
    [423] = pf_event_v4l2,           /* v4l2_dqbuf */
    [424] = pf_event_v4l2,           /* vb2_v4l2_buf_queue */
    [425] = pf_event_v4l2,           /* vb2_v4l2_buf_done */
    [426] = pf_event_v4l2,           /* vb2_v4l2_qbuf */
    [427] = pf_event_v4l2,           /* vb2_v4l2_dqbuf */
    [465] = pf_event_cma,            /* cma_alloc_start */
    [466] = pf_event_cma,            /* cma_alloc_info */
    [468] = pf_event_virtio_gpu,     /* virtio_gpu_cmd_queue */
    [469] = pf_event_virtio_gpu,     /* virtio_gpu_cmd_response */
    [485] = pf_event_binder_command, /* binder_command */
    [486] = pf_event_binder_return,  /* binder_return */
    [559] = pf_event_local_timer,    /* local_timer_entry */
    [560] = pf_event_local_timer,    /* local_timer_exit */
    [576] = pf_event_cma,            /* cma_alloc_finish */
    [577] = pf_event_cma,            /* mm_alloc_contig_migrate_range_info */
    [592] = pf_event_drm_job,        /* drm_sched_job_done */
    [593] = pf_event_drm_job,        /* drm_sched_job_queue */
    [594] = pf_event_drm_job,        /* drm_sched_job_run */
};

void pf_ftrace_apply_event(pf_import *im, uint32_t cpu, const pf_ftrace_event *e, const pf_sched_said *said)
{
    const pf_ftrace_now now = {e->ts, cpu, e, pf_cursor_over(e->body, e->len), said};
    event_taker take = e->kind < sizeof KINDS / sizeof *KINDS ? KINDS[e->kind] : NULL;
    bool quiet;
    if (!pf_ftrace_counts(im, e->ts, &quiet) || (quiet && e->kind == PF_EVENT_SWITCH)) {
        return;
    }
    im->ftrace->cpu[cpu].seen = true;
    pf_ftrace_cover(im->ftrace, e->ts);
    if (e->kind != PF_EVENT_SWITCH) { /* whose row is of the thread that stops */
        pf_ftrace_add_raw(im, &now, pf_lives_thread(im, e->tid));
    }
    if (e->kind >= PF_FTRACE_DESCRIBED && e->kind < 2 * PF_FTRACE_DESCRIBED &&
        pf_map_get(&im->ftrace->described, e->kind) == PF_NONE) {
        pf_trace_count(im->t, PF_STAT_FTRACE_DESCRIPTOR, PF_NOWHERE);
    }
    if (take && !quiet) {
        take(im, &now);
    }
}
