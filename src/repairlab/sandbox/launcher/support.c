/* Small things that all parts of the launcher use: the end in case of errors of ours, the clock, small files. */
#include "launcher.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

pid_t self;
int control = -1;

void die(const char *format, ...)
{
    char text[1024], reason[1200];
    const char *error = strerror(errno);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    int size = snprintf(reason, sizeof reason, "launcher: %s: %s\n", text, error);
    if (control < 0 || send(control, reason, (size_t)size, MSG_NOSIGNAL) < 0)
        dprintf(2, "%s", reason);
    _exit(125);
}

long long now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

ssize_t read_file(int folder, const char *path, char *buffer, size_t size)
{
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t got = read(fd, buffer, size - 1);
    close(fd);
    buffer[got > 0 ? got : 0] = 0;
    return got;
}

