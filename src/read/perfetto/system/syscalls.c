/* read/perfetto/system/syscalls.c - system calls as slices of their threads.
 *
 * What a call is called follows from its number and the architecture of the machine. A list below has the names in the
 * order of their numbers; a number in it is that of the next name. From 424 on all architectures have the same
 * numbers. Of other architectures the number is the name.
 *
 * An end names the call, so that it ends no slice of a program where the beginning is missing. A program that writes a
 * mark is in the call of that write, which ends in front of the mark: a slice that the mark begins is none of its own.
 */
#include "base/str.h"
#include "base/text/number.h"
#include "read/perfetto/system/kernel_events.h"

#define CALLS 550u /* numbers */

static const char X86_64[] =
    "read write open close stat fstat lstat poll lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask "
    "rt_sigreturn ioctl pread64 pwrite64 readv writev access pipe select sched_yield mremap msync mincore "
    "madvise shmget shmat shmctl dup dup2 pause nanosleep getitimer alarm setitimer getpid sendfile socket "
    "connect accept sendto recvfrom sendmsg recvmsg shutdown bind listen getsockname getpeername socketpair "
    "setsockopt getsockopt clone fork vfork execve exit wait4 kill uname semget semop semctl shmdt msgget msgsnd "
    "msgrcv msgctl fcntl flock fsync fdatasync truncate ftruncate getdents getcwd chdir fchdir rename mkdir "
    "rmdir creat link unlink symlink readlink chmod fchmod chown fchown lchown umask gettimeofday getrlimit "
    "getrusage sysinfo times ptrace getuid syslog getgid setuid setgid geteuid getegid setpgid getppid getpgrp "
    "setsid setreuid setregid getgroups setgroups setresuid getresuid setresgid getresgid getpgid setfsuid "
    "setfsgid getsid capget capset rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend sigaltstack utime "
    "mknod uselib personality ustat statfs fstatfs sysfs getpriority setpriority sched_setparam sched_getparam "
    "sched_setscheduler sched_getscheduler sched_get_priority_max sched_get_priority_min sched_rr_get_interval "
    "mlock munlock mlockall munlockall vhangup modify_ldt pivot_root _sysctl prctl arch_prctl adjtimex setrlimit "
    "chroot sync acct settimeofday mount umount2 swapon swapoff reboot sethostname setdomainname iopl ioperm "
    "create_module init_module delete_module get_kernel_syms query_module quotactl nfsservctl getpmsg putpmsg "
    "afs_syscall tuxcall security gettid readahead setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr "
    "listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr tkill time futex sched_setaffinity "
    "sched_getaffinity set_thread_area io_setup io_destroy io_getevents io_submit io_cancel get_thread_area "
    "lookup_dcookie epoll_create epoll_ctl_old epoll_wait_old remap_file_pages getdents64 set_tid_address "
    "restart_syscall semtimedop fadvise64 timer_create timer_settime timer_gettime timer_getoverrun timer_delete "
    "clock_settime clock_gettime clock_getres clock_nanosleep exit_group epoll_wait epoll_ctl tgkill utimes "
    "vserver mbind set_mempolicy get_mempolicy mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify "
    "mq_getsetattr kexec_load waitid add_key request_key keyctl ioprio_set ioprio_get inotify_init "
    "inotify_add_watch inotify_rm_watch migrate_pages openat mkdirat mknodat fchownat futimesat newfstatat "
    "unlinkat renameat linkat symlinkat readlinkat fchmodat faccessat pselect6 ppoll unshare set_robust_list "
    "get_robust_list splice tee sync_file_range vmsplice move_pages utimensat epoll_pwait signalfd "
    "timerfd_create eventfd fallocate timerfd_settime timerfd_gettime accept4 signalfd4 eventfd2 epoll_create1 "
    "dup3 pipe2 inotify_init1 preadv pwritev rt_tgsigqueueinfo perf_event_open recvmmsg fanotify_init "
    "fanotify_mark prlimit64 name_to_handle_at open_by_handle_at clock_adjtime syncfs sendmmsg setns getcpu "
    "process_vm_readv process_vm_writev kcmp finit_module sched_setattr sched_getattr renameat2 seccomp "
    "getrandom memfd_create kexec_file_load bpf execveat userfaultfd membarrier mlock2 copy_file_range preadv2 "
    "pwritev2 pkey_mprotect pkey_alloc pkey_free statx io_pgetevents rseq 512 rt_sigaction rt_sigreturn ioctl "
    "readv writev recvfrom sendmsg recvmsg execve ptrace rt_sigpending rt_sigtimedwait rt_sigqueueinfo "
    "sigaltstack timer_create mq_notify kexec_load waitid set_robust_list get_robust_list vmsplice move_pages "
    "preadv pwritev rt_tgsigqueueinfo recvmmsg sendmmsg process_vm_readv process_vm_writev setsockopt getsockopt "
    "io_setup io_submit execveat preadv2 pwritev2";

static const char ARM_64[] =
    "io_setup io_destroy io_submit io_cancel io_getevents setxattr lsetxattr fsetxattr getxattr lgetxattr "
    "fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr getcwd lookup_dcookie "
    "eventfd2 epoll_create1 epoll_ctl epoll_pwait dup dup3 fcntl inotify_init1 inotify_add_watch "
    "inotify_rm_watch ioctl ioprio_set ioprio_get flock mknodat mkdirat unlinkat symlinkat linkat renameat "
    "umount2 mount pivot_root nfsservctl statfs fstatfs truncate ftruncate fallocate faccessat chdir fchdir "
    "chroot fchmod fchmodat fchownat fchown openat close vhangup pipe2 quotactl getdents64 lseek read write "
    "readv writev pread64 pwrite64 preadv pwritev sendfile pselect6 ppoll signalfd4 vmsplice splice tee "
    "readlinkat fstatat fstat sync fsync fdatasync sync_file_range timerfd_create timerfd_settime "
    "timerfd_gettime utimensat acct capget capset personality exit exit_group waitid set_tid_address unshare "
    "futex set_robust_list get_robust_list nanosleep getitimer setitimer kexec_load init_module delete_module "
    "timer_create timer_gettime timer_getoverrun timer_settime timer_delete clock_settime clock_gettime "
    "clock_getres clock_nanosleep syslog ptrace sched_setparam sched_setscheduler sched_getscheduler "
    "sched_getparam sched_setaffinity sched_getaffinity sched_yield sched_get_priority_max "
    "sched_get_priority_min sched_rr_get_interval restart_syscall kill tkill tgkill sigaltstack rt_sigsuspend "
    "rt_sigaction rt_sigprocmask rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigreturn setpriority "
    "getpriority reboot setregid setgid setreuid setuid setresuid getresuid setresgid getresgid setfsuid "
    "setfsgid times setpgid getpgid getsid setsid getgroups setgroups uname sethostname setdomainname getrlimit "
    "setrlimit getrusage umask prctl getcpu gettimeofday settimeofday adjtimex getpid getppid getuid geteuid "
    "getgid getegid gettid sysinfo mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr msgget "
    "msgctl msgrcv msgsnd semget semctl semtimedop semop shmget shmctl shmat shmdt socket socketpair bind listen "
    "accept connect getsockname getpeername sendto recvfrom setsockopt getsockopt shutdown sendmsg recvmsg "
    "readahead brk munmap mremap add_key request_key keyctl clone execve mmap fadvise64 swapon swapoff mprotect "
    "msync mlock munlock mlockall munlockall mincore madvise remap_file_pages mbind get_mempolicy set_mempolicy "
    "migrate_pages move_pages rt_tgsigqueueinfo perf_event_open accept4 recvmmsg arch_specific_syscall 260 wait4 "
    "prlimit64 fanotify_init fanotify_mark name_to_handle_at open_by_handle_at clock_adjtime syncfs setns "
    "sendmmsg process_vm_readv process_vm_writev kcmp finit_module sched_setattr sched_getattr renameat2 seccomp "
    "getrandom memfd_create bpf execveat userfaultfd membarrier mlock2 copy_file_range preadv2 pwritev2 "
    "pkey_mprotect pkey_alloc pkey_free statx io_pgetevents rseq kexec_file_load 403 clock_gettime64 "
    "clock_settime64 clock_adjtime64 clock_getres_time64 clock_nanosleep_time64 timer_gettime64 timer_settime64 "
    "timerfd_gettime64 timerfd_settime64 utimensat_time64 pselect6_time64 ppoll_time64 416 io_pgetevents_time64 "
    "recvmmsg_time64 mq_timedsend_time64 mq_timedreceive_time64 semtimedop_time64 rt_sigtimedwait_time64 "
    "futex_time64 sched_rr_get_interval_time64";

static const char LATER[] =
    "424 pidfd_send_signal io_uring_setup io_uring_enter io_uring_register open_tree move_mount fsopen fsconfig "
    "fsmount fspick pidfd_open clone3 close_range openat2 pidfd_getfd faccessat2 process_madvise epoll_pwait2 "
    "mount_setattr quotactl_fd landlock_create_ruleset landlock_add_rule landlock_restrict_self memfd_secret "
    "process_mrelease futex_waitv set_mempolicy_home_node cachestat fchmodat2 map_shadow_stack futex_wake "
    "futex_wait futex_requeue";

static pf_str find_name(const char *list, uint32_t number)
{
    pf_str rest = pf_str_of(list);
    for (int64_t at = 0, n; rest.len; at++) {
        size_t len = 0;
        while (len < rest.len && rest.ptr[len] != ' ') {
            len++;
        }
        const pf_str token = {rest.ptr, len};
        rest = pf_str_from(rest, len + (len < rest.len));
        if (pf_parse_int(token.ptr, token.len, &n)) {
            at = n - 1;
        } else if (at == (int64_t)number) {
            return token;
        }
    }
    return (pf_str){NULL, 0};
}

/* The string id of a call's name, 0: there is no such call. */
static uint32_t name_of(pf_import *im, uint32_t number)
{
    uint32_t known = number < CALLS ? pf_map_get(&im->system.syscalls, number) : 0;
    if (known != PF_NONE) {
        return known;
    }
    const pf_side_table *machine = &im->t->sides.known[PF_SIDE_MACHINE];
    uint32_t row = im->machine.number, arch = row < machine->count ? *pf_side_ref(machine, PF_MACHINE_ARCH, row) : 0;
    bool x86 = pf_str_is(pf_trace_string(im->t, arch), "x86_64"),
         arm = pf_str_is(pf_trace_string(im->t, arch), "aarch64");
    pf_str name = x86 ? find_name(X86_64, number) : arm ? find_name(ARM_64, number) : (pf_str){NULL, 0};
    name = name.ptr || !(x86 || arm) ? name : find_name(LATER, number);
    im->scratch.len = 0;
    pf_buffer_text(&im->scratch, "sys_");
    if (name.ptr) {
        pf_buffer_put(&im->scratch, name.ptr, name.len);
    } else {
        pf_buffer_format(&im->scratch, "%u", (unsigned)number);
    }
    uint32_t id = pf_import_scratch(im);
    pf_import_put(im, &im->system.syscalls, number, id);
    return id;
}

/* Whether a thread is in a write, which it is not any more. */
static bool stops_writing(pf_import *im, uint32_t utid)
{
    bool writes = utid != PF_NONE && pf_map_get(&im->system.writers, utid) == 1;
    if (writes) {
        pf_import_put(im, &im->system.writers, utid, 0);
    }
    return writes;
}

static uint32_t track_of(pf_import *im, uint32_t utid)
{
    return utid == PF_NONE || pf_import_failed(im) ? PF_NONE : pf_trace_thread_track(im->t, utid, im->err);
}

void pf_event_syscall(pf_import *im, const pf_ftrace_now *now)
{
    enum { ENTER = 329, ID = 1, ARGS = 2, RET = 2, MOST_ARGS = 6 };
    uint32_t name = name_of(im, (uint32_t)pf_cursor_last(now->fields, PF_TAG_VARINT(ID)).value);
    uint32_t utid = name ? pf_lives_thread(im, now->event->tid) : PF_NONE, track = track_of(im, utid);
    bool writes = pf_str_is(pf_trace_string(im->t, name), "sys_write");
    if (now->event->kind != ENTER) {
        const pf_field said = pf_cursor_last(now->fields, PF_TAG_VARINT(RET));
        const pf_system_arg ret = {"ret", PF_VALUE_INT, (int64_t)said.value};
        if (!writes || stops_writing(im, utid)) {
            pf_system_event(im, now->ts, 'E', track, name, 0, &ret, said.tag != 0);
        }
        return;
    }
    pf_system_arg args[MOST_ARGS];
    size_t count = 0;
    pf_numbers l = pf_numbers_of(now->fields, ARGS, false);
    for (uint64_t value; count < MOST_ARGS && pf_numbers_next(&l, &value); count++) {
        args[count] = (pf_system_arg){"args[]", PF_VALUE_UINT, (int64_t)value};
    }
    bool returns = !pf_str_is(pf_trace_string(im->t, name), "sys_rt_sigreturn");
    pf_system_event(im, now->ts, returns ? 'B' : 'i', track, name, 0, args, count);
    if (writes && utid != PF_NONE) {
        pf_import_put(im, &im->system.writers, utid, 1);
    }
}

void pf_event_end_write(pf_import *im, const pf_ftrace_now *now)
{
    uint32_t utid = im->system.writers.count ? pf_lives_thread(im, now->event->tid) : PF_NONE;
    if (stops_writing(im, utid)) {
        pf_system_event(im, now->ts, 'E', track_of(im, utid), pf_import_word(im, "sys_write"), 0, NULL, 0);
        pf_trace_count(im->t, PF_STAT_TRUNCATED_WRITE, PF_NOWHERE);
    }
}
