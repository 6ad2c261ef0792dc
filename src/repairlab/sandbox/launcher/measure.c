/* What a command has used so far: memory, disk, CPU time. */
#include "launcher.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ino_t stdin_inode;

void start_measuring(int stdin_fd)
{
    struct stat st;
    stdin_inode = fstat(stdin_fd, &st) ? 0 : st.st_ino;
}

/* Resident memory with shared pages counted once: exact and slow, so asked only when the cheap sum is over the limit. */
long proportional_kb(void)
{
    long sum = 0;
    for (int i = 0; i < processes; i++) {
        char text[1024];
        char *line = read_of_process(table[i].pid, "smaps_rollup", text, sizeof text) ? strstr(text, "\nPss:") : NULL;
        sum += line ? strtol(line + 5, NULL, 10) : table[i].resident_kb;
    }
    return sum;
}

static long deleted_kb(pid_t pid, ino_t *seen, int *count)
{
    char path[64];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *folder = opendir(path);
    if (!folder)
        return 0;
    for (struct dirent *e; (e = readdir(folder)) && *count < 1024;) {
        struct stat st;
        int known = fstatat(dirfd(folder), e->d_name, &st, 0) || !S_ISREG(st.st_mode) || st.st_nlink || st.st_ino == stdin_inode ||
                    (order.layers && is_in_layer(&st));
        for (int i = 0; !known && i < *count; i++)
            known = seen[i] == st.st_ino;
        if (!known) {
            seen[(*count)++] = st.st_ino;
            kb += st.st_blocks / 2;
        }
    }
    closedir(folder);
    return kb;
}

/* All that the command has written: its private folders, growth of its tree, open files without a name (memfd, deleted). */
long disk_kb(void)
{
    ino_t seen[1024];
    int count = 0;
    long kb = written_kb();
    for (int i = 0; i < processes; i++)
        kb += deleted_kb(table[i].pid, seen, &count);
    return kb;
}

/* CPU time so far. A process whose parent ignores SIGCHLD is never charged to anybody: what vanishes from the sum is kept. */
static long long cpu_us(void)
{
    long long live = course.reaped_us;
    for (int i = 0; i < processes; i++)
        live += table[i].cpu_us;
    if (live + 20000 < course.last_live_us)
        course.lost_us += course.last_live_us - live;
    course.last_live_us = live;
    return live + course.lost_us;
}

/* A child that dies during a scan may be seen twice, alive and in the sum of its parent: look again before believing a jump. */
long long cpu_us_checked(long long elapsed_us)
{
    static long processors;
    if (!processors)
        processors = sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < 3; i++) {
        long long sum = course.reaped_us;
        for (int j = 0; j < processes; j++)
            sum += table[j].cpu_us;
        if (sum <= course.last_live_us + elapsed_us * processors + 20000LL * (processes + 1))
            break;
        scan();
    }
    return cpu_us();
}

/* How long threads have run, and how long they have been ready to: running, or waiting for a CPU. */
struct turns {
    long long ran_us, ready_us;
};

/* Adds what a thread had; nothing when it is gone, or the kernel does not say. */
static void add_turns(struct turns *sum, int folder, const char *path)
{
    char text[128];
    long long ran, waited;
    if (read_file(folder, path, text, sizeof text) <= 0 || sscanf(text, "%lld %lld", &ran, &waited) != 2)
        return;
    sum->ran_us += ran / 1000;
    sum->ready_us += (ran + waited) / 1000;
}

static void add_turns_of(struct turns *sum, const struct process *p)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", p->pid);
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (struct dirent *e; (e = readdir(folder));) {
        char name[64];
        snprintf(name, sizeof name, "%.20s/schedstat", e->d_name);
        if (e->d_name[0] != '.')
            add_turns(sum, dirfd(folder), name);
    }
    closedir(folder);
}

#define TICKS_US 20000    /* by how much the CPU time of a process may be off, which is counted in ticks */
#define MEMORY_US 1000000 /* for how long time in which nothing was seen to be ready stays in doubt */

/* Adds the part of the time since the last look in which the command ran or waited for a CPU. What it waited for besides, a clock
   or itself, is its own affair. Of threads that have ended nobody can say how long they waited: where CPU time was used that no
   living thread had, all of the time counts, also that before it in which such threads may have come and gone. */
void measure_busy(long long elapsed_us, long long cpu_us)
{
    struct turns all = {0, 0};
    for (int i = 0; i < processes; i++)
        add_turns_of(&all, &table[i]);
    long long more = all.ready_us - course.last_ready_us, of_ended_us = cpu_us - all.ran_us;
    more = more < 0 || more > elapsed_us ? elapsed_us : more;
    course.busy_us += more;
    course.doubtful_us += elapsed_us - more;
    if (of_ended_us > course.of_ended_us + TICKS_US * (processes + 1)) {
        course.busy_us += course.doubtful_us;
        course.doubtful_us = 0;
        course.of_ended_us = of_ended_us;
    } else if (course.doubtful_us > MEMORY_US) {
        course.doubtful_us = 0;
        course.of_ended_us = of_ended_us;
    }
    course.last_ready_us = all.ready_us;
    if (all.ready_us > course.most_ready_us)
        course.most_ready_us = all.ready_us;
    course.sampled_us += elapsed_us;
}
