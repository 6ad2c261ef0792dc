/* A series: runs of one command, one for each input, with one answer for all.
 *
 * The file of inputs begins with numbers of 64 bits: whether to stop at the first exit code that is not 0, how many inputs there are, and
 * the size of each; then come the inputs. For each run the file of answers gets a line of JSON, a line with the sizes of its channels,
 * and what they gave. A series ends early after a run that did not end by itself, and when it takes long or gives much: the host
 * then looks at what there is, and may order the rest. Each run is as one that was ordered by itself. */
#include "launcher.h"
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONG_MS = 600, MUCH = 1 << 20 };

/* Makes a sealed file of the next part of another; unlike a pipe it needs nobody to write to it while it is read. */
static int next_input(int inputs, int64_t size)
{
    char chunk[16384];
    int fd = memfd_create("input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        die("input");
    while (size > 0) {
        ssize_t got = read(inputs, chunk, size < (int64_t)sizeof chunk ? (size_t)size : sizeof chunk);
        if (got <= 0 || write(fd, chunk, (size_t)got) != got)
            die("input");
        size -= got;
    }
    if (lseek(fd, 0, SEEK_SET) || fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK))
        die("input");
    return fd;
}

static void write_down(const struct ending *ending, int answers)
{
    char text[640];
    int size = describe(ending, text, 512);
    size += snprintf(text + size, sizeof text - (size_t)size, "\n%zu %zu %zu\n", channel_size(0), channel_size(1), channel_size(2));
    if (write(answers, text, (size_t)size) != size)
        die("answers");
    save_channels(answers);
}

static int64_t number_at(int inputs, int64_t place)
{
    int64_t number;
    if (pread(inputs, &number, sizeof number, (off_t)(place * (int64_t)sizeof number)) != sizeof number)
        die("inputs");
    return number;
}

void run_series(int children, int inputs, int answers)
{
    const int64_t stops = number_at(inputs, 0), count = number_at(inputs, 1);
    const long long begin = now_us();
    struct ending ending = {.name = "exited"};
    int64_t done = 0;
    if (lseek(inputs, (off_t)((count + 2) * (int64_t)sizeof count), SEEK_SET) < 0)
        die("inputs");
    while (done < count && !strcmp(ending.name, "exited") && !ending.is_not_reusable && !(stops && ending.code) &&
           now_us() - begin < LONG_MS * 1000 && lseek(answers, 0, SEEK_CUR) < MUCH) {
        int streams[1 + CHANNELS] = {next_input(inputs, number_at(inputs, 2 + done++))};
        open_channels(streams + 1);
        ending = run(children, streams);
        close(streams[0]);
        leave_channels(streams + 1);
        read_channels();
        write_down(&ending, answers);
    }
    send(control, "done\n", 5, MSG_NOSIGNAL);
}
