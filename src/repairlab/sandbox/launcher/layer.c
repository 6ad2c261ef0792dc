/* What a command may write to, as file systems in memory that are gone with all that it did to them: one holds the private folders and
 * a layer over the tree. A layer that was not touched serves the next command. */
#include "launcher.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MAX_MOUNTS = 128, MAX_MARKS = 512 };

/* A folder of the layer as it was made. */
struct mark {
    char *path;
    struct stat st;
};
static struct mark marks[MAX_MARKS];
static char *mounts[MAX_MOUNTS];
static int n_marks, n_mounts;
static struct statfs untouched;

/* What the host has mounted below the private folders, to be mounted again in each layer. */
static struct {
    char *path;
    int fd;
} fixtures[MAX_MOUNTS];
static int n_fixtures, is_ready, base;

static char *copy_of(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        die("no memory");
    return copy;
}

static void mount_at(const char *source, const char *target, const char *type, unsigned long flags, const char *options)
{
    if (n_mounts == MAX_MOUNTS || mount(source, target, type, flags, options))
        die("cannot mount %s", target);
    mounts[n_mounts++] = copy_of(target);
}

static void mark(const char *path)
{
    if (n_marks == MAX_MARKS || lstat(path, &marks[n_marks].st))
        die("cannot look at %s", path);
    marks[n_marks++].path = copy_of(path);
}

/* Takes a mount namespace of our own, in which a launcher with a user namespace may mount; once, before anything is started. */
void start_mounting(void)
{
    if (is_ready)
        return;
    is_ready = 1;
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        die("cannot make a mount namespace");
    for (char **path = order.fixtures; *path; path++) {
        int fd = open(*path, O_PATH | O_CLOEXEC);
        if (fd < 0 || n_fixtures == MAX_MOUNTS)
            die("cannot reach %s", *path);
        fixtures[n_fixtures].fd = fd;
        fixtures[n_fixtures++].path = copy_of(*path);
    }
    if (!order.base)
        return;
    base = open(order.base, O_PATH | O_DIRECTORY | O_CLOEXEC); /* what nobody sees from now on that does not hold it open */
    if (base < 0 || mount("nothing", order.base, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=000,size=4k"))
        die("cannot cover %s", order.base);
}

/* Shows one of the host's trees where commands find theirs. */
void mount_tree(void)
{
    char source[64];
    int fd = openat(base, order.source, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    snprintf(source, sizeof source, "/proc/self/fd/%d", fd);
    if (fd < 0 || mount(source, order.tree, NULL, MS_BIND, NULL))
        die("cannot show the tree %s", order.source);
    close(fd);
    set_read_only(!order.writable && !(order.private && order.uid));
}

void unmount_tree(const char *path)
{
    if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW))
        die("cannot unmount %s", path);
}

void set_read_only(int read_only)
{
    struct statvfs st;
    unsigned long flags = MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV | (read_only ? MS_RDONLY : 0UL);
    if (statvfs(order.tree, &st) || mount(NULL, order.tree, NULL, flags | (st.f_flag & ST_NOEXEC ? MS_NOEXEC : 0UL), NULL))
        die("cannot mount %s again", order.tree);
}

/* Makes a folder that looks like another one. */
static void make_like(const char *path, const struct stat *st, struct timespec time)
{
    const struct timespec times[] = {time, time};
    if (mkdir(path, 0700) || (geteuid() == 0 && chown(path, st->st_uid, st->st_gid)) || chmod(path, st->st_mode & 07777) ||
        utimensat(AT_FDCWD, path, times, 0))
        die("cannot make %s", path);
}

/* Makes a part of the layer read-only; being mounted, it cannot be moved away either. What is not there, or is a link, stays as it is. */
static void seal(const char *path)
{
    struct stat st;
    if (lstat(path, &st) || S_ISLNK(st.st_mode))
        return;
    mount_at(path, path, NULL, MS_BIND, NULL);
    if (mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOATIME, NULL))
        die("cannot seal %s", path);
}

/* Whether something is sealed that could be moved away with the folder around it. */
static int is_sealed_within(void)
{
    for (char **path = order.sealed; *path; path++)
        if (strchr(*path + strlen(order.tree) + 1, '/'))
            return 1;
    return 0;
}

static void mount_over_tree(const char *stage)
{
    struct stat st;
    char upper[4096], work[4096], options[12400];
    snprintf(upper, sizeof upper, "%s/upper", stage);
    snprintf(work, sizeof work, "%s/work", stage);
    if (stat(order.tree, &st) || mkdir(work, 0700))
        die("cannot lay a layer over %s", order.tree);
    make_like(upper, &st, st.st_mtim);
    begin_journal(upper);
    /* Without a user namespace the layer may note where a folder was before it was renamed: not one with a sealed part. */
    snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s,%s", order.tree, upper, work,
             !order.uid ? "userxattr" : is_sealed_within() ? "redirect_dir=off" : "redirect_dir=on");
    mount_at("overlay", order.tree, "overlay", MS_NOSUID | MS_NODEV | MS_NOATIME, options);
    for (char **path = order.sealed; *path; path++)
        seal(*path);
}

static void mount_fixture(const char *path, int fd)
{
    char way[4096], source[64];
    struct stat st;
    snprintf(way, sizeof way, "%s", path);
    for (char *slash = strchr(way + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (!mkdir(way, 0755))
            mark(way);
        *slash = '/';
    }
    if (fstat(fd, &st))
        die("cannot reach %s", path);
    if (S_ISDIR(st.st_mode))
        mkdir(path, 0755);
    else
        close(open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0644));
    snprintf(source, sizeof source, "/proc/self/fd/%d", fd);
    mount_at(source, path, NULL, MS_BIND | MS_REC, NULL);
}

void mount_layer(void)
{
    char options[128], place[4096];
    struct stat st[MAX_SCRATCH] = {{0}};
    const char *stage = order.scratch[0];
    if (n_mounts)
        return;
    for (int i = 0; i < order.scratches; i++)
        if (stat(order.scratch[i], &st[i]))
            die("%s", order.scratch[i]);
    /* Twice the limit, so that what is too much is seen to be; an empty file takes memory, too. */
    snprintf(options, sizeof options, "mode=755,size=%ldk,nr_inodes=%ld", 2 * order.disk_kb + 1024, order.disk_kb / 2 + 4096);
    mount_at("memory", stage, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOATIME, options);
    if (order.private)
        mount_over_tree(stage);
    for (int i = order.scratches - 1; i >= 0; i--) { /* the first covers the rest */
        snprintf(place, sizeof place, "%s/%d", stage, i);
        make_like(place, &st[i], (struct timespec){AGE_OF_FOLDERS, 0});
    }
    for (int i = order.scratches - 1; i >= 0; i--) {
        snprintf(place, sizeof place, "%s/%d", stage, i);
        mount_at(place, order.scratch[i], NULL, MS_BIND, NULL);
        mark(order.scratch[i]);
    }
    for (int i = 0; i < n_fixtures; i++)
        mount_fixture(fixtures[i].path, fixtures[i].fd);
    for (int i = 0; i < n_marks; i++) {
        const struct timespec times[] = {{AGE_OF_FOLDERS, 0}, {AGE_OF_FOLDERS, 0}}; /* entries were made in it */
        if (utimensat(AT_FDCWD, marks[i].path, times, 0) || lstat(marks[i].path, &marks[i].st))
            die("cannot look at %s", marks[i].path);
    }
    if (statfs(stage, &untouched))
        die("%s", stage);
}

static int is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static int is_as_marked(const struct mark *m)
{
    struct stat st;
    const struct stat *was = &m->st;
    return !lstat(m->path, &st) && st.st_mode == was->st_mode && st.st_uid == was->st_uid && st.st_gid == was->st_gid &&
           st.st_nlink == was->st_nlink && st.st_size == was->st_size && is_same_time(st.st_mtim, was->st_mtim) &&
           is_same_time(st.st_atim, was->st_atim) && llistxattr(m->path, NULL, 0) <= 0;
}

static int is_untouched(void)
{
    struct statfs now;
    if (order.private || statfs(order.scratch[0], &now) || now.f_bfree != untouched.f_bfree || now.f_ffree != untouched.f_ffree)
        return 0;
    for (int i = 0; i < n_marks; i++)
        if (!is_as_marked(&marks[i]))
            return 0;
    return 1;
}

/* Takes the layer away, unless it is as good as new. */
void unmount_layer(void)
{
    if (is_untouched())
        return;
    while (n_mounts > 0) {
        if (umount2(mounts[--n_mounts], MNT_DETACH | UMOUNT_NOFOLLOW))
            die("cannot unmount %s", mounts[n_mounts]);
        free(mounts[n_mounts]);
    }
    while (n_marks > 0)
        free(marks[--n_marks].path);
}

long layer_kb(void)
{
    struct statfs now;
    if (statfs(order.scratch[0], &now))
        die("%s", order.scratch[0]);
    return (long)(untouched.f_bfree - now.f_bfree) * (now.f_bsize / 1024);
}

int is_in_layer(const struct stat *st)
{
    static dev_t nameless;
    struct stat folder;
    if (!nameless) {
        struct stat memory;
        int fd = memfd_create("probe", MFD_CLOEXEC);
        if (fd < 0 || fstat(fd, &memory))
            die("memfd_create");
        close(fd);
        nameless = memory.st_dev;
    }
    if (order.private) /* files of an overlay have devices of all kinds, but there is nothing else to write to */
        return st->st_dev != nameless;
    return !stat(order.scratch[0], &folder) && st->st_dev == folder.st_dev;
}
