/* How a process becomes a command: limits, no rights, no way back. */
#include "launcher.h"
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void limit(int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit old, new = {soft, hard};
    if (getrlimit(resource, &old))
        die("getrlimit %d", resource);
    if (geteuid() != 0 && new.rlim_max > old.rlim_max) /* only root may raise a limit */
        new.rlim_max = old.rlim_max;
    if (new.rlim_cur > new.rlim_max)
        new.rlim_cur = new.rlim_max;
    if (setrlimit(resource, &new)) {
        new.rlim_max = old.rlim_max; /* root without CAP_SYS_RESOURCE */
        new.rlim_cur = new.rlim_cur < new.rlim_max ? new.rlim_cur : new.rlim_max;
        if (setrlimit(resource, &new))
            die("setrlimit %d", resource);
    }
}

static void set_limits(void)
{
    rlim_t cpu = (rlim_t)order.cpu_ms / 800 + 2, disk = (rlim_t)order.disk_kb * 1024, memory = (rlim_t)order.memory_kb * 1024;
    limit(RLIMIT_CPU, cpu, cpu + 1); /* back-stop: the tree's sum is watched, and here the kernel counts ticks, at times too many */
    limit(RLIMIT_FSIZE, disk, disk);
    limit(RLIMIT_NOFILE, 1024, 1024);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_MSGQUEUE, 0, 0);
    if (order.nproc)
        limit(RLIMIT_NPROC, (rlim_t)order.nproc, (rlim_t)order.nproc);
    if (order.address_kb) {
        /* Threads reserve a stack as large as a finite limit, which would not fit. The address space bounds the stack. */
        limit(RLIMIT_STACK, RLIM_INFINITY, RLIM_INFINITY);
        limit(RLIMIT_AS, (rlim_t)order.address_kb * 1024, (rlim_t)order.address_kb * 1024);
    } else
        limit(RLIMIT_STACK, memory, memory);
}

static void drop_rights(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
    if (geteuid() == 0)
        for (int cap = 0; cap <= 63; cap++)
            prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); /* fails for capabilities the kernel does not know */
    if (order.uid && (setgroups(0, NULL) || setresgid((gid_t)order.gid, (gid_t)order.gid, (gid_t)order.gid) ||
                      setresuid((uid_t)order.uid, (uid_t)order.uid, (uid_t)order.uid)))
        die("cannot change the user to %ld", order.uid);
    if (getuid() == 0 || geteuid() == 0)
        die("a command must not run as root");
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capset, &header, none))
        die("capset");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        die("no_new_privs");
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* after the change of user, which clears it */
}

/* Leaves a command the first few of the CPUs that it could use; where there are fewer, all of them. */
static void keep_to_cpus(long most)
{
    cpu_set_t all, few;
    if (sched_getaffinity(0, sizeof all, &all))
        return; /* more CPUs than the set has room for */
    CPU_ZERO(&few);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && most > 0; cpu++)
        if (CPU_ISSET(cpu, &all)) {
            CPU_SET(cpu, &few);
            most--;
        }
    if (sched_setaffinity(0, sizeof few, &few))
        die("cannot keep to some CPUs");
}

/* Becomes the command; fds: stdin, stdout, stderr, report, and the channel of a fork server. */
static void run_command(const int *fds, int count, int server)
{
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    umask(022);
    if (!order.random_addresses)
        personality(ADDR_NO_RANDOMIZE); /* undefined behaviour should at least be the same twice; some containers refuse it */
    if (order.cpus)
        keep_to_cpus(order.cpus);
    set_limits();
    drop_rights();
    if (*order.allow)
        restrict_files();
    restrict_calls(server);
    for (int i = 0; i < count; i++)
        if (dup2(fds[i], i) < 0)
            die("dup2");
    if (chdir(server && order.turns ? "/" : order.cwd)) {
        dprintf(2, "cannot enter the folder '%s': %s\n", order.cwd, strerror(errno));
        _exit(127);
    }
    environ = order.env;
    execvp(order.argv[0], order.argv);
    dprintf(2, "cannot run '%s': %s\n", order.argv[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

pid_t start_command(const int *fds, int count, int server)
{
    pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (!pid)
        run_command(fds, count, server);
    return pid;
}

