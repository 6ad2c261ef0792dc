/* Turns a Python process that has loaded into a fork server: every run of its program is a fork that goes on from here.
 *
 * `import _zygote` leaves a function `sys.serve_forks` behind when REPAIRLAB_FORK_SERVER is the number of a socket to the launcher
 * (0: there is none); it returns only in the forks. A message on that socket brings a run's descriptors 0 to 3; the answer says how
 * the run ended and what it used. The import always ends in an ImportError, so that the interpreter keeps no module of ours; no
 * header of Python's is needed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
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

extern char **environ;
extern void *PyExc_ImportError;
extern void PyErr_SetString(void *type, const char *message);
struct method { const char *name; void *(*call)(void *, void *); int flags; const char *doc; }; /* PyMethodDef */
extern void *PyCFunction_NewEx(struct method *method, void *self, void *module), *PyBool_FromLong(long value);
extern int PySys_SetObject(const char *name, void *value);
extern void PyOS_BeforeFork(void), PyOS_AfterFork_Parent(void), PyOS_AfterFork_Child(void);

struct answer {
    int32_t status, unused;
    int64_t cpu_us, peak_kb;
};

/* Returns the number of the socket, or 0 when there is none, and wipes the variable out: /proc shows it even after unsetenv. */
static int take_variable(void)
{
    static const char name[] = "REPAIRLAB_FORK_SERVER=";
    int number = 0;
    char **kept = environ;
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, name, strlen(name)))
            *kept++ = *variable;
        else {
            number = atoi(*variable + strlen(name));
            memset(*variable, 0, strlen(*variable));
        }
    *kept = NULL;
    return number;
}

/* Waits for a run and puts its descriptors into `fds`; the process ends when the launcher wants no more. */
static void receive(int launcher, int *fds)
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
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(STREAMS * sizeof(int)))
        _exit(1);
    memcpy(fds, CMSG_DATA(header), STREAMS * sizeof(int));
}

/* Keeps a run from signalling anybody but its own processes, in all ways that the kernel knows: all servers of a place have one user.
 * Before Linux 6.12 there is only the launcher's filter, which knows this server alone. */
static void scope_signals(void)
{
    struct { uint64_t files, ports, scoped; } handled = {0, 0, 2 /* signals */};
    int ruleset = (int)syscall(444 /* landlock_create_ruleset */, &handled, sizeof handled, 0);
    if (ruleset < 0)
        return;
    if (syscall(446 /* landlock_restrict_self */, ruleset, 0))
        _exit(125);
    close(ruleset);
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
    scope_signals();
    setsid();
    umask(022);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 1);
    PyOS_AfterFork_Child();
}

static void wait_for(pid_t run, int launcher)
{
    struct rusage used;
    struct answer answer = {0};
    int status;
    while (wait4(run, &status, 0, &used) < 0)
        if (errno != EINTR)
            _exit(1);
    answer.status = status;
    answer.cpu_us = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000LL + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
    answer.peak_kb = used.ru_maxrss;
    if (send(launcher, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer)
        _exit(1);
}

static int launcher;

static void *serve_forks(void *self, void *nothing)
{
    int fds[STREAMS];
    char *folder = getcwd(NULL, 0);
    (void)self, (void)nothing;
    if (!folder)
        _exit(1);
    prctl(PR_SET_DUMPABLE, 0); /* runs have the same user, and must neither trace this process nor read its memory */
    if (send(launcher, "ready", 5, MSG_NOSIGNAL) != 5)
        _exit(1);
    for (;;) {
        receive(launcher, fds);
        PyOS_BeforeFork();
        pid_t run = fork();
        if (run < 0)
            _exit(1);
        if (run == 0) {
            become_run(fds, folder);
            free(folder);
            return PyBool_FromLong(1);
        }
        PyOS_AfterFork_Parent();
        for (int i = 0; i < STREAMS; i++)
            close(fds[i]);
        wait_for(run, launcher);
    }
}

/* Where the code of a function lies. */
struct code { uintptr_t start, end; };
static struct code finalize, mains[4];

static struct code code_of(const char *name)
{
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    void *start = dlsym(RTLD_DEFAULT, name);
    if (!start || !dladdr1(start, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
        return (struct code){0, 0};
    return (struct code){(uintptr_t)start, (uintptr_t)start + symbol->st_size};
}

/* Says whether a call in this code returns to an address; the call may be the last thing in it. */
static int is_caller(struct code code, const void *address)
{
    return (uintptr_t)address - 1 >= code.start && (uintptr_t)address - 1 < code.end;
}

/* Says whether the interpreter ends because its script has: then its main function asked for it, and not an exit on the way. */
static void *script_ended(void *self, void *nothing)
{
    void *frames[32];
    int ended = 0, i = 0, count = backtrace(frames, 32);
    (void)self, (void)nothing;
    while (i + 1 < count && !is_caller(finalize, frames[i]))
        i++;
    for (size_t j = 0; i + 1 < count && j < sizeof mains / sizeof *mains; j++)
        ended |= is_caller(mains[j], frames[i + 1]);
    return PyBool_FromLong(ended);
}

void *PyInit__zygote(void)
{
    static struct method methods[] = {{"script_ended", script_ended, 4 /* METH_NOARGS */, NULL}, {"serve_forks", serve_forks, 4, NULL}};
    launcher = take_variable();
    if (launcher > 0) {
        void *frames[2];
        backtrace(frames, 2); /* loads a library at its first call */
        finalize = code_of("Py_FinalizeEx");
        for (size_t i = 0; i < sizeof mains / sizeof *mains; i++)
            mains[i] = code_of((const char *[]){"Py_RunMain", "Py_BytesMain", "Py_Main", "main"}[i]);
        for (int i = 0; i < 2; i++) /* whoever imports this takes them away */
            PySys_SetObject(methods[i].name, PyCFunction_NewEx(&methods[i], NULL, NULL));
    }
    PyErr_SetString(PyExc_ImportError, "the fork server is no module");
    return NULL;
}
