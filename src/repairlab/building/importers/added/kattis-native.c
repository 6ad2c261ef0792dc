/* Calls an output validator of Kattis' form as a checker; the linker's --wrap=main makes this the program's start. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int __real_main(int count, char **arguments);

static char *flags[] = {@FLAGS@ NULL};

static void show_message(const char *folder) {
    char path[64], line[300];
    snprintf(path, sizeof path, "%sjudgemessage.txt", folder);
    FILE *file = fopen(path, "r");
    if (file && fgets(line, sizeof line, file))
        fputs(line, stderr);
}

int __wrap_main(int count, char **arguments) {
    char folder[] = "/tmp/feedbackXXXXXX", slashed[sizeof folder + 1];
    if (count < 4 || !mkdtemp(folder))
        _exit(70);
    snprintf(slashed, sizeof slashed, "%s/", folder);
    int n_flags = sizeof flags / sizeof *flags, status = 0;
    pid_t child = fork();
    if (child == 0) {
        char **given = calloc(4 + n_flags, sizeof *given);
        int output = open(arguments[2], O_RDONLY);
        if (!given || output < 0 || dup2(output, 0) < 0)
            _exit(70);
        close(output);
        given[0] = arguments[0];
        given[1] = arguments[1];
        given[2] = arguments[3];
        given[3] = slashed;
        memcpy(given + 4, flags, sizeof flags);
        exit(__real_main(3 + n_flags, given));
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        _exit(70);
    show_message(slashed);
    /* Not by exit: destructors of the validator's static objects belong to the child, where its main ran. */
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    _exit(code == 42 ? 0 : code == 43 ? 1 : code == 70 ? 70 : 134);
}
