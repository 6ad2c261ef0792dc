/* Walks over trees of files: measuring, handing over, giving back, erasing. Nobody else runs in them while we change them. */
#include "launcher.h"
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const long long TOO_MUCH = 1LL << 50;      /* blocks */
static const int LONGEST_PATH = PATH_MAX / 4 * 3; /* bytes: more than this ordinary programs can hardly name */
static const int LONGEST_WALK = 16 * 1024;        /* bytes: fts counts them in 16 bits, and gives up at about 36 K */

#define GONE ".gone-repairlab-" /* how names begin of what was moved up to be taken away */

static uid_t user(void)
{
    return order.uid ? (uid_t)order.uid : geteuid();
}

static void take_entry(const FTSENT *e)
{
    /* A file with several names may also be a file of somebody else: it is left alone. */
    const struct stat *st = e->fts_statp;
    if (e->fts_info != FTS_DP && !(S_ISREG(st->st_mode) && st->st_nlink > 1) &&
        (st->st_uid != (uid_t)order.uid || st->st_gid != (gid_t)order.gid))
        if (lchown(e->fts_accpath, (uid_t)order.uid, (gid_t)order.gid))
            die("cannot hand over %s", e->fts_path);
}

/* Gives back what was handed over, and leaves all else as it is. */
static void return_entry(const FTSENT *e)
{
    if (e->fts_info != FTS_DP && e->fts_statp->st_uid == user())
        if (lchown(e->fts_accpath, (uid_t)order.owner_uid, (gid_t)order.owner_gid))
            die("cannot give back %s", e->fts_path);
}

/* Whether an entry is deeper than ordinary programs can walk or delete, or was before it was moved up. */
static int is_too_deep(const FTSENT *e)
{
    if (e->fts_level > DEEPEST || e->fts_pathlen >= LONGEST_PATH)
        return 1;
    while (e->fts_level > 1)
        e = e->fts_parent;
    return e->fts_level == 1 && !strncmp(e->fts_name, GONE, sizeof GONE - 1);
}

static void give_entry(const FTSENT *e)
{
    const struct stat *st = e->fts_statp;
    if (is_too_deep(e)) { /* taken away from the bottom upwards */
        if (e->fts_info == FTS_DP)
            rmdir(e->fts_accpath);
        else if (e->fts_info != FTS_D)
            unlink(e->fts_accpath);
        else if (st->st_uid == user())
            chmod(e->fts_accpath, 0700);
        return;
    }
    if (e->fts_info == FTS_DP || st->st_uid != user())
        return;
    if (S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode)) { /* opening one would block the host */
        unlink(e->fts_accpath);
        return;
    }
    if (order.uid && !order.keep && lchown(e->fts_accpath, (uid_t)order.owner_uid, (gid_t)order.owner_gid))
        die("cannot give back %s", e->fts_path);
    if (S_ISLNK(st->st_mode))
        return;
    mode_t wanted = (st->st_mode & 0777) | (S_ISDIR(st->st_mode) ? 0700 : 0600);
    if (order.uid && !order.keep) /* the next command has another user */
        wanted |= S_ISDIR(st->st_mode) ? 0055 : (wanted & 0100) ? 0055 : 0044;
    if (wanted != (st->st_mode & 07777) && chmod(e->fts_accpath, wanted))
        die("cannot give back %s", e->fts_path);
}

static void erase_entry(const FTSENT *e)
{
    if (e->fts_level == 0)
        return;
    if (e->fts_info == FTS_DP)
        rmdir(e->fts_accpath);
    else if (e->fts_info != FTS_D)
        unlink(e->fts_accpath);
    else if (e->fts_statp->st_uid == user())
        chmod(e->fts_accpath, 0700);
}

/* Takes an entry away from its user, who may still read it. */
static void seal_entry(const FTSENT *e)
{
    const struct stat *st = e->fts_statp;
    if (e->fts_info == FTS_DP)
        return;
    if (lchown(e->fts_accpath, 0, 0) || (!S_ISLNK(st->st_mode) && chmod(e->fts_accpath, (st->st_mode & 0755) | 0444)))
        die("cannot seal %s", e->fts_path);
}

static int is_closed_to_us(const FTSENT *e)
{
    return e->fts_statp->st_uid == user() && (e->fts_statp->st_mode & 0500) != 0500 && geteuid() == user();
}

/* Opens a folder that its user has closed, to measure it, or closes it again: what cannot be looked into could hold anything. */
static void set_mode(const FTSENT *e, mode_t mode)
{
    char path[64];
    struct stat st;
    int fd = open(e->fts_accpath, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd >= 0 && !fstat(fd, &st) && st.st_ino == e->fts_statp->st_ino && st.st_dev == e->fts_statp->st_dev)
        chmod(path, mode);
    if (fd >= 0)
        close(fd);
}

/* Whether an entry that cannot be looked at may be passed over: it has vanished, or is of somebody else. */
static int may_be_passed(const FTSENT *e)
{
    return e->fts_errno == ENOENT || (e->fts_info == FTS_DNR && e->fts_statp->st_uid != user());
}

/* Moves a folder whose path is soon too long for fts up to the root, to be walked from there; returns whether it did. */
static int moved_up(const char *root, const FTSENT *e)
{
    static unsigned number;
    char aside[PATH_MAX];
    int failed;
    if (e->fts_info != FTS_D || e->fts_pathlen < LONGEST_WALK)
        return 0;
    if (e->fts_statp->st_uid == user())
        chmod(e->fts_accpath, 0700);
    do { /* until there is no such name: commands choose names, too */
        snprintf(aside, sizeof aside, "%s/" GONE "%u", root, number++);
        failed = rename(e->fts_accpath, aside);
    } while (failed && (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR));
    if (failed)
        die("cannot take away what is too deep in %s", root);
    return 1;
}

/* Returns the size in KiB of all below a folder, links not followed, file systems not crossed. What a command hides from us, and
 * what is soon too deep to walk at all, is as bad as too much. */
long walk(char *root, enum walk what)
{
    char *roots[] = {root, NULL};
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_XDEV, NULL);
    long long blocks = 0;
    int has_moved = 0;
    if (!fts)
        die("cannot walk %s", root);
    for (FTSENT *e; errno = 0, (e = fts_read(fts));) {
        if (e->fts_info == FTS_NS || e->fts_info == FTS_ERR || e->fts_info == FTS_DNR) {
            if (may_be_passed(e))
                continue;
            errno = e->fts_errno;
            if (what != MEASURE)
                die("cannot look at %s", e->fts_path);
            blocks = TOO_MUCH;
            break;
        }
        if (what == MEASURE && is_too_deep(e)) {
            blocks = TOO_MUCH;
            break;
        }
        if (what != MEASURE && moved_up(root, e)) {
            fts_set(fts, e, FTS_SKIP);
            has_moved = 1;
            continue;
        }
        if (e->fts_info != FTS_DP)
            blocks += e->fts_statp->st_blocks;
        if (what == MEASURE && (e->fts_info == FTS_D || e->fts_info == FTS_DP) && is_closed_to_us(e))
            set_mode(e, e->fts_info == FTS_D ? 0700 : e->fts_statp->st_mode & 07777);
        if (what == TAKE)
            take_entry(e);
        else if (what == GIVE)
            give_entry(e);
        else if (what == RETURN)
            return_entry(e);
        else if (what == ERASE)
            erase_entry(e);
        else if (what == SEAL)
            seal_entry(e);
    }
    if (errno && blocks < TOO_MUCH && !(what == MEASURE && errno == ENOENT))
        die("cannot walk %s", root);
    fts_close(fts);
    return has_moved ? walk(root, what) : (long)(blocks / 2);
}
