/* Runs untrusted commands under limits, one after the other; kills the whole process tree of each and says what it used.
 *
 * Usage: launcher CONTROL [GROUP]   (CONTROL: the number of an inherited socket, or the path of one to connect to;
 * GROUP: the number of a control group's open list of processes, which this process joins with all that it starts)
 * The host sends messages on CONTROL (SOCK_SEQPACKET): a run is one byte with five descriptors: orders, stdin, stdout, stderr and
 * report; a message without descriptors stops the command, or has an idle launcher leave its tree, "l". The answer is one line of JSON, with the paths behind it that a private
 * command has changed (journal.c), or the text of an error of ours, after which this process ends. Orders are NUL-terminated "name=value" strings. When the host closes CONTROL, everything is killed.
 * A series of runs of one command is one byte with three descriptors: orders, all inputs, and a file for all answers (series.c).
 *
 * A program that can fork itself (order forks=1) is started once, with a socket as descriptor 4, and forked for each run.
 *
 * In a pid namespace this is pid 1; otherwise it is a child subreaper. It stays small, because the kernel charges the resident
 * size of a forking parent to its child. */
#include "launcher.h"
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void open_control(const char *name)
{
    int given = *name == '/' ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : atoi(name);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", name);
    if (*name == '/' && connect(given, (struct sockaddr *)&address, sizeof address))
        die("cannot connect to %s", name);
    control = fcntl(given, F_DUPFD_CLOEXEC, 20);
    if (control < 0)
        die("control");
    /* Descriptors below stay taken, so that those of a command can be put in their places without stepping on each other. */
    for (int fd = 0; fd < 19;)
        if ((fd = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0)
            die("/dev/null");
    for (int fd = 3; fd < 1024; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Returns how many descriptors came with the next message, or -1 at the end. */
static int receive(int *fds, char *kind)
{
    char space[CMSG_SPACE(5 * sizeof(int))], buffer[16];
    struct iovec data = {buffer, sizeof buffer};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    ssize_t got = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
    if (got <= 0)
        return -1;
    *kind = *buffer;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (message.msg_flags & MSG_CTRUNC)
        die("there is no room for the descriptors of a command");
    if (!header)
        return 0;
    memcpy(fds, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
    return (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
}

static void answer(struct ending ending)
{
    char text[512];
    const char *journal;
    int size = describe(&ending, text, sizeof text);
    text[size++] = '\n';
    struct iovec data[] = {{text, (size_t)size}, {NULL, 0}};
    data[1].iov_len = read_journal(&journal);
    data[1].iov_base = (void *)(uintptr_t)journal;
    struct msghdr message = {.msg_iov = data, .msg_iovlen = 2};
    sendmsg(control, &message, MSG_NOSIGNAL);
}

int main(int argc, char **argv)
{
    sigset_t child;
    int fds[5], count;
    char kind;
    if (argc < 2 || argc > 3 || chdir("/"))
        return 125;
    umask(022); /* whatever the host has */
    if (argc == 3 && write(atoi(argv[2]), "0", 1) != 1) /* before a descriptor is closed */
        die("cannot join the control group");
    open_control(argv[1]);
    self = getpid();
    if (self != 1 && prctl(PR_SET_CHILD_SUBREAPER, 1))
        die("subreaper");
    prctl(PR_SET_DUMPABLE, 0); /* a command of the same user can neither trace this process nor read its memory */
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    int children = signalfd(-1, &child, SFD_CLOEXEC);
    if (children < 0)
        die("signalfd");
    while ((count = receive(fds, &kind)) >= 0) {
        if (count == 0 && kind == 'l')
            leave_tree();
        if (count >= 3)
            read_orders(fds[0]);
        if (count == 5)
            answer(run(children, fds + 1));
        else if (count == 3)
            run_series(children, fds[1], fds[2]);
        while (count > 0)
            close(fds[--count]);
    }
    end_servers();
    return 0;
}
