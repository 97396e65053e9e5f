/* read/perfetto/descriptors/process_tree.c - processes and threads as the system lists them
 * (docs/reference/perfetto.md, "Processes and threads").
 *
 * The list is the better source for the names of processes and the worse one for those of threads, compared with track
 * descriptors; parents, users and command lines only stand here. A process without a command line says nothing and is
 * left out. Kernel workers append what they are working on to their name; that part is cut off.
 */
#include "read/perfetto/descriptors/process_tree.h"
#include "perfetto/fields.h"
#include "read/perfetto/descriptors/track_descriptors.h"
#include "trace_packet.pb-c.h"

typedef Pf__Proto__ProcessTreeProcess listed_process;
typedef Pf__Proto__ProcessTreeThread listed_thread;

static size_t length_before(pf_str text, char c)
{
    const char *at = text.len ? memchr(text.ptr, c, text.len) : NULL;
    return at ? (size_t)(at - text.ptr) : text.len;
}

static pf_str without_work(pf_str name)
{
    static const char worker[] = "kworker/";
    if (name.len > sizeof worker - 1 && memcmp(name.ptr, worker, sizeof worker - 1) == 0) {
        name.len = length_before(name, '-');
        name.len = length_before(name, '+');
    }
    return name;
}

/* The command, without arguments where they were not separated. */
static pf_str command_of(const listed_process *p)
{
    pf_str name = {(const char *)p->cmdline[0].data, p->cmdline[0].len};
    if (p->is_kthread || p->cmdline_is_comm) {
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
static pf_status set_cmdline(pf_import *im, const listed_process *p, pf_str name, uint32_t upid)
{
    pf_buffer *b = &im->scratch;
    b->len = 0;
    for (size_t i = 0; i < p->n_cmdline && !p->is_kthread && !p->cmdline_is_comm; i++) {
        pf_buffer_put(b, " ", i > 0);
        pf_buffer_put(b, p->cmdline[i].data, p->cmdline[i].len);
    }
    if (b->failed) {
        return pf_budget_refused(&im->t->budget, b->len, im->err);
    }
    pf_str text = p->is_kthread || p->cmdline_is_comm ? name : (pf_str){b->len ? b->data : "", b->len};
    uint32_t id = pf_strings_add(&im->t->strings, text.ptr, text.len, im->err);
    im->t->processes.cmdline[upid] = id == PF_NONE ? im->t->processes.cmdline[upid] : id;
    return id == PF_NONE ? im->err->code : PF_OK;
}

/* What is known of a process besides its name. A parent that changes is a child that was adopted: the first one counts.
 */
static pf_status set_details(pf_import *im, const listed_process *p, pf_str name, uint32_t upid, uint32_t parent)
{
    pf_trace *t = im->t;
    pf_status st = PF_OK;
    if (t->processes.parent_upid[upid] == PF_NONE) {
        t->processes.parent_upid[upid] = parent;
    }
    if (p->has_uid) {
        t->processes.uid[upid] = p->uid;
    }
    if (p->has_is_kthread) {
        const pf_value v = {.type = PF_VALUE_BOOL, .as.b = p->is_kthread};
        st = pf_import_note(im, PF_OWNER_PROCESS, upid, PF_STR("is_kthread"), &v);
    }
    return st == PF_OK ? set_cmdline(im, p, name, upid) : st;
}

static pf_status add_process(pf_import *im, const listed_process *p)
{
    if (p->n_cmdline == 0) {
        return PF_OK;
    }
    uint32_t parent = pf_uuid_process(im->t, p->ppid, im->err);
    uint32_t upid = parent == PF_NONE ? PF_NONE : pf_uuid_process(im->t, p->pid, im->err);
    uint32_t utid = upid == PF_NONE ? PF_NONE : pf_uuid_main_thread(im->t, upid, im->err);
    if (utid == PF_NONE) {
        return im->err->code;
    }
    pf_str name = command_of(p);
    set_start(im, p, upid);
    pf_status st = set_details(im, p, name, upid, parent);
    if (st == PF_OK) {
        st = pf_import_set_process_name(im, upid, name, PF_RANK_PROCESS_TREE);
    }
    if (st == PF_OK && (p->is_kthread || p->cmdline_is_comm)) {
        st = pf_import_set_thread_name(im, utid, name, PF_RANK_THREAD_TREE);
    }
    return st;
}

static pf_status add_thread(pf_import *im, const listed_thread *h)
{
    uint32_t utid = pf_uuid_thread(im->t, h->tgid, h->tid, im->err);
    return utid == PF_NONE ? im->err->code
                           : pf_import_set_thread_name(im, utid, (pf_str){(const char *)h->name.data, h->name.len},
                                                       PF_RANK_THREAD_TREE);
}

pf_status pf_import_process_tree(pf_import *im, const pf_field *data)
{
    const Pf__Proto__ProcessTree *m = (const Pf__Proto__ProcessTree *)pf_cold_unpack(
        &im->cold, &pf__proto__process_tree__descriptor, data->bytes, data->len, im->err);
    pf_status st = m ? PF_OK : im->err->code;
    for (size_t i = 0; m && i < m->n_processes && st == PF_OK; i++) {
        st = add_process(im, m->processes[i]);
    }
    for (size_t i = 0; m && i < m->n_threads && st == PF_OK; i++) {
        st = add_thread(im, m->threads[i]);
    }
    return st;
}
