/* read/perfetto/descriptors/process_tree.c - processes and threads as the system lists them
 * (docs/reference/perfetto.md, "Processes and threads").
 *
 * The list is the better source for the names of processes and the worse one for those of threads, compared with track
 * descriptors; parents, users and command lines only stand here. A process without a command line says nothing and is
 * left out. Kernel workers append what they are working on to their name; that part is cut off.
 */
#include "base/str.h"
#include "perfetto/fields.h"
#include "read/perfetto/descriptors/descriptors.h"
#include "read/perfetto/import/lifetimes.h"
#include "trace_packet.pb-c.h"

typedef Pf__Proto__ProcessTreeProcess listed_process;
typedef Pf__Proto__ProcessTreeThread listed_thread;

#define KTHREADD 2 /* the parent of kernel threads */

static size_t length_before(pf_str text, char c)
{
    size_t at = pf_str_find(text, (pf_str){&c, 1});
    return at < text.len ? at : text.len;
}

static pf_str without_work(pf_str name)
{
    if (pf_str_starts(name, PF_STR("kworker/"))) {
        name.len = length_before(name, '-');
        name.len = length_before(name, '+');
    }
    return name;
}

static bool is_worker(const listed_process *p, pf_str name)
{
    bool of_kernel = p->is_kthread || p->cmdline_is_comm;
    return of_kernel || (p->ppid == KTHREADD && pf_str_starts(name, PF_STR("kworker/")));
}

/* The command, without arguments where they were not separated. */
static pf_str command_of(const listed_process *p)
{
    pf_str name = {(const char *)p->cmdline[0].data, p->cmdline[0].len};
    if (is_worker(p, name)) {
        return without_work(name);
    }
    if (p->n_cmdline == 1) {
        name.len = length_before(name, ' ');
    }
    return name;
}

/* The start is given in the boot clock. */
static void set_start(pf_import *im, const listed_process *p, uint32_t upid)
{
    int64_t start = (int64_t)p->process_start_from_boot;
    if (!p->has_process_start_from_boot || im->t->processes.start_ts[upid] != INT64_MIN) {
        return;
    }
    if (im->clocks.default_id && im->clocks.trace_id != PF_CLOCK_BOOTTIME &&
        pf_clocks_convert(&im->clocks, (pf_clock_key){PF_CLOCK_BOOTTIME, 0}, start, &start) != PF_CLOCK_OK) {
        return;
    }
    im->t->processes.start_ts[upid] = start;
}

/* The arguments joined by blanks; kernel threads have a name only. */
static void set_cmdline(pf_import *im, const listed_process *p, pf_str name, uint32_t upid)
{
    pf_buffer *b = &im->scratch;
    bool is_name = is_worker(p, name);
    b->len = 0;
    for (size_t i = 0; i < p->n_cmdline && !is_name; i++) {
        pf_buffer_put(b, " ", i > 0);
        pf_buffer_put(b, p->cmdline[i].data, p->cmdline[i].len);
    }
    uint32_t id = is_name ? pf_import_text(im, name) : pf_import_scratch(im);
    im->t->processes.cmdline[upid] = id ? id : im->t->processes.cmdline[upid];
}

/* A parent that changes is a child that was adopted: the first one counts. */
static void add_process(pf_import *im, const listed_process *p)
{
    pf_trace *t = im->t;
    if (p->n_cmdline == 0) {
        return;
    }
    uint32_t parent = pf_import_process(im, p->ppid), upid = pf_import_process(im, p->pid);
    uint32_t utid = im->lives ? 0 : pf_import_main_thread(im, upid); /* who lives has one since it began */
    if (upid == PF_NONE || utid == PF_NONE) {
        return;
    }
    pf_str name = command_of(p);
    set_start(im, p, upid);
    t->processes.parent_upid[upid] =
        t->processes.parent_upid[upid] == PF_NONE ? parent : t->processes.parent_upid[upid];
    t->processes.uid[upid] = p->has_uid ? p->uid : t->processes.uid[upid];
    if (p->has_is_kthread) {
        const pf_value v = {.type = PF_VALUE_BOOL, .as.b = p->is_kthread};
        pf_import_note(im, PF_OWNER_PROCESS, upid, PF_STR("is_kthread"), &v);
    }
    set_cmdline(im, p, name, upid);
    pf_import_set_process_name(im, upid, name, PF_RANK_PROCESS_TREE);
    if (p->is_kthread || p->cmdline_is_comm) {
        utid = im->lives ? pf_lives_thread(im, p->pid) : utid;
        pf_import_set_thread_name(im, utid, name, PF_RANK_THREAD_TREE);
    }
}

void pf_import_process_tree(pf_import *im, const pf_packet *p)
{
    const Pf__Proto__ProcessTree *m = pf_import_unpack(im, &pf__proto__process_tree__descriptor, &p->data);
    for (size_t i = 0; m && i < m->n_processes; i++) {
        add_process(im, m->processes[i]);
    }
    for (size_t i = 0; m && i < m->n_threads; i++) {
        const listed_thread *h = m->threads[i];
        uint32_t utid = pf_import_thread(im, h->tgid, h->tid);
        utid = im->lives && utid != PF_NONE ? pf_lives_thread(im, h->tid) : utid; /* the newest of that number */
        pf_import_set_thread_name(im, utid, h->has_name ? pf_text_of(h->name) : (pf_str){NULL, 0}, PF_RANK_THREAD_TREE);
    }
}
