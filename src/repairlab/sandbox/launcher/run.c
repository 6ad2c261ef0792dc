/* The course of a run: start, watch, end. */
#include "launcher.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct course course;

/* Returns the limit that is broken, or NULL. */
static const char *sample(long long elapsed_us, int with_disk, const struct server *server)
{
    long resident = 0, threads = 0;
    scan();
    if (server && !has_run) /* after the end of a fork only the server's word counts */
        return NULL;
    for (int i = 0; i < processes; i++) {
        resident += table[i].resident_kb;
        threads += table[i].threads;
    }
    if (resident > order.memory_kb && processes > 1)
        resident = proportional_kb();
    if (resident > course.peak_kb)
        course.peak_kb = resident;
    long long cpu_us = cpu_us_checked(elapsed_us);
    measure_busy(elapsed_us, cpu_us);
    if (cpu_us > order.cpu_ms * 1000LL)
        return "cpu limit";
    if (course.peak_kb > order.memory_kb)
        return "memory limit";
    if (threads > order.processes)
        return "signalled"; /* where the kernel does not count processes for us, too many of them are killed */
    if (with_disk && disk_kb() > order.disk_kb)
        return "disk limit";
    return NULL;
}

/* Whether a command took too long: that it waited for a CPU is not held against it, up to a point. */
static int is_late(long long elapsed_us)
{
    long long waited_us = course.most_ready_us ? course.busy_us - course.last_live_us - course.lost_us : 0;
    return elapsed_us - (waited_us > 0 ? waited_us : 0) > order.wall_ms * 1000LL || elapsed_us > order.most_ms * 1000LL;
}

/* Watches until the command ends (NULL), breaks a limit, or the host wants no more. */
static const char *watch(int children, const struct server *server)
{
    struct pollfd fds[3 + CHANNELS] = {{children, POLLIN, 0}, {control, POLLIN, 0}, {server ? server->channel : -1, POLLIN, 0}};
    nfds_t count = 3; /* at first without channels, which have room for all that a short command says */
    long long last = course.start_us, next_disk = course.start_us + 50000, pause = server ? 8000 : 2000; /* most forks have ended by then */
    for (;;) {
        char buffer[4096];
        struct timespec timeout = {pause / 1000000, pause % 1000000 * 1000};
        ppoll(fds, count, &timeout, NULL);
        if (fds[0].revents && read(children, buffer, sizeof buffer) < 0 && errno != EINTR)
            die("signalfd");
        reap(0);
        if (fds[2].revents)
            hear(server);
        if (course.ended)
            return NULL;
        if (fds[1].revents)
            return "stopped";
        if (count > 3 && read_channels())
            return "output limit";
        count = 3 + (nfds_t)wait_on_channels(fds + 3);
        long long begin = now_us();
        if (is_late(begin - course.start_us)) /* whatever keeps us from looking closer */
            return "wall limit";
        if (begin - last < 1000)
            continue; /* many children end: no need to look at each */
        const char *broken = sample(begin - last, begin > next_disk, server);
        if (broken)
            return broken;
        long long cost = now_us() - begin;
        if (begin > next_disk)
            next_disk = begin + (cost < 5000 ? 100000 : cost * 20);
        last = begin;
        pause = pause * 5 / 4 < 20000 ? pause * 5 / 4 : 20000;
        if (course.peak_kb > order.memory_kb / 2 && pause > 4000)
            pause = 4000;
        if (pause < cost * 20)
            pause = cost * 20 < 200000 ? cost * 20 : 200000;
    }
}

static const char *final_ending(long written_kb)
{
    if (course.reaped_us + course.lost_us > order.cpu_ms * 1000LL)
        return "cpu limit";
    if (course.peak_kb > order.memory_kb)
        return "memory limit";
    if (written_kb > order.disk_kb || (WIFSIGNALED(course.status) && WTERMSIG(course.status) == SIGXFSZ))
        return "disk limit";
    return WIFSIGNALED(course.status) ? "signalled" : "exited";
}

/* A sum of all that the kernel counts of this network: packets, errors, attempts. */
static unsigned long network_counters(void)
{
    static const char *const counters[] = {"/proc/net/dev", "/proc/net/snmp", "/proc/net/snmp6", "/proc/net/netstat"};
    static char text[16384];
    unsigned long sum = 0;
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        if (read_file(AT_FDCWD, counters[i], text, sizeof text) <= 0)
            continue;
        for (const char *c = text; *c; c++)
            sum = sum * 31 + (unsigned char)*c;
    }
    return sum;
}

/* Whether the kernel remembers that this network was used: its counters would tell the next command what this one wanted them to,
 * and connections would keep it from their ports. */
static int is_not_reusable(unsigned long counters_before)
{
    return order.namespace && network_counters() != counters_before;
}

/* Whether a command that ended leaves more behind than it may have, where the kernel does not count for us. */
static int has_left_too_many(void)
{
    long threads = 0;
    if (order.nproc)
        return 0;
    scan();
    for (int i = 0; i < processes; i++)
        threads += table[i].threads;
    return threads > order.processes;
}

struct ending run(int children, const int *streams)
{
    struct ending ending = {0};
    memset(&course, 0, sizeof course);
    start_measuring(streams[0]);
    if (order.layers)
        start_mounting();
    enter_tree();
    hand_over();
    struct server *server = find_server(); /* before the layer, which it would keep */
    open_places();
    unsigned long counters = order.namespace ? network_counters() : 0;
    course.start_us = now_us();
    if (server && !send_files(server->channel, streams, 4))
        die("the fork server is gone");
    if (!server)
        course.command = start_command(streams, 4, 0);
    ending.name = watch(children, server);
    ending.wall_us = now_us() - course.start_us;
    course.busy_us += ending.wall_us - course.sampled_us;
    if (!ending.name && has_left_too_many()) {
        ending.name = "signalled";
        course.status = SIGKILL;
    }
    kill_tree(server);
    long written = close_places();
    if (!ending.name)
        ending.name = final_ending(written);
    ending.code = WIFEXITED(course.status) ? WEXITSTATUS(course.status) : 0;
    ending.is_not_reusable = is_not_reusable(counters);
    course.command = 0;
    return ending;
}

/* Writes what is known of the run that ended as JSON, and returns the length of that. */
int describe(const struct ending *ending, char *text, size_t size)
{
    return snprintf(text, size,
                    "{\"ending\":\"%s\",\"code\":%d,\"signal\":%d,\"cpu_us\":%lld,\"wall_us\":%lld,\"busy_us\":%lld,\"peak_kb\":%lld,"
                    "\"not_reusable\":%d}",
                    ending->name, ending->code, WIFSIGNALED(course.status) ? WTERMSIG(course.status) : 0,
                    course.reaped_us + course.lost_us, ending->wall_us, course.most_ready_us ? course.busy_us : -1, course.peak_kb, ending->is_not_reusable);
}
