/* Runs untrusted commands under limits, one after the other; kills the whole process tree of each and says what it used.
 *
 * Usage: launcher CONTROL [GROUP]   (CONTROL: the number of an inherited socket, or the path of one to connect to;
 * GROUP: the number of a control group's open list of processes, which this process joins with all that it starts)
 * The host sends messages on CONTROL (SOCK_SEQPACKET): a run is one byte with five descriptors: orders, stdin, stdout, stderr and
 * report; a message without descriptors stops the command. The answer is one line of JSON, or the text of an error of ours, after
 * which this process ends. Orders are NUL-terminated "name=value" strings. When the host closes CONTROL, everything is killed.
 *
 * A program that can fork itself (order forks=1) is started once, with a socket as descriptor 4, and forked for each run.
 *
 * In a pid namespace this is pid 1; otherwise it is a child subreaper. It stays small, because the kernel charges the resident
 * size of a forking parent to its child. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PROCESSES = 32768, MAX_SCRATCH = 8, MAX_SERVERS = 8, DEEPEST = 200, PATIENCE_MS = 20000, RUNS_PER_SERVER = 1000 };
enum walk { MEASURE, TAKE, GIVE, ERASE };

static struct {
    long cpu_ms, wall_ms, memory_kb, address_kb, processes, nproc, disk_kb;
    long uid, gid, owner_uid, owner_gid; /* uid 0: do not change the user */
    long namespace, writable, forks, keep; /* keep: files of the tree stay the command's own, for the next one */
    char *tree, *cwd;
    char *scratch[MAX_SCRATCH]; /* private writable folders */
    int scratches;
    char **argv, **env;
    char **allow; /* without a namespace, all of the host that the command may use: a letter, a colon and a path */
    char *text; /* all of the above points into it */
    size_t size;
} order;

/* A program that has loaded and waits to be forked; one that cannot wait has no process. */
struct server {
    pid_t pid;
    int channel, runs;
    char *text;
    size_t size;
};
static struct server servers[MAX_SERVERS];
static int n_servers;

static pid_t self, command;
static int control = -1, command_status, command_ended;
static long long reaped_us, lost_us, last_live_us, peak_kb, start_us;
static long tree_kb; /* size of the tree before the command */
static ino_t stdin_inode;

/* ---- small things ---- */

static void die(const char *format, ...)
{
    char text[1024], reason[1200];
    const char *error = strerror(errno);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    int size = snprintf(reason, sizeof reason, "launcher: %s: %s\n", text, error);
    if (control < 0 || send(control, reason, size, MSG_NOSIGNAL) < 0)
        dprintf(2, "%s", reason);
    _exit(125);
}

static long long now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static ssize_t read_file(int folder, const char *path, char *buffer, size_t size)
{
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t got = read(fd, buffer, size - 1);
    close(fd);
    buffer[got > 0 ? got : 0] = 0;
    return got;
}

/* ---- orders ---- */

static int set_number(const char *name, size_t length, const char *value)
{
    static const struct { const char *name; long *value; } numbers[] = {
        {"cpu_ms", &order.cpu_ms}, {"wall_ms", &order.wall_ms}, {"memory_kb", &order.memory_kb},
        {"address_kb", &order.address_kb}, {"processes", &order.processes}, {"nproc", &order.nproc},
        {"disk_kb", &order.disk_kb}, {"uid", &order.uid}, {"gid", &order.gid}, {"owner_uid", &order.owner_uid},
        {"owner_gid", &order.owner_gid}, {"namespace", &order.namespace}, {"writable", &order.writable},
        {"forks", &order.forks}, {"keep", &order.keep},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strlen(numbers[i].name) == length && !strncmp(numbers[i].name, name, length)) {
            *numbers[i].value = atol(value);
            return 1;
        }
    return 0;
}

static void read_orders(int fd)
{
    struct stat st;
    if (fstat(fd, &st))
        die("orders");
    free(order.argv);
    free(order.env);
    free(order.allow);
    free(order.text);
    memset(&order, 0, sizeof order);
    char *text = order.text = malloc(st.st_size + 1);
    order.size = st.st_size;
    size_t strings = 0, arguments = 0, variables = 0, allowed = 0;
    if (!text || pread(fd, text, st.st_size, 0) != st.st_size)
        die("orders");
    text[st.st_size] = 0;
    for (char *s = text; s < text + st.st_size; s += strlen(s) + 1)
        strings++;
    order.argv = calloc(strings + 1, sizeof(char *));
    order.env = calloc(strings + 1, sizeof(char *));
    order.allow = calloc(strings + 1, sizeof(char *));
    if (!order.argv || !order.env || !order.allow)
        die("orders");
    for (char *s = text; s < text + st.st_size; s += strlen(s) + 1) {
        size_t length = strcspn(s, "=");
        char *value = s + length + (s[length] == '=');
        if (!strncmp(s, "arg=", 4))
            order.argv[arguments++] = value;
        else if (!strncmp(s, "env=", 4))
            order.env[variables++] = value;
        else if (!strncmp(s, "allow=", 6))
            order.allow[allowed++] = value;
        else if (!strncmp(s, "cwd=", 4))
            order.cwd = value;
        else if (!strncmp(s, "tree=", 5))
            order.tree = value;
        else if (!strncmp(s, "scratch=", 8) && order.scratches < MAX_SCRATCH)
            order.scratch[order.scratches++] = value;
        else if (!set_number(s, length, value))
            die("unknown order '%s'", s);
    }
    if (!arguments || !order.cwd || !order.tree)
        die("incomplete orders");
    if (order.namespace && self != 1)
        die("not the first process of a namespace"); /* where killing all processes would mean those of the host */
}

/* ---- trees of files; nobody else runs in them while we change them ---- */

static void take_entry(const FTSENT *e)
{
    /* A file with several names may also be a file of somebody else: it is left alone. */
    if (e->fts_info != FTS_DP && !(S_ISREG(e->fts_statp->st_mode) && e->fts_statp->st_nlink > 1) &&
        (e->fts_statp->st_uid != order.uid || e->fts_statp->st_gid != order.gid))
        if (lchown(e->fts_accpath, order.uid, order.gid))
            die("cannot hand over %s", e->fts_path);
}

static void give_entry(const FTSENT *e)
{
    const struct stat *st = e->fts_statp;
    if (e->fts_level > DEEPEST) { /* deeper than ordinary programs can walk or delete: taken away from the bottom upwards */
        if (e->fts_info == FTS_DP)
            rmdir(e->fts_accpath);
        else if (e->fts_info != FTS_D)
            unlink(e->fts_accpath);
        else if (st->st_uid == (order.uid ? (uid_t)order.uid : geteuid()))
            chmod(e->fts_accpath, 0700);
        return;
    }
    if (e->fts_info == FTS_DP || st->st_uid != (order.uid ? (uid_t)order.uid : geteuid()))
        return;
    if (S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode)) { /* opening one would block the host */
        unlink(e->fts_accpath);
        return;
    }
    if (order.uid && !order.keep && lchown(e->fts_accpath, order.owner_uid, order.owner_gid))
        die("cannot give back %s", e->fts_path);
    if (S_ISLNK(st->st_mode))
        return;
    mode_t wanted = (st->st_mode & 0777) | (S_ISDIR(st->st_mode) ? 0700 : 0600);
    if (order.uid && !order.keep) /* the next command has another user */
        wanted |= S_ISDIR(st->st_mode) ? 0055 : (wanted & 0100) ? 0055 : 0044;
    if (wanted != (st->st_mode & 07777) && chmod(e->fts_accpath, wanted))
        die("cannot give back %s", e->fts_path);
}

/* Returns the size in KiB of all below a folder, links not followed, file systems not crossed. */
static long walk(char *root, enum walk what)
{
    char *roots[] = {root, NULL};
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_XDEV, NULL);
    long long blocks = 0;
    if (!fts)
        die("cannot walk %s", root);
    for (FTSENT *e; (e = fts_read(fts));) {
        if (e->fts_info == FTS_NS || e->fts_info == FTS_ERR || e->fts_info == FTS_DNR)
            continue;
        if (e->fts_info != FTS_DP)
            blocks += e->fts_statp->st_blocks;
        if (what == MEASURE && e->fts_level > DEEPEST) { /* soon too deep to walk at all: as bad as too much */
            blocks = 1LL << 50;
            break;
        }
        if (what == TAKE)
            take_entry(e);
        else if (what == GIVE)
            give_entry(e);
        else if (what == ERASE && e->fts_level > 0 && e->fts_info == FTS_D) {
            if (!order.uid || e->fts_statp->st_uid == order.uid)
                chmod(e->fts_accpath, 0700);
        } else if (what == ERASE && e->fts_level > 0)
            e->fts_info == FTS_DP ? rmdir(e->fts_accpath) : unlink(e->fts_accpath);
    }
    fts_close(fts);
    return blocks / 2;
}

/* ---- the process tree ---- */

struct process {
    pid_t pid, parent;
    long long cpu_us;
    long resident_kb, threads;
    int ours;
};
static struct process table[MAX_PROCESSES];
static int processes;
static DIR *proc;

static int is_server(pid_t pid)
{
    for (int i = 0; i < n_servers; i++)
        if (pid && servers[i].pid == pid) /* 0 is no process, but the parent of the machine's first */
            return 1;
    return 0;
}

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
    p->ours = p->pid != self && !is_server(p->pid) && (order.namespace || p->parent == self || is_server(p->parent));
    return 1;
}

static int by_pid(const void *a, const void *b)
{
    return ((const struct process *)a)->pid - ((const struct process *)b)->pid;
}

/* Outside a namespace all processes of the machine are listed: marks our descendants. */
static void mark_descendants(int all)
{
    qsort(table, all, sizeof *table, by_pid);
    for (int changed = 1; changed;) {
        changed = 0;
        for (int i = 0; i < all; i++) {
            struct process key = {.pid = table[i].parent}, *parent;
            if (table[i].ours || table[i].pid == self || is_server(table[i].pid))
                continue;
            if ((parent = bsearch(&key, table, all, sizeof *table, by_pid)) && parent->ours)
                table[i].ours = changed = 1;
        }
    }
}

/* Fills the table with the processes of the command and returns their number. */
static int scan(void)
{
    struct process *found = table;
    if (!proc && !(proc = opendir("/proc")))
        die("/proc");
    rewinddir(proc);
    for (struct dirent *e; (e = readdir(proc)) && found < table + MAX_PROCESSES;)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && read_process(e->d_name, found))
            found++;
    int all = found - table;
    if (!order.namespace)
        mark_descendants(all);
    processes = 0;
    for (int i = 0; i < all; i++)
        if (table[i].ours)
            table[processes++] = table[i];
    return processes;
}

/* Reaps what has died; with `block` until no child is left. */
static void reap(int block)
{
    struct rusage u;
    int status;
    for (pid_t pid; (pid = wait4(-1, &status, block ? 0 : WNOHANG, &u)) > 0 || (pid < 0 && errno == EINTR);) {
        if (pid < 0)
            continue;
        reaped_us += (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000LL + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
        if (u.ru_maxrss > peak_kb)
            peak_kb = u.ru_maxrss;
        if (pid == command) {
            command_status = status;
            command_ended = 1;
        }
    }
}

/* Takes what a server says of its fork that ended; without a word it is lost, and so is what it was asked. */
static void hear(const struct server *server)
{
    struct { int status, unused; long long cpu_us, peak_kb; } said;
    if (recv(server->channel, &said, sizeof said, 0) != sizeof said)
        die("the fork server ended");
    command_status = said.status;
    command_ended = 1;
    reaped_us += said.cpu_us;
    if (said.peak_kb > peak_kb)
        peak_kb = said.peak_kb;
}

/* Outside a namespace as the command's user: whatever the table says, the kernel then spares the processes of all others. */
static void kill_all(void)
{
    int as_user = order.uid && !order.namespace;
    if (as_user && setresuid(order.uid, order.uid, 0))
        die("cannot change the user to %ld", order.uid);
    for (int i = 0; i < processes; i++)
        kill(table[i].pid, SIGKILL);
    if (as_user && (setresuid(0, 0, 0) || prctl(PR_SET_DUMPABLE, 0)))
        die("cannot change the user back");
}

static void kill_tree(const struct server *server)
{
    if (order.namespace && !n_servers) {
        kill(-1, SIGKILL); /* atomic: no fork escapes it */
        reap(1);
        return;
    }
    for (long long begin = now_us(); scan() > 0; usleep(200), reap(0)) {
        kill_all();
        if (now_us() - begin > PATIENCE_MS * 1000LL)
            die("cannot kill all processes");
    }
    if (server && !command_ended)
        hear(server);
    reap(n_servers == 0);
}

/* ---- measuring ---- */

/* Resident memory with shared pages counted once: exact and slow, so asked only when the cheap sum is over the limit. */
static long proportional_kb(void)
{
    long sum = 0;
    for (int i = 0; i < processes; i++) {
        char path[64], text[1024];
        snprintf(path, sizeof path, "%d/smaps_rollup", table[i].pid);
        long kb = table[i].resident_kb;
        char *line = read_file(dirfd(proc), path, text, sizeof text) > 0 ? strstr(text, "\nPss:") : NULL;
        if (line)
            kb = atol(line + 5);
        sum += kb;
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
        int known = fstatat(dirfd(folder), e->d_name, &st, 0) || !S_ISREG(st.st_mode) || st.st_nlink || st.st_ino == stdin_inode;
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
static long disk_kb(void)
{
    ino_t seen[1024];
    int count = 0;
    long kb = order.writable ? walk(order.tree, MEASURE) - tree_kb : 0;
    for (int i = 0; i < order.scratches; i++) {
        struct statfs fs;
        if (!order.namespace)
            kb += walk(order.scratch[i], MEASURE);
        else if (!statfs(order.scratch[i], &fs)) /* a file system of its own */
            kb += (fs.f_blocks - fs.f_bfree) * (fs.f_bsize / 1024);
    }
    for (int i = 0; i < processes; i++)
        kb += deleted_kb(table[i].pid, seen, &count);
    return kb;
}

/* CPU time so far. A process whose parent ignores SIGCHLD is never charged to anybody: what vanishes from the sum is kept. */
static long long cpu_us(void)
{
    long long live = reaped_us;
    for (int i = 0; i < processes; i++)
        live += table[i].cpu_us;
    if (live + 20000 < last_live_us)
        lost_us += last_live_us - live;
    last_live_us = live;
    return live + lost_us;
}

/* A child that dies during a scan may be seen twice, alive and in the sum of its parent: look again before believing a jump. */
static long long cpu_us_checked(long long elapsed_us)
{
    static long processors;
    if (!processors)
        processors = sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < 3; i++) {
        long long sum = reaped_us;
        for (int j = 0; j < processes; j++)
            sum += table[j].cpu_us;
        if (sum <= last_live_us + elapsed_us * processors + 20000LL * (processes + 1))
            break;
        scan();
    }
    return cpu_us();
}

/* ---- what the command may reach without a namespace ---- */

/* Named here, since headers lack what is newer than they are. */
enum {
    EXECUTE = 1 << 0, WRITE_FILE = 1 << 1, READ_FILE = 1 << 2, READ_DIR = 1 << 3, MAKE_CHAR = 1 << 6, MAKE_BLOCK = 1 << 11,
    TRUNCATE = 1 << 14, IOCTL_DEV = 1 << 15,
    EVERYTHING = (1 << 16) - 1, OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV,
    LANDLOCK_CREATE_RULESET = 444, LANDLOCK_ADD_RULE = 445, LANDLOCK_RESTRICT_SELF = 446, /* one number on all machines */
};

static long long rights_of(char kind)
{
    switch (kind) {
    case 'r': return EXECUTE | READ_FILE | READ_DIR;
    case 'l': return READ_DIR;
    case 'd': return READ_FILE | WRITE_FILE | TRUNCATE;
    case 'w': return EVERYTHING & ~(MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV);
    default: die("unknown kind of access '%c'", kind);
    }
    return 0;
}

static void allow(int ruleset, const char *rule, long long handled)
{
    struct stat st;
    struct { unsigned long long rights; int fd; } __attribute__((packed)) beneath = {0, open(rule + 2, O_PATH | O_CLOEXEC)};
    if (beneath.fd < 0 || fstat(beneath.fd, &st))
        die("cannot reach %s", rule + 2);
    beneath.rights = rights_of(*rule) & handled & (S_ISDIR(st.st_mode) ? EVERYTHING : OF_A_FILE);
    if (syscall(LANDLOCK_ADD_RULE, ruleset, 1 /* path beneath */, &beneath, 0))
        die("Landlock refuses a rule for %s", rule + 2);
    close(beneath.fd);
}

/* Landlock: all of the file system is closed but what is allowed; so are TCP and signals to processes outside. */
static void restrict_files(void)
{
    struct { unsigned long long fs, net, scoped; } handled = {EVERYTHING, 3 /* bind, connect */, 3 /* abstract sockets, signals */};
    long version = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, 1 /* ask for the version */);
    if (version < 3 || (version < 6 && !order.uid)) /* before, files can be truncated, and processes of the same user signalled */
        die("this kernel has no Landlock, or version %ld, which is too old", version);
    if (version < 5)
        handled.fs &= ~IOCTL_DEV;
    size_t size = version < 4 ? 8 : version < 6 ? 16 : 24;
    int ruleset = syscall(LANDLOCK_CREATE_RULESET, &handled, size, 0);
    if (ruleset < 0)
        die("Landlock");
    for (char **rule = order.allow; *rule; rule++)
        allow(ruleset, *rule, handled.fs);
    if (syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0))
        die("Landlock");
    close(ruleset);
}

/* ---- what the command may ask of the kernel ---- */

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
#define REFUSE(error) RETURN(SECCOMP_RET_ERRNO | (error))

static void refuse(unsigned int call, int error)
{
    emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    REFUSE(error);
}

/* Refuses a call whose argument is a value (JEQ) or has any of some bits (JSET). */
static void refuse_if(unsigned int call, int argument, unsigned short test, unsigned int value)
{
    emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * argument, 0, 0);
    emit(BPF_JMP | test | BPF_K, value, 0, 1);
    REFUSE(EPERM);
    LOAD(nr);
}

static void refuse_unless(unsigned int call, int argument, const unsigned int *values, int count, int error)
{
    emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, count + 3);
    emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * argument, 0, 0);
    for (int i = 0; i < count; i++)
        emit(BPF_JMP | BPF_JEQ | BPF_K, values[i], count - i, 0);
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
static void guard(pid_t pid)
{
    static const int schedules[] = {SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr, SYS_sched_setaffinity};
    static const int signals[] = {SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, 434 /* pidfd_open */};
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++)
        refuse_if(schedules[i], 0, BPF_JEQ, pid);
    refuse_if(SYS_setpriority, 1, BPF_JEQ, pid);
    refuse_if(SYS_ioprio_set, 1, BPF_JEQ, pid);
    if (order.namespace && pid == self) /* pid 1 is out of reach of signals from its own namespace */
        return;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        refuse_if(signals[i], 0, BPF_JEQ, pid);
    refuse_if(SYS_kill, 0, BPF_JEQ, -pid);
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
static void restrict_mode(unsigned int call, int argument)
{
    emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 6);
    emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * argument, 0, 0);
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

static void restrict_calls(void)
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
    refuse_if(SYS_kill, 0, BPF_JEQ, -1);
    refuse_if(SYS_setpriority, 0, BPF_JEQ, PRIO_USER);
    refuse_if(SYS_ioprio_set, 0, BPF_JEQ, 3 /* all processes of the user */);
    if (*order.allow)
        refuse_what_landlock_allows();
    guard(self);
    if (order.forks)
        guard(getpid()); /* this process will be the fork server; its forks must leave it alone */
    RETURN(SECCOMP_RET_ALLOW);
    struct sock_fprog program = {length, code};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        die("seccomp");
}

/* ---- the command ---- */

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
    rlim_t cpu = order.cpu_ms / 1000 + 2, disk = order.disk_kb * 1024UL, memory = order.memory_kb * 1024UL;
    limit(RLIMIT_CPU, cpu, cpu + 1); /* back-stop: the tree's sum is watched */
    limit(RLIMIT_FSIZE, disk, disk);
    limit(RLIMIT_NOFILE, 1024, 1024);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_MSGQUEUE, 0, 0);
    if (order.nproc)
        limit(RLIMIT_NPROC, order.nproc, order.nproc);
    if (order.address_kb) {
        /* Threads reserve a stack as large as a finite limit, which would not fit. The address space bounds the stack. */
        limit(RLIMIT_STACK, RLIM_INFINITY, RLIM_INFINITY);
        limit(RLIMIT_AS, order.address_kb * 1024UL, order.address_kb * 1024UL);
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
    if (order.uid && (setgroups(0, NULL) || setresgid(order.gid, order.gid, order.gid) ||
                      setresuid(order.uid, order.uid, order.uid)))
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

/* Becomes the command; fds: stdin, stdout, stderr, report, and the channel of a fork server. */
static void run_command(const int *fds, int count)
{
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    umask(022);
    personality(ADDR_NO_RANDOMIZE); /* undefined behaviour should at least be the same twice; some containers refuse it */
    set_limits();
    drop_rights();
    if (*order.allow)
        restrict_files();
    restrict_calls();
    for (int i = 0; i < count; i++)
        if (dup2(fds[i], i) < 0)
            die("dup2");
    if (chdir(order.cwd)) {
        dprintf(2, "cannot enter the folder '%s': %s\n", order.cwd, strerror(errno));
        _exit(127);
    }
    environ = order.env;
    execvp(order.argv[0], order.argv);
    dprintf(2, "cannot run '%s': %s\n", order.argv[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

static pid_t start_command(const int *fds, int count)
{
    pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (!pid)
        run_command(fds, count);
    return pid;
}

/* ---- fork servers ---- */

static void end_server(struct server *server)
{
    if (server->pid) {
        kill(server->pid, SIGKILL);
        waitpid(server->pid, NULL, 0);
        close(server->channel);
    }
    server->pid = 0;
}

/* Starts the program in `order`; a server without a process remembers that the program does not say that it is ready. */
static void start_server(struct server *server)
{
    int sockets[2], nowhere[2], stdin_fd = memfd_create("input", MFD_CLOEXEC);
    char word[16];
    static const char variable[] = "REPAIRLAB_FORK_SERVER=4";
    size_t place = 0;
    while (order.env[place] && strncmp(order.env[place], variable, sizeof variable - 2))
        place++; /* there is room for one more: one entry for every order */
    char *was = order.env[place];
    /* The program finds streams of the kind that its forks get. */
    if (stdin_fd < 0 || pipe2(nowhere, O_CLOEXEC) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
        die("fork server");
    const int fds[] = {stdin_fd, nowhere[1], nowhere[1], nowhere[1], sockets[1]};
    order.env[place] = (char *)variable;
    server->pid = start_command(fds, 5);
    order.env[place] = was;
    server->channel = sockets[0];
    server->runs = 0;
    server->size = order.size;
    server->text = malloc(order.size);
    if (!server->text)
        die("fork server");
    memcpy(server->text, order.text, order.size);
    close(stdin_fd);
    close(sockets[1]);
    close(nowhere[1]);
    struct pollfd fd = {server->channel, POLLIN, 0};
    if (poll(&fd, 1, PATIENCE_MS) != 1 || recv(server->channel, word, sizeof word, 0) != 5)
        end_server(server);
    close(nowhere[0]);
}

/* Ends a server and returns the place for a new one, behind the others. */
static struct server *forget_server(struct server *server)
{
    end_server(server);
    free(server->text);
    memmove(server, server + 1, (servers + --n_servers - server) * sizeof *server);
    return servers + n_servers;
}

/* Returns the server for `order`, or NULL when the command has to be run by itself. */
static struct server *find_server(void)
{
    if (!order.forks)
        return NULL;
    struct server *server = servers;
    while (server < servers + n_servers && (server->size != order.size || memcmp(server->text, order.text, order.size)))
        server++;
    if (server < servers + n_servers && ++server->runs > RUNS_PER_SERVER)
        server = forget_server(server); /* forking takes CPU time, too, and its limit is that of a run */
    if (server == servers + MAX_SERVERS)
        server = forget_server(servers); /* too many: the oldest makes room */
    if (server == servers + n_servers) {
        start_server(server);
        n_servers++;
    }
    return server->pid ? server : NULL;
}

static int send_files(int channel, const int *fds, int count)
{
    char space[CMSG_SPACE(8 * sizeof(int))] = {0}, byte = 'r';
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(header), fds, count * sizeof(int));
    return sendmsg(channel, &message, MSG_NOSIGNAL) == 1;
}

/* ---- the course of a run ---- */

static int furniture[MAX_SCRATCH], furnished; /* entries of the private folders before any command */

static int count_entries(const char *path)
{
    int entries = 0;
    DIR *folder = opendir(path);
    if (!folder)
        die("%s", path);
    while (readdir(folder))
        entries++;
    closedir(folder);
    return entries;
}

static void prepare(int stdin_fd)
{
    struct stat st;
    reaped_us = lost_us = last_live_us = peak_kb = 0;
    command_ended = command_status = 0;
    for (int i = 0; i < order.scratches; i++) {
        if (order.uid && lchown(order.scratch[i], order.uid, order.gid)) /* what is mounted below it is not ours */
            die("cannot hand over %s", order.scratch[i]);
        if (!furnished)
            furniture[i] = count_entries(order.scratch[i]);
    }
    furnished = 1;
    if (order.writable)
        tree_kb = walk(order.tree, order.uid ? TAKE : MEASURE);
    stdin_inode = fstat(stdin_fd, &st) ? 0 : st.st_ino;
}

/* Whether the last scan saw the fork of a server: after its end only the server's word counts. */
static int fork_is_gone(const struct server *server)
{
    for (int i = 0; server && i < processes; i++)
        if (table[i].parent == server->pid)
            return 0;
    return server != NULL;
}

/* Returns the limit that is broken, or NULL. */
static const char *sample(long long elapsed_us, int with_disk, const struct server *server)
{
    long resident = 0, threads = 0;
    scan();
    if (fork_is_gone(server))
        return NULL;
    for (int i = 0; i < processes; i++) {
        resident += table[i].resident_kb;
        threads += table[i].threads;
    }
    if (resident > order.memory_kb && processes > 1)
        resident = proportional_kb();
    if (resident > peak_kb)
        peak_kb = resident;
    if (cpu_us_checked(elapsed_us) > order.cpu_ms * 1000LL)
        return "cpu limit";
    if (now_us() - start_us > order.wall_ms * 1000LL)
        return "wall limit";
    if (peak_kb > order.memory_kb)
        return "memory limit";
    if (threads > order.processes)
        return "signalled"; /* where the kernel does not count processes for us, too many of them are killed */
    if (with_disk && disk_kb() > order.disk_kb)
        return "disk limit";
    return NULL;
}

/* Watches until the command ends (NULL), breaks a limit, or the host wants no more. */
static const char *watch(int children, const struct server *server)
{
    struct pollfd fds[] = {{children, POLLIN, 0}, {control, POLLIN, 0}, {server ? server->channel : -1, POLLIN, 0}};
    long long last = start_us, next_disk = start_us + 50000, pause = server ? 8000 : 2000; /* most forks have ended by then */
    for (;;) {
        char buffer[4096];
        struct timespec timeout = {pause / 1000000, pause % 1000000 * 1000};
        ppoll(fds, 3, &timeout, NULL);
        if (fds[0].revents && read(children, buffer, sizeof buffer) < 0 && errno != EINTR)
            die("signalfd");
        reap(0);
        if (fds[2].revents)
            hear(server);
        if (command_ended)
            return NULL;
        if (fds[1].revents)
            return "stopped";
        long long begin = now_us();
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
        if (peak_kb > order.memory_kb / 2 && pause > 4000)
            pause = 4000;
        if (pause < cost * 20)
            pause = cost * 20 < 200000 ? cost * 20 : 200000;
    }
}

static const char *final_ending(long written_kb)
{
    if (reaped_us + lost_us > order.cpu_ms * 1000LL)
        return "cpu limit";
    if (peak_kb > order.memory_kb)
        return "memory limit";
    if (written_kb > order.disk_kb || (WIFSIGNALED(command_status) && WTERMSIG(command_status) == SIGXFSZ))
        return "disk limit";
    return WIFSIGNALED(command_status) ? "signalled" : "exited";
}

/* Empties the private folders for the next command; folders on the way to mounts stay. */
static void clean_up(void)
{
    for (int i = 0; i < order.scratches; i++)
        if (count_entries(order.scratch[i]) > furniture[i] || furniture[i] > 2) { /* more than itself and its parent */
            walk(order.scratch[i], ERASE);
            if (count_entries(order.scratch[i]) > furniture[i])
                die("cannot empty %s", order.scratch[i]);
        }
}

/* Whether the kernel still remembers connections of this namespace, which would keep the next command from their ports. */
static int is_worn(void)
{
    char text[2048], *tcp;
    long orphans = 0, waiting = 0;
    if (order.namespace && read_file(AT_FDCWD, "/proc/net/sockstat", text, sizeof text) > 0 && (tcp = strstr(text, "\nTCP:")))
        sscanf(tcp, "\nTCP: inuse %*d orphan %ld tw %ld", &orphans, &waiting);
    return orphans + waiting > 0;
}

static void run(int children, const int *fds)
{
    prepare(fds[1]);
    struct server *server = find_server();
    start_us = now_us();
    if (server && !send_files(server->channel, fds + 1, 4))
        die("the fork server is gone");
    if (!server)
        command = start_command(fds + 1, 4);
    const char *ending = watch(children, server);
    long long wall = now_us() - start_us;
    kill_tree(server);
    long written = order.writable ? walk(order.tree, GIVE) - tree_kb : 0;
    clean_up();
    if (!ending)
        ending = final_ending(written);
    char text[512];
    int size = snprintf(text, sizeof text,
                        "{\"ending\":\"%s\",\"code\":%d,\"signal\":%d,\"cpu_us\":%lld,\"wall_us\":%lld,\"peak_kb\":%lld,\"worn\":%d}\n", ending,
                        WIFEXITED(command_status) ? WEXITSTATUS(command_status) : 0,
                        WIFSIGNALED(command_status) ? WTERMSIG(command_status) : 0, reaped_us + lost_us, wall, peak_kb, is_worn());
    send(control, text, size, MSG_NOSIGNAL);
    command = 0;
}

/* ---- messages of the host ---- */

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
static int receive(int *fds)
{
    char space[CMSG_SPACE(5 * sizeof(int))], buffer[16];
    struct iovec data = {buffer, sizeof buffer};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    ssize_t got = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
    if (got <= 0)
        return -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header)
        return 0;
    memcpy(fds, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
    return (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
}

int main(int argc, char **argv)
{
    sigset_t child;
    int fds[5], count;
    if (argc < 2 || argc > 3 || chdir("/"))
        return 125;
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
    while ((count = receive(fds)) >= 0) {
        if (count == 5) {
            read_orders(fds[0]);
            run(children, fds);
        }
        while (count > 0)
            close(fds[--count]);
    }
    for (int i = 0; i < n_servers; i++)
        end_server(&servers[i]);
    return 0;
}
