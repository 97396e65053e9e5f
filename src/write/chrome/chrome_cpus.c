/* write/chrome/chrome_cpus.c - what each cpu ran, as complete events: a process "CPUs" with a thread for each of them.
 *
 * JSON has no other place for it. A run that does not end is a begin; the idle thread is the time between runs.
 */
#include "base/text/json_text.h"
#include "write/chrome/chrome_event.h"

#define CPUS_PID (((int64_t)1 << 30) - 1) /* below those of processes whose pid another input has */

static void put_cpu(pf_chrome *c, int64_t cpu)
{
    pf_chrome_put(c, ",\"pid\":");
    pf_chrome_put_int(c, CPUS_PID);
    pf_chrome_put(c, ",\"tid\":");
    pf_chrome_put_int(c, cpu);
}

void pf_chrome_name_cpus(pf_chrome *c)
{
    const pf_side_table *s = &c->t->sides.known[PF_SIDE_CPU];
    for (uint32_t i = 0; i < s->count && c->t->sides.known[PF_SIDE_SCHED].count; i++) {
        int64_t cpu = *pf_side_number(s, PF_CPU_UCPU, i);
        if (i == 0) {
            pf_chrome_begin(c, 'M');
            put_cpu(c, cpu);
            pf_chrome_put(c, ",\"name\":\"process_name\",\"args\":{\"name\":\"CPUs\"}}");
        }
        pf_chrome_begin(c, 'M');
        put_cpu(c, cpu);
        pf_chrome_put(c, ",\"name\":\"thread_name\",\"args\":{\"name\":\"CPU ");
        pf_chrome_put_int(c, cpu);
        pf_chrome_put(c, "\"}}");
    }
}

void pf_chrome_put_run(pf_chrome *c, uint32_t row)
{
    const pf_side_table *s = &c->t->sides.known[PF_SIDE_SCHED];
    const pf_threads *threads = pf_trace_threads(c->t);
    uint32_t utid = *pf_side_ref(s, PF_SCHED_UTID, row), upid = threads->upid[utid];
    int64_t dur = *pf_side_number(s, PF_SCHED_DUR, row);
    pf_str name = pf_trace_string(c->t, threads->name[utid]);
    pf_str state = pf_trace_string(c->t, *pf_side_ref(s, PF_SCHED_END_STATE, row));
    if (threads->tid[utid] == 0) {
        return;
    }
    pf_chrome_begin(c, dur < 0 ? 'B' : 'X');
    pf_chrome_put(c, ",\"name\":");
    if (name.len) {
        pf_json_put_text(&c->out, name);
    } else {
        pf_chrome_put(c, "\"");
        pf_chrome_put_int(c, threads->tid[utid]);
        pf_chrome_put(c, "\"");
    }
    pf_chrome_put(c, ",\"cat\":\"sched\"");
    put_cpu(c, *pf_side_ref(s, PF_SCHED_UCPU, row));
    pf_chrome_put_time(c, ",\"ts\":", *pf_side_number(s, PF_SCHED_TS, row));
    if (dur >= 0) {
        pf_chrome_put_time(c, ",\"dur\":", dur);
    }
    pf_chrome_put(c, ",\"args\":{\"tid\":");
    pf_chrome_put_int(c, threads->tid[utid]);
    if (upid != PF_NONE) {
        pf_chrome_put(c, ",\"pid\":");
        pf_chrome_put_int(c, pf_trace_processes(c->t)->pid[upid]);
    }
    pf_chrome_put(c, ",\"priority\":");
    pf_chrome_put_int(c, *pf_side_number(s, PF_SCHED_PRIORITY, row));
    if (state.len) {
        pf_chrome_put(c, ",\"end_state\":");
        pf_json_put_text(&c->out, state);
    }
    pf_chrome_put(c, "}}");
}
