/* Landlock: what a command may reach of the file system of a host whose namespaces it shares. */
#include "launcher.h"
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Named here, since headers lack what is newer than they are. */
enum {
    EXECUTE = 1 << 0, WRITE_FILE = 1 << 1, READ_FILE = 1 << 2, READ_DIR = 1 << 3, MAKE_CHAR = 1 << 6, MAKE_BLOCK = 1 << 11,
    TRUNCATE = 1 << 14, IOCTL_DEV = 1 << 15,
    EVERYTHING = (1 << 16) - 1, OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV,
    LANDLOCK_CREATE_RULESET = 444, LANDLOCK_ADD_RULE = 445, LANDLOCK_RESTRICT_SELF = 446, /* one number on all machines */
};

static unsigned long long rights_of(char kind)
{
    switch (kind) {
    case 'r': return EXECUTE | READ_FILE | READ_DIR;
    case 'l': return READ_DIR;
    case 'd': return READ_FILE | WRITE_FILE | TRUNCATE;
    case 'w': return EVERYTHING & ~(MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV);
    default: die("unknown kind of access '%c'", kind);
    }
}

static void allow(int ruleset, const char *rule, unsigned long long handled)
{
    struct stat st;
    struct { unsigned long long rights; int fd; } __attribute__((packed)) beneath = {0, open(rule + 2, O_PATH | O_CLOEXEC)};
    if (beneath.fd < 0 || fstat(beneath.fd, &st))
        die("cannot reach %s", rule + 2);
    beneath.rights = rights_of(*rule) & handled & (unsigned long long)(S_ISDIR(st.st_mode) ? EVERYTHING : OF_A_FILE);
    if (syscall(LANDLOCK_ADD_RULE, ruleset, 1 /* path beneath */, &beneath, 0))
        die("Landlock refuses a rule for %s", rule + 2);
    close(beneath.fd);
}

/* Landlock: all of the file system is closed but what is allowed; so are TCP and signals to processes outside. */
void restrict_files(void)
{
    struct { unsigned long long fs, net, scoped; } handled = {EVERYTHING, 3 /* bind, connect */, 3 /* abstract sockets, signals */};
    long version = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, 1 /* ask for the version */);
    if (version < 3 || (version < 6 && !order.uid)) /* before, files can be truncated, and processes of the same user signalled */
        die("this kernel has no Landlock, or version %ld, which is too old", version);
    if (version < 5)
        handled.fs &= ~(unsigned long long)IOCTL_DEV;
    size_t size = version < 4 ? 8 : version < 6 ? 16 : 24;
    int ruleset = (int)syscall(LANDLOCK_CREATE_RULESET, &handled, size, 0);
    if (ruleset < 0)
        die("Landlock");
    for (char **rule = order.allow; *rule; rule++)
        allow(ruleset, *rule, handled.fs);
    if (syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0))
        die("Landlock");
    close(ruleset);
}

