/* Where a command may write: its tree, a layer over the tree, its private folders; and how the next command finds them as they were. */
#include "launcher.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

/* A private folder as it was before any command. */
static struct {
    struct stat st;
    int entries;
} found[MAX_SCRATCH];
static int are_known, is_handed_over;
static long tree_kb; /* size of the tree before the command */

static int open_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        die("%s", path);
    return fd;
}

static int count_entries(const char *path)
{
    int entries = 0;
    DIR *folder = fdopendir(open_folder(path));
    if (!folder)
        die("%s", path);
    while (readdir(folder))
        entries++;
    closedir(folder);
    return entries;
}

/* Removes the attributes that a user can set: access lists would hold for all that is made in the folder. */
static void remove_attributes(int fd, const char *path)
{
    char names[65536];
    ssize_t size = flistxattr(fd, names, sizeof names);
    for (char *name = names; size > 0 && name < names + size; name += strlen(name) + 1)
        if ((!strncmp(name, "user.", 5) || !strncmp(name, "system.", 7)) && fremovexattr(fd, name))
            die("cannot remove %s of %s", name, path);
}

/* Makes a private folder what it was; what is mounted below it stays. */
static void put_back(int i)
{
    char *path = order.scratch[i];
    const struct stat *was = &found[i].st;
    const struct timespec times[] = {was->st_atim, was->st_mtim};
    if (chmod(path, 0700)) /* whoever cannot look into it cannot empty it */
        die("cannot put back %s", path);
    if (count_entries(path) > found[i].entries || found[i].entries > 2) { /* more than itself and its parent */
        walk(path, ERASE);
        if (count_entries(path) > found[i].entries)
            die("cannot empty %s", path);
    }
    int fd = open_folder(path);
    remove_attributes(fd, path);
    if (fchown(fd, was->st_uid, was->st_gid) || fchmod(fd, was->st_mode & 07777) || futimens(fd, times))
        die("cannot put back %s", path);
    close(fd);
}

/* Before the first command, private folders become the user's. */
static void take_folders(void)
{
    for (int i = 0; i < order.scratches && !are_known; i++) {
        if (order.uid && lchown(order.scratch[i], (uid_t)order.uid, (gid_t)order.gid)) /* what is mounted below it is not ours */
            die("cannot hand over %s", order.scratch[i]);
        const struct timespec times[] = {{AGE_OF_FOLDERS, 0}, {AGE_OF_FOLDERS, 0}};
        if (utimensat(AT_FDCWD, order.scratch[i], times, AT_SYMLINK_NOFOLLOW) || lstat(order.scratch[i], &found[i].st))
            die("%s", order.scratch[i]);
        found[i].entries = count_entries(order.scratch[i]);
    }
    are_known = 1;
}

/* Where there are no layers: takes a part of the tree away from the user, who may add to the folders above it, but not move what is ours.
 * What is not there, or is a link, stays as it is. */
static void seal_in_place(char *path)
{
    char way[4096];
    struct stat st;
    if (lstat(path, &st) || S_ISLNK(st.st_mode))
        return;
    walk(path, SEAL);
    snprintf(way, sizeof way, "%s", path);
    for (char *slash; strlen(way) > strlen(order.tree) && (slash = strrchr(way, '/'));) {
        *slash = 0;
        if (lchown(way, 0, 0) || chmod(way, 01777))
            die("cannot seal what is in %s", way);
    }
}

static char *shown, *shown_at; /* the tree that commands find now, and where */

/* Leaves the tree, with all that has seen it. */
void leave_tree(void)
{
    if (!shown)
        return;
    leave_tree_of_servers();
    unmount_tree(shown_at);
    free(shown);
    free(shown_at);
    shown = shown_at = NULL;
    is_handed_over = 0;
}

/* Has commands find the tree that they are for, where that may be another than for the one before. */
void enter_tree(void)
{
    if (!order.source || (shown && !strcmp(shown, order.source)))
        return;
    leave_tree();
    mount_tree();
    shown = strdup(order.source);
    shown_at = strdup(order.tree);
    if (!shown || !shown_at)
        die("no memory");
}

/* Gives the user what is hers before a fork server starts; the tree below private layers once for all commands. */
void hand_over(void)
{
    take_folders();
    if (order.writable) {
        tree_kb = walk(order.tree, order.uid ? TAKE : MEASURE);
        for (char **path = order.sealed; *path && order.uid; path++)
            seal_in_place(*path);
    } else if (order.private && order.uid && !is_handed_over) {
        walk(order.tree, TAKE);
        set_read_only(1);
        is_handed_over = 1;
    }
}

void open_places(void)
{
    if (order.layers)
        mount_layer();
}

long written_kb(void)
{
    long kb = order.writable ? walk(order.tree, MEASURE) - tree_kb : 0;
    if (order.layers)
        return kb + layer_kb();
    for (int i = 0; i < order.scratches; i++)
        kb += walk(order.scratch[i], MEASURE);
    return kb;
}

long close_places(void)
{
    long kb = order.layers ? layer_kb() : 0;
    if (order.writable)
        kb += walk(order.tree, GIVE) - tree_kb;
    if (!order.layers)
        for (int i = 0; i < order.scratches; i++)
            put_back(i);
    else {
        end_journal();
        unmount_layer();
    }
    if (order.private && order.uid && !order.keep) {
        set_read_only(0);
        walk(order.tree, RETURN);
        is_handed_over = 0;
    }
    return kb;
}
