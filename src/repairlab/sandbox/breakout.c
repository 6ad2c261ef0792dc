/* Tries to break out of a sandbox, and says what held: every back end runs it before it is trusted, and the doctor shows it.
 *
 * Usage: breakout PID START TCP UDP SOCKET ABSTRACT FILE...
 * PID and START name a process of the host (START: its field 22 in /proc/PID/stat); TCP and UDP are ports on which the host listens;
 * SOCKET and ABSTRACT are sockets of the host; the FILEs are of the host, and the first may be changed by everybody there.
 * The current folder is a tree that must not be written to. One line for each trial: "held NAME" or "broken NAME: what". */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char broken[4096];

static void check(int got_through, const char *what)
{
    if (got_through && strlen(broken) + strlen(what) + 3 < sizeof broken)
        sprintf(broken + strlen(broken), "%s%s", *broken ? ", " : "", what);
}

static void conclude(const char *trial)
{
    if (*broken)
        printf("broken %s: %s\n", trial, broken);
    else
        printf("held %s\n", trial);
    *broken = 0;
}

static void try_files(char **files)
{
    static char path[8192];
    for (char **file = files; *file; file++)
        check(open(*file, O_RDONLY) >= 0, *file);
    check(open("/etc/shadow", O_RDONLY) >= 0, "/etc/shadow");
    conclude("files of the host hidden");

    check(open("/usr/repairlab-was-here", O_WRONLY | O_CREAT, 0600) >= 0, "/usr");
    check(open("/etc/repairlab-was-here", O_WRONLY | O_CREAT, 0600) >= 0, "/etc");
    check(open("repairlab-was-here", O_WRONLY | O_CREAT, 0600) >= 0, "its tree");
    check(open(*files, O_WRONLY) >= 0 || !truncate(*files, 0), "write to a file");
    check(!chmod(*files, 0), "close a file");
    snprintf(path, sizeof path, "%s-moved", *files);
    check(!rename(*files, path), "move a file");
    check(!link(*files, path) || !symlink("/", path) || !mkdir(path, 0700), "make a file");
    check(!unlink(*files), "delete a file");
    conclude("host cannot be written to");
}

static int reach(int family, int type, const void *address, socklen_t size)
{
    int fd = socket(family, type, 0);
    return fd >= 0 && !connect(fd, address, size) && send(fd, "x", 1, MSG_NOSIGNAL) == 1;
}

/* That a datagram can be sent says nothing; the host looks whether one came. */
static void try_network(const char *tcp, const char *udp)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(tcp)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    check(reach(AF_INET, SOCK_STREAM, &address, sizeof address), "TCP");
    address.sin_port = htons((uint16_t)atoi(udp));
    reach(AF_INET, SOCK_DGRAM, &address, sizeof address);
    check(socket(AF_PACKET, SOCK_RAW, 0) >= 0, "raw packets");
    check(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) >= 0, "raw sockets");
    check(socket(40 /* AF_VSOCK */, SOCK_STREAM, 0) >= 0, "sockets to the hypervisor");
    conclude("no network");
}

static void try_sockets(const char *path, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int pair[2];
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    check(reach(AF_UNIX, SOCK_DGRAM, &address, sizeof address), "a socket by its path");
    if (!socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
        check(sendto(pair[0], "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof address) == 1, "a socket by its path, from a pair");
    memset(address.sun_path, 0, sizeof address.sun_path);
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s", name);
    check(reach(AF_UNIX, SOCK_DGRAM, &address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))), "an abstract socket");
    conclude("sockets of the host closed");
}

/* In a namespace of processes the number may be that of another one. */
static int is_host(const char *pid, const char *start)
{
    char path[64], text[1024] = "", *field;
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return access("/proc/self", F_OK) != 0; /* without /proc nobody can tell */
    if (read(fd, text, sizeof text - 1) < 0 || !(field = strrchr(text, ')')))
        return 1;
    for (int i = 2; field && i < 22; i++)
        field = strchr(field + 1, ' ');
    return field && !strncmp(field + 1, start, strlen(start)) && field[1 + strlen(start)] == ' ';
}

static void try_processes(const char *pid, const char *start)
{
    char path[64];
    pid_t host = atoi(pid);
    if (is_host(pid, start)) {
        check(!kill(host, 0), "signals");
        if (!ptrace(PTRACE_ATTACH, host, 0, 0)) {
            check(1, "tracing");
            waitpid(host, NULL, __WALL);
            ptrace(PTRACE_DETACH, host, 0, 0); /* which would stay stopped */
        }
        check(!sched_setscheduler(host, SCHED_OTHER, &(struct sched_param){0}), "its pace");
        for (const char **name = (const char *[]){"mem", "environ", "maps", "fd/0", "root/etc", "cwd/.", NULL}; *name; name++) {
            snprintf(path, sizeof path, "/proc/%.20s/%s", pid, *name);
            check(open(path, O_RDONLY) >= 0, *name);
        }
    }
    conclude("processes of the host out of reach");
}

static void try_rights(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct rights[2] = {{~0u, ~0u, ~0u}, {0, 0, 0}};
    uid_t real = 0, effective = 0, saved = 0;
    check(getresuid(&real, &effective, &saved) || !real || !effective || !saved, "user 0");
    check(!getgid() || !getegid(), "group 0");
    check(!setuid(0), "becoming user 0");
    check(syscall(SYS_capget, &header, rights) || rights[0].effective || rights[0].permitted || rights[1].effective || rights[1].permitted,
          "capabilities");
    check(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1, "set-user-id programs");
    conclude("no rights");
}

static void try_calls(void)
{
    check(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 2, "no filter");
    check(!unshare(CLONE_NEWUSER), "user namespaces");
    check(!mount("none", "/tmp", "tmpfs", 0, NULL), "mount");
    check(shmget(IPC_PRIVATE, 4096, 0600) >= 0, "shared memory");
    check(syscall(425 /* io_uring_setup */, 1, NULL) >= 0 || errno != EPERM, "io_uring");
    conclude("system calls filtered");
}

int main(int argc, char **argv)
{
    if (argc < 8 || !argv[7])
        return 2;
    try_files(argv + 7);
    try_network(argv[3], argv[4]);
    try_sockets(argv[5], argv[6]);
    try_processes(argv[1], argv[2]);
    try_rights();
    try_calls();
    return 0;
}
