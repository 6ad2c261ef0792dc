/* The files that a script was compiled from, and the names beside them: the keeper of the script ends when one is another. */
#include "zygote.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILES = 64 };

/* A file, or the names in a folder. */
struct kept {
    char *path, *content;
    size_t size;
};
static struct kept files[MAX_FILES];
static int n_files;

/* Returns the names in a folder, each with its NUL; NULL when it cannot be read. */
static char *read_names(const char *path, size_t *size)
{
    DIR *folder = opendir(path);
    char *names = calloc(1, 1);
    *size = 0;
    for (struct dirent *e; folder && names && (e = readdir(folder));) {
        size_t length = strlen(e->d_name) + 1;
        char *longer = realloc(names, *size + length);
        if (longer)
            memcpy(longer + *size, e->d_name, length);
        else
            free(names);
        names = longer;
        *size += length;
    }
    if (folder)
        closedir(folder);
    return names;
}

/* Returns the content of an ordinary file, or the names in a folder; NULL when it is neither. */
static char *content_of(const char *path, size_t *size)
{
    struct stat st;
    char *content = NULL;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
        content = read_names(path, size);
    else if (S_ISREG(st.st_mode) && (content = malloc((size_t)st.st_size + 1))) {
        ssize_t got = read(fd, content, (size_t)st.st_size + 1);
        if (got != st.st_size) {
            free(content);
            content = NULL;
        }
        *size = (size_t)st.st_size;
    }
    close(fd);
    return content;
}

/* Reads a file, or the names in a folder, and remembers what there was. */
void *read_kept(void *self, void *path)
{
    (void)self;
    void *name = PyUnicode_EncodeFSDefault(path);
    struct kept *file = &files[n_files];
    if (!name)
        return NULL;
    if (n_files == MAX_FILES || !(file->content = content_of(PyBytes_AsString(name), &file->size))) {
        Py_DecRef(name);
        PyErr_SetString(PyExc_OSError, "nothing to read");
        return NULL;
    }
    file->path = PyBytes_AsString(name); /* which stays */
    n_files++;
    return PyBytes_FromStringAndSize(file->content, (ssize_t)file->size);
}

static int is_same(const struct kept *file)
{
    size_t size = 0;
    char *content = content_of(file->path, &size);
    int same = content && size == file->size && !memcmp(content, file->content, size);
    free(content);
    return same;
}

int is_as_kept(const char *path)
{
    for (int i = 0; i < n_files; i++)
        if (!strcmp(files[i].path, path))
            return is_same(&files[i]);
    return 0;
}

int are_as_kept(void)
{
    int same = 1;
    for (int i = 0; i < n_files && same; i++)
        same = is_same(&files[i]);
    return same;
}
