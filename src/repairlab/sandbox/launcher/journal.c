/* What a private command has changed of the tree that it found. The upper half of its layer shows it: whatever was written, replaced,
 * renamed or removed has left a copy there, or a mark in its place, even if it was put back later. No command can reach that half. */
#include "launcher.h"
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

static char journal[65536]; /* paths, each with a NUL behind it */
static size_t length;
static int lower = -1, upper = -1;

static int open_place(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        die("cannot reach %s", path);
    return fd;
}

/* Takes the folder of the upper half, before the layer covers the tree. */
void begin_journal(const char *folder)
{
    lower = open_place(order.tree);
    upper = open_place(folder);
}

static void note(const char *path)
{
    size_t size = strlen(path) + 1;
    if (length + size + 2 > sizeof journal) { /* more than can be told: all of it */
        path = ".";
        size = 2;
        if (length >= 2 && !memcmp(journal + length - 2, path, size))
            return;
    }
    memcpy(journal + length, path, size);
    length += size;
}

static int hides_what_was_there(const char *folder)
{
    char value;
    return lgetxattr(folder, "trusted.overlay.opaque", &value, 1) == 1 || lgetxattr(folder, "user.overlay.opaque", &value, 1) == 1;
}

/* Whether an entry of the upper half stands in the place of one of the tree; a folder is also there for what is in it. */
static int is_change(const FTSENT *e, const struct stat *was)
{
    return !(S_ISDIR(e->fts_statp->st_mode) && S_ISDIR(was->st_mode)) || hides_what_was_there(e->fts_accpath);
}

static void read_upper_half(FTS *fts)
{
    for (FTSENT *e; errno = 0, (e = fts_read(fts));) {
        struct stat was;
        if (e->fts_info == FTS_DP || e->fts_level == 0)
            continue;
        if (e->fts_info == FTS_NS || e->fts_info == FTS_ERR || e->fts_info == FTS_DNR)
            die("cannot look at %s", e->fts_path);
        if (fstatat(lower, e->fts_path + 2, &was, AT_SYMLINK_NOFOLLOW))
            fts_set(fts, e, FTS_SKIP); /* new, with all that is in it */
        else if (is_change(e, &was)) {
            note(e->fts_path + 2);
            fts_set(fts, e, FTS_SKIP);
        }
    }
    if (errno)
        die("cannot read the layer");
}

/* Reads the journal of the command that has ended, when nothing of it runs any more. */
void end_journal(void)
{
    char *roots[] = {".", NULL};
    length = 0;
    if (upper < 0)
        return;
    if (fchdir(upper))
        die("cannot enter the layer");
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_XDEV, NULL);
    if (!fts)
        die("cannot read the layer");
    read_upper_half(fts);
    fts_close(fts);
    if (chdir("/"))
        die("/");
    close(upper);
    close(lower);
    upper = lower = -1;
}

size_t read_journal(const char **text)
{
    *text = journal;
    return length;
}
