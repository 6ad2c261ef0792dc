/* The filter of system calls: what a command may ask of the kernel. */
#include "launcher.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct sock_filter code[512];
static unsigned short length;

static void emit(unsigned short op, unsigned int k, unsigned char yes, unsigned char no)
{
    if (length == sizeof code / sizeof *code)
        die("the filter of system calls is too long");
    code[length++] = (struct sock_filter){op, yes, no, k};
}

#define LOAD(field) emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field), 0, 0)
#define RETURN(what) emit(BPF_RET | BPF_K, what, 0, 0)
#define REFUSE(error) RETURN(SECCOMP_RET_ERRNO | (unsigned int)(error))
#define LOAD_ARGUMENT(number) \
    emit(BPF_LD | BPF_W | BPF_ABS, (unsigned int)offsetof(struct seccomp_data, args) + 8 * (number), 0, 0)

static void refuse(unsigned int call, int error)
{
    emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    REFUSE(error);
}

/* Refuses a call whose argument is a value (JEQ) or has any of some bits (JSET). */
static void refuse_if(unsigned int call, unsigned int argument, unsigned short test, unsigned int value)
{
    emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    LOAD_ARGUMENT(argument);
    emit(BPF_JMP | test | BPF_K, value, 0, 1);
    REFUSE(EPERM);
    LOAD(nr);
}

static void refuse_unless(unsigned int call, unsigned int argument, const unsigned int *values, unsigned char count, int error)
{
    emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, (unsigned char)(count + 3));
    LOAD_ARGUMENT(argument);
    for (unsigned char i = 0; i < count; i++)
        emit(BPF_JMP | BPF_JEQ | BPF_K, values[i], (unsigned char)(count - i), 0);
    REFUSE(error);
    LOAD(nr);
}

static const unsigned int refused[] = {
    /* other processes and the kernel */
    SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_syslog, SYS_reboot,
    SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_acct, SYS_quotactl, SYS_vhangup,
    SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname, SYS_setdomainname,
    SYS_migrate_pages, SYS_move_pages, SYS_fanotify_init,
    /* file systems and namespaces */
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_swapon, SYS_swapoff, SYS_unshare, SYS_setns, SYS_open_by_handle_at,
    /* what outlives processes or belongs to no namespace */
    SYS_keyctl, SYS_add_key, SYS_request_key, SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_semget, SYS_semop,
    SYS_semctl, SYS_semtimedop, SYS_shmget, SYS_shmat, SYS_shmctl,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
    SYS_iopl, SYS_ioperm,
#endif
    /* newer calls have one number on all machines: named by number, since old headers lack them */
    425, 426, 427, /* io_uring_setup, io_uring_enter, io_uring_register */
    428, 429, 430, 431, 432, 433, 442, /* open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr */
    438, 440, 448, /* pidfd_getfd, process_madvise, process_mrelease */
};

/* Keeps the command from signalling and slowing a process of ours. */
static void guard(pid_t guarded)
{
    const unsigned int pid = (unsigned int)guarded;
    static const unsigned int schedules[] = {SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr, SYS_sched_setaffinity};
    static const unsigned int signals[] = {SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, 434 /* pidfd_open */};
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++)
        refuse_if(schedules[i], 0, BPF_JEQ, pid);
    refuse_if(SYS_setpriority, 1, BPF_JEQ, pid);
    refuse_if(SYS_ioprio_set, 1, BPF_JEQ, pid);
    if (order.namespace && guarded == self) /* pid 1 is out of reach of signals from its own namespace */
        return;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        refuse_if(signals[i], 0, BPF_JEQ, pid);
    refuse_if(SYS_kill, 0, BPF_JEQ, -pid);
}

/* Has no signal sent in the command's name to a process of the same user: a filter sees numbers of processes in arguments, but
 * neither whose a descriptor is nor what lies in memory. */
static void refuse_signals_by_proxy(void)
{
    refuse(424 /* pidfd_send_signal */, EPERM);
    refuse_if(SYS_fcntl, 1, BPF_JEQ, F_SETOWN);
    refuse_if(SYS_fcntl, 1, BPF_JEQ, 15 /* F_SETOWN_EX */);
    refuse_if(SYS_ioctl, 1, BPF_JEQ, 0x8901 /* FIOSETOWN */);
    refuse_if(SYS_ioctl, 1, BPF_JEQ, 0x8902 /* SIOCSPGRP */);
}

/* What a command has read stays in memory for the next one, which must not be told so. Clocks still tell, but not for certain. */
static void refuse_questions_about_memory(void)
{
    refuse(451 /* cachestat */, ENOSYS);
    emit(BPF_JMP | BPF_JEQ | BPF_K, SYS_preadv2, 0, 4);
    LOAD_ARGUMENT(5);
    emit(BPF_JMP | BPF_JSET | BPF_K, RWF_NOWAIT, 0, 1);
    REFUSE(EOPNOTSUPP); /* as file systems say that do not know it */
    LOAD(nr);
}

/* Has a call say that it was done, or that it is not allowed for others than the caller itself, and does neither. */
static void ignore(unsigned int call, unsigned int argument)
{
    emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    LOAD_ARGUMENT(argument);
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    REFUSE(0);
    REFUSE(EPERM);
}

/* A command that gave way to all others would wait by its own choice, as if load kept it waiting: it keeps its pace. */
static void ignore_changes_of_pace(void)
{
    ignore(SYS_setpriority, 1);
    ignore(SYS_sched_setscheduler, 0);
    ignore(SYS_sched_setparam, 0);
    ignore(SYS_sched_setattr, 0);
}

/* Marks that a file keeps beside its mode and attributes. */
static void refuse_marks(void)
{
    static const unsigned int requests[] = {FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR, 0x40087602 /* FS_IOC_SETVERSION */,
                                            0x40806685 /* FS_IOC_ENABLE_VERITY */, 0x800c6613 /* FS_IOC_SET_ENCRYPTION_POLICY */};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        refuse_if(SYS_ioctl, 1, BPF_JEQ, requests[i]);
}

static const unsigned int metadata[] = {
#ifdef SYS_chmod
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
    SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_fsetxattr, SYS_fremovexattr, 452 /* fchmodat2 */,
    469, /* file_setattr */
};
static const unsigned int attributes[] = {SYS_setxattr, SYS_lsetxattr, SYS_removexattr, SYS_lremovexattr, 463 /* setxattrat */,
                                          466 /* removexattrat */};

/* Keeps the mode of any file of the user's from being one that shuts him out or lets all others in. */
static void restrict_mode(unsigned int call, unsigned int argument)
{
    emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 6);
    LOAD_ARGUMENT(argument);
    emit(BPF_JMP | BPF_JSET | BPF_K, 07002, 2, 0);
    emit(BPF_ALU | BPF_AND | BPF_K, 0600, 0, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0600, 1, 0);
    REFUSE(EPERM);
    LOAD(nr);
}

/* What Landlock leaves open: sockets that are no TCP, the metadata of files, queues, and the pace of the user's processes. */
static void refuse_what_landlock_allows(void)
{
    static const unsigned int pairs[] = { /* not SOCK_DGRAM, which can send to any socket of the host by its name */
        SOCK_STREAM, SOCK_STREAM | SOCK_CLOEXEC, SOCK_STREAM | SOCK_NONBLOCK, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
        SOCK_SEQPACKET, SOCK_SEQPACKET | SOCK_CLOEXEC, SOCK_SEQPACKET | SOCK_NONBLOCK,
        SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
    };
    static const unsigned int paces[] = {SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr, SYS_sched_setaffinity};
    static const unsigned int myself[] = {0};
    refuse(SYS_socket, EACCES); /* Landlock covers neither UDP nor sockets that have a path, such as a container engine's */
    refuse_unless(SYS_socketpair, 1, pairs, 8, EACCES);
    refuse(SYS_mq_open, EACCES);
    refuse(SYS_mq_unlink, EACCES);
    for (size_t i = 0; i < sizeof metadata / sizeof *metadata && !order.writable; i++)
        refuse(metadata[i], EPERM); /* the tree may be the user's own, although the command must not change it */
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes && (!order.writable || !order.uid); i++)
        refuse(attributes[i], EPERM);
    if (order.uid)
        return;
#ifdef SYS_chmod
    restrict_mode(SYS_chmod, 1);
#endif
    restrict_mode(SYS_fchmodat, 2);
    restrict_mode(452 /* fchmodat2 */, 2);
    for (size_t i = 0; i < sizeof paces / sizeof *paces; i++)
        refuse_unless(paces[i], 0, myself, 1, EPERM);
    refuse_unless(SYS_setpriority, 1, myself, 1, EPERM);
    refuse_unless(SYS_ioprio_set, 1, myself, 1, EPERM);
}

void restrict_calls(int server)
{
    static const unsigned int families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK}; /* not AF_VSOCK: no namespace covers it */
    /* LeakSanitizer stops its own threads; reading or changing another process stays refused. */
    static const unsigned int requests[] = {PTRACE_ATTACH, PTRACE_DETACH, PTRACE_CONT, PTRACE_KILL, PTRACE_GETREGSET,
                                            12 /* PTRACE_GETREGS */};
    static const unsigned int myself[] = {0};
    const unsigned int spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
    LOAD(arch);
#if defined __x86_64__
    emit(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    RETURN(SECCOMP_RET_KILL_PROCESS); /* 32-bit calls have other numbers */
    LOAD(nr);
    emit(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* so have x32 calls */
    RETURN(SECCOMP_RET_KILL_PROCESS);
#elif defined __aarch64__
    emit(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_AARCH64, 1, 0);
    RETURN(SECCOMP_RET_KILL_PROCESS);
    LOAD(nr);
#else
#error "x86-64 and arm64 only"
#endif
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        refuse(refused[i], EPERM);
    refuse(435, ENOSYS); /* clone3 hides its flags in memory; libraries fall back to clone */
    refuse_if(SYS_clone, 0, BPF_JSET, spaces);
    refuse_unless(SYS_socket, 0, families, 4, EAFNOSUPPORT);
    refuse_unless(SYS_ptrace, 0, requests, 6, EPERM);
    refuse_unless(SYS_prlimit64, 0, myself, 1, EPERM); /* as the same user it could change the limits of the launcher */
    refuse_if(SYS_kill, 0, BPF_JEQ, (unsigned int)-1);
    refuse_if(SYS_setpriority, 0, BPF_JEQ, PRIO_USER);
    refuse_if(SYS_ioprio_set, 0, BPF_JEQ, 3 /* all processes of the user */);
    if (*order.allow)
        refuse_what_landlock_allows();
    guard(self);
    if (server)
        guard(getpid()); /* this process will be the fork server; its forks must leave it alone */
    if (server || !order.uid)
        refuse_signals_by_proxy();
    refuse_marks();
    refuse_questions_about_memory();
    ignore_changes_of_pace();
    RETURN(SECCOMP_RET_ALLOW);
    struct sock_fprog program = {length, code};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        die("seccomp");
}

