/* What the parts of the launcher share: the order at hand, and who does what; launcher.c says what the launcher is for. */
#ifndef LAUNCHER_H
#define LAUNCHER_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { MAX_SCRATCH = 8, MAX_SERVERS = 8, MAX_IDLE_SERVERS = 4, DEEPEST = 200, PATIENCE_MS = 20000, RUNS_PER_SERVER = 1000 };
enum { AGE_OF_FOLDERS = 946684800 }; /* private folders are as old in every place: of the year 2000 */

struct order {
    long cpu_ms, memory_kb, address_kb, processes, nproc, disk_kb;
    long wall_ms, most_ms; /* without the time in which it waited for a CPU, and with it */
    long output; /* bytes of each channel; watched here for several runs at once, by the host for a single one */
    long uid, gid, owner_uid, owner_gid; /* uid 0: do not change the user */
    long namespace, writable, forks;
    long cpus; /* how many the command may use; 0: all */
    long random_addresses; /* as the kernel gives them, else the same ones each time */
    long keep; /* files of the tree stay the command's own, for the next one */
    long layers; /* this process may mount: private folders and layers of the tree are new file systems in memory */
    long private; /* the command may write to a layer of its own over the tree */
    char *tree, *cwd;
    char *base, *source; /* where the host has mounted the folder of all trees, and which of them the command is for */
    char *scratch[MAX_SCRATCH]; /* private writable folders */
    int scratches;
    char **argv, **env;
    char **turns; /* the end of `env` where a fork server learns of it with each tree, else NULL */
    char **sealed; /* what a command may not change, though it may write to the tree or to a layer over it */
    char **fixtures; /* files and folders of the host that are mounted below the private folders */
    char **allow; /* without a namespace, all of the host that the command may use: a letter, a colon and a path */
    char *text; /* all of the above points into it */
    size_t size, common; /* how long it is, and up to where it says the same for all trees */
};
extern struct order order;

/* A program that has loaded and waits to be forked; one that cannot wait has no process. */
struct server {
    pid_t pid;
    int channel, runs;
    int has_keepers; /* its forks are no runs, but keepers, whose forks are */
    int turns, trees, cannot_turn; /* whether it serves one tree after the other, how many so far, and whether not the one at hand */
    char *text, *tree; /* the orders that it is for, and what they say of the tree at hand */
    size_t size, tree_size;
};

struct process {
    pid_t pid, parent;
    long long cpu_us;
    long resident_kb, threads;
    int ours, is_keeper;
};

/* What is known of the command that runs. */
struct course {
    pid_t command; /* 0: a fork of a server */
    int status, ended;
    long long start_us, reaped_us, lost_us, last_live_us, peak_kb;
    long long busy_us, last_ready_us, most_ready_us, sampled_us; /* nothing is known of busy_us while most_ready_us is 0 */
    long long of_ended_us, doubtful_us;
};
extern struct course course;

extern pid_t self;
extern int control;

/* support.c */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
long long now_us(void);
ssize_t read_file(int folder, const char *path, char *buffer, size_t size);

/* orders.c */
void read_orders(int fd);

/* tree.c */
enum walk { MEASURE, TAKE, GIVE, RETURN, ERASE, SEAL };
long walk(char *root, enum walk what);

/* processes.c: the table holds the processes of the command as of the last scan */
extern struct process *table;
extern int processes;
extern int has_run; /* whether one of them is the fork of a server */
int scan(void);
int read_of_process(pid_t pid, const char *name, char *text, size_t size);
void reap(int block);
void hear(const struct server *server);
void kill_tree(struct server *server);

/* measure.c */
void start_measuring(int stdin_fd);
long proportional_kb(void);
long disk_kb(void);
long long cpu_us_checked(long long elapsed_us);
void measure_busy(long long elapsed_us, long long cpu_us);

/* landlock.c, seccomp.c, command.c */
void restrict_files(void);
void restrict_calls(int server);
pid_t start_command(const int *fds, int count, int server);

/* servers.c */
int has_servers(void);
int is_server(pid_t pid);
int is_server_of_keepers(pid_t pid);
struct server *find_server(void);
void end_servers(void);
void leave_tree_of_servers(void);
int send_files(int channel, const int *fds, int count);

/* places.c: where a command may write */
void hand_over(void);
void open_places(void);
long written_kb(void);
long close_places(void); /* returns how much was written, in KiB */
void enter_tree(void);
void leave_tree(void);

/* layer.c: private folders and layers as file systems in memory */
void start_mounting(void);
void mount_layer(void);
void unmount_layer(void);
long layer_kb(void);
int is_in_layer(const struct stat *st);
void set_read_only(int read_only);
void mount_tree(void);
void unmount_tree(const char *path);

/* journal.c: what a private command has changed of the tree that it found, where it has a layer */
void begin_journal(const char *folder);
void end_journal(void);
size_t read_journal(const char **text);

/* channels.c: what a run says, where it is the launcher that reads it */
enum { CHANNELS = 3 };
struct pollfd;
void open_channels(int *ends);
void leave_channels(int *ends);
int wait_on_channels(struct pollfd *fds);
int read_channels(void); /* returns whether one has given too much */
size_t channel_size(int number);
void save_channels(int fd);

/* run.c */
struct ending {
    const char *name;
    int code, is_not_reusable;
    long long wall_us;
};
struct ending run(int children, const int *streams);
int describe(const struct ending *ending, char *text, size_t size);

/* series.c */
void run_series(int children, int inputs, int answers);
#endif
