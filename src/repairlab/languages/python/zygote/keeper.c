/* Keepers: a fork of the server that has compiled one script and forks for each run of it, until it is another script; or one that got
 * ready for the tests of one tree. */
#include "zygote.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What a keeper tells the server, in memory that both see. */
static struct { int is_prepared, has_run; } *told;

/* Keeps runs from slowing or signalling this process, as the launcher's filter does for the server: the next run is its fork, too. */
static void refuse_meddling(void)
{
    static const struct { unsigned int call, argument; } calls[] = {
        {SYS_sched_setscheduler, 0}, {SYS_sched_setparam, 0}, {SYS_sched_setattr, 0}, {SYS_sched_setaffinity, 0},
        {SYS_setpriority, 1}, {SYS_ioprio_set, 1}, {SYS_kill, 0}, {SYS_tkill, 0}, {SYS_tgkill, 0}, {SYS_rt_sigqueueinfo, 0},
        {SYS_rt_tgsigqueueinfo, 0}, {434 /* pidfd_open */, 0},
    };
    enum { N = sizeof calls / sizeof *calls };
    struct sock_filter code[5 * N + 2];
    unsigned short length = 0;
    const struct sock_filter load = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    code[length++] = load;
    for (size_t i = 0; i < N; i++) {
        const unsigned int place = (unsigned int)offsetof(struct seccomp_data, args) + 8 * calls[i].argument;
        code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].call, 0, 4);
        code[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place);
        code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)getpid(), 0, 1);
        code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
        code[length++] = load;
    }
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {length, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        _exit(1);
}

/* Waits until a run is asked for; the process ends when the launcher wants no more. */
void wait_for_order(void)
{
    char byte;
    ssize_t got;
    while ((got = recv(launcher, &byte, 1, MSG_PEEK)) < 0 && errno == EINTR)
        ;
    if (got <= 0)
        _exit(got < 0);
}

/* Says whether a run is under way, in a keeper. */
void note_run(int is_running)
{
    if (told)
        told->has_run = is_running;
}

/* Leaves a run nothing that this process would believe. */
void leave_notes(void)
{
    if (told)
        munmap(told, sizeof *told);
}

/* Shares memory with keepers to come. */
static void share(void)
{
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        _exit(1);
}

/* Forks for each run until the script is another one; returns in the runs, with the code of the script if it could be had. */
static void *keep(const char *folder, void *(*prepare)(void))
{
    struct rlimit limit;
    struct rusage usage;
    void *code = NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    refuse_meddling();
    if (prepare && !getrlimit(RLIMIT_CPU, &limit)) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){1, limit.rlim_max}); /* who takes longer to compile does so in every run */
        code = prepare();
        setrlimit(RLIMIT_CPU, &limit);
    }
    told->is_prepared = 1;
    getrusage(RUSAGE_SELF, &usage);
    do {
        told->has_run = 1;
        if (fork_run(folder, used_by(&usage)))
            return code;
        told->has_run = 0;
        wait_for_order();
    } while (code && are_as_kept());
    _exit(0);
}

/* Has a keeper for one script after the other; returns in the runs. */
void *serve_keepers(void *(*prepare)(void))
{
    char *folder = begin("script");
    share();
    for (int prepares = 1;;) {
        struct rusage usage;
        wait_for_order();
        told->is_prepared = told->has_run = 0;
        PyOS_BeforeFork();
        pid_t keeper = fork();
        if (keeper < 0)
            _exit(1);
        if (keeper == 0) {
            PyOS_AfterFork_Child();
            return keep(folder, prepares ? prepare : NULL);
        }
        PyOS_AfterFork_Parent();
        int status = wait_for(keeper, &usage);
        if (told->has_run) /* it was killed with its run */
            send_answer(status, (struct use){0, 0});
        prepares = told->is_prepared;
    }
}


/* Has a fork of this process, which knows no tree, for one tree after the other; returns there what the launcher says of the tree. */
void *serve_trees(void *self, void *nothing)
{
    static const char word[] = "trees";
    static char text[65536];
    (void)self, (void)nothing;
    free(begin(word));
    share();
    for (;;) {
        struct rusage usage;
        ssize_t size;
        while ((size = recv(launcher, text, sizeof text, 0)) < 0 && errno == EINTR)
            ;
        if (size <= 0 || *text != 't')
            _exit(size != 0);
        note_run(0);
        PyOS_BeforeFork();
        pid_t keeper = fork();
        if (keeper < 0)
            _exit(1);
        if (keeper == 0) {
            PyOS_AfterFork_Child();
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            refuse_meddling();
            return PyBytes_FromStringAndSize(text + 1, size - 1);
        }
        PyOS_AfterFork_Parent();
        int status = wait_for(keeper, &usage);
        if (told->has_run) /* it was killed with its run */
            send_answer(status, (struct use){0, 0});
        else if (send(launcher, word, strlen(word), MSG_NOSIGNAL) < 0)
            _exit(1);
    }
}
