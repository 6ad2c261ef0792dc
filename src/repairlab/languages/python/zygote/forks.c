/* A fork for each run: waiting for orders, becoming the run, answering when it has ended. */
#include "zygote.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STREAMS = 4 };

struct answer {
    int32_t status, unused;
    int64_t cpu_us, peak_kb;
};

/* Waits for a run and puts its descriptors into `fds`; the process ends when the launcher wants no more. */
static void receive(int *fds)
{
    char byte;
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(STREAMS * sizeof(int))];
    } control;
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got;
    while ((got = recvmsg(launcher, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    if (got == 0)
        _exit(0);
    struct cmsghdr *header = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (got == 1 && byte == 'q') { /* there will be no more runs in this tree */
        note_run(0);
        _exit(0);
    }
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(STREAMS * sizeof(int)))
        _exit(1);
    memcpy(fds, CMSG_DATA(header), STREAMS * sizeof(int));
}

/* Keeps a run from signalling anybody but its own processes, in all ways that the kernel knows: all servers of a place have one user.
 * Before Linux 6.12 there is only the launcher's filter, which knows this server alone. */
static void scope_signals(void)
{
    enum { MOVE = 1 << 13 }; /* between folders: below a launcher's Landlock, every further ruleset forbids what it does not allow */
    struct { uint64_t files, ports, scoped; } handled = {MOVE, 0, 2 /* signals */};
    struct { uint64_t rights; int fd; } __attribute__((packed)) everywhere = {MOVE, open("/", O_PATH | O_CLOEXEC)};
    int ruleset = (int)syscall(444 /* landlock_create_ruleset */, &handled, sizeof handled, 0);
    if (ruleset >= 0) {
        if (syscall(445 /* landlock_add_rule */, ruleset, 1 /* path beneath */, &everywhere, 0) ||
            syscall(446 /* landlock_restrict_self */, ruleset, 0))
            _exit(125);
        close(ruleset);
    }
    close(everywhere.fd);
}

/* Makes a fork what the launcher makes of a process that it starts itself. The folder is entered again by its name: a layer may
 * have been mounted over it since the server came here. */
static void become_run(const int *fds, const char *folder)
{
    if (chdir(folder))
        _exit(125);
    for (int i = 0; i < STREAMS; i++)
        if (dup2(fds[i], i) < 0)
            _exit(125);
    if (syscall(436 /* close_range */, STREAMS, ~0U, 0)) /* before Linux 5.9 */
        for (int fd = STREAMS; fd < 65536; fd++)
            close(fd);
    leave_notes();
    scope_signals();
    setsid();
    umask(022);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 1);
    PyOS_AfterFork_Child();
}

struct use used_by(const struct rusage *usage)
{
    const struct timeval *user = &usage->ru_utime, *system = &usage->ru_stime;
    return (struct use){(user->tv_sec + system->tv_sec) * 1000000LL + user->tv_usec + system->tv_usec, usage->ru_maxrss};
}

void send_answer(int status, struct use use)
{
    struct answer answer = {status, 0, use.cpu_us, use.peak_kb};
    if (send(launcher, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer)
        _exit(1);
}

int wait_for(pid_t child, struct rusage *usage)
{
    int status;
    while (wait4(child, &status, 0, usage) < 0)
        if (errno != EINTR)
            _exit(1);
    return status;
}

/* Forks for the run whose descriptors came, and answers when it has ended; returns in the run. */
int fork_run(const char *folder, struct use before)
{
    int fds[STREAMS];
    struct rusage usage;
    receive(fds);
    PyOS_BeforeFork();
    pid_t run = fork();
    if (run < 0)
        _exit(1);
    if (run == 0) {
        become_run(fds, folder);
        return 1;
    }
    PyOS_AfterFork_Parent();
    for (int i = 0; i < STREAMS; i++)
        close(fds[i]);
    int status = wait_for(run, &usage);
    struct use use = used_by(&usage);
    send_answer(status, (struct use){use.cpu_us + before.cpu_us, use.peak_kb > before.peak_kb ? use.peak_kb : before.peak_kb});
    return 0;
}

/* Begins to serve; returns the folder that runs start in. */
char *begin(const char *word)
{
    char *folder = getcwd(NULL, 0);
    if (!folder)
        _exit(1);
    prctl(PR_SET_DUMPABLE, 0); /* runs have the same user, and must neither trace this process nor read its memory */
    if (send(launcher, word, strlen(word), MSG_NOSIGNAL) < 0)
        _exit(1);
    return folder;
}

void *serve_forks(void *self, void *nothing)
{
    (void)self, (void)nothing;
    if (launcher <= 0)
        return PyBool_FromLong(0);
    char *folder = begin("ready");
    for (int is_run = 0; !is_run;) {
        wait_for_order();
        note_run(1);
        if (!(is_run = fork_run(folder, (struct use){0, 0})))
            note_run(0);
    }
    free(folder);
    return PyBool_FromLong(1);
}

