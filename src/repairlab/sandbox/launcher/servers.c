/* Fork servers: programs that were started once, with a socket as descriptor 4, and are forked for each run. */
#include "launcher.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
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

/* Takes what a server says when it has come to a place where it waits; nothing in time is an empty word. */
static void hear_word(const struct server *server, char *word, size_t size)
{
    struct pollfd fd = {server->channel, POLLIN, 0};
    ssize_t length = poll(&fd, 1, PATIENCE_MS) == 1 ? recv(server->channel, word, size - 1, 0) : -1;
    word[length > 0 ? length : 0] = 0;
}

/* Starts the program in `order`; a server without a process remembers that the program does not say that it is ready. */
static void start_server(struct server *server)
{
    int sockets[2], nowhere[2], stdin_fd = memfd_create("input", MFD_CLOEXEC);
    char word[16];
    static const char variable[] = "REPAIRLAB_FORK_SERVER=4";
    char *turn = order.turns ? *order.turns : NULL;
    size_t place = 0;
    if (order.turns)
        *order.turns = NULL; /* it learns that with each tree */
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
    if (order.turns)
        *order.turns = turn;
    *server = (struct server){.pid = server->pid, .channel = sockets[0], .size = order.common, .text = malloc(order.common)};
    if (!server->text)
        die("fork server");
    memcpy(server->text, order.text, order.common);
    close(stdin_fd);
    close(sockets[1]);
    close(nowhere[1]);
    hear_word(server, word, sizeof word);
    server->turns = !strcmp(word, "trees");
    server->has_keepers = server->turns || !strcmp(word, "script");
    if ((!server->has_keepers && strcmp(word, "ready")) || (order.turns && !server->turns))
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
    free(server->tree);
    memmove(server, server + 1, (size_t)(servers + --n_servers - server) * sizeof *server);
    return servers + n_servers;
}

void end_servers(void)
{
    for (int i = 0; i < n_servers; i++)
        end_server(&servers[i]);
}

/* Has a server leave its tree; returns whether it waits for another one. */
static int leave_its_tree(struct server *server)
{
    char word[16] = "trees";
    if (server->tree && !server->cannot_turn) {
        send(server->channel, "q", 1, MSG_NOSIGNAL);
        hear_word(server, word, sizeof word);
    }
    free(server->tree);
    server->tree = NULL;
    return !strcmp(word, "trees");
}

/* Has a server get ready for the tree of `order`, if it is for another; returns whether it waits for runs. */
static int turn(struct server *server)
{
    char message[65536], word[16];
    const size_t size = order.size - order.common;
    size_t length = 1 + (size_t)snprintf(message, sizeof message, "t%s", order.cwd);
    if (server->tree && server->tree_size == size && !memcmp(server->tree, order.text + order.common, size))
        return !server->cannot_turn;
    for (char **variable = order.turns; *variable && length < sizeof message; variable++)
        length += 1 + (size_t)snprintf(message + length, sizeof message - length, "%s", *variable);
    if (!leave_its_tree(server) || length > sizeof message || ++server->trees > RUNS_PER_SERVER ||
        send(server->channel, message, length, MSG_NOSIGNAL) < 0) {
        forget_server(server);
        return 0;
    }
    hear_word(server, word, sizeof word);
    server->runs = 0;
    server->cannot_turn = strcmp(word, "ready") != 0;
    server->tree_size = size;
    server->tree = malloc(size);
    if (!server->tree)
        die("fork server");
    memcpy(server->tree, order.text + order.common, size);
    if (strcmp(word, "ready") && strcmp(word, "trees")) { /* nobody knows what it does */
        forget_server(server);
        return 0;
    }
    return !server->cannot_turn;
}

/* Ends what has seen the tree at hand, and leaves servers that can turn to another. */
void leave_tree_of_servers(void)
{
    for (int i = n_servers; i-- > 0;)
        if (!servers[i].pid || !servers[i].turns || !leave_its_tree(&servers[i]))
            forget_server(&servers[i]);
    while (n_servers > MAX_IDLE_SERVERS)
        forget_server(servers);
}

/* Returns the server for `order`, or NULL when the command has to be run by itself. */
struct server *find_server(void)
{
    if (!order.forks)
        return NULL;
    struct server *server = servers;
    while (server < servers + n_servers && (server->size != order.common || memcmp(server->text, order.text, order.common)))
        server++;
    if (server < servers + n_servers && (++server->runs > RUNS_PER_SERVER || has_ended(server)))
        server = forget_server(server); /* forking takes CPU time, too, and its limit is that of a run */
    if (server == servers + MAX_SERVERS)
        server = forget_server(servers); /* too many: the oldest makes room */
    if (server == servers + n_servers) {
        start_server(server);
        n_servers++;
    }
    return server->pid && (!server->turns || turn(server)) ? server : NULL;
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

