/* Preloaded into programs that run again: gives them another time of day, folders in another order, and other values in what
 * they have not yet used of their stack. LUCK_CLOCK is in seconds, LUCK_ORDER a number to shuffle by, LUCK_STACK a byte. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { MOST_FOLDERS = 64, STACK_BYTES = 256 * 1024 };

static long number(const char *name)
{
    const char *value = getenv(name);
    return value ? strtol(value, NULL, 10) : 0;
}

static long shift(void)
{
    static long seconds;
    static int known;
    if (!known) {
        seconds = number("LUCK_CLOCK");
        known = 1;
    }
    return seconds;
}

static void *next(const char *name, void **kept)
{
    void *found = __atomic_load_n(kept, __ATOMIC_RELAXED);
    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        __atomic_store_n(kept, found, __ATOMIC_RELAXED);
    }
    return found;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static void *kept;
    int (*real)(clockid_t, struct timespec *) = next("clock_gettime", &kept);
    int failed = real(clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI))
        now->tv_sec += shift();
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    static void *kept;
    int (*real)(struct timeval *, void *) = next("gettimeofday", &kept);
    int failed = real(now, zone);
    if (!failed)
        now->tv_sec += shift();
    return failed;
}

time_t time(time_t *place)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place)
        *place = now.tv_sec;
    return now.tv_sec;
}

/* A folder whose entries were read to the end and shuffled. */
struct folder {
    DIR *stream;
    struct dirent **entries;
    long count, position;
};
static struct folder folders[MOST_FOLDERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct folder *known(DIR *stream)
{
    for (int i = 0; i < MOST_FOLDERS; i++)
        if (folders[i].stream == stream)
            return &folders[i];
    return NULL;
}

static struct dirent *read_real(DIR *stream)
{
    static void *kept;
    struct dirent *(*real)(DIR *) = next("readdir", &kept);
    return real(stream);
}

static void forget(struct folder *folder)
{
    for (long i = 0; i < folder->count; i++)
        free(folder->entries[i]);
    free(folder->entries);
    memset(folder, 0, sizeof *folder);
}

static struct folder *shuffled(DIR *stream)
{
    struct folder *folder = known(NULL);
    unsigned long state = (unsigned long)number("LUCK_ORDER");
    if (!folder || !state)
        return NULL;
    folder->stream = stream;
    for (struct dirent *entry; (entry = read_real(stream));) {
        struct dirent **more = realloc(folder->entries, sizeof *more * (size_t)(folder->count + 1));
        if (!more)
            abort();
        folder->entries = more;
        folder->entries[folder->count] = malloc(entry->d_reclen);
        if (!folder->entries[folder->count])
            abort();
        memcpy(folder->entries[folder->count++], entry, entry->d_reclen);
    }
    for (long i = folder->count - 1; i > 0; i--) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        long other = (long)((state >> 33) % (unsigned long)(i + 1));
        struct dirent *held = folder->entries[i];
        folder->entries[i] = folder->entries[other];
        folder->entries[other] = held;
    }
    return folder;
}

struct dirent *readdir(DIR *stream)
{
    pthread_mutex_lock(&lock);
    struct folder *folder = known(stream);
    if (!folder)
        folder = shuffled(stream);
    struct dirent *entry;
    if (folder)
        entry = folder->position < folder->count ? folder->entries[folder->position++] : NULL;
    else
        entry = read_real(stream);
    pthread_mutex_unlock(&lock);
    return entry;
}

#if __SIZEOF_LONG__ == 8
struct dirent64 *readdir64(DIR *stream)
{
    return (struct dirent64 *)readdir(stream);
}
#endif

void rewinddir(DIR *stream)
{
    static void *kept;
    void (*real)(DIR *) = next("rewinddir", &kept);
    pthread_mutex_lock(&lock);
    struct folder *folder = known(stream);
    if (folder)
        forget(folder);
    real(stream);
    pthread_mutex_unlock(&lock);
}

int closedir(DIR *stream)
{
    static void *kept;
    int (*real)(DIR *) = next("closedir", &kept);
    pthread_mutex_lock(&lock);
    struct folder *folder = known(stream);
    if (folder)
        forget(folder);
    pthread_mutex_unlock(&lock);
    return real(stream);
}

__attribute__((constructor, noinline)) static void fill_stack(void)
{
    volatile char unused[STACK_BYTES];
    long byte = number("LUCK_STACK");
    for (long i = 0; byte && i < STACK_BYTES; i++)
        unused[i] = (char)byte;
}
