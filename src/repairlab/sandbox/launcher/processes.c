/* The process tree of a command: finding, reaping and killing it. */
#include "launcher.h"
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct process *table;
int processes, has_run;
static struct process keepers[MAX_SERVERS];
static int n_keepers;
static size_t room;
static DIR *proc;

static int read_process(const char *pid, struct process *p)
{
    char path[64], text[1024];
    unsigned long utime, stime, cutime, cstime;
    long rss;
    snprintf(path, sizeof path, "%.20s/stat", pid);
    if (read_file(dirfd(proc), path, text, sizeof text) <= 0)
        return 0;
    char *after = strrchr(text, ')'); /* the name before it may hold anything */
    if (!after || sscanf(after + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu %*d %*d %ld %*d %*u %*u %ld",
                         &p->parent, &utime, &stime, &cutime, &cstime, &p->threads, &rss) != 7)
        return 0;
    p->pid = atoi(pid);
    p->cpu_us = (long long)(utime + stime + cutime + cstime) * (1000000 / sysconf(_SC_CLK_TCK));
    p->resident_kb = rss * (sysconf(_SC_PAGESIZE) / 1024);
    p->is_keeper = is_server_of_keepers(p->parent);
    p->ours = p->pid != self && !is_server(p->pid) && !p->is_keeper && (order.namespace || p->parent == self || is_server(p->parent));
    return 1;
}

static int by_pid(const void *a, const void *b)
{
    return ((const struct process *)a)->pid - ((const struct process *)b)->pid;
}

/* Outside a namespace all processes of the machine are listed: marks our descendants. */
static void mark_descendants(size_t all)
{
    if (!all)
        return;
    qsort(table, all, sizeof *table, by_pid);
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t i = 0; i < all; i++) {
            struct process key = {.pid = table[i].parent}, *parent;
            if (table[i].ours || table[i].is_keeper || table[i].pid == self || is_server(table[i].pid))
                continue;
            if ((parent = bsearch(&key, table, all, sizeof *table, by_pid)) && (parent->ours || parent->is_keeper))
                table[i].ours = changed = 1;
        }
    }
}

static void grow_table(void)
{
    room = room ? 2 * room : 64;
    table = realloc(table, room * sizeof *table);
    if (!table)
        die("no memory for a table of %zu processes", room);
}

int read_of_process(pid_t pid, const char *name, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "%d/%s", pid, name);
    return read_file(dirfd(proc), path, text, size) > 0;
}

/* Keeps a list of keepers, and says whether a process is a fork of a server or of a keeper. */
static void find_keepers(size_t all)
{
    n_keepers = 0;
    for (size_t i = 0; i < all && n_keepers < MAX_SERVERS; i++)
        if (table[i].is_keeper)
            keepers[n_keepers++] = table[i];
}

static int is_fork(const struct process *p)
{
    for (int i = 0; i < n_keepers; i++)
        if (p->parent == keepers[i].pid)
            return 1;
    return is_server(p->parent);
}

/* Fills the table with the processes of the command and returns their number. */
int scan(void)
{
    size_t all = 0;
    if (!proc && !(proc = opendir("/proc")))
        die("/proc");
    rewinddir(proc);
    for (struct dirent *e; errno = 0, (e = readdir(proc));) {
        if (all == room)
            grow_table();
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && read_process(e->d_name, &table[all]))
            all++;
    }
    if (errno)
        die("/proc");
    if (!order.namespace)
        mark_descendants(all);
    find_keepers(all);
    processes = has_run = 0;
    for (size_t i = 0; i < all; i++)
        if (table[i].ours) {
            has_run |= is_fork(&table[i]);
            table[processes++] = table[i];
        }
    return processes;
}

/* Reaps what has died; with `block` until no child is left. */
void reap(int block)
{
    struct rusage u;
    int status;
    for (pid_t pid; (pid = wait4(-1, &status, block ? 0 : WNOHANG, &u)) > 0 || (pid < 0 && errno == EINTR);) {
        if (pid < 0)
            continue;
        course.reaped_us += (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000LL + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
        if (u.ru_maxrss > course.peak_kb)
            course.peak_kb = u.ru_maxrss;
        if (pid == course.command) {
            course.status = status;
            course.ended = 1;
        }
    }
}

/* Takes what a server says of its fork that ended; without a word it is lost, and so is what it was asked. */
void hear(const struct server *server)
{
    struct { int status, unused; long long cpu_us, peak_kb; } said;
    struct pollfd fd = {server->channel, POLLIN, 0};
    if (poll(&fd, 1, PATIENCE_MS) != 1)
        die("the fork server does not answer");
    if (recv(server->channel, &said, sizeof said, MSG_DONTWAIT) != sizeof said)
        die("the fork server ended");
    course.status = said.status;
    course.ended = 1;
    course.reaped_us += said.cpu_us;
    if (said.peak_kb > course.peak_kb)
        course.peak_kb = said.peak_kb;
}

/* Outside a namespace as the command's user: whatever the table says, the kernel then spares the processes of all others. */
static void kill_all(int with_keepers)
{
    int as_user = order.uid && !order.namespace;
    if (as_user && setresuid((uid_t)order.uid, (uid_t)order.uid, 0))
        die("cannot change the user to %ld", order.uid);
    for (int i = 0; i < processes; i++)
        kill(table[i].pid, SIGKILL);
    for (int i = 0; i < n_keepers && with_keepers; i++)
        kill(keepers[i].pid, SIGKILL);
    if (as_user && (setresuid(0, 0, 0) || prctl(PR_SET_DUMPABLE, 0)))
        die("cannot change the user back");
}

void kill_tree(struct server *server)
{
    if (order.namespace && !has_servers()) {
        kill(-1, SIGKILL); /* atomic: no fork escapes it */
        reap(1);
        return;
    }
    if (server)
        kill(server->pid, SIGCONT); /* whoever stopped it: it must bury its dead */
    if (server && server->has_keepers && !course.ended) { /* so that the server answers, whatever holds its keeper up */
        scan();
        kill_all(1);
        free(server->tree);
        server->tree = NULL;
    }
    for (long long begin = now_us(); scan() > 0; usleep(200), reap(0)) {
        kill_all(0);
        if (now_us() - begin > PATIENCE_MS * 1000LL)
            die("cannot kill all processes");
    }
    if (server && !course.ended)
        hear(server);
    reap(!has_servers());
}

