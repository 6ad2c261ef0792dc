/* The way out of a sandbox to named addresses: listens in the network of the sandbox, hands the sockets to the host, and becomes the
 * program.
 *
 * Usage: gate PORT… -- PROGRAM ARGUMENT…
 *
 * Descriptor 0 is a socket to the host. It gets one message with a listening socket for each port and answers with one byte once
 * somebody accepts connections there. A socket belongs to the network in which it was made, so that the host can accept what the
 * program connects to, and the program reaches nothing else. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 16, FAILED = 125 };

static void fail(const char *what)
{
    fprintf(stderr, "gate: %s: %s\n", what, strerror(errno));
    exit(FAILED);
}

static int listener(const char *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0 || bind(made, (struct sockaddr *)&address, sizeof address) || listen(made, 64))
        fail("cannot listen inside the sandbox");
    return made;
}

int main(int argc, char **argv)
{
    int made[MOST], count = 0, at = 1;
    for (; at < argc && strcmp(argv[at], "--"); at++) {
        if (count == MOST)
            return FAILED;
        made[count++] = listener(argv[at]);
    }
    if (!count || at + 1 >= argc)
        return FAILED;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof made)];
    } rights = {0};
    char byte = 'l';
    struct iovec text = {&byte, 1};
    struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count)};
    rights.header.cmsg_level = SOL_SOCKET;
    rights.header.cmsg_type = SCM_RIGHTS;
    rights.header.cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
    memcpy(CMSG_DATA(&rights.header), made, sizeof(int) * (size_t)count);
    if (sendmsg(0, &message, MSG_NOSIGNAL) != 1 || read(0, &byte, 1) != 1)
        fail("cannot hand sockets to the host");
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, 0) || close(nothing))
        fail("cannot close the way to the host");
    for (int i = 0; i < count; i++)
        close(made[i]);
    execvp(argv[at + 1], argv + at + 1);
    fail("cannot start the program");
}
