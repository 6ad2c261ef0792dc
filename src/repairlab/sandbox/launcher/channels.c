/* The channels of a run in a series: pipes for standard output, standard error and report, and what came out of them. */
#include "launcher.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK = 65536 };

/* `fd` is -1 when nobody can write to it any more, or when there is none. */
static struct channel {
    int fd;
    char *text;
    size_t size, room;
} channels[CHANNELS] = {{-1, NULL, 0, 0}, {-1, NULL, 0, 0}, {-1, NULL, 0, 0}};

/* Makes new channels; the run gets the other ends. */
void open_channels(int *ends)
{
    for (int i = 0; i < CHANNELS; i++) {
        int pipe[2];
        /* Test frameworks open /proc/self/fd/3 by name, and run as another user than root; nobody takes back what was said. */
        if (pipe2(pipe, O_CLOEXEC) || fchmod(pipe[1], 0222) || fcntl(pipe[0], F_SETFL, O_NONBLOCK))
            die("pipe");
        channels[i] = (struct channel){pipe[0], NULL, 0, 0};
        ends[i] = pipe[1];
    }
}

/* Closes the ends of the run. */
void leave_channels(int *ends)
{
    for (int i = 0; i < CHANNELS; i++)
        close(ends[i]);
}

/* Fills in what to wait for, and returns how much that is. */
int wait_on_channels(struct pollfd *fds)
{
    int count = 0;
    for (int i = 0; i < CHANNELS; i++)
        if (channels[i].fd >= 0)
            fds[count++] = (struct pollfd){channels[i].fd, POLLIN, 0};
    return count;
}

static void close_channel(struct channel *channel)
{
    close(channel->fd);
    channel->fd = -1;
}

static void read_channel(struct channel *channel)
{
    ssize_t got = 1;
    while (channel->fd >= 0 && got > 0 && channel->size <= (size_t)order.output) {
        if (channel->room - channel->size < CHUNK) {
            channel->room = 2 * channel->room + CHUNK;
            channel->text = realloc(channel->text, channel->room);
            if (!channel->text)
                die("no memory for what a command says");
        }
        got = read(channel->fd, channel->text + channel->size, CHUNK);
        if (got > 0)
            channel->size += (size_t)got;
        else if (got == 0)
            close_channel(channel);
        else if (errno != EAGAIN && errno != EINTR)
            die("cannot read what a command says");
    }
}

int read_channels(void)
{
    int too_much = 0;
    for (int i = 0; i < CHANNELS; i++) {
        read_channel(&channels[i]);
        too_much |= channels[i].size > (size_t)order.output;
    }
    return too_much;
}

size_t channel_size(int number)
{
    return channels[number].size;
}

/* Appends what the channels gave to a file, and closes them. */
void save_channels(int fd)
{
    for (int i = 0; i < CHANNELS; i++) {
        for (size_t done = 0; done < channels[i].size;) {
            ssize_t got = write(fd, channels[i].text + done, channels[i].size - done);
            if (got < 0)
                die("cannot write down what a command says");
            done += (size_t)got;
        }
        free(channels[i].text);
        channels[i].text = NULL;
        channels[i].size = 0;
        if (channels[i].fd >= 0)
            close_channel(&channels[i]);
    }
}
