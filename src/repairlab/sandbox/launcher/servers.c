/* Fork servers: programs that were started once, with a socket as descriptor 4, and are forked for each run. */
#include "launcher.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct server servers[MAX_SERVERS];
static int n_servers;

int has_servers(void)
{
    return n_servers > 0;
}

int is_server(pid_t pid)
{
    for (int i = 0; i < n_servers; i++)
        if (pid && servers[i].pid == pid) /* 0 is no process, but the parent of the machine's first */
            return 1;
    return 0;
}

int is_server_of_keepers(pid_t pid)
{
    for (int i = 0; i < n_servers; i++)
        if (pid && servers[i].pid == pid)
            return servers[i].has_keepers;
    return 0;
}

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
    server->pid = start_command(fds, 5, 1);
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
    ssize_t length = poll(&fd, 1, PATIENCE_MS) == 1 ? recv(server->channel, word, sizeof word, 0) : -1;
    server->has_keepers = length == 6 && !memcmp(word, "script", 6);
    if (!server->has_keepers && !(length == 5 && !memcmp(word, "ready", 5)))
        end_server(server);
    close(nowhere[0]);
}

/* Whether a server that should wait has ended since: it says nothing unasked. */
static int has_ended(const struct server *server)
{
    struct pollfd fd = {server->channel, POLLIN, 0};
    return server->pid && poll(&fd, 1, 0) != 0;
}

/* Ends a server and returns the place for a new one, behind the others. */
static struct server *forget_server(struct server *server)
{
    end_server(server);
    free(server->text);
    memmove(server, server + 1, (size_t)(servers + --n_servers - server) * sizeof *server);
    return servers + n_servers;
}

void end_servers(void)
{
    for (int i = 0; i < n_servers; i++)
        end_server(&servers[i]);
}

/* Returns the server for `order`, or NULL when the command has to be run by itself. */
struct server *find_server(void)
{
    if (!order.forks)
        return NULL;
    struct server *server = servers;
    while (server < servers + n_servers && (server->size != order.size || memcmp(server->text, order.text, order.size)))
        server++;
    if (server < servers + n_servers && (++server->runs > RUNS_PER_SERVER || has_ended(server)))
        server = forget_server(server); /* forking takes CPU time, too, and its limit is that of a run */
    if (server == servers + MAX_SERVERS)
        server = forget_server(servers); /* too many: the oldest makes room */
    if (server == servers + n_servers) {
        start_server(server);
        n_servers++;
    }
    return server->pid ? server : NULL;
}

int send_files(int channel, const int *fds, int count)
{
    char space[CMSG_SPACE(8 * sizeof(int))] = {0}, byte = 'r';
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = CMSG_SPACE((size_t)count * sizeof(int))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
    memcpy(CMSG_DATA(header), fds, (size_t)count * sizeof(int));
    return sendmsg(channel, &message, MSG_NOSIGNAL) == 1;
}

